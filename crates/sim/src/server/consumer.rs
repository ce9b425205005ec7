//! A consumer: what is in flight, until when, what is delivered next, and the counters it reports.
//!
//! The state follows section 4 of the rules. There are two floors (R91): the internal one, and the
//! persisted one that servers from 2.11 on report.

use crate::info::{ConsumerInfo, SeqPair};
use crate::scenario::{AckPolicy, ConsumerConfig, Version};
use crate::sorted::Sorted;
use crate::time::{Dur, MS, SEC, Time};
use crate::trace::{Cause, ClientId, Effect, Msg};
use std::collections::{BTreeMap, VecDeque};

/// Timers are set one millisecond late on purpose, so that a burst expires in one sweep (section 13).
pub(crate) const SWEEP_LAG: Dur = Dur(MS);
/// What a timer that is set again at once takes (R75).
const MIN_SWEEP: Dur = Dur::ms(10);

/// A message in flight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    pub(crate) msg: Msg,
    /// Consumer sequence of its first delivery.
    pub(crate) first: u64,
    /// What its deadline counts from, in nanoseconds; before zero after some naks with delay (R81).
    base: i64,
    /// Deliveries made.
    pub(crate) attempt: u32,
    /// Whether its deadline is in order of delivery with others of its attempt.
    in_line: bool,
    /// Whether it is in the redelivery queue.
    pub(crate) queued: bool,
    /// Why it is, or will be, delivered again.
    cause: Cause,
}

/// A pull that waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub(crate) by: ClientId,
    /// Which of the client's connections asked.
    pub(crate) connection: u32,
    /// Messages still wanted.
    pub(crate) missing: u32,
    /// Messages delivered.
    pub(crate) got: u32,
    pub(crate) expires: Time,
    pub(crate) no_wait: bool,
    /// Bytes still wanted, if limited.
    pub(crate) bytes: Option<u32>,
}

/// Where a replay at the original pace is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replay {
    /// It ends behind this sequence.
    pub(crate) last: u64,
    /// When the message before was stored, and when it was sent.
    pub(crate) before: Option<(Time, Time)>,
}

/// What the sweep of the ack timer found.
pub(crate) struct Swept {
    pub(crate) msg: Msg,
    pub(crate) seq: u64,
    pub(crate) attempt: u32,
    pub(crate) what: Sweep,
}

/// See [`Swept`].
pub(crate) enum Sweep {
    /// Its time is over; it waits to be delivered again.
    Queued(Cause),
    /// It has no delivery left. With the number of deliveries to advise of, if any (R85, R96).
    Exhausted(Option<u32>),
}

/// What an ack or term is done with.
pub(crate) enum Done {
    /// Nothing was in flight.
    Nothing,
    /// The message it answers.
    This,
    /// The message it answers, which had run out of deliveries (R93).
    Late,
    /// Every message in flight up to it: sequence, message, deliveries (R41).
    UpTo {
        /// In flight until now.
        done: Vec<(u64, Msg, u32)>,
        /// Sequences that had run out of deliveries.
        spent: Vec<u64>,
    },
}

/// What is to be delivered next.
pub(crate) enum Next {
    /// Nothing, or the cap is reached.
    Nothing,
    /// A message that was delivered before.
    Again(u64, Cause),
    /// A message that ran out of deliveries at this attempt. With the number to advise of, if any.
    Exhausted(Swept),
    /// The next new message may go out.
    New,
}

