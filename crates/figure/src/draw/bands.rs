//! A run that is too dense for single marks: bands with the counts of streams, consumers and clients over time.

use super::*;
use crate::scaled::scaled;
use crate::window::Window;
use delivery_sim::info::ConsumerInfo;
use delivery_sim::order::sorted;
use delivery_sim::time::SEC;
use delivery_sim::trace::{ClientKind, Drop, StreamId};

/// Width of a column of a count, and the least of one of a rate, in tenths.
const COLUMN: i32 = 20;
const LEAST: i32 = 80;
/// Clients of one kind with a band each; more of them are added up.
const EACH: usize = 3;

/// A count over time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Band {
    /// What it is, before the name.
    pub(crate) kind: &'static str,
    pub(crate) name: String,
    /// What is counted.
    pub(crate) unit: String,
    /// The state it is about.
    class: &'static str,
    /// What the count cannot pass, and its name.
    pub(crate) limit: Option<(u64, &'static str)>,
    /// Columns along the axis: where each begins, and its count.
    pub(crate) columns: Vec<(i32, u64)>,
}

impl Band {
    pub(crate) fn most(&self) -> u64 {
        self.columns.iter().map(|(_, count)| *count).max().unwrap_or(0)
    }

    /// The limit, if it can be seen in the same picture as the count.
    fn near_limit(&self) -> Option<(u64, &'static str)> {
        self.limit.filter(|(limit, _)| *limit <= self.most().saturating_mul(3))
    }
}

/// A count as it goes up and down, kept for each column of the picture: the highest in it.
struct Gauge {
    columns: Vec<u64>,
    /// Columns that have their count at the beginning.
    begun: usize,
    now: u64,
}

/// The columns of a picture: of counts by width, of rates by round times.
#[derive(Clone, Copy)]
struct Grid {
    axis: Axis,
    /// How many columns of counts.
    counts: usize,
    /// Nanoseconds of a column of a rate.
    step: u64,
}

impl Grid {
    fn new(axis: Axis) -> Self {
        let counts = ((axis.to - axis.from) / COLUMN).max(1) as usize;
        Self { axis, counts, step: axis.step(LEAST) }
    }

    /// The column of a moment; none before the window, one too many after it.
    fn column(self, t: Time) -> Option<usize> {
        let Window { from, to } = self.axis.window;
        if t > to {
            return Some(self.counts);
        }
        let (past, all) = (t.0.checked_sub(from.0)?, to.0 - from.0);
        let place = scaled(past, self.counts as u64, all.max(1));
        Some((place as usize).min(self.counts - 1))
    }

    fn gauge(self) -> Gauge {
        Gauge { columns: vec![0; self.counts], begun: 0, now: 0 }
    }

    fn set(self, gauge: &mut Gauge, t: Time, count: u64) {
        if let Some(column) = self.column(t) {
            gauge.begin(column + 1);
            if let Some(most) = gauge.columns.get_mut(column) {
                *most = (*most).max(count);
            }
        }
        gauge.now = count;
    }

    fn change(self, gauge: &mut Gauge, t: Time, by: i64) {
        self.set(gauge, t, gauge.now.saturating_add_signed(by));
    }

    fn counted(self, mut gauge: Gauge) -> Vec<(i32, u64)> {
        gauge.begin(self.counts);
        let at = |column: usize| {
            let span = i64::from(self.axis.to - self.axis.from);
            self.axis.from + (span * column as i64 / self.counts as i64) as i32
        };
        gauge.columns.into_iter().enumerate().map(|(i, count)| (at(i), count)).collect()
    }

    /// Columns of a rate, from the moments at which something happened.
    fn rate(self, times: &[Time], second: bool) -> Vec<(i32, u64)> {
        let Window { from, to } = self.axis.window;
        let first = from.0 / self.step;
        let mut counts = vec![0_u64; (to.0.div_ceil(self.step).max(first + 1) - first) as usize];
        for t in times {
            if let Some(count) = (t.0 / self.step)
                .checked_sub(first)
                .and_then(|column| counts.get_mut(column as usize))
            {
                *count += 1;
            }
        }
        let per = |count: u64| {
            if second { (count * SEC + self.step / 2) / self.step } else { count }
        };
        let at = |column: usize| {
            self.axis.along(Time((first + column as u64) * self.step)).max(self.axis.from)
        };
        counts.into_iter().enumerate().map(|(i, count)| (at(i), per(count))).collect()
    }
}

