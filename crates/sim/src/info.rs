//! The counters that `nats consumer info` and `nats stream info` print.

/// A pair of sequences: of the consumer's deliveries, and of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct SeqPair {
    /// Consumer sequence: counts deliveries (R31).
    pub consumer_seq: u64,
    /// Stream sequence.
    pub stream_seq: u64,
}

/// The state of a consumer as the server reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct ConsumerInfo {
    /// Last Delivered Message (R31).
    pub delivered: SeqPair,
    /// Acknowledgment Floor, as reported (R37, R90–R92).
    pub ack_floor: SeqPair,
    /// Unprocessed Messages: matching and never delivered (R32).
    pub num_pending: u64,
    /// Outstanding Acks: in flight, delayed or waiting to be delivered again (R33).
    pub num_ack_pending: u64,
    /// Redelivered Messages: distinct messages with a redelivery record (R34).
    pub num_redelivered: u64,
    /// Waiting Pulls (R55).
    pub num_waiting: u64,
}

/// The state of a stream as the server reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct StreamInfo {
    /// Messages kept.
    pub messages: u64,
    /// Their bytes, as a file store counts them: subject, headers, payload and what each record adds.
    pub bytes: u64,
    /// Sequence of the first kept message; after the last one if none is kept.
    pub first_seq: u64,
    /// Sequence given last.
    pub last_seq: u64,
}
