//! What a run amounts to: counts, effects, latencies, idle time, and how every message ended.

mod histogram;
mod outcome;
mod payloads;
mod slots;
mod tally;

pub use histogram::{Histogram, Quantiles};
pub use outcome::{Fate, Outcome, outcomes};
pub use payloads::{ByPayload, Payloads};
pub use slots::{Hold, Turn, slots};
pub use tally::Tally;

use crate::scenario::Scenario;
use crate::time::{Dur, Time};
use crate::trace::{ClientId, Cut, Drop, Refusal, Removal, Trace};

/// A run in numbers.
///
/// A run that was only tallied and the fold of the same run, kept, give equal reports.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Report {
    /// The moment up to which the run was counted: its end, or its last event where it was cut short.
    pub until: Time,
    /// Set when the run was cut short of its end.
    pub cut: Option<Cut>,
    /// The user's messages: what steps of the timeline published.
    pub messages: Traffic,
    /// Advisories that somebody listened to (R88).
    pub advisories: Traffic,
    /// Copies that dead-letter handlers published (R98).
    pub copies: Traffic,
    /// By [`ConsumerId`](crate::trace::ConsumerId).
    pub consumers: Vec<ConsumerReport>,
    /// The workers that work on their own; those that are scripted have no work.
    pub workers: Vec<WorkerReport>,
}

/// What became of messages of one kind on their way into streams and to subscribers of Core NATS.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Handed to a connection; for advisories: sent by the server.
    pub published: u64,
    /// Kept by a stream (R13).
    pub stored: u64,
    /// Given a sequence and not kept, as no consumer wanted them (R29).
    pub not_kept: u64,
    /// Known by their id (R16).
    pub deduplicated: u64,
    /// Refused by a stream, by cause (R22, R23).
    pub refused: Refused,
    /// Wanted by no stream and no subscription (R2, R6, R15).
    pub unheard: u64,
    /// Never sent: the publisher was told at once that it has no connection, or that its buffer is full (R11).
    pub unsent: u64,
    /// Publishes whose PubAck did not come in time; the message may be stored all the same (R12).
    pub timed_out: u64,
    /// Gone from their stream, by cause.
    pub removed: Removed,
    /// Copies sent to subscribers of Core NATS (R1).
    pub routed: u64,
    /// Copies that arrived in a subscriber's buffer.
    pub received: u64,
    /// Copies that a subscriber's handler is done with.
    pub handled: u64,
    /// Copies lost, by cause.
    pub dropped: Dropped,
}

/// Messages that a stream refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Refused {
    /// Too many messages (R22).
    pub max_msgs: u64,
    /// Too many bytes (R22).
    pub max_bytes: u64,
    /// Too many of the subject (R23).
    pub max_msgs_per_subject: u64,
}

impl Refused {
    /// All of them.
    pub const fn total(&self) -> u64 {
        self.max_msgs + self.max_bytes + self.max_msgs_per_subject
    }

    fn count(&mut self, why: Refusal) {
        match why {
            Refusal::MaxMsgs => self.max_msgs += 1,
            Refusal::MaxBytes => self.max_bytes += 1,
            Refusal::MaxMsgsPerSubject => self.max_msgs_per_subject += 1,
            // A publisher says these, not a stream.
            Refusal::NoStream | Refusal::Disconnected | Refusal::Timeout | Refusal::BufferFull => {}
        }
    }
}

/// Messages that left their stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Removed {
    /// Settled, under work-queue or interest retention (R27, R29).
    pub settled: u64,
    /// By `max_msgs` or `max_bytes` (R21).
    pub limit: u64,
    /// By `max_msgs_per_subject` (R23).
    pub subject_limit: u64,
    /// By `max_age` (R24).
    pub age: u64,
    /// Deleted by a call.
    pub deleted: u64,
    /// Purged by a call.
    pub purged: u64,
    /// Their last consumer was deleted (R110).
    pub no_interest: u64,
}

impl Removed {
    /// All of them.
    pub const fn total(&self) -> u64 {
        self.settled
            + self.limit
            + self.subject_limit
            + self.age
            + self.deleted
            + self.purged
            + self.no_interest
    }

    fn count(&mut self, why: Removal) {
        *match why {
            Removal::Settled => &mut self.settled,
            Removal::Limit => &mut self.limit,
            Removal::SubjectLimit => &mut self.subject_limit,
            Removal::Age => &mut self.age,
            Removal::Deleted => &mut self.deleted,
            Removal::Purged => &mut self.purged,
            Removal::NoInterest => &mut self.no_interest,
        } += 1;
    }
}

/// Copies that did not reach a subscriber's handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Dropped {
    /// The subscriber's buffer was full: client-side slow consumer (R9).
    pub buffer_full: u64,
    /// Its connection closed with the copy on the way, in the buffer or at work (R5).
    pub disconnected: u64,
    /// The server closed the connection of a slow consumer (R8).
    pub slow_consumer: u64,
    /// Lost on the way, by chance.
    pub loss: u64,
}

