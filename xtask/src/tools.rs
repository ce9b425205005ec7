//! What building the site takes: the wasm target, trunk and the wasm-bindgen command line.
//!
//! Tools are used from PATH when they have exactly the wanted version, else from a cache of their own, else they are
//! built from source into it. Nothing that is already on the machine is changed.

use crate::Failure;
use crate::lock;
use crate::project::{cargo, command, on_path, output, root, run};
use crate::report::took;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const WASM: &str = "wasm32-unknown-unknown";
const TRUNK_VERSION: &str = "0.21.14";

/// The compiler's flags for the browser's program; native programs have others and are not built again for these.
const FLAGS: &str = "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS";

/// How the browser's program is built against a standard library of its own, a tenth lighter: a panic traps at once, so
/// neither its sentence nor its place in the source is carried. The compiler counts these among its unstable options.
const SMALL: [(&str, &str); 4] = [
    ("RUSTC_BOOTSTRAP", "1"),
    ("CARGO_UNSTABLE_BUILD_STD", "std,panic_abort"),
    ("CARGO_UNSTABLE_BUILD_STD_FEATURES", "optimize_for_size"),
    (FLAGS, "-Cpanic=immediate-abort -Zunstable-options -Zlocation-detail=none -Zfmt-debug=none"),
];

/// A program that `cargo install` can build.
struct Tool {
    /// The program, and its folder in the cache.
    name: &'static str,
    /// The package it comes from.
    package: &'static str,
    version: String,
    /// Further arguments of `cargo install`.
    arguments: &'static [&'static str],
    /// How hard the compiler works: the tools run for seconds, so their own build decides.
    opt_level: &'static str,
    /// How long that takes on two cores.
    takes: &'static str,
}

/// A site build's tools, all there.
pub(crate) struct Tools {
    /// The program.
    trunk: PathBuf,
    /// PATH with the folders of the tools first.
    path: OsString,
    /// Whether the source of the standard library is there, to build it small.
    small: bool,
}

impl Tools {
    /// Checks everything and fetches what is missing.
    ///
    /// # Errors
    /// A sentence on what is missing, cannot be fetched, and how to get it.
    pub(crate) fn fetch() -> Result<Self, Failure> {
        wasm_target()?;
        let lock = fs::read_to_string(root().join("Cargo.lock"))
            .map_err(|error| format!("Cargo.lock cannot be read: {error}."))?;
        let bindgen = lock::version(&lock, "wasm-bindgen")
            .ok_or("Cargo.lock has no wasm-bindgen, which the browser app needs.")?;
        let trunk = Tool {
            name: "trunk",
            package: "trunk",
            version: TRUNK_VERSION.into(),
            // Without TLS: it never downloads anything, its tools are fetched here.
            arguments: &["--locked", "--no-default-features"],
            opt_level: "0",
            takes: "four minutes",
        }
        .fetch()?;
        let bindgen = Tool {
            name: "wasm-bindgen",
            package: "wasm-bindgen-cli",
            version: bindgen.into(),
            // Not --locked: the lock it is published with may name a version that is no longer served.
            arguments: &[],
            opt_level: "1",
            takes: "three minutes",
        }
        .fetch()?;
        // Trunk runs cargo without the network.
        run(&mut cargo(["fetch", "--locked"]))?;
        let small = std_source();
        if !small {
            println!(
                "The source of the standard library is not here (rustup component add rust-src): the program of the labs \
                 is built without it, a tenth heavier."
            );
        }
        let folders = [&trunk, &bindgen].into_iter().filter_map(|tool| tool.parent());
        let old = std::env::var_os("PATH").unwrap_or_default();
        let path =
            std::env::join_paths(folders.map(Path::to_path_buf).chain(std::env::split_paths(&old)))
                .map_err(|error| format!("PATH cannot be extended by the tools: {error}."))?;
        Ok(Self { trunk, path, small })
    }

    /// A call of trunk that downloads nothing.
    pub(crate) fn trunk(&self) -> Command {
        let mut trunk = command(&self.trunk);
        trunk
            .env("PATH", &self.path)
            .env("TRUNK_OFFLINE", "true")
            .env("TRUNK_SKIP_VERSION_CHECK", "true");
        if self.small {
            trunk.envs(SMALL);
        } else {
            // Panics then name their files, and should name no folder of this machine.
            trunk.env(FLAGS, remapped(&root(), &cargo_home()));
        }
        trunk
    }
}

impl Tool {
    /// Where the program is, after building it if need be.
    fn fetch(&self) -> Result<PathBuf, Failure> {
        let Self { name, package, version, .. } = self;
        if let Some(found) = on_path(name).filter(|found| self.is(found)) {
            return Ok(found);
        }
        let folder = cache()?.join(format!("{name}-{version}"));
        let program = folder.join("bin").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        if self.is(&program) {
            return Ok(program);
        }
        println!(
            "{name} {version} is not on this machine: building it, about {} once, into {}.",
            self.takes,
            folder.display()
        );
        let start = Instant::now();
        run(cargo(["install", package, "--version", version, "--force", "--root"])
            .arg(&folder)
            .args(self.arguments)
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", self.opt_level)
            .env("CARGO_PROFILE_RELEASE_LTO", "off")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
            .env("CARGO_RESOLVER_INCOMPATIBLE_RUST_VERSIONS", "fallback"))
        .map_err(|failure| {
            format!(
                "{failure}\n{name} {version} could not be built. It needs a C compiler (Debian: apt-get install \
                 build-essential) and crates.io within reach. With `{name} --version` {version} on PATH it is not built."
            )
        })?;
        if !self.is(&program) {
            return Err(format!(
                "{name} {version} was built, but {} does not say that version.",
                program.display()
            ));
        }
        println!("{name} {version} is ready ({}).", took(start.elapsed()));
        Ok(program)
    }

