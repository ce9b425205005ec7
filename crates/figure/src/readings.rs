//! What the command line prints of a run at one moment, in its own words, and with every counter what makes it so just then.
//!
//! The counters are those that the simulated server reports. Names are only given where they account for the whole of a
//! counter, so that no sentence says more than the run shows.

use crate::names::{names, number};
use crate::story::{Life, Over, Story};
use crate::why::moment;
use delivery_sim::order::sorted;
use delivery_sim::scenario::{AckPolicy, ConsumerConfig, Op};
use delivery_sim::trace::{ClientKind, ConsumerId, Drop, Event, Msg, StreamId};
use delivery_sim::{Time, Trace};

/// What one command prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panel {
    /// The command, `nats consumer info ORDERS emails`; a subscriber of Core NATS has its client's calls.
    pub command: String,
    /// Its lines; none if there is nothing to tell of.
    pub lines: Vec<Line>,
    /// Why there are no lines; empty if there are.
    pub nothing: &'static str,
}

/// One line, and what makes it so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What is counted, in the words of the command: `Outstanding Acks`.
    pub name: &'static str,
    /// The value as it is printed: `1 out of maximum 1,000`.
    pub value: String,
    /// Why it is so at this moment, in one sentence or two.
    pub why: String,
}

/// Everything that can be asked of a run at `t`: consumers first, then streams, then subscribers of Core NATS.
pub fn readings(trace: &Trace, t: Time) -> Vec<Panel> {
    let story = Story::new(trace);
    let look = Look::new(&story, t);
    let mut panels = Vec::new();
    for (i, consumer) in trace.consumers.iter().enumerate() {
        let stream = &trace.streams[usize::from(consumer.stream.0)];
        let mut panel =
            Panel::new(join(&["nats consumer info ", stream, " ", &consumer.name]), &look);
        if panel.nothing.is_empty() {
            if look.consumers[i] {
                look.consumer(ConsumerId(i as u16), &mut panel.lines);
            } else {
                panel.nothing = "There is no such consumer at this moment.";
            }
        }
        panels.push(panel);
    }
    for (i, stream) in trace.streams.iter().enumerate() {
        let mut panel = Panel::new(join(&["nats stream info ", stream]), &look);
        if panel.nothing.is_empty() {
            look.stream(StreamId(i as u16), &mut panel.lines);
        }
        panels.push(panel);
    }
    for (i, client) in trace.clients.iter().enumerate() {
        if client.kind == ClientKind::Subscriber {
            let mut panel = Panel {
                command: join(&[client.name.as_str(), ": sub.Pending(), sub.Dropped()"]),
                lines: Vec::new(),
                nothing: "",
            };
            look.subscriber(i, &mut panel.lines);
            panels.push(panel);
        }
    }
    panels
}

impl Panel {
    fn new(command: String, look: &Look<'_>) -> Self {
        let nothing = if look.up { "" } else { "The server is down: nothing answers." };
        Self { command, lines: Vec::new(), nothing }
    }
}

/// A run as it stands at one moment.
struct Look<'a> {
    story: &'a Story<'a>,
    t: Time,
    up: bool,
    streams: Vec<Kept>,
    /// Whether each consumer exists.
    consumers: Vec<bool>,
    clients: Vec<Client>,
}

/// What a stream keeps.
#[derive(Clone, Default)]
struct Kept {
    messages: Vec<(u64, Msg, Time)>,
    last: (u64, Time),
}

/// What is known of a client.
#[derive(Clone, Default)]
struct Client {
    /// Messages that it asked for and has not been sent.
    asks: u32,
    /// Copies that wait for its handler.
    buffer: Vec<Msg>,
    /// Copies that it did not take because its buffer was full.
    dropped: Vec<Msg>,
}

impl<'a> Look<'a> {
    fn new(story: &'a Story<'a>, t: Time) -> Self {
        let trace = story.trace;
        let mut look = Self {
            story,
            t,
            up: true,
            streams: vec![Kept::default(); trace.streams.len()],
            consumers: vec![false; trace.consumers.len()],
            clients: vec![Client::default(); trace.clients.len()],
        };
        for record in &trace.records[..trace.happened(t)] {
            look.read(record.at, record.event);
        }
        look
    }

