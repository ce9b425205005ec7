//! A lab's file: the lab itself, checked by running it, and what its runs must show.

use crate::Problem;
use crate::expect::Expect;
use crate::source::Source;
use crate::teach;
use delivery_figure::lab::{Answer, Beside, Goal, Knob, Lab};
use delivery_figure::scene::{Layout, Scene};
use delivery_figure::{svg, words};
use delivery_sim::trace::Msg;
use delivery_sim::{Scenario, Time, Trace};
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// A file of `labs/`, as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LabFile {
    title: String,
    question: String,
    opens_at: Time,
    scenario: Scenario,
    knobs: Vec<Spanned<Knob>>,
    #[serde(default)]
    beside: Option<Beside>,
    #[serde(default)]
    answers: Vec<Answer>,
    #[serde(default)]
    goals: Vec<Goal>,
    #[serde(default)]
    expect: Vec<Spanned<Expect>>,
}

/// A lab whose file was read and whose claims were checked.
#[derive(Debug)]
pub(crate) struct CheckedLab {
    /// Its file.
    pub(crate) source: Source,
    /// The lab; none if its file cannot be read as one.
    pub(crate) lab: Option<Lab>,
    /// What chapters may claim of it: by id, the knobs it turns as a query and the moment it is seen at.
    pub(crate) claims: BTreeMap<String, (String, Time)>,
    /// The messages of its default run, by label; empty if that is not known.
    pub(crate) messages: Vec<String>,
    /// The picture of its default run; empty if that is not known.
    pub(crate) picture: String,
}

impl CheckedLab {
    /// A lab that exists but cannot be used.
    pub(crate) fn broken(source: &Source) -> Self {
        Self {
            source: source.clone(),
            lab: None,
            claims: BTreeMap::new(),
            messages: Vec::new(),
            picture: String::new(),
        }
    }

    /// Reads a lab, runs it as it opens and as each of its claims has it. None if it cannot be read.
    pub(crate) fn check(source: &Source, problems: &mut Vec<Problem>) -> Option<Self> {
        let file: LabFile = source.toml().map_err(|problem| problems.push(problem)).ok()?;
        let knob_lines: Vec<(String, usize)> = file
            .knobs
            .iter()
            .map(|knob| (format!("knob `{}`", knob.get_ref().name), source.line(knob.span().start)))
            .collect();
        let mut lab = Lab {
            slug: source.stem().to_owned(),
            title: file.title,
            question: file.question,
            opens_at: file.opens_at,
            scenario: file.scenario,
            knobs: file.knobs.into_iter().map(Spanned::into_inner).collect(),
            beside: file.beside,
            answers: file.answers,
            goals: file.goals,
        };
        let before = problems.len();
        for sentence in lab.check() {
            let knob = knob_lines.iter().rev().find(|(knob, _)| sentence.contains(knob));
            let line = knob.map_or_else(|| source.line_of_key(&sentence, None), |(_, line)| *line);
            problems.push(source.problem(line, sentence));
        }
        let mut report = |sentence: String| {
            problems
                .push(source.problem(source.line_of_key(&sentence, Some("scenario")), sentence));
        };
        let defaults = lab.default_position();
        let run = lab.run(&defaults.values);
        match &run {
            Ok(trace) => {
                if words::rows(trace).is_empty() {
                    report("nothing happens in this lab: its run has no account".into());
                }
            }
            Err(sentences) => sentences.iter().cloned().for_each(&mut report),
        }
        match lab.run_beside(&defaults.values) {
            Some(Ok(trace)) if words::rows(&trace).is_empty() => {
                report("`beside`: nothing happens in this system: its run has no account".into());
            }
            Some(Err(sentences)) => sentences
                .into_iter()
                .for_each(|sentence| report(["`beside`: ", &sentence].concat())),
            _ => {}
        }
        // A claim about a lab that does not run would only repeat why it does not.
        let runs = problems.len() == before;
        let (mut messages, mut picture) = (Vec::new(), String::new());
        if let Ok(trace) = &run
            && runs
        {
            teach::check(source, &mut lab, trace, problems);
            (messages, picture) = shown(trace);
        }
        let mut claims = BTreeMap::new();
        for expect in file.expect {
            let (start, expect) = (expect.span().start, expect.into_inner());
            let line = |offset| source.line(offset);
            if !expect.checks_something() {
                let sentence =
                    format!("`{}` claims something but checks nothing", expect.id.get_ref());
                problems.push(source.problem(line(start), sentence));
            }
            if runs {
                for (offset, sentence) in expect.check(&lab) {
                    let (id, claim) = (expect.id.get_ref(), &expect.claim);
                    let sentence = format!("`{id}` ({claim}) does not hold: {sentence}");
                    problems.push(source.problem(line(offset), sentence));
                }
            }
            let seen_at = expect.at.unwrap_or(lab.opens_at);
            if claims.insert(expect.id.get_ref().clone(), (expect.query(), seen_at)).is_some() {
                let sentence =
                    format!("there are two claims with the id `{}`", expect.id.get_ref());
                problems.push(source.problem(line(expect.id.span().start), sentence));
            }
        }
        Some(Self { source: source.clone(), lab: Some(lab), claims, messages, picture })
    }
}

/// The messages of a run by their labels, and its picture.
fn shown(trace: &Trace) -> (Vec<String>, String) {
    let mut labels: Vec<String> =
        (0..trace.messages.len() as u32).map(|msg| trace.label(Msg(msg))).collect();
    labels.dedup();
    let scene = Scene::new(trace, Layout::Wide);
    (labels, svg::write(&scene, "", "", "", trace.end))
}
