//! What a run produced: an immutable list of events with their times, and how it is observed.

use crate::check::ApiError;
use crate::info::{ConsumerInfo, StreamInfo};
use crate::scenario::{ConsumerConfig, Op, Scenario, StreamConfig, Version, numbered};
use crate::time::{Dur, Time};
use core::hash::{Hash, Hasher};

/// A message, by the order in which it was published, from 0. It keeps this number on its whole way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Msg(pub u32);

/// A stream, by its place in [`Trace::streams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(pub u16);

/// A consumer, by its place in [`Trace::consumers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConsumerId(pub u16);

/// A client (publisher, worker, subscriber), by its place in [`Trace::clients`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientId(pub u16);

/// A delivery of a stream message to a consumer's client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Delivery {
    /// The consumer that delivers.
    pub consumer: ConsumerId,
    /// The message.
    pub msg: Msg,
    /// Its stream sequence.
    pub seq: u64,
    /// Delivery number of this message on this consumer, from 1 (`num_delivered`).
    pub attempt: u32,
}

/// Everything that can happen. Each event has a time, in [`Record`].
///
/// "Server" and "client" say on which side it happens: what a client sends arrives one network delay later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// Client: a message is handed to the connection.
    Published {
        /// The message.
        msg: Msg,
        /// The publisher.
        by: ClientId,
    },
    /// Server: the message got a sequence and is kept (R13).
    Stored {
        /// The message.
        msg: Msg,
        /// The stream.
        stream: StreamId,
        /// Its sequence.
        seq: u64,
    },
    /// Server: the message got a sequence but no consumer wants it, so it is not kept (R29).
    NotKept {
        /// The message.
        msg: Msg,
        /// The stream.
        stream: StreamId,
        /// Its sequence.
        seq: u64,
    },
    /// Server: its id is known, nothing is stored (R16).
    Deduplicated {
        /// The message.
        msg: Msg,
        /// The stream.
        stream: StreamId,
        /// The sequence of the original.
        seq: u64,
    },
    /// Server: the stream refuses the message (R22, R23).
    Refused {
        /// The message.
        msg: Msg,
        /// The stream.
        stream: StreamId,
        /// Why.
        why: Refusal,
    },
    /// Server: neither a stream nor a subscription wanted it; it is gone (R2, R6, R15).
    Unheard {
        /// The message.
        msg: Msg,
    },
    /// Client: the PubAck arrives (R13).
    PubAcked {
        /// The message.
        msg: Msg,
        /// The publisher.
        by: ClientId,
        /// The stream.
        stream: StreamId,
        /// The sequence.
        seq: u64,
        /// Whether the message was a duplicate.
        duplicate: bool,
    },
    /// Client: the publisher learns that the message was not stored.
    PubFailed {
        /// The message.
        msg: Msg,
        /// The publisher.
        by: ClientId,
        /// Why.
        why: Refusal,
    },
    /// Client: a pull request is sent.
    Pulled {
        /// The worker.
        by: ClientId,
        /// The consumer.
        consumer: ConsumerId,
        /// Messages asked for.
        batch: u32,
    },
    /// Client: the status that ends a pull arrives.
    PullEnded {
        /// The worker.
        by: ClientId,
        /// The consumer.
        consumer: ConsumerId,
        /// How it ended.
        status: Status,
        /// Messages of the batch that were not delivered.
        missing: u32,
    },
    /// Server: the message is sent to a client; its stopwatch starts.
    Delivered {
        /// The delivery.
        delivery: Delivery,
        /// To whom.
        to: ClientId,
        /// The consumer sequence of this delivery (R31).
        consumer_seq: u64,
        /// Matching messages not delivered yet, after this one (R32).
        num_pending: u64,
        /// When its stopwatch runs out; [`Time::NEVER`] if no answer is expected.
        deadline: Time,
        /// Why it is sent.
        cause: Cause,
    },
    /// Client: a delivery arrives and waits its turn.
    Arrived {
        /// The delivery.
        delivery: Delivery,
        /// At whom.
        at: ClientId,
    },
    /// Server or client: a delivery is lost because the client's connection is gone.
    Missed {
        /// The delivery.
        delivery: Delivery,
        /// Whose.
        by: ClientId,
    },
    /// Client: work on a delivery begins.
    WorkStarted {
        /// The delivery.
        delivery: Delivery,
        /// The worker.
        by: ClientId,
    },
    /// Client: work on a delivery is complete, its side effect is committed.
    WorkDone {
        /// The delivery.
        delivery: Delivery,
        /// The worker.
        by: ClientId,
        /// Whether the commit changed anything: not if the effect was there and the write is idempotent.
        changed: bool,
    },
    /// Client: it is through with a delivery, neither done nor answered, and goes on.
    LeftOff {
        /// The delivery.
        delivery: Delivery,
        /// The worker.
        by: ClientId,
    },
    /// Client: an answer is sent.
    Answered {
        /// The delivery it answers.
        delivery: Delivery,
        /// The worker.
        by: ClientId,
        /// What it says.
        reply: Reply,
    },
    /// Server: an answer is processed.
    Recorded {
        /// The delivery it answers.
        delivery: Delivery,
        /// What it said.
        reply: Reply,
        /// What it did.
        effect: Effect,
    },
    /// Client: the server's confirmation of an answer sent as a request arrives (R46).
    Confirmed {
        /// The delivery.
        delivery: Delivery,
        /// The worker.
        by: ClientId,
    },
    /// Server: the stopwatch of a delivery ran out; the message waits for a pull (R68).
    Expired {
        /// The delivery whose time is over.
        delivery: Delivery,
    },
    /// Server: a delay asked for by a nak is over (R75).
    DelayOver {
        /// The delivery that was given back.
        delivery: Delivery,
    },
    /// Server: the deadline of a message in flight changed with the configuration (R103).
    DeadlineMoved {
        /// The delivery.
        delivery: Delivery,
        /// Its new deadline.
        deadline: Time,
    },
    /// Server: deliveries are used up; it is not delivered again (R84, R85).
    Exhausted {
        /// The last delivery.
        delivery: Delivery,
        /// Whether an advisory says so; a lowered limit can end a message silently (R96).
        advised: bool,
    },
    /// Server: an advisory is published (R49, R88).
    Advised {
        /// What it reports.
        advisory: Advisory,
        /// The consumer.
        consumer: ConsumerId,
        /// The message.
        msg: Msg,
        /// Its stream sequence.
        seq: u64,
        /// The consumer sequence it names; zero if it names none.
        consumer_seq: u64,
        /// The deliveries it names.
        deliveries: u32,
    },
    /// Server: a message leaves its stream.
    Removed {
        /// The message.
        msg: Msg,
        /// The stream.
        stream: StreamId,
        /// Its sequence.
        seq: u64,
        /// Why.
        why: Removal,
    },
    /// Server: a message is copied to a subscription of Core NATS (R1).
    Routed {
        /// The message.
        msg: Msg,
        /// The subscriber.
        to: ClientId,
    },
    /// Client: a copy arrives at a subscriber and waits for the handler (R9).
    Received {
        /// The message.
        msg: Msg,
        /// The subscriber.
        by: ClientId,
        /// Messages now waiting in its buffer.
        buffered: u32,
    },
    /// Client or server: a copy is lost at a subscriber.
    Dropped {
        /// The message.
        msg: Msg,
        /// The subscriber.
        by: ClientId,
        /// Why.
        why: Drop,
    },
    /// Client: the subscriber's handler begins with a message.
    HandlerStarted {
        /// The message.
        msg: Msg,
        /// The subscriber.
        by: ClientId,
    },
    /// Client: the subscriber's handler is done with a message.
    HandlerDone {
        /// The message.
        msg: Msg,
        /// The subscriber.
        by: ClientId,
    },
    /// Client: a subscription begins.
    Subscribed {
        /// The subscriber.
        by: ClientId,
    },
    /// Client: a subscription ends; the connection stays.
    Unsubscribed {
        /// The subscriber.
        by: ClientId,
    },
    /// Client: it stops reading its socket.
    Stalled {
        /// The subscriber.
        by: ClientId,
    },
    /// Client: it reads again.
    Resumed {
        /// The subscriber.
        by: ClientId,
    },
    /// Client: the server closed its connection.
    Disconnected {
        /// Who.
        client: ClientId,
    },
    /// Client: the dead-letter handler got an original, or learned that it is gone (R99).
    Fetched {
        /// The handler.
        by: ClientId,
        /// The stream of the original.
        stream: StreamId,
        /// Its sequence.
        seq: u64,
        /// Whether it was still stored.
        found: bool,
    },
    /// Client: the dead-letter handler's delete of an original is confirmed.
    Deleted {
        /// The handler.
        by: ClientId,
        /// The stream of the original.
        stream: StreamId,
        /// Its sequence.
        seq: u64,
    },
    /// Server: a stream is created.
    StreamCreated {
        /// The stream.
        stream: StreamId,
    },
    /// Server: a consumer is created.
    ConsumerCreated {
        /// The consumer.
        consumer: ConsumerId,
    },
    /// Server: a consumer's configuration changes.
    ConsumerUpdated {
        /// The consumer.
        consumer: ConsumerId,
    },
    /// Server: a consumer is deleted, by a call or because nobody used it (R106).
    ConsumerDeleted {
        /// The consumer.
        consumer: ConsumerId,
        /// Whether its inactive threshold was reached.
        inactive: bool,
    },
    /// Client: it connects (a worker starts, a subscriber subscribes).
    Started {
        /// Who.
        client: ClientId,
    },
    /// Client: its connection closes in order.
    Stopped {
        /// Who.
        client: ClientId,
    },
    /// Client: it dies with all it holds.
    Crashed {
        /// Who.
        client: ClientId,
    },
    /// The server stops; every connection closes (R100).
    ServerStopped,
    /// The server is back.
    ServerStarted,
    /// A scripted call was answered; see [`Trace::answers`].
    Replied {
        /// The place of the step in [`Scenario::timeline`].
        step: u32,
        /// The place of the answer in [`Trace::answers`].
        answer: u32,
    },
}

