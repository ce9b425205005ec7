//! What one step of a slider costs natively with 2 000 messages, part by part: `cargo run --profile bench -p delivery-figure --example cost`.

use delivery_figure::scene::{Layout, Scene};
use delivery_figure::svg;
use delivery_figure::told::Told;
use delivery_figure::window::Window;
use delivery_sim::{Scenario, Time};
use std::sync::Arc;
use std::time::Instant;

const STREAM: &str = "end = \"60s\"\n[[streams]]\nname = \"ORDERS\"\nsubjects = [\"orders.>\"]\n\
    [[consumers]]\nstream = \"ORDERS\"\nconfig = { durable_name = \"emails\", ack_wait = \"1s\" }\n";

/// Name and scenario of each run.
fn scenarios() -> Vec<(&'static str, String)> {
    let workers = |count: u32, batch: u32, work: &str| {
        format!(
            "[[workers]]\ncount = {count}\nbatch = {batch}\nexpires = \"30s\"\nservice_time = \"{work}\"\npause = \"20ms\"\n"
        )
    };
    let publish = |more: &str| {
        format!(
            "[[timeline]]\nat = \"0s\"\nop.publish = {{ subject = \"orders.new\", data = \"order-{{i}}\", count = 2000{more} }}\n"
        )
    };
    vec![
        ("a burst, 2 workers", STREAM.to_owned() + &workers(2, 10, "180ms") + &publish("")),
        (
            "steady, 10 workers",
            STREAM.to_owned() + &workers(10, 10, "110ms") + &publish(", every = \"25ms\""),
        ),
        (
            "steady, 40 quick workers",
            STREAM.to_owned() + &workers(40, 1, "50ms") + &publish(", every = \"25ms\""),
        ),
        (
            "one fetch of all",
            STREAM.to_owned() + &workers(1, 5_000, "20ms") + &publish(""),
        ),
        (
            "a slow subscriber",
            "end = \"60s\"\n[[subscribers]]\nname = \"email\"\nsubject = \"orders.>\"\nservice_time = \"40ms\"\npending_msgs_limit = 100\n"
                .to_owned()
                + &publish(", every = \"20ms\", via = \"core\""),
        ),
    ]
}

/// The median time of `what` in microseconds.
fn time<T>(mut what: impl FnMut() -> T) -> u128 {
    let mut times: Vec<u128> = (0..9)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(what());
            start.elapsed().as_micros()
        })
        .collect();
    times.sort_unstable();
    times[times.len() / 2]
}

fn main() {
    println!(
        "microseconds: run, read, scene, svg, outcome, longest caption, and if opened rows, account"
    );
    for (name, text) in scenarios() {
        let scenario: Scenario = toml::from_str(&text).expect("a scenario");
        let trace = Arc::new(delivery_sim::run(&scenario).expect("a run"));
        let told = Told::new(trace.clone());
        let scene = Scene::of(&told, Layout::Wide, None);
        let second = Window { from: Time::ms(10_000), to: Time::ms(11_000) };
        let row = [
            time(|| delivery_sim::run(&scenario)),
            time(|| Told::new(trace.clone())),
            time(|| Scene::of(&told, Layout::Wide, None)),
            time(|| Scene::of(&told, Layout::Wide, Some(second))),
            time(|| svg::write(&scene, "f", "t", "d", Time::ZERO)),
            time(|| told.outcome()),
            time(|| told.longest()),
            time(|| told.rows()),
            time(|| told.account("")),
        ];
        println!("{name}: {} records, {} rows: {row:?}", trace.records.len(), told.len());
        if let Ok(folder) = std::env::var("PICTURES") {
            let name = name.replace([' ', ','], "-");
            for (part, window) in [("whole", None), ("second", Some(second))] {
                for layout in [Layout::Wide, Layout::Tall] {
                    let scene = Scene::of(&told, layout, window);
                    let path = format!("{folder}/{name}-{part}-{layout:?}.svg");
                    std::fs::write(
                        path,
                        svg::write(&scene, "f", name.as_str(), "", Time::ms(10_500)),
                    )
                    .expect("a file");
                }
            }
        }
    }
}
