//! Causes, outcomes, effects and slots of small runs, as rows of data.

use delivery_sim::report::{ByPayload, Effects, Hold, Outcome, Payloads};
use delivery_sim::scenario::{
    AckPolicy, Answer, AnswerAct, Behaviour, Chance, Consumer, ConsumerConfig, ConsumerRef,
    CreateConsumer, DeadLetterHandler, Discard, KnownBy, MessageRef, Op, Publish, Publisher, Pull,
    Purge, Retention, Scenario, Service, Step, StreamConfig, Subscriber, Via, WorkAct, WorkStep,
    Worker,
};
use delivery_sim::trace::{ClientId, ConsumerId, Delivery, Event, Msg};
use delivery_sim::{
    Causes, Dur, Observer, Report, Tally, Time, Trace, outcomes, run, run_with, slots, tally,
    tally_payloads, why,
};

// --- scenarios --------------------------------------------------------------------------------

fn ms(n: u64) -> Dur {
    Dur::ms(n)
}

fn at(n: u64, op: Op) -> Step {
    Step { at: Time::ms(n), op }
}

fn publish(count: u32) -> Op {
    Op::Publish(Publish {
        subject: "orders.new".into(),
        data: "order-{i}".into(),
        count,
        ..Publish::default()
    })
}

/// One stream, one consumer with a stopwatch of one second, `count` orders at the start and these workers.
fn shop(count: u32, workers: Vec<Worker>) -> Scenario {
    Scenario {
        end: Time::ms(10_000),
        streams: vec![StreamConfig {
            name: "ORDERS".into(),
            subjects: vec!["orders.>".into()],
            ..StreamConfig::default()
        }],
        consumers: vec![Consumer {
            stream: "ORDERS".into(),
            config: ConsumerConfig {
                durable_name: "orders".into(),
                ack_wait: Dur::secs(1),
                ..ConsumerConfig::default()
            },
            ..Consumer::default()
        }],
        workers,
        timeline: vec![at(0, publish(count))],
        ..Scenario::default()
    }
}

/// A worker that takes so long for each message.
fn worker(name: &str, start: u64, work: u64) -> Worker {
    Worker {
        name: name.into(),
        start: Time::ms(start),
        expires: Dur::secs(20),
        service_time: Service::Fixed(ms(work)),
        ..Worker::default()
    }
}

fn step(after: u64, act: WorkAct) -> WorkStep {
    WorkStep { after: ms(after), act, ..WorkStep::default() }
}

/// A worker that does these steps with each first delivery, and acks others at once.
fn does(name: &str, steps: Vec<WorkStep>) -> Worker {
    let mut first = Behaviour { steps, ..Behaviour::default() };
    first.on.attempt = vec![1];
    Worker { behaviour: vec![first], ..worker(name, 50, 100) }
}

fn with(mut scenario: Scenario, change: impl FnOnce(&mut Scenario)) -> Scenario {
    change(&mut scenario);
    scenario
}

/// Two workers: the first does these steps, the second has a pull open.
fn pair(steps: Vec<WorkStep>) -> Scenario {
    shop(1, vec![does("A", steps), worker("B", 100, 100)])
}

fn scripted(steps: Vec<Step>) -> Scenario {
    let pull = |n, worker: &str| {
        at(
            n,
            Op::Pull(Pull { worker: worker.into(), consumer: "orders".into(), ..Pull::default() }),
        )
    };
    with(shop(1, Vec::new()), |s| {
        s.timeline.extend([pull(100, "hand"), pull(200, "other")]);
        s.timeline.extend(steps);
    })
}

fn answer(worker: &str, attempt: u32, act: AnswerAct) -> Op {
    Op::Answer(Answer { worker: worker.into(), seq: 1, attempt, act, ..Answer::default() })
}

/// Redeliveries of a run with their sentences.
fn told(trace: &Trace) -> Vec<String> {
    Causes::of(trace)
        .redeliveries()
        .map(|(delivery, _, why)| {
            format!(
                "{} #{} {why}: {}",
                trace.label(delivery.msg),
                delivery.attempt,
                why.sentence(trace)
            )
        })
        .collect()
}

/// The fates of a run's messages.
fn fates(trace: &Trace) -> Vec<String> {
    let told = |fate: &delivery_sim::report::Fate| {
        let consumer = fate.consumer.map(|id| trace.consumers[usize::from(id.0)].name.as_str());
        let on = consumer.map(|name| format!(" on {name}")).unwrap_or_default();
        format!("{}{on}: {:?}", trace.label(fate.msg), fate.outcome)
    };
    outcomes(trace).iter().map(told).collect()
}

// --- causes -----------------------------------------------------------------------------------

