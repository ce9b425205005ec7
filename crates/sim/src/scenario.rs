//! What a user writes: streams, consumers, clients and what is done to them.
//!
//! Field names and meanings are those of the NATS API. Everything a run depends on is here; the same
//! scenario gives the same [`Trace`](crate::Trace), byte for byte.

use crate::time::{Dur, Time};
use serde::{Deserialize, Serialize};

/// One complete run: what exists, who acts, and when it ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Scenario {
    /// The server whose behaviour is simulated (section 14 of the rules).
    pub version: Version,
    /// Seed of the generator behind every random choice.
    pub seed: u64,
    /// The run is cut here.
    pub end: Time,
    /// One-way delay between any client and the server. Below half a millisecond it never decides a race.
    pub network_delay: Dur,
    /// Streams that exist from the start.
    pub streams: Vec<StreamConfig>,
    /// Consumers that exist from the start or from `create_at` on.
    pub consumers: Vec<Consumer>,
    /// Workers that pull on their own.
    pub workers: Vec<Worker>,
    /// Subscriptions of Core NATS.
    pub subscribers: Vec<Subscriber>,
    /// How publishers behave that are not like the default one; others need no entry.
    pub publishers: Vec<Publisher>,
    /// Handlers that turn advisories into dead letters.
    pub dead_letter_handlers: Vec<DeadLetterHandler>,
    /// Bytes that the server queues for one connection before it closes it (R8); zero means the default of 64 MiB.
    pub max_pending: u64,
    /// What is done at a given moment; at the same moment in the order written.
    pub timeline: Vec<Step>,
}

impl Default for Scenario {
    fn default() -> Self {
        Self {
            version: Version::default(),
            seed: 1,
            end: Time(10 * crate::time::SEC),
            network_delay: Dur(200_000),
            streams: Vec::new(),
            consumers: Vec::new(),
            workers: Vec::new(),
            subscribers: Vec::new(),
            publishers: Vec::new(),
            dead_letter_handlers: Vec::new(),
            max_pending: 0,
            timeline: Vec::new(),
        }
    }
}

/// The server release that is simulated.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub enum Version {
    /// 2.10.26.
    #[serde(rename = "2.10")]
    V2_10,
    /// 2.11.11.
    #[serde(rename = "2.11")]
    V2_11,
    /// 2.12.8, the reference.
    #[default]
    #[serde(rename = "2.12")]
    V2_12,
    /// 2.14.6.
    #[serde(rename = "2.14")]
    V2_14,
    /// 2.15.1.
    #[serde(rename = "2.15")]
    V2_15,
}

impl Version {
    /// Every version, oldest first.
    pub const ALL: [Self; 5] = [Self::V2_10, Self::V2_11, Self::V2_12, Self::V2_14, Self::V2_15];

    /// The release by its first two numbers, `2.12`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::V2_10 => "2.10",
            Self::V2_11 => "2.11",
            Self::V2_12 => "2.12",
            Self::V2_14 => "2.14",
            Self::V2_15 => "2.15",
        }
    }
}

/// A stream: storage with subjects and limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StreamConfig {
    /// Its name, without spaces, dots or wildcards.
    pub name: String,
    /// The subjects it captures; `*` is one token, `>` the rest.
    pub subjects: Vec<String>,
    /// When a message leaves the stream (R26–R29).
    pub retention: Retention,
    /// Most messages kept; -1 means no limit (R21, R22).
    pub max_msgs: i64,
    /// Most bytes kept; -1 means no limit.
    pub max_bytes: i64,
    /// Most messages kept of one subject; -1 means no limit (R23).
    pub max_msgs_per_subject: i64,
    /// Age at which a message is removed; zero means never (R24).
    pub max_age: Dur,
    /// What a full stream does (R21, R22).
    pub discard: Discard,
    /// With [`Discard::New`], refuse per subject as well (R23).
    pub discard_new_per_subject: bool,
    /// How long a `Nats-Msg-Id` is remembered; zero means the default of two minutes, capped to `max_age` (R17).
    pub duplicate_window: Dur,
}

impl Default for StreamConfig {
    fn default() -> Self {
        Self {
            name: String::new(),
            subjects: Vec::new(),
            retention: Retention::Limits,
            max_msgs: -1,
            max_bytes: -1,
            max_msgs_per_subject: -1,
            max_age: Dur::ZERO,
            discard: Discard::Old,
            discard_new_per_subject: false,
            duplicate_window: Dur::ZERO,
        }
    }
}

