//! Writes the site: every chapter, the front page and the page for what is not there, into one finished template.
//!
//! ```text
//! press [TEMPLATE]
//! ```
//!
//! The template is the `index.html` that trunk has made (`TRUNK_STAGING_DIR` names its folder in a hook; otherwise give the
//! file or its folder); pages are written beside it. The book is read from `content/` in the current folder. What is wrong
//! with either is printed, a sentence a line, and the exit code is 1; then nothing has been written.

use delivery_book::{Book, Chapter, Heading, Part};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    match press() {
        Ok(said) => {
            println!("{said}");
            ExitCode::SUCCESS
        }
        Err(sentences) => {
            for sentence in &sentences {
                eprintln!("{sentence}");
            }
            eprintln!("The site was not written: {} to mend.", count(sentences.len(), "problem"));
            ExitCode::FAILURE
        }
    }
}

fn press() -> Result<String, Vec<String>> {
    let given = std::env::args_os().nth(1).or_else(|| std::env::var_os("TRUNK_STAGING_DIR"));
    let Some(given) = given.map(PathBuf::from) else {
        return Err(vec![
            "press: name the template, the index.html that trunk has made, or its folder".into(),
        ]);
    };
    let file = if given.is_dir() { given.join("index.html") } else { given };
    let folder = file.parent().unwrap_or(Path::new("")).to_owned();
    let template = std::fs::read_to_string(&file)
        .map_err(|error| format!("{}: the template cannot be read: {error}", file.display()))
        .and_then(|text| Template::new(text).map_err(|why| format!("{}: {why}", file.display())))
        .map_err(|sentence| vec![sentence])?
        .with_one_sheet(&folder)
        .map_err(|sentence| vec![sentence])?;
    let book = Book::load(Path::new("content"))
        .map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    let write = |name: &str, text: String| {
        let path = folder.join(name);
        let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        made.and_then(|()| std::fs::write(&path, text))
            .map_err(|error| vec![format!("{}: cannot be written: {error}", path.display())])
    };
    for (i, chapter) in book.chapters.iter().enumerate() {
        write(&format!("{}/index.html", chapter.slug), chapter_page(&template, &book, i))?;
    }
    write("404.html", missing_page(&template, &book))?;
    write("index.html", front_page(&template, &book))?;
    Ok(format!("{} and the front page were written.", count(book.chapters.len(), "chapter")))
}

/// A style sheet without what only people need.
fn minified(css: &str) -> Result<String, String> {
    use lightningcss::stylesheet::{MinifyOptions, ParserOptions, PrinterOptions, StyleSheet};
    let mut sheet =
        StyleSheet::parse(css, ParserOptions::default()).map_err(|error| error.to_string())?;
    sheet.minify(MinifyOptions::default()).map_err(|error| error.to_string())?;
    let options = PrinterOptions { minify: true, ..PrinterOptions::default() };
    sheet.to_css(options).map(|out| out.code).map_err(|error| error.to_string())
}

/// FNV-1a: names a file by what is in it.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    })
}

/// What a finished page is made from.
struct Template {
    text: String,
    /// Where the site's files are, seen from its front page: `./`, or `/x/`.
    base: String,
}

const TITLE: &str = "<title></title>";
const MAIN: &str = "<main id=\"content\"></main>";

/// What one page puts into the template.
struct Page<'a> {
    title: &'a str,
    description: &'a str,
    /// The way from the page to the front page.
    root: &'a str,
    /// What stands in the body.
    body: String,
}

impl Template {
    fn new(text: String) -> Result<Self, String> {
        for part in [TITLE, MAIN, "<head>"] {
            if text.matches(part).count() != 1 {
                return Err(format!("the template needs `{part}` exactly once"));
            }
        }
        let base = text
            .split_once("data-js=\"")
            .and_then(|(_, rest)| rest.split_once('"'))
            .and_then(|(path, _)| path.rsplit_once('/'))
            .map_or_else(|| "./".to_owned(), |(base, _)| format!("{base}/"));
        Ok(Self { text, base })
    }

