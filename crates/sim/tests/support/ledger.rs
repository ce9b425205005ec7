//! What the events of a run imply: streams, consumers and what is in flight, told by nothing but the events.
//!
//! It follows the rules, not the engine: it knows no timers, no pulls and no queues of the server.

use super::watch::{Run, Seen};
use delivery_sim::check::{consumer_defaults, stream_defaults};
use delivery_sim::scenario::{AckPolicy, ConsumerConfig, DeliverPolicy, Op, StreamConfig, Version};
use delivery_sim::subject::matches;
use delivery_sim::trace::{
    CallAnswer, Cause, ConsumerId, Delivery, Effect, Event, Message, Msg, Reply, StreamId,
};
use delivery_sim::{ConsumerInfo, Time};
use std::collections::{BTreeMap, BTreeSet};

/// A message that is kept.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub(crate) msg: Msg,
    pub(crate) subject: String,
    pub(crate) at: Time,
}

/// A stream that exists.
#[derive(Clone, Debug)]
pub(crate) struct StreamLedger {
    pub(crate) config: StreamConfig,
    pub(crate) kept: BTreeMap<u64, Kept>,
    pub(crate) last_seq: u64,
}

/// Why a message is in the redelivery queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Queued {
    Expired,
    DelayOver,
    Nak,
}

/// A message that is delivered and not done with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flight {
    pub(crate) msg: Msg,
    pub(crate) attempt: u32,
    /// What its stopwatch counts from, at the latest.
    pub(crate) base: Time,
    /// The latest moment at which its stopwatch runs out, as far as events tell.
    pub(crate) deadline: Time,
    pub(crate) queued: Option<Queued>,
    /// Whether the server restarted since its stopwatch was set.
    pub(crate) restarted: bool,
}

/// A message that ran out of deliveries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spent {
    pub(crate) msg: Msg,
    /// Found expired again at a restart (R107).
    pub(crate) ghost: bool,
}

/// A consumer between its creation and its deletion.
#[derive(Clone, Debug)]
pub(crate) struct Life {
    pub(crate) stream: StreamId,
    pub(crate) config: ConsumerConfig,
    pub(crate) deliveries: u64,
    /// Highest sequence delivered or purged.
    pub(crate) highest: u64,
    /// The first sequence it may see.
    pub(crate) start: u64,
    /// Whether it started ahead of the stream, which then counts what it passes over (R64).
    pub(crate) ahead: bool,
    pub(crate) pending: BTreeMap<u64, Flight>,
    pub(crate) spent: BTreeMap<u64, Spent>,
    /// Done with: acked, termed, removed in flight or delivered without an answer to wait for.
    pub(crate) settled: BTreeSet<u64>,
    /// Messages with a redelivery record (R34).
    pub(crate) records: BTreeSet<u64>,
    /// Messages that may have a record besides: up to 2.12 a failed attempt to deliver again makes one (R36).
    pub(crate) tried: BTreeSet<u64>,
    /// Matching and never delivered.
    pub(crate) unseen: BTreeSet<u64>,
    /// Matching and perhaps passed over before the filter changed.
    pub(crate) unsure: BTreeSet<u64>,
    /// When its configuration last changed.
    pub(crate) updated: Time,
    /// Whether its filter ever changed.
    pub(crate) refiltered: bool,
    /// Whether the last that was in flight left by an answer or by its removal, and nothing was sent since.
    pub(crate) emptied: bool,
    /// Whether a message was found expired again at a restart (R107).
    pub(crate) haunted: bool,
}

impl Life {
    fn new(stream: StreamId, config: ConsumerConfig, at: Time) -> Self {
        Self {
            stream,
            config,
            deliveries: 0,
            highest: 0,
            start: 1,
            ahead: false,
            pending: BTreeMap::new(),
            spent: BTreeMap::new(),
            settled: BTreeSet::new(),
            records: BTreeSet::new(),
            tried: BTreeSet::new(),
            unseen: BTreeSet::new(),
            unsure: BTreeSet::new(),
            updated: at,
            refiltered: false,
            emptied: false,
            haunted: false,
        }
    }

    pub(crate) fn wants(&self, subject: &str) -> bool {
        let filters = &self.config.filter_subjects;
        filters.is_empty() || filters.iter().any(|f| matches(f, subject))
    }

