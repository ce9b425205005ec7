//! Labs made for an iframe: a lean page for each, the page that leads to them, and the scripts of both sides of the frame.
//!
//! A static host cannot see a query, so each lab has an address of its own, `embed/x/?ack_wait=8s`; the page `embed/`
//! sends `embed/?lab=x&ack_wait=8s` there, and says which labs there are.

use crate::reader::script;
use crate::template::{Page, Template};
use crate::text::escaped;
use crate::words;
use delivery_book::{Book, Chapter, Part};
use delivery_figure::lab::Lab;
use std::fmt::Write as _;

/// Runs in the page of a lab, before anything is painted.
const FRAME: &str = include_str!("../../../embed/frame.js");
/// Runs in the page that leads to the labs.
const CHOOSE: &str = include_str!("../../../embed/choose.js");
/// May run in the page around a frame; hosts name it, so its address stays.
const HOST: &str = include_str!("../../../embed/host.js");

/// Every file, by its place from the front page.
pub(crate) fn files(template: &Template, book: &Book) -> Vec<(String, String)> {
    let mut files = vec![
        (script("frame", FRAME), FRAME.into()),
        (script("choose", CHOOSE), CHOOSE.into()),
        ("embed.js".into(), HOST.into()),
        ("embed/index.html".into(), list_page(template, book)),
    ];
    for lab in book.labs() {
        files.push((format!("embed/{}/index.html", lab.slug), lab_page(template, book, lab)));
    }
    files
}

/// The chapter that shows a lab.
fn chapter<'a>(book: &'a Book, lab: &Lab) -> Option<&'a Chapter> {
    let shows = |part: &Part| matches!(part, Part::Lab(slug) if *slug == lab.slug);
    book.chapters.iter().find(|chapter| chapter.parts.iter().any(shows))
}

/// A lab and nothing else but one line that leads to its chapter.
fn lab_page(template: &Template, book: &Book, lab: &Lab) -> String {
    let base = &template.base;
    let place = chapter(book, lab).map_or_else(String::new, |chapter| format!("{}/", chapter.slug));
    let head = format!(
        "<meta name=\"robots\" content=\"noindex\">\n\
         <meta name=\"lab-places\" data-embed=\"{base}embed/\" data-chapter=\"{base}{place}\">\n\
         <link rel=\"canonical\" href=\"{base}{place}\">\n\
         <script src=\"{base}{}\"></script>\n",
        script("frame", FRAME)
    );
    let title = escaped(&book.title);
    let whence = chapter(book, lab).map_or_else(
        || title.clone(),
        |chapter| format!("{title}, chapter {}: {}", chapter.number, escaped(&chapter.short)),
    );
    // For those who go from heading to heading the page has a first one; to the eye the lab's own is it.
    let body = format!(
        "<main id=\"content\" class=\"embed\">\n<h1>{title}</h1>\n{}\n\
         <p class=\"from\">{} <a href=\"../../{place}#{}\" target=\"_blank\" rel=\"noopener\">{whence}</a></p>\n</main>",
        delivery_lab::view::render(lab, true),
        words::FROM,
        lab.slug
    );
    template.fill(&Page {
        title: &format!("{} · {}", lab.title, book.title),
        description: &lab.question.replace('`', ""),
        path: &format!("embed/{}/", lab.slug),
        root: "../../",
        head: &head,
        body,
    })
}

