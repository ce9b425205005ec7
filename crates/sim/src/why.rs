//! Why a message was delivered again: one cause, and one sentence, for every delivery after the first.
//!
//! The server knows no causes: to it a dead worker, a slow one and a lost answer all look the same (R70).
//! A trace shows both sides, so that here they are told apart.

use crate::scenario::{Service, Worker};
use crate::time::{Dur, Time};
use crate::trace::{
    Cause, Client, ClientId, ClientKind, ConsumerId, Delivery, Effect, Event, Msg, Reply, Trace,
};
use core::fmt;
use std::collections::{HashMap, VecDeque};

/// Why a delivery was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It is the first one of its message on its consumer.
    First,
    /// It aged in the client's buffer: begun at once, the work would have been done in time.
    AgedInBuffer {
        /// The worker that had it.
        worker: ClientId,
        /// Its place at that worker when it arrived, from 1: the delivery at work and those that waited count.
        place: u32,
        /// What each message takes that worker, if it is always the same.
        work: Option<Dur>,
        /// How long it waited after it was sent until work began; until its stopwatch ran out if work never began.
        waited: Dur,
        /// When work began, be it after the message was sent again; none if it never did in this run.
        begun: Option<Time>,
        /// Its stopwatch.
        watch: Stopwatch,
    },
    /// The worker was still at work when the stopwatch ran out.
    TooSlow {
        /// The worker.
        worker: ClientId,
        /// When work began.
        begun: Time,
        /// How long the work took in the end; none if it was not finished in this run.
        needed: Option<Dur>,
        /// How often an in progress had set the stopwatch back before (R71).
        beats: u32,
        /// Its stopwatch.
        watch: Stopwatch,
    },
    /// It was answered, but the stopwatch had run out when the answer reached the server.
    AnsweredLate {
        /// The worker.
        worker: ClientId,
        /// When it sent its answer.
        answered: Time,
        /// Its stopwatch.
        watch: Stopwatch,
    },
    /// The worker went away with it. That releases nothing early (R73).
    WorkerGone {
        /// The worker.
        worker: ClientId,
        /// How it went.
        how: Gone,
        /// When it went.
        at: Time,
        /// What it had done with the message by then.
        held: Held,
        /// Its stopwatch.
        watch: Stopwatch,
    },
    /// A worker gave it back, which brings it back at once (R74).
    Nak {
        /// The worker that gave it back; with an answer to an older delivery this may not be its holder (R44).
        worker: ClientId,
        /// The number of the delivery that it answered.
        attempt: u32,
        /// The number of the delivery that was given back by it.
        current: u32,
        /// When the server took note.
        at: Time,
    },
    /// A worker gave it back for later, and that delay is over (R75).
    NakDelay {
        /// The worker that gave it back.
        worker: ClientId,
        /// When the server took note.
        at: Time,
        /// The delay that was asked for.
        asked: Dur,
        /// When the delay was over: later than asked for on a later attempt with a backoff (R81).
        until: Time,
    },
    /// An answer was sent and never reached the server.
    AnswerLost {
        /// The worker.
        worker: ClientId,
        /// When it was sent.
        answered: Time,
        /// What it said.
        reply: Reply,
        /// Its stopwatch.
        watch: Stopwatch,
    },
    /// The worker never answered, and went on with something else.
    NeverAnswered {
        /// The worker.
        worker: ClientId,
        /// When it was through with the message; none for a worker that is scripted.
        through: Option<Time>,
        /// Its stopwatch.
        watch: Stopwatch,
    },
    /// The server restarted and reloaded its deadline in whole seconds (R101).
    Restart {
        /// When it was back.
        started: Time,
    },
}

/// The stopwatch of a delivery that ran out (R67).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopwatch {
    /// When it started: when the server sent the message, or took note of the last in progress (R71).
    pub from: Time,
    /// How long it ran.
    pub length: Dur,
    /// When it ran out.
    pub ran_out: Time,
    /// When the message was sent again: later than that if nobody asked for it (R69).
    pub again: Time,
}

