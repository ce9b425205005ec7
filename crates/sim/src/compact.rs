//! The compact form in which a page carries a scenario to the browser.
//!
//! Fields one after another, numbers in as few bytes as they need. Both sides are of one build, so there are no
//! names and no versions in it. A reader of this kind is a tenth of what a general one adds to the browser's program.

use crate::scenario::*;
use crate::time::{Dur, Time};

/// What can be written in the compact form and read back.
pub trait Compact: Sized {
    /// Appends it.
    fn put(&self, out: &mut Vec<u8>);
    /// Reads it; anything at all once the reader has failed.
    fn get(from: &mut Reader<'_>) -> Self;
}

/// Writes a value.
pub fn write<T: Compact>(value: &T) -> Vec<u8> {
    let mut out = Vec::new();
    value.put(&mut out);
    out
}

/// Reads what [`write()`] wrote; none if it is anything else.
pub fn read<T: Compact>(bytes: &[u8]) -> Option<T> {
    let mut reader = Reader { bytes, failed: false };
    let value = T::get(&mut reader);
    (!reader.failed && reader.bytes.is_empty()).then_some(value)
}

/// Bytes that are left, and whether they turned out to be something else.
pub struct Reader<'a> {
    bytes: &'a [u8],
    failed: bool,
}

impl Reader<'_> {
    fn byte(&mut self) -> u8 {
        match self.bytes.split_first() {
            Some((&first, rest)) => {
                self.bytes = rest;
                first
            }
            None => {
                self.failed = true;
                0
            }
        }
    }

    fn number(&mut self) -> u64 {
        let (mut number, mut shift) = (0_u64, 0);
        loop {
            let byte = self.byte();
            number |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            shift += 7;
            if byte < 0x80 || shift > 63 {
                return number;
            }
        }
    }

    /// The number of a variant below `count`.
    pub fn variant(&mut self, count: u8) -> u8 {
        let byte = self.byte();
        if byte >= count {
            self.failed = true;
            return 0;
        }
        byte
    }
}

fn put_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

impl Compact for u64 {
    fn put(&self, out: &mut Vec<u8>) {
        put_number(*self, out);
    }
    fn get(from: &mut Reader<'_>) -> Self {
        from.number()
    }
}

impl Compact for u32 {
    fn put(&self, out: &mut Vec<u8>) {
        put_number(u64::from(*self), out);
    }
    fn get(from: &mut Reader<'_>) -> Self {
        let number = from.number();
        from.failed |= number > u64::from(u32::MAX);
        number as Self
    }
}

impl Compact for i64 {
    fn put(&self, out: &mut Vec<u8>) {
        put_number(((self << 1) ^ (self >> 63)) as u64, out);
    }
    fn get(from: &mut Reader<'_>) -> Self {
        let number = from.number();
        (number >> 1) as Self ^ -((number & 1) as Self)
    }
}

impl Compact for bool {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }
    fn get(from: &mut Reader<'_>) -> Self {
        from.variant(2) == 1
    }
}

impl Compact for String {
    fn put(&self, out: &mut Vec<u8>) {
        put_number(self.len() as u64, out);
        out.extend_from_slice(self.as_bytes());
    }
    fn get(from: &mut Reader<'_>) -> Self {
        let len = usize::try_from(from.number()).unwrap_or(usize::MAX);
        let text = from.bytes.get(..len).and_then(|bytes| core::str::from_utf8(bytes).ok());
        match text {
            Some(text) => {
                from.bytes = &from.bytes[len..];
                text.into()
            }
            None => {
                from.failed = true;
                Self::new()
            }
        }
    }
}

impl<T: Compact> Compact for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        put_number(self.len() as u64, out);
        for item in self {
            item.put(out);
        }
    }
    fn get(from: &mut Reader<'_>) -> Self {
        let mut items = Self::new();
        for _ in 0..from.number() {
            // Every item has at least one byte.
            if from.failed || from.bytes.is_empty() {
                from.failed = true;
                break;
            }
            items.push(T::get(from));
        }
        items
    }
}

