//! The picture of a backoff: when a message that nobody answers is delivered, on a logarithmic axis of time.

use super::put;
use delivery_figure::put::Put as _;
use delivery_sim::Dur;
use delivery_sim::time::{MS, SEC};

/// Where the axis may begin, and its marks.
const TICKS: [u64; 9] =
    [MS, 10 * MS, 100 * MS, SEC, 10 * SEC, 60 * SEC, 600 * SEC, 3_600 * SEC, 36_000 * SEC];
/// Repetitions of the last entry that are drawn.
const REPEATS: usize = 2;
/// Ten-thousandths of the width before and behind the axis.
const MARGIN: (u64, u64) = (900, 500);
/// Ten-thousandths of the width that a time takes as text.
const TEXT: u64 = 1_300;

/// The deliveries of a message that nobody answers.
pub(super) struct Schedule {
    /// When each happens, in nanoseconds from the first; the last is when the last stopwatch drawn runs out.
    pub(super) times: Vec<u64>,
    /// How many entries the list has.
    entries: usize,
    /// Whether the last time is the end of its deliveries.
    given_up: bool,
}

impl Schedule {
    /// That of a list with at least one entry.
    pub(super) fn new(entries: &[Dur], max_deliver: Option<u64>) -> Self {
        let drawn = entries.len() + REPEATS;
        let limit = max_deliver.unwrap_or(u64::MAX);
        let count = if limit <= drawn as u64 { limit.max(1) as usize } else { drawn };
        let mut times = vec![0_u64];
        for n in 0..count {
            let wait = entries.get(n).or(entries.last()).map_or(0, |d| d.0);
            times.push(times[n].saturating_add(wait));
        }
        Self { times, entries: entries.len(), given_up: count as u64 == limit }
    }

    /// What it is in words.
    pub(super) fn words(&self) -> String {
        let mut out = String::from("Unanswered, a message goes out at 0 s");
        let last = self.times.len() - 1;
        let listed = if self.given_up { last } else { last.min(self.entries + 1) };
        for time in &self.times[1..listed] {
            put(&mut out, &[", ", &Dur(*time).to_string()]);
        }
        let end = Dur(self.times[last]);
        if self.given_up {
            put(&mut out, &[" and is given up at ", &end.to_string()]);
        } else {
            let wait = Dur(end.0 - self.times[last - 1]);
            put(&mut out, &[", then every ", &wait.to_string()]);
        }
        out.put(", whenever a worker asks.");
        out
    }

    /// How long an outage a message survives: the last of its deliveries must come after it.
    pub(super) fn survives(entries: &[Dur], max_deliver: Option<u64>) -> String {
        let Some(waits) = max_deliver.and_then(|n| n.checked_sub(2)) else { return String::new() };
        let (mut sum, mut wait) = (0_u64, 0);
        let mut more = waits + 1;
        for entry in entries {
            if more > 0 {
                (wait, more) = (entry.0, more - 1);
                sum = sum.saturating_add(wait);
            }
        }
        let sum = Dur(sum.saturating_add(wait.saturating_mul(more))).to_string();
        [" A message survives an outage of up to ", &sum, "."].concat()
    }

    /// The axis that shows all of it.
    pub(super) fn axis(&self) -> Axis {
        let first = self.times.iter().copied().find(|time| *time > 0).unwrap_or(SEC);
        let from = TICKS.iter().copied().rfind(|tick| *tick < first).unwrap_or(first / 2);
        let end = self.times.last().copied().unwrap_or(first);
        Axis { from, to: end.saturating_add(end / 4).max(from.saturating_mul(4)).max(4) }
    }

