//! Configurations as the JSON that the API and `nats consumer add --config` read.

use super::{ACK_POLICIES, DELIVER_POLICIES, DISCARDS, REPLAY_POLICIES, RETENTIONS, date};
use crate::scenario::{ConsumerConfig, DeliverPolicy, StreamConfig};
use crate::time::Dur;

/// A stream's configuration as `nats stream add --config` and the API read it: durations in nanoseconds, and
/// nothing that is the default of a server (R105).
pub fn stream_json(config: &StreamConfig) -> String {
    let mut out = Object::default();
    out.text("name", &config.name);
    out.texts("subjects", &config.subjects);
    out.text("retention", word(&RETENTIONS, &config.retention));
    out.text("storage", "file");
    out.text("discard", word(&DISCARDS, &config.discard));
    out.number("num_replicas", 1, 0);
    out.number("max_msgs", config.max_msgs, -1);
    out.number("max_bytes", config.max_bytes, -1);
    out.number("max_msgs_per_subject", config.max_msgs_per_subject, -1);
    out.dur("max_age", config.max_age);
    if config.discard_new_per_subject {
        out.raw("discard_new_per_subject", "true");
    }
    out.dur("duplicate_window", config.duplicate_window);
    out.finish()
}

/// A consumer's configuration as `nats consumer add --config` and the API read it: durations in nanoseconds, and
/// nothing that is the default of a server (R105).
///
/// With a backoff there is no `ack_wait`, which a server replaces anyway (R79), unless it refuses it (R83). A start
/// time, which in a run counts from its start, is written as a date that counts from 1970-01-01T00:00:00Z.
pub fn consumer_json(config: &ConsumerConfig) -> String {
    let mut out = Object::default();
    out.text("name", &config.durable_name);
    out.text("durable_name", &config.durable_name);
    out.text("deliver_policy", word(&DELIVER_POLICIES, &config.deliver_policy));
    if config.opt_start_seq > 0 {
        out.raw("opt_start_seq", &config.opt_start_seq.to_string());
    }
    if config.deliver_policy == DeliverPolicy::ByStartTime {
        out.text("opt_start_time", &date::write(config.opt_start_time.0));
    }
    out.text("ack_policy", word(&ACK_POLICIES, &config.ack_policy));
    if config.backoff.is_empty() || config.ack_wait.is_negative() {
        out.dur("ack_wait", config.ack_wait);
    }
    if !config.backoff.is_empty() {
        out.list("backoff", config.backoff.iter().map(|&dur| nanos(dur).to_string()));
    }
    out.number("max_deliver", config.max_deliver, -1);
    match &config.filter_subjects[..] {
        [] => {}
        [one] if !one.is_empty() => out.text("filter_subject", one),
        many => out.texts("filter_subjects", many),
    }
    out.text("replay_policy", word(&REPLAY_POLICIES, &config.replay_policy));
    out.number("max_waiting", config.max_waiting.into(), 0);
    out.number("max_ack_pending", config.max_ack_pending, 0);
    if !config.deliver_subject.is_empty() {
        out.text("deliver_subject", &config.deliver_subject);
    }
    if !config.deliver_group.is_empty() {
        out.text("deliver_group", &config.deliver_group);
    }
    out.dur("inactive_threshold", config.inactive_threshold);
    out.finish()
}

/// A duration as the API counts it.
const fn nanos(dur: Dur) -> i64 {
    dur.0 as i64
}

fn word<T: PartialEq>(words: &[(&'static str, T)], value: &T) -> &'static str {
    words.iter().find(|(_, v)| v == value).map_or("", |(word, _)| word)
}

/// A text in double quotes.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// An object that is being written, a field a line.
#[derive(Default)]
struct Object(String);

impl Object {
    fn raw(&mut self, name: &str, value: &str) {
        self.0.push_str(if self.0.is_empty() { "{" } else { "," });
        self.0.push_str(&format!("\n  \"{name}\": {value}"));
    }

    fn text(&mut self, name: &str, value: &str) {
        self.raw(name, &quoted(value));
    }

    fn number(&mut self, name: &str, value: i64, default: i64) {
        if value != default {
            self.raw(name, &value.to_string());
        }
    }

    fn dur(&mut self, name: &str, value: Dur) {
        self.number(name, nanos(value), 0);
    }

    fn list(&mut self, name: &str, entries: impl Iterator<Item = String>) {
        let entries: Vec<String> = entries.collect();
        self.raw(name, &format!("[{}]", entries.join(", ")));
    }

    fn texts(&mut self, name: &str, entries: &[String]) {
        self.list(name, entries.iter().map(|entry| quoted(entry)));
    }

    fn finish(mut self) -> String {
        self.0.push_str("\n}\n");
        self.0
    }
}
