//! Where things lie: the time axis and its ticks, the lanes and the rows inside them. Lengths are tenths of a unit.

use crate::scaled::scaled;
use crate::scene::Layout;
use crate::story::{Life, Story};
use crate::ways::{Committed, Copy as Heard, Kept, Sent, Ways};
use crate::window::Window;
use delivery_sim::Time;
use delivery_sim::time::SEC;
use delivery_sim::trace::{ClientId, ClientKind, ConsumerId, Drop, Message, StreamId, Trace};

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
const FAR: u64 = 1 << 26;

impl Axis {
    /// Its length.
    fn span(&self) -> u64 {
        u64::from((self.to - self.from).unsigned_abs())
    }

    /// The place of a moment, off the axis if it is not in the window.
    pub(crate) fn beyond(&self, t: Time) -> i32 {
        let Window { from, to } = self.window;
        let far = scaled(t.0.abs_diff(from.0), self.span(), (to.0 - from.0).max(1));
        let far = far.min(FAR) as i32;
        self.from + if t < from { -far } else { far }
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
        let all = self.window.length().0.max(1);
        let wide = |step: u64| scaled(step, self.span(), all) >= u64::from(least.unsigned_abs());
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
    /// What work on the messages of a consumer brought about.
    Effects(ConsumerId),
}

/// A lane, across the axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lane<'a> {
    pub(crate) whose: Whose,
    /// How many clients have it: several where a narrow picture has no room for a lane each.
    pub(crate) shared: i32,
    /// What it is, `worker`.
    pub(crate) kind: &'static str,
    pub(crate) name: &'a str,
    pub(crate) from: i32,
    pub(crate) to: i32,
    /// Height of one row: of a stopwatch on a consumer's lane, of a message in a stream or a buffer.
    pub(crate) pitch: i32,
    /// Rows: stopwatches, messages that are stored or wait.
    pub(crate) rows: i32,
    /// Of a worker's or subscriber's lane, the height of its bars, which lie at its far edge; of a publisher's or the
    /// server's, the height of what lies at its near edge, before the rows of what waits.
    pub(crate) bar: i32,
}

impl Lane<'_> {
    /// The middle: of the bars where there are any, else of the lane.
    pub(crate) fn middle(&self) -> i32 {
        if self.sends() {
            self.from + self.bar / 2
        } else if self.bar > 0 {
            self.to - self.bar / 2
        } else {
            i32::midpoint(self.from, self.to)
        }
    }

    /// Whether its rows lie behind its bars, on the way out.
    fn sends(&self) -> bool {
        matches!(self.whose, Whose::Publisher(_) | Whose::Server)
    }

    /// The near edge of its bars.
    pub(crate) fn bar_from(&self) -> i32 {
        self.to - self.bar
    }

    /// The middle of a row: of stopwatches row 0 is the far one, next to the workers; of a buffer the one next to the bars.
    pub(crate) fn row(&self, row: i32) -> i32 {
        if self.sends() {
            return self.from + self.bar + self.pitch * row + self.pitch / 2;
        }
        if let Whose::Effects(_) = self.whose {
            return self.from + self.pitch * row + self.pitch / 2;
        }
        if let Whose::Stream(_) = self.whose {
            return self.to - 30 - self.pitch * row - self.pitch / 2;
        }
        let edge = if self.bar > 0 { self.bar_from() - 15 } else { self.to };
        edge - self.pitch * row - self.pitch / 2
    }
}

/// All lanes, and which rows of them deliveries have.
#[derive(Debug, Default)]
pub(crate) struct Lanes<'a> {
    pub(crate) list: Vec<Lane<'a>>,
    /// The clients of each lane, in the same order.
    clients: Vec<Vec<ClientId>>,
    /// Row of each delivery on its consumer's lane.
    pub(crate) watch_row: Vec<Option<i32>>,
    /// Row of each delivery in its worker's buffer.
    pub(crate) buffer_row: Vec<Option<i32>>,
    /// Row of each sent message that waits in its client's buffer, of each copy that waits at the server or in its
    /// subscriber's buffer, and of each message in its stream.
    pub(crate) sent_row: Vec<Option<i32>>,
    pub(crate) copy_row: Vec<Option<i32>>,
    pub(crate) kept_row: Vec<Option<i32>>,
    /// Stopwatches that found no row.
    pub(crate) hidden: usize,
}

/// The limits of a layout.
struct Limits {
    /// Lanes; what is more is folded as far as it can be.
    lanes: usize,
    /// Workers and subscribers with bars of their own.
    workers: usize,
    /// Rows of stopwatches.
    watches: usize,
    /// Rows of a buffer.
    buffer: usize,
    /// Rows of a stream.
    kept: usize,
}

