//! What a lab is: a scenario with a title, a question and the settings that a reader may change.

use crate::condition::{Condition, Turns};
use crate::put::Put as _;
use crate::query::{self, shown};
use crate::window::Window;
use delivery_sim::setting::{Form, Setting, Value};
use delivery_sim::{Dur, Scenario, Time, Trace};
use serde::{Deserialize, Serialize};

/// A live figure, complete: read from `content/labs/*.toml`, carried by a page in a compact form.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lab {
    /// Its name in addresses and chapters; the file's name without `.toml`.
    #[serde(default)]
    pub slug: String,
    /// The point it makes.
    pub title: String,
    /// What the reader is asked to predict.
    pub question: String,
    /// The moment it opens on.
    pub opens_at: Time,
    /// Its default run.
    pub scenario: Scenario,
    /// What a reader may change, in the order shown.
    pub knobs: Vec<Knob>,
    /// A second system to which the same happens, drawn above the first on the same time axis.
    #[serde(default)]
    pub beside: Option<Beside>,
    /// What the reader may answer to the question; empty if it is left open.
    #[serde(default)]
    pub answers: Vec<Answer>,
    /// What the reader may try to bring about.
    #[serde(default)]
    pub goals: Vec<Goal>,
}

/// A second system of a lab: the knobs turn whichever of the two has the setting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Beside {
    /// What this system is called, `Core NATS`.
    pub title: String,
    /// What the lab's own is called beside it, `JetStream`.
    pub own_title: String,
    /// The run of this system; it ends when the lab's own does.
    pub scenario: Scenario,
}

/// An answer to the question of a lab. Whether it is right is computed from the run on screen.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The answer.
    pub text: String,
    /// When it is right.
    pub right_when: Condition,
    /// What is said to it while the default run is on screen.
    pub say: String,
    /// The event that decides; of several the first.
    pub because: Condition,
}

/// Something that a reader may bring about with the knobs.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Goal {
    /// What to bring about, as an instruction.
    pub text: String,
    /// When it is done.
    pub when: Condition,
    /// Settings that do it.
    pub by: Turns,
    /// The moment that shows it then; the book finds it in the run.
    #[serde(skip)]
    pub at: Time,
}

/// One setting offered to the reader.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Knob {
    /// Its key in the address, `ack_wait`.
    pub name: String,
    /// What it is called on the page; empty means its name, set as code.
    #[serde(default)]
    pub label: String,
    /// The path of the setting it changes, as [`Setting::parse`] reads it.
    pub setting: String,
    /// The positions of its slider, as [`Value::parse`] reads them, in ascending order. The default need not be among
    /// them. A setting with words to choose from may leave them out.
    #[serde(default)]
    pub positions: Vec<String>,
    /// Whether it is kept under "More settings".
    #[serde(default)]
    pub more: bool,
}

delivery_sim::compact_struct!(Lab {
    slug,
    title,
    question,
    opens_at,
    scenario,
    knobs,
    beside,
    answers,
    goals
});
delivery_sim::compact_struct!(Beside { title, own_title, scenario });
delivery_sim::compact_struct!(Answer { text, right_when, say, because });
delivery_sim::compact_struct!(Goal { text, when, by, at });
delivery_sim::compact_struct!(Knob { name, label, setting, positions, more });

/// A lab with its knobs turned: what the address says.
#[derive(Clone, Debug, PartialEq)]
pub struct Position {
    /// The value of each knob, in the order of [`Lab::knobs`].
    pub values: Vec<Value>,
    /// The moment shown.
    pub t: Time,
    /// The stretch of the run that the picture shows; none for all of it.
    pub window: Option<Window>,
    /// The values of a run that is kept beside it to compare, likewise in the order of [`Lab::knobs`].
    pub pinned: Option<Vec<Value>>,
}

/// The longest duration a reader may set: 24 h. Beyond it a run would be too long to draw.
pub const MAX_DUR: Dur = Dur::secs(24 * 3600);
/// The largest number a reader may set.
pub const MAX_COUNT: u64 = 10_000;
/// The largest number of bytes a reader may set: 1 GiB.
pub const MAX_BYTES: u64 = 1 << 30;
/// The largest number of workers of one kind a reader may set: each asks again and again, which makes the longest runs.
pub const MAX_WORKERS: u64 = 100;
/// The longest list of durations a reader may set.
pub const MAX_LIST: usize = 32;
/// Settings that every lab with a consumer offers.
const NEEDED: [&str; 3] = ["ack_wait", "backoff", "max_deliver"];
/// Knobs shown at first; further ones belong under "More settings".
pub const MAX_KNOBS_SHOWN: usize = 5;
/// The key of an address that asks for a dark or light page, and is no lab's.
const THEME: &str = "theme";
/// Keys of an address that no knob can have, and what they are.
const RESERVED: [(&str, &str); 4] = [
    ("t", "moment shown"),
    ("view", "part of the run shown"),
    ("pin", "run that was pinned"),
    (THEME, "look of the page"),
];
/// Sentences that [`Lab::read_query`] gives at most; a last one counts what is left.
const MAX_SENTENCES: usize = 3;

