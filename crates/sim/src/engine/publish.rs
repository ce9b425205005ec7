//! Publishing: from the client's connection into a stream or to subscribers, and the PubAck back
//! (sections 1 to 3 of the rules).

use super::{Act, World};
use crate::queue::Class;
use crate::scenario::{Op, Publish, Via};
use crate::server::stream::{Admission, Stored};
use crate::subject;
use crate::time::{Dur, Time};
use crate::trace::{ClientId, Event, Message, Msg, Observer, Refusal, Removal, StreamId};
use std::collections::VecDeque;

/// How long a JetStream publish waits where the step does not say.
const DEFAULT_TIMEOUT: Dur = Dur::secs(5);

/// A publisher's connection.
#[derive(Default)]
pub(crate) struct PublisherState {
    /// How often it tries to come back; zero means that publishing fails meanwhile.
    pub(crate) reconnect_wait: Dur,
    buffer_bytes: u64,
    /// Whether its connection is gone.
    pub(crate) away: bool,
    /// What it published meanwhile.
    buffer: VecDeque<(u32, u32, Msg)>,
    buffered: u64,
}

impl PublisherState {
    pub(crate) fn new(spec: &crate::scenario::Publisher) -> Self {
        Self {
            reconnect_wait: spec.reconnect_wait,
            buffer_bytes: spec.buffer_bytes,
            ..Self::default()
        }
    }
}

/// What the server did with a message.
pub(crate) enum Taken {
    /// Stored, or known already, in this stream with this sequence.
    Stored {
        stream: u16,
        seq: u64,
        duplicate: bool,
    },
    Refused(Refusal),
}

/// A text with `{i}` replaced, without a copy where there is none.
pub(crate) fn numbered(template: &str, n: u32) -> std::borrow::Cow<'_, str> {
    if template.contains('{') {
        crate::scenario::numbered(template, n).into()
    } else {
        template.into()
    }
}

