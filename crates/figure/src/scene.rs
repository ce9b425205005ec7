//! The picture of a run as typed primitives: lanes over a time axis.

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
}

/// One thing that moves while the run plays, as keyframes over the whole run (offset 0 = start, 1 = `Scene::end`).
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Class of the SVG group that moves: `playhead`, `future`, or `mover-N`.
    pub class: String,
    /// The keyframes in order: offset in millionths of the run, CSS transform, opacity in percent.
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
        let (width, axis_from, axis_to) = match layout {
            Layout::Wide => (920, 148, 896),
            Layout::Tall => (360, 40, 700),
        };
        Self { layout, width, height: 372, axis_from, axis_to, end: trace.end }
    }

    /// Everything that moves.
    pub fn motions(&self) -> Vec<Motion> {
        Vec::new()
    }
}
