//! What is looked up: the settings of NATS (`settings.toml`), and what goes wrong by what one sees of it (`symptoms.toml`).

use crate::Problem;
use crate::chapter::Heading;
use crate::markdown::{self, Index};
use crate::source::{Source, nearest};
use crate::text::{escaped, plain, unlinked};
use delivery_sim::Time;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use toml::Spanned;

/// Where settings are looked up.
pub(crate) const SETTINGS: &str = "settings";
/// Where symptoms are looked up.
pub(crate) const SYMPTOMS: &str = "symptoms";

/// A page of the book that is no chapter: entries to look up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Its name in addresses.
    pub slug: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// Its name in lists.
    pub short: &'static str,
    /// What it has, in a sentence or two of plain text.
    pub summary: &'static str,
    /// Its entries.
    pub html: String,
    /// Its groups and entries.
    pub headings: Vec<Heading>,
}

/// What a setting can be of, in the order of the page.
const OF: [(&str, &str); 7] = [
    ("stream", "Of a stream"),
    ("consumer", "Of a consumer"),
    ("pull", "Of a pull"),
    ("publish", "Of a publish"),
    ("subscription", "Of a subscription"),
    ("client", "Of a client"),
    ("server", "Of the server"),
];

/// Fields of the configuration of streams and consumers whose names say what they are. Others are words as well, such as `name`,
/// or counters, such as `first_seq`.
const FIELDS: [&str; 59] = [
    "ack_policy",
    "ack_wait",
    "allow_atomic",
    "allow_direct",
    "allow_msg_counter",
    "allow_msg_schedules",
    "allow_msg_ttl",
    "allow_rollup_hdrs",
    "backoff",
    "compression",
    "consumer_limits",
    "deliver_group",
    "deliver_policy",
    "deliver_subject",
    "deny_delete",
    "deny_purge",
    "discard",
    "discard_new_per_subject",
    "duplicate_window",
    "durable_name",
    "filter_subject",
    "filter_subjects",
    "flow_control",
    "headers_only",
    "idle_heartbeat",
    "inactive_threshold",
    "max_ack_pending",
    "max_age",
    "max_batch",
    "max_bytes",
    "max_consumers",
    "max_deliver",
    "max_expires",
    "max_msg_size",
    "max_msgs",
    "max_msgs_per_subject",
    "max_waiting",
    "mem_storage",
    "mirror_direct",
    "no_ack",
    "num_replicas",
    "opt_start_seq",
    "opt_start_time",
    "pause_until",
    "persist_mode",
    "priority_groups",
    "priority_policy",
    "priority_timeout",
    "rate_limit_bps",
    "replay_policy",
    "republish",
    "retention",
    "sample_freq",
    "sealed",
    "storage",
    "subject_delete_marker_ttl",
    "subject_transform",
    "subjects",
    "template_owner",
];

/// The setting of NATS that a piece of code names: `ack_wait`, `ack_wait=10s`.
pub(crate) fn named_in(code: &str) -> Option<&'static str> {
    let end = code.find(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'));
    let (name, rest) = code.split_at(end.unwrap_or(code.len()));
    let names = rest.is_empty() || rest.trim_start().starts_with(['=', ':']);
    FIELDS.into_iter().find(|field| names && *field == name)
}

/// `[[setting]]`, a file of them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SettingsFile {
    #[serde(default)]
    setting: Vec<Setting>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Setting {
    name: Spanned<String>,
    of: Spanned<String>,
    #[serde(rename = "type")]
    kind: Spanned<Words>,
    default: Spanned<Words>,
    versions: Spanned<Words>,
    editable: Spanned<Words>,
    does: Spanned<String>,
    run: Spanned<String>,
    lab: Option<Spanned<String>>,
    set: Option<Spanned<BTreeMap<String, String>>>,
    t: Option<Spanned<Time>>,
    chapter: Spanned<String>,
    cli: Option<Spanned<String>>,
}

/// A value that stands for itself.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Words {
    Text(String),
    Number(i64),
    Yes(bool),
}

impl Words {
    fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(n) => n.to_string(),
            Self::Yes(true) => "yes".into(),
            Self::Yes(false) => "no".into(),
        }
    }
}

