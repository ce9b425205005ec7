//! A run in words: the caption of a moment, the rows of the event table, the account, the outcome.

use crate::story::{Over, Story};
use crate::tell;
use delivery_sim::trace::{Event, Msg, Reply};
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
    /// When: the first whole millisecond at which all of it has happened.
    pub at: Time,
    /// Whose lane it is on.
    pub who: String,
    /// The messages it is about, by label.
    pub messages: Vec<String>,
    /// What happened, in one sentence or a few, with its cause.
    pub what: Vec<Span>,
}

impl Row {
    /// What happened as plain text.
    pub fn text(&self) -> String {
        self.what.iter().map(|span| span.text.as_str()).collect()
    }
}

/// Numbers under a figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// What is counted, `delivered again`.
    pub name: &'static str,
    /// How many.
    pub count: u64,
    /// CSS class of the state, as in [`Span`].
    pub state: &'static str,
}

/// Rows that an account tells one by one; of a longer run it tells the first ones and those that decide.
const ACCOUNT_ROWS: usize = 30;

/// The events worth a step, in order: those a reader should see one by one, not every network hop.
///
/// Their times are whole milliseconds and strictly increasing. What happens within two milliseconds is one row.
pub fn rows(trace: &Trace) -> Vec<Row> {
    tell::rows(&Story::new(trace))
}

/// The place in `rows` of what is happening at `t`: the last row at or before it.
pub fn row_at(rows: &[Row], t: Time) -> Option<usize> {
    rows.partition_point(|row| row.at <= t).checked_sub(1)
}

/// The whole run as a short text account, for readers who do not see the picture.
pub fn account(trace: &Trace) -> String {
    let rows = rows(trace);
    let mut out = String::new();
    let mut tell = |row: &Row| {
        out.push_str(&row.at.to_string());
        out.push_str(": ");
        out.push_str(&row.text());
        out.push(' ');
    };
    if rows.len() <= ACCOUNT_ROWS {
        rows.iter().for_each(&mut tell);
    } else {
        let first = ACCOUNT_ROWS / 3;
        rows[..first].iter().for_each(&mut tell);
        // What decides a run: repeats, losses, ends.
        let decides = |row: &&Row| row.what.iter().any(|span| matches!(span.state, "again" | "lost" | "dead"));
        let deciding: Vec<&Row> = rows[first..].iter().filter(decides).collect();
        let told = deciding.len().min(ACCOUNT_ROWS - first);
        deciding[..told].iter().for_each(|row| tell(row));
        let left = rows.len() - first - told;
        out.push_str(&format!("And {left} more events until {}. ", trace.end));
    }
    out.push_str(&conclusion(trace));
    out
}

/// How every message of a run fared.
#[derive(Default)]
struct Tally {
    sent: u64,
    handled: u64,
    /// Worked on more than once by the same consumer, with the number of times.
    repeated: Vec<(Msg, u32)>,
    /// Delivered more than once by the same consumer, with the number of times.
    again: Vec<(Msg, u32)>,
    lost: Vec<Msg>,
    refused: Vec<Msg>,
    dead: Vec<Msg>,
    in_flight: Vec<Msg>,
    acked: u64,
    not_delivered: u64,
}

impl Tally {
    fn new(story: &Story<'_>) -> Self {
        let trace = story.trace;
        let mut tally = Self::default();
        let many = trace.messages.len();
        let (mut done, mut lost, mut refused) = (vec![false; many], vec![false; many], vec![false; many]);
        let mark = |set: &mut Vec<bool>, msg: Msg| {
            if let Some(flag) = set.get_mut(msg.0 as usize) {
                *flag = true;
            }
        };
        for record in &trace.records {
            match record.event {
                Event::Published { .. } => tally.sent += 1,
                Event::WorkDone { delivery, .. } => mark(&mut done, delivery.msg),
                Event::HandlerDone { msg, .. } => mark(&mut done, msg),
                Event::Unheard { msg } | Event::Dropped { msg, .. } => mark(&mut lost, msg),
                Event::Refused { msg, .. } => mark(&mut refused, msg),
                _ => {}
            }
        }
        tally.handled = done.iter().filter(|d| **d).count() as u64;
        for place in 0..many as u32 {
            let msg = Msg(place);
            if lost[place as usize] {
                tally.lost.push(msg);
            }
            if refused[place as usize] {
                tally.refused.push(msg);
            }
            // Per consumer, the last delivery says how it stands; the worst of several counts.
            let (mut dead, mut open, mut settled) = (false, false, false);
            let (mut turns, mut deliveries) = (0, 0);
            for life in story.of_msg(msg).filter(|life| life.next.is_none()) {
                let of = life.delivery;
                deliveries = deliveries.max(of.attempt);
                let begun = story.of(of.consumer, msg).filter(|&i| story.lives[i].started.is_some()).count();
                turns = turns.max(begun as u32);
                match life.settled {
                    Some((_, Reply::Term, _)) => dead = true,
                    Some(_) => settled = true,
                    None if life.exhausted.is_some() => dead = true,
                    None if life.watch.is_empty() || life.over.is_some_and(|(_, over)| over == Over::Removed) => {}
                    None => open = true,
                }
            }
            if dead {
                tally.dead.push(msg);
            } else if open {
                tally.in_flight.push(msg);
            } else if settled {
                tally.acked += 1;
            }
            if turns > 1 {
                tally.repeated.push((msg, turns));
            }
            if deliveries > 1 {
                tally.again.push((msg, deliveries));
            }
        }
        for consumer in 0..trace.consumers.len() {
            let info = trace.consumer_info(delivery_sim::trace::ConsumerId(consumer as u16), trace.end);
            tally.not_delivered += info.num_pending;
        }
        tally
    }
}

