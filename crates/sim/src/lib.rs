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

pub mod info;
pub mod scenario;
pub mod setting;
pub mod time;
pub mod trace;

pub use info::{ConsumerInfo, StreamInfo};
pub use scenario::Scenario;
pub use time::{Dur, Time};
pub use trace::{Event, Observer, Record, Trace};

/// Runs a scenario to its end and keeps everything.
///
/// # Errors
/// What is wrong with the scenario, a sentence each.
pub fn run(scenario: &Scenario) -> Result<Trace, Vec<String>> {
    let _ = scenario;
    Ok(Trace {
        scenario: scenario.clone(),
        streams: Vec::new(),
        consumers: Vec::new(),
        clients: Vec::new(),
        messages: Vec::new(),
        records: Vec::new(),
        infos: Vec::new(),
        answers: Vec::new(),
        end: scenario.end,
        cut: None,
    })
}
