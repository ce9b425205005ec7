//! Single settings of a scenario by name, so that a knob or an address can read and change them.
//!
//! A path names the field and whose it is: `consumer.ack_wait` (of every consumer),
//! `consumer[orders].ack_wait` (of that one), `worker[run 3].start`, `publish[shop].count` (of that publisher's steps),
//! `kill[emails].at` (of the step that does it).

use crate::scenario::{
    AckPolicy, Chance, DeliverPolicy, Discard, KnownBy, Op, ReplayPolicy, Retention, Scenario,
    Service, Version, Via, WorkAct,
};
use crate::time::{Dur, Time};

/// The value of a setting.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// A length of time.
    Dur(Dur),
    /// A list of lengths of time.
    Durs(Vec<Dur>),
    /// A number; where a setting can be without limit, none means no limit.
    Count(Option<u64>),
    /// One of the words of its form.
    Choice(&'static str),
}

/// The form a setting's value has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// [`Value::Dur`].
    Dur,
    /// [`Value::Durs`].
    Durs,
    /// [`Value::Count`] that must be given.
    Count,
    /// [`Value::Count`] that may be without limit.
    Limit,
    /// [`Value::Count`] from 0 to 100.
    Percent,
    /// [`Value::Choice`] of these words.
    Choice(&'static [&'static str]),
    /// [`Value::Choice`] of `off` and `on`.
    Switch,
}

impl Form {
    /// The words to choose from; empty where there is nothing to choose.
    pub const fn words(self) -> &'static [&'static str] {
        match self {
            Self::Choice(words) => words,
            Self::Switch => &["off", "on"],
            _ => &[],
        }
    }
}

impl Value {
    /// Reads a value as addresses carry it: `5s`, `1s,5s,30s` (`none` for an empty list), `12`, `unlimited`, `on`, `2.14`.
    ///
    /// # Errors
    /// A sentence that says what was found and what is expected.
    pub fn parse(form: Form, text: &str) -> Result<Self, String> {
        let text = text.trim();
        match form {
            Form::Dur => Dur::parse(text).map(Self::Dur),
            Form::Durs if text.is_empty() || text == "none" => Ok(Self::Durs(Vec::new())),
            Form::Durs => text.split(',').map(Dur::parse).collect::<Result<_, _>>().map(Self::Durs),
            Form::Limit if matches!(text, "unlimited" | "-1") => Ok(Self::Count(None)),
            Form::Choice(_) | Form::Switch => {
                let words = form.words();
                words.iter().find(|word| **word == text).map(|word| Self::Choice(word)).ok_or_else(
                    || {
                        let shown: String = text.chars().take(40).collect();
                        ["`", &shown, "` is none of ", &words.join(", ")].concat()
                    },
                )
            }
            Form::Count | Form::Limit | Form::Percent => match text.parse() {
                Ok(n) if form == Form::Percent && n > 100 => {
                    Err([text, " is more than 100 per cent"].concat())
                }
                Ok(n) => Ok(Self::Count(Some(n))),
                Err(_) => {
                    let shown: String = text.chars().take(40).collect();
                    let or = if form == Form::Limit { " or `unlimited`" } else { "" };
                    Err(format!("`{shown}` is not a whole number{or}"))
                }
            },
        }
    }

    /// The text that [`Value::parse`] reads back.
    pub fn text(&self) -> String {
        match self {
            Self::Dur(d) => d.go(),
            Self::Durs(list) if list.is_empty() => "none".into(),
            Self::Durs(list) => list.iter().map(|d| d.go()).collect::<Vec<_>>().join(","),
            Self::Count(None) => "unlimited".into(),
            Self::Count(Some(n)) => n.to_string(),
            Self::Choice(word) => (*word).into(),
        }
    }

    /// The value for people: `5 s`, `1 s, 5 s, 30 s`, `no limit`.
    pub fn words(&self) -> String {
        match self {
            Self::Dur(d) => d.to_string(),
            Self::Durs(list) if list.is_empty() => "none".into(),
            Self::Durs(list) => list.iter().map(Dur::to_string).collect::<Vec<_>>().join(", "),
            Self::Count(None) => "no limit".into(),
            Self::Count(Some(n)) => n.to_string(),
            Self::Choice(word) => (*word).into(),
        }
    }
}

