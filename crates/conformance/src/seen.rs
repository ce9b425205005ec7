//! What the simulator did, in the terms of the recordings: lanes, kinds and fields of a trace.

use crate::event::{Event, When, fields};
use crate::scenario::{PUBLISHER, Script, SubscriptionNote};
use crate::shown;
use crate::stop::Stop;
use delivery_sim::check::ApiError;
use delivery_sim::info::SeqPair;
use delivery_sim::scenario::{
    AnswerAct, Consumer, ConsumerConfig, Op, Publish, StreamConfig, Via, WorkAct, WorkStep,
};
use delivery_sim::trace::{
    Advisory, CallAnswer, ClientId, ClientKind, ConsumerId, Delivery, Drop, Message, Msg, Refusal,
    Reply, Status, StreamId,
};
use delivery_sim::{ConsumerInfo, Dur, Event as Sim, StreamInfo, Time, Trace};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The reason of a termination by removal (R25).
pub(crate) const REMOVED: &str = "Unacknowledged message was deleted";
/// How long a pull of the dead-letter handler waits.
const HANDLER_PULLS: Dur = Dur::secs(60);
/// The part of a payload that a recording shows, in characters.
const SHOWN: usize = 40;

/// The events of a run as a trace reports them.
///
/// # Errors
/// [`Stop::Lacks`] for an answer that has no recorded form.
pub fn events(run: &Trace, script: &Script) -> Result<Vec<Event>, Stop> {
    let mut seen = Seen {
        names: &Names::new(run, script),
        events: Vec::new(),
        sent: BTreeMap::new(),
        stored: BTreeMap::new(),
        configured: Vec::new(),
        used: BTreeSet::new(),
        reasons: BTreeMap::new(),
        totals: BTreeMap::new(),
    };
    for record in &run.records {
        if seen.names.sees(record.at, record.event) {
            seen.record(record.at, record.event)?;
        }
    }
    seen.summaries();
    Ok(seen.events)
}

/// A delivery as a key: its consumer, stream sequence and number.
pub(crate) type Key = (u16, u64, u32);

pub(crate) const fn key(delivery: Delivery) -> Key {
    (delivery.consumer.0, delivery.seq, delivery.attempt)
}

/// How long after the server's start the recorder hears no advisory: its own connection has to come back first.
const DEAF: Dur = Dur::ms(30);

