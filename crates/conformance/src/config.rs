//! Streams, consumers and workers as recordings write them, and what they are in the simulator.

use crate::read::Ms;
use crate::stop::{Stop, typed};
use delivery_sim::scenario::{
    AckPolicy, Behaviour, ConsumerConfig, DeliverPolicy, Discard, Match, ReplayPolicy, Retention,
    Service, StreamConfig, WorkAct, WorkStep, Worker,
};
use delivery_sim::{Dur, Time};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A stream.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stream {
    name: String,
    subjects: Vec<String>,
    retention: Option<String>,
    max_age_ms: Option<Ms>,
    duplicate_window_ms: Option<Ms>,
    max_msgs: Option<i64>,
    max_bytes: Option<i64>,
    max_msgs_per_subject: Option<i64>,
    discard: Option<String>,
    #[serde(default)]
    discard_new_per_subject: bool,
}

/// A word of the API as the simulator's value.
fn word<T: DeserializeOwned + Default>(word: Option<&String>, what: &str) -> Result<T, Stop> {
    word.map_or_else(|| Ok(T::default()), |word| typed(Value::String(word.clone()), what))
}

/// A length of time that may be left out.
pub(crate) fn dur(ms: Option<Ms>) -> Result<Dur, Stop> {
    ms.map_or(Ok(Dur::ZERO), Ms::dur)
}

impl Stream {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its configuration.
    ///
    /// # Errors
    /// [`Stop::Lacks`] for values that the simulator does not have.
    pub fn config(&self) -> Result<StreamConfig, Stop> {
        Ok(StreamConfig {
            name: self.name.clone(),
            subjects: self.subjects.clone(),
            retention: word::<Retention>(self.retention.as_ref(), "retention")?,
            max_msgs: self.max_msgs.unwrap_or(-1),
            max_bytes: self.max_bytes.unwrap_or(-1),
            max_msgs_per_subject: self.max_msgs_per_subject.unwrap_or(-1),
            max_age: dur(self.max_age_ms)?,
            discard: word::<Discard>(self.discard.as_ref(), "discard")?,
            discard_new_per_subject: self.discard_new_per_subject,
            duplicate_window: dur(self.duplicate_window_ms)?,
        })
    }
}

/// A consumer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Consumer {
    /// Its stream; a case leaves it out.
    #[serde(default)]
    pub stream: String,
    /// Its name.
    pub name: String,
    /// When it is created, in a case.
    pub create_at_ms: Option<Ms>,
    ack_policy: Option<String>,
    ack_wait_ms: Option<Ms>,
    #[serde(default)]
    backoff_ms: Vec<Ms>,
    max_deliver: Option<i64>,
    inactive_threshold_ms: Option<Ms>,
    filter_subject: Option<String>,
    #[serde(default)]
    filter_subjects: Vec<String>,
    max_ack_pending: Option<i64>,
    max_waiting: Option<u32>,
    deliver_subject: Option<String>,
    deliver_group: Option<String>,
    deliver_policy: Option<String>,
    opt_start_seq: Option<u64>,
    opt_start_time_ms: Option<Ms>,
    replay_policy: Option<String>,
}

impl Consumer {
    /// Its configuration.
    ///
    /// # Errors
    /// [`Stop::Lacks`] for values that the simulator does not have.
    pub fn config(&self) -> Result<ConsumerConfig, Stop> {
        let mut filter_subjects = self.filter_subjects.clone();
        filter_subjects.extend(self.filter_subject.clone());
        Ok(ConsumerConfig {
            durable_name: self.name.clone(),
            deliver_policy: word::<DeliverPolicy>(self.deliver_policy.as_ref(), "deliver_policy")?,
            opt_start_seq: self.opt_start_seq.unwrap_or(0),
            opt_start_time: self.opt_start_time_ms.map_or(Ok(Time::ZERO), Ms::time)?,
            ack_policy: word::<AckPolicy>(self.ack_policy.as_ref(), "ack_policy")?,
            ack_wait: self.ack_wait_ms.map_or(Dur::ZERO, Ms::api),
            backoff: self.backoff_ms.iter().map(|ms| ms.api()).collect(),
            max_deliver: self.max_deliver.unwrap_or(-1),
            filter_subjects,
            replay_policy: word::<ReplayPolicy>(self.replay_policy.as_ref(), "replay_policy")?,
            max_waiting: self.max_waiting.unwrap_or(0),
            max_ack_pending: self.max_ack_pending.unwrap_or(0),
            deliver_subject: self.deliver_subject.clone().unwrap_or_default(),
            deliver_group: self.deliver_group.clone().unwrap_or_default(),
            inactive_threshold: dur(self.inactive_threshold_ms)?,
        })
    }
}

