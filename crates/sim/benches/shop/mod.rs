//! The run that the benches measure, and the observer that counts it.

use delivery_sim::scenario::{
    Chance, Consumer, ConsumerConfig, Op, Publish, Retention, Scenario, Service, Step,
    StreamConfig, Worker,
};
use delivery_sim::{Dur, Event, Observer, Time, run_with};
use std::hint::black_box;

/// One stream, four workers, 2 % crashes, backoff: `messages` arrive evenly and the workers keep up.
pub(crate) fn shop(messages: u32) -> Scenario {
    let every = Dur(1_000_000);
    Scenario {
        end: Time(u64::from(messages) * every.0 + Dur::secs(60).0),
        streams: vec![StreamConfig {
            name: "ORDERS".into(),
            subjects: vec!["orders.>".into()],
            retention: Retention::WorkQueue,
            ..StreamConfig::default()
        }],
        consumers: vec![Consumer {
            stream: "ORDERS".into(),
            config: ConsumerConfig {
                durable_name: "orders".into(),
                backoff: vec![Dur::ms(500), Dur::secs(1), Dur::secs(5)],
                max_deliver: 5,
                ..ConsumerConfig::default()
            },
            ..Consumer::default()
        }],
        workers: vec![Worker {
            count: 4,
            batch: 10,
            expires: Dur::secs(5),
            service_time: Service::Exponential(Dur(2_500_000)),
            crash_chance: Chance(20_000),
            restart_after: Dur::ms(1),
            ..Worker::default()
        }],
        timeline: vec![Step {
            at: Time::ZERO,
            op: Op::Publish(Publish {
                subject: "orders.new".into(),
                count: messages,
                every,
                ..Publish::default()
            }),
        }],
        ..Scenario::default()
    }
}

/// Counts events and remembers nothing.
#[derive(Default)]
struct Count(u64);

impl Observer for Count {
    fn event(&mut self, at: Time, event: Event) {
        black_box((at, event));
        self.0 += 1;
    }
}

/// Runs a scenario, tallied: its number of events.
pub(crate) fn tallied(scenario: &Scenario) -> u64 {
    let mut count = Count::default();
    run_with(scenario, &mut count).expect("the scenario is good");
    count.0
}
