//! The scenario of a trace as a scenario of the simulator; what that cannot express yet is named.

use crate::config::{Consumer, Stream, WorkerSpec, dur};
use crate::read::Ms;
use crate::stop::{Stop, typed};
use delivery_sim::scenario::{
    self as sim, Answer, AnswerAct, ConsumerRef, CreateAction, CreateConsumer, DeadLetterHandler,
    MessageRef, Op, Publish, Publisher, Pull, Purge, Request, Scenario, Service, Step, Subscriber,
    Version, Via,
};
use delivery_sim::{Dur, Event, Time, Trace};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The scenario of a trace as it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceScenario {
    #[serde(default)]
    streams: Vec<Stream>,
    #[serde(default)]
    consumers: Vec<Consumer>,
    #[serde(default)]
    workers: Vec<WorkerSpec>,
    #[serde(default)]
    core_subs: Vec<CoreSub>,
    #[serde(default)]
    push_subs: Vec<PushSub>,
    #[serde(default)]
    server_conf: Option<String>,
    timeline: Vec<Map<String, Value>>,
    end_ms: Ms,
}

/// A plain subscription.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CoreSub {
    name: String,
    subject: String,
    #[serde(default)]
    queue: String,
    #[serde(default)]
    reply_with: String,
    #[serde(default)]
    count_only: bool,
    client: Option<String>,
    pending_msgs_limit: Option<u32>,
    service_ms: Option<Ms>,
    publish_self: Option<PublishSelf>,
}

/// A subscription to the deliver subject of a push consumer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PushSub {
    worker: String,
    deliver_subject: String,
    #[serde(default, rename = "queue")]
    _queue: Option<String>,
}

/// A burst on the subscriber's own connection.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PublishSelf {
    at_ms: Ms,
    count: u32,
}

/// How a subscription is reported.
#[derive(Clone, Debug, Default)]
pub struct SubscriptionNote {
    /// Its subject.
    pub subject: String,
    /// Its queue group, empty if none.
    pub queue: String,
    /// A callback of the nats-py library, which is called when the one before is done.
    pub callback: bool,
    /// Only totals are reported.
    pub count_only: bool,
    /// Only what it receives is reported, not that it subscribes or loses its connection.
    pub silent: bool,
}

/// A scenario of the simulator, and what is needed to report its run in the terms of the recording.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// What is run.
    pub scenario: Scenario,
    /// The recorded operation behind each step of [`Scenario::timeline`].
    pub ops: Vec<Map<String, Value>>,
    /// Names of the workers that pull on their own.
    pub automatic: BTreeSet<String>,
    /// Subscriptions by name.
    pub subscriptions: BTreeMap<String, SubscriptionNote>,
}

/// How long the recorder waits for the confirmation of an answer before it goes on.
const CONFIRMATION: Dur = Dur::ms(503);

impl Script {
    /// A step with the operation behind it.
    pub(crate) fn step(&mut self, at: Time, op: Op, recorded: Map<String, Value>) {
        self.scenario.timeline.push(Step { at, op });
        self.ops.push(recorded);
    }

    /// An automatic worker.
    pub(crate) fn worker(&mut self, worker: sim::Worker) {
        self.automatic.insert(worker.name.clone());
        self.scenario.workers.push(worker);
    }

    /// The recorded operation of a step; empty if there is none.
    pub(crate) fn op(&self, step: usize) -> &Map<String, Value> {
        static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
        self.ops.get(step).unwrap_or(&NONE)
    }

