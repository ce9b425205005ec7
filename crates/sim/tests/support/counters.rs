//! Sequences, floors and counters against the ledger.

use super::Check;
use super::ledger::{Ledger, Life};
use super::watch::Seen;
use delivery_sim::info::SeqPair;
use delivery_sim::scenario::{AckPolicy, Op, Version};
use delivery_sim::trace::CallAnswer;
use delivery_sim::{ConsumerInfo, Event, Time};
use std::collections::BTreeMap;

/// Remembers the last counters of each life.
#[derive(Default)]
pub(crate) struct Forward {
    last: BTreeMap<u16, ConsumerInfo>,
    streams: BTreeMap<String, (u64, u64)>,
}

impl Check for Forward {
    fn seen(&mut self, ledger: &Ledger<'_>, seen: &Seen) -> Result<(), String> {
        match seen {
            Seen::Info(_, consumer, info) => {
                let Some(life) = ledger.life(*consumer) else { return Ok(()) };
                let before = self.last.insert(consumer.0, *info).unwrap_or_default();
                for (what, was, is) in [
                    (
                        "delivered.consumer_seq",
                        before.delivered.consumer_seq,
                        info.delivered.consumer_seq,
                    ),
                    (
                        "delivered.stream_seq",
                        before.delivered.stream_seq,
                        info.delivered.stream_seq,
                    ),
                    (
                        "ack_floor.consumer_seq",
                        before.ack_floor.consumer_seq,
                        info.ack_floor.consumer_seq,
                    ),
                    (
                        "ack_floor.stream_seq",
                        before.ack_floor.stream_seq,
                        info.ack_floor.stream_seq,
                    ),
                ] {
                    if is < was {
                        return Err(format!(
                            "{}: {what} goes back from {was} to {is}",
                            life.kind()
                        ));
                    }
                }
                let (floor, delivered) = (info.ack_floor, info.delivered);
                if floor.consumer_seq > delivered.consumer_seq
                    || floor.stream_seq > delivered.stream_seq
                {
                    let kind = life.kind();
                    return Err(format!(
                        "{kind}: the floor {floor:?} is above what was delivered, {delivered:?}"
                    ));
                }
                Ok(())
            }
            Seen::Event(
                _,
                Event::ConsumerCreated { consumer } | Event::ConsumerDeleted { consumer, .. },
            ) => {
                self.last.remove(&consumer.0);
                Ok(())
            }
            Seen::Answer(CallAnswer::Stream(info)) => {
                let Some(Op::StreamInfo(name)) = ledger.next_call() else { return Ok(()) };
                let before = self
                    .streams
                    .insert(name.clone(), (info.first_seq, info.last_seq))
                    .unwrap_or_default();
                match info.first_seq < before.0 || info.last_seq < before.1 {
                    true => Err(format!("{info:?} goes back behind {before:?}")),
                    false => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }
}

/// Compares counters with the ledger at the end of every moment.
#[derive(Default)]
pub(crate) struct Counters;

fn compare(ledger: &Ledger<'_>, life: &Life, info: ConsumerInfo) -> Result<(), String> {
    let equal = |what: &str, is: u64, should: u64| match is == should {
        true => Ok(()),
        false => Err(format!("{what} is {is}, but the events imply {should}")),
    };
    equal("num_ack_pending", info.num_ack_pending, life.pending.len() as u64)?;
    equal("delivered.consumer_seq", info.delivered.consumer_seq, life.deliveries)?;
    let between = |what: &str, is: u64, low: u64, high: u64| match (low..=high).contains(&is) {
        true => Ok(()),
        false => Err(format!("{what} is {is}, but the events imply {low} to {high}")),
    };
    // What a start ahead of the stream passes over is counted until then (R64); what lies behind a change of the
    // filter may or may not have been looked at.
    let sure = life.unseen.len() as u64;
    let most = if life.ahead { u64::MAX } else { sure + life.unsure.len() as u64 };
    between("num_pending", info.num_pending, sure, most)?;
    // Before the first delivery it stands before the start; 2.10 reports what it last looked at (R31).
    if life.deliveries > 0 && ledger.version > Version::V2_10 {
        equal("delivered.stream_seq", info.delivered.stream_seq, life.highest)?;
    } else if info.delivered.stream_seq < life.highest {
        return Err(format!(
            "delivered.stream_seq is {}, below {}",
            info.delivered.stream_seq, life.highest
        ));
    }
    let records = life.records.len() as u64;
    let tried = life.tried.difference(&life.records).count() as u64;
    between("num_redelivered", info.num_redelivered, records, records + tried)
}

impl Check for Counters {
    fn seen(&mut self, ledger: &Ledger<'_>, seen: &Seen) -> Result<(), String> {
        let Seen::Answer(answer) = seen else { return Ok(()) };
        let (call, streams) = (ledger.next_call(), &ledger.run.trace.streams);
        let stream = |name: &String| {
            streams.iter().position(|s| s == name).and_then(|i| ledger.streams[i].as_ref())
        };
        match (answer, call) {
            (CallAnswer::Stream(info), Some(Op::StreamInfo(name))) => {
                let Some(stream) = stream(name) else {
                    return Err(format!("`{name}` does not exist"));
                };
                let first = stream.kept.keys().next().copied().unwrap_or(stream.last_seq + 1);
                let never = stream.last_seq == 0; // Then 0 as well as 1 is a first sequence to report.
                if info.messages != stream.kept.len() as u64
                    || info.last_seq != stream.last_seq
                    || (info.first_seq != first && !never)
                {
                    return Err(format!(
                        "{info:?}, but the events imply {} messages from {first} to {}",
                        stream.kept.len(),
                        stream.last_seq
                    ));
                }
                Ok(())
            }
            (CallAnswer::Message(msg), Some(Op::GetMessage(of))) => {
                match stream(&of.stream).and_then(|s| s.kept.get(&of.seq)) {
                    Some(kept) if kept.msg == *msg => Ok(()),
                    other => Err(format!("{} is {other:?}, not {msg:?}", of.seq)),
                }
            }
            (CallAnswer::Failed(error), Some(Op::GetMessage(of))) if error.err_code == 10037 => {
                match stream(&of.stream).and_then(|s| s.kept.get(&of.seq)) {
                    None => Ok(()),
                    Some(kept) => Err(format!("`{}`, but {kept:?} is kept", error.text)),
                }
            }
            _ => Ok(()),
        }
    }

    fn moment(&mut self, ledger: &Ledger<'_>, _now: Time) -> Result<(), String> {
        if ledger.blind {
            return Ok(());
        }
        for (i, life) in ledger.lives.iter().enumerate() {
            let info = ledger.infos[i];
            let name = &ledger.run.trace.consumers[i].name;
            let result = match life {
                Some(life) => compare(ledger, life, info),
                None if info == ConsumerInfo::default() => Ok(()),
                None => Err(format!("it does not exist, but has {info:?}")),
            };
            result.map_err(|text| {
                format!("{}: {text}", life.as_ref().map_or_else(|| name.clone(), Life::kind))
            })?;
        }
        Ok(())
    }
}

/// Where the floor is (R37).
#[derive(Default)]
pub(crate) struct Floors;

impl Check for Floors {
    fn moment(&mut self, ledger: &Ledger<'_>, _now: Time) -> Result<(), String> {
        if ledger.blind {
            return Ok(());
        }
        for (life, info) in ledger.lives.iter().zip(&ledger.infos) {
            let Some(life) = life.as_ref().filter(|life| !life.haunted) else { continue };
            let (floor, kind) = (info.ack_floor, life.kind());
            if let Some((seq, flight)) = life.pending.first_key_value()
                && floor.stream_seq >= *seq
            {
                return Err(format!("{kind}: the floor {floor:?} has passed {seq}: {flight:?}"));
            }
            // Up to 2.12 a message that max_deliver 1 ended keeps the floor down (R92); 2.10 shows another floor.
            let follows =
                life.config.ack_policy != AckPolicy::All && ledger.version > Version::V2_10;
            let held = life.spent.values().any(|spent| spent.ghost);
            let delivered = SeqPair { consumer_seq: life.deliveries, stream_seq: life.highest };
            if follows && life.emptied && !held && floor != delivered {
                return Err(format!(
                    "{kind}: all is settled, but the floor is {floor:?}, not {delivered:?}"
                ));
            }
        }
        Ok(())
    }
}