/// Fields that a path can name, with the form of their value.
const FIELDS: &[(&str, &str, Form)] = &[
    ("consumer", "ack_wait", Form::Dur),
    ("consumer", "backoff", Form::Durs),
    ("consumer", "max_deliver", Form::Limit),
    ("consumer", "max_ack_pending", Form::Limit),
    ("consumer", "ack_policy", Form::Choice(&["none", "all", "explicit"])),
    (
        "consumer",
        "deliver_policy",
        Form::Choice(&[
            "all",
            "last",
            "new",
            "by_start_sequence",
            "by_start_time",
            "last_per_subject",
        ]),
    ),
    ("consumer", "replay_policy", Form::Choice(&["instant", "original"])),
    ("consumer", "opt_start_seq", Form::Count),
    ("consumer", "opt_start_time", Form::Dur),
    ("consumer", "max_waiting", Form::Count),
    ("consumer", "inactive_threshold", Form::Dur),
    ("stream", "retention", Form::Choice(&["limits", "interest", "workqueue"])),
    ("stream", "discard", Form::Choice(&["old", "new"])),
    ("stream", "max_msgs", Form::Limit),
    ("stream", "max_bytes", Form::Limit),
    ("stream", "max_msgs_per_subject", Form::Limit),
    ("stream", "max_age", Form::Dur),
    ("stream", "duplicate_window", Form::Dur),
    ("stream", "captures", Form::Switch),
    ("worker", "start", Form::Dur),
    ("worker", "stop", Form::Dur),
    ("worker", "count", Form::Count),
    ("worker", "batch", Form::Count),
    ("worker", "expires", Form::Dur),
    ("worker", "pause", Form::Dur),
    ("worker", "service_time", Form::Dur),
    ("worker", "service_spread", Form::Dur),
    ("worker", "in_progress_every", Form::Dur),
    ("worker", "crash_after", Form::Dur),
    ("worker", "fails_until", Form::Dur),
    ("worker", "on_failure", Form::Choice(&["silence", "nak", "term"])),
    ("worker", "nak_delay", Form::Dur),
    ("worker", "crash_chance", Form::Percent),
    ("worker", "restart_after", Form::Dur),
    ("worker", "lost_answer_chance", Form::Percent),
    ("worker", "ack_timeout", Form::Dur),
    ("worker", "commit_to_ack", Form::Dur),
    ("worker", "max_messages", Form::Count),
    ("worker", "max_pulls", Form::Count),
    ("worker", "ack_first", Form::Switch),
    ("worker", "idempotent", Form::Switch),
    ("worker", "handled_table", Form::Switch),
    ("worker", "known_by", Form::Choice(&["payload", "sequence"])),
    ("subscriber", "start", Form::Dur),
    ("subscriber", "stop", Form::Dur),
    ("subscriber", "service_time", Form::Dur),
    ("subscriber", "pending_msgs_limit", Form::Count),
    ("subscriber", "reconnect_wait", Form::Dur),
    ("subscriber", "loss_chance", Form::Percent),
    ("subscriber", "whole_every", Form::Count),
    ("subscriber", "error_callback", Form::Switch),
    ("dead_letter_handler", "start", Form::Dur),
    ("dead_letter_handler", "stop", Form::Dur),
    ("dead_letter_handler", "copies", Form::Count),
    ("dead_letter_handler", "message_id", Form::Switch),
    ("dead_letter_handler", "delete_original", Form::Switch),
    ("publish", "at", Form::Dur),
    ("publish", "count", Form::Count),
    ("publish", "every", Form::Dur),
    ("publish", "pad_bytes", Form::Count),
    ("publish", "timeout", Form::Dur),
    ("publish", "msg_id", Form::Switch),
    ("publish", "flush", Form::Switch),
    ("publish", "retry", Form::Switch),
    ("publish", "lost_chance", Form::Percent),
    ("publish", "via", Form::Choice(&["js", "core"])),
    ("kill", "at", Form::Dur),
    ("subscribe", "at", Form::Dur),
    ("server_stop", "at", Form::Dur),
    ("server_start", "at", Form::Dur),
    ("server", "max_pending", Form::Count),
    ("run", "network_delay", Form::Dur),
    ("server", "version", Form::Choice(&["2.10", "2.11", "2.12", "2.14", "2.15"])),
    ("run", "seed", Form::Count),
];