/// When a message leaves its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Retention {
    /// Only limits remove messages (R26).
    #[default]
    Limits,
    /// Removed when every interested consumer is done with it (R29).
    Interest,
    /// Removed when its one consumer acks or terms it (R27).
    WorkQueue,
}

/// What a full stream does with a new message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Discard {
    /// Drops the oldest (R21).
    #[default]
    Old,
    /// Refuses the new one (R22).
    New,
}

/// A consumer and the stream it reads.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Consumer {
    /// The stream it belongs to.
    pub stream: String,
    /// When it is created.
    pub create_at: Time,
    /// Its configuration.
    pub config: ConsumerConfig,
}

/// The configuration of a consumer, as `nats consumer info --json` shows it under `config`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConsumerConfig {
    /// Its name. A consumer with a name is durable unless [`Self::inactive_threshold`] is set.
    pub durable_name: String,
    /// Where it starts (R63).
    pub deliver_policy: DeliverPolicy,
    /// First sequence for [`DeliverPolicy::ByStartSequence`].
    pub opt_start_seq: u64,
    /// First moment for [`DeliverPolicy::ByStartTime`].
    pub opt_start_time: Time,
    /// Which answers it expects (R40–R42).
    pub ack_policy: AckPolicy,
    /// The stopwatch of a delivery; zero means the default of 30 s (R67).
    pub ack_wait: Dur,
    /// The stopwatch by attempt, in place of `ack_wait`; the last entry repeats (R79).
    pub backoff: Vec<Dur>,
    /// Most deliveries of one message; -1 means no limit (R84).
    pub max_deliver: i64,
    /// Subjects it sees; empty means all of the stream (R66).
    pub filter_subjects: Vec<String>,
    /// At which pace a backlog is delivered (R65).
    pub replay_policy: ReplayPolicy,
    /// Most waiting pulls; zero means the default of 512 (R55).
    pub max_waiting: u32,
    /// Most messages in flight; zero means the default of 1000, -1 no limit (R59).
    pub max_ack_pending: i64,
    /// Set on a push consumer: the subject it delivers to (R62).
    pub deliver_subject: String,
    /// The queue group of a push consumer's subscribers (R62).
    pub deliver_group: String,
    /// Removed when unused for so long; zero means never for durables (R106).
    pub inactive_threshold: Dur,
}

impl Default for ConsumerConfig {
    fn default() -> Self {
        Self {
            durable_name: String::new(),
            deliver_policy: DeliverPolicy::All,
            opt_start_seq: 0,
            opt_start_time: Time::ZERO,
            ack_policy: AckPolicy::Explicit,
            ack_wait: Dur::ZERO,
            backoff: Vec::new(),
            max_deliver: -1,
            filter_subjects: Vec::new(),
            replay_policy: ReplayPolicy::Instant,
            max_waiting: 0,
            max_ack_pending: 0,
            deliver_subject: String::new(),
            deliver_group: String::new(),
            inactive_threshold: Dur::ZERO,
        }
    }
}

impl ConsumerConfig {
    /// The stopwatch that is really used for a first delivery: `backoff[0]`, else `ack_wait`, else 30 s (R79, R105).
    pub fn effective_ack_wait(&self) -> Dur {
        match self.backoff.first() {
            Some(&first) => first.or_none_below_zero(),
            None if self.ack_wait == Dur::ZERO => Dur::secs(30),
            None => self.ack_wait.or_none_below_zero(),
        }
    }

    /// The stopwatch of delivery number `attempt`, counted from 1 (R67, R79).
    pub fn deadline_after(&self, attempt: u32) -> Dur {
        match self.backoff.len() {
            0 => self.effective_ack_wait(),
            n => self.backoff[(attempt.max(1) as usize).min(n) - 1].or_none_below_zero(),
        }
    }

    /// The cap on messages in flight, none where there is no limit (R59, R105).
    pub fn effective_max_ack_pending(&self) -> Option<u64> {
        match self.max_ack_pending {
            _ if self.ack_policy == AckPolicy::None => None,
            0 => Some(1000),
            n => u64::try_from(n).ok(),
        }
    }
}