/// How a worker went away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gone {
    /// It died.
    Crashed,
    /// Its connection closed in order.
    Stopped,
    /// The server closed its connection, or went away itself.
    Disconnected,
}

/// What a worker had done with a message when it went away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// It was on its way to the worker.
    OnTheWay,
    /// It waited in the worker's buffer.
    InBuffer,
    /// It was at work.
    AtWork,
    /// It had arrived at a worker that is scripted.
    Unanswered,
}

/// The cause in two or three words: `aged in the buffer`.
impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::First => "first delivery",
            Self::AgedInBuffer { .. } => "aged in the buffer",
            Self::TooSlow { .. } => "work longer than the stopwatch",
            Self::AnsweredLate { .. } => "answered too late",
            Self::WorkerGone { .. } => "worker gone",
            Self::Nak { .. } => "given back",
            Self::NakDelay { .. } => "delay over",
            Self::AnswerLost { .. } => "answer lost",
            Self::NeverAnswered { .. } => "never answered",
            Self::Restart { .. } => "server restarted",
        })
    }
}

impl Why {
    /// The cause in one plain sentence with its moments and names; empty for a first delivery.
    pub fn sentence(&self, trace: &Trace) -> String {
        let name =
            |id: ClientId| trace.clients.get(usize::from(id.0)).map_or("", |c| c.name.as_str());
        let (said, watch) = match *self {
            Self::First => return String::new(),
            Self::AgedInBuffer { worker, place, work, waited, begun, watch } => {
                (aged(name(worker), place, work, waited, begun, watch), watch)
            }
            Self::TooSlow { worker, begun, needed, beats, watch } => {
                (too_slow(name(worker), begun, needed, beats, watch), watch)
            }
            Self::AnsweredLate { worker, answered, watch } => {
                let (worker, Stopwatch { length, ran_out, .. }) = (name(worker), watch);
                let said = if answered <= ran_out {
                    format!(
                        "{worker} answered at {answered}, but the answer was still on its way when its stopwatch of {length} ran out at {ran_out}"
                    )
                } else {
                    format!(
                        "{worker} answered at {answered}, but its stopwatch of {length} had run out at {ran_out}"
                    )
                };
                (said, watch)
            }
            Self::WorkerGone { worker, how, at, held, watch } => {
                (gone(name(worker), how, at, held, watch), watch)
            }
            Self::AnswerLost { worker, answered, reply, watch } => {
                let (worker, ran_out) = (name(worker), watch.ran_out);
                let reply = word(reply);
                let said = format!(
                    "{worker} answered with {reply} at {answered}, but the answer never reached the server, and its stopwatch ran out at {ran_out}"
                );
                (said, watch)
            }
            Self::NeverAnswered { worker, through, watch } => {
                let (worker, ran_out) = (name(worker), watch.ran_out);
                let said = match through {
                    Some(at) => format!(
                        "{worker} was through with it at {at} and never answered, so its stopwatch ran out at {ran_out}"
                    ),
                    None => format!(
                        "{worker} got it and did not answer, so its stopwatch ran out at {ran_out}"
                    ),
                };
                (said, watch)
            }
            Self::Nak { worker, attempt, current, at } => {
                let worker = name(worker);
                return if attempt == current {
                    format!("{worker} gave it back at {at}, which brings it back at once.")
                } else {
                    format!(
                        "{worker} gave back its old delivery number {attempt} at {at}, which takes delivery number {current} from its holder and brings it back at once."
                    )
                };
            }
            Self::NakDelay { worker, at, asked, until } => {
                let (worker, took) = (name(worker), until.since(at));
                return if took == asked {
                    format!(
                        "{worker} gave it back at {at} for {asked} later, and that delay was over at {until}."
                    )
                } else {
                    format!(
                        "{worker} gave it back at {at} for {asked} later; the server made it {took}, until {until}."
                    )
                };
            }
            Self::Restart { started } => {
                return format!(
                    "The server was back at {started} and counted its deadline anew, in whole seconds from when the message was stored."
                );
            }
        };
        // Half a second is more than any delivery takes that is asked for.
        if watch.again.since(watch.ran_out) >= Dur::ms(500) {
            format!("{said}; nobody asked for it until {}.", watch.again)
        } else {
            said + "."
        }
    }
}