impl<T: Compact> Compact for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(value) = self {
            value.put(out);
        }
    }
    fn get(from: &mut Reader<'_>) -> Self {
        bool::get(from).then(|| T::get(from))
    }
}

impl Compact for Time {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }
    fn get(from: &mut Reader<'_>) -> Self {
        Self(from.number())
    }
}

impl Compact for Dur {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }
    fn get(from: &mut Reader<'_>) -> Self {
        Self(from.number())
    }
}

impl Compact for Chance {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }
    fn get(from: &mut Reader<'_>) -> Self {
        Self(u32::get(from))
    }
}

impl Compact for Service {
    fn put(&self, out: &mut Vec<u8>) {
        let (variant, first, second) = match *self {
            Self::Fixed(d) => (0, d.0, 0),
            Self::Uniform(low, high) => (1, low.0, high.0),
            Self::Exponential(mean) => (2, mean.0, 0),
            Self::LogNormal(median, spread) => (3, median.0, u64::from(spread)),
        };
        out.push(variant);
        put_number(first, out);
        put_number(second, out);
    }
    fn get(from: &mut Reader<'_>) -> Self {
        let (variant, first, second) = (from.variant(4), Dur(from.number()), from.number());
        match variant {
            0 => Self::Fixed(first),
            1 => Self::Uniform(first, Dur(second)),
            2 => Self::Exponential(first),
            _ => Self::LogNormal(first, second as u32),
        }
    }
}

/// Implements [`Compact`] for a struct: its fields, all of them, in this order.
#[macro_export]
macro_rules! compact_struct {
    ($name:ty { $($field:ident),* $(,)? }) => {
        impl $crate::compact::Compact for $name {
            fn put(&self, out: &mut Vec<u8>) {
                // No `..`: a field that is added must be added here.
                let Self { $($field),* } = self;
                $($crate::compact::Compact::put($field, out);)*
            }
            fn get(from: &mut $crate::compact::Reader<'_>) -> Self {
                Self { $($field: $crate::compact::Compact::get(from)),* }
            }
        }
    };
}

macro_rules! compact_enum {
    ($name:ty: $count:literal { $($variant:ident = $number:literal),* $(,)? }) => {
        impl Compact for $name {
            fn put(&self, out: &mut Vec<u8>) {
                out.push(match self { $(Self::$variant => $number),* });
            }
            fn get(from: &mut Reader<'_>) -> Self {
                match from.variant($count) {
                    $($number => Self::$variant,)*
                    _ => Self::default(),
                }
            }
        }
    };
}

compact_enum!(Version: 5 { V2_10 = 0, V2_11 = 1, V2_12 = 2, V2_14 = 3, V2_15 = 4 });
compact_enum!(Retention: 3 { Limits = 0, Interest = 1, WorkQueue = 2 });
compact_enum!(Discard: 2 { Old = 0, New = 1 });
compact_enum!(DeliverPolicy: 6 {
    All = 0, Last = 1, New = 2, ByStartSequence = 3, ByStartTime = 4, LastPerSubject = 5,
});
compact_enum!(AckPolicy: 3 { None = 0, All = 1, Explicit = 2 });
compact_enum!(ReplayPolicy: 2 { Instant = 0, Original = 1 });
compact_enum!(WorkAct: 7 {
    Ack = 0, Nak = 1, Term = 2, InProgress = 3, Commit = 4, None = 5, Crash = 6,
});
compact_enum!(ClientLibrary: 7 {
    None = 0, Go = 1, Python = 2, Rust = 3, DotNet = 4, Java = 5, JavaScript = 6,
});
compact_enum!(KnownBy: 2 { Payload = 0, Sequence = 1 });
compact_enum!(Via: 2 { Js = 0, Core = 1 });
compact_enum!(AnswerAct: 6 { Ack = 0, Nak = 1, Term = 2, InProgress = 3, AckNext = 4, Raw = 5 });
compact_enum!(CreateAction: 3 { CreateOrUpdate = 0, Create = 1, Update = 2 });

