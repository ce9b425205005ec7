//! What must hold in a nondeterministic recording: the sentences of its `assertions`, read by pattern.

use crate::compare::{Comparison, Difference};
use crate::event::{Event, ms, nanos};
use crate::stop::Stop;
use serde_json::Value;

/// A sentence with `{}` for what varies, and its check; the words that varied come in order.
type Rule = (&'static str, fn(&Facts<'_>, &[&str]) -> Result<(), String>);

/// Every kind of assertion that is known. Longer patterns that begin like shorter ones come first.
const RULES: [Rule; 13] = [
    ("every message is received exactly once by {} together", |facts, words| {
        facts.each_once("received", &names(words[0]))
    }),
    ("each message is delivered to exactly one of {}", |facts, words| {
        facts.each_once("delivered", &names(words[0]))
    }),
    ("each is redelivered about {} ms later with num_delivered {}", |facts, words| {
        facts.redelivered(number(words[0])?, number(words[1])?)
    }),
    ("{} receives all {} in order", |facts, words| {
        facts.receives(words[0], number(words[1])?)?;
        facts.in_order(&format!("sub:{}", words[0]))
    }),
    ("{} receives all {}", |facts, words| facts.receives(words[0], number(words[1])?)),
    ("{} receives a strict prefix, then its connection is closed by the server", |facts, words| {
        facts.prefix(words[0])
    }),
    ("each member receives some", |facts, _| facts.each_member()),
    ("publisher sees no error", |facts, _| facts.none("pub_error")),
    ("received order is publish order", |facts, _| {
        let lanes = facts.all("received").map(|event| event.lane.clone());
        lanes.collect::<std::collections::BTreeSet<_>>().iter().try_for_each(|l| facts.in_order(l))
    }),
    ("the {} {} count is {} in most runs, {} when {}", |facts, words| {
        let allowed = [number(words[2])?, number(words[3])?];
        facts.stream_count(ordinal(words[0])?, words[1], &allowed)
    }),
    ("always {}", |facts, words| facts.last_count(&[number(words[0])?])),
    ("{} + {} = {}", |facts, words| facts.sum(words[0], words[1], number(words[2])?)),
    ("{} is {} or {}", |facts, words| {
        facts.total(words[0], &[number(words[1])?, number(words[2])?])
    }),
];

/// The words that stand for `{}` in `pattern`, if `sentence` has its form.
fn words<'a>(pattern: &str, sentence: &'a str) -> Option<Vec<&'a str>> {
    let mut parts = pattern.split("{}");
    let mut rest = sentence.strip_prefix(parts.next()?)?;
    let parts: Vec<&str> = parts.collect();
    let mut found = Vec::new();
    for (n, part) in parts.iter().enumerate() {
        let last = n + 1 == parts.len();
        let end = if last { rest.len().checked_sub(part.len())? } else { rest.find(part)? };
        if !rest.is_char_boundary(end) || &rest[end..][..part.len()] != *part || end == 0 {
            return None;
        }
        found.push(&rest[..end]);
        rest = &rest[end + part.len()..];
    }
    rest.is_empty().then_some(found)
}

/// `q1|q2|q3` or `p1,p2`.
fn names(text: &str) -> Vec<&str> {
    text.split(['|', ',']).map(str::trim).collect()
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number"))
}

fn ordinal(text: &str) -> Result<usize, String> {
    let known = ["first", "second", "third", "fourth"];
    known
        .iter()
        .position(|word| *word == text)
        .ok_or_else(|| format!("`{text}` is not an ordinal number"))
}

/// An assertion without the releases that it is for (`2.14.6, 2.15.1: always 1`); none if it is for others.
fn for_release<'a>(sentence: &'a str, release: &str) -> Option<&'a str> {
    match sentence.split_once(": ") {
        Some((list, rest)) if list.starts_with(|c: char| c.is_ascii_digit()) => {
            list.split(", ").any(|name| name == release).then_some(rest)
        }
        _ => Some(sentence),
    }
}

/// The first assertion that does not hold.
///
/// # Errors
/// [`Stop::Lacks`] with a sentence that is not understood.
pub(crate) fn first_broken(comparison: &Comparison) -> Result<Option<Difference>, Stop> {
    let facts = Facts { comparison };
    let mut first = None;
    for sentence in &comparison.assertions {
        let Some(claim) = for_release(sentence, &comparison.release) else {
            continue;
        };
        let known = RULES.iter().find_map(|(pattern, check)| Some((check, words(pattern, claim)?)));
        let Some((check, words)) = known else {
            return Err(Stop::lacks(format!("assertion \"{sentence}\"")));
        };
        if let Err(why) = check(&facts, &words) {
            let sentence = format!("it does not hold that {claim}: {why}");
            first = first.or(Some(Difference { at: 0, sentence }));
        }
    }
    Ok(first)
}

