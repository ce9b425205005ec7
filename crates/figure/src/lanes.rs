//! Where things lie: the time axis and its ticks, the lanes and the rows inside them. Lengths are tenths of a unit.

use crate::scene::Layout;
use crate::story::{Life, Story};
use crate::window::Window;
use delivery_sim::Time;
use delivery_sim::time::SEC;
use delivery_sim::trace::{Client, ClientId, ClientKind, ConsumerId, Event, StreamId};

/// The time axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Axis {
    pub(crate) from: i32,
    pub(crate) to: i32,
    /// What lies between them.
    pub(crate) window: Window,
    /// The end of the run.
    pub(crate) end: Time,
}

/// Further from the axis than this no place is.
const FAR: i128 = 1 << 26;

impl Axis {
    /// The place of a moment, off the axis if it is not in the window.
    pub(crate) fn beyond(&self, t: Time) -> i32 {
        let Window { from, to } = self.window;
        let span = i128::from(self.to - self.from);
        let past = i128::from(t.0) - i128::from(from.0);
        let far = span * past / i128::from((to.0 - from.0).max(1));
        self.from + far.clamp(-FAR, FAR) as i32
    }

    /// The place of a moment, at most that of the end of the run.
    pub(crate) fn along(&self, t: Time) -> i32 {
        self.beyond(t.min(self.end))
    }

    /// How far a place is into the window, in millionths.
    pub(crate) fn ppm(&self, along: i32) -> u32 {
        let span = i64::from(self.to - self.from).max(1);
        (i64::from(along - self.from) * 1_000_000 / span).clamp(0, 1_000_000) as u32
    }

    /// Whether something that lasts from `a` to `b` is in the window.
    pub(crate) fn shows(&self, a: Time, b: Time) -> bool {
        a <= self.window.to && b >= self.window.from
    }

    /// The shortest of the steps 1, 2 and 5 times a power of ten that is `least` long on the axis, in nanoseconds.
    pub(crate) fn step(&self, least: i32) -> u64 {
        let span = i128::from(self.to - self.from);
        let all = i128::from(self.window.length().0.max(1));
        let wide = |step: u64| span * i128::from(step) / all >= i128::from(least);
        let mut step = SEC / 1_000;
        loop {
            if let Some(m) = [1, 2, 5].into_iter().find(|m| wide(step * m)) {
                return step * m;
            }
            step *= 10;
        }
    }

    /// Moments for the grid and their names.
    pub(crate) fn ticks(&self, least: i32) -> Vec<(Time, String)> {
        let step = self.step(least);
        let Window { from, to } = self.window;
        (from.0.div_ceil(step)..=to.min(self.end).0 / step)
            .map(|i| {
                let t = i * step;
                (Time(t), if t == 0 { "T+0".into() } else { seconds(t) })
            })
            .collect()
    }
}

/// Seconds to the millisecond, without trailing zeros.
fn seconds(nanos: u64) -> String {
    let ms = nanos / 1_000_000;
    let part = format!("{:03}", ms % 1_000);
    match part.trim_end_matches('0') {
        "" => format!("{} s", ms / 1_000),
        digits => format!("{}.{digits} s", ms / 1_000),
    }
}

/// Whose lane it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    Publisher(ClientId),
    /// The server itself, where messages pass no stream.
    Server,
    Stream(StreamId),
    Consumer(ConsumerId),
    Worker(ClientId),
    /// Workers too many for a lane each.
    Workers(u32),
    Subscriber(ClientId),
}

/// A lane, across the axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lane {
    pub(crate) whose: Whose,
    /// What it is, `worker`.
    pub(crate) kind: &'static str,
    pub(crate) name: String,
    pub(crate) from: i32,
    pub(crate) to: i32,
    /// Height of one row: of a stopwatch on a consumer's lane, of a line of the buffer on a worker's.
    pub(crate) pitch: i32,
    /// Rows: stopwatches, lines of the buffer.
    pub(crate) rows: i32,
    /// Of a worker's or subscriber's lane, the height of its bars; they lie at its far edge.
    pub(crate) bar: i32,
}

