//! Where messages are outside their consumers, put together from the events of a trace: how they are sent, where they are kept,
//! which subscribers hear them, and what work on them brings about.

use delivery_sim::order::sorted;
use delivery_sim::scenario::{AckPolicy, Op, Via};
use delivery_sim::trace::{
    ClientId, ConsumerId, Drop, Event, Message, Msg, Refusal, Removal, Reply, StreamId, Trace,
};
use delivery_sim::{Dur, Time};

use crate::story::{Life, Over, Story, ack_policy};

/// All that happens to messages outside their consumers, each list in the order in which it began.
#[derive(Default)]
pub(crate) struct Ways {
    pub(crate) sent: Vec<Sent>,
    pub(crate) kept: Vec<Kept>,
    pub(crate) copies: Vec<Copy>,
    pub(crate) effects: Vec<Committed>,
    pub(crate) counted: Vec<Counted>,
}

/// A message from its publisher to what became of it.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) msg: Msg,
    pub(crate) by: ClientId,
    pub(crate) at: Time,
    /// When it left its client: later than `at` if it waited in the client's buffer. None if it never did.
    pub(crate) left: Option<Time>,
    pub(crate) fate: Fate,
}

/// What became of a message when it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Not known: it did not get through before the end.
    Open,
    Kept(StreamId),
    /// Its id was known.
    Known(StreamId),
    /// The stream refused it.
    Refused(StreamId),
    /// No consumer of the stream wants it, so it is not kept.
    NotKept(StreamId),
    /// Nobody heard it.
    Unheard,
    /// It went to subscribers alone.
    Passed,
    /// It never came to the server.
    Unsent(Refusal),
}

/// A message in a stream.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub(crate) msg: Msg,
    pub(crate) stream: StreamId,
    pub(crate) from: Time,
    pub(crate) gone: Option<(Time, Removal)>,
}

/// A copy of Core NATS on its way to a subscriber.
#[derive(Clone, Debug)]
pub(crate) struct Copy {
    pub(crate) msg: Msg,
    pub(crate) to: ClientId,
    pub(crate) sent: Time,
    /// When it is at its subscriber if nothing holds it up.
    pub(crate) due: Time,
    /// When it was received, when its handler began, when that was done, and when it was dropped.
    steps: [Option<Time>; 4],
    why: Drop,
}

impl Sent {
    /// From when to when something of it is to be seen in a run that ends at `end`.
    pub(crate) fn span(&self, end: Time) -> (Time, Time) {
        let last = if self.fate == Fate::Open { end } else { self.at };
        (self.at, self.left.unwrap_or(last))
    }
}

impl Kept {
    /// The same for a message in a stream.
    pub(crate) fn span(&self, end: Time) -> (Time, Time) {
        (self.from, self.gone.map_or(end, |(at, _)| at))
    }
}

impl Copy {
    /// The same for a copy.
    pub(crate) fn span(&self, end: Time) -> (Time, Time) {
        (self.sent, self.done().or(self.steps[3]).unwrap_or(end))
    }

    pub(crate) fn received(&self) -> Option<Time> {
        self.steps[0]
    }

    pub(crate) fn started(&self) -> Option<Time> {
        self.steps[1]
    }

    pub(crate) fn done(&self) -> Option<Time> {
        self.steps[2]
    }

    pub(crate) fn dropped(&self) -> Option<(Time, Drop)> {
        Some((self.steps[3]?, self.why))
    }
}

/// A side effect of work.
#[derive(Clone, Debug)]
pub(crate) struct Committed {
    pub(crate) msg: Msg,
    /// For which consumer it was worked on: each has an effect of its own.
    pub(crate) consumer: ConsumerId,
    pub(crate) by: ClientId,
    pub(crate) attempt: u32,
    pub(crate) at: Time,
    /// How often the effect of this payload is there now; zero if this commit changed nothing.
    pub(crate) times: u32,
    /// Whether no commit of this payload follows that changes anything.
    pub(crate) last: bool,
}

/// Whether the sender of a message waits for a PubAck or a reply, and so gets an error where nobody takes the message (R7, R15).
pub(crate) fn is_told(trace: &Trace, msg: Msg) -> bool {
    let Some(&Message::Published { step, .. }) = trace.messages.get(msg.0 as usize) else {
        return false;
    };
    match trace.scenario.timeline.get(step as usize).map(|step| &step.op) {
        Some(Op::Publish(publish)) => publish.via == Via::Js,
        op => matches!(op, Some(Op::Request(_))),
    }
}

/// What a subscriber has counted when it is done with a message (the scenario's `counts`).
pub(crate) struct Counted {
    pub(crate) at: Time,
    pub(crate) by: ClientId,
    pub(crate) msg: Msg,
    /// The count that it keeps.
    pub(crate) kept: u32,
    /// The count that is true of this message.
    pub(crate) real: u32,
}

