//! What a picture has before anything happens in it: grid, ticks, lanes with their names, and notes on server and streams.

use super::*;

impl Artist<'_> {
    /// Grid, ticks, rails and names of lanes.
    pub(super) fn frame(&mut self, (top, bottom): (i32, i32)) {
        let wide = self.wide();
        for (t, name) in self.axis.ticks(if wide { 540 } else { 420 }) {
            let along = self.axis.along(t);
            self.line(GRID, "grid", None, (along, top * 10), (along, bottom * 10));
            if wide {
                self.labels.put(
                    "tick",
                    None,
                    Point { x: along, y: bottom * 10 + 150 },
                    Anchor::Middle,
                    &name,
                );
            } else {
                self.labels.put("tick", None, Point { x: 500, y: along + 40 }, Anchor::End, &name);
            }
        }
        let lanes = self.lanes.list.clone();
        for lane in &lanes {
            let (from, to) = (self.axis.from, self.axis.to);
            match lane.whose {
                Whose::Stream(_) => {
                    self.rect(RAIL, "shelf", None, (from - 120, lane.from), (to, lane.to), 120);
                }
                Whose::Consumer(_) => {
                    let layer = if lane.rows > 3 { ("grid", GRID) } else { ("rail", RAIL) };
                    for row in 0..lane.rows {
                        self.line(
                            layer.1,
                            layer.0,
                            None,
                            (from, lane.row(row)),
                            (to, lane.row(row)),
                        );
                    }
                }
                _ => self.line(RAIL, "rail", None, (from, lane.middle()), (to, lane.middle())),
            }
        }
        if wide {
            for lane in &lanes {
                self.name_wide(lane);
            }
        } else {
            self.names_tall(&lanes);
        }
    }

    /// A lane's name at its left, in one line, or in two where that is too long; and what the shapes on it are.
    fn name_wide(&mut self, lane: &Lane<'_>) {
        let room = 1_300;
        let right = self.axis.from - 160;
        let tall = lane.to - lane.from >= 300;
        let y = match lane.whose {
            Whose::Consumer(_) if tall => lane.middle() - 70,
            _ => lane.middle(),
        };
        let note = match lane.whose {
            Whose::Consumer(_) if tall && self.lanes.watch_row.iter().any(Option::is_some) => {
                Some((y + 180, "stopwatches"))
            }
            Whose::Worker(_) | Whose::Subscriber(_) if lane.rows > 3 => {
                Some((i32::midpoint(lane.from, lane.bar_from()) + 30, "its buffer"))
            }
            Whose::Publisher(_) if lane.rows > 2 => Some((y + 175, "its buffer")),
            Whose::Server if lane.rows > 2 => Some((y + 175, "what waits there")),
            _ => None,
        };
        if let Some((y, words)) = note {
            self.labels.put("note", None, Point { x: right, y }, Anchor::End, words);
        }
        let count = rest(lane);
        let (kind, name) = titles(lane, &count);
        let both = text::width(&format!("{kind} "), 12, false) + text::width(name, 12, true);
        if !kind.is_empty() && !name.is_empty() && both > room && lane.to - lane.from >= 230 {
            self.labels.lane(Point { x: right, y: y - 25 }, Anchor::End, kind, "");
            self.labels.lane(
                Point { x: right, y: y + 115 },
                Anchor::End,
                "",
                &text::fit(name, 12, true, room),
            );
            return;
        }
        let effects = matches!(lane.whose, Whose::Effects(_));
        let (kind, name) = match both > room && !name.is_empty() {
            true if effects => (kind, ""),
            true => ("", name),
            false => (kind, name),
        };
        let gap = if kind.is_empty() || name.is_empty() { "" } else { " " };
        self.labels.lane(
            Point { x: right, y: y + 42 },
            Anchor::End,
            &format!("{kind}{gap}"),
            &text::fit(name, 12, true, room),
        );
    }

    /// Names above the lanes, what it is over who it is; of many lanes every second one higher up. Shortened so that none
    /// touches its neighbour.
    fn names_tall(&mut self, lanes: &[Lane<'_>]) {
        let middle = |lane: &Lane<'_>| {
            if lane.bar > 0 { lane.middle() } else { i32::midpoint(lane.from, lane.to) }
        };
        let step = if lanes.len() > FEW { 2 } else { 1 };
        let base = self.axis.from - 240;
        for (i, lane) in lanes.iter().enumerate() {
            let x = middle(lane);
            let left = i.checked_sub(step).map_or(x, |j| (x - middle(&lanes[j])) / 2);
            let right = lanes.get(i + step).map_or(3_600 - x, |next| (middle(next) - x) / 2);
            // Next to the edge of the picture a name may lie off the middle of its lane.
            let (low, high) = (x - left + 20, x + right - 20);
            let y = if i % step == 0 { base } else { base - 280 };
            let count = rest(lane);
            let (kind, name) = titles(lane, &count);
            let (upper, lower) =
                if kind.is_empty() || name.is_empty() { ("", lane.name) } else { (kind, name) };
            let lower = if lower.is_empty() { lane.kind } else { lower };
            let lower = text::fit(lower, 12, true, high - low);
            let upper = if text::width(upper, 12, false) <= high - low { upper } else { "" };
            let half = text::width(&lower, 12, true).max(text::width(upper, 12, false)) / 2;
            let x = x.clamp(low + half, (high - half).max(low + half));
            self.labels.lane(Point { x, y: y - 125 }, Anchor::Middle, upper, "");
            self.labels.lane(Point { x, y }, Anchor::Middle, "", &lower);
            if y < base {
                self.line(
                    RAIL,
                    "grid",
                    None,
                    (y + 40, middle(lane)),
                    (self.axis.from - 20, middle(lane)),
                );
            }
        }
    }

    /// Times in which there is no server.
    pub(super) fn server_down(&mut self) {
        let mut since = None;
        let mut spans = Vec::new();
        for record in &self.story.trace.records {
            match record.event {
                Event::ServerStopped => since = Some(record.at),
                Event::ServerStarted => spans.extend(since.take().map(|from| (from, record.at))),
                _ => {}
            }
        }
        spans.extend(since.map(|from| (from, self.axis.end)));
        // Lanes of the server that lie side by side.
        let mut parts: Vec<(i32, i32)> = Vec::new();
        let mut open = false;
        for lane in &self.lanes.list {
            let is = matches!(lane.whose, Whose::Stream(_) | Whose::Consumer(_) | Whose::Server);
            match parts.last_mut() {
                Some(part) if is && open => part.1 = lane.to,
                _ if is => parts.push((lane.from, lane.to)),
                _ => {}
            }
            open = is;
        }
        let Some(&(first, _)) = parts.first() else { return };
        for (from, to) in spans {
            let (a, b) = (self.axis.along(from), self.axis.along(to));
            for (near, far) in &parts {
                self.rect(RAIL, "down", None, (a, near - 40), (b.max(a + 20), far + 40), 30);
            }
            self.cross(None, (a, first - 40));
            let spot =
                Spot { at: self.at(a, first - 40), away: 90, sides: &[Side::Right, Side::Below] };
            self.labels.beside(FATE, spot, "note lost", None, &["server down"]);
        }
    }
}

/// What a lane is called: its kind, and its name unless that says the same.
fn titles<'a>(lane: &Lane<'a>, count: &'a str) -> (&'a str, &'a str) {
    if let Whose::Workers(_) = lane.whose {
        return (count, lane.name);
    }
    if lane.name == lane.kind {
        ("", lane.kind)
    } else if lane.name.starts_with(lane.kind) {
        ("", lane.name)
    } else {
        (lane.kind, lane.name)
    }
}

/// How many workers a lane has that stands for the rest of them.
fn rest(lane: &Lane<'_>) -> String {
    match lane.whose {
        Whose::Workers(count) => count.to_string(),
        _ => String::new(),
    }
}