/// A setting of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    kind: &'static str,
    field: &'static str,
    name: Option<String>,
    form: Form,
}

impl Setting {
    /// Reads a path.
    ///
    /// # Errors
    /// A sentence that names the paths there are.
    pub fn parse(path: &str) -> Result<Self, String> {
        let unknown = || {
            let all: Vec<String> = FIELDS.iter().map(|(k, f, _)| format!("{k}.{f}")).collect();
            format!("`{path}` is not a setting; there are {}", all.join(", "))
        };
        let (whose, field) = path.rsplit_once('.').ok_or_else(unknown)?;
        let (kind, name) = match whose.split_once('[') {
            None => (whose, None),
            Some((kind, rest)) => {
                (kind, Some(rest.strip_suffix(']').ok_or_else(unknown)?.to_owned()))
            }
        };
        let &(kind, field, form) =
            FIELDS.iter().find(|(k, f, _)| (*k, *f) == (kind, field)).ok_or_else(unknown)?;
        Ok(Self { kind, field, name, form })
    }

    /// The form of its value.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The field's name without whose it is, as `ack_wait`.
    pub fn field(&self) -> &'static str {
        self.field
    }

    /// Its value in a scenario; none if nothing there has it.
    pub fn get(&self, scenario: &Scenario) -> Option<Value> {
        let mut scenario = scenario.clone();
        let mut found = None;
        self.visit(&mut scenario, &mut |slot| {
            found.get_or_insert(slot.get(self.form.words()));
        });
        found
    }

    /// Changes it, wherever the path points. Says whether it points anywhere.
    pub fn set(&self, scenario: &mut Scenario, value: &Value) -> bool {
        let mut any = false;
        self.visit(scenario, &mut |mut slot| any |= slot.set(value, self.form.words()));
        any
    }

    fn visit(&self, scenario: &mut Scenario, see: &mut dyn FnMut(Slot<'_>)) {
        let wanted = |name: &str| self.name.as_deref().is_none_or(|n| n == name);
        match self.kind {
            "consumer" => {
                for c in scenario.consumers.iter_mut().filter(|c| wanted(&c.config.durable_name)) {
                    let c = &mut c.config;
                    match self.field {
                        "ack_wait" => see(Slot::DurOr(&mut c.ack_wait, Dur::secs(30))),
                        "backoff" => see(Slot::Durs(&mut c.backoff)),
                        "max_deliver" => see(Slot::Limit(&mut c.max_deliver, -1)),
                        "max_ack_pending" => see(Slot::Limit(&mut c.max_ack_pending, 1000)),
                        "ack_policy" => {
                            const ALL: [AckPolicy; 3] =
                                [AckPolicy::None, AckPolicy::All, AckPolicy::Explicit];
                            see(Slot::Choice(c.ack_policy as usize, &mut |i| {
                                c.ack_policy = ALL[i]
                            }));
                        }
                        "opt_start_seq" => see(Slot::Number(&mut c.opt_start_seq)),
                        "opt_start_time" => see(Slot::Dur(&mut c.opt_start_time.0)),
                        "max_waiting" => see(Slot::Count(&mut c.max_waiting)),
                        "inactive_threshold" => see(Slot::Dur(&mut c.inactive_threshold.0)),
                        "deliver_policy" => {
                            const ALL: [DeliverPolicy; 6] = [
                                DeliverPolicy::All,
                                DeliverPolicy::Last,
                                DeliverPolicy::New,
                                DeliverPolicy::ByStartSequence,
                                DeliverPolicy::ByStartTime,
                                DeliverPolicy::LastPerSubject,
                            ];
                            see(Slot::Choice(c.deliver_policy as usize, &mut |i| {
                                c.deliver_policy = ALL[i];
                                // A start that belongs to another policy would be refused.
                                if !matches!(
                                    ALL[i],
                                    DeliverPolicy::ByStartSequence | DeliverPolicy::ByStartTime
                                ) {
                                    (c.opt_start_seq, c.opt_start_time) = (0, Time::ZERO);
                                }
                            }));
                        }
                        _ => {
                            const ALL: [ReplayPolicy; 2] =
                                [ReplayPolicy::Instant, ReplayPolicy::Original];
                            see(Slot::Choice(c.replay_policy as usize, &mut |i| {
                                c.replay_policy = ALL[i]
                            }));
                        }
                    }
                }
            }
            "stream" => {
                for s in scenario.streams.iter_mut().filter(|s| wanted(&s.name)) {
                    match self.field {
                        // Without a subject it has only its own name, on which nobody publishes.
                        "captures" => {
                            see(Slot::Choice(usize::from(!s.subjects.is_empty()), &mut |on| {
                                if on == 0 {
                                    s.subjects.clear();
                                }
                            }));
                        }
                        "retention" => {
                            const ALL: [Retention; 3] =
                                [Retention::Limits, Retention::Interest, Retention::WorkQueue];
                            see(Slot::Choice(s.retention as usize, &mut |i| s.retention = ALL[i]));
                        }
                        "discard" => {
                            const ALL: [Discard; 2] = [Discard::Old, Discard::New];
                            see(Slot::Choice(s.discard as usize, &mut |i| s.discard = ALL[i]));
                        }
                        "max_msgs" => see(Slot::Limit(&mut s.max_msgs, -1)),
                        "max_bytes" => see(Slot::Limit(&mut s.max_bytes, -1)),
                        "max_msgs_per_subject" => see(Slot::Limit(&mut s.max_msgs_per_subject, -1)),
                        "max_age" => see(Slot::Dur(&mut s.max_age.0)),
                        _ => {
                            let age =
                                if s.max_age == Dur::ZERO { Dur(u64::MAX) } else { s.max_age };
                            see(Slot::DurOr(&mut s.duplicate_window, age.min(Dur::secs(120))));
                        }
                    }
                }
            }
            "worker" => {
                for w in scenario.workers.iter_mut().filter(|w| wanted(&w.name)) {
                    match self.field {
                        "start" => see(Slot::Dur(&mut w.start.0)),
                        "stop" => see(Slot::Dur(&mut w.stop.0)),
                        "count" => see(Slot::Count(&mut w.count)),
                        "batch" => see(Slot::Count(&mut w.batch)),
                        "expires" => see(Slot::Dur(&mut w.expires.0)),
                        "pause" => see(Slot::Dur(&mut w.pause.0)),
                        "service_time" => see(Slot::Service(&mut w.service_time)),
                        "service_spread" => see(Slot::Spread(&mut w.service_time)),
                        "in_progress_every" => see(Slot::Dur(&mut w.in_progress_every.0)),
                        "crash_chance" => see(Slot::Chance(&mut w.crash_chance)),
                        "restart_after" => see(Slot::Dur(&mut w.restart_after.0)),
                        "lost_answer_chance" => see(Slot::Chance(&mut w.lost_answer_chance)),
                        "ack_timeout" => see(Slot::Dur(&mut w.ack_timeout.0)),
                        "commit_to_ack" => see(Slot::Dur(&mut w.commit_to_ack.0)),
                        "max_messages" => see(Slot::Count(&mut w.max_messages)),
                        "max_pulls" => see(Slot::Count(&mut w.max_pulls)),
                        "ack_first" => see(Slot::Switch(&mut w.ack_first)),
                        "idempotent" => see(Slot::Switch(&mut w.idempotent)),
                        "handled_table" => see(Slot::Switch(&mut w.handled_table)),
                        "known_by" => {
                            const ALL: [KnownBy; 2] = [KnownBy::Payload, KnownBy::Sequence];
                            see(Slot::Choice(w.known_by as usize, &mut |i| w.known_by = ALL[i]));
                        }
                        "fails_until" => {
                            for end in w.behaviour.iter_mut().filter_map(|b| b.on.before.as_mut()) {
                                see(Slot::Dur(&mut end.0));
                            }
                        }
                        "on_failure" | "nak_delay" => {
                            for b in &mut w.behaviour {
                                if let Some(step) = b.steps.last_mut() {
                                    match (
                                        FAILURES.iter().position(|act| *act == step.act),
                                        self.form,
                                    ) {
                                        (None, _) => {}
                                        (_, Form::Dur) => see(Slot::Dur(&mut step.delay.0)),
                                        (Some(now), _) => see(Slot::Choice(now, &mut |i| {
                                            step.act = FAILURES[i];
                                        })),
                                    }
                                }
                            }
                        }
                        _ => {
                            for step in w.behaviour.iter_mut().flat_map(|b| &mut b.steps) {
                                if step.act == WorkAct::Crash {
                                    see(Slot::Dur(&mut step.after.0));
                                }
                            }
                        }
                    }
                }
            }
            "subscriber" => {
                for s in scenario.subscribers.iter_mut().filter(|s| wanted(&s.name)) {
                    see(match self.field {
                        "start" => Slot::Dur(&mut s.start.0),
                        "stop" => Slot::Dur(&mut s.stop.0),
                        "service_time" => Slot::Service(&mut s.service_time),
                        "pending_msgs_limit" => Slot::Count(&mut s.pending_msgs_limit),
                        "reconnect_wait" => Slot::Dur(&mut s.reconnect_wait.0),
                        "loss_chance" => Slot::Chance(&mut s.loss_chance),
                        "whole_every" => Slot::Count(&mut s.whole_every),
                        _ => Slot::Switch(&mut s.error_callback),
                    });
                }
            }
            "dead_letter_handler" => {
                for h in scenario.dead_letter_handlers.iter_mut().filter(|h| wanted(&h.name)) {
                    see(match self.field {
                        "start" => Slot::Dur(&mut h.start.0),
                        "stop" => Slot::Dur(&mut h.stop.0),
                        "copies" => Slot::Count(&mut h.copies),
                        "message_id" => Slot::Switch(&mut h.message_id),
                        _ => Slot::Switch(&mut h.delete_original),
                    });
                }
            }
            "server" => match self.field {
                "max_pending" => see(Slot::Number(&mut scenario.max_pending)),
                _ => see(Slot::Choice(scenario.version as usize, &mut |i| {
                    scenario.version = Version::ALL[i];
                })),
            },
            "run" => see(match self.field {
                "seed" => Slot::Number(&mut scenario.seed),
                _ => Slot::Dur(&mut scenario.network_delay.0),
            }),
            _ => {
                for step in &mut scenario.timeline {
                    let (kind, name) = match &step.op {
                        Op::Publish(p) => ("publish", p.by.as_str()),
                        Op::Kill(name) => ("kill", name.as_str()),
                        Op::Subscribe(s) => ("subscribe", s.name.as_str()),
                        Op::ServerStop => ("server_stop", ""),
                        Op::ServerStart => ("server_start", ""),
                        _ => continue,
                    };
                    if kind != self.kind || !wanted(name) {
                        continue;
                    }
                    if self.field == "at" {
                        see(Slot::Dur(&mut step.at.0));
                        continue;
                    }
                    let Op::Publish(p) = &mut step.op else { continue };
                    see(match self.field {
                        "count" => Slot::Count(&mut p.count),
                        "every" => Slot::Dur(&mut p.every.0),
                        "pad_bytes" => Slot::Count(&mut p.pad_bytes),
                        "timeout" => Slot::Dur(&mut p.timeout.0),
                        "msg_id" => Slot::Unless(&mut p.without_id),
                        "flush" => Slot::Switch(&mut p.flush),
                        "retry" => Slot::Switch(&mut p.retry),
                        "lost_chance" => Slot::Chance(&mut p.lost_chance),
                        _ => {
                            let now = p.via as usize;
                            see(Slot::Choice(now, &mut |i| p.via = [Via::Js, Via::Core][i]));
                            continue;
                        }
                    });
                }
            }
        }
    }
}

