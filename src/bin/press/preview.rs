//! Pictures of the site that are no page: what a link to a chapter shows elsewhere, drawn from its first figure, and the icons.

use crate::words;
use delivery_book::{Book, Chapter, Part};
use delivery_figure::lab::Lab;
use delivery_lab::printed::printed;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

/// The size of a preview, as those who show links want it.
const SIZE: (u32, u32) = (1200, 630);

const TOKENS: &str = include_str!("../../../style/tokens.css");
/// The sheets that say how the marks of a figure look.
const SHEETS: [&str; 2] =
    [include_str!("../../../style/lab.css"), include_str!("../../../style/lanes.css")];
const ICON: &str = include_str!("../../../style/favicon.svg");
/// The states that a mark may be in.
const STATES: [&str; 8] = ["stored", "idle", "inflight", "acked", "again", "lost", "dead", "void"];

/// Draws previews.
pub(crate) struct Painter {
    options: Options<'static>,
    colours: BTreeMap<String, String>,
    /// How the marks of a figure look, in the little CSS that the drawer knows.
    sheet: String,
}

impl Painter {
    pub(crate) fn new() -> Self {
        let mut fonts = fontdb::Database::new();
        for font in typst_assets::fonts() {
            fonts.load_font_data(font.to_vec());
        }
        let options = Options {
            fontdb: Arc::new(fonts),
            font_family: "Libertinus Serif".into(),
            ..Options::default()
        };
        let colours = colours();
        let sheet = SHEETS.iter().map(|css| flat(css, &colours)).collect();
        Self { options, colours, sheet }
    }

    /// The preview of a chapter: its title above its first figure; without one its summary.
    pub(crate) fn chapter(&self, book: &Book, chapter: &Chapter) -> Result<Vec<u8>, String> {
        let lab = chapter.parts.iter().find_map(|part| match part {
            Part::Lab(slug) => book.lab(slug),
            Part::Html(_) => None,
        });
        let above = format!("{} · {}", book.title, words::chapter(chapter.number));
        self.draw(&above, &chapter.title, &chapter.summary, lab)
    }

    /// The preview of the whole book.
    pub(crate) fn book(&self, book: &Book) -> Result<Vec<u8>, String> {
        self.draw(&book.title, &book.claim, &book.about, book.lab(&book.figure))
    }

    /// The preview of a page that has no figure.
    pub(crate) fn page(&self, book: &Book, title: &str, text: &str) -> Result<Vec<u8>, String> {
        self.draw(&book.title, title, text, None)
    }

