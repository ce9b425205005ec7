//! Core NATS: subscriptions, queue groups, buffers of subscribers, and the slow consumer on both sides
//! (section 1 of the rules).

use super::publish::Taken;
use super::{Act, World};
use crate::queue::Class;
use crate::scenario::{Op, Subscriber};
use crate::subject;
use crate::time::{Dur, Time};
use crate::trace::{CallAnswer, ClientId, Drop, Event, Message, Msg, Observer, Refusal};
use std::collections::VecDeque;

/// Bytes that the sockets of a connection hold between a server and a client that does not read.
const SOCKET_BYTES: u64 = 2 << 20;
/// Bytes that the server queues for a connection where the scenario does not say (R8).
const DEFAULT_MAX_PENDING: u64 = 64 << 20;

/// A subscriber and what its client holds.
pub(crate) struct SubscriberState<'a> {
    pub(crate) id: ClientId,
    pub(crate) spec: &'a Subscriber,
    /// The number of its latest subscription, from 1.
    subscription: u32,
    /// Whether that one is open, as the client knows it.
    open: bool,
    /// The subscription that the server knows, if any.
    at_server: Option<u32>,
    /// What waits for the handler.
    buffer: VecDeque<(Msg, u32)>,
    buffered_bytes: u64,
    /// Counts its deaths: the handler outlives a subscription, but not its process.
    life: u32,
    /// Whether the handler is at work or about to be.
    busy: bool,
    /// What it is at work on.
    in_hand: Option<Msg>,
    stalled: bool,
    /// What sockets and server hold for a client that does not read.
    held: VecDeque<(Msg, u32)>,
    held_bytes: u64,
    /// Whether the server has closed the connection of this slow consumer.
    cut: bool,
    heard: Vec<Option<bool>>,
}

impl<'a> SubscriberState<'a> {
    pub(crate) fn new(id: ClientId, spec: &'a Subscriber) -> Self {
        Self {
            id,
            spec,
            subscription: 0,
            open: false,
            at_server: None,
            buffer: VecDeque::new(),
            buffered_bytes: 0,
            life: 0,
            busy: false,
            in_hand: None,
            stalled: false,
            held: VecDeque::new(),
            held_bytes: 0,
            cut: false,
            heard: Vec::new(),
        }
    }
}

