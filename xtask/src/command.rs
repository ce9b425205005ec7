//! The command line: which task, and its options.

use crate::Failure;
use crate::project::{self, root};
use std::path::PathBuf;

/// What `cargo xtask --help` prints.
pub(crate) const HELP: &str = "\
cargo xtask TASK

  serve [--port N]                      build the site and serve it on 127.0.0.1 (port 8080), rebuild on every change
  build [--public-url /x/] [--dist DIR] build the site for any static host, into dist/
  test [--fast]                         everything: formatting, lints, tests, recordings, prose, site, weight, browser
                                        (--fast: without prose, the site and the browser)
  prose                                 spelling and style of the book's text
  replay PATH...                        run recordings of real servers (files or folders) against the simulator
  size [--dist DIR]                     what a chapter and an embed weigh, and fail above the limits
  bench [ARGUMENT...]                   measure the simulator; arguments go to the benchmarks
  bench-web [--dist DIR] [--lab SLUG] [--runs N]
                                        measure the labs of a built site in Chromium, each or one of them (5 runs): slider,
                                        animation, rest and start, beside their bars; two-thousand is a lab in no chapter

Each task fetches what it needs and says so: the wasm target, trunk, wasm-bindgen, the packages of the browser tests, the
browsers.
";

/// A task with its options.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Says what there is.
    Help,
    /// Serves the site while it is worked on.
    Serve {
        /// Port on 127.0.0.1.
        port: u16,
    },
    /// Builds the site.
    Build {
        /// Where the site will be on its host, `/x/`; without it every link is relative.
        public_url: Option<String>,
        /// The folder it is written to.
        dist: PathBuf,
    },
    /// Tests everything.
    Test {
        /// Leaves the site and the browser out.
        fast: bool,
    },
    /// Checks spelling and style.
    Prose,
    /// Replays recordings.
    Replay {
        /// Files and folders.
        paths: Vec<PathBuf>,
    },
    /// Weighs a chapter and an embed.
    Size {
        /// The folder of a built site.
        dist: PathBuf,
    },
    /// Measures the simulator.
    Bench {
        /// Handed to the benchmarks.
        arguments: Vec<String>,
    },
    /// Measures the labs in a browser.
    BenchWeb {
        /// The folder of a built site.
        dist: PathBuf,
        /// The lab to measure; without it every one.
        lab: Option<String>,
        /// How often each figure is taken.
        runs: u32,
    },
}

/// Reads the words after `cargo xtask`.
///
/// # Errors
/// A sentence on the word that was not understood.
pub(crate) fn read(words: impl IntoIterator<Item = String>) -> Result<Task, Failure> {
    let mut words = words.into_iter();
    let Some(task) = words.next() else {
        return Ok(Task::Help);
    };
    let rest: Vec<String> = words.collect();
    let helps = task != "bench" && rest.iter().any(|word| word == "--help" || word == "-h");
    if helps || matches!(task.as_str(), "--help" | "-h" | "help") {
        return Ok(Task::Help);
    }
    match task.as_str() {
        "serve" => {
            let [port] = options(&task, rest, ["--port"])?;
            Ok(Task::Serve { port: port.map_or(Ok(8080), |text| parse_port(&text))? })
        }
        "build" => {
            let [public_url, dist] = options(&task, rest, ["--public-url", "--dist"])?;
            if let Some(url) = &public_url {
                check_public_url(url)?;
            }
            Ok(Task::Build { public_url, dist: dist_or_default(dist) })
        }
        "test" => match rest.as_slice() {
            [] => Ok(Task::Test { fast: false }),
            [word] if word == "--fast" => Ok(Task::Test { fast: true }),
            words => Err(format!("`test` knows --fast alone, not `{}`.", words.join(" "))),
        },
        "prose" if rest.is_empty() => Ok(Task::Prose),
        "prose" => Err(format!("`prose` has no options, so not `{}`.", rest.join(" "))),
        "replay" if rest.is_empty() => {
            Err("`replay` needs the recordings to run: files or folders.".into())
        }
        "replay" => match rest.iter().find(|word| word.starts_with('-')) {
            Some(option) => Err(format!("`replay` has no option `{option}`.")),
            None => Ok(Task::Replay { paths: rest.into_iter().map(PathBuf::from).collect() }),
        },
        "size" => {
            let [dist] = options(&task, rest, ["--dist"])?;
            Ok(Task::Size { dist: dist_or_default(dist) })
        }
        "bench" => Ok(Task::Bench { arguments: rest }),
        "bench-web" => {
            let [dist, lab, runs] = options(&task, rest, ["--dist", "--lab", "--runs"])?;
            let runs = runs.map_or(Ok(5), |text| parse_runs(&text))?;
            Ok(Task::BenchWeb { dist: dist_or_default(dist), lab, runs })
        }
        other => Err(format!("There is no task `{other}`.")),
    }
}

