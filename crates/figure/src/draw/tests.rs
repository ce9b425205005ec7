//! Lanes by what a reader sees on them: places of marks along the axis against the events of the run.

use super::*;
use crate::fixture::scene;
use crate::lanes::{Lanes, Whose};
use crate::scene::Text;
use crate::story::Lives;
use delivery_sim::Trace;
use delivery_sim::trace::{Drop, Message, StreamId};

const LAYOUTS: [Layout; 2] = [Layout::Wide, Layout::Tall];

/// A run with its picture and its lanes, for questions about them.
struct Seen<'a> {
    trace: &'a Trace,
    scene: Scene,
    slant: i32,
    lanes: Lanes<'a>,
}

impl<'a> Seen<'a> {
    fn new(trace: &'a Trace, layout: Layout) -> Self {
        Self::within(trace, layout, Window::whole(trace.end))
    }

    fn within(trace: &'a Trace, layout: Layout, window: Window) -> Self {
        // It lives as long as the lanes that borrow from it: until the test ends.
        let lives = Box::leak(Box::new(Lives::new(trace)));
        let story = Story::new(trace, lives);
        let scene = draw(&story, layout, window);
        let slant = slant(&story, scene.axis);
        let ways = Ways::new(trace);
        let (from, to) = if layout == Layout::Wide { (300, None) } else { (640, Some(3_470)) };
        let lanes = Lanes::new(&story, &ways, scene.axis, layout, slant, from, to);
        Self { trace, scene, slant, lanes }
    }

    fn along(&self, p: Point) -> i32 {
        if self.scene.layout == Layout::Wide { p.x } else { p.y }
    }

    fn across(&self, p: Point) -> i32 {
        if self.scene.layout == Layout::Wide { p.y } else { p.x }
    }

    fn points(shape: &Shape) -> Vec<Point> {
        match shape {
            Shape::Line(points) | Shape::Area(points) => points.clone(),
            Shape::Rect(a, b, _) => vec![*a, *b],
        }
    }

    /// First and last place along the axis of each mark of a class and a message (from 0), in order.
    fn spans(&self, class: &str, msg: u32) -> Vec<(i32, i32)> {
        let mine = |mark: &&Mark| mark.class == class && mark.msg == Some(msg);
        let span = |mark: &Mark| {
            let all = Self::points(&mark.shape).into_iter().map(|p| self.along(p));
            (all.clone().min().unwrap(), all.max().unwrap())
        };
        let mut spans: Vec<(i32, i32)> = self.scene.marks.iter().filter(mine).map(span).collect();
        spans.sort_unstable();
        spans
    }

    fn count(&self, class: &str) -> usize {
        self.scene.marks.iter().filter(|mark| mark.class == class).count()
    }

    /// What is written for a message on a lane.
    fn on(&self, whose: Whose, msg: u32) -> Vec<&str> {
        let lane = self.lanes.of(whose).unwrap();
        let here = |text: &&Text| {
            text.msg == Some(msg)
                && (lane.from - 60..=lane.to + 120).contains(&self.across(text.at))
        };
        self.scene.texts.iter().filter(here).map(|text| text.text.as_str()).collect()
    }

    fn says(&self, text: &str) -> bool {
        self.scene.texts.iter().any(|t| t.text == text)
    }

    /// Where the first event that `wanted` picks is on the axis.
    fn at(&self, wanted: impl Fn(&Event) -> bool) -> i32 {
        self.scene.axis.along(self.trace.records.iter().find(|r| wanted(&r.event)).unwrap().at)
    }
}

#[test]
fn a_message_has_its_place_on_the_shelf_as_long_as_it_is_stored() {
    let trace = scene("work-queue");
    for layout in LAYOUTS {
        let seen = Seen::new(&trace, layout);
        for record in &trace.records {
            let Event::Stored { msg, .. } = record.event else { continue };
            let mut spans: Vec<(i32, i32)> = ["stored", "inflight", "acked"]
                .iter()
                .flat_map(|state| seen.spans(&["kept ", state].concat(), msg.0))
                .collect();
            spans.sort_unstable();
            let gone = seen.at(|e| matches!(e, Event::Removed { msg: m, .. } if *m == msg));
            let until = spans.last().map_or(0, |s| s.1);
            // Of what is gone at once only the number and the sign are seen.
            if spans.is_empty() {
                assert_eq!(msg, Msg(5));
                continue;
            }
            assert!(
                (until - gone - seen.slant).abs() < 200,
                "{msg:?} {layout:?}: {spans:?} {gone}"
            );
            // One state after another, without a hole.
            assert!(spans.windows(2).all(|w| w[0].1 == w[1].0), "{msg:?}: {spans:?}");
        }
        for word in ["limit", "max_age", "deleted", "purged"] {
            let said = seen.scene.texts.iter().any(|t| t.text.contains(word));
            assert!(said || layout == Layout::Tall, "{word}");
        }
        // Acked messages leave by a stroke, lost ones by a cross.
        assert!(!seen.spans("gone acked", 0).is_empty());
        assert!(seen.spans("gone acked", 1).is_empty() && !seen.spans("cross", 1).is_empty());
    }
}

