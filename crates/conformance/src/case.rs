//! A case: its configuration as a scenario of the simulator, and what was observed as events.
//!
//! Each part of `observed` becomes events of that kind. Deliveries lie on the worker's lane; advisories are a set;
//! outcomes, counters and the like have a lane of their own.

use crate::config::{Consumer, Stream, WorkerSpec, dur};
use crate::event::{Event, When, nanos};
use crate::read::{Ms, when};
use crate::scenario::{ConsumerCreate, PublishOp, Script, SubscriptionNote, consumer_of};
use crate::stop::{Stop, typed};
use delivery_sim::scenario::{
    ConsumerRef, CreateConsumer, MessageRef, Op, Purge, Scenario, Service, Step, Subscriber,
    Version,
};
use delivery_sim::{Dur, Time};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A case as it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    #[serde(rename = "schema")]
    _schema: u32,
    /// Its name.
    pub id: String,
    #[serde(rename = "title")]
    _title: String,
    #[serde(default, rename = "question")]
    _question: String,
    #[serde(default, rename = "source")]
    _source: Vec<String>,
    #[serde(default, rename = "tags")]
    _tags: Vec<String>,
    /// The releases that behaved as observed.
    pub server_versions: Vec<String>,
    #[serde(default, rename = "runs")]
    _runs: u32,
    /// By how much a time may differ.
    pub tolerance_ms: Ms,
    #[serde(default)]
    ignore: Vec<String>,
    end_ms: Ms,
    stream: Option<Stream>,
    consumer: Option<Consumer>,
    #[serde(default)]
    extra_consumers: Vec<Consumer>,
    #[serde(default)]
    workers: Vec<WorkerSpec>,
    #[serde(default)]
    publishes: Vec<PublishOp>,
    #[serde(default)]
    timeline: Vec<Map<String, Value>>,
    #[serde(default)]
    probes_ms: Vec<Ms>,
    observed: Map<String, Value>,
    /// The releases that behaved otherwise, and how.
    #[serde(default)]
    pub variants: Vec<Variant>,
    #[serde(default)]
    ack_floor_end_by_version: BTreeMap<String, Vec<Value>>,
}

/// What was different with other releases.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// The releases.
    pub server_versions: Vec<String>,
    differences: Map<String, Value>,
}

/// The name of the step that reads the counters at the end.
const AT_END: &str = "end";
/// The name of a step that reads them before.
const PROBE: &str = "probe";

/// The lane of everything that is not a worker's.
pub(crate) fn lane(part: &str) -> &'static str {
    match part {
        "advisories" => "advisories",
        "info_at" => "probes",
        "info_end" | "stream_end" => "end",
        "per_message_outcome" => "outcomes",
        "publish_acks" => "publisher",
        "timeline_results" => "timeline",
        "sync_acks" => "sync acks",
        _ => "core",
    }
}

impl Case {
    /// The configuration and what was done, for the simulator.
    ///
    /// # Errors
    /// [`Stop::Lacks`] with the feature that is missing, [`Stop::Broken`] for what makes no sense.
    pub fn script(&self, version: Version) -> Result<Script, Stop> {
        let end = self.end_ms.time()?;
        let mut script = Script {
            scenario: Scenario { version, end: end + Dur::ms(20), ..Scenario::default() },
            ..Script::default()
        };
        script.scenario.streams =
            self.stream.iter().map(Stream::config).collect::<Result<Vec<_>, _>>()?;
        let stream = self.stream.as_ref().map_or("", Stream::name);
        for consumer in self.consumer.iter().chain(&self.extra_consumers) {
            if let Some(at) = consumer.create_at_ms {
                let create = CreateConsumer {
                    stream: stream.into(),
                    config: consumer.config()?,
                    ..CreateConsumer::default()
                };
                script.step(at.time()?, Op::CreateConsumer(create), named("consumer_create"));
                continue;
            }
            let mut consumer = consumer_of(consumer)?;
            consumer.stream = stream.into();
            script.scenario.consumers.push(consumer);
        }
        for worker in &self.workers {
            self.worker(&mut script, worker)?;
        }
        for publish in &self.publishes {
            let at = publish.at_ms.unwrap_or_default().time()?;
            script.step(at, Op::Publish(publish.publish()?), named("publish"));
        }
        for object in &self.timeline {
            self.operation(&mut script, object)?;
        }
        let ends = [(end, AT_END)];
        let probes = self.probes_ms.iter().map(|ms| Ok((ms.time()?, PROBE)));
        for (at, name) in probes.collect::<Result<Vec<_>, Stop>>()?.into_iter().chain(ends) {
            if let Some(consumer) = &self.consumer {
                let (stream, consumer) = (stream.to_string(), consumer.name.clone());
                script.step(at, Op::ConsumerInfo(ConsumerRef { stream, consumer }), named(name));
            }
            if self.stream.is_some() {
                script.step(at, Op::StreamInfo(stream.into()), named(name));
            }
        }
        in_order(&mut script);
        Ok(script)
    }

