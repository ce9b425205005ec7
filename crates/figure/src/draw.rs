//! Draws a run: lanes, messages on their way, work, and above all the stopwatches. Lengths are tenths of a unit.

mod core_nats;
mod effects;
mod flights;
mod frame;
mod messages;
mod shelf;
mod watches;
mod work;

#[cfg(test)]
mod tests;

use crate::labels::{Labels, Side, Spot};
use crate::lanes::{self, Axis, Lane, Lanes, Whose, buffered};
use crate::scene::{Anchor, Layout, Leg, Mark, Mover, Point, Scene, Shape, point};
use crate::story::{Life, Over, Said, Story, WorkEnd};
use crate::text;
use crate::ways::{Ways, original};
use delivery_sim::Time;
use delivery_sim::order::sorted;
use delivery_sim::trace::{ClientId, ConsumerId, Effect, Event, Msg, Reply};

/// A run of more deliveries or messages is drawn without numbers, labels and movers.
const DENSE: usize = 150;
/// So many lanes have their names in one line on a narrow picture.
const FEW: usize = 4;
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

// Which labels are placed first.
const NUMBER: u8 = 0;
const DELIVERY: u8 = 1;
const FATE: u8 = 2;
const ANSWER: u8 = 3;
const STOPWATCH: u8 = 4;
const QUEUE: u8 = 5;
const IDLE: u8 = 6;

impl Mover {
    /// Half its length, in tenths.
    pub(crate) fn half(&self) -> i32 {
        HALF_MOVER.max((text::width(&self.text, 11, true) + 90) / 2)
    }
}

/// Draws a run.
pub(crate) fn draw(story: &Story<'_>, layout: Layout) -> Scene {
    let end = story.trace.end;
    let dense = story.lives.len() > DENSE || story.trace.messages.len() > DENSE;
    let ways = Ways::new(story.trace, dense);
    let wide = layout == Layout::Wide;
    let pill = (text::width(&end.to_string(), 12, true) + 150) / 10;
    let axis = if wide {
        Axis { from: 1480, to: 9180 - 10 * (pill / 2).max(24), end }
    } else {
        let length = 4_600 + 30 * story.lives.len().min(100) as i32;
        // Room for one line of names, or for two where there are many lanes.
        let from = if lanes::count(story, &ways, layout) > FEW { 800 } else { 520 };
        Axis { from, to: from + length, end }
    };
    let slant = slant(story, axis);
    let lanes = if wide {
        Lanes::new(story, &ways, axis, layout, slant, 300, None)
    } else {
        Lanes::new(story, &ways, axis, layout, slant, 640, Some(3_470))
    };
    let across =
        (lanes.list.first().map_or(300, |l| l.from), lanes.list.last().map_or(600, |l| l.to));
    let (width, height) =
        if wide { (920, (across.1 + 300) / 10) } else { (360, (axis.to + 120) / 10) };
    let edges = if wide { (24, (across.1 + 90) / 10) } else { (55, 360) };
    let labels = Labels::new(width * 10, height * 10);
    let mut artist = Artist {
        story,
        ways: &ways,
        layout,
        axis,
        lanes,
        slant,
        dense,
        marks: Vec::new(),
        labels,
        movers: Vec::new(),
        said: Vec::new(),
    };
    artist.frame(edges);
    artist.server_down();
    let nums = artist.nums();
    artist.shelves(&nums);
    artist.sent(&nums);
    artist.workers(&nums);
    artist.deliveries(&nums);
    artist.watches(&nums);
    artist.core(&nums);
    artist.effects(&nums);
    artist.stream_note();
    artist.labels.settle();
    let Artist { mut marks, mut labels, mut movers, .. } = artist;
    // An advisory and a dead letter are marked as the message that they are about.
    let who = |msg: &mut Option<u32>| *msg = msg.map(|m| original(story.trace, Msg(m)).0);
    marks.iter_mut().for_each(|mark| who(&mut mark.msg));
    labels.placed.iter_mut().for_each(|text| who(&mut text.msg));
    movers.iter_mut().for_each(|mover| who(&mut mover.msg));
    let mut marks = sorted(marks, Ord::cmp);
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
    ways: &'a Ways,
    layout: Layout,
    axis: Axis,
    lanes: Lanes<'a>,
    slant: i32,
    dense: bool,
    marks: Vec<Mark>,
    labels: Labels,
    movers: Vec<Mover>,
    /// What was said beside signs, and where: not again next to it.
    said: Vec<(i32, i32, &'static str)>,
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
    fn line(
        &mut self,
        layer: u8,
        class: &'static str,
        msg: Option<Msg>,
        from: (i32, i32),
        to: (i32, i32),
    ) {
        let shape = Shape::Line(vec![self.at(from.0, from.1), self.at(to.0, to.1)]);
        self.add(layer, class, msg, shape);
    }

    fn rect(
        &mut self,
        layer: u8,
        class: &'static str,
        msg: Option<Msg>,
        from: (i32, i32),
        to: (i32, i32),
        round: i32,
    ) {
        let shape = Shape::Rect(self.at(from.0, from.1), self.at(to.0, to.1), round);
        self.add(layer, class, msg, shape);
    }

    /// A sign of a few strokes around a place, given in the picture's own directions.
    fn sign(
        &mut self,
        class: &'static str,
        msg: Option<Msg>,
        (along, across): (i32, i32),
        strokes: &[&[(i32, i32)]],
    ) {
        let p = self.at(along, across);
        for stroke in strokes {
            let points = stroke.iter().map(|(x, y)| Point { x: p.x + x, y: p.y + y }).collect();
            let shape = if class == "end" || class == "ring" {
                Shape::Area(points)
            } else {
                Shape::Line(points)
            };
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
        self.sign(
            "back",
            msg,
            at,
            &[&[(-45, 35), (40, 35), (40, -15), (-40, -15)], &[(-15, -45), (-45, -15), (-15, 15)]],
        );
    }

    fn ring(&mut self, msg: Option<Msg>, at: (i32, i32)) {
        self.sign(
            "ring",
            msg,
            at,
            &[&[
                (-30, -12),
                (-12, -30),
                (12, -30),
                (30, -12),
                (30, 12),
                (12, 30),
                (-12, 30),
                (-30, 12),
            ]],
        );
    }

    /// An arrow with its head, as one path.
    fn flight(
        &mut self,
        class: &'static str,
        msg: Option<Msg>,
        mut from: (i32, i32),
        mut to: (i32, i32),
    ) {
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
        if self.dense {
            return;
        }
        self.labels.take_thin(
            a.x.min(b.x) - 15,
            a.y.min(b.y) - 15,
            a.x.max(b.x) + 15,
            a.y.max(b.y) + 15,
        );
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
