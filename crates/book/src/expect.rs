//! What a lab's run must show: claims of the book, checked against the run itself.

mod server;

use crate::source::nearest;
use delivery_figure::condition::{Condition, Facts};
use delivery_figure::lab::Lab;
use delivery_sim::setting::Value;
use delivery_sim::trace::{ClientId, Delivery, Msg};
use delivery_sim::{Dur, Event, Time, Trace};
use serde::Deserialize;
use server::{Advised, Holds, Published};
use std::collections::{BTreeMap, BTreeSet};
use toml::Spanned;

/// How far the moment of a claim may lie from the moment of the run.
const NEAR: Dur = Dur::ms(50);

/// One claim about a run, with at least one way to check it.
///
/// Messages are named by their label. Lists of messages are exact: those and no others.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expect {
    /// What chapters call it: `:result[…](lab/id)`.
    pub(crate) id: Spanned<String>,
    /// What is claimed, for whoever reads the file or the failure.
    pub(crate) claim: String,
    /// Knobs turned from the default, by name, as an address has them.
    #[serde(default)]
    set: Option<Spanned<BTreeMap<String, String>>>,
    /// The moment to look at; a result in a chapter leads there. The opening moment if not given.
    #[serde(default)]
    pub(crate) at: Option<Time>,
    /// Whether it is about the second system of the lab.
    #[serde(default)]
    beside: bool,
    /// What must hold of the run, in the language of answers and goals.
    #[serde(default)]
    shows: Option<Spanned<Condition>>,
    /// How publishes end.
    #[serde(default)]
    published: Vec<Spanned<Published>>,
    /// Advisories that are sent.
    #[serde(default)]
    advisories: Vec<Spanned<Advised>>,
    /// What streams hold.
    #[serde(default)]
    streams: Vec<Spanned<Holds>>,
    /// Deliveries that happen.
    #[serde(default)]
    delivered: Vec<Spanned<Delivered>>,
    /// Work that is completed.
    #[serde(default)]
    handled: Vec<Spanned<Handled>>,
    /// The messages delivered more than once.
    #[serde(default)]
    redelivered: Option<Spanned<Vec<String>>>,
    /// The messages whose work was completed more than once.
    #[serde(default)]
    handled_twice: Option<Spanned<Vec<String>>>,
    /// The messages that two workers worked on at the same moment.
    #[serde(default)]
    worked_on_at_once: Option<Spanned<Vec<String>>>,
    /// Deliveries in all, repeats included.
    #[serde(default)]
    deliveries: Option<Spanned<u64>>,
    /// What consumer info says.
    #[serde(default)]
    info: Vec<Spanned<InfoAt>>,
}

/// A delivery; what is given must fit.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Delivered {
    msg: String,
    attempt: Option<u32>,
    at: Option<Time>,
    to: Option<String>,
}

/// Completed work on a message; what is given must fit.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Handled {
    msg: String,
    at: Option<Time>,
    by: Option<String>,
}

/// Counters of a consumer at a moment; what is given must fit.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct InfoAt {
    at: Time,
    /// Needed only where there are several.
    consumer: Option<String>,
    num_pending: Option<u64>,
    num_ack_pending: Option<u64>,
    num_redelivered: Option<u64>,
    num_waiting: Option<u64>,
    delivered_consumer_seq: Option<u64>,
    delivered_stream_seq: Option<u64>,
    ack_floor_consumer_seq: Option<u64>,
    ack_floor_stream_seq: Option<u64>,
}

/// A claim that does not hold: the offset of what claims it, and what the run gave.
pub(crate) type Failure = (usize, String);

impl Expect {
    /// Whether it checks anything.
    pub(crate) fn checks_something(&self) -> bool {
        !(self.delivered.is_empty()
            && self.handled.is_empty()
            && self.info.is_empty()
            && self.published.is_empty()
            && self.advisories.is_empty()
            && self.streams.is_empty())
            || self.shows.is_some()
            || self.redelivered.is_some()
            || self.handled_twice.is_some()
            || self.worked_on_at_once.is_some()
            || self.deliveries.is_some()
    }

    /// The lab's knobs as this claim turns them, as the query of an address without the moment.
    pub(crate) fn query(&self) -> String {
        let set = self.set.iter().flat_map(Spanned::get_ref);
        set.map(|(knob, value)| format!("{knob}={value}")).collect::<Vec<_>>().join("&")
    }

