//! The whole site: every page finished, and the files that are made of all of them.

use crate::pages::{chapter_page, front_page, missing_page, offline_page, reference_page};
use crate::preview::Painter;
use crate::search::{Found, index};
use crate::template::{ICON, MANIFEST, PREVIEW, Template};
use crate::text::escaped;
use crate::{embed, paper, reader, twin, worker};
use delivery_book::Book;
use std::fmt::Write as _;
use std::io::ErrorKind;
use std::path::Path;

/// A finished page.
pub(crate) struct Finished {
    /// Where it is, seen from the front page: `the-stopwatch/`; empty for the front page itself.
    pub(crate) path: String,
    /// What it is to the search, as [`Found::kind`] has it; none if it is not searched.
    pub(crate) kind: Option<char>,
    /// Its name in lists.
    pub(crate) name: String,
    /// Its title.
    pub(crate) title: String,
    /// What it says, in a sentence or two.
    pub(crate) summary: String,
    /// All of it.
    pub(crate) html: String,
}

/// The pages of the book that have an address of their own, in the order in which one reads.
fn pages(template: &Template, book: &Book) -> Vec<Finished> {
    let mut pages = vec![Finished {
        path: String::new(),
        kind: None,
        name: book.title.clone(),
        title: book.title.clone(),
        summary: book.about.clone(),
        html: front_page(template, book),
    }];
    for (i, chapter) in book.chapters.iter().enumerate() {
        pages.push(Finished {
            path: format!("{}/", chapter.slug),
            kind: Some('c'),
            name: format!("{} {}", chapter.number, chapter.short),
            title: chapter.title.clone(),
            summary: chapter.summary.clone(),
            html: chapter_page(template, book, i),
        });
    }
    for reference in &book.references {
        pages.push(Finished {
            path: format!("{}/", reference.slug),
            kind: Some(match reference.slug {
                "symptoms" => 'y',
                "settings" => 's',
                "glossary" => 'g',
                _ => 'o',
            }),
            name: reference.short.to_owned(),
            title: reference.title.to_owned(),
            summary: reference.summary.to_owned(),
            html: reference_page(template, book, reference),
        });
    }
    pages
}

/// Every file that the press writes, by its place from the front page. `folder` has what trunk made.
///
/// # Errors
/// A sentence on what could not be read or drawn.
pub(crate) fn files(
    template: &Template,
    book: &Book,
    folder: &Path,
) -> Result<Vec<(String, Vec<u8>)>, Vec<String>> {
    let mut pages = pages(template, book);
    let found: Vec<Found<'_>> = pages
        .iter()
        .filter_map(|page| {
            let Finished { path, name, title, html, .. } = page;
            Some(Found { kind: page.kind?, path, name, title, html })
        })
        .collect();
    let index = index(&found, book);
    let index_name = reader::index_name(&index);
    for page in &mut pages {
        page.html = reader::with_index(&page.html, &index_name);
    }
    let known = |text: &str| reader::with_index(text, &index_name).into_bytes();

    // What every page needs.
    let mut shell: Vec<(String, Vec<u8>)> = Vec::new();
    for name in template.files() {
        match std::fs::read(folder.join(name)) {
            Ok(content) => shell.push((name.to_owned(), content)),
            // A template may name what is not there; then nobody can keep it.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(vec![format!("{name}: cannot be read: {error}")]),
        }
    }
    shell.extend(reader::files().into_iter().map(|(name, text)| (name, text.into_bytes())));
    shell.push((index_name.clone(), index.into_bytes()));
    shell.push((worker::OFFLINE.into(), known(&offline_page(template, book))));

    let mut files = Vec::new();
    let also: Vec<(&str, &str, &str)> = pages
        .iter()
        .filter(|page| page.kind.is_some_and(|kind| kind != 'c'))
        .map(|page| (page.path.as_str(), page.title.as_str(), page.summary.as_str()))
        .collect();
    let address = template.address().unwrap_or(&template.base);
    files.push(("llms.txt".into(), twin::list(book, address, &also).into_bytes()));
    files.push(("robots.txt".into(), robots(template.address()).into_bytes()));
    if let Some(address) = template.address() {
        files.push(("sitemap.xml".into(), sitemap(address, &pages).into_bytes()));
    }
    files.push((MANIFEST.into(), manifest(template, book).into_bytes()));
    files.push(("404.html".into(), known(&missing_page(template, book))));
    for (name, text) in embed::files(template, book) {
        files.push((name, known(&text)));
    }
    // Nobody shows links to a book that is being written, or has a program read it; and its writer waits.
    if !template.reloads() {
        for page in &pages {
            files.push((twin::place(&page.path), twin::markdown(&page.html, book).into_bytes()));
        }
        pictures(&mut files, book, &pages).map_err(|why| vec![why])?;
    }
    let pages: Vec<(String, Vec<u8>)> = pages
        .into_iter()
        .map(|page| (page.path, page.html.into_bytes()))
        .chain([(paper::PATH.to_owned(), known(&paper::page(template, book)))])
        .collect();
    files.push((worker::NAME.into(), worker::script(&shell, &pages).into_bytes()));

    let page = |(path, content): (String, Vec<u8>)| {
        let file = if path.is_empty() || path.ends_with('/') { path + "index.html" } else { path };
        (file, content)
    };
    let own = shell.into_iter().filter(|(name, _)| !template.files().contains(&name.as_str()));
    Ok(own.chain(pages).map(page).chain(files).collect())
}

