//! Builds the sentences of one moment, piece by piece.

use crate::names::number;
use crate::put::Put as _;
use crate::words::Span;
use std::fmt;

/// Sentences of one moment; what more there is, is counted.
const MOST_SENTENCES: usize = 12;

/// Sentences as they grow.
#[derive(Default)]
pub(crate) struct Say {
    spans: Vec<Span>,
    sentences: usize,
}

impl Say {
    /// Begins a sentence, with a capital letter.
    pub(crate) fn start(&mut self, text: &str) -> &mut Self {
        self.sentences += 1;
        if !self.spans.is_empty() {
            self.text(" ");
        }
        let mut letters = text.chars();
        let first: String = letters.next().map(capital).into_iter().collect();
        self.text(&first).text(letters.as_str())
    }

    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.state("", text)
    }

    /// The same of words that are put together here, once for all who do that.
    #[inline(never)]
    pub(crate) fn put(&mut self, words: fmt::Arguments<'_>) -> &mut Self {
        self.state("", &words.to_string())
    }

    pub(crate) fn state(&mut self, state: &'static str, text: &str) -> &mut Self {
        if self.sentences > MOST_SENTENCES {
            return self;
        }
        match self.spans.last_mut() {
            Some(span) if span.state == state => span.text.put(text),
            _ => self.spans.push(Span { text: text.to_owned(), state }),
        }
        self
    }
}

impl Say {
    /// The sentences, with a last one for those left out.
    pub(crate) fn end(mut self) -> Vec<Span> {
        let left = self.sentences.saturating_sub(MOST_SENTENCES);
        if left > 0 {
            self.sentences = 0;
            self.start("And ")
                .text(&format!("{} more events like these.", number(left as u64, false)));
        }
        self.spans
    }
}

/// A letter as it begins a sentence. Latin, Greek and Cyrillic letters do by a step; the tables for all others would be
/// 4 KB to download.
fn capital(c: char) -> char {
    let step = match c {
        'a'..='z' | 'à'..='ö' | 'ø'..='þ' | 'α'..='ρ' | 'σ'..='ω' | 'а'..='я' => 32,
        'ѐ'..='џ' => 80,
        _ => 0,
    };
    char::from_u32(c as u32 - step).unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_begin_with_a_capital_letter() {
        for c in "azæéþàöøÀßÿzαρςσωабяѐёџAZ1 _№→".chars() {
            if c != 'ß' && c != 'ς' && c != 'ÿ' {
                assert_eq!(capital(c).to_string(), c.to_uppercase().to_string(), "{c}");
            }
        }
        assert_eq!((capital('ß'), capital('÷')), ('ß', '÷'));
    }

    #[test]
    fn many_sentences_are_counted() {
        let mut say = Say::default();
        for n in 1..=15 {
            say.start("run ").state("lost", "dies").text(&format!(" for the {n}. time."));
        }
        let spans = say.end();
        let text: String = spans.iter().map(|span| span.text.as_str()).collect();
        assert!(text.starts_with("Run dies for the 1. time. Run dies for the 2. time."), "{text}");
        assert!(
            text.ends_with("Run dies for the 12. time. And three more events like these."),
            "{text}"
        );
        assert_eq!(spans.iter().filter(|span| span.state == "lost").count(), MOST_SENTENCES);
    }
}
