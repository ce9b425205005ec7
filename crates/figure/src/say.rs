//! Builds the sentences of one moment, piece by piece.

use crate::names::number;
use crate::words::Span;

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
        let first: String = letters.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
        self.text(&first).text(letters.as_str())
    }

    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.state("", text)
    }

    pub(crate) fn state(&mut self, state: &'static str, text: &str) -> &mut Self {
        if self.sentences > MOST_SENTENCES {
            return self;
        }
        match self.spans.last_mut() {
            Some(span) if span.state == state => span.text.push_str(text),
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

#[cfg(test)]
mod tests {
    use super::*;

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
