//! Counts a run as it goes, and remembers only what is not over yet.

use super::{ConsumerReport, Histogram, Report, Traffic, WorkerReport};
use crate::check;
use crate::scenario::{Op, Scenario, Worker};
use crate::subject;
use crate::time::{Dur, SEC, Time};
use crate::trace::{
    Cause, Client, ClientId, ConsumerId, ConsumerName, Cut, Delivery, Event, Message, Msg,
    Observer, Refusal, Removal, Reply, StreamId, Trace,
};
use crate::why::workers_of;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

/// Counts a run as it goes; see [`Report`].
///
/// It remembers a message until the server is through with it: stored and delivered once to every consumer that
/// existed then, refused, unheard, or handled by every subscriber that got a copy. It remembers a message on a consumer
/// from its first delivery until the consumer is done with it and no client holds it. Beside these it
/// keeps one small entry for each advisory and each dead-letter copy that is stored. Messages that a consumer's filter
/// hides are not remembered for it, unless an update of the consumer lets them through at some time.
pub struct Tally<'a> {
    scenario: &'a Scenario,
    consumers: Vec<OnConsumer<'a>>,
    /// Names of the streams, for the subjects of advisories and copies.
    streams: Vec<String>,
    /// Sequence given last, by stream.
    last_seq: Vec<u64>,
    hands: Vec<Hand<'a>>,
    traffic: [Traffic; 3],
    lives: Map<u32, Life>,
    pairs: Map<u64, Pair>,
    /// Advisories and copies that are stored.
    others: Map<u32, Kind>,
    /// A message that was announced and had no event yet.
    announced: Option<(Msg, Message)>,
    next_msg: u32,
    /// The message that the server copies to subscribers just now.
    routing: Option<Msg>,
    /// The time of the last event.
    last: Time,
}

type Map<K, V> = HashMap<K, V, BuildHasherDefault<Mix>>;

/// Mixes the one number that a key is.
#[derive(Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }
    fn write_u32(&mut self, n: u32) {
        self.write_u64(u64::from(n));
    }
    fn write_u64(&mut self, n: u64) {
        let mixed = (self.0 ^ n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

/// Whose a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    User,
    Advisory,
    Copy,
}

impl Kind {
    fn of(message: Message) -> Self {
        match message {
            Message::Published { .. } => Self::User,
            Message::Advisory { .. } => Self::Advisory,
            Message::Copy { .. } => Self::Copy,
        }
    }
}

/// A message that the server is not through with.
struct Life {
    source: Message,
    published: Time,
    /// Where it is stored.
    stored: Option<(StreamId, u64)>,
    /// Whether the server has got it.
    arrived: bool,
    /// Consumers that are still to deliver it for the first time.
    owed: u32,
    /// Copies of Core NATS that are neither handled nor lost.
    copies: u32,
}

impl Life {
    /// Whether the server is through with it.
    fn is_over(&self) -> bool {
        self.arrived && self.owed == 0 && self.copies == 0
    }
}

/// A message on a consumer that is not done with it, or that some client holds.
struct Pair {
    kind: Kind,
    /// None where it was stored before the consumer existed.
    published: Option<Time>,
    deliveries: u32,
    in_flight: bool,
    /// Deliveries that are on the way to a client, in its buffer or at work.
    held: u32,
    /// Whether it ever went to a client that works on its own.
    worked: bool,
    /// Whether some work on it was completed.
    done: bool,
    commits: u32,
    found: bool,
}

/// What is counted of a consumer.
struct OnConsumer<'a> {
    name: ConsumerName,
    /// Every subject that some configuration of it lets through; empty if it can see all.
    filters: Vec<&'a str>,
    /// Whether some client works on what it delivers.
    is_worked: bool,
    report: ConsumerReport,
    to_done: Histogram,
    to_settled: Histogram,
    /// Since when it exists, if it does.
    since: Option<Time>,
    /// How long it existed before.
    existed: Dur,
    /// Sequence given last when it was created.
    backlog: u64,
    /// Highest sequence that it delivered for the first time.
    passed: u64,
    highest_done: u64,
    in_flight: u64,
    /// Messages in flight times nanoseconds.
    area: u128,
    level_since: Time,
}