/// `[[symptom]]`, a file of them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SymptomsFile {
    #[serde(default)]
    symptom: Vec<Symptom>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Symptom {
    sees: Spanned<String>,
    id: Spanned<String>,
    because: Spanned<String>,
    #[serde(rename = "do")]
    cure: Spanned<String>,
    lab: Spanned<String>,
    set: Option<Spanned<BTreeMap<String, String>>>,
    t: Option<Spanned<Time>>,
    chapter: Spanned<String>,
}

/// A page whose file was read.
#[derive(Debug)]
enum Entries {
    Settings(Vec<Setting>),
    Symptoms(Vec<Symptom>),
}

/// A file of entries, and how each is called in addresses.
#[derive(Debug)]
pub(crate) struct Lookup {
    source: Source,
    entries: Entries,
    anchors: Vec<String>,
}

impl Lookup {
    /// Reads the settings. What is wrong with single ones goes to `problems`.
    ///
    /// # Errors
    /// If the file cannot be read as TOML of settings.
    pub(crate) fn settings(source: Source, problems: &mut Vec<Problem>) -> Result<Self, Problem> {
        let mut settings = source.toml::<SettingsFile>()?.setting;
        let groups = OF.map(|(of, _)| of);
        for setting in &settings {
            let of = setting.of.get_ref().as_str();
            if !groups.contains(&of) {
                let line = source.line(setting.of.span().start);
                problems
                    .push(source.problem(line, nearest(of, "what a setting can be of", &groups)));
            }
        }
        settings.sort_by_key(|setting| {
            let of = setting.of.get_ref();
            (groups.iter().position(|group| group == of), setting.name.get_ref().clone())
        });
        let named = |name: &str| settings.iter().filter(|s| s.name.get_ref() == name).count();
        let anchors: Vec<String> = settings
            .iter()
            .map(|setting| match setting.name.get_ref() {
                name if named(name) > 1 => format!("{}-{name}", setting.of.get_ref()),
                name => name.clone(),
            })
            .map(|anchor| anchor.replace(' ', "-"))
            .collect();
        let lines = settings.iter().map(|setting| source.line(setting.name.span().start)).collect();
        unique(&source, &anchors, lines, problems);
        Ok(Self { source, entries: Entries::Settings(settings), anchors })
    }

    /// Reads the symptoms, likewise.
    ///
    /// # Errors
    /// If the file cannot be read as TOML of symptoms.
    pub(crate) fn symptoms(source: Source, problems: &mut Vec<Problem>) -> Result<Self, Problem> {
        let symptoms = source.toml::<SymptomsFile>()?.symptom;
        let anchors: Vec<String> = symptoms.iter().map(|s| s.id.get_ref().clone()).collect();
        let lines: Vec<usize> =
            symptoms.iter().map(|symptom| source.line(symptom.id.span().start)).collect();
        for (anchor, line) in anchors.iter().zip(&lines) {
            if markdown::anchor_of(anchor) != *anchor {
                let sentence = format!(
                    "`{anchor}` is no id; write small letters, digits and hyphens, as `{}`",
                    markdown::anchor_of(anchor)
                );
                problems.push(source.problem(*line, sentence));
            }
        }
        unique(&source, &anchors, lines, problems);
        Ok(Self { source, entries: Entries::Symptoms(symptoms), anchors })
    }