/// Every cause, with its exact words.
fn causes() -> Vec<(&'static str, Scenario, Vec<&'static str>)> {
    let batch = |name, start, work| Worker { batch: 10, ..worker(name, start, work) };
    let uneven = Service::Uniform(ms(500), ms(600));
    vec![
        (
            "a batch ages at a busy worker while an idle one has a pull open",
            shop(7, vec![batch("A", 50, 200), batch("B", 100, 200)]),
            vec![
                "order-6 #2 aged in the buffer: It was number 6 at A, and 6 × 200 ms is 1.2 s, but its stopwatch of 1 s started when the server sent it at T+0.0 s and ran out at T+1.0 s; it waited 1 s before work began at T+1.0 s.",
                "order-7 #2 aged in the buffer: It was number 7 at A, and 7 × 200 ms is 1.4 s, but its stopwatch of 1 s started when the server sent it at T+0.0 s and ran out at T+1.0 s; it waited 1.2 s before work began at T+1.2 s.",
            ],
        ),
        (
            "work of uneven length",
            shop(
                3,
                vec![Worker { service_time: uneven, ..batch("A", 50, 0) }, worker("B", 100, 200)],
            ),
            vec![
                "order-2 #2 aged in the buffer: It was number 2 at A, but its stopwatch of 1 s started when the server sent it at T+0.0 s and ran out at T+1.0 s; it waited 560 ms before work began at T+0.6 s.",
                "order-3 #2 aged in the buffer: It was number 3 at A, but its stopwatch of 1 s started when the server sent it at T+0.0 s and ran out at T+1.0 s; it waited 1.1 s before work began at T+1.1 s.",
            ],
        ),
        (
            "the worker is done later",
            shop(1, vec![worker("A", 50, 1_500), worker("B", 100, 1)]),
            vec![
                "order-1 #2 work longer than the stopwatch: A needed 1.5 s for it, and was still at work when its stopwatch of 1 s ran out at T+1.0 s.",
            ],
        ),
        (
            "the worker is never done",
            shop(1, vec![worker("A", 50, 15_000), worker("B", 100, 1)]),
            vec![
                "order-1 #2 work longer than the stopwatch: A had begun at T+0.0 s and was still at work when its stopwatch of 1 s ran out at T+1.0 s.",
            ],
        ),
        (
            "in progress, but not often enough",
            pair(vec![step(600, WorkAct::InProgress), step(3_000, WorkAct::Ack)]),
            vec![
                "order-1 #2 work longer than the stopwatch: A had begun at T+0.0 s and was still at work when its stopwatch of 1 s, set back for the last time at T+0.6 s, ran out at T+1.6 s.",
            ],
        ),
        (
            "the answer is on its way when the stopwatch runs out",
            with(shop(1, vec![worker("A", 50, 950), worker("B", 100, 1)]), |s| {
                s.network_delay = ms(40)
            }),
            vec![
                "order-1 #2 answered too late: A answered at T+1.0 s, but the answer was still on its way when its stopwatch of 1 s ran out at T+1.0 s.",
            ],
        ),
        (
            "it dies at work",
            pair(vec![step(400, WorkAct::Crash)]),
            vec![
                "order-1 #2 worker gone: A crashed at T+0.4 s while at work on it, and nobody answered until its stopwatch ran out at T+1.0 s.",
            ],
        ),
        (
            "it dies at work and nobody asks for a while",
            with(pair(vec![step(400, WorkAct::Crash)]), |s| s.workers[1].start = Time::ms(4_000)),
            vec![
                "order-1 #2 worker gone: A crashed at T+0.4 s while at work on it, and nobody answered until its stopwatch ran out at T+1.0 s; nobody asked for it until T+4.0 s.",
            ],
        ),
        (
            "it stops at work",
            with(pair(vec![step(1_400, WorkAct::Ack)]), |s| s.workers[0].stop = Time::ms(600)),
            vec![
                "order-1 #2 worker gone: A closed its connection at T+0.6 s while at work on it, and nobody answered until its stopwatch ran out at T+1.0 s.",
            ],
        ),
        (
            "it dies after the stopwatch ran out",
            with(pair(vec![step(1_400, WorkAct::Crash)]), |s| s.workers[1].start = Time::ms(4_000)),
            vec![
                "order-1 #2 work longer than the stopwatch: A had begun at T+0.0 s and was still at work when its stopwatch of 1 s ran out at T+1.0 s; nobody asked for it until T+4.0 s.",
            ],
        ),
        (
            "it dies with one in its buffer",
            shop(
                2,
                vec![
                    Worker { batch: 2, ..does("A", vec![step(400, WorkAct::Crash)]) },
                    worker("B", 100, 1),
                ],
            ),
            vec![
                "order-1 #2 worker gone: A crashed at T+0.4 s while at work on it, and nobody answered until its stopwatch ran out at T+1.0 s.",
                "order-2 #2 worker gone: A crashed at T+0.4 s with it still in the buffer, and nobody answered until its stopwatch ran out at T+1.0 s.",
            ],
        ),
        (
            "it stops before the message arrives",
            with(shop(1, vec![worker("A", 0, 1), worker("B", 700, 1)]), |s| {
                s.network_delay = ms(20);
                s.workers[0].stop = Time::ms(510);
                s.timeline[0].at = Time::ms(480);
            }),
            vec![
                "order-1 #2 worker gone: A closed its connection at T+0.5 s before it arrived, and its stopwatch ran out at T+1.5 s all the same.",
            ],
        ),
        (
            "it is sent to a connection that is gone",
            with(shop(1, vec![worker("A", 0, 1), worker("B", 700, 1)]), |s| {
                s.network_delay = ms(200);
                s.workers[0].stop = Time::ms(500);
                s.timeline[0].at = Time::ms(460);
            }),
            vec![
                "order-1 #2 worker gone: It was sent to A at T+0.6 s, but A closed its connection at T+0.5 s and never got it; its stopwatch ran out at T+1.6 s all the same.",
            ],
        ),
        (
            "nak",
            pair(vec![step(300, WorkAct::Nak)]),
            vec!["order-1 #2 given back: A gave it back at T+0.3 s, which brings it back at once."],
        ),
        (
            "nak with a delay",
            pair(vec![WorkStep { delay: ms(2_000), ..step(300, WorkAct::Nak) }]),
            vec![
                "order-1 #2 delay over: A gave it back at T+0.3 s for 2 s later, and that delay was over at T+2.3 s.",
            ],
        ),
        (
            "nak with a delay on the second attempt of a backoff (R81)",
            with(pair(vec![step(10, WorkAct::Crash)]), |s| {
                s.consumers[0].config.backoff = vec![ms(500), ms(2_000)];
                let mut second =
                    does("B", vec![WorkStep { delay: ms(1_000), ..step(100, WorkAct::Nak) }]);
                second.behaviour[0].on.attempt = vec![2];
                s.workers[1] = second;
                s.workers.push(worker("C", 150, 100));
            }),
            vec![
                "order-1 #2 worker gone: A crashed at T+0.0 s while at work on it, and nobody answered until its stopwatch ran out at T+0.5 s.",
                "order-1 #3 delay over: B gave it back at T+0.6 s for 1 s later; the server made it 2.5 s, until T+3.1 s.",
            ],
        ),
        (
            "the answer is lost",
            with(
                shop(
                    1,
                    vec![Worker { max_messages: 1, ..worker("A", 50, 200) }, worker("B", 100, 1)],
                ),
                |s| {
                    s.workers[0].lost_answer_chance = Chance(1_000_000);
                },
            ),
            vec![
                "order-1 #2 answer lost: A answered with ack at T+0.2 s, but the answer never reached the server, and its stopwatch ran out at T+1.0 s.",
            ],
        ),
        (
            "the worker goes on without an answer",
            shop(2, vec![does("A", vec![step(300, WorkAct::None)]), worker("B", 500, 1)]),
            vec![
                "order-1 #2 never answered: A was through with it at T+0.3 s and never answered, so its stopwatch ran out at T+1.0 s.",
                "order-2 #2 never answered: A was through with it at T+0.6 s and never answered, so its stopwatch ran out at T+1.3 s.",
            ],
        ),
        (
            "the worker commits, goes on, and its pull stays open",
            with(pair(vec![step(300, WorkAct::Commit), step(100, WorkAct::None)]), |s| {
                s.workers[0].batch = 5
            }),
            vec![
                "order-1 #2 never answered: A was through with it at T+0.3 s and never answered, so its stopwatch ran out at T+1.0 s.",
            ],
        ),
        (
            "the server restarts",
            with(pair(vec![step(400, WorkAct::Crash)]), |s| {
                s.consumers[0].config.ack_wait = Dur::secs(4);
                s.timeline.extend([at(1_000, Op::ServerStop), at(1_500, Op::ServerStart)]);
            }),
            vec![
                "order-1 #2 server restarted: The server was back at T+1.5 s and counted its deadline anew, in whole seconds from when the message was stored.",
            ],
        ),
        (
            "a scripted client says nothing",
            scripted(vec![]),
            vec![
                "order-1 #2 never answered: hand got it and did not answer, so its stopwatch ran out at T+1.1 s.",
            ],
        ),
        (
            "a scripted client is late",
            scripted(vec![at(3_000, answer("hand", 1, AnswerAct::Ack))]),
            vec![
                "order-1 #2 answered too late: hand answered at T+3.0 s, but its stopwatch of 1 s had run out at T+1.1 s.",
            ],
        ),
        (
            "a scripted client is killed",
            scripted(vec![at(400, Op::Kill("hand".into()))]),
            vec![
                "order-1 #2 worker gone: hand crashed at T+0.4 s without an answer, and its stopwatch ran out at T+1.1 s.",
            ],
        ),
        (
            "a late nak of an old delivery (R44)",
            scripted(vec![
                at(
                    1_500,
                    Op::Pull(Pull {
                        worker: "third".into(),
                        consumer: "orders".into(),
                        ..Pull::default()
                    }),
                ),
                at(1_600, answer("hand", 1, AnswerAct::Nak)),
            ]),
            vec![
                "order-1 #2 answered too late: hand answered at T+1.6 s, but its stopwatch of 1 s had run out at T+1.1 s.",
                "order-1 #3 given back: hand gave back its old delivery number 1 at T+1.6 s, which takes delivery number 2 from its holder and brings it back at once.",
            ],
        ),
        (
            "a worker of a push consumer dies",
            with(pair(vec![step(300, WorkAct::Crash)]), |s| {
                s.consumers[0].config.deliver_subject = "push.orders".into();
                s.consumers[0].config.deliver_group = "shipping".into();
                for worker in &mut s.workers {
                    worker.push = true;
                }
            }),
            vec![
                "order-1 #2 worker gone: A crashed at T+0.3 s while at work on it, and nobody answered until its stopwatch ran out at T+1.0 s.",
            ],
        ),
        (
            "the buffer of a push consumer ages",
            with(shop(3, vec![Worker { push: true, ..worker("A", 50, 600) }]), |s| {
                s.consumers[0].config.deliver_subject = "push.orders".into();
            }),
            vec![
                "order-2 #2 aged in the buffer: It was number 2 at A, and 2 × 600 ms is 1.2 s, but its stopwatch of 1 s started when the server sent it at T+0.0 s and ran out at T+1.0 s; it waited 600 ms before work began at T+0.6 s.",
                "order-3 #2 aged in the buffer: It was number 3 at A, and 3 × 600 ms is 1.8 s, but its stopwatch of 1 s started when the server sent it at T+0.0 s and ran out at T+1.0 s; it waited 1.2 s before work began at T+1.2 s.",
            ],
        ),
    ]
}

