//! Publishing: from the client's connection into a stream, and the PubAck back (section 2 of the rules).

use super::{Act, World};
use crate::queue::Class;
use crate::scenario::{Op, Publish, Via};
use crate::server::stream::{Admission, Stored};
use crate::subject;
use crate::time::Time;
use crate::trace::{Event, Message, Msg, Observer, Refusal, Removal, StreamId};

/// A text with `{i}` replaced, without a copy where there is none.
pub(crate) fn numbered(template: &str, n: u32) -> std::borrow::Cow<'_, str> {
    if template.contains("{i}") {
        template.replace("{i}", &n.to_string()).into()
    } else {
        template.into()
    }
}

impl<O: Observer> World<'_, O> {
    fn spec(&self, step: u32) -> Option<&Publish> {
        match &self.scenario.timeline[step as usize].op {
            Op::Publish(publish) => Some(publish),
            _ => None,
        }
    }

    /// Client: hands the n-th message of a step to its connection.
    pub(crate) fn publish(&mut self, step: u32, n: u32) {
        let Some(spec) = self.spec(step) else { return };
        if n > spec.count {
            return;
        }
        let (via, every, count) = (spec.via, spec.every, spec.count);
        let msg = self.new_message(Message { step, n });
        let by = self.names.publisher(self.scenario, step);
        self.emit(Event::Published { msg, by });
        if every > crate::Dur::ZERO && n < count {
            self.queue.at(self.now + every, Class::Inbound, Act::Publish { step, n: n + 1 });
        }
        if self.up {
            self.queue.send(self.now, Act::Accept { step, n, msg });
        } else if via == Via::Js {
            self.queue.send(self.now, Act::PubFail { step, n, msg, why: Refusal::Disconnected });
            return;
        } else {
            self.emit(Event::Unheard { msg });
        }
        if via == Via::Core && every == crate::Dur::ZERO && n < count {
            self.publish(step, n + 1);
        }
    }

    /// Client: the message before is through; the next one of its step follows.
    pub(crate) fn publish_next(&mut self, step: u32, n: u32) {
        let follows = self
            .spec(step)
            .is_some_and(|spec| spec.via == Via::Js && spec.every == crate::Dur::ZERO);
        if follows {
            self.publish(step, n + 1);
        }
    }

    /// Server: a message arrives and is stored, refused or heard by nobody.
    pub(crate) fn accept(&mut self, step: u32, n: u32, msg: Msg) {
        let scenario = self.scenario;
        let Op::Publish(spec) = &scenario.timeline[step as usize].op else { return };
        if !self.up {
            self.emit(Event::Unheard { msg });
            return;
        }
        let (subject, new) = self.subjects.number(&numbered(&spec.subject, n));
        if new {
            let text = self.subjects.text(subject);
            let stream = self
                .streams
                .iter()
                .position(|s| s.config.subjects.iter().any(|p| subject::matches(p, text)));
            self.subjects.captured.push(stream.map(|i| i as u16));
        }
        let js = spec.via == Via::Js;
        let Some(stream) = self.subjects.captured[subject as usize] else {
            self.emit(Event::Unheard { msg });
            if js {
                self.queue.send(self.now, Act::PubFail { step, n, msg, why: Refusal::NoStream });
            }
            return;
        };
        let id = numbered(&spec.msg_id, n);
        let size = (self.subjects.text(subject).len() + numbered(&spec.data, n).len()) as u32
            + spec.pad_bytes
            + if id.is_empty() { 0 } else { id.len() as u32 + 30 };
        match self.streams[stream as usize].admit(&id, subject, size, self.now) {
            Admission::Duplicate(seq) => {
                self.emit(Event::Deduplicated { msg, stream: StreamId(stream), seq });
                self.pub_ack(js, step, n, msg, stream, seq, true);
            }
            Admission::Refused(why) => {
                self.emit(Event::Refused { msg, stream: StreamId(stream), why });
                if js {
                    self.queue.send(self.now, Act::PubFail { step, n, msg, why });
                }
            }
            Admission::Free => {
                let stored = Stored { msg, subject, size, at: self.now };
                let seq = self.keep(stream, stored, &id);
                self.pub_ack(js, step, n, msg, stream, seq, false);
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn pub_ack(&mut self, js: bool, step: u32, n: u32, msg: Msg, stream: u16, seq: u64, duplicate: bool) {
        if js {
            let seq = seq as u32;
            self.queue.send(self.now, Act::PubAck { step, n, msg, stream, seq, duplicate });
        }
    }

    /// Stores a message, or only counts it where no consumer wants it (R29). Gives its sequence.
    fn keep(&mut self, stream: u16, stored: Stored, id: &str) -> u64 {
        let msg = stored.msg;
        let mut wanted = false;
        for consumer in 0..self.consumers.len() as u16 {
            if self.names.consumers[consumer as usize].stream.0 != stream
                || !self.sees(consumer, stored.subject)
            {
                continue;
            }
            wanted = true;
        }
        let interest = self.streams[stream as usize].config.retention
            == crate::scenario::Retention::Interest;
        if interest && !wanted {
            let seq = self.streams[stream as usize].skip(id, self.now);
            self.emit(Event::NotKept { msg, stream: StreamId(stream), seq });
            return seq;
        }
        let was_empty = self.streams[stream as usize].next_to_age().is_none();
        let seq = self.streams[stream as usize].store(stored, id);
        self.emit(Event::Stored { msg, stream: StreamId(stream), seq });
        for consumer in 0..self.consumers.len() as u16 {
            if self.names.consumers[consumer as usize].stream.0 == stream
                && self.sees(consumer, stored.subject)
                && let Some(c) = &mut self.consumers[consumer as usize]
            {
                if seq >= c.next_seq {
                    c.num_pending += 1;
                }
                self.mark_dirty(consumer);
            }
        }
        while let Some((old, why)) = self.streams[stream as usize].over_limit(seq) {
            self.remove(stream, old, why);
        }
        if was_empty {
            self.arm_age(stream);
        }
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
                && self.sees(consumer, stored.subject)
            {
                self.removed_under(consumer, msg, seq, why);
            }
        }
    }

    pub(crate) fn arm_age(&mut self, stream: u16) {
        if let Some((_, at)) = self.streams[stream as usize].next_to_age() {
            self.queue.at(at.max(self.now), Class::Timer, Act::Age(stream));
        }
    }

    /// Server: the age timer of a stream fires (R24).
    pub(crate) fn age(&mut self, stream: u16) {
        while let Some((seq, at)) = self.streams[stream as usize].next_to_age() {
            if at > self.now {
                break;
            }
            self.remove(stream, seq, Removal::Age);
        }
        self.arm_age(stream);
    }

    /// When a stored message came, for a restart (R101).
    pub(crate) fn stored_at(&self, stream: u16, seq: u64) -> Option<Time> {
        self.streams[stream as usize].get(seq).map(|stored| stored.at)
    }
}