/// What the assertions are about.
struct Facts<'a> {
    comparison: &'a Comparison,
}

fn data(event: &Event) -> &str {
    event.fields.get("data").and_then(Value::as_str).unwrap_or_default()
}

fn count(event: &Event, field: &str) -> Option<u64> {
    event.fields.get(field).and_then(Value::as_u64)
}

/// The name after `sub:` or `worker:`.
fn owner(event: &Event) -> &str {
    event.lane.split_once(':').map_or("", |(_, name)| name)
}

impl Facts<'_> {
    fn all<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Event> {
        self.comparison.seen.iter().filter(move |event| event.kind == kind)
    }

    /// Payloads that reached a subscription, in order.
    fn payloads<'a>(&'a self, kind: &'a str, lane: &'a str) -> Vec<&'a str> {
        self.all(kind).filter(|event| event.lane == lane).map(data).collect()
    }

    /// Each published message once among `names`, counting first deliveries only.
    fn each_once(&self, kind: &str, names: &[&str]) -> Result<(), String> {
        for message in &self.comparison.published {
            let to: Vec<&str> = self
                .all(kind)
                .filter(|e| data(e) == message && count(e, "num_delivered").unwrap_or(1) == 1)
                .map(owner)
                .filter(|name| names.contains(name))
                .collect();
            if to.len() != 1 {
                return Err(format!("{message} went to {} of them", to.len()));
            }
        }
        Ok(())
    }

    fn redelivered(&self, wait: u64, attempt: u64) -> Result<(), String> {
        for message in &self.comparison.published {
            let at = |attempt: u64| {
                let of_it =
                    |e: &&Event| data(e) == message && count(e, "num_delivered") == Some(attempt);
                self.all("delivered").find(of_it).and_then(|event| event.at).map(|when| when.t)
            };
            let (Some(before), Some(again)) = (at(attempt.saturating_sub(1)), at(attempt)) else {
                return Err(format!("{message} has no delivery {attempt}"));
            };
            if (again - before - nanos(wait as f64)).abs() > self.comparison.tolerance {
                return Err(format!("{message} came again {} later", ms(again - before)));
            }
        }
        Ok(())
    }

    /// How many messages a subscription got: counted one by one, or as it reports.
    fn got(&self, name: &str) -> u64 {
        let lane = format!("sub:{name}");
        let total = self.all("client_summary").find(|event| event.lane == lane);
        total
            .and_then(|event| count(event, "received"))
            .unwrap_or_else(|| self.payloads("received", &lane).len() as u64)
    }

    fn receives(&self, name: &str, all: u64) -> Result<(), String> {
        match self.got(name) {
            n if n == all => Ok(()),
            n => Err(format!("it received {n}")),
        }
    }

    fn in_order(&self, lane: &str) -> Result<(), String> {
        let mut published = self.comparison.published.iter();
        for got in self.payloads("received", lane) {
            if !published.any(|message| message == got) {
                return Err(format!("{got} is out of order on {lane}"));
            }
        }
        Ok(())
    }

    fn prefix(&self, name: &str) -> Result<(), String> {
        let (got, all) = (self.got(name), self.comparison.published.len() as u64);
        let lane = format!("sub:{name}");
        if got >= all {
            Err(format!("it received {got} of {all}"))
        } else if !self.all("disconnected").any(|event| event.lane == lane) {
            Err("its connection was not closed".into())
        } else {
            Ok(())
        }
    }

    fn each_member(&self) -> Result<(), String> {
        let idle = self.comparison.members.iter().find(|name| self.got(name) == 0);
        match idle {
            Some(name) => Err(format!("{name} received none")),
            None if self.comparison.members.is_empty() => Err("there is no queue group".into()),
            None => Ok(()),
        }
    }

    fn none(&self, kind: &str) -> Result<(), String> {
        self.all(kind).next().map_or(Ok(()), |event| Err(format!("{event}")))
    }

    /// Messages in a stream as its `nth` stream info told.
    fn stream_count(&self, nth: usize, stream: &str, allowed: &[u64]) -> Result<(), String> {
        let of_it = |e: &&Event| e.fields.get("stream").and_then(Value::as_str) == Some(stream);
        let found = self.all("stream_info").filter(of_it).nth(nth);
        let n = found.and_then(|event| count(event, "messages"));
        among(n, allowed)
    }

    fn last_count(&self, allowed: &[u64]) -> Result<(), String> {
        let last = self.all("stream_info").last();
        among(last.and_then(|event| count(event, "messages")), allowed)
    }

    /// A total that one of the subscriptions reports.
    fn reported(&self, field: &str) -> Result<u64, String> {
        let mut totals = self.all("client_summary").filter_map(|event| count(event, field));
        totals.next().ok_or_else(|| format!("nobody reports `{field}`"))
    }

    fn sum(&self, a: &str, b: &str, all: u64) -> Result<(), String> {
        match self.reported(a)? + self.reported(b)? {
            n if n == all => Ok(()),
            n => Err(format!("the sum is {n}")),
        }
    }

    fn total(&self, field: &str, allowed: &[u64]) -> Result<(), String> {
        among(Some(self.reported(field)?), allowed)
    }
}