/// Where a consumer starts (R63).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliverPolicy {
    /// At the first stored message.
    #[default]
    All,
    /// At the last stored (matching) message.
    Last,
    /// With messages stored from now on.
    New,
    /// At `opt_start_seq`.
    ByStartSequence,
    /// At the first message stored at or after `opt_start_time`.
    ByStartTime,
    /// The last message of each subject, then everything after.
    LastPerSubject,
}

/// Which answers a consumer expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AckPolicy {
    /// None: delivered is done (R40).
    None,
    /// One settles everything up to it (R41).
    All,
    /// One for each message (R42).
    #[default]
    Explicit,
}

/// At which pace a backlog is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReplayPolicy {
    /// As fast as it is asked for.
    #[default]
    Instant,
    /// With the gaps between the store times (R65).
    Original,
}

/// A worker that pulls, handles one message at a time and pulls again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Worker {
    /// Its name; with a `count` above 1, `name 1`, `name 2` and so on.
    pub name: String,
    /// How many of it there are.
    pub count: u32,
    /// The stream of its consumer; may be empty if only one consumer has that name.
    pub stream: String,
    /// The consumer it pulls from; may be empty if the scenario has only one.
    pub consumer: String,
    /// When it connects and pulls for the first time.
    pub start: Time,
    /// When its connection closes, with all it holds; zero means never.
    pub stop: Time,
    /// Messages asked for by one pull.
    pub batch: u32,
    /// How long a pull waits at the server; zero means for ever (R51).
    pub expires: Dur,
    /// Wait between the end of a batch and the next pull.
    pub pause: Dur,
    /// What one message takes, if no behaviour matches; then it is acked.
    pub service_time: Service,
    /// While it works it sends in progress this often; zero means never (R71).
    pub in_progress_every: Dur,
    /// How likely it is to die with a message just before it answers.
    pub crash_chance: Chance,
    /// After a crash by chance it starts again so much later; zero means never.
    pub restart_after: Dur,
    /// How likely an answer is to get lost on its way to the server.
    pub lost_answer_chance: Chance,
    /// It sends the ack of its work as a request, and again whenever no confirmation came within this time (R46);
    /// zero means it sends it once and waits for nothing.
    pub ack_timeout: Dur,
    /// It answers before it works: at most once in disguise.
    pub ack_first: bool,
    /// Time between the commit of its side effect and the answer.
    pub commit_to_ack: Dur,
    /// Committing the effect of the same payload twice changes nothing the second time.
    pub idempotent: bool,
    /// It looks the payload up in a table of handled ones, kept with the effects, and skips the work if it is there.
    pub handled_table: bool,
    /// What the write or the table knows a message by.
    pub known_by: KnownBy,
    /// It subscribes to the deliver subject of its push consumer instead of pulling (R62).
    pub push: bool,
    /// It answers nothing on its own; the timeline does.
    pub manual: bool,
    /// It leaves after so many handled messages; zero means never.
    pub max_messages: u32,
    /// It stops pulling after so many pulls; zero means never.
    pub max_pulls: u32,
    /// What it does with particular messages; the first that matches counts.
    pub behaviour: Vec<Behaviour>,
}

impl Default for Worker {
    fn default() -> Self {
        Self {
            name: "worker".into(),
            count: 1,
            stream: String::new(),
            consumer: String::new(),
            start: Time::ZERO,
            stop: Time::ZERO,
            batch: 1,
            expires: Dur::ZERO,
            pause: Dur::ZERO,
            service_time: Service::default(),
            in_progress_every: Dur::ZERO,
            crash_chance: Chance::default(),
            restart_after: Dur::ZERO,
            lost_answer_chance: Chance::default(),
            ack_timeout: Dur::ZERO,
            ack_first: false,
            commit_to_ack: Dur::ZERO,
            idempotent: false,
            handled_table: false,
            known_by: KnownBy::Payload,
            push: false,
            manual: false,
            max_messages: 0,
            max_pulls: 0,
            behaviour: Vec::new(),
        }
    }
}

/// What an idempotent write or a table of handled messages knows a message by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KnownBy {
    /// By its payload, as by an order's number: two messages of one order are the same.
    #[default]
    Payload,
    /// By its stream sequence: a delivery again is the same, a second message of one order is another.
    Sequence,
}

/// A probability in millionths, from 0 to 1 000 000. In text a percentage: `2%`, `0.25%`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Chance(pub u32);

