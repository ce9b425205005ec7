//! A stream: the log of stored messages, its limits and its window of known ids.

use crate::info::StreamInfo;
use crate::scenario::{Discard, StreamConfig};
use crate::time::{Dur, Time};
use crate::trace::{Msg, Refusal, Removal};
use std::collections::{BTreeMap, VecDeque};

/// Bytes that a file store adds to a message, and to its headers: lengths, sequence, time and checksum.
const RECORD_BYTES: u32 = 30;
const HEADER_BYTES: u32 = 4;

impl Stored {
    /// Bytes that it counts for in its stream.
    fn kept_bytes(&self) -> u64 {
        let headers = if self.headers { HEADER_BYTES } else { 0 };
        u64::from(self.size) + u64::from(RECORD_BYTES + headers)
    }
}

/// What a stream keeps of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stored {
    pub(crate) msg: Msg,
    /// Interned subject.
    pub(crate) subject: u32,
    /// Bytes of subject, headers and payload.
    pub(crate) size: u32,
    /// Whether it has headers.
    pub(crate) headers: bool,
    pub(crate) at: Time,
}

pub(crate) struct Stream {
    /// Whether it has been created yet.
    pub(crate) exists: bool,
    pub(crate) config: StreamConfig,
    /// For when the age timer is set in the queue.
    pub(crate) age_armed: Time,
    /// Slots from `first` on; a removed message leaves a hole until it reaches the front.
    log: VecDeque<Option<Stored>>,
    /// Sequence of the first slot.
    first: u64,
    messages: u64,
    bytes: u64,
    /// Kept sequences by interned subject, kept only under `max_msgs_per_subject`.
    by_subject: Vec<VecDeque<u64>>,
    /// Known ids with the sequence and the moment of the original (R16–R18).
    ids: BTreeMap<Box<str>, (u64, Time)>,
    /// The same in the order of storing.
    id_order: VecDeque<(Time, Box<str>)>,
}

/// What a publish met.
pub(crate) enum Admission {
    /// Its id is known: the sequence of the original.
    Duplicate(u64),
    /// The stream is full.
    Refused(Refusal),
    /// It may be stored.
    Free,
}

impl Stream {
    pub(crate) fn new(config: StreamConfig) -> Self {
        Self {
            exists: true,
            config,
            age_armed: Time::NEVER,
            log: VecDeque::new(),
            first: 1,
            messages: 0,
            bytes: 0,
            by_subject: Vec::new(),
            ids: BTreeMap::new(),
            id_order: VecDeque::new(),
        }
    }

    /// The sequence given last; 0 if none was.
    pub(crate) fn last_seq(&self) -> u64 {
        self.first + self.log.len() as u64 - 1
    }

    /// The sequence of the first kept message, or the next one to be given.
    pub(crate) fn first_seq(&self) -> u64 {
        self.first
    }

    pub(crate) fn get(&self, seq: u64) -> Option<&Stored> {
        let slot = usize::try_from(seq.checked_sub(self.first)?).ok()?;
        self.log.get(slot)?.as_ref()
    }

    /// Kept messages with a sequence of at least `from`, in order.
    pub(crate) fn from(&self, from: u64) -> impl Iterator<Item = (u64, &Stored)> {
        let start = from.max(self.first);
        let skip = usize::try_from(start - self.first).unwrap_or(usize::MAX).min(self.log.len());
        self.log
            .range(skip..)
            .enumerate()
            .filter_map(move |(i, slot)| slot.as_ref().map(|stored| (start + i as u64, stored)))
    }

    pub(crate) fn info(&self) -> StreamInfo {
        StreamInfo {
            messages: self.messages,
            bytes: self.bytes,
            // Zero until the stream has held a message.
            first_seq: if self.last_seq() == 0 { 0 } else { self.first },
            last_seq: self.last_seq(),
        }
    }

    /// What a publish with this id meets: ids come before limits (R20).
    pub(crate) fn admit(&mut self, id: &str, message: &Stored) -> Admission {
        self.forget_ids(message.at);
        if !id.is_empty()
            && let Some((seq, _)) = self.ids.get(id)
        {
            return Admission::Duplicate(*seq);
        }
        if self.config.discard == Discard::New {
            let over = |limit: i64, have: u64| u64::try_from(limit).is_ok_and(|limit| have > limit);
            if self.config.discard_new_per_subject
                && over(self.config.max_msgs_per_subject, self.kept_of(message.subject) + 1)
            {
                return Admission::Refused(Refusal::MaxMsgsPerSubject);
            }
            if over(self.config.max_msgs, self.messages + 1) {
                return Admission::Refused(Refusal::MaxMsgs);
            }
            if over(self.config.max_bytes, self.bytes + message.kept_bytes()) {
                return Admission::Refused(Refusal::MaxBytes);
            }
        }
        Admission::Free
    }