/// Names of what a run counts by number, and what the scenario says about it.
pub(crate) struct Names<'a> {
    pub(crate) run: &'a Trace,
    pub(crate) script: &'a Script,
    /// Which of all deliveries that a client got a delivery was, from 1.
    nth: BTreeMap<(ClientId, Key), u32>,
    /// Messages that their publisher gave up: what comes of them later it does not hear (R12).
    given_up: BTreeMap<Msg, Time>,
    /// When the server started again.
    starts: Vec<Time>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(run: &'a Trace, script: &'a Script) -> Self {
        let (mut nth, mut given_up, mut starts) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        let mut counts = BTreeMap::new();
        for record in &run.records {
            match record.event {
                Sim::Arrived { delivery, at } => {
                    let count = counts.entry(at).or_insert(0_u32);
                    *count += 1;
                    nth.insert((at, key(delivery)), *count);
                }
                Sim::PubFailed { msg, why: Refusal::Timeout, .. } => {
                    given_up.insert(msg, record.at);
                }
                Sim::ServerStarted => starts.push(record.at),
                _ => {}
            }
        }
        Self { run, script, nth, given_up, starts }
    }

    /// Whether the recorder could see an event that happened at `at`.
    pub(crate) fn sees(&self, at: Time, event: Sim) -> bool {
        match event {
            Sim::PubAcked { msg, .. } => self.given_up.get(&msg).is_none_or(|since| at <= *since),
            Sim::Advised { .. } => !self.starts.iter().any(|s| at >= *s && at < *s + DEAF),
            _ => true,
        }
    }

    pub(crate) fn client(&self, id: ClientId) -> &'a str {
        self.run.clients.get(id.0 as usize).map_or("?", |client| &client.name)
    }

    fn is(&self, id: ClientId, kind: ClientKind) -> bool {
        self.run.clients.get(id.0 as usize).is_some_and(|client| client.kind == kind)
    }

    pub(crate) fn consumer(&self, id: ConsumerId) -> &'a str {
        self.run.consumers.get(id.0 as usize).map_or("?", |consumer| &consumer.name)
    }

    pub(crate) fn stream(&self, id: StreamId) -> &'a str {
        self.run.streams.get(id.0 as usize).map_or("?", String::as_str)
    }

    fn stream_of(&self, id: ConsumerId) -> &'a str {
        self.run.consumers.get(id.0 as usize).map_or("?", |consumer| self.stream(consumer.stream))
    }

    /// The step that published a message, if one did.
    fn step(&self, msg: Msg) -> Option<usize> {
        match self.run.messages.get(msg.0 as usize) {
            Some(Message::Published { step, .. }) => Some(*step as usize),
            _ => None,
        }
    }

    fn publish(&self, msg: Msg) -> Option<&'a Publish> {
        match &self.run.scenario.timeline.get(self.step(msg)?)?.op {
            Op::Publish(publish) => Some(publish),
            _ => None,
        }
    }

    /// The payload as far as a recording shows it: padded with `x`, then cut. That of an advisory is summed up.
    pub(crate) fn data(&self, msg: Msg) -> String {
        if let Some(Message::Advisory { seq, deliveries, .. }) =
            self.run.messages.get(msg.0 as usize)
        {
            return format!("advisory seq={seq} deliveries={deliveries}");
        }
        let pad = self.publish(msg).map_or(0, |publish| publish.pad_bytes as usize);
        let label = self.run.label(msg);
        label.chars().chain(std::iter::repeat_n('x', pad.min(SHOWN))).take(SHOWN).collect()
    }

    pub(crate) fn via(&self, msg: Msg) -> Option<Via> {
        self.publish(msg).map(|publish| publish.via)
    }

    /// The recorded operation that published a message.
    fn published_by(&self, msg: Msg) -> &'a Map<String, Value> {
        self.script.op(self.step(msg).unwrap_or(usize::MAX))
    }

    /// Its name; empty where a client published on its own.
    fn publishing_op(&self, msg: Msg) -> &'a str {
        self.published_by(msg).get("op").and_then(Value::as_str).unwrap_or_default()
    }

    /// Whether the recording leaves out what its publisher did.
    fn quiet(&self, msg: Msg) -> bool {
        self.published_by(msg).get("quiet") == Some(&Value::Bool(true))
    }

    /// Whether a message carries an id.
    pub(crate) fn has_id(&self, msg: Msg) -> bool {
        self.publish(msg).is_some_and(|publish| !publish.msg_id.is_empty())
    }

    /// The step of an automatic worker's behaviour that gave an answer; none if it only did its work and acked.
    pub(crate) fn own_step(
        &self,
        by: ClientId,
        delivery: Delivery,
        reply: Reply,
    ) -> Option<&'a WorkStep> {
        let name = self.client(by);
        let worker = self.run.scenario.workers.iter().find(|worker| worker.name == name)?;
        let nth = self.nth.get(&(by, key(delivery))).copied().unwrap_or_default();
        let data = self.run.label(delivery.msg);
        let behaviour = worker.behaviour.iter().find(|behaviour| {
            let on = &behaviour.on;
            (on.data.is_empty() || on.data == data)
                && data.starts_with(&on.data_prefix)
                && (on.stream_seq.is_empty() || on.stream_seq.contains(&delivery.seq))
                && (on.attempt.is_empty() || on.attempt.contains(&delivery.attempt))
                && (on.nth.is_empty() || on.nth.contains(&nth))
        })?;
        let act = match reply {
            Reply::Nak | Reply::NakDelay(_) => WorkAct::Nak,
            Reply::Term => WorkAct::Term,
            Reply::InProgress => WorkAct::InProgress,
            Reply::Ack | Reply::Unknown => WorkAct::Ack,
        };
        behaviour.steps.iter().find(|step| step.act == act)
    }
}

