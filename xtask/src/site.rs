//! Building and serving the site, by trunk.

use crate::Failure;
use crate::project::{not_started, root, run};
use crate::report::took;
use crate::tools::Tools;
use std::net::TcpListener;
use std::path::Path;
use std::time::Instant;

/// Where `serve` builds, from the root: not `dist`, whose files are those for a host.
const SERVED: &str = "target/serve";

/// Folders from which the site is not made; trunk wants each to be there.
const UNWATCHED: [&str; 2] = ["target", "e2e"];

/// Serves the site on 127.0.0.1 and rebuilds it on every change, until Ctrl-C.
///
/// # Errors
/// A sentence on what is missing, or that the port is taken.
pub(crate) fn serve(port: u16) -> Result<(), Failure> {
    if let Err(error) = TcpListener::bind(("127.0.0.1", port)) {
        return Err(format!(
            "Port {port} on 127.0.0.1 cannot be used ({error}). Choose another: cargo xtask serve --port N."
        ));
    }
    let tools = Tools::fetch()?;
    let dist = root().join(SERVED);
    std::fs::create_dir_all(&dist)
        .map_err(|error| format!("{} cannot be made: {error}.", dist.display()))?;
    println!(
        "Building the site (the first time takes some minutes). Then look at http://127.0.0.1:{port}/; changes of \
         content, style or code rebuild it. Ctrl-C ends it."
    );
    let mut trunk = tools.trunk();
    trunk.args(["serve", "--disable-address-lookup", "--address", "127.0.0.1"]);
    trunk.args(["--port", &port.to_string()]);
    for folder in UNWATCHED {
        trunk.args(["--ignore", folder]);
    }
    trunk.arg("--dist").arg(dist);
    become_it(&mut trunk)
}

/// Hands this process over, so that Ctrl-C and every other signal go straight to the server.
#[cfg(unix)]
fn become_it(command: &mut std::process::Command) -> Result<(), Failure> {
    let error = std::os::unix::process::CommandExt::exec(command);
    Err(not_started(command, &error))
}

/// Waits for the server; Ctrl-C reaches every process of the console.
#[cfg(not(unix))]
fn become_it(command: &mut std::process::Command) -> Result<(), Failure> {
    let status = command.status().map_err(|error| not_started(command, &error))?;
    if status.success() { Ok(()) } else { Err(format!("trunk serve ended ({status}).")) }
}

/// Builds the site into `dist`. `public_url` is where it will be on its host; without it every link is relative.
///
/// # Errors
/// A sentence on what is missing, or the failure of the build.
pub(crate) fn build(public_url: Option<&str>, dist: &Path) -> Result<(), Failure> {
    build_with(&Tools::fetch()?, public_url, dist)
}

/// As [`build`], the tools being there.
pub(crate) fn build_with(
    tools: &Tools,
    public_url: Option<&str>,
    dist: &Path,
) -> Result<(), Failure> {
    let start = Instant::now();
    let mut trunk = tools.trunk();
    trunk.args(["build", "--release", "--dist"]).arg(dist);
    if let Some(url) = public_url {
        trunk.args(["--public-url", url]);
    }
    run(&mut trunk)?;
    println!("The site is in {} ({}).", dist.display(), took(start.elapsed()));
    Ok(())
}
