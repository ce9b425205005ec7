//! Conditions on a run: what a lab's answers and goals are judged by.
//!
//! A condition is a TOML table. Each key names something that can happen in a run; each value says which of it must be there:
//!
//! | written | holds if |
//! |---|---|
//! | `redelivered = 2` | it happens to exactly two messages |
//! | `redelivered = ["order-1", "order-2"]` | it happens to exactly these messages |
//! | `delivered = { msg = "order-1", attempt = 2, to = "run 3" }` | it happens so at least once |
//! | `expired = { at_least = 1 }`, `{ at_most = 3 }` | it happens to that many messages |
//! | `handled = { msg = "order-1", after = "5s", before = "8s" }` | it happens in that time; both ends belong to it |
//! | `delivered = [{ … }, { … }]` | each of them holds |
//! | `knobs = { ack_wait = "5s" }` | the reader's settings are these |
//!
//! All keys of a condition must hold. Only truth is computed here; a file's faults are the book's affair.

mod read;

use crate::lab::Lab;
use crate::story::{Lives, Story, WorkEnd};
use crate::tell::is_plain;
use crate::told::Told;
use crate::ways::{Counted, effects, retried, standings};
use crate::words::{Tally, overtaking, reports};
use delivery_sim::compact::{Compact, Reader};
use delivery_sim::scenario::Op;
use delivery_sim::setting::Value;
use delivery_sim::trace::{ClientId, Drop, Event, Message, Msg};
use delivery_sim::{Time, Trace};

/// What can happen to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A client publishes it.
    Sent,
    /// The call that publishes it returns: at once, and that of a JetStream publish when it hears from the server.
    Returned,
    /// An answer comes back to whoever waits for one: to a flush after it, to a request, to a JetStream publish, to a double ack.
    Replied,
    /// The server sends it to a client.
    Delivered,
    /// The server sends it again.
    Redelivered,
    /// The stopwatch of a delivery runs out.
    Expired,
    /// Work on it begins.
    Started,
    /// Work on it is completed.
    Handled,
    /// Work on it is completed once more for the same consumer.
    HandledTwice,
    /// Two workers of one consumer are at it at the same moment; the moment is the start of the second.
    WorkedOnAtOnce,
    /// The side effect of its payload happens a second time for the same consumer.
    EffectTwice,
    /// A later message is begun after a failed turn of it and before it is done.
    Overtaken,
    /// A copy of it is lost, or a limit of the stream takes it before anybody is through with it.
    Lost,
    /// A stream refuses it.
    Refused,
    /// It is given up: deliveries used up, or terminated.
    Dead,
    /// It has no answer when the run ends; the moment is that of its last delivery.
    InFlight,
    /// The error callback of a subscriber is told that there was no room for it.
    Reported,
    /// A subscriber that counts is done with it, and the count is wrong.
    Miscounted,
}

/// Everything that can happen, with its name in a lab's file.
const WHATS: [(What, &str); 18] = [
    (What::Sent, "sent"),
    (What::Returned, "returned"),
    (What::Replied, "replied"),
    (What::Delivered, "delivered"),
    (What::Redelivered, "redelivered"),
    (What::Expired, "expired"),
    (What::Started, "started"),
    (What::Handled, "handled"),
    (What::HandledTwice, "handled_twice"),
    (What::WorkedOnAtOnce, "worked_on_at_once"),
    (What::EffectTwice, "effect_twice"),
    (What::Overtaken, "overtaken"),
    (What::Lost, "lost"),
    (What::Refused, "refused"),
    (What::Dead, "dead"),
    (What::InFlight, "in_flight"),
    (What::Reported, "reported"),
    (What::Miscounted, "miscounted"),
];

/// What must hold of a run and of the settings that made it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Condition {
    /// What must happen; all of it.
    pub claims: Vec<Claim>,
    /// The settings it must happen with.
    pub knobs: Turns,
}

