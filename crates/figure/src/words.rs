//! A run in words: the caption of a moment, the rows of the event table, the account, the outcome.

use crate::names;
use crate::put::Put as _;
use crate::story::{Life, Lives, Over, Story, WorkEnd};
use crate::tell;
use crate::ways::{effects, is_told, retried, standings};
use crate::why::moment;
use delivery_sim::order::sorted;
use delivery_sim::trace::{ClientId, Delivery, Drop, Event, Message, Msg, Removal, Reply};
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
    /// What kinds of turning points are in it: bits of [`KINDS`](crate::kinds::KINDS).
    pub kinds: u8,
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
/// An account of so many bytes tells no further row.
const ACCOUNT_BYTES: usize = 8_000;

/// The events worth a step, in order: those a reader should see one by one, not every network hop.
///
/// Their times are whole milliseconds and strictly increasing. What happens within two milliseconds is one row. Whoever
/// needs only some of them asks a [`Told`](crate::told::Told).
pub fn rows(trace: &Trace) -> Vec<Row> {
    let lives = Lives::new(trace);
    let story = Story::new(trace, &lives);
    let records = tell::records(trace);
    let moments = tell::moments(&story, &records);
    moments.into_iter().map(|moment| tell::row(&story, &records, moment)).collect()
}

/// The place in `rows` of what is happening at `t`: the last row at or before it.
pub fn row_at(rows: &[Row], t: Time) -> Option<usize> {
    rows.partition_point(|row| row.at <= t).checked_sub(1)
}

/// The whole run as a short text account, for readers who do not see the picture.
pub fn account(trace: &Trace) -> String {
    account_of(&rows(trace), trace.end, &conclusion(trace))
}

/// The account of a run with these rows.
pub(crate) fn account_of(rows: &[Row], end: Time, conclusion: &str) -> String {
    // Of a long run: how it begins, and what decides it (repeats, losses, ends).
    let first = if rows.len() <= ACCOUNT_ROWS { rows.len() } else { ACCOUNT_ROWS / 3 };
    let decides =
        |row: &&Row| row.what.iter().any(|span| matches!(span.state, "again" | "lost" | "dead"));
    let told = rows[..first].iter().chain(rows[first..].iter().filter(decides)).take(ACCOUNT_ROWS);
    let mut out = String::new();
    let mut left = rows.len();
    for row in told {
        if out.len() > ACCOUNT_BYTES {
            break;
        }
        out.put(&format!("{}: {} ", moment(row.at), row.text()));
        left -= 1;
    }
    if left > 0 {
        out.put(&format!("And {} more until {}. ", names::number(left as u64, false), moment(end)));
    }
    out.put(conclusion);
    out
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The sentence of conclusion.
    pub conclusion: String,
    /// The result row.
    pub counts: Vec<Count>,
}

/// How every message of a run fared.
#[derive(Default)]
pub(crate) struct Tally {
    sent: u64,
    handled: u64,
    /// Side effects that were committed.
    effects: u64,
    /// Whose side effect the same consumer's workers committed more than once, with the number of times: the last message
    /// of each such payload.
    committed_again: Vec<(Msg, u32)>,
    /// Worked on more than once by the same consumer, with the number of times.
    repeated: Vec<(Msg, u32)>,
    /// Delivered more than once by the same consumer, with the number of times.
    pub(crate) again: Vec<(Msg, u32)>,
    /// In the order of messages.
    pub(crate) lost: Vec<Msg>,
    /// Those of them whose sender got an error.
    told: Vec<Msg>,
    /// Calls of error callbacks.
    reports: u64,
    refused: Vec<Msg>,
    pub(crate) dead: Vec<Msg>,
    pub(crate) in_flight: Vec<Msg>,
    acked: u64,
    not_delivered: u64,
}