#[test]
fn every_redelivery_has_a_cause_and_a_sentence() {
    for (name, scenario, expected) in causes() {
        assert_eq!(told(&run(&scenario).unwrap()), expected, "{name}");
    }
}

#[test]
fn causes_are_found_one_by_one_and_all_at_once() {
    for (name, scenario) in scenarios() {
        let trace = run(&scenario).unwrap();
        let all = Causes::of(&trace);
        let mut again = 0;
        for record in &trace.records {
            if let Event::Delivered { delivery, cause, .. } = record.event {
                let found = all.get(&delivery);
                let first = cause == delivery_sim::trace::Cause::New;
                assert_eq!(found == delivery_sim::Why::First, first, "{name} {delivery:?}");
                assert_eq!(found.sentence(&trace).is_empty(), first, "{name} {delivery:?}");
                again += usize::from(!first);
                if trace.records.len() < 500 {
                    assert_eq!(why(&trace, &delivery), found, "{name} {delivery:?}");
                }
            }
        }
        assert_eq!(all.redeliveries().count(), again, "{name}");
    }
    let trace = run(&shop(1, Vec::new())).unwrap();
    let nowhere = Delivery { consumer: ConsumerId(9), msg: Msg(9), seq: 9, attempt: 2 };
    assert_eq!(why(&trace, &nowhere), delivery_sim::Why::First);
}

// --- outcomes ---------------------------------------------------------------------------------

fn core(count: u32, subscribers: Vec<Subscriber>) -> Scenario {
    let op = Op::Publish(Publish {
        subject: "news".into(),
        data: "news-{i}".into(),
        count,
        via: Via::Core,
        ..Publish::default()
    });
    Scenario { subscribers, timeline: vec![at(100, op)], ..Scenario::default() }
}

fn subscriber(name: &str) -> Subscriber {
    Subscriber { name: name.into(), subject: "news".into(), ..Subscriber::default() }
}

fn of_orders(change: impl FnOnce(&mut ConsumerConfig)) -> Op {
    let mut create = CreateConsumer {
        stream: "ORDERS".into(),
        config: shop(0, vec![]).consumers[0].config.clone(),
        ..CreateConsumer::default()
    };
    change(&mut create.config);
    Op::CreateConsumer(create)
}

