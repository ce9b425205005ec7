//! Reads a recording: a file in one of the two recorded forms, a trace or a case.

use crate::case::Case;
use crate::event::{Event, When, nanos};
use crate::scenario::TraceScenario;
use crate::stop::{Stop, typed};
use delivery_sim::scenario::Version;
use serde::Deserialize;
use serde_json::{Map, Value};

/// A recording, read and checked for what the harness knows.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Its name, with the number of the variant: `max_deliver_one.v2`.
    pub id: String,
    /// The rules it shows; a case names none.
    pub rules: Vec<String>,
    /// The releases whose runs it describes, as in the file.
    pub versions: Vec<(String, Version)>,
    /// By how much a time may differ, in nanoseconds.
    pub tolerance: i64,
    /// How it is compared.
    pub timing: Timing,
    /// What must hold in a nondeterministic one, a sentence each.
    pub assertions: Vec<String>,
    /// What was done and what was seen.
    pub body: Body,
}

/// What was done and what was seen.
#[derive(Clone, Debug)]
pub enum Body {
    /// A trace: a scenario and all events.
    Trace(Box<TraceScenario>, Vec<Event>),
    /// A case: a scenario and what came of it.
    Case(Box<Case>),
}

/// How a recording is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Timing {
    /// Order on each lane, fields, and times within the tolerance.
    Exact,
    /// Order on each lane and fields; times are only indicative.
    Loose,
    /// The file's assertions; its events are one run among many possible ones.
    Nondeterministic,
}

/// A length of time or a moment in milliseconds, whole or not.
#[derive(Clone, Copy, Debug, PartialEq, Default, Deserialize)]
#[serde(transparent)]
pub struct Ms(pub f64);

impl Ms {
    /// Nanoseconds.
    ///
    /// # Errors
    /// Only what goes to the API may be below zero.
    pub fn nanos(self) -> Result<u64, Stop> {
        u64::try_from(nanos(self.0)).map_err(|_| Stop::lacks("a negative duration"))
    }

    /// As a length of time.
    ///
    /// # Errors
    /// As [`Ms::nanos`].
    pub fn dur(self) -> Result<delivery_sim::Dur, Stop> {
        self.nanos().map(delivery_sim::Dur)
    }

    /// As the API's number of nanoseconds, which may be below zero (R83).
    pub fn api(self) -> delivery_sim::Dur {
        delivery_sim::Dur::api(nanos(self.0))
    }

    /// As a moment.
    ///
    /// # Errors
    /// As [`Ms::nanos`].
    pub fn time(self) -> Result<delivery_sim::Time, Stop> {
        self.nanos().map(delivery_sim::Time)
    }
}

/// A trace as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TraceFile {
    #[serde(rename = "schema")]
    _schema: u32,
    id: String,
    #[serde(rename = "title")]
    _title: String,
    rules: Vec<String>,
    server_versions: Vec<String>,
    #[serde(rename = "runs")]
    _runs: u32,
    tolerance_ms: Ms,
    timing: Timing,
    #[serde(default)]
    variant: Option<String>,
    #[serde(default, rename = "first_difference_from_variant_1")]
    _first_difference: Value,
    #[serde(default)]
    assertions: Vec<String>,
    scenario: TraceScenario,
    events: Vec<Map<String, Value>>,
}

/// Reads the text of a file.
///
/// # Errors
/// [`Stop::Broken`] if it is not a recording, [`Stop::Lacks`] if it has a field that is not known here.
pub fn read(text: &str) -> Result<Recording, Stop> {
    let value: Value =
        serde_json::from_str(text).map_err(|e| Stop::Broken(format!("it is not JSON: {e}")))?;
    let Some(object) = value.as_object() else {
        return Err(Stop::Broken("it is JSON, but not an object".into()));
    };
    let is_trace = object.contains_key("scenario") && object.contains_key("events");
    let is_case = object.contains_key("observed");
    if !is_trace && !is_case {
        return Err(Stop::Broken(
            "it is not a recording: neither `scenario` and `events` (a trace) nor `observed` (a case) is there"
                .into(),
        ));
    }
    match object.get("schema").and_then(Value::as_u64) {
        Some(1) => {}
        Some(n) => return Err(Stop::lacks(format!("schema {n}"))),
        None => return Err(Stop::Broken("it does not say which `schema` it follows".into())),
    }
    if is_trace { trace(value) } else { case(value) }
}

