//! What the simulator did, in the terms of a case: the parts of `observed` as events.

use crate::case::{lane, reads_counters};
use crate::event::{Event, When, fields};
use crate::scenario::Script;
use crate::seen::{Key, Names, REMOVED, advisory_type, counters, key, stream_counters};
use crate::shown::effective;
use crate::stop::Stop;
use delivery_sim::trace::{Advisory, CallAnswer, ConsumerId, Drop, Effect, Reply, StreamId};
use delivery_sim::{Event as Sim, Time, Trace};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The parts of `observed` that a run gives, as events, up to `end`.
///
/// # Errors
/// [`Stop::Lacks`] for an answer that has no recorded form.
pub fn events(run: &Trace, script: &Script, end: Time) -> Result<Vec<Event>, Stop> {
    let mut told = Told {
        names: &Names::new(run, script),
        events: Vec::new(),
        sent: BTreeMap::new(),
        messages: BTreeMap::new(),
        reasons: BTreeMap::new(),
        totals: BTreeMap::new(),
    };
    for record in &run.records {
        // The counters at the end are asked for at `end`; their answers come a moment later.
        let in_time = record.at <= end || matches!(record.event, Sim::Replied { .. });
        if in_time && told.names.sees(record.at, record.event) {
            told.record(record.at, record.event)?;
        }
    }
    told.outcomes();
    told.core();
    Ok(told.events)
}

/// What came of a message of the stream.
#[derive(Default)]
struct Message {
    in_stream: bool,
    deliveries: u64,
    acked: bool,
    terminated: bool,
    advised: bool,
    removed: bool,
    /// Consumers that still wait for an answer.
    tracked_by: BTreeSet<u16>,
}

impl Message {
    fn outcome(&self) -> &'static str {
        match self {
            _ if self.acked => "acked",
            _ if self.terminated => "terminated",
            _ if self.advised => "max_deliver_exhausted",
            _ if self.deliveries == 0 => "never_delivered",
            _ if self.removed => "removed_before_ack",
            _ if !self.tracked_by.is_empty() => "in_flight",
            _ => "abandoned",
        }
    }
}

/// Collects events on its way through a run.
struct Told<'a> {
    names: &'a Names<'a>,
    events: Vec<Event>,
    /// The consumer sequence of each delivery.
    sent: BTreeMap<Key, u64>,
    /// Messages of the case's stream by sequence.
    messages: BTreeMap<u64, Message>,
    /// The reason of the latest term of a message.
    reasons: BTreeMap<(u16, u64), String>,
    /// Messages that each subscription handled and those that it dropped.
    totals: BTreeMap<&'a str, (u64, u64)>,
}

/// The case's stream: it has only one.
const STREAM: StreamId = StreamId(0);

impl<'a> Told<'a> {
    fn push(&mut self, at: Option<Time>, lane: &str, part: &str, fields: Map<String, Value>) {
        let at = at.map(When::sim);
        self.events.push(Event { at, lane: lane.into(), kind: part.into(), fields });
    }

    fn message(&mut self, consumer: ConsumerId, seq: u64) -> Option<&mut Message> {
        let stream = self.names.run.consumers.get(consumer.0 as usize)?.stream;
        (stream == STREAM).then(|| self.messages.entry(seq).or_default())
    }