/// Collects events on its way through a run.
struct Seen<'a> {
    names: &'a Names<'a>,
    events: Vec<Event>,
    /// Consumer sequence and `num_pending` that the server sent with each delivery.
    sent: BTreeMap<Key, (u64, u64)>,
    /// Messages by stream and sequence.
    stored: BTreeMap<(StreamId, u64), Msg>,
    /// Consumers that calls created or changed: stream, name, configuration.
    configured: Vec<(Value, Value, ConsumerConfig)>,
    /// Steps of the timeline that are accounted for.
    used: BTreeSet<usize>,
    /// The reason of the latest term of a message, by consumer and stream sequence.
    reasons: BTreeMap<(u16, u64), String>,
    /// Messages that each subscription handled and those that it dropped.
    totals: BTreeMap<String, (u64, u64)>,
}

impl<'a> Seen<'a> {
    fn push<const N: usize>(
        &mut self,
        at: Time,
        lane: String,
        kind: &str,
        list: [(&str, Value); N],
    ) {
        let (at, kind) = (Some(When::sim(at)), kind.to_string());
        self.events.push(Event { at, lane, kind, fields: fields(list) });
    }

    /// A step of the timeline at this moment that is not accounted for yet and that `fits`.
    fn take(&mut self, at: Time, fits: impl Fn(&Op) -> bool) -> Option<usize> {
        let timeline = &self.names.run.scenario.timeline;
        let found = timeline
            .iter()
            .enumerate()
            .position(|(n, step)| step.at == at && !self.used.contains(&n) && fits(&step.op))?;
        self.used.insert(found);
        Some(found)
    }