/// What a client that works on its own is at.
#[derive(Default)]
struct Hand<'a> {
    /// None for clients that do not work on their own.
    worker: Option<&'a Worker>,
    since: Option<Time>,
    alive: Dur,
    busy: Dur,
    work: Option<Work>,
    handled: u64,
}

#[derive(Clone, Copy)]
struct Work {
    pair: u64,
    began: Time,
    /// When it last committed or answered.
    acted: Option<Time>,
    done: bool,
    /// Whether nothing of it is left to do.
    over: bool,
}

/// How a consumer was done with a message.
#[derive(Clone, Copy)]
enum End {
    Settled,
    Terminated,
    Exhausted { advised: bool },
    Removed,
    ConsumerDeleted,
}

fn pair_key(consumer: ConsumerId, msg: Msg) -> u64 {
    u64::from(consumer.0) << 32 | u64::from(msg.0)
}

fn key(delivery: Delivery) -> u64 {
    pair_key(delivery.consumer, delivery.msg)
}

/// The message that an event is about, where it is about a message of its own.
fn message_of(event: &Event) -> Option<Msg> {
    match *event {
        Event::Published { msg, .. }
        | Event::Stored { msg, .. }
        | Event::NotKept { msg, .. }
        | Event::Deduplicated { msg, .. }
        | Event::Refused { msg, .. }
        | Event::Unheard { msg }
        | Event::Routed { msg, .. } => Some(msg),
        _ => None,
    }
}

impl<'a> Tally<'a> {
    /// A tally of a run of this scenario that is still to be made.
    ///
    /// # Errors
    /// What is wrong with the scenario, a sentence each.
    pub fn new(scenario: &'a Scenario) -> Result<Self, Vec<String>> {
        let names = check::check(scenario)?;
        Ok(Self::over(scenario, names.streams, &names.consumers, &names.clients))
    }

    /// A tally of a run that was kept, folded up to its last record.
    pub fn of(trace: &'a Trace) -> Self {
        let mut tally =
            Self::over(&trace.scenario, trace.streams.clone(), &trace.consumers, &trace.clients);
        for record in &trace.records {
            // A message is announced just before its first event.
            if let Some(msg) = message_of(&record.event)
                && msg.0 >= tally.next_msg
                && let Some(&message) = trace.messages.get(msg.0 as usize)
            {
                tally.next_msg = msg.0;
                tally.message(message);
            }
            tally.event(record.at, record.event);
        }
        tally
    }

    fn over(
        scenario: &'a Scenario,
        streams: Vec<String>,
        consumers: &[ConsumerName],
        clients: &[Client],
    ) -> Self {
        let workers = workers_of(&scenario.workers, clients);
        let on_consumer = |(i, name): (usize, &ConsumerName)| {
            let worked = |(client, worker): (&Client, &Option<&Worker>)| {
                worker.is_some() && client.consumer == Some(ConsumerId(i as u16))
            };
            let from_start = scenario.consumers.get(i).is_some_and(|c| c.create_at == Time::ZERO);
            OnConsumer {
                filters: filters(scenario, &streams[usize::from(name.stream.0)], &name.name),
                is_worked: clients.iter().zip(&workers).any(worked),
                name: name.clone(),
                report: ConsumerReport::default(),
                to_done: Histogram::default(),
                to_settled: Histogram::default(),
                since: from_start.then_some(Time::ZERO),
                existed: Dur::ZERO,
                backlog: 0,
                passed: 0,
                highest_done: 0,
                in_flight: 0,
                area: 0,
                level_since: Time::ZERO,
            }
        };
        let consumers = consumers.iter().enumerate().map(on_consumer).collect();
        Self {
            scenario,
            consumers,
            last_seq: vec![0; streams.len()],
            streams,
            hands: workers.into_iter().map(|worker| Hand { worker, ..Hand::default() }).collect(),
            traffic: Default::default(),
            lives: Map::default(),
            pairs: Map::default(),
            others: Map::default(),
            announced: None,
            next_msg: 0,
            routing: None,
            last: Time::ZERO,
        }
    }

