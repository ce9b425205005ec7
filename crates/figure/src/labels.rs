//! Texts of a picture, placed so that none lies on another: what finds no room is shortened or left out.

use crate::scene::{Anchor, Point, Text};
use crate::text;
use delivery_sim::order::sorted;
use delivery_sim::trace::Msg;

/// Where a label is put beside a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Right,
    /// Right of it and a line higher.
    RightAbove,
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
    /// A thin line, which a text may cross if it has no better place.
    thin: bool,
}

impl Area {
    fn meets(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }
}

/// Texts with the room that they and the marks take.
#[derive(Debug)]
pub(crate) struct Labels {
    width: i32,
    height: i32,
    /// Where texts may begin, from the upper left to the lower right corner.
    room: (Point, Point),
    taken: Vec<Area>,
    wanted: Vec<Wanted>,
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
        let room = (Point { x: i32::MIN, y: i32::MIN }, Point { x: i32::MAX, y: i32::MAX });
        Self { width, height, room, taken: Vec::new(), wanted: Vec::new(), placed: Vec::new() }
    }

    /// From now on texts lie between these places, from the upper left to the lower right: others are left out.
    pub(crate) fn keep_within(&mut self, from: Point, to: Point) {
        self.room = (from, to);
    }

    /// Whether an area has to do with the room for texts.
    fn near(&self, area: &Area) -> bool {
        let (from, to) = self.room;
        area.right >= from.x && area.left <= to.x && area.bottom >= from.y && area.top <= to.y
    }

    fn within(&self, area: &Area) -> bool {
        let (from, to) = self.room;
        area.left >= from.x && area.right <= to.x && area.top >= from.y && area.bottom <= to.y
    }

    /// Keeps texts out of an area.
    pub(crate) fn take(&mut self, left: i32, top: i32, right: i32, bottom: i32) {
        self.keep(Area { left, top, right, bottom, thin: false });
    }

    fn keep(&mut self, area: Area) {
        if self.near(&area) {
            self.taken.push(area);
        }
    }

    /// Keeps texts off an arrow as far as there is room.
    pub(crate) fn take_thin(&mut self, left: i32, top: i32, right: i32, bottom: i32) {
        self.keep(Area { left, top, right, bottom, thin: true });
    }

    /// Keeps texts off a point.
    pub(crate) fn take_along(&mut self, p: Point, half: i32) {
        self.take(p.x - half, p.y - half, p.x + half, p.y + half);
    }

    /// Puts a text where it has to be.
    pub(crate) fn put(
        &mut self,
        class: &'static str,
        msg: Option<Msg>,
        at: Point,
        anchor: Anchor,
        text: &str,
    ) {
        let taken = area(at, anchor, text::width(text, SMALL, bold(class)), SMALL);
        if !self.within(&taken) {
            return;
        }
        self.taken.push(taken);
        self.placed.push(Text {
            class,
            msg: msg.map(|m| m.0),
            at,
            anchor,
            text: text.to_owned(),
            name: String::new(),
        });
    }

    /// Puts the name of a lane.
    pub(crate) fn lane(&mut self, at: Point, anchor: Anchor, kind: &str, name: &str) {
        if kind.is_empty() && name.is_empty() {
            return;
        }
        let wide = text::width(kind, NAME, false) + text::width(name, NAME, true);
        self.taken.push(area(at, anchor, wide, NAME));
        self.placed.push(Text {
            class: "lane",
            msg: None,
            at,
            anchor,
            text: kind.to_owned(),
            name: name.to_owned(),
        });
    }

    /// Puts a text if nothing is in the way, `over` thin lines or not. Says whether it did.
    fn try_put(
        &mut self,
        class: &'static str,
        msg: Option<Msg>,
        at: Point,
        anchor: Anchor,
        text: &str,
        over: bool,
    ) -> bool {
        let wanted = area(at, anchor, text::width(text, SMALL, bold(class)), SMALL);
        let inside = self.within(&wanted)
            && wanted.left >= 0
            && wanted.top >= 0
            && wanted.right <= self.width
            && wanted.bottom <= self.height;
        let free =
            inside && self.taken.iter().all(|area| (over && area.thin) || !area.meets(&wanted));
        if free {
            self.put(class, msg, at, anchor, text);
        }
        free
    }

    /// Asks for a text at the first of these places where it fits; see [`Self::settle`].
    pub(crate) fn want(
        &mut self,
        rank: u8,
        class: &'static str,
        msg: Option<Msg>,
        tries: Vec<(Point, Anchor, String)>,
    ) {
        let (from, to) = self.room;
        let seen = |p: &Point| (from.x..=to.x).contains(&p.x) && (from.y..=to.y).contains(&p.y);
        if !tries.iter().any(|(p, ..)| seen(p)) {
            return;
        }
        self.wanted.push(Wanted { rank, class, msg, tries });
    }

    /// Asks for one of these texts, the first that fits, beside a place and `away` from it.
    pub(crate) fn beside(
        &mut self,
        rank: u8,
        spot: Spot<'_>,
        class: &'static str,
        msg: Option<Msg>,
        texts: &[&str],
    ) {
        let tries = spot.tries(texts);
        self.want(rank, class, msg, tries);
    }

    /// Asks for the first of these texts that fits into `room`, its middle at a place.
    pub(crate) fn inside(
        &mut self,
        rank: u8,
        class: &'static str,
        msg: Option<Msg>,
        at: Point,
        room: i32,
        texts: &[&str],
    ) {
        let fits = |text: &&&str| text::width(text, SMALL, bold(class)) <= room;
        let tries = texts
            .iter()
            .filter(fits)
            .map(|text| (at, Anchor::Middle, (*text).to_owned()))
            .collect();
        self.want(rank, class, msg, tries);
    }

    /// Places what was asked for, lowest rank first, now that all marks are known.
    pub(crate) fn settle(&mut self) {
        let wanted = sorted(core::mem::take(&mut self.wanted), |a, b| a.rank.cmp(&b.rank));
        for Wanted { class, msg, tries, .. } in wanted {
            // A text that crosses a line says more than a shorter one or none.
            'placed: for same in tries.chunk_by(|a, b| a.2 == b.2) {
                for over in [false, true] {
                    for (at, anchor, text) in same {
                        if self.try_put(class, msg, *at, *anchor, text, over) {
                            break 'placed;
                        }
                    }
                }
            }
        }
    }
}

