//! The picture of a run as typed primitives: lanes over a time axis.

use crate::draw;
use crate::lanes::Axis;
use crate::story::Story;
use delivery_sim::{Time, Trace};

/// How a scene lies on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Time runs to the right, lanes are rows; 920 units wide.
    Wide,
    /// Time runs downwards, lanes are columns; 360 units wide, for phones.
    Tall,
}

/// A picture of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// How it lies.
    pub layout: Layout,
    /// Width of the view box, in units of a CSS pixel at natural size.
    pub width: i32,
    /// Height of the view box.
    pub height: i32,
    /// Coordinate of the start of the time axis, along it.
    pub axis_from: i32,
    /// Coordinate of its end.
    pub axis_to: i32,
    /// The moment at `axis_to`; `axis_from` is the start of the run.
    pub end: Time,
    pub(crate) axis: Axis,
    /// What stands still, bottom first.
    pub(crate) marks: Vec<Mark>,
    pub(crate) texts: Vec<Text>,
    /// Messages on their way or at work.
    pub(crate) movers: Vec<Mover>,
    /// Width of the pill with the time, in units.
    pub(crate) pill: i32,
    /// Where the lanes begin and end, across the axis, in units.
    pub(crate) lanes: (i32, i32),
}

/// A point of the picture, in tenths of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Point {
    pub(crate) x: i32,
    pub(crate) y: i32,
}

/// Something drawn. Marks of one layer, class and message are one path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mark {
    /// Low ones lie below.
    pub(crate) layer: u8,
    pub(crate) class: &'static str,
    /// The message it belongs to; none in a dense run.
    pub(crate) msg: Option<u32>,
    pub(crate) shape: Shape,
}

/// A shape in tenths of a unit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shape {
    Line(Vec<Point>),
    Area(Vec<Point>),
    /// From the upper left to the lower right corner, with rounded corners.
    Rect(Point, Point, i32),
}

/// Where a text is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// A piece of text, on its base line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Text {
    pub(crate) class: &'static str,
    pub(crate) msg: Option<u32>,
    pub(crate) at: Point,
    pub(crate) anchor: Anchor,
    pub(crate) text: String,
    /// What follows in bold; empty for nothing.
    pub(crate) name: String,
}

/// A message that moves: it is seen on its legs alone.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mover {
    pub(crate) state: &'static str,
    pub(crate) msg: Option<u32>,
    pub(crate) text: String,
    /// In order along the axis, not empty.
    pub(crate) legs: Vec<Leg>,
}

/// A straight way, in tenths: `from` and `to` along the axis and across it. A moving thing is on it while the playhead is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Leg {
    pub(crate) from: (i32, i32),
    pub(crate) to: (i32, i32),
}

/// One thing that moves while the run plays, as keyframes over the whole run (offset 0 = start, 1 = `Scene::end`).
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Class of the SVG group that moves: `playhead`, `future`, or `mover-N`.
    pub class: String,
    /// The keyframes in order: offset in millionths of the run, CSS transform, opacity in percent. Two at the same
    /// offset are a jump.
    pub frames: Vec<Frame>,
}

/// A keyframe.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Place in the run, in millionths.
    pub offset_ppm: u32,
    /// CSS transform, `translate(12.3px,40px)`.
    pub transform: String,
    /// Opacity in percent.
    pub opacity: u8,
}

impl Scene {
    /// Draws a run.
    pub fn new(trace: &Trace, layout: Layout) -> Self {
        draw::draw(&Story::new(trace), layout)
    }

    /// Everything that moves. The playhead moves evenly, so a place along the axis is a moment of the run.
    pub fn motions(&self) -> Vec<Motion> {
        let ends = [self.axis.from, self.axis.to];
        let frame = |along: i32, point: Point, seen: bool| Frame {
            offset_ppm: self.axis.ppm(along),
            transform: translate(point, "px"),
            opacity: if seen { 100 } else { 0 },
        };
        let head = |class: &str| Motion {
            class: class.into(),
            frames: ends.iter().map(|&along| frame(along, self.head(along), true)).collect(),
        };
        let mut motions = vec![head("playhead"), head("future")];
        for (n, mover) in self.movers.iter().enumerate() {
            let mut frames = vec![frame(ends[0], self.on(mover.legs[0].from), false)];
            for leg in &mover.legs {
                for (end, (before, after)) in [(leg.from, (false, true)), (leg.to, (true, false))] {
                    frames.extend([before, after].map(|seen| frame(end.0, self.on(end), seen)));
                }
            }
            frames.push(frame(ends[1], self.on(mover.legs[mover.legs.len() - 1].to), false));
            frames.dedup();
            motions.push(Motion { class: format!("mover-{n}"), frames });
        }
        motions
    }

    /// A place on the picture from one along and across the axis.
    pub(crate) fn on(&self, (along, across): (i32, i32)) -> Point {
        point(self.layout, along, across)
    }

    /// Where the playhead and what moves with it is put.
    pub(crate) fn head(&self, along: i32) -> Point {
        self.on((along, 0))
    }

    /// Where a mover is when the playhead is at `along`, and whether it is seen.
    pub(crate) fn mover_at(&self, mover: &Mover, along: i32) -> (Point, bool) {
        for leg in mover.legs.iter().rev() {
            if along >= leg.from.0 {
                if along >= leg.to.0 {
                    return (self.on(leg.to), false);
                }
                let (way, done) = (i64::from(leg.to.0 - leg.from.0), i64::from(along - leg.from.0));
                let across = i64::from(leg.from.1) + i64::from(leg.to.1 - leg.from.1) * done / way;
                return (self.on((along, across as i32)), true);
            }
        }
        (self.on(mover.legs[0].from), false)
    }
}

/// A point from its places along and across the axis.
pub(crate) fn point(layout: Layout, along: i32, across: i32) -> Point {
    match layout {
        Layout::Wide => Point { x: along, y: across },
        Layout::Tall => Point { x: across, y: along },
    }
}

/// `translate(12.3px,40px)`, or without a unit as attributes have it.
pub(crate) fn translate(p: Point, unit: &str) -> String {
    let mut out = String::from("translate(");
    tenths(&mut out, p.x);
    out.push_str(unit);
    out.push(',');
    tenths(&mut out, p.y);
    out.push_str(unit);
    out.push(')');
    out
}

/// Writes tenths of a unit as a decimal number.
pub(crate) fn tenths(out: &mut String, n: i32) {
    let size = n.unsigned_abs();
    if n < 0 {
        out.push('-');
    }
    let whole = size / 10;
    let mut digits = [0_u8; 10];
    let mut place = digits.len();
    let mut rest = whole;
    loop {
        place -= 1;
        digits[place] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    for &digit in &digits[place..] {
        out.push(digit as char);
    }
    if size % 10 > 0 {
        out.push('.');
        out.push((b'0' + (size % 10) as u8) as char);
    }
}
