//! Names of a scenario turned into numbers, and interned subjects.

use crate::scenario::{Op, Scenario};
use crate::time::Time;
use crate::trace::{Client, ClientId, ClientKind, ConsumerId, ConsumerName, StreamId};
use std::collections::BTreeMap;

/// What a client does on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Only what the timeline says.
    Scripted,
    /// A worker, by its place in [`Scenario::workers`].
    Worker(u16),
    /// A dead-letter handler, by its place in [`Scenario::dead_letter_handlers`].
    Handler(u16),
    /// A subscriber: its subscription is kept apart.
    Subscriber,
    /// A publisher.
    Publisher,
}

/// Who is who in a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    pub(crate) streams: Vec<String>,
    pub(crate) consumers: Vec<ConsumerName>,
    pub(crate) clients: Vec<Client>,
    /// By client.
    pub(crate) roles: Vec<Role>,
    /// The client that acts in each step; no meaning for calls.
    actors: Vec<ClientId>,
}

impl Names {
    /// Numbers everything that a scenario names.
    ///
    /// # Errors
    /// A sentence for each name that nothing has.
    pub(crate) fn new(scenario: &Scenario) -> Result<Self, Vec<String>> {
        let mut names = Self::default();
        let mut problems = Vec::new();
        names.streams = scenario.streams.iter().map(|s| s.name.clone()).collect();
        for step in &scenario.timeline {
            if let Op::CreateStream(config) = &step.op
                && names.stream(&config.name).is_none()
            {
                names.streams.push(config.name.clone());
            }
        }
        for consumer in &scenario.consumers {
            let name = &consumer.config.durable_name;
            match names.stream(&consumer.stream) {
                Some(stream) => names.consumers.push(ConsumerName { stream, name: name.clone() }),
                None => problems.push(format!(
                    "consumer `{name}` reads stream `{}`, but there is no such stream",
                    consumer.stream
                )),
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        for step in &scenario.timeline {
            if let Op::CreateConsumer(create) = &step.op
                && let Some(stream) = names.stream(&create.stream)
                && names.consumer_of(stream, &create.config.durable_name).is_none()
            {
                let name = create.config.durable_name.clone();
                names.consumers.push(ConsumerName { stream, name });
            }
        }
        names.number_missing(scenario);
        names.number_clients(scenario, &mut problems);
        names.number_actors(scenario, &mut problems);
        if problems.is_empty() { Ok(names) } else { Err(problems) }
    }

    /// Consumers that are asked for but never created: asking is answered as the server does (R61).
    fn number_missing(&mut self, scenario: &Scenario) {
        for step in &scenario.timeline {
            let (stream, name) = match &step.op {
                Op::Pull(pull) => (&pull.stream, &pull.consumer),
                Op::ConsumerInfo(of) | Op::DeleteConsumer(of) => (&of.stream, &of.consumer),
                _ => continue,
            };
            let only = if self.streams.len() == 1 { Some(StreamId(0)) } else { None };
            if !name.is_empty()
                && self.consumer(stream, name).is_none()
                && let Some(stream) = if stream.is_empty() { only } else { self.stream(stream) }
            {
                self.consumers.push(ConsumerName { stream, name: name.clone() });
            }
        }
    }

    fn number_clients(&mut self, scenario: &Scenario, problems: &mut Vec<String>) {
        for step in &scenario.timeline {
            if let Op::Publish(publish) = &step.op {
                self.add(&publish.by, ClientKind::Publisher, None, Role::Publisher);
            }
        }
        for (i, worker) in scenario.workers.iter().enumerate() {
            let consumer = self.consumer(&worker.stream, &worker.consumer);
            if consumer.is_none() {
                problems.push(self.no_consumer(&worker.name, &worker.stream, &worker.consumer));
            }
            for n in 1..=worker.count {
                let name = if worker.count == 1 {
                    worker.name.clone()
                } else {
                    format!("{} {n}", worker.name)
                };
                if self.client(&name, ClientKind::Worker).is_some() {
                    problems.push(format!("two workers are called `{name}`"));
                }
                self.add(&name, ClientKind::Worker, consumer, Role::Worker(i as u16));
            }
        }
        for step in &scenario.timeline {
            if let Op::Pull(pull) = &step.op {
                let consumer = self.consumer(&pull.stream, &pull.consumer);
                self.add(&pull.worker, ClientKind::Worker, consumer, Role::Scripted);
                if consumer.is_none() {
                    problems.push(self.no_consumer(&pull.worker, &pull.stream, &pull.consumer));
                }
            }
        }
        for subscriber in &scenario.subscribers {
            if self.client(&subscriber.name, ClientKind::Subscriber).is_some() {
                problems.push(format!("two subscribers are called `{}`", subscriber.name));
            }
            self.add(&subscriber.name, ClientKind::Subscriber, None, Role::Subscriber);
        }
        for step in &scenario.timeline {
            if let Op::Subscribe(subscriber) = &step.op
                && self.client(&subscriber.name, ClientKind::Worker).is_none()
            {
                self.add(&subscriber.name, ClientKind::Subscriber, None, Role::Subscriber);
            }
        }
        for (i, handler) in scenario.dead_letter_handlers.iter().enumerate() {
            let consumer = self.consumer(&handler.stream, &handler.consumer);
            if consumer.is_none() {
                problems.push(self.no_consumer(&handler.name, &handler.stream, &handler.consumer));
            }
            if self.client(&handler.name, ClientKind::Handler).is_some() {
                problems.push(format!("two dead-letter handlers are called `{}`", handler.name));
            }
            self.add(&handler.name, ClientKind::Handler, consumer, Role::Handler(i as u16));
        }
    }

    fn number_actors(&mut self, scenario: &Scenario, problems: &mut Vec<String>) {
        use ClientKind::{Publisher, Subscriber, Worker};
        for step in &scenario.timeline {
            let (name, kinds, does): (&str, &[ClientKind], _) = match &step.op {
                Op::Publish(publish) => (&publish.by, &[Publisher], "publishes"),
                Op::Pull(pull) => (&pull.worker, &[Worker], "pulls"),
                Op::Answer(answer) => (&answer.worker, &[Worker], "answers"),
                Op::Kill(name) => (name, &[Worker, Subscriber, ClientKind::Handler], "is killed"),
                Op::Unsubscribe(name) => (name, &[Subscriber], "unsubscribes"),
                Op::Subscribe(subscriber) => {
                    (&subscriber.name, &[Subscriber, Worker], "subscribes")
                }
                Op::Stall(name) => (name, &[Subscriber], "stops reading"),
                Op::Resume(name) => (name, &[Subscriber], "reads again"),
                Op::Flush(name) | Op::Request(crate::scenario::Request { by: name, .. }) => {
                    let id = self.add(name, Publisher, None, Role::Publisher);
                    self.actors.push(id);
                    continue;
                }
                _ => {
                    self.actors.push(ClientId(0));
                    continue;
                }
            };
            match kinds.iter().find_map(|kind| self.client(name, *kind)) {
                Some(id) => self.actors.push(id),
                None => {
                    self.actors.push(ClientId(0));
                    problems.push(format!(
                        "`{name}` {does} at {}, but there is nobody of that name",
                        step.at
                    ));
                }
            }
        }
    }

    fn no_consumer(&self, worker: &str, stream: &str, consumer: &str) -> String {
        let all: Vec<&str> = self.consumers.iter().map(|c| c.name.as_str()).collect();
        match (consumer.is_empty(), all.is_empty()) {
            (_, true) => format!("`{worker}` pulls, but the scenario has no consumer"),
            (true, _) => format!(
                "`{worker}` does not say which consumer it pulls from; there are {}",
                all.join(", ")
            ),
            _ => format!(
                "`{worker}` pulls from consumer `{consumer}`{}, which is not one of {}",
                if stream.is_empty() { String::new() } else { format!(" of stream `{stream}`") },
                all.join(", ")
            ),
        }
    }

    fn add(
        &mut self,
        name: &str,
        kind: ClientKind,
        consumer: Option<ConsumerId>,
        role: Role,
    ) -> ClientId {
        if let Some(id) = self.client(name, kind) {
            return id;
        }
        self.clients.push(Client { name: name.into(), kind, consumer });
        self.roles.push(role);
        ClientId(self.clients.len() as u16 - 1)
    }

    pub(crate) fn client(&self, name: &str, kind: ClientKind) -> Option<ClientId> {
        let at = self.clients.iter().position(|c| c.kind == kind && c.name == name)?;
        Some(ClientId(at as u16))
    }

    pub(crate) fn stream(&self, name: &str) -> Option<StreamId> {
        self.streams.iter().position(|s| s == name).map(|i| StreamId(i as u16))
    }

    fn consumer_of(&self, stream: StreamId, name: &str) -> Option<ConsumerId> {
        let at = self.consumers.iter().position(|c| c.stream == stream && c.name == name)?;
        Some(ConsumerId(at as u16))
    }

    /// A consumer by name; an empty name is the only one there is.
    pub(crate) fn consumer(&self, stream: &str, name: &str) -> Option<ConsumerId> {
        let mut found = self.consumers.iter().enumerate().filter(|(_, c)| {
            (name.is_empty() || c.name == name)
                && (stream.is_empty() || self.streams[c.stream.0 as usize] == stream)
        });
        let (i, _) = found.next()?;
        found.next().is_none().then_some(ConsumerId(i as u16))
    }

    /// The client that acts in a step.
    pub(crate) fn actor(&self, step: u32) -> ClientId {
        self.actors[step as usize]
    }
}

/// Subjects by number.
#[derive(Default)]
pub(crate) struct Subjects {
    /// The number beside a moment without meaning, so that all maps from text are of one type: less to download.
    numbers: BTreeMap<Box<str>, (u64, Time)>,
    all: Vec<Box<str>>,
    /// The stream that captures each subject, looked up once; emptied when a stream is created.
    pub(crate) captured: Vec<Option<Option<u16>>>,
}

impl Subjects {
    /// The number of a subject.
    pub(crate) fn number(&mut self, subject: &str) -> u32 {
        if let Some(&(n, _)) = self.numbers.get(subject) {
            return n as u32;
        }
        let n = self.all.len() as u32;
        self.numbers.insert(subject.into(), (u64::from(n), Time::ZERO));
        self.all.push(subject.into());
        self.captured.push(None);
        n
    }

    pub(crate) fn text(&self, number: u32) -> &str {
        &self.all[number as usize]
    }

    /// Streams changed: what captures a subject has to be looked up again.
    pub(crate) fn streams_changed(&mut self) {
        self.captured.fill(None);
    }
}