    /// Moves all that happens to `beginning`, as if the recording had begun that much later.
    pub(crate) fn begin_at(&mut self, beginning: Dur) {
        let later = |at: &mut Time| *at += beginning;
        let scenario = &mut self.scenario;
        later(&mut scenario.end);
        scenario.timeline.iter_mut().for_each(|step| later(&mut step.at));
        scenario.consumers.iter_mut().map(|c| &mut c.create_at).for_each(later);
        let since = scenario.consumers.iter_mut().map(|c| &mut c.config.opt_start_time);
        since.filter(|since| **since != Time::ZERO).for_each(later);
        scenario.workers.iter_mut().map(|w| &mut w.start).for_each(later);
        scenario.subscribers.iter_mut().map(|s| &mut s.start).for_each(later);
        scenario.dead_letter_handlers.iter_mut().map(|h| &mut h.start).for_each(later);
        // Zero means never.
        let stops = scenario.workers.iter_mut().map(|w| &mut w.stop);
        let stops = stops.chain(scenario.subscribers.iter_mut().map(|s| &mut s.stop));
        stops.filter(|stop| **stop != Time::ZERO).for_each(later);
    }

    /// The recorder does one thing at a time: where it waits in vain for the confirmation of an answer, what comes
    /// next is late. Moves the steps after the first such answer of `run`; says whether it moved any.
    pub(crate) fn wait_in_vain(&mut self, run: &Trace) -> bool {
        let confirmed = |at: Time, answer: &Answer| {
            let soon = |r: &&delivery_sim::Record| r.at >= at && r.at < at + CONFIRMATION;
            run.records.iter().filter(soon).any(|r| {
                matches!(r.event, Event::Confirmed { by, .. }
                    if run.clients.get(by.0 as usize).is_some_and(|c| c.name == answer.worker))
            })
        };
        let steps = &mut self.scenario.timeline;
        for n in 0..steps.len() {
            let at = steps[n].at;
            let waits = match &steps[n].op {
                Op::Answer(answer) => answer.sync && !confirmed(at, answer),
                _ => false,
            };
            let until = at + CONFIRMATION;
            if waits && steps[n + 1..].iter().any(|step| step.at < until) {
                for step in &mut steps[n + 1..] {
                    step.at = step.at.max(until);
                }
                return true;
            }
        }
        false
    }
}

/// What a trace did, for the simulator.
///
/// # Errors
/// [`Stop::Lacks`] with the feature that is missing, [`Stop::Broken`] for what makes no sense.
pub fn script(recorded: &TraceScenario, version: Version) -> Result<Script, Stop> {
    let mut script = Script::default();
    script.scenario.version = version;
    script.scenario.end = recorded.end_ms.time()?;
    if let Some(conf) = &recorded.server_conf {
        script.scenario.max_pending = max_pending(conf)?;
    }
    for stream in &recorded.streams {
        script.scenario.streams.push(stream.config()?);
    }
    for consumer in &recorded.consumers {
        script.scenario.consumers.push(consumer_of(consumer)?);
    }
    for worker in &recorded.workers {
        script.worker(worker.worker(Time::ZERO)?);
    }
    for sub in &recorded.push_subs {
        let worker = push_worker(sub, &recorded.consumers)?;
        script.scenario.workers.push(worker);
    }
    for sub in &recorded.core_subs {
        subscribe(&mut script, sub)?;
    }
    for object in &recorded.timeline {
        operation(&mut script, object)?;
    }
    Ok(script)
}

/// A consumer that exists from the start or from `create_at_ms` on.
pub(crate) fn consumer_of(consumer: &Consumer) -> Result<sim::Consumer, Stop> {
    Ok(sim::Consumer {
        stream: consumer.stream.clone(),
        create_at: consumer.create_at_ms.map_or(Ok(Time::ZERO), Ms::time)?,
        config: consumer.config()?,
    })
}

/// `max_pending` of a server's configuration file, a line for each setting. A `write_deadline` changes nothing here:
/// the simulator counts bytes only (R8).
fn max_pending(conf: &str) -> Result<u64, Stop> {
    let mut bytes = 0;
    for line in conf.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match line.split_once(':').map(|(name, value)| (name.trim(), value.trim())) {
            Some(("max_pending", value)) => {
                bytes = value.parse().map_err(|_| Stop::Broken(format!("max_pending {value}")))?;
            }
            Some(("write_deadline", _)) => {}
            _ => return Err(Stop::lacks(format!("server_conf {line}"))),
        }
    }
    Ok(bytes)
}

