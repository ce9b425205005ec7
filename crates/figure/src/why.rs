//! Why a message was delivered again: one cause and one sentence for every delivery after the first.

use crate::story::{Life, Lives, Over, Story, WorkEnd};
use delivery_sim::scenario::Service;
use delivery_sim::trace::{Cause, Delivery, Reply};
use delivery_sim::{Dur, Time, Trace};

/// Why a delivery was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The cause.
    pub kind: Kind,
    /// It in one or two sentences; empty for a first delivery.
    pub sentence: String,
}

/// The causes of a delivery, as the run shows them, not as the server knows them: to it a dead worker and a slow
/// one look the same (R70).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It is the first.
    First,
    /// The work took longer than the stopwatch.
    TooSlow {
        /// How long the worker had been at it when the stopwatch ran out.
        worked: Dur,
    },
    /// It waited so long in the client's buffer that its stopwatch ran out although the work itself is short.
    AgedInBuffer {
        /// How many were ahead of it there when it came.
        ahead: u32,
        /// How long it waited there before its stopwatch ran out.
        waited: Dur,
    },
    /// The worker died with it.
    WorkerDied {
        /// When.
        at: Time,
    },
    /// The worker closed its connection with it unanswered.
    WorkerLeft {
        /// When.
        at: Time,
    },
    /// It was sent to a connection that was gone.
    NeverArrived,
    /// The worker answered in time, but the answer did not reach the server.
    AnswerLost {
        /// When it was sent.
        at: Time,
    },
    /// The answer reached the server when the stopwatch had run out.
    AnsweredTooLate {
        /// When it was sent.
        at: Time,
    },
    /// The worker was through with it in time and never answered.
    NoAnswer,
    /// A worker gave it back (R74).
    Nak,
    /// A worker gave it back for later, and that delay is over (R75).
    NakDelay {
        /// When it was given back.
        at: Time,
    },
    /// The server restarted and reloaded its deadline (R101).
    Restart,
}

/// Why a delivery was made.
pub fn why(trace: &Trace, delivery: Delivery) -> Why {
    let lives = Lives::new(trace);
    let story = Story::new(trace, &lives);
    match story.find(delivery) {
        Some(i) => of(&story, i),
        None => Why { kind: Kind::First, sentence: String::new() },
    }
}

/// Why delivery number `i` of a story was made.
pub(crate) fn of(story: &Story<'_>, i: usize) -> Why {
    let life = &story.lives[i];
    let Some(before) = life.previous.map(|p| &story.lives[p as usize]) else {
        return Why { kind: Kind::First, sentence: String::new() };
    };
    let kind = match life.cause {
        Cause::New => Kind::First,
        Cause::Nak => Kind::Nak,
        Cause::NakDelay => Kind::NakDelay { at: before.over.map_or(before.sent, |(at, _)| at) },
        Cause::Restart => Kind::Restart,
        Cause::Expired => expired(before, life.sent),
    };
    Why { kind, sentence: sentence(story, before, life, kind) }
}

/// Why the stopwatch of a delivery ran out. `sent` is when the next one was sent.
fn expired(before: &Life, sent: Time) -> Kind {
    let out = ran_out(before, sent);
    if before.missed.is_some() {
        return Kind::NeverArrived;
    }
    if let Some(at) = before.lost_in_buffer {
        return Kind::WorkerDied { at };
    }
    match before.work_end {
        Some((at, WorkEnd::Died)) => return Kind::WorkerDied { at },
        Some((at, WorkEnd::Closed)) => return Kind::WorkerLeft { at },
        _ => {}
    }
    let final_answer = before
        .answers
        .iter()
        .find(|said| !matches!(said.reply, Reply::InProgress | Reply::Unknown));
    if let Some(said) = final_answer.filter(|said| said.at < out) {
        return match said.recorded {
            None => Kind::AnswerLost { at: said.at },
            Some(_) => Kind::AnsweredTooLate { at: said.at },
        };
    }
    let arrived = before.arrived.unwrap_or(before.sent);
    let Some(started) = before.started.filter(|&at| at < out) else {
        return Kind::AgedInBuffer { ahead: before.ahead, waited: out.since(arrived) };
    };
    match before.work_end {
        Some((done, _)) if done < out => Kind::NoAnswer,
        // Had it been begun on arrival it would have been done in time.
        Some((done, _))
            if before.ahead > 0
                && done.since(started) < before.wait()
                && before.watch.len() == 1 =>
        {
            Kind::AgedInBuffer { ahead: before.ahead, waited: started.since(arrived) }
        }
        _ => Kind::TooSlow { worked: out.since(started) },
    }
}

/// When a stopwatch ran out.
fn ran_out(life: &Life, sent: Time) -> Time {
    match life.over {
        Some((at, Over::Expired)) => life.watch.last().map_or(at, |watch| watch.until.min(at)),
        _ => life.watch.last().map_or(sent, |watch| watch.until),
    }
}

