//! A run in words: the caption of a moment, the rows of the event table, the account, the outcome.

use delivery_sim::{Time, Trace};

/// A piece of a sentence, so that a page can colour states and link terms without parsing text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The words.
    pub text: String,
    /// CSS class of the state they name: `stored`, `inflight`, `acked`, `again`, `lost`, `dead`; empty for none.
    pub state: &'static str,
}

/// One row of the event table. Rows, captions and the steps of the clock are one and the same list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// When.
    pub at: Time,
    /// Whose lane it is on.
    pub who: String,
    /// The messages it is about, by label.
    pub messages: Vec<String>,
    /// What happened, in one sentence, with its cause.
    pub what: Vec<Span>,
}

/// Numbers under a figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// What is counted, `delivered twice`.
    pub name: &'static str,
    /// How many.
    pub count: u64,
    /// CSS class of the state, as in [`Span`].
    pub state: &'static str,
}

/// The events worth a step, in order: those a reader should see one by one, not every network hop.
pub fn rows(trace: &Trace) -> Vec<Row> {
    let _ = trace;
    Vec::new()
}

/// The place in `rows` of what is happening at `t`: the last row at or before it.
pub fn row_at(rows: &[Row], t: Time) -> Option<usize> {
    rows.partition_point(|row| row.at <= t).checked_sub(1)
}

/// The whole run as a short text account, for readers who do not see the picture.
pub fn account(trace: &Trace) -> String {
    let _ = trace;
    String::new()
}

/// The sentence of conclusion, computed from the run.
pub fn conclusion(trace: &Trace) -> String {
    let _ = trace;
    String::new()
}

/// The result row.
pub fn counts(trace: &Trace) -> Vec<Count> {
    let _ = trace;
    Vec::new()
}