#[test]
fn the_shelf_shows_states_in_order() {
    let trace = scene("effects-twice");
    for layout in LAYOUTS {
        let seen = Seen::new(&trace, layout);
        let sent = |n| {
            seen.at(|e| matches!(e, Event::Delivered { delivery, .. } if (delivery.msg.0, delivery.attempt) == n))
        };
        let recorded = seen.at(
            |e| matches!(e, Event::Recorded { delivery, .. } if delivery.msg.0 == 0 && delivery.attempt == 2),
        );
        let again = seen.spans("kept again", 0);
        assert_eq!(again, [(sent((0, 2)) + seen.slant, recorded + seen.slant)]);
        assert_eq!(seen.spans("kept inflight", 0).last().map(|s| s.1), Some(again[0].0));
        assert_eq!(seen.spans("kept acked", 0), [(again[0].1, seen.scene.axis.to)]);
        assert!(seen.spans("kept again", 1).is_empty());
    }
}

#[test]
fn a_message_that_nobody_hears_ends_at_the_server() {
    let trace = scene("core-loss");
    for layout in LAYOUTS {
        let seen = Seen::new(&trace, layout);
        for msg in 0..6 {
            let unheard = trace.records.iter().any(|r| r.event == Event::Unheard { msg: Msg(msg) });
            assert_eq!(unheard, msg == 0 || msg == 5);
            assert_eq!(!seen.spans("flight lost", msg).is_empty(), unheard, "{msg}");
            assert_eq!(!seen.spans("cross", msg).is_empty(), unheard, "{msg}");
            assert_eq!(seen.spans("work inflight done", msg).is_empty(), unheard, "{msg}");
        }
        assert!(seen.says("nobody listens"));
        // Each is there from its subscription to its end.
        let mut there: Vec<(i32, i32)> = seen
            .scene
            .marks
            .iter()
            .filter(|mark| mark.class == "alive")
            .map(|mark| {
                let points = Seen::points(&mark.shape);
                (seen.along(points[0]), seen.along(points[1]))
            })
            .filter(|(from, to)| to > from)
            .collect();
        there.sort_unstable();
        let axis = seen.scene.axis;
        let moments = [(500, 3_700), (2_500, 4_500)];
        let wanted = moments.map(|(a, b)| (axis.along(Time::ms(a)), axis.along(Time::ms(b))));
        assert_eq!(there, wanted);
    }
}

#[test]
fn where_the_network_is_slow_calls_are_seen_to_return() {
    let trace = scene("slow-network");
    for layout in LAYOUTS {
        let seen = Seen::new(&trace, layout);
        let axis = seen.scene.axis;
        let along = |ms| axis.along(Time::ms(ms));
        // An arrow from one moment to another; its line and its head are two marks.
        let flies = |state: &str, msg, from, to| {
            let spans = seen.spans(&["flight ", state].concat(), msg);
            let near = |a: i32, b: i32| (a - b).abs() < 45;
            spans.iter().any(|s| near(s.0, along(from)))
                && spans.iter().any(|s| near(s.1, along(to)))
        };
        // The request, its copy, and the reply in two hops; the answer to the flush belongs to no message.
        assert!(flies("stored", 0, 0, 100) && flies("inflight", 0, 100, 200));
        assert!(flies("inflight", 0, 400, 500) && flies("inflight", 0, 500, 600));
        assert_eq!(seen.count("flight void"), 2);
        // The publish and its PubAck; the ack and its confirmation.
        assert!(flies("stored", 1, 900, 1_000) && flies("stored", 1, 1_000, 1_100));
        assert!(flies("acked", 1, 1_300, 1_400) && flies("acked", 1, 1_400, 1_500));
        for words in ["publish returns", "flush returns", "request returns", "double ack returns"] {
            assert!(seen.says(words), "{words} {layout:?}");
        }
        assert!(seen.says("PubAck: publish returns") || seen.says("PubAck"));
        assert!(seen.says("no responders"));
        // B dies at work, and its bar ends there.
        assert_eq!(seen.spans("work inflight died", 1), [(along(1_100), along(1_500))]);
        assert!(seen.spans("buffer inflight", 0).is_empty(), "nothing waits at the server");
    }
    // Where a hop is not to be seen, nothing of it is drawn.
    let near = scene("core-loss");
    assert_eq!(Seen::new(&near, Layout::Wide).count("flight void"), 0);
}

