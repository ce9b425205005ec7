//! Texts of a picture, placed so that none lies on another: what finds no room is shortened or left out.

use crate::scene::{Anchor, Layout, Point, Text};
use crate::text;
use delivery_sim::trace::Msg;

/// Where a label is put beside a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Right,
    Left,
    Above,
    Below,
    /// Left of it and a line higher.
    LeftAbove,
    /// Left of it and a line lower.
    LeftBelow,
}

/// A rectangle that is taken, in tenths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Area {
    left: i32,
    top: i32,
    right: i32,
    bottom: i32,
}

impl Area {
    fn meets(&self, other: &Self) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }
}

/// Texts with the room that they and the marks take.
#[derive(Debug)]
pub(crate) struct Labels {
    width: i32,
    height: i32,
    taken: Vec<Area>,
    pub(crate) placed: Vec<Text>,
}

/// Letters of notes, numbers and ticks, in units: a little more than the 11 of a picture at natural size, since a page
/// enlarges them in a picture that it shrinks.
const SMALL: i32 = 12;
/// Letters of lane names.
const NAME: i32 = 13;

impl Labels {
    /// For a picture of this size, in tenths.
    pub(crate) fn new(width: i32, height: i32) -> Self {
        Self { width, height, taken: Vec::new(), placed: Vec::new() }
    }

    /// Keeps texts out of an area.
    pub(crate) fn take(&mut self, left: i32, top: i32, right: i32, bottom: i32) {
        self.taken.push(Area { left, top, right, bottom });
    }

    /// Keeps texts off a point.
    pub(crate) fn take_along(&mut self, p: Point, half: i32) {
        self.take(p.x - half, p.y - half, p.x + half, p.y + half);
    }

    /// Puts a text where it has to be.
    pub(crate) fn put(&mut self, class: &'static str, msg: Option<Msg>, at: Point, anchor: Anchor, text: &str) {
        self.taken.push(area(at, anchor, text::width(text, SMALL, bold(class)), SMALL));
        self.placed.push(Text { class, msg: msg.map(|m| m.0), at, anchor, text: text.to_owned(), name: String::new() });
    }

    /// Puts the name of a lane.
    pub(crate) fn lane(&mut self, at: Point, anchor: Anchor, kind: &str, name: &str) {
        if kind.is_empty() && name.is_empty() {
            return;
        }
        let wide = text::width(kind, NAME, false) + text::width(name, NAME, true);
        self.taken.push(area(at, anchor, wide, NAME));
        self.placed.push(Text { class: "lane", msg: None, at, anchor, text: kind.to_owned(), name: name.to_owned() });
    }

    /// Puts a text if nothing is in the way. Says whether it did.
    pub(crate) fn try_put(&mut self, class: &'static str, msg: Option<Msg>, at: Point, anchor: Anchor, text: &str) -> bool {
        let wanted = area(at, anchor, text::width(text, SMALL, bold(class)), SMALL);
        let inside = wanted.left >= 0 && wanted.top >= 0 && wanted.right <= self.width && wanted.bottom <= self.height;
        let free = inside && self.taken.iter().all(|area| !area.meets(&wanted));
        if free {
            self.put(class, msg, at, anchor, text);
        }
        free
    }

    /// Puts the first of these texts that fits beside a place, `away` from it.
    pub(crate) fn beside(
        &mut self,
        _layout: Layout,
        p: Point,
        away: i32,
        sides: &[Side],
        class: &'static str,
        msg: Option<Msg>,
        texts: &[&str],
    ) {
        for text in texts {
            for side in sides {
                let (x, y, anchor) = match side {
                    Side::Right => (p.x + away, p.y + 38, Anchor::Start),
                    Side::Left => (p.x - away, p.y + 38, Anchor::End),
                    Side::Above => (p.x, p.y - away, Anchor::Middle),
                    Side::Below => (p.x, p.y + away + 85, Anchor::Middle),
                    Side::LeftAbove => (p.x, p.y - away, Anchor::End),
                    Side::LeftBelow => (p.x, p.y + away + 85, Anchor::End),
                };
                if self.try_put(class, msg, Point { x, y }, anchor, text) {
                    return;
                }
            }
        }
    }

    /// Puts the first of these texts that fits into `room`, its middle at a place.
    pub(crate) fn inside(&mut self, class: &'static str, msg: Option<Msg>, at: Point, room: i32, texts: &[&str]) {
        for text in texts {
            if text::width(text, SMALL, bold(class)) <= room && self.try_put(class, msg, at, Anchor::Middle, text) {
                return;
            }
        }
    }

    /// Whether the text placed last is one of these.
    pub(crate) fn last_is(&self, texts: &[&str]) -> bool {
        self.placed.last().is_some_and(|last| texts.contains(&last.text.as_str()))
    }
}

/// Texts of these classes are set in bold.
fn bold(class: &str) -> bool {
    class == "num" || class.starts_with("note ")
}

fn area(at: Point, anchor: Anchor, wide: i32, size: i32) -> Area {
    let left = match anchor {
        Anchor::Start => at.x,
        Anchor::Middle => at.x - wide / 2,
        Anchor::End => at.x - wide,
    };
    Area { left, top: at.y - size * 8, right: left + wide, bottom: at.y + size * 2 }
}
