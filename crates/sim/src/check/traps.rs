//! Configurations that a server takes but that bite.

use super::{Problem, total_wait};
use crate::scenario::{
    AckPolicy, AnswerAct, Behaviour, ConsumerConfig, Discard, Op, Retention, Scenario, Service,
    StreamConfig, WorkAct,
};
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
    let mut found = Found::default();
    of_consumer(&mut found, config, stream, work, batch, &Habits { naks: true, beat: Dur::ZERO });
    whole_stream(&mut found, stream);
    found.0.into_iter().map(|problem| problem.text).collect()
}

/// What a whole scenario should be warned of, each with the fields it is about. What no worker of it does is not
/// mentioned.
pub fn traps(scenario: &Scenario) -> Vec<Problem> {
    let mut found = Found::default();
    for consumer in &scenario.consumers {
        let Some(stream) = scenario.streams.iter().find(|s| s.name == consumer.stream) else {
            continue;
        };
        let name = &consumer.config.durable_name;
        let (mut work, mut batch) = (Dur::ZERO, 1);
        let mut habits = Habits { naks: false, beat: Dur(u64::MAX) };
        for worker in &scenario.workers {
            if !worker.consumer.is_empty() && worker.consumer != *name || worker.count == 0 {
                continue;
            }
            work = work.max(longest(worker.service_time));
            for Behaviour { steps, .. } in &worker.behaviour {
                if steps.iter().all(|step| step.act != WorkAct::Crash) {
                    work = work.max(steps.iter().fold(Dur::ZERO, |sum, step| sum + step.after));
                }
                habits.naks |= steps.iter().any(|step| step.act == WorkAct::Nak);
            }
            batch = batch.max(worker.batch);
            habits.beat = habits.beat.min(worker.in_progress_every);
        }
        habits.naks |= scenario
            .timeline
            .iter()
            .any(|step| matches!(&step.op, Op::Answer(a) if a.act == AnswerAct::Nak));
        let from = found.0.len();
        of_consumer(&mut found, &consumer.config, stream, work, batch, &habits);
        for problem in &mut found.0[from..] {
            (problem.what, problem.whose) = ("consumer", name.clone());
        }
    }
    for stream in &scenario.streams {
        let from = found.0.len();
        whole_stream(&mut found, stream);
        for problem in &mut found.0[from..] {
            (problem.what, problem.whose) = ("stream", stream.name.clone());
        }
    }
    found.0
}

/// The longest that work takes, where there is a longest.
fn longest(service: Service) -> Dur {
    match service {
        Service::Fixed(d)
        | Service::Uniform(_, d)
        | Service::Exponential(d)
        | Service::LogNormal(d, _) => d,
    }
}

/// What the workers of a consumer do.
struct Habits {
    /// Whether any answers with a nak.
    naks: bool,
    /// How often all of them send in progress; zero if one does not.
    beat: Dur,
}

/// What was found so far.
#[derive(Default)]
struct Found(Vec<Problem>);

impl Found {
    fn push(&mut self, about: &'static [&'static str], text: String) {
        self.0.push(Problem { what: "", whose: String::new(), text, about });
    }
}

fn of_consumer(
    found: &mut Found,
    config: &ConsumerConfig,
    stream: &StreamConfig,
    work: Dur,
    batch: u32,
    habits: &Habits,
) {
    if config.ack_policy == AckPolicy::None {
        found.push(&["ack_policy"], 
            "ack_policy none counts a delivery as done: what a worker holds when it crashes is lost; use explicit where that matters"
                .into(),
        );
    } else {
        stopwatch(found, config, work, batch, habits.beat);
        backoff(found, config, habits.naks);
        attempts(found, config, stream);
        in_flight(found, config, batch);
    }
    whole_consumer(found, config, stream);
}