impl Tally {
    pub(crate) fn new(story: &Story<'_>) -> Self {
        let trace = story.trace;
        let mut tally = Self::default();
        let many = trace.messages.len();
        let [mut done, mut lost, mut refused, mut gone, mut told] =
            [(); 5].map(|()| vec![false; many]);
        let mark = |set: &mut Vec<bool>, msg: Msg| {
            if let Some(flag) = set.get_mut(msg.0 as usize) {
                *flag = true;
            }
        };
        // Advisories and copies of dead letters are not the reader's messages.
        let own = |msg: Msg| {
            matches!(trace.messages.get(msg.0 as usize), Some(Message::Published { .. }))
        };
        let mut again = Vec::new();
        for effect in effects(trace).iter().filter(|effect| effect.times > 0) {
            tally.effects += 1;
            if effect.last && effect.times > 1 {
                again.push((effect.msg, effect.times));
            }
        }
        tally.committed_again = sorted(again, Ord::cmp);
        // The same message may have two effects for each of two consumers.
        tally.committed_again.dedup_by_key(|(msg, _)| *msg);
        for record in &trace.records {
            match record.event {
                Event::Published { msg, .. } if own(msg) => tally.sent += 1,
                Event::WorkDone { delivery: Delivery { msg, .. }, .. } => mark(&mut done, msg),
                Event::HandlerDone { msg, .. } if own(msg) => mark(&mut done, msg),
                Event::Unheard { msg } if own(msg) => {
                    mark(&mut lost, msg);
                    if is_told(trace, msg) {
                        mark(&mut told, msg);
                    }
                }
                Event::Dropped { msg, why: Drop::Loss, .. } if retried(trace, msg) => {}
                Event::NotKept { msg, .. } if own(msg) => mark(&mut lost, msg),
                Event::Dropped { msg, by, why } => {
                    mark(&mut lost, msg);
                    tally.reports += u64::from(reports(trace, by, why));
                }
                Event::PubFailed { msg, .. } => mark(&mut told, msg),
                Event::Refused { msg, .. } => mark(&mut refused, msg),
                Event::Removed { msg, why: Removal::Limit | Removal::Age, .. } => {
                    mark(&mut gone, msg)
                }
                _ => {}
            }
        }
        tally.handled = done.iter().filter(|d| **d).count() as u64;
        for msg in (0..many as u32).map(Msg).filter(|msg| own(*msg)) {
            let place = msg.0;
            if refused[place as usize] {
                tally.refused.push(msg);
            }
            // Per consumer, the last delivery says how it stands; the worst of several counts.
            let (mut dead, mut open, mut settled) = (false, false, false);
            let (mut turns, mut deliveries) = (0, 0);
            for life in story.of_msg(msg).filter(|life| life.next.is_none()) {
                let of = life.delivery;
                deliveries = deliveries.max(of.attempt);
                let begun = story
                    .of(of.consumer, msg)
                    .filter(|&i| story.lives[i].started.is_some())
                    .count();
                turns = turns.max(begun as u32);
                match life.settled {
                    Some((_, Reply::Term, _)) => dead = true,
                    Some(_) => settled = true,
                    None if life.exhausted.is_some() => dead = true,
                    None if life.watch.is_empty()
                        || life.over.is_some_and(|(_, over)| over == Over::Removed) => {}
                    None => open = true,
                }
            }
            // What a limit took before any consumer was through with it has nobody who would miss it.
            let dropped = gone[place as usize] && !done[place as usize] && !dead && !settled;
            if lost[place as usize] || (dropped && !trace.consumers.is_empty()) {
                tally.lost.push(msg);
                if told[place as usize] {
                    tally.told.push(msg);
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
            let info =
                trace.consumer_info(delivery_sim::trace::ConsumerId(consumer as u16), trace.end);
            tally.not_delivered += info.num_pending;
        }
        tally
    }
}

/// What came of a run, computed from it.
pub(crate) fn outcome(story: &Story<'_>) -> Outcome {
    let tally = Tally::new(story);
    Outcome { conclusion: concluded(story, &tally), counts: counted(&tally) }
}

/// The sentence of conclusion, computed from the run.
pub fn conclusion(trace: &Trace) -> String {
    outcome(&Story::new(trace, &Lives::new(trace))).conclusion
}

fn concluded(story: &Story<'_>, tally: &Tally) -> String {
    let trace = story.trace;
    if tally.sent == 0 {
        return "Nothing was sent.".into();
    }
    let own = |msg: &Msg| matches!(trace.messages[msg.0 as usize], Message::Published { .. });
    let all: Vec<Msg> = (0..trace.messages.len() as u32).map(Msg).filter(own).collect();
    let sent = format!(
        "{} {} sent",
        names::number(tally.sent, true),
        names::noun(trace, &all, tally.sent == 1)
    );
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
            _ if even => format!("{} times", names::number(u64::from(most), false)),
            _ => format!("up to {} times", names::number(u64::from(most), false)),
        };
        format!("{} {} {what} {times}", names::names(trace, &names), was(&names))
    };
    let mut part = String::new();
    if !tally.repeated.is_empty() {
        part = repeats(&tally.repeated, "worked on");
    }
    // Work that was begun twice need not have been done twice; nor does an idempotent write count twice. And the same
    // order in two messages is worked on once in each.
    let again = msgs(&tally.committed_again);
    if !again.is_empty() {
        let whose = match again.len() {
            _ if again != msgs(&tally.repeated) => {
                &["the effect of ", &names::names(trace, &again), " was"].concat()
            }
            1 => "its effect was",
            _ => "their effects were",
        };
        part.put(if part.is_empty() { "" } else { ", and " });
        part.put(&[whose, " committed more than once"].concat());
    }
    if !part.is_empty() {
        parts.push(part);
    }
    let (ahead, behind) = overtaking(story, &msgs(&tally.again));
    if !ahead.is_empty() {
        parts.push(format!(
            "{} overtook {}",
            names::names(trace, &ahead),
            names::names(trace, &behind)
        ));
    }
    // Both lists are in the order of messages.
    let repeated = |msg: &Msg| tally.repeated.binary_search_by(|(other, _)| other.cmp(msg)).is_ok();
    let unworked: Vec<(Msg, u32)> =
        tally.again.iter().filter(|(msg, _)| !repeated(msg)).copied().collect();
    if !unworked.is_empty() {
        parts.push(repeats(&unworked, "delivered"));
    }
    if !tally.dead.is_empty() {
        parts.push(format!(
            "{} {} given up and will not be delivered again",
            names::names(trace, &tally.dead),
            was(&tally.dead)
        ));
    }
    let told = |told: bool| -> Vec<Msg> {
        tally.lost.iter().copied().filter(|msg| tally.told.contains(msg) == told).collect()
    };
    let heard = match tally.reports {
        0 => "nobody was told".into(),
        n => called(n),
    };
    for (lost, end) in [(told(false), heard), (told(true), "the sender got an error".into())] {
        if !lost.is_empty() {
            let (names, was) = (names::names(trace, &lost), was(&lost));
            parts.push(format!("{names} {was} lost, and {end}"));
        }
    }
    if !tally.refused.is_empty() {
        parts.push(format!(
            "{} {} refused by the stream",
            names::names(trace, &tally.refused),
            was(&tally.refused)
        ));
    }
    if !tally.in_flight.is_empty() {
        let has = if tally.in_flight.len() == 1 { "has" } else { "have" };
        parts.push(format!(
            "{} still {has} no answer at the end",
            names::names(trace, &tally.in_flight)
        ));
    }
    if tally.not_delivered > 0 {
        parts.push(format!("{} not delivered yet", names::number(tally.not_delivered, false)));
    }
    let all = standings(trace);
    for (i, count) in all.iter().enumerate() {
        if all.get(i + 1).is_none_or(|next| next.by != count.by) {
            parts.push(format!("{} stands at {}", story.client(count.by), count.kept));
        }
    }
    if parts.is_empty() && tally.acked == tally.sent && tally.again.is_empty() {
        return format!(
            "{sent}, {}delivered once and acknowledged.",
            if tally.sent == 1 { "" } else { "each " }
        );
    }
    if parts.is_empty() {
        return format!("{sent}, {} handled.", names::number(tally.handled, false));
    }
    format!("{sent}; {}.", parts.join("; "))
}