    /// How many messages, messages on consumers, and stored advisories and copies it remembers now.
    pub fn remembered(&self) -> usize {
        self.lives.len() + self.pairs.len() + self.others.len()
    }

    fn count(&mut self, kind: Kind) -> &mut Traffic {
        &mut self.traffic[kind as usize]
    }

    fn kind(&self, msg: Msg) -> Kind {
        match self.lives.get(&msg.0) {
            Some(life) => Kind::of(life.source),
            None => self.others.get(&msg.0).copied().unwrap_or(Kind::User),
        }
    }

    fn traffic_of(&mut self, msg: Msg) -> &mut Traffic {
        let kind = self.kind(msg);
        self.count(kind)
    }

    /// Whether a consumer can see a message of its stream.
    fn sees(&self, consumer: usize, source: Message) -> bool {
        let filters = &self.consumers[consumer].filters;
        if filters.is_empty() {
            return true;
        }
        let subject = self.subject(source);
        filters.iter().any(|filter| subject::matches(filter, &subject))
    }

    fn subject(&self, source: Message) -> String {
        let of = |consumer: ConsumerId| {
            let name = &self.consumers[usize::from(consumer.0)].name;
            (self.streams[usize::from(name.stream.0)].as_str(), name.name.as_str())
        };
        match source {
            Message::Published { step, n } => {
                match self.scenario.timeline.get(step as usize).map(|s| &s.op) {
                    Some(Op::Publish(publish)) => publish.subject.replace("{i}", &n.to_string()),
                    Some(Op::Request(request)) => request.subject.clone(),
                    _ => String::new(),
                }
            }
            Message::Advisory { advisory, consumer, .. } => {
                let (stream, consumer) = of(consumer);
                advisory.subject(stream, consumer)
            }
            Message::Copy { consumer, .. } => {
                let (stream, consumer) = of(consumer);
                format!("dlq.{stream}.{consumer}")
            }
        }
    }

    // --- messages on their way ----------------------------------------------------------------

    fn arrived(&mut self, msg: Msg) {
        if let Some(life) = self.lives.get_mut(&msg.0) {
            life.arrived = true;
        }
    }

    /// Forgets a message that the server is through with.
    fn tidy(&mut self, msg: Msg) {
        if self.routing != Some(msg) && self.lives.get(&msg.0).is_some_and(Life::is_over) {
            self.lives.remove(&msg.0);
        }
    }

    fn through(&mut self, msg: Msg) {
        self.arrived(msg);
        self.tidy(msg);
    }

    fn copy_is_over(&mut self, msg: Msg) {
        if let Some(life) = self.lives.get_mut(&msg.0) {
            life.copies = life.copies.saturating_sub(1);
        }
        self.tidy(msg);
    }

    fn stored(&mut self, msg: Msg, stream: StreamId, seq: u64) {
        self.last_seq[usize::from(stream.0)] = seq;
        let source = self.lives.get(&msg.0).map(|life| life.source);
        let kind = source.map_or(Kind::User, Kind::of);
        self.count(kind).stored += 1;
        if kind != Kind::User {
            self.others.insert(msg.0, kind);
        }
        let Some(source) = source else { return };
        let wants = |i: &usize| {
            let c = &self.consumers[*i];
            c.name.stream == stream && c.since.is_some() && self.sees(*i, source)
        };
        let owed = (0..self.consumers.len()).filter(wants).count() as u32;
        if let Some(life) = self.lives.get_mut(&msg.0) {
            (life.stored, life.owed, life.arrived) = (Some((stream, seq)), owed, true);
        }
        if owed == 0 {
            self.tidy(msg);
        }
    }

    fn removed(&mut self, at: Time, msg: Msg, stream: StreamId, why: Removal) {
        self.traffic_of(msg).removed.count(why);
        if !self.others.is_empty() {
            self.others.remove(&msg.0);
        }
        if why == Removal::Settled {
            return; // Its consumers say themselves that they are done.
        }
        for i in 0..self.consumers.len() {
            if self.consumers[i].name.stream == stream {
                self.end(at, pair_key(ConsumerId(i as u16), msg), End::Removed);
            }
        }
        if let Some(life) = self.lives.get_mut(&msg.0) {
            life.owed = 0;
        }
        self.tidy(msg);
    }

