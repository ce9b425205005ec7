//! The run itself: takes what is due, lets server and clients react, and tells the observer.

mod admin;
mod clients;
mod core_nats;
mod dead_letters;
mod deliver;
mod names;
mod publish;
mod restart;

use crate::check;
use crate::info::ConsumerInfo;
use crate::queue::{Class, Queue};
use crate::rng::Rng;
use crate::scenario::{Answer, AnswerAct, Op, Scenario};
use crate::server::consumer::Consumer;
use crate::server::stream::Stream;
use crate::time::{Dur, Time};
use crate::trace::{
    ClientId, ClientKind, ConsumerId, Cut, Delivery, Event, Message, Msg, Observer, Refusal, Reply,
    Status, StreamId,
};
use clients::ClientState;
use core_nats::SubscriberState;
use dead_letters::HandlerResult;
pub(crate) use names::Names;
use names::{Role, Subjects};
use publish::PublisherState;

/// Most things that may happen in one run, so that every run ends.
pub const MAX_STEPS: u64 = 400_000_000;
/// Most steps without an event: timers that only wake each other.
const MAX_QUIET_STEPS: u64 = 20_000_000;

/// What waits for its moment.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Act {
    /// Client: a step of the timeline is due.
    Step(u32),
    /// Client: the n-th message of a publishing step is due.
    Publish { step: u32, n: u32 },
    /// Server: a published message arrives.
    Accept { step: u32, n: u32, msg: Msg },
    /// Client: the PubAck arrives.
    PubAck { step: u32, n: u32, msg: Msg, stream: u16, seq: u32, duplicate: bool },
    /// Client: the publisher learns of a refusal.
    PubFail { step: u32, n: u32, msg: Msg, why: Refusal },
    /// Server: a pull request arrives.
    Pull {
        by: ClientId,
        connection: u32,
        consumer: u16,
        batch: u32,
        expires: Dur,
        flags: PullFlags,
    },
    /// Client: a delivery arrives.
    Arrive { to: ClientId, connection: u32, delivery: Packed, consumer_seq: u32 },
    /// Client: the status that ends a pull arrives.
    Status { to: ClientId, connection: u32, consumer: u16, status: Status, missing: u32 },
    /// Server: an answer arrives.
    Reply { by: ClientId, delivery: Packed, consumer_seq: u32, reply: Reply, sync: bool },
    /// Client: the confirmation of an answer arrives.
    Confirm { to: ClientId, connection: u32, delivery: Packed },
    /// Client: a worker connects.
    Start(ClientId),
    /// Client: a worker's connection closes in order.
    Stop(ClientId),
    /// Client: the step of work that is under way is over.
    Work { by: ClientId, life: u32 },
    /// Client: time to say in progress.
    Beat { by: ClientId, life: u32, nth: u32 },
    /// Client: the pause before the next pull is over.
    Resume { by: ClientId, connection: u32 },
    /// Client: no confirmation of its ack came in time.
    AckAgain { by: ClientId, life: u32, nth: u32 },
    /// Server: it learns that a connection is gone.
    Closed { client: ClientId, connection: u32 },
    /// Server: the ack timer of a consumer fires.
    Sweep(u16),
    /// Server: a waiting pull expires.
    PullWake(u16),
    /// Server: the age timer of a stream fires.
    Age(u16),
    /// Server: a scripted call arrives.
    Call(u32),
    /// Client: the answer to it arrives.
    Answered { step: u32, answer: u32 },
    /// Server: a consumer is due to exist.
    Create(u16),
    /// Server: a request of Core NATS arrives.
    Request { step: u32, msg: Msg },
    /// Client: the time that a request may take is over.
    RequestOver { step: u32, msg: Msg },
    /// Server: a consumer may have been unused for too long.
    Inactive { consumer: u16, grace: u32 },
    /// Server: the next message of a replay is due.
    Replay(u16),
    /// Client: a publisher's connection may be back.
    PublisherBack(ClientId),
    /// Client: a subscriber starts.
    Subscribe(ClientId),
    /// Client: a subscriber leaves in order.
    SubscriberStops(ClientId),
    /// Client: a subscriber tries to connect again.
    SubscriberBack(ClientId),
    /// Server: a subscription begins.
    SubscriptionOpens { by: ClientId, subscription: u32 },
    /// Server: a subscription ends.
    SubscriptionCloses { by: ClientId, subscription: u32 },
    /// Client: a copy arrives at a subscriber.
    Copy { to: ClientId, subscription: u32, msg: Msg, size: u32 },
    /// Client: a subscriber's handler takes the next message.
    Handle { by: ClientId, life: u32 },
    /// Client: a subscriber's handler is done.
    Handled { by: ClientId, life: u32, msg: Msg },
    /// Server: a call of a dead-letter handler arrives.
    HandlerCall { by: ClientId, connection: u32 },
    /// Client: its answer arrives.
    HandlerBack { by: ClientId, connection: u32, result: HandlerResult },
}

