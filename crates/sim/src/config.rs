//! Configurations as users have them: the JSON of the NATS API and its command line, in and out.
//!
//! [`read`] takes what `nats stream info --json` and `nats consumer info --json` print, the `config` of either
//! alone, what `nats consumer add --config` reads, a create request, and single entries of lists. It works on a
//! small [`Json`] value, so that a browser can bring its own parser; `load` (feature `json`) parses as well.
//! [`stream_json`] and [`consumer_json`] go the other way, and [`calls`] writes what creates them in each client.

mod calls;
mod date;
#[cfg(feature = "json")]
mod parse;
mod write;

use crate::scenario::{
    AckPolicy, ConsumerConfig, DeliverPolicy, Discard, ReplayPolicy, Retention, StreamConfig,
};
use crate::time::{Dur, Time};
use core::fmt;

pub use calls::{LANGUAGES, calls};
#[cfg(feature = "json")]
pub use parse::load;
pub use write::{consumer_json, stream_json};

/// A JSON value, as far as configurations need one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// `null`, which counts as not given.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Whole(i128),
    /// A number with a fraction or an exponent, or beyond 64 bits. Configurations have none, so its value is not kept.
    Fraction,
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Self>),
    /// An object, its fields in order; of two fields with one name the last counts.
    Object(Vec<(String, Self)>),
}

/// A configuration that was read.
#[derive(Clone, Debug, PartialEq)]
pub enum Loaded {
    /// That of a stream.
    Stream {
        /// What the simulator takes from it.
        config: StreamConfig,
        /// What it does not take, and what that means for a run: a sentence each.
        notes: Vec<String>,
    },
    /// That of a consumer.
    Consumer {
        /// The stream it belongs to; empty where the document does not say.
        stream: String,
        /// What the simulator takes from it.
        config: ConsumerConfig,
        /// What it does not take, and what that means for a run: a sentence each.
        notes: Vec<String>,
    },
}

/// One step from a value to a value inside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Into the field of an object.
    Field(String),
    /// Into an entry of a list, from 0.
    Entry(usize),
}

/// What is wrong in a document, and where. Its text names the place: `` `config.ack_wait` is true; … ``.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The way from the whole document to the value, innermost part first.
    way: Vec<Part>,
    /// What the value is and what is expected: `is true; write …`.
    text: String,
}

impl Problem {
    fn new(text: impl Into<String>) -> Self {
        Self { way: Vec::new(), text: text.into() }
    }

    fn inside(mut self, part: Part) -> Self {
        self.way.push(part);
        self
    }

    /// The way from the whole document to the value, outermost part first; empty for the document itself.
    pub fn way(&self) -> impl Iterator<Item = &Part> {
        self.way.iter().rev()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.way.is_empty() {
            return write!(f, "the document {}", self.text);
        }
        f.write_str("`")?;
        for (i, part) in self.way().enumerate() {
            match part {
                Part::Field(name) if i == 0 => f.write_str(name)?,
                Part::Field(name) => write!(f, ".{name}")?,
                Part::Entry(n) => write!(f, "[{n}]")?,
            }
        }
        write!(f, "` {}", self.text)
    }
}

type Fields = [(String, Json)];

/// A field that is given, which `null` is not.
fn get<'a>(fields: &'a Fields, name: &str) -> Option<&'a Json> {
    let found = fields.iter().rev().find(|(n, _)| n == name).map(|(_, value)| value);
    found.filter(|value| **value != Json::Null)
}

/// Reads a field, the default where it is not given.
fn field<T: Default>(
    fields: &Fields,
    name: &str,
    read: impl Fn(&Json) -> Result<T, Problem>,
) -> Result<T, Problem> {
    match get(fields, name) {
        Some(value) => read(value).map_err(|p| p.inside(Part::Field(name.into()))),
        None => Ok(T::default()),
    }
}

impl Json {
    /// Whether a field with this value says nothing: what a server prints for a setting that is off.
    fn is_blank(&self) -> bool {
        match self {
            Self::Null | Self::Bool(false) | Self::Whole(-1 | 0) => true,
            Self::Text(text) => text.is_empty(),
            Self::List(entries) => entries.is_empty(),
            Self::Object(fields) => fields.iter().all(|(_, value)| value.is_blank()),
            _ => false,
        }
    }