/// What must happen to how many messages. What is left open fits everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// What.
    pub what: What,
    /// To which messages, by label; empty for any.
    pub msgs: Vec<String>,
    /// To exactly these, each of them and no other.
    pub only: bool,
    /// As which delivery, from 1; zero for any.
    pub attempt: u32,
    /// At which client, by name; empty for any.
    pub client: String,
    /// The first moment that fits.
    pub after: Time,
    /// The last moment that fits.
    pub before: Time,
    /// At least so many messages.
    pub least: u64,
    /// At most so many messages.
    pub most: u64,
}

/// Knobs by name, each followed by what it is turned to, as addresses carry it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turns(pub Vec<String>);

delivery_sim::compact_struct!(Condition { claims, knobs });
delivery_sim::compact_struct!(Claim {
    what,
    msgs,
    only,
    attempt,
    client,
    after,
    before,
    least,
    most,
});

impl Compact for What {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(*self as u8);
    }
    fn get(from: &mut Reader<'_>) -> Self {
        WHATS[usize::from(from.variant(WHATS.len() as u8))].0
    }
}

impl Compact for Turns {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }
    fn get(from: &mut Reader<'_>) -> Self {
        Self(Compact::get(from))
    }
}

impl Turns {
    /// The query of an address that turns these knobs.
    pub fn query(&self) -> String {
        let mut query = String::new();
        for (i, part) in self.0.iter().enumerate() {
            query.push_str(if i == 0 { "" } else { ["&", "="][i % 2] });
            query.push_str(part);
        }
        query
    }
}

impl What {
    /// Its name in a lab's file.
    pub fn name(self) -> &'static str {
        WHATS[self as usize].1
    }
}

/// What happened to the messages of a run, ready to be asked about.
pub struct Facts<'a> {
    trace: &'a Trace,
    hits: Vec<Hit>,
}

/// Something happened to a message.
struct Hit {
    what: What,
    at: Time,
    msg: Msg,
    attempt: u32,
    client: ClientId,
}

/// Stands for no client.
const NOBODY: ClientId = ClientId(u16::MAX);

impl<'a> Facts<'a> {
    /// Reads a run.
    pub fn new(trace: &'a Trace) -> Self {
        let lives = Lives::new(trace);
        let story = Story::new(trace, &lives);
        let mut facts = Self { trace, hits: Vec::new() };
        let tally = Tally::new(&story);
        facts.events(&tally.lost);
        for Counted { at, by, msg, kept, real } in standings(trace) {
            if kept != real {
                facts.hit(What::Miscounted, at, msg, 0, by);
            }
        }
        for i in 0..story.lives.len() {
            facts.life(&story, i);
        }
        for &(msg, _) in &tally.again {
            let mut first = Time::NEVER;
            for other in overtaking(&story, &[msg]).0 {
                for life in story.of_msg(other) {
                    first = first.min(life.started.unwrap_or(Time::NEVER));
                }
            }
            if first < Time::NEVER {
                facts.hit(What::Overtaken, first, msg, 0, NOBODY);
            }
        }
        for (what, msgs) in [(What::Dead, &tally.dead), (What::InFlight, &tally.in_flight)] {
            for &msg in msgs {
                let mut last = (Time::ZERO, 0, NOBODY);
                for life in story.of_msg(msg) {
                    let settled = life.settled.map(|(at, ..)| at);
                    let at = life.exhausted.or(settled).unwrap_or(life.sent);
                    last = (at, life.delivery.attempt, life.to);
                }
                facts.hit(what, last.0, msg, last.1, last.2);
            }
        }
        facts
    }

    // One copy of the growing of the list; the browser's program pays for each.
    #[inline(never)]
    fn hit(&mut self, what: What, at: Time, msg: Msg, attempt: u32, client: ClientId) {
        self.hits.push(Hit { what, at, msg, attempt, client });
    }

