//! The Markdown of a chapter: what it may say, and its HTML.
//!
//! CommonMark with tables, footnotes, typographic quotes and dashes, and `{#id}` after a heading. No raw HTML and
//! no pictures. Beside that:
//!
//! | written | meaning |
//! |---|---|
//! | `{{lab crash-redelivery}}` alone in its paragraph | the lab stands here |
//! | `{{sweep in-flight}}` alone in its paragraph | the table of that sweep stands here |
//! | `:again[handed out again]` | words that name a state: stored, inflight, acked, again, lost, dead |
//! | `{{chooser}}` alone in its paragraph | the questions and outcomes of `chooser.toml` |
//! | `{{code ack}}` alone in its paragraph | tabs with the code of each client, from `snippets/ack.md` |
//! | `:result[comes back at T+8](crash-redelivery/comes-back)` | a result: the claim `comes-back` of that lab must hold; links to the figure at the settings and the moment that show it |
//! | `:msg[order-1]`, `:msg[the first order](order-1)` | a message of the figure, by its label: touched, it lights up there |
//! | `:term[redelivered]`, `:term[sent again](redelivered)` | a term for a state: touched, all that is in that state lights up |
//! | `:def[words](term)`, `:def[ack]` | a term of the glossary, explained where it stands |
//! | `:msg[order-1]{lab=slow-or-dead}` | the same in that figure; else in that of the section, else in the last one before |
//! | `[words](the-stopwatch)`, `(the-stopwatch#anchor)`, `(#anchor)` | a chapter, a section or lab in it, one in this chapter |
//! | `[words](symptoms#id)`, `(settings#ack_wait)`, `(glossary#ack)` | a symptom, a setting, a term |
//! | `:::server 2.10–2.15`, paragraphs, `:::`, each alone between empty lines | a note "What servers really do" with the versions it was seen on |
//!
//! Every code block says its language (`text` for none); after `console` a line with `$ ` is typed, and what follows is printed. The chapter's title is in its front matter; sections begin
//! with `##`. The first use of each term of the glossary becomes a link by itself; a setting of NATS named in code must be in
//! `settings.toml`.

use crate::Problem;
use crate::chapter::{Heading, Part};
use crate::chooser::Chooser;
use crate::glossary::{self, Glossary};
use crate::highlight;
use crate::lab::CheckedLab;
use crate::reference;
use crate::snippet::Snippet;
use crate::source::{Source, nearest};
use crate::sweep::Sweep;
use crate::text::{escaped, plain};
use delivery_sim::Time;
use pulldown_cmark::{
    Alignment, BrokenLink, CodeBlockKind, CowStr, Event, HeadingLevel, LinkType, Options, Parser,
    Tag, TagEnd, TextMergeWithOffset,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The states of a message, in the order of its life.
const STATES: [&str; 6] = ["stored", "inflight", "acked", "again", "lost", "dead"];
/// The directive that ties words to a claim of a lab.
const RESULT: &str = "result";
/// The directive that ties words to a message of a lab.
const MSG: &str = "msg";
/// The directive that ties words to everything in a state.
const TERM: &str = "term";
/// The directive that ties words to a term of the glossary.
const DEF: &str = "def";
/// Terms, and the state that each is a word for.
const TERMS: [(&str, &str); 10] = [
    ("stored", "stored"),
    ("delivered", "inflight"),
    ("in flight", "inflight"),
    ("acked", "acked"),
    ("acknowledged", "acked"),
    ("redelivered", "again"),
    ("delivered again", "again"),
    ("lost", "lost"),
    ("dead", "dead"),
    ("given up", "dead"),
];
/// Ids that the page around a chapter uses.
const RESERVED: [&str; 3] = ["content", "chapters", "on-this-page"];

/// The Markdown of a chapter within its file.
#[derive(Clone, Copy)]
pub(crate) struct Body<'a> {
    pub(crate) source: &'a Source,
    /// Where it begins.
    pub(crate) from: usize,
}

/// What others may refer to in a chapter, or on a page that is none.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// What a link to it says.
    pub(crate) title: String,
    /// Ids of sections.
    pub(crate) anchors: BTreeSet<String>,
    /// Labs in the order of the page; each is an anchor as well.
    pub(crate) labs: Vec<String>,
    /// Sweeps in the order of the page.
    pub(crate) sweeps: Vec<String>,
    /// Snippets in the order of the page.
    pub(crate) snippets: Vec<String>,
    /// Whether the chooser stands there.
    pub(crate) chooser: bool,
}

impl Outline {
    /// That of a page with these entries, whose links speak for themselves.
    pub(crate) fn of<'a>(anchors: impl Iterator<Item = &'a str>) -> Self {
        Self { anchors: anchors.map(str::to_owned).collect(), ..Self::default() }
    }
}

/// Everything that a chapter may refer to.
pub(crate) struct Index<'a> {
    /// The chapters and further pages by slug.
    pub(crate) outlines: &'a BTreeMap<String, Outline>,
    /// The labs by slug.
    pub(crate) labs: &'a BTreeMap<String, CheckedLab>,
    /// The sweeps by slug.
    pub(crate) sweeps: &'a BTreeMap<String, Sweep>,
    /// The snippets by their name.
    pub(crate) snippets: &'a BTreeMap<String, Snippet>,
    /// The chooser, if there is one.
    pub(crate) chooser: Option<&'a Chooser>,
    /// The words that are explained.
    pub(crate) glossary: &'a Glossary,
    /// The names of the settings that are explained; none if they are explained nowhere.
    pub(crate) settings: Option<&'a BTreeSet<&'a str>>,
}

