//! What work on messages brought about: a disc for each committed effect, and in plain sight the second one of the same message.

use super::*;
use crate::put::Put as _;

impl Artist<'_> {
    /// Effects on their lanes, each below the end of the work that committed it.
    pub(super) fn effects(&mut self, nums: &[String]) {
        for lane in self.lanes.list.clone() {
            if let Whose::Effects(consumer) = lane.whose {
                self.committed(&lane, consumer, nums);
            }
        }
    }

    fn committed(&mut self, lane: &Lane<'_>, consumer: ConsumerId, nums: &[String]) {
        // Discs that would touch are one: how often it was done, row, where it begins, whose.
        let mut groups: Vec<(u32, i32, i32, Vec<Msg>)> = Vec::new();
        for effect in self.ways.effects.iter().filter(|e| e.consumer == consumer) {
            if !self.shown((effect.at, effect.at)) {
                continue;
            }
            let at = self.axis.along(effect.at).max(self.began(effect)) + self.slant;
            let from = self.lanes.client(effect.by).map_or(lane.from, |lane| lane.to);
            let (row, class, state) = match effect.times {
                0 => (1, "commit", "stored"),
                1 => (0, "commit", "acked"),
                _ => (1, "commit again", "again"),
            };
            let (msg, across) = (Some(effect.msg), lane.row(row));
            self.line(ALIVE, class, msg, (at - self.slant, from), (at, across - DISC));
            let num = &nums[effect.msg.0 as usize];
            let leg = Leg { from: (at - self.slant, from), to: (at, across) };
            self.mover(state, msg, num, vec![leg]);
            let last = groups.iter().rposition(|g| g.1 == row);
            let ends = last.map_or(0, |last| {
                let (times, _, from, msgs) = &groups[last];
                *from + self.disc(msgs, *times, nums).1 + 20
            });
            match last {
                Some(last) if at < ends && groups[last].0 == effect.times => {
                    groups[last].3.push(effect.msg);
                }
                _ => groups.push((effect.times, row, at.max(ends), vec![effect.msg])),
            }
        }
        for (times, row, at, msgs) in &groups {
            let single = (msgs.len() == 1).then(|| msgs[0]);
            let (text, long) = self.disc(msgs, *times, nums);
            let (class, words): (_, &[&'static str]) = match times {
                0 => ("chip void", &["changes nothing", "no change"]),
                1 => ("chip acked", &[]),
                _ => ("chip again twice", &["done twice", "twice"]),
            };
            let half = (text::width(&text, 11, true) + 90).max(2 * DISC) / 2;
            let mut across = lane.row(*row);
            if *times > 1 && !self.wide() {
                // A second ring, where two numbers have no room.
                let (a, b) = (half + 26, DISC + 26);
                across = across.clamp(a, 3_600 - a);
                let p = self.at(*at, across);
                let corners = (Point { x: p.x - a, y: p.y - b }, Point { x: p.x + a, y: p.y + b });
                self.add(WORK, class, single, Shape::Rect(corners.0, corners.1, b));
            }
            self.chip(class, single, (*at, across), half, &text);
            let note = if *times > 1 { "note again" } else { "note" };
            let end = if self.wide() { *at + long - 2 * DISC + 50 } else { *at + 60 };
            self.fate((end, across), note, single, words);
        }
    }

    /// What is written on the disc of these effects, and its length along the axis.
    fn disc(&self, msgs: &[Msg], times: u32, nums: &[String]) -> (String, i32) {
        let mut text = numbers(msgs, nums);
        if !self.wide() && msgs.len() > 1 && text::width(&text, 11, true) > 200 {
            text = numbers(&msgs[..1], nums);
            text.push('…');
        }
        if times > 1 && (self.wide() || times > 2) {
            text.put(&times_of(times));
        }
        let wide = if self.wide() { text::width(&text, 11, true) + 90 } else { 0 };
        (text, wide.max(2 * DISC))
    }

    /// Where the bar ends that commits an effect: a bar has a least length.
    fn began(&self, effect: &crate::ways::Committed) -> i32 {
        let mine = |life: &&Life| {
            life.to == effect.by && life.work_end.is_some_and(|(at, _)| at == effect.at)
        };
        let life = self.story.of_msg(effect.msg).find(mine);
        life.and_then(|life| work::bar(life, self.axis, self.slant)).map_or(0, |bar| bar.to)
    }
}

/// ` ×2`.
pub(super) fn times_of(times: u32) -> String {
    [" ×", &times.to_string()].concat()
}
