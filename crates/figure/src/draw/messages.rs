//! Messages on their way from publishers to streams or to the server, and those that wait in their client's buffer before.

use super::*;
use crate::lanes::unsent;
use crate::ways::{self, Fate, Sent};
use delivery_sim::trace::{Message, Refusal};

impl Artist<'_> {
    /// Messages from their publishers to the streams, or into nothing.
    pub(super) fn sent(&mut self, nums: &[String]) {
        let mut groups: Vec<Burst> = Vec::new();
        for (i, sent) in self.ways.sent.iter().enumerate() {
            // On its way at the end: what became of it is not known.
            if sent.fate == Fate::Open && unsent(sent, self.axis).is_none() {
                continue;
            }
            if !self.shown(sent.span(self.axis.end)) {
                continue;
            }
            let Some(lane) = self.lanes.place(sent.by) else { continue };
            let along = self.axis.along(sent.at) + self.late(sent.msg);
            let waits = unsent(sent, self.axis).is_some();
            let open = groups.iter_mut().rfind(|g| (g.lane, g.fate) == (lane, sent.fate));
            match open {
                Some(group) if !waits && !group.waits && along < group.until(nums, self.wide()) => {
                    group.msgs.push(sent.msg);
                    group.last = along;
                }
                _ => groups.push(Burst {
                    lane,
                    fate: sent.fate,
                    from: along,
                    last: along,
                    msgs: vec![sent.msg],
                    waits,
                    first: i,
                }),
            }
        }
        for group in &groups {
            self.burst(group, nums);
        }
        self.advised(nums);
    }

    /// How much later than it happens something is drawn, so that the steps that a dead letter takes in no time lie side by side.
    pub(super) fn late(&self, msg: Msg) -> i32 {
        match self.story.trace.messages.get(msg.0 as usize) {
            Some(Message::Advisory { .. }) => self.slant,
            // A second copy of the same original beside the first.
            Some(Message::Copy { of, .. }) => {
                let earlier = &self.story.trace.messages[..msg.0 as usize];
                let same =
                    |m: &&Message| matches!(m, Message::Copy { of: other, .. } if other == of);
                4 * self.slant + 240 * earlier.iter().filter(same).count() as i32
            }
            _ => 0,
        }
    }

    /// The same for the delivery of a message and for the answer to it.
    pub(super) fn lag(&self, msg: Msg) -> (i32, i32) {
        match self.story.trace.messages.get(msg.0 as usize) {
            Some(Message::Advisory { .. }) => (3 * self.slant, 6 * self.slant),
            _ => (0, 0),
        }
    }

    fn burst(&mut self, burst: &Burst, nums: &[String]) {
        let sent = &self.ways.sent[burst.first];
        let publisher = self.lanes.client(sent.by);
        let stream = match burst.fate {
            Fate::Kept(s) | Fate::Known(s) | Fate::Refused(s) | Fate::NotKept(s) => {
                self.lanes.stream(s)
            }
            _ => None,
        };
        let target = stream.or(self.lanes.server());
        let (Some(publisher), Some(target)) = (publisher, target) else { return };
        let lost =
            !matches!(burst.fate, Fate::Kept(_) | Fate::Known(_) | Fate::Passed | Fate::Open);
        let single = (burst.msgs.len() == 1).then(|| burst.msgs[0]);
        // Colour says the state: what waits first is not lost yet.
        let (flight, mut chip, state) = match (lost, single.map(|m| self.is_copy(m))) {
            (true, _) => ("flight lost", "chip lost", "lost"),
            (_, Some(true)) => ("flight dead", "chip dead", "dead"),
            _ => ("flight stored", "chip stored", "stored"),
        };
        if burst.waits {
            chip = "chip stored";
        }
        let text = numbers(&burst.msgs, nums);
        let half = (text::width(&text, 11, true) + 90).max(2 * DISC) / 2;
        let near = publisher.middle();
        self.chip(chip, single, (burst.from, near), half, &text);
        let words = self.ending(burst.fate, sent);
        let known = matches!(burst.fate, Fate::Known(_));
        if let Fate::Unsent(_) = burst.fate {
            let at = (burst.from, near + DISC + 40);
            self.cross(single, at);
            self.fate(at, "note lost", single, words);
            return;
        }
        // Where it leaves: from its disc at once, or from its buffer later.
        let (mut from, mut edge) = ((burst.from, near), near + DISC);
        if let Some((_, until)) = unsent(sent, self.axis) {
            let row = self.lanes.sent_row[burst.first];
            let across = row.map_or(near + DISC, |row| publisher.row(row));
            let points = [(burst.from, near + DISC), (burst.from, across), (until, across)];
            let points = points.map(|(along, across)| self.at(along, across)).to_vec();
            self.add(BUFFER, "buffer stored", single, Shape::Line(points));
            (from, edge) = ((until, across), across);
        }
        if burst.fate == Fate::Open {
            return;
        }
        // To the near edge of its lane, which may lie on either side.
        let down = target.from > near;
        let to = self.shelf_edge(&target, &burst.msgs).unwrap_or(match down {
            true => target.from - 10,
            false => target.to + 10,
        });
        if !down {
            edge = near - DISC;
        }
        // As long as the network takes, if that is to be seen.
        let reach = self.slant.max(self.hop_length());
        // A burst that takes its time is an arrow every few units.
        let mut along = from.0;
        let last = along + burst.last - burst.from;
        while along <= last {
            self.flight(flight, single, (along, edge), (along + reach, to));
            along += 60.max((burst.last - burst.from) / 12).max(1);
        }
        let landed = (from.0 + reach, to);
        if let Fate::Kept(_) = burst.fate
            && !self.numbered(&target)
        {
            self.chip(chip, single, (landed.0, target.middle()), half, &text);
        }
        if known {
            self.ring(single, landed);
        } else if lost {
            self.cross(single, landed);
        }
        self.fate(landed, if known { "note" } else { "note lost" }, single, words);
        let end = if self.numbered(&target) { to } else { target.middle() };
        self.mover(state, single, &text, vec![Leg { from, to: (from.0 + reach, end) }]);
    }

    /// What became of a message that was not simply stored or passed on.
    fn ending(&self, fate: Fate, sent: &Sent) -> &'static [&'static str] {
        match fate {
            Fate::Known(_) => &["duplicate, not stored", "duplicate"],
            Fate::Refused(_) => &["refused", "lost"],
            Fate::NotKept(_) => &["not kept: nobody wants it", "not kept", "lost"],
            Fate::Unheard if !self.server_is_up(sent) => &["lost"],
            Fate::Unheard if ways::is_told(self.story.trace, sent.msg) => {
                &["nobody listens: error", "error", "lost"]
            }
            Fate::Unheard => &["nobody listens", "unheard", "lost"],
            Fate::Unsent(Refusal::BufferFull) => &["buffer full: lost", "buffer full", "lost"],
            Fate::Unsent(Refusal::Timeout) => &["lost on the way", "lost"],
            Fate::Unsent(_) => &["not connected: lost", "lost"],
            Fate::Kept(_) | Fate::Passed | Fate::Open => &[],
        }
    }

    /// What became of something, in words beside its end.
    pub(super) fn fate(
        &mut self,
        at: (i32, i32),
        class: &'static str,
        msg: Option<Msg>,
        words: &[&'static str],
    ) {
        let Some(&word) = words.first() else { return };
        let near = |&(along, across, said): &(i32, i32, &str)| {
            said == word && (along - at.0).abs() < 900 && (across - at.1).abs() < 200
        };
        if self.said.iter().any(near) {
            return;
        }
        self.said.push((at.0, at.1, word));
        let sides: &[Side] = if self.wide() {
            &[Side::Right, Side::Below, Side::RightAbove, Side::Left]
        } else {
            &[Side::Below, Side::Right, Side::LeftBelow, Side::Above]
        };
        let spot = Spot { at: self.at(at.0, at.1), away: 80, sides };
        self.labels.beside(FATE, spot, class, msg, words);
    }

    /// Whether the messages of a stream have rows with their numbers.
    pub(super) fn numbered(&self, lane: &Lane<'_>) -> bool {
        let least = if self.wide() { 95 } else { 70 };
        matches!(lane.whose, Whose::Stream(_)) && lane.rows > 0 && lane.pitch >= least
    }

    /// Where an arrow to these messages in a stream ends that has a row for each.
    fn shelf_edge(&self, lane: &Lane<'_>, msgs: &[Msg]) -> Option<i32> {
        let row = self.lanes.kept_row(self.ways, msgs).filter(|_| self.numbered(lane));
        row.map(|row| lane.row(row) - lane.pitch / 2 + 10)
    }

    /// Whether a message is a dead letter.
    pub(super) fn is_copy(&self, msg: Msg) -> bool {
        matches!(self.story.trace.messages.get(msg.0 as usize), Some(Message::Copy { .. }))
    }

    fn server_is_up(&self, sent: &Sent) -> bool {
        let at = sent.left.unwrap_or(sent.at);
        let before = self.story.trace.records.iter().take_while(|r| r.at <= at + self.hop());
        !before.fold(false, |down, r| match r.event {
            Event::ServerStopped => true,
            Event::ServerStarted => false,
            _ => down,
        })
    }

    /// What the network takes one way.
    pub(super) fn hop(&self) -> Dur {
        self.story.trace.scenario.network_delay
    }

    /// How long that is on the axis.
    pub(super) fn hop_length(&self) -> i32 {
        self.axis.beyond(self.axis.window.from + self.hop()) - self.axis.from
    }

    /// How much further than the network takes an arrow from a publisher leans.
    pub(super) fn lean(&self) -> i32 {
        (self.slant - self.hop_length()).max(0)
    }

    /// Advisories that a stream keeps or a subscriber hears: from the consumer that publishes them.
    fn advised(&mut self, nums: &[String]) {
        let kept = self.ways.kept.iter().map(|kept| (kept.msg, kept.from, Some(kept.stream)));
        let heard = self.ways.copies.iter().map(|copy| (copy.msg, copy.sent, None));
        for (msg, at, stream) in kept.chain(heard) {
            if !self.shown((at, at)) {
                continue;
            }
            let Some(&Message::Advisory { consumer, .. }) =
                self.story.trace.messages.get(msg.0 as usize)
            else {
                continue;
            };
            let target = match stream {
                Some(stream) => self.lanes.stream(stream),
                None => self.lanes.server(),
            };
            let from = self.lanes.consumer(consumer);
            let (Some(from), Some(target)) = (from, target) else { continue };
            let down = target.from > from.from;
            let edge = if down { from.to + 20 } else { from.from - 20 };
            let to = match self.shelf_edge(&target, &[msg]).filter(|_| down && stream.is_some()) {
                Some(to) => to,
                None if down => target.from - 10,
                None => target.to + 10,
            };
            // What streams keep waits its turn among the steps of a dead letter.
            let at = self.axis.along(at) + if stream.is_some() { self.slant } else { 0 };
            self.flight("flight dead", Some(msg), (at, edge), (at + self.slant, to));
            let beside = if down { edge + 90 } else { edge - 90 };
            let sides = &[Side::Right, Side::Left];
            let spot = Spot { at: self.at(at, beside), away: 60, sides };
            self.labels.beside(ANSWER, spot, "note dead", Some(msg), &["advisory"]);
            let leg = Leg { from: (at, edge), to: (at + self.slant, to) };
            self.mover("dead", Some(msg), &nums[msg.0 as usize], vec![leg]);
        }
    }

    /// A message's disc; longer where it stands for several.
    pub(super) fn chip(
        &mut self,
        class: &'static str,
        msg: Option<Msg>,
        (along, across): (i32, i32),
        half: i32,
        text: &str,
    ) {
        let mut p = self.at(along, across);
        if self.wide() {
            // The left end stays where the message is.
            p.x += half - DISC;
        } else {
            p.x = p.x.clamp(half, 3_600 - half);
        }
        let shape = Shape::Rect(
            Point { x: p.x - half, y: p.y - DISC },
            Point { x: p.x + half, y: p.y + DISC },
            DISC,
        );
        self.add(CHIP, class, msg, shape);
        self.labels.take(p.x - half, p.y - DISC, p.x + half, p.y + DISC);
        self.labels.put("num", msg, Point { x: p.x, y: p.y + 40 }, Anchor::Middle, text);
    }
}

/// Messages that go out over one lane so close together that their discs would touch.
struct Burst {
    /// The place of the publisher's lane.
    lane: usize,
    fate: Fate,
    from: i32,
    last: i32,
    msgs: Vec<Msg>,
    /// Whether it waits in its client's buffer.
    waits: bool,
    /// The place of the first in the list of what was sent.
    first: usize,
}

impl Burst {
    /// The end of its disc on the axis, as if it said the first and the last.
    fn until(&self, nums: &[String], wide: bool) -> i32 {
        if !wide {
            return self.last.max(self.from + DISC) + 40.max(2 * DISC - (self.last - self.from));
        }
        let of = |msg: Option<&Msg>| {
            msg.and_then(|m| nums.get(m.0 as usize)).map_or(0, |num| text::width(num, 11, true))
        };
        let wide = (of(self.msgs.first()) + of(self.msgs.last()) + 150).max(2 * DISC);
        self.last.max(self.from - DISC + wide) + 120
    }
}
