//! The book: content in, checked and rendered chapters out.
//!
//! [`Book::load`] reads a folder of Markdown chapters and TOML labs, runs every lab, and either gives the
//! finished chapters or every problem it found, each with its file, its line and a sentence for the writer.
//!
//! ```text
//! content/book.toml            title and parts
//! content/chapters/08-x.md     chapter 8, `x` in addresses
//! content/labs/y.toml          the lab `y`: a scenario, its knobs, and what its runs must show
//! content/sweeps/z.toml        the sweep `z`: a lab run over values of its knobs, counted in a table
//! content/snippets/z.md        the code `z` for every client
//! content/chooser.toml         questions that lead to a configuration
//! content/glossary.toml        the terms that chapters explain where they first use them
//! content/settings.toml        the settings of NATS, to look up
//! content/symptoms.toml        what goes wrong, by what one sees
//! ```
//!
//! What a chapter may say beyond CommonMark is described at [`markdown`].
//!
//! # Invariant
//!
//! No sentence of a chapter that is marked as a result stands in a book whose labs do not show it.

mod chapter;
mod chooser;
mod expect;
mod glossary;
mod highlight;
mod lab;
pub mod markdown;
mod problem;
mod reference;
mod snippet;
mod source;
mod sweep;
mod teach;
pub mod text;

pub use chapter::{Chapter, Heading, Part};
pub use glossary::Meaning;
pub use problem::Problem;
pub use reference::Reference;

use chapter::Draft;
use chooser::Chooser;
use delivery_figure::lab::Lab;
use glossary::Glossary;
use lab::CheckedLab;
use markdown::{Index, Outline};
use reference::Lookup;
use serde::Deserialize;
use snippet::Snippet;
use source::Source;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use sweep::Sweep;
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
    /// Pages to look something up, in the order of lists.
    pub references: Vec<Reference>,
    meanings: BTreeMap<String, Meaning>,
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

/// How a file to look something up is read.
type Read = fn(Source, &mut Vec<Problem>) -> Result<Lookup, Problem>;