fn sentence(story: &Story<'_>, before: &Life, life: &Life, kind: Kind) -> String {
    let worker = story.client(before.to);
    let out = ran_out(before, life.sent);
    let (begun, out) = (before.started.filter(|&at| at < out), moment(out));
    let wait = before.wait();
    match kind {
        Kind::First => String::new(),
        Kind::TooSlow { worked } => match before.work_end {
            Some((done, _)) if before.watch.len() == 1 => format!(
                "{worker} needs {} for it, longer than its stopwatch of {wait}, which ran out at {out}.",
                rounded(done.since(before.started.unwrap_or(before.sent)))
            ),
            _ => format!(
                "{worker} had been at it for {} when its stopwatch of {wait} ran out at {out}.",
                rounded(worked)
            ),
        },
        Kind::AgedInBuffer { ahead, waited } => {
            let place = match fixed_work(story, worker) {
                Some(work) if ahead > 0 => format!(
                    "It was number {} at {worker}: {} × {work} is {}, and its stopwatch of {wait} ran out at {out}",
                    ahead + 1,
                    ahead + 1,
                    Dur(work.0.saturating_mul(u64::from(ahead) + 1))
                ),
                _ if ahead == 0 => format!(
                    "It waited {} in the buffer of {worker}, and its stopwatch of {wait} ran out at {out}",
                    rounded(waited)
                ),
                _ => format!(
                    "It waited {} in the buffer of {worker} behind {ahead} {}, and its stopwatch of {wait} ran out at {out}",
                    rounded(waited),
                    if ahead == 1 { "other" } else { "others" }
                ),
            };
            match begun {
                Some(_) => place + ", before the work was done.",
                None => place + " while it waited there.",
            }
        }
        Kind::WorkerDied { at } => {
            let at = moment(at);
            format!(
                "{worker} died with it at {at}, nobody answered, and its stopwatch ran out at {out}."
            )
        }
        Kind::WorkerLeft { at } => {
            let at = moment(at);
            format!(
                "{worker} closed its connection at {at} without an answer, and its stopwatch ran out at {out}."
            )
        }
        Kind::NeverArrived => {
            format!(
                "It was sent to {worker}, whose connection was gone; its stopwatch ran out at {out} all the same."
            )
        }
        Kind::AnswerLost { at } => {
            let at = moment(at);
            format!(
                "{worker} answered at {at}, but the answer never reached the server; its stopwatch ran out at {out}."
            )
        }
        Kind::AnsweredTooLate { at } => {
            let at = moment(at);
            format!(
                "{worker} answered at {at}, but its stopwatch had run out at {out} when the answer arrived."
            )
        }
        Kind::NoAnswer => format!(
            "{worker} was through with it and never answered; its stopwatch ran out at {out}."
        ),
        Kind::Nak => format!(
            "{} gave it back, and that brings it back at once.",
            nak_by(story, before, life)
        ),
        Kind::NakDelay { at } => match before.delayed_until.map(moment) {
            Some(until) => format!(
                "{} gave it back at {} for later, and that delay was over at {until}.",
                nak_by(story, before, life),
                moment(at)
            ),
            None => {
                format!("{} gave it back at {} for later.", nak_by(story, before, life), moment(at))
            }
        },
        Kind::Restart => "The server restarted, and its stopwatch with it.".into(),
    }
}

/// Who sent the nak: the holder, or a late worker that held it before (R44).
fn nak_by<'a>(story: &Story<'a>, before: &Life, life: &Life) -> &'a str {
    let sent = |l: &Life| {
        l.answers
            .iter()
            .filter(|said| matches!(said.reply, Reply::Nak | Reply::NakDelay(_)))
            .filter_map(|said| said.recorded.map(|(at, _)| at).filter(|at| *at <= life.sent))
            .max()
    };
    story
        .of(before.delivery.consumer, before.delivery.msg)
        .map(|i| &story.lives[i])
        .max_by_key(|l| sent(l))
        .map_or("", |l| story.client(l.to))
}

/// What every message takes this worker, if it is always the same.
fn fixed_work(story: &Story<'_>, worker: &str) -> Option<Dur> {
    let fits = |name: &str| {
        worker == name
            || worker
                .strip_prefix(name)
                .is_some_and(|n| n.trim_start().bytes().all(|c| c.is_ascii_digit()))
    };
    let worker = story.trace.scenario.workers.iter().find(|w| fits(&w.name))?;
    match worker.service_time {
        Service::Fixed(work) if work > Dur::ZERO && worker.behaviour.is_empty() => Some(work),
        _ => None,
    }
}

/// A moment in a sentence, to the nearest hundredth of a second: `T+8.0 s`, `T+1.08 s`, `T+1 min 4.5 s`.
pub(crate) fn moment(t: Time) -> String {
    let hundredths = (t.0 / 1_000_000 + 5) / 10;
    let (minutes, rest) = (hundredths / 6_000, hundredths % 6_000);
    let minutes = if minutes > 0 { format!("{minutes} min ") } else { String::new() };
    let last = if rest % 10 > 0 { format!("{}", rest % 10) } else { String::new() };
    format!("T+{minutes}{}.{}{last} s", rest / 100, rest / 10 % 10)
}

/// To a tenth of a second above one, to ten milliseconds above fifty: network hops do not belong into a sentence.
pub(crate) fn rounded(d: Dur) -> Dur {
    let unit = match d.as_ms() {
        1_000.. => 100,
        50.. => 10,
        _ => 1,
    };
    Dur::ms((d.0 / 1_000_000 + unit / 2) / unit * unit)
}