/// Draws the previews of pages, and the icons.
fn pictures(
    files: &mut Vec<(String, Vec<u8>)>,
    book: &Book,
    pages: &[Finished],
) -> Result<(), String> {
    let painter = Painter::new();
    for page in pages {
        let chapter = book.chapters.iter().find(|c| page.path == format!("{}/", c.slug));
        let picture = match chapter {
            Some(chapter) => painter.chapter(book, chapter)?,
            None if page.path.is_empty() => painter.book(book)?,
            None => painter.page(book, &page.title, &page.summary)?,
        };
        files.push((format!("{}{PREVIEW}", page.path), picture));
    }
    files.push((ICON.into(), painter.icon(180)?));
    files.push((LARGE_ICON.into(), painter.icon(512)?));
    Ok(())
}

/// The icon for devices that keep the site.
const LARGE_ICON: &str = "icon-512.png";

/// Nothing is kept from anybody.
fn robots(address: Option<&str>) -> String {
    let sitemap = address.map_or_else(String::new, |at| format!("\nSitemap: {at}sitemap.xml\n"));
    format!("User-agent: *\nAllow: /\n{sitemap}")
}

/// The pages that a search engine may want.
fn sitemap(address: &str, pages: &[Finished]) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    for page in pages {
        let _ = writeln!(out, "<url><loc>{}{}</loc></url>", escaped(address), escaped(&page.path));
    }
    out + "</urlset>\n"
}

/// What the site is to a device that keeps it.
fn manifest(template: &Template, book: &Book) -> String {
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let svg = template.files().into_iter().find(|name| name.ends_with(".svg"));
    let svg = svg.map_or_else(String::new, |name| {
        format!("{{ \"src\": \"{name}\", \"sizes\": \"any\", \"type\": \"image/svg+xml\" }},\n    ")
    });
    format!(
        r##"{{
  "name": "{}",
  "description": "{}",
  "lang": "en",
  "start_url": "./",
  "scope": "./",
  "display": "minimal-ui",
  "background_color": "#fbfaf6",
  "theme_color": "#fbfaf6",
  "icons": [
    {svg}{{ "src": "{ICON}", "sizes": "180x180", "type": "image/png" }},
    {{ "src": "{LARGE_ICON}", "sizes": "512x512", "type": "image/png" }}
  ]
}}
"##,
        quoted(&book.title),
        quoted(&book.claim)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::tests::{template, the_book};
    use std::collections::BTreeMap;

    fn written(base: &str, more: &str, address: Option<&str>) -> BTreeMap<String, Vec<u8>> {
        let book = the_book();
        let template = template(base, more).of(&book.title, address);
        let files = files(&template, book, Path::new("no such folder")).unwrap();
        let n = files.len();
        let files: BTreeMap<_, _> = files.into_iter().collect();
        assert_eq!(files.len(), n, "a file is written twice");
        files
    }

    fn text<'a>(files: &'a BTreeMap<String, Vec<u8>>, name: &str) -> &'a str {
        let content = files.get(name).unwrap_or_else(|| panic!("no {name}"));
        std::str::from_utf8(content).unwrap()
    }

    #[test]
    fn the_site_is_whole() {
        let files = written("./", "", Some("https://e.org/x/"));
        for name in [
            "index.html",
            "index.md",
            "the-stopwatch/index.html",
            "the-stopwatch/index.md",
            "the-stopwatch/preview.png",
            "preview.png",
            "print/index.html",
            "offline/index.html",
            "404.html",
            "llms.txt",
            "robots.txt",
            "sitemap.xml",
            "site.webmanifest",
            "worker.js",
            "icon-180.png",
            "icon-512.png",
            "embed/index.html",
            "embed.js",
        ] {
            assert!(files.contains_key(name), "no {name}");
        }
        // What a page names is there.
        let page = text(&files, "the-stopwatch/index.html");
        for attribute in ["data-find", "data-index", "data-worker"] {
            let name = page
                .split_once(&format!("{attribute}=\"../"))
                .unwrap()
                .1
                .split('"')
                .next()
                .unwrap();
            assert!(files.contains_key(name), "{attribute} names {name}");
        }
        for (name, content) in &files {
            if name.ends_with(".html") {
                let page = std::str::from_utf8(content).unwrap();
                assert!(!page.contains("index-of-the-book"), "{name}");
            }
            assert!(
                !name.ends_with(".png") || content.len() <= 100_000,
                "{name}: {} bytes",
                content.len()
            );
        }
        let sitemap = text(&files, "sitemap.xml");
        assert!(sitemap.contains("<loc>https://e.org/x/</loc>"));
        assert!(sitemap.contains("<loc>https://e.org/x/the-stopwatch/</loc>"));
        assert!(text(&files, "robots.txt").ends_with("Sitemap: https://e.org/x/sitemap.xml\n"));
        let worker = text(&files, "worker.js");
        for path in ["''", "'the-stopwatch/'", "'print/'", "'offline/'"] {
            assert_eq!(worker.matches(&format!("\n  {path}: '")).count(), 1, "{path}");
        }
    }

    #[test]
    fn without_an_address_there_is_no_sitemap_and_while_serving_nothing_is_kept() {
        let files = written("/x/", "<script>'/.well-known/trunk/ws'</script>", None);
        assert!(
            !files.contains_key("sitemap.xml") && !text(&files, "robots.txt").contains("Sitemap")
        );
        assert!(text(&files, "llms.txt").contains("](/x/the-stopwatch/index.md)"));
        assert!(!text(&files, "index.html").contains("data-worker"));
        assert!(!files.contains_key("preview.png"));
    }
}
