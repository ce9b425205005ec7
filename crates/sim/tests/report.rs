//! Causes, outcomes, effects and slots of small runs, as rows of data.

use delivery_sim::report::{Effects, Hold, Outcome};
use delivery_sim::scenario::{
    AckPolicy, Answer, AnswerAct, Behaviour, Chance, Consumer, ConsumerConfig, ConsumerRef, CreateConsumer,
    DeadLetterHandler, Discard, MessageRef, Op, Publish, Publisher, Pull, Purge, Retention, Scenario, Service,
    Step, StreamConfig, Subscriber, Via, WorkAct, WorkStep, Worker,
};
use delivery_sim::trace::{ClientId, ConsumerId, Delivery, Event, Msg};
use delivery_sim::{Causes, Dur, Observer, Report, Tally, Time, Trace, outcomes, run, run_with, slots, tally, why};

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
        at(n, Op::Pull(Pull { worker: worker.into(), consumer: "orders".into(), ..Pull::default() }))
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
            format!("{} #{} {why}: {}", trace.label(delivery.msg), delivery.attempt, why.sentence(trace))
        })
        .collect()
}

#[test]
fn probe() {
    let rows: Vec<(&str, Scenario)> = vec![
        ("aged", shop(7, vec![Worker { batch: 10, ..worker("A", 50, 200) }, Worker { batch: 10, ..worker("B", 100, 200) }])),
        ("aged uneven", with(shop(3, vec![Worker { batch: 10, ..worker("A", 50, 200) }, worker("B", 100, 200)]), |s| s.workers[0].service_time = Service::Uniform(ms(500), ms(600)))),
        ("slow", shop(1, vec![worker("A", 50, 1500), worker("B", 100, 1)])),
        ("slow never", with(shop(1, vec![worker("A", 50, 15_000), worker("B", 100, 1)]), |_| {})),
        ("beats", with(shop(1, vec![worker("A", 50, 5_000), worker("B", 100, 1)]), |s| { s.workers[0].behaviour = vec![Behaviour { steps: vec![step(600, WorkAct::InProgress), step(3_000, WorkAct::Ack)], ..Behaviour::default() }]; })),
        ("late", with(shop(1, vec![worker("A", 50, 999), worker("B", 100, 1)]), |s| s.network_delay = ms(2))),
        ("crash work", pair(vec![step(400, WorkAct::Crash)])),
        ("crash late", with(pair(vec![step(400, WorkAct::Crash)]), |s| s.workers[1].start = Time::ms(4_000))),
        ("stop", with(pair(vec![step(1_400, WorkAct::Ack)]), |s| s.workers[0].stop = Time::ms(600))),
        ("buffer crash", with(shop(2, vec![Worker { batch: 2, ..does("A", vec![step(400, WorkAct::Crash)]) }, worker("B", 100, 1)]), |_| {})),
        ("dead", with(shop(1, vec![worker("A", 0, 1), worker("B", 700, 1)]), |s| { s.network_delay = ms(20); s.workers[0].stop = Time::ms(510); s.timeline[0].at = Time::ms(480); })),
        ("nak", pair(vec![step(300, WorkAct::Nak)])),
        ("nakdelay", pair(vec![WorkStep { delay: ms(2_000), ..step(300, WorkAct::Nak) }])),
        ("nakdelay backoff", with(pair(vec![]), |s| { s.consumers[0].config.backoff = vec![ms(500), ms(2_000)]; s.workers[0].behaviour[0] = Behaviour { steps: vec![WorkStep { delay: ms(1_000), ..step(100, WorkAct::Nak) }], ..Behaviour::default() }; s.workers[0].behaviour[0].on.attempt = vec![2]; s.workers[0].behaviour.push(Behaviour { steps: vec![step(10, WorkAct::Crash)], ..Behaviour::default() }); s.workers[1] = Worker { behaviour: s.workers[0].behaviour.clone(), ..worker("B", 100, 1) }; s.workers.push(worker("C", 150, 100)); })),
        ("lost", with(shop(1, vec![worker("A", 50, 200)]), |s| { s.workers[0].lost_answer_chance = Chance(500_000); })),
        ("none", pair(vec![step(300, WorkAct::None)])),
        ("restart", with(pair(vec![step(3_300, WorkAct::Ack)]), |s| { s.consumers[0].config.ack_wait = Dur::secs(4); s.timeline.extend([at(1_000, Op::ServerStop), at(1_500, Op::ServerStart)]); })),
        ("script never", scripted(vec![])),
        ("script late", scripted(vec![at(3_000, answer("hand", 1, AnswerAct::Ack))])),
        ("script kill", scripted(vec![at(400, Op::Kill("hand".into()))])),
        ("script late nak", scripted(vec![at(1_500, Op::Pull(Pull { worker: "third".into(), consumer: "orders".into(), ..Pull::default() })), at(1_600, answer("hand", 1, AnswerAct::Nak))])),
        ("push", with(pair(vec![step(300, WorkAct::Crash)]), |s| { s.consumers[0].config.deliver_subject = "push.orders".into(); s.consumers[0].config.deliver_group = "g".into(); for w in &mut s.workers { w.push = true; } })),
    ];
    for (name, scenario) in rows {
        match run(&scenario) {
            Ok(trace) => {
                println!("== {name}");
                for line in told(&trace) { println!("   {line}"); }
                for f in outcomes(&trace) { println!("   {:?} {:?}", f.msg.0, f.outcome); }
                let r = Report::of(&trace);
                assert_eq!(r, tally(&scenario).unwrap());
                println!("   {:?}", r.effects());
                println!("   {:?}", r.workers.iter().map(|w| (w.handled, w.busy, w.idle)).collect::<Vec<_>>());
            }
            Err(e) => println!("== {name} ERR {e:?}"),
        }
    }
}
