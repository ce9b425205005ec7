//! Answers and goals of a lab, held against its runs: which answer is right is computed, and a goal can be reached.

use crate::Problem;
use crate::source::{Source, nearest};
use delivery_figure::condition::{Condition, Facts, Turns};
use delivery_figure::lab::Lab;
use delivery_figure::told::Told;
use delivery_figure::words;
use delivery_sim::Trace;
use delivery_sim::setting::{Setting, Value};
use delivery_sim::trace::Msg;
use std::sync::Arc;

/// Answers that a question has, if it has any.
const ANSWERS: std::ops::RangeInclusive<usize> = 2..=4;

/// Checks answers and goals of a lab whose default run is `trace`, and completes them: values of knobs in the form in
/// which they are compared, and the moment that shows each goal.
pub(crate) fn check(source: &Source, lab: &mut Lab, trace: &Trace, problems: &mut Vec<Problem>) {
    let mut teacher = Teacher { source, problems };
    teacher.answers(lab, trace);
    teacher.goals(lab, trace);
}

struct Teacher<'a> {
    source: &'a Source,
    problems: &'a mut Vec<Problem>,
}

/// Where in the file: a list, the place in it from 0, and a key there.
type Place<'a> = (&'a str, usize, &'a str);

impl Teacher<'_> {
    fn problem(&mut self, (list, i, key): Place<'_>, sentence: &str) {
        let kind = list.trim_end_matches('s');
        let line = self.source.line_in_list(list, i, key);
        self.problems.push(self.source.problem(line, format!("{kind} {}: {sentence}", i + 1)));
    }

    fn answers(&mut self, lab: &mut Lab, trace: &Trace) {
        let list = "answers";
        if lab.answers.is_empty() {
            return;
        }
        let before = self.problems.len();
        if !ANSWERS.contains(&lab.answers.len()) {
            let sentence = format!(
                "`answers`: {} given; a question has two, three or four, or none at all",
                lab.answers.len()
            );
            let line = self.source.line_in_list(list, 0, "");
            self.problems.push(self.source.problem(line, sentence));
        }
        let facts = Facts::new(trace);
        let rows = Told::new(Arc::new(trace.clone()));
        let mut answers = std::mem::take(&mut lab.answers);
        for (i, answer) in answers.iter_mut().enumerate() {
            for (key, text) in [("text", &answer.text), ("say", &answer.say)] {
                if text.trim().is_empty() {
                    self.problem((list, i, key), &format!("`{key}` is empty; write one sentence"));
                }
            }
            self.condition((list, i, "right_when"), &mut answer.right_when, lab, trace);
            self.condition((list, i, "because"), &mut answer.because, lab, trace);
            if answer.because.claims.len() != 1 || !answer.because.knobs.0.is_empty() {
                self.problem((list, i, "because"), "`because` names one event");
            }
        }
        lab.answers = answers;
        if self.problems.len() > before {
            return;
        }
        for (i, answer) in lab.answers.iter().enumerate() {
            if facts.row(&answer.because, &rows).is_none() {
                self.problem(
                    (list, i, "because"),
                    "nothing that happens in the default run fits `because`",
                );
            }
        }
        let usual = lab.default_position().values;
        match right(lab, &facts, &usual)[..] {
            [_] => {}
            [] => {
                let sentence = format!(
                    "no answer is right in the default run: {}",
                    lower(&words::conclusion(trace))
                );
                let line = self.source.line_in_list(list, 0, "");
                self.problems.push(self.source.problem(line, sentence));
            }
            [one, other, ..] => {
                let sentence =
                    format!("in the default run it is right, and so is answer {}", one + 1);
                self.problem((list, other, "right_when"), &sentence);
                return;
            }
        }
        for (turned, values) in positions(lab) {
            // What the server refuses is no run.
            let Ok(trace) = lab.run(&values) else { continue };
            if let [one, other, ..] = right(lab, &Facts::new(&trace), &values)[..] {
                self.problem(
                    (list, other, "right_when"),
                    &format!("with {turned} it is right, and so is answer {}", one + 1),
                );
                return;
            }
        }
    }

    fn goals(&mut self, lab: &mut Lab, trace: &Trace) {
        let list = "goals";
        let usual = lab.default_position().values;
        let mut goals = std::mem::take(&mut lab.goals);
        for (i, goal) in goals.iter_mut().enumerate() {
            let before = self.problems.len();
            if goal.text.trim().is_empty() {
                self.problem((list, i, "text"), "`text` is empty; write one sentence");
            }
            self.turns((list, i, "by"), &mut goal.by, lab);
            if goal.by.0.is_empty() {
                self.problem((list, i, "by"), "`by` turns no knob; name settings that reach it");
            }
            if self.problems.len() > before {
                continue;
            }
            let by = goal.by.query();
            let (position, _) = lab.read_query(&by, true);
            let run = match lab.run(&position.values) {
                Ok(run) => run,
                Err(sentences) => {
                    for sentence in sentences {
                        let sentence = format!("with {by} the lab does not run: {sentence}");
                        self.problem((list, i, "by"), &sentence);
                    }
                    continue;
                }
            };
            self.condition((list, i, "when"), &mut goal.when, lab, &run);
            if self.problems.len() > before {
                continue;
            }
            if Facts::new(trace).holds(&goal.when, lab, &usual) {
                self.problem((list, i, "when"), "it is reached in the default run already");
            }
            let facts = Facts::new(&run);
            if !facts.holds(&goal.when, lab, &position.values) {
                let sentence = format!(
                    "with {by} it is not reached: {}",
                    lower(words::conclusion(&run).trim_end_matches('.'))
                );
                self.problem((list, i, "by"), &sentence);
            }
            let rows = Told::new(Arc::new(run.clone()));
            goal.at = facts
                .row(&goal.when, &rows)
                .and_then(|(row, _)| rows.at(row))
                .unwrap_or(lab.opens_at);
        }
        lab.goals = goals;
    }

    /// Checks that a condition asks for something, of messages, clients and knobs that there are.
    fn condition(&mut self, place: Place<'_>, condition: &mut Condition, lab: &Lab, trace: &Trace) {
        let key = place.2;
        if condition.claims.is_empty() {
            self.problem(place, &format!("`{key}` says nothing about the run"));
        }
        let labels: Vec<String> =
            (0..trace.messages.len() as u32).map(|msg| trace.label(Msg(msg))).collect();
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        let clients: Vec<&str> = trace.clients.iter().map(|client| client.name.as_str()).collect();
        for claim in &condition.claims {
            let client = Some(&claim.client).filter(|client| !client.is_empty());
            let names = claim.msgs.iter().map(|label| (label, "a message", &labels));
            for (name, kind, known) in names.chain(client.map(|name| (name, "a client", &clients)))
            {
                if !known.contains(&name.as_str()) {
                    self.problem(place, &nearest(name, kind, known));
                }
            }
        }
        self.turns(place, &mut condition.knobs, lab);
    }

    /// Checks names and values of knobs, and brings the values into the form in which they are compared.
    fn turns(&mut self, place: Place<'_>, turns: &mut Turns, lab: &Lab) {
        let known: Vec<&str> = lab.knobs.iter().map(|knob| knob.name.as_str()).collect();
        for turn in turns.0.chunks_exact_mut(2) {
            let [name, text] = turn else { continue };
            match lab.knobs.iter().find(|knob| knob.name == *name).map(|knob| knob.read(text)) {
                None => self.problem(place, &nearest(name, "a knob", &known)),
                Some(Err(why)) => self.problem(place, &format!("`{name}`: {why}")),
                Some(Ok(value)) => *text = value.text(),
            }
        }
    }
}

/// The answers that are right, by their places.
fn right(lab: &Lab, facts: &Facts<'_>, values: &[Value]) -> Vec<usize> {
    let holds = |i: &usize| facts.holds(&lab.answers[*i].right_when, lab, values);
    (0..lab.answers.len()).filter(holds).collect()
}

/// Each knob at each of its positions, the others as they are; with how an address says it.
fn positions(lab: &Lab) -> Vec<(String, Vec<Value>)> {
    let usual = lab.default_position().values;
    let mut all = Vec::new();
    for (i, knob) in lab.knobs.iter().enumerate() {
        let Ok(form) = Setting::parse(&knob.setting).map(|setting| setting.form()) else {
            continue;
        };
        for text in &knob.positions {
            let mut values = usual.clone();
            let Ok(value) = Value::parse(form, text) else { continue };
            values[i] = value;
            all.push((format!("{}={text}", knob.name), values));
        }
    }
    all
}

/// A sentence as it stands within another.
fn lower(sentence: &str) -> String {
    let mut chars = sentence.chars();
    let first = chars.next().map(|c| c.to_lowercase().to_string()).unwrap_or_default();
    first + chars.as_str().trim_end_matches('.')
}
