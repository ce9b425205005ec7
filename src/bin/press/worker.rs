//! The service worker: the lists of an edition of the site, each file with its digest.

use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

const WORKER: &str = include_str!("../../../reader/worker.js");

/// Where it is: at the root, since it may speak only for what is below it.
pub(crate) const NAME: &str = "worker.js";
/// The page that stands for one that is not kept; the script says so too.
pub(crate) const OFFLINE: &str = "offline/";

/// The worker of a site: files that every page needs, and pages, each by its place and with what is in it.
pub(crate) fn script(shell: &[(String, Vec<u8>)], pages: &[(String, Vec<u8>)]) -> String {
    let (shell, pages) = (list(shell), list(pages));
    let edition: String = digest(format!("{WORKER}{shell}{pages}").as_bytes())
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .take(16)
        .collect();
    WORKER
        .replace("{{EDITION}}", &edition)
        .replace("/* {{SHELL}} */", &shell)
        .replace("/* {{PAGES}} */", &pages)
}

/// The entries of an object of JavaScript: places and digests.
fn list(files: &[(String, Vec<u8>)]) -> String {
    let mut out = String::from("\n");
    for (path, content) in files {
        // Places are made of slugs and of names that trunk or the press gave.
        let _ = writeln!(out, "  '{path}': '{}',", digest(content));
    }
    out
}

/// SHA-256 in base64, as `integrity` wants it.
fn digest(content: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(44);
    for three in Sha256::digest(content).chunks(3) {
        let bits =
            (0..3).fold(0, |bits, i| bits << 8 | u32::from(three.get(i).copied().unwrap_or(0)));
        for i in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * i)) as usize & 63];
            out.push(if i > three.len() { '=' } else { char::from(letter) });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_that_browsers_compute() {
        for (content, base64) in [
            ("", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="),
            ("abc", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="),
        ] {
            assert_eq!(digest(content.as_bytes()), base64);
        }
    }

    #[test]
    fn an_edition_changes_with_every_file_in_it() {
        let file = |path: &str, content: &str| (path.to_owned(), content.as_bytes().to_vec());
        let of =
            |shell: &str, page: &str| script(&[file("style-1.css", shell)], &[file("a/", page)]);
        let edition = |script: &str| {
            script
                .split("EDITION = '")
                .nth(1)
                .and_then(|rest| rest.split('\'').next())
                .unwrap()
                .to_owned()
        };
        let first = of("a", "b");
        assert!(
            first.contains("'style-1.css': 'ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs='"),
            "{first}"
        );
        assert!(!first.contains("{{"), "{first}");
        assert_eq!(edition(&first), edition(&of("a", "b")));
        assert_ne!(edition(&first), edition(&of("a", "c")));
        assert_ne!(edition(&first), edition(&of("c", "b")));
    }
}
