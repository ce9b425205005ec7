//! Scripted calls to the server: streams and consumers are created, changed, deleted, asked about
//! (sections 6, 9 and 12 of the rules).

use super::{Act, World};
use crate::check::{self, ApiError};
use crate::queue::Class;
use crate::rng::Rng;
use crate::scenario::{
    ConsumerConfig, CreateAction, CreateConsumer, DeliverPolicy, Op, Purge, ReplayPolicy,
    Retention, StreamConfig, Version,
};
use crate::server::consumer::{Consumer, Replay};
use crate::server::stream::Stream;
use crate::subject;
use crate::time::{Dur, Time};
use crate::trace::{CallAnswer, ConsumerId, Delivery, Event, Observer, Removal, Status, StreamId};
use std::collections::VecDeque;

fn stream_not_found<T>() -> Result<T, ApiError> {
    Err(ApiError::new(404, 10059, "stream not found"))
}

fn consumer_not_found<T>() -> Result<T, ApiError> {
    Err(ApiError::new(404, 10014, "consumer not found"))
}

impl<'a, O: Observer> World<'a, O> {
    /// A scripted call arrives at the server; its answer goes back.
    pub(crate) fn call(&mut self, step: u32) {
        if !self.up {
            return;
        }
        let answer = match &self.scenario.timeline[step as usize].op {
            Op::ConsumerInfo(of) => match self.names.consumer(&of.stream, &of.consumer) {
                Some(id) if self.consumers[id.0 as usize].is_some() => {
                    // An info request cleans up the pulls of dead connections (R55).
                    self.clean_waiting(id.0, false);
                    self.check_num_pending(id.0);
                    Ok(CallAnswer::Consumer(self.consumer_info(id.0).unwrap_or_default()))
                }
                _ => consumer_not_found(),
            },
            Op::StreamInfo(name) => match self.existing_stream(name) {
                Some(id) => Ok(CallAnswer::Stream(self.streams[id as usize].info())),
                None => stream_not_found(),
            },
            Op::CreateStream(config) => self.create_stream(config),
            Op::CreateConsumer(create) => self.create_or_update(create),
            Op::DeleteConsumer(of) => match self.names.consumer(&of.stream, &of.consumer) {
                Some(id) if self.consumers[id.0 as usize].is_some() => {
                    self.delete_consumer(id.0, false);
                    Ok(CallAnswer::Done)
                }
                _ => consumer_not_found(),
            },
            Op::PurgeStream(purge) => self.purge_stream(purge),
            Op::GetMessage(of) => match self.existing_stream(&of.stream) {
                None => stream_not_found(),
                Some(id) => match self.streams[id as usize].get(of.seq) {
                    Some(stored) => Ok(CallAnswer::Message(stored.msg)),
                    None => Err(ApiError::new(404, 10037, "no message found")),
                },
            },
            Op::DeleteMessage(of) => match self.existing_stream(&of.stream) {
                None => stream_not_found(),
                Some(id) if self.streams[id as usize].get(of.seq).is_some() => {
                    self.remove(id, of.seq, Removal::Deleted);
                    Ok(CallAnswer::Done)
                }
                Some(_) => Err(ApiError::new(400, 10057, "no message found")),
            },
            _ => Ok(CallAnswer::Done),
        };
        let answer = self.answer(answer.unwrap_or_else(CallAnswer::Failed));
        self.queue.send(self.now, Act::Answered { step, answer });
    }

    /// Tells the observer an answer, and gives its place.
    pub(crate) fn answer(&mut self, answer: CallAnswer) -> u32 {
        self.observer.answer(answer);
        self.answers += 1;
        self.answers - 1
    }

    pub(crate) fn existing_stream(&self, name: &str) -> Option<u16> {
        let id = self.names.stream(name)?.0;
        self.streams[id as usize].exists.then_some(id)
    }

    // --- streams ----------------------------------------------------------------------------