/// Rarely used parts of a pull request.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PullFlags {
    pub(crate) no_wait: bool,
    /// Zero means no limit.
    pub(crate) max_bytes: u32,
}

/// A delivery in fewer bytes; a run has fewer than 2³² messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packed {
    pub(crate) consumer: u16,
    pub(crate) msg: Msg,
    pub(crate) seq: u32,
    pub(crate) attempt: u32,
}

impl Packed {
    pub(crate) fn open(self) -> Delivery {
        Delivery {
            consumer: ConsumerId(self.consumer),
            msg: self.msg,
            seq: u64::from(self.seq),
            attempt: self.attempt,
        }
    }
}

/// Everything a run holds.
pub(crate) struct World<'a, O> {
    pub(crate) now: Time,
    pub(crate) queue: Queue<Act>,
    pub(crate) observer: &'a mut O,
    pub(crate) scenario: &'a Scenario,
    pub(crate) names: Names,
    pub(crate) rng: Rng,
    pub(crate) subjects: Subjects,
    pub(crate) streams: Vec<Stream>,
    /// None while it does not exist.
    pub(crate) consumers: Vec<Option<Consumer>>,
    pub(crate) clients: Vec<ClientState<'a>>,
    /// By client; of meaning for publishers only.
    pub(crate) publishers: Vec<PublisherState>,
    pub(crate) subscribers: Vec<SubscriberState<'a>>,
    /// Requests that wait for a handler, each with its step and the end of its time.
    pub(crate) requests: Vec<(Msg, u32, Time)>,
    /// Whether anybody listens to advisories.
    pub(crate) advised: bool,
    /// Payloads whose side effect is committed, and when; kept only if some worker asks.
    pub(crate) effects: std::collections::BTreeMap<Box<str>, (u64, Time)>,
    /// Consumers whose delivery loop is to run at the end of the moment.
    dirty: Vec<u16>,
    is_dirty: Vec<bool>,
    /// Consumers whose counters may have changed.
    touched: Vec<u16>,
    is_touched: Vec<bool>,
    last_infos: Vec<ConsumerInfo>,
    next_msg: u32,
    answers: u32,
    /// Where each message came from; kept only if some worker looks at payloads.
    pub(crate) messages: Vec<Message>,
    keep_messages: bool,
    /// Clients whose connection the server's stop closed.
    pub(crate) cut_off: Vec<ClientId>,
    /// Whether the server runs.
    pub(crate) up: bool,
    steps: u64,
    /// The step that told the latest event.
    last_event: u64,
    /// Messages whose publisher may have to give up waiting for a PubAck.
    pub(crate) unconfirmed: Vec<Msg>,
    /// For each publishing step, the message it has come to.
    pub(crate) progress: Vec<u32>,
    /// Consumers that are due to exist when the server is back.
    pub(crate) due: Vec<u16>,
}

/// What a run leaves behind besides its events.
pub(crate) struct Ending {
    pub(crate) names: Names,
    pub(crate) cut: Option<Cut>,
}

