//! The order of events: by time, then by class, then by the order in which they were scheduled.

use crate::time::{Dur, Time};
use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

/// What goes first among entries of the same moment (section 13 of the rules): what arrives, then
/// timers. Delivery loops run when a moment holds neither.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// Something arrives, or a client acts.
    Inbound = 0,
    /// A timer of the server fires.
    Timer = 1,
}

struct Entry<A> {
    at: Time,
    /// Class in the highest bit, then the order of scheduling.
    rank: u64,
    act: A,
}

impl<A> Entry<A> {
    fn key(&self) -> (Time, u64) {
        (self.at, self.rank)
    }
}

impl<A> PartialEq for Entry<A> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}
impl<A> Eq for Entry<A> {}
impl<A> PartialOrd for Entry<A> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<A> Ord for Entry<A> {
    // Reversed: the standard heap gives its greatest first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

/// Entries waiting for their moment.
///
/// What crosses the network takes the same time each way, so it arrives in the order sent: a plain
/// queue. Only the rest needs a heap.
pub(crate) struct Queue<A> {
    heap: BinaryHeap<Entry<A>>,
    wire: VecDeque<Entry<A>>,
    delay: Dur,
    scheduled: u64,
}

impl<A> Queue<A> {
    pub(crate) fn new(delay: Dur) -> Self {
        Self { heap: BinaryHeap::new(), wire: VecDeque::new(), delay, scheduled: 0 }
    }

    fn rank(&mut self, class: Class) -> u64 {
        self.scheduled += 1;
        ((class as u64) << 63) | self.scheduled
    }

    /// Schedules `act` for `at`.
    pub(crate) fn at(&mut self, at: Time, class: Class, act: A) {
        let rank = self.rank(class);
        self.heap.push(Entry { at, rank, act });
    }

    /// Sends `act` over the network at `now`.
    pub(crate) fn send(&mut self, now: Time, act: A) {
        let rank = self.rank(Class::Inbound);
        self.wire.push_back(Entry { at: now + self.delay, rank, act });
    }

    fn wire_is_next(&self) -> bool {
        match (self.wire.front(), self.heap.peek()) {
            (Some(wire), Some(heap)) => wire.key() < heap.key(),
            (wire, _) => wire.is_some(),
        }
    }

    /// The moment of the next entry.
    pub(crate) fn next_at(&self) -> Option<Time> {
        let next = if self.wire_is_next() { self.wire.front() } else { self.heap.peek() };
        next.map(|entry| entry.at)
    }

    /// Takes the next entry.
    pub(crate) fn pop(&mut self) -> Option<A> {
        let next = if self.wire_is_next() { self.wire.pop_front() } else { self.heap.pop() };
        next.map(|entry| entry.act)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_then_class_then_order() {
        let mut queue = Queue::new(Dur(5));
        queue.at(Time(5), Class::Timer, "timer");
        queue.at(Time(9), Class::Inbound, "late");
        queue.at(Time(5), Class::Inbound, "first");
        queue.send(Time(0), "second, by wire");
        queue.at(Time(5), Class::Inbound, "third");
        let mut order = Vec::new();
        while let Some(at) = queue.next_at() {
            order.push((at.0, queue.pop().unwrap()));
        }
        assert_eq!(
            order,
            [(5, "first"), (5, "second, by wire"), (5, "third"), (5, "timer"), (9, "late")]
        );
    }
}