    fn kept_of(&self, subject: u32) -> u64 {
        self.by_subject.get(subject as usize).map_or(0, |seqs| seqs.len() as u64)
    }

    fn remember(&mut self, id: &str, seq: u64, at: Time) {
        if !id.is_empty() {
            self.ids.insert(id.into(), (seq, at));
            self.id_order.push_back((at, id.into()));
        }
    }

    /// An id is free again once the window has passed since the original was stored (R17).
    fn forget_ids(&mut self, now: Time) {
        let window = self.config.duplicate_window;
        while let Some((at, id)) = self.id_order.front() {
            if now.since(*at) < window {
                break;
            }
            if self.ids.get(id).is_some_and(|(_, stored)| stored == at) {
                self.ids.remove(id);
            }
            self.id_order.pop_front();
        }
    }

    /// Gives the next sequence to a message that is kept.
    pub(crate) fn store(&mut self, stored: Stored, id: &str) -> u64 {
        self.log.push_back(Some(stored));
        let seq = self.last_seq();
        self.messages += 1;
        self.bytes += stored.kept_bytes();
        if self.config.max_msgs_per_subject > 0 {
            let subject = stored.subject as usize;
            if self.by_subject.len() <= subject {
                self.by_subject.resize_with(subject + 1, VecDeque::new);
            }
            self.by_subject[subject].push_back(seq);
        }
        self.remember(id, seq, stored.at);
        seq
    }

    /// Gives the next sequence to a message that nobody wants: it is not kept (R29).
    pub(crate) fn skip(&mut self, id: &str, now: Time) -> u64 {
        self.log.push_back(None);
        let seq = self.last_seq();
        self.remember(id, seq, now);
        self.trim();
        seq
    }

    /// What limits take away after the message at `seq` was stored (R21, R23).
    pub(crate) fn over_limit(&self, seq: u64) -> Option<(u64, Removal)> {
        if let Some(kept) =
            self.get(seq).and_then(|stored| self.by_subject.get(stored.subject as usize))
            && u64::try_from(self.config.max_msgs_per_subject).is_ok_and(|m| kept.len() as u64 > m)
        {
            return kept.front().map(|&seq| (seq, Removal::SubjectLimit));
        }
        let over = |limit: i64, have: u64| limit > 0 && have > limit.unsigned_abs();
        (over(self.config.max_msgs, self.messages) || over(self.config.max_bytes, self.bytes))
            .then_some((self.first, Removal::Limit))
    }

    /// The first kept message and the moment its age is reached, if ages count (R24).
    pub(crate) fn next_to_age(&self) -> Option<(u64, Time)> {
        let stored = self.log.front()?.as_ref()?;
        (self.config.max_age > Dur::ZERO).then_some((self.first, stored.at + self.config.max_age))
    }

    /// Takes a message away. Its id stays known inside the window (R18).
    pub(crate) fn remove(&mut self, seq: u64) -> Option<Stored> {
        let slot = usize::try_from(seq.checked_sub(self.first)?).ok()?;
        let stored = self.log.get_mut(slot)?.take()?;
        self.messages -= 1;
        self.bytes -= stored.kept_bytes();
        if let Some(seqs) = self.by_subject.get_mut(stored.subject as usize) {
            seqs.retain(|&s| s != seq);
        }
        self.trim();
        Some(stored)
    }

    fn trim(&mut self) {
        while let Some(None) = self.log.front() {
            self.log.pop_front();
            self.first += 1;
        }
    }

    /// A restart knows only the ids of messages still kept (R19).
    pub(crate) fn restart(&mut self, now: Time) {
        self.forget_ids(now);
        let mut ids = std::mem::take(&mut self.ids);
        ids.retain(|_, (seq, _)| self.get(*seq).is_some());
        self.ids = ids;
    }

    /// Takes every message away that `goes` names by sequence and subject. Gives them, and the highest
    /// sequence below which nothing is left.
    pub(crate) fn purge(&mut self, goes: impl Fn(u32) -> bool) -> Vec<(u64, Stored)> {
        let gone: Vec<u64> =
            self.from(0).filter(|(_, s)| goes(s.subject)).map(|(seq, _)| seq).collect();
        gone.into_iter().filter_map(|seq| self.remove(seq).map(|stored| (seq, stored))).collect()
    }
}