/// Runs a checked scenario.
pub(crate) fn run<O: Observer>(scenario: &Scenario, names: Names, observer: &mut O) -> Ending {
    let mut world = World::new(scenario, names, observer);
    world.begin();
    let cut = world.go();
    Ending { names: world.names, cut }
}

impl<'a, O: Observer> World<'a, O> {
    fn new(scenario: &'a Scenario, names: Names, observer: &'a mut O) -> Self {
        let consumers = names.consumers.len();
        let clients = names
            .clients
            .iter()
            .zip(&names.roles)
            .map(|(client, role)| {
                let worker = match role {
                    Role::Worker(i) => Some(&scenario.workers[*i as usize]),
                    _ => None,
                };
                ClientState::new(worker, client.consumer.map(|c| c.0))
            })
            .collect();
        let publishers = names
            .clients
            .iter()
            .map(|client| {
                let spec = scenario.publishers.iter().find(|p| p.name == client.name);
                spec.map(PublisherState::new).unwrap_or_default()
            })
            .collect();
        let effects_matter = scenario.workers.iter().any(|w| w.idempotent || w.handled_table);
        Self {
            now: Time::ZERO,
            queue: Queue::new(scenario.network_delay),
            observer,
            scenario,
            rng: Rng::new(scenario.seed),
            subjects: Subjects::default(),
            streams: Vec::new(),
            consumers: (0..consumers).map(|_| None).collect(),
            clients,
            publishers,
            subscribers: Vec::new(),
            requests: Vec::new(),
            advised: false,
            effects: std::collections::BTreeMap::new(),
            dirty: Vec::new(),
            is_dirty: vec![false; consumers],
            touched: Vec::new(),
            is_touched: vec![false; consumers],
            last_infos: vec![ConsumerInfo::default(); consumers],
            next_msg: 0,
            answers: 0,
            messages: Vec::new(),
            keep_messages: effects_matter
                || !scenario.dead_letter_handlers.is_empty()
                || scenario
                    .workers
                    .iter()
                    .flat_map(|w| &w.behaviour)
                    .any(|b| !b.on.data.is_empty() || !b.on.data_prefix.is_empty()),
            cut_off: Vec::new(),
            up: true,
            steps: 0,
            last_event: 0,
            unconfirmed: Vec::new(),
            progress: vec![1; scenario.timeline.len()],
            due: Vec::new(),
            names,
        }
    }

    /// Puts everything that the scenario sets in motion into the queue.
    fn begin(&mut self) {
        for name in &self.names.streams {
            let declared = self.scenario.streams.iter().find(|s| s.name == *name);
            let config = declared.and_then(|s| check::stream_defaults(s).ok());
            let exists = config.is_some();
            let mut stream = Stream::new(config.unwrap_or_default());
            stream.exists = exists;
            self.streams.push(stream);
        }
        for id in 0..self.streams.len() as u16 {
            self.arm_age(id);
        }
        self.advised = self.listens_to_advisories();
        for (i, consumer) in self.scenario.consumers.iter().enumerate() {
            if consumer.create_at == Time::ZERO {
                self.create_declared(i as u16);
            } else {
                self.queue.at(consumer.create_at, Class::Inbound, Act::Create(i as u16));
            }
        }
        for id in 0..self.clients.len() {
            let id = ClientId(id as u16);
            let (start, stop) = match self.names.roles[id.0 as usize] {
                Role::Worker(i) => {
                    let worker = &self.scenario.workers[i as usize];
                    (worker.start, worker.stop)
                }
                Role::Handler(i) => {
                    let handler = &self.scenario.dead_letter_handlers[i as usize];
                    (handler.start, handler.stop)
                }
                Role::Subscriber => {
                    let name = &self.names.clients[id.0 as usize].name;
                    let declared = self.scenario.subscribers.iter().find(|s| s.name == *name);
                    let scripted = self.scenario.timeline.iter().find_map(|step| match &step.op {
                        Op::Subscribe(s) if s.name == *name => Some(s),
                        _ => None,
                    });
                    if let Some(spec) = declared.or(scripted) {
                        self.subscribers.push(SubscriberState::new(id, spec));
                    }
                    if let Some(spec) = declared {
                        self.begin_subscriber(id, spec);
                    }
                    continue;
                }
                Role::Scripted | Role::Publisher => continue,
            };
            self.queue.at(start, Class::Inbound, Act::Start(id));
            if stop > Time::ZERO {
                self.queue.at(stop, Class::Inbound, Act::Stop(id));
            }
        }
        for (i, step) in self.scenario.timeline.iter().enumerate() {
            self.queue.at(step.at, Class::Inbound, Act::Step(i as u32));
        }
    }

