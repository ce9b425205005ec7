//! What a reader has around the text: the choice of light or dark, the search, what was read. The scripts of it, and its controls,
//! which are there only where scripts run.

use crate::template::fingerprint;
use crate::{words, worker};
use std::fmt::Write as _;

/// Runs before anything is painted.
const SCHEME: &str = include_str!("../../../reader/scheme.js");
/// Runs once the page has been read.
const READER: &str = include_str!("../../../reader/reader.js");
/// Is fetched when somebody searches.
const FIND: &str = include_str!("../../../reader/find.js");

/// Runs where the book has its questions.
const CHOOSER: &str = include_str!("../../../reader/chooser.js");
/// Runs on the page for what is not there.
const MISSING: &str = include_str!("../../../reader/missing.js");

/// Stands in finished pages for the name of the index, which is known when all are finished.
const INDEX: &str = "index-of-the-book.txt";

/// The name of a script, which changes with it.
pub(crate) fn script(name: &str, text: &str) -> String {
    format!("{name}-{:016x}.js", fingerprint(text.as_bytes()))
}

/// A script with the words of the interface in it.
fn worded(text: &str) -> String {
    words::SCRIPTS.iter().fold(text.to_owned(), |text, (name, words)| {
        text.replace(&format!("{{{{{name}}}}}"), &words.replace('\'', "\\'"))
    })
}

/// A script without what only people need: remarks that have lines of their own, and what lines begin with.
fn lean(text: &str) -> String {
    let remark = |line: &str| {
        line.is_empty()
            || line.starts_with("//")
            || (line.starts_with("/**") && line.ends_with("*/"))
    };
    let lines = text.lines().map(str::trim).filter(|line| !remark(line));
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// The name of a script and its text.
fn named(name: &str, text: &str) -> (String, String) {
    let text = lean(&worded(text));
    (script(name, &text), text)
}

/// Every script, by its place from the front page.
pub(crate) fn files() -> Vec<(String, String)> {
    vec![
        named("scheme", SCHEME),
        named("reader", READER),
        named("find", FIND),
        named("missing", MISSING),
        chooser(),
    ]
}

/// The script of the questions of the book.
pub(crate) fn chooser() -> (String, String) {
    named("chooser", CHOOSER)
}

/// What the page for what is not there loads besides.
pub(crate) fn missing(base: &str) -> String {
    format!("<script type=\"module\" src=\"{base}{}\"></script>\n", named("missing", MISSING).0)
}

/// The name of the index, which changes with it.
pub(crate) fn index_name(index: &str) -> String {
    format!("find-{:016x}.txt", fingerprint(index.as_bytes()))
}

/// A finished page that knows the name of the index.
pub(crate) fn with_index(page: &str, name: &str) -> String {
    page.replace(INDEX, name)
}

/// What loads the scripts, for the head of a page. One that its writer works on, and that reloads itself, is not kept.
pub(crate) fn head(base: &str, reloads: bool) -> String {
    let worker =
        if reloads { String::new() } else { format!(" data-worker=\"{base}{}\"", worker::NAME) };
    format!(
        "<script src=\"{base}{}\"></script>\n\
         <meta name=\"reader\" data-root=\"{base}\" data-find=\"{base}{}\" data-index=\"{base}{INDEX}\"{worker}>\n\
         <script type=\"module\" src=\"{base}{}\"></script>\n",
        named("scheme", SCHEME).0,
        named("find", FIND).0,
        named("reader", READER).0
    )
}

/// The button that opens the search.
pub(crate) fn seek() -> String {
    format!(
        "<button type=\"button\" class=\"seek scripted\" aria-keyshortcuts=\"/\">{}<kbd aria-hidden=\"true\">/</kbd></button>",
        words::SEARCH
    )
}

/// The choice between light and dark; `place` is unique on the page.
pub(crate) fn scheme(place: &str) -> String {
    let mut out = format!("<fieldset class=\"scheme scripted\"><legend>{}</legend>", words::SCHEME);
    for (value, label) in words::SCHEMES {
        let checked = if value.is_empty() { " checked" } else { "" };
        let _ = write!(
            out,
            "<label><input type=\"radio\" name=\"scheme-{place}\" value=\"{value}\"{checked}>{label}</label>"
        );
    }
    out + "</fieldset>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheme_is_set_by_a_script_that_waits_for_nothing() {
        let head = head("./", false);
        let (name, text) = named("scheme", SCHEME);
        assert!(head.starts_with(&format!("<script src=\"./{name}\"></script>")), "{head}");
        assert!(text.len() < 2_600, "{} bytes", text.len());
        let (top, book) = (scheme("top"), scheme("book"));
        for (choice, name) in [(&top, "scheme-top"), (&book, "scheme-book")] {
            assert_eq!(choice.matches(&format!("name=\"{name}\"")).count(), 3);
            assert_eq!(choice.matches(" checked").count(), 1);
        }
    }

    #[test]
    fn remarks_stay_with_those_who_write() {
        let text = "// A remark\n/** Another. */\nif (a) {\n  // And one.\n  f('// no remark'); // said\n}\n";
        assert_eq!(lean(text), "if (a) {\nf('// no remark'); // said\n}\n");
        for script in [SCHEME, READER, FIND, MISSING] {
            assert_eq!(script.matches('`').count() % 2, 0);
            let over_lines = script.split('`').skip(1).step_by(2).any(|text| text.contains('\n'));
            assert!(!over_lines, "a text over several lines would lose its spaces");
        }
    }

    #[test]
    fn every_word_of_a_script_is_there() {
        for (name, text) in files() {
            assert!(
                !text.contains("{{"),
                "{name}: {}",
                text.split("{{").nth(1).unwrap_or_default()
            );
        }
        let all = [SCHEME, READER, FIND].concat();
        for (name, _) in words::SCRIPTS {
            assert!(all.contains(&format!("{{{{{name}}}}}")), "no script says {name}");
        }
    }

    #[test]
    fn pages_name_the_index_that_is_written() {
        let name = index_name("#c\tx/\tX\tX\n");
        let page = with_index(&head("../", true), &name);
        assert!(page.contains(&format!("data-index=\"../{name}\"")), "{page}");
    }
}