    // --- messages on consumers ----------------------------------------------------------------

    fn delivered(
        &mut self,
        at: Time,
        delivery: Delivery,
        to: ClientId,
        deadline: Time,
        cause: Cause,
    ) {
        let Delivery { consumer, msg, seq, .. } = delivery;
        let i = usize::from(consumer.0);
        let counted = cause == Cause::New && seq > self.consumers[i].backlog;
        let (mut kind, mut published) = (None, None);
        if let Some(life) = self.lives.get_mut(&msg.0) {
            kind = Some(Kind::of(life.source));
            if counted {
                published = Some(life.published);
                life.owed = life.owed.saturating_sub(1);
            }
            if life.is_over() && self.routing != Some(msg) {
                self.lives.remove(&msg.0);
            }
        }
        let kind = kind.or_else(|| self.others.get(&msg.0).copied()).unwrap_or(Kind::User);
        let works = self.hands[usize::from(to.0)].worker.is_some();
        let report = &mut self.consumers[i].report;
        report.deliveries += 1;
        let pair = self.pairs.entry(key(delivery)).or_insert_with(|| {
            report.messages += 1;
            Pair {
                kind,
                published,
                deliveries: 0,
                in_flight: false,
                held: 0,
                worked: false,
                done: false,
                commits: 0,
                found: false,
            }
        });
        pair.deliveries += 1;
        pair.held += 1;
        pair.worked |= works;
        report.again += u64::from(pair.deliveries == 2);
        let starts = deadline != Time::NEVER
            && !std::mem::replace(&mut pair.in_flight, deadline != Time::NEVER);
        if deadline == Time::NEVER {
            report.settled += 1;
        }
        let c = &mut self.consumers[i];
        if cause == Cause::New {
            c.passed = c.passed.max(seq);
        }
        if starts {
            self.level(at, i, true);
        }
    }

    /// One message more or less is in flight.
    fn level(&mut self, at: Time, consumer: usize, more: bool) {
        let c = &mut self.consumers[consumer];
        c.area += u128::from(c.in_flight) * u128::from(at.since(c.level_since).0);
        c.level_since = at;
        c.in_flight = if more { c.in_flight + 1 } else { c.in_flight.saturating_sub(1) };
        c.report.peak_in_flight = c.report.peak_in_flight.max(c.in_flight);
    }

    /// A consumer is done with a message, if it was in flight.
    fn end(&mut self, at: Time, key: u64, how: End) {
        let Some(pair) = self.pairs.get_mut(&key).filter(|pair| pair.in_flight) else { return };
        pair.in_flight = false;
        let (published, held) = (pair.published, pair.held);
        let i = (key >> 32) as usize;
        self.level(at, i, false);
        let c = &mut self.consumers[i];
        match how {
            End::Settled => {
                c.report.settled += 1;
                if let Some(published) = published {
                    c.to_settled.add(at.since(published));
                }
            }
            End::Terminated => c.report.terminated += 1,
            End::Exhausted { advised: true } => c.report.exhausted_advised += 1,
            End::Exhausted { advised: false } => c.report.exhausted_silent += 1,
            End::Removed => c.report.removed_in_flight += 1,
            End::ConsumerDeleted => c.report.deleted_in_flight += 1,
        }
        if held == 0 {
            self.tidy_pair(key);
        }
    }

    /// A client is through with a delivery.
    fn release(&mut self, key: u64) {
        if let Some(pair) = self.pairs.get_mut(&key) {
            pair.held = pair.held.saturating_sub(1);
            if pair.held == 0 && !pair.in_flight {
                self.tidy_pair(key);
            }
        }
    }

