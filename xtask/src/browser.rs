//! What the tests in real browsers take: node, their packages, a Chromium and a Firefox.

use crate::Failure;
use crate::project::{command, on_path, output, root, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What all this is for.
const TESTS: &str = "The browser tests";

/// The oldest node that they run on.
const NODE: u32 = 20;

/// A browser as it is found, or installed where Debian's apt is.
struct Program {
    /// Its name for people.
    name: &'static str,
    /// The variable that names its file.
    variable: &'static str,
    /// Names under which it is found on PATH.
    on_path: &'static [&'static str],
    /// Where installers put it on macOS and Windows.
    installed: &'static [&'static str],
    /// Debian's package.
    package: &'static str,
}

const CHROMIUM: Program = Program {
    name: "Chromium or Chrome",
    variable: "CHROMIUM",
    on_path: &[
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
        "chrome",
        "msedge",
    ],
    installed: &[
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        r"C:\Program Files\Google\Chrome\Application\chrome.exe",
        r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
    ],
    package: "chromium",
};

const FIREFOX: Program = Program {
    name: "Firefox",
    variable: "FIREFOX",
    on_path: &["firefox-esr", "firefox"],
    installed: &[
        "/Applications/Firefox.app/Contents/MacOS/firefox",
        r"C:\Program Files\Mozilla Firefox\firefox.exe",
    ],
    package: "firefox-esr",
};

/// All that the browser tests need, there.
pub(crate) struct Browsers {
    chromium: PathBuf,
    firefox: PathBuf,
}

impl Browsers {
    /// Checks everything and fetches what is missing.
    ///
    /// # Errors
    /// A sentence on what is missing, cannot be fetched, and how to get it.
    pub(crate) fn fetch() -> Result<Self, Failure> {
        Ok(Self { chromium: fetch_chromium()?, firefox: FIREFOX.fetch()? })
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
            .env("FIREFOX", &self.firefox)
            .env("SITE", dist)
            .env("SITE_X", dist_x))
    }
}

/// Checks and fetches what a script with Chromium alone needs. Where that is.
///
/// # Errors
/// A sentence on what is missing, cannot be fetched, and how to get it.
pub(crate) fn fetch_chromium() -> Result<PathBuf, Failure> {
    node(TESTS)?;
    packages(TESTS, &root().join("e2e"))?;
    CHROMIUM.fetch()
}

/// Node itself cannot be fetched in a way that fits every machine. `what` needs it.
///
/// # Errors
/// If there is none, or an old one.
pub(crate) fn node(what: &str) -> Result<(), Failure> {
    let said = output(command("node").arg("--version"));
    match said.as_deref().map(|text| (text, major(text))) {
        Some((_, Some(found))) if found >= NODE => Ok(()),
        Some((text, _)) => Err(format!(
            "{what} need node {NODE} or later; here is {text}. See https://nodejs.org/en/download."
        )),
        None => Err(format!(
            "{what} need node {NODE} or later, and there is no `node` on PATH. See \
             https://nodejs.org/en/download, or leave them out: cargo xtask test --fast."
        )),
    }
}

/// The first number of `v20.20.2`.
fn major(version: &str) -> Option<u32> {
    version.strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// Installs the packages of a folder in exactly the locked versions, unless that was done before. `what` needs them.
///
/// # Errors
/// If they cannot be had.
pub(crate) fn packages(what: &str, folder: &Path) -> Result<(), Failure> {
    let read = |name: &str| fs::read(folder.join(name)).ok();
    let (lock, installed) = ("package-lock.json", "node_modules/installed-package-lock.json");
    if read(installed).is_some_and(|text| Some(text) == read(lock)) {
        return Ok(());
    }
    println!("{what}: installing their packages.");
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    run(command(npm).args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(folder)).map_err(
        |failure| {
            format!(
                "{failure}\n{what}: their packages could not be installed. npm comes with node; it needs \
                 the npm registry within reach."
            )
        },
    )?;
    fs::copy(folder.join(lock), folder.join(installed)).map(drop).map_err(|error| {
        format!("{} cannot be written: {error}.", folder.join(installed).display())
    })
}

impl Program {
    /// The one named by its variable, any that is installed, or Debian's.
    fn fetch(&self) -> Result<PathBuf, Failure> {
        let Self { name, variable, .. } = self;
        if let Some(named) = std::env::var_os(variable).filter(|value| !value.is_empty()) {
            let named = PathBuf::from(named);
            if named.is_file() {
                return Ok(named);
            }
            return Err(format!("{variable} names {}, which is no file.", named.display()));
        }
        if let Some(found) = self.find() {
            return Ok(found);
        }
        self.install()?;
        self.find().ok_or_else(|| format!("{name} was installed, but is not on PATH."))
    }

    fn find(&self) -> Option<PathBuf> {
        let places = || self.installed.iter().map(PathBuf::from);
        self.on_path
            .iter()
            .find_map(|name| on_path(name))
            .or_else(|| places().find(|file| file.is_file()))
    }

    /// Installs Debian's package, where that takes no password.
    fn install(&self) -> Result<(), Failure> {
        let Self { name, variable, package, .. } = self;
        let missing = |why: &str| {
            format!(
                "The browser tests need {name}, and none was found{why}. Install one (Debian, as root: apt-get install \
                 {package}), or name it: {variable}=/path/to/{package}. To leave them out: cargo xtask test --fast."
            )
        };
        if on_path("apt-get").is_none() {
            return Err(missing(""));
        }
        let root = output(Command::new("id").arg("-u")).is_some_and(|id| id == "0");
        if !root && output(Command::new("sudo").args(["-n", "true"])).is_none() {
            return Err(missing("; installing it takes a password here"));
        }
        println!("There is no {name} on this machine: installing Debian's {package}.");
        let apt = |arguments: &[&str]| {
            let mut words = if root { vec![] } else { vec!["sudo", "-n"] };
            words.extend(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y"]);
            words.extend(arguments);
            run(command(words[0]).args(&words[1..]).stdin(Stdio::null()))
        };
        apt(&["update"])
            .and_then(|()| apt(&["install", package]))
            .map_err(|failure| format!("{failure}\n{}", missing("")))
    }
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
