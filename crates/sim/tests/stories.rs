//! Runs that tell a story, read as one would tell it.

use delivery_sim::scenario::{
    Behaviour, Chance, Consumer, ConsumerConfig, Match, Op, Publish, Scenario, Service, Step,
    StreamConfig, Version, WorkAct, WorkStep, Worker,
};
use delivery_sim::{Dur, Event, Time, Trace, run};

/// One stream, one consumer with this `ack_wait`, and `count` orders published at the start.
fn orders(ack_wait: Dur, count: u32) -> Scenario {
    Scenario {
        end: Time::ms(30_000),
        streams: vec![StreamConfig {
            name: "ORDERS".into(),
            subjects: vec!["orders.>".into()],
            ..StreamConfig::default()
        }],
        consumers: vec![Consumer {
            stream: "ORDERS".into(),
            config: ConsumerConfig {
                durable_name: "orders".into(),
                ack_wait,
                ..ConsumerConfig::default()
            },
            ..Consumer::default()
        }],
        timeline: vec![Step {
            at: Time::ZERO,
            op: Op::Publish(Publish {
                subject: "orders.new".into(),
                data: "order-{i}".into(),
                count,
                ..Publish::default()
            }),
        }],
        ..Scenario::default()
    }
}

fn worker(name: &str, start_ms: u64) -> Worker {
    Worker {
        name: name.into(),
        start: Time::ms(start_ms),
        expires: Dur::secs(20),
        ..Worker::default()
    }
}

/// The deliveries of a run: milliseconds, label, delivery number, to whom.
fn deliveries(trace: &Trace) -> Vec<(u64, String, u32, String)> {
    trace
        .records
        .iter()
        .filter_map(|record| match record.event {
            Event::Delivered { delivery, to, .. } => Some((
                record.at.as_ms(),
                trace.label(delivery.msg),
                delivery.attempt,
                trace.clients[to.0 as usize].name.clone(),
            )),
            _ => None,
        })
        .collect()
}

fn told(list: &[(u64, String, u32, String)]) -> Vec<String> {
    list.iter().map(|(at, msg, n, to)| format!("{at} {msg} #{n} {to}")).collect()
}

#[test]
fn a_worker_that_dies_leaves_its_message_locked_by_the_stopwatch() {
    for (ack_wait, second) in [(5, 8_000), (10, 10_001)] {
        let mut scenario = orders(Dur::secs(ack_wait), 2);
        let dies = vec![Behaviour {
            steps: vec![WorkStep {
                after: Dur::ms(600),
                act: WorkAct::Crash,
                ..WorkStep::default()
            }],
            ..Behaviour::default()
        }];
        scenario.workers = vec![
            Worker { behaviour: dies.clone(), ..worker("run 1", 0) },
            Worker { behaviour: dies, ..worker("run 2", 1_000) },
            Worker {
                service_time: Service::Fixed(Dur::ms(1_400)),
                max_messages: 1,
                ..worker("run 3", 8_000)
            },
        ];
        let trace = run(&scenario).unwrap();
        assert_eq!(
            told(&deliveries(&trace)),
            ["0 order-1 #1 run 1", "1000 order-2 #1 run 2", &format!("{second} order-1 #2 run 3")],
        );
    }
}

#[test]
fn what_is_down_for_a_while_fails_the_attempts_that_begin_meanwhile() {
    let mut scenario = orders(Dur::ZERO, 1);
    scenario.end = Time::ms(300_000);
    scenario.consumers[0].config.backoff = [1, 5, 30, 120].map(Dur::secs).to_vec();
    scenario.consumers[0].config.max_deliver = 5;
    for (down_until, attempts, handled) in [
        (0, 1, true),
        (1, 2, true),
        (6_100, 4, true),
        (36_000, 4, true),
        (156_000, 5, true),
        (156_100, 5, false),
    ] {
        scenario.workers = vec![Worker {
            behaviour: vec![Behaviour {
                on: Match { before: Some(Time::ms(down_until)), ..Match::default() },
                steps: vec![WorkStep {
                    after: Dur::ms(300),
                    act: WorkAct::None,
                    ..WorkStep::default()
                }],
            }],
            ..worker("A", 0)
        }];
        let trace = run(&scenario).unwrap();
        let given_up = trace.records.iter().find(|r| matches!(r.event, Event::Exhausted { .. }));
        let failed = trace.records.iter().filter(|r| matches!(r.event, Event::LeftOff { .. }));
        assert_eq!(failed.count(), attempts - usize::from(handled), "down until {down_until}");
        assert_eq!(deliveries(&trace).len(), attempts, "down until {down_until}");
        assert_eq!(given_up.is_none(), handled, "down until {down_until}");
        // It is given up when the last entry has passed, not with the last attempt.
        assert_eq!(given_up.map_or(276, |r| r.at.as_ms() / 1_000), 276);
    }
}

