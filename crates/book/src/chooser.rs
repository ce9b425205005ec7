//! The chooser: questions, and for every way to answer them the one outcome that fits, with its configuration.
//!
//! Read from `chooser.toml`, placed by `{{chooser}}`. An outcome says `when` it fits: for some questions the answers it takes;
//! of the others it takes any. It comes with the code of a client (`code`, a snippet), or with a `stream` and a `consumer`
//! of which the code is written.
//!
//! # Invariant
//!
//! Each combination of answers has exactly one outcome, each outcome is reached, and no server refuses what one configures.

use crate::Problem;
use crate::markdown::{self, Index};
use crate::snippet::Snippet;
use crate::source::{Source, nearest};
use crate::text::escaped;
use delivery_sim::config::{LANGUAGES, calls, consumer_json, stream_json};
use delivery_sim::scenario::{Consumer, ConsumerConfig, Scenario, StreamConfig};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What keys of the address and ids of the page begin with; no lab can have it as its name.
pub(crate) const NAME: &str = "choose";

/// Combinations of answers that a chooser may have at most; all of them are tried.
const MOST: usize = 100_000;

/// The chooser of a book.
#[derive(Debug)]
pub(crate) struct Chooser {
    source: Source,
    questions: Vec<Question>,
    outcomes: Vec<Outcome>,
}

/// What `chooser.toml` holds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    question: Vec<Question>,
    outcome: Vec<Outcome>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    /// Its key in the address.
    id: String,
    text: String,
    option: Vec<Choice>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Choice {
    /// Its value in the address.
    id: String,
    text: String,
    /// The answer in a few words, for the list of those that lead to an outcome.
    short: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Outcome {
    id: String,
    title: String,
    /// By question, the answers it takes.
    when: BTreeMap<String, OneOrMore>,
    /// Why it fits, as Markdown.
    why: String,
    /// Where it can be seen, as Markdown with a result of a lab.
    see: String,
    /// A snippet that shows it in each client.
    code: Option<String>,
    stream: Option<StreamConfig>,
    consumer: Option<ConsumerConfig>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    fn all(&self) -> &[String] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::More(more) => more,
        }
    }
}

impl Outcome {
    /// Whether it fits an answer to each of the questions, each by its place.
    fn fits(&self, questions: &[Question], answers: &[usize]) -> bool {
        questions.iter().zip(answers).all(|(question, &answer)| {
            let takes = self.when.get(&question.id);
            takes.is_none_or(|takes| takes.all().contains(&question.option[answer].id))
        })
    }

    fn anchor(&self) -> String {
        format!("{NAME}-{}", self.id)
    }
}

impl Chooser {
    /// Reads the file, and reports what is wrong in it.
    ///
    /// # Errors
    /// If it cannot be read at all.
    pub(crate) fn read(source: Source, problems: &mut Vec<Problem>) -> Result<Self, Problem> {
        let File { question, outcome } = source.toml()?;
        let chooser = Self { source, questions: question, outcomes: outcome };
        let before = problems.len();
        chooser.check_names(problems);
        if problems.len() == before {
            chooser.check_answers(problems);
            chooser.check_configurations(problems);
        }
        Ok(chooser)
    }

    /// The anchors of its outcomes.
    pub(crate) fn anchors(&self) -> impl Iterator<Item = String> {
        self.outcomes.iter().map(Outcome::anchor)
    }

    /// The snippets that it shows.
    pub(crate) fn snippets(&self) -> impl Iterator<Item = &str> {
        self.outcomes.iter().filter_map(|outcome| outcome.code.as_deref())
    }

    /// A problem of the file as a whole.
    pub(crate) fn problem(&self, sentence: impl Into<String>) -> Problem {
        self.source.problem(0, sentence)
    }

    fn in_outcome(&self, i: usize, key: &str, sentence: &str) -> Problem {
        let line = self.source.line_in_list("outcome", i, key);
        self.source.problem(line, format!("outcome `{}`: {sentence}", self.outcomes[i].id))
    }