    fn draw(
        &self,
        above: &str,
        title: &str,
        text: &str,
        lab: Option<&Lab>,
    ) -> Result<Vec<u8>, String> {
        let (width, height) = SIZE;
        let colour = |name: &str| self.colours.get(name).map_or("#000", String::as_str);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\"><style>{}</style>\
             <rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>\
             <g font-family=\"Libertinus Serif\"><text x=\"60\" y=\"76\" font-size=\"27\" fill=\"{}\">{}</text>",
            self.sheet,
            colour("paper"),
            colour("soft"),
            escaped(above)
        );
        let mut y = 86;
        for line in balanced(title, 44) {
            y += 58;
            let _ = write!(
                svg,
                "<text x=\"60\" y=\"{y}\" font-size=\"53\" font-weight=\"600\" fill=\"{}\">{}</text>",
                colour("ink"),
                escaped(&line)
            );
        }
        y += 34;
        if let Some(lab) = lab {
            let room = height as i32 - y;
            let _ = write!(
                svg,
                "<rect x=\"60\" y=\"{y}\" width=\"1080\" height=\"{}\" rx=\"12\" fill=\"{}\" stroke=\"{}\"/>",
                room + 20,
                colour("panel"),
                colour("rule")
            );
            // Below the title as large as it goes; what of a high one has no room is cut off by the edge.
            if let Some((_, picture)) = printed(lab, false).pictures.pop() {
                let _ = write!(
                    svg,
                    "<svg x=\"76\" y=\"{}\" width=\"1048\" height=\"{}\">{}</svg>",
                    y + 8,
                    room - 8,
                    fitted(&picture, 1048)
                );
            }
        } else {
            for line in lines(text, 76) {
                y += 42;
                let _ = write!(
                    svg,
                    "<text x=\"60\" y=\"{y}\" font-size=\"31\" fill=\"{}\">{}</text>",
                    colour("soft"),
                    escaped(&line)
                );
            }
        }
        svg.push_str("</g></svg>");
        self.png(&svg, SIZE)
    }

    /// The icon of the site, `size` pixels wide, on paper: where it stands on other colours, nothing shines through.
    pub(crate) fn icon(&self, size: u32) -> Result<Vec<u8>, String> {
        let plain = ICON.split("@media").next().unwrap_or_default();
        let rest = ICON.split_once("</style>").map_or("", |(_, rest)| rest);
        let marks = rest.strip_suffix("</svg>\n").or(rest.strip_suffix("</svg>")).unwrap_or(rest);
        let paper = self.colours.get("paper").map_or("#fff", String::as_str);
        let svg = format!(
            "{plain}</style><rect width=\"32\" height=\"32\" fill=\"{paper}\"/>\
             <g transform=\"translate(4.6 4.6) scale(.7125)\">{marks}</g></svg>"
        );
        self.png(&svg, (size, size))
    }

    fn png(&self, svg: &str, (width, height): (u32, u32)) -> Result<Vec<u8>, String> {
        let tree = Tree::from_str(svg, &self.options)
            .map_err(|error| format!("a preview cannot be drawn: {error}"))?;
        let mut pixels = Pixmap::new(width, height).ok_or("a preview has no size")?;
        let scale = width as f32 / tree.size().width();
        resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
        pixels.encode_png().map_err(|error| format!("a preview cannot be written: {error}"))
    }
}

/// A figure that is as wide as its place.
fn fitted(picture: &str, width: u32) -> String {
    let size = |nth| {
        let numbers = picture.split_once("viewBox=\"0 0 ")?.1.split('"').next()?;
        numbers.split(' ').nth(nth)?.parse::<u32>().ok()
    };
    let (Some(wide), Some(high)) = (size(0), size(1)) else { return String::new() };
    picture.replacen(
        "<svg ",
        &format!(
            "<svg width=\"{width}\" height=\"{}\" font-size=\"13.5\" ",
            u64::from(width) * u64::from(high) / u64::from(wide.max(1))
        ),
        1,
    )
}

/// A text in lines of about so many letters, at most four; what does not fit ends in dots.
fn lines(text: &str, letters: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().map(|line| line.chars().count()).unwrap_or_default();
        if last > 0 && last + 1 + word.chars().count() > letters {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(if line.is_empty() { "" } else { " " });
            line.push_str(word);
        }
    }
    if lines.len() > 4 {
        lines.truncate(4);
        lines[3].push('…');
    }
    lines
}

