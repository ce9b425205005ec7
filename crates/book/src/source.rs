//! A file of the content and its lines; TOML in it, with errors in plain words.

use crate::Problem;
use serde::de::DeserializeOwned;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A file as it was read.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    name: String,
    text: String,
    /// The line of the file in which the text begins.
    first_line: usize,
}

impl Source {
    /// Reads a file, to be called `name` in problems.
    pub(crate) fn read(path: &Path, name: String) -> Result<Self, Problem> {
        match std::fs::read_to_string(path) {
            Ok(text) => Ok(Self { name, text: text.replace("\r\n", "\n"), first_line: 1 }),
            Err(error) => Err(Problem {
                file: name,
                line: 0,
                sentence: format!("this file cannot be read: {error}"),
            }),
        }
    }

    /// Reads every file of a folder with this extension, by name. Anything else in it is a problem.
    pub(crate) fn read_all(
        folder: &Path,
        name: &str,
        extension: &str,
        problems: &mut Vec<Problem>,
    ) -> Vec<Self> {
        let whole = |file: String, sentence: String| Problem { file, line: 0, sentence };
        let mut paths: Vec<_> = match std::fs::read_dir(folder) {
            Ok(entries) => entries.filter_map(Result::ok).map(|entry| entry.path()).collect(),
            Err(error) => {
                problems
                    .push(whole(name.to_owned(), format!("this folder cannot be read: {error}")));
                return Vec::new();
            }
        };
        paths.sort();
        let mut sources = Vec::new();
        for path in paths {
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            if file.starts_with('.') {
                continue;
            }
            let file = format!("{name}/{file}");
            if path.extension().is_none_or(|e| e != extension) {
                let sentence = format!("only .{extension} files belong into this folder");
                problems.push(whole(file, sentence));
                continue;
            }
            match Self::read(&path, file) {
                Ok(source) => sources.push(source),
                Err(problem) => problems.push(problem),
            }
        }
        sources
    }

    /// As [`read_all`](Self::read_all); the folder need not be there.
    pub(crate) fn read_any(
        folder: &Path,
        name: &str,
        extension: &str,
        problems: &mut Vec<Problem>,
    ) -> Vec<Self> {
        if folder.is_dir() { Self::read_all(folder, name, extension, problems) } else { Vec::new() }
    }

    /// Text that a file has in this line, such as a value in TOML, to be read by itself.
    pub(crate) fn fragment(&self, line: usize, text: &str) -> Self {
        Self { name: self.name.clone(), text: text.to_owned(), first_line: line }
    }

    /// Text that no file holds, under a name of its own.
    pub(crate) fn written(name: &str, text: &str) -> Self {
        Self { name: name.to_owned(), text: text.to_owned(), first_line: 1 }
    }

    /// Its name in problems.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Its text, with `\n` between lines.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The file's name without folder and extension.
    pub(crate) fn stem(&self) -> &str {
        let file = self.name.rsplit('/').next().unwrap_or_default();
        file.rsplit_once('.').map_or(file, |(stem, _)| stem)
    }

    /// The line, from 1, of a byte offset.
    pub(crate) fn line(&self, offset: usize) -> usize {
        let before = &self.text.as_bytes()[..offset.min(self.text.len())];
        before.iter().filter(|&&b| b == b'\n').count() + self.first_line
    }

    /// The line in which the text of the TOML string at this offset begins: of one over several lines the first of them.
    pub(crate) fn line_of_text(&self, offset: usize) -> usize {
        let opens = |quotes: &str| self.text[offset..].starts_with(quotes);
        self.line(offset) + usize::from(opens("\"\"\"\n") || opens("'''\n"))
    }

    /// A problem in this line; zero for the file as a whole.
    pub(crate) fn problem(&self, line: usize, sentence: impl Into<String>) -> Problem {
        Problem { file: self.name.clone(), line, sentence: sentence.into() }
    }

    /// Reads the whole file as TOML.
    pub(crate) fn toml<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        self.toml_in(0..self.text.len())
    }

    /// Reads a part of the file as TOML.
    pub(crate) fn toml_in<T: DeserializeOwned>(&self, part: Range<usize>) -> Result<T, Problem> {
        toml::from_str(&self.text[part.clone()]).map_err(|error| {
            let at = part.start + error.span().map_or(0, |span| span.start);
            self.problem(self.line(at), in_words(error.message()))
        })
    }

    /// The line of a key in the table at place `i` of a list of tables; without such a key that of the table.
    pub(crate) fn line_in_list(&self, list: &str, i: usize, key: &str) -> usize {
        let Ok(document) = DeTable::parse(&self.text) else { return 0 };
        let Some((_, value)) = entry(document.get_ref(), list) else { return 0 };
        let Some(item) = value.get_ref().as_array().and_then(|all| all.get(i)) else { return 0 };
        let key = item.get_ref().as_table().and_then(|table| entry(table, key));
        self.line(key.map_or(item.span().start, |(offset, _)| offset))
    }

    /// The line of the key that a sentence about this TOML file is about: of all keys, or of those in the table `under`,
    /// the one that the sentence names first (with `_` or with spaces). If it names none, the table or zero.
    pub(crate) fn line_of_key(&self, sentence: &str, under: Option<&str>) -> usize {
        let Ok(document) = DeTable::parse(&self.text) else { return 0 };
        let mut keys = Vec::new();
        let mut whole = 0;
        for (key, value) in document.get_ref() {
            match under {
                None => keys.push((key.get_ref().to_string(), key.span().start)),
                Some(name) if name == key.get_ref() => whole = self.line(key.span().start),
                Some(_) => continue,
            }
            collect_keys(value, &mut keys);
        }
        let named = keys
            .into_iter()
            .filter_map(|(name, offset)| {
                let found = find_word(sentence, &name)
                    .or_else(|| find_word(sentence, &name.replace('_', " ")))?;
                Some((found, std::cmp::Reverse(name.len()), offset))
            })
            .min();
        named.map_or(whole, |(.., offset)| self.line(offset))
    }
}