    /// Its name in addresses.
    pub(crate) fn slug(&self) -> &'static str {
        match self.entries {
            Entries::Settings(_) => SETTINGS,
            Entries::Symptoms(_) => SYMPTOMS,
        }
    }

    /// The anchors of its entries.
    pub(crate) fn anchors(&self) -> impl Iterator<Item = &str> {
        self.anchors.iter().map(String::as_str)
    }

    /// The names of its settings; none of symptoms.
    pub(crate) fn names(&self) -> BTreeSet<&str> {
        match &self.entries {
            Entries::Settings(settings) => {
                settings.iter().map(|setting| setting.name.get_ref().as_str()).collect()
            }
            Entries::Symptoms(_) => BTreeSet::new(),
        }
    }

    /// The finished page.
    pub(crate) fn render(&self, index: &Index<'_>, problems: &mut Vec<Problem>) -> Reference {
        let mut page = Page {
            source: &self.source,
            slug: self.slug(),
            index,
            problems,
            html: String::new(),
            headings: Vec::new(),
        };
        match &self.entries {
            Entries::Settings(settings) => {
                let mut of = "";
                for (setting, anchor) in settings.iter().zip(&self.anchors) {
                    if *setting.of.get_ref() != of {
                        of = setting.of.get_ref();
                        let title = OF.iter().find(|(name, _)| *name == of);
                        page.heading(2, &format!("of-{of}"), title.map_or(of, |(_, title)| title));
                    }
                    page.setting(setting, anchor);
                }
            }
            Entries::Symptoms(symptoms) => {
                for symptom in symptoms {
                    page.symptom(symptom);
                }
            }
        }
        let (html, headings) = (page.index() + &page.html, page.headings);
        match self.entries {
            Entries::Settings(_) => Reference {
                slug: SETTINGS,
                title: "The settings, and what each does to a run",
                short: "Settings",
                summary: "Each setting of streams, consumers and clients that this book uses: what it does, its default, \
                          the versions that have it, and the figure that shows it.",
                html,
                headings,
            },
            Entries::Symptoms(_) => Reference {
                slug: SYMPTOMS,
                title: "What you see, and why",
                short: "Symptoms",
                summary: "Find what you see in your own system: why it happens, what to do, and a figure that is set to \
                          show it.",
                html,
                headings,
            },
        }
    }
}

/// Reports every anchor that is given twice.
fn unique(source: &Source, anchors: &[String], lines: Vec<usize>, problems: &mut Vec<Problem>) {
    let mut seen = BTreeSet::new();
    let mut both: Vec<_> = lines.into_iter().zip(anchors).collect();
    both.sort();
    for (line, anchor) in both {
        if !seen.insert(anchor) {
            problems.push(source.problem(line, format!("there is a `{anchor}` already")));
        }
    }
}

struct Page<'a, 'p> {
    source: &'a Source,
    slug: &'static str,
    index: &'a Index<'a>,
    problems: &'p mut Vec<Problem>,
    html: String,
    headings: Vec<Heading>,
}

impl Page<'_, '_> {
    fn line<T>(&self, value: &Spanned<T>) -> usize {
        self.source.line(value.span().start)
    }

    fn markdown(&mut self, line: usize, text: &str) -> String {
        let text = self.source.fragment(line, text);
        markdown::fragment(&text, self.slug, self.index, self.problems)
    }

    fn paragraphs(&mut self, text: &Spanned<String>) -> String {
        self.markdown(self.source.line_of_text(text.span().start), text.get_ref())
    }

    fn heading(&mut self, level: u8, id: &str, html: &str) {
        let (anchor, words) = (escaped(id), plain(html));
        self.html += &format!(
            "<h{level} id=\"{anchor}\">{html} <a class=\"anchor\" href=\"#{anchor}\" aria-label=\"Link to this section: {words}\">#</a></h{level}>\n"
        );
        self.headings.push(Heading { level, id: id.into(), html: html.into() });
    }

    /// All entries as links: of settings a line for each group.
    fn index(&self) -> String {
        let mut html = format!("<nav class=\"index {}\" aria-label=\"All entries\">\n", self.slug);
        let entries = if self.slug == SETTINGS { 3 } else { 2 };
        let groups: Vec<&[Heading]> =
            self.headings.chunk_by(|_, next| entries == 2 || next.level == entries).collect();
        for group in groups {
            if let [title, ..] = group
                && title.level < entries
            {
                html += &format!("<p>{}</p>\n", title.html);
            }
            let links = group.iter().filter(|heading| heading.level == entries).map(|heading| {
                format!(
                    "<li><a href=\"#{}\">{}</a></li>\n",
                    escaped(&heading.id),
                    unlinked(&heading.html)
                )
            });
            html += &format!("<ul>\n{}</ul>\n", links.collect::<String>());
        }
        html + "</nav>\n"
    }

