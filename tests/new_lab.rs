//! A new lab is a TOML file and one line in a chapter: a copy of the book that gets both becomes a site with the lab in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const SLUG: &str = "two-thousand";

/// What trunk makes of `index.html`, as far as the press looks at it.
const TEMPLATE: &str = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title></title>\n\
    <meta name=\"lab-assets\" data-js=\"./lab.js\" data-wasm=\"./lab.wasm\">\n</head>\n<body>\n\
    <main id=\"content\"></main>\n</body>\n</html>\n";

/// A copy of the book in a folder of its own, and a template to press it into.
struct Copy {
    folder: tempfile::TempDir,
}

impl Copy {
    fn new() -> Self {
        let copy = Self { folder: tempfile::tempdir().unwrap() };
        copy_folder(&project().join("content"), &copy.path("content"));
        fs::create_dir(copy.path("site")).unwrap();
        fs::write(copy.path("site/index.html"), TEMPLATE).unwrap();
        copy
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The file of the lab.
    fn with_file(self) -> Self {
        let name = format!("{SLUG}.toml");
        let labs = self.path("content/labs");
        fs::copy(project().join("tests/new-lab").join(&name), labs.join(name)).unwrap();
        self
    }

    /// One line at the end of the first chapter.
    fn with_line(self) -> Self {
        let file = self.chapter();
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, format!("{}\n\n{{{{lab {SLUG}}}}}\n", text.trim_end())).unwrap();
        self
    }

    fn chapter(&self) -> PathBuf {
        let chapters = fs::read_dir(self.path("content/chapters")).unwrap();
        chapters.map(|entry| entry.unwrap().path()).min().unwrap()
    }

    /// The page of that chapter after pressing, or what the press says is wrong.
    fn press(&self) -> Result<String, String> {
        let mut press = Command::new(env!("CARGO_BIN_EXE_press"));
        let output = press.arg("site").current_dir(&self.folder).output().unwrap();
        if !output.status.success() {
            return Err(String::from_utf8(output.stderr).unwrap());
        }
        let name = self.chapter().file_stem().unwrap().to_str().unwrap().to_owned();
        let (_, slug) = name.split_once('-').unwrap();
        Ok(fs::read_to_string(self.path("site").join(slug).join("index.html")).unwrap())
    }
}

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let place = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &place);
        } else {
            fs::copy(entry.path(), place).unwrap();
        }
    }
}

/// The sections of labs on a page, by slug, each with its HTML.
fn labs(page: &str) -> Vec<(&str, &str)> {
    page.split("<section ")
        .skip(1)
        .filter_map(|rest| {
            let section = rest.split("</section>").next()?;
            let slug = section.split_once("id=\"")?.1.split('"').next()?;
            section.contains("data-lab=").then_some((slug, section))
        })
        .collect()
}

#[test]
fn a_file_and_a_line_make_a_lab() {
    let before = Copy::new().press().unwrap();
    let after = Copy::new().with_file().with_line().press().unwrap();
    let (old, new) = (labs(&before), labs(&after));
    assert!(!old.is_empty());
    assert_eq!(new[..old.len()], old, "the labs that were there are as they were");
    let [(slug, html)] = new[old.len()..] else { panic!("one lab more, not {}", new.len()) };
    assert_eq!(slug, SLUG);
    for part in [
        "Two thousand orders</h2>",
        "class=\"scene wide\"",
        "class=\"scene tall\"",
        "<title",
        "<code>ack_wait</code>",
        "orders per fetch",
        "data-digest=\"",
    ] {
        assert!(html.contains(part), "{part} is not in the new lab");
    }
    // Its knobs and its run are its own.
    assert!(old.iter().all(|(_, html)| !html.contains("orders per fetch")));
    let digest = |html: &str| html.split_once("data-digest=\"").unwrap().1[..16].to_owned();
    assert!(old.iter().all(|(_, other)| digest(other) != digest(html)));
}

#[test]
fn half_of_it_is_a_problem_that_is_told() {
    let line = Copy::new().with_line().press().unwrap_err();
    assert!(line.contains(SLUG) && line.contains("chapters/"), "{line}");
    let file = Copy::new().with_file().press().unwrap_err();
    assert!(file.contains(SLUG) && file.contains("labs/"), "{file}");
}

#[test]
fn pressing_a_pressed_template_again_keeps_its_style_sheet() {
    let copy = Copy::new();
    let sheet = "<link rel=\"stylesheet\" href=\"./page.css\">";
    let template = TEMPLATE.replace("</head>", &format!("{sheet}\n</head>"));
    fs::write(copy.path("site/page.css"), "p { color: #ff0000; }").unwrap();
    fs::write(copy.path("site/index.html"), &template).unwrap();
    let sheet_of = |page: &str| {
        let href = page.split_once("rel=\"stylesheet\" href=\"../").expect("a sheet").1;
        href.split('"').next().unwrap().to_owned()
    };
    let first = sheet_of(&copy.press().unwrap());
    fs::write(copy.path("site/index.html"), template.replace("page.css", &first)).unwrap();
    assert_eq!(sheet_of(&copy.press().unwrap()), first);
    assert_eq!(fs::read_to_string(copy.path("site").join(first)).unwrap(), "p{color:red}");
}
