//! Everything that must hold, in order, cheapest first.

use crate::browser::Browser;
use crate::project::{DIST, cargo, root, run};
use crate::report::Report;
use crate::tools::Tools;
use crate::{Failure, replay, site, size};

/// Where the site is built as it will be under `/x/` on a host, from the root.
const DIST_X: &str = "target/dist-x";

/// The recordings that the project keeps, from the root.
const RECORDINGS: &str = "crates/conformance/recordings";

/// The browser app has exclusive features: this is its native half, the one that writes the site …
const NATIVE: [&str; 4] = ["--locked", "--workspace", "--features", "delivery-lab/press"];

/// … and this the half in the browser.
const IN_BROWSER: [&str; 8] = [
    "--locked",
    "--package",
    "delivery-lab",
    "--target",
    "wasm32-unknown-unknown",
    "--no-default-features",
    "--features",
    "csr",
];

/// Runs every check; `fast` leaves out the site and the browser.
///
/// # Errors
/// The first failure, after the summary.
pub(crate) fn everything(fast: bool) -> Result<(), Failure> {
    let (dist, dist_x) = (root().join(DIST), root().join(DIST_X));
    let (mut tools, mut browser) = (None, None);
    let mut report = Report::default();

    // What is missing is said before anything long is started.
    if fast {
        report.skip("set-up", FAST);
    } else {
        report.step("set-up", || {
            browser = Some(Browser::fetch()?);
            tools = Some(Tools::fetch()?);
            Ok(())
        });
    }
    report.step("formatting", || run(&mut cargo(["fmt", "--all", "--check"])));
    report.step("lints, native", || {
        run(cargo(["clippy"]).args(NATIVE).args(["--all-targets", "--", "-D", "warnings"]))
    });
    report.step("lints, browser", || {
        run(cargo(["clippy"]).args(IN_BROWSER).args(["--", "-D", "warnings"]))
    });
    report.step("documentation", || {
        run(cargo(["doc", "--no-deps"]).args(NATIVE).env("RUSTDOCFLAGS", "-D warnings"))
    });
    report.step("tests", || run(cargo(["test"]).args(NATIVE)));
    report.step("recordings of real servers", || {
        if replay::recordings(&[root().join(RECORDINGS)])? {
            Ok(())
        } else {
            Err("The simulator does not do what a real server did; see the lines above.".into())
        }
    });
    let (Some(tools), Some(browser)) = (tools, browser) else {
        for name in ["site", "site under /x/", "weight", "browser"] {
            report.skip(name, if fast { FAST } else { "not run, since the set-up failed" });
        }
        return report.finish();
    };
    report.step("site", || site::build_with(&tools, None, &dist));
    report.step("site under /x/", || site::build_with(&tools, Some("/x/"), &dist_x));
    report.step("weight", || size::print(&dist));
    report.step("browser", || browser.test(&dist, &dist_x));
    report.finish()
}

/// Why a step was left out.
const FAST: &str = "left out, as --fast asks";