    fn fields(&self) -> Option<&Fields> {
        match self {
            Self::Object(fields) => Some(fields),
            _ => None,
        }
    }

    fn described(&self) -> String {
        match self {
            Self::Null => "null".into(),
            Self::Bool(yes) => yes.to_string(),
            Self::Whole(n) => format!("the number {n}"),
            Self::Fraction => "a number with a fraction, or beyond 64 bits".into(),
            Self::Text(text) => {
                let shown: String = text.chars().take(40).collect();
                format!("the text {}", write::quoted(&shown))
            }
            Self::List(_) => "a list".into(),
            Self::Object(_) => "an object".into(),
        }
    }

    fn wrong<T>(&self, expected: &str) -> Result<T, Problem> {
        Err(Problem::new(format!("is {}; {expected}", self.described())))
    }

    fn text(&self) -> Result<String, Problem> {
        match self {
            Self::Text(text) => Ok(text.clone()),
            _ => self.wrong("write a text in double quotes"),
        }
    }

    fn yes(&self) -> Result<bool, Problem> {
        match self {
            Self::Bool(yes) => Ok(*yes),
            _ => self.wrong("write true or false"),
        }
    }

    /// A whole number that fits `T`.
    fn number<T: TryFrom<i128>>(&self) -> Result<T, Problem> {
        match self {
            Self::Whole(n) => match T::try_from(*n) {
                Ok(n) => Ok(n),
                Err(_) => self.wrong("that is out of range"),
            },
            _ => self.wrong("write a whole number"),
        }
    }

    /// A duration in nanoseconds, below zero as well (R83).
    fn dur(&self) -> Result<Dur, Problem> {
        match self {
            Self::Whole(_) => self.number().map(Dur::api),
            Self::Text(text) => match Dur::parse(text) {
                Ok(dur) => self.wrong(&format!("write it in nanoseconds, {}", dur.0)),
                Err(_) => {
                    self.wrong("write a whole number of nanoseconds, such as 30000000000 for 30 s")
                }
            },
            _ => self.wrong("write a whole number of nanoseconds, such as 30000000000 for 30 s"),
        }
    }

    fn list<T>(&self, read: impl Fn(&Self) -> Result<T, Problem>) -> Result<Vec<T>, Problem> {
        match self {
            Self::List(entries) => {
                let read = |(i, entry)| read(entry).map_err(|p: Problem| p.inside(Part::Entry(i)));
                entries.iter().enumerate().map(read).collect()
            }
            _ => self.wrong("write a list in square brackets"),
        }
    }

    /// One of a few words.
    fn word<T: Copy>(&self, words: &[(&str, T)]) -> Result<T, Problem> {
        if let Self::Text(text) = self
            && let Some((_, value)) = words.iter().find(|(word, _)| word == text)
        {
            return Ok(*value);
        }
        let mut expected = String::from("write one of");
        for (i, (word, _)) in words.iter().enumerate() {
            expected.push_str(if i == 0 { " " } else { ", " });
            expected.push_str(word);
        }
        self.wrong(&expected)
    }
}

const RETENTIONS: [(&str, Retention); 3] = [
    ("limits", Retention::Limits),
    ("interest", Retention::Interest),
    ("workqueue", Retention::WorkQueue),
];
const DISCARDS: [(&str, Discard); 2] = [("old", Discard::Old), ("new", Discard::New)];
const DELIVER_POLICIES: [(&str, DeliverPolicy); 6] = [
    ("all", DeliverPolicy::All),
    ("last", DeliverPolicy::Last),
    ("new", DeliverPolicy::New),
    ("by_start_sequence", DeliverPolicy::ByStartSequence),
    ("by_start_time", DeliverPolicy::ByStartTime),
    ("last_per_subject", DeliverPolicy::LastPerSubject),
];
const ACK_POLICIES: [(&str, AckPolicy); 3] =
    [("none", AckPolicy::None), ("all", AckPolicy::All), ("explicit", AckPolicy::Explicit)];
const REPLAY_POLICIES: [(&str, ReplayPolicy); 2] =
    [("instant", ReplayPolicy::Instant), ("original", ReplayPolicy::Original)];

/// What becomes of a setting of a server.
#[derive(Clone, Copy)]
enum Use {
    /// The simulator takes it.
    Taken,
    /// It changes nothing that a run shows.
    Quiet,
    /// It is not modelled: its usual value, which needs no note, and what a run does in its place.
    Missing(&'static str, &'static str),
}
use Use::{Missing, Quiet, Taken};

