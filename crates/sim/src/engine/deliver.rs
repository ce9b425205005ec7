//! The delivery loop, pulls, answers and timers of consumers, on the server's side (sections 4 to 10 of the rules).

use super::{Act, Packed, PullFlags, World};
use crate::info::ConsumerInfo;
use crate::queue::Class;
use crate::scenario::{AckPolicy, Retention, Version};
use crate::server::consumer::{Consumer, Done, Next, Sweep, Swept, Waiting};
use crate::time::{Dur, Time};
use crate::trace::{
    Advisory, Cause, ClientId, ConsumerId, Delivery, Effect, Event, Msg, Observer, Removal, Reply,
    Status,
};

/// Pulls that may wait where the configuration sets no limit (R105).
const DEFAULT_MAX_WAITING: usize = 512;

impl<O: Observer> World<'_, O> {
    /// Whether the server knows the connection behind a pull to be open.
    pub(crate) fn has_interest(&self, pull: &Waiting) -> bool {
        self.clients[pull.by.0 as usize].closed_at_server < pull.connection
    }

    pub(crate) fn consumer_info(&self, id: u16) -> Option<ConsumerInfo> {
        let c = self.consumers[id as usize].as_ref()?;
        let waiting = c.waiting.iter().filter(|w| w.expires > self.now && self.has_interest(w));
        let mut info = c.info(waiting.count() as u64);
        info.num_pending = self.checked_num_pending(c);
        Some(info)
    }

    /// Messages never delivered, as the server counts them when asked: behind the last stored one there are none,
    /// though newcomers before a start sequence that lies ahead were counted (R64).
    fn checked_num_pending(&self, c: &Consumer) -> u64 {
        if c.next_seq > self.streams[c.stream as usize].last_seq() {
            c.num_pending.min(c.skip_list.len() as u64)
        } else {
            c.num_pending
        }
    }

    /// Corrects the count of messages never delivered, as an info request or a pull that does not wait makes the server do.
    pub(crate) fn check_num_pending(&mut self, id: u16) {
        let checked = self.consumers[id as usize].as_ref().map(|c| self.checked_num_pending(c));
        if let (Some(c), Some(checked)) = (&mut self.consumers[id as usize], checked) {
            c.num_pending = checked;
        }
    }

    // --- pulls ------------------------------------------------------------------------------

    /// Server: a pull request arrives (R51–R55).
    pub(crate) fn accept_pull(
        &mut self,
        by: ClientId,
        connection: u32,
        consumer: u16,
        batch: u32,
        expires: Dur,
        flags: PullFlags,
    ) {
        if !self.up {
            return;
        }
        let now = self.now;
        let refuse = |world: &mut Self, status, missing| {
            world.queue.send(now, Act::Status { to: by, connection, consumer, status, missing });
        };
        let Some(Some(c)) = self.consumers.get_mut(consumer as usize) else {
            refuse(self, Status::NoResponders, batch);
            return;
        };
        c.last_active = now;
        let max_waiting = match c.config.max_waiting {
            0 => DEFAULT_MAX_WAITING,
            n => n as usize,
        };
        if c.waiting.len() >= max_waiting {
            self.clean_waiting(consumer, false);
        }
        if flags.no_wait {
            self.check_num_pending(consumer);
            let Some(c) = &self.consumers[consumer as usize] else { return };
            let there_is = c.num_pending + c.queued();
            if there_is == 0 && expires == Dur::ZERO {
                refuse(self, Status::NoMessages, 0);
                return;
            }
            if there_is > 0 {
                self.clean_waiting(consumer, false);
                let Some(c) = &self.consumers[consumer as usize] else { return };
                let asked: u64 = c.waiting.iter().map(|w| u64::from(w.missing)).sum();
                if there_is < asked {
                    refuse(self, Status::RequestsPending, 0);
                    return;
                }
            }
        }
        let Some(c) = &mut self.consumers[consumer as usize] else { return };
        if c.waiting.len() >= max_waiting {
            refuse(self, Status::MaxWaiting, 0);
            return;
        }
        c.waiting.push_back(Waiting {
            by,
            connection,
            missing: batch,
            got: 0,
            expires: if expires == Dur::ZERO { Time::NEVER } else { now + expires },
            no_wait: flags.no_wait,
            bytes: (flags.max_bytes > 0).then_some(flags.max_bytes),
        });
        self.mark_dirty(consumer);
    }

    /// Ends waiting pulls that are over, and drops those of dead connections. With `idle`, also ends
    /// those that do not wait and have got something (R52, R53).
    pub(crate) fn clean_waiting(&mut self, consumer: u16, idle: bool) {
        let Some(c) = &mut self.consumers[consumer as usize] else { return };
        if c.waiting.is_empty() {
            return;
        }
        let now = self.now;
        let v2_10 = self.scenario.version == Version::V2_10;
        let (clients, queue) = (&self.clients, &mut self.queue);
        c.waiting.retain(|w| {
            let over = w.expires <= now;
            let served = idle && w.no_wait && w.got > 0;
            let dead = clients[w.by.0 as usize].closed_at_server >= w.connection;
            if !dead && (over || served) {
                let (status, missing) = if over || v2_10 {
                    (Status::Timeout, w.missing)
                } else {
                    (Status::NoMessages, 0)
                };
                let (to, connection) = (w.by, w.connection);
                queue.send(now, Act::Status { to, connection, consumer, status, missing });
            }
            !dead && !over && !served
        });
        self.touch(consumer);
    }

    /// Wakes the consumer when its next waiting pull expires.
    fn arm_pull_wake(&mut self, consumer: u16) {
        let Some(c) = &mut self.consumers[consumer as usize] else { return };
        let next = c.waiting.iter().map(|w| w.expires).min().unwrap_or(Time::NEVER);
        if next < c.pull_wake_at {
            c.pull_wake_at = next;
            self.queue.at(next, Class::Timer, Act::PullWake(consumer));
        }
    }

    /// Server: a waiting pull may have expired.
    pub(crate) fn pull_wake(&mut self, consumer: u16) {
        let Some(c) = &mut self.consumers[consumer as usize] else { return };
        if c.pull_wake_at > self.now {
            return;
        }
        c.pull_wake_at = Time::NEVER;
        if c.waiting.iter().any(|w| w.expires <= self.now) {
            self.clean_waiting(consumer, true);
            self.mark_dirty(consumer);
        } else {
            self.arm_pull_wake(consumer);
        }
    }

    pub(crate) fn end_pull(&mut self, consumer: u16, w: &Waiting, status: Status) {
        let (to, connection, missing) = (w.by, w.connection, w.missing);
        self.queue.send(self.now, Act::Status { to, connection, consumer, status, missing });
    }

    /// The pull that gets the next message of `size` bytes (R50, R56, R57); none if there is none left.
    fn take_waiting(&mut self, consumer: u16, size: u32) -> Option<Waiting> {
        loop {
            let c = self.consumers[consumer as usize].as_mut()?;
            let mut w = c.waiting.pop_front()?;
            if let Some(bytes) = w.bytes {
                if size > bytes {
                    self.end_pull(consumer, &w, Status::MaxBytes);
                    continue;
                }
                w.bytes = Some(bytes - size);
                if bytes == size {
                    w.missing = 1;
                }
            }
            if w.expires <= self.now {
                self.end_pull(consumer, &w, Status::Timeout);
                continue;
            }
            if !self.has_interest(&w) {
                continue;
            }
            w.missing -= 1;
            w.got += 1;
            if w.missing > 0 {
                let c = self.consumers[consumer as usize].as_mut()?;
                c.waiting.push_back(w);
            }
            return Some(w);
        }
    }

    /// The worker that gets the next message of a push consumer: the one that subscribes to its deliver
    /// subject, or one of them by chance where they form a queue group (R62).
    pub(crate) fn push_receiver(&mut self, id: u16) -> Option<(ClientId, u32)> {
        let members: Vec<(ClientId, u32)> = self
            .clients
            .iter()
            .enumerate()
            .filter(|(_, c)| c.consumer == Some(id) && c.worker.is_some_and(|w| w.push))
            .filter(|(_, c)| c.connection > c.closed_at_server && c.subscribed)
            .map(|(i, c)| (ClientId(i as u16), c.connection))
            .collect();
        let grouped = self.consumers[id as usize]
            .as_ref()
            .is_some_and(|c| !c.config.deliver_group.is_empty());
        match members.len() {
            0 => None,
            1 => Some(members[0]),
            _ if !grouped => Some(members[0]),
            n => Some(members[self.rng.below(n as u64) as usize]),
        }
    }

    /// Whether somebody is there to get messages: a waiting pull, or a subscriber of the deliver subject.
    pub(crate) fn is_asked(&self, id: u16) -> bool {
        let Some(c) = &self.consumers[id as usize] else { return false };
        if !c.is_push() {
            return !c.waiting.is_empty();
        }
        self.clients.iter().any(|client| {
            client.consumer == Some(id)
                && client.worker.is_some_and(|w| w.push)
                && client.subscribed
                && client.connection > client.closed_at_server
        })
    }

    /// Who gets the next message of `size` bytes.
    fn receiver(&mut self, id: u16, size: u32) -> Option<(ClientId, u32)> {
        if self.consumers[id as usize].as_ref().is_some_and(Consumer::is_push) {
            return self.push_receiver(id);
        }
        self.take_waiting(id, size).map(|w| (w.by, w.connection))
    }

    // --- the loop ---------------------------------------------------------------------------

    /// Gives out all that can be given out now (section 6).
    pub(crate) fn delivery_loop(&mut self, id: u16) {
        let mut capped = false;
        if self.up {
            loop {
                if !self.is_asked(id) {
                    break;
                }
                let Some(c) = &mut self.consumers[id as usize] else { return };
                match c.next(self.now) {
                    Next::Exhausted(swept) => self.exhausted(id, &swept),
                    Next::Nothing => {
                        capped = true;
                        break;
                    }
                    Next::Again(seq, cause) => {
                        if !self.serve(id, seq, cause) {
                            if let Some(c) = &mut self.consumers[id as usize] {
                                c.put_back(seq);
                            }
                            break;
                        }
                    }
                    Next::New => {
                        let Some(seq) = self.next_new(id) else { break };
                        if !self.replay_is_due(id, seq) || !self.serve(id, seq, Cause::New) {
                            break;
                        }
                    }
                }
            }
        }
        self.clean_waiting(id, !capped);
        self.arm_pull_wake(id);
        self.arm_sweep(id);
        self.touch(id);
    }

    /// Whether a replay at the original pace may deliver a message now; if not, the loop is woken then (R65).
    fn replay_is_due(&mut self, id: u16, seq: u64) -> bool {
        let now = self.now;
        let Some(c) = &mut self.consumers[id as usize] else { return false };
        let Some(replay) = &mut c.replay else { return true };
        if seq > replay.last {
            c.replay = None;
            return true;
        }
        let Some(stored) = self.streams[c.stream as usize].get(seq).map(|s| s.at) else {
            return true;
        };
        if let Some((before, sent)) = replay.before {
            let due = sent + stored.since(before);
            if due > now {
                self.queue.at(due, Class::Timer, Act::Replay(id));
                return false;
            }
        }
        replay.before = Some((stored, now));
        true
    }

    /// The next message that was never delivered, if there is one; looks past what the filter hides.
    fn next_new(&mut self, id: u16) -> Option<u64> {
        let c = self.consumers[id as usize].as_mut()?;
        let stream = c.stream as usize;
        while let Some(&seq) = c.skip_list.front() {
            if self.streams[stream].get(seq).is_some() {
                return Some(seq);
            }
            c.skip_list.pop_front();
        }
        if c.num_pending == 0 {
            let last = self.streams[stream].last_seq();
            let c = self.consumers[id as usize].as_mut()?;
            c.next_seq = c.next_seq.max(last + 1);
            return None;
        }
        let mut from = c.next_seq;
        loop {
            let (seq, subject) = self.streams[stream]
                .from(from)
                .next()
                .map(|(seq, stored)| (seq, stored.subject))?;
            if self.sees(id, subject) {
                let c = self.consumers[id as usize].as_mut()?;
                c.next_seq = seq;
                return Some(seq);
            }
            from = seq + 1;
        }
    }

    /// Bytes of the reply subject that a delivery will have (R39), which a pull with `max_bytes` counts (R56).
    fn reply_subject_bytes(&self, id: u16, seq: u64, new: bool) -> u32 {
        let Some(c) = &self.consumers[id as usize] else { return 0 };
        let name = &self.names.consumers[id as usize];
        let stream = &self.names.streams[name.stream.0 as usize];
        let attempt = c.pending.get(&seq).map_or(1, |p| u64::from(p.attempt) + 1);
        let left = c.num_pending.saturating_sub(u64::from(new));
        let digits = |n: u64| n.checked_ilog10().unwrap_or(0) + 1;
        let numbers = digits(attempt) + digits(seq) + digits(c.next_delivery()) + digits(left);
        // `$JS.ACK.`, six dots, and a time of 19 digits.
        8 + 6 + 19 + (stream.len() + name.name.len()) as u32 + numbers
    }

    /// Sends a message to the next waiting pull. Says whether there was one.
    fn serve(&mut self, id: u16, seq: u64, cause: Cause) -> bool {
        let Some(c) = &self.consumers[id as usize] else { return false };
        let stream = c.stream;
        let Some(stored) = self.streams[stream as usize].get(seq).copied() else {
            return true; // Removed in the meantime: nothing to send.
        };
        let size = stored.size + self.reply_subject_bytes(id, seq, cause == Cause::New);
        let Some((to, connection)) = self.receiver(id, size) else {
            return false;
        };
        let now = self.now;
        let Some(c) = &mut self.consumers[id as usize] else { return false };
        if cause == Cause::New {
            if c.skip_list.front() == Some(&seq) {
                c.skip_list.pop_front();
            } else {
                c.next_seq = seq + 1;
            }
            c.num_pending = c.num_pending.saturating_sub(1);
        }
        let num_pending = c.num_pending;
        let (consumer_seq, attempt, deadline) = c.deliver(seq, stored.msg, now);
        let ack_none = c.config.ack_policy == AckPolicy::None;
        let packed = Packed { consumer: id, msg: stored.msg, seq: seq as u32, attempt };
        self.emit(Event::Delivered {
            delivery: packed.open(),
            to,
            consumer_seq,
            num_pending,
            deadline,
            cause,
        });
        let consumer_seq = consumer_seq as u32;
        self.queue.send(now, Act::Arrive { to, connection, delivery: packed, consumer_seq });
        if ack_none {
            self.let_go(stream, seq);
        }
        true
    }

    // --- timers -----------------------------------------------------------------------------

    /// Sets the ack timer in the queue for when the consumer wants it.
    pub(crate) fn arm_sweep(&mut self, id: u16) {
        let Some(c) = &mut self.consumers[id as usize] else { return };
        if c.sweep_at < c.sweep_armed {
            c.sweep_armed = c.sweep_at;
            self.queue.at(c.sweep_at.max(self.now), Class::Timer, Act::Sweep(id));
        }
    }

    /// Server: the ack timer fires.
    pub(crate) fn sweep(&mut self, id: u16) {
        let now = self.now;
        let Some(c) = &mut self.consumers[id as usize] else { return };
        if c.sweep_armed > now {
            return; // A timer that was set earlier since.
        }
        c.sweep_armed = Time::NEVER;
        if !self.up {
            return;
        }
        if c.sweep_at > now {
            self.arm_sweep(id);
            return;
        }
        let mut queued = false;
        for swept in c.sweep(now) {
            match swept.what {
                Sweep::Queued(cause) => {
                    queued = true;
                    let delivery = self.delivery(id, &swept);
                    self.emit(match cause {
                        Cause::NakDelay => Event::DelayOver { delivery },
                        _ => Event::Expired { delivery },
                    });
                }
                Sweep::Exhausted(_) => {
                    queued = true; // It frees a slot.
                    self.exhausted(id, &swept);
                }
            }
        }
        if queued {
            self.mark_dirty(id);
        }
        self.arm_sweep(id);
        self.touch(id);
    }

    fn delivery(&self, id: u16, swept: &Swept) -> Delivery {
        Delivery {
            consumer: ConsumerId(id),
            msg: swept.msg,
            seq: swept.seq,
            attempt: swept.attempt,
        }
    }

    /// A message ran out of deliveries (R84–R89).
    fn exhausted(&mut self, id: u16, swept: &Swept) {
        let delivery = self.delivery(id, swept);
        let Sweep::Exhausted(advise) = swept.what else { return };
        self.emit(Event::Exhausted { delivery, advised: advise.is_some() });
        if let Some(deliveries) = advise {
            self.advise(Advisory::MaxDeliver, id, swept.msg, swept.seq, 0, deliveries);
        }
        self.arm_sweep(id);
        self.touch(id);
    }

    // --- answers ----------------------------------------------------------------------------

    /// Server: an answer arrives (R40–R49).
    pub(crate) fn accept_reply(
        &mut self,
        by: ClientId,
        answered: Packed,
        consumer_seq: u32,
        reply: Reply,
        sync: bool,
    ) {
        let (id, seq, now) = (answered.consumer, u64::from(answered.seq), self.now);
        let consumer_seq = u64::from(consumer_seq);
        if !self.up {
            return;
        }
        let Some(c) = &mut self.consumers[id as usize] else { return };
        if seq >= c.next_seq {
            return; // Never delivered: nothing changes and nothing is confirmed (R46).
        }
        let stream = c.stream;
        let was_capped = c.at_cap();
        let in_flight = c.pending.contains_key(&seq);
        let delivery = answered.open();
        let effect = match reply {
            Reply::Ack | Reply::Term => match c.settle(seq, consumer_seq, now) {
                Done::Nothing => Effect::Nothing,
                Done::This => {
                    self.let_go(stream, seq);
                    Effect::Settled
                }
                Done::Late => {
                    self.let_go(stream, seq);
                    Effect::Nothing
                }
                Done::UpTo { done, spent } => {
                    for other in spent {
                        self.let_go(stream, other);
                    }
                    for (other, msg, attempt) in done {
                        if other != seq {
                            let delivery =
                                Delivery { consumer: ConsumerId(id), msg, seq: other, attempt };
                            self.emit(Event::Recorded { delivery, reply, effect: Effect::Settled });
                        }
                        self.let_go(stream, other);
                    }
                    Effect::Settled
                }
            },
            Reply::Nak => c.nak(seq, None, now),
            Reply::NakDelay(delay) => c.nak(seq, Some(delay.0 as i64), now),
            Reply::InProgress => c.in_progress(seq, now),
            Reply::Unknown => Effect::Nothing,
        };
        self.emit(Event::Recorded { delivery, reply, effect });
        let advisory = match reply {
            Reply::Term => Some(Advisory::Terminated), // Also of what is not in flight (R45).
            Reply::Nak | Reply::NakDelay(_) if in_flight => Some(Advisory::Nak),
            _ => None,
        };
        if let Some(advisory) = advisory {
            self.advise(advisory, id, answered.msg, seq, consumer_seq, answered.attempt);
        }
        if sync {
            let connection = self.clients[by.0 as usize].connection;
            self.queue.send(now, Act::Confirm { to: by, connection, delivery: answered });
        }
        match effect {
            Effect::Queued => self.mark_dirty(id),
            Effect::Settled if was_capped => self.mark_dirty(id),
            _ => {}
        }
        self.arm_sweep(id);
        self.touch(id);
    }

    /// A consumer is done with a message: a work queue lets go of it at once, an interest stream when
    /// no other consumer needs it (R27, R29).
    fn let_go(&mut self, stream: u16, seq: u64) {
        let retention = self.streams[stream as usize].config.retention;
        let gone = match retention {
            Retention::Limits => false,
            Retention::WorkQueue => true,
            Retention::Interest => !self.is_needed(stream, seq),
        };
        if gone {
            self.remove(stream, seq, Removal::Settled);
        }
    }

    /// Whether any consumer still needs a stored message.
    pub(crate) fn is_needed(&mut self, stream: u16, seq: u64) -> bool {
        let Some(subject) = self.streams[stream as usize].get(seq).map(|s| s.subject) else {
            return false;
        };
        (0..self.consumers.len() as u16).any(|id| {
            self.names.consumers[id as usize].stream.0 == stream
                && self.sees(id, subject)
                && self.consumers[id as usize].as_ref().is_some_and(|c| c.needs(seq))
        })
    }

    pub(crate) fn holds(&self, id: u16, seq: u64) -> bool {
        self.consumers[id as usize].as_ref().is_some_and(|c| c.holds(seq))
    }

    /// A message left the stream under a consumer that sees it (R25).
    pub(crate) fn removed_under(&mut self, id: u16, msg: Msg, seq: u64, why: Removal) {
        let now = self.now;
        let Some(c) = &mut self.consumers[id as usize] else { return };
        if seq >= c.next_seq {
            c.num_pending = c.num_pending.saturating_sub(1);
        } else if c.skip_list.contains(&seq) {
            c.skip_list.retain(|&s| s != seq);
            c.num_pending = c.num_pending.saturating_sub(1);
        }
        let was_capped = c.at_cap();
        let Some((first, attempts)) = c.removed(seq) else {
            self.touch(id);
            return;
        };
        let stream = c.stream;
        let done = c.settle(seq, first, now);
        c.drop_removed(seq, now);
        let (reply, effect) = (Reply::Term, Effect::Settled);
        let delivery = Delivery { consumer: ConsumerId(id), msg, seq, attempt: attempts };
        self.emit(Event::Recorded { delivery, reply, effect });
        // With ack policy all it settles everything below as well, as an answer does (R41).
        let (below, spent) = match done {
            Done::UpTo { done, spent } => (done, spent),
            _ => (Vec::new(), Vec::new()),
        };
        for other in spent {
            self.let_go(stream, other);
        }
        for (other, msg, attempt) in below.into_iter().filter(|(other, ..)| *other != seq) {
            let delivery = Delivery { consumer: ConsumerId(id), msg, seq: other, attempt };
            self.emit(Event::Recorded { delivery, reply, effect });
            self.let_go(stream, other);
        }
        if why != Removal::Purged {
            // What the server reports is redeliveries, but 1 where there was none.
            let deliveries = (attempts - 1).max(1);
            self.advise(Advisory::TerminatedByRemoval, id, msg, seq, first, deliveries);
        }
        if was_capped {
            self.mark_dirty(id);
        }
        self.arm_sweep(id);
        self.touch(id);
    }
}
