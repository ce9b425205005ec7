//! Core NATS: copies from the server to subscribers, what waits there and in their buffers, what is lost, and what their handlers do.

use super::*;
use crate::lanes::{held, lands, waiting};
use delivery_sim::trace::Drop;

impl Artist<'_> {
    /// Copies on their whole way.
    pub(super) fn core(&mut self, nums: &[String]) {
        let Some(server) = self.lanes.server() else { return };
        for i in 0..self.ways.copies.len() {
            if self.shown(self.ways.copies[i].span(self.axis.end)) {
                self.copy(i, &server, nums);
            }
        }
        self.hearing();
    }

    fn copy(&mut self, i: usize, server: &Lane<'_>, nums: &[String]) {
        let copy = &self.ways.copies[i];
        let Some(lane) = self.lanes.client(copy.to) else { return };
        let msg = Some(copy.msg);
        let num = nums.get(copy.msg.0 as usize).map_or("", String::as_str);
        let row = self.lanes.copy_row[i];
        let mut from = (self.axis.along(copy.sent) + self.lean(), server.middle());
        let mut legs = Vec::new();
        let kept_back = held(copy, self.axis, self.slant);
        if let Some((_, until)) = kept_back {
            // It waits at the server, or in the sockets, for a client that does not read.
            let across = row.map_or(server.to, |row| server.row(row));
            let points = [from, (from.0, across), (until, across)];
            let points = points.map(|(along, across)| self.at(along, across)).to_vec();
            self.add(BUFFER, "buffer inflight", msg, Shape::Line(points));
            from = (until, across);
        }
        let reads = copy.received().is_some()
            || copy.dropped().is_none_or(|(_, why)| why != Drop::SlowConsumer);
        let mut place = from;
        if reads && copy.received().or(copy.dropped().map(|(at, _)| at)).is_some() {
            let to = lands(copy, self.axis, self.slant).max(from.0);
            let to = if kept_back.is_none() { to } else { from.0 + self.slant };
            let waits =
                waiting(copy, self.axis, self.slant).and(row).filter(|_| kept_back.is_none());
            let across = waits.map_or(lane.bar_from() - 10, |row| lane.row(row));
            place = (to, across);
            let class = match copy.dropped() {
                Some(_) if copy.received().is_none() => "flight lost",
                _ => "flight inflight",
            };
            self.flight(class, msg, from, place);
            legs.push(Leg { from, to: place });
            if let (Some((_, until)), Some(_)) = (waiting(copy, self.axis, self.slant), waits) {
                let mut points = vec![place, (until, across)];
                if copy.started().is_some() {
                    points.push((until, lane.bar_from()));
                }
                let points = points.into_iter().map(|(a, b)| self.at(a, b)).collect();
                self.add(BUFFER, "buffer inflight", msg, Shape::Line(points));
                place = (until, across);
            }
        }
        if let (Some(started), Some((until, Drop::Unfinished))) = (copy.started(), copy.dropped()) {
            // Its process died while it was at work.
            let since = started.max(copy.sent);
            legs.extend(self.handled(
                copy.msg,
                &lane,
                (since, Some(until)),
                place.0,
                num,
                "work inflight died",
            ));
        } else if let Some((_, why)) = copy.dropped() {
            self.cross(msg, place);
            let words: &[&'static str] = match why {
                Drop::BufferFull => &["dropped: buffer full", "dropped"],
                Drop::SlowConsumer => &["slow consumer: closed", "slow consumer", "lost"],
                _ => &["lost"],
            };
            self.fate(place, "note lost", msg, words);
        } else if let Some(started) = copy.started() {
            // Who counts shows its count.
            let count = self.ways.counted.iter().find(|c| (c.by, c.msg) == (copy.to, copy.msg));
            let kept = count.map_or_else(String::new, |c| ["=", &c.kept.to_string()].concat());
            let class = match copy.done() {
                Some(_) if count.is_some_and(|c| c.kept != c.real) => "work lost done",
                Some(_) => "work inflight done",
                None => "work inflight open",
            };
            let num = if count.is_some() { &kept } else { num };
            let since = started.max(copy.sent);
            legs.extend(self.handled(copy.msg, &lane, (since, copy.done()), place.0, num, class));
        }
        self.mover("inflight", msg, num, legs);
    }

    /// The bar of a handler at work.
    fn handled(
        &mut self,
        msg: Msg,
        lane: &Lane<'_>,
        (since, until): (Time, Option<Time>),
        least: i32,
        num: &str,
        class: &'static str,
    ) -> Option<Leg> {
        let from = self.axis.along(since).max(least);
        let to = self.axis.along(until.unwrap_or(self.axis.end)).max(from + 30);
        self.rect(WORK, class, Some(msg), (from, lane.bar_from()), (to, lane.to), 30);
        let (a, b) = (self.at(from, lane.bar_from()), self.at(to, lane.to));
        self.labels.take(a.x, a.y, b.x, b.y);
        self.bar_number(msg, (lane.bar_from(), lane.to), (from, to), num);
        Some(Leg { from: (from, lane.middle()), to: (to, lane.middle()) })
    }

    /// How far a buffer may fill, where it does.
    fn limit(&mut self, lane: &Lane<'_>) {
        let spec = self.story.trace.scenario.subscribers.iter().find(|s| s.name == lane.name);
        let most = spec.map_or(0, |s| s.limits().0);
        if lane.rows == 0 || lane.rows.unsigned_abs() != most || lane.shared > 1 {
            return;
        }
        let across = lane.row(lane.rows - 1) - lane.pitch;
        let (from, to) = (self.axis.from, self.axis.to);
        self.line(RAIL, "limit", None, (from, across), (to, across));
        let words = ["limit ", &most.to_string()].concat();
        let (at, anchor) = if self.wide() {
            (self.at(to, across - 25), Anchor::End)
        } else {
            (self.at(to - 30, across - 25), Anchor::End)
        };
        self.labels.want(IDLE, "note", None, vec![(at, anchor, words)]);
    }

    /// When subscribers hear nothing although they are there: they do not read, or their connection is closed.
    fn hearing(&mut self) {
        for (place, _) in self.story.trace.clients.iter().enumerate() {
            let id = ClientId(place as u16);
            let hears = |lane: &Lane<'_>| matches!(lane.whose, Whose::Subscriber(_));
            let Some(lane) = self.lanes.client(id).filter(hears) else { continue };
            self.limit(&lane);
            let mut deaf = None;
            let mut spans = Vec::new();
            for record in &self.story.trace.records {
                match record.event {
                    Event::Stalled { by } if by == id => deaf = Some(record.at),
                    Event::Resumed { by } if by == id => {
                        spans.extend(deaf.take().map(|since| (since, record.at)));
                    }
                    Event::Disconnected { client } if client == id => {
                        let at = (self.axis.along(record.at), lane.middle());
                        self.cross(None, at);
                        self.fate(at, "note lost", None, &["disconnected"]);
                    }
                    _ => {}
                }
            }
            spans.extend(deaf.map(|since| (since, self.axis.end)));
            for (since, until) in spans {
                if !self.shown((since, until)) {
                    continue;
                }
                let from = self.axis.along(since).max(self.axis.from);
                let to = self.axis.along(until).min(self.axis.to);
                let middle = lane.middle();
                self.line(ALIVE, "deaf", None, (from, middle), (to, middle));
                let (room, at) = if self.wide() {
                    (to - from, self.at(i32::midpoint(from, to), middle - 60))
                } else {
                    (600, self.at(i32::midpoint(from, to), middle))
                };
                let words = ["does not read its socket", "does not read"];
                self.labels.inside(QUEUE, "note lost", None, at, room, &words);
            }
        }
    }
}