/// The same in lines that are about as long as each other.
fn balanced(text: &str, letters: usize) -> Vec<String> {
    let n = lines(text, letters).len();
    (1..=letters)
        .map(|width| lines(text, width))
        .find(|lines| lines.len() == n && !lines[n - 1].ends_with('…'))
        .unwrap_or_else(|| lines(text, letters))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The light colours of the tokens, by name.
fn colours() -> BTreeMap<String, String> {
    let mut colours = BTreeMap::new();
    for declaration in TOKENS.split([';', '{']) {
        let Some((name, value)) = declaration.split_once(':') else { continue };
        let Some(name) = name.rsplit("--").next().filter(|_| name.contains("--")) else { continue };
        if let Some(light) =
            value.trim().strip_prefix("light-dark(").and_then(|rest| rest.split(',').next())
        {
            colours.insert(name.trim().to_owned(), light.trim().to_owned());
        }
    }
    colours
}

/// The rules of a sheet that are about the marks of a figure, in CSS without variables, mixtures and lists of alternatives.
fn flat(css: &str, colours: &BTreeMap<String, String>) -> String {
    let mut out = String::new();
    for (selector, body) in rules(css) {
        let selectors: Vec<String> = alternatives(selector)
            .into_iter()
            .filter(|one| one.starts_with(".scene") && !one.contains([':', '*']))
            .collect();
        // What takes the colour of its state has a rule for each: the state is a class of it or of what it is in.
        let states: &[&str] =
            if body.contains("--state)") || body.contains("--state,") { &STATES } else { &[""] };
        for one in &selectors {
            for state in states {
                let body = declarations(body, state, colours);
                if body.is_empty() {
                    continue;
                }
                for place in with_state(one, state) {
                    let _ = write!(out, "{place}{{{body}}}");
                }
            }
        }
    }
    out
}

/// The rules of a sheet that stand in no block of their own.
fn rules(css: &str) -> Vec<(&str, &str)> {
    let mut rules = Vec::new();
    let (mut depth, mut start, mut selector) = (0, 0, "");
    for (i, c) in css.char_indices() {
        match c {
            '{' => {
                depth += 1;
                if depth == 1 {
                    selector = &css[start..i];
                    start = i + 1;
                }
            }
            '}' => {
                depth -= 1;
                if depth == 0 {
                    let name = selector.rsplit("*/").next().unwrap_or(selector).trim();
                    if !name.starts_with('@') {
                        rules.push((name, &css[start..i]));
                    }
                    start = i + 1;
                }
            }
            _ => {}
        }
    }
    rules
}

/// Every selector of a list, the alternatives of `:is(…)` written out.
fn alternatives(selectors: &str) -> Vec<String> {
    let mut all = Vec::new();
    for one in split(selectors) {
        let Some((before, rest)) = one.split_once(":is(") else {
            all.push(one.trim().to_owned());
            continue;
        };
        let Some((inside, after)) = rest.split_once(')') else { continue };
        for each in split(inside) {
            all.extend(alternatives(&format!("{before}{}{after}", each.trim())));
        }
    }
    all
}

/// The parts of a list, at the commas that stand in no bracket.
fn split(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (i, c) in list.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&list[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[start..]);
    parts
}

/// A selector with a state at any of its elements but the figure itself; as it is where it has none, or one already.
fn with_state(selector: &str, state: &str) -> Vec<String> {
    let named = STATES.iter().any(|known| selector.ends_with(&format!(".{known}")));
    if state.is_empty() || (named && selector.ends_with(&format!(".{state}"))) {
        return vec![selector.to_owned()];
    }
    if named {
        return Vec::new();
    }
    let parts: Vec<&str> = selector.split(' ').collect();
    (1..parts.len())
        .map(|at| {
            let with = |(i, part): (usize, &&str)| {
                if i == at { format!("{part}.{state}") } else { (*part).to_owned() }
            };
            parts.iter().enumerate().map(with).collect::<Vec<_>>().join(" ")
        })
        .collect()
}

/// Declarations with every colour written out, without those that the drawer does not know.
fn declarations(body: &str, state: &str, colours: &BTreeMap<String, String>) -> String {
    let state = match state {
        "idle" => "stored",
        "void" => "soft",
        other => other,
    };
    let mut out = String::new();
    for declaration in body.split(';') {
        let Some((name, value)) = declaration.split_once(':') else { continue };
        let known = matches!(
            name.trim(),
            "fill"
                | "stroke"
                | "stroke-width"
                | "stroke-dasharray"
                | "stroke-linecap"
                | "stroke-linejoin"
                | "opacity"
                | "font-weight"
                | "font-size"
                | "paint-order"
        );
        let value = value.trim().trim_end_matches("px").to_owned();
        let value = value
            .replace("var(--state, var(--stored))", "var(--state)")
            .replace("var(--state)", &format!("var(--{state})"));
        let Some(value) = colour(&value, colours).filter(|_| known) else { continue };
        let _ = write!(out, "{}:{value};", name.trim());
    }
    out
}

/// A value with its colours written out.
fn colour(value: &str, colours: &BTreeMap<String, String>) -> Option<String> {
    if let Some(mix) =
        value.strip_prefix("color-mix(in oklab, ").and_then(|rest| rest.strip_suffix(')'))
    {
        let (first, second) = mix.split_once(", ")?;
        let (first, share) = first.rsplit_once(' ')?;
        let share: u32 = share.strip_suffix('%')?.parse().ok()?;
        // What is mixed with nothing lies on the panel.
        let under = if second == "transparent" { "var(--panel)" } else { second };
        let (over, under) = (colour(first, colours)?, colour(under, colours)?);
        let part = |hex: &str, at: usize| u32::from_str_radix(hex.get(at..at + 2)?, 16).ok();
        let mut out = String::from("#");
        for at in [1, 3, 5] {
            let mixed = (part(&over, at)? * share + part(&under, at)? * (100 - share)) / 100;
            let _ = write!(out, "{mixed:02x}");
        }
        return Some(out);
    }
    match value.strip_prefix("var(--").and_then(|rest| rest.strip_suffix(')')) {
        Some(name) => colours.get(name).cloned(),
        None if value.contains("var(") || value.contains('(') => None,
        None => Some(value.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::tests::the_book;

    #[test]
    fn a_preview_is_a_picture_of_its_size_and_not_heavy() {
        let book = the_book();
        let painter = Painter::new();
        let stopwatch = book.chapters.iter().find(|c| c.slug == "the-stopwatch").unwrap();
        let (png, icon) = (painter.chapter(book, stopwatch).unwrap(), painter.icon(180).unwrap());
        for (png, (width, height)) in [(&png, SIZE), (&icon, (180, 180))] {
            assert_eq!(&png[1..4], b"PNG");
            let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
            assert_eq!((number(16), number(20)), (width, height));
            assert!(png.len() < 100_000, "{} bytes", png.len());
        }
        assert!(png.len() > 10_000, "there is something on it");
        assert_ne!(png, painter.book(book).unwrap());
    }

    #[test]
    fn rules_are_written_out_for_a_drawer_that_knows_little() {
        let colours = colours();
        assert_eq!(colours["paper"], "#fbfaf6");
        let css = "/* x */ .scene :is(.a, .b) { fill: none; transition: x; }\n@media print { .scene .c { fill: red; } }\n\
            .scene .mover rect { fill: var(--state); }\n.scene .again { --state: var(--again); }\n.live .scene .d { fill: none; }\n\
            .scene .e.lost { stroke: color-mix(in oklab, var(--lost) 50%, var(--panel)); stroke-width: 2px; }";
        let flat = flat(css, &colours);
        assert!(
            flat.starts_with(
                ".scene .a{fill:none;}.scene .b{fill:none;}.scene .mover.stored rect{fill:#57534b;}"
            ),
            "{flat}"
        );
        for part in [
            ".scene .mover.again rect{fill:#9a4d00;}",
            ".scene .mover rect.again{fill:#9a4d00;}",
            ".scene .e.lost{stroke:#d9928e;stroke-width:2;}",
        ] {
            assert!(flat.contains(part), "{part}: {flat}");
        }
        for none in [":red", "var(", "live", ":is", "--state"] {
            assert!(!flat.contains(none), "{none}: {flat}");
        }
    }

    #[test]
    fn titles_are_broken_between_words() {
        assert_eq!(
            lines("A publish that returns has promised you almost nothing", 42),
            ["A publish that returns has promised you", "almost nothing"]
        );
        assert_eq!(
            balanced("The server has no idea that your worker died", 43),
            ["The server has no idea", "that your worker died"]
        );
        assert_eq!(balanced("", 43), [""]);
        assert_eq!(lines(&"word ".repeat(60), 20).len(), 4);
        assert!(lines(&"word ".repeat(60), 20)[3].ends_with('…'));
    }
}
