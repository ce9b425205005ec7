//! What a reader's browser downloads for the chapter page, and for a lab in the frame of another page, against their limits.

use crate::Failure;
use std::fmt::Write as _;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The chapter that is weighed, and the embed.
const PAGES: [&str; 2] = ["the-stopwatch/index.html", "embed/crash-redelivery/index.html"];

/// Most brotli bytes before the prose is readable: the page itself, its style and its loader.
const TO_READ: u64 = 45 * 1024;
/// Most brotli bytes in all, with every lab live. The aim is 200 KiB, which a lab with all its instruments does not reach yet; what
/// it is now may not grow.
const IN_ALL: u64 = 240 * 1024;
/// Most requests in all.
const REQUESTS: usize = 12;

/// Most brotli bytes of the index that a search fetches.
const INDEX: u64 = 60 * 1024;

/// A file that the page loads.
#[derive(Debug, PartialEq, Eq)]
struct Part {
    /// From the root of the site, with `/`.
    path: String,
    /// Whether reading the prose needs it.
    to_read: bool,
    /// As it lies on the disk.
    raw: u64,
    /// As a host sends it.
    brotli: u64,
}

/// Prints the tables of the pages in the built site `dist`.
///
/// # Errors
/// If one is above a limit, or not there.
pub(crate) fn print(dist: &Path) -> Result<(), Failure> {
    let mut over = Vec::new();
    for page in PAGES {
        let parts = weigh(dist, page)?;
        println!("{}", table(&parts));
        over.extend(above(&parts).into_iter().map(|clause| format!("{page}: {clause}")));
    }
    let (path, index) = index(dist)?;
    println!("{index:>21}  {path}, when somebody searches, of {INDEX}");
    if index > INDEX {
        over.push(format!("{path}: {index} bytes when somebody searches, at most {INDEX}"));
    }
    if over.is_empty() {
        return Ok(());
    }
    Err(format!("The site is too heavy: {}.", over.join("; ")))
}

/// The index that the first page names, from the root of the site, and its size in brotli.
fn index(dist: &Path) -> Result<(String, u64), Failure> {
    let page = PAGES[0];
    let html = fs::read_to_string(dist.join(page)).unwrap_or_default();
    let path = html
        .split('<')
        .find_map(|tag| attribute(tag, "data-index"))
        .and_then(|link| resolve(dist, page, link))
        .ok_or_else(|| format!("{page} names no index of the book that is there."))?;
    let bytes =
        fs::read(dist.join(&path)).map_err(|error| format!("{path} cannot be read: {error}."))?;
    Ok((path, compressed(&bytes)))
}

/// Finds every file of the page and compresses it.
fn weigh(dist: &Path, page: &str) -> Result<Vec<Part>, Failure> {
    let read = |path: &str| {
        let file = dist.join(path);
        fs::read(&file).map_err(|error| {
            format!(
                "{} cannot be read: {error}. Build the site first: cargo xtask build.",
                file.display()
            )
        })
    };
    let html = read(page)?;
    let mut found = vec![(page.to_owned(), true)];
    for (link, to_read) in links(&String::from_utf8_lossy(&html)) {
        let path = resolve(dist, page, link)
            .ok_or_else(|| format!("{page} loads `{link}`, which is no file of the site."))?;
        if !found.iter().any(|(known, _)| *known == path) {
            found.push((path, to_read));
        }
    }
    found
        .into_iter()
        .map(|(path, to_read)| {
            let bytes = read(&path)?;
            Ok(Part { raw: bytes.len() as u64, brotli: compressed(&bytes), path, to_read })
        })
        .collect()
}

/// The size of `bytes` in brotli at its best level, 11.
fn compressed(bytes: &[u8]) -> u64 {
    let parameters = brotli::enc::BrotliEncoderParams::default();
    let mut out = Vec::new();
    // Reading from and writing to memory does not fail.
    let _ = brotli::BrotliCompress(&mut &bytes[..], &mut out, &parameters);
    out.len() as u64
}