    /// One event of the simulator; most are the server's inner business and not reported.
    fn record(&mut self, at: Time, event: Sim) -> Result<(), Stop> {
        let names = self.names;
        let worker = |id: ClientId| format!("worker:{}", names.client(id));
        match event {
            Sim::Published { msg, by }
                if names.via(msg) == Some(Via::Core) && !names.quiet(msg) =>
            {
                self.published(at, msg, by);
            }
            Sim::PubAcked { msg, by, stream, seq, duplicate } if !names.quiet(msg) => {
                self.pub_acked(at, msg, by, (stream, seq, duplicate));
            }
            Sim::PubFailed { msg, by, why } if !names.quiet(msg) => {
                self.pub_failed(at, msg, by, why);
            }
            Sim::Stored { msg, stream, seq } => {
                self.stored.insert((stream, seq), msg);
            }
            Sim::Fetched { by, stream, seq, found } => {
                let msg = self.stored.get(&(stream, seq)).filter(|_| found);
                let list = [
                    ("seq", seq.into()),
                    ("data", msg.map(|msg| names.data(*msg)).into()),
                    ("error", (!found).then_some("no message found").into()),
                ];
                self.push(at, worker(by), "msg_get", list);
            }
            Sim::Deleted { by, seq, .. } => {
                let list = [("seq", seq.into()), ("ok", true.into())];
                self.push(at, worker(by), "msg_delete", list);
            }
            Sim::Pulled { by, consumer, batch } => self.pulled(at, by, consumer, batch),
            Sim::Delivered { delivery, consumer_seq, num_pending, .. } => {
                self.sent.insert(key(delivery), (consumer_seq, num_pending));
            }
            Sim::Arrived { delivery, at: by } => {
                let (consumer_seq, num_pending) = self.sent.get(&key(delivery)).copied().unzip();
                let list = [
                    ("worker", names.client(by).into()),
                    ("stream", names.stream_of(delivery.consumer).into()),
                    ("consumer", names.consumer(delivery.consumer).into()),
                    ("num_delivered", delivery.attempt.into()),
                    ("stream_seq", delivery.seq.into()),
                    ("consumer_seq", consumer_seq.into()),
                    ("num_pending", num_pending.into()),
                    ("subject", names.run.subject(delivery.msg).into()),
                    ("data", names.data(delivery.msg).into()),
                ];
                self.push(at, worker(by), "delivered", list);
            }
            Sim::PullEnded { by, status, missing, .. } if status != Status::Disconnected => {
                let (code, description) = status.text();
                let tells = matches!(status, Status::Timeout | Status::MaxBytes);
                let list = [
                    ("worker", names.client(by).into()),
                    ("code", code.into()),
                    ("description", description.into()),
                    ("pending_msgs", tells.then_some(missing).into()),
                ];
                self.push(at, worker(by), "status", list);
            }
            Sim::Answered { delivery, by, reply } => self.answered(at, by, delivery, reply),
            Sim::Confirmed { delivery, by } => {
                let lane = worker(by);
                let waits = |event: &&mut Event| {
                    event.lane == lane
                        && event.fields.get("confirmed") == Some(&Value::Bool(false))
                        && event.fields.get("stream_seq") == Some(&delivery.seq.into())
                };
                if let Some(event) = self.events.iter_mut().rev().find(waits) {
                    event.fields.insert("confirmed".into(), true.into());
                }
            }
            Sim::Advised { advisory, consumer, seq, consumer_seq, deliveries, .. } => {
                let reason = match advisory {
                    Advisory::Terminated => self.reasons.get(&(consumer.0, seq)).cloned(),
                    Advisory::TerminatedByRemoval => Some(REMOVED.into()),
                    Advisory::MaxDeliver | Advisory::Nak => None,
                };
                let list = [
                    ("type", advisory_type(advisory).into()),
                    ("stream", names.stream_of(consumer).into()),
                    ("consumer", names.consumer(consumer).into()),
                    ("stream_seq", seq.into()),
                    ("consumer_seq", (consumer_seq > 0).then_some(consumer_seq).into()),
                    ("deliveries", deliveries.into()),
                    ("reason", reason.filter(|reason| !reason.is_empty()).into()),
                ];
                self.push(at, "advisory".into(), "advisory", list);
            }
            Sim::Received { msg, by, .. } => self.handed(at, msg, by, false),
            Sim::HandlerStarted { msg, by } => self.handed(at, msg, by, true),
            Sim::Dropped { by, why: Drop::BufferFull, .. } => {
                self.totals.entry(names.client(by).into()).or_default().1 += 1;
            }
            Sim::Subscribed { by } => self.subscribed(at, by),
            Sim::Unsubscribed { by } => self.of_subscription(at, by, "unsubscribed"),
            Sim::Stalled { by } => self.of_subscription(at, by, "stalled"),
            Sim::Resumed { by } => self.of_subscription(at, by, "resumed"),
            Sim::Disconnected { client } if names.is(client, ClientKind::Subscriber) => {
                self.of_subscription(at, client, "disconnected");
            }
            Sim::Crashed { client } if names.is(client, ClientKind::Subscriber) => {
                self.of_subscription(at, client, "killed");
            }
            Sim::Crashed { client } => {
                self.push(at, worker(client), "crash", [("worker", names.client(client).into())]);
            }
            // A scripted client is only seen when it does something.
            Sim::Started { client } if names.script.automatic.contains(names.client(client)) => {
                let list = [("worker", names.client(client).into())];
                self.push(at, worker(client), "worker_start", list);
            }
            Sim::ServerStopped => {
                let step = self.take(at, |op| *op == Op::ServerStop);
                let signal = step.and_then(|step| names.script.op(step).get("signal"));
                let signal = signal.cloned().unwrap_or_else(|| "TERM".into());
                self.push(at, "server".into(), "server_stopped", [("signal", signal)]);
            }
            Sim::ServerStarted => self.push(at, "server".into(), "server_started", []),
            Sim::Replied { step, answer } => {
                let answer = names.run.answers.get(answer as usize);
                let recorded = names.script.op(step as usize);
                if let Some(answer) = answer {
                    let (lane, kind, fields) = self.replied(recorded, answer)?;
                    let (at, lane, kind) = (Some(When::sim(at)), lane.into(), kind.into());
                    self.events.push(Event { at, lane, kind, fields });
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// A pull: a step of the timeline, or a worker's own. The one that comes with `+NXT` is not reported.
    fn pulled(&mut self, at: Time, by: ClientId, consumer: ConsumerId, batch: u32) {
        let names = self.names;
        let name = names.client(by);
        let step = self.take(at, |op| matches!(op, Op::Pull(pull) if pull.worker == name));
        let pull = step.and_then(|step| match &names.run.scenario.timeline[step].op {
            Op::Pull(pull) => Some((pull.expires, pull.no_wait, pull.max_bytes)),
            _ => None,
        });
        let worker = names.run.scenario.workers.iter().find(|worker| worker.name == name);
        let own = worker.map(|worker| worker.expires);
        let own = own.or_else(|| names.is(by, ClientKind::Handler).then_some(HANDLER_PULLS));
        let Some((expires, no_wait, max_bytes)) = pull.or_else(|| Some((own?, false, 0))) else {
            return;
        };
        let expires = (expires.0 > 0).then_some(expires.0 as f64 / 1e6);
        let list = [
            ("worker", name.into()),
            ("consumer", names.consumer(consumer).into()),
            ("batch", batch.into()),
            ("expires_ms", expires.into()),
            ("no_wait", no_wait.then_some(true).into()),
            ("max_bytes", (max_bytes > 0).then_some(max_bytes).into()),
        ];
        self.push(at, format!("worker:{name}"), "pull", list);
    }

    /// An answer: a step of the timeline, or a worker's own.
    fn answered(&mut self, at: Time, by: ClientId, delivery: Delivery, reply: Reply) {
        let names = self.names;
        let name = names.client(by);
        let step = self.take(at, |op| {
            matches!(op, Op::Answer(answer) if answer.worker == name
                && [answer.seq, answer.forged_seq].contains(&delivery.seq))
        });
        let (mut op, mut delay) = match reply {
            Reply::Ack => ("ack", None),
            Reply::Nak => ("nak", None),
            Reply::NakDelay(delay) => ("nak", Some(delay)),
            Reply::Term => ("term", None),
            Reply::InProgress => ("wpi", None),
            Reply::Unknown => ("raw", None),
        };
        let (mut reason, mut raw, mut sync, mut seq) = (String::new(), None, false, delivery.seq);
        match step.map(|step| &names.run.scenario.timeline[step].op) {
            Some(Op::Answer(answer)) => {
                (reason, sync) = (answer.reason.clone(), answer.sync);
                match answer.act {
                    AnswerAct::AckNext => op = "ack_next",
                    AnswerAct::Raw => {
                        (op, delay) = ("raw", None);
                        raw = Some(answer.raw.clone());
                    }
                    _ => {}
                }
                if answer.forged_seq > 0 {
                    seq = answer.forged_seq;
                }
            }
            _ => {
                if let Some(step) = names.own_step(by, delivery, reply) {
                    (reason, sync) = (step.reason.clone(), step.sync);
                }
            }
        }
        if reply == Reply::Term {
            self.reasons.insert((delivery.consumer.0, delivery.seq), reason.clone());
        }
        let list = [
            ("worker", name.into()),
            ("op", op.into()),
            ("consumer", names.consumer(delivery.consumer).into()),
            ("stream_seq", seq.into()),
            ("num_delivered", delivery.attempt.into()),
            ("delay_ms", delay.map(|delay| delay.0 as f64 / 1e6).into()),
            ("reason", Some(reason).filter(|reason| !reason.is_empty()).into()),
            ("raw", raw.into()),
            ("sync", sync.then_some(true).into()),
            ("confirmed", sync.then_some(false).into()),
        ];
        self.push(at, format!("worker:{name}"), "ack_sent", list);
    }

    /// A message that reached a subscription: reported on arrival, or when a callback begins with it.
    fn handed(&mut self, at: Time, msg: Msg, by: ClientId, in_handler: bool) {
        let names = self.names;
        let name = names.client(by);
        let Some(note) = names.script.subscriptions.get(name) else {
            return;
        };
        if note.callback != in_handler {
            return;
        }
        self.totals.entry(name.into()).or_default().0 += 1;
        if !note.count_only {
            let list = [
                ("name", name.into()),
                ("subject", names.run.subject(msg).into()),
                ("data", names.data(msg).into()),
            ];
            self.push(at, format!("sub:{name}"), "received", list);
        }
    }

    /// A core publish, which nobody confirms.
    fn published(&mut self, at: Time, msg: Msg, by: ClientId) {
        let names = self.names;
        let (lane, data) = (names.client(by).to_string(), names.data(msg).into());
        if names.publishing_op(msg) == "np_publish" {
            self.push(at, lane, "np_publish", [("data", data), ("result", "ok".into())]);
        } else {
            let list = [("subject", names.run.subject(msg).into()), ("data", data)];
            self.push(at, lane, "published", list);
        }
    }

    fn pub_acked(&mut self, at: Time, msg: Msg, by: ClientId, ack: (StreamId, u64, bool)) {
        let names = self.names;
        let (stream, seq, duplicate) = ack;
        let lane = names.client(by).to_string();
        if names.publishing_op(msg) == "np_js_publish" {
            let result = format!("seq {seq}{}", if duplicate { " duplicate" } else { "" });
            let list = [("data", names.data(msg).into()), ("result", result.into())];
            self.push(at, lane, "np_js_publish", list);
            return;
        }
        let handler = names.is(by, ClientKind::Handler);
        let list = [
            ("subject", names.run.subject(msg).into()),
            ("data", (!handler).then(|| names.data(msg)).into()),
            ("seq", seq.into()),
            ("stream", names.stream(stream).into()),
            ("duplicate", duplicate.then_some(true).into()),
        ];
        self.push(at, if handler { format!("worker:{lane}") } else { lane }, "puback", list);
    }

    fn pub_failed(&mut self, at: Time, msg: Msg, by: ClientId, why: Refusal) {
        let names = self.names;
        let lane = names.client(by).to_string();
        let (code, err_code, text) = why.text();
        let data = names.data(msg).into();
        if names.publishing_op(msg).starts_with("np_") {
            let result = match why {
                Refusal::Timeout => "TimeoutError",
                Refusal::NoStream => "NoStreamResponseError",
                Refusal::Disconnected => "ConnectionClosedError",
                Refusal::BufferFull => "OutboundBufferLimitError",
                _ => text,
            };
            let list = [("data", data), ("result", result.into())];
            self.push(at, lane, names.publishing_op(msg), list);
            return;
        }
        // What the server says has codes, what the client says is a text.
        let server = err_code > 0;
        let list = [
            ("subject", names.run.subject(msg).into()),
            ("data", data),
            ("code", server.then_some(code).into()),
            ("err_code", server.then_some(err_code).into()),
            ("description", server.then_some(text).into()),
            ("error", (!server).then_some(text).into()),
        ];
        self.push(at, lane, "pub_error", list);
    }

    fn note(&self, by: ClientId) -> Option<&'a SubscriptionNote> {
        self.names.script.subscriptions.get(self.names.client(by)).filter(|note| !note.silent)
    }

    fn subscribed(&mut self, at: Time, by: ClientId) {
        let name = self.names.client(by);
        if let Some(note) = self.note(by) {
            let queue = Some(note.queue.as_str()).filter(|queue| !queue.is_empty());
            let list = [
                ("name", name.into()),
                ("subject", note.subject.as_str().into()),
                ("queue", queue.into()),
            ];
            self.push(at, format!("sub:{name}"), "subscribed", list);
        }
    }

    /// Something that a subscription went through.
    fn of_subscription(&mut self, at: Time, by: ClientId, kind: &str) {
        let name = self.names.client(by);
        if self.note(by).is_some() {
            self.push(at, format!("sub:{name}"), kind, [("name", name.into())]);
        }
    }

    /// What a trace reports of the answer to a call: lane, kind and fields. A further operation is an arm here.
    fn replied(
        &mut self,
        recorded: &'a Map<String, Value>,
        answer: &CallAnswer,
    ) -> Result<(&'a str, &'a str, Map<String, Value>), Stop> {
        let text = |name: &str| recorded.get(name).and_then(Value::as_str);
        let op = text("op").unwrap_or_default();
        let named = |name: &str| recorded.get(name).cloned().unwrap_or_default();
        let by = text("by").unwrap_or(PUBLISHER);
        let configured = recorded.get("config").and_then(Value::as_object);
        let of_config =
            |name: &str| configured.and_then(|c| c.get(name)).cloned().unwrap_or_default();
        let fields = match (op, answer) {
            ("info", CallAnswer::Consumer(info)) => {
                let mut told = counters(info);
                told.insert("consumer".into(), named("consumer"));
                told.insert("num_waiting".into(), info.num_waiting.into());
                let list = listed(recorded, "config");
                if !list.is_empty() {
                    let of = (named("stream"), named("consumer"));
                    let config = self.configuration(&of);
                    let config =
                        config.ok_or_else(|| Stop::lacks("this configuration in op info"))?;
                    told.insert("config".into(), shown::consumer(config, &list)?);
                }
                told
            }
            ("info", CallAnswer::Failed(error)) => {
                fields([("consumer", named("consumer")), ("error", error.text.as_str().into())])
            }
            ("stream_info", CallAnswer::Stream(info)) => {
                let mut told = stream_counters(info);
                told.insert("stream".into(), named("stream"));
                let list = listed(recorded, "config");
                if !list.is_empty() {
                    let of = |s: &&StreamConfig| named("stream") == s.name.as_str();
                    let config = self.names.run.scenario.streams.iter().find(of);
                    let config = config
                        .ok_or_else(|| Stop::lacks("this configuration in op stream_info"))?;
                    told.insert("config".into(), shown::stream(config, &list)?);
                }
                told
            }
            ("stream_info", CallAnswer::Failed(error)) => {
                fields([("stream", named("stream")), ("error", error.text.as_str().into())])
            }
            ("consumer_create" | "consumer_update", CallAnswer::ConsumerCreated(config)) => {
                self.configured.push((of_config("stream"), of_config("name"), (**config).clone()));
                let list = listed(recorded, "show");
                let shown =
                    if list.is_empty() { Value::Null } else { shown::consumer(config, &list)? };
                fields([("ok", true.into()), ("name", of_config("name")), ("config", shown)])
            }
            ("stream_create", CallAnswer::StreamCreated(config)) => {
                let list = listed(recorded, "show");
                let shown =
                    if list.is_empty() { Value::Null } else { shown::stream(config, &list)? };
                fields([("ok", true.into()), ("name", of_config("name")), ("config", shown)])
            }
            (
                "consumer_create" | "consumer_update" | "stream_create",
                CallAnswer::Failed(error),
            ) => refused([("name", of_config("name"))], error),
            ("consumer_delete", CallAnswer::Done) => {
                fields([("ok", true.into()), ("name", named("consumer"))])
            }
            ("consumer_delete", CallAnswer::Failed(error)) => {
                refused([("name", named("consumer"))], error)
            }
            ("stream_purge", CallAnswer::Purged(purged)) => fields([
                ("ok", true.into()),
                ("name", named("stream")),
                ("purged", (*purged).into()),
            ]),
            ("stream_purge", CallAnswer::Failed(error)) => {
                refused([("name", named("stream"))], error)
            }
            ("msg_delete", CallAnswer::Done) => {
                fields([("ok", true.into()), ("stream", named("stream")), ("seq", named("seq"))])
            }
            ("msg_delete", CallAnswer::Failed(error)) => {
                refused([("stream", named("stream")), ("seq", named("seq"))], error)
            }
            ("msg_get", CallAnswer::Message(msg)) => fields([
                ("stream", named("stream")),
                ("seq", named("seq")),
                ("data", self.names.data(*msg).into()),
                ("subject", self.names.run.subject(*msg).into()),
            ]),
            ("msg_get", CallAnswer::Failed(error)) => fields([
                ("stream", named("stream")),
                ("seq", named("seq")),
                ("error", error.text.as_str().into()),
            ]),
            ("flush", CallAnswer::Done) => return Ok((by, "flushed", Map::new())),
            ("np_flush", CallAnswer::Done) => {
                let name = text("name").unwrap_or_default();
                return Ok((name, op, fields([("result", "ok".into())])));
            }
            ("request", CallAnswer::Reply(_) | CallAnswer::NoResponders | CallAnswer::Timeout) => {
                let result = match answer {
                    CallAnswer::Reply(text) => text.as_str(),
                    CallAnswer::NoResponders => "no responders",
                    _ => "timeout",
                };
                let list = [("subject", named("subject")), ("result", result.into())];
                return Ok((by, "reply", fields(list)));
            }
            (op, answer) => return Err(Stop::lacks(format!("answer {answer:?} of op {op}"))),
        };
        Ok(("admin", op, fields))
    }

    /// The configuration of a consumer, by its stream and name, as it is now.
    fn configuration(&self, (stream, name): &(Value, Value)) -> Option<&ConsumerConfig> {
        let changed = self.configured.iter().rev().find(|(s, n, _)| s == stream && n == name);
        let declared =
            |c: &&Consumer| *stream == c.stream.as_str() && *name == c.config.durable_name.as_str();
        let declared = || self.names.run.scenario.consumers.iter().find(declared);
        changed.map(|(.., config)| config).or_else(|| declared().map(|c| &c.config))
    }

    /// At the end, what subscriptions report as totals.
    fn summaries(&mut self) {
        let names = self.names;
        for (name, note) in &names.script.subscriptions {
            let (handled, dropped) = self.totals.get(name).copied().unwrap_or_default();
            let total = |wanted: bool, n: u64| wanted.then_some(n).into();
            if note.count_only || note.callback {
                let list = [
                    ("name", name.as_str().into()),
                    ("received", total(!note.callback, handled)),
                    ("seen", total(note.callback, handled)),
                    ("error_callbacks", total(note.callback, dropped)),
                ];
                self.push(names.run.end, format!("sub:{name}"), "client_summary", list);
            }
        }
    }
}

/// The type of an advisory as recordings name it.
pub(crate) fn advisory_type(advisory: Advisory) -> &'static str {
    match advisory {
        Advisory::MaxDeliver => "max_deliver",
        Advisory::Terminated | Advisory::TerminatedByRemoval => "terminated",
        Advisory::Nak => "nak",
    }
}

/// What is reported of a call that the server refused.
fn refused<const N: usize>(named: [(&str, Value); N], error: &ApiError) -> Map<String, Value> {
    let mut told = fields(named);
    told.extend(fields([
        ("ok", false.into()),
        ("code", error.code.into()),
        ("err_code", error.err_code.into()),
        ("description", error.text.as_str().into()),
    ]));
    told
}

fn pair(pair: SeqPair) -> Value {
    json!({ "consumer_seq": pair.consumer_seq, "stream_seq": pair.stream_seq })
}

/// The counters of a consumer as both recorded forms write them, without `num_waiting`.
pub(crate) fn counters(info: &ConsumerInfo) -> Map<String, Value> {
    fields([
        ("delivered", pair(info.delivered)),
        ("ack_floor", pair(info.ack_floor)),
        ("num_pending", info.num_pending.into()),
        ("num_ack_pending", info.num_ack_pending.into()),
        ("num_redelivered", info.num_redelivered.into()),
    ])
}

/// The counters of a stream as both recorded forms write them.
pub(crate) fn stream_counters(info: &StreamInfo) -> Map<String, Value> {
    fields([
        ("messages", info.messages.into()),
        ("first_seq", info.first_seq.into()),
        ("last_seq", info.last_seq.into()),
    ])
}

/// Names that a recorded operation lists under `name`.
fn listed(recorded: &Map<String, Value>, name: &str) -> Vec<String> {
    let list = recorded.get(name).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).map(String::from).collect()
}