    fn go(&mut self) -> Option<Cut> {
        loop {
            let next = self.queue.next_at().unwrap_or(Time::NEVER);
            if next > self.now && self.settle_moment() {
                continue;
            }
            if next > self.scenario.end {
                return None;
            }
            self.steps += 1;
            let quiet = self.steps - self.last_event > MAX_QUIET_STEPS;
            if self.steps > MAX_STEPS || quiet || self.observer.is_full() {
                return Some(Cut::Events);
            }
            self.now = next;
            let act = self.queue.pop()?;
            self.act(act);
        }
    }

    /// Runs the delivery loops that are due, and reports changed counters. Says whether anything ran.
    fn settle_moment(&mut self) -> bool {
        let ran = !self.dirty.is_empty();
        while let Some(consumer) = self.dirty.pop() {
            self.is_dirty[consumer as usize] = false;
            self.delivery_loop(consumer);
        }
        if O::WANTS_INFO {
            while let Some(consumer) = self.touched.pop() {
                self.is_touched[consumer as usize] = false;
                let info = self.consumer_info(consumer).unwrap_or_default();
                if info != self.last_infos[consumer as usize] {
                    self.last_infos[consumer as usize] = info;
                    self.observer.info(self.now, ConsumerId(consumer), info);
                }
            }
        }
        ran
    }

    pub(crate) fn emit(&mut self, event: Event) {
        self.last_event = self.steps;
        self.observer.event(self.now, event);
    }

    /// The delivery loop of a consumer is to run when this moment holds nothing else.
    pub(crate) fn mark_dirty(&mut self, consumer: u16) {
        if !std::mem::replace(&mut self.is_dirty[consumer as usize], true) {
            self.dirty.push(consumer);
        }
        self.touch(consumer);
    }

