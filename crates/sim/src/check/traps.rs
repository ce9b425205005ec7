//! Configurations that a server takes but that bite.

use super::total_wait;
use crate::scenario::{AckPolicy, ConsumerConfig, Discard, Retention, StreamConfig};
use crate::subject::overlap;
use crate::time::Dur;

/// How long a JetStream publish waits for its PubAck in most clients, after which it is often tried again.
const PUBLISH_TIMEOUT: Dur = Dur::secs(5);

/// Configurations that a server takes but that bite: a sentence each, what will happen and what to do.
///
/// `work` is the longest that handling one message may take, `batch` how many a worker pulls at once. The
/// configurations may be as they are written or as a server completes them.
pub fn warnings(
    config: &ConsumerConfig,
    stream: &StreamConfig,
    work: Dur,
    batch: u32,
) -> Vec<String> {
    let mut found = Vec::new();
    if config.ack_policy == AckPolicy::None {
        found.push(
            "ack_policy none counts a delivery as done: what a worker holds when it crashes is lost; use explicit where that matters"
                .into(),
        );
    } else {
        stopwatch(&mut found, config, work, batch);
        backoff(&mut found, config);
        attempts(&mut found, config, stream);
        in_flight(&mut found, config, batch);
    }
    whole_consumer(&mut found, config, stream);
    whole_stream(&mut found, stream);
    found
}

/// The stopwatch against the work (R67–R71, R79, R101).
fn stopwatch(found: &mut Vec<String>, config: &ConsumerConfig, work: Dur, batch: u32) {
    let wait = config.effective_ack_wait();
    if wait.is_negative() {
        return; // the server refuses it or takes it as it is; nothing to advise
    }
    let named = if config.backoff.is_empty() { "ack_wait" } else { "the first entry of backoff" };
    let pushed = !config.deliver_subject.is_empty();
    let held = if pushed {
        config.effective_max_ack_pending().unwrap_or(u64::MAX)
    } else {
        u64::from(batch)
    };
    if work >= wait {
        found.push(format!(
            "work of {work} outlasts {named} ({wait}): a second worker gets the message while the first is still at it; make {named} longer than the longest work, or send in progress meanwhile"
        ));
    } else if held.saturating_mul(work.0) > wait.0 {
        let cure = if pushed { "lower max_ack_pending" } else { "pull fewer at once" };
        let what = match (pushed, config.effective_max_ack_pending()) {
            (false, _) => format!("a batch of {batch}"),
            (true, Some(cap)) => format!("a push buffer of {cap} messages (max_ack_pending)"),
            (true, None) => "a push buffer without a limit".into(),
        };
        found.push(format!(
            "{what} at {work} each outlasts {named} ({wait}): the stopwatch starts when the server sends, so the last messages can be delivered again before their turn; {cure}, or make {named} longer"
        ));
    }
    if wait < Dur::secs(1) {
        found.push(format!(
            "{named} of {wait} is below 1 s: a short pause of a worker or of the network already brings a second delivery, and after a restart the server counts in whole seconds; use a second or more"
        ));
    }
}

/// The schedule of attempts (R79–R81).
fn backoff(found: &mut Vec<String>, config: &ConsumerConfig) {
    let Some(&first) = config.backoff.first() else { return };
    let entries = config.backoff.len();
    if config.ack_wait != Dur::ZERO && config.ack_wait != first {
        found.push(format!(
            "ack_wait of {} is not used: the server sets it to the first entry of backoff, {first}; leave it out",
            config.ack_wait
        ));
    }
    if config.max_deliver == entries as i64 {
        found.push(format!(
            "the last entry of backoff delays no delivery: with max_deliver {entries} it only passes before the message is given up; allow one delivery more, or drop the entry"
        ));
    }
    found.push(
        "backoff is for deliveries that nobody answers: a plain nak comes back at once and uses up an attempt; to wait for the next entry, do not answer"
            .into(),
    );
    if let Some(&longest) = config.backoff.iter().max().filter(|&&longest| longest > first) {
        found.push(format!(
            "a nak with delay waits longer than it asks, by up to {}: the server adds the entry of the attempt and takes off the first; use backoff or naks with delay, not both",
            Dur(longest.0 - first.0)
        ));
    }
    if let Some(&shortest) = config.backoff.iter().min().filter(|&&shortest| shortest < first) {
        found.push(format!(
            "a nak with delay waits less than it asks, by up to {}: the server adds the entry of the attempt and takes off the first; let backoff grow",
            Dur(first.0 - shortest.0)
        ));
    }
}