/// The settings of a stream, up to server 2.15.
const STREAM: &[(&str, Use)] = &[
    ("name", Taken),
    ("subjects", Taken),
    ("retention", Taken),
    ("max_msgs", Taken),
    ("max_bytes", Taken),
    ("max_msgs_per_subject", Taken),
    ("max_age", Taken),
    ("discard", Taken),
    ("discard_new_per_subject", Taken),
    ("duplicate_window", Taken),
    ("description", Quiet),
    ("metadata", Quiet),
    ("placement", Quiet),
    ("template_owner", Quiet),
    ("compression", Quiet),
    ("allow_direct", Quiet),
    ("mirror_direct", Quiet),
    ("num_replicas", Missing("1", "a run has one server, so no replica is ever behind or lost")),
    (
        "storage",
        Missing("file", "a run keeps messages over a restart, which this storage does not"),
    ),
    (
        "mirror",
        Missing("", "a run copies nothing from another stream; publish to this one instead"),
    ),
    (
        "sources",
        Missing("", "a run copies nothing from other streams; publish to this one instead"),
    ),
    ("max_consumers", Missing("", "a run does not limit the number of consumers")),
    ("max_msg_size", Missing("", "a run takes messages of any size")),
    ("no_ack", Missing("", "publishers get their PubAck in a run all the same")),
    ("sealed", Missing("", "the stream takes messages in a run all the same")),
    ("deny_delete", Missing("", "messages can be deleted in a run all the same")),
    ("deny_purge", Missing("", "the stream can be purged in a run all the same")),
    ("allow_rollup_hdrs", Missing("", "a rollup header removes nothing in a run")),
    ("first_seq", Missing("1", "sequences of a run start at 1")),
    ("subject_transform", Missing("", "subjects stay as they are published in a run")),
    ("republish", Missing("", "a run republishes nothing")),
    ("consumer_limits", Missing("", "a run does not apply these limits to consumers")),
    ("allow_msg_ttl", Missing("", "only max_age removes messages by their age in a run")),
    ("subject_delete_marker_ttl", Missing("", "a run places no delete markers")),
    ("allow_msg_counter", Missing("", "a run adds nothing up")),
    ("allow_atomic", Missing("", "messages of a run are published one by one")),
    ("allow_batched", Missing("", "messages of a run are published one by one")),
    ("allow_msg_schedules", Missing("", "a run delivers nothing by schedule")),
    ("persist_mode", Missing("default", "a run stores every message before it sends the PubAck")),
];

/// The settings of a consumer, up to server 2.15.
const CONSUMER: &[(&str, Use)] = &[
    ("name", Taken),
    ("durable_name", Taken),
    ("deliver_policy", Taken),
    ("opt_start_seq", Taken),
    ("opt_start_time", Taken),
    ("ack_policy", Taken),
    ("ack_wait", Taken),
    ("backoff", Taken),
    ("max_deliver", Taken),
    ("filter_subject", Taken),
    ("filter_subjects", Taken),
    ("replay_policy", Taken),
    ("max_waiting", Taken),
    ("max_ack_pending", Taken),
    ("deliver_subject", Taken),
    ("deliver_group", Taken),
    ("inactive_threshold", Taken),
    ("description", Quiet),
    ("metadata", Quiet),
    ("sample_freq", Quiet),
    ("direct", Quiet),
    ("num_replicas", Missing("1", "a run has one server, so no replica is ever behind or lost")),
    (
        "mem_storage",
        Missing(
            "",
            "a run keeps the consumer's state over a restart, which memory storage does not",
        ),
    ),
    ("rate_limit_bps", Missing("", "a run delivers without a rate limit")),
    ("flow_control", Missing("", "a run pushes without flow control, up to max_ack_pending")),
    ("idle_heartbeat", Missing("", "a run sends no heartbeats")),
    ("headers_only", Missing("", "messages of a run come with their payload")),
    (
        "max_batch",
        Missing("", "a pull of a run may ask for more; keep the batch of its workers below this"),
    ),
    (
        "max_expires",
        Missing("", "a pull of a run may wait longer; keep expires of its workers below this"),
    ),
    ("max_bytes", Missing("", "a pull of a run may ask for more bytes")),
    ("pause_until", Missing("0001-01-01T00:00:00Z", "the consumer is never paused in a run")),
    (
        "priority_groups",
        Missing("", "waiting pulls of a run form one line, without priority groups"),
    ),
    (
        "priority_policy",
        Missing("none", "waiting pulls of a run form one line, without priorities"),
    ),
    ("priority_timeout", Missing("", "no pull of a run is pinned")),
];