    /// Forgets a message that nobody can work on any more, and counts its effect.
    fn tidy_pair(&mut self, key: u64) {
        let Entry::Occupied(entry) = self.pairs.entry(key) else { return };
        if entry.get().in_flight || entry.get().held > 0 {
            return;
        }
        let pair = entry.remove();
        if pair.kind != Kind::User || !pair.worked {
            return;
        }
        let effects = &mut self.consumers[(key >> 32) as usize].report.effects;
        *match pair.commits {
            0 if pair.found => &mut effects.found,
            0 => &mut effects.never,
            1 => &mut effects.once,
            _ => &mut effects.again,
        } += 1;
    }

    fn consumer_created(&mut self, at: Time, id: ConsumerId) {
        let c = &mut self.consumers[usize::from(id.0)];
        c.since.get_or_insert(at);
        c.backlog = self.last_seq[usize::from(c.name.stream.0)];
        c.passed = c.backlog;
        c.level_since = at;
    }

    /// Whether a consumer is still to deliver a message for the first time.
    fn owes(&self, consumer: usize, life: &Life) -> bool {
        let c = &self.consumers[consumer];
        life.owed > 0
            && c.since.is_some()
            && life.stored.is_some_and(|(stream, seq)| stream == c.name.stream && seq > c.passed)
            && self.sees(consumer, life.source)
    }

    fn consumer_deleted(&mut self, at: Time, id: ConsumerId) {
        let i = usize::from(id.0);
        let owed: Vec<u32> =
            self.lives.iter().filter(|(_, life)| self.owes(i, life)).map(|(&msg, _)| msg).collect();
        for msg in owed {
            if let Some(life) = self.lives.get_mut(&msg) {
                life.owed -= 1;
            }
            self.tidy(Msg(msg));
        }
        let of = |key: &u64| (key >> 32) as usize == i;
        for key in self.pairs.keys().copied().filter(of).collect::<Vec<_>>() {
            self.end(at, key, End::ConsumerDeleted);
        }
        let c = &mut self.consumers[i];
        if let Some(since) = c.since.take() {
            c.existed = c.existed + at.since(since);
        }
    }

    // --- work ---------------------------------------------------------------------------------

    fn work_done(&mut self, at: Time, delivery: Delivery, by: ClientId, changed: bool) {
        let c = &mut self.consumers[usize::from(delivery.consumer.0)];
        c.report.handled += 1;
        c.report.last_done = Some(at);
        if let Some(pair) = self.pairs.get_mut(&key(delivery)) {
            pair.commits += u32::from(changed);
            pair.found |= !changed;
            if !std::mem::replace(&mut pair.done, true) {
                if let Some(published) = pair.published {
                    c.to_done.add(at.since(published));
                }
                c.report.out_of_order += u64::from(delivery.seq < c.highest_done);
                c.highest_done = c.highest_done.max(delivery.seq);
            }
        }
        let hand = &mut self.hands[usize::from(by.0)];
        hand.handled += 1;
        let ack_first = hand.worker.is_some_and(|w| w.ack_first);
        if let Some(work) = hand.work.as_mut().filter(|work| work.pair == key(delivery)) {
            (work.acted, work.done) = (Some(at), true);
            work.over |= ack_first;
        }
    }

    fn answered(&mut self, at: Time, delivery: Delivery, by: ClientId, reply: Reply) {
        let hand = &mut self.hands[usize::from(by.0)];
        let Some(worker) = hand.worker else { return };
        let Some(work) = hand.work.as_mut().filter(|work| work.pair == key(delivery)) else {
            return;
        };
        if worker.ack_first || matches!(reply, Reply::InProgress | Reply::Unknown) {
            return;
        }
        (work.acted, work.over) = (Some(at), true);
        // It acks without work because its table says that it is handled.
        if worker.handled_table
            && reply == Reply::Ack
            && !work.done
            && let Some(pair) = self.pairs.get_mut(&key(delivery))
        {
            pair.found = true;
        }
    }

    /// What a client was at is over: it goes on with something else, or is gone.
    fn work_over(&mut self, at: Time, by: ClientId, gone: bool) {
        let hand = &mut self.hands[usize::from(by.0)];
        let Some(work) = hand.work.take() else { return };
        let ended = if gone && !work.over { at } else { work.acted.unwrap_or(at) };
        hand.busy = hand.busy + ended.since(work.began);
        self.release(work.pair);
    }

