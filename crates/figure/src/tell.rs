//! Tells a run event by event: what happens at one moment becomes one row, with the cause of every repeat.

use crate::kinds;
use crate::names::{names, number};
use crate::put::Put as _;
use crate::say::Say;
use crate::story::{Life, Over, Story, WorkEnd};
use crate::ways::{self, standings};
use crate::why::{self, Kind, moment, rounded};
use crate::words::{Row, called, reports};
use delivery_sim::scenario::{ConsumerConfig, Op, Publish, Via};
use delivery_sim::time::MS;
use delivery_sim::trace::{
    CallAnswer, Cause, ClientId, ClientKind, ConsumerId, Drop, Effect, Event, Message, Msg, Record,
    Refusal, Removal, Reply,
};
use delivery_sim::{Dur, Time, Trace};

/// What happens within this time is one moment to a reader: a network hop, the server's timer.
const GLUE: u64 = 2 * MS;
/// A chain of events so close to each other is one moment too: a burst of messages, each waiting for the one before it …
const CHAIN: u64 = MS;
/// … as long as it does not take longer than this.
const LONGEST: u64 = 20 * MS;

/// Some events of a run that are told together, by their places among those that are told at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    /// The first whole millisecond at which all of it has happened.
    pub(crate) at: Time,
    from: u32,
    to: u32,
    /// What kinds of turning points are in it: bits of [`KINDS`](kinds::KINDS).
    pub(crate) kinds: u8,
}

/// The events of a run that are told.
pub(crate) fn records(trace: &Trace) -> Vec<Record> {
    trace
        .records
        .iter()
        .filter(|record| told(trace, record) && record.at <= trace.end)
        .copied()
        .collect()
}

/// The moments of a run of which there is something to say. What, is put into words when somebody looks.
pub(crate) fn moments(story: &Story<'_>, records: &[Record]) -> Vec<Moment> {
    let mut moments = Vec::new();
    let mut reader = kinds::Reader::new(story.trace);
    // Of a moment without words, such as work whose answer is still to come, the next row tells.
    let mut silent = 0;
    let mut from = 0;
    while from < records.len() {
        let to = moment_end(records, from);
        let at = Time(records[to - 1].at.0.div_ceil(MS) * MS);
        silent |= reader.read(&records[from..to]);
        let moment = Moment { at, from: from as u32, to: to as u32, kinds: silent };
        if records[from..to].iter().any(|record| speaks(record.event))
            || !row(story, records, moment).what.is_empty()
        {
            moments.push(moment);
            silent = 0;
        }
        from = to;
    }
    moments
}

/// Tells one moment.
pub(crate) fn row(story: &Story<'_>, records: &[Record], moment: Moment) -> Row {
    Teller::new(story, of(records, moment)).row(moment)
}

/// The events of a moment.
pub(crate) fn of(records: &[Record], moment: Moment) -> &[Record] {
    &records[moment.from as usize..moment.to as usize]
}

impl Moment {
    /// How many events it has.
    pub(crate) fn events(self) -> u32 {
        self.to - self.from
    }
}

/// Whether an event always has a sentence of its own: then nobody has to try.
fn speaks(event: Event) -> bool {
    matches!(
        event,
        Event::Published { .. }
            | Event::Unheard { .. }
            | Event::Received { .. }
            | Event::Dropped { .. }
            | Event::Arrived { .. }
            | Event::Recorded { .. }
            | Event::Removed { .. }
            | Event::Exhausted { .. }
            | Event::Crashed { .. }
    )
}

/// Where the moment that begins with record `from` ends.
fn moment_end(records: &[Record], from: usize) -> usize {
    let start = records[from].at;
    let later = |a: &Record, b: &Record| a.at.0.div_ceil(MS) < b.at.0.div_ceil(MS);
    let mut to = from + 1;
    while let Some(record) = records.get(to) {
        let last = &records[to - 1];
        let near = record.at.0 - start.0 <= GLUE
            || (record.at.0 - last.at.0 <= CHAIN && record.at.0 - start.0 <= LONGEST);
        if later(last, record) && !near {
            break;
        }
        to += 1;
    }
    // Sending is a step of its own, before what comes of it, as far as whole milliseconds keep them apart.
    let sends = |record: &Record| matches!(record.event, Event::Published { .. });
    let begins = |record: &Record| sends(record) || matches!(record.event, Event::Started { .. });
    let moment = &records[from..to];
    let first = moment.iter().take_while(|r| begins(r)).count();
    let apart = first < moment.len()
        && moment[..first].iter().any(sends)
        && !moment[first..].iter().any(sends)
        && later(&moment[first - 1], &moment[first]);
    if apart { from + first } else { to }
}

/// Whether a publish that ends so is told at its client; of the others it is told at the server.
pub(crate) fn fails(why: Refusal) -> bool {
    matches!(
        why,
        Refusal::NoStream | Refusal::Disconnected | Refusal::Timeout | Refusal::BufferFull
    )
}

/// Whether the network takes so long that what happens at its two ends is told one by one.
pub(crate) fn is_far(trace: &Trace) -> bool {
    trace.scenario.network_delay.0 > GLUE
}