/// A worker that is pushed to; the timeline answers for it.
fn push_worker(sub: &PushSub, consumers: &[Consumer]) -> Result<sim::Worker, Stop> {
    let delivers = |c: &&Consumer| {
        c.config().is_ok_and(|config| config.deliver_subject == sub.deliver_subject)
    };
    let consumer = consumers.iter().find(delivers);
    let consumer = consumer.ok_or_else(|| Stop::lacks("push_subs before their consumer"))?;
    Ok(sim::Worker {
        name: sub.worker.clone(),
        stream: consumer.stream.clone(),
        consumer: consumer.name.clone(),
        push: true,
        manual: true,
        ..sim::Worker::default()
    })
}

fn subscribe(script: &mut Script, sub: &CoreSub) -> Result<(), Stop> {
    let subscriber = subscriber(script, sub)?;
    script.scenario.subscribers.push(subscriber);
    let Some(burst) = &sub.publish_self else {
        return Ok(());
    };
    let quiet = Map::from_iter([
        ("op".to_string(), Value::from("publish")),
        ("quiet".to_string(), Value::from(true)),
    ]);
    for n in 0..burst.count {
        let publish = Publish {
            by: sub.name.clone(),
            subject: sub.subject.clone(),
            data: format!("msg-{n}"),
            via: Via::Core,
            ..Publish::default()
        };
        script.step(burst.at_ms.time()?, Op::Publish(publish), quiet.clone());
    }
    Ok(())
}

/// A subscription for the simulator, noted in the script.
fn subscriber(script: &mut Script, sub: &CoreSub) -> Result<Subscriber, Stop> {
    let callback = match sub.client.as_deref() {
        None => false,
        Some("nats-py") => true,
        Some(other) => return Err(Stop::lacks(format!("client {other}"))),
    };
    script.subscriptions.insert(
        sub.name.clone(),
        SubscriptionNote {
            subject: sub.subject.clone(),
            queue: sub.queue.clone(),
            callback,
            count_only: sub.count_only,
            silent: sub.publish_self.is_some(),
        },
    );
    Ok(Subscriber {
        name: sub.name.clone(),
        subject: sub.subject.clone(),
        queue: sub.queue.clone(),
        service_time: Service::Fixed(dur(sub.service_ms)?),
        pending_msgs_limit: sub.pending_msgs_limit.unwrap_or(0),
        reply_with: sub.reply_with.clone(),
        ..Subscriber::default()
    })
}

/// The operation without its name and moment, read as a `T`.
fn read<T: serde::de::DeserializeOwned>(
    object: &Map<String, Value>,
    name: &str,
) -> Result<T, Stop> {
    let mut rest = object.clone();
    rest.remove("op");
    rest.remove("at_ms");
    typed(Value::Object(rest), &format!("op {name}"))
}