impl Lane {
    /// The middle: of the bars where there are any, else of the lane.
    pub(crate) fn middle(&self) -> i32 {
        if self.bar > 0 { self.to - self.bar / 2 } else { i32::midpoint(self.from, self.to) }
    }

    /// The near edge of its bars.
    pub(crate) fn bar_from(&self) -> i32 {
        self.to - self.bar
    }

    /// The middle of a row: of stopwatches row 0 is the far one, next to the workers; of a buffer the one next to the bars.
    pub(crate) fn row(&self, row: i32) -> i32 {
        let edge = if self.bar > 0 { self.bar_from() - 15 } else { self.to };
        edge - self.pitch * row - self.pitch / 2
    }
}

/// All lanes, and which rows of them deliveries have.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    pub(crate) list: Vec<Lane>,
    /// Row of each delivery on its consumer's lane.
    pub(crate) watch_row: Vec<Option<i32>>,
    /// Row of each delivery in its worker's buffer.
    pub(crate) buffer_row: Vec<Option<i32>>,
    /// Stopwatches that found no row.
    pub(crate) hidden: usize,
}

/// The limits of a layout.
struct Limits {
    /// Lanes for workers and subscribers.
    workers: usize,
    /// Rows of stopwatches.
    watches: usize,
    /// Rows of a buffer.
    buffer: usize,
}

impl Lanes {
    /// Lays out the lanes of a run across the axis, from `from` on; at most up to `to` where that is given.
    pub(crate) fn new(
        story: &Story<'_>,
        axis: Axis,
        layout: Layout,
        slant: i32,
        from: i32,
        to: Option<i32>,
    ) -> Self {
        let limits = limits(layout);
        let mut lanes = Self {
            list: list(story, limits.workers),
            watch_row: vec![None; story.lives.len()],
            buffer_row: vec![None; story.lives.len()],
            hidden: 0,
        };
        lanes.rows(story, axis, slant, &limits);
        lanes.measure(layout, story.trace.messages.len() > 1);
        match to {
            None => lanes.stack(from, 100, 100),
            Some(to) => lanes.squeeze(from, to),
        }
        lanes
    }

    /// The lane of a client.
    pub(crate) fn client(&self, client: ClientId) -> Option<&Lane> {
        self.place(client).map(|i| &self.list[i])
    }

    fn place(&self, client: ClientId) -> Option<usize> {
        self.list
            .iter()
            .position(|lane| {
                matches!(lane.whose, Whose::Worker(c) | Whose::Publisher(c) | Whose::Subscriber(c) if c == client)
            })
            .or_else(|| self.list.iter().position(|lane| matches!(lane.whose, Whose::Workers(_))))
    }

    pub(crate) fn stream(&self, stream: StreamId) -> Option<&Lane> {
        self.list.iter().find(|lane| lane.whose == Whose::Stream(stream))
    }

    pub(crate) fn consumer(&self, consumer: ConsumerId) -> Option<&Lane> {
        self.list.iter().find(|lane| lane.whose == Whose::Consumer(consumer))
    }

    /// The lane through which a message passes that no stream takes.
    pub(crate) fn server(&self) -> Option<&Lane> {
        self.list.iter().find(|lane| lane.whose == Whose::Server)
    }

    /// Gives every delivery its rows: a message keeps the row of its stopwatch as long as it can.
    fn rows(&mut self, story: &Story<'_>, axis: Axis, slant: i32, limits: &Limits) {
        let mut watches: Vec<Vec<(i32, u32)>> = vec![Vec::new(); self.list.len()];
        let mut buffers: Vec<Vec<i32>> = vec![Vec::new(); self.list.len()];
        for (i, life) in story.lives.iter().enumerate() {
            if !axis.shows(life.sent, life.ends(axis.end)) {
                continue;
            }
            let sent = axis.along(life.sent);
            if let Some(place) =
                self.list.iter().position(|l| l.whose == Whose::Consumer(life.delivery.consumer))
                && !life.watch.is_empty()
            {
                let rows = &mut watches[place];
                let own = life.previous.and_then(|p| self.watch_row[p as usize]);
                let row = own
                    .or_else(|| free(rows.iter().map(|(until, _)| *until), sent, limits.watches));
                match row {
                    None => self.hidden += 1,
                    Some(row) => {
                        let tick = if life.next.is_some() { 0 } else { slant + 160 };
                        let until = (axis.along(life.leaves(axis.end)) + tick, life.delivery.msg.0);
                        match rows.get_mut(row as usize) {
                            Some(slot) => *slot = until,
                            None => rows.push(until),
                        }
                        self.watch_row[i] = Some(row);
                    }
                }
            }
            if let Some((from, until)) = buffered(life, axis, slant)
                && let Some(place) = self.place(life.to)
            {
                let rows = &mut buffers[place];
                if let Some(row) = free(rows.iter().copied(), from, limits.buffer) {
                    match rows.get_mut(row as usize) {
                        Some(slot) => *slot = until,
                        None => rows.push(until),
                    }
                    self.buffer_row[i] = Some(row);
                }
            }
        }
        for (place, lane) in self.list.iter_mut().enumerate() {
            lane.rows = watches[place].len().max(buffers[place].len()) as i32;
        }
    }