    /// Draws it. Handles of entries say which in `data-n`.
    pub(super) fn svg(&self, axis: &Axis) -> String {
        let mut out = String::from("<svg aria-hidden=\"true\" height=\"80\">");
        for tick in TICKS.iter().filter(|tick| (axis.from..=axis.to).contains(tick)) {
            let x = percent(axis.place(*tick));
            put(&mut out, &["<line class=\"grid\" y1=\"18\" y2=\"62\" x1=\"", &x, "\" x2=\"", &x]);
            text(&mut out, "\"/>", "tick", &x, "76", &Dur(*tick).to_string());
        }
        let mut free = 0;
        let last = self.times.len() - 1;
        for n in 0..=last {
            let place = axis.place(self.times[n]);
            let x = percent(place);
            if n < last {
                let wide = axis.place(self.times[n + 1]) - place;
                put(
                    &mut out,
                    &[
                        "<svg class=\"wedge",
                        if n < self.entries { "" } else { " repeat" },
                        "\" x=\"",
                        &x,
                        "\" width=\"",
                        &percent(wide),
                        "\" y=\"28\" height=\"24\" viewBox=\"0 0 1 1\" preserveAspectRatio=\"none\"><path d=\"M0 0 1 .5 0 1z\"/></svg>",
                    ],
                );
            }
            if place >= free {
                free = place + TEXT;
                text(&mut out, "", "when", &x, "12", &Dur(self.times[n]).to_string());
            }
            if n < last {
                put(&mut out, &["<circle class=\"delivery\" r=\"9\" cy=\"40\" cx=\"", &x]);
                text(&mut out, "\"/>", "num", &x, "44", &(n + 1).to_string());
            } else if self.given_up {
                put(&mut out, &["<svg class=\"end\" overflow=\"visible\" y=\"40\" x=\"", &x]);
                out.put("\"><path d=\"M-5-5h10v10h-10z\"/></svg>");
            } else {
                let before = axis.place(self.times[n - 1]);
                text(&mut out, "", "num", &percent(place.max(before + 450)), "44", "…");
            }
            if (1..=self.entries).contains(&n) {
                let n = (n - 1).to_string();
                put(&mut out, &["<circle class=\"handle\" r=\"16\" cy=\"40\" cx=\"", &x]);
                put(&mut out, &["\" data-n=\"", &n, "\"/>"]);
            }
        }
        out.put("</svg>");
        out
    }
}

fn text(out: &mut String, before: &str, class: &str, x: &str, y: &str, words: &str) {
    put(
        out,
        &[before, "<text class=\"", class, "\" x=\"", x, "\" y=\"", y, "\">", words, "</text>"],
    );
}

/// A stretch of time, drawn by its logarithm.
#[derive(Debug, PartialEq)]
pub(super) struct Axis {
    /// Its first moment, in nanoseconds.
    pub(super) from: u64,
    /// Its last.
    pub(super) to: u64,
}

impl Axis {
    fn span(&self) -> (u64, u64, u64) {
        let (from, to) = (log(self.from), log(self.to));
        (from, to.saturating_sub(from).max(1), 10_000 - MARGIN.0 - MARGIN.1)
    }

    /// Where a moment is, in ten-thousandths of the width; the start of all is left of the axis.
    fn place(&self, time: u64) -> u64 {
        if time == 0 {
            return MARGIN.0 / 3;
        }
        let (from, span, wide) = self.span();
        MARGIN.0 + (log(time).saturating_sub(from)).min(span) * wide / span
    }

    /// The moment at a place, the other way round.
    pub(super) fn time(&self, place: u64) -> u64 {
        let (from, span, wide) = self.span();
        exp(from + place.saturating_sub(MARGIN.0).min(wide) * span / wide)
    }
}

/// A duration to two digits, a millisecond at least: what a hand means that drags.
pub(super) fn round(time: u64) -> Dur {
    let mut unit = MS;
    while time / unit >= 100 {
        unit *= 10;
    }
    Dur(((time + unit / 2) / unit * unit).max(MS))
}

/// The logarithm to base 2 in 1024ths, straight between two powers of 2.
fn log(n: u64) -> u64 {
    let zeros = n.max(1).leading_zeros();
    (u64::from(63 - zeros) << 10) | (n.max(1) << zeros << 1 >> 54)
}

fn exp(log: u64) -> u64 {
    let (whole, part) = ((log >> 10).min(62), log & 1023 | 1024);
    if whole >= 10 { part << (whole - 10) } else { part >> (10 - whole) }
}

