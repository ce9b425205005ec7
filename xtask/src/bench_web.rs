//! Measuring the labs of a built site in a real browser.

use crate::Failure;
use crate::browser::fetch_chromium;
use crate::project::{command, root, run};
use std::path::Path;

/// Prints what each lab costs a reader beside the project's bars; one lab alone, if it is named.
///
/// # Errors
/// A sentence on what is missing, or if something could not be measured. A figure above its bar is no error: a busy
/// machine is as likely a cause, and the table tells both.
pub(crate) fn print(dist: &Path, lab: Option<&str>, runs: u32) -> Result<(), Failure> {
    if !dist.join("index.html").is_file() {
        return Err(format!(
            "There is no site in {}. Build it first: cargo xtask build.",
            dist.display()
        ));
    }
    let dist = dist
        .canonicalize()
        .map_err(|error| format!("{} cannot be reached: {error}.", dist.display()))?;
    let mut node = command("node");
    node.arg("bench/main.mjs").args(["--runs", &runs.to_string()]);
    if let Some(lab) = lab {
        node.args(["--lab", lab]);
    }
    run(node.current_dir(root().join("e2e")).env("CHROMIUM", fetch_chromium()?).env("SITE", dist))
}
