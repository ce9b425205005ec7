//! What becomes of each message, and that nothing but a rule takes one away.

use super::Check;
use super::ledger::{Ledger, Life};
use super::watch::{Run, Seen};
use delivery_sim::scenario::{AckPolicy, Discard, Op, Retention};
use delivery_sim::subject::matches;
use delivery_sim::trace::{
    Advisory, ClientId, ConsumerId, Drop, Effect, Message, Msg, Refusal, Removal, Reply, StreamId,
};
use delivery_sim::{Dur, Event, Time};
use std::collections::{BTreeMap, BTreeSet};

/// What the server made of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reception {
    Kept,
    Removed,
    NotKept,
    Deduplicated,
    Refused,
    Unheard,
    LostOnTheWay,
}

/// Where a copy for a subscriber is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CopyState {
    OnTheWay(Time),
    Waiting,
    Handling,
    Handled,
    Dropped,
}

/// Follows each message from its publisher to its end.
#[derive(Default)]
pub(crate) struct Fates {
    published: BTreeMap<Msg, Time>,
    /// Which message each place of a publishing step became last.
    places: BTreeMap<(u32, u32), Msg>,
    failed: BTreeMap<Msg, Refusal>,
    acked: BTreeSet<Msg>,
    received: BTreeMap<Msg, Reception>,
    heard: BTreeSet<Msg>,
    copies: BTreeMap<(Msg, ClientId), CopyState>,
    stalled: BTreeSet<ClientId>,
    stopped: Option<Time>,
}

impl Fates {
    fn receive(&mut self, msg: Msg, how: Reception) -> Result<(), String> {
        match self.received.insert(msg, how) {
            None if how == Reception::Unheard && self.heard.contains(&msg) => {
                Err(format!("{msg:?} was routed to a subscriber and is unheard"))
            }
            None => Ok(()),
            Some(before) => Err(format!("{msg:?} is {how:?} after it was {before:?}")),
        }
    }

    fn copy(
        &mut self,
        msg: Msg,
        of: ClientId,
        from: &[CopyState],
        to: CopyState,
    ) -> Result<(), String> {
        let state = self.copies.get_mut(&(msg, of));
        match state {
            Some(state) => {
                let fits =
                    from.iter().any(|f| std::mem::discriminant(f) == std::mem::discriminant(state));
                if !fits {
                    return Err(format!(
                        "the copy of {msg:?} for {of:?} is {to:?} after it was {state:?}"
                    ));
                }
                *state = to;
                Ok(())
            }
            None => Err(format!("the copy of {msg:?} for {of:?} was never sent")),
        }
    }
}

const ON_THE_WAY: CopyState = CopyState::OnTheWay(Time::ZERO);

