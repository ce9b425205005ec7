//! Counts what came of each payload, however many messages carried it.

use crate::scenario::{Op, Scenario, numbered};
use crate::time::Time;
use crate::trace::{ConsumerId, Event, Message, Msg, Observer, Trace};
use std::collections::HashMap;

/// Payloads of the user by what came of them: of an order that is in two messages, because its publisher tried again, the
/// business sees one order.
///
/// An effect counts for the consumer whose worker committed it. One that an idempotent write or a table of handled ids
/// found there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Payloads {
    /// Different payloads that were published.
    pub published: u64,
    /// Those without any effect at the end of the run.
    pub never: u64,
    /// Those with one effect for every consumer that had one.
    pub once: u64,
    /// Those with two effects or more for one consumer.
    pub again: u64,
}

/// Counts [`Payloads`] as a run goes. It remembers every message and every payload.
pub struct ByPayload<'a> {
    scenario: &'a Scenario,
    /// The payload of each message, by its place in `effects`; none for advisories.
    messages: Vec<Option<u32>>,
    places: HashMap<String, u32>,
    /// Of each payload, the effects by consumer.
    effects: Vec<Vec<(ConsumerId, u32)>>,
}

impl<'a> ByPayload<'a> {
    /// For a run of this scenario that is still to be made.
    pub fn new(scenario: &'a Scenario) -> Self {
        Self { scenario, messages: Vec::new(), places: HashMap::new(), effects: Vec::new() }
    }

    /// What came of the payloads of a run that was kept.
    pub fn of(trace: &Trace) -> Payloads {
        let mut counts = ByPayload::new(&trace.scenario);
        trace.messages.iter().for_each(|message| counts.message(*message));
        trace.records.iter().for_each(|record| counts.event(record.at, record.event));
        counts.finish()
    }

    /// What came of the payloads so far.
    pub fn finish(self) -> Payloads {
        let mut sum = Payloads { published: self.effects.len() as u64, ..Payloads::default() };
        for effects in &self.effects {
            *match effects.iter().map(|(_, times)| *times).max() {
                None => &mut sum.never,
                Some(1) => &mut sum.once,
                Some(_) => &mut sum.again,
            } += 1;
        }
        sum
    }

    fn payload_of(&self, msg: Msg) -> Option<u32> {
        *self.messages.get(msg.0 as usize)?
    }
}

impl Observer for ByPayload<'_> {
    fn message(&mut self, message: Message) {
        let place = match message {
            Message::Published { step, n } => {
                let step = self.scenario.timeline.get(step as usize).map(|step| &step.op);
                let payload = match step {
                    Some(Op::Publish(publish)) => numbered(&publish.data, n),
                    Some(Op::Request(request)) => request.data.clone(),
                    _ => String::new(),
                };
                let next = self.effects.len() as u32;
                let place = *self.places.entry(payload).or_insert(next);
                if place == next {
                    self.effects.push(Vec::new());
                }
                Some(place)
            }
            Message::Advisory { .. } => None,
            Message::Copy { of, .. } => self.payload_of(of),
        };
        self.messages.push(place);
    }

    fn event(&mut self, _at: Time, event: Event) {
        if let Event::WorkDone { delivery, changed: true, .. } = event
            && let Some(place) = self.payload_of(delivery.msg)
            && let Some(effects) = self.effects.get_mut(place as usize)
        {
            match effects.iter_mut().find(|(consumer, _)| *consumer == delivery.consumer) {
                Some((_, times)) => *times += 1,
                None => effects.push((delivery.consumer, 1)),
            }
        }
    }
}