    /// What kind of consumer it is, for a failure's text.
    pub(crate) fn kind(&self) -> String {
        let refiltered = if self.refiltered { ", filter changed" } else { "" };
        let haunted = if self.haunted { ", found again" } else { "" };
        let ConsumerConfig { durable_name, deliver_policy, ack_policy, .. } = &self.config;
        format!("`{durable_name}` ({deliver_policy:?}, ack {ack_policy:?}{refiltered}{haunted})")
    }

    pub(crate) fn max_deliver(&self) -> Option<u32> {
        u32::try_from(self.config.max_deliver).ok().filter(|&n| n > 0)
    }

    /// Whether it still has something to do with a message (R29, R30).
    pub(crate) fn needs(&self, seq: u64) -> bool {
        self.unseen.contains(&seq)
            || self.pending.contains_key(&seq)
            || self.spent.contains_key(&seq)
    }
}

/// Everything that the events so far imply.
pub(crate) struct Ledger<'r> {
    pub(crate) run: &'r Run,
    pub(crate) version: Version,
    pub(crate) now: Time,
    pub(crate) up: bool,
    /// When the server last started.
    pub(crate) started: Time,
    pub(crate) streams: Vec<Option<StreamLedger>>,
    pub(crate) lives: Vec<Option<Life>>,
    pub(crate) infos: Vec<ConsumerInfo>,
    /// Whether an answer that says what was purged never arrived: counters are unknown from then on.
    pub(crate) blind: bool,
    /// Place in the list of what is seen.
    place: usize,
    answers: usize,
    messages: u32,
}

impl<'r> Ledger<'r> {
    pub(crate) fn new(run: &'r Run) -> Self {
        let scenario = &run.trace.scenario;
        let stream = |name: &String| {
            let config = scenario.streams.iter().find(|s| s.name == *name)?;
            Some(StreamLedger {
                config: stream_defaults(config).ok()?,
                kept: BTreeMap::new(),
                last_seq: 0,
            })
        };
        Self {
            run,
            version: scenario.version,
            now: Time::ZERO,
            up: true,
            started: Time::ZERO,
            streams: run.trace.streams.iter().map(stream).collect(),
            lives: run.trace.consumers.iter().map(|_| None).collect(),
            infos: vec![ConsumerInfo::default(); run.trace.consumers.len()],
            blind: false,
            place: 0,
            answers: 0,
            messages: 0,
        }
    }

    pub(crate) fn stream(&self, id: StreamId) -> Option<&StreamLedger> {
        self.streams.get(id.0 as usize)?.as_ref()
    }

    pub(crate) fn life(&self, id: ConsumerId) -> Option<&Life> {
        self.lives.get(id.0 as usize)?.as_ref()
    }

    pub(crate) fn subject(&self, msg: Msg) -> String {
        self.run.trace.subject(msg)
    }

    /// How many messages the observer has been told of.
    pub(crate) fn messages(&self) -> u32 {
        self.messages
    }

    /// The moment of what is seen next; none where that is not known.
    pub(crate) fn moment_of(&self, seen: &Seen) -> Option<Time> {
        match seen {
            Seen::Answer(_) => match self.next_call()? {
                // Their answers come from the client, which waits.
                Op::Flush(_) | Op::Request(_) | Op::Publish(_) => None,
                _ => (*self.run.answers.get(self.answers)?).map(|(_, at)| at),
            },
            _ => seen.at(),
        }
    }