    fn read(&mut self, at: Time, event: Event) {
        match event {
            Event::Stored { msg, stream, seq } => {
                let kept = &mut self.streams[usize::from(stream.0)];
                kept.messages.push((seq, msg, at));
                kept.last = (seq, at);
            }
            Event::NotKept { stream, seq, .. } => {
                self.streams[usize::from(stream.0)].last = (seq, at);
            }
            Event::Removed { stream, seq, .. } => {
                self.streams[usize::from(stream.0)].messages.retain(|(other, ..)| *other != seq);
            }
            Event::ConsumerCreated { consumer } => self.consumers[usize::from(consumer.0)] = true,
            Event::ConsumerDeleted { consumer, .. } => {
                self.consumers[usize::from(consumer.0)] = false;
            }
            Event::ServerStopped => self.up = false,
            Event::ServerStarted => self.up = true,
            // The server knows of it when it has crossed the network.
            Event::Pulled { by, batch, .. }
                if at + self.story.trace.scenario.network_delay <= self.t =>
            {
                self.clients[usize::from(by.0)].asks += batch;
            }
            Event::PullEnded { by, missing, .. } => {
                let asks = &mut self.clients[usize::from(by.0)].asks;
                *asks = asks.saturating_sub(missing);
            }
            Event::Delivered { to, .. } => {
                let asks = &mut self.clients[usize::from(to.0)].asks;
                *asks = asks.saturating_sub(1);
            }
            Event::Received { msg, by, .. } => self.clients[usize::from(by.0)].buffer.push(msg),
            Event::HandlerStarted { msg, by } => {
                self.clients[usize::from(by.0)].buffer.retain(|other| *other != msg);
            }
            Event::Dropped { msg, by, why } => {
                let client = &mut self.clients[usize::from(by.0)];
                client.buffer.retain(|other| *other != msg);
                if why == Drop::BufferFull {
                    client.dropped.push(msg);
                }
            }
            Event::Crashed { client } | Event::Stopped { client } => {
                self.clients[usize::from(client.0)].asks = 0;
            }
            _ => {}
        }
    }

    fn names(&self, msgs: &[Msg]) -> String {
        names(self.story.trace, msgs)
    }

    /// Names that account for a counter; none if they do not.
    fn all(&self, msgs: &[Msg], count: u64) -> Option<String> {
        (msgs.len() as u64 == count).then(|| self.names(msgs))
    }

