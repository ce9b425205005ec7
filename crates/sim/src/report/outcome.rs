//! How every message of a run ended, so that none can be lost without a cause.

use super::Dropped;
use crate::scenario::{ConsumerConfig, DeliverPolicy, Op};
use crate::subject;
use crate::time::Time;
use crate::trace::{
    Cause, ConsumerId, Delivery, Effect, Event, Msg, Refusal, Removal, Reply, StreamId, Trace,
};
use std::collections::{BTreeMap, HashMap};

/// How a message ended on one consumer, or without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fate {
    /// The message.
    pub msg: Msg,
    /// The consumer it is about; none where no consumer was to deliver the message.
    pub consumer: Option<ConsumerId>,
    /// How it ended, or where it was at the end of the run.
    pub outcome: Outcome,
}

/// How a message ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was acked; with ack policy `none`, delivered (R40).
    Settled,
    /// A worker ended it for good (R78).
    Terminated,
    /// Stored and never delivered.
    Pending,
    /// Delivered, and the consumer is not done with it.
    InFlight,
    /// It ran out of deliveries (R84, R85); also where an answer came later (R93).
    Exhausted {
        /// Whether an advisory said so (R96).
        advised: bool,
    },
    /// It left the stream before this consumer was done with it (R21, R23–R25, R110).
    Removed(Removal),
    /// The consumer was deleted before it was done with it.
    ConsumerDeleted,
    /// Its id was known: nothing was stored (R16).
    Deduplicated,
    /// A stream refused it (R22, R23), or its publisher had no connection to send it on (R11).
    Refused(Refusal),
    /// It got a sequence and was not kept: no consumer wanted it (R29).
    NotKept,
    /// Neither a stream nor a subscription wanted it (R2, R6, R15).
    Unheard,
    /// No stream captured it; copies of it went to subscribers of Core NATS (R1).
    Copied {
        /// Copies that were handled.
        handled: u32,
        /// Copies that were lost, by cause.
        dropped: Dropped,
        /// Copies on the way or in a buffer at the end of the run.
        waiting: u32,
    },
    /// Lost on its way to the server, by chance.
    LostOnTheWay,
    /// Still in its publisher's buffer or on the way to the server at the end of the run (R11).
    OnTheWay,
}

/// How every message of a run ended, advisories and dead-letter copies included, in order of messages and then of consumers.
///
/// A message has one fate for each consumer that delivered it or was to deliver it, else exactly one without a consumer.
/// Messages that a stream captured are told by their stream, whether subscribers got a copy or not.
pub fn outcomes(trace: &Trace) -> Vec<Fate> {
    let mut reader = Reader {
        trace,
        fates: BTreeMap::new(),
        lives: vec![Life::default(); trace.messages.len()],
        kept: vec![BTreeMap::new(); trace.streams.len()],
        configs: trace.consumers.iter().map(|_| None).collect(),
        starts: vec![0; trace.consumers.len()],
        subjects: HashMap::new(),
    };
    for record in &trace.records {
        reader.read(record.at, record.event);
    }
    let mut fates: Vec<Fate> = Vec::with_capacity(reader.lives.len());
    for (i, life) in reader.lives.iter().enumerate() {
        let msg = Msg(i as u32);
        let of = |id: u16| (msg, ConsumerId(id));
        let before = fates.len();
        fates.extend(
            reader.fates.range(of(0)..=of(u16::MAX)).map(|(&(msg, consumer), &outcome)| Fate {
                msg,
                consumer: Some(consumer),
                outcome,
            }),
        );
        if fates.len() == before {
            fates.push(Fate { msg, consumer: None, outcome: life.outcome() });
        }
    }
    fates
}

/// A message apart from consumers.
#[derive(Clone, Default)]
struct Life {
    /// What the server, or the publisher, did with it.
    taken: Option<Outcome>,
    routed: u32,
    handled: u32,
    dropped: Dropped,
}

impl Life {
    fn outcome(&self) -> Outcome {
        let Self { routed, handled, dropped, .. } = *self;
        match self.taken {
            Some(outcome) => outcome,
            None if routed > 0 => {
                let waiting =
                    u64::from(routed - handled.min(routed)).saturating_sub(dropped.total());
                Outcome::Copied { handled, dropped, waiting: waiting as u32 }
            }
            None if dropped.loss > 0 => Outcome::LostOnTheWay,
            None => Outcome::OnTheWay,
        }
    }
}

