//! Clients that pull: connections, buffers, work, and what they answer.

use super::dead_letters::Letter;
use super::names::Role;
use super::{Act, Packed, PullFlags, World};
use crate::queue::Class;
use crate::scenario::{Behaviour, DeadLetterHandler, KnownBy, Op, WorkAct, WorkStep, Worker};
use crate::time::{Dur, Time};
use crate::trace::{ClientId, ConsumerId, Event, Message, Msg, Observer, Reply, Status};
use std::collections::VecDeque;

/// A client and what it holds.
pub(crate) struct ClientState<'a> {
    /// How it works, if it works on its own.
    pub(crate) worker: Option<&'a Worker>,
    /// The consumer it pulls from.
    pub(crate) consumer: Option<u16>,
    /// The number of its latest connection, from 1; 0 before the first.
    pub(crate) connection: u32,
    /// Whether that connection is open, as the client knows it.
    connected: bool,
    /// Counts its deaths and departures: work outlives a connection, but not its worker.
    life: u32,
    /// Whether it died or left since its latest connection.
    gone: bool,
    /// The latest connection that the server knows to be closed.
    pub(crate) closed_at_server: u32,
    /// Deliveries that arrived and wait, with their consumer sequence.
    buffer: VecDeque<(Packed, u32)>,
    /// The delivery that is worked on.
    current: Option<Work<'a>>,
    /// Messages still to come on the open pull, if one is open.
    asked: Option<u32>,
    pulls: u32,
    received: u32,
    handled: u32,
    /// All that arrived, for a client that is scripted.
    held: Vec<(Packed, u32)>,
    /// Whether the server knows its subscription to a deliver subject.
    pub(crate) subscribed: bool,
    /// What a dead-letter handler is at.
    pub(crate) letter: Option<Letter>,
}

#[derive(Clone, Copy)]
struct Work<'a> {
    delivery: Packed,
    consumer_seq: u32,
    /// What it does with it; none means its service time, then an ack.
    steps: Option<&'a [WorkStep]>,
    step: usize,
    /// Counts what it ever took up, so that a beat knows its work.
    nth: u32,
    /// Whether its side effect is committed.
    committed: bool,
    /// Whether the payload was found in the table of handled ones.
    found: bool,
}

impl<'a> ClientState<'a> {
    pub(crate) fn new(worker: Option<&'a Worker>, consumer: Option<u16>) -> Self {
        Self {
            worker,
            consumer,
            connection: 0,
            connected: false,
            life: 0,
            gone: false,
            closed_at_server: 0,
            buffer: VecDeque::new(),
            current: None,
            asked: None,
            pulls: 0,
            received: 0,
            handled: 0,
            held: Vec::new(),
            subscribed: false,
            letter: None,
        }
    }

    /// Whether this very connection is still open.
    pub(crate) fn is_connected(&self, connection: u32) -> bool {
        self.connected && self.connection == connection
    }

    /// A delivery this client has got: the latest of `seq`, or the one with that number.
    pub(crate) fn find_held(&self, seq: u64, attempt: u32) -> Option<(Packed, u32)> {
        let fits = |d: &Packed| u64::from(d.seq) == seq && (attempt == 0 || d.attempt == attempt);
        self.held.iter().rev().find(|(d, _)| fits(d)).copied()
    }
}