/// The labs that there are, and what a page needs that wants to show one.
fn list_page(template: &Template, book: &Book) -> String {
    let slugs: Vec<&str> = book.labs().map(|lab| lab.slug.as_str()).collect();
    let head = format!(
        "<meta name=\"robots\" content=\"noindex\">\n<script src=\"{}{}\" data-labs=\"{}\"></script>\n",
        template.base,
        script("choose", CHOOSE),
        slugs.join(" ")
    );
    let mut main = String::from("<p class=\"unknown\" role=\"status\" hidden></p>\n<ul>\n");
    main.insert_str(0, &format!("<h1>{}</h1>\n", words::FIGURES));
    for lab in book.labs() {
        let _ = write!(main, "<li><a href=\"{}/\">{}</a>", lab.slug, escaped(&lab.title));
        if let Some(chapter) = chapter(book, lab) {
            let _ = write!(
                main,
                ", from <a href=\"../{}/#{}\">{}</a>",
                chapter.slug,
                lab.slug,
                escaped(&chapter.short)
            );
        }
        main.push_str("</li>\n");
    }
    let example = slugs.first().copied().unwrap_or_default();
    // The script puts the real address in the place of the dots.
    let here = "<span class=\"here\">https://…/embed/</span>";
    let _ = write!(
        main,
        "</ul>\n\
         <p>Set a figure as you want it shown, and choose <em>as iframe</em> below it: what is copied goes into your page. It \
         has the settings in its address, starts paused, and loads when it comes near:</p>\n\
         <pre tabindex=\"0\"><code>&lt;iframe\n  src=\"{here}{example}/?t=2s\"\n  title=\"…\" width=\"100%\" height=\"900\"\n  \
         loading=\"lazy\" allow=\"clipboard-write\"&gt;&lt;/iframe&gt;</code></pre>\n\
         <p>Further keys of the address: <code>theme=dark</code> or <code>theme=light</code>, where the reader’s own choice \
         does not fit your slides.</p>\n\
         <p>So that each figure has exactly the height it needs, and Escape brings the focus back from it, add one script of \
         a few lines, once and anywhere:</p>\n\
         <pre tabindex=\"0\"><code>&lt;script src=\"<span class=\"here\" data-file=\"../embed.js\">https://…/embed.js</span>\" \
         async&gt;&lt;/script&gt;</code></pre>\n\
         <p>Or listen yourself: a figure posts <code>{{ type: \"delivery-lab\", lab, height }}</code> to the page around it when \
         it opens and when its height changes, and <code>{{ type: \"delivery-lab\", escape: true }}</code> on Escape. \
         Nothing else leaves it. In a <code>sandbox</code> it needs <code>allow-scripts allow-same-origin</code>; without \
         the second it runs only if the host of this book sends <code>Access-Control-Allow-Origin: *</code>, and else \
         shows the default’s picture and account.</p>\n\
         <p><a href=\"../\">{}</a></p>\n",
        escaped(&book.title)
    );
    template.fill(&Page {
        title: &format!("{} · {}", words::FIGURES, book.title),
        description: words::FIGURES_WHAT,
        path: "embed/",
        root: "../",
        head: &head,
        body: format!("<main id=\"content\">\n{main}</main>"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::tests::{template, the_book};

    fn written(base: &str) -> Vec<(String, String)> {
        files(&template(base, ""), the_book())
    }

    fn file<'a>(files: &'a [(String, String)], name: &str) -> &'a str {
        &files.iter().find(|(path, _)| path == name).unwrap_or_else(|| panic!("no {name}")).1
    }

    #[test]
    fn every_lab_has_a_lean_page_that_finds_its_files() {
        for (base, found) in [("./", "../../"), ("/x/", "/x/")] {
            let files = written(base);
            for slug in ["crash-redelivery", "batch-ageing", "slow-or-dead"] {
                let page = file(&files, &format!("embed/{slug}/index.html"));
                for part in [
                    format!("<script src=\"{found}{}\"></script>", script("frame", FRAME)),
                    format!("<link rel=\"canonical\" href=\"{found}the-stopwatch/\">"),
                    format!("data-embed=\"{found}embed/\" data-chapter=\"{found}the-stopwatch/\""),
                    format!("data-wasm=\"{found}lab-1.wasm\""),
                    "<meta name=\"robots\" content=\"noindex\">".into(),
                    "content=\"default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; ".into(),
                    format!("<section id=\"{slug}\""),
                    "<h1>Delivery Lab</h1>".into(),
                    format!("href=\"../../the-stopwatch/#{slug}\" target=\"_blank\" rel=\"noopener\""),
                    "name=\"lab-places\"".into(),
                    // Bare keys: it is the only lab, so it is the first.
                    " data-first".into(),
                ] {
                    assert_eq!(page.matches(&part).count(), 1, "{base} {slug}: {part}\n{page}");
                }
                // No chrome, and the policy allows no style attributes.
                for none in [
                    "<header class=\"top\"",
                    "<nav",
                    "class=\"skip\"",
                    "class=\"foot\"",
                    " style=",
                    "autofocus",
                ] {
                    assert!(!page.contains(none), "{slug}: {none}");
                }
            }
        }
    }

    #[test]
    fn the_page_without_a_lab_lists_all_and_says_how() {
        let files = written("./");
        let page = file(&files, "embed/index.html");
        let choose = format!(
            "<script src=\"../{}\" data-labs=\"{}\"></script>",
            script("choose", CHOOSE),
            the_book().labs().map(|lab| lab.slug.as_str()).collect::<Vec<_>>().join(" ")
        );
        for part in [
            choose.as_str(),
            "<a href=\"crash-redelivery/\">A worker that dies halfway through</a>",
            "<a href=\"../the-stopwatch/#slow-or-dead\">",
        ] {
            assert_eq!(page.matches(part).count(), 1, "{part}\n{page}");
        }
    }

    #[test]
    fn the_scripts_are_there_under_the_names_that_pages_use() {
        let files = written("./");
        assert!(file(&files, &script("frame", FRAME)).contains("postMessage"));
        assert!(file(&files, &script("choose", CHOOSE)).contains("location.replace"));
        let host = file(&files, "embed.js");
        assert!(host.contains("source") && host.len() <= 1_024, "{} bytes", host.len());
    }
}