/// All that subscribers count, in order.
pub(crate) fn standings(trace: &Trace) -> Vec<Counted> {
    let mut all: Vec<Counted> = Vec::new();
    for spec in trace.scenario.subscribers.iter().filter(|spec| spec.counts) {
        let mut kept = 0;
        for record in &trace.records {
            if let Event::HandlerDone { msg, by } = record.event
                && trace.clients[usize::from(by.0)].name == spec.name
                && let Some(&Message::Published { n: real, .. }) =
                    trace.messages.get(msg.0 as usize)
            {
                let whole = spec.whole_every > 0 && real % spec.whole_every == 0;
                kept = if whole { real } else { kept + 1 };
                all.push(Counted { at: record.at, by, msg, kept, real });
            }
        }
    }
    all
}

impl Ways {
    /// Reads a run.
    pub(crate) fn new(trace: &Trace) -> Self {
        let mut ways = Self::default();
        // Where the entries of a message begin, and its place in a stream; copies of a message lie one after another.
        let mut first = vec![[usize::MAX; 3]; trace.messages.len()];
        for record in &trace.records {
            ways.read(record.at, record.event, trace, &mut first);
        }
        ways.effects = effects(trace);
        ways.counted = standings(trace);
        ways
    }

    fn read(&mut self, at: Time, event: Event, trace: &Trace, first: &mut [[usize; 3]]) {
        let hop = trace.scenario.network_delay;
        match event {
            Event::Published { msg, by } => {
                if let Some(slot) = first.get_mut(msg.0 as usize) {
                    slot[0] = self.sent.len();
                }
                self.sent.push(Sent { msg, by, at, left: None, fate: Fate::Open });
            }
            Event::Stored { msg, stream, .. } => {
                if let Some(slot) = first.get_mut(msg.0 as usize) {
                    slot[1] = self.kept.len();
                }
                self.kept.push(Kept { msg, stream, from: at, gone: None });
                self.end(msg, at, hop, Fate::Kept(stream), first);
            }
            Event::Deduplicated { msg, stream, .. } => {
                self.end(msg, at, hop, Fate::Known(stream), first);
            }
            Event::NotKept { msg, stream, .. } => {
                self.end(msg, at, hop, Fate::NotKept(stream), first);
            }
            Event::Refused { msg, stream, .. } => {
                self.end(msg, at, hop, Fate::Refused(stream), first);
            }
            Event::Unheard { msg } => self.end(msg, at, hop, Fate::Unheard, first),
            Event::PubFailed { msg, why, .. } => {
                if matches!(why, Refusal::BufferFull | Refusal::Disconnected)
                    && let Some(sent) = self.sent.get_mut(place(first, msg, 0))
                    && sent.fate == Fate::Open
                {
                    sent.fate = Fate::Unsent(why);
                }
            }
            Event::Removed { msg, stream, why, .. } => {
                if let Some(kept) = self.kept.get_mut(place(first, msg, 1))
                    && kept.stream == stream
                {
                    kept.gone.get_or_insert((at, why));
                }
            }
            Event::Routed { msg, to } => {
                self.end(msg, at, hop, Fate::Passed, first);
                if let Some(slot) = first.get_mut(msg.0 as usize) {
                    slot[2] = slot[2].min(self.copies.len());
                }
                self.copies.push(Copy {
                    msg,
                    to,
                    sent: at,
                    due: at + hop,
                    steps: [None; 4],
                    why: Drop::Loss,
                });
            }
            Event::Received { msg, by, .. } => self.step(msg, by, 0, at, first),
            Event::HandlerStarted { msg, by } => self.step(msg, by, 1, at, first),
            Event::HandlerDone { msg, by } => self.step(msg, by, 2, at, first),
            Event::Dropped { msg, by, why } => {
                self.step(msg, by, 3, at, first);
                if let Some(copy) = self.copy(msg, by, first) {
                    copy.why = why;
                } else if let Some(sent) = self.sent.get_mut(place(first, msg, 0))
                    && sent.fate == Fate::Open
                {
                    // On its way to the server.
                    sent.fate = Fate::Unsent(Refusal::Timeout);
                }
            }
            _ => {}
        }
    }

    /// Notes what became of a message. That a stream keeps it counts for more than that a subscriber heard it too.
    fn end(&mut self, msg: Msg, at: Time, hop: Dur, fate: Fate, first: &[[usize; 3]]) {
        if let Some(sent) = self.sent.get_mut(place(first, msg, 0))
            && !matches!(sent.fate, Fate::Kept(_))
        {
            sent.fate = fate;
            sent.left = Some(Time(at.0.saturating_sub(hop.0)).max(sent.at));
        }
    }

    fn step(&mut self, msg: Msg, by: ClientId, step: usize, at: Time, first: &[[usize; 3]]) {
        if let Some(copy) = self.copy(msg, by, first) {
            copy.steps[step] = Some(at);
        }
    }

