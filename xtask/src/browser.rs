//! What the tests in a real browser take: node, their packages, and a Chromium.

use crate::Failure;
use crate::project::{command, on_path, output, root, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The oldest node that they run on.
const NODE: u32 = 20;

/// Names under which the browser is found on PATH.
const ON_PATH: [&str; 6] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge"];

/// Where installers put it on macOS and Windows.
const INSTALLED: [&str; 4] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
];

/// All that the browser tests need, there.
pub(crate) struct Browser {
    chromium: PathBuf,
}

impl Browser {
    /// Checks everything and fetches what is missing.
    ///
    /// # Errors
    /// A sentence on what is missing, cannot be fetched, and how to get it.
    pub(crate) fn fetch() -> Result<Self, Failure> {
        node()?;
        packages(&root().join("e2e"))?;
        Ok(Self { chromium: chromium()? })
    }

    /// Runs the browser tests on the site in `dist` and the one built for `/x/` in `dist_x`.
    ///
    /// # Errors
    /// If one fails.
    pub(crate) fn test(&self, dist: &Path, dist_x: &Path) -> Result<(), Failure> {
        run(command("node")
            .args(["--test", "--test-concurrency=1", "--test-reporter=spec"])
            .current_dir(root().join("e2e"))
            .env("CHROMIUM", &self.chromium)
            .env("SITE", dist)
            .env("SITE_X", dist_x))
    }
}

/// Node itself cannot be fetched in a way that fits every machine.
fn node() -> Result<(), Failure> {
    let said = output(command("node").arg("--version"));
    match said.as_deref().map(|text| (text, major(text))) {
        Some((_, Some(found))) if found >= NODE => Ok(()),
        Some((text, _)) => Err(format!(
            "The browser tests need node {NODE} or later; here is {text}. See https://nodejs.org/en/download."
        )),
        None => Err(format!(
            "The browser tests need node {NODE} or later, and there is no `node` on PATH. See \
             https://nodejs.org/en/download, or leave them out: cargo xtask test --fast."
        )),
    }
}

/// The first number of `v20.20.2`.
fn major(version: &str) -> Option<u32> {
    version.strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// Installs the packages in exactly the locked versions, unless that was done before.
fn packages(folder: &Path) -> Result<(), Failure> {
    let read = |name: &str| fs::read(folder.join(name)).ok();
    let (lock, installed) = ("package-lock.json", "node_modules/installed-package-lock.json");
    if read(installed).is_some_and(|text| Some(text) == read(lock)) {
        return Ok(());
    }
    println!("Installing the packages of the browser tests.");
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    run(command(npm).args(["ci", "--no-audit", "--no-fund"]).current_dir(folder)).map_err(
        |failure| {
            format!(
                "{failure}\nThe packages of the browser tests could not be installed. npm comes with node; it needs \
                 the npm registry within reach."
            )
        },
    )?;
    fs::copy(folder.join(lock), folder.join(installed))
        .map(drop)
        .map_err(|error| format!("e2e/{installed} cannot be written: {error}."))
}

/// The browser: the one named by CHROMIUM, any that is installed, or Debian's.
fn chromium() -> Result<PathBuf, Failure> {
    if let Some(named) = std::env::var_os("CHROMIUM").filter(|value| !value.is_empty()) {
        let named = PathBuf::from(named);
        if named.is_file() {
            return Ok(named);
        }
        return Err(format!("CHROMIUM names {}, which is no file.", named.display()));
    }
    if let Some(found) = installed() {
        return Ok(found);
    }
    debian()?;
    installed().ok_or_else(|| "Chromium was installed, but is not on PATH.".into())
}

fn installed() -> Option<PathBuf> {
    ON_PATH
        .into_iter()
        .find_map(on_path)
        .or_else(|| INSTALLED.into_iter().map(PathBuf::from).find(|file| file.is_file()))
}

/// Installs Debian's Chromium, where that takes no password.
fn debian() -> Result<(), Failure> {
    let missing = |why: &str| {
        format!(
            "The browser tests need Chromium or Chrome, and none was found{why}. Install one (Debian, as root: apt-get \
             install chromium), or name it: CHROMIUM=/path/to/chromium. To leave them out: cargo xtask test --fast."
        )
    };
    if on_path("apt-get").is_none() {
        return Err(missing(""));
    }
    let root = output(Command::new("id").arg("-u")).is_some_and(|id| id == "0");
    if !root && output(Command::new("sudo").args(["-n", "true"])).is_none() {
        return Err(missing("; installing it takes a password here"));
    }
    println!("There is no Chromium on this machine: installing Debian's.");
    let apt = |arguments: &[&str]| {
        let mut words = if root { vec![] } else { vec!["sudo", "-n"] };
        words.extend(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y"]);
        words.extend(arguments);
        run(command(words[0]).args(&words[1..]).stdin(Stdio::null()))
    };
    apt(&["update"])
        .and_then(|()| apt(&["install", "chromium"]))
        .map_err(|failure| format!("{failure}\n{}", missing("")))
}

#[cfg(test)]
mod tests {
    use super::major;

    #[test]
    fn versions_of_node() {
        for (text, number) in
            [("v20.20.2", Some(20)), ("v8", Some(8)), ("20.1.0", None), ("", None), ("vx.1", None)]
        {
            assert_eq!(major(text), number, "{text}");
        }
    }
}