/// Addresses that no chapter can have.
const PAGES: [&str; 4] = [glossary::SLUG, reference::SETTINGS, reference::SYMPTOMS, "embed"];

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
        let mut sweeps = BTreeMap::new();
        let folder = content.join("sweeps");
        for source in Source::read_any(&folder, &format!("{root}/sweeps"), "toml", &mut problems) {
            let sweep =
                Sweep::run(&source, &labs, &mut problems).unwrap_or_else(|| Sweep::broken(&source));
            sweeps.insert(source.stem().to_owned(), sweep);
        }
        let snippets = Source::read_any(
            &content.join("snippets"),
            &format!("{root}/snippets"),
            "md",
            &mut problems,
        );
        let snippets: BTreeMap<String, Snippet> = snippets
            .into_iter()
            .map(|source| (source.stem().to_owned(), Snippet::read(source, &mut problems)))
            .collect();

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

        // Without these there is no saying what a chapter may refer to.
        let one = |name: &str| {
            let path = content.join(name);
            let there = path.is_file();
            there.then(|| Source::read(&path, format!("{root}/{name}"))).transpose()
        };
        let mut looked_up = || {
            let mut read = |name: &str, read: Read| {
                one(name)?.map(|source| read(source, &mut problems)).transpose()
            };
            let symptoms = read("symptoms.toml", Lookup::symptoms);
            let settings = read("settings.toml", Lookup::settings);
            let glossary = one("glossary.toml").and_then(|source| {
                source.map_or_else(
                    || Ok(Glossary::default()),
                    |source| Glossary::read(source, &mut problems),
                )
            });
            let chooser = one("chooser.toml").and_then(|source| {
                source.map(|source| Chooser::read(source, &mut problems)).transpose()
            });
            (symptoms, settings, glossary, chooser)
        };
        let (symptoms, settings, glossary, chooser) = match looked_up() {
            (Ok(symptoms), Ok(settings), Ok(glossary), Ok(chooser)) => {
                (symptoms, settings, glossary, chooser)
            }
            (symptoms, settings, glossary, chooser) => {
                problems.extend(chooser.err());
                problems.extend(symptoms.err());
                problems.extend(settings.err());
                problems.extend(glossary.err());
                problems.sort();
                return Err(problems);
            }
        };

        let mut outlines: BTreeMap<String, Outline> = BTreeMap::new();
        for draft in &drafts {
            if PAGES.contains(&draft.slug.as_str()) {
                let sentence =
                    format!("`{}` is a page of its own; call this chapter otherwise", draft.slug);
                problems.push(draft.source.problem(0, sentence));
            }
            let mut outline = draft.outline();
            if let Some(chooser) = chooser.as_ref().filter(|_| outline.chooser) {
                outline.anchors.extend(chooser.anchors());
                outline.snippets.extend(chooser.snippets().map(str::to_owned));
            }
            outlines.insert(draft.slug.clone(), outline);
        }
        for lookup in symptoms.iter().chain(&settings) {
            outlines.insert(lookup.slug().into(), Outline::of(lookup.anchors()));
        }
        if glossary.is_there() {
            outlines.insert(glossary::SLUG.into(), Outline::of(glossary.anchors()));
        }
        let names = settings.as_ref().map(Lookup::names);
        let index = Index {
            outlines: &outlines,
            labs: &labs,
            sweeps: &sweeps,
            snippets: &snippets,
            chooser: chooser.as_ref(),
            glossary: &glossary,
            settings: names.as_ref(),
        };
        let chapters: Vec<Chapter> =
            drafts.iter().map(|draft| draft.render(&index, &mut problems)).collect();
        let used: BTreeSet<&str> =
            chapters.iter().flat_map(|c| c.terms.iter().map(String::as_str)).collect();
        glossary.check_used(&used, &mut problems);
        let (meanings, terms) = glossary.render(&index, &mut problems);
        let mut references: Vec<Reference> = symptoms
            .iter()
            .chain(&settings)
            .map(|lookup| lookup.render(&index, &mut problems))
            .collect();
        if glossary.is_there() {
            references.push(glossary::page(terms));
        }

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

        let swept = |slug: &String| outlines.values().any(|outline| outline.sweeps.contains(slug));
        for (slug, sweep) in sweeps.iter().filter(|(slug, _)| !swept(slug)) {
            problems.push(sweep.source.problem(
                0,
                format!("no chapter shows this sweep; place it with {{{{sweep {slug}}}}} or remove the file"),
            ));
        }
        let placed: BTreeSet<&str> =
            outlines.values().flat_map(|o| o.snippets.iter().map(String::as_str)).collect();
        for (name, snippet) in &snippets {
            if !placed.contains(name.as_str()) {
                problems.push(snippet.source.problem(
                    0,
                    format!("no chapter shows this code; place it with {{{{code {name}}}}} or remove the file"),
                ));
            }
        }

        if let Some(chooser) = &chooser {
            if !outlines.values().any(|outline| outline.chooser) {
                let sentence =
                    "no chapter shows the chooser; place it with {{chooser}} or remove the file";
                problems.push(chooser.problem(sentence));
            }
            if let Some(lab) = labs.get(chooser::NAME) {
                let sentence = format!(
                    "in addresses `{}` is the chooser; call this lab otherwise",
                    chooser::NAME
                );
                problems.push(lab.source.problem(0, sentence));
            }
        }

        let file = file.map_err(|problem| problems.push(problem));
        problems.sort();
        // What stands on several pages is wrong once.
        problems.dedup();
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
                references,
                meanings,
                labs: labs.into_iter().filter_map(|(slug, lab)| Some((slug, lab.lab?))).collect(),
            }),
            _ => Err(problems),
        }
    }

    /// A lab by its slug; every slug in a [`Part::Lab`] has one, and so has [`Book::figure`].
    pub fn lab(&self, slug: &str) -> Option<&Lab> {
        self.labs.get(slug)
    }

    /// What a term of the glossary means, by its anchor; every anchor in [`Chapter::terms`] has one.
    pub fn meaning(&self, anchor: &str) -> Option<&Meaning> {
        self.meanings.get(anchor)
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