impl Index<'_> {
    /// Where a chapter, section or lab is, `slug#anchor`, seen from the page `from`.
    fn place(&self, target: &str, from: &str) -> Result<String, String> {
        let (slug, anchor) = target.split_once('#').unwrap_or((target, ""));
        let Some(outline) = self.outlines.get(slug) else {
            let known: Vec<&str> = self.outlines.keys().map(String::as_str).collect();
            return Err(nearest(slug, "a chapter", &known));
        };
        let anchors: Vec<&str> =
            outline.anchors.iter().chain(&outline.labs).map(String::as_str).collect();
        if target.contains('#') && !anchors.contains(&anchor) {
            return Err(nearest(anchor, &format!("a section or lab of {slug}"), &anchors));
        }
        let path = if slug == from { String::new() } else { format!("../{slug}/") };
        let anchor = if anchor.is_empty() { String::new() } else { format!("#{anchor}") };
        Ok(path + &anchor)
    }

    /// A link to a chapter or section that says the chapter's name.
    ///
    /// # Errors
    /// If it leads nowhere.
    pub(crate) fn link(&self, target: &str, from: &str) -> Result<String, String> {
        let place = escaped(&self.place(target, from)?);
        let slug = target.split('#').next().unwrap_or_default();
        let title = self.outlines.get(slug).map_or("", |outline| &outline.title);
        Ok(format!("<a href=\"{place}\">{}</a>", escaped(title)))
    }

    /// A link to a lab in its chapter with knobs turned at a moment, saying its title; empty if the lab cannot be shown, which
    /// has been reported then.
    ///
    /// # Errors
    /// If there is no such lab, if it cannot be set like that, or if its run is over by then.
    pub(crate) fn lab_link(
        &self,
        slug: &str,
        from: &str,
        set: &BTreeMap<String, String>,
        t: Option<Time>,
    ) -> Result<String, String> {
        let Some(checked) = self.labs.get(slug) else {
            let known: Vec<&str> = self.labs.keys().map(String::as_str).collect();
            return Err(nearest(slug, "a lab", &known));
        };
        let Some(lab) = &checked.lab else { return Ok(String::new()) };
        let known: Vec<&str> = lab.knobs.iter().map(|knob| knob.name.as_str()).collect();
        if let Some(name) = set.keys().find(|name| !known.contains(&name.as_str())) {
            return Err(nearest(name, &format!("a knob of the lab {slug}"), &known));
        }
        let query: Vec<String> =
            set.iter().map(|(knob, value)| format!("{knob}={value}")).collect();
        let query = query.join("&");
        let (position, sentences) = lab.read_query(&query, true);
        if let Some(sentence) = sentences.into_iter().next() {
            return Err(sentence);
        }
        match lab.run(&position.values) {
            Ok(run) if t.is_some_and(|t| t > run.end) => {
                return Err(format!("`t` is after the end of the run at {}", run.end));
            }
            Ok(_) => {}
            Err(sentences) if set.is_empty() => {
                // A lab that does not run has been reported.
                drop(sentences);
                return Ok(String::new());
            }
            Err(sentences) => {
                let why = sentences.join("; ");
                return Err(format!("with these settings the lab {slug} does not run: {why}"));
            }
        }
        let Some(place) = self.lab_place(slug, from, &query, t.unwrap_or(lab.opens_at)) else {
            return Ok(String::new());
        };
        Ok(format!("<a class=\"result\" href=\"{}\">{}</a>", escaped(&place), escaped(&lab.title)))
    }

    /// Where a lab is, set as the query says at a moment, seen from the page `from`; none if no chapter shows it.
    fn lab_place(&self, slug: &str, from: &str, query: &str, at: Time) -> Option<String> {
        let run = self.labs.get(slug)?.lab.as_ref()?;
        let here = |outline: &Outline| outline.labs.iter().position(|lab| lab == slug);
        let mut placed =
            self.outlines.iter().filter_map(|(chapter, outline)| Some((chapter, here(outline)?)));
        let (chapter, place) =
            placed.clone().find(|(chapter, _)| *chapter == from).or_else(|| placed.next())?;
        let (mut position, _) = run.read_query(query, true);
        position.t = at;
        let path = if chapter == from { String::new() } else { format!("../{chapter}/") };
        let mut query = run.write_query(&position, place == 0);
        if !query.is_empty() || path.is_empty() {
            query.insert(0, '?');
        }
        Some(format!("{path}{query}#{slug}"))
    }
}

/// An event and where it stands in the body.
type Place<'a> = (Event<'a>, Range<usize>);

/// Reads the Markdown to events. A directive without a target, `:name[words]`, becomes a link of its own kind.
fn parse<'a>(body: Body<'a>) -> Vec<Place<'a>> {
    let text = &body.source.text()[body.from..];
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_SMART_PUNCTUATION
        | Options::ENABLE_HEADING_ATTRIBUTES;
    let directive = |link: BrokenLink<'a>| {
        (link.link_type == LinkType::Shortcut)
            .then(|| directive_before(text, link.span.start))?
            .map(|_| (CowStr::Borrowed(""), CowStr::Borrowed("")))
    };
    let parser = Parser::new_with_broken_link_callback(text, options, Some(directive));
    TextMergeWithOffset::new(parser.into_offset_iter()).collect()
}

/// The name of a directive whose bracket opens at `at`: the letters after a colon that itself follows no letter.
fn directive_before(text: &str, at: usize) -> Option<&str> {
    let (before, name) = text[..at].rsplit_once(':')?;
    let letters = !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase());
    let free = !before.ends_with(|c: char| c.is_alphanumeric() || c == ':' || c == '\\');
    (letters && free).then_some(name)
}

