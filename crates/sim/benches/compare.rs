//! The same run natively, on a bare heap, in WebAssembly under node, and in SimPy: one table, one invocation.
//!
//! ```text
//! cargo bench -p delivery-sim --bench compare
//! ```
//!
//! The module is the package `delivery-bench-wasm`, built here with the profile of the site and, like the
//! simulator itself, for speed. SimPy gets a virtual environment in the target folder, from the pinned
//! `simpy/requirements.txt`. What is missing on a machine (node, the wasm32 target, python3) is left out, and
//! said. Native, heap and WebAssembly take turns, so that a busy machine slows all of them; medians count.

mod heap;
mod shop;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const MESSAGES: u32 = 1_000_000;
/// SimPy takes its time.
const SIMPY_MESSAGES: u32 = 20_000;
const ROUNDS: usize = 7;

/// One way to do the run, measured.
struct Measured {
    events: u64,
    ms: Vec<f64>,
}

impl Measured {
    fn median(&self) -> f64 {
        let mut ms = self.ms.clone();
        ms.sort_by(f64::total_cmp);
        ms[ms.len() / 2]
    }
}

fn main() {
    // `cargo test --benches` only wants to know that it runs.
    if !std::env::args().any(|a| a == "--bench") {
        assert!(shop::tallied(&shop::shop(1_000)) > 1_000);
        heap::bare_heap(1_000);
        return;
    }
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches");
    let target = target_folder();
    let module =
        wasm_module(&target).inspect_err(|why| println!("WebAssembly is left out: {why}")).ok();
    let simpy =
        simpy_python(&here, &target).inspect_err(|why| println!("SimPy is left out: {why}")).ok();

    let scenario = shop::shop(MESSAGES);
    let empty = || Measured { events: 0, ms: Vec::new() };
    let (mut native, mut bare, mut wasm, mut python) = (empty(), empty(), empty(), empty());
    let mut ratios = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        native.events = shop::tallied(&scenario);
        native.ms.push(ms_since(start));
        let start = Instant::now();
        heap::bare_heap(native.events);
        bare.ms.push(ms_since(start));
        if let Some(module) = &module {
            let mut node = Command::new("node");
            node.arg(here.join("node.mjs")).arg(module).arg(MESSAGES.to_string());
            match measured(&mut node) {
                Ok((events, ms)) => {
                    assert_eq!(events, native.events, "WebAssembly runs another run");
                    wasm.events = events;
                    wasm.ms.push(ms);
                    ratios.push(native.ms[native.ms.len() - 1] / ms);
                }
                Err(why) => println!("WebAssembly is left out: {why}"),
            }
        }
    }
    bare.events = native.events;
    if let Some(simpy) = &simpy {
        match measured(
            Command::new(simpy).arg(here.join("simpy/model.py")).arg(SIMPY_MESSAGES.to_string()),
        ) {
            Ok((events, ms)) => python = Measured { events, ms: vec![ms] },
            Err(why) => println!("SimPy is left out: {why}"),
        }
    }

    println!("\none stream, four workers, 2 % crashes, backoff; one core, medians of {ROUNDS}\n");
    println!(
        "{:<14} {:>10} {:>10} {:>10} {:>12} {:>14} {:>8}",
        "", "messages", "events", "ms", "Mevents/s", "kmessages/s", "speed"
    );
    let native_rate = f64::from(MESSAGES) / native.median();
    for (name, messages, measured) in [
        ("native", MESSAGES, &native),
        ("bare heap", MESSAGES, &bare),
        ("WebAssembly", MESSAGES, &wasm),
        ("SimPy", SIMPY_MESSAGES, &python),
    ] {
        if measured.ms.is_empty() {
            println!("{name:<14} left out");
            continue;
        }
        let (ms, rate) = (measured.median(), f64::from(messages) / measured.median());
        println!(
            "{name:<14} {messages:>10} {:>10} {ms:>10.1} {:>12.2} {rate:>14.1} {:>8.4}",
            measured.events,
            measured.events as f64 / ms / 1e3,
            rate / native_rate,
        );
    }
    println!(
        "\nspeed: messages a second, as a share of native; SimPy's events are steps of its own loop"
    );
    if !ratios.is_empty() {
        ratios.sort_by(f64::total_cmp);
        println!(
            "WebAssembly against the native run beside it: median {:.2}, from {:.2} to {:.2} (bar: 0.60)",
            ratios[ratios.len() / 2],
            ratios[0],
            ratios[ratios.len() - 1]
        );
    }
}

fn ms_since(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

/// The folder that cargo builds into: this program lies in `release/deps` in it.
fn target_folder() -> PathBuf {
    let program = std::env::current_exe().expect("a running program has a path");
    program.ancestors().nth(3).expect("cargo puts benches three folders deep").to_owned()
}

/// Builds the module as the site would, and checks that there is a node to run it.
fn wasm_module(target: &Path) -> Result<PathBuf, String> {
    run(Command::new("node").arg("--version"))?;
    let triple = "wasm32-unknown-unknown";
    run(Command::new(env!("CARGO"))
        .args([
            "build",
            "--quiet",
            "--release",
            "--package",
            "delivery-bench-wasm",
            "--target",
            triple,
        ])
        // The loop is generic over the observer, so that this package holds its machine code.
        .args(["--config", "profile.release.package.delivery-bench-wasm.opt-level=3"])
        .arg("--target-dir")
        .arg(target)
        .current_dir(env!("CARGO_MANIFEST_DIR")))?;
    Ok(target.join(triple).join("release/delivery_bench_wasm.wasm"))
}

/// A Python with SimPy: its virtual environment is made at first use.
fn simpy_python(here: &Path, target: &Path) -> Result<PathBuf, String> {
    let folder = target.join("simpy");
    let python = folder.join("bin/python");
    let wanted = here.join("simpy/requirements.txt");
    if !python.exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    }
    run(Command::new(&python)
        .args(["-m", "pip", "install", "--quiet", "--requirement"])
        .arg(wanted))?;
    Ok(python)
}

/// Runs a command to its end.
fn run(command: &mut Command) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.output() {
        Err(error) => Err(format!("{program} does not start: {error}")),
        Ok(output) if output.status.success() => {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        }
        Ok(output) => {
            Err(format!("{program} fails: {}", String::from_utf8_lossy(&output.stderr).trim()))
        }
    }
}

/// Runs a command that prints one JSON object with `events` and `ms`.
fn measured(command: &mut Command) -> Result<(u64, f64), String> {
    let out = run(command)?;
    let read: Result<serde_json::Value, _> = serde_json::from_str(&out);
    let field = |name: &str| read.as_ref().ok()?.get(name)?.as_f64();
    match (field("events"), field("ms")) {
        (Some(events), Some(ms)) => Ok((events as u64, ms)),
        _ => Err(format!("it prints no events and ms: {out}")),
    }
}