struct Reader<'a> {
    trace: &'a Trace,
    fates: BTreeMap<(Msg, ConsumerId), Outcome>,
    lives: Vec<Life>,
    /// What each stream keeps, with the time of storing.
    kept: Vec<BTreeMap<u64, (Msg, Time)>>,
    /// The configuration of each consumer that exists.
    configs: Vec<Option<&'a ConsumerConfig>>,
    /// Where each consumer starts.
    starts: Vec<u64>,
    subjects: HashMap<Msg, String>,
}

impl<'a> Reader<'a> {
    fn read(&mut self, at: Time, event: Event) {
        match event {
            Event::Stored { msg, stream, seq } => self.stored(at, msg, stream, seq),
            Event::NotKept { msg, .. } => self.taken(msg, Outcome::NotKept),
            Event::Deduplicated { msg, .. } => self.taken(msg, Outcome::Deduplicated),
            Event::Refused { msg, why, .. } => self.taken(msg, Outcome::Refused(why)),
            Event::Unheard { msg } => self.taken(msg, Outcome::Unheard),
            Event::PubFailed {
                msg,
                why: why @ (Refusal::Disconnected | Refusal::BufferFull),
                ..
            } => {
                self.taken(msg, Outcome::Refused(why));
            }
            Event::Routed { msg, .. } => self.life(msg, |life| life.routed += 1),
            Event::HandlerDone { msg, .. } => self.life(msg, |life| life.handled += 1),
            Event::Dropped { msg, why, .. } => self.life(msg, |life| life.dropped.count(why)),
            Event::Removed { msg, stream, seq, why } => self.removed(msg, stream, seq, why),
            Event::Delivered { delivery, deadline, cause, .. } => {
                let outcome =
                    if deadline == Time::NEVER { Outcome::Settled } else { Outcome::InFlight };
                let fate = self.fates.entry((delivery.msg, delivery.consumer)).or_insert(outcome);
                // A consumer made again may start over.
                if matches!(*fate, Outcome::Pending) || cause == Cause::New {
                    *fate = outcome;
                }
            }
            Event::Recorded { delivery, reply, effect: Effect::Settled } => {
                let how = if reply == Reply::Term { Outcome::Terminated } else { Outcome::Settled };
                self.end(delivery, how);
            }
            Event::Exhausted { delivery, advised } => {
                self.end(delivery, Outcome::Exhausted { advised });
            }
            Event::ConsumerCreated { consumer } => self.created(at, consumer),
            Event::ConsumerUpdated { consumer } => self.updated(at, consumer),
            Event::ConsumerDeleted { consumer, .. } => {
                self.configs[usize::from(consumer.0)] = None;
                for (_, fate) in self.fates.iter_mut().filter(|((_, id), _)| *id == consumer) {
                    if matches!(*fate, Outcome::Pending | Outcome::InFlight) {
                        *fate = Outcome::ConsumerDeleted;
                    }
                }
            }
            _ => {}
        }
    }

    fn life(&mut self, msg: Msg, change: impl FnOnce(&mut Life)) {
        if let Some(life) = self.lives.get_mut(msg.0 as usize) {
            change(life);
        }
    }

    fn taken(&mut self, msg: Msg, outcome: Outcome) {
        self.life(msg, |life| {
            life.taken.get_or_insert(outcome);
        });
    }

    fn end(&mut self, delivery: Delivery, how: Outcome) {
        if let Some(fate) = self.fates.get_mut(&(delivery.msg, delivery.consumer))
            && *fate == Outcome::InFlight
        {
            *fate = how;
        }
    }

    fn stored(&mut self, at: Time, msg: Msg, stream: StreamId, seq: u64) {
        self.taken(msg, Outcome::Pending);
        self.kept[usize::from(stream.0)].insert(seq, (msg, at));
        for i in 0..self.configs.len() {
            if self.trace.consumers[i].stream == stream
                && let Some(config) = self.configs[i]
                && seq >= self.starts[i]
                && self.sees(config, msg)
            {
                self.fates.insert((msg, ConsumerId(i as u16)), Outcome::Pending);
            }
        }
    }

