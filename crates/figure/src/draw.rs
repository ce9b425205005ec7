//! Draws a run: lanes, messages on their way, work, and above all the stopwatches. Lengths are tenths of a unit.

mod bands;
mod clip;
mod core_nats;
mod effects;
mod flights;
mod frame;
mod messages;
mod returns;
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
use crate::window::Window;
use clip::Clip;
use delivery_sim::order::sorted;
use delivery_sim::trace::{ClientId, ConsumerId, Effect, Event, Msg, Reply};
use delivery_sim::{Dur, Time, Trace};

/// With more deliveries or messages than this in the window a picture has bands in place of single marks.
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

/// Draws what a window shows of a run.
pub(crate) fn draw(story: &Story<'_>, layout: Layout, window: Window) -> Scene {
    let end = story.trace.end;
    let wide = layout == Layout::Wide;
    let pill = (text::width(&end.to_string(), 12, true) + 150) / 10;
    let seen = visible(story, window);
    let dense = seen.most() > DENSE;
    // Bands need none of it.
    let ways = if dense { Ways::default() } else { Ways::new(story.trace) };
    let axis = if wide {
        Axis { from: 1480, to: 9180 - 10 * (pill / 2).max(24), window, end }
    } else {
        // Room for one line of names, or for two where there are many lanes; a band has more to say.
        let (from, length) = match (dense, lanes::count(story, &ways, layout) > FEW) {
            (true, _) => (1_060, 5_600),
            (_, true) => (800, 4_600 + 30 * seen.lives.min(100) as i32),
            _ => (520, 4_600 + 30 * seen.lives.min(100) as i32),
        };
        Axis { from, to: from + length, window, end }
    };
    if dense {
        return banded(story, layout, axis, pill);
    }
    let slant = slant(story, axis);
    let lanes = if wide {
        Lanes::new(story, &ways, axis, layout, slant, 300, None)
    } else {
        Lanes::new(story, &ways, axis, layout, slant, 640, Some(3_470))
    };
    let across =
        (lanes.list.first().map_or(300, |l| l.from), lanes.list.last().map_or(600, |l| l.to));
    let (mut artist, frame) = Artist::new(story, &ways, layout, axis, lanes, slant, across);
    artist.frame(frame.edges);
    // A lane stays as it is; what happens on it is cut off where the window ends.
    let clip = frame.clip(axis, layout);
    let still = artist.marks.len();
    artist.labels.keep_within(artist.at(clip.from, i32::MIN), artist.at(clip.to, i32::MAX));
    artist.server_down();
    let nums = artist.nums();
    artist.shelves(&nums);
    artist.sent(&nums);
    artist.workers(&nums);
    artist.deliveries(&nums);
    artist.watches(&nums);
    artist.core(&nums);
    artist.returns(&nums);
    artist.effects(&nums);
    artist.stream_note();
    artist.labels.settle();
    let happening = artist.marks.split_off(still);
    for mark in happening {
        clip.mark(mark, &mut artist.marks);
    }
    for mover in &mut artist.movers {
        clip.mover(mover);
    }
    artist.scene(&frame, pill)
}

/// Whether a whole run is too dense for single marks.
pub(crate) fn is_dense(story: &Story<'_>) -> bool {
    visible(story, Window::whole(story.trace.end)).most() > DENSE
}

/// Draws a run that is too dense for single marks.
fn banded(story: &Story<'_>, layout: Layout, axis: Axis, pill: i32) -> Scene {
    let wide = layout == Layout::Wide;
    let bands = bands::bands(story, axis);
    let places = bands::places(bands.len(), wide);
    let across = (300, places.last().map_or(600, |(_, to)| *to));
    let ways = Ways::default();
    let (mut artist, frame) = Artist::new(story, &ways, layout, axis, Lanes::default(), 0, across);
    artist.frame(frame.edges);
    artist.bands(&bands, &places);
    artist.scene(&frame, pill)
}

/// What of a run is in a window.
struct Visible {
    lives: usize,
    sent: usize,
    copies: usize,
}