impl Event {
    /// The message it happens to; none if it happens to a client, a stream, a consumer or the server.
    pub fn msg(&self) -> Option<Msg> {
        match *self {
            Self::Published { msg, .. }
            | Self::Stored { msg, .. }
            | Self::NotKept { msg, .. }
            | Self::Deduplicated { msg, .. }
            | Self::Refused { msg, .. }
            | Self::Unheard { msg }
            | Self::PubAcked { msg, .. }
            | Self::PubFailed { msg, .. }
            | Self::Advised { msg, .. }
            | Self::Removed { msg, .. }
            | Self::Routed { msg, .. }
            | Self::Received { msg, .. }
            | Self::Dropped { msg, .. }
            | Self::HandlerStarted { msg, .. }
            | Self::HandlerDone { msg, .. }
            | Self::Delivered { delivery: Delivery { msg, .. }, .. }
            | Self::Arrived { delivery: Delivery { msg, .. }, .. }
            | Self::Missed { delivery: Delivery { msg, .. }, .. }
            | Self::WorkStarted { delivery: Delivery { msg, .. }, .. }
            | Self::WorkDone { delivery: Delivery { msg, .. }, .. }
            | Self::LeftOff { delivery: Delivery { msg, .. }, .. }
            | Self::Answered { delivery: Delivery { msg, .. }, .. }
            | Self::Recorded { delivery: Delivery { msg, .. }, .. }
            | Self::Confirmed { delivery: Delivery { msg, .. }, .. }
            | Self::Expired { delivery: Delivery { msg, .. } }
            | Self::DelayOver { delivery: Delivery { msg, .. } }
            | Self::DeadlineMoved { delivery: Delivery { msg, .. }, .. }
            | Self::Exhausted { delivery: Delivery { msg, .. }, .. } => Some(msg),
            _ => None,
        }
    }
}