    /// Runs the lab as this claim has it and compares. None if it holds.
    pub(crate) fn check(&self, lab: &Lab) -> Vec<Failure> {
        let at_set = self.set.as_ref().map_or(self.id.span().start, |set| set.span().start);
        let knobs: Vec<&str> = lab.knobs.iter().map(|knob| knob.name.as_str()).collect();
        let unknown: Vec<Failure> = self
            .set
            .iter()
            .flat_map(|set| set.get_ref().keys())
            .filter(|name| !knobs.contains(&name.as_str()))
            .map(|name| (at_set, nearest(name, "a knob", &knobs)))
            .collect();
        if !unknown.is_empty() {
            return unknown;
        }
        let (position, sentences) = lab.read_query(&self.query(), true);
        if !sentences.is_empty() {
            return sentences.into_iter().map(|sentence| (at_set, sentence)).collect();
        }
        let run = if self.beside {
            lab.run_beside(&position.values).unwrap_or_else(|| {
                Err(vec!["the lab has no second system; leave out `beside`".into()])
            })
        } else {
            lab.run(&position.values)
        };
        match run {
            Ok(trace) => {
                let mut failures = self.compare(&Run::new(&trace));
                failures.extend(self.compare_shown(&trace, lab, &position.values));
                failures
            }
            Err(sentences) => sentences
                .into_iter()
                .map(|sentence| {
                    (at_set, format!("with these settings the lab does not run: {sentence}"))
                })
                .collect(),
        }
    }

    /// What is claimed in the language of answers and goals: each part of it that does not hold.
    fn compare_shown(&self, trace: &Trace, lab: &Lab, values: &[Value]) -> Vec<Failure> {
        let Some(shows) = &self.shows else { return Vec::new() };
        let (start, facts) = (shows.span().start, Facts::new(trace));
        if facts.holds(shows.get_ref(), lab, values) {
            return Vec::new();
        }
        let mut failures: Vec<Failure> = Vec::new();
        for claim in &shows.get_ref().claims {
            let alone = Condition { claims: vec![claim.clone()], ..Condition::default() };
            if !facts.holds(&alone, lab, values) {
                let (what, found) = (claim.what.name(), facts.fitting(claim));
                failures.push((
                    start,
                    format!("`{what}` is claimed otherwise; in the run it fits {}", list(&found)),
                ));
            }
        }
        if failures.is_empty() {
            failures.push((
                start,
                "the knobs do not stand as `shows` has them; turn them by `set`".into(),
            ));
        }
        failures
    }

    fn compare(&self, run: &Run<'_>) -> Vec<Failure> {
        let mut failures = Vec::new();
        for expected in &self.published {
            let sentence = expected.get_ref().compare(run.trace);
            failures.extend(sentence.map(|sentence| (expected.span().start, sentence)));
        }
        for expected in &self.advisories {
            let sentence = expected.get_ref().compare(run.trace);
            failures.extend(sentence.map(|sentence| (expected.span().start, sentence)));
        }
        for expected in &self.streams {
            let sentences = expected.get_ref().compare(run.trace);
            failures.extend(sentences.into_iter().map(|s| (expected.span().start, s)));
        }
        for expected in &self.delivered {
            let (start, expected) = (expected.span().start, expected.get_ref());
            match run.message(&expected.msg) {
                Err(sentence) => failures.push((start, sentence)),
                Ok(msg) if run.deliveries_of(msg).any(|d| expected.fits(&d, run)) => {}
                Ok(msg) => failures.push((
                    start,
                    format!(
                        "{expected} is claimed, but in the run {}",
                        run.deliveries_in_words(msg)
                    ),
                )),
            }
        }
        for expected in &self.handled {
            let (start, expected) = (expected.span().start, expected.get_ref());
            match run.message(&expected.msg) {
                Err(sentence) => failures.push((start, sentence)),
                Ok(msg) if run.works_on(msg).any(|work| expected.fits(&work, run)) => {}
                Ok(msg) => failures.push((
                    start,
                    format!("{expected} is claimed, but in the run {}", run.works_in_words(msg)),
                )),
            }
        }
        for (expected, what, found) in [
            (&self.redelivered, "delivered more than once", run.redelivered()),
            (&self.handled_twice, "handled more than once", run.handled_twice()),
            (&self.worked_on_at_once, "worked on by two workers at once", run.worked_on_at_once()),
        ] {
            let Some(expected) = expected else { continue };
            let start = expected.span().start;
            let claimed: Vec<&str> = expected.get_ref().iter().map(String::as_str).collect();
            failures.extend(
                claimed.iter().filter_map(|label| Some((start, run.message(label).err()?))),
            );
            let found: Vec<String> = found.into_iter().map(|msg| run.trace.label(msg)).collect();
            if claimed.iter().collect::<BTreeSet<_>>()
                != found.iter().map(String::as_str).collect::<Vec<_>>().iter().collect()
            {
                failures.push((
                    start,
                    format!(
                        "{} is claimed to be {what}, but in the run {} is",
                        list(&claimed),
                        list(&found)
                    ),
                ));
            }
        }
        if let Some(expected) = &self.deliveries {
            let found = run.deliveries.len() as u64;
            if *expected.get_ref() != found {
                failures.push((
                    expected.span().start,
                    format!(
                        "{} deliveries are claimed, but the run made {found}",
                        expected.get_ref()
                    ),
                ));
            }
        }
        for expected in &self.info {
            let start = expected.span().start;
            failures.extend(
                expected.get_ref().compare(run.trace).into_iter().map(|sentence| (start, sentence)),
            );
        }
        failures
    }
}

