//! A stretch of a run: what a picture shows of it, moved and sized as a reader asks.

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

    /// `percent` of its length, with `at` staying in its place; none if that is the whole run.
    pub fn zoomed(self, at: Time, percent: u64, end: Time) -> Option<Self> {
        let old = self.length().0.max(1);
        let length = (old.saturating_mul(percent) / 100).max(SHORTEST.0);
        // Whole steps of a hundredth or so, so that an address stays short.
        let step = step(length);
        let length = (length + step / 2) / step * step;
        let at = at.clamp(self.from, self.to);
        let before = u128::from(at.since(self.from).0) * u128::from(length) / u128::from(old);
        let from = at.0.saturating_sub(before as u64);
        Self::of((from + step / 2) / step * step, length, end)
    }

    /// Moved by so many tenths of its length, backwards if negative; it stays within the run.
    pub fn panned(self, tenths: i64, end: Time) -> Option<Self> {
        let length = self.length().0;
        let way = i128::from(length) * i128::from(tenths) / 10;
        let from = (i128::from(self.from.0) + way).max(0) as u64;
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

/// A power of ten near a hundredth of a length.
fn step(length: u64) -> u64 {
    let mut step = MS / 10;
    while step * 200 <= length {
        step *= 10;
    }
    step
}