/// Whether a subscriber's error callback is told of a drop (R9).
pub(crate) fn reports(trace: &Trace, by: ClientId, why: Drop) -> bool {
    let name = trace.clients.get(usize::from(by.0)).map(|client| &client.name);
    why == Drop::BufferFull
        && trace.scenario.subscribers.iter().any(|s| s.error_callback && Some(&s.name) == name)
}

/// How often error callbacks were called.
pub(crate) fn called(times: u64) -> String {
    let times = match times {
        1 => "once".into(),
        n => [&names::number(n, false), " times"].concat(),
    };
    ["the error callback was called ", &times].concat()
}

/// Which messages overtook which of `again`: begun after a failed turn of it and before it was done, although it is before
/// them in the stream.
pub(crate) fn overtaking(story: &Story<'_>, again: &[Msg]) -> (Vec<Msg>, Vec<Msg>) {
    if again.is_empty() {
        return (Vec::new(), Vec::new());
    }
    // When work began on first deliveries, in order: each repeat looks only at those of its own time.
    let first = |life: &Life| life.started.filter(|_| !life.again()).map(|at| (at, life.delivery));
    let begun: Vec<(Time, Delivery)> = story.lives.iter().filter_map(first).collect();
    let begun = sorted(begun, |a, b| a.0.cmp(&b.0));
    let mut ahead = vec![false; story.trace.messages.len()];
    let mut behind = Vec::new();
    for &msg in again {
        let failed =
            story.of_msg(msg).filter(|l| l.next.is_some()).filter_map(|life| match life.work_end {
                Some((_, WorkEnd::Done)) => None,
                Some((at, _)) => Some((at, life.delivery)),
                None => life.over.map(|(at, _)| (at, life.delivery)),
            });
        let Some((from, of)) = failed.min_by_key(|(at, _)| *at) else { continue };
        let done =
            |life: &Life| life.work_end.filter(|(_, end)| *end == WorkEnd::Done).map(|(at, _)| at);
        let until = story.of_msg(msg).filter_map(done).min().unwrap_or(story.trace.end);
        let after = begun.partition_point(|(at, _)| *at <= from);
        let mut any = false;
        for (_, other) in begun[after..].iter().take_while(|(at, _)| *at < until) {
            if other.consumer == of.consumer
                && other.seq > of.seq
                && let Some(flag) = ahead.get_mut(other.msg.0 as usize)
            {
                (*flag, any) = (true, true);
            }
        }
        if any {
            behind.push(msg);
        }
    }
    let ahead = (0..ahead.len() as u32).map(Msg).filter(|msg| ahead[msg.0 as usize]).collect();
    (ahead, behind)
}

