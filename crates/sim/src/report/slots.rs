//! Who held which of a consumer's slots for messages in flight, for a picture of `max_ack_pending`.

use super::Outcome;
use crate::time::Time;
use crate::trace::{ClientId, ConsumerId, Effect, Event, Msg, Removal, Reply, Trace};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// A message in one of a consumer's slots (R33, R59).
///
/// It keeps the slot from its first delivery until the consumer is done with it: while it is worked on, waits out a delay,
/// or waits to be delivered again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hold {
    /// The slot, from 0: the lowest that was free.
    pub slot: u32,
    /// The message.
    pub msg: Msg,
    /// Its stream sequence.
    pub seq: u64,
    /// When it took the slot.
    pub from: Time,
    /// When it left the slot; the end of the run if it never did.
    pub until: Time,
    /// To whom it was delivered meanwhile, in order.
    pub turns: Vec<Turn>,
    /// How it left the slot; [`Outcome::InFlight`] if it still had it at the end of the run.
    pub ended: Outcome,
}

/// A delivery of a message that has a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// When it was sent.
    pub at: Time,
    /// To whom.
    pub to: ClientId,
}

/// Who held which slot of a consumer from when to when, in the order in which the slots were taken.
///
/// Empty for a consumer with ack policy `none`, which has no messages in flight (R40).
pub fn slots(trace: &Trace, consumer: ConsumerId) -> Vec<Hold> {
    let mut desk = Desk::default();
    for record in &trace.records {
        let at = record.at;
        match record.event {
            Event::Delivered { delivery, to, deadline, .. }
                if delivery.consumer == consumer && deadline != Time::NEVER =>
            {
                desk.take(delivery.msg, delivery.seq, trace.end, Turn { at, to });
            }
            Event::Recorded { delivery, reply, effect: Effect::Settled }
                if delivery.consumer == consumer =>
            {
                let how = if reply == Reply::Term { Outcome::Terminated } else { Outcome::Settled };
                desk.leave(at, delivery.msg, how);
            }
            Event::Exhausted { delivery, advised } if delivery.consumer == consumer => {
                desk.leave(at, delivery.msg, Outcome::Exhausted { advised });
            }
            // What is removed because it is settled is told by its answer.
            Event::Removed { msg, why, .. } if why != Removal::Settled => {
                desk.leave(at, msg, Outcome::Removed(why));
            }
            Event::ConsumerDeleted { consumer: gone, .. } if gone == consumer => {
                let held: Vec<Msg> = desk.held.keys().copied().collect();
                for msg in held {
                    desk.leave(at, msg, Outcome::ConsumerDeleted);
                }
            }
            _ => {}
        }
    }
    desk.holds
}

#[derive(Default)]
struct Desk {
    holds: Vec<Hold>,
    /// Messages that have a slot now, by place in `holds`.
    held: HashMap<Msg, usize>,
    /// Slots that were given back.
    free: BinaryHeap<Reverse<u32>>,
    /// Slots ever used.
    used: u32,
}

impl Desk {
    fn take(&mut self, msg: Msg, seq: u64, end: Time, turn: Turn) {
        if let Some(&i) = self.held.get(&msg) {
            self.holds[i].turns.push(turn);
            return;
        }
        let slot = self.free.pop().map_or(self.used, |Reverse(slot)| slot);
        self.used = self.used.max(slot + 1);
        self.held.insert(msg, self.holds.len());
        self.holds.push(Hold {
            slot,
            msg,
            seq,
            from: turn.at,
            until: end,
            turns: vec![turn],
            ended: Outcome::InFlight,
        });
    }

    fn leave(&mut self, at: Time, msg: Msg, how: Outcome) {
        if let Some(i) = self.held.remove(&msg) {
            let hold = &mut self.holds[i];
            (hold.until, hold.ended) = (at, how);
            self.free.push(Reverse(hold.slot));
        }
    }
}