/// Most events of a run that becomes a figure. An address may ask for a beat every nanosecond.
const MAX_EVENTS: usize = 200_000;

const TOO_MANY: &str = "the run has more than 200 000 events, more than a figure can show; choose longer times or less at once";

impl Knob {
    /// The form of its value; none if it names a setting that there is not.
    pub fn form(&self) -> Option<Form> {
        Setting::parse(&self.setting).ok().map(|setting| setting.form())
    }

    /// Its setting and the default value of that in `scenario`; none if there is no such setting there.
    fn resolve(&self, scenario: &Scenario) -> Option<(Setting, Value)> {
        let setting = Setting::parse(&self.setting).ok()?;
        let value = setting.get(scenario)?;
        Some((setting, value))
    }

    /// Reads a value of this knob and keeps it within what a run can bear.
    ///
    /// # Errors
    /// A sentence that says what was found and what is expected.
    pub fn read(&self, text: &str) -> Result<Value, String> {
        let setting = Setting::parse(&self.setting)?;
        let form = setting.form();
        let workers = setting.field() == "count" && self.setting.starts_with("worker");
        let bytes = matches!(setting.field(), "max_bytes" | "max_pending" | "pad_bytes");
        let most = match (workers, bytes) {
            (true, _) => MAX_WORKERS,
            (_, true) => MAX_BYTES,
            _ => MAX_COUNT,
        };
        // Long text is junk, and a list of it would be worth a message as long.
        let value = Value::parse(form, text).map_err(|why| shown(&why, 160))?;
        let too_long = |d: Dur| d > MAX_DUR;
        match &value {
            Value::Dur(d) if too_long(*d) => Err(format!("{d} is too long; the most is {MAX_DUR}")),
            Value::Durs(list) if list.len() > MAX_LIST => Err(format!(
                "a list of {} durations is too long; the most is {MAX_LIST}",
                list.len()
            )),
            Value::Durs(list) => match list.iter().find(|d| too_long(**d)) {
                Some(d) => Err(format!("{d} is too long; the most is {MAX_DUR}")),
                None => Ok(value),
            },
            Value::Count(Some(n)) if *n > most => {
                Err(format!("{n} is too many; the most is {most}"))
            }
            _ => Ok(value),
        }
    }
}

impl Lab {
    /// The default position: every knob as the scenario has it, at the opening moment.
    ///
    /// A knob that [`Lab::check`] finds fault with stands at its first readable position, or at zero.
    pub fn default_position(&self) -> Position {
        let beside = self.beside.as_ref().map(|beside| &beside.scenario);
        let known = |knob: &Knob| knob.resolve(&self.scenario).or_else(|| knob.resolve(beside?));
        let value = |knob: &Knob| match known(knob) {
            Some((_, value)) => value,
            None => knob
                .positions
                .iter()
                .find_map(|text| knob.read(text).ok())
                .unwrap_or(Value::Count(Some(0))),
        };
        Position {
            values: self.knobs.iter().map(value).collect(),
            t: self.opens_at,
            window: None,
            pinned: None,
        }
    }

    /// The scenario with the knobs at `values`, in the order of [`Lab::knobs`]; a value that is left out or
    /// equals the default changes nothing.
    pub fn scenario_at(&self, values: &[Value]) -> Scenario {
        self.turned(&self.scenario, values)
    }

    fn turned(&self, usual: &Scenario, values: &[Value]) -> Scenario {
        let mut scenario = usual.clone();
        for (knob, value) in self.knobs.iter().zip(values) {
            if let Some((setting, default)) = knob.resolve(usual)
                && default != *value
            {
                setting.set(&mut scenario, value);
            }
        }
        scenario
    }

    /// Runs the second system with the knobs at `values`; none if the lab has one system only.
    ///
    /// # Errors
    /// The server's refusal or ours, a sentence each.
    pub fn run_beside(&self, values: &[Value]) -> Option<Result<Trace, Vec<String>>> {
        self.beside_at(values).map(|scenario| delivery_sim::run(&scenario))
    }

    fn beside_at(&self, values: &[Value]) -> Option<Scenario> {
        self.beside.as_ref().map(|beside| self.turned(&beside.scenario, values))
    }

