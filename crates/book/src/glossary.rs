//! The words of the book: `glossary.toml`, and where a text uses them.

use crate::Problem;
use crate::markdown::{self, Index};
use crate::reference::Reference;
use crate::source::{Source, nearest};
use crate::text::{escaped, unlinked};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use toml::Spanned;

/// Where the words are explained.
pub(crate) const SLUG: &str = "glossary";

/// What the file holds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    term: Vec<Spanned<TermFile>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TermFile {
    name: String,
    #[serde(default)]
    forms: Vec<String>,
    means: Spanned<String>,
    chapter: Spanned<String>,
    lab: Option<Spanned<String>>,
}

/// A word and what it means.
#[derive(Debug)]
struct Term {
    name: String,
    /// Where it stands in the file.
    line: usize,
    means: (usize, String),
    chapter: (usize, String),
    lab: Option<(usize, String)>,
}

/// The words, by their anchors.
#[derive(Debug, Default)]
pub(crate) struct Glossary {
    source: Option<Source>,
    terms: BTreeMap<String, Term>,
    /// By the small first letter the words of each form and the anchor of its term, the longest first.
    forms: BTreeMap<char, Vec<(String, String)>>,
}

impl Glossary {
    /// Reads the file, whose terms may stand in any order. What is wrong with single ones goes to `problems`.
    ///
    /// # Errors
    /// If the file cannot be read as TOML of terms.
    pub(crate) fn read(source: Source, problems: &mut Vec<Problem>) -> Result<Self, Problem> {
        let file: File = source.toml()?;
        let mut glossary = Self::default();
        let mut owners: BTreeMap<String, String> = BTreeMap::new();
        for term in file.term {
            let line = source.line(term.span().start);
            let term = term.into_inner();
            let at = |value: Spanned<String>| {
                (source.line_of_text(value.span().start), value.into_inner())
            };
            for form in std::iter::once(&term.name).chain(&term.forms) {
                let taken = owners.insert(form.to_lowercase(), term.name.clone());
                if form.trim().is_empty() {
                    problems.push(source.problem(line, "a term and its forms are words"));
                } else if let Some(other) = taken {
                    let sentence = if other == term.name {
                        format!("`{form}` stands twice in the term `{other}`")
                    } else {
                        format!("`{form}` is the term `{other}` already")
                    };
                    problems.push(source.problem(line, sentence));
                }
                glossary.add(form, &markdown::anchor_of(&term.name));
            }
            let entry = Term {
                line,
                means: at(term.means),
                chapter: at(term.chapter),
                lab: term.lab.map(at),
                name: term.name,
            };
            glossary.terms.insert(markdown::anchor_of(&entry.name), entry);
        }
        glossary.source = Some(source);
        Ok(glossary)
    }

    fn add(&mut self, form: &str, anchor: &str) {
        let Some(first) = small_first(form) else { return };
        let alike = self.forms.entry(first).or_default();
        let place = alike.partition_point(|(other, _)| other.len() >= form.len());
        alike.insert(place, (form.to_owned(), anchor.to_owned()));
    }

    /// The forms that a text may begin with.
    fn like(&self, text: &str) -> &[(String, String)] {
        small_first(text).and_then(|first| self.forms.get(&first)).map_or(&[], Vec::as_slice)
    }

    /// Whether there is one.
    pub(crate) fn is_there(&self) -> bool {
        self.source.is_some()
    }

    /// The anchors of its terms.
    pub(crate) fn anchors(&self) -> impl Iterator<Item = &str> {
        self.terms.keys().map(String::as_str)
    }

    /// The anchor of the term with this name or form.
    ///
    /// # Errors
    /// The sentence that there is none.
    pub(crate) fn anchor(&self, words: &str) -> Result<&str, String> {
        match self.like(words).iter().find(|(form, _)| fits(words, form) == Some(words.len())) {
            Some((_, anchor)) => Ok(anchor),
            None => {
                let known: Vec<&str> = self.terms.values().map(|term| term.name.as_str()).collect();
                Err(nearest(words, "a term of the glossary", &known))
            }
        }
    }