/// Ten-thousandths as a percentage.
fn percent(place: u64) -> String {
    let (whole, part) = (place / 100, place % 100);
    let point = if part < 10 { ".0" } else { "." };
    [whole.to_string().as_str(), point, &part.to_string(), "%"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use delivery_sim::setting::{Form, Value};

    fn schedule(list: &str, max_deliver: Option<u64>) -> Schedule {
        let Ok(Value::Durs(entries)) = Value::parse(Form::Durs, list) else { panic!("{list}") };
        Schedule::new(&entries, max_deliver)
    }

    #[test]
    fn a_schedule_says_when_a_message_goes_out() {
        for (list, max_deliver, words) in [
            ("1s,5s,30s", None, "0 s, 1 s, 6 s, 36 s, then every 30 s"),
            ("1s,5s,30s", Some(100), "0 s, 1 s, 6 s, 36 s, then every 30 s"),
            ("1s,5s,30s", Some(3), "0 s, 1 s, 6 s and is given up at 36 s"),
            ("1s,5s,30s", Some(4), "0 s, 1 s, 6 s, 36 s and is given up at 1 min 6 s"),
            ("1s,5s,30s", Some(1), "0 s and is given up at 1 s"),
            ("2s", None, "0 s, 2 s, then every 2 s"),
            ("2s", Some(2), "0 s, 2 s and is given up at 4 s"),
        ] {
            let said = schedule(list, max_deliver).words();
            let expected =
                ["Unanswered, a message goes out at ", words, ", whenever a worker asks."];
            assert_eq!(said, expected.concat(), "{list} {max_deliver:?}");
        }
    }

    #[test]
    fn an_outage_must_be_over_at_the_last_delivery() {
        for (list, max_deliver, survived) in [
            ("1s,5s,30s,2m", Some(5), "2 min 36 s"),
            ("1s,5s,30s,2m", Some(4), "36 s"),
            ("1s,5s,30s,2m", Some(2), "1 s"),
            ("1s,5s,30s,2m", Some(34), "1 h 36 s"),
            ("30s", Some(5), "2 min"),
            ("1s,5s", Some(1), ""),
            ("1s,5s", None, ""),
        ] {
            let Ok(Value::Durs(entries)) = Value::parse(Form::Durs, list) else { panic!("{list}") };
            let mut expected = [" A message survives an outage of up to ", survived, "."].concat();
            if survived.is_empty() {
                expected.clear();
            }
            let said = Schedule::survives(&entries, max_deliver);
            assert_eq!(said, expected, "{list} {max_deliver:?}");
        }
    }

    #[test]
    fn the_picture_has_a_mark_for_each_delivery_and_a_handle_for_each_entry() {
        for (list, max_deliver, deliveries, handles, ends) in [
            ("1s,5s,30s", None, 5, 3, 0),
            ("1s,5s,30s", Some(4), 4, 3, 1),
            ("1s,5s,30s", Some(2), 2, 2, 1),
            ("1ms", None, 3, 1, 0),
            ("0s,0s", Some(2), 2, 2, 1),
            ("24h,24h,24h", None, 5, 3, 0),
        ] {
            let schedule = schedule(list, max_deliver);
            let axis = schedule.axis();
            let svg = schedule.svg(&axis);
            let count = |class: &str| svg.matches(&["class=\"", class].concat()).count();
            assert_eq!(
                (count("delivery"), count("handle"), count("end")),
                (deliveries, handles, ends),
                "{list} {max_deliver:?} {svg}"
            );
            let places: Vec<u64> = schedule.times.iter().map(|time| axis.place(*time)).collect();
            assert!(places.is_sorted() && places.iter().all(|place| *place <= 9_500), "{places:?}");
        }
    }

    #[test]
    fn a_place_on_the_axis_is_a_time_and_back() {
        let axis = Axis { from: 100 * MS, to: 100 * SEC };
        for seconds in [1, 2, 3, 5, 10, 30, 60, 90] {
            let time = axis.time(axis.place(seconds * SEC));
            assert!(time.abs_diff(seconds * SEC) < seconds * SEC / 50, "{seconds} s gives {time}");
        }
        assert_eq!((axis.time(0), axis.time(u64::MAX)), (exp(log(100 * MS)), exp(log(100 * SEC))));
        for (time, rounded) in [
            (0, "1ms"),
            (1_499 * MS, "1.5s"),
            (12_345 * MS, "12s"),
            (98_700 * MS, "1m39s"),
            (104 * SEC, "1m40s"),
            (7 * MS + 1, "7ms"),
        ] {
            assert_eq!(round(time).go(), rounded, "{time}");
        }
    }
}