    fn leaves(&mut self, at: Time, client: ClientId) {
        self.work_over(at, client, true);
        let hand = &mut self.hands[usize::from(client.0)];
        if let Some(since) = hand.since.take() {
            hand.alive = hand.alive + at.since(since);
        }
    }

    // --- the end ------------------------------------------------------------------------------

    /// The report of a run that went to `end`; where it was cut short it counts up to its last event.
    pub fn finish(mut self, end: Time, cut: Option<Cut>) -> Report {
        let until = if cut.is_some() { self.last } else { end };
        self.routing = None;
        let mut workers = Vec::new();
        for i in 0..self.hands.len() {
            let client = ClientId(i as u16);
            let at_work = self.hands[i].work.is_some_and(|work| !work.over);
            if let Some(work) = self.hands[i].work.filter(|_| at_work) {
                self.hands[i].busy = self.hands[i].busy + until.since(work.began);
            } else {
                self.work_over(until, client, false);
            }
            let hand = &mut self.hands[i];
            if let Some(since) = hand.since {
                hand.alive = hand.alive + until.since(since);
            }
            if hand.worker.is_some() {
                let idle = Dur(hand.alive.0.saturating_sub(hand.busy.0));
                workers.push(WorkerReport { client, handled: hand.handled, busy: hand.busy, idle });
            }
        }
        for (key, pair) in &self.pairs {
            let undecided = pair.kind == Kind::User && pair.worked;
            self.consumers[(key >> 32) as usize].report.effects.undecided += u64::from(undecided);
        }
        for i in 0..self.consumers.len() {
            let pending = |life: &&Life| {
                matches!(life.source, Message::Published { .. }) && self.owes(i, life)
            };
            let pending = self.lives.values().filter(pending).count() as u64;
            let c = &mut self.consumers[i];
            c.report.effects.undecided += if c.is_worked { pending } else { 0 };
        }
        let consumers = self.consumers.into_iter().map(|c| c.finish(until)).collect();
        let [messages, advisories, copies] = self.traffic;
        Report { until, cut, messages, advisories, copies, consumers, workers }
    }
}

impl OnConsumer<'_> {
    fn finish(mut self, until: Time) -> ConsumerReport {
        let existed = self.existed + self.since.map_or(Dur::ZERO, |since| until.since(since));
        self.area += u128::from(self.in_flight) * u128::from(until.since(self.level_since).0);
        let share = |amount: u128, of: u64| match of {
            0 => 0,
            of => u64::try_from(amount * 1000 / u128::from(of)).unwrap_or(u64::MAX),
        };
        ConsumerReport {
            in_flight: self.in_flight,
            mean_in_flight: share(self.area, existed.0),
            throughput: share(u128::from(self.report.handled) * u128::from(SEC), until.0),
            to_done: self.to_done.quantiles(),
            to_settled: self.to_settled.quantiles(),
            ..self.report
        }
    }
}

/// Every subject that some configuration of a consumer lets through; empty if one lets all through.
fn filters<'a>(scenario: &'a Scenario, stream: &str, name: &str) -> Vec<&'a str> {
    let declared = scenario
        .consumers
        .iter()
        .filter(|c| c.stream == stream && c.config.durable_name == name)
        .map(|c| &c.config);
    let scripted = scenario.timeline.iter().filter_map(|step| match &step.op {
        Op::CreateConsumer(c) if c.stream == stream && c.config.durable_name == name => {
            Some(&c.config)
        }
        _ => None,
    });
    let mut all = Vec::new();
    for config in declared.chain(scripted) {
        if config.filter_subjects.is_empty() {
            return Vec::new();
        }
        all.extend(config.filter_subjects.iter().map(String::as_str));
    }
    all
}

