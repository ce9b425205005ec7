//! Finished HTML read again: the main part of a page as a tree, for its plain text, its Markdown and its place in the book on paper.
//!
//! It reads what the press itself writes, where every element is closed; it is no reader of pages from elsewhere.

/// What stands in a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node<'a> {
    /// Text as it is read.
    Text(String),
    /// An element.
    Element(Element<'a>),
    /// The lab with this slug.
    Lab(&'a str),
}

/// An element of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Element<'a> {
    pub(crate) name: &'a str,
    attributes: &'a str,
    pub(crate) children: Vec<Node<'a>>,
}

impl Element<'_> {
    /// The value of an attribute, as it is read.
    pub(crate) fn attribute(&self, name: &str) -> Option<String> {
        attribute(self.attributes, name).map(decoded)
    }

    /// Whether it has a class.
    pub(crate) fn has_class(&self, class: &str) -> bool {
        attribute(self.attributes, "class").is_some_and(|all| all.split(' ').any(|c| c == class))
    }

    /// Whether it is there for the eye, or for a program, alone.
    fn is_silent(&self) -> bool {
        ["anchor", "scripted", "unseen"].iter().any(|class| self.has_class(class))
            || matches!(self.name, "script" | "template" | "svg" | "button" | "nav")
            || attribute(self.attributes, "aria-hidden") == Some("true")
            || attribute(self.attributes, "role") == Some("tooltip")
            || self.attributes.contains(" popover")
    }
}

/// The elements that are never closed.
const VOID: [&str; 8] = ["br", "hr", "img", "input", "link", "meta", "wbr", "col"];

/// What stands between `<main …>` and `</main>`; nothing of what is silent in it.
pub(crate) fn main_of(page: &str) -> Vec<Node<'_>> {
    page.split_once("<main ")
        .and_then(|(_, rest)| rest.split_once('>'))
        .and_then(|(_, rest)| rest.rsplit_once("</main>"))
        .map_or_else(Vec::new, |(main, _)| tree(main))
}

/// Reads HTML to a tree.
pub(crate) fn tree(html: &str) -> Vec<Node<'_>> {
    let mut open: Vec<Element<'_>> = Vec::new();
    let mut top = Vec::new();
    let mut rest = html;
    while !rest.is_empty() {
        let siblings = open.last_mut().map_or(&mut top, |element| &mut element.children);
        if !rest.starts_with('<') {
            let (text, after) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
            siblings.push(Node::Text(decoded(text)));
            rest = after;
            continue;
        }
        if let Some(after) = rest.strip_prefix("<!--") {
            rest = after.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let (tag, after) = tag(rest);
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            // What is not open is not closed either.
            if let Some(place) = open.iter().rposition(|element| element.name == name) {
                while open.len() > place {
                    close(&mut open, &mut top);
                }
            }
            continue;
        }
        let tag = tag.trim_end_matches('/');
        let (name, attributes) = tag.split_at(tag.find([' ', '\n']).unwrap_or(tag.len()));
        if name == "section"
            && attribute(attributes, "data-lab").is_some()
            && let Some(slug) = attribute(attributes, "id")
        {
            siblings.push(Node::Lab(slug));
            rest = rest.split_once("</section>").map_or("", |(_, after)| after);
            continue;
        }
        open.push(Element { name, attributes, children: Vec::new() });
        if VOID.contains(&name) || rest_closed(html, rest) {
            close(&mut open, &mut top);
        }
    }
    while !open.is_empty() {
        close(&mut open, &mut top);
    }
    top
}

/// Whether the tag before `rest` closed itself.
fn rest_closed(html: &str, rest: &str) -> bool {
    html[..html.len() - rest.len()].ends_with("/>")
}

/// Puts the innermost open element where it belongs.
fn close<'a>(open: &mut Vec<Element<'a>>, top: &mut Vec<Node<'a>>) {
    let Some(element) = open.pop() else { return };
    if !element.is_silent() {
        open.last_mut().map_or(top, |parent| &mut parent.children).push(Node::Element(element));
    }
}

/// The inside of the tag that `html` begins with, and what comes after it.
fn tag(html: &str) -> (&str, &str) {
    let mut quote = None;
    for (i, c) in html.char_indices().skip(1) {
        match (c, quote) {
            ('>', None) => return (&html[1..i], &html[i + 1..]),
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            _ => {}
        }
    }
    (&html[1..], "")
}