/// Every outcome.
fn ends() -> Vec<(&'static str, Scenario, Vec<&'static str>)> {
    let silent = || does("A", vec![step(10, WorkAct::None)]);
    let first = || MessageRef { stream: "ORDERS".into(), seq: 1 };
    let second = |filter: &str| Consumer {
        stream: "ORDERS".into(),
        config: ConsumerConfig {
            durable_name: "mail".into(),
            filter_subjects: vec![filter.into()],
            ..ConsumerConfig::default()
        },
        ..Consumer::default()
    };
    vec![
        ("acked", shop(1, vec![worker("A", 50, 10)]), vec!["order-1 on orders: Settled"]),
        (
            "delivered without acks",
            with(shop(1, vec![worker("A", 50, 10)]), |s| {
                s.consumers[0].config.ack_policy = AckPolicy::None
            }),
            vec!["order-1 on orders: Settled"],
        ),
        (
            "termed",
            shop(1, vec![does("A", vec![step(10, WorkAct::Term)])]),
            vec!["order-1 on orders: Terminated"],
        ),
        ("never asked for", shop(1, vec![]), vec!["order-1 on orders: Pending"]),
        ("no consumer", with(shop(1, vec![]), |s| s.consumers.clear()), vec!["order-1: Pending"]),
        (
            "at work at the end",
            shop(1, vec![worker("A", 50, 20_000)]),
            vec!["order-1 on orders: InFlight"],
        ),
        (
            "given up",
            with(shop(1, vec![silent()]), |s| s.consumers[0].config.max_deliver = 1),
            vec!["order-1 on orders: Exhausted { advised: true }"],
        ),
        (
            "given up in silence (R96)",
            with(
                shop(
                    1,
                    vec![Worker {
                        behaviour: vec![Behaviour {
                            steps: vec![step(10, WorkAct::None)],
                            ..Behaviour::default()
                        }],
                        ..silent()
                    }],
                ),
                |s| {
                    s.consumers[0].config.max_deliver = 9;
                    s.timeline.push(at(3_500, of_orders(|c| c.max_deliver = 2)));
                },
            ),
            vec!["order-1 on orders: Exhausted { advised: false }"],
        ),
        (
            "pushed out by a limit",
            with(shop(3, vec![]), |s| s.streams[0].max_msgs = 2),
            vec![
                "order-1 on orders: Removed(Limit)",
                "order-2 on orders: Pending",
                "order-3 on orders: Pending",
            ],
        ),
        (
            "pushed out of its subject",
            with(shop(3, vec![]), |s| s.streams[0].max_msgs_per_subject = 2),
            vec![
                "order-1 on orders: Removed(SubjectLimit)",
                "order-2 on orders: Pending",
                "order-3 on orders: Pending",
            ],
        ),
        (
            "too old, in flight",
            with(shop(1, vec![silent()]), |s| s.streams[0].max_age = ms(600)),
            vec!["order-1 on orders: Removed(Age)"],
        ),
        (
            "deleted in flight",
            with(shop(1, vec![silent()]), |s| s.timeline.push(at(500, Op::DeleteMessage(first())))),
            vec!["order-1 on orders: Removed(Deleted)"],
        ),
        (
            "deleted when settled",
            with(shop(1, vec![worker("A", 50, 10)]), |s| {
                s.timeline.push(at(500, Op::DeleteMessage(first())))
            }),
            vec!["order-1 on orders: Settled"],
        ),
        (
            "purged",
            with(shop(2, vec![silent()]), |s| {
                s.timeline.push(at(
                    500,
                    Op::PurgeStream(Purge { stream: "ORDERS".into(), ..Purge::default() }),
                ))
            }),
            vec!["order-1 on orders: Removed(Purged)", "order-2 on orders: Removed(Purged)"],
        ),
        (
            "its consumer deleted",
            with(shop(2, vec![Worker { max_pulls: 1, ..silent() }]), |s| {
                s.timeline.push(at(
                    500,
                    Op::DeleteConsumer(ConsumerRef {
                        consumer: "orders".into(),
                        ..ConsumerRef::default()
                    }),
                ))
            }),
            vec!["order-1 on orders: ConsumerDeleted", "order-2 on orders: ConsumerDeleted"],
        ),
        (
            "published twice",
            with(shop(1, vec![worker("A", 50, 10)]), |s| {
                let Op::Publish(publish) = &mut s.timeline[0].op else { return };
                publish.msg_id = "one".into();
                let again = s.timeline[0].op.clone();
                s.timeline.push(at(500, again));
            }),
            vec!["order-1 on orders: Settled", "order-1: Deduplicated"],
        ),
        (
            "refused by a full stream",
            with(shop(2, vec![]), |s| {
                s.streams[0].max_msgs = 1;
                s.streams[0].discard = Discard::New;
            }),
            vec!["order-1 on orders: Pending", "order-2: Refused(MaxMsgs)"],
        ),
        (
            "no connection",
            with(shop(1, vec![]), |s| {
                s.timeline.insert(0, at(0, Op::ServerStop));
                s.timeline[1].at = Time::ms(100);
            }),
            vec!["order-1: Refused(Disconnected)"],
        ),
        (
            "kept by its publisher",
            with(shop(1, vec![]), |s| {
                s.publishers = vec![Publisher { name: "publisher".into(), ..Publisher::default() }];
                s.timeline.insert(0, at(0, Op::ServerStop));
                s.timeline[1].at = Time::ms(100);
            }),
            vec!["order-1: OnTheWay"],
        ),
        (
            "not kept",
            with(shop(1, vec![]), |s| {
                s.streams[0].retention = Retention::Interest;
                s.consumers.clear();
            }),
            vec!["order-1: NotKept"],
        ),
        (
            "a consumer each",
            with(shop(1, vec![Worker { consumer: "orders".into(), ..worker("A", 50, 10) }]), |s| {
                s.consumers.push(second("orders.new"))
            }),
            vec!["order-1 on orders: Settled", "order-1 on mail: Pending"],
        ),
        (
            "hidden by a filter",
            with(shop(1, vec![Worker { consumer: "orders".into(), ..worker("A", 50, 10) }]), |s| {
                s.consumers.push(second("orders.old"))
            }),
            vec!["order-1 on orders: Settled"],
        ),
        (
            "a filter that changes (R103)",
            with(shop(1, vec![]), |s| {
                s.consumers[0].config.filter_subjects = vec!["orders.old".into()];
                s.timeline
                    .push(at(500, of_orders(|c| c.filter_subjects = vec!["orders.new".into()])));
            }),
            vec!["order-1 on orders: Pending"],
        ),
        (
            "a consumer that starts with new messages (R63)",
            with(shop(1, vec![]), |s| {
                s.consumers[0].create_at = Time::ms(500);
                s.consumers[0].config.deliver_policy = delivery_sim::scenario::DeliverPolicy::New;
                s.timeline.push(at(900, publish(1)));
            }),
            vec!["order-1: Pending", "order-1 on orders: Pending"],
        ),
        ("nobody listens", core(1, vec![]), vec!["news-1: Unheard"]),
        (
            "two listen",
            core(1, vec![subscriber("one"), subscriber("two")]),
            vec![
                "news-1: Copied { handled: 2, dropped: Dropped { buffer_full: 0, disconnected: 0, slow_consumer: 0, loss: 0 }, waiting: 0 }",
            ],
        ),
        (
            "a slow subscriber",
            core(
                3,
                vec![Subscriber {
                    pending_msgs_limit: 1,
                    service_time: Service::Fixed(ms(50)),
                    ..subscriber("one")
                }],
            ),
            vec![
                "news-1: Copied { handled: 1, dropped: Dropped { buffer_full: 0, disconnected: 0, slow_consumer: 0, loss: 0 }, waiting: 0 }",
                "news-2: Copied { handled: 0, dropped: Dropped { buffer_full: 1, disconnected: 0, slow_consumer: 0, loss: 0 }, waiting: 0 }",
                "news-3: Copied { handled: 0, dropped: Dropped { buffer_full: 1, disconnected: 0, slow_consumer: 0, loss: 0 }, waiting: 0 }",
            ],
        ),
        (
            "a subscriber at work at the end",
            core(
                1,
                vec![Subscriber {
                    service_time: Service::Fixed(Dur::secs(20)),
                    ..subscriber("one")
                }],
            ),
            vec![
                "news-1: Copied { handled: 0, dropped: Dropped { buffer_full: 0, disconnected: 0, slow_consumer: 0, loss: 0 }, waiting: 1 }",
            ],
        ),
        (
            "dead letters",
            dead_letters(),
            vec![
                "order-1 on orders: Exhausted { advised: true }",
                "advisory on order-1: Unheard",
                "advisory on order-1: Unheard",
                "advisory on order-1 on letters: Settled",
                "order-1: Pending",
                "order-1: Deduplicated",
            ],
        ),
    ]
}