    /// The configuration of a consumer as it is by now.
    fn config(&self, consumer: ConsumerId) -> Option<&'a ConsumerConfig> {
        let (scenario, name) = (&self.story.trace.scenario, self.story.consumer(consumer));
        let changed = scenario.timeline.iter().rev().filter(|step| step.at <= self.t);
        let changed = changed.filter_map(|step| match &step.op {
            Op::CreateConsumer(create) => Some(&create.config),
            _ => None,
        });
        let first = scenario.consumers.iter().map(|consumer| &consumer.config);
        changed.chain(first).find(|config| config.durable_name == name)
    }

    fn consumer(&self, id: ConsumerId, lines: &mut Vec<Line>) {
        let trace = self.story.trace;
        let info = trace.consumer_info(id, self.t);
        let mut line = |name, value, why| lines.push(Line { name, value, why });
        let config = self.config(id);
        let lives: Vec<&Life> = self
            .story
            .lives
            .iter()
            .filter(|life| life.delivery.consumer == id && life.sent <= self.t)
            .collect();
        let out: Vec<&Life> = lives
            .iter()
            .copied()
            .filter(|life| !life.watch.is_empty() && life.leaves(Time::NEVER) > self.t)
            .collect();
        let known = out.len() as u64 == info.num_ack_pending;

        let delivered = info.delivered;
        line(
            "Last Delivered Message",
            pair(delivered),
            self.delivered(&lives, delivered.stream_seq),
        );
        let acks = config.is_none_or(|config| config.ack_policy != AckPolicy::None);
        let most = config.and_then(ConsumerConfig::effective_max_ack_pending);
        if acks {
            let floor = self.floor(&lives, &out, info.ack_floor.stream_seq, delivered.stream_seq);
            line("Acknowledgment Floor", pair(info.ack_floor), floor);
            let pending = info.num_ack_pending;
            let mut value = grouped(pending);
            if let Some(most) = most {
                value = join(&[&value, " out of maximum ", &grouped(most)]);
            }
            let mut why = match pending {
                0 => "No delivery waits for an answer.".into(),
                _ if known => self.outstanding(&out),
                _ => "So many deliveries have no answer yet.".into(),
            };
            if pending > 0 && most.is_some_and(|most| pending >= most) {
                why.push_str(" That is the maximum: nothing new goes out until one is answered.");
            }
            line("Outstanding Acks", value, why);
            line(
                "Redelivered Messages",
                grouped(info.num_redelivered),
                self.redelivered(&lives, info.num_redelivered),
            );
        }
        line(
            "Unprocessed Messages",
            grouped(info.num_pending),
            self.unprocessed(id, &lives, info.num_pending),
        );
        if config.is_none_or(|config| config.deliver_subject.is_empty()) {
            let most = match config.map_or(0, |config| config.max_waiting) {
                0 => 512,
                most => most,
            };
            let due = info.num_pending > 0 || out.iter().any(|life| self.waits(life));
            let value =
                join(&[&grouped(info.num_waiting), " of maximum ", &grouped(u64::from(most))]);
            line("Waiting Pulls", value, self.pulls(id, info.num_waiting, due));
        }
    }

    fn delivered(&self, lives: &[&Life], highest: u64) -> String {
        let Some(last) = lives.last() else { return "Nothing has been delivered yet.".into() };
        let of = last.delivery;
        let last = join(&[
            &self.names(&[of.msg]),
            ", to ",
            self.story.client(last.to),
            " at ",
            &moment(last.sent),
        ]);
        let again = lives.iter().filter(|life| life.again()).count() as u64;
        let mut out = number(lives.len() as u64, true);
        if lives.len() == 1 {
            out.push_str(" delivery so far: ");
        } else {
            out.push_str(" deliveries so far");
            if again > 0 {
                let what = if again == 1 { " of them a repeat" } else { " of them repeats" };
                out.push_str(&join(&[", ", &number(again, false), what]));
            }
            out.push_str("; the last was ");
        }
        out.push_str(&last);
        if of.seq != highest
            && let Some(life) = lives.iter().find(|life| life.delivery.seq == highest)
        {
            let name = self.names(&[life.delivery.msg]);
            out.push_str(&join(&[
                ". The stream sequence is that of ",
                &name,
                ", the newest one delivered",
            ]));
        }
        out.push('.');
        out
    }

    /// What keeps the floor where it is: the lowest message above it that is not settled.
    fn floor(&self, lives: &[&Life], out: &[&Life], floor: u64, highest: u64) -> String {
        if lives.is_empty() {
            return "Nothing has been delivered, so there is nothing to settle.".into();
        }
        let settled = |life: &Life| life.settled.is_some_and(|(at, ..)| at <= self.t);
        let given_up =
            |life: &Life| life.exhausted.is_some_and(|at| at <= self.t) && !settled(life);
        if floor >= highest {
            let lost = lives.iter().filter(|life| given_up(life));
            let lost = ordered(lost.map(|life| life.delivery.msg).collect());
            if lost.is_empty() {
                return "All that was delivered is settled.".into();
            }
            let was = if lost.len() == 1 { " was" } else { " were" };
            let ends = " given up and never settled; the floor passed when nothing else was out.";
            return join(&[&self.names(&lost), was, ends]);
        }
        let above = || lives.iter().filter(|life| life.delivery.seq > floor);
        let open = above().filter(|life| {
            given_up(life) || out.iter().any(|other| other.delivery == life.delivery)
        });
        let mut said = join(&["It stands at ", &grouped(floor)]);
        let Some(lowest) = open.min_by_key(|life| life.delivery.seq) else {
            said.push_str(": it moves with the next answer that settles a message.");
            return said;
        };
        said.push_str(" because ");
        said.push_str(&self.names(&[lowest.delivery.msg]));
        said.push_str(if given_up(lowest) {
            " was given up and never settled"
        } else {
            " has no answer yet"
        });
        let done = above().filter(|life| settled(life) && life.delivery.seq > lowest.delivery.seq);
        let done = ordered(done.map(|life| life.delivery.msg).collect());
        if !done.is_empty() {
            said.push_str(", although ");
            said.push_str(&self.names(&done));
            said.push_str(if done.len() == 1 {
                " above it is settled"
            } else {
                " above it are settled"
            });
        }
        said.push('.');
        said
    }

    /// What every delivery without an answer is doing.
    fn outstanding(&self, out: &[&Life]) -> String {
        let (mut running, mut waiting, mut delayed) = (Vec::new(), Vec::new(), Vec::new());
        let (mut first, mut comes) = ((Time::NEVER, Msg(0)), Time::NEVER);
        for life in out {
            let msg = life.delivery.msg;
            if !self.waits(life) {
                running.push(msg);
                let watch = life.watch.iter().rev().find(|watch| watch.from <= self.t);
                first = first.min((watch.map_or(Time::NEVER, |watch| watch.until), msg));
            } else if let Some(until) = life.delayed_until.filter(|until| *until > self.t) {
                delayed.push(msg);
                comes = comes.min(until);
            } else {
                waiting.push(msg);
            }
        }
        let mut said = String::new();
        if !running.is_empty() {
            let one = running.len() == 1;
            let who = if one { "it" } else { &self.names(&[first.1]) };
            let names = self.names(&ordered(running));
            let runs = if one { "; its stopwatch runs out at " } else { "; " };
            said = join(&[&names, if one { " is out" } else { " are out" }, runs]);
            if one {
                said.push_str(&moment(first.0));
            } else {
                said.push_str(&join(&[who, " is the first to run out, at ", &moment(first.0)]));
            }
            said.push_str(". ");
        }
        if !waiting.is_empty() {
            let waits = if waiting.len() == 1 { " waits" } else { " wait" };
            let names = self.names(&ordered(waiting));
            said.push_str(&join(&[&names, waits, " to be delivered again. "]));
        }
        if !delayed.is_empty() {
            let one = delayed.len() == 1;
            let what = if one {
                " was given back and comes"
            } else {
                " were given back, and the first comes"
            };
            let names = self.names(&ordered(delayed));
            said.push_str(&join(&[
                &names,
                what,
                " again at ",
                &moment(comes),
                " at the earliest. ",
            ]));
        }
        said.truncate(said.trim_end().len());
        said
    }

    /// Whether a delivery waits to be made again: its stopwatch ran out, or it was given back.
    fn waits(&self, life: &Life) -> bool {
        life.over.is_some_and(|(at, over)| {
            at <= self.t && matches!(over, Over::Expired | Over::Nak | Over::Delay)
        })
    }

    fn redelivered(&self, lives: &[&Life], count: u64) -> String {
        let again: Vec<&&Life> = lives.iter().filter(|life| life.again()).collect();
        if again.is_empty() && count == 0 {
            return "Nothing has been delivered a second time yet.".into();
        }
        // Of several repeats of a message the last one says how it stands.
        let last = |life: &Life| life.next_sent.is_none_or(|at| at > self.t);
        let settled = |life: &Life| life.settled.is_some_and(|(at, ..)| at <= self.t);
        let of = |done: bool| {
            let those = again.iter().filter(|life| last(life) && settled(life) == done);
            ordered(those.map(|life| life.delivery.msg).collect())
        };
        let (open, done) = (of(false), of(true));
        match self.all(&open, count) {
            Some(_) if count == 0 => {
                let was = if done.len() == 1 { " was" } else { " were" };
                let off = if done.len() == 1 { " and is settled" } else { " and are settled" };
                join(&[
                    &self.names(&done),
                    was,
                    " delivered again",
                    off,
                    ", which takes a message off this counter.",
                ])
            }
            Some(names) => {
                let one = open.len() == 1;
                let has = if one {
                    " has been delivered more than once and is"
                } else {
                    " have been delivered more than once and are"
                };
                join(&[&names, has, " not settled."])
            }
            None => "A message counts from its second delivery until it is settled.".into(),
        }
    }

    fn unprocessed(&self, id: ConsumerId, lives: &[&Life], count: u64) -> String {
        if count == 0 {
            return if lives.is_empty() {
                "The stream holds nothing for this consumer."
            } else {
                "All that the stream holds for it has been delivered at least once."
            }
            .into();
        }
        let stream = self.story.trace.consumers[usize::from(id.0)].stream;
        let sent = |msg: Msg| self.story.of(id, msg).any(|i| self.story.lives[i].sent <= self.t);
        let kept = self.streams[usize::from(stream.0)].messages.iter();
        let never: Vec<Msg> = kept.map(|(_, msg, _)| *msg).filter(|msg| !sent(*msg)).collect();
        let one =
            if count == 1 { " has never been delivered." } else { " have never been delivered." };
        match self.all(&never, count) {
            Some(names) => join(&[&names, one]),
            None => join(&[&number(count, true), " of the messages that it wants", one]),
        }
    }

    fn pulls(&self, id: ConsumerId, count: u64, due: bool) -> String {
        if count == 0 {
            return if due {
                "Nobody asks for messages, so what is due stays where it is."
            } else {
                "Nobody asks for messages."
            }
            .into();
        }
        let clients = self.story.trace.clients.iter().zip(&self.clients);
        let of_it = |client: &delivery_sim::trace::Client| client.consumer == Some(id);
        let asking: Vec<(&str, u32)> = clients
            .filter(|(client, now)| of_it(client) && now.asks > 0)
            .map(|(client, now)| (client.name.as_str(), now.asks))
            .collect();
        if asking.len() as u64 != count || count > 3 {
            let wait = if count == 1 {
                " request waits for messages."
            } else {
                " requests wait for messages."
            };
            return join(&[&number(count, true), wait]);
        }
        let mut said = String::new();
        for (i, (name, asks)) in asking.iter().enumerate() {
            said.push_str(match i {
                0 => "",
                _ if i + 1 == asking.len() => " and ",
                _ => ", ",
            });
            said.push_str(name);
            said.push_str(" waits for ");
            said.push_str(&number(u64::from(*asks), false));
            said.push_str(match (i, asks) {
                (0, 1) => " message",
                (0, _) => " messages",
                _ => "",
            });
        }
        said.push('.');
        said
    }

    fn stream(&self, id: StreamId, lines: &mut Vec<Line>) {
        let Kept { messages, last } = &self.streams[usize::from(id.0)];
        let mut line = |name, value, why| lines.push(Line { name, value, why });
        let at = |seq: u64, at: Time| join(&[&grouped(seq), " @ ", &moment(at)]);
        let count = messages.len() as u64;
        let kept: Vec<Msg> = messages.iter().map(|(_, msg, _)| *msg).collect();
        let gone = last.0.saturating_sub(count);
        let is = if count == 1 { " is kept" } else { " are kept" };
        let mut why = match count {
            0 => "Nothing is kept".into(),
            _ => join(&[&self.names(&kept), is]),
        };
        if gone > 0 {
            let more = if count > 0 { "; " } else { ": " };
            let left = if gone == 1 { " message has left it" } else { " messages have left it" };
            why = join(&[&why, more, &number(gone, false), left]);
        }
        why.push('.');
        line("Messages", grouped(count), why);
        let (first, why) = match messages.first() {
            Some((seq, msg, stored)) => {
                (at(*seq, *stored), join(&[&self.names(&[*msg]), " is the oldest that is kept."]))
            }
            None => (grouped(last.0 + 1), "The next message gets this number.".into()),
        };
        line("First Sequence", first, why);
        let why = match messages.last() {
            Some((seq, msg, _)) if *seq == last.0 => join(&[&self.names(&[*msg]), " came last."]),
            _ if last.0 == 0 => "No message has come yet.".into(),
            _ => "The message that came last is no longer kept.".into(),
        };
        let value = if last.0 == 0 { grouped(0) } else { at(last.0, last.1) };
        line("Last Sequence", value, why);
    }

    fn subscriber(&self, place: usize, lines: &mut Vec<Line>) {
        let Client { buffer, dropped, .. } = &self.clients[place];
        let why = match buffer.len() {
            0 => "Nothing waits for its handler.".into(),
            1 => join(&[&self.names(buffer), " waits for its handler."]),
            _ => join(&[&self.names(buffer), " wait for its handler."]),
        };
        let count = |list: &[Msg]| grouped(list.len() as u64);
        lines.push(Line { name: "Pending", value: count(buffer), why });
        let why = match dropped.len() {
            0 => "Its buffer has always had room.".into(),
            n => {
                let found = if n == 1 { " found" } else { " each found" };
                join(&[&self.names(dropped), found, " its buffer full."])
            }
        };
        lines.push(Line { name: "Dropped", value: count(dropped), why });
    }
}

