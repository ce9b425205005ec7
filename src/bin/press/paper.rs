//! The whole book as one page, to be printed: every chapter with its figures as they are on paper.

use crate::contents::parts;
use crate::pages::body;
use crate::template::{Page, Template};
use crate::text::{coded, escaped};
use crate::words;
use delivery_book::{Book, Chapter, Part};
use delivery_figure::lab::Lab;
use std::fmt::Write as _;

/// Where it is.
pub(crate) const PATH: &str = "print/";

/// The page.
pub(crate) fn page(template: &Template, book: &Book) -> String {
    let mut main = format!(
        "<h1>{}</h1>\n<p class=\"lead\">{}.</p>\n<p>{}</p>\n<p class=\"scripted\"><button type=\"button\" class=\"to-paper\">{}</button></p>\n",
        escaped(&book.title),
        escaped(&book.claim),
        escaped(&book.about),
        words::PRINT
    );
    let _ = writeln!(main, "<nav class=\"on-paper\" aria-label=\"{}\">", words::CONTENTS);
    for (title, _, chapters) in parts(book) {
        let _ = writeln!(main, "<p>{}</p>\n<ol>", escaped(title));
        for c in chapters {
            let _ = writeln!(
                main,
                "<li value=\"{}\"><a href=\"#{}\">{}</a></li>",
                c.number,
                c.slug,
                escaped(&c.title)
            );
        }
        main.push_str("</ol>\n");
    }
    main.push_str("</nav>\n");
    for each in &book.chapters {
        chapter(&mut main, book, each);
    }
    template.fill(&Page {
        title: &format!("{} · {}", words::WHOLE, book.title),
        description: &book.about,
        path: PATH,
        root: "../",
        head: "<meta name=\"robots\" content=\"noindex\">\n",
        body: body(book, "../", None, "paper", &main),
    })
}

fn chapter(out: &mut String, book: &Book, chapter: &Chapter) {
    let part = book.parts.iter().find(|part| part.id == chapter.part);
    let _ = writeln!(
        out,
        "<header class=\"chapter\" id=\"{}\">\n<p class=\"eyebrow\">{}</p>\n<h2>{}</h2>\n</header>",
        chapter.slug,
        words::eyebrow(chapter.number, &escaped(part.map_or("", |part| &part.title))),
        escaped(&chapter.title)
    );
    for part in &chapter.parts {
        match part {
            Part::Html(html) => out.push_str(&moved(html, &chapter.slug, book)),
            Part::Lab(slug) => {
                if let Some(lab) = book.lab(slug) {
                    figure(out, lab, &chapter.slug);
                }
            }
        }
    }
}

/// The HTML of a chapter as a part of the whole: headings one level down, anchors with the chapter before them, and links within
/// the book to where the words are here. What leads to a figure with its settings leads to the live one.
fn moved(html: &str, slug: &str, book: &Book) -> String {
    let html = html
        .replace("<h3", "<h4")
        .replace("</h3>", "</h4>")
        .replace("<h2", "<h3")
        .replace("</h2>", "</h3>");
    let mut out = String::with_capacity(html.len() + html.len() / 8);
    let mut rest = html.as_str();
    while let Some(at) = rest.find([' ', '\n']) {
        let (before, after) = rest.split_at(at + 1);
        out.push_str(before);
        rest = after;
        for name in [
            "id",
            "href",
            "for",
            "data-in",
            "aria-describedby",
            "aria-labelledby",
            "aria-controls",
            "popovertarget",
        ] {
            let Some(value) = rest.strip_prefix(name).and_then(|rest| rest.strip_prefix("=\""))
            else {
                continue;
            };
            let (value, after) = value.split_once('"').unwrap_or((value, ""));
            let _ = write!(
                out,
                "{name}=\"{}\"",
                if name == "href" { link(value, slug, book) } else { inside(slug, value) }
            );
            rest = after;
            break;
        }
    }
    out + rest
}

/// An anchor of a chapter in the whole.
fn inside(slug: &str, anchor: &str) -> String {
    let all: Vec<String> = anchor.split(' ').map(|one| format!("{slug}--{one}")).collect();
    all.join(" ")
}