/// The values of a task's options, in the order of `names`; each may be given once, as `--name value` or `--name=value`.
fn options<const N: usize>(
    task: &str,
    words: Vec<String>,
    names: [&str; N],
) -> Result<[Option<String>; N], Failure> {
    let mut values = [const { None }; N];
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let (name, given) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word.as_str(), None),
        };
        let place = names
            .iter()
            .position(|known| *known == name)
            .ok_or_else(|| format!("`{task}` knows {}, not `{word}`.", names.join(" and ")))?;
        let value = given
            .or_else(|| words.next())
            .filter(|value| !value.is_empty())
            .ok_or_else(|| format!("`{name}` needs a value."))?;
        if values[place].replace(value).is_some() {
            return Err(format!("`{name}` is given twice."));
        }
    }
    Ok(values)
}

fn parse_port(text: &str) -> Result<u16, Failure> {
    text.parse()
        .ok()
        .filter(|port| *port > 0)
        .ok_or_else(|| format!("`{text}` is no port: give a number from 1 to 65535."))
}

fn parse_runs(text: &str) -> Result<u32, Failure> {
    text.parse()
        .ok()
        .filter(|runs| *runs > 0)
        .ok_or_else(|| format!("`{text}` is no number of runs: give one from 1 on."))
}

fn check_public_url(url: &str) -> Result<(), Failure> {
    let absolute =
        url.starts_with('/') || url.starts_with("https://") || url.starts_with("http://");
    if absolute && url.ends_with('/') && !url.contains(char::is_whitespace) {
        return Ok(());
    }
    Err(format!(
        "`{url}` is no place for a site: give the path on its host with a slash at both ends, such as /x/."
    ))
}

fn dist_or_default(dist: Option<String>) -> PathBuf {
    dist.map_or_else(|| root().join(project::DIST), PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn tasks_and_their_options() {
        let dist = || root().join("dist");
        let build = |public_url: Option<&str>, dist: PathBuf| Task::Build {
            public_url: public_url.map(str::to_owned),
            dist,
        };
        for (line, task) in [
            ("", Task::Help),
            ("--help", Task::Help),
            ("serve --help", Task::Help),
            ("serve", Task::Serve { port: 8080 }),
            ("serve --port 9000", Task::Serve { port: 9000 }),
            ("serve --port=9000", Task::Serve { port: 9000 }),
            ("build", build(None, dist())),
            ("build --public-url /x/", build(Some("/x/"), dist())),
            (
                "build --dist out --public-url=https://example.org/x/",
                build(Some("https://example.org/x/"), "out".into()),
            ),
            ("test", Task::Test { fast: false }),
            ("test --fast", Task::Test { fast: true }),
            ("replay a b/c.json", Task::Replay { paths: vec!["a".into(), "b/c.json".into()] }),
            ("prose", Task::Prose),
            ("size", Task::Size { dist: dist() }),
            ("size --dist out", Task::Size { dist: "out".into() }),
            ("bench", Task::Bench { arguments: vec![] }),
            ("bench-web", Task::BenchWeb { dist: dist(), lab: None, runs: 5 }),
            (
                "bench-web --runs 3 --lab slow-or-dead --dist=out",
                Task::BenchWeb { dist: "out".into(), lab: Some("slow-or-dead".into()), runs: 3 },
            ),
            ("bench --help", Task::Bench { arguments: vec!["--help".into()] }),
        ] {
            assert_eq!(read(words(line)), Ok(task), "{line}");
        }
    }

    #[test]
    fn what_is_not_understood_is_said() {
        for (line, part) in [
            ("deploy", "There is no task `deploy`."),
            ("serve 9000", "`serve` knows --port, not `9000`."),
            ("serve --port", "`--port` needs a value."),
            ("serve --port=", "`--port` needs a value."),
            ("serve --port banana", "`banana` is no port"),
            ("serve --port 0", "`0` is no port"),
            ("serve --port 70000", "`70000` is no port"),
            ("serve --port 1 --port 2", "`--port` is given twice."),
            ("build --release", "`build` knows --public-url and --dist, not `--release`."),
            ("build --public-url x", "`x` is no place for a site"),
            ("build --public-url /x", "`/x` is no place for a site"),
            ("test --slow", "`test` knows --fast alone, not `--slow`."),
            ("prose --fast", "`prose` has no options, so not `--fast`."),
            ("bench-web --runs 0", "`0` is no number of runs"),
            ("bench-web --runs many", "`many` is no number of runs"),
            ("bench-web 3", "`bench-web` knows --dist and --lab and --runs, not `3`."),
            ("replay", "`replay` needs the recordings"),
            ("replay --all", "`replay` has no option `--all`."),
        ] {
            let failure = read(words(line)).unwrap_err();
            assert!(failure.contains(part), "{line}: {failure}");
        }
    }
}
