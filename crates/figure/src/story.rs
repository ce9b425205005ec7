//! The life of every delivery of a run, put together from the events of its trace: what pictures, words and causes are made of.

use delivery_sim::scenario::AckPolicy;
use delivery_sim::trace::{
    Cause, ClientId, ConsumerId, Delivery, Effect, Event, Msg, Record, Removal, Reply,
};
use delivery_sim::{Dur, Time, Trace};
use std::collections::VecDeque;

/// A run, delivery by delivery.
#[derive(Clone, Copy)]
pub(crate) struct Story<'a> {
    /// The run.
    pub(crate) trace: &'a Trace,
    /// Every delivery, in the order sent.
    pub(crate) lives: &'a [Life],
    all: &'a Lives,
}

/// The lives of the deliveries of a run, read once.
#[derive(Debug, Default)]
pub(crate) struct Lives {
    /// Every delivery, in the order sent.
    lives: Vec<Life>,
    /// The places in `lives` of the deliveries of each message.
    by_msg: Vec<Vec<u32>>,
    /// For each consumer the place in `lives` before which an ack of all has nothing left to settle.
    settled: Vec<usize>,
}

/// One delivery from its sending to its end.
#[derive(Debug)]
pub(crate) struct Life {
    pub(crate) delivery: Delivery,
    pub(crate) to: ClientId,
    /// When the server sent it.
    pub(crate) sent: Time,
    pub(crate) cause: Cause,
    /// The runs of its stopwatch: one, and a further one after each in progress. Empty if no answer is expected.
    pub(crate) watch: Vec<Watch>,
    pub(crate) arrived: Option<Time>,
    /// It was lost because the client's connection was gone.
    pub(crate) missed: Option<Time>,
    /// Deliveries ahead of it at its worker when it arrived: the one at work and those in the buffer.
    pub(crate) ahead: u32,
    pub(crate) started: Option<Time>,
    pub(crate) work_end: Option<(Time, WorkEnd)>,
    /// It was in the client's buffer when the client died or left.
    pub(crate) lost_in_buffer: Option<Time>,
    pub(crate) answers: Vec<Said>,
    /// What ended its stopwatch.
    pub(crate) over: Option<(Time, Over)>,
    /// When the delay that a nak asked for is over.
    pub(crate) delayed_until: Option<Time>,
    /// When the message was settled, by which answer, and by the answer to which delivery.
    pub(crate) settled: Option<(Time, Reply, u32)>,
    pub(crate) exhausted: Option<Time>,
    /// The delivery of the same message before and after it.
    pub(crate) previous: Option<u32>,
    pub(crate) next: Option<u32>,
    /// When that one was sent.
    pub(crate) next_sent: Option<Time>,
}

/// One run of a stopwatch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watch {
    pub(crate) from: Time,
    /// When it would run out.
    pub(crate) until: Time,
}

/// How the work of a worker on a delivery ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WorkEnd {
    /// It was done.
    Done,
    /// It ended with an answer other than done.
    Answered,
    /// The worker went on without an answer.
    LeftOff,
    /// The worker died.
    Died,
    /// The worker's connection closed in order.
    Closed,
}

/// An answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Said {
    pub(crate) at: Time,
    pub(crate) reply: Reply,
    /// When the server processed it and what that did; none if it never got there.
    pub(crate) recorded: Option<(Time, Effect)>,
}

/// What ended a stopwatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    Settled,
    Nak,
    Delay,
    Expired,
    /// The message left its stream.
    Removed,
    /// It was delivered again although the stopwatch was still running (a restart).
    Replaced,
}

impl Life {
    /// The whole time that its stopwatch gives now: from its last start to its end.
    pub(crate) fn wait(&self) -> Dur {
        self.watch.last().map_or(Dur::ZERO, |watch| watch.until.since(watch.from))
    }

    /// Whether this is not the first delivery of its message.
    pub(crate) fn again(&self) -> bool {
        self.delivery.attempt > 1
    }

    /// The moment at which the consumer has no more to do with this delivery; `end` if it still has.
    pub(crate) fn leaves(&self, end: Time) -> Time {
        let settled = self.settled.map(|(at, ..)| at);
        let gone = self.over.filter(|(_, over)| *over == Over::Removed).map(|(at, _)| at);
        [settled, gone, self.exhausted, self.next_sent]
            .into_iter()
            .flatten()
            .min()
            .unwrap_or(end)
            .min(end)
    }
}

