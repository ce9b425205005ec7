//! A stretch of a run: what a picture shows of it, moved and sized as a reader asks.

use crate::scaled::scaled;
use delivery_sim::time::MS;
use delivery_sim::{Dur, Time};

/// The shortest stretch that can be shown: a few network hops.
pub const SHORTEST: Dur = Dur::ms(5);

/// A stretch of a run, not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Its first moment.
    pub from: Time,
    /// Its last moment.
    pub to: Time,
}

impl Window {
    /// All of a run that ends at `end`.
    pub fn whole(end: Time) -> Self {
        Self { from: Time::ZERO, to: Time(end.0.max(1)) }
    }

    /// The stretch between two moments in any order, at least [`SHORTEST`] long and within a run that ends at `end`; none
    /// if that is all of it.
    pub fn within(a: Time, b: Time, end: Time) -> Option<Self> {
        let (from, to) = (a.min(b).0, a.max(b).0);
        Self::of(from, (to - from).max(SHORTEST.0), end)
    }

    /// So long a stretch from `from` on, moved so that it lies within the run.
    fn of(from: u64, length: u64, end: Time) -> Option<Self> {
        if length >= end.0 {
            return None;
        }
        let from = from.min(end.0 - length);
        Some(Self { from: Time(from), to: Time(from + length) })
    }

    /// How long it is.
    pub fn length(self) -> Dur {
        self.to.since(self.from)
    }

    /// So many thousandths of its length, with `at` staying in its place; none if that is the whole run.
    pub fn zoomed(self, at: Time, permille: u64, end: Time) -> Option<Self> {
        let old = self.length().0.max(1);
        let length = (old.saturating_mul(permille) / 1_000).max(SHORTEST.0);
        // Whole steps of a thousandth or so, so that an address stays short.
        let step = step(length);
        let length = (length + step / 2) / step * step;
        let at = at.clamp(self.from, self.to);
        let before = scaled(at.since(self.from).0, length, old);
        let from = at.0.saturating_sub(before);
        Self::of((from + step / 2) / step * step, length, end)
    }

    /// Moved by so many thousandths of its length, backwards if negative; it stays within the run.
    pub fn panned(self, permille: i64, end: Time) -> Option<Self> {
        let length = self.length().0;
        let way = (length / 1_000).saturating_mul(permille.unsigned_abs());
        let from = if permille < 0 {
            self.from.0.saturating_sub(way)
        } else {
            self.from.0.saturating_add(way)
        };
        Self::of(from, length, end)
    }

    /// The page on which `t` is: itself if `t` is in it, else as long a one that begins a little before `t`.
    pub fn turned_to(self, t: Time, end: Time) -> Option<Self> {
        let length = self.length().0;
        if self.from <= t && t <= self.to {
            return Self::of(self.from.0, length, end);
        }
        let step = step(length);
        Self::of(t.0.saturating_sub(length / 10) / step * step, length, end)
    }
}

/// A power of ten between a thousandth and a hundredth of a length.
fn step(length: u64) -> u64 {
    let mut step = MS / 10;
    while step * 1_000 <= length {
        step *= 10;
    }
    step
}

#[cfg(test)]
mod tests {
    use super::*;

    const END: Time = Time::ms(60_000);

    fn ms(window: Option<Window>) -> Option<(u64, u64)> {
        window.map(|w| (w.from.as_ms(), w.to.as_ms()))
    }

    fn window((from, to): (u64, u64)) -> Window {
        Window { from: Time::ms(from), to: Time::ms(to) }
    }

    #[test]
    fn zoom_keeps_the_moment_in_its_place() {
        for (of, at, permille, expected) in [
            ((0, 60_000), 0, 500, Some((0, 30_000))),
            ((0, 60_000), 60_000, 500, Some((30_000, 60_000))),
            ((0, 60_000), 20_000, 500, Some((10_000, 40_000))),
            ((10_000, 40_000), 20_000, 2_000, None),
            ((10_000, 20_000), 12_000, 2_000, Some((8_000, 28_000))),
            ((0, 60_000), 20_000, 2_000, None),
            // A moment that is not shown counts as the nearest end.
            ((10_000, 20_000), 50_000, 500, Some((15_000, 20_000))),
            // Not beyond the ends of the run.
            ((0, 10_000), 9_000, 2_000, Some((0, 20_000))),
            ((55_000, 60_000), 56_000, 2_000, Some((50_000, 60_000))),
            ((10_000, 10_006), 10_002, 500, Some((10_000, 10_005))),
            ((10_000, 10_005), 10_002, 10, Some((10_000, 10_005))),
        ] {
            let zoomed = window(of).zoomed(Time::ms(at), permille, END);
            assert_eq!(ms(zoomed), expected, "{of:?} at {at} by {permille}");
        }
    }

    #[test]
    fn a_window_pans_within_the_run() {
        for (of, permille, expected) in [
            ((10_000, 20_000), 500, (15_000, 25_000)),
            ((10_000, 20_000), -500, (5_000, 15_000)),
            ((10_000, 20_000), -5_000, (0, 10_000)),
            ((10_000, 20_000), i64::MAX, (50_000, 60_000)),
            ((10_000, 20_000), i64::MIN, (0, 10_000)),
        ] {
            assert_eq!(ms(window(of).panned(permille, END)), Some(expected), "{of:?} {permille}");
        }
    }

    #[test]
    fn a_page_turns_when_the_moment_leaves_it() {
        for (of, t, expected) in [
            ((10_000, 20_000), 10_000, (10_000, 20_000)),
            ((10_000, 20_000), 20_000, (10_000, 20_000)),
            ((10_000, 20_000), 20_001, (19_000, 29_000)),
            ((10_000, 20_000), 3_000, (2_000, 12_000)),
            ((10_000, 20_000), 0, (0, 10_000)),
            ((10_000, 20_000), 60_000, (50_000, 60_000)),
        ] {
            assert_eq!(ms(window(of).turned_to(Time::ms(t), END)), Some(expected), "{of:?} {t}");
        }
    }

    #[test]
    fn two_moments_make_a_window() {
        for (a, b, expected) in [
            (4_000, 8_000, Some((4_000, 8_000))),
            (8_000, 4_000, Some((4_000, 8_000))),
            (4_000, 4_001, Some((4_000, 4_005))),
            (60_000, 60_000, Some((59_995, 60_000))),
            (50_000, 90_000, Some((20_000, 60_000))),
            (0, 60_000, None),
            (0, 70_000, None),
        ] {
            assert_eq!(ms(Window::within(Time::ms(a), Time::ms(b), END)), expected, "{a} {b}");
        }
        // A run too short to be cut is always shown whole.
        assert_eq!(Window::within(Time::ZERO, Time::ms(1), Time::ms(3)), None);
        assert_eq!(Window::whole(Time::ZERO).length(), Dur(1));
    }
}
