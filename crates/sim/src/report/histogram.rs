//! Lengths of time counted in buckets of fixed number, and the quantiles read from them.

use crate::time::Dur;

/// Each doubling of the length has so many buckets, so that a bucket is at most one part in 32 wide.
const PARTS: u64 = 32;
/// Lengths below 32 ns have a bucket each; then 59 doublings up to the longest length there is.
const BUCKETS: usize = (PARTS * 60) as usize;

/// Counts lengths of time in 1920 buckets, whatever their number: about 15 KiB, once anything was counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    /// Empty until something is counted.
    counts: Vec<u64>,
    count: u64,
    min: Dur,
    max: Dur,
}

/// What half, nine tenths and ninety-nine hundredths of some lengths of time do not exceed.
///
/// `min` and `max` are exact, the others are off by at most one part in 32; all are zero where nothing was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Quantiles {
    /// How many lengths were counted.
    pub count: u64,
    /// The shortest.
    pub min: Dur,
    /// The median.
    pub p50: Dur,
    /// Nine of ten are not longer.
    pub p90: Dur,
    /// Ninety-nine of a hundred are not longer.
    pub p99: Dur,
    /// The longest.
    pub max: Dur,
}

fn bucket(nanos: u64) -> usize {
    if nanos < PARTS {
        return nanos as usize;
    }
    let doubling = u64::from(nanos.ilog2()) - 5; // 2⁵ is the first length with a bucket of its own doubling.
    ((doubling + 1) * PARTS + (nanos >> doubling) - PARTS) as usize
}

/// The middle of a bucket, in nanoseconds.
fn middle(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < PARTS {
        return bucket;
    }
    let doubling = bucket / PARTS - 1;
    let low = (bucket % PARTS + PARTS) << doubling;
    low + ((1_u64 << doubling) - 1) / 2
}

impl Histogram {
    /// Counts a length.
    pub fn add(&mut self, length: Dur) {
        if self.count == 0 {
            self.counts = vec![0; BUCKETS];
            (self.min, self.max) = (length, length);
        }
        self.counts[bucket(length.0)] += 1;
        self.count += 1;
        self.min = self.min.min(length);
        self.max = self.max.max(length);
    }

    /// The shortest length that so many thousandths of all do not exceed, off by at most one part in 32; zero where
    /// nothing was counted. A share above 1000 counts as 1000.
    pub fn quantile(&self, thousandths: u32) -> Dur {
        let share = u128::from(thousandths.min(1000));
        let rank = (u128::from(self.count) * share).div_ceil(1000).max(1) as u64;
        let mut seen = 0;
        for (i, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return Dur(middle(i)).clamp(self.min, self.max);
            }
        }
        Dur::ZERO
    }

    /// The usual quantiles.
    pub fn quantiles(&self) -> Quantiles {
        Quantiles {
            count: self.count,
            min: self.min,
            p50: self.quantile(500),
            p90: self.quantile(900),
            p99: self.quantile(990),
            max: self.max,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_follow_one_another_and_are_narrow() {
        let mut last = 0;
        for nanos in (0..5_000).chain((13..64).map(|shift| 1_u64 << shift)).chain([u64::MAX]) {
            let i = bucket(nanos);
            assert!(i < BUCKETS && i >= last, "{nanos}");
            assert!(middle(i).abs_diff(nanos) <= nanos / 32, "{nanos} is told as {}", middle(i));
            last = i;
        }
        assert_eq!(bucket(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn quantiles_are_the_lengths_at_those_ranks() {
        assert_eq!(Histogram::default().quantiles(), Quantiles::default());
        for (lengths, [p50, p90, p99]) in [
            (vec![200], [200, 200, 200]),
            ((1..=10).collect(), [5, 9, 10]),
            ((1..=1000).collect(), [500, 900, 990]),
            ([vec![1; 99], vec![70]].concat(), [1, 1, 1]),
            ([vec![1; 98], vec![70; 2]].concat(), [1, 1, 70]),
        ] {
            let mut histogram = Histogram::default();
            for &ms in &lengths {
                histogram.add(Dur::ms(ms));
            }
            let q = histogram.quantiles();
            assert_eq!(
                (q.count, q.min, q.max),
                (lengths.len() as u64, Dur::ms(lengths[0]), Dur::ms(lengths[lengths.len() - 1]),)
            );
            for (told, ms) in [(q.p50, p50), (q.p90, p90), (q.p99, p99)] {
                assert!(told.0.abs_diff(Dur::ms(ms).0) <= Dur::ms(ms).0 / 32, "{told} for {ms} ms");
            }
        }
    }
}
