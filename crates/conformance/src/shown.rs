//! Configurations as the API shows them: the fields that a recording lists, with the server's defaults filled in.

use crate::stop::Stop;
use delivery_sim::scenario::{AckPolicy, ConsumerConfig, StreamConfig};
use delivery_sim::{Dur, time::SEC};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// What the server takes for `max_waiting` of a pull consumer (R105).
const MAX_WAITING: u32 = 512;
/// What it takes for `duplicate_window` (R17).
const DUPLICATE_WINDOW: Dur = Dur(120 * SEC);

/// The listed fields of a consumer's configuration; null where the server leaves one out.
///
/// # Errors
/// [`Stop::Lacks`] for a field that is not known here.
pub(crate) fn consumer(config: &ConsumerConfig, list: &[String]) -> Result<Value, Stop> {
    let answers = config.ack_policy != AckPolicy::None;
    let cap = config.effective_max_ack_pending().map_or(Value::from(-1), Value::from);
    pick(list, |name| {
        Some(match name {
            "ack_policy" => word(config.ack_policy),
            "ack_wait" => some(answers, config.effective_ack_wait().0),
            "backoff" => {
                let list = config.backoff.iter().map(|entry| entry.0).collect::<Vec<_>>();
                some(!list.is_empty(), list)
            }
            "deliver_policy" => word(config.deliver_policy),
            "deliver_group" => some(!config.deliver_group.is_empty(), &*config.deliver_group),
            "deliver_subject" => some(!config.deliver_subject.is_empty(), &*config.deliver_subject),
            "durable_name" | "name" => config.durable_name.as_str().into(),
            "filter_subject" => match &config.filter_subjects[..] {
                [one] => one.as_str().into(),
                _ => Value::Null,
            },
            "filter_subjects" => {
                some(config.filter_subjects.len() > 1, config.filter_subjects.clone())
            }
            "inactive_threshold" => {
                some(config.inactive_threshold != Dur::ZERO, config.inactive_threshold.0)
            }
            "max_ack_pending" => some(answers, cap.clone()),
            "max_deliver" => if config.max_deliver < 1 { -1 } else { config.max_deliver }.into(),
            "max_waiting" => {
                let most = if config.max_waiting == 0 { MAX_WAITING } else { config.max_waiting };
                some(config.deliver_subject.is_empty(), most)
            }
            "num_replicas" => 0.into(),
            "opt_start_seq" => some(config.opt_start_seq > 0, config.opt_start_seq),
            "replay_policy" => word(config.replay_policy),
            _ => return None,
        })
    })
}

/// The listed fields of a stream's configuration.
///
/// # Errors
/// [`Stop::Lacks`] for a field that is not known here.
pub(crate) fn stream(config: &StreamConfig, list: &[String]) -> Result<Value, Stop> {
    let window = match (config.duplicate_window, config.max_age) {
        (Dur::ZERO, Dur::ZERO) => DUPLICATE_WINDOW,
        (Dur::ZERO, age) => age.min(DUPLICATE_WINDOW),
        (window, _) => window,
    };
    let limit = |n: i64| Value::from(if n < 1 { -1 } else { n });
    pick(list, |name| {
        Some(match name {
            "discard" => word(config.discard),
            "discard_new_per_subject" => some(config.discard_new_per_subject, true),
            "duplicate_window" => window.0.into(),
            "max_age" => config.max_age.0.into(),
            "max_bytes" => limit(config.max_bytes),
            "max_consumers" => (-1).into(),
            "max_msgs" => limit(config.max_msgs),
            "max_msgs_per_subject" => limit(config.max_msgs_per_subject),
            "name" => config.name.as_str().into(),
            "num_replicas" => 1.into(),
            "retention" => word(config.retention),
            "storage" => "file".into(),
            "subjects" => config.subjects.clone().into(),
            _ => return None,
        })
    })
}

/// The effective settings that a case notes of a consumer; lengths of time in milliseconds.
pub(crate) fn effective(config: &ConsumerConfig) -> Value {
    let ms = |length: Dur| length.0 as f64 / 1e6;
    let answers = config.ack_policy != AckPolicy::None;
    let cap = config.effective_max_ack_pending().map_or(Value::from(-1), Value::from);
    let backoff = config.backoff.iter().map(|entry| ms(*entry)).collect::<Vec<_>>();
    json!({
        "ack_wait_ms": some(answers, ms(config.effective_ack_wait())),
        "max_deliver": if config.max_deliver < 1 { -1 } else { config.max_deliver },
        "max_ack_pending": some(answers, cap),
        "backoff_ms": backoff,
    })
}

fn pick(list: &[String], of: impl Fn(&str) -> Option<Value>) -> Result<Value, Stop> {
    let one = |name: &String| {
        let value =
            of(name).ok_or_else(|| Stop::lacks(format!("field {name} of a configuration")))?;
        Ok((name.clone(), value))
    };
    list.iter().map(one).collect::<Result<Map<_, _>, Stop>>().map(Value::Object)
}

/// The value, or null where the server leaves the field out.
fn some(shown: bool, value: impl Into<Value>) -> Value {
    if shown { value.into() } else { Value::Null }
}

/// A value of the API by its name.
fn word(value: impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}