impl TryFrom<String> for Chance {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        let ppm = || {
            let number = text.trim().strip_suffix('%')?;
            let (whole, part) = number.split_once('.').unwrap_or((number, ""));
            if part.len() > 4 || !part.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            let part: u32 = format!("{part:0<4}").parse().ok()?;
            let ppm = whole.parse::<u32>().ok()?.checked_mul(10_000)?.checked_add(part)?;
            (ppm <= 1_000_000).then_some(Self(ppm))
        };
        ppm().ok_or_else(|| {
            let shown: String = text.chars().take(40).collect();
            format!("`{shown}` is not a probability; write a percentage from 0% to 100%, such as 2% or 0.5%")
        })
    }
}

impl From<Chance> for String {
    fn from(chance: Chance) -> Self {
        let (whole, part) = (chance.0 / 10_000, chance.0 % 10_000);
        if part == 0 {
            return format!("{whole}%");
        }
        let part = format!("{part:04}");
        format!("{whole}.{}%", part.trim_end_matches('0'))
    }
}

/// How long work takes.
///
/// In text: `200ms`, `100ms..300ms` (uniform), `exponential 200ms` (mean), `lognormal 200ms 50%` (median, spread).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Service {
    /// Always the same.
    Fixed(Dur),
    /// Evenly between two durations.
    Uniform(Dur, Dur),
    /// Exponential with this mean.
    Exponential(Dur),
    /// Log-normal: its median, and its standard deviation in log space in percent.
    LogNormal(Dur, u32),
}

impl Default for Service {
    fn default() -> Self {
        Self::Fixed(Dur::ZERO)
    }
}

impl TryFrom<String> for Service {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words[..] {
            ["exponential", mean] => Ok(Self::Exponential(Dur::parse(mean)?)),
            ["lognormal", median, spread] => {
                let spread =
                    spread.strip_suffix('%').and_then(|s| s.parse().ok()).ok_or_else(|| {
                        format!("`{spread}` is not a spread; write a percentage such as 50%")
                    })?;
                Ok(Self::LogNormal(Dur::parse(median)?, spread))
            }
            [one] => match one.split_once("..") {
                Some((low, high)) => {
                    let (low, high) = (Dur::parse(low)?, Dur::parse(high)?);
                    if low > high {
                        return Err(format!(
                            "`{one}` runs backwards; write the shorter time first"
                        ));
                    }
                    Ok(Self::Uniform(low, high))
                }
                None => Ok(Self::Fixed(Dur::parse(one)?)),
            },
            _ => Err(format!(
                "`{text}` is not a service time; write 200ms, 100ms..300ms, `exponential 200ms` or `lognormal 200ms 50%`"
            )),
        }
    }
}

impl From<Service> for String {
    fn from(service: Service) -> Self {
        match service {
            Service::Fixed(d) => d.go(),
            Service::Uniform(low, high) => format!("{}..{}", low.go(), high.go()),
            Service::Exponential(mean) => format!("exponential {}", mean.go()),
            Service::LogNormal(median, spread) => format!("lognormal {} {spread}%", median.go()),
        }
    }
}

/// What a worker does with a message that matches.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Behaviour {
    /// Which messages; an empty match is every message.
    #[serde(rename = "match")]
    pub on: Match,
    /// What happens, one after another; after the last step the worker takes its next message.
    pub steps: Vec<WorkStep>,
}

/// Which messages a behaviour is for; every part that is given must fit.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Match {
    /// The whole payload.
    pub data: String,
    /// The start of the payload.
    pub data_prefix: String,
    /// One of these stream sequences.
    pub stream_seq: Vec<u64>,
    /// One of these delivery numbers, from 1.
    pub attempt: Vec<u32>,
    /// The n-th message this worker ever received, from 1.
    pub nth: Vec<u32>,
    /// Work that begins before this moment, as long as what it needs is down, say.
    pub before: Option<Time>,
}

/// One step of a behaviour.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WorkStep {
    /// Time from the step before.
    pub after: Dur,
    /// What is then done.
    #[serde(rename = "do")]
    pub act: WorkAct,
    /// Delay of a nak; zero means at once (R74, R75).
    pub delay: Dur,
    /// Reason of a term.
    pub reason: String,
    /// Send the answer as a request and wait for its confirmation (R46).
    pub sync: bool,
    /// After a crash, start again so much later; zero means never.
    pub restart_after: Dur,
}

