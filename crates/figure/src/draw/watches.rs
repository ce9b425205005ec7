//! The stopwatches: each runs out from its delivery to its deadline, and what comes then.

use super::*;
use crate::put::Put as _;

impl Artist<'_> {
    /// The stopwatches: each runs out from its delivery to its deadline, and what comes then.
    pub(super) fn watches(&mut self, nums: &[String]) {
        let mut labelled: Vec<ConsumerId> = Vec::new();
        for i in 0..self.story.lives.len() {
            let life = &self.story.lives[i];
            let Some(consumer) = self.lanes.consumer(life.delivery.consumer) else {
                continue;
            };
            let Some(row) = self.lanes.watch_row[i] else { continue };
            let middle = consumer.row(row);
            let half = (consumer.pitch / 2 - 10).max(consumer.pitch / 3);
            self.watch(i, middle, half);
            self.after(life, middle, half);
            let first = !labelled.contains(&life.delivery.consumer);
            if first {
                labelled.push(life.delivery.consumer);
            }
            self.name_watch(life, middle, &consumer, first, nums);
        }
        if self.lanes.hidden > 0
            && let Some(consumer) =
                self.lanes.list.iter().find(|l| matches!(l.whose, Whose::Consumer(_))).copied()
        {
            let words = format!("{} more stopwatches run, not drawn", self.lanes.hidden);
            let spot = Spot {
                at: self.at(self.axis.from, consumer.from - 60),
                away: 20,
                sides: &[Side::Right],
            };
            self.labels.beside(STOPWATCH, spot, "note", None, &[&words]);
        }
    }

    fn watch(&mut self, i: usize, middle: i32, half: i32) {
        let life = &self.story.lives[i];
        let msg = Some(life.delivery.msg);
        let class = if life.again() { "watch again" } else { "watch inflight" };
        let over = life.over.map_or(self.axis.end, |(at, _)| at);
        let lag = self.lag(life.delivery.msg);
        for (k, watch) in life.watch.iter().enumerate() {
            let from = self.axis.along(watch.from) + lag.0;
            let until = self.axis.beyond(watch.until);
            let stop = life
                .watch
                .get(k + 1)
                .map_or(over, |next| next.from)
                .min(watch.until)
                .min(self.axis.end);
            let stop = self.axis.along(stop) + if life.over.is_some() { lag.1 } else { 0 };
            if k > 0 {
                self.line(WATCH_END, "beat", msg, (from, middle - half), (from, middle + half));
            }
            if stop <= from {
                continue;
            }
            // Its height is what is left of it.
            let left = i64::from(half) * i64::from(until - stop) / i64::from((until - from).max(1));
            let left = left.clamp(0, i64::from(half)) as i32;
            let mut points = vec![self.at(from, middle - half), self.at(from, middle + half)];
            if left > 0 {
                points.push(self.at(stop, middle + left));
            }
            points.push(self.at(stop, middle - left));
            self.add(WATCH, class, msg, Shape::Area(points));
            let answered =
                life.over.is_some_and(|(_, over)| !matches!(over, Over::Expired | Over::Replaced));
            if !answered || k + 1 < life.watch.len() {
                continue;
            }
            // What was left of it, as far as no other stopwatch has the row by then.
            let spare = until.min(self.axis.to).min(self.row_taken(i));
            if spare - stop > self.slant + 140 {
                let class = if life.again() { "spare again" } else { "spare inflight" };
                self.line(WAITING, class, msg, (stop, middle), (spare, middle));
            }
        }
    }

    /// Where the row of a stopwatch is taken by the next one.
    fn row_taken(&self, i: usize) -> i32 {
        let consumer = self.story.lives[i].delivery.consumer;
        let next = (i + 1..self.story.lives.len()).find(|&j| {
            self.lanes.watch_row[j] == self.lanes.watch_row[i]
                && self.story.lives[j].delivery.consumer == consumer
        });
        next.map_or(i32::MAX, |j| self.axis.along(self.story.lives[j].sent) - 20)
    }

    /// What ended a stopwatch, and what the message waits for then.
    fn after(&mut self, life: &Life, middle: i32, half: i32) {
        let msg = Some(life.delivery.msg);
        let lag = self.lag(life.delivery.msg).1;
        let sign = |at: Time| self.axis.along(at) + self.slant + 50 + lag;
        let settled = life.settled.map(|(at, reply, _)| (sign(at), reply));
        let exhausted = life.exhausted.map(sign);
        let leaves = self.axis.along(life.leaves(self.axis.end));
        if let Some((at, over)) = life.over {
            let place = self.axis.along(at);
            match over {
                Over::Expired => {
                    self.line(
                        WATCH_END,
                        "ran-out",
                        msg,
                        (place, middle - half),
                        (place, middle + half),
                    );
                    self.labels.take_along(self.at(place, middle), 15);
                }
                Over::Nak | Over::Delay => {
                    self.hook(msg, (place + self.slant + 40, middle));
                }
                Over::Removed => self.cross(msg, (place, middle)),
                Over::Settled | Over::Replaced => {}
            }
            let queued = matches!(over, Over::Expired | Over::Nak | Over::Delay);
            if queued && leaves - place > 60 {
                self.line(WAITING, "queue", msg, (place, middle), (leaves, middle));
                let words: &[&str] = match (over, life.delayed_until) {
                    (Over::Delay, Some(_)) => &["delayed"],
                    _ if life.exhausted.is_none() => &["waits for a pull", "waits"],
                    _ => &["waits"],
                };
                let p = self.at(i32::midpoint(place, leaves), middle);
                let (room, y) = if self.wide() {
                    (leaves - place - 60, p.y - 25)
                } else {
                    (2 * half + 10, p.y + 38)
                };
                if !self.wide() || half >= 70 {
                    self.labels.inside(QUEUE, "note again", msg, Point { x: p.x, y }, room, words);
                }
            }
        }
        match settled {
            Some((place, Reply::Term)) => self.lozenge(msg, (place, middle)),
            Some((place, _)) => self.tick(msg, (place, middle)),
            _ => {}
        }
        if let Some(place) = exhausted {
            self.lozenge(msg, (place, middle));
            let sides =
                if self.wide() { [Side::Right, Side::Left] } else { [Side::Below, Side::Right] };
            let spot = Spot { at: self.at(place, middle), away: 80, sides: &sides };
            self.labels.beside(FATE, spot, "note dead", msg, &["given up"]);
        }
    }

    /// The number of the message at the base of its stopwatch, and how long that runs where there is room; `first` says what it is.
    fn name_watch(
        &mut self,
        life: &Life,
        middle: i32,
        consumer: &Lane<'_>,
        first: bool,
        nums: &[String],
    ) {
        let msg = life.delivery.msg;
        let num = &nums[msg.0 as usize];
        // With the number of its delivery from the second on, where there is room.
        let mut long = num.clone();
        if life.again() {
            long.put(&effects::times_of(life.delivery.attempt));
        }
        let wide = text::width(&long, 12, true);
        let from = self.axis.along(life.sent).max(self.axis.from);
        let room = self.axis.along(life.over.map_or(self.axis.end, |(at, _)| at)) - from;
        let p = self.at(from, middle);
        let wait = life.wait().to_string();
        // Beside the arrow that begins at the base, or past it.
        if !self.wide() {
            let wide = text::width(num, 12, true);
            let mut tries = Vec::new();
            for y in [105, 115 + self.slant, 215 + self.slant] {
                if y + 20 < room && wide <= consumer.pitch + 25 {
                    tries.push((Point { x: p.x, y: p.y + y }, Anchor::Middle, num.clone()));
                }
            }
            self.labels.want(NUMBER, "num", Some(msg), tries);
            if consumer.rows <= 2
                && text::width(&wait, 12, false) <= consumer.pitch + 20
                && room > 300
            {
                let at = Point { x: p.x, y: p.y + 240 };
                self.labels.want(STOPWATCH, "note", Some(msg), vec![(at, Anchor::Middle, wait)]);
            }
            return;
        }
        let mut tries = Vec::new();
        for name in [&long, num] {
            let wide = text::width(name, 12, true);
            for x in [40, 30 + self.slant] {
                if x + wide + 10 < room {
                    tries.push((Point { x: p.x + x, y: p.y + 40 }, Anchor::Start, name.clone()));
                }
            }
        }
        self.labels.want(NUMBER, "num", Some(msg), tries);
        if first || consumer.rows <= 4 {
            let backoff =
                self.story.trace.scenario.consumers.iter().any(|c| !c.config.backoff.is_empty());
            let long = format!("{} {wait}", if backoff { "backoff" } else { "ack_wait" });
            let x = 30 + self.slant + wide + 50;
            let fits = |words: &String| x + text::width(words, 12, false) <= room * 3 / 4;
            let at = Point { x: p.x + x, y: p.y + 40 };
            let tries = [long, wait]
                .into_iter()
                .filter(fits)
                .map(|words| (at, Anchor::Start, words))
                .collect();
            self.labels.want(STOPWATCH, "note", Some(msg), tries);
        }
    }
}