#[test]
fn a_batch_ages_in_the_buffer_of_its_worker() {
    let mut scenario = orders(Dur::secs(1), 10);
    let work = Service::Fixed(Dur::ms(200));
    let busy = Worker { batch: 10, service_time: work, ..worker("A", 50) };
    let idle = Worker { batch: 10, service_time: work, ..worker("B", 100) };
    scenario.workers = vec![busy.clone(), idle];
    let again = |scenario: &Scenario| -> Vec<String> {
        deliveries(&run(scenario).unwrap()).into_iter().filter(|d| d.2 > 1).map(|d| d.1).collect()
    };
    // A message comes back if its place times the work exceeds the stopwatch.
    assert_eq!(again(&scenario), ["order-6", "order-7", "order-8", "order-9", "order-10"]);
    // Alone, the busy worker asks again only when its batch is done: its late acks still count (R43).
    scenario.workers = vec![busy];
    assert_eq!(again(&scenario), [] as [String; 0]);
}

#[test]
fn an_ack_that_waits_to_be_confirmed_is_sent_again() {
    for (ack_timeout, expected) in [
        // A plain ack is not missed until the stopwatch says so.
        (0, vec!["0 order-1 #1 w", "500 order-2 #1 w", "1001 order-3 #1 w", "5001 order-2 #2 w"]),
        (1_000, vec!["0 order-1 #1 w", "501 order-2 #1 w", "2001 order-3 #1 w"]),
        // The second ack is late, but nobody has asked for the message meanwhile (R43).
        (5_000, vec!["0 order-1 #1 w", "501 order-2 #1 w", "6001 order-3 #1 w"]),
    ] {
        let mut scenario = orders(Dur::ms(4_500), 3);
        scenario.seed = 7; // With it, of five answers the second gets lost.
        scenario.workers = vec![Worker {
            service_time: Service::Fixed(Dur::ms(500)),
            lost_answer_chance: Chance(300_000),
            ack_timeout: Dur::ms(ack_timeout),
            ..worker("w", 0)
        }];
        assert_eq!(told(&deliveries(&run(&scenario).unwrap())), expected, "{ack_timeout}");
    }
}

#[test]
fn a_worker_that_died_is_started_again() {
    use delivery_sim::scenario::Subscriber;
    let mut scenario = orders(Dur::secs(2), 2);
    scenario.workers =
        vec![Worker { service_time: Service::Fixed(Dur::ms(600)), ..worker("w", 0) }];
    let back = Subscriber { name: "w".into(), ..Subscriber::default() };
    scenario.timeline.push(Step { at: Time::ms(300), op: Op::Kill("w".into()) });
    scenario.timeline.push(Step { at: Time::ms(1_000), op: Op::Subscribe(back) });
    let trace = run(&scenario).unwrap();
    assert_eq!(trace.clients.len(), 2, "a publisher and a worker");
    assert_eq!(
        told(&deliveries(&trace)),
        ["0 order-1 #1 w", "1000 order-2 #1 w", "2001 order-1 #2 w"]
    );
}

#[test]
fn the_same_scenario_gives_the_same_trace() {
    let mut scenario = orders(Dur::ms(300), 50);
    scenario.workers = vec![Worker {
        count: 4,
        service_time: Service::Exponential(Dur::ms(200)),
        ..worker("worker", 0)
    }];
    let (one, two) = (run(&scenario).unwrap(), run(&scenario).unwrap());
    assert_eq!(one, two);
    assert_eq!(one.digest(), two.digest());
    scenario.seed = 2;
    assert_ne!(one.digest(), run(&scenario).unwrap().digest());
}

#[test]
fn a_slow_subscriber_keeps_what_its_library_buffers() {
    use delivery_sim::scenario::{ClientLibrary, Subscriber, Via};
    let handled_of = |library: ClientLibrary, limit: u32| {
        let scenario = Scenario {
            end: Time::ms(60_000),
            subscribers: vec![Subscriber {
                subject: "news".into(),
                service_time: Service::Fixed(Dur::ms(1)),
                library,
                pending_msgs_limit: limit,
                ..Subscriber::default()
            }],
            timeline: vec![Step {
                at: Time::ms(10),
                op: Op::Publish(Publish {
                    subject: "news".into(),
                    count: 3_000,
                    via: Via::Core,
                    ..Publish::default()
                }),
            }],
            ..Scenario::default()
        };
        let trace = run(&scenario).unwrap();
        let is_done = |r: &&delivery_sim::Record| matches!(r.event, Event::HandlerDone { .. });
        trace.records.iter().filter(is_done).count()
    };
    for (library, limit, handled) in [
        (ClientLibrary::None, 0, 3_000),
        (ClientLibrary::DotNet, 0, 1_024),
        (ClientLibrary::DotNet, 10, 10),
        (ClientLibrary::Python, 0, 3_000),
        (ClientLibrary::Go, 100, 100),
    ] {
        assert_eq!(handled_of(library, limit), handled, "{library:?} {limit}");
    }
}