/// What a worker does in one step of a behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkAct {
    /// Acknowledges.
    #[default]
    Ack,
    /// Gives it back.
    Nak,
    /// Ends it for good.
    Term,
    /// Says in progress.
    InProgress,
    /// Commits its side effect, and goes on.
    Commit,
    /// Never answers, and goes on with the next message.
    None,
    /// Dies, with all it holds.
    Crash,
}

/// A subscription of Core NATS.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Subscriber {
    /// Its name.
    pub name: String,
    /// The subjects it hears.
    pub subject: String,
    /// Its queue group, if any (R4).
    pub queue: String,
    /// When it subscribes.
    pub start: Time,
    /// When its connection closes; zero means never.
    pub stop: Time,
    /// What its handler takes for one message; zero means the handler is never the limit.
    pub service_time: Service,
    /// The client library whose limits count where none are given.
    pub library: ClientLibrary,
    /// Most messages its client buffers (R9); zero means the library's default.
    pub pending_msgs_limit: u32,
    /// Most bytes its client buffers; zero means the library's default.
    pub pending_bytes_limit: u64,
    /// It answers requests with this text.
    pub reply_with: String,
    /// After its connection was closed it tries to connect this often; zero means it never comes back.
    pub reconnect_wait: Dur,
    /// How likely a copy is to get lost on its way to it.
    pub loss_chance: Chance,
    /// Whether an error callback is set; without it a drop is silent.
    pub error_callback: bool,
    /// It keeps a count, to which every message adds one.
    pub counts: bool,
    /// Every so-many-th message says the whole count, which then takes the place of the one kept; zero means none does.
    pub whole_every: u32,
}

impl Default for Subscriber {
    fn default() -> Self {
        Self {
            name: "subscriber".into(),
            subject: ">".into(),
            queue: String::new(),
            start: Time::ZERO,
            stop: Time::ZERO,
            service_time: Service::default(),
            library: ClientLibrary::None,
            pending_msgs_limit: 0,
            pending_bytes_limit: 0,
            reply_with: String::new(),
            reconnect_wait: Dur::ZERO,
            loss_chance: Chance::default(),
            error_callback: true,
            counts: false,
            whole_every: 0,
        }
    }
}

/// A client library, by the limits that it sets on what a subscription buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClientLibrary {
    /// No limits.
    #[default]
    None,
    /// nats.go: 500 000 messages, 64 MiB.
    Go,
    /// nats-py: 524 288 messages, 128 MiB (R9).
    Python,
    /// async-nats: 65 536 messages.
    Rust,
    /// NATS.Net: 1 024 messages.
    DotNet,
    /// jnats: 524 288 messages, 64 MiB.
    Java,
    /// nats.js: no limits.
    JavaScript,
}

impl ClientLibrary {
    /// Messages and bytes that a subscription buffers by default; zero means no limit.
    pub const fn limits(self) -> (u32, u64) {
        match self {
            Self::None | Self::JavaScript => (0, 0),
            Self::Go => (500_000, 64 << 20),
            Self::Python => (524_288, 128 << 20),
            Self::Rust => (65_536, 0),
            Self::DotNet => (1_024, 0),
            Self::Java => (524_288, 64 << 20),
        }
    }
}

impl Subscriber {
    /// Messages and bytes that its client buffers: as given, else as its library does; zero means no limit.
    pub const fn limits(&self) -> (u32, u64) {
        let (msgs, bytes) = self.library.limits();
        (
            if self.pending_msgs_limit > 0 { self.pending_msgs_limit } else { msgs },
            if self.pending_bytes_limit > 0 { self.pending_bytes_limit } else { bytes },
        )
    }
}

/// A publisher's connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Publisher {
    /// Its name, as publishing steps give it.
    pub name: String,
    /// While the server is away it tries to connect this often, and keeps what it publishes in its buffer
    /// (R11, R12); zero means publishing fails instead.
    pub reconnect_wait: Dur,
    /// Bytes that the buffer holds.
    pub buffer_bytes: u64,
}

impl Default for Publisher {
    fn default() -> Self {
        Self { name: String::new(), reconnect_wait: Dur::secs(2), buffer_bytes: 2 << 20 }
    }
}

/// The part that turns advisories into dead letters (R97–R99): it pulls them one by one from a consumer of the
/// stream that keeps them, gets the original, publishes a copy and acks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DeadLetterHandler {
    /// Its name.
    pub name: String,
    /// The stream that keeps the advisories.
    pub stream: String,
    /// Its consumer there.
    pub consumer: String,
    /// When it starts.
    pub start: Time,
    /// When its connection closes; zero means never.
    pub stop: Time,
    /// How often it copies each original: 2 shows what the message id is for.
    pub copies: u32,
    /// Whether the copy carries `<stream>.<consumer>.<seq>` as its message id (R98).
    pub message_id: bool,
    /// Whether it deletes the original afterwards (R99).
    pub delete_original: bool,
}