/// What stands alone in a paragraph and is not prose.
enum Block<'a> {
    Lab(&'a str),
    Sweep(&'a str),
    Code(&'a str),
    Chooser,
    Open(&'a str, &'a str),
    Close,
}

/// Reads the source of a paragraph as a block; an error if it holds one but is not one.
fn block(paragraph: &str) -> Option<Result<Block<'_>, String>> {
    let paragraph = paragraph.trim();
    let marked = |line: &str| line.starts_with(":::") || line.starts_with("{{");
    if !paragraph.lines().any(|line| marked(line.trim_start())) {
        return None;
    }
    if paragraph.contains('\n') {
        return Some(Err(
            "a lab, code in tabs or a line of ::: stands alone; put an empty line before and after it"
                .into(),
        ));
    }
    if let Some(rest) = paragraph.strip_prefix(":::") {
        let (kind, rest) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
        return Some(Ok(if kind.is_empty() {
            Block::Close
        } else {
            Block::Open(kind, rest.trim())
        }));
    }
    if paragraph == "{{chooser}}" {
        return Some(Ok(Block::Chooser));
    }
    let placed = paragraph.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
    let (kind, name) = placed.and_then(|placed| placed.split_once(' ')).unwrap_or_default();
    let name = name.trim();
    let whole = !name.is_empty() && !name.contains(' ');
    Some(match kind {
        "lab" if whole => Ok(Block::Lab(name)),
        "code" if whole => Ok(Block::Code(name)),
        "sweep" if whole => Ok(Block::Sweep(name)),
        _ => Err(format!(
            "`{paragraph}` is not understood; a lab is placed by {{{{lab its-slug}}}}, code by {{{{code its-name}}}}, a table of runs by {{{{sweep its-name}}}}"
        )),
    })
}

/// The paragraph that begins at this event, if it is a block.
fn block_at<'a>(body: Body<'a>, (event, range): &Place<'_>) -> Option<Result<Block<'a>, String>> {
    matches!(event, Event::Start(Tag::Paragraph))
        .then(|| block(&body.source.text()[body.from + range.start..body.from + range.end]))?
}

/// The lab that words at this offset speak of: the nearest in their section, else the last before them, else the first.
fn nearest_lab<'a>(places: &[(usize, Option<&'a str>)], at: usize) -> Option<&'a str> {
    let (before, after) = places.split_at(places.partition_point(|(place, _)| *place <= at));
    let lab =
        |&(place, slug): &(usize, Option<&'a str>)| slug.map(|slug| (place.abs_diff(at), slug));
    let here = before.iter().rev().map_while(lab).next();
    let there = after.iter().map_while(lab).next();
    let in_section = here.into_iter().chain(there).min();
    let elsewhere = || before.iter().rev().chain(after).find_map(lab);
    in_section.or_else(elsewhere).map(|(_, slug)| slug)
}

/// The anchors of a heading's words, unique on the page.
fn anchor(words: &str, taken: &BTreeSet<String>) -> String {
    let mut id = String::new();
    for c in words.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            id.push(c);
        } else if !id.is_empty() && !id.ends_with('-') && !matches!(c, '\'' | '’') {
            id.push('-');
        }
    }
    let id = id.trim_end_matches('-').to_owned();
    let id = if id.is_empty() { "section".to_owned() } else { id };
    let free = |id: &str| !taken.contains(id) && !RESERVED.contains(&id);
    if free(&id) {
        return id;
    }
    (2..).map(|n| format!("{id}-{n}")).find(|id| free(id)).unwrap_or_default()
}

/// The anchor of some words by themselves.
pub(crate) fn anchor_of(words: &str) -> String {
    anchor(words, &BTreeSet::new())
}