/// One entry of the timeline. A further operation is an arm here, and one in [`crate::seen`] for what it reports.
fn operation(script: &mut Script, object: &Map<String, Value>) -> Result<(), Stop> {
    let at: Ms = typed(object.get("at_ms").cloned().unwrap_or_default(), "at_ms of an operation")?;
    let (at, name) = (at.time()?, object.get("op").and_then(Value::as_str).unwrap_or_default());
    let op = match name {
        "publish" => {
            let publish: PublishOp = read(object, name)?;
            Op::Publish(publish.publish()?)
        }
        "pull" => {
            let pull: PullOp = read(object, name)?;
            Op::Pull(Pull {
                worker: pull.worker,
                stream: pull.stream,
                consumer: pull.consumer,
                batch: pull.batch.unwrap_or(1),
                expires: dur(pull.expires_ms)?,
                no_wait: pull.no_wait,
                max_bytes: pull.max_bytes.unwrap_or(0),
            })
        }
        "ack" | "nak" | "term" | "wpi" | "ack_next" | "raw" | "forge" => {
            let answer: AnswerOp = read(object, name)?;
            Op::Answer(answer.answer(name)?)
        }
        "kill" => {
            let kill: WorkerName = read(object, name)?;
            Op::Kill(kill.worker)
        }
        "start_worker" => {
            let start: StartWorker = read(object, name)?;
            if start.worker != start.spec.name {
                return Err(Stop::Broken(format!("start_worker names {} twice", start.worker)));
            }
            script.worker(start.spec.worker(at)?);
            return Ok(());
        }
        "info" => {
            let info: InfoOp = read(object, name)?;
            Op::ConsumerInfo(ConsumerRef { stream: info.stream, consumer: info.consumer })
        }
        "stream_info" => {
            let info: StreamInfoOp = read(object, name)?;
            Op::StreamInfo(info.stream)
        }
        "core_start" => {
            let sub: CoreSub = read(object, name)?;
            Op::Subscribe(subscriber(script, &sub)?)
        }
        "core_unsub" => Op::Unsubscribe(read::<Name>(object, name)?.name),
        "core_kill" => Op::Kill(read::<Name>(object, name)?.name),
        "stall" => Op::Stall(read::<Name>(object, name)?.name),
        "resume" => Op::Resume(read::<Name>(object, name)?.name),
        "flush" => {
            let flush: FlushOp = read(object, name)?;
            Op::Flush(flush.by.unwrap_or_else(|| PUBLISHER.into()))
        }
        "request" => {
            let request: RequestOp = read(object, name)?;
            Op::Request(Request {
                by: request.by.unwrap_or_else(|| PUBLISHER.into()),
                subject: request.subject,
                data: request.data,
                timeout: request.timeout_ms.dur()?,
            })
        }
        "stream_create" => {
            let create: StreamCreate = read(object, name)?;
            Op::CreateStream(create.config.config()?)
        }
        "consumer_create" | "consumer_update" => {
            let create: ConsumerCreate = read(object, name)?;
            Op::CreateConsumer(create.create(name)?)
        }
        "consumer_delete" => {
            let of: ConsumerName = read(object, name)?;
            Op::DeleteConsumer(ConsumerRef { stream: of.stream, consumer: of.consumer })
        }
        "stream_purge" => {
            let purge: PurgeOp = read(object, name)?;
            Op::PurgeStream(Purge { stream: purge.stream, filter: purge.filter })
        }
        "msg_get" | "msg_delete" => {
            let of: MessageOp = read(object, name)?;
            let of = MessageRef { stream: of.stream, seq: of.seq };
            if name == "msg_get" { Op::GetMessage(of) } else { Op::DeleteMessage(of) }
        }
        "dlq_handler" => {
            let handler: HandlerOp = read(object, name)?;
            script.scenario.dead_letter_handlers.push(DeadLetterHandler {
                name: handler.worker,
                stream: handler.stream,
                consumer: handler.consumer,
                start: at,
                copies: handler.copies.unwrap_or(1),
                delete_original: handler.delete_original,
                ..DeadLetterHandler::default()
            });
            return Ok(());
        }
        "np_connect" => {
            let connect: Connect = read(object, name)?;
            connect_library(script, connect, at)?;
            return Ok(());
        }
        "np_publish" | "np_js_publish" => {
            let publish: LibraryPublish = read(object, name)?;
            Op::Publish(publish.publish(name)?)
        }
        "np_flush" => Op::Flush(read::<Name>(object, name)?.name),
        "server_stop" => {
            let _: ServerStop = read(object, name)?;
            Op::ServerStop
        }
        "server_start" => {
            let _: Nothing = read(object, name)?;
            Op::ServerStart
        }
        "" => return Err(Stop::Broken("an entry of the timeline has no `op`".into())),
        other => return Err(Stop::lacks(format!("op {other}"))),
    };
    script.step(at, op, object.clone());
    Ok(())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Name {
    name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FlushOp {
    by: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RequestOp {
    subject: String,
    timeout_ms: Ms,
    by: Option<String>,
    #[serde(default)]
    data: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StreamCreate {
    config: Stream,
    #[serde(default, rename = "show")]
    _show: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConsumerName {
    stream: String,
    consumer: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PurgeOp {
    stream: String,
    #[serde(default)]
    filter: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MessageOp {
    stream: String,
    seq: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HandlerOp {
    worker: String,
    stream: String,
    consumer: String,
    copies: Option<u32>,
    #[serde(default)]
    delete_original: bool,
}

/// A call that creates or changes a consumer, in both recorded forms.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConsumerCreate {
    config: Consumer,
    action: Option<String>,
    #[serde(default)]
    extra: Extra,
    #[serde(default, rename = "show")]
    _show: Vec<String>,
    #[serde(default, rename = "note")]
    _note: String,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Extra {
    #[serde(default)]
    pedantic: bool,
}

impl ConsumerCreate {
    /// The call for the simulator; `op` is its recorded name.
    pub(crate) fn create(&self, op: &str) -> Result<CreateConsumer, Stop> {
        let action = match (op, self.action.as_deref()) {
            ("consumer_update", None | Some("update")) | (_, Some("update")) => {
                CreateAction::Update
            }
            (_, Some("create")) => CreateAction::Create,
            (_, None | Some("")) => CreateAction::CreateOrUpdate,
            (_, Some(other)) => return Err(Stop::lacks(format!("action {other} of op {op}"))),
        };
        Ok(CreateConsumer {
            stream: self.config.stream.clone(),
            action,
            pedantic: self.extra.pedantic,
            config: self.config.config()?,
        })
    }
}

/// A client of the nats-py library that reconnects.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Connect {
    name: String,
    reconnect_wait_ms: Ms,
    subscribe: Option<String>,
}

fn connect_library(script: &mut Script, connect: Connect, at: Time) -> Result<(), Stop> {
    let (name, reconnect_wait) = (connect.name, connect.reconnect_wait_ms.dur()?);
    match connect.subscribe {
        Some(subject) => {
            let note = SubscriptionNote {
                subject: subject.clone(),
                silent: true,
                ..SubscriptionNote::default()
            };
            script.subscriptions.insert(name.clone(), note);
            script.scenario.subscribers.push(Subscriber {
                name,
                subject,
                start: at,
                reconnect_wait,
                ..Subscriber::default()
            });
        }
        None => {
            let publisher = Publisher { name, reconnect_wait, ..Publisher::default() };
            script.scenario.publishers.push(publisher);
        }
    }
    Ok(())
}

/// A publish of such a client.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LibraryPublish {
    name: String,
    subject: String,
    data: String,
    #[serde(default)]
    headers: BTreeMap<String, String>,
}

/// How long the recorder lets the library wait for a PubAck.
const LIBRARY_TIMEOUT: Dur = Dur::ms(300);

impl LibraryPublish {
    fn publish(self, op: &str) -> Result<Publish, Stop> {
        Ok(Publish {
            by: self.name,
            subject: self.subject,
            data: self.data,
            via: if op == "np_publish" { Via::Core } else { Via::Js },
            msg_id: msg_id(&self.headers)?,
            timeout: LIBRARY_TIMEOUT,
            ..Publish::default()
        })
    }
}

/// The only header that the simulator knows.
fn msg_id(headers: &BTreeMap<String, String>) -> Result<String, Stop> {
    match headers.keys().find(|name| *name != "Nats-Msg-Id") {
        Some(header) => Err(Stop::lacks(format!("header {header}"))),
        None => Ok(headers.get("Nats-Msg-Id").cloned().unwrap_or_default()),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ServerStop {
    #[serde(default, rename = "signal")]
    _signal: Option<Signal>,
}

#[derive(Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Signal {
    Term,
    Kill,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WorkerName {
    worker: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StartWorker {
    worker: String,
    spec: WorkerSpec,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InfoOp {
    stream: String,
    consumer: String,
    #[serde(default, rename = "config")]
    _config: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StreamInfoOp {
    stream: String,
    #[serde(default, rename = "config")]
    _config: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PullOp {
    worker: String,
    stream: String,
    consumer: String,
    batch: Option<u32>,
    expires_ms: Option<Ms>,
    #[serde(default)]
    no_wait: bool,
    max_bytes: Option<u32>,
}

/// A publish, in both recorded forms.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishOp {
    /// When, in a case.
    pub at_ms: Option<Ms>,
    subject: String,
    #[serde(default)]
    data: Option<String>,
    payload: Option<String>,
    count: Option<u32>,
    every_ms: Option<Ms>,
    via: Option<String>,
    by: Option<String>,
    pad_bytes: Option<u32>,
    #[serde(default, rename = "quiet")]
    _quiet: bool,
    #[serde(default)]
    headers: BTreeMap<String, String>,
}

/// The connection that publishes unless an operation names another.
pub(crate) const PUBLISHER: &str = "pub";

impl PublishOp {
    /// The publish for the simulator. Its default payload is that of a case, `<subject>#<n>`.
    ///
    /// # Errors
    /// [`Stop::Lacks`] for headers and ways that are not known.
    pub fn publish(&self) -> Result<Publish, Stop> {
        let via = match self.via.as_deref() {
            None | Some("js") => Via::Js,
            Some("core") => Via::Core,
            Some(other) => return Err(Stop::lacks(format!("publish via {other}"))),
        };
        let data = self.data.clone().or_else(|| self.payload.clone());
        Ok(Publish {
            by: self.by.clone().unwrap_or_else(|| PUBLISHER.into()),
            subject: self.subject.clone(),
            data: data.unwrap_or_else(|| format!("{}#{{i}}", self.subject)),
            count: self.count.unwrap_or(1),
            every: dur(self.every_ms)?,
            via,
            msg_id: msg_id(&self.headers)?,
            pad_bytes: self.pad_bytes.unwrap_or(0),
            ..Publish::default()
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerOp {
    worker: String,
    seq: u64,
    attempt: Option<u32>,
    delay_ms: Option<Ms>,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    sync: bool,
    forge_seq: Option<u64>,
    next_batch: Option<u32>,
    raw: Option<String>,
}

impl AnswerOp {
    fn answer(self, name: &str) -> Result<Answer, Stop> {
        let act = match name {
            "nak" => AnswerAct::Nak,
            "term" => AnswerAct::Term,
            "wpi" => AnswerAct::InProgress,
            "ack_next" => AnswerAct::AckNext,
            "raw" => AnswerAct::Raw,
            _ => AnswerAct::Ack,
        };
        let out_of_place = [
            ("delay_ms", self.delay_ms.is_some() && act != AnswerAct::Nak),
            ("reason", !self.reason.is_empty() && act != AnswerAct::Term),
            ("next_batch", self.next_batch.is_some() && act != AnswerAct::AckNext),
            ("raw", self.raw.is_some() != (act == AnswerAct::Raw)),
            ("forge_seq", self.forge_seq.is_some() != (name == "forge")),
        ];
        if let Some((field, _)) = out_of_place.iter().find(|(_, wrong)| *wrong) {
            return Err(Stop::Broken(format!("op {name} has a wrong or missing `{field}`")));
        }
        Ok(Answer {
            worker: self.worker,
            seq: self.seq,
            attempt: self.attempt.unwrap_or(0),
            act,
            delay: self.delay_ms.map(Ms::dur).transpose()?,
            reason: self.reason,
            sync: self.sync,
            forged_seq: self.forge_seq.unwrap_or(0),
            next_batch: self.next_batch.unwrap_or(0),
            raw: self.raw.unwrap_or_default(),
        })
    }
}