impl Gauge {
    /// Columns below `upto` begin with the count of now.
    fn begin(&mut self, upto: usize) {
        let upto = upto.min(self.columns.len());
        while self.begun < upto {
            self.columns[self.begun] = self.now;
            self.begun += 1;
        }
    }
}

/// Buffers of clients that share a band.
struct Buffer {
    kind: &'static str,
    name: String,
    limit: Option<(u64, &'static str)>,
    gauge: Gauge,
    used: bool,
}

/// The buffers of a run: one for each client, or one for all of a kind; and each client's place among them.
fn buffers(trace: &Trace, grid: Grid) -> (Vec<Buffer>, Vec<Option<usize>>) {
    let mut buffers: Vec<Buffer> = Vec::new();
    let mut places = vec![None; trace.clients.len()];
    for (kind, also, word) in [
        (ClientKind::Worker, ClientKind::Handler, "worker"),
        (ClientKind::Subscriber, ClientKind::Subscriber, "subscriber"),
    ] {
        let mut add = |kind, name, limit| {
            buffers.push(Buffer { kind, name, limit, gauge: grid.gauge(), used: false });
            buffers.len() - 1
        };
        let of_kind = |i: &usize| [kind, also].contains(&trace.clients[*i].kind);
        let all: Vec<usize> = (0..trace.clients.len()).filter(of_kind).collect();
        if all.len() > EACH {
            let place = add("", [&all.len().to_string(), " ", word, "s"].concat(), None);
            for i in all {
                places[i] = Some(place);
            }
            continue;
        }
        for i in all {
            let name = &trace.clients[i].name;
            let spec = trace.scenario.subscribers.iter().find(|s| s.name == *name);
            let limit = spec.filter(|_| word == "subscriber").map(|s| u64::from(s.limits().0));
            let limit = limit.filter(|limit| *limit > 0).map(|limit| (limit, "limit"));
            places[i] = Some(add(word, name.clone(), limit));
        }
    }
    (buffers, places)
}

/// The bands of a run over its axis, in the order of lanes. One in which the whole run counts nothing is left out.
pub(crate) fn bands(story: &Story<'_>, axis: Axis) -> Vec<Band> {
    let (trace, grid) = (story.trace, Grid::new(axis));
    let mut stored: Vec<Gauge> = trace.streams.iter().map(|_| grid.gauge()).collect();
    let (mut buffers, places) = buffers(trace, grid);
    let mut held = vec![0_i64; trace.clients.len()];
    let mut hold = |client: ClientId, at: Time, change: &dyn Fn(i64) -> i64| {
        let client = usize::from(client.0);
        if let Some(place) = places.get(client).copied().flatten() {
            let (buffer, before) = (&mut buffers[place], held[client]);
            held[client] = change(before).max(0);
            grid.change(&mut buffer.gauge, at, held[client] - before);
            buffer.used |= held[client] > 0;
        }
    };
    let [mut sent, mut handled, mut again, mut lost, mut dead] = [const { Vec::<Time>::new() }; 5];
    for record in &trace.records {
        let at = record.at;
        let mut keep = |stream: StreamId, by: i64| {
            if let Some(gauge) = stored.get_mut(usize::from(stream.0)) {
                grid.change(gauge, at, by);
            }
        };
        match record.event {
            Event::Published { .. } => sent.push(at),
            Event::Stored { stream, .. } => keep(stream, 1),
            Event::Removed { stream, .. } => keep(stream, -1),
            Event::Delivered { delivery, .. } if delivery.attempt > 1 => again.push(at),
            Event::WorkDone { .. } | Event::HandlerDone { .. } => handled.push(at),
            Event::Received { by, buffered, .. } => hold(by, at, &|_| i64::from(buffered)),
            Event::HandlerStarted { by, .. } => hold(by, at, &|now| now - 1),
            Event::Crashed { client } | Event::Stopped { client }
                if trace.clients.get(usize::from(client.0)).map(|c| c.kind)
                    == Some(ClientKind::Subscriber) =>
            {
                hold(client, at, &|_| 0);
            }
            Event::Dropped { msg, why: Drop::Loss, .. } if crate::ways::retried(trace, msg) => {}
            Event::Dropped { .. }
            | Event::Unheard { .. }
            | Event::Refused { .. }
            | Event::Missed { .. } => lost.push(at),
            Event::Exhausted { .. }
            | Event::Recorded { reply: Reply::Term, effect: Effect::Settled, .. } => dead.push(at),
            _ => {}
        }
    }
    // Of workers it is what waits behind the message at work, not what is begun at once.
    let mut waits: Vec<(Time, ClientId, i64)> = Vec::new();
    for life in story.lives {
        let until = life.started.or(life.lost_in_buffer).unwrap_or(Time::NEVER);
        if let Some(from) = life.arrived.filter(|from| *from < until) {
            waits.extend([(from, life.to, 1), (until, life.to, -1)]);
        }
    }
    for (at, by, change) in sorted(waits, |a, b| a.0.cmp(&b.0)) {
        hold(by, at, &|now| now + change);
    }
    let mut list = Vec::new();
    let mut add = |kind, name: &str, unit: &str, class, limit, columns: Vec<(i32, u64)>| {
        list.push(Band { kind, name: name.into(), unit: unit.into(), class, limit, columns });
    };
    if !sent.is_empty() {
        add("", "sent", "per second", "band stored", None, grid.rate(&sent, true));
    }
    for (name, gauge) in trace.streams.iter().zip(stored) {
        add("stream", name, "stored", "band stored", None, grid.counted(gauge));
    }
    for (place, consumer) in trace.consumers.iter().enumerate() {
        let (mut flying, mut pending) = (grid.gauge(), grid.gauge());
        for (at, id, info) in &trace.infos {
            if usize::from(id.0) == place {
                grid.set(&mut flying, *at, info.num_ack_pending);
                grid.set(&mut pending, *at, info.num_pending);
            }
        }
        let config =
            trace.scenario.consumers.iter().find(|c| c.config.durable_name == consumer.name);
        let limit = config.and_then(|c| c.config.effective_max_ack_pending());
        let limit = limit.map(|limit| (limit, "max_ack_pending"));
        let name = &consumer.name;
        let of = |(_, id, info): &(Time, ConsumerId, ConsumerInfo)| {
            usize::from(id.0) == place && info.num_pending > 0
        };
        if trace.infos.iter().any(of) {
            add("consumer", name, "unprocessed", "band stored", None, grid.counted(pending));
        }
        add("consumer", name, "in flight", "band inflight", limit, grid.counted(flying));
    }
    for buffer in buffers.into_iter().filter(|buffer| buffer.used) {
        let Buffer { kind, name, limit, gauge, .. } = buffer;
        add(kind, &name, "in buffer", "band inflight", limit, grid.counted(gauge));
    }
    if !handled.is_empty() {
        add("", "handled", "per second", "band acked", None, grid.rate(&handled, true));
    }
    let each = ["in ", &Dur(grid.step).to_string()].concat();
    for (kind, name, class, times) in [
        ("delivered", "again", "band again", again),
        ("", "lost", "band lost", lost),
        ("", "given up", "band dead", dead),
    ] {
        if !times.is_empty() {
            add(kind, name, &each, class, None, grid.rate(&times, false));
        }
    }
    list
}

impl Artist<'_> {
    /// Bands across the axis from `from` on, each named; in a tall picture as many as there is room for.
    pub(super) fn bands(&mut self, bands: &[Band], places: &[(i32, i32)]) {
        for (band, &(from, to)) in bands.iter().zip(places) {
            // Counts grow upwards, or to the right.
            let (base, top) = if self.wide() { (to, from) } else { (from, to) };
            let limit = band.near_limit();
            let full = band.most().max(limit.map_or(0, |(limit, _)| limit)).max(1);
            let across = |count: u64| {
                let way = scaled(u64::from(top.abs_diff(base)), count, full) as i32;
                let least = if count > 0 { 10 * (top - base).signum() } else { 0 };
                base + if way == 0 { least } else { way * (top - base).signum() }
            };
            let (start, end) = (self.axis.from, self.axis.to);
            self.line(RAIL, "rail", None, (start, base), (end, base));
            if let Some((limit, name)) = limit {
                let at = across(limit);
                self.line(ALIVE, "limit", None, (start, at), (end, at));
                if self.wide() {
                    let words = [name, " ", &limit.to_string()].concat();
                    let place = self.at(end - 30, at - 25);
                    self.labels.put("note", None, place, Anchor::End, &words);
                }
            }
            // One area for each stretch in which something is counted.
            let mut area: Vec<Point> = Vec::new();
            let mut height = 0;
            for (i, &(at, count)) in band.columns.iter().enumerate() {
                if count != height {
                    if area.is_empty() {
                        area.push(self.at(at, base));
                    } else {
                        area.push(self.at(at, across(height)));
                    }
                    area.push(self.at(at, across(count)));
                    if count == 0 {
                        let shape = Shape::Area(core::mem::take(&mut area));
                        self.add(WATCH, band.class, None, shape);
                    }
                    height = count;
                }
                if i + 1 == band.columns.len() && height > 0 {
                    area.push(self.at(end, across(height)));
                    area.push(self.at(end, base));
                    self.add(WATCH, band.class, None, Shape::Area(core::mem::take(&mut area)));
                }
            }
        }
        if self.wide() {
            self.name_bands_wide(bands, places);
        } else {
            self.name_bands_tall(bands, places);
        }
    }

