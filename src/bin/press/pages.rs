//! The pages of the book: chapters, the front page, and the page for what is not there.

use crate::contents::{chapters, parts, span};
use crate::template::{Page, Template};
use crate::text::{escaped, lower_first};
use crate::{reader, words, worker};
use delivery_book::{Book, Chapter, Part, Reference};
use std::fmt::Write as _;

pub(crate) fn chapter_page(template: &Template, book: &Book, i: usize) -> String {
    let chapter = &book.chapters[i];
    let part = book.parts.iter().find(|part| part.id == chapter.part);
    let mut main = format!(
        "<p class=\"eyebrow\">{}</p>\n<h1>{}</h1>\n",
        words::eyebrow(chapter.number, &escaped(part.map_or("", |part| &part.title))),
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
    main.push_str(&meanings(book, chapter));
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
        turn(before, "prev", words::BEFORE) + &turn(book.chapters.get(i + 1), "next", words::NEXT);
    if !turns.is_empty() {
        let _ =
            writeln!(main, "<nav class=\"turn\" aria-label=\"{}\">{turns}</nav>", words::AROUND);
    }
    let head = if chapter.chooser {
        let (base, (name, _)) = (&template.base, reader::chooser());
        format!("<script type=\"module\" src=\"{base}{name}\"></script>\n")
    } else {
        String::new()
    };
    template.fill(&Page {
        title: &format!("{} · {}", chapter.short, book.title),
        description: &chapter.summary,
        path: &format!("{}/", chapter.slug),
        root: "../",
        head: &head,
        body: body(book, "../", Some(&chapter.slug), "chapter", &main),
    })
}

/// What the terms mean that a chapter explains, for the script that shows it where they stand.
fn meanings(book: &Book, chapter: &Chapter) -> String {
    let mut out = String::new();
    for anchor in &chapter.terms {
        if let Some(meaning) = book.meaning(anchor) {
            let _ = writeln!(
                out,
                "<template data-means=\"{}\">{}</template>",
                escaped(anchor),
                meaning.html
            );
        }
    }
    out
}

/// A page to look something up.
pub(crate) fn reference_page(template: &Template, book: &Book, reference: &Reference) -> String {
    let main = format!(
        "<p class=\"eyebrow\">{}</p>\n<h1>{}</h1>\n<p class=\"lead\">{}</p>\n{}",
        words::REFERENCE,
        escaped(reference.title),
        escaped(reference.summary),
        reference.html
    );
    template.fill(&Page {
        title: &format!("{} · {}", reference.short, book.title),
        description: reference.summary,
        path: &format!("{}/", reference.slug),
        root: "../",
        head: "",
        body: body(book, "../", Some(reference.slug), "reference", &main),
    })
}

pub(crate) fn front_page(template: &Template, book: &Book) -> String {
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
            "<p class=\"start\"><a href=\"{}/\">{} {}</a></p>",
            chapter.slug,
            words::BEGIN,
            escaped(&chapter.short)
        );
    }
    for (title, promise, chapters) in parts(book) {
        let _ = writeln!(main, "<h2>{}{}</h2>\n<ol class=\"toc\">", escaped(title), span(promise));
        for c in chapters {
            let _ = writeln!(
                main,
                "<li data-chapter=\"{}\"><span class=\"n\">{}</span><a href=\"{}/\">{}</a><p>{}</p></li>",
                c.slug,
                c.number,
                c.slug,
                escaped(&c.title),
                escaped(&c.summary)
            );
        }
        main.push_str("</ol>\n");
    }
    if !book.references.is_empty() {
        let _ = writeln!(main, "<h2>{}</h2>\n<ul class=\"toc\">", words::REFERENCE);
        for r in &book.references {
            let _ = writeln!(
                main,
                "<li><a href=\"{}/\">{}</a><p>{}</p></li>",
                r.slug,
                escaped(r.short),
                escaped(r.summary)
            );
        }
        main.push_str("</ul>\n");
    }
    template.fill(&Page {
        title: &format!("{}: {}", book.title, lower_first(&book.claim)),
        description: &book.about,
        path: "",
        root: "./",
        head: "",
        body: body(book, "./", None, "front", &main),
    })
}