fn link(href: &str, slug: &str, book: &Book) -> String {
    if let Some(anchor) = href.strip_prefix('#') {
        return format!("#{}", inside(slug, anchor));
    }
    if href.starts_with('?') {
        return format!("../{slug}/{href}");
    }
    let here = |other: &str| book.chapters.iter().any(|chapter| chapter.slug == other);
    match href.strip_prefix("../").and_then(|rest| rest.split_once('/')) {
        Some((other, _)) if !here(other) => href.to_owned(),
        Some((other, "")) => format!("#{other}"),
        Some((other, rest)) if rest.starts_with('#') => format!("#{}", inside(other, &rest[1..])),
        _ => href.to_owned(),
    }
}

/// A lab as it is on paper.
fn figure(out: &mut String, lab: &Lab, slug: &str) {
    let on_paper = delivery_lab::printed::printed(lab, true);
    let _ = writeln!(
        out,
        "<figure class=\"lab paper-lab\" id=\"{}\">\n<figcaption><b>{}</b> {}</figcaption>",
        inside(slug, &lab.slug),
        escaped(&lab.title),
        coded(&lab.question)
    );
    if !lab.answers.is_empty() {
        out.push_str("<ul class=\"choices\">\n");
        for answer in &lab.answers {
            let _ = writeln!(out, "<li>{}</li>", coded(&answer.text));
        }
        out.push_str("</ul>\n");
    }
    for (name, svg) in &on_paper.pictures {
        if !name.is_empty() {
            let _ = writeln!(out, "<p class=\"which\">{}</p>", escaped(name));
        }
        let _ = writeln!(out, "<div class=\"view\">{svg}</div>");
    }
    let _ = writeln!(out, "<p class=\"told\">{}</p>", coded(&on_paper.account));
    if let Some(right) = on_paper.right {
        let answer = &lab.answers[right];
        let _ = writeln!(
            out,
            "<p class=\"told\">{} {}. {}</p>",
            words::WHAT_HAPPENS,
            coded(answer.text.trim_end_matches('.')),
            coded(&answer.say)
        );
    }
    out.push_str("</figure>\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::tests::{template, the_book};
    use std::collections::BTreeSet;

    #[test]
    fn the_whole_book_has_every_chapter_and_every_lab_once() {
        let book = the_book();
        let page = page(&template("./", ""), book);
        for chapter in &book.chapters {
            assert_eq!(
                page.matches(&format!("<header class=\"chapter\" id=\"{}\">", chapter.slug))
                    .count(),
                1
            );
        }
        for lab in book.labs() {
            assert_eq!(
                page.matches(&format!("--{}\">\n<figcaption>", lab.slug)).count(),
                1,
                "{}",
                lab.slug
            );
        }
        let main = page.split_once("<main").unwrap().1.split_once("</main>").unwrap().0;
        for none in ["data-lab", "<select", " style="] {
            assert!(!main.contains(none), "{none}");
        }
        let all: Vec<&str> =
            main.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        let ids: BTreeSet<&str> = all.iter().copied().collect();
        assert_eq!(ids.len(), all.len(), "an id stands twice");
        for href in main.split(" href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
            assert!(ids.contains(href), "nothing is at #{href}");
        }
    }

    #[test]
    fn a_chapter_moves_with_its_anchors_and_links() {
        let book = the_book();
        for (html, whole) in [
            (
                "<h2 id=\"a\">A <a class=\"anchor\" href=\"#a\">#</a></h2>",
                "<h3 id=\"c--a\">A <a class=\"anchor\" href=\"#c--a\">#</a></h3>",
            ),
            ("<h3 id=\"b\">", "<h4 id=\"c--b\">"),
            ("<a href=\"../the-lab/\">", "<a href=\"#the-lab\">"),
            ("<a href=\"../glossary/#x\">", "<a href=\"../glossary/#x\">"),
            ("<a href=\"../the-lab/#y\">", "<a href=\"#the-lab--y\">"),
            (
                "<a class=\"result\" href=\"?t=2s#lab\">",
                "<a class=\"result\" href=\"../c/?t=2s#lab\">",
            ),
            ("<a href=\"../the-lab/?l.t=2s#l\">", "<a href=\"../the-lab/?l.t=2s#l\">"),
            (
                "<a href=\"https://e.org/#a\" rel=\"x\">id=\"q\"",
                "<a href=\"https://e.org/#a\" rel=\"x\">id=\"q\"",
            ),
        ] {
            assert_eq!(moved(html, "c", book), whole);
        }
    }
}
