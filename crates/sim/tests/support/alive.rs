//! What must happen in time, and what must not happen at all.

use super::Check;
use super::ledger::Ledger;
use super::watch::{Run, Seen};
use delivery_sim::scenario::{Behaviour, Op, ReplayPolicy, Service, WorkAct, Worker};
use delivery_sim::trace::{ClientId, ClientKind};
use delivery_sim::{Dur, Event, Time};
use std::collections::BTreeMap;

/// Events of a server while it is stopped.
#[derive(Default)]
pub(crate) struct Down;

impl Check for Down {
    fn seen(&mut self, ledger: &Ledger<'_>, seen: &Seen) -> Result<(), String> {
        let Seen::Event(_, event) = seen else { return Ok(()) };
        let of_server = matches!(
            event,
            Event::Stored { .. }
                | Event::NotKept { .. }
                | Event::Deduplicated { .. }
                | Event::Refused { .. }
                | Event::Delivered { .. }
                | Event::Recorded { .. }
                | Event::Expired { .. }
                | Event::DelayOver { .. }
                | Event::DeadlineMoved { .. }
                | Event::Exhausted { .. }
                | Event::Advised { .. }
                | Event::Removed { .. }
                | Event::Routed { .. }
                | Event::StreamCreated { .. }
                | Event::ConsumerCreated { .. }
                | Event::ConsumerUpdated { .. }
                | Event::ConsumerDeleted { .. }
        );
        match (ledger.up, event) {
            (false, Event::ServerStopped) => Err("it stops twice".into()),
            (true, Event::ServerStarted) => Err("it starts twice".into()),
            (false, _) if of_server => Err("the server is down".into()),
            _ => Ok(()),
        }
    }
}

/// Creation and deletion.
#[derive(Default)]
pub(crate) struct Lives;

impl Check for Lives {
    fn seen(&mut self, ledger: &Ledger<'_>, seen: &Seen) -> Result<(), String> {
        let Seen::Event(_, event) = seen else { return Ok(()) };
        match *event {
            Event::ConsumerCreated { consumer } => {
                if ledger.life(consumer).is_some() {
                    return Err("it exists already".into());
                }
                let stream = ledger.run.trace.consumers[consumer.0 as usize].stream;
                match ledger.stream(stream) {
                    Some(_) => Ok(()),
                    None => Err("its stream does not exist".into()),
                }
            }
            Event::ConsumerUpdated { consumer } | Event::ConsumerDeleted { consumer, .. } => {
                match ledger.life(consumer) {
                    Some(_) => Ok(()),
                    None => Err("it does not exist".into()),
                }
            }
            Event::StreamCreated { stream } if ledger.stream(stream).is_some() => {
                Err("the stream exists already".into())
            }
            _ => Ok(()),
        }
    }

    fn moment(&mut self, ledger: &Ledger<'_>, _now: Time) -> Result<(), String> {
        // What left the stream is not in flight any more (R25).
        for life in ledger.lives.iter().flatten() {
            let Some(stream) = ledger.stream(life.stream) else { continue };
            if let Some((seq, flight)) =
                life.pending.iter().find(|(seq, _)| !stream.kept.contains_key(seq))
            {
                return Err(format!(
                    "{seq} left its stream, but consumer `{}` holds {flight:?}",
                    life.config.durable_name
                ));
            }
        }
        Ok(())
    }
}

/// Deadlines.
#[derive(Default)]
pub(crate) struct Stopwatches;

impl Check for Stopwatches {
    fn moment(&mut self, ledger: &Ledger<'_>, now: Time) -> Result<(), String> {
        if !ledger.up {
            return Ok(());
        }
        for life in ledger.lives.iter().flatten() {
            for (seq, flight) in life.pending.iter().filter(|(_, flight)| flight.queued.is_none()) {
                // A millisecond of lag, a sweep 100 ms after an edit (R103), a restart that looks again.
                let due = (flight.deadline + Dur::ms(1))
                    .max(life.updated + Dur::ms(101))
                    .max(ledger.started);
                if now > due {
                    return Err(format!("{}: {seq} was due at {due:?}: {flight:?}", life.kind()));
                }
            }
        }
        Ok(())
    }
}

/// Waiting pulls beside messages that may go out.
#[derive(Default)]
pub(crate) struct Waiting;