fn aged(
    worker: &str,
    place: u32,
    work: Option<Dur>,
    waited: Dur,
    begun: Option<Time>,
    Stopwatch { from, length, ran_out, .. }: Stopwatch,
) -> String {
    let waited = rounded(waited);
    let clock = format!(
        "its stopwatch of {length} started when the server sent it at {from} and ran out at {ran_out}"
    );
    let wait = match begun {
        Some(at) => format!("it waited {waited} before work began at {at}"),
        None => format!("it had waited {waited} by then, and work on it never began"),
    };
    match work {
        Some(work) => {
            let all = Dur(work.0.saturating_mul(u64::from(place)));
            format!(
                "It was number {place} at {worker}, and {place} × {work} is {all}, but {clock}; {wait}"
            )
        }
        None => format!("It was number {place} at {worker}, but {clock}; {wait}"),
    }
}

fn too_slow(
    worker: &str,
    begun: Time,
    needed: Option<Dur>,
    beats: u32,
    Stopwatch { from, length, ran_out, .. }: Stopwatch,
) -> String {
    match needed {
        _ if beats > 0 => format!(
            "{worker} had begun at {begun} and was still at work when its stopwatch of {length}, set back for the last time at {from}, ran out at {ran_out}"
        ),
        Some(needed) => {
            let needed =
                if rounded(needed) > length { rounded(needed) } else { Dur::ms(needed.as_ms()) };
            format!(
                "{worker} needed {needed} for it, and was still at work when its stopwatch of {length} ran out at {ran_out}"
            )
        }
        None => format!(
            "{worker} had begun at {begun} and was still at work when its stopwatch of {length} ran out at {ran_out}"
        ),
    }
}

fn gone(
    worker: &str,
    how: Gone,
    at: Time,
    held: Held,
    Stopwatch { from, ran_out, .. }: Stopwatch,
) -> String {
    let went = match how {
        Gone::Crashed => format!("{worker} crashed at {at}"),
        Gone::Stopped => format!("{worker} closed its connection at {at}"),
        Gone::Disconnected => format!("{worker} lost its connection at {at}"),
    };
    match held {
        Held::OnTheWay if at <= from => format!(
            "It was sent to {worker} at {from}, but {went} and never got it; its stopwatch ran out at {ran_out} all the same"
        ),
        Held::OnTheWay => {
            format!("{went} before it arrived, and its stopwatch ran out at {ran_out} all the same")
        }
        Held::InBuffer => {
            format!(
                "{went} with it still in the buffer, and nobody answered until its stopwatch ran out at {ran_out}"
            )
        }
        Held::AtWork => {
            format!(
                "{went} while at work on it, and nobody answered until its stopwatch ran out at {ran_out}"
            )
        }
        Held::Unanswered => {
            format!("{went} without an answer, and its stopwatch ran out at {ran_out}")
        }
    }
}

fn word(reply: Reply) -> &'static str {
    match reply {
        Reply::Ack => "ack",
        Reply::Nak => "nak",
        Reply::NakDelay(_) => "nak with a delay",
        Reply::Term => "term",
        Reply::InProgress => "in progress",
        Reply::Unknown => "something unknown",
    }
}

/// To a tenth of a second above one, to ten milliseconds above fifty: network hops do not belong into a sentence.
fn rounded(d: Dur) -> Dur {
    let unit = match d.as_ms() {
        1_000.. => 100,
        50.. => 10,
        _ => 1,
    };
    Dur::ms((d.0 / 1_000_000 + unit / 2) / unit * unit)
}