/// From where to where a thing takes a row.
type Span = (i32, i32);

impl<'a> Lanes<'a> {
    /// Lays out the lanes of a run across the axis, from `from` on; at most up to `to` where that is given.
    pub(crate) fn new(
        story: &Story<'a>,
        ways: &Ways,
        axis: Axis,
        layout: Layout,
        slant: i32,
        from: i32,
        to: Option<i32>,
    ) -> Self {
        let limits = limits(layout);
        let (list, clients) = list(story, ways, &limits);
        let mut lanes = Self {
            list,
            clients,
            watch_row: Vec::new(),
            buffer_row: Vec::new(),
            sent_row: Vec::new(),
            copy_row: Vec::new(),
            kept_row: Vec::new(),
            hidden: 0,
        };
        lanes.rows(story, ways, axis, slant, &limits);
        lanes.measure(layout, story.trace.messages.len() > 1);
        match to {
            None => lanes.stack(from, 100, 100),
            Some(to) => lanes.squeeze(from, to),
        }
        lanes
    }

    /// The row of the nearest of these messages in their stream: of several that come at once an arrow goes to the first row.
    pub(crate) fn kept_row(&self, ways: &Ways, msgs: &[delivery_sim::trace::Msg]) -> Option<i32> {
        let kept = ways.kept.iter().zip(&self.kept_row);
        kept.filter(|(kept, row)| row.is_some() && msgs.contains(&kept.msg))
            .filter_map(|(_, row)| *row)
            .max()
    }