impl Delivered {
    fn fits(&self, found: &FoundDelivery, run: &Run<'_>) -> bool {
        self.attempt.is_none_or(|attempt| attempt == found.delivery.attempt)
            && self.at.is_none_or(|at| near(at, found.at))
            && self.to.as_deref().is_none_or(|to| to == run.client(found.to))
    }
}

impl std::fmt::Display for Delivered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.attempt {
            Some(attempt) => write!(f, "delivery {attempt} of {}", self.msg)?,
            None => write!(f, "a delivery of {}", self.msg)?,
        }
        if let Some(to) = &self.to {
            write!(f, " to {to}")?;
        }
        if let Some(at) = self.at {
            write!(f, " at {at:?}")?;
        }
        Ok(())
    }
}

impl Handled {
    fn fits(&self, found: &Work, run: &Run<'_>) -> bool {
        found.done
            && self.at.is_none_or(|at| near(at, found.to))
            && self.by.as_deref().is_none_or(|by| by == run.client(found.by))
    }
}

impl std::fmt::Display for Handled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "completed work on {}", self.msg)?;
        if let Some(by) = &self.by {
            write!(f, " by {by}")?;
        }
        if let Some(at) = self.at {
            write!(f, " at {at:?}")?;
        }
        Ok(())
    }
}

impl InfoAt {
    fn compare(&self, trace: &Trace) -> Vec<String> {
        let names: Vec<&str> = trace.consumers.iter().map(|c| c.name.as_str()).collect();
        let place = match &self.consumer {
            None if names.len() == 1 => Some(0),
            None => return vec![format!("say which consumer: there are {}", list(&names))],
            Some(name) => names.iter().position(|n| n == name),
        };
        let Some(place) = place else {
            return vec![nearest(
                self.consumer.as_deref().unwrap_or_default(),
                "a consumer",
                &names,
            )];
        };
        let id = delivery_sim::trace::ConsumerId(u16::try_from(place).unwrap_or(u16::MAX));
        let info = trace.consumer_info(id, self.at);
        [
            ("num_pending", self.num_pending, info.num_pending),
            ("num_ack_pending", self.num_ack_pending, info.num_ack_pending),
            ("num_redelivered", self.num_redelivered, info.num_redelivered),
            ("num_waiting", self.num_waiting, info.num_waiting),
            ("delivered_consumer_seq", self.delivered_consumer_seq, info.delivered.consumer_seq),
            ("delivered_stream_seq", self.delivered_stream_seq, info.delivered.stream_seq),
            ("ack_floor_consumer_seq", self.ack_floor_consumer_seq, info.ack_floor.consumer_seq),
            ("ack_floor_stream_seq", self.ack_floor_stream_seq, info.ack_floor.stream_seq),
        ]
        .into_iter()
        .filter_map(|(name, expected, found)| {
            let expected = expected.filter(|expected| *expected != found)?;
            Some(format!(
                "{name} = {expected} is claimed at {:?}, but the run gave {found}",
                self.at
            ))
        })
        .collect()
    }
}

/// A delivery of the run.
#[derive(Clone, Copy)]
struct FoundDelivery {
    at: Time,
    delivery: Delivery,
    to: ClientId,
}

/// Work of the run on one delivery.
#[derive(Clone, Copy)]
struct Work {
    msg: Msg,
    by: ClientId,
    from: Time,
    to: Time,
    done: bool,
}