/// A message that always fails, an advisory stream, a handler, and a stream for dead letters.
fn dead_letters() -> Scenario {
    with(shop(1, vec![]), |s| {
        let stream = |name: &str, subject: &str| StreamConfig {
            name: name.into(),
            subjects: vec![subject.into()],
            ..StreamConfig::default()
        };
        s.streams.push(stream("ADVISORIES", "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.>"));
        s.streams.push(stream("DLQ", "dlq.>"));
        s.consumers[0].config.max_deliver = 2;
        s.consumers.push(Consumer {
            stream: "ADVISORIES".into(),
            config: ConsumerConfig { durable_name: "letters".into(), ..ConsumerConfig::default() },
            ..Consumer::default()
        });
        s.dead_letter_handlers = vec![DeadLetterHandler {
            stream: "ADVISORIES".into(),
            consumer: "letters".into(),
            copies: 2,
            ..DeadLetterHandler::default()
        }];
        let fails = Behaviour { steps: vec![step(10, WorkAct::Nak)], ..Behaviour::default() };
        s.workers = vec![Worker {
            consumer: "orders".into(),
            behaviour: vec![fails],
            ..worker("A", 50, 10)
        }];
    })
}

#[test]
fn every_message_ends_in_one_way() {
    for (name, scenario, expected) in ends() {
        assert_eq!(fates(&run(&scenario).unwrap()), expected, "{name}");
    }
}

// --- effects ----------------------------------------------------------------------------------

#[test]
fn effects_are_lost_made_once_or_twice() {
    let crash = |before: u64| vec![step(before, WorkAct::Crash)];
    let commit_then_crash = || vec![step(100, WorkAct::Commit), step(100, WorkAct::Crash)];
    let back = Effects::default();
    let both = |steps: Vec<WorkStep>, change: fn(&mut Worker)| {
        with(pair(steps), |s| s.workers.iter_mut().for_each(change))
    };
    let twice = |change: fn(&mut Worker)| {
        with(shop(1, vec![worker("A", 50, 10)]), |s| {
            s.timeline.push(at(500, publish(1)));
            s.workers.iter_mut().for_each(change);
        })
    };
    let rows: Vec<(&str, Scenario, Effects)> = vec![
        ("work, commit, ack", pair(vec![step(100, WorkAct::Ack)]), Effects { once: 1, ..back }),
        ("dies before the commit", pair(crash(100)), Effects { once: 1, ..back }),
        ("dies between commit and ack", pair(commit_then_crash()), Effects { again: 1, ..back }),
        (
            "the same, idempotent",
            both(commit_then_crash(), |w| w.idempotent = true),
            Effects { once: 1, ..back },
        ),
        (
            "the same, with a table",
            both(commit_then_crash(), |w| w.handled_table = true),
            Effects { once: 1, ..back },
        ),
        (
            "acks first and dies",
            both(crash(100), |w| w.ack_first = true),
            Effects { never: 1, ..back },
        ),
        (
            "acks first and lives",
            both(vec![step(100, WorkAct::Commit)], |w| w.ack_first = true),
            Effects { once: 1, ..back },
        ),
        ("termed without work", pair(vec![step(100, WorkAct::Term)]), Effects { never: 1, ..back }),
        (
            "slow, and done by two",
            shop(1, vec![worker("A", 50, 1_500), worker("B", 100, 1)]),
            Effects { again: 1, ..back },
        ),
        (
            "still at work at the end",
            shop(1, vec![worker("A", 50, 20_000)]),
            Effects { undecided: 1, ..back },
        ),
        (
            "settled, but held by a slow one at the end",
            shop(1, vec![worker("A", 50, 20_000), worker("B", 100, 1)]),
            Effects { undecided: 1, ..back },
        ),
        (
            "never asked for",
            shop(2, vec![Worker { start: Time::ms(20_000), ..worker("A", 0, 1) }]),
            Effects { undecided: 2, ..back },
        ),
        ("the same order in two messages", twice(|_| {}), Effects { once: 2, ..back }),
        (
            "the same, idempotent",
            twice(|w| w.idempotent = true),
            Effects { once: 1, found: 1, ..back },
        ),
        (
            "the same, with a table",
            twice(|w| w.handled_table = true),
            Effects { once: 1, found: 1, ..back },
        ),
        (
            "a scripted client has no work",
            scripted(vec![at(400, answer("hand", 1, AnswerAct::Ack))]),
            back,
        ),
    ];
    for (name, scenario, expected) in rows {
        assert_eq!(tally(&scenario).unwrap().effects(), expected, "{name}");
    }
}