    /// What events say by themselves.
    fn events(&mut self, lost: &[Msg]) {
        let trace = self.trace;
        // Advisories and copies of dead letters are not the reader's messages.
        let own = |msg: Msg| {
            matches!(trace.messages.get(msg.0 as usize), Some(Message::Published { .. }))
        };
        // As in the result row: a payload's effect, on its own for each consumer's workers.
        for effect in effects(trace).iter().filter(|effect| effect.times == 2) {
            self.hit(What::EffectTwice, effect.at, effect.msg, effect.attempt, effect.by);
        }
        for (i, record) in trace.records.iter().enumerate() {
            let (what, msg, attempt, client) = match record.event {
                Event::Published { msg, by } if own(msg) => {
                    if is_plain(trace, msg) {
                        self.hit(What::Returned, record.at, msg, 0, by);
                    }
                    (What::Sent, msg, 0, by)
                }
                Event::PubAcked { msg, by, .. } | Event::PubFailed { msg, by, .. } => {
                    self.hit(What::Replied, record.at, msg, 0, by);
                    (What::Returned, msg, 0, by)
                }
                Event::Confirmed { delivery, by } => {
                    (What::Replied, delivery.msg, delivery.attempt, by)
                }
                Event::Replied { step, .. } => match asked(trace, i, step) {
                    Some((msg, by)) => (What::Replied, msg, 0, by),
                    None => continue,
                },
                Event::Expired { delivery } => {
                    (What::Expired, delivery.msg, delivery.attempt, NOBODY)
                }
                Event::HandlerStarted { msg, by } => (What::Started, msg, 0, by),
                Event::HandlerDone { msg, by } => (What::Handled, msg, 0, by),
                Event::Unheard { msg } | Event::NotKept { msg, .. } if own(msg) => {
                    (What::Lost, msg, 0, NOBODY)
                }
                Event::Dropped { msg, why: Drop::Loss, .. } if retried(trace, msg) => continue,
                Event::Dropped { msg, by, why } => {
                    if reports(trace, by, why) {
                        self.hit(What::Reported, record.at, msg, 0, by);
                    }
                    (What::Lost, msg, 0, by)
                }
                Event::Refused { msg, .. } => (What::Refused, msg, 0, NOBODY),
                Event::Removed { msg, .. } if lost.contains(&msg) => (What::Lost, msg, 0, NOBODY),
                _ => continue,
            };
            self.hit(what, record.at, msg, attempt, client);
        }
    }

    /// What became of a delivery, alone and beside the others of its message.
    fn life(&mut self, story: &Story<'_>, i: usize) {
        let life = &story.lives[i];
        let of = life.delivery;
        let mut hit = |what, at| self.hit(what, at, of.msg, of.attempt, life.to);
        hit(What::Delivered, life.sent);
        if life.again() {
            hit(What::Redelivered, life.sent);
        }
        let Some(started) = life.started else { return };
        hit(What::Started, started);
        let done = life.work_end.filter(|(_, end)| *end == WorkEnd::Done).map(|(at, _)| at);
        let (mut at_once, mut twice) = (false, false);
        for j in story.of(of.consumer, of.msg) {
            // Equal moments go by the order of sending, so that of two one is the second.
            let other = &story.lives[j];
            let begun = other.started.is_some_and(|at| (at, j) < (started, i));
            let open = other.work_end.is_none_or(|(at, _)| at > started);
            at_once |= other.to != life.to && begun && open;
            if let (Some(at), Some((end, WorkEnd::Done))) = (done, other.work_end) {
                twice |= (end, j) < (at, i);
            }
        }
        if at_once {
            hit(What::WorkedOnAtOnce, started);
        }
        if let Some(at) = done {
            hit(What::Handled, at);
            if twice {
                hit(What::HandledTwice, at);
            }
        }
    }

    fn fits(&self, claim: &Claim, hit: &Hit) -> bool {
        let name = self.trace.clients.get(usize::from(hit.client.0)).map(|client| &client.name);
        hit.what == claim.what
            && (claim.attempt == 0 || claim.attempt == hit.attempt)
            && claim.after <= hit.at
            && hit.at <= claim.before
            && (claim.client.is_empty() || name == Some(&claim.client))
            && (claim.only || claim.msgs.is_empty() || self.names(claim, hit.msg))
    }

    fn names(&self, claim: &Claim, msg: Msg) -> bool {
        let label = self.trace.label(msg);
        claim.msgs.contains(&label)
    }