impl Life {
    /// The moment after which nothing of it is to be seen; `end` if it lasts as long as the run.
    pub(crate) fn ends(&self, end: Time) -> Time {
        let work = match (self.started, self.work_end) {
            (Some(_), work) => work.map_or(end, |(at, _)| at),
            // It waits for its turn, or is lost while it does.
            (None, _) if self.arrived.is_some() => self.lost_in_buffer.unwrap_or(end),
            _ => self.sent,
        };
        let answered = |said: &Said| said.recorded.map_or(said.at, |(at, _)| at);
        let answers = self.answers.iter().map(answered).max().unwrap_or(self.sent);
        let leaves = if self.watch.is_empty() { self.sent } else { self.leaves(end) };
        work.max(answers).max(leaves).max(self.missed.unwrap_or(self.sent))
    }
}

impl Lives {
    /// Reads a run.
    pub(crate) fn new(trace: &Trace) -> Self {
        let mut all = Self {
            lives: Vec::new(),
            by_msg: vec![Vec::new(); trace.messages.len()],
            settled: vec![0; trace.consumers.len()],
        };
        let mut hands = vec![Hand::default(); trace.clients.len()];
        for record in &trace.records {
            all.read(trace, record.at, record.event, &mut hands);
        }
        all
    }

    fn read(&mut self, trace: &Trace, at: Time, event: Event, hands: &mut [Hand]) {
        match event {
            Event::Delivered { delivery, to, deadline, cause, .. } => {
                self.deliver(at, delivery, to, deadline, cause);
            }
            Event::Arrived { delivery, at: by } => {
                let Some(i) = self.find(delivery) else { return };
                self.lives[i].arrived = Some(at);
                if let Some(hand) = hands.get_mut(usize::from(by.0)) {
                    self.lives[i].ahead = hand.buffer.len() as u32 + u32::from(hand.work.is_some());
                    hand.buffer.push_back(i);
                }
            }
            Event::Missed { delivery, .. } => {
                if let Some(i) = self.find(delivery) {
                    self.lives[i].missed = Some(at);
                }
            }
            Event::WorkStarted { delivery, by } => {
                let Some(i) = self.find(delivery) else { return };
                self.lives[i].started = Some(at);
                if let Some(hand) = hands.get_mut(usize::from(by.0)) {
                    if let Some(place) = hand.buffer.iter().position(|&other| other == i) {
                        hand.buffer.remove(place);
                    }
                    if let Some(other) = hand.work.replace(i) {
                        self.lives[other].work_end.get_or_insert((at, WorkEnd::LeftOff));
                    }
                }
            }
            Event::WorkDone { delivery, by, .. } => {
                self.end_work(at, delivery, by, WorkEnd::Done, hands);
            }
            Event::LeftOff { delivery, by } => {
                self.end_work(at, delivery, by, WorkEnd::LeftOff, hands);
            }
            Event::Answered { delivery, by, reply } => {
                let Some(i) = self.find(delivery) else { return };
                self.lives[i].answers.push(Said { at, reply, recorded: None });
                // An ack with which work begins comes before the work, and does not end it.
                let first = reply == Reply::Ack && self.lives[i].started == Some(at);
                if !matches!(reply, Reply::InProgress | Reply::Unknown)
                    && self.lives[i].started.is_some()
                    && !first
                {
                    self.end_work(at, delivery, by, WorkEnd::Answered, hands);
                }
            }
            Event::Recorded { delivery, reply, effect } => {
                self.record(trace, at, delivery, reply, effect);
            }
            Event::Expired { delivery } => self.stop_watch(at, delivery, Over::Expired),
            Event::DeadlineMoved { delivery, deadline } => {
                if let Some(i) = self.find(delivery)
                    && let Some(watch) = self.lives[i].watch.last_mut()
                {
                    watch.until = deadline;
                }
            }
            Event::Exhausted { delivery, .. } => {
                if let Some(i) = self.find(delivery) {
                    let life = &mut self.lives[i];
                    life.exhausted.get_or_insert(at);
                    // With one delivery allowed that is the very moment in which its stopwatch runs out (R85).
                    life.over.get_or_insert((at, Over::Expired));
                }
            }
            // An ack that removes its message from a work queue is recorded in the same moment.
            Event::Removed { msg, why, .. } if why != Removal::Settled => {
                for &i in self.by_msg.get(msg.0 as usize).into_iter().flatten() {
                    let life = &mut self.lives[i as usize];
                    if life.next.is_none() {
                        life.over.get_or_insert((at, Over::Removed));
                    }
                }
            }
            Event::Crashed { client } => self.leave(at, client, WorkEnd::Died, hands),
            Event::Stopped { client } => self.leave(at, client, WorkEnd::Closed, hands),
            _ => {}
        }
    }

