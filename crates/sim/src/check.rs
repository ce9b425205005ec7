//! What is wrong with a scenario or a request: the server's refusals with code and text, and our own sentences.

mod traps;

use crate::engine::Names;
use crate::scenario::{
    AckPolicy, ConsumerConfig, CreateAction, DeliverPolicy, Discard, Op, Retention, Scenario,
    StreamConfig, Version, Via,
};
use crate::subject::overlap;
use crate::time::{Dur, Time};
use core::fmt;

pub use traps::{traps, warnings};

/// One thing that is wrong with a scenario, or that it is warned of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What it is about: `consumer`, `stream`; empty where the text says it all.
    pub what: &'static str,
    /// The name of that.
    pub whose: String,
    /// What is wrong and what to do.
    pub text: String,
    /// The fields it is about, as [`crate::setting::Setting::field`] names them.
    pub about: &'static [&'static str],
}

impl Problem {
    fn of(what: &'static str, whose: &str, error: &ApiError) -> Self {
        Self { what, whose: whose.into(), text: error.to_string(), about: error.about() }
    }

    fn new(text: String) -> Self {
        Self { what: "", whose: String::new(), text, about: &[] }
    }

    /// Whether it is about the setting that a path names.
    pub fn concerns(&self, path: &str) -> bool {
        let (whose, field) = path.rsplit_once('.').unwrap_or_default();
        let (kind, name) = whose.split_once('[').unwrap_or((whose, ""));
        let other =
            kind == self.what && !name.is_empty() && name.trim_end_matches(']') != self.whose;
        self.about.contains(&field) && !other
    }

    /// The whole sentence.
    pub fn sentence(&self) -> String {
        if self.what.is_empty() {
            return self.text.clone();
        }
        [self.what, " `", &self.whose, "`: ", &self.text].concat()
    }
}

/// What keeps a scenario from being run, each with the fields it is about; empty if it can be run.
pub fn problems(scenario: &Scenario) -> Vec<Problem> {
    checked(scenario).err().unwrap_or_default()
}

/// A refusal of the JetStream API.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ApiError {
    /// HTTP-like status, 400 or 404.
    pub code: u16,
    /// The API's own error code, such as 10116.
    pub err_code: u16,
    /// The server's text.
    pub text: String,
}

impl ApiError {
    pub(crate) fn new(code: u16, err_code: u16, text: &str) -> Self {
        Self { code, err_code, text: text.into() }
    }

    /// The fields it is about, as far as one can tell.
    pub fn about(&self) -> &'static [&'static str] {
        match self.err_code {
            10116 => &["max_deliver", "backoff"],
            10157 => &["ack_wait", "backoff"],
            10183 => &["ack_wait"],
            10184 => &["backoff"],
            10094 | 10101 => &["deliver_policy", "retention"],
            10082 | 10084 | 10098 => &["ack_policy", "retention", "max_ack_pending"],
            10099 | 10100 => &["retention"],
            10052 if self.text.starts_with("discard") => &["discard", "max_msgs_per_subject"],
            10052 if self.text.starts_with("dup") => &["duplicate_window", "max_age"],
            10052 => &["max_age"],
            _ => &[],
        }
    }

    /// What to do about it, in plain words; empty where the text says it.
    pub fn hint(&self) -> &'static str {
        match self.err_code {
            10116 => {
                "allow at least as many deliveries as the backoff has entries, or shorten the list"
            }
            10157 => "set ack_wait to the first entry of the backoff, or leave pedantic mode",
            10099 => "give every consumer of a work queue a filter that no other one covers",
            10100 => "let each message of a work queue match the filter of one consumer only",
            10101 => "use deliver_policy all on a work queue",
            10084 | 10098 => "use ack_policy explicit on a work queue",
            10148 => "use another name, or update the consumer instead of creating it",
            10149 => "create the consumer first",
            10052 => "keep the duplicate window within max_age",
            10058 => "use another name, or the configuration that the stream has",
            10065 => "let each subject be captured by one stream only",
            _ => "",
        }
    }
}