    /// Makes one style sheet of those in the template, minified: fewer requests, and they compress together.
    fn with_one_sheet(mut self, folder: &Path) -> Result<Self, String> {
        let mut css = String::new();
        let mut links = Vec::new();
        let open = "<link rel=\"stylesheet\" href=\"";
        for (start, _) in self.text.match_indices(open) {
            let rest = &self.text[start..];
            let (link, _) = rest.split_once('>').ok_or("a link in the template has no end")?;
            let href = link[open.len()..].split('"').next().unwrap_or_default();
            let name = href.rsplit('/').next().unwrap_or_default();
            let path = folder.join(name);
            let sheet = std::fs::read_to_string(&path).map_err(|error| {
                format!("{}: the style sheet cannot be read: {error}", path.display())
            })?;
            css.push_str(&sheet);
            css.push('\n');
            links.push((format!("{link}>"), path));
        }
        let Some((first, _)) = links.first().cloned() else { return Ok(self) };
        let css = minified(&css).map_err(|why| format!("the style sheets are not sound: {why}"))?;
        let name = format!("style-{:016x}.css", fingerprint(css.as_bytes()));
        let path = folder.join(&name);
        std::fs::write(&path, &css)
            .map_err(|error| format!("{}: cannot be written: {error}", path.display()))?;
        let link = format!("{open}{}{name}\">", self.base);
        // Pressed before, it is that sheet already.
        links.retain(|(_, old)| *old != path);
        self.text = self.text.replacen(&first, &link, 1);
        for (link, path) in &links {
            self.text = self.text.replace(link, "");
            // What is left behind only takes room; not being able to remove it harms nobody.
            let _ = std::fs::remove_file(path);
        }
        Ok(self)
    }

    fn fill(&self, page: &Page<'_>) -> String {
        let mut head = String::new();
        let mut meta = |key: &str, name: &str, rest: &str| {
            let tag = format!("<meta {key}=\"{name}\" ");
            if !self.text.contains(&tag) {
                let _ = writeln!(head, "{tag}{rest}>");
            }
        };
        meta("http-equiv", "Content-Security-Policy", &format!("content=\"{}\"", self.policy()));
        meta("name", "viewport", "content=\"width=device-width, initial-scale=1\"");
        meta("name", "description", &format!("content=\"{}\"", escaped(page.description)));
        meta("name", "color-scheme", "content=\"light dark\"");
        for (scheme, paper) in [("light", "#fbfaf6"), ("dark", "#16171a")] {
            let _ = writeln!(
                head,
                "<meta name=\"theme-color\" media=\"(prefers-color-scheme: {scheme})\" content=\"{paper}\">"
            );
        }
        let charset = "<meta charset=\"utf-8\">";
        let text = self.text.replace(charset, "").replacen(
            "<head>",
            &format!("<head>\n{charset}\n{head}"),
            1,
        );
        let text = if self.base.starts_with('.') {
            text.replace("=\"./", &format!("=\"{}", page.root))
        } else {
            text
        };
        text.replacen(TITLE, &format!("<title>{}</title>", escaped(page.title)), 1)
            .replacen(MAIN, &page.body, 1)
    }

    /// Nothing but the site's own files; with trunk's reload script in the page, that as well.
    fn policy(&self) -> String {
        let reloads = self.text.contains(".well-known/trunk/ws");
        let (script, connect) = if reloads { (" 'unsafe-inline'", " ws: wss:") } else { ("", "") };
        format!(
            "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'{script}; style-src 'self'; \
             img-src 'self' data:; connect-src 'self'{connect}; font-src 'self'; manifest-src 'self'; \
             base-uri 'none'; form-action 'none'"
        )
    }
}

fn chapter_page(template: &Template, book: &Book, i: usize) -> String {
    let chapter = &book.chapters[i];
    let part = book.parts.iter().find(|part| part.id == chapter.part);
    let mut main = format!(
        "<p class=\"eyebrow\">Chapter {}, {}</p>\n<h1>{}</h1>\n",
        chapter.number,
        escaped(part.map_or("", |part| &part.title)),
        escaped(&chapter.title)
    );
    let mut first = true;
    for part in &chapter.parts {
        match part {
            Part::Html(html) => main.push_str(html),
            Part::Lab(slug) => {
                if let Some(lab) = book.lab(slug) {
                    main.push_str(&delivery_lab::view::render(lab, first));
                    main.push('\n');
                    first = false;
                }
            }
        }
    }
    let turn = |chapter: Option<&Chapter>, class: &str, label: &str| {
        chapter.map_or_else(String::new, |c| {
            format!(
                "<a class=\"{class}\" rel=\"{class}\" href=\"../{}/\"><span>{label}</span>{}</a>",
                c.slug,
                escaped(&c.short)
            )
        })
    };
    let before = i.checked_sub(1).map(|i| &book.chapters[i]);
    let turns =
        turn(before, "prev", "Before this") + &turn(book.chapters.get(i + 1), "next", "Next");
    if !turns.is_empty() {
        let _ = writeln!(
            main,
            "<nav class=\"turn\" aria-label=\"Chapters before and after\">{turns}</nav>"
        );
    }
    template.fill(&Page {
        title: &format!("{} · {}", chapter.short, book.title),
        description: &chapter.summary,
        root: "../",
        body: body(book, "../", Some(chapter), "chapter", &main),
    })
}