    fn shows(&self, claim: &Claim) -> bool {
        let mut seen = vec![false; self.trace.messages.len()];
        let (mut count, mut named) = (0, 0);
        for hit in &self.hits {
            if self.fits(claim, hit)
                && let Some(seen) = seen.get_mut(hit.msg.0 as usize)
                && !*seen
            {
                *seen = true;
                count += 1;
                named += usize::from(claim.only && self.names(claim, hit.msg));
            }
        }
        if claim.only {
            count == named && named == claim.msgs.len()
        } else {
            (claim.least..=claim.most).contains(&(count as u64))
        }
    }

    /// The labels of the messages that a claim fits, whatever number of them it wants.
    pub fn fitting(&self, claim: &Claim) -> Vec<String> {
        let any = Claim { only: false, ..claim.clone() };
        let any = if claim.only { Claim { msgs: Vec::new(), ..any } } else { any };
        let fits = |msg: u32| self.hits.iter().any(|h| h.msg.0 == msg && self.fits(&any, h));
        let msgs = 0..self.trace.messages.len() as u32;
        msgs.filter(|msg| fits(*msg)).map(|msg| self.trace.label(Msg(msg))).collect()
    }

    /// Whether a condition holds of this run, which came of these settings of the lab.
    pub fn holds(&self, condition: &Condition, lab: &Lab, values: &[Value]) -> bool {
        let mut i = 0;
        while let Some(name) = condition.knobs.0.get(i) {
            let place = lab.knobs.iter().position(|knob| knob.name == *name);
            let now = place.and_then(|place| values.get(place)).map(Value::text);
            if now.as_ref() != condition.knobs.0.get(i + 1) {
                return false;
            }
            i += 2;
        }
        condition.claims.iter().all(|claim| self.shows(claim))
    }

    /// The row that shows what a condition is about: of the first thing that fits its first claim, with the label of its
    /// message.
    pub fn row(&self, condition: &Condition, rows: &Told) -> Option<(usize, String)> {
        let claim = condition.claims.first()?;
        let mut first: Option<&Hit> = None;
        for hit in &self.hits {
            if first.is_none_or(|first| hit.at < first.at) && self.fits(claim, hit) {
                first = Some(hit);
            }
        }
        let hit = first?;
        let row = rows.before(hit.at);
        (row < rows.len()).then(|| (row, self.trace.label(hit.msg)))
    }
}

