//! Replays files: a line for each recording, a table by rule, and the counts.

use crate::read::{Recording, read};
use crate::run::{Failure, simulate};
use crate::stop::Stop;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// How many recordings passed, failed and were skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Tally {
    /// The simulator did as each named release did.
    pub passed: usize,
    /// It did not, or the file is broken.
    pub failed: usize,
    /// It needs a feature that is missing.
    pub skipped: usize,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

/// What came of one recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It agrees for every release that it names; their short names.
    Passed(Vec<&'static str>),
    /// The sentence, beginning with the release if there is one.
    Failed(String),
    /// The feature that is missing.
    Skipped(String),
}

/// Holds a recording against the simulator, once for every release that it names.
pub fn judge(recording: &Recording) -> Verdict {
    let mut passed = Vec::new();
    for (release, version) in &recording.versions {
        let compared = simulate(recording, release, *version)
            .and_then(|comparison| comparison.difference().map_err(Failure::Stop));
        match compared {
            Ok(None) => passed.push(version.name()),
            Ok(Some(difference)) => {
                return Verdict::Failed(format!("on {}: {}", version.name(), difference.sentence));
            }
            Err(Failure::Refused(sentences)) => {
                return Verdict::Failed(format!(
                    "on {}: the simulator refuses the scenario: {}",
                    version.name(),
                    sentences.join(" ")
                ));
            }
            Err(Failure::Panicked(words)) => {
                return Verdict::Failed(format!(
                    "on {}: the simulator broke down: {words}",
                    version.name()
                ));
            }
            Err(Failure::Stop(stop)) => return stopped(stop),
        }
    }
    Verdict::Passed(passed)
}

fn stopped(stop: Stop) -> Verdict {
    match stop {
        Stop::Broken(sentence) => Verdict::Failed(format!(": {sentence}")),
        Stop::Lacks(feature) => Verdict::Skipped(feature),
    }
}

/// Replays the recordings in `paths`, files or folders with all that is below them, and reports to `out`: a line
/// each, then how many passed by rule, then the tally alone on the last line. Of a folder it reads `*.json`.
///
/// # Errors
/// Only if `out` cannot be written to. What is wrong with a recording is a line of the report.
pub fn replay(paths: &[PathBuf], out: &mut dyn Write) -> io::Result<Tally> {
    let mut tally = Tally::default();
    let mut rules = Rules::default();
    for path in paths {
        for file in files(path) {
            let file = match file {
                Ok(file) => file,
                Err((path, error)) => {
                    tally.failed += 1;
                    writeln!(out, "failed  {}: it cannot be read: {error}", path.display())?;
                    continue;
                }
            };
            let text =
                std::fs::read_to_string(&file).map_err(|e| format!("it cannot be read: {e}"));
            let recording = match text {
                Ok(text) => read(&text),
                Err(sentence) => Err(Stop::Broken(sentence)),
            };
            let (id, of, verdict) = match recording {
                Ok(recording) => (recording.id.clone(), recording.rules.clone(), judge(&recording)),
                Err(stop) => (file.display().to_string(), Vec::new(), stopped(stop)),
            };
            line(out, &id, &verdict)?;
            rules.count(&of, &verdict);
            match verdict {
                Verdict::Passed(_) => tally.passed += 1,
                Verdict::Failed(_) => tally.failed += 1,
                Verdict::Skipped(_) => tally.skipped += 1,
            }
        }
    }
    rules.write(out)?;
    writeln!(out, "{tally}")?;
    Ok(tally)
}

fn line(out: &mut dyn Write, id: &str, verdict: &Verdict) -> io::Result<()> {
    match verdict {
        Verdict::Passed(versions) => writeln!(out, "passed  {id} ({})", versions.join(" ")),
        Verdict::Failed(sentence) if sentence.starts_with(':') => {
            writeln!(out, "failed  {id}{sentence}")
        }
        Verdict::Failed(sentence) => writeln!(out, "failed  {id} {sentence}"),
        Verdict::Skipped(feature) => writeln!(out, "skipped {id}: lacks {feature}"),
    }
}

/// The recordings that a path stands for, in the order of their names.
fn files(path: &Path) -> Vec<Result<PathBuf, (PathBuf, io::Error)>> {
    if !path.is_dir() {
        return vec![Ok(path.to_path_buf())];
    }
    let entries = std::fs::read_dir(path).and_then(|entries| {
        entries.map(|entry| entry.map(|e| e.path())).collect::<Result<Vec<_>, _>>()
    });
    let mut entries = match entries {
        Ok(entries) => entries,
        Err(error) => return vec![Err((path.to_path_buf(), error))],
    };
    entries.sort();
    let is_link = |path: &Path| path.is_symlink() && path.is_dir();
    let wanted = |path: &PathBuf| {
        (path.is_dir() && !is_link(path)) || path.extension().is_some_and(|e| e == "json")
    };
    entries.iter().filter(|path| wanted(path)).flat_map(|path| files(path)).collect()
}

/// Verdicts by rule.
#[derive(Default)]
struct Rules(BTreeMap<(u32, String), Tally>);

impl Rules {
    fn count(&mut self, rules: &[String], verdict: &Verdict) {
        let none = ["no rule named".to_string()];
        for rule in if rules.is_empty() { &none } else { rules } {
            let number = rule.strip_prefix('R').and_then(|n| n.parse().ok()).unwrap_or(u32::MAX);
            let tally = self.0.entry((number, rule.clone())).or_default();
            match verdict {
                Verdict::Passed(_) => tally.passed += 1,
                Verdict::Failed(_) => tally.failed += 1,
                Verdict::Skipped(_) => tally.skipped += 1,
            }
        }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "\n{:<14} {:>6} {:>6} {:>7}", "rule", "passed", "failed", "skipped")?;
        for ((_, rule), tally) in &self.0 {
            let Tally { passed, failed, skipped } = tally;
            writeln!(out, "{rule:<14} {passed:>6} {failed:>6} {skipped:>7}")?;
        }
        writeln!(out)
    }
}