    /// The lane of a client; where that has several, the part of it that is this client's.
    pub(crate) fn client(&self, client: ClientId) -> Option<Lane<'a>> {
        let place = self.place(client)?;
        let mut lane = self.list[place];
        let slots = lane.shared;
        if slots > 1 && matches!(lane.whose, Whose::Worker(_) | Whose::Subscriber(_)) {
            let slot = self.clients[place].iter().position(|c| *c == client).unwrap_or(0) as i32;
            let (from, each) = (lane.bar_from(), lane.bar / slots);
            lane.to = from + each * (slot + 1) - 5;
            lane.bar = each - 10;
        }
        Some(lane)
    }

    /// The place of a client's lane in the list.
    pub(crate) fn place(&self, client: ClientId) -> Option<usize> {
        self.clients.iter().position(|clients| clients.contains(&client))
    }

    pub(crate) fn of(&self, whose: Whose) -> Option<Lane<'a>> {
        self.list.iter().find(|lane| lane.whose == whose).copied()
    }

    pub(crate) fn stream(&self, stream: StreamId) -> Option<Lane<'a>> {
        self.of(Whose::Stream(stream))
    }

    pub(crate) fn consumer(&self, consumer: ConsumerId) -> Option<Lane<'a>> {
        self.of(Whose::Consumer(consumer))
    }

    /// The lane through which a message passes that no stream takes.
    pub(crate) fn server(&self) -> Option<Lane<'a>> {
        self.of(Whose::Server)
    }

    /// Gives everything in the window that takes its time a row: a message keeps the row of its stopwatch as long as it can.
    fn rows(&mut self, story: &Story<'_>, ways: &Ways, axis: Axis, slant: i32, limits: &Limits) {
        let mut rows: Vec<Vec<i32>> = vec![Vec::new(); self.list.len()];
        let place = |whose: Whose, list: &[Lane<'_>]| list.iter().position(|l| l.whose == whose);
        let shows = |(from, until): (Time, Time)| axis.shows(from, until);
        for life in story.lives {
            if !shows((life.sent, life.ends(axis.end))) {
                self.watch_row.push(None);
                self.buffer_row.push(None);
                continue;
            }
            let sent = axis.along(life.sent);
            let lane = place(Whose::Consumer(life.delivery.consumer), &self.list);
            let mut row = None;
            if let Some(lane) = lane.filter(|_| !life.watch.is_empty()) {
                let rows = &mut rows[lane];
                let own = life.previous.and_then(|p| self.watch_row[p as usize]);
                let tick = if life.next.is_some() { 0 } else { slant + 160 };
                let until = axis.along(life.leaves(axis.end)) + tick;
                match own {
                    Some(own) => {
                        rows[own as usize] = until;
                        row = own.into();
                    }
                    None => row = free(rows, (sent, until), limits.watches),
                }
                self.hidden += usize::from(row.is_none());
            }
            self.watch_row.push(row);
            let span = buffered(life, axis, slant);
            let row = self.row(&mut rows, self.place(life.to), span, limits.buffer);
            self.buffer_row.push(row);
        }
        for sent in &ways.sent {
            let span = unsent(sent, axis).filter(|_| shows(sent.span(axis.end)));
            let row = self.row(&mut rows, self.place(sent.by), span, limits.buffer);
            self.sent_row.push(row);
        }
        for copy in &ways.copies {
            let (lane, span) = match held(copy, axis, slant) {
                None => (self.place(copy.to), waiting(copy, axis, slant)),
                some => (place(Whose::Server, &self.list), some),
            };
            let span = span.filter(|_| shows(copy.span(axis.end)));
            let row = self.row(&mut rows, lane, span, limits.buffer);
            self.copy_row.push(row);
        }
        let stored = |kept: &&Kept| shows(kept.span(axis.end));
        let crowded = ways.kept.iter().filter(stored).count() > limits.kept;
        // Where there are too many, those to which something happens in the window.
        let busy = |kept: &Kept| {
            shows((kept.from, kept.from))
                || story.of_msg(kept.msg).any(|life| shows((life.sent, life.ends(axis.end))))
        };
        for kept in &ways.kept {
            if !stored(&kept) || (crowded && !busy(kept)) {
                self.kept_row.push(None);
                continue;
            }
            let until = kept.gone.map_or(axis.to, |(at, _)| axis.along(at));
            let span = (axis.along(kept.from), until + slant + 130);
            let lane = place(Whose::Stream(kept.stream), &self.list);
            let row = self.row(&mut rows, lane, Some(span), limits.kept);
            self.kept_row.push(row);
        }
        for (lane, rows) in self.list.iter_mut().zip(rows) {
            lane.rows = rows.len() as i32;
            if let Whose::Effects(consumer) = lane.whose {
                // What is there already has a row of its own.
                let again = |c: &Committed| c.consumer == consumer && c.times != 1;
                lane.rows = 1 + i32::from(ways.effects.iter().any(again));
            }
        }
    }

    /// A row on a lane for what takes one; none for what waits on a lane that several share.
    fn row(
        &self,
        rows: &mut [Vec<i32>],
        lane: Option<usize>,
        span: Option<Span>,
        limit: usize,
    ) -> Option<i32> {
        let lane = lane.filter(|&lane| self.list[lane].shared < 2)?;
        free(&mut rows[lane], span?, limit)
    }

    /// The natural size of every lane; `many`: a disc may stand for several messages.
    fn measure(&mut self, layout: Layout, many: bool) {
        let wide = layout == Layout::Wide;
        for lane in &mut self.list {
            lane.pitch = if wide { 34 } else { 28 };
            let rows = lane.rows;
            let waiting = if rows > 0 { rows * lane.pitch + 15 } else { 0 };
            match lane.whose {
                Whose::Publisher(_) => {
                    lane.bar = if wide || !many { 200 } else { 290 };
                    lane.to = lane.bar + waiting;
                }
                Whose::Server => {
                    lane.bar = 40;
                    lane.to = lane.bar + waiting;
                }
                Whose::Effects(_) => {
                    lane.rows = lane.rows.max(1);
                    lane.pitch = if wide { 225 } else { 240 };
                    lane.to = lane.rows * lane.pitch;
                }
                Whose::Stream(_) => {
                    lane.pitch = match (wide, rows) {
                        (true, 0..=2) => 170,
                        (true, 3..=4) => 130,
                        (true, 5..=NUMBERED) => 100,
                        (true, _) => 30,
                        (false, 0..=2) => 150,
                        (false, 3..=4) => 110,
                        (false, 5..=6) => 90,
                        (false, _) => (400 / rows).clamp(16, 80),
                    };
                    lane.to = (rows * lane.pitch).max(if wide { 180 } else { 190 }) + 60;
                }
                Whose::Consumer(_) => {
                    lane.rows = rows.max(1);
                    lane.pitch = match (wide, lane.rows) {
                        (true, 1..=2) => 250,
                        (true, 3..=4) => 190,
                        (true, 5..=6) => 150,
                        (true, 7..=16) => 125,
                        (true, _) => (2_000 / lane.rows).clamp(40, 120),
                        (false, 1..=2) => 200,
                        (false, 3..=5) => 150,
                        (false, _) => (1_100 / lane.rows).clamp(26, 110),
                    };
                    lane.to = lane.rows * lane.pitch;
                }
                Whose::Worker(_) | Whose::Workers(_) | Whose::Subscriber(_) => {
                    let more = lane.shared.clamp(1, 4) - 1;
                    lane.bar = if wide { 190 } else { 180 + 80 * more };
                    lane.to = lane.bar + waiting;
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
            (Whose::Effects(_), _) => 170,
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

/// On a stream with more rows than this, messages have their numbers only where they came in.
const NUMBERED: i32 = 12;

fn limits(layout: Layout) -> Limits {
    match layout {
        Layout::Wide => {
            Limits { lanes: usize::MAX, workers: 12, watches: 48, buffer: 12, kept: 40 }
        }
        Layout::Tall => Limits { lanes: 7, workers: 12, watches: 40, buffer: 10, kept: 25 },
    }
}

/// How many lanes a run needs.
pub(crate) fn count(story: &Story<'_>, ways: &Ways, layout: Layout) -> usize {
    list(story, ways, &limits(layout)).0.len()
}

/// Takes the first row that is free, a new one if there may be one more.
fn free(rows: &mut Vec<i32>, (from, until): Span, limit: usize) -> Option<i32> {
    let row = match rows.iter().position(|taken| *taken <= from) {
        Some(row) => row,
        None if rows.len() < limit => {
            rows.push(0);
            rows.len() - 1
        }
        None => return None,
    };
    rows[row] = until;
    Some(row as i32)
}

/// A span that is long enough to be seen.
fn seen(from: i32, until: i32) -> Option<Span> {
    (until - from > 20).then_some((from, until))
}

/// From where to where on the axis a delivery waits in its client's buffer; none if nobody would see it.
pub(crate) fn buffered(life: &Life, axis: Axis, slant: i32) -> Option<Span> {
    let from = (axis.along(life.sent) + slant).max(axis.along(life.arrived?));
    // Who answers without work, as a handler of advisories does, holds it until then.
    let answered = life.answers.first().map(|said| said.at);
    let until = life.started.or(life.lost_in_buffer).or(answered).unwrap_or(axis.end);
    seen(from, axis.along(until))
}

/// From where to where a message waits in the buffer of the client that sends it.
pub(crate) fn unsent(sent: &Sent, axis: Axis) -> Option<Span> {
    let until = match (sent.left, sent.fate) {
        (Some(left), _) => left,
        (None, crate::ways::Fate::Open) => axis.end,
        (None, _) => return None,
    };
    seen(axis.along(sent.at), axis.along(until))
}

/// When a copy comes to its subscriber, at the soonest as arrows lean.
pub(crate) fn lands(copy: &Heard, axis: Axis, slant: i32) -> i32 {
    (axis.along(copy.sent) + 2 * slant).max(copy.received().map_or(0, |at| axis.along(at)))
}

/// From where to where a copy waits at the server, since its subscriber does not read.
pub(crate) fn held(copy: &Heard, axis: Axis, slant: i32) -> Option<Span> {
    let until = match (copy.received(), copy.dropped()) {
        (Some(at), _) => at,
        (None, Some((at, why))) if why != Drop::BufferFull => at,
        (None, Some(_)) => return None,
        (None, None) => axis.end,
    };
    seen((axis.along(copy.sent) + 2 * slant).max(axis.along(copy.due)), axis.along(until))
}

/// From where to where a copy waits in its subscriber's buffer.
pub(crate) fn waiting(copy: &Heard, axis: Axis, slant: i32) -> Option<Span> {
    copy.received()?;
    let until = copy.started().or(copy.dropped().map(|(at, _)| at)).unwrap_or(axis.end);
    seen(lands(copy, axis, slant), axis.along(until))
}

/// The lanes that a run needs, in order, without a place yet.
fn list<'a>(
    story: &Story<'a>,
    ways: &Ways,
    limits: &Limits,
) -> (Vec<Lane<'a>>, Vec<Vec<ClientId>>) {
    let trace: &'a Trace = story.trace;
    let lane = |whose: Whose, kind: &'static str, name: &'a str| Lane {
        whose,
        shared: 1,
        kind,
        name,
        from: 0,
        to: 0,
        pitch: 0,
        rows: 0,
        bar: 0,
    };
    let mut list = Vec::new();
    let mut owners = Vec::new();
    let mut rest = Vec::new();
    let mut left = limits.workers;
    let mut add = |whose: Whose, kind: &'static str, name: &'a str| {
        let clients = match whose {
            Whose::Publisher(id) => vec![id],
            Whose::Worker(id) | Whose::Subscriber(id) => {
                if left == 0 {
                    rest.push(id);
                    return;
                }
                left -= 1;
                vec![id]
            }
            _ => Vec::new(),
        };
        list.push(lane(whose, kind, name));
        owners.push(clients);
    };
    let clients = || trace.clients.iter().enumerate().map(|(i, c)| (ClientId(i as u16), c));
    for (id, client) in clients() {
        if client.kind == ClientKind::Publisher && ways.sent.iter().any(|s| s.by == id) {
            add(Whose::Publisher(id), "publisher", &client.name);
        }
    }
    let bare = |sent: &Sent| matches!(sent.fate, crate::ways::Fate::Unheard);
    let subscriber = |kind| kind == ClientKind::Subscriber;
    if !ways.copies.is_empty()
        || ways.sent.iter().any(bare)
        || clients().any(|(_, c)| subscriber(c.kind))
    {
        add(Whose::Server, "server", "");
    }
    for (id, client) in clients().filter(|(_, c)| subscriber(c.kind)) {
        add(Whose::Subscriber(id), "subscriber", &client.name);
    }
    let workers = |consumer: Option<ConsumerId>,
                   add: &mut dyn FnMut(Whose, &'static str, &'a str)| {
        for (id, client) in clients() {
            let kind = match client.kind {
                ClientKind::Worker => "worker",
                ClientKind::Handler => "handler",
                _ => continue,
            };
            let known = client.consumer.filter(|c| {
                trace
                    .consumers
                    .get(usize::from(c.0))
                    .is_some_and(|c| usize::from(c.stream.0) < trace.streams.len())
            });
            if known == consumer {
                add(Whose::Worker(id), kind, &client.name);
            }
        }
    };
    // Advisories come after what they are about, dead letters after their handler.
    let rank = |stream: StreamId| {
        let copies = |k: &&crate::ways::Kept| {
            matches!(trace.messages.get(k.msg.0 as usize), Some(Message::Copy { .. }))
        };
        let handled = |c: &delivery_sim::trace::Client| {
            c.kind == ClientKind::Handler
                && c.consumer.and_then(|c| trace.consumers.get(usize::from(c.0))).map(|c| c.stream)
                    == Some(stream)
        };
        if ways.kept.iter().filter(copies).any(|k| k.stream == stream) {
            2
        } else {
            u8::from(trace.clients.iter().any(handled))
        }
    };
    for wanted in 0..3 {
        for (s, name) in trace.streams.iter().enumerate() {
            let stream = StreamId(s as u16);
            if rank(stream) != wanted {
                continue;
            }
            add(Whose::Stream(stream), "stream", name);
            for (c, consumer) in trace.consumers.iter().enumerate() {
                if consumer.stream == stream {
                    let id = ConsumerId(c as u16);
                    add(Whose::Consumer(id), "consumer", &consumer.name);
                    workers(Some(id), &mut add);
                    if ways.effects.iter().any(|c| c.consumer == id) {
                        add(Whose::Effects(id), "effects", &consumer.name);
                    }
                }
            }
        }
        if wanted == 0 {
            workers(None, &mut add);
        }
    }
    if !rest.is_empty() {
        list.push(lane(Whose::Workers(rest.len() as u32), "", "more"));
        owners.push(rest);
    }
    fold(&mut list, &mut owners, limits.lanes);
    (list, owners)
}

/// Puts publishers, subscribers and the workers of a consumer on one lane each until there are no more than `most` lanes.
fn fold(list: &mut Vec<Lane<'_>>, owners: &mut Vec<Vec<ClientId>>, most: usize) {
    for name in ["publishers", "subscribers", "workers"] {
        let folds = |lane: &Lane<'_>| {
            !lane.kind.is_empty() && name.starts_with(lane.kind) || lane.name == name
        };
        let mut place = 1;
        while list.len() > most && place < list.len() {
            if !folds(&list[place]) || !folds(&list[place - 1]) {
                place += 1;
                continue;
            }
            list.remove(place);
            let more = owners.remove(place);
            owners[place - 1].extend(more);
            let lane = &mut list[place - 1];
            lane.shared += 1;
            lane.name = name;
            lane.kind = match lane.shared {
                2 => "two",
                3 => "three",
                4 => "four",
                _ => "all",
            };
        }
    }
    // What a handler's consumer does is over in no time.
    while list.len() > most
        && let Some(handler) = list.iter().position(|l| l.kind == "handler")
        && handler > 0
        && matches!(list[handler - 1].whose, Whose::Consumer(_))
    {
        list.remove(handler - 1);
        owners.remove(handler - 1);
    }
    while list.len() > most
        && let Some(place) = list.iter().rposition(|l| matches!(l.whose, Whose::Effects(_)))
    {
        list.remove(place);
        owners.remove(place);
    }
}