/// The page of an address that leads nowhere. It may be asked for at any depth, so it is whole where the site has an absolute base, or
/// where its address is known.
pub(crate) fn missing_page(template: &Template, book: &Book) -> String {
    let root = template.absolute();
    let main = format!(
        "<h1>{}</h1>\n<p class=\"lead\">{}</p>\n<p class=\"meant\" role=\"status\" hidden>{} </p>\n\
         <p><a href=\"{root}\">{}</a></p>\n",
        words::MISSING,
        words::MISSING_WHY,
        words::MEANT,
        words::TO_FRONT,
    );
    template.fill(&Page {
        title: &format!("{} · {}", words::MISSING_TITLE, book.title),
        description: &book.about,
        path: "404.html",
        root: &root,
        head: &reader::missing(&template.base),
        body: body(book, &root, None, "front", &main),
    })
}

/// The page that stands for one that is not kept while there is no network.
pub(crate) fn offline_page(template: &Template, book: &Book) -> String {
    template.fill(&Page {
        title: &format!("{} · {}", words::OFFLINE, book.title),
        description: &book.about,
        path: worker::OFFLINE,
        root: "../",
        head: "<meta name=\"robots\" content=\"noindex\">\n",
        body: body(
            book,
            "../",
            None,
            "front",
            &format!("<h1>{}</h1>\n<p class=\"lead\">{}</p>\n", words::OFFLINE, words::OFFLINE_WHY),
        ),
    })
}

/// All that stands in the body of a page. `root` is the way to the front page, `current` the page's name in addresses.
pub(crate) fn body(
    book: &Book,
    root: &str,
    current: Option<&str>,
    class: &str,
    main: &str,
) -> String {
    let home = format!("<a class=\"home\" href=\"{root}\">{}</a>", escaped(&book.title));
    let list = format!(
        "<nav class=\"chapters\" aria-label=\"{}\">\n{}</nav>\n\
         <div class=\"contents-foot\"><p class=\"how-far\" hidden></p><a href=\"{root}print/\">{}</a></div>",
        words::CHAPTERS,
        chapters(book, root, current),
        words::WHOLE
    );
    format!(
        "<a class=\"skip\" href=\"#content\">{}</a>\n\
         <div class=\"shell\">\n\
         <header class=\"top\">{home}{seek}\
         <details class=\"contents\"><summary>{}</summary>{list}{}</details></header>\n\
         <header class=\"book\">{home}{seek}\n{list}{}</header>\n\
         <div class=\"page\">\n\
         <main id=\"content\" class=\"{class}\">\n{main}</main>\n\
         <footer class=\"foot\">\n\
         <p>{}</p>\n\
         <p><a href=\"{root}embed/\">{}</a></p>\n\
         <p>{} {}</p>\n\
         </footer>\n</div>\n</div>",
        words::SKIP,
        words::CONTENTS,
        reader::scheme("top"),
        reader::scheme("book"),
        words::checked(&escaped(&book.checked_against)),
        words::EMBED,
        words::QUIET,
        words::terms(&env!("CARGO_PKG_LICENSE").replace(" OR ", " or ")),
        seek = reader::seek(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::tests::{template, the_book};

    #[test]
    fn the_pages_of_the_book_are_whole() {
        let book = the_book();
        let template = template("/x/", "");
        let place = book.chapters.iter().position(|c| c.slug == "the-stopwatch").unwrap();
        let chapter = chapter_page(&template, book, place);
        let front = front_page(&template, book);
        let missing = missing_page(&template, book);
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
        let means = "<template data-means=\"stream\">";
        assert_eq!(chapter.matches(means).count(), 1, "what a term means is there once");
        for reference in &book.references {
            let page = reference_page(&template, book, reference);
            let (slug, short) = (reference.slug, reference.short);
            let mark = format!("<a href=\"../{slug}/\" aria-current=\"page\">{short}</a>");
            assert_eq!(page.matches(&mark).count(), 2, "{slug}");
            assert!(front.contains(&format!("<a href=\"{slug}/\">{short}</a>")), "{slug}");
            assert!(!page.contains(" style="), "{slug}");
        }
        assert!(chapter.contains("<a href=\"../embed/\">"));
        assert!(missing.contains("<a href=\"/x/embed/\">"));
        assert!(missing.contains("<a href=\"/x/\">To the front page</a>"));
        assert!(missing.contains("<a href=\"/x/the-stopwatch/\">"));
    }
}