impl<'a, O: Observer> World<'a, O> {
    pub(crate) fn subscriber(&mut self, id: ClientId) -> Option<&mut SubscriberState<'a>> {
        self.subscribers.iter_mut().find(|s| s.id == id)
    }

    /// Client: subscribes.
    pub(crate) fn subscribe(&mut self, id: ClientId, spec: Option<&'a Subscriber>) {
        let up = self.up;
        let Some(s) = self.subscriber(id) else { return };
        if let Some(spec) = spec {
            s.spec = spec;
            s.heard.clear();
        }
        if s.open || !up {
            return;
        }
        s.open = true;
        s.subscription += 1;
        let subscription = s.subscription;
        self.emit(Event::Subscribed { by: id });
        self.queue.send(self.now, Act::SubscriptionOpens { by: id, subscription });
    }

    /// Client: its subscription ends in order; what arrived is still handled.
    pub(crate) fn unsubscribe(&mut self, id: ClientId) {
        let Some(s) = self.subscriber(id).filter(|s| s.open) else { return };
        s.open = false;
        let subscription = s.subscription;
        self.emit(Event::Unsubscribed { by: id });
        self.queue.send(self.now, Act::SubscriptionCloses { by: id, subscription });
    }

    /// Client: it goes away, with all it holds. With `dies` it was killed.
    pub(crate) fn subscriber_leaves(&mut self, id: ClientId, dies: bool) {
        let Some(s) = self.subscriber(id).filter(|s| s.open || s.at_server.is_some()) else {
            return;
        };
        s.open = false;
        let subscription = s.subscription;
        self.emit(if dies { Event::Crashed { client: id } } else { Event::Stopped { client: id } });
        self.lose_buffers(id, Drop::Disconnected);
        self.queue.send(self.now, Act::SubscriptionCloses { by: id, subscription });
    }

    fn lose_buffers(&mut self, id: ClientId, why: Drop) {
        let Some(s) = self.subscriber(id) else { return };
        (s.buffered_bytes, s.held_bytes, s.stalled, s.busy) = (0, 0, false, false);
        s.life += 1;
        s.subscription += 1; // Nothing on the way belongs to a later one.
        let in_hand = s.in_hand.take();
        let lost: Vec<(Msg, u32)> = s.buffer.drain(..).chain(s.held.drain(..)).collect();
        if let Some(msg) = in_hand {
            self.emit(Event::Dropped { msg, by: id, why: Drop::Unfinished });
        }
        for (msg, _) in lost {
            self.emit(Event::Dropped { msg, by: id, why });
        }
    }

    /// Server: a subscription is known or gone.
    pub(crate) fn subscription_at_server(&mut self, by: ClientId, subscription: u32, opens: bool) {
        let up = self.up;
        if self.clients[by.0 as usize].worker.is_some() {
            self.push_subscribes(by, subscription);
            return;
        }
        let Some(s) = self.subscriber(by) else { return };
        if opens && up && s.open && s.subscription == subscription {
            s.at_server = Some(subscription);
        } else if !opens && s.at_server == Some(subscription) {
            s.at_server = None;
        }
    }

    /// Server: copies a message to every subscription that hears it, one per queue group (R1, R4).
    /// Says whether any did.
    pub(crate) fn route(&mut self, msg: Msg, subject: u32, size: u32) -> bool {
        if self.subscribers.is_empty() {
            return false;
        }
        let mut heard = false;
        let mut groups: Vec<(&'a str, &'a str)> = Vec::new();
        for i in 0..self.subscribers.len() {
            if !self.hears(i, subject) {
                continue;
            }
            heard = true;
            let spec = self.subscribers[i].spec;
            if spec.queue.is_empty() {
                self.send_copy(i, msg, size);
                continue;
            }
            // A group is a subject with a name: its members share each message.
            let group = (spec.subject.as_str(), spec.queue.as_str());
            if groups.contains(&group) {
                continue;
            }
            groups.push(group);
            let members: Vec<usize> = (i..self.subscribers.len())
                .filter(|&k| {
                    let other = self.subscribers[k].spec;
                    (other.subject.as_str(), other.queue.as_str()) == group
                        && self.hears(k, subject)
                })
                .collect();
            let chosen = members[self.rng.below(members.len() as u64) as usize];
            self.send_copy(chosen, msg, size);
        }
        heard
    }

    fn hears(&mut self, i: usize, subject: u32) -> bool {
        let s = &mut self.subscribers[i];
        if s.at_server.is_none() {
            return false;
        }
        let slot = subject as usize;
        if s.heard.len() <= slot {
            s.heard.resize(slot + 1, None);
        }
        let subjects = &self.subjects;
        *s.heard[slot]
            .get_or_insert_with(|| subject::matches(&s.spec.subject, subjects.text(subject)))
    }

    fn send_copy(&mut self, i: usize, msg: Msg, size: u32) {
        let (id, loss) = (self.subscribers[i].id, self.subscribers[i].spec.loss_chance);
        self.emit(Event::Routed { msg, to: id });
        if self.rng.chance(loss.0) {
            self.emit(Event::Dropped { msg, by: id, why: Drop::Loss });
            return;
        }
        let limit = match self.scenario.max_pending {
            0 => DEFAULT_MAX_PENDING,
            bytes => bytes,
        };
        let s = &mut self.subscribers[i];
        if s.stalled {
            if s.cut {
                self.emit(Event::Dropped { msg, by: id, why: Drop::SlowConsumer });
                return;
            }
            s.held_bytes += u64::from(size);
            s.held.push_back((msg, size));
            if s.held_bytes > SOCKET_BYTES + limit {
                self.cut_slow_consumer(i);
            }
            return;
        }
        let subscription = s.at_server.unwrap_or(0);
        self.queue.send(self.now, Act::Copy { to: id, subscription, msg, size });
    }

    /// Server: closes the connection of a subscriber that does not read (R8). What the sockets hold still gets there.
    fn cut_slow_consumer(&mut self, i: usize) {
        let s = &mut self.subscribers[i];
        s.cut = true;
        s.at_server = None;
        let mut kept = 0;
        let fits = s.held.iter().take_while(|(_, size)| {
            kept += u64::from(*size);
            kept <= SOCKET_BYTES
        });
        let fits = fits.count();
        let (id, lost) = (s.id, s.held.split_off(fits));
        for (msg, _) in lost {
            self.emit(Event::Dropped { msg, by: id, why: Drop::SlowConsumer });
        }
    }

    /// Client: stops or resumes reading.
    pub(crate) fn stall(&mut self, id: ClientId) {
        if let Some(s) = self.subscriber(id).filter(|s| s.open) {
            s.stalled = true;
            self.emit(Event::Stalled { by: id });
        }
    }

    pub(crate) fn resume(&mut self, id: ClientId) {
        let Some(s) = self.subscriber(id).filter(|s| s.stalled) else { return };
        s.stalled = false;
        s.held_bytes = 0;
        let held = std::mem::take(&mut s.held);
        let (subscription, cut) = (s.subscription, std::mem::take(&mut s.cut));
        self.emit(Event::Resumed { by: id });
        for (msg, size) in held {
            self.copy_arrives(id, subscription, msg, size);
        }
        if cut && let Some(s) = self.subscriber(id) {
            s.open = false;
            let wait = s.spec.reconnect_wait;
            self.emit(Event::Disconnected { client: id });
            if wait > Dur::ZERO {
                self.queue.at(self.now + wait, Class::Inbound, Act::SubscriberBack(id));
            }
        }
    }

    /// Client: a copy arrives; it waits for the handler, or is dropped where the buffer is full (R9, R10).
    pub(crate) fn copy_arrives(&mut self, to: ClientId, subscription: u32, msg: Msg, size: u32) {
        let Some(s) = self.subscriber(to) else { return };
        if s.subscription != subscription {
            self.emit(Event::Dropped { msg, by: to, why: Drop::Disconnected });
            return;
        }
        if s.stalled {
            s.held_bytes += u64::from(size);
            s.held.push_back((msg, size));
            return;
        }
        let (msgs, bytes) = s.spec.limits();
        let full = (msgs > 0 && s.buffer.len() as u32 >= msgs)
            || (bytes > 0 && s.buffered_bytes + u64::from(size) > bytes);
        if full {
            self.emit(Event::Dropped { msg, by: to, why: Drop::BufferFull });
            return;
        }
        s.buffer.push_back((msg, size));
        s.buffered_bytes += u64::from(size);
        let buffered = s.buffer.len() as u32;
        let life = s.life;
        let wake = !std::mem::replace(&mut s.busy, true);
        self.emit(Event::Received { msg, by: to, buffered });
        if wake {
            // After everything else that arrives in this moment (R10).
            self.queue.at(self.now, Class::Timer, Act::Handle { by: to, life });
        }
    }

    /// Client: the handler takes the next message, or rests.
    pub(crate) fn handle_next(&mut self, by: ClientId, life: u32) {
        let Some(s) = self.subscriber(by).filter(|s| s.life == life) else { return };
        let Some((msg, size)) = s.buffer.pop_front() else {
            s.busy = false;
            return;
        };
        s.buffered_bytes -= u64::from(size);
        s.in_hand = Some(msg);
        let service = s.spec.service_time;
        self.emit(Event::HandlerStarted { msg, by });
        let takes = self.rng.service(service);
        self.queue.at(self.now + takes, Class::Inbound, Act::Handled { by, life, msg });
    }

    /// Client: the handler is done with a message.
    pub(crate) fn handled(&mut self, by: ClientId, life: u32, msg: Msg) {
        let Some(s) = self.subscriber(by).filter(|s| s.life == life) else { return };
        s.in_hand = None;
        let spec = s.spec;
        self.emit(Event::HandlerDone { msg, by });
        self.reply(msg, &spec.reply_with);
        self.handle_next(by, life);
    }

    /// The server went away: every subscription is gone; those that reconnect try again at their pace.
    pub(crate) fn subscribers_cut_off(&mut self) {
        for i in 0..self.subscribers.len() {
            let s = &mut self.subscribers[i];
            if !s.open {
                continue;
            }
            s.open = false;
            s.at_server = None;
            let (id, wait) = (s.id, s.spec.reconnect_wait);
            self.emit(Event::Disconnected { client: id });
            if wait > Dur::ZERO {
                self.queue.at(self.now + wait, Class::Inbound, Act::SubscriberBack(id));
            }
        }
    }

    /// Client: a subscriber tries to connect again.
    pub(crate) fn subscriber_back(&mut self, id: ClientId) {
        let up = self.up;
        let Some(s) = self.subscriber(id) else { return };
        let wait = s.spec.reconnect_wait;
        if up {
            self.subscribe(id, None);
        } else {
            self.queue.at(self.now + wait, Class::Inbound, Act::SubscriberBack(id));
        }
    }

    /// Client: sends a request.
    pub(crate) fn request(&mut self, step: u32) {
        let by = self.names.actor(step);
        let msg = self.new_message(Message::Published { step, n: 1 });
        self.emit(Event::Published { msg, by });
        if self.up && !self.publishers[by.0 as usize].away {
            self.queue.send(self.now, Act::Request { step, msg });
        } else {
            self.emit(Event::PubFailed { msg, by, why: Refusal::Disconnected });
            self.answer_request(step, CallAnswer::Timeout, self.now);
        }
    }

    /// Server: a request arrives: a publish with a reply subject. It goes to the subscribers and into the stream that
    /// captures it, whose PubAck is then the answer; of several the first wins (R7, R13).
    pub(crate) fn request_arrives(&mut self, step: u32, msg: Msg) {
        let scenario = self.scenario;
        let Op::Request(request) = &scenario.timeline[step as usize].op else { return };
        let delay = scenario.network_delay;
        let sent = self.now - delay;
        if !self.up {
            self.emit(Event::Unheard { msg });
            self.answer_request(step, CallAnswer::Timeout, sent);
            return;
        }
        let subject = self.subjects.number(&request.subject);
        let hearing: Vec<usize> =
            (0..self.subscribers.len()).filter(|&i| self.hears(i, subject)).collect();
        let taken = self.take_in(msg, &request.subject, "", 0, request.data.len() as u32);
        let answer = match taken {
            Some(Taken::Stored { stream, seq, .. }) => {
                let stream = &self.names.streams[stream as usize];
                CallAnswer::Reply(format!("{{\"stream\":\"{stream}\",\"seq\":{seq}}}"))
            }
            Some(Taken::Refused(why)) => {
                let (code, err_code, text) = why.text();
                CallAnswer::Failed(crate::check::ApiError::new(code, err_code, text))
            }
            None if hearing.is_empty() => CallAnswer::NoResponders,
            // Of the handlers that answer, the first to be done.
            None => {
                let until = (sent + request.timeout).max(self.now);
                self.requests.push((msg, step, until));
                self.queue.at(until, Class::Inbound, Act::RequestOver { step, msg });
                return;
            }
        };
        let at = self.now + delay;
        if at > sent + request.timeout {
            self.answer_request(step, CallAnswer::Timeout, sent);
            return;
        }
        let answer = self.answer(answer);
        self.queue.at(at, Class::Inbound, Act::Answered { step, answer });
    }

    /// Client: a handler answers what may be a request that waits; the answer takes two hops to whoever asked.
    fn reply(&mut self, msg: Msg, reply: &str) {
        let at = self.now + self.scenario.network_delay + self.scenario.network_delay;
        let waits = |&(asked, _, until): &(Msg, u32, Time)| asked == msg && at <= until;
        let Some(place) = self.requests.iter().position(waits) else { return };
        if self.up && !reply.is_empty() {
            let (_, step, _) = self.requests.remove(place);
            let answer = self.answer(CallAnswer::Reply(reply.into()));
            self.queue.at(at, Class::Inbound, Act::Answered { step, answer });
        }
    }

    /// Client: the time of a request is over; it ends unless an answer came.
    pub(crate) fn request_over(&mut self, step: u32, msg: Msg) {
        if let Some(place) = self.requests.iter().position(|(asked, ..)| *asked == msg) {
            self.requests.remove(place);
            let answer = self.answer(CallAnswer::Timeout);
            self.emit(Event::Replied { step, answer });
        }
    }

    /// Client: a request that was sent at `sent` ends with `answer` when its timeout is over.
    fn answer_request(&mut self, step: u32, answer: CallAnswer, sent: Time) {
        let Op::Request(request) = &self.scenario.timeline[step as usize].op else { return };
        let at = (sent + request.timeout).max(self.now);
        let answer = self.answer(answer);
        self.queue.at(at, Class::Inbound, Act::Answered { step, answer });
    }

    /// Whether a flush gets through: it is answered when the server processed all that was sent (R6).
    pub(crate) fn flush(&mut self, step: u32) {
        let by = self.names.actor(step);
        let answer = self.answer(CallAnswer::Done);
        let away = self.publishers[by.0 as usize].away || !self.up;
        let round = self.scenario.network_delay + self.scenario.network_delay;
        let at = if away { self.now } else { self.now + round };
        self.queue.at(at, Class::Inbound, Act::Answered { step, answer });
    }

    /// Whether anybody listens to advisories: a stream or a subscriber.
    pub(crate) fn listens_to_advisories(&self) -> bool {
        let any = "$JS.EVENT.ADVISORY.>";
        self.scenario.subscribers.iter().any(|s| subject::overlap(&s.subject, any))
            || self.streams.iter().any(|s| {
                s.exists && s.config.subjects.iter().any(|pattern| subject::overlap(pattern, any))
            })
            || self.scenario.timeline.iter().any(|step| match &step.op {
                Op::Subscribe(s) => subject::overlap(&s.subject, any),
                _ => false,
            })
    }

    /// The first moment of a subscriber, for the queue.
    pub(crate) fn begin_subscriber(&mut self, id: ClientId, spec: &Subscriber) {
        self.queue.at(spec.start, Class::Inbound, Act::Subscribe(id));
        if spec.stop > Time::ZERO {
            self.queue.at(spec.stop, Class::Inbound, Act::SubscriberStops(id));
        }
    }
}