    fn create_stream(&mut self, config: &StreamConfig) -> Result<CallAnswer, ApiError> {
        let config = check::stream_defaults(config)?;
        let others = self.streams.iter().filter(|s| s.exists).map(|s| &s.config);
        check::stream_beside(&config, others)?;
        if self.existing_stream(&config.name).is_none()
            && let Some(id) = self.names.stream(&config.name)
        {
            self.streams[id.0 as usize] = Stream::new(config.clone());
            self.subjects.streams_changed();
            self.emit(Event::StreamCreated { stream: id });
            self.arm_age(id.0);
            self.advised = self.listens_to_advisories();
        }
        Ok(CallAnswer::StreamCreated(Box::new(config)))
    }

    fn purge_stream(&mut self, purge: &Purge) -> Result<CallAnswer, ApiError> {
        let Some(id) = self.existing_stream(&purge.stream) else { return stream_not_found() };
        let subjects = &self.subjects;
        let gone = self.streams[id as usize].purge(|number| {
            purge.filter.is_empty() || subject::matches(&purge.filter, subjects.text(number))
        });
        for &(seq, stored) in &gone {
            let (msg, stream) = (stored.msg, StreamId(id));
            self.emit(Event::Removed { msg, stream, seq, why: Removal::Purged });
            for consumer in 0..self.consumers.len() as u16 {
                if self.names.consumers[consumer as usize].stream.0 == id
                    && (self.sees(consumer, stored.subject) || self.holds(consumer, seq))
                {
                    self.removed_under(consumer, msg, seq, Removal::Purged);
                }
            }
        }
        if purge.filter.is_empty() {
            let last = self.streams[id as usize].last_seq();
            for consumer in 0..self.consumers.len() as u16 {
                let reads = self.names.consumers[consumer as usize].stream.0 == id;
                if let Some(c) = self.consumers[consumer as usize].as_mut().filter(|_| reads) {
                    c.purged(last);
                    c.num_pending = 0;
                    self.touch(consumer);
                }
            }
        }
        Ok(CallAnswer::Purged(gone.len() as u64))
    }

    // --- consumers --------------------------------------------------------------------------

    /// A consumer of the scenario comes to exist.
    pub(crate) fn create_declared(&mut self, id: u16) {
        let spec = &self.scenario.consumers[id as usize];
        if let Ok(config) = check::consumer_defaults(&spec.config, self.scenario.version, false) {
            self.create_consumer(id, config);
        }
    }

    /// A consumer of the scenario comes to exist later than the run: as the call that it stands for.
    pub(crate) fn create_late(&mut self, id: u16) {
        if !self.up {
            self.due.push(id);
            return;
        }
        let spec = &self.scenario.consumers[id as usize];
        let create = CreateConsumer {
            stream: spec.stream.clone(),
            config: spec.config.clone(),
            ..CreateConsumer::default()
        };
        // A refusal leaves things as they are; whoever sent it is not part of the scenario.
        let _ = self.create_or_update(&create);
    }

    fn create_or_update(&mut self, create: &CreateConsumer) -> Result<CallAnswer, ApiError> {
        let Some(stream) = self.existing_stream(&create.stream) else { return stream_not_found() };
        let version = self.scenario.version;
        let wanted = check::consumer_defaults(&create.config, version, create.pedantic)?;
        let Some(ConsumerId(id)) = self.names.consumer(&create.stream, &wanted.durable_name) else {
            return consumer_not_found();
        };
        let existing = self.consumers[id as usize].as_ref().map(|c| c.config.clone());
        check::action(create.action, existing.as_ref(), &wanted)?;
        if existing.as_ref() == Some(&wanted) {
            return Ok(CallAnswer::ConsumerCreated(Box::new(wanted)));
        }
        if let Some(existing) = &existing {
            check::consumer_update(existing, &wanted)?;
        }
        let others: Vec<ConsumerConfig> = (0..self.consumers.len() as u16)
            .filter(|&other| other != id && self.names.consumers[other as usize].stream.0 == stream)
            .filter_map(|other| self.consumers[other as usize].as_ref().map(|c| c.config.clone()))
            .collect();
        let on = &self.streams[stream as usize].config;
        check::consumer_on_stream(&wanted, on, &others.iter(), version)?;
        debug_assert!(create.action != CreateAction::Update || existing.is_some());
        if existing.is_some() {
            self.update_consumer(id, wanted.clone());
        } else {
            self.create_consumer(id, wanted.clone());
        }
        Ok(CallAnswer::ConsumerCreated(Box::new(wanted)))
    }