    /// The terms that a text uses, in order: where, and the anchor of each. A term that is in `seen` is left alone, and one
    /// that is found is added.
    pub(crate) fn uses(
        &self,
        text: &str,
        seen: &mut BTreeSet<String>,
    ) -> Vec<(Range<usize>, &str)> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            let begins = c.is_alphanumeric() && !text[..at].ends_with(joins);
            let term = begins.then(|| self.at(&text[at..])).flatten();
            let Some((length, anchor)) = term else {
                at += c.len_utf8();
                continue;
            };
            if seen.insert(anchor.to_owned()) {
                found.push((at..at + length, anchor));
            }
            at += length;
        }
        found
    }

    /// The longest form that a text begins with.
    fn at(&self, text: &str) -> Option<(usize, &str)> {
        self.like(text).iter().find_map(|(form, anchor)| {
            let length = fits(text, form)?;
            (!text[length..].starts_with(joins)).then_some((length, anchor.as_str()))
        })
    }

    /// Reports every term that none of the chapters uses.
    pub(crate) fn check_used(&self, used: &BTreeSet<&str>, problems: &mut Vec<Problem>) {
        let Some(source) = &self.source else { return };
        for (anchor, term) in &self.terms {
            if !used.contains(anchor.as_str()) {
                problems.push(source.problem(
                    term.line,
                    format!("no chapter uses the term `{}`; use it or remove it", term.name),
                ));
            }
        }
    }

    /// What each term means, by its anchor, and the list of all as HTML.
    pub(crate) fn render(
        &self,
        index: &Index<'_>,
        problems: &mut Vec<Problem>,
    ) -> (BTreeMap<String, Meaning>, String) {
        let mut meanings = BTreeMap::new();
        let mut list = String::from("<dl class=\"terms\">\n");
        let Some(source) = &self.source else { return (meanings, String::new()) };
        let mut terms: Vec<(&String, &Term)> = self.terms.iter().collect();
        terms.sort_by_key(|(_, term)| term.name.to_lowercase());
        for (anchor, term) in terms {
            let (line, means) = &term.means;
            let means = source.fragment(*line, means);
            let means = markdown::inline(&markdown::fragment(&means, SLUG, index, problems));
            let mut links = Vec::new();
            let (line, chapter) = &term.chapter;
            match index.link(chapter, SLUG) {
                Ok(link) => links.push(link),
                Err(sentence) => problems.push(source.problem(*line, sentence)),
            }
            if let Some((line, lab)) = &term.lab {
                match index.lab_link(lab, SLUG, &BTreeMap::new(), None) {
                    Ok(link) => links.push(link),
                    Err(sentence) => problems.push(source.problem(*line, sentence)),
                }
            }
            let (anchor_, name) = (escaped(anchor), escaped(&term.name));
            list += &format!(
                "<div id=\"{anchor_}\"><dt><dfn>{name}</dfn> <a class=\"anchor\" href=\"#{anchor_}\" aria-label=\"Link to this term: {name}\">#</a></dt>\n\
                 <dd>{means} <span class=\"see\">{}</span></dd></div>\n",
                links.join(" ")
            );
            let meaning = Meaning { name: term.name.clone(), html: unlinked(&means) };
            meanings.insert(anchor.clone(), meaning);
        }
        list += "</dl>\n";
        (meanings, list)
    }
}

/// The page with the list of all.
pub(crate) fn page(list: String) -> Reference {
    Reference {
        slug: SLUG,
        title: "The words of this book",
        short: "Glossary",
        summary: "Each term, what it means, and the chapter and figure in which it is met.",
        html: list,
        headings: Vec::new(),
    }
}

/// What a term means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// The term.
    pub name: String,
    /// What it means, as HTML without links.
    pub html: String,
}

/// Whether a character makes one word with its neighbours.
fn joins(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '‑')
}

fn small_first(text: &str) -> Option<char> {
    text.chars().next()?.to_lowercase().next()
}

/// How much of a text this form takes, if the text begins with it: a first letter may be a capital there, and a space one
/// that does not break.
fn fits(text: &str, form: &str) -> Option<usize> {
    let mut written = text.char_indices();
    for (i, wanted) in form.chars().enumerate() {
        let (_, c) = written.next()?;
        let same = c == wanted
            || (wanted == ' ' && c == '\u{a0}')
            || (i == 0 && c.is_uppercase() && c.to_lowercase().eq(wanted.to_lowercase()));
        if !same {
            return None;
        }
    }
    Some(written.next().map_or(text.len(), |(at, _)| at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glossary() -> Glossary {
        let mut glossary = Glossary::default();
        for (form, anchor) in [
            ("ack", "ack"),
            ("acks", "ack"),
            ("ack floor", "ack-floor"),
            ("Core NATS", "core-nats"),
            ("consumer", "consumer"),
        ] {
            glossary.add(form, anchor);
        }
        glossary
    }

    #[test]
    fn the_first_use_of_each_term_is_found() {
        for (text, expected) in [
            ("An ack, two acks.", &["ack"][..]),
            ("Acks move the ack\u{a0}floor; an ack.", &["Acks", "ack\u{a0}floor"]),
            ("The ack floor moves with an ack.", &["ack floor", "ack"]),
            ("the consumer’s back, a sub-consumer and consumer-like", &["consumer"]),
            ("core NATS, CORE NATS, Core NATS", &["Core NATS"]),
            ("ACK, backpack, acked; packs", &[]),
            ("", &[]),
        ] {
            let glossary = glossary();
            let found = glossary.uses(text, &mut BTreeSet::new());
            let words: Vec<&str> = found.iter().map(|(range, _)| &text[range.clone()]).collect();
            assert_eq!(words, expected, "{text}");
        }
        let mut seen = BTreeSet::from(["ack".to_owned()]);
        assert!(glossary().uses("An ack.", &mut seen).is_empty(), "seen before");
    }

    #[test]
    fn a_term_is_found_by_each_of_its_forms() {
        let glossary = glossary();
        for (words, anchor) in
            [("Acks", "ack"), ("ack floor", "ack-floor"), ("Core NATS", "core-nats")]
        {
            assert_eq!(glossary.anchor(words), Ok(anchor), "{words}");
        }
        assert!(glossary.anchor("ack floors").is_err());
    }
}