compact_struct!(Scenario {
    version,
    seed,
    end,
    network_delay,
    streams,
    consumers,
    workers,
    subscribers,
    publishers,
    dead_letter_handlers,
    max_pending,
    timeline,
});
compact_struct!(StreamConfig {
    name,
    subjects,
    retention,
    max_msgs,
    max_bytes,
    max_msgs_per_subject,
    max_age,
    discard,
    discard_new_per_subject,
    duplicate_window,
});
compact_struct!(Consumer { stream, create_at, config });
compact_struct!(ConsumerConfig {
    durable_name,
    deliver_policy,
    opt_start_seq,
    opt_start_time,
    ack_policy,
    ack_wait,
    backoff,
    max_deliver,
    filter_subjects,
    replay_policy,
    max_waiting,
    max_ack_pending,
    deliver_subject,
    deliver_group,
    inactive_threshold,
});
compact_struct!(Worker {
    name,
    count,
    stream,
    consumer,
    start,
    stop,
    batch,
    expires,
    pause,
    service_time,
    in_progress_every,
    crash_chance,
    restart_after,
    lost_answer_chance,
    ack_timeout,
    ack_first,
    commit_to_ack,
    idempotent,
    handled_table,
    known_by,
    push,
    manual,
    max_messages,
    max_pulls,
    behaviour,
});
compact_struct!(Behaviour { on, steps });
compact_struct!(Match { data, data_prefix, stream_seq, attempt, nth, before });
compact_struct!(WorkStep { after, act, delay, reason, sync, restart_after });
compact_struct!(Subscriber {
    name,
    subject,
    queue,
    start,
    stop,
    service_time,
    library,
    pending_msgs_limit,
    pending_bytes_limit,
    reply_with,
    reconnect_wait,
    loss_chance,
    error_callback,
    counts,
    whole_every,
});
compact_struct!(Publisher { name, reconnect_wait, buffer_bytes });
compact_struct!(DeadLetterHandler {
    name,
    stream,
    consumer,
    start,
    stop,
    copies,
    message_id,
    delete_original,
});
compact_struct!(Step { at, op });
compact_struct!(Publish {
    by,
    subject,
    data,
    count,
    every,
    via,
    msg_id,
    without_id,
    flush,
    pad_bytes,
    timeout,
    retry,
    lost_chance,
});
compact_struct!(Pull { worker, stream, consumer, batch, expires, no_wait, max_bytes });
compact_struct!(Answer {
    worker,
    seq,
    attempt,
    act,
    delay,
    reason,
    sync,
    forged_seq,
    next_batch,
    raw
});
compact_struct!(ConsumerRef { stream, consumer });
compact_struct!(Request { by, subject, data, timeout });
compact_struct!(CreateConsumer { stream, action, pedantic, config });
compact_struct!(Purge { stream, filter });
compact_struct!(MessageRef { stream, seq });