/// A run, sorted for questions.
struct Run<'a> {
    trace: &'a Trace,
    deliveries: Vec<FoundDelivery>,
    works: Vec<Work>,
}

impl<'a> Run<'a> {
    fn new(trace: &'a Trace) -> Self {
        let (mut deliveries, mut works) = (Vec::new(), Vec::<Work>::new());
        let end = |works: &mut Vec<Work>, at, by, done, only: Option<Msg>| {
            for work in works.iter_mut().filter(|work| {
                work.by == by && work.to == Time::NEVER && only.is_none_or(|msg| msg == work.msg)
            }) {
                (work.to, work.done) = (at, done);
            }
        };
        for record in &trace.records {
            let at = record.at;
            match record.event {
                Event::Delivered { delivery, to, .. } => {
                    deliveries.push(FoundDelivery { at, delivery, to });
                }
                Event::WorkStarted { delivery, by } => {
                    works.push(Work {
                        msg: delivery.msg,
                        by,
                        from: at,
                        to: Time::NEVER,
                        done: false,
                    });
                }
                Event::WorkDone { delivery, by, .. } => {
                    end(&mut works, at, by, true, Some(delivery.msg));
                }
                Event::Crashed { client } | Event::Stopped { client } => {
                    end(&mut works, at, client, false, None);
                }
                _ => {}
            }
        }
        Self { trace, deliveries, works }
    }

    fn client(&self, id: ClientId) -> &str {
        self.trace.clients.get(usize::from(id.0)).map_or("", |client| &client.name)
    }

    /// The message with this label, or a sentence that names those there are.
    fn message(&self, label: &str) -> Result<Msg, String> {
        let labels: Vec<String> = (0..)
            .zip(&self.trace.messages)
            .map(|(number, _)| self.trace.label(Msg(number)))
            .collect();
        match (0..).zip(&labels).find(|(_, l)| *l == label) {
            Some((number, _)) => Ok(Msg(number)),
            None => {
                let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
                Err(nearest(label, "a message", &labels))
            }
        }
    }

    fn deliveries_of(&self, msg: Msg) -> impl Iterator<Item = FoundDelivery> {
        self.deliveries.iter().copied().filter(move |d| d.delivery.msg == msg)
    }

    fn works_on(&self, msg: Msg) -> impl Iterator<Item = Work> {
        self.works.iter().copied().filter(move |work| work.msg == msg)
    }

    fn deliveries_in_words(&self, msg: Msg) -> String {
        let all: Vec<String> = self
            .deliveries_of(msg)
            .map(|d| {
                format!(
                    "delivery {} goes to {} at {:?}",
                    d.delivery.attempt,
                    self.client(d.to),
                    d.at
                )
            })
            .collect();
        if all.is_empty() { "it is not delivered".into() } else { all.join(", ") }
    }

    fn works_in_words(&self, msg: Msg) -> String {
        let all: Vec<String> = self
            .works_on(msg)
            .filter(|work| work.done)
            .map(|work| format!("{} completes it at {:?}", self.client(work.by), work.to))
            .collect();
        if all.is_empty() { "nobody completes it".into() } else { all.join(", ") }
    }

    fn redelivered(&self) -> BTreeSet<Msg> {
        self.deliveries.iter().filter(|d| d.delivery.attempt > 1).map(|d| d.delivery.msg).collect()
    }

    fn handled_twice(&self) -> BTreeSet<Msg> {
        let done: Vec<Msg> =
            self.works.iter().filter(|work| work.done).map(|work| work.msg).collect();
        done.iter().copied().filter(|msg| done.iter().filter(|m| *m == msg).count() > 1).collect()
    }

    fn worked_on_at_once(&self) -> BTreeSet<Msg> {
        let at_once =
            |a: &Work, b: &Work| a.msg == b.msg && a.by != b.by && a.from < b.to && b.from < a.to;
        self.works
            .iter()
            .enumerate()
            .filter(|(i, a)| self.works[..*i].iter().any(|b| at_once(a, b)))
            .map(|(_, a)| a.msg)
            .collect()
    }
}

fn near(a: Time, b: Time) -> bool {
    a.0.abs_diff(b.0) <= NEAR.0
}

/// `a, b`, or "nothing".
fn list<S: AsRef<str>>(names: &[S]) -> String {
    if names.is_empty() {
        return "nothing".into();
    }
    names.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ")
}