impl Check for Fates {
    fn seen(&mut self, ledger: &Ledger<'_>, seen: &Seen) -> Result<(), String> {
        let Seen::Event(at, event) = seen else { return Ok(()) };
        match *event {
            Event::Published { msg, .. } => {
                if self.published.insert(msg, *at).is_some() {
                    return Err(format!("{msg:?} is published a second time"));
                }
                if let Some(Message::Published { step, n }) = ledger.source(msg)
                    && let Some(before) = self.places.insert((step, n), msg)
                {
                    let retries = matches!(
                        &ledger.run.trace.scenario.timeline[step as usize].op,
                        Op::Publish(publish) if publish.retry
                    );
                    if !retries || self.failed.get(&before) != Some(&Refusal::Timeout) {
                        return Err(format!(
                            "message {n} of step {step} is published a second time"
                        ));
                    }
                }
                if msg.0 >= ledger.messages() {
                    return Err(format!("{msg:?} was not announced"));
                }
                Ok(())
            }
            Event::PubFailed { msg, why, .. } => {
                self.failed.insert(msg, why);
                if self.acked.contains(&msg) {
                    return Err(format!("{msg:?} was confirmed, and then it failed: {why:?}"));
                }
                match (why, self.received.get(&msg)) {
                    (Refusal::Disconnected | Refusal::BufferFull, Some(how)) => {
                        Err(format!("{msg:?} never left its publisher, yet it is {how:?}"))
                    }
                    _ => Ok(()),
                }
            }
            Event::PubAcked { msg, stream, seq, duplicate, .. } => {
                self.acked.insert(msg);
                let known = match self.received.get(&msg) {
                    Some(Reception::Deduplicated) => duplicate,
                    Some(Reception::Kept | Reception::Removed | Reception::NotKept) => !duplicate,
                    _ => false,
                };
                match known {
                    true => Ok(()),
                    false => Err(format!(
                        "{msg:?} is acknowledged as {seq} of {stream:?}, but was not stored"
                    )),
                }
            }
            Event::Stored { msg, .. } => self.receive(msg, Reception::Kept),
            Event::NotKept { msg, stream, .. } => {
                let subject = ledger.subject(msg);
                if ledger.readers(stream).any(|(_, life)| life.wants(&subject)) {
                    return Err(format!("{msg:?} is not kept, but a consumer wants it"));
                }
                self.receive(msg, Reception::NotKept)
            }
            Event::Deduplicated { msg, .. } => self.receive(msg, Reception::Deduplicated),
            Event::Refused { msg, .. } => self.receive(msg, Reception::Refused),
            Event::Unheard { msg } => {
                let subject = ledger.subject(msg);
                let captured = ledger
                    .streams
                    .iter()
                    .flatten()
                    .find(|s| s.config.subjects.iter().any(|p| matches(p, &subject)));
                match captured.filter(|_| ledger.up) {
                    Some(stream) => Err(format!(
                        "{msg:?} on `{subject}` is unheard, but stream `{}` captures it",
                        stream.config.name
                    )),
                    None => self.receive(msg, Reception::Unheard),
                }
            }
            Event::Removed { msg, .. } => match self.received.insert(msg, Reception::Removed) {
                Some(Reception::Kept) => Ok(()),
                before => Err(format!("{msg:?} is removed after it was {before:?}")),
            },
            Event::Routed { msg, to } => {
                self.heard.insert(msg);
                match self.copies.insert((msg, to), CopyState::OnTheWay(*at)) {
                    None => Ok(()),
                    Some(_) => Err(format!("{msg:?} is copied to {to:?} a second time")),
                }
            }
            Event::Received { msg, by, .. } => {
                self.copy(msg, by, &[ON_THE_WAY], CopyState::Waiting)
            }
            Event::HandlerStarted { msg, by } => {
                self.copy(msg, by, &[CopyState::Waiting], CopyState::Handling)
            }
            Event::HandlerDone { msg, by } => {
                self.copy(msg, by, &[CopyState::Handling], CopyState::Handled)
            }
            Event::Dropped { msg, why: Drop::Loss, .. } if !self.heard.contains(&msg) => {
                self.receive(msg, Reception::LostOnTheWay)
            }
            Event::Dropped { msg, by, .. } => self.copy(
                msg,
                by,
                &[ON_THE_WAY, CopyState::Waiting, CopyState::Handling],
                CopyState::Dropped,
            ),
            Event::Stalled { by } => {
                self.stalled.insert(by);
                Ok(())
            }
            Event::Resumed { by } => {
                self.stalled.remove(&by);
                Ok(())
            }
            Event::Delivered { delivery, .. } => {
                let Some(life) = ledger.life(delivery.consumer) else {
                    return Err("a consumer that does not exist delivers".into());
                };
                let kept = ledger.stream(life.stream).and_then(|s| s.kept.get(&delivery.seq));
                match kept {
                    Some(kept) if kept.msg == delivery.msg => {}
                    _ => {
                        return Err(format!(
                            "{:?} is delivered but not kept as {}",
                            delivery.msg, delivery.seq
                        ));
                    }
                }
                if life.settled.contains(&delivery.seq) {
                    return Err(format!(
                        "{}: {:?} is delivered after it was settled",
                        life.kind(),
                        delivery.msg
                    ));
                }
                if life.spent.contains_key(&delivery.seq) {
                    let kind = life.kind();
                    return Err(format!(
                        "{kind}: {:?} is delivered after it ran out of deliveries",
                        delivery.msg
                    ));
                }
                Ok(())
            }
            Event::Exhausted { delivery, .. } => {
                let Some(life) = ledger.life(delivery.consumer) else {
                    return Err("its consumer does not exist".into());
                };
                match life.pending.contains_key(&delivery.seq) {
                    true => Ok(()),
                    false => Err(format!(
                        "{}: {:?} runs out of deliveries, but is not in flight",
                        life.kind(),
                        delivery.msg
                    )),
                }
            }
            Event::ServerStopped => {
                self.stopped = Some(*at);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn end(&mut self, ledger: &Ledger<'_>, run: &Run, complete: bool) -> Result<(), String> {
        if !complete {
            return Ok(());
        }
        let scenario = &run.trace.scenario;
        let (end, delay) = (run.trace.end, scenario.network_delay);
        for (&msg, &at) in &self.published {
            if self.received.contains_key(&msg) || self.heard.contains(&msg) {
                continue;
            }
            let failed =
                matches!(self.failed.get(&msg), Some(Refusal::Disconnected | Refusal::BufferFull));
            let on_the_way = at + delay > end;
            // Kept by its publisher until that is connected again (R11).
            let longest =
                scenario.publishers.iter().map(|p| p.reconnect_wait).max().unwrap_or(Dur::ZERO);
            let waits = self
                .stopped
                .is_some_and(|_| !ledger.up || ledger.started.max(at) + longest + delay > end);
            if !failed && !on_the_way && !waits {
                return Err(format!("nobody knows what became of {msg:?}, published at {at:?}"));
            }
        }
        for (&(msg, of), &state) in &self.copies {
            if let CopyState::OnTheWay(at) = state
                && at + delay <= end
                && !self.stalled.contains(&of)
            {
                return Err(format!(
                    "nobody knows what became of the copy of {msg:?} for {of:?}, sent at {at:?}"
                ));
            }
        }
        // A stored message is in one place on each consumer that wants it.
        for (i, life) in ledger.lives.iter().enumerate() {
            let Some(life) = life else { continue };
            let Some(stream) = ledger.stream(life.stream) else { continue };
            for (&seq, kept) in &stream.kept {
                let places = [
                    life.unseen.contains(&seq),
                    life.unsure.contains(&seq),
                    life.pending.contains_key(&seq),
                    life.spent.contains_key(&seq),
                    life.settled.contains(&seq),
                ];
                let n = places.iter().filter(|p| **p).count();
                let excused = seq < life.start || life.refiltered;
                if n > 1 || (n == 0 && life.wants(&kept.subject) && !excused) {
                    return Err(format!(
                        "message {seq} is in {n} places on consumer {i} (unseen, unsure, pending, exhausted, settled): {places:?}"
                    ));
                }
            }
        }
        Ok(())
    }
}

/// A message that left its stream because it was settled.
struct Settling {
    /// Whether a consumer got done with it in the same moment.
    done: bool,
    /// Consumers on which it had run out of deliveries: they need it until a late answer (R30).
    holders: Vec<ConsumerId>,
}

/// Checks the reason of every removal and refusal.
#[derive(Default)]
pub(crate) struct Removals {
    /// Messages removed as settled in this moment.
    settling: BTreeMap<(StreamId, u64), Settling>,
    /// Consumers that are done with a message in this moment.
    done: BTreeSet<(StreamId, u64)>,
    /// Streams that lost a consumer.
    disturbed: BTreeSet<StreamId>,
    ids: BTreeMap<(String, String), (u64, Time)>,
    restarted: bool,
}

impl Removals {
    /// The message id that a message carries; empty where it has none.
    fn id_of(ledger: &Ledger<'_>, msg: Msg) -> String {
        let trace = &ledger.run.trace;
        match ledger.source(msg) {
            Some(Message::Published { step, n }) => {
                match &trace.scenario.timeline[step as usize].op {
                    Op::Publish(publish) if publish.without_id => String::new(),
                    Op::Publish(publish) => publish.msg_id.replace("{i}", &n.to_string()),
                    _ => String::new(),
                }
            }
            Some(Message::Copy { consumer, seq, .. }) => {
                let with_id = trace.scenario.dead_letter_handlers.iter().all(|h| h.message_id);
                let name = &trace.consumers[consumer.0 as usize];
                match with_id {
                    true => {
                        format!("{}.{}.{seq}", trace.streams[name.stream.0 as usize], name.name)
                    }
                    false => String::new(),
                }
            }
            _ => String::new(),
        }
    }
}

impl Check for Removals {
    fn seen(&mut self, ledger: &Ledger<'_>, seen: &Seen) -> Result<(), String> {
        let Seen::Event(at, event) = seen else { return Ok(()) };
        match *event {
            Event::Removed { msg, stream: id, seq, why } => {
                let Some(stream) = ledger.stream(id) else {
                    return Err("its stream does not exist".into());
                };
                let Some(kept) = stream.kept.get(&seq) else {
                    return Err(format!("{seq} is not kept"));
                };
                let config = &stream.config;
                let wanted = || {
                    let waits =
                        |life: &Life| life.wants(&kept.subject) && life.unseen.contains(&seq);
                    match ledger.readers(id).find(|(_, life)| waits(life)) {
                        Some((id, _)) => Err(format!("{id:?} has yet to deliver {msg:?}")),
                        None => Ok(()),
                    }
                };
                let over =
                    |limit: i64, have: usize| limit > 0 && have as u64 > limit.unsigned_abs();
                match why {
                    Removal::Settled if config.retention == Retention::Limits => {
                        Err("acks remove nothing under limits (R26)".into())
                    }
                    Removal::Settled => {
                        let spent = |life: &Life| {
                            life.config.ack_policy == AckPolicy::Explicit
                                && life.spent.contains_key(&seq)
                        };
                        let holders = ledger
                            .readers(id)
                            .filter(|(_, l)| spent(l))
                            .map(|(id, _)| id)
                            .collect();
                        self.settling.insert((id, seq), Settling { done: false, holders });
                        match config.retention {
                            Retention::Interest => wanted(),
                            _ => Ok(()),
                        }
                    }
                    Removal::NoInterest if config.retention == Retention::Interest => wanted(),
                    Removal::NoInterest => {
                        Err(format!("no interest counts under {:?}", config.retention))
                    }
                    Removal::Age => match config.max_age > Dur::ZERO
                        && kept.at + config.max_age <= *at
                    {
                        true => Ok(()),
                        false => {
                            Err(format!("it was stored at {:?}: too young to be removed", kept.at))
                        }
                    },
                    Removal::SubjectLimit => {
                        let of_subject =
                            stream.kept.values().filter(|k| k.subject == kept.subject).count();
                        match over(config.max_msgs_per_subject, of_subject) {
                            true => Ok(()),
                            false => Err(format!("only {of_subject} of its subject are kept")),
                        }
                    }
                    Removal::Limit => {
                        let first = stream.kept.keys().next() == Some(&seq);
                        match first
                            && (over(config.max_msgs, stream.kept.len()) || config.max_bytes > 0)
                        {
                            true => Ok(()),
                            false => {
                                Err(format!("{} are kept: within the limit", stream.kept.len()))
                            }
                        }
                    }
                    Removal::Deleted | Removal::Purged => Ok(()),
                }
            }
            Event::Refused { stream: id, why, msg } => {
                let Some(stream) = ledger.stream(id) else {
                    return Err("its stream does not exist".into());
                };
                let config = &stream.config;
                let full =
                    |limit: i64, have: usize| limit > 0 && have as u64 >= limit.unsigned_abs();
                let subject = ledger.subject(msg);
                let fits = match why {
                    Refusal::MaxMsgs => full(config.max_msgs, stream.kept.len()),
                    Refusal::MaxBytes => config.max_bytes > 0,
                    Refusal::MaxMsgsPerSubject => {
                        let of_subject =
                            stream.kept.values().filter(|k| k.subject == subject).count();
                        config.discard_new_per_subject
                            && full(config.max_msgs_per_subject, of_subject)
                    }
                    _ => false,
                };
                match fits && config.discard == Discard::New {
                    true => Ok(()),
                    false => Err(format!("refused with {why:?}, but there is room")),
                }
            }
            Event::Stored { msg, stream: id, seq } => {
                let Some(stream) = ledger.stream(id) else {
                    return Err("its stream does not exist".into());
                };
                if seq != stream.last_seq + 1 {
                    return Err(format!("it gets {seq} after {}", stream.last_seq));
                }
                let subject = ledger.subject(msg);
                if !stream.config.subjects.iter().any(|p| matches(p, &subject)) {
                    return Err(format!(
                        "stream `{}` does not capture `{subject}`",
                        stream.config.name
                    ));
                }
                let config = &stream.config;
                if config.discard == Discard::New
                    && config.max_msgs > 0
                    && stream.kept.len() as u64 >= config.max_msgs.unsigned_abs()
                {
                    return Err(format!("{} are kept: the stream is full", stream.kept.len()));
                }
                let id = Self::id_of(ledger, msg);
                if !id.is_empty() {
                    let key = (config.name.clone(), id);
                    if let Some((original, stored)) = self.ids.insert(key, (seq, *at))
                        && at.since(stored) < config.duplicate_window
                        && !self.restarted
                    {
                        return Err(format!(
                            "its id is that of {original}, stored at {stored:?}: a duplicate"
                        ));
                    }
                }
                Ok(())
            }
            Event::NotKept { msg, stream: id, seq } => {
                let Some(stream) = ledger.stream(id) else {
                    return Err("its stream does not exist".into());
                };
                if seq != stream.last_seq + 1 {
                    return Err(format!("it gets {seq} after {}", stream.last_seq));
                }
                let key = (stream.config.name.clone(), Self::id_of(ledger, msg));
                self.ids.insert(key, (seq, *at));
                match stream.config.retention {
                    Retention::Interest => Ok(()),
                    other => Err(format!("every message is kept under {other:?}")),
                }
            }
            Event::Deduplicated { msg, stream: id, seq } => {
                let Some(stream) = ledger.stream(id) else {
                    return Err("its stream does not exist".into());
                };
                let key = (stream.config.name.clone(), Self::id_of(ledger, msg));
                match self.ids.get(&key) {
                    Some(&(original, stored))
                        if original == seq && at.since(stored) < stream.config.duplicate_window =>
                    {
                        Ok(())
                    }
                    Some(known) => {
                        Err(format!("the original is {known:?}, not {seq} inside the window"))
                    }
                    // Copies of handlers of which only some send an id are not followed.
                    None if matches!(ledger.source(msg), Some(Message::Copy { .. })) => Ok(()),
                    None => Err("there is no original".into()),
                }
            }
            Event::ServerStarted => {
                self.restarted = true;
                Ok(())
            }
            Event::ConsumerDeleted { consumer, .. } => {
                self.disturbed.insert(ledger.run.trace.consumers[consumer.0 as usize].stream);
                Ok(())
            }
            Event::Recorded { delivery, reply: Reply::Ack | Reply::Term, effect } => {
                let Some(life) = ledger.life(delivery.consumer) else { return Ok(()) };
                self.done.insert((life.stream, delivery.seq));
                // One for all lets go of what had run out of deliveries below as well (R41).
                if effect == Effect::Settled && life.config.ack_policy == AckPolicy::All {
                    let spent = (life.stream, 0)..=(life.stream, delivery.seq);
                    self.done.extend(life.settled.iter().map(|&seq| (life.stream, seq)));
                    for (_, settling) in self.settling.range_mut(spent) {
                        settling.done = true;
                        settling.holders.retain(|id| *id != delivery.consumer);
                    }
                }
                if let Some(settling) = self.settling.get_mut(&(life.stream, delivery.seq)) {
                    settling.done = true;
                    settling.holders.retain(|id| *id != delivery.consumer);
                }
                Ok(())
            }
            Event::Delivered { delivery, .. } => {
                if let Some(life) = ledger.life(delivery.consumer) {
                    self.done.insert((life.stream, delivery.seq));
                }
                Ok(())
            }
            Event::Advised { advisory: Advisory::TerminatedByRemoval, consumer, seq, .. } => {
                let stream = ledger.run.trace.consumers[consumer.0 as usize].stream;
                // One whose filter changed may hold what it has no need of any more.
                let refiltered = ledger.life(consumer).is_some_and(|life| life.refiltered);
                match self.settling.contains_key(&(stream, seq)) && !refiltered {
                    true => Err(format!("{seq} was removed as settled while {consumer:?} held it")),
                    false => Ok(()),
                }
            }
            Event::Dropped { by, why: Drop::Loss, .. } => {
                let name = &ledger.run.trace.clients[by.0 as usize].name;
                let scenario = &ledger.run.trace.scenario;
                let scripted = scenario.timeline.iter().filter_map(|s| match &s.op {
                    Op::Subscribe(s) => Some(s),
                    _ => None,
                });
                let lossy = scenario
                    .subscribers
                    .iter()
                    .chain(scripted)
                    .any(|s| s.name == *name && s.loss_chance.0 > 0);
                // Of a publisher it is a message on its way to the server.
                let lossy = lossy
                    || scenario.timeline.iter().any(|step| match &step.op {
                        Op::Publish(p) => p.by == *name && p.lost_chance.0 > 0,
                        _ => false,
                    });
                match lossy {
                    true => Ok(()),
                    false => Err(format!("nothing gets lost on the way to or from `{name}`")),
                }
            }
            _ => Ok(()),
        }
    }
    fn moment(&mut self, ledger: &Ledger<'_>, _now: Time) -> Result<(), String> {
        let done = std::mem::take(&mut self.done);
        for ((stream, seq), settling) in std::mem::take(&mut self.settling) {
            if !settling.done && !done.contains(&(stream, seq)) {
                return Err(format!(
                    "{seq} of {stream:?} was removed as settled, but nobody settled it"
                ));
            }
            if let Some(id) = settling.holders.first() {
                return Err(format!(
                    "{seq} of {stream:?} was removed as settled, but ran out of deliveries on {id:?}"
                ));
            }
        }
        for (i, stream) in ledger.streams.iter().enumerate() {
            let Some(stream) = stream else { continue };
            let id = StreamId(i as u16);
            let config = &stream.config;
            let over = |limit: i64| limit > 0 && stream.kept.len() as u64 > limit.unsigned_abs();
            if over(config.max_msgs) {
                return Err(format!(
                    "stream `{}` keeps {} messages",
                    config.name,
                    stream.kept.len()
                ));
            }
            if config.max_msgs_per_subject > 0 {
                let mut of: BTreeMap<&str, u64> = BTreeMap::new();
                for kept in stream.kept.values() {
                    *of.entry(&kept.subject).or_default() += 1;
                }
                // With discard new, only on request (R23).
                let counts = config.discard == Discard::Old || config.discard_new_per_subject;
                if let Some((subject, n)) = of
                    .iter()
                    .find(|(_, n)| **n > config.max_msgs_per_subject.unsigned_abs() && counts)
                {
                    return Err(format!(
                        "stream `{}` keeps {n} messages of `{subject}`",
                        config.name
                    ));
                }
            }
            // What everybody is done with does not stay (R27, R29). A deleted consumer or another filter may
            // leave something behind (R110).
            if config.retention == Retention::Limits || self.disturbed.contains(&id) {
                continue;
            }
            let readers: Vec<&Life> = ledger.readers(id).map(|(_, life)| life).collect();
            if readers.iter().any(|l| l.config.ack_policy != AckPolicy::Explicit || l.refiltered) {
                continue;
            }
            for (seq, kept) in &stream.kept {
                let mut wanting = readers.iter().filter(|l| l.wants(&kept.subject)).peekable();
                let stays = match config.retention {
                    Retention::WorkQueue => !readers.iter().any(|l| l.settled.contains(seq)),
                    _ => wanting.any(|l| l.needs(*seq) || *seq < l.start),
                };
                if !stays {
                    return Err(format!(
                        "{seq} stays in stream `{}`, but everybody is done with it",
                        config.name
                    ));
                }
            }
        }
        Ok(())
    }
}
