//! Clients that pull: connections, buffers, work, and what they answer.

use super::{Act, Packed, PullFlags, World};
use crate::queue::Class;
use crate::scenario::{Behaviour, Op, Service, WorkAct, WorkStep, Worker};
use crate::time::Dur;
use crate::trace::{ClientId, ConsumerId, Event, Observer, Reply, Status};
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
}

impl<'a> ClientState<'a> {
    pub(crate) fn new(worker: Option<&'a Worker>, consumer: Option<u16>) -> Self {
        Self {
            worker,
            consumer,
            connection: 0,
            connected: false,
            closed_at_server: 0,
            buffer: VecDeque::new(),
            current: None,
            asked: None,
            pulls: 0,
            received: 0,
            handled: 0,
            held: Vec::new(),
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
        }
    }

    /// A worker starts: it connects and pulls.
    pub(crate) fn start(&mut self, id: ClientId) {
        if self.client(id).connected || !self.up {
            return;
        }
        self.reconnect(id);
        self.emit(Event::Started { client: id });
        self.pull_if_idle(id);
    }

    /// A worker's connection closes; what it holds stays unanswered (R57).
    pub(crate) fn stop(&mut self, id: ClientId) {
        if self.client(id).connected {
            self.emit(Event::Stopped { client: id });
            self.disconnect(id);
        }
    }

    /// A client dies. With `restart_after` it starts again so much later.
    pub(crate) fn crash(&mut self, id: ClientId, restart_after: Dur) {
        if !self.client(id).connected {
            return;
        }
        self.emit(Event::Crashed { client: id });
        self.disconnect(id);
        if restart_after > Dur::ZERO {
            self.queue.at(self.now + restart_after, Class::Inbound, Act::Start(id));
        }
    }

    /// Closes the connection with all that the client holds.
    fn disconnect(&mut self, id: ClientId) {
        let client = self.client(id);
        client.connected = false;
        client.asked = None;
        client.current = None;
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
        client.asked = None;
    }

    /// The server is back: connects again, and asks for more if nothing is at hand.
    pub(crate) fn come_back(&mut self, id: ClientId) {
        let client = self.client(id);
        client.connection += 1;
        client.connected = true;
        self.pull_if_idle(id);
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
            self.queue.send(self.now, Act::Pull { by, connection, consumer, batch, expires, flags });
        }
    }

    /// A worker with nothing at hand and no pull open asks for more.
    pub(crate) fn pull_if_idle(&mut self, id: ClientId) {
        let client = self.client(id);
        let (Some(worker), Some(consumer)) = (client.worker, client.consumer) else { return };
        let idle = client.connected
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
        self.batch_over(to);
    }

    // --- work -------------------------------------------------------------------------------

    /// Client: a delivery arrives, or is lost with its connection (R57).
    pub(crate) fn arrive(&mut self, to: ClientId, connection: u32, packed: Packed, consumer_seq: u32) {
        let delivery = packed.open();
        if !self.client(to).is_connected(connection) {
            self.emit(Event::Missed { delivery, by: to });
            return;
        }
        self.emit(Event::Arrived { delivery, at: to });
        let client = self.client(to);
        client.received += 1;
        if client.worker.is_none() {
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
        let connection = client.connection;
        let behaviour = worker.behaviour.iter().find(|b| self.fits(b, delivery, nth));
        let steps = behaviour.map(|b| b.steps.as_slice());
        let work = Work { delivery, consumer_seq, steps, step: 0, nth };
        self.client(id).current = Some(work);
        self.emit(Event::WorkStarted { delivery: delivery.open(), by: id });
        if worker.in_progress_every > Dur::ZERO {
            let act = Act::Beat { by: id, connection, nth };
            self.queue.at(self.now + worker.in_progress_every, Class::Inbound, act);
        }
        let takes = match steps {
            None => self.service(worker.service_time),
            Some(steps) => steps.first().map_or(Dur::ZERO, |step| step.after),
        };
        self.queue.at(self.now + takes, Class::Inbound, Act::Work { by: id, connection });
    }

    fn service(&mut self, service: Service) -> Dur {
        self.rng.service(service)
    }

    /// Whether a behaviour is for this delivery.
    fn fits(&self, behaviour: &Behaviour, delivery: Packed, nth: u32) -> bool {
        let on = &behaviour.on;
        (on.stream_seq.is_empty() || on.stream_seq.contains(&u64::from(delivery.seq)))
            && (on.attempt.is_empty() || on.attempt.contains(&delivery.attempt))
            && (on.nth.is_empty() || on.nth.contains(&nth))
            && ((on.data.is_empty() && on.data_prefix.is_empty()) || {
                let data = self.data(delivery);
                (on.data.is_empty() || on.data == data) && data.starts_with(&on.data_prefix)
            })
    }

    /// The payload of a delivered message.
    fn data(&self, delivery: Packed) -> String {
        let message = self.messages.get(delivery.msg.0 as usize);
        match message.map(|m| (&self.scenario.timeline[m.step as usize].op, m.n)) {
            Some((Op::Publish(publish), n)) => super::publish::numbered(&publish.data, n).into_owned(),
            _ => String::new(),
        }
    }

    /// Client: the step that is under way is over.
    pub(crate) fn work_step_over(&mut self, id: ClientId, connection: u32) {
        let client = self.client(id);
        let (Some(work), Some(worker)) = (client.current, client.worker) else { return };
        if client.connection != connection {
            return;
        }
        let Some(steps) = work.steps else {
            if self.rng.chance(worker.crash_chance.0) {
                self.crash(id, worker.restart_after);
                return;
            }
            self.emit(Event::WorkDone { delivery: work.delivery.open(), by: id });
            self.send_reply(id, work.delivery, work.consumer_seq, Reply::Ack, false);
            self.work_over(id, worker);
            return;
        };
        if let Some(step) = steps.get(work.step) {
            let reply = match step.act {
                WorkAct::Crash => {
                    self.crash(id, step.restart_after);
                    return;
                }
                WorkAct::None => None,
                WorkAct::Ack => Some(Reply::Ack),
                WorkAct::Nak if step.delay > Dur::ZERO => Some(Reply::NakDelay(step.delay)),
                WorkAct::Nak => Some(Reply::Nak),
                WorkAct::Term => Some(Reply::Term),
                WorkAct::InProgress => Some(Reply::InProgress),
            };
            if step.act == WorkAct::Ack {
                self.emit(Event::WorkDone { delivery: work.delivery.open(), by: id });
            }
            if let Some(reply) = reply {
                self.send_reply(id, work.delivery, work.consumer_seq, reply, step.sync);
            }
        }
        match steps.get(work.step + 1) {
            Some(next) => {
                self.client(id).current = Some(Work { step: work.step + 1, ..work });
                let act = Act::Work { by: id, connection };
                self.queue.at(self.now + next.after, Class::Inbound, act);
            }
            None => self.work_over(id, worker),
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
    pub(crate) fn beat(&mut self, id: ClientId, connection: u32, nth: u32) {
        let client = self.client(id);
        let (Some(work), Some(worker)) = (client.current, client.worker) else { return };
        if !client.is_connected(connection) || work.nth != nth {
            return;
        }
        self.send_reply(id, work.delivery, work.consumer_seq, Reply::InProgress, false);
        let act = Act::Beat { by: id, connection, nth };
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