    fn deliver(
        &mut self,
        at: Time,
        delivery: Delivery,
        to: ClientId,
        deadline: Time,
        cause: Cause,
    ) {
        let i = self.lives.len() as u32;
        let previous = self.last(delivery.consumer, delivery.msg);
        if let Some(p) = previous {
            let life = &mut self.lives[p];
            (life.next, life.next_sent) = (Some(i), Some(at));
            life.over.get_or_insert((at, Over::Replaced));
        }
        let watch = if deadline == Time::NEVER {
            Vec::new()
        } else {
            vec![Watch { from: at, until: deadline }]
        };
        if let Some(lives) = self.by_msg.get_mut(delivery.msg.0 as usize) {
            lives.push(i);
        }
        self.lives.push(Life {
            delivery,
            to,
            sent: at,
            cause,
            watch,
            arrived: None,
            missed: None,
            ahead: 0,
            started: None,
            work_end: None,
            lost_in_buffer: None,
            answers: Vec::new(),
            over: None,
            delayed_until: None,
            settled: None,
            exhausted: None,
            previous: previous.map(|p| p as u32),
            next: None,
            next_sent: None,
        });
    }

    fn end_work(
        &mut self,
        at: Time,
        delivery: Delivery,
        by: ClientId,
        end: WorkEnd,
        hands: &mut [Hand],
    ) {
        let Some(i) = self.find(delivery) else { return };
        self.lives[i].work_end.get_or_insert((at, end));
        if let Some(hand) = hands.get_mut(usize::from(by.0))
            && hand.work == Some(i)
        {
            hand.work = None;
        }
    }

    fn leave(&mut self, at: Time, client: ClientId, end: WorkEnd, hands: &mut [Hand]) {
        let Some(hand) = hands.get_mut(usize::from(client.0)) else { return };
        if let Some(i) = hand.work.take() {
            self.lives[i].work_end.get_or_insert((at, end));
        }
        for i in hand.buffer.drain(..) {
            self.lives[i].lost_in_buffer = Some(at);
        }
    }

    /// An answer reaches the server. It acts on the message as it is now, whichever delivery it answers (R42, R44).
    fn record(
        &mut self,
        trace: &Trace,
        at: Time,
        delivery: Delivery,
        reply: Reply,
        effect: Effect,
    ) {
        let Some(i) = self.last(delivery.consumer, delivery.msg) else { return };
        // Nobody answered: the message left its stream, which ends it on the consumer as well (R25).
        if self.lives[i].over == Some((at, Over::Removed)) && reply == Reply::Term {
            return;
        }
        if let Some(i) = self.find(delivery) {
            let answers = &mut self.lives[i].answers;
            let hop = trace.scenario.network_delay;
            // Said more than once, it is the one that can have come by now: one before it got lost.
            let this = |said: &&mut Said| {
                said.recorded.is_none() && said.reply == reply && said.at + hop <= at
            };
            match answers.iter_mut().rfind(this) {
                Some(said) => said.recorded = Some((at, effect)),
                None => answers.push(Said { at, reply, recorded: Some((at, effect)) }),
            }
        }
        let life = &mut self.lives[i];
        match effect {
            Effect::Settled => {
                life.settled.get_or_insert((at, reply, delivery.attempt));
                life.over.get_or_insert((at, Over::Settled));
                if ack_policy(trace, delivery.consumer) == Some(AckPolicy::All) {
                    self.settle_up_to(at, delivery);
                }
            }
            Effect::Queued => {
                life.over.get_or_insert((at, Over::Nak));
            }
            Effect::DelayedUntil(until) => {
                life.over.get_or_insert((at, Over::Delay));
                life.delayed_until = Some(until);
            }
            Effect::Extended(until) => {
                if life.over.is_some_and(|(_, over)| over == Over::Delay) {
                    (life.over, life.delayed_until) = (None, None);
                }
                // In progress does not take an expired message out of the queue (R72).
                if life.over.is_none() {
                    life.watch.push(Watch { from: at, until });
                }
            }
            Effect::Nothing => {}
        }
    }