/// The step of the timeline that published a message or asked with it.
pub(crate) fn op(trace: &Trace, msg: Msg) -> Option<&Op> {
    match trace.messages.get(msg.0 as usize) {
        Some(Message::Published { step, .. }) => {
            trace.scenario.timeline.get(*step as usize).map(|step| &step.op)
        }
        _ => None,
    }
}

/// Whether the call that publishes a message waits for nothing.
pub(crate) fn is_plain(trace: &Trace, msg: Msg) -> bool {
    match op(trace, msg) {
        Some(Op::Publish(publish)) => publish.via == Via::Core,
        op => matches!(op, Some(Op::Request(_))),
    }
}

/// Who waited for the answer to a flush or a request, the label of what was asked, and what is told of it.
pub(crate) fn returns(trace: &Trace, step: u32, answer: u32) -> Option<(&str, &str, &'static str)> {
    match &trace.scenario.timeline.get(step as usize)?.op {
        Op::Flush(by) | Op::Publish(Publish { by, .. }) if is_far(trace) => {
            Some((by, "", "'s flush returns: the server has all it sent."))
        }
        Op::Request(asked) => {
            let words = match trace.answers.get(answer as usize)? {
                CallAnswer::Reply(_) => " gets the reply to ",
                CallAnswer::NoResponders => " is told that nobody listens for ",
                CallAnswer::Timeout => " has waited long enough for a reply to ",
                _ => return None,
            };
            Some((&asked.by, &asked.data, words))
        }
        _ => None,
    }
}

/// Whether an event is told at all. Of a delivery it is the arrival, of an answer its effect at the server.
fn told(trace: &Trace, record: &Record) -> bool {
    match record.event {
        Event::Pulled { .. }
        | Event::PullEnded { .. }
        | Event::Delivered { .. }
        | Event::Advised { .. }
        | Event::HandlerStarted { .. }
        | Event::StreamCreated { .. }
        | Event::ConsumerUpdated { .. } => false,
        Event::Stored { .. }
        | Event::PubAcked { .. }
        | Event::Confirmed { .. }
        | Event::Routed { .. }
        | Event::HandlerDone { .. } => is_far(trace),
        Event::ConsumerCreated { .. } => record.at > Time::ZERO,
        _ => true,
    }
}

/// Tells one moment.
struct Teller<'a, 'r> {
    story: &'a Story<'a>,
    records: &'r [Record],
    /// The end of the moment, to the nanosecond.
    at: Time,
    say: Say,
    who: Vec<String>,
    /// In ascending order, each once.
    msgs: Vec<Msg>,
    /// Workers whose start is told with what they get.
    fresh: Vec<ClientId>,
}

impl<'a, 'r> Teller<'a, 'r> {
    fn new(story: &'a Story<'a>, records: &'r [Record]) -> Self {
        let at = records.last().map_or(Time::ZERO, |record| record.at);
        Self {
            story,
            records,
            at,
            say: Say::default(),
            who: Vec::new(),
            msgs: Vec::new(),
            fresh: Vec::new(),
        }
    }

    fn row(mut self, Moment { at, kinds, .. }: Moment) -> Row {
        let started = self.pick(|event| match event {
            Event::Started { client } => Some(client),
            _ => None,
        });
        self.fresh = started.into_iter().filter(|&c| self.is_worker(c)).collect();
        self.server();
        self.published();
        self.core();
        self.departures();
        self.answers();
        self.expired();
        self.arrivals();
        self.idle_starts();
        self.removed();
        self.replies();
        let trace = self.story.trace;
        Row {
            at,
            who: self.who.join(", "),
            messages: self.msgs.iter().map(|msg| trace.label(*msg)).collect(),
            what: self.say.end(),
            kinds,
        }
    }

    fn pick<T>(&self, of: impl Fn(Event) -> Option<T>) -> Vec<T> {
        self.records.iter().filter_map(|record| of(record.event)).collect()
    }

    fn is_worker(&self, client: ClientId) -> bool {
        self.story
            .trace
            .clients
            .get(usize::from(client.0))
            .is_some_and(|c| matches!(c.kind, ClientKind::Worker | ClientKind::Handler))
    }

    fn on(&mut self, who: &str) {
        if !who.is_empty() && self.who.iter().all(|other| other != who) {
            self.who.push(who.to_owned());
        }
    }

    fn about(&mut self, msg: Msg) {
        if let Err(place) = self.msgs.binary_search(&msg) {
            self.msgs.insert(place, msg);
        }
    }

    fn label(&mut self, msg: Msg) -> String {
        self.about(msg);
        self.story.trace.label(msg)
    }

    fn names(&mut self, msgs: &[Msg]) -> String {
        msgs.iter().for_each(|msg| self.about(*msg));
        names(self.story.trace, msgs)
    }