impl Dropped {
    /// All of them.
    pub const fn total(&self) -> u64 {
        self.buffer_full + self.disconnected + self.slow_consumer + self.loss
    }

    fn count(&mut self, why: Drop) {
        *match why {
            Drop::BufferFull => &mut self.buffer_full,
            Drop::Disconnected | Drop::Unfinished => &mut self.disconnected,
            Drop::SlowConsumer => &mut self.slow_consumer,
            Drop::Loss => &mut self.loss,
        } += 1;
    }
}

/// A consumer in numbers.
///
/// Of the messages delivered each is counted in exactly one of `settled`, `terminated`, `exhausted_advised`,
/// `exhausted_silent`, `removed_in_flight`, `deleted_in_flight` and `in_flight`, as long as the consumer was not deleted
/// and made again.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ConsumerReport {
    /// Deliveries made, repeats included (R31).
    pub deliveries: u64,
    /// Messages delivered at least once.
    pub messages: u64,
    /// Messages delivered twice or more.
    pub again: u64,
    /// Messages acked; with ack policy `none` all that were delivered (R40).
    pub settled: u64,
    /// Messages ended by a term (R78).
    pub terminated: u64,
    /// Messages that ran out of deliveries with an advisory (R84, R85).
    pub exhausted_advised: u64,
    /// Messages that ran out of deliveries without one (R96).
    pub exhausted_silent: u64,
    /// Messages that left the stream while in flight (R25).
    pub removed_in_flight: u64,
    /// Messages in flight when the consumer was deleted.
    pub deleted_in_flight: u64,
    /// Messages in flight at the end.
    pub in_flight: u64,
    /// Most messages in flight at one moment.
    pub peak_in_flight: u64,
    /// Mean of the messages in flight over the time that the consumer existed, in thousandths.
    pub mean_in_flight: u64,
    /// Works completed, those included that came too late or found the effect committed.
    pub handled: u64,
    /// Works completed in a second of simulated time, in thousandths, over the whole run.
    pub throughput: u64,
    /// When work began for the first time.
    pub first_started: Option<Time>,
    /// When work was completed for the last time.
    pub last_done: Option<Time>,
    /// Messages completed for the first time when one with a higher stream sequence was already: order was not kept.
    pub out_of_order: u64,
    /// Side effects of its workers.
    pub effects: Effects,
    /// From the publish to the first completed work. Only messages stored while the consumer existed count.
    pub to_done: Quantiles,
    /// From the publish to the ack at the server. Only messages stored while the consumer existed count.
    pub to_settled: Quantiles,
}

/// Messages of the user by how often their side effect was committed for one consumer.
///
/// A message counts once it cannot be worked on any more: when the consumer is done with it (settled, terminated,
/// exhausted, removed) and no client holds it. Until then it is not decided: a message that is pending or in flight at
/// the end is neither lost nor doubled. Messages that only scripted clients got are not counted, because
/// scripted clients have no work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Effects {
    /// Never: lost, unless it was ended on purpose.
    pub never: u64,
    /// Once.
    pub once: u64,
    /// Twice or more.
    pub again: u64,
    /// Not for this message, because it was found there: the same payload had been handled in another message.
    pub found: u64,
    /// Not decided yet: pending or in flight at the end, or still held by a client.
    pub undecided: u64,
}

/// A worker in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerReport {
    /// The worker.
    pub client: ClientId,
    /// Works completed.
    pub handled: u64,
    /// Time from the beginning of a work to its last commit or answer, or to the moment that interrupted it.
    pub busy: Dur,
    /// The rest of the time between its start and its end; the time without a server counts as well.
    pub idle: Dur,
}

impl Report {
    /// Folds a kept run through the same [`Tally`] that a run can be tallied with as it goes.
    pub fn of(trace: &Trace) -> Self {
        Tally::of(trace).finish(trace.end, trace.cut)
    }

    /// The effects of all consumers together.
    pub fn effects(&self) -> Effects {
        self.consumers.iter().fold(Effects::default(), |sum, c| Effects {
            never: sum.never + c.effects.never,
            once: sum.once + c.effects.once,
            again: sum.again + c.effects.again,
            found: sum.found + c.effects.found,
            undecided: sum.undecided + c.effects.undecided,
        })
    }
}

/// Runs a scenario to its end and only counts: memory grows with what is in flight, not with the run.
///
/// # Errors
/// What is wrong with the scenario, a sentence each.
pub fn tally(scenario: &Scenario) -> Result<Report, Vec<String>> {
    let mut tally = Tally::new(scenario)?;
    let cut = crate::run_with(scenario, &mut tally)?;
    Ok(tally.finish(scenario.end, cut))
}

/// As [`tally`], and by payload as well, which takes memory for every message.
///
/// # Errors
/// What is wrong with the scenario, a sentence each.
pub fn tally_payloads(scenario: &Scenario) -> Result<(Report, Payloads), Vec<String>> {
    let mut both = (Tally::new(scenario)?, ByPayload::new(scenario));
    let cut = crate::run_with(scenario, &mut both)?;
    Ok((both.0.finish(scenario.end, cut), both.1.finish()))
}