#[test]
fn a_subscribers_buffer_fills_and_what_is_dropped_has_its_mark() {
    let trace = scene("slow-consumer");
    for layout in LAYOUTS {
        let seen = Seen::new(&trace, layout);
        let dropped: Vec<u32> = trace
            .records
            .iter()
            .filter_map(|r| match r.event {
                Event::Dropped { msg, why: Drop::BufferFull, .. } => Some(msg.0),
                _ => None,
            })
            .collect();
        assert!(dropped.len() >= 5, "{dropped:?}");
        let mut waits = 0;
        for msg in 0..14 {
            let lost = dropped.contains(&msg);
            assert_eq!(seen.spans("cross", msg).len(), if lost { 2 } else { 0 }, "{msg}");
            assert_eq!(seen.spans("work inflight done", msg).len(), usize::from(!lost), "{msg}");
            if let [(from, until)] = seen.spans("buffer inflight", msg)[..] {
                waits += 1;
                let starts =
                    seen.at(|e| matches!(e, Event::HandlerStarted { msg: m, .. } if m.0 == msg));
                assert!(from < until && until == starts, "{msg}: {until} {starts}");
            }
        }
        assert!(waits >= 5, "{waits}");
        assert_eq!(seen.count("limit"), 1);
        assert!(seen.says("dropped: buffer full") || layout == Layout::Tall);
    }
}

#[test]
fn a_server_closes_the_connection_of_a_client_that_does_not_read() {
    let trace = scene("server-side-slow");
    for layout in LAYOUTS {
        let seen = Seen::new(&trace, layout);
        let dropped: Vec<u32> = trace
            .records
            .iter()
            .filter_map(|r| match r.event {
                Event::Dropped { msg, why: Drop::SlowConsumer, .. } => Some(msg.0),
                _ => None,
            })
            .collect();
        assert_eq!(dropped.len(), 2);
        // They wait at the server until then.
        let cut = seen.at(|e| matches!(e, Event::Dropped { .. }));
        let first = seen.spans("buffer inflight", dropped[0]);
        assert_eq!(first.iter().map(|s| s.1).collect::<Vec<_>>(), [cut]);
        assert!(dropped.iter().all(|msg| !seen.spans("cross", *msg).is_empty()));
        assert!(seen.says("slow consumer: closed"));
        assert_eq!(seen.count("deaf"), 1);
    }
}

#[test]
fn what_is_published_without_a_server_waits_in_its_clients_buffer() {
    let trace = scene("disconnect-buffer");
    for layout in LAYOUTS {
        let seen = Seen::new(&trace, layout);
        let back = seen.scene.axis.along(Time::ms(5_000));
        for msg in 0..10 {
            let sent = seen.at(|e| matches!(e, Event::Published { msg: m, .. } if m.0 == msg));
            let failed = trace
                .records
                .iter()
                .any(|r| matches!(r.event, Event::PubFailed { msg: m, .. } if m.0 == msg));
            let waits = (3..6).contains(&msg);
            assert_eq!(failed, msg == 6 || msg == 7, "{msg}");
            let spans = seen.spans("buffer stored", msg);
            assert_eq!(spans, if waits { vec![(sent, back)] } else { vec![] }, "{msg}");
            if waits {
                assert_eq!(seen.spans("flight stored", msg)[0].0, back, "{msg}");
            }
            assert_eq!(!seen.spans("chip lost", msg).is_empty(), failed, "{msg}");
            assert_eq!(!seen.spans("cross", msg).is_empty(), failed, "{msg}");
        }
        assert!(seen.says("buffer full: lost") || seen.says("buffer full"));
    }
}

