//! One recording in the simulator, for one server version: what was recorded beside what happens.

use crate::case;
use crate::compare::Comparison;
use crate::outcome;
use crate::read::{Body, Recording, Timing};
use crate::scenario::{self, Script};
use crate::seen;
use crate::stop::Stop;
use delivery_sim::scenario::{Scenario, Version};
use delivery_sim::{Dur, Event as Sim, Trace};
use std::collections::BTreeSet;
use std::panic::catch_unwind;

/// Why there is nothing to compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The recording is broken or needs something that is missing.
    Stop(Stop),
    /// The simulator refuses the scenario: its sentences.
    Refused(Vec<String>),
    /// The simulator itself broke down: its last words.
    Panicked(String),
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

/// A part of a second at which a recorded run may have begun: deadlines after a restart depend on it (R101), and a
/// loose recording does not say it.
const BEGINNINGS: [Dur; 10] = {
    let mut list = [Dur::ZERO; 10];
    let mut n = 0;
    while n < 10 {
        list[n] = Dur::ms(n as u64 * 100);
        n += 1;
    }
    list
};

/// Runs a recording for one of the releases that it names. A loose one is run from several parts of a second; the
/// first run that agrees is returned, or else the first.
///
/// # Errors
/// [`Failure`]; whether the two agree is for [`Comparison::difference`] to say.
pub fn simulate(
    recording: &Recording,
    release: &str,
    version: Version,
) -> Result<Comparison, Failure> {
    let first = simulate_from(recording, release, version, Dur::ZERO)?;
    if recording.timing != Timing::Loose || first.difference()?.is_none() {
        return Ok(first);
    }
    for beginning in &BEGINNINGS[1..] {
        let next = simulate_from(recording, release, version, *beginning)?;
        if next.difference()?.is_none() {
            return Ok(next);
        }
    }
    Ok(first)
}

/// Runs a recording that begins at `beginning` of a second of the server's clock.
fn simulate_from(
    recording: &Recording,
    release: &str,
    version: Version,
    beginning: Dur,
) -> Result<Comparison, Failure> {
    let mut script = match &recording.body {
        Body::Trace(scenario, _) => scenario::script(scenario, version)?,
        Body::Case(case) => case.script(version)?,
    };
    script.begin_at(beginning);
    let run = finish(&mut script)?;
    let (expected, seen, sets) = match &recording.body {
        Body::Trace(_, events) => (events.clone(), seen::events(&run, &script)?, BTreeSet::new()),
        Body::Case(case) => {
            let expected = case.expected(release)?;
            let seen = outcome::events(&run, &script, case.end()?)?;
            let sets = BTreeSet::from([case::lane("advisories").to_string()]);
            (expected.clone(), case.projected(seen, &expected, release), sets)
        }
    };
    Ok(Comparison {
        expected,
        seen,
        published: published(&run),
        members: script
            .subscriptions
            .iter()
            .filter(|(_, note)| !note.queue.is_empty())
            .map(|(name, _)| name.clone())
            .collect(),
        release: release.to_string(),
        timing: recording.timing,
        tolerance: recording.tolerance,
        assertions: recording.assertions.clone(),
        sets,
    })
}

/// Runs a script; again with later steps where the recorder had to wait.
fn finish(script: &mut Script) -> Result<Trace, Failure> {
    let mut run = simulated(&script.scenario)?;
    for _ in 0..script.ops.len() {
        if !script.wait_in_vain(&run) {
            break;
        }
        run = simulated(&script.scenario)?;
    }
    Ok(run)
}

/// One run. A fault of the simulator must not take the other recordings with it.
fn simulated(scenario: &Scenario) -> Result<Trace, Failure> {
    match catch_unwind(|| delivery_sim::run(scenario)) {
        Ok(Ok(run)) if run.cut.is_some() => {
            Err(Failure::Refused(vec!["The run made too many events and was cut.".into()]))
        }
        Ok(run) => run.map_err(Failure::Refused),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Err(Failure::Panicked(text.unwrap_or("no message").into()))
        }
    }
}

/// Payloads in the order in which they were published.
fn published(run: &Trace) -> Vec<String> {
    let label = |record: &delivery_sim::Record| match record.event {
        Sim::Published { msg, .. } => Some(run.label(msg)),
        _ => None,
    };
    run.records.iter().filter_map(label).collect()
}