impl Check for Waiting {
    fn moment(&mut self, ledger: &Ledger<'_>, _now: Time) -> Result<(), String> {
        if !ledger.up || ledger.blind {
            return Ok(());
        }
        for (i, life) in ledger.lives.iter().enumerate() {
            let Some(life) = life else { continue };
            if ledger.infos[i].num_waiting == 0 {
                continue;
            }
            let name = life.kind();
            if let Some((seq, flight)) = life.pending.iter().find(|(_, f)| f.queued.is_some()) {
                return Err(format!("a pull waits on {name} beside {seq}: {flight:?}"));
            }
            let capped = life
                .config
                .effective_max_ack_pending()
                .is_some_and(|cap| life.pending.len() as u64 >= cap);
            let replays = life.config.replay_policy == ReplayPolicy::Original;
            if let Some(seq) = life.unseen.first().filter(|_| !capped && !replays) {
                return Err(format!("a pull waits on {name} beside {seq}, which is new"));
            }
        }
        Ok(())
    }
}

/// The longest that a service time can be; none if that has no bound.
fn longest_service(service: Service) -> Option<Dur> {
    match service {
        Service::Fixed(d) => Some(d),
        Service::Uniform(_, high) => Some(high),
        Service::Exponential(_) | Service::LogNormal(..) => None,
    }
}

/// The longest that a worker takes between two events about one message; none if that has no bound.
fn longest_work(worker: &Worker) -> Option<Dur> {
    let service = longest_service(worker.service_time)?;
    let steps = worker
        .behaviour
        .iter()
        .map(|b| b.steps.iter().fold(Dur::ZERO, |sum, step| sum + step.after))
        .max();
    Some(service.max(steps.unwrap_or(Dur::ZERO)) + worker.commit_to_ack)
}

/// Workers that hold a message.
#[derive(Default)]
pub(crate) struct Work {
    /// When each worker last got or did anything.
    busy: BTreeMap<ClientId, Time>,
    holds: BTreeMap<ClientId, u32>,
    /// Work that has shown nothing since it began.
    open: BTreeMap<ClientId, Time>,
}