/// The server's words and the hint: `10116 max deliver is …: allow at least …`.
impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the server refuses it with {} `{}`", self.err_code, self.text)?;
        match self.hint() {
            "" => Ok(()),
            hint => write!(f, "; {hint}"),
        }
    }
}

fn fail<T>(code: u16, err_code: u16, text: &str) -> Result<T, ApiError> {
    Err(ApiError::new(code, err_code, text))
}

/// The configuration that a server makes of a consumer's, whatever else exists (R82, R83, R105).
///
/// # Errors
/// The server's refusal.
pub fn consumer_defaults(
    config: &ConsumerConfig,
    version: Version,
    pedantic: bool,
) -> Result<ConsumerConfig, ApiError> {
    let mut config = config.clone();
    if version >= Version::V2_12 {
        if config.ack_wait.is_negative() {
            return fail(400, 10183, "consumer ack wait needs to be positive");
        }
        if config.backoff.iter().any(|d| d.is_negative()) {
            return fail(400, 10184, "consumer backoff needs to be positive");
        }
    }
    if config.max_deliver == 0 || config.max_deliver < -1 {
        config.max_deliver = -1;
    }
    if config.ack_policy != AckPolicy::None {
        if config.ack_wait == Dur::ZERO {
            config.ack_wait = Dur::secs(30);
        }
        if config.max_ack_pending == 0 {
            config.max_ack_pending = 1000;
        }
    }
    if let Some(&first) = config.backoff.first() {
        if pedantic && version >= Version::V2_11 && config.ack_wait != first {
            return fail(
                400,
                10157,
                "pedantic mode: first backoff value has to equal batch AckWait",
            );
        }
        config.ack_wait = first;
    }
    if config.deliver_subject.is_empty() && config.max_waiting == 0 {
        config.max_waiting = 512;
    }
    let entries = config.backoff.len() as i64;
    if config.max_deliver != -1 && config.max_deliver < entries {
        return fail(400, 10116, "max deliver is required to be > length of backoff values");
    }
    if !config.deliver_subject.is_empty() {
        if config.deliver_subject.contains(['*', '>']) {
            return fail(400, 10079, "consumer deliver subject has wildcards");
        }
        if config.max_waiting != 0 {
            return fail(400, 10080, "consumer in push mode can not set max waiting");
        }
        if config.max_ack_pending > 0 && config.ack_policy == AckPolicy::None {
            return fail(400, 10082, "consumer requires ack policy for max ack pending");
        }
    }
    check_filters(&config)?;
    check_start(&config)?;
    Ok(config)
}

fn check_filters(config: &ConsumerConfig) -> Result<(), ApiError> {
    let filters = &config.filter_subjects;
    for (i, a) in filters.iter().enumerate() {
        if a.is_empty() {
            return fail(400, 10139, "consumer filter in FilterSubjects cannot be empty");
        }
        if filters[..i].iter().any(|b| overlap(a, b)) {
            return fail(400, 10138, "consumer subject filters cannot overlap");
        }
    }
    Ok(())
}

/// Start sequence and start time belong to their policies (10094).
fn check_start(config: &ConsumerConfig) -> Result<(), ApiError> {
    let name = match config.deliver_policy {
        DeliverPolicy::All => "deliver all",
        DeliverPolicy::Last => "deliver last",
        DeliverPolicy::New => "deliver new",
        DeliverPolicy::LastPerSubject => "deliver last per subject",
        DeliverPolicy::ByStartSequence => {
            return if config.opt_start_seq == 0 {
                fail(
                    400,
                    10094,
                    "consumer delivery policy is deliver by start sequence, but optional start sequence is not set",
                )
            } else {
                Ok(())
            };
        }
        DeliverPolicy::ByStartTime => return Ok(()),
    };
    if config.opt_start_seq > 0 {
        let text =
            format!("consumer delivery policy is {name}, but optional start sequence is also set");
        return fail(400, 10094, &text);
    }
    if config.opt_start_time > Time::ZERO {
        let text =
            format!("consumer delivery policy is {name}, but optional start time is also set");
        return fail(400, 10094, &text);
    }
    if config.deliver_policy == DeliverPolicy::LastPerSubject && config.filter_subjects.is_empty() {
        let text =
            format!("consumer delivery policy is {name}, but optional filter subject is not set");
        return fail(400, 10094, &text);
    }
    Ok(())
}