    /// One entry of the timeline. A further operation is an arm here, and one in [`crate::outcome`].
    fn operation(&self, script: &mut Script, object: &Map<String, Value>) -> Result<(), Stop> {
        let mut rest = object.clone();
        let at: Ms = typed(rest.remove("at_ms").unwrap_or_default(), "at_ms of an operation")?;
        let at = at.time()?;
        let name =
            rest.remove("op").and_then(|op| op.as_str().map(String::from)).unwrap_or_default();
        rest.remove("note");
        let (rest, what) = (Value::Object(rest), format!("op {name}"));
        let stream = self.stream.as_ref().map_or("", Stream::name).to_string();
        let op = match name.as_str() {
            "consumer_create" | "consumer_update" => {
                let create = typed::<ConsumerCreate>(rest, &what)?.create(&name)?;
                Op::CreateConsumer(CreateConsumer { stream, ..create })
            }
            "consumer_delete" => {
                let of: ConsumerName = typed(rest, &what)?;
                let main = self.consumer.as_ref().map(|consumer| consumer.name.clone());
                let consumer = of.consumer.or(main).unwrap_or_default();
                Op::DeleteConsumer(ConsumerRef { stream, consumer })
            }
            "stream_purge" => {
                Op::PurgeStream(Purge { stream, filter: typed::<PurgeOp>(rest, &what)?.filter })
            }
            "msg_get" => Op::GetMessage(MessageRef { stream, seq: typed::<Seq>(rest, &what)?.seq }),
            "msg_delete" => {
                Op::DeleteMessage(MessageRef { stream, seq: typed::<Seq>(rest, &what)?.seq })
            }
            "server_restart" => {
                let down = typed::<Restart>(rest, &what)?.down_ms.dur()?;
                script.step(at, Op::ServerStop, object.clone());
                script.step(at + down, Op::ServerStart, named("server_start"));
                return Ok(());
            }
            "" => return Err(Stop::Broken("an entry of the timeline has no `op`".into())),
            other => return Err(Stop::lacks(format!("op {other}"))),
        };
        script.step(at, op, object.clone());
        Ok(())
    }

    /// When the counters at the end were read, and the observation stopped.
    ///
    /// # Errors
    /// [`Stop::Lacks`] if that is before the start.
    pub fn end(&self) -> Result<Time, Stop> {
        self.end_ms.time()
    }

    /// What the simulator did, as far as the case observes it: the parts that are there and not ignored, and of
    /// the results of single calls the fields that were written down.
    pub(crate) fn projected(
        &self,
        seen: Vec<Event>,
        expected: &[Event],
        release: &str,
    ) -> Vec<Event> {
        let mut seen = seen;
        seen.retain(|event| self.observed.contains_key(&event.kind));
        self.forget(&mut seen, self.floor_at_end(release).is_some());
        for part in ["timeline_results", "sync_acks"] {
            let mut recorded = expected.iter().filter(|event| event.kind == part);
            for event in seen.iter_mut().filter(|event| event.kind == part) {
                if let Some(recorded) = recorded.next() {
                    event.fields.retain(|name, _| recorded.fields.contains_key(name));
                }
            }
        }
        seen
    }