/// Messages in the order in which they were published.
fn ordered(msgs: Vec<Msg>) -> Vec<Msg> {
    let mut msgs = sorted(msgs, Ord::cmp);
    msgs.dedup();
    msgs
}

/// Texts in one. A function of its own, so that it is in the browser's program once.
fn join(parts: &[&str]) -> String {
    parts.concat()
}

fn pair(of: delivery_sim::info::SeqPair) -> String {
    let (consumer, stream) = (grouped(of.consumer_seq), grouped(of.stream_seq));
    join(&["Consumer sequence: ", &consumer, " Stream sequence: ", &stream])
}

/// A number as the command line writes it, with a comma at every thousand.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use delivery_sim::Scenario;

    fn run(toml: &str) -> Trace {
        let scenario: Scenario = toml::from_str(toml).unwrap();
        delivery_sim::run(&scenario).unwrap()
    }

    /// The line of a name in the panel whose command ends with `of`.
    fn line(trace: &Trace, ms: u64, of: &str, name: &str) -> Line {
        let panels = readings(trace, Time::ms(ms));
        let panel = panels.iter().find(|panel| panel.command.ends_with(of)).unwrap();
        panel
            .lines
            .iter()
            .find(|line| line.name == name)
            .unwrap_or_else(|| panic!("{name} is not in {panel:?}"))
            .clone()
    }

    /// What three runs of a worker make of two orders: two die, the third gets order-1 again.
    const CRASH: &str = r#"
        end = "20s"
        streams = [{ name = "ORDERS", subjects = ["orders.>"] }]
        consumers = [{ stream = "ORDERS", config = { durable_name = "emails", ack_wait = "5s", max_ack_pending = 2 } }]
        [[workers]]
        name = "run 1"
        expires = "30s"
        behaviour = [{ steps = [{ after = "600ms", do = "crash" }] }]
        [[workers]]
        name = "run 2"
        start = "1s"
        expires = "30s"
        behaviour = [{ steps = [{ after = "600ms", do = "crash" }] }]
        [[workers]]
        name = "run 3"
        start = "8s"
        expires = "30s"
        service_time = "1400ms"
        [[timeline]]
        at = "0s"
        op.publish = { subject = "orders.new", data = "order-{i}", count = 3 }
    "#;

    #[test]
    fn a_crash_is_read_as_it_goes() {
        let trace = run(CRASH);
        const EMAILS: &str = "ORDERS emails";
        for (ms, name, value, why) in [
            (
                0,
                "Last Delivered Message",
                "Consumer sequence: 0 Stream sequence: 0",
                "Nothing has been delivered yet.",
            ),
            (
                100,
                "Last Delivered Message",
                "Consumer sequence: 1 Stream sequence: 1",
                "One delivery so far: order-1, to run 1 at T+0.0 s.",
            ),
            (
                8_100,
                "Last Delivered Message",
                "Consumer sequence: 3 Stream sequence: 2",
                "Three deliveries so far, one of them a repeat; the last was order-1, to run 3 at T+8.0 s. \
                 The stream sequence is that of order-2, the newest one delivered.",
            ),
            (
                0,
                "Acknowledgment Floor",
                "Consumer sequence: 0 Stream sequence: 0",
                "Nothing has been delivered, so there is nothing to settle.",
            ),
            (
                100,
                "Acknowledgment Floor",
                "Consumer sequence: 0 Stream sequence: 0",
                "It stands at 0 because order-1 has no answer yet.",
            ),
            (
                9_600,
                "Acknowledgment Floor",
                "Consumer sequence: 1 Stream sequence: 1",
                "It stands at 1 because order-2 has no answer yet.",
            ),
            (
                13_000,
                "Acknowledgment Floor",
                "Consumer sequence: 5 Stream sequence: 3",
                "All that was delivered is settled.",
            ),
            (0, "Outstanding Acks", "0 out of maximum 2", "No delivery waits for an answer."),
            (
                700,
                "Outstanding Acks",
                "1 out of maximum 2",
                "order-1 is out; its stopwatch runs out at T+5.0 s.",
            ),
            (
                1_200,
                "Outstanding Acks",
                "2 out of maximum 2",
                "order-1 and order-2 are out; order-1 is the first to run out, at T+5.0 s. \
                 That is the maximum: nothing new goes out until one is answered.",
            ),
            (
                5_500,
                "Outstanding Acks",
                "2 out of maximum 2",
                "order-2 is out; its stopwatch runs out at T+6.0 s. order-1 waits to be delivered again. \
                 That is the maximum: nothing new goes out until one is answered.",
            ),
            (100, "Redelivered Messages", "0", "Nothing has been delivered a second time yet."),
            (
                8_100,
                "Redelivered Messages",
                "1",
                "order-1 has been delivered more than once and is not settled.",
            ),
            (
                13_000,
                "Redelivered Messages",
                "0",
                "order-1 and order-2 were delivered again and are settled, which takes a message off this counter.",
            ),
            (100, "Unprocessed Messages", "2", "order-2 and order-3 have never been delivered."),
            (1_200, "Unprocessed Messages", "1", "order-3 has never been delivered."),
            (
                13_000,
                "Unprocessed Messages",
                "0",
                "All that the stream holds for it has been delivered at least once.",
            ),
            (
                100,
                "Waiting Pulls",
                "0 of maximum 512",
                "Nobody asks for messages, so what is due stays where it is.",
            ),
            (11_100, "Waiting Pulls", "0 of maximum 512", "Nobody asks for messages."),
            (13_000, "Waiting Pulls", "1 of maximum 512", "run 3 waits for one message."),
        ] {
            let expected = Line { name, value: value.into(), why: why.into() };
            assert_eq!(line(&trace, ms, EMAILS, name), expected, "at {ms} ms");
        }
        for (ms, name, value, why) in [
            (100, "Messages", "3", "order-1 to order-3 are kept."),
            (100, "First Sequence", "1 @ T+0.0 s", "order-1 is the oldest that is kept."),
            (100, "Last Sequence", "3 @ T+0.0 s", "order-3 came last."),
        ] {
            let expected = Line { name, value: value.into(), why: why.into() };
            assert_eq!(line(&trace, ms, "info ORDERS", name), expected, "at {ms} ms");
        }
    }

    #[test]
    fn what_is_out_is_named_by_what_it_does() {
        let trace = run(r#"
            end = "20s"
            streams = [{ name = "JOBS", subjects = ["jobs"], retention = "workqueue" }]
            [[consumers]]
            stream = "JOBS"
            config = { durable_name = "w", ack_wait = "2s", max_deliver = 2 }
            [[workers]]
            name = "A"
            batch = 5
            expires = "60s"
            behaviour = [
              { match = { data = "job-1" }, steps = [{ after = "10ms", do = "none" }] },
              { match = { data = "job-2", attempt = [1] }, steps = [{ after = "10ms", do = "nak", delay = "10s" }] },
            ]
            service_time = "20ms"
            [[timeline]]
            at = "0s"
            op.publish = { subject = "jobs", data = "job-{i}", count = 4 }
        "#);
        for (ms, of, name, value, why) in [
            (
                1_000,
                "JOBS w",
                "Outstanding Acks",
                "2 out of maximum 1,000",
                "job-1 is out; its stopwatch runs out at T+2.0 s. \
                 job-2 was given back and comes again at T+10.02 s at the earliest.",
            ),
            (
                1_000,
                "JOBS w",
                "Acknowledgment Floor",
                "Consumer sequence: 0 Stream sequence: 0",
                "It stands at 0 because job-1 has no answer yet, although job-3 and job-4 above it are settled.",
            ),
            (
                6_000,
                "JOBS w",
                "Acknowledgment Floor",
                "Consumer sequence: 0 Stream sequence: 0",
                "It stands at 0 because job-1 was given up and never settled, although job-3 and job-4 above it are settled.",
            ),
            (
                19_000,
                "JOBS w",
                "Acknowledgment Floor",
                "Consumer sequence: 6 Stream sequence: 4",
                "job-1 was given up and never settled; the floor passed when nothing else was out.",
            ),
            (
                1_000,
                "info JOBS",
                "Messages",
                "2",
                "job-1 and job-2 are kept; two messages have left it.",
            ),
            (
                1_000,
                "info JOBS",
                "Last Sequence",
                "4 @ T+0.0 s",
                "The message that came last is no longer kept.",
            ),
            (19_000, "info JOBS", "Messages", "1", "job-1 is kept; three messages have left it."),
            (
                19_000,
                "info JOBS",
                "First Sequence",
                "1 @ T+0.0 s",
                "job-1 is the oldest that is kept.",
            ),
        ] {
            let expected = Line { name, value: value.into(), why: why.into() };
            assert_eq!(line(&trace, ms, of, name), expected, "at {ms} ms");
        }
    }

    #[test]
    fn where_no_answer_is_expected_no_line_counts_them() {
        let trace = run(r#"
            end = "2s"
            streams = [{ name = "LOG", subjects = ["log"] }]
            consumers = [{ stream = "LOG", config = { durable_name = "w", ack_policy = "none" } }]
            workers = [{ name = "A", expires = "60s" }]
            timeline = [{ at = "1s", op.publish = { subject = "log", data = "line-{i}" } }]
        "#);
        let panels = readings(&trace, Time::ms(1_500));
        let names: Vec<&str> = panels[0].lines.iter().map(|line| line.name).collect();
        assert_eq!(names, ["Last Delivered Message", "Unprocessed Messages", "Waiting Pulls"]);
    }

    #[test]
    fn a_server_that_is_down_and_a_consumer_that_is_not_there_say_so() {
        let trace = run(r#"
            end = "9s"
            streams = [{ name = "LOG", subjects = ["log"] }]
            [[timeline]]
            at = "1s"
            op.create_consumer = { stream = "LOG", config = { durable_name = "w", max_ack_pending = -1 } }
            [[timeline]]
            at = "3s"
            op = "server_stop"
            [[timeline]]
            at = "5s"
            op = "server_start"
            [[timeline]]
            at = "7s"
            op.delete_consumer = { stream = "LOG", consumer = "w" }
        "#);
        for (ms, lines, nothing) in [
            (500, 0, "There is no such consumer at this moment."),
            (2_000, 6, ""),
            (4_000, 0, "The server is down: nothing answers."),
            (6_000, 6, ""),
            (8_000, 0, "There is no such consumer at this moment."),
        ] {
            let panel = readings(&trace, Time::ms(ms)).swap_remove(0);
            assert_eq!((panel.lines.len(), panel.nothing), (lines, nothing), "at {ms} ms");
        }
        assert_eq!(line(&trace, 2_000, "LOG w", "Outstanding Acks").value, "0");
    }

    #[test]
    fn subscribers_of_core_nats_have_a_buffer() {
        let trace = run(r#"
            end = "2s"
            subscribers = [{ name = "S", subject = "ticks", pending_msgs_limit = 3, service_time = "500ms" }]
            timeline = [{ at = "10ms", op.publish = { subject = "ticks", data = "tick-{i}", count = 6, via = "core" } }]
        "#);
        for (ms, name, value, why) in [
            (5, "Pending", "0", "Nothing waits for its handler."),
            (5, "Dropped", "0", "Its buffer has always had room."),
            (300, "Pending", "2", "tick-2 and tick-3 wait for its handler."),
            (300, "Dropped", "3", "tick-4 to tick-6 each found its buffer full."),
            (700, "Pending", "1", "tick-3 waits for its handler."),
        ] {
            let expected = Line { name, value: value.into(), why: why.into() };
            assert_eq!(line(&trace, ms, "Dropped()", name), expected, "at {ms} ms");
        }
    }

    #[test]
    fn numbers_have_commas_as_the_command_line_writes_them() {
        for (n, said) in
            [(0, "0"), (512, "512"), (1_000, "1,000"), (65_536, "65,536"), (1_234_567, "1,234,567")]
        {
            assert_eq!(grouped(n), said);
        }
    }
}
