//! Messages on their way from publishers to streams, and to subscribers of Core NATS.

use super::*;

impl Artist<'_> {
    /// Messages from their publishers to the streams, or into nothing.
    pub(super) fn sent(&mut self, nums: &[String]) {
        let trace = self.story.trace;
        let mut fate = vec![Fate::Open; trace.messages.len()];
        for record in &trace.records {
            let (msg, new) = match record.event {
                Event::Stored { msg, stream, .. } => (msg, Fate::Kept(stream.0)),
                Event::Deduplicated { msg, stream, .. } => (msg, Fate::Known(stream.0)),
                Event::NotKept { msg, stream, .. } | Event::Refused { msg, stream, .. } => {
                    (msg, Fate::Lost(Some(stream.0)))
                }
                Event::Unheard { msg } => (msg, Fate::Lost(None)),
                Event::Routed { msg, .. } => (msg, Fate::Passed),
                _ => continue,
            };
            // What a stream keeps counts for more than that a subscriber got it too.
            if let Some(slot) = fate.get_mut(msg.0 as usize)
                && !matches!(slot, Fate::Kept(_))
            {
                *slot = new;
            }
        }
        let mut groups: Vec<Burst> = Vec::new();
        for record in &trace.records {
            let Event::Published { msg, by } = record.event else { continue };
            let fate = fate.get(msg.0 as usize).copied().unwrap_or(Fate::Open);
            if fate == Fate::Open {
                continue;
            }
            let along = self.axis.along(record.at);
            let open = groups.iter_mut().rfind(|g| g.by == by && g.fate == fate);
            match open {
                Some(group) if along < group.until(nums) + 120 => {
                    group.msgs.push(msg);
                    group.last = along;
                }
                _ => groups.push(Burst { by, fate, from: along, last: along, msgs: vec![msg] }),
            }
        }
        for group in &groups {
            self.burst(group, nums);
        }
    }

    fn burst(&mut self, burst: &Burst, nums: &[String]) {
        let lane = match burst.fate {
            Fate::Kept(s) | Fate::Known(s) | Fate::Lost(Some(s)) => {
                self.lanes.stream(delivery_sim::trace::StreamId(s))
            }
            _ => self.lanes.server(),
        };
        let (Some(publisher), Some(target)) = (self.lanes.client(burst.by).cloned(), lane.cloned())
        else {
            return;
        };
        let single = (burst.msgs.len() == 1).then(|| burst.msgs[0]);
        let (flight, chip, state) = match burst.fate {
            Fate::Lost(_) => ("flight lost", "chip lost", "lost"),
            _ => ("flight stored", "chip stored", "stored"),
        };
        let text = numbers(&burst.msgs, nums);
        let half = (text::width(&text, 11, true) + 90).max(2 * DISC) / 2;
        let near = publisher.middle();
        let across = (near + DISC, target.from - 10);
        // A burst that takes its time is an arrow every few units.
        let mut along = burst.from;
        while along <= burst.last {
            self.flight(flight, single, (along, across.0), (along + self.slant, across.1));
            along += 60.max((burst.last - burst.from) / 12).max(1);
        }
        self.chip(chip, single, (burst.from, near), half, &text);
        let landed = (burst.from + self.slant, target.middle());
        match burst.fate {
            Fate::Kept(_) => self.chip(chip, single, landed, half, &text),
            Fate::Known(_) => {
                self.ring(single, (landed.0, target.from));
                let spot = Spot {
                    at: self.at(landed.0, target.from - 60),
                    away: 60,
                    sides: &[Side::Right, Side::Left],
                };
                self.labels.beside(
                    FATE,
                    spot,
                    "note",
                    single,
                    &["duplicate, not stored", "duplicate"],
                );
            }
            Fate::Lost(_) => {
                self.cross(single, (landed.0, target.from - 10));
                let spot = Spot {
                    at: self.at(landed.0, target.from - 60),
                    away: 80,
                    sides: &[Side::Right, Side::Below],
                };
                self.labels.beside(FATE, spot, "note lost", single, &["lost"]);
            }
            _ => {}
        }
        let leg = Leg { from: (burst.from, near), to: (burst.from + self.slant, target.middle()) };
        self.mover(state, single, &text, vec![leg]);
    }

    /// A message's disc; longer where it stands for several.
    fn chip(
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
        if !self.dense || text.len() < 12 {
            self.labels.put(
                "num",
                msg.filter(|_| !self.dense),
                Point { x: p.x, y: p.y + 40 },
                Anchor::Middle,
                text,
            );
        }
    }

    /// Copies of Core NATS: from the server to subscribers, and what their handlers do.
    pub(super) fn core(&mut self, nums: &[String]) {
        let trace = self.story.trace;
        let Some(server) = self.lanes.server().cloned() else { return };
        let mut handling: Vec<(ClientId, Msg, Time)> = Vec::new();
        for record in &trace.records {
            match record.event {
                Event::Routed { msg, to } => {
                    let Some(lane) = self.lanes.client(to).cloned() else { continue };
                    let at = self.axis.along(record.at);
                    self.flight(
                        "flight inflight",
                        Some(msg),
                        (at, server.middle()),
                        (at + self.slant, lane.bar_from() - 10),
                    );
                    let leg =
                        Leg { from: (at, server.middle()), to: (at + self.slant, lane.middle()) };
                    self.mover("inflight", Some(msg), &nums[msg.0 as usize], vec![leg]);
                }
                Event::Dropped { msg, by, .. } => {
                    let Some(lane) = self.lanes.client(by).cloned() else { continue };
                    let place = (self.axis.along(record.at) + self.slant, lane.bar_from() - 10);
                    self.cross(Some(msg), place);
                    if !self.dense {
                        let spot = Spot {
                            at: self.at(place.0, place.1),
                            away: 80,
                            sides: &[Side::Right, Side::Above],
                        };
                        self.labels.beside(FATE, spot, "note lost", Some(msg), &["lost"]);
                    }
                }
                Event::HandlerStarted { msg, by } => handling.push((by, msg, record.at)),
                Event::HandlerDone { msg, by } => {
                    if let Some(place) = handling.iter().position(|(b, m, _)| (*b, *m) == (by, msg))
                    {
                        let (_, _, since) = handling.swap_remove(place);
                        self.handled(by, msg, since, record.at, nums);
                    }
                }
                _ => {}
            }
        }
        for (by, msg, since) in handling {
            self.handled(by, msg, since, self.axis.end, nums);
        }
    }

    fn handled(&mut self, by: ClientId, msg: Msg, since: Time, until: Time, nums: &[String]) {
        let Some(lane) = self.lanes.client(by).cloned() else { return };
        let from = self.axis.along(since) + self.slant;
        let to = self.axis.along(until).max(from + 30);
        self.rect(
            WORK,
            "work inflight done",
            Some(msg),
            (from, lane.bar_from()),
            (to, lane.to),
            30,
        );
        let num = &nums[msg.0 as usize];
        let wide = text::width(num, 11, true);
        if self.wide() && !self.dense && to - from >= wide + 16 {
            let p = self.at(from, lane.middle());
            let x = p.x + ((to - from - wide) / 2).min(70);
            self.labels.put("num", Some(msg), Point { x, y: p.y + 40 }, Anchor::Start, num);
        }
    }
}

/// What became of a message when it was sent; streams by number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// Not known: it did not get through before the end.
    Open,
    Kept(u16),
    /// Its id was known.
    Known(u16),
    Lost(Option<u16>),
    /// It went to subscribers alone.
    Passed,
}

/// Messages that one publisher sends so close together that their discs would touch.
struct Burst {
    by: ClientId,
    fate: Fate,
    from: i32,
    last: i32,
    msgs: Vec<Msg>,
}

impl Burst {
    /// The end of its disc on the axis, as if it said the first and the last.
    fn until(&self, nums: &[String]) -> i32 {
        let of = |msg: Option<&Msg>| {
            msg.and_then(|m| nums.get(m.0 as usize)).map_or(0, |num| text::width(num, 11, true))
        };
        let wide = (of(self.msgs.first()) + of(self.msgs.last()) + 150).max(2 * DISC);
        self.last.max(self.from - DISC + wide)
    }
}