/// What a page makes the browser load, and whether reading the prose needs it: a link to a place that is only named
/// (canonical, next, an anchor) is not loaded.
fn links(html: &str) -> Vec<(&str, bool)> {
    let mut found = Vec::new();
    for tag in html.split('<').skip(1) {
        let tag = tag.split('>').next().unwrap_or("");
        let name = tag.split_ascii_whitespace().next().unwrap_or("");
        let rel = attribute(tag, "rel").unwrap_or("");
        match name {
            "link" => {
                let loads = rel.split_ascii_whitespace().any(|word| {
                    matches!(word, "stylesheet" | "icon" | "manifest" | "preload" | "modulepreload")
                });
                if loads {
                    let style = rel.contains("stylesheet");
                    found.extend(attribute(tag, "href").map(|link| (link, style)));
                }
            }
            "script" => found.extend(attribute(tag, "src").map(|link| (link, true))),
            "img" => found.extend(attribute(tag, "src").map(|link| (link, false))),
            // What the loader fetches when a lab comes near.
            "meta" => found.extend(
                ["data-js", "data-wasm"]
                    .into_iter()
                    .filter_map(|name| attribute(tag, name))
                    .map(|link| (link, false)),
            ),
            _ => {}
        }
    }
    found.retain(|(link, _)| !link.starts_with("data:"));
    found
}

/// The value of an attribute, quoted or not, in the text of a tag.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let mut from = 0;
    while let Some(place) = tag[from..].find(name).map(|place| place + from) {
        from = place + name.len();
        let starts = tag[..place].ends_with(|c: char| c.is_ascii_whitespace());
        let Some(value) = tag[from..].strip_prefix('=').filter(|_| starts) else {
            continue;
        };
        return match value.chars().next() {
            Some(quote @ ('"' | '\'')) => value[1..].split(quote).next(),
            _ => value.split(|c: char| c.is_ascii_whitespace()).next(),
        };
    }
    None
}

/// The file that a link on `page` is about, from the root of the site. A site built for a place such as `/x/` has
/// that place in front of its absolute links.
fn resolve(dist: &Path, page: &str, link: &str) -> Option<String> {
    let link = link.split(['?', '#']).next().unwrap_or(link);
    let candidates = match link.strip_prefix('/') {
        Some(absolute) => {
            let within = absolute.split_once('/').map(|(_, within)| within);
            [Some(PathBuf::from(absolute)), within.map(PathBuf::from)]
        }
        None => [Path::new(page).parent().map(|folder| folder.join(link)), None],
    };
    candidates
        .into_iter()
        .flatten()
        .filter_map(|path| clean(&path))
        .find(|path| dist.join(path).is_file())
}

/// A path without `.` and `..`, with `/` between its parts; none if it leaves the site.
fn clean(path: &Path) -> Option<String> {
    let mut parts = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(part) => parts.push(part.to_str()?),
            Component::ParentDir => {
                parts.pop()?;
            }
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts.join("/"))
}

/// Brotli bytes of the parts that reading needs, and of all.
fn sums(parts: &[Part]) -> (u64, u64) {
    let sum = |keep: fn(&Part) -> bool| {
        parts.iter().filter(|part| keep(part)).map(|part| part.brotli).sum()
    };
    (sum(|part| part.to_read), sum(|_| true))
}

/// A line for each file, and the sums beside their limits.
fn table(parts: &[Part]) -> String {
    let mut out = format!("{:>10} {:>10}  file (bytes; * needed to read)\n", "raw", "brotli 11");
    for part in parts {
        let star = if part.to_read { " *" } else { "" };
        let _ = writeln!(out, "{:>10} {:>10}  {}{star}", part.raw, part.brotli, part.path);
    }
    let (to_read, in_all) = sums(parts);
    let _ = writeln!(out, "{to_read:>21}  before the prose is readable, of {TO_READ}");
    let _ = writeln!(out, "{in_all:>21}  in all, of {IN_ALL}");
    let _ = writeln!(out, "{:>21}  requests, of {REQUESTS}", parts.len());
    out
}