/// The words of the events up to the end of the block they are in.
fn words(events: &[Place<'_>], end: impl Fn(TagEnd) -> bool) -> String {
    let mut words = String::new();
    for (event, _) in events {
        match event {
            Event::End(tag) if end(*tag) => break,
            Event::Text(text) | Event::Code(text) => words.push_str(text),
            Event::SoftBreak | Event::HardBreak => words.push(' '),
            _ => {}
        }
    }
    words
}

/// What a directive names: its target, or else its words.
fn named(target: &str, events: &[Place<'_>]) -> String {
    if target.is_empty() { words(events, |tag| tag == TagEnd::Link) } else { target.to_owned() }
}

/// The id of each heading, by the place of its first event.
fn heading_ids(events: &[Place<'_>], labs: &[String]) -> BTreeMap<usize, String> {
    let mut taken: BTreeSet<String> = labs.iter().cloned().collect();
    let mut ids = BTreeMap::new();
    for (i, (event, _)) in events.iter().enumerate() {
        let Event::Start(Tag::Heading { id, .. }) = event else { continue };
        let id = match id {
            Some(id) => id.to_string(),
            None => anchor(&words(&events[i..], |tag| matches!(tag, TagEnd::Heading(_))), &taken),
        };
        taken.insert(id.clone());
        ids.insert(i, id);
    }
    ids
}

/// Where the sections begin (no slug) and the labs stand, in order.
fn places<'a>(body: Body<'a>, events: &[Place<'_>]) -> Vec<(usize, Option<&'a str>)> {
    let place = |place: &Place<'_>| match (&place.0, block_at(body, place)) {
        (_, Some(Ok(Block::Lab(slug)))) => Some((place.1.start, Some(slug))),
        (Event::Start(Tag::Heading { level: HeadingLevel::H2, .. }), _) => {
            Some((place.1.start, None))
        }
        _ => None,
    };
    events.iter().filter_map(place).collect()
}

fn labs_in(body: Body<'_>, events: &[Place<'_>]) -> Vec<String> {
    placed(body, events, |block| if let Block::Lab(slug) = block { Some(slug) } else { None })
}

/// The names of what is placed, as far as `pick` takes it.
fn placed<'a>(
    body: Body<'a>,
    events: &[Place<'_>],
    pick: impl Fn(Block<'a>) -> Option<&'a str>,
) -> Vec<String> {
    let blocks = events.iter().filter_map(|place| block_at(body, place)?.ok());
    blocks.filter_map(|block| pick(block).map(str::to_owned)).collect()
}

/// What others may refer to in this chapter.
pub(crate) fn outline(body: Body<'_>) -> Outline {
    let events = parse(body);
    let labs = labs_in(body, &events);
    let snippets =
        placed(
            body,
            &events,
            |block| if let Block::Code(name) = block { Some(name) } else { None },
        );
    let sweeps =
        placed(
            body,
            &events,
            |block| {
                if let Block::Sweep(name) = block { Some(name) } else { None }
            },
        );
    let anchors = heading_ids(&events, &labs).into_values().collect();
    let choosers = placed(body, &events, |block| matches!(block, Block::Chooser).then_some(""));
    let chooser = !choosers.is_empty();
    Outline { title: String::new(), anchors, labs, sweeps, snippets, chooser }
}

/// A rendered chapter.
pub(crate) struct Rendered {
    pub(crate) parts: Vec<Part>,
    pub(crate) headings: Vec<Heading>,
    /// The anchors of the terms that it explains.
    pub(crate) terms: Vec<String>,
}

/// Renders a chapter. Whatever is wrong in it is reported with its line and left out.
pub(crate) fn render(
    body: Body<'_>,
    slug: &str,
    index: &Index<'_>,
    problems: &mut Vec<Problem>,
) -> Rendered {
    write(body, slug, index, problems, true)
}

/// Renders Markdown; with `explains` the first use of each term becomes a link.
fn write(
    body: Body<'_>,
    slug: &str,
    index: &Index<'_>,
    problems: &mut Vec<Problem>,
    explains: bool,
) -> Rendered {
    let events = parse(body);
    let labs = labs_in(body, &events);
    let ids = heading_ids(&events, &labs);
    let mut writer = Writer {
        body,
        slug,
        index,
        problems,
        ids,
        places: places(body, &events),
        labs,
        snippets: Vec::new(),
        to_drop: String::new(),
        out: Vec::new(),
        headings: Vec::new(),
        heading_from: 0,
        open_note: None,
        close_link: Vec::new(),
        alignments: Vec::new(),
        cell: ("td", 0),
        corner: false,
        no_prose: u32::from(!explains),
        explained: BTreeSet::new(),
        terms: Vec::new(),
    };
    writer.note_explained(&events);
    let mut skip_to = 0;
    for i in 0..events.len() {
        if i >= skip_to {
            skip_to = writer.event(&events, i);
        }
    }
    writer.finish()
}

/// Renders Markdown that stands in no chapter: a value of a TOML file on the page `slug`. What belongs to a chapter, such as a
/// heading or a lab, is refused.
pub(crate) fn fragment(
    source: &Source,
    slug: &str,
    index: &Index<'_>,
    problems: &mut Vec<Problem>,
) -> String {
    let body = Body { source, from: 0 };
    let Outline { anchors, labs, sweeps, snippets, chooser, .. } = outline(body);
    let prose = anchors.is_empty() && labs.is_empty() && sweeps.is_empty() && snippets.is_empty();
    if !prose || chooser {
        problems.push(source.problem(
            source.line(0),
            "headings, labs, sweeps and code in tabs stand in chapters alone",
        ));
        return String::new();
    }
    let parts = write(body, slug, index, problems, false).parts;
    let html = parts.into_iter().map(|part| match part {
        Part::Html(html) => html,
        Part::Lab(_) => String::new(),
    });
    html.collect()
}

/// HTML that is one paragraph, without its element.
pub(crate) fn inline(html: &str) -> String {
    let html = html.trim();
    let words = html.strip_prefix("<p>").and_then(|rest| rest.strip_suffix("</p>"));
    words.filter(|words| !words.contains("<p>")).unwrap_or(html).to_owned()
}

/// A listing as HTML.
///
/// # Errors
/// If there is no such language.
pub(crate) fn code(language: &str, code: &str) -> Result<String, String> {
    let html = highlight::html(language, code)?;
    Ok(format!(
        "<div class=\"code\"><pre tabindex=\"0\"><code class=\"language-{language}\">{html}</code></pre></div>\n"
    ))
}

/// Marks the place of a lab in the HTML; comments of the source are dropped, so it cannot be forged.
const LAB_OPEN: &str = "<!--lab ";
const LAB_CLOSE: &str = "-->\n";

struct Writer<'a, 'p> {
    body: Body<'a>,
    slug: &'a str,
    index: &'a Index<'a>,
    problems: &'p mut Vec<Problem>,
    ids: BTreeMap<usize, String>,
    labs: Vec<String>,
    /// The snippets that were placed.
    snippets: Vec<&'a str>,
    /// Where the sections begin (no slug) and the labs stand.
    places: Vec<(usize, Option<&'a str>)>,
    /// What the next text begins with that is no prose.
    to_drop: String,
    out: Vec<Event<'a>>,
    headings: Vec<Heading>,
    /// Where in `out` the words of the last heading begin.
    heading_from: usize,
    /// Where the note began that is open.
    open_note: Option<usize>,
    /// What closes each link that is open.
    close_link: Vec<&'static str>,
    /// How the columns of the table are set. The library would say it by `style`, which the page does not allow.
    alignments: Vec<Alignment>,
    /// The element of the next cell, and its column.
    cell: (&'static str, usize),
    /// Whether that cell stands in the head and is empty.
    corner: bool,
    /// In how many elements it is whose text explains no terms, such as a heading.
    no_prose: u32,
    /// The anchors of the terms that need no link of their own any more.
    explained: BTreeSet<String>,
    /// The anchors of the terms that were explained, in order.
    terms: Vec<String>,
}

impl<'a> Writer<'a, '_> {
    fn problem(&mut self, offset: usize, sentence: impl Into<String>) {
        let line = self.body.source.line(self.body.from + offset);
        self.problems.push(self.body.source.problem(line, sentence));
    }

    fn html(&mut self, html: impl Into<String>) {
        self.out.push(Event::InlineHtml(CowStr::from(html.into())));
    }

    /// Writes the event at `i` and says which one is next.
    fn event(&mut self, events: &[Place<'a>], i: usize) -> usize {
        let (event, range) = &events[i];
        let start = range.start;
        if let Some(block) = block_at(self.body, &events[i]) {
            match block {
                Ok(block) => self.block(&block, start),
                Err(sentence) => self.problem(start, sentence),
            }
            let end = events[i..]
                .iter()
                .position(|(event, _)| *event == Event::End(TagEnd::Paragraph))
                .unwrap_or_default();
            return i + end + 1;
        }
        match event {
            Event::Start(Tag::Heading { level, .. }) => self.heading(*level, i, start),
            Event::End(TagEnd::Heading(level)) => self.heading_end(*level),
            Event::Start(Tag::Table(alignments)) => {
                let columns: Vec<String> = events[i..]
                    .iter()
                    .enumerate()
                    .take_while(|(_, (event, _))| *event != Event::End(TagEnd::TableHead))
                    .filter(|(_, (event, _))| *event == Event::Start(Tag::TableCell))
                    .map(|(at, _)| words(&events[i + at..], |tag| tag == TagEnd::TableCell))
                    .collect();
                let label = escaped(&format!("Table: {}", columns.join(", ")));
                self.html(format!("<div class=\"table\" role=\"region\" tabindex=\"0\" aria-label=\"{label}\">\n<table>"));
                self.alignments.clone_from(alignments);
            }
            Event::Start(Tag::TableHead) => {
                self.no_prose += 1;
                self.cell = ("th", 0);
                self.html("<thead><tr>");
            }
            Event::End(TagEnd::TableHead) => {
                self.no_prose -= 1;
                self.html("</tr></thead><tbody>\n");
            }
            Event::Start(Tag::TableRow) => {
                self.cell = ("td", 0);
                self.html("<tr>");
            }
            Event::End(TagEnd::TableRow) => self.html("</tr>\n"),
            Event::Start(Tag::TableCell) => {
                let (kind, column) = self.cell;
                // The corner of a table with names on two sides is the head of nothing.
                let empty = matches!(events.get(i + 1), Some((Event::End(TagEnd::TableCell), _)));
                self.corner = empty && kind == "th";
                let element = if self.corner { "td" } else { kind };
                let class = match self.alignments.get(column) {
                    Some(Alignment::Right) => " class=\"right\"",
                    Some(Alignment::Center) => " class=\"center\"",
                    _ => "",
                };
                self.cell = (kind, column + 1);
                self.html(format!("<{element}{class}>"));
            }
            Event::End(TagEnd::TableCell) => {
                self.html(format!("</{}>", if self.corner { "td" } else { self.cell.0 }));
            }
            Event::End(TagEnd::Table) => self.html("</tbody></table>\n</div>\n"),
            Event::Start(Tag::CodeBlock(kind)) => {
                let end = events[i..]
                    .iter()
                    .position(|(event, _)| *event == Event::End(TagEnd::CodeBlock))
                    .unwrap_or_default();
                self.code(kind, &events[i..i + end], start);
                return i + end + 1;
            }
            Event::Start(Tag::Link { link_type, dest_url, .. }) => match self.directive_at(start) {
                Some(kind @ (MSG | TERM)) => {
                    let close = self.light(kind, dest_url, events, i);
                    self.close_link.push(close);
                }
                Some(DEF) => {
                    let close = self.def(dest_url, events, i);
                    self.close_link.push(close);
                }
                _ => self.link(*link_type, dest_url, start),
            },
            Event::End(TagEnd::Link) => {
                let close = self.close_link.pop().unwrap_or_default();
                self.html(close);
            }
            Event::Start(Tag::Image { .. }) => {
                self.problem(start, "pictures are not shown; a picture of a run comes from a lab");
            }
            Event::Start(Tag::HtmlBlock) | Event::InlineHtml(_) => {
                let html = self.body.source.text()
                    [self.body.from + start..self.body.from + range.end]
                    .trim();
                let comment = html.starts_with("<!--") && html.ends_with("-->");
                if !comment && !html.starts_with("</") {
                    let first = html.lines().next().unwrap_or_default();
                    self.problem(
                        start,
                        format!("HTML such as `{first}` is not passed on; write Markdown"),
                    );
                }
            }
            Event::Html(_) | Event::End(TagEnd::HtmlBlock | TagEnd::Image) => {}
            Event::Text(text) => {
                let before_link = events
                    .get(i + 1)
                    .filter(|(next, _)| matches!(next, Event::Start(Tag::Link { .. })));
                let name = before_link.and_then(|(_, link)| self.directive_at(link.start));
                let text = match name.and_then(|name| text.strip_suffix(name)) {
                    Some(rest) => rest.strip_suffix(':').unwrap_or(rest),
                    None => text,
                };
                // The words in the brackets come first; it stands behind them.
                let text = match text.strip_prefix(self.to_drop.as_str()) {
                    Some(rest) => {
                        self.to_drop.clear();
                        rest
                    }
                    None => text,
                };
                self.text(text, range.clone());
            }
            Event::Code(code) => {
                if let Some(settings) = self.index.settings
                    && let Some(name) = reference::named_in(code)
                    && !settings.contains(name)
                {
                    let sentence =
                        format!("`{name}` is a setting that settings.toml does not explain");
                    self.problem(start, sentence);
                }
                self.out.push(event.clone());
            }
            _ => self.out.push(event.clone()),
        }
        i + 1
    }

    /// Notes the terms that the writer has explained, so that no other use of them is.
    fn note_explained(&mut self, events: &[Place<'a>]) {
        for (i, (event, range)) in events.iter().enumerate() {
            if let Event::Start(Tag::Link { dest_url, .. }) = event
                && self.directive_at(range.start) == Some(DEF)
                && let Ok(anchor) = self.index.glossary.anchor(&named(dest_url, &events[i..]))
            {
                self.explained.insert(anchor.to_owned());
            }
        }
    }

    /// Opens words that the glossary explains.
    fn def(&mut self, target: &str, events: &[Place<'a>], i: usize) -> &'static str {
        let index = self.index;
        match index.glossary.anchor(&named(target, &events[i..])) {
            Ok(anchor) => self.explain(anchor),
            Err(sentence) => {
                self.problem(events[i].1.start, sentence);
                return "";
            }
        }
        "</a>"
    }

    /// Opens a link to a term.
    fn explain(&mut self, anchor: &str) {
        if !self.terms.iter().any(|term| term == anchor) {
            self.terms.push(anchor.to_owned());
        }
        let anchor = escaped(anchor);
        self.html(format!(
            "<a class=\"def\" href=\"../{}/#{anchor}\" data-def=\"{anchor}\">",
            glossary::SLUG
        ));
    }

    /// Text, with a link at the first use of each term where it is prose.
    fn explained_text(&mut self, text: &str) {
        let mut from = 0;
        if self.no_prose == 0 && self.close_link.is_empty() {
            let index = self.index;
            for (range, anchor) in index.glossary.uses(text, &mut self.explained) {
                self.out.push(Event::Text(text[from..range.start].to_owned().into()));
                self.explain(anchor);
                self.out.push(Event::Text(text[range.clone()].to_owned().into()));
                self.html("</a>");
                from = range.end;
            }
        }
        self.out.push(Event::Text(text[from..].to_owned().into()));
    }

    /// The directive whose bracket opens at this place of the body.
    fn directive_at(&self, at: usize) -> Option<&'a str> {
        directive_before(&self.body.source.text()[self.body.from..], at)
    }

    /// Prose, with a space that does not break between a number and its unit.
    fn text(&mut self, text: &str, range: Range<usize>) {
        let (start, from) = (range.start, self.body.from);
        let written = &self.body.source.text()[from + start..from + range.end];
        for name in STATES.iter().chain([&RESULT, &MSG, &TERM, &DEF]) {
            let opens = format!(":{name}[");
            if written.match_indices(&opens).any(|(at, _)| !written[..at].ends_with('\\')) {
                let sentence = format!(
                    "`{opens}` opens here but is not closed, or has a link or another directive in it"
                );
                self.problem(start, sentence);
            }
        }
        if text.contains("{{") {
            self.problem(
                start,
                "a lab stands alone in its paragraph; put an empty line before and after it",
            );
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(' ') {
            let (before, after) = (&rest[..at], &rest[at + 1..]);
            let unit: String = after.chars().take_while(|c| c.is_alphanumeric()).collect();
            let number = before.ends_with(|c: char| c.is_ascii_digit());
            let joined =
                number && matches!(unit.as_str(), "s" | "ms" | "min" | "h" | "KiB" | "MiB");
            out.push_str(before);
            out.push_str(if joined { "\u{a0}" } else { " " });
            rest = after;
        }
        out.push_str(rest);
        self.explained_text(&out);
    }

    /// A listing: the events of its lines.
    fn code(&mut self, kind: &CodeBlockKind<'_>, lines: &[Place<'a>], start: usize) {
        let language = match kind {
            CodeBlockKind::Fenced(info) => info.split_whitespace().next().unwrap_or_default(),
            CodeBlockKind::Indented => "",
        };
        if language.is_empty() {
            self.problem(start, "this code does not say its language; write ```text for none");
            return;
        }
        let text = lines.iter().filter_map(|(event, _)| match event {
            Event::Text(text) => Some(&**text),
            _ => None,
        });
        match code(language, &text.collect::<String>()) {
            Ok(html) => self.html(html),
            Err(sentence) => self.problem(start, sentence),
        }
    }

    fn block(&mut self, block: &Block<'a>, start: usize) {
        match *block {
            Block::Lab(slug) => {
                if !self.index.labs.contains_key(slug) {
                    let known: Vec<&str> = self.index.labs.keys().map(String::as_str).collect();
                    self.problem(start, nearest(slug, "a lab", &known));
                } else if self.open_note.is_some() {
                    self.problem(start, "a lab does not stand in a note; close the note before it");
                } else {
                    self.html(format!("{LAB_OPEN}{slug}{LAB_CLOSE}"));
                    let marks = self.out.iter().filter(|event| {
                        matches!(event, Event::InlineHtml(html) if **html == format!("{LAB_OPEN}{slug}{LAB_CLOSE}"))
                    });
                    if marks.count() > 1 {
                        self.problem(start, format!("the lab {slug} is on this page already; a lab stands once on a page"));
                    }
                }
            }
            Block::Sweep(slug) => {
                let index = self.index;
                match index.sweeps.get(slug) {
                    None => {
                        let known: Vec<&str> = index.sweeps.keys().map(String::as_str).collect();
                        self.problem(start, nearest(slug, "a sweep", &known));
                    }
                    // One that cannot be used has been reported.
                    Some(sweep) if sweep.lab.is_empty() => {}
                    Some(sweep) => {
                        let opens = index.labs.get(&sweep.lab).and_then(|lab| lab.lab.as_ref());
                        let at = opens.map_or(Time::ZERO, |lab| lab.opens_at);
                        let html = sweep.html(slug, |query| {
                            index.lab_place(&sweep.lab, self.slug, query, at).unwrap_or_default()
                        });
                        self.html(html);
                    }
                }
            }
            Block::Code(name) => {
                let index = self.index;
                let Some(snippet) = index.snippets.get(name) else {
                    let known: Vec<&str> = index.snippets.keys().map(String::as_str).collect();
                    self.problem(start, nearest(name, "a snippet", &known));
                    return;
                };
                if self.snippets.contains(&name) {
                    self.problem(
                        start,
                        format!(
                            "the code {name} is on this page already; it stands once on a page"
                        ),
                    );
                }
                self.snippets.push(name);
                let html = snippet.html(index, self.problems);
                self.html(html);
            }
            Block::Chooser => match self.index.chooser {
                Some(chooser) => {
                    let html = chooser.html(self.slug, self.index, self.problems);
                    self.html(html);
                }
                None => self.problem(start, "there is no `chooser.toml` to be placed here"),
            },
            Block::Open("server", versions) if !versions.is_empty() => {
                if self.open_note.replace(start).is_some() {
                    self.problem(
                        start,
                        "a note does not stand in a note; close the one before with :::",
                    );
                }
                let versions = escaped(versions);
                self.html(format!(
                    "<aside class=\"note server\" role=\"note\"><p class=\"note-title\">What servers really do <span class=\"seen\">seen on {versions}</span></p>\n"
                ));
            }
            Block::Open("server", _) => {
                self.problem(start, "say on which versions this was seen, as :::server 2.10–2.15");
            }
            Block::Open(kind, _) => self.problem(start, nearest(kind, "a note", &["server"])),
            Block::Close if self.open_note.take().is_some() => self.html("</aside>\n"),
            Block::Close => self.problem(start, "this ::: closes nothing"),
        }
    }

    fn heading(&mut self, level: HeadingLevel, i: usize, start: usize) {
        let level = level as u8;
        if level == 1 {
            self.problem(
                start,
                "the title of a chapter is in its front matter; begin a section with ##",
            );
        }
        if let Some(last) = self.headings.last()
            && level > last.level + 1
        {
            self.problem(start, "this heading skips a level");
        } else if self.headings.is_empty() && level > 2 {
            self.problem(start, "the first heading of a chapter is a section, ##");
        }
        let id = self.ids[&i].clone();
        if self.headings.iter().any(|h| h.id == id)
            || self.labs.contains(&id)
            || RESERVED.contains(&id.as_str())
        {
            self.problem(start, format!("`#{id}` is taken; choose another id for this heading"));
        }
        self.no_prose += 1;
        self.html(format!("<h{level} id=\"{}\">", escaped(&id)));
        self.headings.push(Heading { level, id, html: String::new() });
        self.heading_from = self.out.len();
    }

    fn heading_end(&mut self, level: HeadingLevel) {
        self.no_prose = self.no_prose.saturating_sub(1);
        let Some(heading) = self.headings.last_mut() else { return };
        let is_link = |event: &&Event<'_>| match event {
            Event::InlineHtml(html) => html.starts_with("<a ") || &**html == "</a>",
            _ => false,
        };
        let words = self.out[self.heading_from..].iter().filter(|event| !is_link(event)).cloned();
        pulldown_cmark::html::push_html(&mut heading.html, words);
        let (id, words) = (escaped(&heading.id), plain(&heading.html));
        let level = level as u8;
        self.html(format!(
            " <a class=\"anchor\" href=\"#{id}\" aria-label=\"Link to this section: {words}\">#</a></h{level}>\n"
        ));
    }

    fn link(&mut self, link_type: LinkType, target: &str, start: usize) {
        let close = match self.directive_at(start) {
            Some(RESULT) => self.result(link_type, target, start),
            Some(state) if STATES.contains(&state) => {
                if link_type == LinkType::ShortcutUnknown {
                    self.html(format!("<em class=\"state {state}\">"));
                    "</em>"
                } else {
                    self.problem(
                        start,
                        format!(":{state}[…] names a state and leads nowhere; remove its target"),
                    );
                    ""
                }
            }
            Some(name) => {
                let known: Vec<&str> = STATES.into_iter().chain([RESULT, MSG, TERM, DEF]).collect();
                self.problem(start, nearest(name, "a directive", &known));
                ""
            }
            None => match self.address(target) {
                Ok((href, rel)) => {
                    self.html(format!("<a href=\"{}\"{rel}>", escaped(&href)));
                    "</a>"
                }
                Err(sentence) => {
                    self.problem(start, sentence);
                    ""
                }
            },
        };
        self.close_link.push(close);
    }

    /// Opens words that light up a message or a state in a figure.
    fn light(&mut self, kind: &str, target: &str, events: &[Place<'a>], i: usize) -> &'static str {
        let start = events[i].1.start;
        let end = events[i..].iter().position(|(event, _)| *event == Event::End(TagEnd::Link));
        let after = end.and_then(|end| events.get(i + end + 1));
        let mut named = None;
        if let Some((Event::Text(text), _)) = after
            && let Some((slug, _)) =
                text.strip_prefix("{lab=").and_then(|rest| rest.split_once('}'))
        {
            self.to_drop = format!("{{lab={slug}}}");
            named = Some(slug.to_owned());
        }
        let lab = match named.as_deref().or_else(|| nearest_lab(&self.places, start)) {
            Some(slug) if self.labs.iter().any(|lab| lab == slug) => slug.to_owned(),
            Some(slug) => {
                let known: Vec<&str> = self.labs.iter().map(String::as_str).collect();
                self.problem(start, nearest(slug, "a lab of this page", &known));
                return "";
            }
            None => {
                let sentence =
                    format!(":{kind}[…] needs a lab on this page, in which it lights up");
                self.problem(start, sentence);
                return "";
            }
        };
        let index = self.index;
        // A lab that is not there or does not run has been reported.
        let Some(run) = index.labs.get(&lab).filter(|run| !run.picture.is_empty()) else {
            return "";
        };
        let words = words(&events[i..], |tag| tag == TagEnd::Link);
        let name = if target.is_empty() { words.as_str() } else { target };
        let lab = escaped(&lab);
        if kind == MSG {
            if !run.messages.iter().any(|label| label == name) {
                let known: Vec<&str> = run.messages.iter().map(String::as_str).collect();
                self.problem(start, nearest(name, &format!("a message of the lab {lab}"), &known));
                return "";
            }
            let label = escaped(name);
            self.html(format!("<span class=\"msg\" data-msg-label=\"{label}\" data-in=\"{lab}\">"));
            return "</span>";
        }
        let Some((_, state)) = TERMS.iter().find(|(term, _)| *term == name) else {
            let known = TERMS.map(|(term, _)| term);
            self.problem(start, nearest(name, "a term", &known));
            return "";
        };
        let mut classes =
            run.picture.split("class=\"").skip(1).filter_map(|at| at.split('"').next());
        if !classes.any(|class| class.split(' ').any(|word| word == *state)) {
            let sentence = format!(
                "nothing is {name} in the default run of the lab {lab}, so nothing lights up"
            );
            self.problem(start, sentence);
            return "";
        }
        self.html(format!(
            "<span class=\"term state {state}\" data-term=\"{state}\" data-in=\"{lab}\">"
        ));
        "</span>"
    }

    /// Opens a result: words that a claim of a lab stands for.
    fn result(&mut self, link_type: LinkType, target: &str, start: usize) -> &'static str {
        let (slug, claim) = match target.split_once('/') {
            Some(parts) if link_type == LinkType::Inline => parts,
            _ => {
                self.problem(start, "a result names its lab and claim: :result[words](lab/claim)");
                return "";
            }
        };
        let index = self.index;
        let Some(lab) = index.labs.get(slug) else {
            let known: Vec<&str> = index.labs.keys().map(String::as_str).collect();
            self.problem(start, nearest(slug, "a lab", &known));
            return "";
        };
        // A lab that cannot be read has been reported.
        if lab.lab.is_none() {
            return "";
        }
        let Some((query, at)) = lab.claims.get(claim) else {
            let known: Vec<&str> = lab.claims.keys().map(String::as_str).collect();
            self.problem(start, nearest(claim, &format!("a claim of the lab {slug}"), &known));
            return "";
        };
        // A lab that no chapter shows has been reported.
        let Some(place) = index.lab_place(slug, self.slug, query, *at) else { return "" };
        self.html(format!("<a class=\"result\" href=\"{}\">", escaped(&place)));
        "</a>"
    }

    /// The address and further attributes of a link, checked.
    fn address(&self, target: &str) -> Result<(String, &'static str), String> {
        if ["http://", "https://", "mailto:"].iter().any(|scheme| target.starts_with(scheme)) {
            return Ok((target.to_owned(), " rel=\"noreferrer\""));
        }
        // What stands for itself is found on the pages of others as well.
        let (whole, from) = match target.strip_prefix('#') {
            Some(_) => (format!("{}{target}", self.slug), self.slug),
            None => (target.to_owned(), ""),
        };
        Ok((self.index.place(&whole, from)?, ""))
    }

    fn finish(mut self) -> Rendered {
        if let Some(start) = self.open_note {
            self.problem(start, "this note is not closed; end it with :::");
        }
        let mut html = String::new();
        pulldown_cmark::html::push_html(&mut html, self.out.into_iter());
        let mut parts = Vec::new();
        let mut rest = html.as_str();
        while let Some((before, after)) = rest.split_once(LAB_OPEN) {
            let Some((slug, after)) = after.split_once(LAB_CLOSE) else { break };
            if !before.trim().is_empty() {
                parts.push(Part::Html(before.to_owned()));
            }
            parts.push(Part::Lab(slug.to_owned()));
            rest = after;
        }
        if !rest.trim().is_empty() {
            parts.push(Part::Html(rest.to_owned()));
        }
        Rendered { parts, headings: self.headings, terms: self.terms }
    }
}
