//! Lists of what is in the book: parts, chapters, and the sections of the one that is open.

use crate::text::escaped;
use crate::words;
use delivery_book::{Book, Chapter, Heading};
use std::fmt::Write as _;

/// Most sections of a page that is no chapter.
const MOST: usize = 12;

/// The chapters by part and the further pages; within the current one its sections.
pub(crate) fn chapters(book: &Book, root: &str, current: Option<&str>) -> String {
    let mut out = String::new();
    for (title, promise, chapters) in parts(book) {
        let _ = writeln!(out, "<p class=\"part\">{}{}</p>\n<ol>", escaped(title), span(promise));
        for c in chapters {
            let (mark, inner) = mark(current, &c.slug, &c.headings);
            let _ = writeln!(
                out,
                "<li data-chapter=\"{}\"><a href=\"{root}{}/\"{mark}><span class=\"n\">{}</span>{}</a>{inner}</li>",
                c.slug,
                c.slug,
                c.number,
                escaped(&c.short)
            );
        }
        out.push_str("</ol>\n");
    }
    if !book.references.is_empty() {
        let _ = writeln!(out, "<p class=\"part\">{}</p>\n<ol>", words::REFERENCE);
        for r in &book.references {
            // A long list is on the page itself.
            let groups = r.headings.iter().filter(|heading| heading.level == 2).count();
            let headings = if groups <= MOST { &r.headings[..] } else { &[] };
            let (mark, inner) = mark(current, r.slug, headings);
            let _ = writeln!(
                out,
                "<li><a href=\"{root}{}/\"{mark}>{}</a>{inner}</li>",
                r.slug,
                escaped(r.short)
            );
        }
        out.push_str("</ol>\n");
    }
    out
}

/// What marks the link to the current page, and its sections.
fn mark(current: Option<&str>, slug: &str, headings: &[Heading]) -> (&'static str, String) {
    if current == Some(slug) {
        (" aria-current=\"page\"", sections(headings))
    } else {
        ("", String::new())
    }
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
    format!("<ol aria-label=\"{}\">{}</ol>", words::ON_THIS_PAGE, links.concat())
}

/// The parts that have chapters: title, promise, chapters.
pub(crate) fn parts(book: &Book) -> impl Iterator<Item = (&str, &str, Vec<&Chapter>)> {
    book.parts.iter().filter_map(|part| {
        let chapters: Vec<&Chapter> = book.chapters.iter().filter(|c| c.part == part.id).collect();
        (!chapters.is_empty()).then_some((part.title.as_str(), part.promise.as_str(), chapters))
    })
}

/// The promise of a part behind its title.
pub(crate) fn span(promise: &str) -> String {
    if promise.is_empty() { String::new() } else { format!(" <span>{}</span>", escaped(promise)) }
}