/// What stands beside `config` in the documents of a server and its command line.
const AROUND: &[&str] = &[
    "type",
    "name",
    "stream_name",
    "created",
    "config",
    "delivered",
    "ack_floor",
    "num_ack_pending",
    "num_redelivered",
    "num_waiting",
    "num_pending",
    "cluster",
    "push_bound",
    "paused",
    "pause_remaining",
    "ts",
    "priority_groups",
    "state",
    "mirror",
    "sources",
    "alternates",
    "domain",
    "total",
    "offset",
    "limit",
    "action",
    "pedantic",
    "did_create",
];

/// Reads a document of a stream or a consumer.
///
/// What the simulator does not model or does not know is named in the notes. Whether a server takes the
/// configuration is not checked here but by [`check`](crate::check).
///
/// # Errors
/// What is wrong in the document, where, and what is expected.
pub fn read(document: &Json) -> Result<Loaded, Problem> {
    let fields = match document {
        Json::Object(fields) => fields,
        Json::List(entries) => return only_entry(entries),
        _ => {
            return document.wrong(
                "paste what `nats consumer info --json` or `nats stream info --json` prints",
            );
        }
    };
    for list in ["streams", "consumers"] {
        if let Some(Json::List(entries)) = get(fields, list) {
            return only_entry(entries).map_err(|p| p.inside(Part::Field(list.into())));
        }
    }
    if let Some(error) = get(fields, "error").and_then(Json::fields) {
        let text = field(error, "description", Json::text).unwrap_or_default();
        let code: u32 = field(error, "err_code", Json::number).unwrap_or_default();
        return Err(Problem::new(format!(
            "is a server's refusal, {code} `{text}`; ask for a stream or consumer that exists"
        )));
    }
    let (config, inside) = match get(fields, "config") {
        Some(Json::Object(config)) => (config.as_slice(), true),
        Some(other) => {
            return other
                .wrong("write an object in braces")
                .map_err(|p: Problem| p.inside(Part::Field("config".into())));
        }
        None => (fields.as_slice(), false),
    };
    let around: &Fields = if inside { fields } else { &[] };
    let place = |p: Problem| if inside { p.inside(Part::Field("config".into())) } else { p };
    let known = |table: &[(&str, Use)]| {
        config.iter().filter(|(name, _)| find(table, name).is_some()).count()
    };
    let (of_stream, of_consumer) = (known(STREAM), known(CONSUMER));
    let mut notes = Vec::new();
    for (name, value) in around {
        if !AROUND.contains(&name.as_str()) && !value.is_blank() {
            notes.push(unknown(name));
        }
    }
    if get(around, "stream_name").is_some() || of_consumer > of_stream {
        leave_out(config, CONSUMER, &mut notes);
        let config = consumer(config, around, &mut notes, &place)?;
        let stream = field(around, "stream_name", Json::text)?;
        Ok(Loaded::Consumer { stream, config, notes })
    } else if get(around, "state").is_some() || of_stream > of_consumer {
        leave_out(config, STREAM, &mut notes);
        let config = stream(config, around, &mut notes).map_err(place)?;
        Ok(Loaded::Stream { config, notes })
    } else {
        Err(Problem::new(
            "has no settings by which to tell a stream (subjects, retention …) from a consumer (ack_policy, ack_wait …); paste the whole output of --json",
        ))
    }
}

/// A list with one document in it stands for that document.
fn only_entry(entries: &[Json]) -> Result<Loaded, Problem> {
    match entries {
        [entry @ Json::Object(_)] => read(entry).map_err(|p| p.inside(Part::Entry(0))),
        [Json::Object(_), ..] => {
            Err(Problem::new(format!("is a list of {}; paste one of its entries", entries.len())))
        }
        _ => Err(Problem::new(
            "is a list without configurations; paste what `nats consumer info --json` or `nats stream info --json` prints",
        )),
    }
}

fn find(table: &[(&str, Use)], name: &str) -> Option<Use> {
    table.iter().find(|(known, _)| *known == name).map(|(_, what)| *what)
}

