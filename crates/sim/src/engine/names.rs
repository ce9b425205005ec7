//! Names of a scenario turned into numbers, and interned subjects.

use crate::scenario::{Op, Scenario};
use crate::trace::{Client, ClientId, ClientKind, ConsumerId, ConsumerName, StreamId};
use std::collections::BTreeMap;

/// Who is who in a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    pub(crate) streams: Vec<String>,
    pub(crate) consumers: Vec<ConsumerName>,
    pub(crate) clients: Vec<Client>,
    /// For each client, its place in [`Scenario::workers`] if it works on its own.
    pub(crate) spec: Vec<Option<usize>>,
    /// The publisher of each step; no meaning for other steps.
    publishers: Vec<ClientId>,
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
        for consumer in &scenario.consumers {
            match names.stream(&consumer.stream) {
                Some(stream) => {
                    let name = consumer.config.durable_name.clone();
                    names.consumers.push(ConsumerName { stream, name });
                }
                None => problems.push(format!(
                    "consumer `{}` reads stream `{}`, but there is no such stream",
                    consumer.config.durable_name, consumer.stream
                )),
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        for step in &scenario.timeline {
            let by = match &step.op {
                Op::Publish(publish) => names.add(&publish.by, ClientKind::Publisher, None, None),
                _ => ClientId(0),
            };
            names.publishers.push(by);
        }
        for (i, worker) in scenario.workers.iter().enumerate() {
            let consumer = names.consumer(&worker.stream, &worker.consumer);
            if consumer.is_none() {
                problems.push(names.no_consumer(&worker.name, &worker.stream, &worker.consumer));
            }
            for n in 1..=worker.count {
                let name =
                    if worker.count == 1 { worker.name.clone() } else { format!("{} {n}", worker.name) };
                if names.client(&name, ClientKind::Worker).is_some() {
                    problems.push(format!("two workers are called `{name}`"));
                }
                names.add(&name, ClientKind::Worker, consumer, Some(i));
            }
        }
        for step in &scenario.timeline {
            if let Op::Pull(pull) = &step.op {
                let consumer = names.consumer(&pull.stream, &pull.consumer);
                names.add(&pull.worker, ClientKind::Worker, consumer, None);
                if consumer.is_none() && pull.consumer.is_empty() {
                    problems.push(names.no_consumer(&pull.worker, &pull.stream, &pull.consumer));
                }
            }
        }
        for step in &scenario.timeline {
            let (who, what) = match &step.op {
                Op::Answer(answer) => (&answer.worker, "answers"),
                Op::Kill(name) => (name, "is killed"),
                _ => continue,
            };
            if names.client(who, ClientKind::Worker).is_none() {
                problems.push(format!("`{who}` {what} at {}, but there is no such worker", step.at));
            }
        }
        if problems.is_empty() { Ok(names) } else { Err(problems) }
    }

    fn no_consumer(&self, worker: &str, stream: &str, consumer: &str) -> String {
        let all: Vec<&str> = self.consumers.iter().map(|c| c.name.as_str()).collect();
        match (consumer.is_empty(), all.is_empty()) {
            (_, true) => format!("worker `{worker}` pulls, but the scenario has no consumer"),
            (true, _) => format!(
                "worker `{worker}` does not say which consumer it pulls from; there are {}",
                all.join(", ")
            ),
            _ => format!(
                "worker `{worker}` pulls from consumer `{consumer}`{}; there are {}",
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
        spec: Option<usize>,
    ) -> ClientId {
        if let Some(id) = self.client(name, kind) {
            return id;
        }
        self.clients.push(Client { name: name.into(), kind, consumer });
        self.spec.push(spec);
        ClientId(self.clients.len() as u16 - 1)
    }

    pub(crate) fn client(&self, name: &str, kind: ClientKind) -> Option<ClientId> {
        let at = self.clients.iter().position(|c| c.kind == kind && c.name == name)?;
        Some(ClientId(at as u16))
    }

    pub(crate) fn stream(&self, name: &str) -> Option<StreamId> {
        self.streams.iter().position(|s| s == name).map(|i| StreamId(i as u16))
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

    pub(crate) fn publisher(&self, _scenario: &Scenario, step: u32) -> ClientId {
        self.publishers[step as usize]
    }
}

/// Subjects by number.
#[derive(Default)]
pub(crate) struct Subjects {
    numbers: BTreeMap<Box<str>, u32>,
    all: Vec<Box<str>>,
    /// The stream that captures each subject, looked up once.
    pub(crate) captured: Vec<Option<u16>>,
}

impl Subjects {
    /// The number of a subject, and whether it is new.
    pub(crate) fn number(&mut self, subject: &str) -> (u32, bool) {
        if let Some(&n) = self.numbers.get(subject) {
            return (n, false);
        }
        let n = self.all.len() as u32;
        self.numbers.insert(subject.into(), n);
        self.all.push(subject.into());
        (n, true)
    }

    pub(crate) fn text(&self, number: u32) -> &str {
        &self.all[number as usize]
    }
}