    /// The natural size of every lane; `many`: a disc may stand for several messages.
    fn measure(&mut self, layout: Layout, many: bool) {
        let wide = layout == Layout::Wide;
        for lane in &mut self.list {
            match lane.whose {
                Whose::Publisher(_) | Whose::Server | Whose::Stream(_) if !wide && many => {
                    lane.to = 290;
                }
                Whose::Publisher(_) | Whose::Server => lane.to = 200,
                Whose::Stream(_) => lane.to = 240,
                Whose::Consumer(_) => {
                    lane.rows = lane.rows.max(1);
                    lane.pitch = match (wide, lane.rows) {
                        (true, 1..=2) => 250,
                        (true, 3..=4) => 190,
                        (true, 5..=6) => 150,
                        (true, _) => 125,
                        (false, 1..=2) => 200,
                        (false, 3..=5) => 150,
                        (false, _) => 110,
                    };
                    lane.to = lane.rows * lane.pitch;
                }
                Whose::Worker(_) | Whose::Workers(_) | Whose::Subscriber(_) => {
                    lane.bar = if wide { 190 } else { 180 };
                    lane.pitch = if wide { 34 } else { 28 };
                    lane.to =
                        lane.bar + if lane.rows > 0 { lane.rows * lane.pitch + 15 } else { 0 };
                }
            }
        }
    }

    /// The room wanted before a lane.
    fn gap(&self, place: usize) -> i32 {
        match (self.list[place].whose, place) {
            (_, 0) => 0,
            (Whose::Stream(_) | Whose::Server, _) => 260,
            (Whose::Consumer(_), _) => 280,
            (Whose::Worker(_) | Whose::Workers(_), _)
                if matches!(self.list[place - 1].whose, Whose::Consumer(_)) =>
            {
                340
            }
            (Whose::Publisher(_), _) => 120,
            _ => 250,
        }
    }

    /// Puts the lanes one after another, sizes and gaps at so many percent.
    fn stack(&mut self, from: i32, sizes: i32, gaps: i32) {
        let mut at = from;
        for place in 0..self.list.len() {
            at += self.gap(place) * gaps / 100;
            let lane = &mut self.list[place];
            let size = lane.to * sizes / 100;
            lane.pitch = lane.pitch * sizes / 100;
            lane.bar = lane.bar * sizes / 100;
            (lane.from, lane.to) = (at, at + size);
            at += size;
        }
    }

    /// Puts the lanes between `from` and `to`: gaps give way and grow first.
    fn squeeze(&mut self, from: i32, to: i32) {
        let sizes: i32 = self.list.iter().map(|lane| lane.to).sum();
        let gaps: i32 = (0..self.list.len()).map(|place| self.gap(place)).sum();
        let room = to - from;
        let percent = |part: i32, of: i32| if of > 0 { part.max(0) * 100 / of } else { 100 };
        let gap = percent(room - sizes, gaps).min(230);
        if gap >= 35 {
            self.stack(from, 100, gap);
        } else {
            let size = percent(room - gaps * 35 / 100, sizes).max(20);
            self.stack(from, size.min(100), 35);
        }
    }
}

fn limits(layout: Layout) -> Limits {
    match layout {
        Layout::Wide => Limits { workers: 12, watches: 16, buffer: 12 },
        Layout::Tall => Limits { workers: 6, watches: 10, buffer: 10 },
    }
}

