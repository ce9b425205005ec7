//! Moments and durations of a run, in whole nanoseconds, and their text forms.

use core::fmt;
use core::ops::{Add, AddAssign, Sub};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Nanoseconds in a millisecond.
pub const MS: u64 = 1_000_000;
/// Nanoseconds in a second.
pub const SEC: u64 = 1_000_000_000;

/// A moment: nanoseconds since the start of the run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(pub u64);

/// A length of time in nanoseconds, as the NATS API counts it.
///
/// In text it has Go's form: `30s`, `1m30s`, `500ms`, `1.5s`. In JSON a plain number is nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Dur(pub u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// Later than any moment of a run.
    pub const NEVER: Self = Self(u64::MAX);

    /// The moment `ms` milliseconds after the start.
    pub const fn ms(ms: u64) -> Self {
        Self(ms * MS)
    }

    /// Whole milliseconds since the start, rounded down.
    pub const fn as_ms(self) -> u64 {
        self.0 / MS
    }

    /// The length of time since `earlier`, zero if that is later.
    pub const fn since(self, earlier: Self) -> Dur {
        Dur(self.0.saturating_sub(earlier.0))
    }
}

impl Dur {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// A length of `ms` milliseconds.
    pub const fn ms(ms: u64) -> Self {
        Self(ms * MS)
    }

    /// A length of `s` seconds.
    pub const fn secs(s: u64) -> Self {
        Self(s * SEC)
    }

    /// Whole milliseconds, rounded down.
    pub const fn as_ms(self) -> u64 {
        self.0 / MS
    }

    /// A length of so many nanoseconds, as the API sends it: below zero it is one that a server may refuse (R83).
    pub const fn api(nanos: i64) -> Self {
        Self(nanos as u64)
    }

    /// Whether the API's number of nanoseconds is below zero.
    pub const fn is_negative(self) -> bool {
        (self.0 as i64) < 0
    }

    /// No time at all for one below zero, as servers that take such a setting treat it.
    pub(crate) const fn or_none_below_zero(self) -> Self {
        if self.is_negative() { Self::ZERO } else { self }
    }

    /// Reads Go's form (`1h2m3.5s`, `250ms`, `10us`, `0`).
    ///
    /// # Errors
    /// A sentence that says what was found and what is expected.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || {
            let shown: String = text.chars().take(40).collect();
            format!("`{shown}` is not a duration; write one such as 500ms, 30s or 1m30s")
        };
        let text = text.trim();
        if text == "0" {
            return Ok(Self::ZERO);
        }
        let mut rest = text.as_bytes();
        if rest.is_empty() {
            return Err(wrong());
        }
        let mut total: u64 = 0;
        while !rest.is_empty() {
            let (mut whole, mut part, mut scale, mut digits, mut point) =
                (0_u64, 0_u64, 1_u64, 0, false);
            while let Some((&c, tail)) = rest.split_first() {
                match c {
                    b'0'..=b'9' if !point => {
                        whole = whole
                            .checked_mul(10)
                            .and_then(|w| w.checked_add(u64::from(c - b'0')))
                            .ok_or_else(wrong)?;
                        digits += 1;
                    }
                    b'0'..=b'9' => {
                        // Digits beyond a nanosecond change nothing.
                        if scale < SEC {
                            part = part * 10 + u64::from(c - b'0');
                            scale *= 10;
                        }
                        digits += 1;
                    }
                    b'.' if !point => point = true,
                    _ => break,
                }
                rest = tail;
            }
            if digits == 0 {
                return Err(wrong());
            }
            let units: [(&[u8], u64); 7] = [
                (b"ns", 1),
                (b"us", 1_000),
                ("µs".as_bytes(), 1_000),
                (b"ms", MS),
                (b"s", SEC),
                (b"m", 60 * SEC),
                (b"h", 3600 * SEC),
            ];
            let (unit, size) =
                units.into_iter().find(|(unit, _)| rest.starts_with(unit)).ok_or_else(wrong)?;
            rest = &rest[unit.len()..];
            // Below a second of the unit each: no product leaves 64 bits.
            let fraction = size / scale * part + size % scale * part / scale;
            total = whole
                .checked_mul(size)
                .and_then(|n| n.checked_add(fraction))
                .and_then(|n| total.checked_add(n))
                .ok_or_else(wrong)?;
        }
        Ok(Self(total))
    }

    /// The Go form, as settings and addresses carry it: `1m30s`, `500ms`, `1.5s`, `0s`.
    pub fn go(self) -> String {
        use core::fmt::Write as _;
        let mut out = String::new();
        let (hours, minutes) = (self.0 / (3600 * SEC), self.0 / (60 * SEC) % 60);
        let seconds = self.0 % (60 * SEC);
        if hours > 0 {
            let _ = write!(out, "{hours}h");
        }
        if minutes > 0 {
            let _ = write!(out, "{minutes}m");
        }
        if seconds == 0 {
            if out.is_empty() {
                out.push_str("0s");
            }
        } else if seconds >= SEC || !out.is_empty() {
            decimal(&mut out, seconds, SEC);
            out.push('s');
        } else if seconds >= MS {
            decimal(&mut out, seconds, MS);
            out.push_str("ms");
        } else if seconds >= 1_000 {
            decimal(&mut out, seconds, 1_000);
            out.push_str("us");
        } else {
            let _ = write!(out, "{seconds}ns");
        }
        out
    }
}