    fn check_names(&self, problems: &mut Vec<Problem>) {
        let plain = |id: &str| {
            !id.is_empty()
                && id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        };
        for (i, question) in self.questions.iter().enumerate() {
            let mut fail = |sentence: String| {
                let line = self.source.line_in_list("question", i, "id");
                problems.push(
                    self.source.problem(line, format!("question `{}`: {sentence}", question.id)),
                );
            };
            let options = || question.option.iter().map(|option| option.id.as_str());
            if self.questions[..i].iter().any(|other| other.id == question.id) {
                fail("it is there twice".into());
            }
            if question.option.len() < 2 {
                fail("it needs two answers or more".into());
            }
            for (n, id) in options().enumerate() {
                if options().take(n).any(|other| other == id) {
                    fail(format!("the answer `{id}` is there twice"));
                }
            }
            if let Some(id) =
                std::iter::once(question.id.as_str()).chain(options()).find(|id| !plain(id))
            {
                fail(format!("`{id}` stands in addresses; make it of a-z, 0-9 and -"));
            }
        }
        let known: Vec<&str> = self.questions.iter().map(|question| question.id.as_str()).collect();
        for (i, outcome) in self.outcomes.iter().enumerate() {
            let mut fail =
                |key: &str, sentence: &str| problems.push(self.in_outcome(i, key, sentence));
            if self.outcomes[..i].iter().any(|other| other.id == outcome.id) {
                fail("id", "it is there twice");
            }
            if !plain(&outcome.id) {
                fail("id", "its id stands in addresses; make it of a-z, 0-9 and -");
            }
            if !outcome.see.contains(":result[") {
                fail("see", "`see` shows no result; name one, :result[words](lab/claim)");
            }
            match (&outcome.code, &outcome.stream, &outcome.consumer) {
                (Some(_), None, None) | (None, Some(_), Some(_)) => {}
                _ => fail("id", "it needs either `code` or both a `stream` and a `consumer`"),
            }
            for (id, takes) in &outcome.when {
                let Some(question) = self.questions.iter().find(|question| question.id == *id)
                else {
                    fail("when", &nearest(id, "a question", &known));
                    continue;
                };
                let options: Vec<&str> =
                    question.option.iter().map(|option| option.id.as_str()).collect();
                for answer in takes.all() {
                    if !options.contains(&answer.as_str()) {
                        fail("when", &nearest(answer, &format!("an answer to `{id}`"), &options));
                    }
                }
            }
        }
    }

    /// Tries every combination of answers.
    fn check_answers(&self, problems: &mut Vec<Problem>) {
        let many = self.questions.iter().map(|question| question.option.len()).product::<usize>();
        if many > MOST {
            problems
                .push(self.problem(format!("there are {many} ways to answer, too many to try")));
            return;
        }
        let mut reached = vec![false; self.outcomes.len()];
        let mut answers = vec![0; self.questions.len()];
        for _ in 0..many {
            let fits: Vec<usize> = (0..self.outcomes.len())
                .filter(|&i| self.outcomes[i].fits(&self.questions, &answers))
                .collect();
            let given = || {
                let pairs = self.questions.iter().zip(&answers);
                let said: Vec<String> = pairs
                    .map(|(question, &answer)| {
                        format!("{}={}", question.id, question.option[answer].id)
                    })
                    .collect();
                said.join(", ")
            };
            match fits[..] {
                [one] => reached[one] = true,
                [] => {
                    problems.push(self.problem(format!("no outcome fits {}", given())));
                    return;
                }
                [one, other, ..] => {
                    let sentence = format!(
                        "with {} it fits, and so does `{}`",
                        given(),
                        self.outcomes[one].id
                    );
                    problems.push(self.in_outcome(other, "when", &sentence));
                    return;
                }
            }
            // The next combination, as a number counts on.
            for (answer, question) in answers.iter_mut().zip(&self.questions) {
                *answer = (*answer + 1) % question.option.len();
                if *answer > 0 {
                    break;
                }
            }
        }
        for i in (0..reached.len()).filter(|i| !reached[*i]) {
            problems.push(self.in_outcome(i, "when", "no answers lead to it"));
        }
    }

    fn check_configurations(&self, problems: &mut Vec<Problem>) {
        for (i, outcome) in self.outcomes.iter().enumerate() {
            let (Some(stream), Some(consumer)) = (&outcome.stream, &outcome.consumer) else {
                continue;
            };
            let scenario = Scenario {
                streams: vec![stream.clone()],
                consumers: vec![Consumer {
                    stream: stream.name.clone(),
                    config: consumer.clone(),
                    ..Consumer::default()
                }],
                ..Scenario::default()
            };
            for refusal in delivery_sim::check::problems(&scenario) {
                let key = if refusal.what == "consumer" { "consumer" } else { "stream" };
                problems.push(self.in_outcome(i, key, &refusal.sentence()));
            }
        }
    }