/// Whether a stream takes a consumer beside those it has (R28).
///
/// # Errors
/// The server's refusal.
pub fn consumer_on_stream<'a>(
    config: &ConsumerConfig,
    stream: &StreamConfig,
    others: &(impl Iterator<Item = &'a ConsumerConfig> + Clone),
    version: Version,
) -> Result<(), ApiError> {
    if stream.retention != Retention::WorkQueue {
        return Ok(());
    }
    if config.ack_policy == AckPolicy::None && config.deliver_subject.is_empty() {
        let text = if version == Version::V2_10 {
            "consumer in pull mode requires ack policy"
        } else {
            "consumer in pull mode requires explicit ack policy on workqueue stream"
        };
        return fail(400, 10084, text);
    }
    let all_first = version >= Version::V2_14 && config.deliver_policy != DeliverPolicy::All;
    if config.ack_policy != AckPolicy::Explicit {
        return fail(400, 10098, "workqueue stream requires explicit ack");
    }
    if !all_first && others.clone().next().is_some() {
        if config.filter_subjects.is_empty() {
            return fail(
                400,
                10099,
                "multiple non-filtered consumers not allowed on workqueue stream",
            );
        }
        let mine = &config.filter_subjects;
        let clash = others.clone().any(|other| {
            other.filter_subjects.is_empty()
                || other.filter_subjects.iter().any(|b| mine.iter().any(|a| overlap(a, b)))
        });
        if clash {
            return fail(400, 10100, "filtered consumer not unique on workqueue stream");
        }
    }
    if config.deliver_policy != DeliverPolicy::All {
        return fail(400, 10101, "consumer must be deliver all on workqueue stream");
    }
    Ok(())
}

/// Whether a consumer may change from one effective configuration to another (R102, R103).
///
/// # Errors
/// The server's refusal.
pub fn consumer_update(from: &ConsumerConfig, to: &ConsumerConfig) -> Result<(), ApiError> {
    let fixed = [
        (from.deliver_policy != to.deliver_policy, "deliver policy can not be updated"),
        (from.opt_start_seq != to.opt_start_seq, "start sequence can not be updated"),
        (from.opt_start_time != to.opt_start_time, "start time can not be updated"),
        (from.ack_policy != to.ack_policy, "ack policy can not be updated"),
        (from.replay_policy != to.replay_policy, "replay policy can not be updated"),
        (
            from.deliver_subject.is_empty() && !to.deliver_subject.is_empty(),
            "can not update pull consumer to push based",
        ),
        (
            !from.deliver_subject.is_empty() && to.deliver_subject.is_empty(),
            "can not update push consumer to pull based",
        ),
        (from.max_waiting != to.max_waiting, "max waiting can not be updated"),
    ];
    match fixed.into_iter().find(|(changed, _)| *changed) {
        Some((_, text)) => fail(500, 10012, text),
        None => Ok(()),
    }
}

/// What a request to create a consumer does with what exists (R102).
pub(crate) fn action(
    action: CreateAction,
    existing: Option<&ConsumerConfig>,
    wanted: &ConsumerConfig,
) -> Result<(), ApiError> {
    match (action, existing) {
        (CreateAction::Create, Some(existing)) if existing != wanted => {
            fail(400, 10148, "consumer already exists")
        }
        (CreateAction::Update, None) => fail(400, 10149, "consumer does not exist"),
        _ => Ok(()),
    }
}