pub(crate) struct Consumer {
    pub(crate) stream: u16,
    pub(crate) config: ConsumerConfig,
    version: Version,
    /// Next stream sequence to look at.
    pub(crate) next_seq: u64,
    /// Deliveries made.
    deliveries: u64,
    /// Highest stream sequence delivered.
    highest: u64,
    pub(crate) pending: BTreeMap<u64, Pending>,
    /// Redeliveries by message, the record behind `num_redelivered` (R34).
    redelivered: Sorted<u64, u32>,
    /// Messages that ran out of deliveries and are still needed (R30).
    pub(crate) exhausted: Sorted<u64, ()>,
    /// The redelivery queue; an entry counts while its message is marked as queued.
    queue: VecDeque<u64>,
    /// Entries of `queue` that count.
    queued: usize,
    /// Messages in flight by attempt, in order of their deadlines. Stale entries are skipped.
    in_line: Vec<VecDeque<(i64, u64)>>,
    /// Messages with a deadline out of that order.
    out_of_line: Sorted<(i64, u64), ()>,
    pub(crate) waiting: VecDeque<Waiting>,
    /// Matching messages never delivered (R32).
    pub(crate) num_pending: u64,
    /// Internal floor.
    floor: SeqPair,
    /// Persisted floor (R91).
    kept_floor: SeqPair,
    /// Persisted entries of messages that are not pending any more, as they were (R92, R107).
    ghosts: Sorted<u64, Pending>,
    /// When the ack timer fires next.
    pub(crate) sweep_at: Time,
    /// For when it is set in the queue.
    pub(crate) sweep_armed: Time,
    last_sweep: Time,
    /// After how long the timer is set again when nothing in flight asks for less.
    pace: Dur,
    /// Whether the wake-up of the earliest expiry of a pull is scheduled, and for when.
    pub(crate) pull_wake_at: Time,
    /// The last message of each subject, to be delivered before everything after `next_seq` (R63).
    pub(crate) skip_list: VecDeque<u64>,
    /// While a backlog is replayed at its own pace (R65).
    pub(crate) replay: Option<Replay>,
    /// When it was last asked, or created (R106).
    pub(crate) last_active: Time,
    /// What messages of a subject are to it, by interned subject.
    pub(crate) seen_subjects: Vec<Option<bool>>,
}

impl Consumer {
    pub(crate) fn new(stream: u16, config: ConsumerConfig, version: Version) -> Self {
        let mut consumer = Self {
            stream,
            config,
            version,
            next_seq: 1,
            deliveries: 0,
            highest: 0,
            pending: BTreeMap::new(),
            redelivered: Sorted::new(),
            exhausted: Sorted::new(),
            queue: VecDeque::new(),
            queued: 0,
            in_line: Vec::new(),
            out_of_line: Sorted::new(),
            waiting: VecDeque::new(),
            num_pending: 0,
            floor: SeqPair::default(),
            kept_floor: SeqPair::default(),
            ghosts: Sorted::new(),
            sweep_at: Time::NEVER,
            sweep_armed: Time::NEVER,
            last_sweep: Time::ZERO,
            pace: Dur::ms(1),
            skip_list: VecDeque::new(),
            replay: None,
            last_active: Time::ZERO,
            pull_wake_at: Time::NEVER,
            seen_subjects: Vec::new(),
        };
        consumer.set_levels();
        consumer.pace = consumer.config.effective_ack_wait();
        consumer
    }

    /// Sets where it starts, before anything is delivered: at `start`, or at `single` and then at `start` (R63).
    pub(crate) fn start_at(&mut self, start: u64, single: Option<u64>) {
        self.next_seq = start;
        self.highest = single.unwrap_or(start) - 1;
        let before = SeqPair { consumer_seq: 0, stream_seq: self.highest };
        // R38: up to 2.12 the reported floor starts at zero.
        if self.version > Version::V2_10 {
            self.floor = before;
        }
        if self.version >= Version::V2_14 {
            self.kept_floor = before;
        }
    }

    fn set_levels(&mut self) {
        self.in_line = vec![VecDeque::new(); self.config.backoff.len().max(1)];
    }

    fn level(&self, attempt: u32) -> usize {
        (attempt.max(1) as usize).min(self.in_line.len()) - 1
    }

    fn max_deliver(&self) -> Option<u32> {
        u32::try_from(self.config.max_deliver).ok().filter(|&n| n > 0)
    }

    /// Whether it delivers on its own to a subject.
    pub(crate) fn is_push(&self) -> bool {
        !self.config.deliver_subject.is_empty()
    }

    /// Whether new messages are held back by `max_ack_pending` (R59).
    pub(crate) fn at_cap(&self) -> bool {
        self.config.effective_max_ack_pending().is_some_and(|cap| self.pending.len() as u64 >= cap)
    }

    /// The consumer sequence of the next delivery.
    pub(crate) fn next_delivery(&self) -> u64 {
        self.deliveries + 1
    }

    /// Number of queued redeliveries.
    pub(crate) fn queued(&self) -> u64 {
        self.queued as u64
    }

    /// Whether a message is in flight on it, exhausted, or still to be delivered on its own: whatever the filter says now.
    pub(crate) fn holds(&self, seq: u64) -> bool {
        self.pending.contains_key(&seq)
            || self.exhausted.contains(seq)
            || self.skip_list.contains(&seq)
    }

