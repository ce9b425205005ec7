//! The project's own generator: the same numbers for a seed on every platform, for ever.

use crate::scenario::Service;
use crate::time::Dur;

/// SplitMix64 (Steele, Lea, Flood 2014).
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator for a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 random bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to `n - 1`, evenly; 0 if `n` is 0.
    pub const fn below(&mut self, n: u64) -> u64 {
        ((self.next_u64() as u128 * n as u128) >> 64) as u64
    }

    /// Whether something with this probability, in millionths, happens.
    pub const fn chance(&mut self, ppm: u32) -> bool {
        ppm > 0 && self.below(1_000_000) < ppm as u64
    }

    /// A service time.
    pub fn service(&mut self, service: Service) -> Dur {
        match service {
            Service::Fixed(d) => d,
            Service::Uniform(low, high) => {
                let span = high.0.saturating_sub(low.0).saturating_add(1);
                Dur(low.0.saturating_add(self.below(span)))
            }
            Service::Exponential(mean) => Dur(scaled(mean.0, self.neg_ln_uniform())),
            Service::LogNormal(median, percent) => {
                // exp2 of a standard normal scaled by the spread: sigma / ln 2 in 32.32 fixed point, by percent.
                let z = self.normal();
                let power = (i128::from(z) * i128::from(percent) * 61_963_280) >> 32;
                Dur(exp2(median.0, power as i64))
            }
        }
    }

    /// -ln of an even number in (0, 1], in 32.32 fixed point.
    fn neg_ln_uniform(&mut self) -> u64 {
        let u = self.next_u64() | 1;
        // -log2(u / 2^64), then times ln 2.
        let log2 = (64_u64 << 32) - log2(u);
        ((u128::from(log2) * 2_977_044_472) >> 32) as u64
    }

    /// A standard normal number in 32.32 fixed point: the sum of twelve even ones, less six.
    fn normal(&mut self) -> i64 {
        let mut sum: i64 = 0;
        for _ in 0..12 {
            sum += (self.next_u64() >> 32) as i64;
        }
        sum - (6 << 32)
    }
}

/// `value` times a 32.32 number.
fn scaled(value: u64, factor: u64) -> u64 {
    u64::try_from((u128::from(value) * u128::from(factor)) >> 32).unwrap_or(u64::MAX)
}

/// Base-2 logarithm in 32.32 fixed point, to 20 binary places, by repeated squaring.
fn log2(n: u64) -> u64 {
    let whole = 63 - n.leading_zeros();
    // The mantissa in [1, 2), with 31 binary places.
    let mut mantissa = (n << n.leading_zeros()) >> 32;
    let mut log = u64::from(whole) << 32;
    for bit in (12..32).rev() {
        let square = mantissa * mantissa;
        let carry = square >> 63;
        log |= carry << bit;
        mantissa = square >> (31 + carry);
    }
    log
}

/// `value` times two to the power of a 32.32 number.
fn exp2(value: u64, power: i64) -> u64 {
    let (whole, mut part) = (power >> 32, (power & 0xffff_ffff) as u64);
    // Two to the fraction: the product of the roots of two that its bits name.
    let mut factor: u128 = 1 << 64;
    for root in ROOTS {
        if part & (1 << 31) != 0 {
            factor = (factor >> 32) * (u128::from(root) >> 31);
        }
        part <<= 1;
    }
    let base = (u128::from(value) * (factor >> 32)) >> 32;
    let result = match whole {
        0..=40 => base.saturating_mul(1 << whole),
        41.. => u128::MAX,
        -127..0 => base >> -whole,
        _ => 0,
    };
    u64::try_from(result).unwrap_or(u64::MAX)
}

/// 2^(1/2), 2^(1/4) and so on, in 1.63 fixed point.
const ROOTS: [u64; 20] = [
    0xb504f333f9de6484,
    0x9837f0518db8a96f,
    0x8b95c1e3ea8bd6e6,
    0x85aac367cc487b14,
    0x82cd8698ac2ba1d7,
    0x8164d1f3bc030773,
    0x80b1ed4fd999ab6c,
    0x8058d7d2d5e5f6b0,
    0x802c6436d0e04f50,
    0x8016302f17467628,
    0x800b179c82028fd0,
    0x80058baf7fee3b5d,
    0x8002c5d00fdcfcb6,
    0x800162e61bed4a48,
    0x8000b17292f702a3,
    0x800058b92abbae02,
    0x80002c5c8dade4d7,
    0x8000162e44eaf636,
    0x80000b1721fa7c18,
    0x8000058b90de7e4c,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_never_change() {
        let mut rng = Rng::new(1);
        let first: Vec<u64> = (0..3).map(|_| rng.next_u64()).collect();
        assert_eq!(first, [0x910a_2dec_8902_5cc1, 0xbeeb_8da1_658e_ec67, 0xf893_a2ee_fb32_555e]);
    }

    #[test]
    fn service_times_have_their_mean_and_median() {
        let sample = |service: Service| {
            let mut rng = Rng::new(7);
            let mut all: Vec<u64> = (0..20_001).map(|_| rng.service(service).as_ms()).collect();
            all.sort_unstable();
            (all.iter().sum::<u64>() / all.len() as u64, all[all.len() / 2])
        };
        for (service, mean, median) in [
            (Service::Fixed(Dur::ms(200)), 200, 200),
            (Service::Uniform(Dur::ms(100), Dur::ms(300)), 200, 200),
            (Service::Exponential(Dur::ms(1000)), 1000, 693),
            (Service::LogNormal(Dur::ms(1000), 50), 1133, 1000),
        ] {
            let (got_mean, got_median) = sample(service);
            assert!(
                got_mean.abs_diff(mean) <= mean / 40,
                "{service:?}: mean {got_mean}, not {mean}"
            );
            assert!(
                got_median.abs_diff(median) <= median / 40,
                "{service:?}: median {got_median}, not {median}"
            );
        }
    }

    #[test]
    fn chances_are_kept() {
        let mut rng = Rng::new(3);
        let hits = (0..100_000).filter(|_| rng.chance(20_000)).count();
        assert!((1_800..2_200).contains(&hits), "{hits}");
        assert!(!rng.chance(0));
    }
}