    /// Counters of a consumer may have changed.
    pub(crate) fn touch(&mut self, consumer: u16) {
        if O::WANTS_INFO && !std::mem::replace(&mut self.is_touched[consumer as usize], true) {
            self.touched.push(consumer);
        }
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::Step(step) => self.step(step),
            Act::Publish { step, n } => self.publish(step, n),
            Act::Accept { step, n, msg } => self.accept(step, n, msg),
            Act::PubAck { step, n, msg, stream, seq, duplicate } => {
                let by = self.names.actor(step);
                let (stream, seq) = (StreamId(stream), u64::from(seq));
                self.unconfirmed.retain(|other| *other != msg);
                self.emit(Event::PubAcked { msg, by, stream, seq, duplicate });
                self.publish_next(step, n);
            }
            Act::PubFail { step, n, msg, why } => {
                let by = self.names.actor(step);
                let waiting = self.unconfirmed.len();
                self.unconfirmed.retain(|other| *other != msg);
                if why == Refusal::Timeout && self.unconfirmed.len() == waiting {
                    return; // Its PubAck was in time.
                }
                self.emit(Event::PubFailed { msg, by, why });
                self.publish_failed(step, n, why);
            }
            Act::Pull { by, connection, consumer, batch, expires, flags } => {
                self.accept_pull(by, connection, consumer, batch, expires, flags);
            }
            Act::Arrive { to, connection, delivery, consumer_seq } => {
                self.arrive(to, connection, delivery, consumer_seq);
            }
            Act::Status { to, connection, consumer, status, missing } => {
                self.status_arrives(to, connection, consumer, status, missing);
            }
            Act::Reply { by, delivery, consumer_seq, reply, sync } => {
                self.accept_reply(by, delivery, consumer_seq, reply, sync);
            }
            Act::Confirm { to, connection, delivery } => {
                if self.clients[to.0 as usize].is_connected(connection) {
                    self.emit(Event::Confirmed { delivery: delivery.open(), by: to });
                    self.confirmed(to, delivery);
                }
            }
            Act::Start(client) => self.start(client),
            Act::Stop(client) => self.stop(client),
            Act::Work { by, life } => self.work_step_over(by, life),
            Act::Beat { by, life, nth } => self.beat(by, life, nth),
            Act::AckAgain { by, life, nth } => self.ack_work(by, life, nth),
            Act::Resume { by, connection } => {
                if self.clients[by.0 as usize].is_connected(connection) {
                    self.pull_if_idle(by);
                }
            }
            Act::Closed { client, connection } => {
                let state = &mut self.clients[client.0 as usize];
                state.closed_at_server = state.closed_at_server.max(connection);
                if let Some(consumer) = state.consumer {
                    self.touch(consumer);
                }
            }
            Act::Sweep(consumer) => self.sweep(consumer),
            Act::PullWake(consumer) => self.pull_wake(consumer),
            Act::Age(stream) => self.age(stream),
            Act::Call(step) => self.call(step),
            Act::Answered { step, answer } => {
                self.emit(Event::Replied { step, answer });
                self.flushed(step);
            }
            Act::Create(consumer) => self.create_late(consumer),
            Act::Request { step, msg } => self.request_arrives(step, msg),
            Act::RequestOver { step, msg } => self.request_over(step, msg),
            Act::Inactive { consumer, grace } => self.inactive(consumer, grace),
            Act::Replay(consumer) => self.mark_dirty(consumer),
            Act::PublisherBack(client) => self.publisher_back(client),
            Act::Subscribe(client) => self.subscribe(client, None),
            Act::SubscriberStops(client) => self.subscriber_leaves(client, false),
            Act::SubscriberBack(client) => self.subscriber_back(client),
            Act::SubscriptionOpens { by, subscription } => {
                self.subscription_at_server(by, subscription, true);
            }
            Act::SubscriptionCloses { by, subscription } => {
                self.subscription_at_server(by, subscription, false);
            }
            Act::Copy { to, subscription, msg, size } => {
                self.copy_arrives(to, subscription, msg, size);
            }
            Act::Handle { by, life } => self.handle_next(by, life),
            Act::Handled { by, life, msg } => self.handled(by, life, msg),
            Act::HandlerCall { by, connection } => self.handler_call(by, connection),
            Act::HandlerBack { by, connection, result } => {
                self.handler_back(by, connection, result);
            }
        }
    }

    /// Carries out a step of the timeline, on the client's side.
    fn step(&mut self, step: u32) {
        let scenario = self.scenario;
        match &scenario.timeline[step as usize].op {
            Op::Publish(_) => self.publish(step, 1),
            Op::Pull(pull) => {
                let Some(client) = self.names.client(&pull.worker, ClientKind::Worker) else {
                    return;
                };
                let Some(consumer) = self.names.consumer(&pull.stream, &pull.consumer) else {
                    return;
                };
                self.reconnect(client);
                let flags = PullFlags { no_wait: pull.no_wait, max_bytes: pull.max_bytes };
                self.send_pull(client, consumer.0, pull.batch.max(1), pull.expires, flags);
            }
            Op::Answer(answer) => self.answer_by_hand(answer),
            Op::Kill(_) => {
                let client = self.names.actor(step);
                match self.names.clients[client.0 as usize].kind {
                    ClientKind::Subscriber => self.subscriber_leaves(client, true),
                    _ => self.crash(client, Dur::ZERO),
                }
            }
            Op::Subscribe(subscriber) => {
                let client = self.names.actor(step);
                match self.names.clients[client.0 as usize].kind {
                    ClientKind::Worker => self.start(client),
                    _ => self.subscribe(client, Some(subscriber)),
                }
            }
            Op::Unsubscribe(_) => self.unsubscribe(self.names.actor(step)),
            Op::Stall(_) => self.stall(self.names.actor(step)),
            Op::Resume(_) => self.resume(self.names.actor(step)),
            Op::Flush(_) => self.flush(step),
            Op::Request(_) => self.request(step),
            Op::ServerStop => self.server_stop(),
            Op::ServerStart => self.server_start(),
            Op::ConsumerInfo(_)
            | Op::StreamInfo(_)
            | Op::CreateStream(_)
            | Op::CreateConsumer(_)
            | Op::DeleteConsumer(_)
            | Op::PurgeStream(_)
            | Op::GetMessage(_)
            | Op::DeleteMessage(_) => {
                if self.up {
                    self.queue.send(self.now, Act::Call(step));
                }
            }
        }
    }

    /// Answers a delivery as the script says.
    fn answer_by_hand(&mut self, answer: &'a Answer) {
        let Some(client) = self.names.client(&answer.worker, ClientKind::Worker) else { return };
        let state = &self.clients[client.0 as usize];
        let Some((mut delivery, consumer_seq)) = state.find_held(answer.seq, answer.attempt) else {
            return;
        };
        if answer.forged_seq > 0 {
            delivery.seq = answer.forged_seq as u32;
        }
        let reply = match answer.act {
            AnswerAct::Ack | AnswerAct::AckNext => Reply::Ack,
            AnswerAct::Nak => match answer.delay {
                None => Reply::Nak,
                Some(delay) => Reply::NakDelay(delay),
            },
            AnswerAct::Term => Reply::Term,
            AnswerAct::InProgress => Reply::InProgress,
            AnswerAct::Raw => parse_reply(&answer.raw),
        };
        self.send_reply(client, delivery, consumer_seq, reply, answer.sync);
        if answer.act == AnswerAct::AckNext {
            let batch = answer.next_batch.max(1);
            self.send_pull(client, delivery.consumer, batch, Dur::ZERO, PullFlags::default());
        }
    }

    pub(crate) fn new_message(&mut self, message: Message) -> Msg {
        let msg = Msg(self.next_msg);
        self.next_msg += 1;
        self.observer.message(message);
        if self.keep_messages {
            self.messages.push(message);
        }
        msg
    }
}