    /// Settles all that an ack of a consumer with the policy `all` settles (R41).
    fn settle_up_to(&mut self, at: Time, acked: Delivery) {
        let Some(from) = self.settled.get_mut(usize::from(acked.consumer.0)) else { return };
        let done = |life: &Life| {
            life.delivery.consumer != acked.consumer
                || life.next.is_some()
                || (life.settled.is_some() && life.over.is_some())
        };
        *from += self.lives[*from..].iter().take_while(|life| done(life)).count();
        for life in &mut self.lives[*from..] {
            let other = life.delivery;
            if other.consumer == acked.consumer && other.seq < acked.seq && life.next.is_none() {
                life.settled.get_or_insert((at, Reply::Ack, other.attempt));
                life.over.get_or_insert((at, Over::Settled));
            }
        }
    }

    fn stop_watch(&mut self, at: Time, delivery: Delivery, over: Over) {
        if let Some(i) = self.find(delivery) {
            self.lives[i].over.get_or_insert((at, over));
        }
    }

    /// The place of a delivery in [`Self::lives`].
    fn find(&self, delivery: Delivery) -> Option<usize> {
        self.of(delivery.consumer, delivery.msg)
            .rev()
            .find(|&i| self.lives[i].delivery.attempt == delivery.attempt)
    }

    /// The latest delivery of a message by a consumer.
    fn last(&self, consumer: ConsumerId, msg: Msg) -> Option<usize> {
        self.of(consumer, msg).next_back()
    }

    /// The deliveries of a message by a consumer, in the order sent.
    fn of(&self, consumer: ConsumerId, msg: Msg) -> impl DoubleEndedIterator<Item = usize> + '_ {
        self.by_msg
            .get(msg.0 as usize)
            .into_iter()
            .flatten()
            .map(|&i| i as usize)
            .filter(move |&i| self.lives[i].delivery.consumer == consumer)
    }
}

/// How a consumer wants its messages acknowledged.
pub(crate) fn ack_policy(trace: &Trace, consumer: ConsumerId) -> Option<AckPolicy> {
    let name = trace.consumers.get(usize::from(consumer.0))?;
    let stream = trace.streams.get(usize::from(name.stream.0))?;
    trace
        .scenario
        .consumers
        .iter()
        .find(|c| {
            c.config.durable_name == name.name && (c.stream == *stream || c.stream.is_empty())
        })
        .map(|c| c.config.ack_policy)
}

impl<'a> Story<'a> {
    /// A run with its lives.
    pub(crate) fn new(trace: &'a Trace, all: &'a Lives) -> Self {
        Self { trace, lives: &all.lives, all }
    }

    /// The place of a delivery in [`Self::lives`].
    pub(crate) fn find(&self, delivery: Delivery) -> Option<usize> {
        self.all.find(delivery)
    }

    /// The deliveries of a message by a consumer, in the order sent.
    pub(crate) fn of(
        &self,
        consumer: ConsumerId,
        msg: Msg,
    ) -> impl DoubleEndedIterator<Item = usize> + use<'a> {
        self.all.of(consumer, msg)
    }

    /// Whether an event is about a message that fits; a client that goes away is about all that it held.
    pub(crate) fn concerns(self, record: Record, fits: &dyn Fn(Msg) -> bool) -> bool {
        let (at, event) = (record.at, record.event);
        let (Event::Crashed { client } | Event::Stopped { client }) = event else {
            return event.msg().is_some_and(fits);
        };
        self.lives.iter().any(|life| {
            let left = |(t, end)| t == at && matches!(end, WorkEnd::Died | WorkEnd::Closed);
            let held = life.work_end.is_some_and(left) || life.lost_in_buffer == Some(at);
            life.to == client && held && fits(life.delivery.msg)
        })
    }

    /// All deliveries of a message.
    pub(crate) fn of_msg(&self, msg: Msg) -> impl Iterator<Item = &'a Life> + use<'a> {
        let all = self.all;
        all.by_msg.get(msg.0 as usize).into_iter().flatten().map(|&i| &all.lives[i as usize])
    }

    /// A client's name; empty if there is none.
    pub(crate) fn client(&self, client: ClientId) -> &'a str {
        self.trace.clients.get(usize::from(client.0)).map_or("", |c| c.name.as_str())
    }

    /// A consumer's name; empty if there is none.
    pub(crate) fn consumer(&self, consumer: ConsumerId) -> &'a str {
        self.trace.consumers.get(usize::from(consumer.0)).map_or("", |c| c.name.as_str())
    }
}

/// What a worker holds.
#[derive(Clone, Default)]
struct Hand {
    work: Option<usize>,
    buffer: VecDeque<usize>,
}