    /// Reads this lab's part of a query string (without `?`). A key is `ack_wait` for the first lab of
    /// a page (`first`), `slug.ack_wait` for every lab. What is not understood leaves the default and
    /// adds a sentence. Never panics, whatever the text; each sentence shows at most 40 characters of it.
    pub fn read_query(&self, query: &str, first: bool) -> (Position, Vec<String>) {
        let mut position = self.default_position();
        let default = position.clone();
        let mut sentences = Vec::new();
        let mut more = 0_usize;
        let mut note = |taken: Result<(), String>| {
            if let Err(sentence) = taken {
                if sentences.len() < MAX_SENTENCES {
                    sentences.push(sentence);
                } else {
                    more += 1;
                }
            }
        };
        for (key, text) in query::pairs(query) {
            let name = match key.strip_prefix(self.slug.as_str()).and_then(|k| k.strip_prefix('.'))
            {
                Some(name) if !self.slug.is_empty() => name,
                _ if first && !key.contains('.') && key != THEME => key.as_str(),
                _ => continue,
            };
            if name == "pin" {
                // Names and values in turn, all within one key: `ack_wait~8s~max_deliver~2`.
                let mut values = default.values.clone();
                let mut parts = text.split('~').filter(|part| !part.is_empty());
                while let Some(name) = parts.next() {
                    note(self.set(name, parts.next().unwrap_or(""), &mut values, &default));
                }
                position.pinned = Some(values);
            } else {
                note(self.take(name, &text, &mut position, &default));
            }
        }
        if more > 0 {
            sentences.push(format!(
                "And {more} more in the address that this figure does not understand."
            ));
        }
        (position, sentences)
    }

    /// Sets what one key of the address says.
    fn take(
        &self,
        name: &str,
        text: &str,
        position: &mut Position,
        default: &Position,
    ) -> Result<(), String> {
        if name == "t" {
            let t = Dur::parse(text).map_err(|why| {
                format!("`t` in the address: {why}. The figure opens at {}.", default.t)
            })?;
            position.t = Time(t.0);
            if position.t > self.scenario.end {
                position.t = self.scenario.end;
                return Err(format!(
                    "`t` in the address: the run is over by then; shown is its end, {}.",
                    self.scenario.end
                ));
            }
            return Ok(());
        }
        if name == "view" {
            position.window = self.read_view(text)?;
            return Ok(());
        }
        self.set(name, text, &mut position.values, default)
    }

    /// Turns one knob to what the address says.
    fn set(
        &self,
        name: &str,
        text: &str,
        values: &mut [Value],
        default: &Position,
    ) -> Result<(), String> {
        let Some(place) = self.knobs.iter().position(|knob| knob.name == name) else {
            let names: Vec<&str> = self.knobs.iter().map(|knob| knob.name.as_str()).collect();
            return Err(format!(
                "`{}` in the address is not a setting of this figure; it has {}, t.",
                shown(name, 40),
                names.join(", ")
            ));
        };
        let (Some(slot), Some(usual)) = (values.get_mut(place), default.values.get(place)) else {
            return Ok(());
        };
        match self.knobs[place].read(text) {
            Ok(value) => {
                *slot = value;
                Ok(())
            }
            Err(why) => Err(format!(
                "`{name}` in the address: {why}. The default is used, {}.",
                usual.words()
            )),
        }
    }

    /// Reads a stretch of the run, `4s-8s`.
    fn read_view(&self, text: &str) -> Result<Option<Window>, String> {
        let ends = text.split_once('-').and_then(|(from, to)| {
            Some((Time(Dur::parse(from).ok()?.0), Time(Dur::parse(to).ok()?.0)))
        });
        match ends {
            Some((from, to)) if from < to && from < self.scenario.end => {
                Ok(Window::within(from, to.min(self.scenario.end), self.scenario.end))
            }
            _ => Err([
                "`view` in the address: `",
                &shown(text, 40),
                "` is not a stretch of this run; write one such as 0s-",
                &Dur(self.scenario.end.0 / 2).go(),
                ". The whole run is shown.",
            ]
            .concat()),
        }
    }

    /// The query that [`Lab::read_query`] reads back: only what differs from the default, keys as above,
    /// percent-encoded; `t` only if it differs from the opening moment.
    pub fn write_query(&self, position: &Position, first: bool) -> String {
        let default = self.default_position();
        let mut out = String::new();
        let mut put = |name: &str, value: &str| {
            if !out.is_empty() {
                out.push('&');
            }
            if !first {
                query::encode(&mut out, &self.slug);
                out.push('.');
            }
            query::encode(&mut out, name);
            out.push('=');
            query::encode(&mut out, value);
        };
        for ((knob, value), usual) in self.knobs.iter().zip(&position.values).zip(&default.values) {
            if value != usual {
                put(&knob.name, &value.text());
            }
        }
        if position.t != default.t {
            put("t", &Dur(position.t.0).go());
        }
        if let Some(pinned) = &position.pinned {
            let mut all = String::new();
            let knobs = self.knobs.iter().zip(pinned).zip(&default.values);
            for ((knob, value), _) in knobs.filter(|((_, value), usual)| value != usual) {
                for part in [&knob.name, &value.text()] {
                    if !all.is_empty() {
                        all.push('~');
                    }
                    all.put(part);
                }
            }
            put("pin", &all);
        }
        if let Some(window) = position.window {
            put("view", &[Dur(window.from.0).go(), Dur(window.to.0).go()].join("-"));
        }
        out
    }

