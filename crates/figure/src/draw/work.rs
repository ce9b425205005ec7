//! What workers do: when they are there, when they wait, what they hold and what they work on.

use super::*;
use delivery_sim::order::sorted;

impl Artist<'_> {
    /// When workers are there, when they wait, what they hold and what they do.
    pub(super) fn workers(&mut self, nums: &[String]) {
        self.presence();
        let mut bars: Vec<Bar> = Vec::new();
        for (i, life) in self.story.lives.iter().enumerate() {
            if !self.shows(life) {
                continue;
            }
            let Some(lane) = self.lanes.client(life.to) else { continue };
            let msg = Some(life.delivery.msg);
            let class = if life.again() { "buffer again" } else { "buffer inflight" };
            if let (Some((from, until)), Some(row)) =
                (buffered(life, self.axis, self.slant), self.lanes.buffer_row[i])
            {
                let across = lane.row(row);
                let mut points = vec![self.at(from, across), self.at(until, across)];
                if life.started.is_some() {
                    points.push(self.at(until, lane.bar_from()));
                }
                self.add(BUFFER, class, msg, Shape::Line(points));
            }
            let Some(bar) = bar(life, self.axis, self.slant) else { continue };
            bars.push(Bar { across: (lane.bar_from(), lane.to), life: Some(i), ..bar });
        }
        for bar in &bars {
            let life = bar.life.map(|i| &self.story.lives[i]);
            let msg = life.map(|life| life.delivery.msg);
            let (near, far) = bar.across;
            self.rect(WORK, bar.class, msg, (bar.from, near), (bar.to, far), 30);
            let (a, b) = (self.at(bar.from, near), self.at(bar.to, far));
            self.labels.take(a.x, a.y, b.x, b.y);
            if let Some(msg) = msg {
                self.bar_number(msg, bar.across, (bar.from, bar.to), &nums[msg.0 as usize]);
            }
        }
        self.crashes();
    }

    /// The number of a message on a bar, where there is room.
    pub(super) fn bar_number(
        &mut self,
        msg: Msg,
        (near, far): (i32, i32),
        (from, to): (i32, i32),
        num: &str,
    ) {
        let (from, to) = (from.max(self.axis.from), to.min(self.axis.to));
        let (wide, room) = (text::width(num, 11, true), to - from);
        let p = self.at(from, i32::midpoint(near, far));
        if self.wide() && room >= wide + 16 {
            let at = Point { x: p.x + ((room - wide) / 2).min(70), y: p.y + 40 };
            self.labels.put("num", Some(msg), at, Anchor::Start, num);
        } else if !self.wide() && room >= 115 && wide + 10 <= far - near {
            let at = Point { x: p.x, y: p.y + 105 };
            self.labels.put("num", Some(msg), at, Anchor::Middle, num);
        }
    }

    /// Lines of a worker's lane: it is there; it has a pull open and waits.
    fn presence(&mut self) {
        let trace = self.story.trace;
        for place in 0..trace.clients.len() {
            let id = ClientId(place as u16);
            let here = |l: &Lane<'_>| matches!(l.whose, Whose::Worker(_) | Whose::Subscriber(_));
            let Some(lane) = self.lanes.client(id).filter(here) else {
                continue;
            };
            let mut busy: Vec<(Time, i64)> = Vec::new();
            for life in self.story.lives.iter().filter(|l| l.to == id) {
                if let Some(arrived) = life.arrived {
                    let free = life
                        .work_end
                        .map(|(at, _)| at)
                        .or(life.lost_in_buffer)
                        .unwrap_or(self.axis.end);
                    busy.extend([(arrived, 1), (free.max(arrived), -1)]);
                }
            }
            let mut asked = 0_i64;
            let mut here = false;
            let mut marks: Vec<(Time, Presence)> =
                busy.into_iter().map(|(at, n)| (at, Presence::Busy(n))).collect();
            for record in &trace.records {
                let mark = match record.event {
                    Event::Started { client: by } | Event::Subscribed { by } if by == id => {
                        Presence::Here
                    }
                    Event::Crashed { client: by }
                    | Event::Stopped { client: by }
                    | Event::Disconnected { client: by }
                    | Event::Unsubscribed { by }
                        if by == id =>
                    {
                        Presence::Gone
                    }
                    Event::Pulled { by, batch, .. } if by == id => {
                        Presence::Asked(i64::from(batch))
                    }
                    Event::PullEnded { by, missing, .. } if by == id => {
                        Presence::Asked(-i64::from(missing))
                    }
                    Event::Arrived { at, .. } if at == id => Presence::Asked(-1),
                    _ => continue,
                };
                marks.push((record.at, mark));
            }
            // In order of time, and at one moment in the order found.
            let mut marks = sorted(marks, |a, b| a.0.cmp(&b.0));
            marks.push((self.axis.end, Presence::Gone));
            let mut held = 0;
            let mut now = (self.axis.from, None);
            for (at, mark) in marks {
                match mark {
                    Presence::Here => here = true,
                    Presence::Gone => (here, asked) = (false, 0),
                    Presence::Asked(n) => asked += n,
                    Presence::Busy(n) => held += n,
                }
                let waits = (here && at < self.axis.end).then_some(asked > 0 && held == 0);
                if waits == now.1 {
                    continue;
                }
                let (from, to) = (now.0, self.axis.along(at));
                match now.1 {
                    // Too short to be seen as waiting.
                    Some(true) if to - from >= 60 => self.waits(&lane, from, to),
                    Some(_) if to > from => {
                        self.line(ALIVE, "alive", None, (from, lane.middle()), (to, lane.middle()));
                    }
                    _ => {}
                }
                now = (to, waits);
            }
        }
    }

    fn waits(&mut self, lane: &Lane<'_>, from: i32, to: i32) {
        let middle = lane.middle();
        self.line(ALIVE, "waits", None, (from, middle), (to, middle));
        if self.wide() {
            let p = Point { x: i32::midpoint(from, to), y: middle - 30 };
            self.labels.inside(
                IDLE,
                "note",
                None,
                p,
                to - from - 60,
                &["waits for a message", "waits"],
            );
        }
    }

    fn crashes(&mut self) {
        for record in &self.story.trace.records {
            let (client, word) = match record.event {
                Event::Crashed { client } => (client, true),
                Event::Stopped { client } => (client, false),
                _ => continue,
            };
            let Some(lane) = self.lanes.client(client) else { continue };
            let place = (self.axis.along(record.at), lane.middle());
            let held = self.story.lives.iter().find(|l| {
                l.to == client
                    && l.work_end.is_some_and(|(at, end)| at == record.at && end == WorkEnd::Died)
            });
            if word {
                self.cross(held.map(|l| l.delivery.msg), place);
            } else {
                self.line(ALIVE, "alive", None, (place.0, place.1 - 50), (place.0, place.1 + 50));
            }
            let (class, words): (_, &[&str]) =
                if word { ("note lost", &["dies"]) } else { ("note", &["leaves"]) };
            let at = self.at(place.0, place.1);
            let spots: [(i32, &[Side]); 2] = if self.wide() {
                [(80, &[Side::Right]), (115, &[Side::Below, Side::Above])]
            } else {
                [(80, &[Side::Below]), (115, &[Side::Right, Side::Left])]
            };
            let (away, sides) = spots[0];
            let (further, others) = spots[1];
            let msg = held.map(|l| l.delivery.msg);
            let mut tries = Spot { at, away, sides }.tries(words);
            tries.extend(Spot { at, away: further, sides: others }.tries(words));
            self.labels.want(FATE, class, msg, tries);
        }
    }
}

#[derive(Clone, Copy)]
enum Presence {
    Here,
    Gone,
    Asked(i64),
    Busy(i64),
}

/// A work bar along the axis.
pub(super) struct Bar {
    class: &'static str,
    pub(super) from: i32,
    pub(super) to: i32,
    /// The edges of its lane.
    across: (i32, i32),
    life: Option<usize>,
}

/// The bar of a delivery that was worked on.
pub(super) fn bar(life: &Life, axis: Axis, slant: i32) -> Option<Bar> {
    let started = life.started?;
    let from = axis.along(started).max(axis.along(life.sent) + slant);
    let (end, how) = life.work_end.map_or((axis.end, None), |(at, how)| (at, Some(how)));
    let to = axis.along(end).max(from + 25);
    let class = match (life.again(), how) {
        (false, None) => "work inflight open",
        (true, None) => "work again open",
        (false, Some(WorkEnd::Died | WorkEnd::Closed)) => "work inflight died",
        (true, Some(WorkEnd::Died | WorkEnd::Closed)) => "work again died",
        (false, Some(_)) => "work inflight done",
        (true, Some(_)) => "work again done",
    };
    Some(Bar { class, from, to, across: (0, 0), life: None })
}