#[test]
fn an_effect_that_is_there_twice_is_seen() {
    let trace = scene("effects-twice");
    for layout in LAYOUTS {
        let seen = Seen::new(&trace, layout);
        let done = |n| {
            seen.at(|e| matches!(e, Event::WorkDone { delivery, .. } if (delivery.msg.0, delivery.attempt) == n))
        };
        let middle = |class: &str, msg| {
            let span = seen.spans(class, msg)[0];
            if layout == Layout::Wide { span.0 + DISC } else { i32::midpoint(span.0, span.1) }
        };
        assert_eq!(middle("chip acked", 0), done((0, 1)) + seen.slant);
        assert_eq!(middle("chip acked", 1), done((1, 1)) + seen.slant);
        assert_eq!(middle("chip again twice", 0), done((0, 2)) + seen.slant);
        assert_eq!(seen.count("chip again twice"), seen.spans("chip again twice", 0).len());
        assert!(seen.says("done twice"));
        let lane = Whose::Effects(ConsumerId(0));
        assert!(layout == Layout::Tall || seen.on(lane, 0).contains(&"1 ×2"));
    }
}

#[test]
fn a_dead_letter_keeps_the_number_of_its_message() {
    let trace = scene("dead-letters");
    for layout in LAYOUTS {
        let seen = Seen::new(&trace, layout);
        let poison = 1;
        // Nothing is marked as an advisory or a copy, all of it as the message it is about.
        let own = |msg: &u32| matches!(trace.messages[*msg as usize], Message::Published { .. });
        assert!(seen.scene.marks.iter().filter_map(|m| m.msg).all(|m| own(&m)));
        assert!(seen.scene.texts.iter().filter_map(|t| t.msg).all(|m| own(&m)));
        assert!(seen.scene.movers.iter().filter_map(|m| m.msg).all(|m| own(&m)));
        // In the order of its way: orders, advisories, dead letters; and on each under its number.
        let place = |name: &str| {
            seen.lanes.list.iter().position(|l| l.name == name && l.kind == "stream").unwrap()
        };
        assert!(place("ORDERS") < place("ADVISORIES") && place("ADVISORIES") < place("DLQ"));
        for name in ["ORDERS", "ADVISORIES", "DLQ"] {
            let on = seen.on(seen.lanes.list[place(name)].whose, poison);
            assert!(on.contains(&"2"), "{name} {layout:?}: {on:?}");
        }
        // Advisory and dead letter travel; the original is dead, then deleted.
        assert!(seen.spans("flight dead", poison).len() >= 4, "an arrow is a line and a head");
        assert_eq!(seen.spans("gone dead", poison).len(), 1);
        assert!(!seen.spans("kept dead", poison).is_empty());
        assert!(seen.says("deleted") && seen.says("given up"));
        // Each further attempt says which it is.
        assert!(["×2", "×3"].iter().all(|n| {
            seen.scene.texts.iter().any(|t| t.msg == Some(poison) && t.text.contains(n))
        }));
        // The steps that take no time lie side by side.
        let advised = seen.at(|e| matches!(e, Event::Advised { .. }));
        let mut begins: Vec<i32> = seen
            .spans("flight dead", poison)
            .iter()
            .map(|s| s.0)
            .filter(|a| *a >= advised)
            .collect();
        begins.dedup();
        assert!(begins.windows(2).any(|w| w[1] - w[0] >= seen.slant), "{begins:?}");
    }
}

#[test]
fn an_advisory_goes_from_its_consumer_to_whoever_hears_it() {
    let trace = scene("advisory-heard");
    for layout in LAYOUTS {
        let seen = Seen::new(&trace, layout);
        let consumer = seen.lanes.consumer(ConsumerId(0)).unwrap();
        for msg in [1, 2] {
            // From the near edge of the consumer's lane up to the server, where the copy for the subscriber begins.
            let line = seen.scene.marks.iter().find_map(|mark| match &mark.shape {
                Shape::Line(points) if mark.class == "flight dead" && mark.msg == Some(msg) => {
                    let (a, b) = (seen.across(points[0]), seen.across(points[1]));
                    (a < consumer.from && b < a).then(|| seen.along(points[0]))
                }
                _ => None,
            });
            let advised = seen.at(|e| matches!(e, Event::Advised { msg: m, .. } if m.0 == msg));
            assert_eq!(line, Some(advised), "{msg} {layout:?}");
            assert!(!seen.spans("work inflight done", msg).is_empty());
        }
        assert!(seen.spans("flight dead", 0).is_empty(), "nothing is wrong with the first");
    }
}

#[test]
fn every_stopwatch_in_flight_is_drawn() {
    for name in ["dead-letters", "effects-twice", "many-lanes", "work-queue"] {
        let trace = scene(name);
        let lives = Lives::new(&trace);
        let story = Story::new(&trace, &lives);
        for layout in LAYOUTS {
            let seen = Seen::new(&trace, layout);
            assert_eq!(seen.lanes.hidden, 0, "{name}");
            for (i, life) in story.lives.iter().enumerate() {
                // A handler's is over at once and has no lane where there is no room.
                let handled = story.trace.clients[usize::from(life.to.0)].kind
                    == delivery_sim::trace::ClientKind::Handler;
                assert!(seen.lanes.watch_row[i].is_some() || handled, "{name} {layout:?}: {i}");
            }
        }
    }
}