    /// Runs the lab with the knobs at `values`.
    ///
    /// # Errors
    /// The server's refusal or ours, a sentence each.
    pub fn run(&self, values: &[Value]) -> Result<Trace, Vec<String>> {
        let trace = delivery_sim::run_within(&self.scenario_at(values), MAX_EVENTS)?;
        if trace.cut.is_some() {
            return Err(vec![TOO_MANY.into()]);
        }
        Ok(trace)
    }

    /// What is wrong with the lab itself, a sentence each; empty if it can go to readers. The scenario's own faults
    /// come out of [`Lab::run`].
    pub fn check(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for (field, text) in [("title", &self.title), ("question", &self.question)] {
            if text.trim().is_empty() {
                faults.push(format!("`{field}` is empty; write one sentence"));
            }
        }
        if self.opens_at > self.scenario.end {
            faults.push(format!(
                "`opens_at` is {}, after the end of the run at {}; choose an earlier moment",
                self.opens_at, self.scenario.end
            ));
        }
        if let Some(beside) = &self.beside {
            if beside.title.trim().is_empty() || beside.own_title.trim().is_empty() {
                faults.push("`beside` needs a `title` and an `own_title`".into());
            }
            if beside.scenario.end != self.scenario.end {
                faults.push(format!(
                    "`beside` ends at {}, the lab at {}; both are on one time axis, so give them one end",
                    beside.scenario.end, self.scenario.end
                ));
            }
        }
        // Where there is a consumer, a reader can ask what these three do.
        for field in NEEDED {
            // A misspelt setting may be the one that is missed; it has a sentence of its own.
            let has = |knob: &Knob| {
                Setting::parse(&knob.setting).map_or(true, |setting| setting.field() == field)
            };
            if !self.scenario.consumers.is_empty() && !self.knobs.iter().any(has) {
                faults.push(format!(
                    "a lab with a consumer needs a knob for `consumer.{field}`; add one, `more = true` keeps it out of sight"
                ));
            }
        }
        let at_first = self.knobs.iter().filter(|knob| !knob.more).count();
        if at_first > MAX_KNOBS_SHOWN {
            faults.push(format!(
                "{at_first} knobs are shown at first, the most is {MAX_KNOBS_SHOWN}; give the others `more = true`"
            ));
        }
        for (place, knob) in self.knobs.iter().enumerate() {
            let name = &knob.name;
            if let Some((_, what)) = RESERVED.iter().find(|(own, _)| own == name) {
                faults.push(format!(
                    "a knob cannot be named `{name}`: in an address that is the {what}"
                ));
            } else if name.is_empty()
                || !name.bytes().all(|c| matches!(c, b'a'..=b'z' | b'0'..=b'9' | b'_'))
            {
                faults.push(format!("knob `{name}`: a name is made of a-z, 0-9 and _"));
            }
            if self.knobs[..place].iter().any(|other| other.name == *name) {
                faults.push(format!("knob `{name}` is there twice; give each its own name"));
            }
            match Setting::parse(&knob.setting) {
                Err(why) => faults.push(format!("knob `{name}`: {why}")),
                Ok(setting) => {
                    let beside = self.beside.as_ref().map(|beside| &beside.scenario);
                    if setting.get(&self.scenario).is_none()
                        && beside.is_none_or(|beside| setting.get(beside).is_none())
                    {
                        faults.push(format!(
                            "knob `{name}`: nothing in the scenario has the setting `{}`",
                            knob.setting
                        ));
                    }
                    self.check_positions(knob, setting.form(), &mut faults);
                }
            }
        }
        faults
    }

    fn check_positions(&self, knob: &Knob, form: Form, faults: &mut Vec<String>) {
        let name = &knob.name;
        let least = if form.words().is_empty() { 2 } else { 0 };
        if knob.positions.len() < least {
            faults.push(format!("knob `{name}` needs two positions or more"));
        }
        let mut values: Vec<Value> = Vec::new();
        for (i, text) in knob.positions.iter().enumerate() {
            let value = match knob.read(text) {
                Ok(value) => value,
                Err(why) => {
                    faults.push(format!("knob `{name}`, position {}: {why}", i + 1));
                    continue;
                }
            };
            if values.contains(&value) {
                faults.push(format!("knob `{name}`: position {} (`{text}`) is there twice", i + 1));
            } else if values.last().is_some_and(|last| !ascends(last, &value)) {
                faults.push(format!(
                    "knob `{name}`: position {} (`{text}`) is below the one before it; write them in ascending order{}",
                    i + 1,
                    if form == Form::Limit { ", `unlimited` last" } else { "" }
                ));
            }
            values.push(value);
        }
    }
}