    fn record(&mut self, at: Time, event: Sim) -> Result<(), Stop> {
        let names = self.names;
        match event {
            Sim::Stored { stream: STREAM, seq, .. } => {
                self.messages.entry(seq).or_default().in_stream = true;
            }
            Sim::NotKept { stream: STREAM, seq, .. } => {
                self.messages.entry(seq).or_default();
            }
            Sim::Removed { stream: STREAM, seq, .. } => {
                let message = self.messages.entry(seq).or_default();
                (message.in_stream, message.removed) = (false, true);
                message.tracked_by.clear();
            }
            Sim::PubAcked { msg, seq, duplicate, .. } => {
                // Recorded where the message has an id, and then also when it is no duplicate.
                let tells = duplicate || names.has_id(msg);
                let list = [("seq", seq.into()), ("duplicate", tells.then_some(duplicate).into())];
                self.push(Some(at), lane("publish_acks"), "publish_acks", fields(list));
            }
            Sim::PubFailed { why, .. } => {
                let (_, err_code, text) = why.text();
                let error = match err_code {
                    0 => text.to_string(),
                    code => format!("{text} ({code})"),
                };
                let list = [("error", error.into())];
                self.push(Some(at), lane("publish_acks"), "publish_acks", fields(list));
            }
            Sim::Delivered { delivery, consumer_seq, deadline, .. } => {
                self.sent.insert(key(delivery), consumer_seq);
                if let Some(message) = self.message(delivery.consumer, delivery.seq) {
                    message.deliveries += 1;
                    if deadline != Time::NEVER {
                        message.tracked_by.insert(delivery.consumer.0);
                    }
                }
            }
            Sim::Arrived { delivery, at: by } => {
                let sent = self.sent.get(&key(delivery));
                let list = [
                    ("stream_seq", delivery.seq.into()),
                    ("num_delivered", delivery.attempt.into()),
                    ("consumer_seq", sent.copied().into()),
                ];
                let lane = format!("worker:{}", names.client(by));
                self.push(Some(at), &lane, "deliveries", fields(list));
            }
            Sim::Answered { delivery, by, reply } => {
                let step = names.own_step(by, delivery, reply);
                if reply == Reply::Term {
                    let reason = step.map(|step| step.reason.clone()).unwrap_or_default();
                    self.reasons.insert((delivery.consumer.0, delivery.seq), reason);
                }
                if let Some(message) = self.message(delivery.consumer, delivery.seq) {
                    message.acked |= reply == Reply::Ack;
                    message.terminated |= reply == Reply::Term;
                }
                if step.is_some_and(|step| step.sync) {
                    let list = [
                        ("worker", names.client(by).into()),
                        ("stream_seq", delivery.seq.into()),
                        ("num_delivered", delivery.attempt.into()),
                        ("confirmed", false.into()),
                    ];
                    self.push(Some(at), lane("sync_acks"), "sync_acks", fields(list));
                }
            }
            Sim::Confirmed { delivery, by } => {
                let waits = |event: &&mut Event| {
                    event.kind == "sync_acks"
                        && event.fields.get("worker") == Some(&names.client(by).into())
                        && event.fields.get("stream_seq") == Some(&delivery.seq.into())
                };
                if let Some(event) = self.events.iter_mut().rev().find(waits) {
                    event.fields.insert("confirmed".into(), true.into());
                }
            }
            Sim::Recorded { delivery, effect: Effect::Settled, .. }
            | Sim::Exhausted { delivery, .. } => {
                if let Some(message) = self.message(delivery.consumer, delivery.seq) {
                    message.tracked_by.remove(&delivery.consumer.0);
                }
            }
            Sim::Advised { advisory, consumer, seq, deliveries, .. } => {
                if advisory == Advisory::MaxDeliver
                    && let Some(message) = self.message(consumer, seq)
                {
                    message.advised = true;
                }
                let reason = match advisory {
                    Advisory::Terminated => self.reasons.get(&(consumer.0, seq)).cloned(),
                    Advisory::TerminatedByRemoval => Some(REMOVED.into()),
                    Advisory::MaxDeliver | Advisory::Nak => None,
                };
                let list = [
                    ("type", advisory_type(advisory).into()),
                    ("stream_seq", seq.into()),
                    ("deliveries", deliveries.into()),
                    ("reason", reason.filter(|reason| !reason.is_empty()).into()),
                ];
                self.push(Some(at), lane("advisories"), "advisories", fields(list));
            }
            Sim::HandlerStarted { msg, by } => {
                self.totals.entry(names.client(by)).or_default().0 += 1;
                let lane = format!("worker:{}", names.client(by));
                self.push(
                    Some(at),
                    &lane,
                    "deliveries",
                    fields([("payload", names.data(msg).into())]),
                );
            }
            Sim::Dropped { by, why: Drop::BufferFull, .. } => {
                self.totals.entry(names.client(by)).or_default().1 += 1;
            }
            Sim::Replied { step, answer } => {
                if let Some(answer) = names.run.answers.get(answer as usize) {
                    self.replied(at, step as usize, answer)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The answer to a call. A further operation is an arm here.
    fn replied(&mut self, got: Time, step: usize, answer: &CallAnswer) -> Result<(), Stop> {
        let recorded = self.names.script.op(step);
        let at = self.names.run.scenario.timeline.get(step).map(|step| step.at);
        match (reads_counters(recorded), answer) {
            (Some(part), CallAnswer::Consumer(info)) => {
                self.push(at, lane(part), part, counters(info));
            }
            (Some("info_end"), CallAnswer::Stream(info)) => {
                self.push(at, lane("stream_end"), "stream_end", stream_counters(info));
            }
            (Some(part), CallAnswer::Stream(info)) => {
                let probe = self.events.iter_mut().rev().find(|event| event.kind == part);
                if let Some(probe) = probe {
                    probe.fields.insert("stream_messages".into(), info.messages.into());
                }
            }
            (Some(part), CallAnswer::Failed(error)) => {
                self.push(at, lane(part), part, fields([("error", error.text.as_str().into())]));
            }
            (_, answer) => {
                let op = recorded.get("op").cloned().unwrap_or_default();
                let ok = || ("result", Value::from("ok"));
                let list = match answer {
                    CallAnswer::ConsumerCreated(config) => {
                        fields([ok(), ("effective", effective(config))])
                    }
                    CallAnswer::Done => fields([ok()]),
                    CallAnswer::Purged(purged) => fields([ok(), ("purged", (*purged).into())]),
                    CallAnswer::Message(_) => fields([ok(), ("found", true.into())]),
                    CallAnswer::Failed(error) => {
                        let text = format!("{} ({})", error.text, error.err_code);
                        let found = (op == "msg_get").then_some(false);
                        fields([("result", text.into()), ("found", found.into())])
                    }
                    answer => return Err(Stop::lacks(format!("answer {answer:?} of op {op}"))),
                };
                let named = ["op", "seq", "filter", "consumer"];
                let named = recorded.iter().filter(|(name, _)| named.contains(&name.as_str()));
                let told = named.map(|(n, v)| (n.clone(), v.clone())).chain(list).collect();
                self.push(Some(got), lane("timeline_results"), "timeline_results", told);
            }
        }
        Ok(())
    }

    /// What came of each message.
    fn outcomes(&mut self) {
        for (seq, message) in std::mem::take(&mut self.messages) {
            let list = [
                ("stream_seq", seq.into()),
                ("outcome", message.outcome().into()),
                ("deliveries", message.deliveries.into()),
                ("in_stream", message.in_stream.into()),
            ];
            let part = "per_message_outcome";
            self.push(None, lane(part), part, fields(list));
        }
    }

    /// What each subscription of Core NATS had in total.
    fn core(&mut self) {
        for name in self.names.script.subscriptions.keys() {
            let (received, dropped) = self.totals.get(name.as_str()).copied().unwrap_or_default();
            let list = [
                ("worker", name.as_str().into()),
                ("received", received.into()),
                ("slow_consumer_events", dropped.into()),
            ];
            self.push(None, lane("core"), "core", fields(list));
        }
    }
}
