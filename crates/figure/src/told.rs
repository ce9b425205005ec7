//! A run with its words, told when somebody looks: of a long run nobody reads every row.

use crate::place;
use crate::story::{Lives, Story};
use crate::tell::{self, Moment};
use crate::words::{self, Outcome, Row, Span};
use delivery_sim::trace::{Msg, Record};
use delivery_sim::{Time, Trace};
use std::sync::Arc;

/// Of longer runs only those rows are looked at for the longest that have the most events.
const LOOKED_AT: usize = 40;

/// A run that was read once: what is said of it comes from here, and so does its picture.
pub struct Told {
    trace: Arc<Trace>,
    lives: Lives,
    /// The events that are told.
    records: Vec<Record>,
    moments: Vec<Moment>,
}

impl Told {
    /// Reads a run.
    pub fn new(trace: Arc<Trace>) -> Self {
        let lives = Lives::new(&trace);
        let records = tell::records(&trace);
        let moments = tell::moments(&Story::new(&trace, &lives), &records);
        Self { trace, lives, records, moments }
    }

    pub(crate) fn story(&self) -> Story<'_> {
        Story::new(&self.trace, &self.lives)
    }

    /// Whether the whole run is too much for single marks, so that its picture has bands.
    pub fn is_dense(&self) -> bool {
        crate::draw::is_dense(&self.story())
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.moments.len()
    }

    /// Whether nothing happens in the run.
    pub fn is_empty(&self) -> bool {
        self.moments.is_empty()
    }

    /// When a row is.
    pub fn at(&self, row: usize) -> Option<Time> {
        self.moments.get(row).map(|moment| moment.at)
    }

    /// How many rows are at or before `t`.
    pub fn upto(&self, t: Time) -> usize {
        self.moments.partition_point(|moment| moment.at <= t)
    }

    /// How many rows are before `t`.
    pub fn before(&self, t: Time) -> usize {
        self.moments.partition_point(|moment| moment.at < t)
    }

    /// A row.
    pub fn get(&self, row: usize) -> Option<Row> {
        self.moments.get(row).map(|moment| tell::row(&self.story(), &self.records, *moment))
    }

    /// All rows, the same as [`words::rows`].
    pub fn rows(&self) -> Vec<Row> {
        (0..self.len()).filter_map(|row| self.get(row)).collect()
    }

    /// The places of the rows in which something happens to a message.
    pub fn about(&self, msg: Msg) -> Vec<usize> {
        let about = |row: &usize| {
            tell::of(&self.records, self.moments[*row])
                .iter()
                .any(|record| record.event.msg() == Some(msg))
        };
        (0..self.len()).filter(about).collect()
    }

    /// Where a message is at `t`, in a sentence for each consumer that has sent it, or in one.
    pub fn place(&self, msg: Msg, t: Time) -> Vec<Span> {
        place::place(&self.story(), msg, t)
    }

    /// The longest row with its time, as text; of a long run one of the longest.
    pub fn longest(&self) -> String {
        let many = |row: usize| self.moments[row].events();
        let mut rows: Vec<usize> = (0..self.len()).collect();
        if rows.len() > LOOKED_AT {
            rows = delivery_sim::order::sorted(rows, |a, b| many(*b).cmp(&many(*a)));
            rows.truncate(LOOKED_AT);
        }
        let mut longest = String::new();
        for row in rows.into_iter().filter_map(|row| self.get(row)) {
            let text = [row.at.to_string(), row.text()].join(" ");
            if text.len() > longest.len() {
                longest = text;
            }
        }
        longest
    }

    /// What came of it.
    pub fn outcome(&self) -> Outcome {
        words::outcome(&self.story())
    }

    /// The whole run as a short text account that ends with its conclusion; the same as [`words::account`].
    pub fn account(&self, conclusion: &str) -> String {
        words::account_of(&self.rows(), self.trace.end, conclusion)
    }
}