    /// Whether that file is this tool in this version.
    fn is(&self, program: &Path) -> bool {
        output(Command::new(program).arg("--version"))
            .is_some_and(|text| text == format!("{} {}", self.name, self.version))
    }
}

/// The compiler's half of the browser.
fn wasm_target() -> Result<(), Failure> {
    let there = || {
        output(command("rustc").args(["--print", "target-libdir", "--target", WASM]))
            .and_then(|folder| fs::read_dir(folder).ok())
            .is_some_and(|mut files| files.next().is_some())
    };
    if there() {
        return Ok(());
    }
    println!("The Rust target {WASM} is not installed: asking rustup for it.");
    let failed = |failure| {
        format!(
            "{failure}\nThe Rust target {WASM} is missing. Install Rust by rustup (https://rustup.rs), then: rustup \
             target add {WASM}."
        )
    };
    run(command("rustup").args(["target", "add", WASM])).map_err(failed)?;
    if there() { Ok(()) } else { Err(failed(String::from("rustup did not bring it."))) }
}

/// Whether the standard library can be built: its source, asked of rustup if need be, and the crates that it is made of.
fn std_source() -> bool {
    let manifest = || {
        let sysroot = output(command("rustc").args(["--print", "sysroot"]))?;
        let library = Path::new(&sysroot).join("lib/rustlib/src/rust/library/Cargo.toml");
        library.is_file().then_some(library)
    };
    let Some(manifest) = manifest().or_else(|| {
        run(command("rustup").args(["component", "add", "rust-src"])).ok()?;
        manifest()
    }) else {
        return false;
    };
    run(cargo(["fetch", "--quiet", "--locked", "--target", WASM, "--manifest-path"])
        .arg(manifest)
        .env("RUSTC_BOOTSTRAP", "1"))
    .is_ok()
}

/// Where cargo keeps the source of packages.
fn cargo_home() -> PathBuf {
    std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .unwrap_or_else(|| std::env::home_dir().unwrap_or_default().join(".cargo"))
}

/// Flags that take the folders of this machine out of the names of sources. Cargo parts flags at spaces, so a folder with
/// one stays.
fn remapped(project: &Path, cargo: &Path) -> String {
    [(project, "."), (cargo, "cargo")]
        .into_iter()
        .map(|(folder, name)| format!("--remap-path-prefix={}={name}", folder.display()))
        .filter(|flag| !flag.contains(' '))
        .collect::<Vec<_>>()
        .join(" ")
}

/// The folder of the tools that were built for this project.
fn cache() -> Result<PathBuf, Failure> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    place(std::env::consts::OS, variable).ok_or_else(|| {
        "There is no place for the tools: neither HOME nor XDG_CACHE_HOME (on Windows: LOCALAPPDATA) is set.".into()
    })
}

/// The usual place for caches of an operating system.
fn place(os: &str, variable: impl Fn(&'static str) -> Option<OsString>) -> Option<PathBuf> {
    let home = || variable("HOME").map(PathBuf::from);
    let caches = match os {
        "windows" => variable("LOCALAPPDATA").map(PathBuf::from),
        "macos" => home().map(|home| home.join("Library/Caches")),
        _ => variable("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .filter(|folder| folder.is_absolute())
            .or_else(|| home().map(|home| home.join(".cache"))),
    };
    Some(caches?.join("delivery-lab").join("tools"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_folder_of_this_machine_is_in_the_names_of_sources() {
        for (project, cargo, flags) in [
            ("/p", "/h/.cargo", "--remap-path-prefix=/p=. --remap-path-prefix=/h/.cargo=cargo"),
            ("/my p", "/c", "--remap-path-prefix=/c=cargo"),
        ] {
            assert_eq!(remapped(Path::new(project), Path::new(cargo)), flags);
        }
    }

    #[test]
    fn the_cache_is_where_caches_are() {
        for (os, set, expected) in [
            ("linux", vec![("HOME", "/h")], Some("/h/.cache/delivery-lab/tools")),
            (
                "linux",
                vec![("HOME", "/h"), ("XDG_CACHE_HOME", "/c")],
                Some("/c/delivery-lab/tools"),
            ),
            (
                "linux",
                vec![("HOME", "/h"), ("XDG_CACHE_HOME", "relative")],
                Some("/h/.cache/delivery-lab/tools"),
            ),
            ("macos", vec![("HOME", "/h")], Some("/h/Library/Caches/delivery-lab/tools")),
            ("windows", vec![("LOCALAPPDATA", "/l")], Some("/l/delivery-lab/tools")),
            ("linux", vec![], None),
        ] {
            let found = place(os, |name| {
                set.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
            });
            assert_eq!(found, expected.map(PathBuf::from), "{os} {set:?}");
        }
    }
}