/// Whether `b` may stand right of `a` on a slider. Lists have no order of their own.
fn ascends(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Dur(a), Value::Dur(b)) => a < b,
        (Value::Count(a), Value::Count(b)) => a.unwrap_or(u64::MAX) < b.unwrap_or(u64::MAX),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use delivery_sim::scenario::{Consumer, Op, Publish, Step, Worker};

    fn knob(name: &str, setting: &str, positions: &[&str]) -> Knob {
        Knob {
            name: name.into(),
            label: String::new(),
            setting: setting.into(),
            positions: positions.iter().map(|&p| p.into()).collect(),
            more: false,
        }
    }

    fn lab() -> Lab {
        let mut consumer = Consumer::default();
        consumer.config.durable_name = "orders".into();
        consumer.config.ack_wait = Dur::secs(5);
        Lab {
            slug: "crash-redelivery".into(),
            title: "A worker that dies".into(),
            question: "Which message does run 2 get?".into(),
            opens_at: Time::ms(8_600),
            scenario: Scenario {
                end: Time::ms(12_000),
                consumers: vec![consumer],
                workers: vec![Worker {
                    name: "run 3".into(),
                    start: Time::ms(8_000),
                    ..Worker::default()
                }],
                timeline: vec![Step { at: Time::ZERO, op: Op::Publish(Publish::default()) }],
                ..Scenario::default()
            },
            knobs: vec![
                knob("ack_wait", "consumer.ack_wait", &["1s", "5s", "10s"]),
                knob("backoff", "consumer.backoff", &["none", "1s,5s"]),
                knob("max_deliver", "consumer.max_deliver", &["1", "2", "unlimited"]),
                knob("run_3", "worker[run 3].start", &["1s", "8s"]),
                knob("count", "publish.count", &["1", "10"]),
                Knob { more: true, ..knob("idempotent", "worker.idempotent", &[]) },
            ],
            beside: None,
            answers: Vec::new(),
            goals: Vec::new(),
        }
    }

    /// The words of every knob and the moment, as a row of text.
    fn read(query: &str, first: bool) -> (String, Vec<String>) {
        let (position, said) = lab().read_query(query, first);
        let mut words: Vec<String> = position.values.iter().map(Value::words).collect();
        words.push(position.t.to_string());
        (words.join(" | "), said)
    }

    #[test]
    fn an_address_turns_knobs() {
        let usual = "5 s | none | no limit | 8 s | 1 | off | T+8.6 s";
        for (query, first, expected) in [
            ("", true, usual),
            ("&&=&", true, usual),
            ("ack_wait=8s", true, "8 s | none | no limit | 8 s | 1 | off | T+8.6 s"),
            ("ack_wait=8s", false, usual),
            (
                "crash-redelivery.ack_wait=8s",
                false,
                "8 s | none | no limit | 8 s | 1 | off | T+8.6 s",
            ),
            (
                "crash-redelivery.ack_wait=8s",
                true,
                "8 s | none | no limit | 8 s | 1 | off | T+8.6 s",
            ),
            ("ack_wait=8s&ack_wait=9s", true, "9 s | none | no limit | 8 s | 1 | off | T+8.6 s"),
            ("backoff=1s%2C5s", true, "5 s | 1 s, 5 s | no limit | 8 s | 1 | off | T+8.6 s"),
            ("back%6Fff=1s,+5s", true, "5 s | 1 s, 5 s | no limit | 8 s | 1 | off | T+8.6 s"),
            ("idempotent=on", true, "5 s | none | no limit | 8 s | 1 | on | T+8.6 s"),
            ("t=1.5s&max_deliver=2", true, "5 s | none | 2 | 8 s | 1 | off | T+1.5 s"),
            ("other.ack_wait=banana&slow-or-dead.nonsense=1", true, usual),
            ("theme=dark", true, usual),
        ] {
            assert_eq!(read(query, first), (expected.into(), Vec::new()), "{query}");
        }
    }

    #[test]
    fn an_address_keeps_a_pinned_run() {
        for (query, pinned, faults) in [
            ("ack_wait=8s", None, 0),
            ("pin=", Some("5 s | none | no limit | 8 s | 1 | off"), 0),
            ("pin=ack_wait~8s&ack_wait=9s", Some("8 s | none | no limit | 8 s | 1 | off"), 0),
            ("pin=backoff~1s,5s~max_deliver~3", Some("5 s | 1 s, 5 s | 3 | 8 s | 1 | off"), 0),
            ("crash-redelivery.pin=count~10", Some("5 s | none | no limit | 8 s | 10 | off"), 0),
            ("pin=~~ack_wait", Some("5 s | none | no limit | 8 s | 1 | off"), 1),
            ("pin=ack_wait~banana~nonsense~1", Some("5 s | none | no limit | 8 s | 1 | off"), 2),
            ("pin=t~1s", Some("5 s | none | no limit | 8 s | 1 | off"), 1),
        ] {
            let (position, said) = lab().read_query(query, true);
            let words = |values: &Vec<Value>| {
                values.iter().map(Value::words).collect::<Vec<_>>().join(" | ")
            };
            assert_eq!(position.pinned.as_ref().map(words).as_deref(), pinned, "{query}");
            assert_eq!(said.len(), faults, "{query}: {said:?}");
            let written = lab().write_query(&position, true);
            assert_eq!(lab().read_query(&written, true), (position, Vec::new()), "{written}");
        }
        let mut position = lab().default_position();
        let mut values = position.values.clone();
        (values[0], values[2]) = (Value::Dur(Dur::secs(8)), Value::Count(Some(3)));
        position.pinned = Some(values);
        assert_eq!(lab().write_query(&position, true), "pin=ack_wait~8s~max_deliver~3");
    }

    #[test]
    fn an_address_shows_a_stretch_of_the_run() {
        for (query, expected, fault) in [
            ("view=4s-8s", Some((4_000, 8_000)), false),
            ("crash-redelivery.view=4s-8.5s", Some((4_000, 8_500)), false),
            ("view=4s-99h", Some((4_000, 12_000)), false),
            ("view=0s-12s", None, false),
            ("view=4s-4000001us", Some((4_000, 4_005)), false),
            ("view=", None, true),
            ("view=4s", None, true),
            ("view=8s-4s", None, true),
            ("view=4s-4s", None, true),
            ("view=12s-13s", None, true),
            ("view=banana-<script>", None, true),
            ("view=-1s-4s", None, true),
        ] {
            let (position, said) = lab().read_query(query, true);
            let shown = position.window.map(|w| (w.from.as_ms(), w.to.as_ms()));
            assert_eq!((shown, said.len()), (expected, usize::from(fault)), "{query}: {said:?}");
            if !fault {
                let written = lab().write_query(&position, true);
                assert_eq!(lab().read_query(&written, true), (position, Vec::new()), "{written}");
            }
        }
        assert_eq!(
            lab().read_query("view=noon", true).1,
            [
                "`view` in the address: `noon` is not a stretch of this run; write one such as 0s-6s. The whole run is shown."
            ]
        );
        let mut position = lab().default_position();
        position.window = Some(Window { from: Time::ms(4_000), to: Time::ms(8_250) });
        assert_eq!(lab().write_query(&position, true), "view=4s-8.25s");
    }

    #[test]
    fn what_is_not_understood_leaves_the_default_and_says_so() {
        let usual = "5 s | none | no limit | 8 s | 1 | off | T+8.6 s";
        for (query, sentence) in [
            (
                "ack_wait=banana",
                "`ack_wait` in the address: `banana` is not a duration; write one such as 500ms, 30s or 1m30s. The default is used, 5 s.",
            ),
            (
                "ack_wait=25h",
                "`ack_wait` in the address: 25 h is too long; the most is 24 h. The default is used, 5 s.",
            ),
            (
                "ack_wait",
                "`ack_wait` in the address: `` is not a duration; write one such as 500ms, 30s or 1m30s. The default is used, 5 s.",
            ),
            (
                "max_deliver=two",
                "`max_deliver` in the address: `two` is not a whole number or `unlimited`. The default is used, no limit.",
            ),
            (
                "count=10001",
                "`count` in the address: 10001 is too many; the most is 10000. The default is used, 1.",
            ),
            (
                "idempotent=maybe",
                "`idempotent` in the address: `maybe` is none of off, on. The default is used, off.",
            ),
            (
                "t=soon",
                "`t` in the address: `soon` is not a duration; write one such as 500ms, 30s or 1m30s. The figure opens at T+8.6 s.",
            ),
            (
                "fish=1",
                "`fish` in the address is not a setting of this figure; it has ack_wait, backoff, max_deliver, run_3, count, idempotent, t.",
            ),
            (
                "crash-redelivery.fish=1",
                "`fish` in the address is not a setting of this figure; it has ack_wait, backoff, max_deliver, run_3, count, idempotent, t.",
            ),
        ] {
            assert_eq!(read(query, true), (usual.into(), vec![sentence.into()]), "{query}");
        }
        let long = format!("backoff={}", vec!["1s"; 33].join(","));
        assert_eq!(
            read(&long, true).1,
            [
                "`backoff` in the address: a list of 33 durations is too long; the most is 32. The default is used, none."
            ]
        );
        let mut workers = lab();
        workers.knobs[4].setting = "worker.count".into();
        let said = workers.read_query("count=101", true).1;
        assert_eq!(
            said,
            ["`count` in the address: 101 is too many; the most is 100. The default is used, 1."]
        );
        let (words, said) = read("t=99s", true);
        assert!(words.ends_with("T+12.0 s"), "{words}");
        assert_eq!(
            said,
            ["`t` in the address: the run is over by then; shown is its end, T+12.0 s."]
        );
    }

    #[test]
    fn ten_kilobytes_of_junk_get_a_short_answer() {
        for junk in [
            "x".repeat(10_240),
            "ack_wait=".to_owned() + &"9".repeat(10_240),
            "a=1&".repeat(2_560),
            "ack_wait=banana&".repeat(640),
            "backoff=".to_owned() + &"1x,".repeat(3_400),
            "%".repeat(10_240),
            "%FF%00=%F0%9F&".repeat(700),
            "\u{202e}=é&".repeat(1_500),
        ] {
            let (position, said) = lab().read_query(&junk, true);
            assert_eq!(position, lab().default_position());
            let letters: usize = said.iter().map(|s| s.chars().count()).sum();
            assert!((1..=4).contains(&said.len()) && letters < 900, "{letters} letters: {said:?}");
        }
    }

    #[test]
    fn any_bytes_are_read_without_a_panic_and_stay_within_bounds() {
        let lab = lab();
        let pieces = [
            "ack_wait",
            "backoff",
            "max_deliver",
            "run_3",
            "count",
            "idempotent",
            "on",
            "t",
            "view",
            "-",
            "crash-redelivery.",
            "=",
            "&",
            "%",
            "%2",
            "%2C",
            "+",
            ",",
            "1s",
            "999999h",
            "18446744073709551615",
            "-1",
            "unlimited",
            "none",
            "0",
            "1.5",
            "é",
            "\u{0}",
            ".",
        ];
        let mut seed = 7_u64;
        let mut next = |n: usize| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % n
        };
        for round in 0..4_000 {
            let query: String = if round % 2 == 0 {
                (0..next(12)).map(|_| pieces[next(pieces.len())]).collect()
            } else {
                let bytes: Vec<u8> = (0..next(60)).map(|_| next(256) as u8).collect();
                String::from_utf8_lossy(&bytes).into_owned()
            };
            for first in [true, false] {
                let (position, said) = lab.read_query(&query, first);
                assert_eq!(position.values.len(), lab.knobs.len());
                assert!(position.t <= lab.scenario.end && said.len() <= 4, "{query}");
                for value in &position.values {
                    match value {
                        Value::Dur(d) => assert!(*d <= MAX_DUR),
                        Value::Durs(list) => {
                            assert!(list.len() <= MAX_LIST && list.iter().all(|d| *d <= MAX_DUR));
                        }
                        Value::Count(n) => assert!(n.is_none_or(|n| n <= MAX_COUNT)),
                        Value::Choice(word) => assert!(["off", "on"].contains(word)),
                    }
                }
                // Whatever was understood survives the way through an address.
                let written = lab.write_query(&position, first);
                assert!(
                    written.bytes().all(|c| c.is_ascii_graphic() && !b"<>\"'`".contains(&c)),
                    "{written}"
                );
                assert_eq!(
                    lab.read_query(&written, first),
                    (position, Vec::new()),
                    "{query} -> {written}"
                );
            }
        }
    }

    #[test]
    fn an_address_holds_only_what_differs() {
        let lab = lab();
        let mut position = lab.default_position();
        assert_eq!(lab.write_query(&position, true), "");
        position.values[0] = Value::Dur(Dur::secs(8));
        position.values[1] = Value::Durs(vec![Dur::secs(1), Dur::secs(5)]);
        position.values[2] = Value::Count(Some(3));
        position.t = Time::ms(1_250);
        assert_eq!(
            lab.write_query(&position, true),
            "ack_wait=8s&backoff=1s,5s&max_deliver=3&t=1.25s"
        );
        assert_eq!(
            lab.write_query(&position, false),
            "crash-redelivery.ack_wait=8s&crash-redelivery.backoff=1s,5s&crash-redelivery.max_deliver=3&crash-redelivery.t=1.25s"
        );
    }

    #[test]
    fn knobs_change_the_scenario_and_nothing_else() {
        let mut lab = lab();
        // A spread is read as none: turning no knob must not lose it.
        lab.scenario.workers[0].service_time =
            delivery_sim::scenario::Service::LogNormal(Dur::secs(1), 50);
        lab.knobs.push(knob("work", "worker.service_time", &["1s", "2s"]));
        let mut values = lab.default_position().values;
        assert_eq!(lab.scenario_at(&values), lab.scenario);
        assert_eq!(lab.scenario_at(&[]), lab.scenario);
        values[0] = Value::Dur(Dur::secs(8));
        let mut expected = lab.scenario.clone();
        expected.consumers[0].config.ack_wait = Dur::secs(8);
        assert_eq!(lab.scenario_at(&values), expected);
    }

    #[test]
    fn faults_of_a_lab_are_sentences() {
        assert_eq!(lab().check(), Vec::<String>::new());
        let fault = |change: &dyn Fn(&mut Lab)| {
            let mut lab = lab();
            change(&mut lab);
            assert_eq!(lab.default_position().values.len(), lab.knobs.len());
            lab.check()
        };
        let positions = |texts: &'static [&'static str]| {
            move |lab: &mut Lab| {
                lab.knobs[2].positions = texts.iter().map(|&p| p.into()).collect();
            }
        };
        type Change<'a> = &'a dyn Fn(&mut Lab);
        let rows: [(Change<'_>, &str); 16] = [
            (
                &|lab| {
                    lab.knobs.remove(1);
                },
                "a lab with a consumer needs a knob for `consumer.backoff`; add one, ",
            ),
            (&|lab| lab.title = " ".into(), "`title` is empty; write one sentence"),
            (
                &|lab| lab.opens_at = Time::ms(13_000),
                "`opens_at` is T+13.0 s, after the end of the run at T+12.0 s; choose an earlier moment",
            ),
            (
                &|lab| lab.knobs[0].name = "t".into(),
                "a knob cannot be named `t`: in an address that is the moment shown",
            ),
            (
                &|lab| lab.knobs[0].name = "view".into(),
                "a knob cannot be named `view`: in an address that is the part of the run shown",
            ),
            (
                &|lab| lab.knobs[0].name = "theme".into(),
                "a knob cannot be named `theme`: in an address that is the look of the page",
            ),
            (
                &|lab| lab.knobs[0].name = "Ack wait".into(),
                "knob `Ack wait`: a name is made of a-z, 0-9 and _",
            ),
            (
                &|lab| lab.knobs[1].name = "ack_wait".into(),
                "knob `ack_wait` is there twice; give each its own name",
            ),
            (
                &|lab| lab.knobs[3].setting = "start".into(),
                "knob `run_3`: `start` is not a setting; there are ",
            ),
            (
                &|lab| lab.knobs[3].setting = "worker[run 4].start".into(),
                "knob `run_3`: nothing in the scenario has the setting `worker[run 4].start`",
            ),
            (
                &|lab| lab.knobs[0].positions[1] = "five".into(),
                "knob `ack_wait`, position 2: `five` is not a duration; write one such as 500ms, 30s or 1m30s",
            ),
            (
                &|lab| lab.knobs[0].positions[2] = "48h".into(),
                "knob `ack_wait`, position 3: 48 h is too long; the most is 24 h",
            ),
            (&positions(&["1"]), "knob `max_deliver` needs two positions or more"),
            (
                &positions(&["1", "unlimited", "3"]),
                "knob `max_deliver`: position 3 (`3`) is below the one before it; write them in ascending order, `unlimited` last",
            ),
            (&positions(&["1", "3", "3"]), "knob `max_deliver`: position 3 (`3`) is there twice"),
            (
                &|lab| {
                    lab.knobs[5].more = false;
                    for i in 0..2 {
                        lab.knobs.push(knob(&format!("more_{i}"), "worker.pause", &["0", "1s"]));
                    }
                },
                "8 knobs are shown at first, the most is 5; give the others `more = true`",
            ),
        ];
        for (change, expected) in rows {
            let faults = fault(change);
            assert!(faults.len() == 1 && faults[0].starts_with(expected), "{faults:?}\n{expected}");
        }
    }

    #[test]
    fn a_knob_turns_whichever_system_has_its_setting() {
        let mut lab = lab();
        let mut other = lab.scenario.clone();
        other.consumers.clear();
        other.workers.clear();
        lab.beside = Some(Beside {
            title: "Core NATS".into(),
            own_title: "JetStream".into(),
            scenario: other,
        });
        assert_eq!(lab.check(), Vec::<String>::new());
        let mut values = lab.default_position().values;
        values[0] = Value::Dur(Dur::secs(1));
        values[4] = Value::Count(Some(10));
        let own = lab.scenario_at(&values);
        let beside = lab.beside_at(&values).unwrap();
        assert_eq!(own.consumers[0].config.ack_wait, Dur::secs(1));
        assert!(beside.consumers.is_empty());
        assert!(own.timeline != lab.scenario.timeline && own.timeline == beside.timeline);
        let beside = lab.beside.as_mut().unwrap();
        (beside.scenario.end, beside.title) = (Time::ms(1_000), " ".into());
        let faults = lab.check().join("; ");
        assert!(faults.contains("`beside` needs a `title`"), "{faults}");
        assert!(faults.contains("`beside` ends at T+1.0 s, the lab at T+12.0 s"), "{faults}");
    }
}