fn unknown(name: &str) -> String {
    let shown: String = name.chars().take(60).collect();
    format!("`{shown}` is not known here and left out")
}

/// Notes what the simulator does not take from a configuration.
fn leave_out(config: &Fields, table: &[(&str, Use)], notes: &mut Vec<String>) {
    let mut quiet = Vec::new();
    for (name, value) in config {
        let by_server = |fields: &Fields| fields.iter().all(|(key, _)| key.starts_with("_nats."));
        if value.is_blank() || name == "metadata" && value.fields().is_some_and(by_server) {
            continue;
        }
        match find(table, name) {
            Some(Taken) => {}
            Some(Quiet) if name == "compression" && *value == Json::Text("none".into()) => {}
            Some(Quiet) => quiet.push(format!("`{name}`")),
            Some(Missing(usual, instead)) => {
                let is_usual = match value {
                    Json::Text(text) => text == usual,
                    Json::Whole(n) => n.to_string() == usual,
                    _ => false,
                };
                if !is_usual {
                    notes.push(format!("`{name}` is not modelled: {instead}"));
                }
            }
            None => notes.push(unknown(name)),
        }
    }
    match &quiet[..] {
        [] => {}
        [one] => notes.push(format!("{one} changes nothing in a run and is left out")),
        many => notes.push(format!("{} change nothing in a run and are left out", many.join(", "))),
    }
}

fn stream(
    config: &Fields,
    around: &Fields,
    notes: &mut Vec<String>,
) -> Result<StreamConfig, Problem> {
    let limit =
        |name: &str| field(config, name, Json::number::<i64>).map(|n| if n <= 0 { -1 } else { n });
    let mut read = StreamConfig {
        name: field(config, "name", Json::text)?,
        subjects: field(config, "subjects", |v| v.list(Json::text))?,
        retention: field(config, "retention", |v| v.word(&RETENTIONS))?,
        max_msgs: limit("max_msgs")?,
        max_bytes: limit("max_bytes")?,
        max_msgs_per_subject: limit("max_msgs_per_subject")?,
        max_age: field(config, "max_age", Json::dur)?,
        discard: field(config, "discard", |v| v.word(&DISCARDS))?,
        discard_new_per_subject: field(config, "discard_new_per_subject", Json::yes)?,
        duplicate_window: field(config, "duplicate_window", Json::dur)?,
    };
    if read.subjects.is_empty() && !read.name.is_empty() {
        notes.push(format!(
            "no subjects are given: the stream captures the subject of its own name, `{}`",
            read.name
        ));
        read.subjects.push(read.name.clone());
    }
    let state = get(around, "state").and_then(Json::fields).unwrap_or_default();
    if let Some(Json::Whole(messages @ 1..)) = get(state, "messages") {
        notes.push(format!(
            "the {messages} stored messages are not loaded: a run begins with an empty stream"
        ));
    }
    Ok(read)
}

fn consumer(
    config: &Fields,
    around: &Fields,
    notes: &mut Vec<String>,
    place: &dyn Fn(Problem) -> Problem,
) -> Result<ConsumerConfig, Problem> {
    let mut read = consumer_settings(config, notes).map_err(place)?;
    if read.durable_name.is_empty() {
        read.durable_name = match field(config, "name", Json::text).map_err(place)? {
            name if name.is_empty() => field(around, "name", Json::text)?,
            name => name,
        };
        if read.durable_name.is_empty() {
            read.durable_name = "consumer".into();
            notes.push(
                "it has no name, so a server makes one up; here it is called `consumer`".into(),
            );
        }
        if read.inactive_threshold == Dur::ZERO {
            read.inactive_threshold = Dur::secs(5);
            notes.push("without durable_name it is ephemeral: deleted when unused for 5 s (inactive_threshold)".into());
        }
    }
    if read.deliver_policy == DeliverPolicy::ByStartTime {
        let given = field(config, "opt_start_time", Json::text).map_err(place)?;
        read.opt_start_time = start_time(&given, around, notes)
            .map_err(|p| place(p.inside(Part::Field("opt_start_time".into()))))?;
    } else if get(config, "opt_start_time").is_some() {
        notes.push("`opt_start_time` is left out: it belongs to deliver_policy by_start_time, and a server refuses it here".into());
    }
    let delivered = get(around, "delivered").and_then(Json::fields).unwrap_or_default();
    let moved = [
        get(delivered, "consumer_seq"),
        get(around, "num_pending"),
        get(around, "num_ack_pending"),
    ];
    if moved.into_iter().flatten().any(|value| !value.is_blank()) {
        notes.push(
            "its position and counters are not loaded: a run begins with a new consumer".into(),
        );
    }
    Ok(read)
}

