//! What the command line prints of a run at one moment, in its own words, and with every counter what makes it so just then.
//!
//! The counters are those that the simulated server reports. Names are only given where they account for the whole of a
//! counter, so that no sentence says more than the run shows.

use crate::names::{names, number};
use crate::put::Put as _;
use crate::story::{Life, Lives, Over, Said, Story};
use crate::why::moment;
use delivery_sim::order::sorted;
use delivery_sim::scenario::{AckPolicy, ConsumerConfig, DeliverPolicy, Op};
use delivery_sim::subject::matches;
use delivery_sim::trace::{ClientKind, ConsumerId, Drop, Event, Msg, Reply, StreamId};
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
    of(&Story::new(trace, &Lives::new(trace)), t)
}

/// The same, of a run that was read.
pub(crate) fn of(story: &Story<'_>, t: Time) -> Vec<Panel> {
    let trace = story.trace;
    let look = Look::new(story, t);
    let mut panels = Vec::new();
    for (i, consumer) in trace.consumers.iter().enumerate() {
        let stream = &trace.streams[usize::from(consumer.stream.0)];
        let mut panel =
            Panel::new(fill("nats consumer info % %", true, &[stream, &consumer.name]), &look);
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
        let mut panel = Panel::new(fill("nats stream info %", true, &[stream]), &look);
        if panel.nothing.is_empty() {
            look.stream(StreamId(i as u16), &mut panel.lines);
        }
        panels.push(panel);
    }
    for (i, client) in trace.clients.iter().enumerate() {
        if client.kind == ClientKind::Subscriber {
            let mut panel = Panel {
                command: fill("%: sub.Pending(), sub.Dropped()", true, &[&client.name]),
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

    /// A text about these messages: `%` is their names, and of `[one|many]` that stands which fits.
    fn of(&self, form: &str, msgs: &[Msg]) -> String {
        fill(form, msgs.len() == 1, &[&self.names(msgs)])
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
                value = fill("% out of maximum %", true, &[&value, &grouped(most)]);
            }
            let mut why = match pending {
                0 => "No delivery waits for an answer.".into(),
                _ if known => self.outstanding(&out),
                _ => "So many deliveries have no answer yet.".into(),
            };
            if pending > 0 && most.is_some_and(|most| pending >= most) {
                why.put(" That is the maximum: nothing new goes out until one is answered.");
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
            let value = fill(
                "% of maximum %",
                true,
                &[&grouped(info.num_waiting), &grouped(u64::from(most))],
            );
            line("Waiting Pulls", value, self.pulls(id, info.num_waiting, due));
        }
    }

    fn delivered(&self, lives: &[&Life], highest: u64) -> String {
        let Some(last) = lives.last() else { return "Nothing has been delivered yet.".into() };
        let of = last.delivery;
        let again = lives.iter().filter(|life| life.again()).count();
        let one = lives.len() == 1;
        let mut out = fill("% deliver[y|ies] so far", one, &[&number(lives.len() as u64, true)]);
        if again > 0 {
            out += &fill(
                ", % of them [a repeat|repeats]",
                again == 1,
                &[&number(again as u64, false)],
            );
        }
        out += &fill(
            "[: |; the last was ]%, to % at %.",
            one,
            &[&self.names(&[of.msg]), self.story.client(last.to), &moment(last.sent)],
        );
        if of.seq != highest
            && let Some(life) = lives.iter().find(|life| life.delivery.seq == highest)
        {
            let name = self.names(&[life.delivery.msg]);
            out += &fill(
                " The stream sequence is that of %, the newest one delivered.",
                true,
                &[&name],
            );
        }
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
            return self.of(
                "% [was|were] given up and never settled; the floor passed when nothing else was out.",
                &lost,
            );
        }
        let (mut lowest, mut done): (Option<&Life>, _) = (None, Vec::new());
        for life in lives.iter().copied().filter(|life| life.delivery.seq > floor) {
            let open = given_up(life) || out.iter().any(|other| other.delivery == life.delivery);
            if settled(life) {
                done.push(life.delivery.msg);
            } else if open && lowest.is_none_or(|low| life.delivery.seq < low.delivery.seq) {
                lowest = Some(life);
            }
        }
        let stands = grouped(floor);
        let Some(lowest) = lowest else {
            return fill(
                "It stands at % and moves with the next answer in line.",
                true,
                &[&stands],
            );
        };
        let name = self.names(&[lowest.delivery.msg]);
        let why = "It stands at % because % [was given up and never settled|has no answer yet]";
        let mut said = fill(why, given_up(lowest), &[&stands, &name]);
        if !done.is_empty() {
            said += &self.of(", although % above it [is|are] settled", &ordered(done));
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
        let (running, delayed) = (ordered(running), ordered(delayed));
        if !running.is_empty() {
            said += &self.of("% [is|are] out; ", &running);
            let name = self.names(&[first.1]);
            let out = moment(first.0);
            said += &if running.len() == 1 {
                fill("its stopwatch runs out at %. ", true, &[&out])
            } else {
                fill("% is the first to run out, at %. ", true, &[&name, &out])
            };
        }
        if !waiting.is_empty() {
            said += &self.of("% wait[s|] to be delivered again. ", &ordered(waiting));
        }
        if !delayed.is_empty() {
            said += &self.of("% [was given back and|were given back, and the first] ", &delayed);
            said += &fill("comes again at % at the earliest. ", true, &[&moment(comes)]);
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
        let (mut open, mut done) = (Vec::new(), Vec::new());
        for life in lives.iter().filter(|life| life.again()) {
            // Of several repeats of a message the last one says how it stands.
            if life.next_sent.is_none_or(|at| at > self.t) {
                let settled = life.settled.is_some_and(|(at, ..)| at <= self.t);
                if settled { &mut done } else { &mut open }.push(life.delivery.msg);
            }
        }
        if open.len() as u64 != count {
            // What left its stream counts as settled (R25; what was given up before, from 2.14 on, R94), and what is
            // acknowledged after it was given up (R93).
            let ends = |reply: Reply| matches!(reply, Reply::Ack | Reply::Term);
            for msg in std::mem::take(&mut open) {
                let kept =
                    |stream: &Kept| stream.messages.iter().any(|(_, other, _)| *other == msg);
                let answered = lives.iter().filter(|life| life.delivery.msg == msg).any(|life| {
                    let by_now = |said: &Said| said.recorded.is_some_and(|(at, _)| at <= self.t);
                    life.answers.iter().any(|said| ends(said.reply) && by_now(said))
                });
                let stays = self.streams.iter().any(kept) && !answered;
                if stays { &mut open } else { &mut done }.push(msg);
            }
        }
        let (open, done) = (ordered(open), ordered(done));
        if (open.len() as u64) < count {
            // R36.
            "An attempt to send a message again counts even if its worker was gone.".into()
        } else if open.len() as u64 != count {
            "A message counts from its second delivery until it is settled.".into()
        } else if count > 0 {
            self.of("% [has|have] been delivered more than once and [is|are] not settled.", &open)
        } else if done.is_empty() {
            "Nothing has been delivered a second time yet.".into()
        } else {
            self.of(
                "% [was|were] delivered again and [is|are] settled, which takes a message off this counter.",
                &done,
            )
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
        let mut never: Vec<Msg> = kept.map(|(_, msg, _)| *msg).filter(|msg| !sent(*msg)).collect();
        // What lies before the start of a consumer that sees all of its stream is none of its business.
        let config = self.story.trace.scenario.consumers.get(usize::from(id.0)).map(|c| &c.config);
        if let Some(before) = never.len().checked_sub(count as usize)
            && config.is_some_and(|config| {
                let filters = &config.filter_subjects;
                let sees = |msg: &Msg| {
                    let subject = self.story.trace.subject(*msg);
                    filters.is_empty() || filters.iter().any(|filter| matches(filter, &subject))
                };
                config.deliver_policy != DeliverPolicy::LastPerSubject && never.iter().all(sees)
            })
        {
            never.drain(..before);
        }
        if never.len() as u64 == count {
            self.of("% [has|have] never been delivered.", &never)
        } else {
            fill(
                "% of the messages that it wants [has|have] never been delivered.",
                count == 1,
                &[&number(count, true)],
            )
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
        let (mut said, mut asking) = (String::new(), 0_u64);
        for (client, now) in self.story.trace.clients.iter().zip(&self.clients) {
            if client.consumer == Some(id) && now.asks > 0 {
                asking += 1;
                let form = "[|; ]% waits for %";
                let asks = number(u64::from(now.asks), false);
                said += &fill(form, asking == 1, &[&client.name, &asks]);
                said += &fill(" message[|s]", now.asks == 1, &[]);
            }
        }
        if count < 4 {
            if asking < count {
                let form = "[|; ]a worker that is gone left a request behind";
                said += &fill(form, asking == 0, &[]);
            }
            said.push('.');
            return said;
        }
        let form = if asking == count {
            "% workers wait for messages."
        } else {
            "% requests wait for messages."
        };
        fill(form, false, &[&number(count, true)])
    }

    fn stream(&self, id: StreamId, lines: &mut Vec<Line>) {
        let Kept { messages, last } = &self.streams[usize::from(id.0)];
        let mut line = |name, value, why| lines.push(Line { name, value, why });
        let at = |seq: u64, at: Time| fill("% @ %", true, &[&grouped(seq), &moment(at)]);
        let count = messages.len() as u64;
        let kept: Vec<Msg> = messages.iter().map(|(_, msg, _)| *msg).collect();
        let gone = last.0.saturating_sub(count);
        let mut why = match count {
            0 => "Nothing is kept".into(),
            _ => self.of("% [is|are] kept", &kept),
        };
        if gone > 0 {
            why += &fill("; % message[ has|s have] left it", gone == 1, &[&number(gone, false)]);
        }
        why.push('.');
        line("Messages", grouped(count), why);
        let (first, why) = match messages.first() {
            Some((seq, msg, stored)) => {
                (at(*seq, *stored), self.of("% is the oldest that is kept.", &[*msg]))
            }
            None => (grouped(last.0 + 1), "The next message gets this number.".into()),
        };
        line("First Sequence", first, why);
        let why = match messages.last() {
            Some((seq, msg, _)) if *seq == last.0 => self.of("% came last.", &[*msg]),
            _ if last.0 == 0 => "No message has come yet.".into(),
            _ => "The message that came last is no longer kept.".into(),
        };
        let value = if last.0 == 0 { grouped(0) } else { at(last.0, last.1) };
        line("Last Sequence", value, why);
    }

    fn subscriber(&self, place: usize, lines: &mut Vec<Line>) {
        let Client { buffer, dropped, .. } = &self.clients[place];
        for (name, msgs, some, none) in [
            ("Pending", buffer, "% wait[s|] for its handler.", "Nothing waits for its handler."),
            (
                "Dropped",
                dropped,
                "% [|each ]found its buffer full.",
                "Its buffer has always had room.",
            ),
        ] {
            let why = if msgs.is_empty() { none.into() } else { self.of(some, msgs) };
            lines.push(Line { name, value: grouped(msgs.len() as u64), why });
        }
    }
}

/// Messages in the order in which they were published.
fn ordered(msgs: Vec<Msg>) -> Vec<Msg> {
    let mut msgs = sorted(msgs, Ord::cmp);
    msgs.dedup();
    msgs
}

/// A text made of `form`: each `%` is the next of `parts`, and of `[one|many]` that stands which fits.
///
/// One small function and many texts take less of the browser's program than every text built by its own code.
fn fill(form: &str, one: bool, parts: &[&str]) -> String {
    let (mut out, mut parts, mut skip) = (String::new(), parts.iter(), false);
    for c in form.chars() {
        match c {
            '[' => skip = !one,
            '|' => skip = one,
            ']' => skip = false,
            _ if skip => {}
            '%' => out.put(parts.next().copied().unwrap_or_default()),
            _ => out.push(c),
        }
    }
    out
}

fn pair(of: delivery_sim::info::SeqPair) -> String {
    let (consumer, stream) = (grouped(of.consumer_seq), grouped(of.stream_seq));
    fill("Consumer sequence: % Stream sequence: %", true, &[&consumer, &stream])
}

/// A number as the command line writes it, with a comma at every thousand.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
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