    fn name_bands_wide(&mut self, bands: &[Band], places: &[(i32, i32)]) {
        let right = self.axis.from - 130;
        for (band, &(from, to)) in bands.iter().zip(places) {
            let middle = i32::midpoint(from, to);
            let gap = if band.kind.is_empty() { "" } else { " " };
            let room = 1_300 - text::width(band.kind, 12, false);
            let name = text::fit(&band.name, 12, true, room);
            let kind = [band.kind, gap].concat();
            self.labels.lane(Point { x: right, y: middle - 25 }, Anchor::End, &kind, &name);
            let note = [&band.unit, ", max ", &band.most().to_string()].concat();
            self.labels.put("note", None, Point { x: right, y: middle + 115 }, Anchor::End, &note);
        }
    }

    /// Name, unit and highest count above each band; every second one higher up where there are many.
    fn name_bands_tall(&mut self, bands: &[Band], places: &[(i32, i32)]) {
        let step = if places.len() > FEW { 2 } else { 1 };
        for (i, (band, &(from, to))) in bands.iter().zip(places).enumerate() {
            let room = (to - from + 60) * step as i32;
            let x = i32::midpoint(from, to);
            let y = self.axis.from - 260 - if i % step == 0 { 0 } else { 420 };
            let name = text::fit(&band.name, 12, true, room);
            let half = [text::width(&name, 12, true), text::width(&band.unit, 12, false)];
            let half = half[0].max(half[1]) / 2;
            let x = x.clamp(half + 20, 3_580 - half);
            self.labels.lane(Point { x, y: y - 230 }, Anchor::Middle, "", &name);
            self.labels.put("note", None, Point { x, y: y - 110 }, Anchor::Middle, &band.unit);
            let most = ["max ", &band.most().to_string()].concat();
            self.labels.put("note", None, Point { x, y }, Anchor::Middle, &most);
            if i % step > 0 {
                let middle = i32::midpoint(from, to);
                self.line(GRID, "grid", None, (y + 40, middle), (self.axis.from - 20, middle));
            }
        }
    }
}