    pub(crate) fn deadline(&self, seq: u64) -> Option<Time> {
        self.pending.get(&seq).map(|p| self.deadline_of(p))
    }

    fn deadline_of(&self, p: &Pending) -> Time {
        let span = self.config.deadline_after(p.attempt).0 as i64;
        Time(p.base.saturating_add(span).max(0) as u64)
    }

    // --- the redelivery queue and deadlines -------------------------------------------------

    /// Decides what the loop gives out next (steps 2 to 4 of section 6).
    pub(crate) fn next(&mut self, now: Time) -> Next {
        while let Some(seq) = self.queue.pop_front() {
            let Some(p) = self.pending.get_mut(&seq).filter(|p| p.queued) else { continue };
            p.queued = false;
            self.queued -= 1;
            let (msg, attempt, cause) = (p.msg, p.attempt, p.cause);
            let record = self.redelivered.entry(seq, 0);
            *record += 1;
            let deliveries = *record;
            if let Some(max) = self.max_deliver().filter(|&max| deliveries + 1 > max) {
                // Only sent once (R88); silent when the limit was lowered below the attempts made (R96).
                let advise = deliveries == max || self.version >= Version::V2_15;
                if deliveries == 1 && self.version > Version::V2_10 {
                    self.redelivered.remove(seq); // It never was delivered again (R35).
                }
                self.pending.remove(&seq);
                self.exhausted.insert(seq, ());
                // The persisted entry goes too: R92 is about exhaustion by the timer alone.
                if self.version >= Version::V2_14 && self.pending.is_empty() {
                    self.floor = self.last_delivery();
                }
                self.after_settling(now);
                return Next::Exhausted(Swept {
                    msg,
                    seq,
                    attempt,
                    what: Sweep::Exhausted(advise.then_some(deliveries)),
                });
            }
            return Next::Again(seq, cause);
        }
        if self.at_cap() { Next::Nothing } else { Next::New }
    }

    /// A message taken by [`Self::next`] could not be served (R36, R57): it goes back to the end of the queue.
    pub(crate) fn put_back(&mut self, seq: u64) {
        let record = self.redelivered.entry(seq, 1);
        *record -= 1;
        if *record == 0 && self.version >= Version::V2_14 {
            self.redelivered.remove(seq);
        }
        if let Some(p) = self.pending.get_mut(&seq) {
            p.queued = true;
            self.queue.push_back(seq);
            self.queued += 1;
        }
    }

    /// Counts a delivery and starts its stopwatch. Gives consumer sequence, delivery number and deadline.
    pub(crate) fn deliver(&mut self, seq: u64, msg: Msg, now: Time) -> (u64, u32, Time) {
        self.deliveries += 1;
        let consumer_seq = self.deliveries;
        self.highest = self.highest.max(seq);
        let attempt = self.redelivered.get(seq).map_or(1, |again| again + 1);
        if self.config.ack_policy == AckPolicy::None {
            self.floor = SeqPair { consumer_seq, stream_seq: seq };
            self.kept_floor = self.floor;
            return (consumer_seq, attempt, Time::NEVER);
        }
        let base = now.0 as i64;
        let entry = self.pending.entry(seq).or_insert(Pending {
            msg,
            first: consumer_seq,
            base,
            attempt,
            in_line: true,
            queued: false,
            cause: Cause::Expired,
        });
        (entry.base, entry.attempt, entry.in_line, entry.cause) =
            (base, attempt, true, Cause::Expired);
        let level = self.level(attempt);
        self.in_line[level].push_back((base, seq));
        self.compact(level);
        let deadline = now + self.config.deadline_after(attempt);
        self.wake_for(deadline);
        (consumer_seq, attempt, deadline)
    }

    /// Keeps stale entries below the number of live ones, at constant cost per delivery.
    fn compact(&mut self, level: usize) {
        let line = &mut self.in_line[level];
        if line.len() > 64 + 2 * self.pending.len() {
            let (pending, attempt) = (&self.pending, level);
            let levels = self.config.backoff.len().max(1);
            line.retain(|entry| is_live(pending, levels, attempt, *entry));
        }
    }

    fn wake_for(&mut self, deadline: Time) {
        self.sweep_at = self.sweep_at.min(deadline + SWEEP_LAG);
    }