fn front_page(template: &Template, book: &Book) -> String {
    let mut main = format!(
        "<h1>{}</h1>\n<p class=\"lead\">{}.</p>\n<p>{}</p>\n",
        escaped(&book.title),
        escaped(&book.claim),
        escaped(&book.about)
    );
    if let Some(lab) = book.lab(&book.figure) {
        main.push_str(&delivery_lab::view::render(lab, true));
        main.push('\n');
    }
    if let Some(chapter) = book.chapters.first() {
        let _ = writeln!(
            main,
            "<p class=\"start\"><a href=\"{}/\">Begin with {}</a></p>",
            chapter.slug,
            escaped(&chapter.short)
        );
    }
    for (title, promise, chapters) in parts(book) {
        let _ = writeln!(main, "<h2>{}{}</h2>\n<ol class=\"toc\">", escaped(title), span(promise));
        for c in chapters {
            let _ = writeln!(
                main,
                "<li><span class=\"n\">{}</span><a href=\"{}/\">{}</a><p>{}</p></li>",
                c.number,
                c.slug,
                escaped(&c.title),
                escaped(&c.summary)
            );
        }
        main.push_str("</ol>\n");
    }
    template.fill(&Page {
        title: &format!("{}: {}", book.title, lower_first(&book.claim)),
        description: &book.about,
        root: "./",
        body: body(book, "./", None, "front", &main),
    })
}

/// The page of an address that leads nowhere. It may be asked for at any depth, so it helps where the site has an absolute base.
fn missing_page(template: &Template, book: &Book) -> String {
    let main = format!(
        "<h1>There is no such page</h1>\n<p class=\"lead\">The address leads nowhere in this book. Its chapters are on \
         the <a href=\"{}\">front page</a>.</p>\n",
        template.base
    );
    template.fill(&Page {
        title: &format!("No such page · {}", book.title),
        description: &book.about,
        root: "./",
        body: body(book, &template.base, None, "front", &main),
    })
}

/// All that stands in the body of a page. `root` is the way to the front page.
fn body(book: &Book, root: &str, current: Option<&Chapter>, class: &str, main: &str) -> String {
    let title = escaped(&book.title);
    let chapters = chapters(book, root, current);
    let list = format!("<nav class=\"chapters\" aria-label=\"Chapters\">\n{chapters}</nav>");
    format!(
        "<a class=\"skip\" href=\"#content\">Skip to the text</a>\n\
         <div class=\"shell\">\n\
         <header class=\"top\"><a class=\"home\" href=\"{root}\">{title}</a>\
         <details class=\"contents\"><summary>Contents</summary>{list}</details></header>\n\
         <header class=\"book\"><a class=\"home\" href=\"{root}\">{title}</a>\n{list}</header>\n\
         <div class=\"page\">\n\
         <main id=\"content\" class=\"{class}\">\n{main}</main>\n\
         <footer class=\"foot\">\n\
         <p>The simulator behind the figures was checked against recordings of {}.</p>\n\
         <p>Nothing leaves this page: no cookies, no requests to anybody else. Text and code: {}.</p>\n\
         </footer>\n</div>\n</div>",
        escaped(&book.checked_against),
        env!("CARGO_PKG_LICENSE").replace(" OR ", " or "),
    )
}

/// The chapters by part; within the current one its sections.
fn chapters(book: &Book, root: &str, current: Option<&Chapter>) -> String {
    let mut out = String::new();
    for (title, promise, chapters) in parts(book) {
        let _ = writeln!(out, "<p class=\"part\">{}{}</p>\n<ol>", escaped(title), span(promise));
        for c in chapters {
            let here = current.filter(|current| current.slug == c.slug);
            let (mark, inner) = here.map_or((String::new(), String::new()), |c| {
                (" aria-current=\"page\"".to_owned(), sections(&c.headings))
            });
            let _ = writeln!(
                out,
                "<li><a href=\"{root}{}/\"{mark}><span class=\"n\">{}</span>{}</a>{inner}</li>",
                c.slug,
                c.number,
                escaped(&c.short)
            );
        }
        out.push_str("</ol>\n");
    }
    out
}

/// What is on this page.
fn sections(headings: &[Heading]) -> String {
    let links: Vec<String> = headings
        .iter()
        .filter(|heading| heading.level == 2)
        .map(|heading| {
            format!("<li><a href=\"#{}\">{}</a></li>", escaped(&heading.id), heading.html)
        })
        .collect();
    if links.is_empty() {
        return String::new();
    }
    format!("<ol aria-label=\"On this page\">{}</ol>", links.concat())
}

/// The parts that have chapters: title, promise, chapters.
fn parts(book: &Book) -> impl Iterator<Item = (&str, &str, Vec<&Chapter>)> {
    book.parts.iter().filter_map(|part| {
        let chapters: Vec<&Chapter> = book.chapters.iter().filter(|c| c.part == part.id).collect();
        (!chapters.is_empty()).then_some((part.title.as_str(), part.promise.as_str(), chapters))
    })
}

