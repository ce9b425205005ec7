//! Recordings of real servers, and their comparison with the simulator.
//!
//! A recording is a JSON file in one of two forms, described beside the recordings: a *trace* lists every event of a
//! scripted run, a *case* what came of a configuration that somebody asked about. [`replay()`] reads both, runs the
//! simulator on their first half and compares with the second, once for every server release that the file names.
//! A new recording is a new file, no new code; what a recording needs and the simulator lacks is named.
//!
//! - [`read`](mod@read): a file becomes a [`Recording`](read::Recording).
//! - [`scenario`] and [`case`]: what was done, as a scenario of the simulator. One arm for each operation.
//! - [`seen`] and [`outcome`]: what the simulator did, in the terms of the recording. One arm for each event.
//! - [`compare`]: the two side by side; `assertion`: the sentences of nondeterministic ones.
//! - [`run`] and [`mod@replay`]: one recording for one release; all of them, with a report.

mod assertion;
pub mod case;
pub mod compare;
pub mod config;
pub mod event;
pub mod outcome;
pub mod read;
pub mod replay;
pub mod run;
pub mod scenario;
pub mod seen;
mod shown;
pub mod stop;

pub use replay::{Tally, replay};
pub use stop::Stop;
