//! Draws a run: lanes, messages on their way, work, and above all the stopwatches. Lengths are tenths of a unit.

use crate::labels::{Labels, Side};
use crate::lanes::{Axis, Lane, Lanes, Whose, buffered};
use crate::scene::{Anchor, Layout, Leg, Mark, Mover, Point, Scene, Shape, Text, point};
use crate::story::{Life, Over, Said, Story, WorkEnd};
use crate::text;
use delivery_sim::Time;
use delivery_sim::trace::{ClientId, ConsumerId, Effect, Event, Msg, Reply};

/// A run of more deliveries or messages is drawn without numbers, labels and movers.
const DENSE: usize = 150;
/// Half a message's disc, and half a mover.
const DISC: i32 = 100;
const HALF_MOVER: i32 = 90;

// Layers, bottom first.
const GRID: u8 = 0;
const RAIL: u8 = 1;
const ALIVE: u8 = 2;
const WATCH: u8 = 3;
const WAITING: u8 = 4;
const WATCH_END: u8 = 5;
const FLIGHT: u8 = 6;
const BUFFER: u8 = 7;
const WORK: u8 = 8;
const SIGN: u8 = 9;
const CHIP: u8 = 10;

impl Mover {
    /// Half its length, in tenths.
    pub(crate) fn half(&self) -> i32 {
        HALF_MOVER.max((text::width(&self.text, 11, true) + 90) / 2)
    }
}

/// Draws a run.
pub(crate) fn draw(story: &Story<'_>, layout: Layout) -> Scene {
    let end = story.trace.end;
    let wide = layout == Layout::Wide;
    let pill = (text::width(&end.to_string(), 12, true) + 150) / 10;
    let axis = if wide {
        Axis { from: 1480, to: 9180 - 10 * (pill / 2).max(24), end }
    } else {
        let length = 4_600 + 30 * story.lives.len().min(100) as i32;
        Axis { from: 620, to: 620 + length, end }
    };
    let slant = slant(story, axis);
    let lanes = if wide {
        Lanes::new(story, axis, layout, slant, 300, None)
    } else {
        Lanes::new(story, axis, layout, slant, 640, Some(3_500))
    };
    let across = (lanes.list.first().map_or(300, |l| l.from), lanes.list.last().map_or(600, |l| l.to));
    let (width, height) = if wide { (920, (across.1 + 300) / 10) } else { (360, (axis.to + 120) / 10) };
    let edges = if wide { (24, (across.1 + 90) / 10) } else { (56, 360) };
    let labels = Labels::new(width * 10, height * 10);
    let dense = story.lives.len() > DENSE || story.trace.messages.len() > DENSE;
    let mut artist = Artist { story, layout, axis, lanes, slant, dense, marks: Vec::new(), labels, movers: Vec::new() };
    artist.seqs();
    artist.frame(edges);
    artist.server_down();
    let nums = artist.nums();
    artist.sent(&nums);
    artist.workers(&nums);
    artist.deliveries(&nums);
    artist.watches(&nums);
    artist.core(&nums);
    artist.stream_note();
    let Artist { mut marks, labels, mut movers, .. } = artist;
    marks.sort();
    marks.dedup();
    movers.retain(|mover| !mover.legs.is_empty());
    Scene {
        layout,
        width,
        height,
        axis_from: axis.from / 10,
        axis_to: axis.to / 10,
        end,
        axis,
        marks,
        texts: labels.placed,
        movers,
        pill,
        lanes: edges,
    }
}

/// How far an arrow leans along the axis, since a network hop would draw it upright: a few units, fewer where work is short.
fn slant(story: &Story<'_>, axis: Axis) -> i32 {
    let work = |life: &Life| Some(axis.along(life.work_end?.0) - axis.along(life.started?));
    let shortest = story.lives.iter().filter_map(work).filter(|w| *w > 0).min().unwrap_or(300);
    (shortest / 6).clamp(25, 60)
}

struct Artist<'a> {
    story: &'a Story<'a>,
    layout: Layout,
    axis: Axis,
    lanes: Lanes,
    slant: i32,
    dense: bool,
    marks: Vec<Mark>,
    labels: Labels,
    movers: Vec<Mover>,
}