/// What the business sees: orders, however many messages they are in.
#[test]
fn effects_are_counted_by_payload() {
    let publish_with = |change: fn(&mut Publish)| {
        let mut publish = Publish {
            subject: "orders.new".into(),
            data: "order-{i}".into(),
            ..Publish::default()
        };
        change(&mut publish);
        at(500, Op::Publish(publish))
    };
    let shop = |steps: Vec<Step>, change: fn(&mut Worker)| {
        with(shop(1, vec![worker("A", 50, 10)]), |s| {
            s.timeline.extend(steps);
            s.workers.iter_mut().for_each(change);
        })
    };
    let again = || vec![publish_with(|_| {})];
    let one = Payloads { published: 1, ..Payloads::default() };
    let commit_then_crash = vec![step(100, WorkAct::Commit), step(100, WorkAct::Crash)];
    let lossy = |p: &mut Publish| {
        p.data = "other".into();
        p.lost_chance = Chance(1_000_000);
        p.timeout = ms(500);
    };
    for (name, scenario, expected) in [
        ("once", shop(Vec::new(), |_| {}), Payloads { once: 1, ..one }),
        ("in two messages", shop(again(), |_| {}), Payloads { again: 1, ..one }),
        (
            "in two messages, known by payload",
            shop(again(), |w| w.idempotent = true),
            Payloads { once: 1, ..one },
        ),
        (
            "in two messages, known by sequence",
            shop(again(), |w| {
                w.handled_table = true;
                w.known_by = KnownBy::Sequence;
            }),
            Payloads { again: 1, ..one },
        ),
        (
            "in two messages of one id",
            with(shop(Vec::new(), |_| {}), |s| {
                s.timeline.clear();
                s.timeline.push(publish_with(|p| p.msg_id = "x".into()));
                s.timeline.push(publish_with(|p| p.msg_id = "x".into()));
            }),
            Payloads { once: 1, ..one },
        ),
        (
            "delivered again, known by sequence",
            with(pair(commit_then_crash), |s| {
                for worker in &mut s.workers {
                    worker.idempotent = true;
                    worker.known_by = KnownBy::Sequence;
                }
            }),
            Payloads { once: 1, ..one },
        ),
        (
            "lost on the way",
            shop(vec![publish_with(lossy)], |_| {}),
            Payloads { published: 2, once: 1, never: 1, ..one },
        ),
    ] {
        let (report, payloads) = tally_payloads(&scenario).unwrap();
        assert_eq!(payloads, expected, "{name}");
        let trace = run(&scenario).unwrap();
        assert_eq!((report, payloads), (Report::of(&trace), ByPayload::of(&trace)), "{name}");
    }
}

/// A publisher that tries again until its message is confirmed.
#[test]
fn a_publisher_tries_again() {
    let orders = |change: fn(&mut Publish)| {
        let mut publish = Publish {
            subject: "orders.new".into(),
            data: "order-{i}".into(),
            count: 100,
            timeout: ms(50),
            lost_chance: Chance(200_000),
            ..Publish::default()
        };
        change(&mut publish);
        with(shop(0, vec![worker("A", 0, 1)]), |s| {
            s.end = Time::ms(60_000);
            s.timeline = vec![at(0, Op::Publish(publish))];
        })
    };
    let tally = |change| tally_payloads(&orders(change)).unwrap();
    let (once, sent_once) = tally(|_| {});
    assert_eq!(once.messages.published, 100);
    assert_eq!(
        once.messages.timed_out - once.messages.dropped.loss,
        once.messages.stored - (100 - once.messages.timed_out)
    );
    assert_eq!(sent_once.never, once.messages.dropped.loss);
    assert!(sent_once.never > 5 && sent_once.again == 0);
    let (_, again) = tally(|p| p.retry = true);
    assert!(again.never == 0 && again.again > 5, "{again:?}");
    let (known, with_id) = tally(|p| {
        p.retry = true;
        p.msg_id = "{i}".into();
    });
    assert_eq!(with_id, Payloads { published: 100, once: 100, ..Payloads::default() });
    assert!(known.messages.deduplicated > 5);
    assert_eq!(
        known.messages.published,
        known.messages.stored + known.messages.deduplicated + known.messages.dropped.loss
    );
    let lost = |o: &delivery_sim::report::Fate| o.outcome == Outcome::LostOnTheWay;
    let trace = run(&orders(|_| {})).unwrap();
    assert_eq!(outcomes(&trace).iter().filter(|o| lost(o)).count() as u64, sent_once.never);
}

/// A worker that waits for the confirmation of its ack sends a lost one again; nothing comes back.
#[test]
fn a_double_ack_is_sent_until_it_is_confirmed() {
    let run = |timeout: u64| {
        tally(&with(shop(200, vec![worker("A", 0, 1)]), |s| {
            s.end = Time::ms(200_000);
            s.consumers[0].config.ack_wait = Dur::secs(30);
            s.workers[0].lost_answer_chance = Chance(100_000);
            s.workers[0].ack_timeout = ms(timeout);
        }))
        .unwrap()
    };
    assert!(run(0).consumers[0].again > 10);
    let (again, handled) = (run(500).consumers[0].again, run(500).consumers[0].handled);
    assert_eq!((again, handled), (0, 200));
}

// --- the report -------------------------------------------------------------------------------