/// The value of an attribute as it is written; empty for one that has none.
fn attribute<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = attributes.trim_start();
    while !rest.is_empty() {
        let end = rest.find(|c: char| c == '=' || c.is_ascii_whitespace()).unwrap_or(rest.len());
        let (key, after) = rest.split_at(end);
        let (value, after) = match after.strip_prefix('=') {
            Some(after) => match after.chars().next() {
                Some(quote @ ('"' | '\'')) => {
                    after[1..].split_once(quote).unwrap_or((&after[1..], ""))
                }
                _ => after.split_at(after.find(' ').unwrap_or(after.len())),
            },
            None => ("", after),
        };
        if key == name {
            return Some(value);
        }
        rest = after.trim_start();
    }
    None
}

/// Text without the references that HTML needs.
pub(crate) fn decoded(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let mut out = text.to_owned();
    for (name, c) in [
        ("lt", "<"),
        ("gt", ">"),
        ("quot", "\""),
        ("#39", "'"),
        ("#x27", "'"),
        ("nbsp", "\u{a0}"),
        ("amp", "&"),
    ] {
        out = out.replace(&format!("&{name};"), c);
    }
    out
}

/// The words of nodes, one space between them.
pub(crate) fn words(nodes: &[Node<'_>]) -> String {
    let mut out = String::new();
    collect(nodes, &mut out);
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn collect(nodes: &[Node<'_>], out: &mut String) {
    for node in nodes {
        match node {
            Node::Text(text) => out.push_str(text),
            Node::Element(element) => {
                collect(&element.children, out);
                if !is_inline(element.name) {
                    out.push(' ');
                }
            }
            Node::Lab(_) => out.push(' '),
        }
    }
}

/// Whether an element stands within a line.
pub(crate) fn is_inline(name: &str) -> bool {
    matches!(
        name,
        "a" | "abbr"
            | "b"
            | "code"
            | "dfn"
            | "em"
            | "i"
            | "kbd"
            | "mark"
            | "small"
            | "span"
            | "strong"
            | "sub"
            | "sup"
            | "var"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_read_as_it_was_written() {
        let page = "<body><main id=\"content\" class=\"x\">\n<h2 id=\"a\">A &lt; B<a class=\"anchor\" href=\"#a\">#</a></h2>\
            <p>one<br>two <em class=\"state lost\">three</em></p>\
            <section id=\"crash\" aria-labelledby=\"t\" data-lab=\"1 > 2\"><div><p>no</p></div></section>\
            <svg><path d=\"M0\"/></svg><ul><li>x</li></ul></main></body>";
        let main = main_of(page);
        assert_eq!(words(&main), "A < B one two three x");
        let [_, Node::Element(h2), Node::Element(p), Node::Lab("crash"), Node::Element(ul)] =
            &main[..]
        else {
            panic!("{main:?}");
        };
        assert_eq!((h2.name, h2.attribute("id").as_deref()), ("h2", Some("a")));
        assert_eq!(p.children.len(), 4);
        let Node::Element(state) = &p.children[3] else { panic!("{p:?}") };
        assert!(state.has_class("lost") && !state.has_class("los"));
        assert_eq!(ul.children.len(), 1);
    }

    #[test]
    fn what_is_not_closed_and_not_open_harms_nobody() {
        assert_eq!(words(&tree("<p>a<b>b</p></i>c<d")), "ab c");
        assert_eq!(words(&tree("a < b")), "a");
        assert!(main_of("<p>no main</p>").is_empty());
        for html in ["<", "</", "<!--", "<a b=\"", "&", "<a b='c\">"] {
            let _ = words(&tree(html));
        }
    }

    #[test]
    fn attributes_are_found_whatever_stands_in_the_others() {
        let attributes = " data-x=\"id=1\" hidden id=\"two words\" class=three";
        for (name, value) in
            [("id", Some("two words")), ("hidden", Some("")), ("class", Some("three")), ("x", None)]
        {
            assert_eq!(attribute(attributes, name), value, "{name}");
        }
        assert_eq!(decoded("&amp;lt; &#39;"), "&lt; '");
    }
}