    fn removed(&mut self, msg: Msg, stream: StreamId, seq: u64, why: Removal) {
        self.kept[usize::from(stream.0)].remove(&seq);
        if why == Removal::Settled {
            return; // Its consumers say themselves that they are done.
        }
        self.life(msg, |life| {
            if life.taken == Some(Outcome::Pending) {
                life.taken = Some(Outcome::Removed(why));
            }
        });
        let of = |id: u16| (msg, ConsumerId(id));
        for (_, fate) in self.fates.range_mut(of(0)..=of(u16::MAX)) {
            if matches!(*fate, Outcome::Pending | Outcome::InFlight) {
                *fate = Outcome::Removed(why);
            }
        }
    }

    /// Whether a consumer's filter matches a message (R66).
    fn sees(&mut self, config: &ConsumerConfig, msg: Msg) -> bool {
        if config.filter_subjects.is_empty() {
            return true;
        }
        let trace = self.trace;
        let subject = self.subjects.entry(msg).or_insert_with(|| trace.subject(msg));
        config.filter_subjects.iter().any(|filter| subject::matches(filter, subject))
    }

    /// The configuration that a consumer has from `at` on.
    fn config(&self, at: Time, id: ConsumerId) -> Option<&'a ConsumerConfig> {
        let name = &self.trace.consumers[usize::from(id.0)];
        let stream = &self.trace.streams[usize::from(name.stream.0)];
        let scenario = &self.trace.scenario;
        let scripted = scenario.timeline.iter().filter_map(|step| match &step.op {
            Op::CreateConsumer(c) if c.stream == *stream && c.config.durable_name == name.name => {
                Some((step.at, &c.config))
            }
            _ => None,
        });
        let latest = scripted.filter(|(asked, _)| *asked <= at).max_by_key(|(asked, _)| *asked);
        let declared = || scenario.consumers.get(usize::from(id.0)).map(|c| &c.config);
        latest.map(|(_, config)| config).or_else(declared)
    }

    /// What a new consumer is to deliver of what is stored already (R63).
    fn created(&mut self, at: Time, id: ConsumerId) {
        let i = usize::from(id.0);
        let Some(config) = self.config(at, id) else { return };
        self.configs[i] = Some(config);
        let stream = usize::from(self.trace.consumers[i].stream.0);
        let kept: Vec<(u64, Msg, Time)> =
            self.kept[stream].iter().map(|(&seq, &(msg, at))| (seq, msg, at)).collect();
        let mut seen: Vec<(u64, Msg, Time)> =
            kept.into_iter().filter(|&(_, msg, _)| self.sees(config, msg)).collect();
        self.starts[i] = 0;
        match config.deliver_policy {
            DeliverPolicy::All => {}
            DeliverPolicy::New => seen.clear(),
            DeliverPolicy::Last => {
                seen = seen.pop().into_iter().collect();
            }
            DeliverPolicy::ByStartSequence => {
                let start = config.opt_start_seq;
                seen.retain(|(seq, ..)| *seq >= start);
                if self.trace.version() > crate::scenario::Version::V2_10 {
                    self.starts[i] = start; // R64
                }
            }
            DeliverPolicy::ByStartTime => seen.retain(|(.., at)| *at >= config.opt_start_time),
            DeliverPolicy::LastPerSubject => {
                let trace = self.trace;
                let last: HashMap<String, u64> =
                    seen.iter().map(|&(seq, msg, _)| (trace.subject(msg), seq)).collect();
                seen.retain(|&(seq, msg, _)| last.get(&trace.subject(msg)) == Some(&seq));
            }
        }
        for (_, msg, _) in seen {
            self.fates.insert((msg, id), Outcome::Pending);
        }
    }

    /// A new filter lets other messages through that were never delivered (R103).
    fn updated(&mut self, at: Time, id: ConsumerId) {
        let i = usize::from(id.0);
        let Some(config) = self.config(at, id) else { return };
        let before = self.configs[i].replace(config);
        if before.is_some_and(|before| before.filter_subjects == config.filter_subjects) {
            return;
        }
        self.fates.retain(|(_, other), fate| *other != id || *fate != Outcome::Pending);
        let done = self.fates.keys().filter(|(_, other)| *other == id).map(|(msg, _)| *msg).max();
        let stream = usize::from(self.trace.consumers[i].stream.0);
        let ahead: Vec<Msg> = self.kept[stream]
            .values()
            .map(|(msg, _)| *msg)
            .filter(|msg| Some(*msg) > done)
            .collect();
        for msg in ahead {
            if self.sees(config, msg) {
                self.fates.insert((msg, id), Outcome::Pending);
            }
        }
    }
}
