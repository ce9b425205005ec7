//! Everything that must hold, in order, cheapest first.

use crate::browser::Browsers;
use crate::project::{DIST, cargo, root, run};
use crate::report::Report;
use crate::tools::Tools;
use crate::{Failure, prose, replay, site, size};

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

/// Why a step was left out.
const FAST: &str = "left out, as --fast asks";

/// Runs every check; `fast` leaves out the prose, the site and the browser.
///
/// # Errors
/// What failed, after the summary.
pub(crate) fn everything(fast: bool) -> Result<(), Failure> {
    let mut report = Report::default();
    // What is missing is said before anything long is started.
    let set_up = if fast {
        report.skip("set-up", FAST);
        None
    } else {
        report.step("set-up", || {
            let browsers = Browsers::fetch()?;
            Ok((Tools::fetch()?, browsers))
        })
    };
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
    report.step("tests", || run(cargo(["test", "--no-fail-fast"]).args(NATIVE)));
    report.step("recordings of real servers", || {
        if replay::recordings(&[root().join(RECORDINGS)])? {
            return Ok(());
        }
        Err("The simulator does not do what a real server did; see the lines above.".into())
    });
    if fast {
        for name in ["prose", "site", "site under /x/", "weight", "browser"] {
            report.skip(name, FAST);
        }
        return report.finish();
    }
    report.step("prose", prose::check);
    let (dist, dist_x) = (root().join(DIST), root().join(DIST_X));
    let tools = set_up.as_ref().map(|(tools, _)| tools);
    let site = report.after(tools, "site", |tools| site::build_with(tools, None, &dist));
    let site_x = report
        .after(tools, "site under /x/", |tools| site::build_with(tools, Some("/x/"), &dist_x));
    report.after(site, "weight", |()| size::print(&dist));
    let browsers =
        set_up.as_ref().map(|(_, browsers)| browsers).filter(|_| site.and(site_x).is_some());
    report.after(browsers, "browser", |browsers| browsers.test(&dist, &dist_x));
    report.finish()
}