    /// The earliest deadline of a message in flight that is not queued.
    fn earliest(&mut self) -> Option<Time> {
        let levels = self.in_line.len();
        let mut earliest: Option<i64> = None;
        for level in 0..levels {
            let span = self.config.deadline_after(level as u32 + 1).0 as i64;
            while let Some(&entry) = self.in_line[level].front() {
                if is_live(&self.pending, levels, level, entry) {
                    let at = entry.0.saturating_add(span);
                    earliest = Some(earliest.map_or(at, |e| e.min(at)));
                    break;
                }
                self.in_line[level].pop_front();
            }
        }
        if let Some(((at, _), ())) = self.out_of_line.first() {
            earliest = Some(earliest.map_or(at, |e| e.min(at)));
        }
        earliest.map(|at| Time(at.max(0) as u64))
    }

    /// The ack timer fires: queues what is over in ascending sequence (R68), ends what has no delivery left
    /// (R85, R96), and sets the timer again.
    pub(crate) fn sweep(&mut self, now: Time) -> Vec<Swept> {
        self.last_sweep = now;
        let levels = self.in_line.len();
        let mut over = Vec::new();
        for level in 0..levels {
            let span = self.config.deadline_after(level as u32 + 1).0 as i64;
            while let Some(&entry) = self.in_line[level].front() {
                if is_live(&self.pending, levels, level, entry) {
                    if entry.0.saturating_add(span) > now.0 as i64 {
                        break;
                    }
                    over.push(entry.1);
                }
                self.in_line[level].pop_front();
            }
        }
        while let Some(((_, seq), ())) =
            self.out_of_line.first().filter(|((at, _), ())| *at <= now.0 as i64)
        {
            self.out_of_line.pop_first();
            over.push(seq);
        }
        let over = crate::order::sorted(over, Ord::cmp);
        self.pace = self.next_pace(&over);
        let mut swept = Vec::with_capacity(over.len());
        for seq in over {
            let p = self.pending[&seq];
            let again = self.redelivered.get(seq).unwrap_or(0);
            // What the server compares at the sweep: redeliveries, but 1 where there was none (R85).
            let what = match self.max_deliver().filter(|&max| again.max(1) >= max) {
                Some(max) => {
                    let advise = if self.version >= Version::V2_15 {
                        Some(again + 1)
                    } else {
                        (again.max(1) == max).then_some(max)
                    };
                    self.pending.remove(&seq);
                    self.exhausted.insert(seq, ());
                    if again.max(1) == max && self.version < Version::V2_14 {
                        self.ghosts.insert(seq, p); // R92
                    }
                    if self.version == Version::V2_10 {
                        self.redelivered.entry(seq, 1); // R35
                    }
                    if self.version >= Version::V2_14 && self.pending.is_empty() {
                        self.floor = self.last_delivery();
                    }
                    Sweep::Exhausted(advise)
                }
                None => {
                    self.enqueue(seq);
                    Sweep::Queued(p.cause)
                }
            };
            swept.push(Swept { msg: p.msg, seq, attempt: p.attempt, what });
        }
        if self.pending.is_empty() {
            self.floor = self.last_delivery();
            self.sweep_at = Time::NEVER;
        } else {
            self.sweep_at = self.earliest().map_or(Time::NEVER, |at| at + SWEEP_LAG);
        }
        swept
    }

    /// After how long the server sets its timer again when nothing in flight asks for less.
    fn next_pace(&self, over: &[u64]) -> Dur {
        let backoff = &self.config.backoff;
        let Some(&last) = backoff.last() else { return self.config.effective_ack_wait() };
        let next_entry = |seq: &u64| {
            let again = self.redelivered.get(*seq).unwrap_or(0) as usize;
            backoff[(again + 1).min(backoff.len() - 1)].or_none_below_zero()
        };
        let last = last.or_none_below_zero();
        over.iter().map(next_entry).min().map_or(last, |entry| entry.min(last))
    }

    /// Where the floor is when nothing is in flight: at the last delivery. Single messages that are delivered before the
    /// rest (R63) count one by one.
    fn last_delivery(&self) -> SeqPair {
        let looked_at = self.next_seq - 1;
        let stream_seq =
            if self.skip_list.is_empty() { looked_at } else { looked_at.min(self.highest) };
        SeqPair { consumer_seq: self.deliveries, stream_seq }
    }