    fn setting(&mut self, setting: &Setting, anchor: &str) {
        let name = escaped(setting.name.get_ref());
        // Of several words it is no name in code.
        let name = if name.contains(' ') { name } else { format!("<code>{name}</code>") };
        self.heading(3, anchor, &name);
        let does = self.paragraphs(&setting.does);
        let run = self.paragraphs(&setting.run);
        let mut facts = String::new();
        for (label, words) in [
            ("Type", &setting.kind),
            ("Default", &setting.default),
            ("Versions", &setting.versions),
            ("Can be changed", &setting.editable),
        ] {
            let html = self.markdown(self.line(words), &words.get_ref().text());
            facts += &format!("<div><dt>{label}</dt><dd>{}</dd></div>\n", markdown::inline(&html));
        }
        if let Some(cli) = &setting.cli {
            // An option by itself is code.
            let html = if cli.get_ref().contains('`') {
                markdown::inline(&self.paragraphs(cli))
            } else {
                format!("<code>{}</code>", escaped(cli.get_ref()))
            };
            facts += &format!("<div><dt>CLI</dt><dd>{html}</dd></div>\n");
        }
        let see = self.see(
            setting.lab.as_ref(),
            setting.set.as_ref(),
            setting.t.as_ref(),
            &setting.chapter,
        );
        self.html += &format!("{does}{run}<dl class=\"facts\">\n{facts}</dl>\n{see}");
    }

    fn symptom(&mut self, symptom: &Symptom) {
        let sees = markdown::inline(&self.paragraphs(&symptom.sees));
        self.heading(2, symptom.id.get_ref(), &sees);
        let because = self.paragraphs(&symptom.because);
        let cure = self.paragraphs(&symptom.cure);
        let see = self.see(
            Some(&symptom.lab),
            symptom.set.as_ref(),
            symptom.t.as_ref(),
            &symptom.chapter,
        );
        self.html += &format!(
            "{because}<div class=\"cure\">\n<p class=\"note-title\">What to do</p>\n{cure}</div>\n{see}"
        );
    }

    /// Where it is shown and explained.
    fn see(
        &mut self,
        lab: Option<&Spanned<String>>,
        set: Option<&Spanned<BTreeMap<String, String>>>,
        t: Option<&Spanned<Time>>,
        chapter: &Spanned<String>,
    ) -> String {
        let mut links = String::new();
        if let Some(lab) = lab {
            let none = BTreeMap::new();
            let turned = set.map_or(&none, Spanned::get_ref);
            let t_ = t.map(|t| *t.get_ref());
            match self.index.lab_link(lab.get_ref(), self.slug, turned, t_) {
                Ok(link) if link.is_empty() => {}
                Ok(link) => links += &format!("<span>Figure: {link}</span> "),
                Err(sentence) => {
                    let about_t = sentence.starts_with("`t` ");
                    let line = match (set, t) {
                        (_, Some(t)) if about_t => self.line(t),
                        (Some(set), _) if self.index.labs.contains_key(lab.get_ref()) => {
                            self.line(set)
                        }
                        _ => self.line(lab),
                    };
                    self.problems.push(self.source.problem(line, sentence));
                }
            }
        } else if let Some(set) = set {
            let sentence = "`set` turns the knobs of a lab; name the `lab`";
            self.problems.push(self.source.problem(self.line(set), sentence));
        }
        match self.index.link(chapter.get_ref(), self.slug) {
            Ok(link) => links += &format!("<span>Chapter: {link}</span>"),
            Err(sentence) => {
                self.problems.push(self.source.problem(self.line(chapter), sentence));
            }
        }
        format!("<p class=\"see\">{}</p>\n", links.trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_names_a_setting() {
        for (code, setting) in [
            ("ack_wait", Some("ack_wait")),
            ("ack_wait=10", Some("ack_wait")),
            ("max_deliver: 3", Some("max_deliver")),
            ("backoff = [\"1s\"]", Some("backoff")),
            ("ack_wait_too", None),
            ("ack_wait()", None),
            ("msg.ack_wait", None),
            ("ackWait", None),
            ("name", None),
            ("", None),
        ] {
            assert_eq!(named_in(code), setting, "{code}");
        }
    }
}