/// What the server makes of the payload of an answer (R47, R77).
fn parse_reply(raw: &str) -> Reply {
    let raw = raw.trim_end();
    if let Some(rest) = raw.strip_prefix("-NAK") {
        let rest = rest.trim();
        if rest.is_empty() {
            return Reply::Nak;
        }
        let delay = if rest.starts_with('{') {
            let fields = rest.trim_start_matches('{').trim_end_matches('}');
            let (key, number) = fields.split_once(':').unwrap_or_default();
            let known = key.trim().trim_matches('"') == "delay";
            number.trim().parse::<i64>().ok().filter(|_| known)
        } else if let Some(rest) = rest.strip_prefix('-') {
            Dur::parse(rest).ok().map(|d| -(d.0 as i64))
        } else {
            Dur::parse(rest).ok().map(|d| d.0 as i64)
        };
        // A delay below zero counts as none, which takes the shortest time (R75).
        return match delay {
            Some(delay) => Reply::NakDelay(Dur(delay.max(0) as u64)),
            None => Reply::Nak,
        };
    }
    match raw {
        "" | "+ACK" | "+OK" => Reply::Ack,
        "+WPI" => Reply::InProgress,
        _ if raw.starts_with("+TERM") => Reply::Term,
        _ if raw.starts_with("+NXT") => Reply::Ack,
        _ => Reply::Unknown,
    }
}

const _: () = assert!(size_of::<Act>() <= 40, "entries of the queue stay small");