fn trace(value: Value) -> Result<Recording, Stop> {
    let file: TraceFile = typed(value, "the trace")?;
    // `2 of 3`
    let id = match file.variant.as_deref().and_then(|variant| variant.split(' ').next()) {
        Some(n) => format!("{}.v{n}", file.id),
        None => file.id,
    };
    let events = file.events.into_iter().map(event).collect::<Result<Vec<_>, _>>()?;
    if events.is_empty() {
        return Err(Stop::Broken("it has no events to compare".into()));
    }
    match (file.timing, file.assertions.is_empty()) {
        (Timing::Nondeterministic, true) => {
            return Err(Stop::Broken("it is nondeterministic and has no assertions".into()));
        }
        (Timing::Exact | Timing::Loose, false) => {
            return Err(Stop::lacks("assertions beside events that are compared"));
        }
        _ => {}
    }
    Ok(Recording {
        id,
        rules: file.rules,
        versions: versions(&file.server_versions)?,
        tolerance: nanos(file.tolerance_ms.0),
        timing: file.timing,
        assertions: file.assertions,
        body: Body::Trace(Box::new(file.scenario), events),
    })
}

fn case(value: Value) -> Result<Recording, Stop> {
    let case: Case = typed(value, "the case")?;
    let mut named = case.server_versions.clone();
    named.extend(case.variants.iter().flat_map(|variant| variant.server_versions.clone()));
    Ok(Recording {
        id: case.id.clone(),
        rules: Vec::new(),
        versions: versions(&named)?,
        tolerance: nanos(case.tolerance_ms.0),
        timing: Timing::Exact,
        assertions: Vec::new(),
        body: Body::Case(Box::new(case)),
    })
}

/// The simulator's version for each named release, by its first two numbers.
fn versions(named: &[String]) -> Result<Vec<(String, Version)>, Stop> {
    if named.is_empty() {
        return Err(Stop::Broken("it names no server version".into()));
    }
    let one = |name: &String| {
        let short = name.splitn(3, '.').take(2).collect::<Vec<_>>().join(".");
        let version = Version::ALL.into_iter().find(|version| version.name() == short);
        version.map(|v| (name.clone(), v)).ok_or_else(|| Stop::lacks(format!("server {name}")))
    };
    named.iter().map(one).collect()
}

/// An event as a trace writes it: `t_ms`, `t_lo`, `t_hi`, `lane`, `kind`, and the rest are fields.
fn event(mut object: Map<String, Value>) -> Result<Event, Stop> {
    let at = when(&mut object)?;
    let mut text = |name: &str| match object.remove(name) {
        Some(Value::String(text)) => Ok(text),
        _ => Err(Stop::Broken(format!("an event has no `{name}`"))),
    };
    Ok(Event { lane: text("lane")?, kind: text("kind")?, at: Some(at), fields: object })
}

/// Takes the moment out of an event.
pub(crate) fn when(object: &mut Map<String, Value>) -> Result<When, Stop> {
    let mut number = |name: &str| match object.remove(name) {
        None => Ok(None),
        Some(value) => match value.as_f64() {
            Some(ms) => Ok(Some(nanos(ms))),
            None => Err(Stop::Broken(format!("`{name}` of an event is not a number"))),
        },
    };
    let t = number("t_ms")?.ok_or_else(|| Stop::Broken("an event has no `t_ms`".into()))?;
    Ok(When { t, lo: number("t_lo")?.unwrap_or(t).min(t), hi: number("t_hi")?.unwrap_or(t).max(t) })
}
