//! One thing that happened, in the terms of the recordings: when, on which lane, what, with which fields.

use serde_json::{Map, Value};
use std::fmt;

/// Nanoseconds in a millisecond.
const MS: f64 = 1e6;

/// When something happened, in nanoseconds from the start; `lo` and `hi` are the extremes over several runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct When {
    /// The median, or the moment of a single run.
    pub t: i64,
    /// The earliest.
    pub lo: i64,
    /// The latest.
    pub hi: i64,
}

impl When {
    /// A moment of a single run.
    pub const fn at(t: i64) -> Self {
        Self { t, lo: t, hi: t }
    }

    /// A moment of the simulator.
    pub(crate) fn sim(at: delivery_sim::Time) -> Self {
        Self::at(i64::try_from(at.0).unwrap_or(i64::MAX))
    }
}

/// Nanoseconds from the milliseconds of a recording.
pub(crate) fn nanos(ms: f64) -> i64 {
    (ms * MS).round() as i64
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// When; none for what has no moment, such as the final outcome of a message.
    pub at: Option<When>,
    /// Where: `pub`, `worker:w1`, `advisory` …
    pub lane: String,
    /// What: `delivered`, `status` …
    pub kind: String,
    /// With which values.
    pub fields: Map<String, Value>,
}

/// What an event is about, in the order in which a sentence names it; other fields stay out of it.
const TOLD: [&str; 14] = [
    "type",
    "op",
    "stream",
    "consumer",
    "stream_seq",
    "seq",
    "num_delivered",
    "deliveries",
    "code",
    "data",
    "payload",
    "result",
    "outcome",
    "error",
];

/// `delivered stream_seq 1, num_delivered 2`.
impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        let told = TOLD.iter().filter_map(|name| Some((name, self.fields.get(*name)?)));
        for (n, (name, value)) in told.enumerate() {
            write!(f, "{}{name} {value}", if n == 0 { " " } else { ", " })?;
        }
        Ok(())
    }
}

/// `804.5 ms`, from nanoseconds.
pub(crate) fn ms(nanos: i64) -> String {
    let tenths = nanos.saturating_add(50_000).div_euclid(100_000);
    match tenths % 10 {
        0 => format!("{} ms", tenths / 10),
        rest => format!("{}.{} ms", tenths / 10, rest.abs()),
    }
}

/// An object from names and values; a name with [`Value::Null`] is left out.
pub(crate) fn fields<const N: usize>(list: [(&str, Value); N]) -> Map<String, Value> {
    list.into_iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (name.to_string(), value))
        .collect()
}
