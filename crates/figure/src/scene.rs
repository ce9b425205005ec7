//! The picture of a run as typed primitives: lanes over a time axis.

use crate::draw;
use crate::lanes::Axis;
use crate::put::Put as _;
use crate::scaled::scaled;
use crate::story::{Lives, Story};
use crate::told::Told;
use crate::window::Window;
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
    /// The moments at both.
    pub window: Window,
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

/// One thing that moves while the run plays, as keyframes over the time that the picture shows (offset 0 =
/// `Scene::window.from`, 1 = `Scene::window.to`). Before and after that it stays where it begins or ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Class of the SVG group that moves: `playhead`, `future`, or `mover-N`.
    pub class: String,
    /// The keyframes in order: offset in millionths of the window, CSS transform, opacity in percent. Two at the same
    /// offset are a jump.
    pub frames: Vec<Frame>,
}

/// A keyframe.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Place in the window, in millionths.
    pub offset_ppm: u32,
    /// CSS transform, `translate(12.3px,40px)`.
    pub transform: String,
    /// Opacity in percent.
    pub opacity: u8,
}

impl Scene {
    /// Draws a whole run.
    pub fn new(trace: &Trace, layout: Layout) -> Self {
        let lives = Lives::new(trace);
        draw::draw(&Story::new(trace, &lives), layout, Window::whole(trace.end))
    }

    /// Draws the part of a run that a window shows; all of it if there is none.
    pub fn of(run: &Told, layout: Layout, window: Option<Window>) -> Self {
        let story = run.story();
        let end = story.trace.end;
        let window = window.and_then(|window| Window::within(window.from, window.to, end));
        draw::draw(&story, layout, window.unwrap_or(Window::whole(end)))
    }

    /// The moment under a point of the picture, in tenths of a unit, or the nearest that is shown; and whether the point
    /// is where the axis has its times.
    pub fn under(&self, x: i32, y: i32) -> (Time, bool) {
        let Window { from, to } = self.window;
        let (along, ticks) = match self.layout {
            Layout::Wide => (x, y >= self.lanes.1 * 10),
            Layout::Tall => (y, x <= self.lanes.0 * 10),
        };
        let place = along.clamp(self.axis.from, self.axis.to).abs_diff(self.axis.from);
        let span = self.axis.to.abs_diff(self.axis.from).max(1);
        (Time(from.0 + scaled(to.since(from).0, place.into(), span.into())), ticks)
    }