    /// The call that the next answer belongs to.
    pub(crate) fn next_call(&self) -> Option<&'r Op> {
        let (step, _) = (*self.run.answers.get(self.answers)?)?;
        Some(&self.run.trace.scenario.timeline.get(step as usize)?.op)
    }

    /// Consumers of a stream.
    pub(crate) fn readers(&self, stream: StreamId) -> impl Iterator<Item = (ConsumerId, &Life)> {
        self.lives
            .iter()
            .enumerate()
            .filter_map(move |(i, life)| Some((ConsumerId(i as u16), life.as_ref()?)))
            .filter(move |(_, life)| life.stream == stream)
    }

    // --- folding ----------------------------------------------------------------------------

    pub(crate) fn apply(&mut self, seen: &Seen) {
        self.place += 1;
        match seen {
            Seen::Event(at, event) => {
                self.now = *at;
                self.event(*event);
            }
            Seen::Info(at, consumer, info) => {
                self.now = *at;
                self.infos[consumer.0 as usize] = *info;
            }
            Seen::Answer(answer) => {
                if let CallAnswer::Purged(_) = answer {
                    match self.next_call() {
                        Some(Op::PurgeStream(purge)) if purge.filter.is_empty() => {
                            self.purged(&purge.stream);
                        }
                        Some(_) => {}
                        None => self.blind = true,
                    }
                }
                if let CallAnswer::StreamCreated(config) = answer {
                    let place = self.run.trace.streams.iter().position(|s| *s == config.name);
                    if let Some(Some(stream)) = place.map(|i| &mut self.streams[i]) {
                        stream.config = (**config).clone();
                    }
                }
                self.answers += 1;
            }
            Seen::Message(_) => self.messages += 1,
        }
    }

    fn event(&mut self, event: Event) {
        let now = self.now;
        match event {
            Event::Stored { msg, stream, seq } => self.stored(msg, stream, seq),
            Event::NotKept { stream, seq, .. } => {
                if let Some(stream) = &mut self.streams[stream.0 as usize] {
                    stream.last_seq = seq;
                }
            }
            Event::Removed { stream, seq, .. } => self.removed(stream, seq),
            Event::Delivered { delivery, deadline, cause, .. } => {
                self.delivered(delivery, deadline, cause)
            }
            Event::Recorded { delivery, reply, effect } => self.recorded(delivery, reply, effect),
            Event::Expired { delivery } => self.queue(delivery, Queued::Expired),
            Event::DelayOver { delivery } => self.queue(delivery, Queued::DelayOver),
            Event::DeadlineMoved { delivery, deadline } => {
                if let Some(flight) = self.flight(delivery) {
                    flight.deadline = deadline;
                }
            }
            Event::Exhausted { delivery, .. } => self.exhausted(delivery),
            Event::StreamCreated { stream } => {
                let config = StreamConfig {
                    name: self.run.trace.streams[stream.0 as usize].clone(),
                    ..StreamConfig::default()
                };
                // The answer that follows says how.
                self.streams[stream.0 as usize] =
                    Some(StreamLedger { config, kept: BTreeMap::new(), last_seq: 0 });
            }
            Event::ConsumerCreated { consumer } => self.created(consumer),
            Event::ConsumerUpdated { consumer } => self.updated(consumer),
            Event::ConsumerDeleted { consumer, .. } => self.lives[consumer.0 as usize] = None,
            Event::ServerStopped => self.up = false,
            Event::ServerStarted => {
                (self.up, self.started) = (true, now);
                self.restarted();
            }
            _ => {}
        }
    }

    fn flight(&mut self, delivery: Delivery) -> Option<&mut Flight> {
        self.lives[delivery.consumer.0 as usize].as_mut()?.pending.get_mut(&delivery.seq)
    }

    fn stored(&mut self, msg: Msg, stream: StreamId, seq: u64) {
        let subject = self.subject(msg);
        for life in self.lives.iter_mut().flatten().filter(|l| l.stream == stream) {
            if life.wants(&subject) && seq >= life.start {
                life.unseen.insert(seq);
            }
        }
        if let Some(stream) = &mut self.streams[stream.0 as usize] {
            stream.last_seq = seq;
            stream.kept.insert(seq, Kept { msg, subject, at: self.now });
        }
    }

    fn removed(&mut self, stream: StreamId, seq: u64) {
        if let Some(stream) = &mut self.streams[stream.0 as usize] {
            stream.kept.remove(&seq);
        }
        let clears = self.version >= Version::V2_14;
        for life in self.lives.iter_mut().flatten().filter(|l| l.stream == stream) {
            life.unseen.remove(&seq);
            life.unsure.remove(&seq);
            // A ghost stays known to the store that a restart reads (R107).
            if let Some(spent) = life.spent.get(&seq).copied() {
                if !spent.ghost {
                    life.spent.remove(&seq);
                }
                if clears {
                    life.records.remove(&seq); // R94
                }
            }
        }
    }

    fn delivered(&mut self, delivery: Delivery, deadline: Time, cause: Cause) {
        let Some(life) = &mut self.lives[delivery.consumer.0 as usize] else { return };
        let seq = delivery.seq;
        life.deliveries += 1;
        life.emptied = life.config.ack_policy == AckPolicy::None;
        life.highest = life.highest.max(seq);
        if cause == Cause::New {
            life.unseen.remove(&seq);
            if life.unsure.remove(&seq) {
                // It looked from there on, so what follows counts too.
                life.unseen.append(&mut life.unsure.split_off(&seq));
            }
            life.unsure = life.unsure.split_off(&seq);
        }
        if life.config.ack_policy == AckPolicy::None {
            life.settled.insert(seq);
            return;
        }
        if delivery.attempt > 1 {
            life.records.insert(seq);
        }
        let flight = Flight {
            msg: delivery.msg,
            attempt: delivery.attempt,
            base: self.now,
            deadline,
            queued: None,
            restarted: false,
        };
        life.pending.insert(seq, flight);
    }

    fn queue(&mut self, delivery: Delivery, why: Queued) {
        if let Some(flight) = self.flight(delivery) {
            flight.queued = Some(why);
        }
        if self.version < Version::V2_14
            && let Some(life) = &mut self.lives[delivery.consumer.0 as usize]
        {
            life.tried.insert(delivery.seq);
        }
    }

    fn recorded(&mut self, delivery: Delivery, reply: Reply, effect: Effect) {
        let now = self.now;
        let Some(life) = &mut self.lives[delivery.consumer.0 as usize] else { return };
        let seq = delivery.seq;
        match effect {
            Effect::Settled => {
                let was_pending = life.pending.remove(&seq).is_some();
                life.emptied |= was_pending && life.pending.is_empty();
                life.spent.remove(&seq);
                life.settled.insert(seq);
                life.tried.remove(&seq);
                // An ack of all up to a message that had run out: its record may stay.
                if life.records.remove(&seq) && !was_pending {
                    life.tried.insert(seq);
                }
                if life.config.ack_policy == AckPolicy::All {
                    let above = life.spent.split_off(&(seq + 1));
                    for below in std::mem::replace(&mut life.spent, above).into_keys() {
                        life.settled.insert(below);
                        if life.records.remove(&below) {
                            life.tried.insert(below);
                        }
                    }
                }
            }
            Effect::Queued => self.queue(delivery, Queued::Nak),
            Effect::DelayedUntil(at) => {
                if let Some(flight) = life.pending.get_mut(&seq) {
                    (flight.deadline, flight.queued, flight.restarted) = (at, None, false);
                    flight.base = at;
                }
            }
            Effect::Extended(at) => {
                if let Some(flight) = life.pending.get_mut(&seq) {
                    (flight.deadline, flight.base) = (at, now);
                    if flight.queued.is_none() {
                        flight.restarted = false;
                    }
                }
            }
            Effect::Nothing => {
                let settles = matches!(reply, Reply::Ack | Reply::Term);
                if settles && life.config.ack_policy == AckPolicy::Explicit {
                    // Late, after it ran out of deliveries (R93).
                    if life.spent.remove(&seq).is_some() {
                        life.settled.insert(seq);
                    }
                    if !life.pending.contains_key(&seq) {
                        life.records.remove(&seq);
                        life.tried.remove(&seq);
                    }
                }
            }
        }
    }

    fn exhausted(&mut self, delivery: Delivery) {
        let version = self.version;
        let Some(life) = &mut self.lives[delivery.consumer.0 as usize] else { return };
        let Some(flight) = life.pending.remove(&delivery.seq) else { return };
        let by_timer = flight.queued.is_none();
        if !by_timer || version == Version::V2_10 {
            life.records.insert(delivery.seq); // R35, R89
        }
        let again = flight.attempt.saturating_sub(1).max(1);
        let ghost = by_timer && version < Version::V2_14 && life.max_deliver() == Some(again);
        life.spent.insert(delivery.seq, Spent { msg: flight.msg, ghost });
    }

    fn restarted(&mut self) {
        for life in self.lives.iter_mut().flatten() {
            for flight in life.pending.values_mut() {
                (flight.queued, flight.restarted) = (None, true);
                // What was queued counts again, by the configuration of now (R101).
                let again = flight.base + life.config.deadline_after(flight.attempt);
                flight.deadline = flight.deadline.max(again);
            }
            let ghosts: Vec<(u64, Spent)> =
                life.spent.iter().filter(|(_, s)| s.ghost).map(|(&seq, &s)| (seq, s)).collect();
            for (seq, spent) in ghosts {
                life.spent.remove(&seq);
                life.haunted = true;
                let flight = Flight {
                    msg: spent.msg,
                    attempt: 1,
                    base: self.now,
                    deadline: self.now,
                    queued: None,
                    restarted: true,
                };
                life.pending.insert(seq, flight);
            }
        }
    }

    fn purged(&mut self, name: &str) {
        let Some(id) = self.run.trace.streams.iter().position(|s| s == name) else { return };
        let Some(stream) = &self.streams[id] else { return };
        let last = stream.last_seq;
        for life in self.lives.iter_mut().flatten().filter(|l| l.stream.0 as usize == id) {
            life.highest = life.highest.max(last);
            life.start = life.start.max(last + 1);
            life.ahead &= life.start > last + 1;
            life.unseen.clear();
            life.unsure.clear();
            life.spent = life.spent.split_off(&(last + 1));
            life.pending = life.pending.split_off(&(last + 1));
            if life.pending.is_empty() {
                life.records.clear();
                life.tried.clear();
            }
            for spent in life.spent.values_mut() {
                spent.ghost = false;
            }
        }
    }

    // --- consumers --------------------------------------------------------------------------

    /// The configuration that the answer right behind this place tells, or the one declared.
    fn config_in_force(&self, consumer: ConsumerId) -> Option<ConsumerConfig> {
        let named = &self.run.trace.consumers[consumer.0 as usize];
        let told = self.run.seen[self.place..]
            .iter()
            .find(|seen| !matches!(seen, Seen::Event(_, Event::DeadlineMoved { .. })));
        if let Some(Seen::Answer(CallAnswer::ConsumerCreated(config))) = told
            && config.durable_name == named.name
        {
            return Some((**config).clone());
        }
        let scenario = &self.run.trace.scenario;
        let declared = scenario.consumers.get(consumer.0 as usize)?;
        consumer_defaults(&declared.config, scenario.version, false).ok()
    }

    fn created(&mut self, consumer: ConsumerId) {
        let id = self.run.trace.consumers[consumer.0 as usize].stream;
        let Some(config) = self.config_in_force(consumer) else { return };
        let mut life = Life::new(id, config, self.now);
        if let Some(stream) = &self.streams[id.0 as usize] {
            let next = stream.last_seq + 1;
            let matching = || stream.kept.iter().filter(|(_, kept)| life.wants(&kept.subject));
            let mut all = matching().map(|(&seq, _)| seq);
            let (mut start, mut unseen) = (1, BTreeSet::new());
            match life.config.deliver_policy {
                DeliverPolicy::All => unseen = all.collect(),
                DeliverPolicy::New => start = next,
                DeliverPolicy::Last => {
                    start = all.next_back().unwrap_or(next);
                    unseen = matching().map(|(&seq, _)| seq).filter(|&seq| seq >= start).collect();
                }
                DeliverPolicy::ByStartSequence => {
                    start = life.config.opt_start_seq;
                    if self.version == Version::V2_10 {
                        start = start.min(next); // R64
                    }
                    unseen = all.filter(|&seq| seq >= start).collect();
                }
                DeliverPolicy::ByStartTime => {
                    let from = life.config.opt_start_time;
                    start = stream
                        .kept
                        .iter()
                        .find(|(_, k)| k.at >= from)
                        .map_or(next, |(&seq, _)| seq);
                    unseen = all.filter(|&seq| seq >= start).collect();
                }
                DeliverPolicy::LastPerSubject => {
                    let last: BTreeMap<&str, u64> =
                        matching().map(|(&seq, kept)| (kept.subject.as_str(), seq)).collect();
                    start = next;
                    unseen = last.into_values().collect();
                }
            }
            (life.start, life.unseen, life.ahead) = (start, unseen, start > next);
        }
        self.lives[consumer.0 as usize] = Some(life);
    }

    fn updated(&mut self, consumer: ConsumerId) {
        let Some(config) = self.config_in_force(consumer) else { return };
        let now = self.now;
        let Some(life) = &mut self.lives[consumer.0 as usize] else { return };
        let refilter = life.config.filter_subjects != config.filter_subjects;
        life.config = config;
        life.updated = now;
        if !refilter {
            return;
        }
        life.refiltered = true;
        let Some(stream) = &self.streams[life.stream.0 as usize] else { return };
        // It has looked at least up to its last new message, and at most up to the next one it wanted.
        let looked = stream.last_seq + 1;
        let latest = life.unseen.first().copied().unwrap_or(looked);
        let earliest = life.start.max(life.highest + 1);
        let old = std::mem::take(&mut life.unseen);
        life.unsure.clear();
        for (&seq, kept) in &stream.kept {
            let known = life.pending.contains_key(&seq)
                || life.settled.contains(&seq)
                || life.spent.contains_key(&seq);
            if !life.wants(&kept.subject) || known {
                continue;
            }
            if old.contains(&seq) || (seq >= latest && seq >= earliest) {
                life.unseen.insert(seq);
            } else if seq >= earliest {
                life.unsure.insert(seq);
            }
        }
    }

    /// What published a message, if it is from the timeline.
    pub(crate) fn source(&self, msg: Msg) -> Option<Message> {
        self.run.trace.messages.get(msg.0 as usize).copied()
    }
}
