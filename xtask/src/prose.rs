//! Spelling and style of the book's text: tools of npm that run offline, with their words and rules in `prose/`.

use crate::Failure;
use crate::browser::{node, packages};
use crate::project::{command, root, run};

/// Where the tools and their rules are, from the root.
const FOLDER: &str = "prose";

/// Checks every text of the book.
///
/// # Errors
/// What is missing, or that something is to be mended; each place is printed with its file and line.
pub(crate) fn check() -> Result<(), Failure> {
    let what = "The checks of spelling and style";
    node(what)?;
    packages(what, &root().join(FOLDER))?;
    let folder = root().join(FOLDER);
    let modules = folder.join("node_modules");
    let tool = |program: &str, config: &str| {
        let mut node = command("node");
        node.arg(modules.join(program)).arg("--config").arg(folder.join(config));
        node
    };
    let spelling = run(tool("cspell/bin.mjs", "cspell.json").args([
        "--no-progress",
        "--no-summary",
        "--show-suggestions",
    ]));
    let style = run(tool("textlint/bin/textlint.js", ".textlintrc.json")
        .arg("--rules-base-directory")
        .arg(&modules)
        .args(["--format", "unix", "content/**/*.md"]));
    match (spelling, style) {
        (Ok(()), Ok(())) => Ok(()),
        (Err(_), style) => Err(format!(
            "Spelling: see the lines above. A word of the subject that is right belongs into {FOLDER}/words.txt.{}",
            if style.is_err() { " Style: likewise." } else { "" }
        )),
        (_, Err(_)) => Err("Style: see the lines above.".into()),
    }
}