    fn create_consumer(&mut self, id: u16, config: ConsumerConfig) {
        let stream = self.names.consumers[id as usize].stream.0;
        let version = self.scenario.version;
        let replay = config.replay_policy == ReplayPolicy::Original;
        let threshold = config.inactive_threshold;
        let mut consumer = Consumer::new(stream, config, version);
        consumer.last_active = self.now;
        self.consumers[id as usize] = Some(consumer);
        let (start, skip_list) = self.start_of(id);
        let last = self.streams[stream as usize].last_seq();
        let pending = self.count_matching(id, start) + skip_list.len() as u64;
        if let Some(c) = &mut self.consumers[id as usize] {
            c.start_at(start, skip_list.front().copied());
            c.num_pending = pending;
            c.skip_list = skip_list;
            c.replay = replay.then_some(Replay { last, before: None });
        }
        self.emit(Event::ConsumerCreated { consumer: ConsumerId(id) });
        if threshold > Dur::ZERO {
            // The server adds 0.1 to 1 s by chance (R106).
            let grace = Rng::new(self.scenario.seed ^ u64::from(id)).below(900) + 100;
            self.queue.at(
                self.now + threshold + Dur::ms(grace),
                Class::Timer,
                Act::Inactive { consumer: id, grace: grace as u32 },
            );
        }
        self.mark_dirty(id);
    }

    /// Where a consumer starts, and the single messages it delivers before (R63, R64).
    fn start_of(&mut self, id: u16) -> (u64, VecDeque<u64>) {
        let Some(c) = &self.consumers[id as usize] else { return (1, VecDeque::new()) };
        let stream = &self.streams[c.stream as usize];
        let (first, next) = (stream.first_seq(), stream.last_seq() + 1);
        let (policy, config) = (c.config.deliver_policy, c.config.clone());
        let stored: Vec<(u64, u32, Time)> = match policy {
            DeliverPolicy::All | DeliverPolicy::New | DeliverPolicy::ByStartSequence => Vec::new(),
            _ => stream.from(first).map(|(seq, s)| (seq, s.subject, s.at)).collect(),
        };
        let start = match policy {
            DeliverPolicy::All => first,
            DeliverPolicy::New => next,
            DeliverPolicy::Last => {
                let last = stored.iter().rev().find(|(_, subject, _)| self.sees(id, *subject));
                last.map_or(next, |(seq, ..)| *seq)
            }
            DeliverPolicy::ByStartSequence => {
                let asked = config.opt_start_seq.max(first);
                if self.scenario.version == Version::V2_10 { asked.min(next) } else { asked }
            }
            DeliverPolicy::ByStartTime => stored
                .iter()
                .find(|(.., at)| *at >= config.opt_start_time)
                .map_or(next, |(seq, ..)| *seq),
            DeliverPolicy::LastPerSubject => {
                let mut lasts: Vec<(u32, u64)> = Vec::new();
                for (seq, subject, _) in stored {
                    if self.sees(id, subject) {
                        lasts.retain(|(other, _)| *other != subject);
                        lasts.push((subject, seq));
                    }
                }
                return (next, lasts.into_iter().map(|(_, seq)| seq).collect());
            }
        };
        (start, VecDeque::new())
    }