    fn config(&self, consumer: ConsumerId) -> Option<&'a ConsumerConfig> {
        let name = self.story.consumer(consumer);
        self.story
            .trace
            .scenario
            .consumers
            .iter()
            .map(|c| &c.config)
            .find(|c| c.durable_name == name)
    }

    fn server(&mut self) {
        for record in self.records {
            match record.event {
                Event::ServerStopped => {
                    self.on("server");
                    self.say
                        .start("The server ")
                        .state("lost", "stops")
                        .text(": every connection closes.");
                }
                Event::ServerStarted => {
                    self.on("server");
                    self.say.start("The server is back, with all that it had stored.");
                }
                Event::ConsumerCreated { consumer } => {
                    let name = self.story.consumer(consumer);
                    self.on(name);
                    self.say.start("The consumer ").text(name).text(" is created.");
                }
                Event::ConsumerDeleted { consumer, inactive } => {
                    let name = self.story.consumer(consumer);
                    self.on(name);
                    let why = if inactive {
                        ": nobody has used it for its inactive_threshold."
                    } else {
                        "."
                    };
                    self.say.start("The consumer ").text(name).text(" is deleted").text(why);
                }
                _ => {}
            }
        }
    }

    fn published(&mut self) {
        let sent = self.pick(|event| match event {
            Event::Published { msg, by } => Some((by, msg)),
            _ => None,
        });
        for (by, msgs) in grouped(&sent) {
            let (who, names) = (self.story.client(by), self.names(&msgs));
            self.on(who);
            let plain = self.far() && msgs.iter().all(|msg| is_plain(self.story.trace, *msg));
            self.say
                .start(who)
                .text(" ")
                .state("stored", "sends")
                .text(" ")
                .text(&names)
                .text(if plain { ", and publish returns." } else { "." });
        }
        for record in self.records {
            let stream_of = |stream: delivery_sim::trace::StreamId| {
                self.story.trace.streams.get(usize::from(stream.0)).map_or("", String::as_str)
            };
            match record.event {
                Event::Stored { msg, stream, seq } => {
                    let name = stream_of(stream);
                    let label = self.label(msg);
                    self.on(name);
                    self.say
                        .start(name)
                        .text(" ")
                        .state("stored", "stores")
                        .put(format_args!(" {label} as sequence {seq}."));
                }
                Event::PubAcked { msg, by, seq, .. } => {
                    let (who, label) = (self.story.client(by), self.label(msg));
                    self.on(who);
                    self.say.start(who).put(format_args!(
                        " gets the PubAck of {label}, sequence {seq}: publish returns."
                    ));
                }
                Event::Deduplicated { msg, stream, seq } => {
                    let name = stream_of(stream);
                    let label = self.label(msg);
                    self.on(name);
                    self.say.start(name).put(format_args!(" knows the id of {label}: it is a duplicate of sequence {seq} and is not stored."));
                }
                Event::NotKept { msg, stream, .. } => {
                    let name = stream_of(stream);
                    let label = self.label(msg);
                    self.on(name);
                    self.say
                        .start(name)
                        .put(format_args!(" does not keep {label}: "))
                        .state("lost", "no consumer wants it")
                        .text(".");
                }
                Event::Refused { msg, stream, why } => {
                    let name = stream_of(stream);
                    let label = self.label(msg);
                    self.on(name);
                    self.say
                        .start(name)
                        .text(" ")
                        .state("lost", "refuses")
                        .put(format_args!(" {label}: {}.", refusal(why)));
                }
                Event::PubFailed { msg, by, why } if fails(why) => {
                    let (who, label) = (self.story.client(by), self.label(msg));
                    self.on(who);
                    self.say
                        .start(who)
                        .text(" ")
                        .state("lost", "fails")
                        .put(format_args!(" to publish {label}: {}.", refusal(why)));
                }
                Event::Unheard { msg } => {
                    let label = self.label(msg);
                    self.on("server");
                    let told = ways::is_told(self.story.trace, msg);
                    self.say
                        .start("Nobody listens: ")
                        .text(&label)
                        .text(" is ")
                        .state("lost", "lost")
                        .text(if told { "." } else { ", and its sender is not told." });
                }
                _ => {}
            }
        }
    }

    fn far(&self) -> bool {
        is_far(self.story.trace)
    }

    fn core(&mut self) {
        let routed = self.pick(|event| match event {
            Event::Routed { msg, to } => Some((to, msg)),
            _ => None,
        });
        for (to, msgs) in grouped(&routed) {
            let (who, names) = (self.story.client(to), self.names(&msgs));
            self.on("server");
            self.say.start("The server passes ").put(format_args!("{names} on to {who}."));
        }
        let received = self.pick(|event| match event {
            Event::Received { msg, by, .. } => Some((by, msg)),
            _ => None,
        });
        for (by, msgs) in grouped(&received) {
            let (who, names) = (self.story.client(by), self.names(&msgs));
            self.on(who);
            self.say.start(who).text(" ").state("inflight", "gets").text(" ").text(&names);
            let counts = standings(self.story.trace);
            if let Some(count) =
                counts.iter().find(|count| (count.by, Some(&count.msg)) == (by, msgs.last()))
            {
                self.say.put(format_args!(" and then stands at {}", count.kept));
                if count.kept != count.real {
                    self.say.state("lost", ", which is wrong");
                }
            }
            self.say.text(".");
        }
        for record in self.records {
            if let Event::HandlerDone { msg, by } = record.event {
                let (who, label) = (self.story.client(by), self.label(msg));
                self.on(who);
                self.say
                    .start(who)
                    .text(" is ")
                    .state("acked", "done")
                    .put(format_args!(" with {label}."));
            }
        }
        let dropped = self.pick(|event| match event {
            Event::Dropped { msg, by, why } => Some(((by, why), msg)),
            _ => None,
        });
        for ((by, why), msgs) in grouped(&dropped) {
            let (who, names) = (self.story.client(by), self.names(&msgs));
            self.on(who);
            self.say.start(who).text(" ").state("lost", "loses").put(format_args!(
                " {names}: {}.",
                match why {
                    Drop::BufferFull => "its buffer is full",
                    Drop::Loss => "lost on the way",
                    Drop::Unfinished => "it was at work on it and did not finish",
                    Drop::Disconnected => "its connection is gone",
                    Drop::SlowConsumer => "it was too slow, and the server closed the connection",
                }
            ));
            if why == Drop::BufferFull {
                if reports(self.story.trace, by, why) {
                    self.say.start(&called(msgs.len() as u64)).text(".");
                } else {
                    self.say.start("No error callback is set: nobody is told.");
                }
            }
        }
    }

    /// Workers and other clients that die or leave.
    fn departures(&mut self) {
        for record in self.records {
            let (client, died) = match record.event {
                Event::Crashed { client } => (client, true),
                Event::Stopped { client } => (client, false),
                _ => continue,
            };
            let who = self.story.client(client);
            self.on(who);
            let at = record.at;
            let held = |life: &&Life| {
                let cut = life.work_end.is_some_and(|(t, end)| {
                    t == at && matches!(end, WorkEnd::Died | WorkEnd::Closed)
                });
                life.to == client && (cut || life.lost_in_buffer == Some(at))
            };
            let lives: Vec<&Life> = self.story.lives.iter().filter(held).collect();
            let msgs: Vec<Msg> = lives.iter().map(|life| life.delivery.msg).collect();
            let names = self.names(&msgs);
            let say = self.say.start(who).text(" ");
            if died {
                say.state("lost", "dies");
            } else {
                say.text("closes its connection");
            }
            match (lives.iter().filter_map(|life| life.watch.last()).map(|watch| watch.until).max().map(moment), lives.len()) {
                (_, 0) => say.text("."),
                (None, _) => say.put(format_args!(" with {names} unfinished.")),
                (Some(until), 1) => {
                    say.put(format_args!(" with {names} unfinished. The server takes no notice: the stopwatch runs on until {until}."))
                }
                (Some(until), _) => say
                    .put(format_args!(" with {names} unfinished. The server takes no notice: their stopwatches run on, the last until {until}.")),
            };
        }
    }

    /// Work that ends, answers, and the next message that a worker takes from its buffer.
    fn answers(&mut self) {
        let mut begun: Vec<(ClientId, usize)> = self.pick(|event| match event {
            Event::WorkStarted { delivery, by } => self.story.find(delivery).map(|i| (by, i)),
            _ => None,
        });
        let arrived = self.arrived();
        begun.retain(|(_, i)| arrived.iter().all(|(_, other)| other != i));
        for record in self.records {
            let (delivery, said) = match record.event {
                Event::Recorded { delivery, reply, effect } => {
                    (delivery, Some((reply, Some(effect))))
                }
                Event::Answered { delivery, reply, .. } => {
                    let never = self.story.find(delivery).is_some_and(|i| {
                        self.story.lives[i]
                            .answers
                            .iter()
                            .any(|s| s.at == record.at && s.reply == reply && s.recorded.is_none())
                    });
                    if !never {
                        continue;
                    }
                    (delivery, Some((reply, None)))
                }
                Event::WorkDone { delivery, by, .. } => {
                    let answered = self.story.find(delivery).is_none_or(|i| {
                        self.story.lives[i]
                            .answers
                            .iter()
                            .any(|s| s.at >= record.at && s.reply != Reply::InProgress)
                    });
                    if answered && self.far() {
                        let (who, label) = (self.story.client(by), self.label(delivery.msg));
                        self.on(who);
                        self.say.start(who).put(format_args!(" is done with {label} and answers."));
                    }
                    if answered {
                        continue;
                    }
                    (delivery, None)
                }
                Event::LeftOff { delivery, .. } => (delivery, None),
                Event::Confirmed { delivery, by } => {
                    let (who, label) = (self.story.client(by), self.label(delivery.msg));
                    self.on(who);
                    self.say.start(who).put(format_args!(
                        " knows that its answer to {label} is recorded: the double ack returns."
                    ));
                    continue;
                }
                _ => continue,
            };
            let Some(i) = self.story.find(delivery) else { continue };
            let life = &self.story.lives[i];
            let (who, label) = (self.story.client(life.to), self.label(delivery.msg));
            self.on(who);
            let done = life.work_end.is_some_and(|(t, end)| {
                end == WorkEnd::Done && t >= self.records[0].at && t <= record.at
            });
            match said {
                Some((reply, effect)) => self.answer(i, &label, done, reply, effect),
                None => {
                    let how = if done { "finishes" } else { "is through with" };
                    self.say.start(who).put(format_args!(" {how} {label} and sends no answer."));
                }
            }
            // What it takes up next belongs into the same breath.
            if let Some(place) = begun.iter().position(|(by, _)| *by == life.to) {
                let (_, next) = begun.remove(place);
                self.begins("It", next);
            }
        }
        for (by, i) in begun {
            let who = self.story.client(by);
            self.on(who);
            self.begins(who, i);
        }
    }

    fn begins(&mut self, who: &str, i: usize) {
        let life = &self.story.lives[i];
        let label = self.label(life.delivery.msg);
        let started = life.started.unwrap_or(life.sent);
        let waited = rounded(started.since(life.arrived.unwrap_or(life.sent)));
        self.say.start(who).put(format_args!(" begins {label}"));
        if waited > Dur::ZERO {
            self.say.put(format_args!(" after {waited} in its buffer"));
        }
        let settled =
            life.settled.or_else(|| self.current(i).settled).filter(|(at, ..)| *at <= self.at);
        let out = life.over.filter(|(at, over)| *over == Over::Expired && *at <= self.at);
        if let Some((at, _, _)) = settled {
            self.say.put(format_args!(", though it was settled at {}", moment(at)));
        } else if let Some((at, _)) = out {
            self.say
                .text(", though its stopwatch ")
                .state("again", "ran out")
                .put(format_args!(" at {}", moment(at)));
        }
        self.say.text(".");
    }

    /// The latest delivery of the same message by the end of this moment.
    fn current(&self, i: usize) -> &'a Life {
        let of = self.story.lives[i].delivery;
        let last =
            self.story.of(of.consumer, of.msg).rfind(|&j| self.story.lives[j].sent <= self.at);
        &self.story.lives[last.unwrap_or(i)]
    }

    /// One answer and what it does.
    fn answer(&mut self, i: usize, label: &str, done: bool, reply: Reply, effect: Option<Effect>) {
        let life = &self.story.lives[i];
        let who = self.story.client(life.to);
        let mut current = self.current(i);
        // What a nak brings out again in this very moment is not what it found.
        if effect == Some(Effect::Queued)
            && current.cause == Cause::Nak
            && current.sent >= self.records[0].at
            && let Some(before) = current.previous
        {
            current = &self.story.lives[before as usize];
        }
        let elsewhere = current.delivery.attempt != life.delivery.attempt;
        let say = self.say.start(who);
        if done {
            say.put(format_args!(" finishes {label} and "));
        } else {
            say.text(" ");
        }
        let what = if done { "it" } else { label };
        match reply {
            Reply::Ack => say.state("acked", "acks").put(format_args!(" {what}")),
            Reply::Nak | Reply::NakDelay(_) => {
                say.state("again", "gives back").put(format_args!(" {what} (nak)"))
            }
            Reply::Term => say.state("dead", "terms").put(format_args!(" {what}")),
            Reply::InProgress => {
                say.state("inflight", "says in progress").put(format_args!(" on {what}"))
            }
            Reply::Unknown => {
                say.put(format_args!("answers {what} with something the server does not know"))
            }
        };
        let Some(effect) = effect else {
            say.text(", but the answer is ").state("lost", "lost").text(" on its way.");
            return;
        };
        let holder = self.story.client(current.to);
        match effect {
            Effect::Nothing => match (reply, current.settled) {
                (_, Some((at, ..))) if at < self.at && current.settled.is_some() => {
                    say.put(format_args!("; that changes nothing, it was settled at {}.", moment(at)))
                }
                (Reply::Ack | Reply::Term, None) if current.exhausted.is_some() => {
                    let at = moment(current.exhausted.unwrap_or(self.at));
                    say.put(format_args!("; it was given up at {at} already."))
                }
                _ => say.text("; that changes nothing."),
            },
            Effect::Settled if elsewhere => say.put(format_args!(
                ": that settles it, although {holder} holds it by now, as delivery {}.",
                current.delivery.attempt
            )),
            Effect::Settled => match (reply, current.over, current.watch.last()) {
                (Reply::Term, ..) => say.text(": it is never delivered again."),
                (_, Some((at, Over::Expired)), _) => say.put(format_args!(
                    ". Its stopwatch ran out at {}, but nobody has it yet: the late ack counts.",
                    moment(at)
                )),
                (_, _, Some(watch)) => {
                    say.put(format_args!(", {} before its stopwatch runs out.", rounded(watch.until.since(self.at))))
                }
                _ => say.text("."),
            },
            Effect::Queued if elsewhere => say.put(format_args!(
                ": an old delivery, but it takes {label} away from {holder}; it comes again at once."
            )),
            Effect::Queued => say.text(": it comes again at once."),
            Effect::DelayedUntil(until) => say.put(format_args!(": it comes again at {} at the earliest.", moment(until))),
            Effect::Extended(until) => match current.over {
                Some((_, Over::Expired)) => say.text(", but its stopwatch ran out before: it is delivered again all the same."),
                _ => say.put(format_args!(": its stopwatch starts afresh and runs until {}.", moment(until))),
            },
        };
    }

    /// Stopwatches and delays that end, as long as no new delivery follows in the same moment, and deliveries that are used up.
    fn expired(&mut self) {
        let waiting = |event: Event| match event {
            Event::Expired { delivery } => self.story.find(delivery).map(|i| (true, i)),
            Event::DelayOver { delivery } => self.story.find(delivery).map(|i| (false, i)),
            _ => None,
        };
        let waiting: Vec<(bool, usize)> = self
            .pick(waiting)
            .into_iter()
            .filter(|(_, i)| {
                let life = &self.story.lives[*i];
                life.next_sent.is_none_or(|at| at > self.at)
                    && life.exhausted.is_none_or(|at| at > self.at)
            })
            .collect();
        for (watch, lives) in grouped(&waiting) {
            let consumer = self.story.consumer(self.story.lives[lives[0]].delivery.consumer);
            self.on(consumer);
            let msgs: Vec<Msg> = lives.iter().map(|&i| self.story.lives[i].delivery.msg).collect();
            let names = self.names(&msgs);
            let one = msgs.len() == 1;
            let (thing, ends) = match (watch, one) {
                (true, true) => ("stopwatch", "runs out"),
                (true, false) => ("stopwatches", "run out"),
                (false, true) => ("delay", "is over"),
                (false, false) => ("delays", "are over"),
            };
            self.say
                .start("The ")
                .put(format_args!("{thing} of {names} "))
                .state("again", ends)
                .text(". ");
            let used_up = lives.iter().all(|&i| self.used_up(&self.story.lives[i]));
            let subject = if one { "It has" } else { "They have" };
            if used_up {
                self.say.put(format_args!(
                    "{subject} no delivery left, and the next request for work will find that out."
                ));
            } else {
                self.say.text(if one { "It waits" } else { "They wait" });
                self.say.text(" for a worker that asks.");
            }
        }
        let exhausted: Vec<((u32, bool), Msg)> = self.pick(|event| match event {
            Event::Exhausted { delivery, advised } => {
                Some(((delivery.attempt, advised), delivery.msg))
            }
            _ => None,
        });
        for ((attempts, advised), msgs) in grouped(&exhausted) {
            let names = self.names(&msgs);
            if let Some(i) = self
                .story
                .lives
                .iter()
                .position(|l| l.exhausted.is_some() && l.delivery.msg == msgs[0])
            {
                self.on(self.story.consumer(self.story.lives[i].delivery.consumer));
            }
            let times = if attempts == 1 {
                "one delivery".into()
            } else {
                format!("{attempts} deliveries")
            };
            let is = if msgs.len() == 1 { "is" } else { "are" };
            let stays = if msgs.len() == 1 { "It stays" } else { "They stay" };
            self.say
                .start("After ")
                .put(format_args!("{times} {names} {is} "))
                .state("dead", "given up")
                .put(format_args!(
                    ": max_deliver is reached. {stays} in the stream, and {}.",
                    if advised { "only an advisory tells" } else { "nothing tells" }
                ));
        }
    }

    fn used_up(&self, life: &Life) -> bool {
        self.config(life.delivery.consumer)
            .is_some_and(|c| c.max_deliver > 0 && i64::from(life.delivery.attempt) >= c.max_deliver)
    }

    fn arrived(&self) -> Vec<(ClientId, usize)> {
        self.pick(|event| match event {
            Event::Arrived { delivery, at } => self.story.find(delivery).map(|i| (at, i)),
            _ => None,
        })
    }

    fn arrivals(&mut self) {
        for (by, lives) in grouped(&self.arrived()) {
            let who = self.story.client(by);
            self.on(who);
            let (again, first): (Vec<usize>, Vec<usize>) =
                lives.iter().partition(|&&i| self.story.lives[i].again());
            let mut subject = who.to_owned();
            if let Some(place) = self.fresh.iter().position(|c| *c == by) {
                self.fresh.remove(place);
                subject.put(" starts, asks for work and");
            }
            if !first.is_empty() {
                self.gets(&subject, &first, false);
                subject = "It also".into();
            }
            if !again.is_empty() {
                self.gets(&subject, &again, true);
            }
        }
        let missed: Vec<(ClientId, usize)> = self.pick(|event| match event {
            Event::Missed { delivery, by } => self.story.find(delivery).map(|i| (by, i)),
            _ => None,
        });
        for (by, lives) in grouped(&missed) {
            let who = self.story.client(by);
            self.on(who);
            let msgs: Vec<Msg> = lives.iter().map(|&i| self.story.lives[i].delivery.msg).collect();
            let names = self.names(&msgs);
            let (goes, runs) = if msgs.len() == 1 {
                ("goes", "its stopwatch runs")
            } else {
                ("go", "their stopwatches run")
            };
            self.say
                .start("A delivery of ")
                .put(format_args!("{names} {goes} to {who}, whose connection is gone, and is "))
                .state("lost", "lost")
                .put(format_args!("; {runs} all the same."));
        }
    }

    /// A worker gets deliveries that are all first ones, or all repeats.
    fn gets(&mut self, subject: &str, lives: &[usize], again: bool) {
        let msgs: Vec<Msg> = lives.iter().map(|&i| self.story.lives[i].delivery.msg).collect();
        let names = self.names(&msgs);
        let of = |i: usize| &self.story.lives[i];
        let head = of(lives[0]);
        let say = self.say.start(subject).text(" ");
        if again {
            say.put(format_args!("gets {names} ")).state("again", "again");
        } else {
            say.state("inflight", "gets").put(format_args!(" {names}"));
        }
        let attempt = head.delivery.attempt;
        if lives.iter().all(|&i| of(i).delivery.attempt == attempt) && again {
            say.put(format_args!(", as delivery {attempt}"));
        }
        match (head.watch.first(), lives.len()) {
            (None, _) => say.text("; no answer is expected."),
            (Some(watch), 1) => {
                say.put(format_args!(": its stopwatch runs out at {}.", moment(watch.until)))
            }
            (Some(watch), n) => {
                let even = lives.iter().all(|&i| {
                    of(i).watch.first().is_some_and(|w| w.until.0.abs_diff(watch.until.0) < 20 * MS)
                });
                let all = if n == 2 { "both" } else { "all" };
                if even {
                    say.put(format_args!(
                        ": {all} their stopwatches run out at {}.",
                        moment(watch.until)
                    ))
                } else {
                    say.put(format_args!(
                        ": the first of their stopwatches runs out at {}.",
                        moment(watch.until)
                    ))
                }
            }
        };
        let begun = lives.iter().copied().find(|&i| of(i).started.is_some_and(|at| at <= self.at));
        let waiting =
            lives.iter().filter(|&&i| of(i).started.is_none_or(|at| at > self.at)).count();
        match begun {
            Some(i) if lives.len() > 1 => {
                let label = self.label(of(i).delivery.msg);
                self.say.start("It begins ").put(format_args!(
                    "{label}; {} in its buffer.",
                    if waiting == 1 {
                        "the other waits".into()
                    } else {
                        format!("the other {} wait", number(waiting as u64, false))
                    }
                ));
            }
            None if head.ahead > 0 => {
                let it = if lives.len() == 1 { "It is" } else { "They are" };
                self.say.start(it).put(format_args!(
                    " behind {} in its buffer.",
                    number(u64::from(head.ahead), false)
                ));
            }
            _ => {}
        }
        if again {
            self.causes(lives);
        }
    }

    /// Why these were delivered again: a sentence for each, one for all where the cause is the same.
    fn causes(&mut self, lives: &[usize]) {
        let reasons: Vec<(why::Why, usize)> =
            lives.iter().map(|&i| (why::of(self.story, i), i)).collect();
        let before = |i: usize| self.story.lives[i].previous.map(|p| &self.story.lives[p as usize]);
        let mut told = vec![false; reasons.len()];
        for from in 0..reasons.len() {
            if told[from] {
                continue;
            }
            let (reason, i) = &reasons[from];
            let holder = before(*i).map(|l| l.to);
            let alike: Vec<usize> = (from..reasons.len())
                .filter(|&j| {
                    !told[j]
                        && core::mem::discriminant(&reasons[j].0.kind)
                            == core::mem::discriminant(&reason.kind)
                        && before(reasons[j].1).map(|l| l.to) == holder
                })
                .collect();
            for &j in &alike {
                told[j] = true;
            }
            if alike.len() == 1 {
                if reasons.len() > 1 {
                    let label = self.story.trace.label(self.story.lives[*i].delivery.msg);
                    self.say.start(&label).text(": ").text(&reason.sentence);
                } else {
                    self.say.start(&reason.sentence);
                }
                continue;
            }
            let places = alike.iter().filter_map(|&j| match reasons[j].0.kind {
                Kind::AgedInBuffer { ahead, .. } => Some(ahead + 1),
                _ => None,
            });
            match (places.clone().min(), places.max(), before(*i)) {
                (Some(low), Some(high), Some(old)) => {
                    let out = moment(old.watch.last().map_or(self.at, |w| w.until));
                    self.say.start("They stood at places ").put(format_args!(
                        "{low} to {high} in the buffer of {}: by {out}, when their stopwatches of {} ran out, the work had not got so far.",
                        self.story.client(old.to),
                        old.wait()
                    ));
                }
                _ => {
                    let msgs: Vec<Msg> = alike
                        .iter()
                        .map(|&j| self.story.lives[reasons[j].1].delivery.msg)
                        .collect();
                    let head = self.story.trace.label(msgs[0]);
                    self.say.start(&head).text(": ").text(&reason.sentence);
                    let rest = self.names(&msgs[1..]);
                    self.say.put(format_args!(" The same goes for {rest}."));
                }
            }
        }
    }

    /// Workers that start and get nothing at once.
    fn idle_starts(&mut self) {
        for client in core::mem::take(&mut self.fresh) {
            let who = self.story.client(client);
            self.on(who);
            let consumer =
                self.story.trace.clients.get(usize::from(client.0)).and_then(|c| c.consumer);
            let locked = |life: &&Life| {
                Some(life.delivery.consumer) == consumer
                    && life.sent <= self.at
                    && !life.watch.is_empty()
                    && life.over.is_none_or(|(at, _)| at > self.at)
            };
            let locked: Vec<&Life> = self.story.lives.iter().filter(locked).collect();
            let msgs: Vec<Msg> = locked.iter().map(|life| life.delivery.msg).collect();
            let until = locked.iter().filter_map(|life| watch_at(life, self.at)).min().map(moment);
            let soon = |life: &Life| {
                life.to == client && life.sent >= self.at && life.sent.0 - self.at.0 <= GLUE
            };
            if self.story.lives.iter().any(soon) {
                self.say.start(who).text(" starts and asks for work.");
                continue;
            }
            let names = self.names(&msgs);
            let say = self.say.start(who).text(" starts, asks for work and waits");
            match until {
                Some(until) if msgs.len() == 1 => {
                    say.put(format_args!(": {names} is held by its stopwatch until {until}."))
                }
                Some(until) => say.put(format_args!(
                    ": {names} are held by their stopwatches, the first until {until}."
                )),
                None => say.text("."),
            };
        }
    }

    fn removed(&mut self) {
        let removed: Vec<(u8, (Removal, Msg, usize))> = self.pick(|event| match event {
            Event::Removed { msg, stream, why, .. } => {
                Some((why as u8, (why, msg, usize::from(stream.0))))
            }
            _ => None,
        });
        for (_, list) in grouped(&removed) {
            let (why, _, stream) = list[0];
            let msgs: Vec<Msg> = list.iter().map(|(_, msg, _)| *msg).collect();
            let names = self.names(&msgs);
            let stream = self.story.trace.streams.get(stream).map_or("", String::as_str);
            self.on(stream);
            let reason = match why {
                Removal::Settled => "it is settled",
                Removal::Limit => "the stream is full",
                Removal::SubjectLimit => "its subject is full",
                Removal::Age => "it is too old",
                Removal::Deleted => "it was deleted",
                Removal::Purged => "the stream was purged",
                Removal::NoInterest => "no consumer wants it any more",
            };
            self.say.start(stream).put(format_args!(" removes {names}: {reason}."));
        }
    }

    /// A flush or a request returns to whoever waits for it. Says whether it was one.
    fn returned(&mut self, step: u32, answer: u32) -> bool {
        let found = returns(self.story.trace, step, answer);
        if let Some((who, label, words)) = found {
            self.on(who);
            self.say.start(who).text(words).text(label);
            if !label.is_empty() {
                self.say.text(": its request returns.");
            }
        }
        found.is_some()
    }

    fn replies(&mut self) {
        for record in self.records {
            let Event::Replied { step, answer } = record.event else { continue };
            if !self.returned(step, answer) {
                self.on("server");
            }
            match self.story.trace.answers.get(answer as usize) {
                Some(CallAnswer::Consumer(info)) => {
                    self.say.start("Consumer info: ").put(format_args!(
                        "{} unprocessed, {} outstanding, {} redelivered, ack floor {}.",
                        info.num_pending,
                        info.num_ack_pending,
                        info.num_redelivered,
                        info.ack_floor.stream_seq
                    ));
                }
                Some(CallAnswer::Stream(info)) => {
                    self.say.start("Stream info: ").put(format_args!(
                        "{} messages, last sequence {}.",
                        info.messages, info.last_seq
                    ));
                }
                Some(CallAnswer::Failed(delivery_sim::check::ApiError {
                    err_code: code,
                    text,
                    ..
                })) => {
                    self.say
                        .start("The server refuses a call: ")
                        .put(format_args!("{text} ({code})."));
                }
                _ => {}
            }
        }
    }
}

/// When the stopwatch that runs at `t` would run out.
fn watch_at(life: &Life, t: Time) -> Option<Time> {
    life.watch.iter().rev().find(|watch| watch.from <= t).map(|watch| watch.until)
}

fn refusal(why: Refusal) -> &'static str {
    match why {
        Refusal::MaxMsgs => "it holds as many messages as it may",
        Refusal::MaxBytes => "it holds as many bytes as it may",
        Refusal::MaxMsgsPerSubject => "it holds as many messages of that subject as it may",
        Refusal::NoStream => "no stream takes the subject",
        Refusal::Disconnected => "the server is away",
        Refusal::Timeout => "no confirmation came in time, though it may be stored all the same",
        Refusal::BufferFull => "the client's buffer is full",
    }
}

/// Pairs by their first part, in the order of first appearance.
fn grouped<K: PartialEq + Copy, V: Clone>(pairs: &[(K, V)]) -> Vec<(K, Vec<V>)> {
    let mut groups: Vec<(K, Vec<V>)> = Vec::new();
    for (key, value) in pairs {
        match groups.iter_mut().find(|(other, _)| other == key) {
            Some((_, list)) => list.push(value.clone()),
            None => groups.push((*key, vec![value.clone()])),
        }
    }
    groups
}