/// How often a message may be delivered, and what becomes of it then (R84–R89).
fn attempts(found: &mut Vec<String>, config: &ConsumerConfig, stream: &StreamConfig) {
    match config.max_deliver {
        ..=0 => found.push(
            "max_deliver has no limit: a message that always fails comes back for ever; set one, and look after what runs out of it"
                .into(),
        ),
        1 => found.push(
            "max_deliver of 1 allows no second try: a message whose worker crashes, or whose ack is lost, is never delivered again; allow at least 2"
                .into(),
        ),
        _ => {}
    }
    if config.max_deliver > 0 && stream.retention != Retention::Limits {
        found.push(
            "a message that runs out of deliveries stays in the stream: only an ack, a limit or a delete removes it; let a handler of the max-deliveries advisory copy and delete it"
                .into(),
        );
    }
}

/// The budget of messages in flight (R41, R59, R60).
fn in_flight(found: &mut Vec<String>, config: &ConsumerConfig, batch: u32) {
    let wait = config.effective_ack_wait();
    match config.effective_max_ack_pending() {
        Some(1) => found.push(format!(
            "max_ack_pending of 1 keeps order but lets all workers together handle one message at a time, and a crash stops the line for {wait}; raise it where order does not matter"
        )),
        Some(cap) if config.deliver_subject.is_empty() && u64::from(batch) > cap => {
            found.push(format!(
                "a batch of {batch} never fills: max_ack_pending lets {cap} messages out until one is answered; pull fewer at once, or raise it"
            ));
        }
        Some(_) => {}
        None => found.push(
            "max_ack_pending has no limit: the server hands out as many messages as are asked for, however few are answered; set it to what the workers can hold"
                .into(),
        ),
    }
    if config.ack_policy == AckPolicy::All {
        found.push(
            "ack_policy all settles every earlier message too, also those that another worker still holds: a crash of that worker loses them; use explicit with more than one worker"
                .into(),
        );
    }
}

/// The consumer on its stream (R24, R25, R29, R66, R106).
fn whole_consumer(found: &mut Vec<String>, config: &ConsumerConfig, stream: &StreamConfig) {
    let outside = |filter: &String| !stream.subjects.iter().any(|subject| overlap(subject, filter));
    if let Some(filter) = config.filter_subjects.iter().find(|filter| outside(filter)) {
        found.push(format!(
            "filter `{filter}` matches nothing that stream `{}` captures: nothing is ever delivered by it; correct it, or add the subject to the stream",
            stream.name
        ));
    }
    if config.inactive_threshold > Dur::ZERO && !config.inactive_threshold.is_negative() {
        let threshold = config.inactive_threshold;
        found.push(format!(
            "inactive_threshold deletes the consumer and its position once no worker has pulled for {threshold}; leave it out, or make it longer than the longest outage"
        ));
    }
    let span = match config.max_deliver {
        _ if config.ack_policy == AckPolicy::None => Dur::ZERO,
        1.. => total_wait(config),
        _ => config
            .backoff
            .iter()
            .fold(Dur::ZERO, |sum, &entry| sum + entry)
            .max(config.effective_ack_wait()),
    };
    if stream.max_age > Dur::ZERO && span > stream.max_age {
        let what = if config.max_deliver > 0 { "all deliveries" } else { "the retries" };
        found.push(format!(
            "{what} take {span} but max_age is {}: the limit removes the message before they are through; make max_age longer",
            stream.max_age
        ));
    }
}

/// The stream alone (R16–R29).
fn whole_stream(found: &mut Vec<String>, stream: &StreamConfig) {
    let full = stream.max_msgs > 0 || stream.max_bytes > 0;
    let full_of_one = stream.max_msgs_per_subject > 0;
    match stream.retention {
        Retention::Interest => found.push(
            "interest retention keeps nothing that is published while no consumer matches it; create the consumer before the first publish"
                .into(),
        ),
        Retention::Limits if !full && !full_of_one && stream.max_age == Dur::ZERO => found.push(
            "an ack removes nothing under limits retention, and no limit is set: the stream grows until the disk is full; set max_age, max_msgs or max_bytes"
                .into(),
        ),
        _ => {}
    }
    match stream.discard {
        Discard::Old if full => found.push(
            "discard old drops the oldest message of a full stream, handled or not, and tells nobody; use discard new where none may be lost"
                .into(),
        ),
        Discard::New if full || stream.discard_new_per_subject => found.push(
            "discard new refuses every publish to a full stream, and a plain publish does not hear of it; publish through JetStream, check the PubAck and try again later"
                .into(),
        ),
        _ => {}
    }
    if full_of_one && !stream.discard_new_per_subject {
        found.push(format!(
            "max_msgs_per_subject keeps the newest {} of each subject: an older one is removed, handled or not, and nobody is told; raise it where each counts",
            stream.max_msgs_per_subject
        ));
    }
    let window = match stream.duplicate_window {
        Dur::ZERO if stream.max_age > Dur::ZERO => Dur::secs(120).min(stream.max_age),
        Dur::ZERO => Dur::secs(120),
        given => given,
    };
    if window < PUBLISH_TIMEOUT {
        found.push(format!(
            "duplicate_window of {window} is shorter than a publish usually waits before its retry ({PUBLISH_TIMEOUT}): a message that was stored is stored again; make it longer than the longest retry"
        ));
    }
}
