//! Choices read from a tape of numbers, so that a shorter tape of smaller numbers is a simpler scenario.
//!
//! A block is what one part of a scenario is drawn from. Removing a block leaves the other parts alone; zero is
//! always the plainest choice, and a block that is read to its end gives zeros.

use delivery_sim::{Dur, Time};
use proptest::prelude::*;

/// Blocks of numbers.
pub(crate) type Tape = Vec<Vec<u16>>;

/// Random tapes; they shrink block by block and number by number.
pub(crate) fn tapes() -> impl Strategy<Value = Tape> {
    let block = prop::collection::vec(any::<u16>(), 0..48);
    prop::collection::vec(block, 0..22)
}

/// Reads one block.
pub(crate) struct Draw<'a> {
    block: &'a [u16],
    /// One value in so many is beyond all sense; none if zero.
    odd: usize,
}

const US: u64 = 1_000;

impl<'a> Draw<'a> {
    pub(crate) fn new(block: &'a [u16], odd: usize) -> Self {
        Self { block, odd }
    }

    pub(crate) fn is_wild(&self) -> bool {
        self.odd > 0
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        let Some((&first, rest)) = self.block.split_first() else { return 0 };
        self.block = rest;
        usize::from(first) % n.max(1)
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// True in one of `n` cases.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    fn is_odd_one(&mut self) -> bool {
        self.odd > 0 && self.one_in(self.odd)
    }

    fn extreme(&mut self) -> u64 {
        self.pick(&[
            0,
            1,
            u64::MAX,
            u64::MAX - 1,
            i64::MAX as u64,
            i64::MAX as u64 + 1,
            -5_000_000_i64 as u64,
            1 << 32,
            4_000_000_000_000_000_000,
            1 << 62,
        ])
    }

    /// A duration that may be zero.
    pub(crate) fn dur(&mut self) -> Dur {
        if self.is_odd_one() {
            return Dur(self.extreme());
        }
        match self.pick(&[0, 0, 100, 10, 50, 1, 101, 250, 500, 1_000, 99, 2_000, 11, u64::MAX]) {
            u64::MAX => Dur(self.pick(&[1, 200 * US, 999_999])),
            ms => Dur::ms(ms),
        }
    }

    /// A duration that drives a loop: not so short that it fills the run.
    pub(crate) fn span(&mut self) -> Dur {
        if self.is_odd_one() {
            return Dur(self.extreme());
        }
        Dur::ms(self.pick(&[100, 50, 250, 500, 20, 1_000, 101, 2_000, 10, 99, 300]))
    }

    /// A duration that drives a loop, or none.
    pub(crate) fn span_or_zero(&mut self) -> Dur {
        if self.one_in(2) { self.span() } else { Dur::ZERO }
    }

    /// A moment; many meet.
    pub(crate) fn time(&mut self) -> Time {
        if self.is_odd_one() {
            return Time(self.extreme());
        }
        match self.pick(&[
            0,
            100,
            101,
            500,
            200,
            1_000,
            50,
            1_500,
            750,
            2_000,
            250,
            102,
            3_000,
            u64::MAX,
        ]) {
            u64::MAX => Time(self.pick(&[1, 200 * US, 400 * US, 100_200 * US, 101_400 * US])),
            ms => Time::ms(ms),
        }
    }

    /// A small number, up to `most`.
    pub(crate) fn count(&mut self, most: u32) -> u32 {
        if self.is_odd_one() {
            return self.pick(&[0, 1, 3_000, u32::MAX, 65_535, 65_536, 1 << 31, u32::MAX]);
        }
        self.below(most as usize + 1) as u32
    }

    /// A sequence number.
    pub(crate) fn seq(&mut self) -> u64 {
        if self.is_odd_one() { self.extreme() } else { self.below(12) as u64 }
    }

    /// A limit; mostly none.
    pub(crate) fn limit(&mut self, some: &[i64]) -> i64 {
        if self.is_odd_one() {
            return self.pick(&[0, -2, i64::MIN, i64::MAX, i64::MAX - 1, 1 << 32]);
        }
        if self.one_in(2) { self.pick(some) } else { -1 }
    }

    /// A text that is usually the one given.
    pub(crate) fn text(&mut self, usual: &str) -> String {
        if self.is_odd_one() {
            let odd = [
                "", "s0", "s0.a", "*", ">", "a..b", " ", "w0", "c0", "{i}", "\u{0}", "é.>", "s0.>",
                ".",
            ];
            return match self.below(odd.len() + 1) {
                0 => "x".repeat(5_000),
                n => odd[n - 1].into(),
            };
        }
        usual.into()
    }
}