    fn count_matching(&mut self, id: u16, from: u64) -> u64 {
        let Some(c) = &self.consumers[id as usize] else { return 0 };
        let stored: Vec<u32> =
            self.streams[c.stream as usize].from(from).map(|(_, s)| s.subject).collect();
        stored.into_iter().filter(|&subject| self.sees(id, subject)).count() as u64
    }

    /// Changes what is running (R103).
    fn update_consumer(&mut self, id: u16, config: ConsumerConfig) {
        let now = self.now;
        let Some(c) = &mut self.consumers[id as usize] else { return };
        let refilter = c.config.filter_subjects != config.filter_subjects;
        let (next, stream) = (c.next_seq, c.stream);
        c.reconfigure(config, now);
        let moved: Vec<_> = c.in_flight().collect();
        self.emit(Event::ConsumerUpdated { consumer: ConsumerId(id) });
        for (seq, msg, attempt, deadline) in moved {
            let delivery = Delivery { consumer: ConsumerId(id), msg, seq, attempt };
            self.emit(Event::DeadlineMoved { delivery, deadline });
        }
        if refilter {
            let mut pending = self.count_matching(id, next);
            let singles = match &mut self.consumers[id as usize] {
                Some(c) => std::mem::take(&mut c.skip_list),
                None => VecDeque::new(),
            };
            let mut kept = VecDeque::new();
            for seq in singles {
                let subject = self.streams[stream as usize].get(seq).map(|s| s.subject);
                if subject.is_some_and(|subject| self.sees(id, subject)) {
                    pending += 1;
                    kept.push_back(seq);
                }
            }
            if let Some(c) = &mut self.consumers[id as usize] {
                c.num_pending = pending;
                c.skip_list = kept;
            }
        }
        self.arm_sweep(id);
        self.mark_dirty(id);
    }

    /// A consumer goes: its pulls end, and an interest stream lets go of what only it needed (R61, R110).
    pub(crate) fn delete_consumer(&mut self, id: u16, inactive: bool) {
        self.clean_waiting(id, false);
        let Some(c) = self.consumers[id as usize].take() else { return };
        self.emit(Event::ConsumerDeleted { consumer: ConsumerId(id), inactive });
        for w in &c.waiting {
            self.end_pull(id, w, Status::ConsumerDeleted);
        }
        self.touch(id);
        let stream = c.stream;
        if self.streams[stream as usize].config.retention != Retention::Interest {
            return;
        }
        let last_one = !(0..self.consumers.len()).any(|other| {
            self.names.consumers[other].stream.0 == stream && self.consumers[other].is_some()
        });
        let from = if last_one { 0 } else { c.internal_floor() };
        let stored: Vec<u64> =
            self.streams[stream as usize].from(from).map(|(seq, _)| seq).collect();
        for seq in stored {
            if !self.is_needed(stream, seq) {
                self.remove(stream, seq, Removal::NoInterest);
            }
        }
    }

    /// Server: the time may be over after which an unused consumer is deleted (R106).
    pub(crate) fn inactive(&mut self, id: u16, grace: u32) {
        let now = self.now;
        let Some(c) = &self.consumers[id as usize] else { return };
        let threshold = c.config.inactive_threshold + Dur::ms(u64::from(grace));
        if !self.up {
            self.queue.at(now + threshold, Class::Timer, Act::Inactive { consumer: id, grace });
            return;
        }
        let waiting = c.waiting.iter().any(|w| w.expires > now && self.has_interest(w))
            || (c.is_push() && self.is_asked(id));
        let in_flight = self.scenario.version >= Version::V2_11
            && c.in_flight().any(|(.., deadline)| deadline > now);
        let active_until = c.last_active + threshold;
        let again = if waiting || in_flight {
            now + threshold
        } else if active_until > now {
            active_until
        } else {
            self.delete_consumer(id, true);
            return;
        };
        self.queue.at(again, Class::Timer, Act::Inactive { consumer: id, grace });
    }
}