#[test]
fn a_flush_after_each_message_waits_for_the_server_and_for_nobody_else() {
    for (flush, moments) in [(false, ["0", "0", "0"]), (true, ["0", "400", "800"])] {
        let mut scenario = Scenario { end: Time::ms(100), ..Scenario::default() };
        let publish = Publish {
            subject: "orders.new".into(),
            count: 3,
            via: delivery_sim::scenario::Via::Core,
            flush,
            ..Publish::default()
        };
        scenario.timeline = vec![Step { at: Time::ZERO, op: Op::Publish(publish) }];
        let trace = run(&scenario).unwrap();
        let sent: Vec<String> = trace
            .records
            .iter()
            .filter(|record| matches!(record.event, Event::Published { .. }))
            .map(|record| (record.at.0 / 1_000).to_string())
            .collect();
        let returned =
            trace.records.iter().filter(|r| matches!(r.event, Event::Replied { .. })).count();
        assert_eq!((sent, returned), (moments.map(str::to_owned).to_vec(), 3 * usize::from(flush)));
    }
}

#[test]
fn a_request_is_answered_when_a_handler_is_done() {
    use delivery_sim::scenario::{Request, Subscriber};
    use delivery_sim::trace::{CallAnswer, Drop};
    let reply = || CallAnswer::Reply("sent".into());
    for (stop_ms, timeout_ms, moment, answer, dropped) in [
        (0, 1_000, 600, reply(), None),
        // The reply would come too late; the process dies at work; it leaves when the reply is on its way.
        (0, 500, 500, CallAnswer::Timeout, None),
        (300, 1_000, 1_000, CallAnswer::Timeout, Some(300)),
        (450, 1_000, 600, reply(), None),
    ] {
        let request = Request {
            subject: "mails.new".into(),
            timeout: Dur::ms(timeout_ms),
            ..Request::default()
        };
        let mailer = Subscriber {
            service_time: Service::Fixed(Dur::ms(200)),
            reply_with: "sent".into(),
            stop: Time::ms(stop_ms),
            ..Subscriber::default()
        };
        let scenario = Scenario {
            end: Time::ms(2_000),
            network_delay: Dur::ms(100),
            subscribers: vec![mailer],
            timeline: vec![Step { at: Time::ms(0), op: Op::Request(request) }],
            ..Scenario::default()
        };
        // It subscribes in the same moment, and is at the server before the request.
        let trace = run(&scenario).unwrap();
        let replied = trace.records.iter().find_map(|record| match record.event {
            Event::Replied { answer, .. } => Some((record.at.as_ms(), answer)),
            _ => None,
        });
        assert_eq!(replied, Some((moment, 0)));
        assert_eq!(trace.answers, [answer]);
        let lost = trace.records.iter().find_map(|record| match record.event {
            Event::Dropped { why: Drop::Unfinished, .. } => Some(record.at.as_ms()),
            _ => None,
        });
        assert_eq!(lost, dropped);
    }
}

#[test]
fn one_permitted_delivery_that_is_given_back_is_no_redelivery() {
    for (version, counted) in [(Version::V2_11, 0), (Version::V2_12, 0), (Version::V2_15, 0)] {
        let mut scenario = Scenario { version, ..orders(Dur::secs(3), 1) };
        scenario.consumers[0].config.max_deliver = 1;
        let nak = WorkStep { act: WorkAct::Nak, ..WorkStep::default() };
        let behaviour = vec![Behaviour { steps: vec![nak], ..Behaviour::default() }];
        scenario.workers = vec![Worker { behaviour, ..worker("A", 0) }];
        let trace = run(&scenario).unwrap();
        let info = trace.consumer_info(delivery_sim::trace::ConsumerId(0), trace.end);
        assert_eq!((info.num_redelivered, info.num_ack_pending), (counted, 0), "{version:?}");
    }
}

#[test]
fn without_its_id_a_message_is_stored_twice() {
    for (without_id, seqs) in
        [(false, vec![(1, false), (1, true)]), (true, vec![(1, false), (2, false)])]
    {
        let mut scenario = orders(Dur::secs(5), 2);
        let Op::Publish(publish) = &mut scenario.timeline[0].op else { unreachable!() };
        publish.msg_id = "order-1".into();
        publish.without_id = without_id;
        let acks: Vec<(u64, bool)> = run(&scenario)
            .unwrap()
            .records
            .iter()
            .filter_map(|record| match record.event {
                Event::PubAcked { seq, duplicate, .. } => Some((seq, duplicate)),
                _ => None,
            })
            .collect();
        assert_eq!(acks, seqs);
    }
}