    /// After the last message in flight is gone the timer fires once more, at its usual pace (R91).
    fn after_settling(&mut self, now: Time) {
        if self.pending.is_empty() && self.sweep_at == Time::NEVER {
            let pace = self.pace.0.max(MS).saturating_add(SWEEP_LAG.0);
            let sweeps = now.since(self.last_sweep).0 / pace + 1;
            self.sweep_at = Time(self.last_sweep.0.saturating_add(sweeps.saturating_mul(pace)));
        }
    }

    fn enqueue(&mut self, seq: u64) {
        let Some(p) = self.pending.get(&seq).filter(|p| !p.queued) else { return };
        if !p.in_line {
            let at = self.deadline_of(p).0 as i64;
            self.out_of_line.remove((at, seq));
        }
        if let Some(p) = self.pending.get_mut(&seq) {
            p.queued = true;
        }
        self.queue.push_back(seq);
        self.queued += 1;
    }

    fn dequeue(&mut self, seq: u64) {
        if let Some(p) = self.pending.get_mut(&seq).filter(|p| p.queued) {
            p.queued = false;
            self.queued -= 1;
            self.queue.retain(|&s| s != seq);
        }
    }

    /// Sets when `seq` is over, out of the order of delivery.
    fn set_base(&mut self, seq: u64, base: i64) {
        let Some(mut p) = self.pending.get(&seq).copied() else { return };
        let old = self.deadline_of(&p).0 as i64;
        self.out_of_line.remove((old, seq));
        p.base = base;
        p.in_line = false;
        let deadline = self.deadline_of(&p);
        self.pending.insert(seq, p);
        if !p.queued {
            self.out_of_line.insert((deadline.0 as i64, seq), ());
            self.wake_for(deadline);
        }
    }

    // --- answers ----------------------------------------------------------------------------

    /// An ack or term of `seq` (R41–R45). `answered` is the consumer sequence in the reply subject.
    /// Says what is done with now, so that the stream may let go of it.
    pub(crate) fn settle(&mut self, seq: u64, answered: u64, now: Time) -> Done {
        if self.config.ack_policy == AckPolicy::None {
            return Done::Nothing;
        }
        if self.config.ack_policy == AckPolicy::All {
            if answered <= self.floor.consumer_seq || seq <= self.floor.stream_seq {
                return Done::Nothing;
            }
            let done: Vec<(u64, Msg, u32)> =
                self.pending.range(..=seq).map(|(&seq, p)| (seq, p.msg, p.attempt)).collect();
            for &(seq, ..) in &done {
                self.forget(seq);
            }
            self.floor = SeqPair { consumer_seq: answered, stream_seq: seq };
            self.kept_floor = self.floor;
            self.ghosts.drop_below(seq + 1);
            let mut spent = Vec::new();
            while let Some((below, ())) = self.exhausted.first().filter(|(below, ())| *below <= seq)
            {
                self.exhausted.pop_first();
                spent.push(below);
            }
            self.after_settling(now);
            return Done::UpTo { done, spent };
        }
        let was_exhausted = !self.exhausted.is_empty() && self.exhausted.remove(seq).is_some();
        let Some(first) = self.pending.get(&seq).map(|p| p.first) else {
            self.redelivered.remove(seq);
            if self.ghosts.remove(seq).is_some() {
                self.move_kept_floor(seq, answered);
            }
            self.move_floor(seq, answered);
            return if was_exhausted { Done::Late } else { Done::Nothing };
        };
        self.forget(seq);
        self.move_floor(seq, first);
        self.move_kept_floor(seq, first);
        self.after_settling(now);
        Done::This
    }

    /// Takes `seq` out of all that says it is in flight.
    fn forget(&mut self, seq: u64) {
        if let Some(p) = self.pending.remove(&seq) {
            if p.queued {
                self.queued -= 1;
                if self.queued == 0 {
                    self.queue.clear();
                }
            }
            if !p.in_line {
                let at = self.deadline_of(&p).0 as i64;
                self.out_of_line.remove((at, seq));
            }
        }
        if !self.redelivered.is_empty() {
            self.redelivered.remove(seq);
        }
    }

