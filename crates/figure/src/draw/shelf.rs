//! Streams as shelves: a row for each message as long as it is stored, in the colour of its state, and how it left.

use super::*;
use crate::ways::states;
use delivery_sim::trace::Removal;

impl Artist<'_> {
    /// What is stored, and in which state.
    pub(super) fn shelves(&mut self, nums: &[String]) {
        let mut named: Vec<(i32, Removal)> = Vec::new();
        let mut said: Vec<(i32, &'static str)> = Vec::new();
        for i in 0..self.ways.kept.len() {
            let kept = &self.ways.kept[i];
            let (Some(row), Some(lane)) = (self.lanes.kept_row[i], self.lanes.stream(kept.stream))
            else {
                continue;
            };
            let (msg, middle) = (Some(kept.msg), lane.row(row));
            let lean = self.slant + self.late(kept.msg);
            let until = kept.gone.map_or(self.axis.to, |(at, _)| self.axis.along(at) + lean);
            let from = (self.axis.along(kept.from) + lean).max(self.axis.from);
            let until = until.max(from + 30);
            let states = states(self.story, kept);
            // A number at its head where rows are far enough apart.
            let mut start = from;
            if self.numbered(&lane) {
                let num = &nums[kept.msg.0 as usize];
                let wide = text::width(num, 11, true);
                if !self.wide() {
                    let at = Point { x: middle, y: from + 105 };
                    if wide <= lane.pitch {
                        self.labels.put("num", msg, at, Anchor::Middle, num);
                    } else {
                        let tries = vec![(at, Anchor::Middle, num.clone())];
                        self.labels.want(NUMBER, "num", msg, tries);
                    }
                    start = from + 130;
                } else if lane.pitch >= 130 {
                    let half = (lane.pitch / 2 - 8).min(80);
                    let to = from + (wide + 80).max(2 * half);
                    self.rect(
                        CHIP,
                        if states[0].1 == "kept dead" { "chip dead" } else { "chip stored" },
                        msg,
                        (from, middle - half),
                        (to, middle + half),
                        half,
                    );
                    self.labels.put(
                        "num",
                        msg,
                        Point { x: i32::midpoint(from, to) - wide / 2, y: middle + 40 },
                        Anchor::Start,
                        num,
                    );
                    start = to;
                } else {
                    self.labels.put(
                        "num",
                        msg,
                        Point { x: from + 5, y: middle + 40 },
                        Anchor::Start,
                        num,
                    );
                    start = from + wide + 30;
                }
            }
            for (k, &(at, state)) in states.iter().enumerate() {
                let a = if k == 0 { start } else { (self.axis.along(at) + lean).max(start) };
                let b = states
                    .get(k + 1)
                    .map_or(until, |(at, _)| self.axis.along(*at) + lean)
                    .min(until);
                if b > a {
                    self.line(WATCH, state, msg, (a, middle), (b, middle));
                    self.state((a, b), &lane, middle, msg, state, &mut said);
                }
            }
            let Some((_, why)) = kept.gone.filter(|(at, _)| self.shown((*at, *at))) else {
                continue;
            };
            let last = states.last().map_or("", |s| s.1);
            let place = (until.max(start), middle);
            let lost = matches!(
                why,
                Removal::Limit | Removal::SubjectLimit | Removal::Age | Removal::NoInterest
            ) && last != "kept acked";
            if lost {
                self.cross(msg, place);
            } else {
                let half = (lane.pitch / 2 - 8).clamp(12, 50);
                let class = match last {
                    "kept acked" => "gone acked",
                    "kept dead" => "gone dead",
                    _ => "gone",
                };
                self.line(SIGN, class, msg, (place.0, middle - half), (place.0, middle + half));
            }
            let words: &[&'static str] = match why {
                Removal::Settled => &["acked: removed", "removed"],
                Removal::Limit => &["over the limit", "limit"],
                Removal::SubjectLimit => &["over the limit of its subject", "limit"],
                Removal::Age => &["max_age", "too old"],
                Removal::Deleted => &["deleted"],
                Removal::Purged => &["purged"],
                Removal::NoInterest => &["nobody wants it"],
            };
            // What is ordinary is said once.
            if named.contains(&(lane.from, why)) && !lost {
                continue;
            }
            named.push((lane.from, why));
            self.fate(place, if lost { "note lost" } else { "note" }, msg, words);
        }
    }

    /// The word for a state on the first line of a stream that is long enough for it.
    fn state(
        &mut self,
        (from, to): (i32, i32),
        lane: &Lane<'_>,
        middle: i32,
        msg: Option<Msg>,
        state: &'static str,
        said: &mut Vec<(i32, &'static str)>,
    ) {
        let (class, word) = match state {
            "kept inflight" => ("note inflight", "in flight"),
            "kept again" => ("note again", "again"),
            "kept acked" => ("note acked", "acked"),
            "kept dead" => ("note dead", "dead"),
            _ => return,
        };
        let to = to.min(self.axis.to);
        let room = to - from - 200;
        if self.wide()
            && self.numbered(lane)
            && text::width(word, 12, true) < room
            && !said.contains(&(lane.from, state))
        {
            said.push((lane.from, state));
            let at = Point { x: i32::midpoint(from, to), y: middle + 40 };
            self.labels.inside(IDLE, class, msg, at, room, &[word]);
        }
    }

    /// What a stream still holds at the end although all of it may be settled.
    pub(super) fn stream_note(&mut self) {
        if !self.wide() {
            return;
        }
        let mut said = false;
        for lane in self.lanes.list.clone() {
            let Whose::Stream(stream) = lane.whose else { continue };
            let mine = || self.ways.kept.iter().filter(|k| k.stream == stream);
            let left = mine().filter(|k| k.gone.is_none()).count();
            let settled = self
                .story
                .lives
                .iter()
                .any(|l| l.settled.is_some() && mine().any(|k| k.msg == l.delivery.msg));
            let rows = self.ways.kept.iter().zip(&self.lanes.kept_row);
            let hidden = rows
                .filter(|(k, row)| {
                    k.stream == stream && row.is_none() && self.shown(k.span(self.axis.end))
                })
                .count();
            if hidden > 0 {
                let words = [&hidden.to_string(), " more stored, not drawn"].concat();
                let at = self.at(self.axis.from, lane.from - 30);
                self.labels.want(IDLE, "note", None, vec![(at, Anchor::Start, words)]);
            }
            if left == 0 || self.axis.window.to < self.axis.end {
                continue;
            }
            let plain = [&left.to_string(), " stored at the end"].concat();
            let long = [&plain, ": an ack does not delete"].concat();
            let words = if settled && !said && mine().all(|k| k.gone.is_none()) {
                said = true;
                vec![long, plain]
            } else {
                vec![plain]
            };
            let at = self.at(self.axis.to - 90, lane.from - 30);
            let tries = words.into_iter().map(|words| (at, Anchor::End, words)).collect();
            self.labels.want(IDLE, "note", None, tries);
        }
    }
}
