//! Time, causality, causes and caps.

use super::Check;
use super::ledger::{Ledger, Queued};
use super::watch::{Run, Seen};
use delivery_sim::scenario::AckPolicy;
use delivery_sim::trace::{Cause, ClientId, Delivery, Effect, Reply};
use delivery_sim::{Event, Time};
use std::collections::{BTreeMap, VecDeque};

/// Deliveries and answers on their way.
#[derive(Default)]
pub(crate) struct Order {
    now: Time,
    /// What is on its way to each client.
    to_clients: BTreeMap<ClientId, VecDeque<(Time, Delivery)>>,
    /// What each client has got and not lost.
    held: Vec<(ClientId, Delivery)>,
    /// Answers on their way to the server; some get lost.
    to_server: Vec<(Time, Delivery, Reply)>,
    /// Deliveries settled by an answer to a later one, or by a removal, in this moment.
    removed: Vec<u64>,
}

/// Takes the first entry that fits out of a list.
fn take<T>(list: &mut Vec<T>, fits: impl Fn(&T) -> bool) -> bool {
    match list.iter().position(fits) {
        Some(at) => {
            list.remove(at);
            true
        }
        None => false,
    }
}

impl Check for Order {
    fn seen(&mut self, ledger: &Ledger<'_>, seen: &Seen) -> Result<(), String> {
        if let Some(at) = seen.at() {
            if at < self.now {
                return Err(format!("time goes back from {:?} to {at:?}", self.now));
            }
            if at > ledger.run.trace.end {
                return Err(format!("{at:?} is after the end"));
            }
            if at > self.now {
                self.removed.clear();
            }
            self.now = at;
        }
        let Seen::Event(at, event) = seen else { return Ok(()) };
        let delay = ledger.run.trace.scenario.network_delay;
        match *event {
            Event::Delivered { delivery, to, consumer_seq, .. } => {
                let Some(life) = ledger.life(delivery.consumer) else { return Ok(()) };
                if consumer_seq != life.deliveries + 1 {
                    return Err(format!(
                        "consumer sequence {consumer_seq} follows {}",
                        life.deliveries
                    ));
                }
                let before = life.pending.get(&delivery.seq).map_or(0, |flight| flight.attempt);
                // One found again at a restart (R107) after max_deliver was raised has a record of its own.
                if delivery.attempt != before + 1 && !(life.haunted && delivery.attempt > before) {
                    return Err(format!("attempt {} follows {before}", delivery.attempt));
                }
                self.to_clients.entry(to).or_default().push_back((*at, delivery));
                Ok(())
            }
            Event::Arrived { delivery, at: client } => {
                let next = self.to_clients.entry(client).or_default().pop_front();
                match next {
                    Some((sent, other)) if other == delivery && sent + delay == *at => {
                        self.held.push((client, delivery));
                        Ok(())
                    }
                    other => Err(format!("it arrives, but on its way is {other:?}")),
                }
            }
            Event::Missed { delivery, by } => {
                if take(&mut self.held, |(client, other)| (*client, *other) == (by, delivery)) {
                    return Ok(());
                }
                match self.to_clients.entry(by).or_default().pop_front() {
                    Some((_, other)) if other == delivery => Ok(()),
                    other => Err(format!("it is missed, but on its way is {other:?}")),
                }
            }
            Event::Answered { delivery, reply, .. } => {
                self.to_server.push((*at, delivery, reply));
                Ok(())
            }
            Event::Removed { seq, .. } => {
                self.removed.push(seq);
                Ok(())
            }
            Event::Recorded { delivery, reply, effect } => {
                let fits = |(sent, other, said): &(Time, Delivery, Reply)| {
                    (*other, *said) == (delivery, reply) && *sent + delay == *at
                };
                let of_all = ledger
                    .life(delivery.consumer)
                    .is_some_and(|l| l.config.ack_policy == AckPolicy::All);
                // One ack settles all up to it (R41), also those whose own ack is on its way.
                let acks_all = of_all && effect == Effect::Settled;
                let by_removal = reply == Reply::Term
                    && effect == Effect::Settled
                    && self.removed.contains(&delivery.seq);
                let sent = match of_all || by_removal {
                    true => self.to_server.iter().any(fits),
                    false => take(&mut self.to_server, fits),
                };
                if !sent && !by_removal && !acks_all {
                    return Err("it is recorded, but nobody sent it".into());
                }
                let pending = ledger
                    .life(delivery.consumer)
                    .is_some_and(|life| life.pending.contains_key(&delivery.seq));
                if effect != Effect::Nothing && !pending && !acks_all {
                    return Err("it takes effect, but the message is not in flight".into());
                }
                if effect == Effect::Nothing
                    && pending
                    && reply != Reply::Unknown
                    && !matches!(
                        ledger.life(delivery.consumer).map(|l| l.config.ack_policy),
                        Some(AckPolicy::All)
                    )
                {
                    return Err("it has no effect, but the message is in flight".into());
                }
                if let Effect::Extended(t) | Effect::DelayedUntil(t) = effect
                    && t < *at
                {
                    return Err(format!("its new deadline {t:?} has passed"));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn end(&mut self, ledger: &Ledger<'_>, run: &Run, complete: bool) -> Result<(), String> {
        let delay = ledger.run.trace.scenario.network_delay;
        for (sent, delivery) in self.to_clients.values().flatten() {
            if complete && *sent + delay <= run.trace.end {
                return Err(format!(
                    "{delivery:?}, sent at {sent:?}, neither arrived nor was missed"
                ));
            }
        }
        Ok(())
    }
}

/// Compares the cause of each delivery with the event that put the message into the queue.
#[derive(Default)]
pub(crate) struct Causes;

impl Check for Causes {
    fn seen(&mut self, ledger: &Ledger<'_>, seen: &Seen) -> Result<(), String> {
        let Seen::Event(_, Event::Delivered { delivery, cause, .. }) = seen else { return Ok(()) };
        if (delivery.attempt == 1) != (*cause == Cause::New) {
            return Err(format!("attempt {} has the cause {cause:?}", delivery.attempt));
        }
        if *cause == Cause::New {
            return Ok(());
        }
        let flight =
            ledger.life(delivery.consumer).and_then(|life| life.pending.get(&delivery.seq));
        let Some(flight) = flight else { return Err("it was not in flight".into()) };
        let implied = match (flight.queued, flight.restarted) {
            (None, _) => return Err("nothing says why it is delivered again".into()),
            (Some(Queued::Nak), _) => Cause::Nak,
            (Some(_), true) => Cause::Restart,
            (Some(Queued::Expired), false) => Cause::Expired,
            (Some(Queued::DelayOver), false) => Cause::NakDelay,
        };
        match implied == *cause {
            true => Ok(()),
            false => Err(format!("its cause is {cause:?}, but the events say {implied:?}")),
        }
    }
}

/// Caps of a consumer.
#[derive(Default)]
pub(crate) struct Caps;

impl Check for Caps {
    fn seen(&mut self, ledger: &Ledger<'_>, seen: &Seen) -> Result<(), String> {
        let Seen::Event(_, Event::Delivered { delivery, cause, .. }) = seen else { return Ok(()) };
        let Some(life) = ledger.life(delivery.consumer) else { return Ok(()) };
        let cap = life.config.effective_max_ack_pending();
        if *cause == Cause::New && cap.is_some_and(|cap| life.pending.len() as u64 >= cap) {
            return Err(format!(
                "{}: {} are in flight, the cap is {cap:?}",
                life.kind(),
                life.pending.len()
            ));
        }
        if life.max_deliver().is_some_and(|max| delivery.attempt > max) {
            return Err(format!(
                "attempt {}, but max_deliver is {}",
                delivery.attempt, life.config.max_deliver
            ));
        }
        Ok(())
    }
}

/// New messages in order.
#[derive(Default)]
pub(crate) struct NewInOrder;

impl Check for NewInOrder {
    fn seen(&mut self, ledger: &Ledger<'_>, seen: &Seen) -> Result<(), String> {
        let Seen::Event(_, Event::Delivered { delivery, cause: Cause::New, .. }) = seen else {
            return Ok(());
        };
        let Some(life) = ledger.life(delivery.consumer) else { return Ok(()) };
        if let Some((seq, flight)) = life.pending.iter().find(|(_, flight)| flight.queued.is_some())
        {
            return Err(format!(
                "{}: redeliveries go first (R58), but {seq} waits: {flight:?}",
                life.kind()
            ));
        }
        if !life.wants(&ledger.subject(delivery.msg)) {
            return Err(format!("{}: its filter does not match", life.kind()));
        }
        let next = life.unseen.first().copied();
        match next == Some(delivery.seq)
            || (life.unsure.contains(&delivery.seq) && next.is_none_or(|next| delivery.seq < next))
        {
            true => Ok(()),
            false => {
                Err(format!("{}: {} goes out, but the next is {next:?}", life.kind(), delivery.seq))
            }
        }
    }
}