/// An automatic worker: a trace's, or a case's of mode `pull` or `core_sub`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkerSpec {
    /// Its name.
    pub name: String,
    /// Only cases say it.
    pub mode: Option<String>,
    #[serde(default)]
    stream: String,
    #[serde(default)]
    consumer: String,
    /// When it appears.
    pub start_ms: Option<Ms>,
    /// When its connection closes.
    pub stop_ms: Option<Ms>,
    batch: Option<u32>,
    expires_ms: Option<Ms>,
    /// What one message takes.
    pub service_ms: Option<Ms>,
    pause_before_next_pull_ms: Option<Ms>,
    max_messages: Option<u32>,
    max_pulls: Option<u32>,
    #[serde(default)]
    behaviour: Vec<BehaviourSpec>,
    /// What a core subscriber hears.
    pub subject: Option<String>,
    /// Its queue group.
    pub queue: Option<String>,
    /// The size of its buffer.
    pub pending_msgs_limit: Option<u32>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BehaviourSpec {
    #[serde(default, rename = "match")]
    on: MatchSpec,
    steps: Vec<StepSpec>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct MatchSpec {
    #[serde(default)]
    data: String,
    #[serde(default)]
    data_prefix: String,
    #[serde(default)]
    stream_seq: OneOrMany<u64>,
    #[serde(default)]
    attempt: OneOrMany<u32>,
    #[serde(default)]
    nth: OneOrMany<u32>,
}

/// Traces write one number, cases a list.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

impl<T> Default for OneOrMany<T> {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

impl<T: Clone> OneOrMany<T> {
    fn list(&self) -> Vec<T> {
        match self {
            Self::One(one) => vec![one.clone()],
            Self::Many(many) => many.clone(),
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StepSpec {
    after_ms: Option<Ms>,
    op: String,
    delay_ms: Option<Ms>,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    sync: bool,
    restart_after_ms: Option<Ms>,
}

impl WorkerSpec {
    /// The worker, if it starts at `start` unless it says otherwise.
    ///
    /// # Errors
    /// [`Stop::Lacks`] for steps that the simulator does not have.
    pub fn worker(&self, start: Time) -> Result<Worker, Stop> {
        if self.subject.is_some() || self.queue.is_some() || self.pending_msgs_limit.is_some() {
            return Err(Stop::Broken(format!("worker {} pulls and subscribes", self.name)));
        }
        let behaviour = |b: &BehaviourSpec| {
            Ok(Behaviour {
                on: Match {
                    data: b.on.data.clone(),
                    data_prefix: b.on.data_prefix.clone(),
                    stream_seq: b.on.stream_seq.list(),
                    attempt: b.on.attempt.list(),
                    nth: b.on.nth.list(),
                    before: None,
                },
                steps: b.steps.iter().map(StepSpec::step).collect::<Result<_, Stop>>()?,
            })
        };
        Ok(Worker {
            name: self.name.clone(),
            stream: self.stream.clone(),
            consumer: self.consumer.clone(),
            start: self.start_ms.map_or(Ok(start), Ms::time)?,
            stop: self.stop_ms.map_or(Ok(Time::ZERO), Ms::time)?,
            batch: self.batch.unwrap_or(1),
            expires: dur(self.expires_ms)?,
            pause: dur(self.pause_before_next_pull_ms)?,
            service_time: Service::Fixed(dur(self.service_ms)?),
            max_messages: self.max_messages.unwrap_or(0),
            max_pulls: self.max_pulls.unwrap_or(0),
            behaviour: self.behaviour.iter().map(behaviour).collect::<Result<_, Stop>>()?,
            ..Worker::default()
        })
    }
}

impl StepSpec {
    fn step(&self) -> Result<WorkStep, Stop> {
        Ok(WorkStep {
            after: dur(self.after_ms)?,
            act: match self.op.as_str() {
                "ack" => WorkAct::Ack,
                "nak" => WorkAct::Nak,
                "term" => WorkAct::Term,
                "wpi" => WorkAct::InProgress,
                "none" => WorkAct::None,
                "crash" => WorkAct::Crash,
                other => return Err(Stop::lacks(format!("worker step {other}"))),
            },
            delay: dur(self.delay_ms)?,
            reason: self.reason.clone(),
            sync: self.sync,
            restart_after: dur(self.restart_after_ms)?,
        })
    }
}