/// Why a delivery was made. Reads the whole trace: for more than one, make [`Causes`] once.
///
/// [`Why::First`] also for a delivery that is not in this run.
pub fn why(trace: &Trace, delivery: &Delivery) -> Why {
    Causes::of(trace).get(delivery)
}

/// The causes of all deliveries of a run, built in one pass over its trace.
#[derive(Clone, Debug, Default)]
pub struct Causes {
    all: Vec<(Delivery, Time, Why)>,
    by_delivery: HashMap<(ConsumerId, Msg, u32), u32>,
}

impl Causes {
    /// Reads a run: one pass over its records, and constant time for each delivery.
    pub fn of(trace: &Trace) -> Self {
        let mut reader = Reader::new(trace);
        for (i, record) in trace.records.iter().enumerate() {
            reader.read(i as u32, record.at, record.event);
        }
        let all = (0..reader.lives.len())
            .map(|i| {
                let life = &reader.lives[i];
                (life.delivery, life.sent, reader.why(i))
            })
            .collect();
        Self { all, by_delivery: reader.by_delivery }
    }

    /// Why a delivery was made, in constant time. [`Why::First`] also for a delivery that is not in this run.
    ///
    /// A consumer that was deleted and made again counts from 1 again: then the latest delivery of that number counts.
    pub fn get(&self, delivery: &Delivery) -> Why {
        let key = (delivery.consumer, delivery.msg, delivery.attempt);
        self.by_delivery.get(&key).map_or(Why::First, |&i| self.all[i as usize].2)
    }

    /// Every delivery after a first one, in the order sent, with its moment and its cause.
    pub fn redeliveries(&self) -> impl Iterator<Item = (Delivery, Time, Why)> + '_ {
        self.all.iter().copied().filter(|(.., why)| *why != Why::First)
    }
}

/// The worker's specification behind each client, for those that work on their own.
pub(crate) fn workers_of<'a>(workers: &'a [Worker], clients: &[Client]) -> Vec<Option<&'a Worker>> {
    let is_called = |worker: &Worker, name: &str| {
        if worker.count == 1 {
            return worker.name == name;
        }
        let number = name.strip_prefix(worker.name.as_str()).and_then(|n| n.strip_prefix(' '));
        number.and_then(|n| n.parse().ok()).is_some_and(|n: u32| (1..=worker.count).contains(&n))
    };
    let of = |client: &Client| {
        let worker = workers.iter().find(|w| is_called(w, &client.name))?;
        (client.kind == ClientKind::Worker && !worker.manual).then_some(worker)
    };
    clients.iter().map(of).collect()
}

/// One delivery, as far as its causes go.
#[derive(Clone, Copy)]
struct Life {
    delivery: Delivery,
    to: ClientId,
    sent: Time,
    cause: Cause,
    /// When its stopwatch started for the last time, and when it runs out.
    from: Time,
    until: Time,
    beats: u32,
    expired: Option<Time>,
    arrived: Option<(u32, Time)>,
    missed: Option<(u32, Time)>,
    place: u32,
    started: Option<Time>,
    /// When work was done, or the worker was seen at something else.
    ended: Option<(u32, Time)>,
    answer: Option<Said>,
    given_back: Option<GivenBack>,
    previous: Option<u32>,
    /// When the server was back for the last time before it was sent.
    server_back: Time,
}

/// An answer other than in progress.
#[derive(Clone, Copy)]
struct Said {
    at: Time,
    reply: Reply,
    recorded: Option<Time>,
}

/// The nak that took a delivery back.
#[derive(Clone, Copy)]
struct GivenBack {
    by: ClientId,
    attempt: u32,
    at: Time,
    asked: Dur,
    until: Time,
}

/// What a worker has.
#[derive(Clone, Default)]
struct Hand {
    buffer: VecDeque<u32>,
    work: Option<u32>,
    /// When it went away: place in the trace, moment and how.
    gone: Vec<(u32, Time, Gone)>,
}

