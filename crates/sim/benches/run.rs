//! Speed and memory of the simulator, as a table of ratios taken in one run.
//!
//! `cargo bench -p delivery-sim`. The bare heap beside it pushes and pops as many entries as the run
//! has events; the allocator counts what a tallied run holds at most.

use delivery_sim::scenario::{
    Chance, Consumer, ConsumerConfig, Op, Publish, Retention, Scenario, Service, Step,
    StreamConfig, Worker,
};
use delivery_sim::{Dur, Event, Observer, Time, run, run_with};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// One stream, four workers, 2 % crashes, backoff: `messages` arrive evenly and the workers keep up.
fn shop(messages: u32) -> Scenario {
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

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Time for one run and its number of events.
fn simulate(scenario: &Scenario) -> (Duration, u64) {
    let mut count = Count::default();
    let start = Instant::now();
    run_with(scenario, &mut count).expect("the scenario is good");
    (start.elapsed(), count.0)
}

/// Time for pushing and popping `entries` on a heap that holds as many as fit a run: a few thousand.
fn bare_heap(entries: u64) -> Duration {
    let mut heap = BinaryHeap::new();
    let mut state = 1_u64;
    let start = Instant::now();
    for i in 0..entries {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        heap.push(Reverse((i + (state >> 54), i)));
        if heap.len() > 1_000 {
            black_box(heap.pop());
        }
    }
    while let Some(entry) = heap.pop() {
        black_box(entry);
    }
    start.elapsed()
}

/// Kilobytes that this process ever held, and kilobytes it holds now (Linux; zero elsewhere).
fn resident() -> (u64, u64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = |name: &str| {
        let line = status.lines().find_map(|l| l.strip_prefix(name));
        line.and_then(|l| l.split_whitespace().next()?.parse().ok()).unwrap_or(0)
    };
    (field("VmHWM:"), field("VmRSS:"))
}

fn main() {
    // `cargo test --benches` only wants to know that it runs.
    let quick = !std::env::args().any(|a| a == "--bench");
    let sizes: &[u32] =
        if quick { &[1_000] } else { &[1_000, 10_000, 100_000, 1_000_000, 10_000_000] };
    println!("one stream, four workers, 2 % crashes, backoff; tallied, one core, medians\n");
    println!(
        "{:>10} {:>12} {:>12} {:>14} {:>10} {:>12}",
        "messages", "events", "Mevents/s", "bare heap", "ratio", "peak KiB"
    );
    for &messages in sizes {
        let scenario = shop(messages);
        let runs = (2_000_000 / messages).clamp(1, 51) as usize | 1;
        let runs = if quick { 1 } else { runs.max(3) };
        let (mut sim, mut heap, mut events) = (Vec::new(), Vec::new(), 0);
        for _ in 0..runs {
            let (time, n) = simulate(&scenario);
            sim.push(time);
            events = n;
            heap.push(bare_heap(n));
        }
        let (sim, heap) = (median(sim), median(heap));
        println!(
            "{messages:>10} {events:>12} {:>12.2} {:>11.2} M/s {:>10.2} {:>12}",
            events as f64 / sim.as_secs_f64() / 1e6,
            events as f64 / heap.as_secs_f64() / 1e6,
            sim.as_secs_f64() / heap.as_secs_f64(),
            resident().0,
        );
    }
    println!("\nratio: time of the run over time of the bare heap for as many entries\n");
    let kept = shop(10_000.min(sizes[sizes.len() - 1]));
    let start = Instant::now();
    let trace = run(&kept).expect("the scenario is good");
    println!(
        "kept whole: {} events in {:.2} ms",
        trace.records.len(),
        start.elapsed().as_secs_f64() * 1e3
    );
}
