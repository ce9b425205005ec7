//! The twin of a page in plain Markdown, for readers that are programs; and `llms.txt`, the list of them.

use crate::contents::parts;
use crate::markup::{Element, Node, is_inline, main_of, words};
use crate::words;
use delivery_book::Book;
use delivery_figure::lab::Lab;
use delivery_sim::setting::Form;
use std::fmt::Write as _;

/// Where the twin of the page at `path` is.
pub(crate) fn place(path: &str) -> String {
    format!("{path}index.md")
}

/// The Markdown of a finished page.
pub(crate) fn markdown(page: &str, book: &Book) -> String {
    let mut out = Vec::new();
    blocks(&main_of(page), book, &mut out);
    out.join("\n\n") + "\n"
}

/// Which twins there are, as <https://llmstxt.org> has it. `address` is where the site is, as far as that is known; `more` are pages
/// beside the chapters: path, title, and what is there.
pub(crate) fn list(book: &Book, address: &str, more: &[(&str, &str, &str)]) -> String {
    let mut out = format!("# {}\n\n> {}.\n\n{}\n", book.title, book.claim, book.about);
    let line = |out: &mut String, path: &str, title: &str, what: &str| {
        let _ = writeln!(out, "- [{title}]({address}{}): {what}", place(path));
    };
    for (title, promise, chapters) in parts(book) {
        let promise = if promise.is_empty() { String::new() } else { format!(" ({promise})") };
        let _ = writeln!(out, "\n## {title}{promise}\n");
        for chapter in chapters {
            line(&mut out, &format!("{}/", chapter.slug), &chapter.title, &chapter.summary);
        }
    }
    if !more.is_empty() {
        let _ = writeln!(out, "\n## {}\n", words::REFERENCE);
        for (path, title, what) in more {
            line(&mut out, path, title, what);
        }
    }
    out
}