impl Check for Work {
    fn seen(&mut self, _ledger: &Ledger<'_>, seen: &Seen) -> Result<(), String> {
        let Seen::Event(now, event) = seen else { return Ok(()) };
        match *event {
            Event::WorkStarted { by, .. } => {
                self.open.insert(by, *now);
            }
            Event::WorkDone { by, .. } | Event::Answered { by, .. } => {
                self.open.remove(&by);
            }
            Event::Crashed { client } | Event::Stopped { client } => {
                self.open.remove(&client);
            }
            _ => {}
        }
        let mut at = |client: ClientId, change: i32| {
            self.busy.insert(client, *now);
            let holds = self.holds.entry(client).or_default();
            *holds = holds.saturating_add_signed(change);
        };
        match *event {
            Event::Arrived { at: client, .. } => at(client, 1),
            Event::WorkStarted { by, .. } => at(by, -1),
            Event::Missed { by, .. } | Event::WorkDone { by, .. } | Event::Answered { by, .. } => {
                at(by, 0)
            }
            Event::Crashed { client } | Event::Stopped { client } => {
                self.holds.remove(&client);
                self.busy.remove(&client);
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, _ledger: &Ledger<'_>, run: &Run, complete: bool) -> Result<(), String> {
        let trace = &run.trace;
        for (client, since) in self.busy.iter().filter(|_| complete) {
            let named = &trace.clients[client.0 as usize];
            let spec = trace.scenario.workers.iter().find(|w| {
                named.name == w.name
                    || (w.count > 1
                        && named.name.rsplit_once(' ').is_some_and(|(n, _)| n == w.name))
            });
            let Some(worker) = spec.filter(|w| !w.manual && named.kind == ClientKind::Worker)
            else {
                continue;
            };
            let Some(longest) = longest_work(worker) else { continue };
            let silent = |b: &Behaviour| b.steps.iter().all(|s| matches!(s.act, WorkAct::None));
            if let Some(began) = self.open.get(client).filter(|&&began| began + longest < trace.end)
                && !worker.behaviour.iter().any(silent)
            {
                return Err(format!(
                    "`{}` has been at work since {began:?} and shows nothing",
                    named.name
                ));
            }
            if self.holds.get(client).is_some_and(|&n| n > 0) && *since + longest < trace.end {
                return Err(format!(
                    "`{}` has had messages in its buffer since {since:?} and does nothing",
                    named.name
                ));
            }
        }
        Ok(())
    }
}

/// Clients that are gone.
#[derive(Default)]
pub(crate) struct Gone {
    gone: BTreeMap<ClientId, Time>,
}

impl Check for Gone {
    fn seen(&mut self, ledger: &Ledger<'_>, seen: &Seen) -> Result<(), String> {
        let Seen::Event(now, event) = seen else { return Ok(()) };
        let trace = &ledger.run.trace;
        let who = match *event {
            Event::Stopped { client } | Event::Crashed { client } => {
                self.gone.insert(client, *now);
                return Ok(());
            }
            Event::Started { client } => {
                self.gone.remove(&client);
                client
            }
            Event::Subscribed { by } => {
                self.gone.remove(&by);
                return Ok(());
            }
            Event::Pulled { by, .. } => {
                // A pull by hand connects again; so does an answer by hand that asks for more.
                let named = &trace.clients[by.0 as usize];
                let scripted = trace.scenario.timeline.iter().any(|step| match &step.op {
                    Op::Pull(pull) => pull.worker == named.name,
                    Op::Answer(answer) => answer.worker == named.name,
                    _ => false,
                });
                if scripted {
                    self.gone.remove(&by);
                    return Ok(());
                }
                by
            }
            Event::Arrived { at: by, .. }
            | Event::WorkStarted { by, .. }
            | Event::WorkDone { by, .. }
            | Event::Confirmed { by, .. }
            | Event::HandlerStarted { by, .. }
            | Event::HandlerDone { by, .. }
            | Event::Received { by, .. } => by,
            _ => return Ok(()),
        };
        if let Some(at) = self.gone.get(&who) {
            return Err(format!("{who:?} is gone since {at:?}"));
        }
        let named = &trace.clients[who.0 as usize];
        let stop = match named.kind {
            ClientKind::Worker => {
                trace.scenario.workers.iter().find(|w| w.name == named.name).map(|w| w.stop)
            }
            ClientKind::Handler => trace
                .scenario
                .dead_letter_handlers
                .iter()
                .find(|h| h.name == named.name)
                .map(|h| h.stop),
            _ => None,
        };
        match stop.filter(|&stop| stop > Time::ZERO && *now > stop) {
            Some(stop) => Err(format!("`{}` was to stop at {stop:?}", named.name)),
            None => Ok(()),
        }
    }
}

/// Subscribers that hold a message.
#[derive(Default)]
pub(crate) struct Handling {
    /// Messages that wait, by subscriber, and the moment of its latest sign of life.
    waiting: BTreeMap<ClientId, (u32, Time)>,
}

impl Check for Handling {
    fn seen(&mut self, _ledger: &Ledger<'_>, seen: &Seen) -> Result<(), String> {
        let Seen::Event(now, event) = seen else { return Ok(()) };
        let mut sign = |by: ClientId, change: i32| {
            let (waiting, since) = self.waiting.entry(by).or_default();
            *waiting = waiting.saturating_add_signed(change);
            *since = *now;
        };
        match *event {
            Event::Received { by, .. } => sign(by, 1),
            Event::HandlerStarted { by, .. } => sign(by, -1),
            Event::HandlerDone { by, .. } => sign(by, 0),
            Event::Stopped { client } | Event::Crashed { client } => {
                self.waiting.remove(&client);
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, _ledger: &Ledger<'_>, run: &Run, complete: bool) -> Result<(), String> {
        let trace = &run.trace;
        for (client, (waiting, since)) in self.waiting.iter().filter(|_| complete) {
            let name = &trace.clients[client.0 as usize].name;
            let scripted = trace.scenario.timeline.iter().filter_map(|step| match &step.op {
                Op::Subscribe(subscriber) => Some(subscriber),
                _ => None,
            });
            // The same name may come back as another subscriber.
            let mut longest = Some(Dur::ZERO);
            for subscriber in
                trace.scenario.subscribers.iter().chain(scripted).filter(|s| s.name == *name)
            {
                longest =
                    longest.zip(longest_service(subscriber.service_time)).map(|(a, b)| a.max(b));
            }
            if *waiting > 0 && longest.is_some_and(|longest| *since + longest < trace.end) {
                return Err(format!(
                    "`{name}` has had {waiting} messages waiting since {since:?} and handles none"
                ));
            }
        }
        Ok(())
    }
}