/// All scenarios of this file and some in which much happens by chance.
fn scenarios() -> Vec<(String, Scenario)> {
    let rows = causes().into_iter().chain(ends());
    let mut all: Vec<(String, Scenario)> = rows.map(|(name, s, _)| (name.to_owned(), s)).collect();
    for seed in 0..24 {
        all.push((format!("by chance, seed {seed}"), by_chance(seed)));
    }
    all
}

/// Crashes, lost answers, two consumers, subscribers, limits and a restart, all at once.
fn by_chance(seed: u64) -> Scenario {
    let pick = |n: u64| seed / n % 2 == 1;
    with(shop(0, vec![]), |s| {
        s.seed = seed + 1;
        s.end = Time::ms(60_000);
        s.streams[0].retention = if pick(2) { Retention::Interest } else { Retention::Limits };
        s.streams[0].max_msgs = if pick(4) { 20 } else { -1 };
        s.streams[0].max_age = if pick(8) { Dur::secs(3) } else { Dur::ZERO };
        s.consumers[0].config.max_deliver = if pick(1) { 3 } else { -1 };
        s.consumers[0].config.max_ack_pending = 7;
        s.consumers.push(Consumer {
            stream: "ORDERS".into(),
            config: ConsumerConfig {
                durable_name: "mail".into(),
                filter_subjects: vec!["orders.1".into(), "orders.4".into()],
                backoff: vec![ms(300), ms(900)],
                ..ConsumerConfig::default()
            },
            create_at: Time::ms(if pick(16) { 2_000 } else { 0 }),
        });
        let shaky = Worker {
            count: 3,
            batch: 4,
            service_time: Service::Exponential(ms(150)),
            crash_chance: Chance(50_000),
            restart_after: ms(400),
            lost_answer_chance: Chance(50_000),
            consumer: "orders".into(),
            ..worker("A", 50, 0)
        };
        s.workers = vec![
            Worker { idempotent: pick(2), handled_table: pick(1), ..shaky.clone() },
            Worker {
                consumer: "mail".into(),
                name: "M".into(),
                ack_first: pick(4),
                count: 1,
                ..shaky
            },
        ];
        s.subscribers = vec![Subscriber {
            name: "tap".into(),
            subject: "orders.*".into(),
            service_time: Service::Fixed(ms(60)),
            pending_msgs_limit: 3,
            loss_chance: Chance(100_000),
            ..Subscriber::default()
        }];
        for (n, subject) in ["orders.1", "orders.2", "orders.{i}"].into_iter().enumerate() {
            let publish = Publish {
                subject: subject.into(),
                data: "order-{i}".into(),
                count: 60,
                every: ms(25 + 10 * n as u64),
                ..Publish::default()
            };
            s.timeline.push(at(10 * n as u64, Op::Publish(publish)));
        }
        if pick(8) {
            s.timeline.extend([at(1_200, Op::ServerStop), at(1_300, Op::ServerStart)]);
        }
        let mail = ConsumerRef { stream: "ORDERS".into(), consumer: "mail".into() };
        s.timeline.push(at(if seed == 23 { 2_500 } else { 59_000 }, Op::DeleteConsumer(mail)));
    })
}

#[test]
fn a_tallied_run_equals_the_fold_of_the_kept_one() {
    for (name, scenario) in scenarios() {
        let trace = run(&scenario).unwrap();
        assert_eq!(tally(&scenario).unwrap(), Report::of(&trace), "{name}");
    }
}

/// Of what a consumer delivered, every message is counted once.
#[test]
fn counts_add_up() {
    for (name, scenario) in scenarios() {
        let trace = run(&scenario).unwrap();
        let report = Report::of(&trace);
        let fates = outcomes(&trace);
        for (i, c) in report.consumers.iter().enumerate() {
            let ended = c.settled
                + c.terminated
                + c.exhausted_advised
                + c.exhausted_silent
                + c.removed_in_flight
                + c.deleted_in_flight;
            assert_eq!(c.messages, ended + c.in_flight, "{name} {i}");
            let deliveries =
                trace.records.iter().filter(|r| matches!(r.event, Event::Delivered { delivery, .. } if usize::from(delivery.consumer.0) == i));
            assert_eq!(c.deliveries, deliveries.count() as u64, "{name} {i}");
            let told = |outcome: Outcome| {
                fates
                    .iter()
                    .filter(|f| f.consumer == Some(ConsumerId(i as u16)) && f.outcome == outcome)
                    .count() as u64
            };
            for (counted, outcome) in [
                (c.settled, Outcome::Settled),
                (c.terminated, Outcome::Terminated),
                (c.exhausted_advised, Outcome::Exhausted { advised: true }),
                (c.exhausted_silent, Outcome::Exhausted { advised: false }),
                (c.in_flight, Outcome::InFlight),
            ] {
                assert_eq!(counted, told(outcome), "{name} {i} {outcome:?}");
            }
            let peak = trace
                .infos
                .iter()
                .filter(|(_, id, _)| usize::from(id.0) == i)
                .map(|(.., info)| info.num_ack_pending)
                .max();
            assert!(c.peak_in_flight >= peak.unwrap_or(0), "{name} {i}");
            let last = trace.consumer_info(ConsumerId(i as u16), trace.end);
            if c.deleted_in_flight == 0 && last != Default::default() {
                assert_eq!(c.in_flight, last.num_ack_pending, "{name} {i}");
                assert_eq!(told(Outcome::Pending), last.num_pending, "{name} {i}");
            }
        }
        for of in [&report.messages, &report.advisories, &report.copies] {
            assert!(of.routed >= of.handled + of.dropped.total(), "{name}");
        }
        let all = report.messages.published + report.advisories.published + report.copies.published;
        assert_eq!(all, trace.messages.len() as u64, "{name}");
    }
}

#[test]
fn advisories_and_copies_are_counted_apart() {
    let report = tally(&dead_letters()).unwrap();
    let [m, a, c] = [&report.messages, &report.advisories, &report.copies];
    assert_eq!((m.published, m.stored), (1, 1));
    // Two naks are advised as well, but only the stream of MAX_DELIVERIES keeps its kind.
    assert_eq!((a.published, a.stored, a.unheard), (3, 1, 2));
    assert_eq!((c.published, c.stored, c.deduplicated), (2, 1, 1));
    assert_eq!(report.effects(), Effects { never: 1, ..Effects::default() });
}