    fn copy(&mut self, msg: Msg, by: ClientId, first: &[[usize; 3]]) -> Option<&mut Copy> {
        let from = place(first, msg, 2);
        self.copies.get_mut(from..)?.iter_mut().find(|copy| copy.to == by)
    }
}

/// Whether a message got lost on its way to the server and was published again: then it is its successor that counts.
pub(crate) fn retried(trace: &Trace, msg: Msg) -> bool {
    let after = trace.messages.get(msg.0 as usize..).unwrap_or_default();
    matches!(after, [Message::Published { .. }, rest @ ..] if rest.contains(&after[0]))
}

/// Side effects, in order. What was committed is known by its payload: a message that was sent twice has one effect, or two.
pub(crate) fn effects(trace: &Trace) -> Vec<Committed> {
    let mut effects = Vec::new();
    let mut known = Vec::new();
    for record in &trace.records {
        let Event::WorkDone { delivery, by, changed } = record.event else { continue };
        let (msg, consumer, attempt) = (delivery.msg, delivery.consumer, delivery.attempt);
        if changed {
            known.push((consumer, trace.label(msg), effects.len()));
        }
        effects.push(Committed { msg, consumer, by, attempt, at: record.at, times: 0, last: true });
    }
    let mut before: Option<(ConsumerId, String, usize)> = None;
    for (consumer, payload, place) in sorted(known, Ord::cmp) {
        effects[place].times = match before {
            Some((c, p, other)) if c == consumer && p == payload => {
                effects[other].last = false;
                effects[other].times + 1
            }
            _ => 1,
        };
        before = Some((consumer, payload, place));
    }
    effects
}

fn place(first: &[[usize; 3]], msg: Msg, kind: usize) -> usize {
    first.get(msg.0 as usize).map_or(usize::MAX, |slot| slot[kind])
}

/// The message that people mean: of an advisory the one it is about, of a dead letter the original.
pub(crate) fn original(trace: &Trace, msg: Msg) -> Msg {
    match trace.messages.get(msg.0 as usize) {
        Some(&Message::Advisory { about, .. }) => about,
        Some(&Message::Copy { of, .. }) => of,
        _ => msg,
    }
}

/// The states of a message in a stream: from when on, and the class of its mark; one after another.
pub(crate) fn states(story: &Story<'_>, kept: &Kept) -> Vec<(Time, &'static str)> {
    let trace = story.trace;
    let dead = matches!(trace.messages.get(kept.msg.0 as usize), Some(Message::Copy { .. }));
    let fresh = if dead { "kept dead" } else { "kept stored" };
    let mut consumers = 0;
    let mut changes: Vec<(Time, u16, &'static str)> = Vec::new();
    for (place, consumer) in trace.consumers.iter().enumerate() {
        if consumer.stream != kept.stream {
            continue;
        }
        consumers += 1;
        let own = |life: &&Life| usize::from(life.delivery.consumer.0) == place;
        for life in story.of_msg(kept.msg).filter(own) {
            let id = life.delivery.consumer;
            // In order of time; at one moment in the order found.
            let mut add = |at: Time, state| {
                let place = changes.iter().rposition(|c| c.0 <= at).map_or(0, |place| place + 1);
                changes.insert(place, (at, id.0, state));
            };
            add(life.sent, if life.again() { "kept again" } else { "kept inflight" });
            if ack_policy(trace, id) == Some(AckPolicy::None) {
                add(life.sent, "kept acked");
            }
            if let Some((at, Over::Expired | Over::Nak | Over::Delay)) = life.over {
                add(at, "kept again");
            }
            if let Some((at, reply, _)) = life.settled {
                add(at, if reply == Reply::Term { "kept dead" } else { "kept acked" });
            }
            if let Some(at) = life.exhausted {
                add(at, "kept dead");
            }
        }
    }
    let mut now: Vec<(u16, &'static str)> = Vec::new();
    let mut states = vec![(kept.from, fresh)];
    for (at, consumer, state) in changes {
        match now.iter_mut().find(|(c, _)| *c == consumer) {
            // Late answers change nothing for a message that is settled.
            Some((_, old)) if *old == "kept acked" => {}
            Some((_, old)) => *old = state,
            None => now.push((consumer, state)),
        }
        // What still asks for attention on any consumer counts; it is acked when all have acked it.
        let any = |wanted: &&str| now.iter().any(|(_, s)| s == wanted);
        let rest = if now.len() == consumers { "kept acked" } else { fresh };
        let all =
            ["kept again", "kept inflight", "kept dead"].into_iter().find(any).unwrap_or(rest);
        match states.last_mut() {
            Some(last) if last.1 == all => {}
            Some(last) if last.0 == at => last.1 = all,
            _ => states.push((at, all)),
        }
    }
    states
}