    /// The chooser as it stands on the page `slug`: the questions, and every outcome. A script makes a form of it.
    pub(crate) fn html(
        &self,
        slug: &str,
        index: &Index<'_>,
        problems: &mut Vec<Problem>,
    ) -> String {
        let mut html =
            format!("<div class=\"chooser\" id=\"{NAME}\">\n<form autocomplete=\"off\">\n");
        for (i, question) in self.questions.iter().enumerate() {
            let _ =
                writeln!(html, "<fieldset><legend>{}. {}</legend>", i + 1, escaped(&question.text));
            for option in &question.option {
                let _ = writeln!(
                    html,
                    "<label><input type=\"radio\" name=\"{}\" value=\"{}\" hidden> {}</label>",
                    question.id,
                    option.id,
                    escaped(&option.text)
                );
            }
            html.push_str("</fieldset>\n");
        }
        html.push_str(
            "<p class=\"tools\" hidden><button type=\"button\" data-do=\"copy\">Copy link to these answers</button> \
             <button type=\"reset\">Start again</button></p>\n</form>\n<p class=\"left\" role=\"status\"></p>\n",
        );
        for (i, outcome) in self.outcomes.iter().enumerate() {
            html.push_str(&self.outcome(i, outcome, slug, index, problems));
        }
        html + "</div>\n"
    }

    fn outcome(
        &self,
        i: usize,
        outcome: &Outcome,
        slug: &str,
        index: &Index<'_>,
        problems: &mut Vec<Problem>,
    ) -> String {
        let mut render = |key: &str, text: &str| {
            let source =
                self.source.fragment(self.source.line_in_list("outcome", i, key), text.trim());
            markdown::fragment(&source, slug, index, problems)
        };
        let (why, see) = (render("why", &outcome.why), render("see", &outcome.see));
        let takes = |question: &Question| {
            let takes = outcome.when.get(&question.id)?;
            let of = |id: &String| question.option.iter().find(|option| option.id == *id);
            let short: Vec<&str> =
                takes.all().iter().filter_map(of).map(|option| option.short.as_str()).collect();
            Some((format!("{}:{}", question.id, takes.all().join(",")), short.join(" or ")))
        };
        let (keys, shorts): (Vec<String>, Vec<String>) =
            self.questions.iter().filter_map(takes).unzip();
        let code = match (&outcome.code, &outcome.stream, &outcome.consumer) {
            (Some(name), ..) => match index.snippets.get(name) {
                Some(snippet) => snippet.html(index, problems),
                None => {
                    let known: Vec<&str> = index.snippets.keys().map(String::as_str).collect();
                    problems.push(self.in_outcome(i, "code", &nearest(name, "a snippet", &known)));
                    String::new()
                }
            },
            (_, Some(stream), Some(consumer)) => {
                configuration(&outcome.anchor(), stream, consumer, index)
            }
            _ => String::new(),
        };
        let (anchor, title) = (outcome.anchor(), escaped(&outcome.title));
        format!(
            "<section class=\"outcome\" id=\"{anchor}\" data-when=\"{}\">\n\
             <h3>{title} <a class=\"anchor\" href=\"#{anchor}\" aria-label=\"Link to this outcome: {title}\">#</a></h3>\n\
             <p class=\"if\">For: {}.</p>\n{why}{code}{see}</section>\n",
            keys.join(" "),
            escaped(&shorts.join("; ")),
        )
    }
}

/// What creates a stream and its consumer, in each client and as files.
fn configuration(
    name: &str,
    stream: &StreamConfig,
    consumer: &ConsumerConfig,
    index: &Index<'_>,
) -> String {
    let mut text =
        format!("# The stream {} and the consumer {}\n", stream.name, consumer.durable_name);
    for (language, code) in LANGUAGES.iter().zip(calls(stream, consumer)) {
        let _ = write!(text, "\n```{language}\n{code}```\n");
    }
    let mut html = String::new();
    let mut none = Vec::new();
    html += &Snippet::read(Source::written(name, &text), &mut none).html(index, &mut none);
    debug_assert!(none.is_empty(), "{none:?}");
    html +=
        "<details class=\"json\"><summary>The same as JSON, for <code>--config</code></summary>\n";
    for (file, json) in
        [("stream.json", stream_json(stream)), ("consumer.json", consumer_json(consumer))]
    {
        let _ = writeln!(html, "<p><code>{file}</code></p>");
        html += &markdown::code("json", &json).unwrap_or_default();
    }
    html + "</details>\n"
}
