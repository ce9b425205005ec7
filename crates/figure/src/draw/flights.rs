//! Deliveries from consumers to workers, and the answers back.

use super::work::bar;
use super::*;

impl Artist<'_> {
    /// Deliveries from the consumer to its workers; several at once are one arrow.
    pub(super) fn deliveries(&mut self, nums: &[String]) {
        let mut i = 0;
        while i < self.story.lives.len() {
            let head = &self.story.lives[i];
            if !self.shows(head) {
                i += 1;
                continue;
            }
            let fits = |other: &Life| {
                other.to == head.to
                    && other.again() == head.again()
                    && other.missed.is_some() == head.missed.is_some()
                    && other.delivery.consumer == head.delivery.consumer
                    && self.axis.along(other.sent) - self.axis.along(head.sent) < 15
            };
            let mut to = i + 1;
            while self.story.lives.get(to).is_some_and(fits) {
                to += 1;
            }
            self.delivery(i..to, nums);
            i = to;
        }
        for i in 0..self.story.lives.len() {
            self.answers(i, nums);
        }
    }

    fn delivery(&mut self, range: core::ops::Range<usize>, nums: &[String]) {
        let head = &self.story.lives[range.start];
        let (Some(consumer), Some(worker)) =
            (self.lanes.consumer(head.delivery.consumer), self.lanes.client(head.to))
        else {
            return;
        };
        let msgs: Vec<Msg> = range.clone().map(|i| self.story.lives[i].delivery.msg).collect();
        let single = (msgs.len() == 1).then(|| msgs[0]);
        let lag = self.lag(head.delivery.msg).0;
        let sent = self.axis.along(head.sent) + lag;
        let arrives = head
            .arrived
            .or(head.missed)
            .map_or(sent, |at| self.axis.along(at) + lag)
            .max(sent + self.slant);
        let rows = range.clone().filter_map(|i| self.lanes.watch_row[i]);
        // From the stopwatch it starts; of several, from the one furthest away, so that the arrow joins them.
        let from = match rows.clone().max() {
            Some(row) if msgs.len() > 1 => consumer.row(row) - consumer.pitch / 2 + 10,
            Some(row) => consumer.row(row) + consumer.pitch / 2 - 10,
            None => consumer.to - 10,
        };
        let waits = range
            .clone()
            .filter(|&i| self.lanes.buffer_row[i].is_some())
            .filter_map(|i| self.lanes.buffer_row[i])
            .max();
        let to = match waits {
            Some(row) => worker.row(row) - 20,
            None => worker.bar_from() - 10,
        };
        let missed = head.missed.is_some();
        let (class, state) = match (missed, head.again()) {
            (true, _) => ("flight lost", "lost"),
            (_, true) => ("flight again", "again"),
            _ => ("flight inflight", "inflight"),
        };
        self.flight(class, single, (sent, from), (arrives, to));
        if missed {
            self.cross(single, (arrives, to));
        }
        let leg = Leg { from: (sent, from), to: (arrives, worker.middle()) };
        if let Some(msg) = single {
            let mut legs = vec![leg];
            legs.extend(self.at_work(range.start, &worker));
            self.mover(state, single, &nums[msg.0 as usize], legs);
        } else {
            self.mover(state, None, &numbers(&msgs, nums), vec![leg]);
            for i in range.clone() {
                let msg = self.story.lives[i].delivery.msg;
                let legs = self.at_work(i, &worker).into_iter().collect();
                self.mover(state, Some(msg), &nums[msg.0 as usize], legs);
            }
        }
        let attempt = head.delivery.attempt;
        let even = range.clone().all(|i| self.story.lives[i].delivery.attempt == attempt);
        // A first delivery needs no number, several at once say which they are.
        let count = match (even, attempt) {
            (true, 1) => String::new(),
            (true, _) => ["×", &attempt.to_string()].concat(),
            _ => "×2 or more".into(),
        };
        // One message that comes again and again is said once.
        let one = msgs.windows(2).all(|pair| pair[0] == pair[1]);
        let which = if single.is_some() {
            String::new()
        } else if one {
            nums[msgs[0].0 as usize].clone()
        } else {
            numbers(&msgs, nums)
        };
        let gap = |a: &str, b: &str| if a.is_empty() || b.is_empty() { "" } else { ": " };
        let (class, words) = match (missed, head.again()) {
            (true, _) => {
                ("note lost", [[&which, gap(&which, "l"), "lost"].concat(), "lost".into()])
            }
            (_, true) => {
                let long = [&count, ", again", gap(&count, &which), &which].concat();
                ("note again", [long, count])
            }
            _ => ("note inflight", [which, String::new()]),
        };
        let words: Vec<&str> =
            words.iter().map(String::as_str).filter(|words| !words.is_empty()).collect();
        let spot = if self.wide() {
            Spot {
                at: self.at(arrives, to - 75),
                away: 45,
                sides: &[Side::Right, Side::RightAbove, Side::Left],
            }
        } else {
            let sides = &[Side::LeftAbove, Side::LeftBelow, Side::Above, Side::Below];
            Spot { at: self.at(arrives, to - 60), away: 45, sides }
        };
        self.labels.beside(DELIVERY, spot, class, single, &words);
    }

    /// The way along its bar of a delivery that is worked on.
    fn at_work(&self, i: usize, worker: &Lane<'_>) -> Option<Leg> {
        let bar = bar(&self.story.lives[i], self.axis, self.slant)?;
        Some(Leg { from: (bar.from, worker.middle()), to: (bar.to, worker.middle()) })
    }

    /// Answers of one delivery, from the worker back to the consumer.
    fn answers(&mut self, i: usize, nums: &[String]) {
        let life = &self.story.lives[i];
        if !self.shows(life) {
            return;
        }
        let (Some(consumer), Some(worker)) =
            (self.lanes.consumer(life.delivery.consumer), self.lanes.client(life.to))
        else {
            return;
        };
        let msg = life.delivery.msg;
        let row = self.lanes.watch_row[i].map_or(consumer.to - 60, |row| consumer.row(row) + 30);
        for said in &life.answers {
            let lag = self.lag(msg).1;
            let at = self.axis.along(said.at) + lag;
            let arrives =
                said.recorded.map_or(at, |(t, _)| self.axis.along(t) + lag).max(at + self.slant);
            let (class, state) = look(*said);
            let near = worker.bar_from();
            let lost = said.recorded.is_none();
            let to = if lost { i32::midpoint(near, row) } else { row };
            self.flight(class, Some(msg), (at, near), (arrives, to));
            if lost {
                self.cross(Some(msg), (arrives, to));
            }
            if matches!(said.recorded, Some((_, Effect::Nothing))) {
                self.ring(Some(msg), (arrives, to));
            }
            let legs = vec![Leg { from: (at, worker.middle()), to: (arrives, to) }];
            self.mover(state, Some(msg), &nums[msg.0 as usize], legs);
            let words = self.answer_words(life, *said);
            let Some((class, words)) = words else { continue };
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let across =
                if self.wide() { consumer.to + 110 } else { i32::midpoint(near, consumer.to) };
            let sides: &[Side] =
                if self.wide() { &[Side::Right, Side::Left] } else { &[Side::Above, Side::Below] };
            let spot = Spot { at: self.at(at + self.slant / 2, across), away: 55, sides };
            self.labels.beside(ANSWER, spot, class, Some(msg), &words);
        }
    }

    /// What is written at an answer; an ordinary ack is named once on each worker's lane.
    fn answer_words(&self, life: &Life, said: Said) -> Option<(&'static str, Vec<String>)> {
        let some = |class: &'static str, words: &[&str]| {
            Some((class, words.iter().map(|w| (*w).to_owned()).collect()))
        };
        // What happens over and over is named once on each worker's lane.
        let kind = |l: &Life, s: &Said| {
            let late = |at: Time| l.over.is_some_and(|(t, over)| over == Over::Expired && t <= at);
            s.recorded
                .map(|(at, effect)| (s.reply == Reply::Ack, effect == Effect::Nothing, late(at)))
        };
        let mine = kind(life, &said);
        let before = self
            .story
            .lives
            .iter()
            .filter(|l| l.to == life.to)
            .flat_map(|l| l.answers.iter().map(move |s| (l, s)));
        let mut before = before.filter(|(l, s)| s.at < said.at && kind(l, s) == mine);
        let many = self.story.lives.len() > 6;
        if many
            && matches!(said.reply, Reply::Ack | Reply::InProgress)
            && mine.is_some()
            && before.next().is_some()
        {
            return None;
        }
        match (said.reply, said.recorded) {
            (_, None) => some("note lost", &["answer lost", "lost"]),
            (Reply::Ack, Some((_, Effect::Nothing))) => some("note", &["too late"]),
            (Reply::Ack, _) if mine.is_some_and(|(.., late)| late) => {
                some("note acked", &["late ack", "ack"])
            }
            (Reply::Ack, _) => some("note acked", &["ack"]),
            (Reply::Nak, _) => some("note again", &["nak"]),
            (Reply::NakDelay(delay), _) => {
                Some(("note again", vec![format!("nak, in {delay}"), "nak".into()]))
            }
            (Reply::Term, _) => some("note dead", &["term"]),
            (Reply::InProgress, _) => some("note inflight", &["in progress"]),
            (Reply::Unknown, _) => some("note", &["unknown answer", "?"]),
        }
    }
}

/// The class and the state of an answer on its way.
fn look(said: Said) -> (&'static str, &'static str) {
    match (said.reply, said.recorded) {
        (_, None) => ("flight lost", "lost"),
        (_, Some((_, Effect::Nothing))) | (Reply::Unknown, _) => ("flight void", "stored"),
        (Reply::Ack, _) => ("flight acked", "acked"),
        (Reply::Nak | Reply::NakDelay(_), _) => ("flight again", "again"),
        (Reply::Term, _) => ("flight dead", "dead"),
        (Reply::InProgress, _) => ("flight inflight", "inflight"),
    }
}
