//! The index of the search: every section of the book with its words, in one file that is fetched when somebody searches.
//!
//! A line that begins with `#` is a page: its kind, its place, its name in lists and its title. The lines after it are its sections:
//! anchor, heading, text, further words; between fields is a tab. The text is the beginning of every paragraph, so that a result can
//! show what was found; of the rest there is each word once, without those that say nothing. That halves the file.

use crate::markup::{Element, Node, main_of, words as said};
use crate::words;
use delivery_book::Book;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Of each paragraph so many bytes stand in the index as they are.
const BEGINNING: usize = 200;
/// Words that say nothing.
const QUIET: &str = " a an and are as at be been but by can do does for from had has have he her his how i if in into is it its may more \
                     my no not of on one only or other out over own she so such than that the their them then there these they this \
                     those through to up was we were what when where which while who why will with you your ";

/// A page that can be found.
pub(crate) struct Found<'a> {
    /// Whether it is a chapter (`c`), symptoms (`y`), settings (`s`), terms (`g`) or something else (`o`).
    pub(crate) kind: char,
    /// Where it is, seen from the front page.
    pub(crate) path: &'a str,
    /// Its name in lists.
    pub(crate) name: &'a str,
    /// Its title.
    pub(crate) title: &'a str,
    /// The finished page.
    pub(crate) html: &'a str,
}

/// The index of these pages.
pub(crate) fn index(pages: &[Found<'_>], book: &Book) -> String {
    let mut out = String::new();
    for page in pages {
        let _ = writeln!(
            out,
            "#{}\t{}\t{}\t{}",
            page.kind,
            page.path,
            plain(page.name),
            plain(page.title)
        );
        let mut sections = vec![Section::default()];
        gather(&main_of(page.html), book, &mut sections);
        // The beginning of a page stands for the page, even where it has no words.
        for Section { anchor, heading, text, rest } in sections {
            let more = further(&rest, &format!("{heading} {text}"));
            let _ = writeln!(out, "{anchor}\t{}\t{}\t{more}", plain(&heading), plain(&text));
        }
    }
    out
}

/// A stretch of a page from one anchor to the next.
#[derive(Default)]
struct Section {
    anchor: String,
    heading: String,
    /// The beginnings of its paragraphs.
    text: String,
    /// What comes after each.
    rest: String,
}

/// The words of a text that say something and are not among those of another.
fn further(text: &str, known: &str) -> String {
    fn all(text: &str) -> impl Iterator<Item = &str> {
        text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| word.len() > 1)
    }
    let mut words: BTreeMap<String, &str> =
        all(text).map(|word| (word.to_lowercase(), word)).collect();
    for word in all(known) {
        words.remove(&word.to_lowercase());
    }
    words.retain(|word, _| !QUIET.contains(&format!(" {word} ")));
    words.into_values().collect::<Vec<_>>().join(" ")
}

/// A text in one field.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn gather(nodes: &[Node<'_>], book: &Book, sections: &mut Vec<Section>) {
    for node in nodes {
        match node {
            Node::Text(text) => add(sections, text),
            Node::Lab(slug) => {
                let Some(lab) = book.lab(slug) else { continue };
                let answers = lab.answers.iter().map(|answer| answer.text.clone());
                let goals = lab.goals.iter().map(|goal| goal.text.clone());
                let knobs = lab.knobs.iter().map(|knob| {
                    if knob.label.is_empty() { knob.name.as_str() } else { knob.label.as_str() }
                });
                let knobs = format!("{} {}.", words::TURNED, knobs.collect::<Vec<_>>().join(", "));
                let text = std::iter::once(lab.question.replace('`', ""))
                    .chain(answers)
                    .chain(std::iter::once(knobs))
                    .chain(goals)
                    .collect::<Vec<_>>()
                    .join(" ")
                    .replace('`', "");
                // What follows it belongs to the section that it stands in.
                let place = sections.len() - 1;
                sections.insert(
                    place,
                    Section {
                        anchor: (*slug).to_owned(),
                        heading: lab.title.clone(),
                        text,
                        ..Section::default()
                    },
                );
            }
            Node::Element(element) => gather_element(element, book, sections),
        }
    }
}