/// A text asked for.
#[derive(Debug)]
struct Wanted {
    rank: u8,
    class: &'static str,
    msg: Option<Msg>,
    tries: Vec<(Point, Anchor, String)>,
}

/// A place with something beside it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot<'a> {
    pub(crate) at: Point,
    /// How far from it, in tenths.
    pub(crate) away: i32,
    /// On which sides, the best first.
    pub(crate) sides: &'a [Side],
}

impl Spot<'_> {
    /// Where these texts may stand, the best first.
    pub(crate) fn tries(self, texts: &[&str]) -> Vec<(Point, Anchor, String)> {
        let mut tries = Vec::with_capacity(texts.len() * self.sides.len());
        let (p, away) = (self.at, self.away);
        for text in texts {
            for side in self.sides {
                let (x, y, anchor) = match side {
                    Side::Right => (p.x + away, p.y + 38, Anchor::Start),
                    Side::Left => (p.x - away, p.y + 38, Anchor::End),
                    Side::RightAbove => (p.x + away, p.y - 92, Anchor::Start),
                    Side::Above => (p.x, p.y - away, Anchor::Middle),
                    Side::Below => (p.x, p.y + away + 85, Anchor::Middle),
                    Side::LeftAbove => (p.x, p.y - away, Anchor::End),
                    Side::LeftBelow => (p.x, p.y + away + 85, Anchor::End),
                };
                tries.push((Point { x, y }, anchor, (*text).to_owned()));
            }
        }
        tries
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
    Area { left, top: at.y - size * 8, right: left + wide, bottom: at.y + size * 2, thin: false }
}
