//! The one writer of SVG: static page, live figure, export and embed all come through here.

use crate::put::Put as _;
use crate::scene::{Anchor, Layout, Mark, Point, Scene, Shape, tenths, translate};
use delivery_sim::Time;

/// Writes a scene as it is at `t`. `id` is unique on the page and prefixes every id inside; the root element is
/// `<svg class="scene wide|tall" role="img" aria-labelledby=…>` with `<title>` and `<desc>`.
///
/// Nothing in it is styled: classes name what a mark is and which state it shows.
pub fn write(scene: &Scene, id: &str, title: &str, description: &str, t: Time) -> String {
    let mut out = String::with_capacity(8 * 1024);
    let id = escaped(id);
    out.put("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"scene ");
    out.put(match scene.layout {
        Layout::Wide => "wide",
        Layout::Tall => "tall",
    });
    push(
        &mut out,
        &["\" viewBox=\"0 0 ", &scene.width.to_string(), " ", &scene.height.to_string()],
    );
    push(
        &mut out,
        &["\" role=\"img\" aria-labelledby=\"", &id, "-t ", &id, "-d\"><title id=\"", &id, "-t\">"],
    );
    push(
        &mut out,
        &[&escaped(title), "</title><desc id=\"", &id, "-d\">", &escaped(description), "</desc>"],
    );
    marks(&mut out, &scene.marks);
    for text in &scene.texts {
        push(&mut out, &["<text class=\"", text.class, "\""]);
        msg(&mut out, text.msg);
        place(&mut out, text.at);
        anchor(&mut out, text.anchor);
        push(&mut out, &[">", &escaped(&text.text)]);
        if !text.name.is_empty() {
            push(&mut out, &["<tspan class=\"name\">", &escaped(&text.name), "</tspan>"]);
        }
        out.put("</text>");
    }
    moving(&mut out, scene, t);
    out.put("</svg>");
    out
}

/// Notches at moments, across all lanes of a scene: one path, to be put into its picture. Moments that it does not show
/// have none.
pub fn notches(scene: &Scene, moments: &mut dyn Iterator<Item = Time>) -> String {
    let mut out = String::from("<path class=\"differs\" d=\"");
    let (top, bottom) = (scene.lanes.0 * 10, scene.lanes.1 * 10);
    let shown = |t: &Time| scene.window.from <= *t && *t <= scene.window.to;
    for t in moments.filter(shown) {
        let along = scene.axis.along(t);
        let mut pen = Pen::default();
        let at = |aside, across| scene.on((along + aside, across));
        for (i, to) in
            [at(0, bottom), at(0, top), at(-40, top), at(0, top + 70), at(40, top), at(0, top)]
                .into_iter()
                .enumerate()
        {
            if i == 0 { pen.go(&mut out, to) } else { pen.line(&mut out, to) }
        }
    }
    out.put("\"/>");
    out
}

/// What is at another place at another time: the veil, the movers, the playhead.
fn moving(out: &mut String, scene: &Scene, t: Time) {
    let along = scene.place(t);
    let head = translate(scene.head(along), "");
    let (top, bottom) = scene.lanes;
    let number = |n: i32| n.to_string();
    push(out, &["<g class=\"future\" transform=\"", &head, "\"><rect "]);
    match scene.layout {
        Layout::Wide => {
            let size = [number(top), number(scene.width - scene.axis_from), number(bottom - top)];
            push(out, &["y=\"", &size[0], "\" width=\"", &size[1], "\" height=\"", &size[2]]);
        }
        Layout::Tall => {
            let size = [number(top), number(bottom - top), number(scene.height - scene.axis_from)];
            push(out, &["x=\"", &size[0], "\" width=\"", &size[1], "\" height=\"", &size[2]]);
        }
    }
    out.put("\"/></g>");
    push(out, &["<g class=\"playhead\" transform=\"", &head, "\"><path d=\"M"]);
    let (pill, left) = (number(scene.pill), number(-scene.pill / 2));
    match scene.layout {
        Layout::Wide => {
            push(
                out,
                &["0 20V", &number(bottom), "\"/><rect x=\"", &left, "\" y=\"2\" width=\"", &pill],
            );
            out.put(
                "\" height=\"20\" rx=\"10\"/><text class=\"now\" y=\"16\" text-anchor=\"middle\">",
            );
        }
        Layout::Tall => {
            push(out, &[&pill, " 0H", &number(scene.width), "\"/><rect y=\"-10\" width=\"", &pill]);
            let middle = number(scene.pill / 2);
            push(
                out,
                &[
                    "\" height=\"20\" rx=\"10\"/><text class=\"now\" x=\"",
                    &middle,
                    "\" y=\"4\" text-anchor=\"middle\">",
                ],
            );
        }
    }
    push(out, &[&t.to_string(), "</text></g>"]);
    each_mover(out, scene, t, false);
}

/// All messages that move in a scene, also those that are not seen at `t`, which a picture leaves out: to be put at the
/// end of its picture when it begins to move.
pub fn movers(scene: &Scene, t: Time) -> String {
    let mut out = String::new();
    each_mover(&mut out, scene, t, true);
    out
}

fn each_mover(out: &mut String, scene: &Scene, t: Time, unseen: bool) {
    let along = scene.place(t);
    for (n, mover) in scene.movers.iter().enumerate() {
        let (at, seen) = scene.mover_at(mover, along);
        if !seen && !unseen {
            continue;
        }
        push(out, &["<g class=\"mover mover-", &n.to_string(), " ", mover.state, "\""]);
        msg(out, mover.msg);
        push(out, &[" transform=\"", &translate(at, ""), "\""]);
        if !seen {
            out.put(" opacity=\"0\"");
        }
        let half = mover.half();
        let size = [half, 2 * half].map(|n| {
            let mut out = String::new();
            tenths(&mut out, n);
            out
        });
        push(
            out,
            &[
                "><rect x=\"-",
                &size[0],
                "\" y=\"-9\" width=\"",
                &size[1],
                "\" height=\"18\" rx=\"9\"/>",
            ],
        );
        push(out, &["<text y=\"4\" text-anchor=\"middle\">", &escaped(&mover.text), "</text></g>"]);
    }
}

/// Writes marks as few paths: those of one layer, class and message are one.
fn marks(out: &mut String, marks: &[Mark]) {
    let mut last: Option<&Mark> = None;
    let mut pen = Pen::default();
    for mark in marks {
        if last.is_none_or(|l| (l.layer, l.class, l.msg) != (mark.layer, mark.class, mark.msg)) {
            if last.is_some() {
                out.put("\"/>");
            }
            push(out, &["<path class=\"", mark.class, "\""]);
            msg(out, mark.msg);
            out.put(" d=\"");
            pen = Pen::default();
            last = Some(mark);
        }
        shape(out, &mut pen, &mark.shape);
    }
    if last.is_some() {
        out.put("\"/>");
    }
}

/// Where path data have got to.
#[derive(Default)]
struct Pen {
    at: Option<Point>,
}

impl Pen {
    /// Begins a line of its own.
    fn go(&mut self, out: &mut String, to: Point) {
        out.push('M');
        pair(out, to.x, to.y);
        self.at = Some(to);
    }

    /// Draws on to a point, by the shortest command.
    fn line(&mut self, out: &mut String, to: Point) {
        let from = self.at.unwrap_or(to);
        let (dx, dy) = (to.x - from.x, to.y - from.y);
        match (dx, dy) {
            (_, 0) => {
                out.push('h');
                tenths(out, dx);
            }
            (0, _) => {
                out.push('v');
                tenths(out, dy);
            }
            _ => {
                out.push('l');
                pair(out, dx, dy);
            }
        }
        self.at = Some(to);
    }
}

fn shape(out: &mut String, pen: &mut Pen, shape: &Shape) {
    match shape {
        Shape::Line(points) | Shape::Area(points) => {
            for (i, point) in points.iter().enumerate() {
                if i == 0 {
                    pen.go(out, *point);
                } else {
                    pen.line(out, *point);
                }
            }
            if matches!(shape, Shape::Area(_)) {
                out.push('z');
            }
        }
        Shape::Rect(from, to, round) => {
            let (w, h) = (to.x - from.x, to.y - from.y);
            let r = (*round).min(w / 2).min(h / 2).max(0);
            out.push('M');
            pair(out, from.x + r, from.y);
            // Sides and the corners after them, clockwise; a side of no length is left out.
            let corners = [
                (w - 2 * r, 'h', (r, r)),
                (h - 2 * r, 'v', (-r, r)),
                (2 * r - w, 'h', (-r, -r)),
                (2 * r - h, 'v', (r, -r)),
            ];
            for (length, command, (dx, dy)) in corners {
                if length != 0 {
                    out.push(command);
                    tenths(out, length);
                }
                if r > 0 {
                    out.push('a');
                    pair(out, r, r);
                    out.put(" 0 0 1 ");
                    pair(out, dx, dy);
                }
            }
            out.push('z');
        }
    }
}

/// Two numbers, with a space only where the second has no sign.
fn pair(out: &mut String, x: i32, y: i32) {
    tenths(out, x);
    if y >= 0 {
        out.push(' ');
    }
    tenths(out, y);
}

fn place(out: &mut String, at: Point) {
    out.put(" x=\"");
    tenths(out, at.x);
    out.put("\" y=\"");
    tenths(out, at.y);
    out.push('"');
}

fn anchor(out: &mut String, anchor: Anchor) {
    out.put(match anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    });
}

fn msg(out: &mut String, msg: Option<u32>) {
    if let Some(n) = msg {
        push(out, &[" data-msg=\"", &n.to_string(), "\""]);
    }
}

fn push(out: &mut String, parts: &[&str]) {
    for part in parts {
        out.put(part);
    }
}

/// Text as it may stand in an element or in an attribute. What XML cannot hold at all is left out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.put("&amp;"),
            '<' => out.put("&lt;"),
            '>' => out.put("&gt;"),
            '"' => out.put("&quot;"),
            '\t' | '\n' => out.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}