/// The configuration that a server makes of a stream's (R17, R105).
///
/// # Errors
/// The server's refusal.
pub fn stream_defaults(config: &StreamConfig) -> Result<StreamConfig, ApiError> {
    let mut config = config.clone();
    for limit in [&mut config.max_msgs, &mut config.max_bytes, &mut config.max_msgs_per_subject] {
        if *limit <= 0 {
            *limit = -1;
        }
    }
    if config.subjects.is_empty() {
        config.subjects.push(config.name.clone());
    }
    for (i, a) in config.subjects.iter().enumerate() {
        if let Some(b) = config.subjects[..i].iter().find(|b| overlap(a, b)) {
            return fail(500, 10052, &format!("subject {a:?} overlaps with {b:?}"));
        }
    }
    let least = Dur::ms(100);
    for (value, negative, short) in [
        (config.max_age, "max age can not be negative", "max age needs to be >= 100ms"),
        (
            config.duplicate_window,
            "duplicates window can not be negative",
            "duplicates window needs to be >= 100ms",
        ),
    ] {
        if value.is_negative() {
            return fail(500, 10052, negative);
        }
        if value > Dur::ZERO && value < least {
            return fail(500, 10052, short);
        }
    }
    if config.duplicate_window == Dur::ZERO {
        config.duplicate_window = match config.max_age {
            Dur::ZERO => Dur::secs(120),
            age => Dur::secs(120).min(age),
        };
    } else if config.max_age > Dur::ZERO && config.duplicate_window > config.max_age {
        return fail(500, 10052, "duplicates window can not be larger then max age");
    }
    if config.discard_new_per_subject {
        if config.discard != Discard::New {
            return fail(
                500,
                10052,
                "discard new per subject requires discard new policy to be set",
            );
        }
        if config.max_msgs_per_subject <= 0 {
            return fail(500, 10052, "discard new per subject requires max msgs per subject > 0");
        }
    }
    Ok(config)
}

/// Whether a stream may exist beside others (R104).
pub(crate) fn stream_beside<'a>(
    config: &StreamConfig,
    others: impl Iterator<Item = &'a StreamConfig> + Clone,
) -> Result<(), ApiError> {
    if others.clone().any(|other| other.name == config.name && other != config) {
        return fail(400, 10058, "stream name already in use with a different configuration");
    }
    let clash = others
        .filter(|other| other.name != config.name)
        .any(|other| other.subjects.iter().any(|b| config.subjects.iter().any(|a| overlap(a, b))));
    if clash {
        return fail(400, 10065, "subjects overlap with an existing stream");
    }
    Ok(())
}

/// Most bytes of a payload: the most that a server can be set to take.
const MAX_PAYLOAD: u64 = 64 << 20;
/// Most clients that a scenario may have.
const MAX_CLIENTS: u64 = 5_000;
/// Most streams, and most consumers.
const MAX_ASSETS: usize = 1_000;
/// Most messages that its timeline may publish.
const MAX_MESSAGES: u64 = 20_000_000;
/// Most messages of a burst: they are all on the way at once.
const MAX_BURST: u32 = 1_000_000;

/// What would take more time or memory than a run may have.
fn too_much(scenario: &Scenario) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut bound = |have: u64, most: u64, what: &str| {
        if have > most {
            let text = format!("{have} {what} are too many for one run; it takes up to {most}");
            problems.push(Problem { about: &["count"], ..Problem::new(text) });
        }
    };
    let workers = scenario.workers.iter().map(|w| u64::from(w.count)).sum::<u64>();
    let others = scenario.subscribers.len()
        + scenario.publishers.len()
        + scenario.dead_letter_handlers.len()
        + scenario.timeline.len();
    bound(workers, MAX_CLIENTS, "workers");
    bound(others as u64, 100 * MAX_CLIENTS, "subscribers, publishers, handlers and steps");
    bound(scenario.streams.len() as u64, MAX_ASSETS as u64, "streams");
    bound(scenario.consumers.len() as u64, MAX_ASSETS as u64, "consumers");
    let mut messages = 0;
    let (mut named, mut creates) = (0, 0);
    for step in &scenario.timeline {
        match &step.op {
            Op::Publish(publish) => {
                messages += u64::from(publish.count);
                if publish.via == Via::Core && publish.every == Dur::ZERO {
                    bound(u64::from(publish.count), u64::from(MAX_BURST), "messages in one burst");
                }
            }
            Op::Pull(_) | Op::Subscribe(_) | Op::Flush(_) | Op::Request(_) => named += 1,
            Op::CreateConsumer(_) | Op::CreateStream(_) => creates += 1,
            _ => {}
        }
    }
    named += (scenario.subscribers.len() + scenario.dead_letter_handlers.len()) as u64;
    bound(messages, MAX_MESSAGES, "messages");
    bound(named, 2 * MAX_CLIENTS, "clients");
    bound(creates, 2 * MAX_ASSETS as u64, "streams and consumers to create");
    problems
}

