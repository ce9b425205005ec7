//! Compares what was recorded with what the simulator did: lane by lane, then across lanes.
//!
//! Two events agree when their kinds and fields are equal and, unless the recording is loose, their times differ by
//! no more than the tolerance. Fields are compared both ways: one that only one side has is a difference. What is
//! left out, and why, is [`IGNORED`].

use crate::assertion;
use crate::event::{Event, When, ms};
use crate::read::Timing;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Fields that are not compared, with the reason.
pub const IGNORED: [(&str, &str); 4] = [
    (
        "raw_fields",
        "the names of the JSON fields of an advisory: its values are compared one by one",
    ),
    ("raw_type", "the schema name of an advisory: it says the same as `type`"),
    (
        "first_error",
        "the text of a client library's exception; that it was raised is in `error_callbacks`",
    ),
    ("note", "a remark for people"),
];

/// What was recorded beside what was simulated, for one server version.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// What was recorded.
    pub expected: Vec<Event>,
    /// What the simulator did.
    pub seen: Vec<Event>,
    /// Payloads in the order in which they were published.
    pub published: Vec<String>,
    /// Names of the members of queue groups.
    pub members: Vec<String>,
    /// The release, `2.12.8`.
    pub release: String,
    /// How to compare.
    pub timing: Timing,
    /// By how much a time may differ, in nanoseconds.
    pub tolerance: i64,
    /// What must hold if [`Timing::Nondeterministic`].
    pub assertions: Vec<String>,
    /// Lanes without an order: their events are compared as a set.
    pub sets: BTreeSet<String>,
}

/// A difference: when it shows, and a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The moment of the differing event, in nanoseconds.
    pub at: i64,
    /// What was expected and what came.
    pub sentence: String,
}

/// Numbers are equal by value (`5` and `5.0`), objects and lists by their parts.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

/// Whether a field is compared.
pub fn is_compared(field: &str) -> bool {
    IGNORED.iter().all(|(name, _)| *name != field)
}

/// The first compared field in which two events differ, with the value of each.
fn first_field<'a>(
    a: &'a Event,
    b: &'a Event,
) -> Option<(&'a str, Option<&'a Value>, Option<&'a Value>)> {
    let names = a.fields.keys().chain(b.fields.keys()).filter(|name| is_compared(name));
    names.map(|name| (name.as_str(), a.fields.get(name), b.fields.get(name))).find(|(_, a, b)| {
        match (a, b) {
            (Some(a), Some(b)) => !same(a, b),
            _ => true,
        }
    })
}

/// `at 804 ms on worker:w`.
fn place(event: &Event) -> String {
    match event.at {
        Some(when) => format!("at {} on {}", ms(when.t), event.lane),
        None => format!("in {}", event.lane),
    }
}

fn value(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".into(), Value::to_string)
}

fn moment(event: &Event) -> i64 {
    event.at.map_or(i64::MAX, |when| when.t)
}

/// What an event was expected to be and did not become.
fn differs(expected: &Event, sentence: String) -> Difference {
    Difference { at: moment(expected), sentence }
}

impl Comparison {
    /// The first event in which the two differ, or the first assertion that does not hold.
    ///
    /// # Errors
    /// The name of an assertion that is not known here.
    pub fn difference(&self) -> Result<Option<Difference>, crate::Stop> {
        if self.timing == Timing::Nondeterministic {
            return assertion::first_broken(self);
        }
        let (expected, seen) = (by_lane(&self.expected), by_lane(&self.seen));
        let lanes: BTreeSet<&str> = expected.keys().chain(seen.keys()).copied().collect();
        let none = Vec::new();
        let in_lane = |lane: &&str| {
            let (expected, seen) =
                (expected.get(lane).unwrap_or(&none), seen.get(lane).unwrap_or(&none));
            if self.sets.contains(*lane) {
                self.set(expected, seen)
            } else {
                self.list(expected, seen)
            }
        };
        let first = lanes.iter().filter_map(in_lane).min_by_key(|difference| difference.at);
        Ok(first.or_else(|| self.across(&expected, &seen)))
    }

    /// Whether two moments agree.
    fn agrees(&self, expected: When, seen: When) -> bool {
        let (lo, hi) = (expected.lo.min(expected.t), expected.hi.max(expected.t));
        seen.t >= lo - self.tolerance && seen.t <= hi + self.tolerance
    }

