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

/// The steps of a task so far.
#[derive(Default)]
pub(crate) struct Report {
    steps: Vec<Step>,
}

impl Report {
    /// Runs a step under a heading. What it made, if it passed.
    pub(crate) fn step<T>(
        &mut self,
        name: &'static str,
        run: impl FnOnce() -> Result<T, Failure>,
    ) -> Option<T> {
        println!("\n== {name} ==");
        let start = Instant::now();
        let (made, outcome) = match run() {
            Ok(made) => (Some(made), Outcome::Passed(start.elapsed())),
            Err(failure) => {
                eprintln!("\n{failure}");
                (None, Outcome::Failed(start.elapsed()))
            }
        };
        self.steps.push(Step { name, outcome });
        made
    }

    /// Runs a step that needs what earlier ones made; leaves it out if they did not.
    pub(crate) fn after<N, T>(
        &mut self,
        needed: Option<N>,
        name: &'static str,
        run: impl FnOnce(N) -> Result<T, Failure>,
    ) -> Option<T> {
        let Some(needed) = needed else {
            self.skip(name, "not run, since a step that it needs failed");
            return None;
        };
        self.step(name, || run(needed))
    }

    /// Leaves a step out, and says so in the summary.
    pub(crate) fn skip(&mut self, name: &'static str, why: &'static str) {
        self.steps.push(Step { name, outcome: Outcome::Skipped(why) });
    }

    /// Prints the summary.
    ///
    /// # Errors
    /// A sentence that names the steps that failed.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        print!("\n{}", summary(&self.steps));
        let failed: Vec<&str> = self
            .steps
            .iter()
            .filter(|step| matches!(step.outcome, Outcome::Failed(_)))
            .map(|step| step.name)
            .collect();
        if failed.is_empty() {
            return Ok(());
        }
        Err(format!("Failed: {}. What is wrong stands under its heading.", failed.join(", ")))
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
    fn a_step_that_fails_takes_along_those_that_need_it_and_no_others() {
        let mut report = Report::default();
        let one = report.step("one", || Ok(1));
        report.skip("three little words", "asked for");
        let two = report.step("two", || Err::<i32, _>("It broke.".into()));
        assert_eq!((one, two), (Some(1), None));
        assert_eq!(report.after(two, "three", |_| -> Result<(), Failure> { unreachable!() }), None);
        assert_eq!(report.after(one, "four", |one| Ok(one + 3)), Some(4));

        let text = summary(&report.steps);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[1].starts_with("one                 passed   0."), "{text}");
        assert_eq!(lines[2], "three little words  skipped  asked for");
        assert!(lines[3].starts_with("two                 FAILED   0."), "{text}");
        assert!(lines[4].starts_with("three               skipped  not run, since"), "{text}");
        assert!(lines[5].starts_with("four                passed   0."), "{text}");
        assert_eq!(lines.last(), Some(&"2 passed, 1 failed, 2 skipped"));
        let failure = report.finish().unwrap_err();
        assert_eq!(failure, "Failed: two. What is wrong stands under its heading.");
    }
}