    /// R37 on the internal floor.
    fn move_floor(&mut self, seq: u64, first: u64) {
        if self.pending.is_empty() {
            self.floor = self.last_delivery();
        } else if first == self.floor.consumer_seq + 1 {
            self.floor = match self.pending.range(seq + 1..).next() {
                Some((&above, p)) => SeqPair { consumer_seq: p.first - 1, stream_seq: above - 1 },
                None => SeqPair { consumer_seq: first, stream_seq: seq },
            };
        }
    }

    /// R37 on the persisted floor.
    fn move_kept_floor(&mut self, seq: u64, first: u64) {
        if self.pending.is_empty() && self.ghosts.is_empty() {
            self.kept_floor = SeqPair { consumer_seq: self.deliveries, stream_seq: self.highest };
        } else if first == self.kept_floor.consumer_seq + 1 {
            self.kept_floor = match self.pending.range(seq + 1..).next() {
                Some((&above, p)) => SeqPair { consumer_seq: p.first - 1, stream_seq: above - 1 },
                None => SeqPair { consumer_seq: first, stream_seq: seq },
            };
        }
    }

    /// A nak of `seq`, with its delay if it has one (R74–R76, R81).
    pub(crate) fn nak(&mut self, seq: u64, delay: Option<i64>, now: Time) -> Effect {
        let Some(p) = self.pending.get_mut(&seq) else { return Effect::Nothing };
        match delay {
            None => {
                p.cause = Cause::Nak;
                self.enqueue(seq);
                Effect::Queued
            }
            Some(delay) => {
                p.cause = Cause::NakDelay;
                self.dequeue(seq);
                let b0 = self.config.effective_ack_wait().0 as i64;
                // Set so that one plain ack wait from the base is the delay: with a backoff the entry of
                // this attempt counts instead (R81). A timer set at once takes 10 ms (R75).
                let base = (now.0 as i64).saturating_sub(b0).saturating_add(delay);
                let soonest = (now + MIN_SWEEP).0 as i64;
                let attempt = self.pending[&seq].attempt;
                let span = self.config.deadline_after(attempt).0 as i64;
                let base = base.max(soonest.saturating_sub(span));
                self.set_base(seq, base);
                Effect::DelayedUntil(self.deadline(seq).unwrap_or(now))
            }
        }
    }

    /// In progress for `seq`: its stopwatch starts again (R71, R72, R80).
    pub(crate) fn in_progress(&mut self, seq: u64, now: Time) -> Effect {
        let Some(p) = self.pending.get_mut(&seq) else { return Effect::Nothing };
        p.cause = if p.queued { p.cause } else { Cause::Expired };
        self.set_base(seq, now.0 as i64);
        Effect::Extended(self.deadline(seq).unwrap_or(now))
    }

    /// A message that left the stream is not in flight any more, also where settling it changed nothing: under ack policy
    /// all that is so for one below the floor (R25).
    pub(crate) fn drop_removed(&mut self, seq: u64, now: Time) {
        self.forget(seq);
        self.after_settling(now);
    }

    /// A message left the stream (R25). Says whether it was in flight, with its first consumer sequence and deliveries.
    pub(crate) fn removed(&mut self, seq: u64) -> Option<(u64, u32)> {
        let found = self.pending.get(&seq).map(|p| (p.first, p.attempt));
        if found.is_none() {
            self.exhausted.remove(seq);
            if self.version >= Version::V2_14 {
                self.redelivered.remove(seq); // R94
            }
        }
        found
    }

    // --- management -------------------------------------------------------------------------

    /// The configuration changes with messages in flight (R103).
    pub(crate) fn reconfigure(&mut self, config: ConsumerConfig, now: Time) {
        let filters_changed = self.config.filter_subjects != config.filter_subjects;
        self.config = config;
        if filters_changed {
            self.seen_subjects.clear();
        }
        self.set_levels();
        self.reline();
        // The sweep runs 100 ms after the edit.
        if !self.pending.is_empty() {
            let soonest = now + Dur::ms(100);
            self.sweep_at = self.earliest().map_or(Time::NEVER, |at| (at + SWEEP_LAG).max(soonest));
        }
    }

    /// Puts every deadline into the one ordered set.
    fn reline(&mut self) {
        for line in &mut self.in_line {
            line.clear();
        }
        self.out_of_line.clear();
        let mut deadlines = Vec::new();
        for (&seq, p) in &mut self.pending {
            p.in_line = false;
            if !p.queued {
                deadlines.push((seq, *p));
            }
        }
        for (seq, p) in deadlines {
            let at = self.deadline_of(&p).0 as i64;
            self.out_of_line.insert((at, seq), ());
        }
    }