/// The result row.
pub fn counts(trace: &Trace) -> Vec<Count> {
    outcome(&Story::new(trace, &Lives::new(trace))).counts
}

fn counted(tally: &Tally) -> Vec<Count> {
    let mut counts = vec![
        Count { name: "sent", count: tally.sent, state: "stored" },
        Count { name: "handled", count: tally.handled, state: "acked" },
        Count { name: "delivered again", count: tally.again.len() as u64, state: "again" },
        Count { name: "lost", count: tally.lost.len() as u64, state: "lost" },
        Count { name: "dead", count: tally.dead.len() as u64, state: "dead" },
        Count { name: "in flight", count: tally.in_flight.len() as u64, state: "inflight" },
    ];
    // Only where there are any: a subscriber of Core NATS has no effects to count.
    for (name, count, state) in [
        ("effects", tally.effects, "acked"),
        ("committed twice", tally.committed_again.len() as u64, "again"),
        ("refused", tally.refused.len() as u64, "stored"),
        ("not delivered yet", tally.not_delivered, "stored"),
        ("error callbacks", tally.reports, "lost"),
    ] {
        if count > 0 {
            counts.push(Count { name, count, state });
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Script, delivery};
    use crate::why::{Kind, why};
    use delivery_sim::Dur;
    use delivery_sim::scenario::{Op, Via};
    use delivery_sim::trace::{Cause, ClientId, Effect};

    #[test]
    fn a_run_is_told_row_by_row() {
        let rows = rows(&fixture::crash_redelivery());
        let told: Vec<(u64, &str, String)> =
            rows.iter().map(|row| (row.at.as_ms(), row.who.as_str(), row.text())).collect();
        let expected = [
            (
                0,
                "publisher, run 1",
                "Publisher sends order-1 and order-2. Run 1 starts and asks for work.",
            ),
            (1, "run 1", "Run 1 gets order-1: its stopwatch runs out at T+5.0 s."),
            (
                601,
                "run 1",
                "Run 1 dies with order-1 unfinished. The server takes no notice: the stopwatch runs on until T+5.0 s.",
            ),
            (
                1001,
                "run 2",
                "Run 2 starts, asks for work and gets order-2: its stopwatch runs out at T+6.0 s.",
            ),
            (
                1601,
                "run 2",
                "Run 2 dies with order-2 unfinished. The server takes no notice: the stopwatch runs on until T+6.0 s.",
            ),
            (5001, "orders", "The stopwatch of order-1 runs out. It waits for a worker that asks."),
            (6001, "orders", "The stopwatch of order-2 runs out. It waits for a worker that asks."),
            (
                8001,
                "run 3",
                "Run 3 starts, asks for work and gets order-1 again, as delivery 2: its stopwatch runs out at T+13.0 s. Run 1 died with it at T+0.6 s, nobody answered, and its stopwatch ran out at T+5.0 s.",
            ),
            (
                9401,
                "run 3",
                "Run 3 finishes order-1 and acks it, 3.6 s before its stopwatch runs out.",
            ),
        ];
        for (told, (at, who, text)) in told.iter().zip(expected) {
            assert_eq!((told.0, told.1, told.2.as_str()), (at, who, text));
        }
        assert_eq!(told.len(), expected.len());
        assert_eq!(rows[7].messages, ["order-1"]);
        let states: Vec<_> = rows[7]
            .what
            .iter()
            .filter(|s| !s.state.is_empty())
            .map(|s| (s.state, s.text.as_str()))
            .collect();
        assert_eq!(states, [("again", "again")]);
    }

    #[test]
    fn a_moment_has_its_row() {
        let rows = rows(&fixture::crash_redelivery());
        for (ms, at) in [
            (0, Some(0)),
            (1, Some(1)),
            (600, Some(1)),
            (601, Some(2)),
            (8_600, Some(7)),
            (99_999, Some(8)),
        ] {
            assert_eq!(row_at(&rows, Time::ms(ms)), at, "{ms} ms");
        }
        assert_eq!(row_at(&[], Time::ZERO), None);
    }

    #[test]
    fn a_batch_that_ages_says_so() {
        let trace = fixture::batch_ageing();
        let rows = rows(&trace);
        let row = rows.iter().find(|row| row.text().contains("again")).unwrap();
        assert_eq!(row.at, Time::ms(1_101));
        assert!(row.text().ends_with(
            "B gets order-5 to order-10 again, as delivery 2: all their stopwatches run out at T+2.1 s. It begins order-5; \
             the other five wait in its buffer. They stood at places 5 to 10 in the buffer of A: by T+1.1 s, when their \
             stopwatches of 1 s ran out, the work had not got so far."
        ), "{}", row.text());
        assert_eq!(
            why(&trace, delivery(6, 2)).sentence,
            "It was number 6 at A: 6 × 200 ms is 1.2 s, and its stopwatch of 1 s ran out at T+1.1 s while it waited there."
        );
        assert_eq!(
            conclusion(&trace),
            "Ten orders sent; order-5 to order-10 were worked on twice, and their effects were committed more than once."
        );
    }

    #[test]
    fn an_outcome_is_computed() {
        let ms = Time::ms;
        let script = |end| Script::new(&["A", "B"], Dur::secs(1), end);
        let mut once = script(ms(3_000));
        once.publish(ms(0), 2).start(ms(0), 1);
        for n in 1..=2 {
            once.deliver(ms(10), n, 1, 1, Cause::New).work(ms(20 * u64::from(n)), n, 1, 1).done(
                ms(20 * u64::from(n) + 15),
                n,
                1,
                1,
            );
        }
        let mut dead = script(ms(3_000));
        dead.publish(ms(0), 1)
            .start(ms(0), 1)
            .deliver(ms(10), 1, 1, 1, Cause::New)
            .work(ms(20), 1, 1, 1)
            .expire(ms(1_010), 1, 1);
        dead.add(ms(1_010), Event::Exhausted { delivery: delivery(1, 1), advised: true });
        // The fixture publishes by JetStream, whose publisher waits for a PubAck.
        let lost = |via: Via| {
            let mut script = script(ms(100));
            script.publish(ms(0), 1).add(ms(1), Event::Unheard { msg: Msg(0) });
            let mut trace = script.end();
            if let Op::Publish(publish) = &mut trace.scenario.timeline[0].op {
                publish.via = via;
            }
            trace
        };
        let mut full = script(ms(100));
        full.publish(ms(0), 2);
        for (n, why) in [Removal::Limit, Removal::SubjectLimit].into_iter().enumerate() {
            let (msg, stream) = (Msg(n as u32), delivery_sim::trace::StreamId(0));
            full.add(ms(1), Event::Removed { msg, stream, seq: n as u64 + 1, why });
        }
        type More = [(&'static str, u64)];
        let runs: [(Trace, &str, [u64; 6], &More); 8] = [
            (
                fixture::crash_redelivery(),
                "Two orders sent; order-1 was worked on twice; order-2 overtook order-1; order-2 still has no answer at the end.",
                [2, 1, 1, 0, 0, 1],
                &[("effects", 1)],
            ),
            (
                fixture::batch_ageing(),
                "Ten orders sent; order-5 to order-10 were worked on twice, and their effects were committed more than once.",
                [10, 10, 6, 0, 0, 0],
                &[("effects", 16), ("committed twice", 6)],
            ),
            (
                once.end(),
                "Two orders sent, each delivered once and acknowledged.",
                [2, 2, 0, 0, 0, 0],
                &[("effects", 2)],
            ),
            (
                dead.end(),
                "One order sent; order-1 was given up and will not be delivered again.",
                [1, 0, 0, 0, 1, 0],
                &[],
            ),
            (
                lost(Via::Core),
                "One order sent; order-1 was lost, and nobody was told.",
                [1, 0, 0, 1, 0, 0],
                &[],
            ),
            (
                lost(Via::Js),
                "One order sent; order-1 was lost, and the sender got an error.",
                [1, 0, 0, 1, 0, 0],
                &[],
            ),
            (
                full.end(),
                "Two orders sent; order-1 was lost, and nobody was told.",
                [2, 0, 0, 1, 0, 0],
                &[],
            ),
            (script(ms(100)).end(), "Nothing was sent.", [0; 6], &[]),
        ];
        for (trace, said, numbers, more) in runs {
            assert_eq!(conclusion(&trace), said);
            let counted: Vec<(&str, u64)> =
                counts(&trace).iter().map(|c| (c.name, c.count)).collect();
            let names = ["sent", "handled", "delivered again", "lost", "dead", "in flight"];
            let always = names.into_iter().zip(numbers);
            assert_eq!(counted, always.chain(more.iter().copied()).collect::<Vec<_>>(), "{said}");
        }
    }

    /// What a publisher that loses messages, or a worker that acks first, makes of one order.
    #[test]
    fn an_order_in_two_messages_and_one_lost_on_the_way() {
        let run = |seed: u32, publish: &str, worker: &str| {
            let publish = format!(
                "[[timeline]]\nat = '1s'\nop.publish = {{ subject = 'orders', data = 'order-1', timeout = '1s', {publish} }}\n"
            );
            let text = format!(
                "seed = {seed}\nend = '9s'\nstreams = [{{ name = 'ORDERS', subjects = ['orders'] }}]\n\
                 consumers = [{{ stream = 'ORDERS', config = {{ durable_name = 'c' }} }}]\n\
                 [[workers]]\nservice_time = '100ms'\n{worker}\n{publish}"
            );
            delivery_sim::run(&toml::from_str(&text).unwrap()).unwrap()
        };
        let lost = |trace: &Trace| counts(trace).iter().find(|c| c.name == "lost").unwrap().count;
        let twice = run(1, "count = 2, every = '1s'", "");
        assert_eq!(
            conclusion(&twice),
            "Two orders sent; the effect of order-1 was committed more than once."
        );
        let known = run(1, "count = 2, every = '1s'", "idempotent = true");
        assert_eq!(conclusion(&known), "Two orders sent, each delivered once and acknowledged.");
        let away = run(1, "lost_chance = '100%'", "");
        assert_eq!(
            (conclusion(&away).as_str(), lost(&away)),
            ("One order sent; order-1 was lost, and the sender got an error.", 1)
        );
        let dropped = |trace: &Trace| {
            trace.records.iter().filter(|r| matches!(r.event, Event::Dropped { .. })).count()
        };
        let again = (1..50)
            .map(|seed| run(seed, "lost_chance = '50%', retry = true, msg_id = 'x'", ""))
            .find(|trace| dropped(trace) == 1)
            .unwrap();
        assert_eq!(lost(&again), 0, "it was published again");
        let first = run(1, "count = 1", "ack_first = true");
        assert_eq!(conclusion(&first), "One order sent, delivered once and acknowledged.");
        assert_eq!(counts(&first)[1].count, 1, "the work goes on after an ack that comes first");
    }

    /// Order-1 goes to A at T+0.01 with a stopwatch of 1 s, `with` happens, and B gets it again at T+2 for `cause`.
    fn again(cause: Cause, with: impl Fn(&mut Script)) -> (Kind, String) {
        let ms = Time::ms;
        let mut script = Script::new(&["A", "B"], Dur::secs(1), ms(5_000));
        script.publish(ms(0), 1).deliver(ms(10), 1, 1, 1, Cause::New);
        with(&mut script);
        script.deliver(ms(2_000), 1, 2, 2, cause);
        let trace = script.end();
        let reason = why(&trace, delivery(1, 2));
        let rows = rows(&trace);
        let told = rows
            .iter()
            .find(|row| row.text().contains("B gets order-1 again, as delivery 2"))
            .unwrap();
        assert!(told.text().ends_with(&reason.sentence), "{}", told.text());
        assert_eq!(why(&trace, delivery(1, 1)).kind, Kind::First);
        (reason.kind, reason.sentence)
    }

    #[test]
    fn every_cause_has_its_sentence() {
        let ms = Time::ms;
        let expired = |s: &mut Script| {
            s.expire(ms(1_010), 1, 1);
        };
        type With<'a> = &'a dyn Fn(&mut Script);
        let rows: [(Cause, With<'_>, Kind, &str); 12] = [
            (
                Cause::Expired,
                &|s| {
                    expired(s.work(ms(10) + fixture::HOP, 1, 1, 1));
                    s.done(ms(3_010) + fixture::HOP, 1, 1, 1);
                },
                Kind::TooSlow { worked: Dur(999_800_000) },
                "A needs 3 s for it, longer than its stopwatch of 1 s, which ran out at T+1.01 s.",
            ),
            (
                Cause::Expired,
                &|s| expired(s.work(ms(110), 1, 1, 1)),
                Kind::TooSlow { worked: Dur::ms(900) },
                "A had been at it for 900 ms when its stopwatch of 1 s ran out at T+1.01 s.",
            ),
            (
                Cause::Expired,
                &expired,
                Kind::AgedInBuffer { ahead: 0, waited: Dur(999_800_000) },
                "It waited 1 s in the buffer of A, and its stopwatch of 1 s ran out at T+1.01 s while it waited there.",
            ),
            (
                Cause::Expired,
                &|s| expired(s.work(ms(20), 1, 1, 1).crash(ms(500), 1)),
                Kind::WorkerDied { at: ms(500) },
                "A died with it at T+0.5 s, nobody answered, and its stopwatch ran out at T+1.01 s.",
            ),
            (
                Cause::Expired,
                &|s| {
                    expired(
                        s.work(ms(20), 1, 1, 1)
                            .add(ms(500), Event::Stopped { client: ClientId(1) }),
                    );
                },
                Kind::WorkerLeft { at: ms(500) },
                "A closed its connection at T+0.5 s without an answer, and its stopwatch ran out at T+1.01 s.",
            ),
            (
                Cause::Expired,
                &|s| {
                    expired(
                        s.add(ms(11), Event::Missed { delivery: delivery(1, 1), by: ClientId(1) }),
                    );
                },
                Kind::NeverArrived,
                "It was sent to A, whose connection was gone; its stopwatch ran out at T+1.01 s all the same.",
            ),
            (
                Cause::Expired,
                &|s| {
                    expired(s.work(ms(20), 1, 1, 1).add(
                        ms(400),
                        Event::Answered {
                            delivery: delivery(1, 1),
                            by: ClientId(1),
                            reply: Reply::Ack,
                        },
                    ));
                },
                Kind::AnswerLost { at: ms(400) },
                "A answered at T+0.4 s, but the answer never reached the server; its stopwatch ran out at T+1.01 s.",
            ),
            (
                Cause::Expired,
                &|s| {
                    let of = delivery(1, 1);
                    expired(s.work(ms(20), 1, 1, 1).add(
                        ms(1_000),
                        Event::Answered { delivery: of, by: ClientId(1), reply: Reply::Ack },
                    ));
                    s.add(
                        ms(2_500),
                        Event::Recorded {
                            delivery: of,
                            reply: Reply::Ack,
                            effect: Effect::Settled,
                        },
                    );
                },
                Kind::AnsweredTooLate { at: ms(1_000) },
                "A answered at T+1.0 s, but its stopwatch had run out at T+1.01 s when the answer arrived.",
            ),
            (
                Cause::Expired,
                &|s| {
                    expired(s.work(ms(20), 1, 1, 1).add(
                        ms(400),
                        Event::WorkDone {
                            delivery: delivery(1, 1),
                            by: ClientId(1),
                            changed: true,
                        },
                    ));
                },
                Kind::NoAnswer,
                "A was through with it and never answered; its stopwatch ran out at T+1.01 s.",
            ),
            (
                Cause::Nak,
                &|s| {
                    s.work(ms(20), 1, 1, 1).answer(ms(600), 1, 1, 1, Reply::Nak, Effect::Queued);
                },
                Kind::Nak,
                "A gave it back, and that brings it back at once.",
            ),
            (
                Cause::NakDelay,
                &|s| {
                    let reply = Reply::NakDelay(Dur::ms(1_400));
                    s.work(ms(20), 1, 1, 1).answer(
                        ms(600),
                        1,
                        1,
                        1,
                        reply,
                        Effect::DelayedUntil(ms(2_000)),
                    );
                },
                Kind::NakDelay { at: ms(600) + fixture::HOP },
                "A gave it back at T+0.6 s for later, and that delay was over at T+2.0 s.",
            ),
            (
                Cause::Restart,
                &|_| {},
                Kind::Restart,
                "The server restarted, and its stopwatch with it.",
            ),
        ];
        for (cause, with, kind, sentence) in rows {
            assert_eq!(again(cause, with), (kind, sentence.into()));
        }
    }
}
