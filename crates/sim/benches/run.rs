//! Speed and memory of the simulator, as a table of ratios taken in one run.
//!
//! `cargo bench -p delivery-sim`. The bare heap beside it pushes and pops as many entries as the run
//! has events; the allocator counts what a tallied run holds at most.

mod heap;
mod shop;

use delivery_sim::{Scenario, run};
use heap::bare_heap;
use shop::{shop, tallied};
use std::time::{Duration, Instant};

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Time for one run and its number of events.
fn simulate(scenario: &Scenario) -> (Duration, u64) {
    let start = Instant::now();
    let events = tallied(scenario);
    (start.elapsed(), events)
}

/// Time for pushing and popping as many entries on a bare heap.
fn bare(entries: u64) -> Duration {
    let start = Instant::now();
    bare_heap(entries);
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
            heap.push(bare(n));
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