/// The last message of a step, or before a flush, with its sender, as far as records before `i` know it.
fn asked(trace: &Trace, i: usize, step: u32) -> Option<(Msg, ClientId)> {
    let op = &trace.scenario.timeline.get(step as usize)?.op;
    trace.records[..i].iter().rev().find_map(|record| match record.event {
        Event::Published { msg, by } => {
            let own = match (op, trace.messages.get(msg.0 as usize)) {
                (Op::Flush(name), _) => trace.clients.get(usize::from(by.0))?.name == *name,
                (_, Some(Message::Published { step: of, .. })) => *of == step,
                _ => false,
            };
            own.then_some((msg, by))
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Script};
    use crate::words;
    use delivery_sim::trace::{Cause, Effect, Reply};
    use delivery_sim::{Dur, compact};
    use std::mem::discriminant;
    use std::sync::Arc;

    fn condition(toml: &str) -> Condition {
        toml::from_str(toml).unwrap_or_else(|why| panic!("{toml}: {why}"))
    }

    /// A lab with two knobs; what its scenario would run does not matter here.
    fn lab() -> Lab {
        toml::from_str(
            "title = 't'\nquestion = 'q'\nopens_at = '1s'\nscenario.end = '9s'\n\
             scenario.consumers = [{ config = { durable_name = 'c', ack_wait = '5s' } }]\n\
             knobs = [{ name = 'ack_wait', setting = 'consumer.ack_wait', positions = [] },\n\
             { name = 'max_deliver', setting = 'consumer.max_deliver', positions = [] }]",
        )
        .unwrap()
    }

    /// A message whose one allowed delivery is used up, one that is terminated, one that waits for its answer.
    fn ends() -> Trace {
        let mut script = Script::new(&["A"], Dur::secs(1), Time::ms(3_000));
        script.start(Time::ZERO, 1).publish(Time::ms(100), 3);
        for n in 1..=3 {
            script.deliver(Time::ms(200), n, 1, 1, Cause::New);
        }
        script.answer(Time::ms(700), 2, 1, 1, Reply::Term, Effect::Settled);
        let delivery = fixture::delivery(1, 1);
        script.add(Time::ms(1_200), Event::Exhausted { delivery, advised: true });
        script.end()
    }

    /// A needs 7 s for order-1; after 5 s B gets it as well.
    fn slow() -> Trace {
        let (a, b) = (Time::ms(7_000), Time::ms(12_000));
        Script::new(&["A", "B"], Dur::secs(5), Time::ms(13_000))
            .publish(Time::ZERO, 1)
            .deliver(Time::ms(1), 1, 1, 1, Cause::New)
            .work(Time::ms(2), 1, 1, 1)
            .expire(Time::ms(5_001), 1, 1)
            .deliver(Time::ms(5_001), 1, 2, 2, Cause::Expired)
            .work(Time::ms(5_002), 1, 2, 2)
            .done(a, 1, 1, 1)
            .done(b, 1, 2, 2)
            .end()
    }

    /// Core NATS: the first copy is dropped, nobody hears the second message, the third is handled.
    fn core() -> Trace {
        let mut script = Script::new(&["A"], Dur::secs(1), Time::ms(3_000));
        script.publish(Time::ms(100), 3);
        let by = ClientId(1);
        let why = delivery_sim::trace::Drop::BufferFull;
        script.add(Time::ms(200), Event::Dropped { msg: Msg(0), by, why });
        script.add(Time::ms(300), Event::Unheard { msg: Msg(1) });
        script.add(Time::ms(400), Event::HandlerStarted { msg: Msg(2), by });
        script.add(Time::ms(500), Event::HandlerDone { msg: Msg(2), by });
        script.end()
    }

    /// Order-1 is in the stream twice, and handled once in each message.
    fn two_messages() -> Trace {
        let mut script = Script::new(&["A"], Dur::secs(5), Time::ms(3_000));
        script.publish(Time::ms(100), 1).publish(Time::ms(600), 1);
        for n in 1..=2 {
            let at = u64::from(n) * 500;
            script.deliver(Time::ms(at + 200), n, 1, 1, Cause::New);
            script.work(Time::ms(at + 201), n, 1, 1).done(Time::ms(at + 300), n, 1, 1);
        }
        script.end()
    }

    /// Order-1 is handled by two consumers, once by each: a fan-out, and no repeat.
    fn fan_out() -> Trace {
        let mut script = Script::new(&["A", "B"], Dur::secs(5), Time::ms(3_000));
        script.publish(Time::ms(100), 1);
        script.deliver(Time::ms(200), 1, 1, 1, Cause::New).work(Time::ms(201), 1, 1, 1);
        script.done(Time::ms(900), 1, 1, 1);
        script.deliver(Time::ms(200), 1, 1, 2, Cause::New).work(Time::ms(201), 1, 1, 2);
        script.done(Time::ms(900), 1, 1, 2);
        let mut trace = script.end();
        trace.consumers.push(trace.consumers[0].clone());
        for record in &mut trace.records {
            let other = |to: ClientId| to == ClientId(2);
            match &mut record.event {
                Event::Delivered { delivery, to, .. } | Event::Arrived { delivery, at: to }
                    if other(*to) =>
                {
                    delivery.consumer.0 = 1;
                }
                Event::WorkStarted { delivery, by }
                | Event::WorkDone { delivery, by, .. }
                | Event::Answered { delivery, by, .. }
                    if other(*by) =>
                {
                    delivery.consumer.0 = 1;
                }
                _ => {}
            }
        }
        // An idempotent write: the effect is there already.
        for record in trace.records.iter_mut().rev() {
            if let Event::WorkDone { changed, .. } = &mut record.event {
                *changed = false;
                break;
            }
        }
        trace
    }

    #[test]
    fn conditions_hold_or_not() {
        let (crash, batch) = (fixture::crash_redelivery(), fixture::batch_ageing());
        let (slow, ends, core, fan_out) = (slow(), ends(), core(), fan_out());
        let two_messages = two_messages();
        let far = fixture::scene("slow-network");
        for (run, toml, holds) in [
            (&crash, "", true),
            // Numbers of messages.
            (&crash, "sent = 2", true),
            (&crash, "sent = 1", false),
            (&crash, "redelivered = 1", true),
            (&crash, "redelivered = 0", false),
            (&crash, "expired.at_least = 2", true),
            (&crash, "expired.at_least = 3", false),
            (&crash, "expired = { at_most = 1 }", false),
            (&crash, "expired = { at_least = 1, at_most = 2 }", true),
            (&crash, "lost.at_most = 0", true),
            // Exactly these messages.
            (&crash, "redelivered = ['order-1']", true),
            (&crash, "redelivered = ['order-2']", false),
            (&crash, "redelivered = ['order-1', 'order-2']", false),
            (&crash, "expired = ['order-2', 'order-1']", true),
            (&crash, "expired = ['order-1']", false),
            (&crash, "refused = []", true),
            (&crash, "expired = []", false),
            // A delivery as it is described.
            (&crash, "delivered = { msg = 'order-1', attempt = 2 }", true),
            (&crash, "delivered = { msg = 'order-1', attempt = 3 }", false),
            (&crash, "delivered = { msg = 'order-1', attempt = 2, to = 'run 3' }", true),
            (&crash, "delivered = { msg = 'order-1', attempt = 2, to = 'run 2' }", false),
            (&crash, "delivered = { msg = 'order-9' }", false),
            (&crash, "delivered = { msg = 'order-9', at_most = 0 }", true),
            (&crash, "delivered = { to = 'run 1', at_least = 2 }", false),
            (&crash, "delivered = { to = 'nobody' }", false),
            (&crash, "delivered = [{ msg = 'order-1' }, { msg = 'order-2', to = 'run 2' }]", true),
            (&crash, "delivered = [{ msg = 'order-1' }, { msg = 'order-2', to = 'run 1' }]", false),
            // Moments.
            (&crash, "delivered = { attempt = 2, after = '7.9s', before = '8.1s' }", true),
            (&crash, "delivered = { attempt = 2, before = '7.9s' }", false),
            (&crash, "delivered = { attempt = 2, after = '8.1s' }", false),
            (&crash, "handled = { msg = 'order-1', by = 'run 3', after = '9.4s' }", true),
            (&crash, "expired = { msg = 'order-1', before = '5.0002s', after = '5.0002s' }", true),
            // All keys together.
            (&crash, "sent = 2\nhandled = 1", true),
            (&crash, "sent = 2\nhandled = 2", false),
            // Everything that can happen.
            (&crash, "started = { msg = 'order-2', by = 'run 2' }", true),
            (&crash, "in_flight = ['order-2']\ndead = []\nhandled_twice = 0", true),
            (&crash, "overtaken = ['order-1']", true),
            (&crash, "worked_on_at_once = []", true),
            (&batch, "handled_twice = 6\nredelivered = 6\nhandled = 10\neffect_twice = 6", true),
            // B begins with each in the very moment in which A is done with it.
            (&batch, "worked_on_at_once = 0", true),
            (&slow, "worked_on_at_once = { msg = 'order-1', by = 'B', after = '5s' }", true),
            (&slow, "worked_on_at_once = { by = 'A' }", false),
            (&slow, "handled_twice = { by = 'B' }\nworked_on_at_once = ['order-1']", true),
            (&batch, "overtaken = 0", true),
            (&ends, "dead = ['order-1', 'order-2']\nin_flight = ['order-3']", true),
            (&ends, "dead = { msg = 'order-1', after = '1.2s' }", true),
            (&ends, "dead = { msg = 'order-2', before = '0.8s' }", true),
            (&core, "lost = ['order-1', 'order-2']\nhandled = ['order-3']", true),
            (&core, "started = { msg = 'order-3', by = 'A', before = '0.4s' }", true),
            (&core, "lost = { by = 'A' }", true),
            (&fan_out, "handled_twice = 0\nworked_on_at_once = 0\nhandled = 1", true),
            (&fan_out, "delivered = { msg = 'order-1', to = 'B', attempt = 1 }", true),
            (&fan_out, "effect_twice = 0", true),
            (&two_messages, "effect_twice = ['order-1']\nhandled_twice = 0\nhandled = 2", true),
            (&two_messages, "effect_twice = { after = '1.3s', before = '1.3s', by = 'A' }", true),
            (&two_messages, "effect_twice = 2", false),
            // A publish returns at once, of a request as well; a JetStream publish with its PubAck.
            (&far, "returned = { msg = 'order-1', to = 'shop', before = '0s' }", true),
            (&far, "returned = { msg = 'order-2', after = '1.1s', before = '1.1s' }", true),
            (&far, "returned = { msg = 'order-2', before = '1s' }", false),
            // The flush, the reply, the double ack, and the word that nobody listens.
            (&far, "replied = { msg = 'order-1', after = '0.2s', before = '0.2s' }", true),
            (&far, "replied = { msg = 'order-1', after = '0.6s', before = '0.6s' }", true),
            (&far, "replied = { msg = 'order-2', to = 'W', after = '1.5s' }", true),
            (&far, "replied = { msg = 'order-3', after = '2.2s', before = '2.2s' }", true),
            (&far, "lost = { msg = 'order-2', to = 'B', after = '1.5s', before = '1.5s' }", true),
        ] {
            let found = Facts::new(run).holds(&condition(toml), &lab(), &[]);
            assert_eq!(found, holds, "{toml}");
        }
    }

    #[test]
    fn what_subscribers_count_and_are_told() {
        for (subscriber, toml) in [
            ("start = '300ms'\ncounts = true", "miscounted = ['event-2', 'event-3', 'event-4']"),
            ("start = '300ms'\ncounts = true\nwhole_every = 3", "miscounted = ['event-2']"),
            ("start = '300ms'\ncounts = true\nwhole_every = 1", "miscounted = 0"),
            ("start = '300ms'", "miscounted = 0"),
            ("service_time = '9s'\npending_msgs_limit = 1", "reported = ['event-3', 'event-4']"),
            (
                "service_time = '9s'\npending_msgs_limit = 1\nerror_callback = false",
                "reported = 0\nlost = ['event-3', 'event-4']",
            ),
            ("loss_chance = '100%'", "reported = 0\nlost = 4"),
        ] {
            let scenario = format!(
                "[[subscribers]]\nsubject = 'events'\n{subscriber}\n[[timeline]]\nat = '200ms'\n\
                 op.publish = {{ subject = 'events', data = 'event-{{i}}', count = 4, every = '200ms', via = 'core' }}"
            );
            let trace = delivery_sim::run(&toml::from_str(&scenario).unwrap()).unwrap();
            assert!(
                Facts::new(&trace).holds(&condition(toml), &lab(), &[]),
                "{subscriber}: {toml}"
            );
        }
    }

    #[test]
    fn settings_belong_to_a_condition() {
        let crash = fixture::crash_redelivery();
        let (facts, lab) = (Facts::new(&crash), lab());
        let usual = lab.default_position().values;
        for (toml, query, holds) in [
            ("knobs = { ack_wait = '5s' }", "", true),
            ("knobs = { ack_wait = '5s' }", "ack_wait=6s", false),
            ("knobs = { ack_wait = '6s' }", "ack_wait=6s", true),
            ("knobs = { ack_wait = '5s', max_deliver = 'unlimited' }", "", true),
            ("knobs = { ack_wait = '5s', max_deliver = 'unlimited' }", "max_deliver=3", false),
            ("knobs = { ack_wait = '5s' }\nsent = 2", "", true),
            ("knobs = { ack_wait = '5s' }\nsent = 3", "", false),
            ("knobs = { no_such = '5s' }", "", false),
        ] {
            let values = lab.read_query(query, true).0.values;
            assert_eq!(facts.holds(&condition(toml), &lab, &values), holds, "{toml} at {query}");
        }
        assert!(!facts.holds(&condition("knobs = { max_deliver = '3' }"), &lab, &usual[..1]));
    }

    #[test]
    fn what_decides_has_its_row() {
        let crash = fixture::crash_redelivery();
        let (facts, rows) = (Facts::new(&crash), Told::new(Arc::new(crash.clone())));
        for (toml, found) in [
            ("delivered = { msg = 'order-1', attempt = 2 }", Some(("T+8.0 s", "order-1"))),
            ("redelivered.at_least = 1", Some(("T+8.0 s", "order-1"))),
            ("delivered.to = 'run 2'", Some(("T+1.0 s", "order-2"))),
            ("expired.at_least = 1", Some(("T+5.0 s", "order-1"))),
            ("expired = ['order-2']", Some(("T+5.0 s", "order-1"))),
            ("handled = 1", Some(("T+9.4 s", "order-1"))),
            ("overtaken.at_least = 1", Some(("T+1.0 s", "order-1"))),
            ("delivered = { msg = 'order-1', attempt = 3 }", None),
            ("", None),
        ] {
            let row = facts.row(&condition(toml), &rows);
            let row = row.map(|(row, label)| (rows.at(row).unwrap().to_string(), label.to_owned()));
            let found = found.map(|(at, label)| (at.to_owned(), label.to_owned()));
            assert_eq!(row, found, "{toml}");
        }
    }

    #[test]
    fn counts_are_those_of_the_result_row() {
        for run in [fixture::crash_redelivery(), fixture::batch_ageing(), ends(), core()] {
            let facts = Facts::new(&run);
            for count in words::counts(&run) {
                let key = match count.name {
                    "delivered again" => "redelivered",
                    "in flight" => "in_flight",
                    "committed twice" => "effect_twice",
                    // How many there were of all messages together; nothing is asked of one.
                    "effects" | "not delivered yet" | "error callbacks" => continue,
                    name => name,
                };
                let toml = format!("{key} = {}", count.count);
                assert!(facts.holds(&condition(&toml), &lab(), &[]), "{toml}");
            }
        }
    }

    #[test]
    fn every_thing_has_its_name_and_its_byte() {
        for (place, (what, name)) in WHATS.into_iter().enumerate() {
            assert_eq!((what as usize, what.name()), (place, name));
            assert_eq!(
                compact::read(&compact::write(&what)).map(|w: What| discriminant(&w)),
                Some(discriminant(&what))
            );
        }
        assert_eq!(compact::read::<What>(&[WHATS.len() as u8]), None);
        let whole = condition(
            "delivered = [{ msg = 'order-1', attempt = 2, to = 'A', after = '1s', before = '2s' }, { at_most = 3 }]\n\
             lost = ['order-1', 'order-2']\nknobs = { ack_wait = '5s', backoff = '1s,2s' }",
        );
        assert_eq!(compact::read(&compact::write(&whole)), Some(whole.clone()));
        assert_eq!(whole.knobs.query(), "ack_wait=5s&backoff=1s,2s");
    }

    #[test]
    fn what_is_no_condition_is_refused_in_words() {
        for (toml, why) in [
            ("redeliverd = 1", "unknown field `redeliverd`, expected one of `sent`, "),
            ("sent = -1", "-1 messages cannot be; write 0 or more"),
            ("sent = 'two'", "expected a number of messages, a list of them, or a table"),
            ("sent = [1]", "expected the label of a message, or a table"),
            (
                "sent = ['order-1', { msg = 'order-2' }]",
                "a list holds messages or tables, not both",
            ),
            ("sent = { mgs = 'order-1' }", "unknown field `mgs`, expected one of `msg`, `attempt`"),
            ("sent = { at_least = 2, at_most = 1 }", "nothing can fit this"),
            ("sent = { after = '2s', before = '1s' }", "nothing can fit this"),
            ("sent.after = 'soon'", "`soon` is not a duration"),
            ("knobs = 'ack_wait'", "expected knobs and their values"),
        ] {
            let found = toml::from_str::<Condition>(toml).expect_err(toml).to_string();
            assert!(found.contains(why), "{toml}\n{found}");
        }
    }
}