fn consumer_settings(config: &Fields, notes: &mut Vec<String>) -> Result<ConsumerConfig, Problem> {
    let read = ConsumerConfig {
        durable_name: field(config, "durable_name", Json::text)?,
        deliver_policy: field(config, "deliver_policy", |v| v.word(&DELIVER_POLICIES))?,
        opt_start_seq: field(config, "opt_start_seq", Json::number)?,
        opt_start_time: Time::ZERO,
        ack_policy: match get(config, "ack_policy") {
            Some(_) => field(config, "ack_policy", |v| v.word(&ACK_POLICIES))?,
            None => AckPolicy::None,
        },
        ack_wait: field(config, "ack_wait", Json::dur)?,
        backoff: field(config, "backoff", |v| v.list(Json::dur))?,
        max_deliver: match field(config, "max_deliver", Json::number::<i64>)? {
            n if n <= 0 => -1,
            n => n,
        },
        filter_subjects: field(config, "filter_subjects", |v| v.list(Json::text))?,
        replay_policy: field(config, "replay_policy", |v| v.word(&REPLAY_POLICIES))?,
        // A server takes what is below zero as not given.
        max_waiting: field(config, "max_waiting", |v| {
            v.number::<i64>()?.max(0).try_into().or(v.wrong("that is out of range"))
        })?,
        max_ack_pending: field(config, "max_ack_pending", Json::number)?,
        deliver_subject: field(config, "deliver_subject", Json::text)?,
        deliver_group: field(config, "deliver_group", Json::text)?,
        inactive_threshold: field(config, "inactive_threshold", Json::dur)?,
    };
    if get(config, "ack_policy").is_none() {
        notes.push("ack_policy is not given, which for a server is `none`".into());
    }
    let name = field(config, "name", Json::text)?;
    if !name.is_empty() && !read.durable_name.is_empty() && name != read.durable_name {
        let text = format!(
            "is the text {}, but durable_name is {}; give one of them, or the same twice",
            write::quoted(&name),
            write::quoted(&read.durable_name)
        );
        return Err(Problem::new(text).inside(Part::Field("name".into())));
    }
    let filter = field(config, "filter_subject", Json::text)?;
    match (filter.is_empty(), read.filter_subjects.is_empty()) {
        (true, _) => Ok(read),
        (false, true) => Ok(ConsumerConfig { filter_subjects: vec![filter], ..read }),
        (false, false) => {
            let text = "stands beside filter_subjects; a server takes one of the two (10136)";
            Err(Problem::new(text).inside(Part::Field("filter_subject".into())))
        }
    }
}

/// The moment of a run that stands for a start time: a run begins when the document was created or written.
fn start_time(given: &str, around: &Fields, notes: &mut Vec<String>) -> Result<Time, Problem> {
    if given.is_empty() {
        notes.push("opt_start_time is not given, which a server refuses; a run starts with the first message".into());
        return Ok(Time::ZERO);
    }
    let Some(wanted) = date::parse(given) else {
        return Err(Problem::new(format!(
            "is the text {}; write a date such as 2026-01-31T08:00:00Z",
            write::quoted(given)
        )));
    };
    let base = ["created", "ts"].into_iter().find_map(|name| match get(around, name) {
        Some(Json::Text(text)) => date::parse(text).map(|base| (name, base)),
        _ => None,
    });
    let (name, base) = match base {
        Some(base) => base,
        // Our own documents count from there.
        None if (0..date::YEAR).contains(&wanted) => return Ok(Time(wanted as u64)),
        None => {
            notes.push("`opt_start_time` is left out: a run has no date, and the document does not say when it was made".into());
            return Ok(Time::ZERO);
        }
    };
    match u64::try_from(wanted - base) {
        Ok(after) => Ok(Time(after)),
        Err(_) => {
            notes.push(format!("`opt_start_time` lies before `{name}`, where a run begins: every message is delivered"));
            Ok(Time::ZERO)
        }
    }
}