/// Writes `value / unit` without trailing zeros.
fn decimal(out: &mut String, value: u64, unit: u64) {
    use core::fmt::Write as _;
    let _ = write!(out, "{}", value / unit);
    let mut rest = value % unit;
    if rest > 0 {
        out.push('.');
        let mut step = unit / 10;
        while rest > 0 {
            out.push((b'0' + (rest / step) as u8) as char);
            rest %= step;
            step /= 10;
        }
    }
}

/// For people: `5 s`, `1 min 30 s`, `500 ms`, `1.5 s`.
impl fmt::Display for Dur {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        for c in self.go().chars() {
            match c {
                'h' => out.push_str(" h "),
                's' if out.ends_with(" m") || out.ends_with('u') || out.ends_with('n') => {
                    out.push('s');
                }
                'm' => out.push_str(" m"),
                'u' | 'n' => {
                    out.push(' ');
                    out.push(c);
                }
                's' => out.push_str(" s"),
                _ => {
                    if out.ends_with(" m") {
                        out.push_str("in ");
                    }
                    out.push(c);
                }
            }
        }
        if out.ends_with(" m") {
            out.push_str("in");
        }
        f.write_str(out.trim_end())
    }
}

/// A moment to a tenth of a second, as figures and captions say it: `T+8.0 s`, `T+1 min 4.5 s`.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = self.0 / (SEC / 10);
        let (minutes, rest) = (tenths / 600, tenths % 600);
        f.write_str("T+")?;
        if minutes > 0 {
            write!(f, "{minutes} min ")?;
        }
        write!(f, "{}.{} s", rest / 10, rest % 10)
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "T+{}", Dur(self.0).go())
    }
}

impl fmt::Debug for Dur {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.go())
    }
}

impl Add<Dur> for Time {
    type Output = Self;
    fn add(self, d: Dur) -> Self {
        Self(self.0.saturating_add(d.0))
    }
}

impl AddAssign<Dur> for Time {
    fn add_assign(&mut self, d: Dur) {
        *self = *self + d;
    }
}

impl Sub<Dur> for Time {
    type Output = Self;
    fn sub(self, d: Dur) -> Self {
        Self(self.0.saturating_sub(d.0))
    }
}

impl Add for Dur {
    type Output = Self;
    fn add(self, d: Self) -> Self {
        Self(self.0.saturating_add(d.0))
    }
}

impl core::str::FromStr for Dur {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Self::parse(text)
    }
}

/// A string or a number of nanoseconds where people write, a number alone in compact forms.
impl<'de> Deserialize<'de> for Dur {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Dur;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a duration such as \"30s\"")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Dur, E> {
                Dur::parse(text).map_err(E::custom)
            }
            fn visit_u64<E: serde::de::Error>(self, n: u64) -> Result<Dur, E> {
                Ok(Dur(n))
            }
            fn visit_i64<E: serde::de::Error>(self, n: i64) -> Result<Dur, E> {
                Ok(Dur::api(n))
            }
        }
        if d.is_human_readable() { d.deserialize_any(Visitor) } else { d.deserialize_u64(Visitor) }
    }
}

impl Serialize for Dur {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if s.is_human_readable() { s.serialize_str(&self.go()) } else { s.serialize_u64(self.0) }
    }
}

/// As [`Dur`]: a moment is written as the duration since the start.
impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Dur::deserialize(d).map(|d| Self(d.0))
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        Dur(self.0).serialize(s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_in_and_out() {
        for (text, nanos, go, shown) in [
            ("30s", 30 * SEC, "30s", "30 s"),
            ("1m30s", 90 * SEC, "1m30s", "1 min 30 s"),
            ("500ms", 500 * MS, "500ms", "500 ms"),
            ("1.5s", 1500 * MS, "1.5s", "1.5 s"),
            ("1500ms", 1500 * MS, "1.5s", "1.5 s"),
            ("2h", 7200 * SEC, "2h", "2 h"),
            ("2m", 120 * SEC, "2m", "2 min"),
            ("1h0.25s", 3600 * SEC + 250 * MS, "1h0.25s", "1 h 0.25 s"),
            ("10us", 10_000, "10us", "10 us"),
            ("7ns", 7, "7ns", "7 ns"),
            ("0", 0, "0s", "0 s"),
        ] {
            let d = Dur::parse(text).unwrap();
            assert_eq!(
                (d.0, d.go().as_str(), d.to_string().as_str()),
                (nanos, go, shown),
                "{text}"
            );
            assert_eq!(Dur::parse(go).unwrap(), d);
        }
    }

    #[test]
    fn bad_durations_say_so() {
        for text in ["", "banana", "5", "5x", ".s", "s", "-1s", "99999999999h", "1.2.3s"] {
            let error = Dur::parse(text).unwrap_err();
            assert!(error.contains("is not a duration; write one such as"), "{text}: {error}");
        }
    }

    #[test]
    fn moments_to_a_tenth() {
        assert_eq!(Time::ms(8_001).to_string(), "T+8.0 s");
        assert_eq!(Time::ms(64_500).to_string(), "T+1 min 4.5 s");
    }
}