struct Reader<'a> {
    workers: Vec<Option<&'a Worker>>,
    hands: Vec<Hand>,
    lives: Vec<Life>,
    by_delivery: HashMap<(ConsumerId, Msg, u32), u32>,
    latest: HashMap<(ConsumerId, Msg), u32>,
    server_back: Time,
}

impl<'a> Reader<'a> {
    fn new(trace: &'a Trace) -> Self {
        Self {
            workers: workers_of(&trace.scenario.workers, &trace.clients),
            hands: vec![Hand::default(); trace.clients.len()],
            lives: Vec::new(),
            by_delivery: HashMap::new(),
            latest: HashMap::new(),
            server_back: Time::ZERO,
        }
    }

    fn find(&self, delivery: Delivery) -> Option<u32> {
        self.by_delivery.get(&(delivery.consumer, delivery.msg, delivery.attempt)).copied()
    }

    fn read(&mut self, i: u32, at: Time, event: Event) {
        match event {
            Event::Delivered { delivery, to, deadline, cause, .. } => {
                self.deliver(at, delivery, to, deadline, cause);
            }
            Event::Arrived { delivery, at: client } => self.arrive(i, at, delivery, client),
            Event::Missed { delivery, .. } => {
                if let Some(n) = self.find(delivery) {
                    self.lives[n as usize].missed.get_or_insert((i, at));
                }
            }
            Event::WorkStarted { delivery, by } => {
                let found = self.find(delivery);
                if let Some(n) = found {
                    self.lives[n as usize].started = Some(at);
                }
                self.moves_on(i, at, by);
                let Some(hand) = self.hands.get_mut(usize::from(by.0)) else { return };
                hand.work = found;
                if let Some(place) = hand.buffer.iter().position(|&other| Some(other) == found) {
                    hand.buffer.remove(place);
                }
            }
            Event::WorkDone { delivery, by, .. } => {
                let Some(n) = self.find(delivery) else { return };
                self.lives[n as usize].ended.get_or_insert((i, at));
                if self.worker(by).is_some_and(|w| w.ack_first) {
                    self.is_through(by, n);
                }
            }
            Event::LeftOff { by, .. } | Event::Pulled { by, .. } => self.moves_on(i, at, by),
            Event::Answered { delivery, by, reply } => {
                if matches!(reply, Reply::InProgress | Reply::Unknown) {
                    return;
                }
                let Some(n) = self.find(delivery) else { return };
                self.lives[n as usize].answer.get_or_insert(Said { at, reply, recorded: None });
                if self.worker(by).is_none_or(|w| !w.ack_first) {
                    self.is_through(by, n);
                }
            }
            Event::Recorded { delivery, reply, effect } => self.record(at, delivery, reply, effect),
            Event::Expired { delivery } => {
                if let Some(n) = self.find(delivery) {
                    self.lives[n as usize].expired = Some(at);
                }
            }
            Event::DeadlineMoved { delivery, deadline } => {
                if let Some(n) = self.find(delivery) {
                    self.lives[n as usize].until = deadline;
                }
            }
            Event::Crashed { client } => self.leave(i, at, client, Gone::Crashed),
            Event::Stopped { client } => self.leave(i, at, client, Gone::Stopped),
            Event::Disconnected { client } => self.leave(i, at, client, Gone::Disconnected),
            Event::ServerStopped => {
                // Connections close, but what has arrived stays where it is.
                for hand in &mut self.hands {
                    hand.gone.push((i, at, Gone::Disconnected));
                }
            }
            Event::ServerStarted => self.server_back = at,
            _ => {}
        }
    }