impl Visible {
    fn most(&self) -> usize {
        self.lives.max(self.sent).max(self.copies)
    }
}

fn visible(story: &Story<'_>, window: Window) -> Visible {
    let end = story.trace.end;
    let lives = story.lives.iter();
    let lives = lives.filter(|l| l.sent <= window.to && l.ends(end) >= window.from).count();
    let (mut sent, mut copies) = (0, 0);
    for record in &story.trace.records {
        if window.from <= record.at && record.at <= window.to {
            match record.event {
                Event::Published { .. } => sent += 1,
                Event::Routed { .. } => copies += 1,
                _ => {}
            }
        }
    }
    Visible { lives, sent, copies }
}

/// The size of a picture, and where its lanes begin and end across the axis, in units.
struct Frame {
    width: i32,
    height: i32,
    edges: (i32, i32),
}

impl Frame {
    /// What of the axis is left where the run goes on beyond its ends: there nothing may stick out.
    fn clip(&self, axis: Axis, layout: Layout) -> Clip {
        let from = if axis.window.from == Time::ZERO { i32::MIN / 4 } else { axis.from };
        let to = if axis.window.to >= axis.end { i32::MAX / 4 } else { axis.to };
        Clip { layout, from, to }
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
    marks: Vec<Mark>,
    labels: Labels,
    movers: Vec<Mover>,
    /// What was said beside signs, and where: not again next to it.
    said: Vec<(i32, i32, &'static str)>,
}

impl<'a> Artist<'a> {
    /// Begins a picture whose lanes lie between two places across the axis.
    fn new(
        story: &'a Story<'a>,
        ways: &'a Ways,
        layout: Layout,
        axis: Axis,
        lanes: Lanes<'a>,
        slant: i32,
        across: (i32, i32),
    ) -> (Self, Frame) {
        let wide = layout == Layout::Wide;
        let (width, height) =
            if wide { (920, (across.1 + 300) / 10) } else { (360, (axis.to + 120) / 10) };
        let edges = if wide { (24, (across.1 + 90) / 10) } else { (55, 360) };
        let artist = Self {
            story,
            ways,
            layout,
            axis,
            lanes,
            slant,
            marks: Vec::new(),
            labels: Labels::new(width * 10, height * 10),
            movers: Vec::new(),
            said: Vec::new(),
        };
        (artist, Frame { width, height, edges })
    }

    fn scene(self, frame: &Frame, pill: i32) -> Scene {
        let Self { story, layout, axis, mut marks, mut labels, mut movers, .. } = self;
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
            width: frame.width,
            height: frame.height,
            axis_from: axis.from / 10,
            axis_to: axis.to / 10,
            window: axis.window,
            axis,
            marks,
            texts: labels.placed,
            movers,
            pill,
            lanes: frame.edges,
        }
    }

    /// Whether anything of a delivery is in the window.
    fn shows(&self, life: &Life) -> bool {
        self.shown((life.sent, life.ends(self.axis.end)))
    }

    /// Whether anything of a stretch of time is in the window.
    fn shown(&self, (from, until): (Time, Time)) -> bool {
        self.axis.shows(from, until)
    }
}

impl Artist<'_> {
    fn wide(&self) -> bool {
        self.layout == Layout::Wide
    }

    fn at(&self, along: i32, across: i32) -> Point {
        point(self.layout, along, across)
    }

    fn add(&mut self, layer: u8, class: &'static str, msg: Option<Msg>, shape: Shape) {
        let msg = msg.map(|m| m.0);
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
    fn flight(&mut self, class: &'static str, msg: Option<Msg>, from: (i32, i32), to: (i32, i32)) {
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
        self.labels.take_thin(
            a.x.min(b.x) - 15,
            a.y.min(b.y) - 15,
            a.x.max(b.x) + 15,
            a.y.max(b.y) + 15,
        );
    }

    /// Moves a message.
    fn mover(&mut self, state: &'static str, msg: Option<Msg>, text: &str, legs: Vec<Leg>) {
        self.movers.push(Mover { state, msg: msg.map(|m| m.0), text: text.to_owned(), legs });
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