fn among(n: Option<u64>, allowed: &[u64]) -> Result<(), String> {
    match n {
        Some(n) if allowed.contains(&n) => Ok(()),
        Some(n) => Err(format!("it is {n}")),
        None => Err("it was not asked for".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn sentences_are_read_by_pattern() {
        for (sentence, expected) in [
            ("plain receives all 60 in order", Some((3, vec!["plain", "60"]))),
            ("ok receives all 301", Some((4, vec!["ok", "301"]))),
            ("seen + error_callbacks = 20", Some((11, vec!["seen", "error_callbacks", "20"]))),
            ("seen is 10 or 11", Some((12, vec!["seen", "10", "11"]))),
            (
                "the second ADV count is 2 in most runs, 1 when the stream is late",
                Some((9, vec!["second", "ADV", "2", "1", "the stream is late"])),
            ),
            ("always 1", Some((10, vec!["1"]))),
            ("each member receives some", Some((6, vec![]))),
            ("each member receives somewhat", None),
            ("pigs fly", None),
        ] {
            let found = RULES
                .iter()
                .enumerate()
                .find_map(|(n, (pattern, _))| Some((n, words(pattern, sentence)?)));
            assert_eq!(found, expected, "{sentence}");
        }
    }

    #[test]
    fn an_assertion_may_be_for_some_releases() {
        for (sentence, release, claim) in [
            ("2.14.6, 2.15.1: always 1", "2.15.1", Some("always 1")),
            ("2.14.6, 2.15.1: always 1", "2.12.8", None),
            ("seen is 1 or 2", "2.12.8", Some("seen is 1 or 2")),
        ] {
            assert_eq!(for_release(sentence, release), claim, "{sentence} {release}");
        }
    }

    fn event(at_ms: f64, lane: &str, kind: &str, fields: Value) -> Event {
        let Value::Object(fields) = fields else { panic!("fields are an object") };
        let at = Some(crate::event::When::at(nanos(at_ms)));
        Event { at, lane: lane.into(), kind: kind.into(), fields }
    }

    fn received(lane: &str, data: &str) -> Event {
        event(10.0, lane, "received", json!({ "data": data }))
    }

    fn delivered(at_ms: f64, worker: &str, data: &str, n: u32) -> Event {
        event(
            at_ms,
            &format!("worker:{worker}"),
            "delivered",
            json!({ "data": data, "num_delivered": n }),
        )
    }

    fn summary(lane: &str, totals: Value) -> Event {
        event(90.0, lane, "client_summary", totals)
    }

    fn count_of(stream: &str, messages: u64) -> Event {
        event(50.0, "admin", "stream_info", json!({ "stream": stream, "messages": messages }))
    }

    /// A run in which `a` and `b` were published and `seen` was seen.
    fn run(assertion: &str, seen: Vec<Event>) -> Comparison {
        Comparison {
            expected: Vec::new(),
            seen,
            published: vec!["a".into(), "b".into()],
            members: vec!["q1".into(), "q2".into()],
            release: "2.12.8".into(),
            timing: crate::read::Timing::Nondeterministic,
            tolerance: nanos(60.0),
            assertions: vec![assertion.into()],
            sets: std::collections::BTreeSet::new(),
        }
    }

    #[test]
    fn assertions_hold_or_say_why_not() {
        let once = "every message is received exactly once by q1|q2 together";
        let to_one = "each message is delivered to exactly one of p1,p2";
        let again = "each is redelivered about 400 ms later with num_delivered 2";
        let prefix = "s receives a strict prefix, then its connection is closed by the server";
        let count = "2.12.8: the second ADV count is 2 in most runs, 1 when late";
        let closed = || event(60.0, "sub:s", "disconnected", json!({}));
        let twice = |last: f64| {
            let first = [delivered(10.0, "p1", "a", 1), delivered(10.0, "p1", "b", 1)];
            let then = [delivered(412.0, "p2", "a", 2), delivered(last, "p2", "b", 2)];
            [first, then].concat()
        };
        for (assertion, seen, why) in [
            (once, vec![received("sub:q1", "a"), received("sub:q2", "b")], None),
            (
                once,
                vec![received("sub:q1", "a"), received("sub:other", "b")],
                Some("b went to 0 of them"),
            ),
            (
                once,
                vec![received("sub:q1", "a"), received("sub:q2", "a"), received("sub:q2", "b")],
                Some("a went to 2 of them"),
            ),
            (to_one, twice(412.0), None),
            (
                to_one,
                vec![delivered(1.0, "p1", "a", 1), delivered(1.0, "p2", "a", 1)],
                Some("a went to 2 of them"),
            ),
            (again, twice(412.0), None),
            (again, twice(512.0), Some("b came again 502 ms later")),
            (again, vec![delivered(10.0, "p1", "a", 1)], Some("a has no delivery 2")),
            (
                "s receives all 2 in order",
                vec![received("sub:s", "a"), received("sub:s", "b")],
                None,
            ),
            (
                "s receives all 2 in order",
                vec![received("sub:s", "b"), received("sub:s", "a")],
                Some("a is out of order on sub:s"),
            ),
            ("s receives all 2 in order", vec![received("sub:s", "a")], Some("it received 1")),
            ("s receives all 301", vec![summary("sub:s", json!({ "received": 301 }))], None),
            (
                "s receives all 301",
                vec![summary("sub:s", json!({ "received": 300 }))],
                Some("it received 300"),
            ),
            (prefix, vec![summary("sub:s", json!({ "received": 1 })), closed()], None),
            (
                prefix,
                vec![summary("sub:s", json!({ "received": 2 })), closed()],
                Some("it received 2 of 2"),
            ),
            (
                prefix,
                vec![summary("sub:s", json!({ "received": 1 }))],
                Some("its connection was not closed"),
            ),
            (
                "each member receives some",
                vec![received("sub:q1", "a"), received("sub:q2", "b")],
                None,
            ),
            ("each member receives some", vec![received("sub:q1", "a")], Some("q2 received none")),
            ("publisher sees no error", vec![], None),
            (
                "publisher sees no error",
                vec![event(1.0, "pub", "pub_error", json!({}))],
                Some("pub_error"),
            ),
            ("received order is publish order", vec![received("sub:s", "b")], None),
            (
                "received order is publish order",
                vec![received("sub:s", "b"), received("sub:s", "a")],
                Some("a is out of order on sub:s"),
            ),
            (count, vec![count_of("ADV", 0), count_of("S", 9), count_of("ADV", 2)], None),
            (count, vec![count_of("ADV", 2), count_of("ADV", 3)], Some("it is 3")),
            (count, vec![count_of("ADV", 2)], Some("it was not asked for")),
            ("always 1", vec![count_of("ADV", 5), count_of("ADV", 1)], None),
            ("always 1", vec![count_of("ADV", 1), count_of("ADV", 2)], Some("it is 2")),
            ("2.14.6, 2.15.1: always 1", vec![count_of("ADV", 2)], None),
            ("seen + lost = 20", vec![summary("sub:s", json!({ "seen": 11, "lost": 9 }))], None),
            (
                "seen + lost = 20",
                vec![summary("sub:s", json!({ "seen": 11, "lost": 8 }))],
                Some("the sum is 19"),
            ),
            ("seen is 10 or 11", vec![summary("sub:s", json!({ "seen": 11 }))], None),
            ("seen is 10 or 11", vec![summary("sub:s", json!({ "seen": 12 }))], Some("it is 12")),
            ("seen is 10 or 11", vec![], Some("nobody reports `seen`")),
        ] {
            let said = run(assertion, seen).difference().unwrap().map(|broken| broken.sentence);
            match (&said, why) {
                (None, None) => {}
                (Some(said), Some(why)) => assert!(said.ends_with(&format!(": {why}")), "{said}"),
                _ => panic!("{assertion}: {said:?}, expected {why:?}"),
            }
        }
    }

    #[test]
    fn an_assertion_that_is_not_understood_is_named() {
        let unknown = run("each is teleported about 400 ms later", Vec::new()).difference();
        let feature = "assertion \"each is teleported about 400 ms later\"".to_string();
        assert_eq!(unknown, Err(Stop::Lacks(feature)));
    }
}