impl Default for DeadLetterHandler {
    fn default() -> Self {
        Self {
            name: "dead letters".into(),
            stream: String::new(),
            consumer: String::new(),
            start: Time::ZERO,
            stop: Time::ZERO,
            copies: 1,
            message_id: true,
            delete_original: false,
        }
    }
}

/// Something done at a given moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// When.
    pub at: Time,
    /// What.
    pub op: Op,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    /// Publishes messages.
    Publish(Publish),
    /// Sends one pull request (R50–R56).
    Pull(Pull),
    /// Answers a delivery by hand.
    Answer(Answer),
    /// Closes the connection of a worker or subscriber with no goodbye.
    Kill(String),
    /// Subscribes: a new subscriber, or one that went away under the same name. A worker of that name that went away
    /// connects and pulls again.
    Subscribe(Subscriber),
    /// Ends a subscription; the connection stays.
    Unsubscribe(String),
    /// A subscriber stops reading its socket (R8).
    Stall(String),
    /// It reads again.
    Resume(String),
    /// A publisher waits until the server has processed all it sent (R6).
    Flush(String),
    /// A request of Core NATS (R7).
    Request(Request),
    /// Creates a stream (R104).
    CreateStream(StreamConfig),
    /// Creates or changes a consumer (R102, R103).
    CreateConsumer(CreateConsumer),
    /// Deletes a consumer (R61, R110).
    DeleteConsumer(ConsumerRef),
    /// Purges a stream.
    PurgeStream(Purge),
    /// Gets a message by its sequence.
    GetMessage(MessageRef),
    /// Deletes a message by its sequence (R25).
    DeleteMessage(MessageRef),
    /// Asks for consumer info.
    ConsumerInfo(ConsumerRef),
    /// Asks for stream info.
    StreamInfo(String),
    /// Stops the server; every connection closes (R100).
    ServerStop,
    /// Starts it again on the same store.
    ServerStart,
}

/// Publishes messages one after another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Publish {
    /// The connection that publishes.
    pub by: String,
    /// The subject; `{i}` is the number of the message, from 1.
    pub subject: String,
    /// The payload; `{i}` as above. Figures label the message with it.
    pub data: String,
    /// How many.
    pub count: u32,
    /// Time between two; zero means each follows when the one before is through.
    pub every: Dur,
    /// As a JetStream publish (waits for the PubAck) or a plain one (R14).
    pub via: Via,
    /// `Nats-Msg-Id`, `{i}` as above; empty means none (R16).
    pub msg_id: String,
    /// It is published without its message id all the same: what a knob takes away.
    pub without_id: bool,
    /// The client flushes after each message: a plain publish then goes on when the server has processed it (R6).
    pub flush: bool,
    /// Bytes of further payload.
    pub pad_bytes: u32,
    /// How long a JetStream publish waits for its PubAck; zero means 5 s.
    pub timeout: Dur,
    /// After a timeout it publishes the same again, until a PubAck comes.
    pub retry: bool,
    /// How likely a message is to get lost on its way to the server, and a PubAck on its way back.
    pub lost_chance: Chance,
}

impl Default for Publish {
    fn default() -> Self {
        Self {
            by: "publisher".into(),
            subject: String::new(),
            data: "{i}".into(),
            count: 1,
            every: Dur::ZERO,
            via: Via::Js,
            msg_id: String::new(),
            without_id: false,
            flush: false,
            pad_bytes: 0,
            timeout: Dur::ZERO,
            retry: false,
            lost_chance: Chance::default(),
        }
    }
}

/// A text of a publishing step with `{i}` replaced by the number of the message.
pub fn numbered(template: &str, n: u32) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        let (before, tail) = rest.split_at(at);
        out.push_str(before);
        rest = match tail.strip_prefix("{i}") {
            Some(after) => {
                out.push_str(&n.to_string());
                after
            }
            None => {
                out.push('{');
                &tail[1..]
            }
        };
    }
    out.push_str(rest);
    out
}

/// How a message is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Via {
    /// JetStream: waits for the PubAck.
    #[default]
    Js,
    /// Core NATS: no answer.
    Core,
}

