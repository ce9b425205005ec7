//! The turning points of a run: losses, redeliveries, duplicates, dead letters. What a reader jumps to and filters by.

use delivery_sim::Trace;
use delivery_sim::trace::{Effect, Event, Message, Record, Reply};

/// One kind of turning point.
#[derive(Debug)]
pub struct Kind {
    /// Its bit in [`Row::kinds`](crate::words::Row::kinds).
    pub bit: u8,
    /// Its name, `dead letter`.
    pub name: &'static str,
    /// Its key on the keyboard.
    pub key: &'static str,
    /// CSS class of the state, as in [`Span`](crate::words::Span).
    pub state: &'static str,
}

/// A message is gone before anybody handled it.
const LOSS: u8 = 1;
/// A delivery after the first one arrives, or goes to a connection that is gone.
const REDELIVERY: u8 = 2;
/// Work on a message is done that was done before, or a publish is found to be one.
const DUPLICATE: u8 = 4;
/// A message is given up: deliveries are used up, or a worker termed it.
const DEAD_LETTER: u8 = 8;

/// Every kind, in the order in which they are offered.
pub const KINDS: [Kind; 4] = [
    Kind { bit: LOSS, name: "loss", key: "l", state: "lost" },
    Kind { bit: REDELIVERY, name: "redelivery", key: "r", state: "again" },
    Kind { bit: DUPLICATE, name: "duplicate", key: "d", state: "again" },
    Kind { bit: DEAD_LETTER, name: "dead letter", key: "x", state: "dead" },
];

/// Reads the kinds of moment after moment of one run.
pub(crate) struct Reader<'a> {
    trace: &'a Trace,
    /// Per message and consumer, whether work on it was done.
    done: Vec<bool>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(trace: &'a Trace) -> Self {
        Self { trace, done: vec![false; trace.messages.len() * trace.consumers.len()] }
    }

    /// The kinds of a moment; moments are to be read in their order.
    pub(crate) fn read(&mut self, moment: &[Record]) -> u8 {
        moment.iter().fold(0, |kinds, record| kinds | self.kind(record.event))
    }

    fn kind(&mut self, event: Event) -> u8 {
        match event {
            // Advisories and copies of dead letters are not the reader's messages.
            Event::Unheard { msg } | Event::NotKept { msg, .. } | Event::Dropped { msg, .. }
                if matches!(
                    self.trace.messages.get(msg.0 as usize),
                    Some(Message::Published { .. })
                ) =>
            {
                LOSS
            }
            Event::Arrived { delivery, .. } | Event::Missed { delivery, .. }
                if delivery.attempt > 1 =>
            {
                REDELIVERY
            }
            Event::Deduplicated { .. } => DUPLICATE,
            Event::WorkDone { delivery, .. } => {
                let place = delivery.msg.0 as usize * self.trace.consumers.len()
                    + usize::from(delivery.consumer.0);
                match self.done.get_mut(place) {
                    Some(done) if *done => DUPLICATE,
                    Some(done) => {
                        *done = true;
                        0
                    }
                    None => 0,
                }
            }
            Event::Exhausted { .. } => DEAD_LETTER,
            Event::Recorded { reply: Reply::Term, effect: Effect::Settled, .. } => DEAD_LETTER,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Script, delivery};
    use crate::words::rows;
    use delivery_sim::trace::{Cause, Drop, Msg, StreamId};
    use delivery_sim::{Dur, Time};

    /// The moments of each kind, in milliseconds.
    fn moments(trace: &Trace) -> [Vec<u64>; 4] {
        let rows = rows(trace);
        KINDS.map(|kind| {
            let of_it = rows.iter().filter(|row| row.kinds & kind.bit != 0);
            of_it.map(|row| row.at.as_ms()).collect()
        })
    }

    #[test]
    fn every_turning_point_has_its_kind() {
        let ms = Time::ms;
        let script = || {
            let mut script = Script::new(&["A", "B"], Dur::secs(1), ms(9_000));
            script.publish(ms(0), 2);
            script
        };
        let with = |act: &dyn Fn(&mut Script)| {
            let mut script = script();
            act(&mut script);
            script.end()
        };
        let subscriber = delivery_sim::trace::ClientId(1);
        let none: [&[u64]; 4] = [&[], &[], &[], &[]];
        for (name, trace, kinds) in [
            ("nothing but sent", with(&|_| {}), none),
            // Work that a crash cut short was never done, so done once is no duplicate.
            ("crash and redelivery", fixture::crash_redelivery(), [&[], &[8_001], &[], &[]]),
            (
                "a batch that ages",
                fixture::batch_ageing(),
                [&[], &[1_101], &[1_301, 1_501, 1_701, 1_901, 2_101, 2_301], &[]],
            ),
            (
                "unheard",
                with(&|s| {
                    s.add(ms(5), Event::Unheard { msg: Msg(0) });
                }),
                [&[5], &[], &[], &[]],
            ),
            (
                "dropped, and not kept",
                with(&|s| {
                    let (msg, stream) = (Msg(0), StreamId(0));
                    s.add(ms(50), Event::Dropped { msg, by: subscriber, why: Drop::BufferFull });
                    s.add(ms(90), Event::NotKept { msg, stream, seq: 3 });
                }),
                [&[50, 90], &[], &[], &[]],
            ),
            (
                "a publish known by its id",
                with(&|s| {
                    s.add(ms(70), Event::Deduplicated { msg: Msg(1), stream: StreamId(0), seq: 1 });
                }),
                [&[], &[], &[70], &[]],
            ),
            (
                "a redelivery to nobody",
                with(&|s| {
                    s.deliver(ms(10), 1, 1, 1, Cause::New).expire(ms(1_010), 1, 1);
                    s.add(ms(2_000), Event::Missed { delivery: delivery(1, 2), by: subscriber });
                }),
                // It is told when it is found in the run, which this one does not have.
                none,
            ),
            (
                "given up, and termed",
                with(&|s| {
                    s.deliver(ms(10), 1, 1, 1, Cause::New).deliver(ms(10), 2, 1, 2, Cause::New);
                    s.add(ms(1_010), Event::Exhausted { delivery: delivery(1, 1), advised: true });
                    s.answer(ms(3_000), 2, 1, 2, Reply::Term, Effect::Settled);
                }),
                [&[], &[], &[], &[1_010, 3_001]],
            ),
            (
                "a term too late",
                with(&|s| {
                    s.deliver(ms(10), 2, 1, 2, Cause::New);
                    s.answer(ms(3_000), 2, 1, 2, Reply::Term, Effect::Nothing);
                }),
                none,
            ),
        ] {
            assert_eq!(moments(&trace).each_ref().map(Vec::as_slice), kinds, "{name}");
        }
    }
}
