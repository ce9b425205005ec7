//! Lists of what is in the book: parts, chapters, and the sections of the one that is open.

use crate::text::escaped;
use crate::words;
use delivery_book::{Book, Chapter, Heading};
use std::fmt::Write as _;

/// The chapters by part; within the current one its sections.
pub(crate) fn chapters(book: &Book, root: &str, current: Option<&Chapter>) -> String {
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
                "<li data-chapter=\"{}\"><a href=\"{root}{}/\"{mark}><span class=\"n\">{}</span>{}</a>{inner}</li>",
                c.slug,
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
