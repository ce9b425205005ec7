//! Recordings of real servers, run again in the simulator.

use crate::Failure;
use std::io;
use std::path::PathBuf;

/// Replays recordings, a line each and the counts last; says whether all passed.
///
/// # Errors
/// If they cannot be read.
pub(crate) fn recordings(paths: &[PathBuf]) -> Result<bool, Failure> {
    let tally = delivery_conformance::replay(paths, &mut io::stdout().lock())
        .map_err(|error| format!("The recordings cannot be replayed: {error}."))?;
    Ok(tally.failed == 0)
}
