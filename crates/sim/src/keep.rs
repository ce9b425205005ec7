//! A run that is kept whole.

use crate::info::ConsumerInfo;
use crate::scenario::Scenario;
use crate::time::Time;
use crate::trace::{CallAnswer, ConsumerId, Cut, Event, Message, Observer, Record, Trace};

/// Most events that a kept run may have, if nobody says otherwise.
const MAX_RECORDS: usize = 4_000_000;

/// Keeps what it sees.
#[derive(Default)]
struct Keep {
    most: usize,
    messages: Vec<Message>,
    records: Vec<Record>,
    infos: Vec<(Time, ConsumerId, ConsumerInfo)>,
    answers: Vec<CallAnswer>,
    full: bool,
}

impl Observer for Keep {
    const WANTS_INFO: bool = true;

    fn event(&mut self, at: Time, event: Event) {
        if self.records.len() < self.most {
            self.records.push(Record { at, event });
        } else {
            self.full = true;
        }
    }
    fn message(&mut self, message: Message) {
        if !self.full {
            self.messages.push(message);
        }
    }
    fn info(&mut self, at: Time, consumer: ConsumerId, info: ConsumerInfo) {
        if !self.full {
            self.infos.push((at, consumer, info));
        }
    }
    fn answer(&mut self, answer: CallAnswer) {
        self.answers.push(answer);
    }
    fn is_full(&self) -> bool {
        self.full
    }
}

/// Runs a scenario to its end and keeps everything.
///
/// A run that makes more events than can be kept is cut short and says so in [`Trace::cut`].
///
/// # Errors
/// What is wrong with the scenario, a sentence each.
pub fn run(scenario: &Scenario) -> Result<Trace, Vec<String>> {
    run_within(scenario, MAX_RECORDS)
}

/// As [`run`], cut short after `most` events.
///
/// # Errors
/// What is wrong with the scenario, a sentence each.
pub fn run_within(scenario: &Scenario, most: usize) -> Result<Trace, Vec<String>> {
    let names = crate::check::check(scenario)?;
    let mut keep = Keep { most, ..Keep::default() };
    let ending = crate::engine::run(scenario, names, &mut keep);
    Ok(Trace {
        scenario: scenario.clone(),
        streams: ending.names.streams,
        consumers: ending.names.consumers,
        clients: ending.names.clients,
        messages: keep.messages,
        records: keep.records,
        infos: keep.infos,
        answers: keep.answers,
        end: scenario.end,
        cut: if keep.full { Some(Cut::Events) } else { ending.cut },
    })
}