/// The sentence of conclusion, computed from the run.
pub fn conclusion(trace: &Trace) -> String {
    let story = Story::new(trace);
    let tally = Tally::new(&story);
    if tally.sent == 0 {
        return "Nothing was sent.".into();
    }
    let all: Vec<Msg> = (0..trace.messages.len() as u32).map(Msg).collect();
    let sent = format!("{} {} sent", tell::number(tally.sent, true), tell::noun(trace, &all, tally.sent == 1));
    let mut parts: Vec<String> = Vec::new();
    let msgs = |list: &[(Msg, u32)]| list.iter().map(|(msg, _)| *msg).collect::<Vec<_>>();
    // What was worked on twice, and what passed it meanwhile.
    let was = |list: &[Msg]| if list.len() == 1 { "was" } else { "were" };
    let repeats = |list: &[(Msg, u32)], what: &str| {
        let names = msgs(list);
        let most = list.iter().map(|(_, n)| *n).max().unwrap_or(0);
        let even = list.iter().all(|(_, n)| *n == most);
        let times = match most {
            2 => "twice".into(),
            _ if even => format!("{} times", tell::number(u64::from(most), false)),
            _ => format!("up to {} times", tell::number(u64::from(most), false)),
        };
        format!("{} {} {what} {times}", tell::names(trace, &names), was(&names))
    };
    if !tally.repeated.is_empty() {
        let overtaken = overtaking(&story, &tally.repeated);
        let mut part = repeats(&tally.repeated, "worked on");
        if !overtaken.is_empty() {
            let whom = if tally.repeated.len() == 1 { "it" } else { "them" };
            part.push_str(&format!(", and {} overtook {whom}", tell::names(trace, &overtaken)));
        }
        parts.push(part);
    }
    let unworked: Vec<(Msg, u32)> =
        tally.again.iter().filter(|(msg, _)| tally.repeated.iter().all(|(other, _)| other != msg)).copied().collect();
    if !unworked.is_empty() {
        parts.push(repeats(&unworked, "delivered"));
    }
    if !tally.dead.is_empty() {
        parts.push(format!("{} {} given up and will not be delivered again", tell::names(trace, &tally.dead), was(&tally.dead)));
    }
    if !tally.lost.is_empty() {
        parts.push(format!("{} {} lost, and nobody was told", tell::names(trace, &tally.lost), was(&tally.lost)));
    }
    if !tally.refused.is_empty() {
        parts.push(format!("{} {} refused by the stream", tell::names(trace, &tally.refused), was(&tally.refused)));
    }
    if !tally.in_flight.is_empty() {
        let has = if tally.in_flight.len() == 1 { "has" } else { "have" };
        parts.push(format!("{} still {has} no answer at the end", tell::names(trace, &tally.in_flight)));
    }
    if tally.not_delivered > 0 {
        parts.push(format!("{} not delivered yet", tell::number(tally.not_delivered, false)));
    }
    if parts.is_empty() && tally.acked == tally.sent && tally.again.is_empty() {
        return format!("{sent}, {}delivered once and acknowledged.", if tally.sent == 1 { "" } else { "each " });
    }
    if parts.is_empty() {
        return format!("{sent}, {} handled.", tell::number(tally.handled, false));
    }
    format!("{sent}; {}.", parts.join("; "))
}

/// Messages behind all of these in their stream that were begun before the last turn of every one of them.
fn overtaking(story: &Story<'_>, repeated: &[(Msg, u32)]) -> Vec<Msg> {
    let mut found = Vec::new();
    let last_turn = repeated
        .iter()
        .filter_map(|(msg, _)| story.of_msg(*msg).filter_map(|life| life.started.map(|at| (at, life.delivery.seq))).max())
        .max();
    let Some((begun, _)) = last_turn else { return found };
    let behind = repeated.iter().filter_map(|(msg, _)| story.of_msg(*msg).next().map(|l| l.delivery.seq)).max();
    let mut known: Vec<bool> = vec![false; story.trace.messages.len()];
    for life in &story.lives {
        let of = life.delivery;
        let new = known.get_mut(of.msg.0 as usize).is_some_and(|flag| !core::mem::replace(flag, true));
        if new && behind.is_some_and(|seq| of.seq > seq) && life.started.is_some_and(|at| at < begun) {
            found.push(of.msg);
        }
    }
    found
}

/// The result row.
pub fn counts(trace: &Trace) -> Vec<Count> {
    let tally = Tally::new(&Story::new(trace));
    let mut counts = vec![
        Count { name: "sent", count: tally.sent, state: "stored" },
        Count { name: "handled", count: tally.handled, state: "acked" },
        Count { name: "delivered again", count: tally.again.len() as u64, state: "again" },
        Count { name: "lost", count: tally.lost.len() as u64, state: "lost" },
        Count { name: "dead", count: tally.dead.len() as u64, state: "dead" },
        Count { name: "in flight", count: tally.in_flight.len() as u64, state: "inflight" },
    ];
    for (name, count) in [("refused", tally.refused.len() as u64), ("not delivered yet", tally.not_delivered)] {
        if count > 0 {
            counts.push(Count { name, count, state: "stored" });
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn show() {
        for trace in [fixture::crash_redelivery(), fixture::batch_ageing()] {
            for row in rows(&trace) {
                println!("{:?} [{}] {:?} {}", row.at, row.who, row.messages, row.text());
            }
            println!("{}\n{:?}\n", conclusion(&trace), counts(&trace));
        }
    }
}