    fn times_agree(&self, expected: &Event, seen: &Event) -> bool {
        match (expected.at, seen.at) {
            _ if self.timing == Timing::Loose => true,
            (Some(expected), Some(seen)) => self.agrees(expected, seen),
            // What has no recorded moment is compared without one.
            (None, _) => true,
            (Some(_), None) => false,
        }
    }

    /// A lane with an order.
    fn list(&self, expected: &[&Event], seen: &[&Event]) -> Option<Difference> {
        for n in 0..expected.len().max(seen.len()) {
            let sentence = match (expected.get(n), seen.get(n)) {
                (Some(e), None) => format!("expected {}: {e}, got nothing more there", place(e)),
                (None, Some(s)) => {
                    return Some(differs(
                        s,
                        format!("expected nothing more, got {}: {s}", place(s)),
                    ));
                }
                (Some(e), Some(s)) if e.kind != s.kind => {
                    format!("expected {}: {e}, got {}: {s}", place(e), place(s))
                }
                (Some(e), Some(s)) => match first_field(e, s) {
                    Some((name, want, got)) => format!(
                        "expected {}: {e} with {name} {}, got {}: {s} with {name} {}",
                        place(e),
                        value(want),
                        place(s),
                        value(got)
                    ),
                    None if self.times_agree(e, s) => continue,
                    None => format!("expected {}: {e}, got it {}", self.within(e), place(s)),
                },
                (None, None) => continue,
            };
            return expected.get(n).map(|e| differs(e, sentence));
        }
        None
    }

    /// `at 804 ms (± 60 ms) on worker:w`.
    fn within(&self, event: &Event) -> String {
        match event.at {
            Some(when) => {
                format!("at {} (± {}) on {}", ms(when.t), ms(self.tolerance), event.lane)
            }
            None => place(event),
        }
    }

    /// A lane without an order: each expected event takes the first one seen that agrees.
    fn set(&self, expected: &[&Event], seen: &[&Event]) -> Option<Difference> {
        let mut left: Vec<&Event> = seen.to_vec();
        for e in expected {
            let fits = |s: &&Event| {
                e.kind == s.kind && first_field(e, s).is_none() && self.times_agree(e, s)
            };
            match left.iter().position(fits) {
                Some(n) => drop(left.remove(n)),
                None => {
                    let close = left.iter().map(|s| format!("{}: {s}", place(s)));
                    let others = close.collect::<Vec<_>>().join("; ");
                    let got = if others.is_empty() { "nothing" } else { &others };
                    return Some(differs(
                        e,
                        format!("expected {}: {e}, got {got}", self.within(e)),
                    ));
                }
            }
        }
        left.first().map(|s| differs(s, format!("expected nothing more, got {}: {s}", place(s))))
    }

    /// Order between lanes, where the recorded times leave no doubt about it.
    fn across(&self, expected: &Lanes<'_>, seen: &Lanes<'_>) -> Option<Difference> {
        if self.timing != Timing::Exact {
            return None;
        }
        let mut pairs: Vec<(&Event, When, When)> = Vec::new();
        for (lane, events) in expected {
            let Some(others) = seen.get(lane).filter(|_| !self.sets.contains(*lane)) else {
                continue;
            };
            for (e, s) in events.iter().zip(others) {
                pairs.extend(e.at.zip(s.at).map(|(e_at, s_at)| (*e, e_at, s_at)));
            }
        }
        pairs.sort_by_key(|(_, e, _)| e.lo);
        for (n, (later, e2, s2)) in pairs.iter().enumerate() {
            let clearly_before =
                |(_, e1, _): &&(&Event, When, When)| e1.hi + self.tolerance < e2.lo;
            let wrong =
                |(first, _, s1): &&(&Event, When, When)| first.lane != later.lane && s1.t > s2.t;
            if let Some((first, ..)) = pairs[..n].iter().filter(clearly_before).find(wrong) {
                let sentence = format!(
                    "expected {}: {later}, after {}: {first}, got them in the other order",
                    place(later),
                    place(first)
                );
                return Some(differs(later, sentence));
            }
        }
        None
    }
}

type Lanes<'a> = BTreeMap<&'a str, Vec<&'a Event>>;

fn by_lane(events: &[Event]) -> Lanes<'_> {
    let mut lanes = Lanes::new();
    for event in events {
        lanes.entry(event.lane.as_str()).or_default().push(event);
    }
    lanes
}
