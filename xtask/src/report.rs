//! Headings, progress and the summary that a long task prints.

use crate::Failure;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// One step of a task, and how it went.
pub(crate) struct Step {
    name: &'static str,
    outcome: Outcome,
}

enum Outcome {
    Passed(Duration),
    Failed(Duration),
    /// Left out, and why.
    Skipped(&'static str),
}

/// The steps of a task so far. After one has failed the others are not run.
#[derive(Default)]
pub(crate) struct Report {
    steps: Vec<Step>,
    failure: Option<Failure>,
}

impl Report {
    /// Runs a step under a heading, unless an earlier one has failed.
    pub(crate) fn step(&mut self, name: &'static str, run: impl FnOnce() -> Result<(), Failure>) {
        if self.failure.is_some() {
            return self.skip(name, "not run, since a step before it failed");
        }
        println!("\n== {name} ==");
        let start = Instant::now();
        let outcome = match run() {
            Ok(()) => Outcome::Passed(start.elapsed()),
            Err(failure) => {
                eprintln!("\n{failure}");
                self.failure = Some(failure);
                Outcome::Failed(start.elapsed())
            }
        };
        self.steps.push(Step { name, outcome });
    }

    /// Leaves a step out, and says so in the summary.
    pub(crate) fn skip(&mut self, name: &'static str, why: &'static str) {
        self.steps.push(Step { name, outcome: Outcome::Skipped(why) });
    }

    /// Prints the summary.
    ///
    /// # Errors
    /// The failure of the step that failed.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        print!("\n{}", summary(&self.steps));
        self.failure.map_or(Ok(()), Err)
    }
}

/// A line for each step, and the counts.
fn summary(steps: &[Step]) -> String {
    let width = steps.iter().map(|step| step.name.len()).max().unwrap_or(0);
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    let mut out = String::from("== summary ==\n");
    for step in steps {
        let (word, rest) = match step.outcome {
            Outcome::Passed(time) => {
                passed += 1;
                ("passed", took(time))
            }
            Outcome::Failed(time) => {
                failed += 1;
                ("FAILED", took(time))
            }
            Outcome::Skipped(why) => {
                skipped += 1;
                ("skipped", why.to_owned())
            }
        };
        let _ = writeln!(out, "{:width$}  {word:7}  {rest}", step.name);
    }
    let _ = writeln!(out, "\n{passed} passed, {failed} failed, {skipped} skipped");
    out
}

/// A length of time for people: `0.4 s`, `12 s`, `3 min 5 s`.
pub(crate) fn took(time: Duration) -> String {
    match time.as_secs() {
        0..=9 => format!("{}.{} s", time.as_secs(), time.subsec_millis() / 100),
        seconds @ 10..=59 => format!("{seconds} s"),
        seconds => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_for_people() {
        for (ms, text) in [
            (0, "0.0 s"),
            (430, "0.4 s"),
            (9_999, "9.9 s"),
            (12_400, "12 s"),
            (185_000, "3 min 5 s"),
        ] {
            assert_eq!(took(Duration::from_millis(ms)), text);
        }
    }

    #[test]
    fn nothing_runs_after_a_failure_and_the_summary_says_so() {
        let mut report = Report::default();
        let mut ran = Vec::new();
        report.step("one", || {
            ran.push(1);
            Ok(())
        });
        report.skip("three little words", "asked for");
        report.step("two", || Err("It broke.".into()));
        report.step("four", || unreachable!("a step before it failed"));
        let text = summary(&report.steps);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(ran, [1]);
        assert!(lines[1].starts_with("one                 passed   0."), "{text}");
        assert_eq!(lines[2], "three little words  skipped  asked for");
        assert!(lines[3].starts_with("two                 FAILED   0."), "{text}");
        assert!(lines[4].starts_with("four                skipped  not run"), "{text}");
        assert_eq!(lines.last(), Some(&"1 passed, 1 failed, 2 skipped"));
        assert_eq!(report.finish(), Err("It broke.".into()));
    }
}