fn span(promise: &str) -> String {
    if promise.is_empty() { String::new() } else { format!(" <span>{}</span>", escaped(promise)) }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_lowercase().collect::<String>() + chars.as_str())
}

/// "1 chapter", "2 chapters".
fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Text for HTML, also within a quoted attribute.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(base: &str, more: &str) -> Template {
        let text = format!(
            "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title></title>\
             <meta name=\"lab-assets\" data-js=\"{base}lab-1.js\" data-wasm=\"{base}lab-1.wasm\">\
             <link rel=\"stylesheet\" href=\"{base}page-1.css\"></head>\
             <body><main id=\"content\"></main>{more}</body></html>"
        );
        Template::new(text).unwrap()
    }

    fn fill(template: &Template, root: &str) -> String {
        template.fill(&Page {
            title: "A < B",
            description: "\"C\"",
            root,
            body: "<main>x</main>".into(),
        })
    }

    #[test]
    fn a_page_finds_its_files_at_every_depth_and_base() {
        for (base, root, found) in [
            ("./", "./", "./"),
            ("./", "../", "../"),
            ("/", "../", "/"),
            ("/x/", "../", "/x/"),
            ("/x/", "./", "/x/"),
        ] {
            let template = template(base, "");
            assert_eq!(template.base, base);
            let page = fill(&template, root);
            for file in
                ["data-js=\"{}lab-1.js\"", "data-wasm=\"{}lab-1.wasm\"", "href=\"{}page-1.css\""]
            {
                assert!(page.contains(&file.replace("{}", found)), "{base} {root}: {page}");
            }
        }
    }

    #[test]
    fn a_page_says_what_it_is_and_lets_nothing_else_in() {
        let page = fill(&template("./", ""), "./");
        for part in [
            "<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; ",
            "connect-src 'self'; ",
            "<title>A &lt; B</title>",
            "<meta name=\"description\" content=\"&quot;C&quot;\">",
            "<meta name=\"color-scheme\" content=\"light dark\">",
            "<body><main>x</main></body>",
        ] {
            assert_eq!(page.matches(part).count(), 1, "{part}\n{page}");
        }
        assert_eq!(page.matches("charset").count(), 1, "{page}");
        assert!(!page.contains("unsafe-inline"), "{page}");
    }

    #[test]
    fn while_serving_the_reload_script_may_run() {
        let page = fill(&template("./", "<script>'/.well-known/trunk/ws'</script>"), "./");
        assert!(page.contains("script-src 'self' 'wasm-unsafe-eval' 'unsafe-inline';"), "{page}");
        assert!(page.contains("connect-src 'self' ws: wss:;"), "{page}");
    }

    #[test]
    fn a_template_without_its_places_is_refused() {
        for (text, sentence) in [
            (
                "<head><title></title></head>",
                "the template needs `<main id=\"content\"></main>` exactly once",
            ),
            (
                "<head></head><main id=\"content\"></main>",
                "the template needs `<title></title>` exactly once",
            ),
        ] {
            assert_eq!(Template::new(text.into()).err().as_deref(), Some(sentence));
        }
    }

    #[test]
    fn the_pages_of_the_book_are_whole() {
        let book = Book::load(Path::new("content")).unwrap();
        let template = template("/x/", "");
        let place = book.chapters.iter().position(|c| c.slug == "the-stopwatch").unwrap();
        let chapter = chapter_page(&template, &book, place);
        let front = front_page(&template, &book);
        let missing = missing_page(&template, &book);
        for page in [&chapter, &front, &missing] {
            assert!(
                page.contains("<body><a class=\"skip\" href=\"#content\">"),
                "the skip link is first"
            );
            for once in [
                "<h1>",
                "<main id=\"content\"",
                "</main>",
                "<footer class=\"foot\"",
                "name=\"description\"",
            ] {
                assert_eq!(page.matches(once).count(), 1, "{once}");
            }
            assert!(!page.contains(" style="), "the policy of the page allows no style attributes");
        }
        let labs: Vec<&str> =
            chapter.split("<section id=\"").skip(1).filter_map(|s| s.split('"').next()).collect();
        assert_eq!(labs, ["crash-redelivery", "batch-ageing", "slow-or-dead"]);
        assert_eq!(chapter.matches("data-first").count(), 1);
        // In the list beside the text and in the one that unfolds.
        let mark = "<a href=\"../the-stopwatch/\" aria-current=\"page\">";
        assert_eq!(chapter.matches(mark).count(), 2);
        assert!(front.contains("<a href=\"the-stopwatch/\">The server has no idea"));
        assert!(missing.contains("<a href=\"/x/\">front page</a>"));
        assert!(missing.contains("<a href=\"/x/the-stopwatch/\">"));
    }
}