/// How many lanes a run needs.
pub(crate) fn count(story: &Story<'_>, layout: Layout) -> usize {
    list(story, limits(layout).workers).len()
}

/// The first row that is free at `from`, a new one if there may be one more.
fn free(mut rows: impl ExactSizeIterator<Item = i32>, from: i32, limit: usize) -> Option<i32> {
    let count = rows.len();
    let found = rows.position(|until| until <= from);
    found.or((count < limit).then_some(count)).map(|row| row as i32)
}

/// From where to where on the axis a delivery waits in its client's buffer; none if nobody would see it.
pub(crate) fn buffered(life: &Life, axis: Axis, slant: i32) -> Option<(i32, i32)> {
    let from = (axis.along(life.sent) + slant).max(axis.along(life.arrived?));
    let until = life.started.or(life.lost_in_buffer).unwrap_or(axis.end);
    let until = axis.along(until);
    (until - from > 20).then_some((from, until))
}

/// The lanes that a run needs, in order, without a place yet.
fn list(story: &Story<'_>, workers: usize) -> Vec<Lane> {
    let trace = story.trace;
    let mut list = Vec::new();
    let mut add = |whose: Whose, kind: &'static str, name: &str| {
        list.push(Lane {
            whose,
            kind,
            name: name.to_owned(),
            from: 0,
            to: 0,
            pitch: 0,
            rows: 0,
            bar: 0,
        });
    };
    let of_kinds = |kinds: &'static [ClientKind]| {
        trace
            .clients
            .iter()
            .enumerate()
            .filter(|(_, c)| kinds.contains(&c.kind))
            .map(|(i, c)| (ClientId(i as u16), c))
    };
    let workers_and_handlers = || of_kinds(&[ClientKind::Worker, ClientKind::Handler]);
    let kind =
        |client: &Client| if client.kind == ClientKind::Handler { "handler" } else { "worker" };
    let sends = |client: ClientId| {
        trace.records.iter().any(|r| matches!(r.event, Event::Published { by, .. } if by == client))
    };
    for (id, client) in of_kinds(&[ClientKind::Publisher]) {
        if sends(id) {
            add(Whose::Publisher(id), "publisher", &client.name);
        }
    }
    let bare = |event: Event| matches!(event, Event::Routed { .. } | Event::Unheard { .. });
    if trace.records.iter().any(|r| bare(r.event))
        || of_kinds(&[ClientKind::Subscriber]).next().is_some()
    {
        add(Whose::Server, "server", "");
    }
    let mut left = workers;
    let mut rest = 0_u32;
    let of = |consumer: usize| Some(ConsumerId(consumer as u16));
    for (s, name) in trace.streams.iter().enumerate() {
        let stream = StreamId(s as u16);
        add(Whose::Stream(stream), "stream", name);
        for (c, consumer) in trace.consumers.iter().enumerate().filter(|(_, c)| c.stream == stream)
        {
            add(Whose::Consumer(ConsumerId(c as u16)), "consumer", &consumer.name);
            for (id, client) in workers_and_handlers().filter(|(_, w)| w.consumer == of(c)) {
                if left > 0 {
                    left -= 1;
                    add(Whose::Worker(id), kind(client), &client.name);
                } else {
                    rest += 1;
                }
            }
        }
    }
    let homeless = |w: &Client| {
        w.consumer.is_none_or(|c| {
            trace
                .consumers
                .get(usize::from(c.0))
                .is_none_or(|c| usize::from(c.stream.0) >= trace.streams.len())
        })
    };
    for (id, client) in workers_and_handlers().filter(|(_, w)| homeless(w)) {
        if left > 0 {
            left -= 1;
            add(Whose::Worker(id), kind(client), &client.name);
        } else {
            rest += 1;
        }
    }
    for (id, client) in of_kinds(&[ClientKind::Subscriber]) {
        if left > 0 {
            left -= 1;
            add(Whose::Subscriber(id), "subscriber", &client.name);
        } else {
            rest += 1;
        }
    }
    if rest > 0 {
        add(Whose::Workers(rest), "", &format!("{rest} more"));
    }
    list
}