/// What an answer of a worker says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reply {
    /// Done.
    Ack,
    /// Give it to somebody at once.
    Nak,
    /// Give it to somebody after this long (R75).
    NakDelay(Dur),
    /// Never again (R78).
    Term,
    /// Still at it (R71).
    InProgress,
    /// A payload the server does not know (R47).
    Unknown,
}

/// What an answer did at the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// The message is settled.
    Settled,
    /// It is queued to be delivered again at once.
    Queued,
    /// It is delivered again when this moment has passed.
    DelayedUntil(Time),
    /// Its stopwatch was set back and runs out at this moment.
    Extended(Time),
    /// It was too late or came twice: nothing changed (R45).
    Nothing,
}

/// Why a message is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// For the first time.
    New,
    /// Its stopwatch ran out (R68).
    Expired,
    /// It was nak'd (R74).
    Nak,
    /// The delay of its nak is over (R75).
    NakDelay,
    /// The server restarted and reloaded its deadline (R101).
    Restart,
}

/// Why a publish was not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// `maximum messages exceeded` (R22).
    MaxMsgs,
    /// `maximum bytes exceeded` (R22).
    MaxBytes,
    /// `maximum messages per subject exceeded` (R23).
    MaxMsgsPerSubject,
    /// No stream captures the subject (R15).
    NoStream,
    /// The server was away and the client does not reconnect (R11).
    Disconnected,
    /// No PubAck in time. The message may be stored all the same (R12).
    Timeout,
    /// The client's buffer for the time without a server is full.
    BufferFull,
}

