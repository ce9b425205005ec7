//! Claims about what the server tells: PubAcks, advisories, and what a stream holds.

use super::{near, nearest};
use delivery_sim::trace::{Advisory, StreamId};
use delivery_sim::{Event, Time, Trace};
use serde::Deserialize;
use std::collections::BTreeSet;

/// How a publish ended; what is given must fit.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Published {
    msg: String,
    at: Option<Time>,
    /// The sequence of its PubAck.
    seq: Option<u64>,
    /// Whether its PubAck says that it was known already; one that says nothing of it means that it was not.
    duplicate: Option<bool>,
    /// The text of the error instead of a PubAck, as [`delivery_sim::trace::Refusal::text`] has it.
    error: Option<String>,
}

/// An advisory; what is given must fit.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Advised {
    kind: Kind,
    msg: Option<String>,
    at: Option<Time>,
    deliveries: Option<u32>,
    /// None such is to be there at all.
    #[serde(default)]
    never: bool,
}

/// The kinds of advisories, as chapters call them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    MaxDeliver,
    Terminated,
    Nak,
}

/// What a stream holds at a moment; what is given must fit.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Holds {
    at: Time,
    /// Needed only where there are several.
    name: Option<String>,
    messages: Option<u64>,
    first_seq: Option<u64>,
    last_seq: Option<u64>,
}

impl Published {
    /// What is wrong with it; none if it fits.
    pub(super) fn compare(&self, trace: &Trace) -> Option<String> {
        let mut found = Vec::new();
        for record in &trace.records {
            let (msg, seq, duplicate, error) = match record.event {
                Event::PubAcked { msg, seq, duplicate, .. } => (msg, Some(seq), duplicate, None),
                Event::PubFailed { msg, why, .. } => (msg, None, false, Some(why.text().2)),
                _ => continue,
            };
            if trace.label(msg) != self.msg {
                continue;
            }
            if self.at.is_none_or(|at| near(at, record.at))
                && self.seq.is_none_or(|claimed| Some(claimed) == seq)
                && self.duplicate.is_none_or(|claimed| claimed == duplicate)
                && self.error.as_deref() == error
            {
                return None;
            }
            found.push(match (seq, error) {
                (Some(seq), _) => {
                    let known = if duplicate { ", duplicate" } else { "" };
                    format!("its PubAck at {:?} says sequence {seq}{known}", record.at)
                }
                (None, error) => {
                    format!("its publish fails at {:?}: {}", record.at, error.unwrap_or_default())
                }
            });
        }
        let run = if found.is_empty() { "no publish of it ends".into() } else { found.join(", ") };
        Some(format!("an end of the publish of {} is claimed, but in the run {run}", self.msg))
    }
}

impl Advised {
    /// What is wrong with it; none if it fits.
    pub(super) fn compare(&self, trace: &Trace) -> Option<String> {
        let mut found = Vec::new();
        let mut fits = false;
        for record in &trace.records {
            let Event::Advised { advisory, msg, deliveries, .. } = record.event else { continue };
            let kind = match advisory {
                Advisory::MaxDeliver => Kind::MaxDeliver,
                Advisory::Terminated | Advisory::TerminatedByRemoval => Kind::Terminated,
                Advisory::Nak => Kind::Nak,
            };
            if kind != self.kind {
                continue;
            }
            let label = trace.label(msg);
            fits |= self.msg.as_ref().is_none_or(|claimed| *claimed == label)
                && self.at.is_none_or(|at| near(at, record.at))
                && self.deliveries.is_none_or(|claimed| claimed == deliveries);
            found.push(format!(
                "one about {label} after {deliveries} deliveries at {:?}",
                record.at
            ));
        }
        if fits != self.never {
            return None;
        }
        let run = if found.is_empty() { "there is none".into() } else { found.join(", ") };
        let claimed = if self.never { "no such advisory" } else { "an advisory" };
        Some(format!("{claimed} is claimed ({:?}), but in the run: {run}", self.kind))
    }
}

impl Holds {
    /// What is wrong with it, a sentence each.
    pub(super) fn compare(&self, trace: &Trace) -> Vec<String> {
        let names: Vec<&str> = trace.streams.iter().map(String::as_str).collect();
        let place = match self.name.as_deref() {
            None if names.len() == 1 => Some(0),
            None => {
                return vec![format!("say which stream by `name`: there are {}", names.join(", "))];
            }
            Some(name) => names.iter().position(|n| *n == name),
        };
        let Some(place) = place else {
            return vec![nearest(self.name.as_deref().unwrap_or_default(), "a stream", &names)];
        };
        let id = StreamId(u16::try_from(place).unwrap_or(u16::MAX));
        let (mut kept, mut last) = (BTreeSet::new(), 0);
        for record in trace.records.iter().take_while(|record| record.at <= self.at) {
            match record.event {
                Event::Stored { stream, seq, .. } if stream == id => {
                    kept.insert(seq);
                    last = last.max(seq);
                }
                Event::NotKept { stream, seq, .. } if stream == id => last = last.max(seq),
                Event::Removed { stream, seq, .. } if stream == id => {
                    kept.remove(&seq);
                }
                _ => {}
            }
        }
        let first = kept.first().copied().unwrap_or(if last == 0 { 0 } else { last + 1 });
        [
            ("messages", self.messages, kept.len() as u64),
            ("first_seq", self.first_seq, first),
            ("last_seq", self.last_seq, last),
        ]
        .into_iter()
        .filter_map(|(name, claimed, found)| {
            let claimed = claimed.filter(|claimed| *claimed != found)?;
            Some(format!(
                "{name} = {claimed} of {} is claimed at {:?}, but the run gave {found}",
                names[place], self.at
            ))
        })
        .collect()
    }
}
