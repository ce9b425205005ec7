//! Dates of the API (RFC 3339) as nanoseconds since 1970, and back.

use crate::time::SEC;

const DAY: i128 = 86_400 * SEC as i128;
/// The nanoseconds of the year 1970.
pub(super) const YEAR: i128 = 365 * DAY;

/// Reads `2026-01-31T08:00:00.5+01:00`.
pub(super) fn parse(text: &str) -> Option<i128> {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| {
        let digits = bytes.get(from..to)?;
        digits
            .iter()
            .all(u8::is_ascii_digit)
            .then(|| digits.iter().fold(0_i64, |n, digit| n * 10 + i64::from(digit - b'0')))
    };
    let is = |at: usize, marks: &[u8]| bytes.get(at).is_some_and(|byte| marks.contains(byte));
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let marked = is(4, b"-") && is(7, b"-") && is(10, b"Tt ") && is(13, b":") && is(16, b":");
    let fits = (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second < 61;
    if !marked || !fits {
        return None;
    }
    let mut at = 19;
    let mut nanos = 0;
    if is(at, b".") {
        let mut scale = SEC as i64 / 10;
        at += 1;
        let start = at;
        while let Some(digit @ b'0'..=b'9') = bytes.get(at) {
            nanos += i64::from(digit - b'0') * scale;
            scale /= 10;
            at += 1;
        }
        if at == start {
            return None;
        }
    }
    let offset = if is(at, b"Zz") && bytes.len() == at + 1 {
        0
    } else if is(at, b"+-") && is(at + 3, b":") && bytes.len() == at + 6 {
        let minutes = number(at + 1, at + 3)? * 60 + number(at + 4, at + 6)?;
        if is(at, b"-") { -minutes } else { minutes }
    } else {
        return None;
    };
    let seconds = days(year, month, day) * 86_400 + hour * 3600 + (minute - offset) * 60 + second;
    Some(i128::from(seconds) * i128::from(SEC) + i128::from(nanos))
}

/// Writes a moment up to the year 2554 in UTC, without trailing zeros.
pub(super) fn write(nanos: u64) -> String {
    let (seconds, nanos) = (nanos / SEC, nanos % SEC);
    let (day, second) = ((seconds / 86_400) as i64, seconds % 86_400);
    let mut year = 1970 + day / 366;
    while days(year + 1, 1, 1) <= day {
        year += 1;
    }
    let mut month = 1;
    while month < 12 && days(year, month + 1, 1) <= day {
        month += 1;
    }
    let day = day - days(year, month, 1) + 1;
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let mut out = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
    if nanos > 0 {
        let digits = format!(".{nanos:09}");
        out.push_str(digits.trim_end_matches('0'));
    }
    out.push('Z');
    out
}

/// Days from 1970-01-01 to a date of the Gregorian calendar (Hinnant, "chrono-compatible date algorithms").
const fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_in_and_out() {
        for (text, nanos) in [
            ("1970-01-01T00:00:00Z", 0),
            ("1970-01-01T00:00:08.5Z", 8_500_000_000),
            ("2000-02-29T12:00:00Z", 951_825_600_000_000_000),
            ("2026-11-29T16:31:49.501467097Z", 1_795_969_909_501_467_097),
            ("2100-03-01T00:00:00Z", 4_107_542_400_000_000_000),
        ] {
            assert_eq!(parse(text), Some(i128::from(nanos)), "{text}");
            assert_eq!(write(nanos), text);
        }
        assert_eq!(parse("1970-01-01T01:00:00+01:00"), Some(0));
        assert_eq!(parse("1969-12-31T22:30:00.1234567899-01:30"), Some(123_456_789));
        assert_eq!(parse("0001-01-01T00:00:00Z"), Some(-62_135_596_800 * i128::from(SEC)));
        assert_eq!(write(u64::MAX), "2554-07-21T23:34:33.709551615Z");
    }

    #[test]
    fn what_is_no_date() {
        for text in [
            "",
            "yesterday",
            "2026-01-31",
            "2026-01-31T08:00:00",
            "2026-13-31T08:00:00Z",
            "2026-01-31T25:00:00Z",
            "2026-01-31T08:00:00.Z",
            "2026-01-31T08:00:00Zx",
            "2026-01-31T08:00:00+0100",
            "2026/01/31T08:00:00Z",
            "20é6-01-31T08:00:00Z",
            "2026-01-00T08:00:00Z",
            "+026-01-31T08:00:00Z",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