impl<'a, O: Observer> World<'a, O> {
    pub(crate) fn publish_spec(&self, step: u32) -> Option<&'a Publish> {
        match &self.scenario.timeline[step as usize].op {
            Op::Publish(publish) => Some(publish),
            _ => None,
        }
    }

    /// Client: hands messages of a step to their connection, from the n-th on.
    pub(crate) fn publish(&mut self, step: u32, n: u32) {
        let Some(spec) = self.publish_spec(step) else { return };
        let burst = spec.via == Via::Core && spec.every == Dur::ZERO && !spec.flush;
        for n in n..=if burst { spec.count } else { n.min(spec.count) } {
            self.publish_one(spec, step, n);
        }
        if spec.every > Dur::ZERO && n < spec.count {
            self.queue.at(self.now + spec.every, Class::Inbound, Act::Publish { step, n: n + 1 });
        }
    }

    fn publish_one(&mut self, spec: &Publish, step: u32, n: u32) {
        let msg = self.new_message(Message::Published { step, n });
        let by = self.names.actor(step);
        self.emit(Event::Published { msg, by });
        if spec.flush {
            self.flush(step);
        }
        if self.up && !self.publishers[by.0 as usize].away {
            self.queue.send(self.now, Act::Accept { step, n, msg });
            return;
        }
        let timeout = if spec.timeout == Dur::ZERO { DEFAULT_TIMEOUT } else { spec.timeout };
        let size = u64::from(spec.pad_bytes) + spec.data.len() as u64;
        let publisher = &mut self.publishers[by.0 as usize];
        let (why, wait) = if publisher.reconnect_wait == Dur::ZERO {
            (Refusal::Disconnected, Dur::ZERO)
        } else if publisher.buffered + size > publisher.buffer_bytes {
            (Refusal::BufferFull, Dur::ZERO)
        } else {
            publisher.buffered += size;
            publisher.buffer.push_back((step, n, msg));
            (Refusal::Timeout, timeout)
        };
        if spec.via == Via::Js {
            if why == Refusal::Timeout {
                self.unconfirmed.push(msg);
            }
            self.queue.at(self.now + wait, Class::Inbound, Act::PubFail { step, n, msg, why });
        } else if why != Refusal::Timeout {
            self.emit(Event::PubFailed { msg, by, why });
        }
    }

    /// Client: a publisher's connection is back; it sends what it kept (R11, R12).
    pub(crate) fn publisher_back(&mut self, by: ClientId) {
        let wait = self.publishers[by.0 as usize].reconnect_wait;
        if !self.up {
            self.queue.at(self.now + wait, Class::Inbound, Act::PublisherBack(by));
            return;
        }
        let publisher = &mut self.publishers[by.0 as usize];
        publisher.away = false;
        publisher.buffered = 0;
        for (step, n, msg) in std::mem::take(&mut publisher.buffer) {
            self.queue.send(self.now, Act::Accept { step, n, msg });
        }
    }

    /// Client: the message before is through; the next one of its step follows.
    pub(crate) fn publish_next(&mut self, step: u32, n: u32) {
        let follows = self
            .publish_spec(step)
            .is_some_and(|spec| spec.via == Via::Js && spec.every == Dur::ZERO && n < spec.count);
        // The call returned once: a PubAck that comes after its timeout goes nowhere (R12).
        if follows && self.progress[step as usize] <= n {
            self.progress[step as usize] = n + 1;
            self.publish(step, n + 1);
        }
    }

    /// Client: a flush after a message returned, and a plain publish goes on with the next one of its step.
    pub(crate) fn flushed(&mut self, step: u32) {
        let Some(spec) = self.publish_spec(step) else { return };
        if spec.via == Via::Core && spec.every == Dur::ZERO {
            let n = self.progress[step as usize];
            if n < spec.count {
                self.progress[step as usize] = n + 1;
                self.publish(step, n + 1);
            }
        }
    }

    /// Server: a published message arrives.
    pub(crate) fn accept(&mut self, step: u32, n: u32, msg: Msg) {
        let Some(spec) = self.publish_spec(step) else { return };
        if !self.up {
            self.emit(Event::Unheard { msg });
            self.no_puback(spec, step, n, msg);
            return;
        }
        // The connection broke with it on the way. Nobody knows but the one who waits for a PubAck.
        if self.rng.chance(spec.lost_chance.0) {
            let by = self.names.actor(step);
            self.emit(Event::Dropped { msg, by, why: crate::trace::Drop::Loss });
            self.no_puback(spec, step, n, msg);
            return;
        }
        let subject = numbered(&spec.subject, n);
        let id = numbered(if spec.without_id { "" } else { &spec.msg_id }, n);
        // A header line and the version line before it.
        let header = if id.is_empty() { 0 } else { id.len() as u32 + 27 };
        let payload = numbered(&spec.data, n).len() as u32 + spec.pad_bytes;
        let taken = self.take_in(msg, &subject, &id, header, payload);
        if spec.via == Via::Js {
            let lost =
                matches!(taken, Some(Taken::Stored { .. })) && self.rng.chance(spec.lost_chance.0);
            if lost {
                self.no_puback(spec, step, n, msg);
                return;
            }
            let act = match taken {
                Some(Taken::Stored { stream, seq, duplicate }) => {
                    Act::PubAck { step, n, msg, stream, seq: seq as u32, duplicate }
                }
                Some(Taken::Refused(why)) => Act::PubFail { step, n, msg, why },
                None => Act::PubFail { step, n, msg, why: Refusal::NoStream },
            };
            self.queue.send(self.now, act);
        }
    }

    /// No PubAck will come: a JetStream publish waits for it in vain.
    fn no_puback(&mut self, spec: &Publish, step: u32, n: u32, msg: Msg) {
        if spec.via == Via::Js {
            let timeout = if spec.timeout == Dur::ZERO { DEFAULT_TIMEOUT } else { spec.timeout };
            let act = Act::PubFail { step, n, msg, why: Refusal::Timeout };
            self.unconfirmed.push(msg);
            self.queue.at(self.now + timeout, Class::Inbound, act);
        }
    }

    /// Client: the publisher has learned that a message was not confirmed. It publishes it again, if it does so, or goes on.
    pub(crate) fn publish_failed(&mut self, step: u32, n: u32, why: Refusal) {
        match self.publish_spec(step) {
            Some(spec) if spec.retry && why == Refusal::Timeout => self.publish_one(spec, step, n),
            _ => self.publish_next(step, n),
        }
    }

    /// Server: routes a message to subscribers and into the stream that captures it. None if no stream does.
    pub(crate) fn take_in(
        &mut self,
        msg: Msg,
        subject: &str,
        id: &str,
        header: u32,
        payload: u32,
    ) -> Option<Taken> {
        let number = self.subjects.number(subject);
        let heard = self.route(msg, number, payload);
        let Some(stream) = self.capturing(number) else {
            if !heard {
                self.emit(Event::Unheard { msg });
            }
            return None;
        };
        let size = subject.len() as u32 + header + payload;
        let stored = Stored { msg, subject: number, size, headers: header > 0, at: self.now };
        let taken = match self.streams[stream as usize].admit(id, &stored) {
            Admission::Duplicate(seq) => {
                self.emit(Event::Deduplicated { msg, stream: StreamId(stream), seq });
                Taken::Stored { stream, seq, duplicate: true }
            }
            Admission::Refused(why) => {
                self.emit(Event::Refused { msg, stream: StreamId(stream), why });
                Taken::Refused(why)
            }
            Admission::Free => {
                let seq = self.keep(stream, stored, id);
                Taken::Stored { stream, seq, duplicate: false }
            }
        };
        Some(taken)
    }

    fn capturing(&mut self, subject: u32) -> Option<u16> {
        if let Some(known) = self.subjects.captured[subject as usize] {
            return known;
        }
        let text = self.subjects.text(subject);
        let found = self.streams.iter().position(|s| {
            s.exists && s.config.subjects.iter().any(|pattern| subject::matches(pattern, text))
        });
        let found = found.map(|i| i as u16);
        self.subjects.captured[subject as usize] = Some(found);
        found
    }

    /// Stores a message, or only counts it where no consumer wants it (R29). Gives its sequence.
    fn keep(&mut self, stream: u16, stored: Stored, id: &str) -> u64 {
        let msg = stored.msg;
        let s = &self.streams[stream as usize];
        if s.config.retention == crate::scenario::Retention::Interest {
            let wanted = (0..self.consumers.len() as u16).any(|consumer| {
                self.names.consumers[consumer as usize].stream.0 == stream
                    && self.sees(consumer, stored.subject)
            });
            if !wanted {
                let seq = self.streams[stream as usize].skip(id, self.now);
                self.emit(Event::NotKept { msg, stream: StreamId(stream), seq });
                return seq;
            }
        }
        let seq = self.streams[stream as usize].store(stored, id);
        self.emit(Event::Stored { msg, stream: StreamId(stream), seq });
        for consumer in 0..self.consumers.len() as u16 {
            if self.names.consumers[consumer as usize].stream.0 == stream
                && self.sees(consumer, stored.subject)
                && let Some(c) = &mut self.consumers[consumer as usize]
            {
                // Also below a start sequence that lies ahead (R64).
                c.num_pending += 1;
                self.mark_dirty(consumer);
            }
        }
        while let Some((old, why)) = self.streams[stream as usize].over_limit(seq) {
            self.remove(stream, old, why);
        }
        self.arm_age(stream);
        seq
    }

    /// Whether a consumer exists and its filter matches a subject.
    pub(crate) fn sees(&mut self, consumer: u16, subject: u32) -> bool {
        let Some(c) = &mut self.consumers[consumer as usize] else { return false };
        if c.config.filter_subjects.is_empty() {
            return true;
        }
        let slot = subject as usize;
        if c.seen_subjects.len() <= slot {
            c.seen_subjects.resize(slot + 1, None);
        }
        *c.seen_subjects[slot].get_or_insert_with(|| {
            let text = self.subjects.text(subject);
            c.config.filter_subjects.iter().any(|p| subject::matches(p, text))
        })
    }

    /// Takes a message out of its stream and out of every consumer (R25).
    pub(crate) fn remove(&mut self, stream: u16, seq: u64, why: Removal) {
        let Some(stored) = self.streams[stream as usize].remove(seq) else { return };
        let msg = stored.msg;
        self.emit(Event::Removed { msg, stream: StreamId(stream), seq, why });
        for consumer in 0..self.consumers.len() as u16 {
            if self.names.consumers[consumer as usize].stream.0 == stream
                && (self.sees(consumer, stored.subject) || self.holds(consumer, seq))
            {
                self.removed_under(consumer, msg, seq, why);
            }
        }
    }

    /// Sets the age timer of a stream, unless it is set: it first fires one whole age after the stream was created,
    /// or after the first message came to an empty one (R24).
    pub(crate) fn arm_age(&mut self, stream: u16) {
        let s = &mut self.streams[stream as usize];
        if s.config.max_age > Dur::ZERO && s.age_armed == Time::NEVER {
            s.age_armed = self.now + s.config.max_age;
            self.queue.at(s.age_armed, Class::Timer, Act::Age(stream));
        }
    }

    /// Server: the age timer of a stream fires. It is set again for the oldest message, but not too soon: after
    /// 250 ms at the least, and up to 2.10 after a whole second where less than 250 ms are left (R24).
    pub(crate) fn age(&mut self, stream: u16) {
        self.streams[stream as usize].age_armed = Time::NEVER;
        if !self.up {
            return;
        }
        while let Some((seq, at)) = self.streams[stream as usize].next_to_age() {
            if at > self.now {
                let left = at.since(self.now);
                let v2_10 = self.scenario.version == crate::scenario::Version::V2_10;
                let soonest = Dur::ms(if v2_10 && left < Dur::ms(250) { 1_000 } else { 250 });
                let s = &mut self.streams[stream as usize];
                s.age_armed = self.now + left.max(soonest);
                self.queue.at(s.age_armed, Class::Timer, Act::Age(stream));
                break;
            }
            self.remove(stream, seq, Removal::Age);
        }
    }

    /// When a stored message came, for a restart (R101).
    pub(crate) fn stored_at(&self, stream: u16, seq: u64) -> Option<Time> {
        self.streams[stream as usize].get(seq).map(|stored| stored.at)
    }
}