/// The value of a key, with where the key stands.
fn entry<'a, 'b>(table: &'a DeTable<'b>, name: &str) -> Option<(usize, &'a Spanned<DeValue<'b>>)> {
    let (key, value) = table.iter().find(|(key, _)| key.get_ref() == name)?;
    Some((key.span().start, value))
}

/// Every key below a value, with its offset.
fn collect_keys(value: &Spanned<DeValue<'_>>, keys: &mut Vec<(String, usize)>) {
    match value.get_ref() {
        DeValue::Table(table) => {
            for (key, value) in table {
                keys.push((key.get_ref().to_string(), key.span().start));
                collect_keys(value, keys);
            }
        }
        DeValue::Array(values) => values.iter().for_each(|value| collect_keys(value, keys)),
        _ => {}
    }
}

/// Where `word` stands in `text`, not as a part of a longer word.
fn find_word(text: &str, word: &str) -> Option<usize> {
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(word).map(|(at, _)| at).find(|&at| {
        !joins(text[..at].chars().next_back()) && !joins(text[at + word.len()..].chars().next())
    })
}

/// What the TOML reader says, for somebody who writes a book.
fn in_words(message: &str) -> String {
    let message = message.trim();
    for (start, kind) in [("unknown field ", "a setting"), ("unknown variant ", "a value")] {
        if let Some(rest) = message.strip_prefix(start) {
            return unknown(rest, kind);
        }
    }
    if let Some(name) = message.strip_prefix("missing field ") {
        return format!("{name} is missing");
    }
    for start in ["invalid type: ", "invalid value: "] {
        if let Some((found, expected)) =
            message.strip_prefix(start).and_then(|rest| rest.split_once(", expected "))
        {
            return format!("found {found} where {expected} belongs");
        }
    }
    message.replace('\n', ", ")
}

/// `` `x`, expected one of `a`, `b` `` as a sentence, with the nearest name if one is near.
fn unknown(rest: &str, kind: &str) -> String {
    let mut names = rest.split('`').skip(1).step_by(2);
    let wrong = names.next().unwrap_or_default();
    let known: Vec<&str> = names.collect();
    nearest(wrong, kind, &known)
}

/// "`x` is not a setting here (did you mean `y`?); there are `y`, `z`".
pub(crate) fn nearest(wrong: &str, kind: &str, known: &[&str]) -> String {
    let near = known
        .iter()
        .map(|name| (strsim::osa_distance(wrong, name), name))
        .filter(|(distance, name)| *distance <= 1 + name.len() / 4)
        .min();
    let guess = near.map(|(_, name)| format!(" (did you mean `{name}`?)")).unwrap_or_default();
    let there = match known {
        [] => "there is none".to_owned(),
        [one] => format!("there is `{one}`"),
        many => format!("there are `{}`", many.join("`, `")),
    };
    format!("`{wrong}` is not {kind} here{guess}; {there}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_toml_in_words() {
        for (message, sentence) in [
            (
                "unknown field `x`, expected `alpha` or `beta`",
                "`x` is not a setting here; there are `alpha`, `beta`",
            ),
            (
                "unknown field `ack_wiat`, expected one of `ack_wait`, `backoff`",
                "`ack_wiat` is not a setting here (did you mean `ack_wait`?); there are `ack_wait`, `backoff`",
            ),
            (
                "unknown variant `rm`, expected `crash`",
                "`rm` is not a value here; there is `crash`",
            ),
            ("missing field `title`", "`title` is missing"),
            (
                "invalid type: integer `5`, expected a string",
                "found integer `5` where a string belongs",
            ),
        ] {
            assert_eq!(in_words(message), sentence);
        }
    }

    #[test]
    fn a_sentence_leads_to_its_key() {
        let source = Source {
            name: "x.toml".into(),
            first_line: 1,
            text: "title = 'max_deliver'\n[scenario]\nend = '1s'\n[[scenario.consumers]]\nstream = 'S'\n\
                   config.backoff = ['1s', '2s']\nconfig.max_deliver = 1\n"
                .into(),
        };
        for (sentence, line) in [
            ("max deliver is required to be > length of backoff values (10116)", 7),
            ("`backoff` holds a negative time", 6),
            ("the run does not reach its end", 3),
            ("ends nowhere", 2),
        ] {
            assert_eq!(source.line_of_key(sentence, Some("scenario")), line, "{sentence}");
        }
    }
}