impl<'a, O: Observer> World<'a, O> {
    fn client(&mut self, id: ClientId) -> &mut ClientState<'a> {
        &mut self.clients[id.0 as usize]
    }

    // --- connections ------------------------------------------------------------------------

    /// Opens a connection if none is open.
    pub(crate) fn reconnect(&mut self, id: ClientId) {
        let client = self.client(id);
        if !client.connected {
            client.connected = true;
            client.connection += 1;
            client.gone = false;
        }
    }

    /// A worker or dead-letter handler starts: it connects, and pulls or subscribes.
    pub(crate) fn start(&mut self, id: ClientId) {
        let now = self.now;
        let client = self.client(id);
        let left = client.worker.is_some_and(|w| w.stop > Time::ZERO && w.stop > w.start);
        let over = left && client.worker.is_some_and(|w| w.stop <= now);
        if client.connected || over {
            return;
        }
        if !self.up {
            // It comes when the server is back.
            self.cut_off.push(id);
            return;
        }
        self.reconnect(id);
        self.emit(Event::Started { client: id });
        self.ask(id);
    }

    /// On a new connection: pulls, or subscribes to the deliver subject.
    fn ask(&mut self, id: ClientId) {
        let client = self.client(id);
        let connection = client.connection;
        if client.worker.is_some_and(|w| w.push) {
            self.queue.send(self.now, Act::SubscriptionOpens { by: id, subscription: connection });
        } else if self.handler_spec(id).is_some() {
            self.handler_pulls(id);
        } else {
            self.pull_if_idle(id);
        }
    }

    /// The specification of a dead-letter handler.
    pub(crate) fn handler_spec(&self, id: ClientId) -> Option<&'a DeadLetterHandler> {
        match self.names.roles[id.0 as usize] {
            Role::Handler(i) => Some(&self.scenario.dead_letter_handlers[i as usize]),
            _ => None,
        }
    }

    /// Server: a push worker's subscription arrives.
    pub(crate) fn push_subscribes(&mut self, id: ClientId, connection: u32) {
        let up = self.up;
        let client = self.client(id);
        if up && client.is_connected(connection) {
            client.subscribed = true;
            if let Some(consumer) = client.consumer {
                self.mark_dirty(consumer);
            }
        }
    }

    /// A worker's connection closes; what it holds stays unanswered (R57).
    pub(crate) fn stop(&mut self, id: ClientId) {
        if self.client(id).connected || self.forget_cut_off(id) {
            self.emit(Event::Stopped { client: id });
            self.disconnect(id);
        }
    }

    /// A client dies. With `restart_after` it starts again so much later.
    pub(crate) fn crash(&mut self, id: ClientId, restart_after: Dur) {
        if !self.client(id).connected && !self.forget_cut_off(id) {
            return;
        }
        self.emit(Event::Crashed { client: id });
        self.disconnect(id);
        if restart_after > Dur::ZERO {
            self.queue.at(self.now + restart_after, Class::Inbound, Act::Start(id));
        }
    }

    /// A client whose connection the server's stop closed will not come back. Says whether it would have.
    fn forget_cut_off(&mut self, id: ClientId) -> bool {
        let before = self.cut_off.len();
        self.cut_off.retain(|&other| other != id);
        self.cut_off.len() < before
    }

    /// Closes the connection with all that the client holds.
    fn disconnect(&mut self, id: ClientId) {
        let client = self.client(id);
        client.connected = false;
        client.asked = None;
        client.current = None;
        client.letter = None;
        client.life += 1;
        client.gone = true;
        let connection = client.connection;
        let lost = std::mem::take(&mut client.buffer);
        for (delivery, _) in lost {
            self.emit(Event::Missed { delivery: delivery.open(), by: id });
        }
        self.queue.send(self.now, Act::Closed { client: id, connection });
    }

    /// The server went away: the connection is closed, what has arrived stays.
    pub(crate) fn cut_off(&mut self, id: ClientId) {
        let client = self.client(id);
        client.closed_at_server = client.connection;
        client.connected = false;
        client.subscribed = false;
        client.asked = None;
    }

    /// The server is back: connects again, and asks for more if nothing is at hand.
    pub(crate) fn come_back(&mut self, id: ClientId) {
        let client = self.client(id);
        if client.connected {
            return;
        }
        let starts = client.connection == 0 || client.gone;
        client.connection += 1;
        client.connected = true;
        client.letter = None;
        client.gone = false;
        if starts {
            self.emit(Event::Started { client: id });
        }
        self.ask(id);
    }

    /// Whether a client has a connection.
    pub(crate) fn is_open(&self, id: ClientId) -> bool {
        self.clients[id.0 as usize].connected
    }

    // --- pulling ----------------------------------------------------------------------------

    /// Client: sends a pull request.
    pub(crate) fn send_pull(
        &mut self,
        by: ClientId,
        consumer: u16,
        batch: u32,
        expires: Dur,
        flags: PullFlags,
    ) {
        self.emit(Event::Pulled { by, consumer: ConsumerId(consumer), batch });
        let connection = self.client(by).connection;
        if self.up {
            self.queue
                .send(self.now, Act::Pull { by, connection, consumer, batch, expires, flags });
        }
    }

    /// A worker with nothing at hand and no pull open asks for more.
    pub(crate) fn pull_if_idle(&mut self, id: ClientId) {
        let client = self.client(id);
        let (Some(worker), Some(consumer)) = (client.worker, client.consumer) else { return };
        let idle = client.connected
            && !worker.push
            && client.asked.is_none()
            && client.current.is_none()
            && client.buffer.is_empty();
        let may = worker.max_pulls == 0 || client.pulls < worker.max_pulls;
        if !idle || !may {
            return;
        }
        client.pulls += 1;
        let batch = worker.batch.max(1);
        client.asked = Some(batch);
        self.send_pull(id, consumer, batch, worker.expires, PullFlags::default());
    }

    /// The batch is through, or the pull is over: pulls again, after a pause if there is one.
    fn batch_over(&mut self, id: ClientId) {
        let client = self.client(id);
        let Some(worker) = client.worker else { return };
        if client.asked.is_some() || client.current.is_some() || !client.buffer.is_empty() {
            return;
        }
        if worker.pause == Dur::ZERO {
            self.pull_if_idle(id);
        } else {
            let connection = client.connection;
            let act = Act::Resume { by: id, connection };
            self.queue.at(self.now + worker.pause, Class::Inbound, act);
        }
    }

    /// Client: the status that ends its pull arrives.
    pub(crate) fn status_arrives(
        &mut self,
        to: ClientId,
        connection: u32,
        consumer: u16,
        status: Status,
        missing: u32,
    ) {
        if !self.client(to).is_connected(connection) {
            return;
        }
        let consumer = ConsumerId(consumer);
        self.emit(Event::PullEnded { by: to, consumer, status, missing });
        self.client(to).asked = None;
        if self.handler_spec(to).is_some() {
            self.handler_pulls(to);
        } else if status != Status::NoResponders && status != Status::ConsumerDeleted {
            // Without a consumer there is nothing to pull from.
            self.batch_over(to);
        }
    }

    // --- work -------------------------------------------------------------------------------

    /// Client: a delivery arrives, or is lost with its connection (R57).
    pub(crate) fn arrive(
        &mut self,
        to: ClientId,
        connection: u32,
        packed: Packed,
        consumer_seq: u32,
    ) {
        let delivery = packed.open();
        if !self.client(to).is_connected(connection) {
            self.emit(Event::Missed { delivery, by: to });
            return;
        }
        self.emit(Event::Arrived { delivery, at: to });
        let client = self.client(to);
        client.received += 1;
        if self.handler_spec(to).is_some() {
            self.advisory_arrives(to, packed, consumer_seq);
            return;
        }
        let client = self.client(to);
        if client.worker.is_none_or(|w| w.manual) {
            client.held.push((packed, consumer_seq));
            return;
        }
        client.asked = client.asked.map(|n| n.saturating_sub(1)).filter(|&n| n > 0);
        client.buffer.push_back((packed, consumer_seq));
        self.work_if_idle(to);
    }

    /// Takes up the next delivery that waits.
    fn work_if_idle(&mut self, id: ClientId) {
        let client = self.client(id);
        let Some(worker) = client.worker else { return };
        if client.current.is_some() {
            return;
        }
        let Some((delivery, consumer_seq)) = client.buffer.pop_front() else {
            self.batch_over(id);
            return;
        };
        let waiting = client.buffer.len() as u32;
        let nth = client.received - waiting;
        let life = client.life;
        let behaviour = worker.behaviour.iter().find(|b| self.fits(b, delivery, nth));
        let steps = behaviour.map(|b| b.steps.as_slice());
        let mut work =
            Work { delivery, consumer_seq, steps, step: 0, nth, committed: false, found: false };
        if worker.handled_table && self.effects.contains_key(self.effect(delivery, worker).as_str())
        {
            // Nothing is left to do but to say so.
            (work.steps, work.committed, work.found) = (None, true, true);
        }
        self.client(id).current = Some(work);
        self.emit(Event::WorkStarted { delivery: delivery.open(), by: id });
        if worker.ack_first {
            self.send_reply(id, delivery, consumer_seq, Reply::Ack, false);
        }
        if worker.in_progress_every > Dur::ZERO {
            let act = Act::Beat { by: id, life, nth };
            self.queue.at(self.now + worker.in_progress_every, Class::Inbound, act);
        }
        let takes = match work.steps {
            None if work.found => Dur::ZERO,
            None => self.rng.service(worker.service_time),
            Some(steps) => steps.first().map_or(Dur::ZERO, |step| step.after),
        };
        self.queue.at(self.now + takes, Class::Inbound, Act::Work { by: id, life });
    }

    /// Commits the side effect of a delivery.
    fn commit(&mut self, id: ClientId, delivery: Packed, worker: &Worker) {
        let mut changed = true;
        if worker.idempotent || worker.handled_table {
            let effect = self.effect(delivery, worker).into_boxed_str();
            changed = self.effects.insert(effect, (0, self.now)).is_none();
        }
        if let Some(work) = &mut self.client(id).current {
            work.committed = true;
        }
        self.emit(Event::WorkDone { delivery: delivery.open(), by: id, changed });
    }

    /// Whether a behaviour is for this delivery.
    fn fits(&self, behaviour: &Behaviour, delivery: Packed, nth: u32) -> bool {
        let on = &behaviour.on;
        (on.stream_seq.is_empty() || on.stream_seq.contains(&u64::from(delivery.seq)))
            && (on.attempt.is_empty() || on.attempt.contains(&delivery.attempt))
            && (on.nth.is_empty() || on.nth.contains(&nth))
            && on.before.is_none_or(|end| self.now < end)
            && ((on.data.is_empty() && on.data_prefix.is_empty()) || {
                let data = self.payload(delivery.msg);
                (on.data.is_empty() || on.data == data) && data.starts_with(&on.data_prefix)
            })
    }

    /// What the side effect of a delivery is known by: the consumer whose work it is, and the payload or the sequence.
    fn effect(&self, delivery: Packed, worker: &Worker) -> String {
        match worker.known_by {
            KnownBy::Payload => format!("{} {}", delivery.consumer, self.payload(delivery.msg)),
            KnownBy::Sequence => format!("{}#{}", delivery.consumer, delivery.seq),
        }
    }

    /// The payload of a message; that of a copy is the original's.
    fn payload(&self, msg: Msg) -> String {
        match self.messages.get(msg.0 as usize) {
            Some(&Message::Published { step, n }) => {
                match &self.scenario.timeline[step as usize].op {
                    Op::Publish(publish) => super::publish::numbered(&publish.data, n).into_owned(),
                    _ => String::new(),
                }
            }
            Some(&Message::Copy { of, .. }) => self.payload(of),
            _ => String::new(),
        }
    }

    /// Client: the step that is under way is over.
    pub(crate) fn work_step_over(&mut self, id: ClientId, life: u32) {
        let client = self.client(id);
        let (Some(work), Some(worker)) = (client.current, client.worker) else { return };
        if client.life != life {
            return;
        }
        let Some(steps) = work.steps else {
            if self.rng.chance(worker.crash_chance.0) {
                self.crash(id, worker.restart_after);
                return;
            }
            if !work.committed {
                self.commit(id, work.delivery, worker);
                if worker.commit_to_ack > Dur::ZERO && !worker.ack_first {
                    let act = Act::Work { by: id, life };
                    self.queue.at(self.now + worker.commit_to_ack, Class::Inbound, act);
                    return;
                }
            }
            if work.found {
                let delivery = work.delivery.open();
                self.emit(Event::WorkDone { delivery, by: id, changed: false });
            }
            if worker.ack_first {
                self.work_over(id, worker);
            } else {
                self.ack_work(id, life, work.nth);
            }
            return;
        };
        if let Some(step) = steps.get(work.step) {
            let reply = match step.act {
                WorkAct::Crash => {
                    self.crash(id, step.restart_after);
                    return;
                }
                WorkAct::Commit => {
                    self.commit(id, work.delivery, worker);
                    None
                }
                WorkAct::None => None,
                WorkAct::Ack => Some(Reply::Ack),
                WorkAct::Nak if step.delay > Dur::ZERO => Some(Reply::NakDelay(step.delay)),
                WorkAct::Nak => Some(Reply::Nak),
                WorkAct::Term => Some(Reply::Term),
                WorkAct::InProgress => Some(Reply::InProgress),
            };
            let committed = self.client(id).current.is_some_and(|w| w.committed);
            if step.act == WorkAct::Ack && !committed {
                self.commit(id, work.delivery, worker);
            }
            if let Some(reply) = reply {
                self.send_reply(id, work.delivery, work.consumer_seq, reply, step.sync);
            }
        }
        match steps.get(work.step + 1) {
            Some(next) => {
                if let Some(work) = &mut self.client(id).current {
                    work.step += 1;
                }
                let act = Act::Work { by: id, life };
                self.queue.at(self.now + next.after, Class::Inbound, act);
            }
            None => {
                let silent =
                    |step: &WorkStep| matches!(step.act, WorkAct::None | WorkAct::InProgress);
                if steps.iter().all(silent) {
                    self.emit(Event::LeftOff { delivery: work.delivery.open(), by: id });
                }
                self.work_over(id, worker);
            }
        }
    }

    /// Client: acks what is done. With a timeout it goes on only when that is confirmed, and acks again until it is.
    pub(crate) fn ack_work(&mut self, id: ClientId, life: u32, nth: u32) {
        let client = self.client(id);
        let (Some(work), Some(worker)) = (client.current, client.worker) else { return };
        if client.life != life || work.nth != nth {
            return;
        }
        let wait = worker.ack_timeout;
        self.send_reply(id, work.delivery, work.consumer_seq, Reply::Ack, wait > Dur::ZERO);
        if wait > Dur::ZERO {
            let act = Act::AckAgain { by: id, life, nth };
            self.queue.at(self.now + wait, Class::Inbound, act);
        } else {
            self.work_over(id, worker);
        }
    }

    /// Client: an answer is confirmed. Whoever waited for that goes on.
    pub(crate) fn confirmed(&mut self, id: ClientId, delivery: Packed) {
        let client = self.client(id);
        let (Some(work), Some(worker)) = (client.current, client.worker) else { return };
        let waits = worker.ack_timeout > Dur::ZERO && work.steps.is_none() && work.committed;
        if waits && work.delivery.open() == delivery.open() {
            self.work_over(id, worker);
        }
    }

    /// A message is handled: the worker takes the next one, or leaves.
    fn work_over(&mut self, id: ClientId, worker: &Worker) {
        let client = self.client(id);
        client.current = None;
        client.handled += 1;
        if worker.max_messages > 0 && client.handled >= worker.max_messages {
            self.stop(id);
        } else {
            self.work_if_idle(id);
        }
    }

    /// Client: says in progress while it works on the same message.
    pub(crate) fn beat(&mut self, id: ClientId, life: u32, nth: u32) {
        let client = self.client(id);
        let (Some(work), Some(worker)) = (client.current, client.worker) else { return };
        if client.life != life || work.nth != nth {
            return;
        }
        self.send_reply(id, work.delivery, work.consumer_seq, Reply::InProgress, false);
        let act = Act::Beat { by: id, life, nth };
        self.queue.at(self.now + worker.in_progress_every, Class::Inbound, act);
    }

    /// Client: sends an answer.
    pub(crate) fn send_reply(
        &mut self,
        by: ClientId,
        delivery: Packed,
        consumer_seq: u32,
        reply: Reply,
        sync: bool,
    ) {
        self.emit(Event::Answered { delivery: delivery.open(), by, reply });
        let lost = self.client(by).worker.map_or(0, |w| w.lost_answer_chance.0);
        if self.up && !self.rng.chance(lost) {
            let act = Act::Reply { by, delivery, consumer_seq, reply, sync };
            self.queue.send(self.now, act);
        }
    }

    /// All clients by number.
    pub(crate) fn client_ids(&self) -> impl Iterator<Item = ClientId> + use<O> {
        (0..self.clients.len() as u16).map(ClientId)
    }
}