impl Artist<'_> {
    fn wide(&self) -> bool {
        self.layout == Layout::Wide
    }

    fn at(&self, along: i32, across: i32) -> Point {
        point(self.layout, along, across)
    }

    fn add(&mut self, layer: u8, class: &'static str, msg: Option<Msg>, shape: Shape) {
        let msg = msg.filter(|_| !self.dense).map(|m| m.0);
        self.marks.push(Mark { layer, class, msg, shape });
    }

    /// A straight line between two places along and across the axis.
    fn line(&mut self, layer: u8, class: &'static str, msg: Option<Msg>, from: (i32, i32), to: (i32, i32)) {
        let shape = Shape::Line(vec![self.at(from.0, from.1), self.at(to.0, to.1)]);
        self.add(layer, class, msg, shape);
    }

    fn rect(&mut self, layer: u8, class: &'static str, msg: Option<Msg>, from: (i32, i32), to: (i32, i32), round: i32) {
        let shape = Shape::Rect(self.at(from.0, from.1), self.at(to.0, to.1), round);
        self.add(layer, class, msg, shape);
    }

    /// A sign of a few strokes around a place, given in the picture's own directions.
    fn sign(&mut self, class: &'static str, msg: Option<Msg>, (along, across): (i32, i32), strokes: &[&[(i32, i32)]]) {
        let p = self.at(along, across);
        for stroke in strokes {
            let points = stroke.iter().map(|(x, y)| Point { x: p.x + x, y: p.y + y }).collect();
            let shape = if class == "end" || class == "ring" { Shape::Area(points) } else { Shape::Line(points) };
            self.add(SIGN, class, msg, shape);
        }
        self.labels.take(p.x - 60, p.y - 60, p.x + 60, p.y + 60);
    }

    fn cross(&mut self, msg: Option<Msg>, at: (i32, i32)) {
        self.sign("cross", msg, at, &[&[(-50, -50), (50, 50)], &[(50, -50), (-50, 50)]]);
    }

    fn tick(&mut self, msg: Option<Msg>, at: (i32, i32)) {
        self.sign("ok", msg, at, &[&[(-45, 5), (-12, 42), (50, -40)]]);
    }

    fn lozenge(&mut self, msg: Option<Msg>, at: (i32, i32)) {
        self.sign("end", msg, at, &[&[(-60, 0), (0, -60), (60, 0), (0, 60)]]);
    }

    fn hook(&mut self, msg: Option<Msg>, at: (i32, i32)) {
        self.sign("back", msg, at, &[&[(-45, 35), (40, 35), (40, -15), (-40, -15)], &[(-15, -45), (-45, -15), (-15, 15)]]);
    }

    fn ring(&mut self, msg: Option<Msg>, at: (i32, i32)) {
        self.sign("ring", msg, at, &[&[(-30, -12), (-12, -30), (12, -30), (30, -12), (30, 12), (12, 30), (-12, 30), (-30, 12)]]);
    }

    /// An arrow with its head, as one path.
    fn flight(&mut self, class: &'static str, msg: Option<Msg>, mut from: (i32, i32), mut to: (i32, i32)) {
        if self.dense {
            // Arrows closer than two units are one.
            from.0 = from.0 / 20 * 20;
            to.0 = to.0 / 20 * 20;
        }
        let (a, b) = (self.at(from.0, from.1), self.at(to.0, to.1));
        let (dx, dy) = (i64::from(b.x - a.x), i64::from(b.y - a.y));
        let length = (dx * dx + dy * dy).isqrt().max(1);
        let head = if class == "flight again" { 85 } else { 70 };
        let head = i64::from(head).min(length);
        let back = |along: i64, aside: i64| Point {
            x: b.x - ((dx * along - dy * aside) / length) as i32,
            y: b.y - ((dy * along + dx * aside) / length) as i32,
        };
        let half = head * 2 / 5;
        let neck = back(head - 10, 0);
        self.add(FLIGHT, class, msg, Shape::Line(vec![a, neck]));
        self.add(FLIGHT, class, msg, Shape::Area(vec![b, back(head, half), back(head, -half)]));
        self.labels.take(a.x.min(b.x) - 15, a.y.min(b.y), a.x.max(b.x) + 15, a.y.max(b.y));
    }

    /// Moves a message.
    fn mover(&mut self, state: &'static str, msg: Option<Msg>, text: &str, legs: Vec<Leg>) {
        if !self.dense {
            self.movers.push(Mover { state, msg: msg.map(|m| m.0), text: text.to_owned(), legs });
        }
    }

    /// The number of every message as figures show it: the digits at the end of its payload, else its stream sequence.
    fn nums(&self) -> Vec<String> {
        let trace = self.story.trace;
        let mut seqs = vec![0; trace.messages.len()];
        for record in &trace.records {
            if let Event::Stored { msg, seq, .. } = record.event
                && let Some(slot) = seqs.get_mut(msg.0 as usize)
            {
                *slot = seq;
            }
        }
        (0..trace.messages.len())
            .map(|i| {
                let label = trace.label(Msg(i as u32));
                let digits = &label[label.trim_end_matches(|c: char| c.is_ascii_digit()).len()..];
                match (digits.len(), seqs[i]) {
                    (1..=6, _) => digits.to_owned(),
                    (_, 0) => (i + 1).to_string(),
                    (_, seq) => seq.to_string(),
                }
            })
            .collect()
    }

    /// Grid, ticks, rails and names of lanes.
    fn frame(&mut self, (top, bottom): (i32, i32)) {
        let wide = self.wide();
        for (t, name) in self.axis.ticks(if wide { 540 } else { 420 }) {
            let along = self.axis.along(t);
            self.line(GRID, "grid", None, (along, top * 10), (along, bottom * 10));
            if wide {
                self.labels.put("tick", None, Point { x: along, y: bottom * 10 + 150 }, Anchor::Middle, &name);
            } else {
                self.labels.put("tick", None, Point { x: 500, y: along + 40 }, Anchor::End, &name);
            }
        }
        let lanes = self.lanes.list.clone();
        for lane in &lanes {
            let (from, to) = (self.axis.from, self.axis.to);
            match lane.whose {
                Whose::Stream(_) => {
                    self.rect(RAIL, "shelf", None, (from - 120, lane.from), (to, lane.to), 120);
                }
                Whose::Consumer(_) => {
                    let layer = if lane.rows > 3 { ("grid", GRID) } else { ("rail", RAIL) };
                    for row in 0..lane.rows {
                        self.line(layer.1, layer.0, None, (from, lane.row(row)), (to, lane.row(row)));
                    }
                }
                _ => self.line(RAIL, "rail", None, (from, lane.middle()), (to, lane.middle())),
            }
        }
        if wide {
            for lane in &lanes {
                self.name_wide(lane);
            }
        } else {
            self.names_tall(&lanes);
        }
    }

    /// A lane's name at its left: in one line, or in two where one is too long.
    fn name_wide(&mut self, lane: &Lane) {
        let room = 1_220;
        let y = lane.middle();
        let right = self.axis.from - 160;
        let (kind, name) = titles(lane);
        let both = text::width(&format!("{kind} "), 12, false) + text::width(name, 12, true);
        if !kind.is_empty() && !name.is_empty() && both > room && lane.to - lane.from >= 230 {
            self.labels.lane(Point { x: right, y: y - 25 }, Anchor::End, kind, "");
            self.labels.lane(Point { x: right, y: y + 115 }, Anchor::End, "", &text::fit(name, 12, true, room));
            return;
        }
        let kind = if both > room && !name.is_empty() { String::new() } else { kind.to_owned() };
        let gap = if kind.is_empty() || name.is_empty() { "" } else { " " };
        self.labels.lane(Point { x: right, y: y + 42 }, Anchor::End, &format!("{kind}{gap}"), &text::fit(name, 12, true, room));
    }

    /// Names above the lanes, what it is over who it is; shortened so that none touches its neighbour.
    fn names_tall(&mut self, lanes: &[Lane]) {
        let middles: Vec<i32> = lanes.iter().map(|l| if l.bar > 0 { l.middle() } else { i32::midpoint(l.from, l.to) }).collect();
        for (i, lane) in lanes.iter().enumerate() {
            let (kind, name) = titles(lane);
            let left = if i == 0 { 2 * (middles[0] - 20) } else { middles[i] - middles[i - 1] };
            let right = middles.get(i + 1).map_or(2 * (3_590 - middles[i]), |next| next - middles[i]);
            let room = left.min(right) - 30;
            // A lane of many names in a row: every second one a line higher.
            let low = i % 2 == 0 || lanes.len() < 6;
            let room = if lanes.len() < 6 { room } else { 2 * room };
            let x = middles[i];
            let y = if low { 420 } else { 180 };
            let (upper, lower) = if name.is_empty() { ("", kind) } else { (kind, name) };
            let half = |s: &str, bold: bool| text::width(s, 11, bold) / 2;
            let lower = text::fit(lower, 11, true, room);
            let upper = if text::width(upper, 11, false) <= room { upper } else { "" };
            let widest = half(&lower, true).max(half(upper, false));
            let x = x.clamp(widest + 10, 3_590 - widest);
            self.labels.lane(Point { x, y: y - 120 }, Anchor::Middle, upper, "");
            self.labels.lane(Point { x, y }, Anchor::Middle, "", &lower);
            if !low {
                self.line(RAIL, "rail", None, (y + 50, middles[i]), (self.axis.from, middles[i]));
            }
        }
    }

    /// Times in which there is no server.
    fn server_down(&mut self) {
        let mut since = None;
        let mut spans = Vec::new();
        for record in &self.story.trace.records {
            match record.event {
                Event::ServerStopped => since = Some(record.at),
                Event::ServerStarted => spans.extend(since.take().map(|from| (from, record.at))),
                _ => {}
            }
        }
        spans.extend(since.map(|from| (from, self.axis.end)));
        let servers = |lane: &&Lane| matches!(lane.whose, Whose::Stream(_) | Whose::Consumer(_) | Whose::Server);
        let (Some(first), Some(last)) =
            (self.lanes.list.iter().find(servers).map(|l| l.from), self.lanes.list.iter().rfind(servers).map(|l| l.to))
        else {
            return;
        };
        for (from, to) in spans {
            let (a, b) = (self.axis.along(from), self.axis.along(to));
            self.rect(RAIL, "down", None, (a, first - 40), (b.max(a + 20), last + 40), 30);
            self.cross(None, (a, first - 40));
            self.labels.beside(self.layout, self.at(a, first - 40), 90, &[Side::Right, Side::Below], "note lost", None, &["server down"]);
        }
    }

    /// Messages from their publishers to the streams, or into nothing.
    fn sent(&mut self, nums: &[String]) {
        let trace = self.story.trace;
        let mut fate = vec![Fate::Open; trace.messages.len()];
        for record in &trace.records {
            let (msg, new) = match record.event {
                Event::Stored { msg, stream, .. } => (msg, Fate::Kept(stream.0)),
                Event::Deduplicated { msg, stream, .. } => (msg, Fate::Known(stream.0)),
                Event::NotKept { msg, stream, .. } | Event::Refused { msg, stream, .. } => (msg, Fate::Lost(Some(stream.0))),
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
            Fate::Kept(s) | Fate::Known(s) | Fate::Lost(Some(s)) => self.lanes.stream(delivery_sim::trace::StreamId(s)),
            _ => self.lanes.server(),
        };
        let (Some(publisher), Some(target)) = (self.lanes.client(burst.by).cloned(), lane.cloned()) else { return };
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
                self.labels.beside(self.layout, self.at(landed.0, target.from - 60), 60, &[Side::Right], "note", single, &["duplicate, not stored", "duplicate"]);
            }
            Fate::Lost(_) => {
                self.cross(single, (landed.0, target.from - 10));
                self.labels.beside(self.layout, self.at(landed.0, target.from - 60), 80, &[Side::Right, Side::Below], "note lost", single, &["lost"]);
            }
            _ => {}
        }
        let leg = Leg { from: (burst.from, near), to: (burst.from + self.slant, target.middle()) };
        self.mover(state, single, &text, vec![leg]);
    }

    /// A message's disc; longer where it stands for several.
    fn chip(&mut self, class: &'static str, msg: Option<Msg>, (along, across): (i32, i32), half: i32, text: &str) {
        let mut p = self.at(along, across);
        if self.wide() {
            // The left end stays where the message is.
            p.x += half - DISC;
        } else {
            p.x = p.x.clamp(half, 3_600 - half);
        }
        let shape = Shape::Rect(Point { x: p.x - half, y: p.y - DISC }, Point { x: p.x + half, y: p.y + DISC }, DISC);
        self.add(CHIP, class, msg, shape);
        self.labels.take(p.x - half, p.y - DISC, p.x + half, p.y + DISC);
        if !self.dense || text.len() < 12 {
            self.labels.put("num", msg.filter(|_| !self.dense), Point { x: p.x, y: p.y + 40 }, Anchor::Middle, text);
        }
    }

    /// When workers are there, when they wait, what they hold and what they do.
    fn workers(&mut self, nums: &[String]) {
        self.presence();
        let mut bars: Vec<Bar> = Vec::new();
        for (i, life) in self.story.lives.iter().enumerate() {
            let Some(lane) = self.lanes.client(life.to).cloned() else { continue };
            let msg = Some(life.delivery.msg);
            let class = if life.again() { "buffer again" } else { "buffer inflight" };
            if let (Some((from, until)), Some(row)) = (buffered(life, self.axis, self.slant), self.lanes.buffer_row[i]) {
                let across = lane.row(row);
                let mut points = vec![self.at(from, across), self.at(until, across)];
                if life.started.is_some() {
                    points.push(self.at(until, lane.bar_from()));
                }
                self.add(BUFFER, class, msg, Shape::Line(points));
            }
            let Some(bar) = bar(life, self.axis, self.slant) else { continue };
            bars.push(Bar { lane: lane.from, life: Some(i), ..bar });
        }
        if self.dense {
            bars = merged(bars);
        }
        for bar in &bars {
            let Some(lane) = self.lanes.list.iter().find(|l| l.from == bar.lane).cloned() else { continue };
            let life = bar.life.map(|i| &self.story.lives[i]);
            let msg = life.map(|life| life.delivery.msg);
            self.rect(WORK, bar.class, msg, (bar.from, lane.bar_from()), (bar.to, lane.to), 30);
            let (a, b) = (self.at(bar.from, lane.bar_from()), self.at(bar.to, lane.to));
            self.labels.take(a.x, a.y, b.x, b.y);
            if let (Some(msg), false) = (msg, self.dense) {
                let num = &nums[msg.0 as usize];
                let (wide, room) = (text::width(num, 11, true), bar.to - bar.from);
                let p = self.at(bar.from, lane.middle());
                if self.wide() && room >= wide + 16 {
                    let x = p.x + ((room - wide) / 2).min(70);
                    self.labels.put("num", Some(msg), Point { x, y: p.y + 40 }, Anchor::Start, num);
                } else if !self.wide() && room >= 115 && wide + 10 <= lane.bar {
                    self.labels.put("num", Some(msg), Point { x: p.x, y: p.y + 105 }, Anchor::Middle, num);
                }
            }
        }
        self.crashes();
    }

    /// Lines of a worker's lane: it is there; it has a pull open and waits.
    fn presence(&mut self) {
        let trace = self.story.trace;
        for (place, client) in trace.clients.iter().enumerate() {
            let id = ClientId(place as u16);
            let Some(lane) = self.lanes.client(id).filter(|l| matches!(l.whose, Whose::Worker(_))).cloned() else { continue };
            let mut busy: Vec<(Time, i64)> = Vec::new();
            for life in self.story.lives.iter().filter(|l| l.to == id) {
                if let Some(arrived) = life.arrived {
                    let free = life.work_end.map(|(at, _)| at).or(life.lost_in_buffer).unwrap_or(self.axis.end);
                    busy.extend([(arrived, 1), (free.max(arrived), -1)]);
                }
            }
            let mut asked = 0_i64;
            let mut here = None;
            let mut marks: Vec<(Time, Presence)> = busy.into_iter().map(|(at, n)| (at, Presence::Busy(n))).collect();
            for record in &trace.records {
                let mark = match record.event {
                    Event::Started { client } if client == id => Presence::Here,
                    Event::Crashed { client } | Event::Stopped { client } if client == id => Presence::Gone,
                    Event::Pulled { by, batch, .. } if by == id => Presence::Asked(i64::from(batch)),
                    Event::PullEnded { by, missing, .. } if by == id => Presence::Asked(-i64::from(missing)),
                    Event::Arrived { at, .. } if at == id => Presence::Asked(-1),
                    _ => continue,
                };
                marks.push((record.at, mark));
            }
            marks.sort_by_key(|(at, _)| *at);
            marks.push((self.axis.end, Presence::Gone));
            let (mut held, mut waits) = (0, None);
            let middle = lane.middle();
            for (at, mark) in marks {
                match mark {
                    Presence::Here => here = Some(at),
                    Presence::Gone => {
                        asked = 0;
                        if let Some(from) = here.take() {
                            self.line(ALIVE, "alive", None, (self.axis.along(from), middle), (self.axis.along(at), middle));
                        }
                    }
                    Presence::Asked(n) => asked += n,
                    Presence::Busy(n) => held += n,
                }
                let waiting = asked > 0 && held == 0 && at < self.axis.end;
                match (waits, waiting) {
                    (None, true) => waits = Some(at),
                    (Some(since), false) => {
                        waits = None;
                        self.waits(&client.name, &lane, since, at);
                    }
                    _ => {}
                }
            }
        }
    }

    fn waits(&mut self, _who: &str, lane: &Lane, since: Time, until: Time) {
        let (from, to) = (self.axis.along(since), self.axis.along(until));
        if to - from < 60 {
            return;
        }
        let middle = lane.middle();
        // Two strokes: the line of the lane is taken away under the dots.
        self.line(ALIVE, "waits", None, (from, middle), (to, middle));
        if self.wide() && !self.dense {
            let p = Point { x: i32::midpoint(from, to), y: middle + 40 };
            self.labels.inside("note", None, p, to - from - 80, &["waits for a message", "waits"]);
        }
    }

    fn crashes(&mut self) {
        for record in &self.story.trace.records {
            let (client, word) = match record.event {
                Event::Crashed { client } => (client, true),
                Event::Stopped { client } => (client, false),
                _ => continue,
            };
            let Some(lane) = self.lanes.client(client).cloned() else { continue };
            let place = (self.axis.along(record.at), lane.middle());
            let held = self.story.lives.iter().find(|l| {
                l.to == client && l.work_end.is_some_and(|(at, end)| at == record.at && end == WorkEnd::Died)
            });
            if word {
                self.cross(held.map(|l| l.delivery.msg), place);
            } else {
                self.line(ALIVE, "alive", None, (place.0, place.1 - 50), (place.0, place.1 + 50));
            }
            if !self.dense {
                let (class, words): (_, &[&str]) = if word { ("note lost", &["dies"]) } else { ("note", &["leaves"]) };
                let sides = if self.wide() { [Side::Right, Side::Below, Side::Above] } else { [Side::Below, Side::Right, Side::Left] };
                self.labels.beside(self.layout, self.at(place.0, place.1), 80, &sides, class, None, words);
            }
        }
    }

    /// Deliveries from the consumer to its workers; several at once are one arrow.
    fn deliveries(&mut self, nums: &[String]) {
        let mut i = 0;
        while i < self.story.lives.len() {
            let head = &self.story.lives[i];
            let fits = |other: &Life| {
                other.to == head.to
                    && other.again() == head.again()
                    && other.missed.is_some() == head.missed.is_some()
                    && other.delivery.consumer == head.delivery.consumer
                    && self.axis.along(other.sent) - self.axis.along(head.sent) < 15
            };
            let mut to = i + 1;
            while self.story.lives.get(to).is_some_and(fits) {
                to += 1;
            }
            self.delivery(i..to, nums);
            i = to;
        }
        for i in 0..self.story.lives.len() {
            self.answers(i, nums);
        }
    }

    fn delivery(&mut self, range: core::ops::Range<usize>, nums: &[String]) {
        let head = &self.story.lives[range.start];
        let (Some(consumer), Some(worker)) =
            (self.lanes.consumer(head.delivery.consumer).cloned(), self.lanes.client(head.to).cloned())
        else {
            return;
        };
        let msgs: Vec<Msg> = range.clone().map(|i| self.story.lives[i].delivery.msg).collect();
        let single = (msgs.len() == 1).then(|| msgs[0]);
        let sent = self.axis.along(head.sent);
        let arrives = head.arrived.or(head.missed).map_or(sent, |at| self.axis.along(at)).max(sent + self.slant);
        let rows = range.clone().filter_map(|i| self.lanes.watch_row[i]);
        // From the stopwatch it starts; of several, from the one furthest away, so that the arrow joins them.
        let from = match rows.clone().max() {
            Some(row) if msgs.len() > 1 => consumer.row(row) - consumer.pitch / 2 + 10,
            Some(row) => consumer.row(row) + consumer.pitch / 2 - 10,
            None => consumer.to - 10,
        };
        let waits = range.clone().filter(|&i| self.lanes.buffer_row[i].is_some()).filter_map(|i| self.lanes.buffer_row[i]).max();
        let to = match waits {
            Some(row) => worker.row(row) - 20,
            None => worker.bar_from() - 10,
        };
        let missed = head.missed.is_some();
        let (class, state) = match (missed, head.again()) {
            (true, _) => ("flight lost", "lost"),
            (_, true) => ("flight again", "again"),
            _ => ("flight inflight", "inflight"),
        };
        self.flight(class, single, (sent, from), (arrives, to));
        if missed {
            self.cross(single, (arrives, to));
        }
        if self.dense {
            return;
        }
        let leg = Leg { from: (sent, from), to: (arrives, worker.middle()) };
        if let Some(msg) = single {
            let mut legs = vec![leg];
            legs.extend(self.at_work(range.start, &worker));
            self.mover(state, single, &nums[msg.0 as usize], legs);
        } else {
            self.mover(state, None, &numbers(&msgs, nums), vec![leg]);
            for i in range.clone() {
                let msg = self.story.lives[i].delivery.msg;
                let legs = self.at_work(i, &worker).into_iter().collect();
                self.mover(state, Some(msg), &nums[msg.0 as usize], legs);
            }
        }
        let attempt = head.delivery.attempt;
        let even = range.clone().all(|i| self.story.lives[i].delivery.attempt == attempt);
        let count = if even { format!("#{attempt}") } else { "#2 or later".into() };
        let which = if single.is_some() { String::new() } else { format!(": {}", numbers(&msgs, nums)) };
        let (class, words) = match (missed, head.again()) {
            (true, _) => ("note lost", [format!("{count}{which}, lost"), "lost".into()]),
            (_, true) => ("note again", [format!("{count}, again{which}"), count.clone()]),
            _ => ("note inflight", [format!("{count}{which}"), count.clone()]),
        };
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (place, sides): (_, &[Side]) = if self.wide() {
            (self.at(arrives, to - 75), &[Side::Right, Side::Left])
        } else {
            (self.at(arrives, to - 60), &[Side::LeftAbove, Side::LeftBelow, Side::Above, Side::Below])
        };
        self.labels.beside(self.layout, place, 45, sides, class, single, &words);
        if !self.wide() {
            return;
        }
        // A second try higher up, where the first place is taken.
        if !self.labels.last_is(&words) {
            let place = self.at(arrives, to - 205);
            self.labels.beside(self.layout, place, 45, sides, class, single, &words);
        }
    }

    /// The way along its bar of a delivery that is worked on.
    fn at_work(&self, i: usize, worker: &Lane) -> Option<Leg> {
        let bar = bar(&self.story.lives[i], self.axis, self.slant)?;
        Some(Leg { from: (bar.from, worker.middle()), to: (bar.to, worker.middle()) })
    }

    /// Answers of one delivery, from the worker back to the consumer.
    fn answers(&mut self, i: usize, nums: &[String]) {
        let life = &self.story.lives[i];
        let (Some(consumer), Some(worker)) =
            (self.lanes.consumer(life.delivery.consumer).cloned(), self.lanes.client(life.to).cloned())
        else {
            return;
        };
        let msg = life.delivery.msg;
        let row = self.lanes.watch_row[i].map_or(consumer.to - 60, |row| consumer.row(row) + 30);
        for said in &life.answers {
            let at = self.axis.along(said.at);
            let arrives = said.recorded.map_or(at, |(t, _)| self.axis.along(t)).max(at + self.slant);
            let (class, state) = look(*said);
            let near = worker.bar_from();
            let lost = said.recorded.is_none();
            let to = if lost { i32::midpoint(near, row) } else { row };
            self.flight(class, Some(msg), (at, near), (arrives, to));
            if lost {
                self.cross(Some(msg), (arrives, to));
            }
            if matches!(said.recorded, Some((_, Effect::Nothing))) {
                self.ring(Some(msg), (arrives, to));
            }
            if self.dense {
                continue;
            }
            let legs = vec![Leg { from: (at, worker.middle()), to: (arrives, to) }];
            self.mover(state, Some(msg), &nums[msg.0 as usize], legs);
            let words = self.answer_words(life, *said);
            let Some((class, words)) = words else { continue };
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let middle = i32::midpoint(near, consumer.to);
            let (place, sides): (_, &[Side]) = if self.wide() {
                (self.at(at + self.slant / 2, middle), &[Side::Right, Side::Left])
            } else {
                (self.at(at + self.slant / 2, middle), &[Side::Above, Side::Below])
            };
            self.labels.beside(self.layout, place, 50, sides, class, Some(msg), &words);
        }
    }

    /// What is written at an answer; an ordinary ack is named once on each worker's lane.
    fn answer_words(&self, life: &Life, said: Said) -> Option<(&'static str, Vec<String>)> {
        let some = |class: &'static str, words: &[&str]| Some((class, words.iter().map(|w| (*w).to_owned()).collect()));
        let acks = |l: &Life| l.answers.iter().find(|s| s.reply == Reply::Ack).map(|s| s.at);
        match (said.reply, said.recorded) {
            (_, None) => some("note lost", &["answer lost", "lost"]),
            (Reply::Ack, Some((_, Effect::Nothing))) => some("note", &["too late"]),
            (Reply::Ack, Some((at, _))) => {
                let late = life.over.is_some_and(|(t, over)| over == Over::Expired && t <= at);
                let first = self.story.lives.iter().filter(|l| l.to == life.to).filter_map(acks).min() == Some(said.at);
                match (late, first) {
                    (true, _) => some("note acked", &["late ack", "ack"]),
                    (_, true) => some("note acked", &["ack"]),
                    _ => None,
                }
            }
            (Reply::Nak, _) => some("note again", &["nak"]),
            (Reply::NakDelay(delay), _) => Some(("note again", vec![format!("nak, in {delay}"), "nak".into()])),
            (Reply::Term, _) => some("note dead", &["term"]),
            (Reply::InProgress, _) => some("note inflight", &["in progress"]),
            (Reply::Unknown, _) => some("note", &["unknown answer", "?"]),
        }
    }

    /// The stopwatches: each runs out from its delivery to its deadline, and what comes then.
    fn watches(&mut self, nums: &[String]) {
        let mut labelled: Vec<ConsumerId> = Vec::new();
        for i in 0..self.story.lives.len() {
            let life = &self.story.lives[i];
            let Some(consumer) = self.lanes.consumer(life.delivery.consumer).cloned() else { continue };
            let Some(row) = self.lanes.watch_row[i] else { continue };
            let middle = consumer.row(row);
            let half = consumer.pitch / 2 - 10;
            self.watch(life, middle, half);
            self.after(life, middle, half);
            if self.dense {
                continue;
            }
            let first = !labelled.contains(&life.delivery.consumer);
            if first {
                labelled.push(life.delivery.consumer);
            }
            self.name_watch(life, middle, &consumer, first, nums);
        }
        if self.lanes.hidden > 0
            && let Some(consumer) = self.lanes.list.iter().find(|l| matches!(l.whose, Whose::Consumer(_))).cloned()
        {
            let words = format!("{} more stopwatches run, not drawn", self.lanes.hidden);
            let place = self.at(self.axis.from, consumer.from - 60);
            self.labels.beside(self.layout, place, 20, &[Side::Right], "note", None, &[&words]);
        }
    }

    fn watch(&mut self, life: &Life, middle: i32, half: i32) {
        let msg = Some(life.delivery.msg);
        let class = if life.again() { "watch again" } else { "watch inflight" };
        let over = life.over.map_or(self.axis.end, |(at, _)| at);
        for (k, watch) in life.watch.iter().enumerate() {
            let (from, until) = (self.axis.along(watch.from), self.axis.beyond(watch.until));
            let stop = life.watch.get(k + 1).map_or(over, |next| next.from).min(watch.until).min(self.axis.end);
            let stop = self.axis.along(stop);
            if k > 0 {
                self.line(WATCH_END, "beat", msg, (from, middle - half), (from, middle + half));
            }
            if stop <= from {
                continue;
            }
            // Its height is what is left of it.
            let left = i64::from(half) * i64::from(until - stop) / i64::from((until - from).max(1));
            let left = left.clamp(0, i64::from(half)) as i32;
            let mut points = vec![self.at(from, middle - half), self.at(from, middle + half)];
            if left > 0 {
                points.push(self.at(stop, middle + left));
            }
            points.push(self.at(stop, middle - left));
            self.add(WATCH, class, msg, Shape::Area(points));
            let answered = life.over.is_some_and(|(_, over)| !matches!(over, Over::Expired | Over::Replaced));
            let spare = until.min(self.axis.to);
            if answered && k + 1 == life.watch.len() && !self.dense && spare - stop > self.slant + 140 {
                let class = if life.again() { "spare again" } else { "spare inflight" };
                self.line(WAITING, class, msg, (stop, middle), (spare, middle));
            }
        }
    }

    /// What ended a stopwatch, and what the message waits for then.
    fn after(&mut self, life: &Life, middle: i32, half: i32) {
        let msg = Some(life.delivery.msg);
        let sign = |at: Time| self.axis.along(at) + self.slant + 50;
        let settled = life.settled.map(|(at, reply, _)| (sign(at), reply));
        let exhausted = life.exhausted.map(sign);
        let leaves = self.axis.along(life.leaves(self.axis.end));
        if let Some((at, over)) = life.over {
            let place = self.axis.along(at);
            match over {
                Over::Expired => {
                    self.line(WATCH_END, "ran-out", msg, (place, middle - half), (place, middle + half));
                    self.labels.take_along(self.at(place, middle), 15);
                }
                Over::Nak | Over::Delay => {
                    if !self.dense {
                        self.hook(msg, (place + self.slant + 40, middle));
                    }
                }
                Over::Removed => self.cross(msg, (place, middle)),
                Over::Settled | Over::Replaced => {}
            }
            let queued = matches!(over, Over::Expired | Over::Nak | Over::Delay);
            if queued && leaves - place > 60 {
                self.line(WAITING, "queue", msg, (place, middle), (leaves, middle));
                let words: &[&str] = match (over, life.delayed_until) {
                    (Over::Delay, Some(_)) => &["delayed"],
                    _ if life.exhausted.is_none() => &["waits for a pull", "waits"],
                    _ => &["waits"],
                };
                if !self.dense {
                    let p = self.at(i32::midpoint(place, leaves), middle);
                    let room = if self.wide() { leaves - place - 120 } else { 2 * half + 10 };
                    self.labels.inside("note again", msg, Point { x: p.x, y: p.y + 38 }, room, words);
                }
            }
        }
        match settled {
            Some((place, Reply::Term)) => self.lozenge(msg, (place, middle)),
            Some((place, _)) if !self.dense => self.tick(msg, (place, middle)),
            _ => {}
        }
        if let Some(place) = exhausted {
            self.lozenge(msg, (place, middle));
            if !self.dense {
                let sides = if self.wide() { [Side::Right, Side::Left] } else { [Side::Below, Side::Right] };
                self.labels.beside(self.layout, self.at(place, middle), 80, &sides, "note dead", msg, &["given up"]);
            }
        }
    }

    /// The number of the message at the base of its stopwatch; the first one says what it is and how long it runs.
    fn name_watch(&mut self, life: &Life, middle: i32, consumer: &Lane, first: bool, nums: &[String]) {
        let msg = life.delivery.msg;
        let num = &nums[msg.0 as usize];
        let wide = text::width(num, 11, true);
        let from = self.axis.along(life.sent);
        let until = self.axis.along(life.over.map_or(self.axis.end, |(at, _)| at));
        let p = self.at(from, middle);
        if !self.wide() {
            if wide <= consumer.pitch && until - from > 130 {
                self.labels.try_put("num", Some(msg), Point { x: p.x, y: p.y + 115 }, Anchor::Middle, num);
            }
            if first || consumer.rows <= 2 {
                let wait = life.wait().to_string();
                if text::width(&wait, 11, false) <= consumer.pitch + 20 && until - from > 260 {
                    self.labels.try_put("note", Some(msg), Point { x: p.x, y: p.y + 240 }, Anchor::Middle, &wait);
                }
            }
            return;
        }
        let x = p.x + 45;
        if until - from < wide + 60 || !self.labels.try_put("num", Some(msg), Point { x, y: p.y + 40 }, Anchor::Start, num) {
            return;
        }
        if first || consumer.rows <= 4 {
            let wait = life.wait();
            let backoff = self.story.trace.scenario.consumers.iter().any(|c| !c.config.backoff.is_empty());
            let long = format!("{} {wait}", if backoff { "backoff" } else { "ack_wait" });
            let room = (until - from) * 3 / 4 - wide - 110;
            for words in [long, wait.to_string()] {
                if text::width(&words, 11, false) <= room {
                    let x = x + wide + 60;
                    self.labels.try_put("note", Some(msg), Point { x, y: p.y + 40 }, Anchor::Start, &words);
                    break;
                }
            }
        }
    }

    /// Copies of Core NATS: from the server to subscribers, and what their handlers do.
    fn core(&mut self, nums: &[String]) {
        let trace = self.story.trace;
        let Some(server) = self.lanes.server().cloned() else { return };
        let mut handling: Vec<(ClientId, Msg, Time)> = Vec::new();
        for record in &trace.records {
            match record.event {
                Event::Routed { msg, to } => {
                    let Some(lane) = self.lanes.client(to).cloned() else { continue };
                    let at = self.axis.along(record.at);
                    self.flight("flight inflight", Some(msg), (at, server.middle()), (at + self.slant, lane.bar_from() - 10));
                    let leg = Leg { from: (at, server.middle()), to: (at + self.slant, lane.middle()) };
                    self.mover("inflight", Some(msg), &nums[msg.0 as usize], vec![leg]);
                }
                Event::Dropped { msg, by, .. } => {
                    let Some(lane) = self.lanes.client(by).cloned() else { continue };
                    let place = (self.axis.along(record.at) + self.slant, lane.bar_from() - 10);
                    self.cross(Some(msg), place);
                    if !self.dense {
                        self.labels.beside(self.layout, self.at(place.0, place.1), 80, &[Side::Right, Side::Above], "note lost", Some(msg), &["lost"]);
                    }
                }
                Event::HandlerStarted { msg, by } => handling.push((by, msg, record.at)),
                Event::HandlerDone { msg, by } => {
                    if let Some(place) = handling.iter().position(|(b, m, _)| (*b, *m) == (by, msg)) {
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
        self.rect(WORK, "work inflight done", Some(msg), (from, lane.bar_from()), (to, lane.to), 30);
        let num = &nums[msg.0 as usize];
        let wide = text::width(num, 11, true);
        if self.wide() && !self.dense && to - from >= wide + 16 {
            let p = self.at(from, lane.middle());
            let x = p.x + ((to - from - wide) / 2).min(70);
            self.labels.put("num", Some(msg), Point { x, y: p.y + 40 }, Anchor::Start, num);
        }
    }

    /// What a stream still holds at the end although all of it may be settled.
    fn stream_note(&mut self) {
        if !self.wide() {
            return;
        }
        let trace = self.story.trace;
        for lane in self.lanes.list.clone() {
            let Whose::Stream(stream) = lane.whose else { continue };
            let (mut kept, mut gone) = (0_u32, 0_u32);
            for record in &trace.records {
                match record.event {
                    Event::Stored { stream: s, .. } if s == stream => kept += 1,
                    Event::Removed { stream: s, .. } if s == stream => gone += 1,
                    _ => {}
                }
            }
            let settled = self.story.lives.iter().any(|l| l.settled.is_some());
            let left = kept.saturating_sub(gone);
            if left == 0 {
                continue;
            }
            let plain = format!("{left} stored at the end");
            let long = format!("{plain}: an ack does not delete");
            let words: [&str; 2] = if settled && gone == 0 { [&long, &plain] } else { [&plain, ""] };
            let at = self.at(self.axis.to - 90, lane.middle());
            for words in words.into_iter().filter(|w| !w.is_empty()) {
                if self.labels.try_put("note", None, Point { x: at.x, y: at.y + 40 }, Anchor::End, words) {
                    break;
                }
            }
        }
    }

    /// Messages that leave their stream before the end.
    fn seqs(&mut self) {
        let gone: Vec<(Msg, i32, i32)> = self
            .story
            .trace
            .records
            .iter()
            .filter_map(|record| match record.event {
                Event::Removed { msg, stream, .. } => {
                    let lane = self.lanes.stream(stream)?;
                    Some((msg, self.axis.along(record.at), lane.middle()))
                }
                _ => None,
            })
            .collect();
        for (msg, along, middle) in gone {
            self.line(SIGN, "rail", Some(msg), (along, middle - 80), (along, middle + 80));
        }
    }
}

/// What a lane is called: its kind, and its name unless that says the same.
fn titles(lane: &Lane) -> (&str, &str) {
    if lane.name == lane.kind {
        ("", lane.kind)
    } else if lane.name.starts_with(lane.kind) {
        ("", &lane.name)
    } else {
        (lane.kind, &lane.name)
    }
}

#[derive(Clone, Copy)]
enum Presence {
    Here,
    Gone,
    Asked(i64),
    Busy(i64),
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
    /// The end of its disc on the axis.
    fn until(&self, nums: &[String]) -> i32 {
        let wide = (text::width(&numbers(&self.msgs, nums), 11, true) + 90).max(2 * DISC);
        self.last.max(self.from - DISC + wide)
    }
}

/// Messages by number: `1`, `1, 2`, `1–10`, `12 messages`.
fn numbers(msgs: &[Msg], nums: &[String]) -> String {
    let of = |msg: &Msg| nums.get(msg.0 as usize).map_or("", String::as_str);
    match msgs {
        [] => String::new(),
        [one] => of(one).to_owned(),
        [one, other] => format!("{}, {}", of(one), of(other)),
        [first, .., last] => {
            let values: Vec<Option<u64>> = msgs.iter().map(|m| of(m).parse().ok()).collect();
            let run = values.windows(2).all(|w| matches!(w, [Some(a), Some(b)] if a + 1 == *b));
            if run {
                format!("{}–{}", of(first), of(last))
            } else if msgs.len() <= 4 {
                msgs.iter().map(of).collect::<Vec<_>>().join(", ")
            } else {
                format!("{} messages", msgs.len())
            }
        }
    }
}

/// The class and the state of an answer on its way.
fn look(said: Said) -> (&'static str, &'static str) {
    match (said.reply, said.recorded) {
        (_, None) => ("flight lost", "lost"),
        (_, Some((_, Effect::Nothing))) | (Reply::Unknown, _) => ("flight void", "stored"),
        (Reply::Ack, _) => ("flight acked", "acked"),
        (Reply::Nak | Reply::NakDelay(_), _) => ("flight again", "again"),
        (Reply::Term, _) => ("flight dead", "dead"),
        (Reply::InProgress, _) => ("flight inflight", "inflight"),
    }
}

/// A work bar along the axis.
struct Bar {
    class: &'static str,
    from: i32,
    to: i32,
    /// The near edge of its lane.
    lane: i32,
    life: Option<usize>,
}

/// The bar of a delivery that was worked on.
fn bar(life: &Life, axis: Axis, slant: i32) -> Option<Bar> {
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
    Some(Bar { class, from, to, lane: 0, life: None })
}

/// Bars of one lane and class that touch, as one.
fn merged(mut bars: Vec<Bar>) -> Vec<Bar> {
    bars.sort_by_key(|bar| (bar.lane, bar.class, bar.from));
    let mut out: Vec<Bar> = Vec::new();
    for bar in bars {
        match out.last_mut() {
            Some(last) if (last.lane, last.class) == (bar.lane, bar.class) && bar.from - last.to <= 20 => {
                last.to = last.to.max(bar.to);
                last.life = None;
            }
            _ => out.push(Bar { life: None, ..bar }),
        }
    }
    out
}