impl Observer for Tally<'_> {
    fn message(&mut self, message: Message) {
        self.announced = Some((Msg(self.next_msg), message));
        self.next_msg += 1;
    }

    fn event(&mut self, at: Time, event: Event) {
        self.last = at;
        if let Some(msg) = self.routing
            && !matches!(event, Event::Routed { msg: other, .. } if other == msg)
            && !matches!(event, Event::Dropped { .. })
        {
            self.routing = None;
            if message_of(&event) != Some(msg) {
                self.tidy(msg);
            }
        }
        if let Some((msg, source)) = self.announced.take() {
            let life =
                Life { source, published: at, stored: None, arrived: false, owed: 0, copies: 0 };
            self.lives.insert(msg.0, life);
            self.count(Kind::of(source)).published += 1;
        }
        match event {
            Event::Stored { msg, stream, seq } => self.stored(msg, stream, seq),
            Event::NotKept { msg, stream, seq } => {
                self.traffic_of(msg).not_kept += 1;
                self.last_seq[usize::from(stream.0)] = seq;
                self.through(msg);
            }
            Event::Deduplicated { msg, .. } => {
                self.traffic_of(msg).deduplicated += 1;
                self.through(msg);
            }
            Event::Refused { msg, why, .. } => {
                self.traffic_of(msg).refused.count(why);
                self.through(msg);
            }
            Event::Unheard { msg } => {
                self.traffic_of(msg).unheard += 1;
                self.through(msg);
            }
            Event::PubFailed { msg, why, .. } => match why {
                Refusal::Disconnected | Refusal::BufferFull => {
                    self.traffic_of(msg).unsent += 1;
                    self.through(msg);
                }
                Refusal::Timeout => self.traffic_of(msg).timed_out += 1,
                _ => {}
            },
            Event::Routed { msg, .. } => {
                self.traffic_of(msg).routed += 1;
                self.routing = Some(msg);
                self.arrived(msg);
                if let Some(life) = self.lives.get_mut(&msg.0) {
                    life.copies += 1;
                }
            }
            Event::Received { msg, .. } => self.traffic_of(msg).received += 1,
            Event::HandlerDone { msg, .. } => {
                self.traffic_of(msg).handled += 1;
                self.copy_is_over(msg);
            }
            Event::Dropped { msg, why, .. } => {
                self.traffic_of(msg).dropped.count(why);
                // Lost on its way to the server, it will not come.
                self.arrived(msg);
                self.copy_is_over(msg);
            }
            Event::Removed { msg, stream, why, .. } => self.removed(at, msg, stream, why),
            Event::Delivered { delivery, to, deadline, cause, .. } => {
                self.delivered(at, delivery, to, deadline, cause);
            }
            // A client that is scripted keeps it without working on it.
            Event::Arrived { delivery, at: client }
                if self.hands[usize::from(client.0)].worker.is_none() =>
            {
                self.release(key(delivery));
            }
            Event::Missed { delivery, .. } => self.release(key(delivery)),
            Event::WorkStarted { delivery, by } => {
                self.work_over(at, by, false);
                self.consumers[usize::from(delivery.consumer.0)]
                    .report
                    .first_started
                    .get_or_insert(at);
                self.hands[usize::from(by.0)].work = Some(Work {
                    pair: key(delivery),
                    began: at,
                    acted: None,
                    done: false,
                    over: false,
                });
            }
            Event::WorkDone { delivery, by, changed } => self.work_done(at, delivery, by, changed),
            Event::Answered { delivery, by, reply } => self.answered(at, delivery, by, reply),
            Event::Pulled { by, .. } => self.work_over(at, by, false),
            Event::Recorded { delivery, reply, effect: crate::trace::Effect::Settled } => {
                let how = if reply == Reply::Term { End::Terminated } else { End::Settled };
                self.end(at, key(delivery), how);
            }
            Event::Exhausted { delivery, advised } => {
                self.end(at, key(delivery), End::Exhausted { advised });
            }
            Event::ConsumerCreated { consumer } => self.consumer_created(at, consumer),
            Event::ConsumerDeleted { consumer, .. } => self.consumer_deleted(at, consumer),
            Event::Started { client } => {
                self.hands[usize::from(client.0)].since.get_or_insert(at);
            }
            Event::Stopped { client } | Event::Crashed { client } => self.leaves(at, client),
            _ => {}
        }
    }
}
