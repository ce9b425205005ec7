//! Where a message is at a moment, in a sentence or, with several consumers, one for each.

use crate::say::Say;
use crate::story::{Life, Over, Story, WorkEnd};
use crate::words::Span;
use delivery_sim::trace::{ClientId, Event, Msg, Reply, StreamId};
use delivery_sim::{Time, Trace};

/// Where `msg` is at `t`: on its way, stored, out with whom and for how long, or how it ended.
pub(crate) fn place(story: &Story<'_>, msg: Msg, t: Time) -> Vec<Span> {
    let trace = story.trace;
    let mut say = Say::default();
    let of = |life: &&Life| life.sent <= t && life.next_sent.is_none_or(|next| next > t);
    let mut out = false;
    for life in story.of_msg(msg).filter(of) {
        out = true;
        if trace.consumers.len() > 1 {
            let name = &trace.consumers[usize::from(life.delivery.consumer.0)].name;
            say.start("for ").text(name).text(": ");
            delivered(trace, life, t, &mut say);
        } else {
            say.start("");
            delivered(trace, life, t, &mut say);
        }
    }
    if !out {
        not_delivered(trace, msg, t, &mut say);
    }
    say.end()
}

fn client(trace: &Trace, client: ClientId) -> &str {
    trace.clients.get(usize::from(client.0)).map_or("", |client| client.name.as_str())
}

/// How the last delivery sent up to `t` stands.
fn delivered(trace: &Trace, life: &Life, t: Time, say: &mut Say) {
    let past = |at: Option<Time>| at.filter(|at| *at <= t);
    let who = client(trace, life.to);
    let number = ["delivery ", &life.delivery.attempt.to_string()].concat();
    let state = if life.again() { "again" } else { "inflight" };
    if let Some((at, reply, _)) = life.settled.filter(|(at, ..)| *at <= t) {
        let (state, word) = match reply {
            Reply::Term => ("dead", "given up by a term"),
            _ => ("acked", "acknowledged"),
        };
        say.text("It is ").state(state, word).text(" since ").text(&at.to_string()).text(".");
        return;
    }
    if let Some(at) = past(life.exhausted) {
        say.text("Its deliveries are used up since ").text(&at.to_string());
        say.text(": it is ").state("dead", "never delivered again").text(".");
        return;
    }
    match life.over.filter(|(at, _)| *at <= t) {
        Some((_, Over::Removed)) => {
            say.text("It left its stream, and is not delivered again.");
            return;
        }
        Some((at, over)) if over != Over::Settled => {
            if let Some(until) = life.delayed_until.filter(|until| *until > t) {
                say.text("It was given back and waits for its delay to be over, at ");
                say.text(&until.to_string()).text(".");
                return;
            }
            say.text("It waits on the server to be ").state("again", "delivered again");
            say.text(", since ").text(&at.to_string()).text(".");
            return;
        }
        _ => {}
    }
    say.text("It is ").state(state, "in flight").text(", ").text(&number);
    let began = past(life.started).is_some();
    let ended = life.work_end.filter(|(at, _)| *at <= t);
    let parts: [&str; 3] = match ended {
        _ if past(life.missed).is_some() => [": it never reached ", who, ""],
        Some((_, WorkEnd::Done)) => [": ", who, " has done its work"],
        Some((_, WorkEnd::Answered)) => [": ", who, " has answered"],
        Some((_, WorkEnd::Died)) => [": ", who, " died over it, which the server does not know"],
        Some(_) => [": ", who, " left it unanswered"],
        None if past(life.lost_in_buffer).is_some() => {
            [": it was lost with the buffer of ", who, ", which the server does not know"]
        }
        None if began => [": ", who, " works on it"],
        None if past(life.arrived).is_some() => [": it waits in the buffer of ", who, ""],
        None => [": it is on its way to ", who, ""],
    };
    say.text(&parts.concat());
    let watch = life.watch.iter().rev().find(|watch| watch.from <= t);
    match watch {
        Some(watch) if watch.until < Time::NEVER => {
            say.text(". Its stopwatch runs out at ").text(&watch.until.to_string()).text(".");
        }
        _ => {
            say.text(". No answer is expected.");
        }
    }
}

/// Where it is while no consumer has sent it.
fn not_delivered(trace: &Trace, msg: Msg, t: Time, say: &mut Say) {
    let upto = trace.records.partition_point(|record| record.at <= t);
    let who = |id| client(trace, id);
    let stream = |id: StreamId| trace.streams.get(usize::from(id.0)).map_or("", String::as_str);
    // The last thing that happened to it: state, who, what, where.
    let last = trace.records[..upto]
        .iter()
        .rev()
        .filter(|record| record.event.msg() == Some(msg))
        .find_map(|record| {
            let (state, parts): (&'static str, [&str; 3]) = match record.event {
                Event::Published { by, .. } => ("", ["", "It is on its way from ", who(by)]),
                Event::Stored { stream: id, .. } => {
                    ("stored", ["", "It waits to be asked for, stored in ", stream(id)])
                }
                Event::NotKept { .. } => {
                    ("lost", ["", "It was not kept: no consumer wants it", ""])
                }
                Event::Deduplicated { .. } => {
                    ("stored", ["", "It is not stored a second time: its id is known", ""])
                }
                Event::Refused { stream: id, .. } => {
                    ("lost", ["", "It is refused by ", stream(id)])
                }
                Event::Unheard { .. } => ("lost", ["", "It is lost: nobody listened", ""]),
                Event::Routed { to, .. } => ("inflight", ["", "It is on its way to ", who(to)]),
                Event::Received { by, .. } => {
                    ("inflight", ["", "It waits in the buffer of ", who(by)])
                }
                Event::Dropped { by, .. } => ("lost", ["", "It is lost at ", who(by)]),
                Event::HandlerStarted { by, .. } => ("inflight", [who(by), " works on it", ""]),
                Event::HandlerDone { by, .. } => ("acked", [who(by), " is done with it", ""]),
                Event::Removed { stream: id, .. } => ("lost", ["", "It has left ", stream(id)]),
                _ => return None,
            };
            Some((state, parts.concat(), record.at))
        });
    match last {
        None => say.start("it has not been sent yet."),
        Some((state, what, at)) => {
            say.start("").state(state, &what).text(", since ").text(&at.to_string()).text(".")
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::told::Told;
    use std::sync::Arc;

    #[test]
    fn a_message_is_somewhere_at_every_moment() {
        let told = Told::new(Arc::new(fixture::crash_redelivery()));
        for (msg, ms, sentence) in [
            (1, 0, "It is on its way from publisher, since T+0.0 s."),
            (2, 500, "It waits to be asked for, stored in ORDERS, since T+0.0 s."),
            (
                1,
                300,
                "It is in flight, delivery 1: run 1 works on it. Its stopwatch runs out at T+5.0 s.",
            ),
            (
                1,
                4_000,
                "It is in flight, delivery 1: run 1 died over it, which the server does not know. Its stopwatch runs out at T+5.0 s.",
            ),
            (1, 7_000, "It waits on the server to be delivered again, since T+5.0 s."),
            (
                1,
                9_000,
                "It is in flight, delivery 2: run 3 works on it. Its stopwatch runs out at T+13.0 s.",
            ),
            (1, 11_000, "It is acknowledged since T+9.4 s."),
            (9, 11_000, "It has not been sent yet."),
        ] {
            let said: String =
                told.place(Msg(msg - 1), Time::ms(ms)).into_iter().map(|span| span.text).collect();
            assert_eq!(said, sentence, "order-{msg} at {ms} ms");
        }
    }
}