/// Appends nodes as blocks.
fn blocks(nodes: &[Node<'_>], book: &Book, out: &mut Vec<String>) {
    let mut from = 0;
    for (i, node) in nodes.iter().enumerate() {
        let block = match node {
            Node::Text(_) => continue,
            Node::Element(element) if is_inline(element.name) || element.name == "br" => continue,
            other => other,
        };
        paragraph(&nodes[from..i], out);
        from = i + 1;
        match block {
            Node::Lab(slug) => out.extend(book.lab(slug).map(figure)),
            Node::Element(element) => element_block(element, book, out),
            Node::Text(_) => {}
        }
    }
    paragraph(&nodes[from..], out);
}

/// Appends nodes of one line.
fn paragraph(nodes: &[Node<'_>], out: &mut Vec<String>) {
    let text = line(nodes);
    if text.is_empty() {
        return;
    }
    // What would begin a heading, a list or a quote begins a sentence here.
    let number = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let listed = number > 0 && text[number..].starts_with(". ");
    let marked = ["# ", "## ", "- ", "+ ", "> "].iter().any(|mark| text.starts_with(mark));
    out.push(match (listed, marked) {
        (true, _) => format!("{}\\{}", &text[..number], &text[number..]),
        (_, true) => format!("\\{text}"),
        _ => text,
    });
}

fn element_block(element: &Element<'_>, book: &Book, out: &mut Vec<String>) {
    let children = &element.children;
    let inside = || {
        let mut inner = Vec::new();
        blocks(children, book, &mut inner);
        inner
    };
    match element.name {
        "h1" | "h2" | "h3" | "h4" => {
            let level = usize::from(element.name.as_bytes()[1] - b'0');
            out.push(format!("{} {}", "#".repeat(level), line(children)));
        }
        "ul" | "ol" => {
            let start = element.attribute("start").and_then(|n| n.parse().ok()).unwrap_or(1_usize);
            let mut items = Vec::new();
            for node in children {
                let Node::Element(item) = node else { continue };
                let mut inner = Vec::new();
                blocks(&item.children, book, &mut inner);
                let mark = match element.name {
                    "ol" => format!("{}. ", start + items.len()),
                    _ => "- ".to_owned(),
                };
                items.push(mark.clone() + &indented(&inner.join("\n\n"), &" ".repeat(mark.len())));
            }
            out.push(items.join("\n"));
        }
        "pre" => {
            let language = children.iter().find_map(|node| match node {
                Node::Element(code) => {
                    code.attribute("class")?.strip_prefix("language-").map(str::to_owned)
                }
                _ => None,
            });
            let code = raw(children);
            out.push(format!("```{}\n{}\n```", language.unwrap_or_default(), code.trim_end()));
        }
        "dl" => {
            let mut entries = Vec::new();
            definitions(children, &mut entries);
            out.push(entries.join("\n"));
        }
        "table" => out.push(table(element)),
        "blockquote" | "aside" => out.push(format!("> {}", indented(&inside().join("\n\n"), "> "))),
        _ if element.has_class("note") => {
            out.push(format!("> {}", indented(&inside().join("\n\n"), "> ")));
        }
        _ if element.has_class("footnote-definition") => {
            let id = element.attribute("id").unwrap_or_default();
            let label = format!("{id} ");
            let text = inside().join(" ");
            out.push(format!("[^{id}]: {}", text.strip_prefix(&label).unwrap_or(&text)));
        }
        "label" if !element.has_class("tab") => out.push(format!("- {}", line(children))),
        "dt" | "summary" | "caption" | "label" | "legend" => {
            out.push(format!("**{}**", line(children)))
        }
        "hr" => out.push("---".into()),
        "style" | "input" | "select" | "textarea" => {}
        _ => blocks(children, book, out),
    }
}

/// The entries of a list of definitions, each in a line.
fn definitions(nodes: &[Node<'_>], out: &mut Vec<String>) {
    for node in nodes {
        let Node::Element(element) = node else { continue };
        match element.name {
            "dt" => out.push(format!("- **{}**:", line(&element.children))),
            "dd" => {
                if let Some(last) = out.last_mut() {
                    let _ = write!(last, " {}", line(&element.children));
                }
            }
            _ => definitions(&element.children, out),
        }
    }
}

/// Every line but the first with something before it.
fn indented(text: &str, before: &str) -> String {
    let rest = |line: &str| format!("{before}{line}").trim_end().to_owned();
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |out, line| out + "\n" + &rest(line))
}

/// The text of nodes, with every space.
fn raw(nodes: &[Node<'_>]) -> String {
    nodes
        .iter()
        .map(|node| match node {
            Node::Text(text) => text.clone(),
            Node::Element(element) => raw(&element.children),
            Node::Lab(_) => String::new(),
        })
        .collect()
}

/// Nodes within one line.
fn line(nodes: &[Node<'_>]) -> String {
    let mut out = String::new();
    inline(nodes, &mut out);
    out.split([' ', '\n', '\t']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

fn inline(nodes: &[Node<'_>], out: &mut String) {
    for node in nodes {
        let element = match node {
            Node::Text(text) => {
                escape(text, out);
                continue;
            }
            Node::Lab(_) => continue,
            Node::Element(element) => element,
        };
        let mut inner = String::new();
        inline(&element.children, &mut inner);
        match element.name {
            "code" | "kbd" => {
                let code = raw(&element.children);
                let fence = if code.contains('`') { "``" } else { "`" };
                let _ = write!(out, "{fence}{code}{fence}");
            }
            "em" | "i" if !element.has_class("state") => around(out, &inner, "*"),
            "strong" | "b" => around(out, &inner, "**"),
            "sup" if element.has_class("footnote-reference") => {
                let _ = write!(out, "[^{}]", words(&element.children));
            }
            "sup" => {
                let _ = write!(out, "{inner} ");
            }
            // What a term means is in the glossary; a link at every one would be in the way.
            "a" if element.has_class("def") => out.push_str(&inner),
            "a" => match element.attribute("href").as_deref().and_then(link) {
                Some(href) => {
                    let _ = write!(out, "[{inner}]({href})");
                }
                None => out.push_str(&inner),
            },
            "br" => out.push(' '),
            name if is_inline(name) => out.push_str(&inner),
            _ => {
                let _ = write!(out, " {inner} ");
            }
        }
    }
}

fn around(out: &mut String, inner: &str, mark: &str) {
    if !inner.trim().is_empty() {
        let _ = write!(out, "{mark}{inner}{mark}");
    }
}

/// Where a link of a page leads in its twin: from page to page it goes from twin to twin, but with settings in its address to the
/// page itself; within the page there is nothing to lead to.
fn link(href: &str) -> Option<String> {
    if href.starts_with('#') {
        return None;
    }
    let href = href.replace('(', "%28").replace(')', "%29").replace(' ', "%20");
    if href.starts_with('?') {
        return Some(format!("./{href}"));
    }
    let elsewhere = href.contains("://") || href.starts_with("mailto:");
    let (path, anchor) = href.split_once('#').unwrap_or((&href, ""));
    if elsewhere || href.contains('?') || !path.ends_with('/') {
        return Some(href);
    }
    let anchor = if anchor.is_empty() { String::new() } else { format!("#{anchor}") };
    Some(format!("{}{anchor}", place(path)))
}

/// Text in which nothing means anything.
fn escape(text: &str, out: &mut String) {
    let mut before = ' ';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        // Within a word an underscore is one.
        let inside =
            before.is_alphanumeric() && chars.peek().copied().is_some_and(char::is_alphanumeric);
        if matches!(c, '\\' | '*' | '`' | '<' | '[' | ']') || (c == '_' && !inside) {
            out.push('\\');
        }
        out.push(c);
        before = c;
    }
}

fn table(table: &Element<'_>) -> String {
    let mut rows = Vec::new();
    collect_rows(&table.children, &mut rows);
    let width = rows.iter().map(Vec::len).max().unwrap_or_default();
    let mut lines = Vec::new();
    for (i, mut row) in rows.into_iter().enumerate() {
        row.resize(width, String::new());
        lines.push(format!("| {} |", row.join(" | ")));
        if i == 0 {
            lines.push(format!("|{}", " --- |".repeat(width)));
        }
    }
    lines.join("\n")
}

fn collect_rows(nodes: &[Node<'_>], rows: &mut Vec<Vec<String>>) {
    for node in nodes {
        let Node::Element(element) = node else { continue };
        if element.name != "tr" {
            collect_rows(&element.children, rows);
            continue;
        }
        let cell = |node: &Node<'_>| match node {
            Node::Element(cell) => Some(line(&cell.children).replace('|', "\\|")),
            _ => None,
        };
        rows.push(element.children.iter().filter_map(cell).collect());
    }
}

/// A lab in words: what it asks, the settings it opens with, the account of its run, and where it can be turned.
fn figure(lab: &Lab) -> String {
    let mut out = format!("### {}: {}\n\n{}\n", words::FIGURE, lab.title, lab.question);
    let run = delivery_lab::printed::printed(lab, true);
    if !lab.answers.is_empty() {
        out.push('\n');
        for answer in &lab.answers {
            let _ = writeln!(out, "- {}", answer.text);
        }
    }
    if let Some(right) = run.right {
        let answer = &lab.answers[right];
        let _ = writeln!(
            out,
            "\n{} {}. {}",
            words::WHAT_HAPPENS,
            answer.text.trim_end_matches('.'),
            answer.say
        );
    }
    let _ = writeln!(
        out,
        "\n| {} | {} | {} |\n| --- | --- | --- |",
        words::SETTING,
        words::HERE,
        words::MAY_BE
    );
    for (knob, value) in lab.knobs.iter().zip(lab.default_position().values) {
        let name =
            if knob.label.is_empty() { format!("`{}`", knob.name) } else { knob.label.clone() };
        let positions: Vec<String> = match knob.form().map(Form::words) {
            Some(words) if knob.positions.is_empty() => {
                words.iter().map(|&w| w.to_owned()).collect()
            }
            _ => knob
                .positions
                .iter()
                .filter_map(|text| knob.read(text).ok())
                .map(|value| value.words())
                .collect(),
        };
        // A list of lists needs a stronger sign between them.
        let between = if positions.iter().any(|text| text.contains(", ")) { "; " } else { ", " };
        let _ = writeln!(
            out,
            "| {} | {} | {} |",
            name.replace('|', "\\|"),
            value.words(),
            positions.join(between)
        );
    }
    let account: Vec<&str> = run.account.lines().filter(|line| !line.trim().is_empty()).collect();
    let _ = writeln!(out, "\n{}\n\n{}\n", words::ACCOUNT, account.join("  \n"));
    for goal in &lab.goals {
        let _ = writeln!(out, "- {} {}", words::TRY, goal.text);
    }
    let _ = write!(out, "\n[{}](./#{})", words::LIVE, lab.slug);
    out.replace("\n\n\n", "\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::tests::the_book;

    fn of(html: &str) -> String {
        let book = the_book();
        markdown(&format!("<main id=\"content\">{html}</main>"), book)
    }

    #[test]
    fn html_becomes_markdown() {
        for (html, text) in [
            (
                "<h2 id=\"a\">A &amp; B<a class=\"anchor\" href=\"#a\">#</a></h2><p>x</p>",
                "## A & B\n\nx\n",
            ),
            (
                "<p>An <em>old</em> and <strong>new</strong> <em class=\"state lost\">one</em></p>",
                "An *old* and **new** one\n",
            ),
            (
                "<p>ack_wait *and* [x] <code>a`b</code> <code>_c_</code></p>",
                "ack_wait \\*and\\* \\[x\\] ``a`b`` `_c_`\n",
            ),
            (
                "<p><a href=\"../the-lab/#x\">a</a> <a href=\"#y\">b</a> <a class=\"result\" href=\"?t=2s#crash\">c</a></p>",
                "[a](../the-lab/index.md#x) b [c](./?t=2s#crash)\n",
            ),
            (
                "<p><a href=\"https://e.org/\" rel=\"noreferrer\">a</a> <a href=\"../the-lab/?x.t=1s#x\">b</a></p>",
                "[a](https://e.org/) [b](../the-lab/?x.t=1s#x)\n",
            ),
            (
                "<ul><li>a</li><li><p>b</p><p>c</p><ol start=\"3\"><li>d</li></ol></li></ul>",
                "- a\n- b\n\n  c\n\n  3. d\n",
            ),
            (
                "<pre tabindex=\"0\"><code class=\"language-go\"><span class=\"k\">if</span> a &lt; b {\n\n  c\n}\n</code></pre>",
                "```go\nif a < b {\n\n  c\n}\n```\n",
            ),
            (
                "<div class=\"table\"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody>\n<tr><td>1|2</td><td class=\"right\"><code>3</code></td></tr></tbody></table></div>",
                "| a | b |\n| --- | --- |\n| 1\\|2 | `3` |\n",
            ),
            ("<aside class=\"note\"><p>a</p><p>b</p></aside>", "> a\n>\n> b\n"),
            (
                "<p>12. is no list, nor is this</p><p># no heading</p>",
                "12\\. is no list, nor is this\n\n\\# no heading\n",
            ),
            (
                "<dl><div id=\"x\"><dt>A <a class=\"anchor\">#</a></dt>\n<dd>is <code>b</code></dd></div><div><dt>C</dt><dd>d</dd></div></dl>",
                "- **A**: is `b`\n- **C**: d\n",
            ),
            ("<nav class=\"turn\">x</nav><p>y</p>", "y\n"),
        ] {
            assert_eq!(of(html), text, "{html}");
        }
    }

    #[test]
    fn a_lab_is_told_in_words() {
        let text = of(
            "<section id=\"crash-redelivery\" data-lab=\"x\"><p>picture</p></section><p>after</p>",
        );
        for part in [
            "A worker that dies halfway through\n",
            "| `ack_wait` | 5 s | ",
            "order-1",
            "[The live figure](./#crash-redelivery)\n\nafter\n",
        ] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
        assert!(!text.contains("\n\n\n") && !text.contains("picture"), "{text}");
    }

    #[test]
    fn the_list_names_every_chapter() {
        let book = the_book();
        let list = list(book, "https://e.org/x/", &[("glossary/", "Glossary", "Every term.")]);
        assert!(list.starts_with(&format!("# {}\n\n> {}.\n\n", book.title, book.claim)));
        assert_eq!(list.matches("](https://e.org/x/").count(), book.chapters.len() + 1);
        assert!(list.contains("](https://e.org/x/the-stopwatch/index.md): "));
        assert!(list.ends_with("- [Glossary](https://e.org/x/glossary/index.md): Every term.\n"));
    }
}