impl Compact for Op {
    fn put(&self, out: &mut Vec<u8>) {
        let mut op = |number: u8, value: &dyn Fn(&mut Vec<u8>)| {
            out.push(number);
            value(out);
        };
        match self {
            Self::Publish(value) => op(0, &|out| value.put(out)),
            Self::Pull(value) => op(1, &|out| value.put(out)),
            Self::Answer(value) => op(2, &|out| value.put(out)),
            Self::Kill(value) => op(3, &|out| value.put(out)),
            Self::Subscribe(value) => op(4, &|out| value.put(out)),
            Self::Unsubscribe(value) => op(5, &|out| value.put(out)),
            Self::Stall(value) => op(6, &|out| value.put(out)),
            Self::Resume(value) => op(7, &|out| value.put(out)),
            Self::Flush(value) => op(8, &|out| value.put(out)),
            Self::Request(value) => op(9, &|out| value.put(out)),
            Self::CreateStream(value) => op(10, &|out| value.put(out)),
            Self::CreateConsumer(value) => op(11, &|out| value.put(out)),
            Self::DeleteConsumer(value) => op(12, &|out| value.put(out)),
            Self::PurgeStream(value) => op(13, &|out| value.put(out)),
            Self::GetMessage(value) => op(14, &|out| value.put(out)),
            Self::DeleteMessage(value) => op(15, &|out| value.put(out)),
            Self::ConsumerInfo(value) => op(16, &|out| value.put(out)),
            Self::StreamInfo(value) => op(17, &|out| value.put(out)),
            Self::ServerStop => op(18, &|_| ()),
            Self::ServerStart => op(19, &|_| ()),
        }
    }
    fn get(from: &mut Reader<'_>) -> Self {
        match from.variant(20) {
            0 => Self::Publish(Compact::get(from)),
            1 => Self::Pull(Compact::get(from)),
            2 => Self::Answer(Compact::get(from)),
            3 => Self::Kill(Compact::get(from)),
            4 => Self::Subscribe(Compact::get(from)),
            5 => Self::Unsubscribe(Compact::get(from)),
            6 => Self::Stall(Compact::get(from)),
            7 => Self::Resume(Compact::get(from)),
            8 => Self::Flush(Compact::get(from)),
            9 => Self::Request(Compact::get(from)),
            10 => Self::CreateStream(Compact::get(from)),
            11 => Self::CreateConsumer(Compact::get(from)),
            12 => Self::DeleteConsumer(Compact::get(from)),
            13 => Self::PurgeStream(Compact::get(from)),
            14 => Self::GetMessage(Compact::get(from)),
            15 => Self::DeleteMessage(Compact::get(from)),
            16 => Self::ConsumerInfo(Compact::get(from)),
            17 => Self::StreamInfo(Compact::get(from)),
            18 => Self::ServerStop,
            _ => Self::ServerStart,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_survives() {
        let scenario = Scenario {
            seed: u64::MAX,
            streams: vec![StreamConfig { name: "S".into(), ..StreamConfig::default() }],
            consumers: vec![Consumer {
                config: ConsumerConfig {
                    backoff: vec![Dur::secs(1), Dur::api(-1)],
                    max_ack_pending: -1,
                    ..ConsumerConfig::default()
                },
                ..Consumer::default()
            }],
            workers: vec![Worker {
                service_time: Service::LogNormal(Dur::ms(20), 50),
                behaviour: vec![Behaviour {
                    on: Match { before: Some(Time::ms(60)), ..Match::default() },
                    steps: vec![WorkStep { act: WorkAct::Crash, ..WorkStep::default() }],
                }],
                ..Worker::default()
            }],
            timeline: vec![
                Step { at: Time::ms(5), op: Op::Publish(Publish::default()) },
                Step {
                    at: Time::NEVER,
                    op: Op::Answer(Answer { delay: Some(Dur::ms(300)), ..Answer::default() }),
                },
                Step { at: Time::ZERO, op: Op::ServerStart },
            ],
            ..Scenario::default()
        };
        let bytes = write(&scenario);
        assert_eq!(read(&bytes), Some(scenario));
        for end in 0..bytes.len() {
            assert_eq!(read::<Scenario>(&bytes[..end]), None, "cut at {end}");
        }
        assert_eq!(read::<Scenario>(&[&bytes[..], &[0]].concat()), None, "too long");
    }

    #[test]
    fn junk_is_refused_without_harm() {
        let mut rng = crate::rng::Rng::new(9);
        for _ in 0..2_000 {
            let junk: Vec<u8> = (0..rng.below(80)).map(|_| rng.next_u64() as u8).collect();
            let _ = read::<Scenario>(&junk);
        }
    }
}