impl Refusal {
    /// Code, API error code and text as the server sends them; zero codes where the client says it.
    pub const fn text(self) -> (u16, u16, &'static str) {
        match self {
            Self::MaxMsgs => (503, 10077, "maximum messages exceeded"),
            Self::MaxBytes => (503, 10077, "maximum bytes exceeded"),
            Self::MaxMsgsPerSubject => (503, 10077, "maximum messages per subject exceeded"),
            Self::NoStream => (503, 0, "no responders"),
            Self::Disconnected => (0, 0, "connection closed"),
            Self::Timeout => (0, 0, "timeout"),
            Self::BufferFull => (0, 0, "outbound buffer limit exceeded"),
        }
    }
}

/// How a pull ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// 404 `No Messages` (R52).
    NoMessages,
    /// 408 `Request Timeout` (R51).
    Timeout,
    /// 408 `Requests Pending` (R54).
    RequestsPending,
    /// 409 `Exceeded MaxWaiting` (R55).
    MaxWaiting,
    /// 409 `Message Size Exceeds MaxBytes` (R56).
    MaxBytes,
    /// 409 `Consumer Deleted` (R61).
    ConsumerDeleted,
    /// 503, no such consumer (R61).
    NoResponders,
    /// The connection closed.
    Disconnected,
}

impl Status {
    /// Code and description as the server sends them; 0 for [`Status::Disconnected`].
    pub const fn text(self) -> (u16, &'static str) {
        match self {
            Self::NoMessages => (404, "No Messages"),
            Self::Timeout => (408, "Request Timeout"),
            Self::RequestsPending => (408, "Requests Pending"),
            Self::MaxWaiting => (409, "Exceeded MaxWaiting"),
            Self::MaxBytes => (409, "Message Size Exceeds MaxBytes"),
            Self::ConsumerDeleted => (409, "Consumer Deleted"),
            Self::NoResponders => (503, ""),
            Self::Disconnected => (0, "connection closed"),
        }
    }
}

/// Kinds of advisory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Advisory {
    /// `MAX_DELIVERIES` (R88).
    MaxDeliver,
    /// `MSG_TERMINATED` (R49).
    Terminated,
    /// `MSG_TERMINATED` of a message removed while in flight (R25).
    TerminatedByRemoval,
    /// `MSG_NAKED` (R49).
    Nak,
}

impl Advisory {
    /// The subject it is published on.
    pub fn subject(self, stream: &str, consumer: &str) -> String {
        let kind = match self {
            Self::MaxDeliver => "MAX_DELIVERIES",
            Self::Terminated | Self::TerminatedByRemoval => "MSG_TERMINATED",
            Self::Nak => "MSG_NAKED",
        };
        format!("$JS.EVENT.ADVISORY.CONSUMER.{kind}.{stream}.{consumer}")
    }
}