    fn worker(&self, script: &mut Script, worker: &WorkerSpec) -> Result<(), Stop> {
        match worker.mode.as_deref() {
            Some("pull") => {
                let mut worker = worker.worker(Time::ZERO)?;
                if let Some(stream) = &self.stream {
                    worker.stream = stream.name().into();
                }
                if worker.consumer.is_empty() {
                    worker.consumer = self.consumer.as_ref().map_or("", |c| &c.name).into();
                }
                script.worker(worker);
            }
            Some("core_sub") => {
                let subject = worker.subject.clone().unwrap_or_default();
                let queue = worker.queue.clone().unwrap_or_default();
                script.subscriptions.insert(
                    worker.name.clone(),
                    SubscriptionNote {
                        subject: subject.clone(),
                        queue: queue.clone(),
                        callback: true,
                        ..SubscriptionNote::default()
                    },
                );
                script.scenario.subscribers.push(Subscriber {
                    name: worker.name.clone(),
                    subject,
                    queue,
                    start: worker.start_ms.unwrap_or_default().time()?,
                    stop: worker.stop_ms.unwrap_or_default().time()?,
                    service_time: Service::Fixed(dur(worker.service_ms)?),
                    pending_msgs_limit: worker.pending_msgs_limit.unwrap_or(0),
                    ..Subscriber::default()
                });
            }
            Some(other) => return Err(Stop::lacks(format!("worker mode {other}"))),
            None => return Err(Stop::Broken(format!("worker {} has no `mode`", worker.name))),
        }
        Ok(())
    }

    /// What was observed with a release, as events.
    ///
    /// # Errors
    /// [`Stop::Lacks`] for a part that is not known, [`Stop::Broken`] for one of the wrong form.
    pub fn expected(&self, release: &str) -> Result<Vec<Event>, Stop> {
        let mut observed = self.observed.clone();
        let of_release = |variant: &&Variant| variant.server_versions.iter().any(|v| v == release);
        if let Some(variant) = self.variants.iter().find(of_release) {
            for (part, value) in &variant.differences {
                let before = observed.remove(part).unwrap_or_default();
                observed.insert(part.clone(), differing(part, before, value)?);
            }
        }
        let mut events = Vec::new();
        for (part, value) in &observed {
            self.part(&mut events, part, value)?;
        }
        if events.is_empty() {
            return Err(Stop::Broken("nothing was observed".into()));
        }
        let floor = self.floor_at_end(release);
        self.forget(&mut events, floor.is_some());
        if let Some(floor) = floor {
            let end = events.iter_mut().find(|event| event.kind == "info_end");
            let end =
                end.ok_or_else(|| Stop::Broken("there is a floor but no `info_end`".into()))?;
            end.fields.insert("ack_floor".into(), floor.clone());
        }
        Ok(events)
    }

    /// The floor at the end where it depends on the release; none if runs of this one differed.
    fn floor_at_end(&self, release: &str) -> Option<&Value> {
        match &self.ack_floor_end_by_version.get(release)?[..] {
            [floor] => Some(floor),
            _ => None,
        }
    }

    /// Takes out of `events` what the case says differs from run to run, but for a floor at the end that is known
    /// for this release.
    fn forget(&self, events: &mut Vec<Event>, keep_floor: bool) {
        for name in &self.ignore {
            let (part, field) = match name.split_once('.') {
                Some((part, field)) => (Some(part), field),
                None => (None, name.as_str()),
            };
            events.retain(|event| part.is_some() || event.kind != field);
            for event in &mut *events {
                let all = part.is_none_or(|part| part == event.kind);
                let floor = field == "ack_floor" && event.kind == "info_end" && keep_floor;
                if all && !floor {
                    event.fields.remove(field);
                }
            }
        }
    }