#[test]
fn lanes_lie_apart_and_inside() {
    for name in [
        "core-loss",
        "slow-consumer",
        "server-side-slow",
        "disconnect-buffer",
        "advisory-heard",
        "effects-twice",
        "dead-letters",
        "work-queue",
        "many-lanes",
    ] {
        let trace = scene(name);
        for layout in LAYOUTS {
            let seen = Seen::new(&trace, layout);
            let list = &seen.lanes.list;
            assert!(list.windows(2).all(|w| w[0].to < w[1].from), "{name} {layout:?}");
            if layout == Layout::Tall {
                assert!(list.len() <= 8, "{name}: {}", list.len());
                assert!(list.last().unwrap().to <= 3_600, "{name}");
            }
            // Clients that share a lane have a part of it each.
            for (id, _) in trace.clients.iter().enumerate() {
                let Some(lane) = seen.lanes.client(ClientId(id as u16)) else { continue };
                assert!(lane.bar >= 60, "{name} {layout:?}: {} is {} wide", lane.name, lane.bar);
            }
        }
    }
}

#[test]
fn one_lane_for_each_effect_of_a_consumer_and_none_without_work() {
    for (name, effects) in [("core-loss", 0), ("effects-twice", 1), ("many-lanes", 2)] {
        let trace = scene(name);
        let seen = Seen::new(&trace, Layout::Wide);
        let is = |l: &&Lane<'_>| matches!(l.whose, Whose::Effects(_));
        assert_eq!(seen.lanes.list.iter().filter(is).count(), effects, "{name}");
    }
    // What emails did for a message is not what shipping did.
    let trace = scene("many-lanes");
    assert_eq!(Seen::new(&trace, Layout::Wide).count("chip again twice"), 0);
}

#[test]
fn a_window_shows_what_is_there_then_and_nothing_else() {
    // Name, window, and how many marks of a class it has in both layouts; an arrow is two.
    for (name, (from, to), class, expected) in [
        ("dead-letters", (0, 3_000), "flight dead", 0),
        ("dead-letters", (3_000, 6_000), "flight dead", 4),
        ("dead-letters", (3_000, 6_000), "kept again", 1),
        ("dead-letters", (6_000, 8_400), "kept again", 0),
        ("dead-letters", (6_000, 8_400), "kept dead", 1),
        ("effects-twice", (0, 2_000), "chip acked", 2),
        ("effects-twice", (2_000, 4_000), "chip acked", 0),
        ("effects-twice", (2_000, 4_000), "commit again", 0),
        ("effects-twice", (4_000, 5_600), "commit again", 1),
        ("slow-consumer", (0, 1_500), "work inflight done", 4),
        ("slow-consumer", (3_001, 4_200), "flight inflight", 0),
        ("slow-consumer", (3_001, 4_200), "cross", 0),
        ("disconnect-buffer", (0, 1_900), "buffer stored", 0),
        ("disconnect-buffer", (2_100, 4_000), "buffer stored", 3),
        ("disconnect-buffer", (5_200, 5_600), "buffer stored", 0),
    ] {
        let trace = scene(name);
        let window = Window { from: Time::ms(from), to: Time::ms(to) };
        for layout in LAYOUTS {
            let seen = Seen::within(&trace, layout, window);
            assert_eq!(seen.count(class), expected, "{name} {layout:?} {from} to {to}: {class}");
        }
    }
}

#[test]
fn lanes_stay_and_what_is_stored_before_a_window_has_its_number_in_it() {
    let trace = scene("dead-letters");
    let window = Window { from: Time::ms(3_000), to: Time::ms(6_000) };
    for layout in LAYOUTS {
        let (whole, seen) = (Seen::new(&trace, layout), Seen::within(&trace, layout, window));
        let owners = |seen: &Seen<'_>| seen.lanes.list.iter().map(|l| l.whose).collect::<Vec<_>>();
        assert_eq!(owners(&whole), owners(&seen));
        for msg in 0..3 {
            let num = (msg + 1).to_string();
            assert!(
                seen.on(Whose::Stream(StreamId(0)), msg).contains(&num.as_str()),
                "{layout:?}: {num}"
            );
        }
        let end = |seen: &Seen<'_>| seen.says("3 stored at the end");
        assert_eq!((end(&whole), end(&seen)), (layout == Layout::Wide, false));
    }
}