/// Why a message left its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Removal {
    /// Settled, under work-queue or interest retention (R27, R29).
    Settled,
    /// `max_msgs` or `max_bytes` (R21).
    Limit,
    /// `max_msgs_per_subject` (R23).
    SubjectLimit,
    /// `max_age` (R24).
    Age,
    /// Deleted by a call.
    Deleted,
    /// Purged by a call.
    Purged,
    /// The last consumer that wanted it was deleted (R110).
    NoInterest,
}

/// Why a subscriber did not get its copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Drop {
    /// Its buffer is full: slow consumer (R9).
    BufferFull,
    /// Its connection closed with the message on the way or in the buffer (R5).
    Disconnected,
    /// The server closed the connection of a slow consumer (R8).
    SlowConsumer,
    /// Lost on the way, by chance.
    Loss,
    /// Its handler was at work on it when its connection closed (R5).
    Unfinished,
}

/// An event and its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Record {
    /// When it happened.
    pub at: Time,
    /// What happened.
    pub event: Event,
}

/// What a client is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClientKind {
    /// It publishes.
    Publisher,
    /// It pulls, handles and answers.
    Worker,
    /// It has a subscription of Core NATS.
    Subscriber,
    /// It turns advisories into dead letters.
    Handler,
}

/// A client of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: ClientKind,
    /// For a worker, the consumer it pulls from.
    pub consumer: Option<ConsumerId>,
}

/// A consumer of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsumerName {
    /// The stream it reads.
    pub stream: StreamId,
    /// Its name.
    pub name: String,
}

/// A message of a run: where it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Message {
    /// A step of the timeline published it, or asked a request with it.
    Published {
        /// The place of the step in [`Scenario::timeline`].
        step: u32,
        /// Its place among the messages of that step, from 1.
        n: u32,
    },
    /// The server published it as an advisory that somebody listens to (R88).
    Advisory {
        /// What it reports.
        advisory: Advisory,
        /// The consumer.
        consumer: ConsumerId,
        /// The message it is about.
        about: Msg,
        /// Its stream sequence.
        seq: u64,
        /// The deliveries it names.
        deliveries: u32,
    },
    /// A dead-letter handler copied it (R98).
    Copy {
        /// The original.
        of: Msg,
        /// The consumer on which the original ran out of deliveries.
        consumer: ConsumerId,
        /// The original's stream sequence.
        seq: u64,
    },
}

/// The answer to a scripted call.
#[derive(Clone, Debug, PartialEq)]
pub enum CallAnswer {
    /// A consumer exists now, with this effective configuration.
    ConsumerCreated(Box<ConsumerConfig>),
    /// A stream exists now, with this effective configuration.
    StreamCreated(Box<StreamConfig>),
    /// So many messages were purged.
    Purged(u64),
    /// The message, by its sequence.
    Message(Msg),
    /// A request was answered with this payload.
    Reply(String),
    /// Nobody subscribes to the subject of a request: status 503 (R7).
    NoResponders,
    /// A request got no answer in time.
    Timeout,
    /// To consumer info.
    Consumer(ConsumerInfo),
    /// To stream info.
    Stream(StreamInfo),
    /// The server refused the call.
    Failed(ApiError),
    /// It worked.
    Done,
}

/// Why a run did not reach its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cut {
    /// It made more events than a run may have.
    Events,
}

/// A finished run.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// What was run.
    pub scenario: Scenario,
    /// The streams by [`StreamId`].
    pub streams: Vec<String>,
    /// The consumers by [`ConsumerId`].
    pub consumers: Vec<ConsumerName>,
    /// The clients by [`ClientId`].
    pub clients: Vec<Client>,
    /// The messages by [`Msg`].
    pub messages: Vec<Message>,
    /// What happened, in order.
    pub records: Vec<Record>,
    /// The counters of each consumer whenever they changed, in order.
    pub infos: Vec<(Time, ConsumerId, ConsumerInfo)>,
    /// Answers to scripted calls.
    pub answers: Vec<CallAnswer>,
    /// The moment up to which it was run.
    pub end: Time,
    /// Set when the run was cut short of its end.
    pub cut: Option<Cut>,
}