/// The stopwatch against the work (R67–R71, R79, R101).
fn stopwatch(found: &mut Found, config: &ConsumerConfig, work: Dur, batch: u32, beat: Dur) {
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
    // In progress carries the message in hand, and none of those behind it.
    let beats = beat > Dur::ZERO && beat < wait;
    if work >= wait && !beats {
        found.push(&["service_time", "ack_wait", "backoff", "in_progress_every"], format!(
            "work of {work} outlasts {named} ({wait}): a second worker gets the message while the first is still at it; make {named} longer than the longest work, or send in progress meanwhile"
        ));
    } else if held.saturating_mul(work.0) > wait.0 && !(beats && held == 1) {
        let cure = if pushed { "lower max_ack_pending" } else { "pull fewer at once" };
        let what = match (pushed, config.effective_max_ack_pending()) {
            (false, _) => format!("a batch of {batch}"),
            (true, Some(cap)) => format!("a push buffer of {cap} messages (max_ack_pending)"),
            (true, None) => "a push buffer without a limit".into(),
        };
        found.push(&["batch", "service_time", "ack_wait", "backoff", "max_ack_pending"], format!(
            "{what} at {work} each outlasts {named} ({wait}): the stopwatch starts when the server sends, so the last messages can be delivered again before their turn; {cure}, or make {named} longer"
        ));
    }
    if wait < Dur::secs(1) {
        found.push(if config.backoff.is_empty() { &["ack_wait"] } else { &["backoff"] }, format!(
            "{named} of {wait} is below 1 s: a short pause of a worker or of the network already brings a second delivery, and after a restart the server counts in whole seconds; use a second or more"
        ));
    }
}

/// The schedule of attempts (R79–R81).
fn backoff(found: &mut Found, config: &ConsumerConfig, naks: bool) {
    let Some(&first) = config.backoff.first() else { return };
    let entries = config.backoff.len();
    if config.ack_wait != Dur::ZERO && config.ack_wait != first {
        found.push(&["ack_wait"], format!(
            "ack_wait of {} is not used: the server sets it to the first entry of backoff, {first}; leave it out",
            config.ack_wait
        ));
    }
    if config.max_deliver == entries as i64 {
        found.push(&["max_deliver", "backoff"], format!(
            "the last entry of backoff delays no delivery: with max_deliver {entries} it only passes before the message is given up; allow one delivery more, or drop the entry"
        ));
    }
    if !naks {
        return;
    }
    found.push(&["backoff"], 
        "backoff is for deliveries that nobody answers: a plain nak comes back at once and uses up an attempt; to wait for the next entry, do not answer"
            .into(),
    );
    if let Some(&longest) = config.backoff.iter().max().filter(|&&longest| longest > first) {
        found.push(&["backoff"], format!(
            "a nak with delay waits longer than it asks, by up to {}: the server adds the entry of the attempt and takes off the first; use backoff or naks with delay, not both",
            Dur(longest.0 - first.0)
        ));
    }
    if let Some(&shortest) = config.backoff.iter().min().filter(|&&shortest| shortest < first) {
        found.push(&["backoff"], format!(
            "a nak with delay waits less than it asks, by up to {}: the server adds the entry of the attempt and takes off the first; let backoff grow",
            Dur(first.0 - shortest.0)
        ));
    }
}

/// How often a message may be delivered, and what becomes of it then (R84–R89).
fn attempts(found: &mut Found, config: &ConsumerConfig, stream: &StreamConfig) {
    match config.max_deliver {
        ..=0 => found.push(&["max_deliver"], 
            "max_deliver has no limit: a message that always fails comes back for ever; set one, and look after what runs out of it"
                .into(),
        ),
        1 => found.push(&["max_deliver"], 
            "max_deliver of 1 allows no second try: a message whose worker crashes, or whose ack is lost, is never delivered again; allow at least 2"
                .into(),
        ),
        _ => {}
    }
    if config.max_deliver > 0 && stream.retention != Retention::Limits {
        found.push(&["max_deliver", "retention"], 
            "a message that runs out of deliveries stays in the stream: only an ack, a limit or a delete removes it; let a handler of the max-deliveries advisory copy and delete it"
                .into(),
        );
    }
}