    fn worker(&self, client: ClientId) -> Option<&'a Worker> {
        self.workers.get(usize::from(client.0)).copied().flatten()
    }

    fn deliver(
        &mut self,
        at: Time,
        delivery: Delivery,
        to: ClientId,
        deadline: Time,
        cause: Cause,
    ) {
        let n = self.lives.len() as u32;
        let previous = self.latest.insert((delivery.consumer, delivery.msg), n);
        self.by_delivery.insert((delivery.consumer, delivery.msg, delivery.attempt), n);
        self.lives.push(Life {
            delivery,
            to,
            sent: at,
            cause,
            from: at,
            until: deadline,
            beats: 0,
            expired: None,
            arrived: None,
            missed: None,
            place: 1,
            started: None,
            ended: None,
            answer: None,
            given_back: None,
            previous,
            server_back: self.server_back,
        });
    }

    fn arrive(&mut self, i: u32, at: Time, delivery: Delivery, client: ClientId) {
        let Some(n) = self.find(delivery) else { return };
        let works = self.worker(client).is_some();
        let Some(hand) = self.hands.get_mut(usize::from(client.0)) else { return };
        let life = &mut self.lives[n as usize];
        life.arrived = Some((i, at));
        if works {
            let busy = hand.work.is_some();
            let hand = &mut self.hands[usize::from(client.0)];
            self.lives[n as usize].place = hand.buffer.len() as u32 + u32::from(busy) + 1;
            hand.buffer.push_back(n);
        }
    }

    /// A worker takes up something else: what it was at is over.
    fn moves_on(&mut self, i: u32, at: Time, by: ClientId) {
        let Some(hand) = self.hands.get_mut(usize::from(by.0)) else { return };
        if let Some(n) = hand.work.take() {
            self.lives[n as usize].ended.get_or_insert((i, at));
        }
    }

    fn is_through(&mut self, by: ClientId, n: u32) {
        if let Some(hand) =
            self.hands.get_mut(usize::from(by.0)).filter(|hand| hand.work == Some(n))
        {
            hand.work = None;
        }
    }

    fn leave(&mut self, i: u32, at: Time, client: ClientId, how: Gone) {
        if let Some(hand) = self.hands.get_mut(usize::from(client.0)) {
            hand.work = None;
            hand.buffer.clear();
            hand.gone.push((i, at, how));
        }
    }

    /// An answer reaches the server. It acts on the message as it is now, whichever delivery it answers (R42, R44).
    fn record(&mut self, at: Time, delivery: Delivery, reply: Reply, effect: Effect) {
        let answered = self.find(delivery);
        if let Some(n) = answered
            && let Some(said) = &mut self.lives[n as usize].answer
            && said.reply == reply
        {
            said.recorded.get_or_insert(at);
        }
        let Some(&n) = self.latest.get(&(delivery.consumer, delivery.msg)) else { return };
        let by = answered.map_or(self.lives[n as usize].to, |n| self.lives[n as usize].to);
        let life = &mut self.lives[n as usize];
        let back = GivenBack { by, attempt: delivery.attempt, at, asked: Dur::ZERO, until: at };
        match (effect, reply) {
            (Effect::Queued, _) => life.given_back = Some(back),
            (Effect::DelayedUntil(until), Reply::NakDelay(asked)) => {
                life.given_back = Some(GivenBack { asked, until, ..back });
            }
            // In progress does not take a message out of the queue (R72), but replaces a delay (R76).
            (Effect::Extended(until), _) if life.expired.is_none() => {
                (life.from, life.until, life.answer) = (at, until, None);
                life.beats += 1;
            }
            _ => {}
        }
    }

    /// Why the `n`-th delivery of the run was made.
    fn why(&self, n: usize) -> Why {
        let life = &self.lives[n];
        if life.cause == Cause::New {
            return Why::First;
        }
        let before = life.previous.map(|p| (p, &self.lives[p as usize]));
        let restart = Why::Restart { started: life.server_back };
        match (life.cause, before) {
            (Cause::Expired, Some((p, _))) => self.expired(p, life.sent),
            (Cause::Nak | Cause::NakDelay, Some((_, before))) => match before.given_back {
                Some(back) if life.cause == Cause::Nak => Why::Nak {
                    worker: back.by,
                    attempt: back.attempt,
                    current: before.delivery.attempt,
                    at: back.at,
                },
                Some(back) => Why::NakDelay {
                    worker: back.by,
                    at: back.at,
                    asked: back.asked,
                    until: back.until,
                },
                None => restart,
            },
            _ => restart,
        }
    }

    /// Why the stopwatch of the `n`-th delivery ran out; its message was sent again at `again`.
    fn expired(&self, n: u32, again: Time) -> Why {
        let before = &self.lives[n as usize];
        let worker = before.to;
        let ran_out = before.until.min(before.expired.unwrap_or(again));
        let length = before.until.since(before.from);
        let watch = Stopwatch { from: before.from, length, ran_out, again };
        let late = |said: Said| Why::AnsweredLate { worker, answered: said.at, watch };
        if let Some(said) = before.answer.filter(|said| said.at <= ran_out) {
            return match said.recorded {
                None => Why::AnswerLost { worker, answered: said.at, reply: said.reply, watch },
                Some(_) => late(said),
            };
        }
        let ended = before.ended.filter(|(_, at)| *at <= ran_out);
        if let Some((at, how, held)) = self.left_with(before, ran_out, ended.map(|(i, _)| i)) {
            return Why::WorkerGone { worker, how, at, held, watch };
        }
        let spec = self.worker(worker);
        let fixed = spec.and_then(fixed_work);
        let place = before.place;
        let aged = |begun: Option<Time>| {
            let waited = begun.unwrap_or(ran_out).since(before.sent);
            Why::AgedInBuffer { worker, place, work: fixed, waited, begun, watch }
        };
        if spec.is_none()
            && before.started.is_none()
            && before.arrived.is_some_and(|(_, at)| at <= ran_out)
        {
            return before.answer.map_or(Why::NeverAnswered { worker, through: None, watch }, late);
        }
        let Some(begun) = before.started.filter(|at| *at <= ran_out) else {
            return aged(before.started);
        };
        if let Some((_, through)) = ended {
            return Why::NeverAnswered { worker, through: Some(through), watch };
        }
        let needed = before.ended.map(|(_, at)| at).or(before.answer.map(|said| said.at));
        let needed = needed.map(|at| at.since(begun));
        let short = needed.or(fixed).is_some_and(|work| work < length);
        if short && place > 1 && before.beats == 0 {
            return aged(Some(begun));
        }
        Why::TooSlow { worker, begun, needed, beats: before.beats, watch }
    }

    /// When and how the worker of a delivery went away with it before `until`, unless its work was over before.
    fn left_with(&self, life: &Life, until: Time, over: Option<u32>) -> Option<(Time, Gone, Held)> {
        let gone = &self.hands.get(usize::from(life.to.0))?.gone;
        let Some((arrived, _)) = life.arrived else {
            let (i, at) = life.missed.filter(|(_, at)| *at <= until)?;
            // The latest departure before it was missed is the one that it missed.
            let upto = gone.partition_point(|(other, ..)| *other < i);
            let (at, how) =
                gone[..upto].last().map_or((at, Gone::Disconnected), |(_, at, how)| (*at, *how));
            return Some((at, how, Held::OnTheWay));
        };
        // A server that goes away leaves what has arrived with the worker.
        let stays = |how: Gone| how == Gone::Disconnected;
        let after = gone.partition_point(|(other, ..)| *other < arrived);
        let &(i, at, how) = gone[after..].iter().find(|(.., how)| !stays(*how))?;
        if at > until || over.is_some_and(|over| over < i) {
            return None;
        }
        let held = match life.started {
            Some(started) if started <= at => Held::AtWork,
            _ if self.worker(life.to).is_some() => Held::InBuffer,
            _ => Held::Unanswered,
        };
        Some((at, how, held))
    }
}

/// What every message takes this worker, if it is always the same.
fn fixed_work(worker: &Worker) -> Option<Dur> {
    match worker.service_time {
        Service::Fixed(work) if work > Dur::ZERO && worker.behaviour.is_empty() => Some(work),
        _ => None,
    }
}