impl Trace {
    /// The payload of a message, which is its label in figures; that of an advisory names what it is about.
    pub fn label(&self, msg: Msg) -> String {
        match self.messages.get(msg.0 as usize) {
            Some(Message::Published { step, n }) => match self.op(*step) {
                Some(Op::Publish(publish)) => numbered(&publish.data, *n),
                Some(Op::Request(request)) => request.data.clone(),
                _ => String::new(),
            },
            Some(Message::Advisory { about, .. }) => format!("advisory on {}", self.label(*about)),
            Some(Message::Copy { of, .. }) => self.label(*of),
            None => String::new(),
        }
    }

    /// The subject of a message.
    pub fn subject(&self, msg: Msg) -> String {
        match self.messages.get(msg.0 as usize) {
            Some(Message::Published { step, n }) => match self.op(*step) {
                Some(Op::Publish(publish)) => numbered(&publish.subject, *n),
                Some(Op::Request(request)) => request.subject.clone(),
                _ => String::new(),
            },
            Some(Message::Advisory { advisory, consumer, .. }) => {
                let consumer = &self.consumers[consumer.0 as usize];
                advisory.subject(&self.streams[consumer.stream.0 as usize], &consumer.name)
            }
            Some(Message::Copy { consumer, .. }) => {
                let consumer = &self.consumers[consumer.0 as usize];
                format!("dlq.{}.{}", self.streams[consumer.stream.0 as usize], consumer.name)
            }
            None => String::new(),
        }
    }

    fn op(&self, step: u32) -> Option<&Op> {
        self.scenario.timeline.get(step as usize).map(|step| &step.op)
    }

    /// How many records lie at or before `t`: the events that have happened by then.
    pub fn happened(&self, t: Time) -> usize {
        self.records.partition_point(|r| r.at <= t)
    }

    /// What `nats consumer info` would print at `t`; all zero before the consumer exists.
    pub fn consumer_info(&self, consumer: ConsumerId, t: Time) -> ConsumerInfo {
        let upto = self.infos.partition_point(|(at, ..)| *at <= t);
        self.infos[..upto]
            .iter()
            .rev()
            .find(|(_, id, _)| *id == consumer)
            .map(|(.., info)| *info)
            .unwrap_or_default()
    }

    /// A fingerprint of the records: equal on every platform for the same scenario.
    pub fn digest(&self) -> u64 {
        let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
        self.records.hash(&mut hasher);
        self.end.hash(&mut hasher);
        hasher.finish()
    }

    /// The version that was simulated.
    pub fn version(&self) -> Version {
        self.scenario.version
    }
}

/// FNV-1a, the same on 32 and 64 bits.
struct Fnv(u64);

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }
    fn write_isize(&mut self, n: isize) {
        self.write_u64(n as u64);
    }
}

/// Sees every event of a run as it happens, so that a long run can be tallied without being kept.
pub trait Observer {
    /// Whether the counters are wanted whenever they change; costs time.
    const WANTS_INFO: bool = false;
    /// An event.
    fn event(&mut self, at: Time, event: Event);
    /// A message that the next [`Event::Published`] is about.
    fn message(&mut self, _message: Message) {}
    /// New counters of a consumer.
    fn info(&mut self, _at: Time, _consumer: ConsumerId, _info: ConsumerInfo) {}
    /// The answer that the next [`Event::Replied`] is about.
    fn answer(&mut self, _answer: CallAnswer) {}
    /// Whether the run should be cut short because no more can be kept.
    fn is_full(&self) -> bool {
        false
    }
}

/// Two that see the same run.
impl<A: Observer, B: Observer> Observer for (A, B) {
    const WANTS_INFO: bool = A::WANTS_INFO || B::WANTS_INFO;
    fn event(&mut self, at: Time, event: Event) {
        self.0.event(at, event);
        self.1.event(at, event);
    }
    fn message(&mut self, message: Message) {
        self.0.message(message);
        self.1.message(message);
    }
    fn info(&mut self, at: Time, consumer: ConsumerId, info: ConsumerInfo) {
        self.0.info(at, consumer, info);
        self.1.info(at, consumer, info);
    }
    fn answer(&mut self, answer: CallAnswer) {
        self.0.answer(answer.clone());
        self.1.answer(answer);
    }
    fn is_full(&self) -> bool {
        self.0.is_full() || self.1.is_full()
    }
}