/// The limits that are exceeded, a clause each.
fn above(parts: &[Part]) -> Vec<String> {
    let (to_read, in_all) = sums(parts);
    let mut over = Vec::new();
    if to_read > TO_READ {
        over.push(format!("{to_read} bytes before the prose is readable, at most {TO_READ}"));
    }
    if in_all > IN_ALL {
        over.push(format!("{in_all} bytes in all, at most {IN_ALL}"));
    }
    if parts.len() > REQUESTS {
        over.push(format!("{} requests, at most {REQUESTS}", parts.len()));
    }
    over
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(path: &str, to_read: bool, brotli: u64) -> Part {
        Part { path: path.into(), to_read, raw: brotli * 3, brotli }
    }

    #[test]
    fn the_table_and_its_limits() {
        let parts = [
            part("the-stopwatch/index.html", true, 20_000),
            part("main.css", true, 5_000),
            part("lab_bg.wasm", false, 100_000),
        ];
        assert_eq!(
            table(&parts),
            "       raw  brotli 11  file (bytes; * needed to read)
     60000      20000  the-stopwatch/index.html *
     15000       5000  main.css *
    300000     100000  lab_bg.wasm
                25000  before the prose is readable, of 46080
               125000  in all, of 245760
                    3  requests, of 12
"
        );
        assert_eq!(above(&parts), [""; 0]);
    }

    #[test]
    fn each_limit_is_held_on_its_own() {
        let limit = |parts: &[Part], clause: &str| assert_eq!(above(parts), [clause.to_owned()]);
        limit(
            &[part("a", true, TO_READ + 1)],
            "46081 bytes before the prose is readable, at most 46080",
        );
        limit(
            &[part("a", true, TO_READ), part("b", false, IN_ALL - TO_READ + 1)],
            "245761 bytes in all, at most 245760",
        );
        let many: Vec<Part> = (0..13).map(|n| part(&n.to_string(), false, 1)).collect();
        limit(&many, "13 requests, at most 12");
        assert_eq!(above(&many[..12]), [""; 0]);
    }

    #[test]
    fn a_page_loads_what_its_tags_say() {
        let html = r#"<!doctype html><html><head>
<link rel="stylesheet" href="../main-1a.css" integrity="sha384-x">
<link href='../icon.svg' rel='icon'><link rel="icon" href="data:,">
<link rel="canonical" href="/the-stopwatch/"><link rel=next href=../next/>
<meta name="lab-assets" data-js="../app.js" data-wasm="../app_bg.wasm">
<meta name="description" content="data-js is no link">
<script type="module" src="../boot.js"></script>
</head><body><a href="../other/">x</a><img alt="" src=../a.png><script>1</script></body></html>"#;
        assert_eq!(
            links(html),
            [
                ("../main-1a.css", true),
                ("../icon.svg", false),
                ("../app.js", false),
                ("../app_bg.wasm", false),
                ("../boot.js", true),
                ("../a.png", false),
            ]
        );
    }

    #[test]
    fn links_become_files_whatever_the_site_was_built_for() {
        let dist = std::env::temp_dir().join(format!("delivery-lab-size-{}", std::process::id()));
        fs::create_dir_all(dist.join("style")).unwrap();
        for file in ["a.css", "style/b.css"] {
            fs::write(dist.join(file), "").unwrap();
        }
        for (link, file) in [
            ("../a.css", Some("a.css")),
            ("../a.css?v=1#x", Some("a.css")),
            ("/a.css", Some("a.css")),
            ("/x/a.css", Some("a.css")),
            ("/style/b.css", Some("style/b.css")),
            ("./../style/b.css", Some("style/b.css")),
            ("../../a.css", None),
            ("../c.css", None),
            ("https://example.org/a.css", None),
        ] {
            assert_eq!(resolve(&dist, PAGES[0], link).as_deref(), file, "{link}");
        }
        fs::remove_dir_all(dist).unwrap();
    }

    #[test]
    fn compression_compresses() {
        let text = "the same words again and again, ".repeat(200);
        let bytes = compressed(text.as_bytes());
        assert!((20..80).contains(&bytes), "{bytes}");
    }
}