    /// The place of a moment along the axis, in tenths; of one that the picture does not show the nearest end.
    pub(crate) fn place(&self, t: Time) -> i32 {
        self.axis.along(t).clamp(self.axis.from, self.axis.to)
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
    out.put(unit);
    out.push(',');
    tenths(&mut out, p.y);
    out.put(unit);
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
    if !size.is_multiple_of(10) {
        out.push('.');
        out.push((b'0' + (size % 10) as u8) as char);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    const LAYOUTS: [Layout; 2] = [Layout::Wide, Layout::Tall];

    /// Reads a number with a decimal point as tenths.
    fn read(number: &str) -> i32 {
        let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
        let size = whole.trim_start_matches('-').parse::<i32>().unwrap() * 10
            + part.parse::<i32>().unwrap();
        if number.starts_with('-') { -size } else { size }
    }

    /// The point of a CSS transform.
    fn place(transform: &str) -> Point {
        let (x, y) = transform
            .strip_prefix("translate(")
            .unwrap()
            .strip_suffix("px)")
            .unwrap()
            .split_once("px,")
            .unwrap();
        Point { x: read(x), y: read(y) }
    }

    /// Where keyframes put a thing when `ppm` of the run is over, as a browser does it.
    fn played(frames: &[Frame], ppm: u32) -> (Point, bool) {
        let next = frames.iter().position(|f| f.offset_ppm > ppm).unwrap_or(frames.len() - 1);
        let (a, b) = (&frames[next.max(1) - 1], &frames[next]);
        let (from, to) = (place(&a.transform), place(&b.transform));
        let (way, done) = (
            i64::from(b.offset_ppm - a.offset_ppm).max(1),
            i64::from(ppm.saturating_sub(a.offset_ppm)),
        );
        let mix = |from: i32, to: i32| from + (i64::from(to - from) * done.min(way) / way) as i32;
        (Point { x: mix(from.x, to.x), y: mix(from.y, to.y) }, a.opacity == 100 && b.opacity == 100)
    }

    #[test]
    fn what_stands_still_at_a_moment_is_where_it_moves_through() {
        let runs = runs();
        let windows = [None, Some(window(500, 1_500)), Some(window(1_000, 3_000))];
        let all = runs[..2].iter().flat_map(|r| windows.map(|w| (r, w)));
        for ((run, window), layout) in all.flat_map(|rw| LAYOUTS.map(|l| (rw, l))) {
            let scene = Scene::of(run, layout, window);
            let motions = scene.motions();
            assert_eq!(motions.len(), scene.movers.len() + 2);
            let mut seen = 0;
            for along in (scene.axis.from..=scene.axis.to).step_by(7) {
                let ppm = scene.axis.ppm(along);
                let near = |a: Point, b: Point| (a.x - b.x).abs() <= 2 && (a.y - b.y).abs() <= 2;
                for head in &motions[..2] {
                    assert!(near(played(&head.frames, ppm).0, scene.head(along)), "{}", head.class);
                }
                for (mover, motion) in scene.movers.iter().zip(&motions[2..]) {
                    let (at, visible) = scene.mover_at(mover, along);
                    let (moved, shown) = played(&motion.frames, ppm);
                    let edge = mover
                        .legs
                        .iter()
                        .any(|l| (l.from.0 - along).abs() < 3 || (l.to.0 - along).abs() < 3);
                    if !edge {
                        assert_eq!(visible, shown, "{} at {along}", motion.class);
                    }
                    if visible && shown {
                        seen += 1;
                        // It is where the playhead is, or it was caught between two hundred-thousandths.
                        assert!(near(at, moved), "{} at {along}: {at:?} {moved:?}", motion.class);
                    }
                }
            }
            assert!(seen > 100, "movers are seen");
        }
    }

    #[test]
    fn keyframes_span_the_run_in_order() {
        for layout in LAYOUTS {
            for motion in Scene::new(&fixture::batch_ageing(), layout).motions() {
                let offsets: Vec<u32> = motion.frames.iter().map(|f| f.offset_ppm).collect();
                assert!(offsets.is_sorted(), "{}: {offsets:?}", motion.class);
                assert_eq!(
                    (offsets[0], offsets[offsets.len() - 1]),
                    (0, 1_000_000),
                    "{}",
                    motion.class
                );
            }
        }
    }

    /// The corners of the marks of a class that belong to a message (from 1), along the axis.
    fn alongs(scene: &Scene, class: &str, msg: u32) -> Vec<i32> {
        let of = |m: &&Mark| m.class == class && m.msg == Some(msg - 1);
        let mut all: Vec<i32> = Vec::new();
        for mark in scene.marks.iter().filter(of) {
            match &mark.shape {
                Shape::Line(points) | Shape::Area(points) => {
                    all.extend(
                        points.iter().map(|p| if scene.layout == Layout::Wide { p.x } else { p.y }),
                    );
                }
                Shape::Rect(a, b, _) => {
                    all.extend(if scene.layout == Layout::Wide { [a.x, b.x] } else { [a.y, b.y] });
                }
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    #[test]
    fn the_stopwatch_runs_from_delivery_to_deadline_or_answer() {
        let trace = fixture::crash_redelivery();
        for layout in LAYOUTS {
            let scene = Scene::new(&trace, layout);
            let at = |ms: u64| scene.axis.along(Time::ms(ms) + fixture::HOP);
            // Run out: a wedge to its deadline and a line at its end, then the wait for a worker.
            assert_eq!(alongs(&scene, "watch inflight", 1), [at(0), at(5_000)]);
            assert_eq!(alongs(&scene, "ran-out", 1), [at(5_000)]);
            assert_eq!(alongs(&scene, "queue", 1), [at(5_000), at(8_000)]);
            assert_eq!(alongs(&scene, "queue", 2), [at(6_000), scene.axis.to]);
            // Answered: cut, with what was left of it.
            let recorded = scene.axis.along(Time(9_400_600_000));
            assert_eq!(alongs(&scene, "watch again", 1), [at(8_000), recorded]);
            assert_eq!(alongs(&scene, "spare again", 1), [recorded, scene.axis.to]);
            assert_eq!(alongs(&scene, "ok", 1).len(), 3);
            // Work: as long as it took, with a cross where the worker died.
            let bar = alongs(&scene, "work inflight died", 1);
            assert_eq!(bar[1], scene.axis.along(Time(600_400_000)));
            assert!(!alongs(&scene, "cross", 1).is_empty());
            assert!(
                !alongs(&scene, "flight again", 1).is_empty()
                    && alongs(&scene, "flight again", 2).is_empty()
            );
        }
    }

    fn window(from: u64, to: u64) -> Window {
        Window { from: Time::ms(from), to: Time::ms(to) }
    }

    fn ticks(scene: &Scene) -> Vec<&str> {
        scene.texts.iter().filter(|t| t.class == "tick").map(|t| t.text.as_str()).collect()
    }

    #[test]
    fn a_window_shows_its_stretch_alone() {
        let run = Told::new(std::sync::Arc::new(fixture::crash_redelivery()));
        for layout in LAYOUTS {
            // What there is of the stopwatches and of the redelivery; the first and the last tick.
            for (from, to, watches, again, first, last) in [
                (0, 12_000, 2, true, "T+0", "12 s"),
                (0, 900, 1, false, "T+0", "0.9 s"),
                (2_000, 4_000, 2, false, "2 s", "4 s"),
                (5_500, 7_500, 1, false, "5.6 s", "7.4 s"),
                (7_900, 8_100, 0, true, "7.9 s", "8.1 s"),
                (9_900, 12_000, 0, false, "10 s", "12 s"),
            ] {
                let scene = Scene::of(&run, layout, Some(window(from, to)));
                assert_eq!((scene.window.from, scene.window.to), (Time::ms(from), Time::ms(to)));
                let name = format!("{layout:?} {from} to {to}");
                let seen = (1..=2).filter(|n| !alongs(&scene, "watch inflight", *n).is_empty());
                assert_eq!(seen.count(), watches, "{name}");
                assert_eq!(!alongs(&scene, "flight again", 1).is_empty(), again, "{name}");
                let ticks = ticks(&scene);
                assert_eq!((ticks[0], ticks[ticks.len() - 1]), (first, last), "{name}");
                assert!(ticks.len() > 2, "{name}: {ticks:?}");
                // The playhead is at its moment, or at the nearer end; what is under it is that moment.
                for t in [0, from, from.midpoint(to), to, 12_000] {
                    let along = scene.place(Time::ms(t));
                    let t = t.clamp(from, to);
                    let place = scene.axis.from
                        + (i64::from(scene.axis.to - scene.axis.from) * (t - from) as i64
                            / (to - from) as i64) as i32;
                    assert_eq!(along, place, "{name} at {t}");
                    let p = scene.on((along, 300));
                    let (under, _) = scene.under(p.x, p.y);
                    assert!(
                        under.0.abs_diff(Time::ms(t).0) <= (to - from) * 1_000,
                        "{name} at {t}"
                    );
                }
            }
            assert!(scene_of(&run, layout, 0, 12_000) == Scene::of(&run, layout, None));
        }
    }

    fn scene_of(run: &Told, layout: Layout, from: u64, to: u64) -> Scene {
        Scene::of(run, layout, Some(window(from, to)))
    }

    #[test]
    fn what_crosses_the_edge_is_cut_there() {
        let run = Told::new(std::sync::Arc::new(fixture::crash_redelivery()));
        for layout in LAYOUTS {
            let scene = scene_of(&run, layout, 2_000, 4_000);
            let (from, to) = (scene.axis.from, scene.axis.to);
            assert_eq!(alongs(&scene, "watch inflight", 1), [from, to]);
            assert_eq!(alongs(&scene, "watch inflight", 2), [from, to]);
            // Its height is what is left of it: three fifths at the start, one fifth at the end.
            let watch = scene.marks.iter().find(|m| m.class == "watch inflight").unwrap();
            let Shape::Area(points) = &watch.shape else { panic!("{watch:?}") };
            let high = |along: i32| {
                let across = points
                    .iter()
                    .map(|p| if layout == Layout::Wide { (p.x, p.y) } else { (p.y, p.x) });
                let across: Vec<i32> =
                    across.filter(|(at, _)| *at == along).map(|(_, y)| y).collect();
                across.iter().max().unwrap() - across.iter().min().unwrap()
            };
            assert!((high(from) - 3 * high(to)).abs() <= 4, "{} {}", high(from), high(to));
        }
    }

    /// Runs of every kind, one of them dense.
    fn runs() -> Vec<Told> {
        let dense = "end = \"20s\"\n[[streams]]\nname = \"ORDERS\"\nsubjects = [\"orders.>\"]\n\
            [[consumers]]\nstream = \"ORDERS\"\nconfig = { durable_name = \"c\", ack_wait = \"1s\", max_deliver = 2 }\n\
            [[workers]]\ncount = 3\nbatch = 10\nservice_time = \"130ms\"\n\
            [[subscribers]]\nname = \"log\"\nsubject = \"orders.>\"\nservice_time = \"60ms\"\npending_msgs_limit = 20\n\
            [[timeline]]\nat = \"0s\"\nop.publish = { subject = \"orders.new\", data = \"order-{i}\", count = 600, every = \"25ms\" }\n\
            [[timeline]]\nat = \"6s\"\nop = \"server_stop\"\n[[timeline]]\nat = \"7s\"\nop = \"server_start\"\n";
        let dense = toml::from_str(dense).unwrap();
        let runs = [
            fixture::crash_redelivery(),
            fixture::batch_ageing(),
            delivery_sim::run(&dense).unwrap(),
        ];
        runs.into_iter()
            .chain(fixture::scenes())
            .map(|trace| Told::new(std::sync::Arc::new(trace)))
            .collect()
    }

    #[test]
    fn nothing_lies_outside_the_picture_in_any_window() {
        let mut seed = 11_u64;
        let mut next = move |n: u64| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % n
        };
        for run in runs() {
            let end = run.story().trace.end;
            let (mut banded, mut single) = (0, 0);
            for round in 0..60 {
                let length = end.0 >> next(if round % 2 == 0 { 4 } else { 12 });
                let from = next((end.0 - length) / 1_000_000 + 1) * 1_000_000;
                let window = Window::within(Time(from), Time(from + length), end);
                for layout in LAYOUTS {
                    let scene = Scene::of(&run, layout, window);
                    let name = format!("{layout:?} {window:?}");
                    let (width, height) = (scene.width * 10, scene.height * 10);
                    let inside = |p: &Point, slack: i32| {
                        p.x >= -slack
                            && p.x <= width + slack
                            && p.y >= -slack
                            && p.y <= height + slack
                    };
                    for mark in &scene.marks {
                        let points = match &mark.shape {
                            Shape::Line(points) | Shape::Area(points) => points.clone(),
                            Shape::Rect(a, b, _) => vec![*a, *b],
                        };
                        assert!(points.iter().all(|p| inside(p, 0)), "{name}: {mark:?}");
                    }
                    for text in &scene.texts {
                        assert!(inside(&text.at, 0), "{name}: {text:?}");
                        let size = crate::text::width(&text.text, 12, text.class != "tick");
                        let room = match text.anchor {
                            Anchor::Start => width - text.at.x,
                            Anchor::Middle => 2 * (width - text.at.x).min(text.at.x),
                            Anchor::End => text.at.x,
                        };
                        assert!(size <= room + 60, "{name}: {text:?}");
                    }
                    for motion in scene.motions() {
                        let offsets: Vec<u32> =
                            motion.frames.iter().map(|f| f.offset_ppm).collect();
                        assert!(offsets.is_sorted(), "{name}: {offsets:?}");
                        for frame in &motion.frames {
                            assert!(inside(&place(&frame.transform), 0), "{name}: {motion:?}");
                        }
                    }
                    if scene.marks.iter().any(|mark| mark.class.starts_with("band")) {
                        banded += 1;
                        assert!(scene.movers.is_empty(), "{name}");
                    } else {
                        single += 1;
                    }
                }
            }
            // A dense run has bands from afar and single marks from near.
            assert_eq!(banded > 20, run.is_dense(), "{banded}");
            assert!(single > 20, "{single}");
        }
    }

    #[test]
    fn numbers_are_written_in_tenths() {
        for (n, text) in [
            (0, "0"),
            (5, "0.5"),
            (-5, "-0.5"),
            (123, "12.3"),
            (-1_230, "-123"),
            (i32::MIN, "-214748364.8"),
        ] {
            let mut out = String::new();
            tenths(&mut out, n);
            assert_eq!(out, text);
        }
    }
}