/// How work that fails may end, in the order of the words of its form.
const FAILURES: [WorkAct; 3] = [WorkAct::None, WorkAct::Nak, WorkAct::Term];
/// Millionths in a hundredth.
const PPM: u32 = 10_000;

/// Where a value is kept.
enum Slot<'a> {
    Dur(&'a mut u64),
    Durs(&'a mut Vec<Dur>),
    Count(&'a mut u32),
    /// -1 is no limit; zero is the default, given beside it.
    Limit(&'a mut i64, i64),
    /// Zero is the default, given beside it.
    DurOr(&'a mut Dur, Dur),
    /// The place of its word among those of its form, and the way to another.
    Choice(usize, &'a mut dyn FnMut(usize)),
    Switch(&'a mut bool),
    Chance(&'a mut Chance),
    Number(&'a mut u64),
    /// On where the field says no.
    Unless(&'a mut bool),
    Service(&'a mut Service),
    Spread(&'a mut Service),
}

/// The middle of a service time and how far it may differ from it.
fn middle_and_spread(service: Service) -> (u64, u64) {
    match service {
        Service::Fixed(d) | Service::Exponential(d) | Service::LogNormal(d, _) => (d.0, 0),
        Service::Uniform(low, high) => (low.0.midpoint(high.0), high.0.saturating_sub(low.0) / 2),
    }
}

fn around(middle: u64, spread: u64) -> Service {
    match spread {
        0 => Service::Fixed(Dur(middle)),
        _ => {
            Service::Uniform(Dur(middle.saturating_sub(spread)), Dur(middle.saturating_add(spread)))
        }
    }
}

impl Slot<'_> {
    fn get(&self, words: &'static [&'static str]) -> Value {
        match self {
            Self::Dur(d) => Value::Dur(Dur(**d)),
            Self::Durs(list) => Value::Durs((*list).clone()),
            Self::Count(n) => Value::Count(Some(u64::from(**n))),
            Self::Limit(n, default) => {
                Value::Count(u64::try_from(if **n == 0 { *default } else { **n }).ok())
            }
            Self::DurOr(d, default) => Value::Dur(if **d == Dur::ZERO { *default } else { **d }),
            Self::Choice(now, _) => Value::Choice(words[*now]),
            Self::Switch(on) => Value::Choice(words[usize::from(**on)]),
            Self::Chance(chance) => Value::Count(Some(u64::from(chance.0 / PPM))),
            Self::Unless(no) => Value::Choice(words[usize::from(!**no)]),
            Self::Number(n) => Value::Count(Some(**n)),
            Self::Service(s) => Value::Dur(Dur(middle_and_spread(**s).0)),
            Self::Spread(s) => Value::Dur(Dur(middle_and_spread(**s).1)),
        }
    }

    fn set(&mut self, value: &Value, words: &'static [&'static str]) -> bool {
        let place = |word: &str| words.iter().position(|w| *w == word);
        match (self, value) {
            (Self::Dur(d), Value::Dur(v)) => **d = v.0,
            (Self::Durs(list), Value::Durs(v)) => list.clone_from(v),
            (Self::Count(n), Value::Count(Some(v))) => **n = u32::try_from(*v).unwrap_or(u32::MAX),
            (Self::Limit(n, _), Value::Count(v)) => {
                **n = v.map_or(-1, |v| i64::try_from(v).unwrap_or(i64::MAX));
            }
            (Self::DurOr(d, _), Value::Dur(v)) => **d = *v,
            (Self::Choice(_, set), Value::Choice(word)) => match place(word) {
                Some(i) => set(i),
                None => return false,
            },
            (Self::Switch(on), Value::Choice(word)) => **on = place(word) == Some(1),
            (Self::Chance(chance), Value::Count(Some(v))) => {
                chance.0 = PPM * u32::try_from(*v).unwrap_or(100).min(100);
            }
            (Self::Unless(no), Value::Choice(word)) => **no = place(word) == Some(0),
            (Self::Number(n), Value::Count(Some(v))) => **n = *v,
            (Self::Service(s), Value::Dur(v)) => **s = around(v.0, middle_and_spread(**s).1),
            (Self::Spread(s), Value::Dur(v)) => **s = around(middle_and_spread(**s).0, v.0),
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{
        Consumer, DeadLetterHandler, Publish, Step, StreamConfig, Subscriber, Worker,
    };

    #[test]
    fn settings_are_read_and_changed_by_path() {
        let mut scenario = Scenario {
            streams: vec![StreamConfig::default()],
            consumers: vec![Consumer::default()],
            workers: vec![Worker::default(), Worker { name: "run 2".into(), ..Worker::default() }],
            subscribers: vec![Subscriber::default()],
            dead_letter_handlers: vec![DeadLetterHandler::default()],
            timeline: vec![
                Step { at: Time::ZERO, op: Op::Publish(Publish::default()) },
                Step { at: Time::ZERO, op: Op::Kill("worker".into()) },
                Step { at: Time::ZERO, op: Op::Subscribe(Subscriber::default()) },
                Step { at: Time::ZERO, op: Op::ServerStop },
                Step { at: Time::ZERO, op: Op::ServerStart },
            ],
            ..Scenario::default()
        };
        for (path, before, text, after) in [
            ("consumer.ack_wait", "30s", "8s", "8 s"),
            ("consumer.backoff", "none", "1s,5s", "1 s, 5 s"),
            ("consumer.max_deliver", "unlimited", "5", "5"),
            ("consumer.max_ack_pending", "1000", "-1", "no limit"),
            ("worker[run 2].start", "0s", "1m", "1 min"),
            ("worker.service_time", "0s", "400ms", "400 ms"),
            ("worker.service_spread", "0s", "100ms", "100 ms"),
            ("consumer.ack_policy", "explicit", "none", "none"),
            ("consumer.deliver_policy", "all", "last_per_subject", "last_per_subject"),
            ("consumer.replay_policy", "instant", "original", "original"),
            ("stream.retention", "limits", "workqueue", "workqueue"),
            ("stream.discard", "old", "new", "new"),
            ("stream.max_msgs", "unlimited", "10", "10"),
            ("stream.max_msgs_per_subject", "unlimited", "1", "1"),
            ("stream.duplicate_window", "2m", "30s", "30 s"),
            ("stream.max_age", "0s", "1m", "1 min"),
            ("worker.crash_chance", "0", "2", "2"),
            ("worker.lost_answer_chance", "0", "100", "100"),
            ("worker.restart_after", "0s", "1s", "1 s"),
            ("worker.ack_first", "off", "on", "on"),
            ("worker.idempotent", "off", "on", "on"),
            ("worker.handled_table", "off", "on", "on"),
            ("worker.known_by", "payload", "sequence", "sequence"),
            ("worker.commit_to_ack", "0s", "10ms", "10 ms"),
            ("worker.max_messages", "0", "3", "3"),
            ("worker.max_pulls", "0", "3", "3"),
            ("consumer.opt_start_seq", "0", "3", "3"),
            ("consumer.opt_start_time", "0s", "3s", "3 s"),
            ("consumer.max_waiting", "0", "3", "3"),
            ("consumer.inactive_threshold", "0s", "5s", "5 s"),
            ("stream.max_bytes", "unlimited", "1024", "1024"),
            ("subscriber.start", "0s", "3s", "3 s"),
            ("subscriber.stop", "0s", "3s", "3 s"),
            ("subscriber.service_time", "0s", "50ms", "50 ms"),
            ("subscriber.pending_msgs_limit", "0", "10", "10"),
            ("subscriber.reconnect_wait", "0s", "2s", "2 s"),
            ("subscriber.loss_chance", "0", "20", "20"),
            ("subscriber.whole_every", "0", "4", "4"),
            ("subscriber.error_callback", "on", "off", "off"),
            ("dead_letter_handler.start", "0s", "3s", "3 s"),
            ("dead_letter_handler.stop", "0s", "3s", "3 s"),
            ("dead_letter_handler.copies", "1", "2", "2"),
            ("dead_letter_handler.message_id", "on", "off", "off"),
            ("dead_letter_handler.delete_original", "off", "on", "on"),
            ("publish[publisher].at", "0s", "3s", "3 s"),
            ("publish.every", "0s", "3s", "3 s"),
            ("publish.pad_bytes", "0", "100", "100"),
            ("publish.timeout", "0s", "1s", "1 s"),
            ("publish.msg_id", "on", "off", "off"),
            ("publish.flush", "off", "on", "on"),
            ("publish.retry", "off", "on", "on"),
            ("publish.lost_chance", "0", "3", "3"),
            ("publish.via", "js", "core", "core"),
            ("kill[worker].at", "0s", "3s", "3 s"),
            ("subscribe.at", "0s", "3s", "3 s"),
            ("server_stop.at", "0s", "3s", "3 s"),
            ("server_start.at", "0s", "4s", "4 s"),
            ("server.max_pending", "0", "1024", "1024"),
            ("run.network_delay", "200us", "1ms", "1 ms"),
            ("server.version", "2.12", "2.14", "2.14"),
            ("run.seed", "1", "7", "7"),
        ] {
            let setting = Setting::parse(path).unwrap();
            assert_eq!(setting.get(&scenario).unwrap().text(), before, "{path}");
            let value = Value::parse(setting.form(), text).unwrap();
            assert!(setting.set(&mut scenario, &value), "{path}");
            assert_eq!(setting.get(&scenario).unwrap().words(), after, "{path}");
        }
        // Two have words that are not the API's; they have a test of their own.
        let own = |field: &str| ["captures", "on_failure"].contains(&field);
        for (kind, field, form) in
            FIELDS.iter().filter(|(_, field, form)| !form.words().is_empty() && !own(field))
        {
            let path = [kind, ".", field].concat();
            let setting = Setting::parse(&path).unwrap();
            for word in form.words() {
                // Every word stands for the value that the API calls so.
                assert!(setting.set(&mut scenario, &Value::Choice(word)), "{path}");
                assert_eq!(setting.get(&scenario), Some(Value::Choice(word)), "{path}");
                let json = serde_json::to_string(&scenario).unwrap();
                let said = match form {
                    // What it takes away is what is written.
                    _ if setting.field() == "msg_id" => {
                        format!("\"without_id\":{}", *word == "off")
                    }
                    Form::Switch => format!("\"{}\":{}", setting.field(), *word == "on"),
                    _ => format!("\"{}\":\"{word}\"", setting.field()),
                };
                assert!(json.contains(&said), "{said} is not in {json}");
            }
        }
        assert_eq!(scenario.workers[0].start, crate::Time::ZERO, "only run 2 was named");
        assert!(
            !Setting::parse("publish[other].count")
                .unwrap()
                .set(&mut scenario, &Value::Count(Some(1)))
        );
    }

    #[test]
    fn failures_and_captures_are_settings() {
        let failing = r#"{
            "streams": [{ "name": "S", "subjects": ["s"] }],
            "workers": [{ "behaviour": [
                { "steps": [{ "do": "crash" }] },
                { "match": { "before": "1m" }, "steps": [{ "do": "none" }] }
            ] }]
        }"#;
        for (path, before, text, json) in [
            ("worker.fails_until", "1m", "2m", r#""before":"2m""#),
            ("worker.fails_until", "1m", "0s", r#""before":"0s""#),
            ("worker.on_failure", "silence", "nak", r#""do":"nak""#),
            ("worker.on_failure", "silence", "term", r#""do":"term""#),
            ("worker.nak_delay", "0s", "5s", r#""delay":"5s""#),
            ("worker.crash_after", "0s", "5s", r#""after":"5s""#),
            ("stream.captures", "on", "off", r#""subjects":[]"#),
            ("stream.captures", "on", "on", r#""subjects":["s"]"#),
        ] {
            let mut scenario: Scenario = serde_json::from_str(failing).unwrap();
            let setting = Setting::parse(path).unwrap();
            assert_eq!(setting.get(&scenario).unwrap().text(), before, "{path}");
            let value = Value::parse(setting.form(), text).unwrap();
            assert!(setting.set(&mut scenario, &value), "{path}");
            assert_eq!(setting.get(&scenario), Some(value), "{path}");
            let written = serde_json::to_string(&scenario).unwrap();
            assert!(written.contains(json), "{path}: {json} is not in {written}");
        }
        let mut usual = Scenario { workers: vec![Worker::default()], ..Scenario::default() };
        for path in ["worker.fails_until", "worker.on_failure", "worker.nak_delay"] {
            let setting = Setting::parse(path).unwrap();
            assert_eq!(setting.get(&usual), None, "{path}: nothing fails");
            assert!(!setting.set(&mut usual, &Value::Dur(Dur::secs(1))), "{path}");
        }
    }

    #[test]
    fn unknown_paths_and_values_say_so() {
        for path in ["ack_wait", "consumer.nonsense", "consumer[orders.ack_wait", "stream.ack_wait"]
        {
            assert!(Setting::parse(path).unwrap_err().contains("is not a setting"), "{path}");
        }
        for (form, text, error) in [
            (Form::Limit, "two", "`two` is not a whole number or `unlimited`"),
            (Form::Count, "-3", "`-3` is not a whole number"),
            (Form::Percent, "101", "101 is more than 100 per cent"),
            (Form::Switch, "yes", "`yes` is none of off, on"),
            (Form::Choice(&["2.10", "2.11"]), "2.9", "`2.9` is none of 2.10, 2.11"),
            (
                Form::Dur,
                "banana",
                "`banana` is not a duration; write one such as 500ms, 30s or 1m30s",
            ),
            (Form::Durs, "1s,,2s", "`` is not a duration; write one such as 500ms, 30s or 1m30s"),
        ] {
            assert_eq!(Value::parse(form, text).unwrap_err(), error);
        }
    }
}