/// The budget of messages in flight (R41, R59, R60).
fn in_flight(found: &mut Found, config: &ConsumerConfig, batch: u32) {
    let wait = config.effective_ack_wait();
    match config.effective_max_ack_pending() {
        Some(1) => found.push(&["max_ack_pending"], format!(
            "max_ack_pending of 1 keeps order but lets all workers together handle one message at a time, and a crash stops the line for {wait}; raise it where order does not matter"
        )),
        Some(cap) if config.deliver_subject.is_empty() && u64::from(batch) > cap => {
            found.push(&["max_ack_pending", "batch"], format!(
                "a batch of {batch} never fills: max_ack_pending lets {cap} messages out until one is answered; pull fewer at once, or raise it"
            ));
        }
        Some(_) => {}
        None => found.push(&["max_ack_pending"], 
            "max_ack_pending has no limit: the server hands out as many messages as are asked for, however few are answered; set it to what the workers can hold"
                .into(),
        ),
    }
    if config.ack_policy == AckPolicy::All {
        found.push(&["ack_policy"], 
            "ack_policy all settles every earlier message too, also those that another worker still holds: a crash of that worker loses them; use explicit with more than one worker"
                .into(),
        );
    }
}

/// The consumer on its stream (R24, R25, R29, R66, R106).
fn whole_consumer(found: &mut Found, config: &ConsumerConfig, stream: &StreamConfig) {
    let outside = |filter: &String| !stream.subjects.iter().any(|subject| overlap(subject, filter));
    if let Some(filter) = config.filter_subjects.iter().find(|filter| outside(filter)) {
        found.push(&[], format!(
            "filter `{filter}` matches nothing that stream `{}` captures: nothing is ever delivered by it; correct it, or add the subject to the stream",
            stream.name
        ));
    }
    if config.inactive_threshold > Dur::ZERO && !config.inactive_threshold.is_negative() {
        let threshold = config.inactive_threshold;
        found.push(&[], format!(
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
        found.push(&["max_age", "max_deliver", "backoff", "ack_wait"], format!(
            "{what} take {span} but max_age is {}: the limit removes the message before they are through; make max_age longer",
            stream.max_age
        ));
    }
}

/// The stream alone (R16–R29).
fn whole_stream(found: &mut Found, stream: &StreamConfig) {
    let full = stream.max_msgs > 0 || stream.max_bytes > 0;
    let full_of_one = stream.max_msgs_per_subject > 0;
    match stream.retention {
        Retention::Interest => found.push(&["retention"], 
            "interest retention keeps nothing that is published while no consumer matches it; create the consumer before the first publish"
                .into(),
        ),
        Retention::Limits if !full && !full_of_one && stream.max_age == Dur::ZERO => found.push(&["retention", "max_age", "max_msgs"], 
            "an ack removes nothing under limits retention, and no limit is set: the stream grows until the disk is full; set max_age, max_msgs or max_bytes"
                .into(),
        ),
        _ => {}
    }
    match stream.discard {
        Discard::Old if full => found.push(&["discard", "max_msgs"], 
            "discard old drops the oldest message of a full stream, handled or not, and tells nobody; use discard new where none may be lost"
                .into(),
        ),
        Discard::New if full || stream.discard_new_per_subject => found.push(&["discard", "max_msgs"], 
            "discard new refuses every publish to a full stream, and a plain publish does not hear of it; publish through JetStream, check the PubAck and try again later"
                .into(),
        ),
        _ => {}
    }
    if full_of_one && !stream.discard_new_per_subject {
        found.push(&["max_msgs_per_subject"], format!(
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
        found.push(&["duplicate_window"], format!(
            "duplicate_window of {window} is shorter than a publish usually waits before its retry ({PUBLISH_TIMEOUT}): a message that was stored is stored again; make it longer than the longest retry"
        ));
    }
}
