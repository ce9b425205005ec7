//! A chapter: its file's name and front matter, and the body rendered to parts.

use crate::Problem;
use crate::markdown::{self, Body, Index, Outline, Rendered};
use crate::source::{Source, nearest};
use serde::Deserialize;
use toml::Spanned;

/// A finished chapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chapter {
    /// Its number, from the file's name.
    pub number: u32,
    /// Its name in addresses, from the file's name.
    pub slug: String,
    /// Its heading.
    pub title: String,
    /// Its name in lists of chapters.
    pub short: String,
    /// The [`id`](crate::BookPart::id) of the part it belongs to.
    pub part: String,
    /// What it says, in one or two sentences of plain text.
    pub summary: String,
    /// Its content in order.
    pub parts: Vec<Part>,
    /// Its sections, for a list of what is on the page.
    pub headings: Vec<Heading>,
    /// The anchors of the terms of the glossary that it explains; each has a [`Meaning`](crate::Meaning).
    pub terms: Vec<String>,
    /// Whether the chooser stands in it.
    pub chooser: bool,
}

/// A piece of a chapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Finished HTML.
    Html(String),
    /// The lab with this slug.
    Lab(String),
}

/// The heading of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// 2 for a section, 3 for a section within one.
    pub level: u8,
    /// Its anchor.
    pub id: String,
    /// Its words, as HTML without links.
    pub html: String,
}

/// What stands between the lines of `+++`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FrontMatter {
    title: String,
    short: String,
    part: Spanned<String>,
    summary: String,
}

/// A chapter whose front matter is read.
pub(crate) struct Draft {
    pub(crate) number: u32,
    pub(crate) slug: String,
    pub(crate) source: Source,
    front: FrontMatter,
    body_from: usize,
}

impl Draft {
    /// Reads name and front matter. `parts` are the parts there are, if that is known.
    pub(crate) fn read(
        source: Source,
        parts: Option<&Vec<&str>>,
        problems: &mut Vec<Problem>,
    ) -> Option<Self> {
        let mut fail = |line, sentence: String| problems.push(source.problem(line, sentence));
        let name = source.stem().split_once('-').and_then(|(number, slug)| {
            let plain =
                slug.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
            (plain && number.len() == 2 && !slug.is_empty())
                .then(|| Some((number.parse().ok()?, slug.to_owned())))?
        });
        let Some((number, slug)) = name else {
            fail(
                0,
                "a chapter's file is called by its number and its address, as 08-the-stopwatch.md"
                    .into(),
            );
            return None;
        };
        let text = source.text();
        let fence = "+++\n";
        let Some(end) = text.strip_prefix(fence).and_then(|rest| {
            if rest.starts_with(fence) { Some(0) } else { rest.find("\n+++\n").map(|end| end + 1) }
        }) else {
            fail(
                1,
                "a chapter begins with its title, short, part and summary between two lines of +++"
                    .into(),
            );
            return None;
        };
        let front = fence.len()..fence.len() + end;
        let body_from = front.end + fence.len();
        let front: FrontMatter =
            source.toml_in(front.clone()).map_err(|problem| problems.push(problem)).ok()?;
        let part = front.part.get_ref();
        if let Some(parts) = parts
            && !parts.contains(&part.as_str())
        {
            let line = source.line(fence.len() + front.part.span().start);
            problems.push(source.problem(line, nearest(part, "a part of the book", parts)));
        }
        Some(Self { number, slug, source, front, body_from })
    }

    /// Its Markdown.
    pub(crate) fn body(&self) -> Body<'_> {
        Body { source: &self.source, from: self.body_from }
    }

    /// What others may refer to in it.
    pub(crate) fn outline(&self) -> Outline {
        Outline { title: self.front.short.clone(), ..markdown::outline(self.body()) }
    }

    /// Renders it.
    pub(crate) fn render(&self, index: &Index<'_>, problems: &mut Vec<Problem>) -> Chapter {
        let Rendered { parts, headings, terms } =
            markdown::render(self.body(), &self.slug, index, problems);
        Chapter {
            number: self.number,
            slug: self.slug.clone(),
            title: self.front.title.clone(),
            short: self.front.short.clone(),
            part: self.front.part.get_ref().clone(),
            summary: self.front.summary.clone(),
            parts,
            headings,
            terms,
            chooser: markdown::outline(self.body()).chooser,
        }
    }
}