/// Checks a scenario and numbers its names.
pub(crate) fn check(scenario: &Scenario) -> Result<Names, Vec<String>> {
    checked(scenario).map_err(|problems| problems.iter().map(Problem::sentence).collect())
}

fn checked(scenario: &Scenario) -> Result<Names, Vec<Problem>> {
    let mut problems = too_much(scenario);
    if !problems.is_empty() {
        return Err(problems);
    }
    let bad_name = |name: &str| name.is_empty() || name.contains([' ', '.', '*', '>']);
    for (i, stream) in scenario.streams.iter().enumerate() {
        let name = &stream.name;
        if bad_name(name) {
            problems.push(Problem::new(format!(
                "stream `{name}` needs a name without spaces, dots and wildcards"
            )));
        }
        let others = scenario.streams[..i].iter();
        if others.clone().any(|other| other.name == *name) {
            problems.push(Problem::new(format!("two streams are called `{name}`")));
        } else if let Err(error) = stream_defaults(stream).and_then(|s| stream_beside(&s, others)) {
            problems.push(Problem::of("stream", name, &error));
        }
    }
    for (i, consumer) in scenario.consumers.iter().enumerate() {
        let name = &consumer.config.durable_name;
        if bad_name(name) {
            problems.push(Problem::new(format!(
                "consumer `{name}` needs a name without spaces, dots and wildcards"
            )));
            continue;
        }
        let others = scenario.consumers[..i].iter().filter(|c| c.stream == consumer.stream);
        if others.clone().any(|other| other.config.durable_name == *name) {
            problems.push(Problem::new(format!(
                "two consumers of stream `{}` are called `{name}`",
                consumer.stream
            )));
        }
        let checked =
            consumer_defaults(&consumer.config, scenario.version, false).and_then(|config| {
                match scenario.streams.iter().find(|s| s.name == consumer.stream) {
                    Some(stream) => {
                        let others = others.map(|c| &c.config);
                        consumer_on_stream(&config, stream, &others, scenario.version)
                    }
                    None => Ok(()),
                }
            });
        if let Err(error) = checked {
            problems.push(Problem::of("consumer", name, &error));
        }
    }
    for step in &scenario.timeline {
        if let Op::Publish(publish) = &step.op
            && publish.data.len() as u64 + u64::from(publish.pad_bytes) > MAX_PAYLOAD
        {
            problems.push(Problem::new(format!(
                "the publish at {} has more than 64 MiB, which no server takes",
                step.at
            )));
        }
        if let Op::Publish(publish) = &step.op
            && (publish.subject.is_empty() || publish.subject.contains([' ', '*', '>']))
        {
            problems.push(Problem::new(format!(
                "the publish at {} goes to `{}`, which is not a subject to publish to",
                step.at, publish.subject
            )));
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    Names::new(scenario).map_err(|sentences| sentences.into_iter().map(Problem::new).collect())
}

/// The time from the first delivery until a message that nobody answers is given up.
pub fn total_wait(config: &ConsumerConfig) -> Dur {
    let deliveries = u32::try_from(config.max_deliver).unwrap_or(0).min(100_000);
    (1..=deliveries).fold(Dur::ZERO, |sum, n| sum + config.deadline_after(n))
}
