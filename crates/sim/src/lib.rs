//! A simulator of Core NATS and JetStream: scenario in, trace out.
//!
//! ```
//! use delivery_sim::{run, Scenario};
//! let trace = run(&Scenario::default()).unwrap();
//! assert!(trace.records.is_empty());
//! ```
//!
//! # Scope of this crate
//!
//! It is pure: no clock, no input or output, no global state, no randomness but its own seeded
//! generator. The same scenario gives the same trace, byte for byte, natively and in WebAssembly.
//! It models one server and its clients: not clusters, partitions or disks. Behaviour follows rules
//! observed on real servers; "R12" in these pages names such a rule.

pub mod check;
pub mod compact;
pub mod config;
mod engine;
pub mod info;
mod keep;
pub mod order;
mod queue;
pub mod report;
pub mod rng;
pub mod scenario;
mod server;
pub mod setting;
mod sorted;
pub mod subject;
pub mod time;
pub mod trace;
pub mod why;

pub use engine::MAX_STEPS;
pub use info::{ConsumerInfo, StreamInfo};
pub use keep::{run, run_within};
pub use report::{Report, Tally, outcomes, slots, tally, tally_payloads};
pub use scenario::Scenario;
pub use time::{Dur, Time};
pub use trace::{Event, Observer, Record, Trace};
pub use why::{Causes, Why, why};

/// Runs a scenario to its end and tells `observer` what happens, without keeping anything.
///
/// # Errors
/// What is wrong with the scenario, a sentence each.
pub fn run_with<O: Observer>(
    scenario: &Scenario,
    observer: &mut O,
) -> Result<Option<trace::Cut>, Vec<String>> {
    let names = check::check(scenario)?;
    Ok(engine::run(scenario, names, observer).cut)
}
