//! A run as an observer sees it, with what happens between the events.

use delivery_sim::scenario::Scenario;
use delivery_sim::trace::{CallAnswer, ConsumerId, Cut, Message};
use delivery_sim::{ConsumerInfo, Dur, Event, Observer, Record, Time, Trace, run, run_with};

/// One thing that an observer is told.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Seen {
    Event(Time, Event),
    Message(Message),
    Info(Time, ConsumerId, ConsumerInfo),
    Answer(CallAnswer),
}

impl Seen {
    /// Its moment, if it has one.
    pub(crate) fn at(&self) -> Option<Time> {
        match self {
            Self::Event(at, _) | Self::Info(at, ..) => Some(*at),
            Self::Message(_) | Self::Answer(_) => None,
        }
    }
}

/// Keeps what it is told, up to a limit.
struct Watch {
    seen: Vec<Seen>,
    limit: usize,
}

impl Observer for Watch {
    const WANTS_INFO: bool = true;
    fn event(&mut self, at: Time, event: Event) {
        self.seen.push(Seen::Event(at, event));
    }
    fn message(&mut self, message: Message) {
        self.seen.push(Seen::Message(message));
    }
    fn info(&mut self, at: Time, consumer: ConsumerId, info: ConsumerInfo) {
        self.seen.push(Seen::Info(at, consumer, info));
    }
    fn answer(&mut self, answer: CallAnswer) {
        self.seen.push(Seen::Answer(answer));
    }
    fn is_full(&self) -> bool {
        self.seen.len() >= self.limit
    }
}

/// Counts events without keeping them, and without asking for counters.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) events: Vec<u64>,
    pub(crate) messages: u64,
    pub(crate) answers: u64,
    limit: u64,
}

impl Tally {
    pub(crate) fn new(limit: u64) -> Self {
        Self { limit, ..Self::default() }
    }

    /// All that it was told.
    pub(crate) fn seen(&self) -> u64 {
        self.events.iter().sum::<u64>() + self.messages + self.answers
    }

    pub(crate) fn count(&mut self, event: &Event) {
        let kind = kind(event);
        if self.events.len() <= kind {
            self.events.resize(kind + 1, 0);
        }
        self.events[kind] += 1;
    }
}

impl Observer for Tally {
    fn event(&mut self, _at: Time, event: Event) {
        self.count(&event);
    }
    fn message(&mut self, _message: Message) {
        self.messages += 1;
    }
    fn answer(&mut self, _answer: CallAnswer) {
        self.answers += 1;
    }
    fn is_full(&self) -> bool {
        self.seen() >= self.limit
    }
}

/// A number for the kind of an event.
fn kind(event: &Event) -> usize {
    match event {
        Event::Published { .. } => 0,
        Event::Stored { .. } => 1,
        Event::Delivered { .. } => 2,
        Event::Arrived { .. } => 3,
        Event::Recorded { .. } => 4,
        Event::Expired { .. } => 5,
        Event::Removed { .. } => 6,
        Event::Routed { .. } => 7,
        Event::Dropped { .. } => 8,
        Event::PullEnded { .. } => 9,
        Event::Answered { .. } => 10,
        Event::Replied { .. } => 11,
        _ => 12,
    }
}

/// What a run showed.
pub(crate) struct Run {
    pub(crate) seen: Vec<Seen>,
    pub(crate) cut: Option<Cut>,
    /// The same, as a trace: with names.
    pub(crate) trace: Trace,
    /// The step that each answer belongs to, and when the server gave it, where its reply arrived in time.
    pub(crate) answers: Vec<Option<(u32, Time)>>,
}

/// Runs a scenario up to about `limit` things seen.
pub(crate) fn watch(scenario: &Scenario, limit: usize) -> Result<Run, Vec<String>> {
    let mut watch = Watch { seen: Vec::new(), limit };
    let cut = run_with(scenario, &mut watch)?;
    // Names do not depend on the end; with a long way to the server nothing happens at the first moment.
    let quiet = Scenario { end: Time::ZERO, network_delay: Dur::secs(1), ..scenario.clone() };
    let mut trace = run(&quiet)?;
    trace.scenario = scenario.clone();
    (trace.messages, trace.records, trace.infos, trace.answers) = Default::default();
    for seen in &watch.seen {
        match seen {
            Seen::Event(at, event) => trace.records.push(Record { at: *at, event: *event }),
            Seen::Message(message) => trace.messages.push(*message),
            Seen::Info(at, consumer, info) => trace.infos.push((*at, *consumer, *info)),
            Seen::Answer(answer) => trace.answers.push(answer.clone()),
        }
    }
    (trace.end, trace.cut) = (scenario.end, cut);
    let mut answers = vec![None; trace.answers.len()];
    for record in &trace.records {
        if let Event::Replied { step, answer } = record.event {
            answers[answer as usize] = Some((step, record.at - scenario.network_delay));
        }
    }
    Ok(Run { seen: watch.seen, cut, trace, answers })
}
