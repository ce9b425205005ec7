//! Code for a step of the work in every client, for tabs: a file of `snippets/`.
//!
//! The file begins with `# What it does`. Then comes a fenced block for each client, in the order of [`CLIENTS`]; for a client that
//! cannot do it, a paragraph in its stead that begins with the client's name and a colon.

use crate::Problem;
use crate::markdown::{self, Index};
use crate::source::Source;
use crate::text::escaped;
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Parser, Tag, TagEnd};

/// The clients: the language of their code, and their names.
pub(crate) const CLIENTS: [(&str, &str); 7] = [
    ("go", "Go"),
    ("python", "Python"),
    ("rust", "Rust"),
    ("javascript", "JavaScript"),
    ("java", "Java"),
    ("csharp", ".NET"),
    ("console", "CLI"),
];

/// A file of `snippets/`.
#[derive(Debug)]
pub(crate) struct Snippet {
    pub(crate) source: Source,
    caption: Option<Text>,
    panels: Vec<(Text, Kind)>,
}

/// Some Markdown and the line it begins in.
#[derive(Debug)]
struct Text {
    line: usize,
    text: String,
}

/// What a panel shows, and of which client by its place in [`CLIENTS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Code(usize),
    Words(usize),
}

impl Kind {
    fn client(self) -> usize {
        match self {
            Self::Code(client) | Self::Words(client) => client,
        }
    }
}

impl Snippet {
    /// Reads the file, and reports what does not belong there.
    pub(crate) fn read(source: Source, problems: &mut Vec<Problem>) -> Self {
        let mut snippet = Self { caption: None, panels: Vec::new(), source };
        let text = snippet.source.text().to_owned();
        let source = snippet.source.clone();
        let mut fail = |line, sentence: String| problems.push(source.problem(line, sentence));
        let mut depth = 0;
        let mut sound = true;
        let events: Vec<_> = Parser::new(&text).into_offset_iter().collect();
        for (i, (event, range)) in events.iter().enumerate() {
            let line = source.line(range.start);
            let within = match event {
                Event::Start(_) => {
                    depth += 1;
                    depth > 1
                }
                Event::End(_) => {
                    depth -= 1;
                    true
                }
                _ => depth > 0,
            };
            if within {
                continue;
            }
            let block = text[range.clone()].trim();
            match event {
                Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }) if i == 0 => {
                    let text = block.trim_start_matches('#').trim().to_owned();
                    snippet.caption = Some(Text { line, text });
                }
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                    let code = events[i + 1..]
                        .iter()
                        .take_while(|(event, _)| *event != Event::End(TagEnd::CodeBlock))
                        .filter_map(|(event, _)| match event {
                            Event::Text(text) => Some(&**text),
                            _ => None,
                        });
                    let text = Text { line, text: code.collect() };
                    match CLIENTS.iter().position(|(name, _)| **name == **language) {
                        Some(client) => snippet.panels.push((text, Kind::Code(client))),
                        None => {
                            sound = false;
                            let known: Vec<&str> = CLIENTS.iter().map(|(name, _)| *name).collect();
                            fail(line, crate::source::nearest(language, "a client", &known));
                        }
                    }
                }
                Event::Start(Tag::Paragraph) => {
                    let named = block.split_once(':').and_then(|(name, words)| {
                        let client = CLIENTS.iter().position(|(_, label)| *label == name)?;
                        Some((client, words.trim()))
                    });
                    match named {
                        Some((client, words)) => {
                            let text = Text { line, text: words.to_owned() };
                            snippet.panels.push((text, Kind::Words(client)));
                        }
                        None => {
                            sound = false;
                            fail(line, "words stand here only for a client that cannot do it, after its name and a colon, as `CLI: …`".into());
                        }
                    }
                }
                _ => {
                    sound = false;
                    fail(
                        line,
                        "a snippet has its caption, `# What it does`, and then code alone".into(),
                    );
                }
            }
        }
        if snippet.caption.as_ref().is_none_or(|caption| caption.text.is_empty()) {
            fail(1, "a snippet begins with what it does, as `# What it does`".into());
        }
        if sound {
            snippet.check_order(problems);
        }
        snippet
    }

    /// Reports the first client that is not in its place.
    fn check_order(&self, problems: &mut Vec<Problem>) {
        for (place, (_, name)) in CLIENTS.iter().enumerate() {
            let (line, sentence) = match self.panels.get(place) {
                Some((_, kind)) if kind.client() == place => continue,
                Some((text, kind)) => {
                    let (_, other) = CLIENTS[kind.client()];
                    (text.line, format!("here stands {other}, where {name} belongs"))
                }
                None => (0, format!("{name} is missing")),
            };
            let all: Vec<&str> = CLIENTS.iter().map(|(_, name)| *name).collect();
            let sentence =
                format!("{sentence}; the clients are, in this order, {}", all.join(", "));
            problems.push(self.source.problem(line, sentence));
            return;
        }
        if let Some((text, _)) = self.panels.get(CLIENTS.len()) {
            problems.push(self.source.problem(text.line, "there is code for each client already"));
        }
    }

    /// The tabs. Without a script and on paper they are complete: a group of radio buttons, and each panel behind its own.
    pub(crate) fn html(&self, index: &Index<'_>, problems: &mut Vec<Problem>) -> String {
        let Some(caption) = &self.caption else { return String::new() };
        let mut render = |text: &Text| {
            let source = self.source.fragment(text.line, &text.text);
            markdown::fragment(&source, "", index, problems)
        };
        let caption = markdown::inline(&render(caption));
        let name = escaped(self.source.stem());
        let mut html = format!(
            "<div class=\"tabs\" role=\"group\" aria-label=\"{}\">\n<p class=\"tabs-title\">{caption}</p>\n",
            crate::text::plain(&caption)
        );
        for (i, (text, kind)) in self.panels.iter().enumerate() {
            let (language, label) = CLIENTS[kind.client()];
            let checked = if i == 0 { " checked" } else { "" };
            let panel = match kind {
                Kind::Code(_) => markdown::code(language, &text.text).unwrap_or_default(),
                Kind::Words(_) => render(text),
            };
            html += &format!(
                "<label class=\"tab\"><input type=\"radio\" name=\"code-{name}\" value=\"{language}\"{checked}>{label}</label>\n\
                 <div class=\"panel\">{panel}</div>\n"
            );
        }
        html + "</div>\n"
    }
}
