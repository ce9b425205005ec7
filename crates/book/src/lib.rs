//! The book: content in, checked and rendered chapters out.
//!
//! [`Book::load`] reads a folder of Markdown chapters and TOML labs, runs every lab, and either gives the
//! finished chapters or every problem it found, each with its file, its line and a sentence for the writer.
//!
//! ```text
//! content/book.toml            title and parts
//! content/chapters/08-x.md     chapter 8, `x` in addresses
//! content/labs/y.toml          the lab `y`: a scenario, its knobs, and what its runs must show
//! ```
//!
//! What a chapter may say beyond CommonMark is described at [`markdown`].
//!
//! # Invariant
//!
//! No sentence of a chapter that is marked as a result stands in a book whose labs do not show it.

mod chapter;
mod expect;
mod lab;
pub mod markdown;
mod problem;
mod source;
mod teach;

pub use chapter::{Chapter, Heading, Part};
pub use problem::Problem;

use chapter::Draft;
use delivery_figure::lab::Lab;
use lab::CheckedLab;
use markdown::{Index, Outline};
use serde::Deserialize;
use source::Source;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use toml::Spanned;

/// A complete book without problems.
#[derive(Clone, Debug)]
pub struct Book {
    /// Its title.
    pub title: String,
    /// What it is, in a few words.
    pub claim: String,
    /// What its figures are, in a few sentences of plain text.
    pub about: String,
    /// The lab that its front page shows.
    pub figure: String,
    /// The servers that the simulator was checked against, as a list in words.
    pub checked_against: String,
    /// Where it will be read, `https://example.org/x/`, if that is known.
    pub site: Option<String>,
    /// Its parts, in order; also those that have no chapter yet.
    pub parts: Vec<BookPart>,
    /// Its chapters, by number.
    pub chapters: Vec<Chapter>,
    labs: BTreeMap<String, Lab>,
}

/// A part of the book, a group of chapters.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BookPart {
    /// What a chapter's front matter calls it.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The guarantee it is about; empty if it is about none.
    #[serde(default)]
    pub promise: String,
}

/// What `book.toml` holds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BookFile {
    title: String,
    claim: String,
    about: String,
    figure: Spanned<String>,
    checked_against: String,
    site: Option<Spanned<String>>,
    part: Vec<BookPart>,
}

impl Book {
    /// Reads the book in the folder `content`, runs its labs and renders its chapters.
    ///
    /// # Errors
    /// Everything that is wrong with it, in the order of files and lines. Files are named from the folder that holds
    /// `content`. A TOML file reports its first mistake only, since what follows one cannot be told for sure.
    pub fn load(content: &Path) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        let root = content.file_name().unwrap_or_default().to_string_lossy().into_owned();

        let file = Source::read(&content.join("book.toml"), format!("{root}/book.toml"))
            .and_then(|source| Ok((source.toml::<BookFile>()?, source)));
        let parts = match &file {
            Ok((file, _)) => file.part.clone(),
            Err(_) => Vec::new(),
        };

        let mut labs = BTreeMap::new();
        for source in
            Source::read_all(&content.join("labs"), &format!("{root}/labs"), "toml", &mut problems)
        {
            if let Some(lab) = CheckedLab::check(&source, &mut problems) {
                labs.insert(source.stem().to_owned(), lab);
            } else {
                // It exists, so that the chapters that place it are not blamed as well.
                labs.insert(source.stem().to_owned(), CheckedLab::broken(&source));
            }
        }

        if let Ok((file, source)) = &file
            && !labs.contains_key(file.figure.get_ref())
        {
            let known: Vec<&str> = labs.keys().map(String::as_str).collect();
            let sentence = source::nearest(file.figure.get_ref(), "a lab", &known);
            problems.push(source.problem(source.line(file.figure.span().start), sentence));
        }

        if let Ok((file, source)) = &file
            && let Some(site) = &file.site
            && !is_address(site.get_ref())
        {
            problems.push(source.problem(
                source.line(site.span().start),
                format!(
                    "`{}` is no address of a site; it begins with https:// and ends with a slash",
                    site.get_ref()
                ),
            ));
        }

        let known_parts: Vec<&str> = parts.iter().map(|part| part.id.as_str()).collect();
        let mut drafts = Vec::new();
        for source in Source::read_all(
            &content.join("chapters"),
            &format!("{root}/chapters"),
            "md",
            &mut problems,
        ) {
            drafts.extend(Draft::read(source, file.is_ok().then_some(&known_parts), &mut problems));
        }
        drafts.sort_by_key(|draft| draft.number);
        for pair in drafts.windows(2) {
            if pair[0].number == pair[1].number {
                problems.push(pair[1].source.problem(
                    0,
                    format!(
                        "chapter {} is also {}; give one of them another number",
                        pair[1].number,
                        pair[0].source.name()
                    ),
                ));
            }
        }

        let outlines: BTreeMap<String, Outline> =
            drafts.iter().map(|d| (d.slug.clone(), markdown::outline(d.body()))).collect();
        let index = Index { outlines: &outlines, labs: &labs };
        let chapters: Vec<Chapter> =
            drafts.iter().map(|draft| draft.render(&index, &mut problems)).collect();

        let placed: BTreeSet<&str> =
            outlines.values().flat_map(|o| o.labs.iter().map(String::as_str)).collect();
        for (slug, lab) in &labs {
            if !placed.contains(slug.as_str()) {
                problems.push(lab.source.problem(
                    0,
                    format!("no chapter shows this lab; place it with {{{{lab {slug}}}}} or remove the file"),
                ));
            }
        }

        let file = file.map_err(|problem| problems.push(problem));
        problems.sort();
        match file {
            Ok((file, _)) if problems.is_empty() => Ok(Self {
                title: file.title,
                claim: file.claim,
                about: file.about.split_whitespace().collect::<Vec<_>>().join(" "),
                figure: file.figure.into_inner(),
                checked_against: file.checked_against,
                site: file.site.map(Spanned::into_inner),
                parts,
                chapters,
                labs: labs.into_iter().filter_map(|(slug, lab)| Some((slug, lab.lab?))).collect(),
            }),
            _ => Err(problems),
        }
    }

    /// A lab by its slug; every slug in a [`Part::Lab`] has one, and so has [`Book::figure`].
    pub fn lab(&self, slug: &str) -> Option<&Lab> {
        self.labs.get(slug)
    }

    /// Every lab, by slug.
    pub fn labs(&self) -> impl Iterator<Item = &Lab> {
        self.labs.values()
    }
}

/// Whether this is where a site can be.
fn is_address(text: &str) -> bool {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    host.is_some_and(|host| {
        host.len() > 1
            && !host.starts_with('/')
            && host.ends_with('/')
            && !host.contains(['?', '#', '"', '<', ' '])
    })
}
