//! What comes back to those who wait for it: the answer to a flush, to a request, to a publish and to an ack. Drawn where the
//! network takes so long that the way back can be seen.

use super::*;
use crate::tell::is_plain;
use delivery_sim::scenario::{Op, Publish};
use delivery_sim::trace::{CallAnswer, ClientKind, Message};

/// A hop that is shorter than this on the axis says nothing.
const SEEN: i32 = 150;

impl Artist<'_> {
    /// Where every call returns.
    pub(super) fn returns(&mut self, nums: &[String]) {
        if self.hop_length() < SEEN {
            return;
        }
        let trace = self.story.trace;
        for record in &trace.records {
            let (at, hop) = (record.at, self.hop());
            let left = at - hop;
            match record.event {
                Event::Published { msg, by } if is_plain(trace, msg) => {
                    let Some(lane) = self.lanes.client(by) else { continue };
                    self.returned(
                        (self.axis.along(at), lane.middle()),
                        Some(msg),
                        &["publish returns"],
                        Side::RightAbove,
                    );
                }
                Event::PubAcked { msg, by, stream, .. } => {
                    let lanes = (self.lanes.stream(stream), self.lanes.client(by));
                    let words = &["PubAck: publish returns", "PubAck"];
                    self.back(lanes, (left, at), "stored", Some(msg), &nums[msg.0 as usize], words);
                }
                Event::Confirmed { delivery, by } => {
                    let lanes = (self.lanes.consumer(delivery.consumer), self.lanes.client(by));
                    let msg = delivery.msg;
                    let words = &["double ack returns", "confirmed"];
                    self.back(lanes, (left, at), "acked", Some(msg), &nums[msg.0 as usize], words);
                }
                Event::Replied { step, answer } => {
                    let (name, msg, words): (_, _, &[&str]) = match &trace.scenario.timeline
                        [step as usize]
                        .op
                    {
                        Op::Flush(name) | Op::Publish(Publish { by: name, .. }) => {
                            (name, None, &["flush returns", "flush"])
                        }
                        Op::Request(asked) => {
                            let own = |message: &Message| matches!(message, Message::Published { step: of, .. } if *of == step);
                            let msg =
                                trace.messages.iter().position(own).map(|msg| Msg(msg as u32));
                            let words: &[&str] = match trace.answers.get(answer as usize) {
                                Some(CallAnswer::Reply(_)) => &["request returns", "reply"],
                                Some(CallAnswer::NoResponders) => &["no responders"],
                                _ => continue,
                            };
                            (&asked.by, msg, words)
                        }
                        _ => continue,
                    };
                    let own = |c: &delivery_sim::trace::Client| {
                        c.kind == ClientKind::Publisher && c.name == *name
                    };
                    let client = trace.clients.iter().position(own);
                    let client = client.and_then(|id| self.lanes.client(ClientId(id as u16)));
                    let text = msg.map_or("PONG", |msg| &nums[msg.0 as usize]);
                    // A reply comes from the handler that was done two hops before.
                    let done = left - hop;
                    let replied = |copy: &&crate::ways::Copy| {
                        Some(copy.msg) == msg && copy.done() == Some(done)
                    };
                    let handler = self
                        .ways
                        .copies
                        .iter()
                        .find(replied)
                        .and_then(|copy| self.lanes.client(copy.to));
                    let state = if words[0].starts_with('n') { "lost" } else { "inflight" };
                    let state = if msg.is_some() { state } else { "void" };
                    let server = self.lanes.server();
                    self.back((handler, server), (done, left), state, msg, text, &[]);
                    self.back((server, client), (left, at), state, msg, text, words);
                }
                _ => {}
            }
        }
    }

    /// An answer on its way between two lanes, and what returns with it.
    fn back(
        &mut self,
        lanes: (Option<Lane<'_>>, Option<Lane<'_>>),
        (left, at): (Time, Time),
        state: &'static str,
        msg: Option<Msg>,
        text: &str,
        words: &[&str],
    ) {
        let (Some(from), Some(to)) = lanes else { return };
        let down = to.from > from.from;
        let edge = |lane: Lane<'_>, far: bool| {
            if far { lane.to + 10 } else { lane.from.max(lane.middle() - lane.bar / 2) - 10 }
        };
        let from = (self.axis.along(left), edge(from, down));
        let to = (self.axis.along(at), edge(to, !down));
        let class = match state {
            "stored" => "flight stored",
            "acked" => "flight acked",
            "lost" => "flight lost",
            "void" => "flight void",
            _ => "flight inflight",
        };
        self.flight(class, msg, from, to);
        self.mover(
            if state == "void" { "stored" } else { state },
            msg,
            text,
            vec![Leg { from, to }],
        );
        self.returned(to, msg, words, Side::Right);
    }

    fn returned(&mut self, at: (i32, i32), msg: Option<Msg>, words: &[&str], best: Side) {
        let sides: &[Side] = if self.wide() {
            &[best, Side::RightAbove, Side::Above, Side::Left, Side::Below]
        } else {
            &[Side::Below, Side::Right, Side::LeftBelow, Side::Above]
        };
        let spot = Spot { at: self.at(at.0, at.1), away: 130, sides };
        self.labels.beside(FATE, spot, "note", msg, words);
    }
}
