//! The project's folder, and commands that are run in it.

use crate::Failure;
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder of the built site, from the root.
pub(crate) const DIST: &str = "dist";

/// The root of the project: where its `Cargo.lock` is.
pub(crate) fn root() -> PathBuf {
    // Cargo tells where this package is now; the folder it was built in is right unless it was moved.
    let package = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    package.parent().map_or(package.clone(), Path::to_path_buf)
}

/// A command that will run in the root of the project.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// A call of the cargo that runs this task.
pub(crate) fn cargo<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Command {
    let mut cargo = command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(arguments);
    cargo
}

/// Runs a command to its end, its output going to the terminal.
///
/// # Errors
/// A sentence with the command, if it cannot be started or does not succeed.
pub(crate) fn run(command: &mut Command) -> Result<(), Failure> {
    let status = command.status().map_err(|error| not_started(command, &error))?;
    if status.success() {
        return Ok(());
    }
    Err(format!("`{}` failed ({status}); its own words are above.", line(command)))
}

/// What a command prints, if it can be started and succeeds.
pub(crate) fn output(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The sentence on a command that cannot be started.
pub(crate) fn not_started(command: &Command, error: &std::io::Error) -> Failure {
    let program = command.get_program().display();
    match error.kind() {
        ErrorKind::NotFound => {
            format!("`{program}` is not installed, or not in a folder named by PATH.")
        }
        _ => format!("`{program}` cannot be started: {error}."),
    }
}

/// A command as one would type it.
fn line(command: &Command) -> String {
    let mut line = Path::new(command.get_program())
        .file_stem()
        .unwrap_or(command.get_program())
        .to_string_lossy()
        .into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    line
}

/// The program of that name in a folder named by PATH.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(&name))
        .find(|file| file.is_file())
}

/// Measures the simulator.
///
/// # Errors
/// If the benchmarks do not run to their end.
pub(crate) fn bench(arguments: &[String]) -> Result<(), Failure> {
    run(cargo(["bench", "--locked", "-p", "delivery-sim", "--"]).args(arguments))
}