fn gather_element(element: &Element<'_>, book: &Book, sections: &mut Vec<Section>) {
    let begins =
        matches!(element.name, "h2" | "h3" | "h4" | "dt" | "tr" | "details" | "div" | "section");
    match (element.name, element.attribute("id").filter(|_| begins)) {
        // The title is in the line of the page; code is not what one searches a book for.
        ("h1" | "pre" | "label", _) => {}
        // Nor what stands above a title, and where an entry leads.
        _ if element.has_class("eyebrow") || element.has_class("see") => {}
        ("tr", Some(anchor)) => {
            let (first, rest) = element.children.split_at(1.min(element.children.len()));
            sections.push(Section { anchor, heading: said(first), ..Section::default() });
            gather(rest, book, sections);
        }
        // Its summary, its term or a heading in it is its heading.
        ("details" | "div" | "section", Some(anchor)) => {
            sections.push(Section { anchor, ..Section::default() });
            gather(&element.children, book, sections);
        }
        (_, Some(anchor)) => {
            sections.push(Section {
                anchor,
                heading: said(&element.children),
                ..Section::default()
            });
        }
        ("summary" | "dt" | "h3", None)
            if sections
                .last()
                .is_some_and(|last| last.heading.is_empty() && !last.anchor.is_empty()) =>
        {
            if let Some(last) = sections.last_mut() {
                last.heading = said(&element.children);
            }
        }
        _ if is_leaf(element) => {
            add(sections, &said(std::slice::from_ref(&Node::Element(element.clone()))));
        }
        _ => gather(&element.children, book, sections),
    }
}

/// Whether there is nothing in an element but one run of words.
fn is_leaf(element: &Element<'_>) -> bool {
    matches!(
        element.name,
        "p" | "a" | "span" | "em" | "strong" | "code" | "td" | "th" | "figcaption"
    )
}

/// Adds a paragraph.
fn add(sections: &mut [Section], text: &str) {
    let text = plain(text);
    let Some(last) = sections.last_mut().filter(|_| !text.is_empty()) else { return };
    let (beginning, rest) = text.split_at(cut(&text));
    last.text.push_str(beginning);
    last.text.push(' ');
    last.rest.push_str(rest);
    last.rest.push(' ');
}

/// Where the beginning of a paragraph ends: with a sentence, else with a word.
fn cut(text: &str) -> usize {
    if text.len() <= BEGINNING + BEGINNING / 5 {
        return text.len();
    }
    let start = &text[..text.floor_char_boundary(BEGINNING)];
    let sentence = start.rfind(". ").filter(|&at| at > BEGINNING * 2 / 5);
    sentence.or_else(|| start.rfind(' ')).map_or(start.len(), |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::tests::the_book;

    #[test]
    fn every_section_has_a_line() {
        let book = the_book();
        let html = "<main id=\"content\"><p class=\"eyebrow\">Chapter 8</p><h1>Title</h1><p>Begins <em>here</em>.</p>\
            <h2 id=\"a\">A &amp; B<a class=\"anchor\" href=\"#a\">#</a></h2><p>One\n line.</p><pre><code>code</code></pre>\
            <section id=\"crash-redelivery\" data-lab=\"x\">no</section><ul><li>Two</li></ul>\
            <table><tr id=\"ack_wait\"><td><code>ack_wait</code></td><td>How long</td></tr></table>\
            <dl><div id=\"floor\"><dt>Ack floor</dt><dd>Below it.</dd></div></dl></main>";
        let page = Found { kind: 'c', path: "x/", name: "X", title: "Title", html };
        let index = index(&[page], book);
        let lines: Vec<&str> = index.lines().collect();
        assert_eq!(lines[0], "#c\tx/\tX\tTitle");
        assert_eq!(lines[1], "\t\tBegins here.\t");
        assert!(
            lines[2].starts_with("crash-redelivery\tA worker that dies halfway through\t"),
            "{}",
            lines[2]
        );
        assert!(lines[2].contains("ack_wait"), "its settings are found");
        assert_eq!(
            lines[3..],
            [
                "a\tA & B\tOne line. Two\t",
                "ack_wait\tack_wait\tHow long\t",
                "floor\tAck floor\tBelow it.\t"
            ]
        );
    }

    #[test]
    fn the_fields_of_a_line_stay_apart() {
        assert_eq!(plain(" a\tb\n c "), "a b c");
    }

    #[test]
    fn of_a_long_paragraph_the_rest_is_its_words() {
        let long = format!(
            "{} Then Pulls are pending, and num_pending says so. Pulls!",
            "It begins so. ".repeat(18).trim()
        );
        let mut sections = vec![Section::default()];
        add(&mut sections, &long);
        let [Section { text, rest, .. }] = &sections[..] else { panic!() };
        assert!(text.ends_with("so. ") && text.len() <= BEGINNING + 1, "{text}");
        assert_eq!(further(rest, text), "num_pending pending Pulls says");
        assert_eq!(cut("ä".repeat(400).as_str()) % 2, 0, "within no letter");
    }
}
