//! Two runs side by side: what happens to the same message at another time, or in one of them only.

use crate::put::Put as _;
use delivery_sim::order::sorted;
use delivery_sim::trace::{Delivery, Event, Message, Msg};
use delivery_sim::{Time, Trace};

/// Something that happens to a message, at different times in two runs or in one only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The message by its label and what happens to it, `order-1, delivery 2`.
    pub what: String,
    /// When it happens in the first run; none if it does not.
    pub before: Option<Time>,
    /// When it happens in the second.
    pub after: Option<Time>,
}

/// What can happen to a message that a reader compares.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// The delivery of that number, by the consumer of that place.
    Delivered(u32, u16),
    /// Its work is done, for the first, second … time.
    Done(u32),
    Lost,
    Dead,
}

/// Something in one run: the message by its place in the first run, what, and when.
type Happening = (u32, What, Time);

/// What differs between two runs of one lab, in the order of the earlier of the two moments. Deliveries, work that is done,
/// losses and ends are compared; the same message is the same publication of the scenario (its step and its number in it).
pub fn differences(before: &Trace, after: &Trace) -> Vec<Difference> {
    let (first, second) = (happenings(before, before), happenings(after, before));
    let mut all = Vec::new();
    let mut rest = &second[..];
    let mut add = |msg: u32, what: What, one: Option<Time>, other: Option<Time>| {
        if one != other {
            all.push((one.into_iter().chain(other).min(), msg, what, one, other));
        }
    };
    for &(msg, what, at) in &first {
        // Both are in the order of message and happening, so each is met once.
        while let Some((&(other, of, when), more)) = rest.split_first()
            && (other, of) < (msg, what)
        {
            add(other, of, None, Some(when));
            rest = more;
        }
        match rest.split_first() {
            Some((&(other, of, when), more)) if (other, of) == (msg, what) => {
                add(msg, what, Some(at), Some(when));
                rest = more;
            }
            _ => add(msg, what, Some(at), None),
        }
    }
    for &(msg, what, when) in rest {
        add(msg, what, None, Some(when));
    }
    sorted(all, |a, b| (a.0, a.1, a.2).cmp(&(b.0, b.1, b.2)))
        .into_iter()
        .map(|(_, msg, what, before_at, after_at)| {
            let trace = if (msg as usize) < before.messages.len() { before } else { after };
            let mut text = trace.label(Msg(msg));
            text.put(match what {
                What::Delivered(..) => ", delivery ",
                What::Done(1) => " is worked on",
                What::Done(_) => " is worked on, time ",
                What::Lost => " is lost",
                What::Dead => " is given up",
            });
            if let What::Delivered(n, _) | What::Done(n @ 2..) = what {
                text.put(&n.to_string());
            }
            if let What::Delivered(_, consumer) = what
                && trace.consumers.len() > 1
                && let Some(consumer) = trace.consumers.get(usize::from(consumer))
            {
                text.put(", ");
                text.put(&consumer.name);
            }
            Difference { what: text, before: before_at, after: after_at }
        })
        .collect()
}

/// What happens in `trace`, by message as `first` has it. A message that `first` does not have keeps its own place behind
/// those that it has.
fn happenings(trace: &Trace, first: &Trace) -> Vec<Happening> {
    let place = |msg: Msg| -> Option<u32> {
        let own = trace.messages.get(msg.0 as usize)?;
        // Advisories and copies of dead letters follow from the rest.
        if !matches!(own, Message::Published { .. }) {
            return None;
        }
        if first.messages.get(msg.0 as usize) == Some(own) {
            return Some(msg.0);
        }
        let found = first.messages.iter().position(|other| other == own);
        Some(found.unwrap_or(first.messages.len().max(msg.0 as usize)) as u32)
    };
    let mut done = vec![0; trace.messages.len()];
    let mut all: Vec<Happening> = Vec::new();
    for record in &trace.records {
        let (msg, what) = match record.event {
            Event::Delivered { delivery, .. } => {
                (delivery.msg, What::Delivered(delivery.attempt, delivery.consumer.0))
            }
            Event::WorkDone { delivery: Delivery { msg, .. }, .. }
            | Event::HandlerDone { msg, .. } => {
                let Some(times) = done.get_mut(msg.0 as usize) else { continue };
                *times += 1;
                (msg, What::Done(*times))
            }
            Event::Unheard { msg } | Event::Dropped { msg, .. } | Event::Refused { msg, .. } => {
                (msg, What::Lost)
            }
            Event::Exhausted { delivery, .. } => (delivery.msg, What::Dead),
            _ => continue,
        };
        if let Some(msg) = place(msg) {
            all.push((msg, what, record.at));
        }
    }
    let mut all = sorted(all, Ord::cmp);
    all.dedup_by(|next, kept| (next.0, next.1) == (kept.0, kept.1));
    all
}
