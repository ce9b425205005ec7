//! Something the writer of the book has to mend.

use std::fmt;

/// What is wrong, and where. As text: `content/labs/x.toml:12: …`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The file, from the folder that holds the content folder, with `/` between names.
    pub file: String,
    /// The line, from 1; zero if it is about the file or folder as a whole.
    pub line: usize,
    /// What is wrong and what to do, as a sentence without the final full stop.
    pub sentence: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.sentence),
            line => write!(f, "{}:{line}: {}", self.file, self.sentence),
        }
    }
}