    /// The server restarts (R100, R101). `stored_at` gives the store time of a message.
    pub(crate) fn restart(&mut self, now: Time, stored_at: impl Fn(u64) -> Option<Time>) {
        self.waiting.clear();
        self.queue.clear();
        self.queued = 0;
        while let Some((seq, ghost)) = self.ghosts.pop_first() {
            self.exhausted.remove(seq);
            let entry = Pending { queued: false, cause: Cause::Restart, ..ghost };
            self.pending.insert(seq, entry);
        }
        for (&seq, p) in &mut self.pending {
            let base =
                if p.in_line { stored_at(seq).map_or(p.base, |at| at.0 as i64) } else { p.base };
            p.base = base.div_euclid(SEC as i64) * SEC as i64;
            p.queued = false;
            p.cause = Cause::Restart;
        }
        if self.version > Version::V2_10 {
            self.floor = self.kept_floor;
        }
        self.reline();
        self.sweep_at = match self.earliest() {
            Some(at) => (at + SWEEP_LAG).max(now),
            None => Time::NEVER,
        };
        self.pull_wake_at = Time::NEVER;
    }

    /// Whether this consumer still needs a stored message that its filter matches (R29, R30).
    pub(crate) fn needs(&self, seq: u64) -> bool {
        if self.skip_list.contains(&seq) {
            return true;
        }
        match self.config.ack_policy {
            AckPolicy::None | AckPolicy::All => seq > self.floor.stream_seq,
            AckPolicy::Explicit => {
                seq >= self.next_seq
                    || self.pending.contains_key(&seq)
                    || self.exhausted.contains(seq)
            }
        }
    }

    /// Where the clean-up of a deleted consumer starts (R110).
    pub(crate) fn internal_floor(&self) -> u64 {
        self.floor.stream_seq
    }

    /// Messages up to and including `upto` are gone by a purge: positions and floors jump (R25).
    pub(crate) fn purged(&mut self, upto: u64) {
        self.next_seq = self.next_seq.max(upto + 1);
        let gone: Vec<u64> = self.pending.range(..=upto).map(|(&seq, _)| seq).collect();
        for seq in gone {
            let first = self.pending[&seq].first;
            self.floor.consumer_seq = self.floor.consumer_seq.max(first);
            self.forget(seq);
        }
        self.exhausted.drop_below(upto + 1);
        self.floor.stream_seq = self.floor.stream_seq.max(upto);
        if self.pending.is_empty() {
            self.redelivered.clear();
            self.floor = self.last_delivery();
        }
        self.highest = self.highest.max(upto);
        self.ghosts.clear();
        self.kept_floor = self.floor;
    }

    /// Messages in flight: sequence, message, deliveries and deadline.
    pub(crate) fn in_flight(&self) -> impl Iterator<Item = (u64, Msg, u32, Time)> {
        self.pending
            .iter()
            .filter(|(_, p)| !p.queued)
            .map(|(&seq, p)| (seq, p.msg, p.attempt, self.deadline_of(p)))
    }

    /// What `nats consumer info` prints, with the number of pulls that count as waiting.
    pub(crate) fn info(&self, num_waiting: u64) -> ConsumerInfo {
        let v2_10 = self.version == Version::V2_10;
        ConsumerInfo {
            delivered: SeqPair {
                consumer_seq: self.deliveries,
                stream_seq: match self.skip_list.front() {
                    _ if !v2_10 => self.highest,
                    Some(single) => single - 1,
                    None => self.next_seq - 1,
                }, // R31
            },
            ack_floor: if v2_10 { self.floor } else { self.kept_floor },
            num_pending: self.num_pending,
            num_ack_pending: self.pending.len() as u64,
            num_redelivered: self.redelivered.len() as u64,
            num_waiting,
        }
    }
}

/// Whether an entry of the lines still says when its message is over.
fn is_live(
    pending: &BTreeMap<u64, Pending>,
    levels: usize,
    level: usize,
    (base, seq): (i64, u64),
) -> bool {
    pending.get(&seq).is_some_and(|p| {
        p.in_line
            && !p.queued
            && p.base == base
            && (p.attempt.max(1) as usize).min(levels) - 1 == level
    })
}