    /// The events of one part of `observed`.
    fn part(&self, events: &mut Vec<Event>, part: &str, value: &Value) -> Result<(), Stop> {
        let mut push = |at: Option<When>, lane: String, fields: Map<String, Value>| {
            events.push(Event { at, lane, kind: part.to_string(), fields });
        };
        let end = When::at(nanos(self.end_ms.0));
        match part {
            "deliveries" | "advisories" | "info_at" => {
                for mut fields in objects(part, value)? {
                    let at = when(&mut fields)?;
                    let lane = match fields.remove("worker") {
                        Some(Value::String(worker)) => format!("worker:{worker}"),
                        _ => lane(part).into(),
                    };
                    push(Some(at), lane, fields);
                }
            }
            "info_end" | "stream_end" => push(Some(end), lane(part).into(), object(part, value)?),
            "per_message_outcome" => {
                for fields in objects(part, value)? {
                    push(None, lane(part).into(), fields);
                }
            }
            "publish_acks" | "timeline_results" | "sync_acks" => {
                for mut fields in objects(part, value)? {
                    // That the server was down shows in everything else.
                    if fields.get("op").is_some_and(|op| op == "server_restart") {
                        continue;
                    }
                    let at = fields.remove("at_ms").or_else(|| fields.remove("t_ms"));
                    let at = at.as_ref().and_then(Value::as_f64).map(|ms| When::at(nanos(ms)));
                    push(at, lane(part).into(), fields);
                }
            }
            "core" => {
                for (name, totals) in &object(part, value)? {
                    let mut fields = object(part, totals)?;
                    fields.insert("worker".into(), name.as_str().into());
                    push(None, lane(part).into(), fields);
                }
            }
            other => return Err(Stop::lacks(format!("observed {other}"))),
        }
        Ok(())
    }
}

/// A recorded operation that is only a name.
fn named(op: &str) -> Map<String, Value> {
    Map::from_iter([("op".to_string(), Value::from(op))])
}

/// Whether a step reads the counters before the end, or at it.
pub(crate) fn reads_counters(recorded: &Map<String, Value>) -> Option<&'static str> {
    match recorded.get("op").and_then(Value::as_str) {
        Some(PROBE) => Some("info_at"),
        Some(AT_END) => Some("info_end"),
        _ => None,
    }
}

fn object(part: &str, value: &Value) -> Result<Map<String, Value>, Stop> {
    value
        .as_object()
        .cloned()
        .ok_or_else(|| Stop::Broken(format!("`{part}` of what was observed is not an object")))
}

fn objects(part: &str, value: &Value) -> Result<Vec<Map<String, Value>>, Stop> {
    let list = value
        .as_array()
        .ok_or_else(|| Stop::Broken(format!("`{part}` of what was observed is not a list")))?;
    list.iter().map(|value| object(part, value)).collect()
}

/// A part as another release showed it. Results of the timeline come as `[op, result, effective]`, everything else
/// in its usual form; an object says only what differs.
fn differing(part: &str, before: Value, after: &Value) -> Result<Value, Stop> {
    match (before, after) {
        (Value::Object(mut before), Value::Object(after)) => {
            before.extend(after.clone());
            Ok(Value::Object(before))
        }
        (Value::Array(before), Value::Array(after)) if part == "timeline_results" => {
            if before.len() != after.len() {
                return Err(Stop::lacks("a variant with other operations"));
            }
            let one = |(before, after): (Value, &Value)| match (before, after) {
                (_, Value::Object(after)) => Ok(Value::Object(after.clone())),
                (Value::Object(mut before), Value::Array(after)) if after.len() == 3 => {
                    before.insert("result".into(), after[1].clone());
                    before.remove("effective");
                    if !after[2].is_null() {
                        before.insert("effective".into(), after[2].clone());
                    }
                    Ok(Value::Object(before))
                }
                _ => Err(Stop::lacks("this form of timeline_results in a variant")),
            };
            before.into_iter().zip(after).map(one).collect::<Result<_, _>>().map(Value::Array)
        }
        (_, after) => Ok(after.clone()),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Restart {
    down_ms: Ms,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConsumerName {
    #[serde(alias = "name")]
    consumer: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PurgeOp {
    #[serde(default)]
    filter: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Seq {
    seq: u64,
}

/// The steps of a script in the order of their moments, which a case does not keep.
fn in_order(script: &mut Script) {
    let steps = std::mem::take(&mut script.scenario.timeline);
    let mut both: Vec<(Step, _)> = steps.into_iter().zip(std::mem::take(&mut script.ops)).collect();
    both.sort_by_key(|(step, _)| step.at);
    (script.scenario.timeline, script.ops) = both.into_iter().unzip();
}