#[test]
fn numbers_of_a_small_run() {
    // Two orders for one worker that needs 400 ms and 200 µs of network each way.
    let mut scenario = shop(2, vec![Worker { batch: 2, ..worker("A", 1_000, 400) }]);
    scenario.end = Time::ms(4_000);
    let report = tally(&scenario).unwrap();
    let c = &report.consumers[0];
    assert_eq!((c.deliveries, c.messages, c.again, c.settled, c.handled), (2, 2, 0, 2, 2));
    assert_eq!(c.throughput, 500, "two in four seconds");
    assert_eq!((c.peak_in_flight, c.out_of_order), (2, 0));
    assert_eq!(c.mean_in_flight, 300, "one for 400.4 ms and one for 800.4 ms, of 4 s");
    assert_eq!(c.first_started, Some(Time(1_000_400_000)));
    assert_eq!(c.last_done, Some(Time(1_800_400_000)));
    // The second is published when the PubAck of the first is there, 400 µs later.
    assert_eq!((c.to_done.min, c.to_done.max), (Dur(1_400_400_000), Dur(1_800_000_000)));
    assert_eq!((c.to_settled.min, c.to_settled.max), (Dur(1_400_600_000), Dur(1_800_200_000)));
    let worker = &report.workers[0];
    assert_eq!((worker.handled, worker.busy, worker.idle), (2, ms(800), ms(2_200)));
}

#[test]
fn order_is_lost_by_a_redelivery_unless_one_is_in_flight_at_a_time() {
    for (max_ack_pending, out_of_order) in [(1, 0), (10, 1)] {
        let mut scenario = shop(4, vec![does("A", vec![step(50, WorkAct::Nak)])]);
        scenario.workers[0].behaviour[0].on.stream_seq = vec![2];
        scenario.workers[0].batch = 4;
        scenario.consumers[0].config.max_ack_pending = max_ack_pending;
        assert_eq!(
            tally(&scenario).unwrap().consumers[0].out_of_order,
            out_of_order,
            "{max_ack_pending}"
        );
    }
}

/// Tallies, and looks how much is remembered.
struct Watched<'a> {
    tally: Tally<'a>,
    most: usize,
}

impl Observer for Watched<'_> {
    fn event(&mut self, at: Time, event: Event) {
        self.tally.event(at, event);
        self.most = self.most.max(self.tally.remembered());
    }
    fn message(&mut self, message: delivery_sim::trace::Message) {
        self.tally.message(message);
    }
}

#[test]
fn a_tally_remembers_what_is_in_flight_and_no_more() {
    for (name, count, shape) in [
        ("a stream that keeps all", 20_000, false),
        ("a second consumer that sees nothing, and a subscriber", 20_000, true),
    ] {
        let mut scenario = shop(
            0,
            vec![Worker {
                count: 4,
                batch: 5,
                crash_chance: Chance(20_000),
                restart_after: ms(1),
                consumer: "orders".into(),
                ..worker("A", 0, 2)
            }],
        );
        scenario.end = Time::ms(u64::from(count) + 5_000);
        scenario.timeline.clear();
        let Op::Publish(mut orders) = publish(count) else { unreachable!("it publishes") };
        orders.every = ms(1);
        scenario.timeline.push(at(0, Op::Publish(orders)));
        if shape {
            let mut other = scenario.consumers[0].clone();
            (other.config.durable_name, other.config.filter_subjects) =
                ("none".into(), vec!["orders.old".into()]);
            scenario.consumers.push(other);
            scenario.subscribers =
                vec![Subscriber { subject: "orders.>".into(), ..subscriber("tap") }];
        }
        let mut watched = Watched { tally: Tally::new(&scenario).unwrap(), most: 0 };
        run_with(&scenario, &mut watched).unwrap();
        let left = watched.tally.remembered();
        let report = watched.tally.finish(scenario.end, None);
        assert_eq!(report.consumers[0].settled, u64::from(count), "{name}");
        assert!(left <= 4, "{name}: one for each worker at most, but {left}");
        let in_flight = report.consumers[0].peak_in_flight as usize;
        assert!(watched.most <= 3 * in_flight + 10, "{name}: {} for {in_flight}", watched.most);
    }
}

// --- slots ------------------------------------------------------------------------------------

#[test]
fn a_worker_that_dies_holds_the_only_slots_and_stalls_the_other() {
    let mut scenario = shop(
        4,
        vec![
            Worker { batch: 2, ..does("A", vec![step(100, WorkAct::Crash)]) },
            worker("B", 100, 200),
        ],
    );
    scenario.consumers[0].config.max_ack_pending = 2;
    scenario.end = Time::ms(1_500);
    let trace = run(&scenario).unwrap();
    let name = |id: ClientId| trace.clients[usize::from(id.0)].name.as_str();
    let told = |hold: &Hold| {
        let turns: Vec<&str> = hold.turns.iter().map(|turn| name(turn.to)).collect();
        format!(
            "slot {} {} {}..{} ms {} {:?}",
            hold.slot,
            trace.label(hold.msg),
            hold.from.as_ms(),
            hold.until.as_ms(),
            turns.join(" then "),
            hold.ended
        )
    };
    let holds: Vec<String> = slots(&trace, ConsumerId(0)).iter().map(told).collect();
    assert_eq!(
        holds,
        [
            "slot 0 order-1 50..1251 ms A then B Settled",
            "slot 1 order-2 50..1452 ms A then B Settled",
            "slot 0 order-3 1452..1500 ms B InFlight",
        ],
    );
}

#[test]
fn a_slot_is_held_by_one_message_at_a_time() {
    for (name, scenario) in scenarios() {
        let trace = run(&scenario).unwrap();
        for (i, report) in Report::of(&trace).consumers.iter().enumerate() {
            let holds = slots(&trace, ConsumerId(i as u16));
            let used = holds.iter().map(|hold| u64::from(hold.slot) + 1).max().unwrap_or(0);
            assert_eq!(used, report.peak_in_flight, "{name}");
            let mut free_at = vec![Time::ZERO; used as usize];
            for hold in &holds {
                let free = &mut free_at[hold.slot as usize];
                assert!(*free <= hold.from && hold.from <= hold.until, "{name} {hold:?}");
                *free = hold.until;
            }
        }
    }
}