/// One pull request.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pull {
    /// The worker that asks.
    pub worker: String,
    /// The stream of the consumer; may be empty if only one consumer has that name.
    pub stream: String,
    /// The consumer that is asked.
    pub consumer: String,
    /// How many messages; zero means 1.
    pub batch: u32,
    /// How long it waits; zero means for ever.
    pub expires: Dur,
    /// Do not wait for messages (R52, R53).
    pub no_wait: bool,
    /// Most bytes; zero means no limit (R56).
    pub max_bytes: u32,
}

/// An answer given by hand.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Answer {
    /// The worker that answers.
    pub worker: String,
    /// The stream sequence of the delivery it answers.
    pub seq: u64,
    /// Which delivery of it; zero means its latest.
    pub attempt: u32,
    /// What it answers.
    #[serde(rename = "do")]
    pub act: AnswerAct,
    /// Delay of a nak, none where it is a plain one (R74, R75).
    pub delay: Option<Dur>,
    /// Reason of a term.
    pub reason: String,
    /// Sent as a request that waits for its confirmation (R46).
    pub sync: bool,
    /// Another sequence to put into the reply subject, never received; zero means the true one.
    pub forged_seq: u64,
    /// With [`AnswerAct::AckNext`]: how many messages the next pull asks for; zero means 1.
    pub next_batch: u32,
    /// With [`AnswerAct::Raw`]: the payload as sent.
    pub raw: String,
}

/// What an answer by hand says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerAct {
    /// `+ACK`.
    #[default]
    Ack,
    /// `-NAK`.
    Nak,
    /// `+TERM`.
    Term,
    /// `+WPI`.
    InProgress,
    /// `+NXT`.
    AckNext,
    /// Any payload.
    Raw,
}

/// A consumer by name.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConsumerRef {
    /// Its stream; may be empty if only one consumer has that name.
    pub stream: String,
    /// Its name.
    pub consumer: String,
}

/// A request of Core NATS.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Request {
    /// The connection that asks.
    pub by: String,
    /// The subject.
    pub subject: String,
    /// The payload.
    pub data: String,
    /// How long it waits for an answer.
    pub timeout: Dur,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            by: "publisher".into(),
            subject: String::new(),
            data: String::new(),
            timeout: Dur::secs(5),
        }
    }
}

/// Creates or changes a consumer.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CreateConsumer {
    /// Its stream.
    pub stream: String,
    /// What may exist before.
    pub action: CreateAction,
    /// Refuse a backoff whose first entry is not the ack wait (R83).
    pub pedantic: bool,
    /// The whole configuration.
    pub config: ConsumerConfig,
}

/// What a request to create a consumer does if there is one, or none, of that name (R102).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CreateAction {
    /// Creates it or changes it: what client libraries send.
    #[default]
    CreateOrUpdate,
    /// Only creates it: what the CLI sends.
    Create,
    /// Only changes it.
    Update,
}

/// Purges a stream.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Purge {
    /// The stream.
    pub stream: String,
    /// Only messages with a subject that this matches; empty means all.
    pub filter: String,
}

/// A message of a stream.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MessageRef {
    /// The stream.
    pub stream: String,
    /// Its sequence.
    pub seq: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_in_and_out() {
        for (text, ppm) in [("2%", 20_000), ("0.25%", 2_500), ("100%", 1_000_000), ("0%", 0)] {
            assert_eq!(Chance::try_from(text.to_owned()), Ok(Chance(ppm)));
            assert_eq!(String::from(Chance(ppm)), text);
        }
        for text in ["", "2", "101%", "-1%", "banana", "1.23456%", "%"] {
            assert!(
                Chance::try_from(text.to_owned()).unwrap_err().contains("not a probability"),
                "{text}"
            );
        }
    }

    #[test]
    fn service_times_in_and_out() {
        for text in ["200ms", "100ms..300ms", "exponential 200ms", "lognormal 200ms 50%"] {
            assert_eq!(String::from(Service::try_from(text.to_owned()).unwrap()), text);
        }
        for (text, error) in [
            ("3s..1s", "runs backwards"),
            ("soon", "not a duration"),
            ("normal 1s", "not a service time"),
            ("lognormal 1s big", "not a spread"),
        ] {
            assert!(Service::try_from(text.to_owned()).unwrap_err().contains(error), "{text}");
        }
    }
}