/// Where so many bands lie across the axis.
pub(super) fn places(many: usize, wide: bool) -> Vec<(i32, i32)> {
    let (from, size, gap) = if wide {
        (300, if many > 6 { 330 } else { 420 }, 170)
    } else {
        let each = (3_600 - 620) / many.max(1) as i32;
        (620, (each - 60).min(600), (each - (each - 60).min(600)).min(200))
    };
    (0..many as i32).map(|i| (from + i * (size + gap), from + i * (size + gap) + size)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::Lives;
    use std::collections::{BTreeMap, BTreeSet};

    fn trace() -> Trace {
        let text = "end = \"20s\"\n[[streams]]\nname = \"ORDERS\"\nsubjects = [\"orders.>\"]\nretention = \"workqueue\"\n\
            [[consumers]]\nstream = \"ORDERS\"\nconfig = { durable_name = \"c\", ack_wait = \"1s\", max_ack_pending = 25 }\n\
            [[workers]]\ncount = 2\nbatch = 10\nservice_time = \"131ms\"\n\
            [[subscribers]]\nname = \"log\"\nsubject = \"orders.>\"\nservice_time = \"61ms\"\npending_msgs_limit = 20\n\
            [[timeline]]\nat = \"0s\"\nop.publish = { subject = \"orders.new\", data = \"order-{i}\", count = 500, every = \"23ms\" }\n";
        delivery_sim::run(&toml::from_str(text).unwrap()).unwrap()
    }

    /// What each band counts at a moment, told from the events alone.
    fn counted(trace: &Trace, upto: usize) -> BTreeMap<&'static str, u64> {
        let mut counts = BTreeMap::new();
        let (mut stored, mut flying, mut waiting, mut log) =
            (0_i64, BTreeSet::new(), BTreeSet::new(), 0_i64);
        let mut seen = BTreeSet::new();
        for record in &trace.records[..upto] {
            match record.event {
                Event::Stored { .. } => stored += 1,
                Event::Removed { .. } => stored -= 1,
                Event::Delivered { delivery, .. } => {
                    flying.insert(delivery.msg.0);
                    seen.insert(delivery.msg.0);
                }
                Event::Recorded { delivery, effect: Effect::Settled, .. } => {
                    flying.remove(&delivery.msg.0);
                }
                Event::Arrived { delivery, .. } => {
                    waiting.insert((delivery.msg.0, delivery.attempt));
                }
                Event::WorkStarted { delivery, .. } => {
                    waiting.remove(&(delivery.msg.0, delivery.attempt));
                }
                Event::Received { .. } => log += 1,
                Event::HandlerStarted { .. } => log -= 1,
                _ => {}
            }
        }
        let arrived =
            trace.records[..upto].iter().filter(|r| matches!(r.event, Event::Stored { .. }));
        counts.insert("stored", stored as u64);
        counts.insert("in flight", flying.len() as u64);
        counts.insert("unprocessed", arrived.count() as u64 - seen.len() as u64);
        counts.insert("log", log as u64);
        counts.insert("workers", waiting.len() as u64);
        counts
    }

    #[test]
    fn bands_count_what_the_run_did() {
        let trace = trace();
        let lives = Lives::new(&trace);
        let story = Story::new(&trace, &lives);
        for (from, to) in
            [(0, 20_000), (0, 5_000), (3_000, 9_000), (7_123, 7_900), (15_000, 20_000)]
        {
            let window = Window { from: Time::ms(from), to: Time::ms(to) };
            let axis = Axis { from: 1_480, to: 9_000, window, end: trace.end };
            let bands = bands(&story, axis);
            let name = format!("{from} to {to}");
            let of = |unit: &str, kind: &str| {
                let fits = |b: &&Band| {
                    b.unit == unit && (kind.is_empty() || b.kind == kind || b.name == kind)
                };
                bands.iter().find(fits).unwrap_or_else(|| panic!("{name}: no {unit} of {kind}"))
            };
            // The highest count of each column, from the count at its start and after each event in it.
            let columns = of("stored", "").columns.len();
            assert_eq!(columns, ((9_000 - 1_480) / COLUMN) as usize, "{name}");
            for column in (0..columns).step_by(7) {
                let start = |i: usize| {
                    let all = u128::from(window.length().0);
                    from * 1_000_000 + (all * i as u128).div_ceil(columns as u128) as u64
                };
                let last = column + 1 == columns;
                let before = trace.records.partition_point(|r| r.at.0 < start(column));
                let after = trace.records.partition_point(|r| {
                    r.at.0 < start(column + 1) || (last && r.at.0 <= start(column + 1))
                });
                let mut most: BTreeMap<&str, u64> = BTreeMap::new();
                for upto in before..=after {
                    // Only what lasts: all events of a moment belong together.
                    if upto > before
                        && trace
                            .records
                            .get(upto)
                            .is_some_and(|r| r.at == trace.records[upto - 1].at)
                    {
                        continue;
                    }
                    for (what, count) in counted(&trace, upto) {
                        let slot = most.entry(what).or_default();
                        *slot = (*slot).max(count);
                    }
                }
                let workers: u64 =
                    bands.iter().filter(|b| b.kind == "worker").map(|b| b.columns[column].1).sum();
                assert_eq!(of("stored", "").columns[column].1, most["stored"], "{name}, {column}");
                assert_eq!(
                    of("in flight", "").columns[column].1,
                    most["in flight"],
                    "{name}, {column}"
                );
                let pending = of("unprocessed", "").columns[column].1;
                assert!(pending.abs_diff(most["unprocessed"]) <= 1, "{name}, {column}: {pending}");
                let log = of("in buffer", "log").columns[column].1;
                assert!(log.abs_diff(most["log"]) <= 1, "{name}, {column}: {log} {most:?}");
                // Two workers need not have their most at one moment of a column.
                assert!(
                    workers >= most["workers"] && workers <= most["workers"] + 2,
                    "{name}, {column}"
                );
            }
            // Rates: every event is in the column of its time, whole columns even where the window cuts them.
            let step = axis.step(LEAST);
            for (unit, what, wants) in [
                (
                    "per second",
                    "sent",
                    &(|e: Event| matches!(e, Event::Published { .. })) as &dyn Fn(Event) -> bool,
                ),
                ("per second", "handled", &|e| {
                    matches!(e, Event::WorkDone { .. } | Event::HandlerDone { .. })
                }),
                (
                    "",
                    "again",
                    &|e| matches!(e, Event::Delivered { delivery, .. } if delivery.attempt > 1),
                ),
                ("", "lost", &|e| matches!(e, Event::Dropped { .. })),
            ] {
                let band =
                    bands.iter().find(|b| b.name == what).unwrap_or_else(|| panic!("{what}"));
                assert!(!band.columns.is_empty());
                for (i, (_, count)) in band.columns.iter().enumerate() {
                    let bin = window.from.0 / step + i as u64;
                    let happened =
                        trace.records.iter().filter(|r| r.at.0 / step == bin && wants(r.event));
                    let happened = happened.count() as u64;
                    let expected =
                        if unit.is_empty() { happened } else { (happened * SEC + step / 2) / step };
                    assert_eq!(*count, expected, "{name}: {what} in column {i}");
                }
            }
            // The counts of the consumer are those that the server reports.
            let info = trace.consumer_info(ConsumerId(0), window.to);
            let last = |unit: &str| of(unit, "").columns[columns - 1].1;
            assert!(
                last("in flight") >= info.num_ack_pending
                    && last("unprocessed") >= info.num_pending
            );
            assert_eq!(of("in flight", "").limit, Some((25, "max_ack_pending")));
            assert_eq!(of("in buffer", "log").limit, Some((20, "limit")));
            assert!(of("in flight", "").most() <= 25 && of("in buffer", "log").most() <= 20);
        }
    }

    #[test]
    fn many_clients_share_a_band() {
        let mut text = String::from("end = \"5s\"\n");
        for n in 0..EACH + 2 {
            text += &format!(
                "[[subscribers]]\nname = \"s{n}\"\nsubject = \"a\"\nservice_time = \"1s\"\n"
            );
        }
        text += "[[timeline]]\nat = \"0s\"\nop.publish = { subject = \"a\", data = \"{i}\", count = 100, via = \"core\" }\n";
        let trace = delivery_sim::run(&toml::from_str(&text).unwrap()).unwrap();
        let lives = Lives::new(&trace);
        let window = Window::whole(trace.end);
        let bands =
            bands(&Story::new(&trace, &lives), Axis { from: 0, to: 4_000, window, end: trace.end });
        let all: Vec<(&str, u64)> = bands
            .iter()
            .filter(|b| b.unit == "in buffer")
            .map(|b| (b.name.as_str(), b.most()))
            .collect();
        assert_eq!(all, [("5 subscribers", 500)]);
    }
}
