//! Text for HTML.

/// Text for HTML, also within a quoted attribute.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(c),
        }
    }
    out
}

/// Text for HTML, in which what stands between backticks is code.
pub fn coded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (i, part) in text.split('`').enumerate() {
        let part = escaped(part);
        if i % 2 == 1 {
            out.push_str("<code>");
            out.push_str(&part);
            out.push_str("</code>");
        } else {
            out.push_str(&part);
        }
    }
    out
}

/// Text for HTML, not within an attribute.
pub(crate) fn escaped_words(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// HTML without its tags, fit for an attribute.
pub(crate) fn plain(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut in_tag = false;
    for c in html.chars() {
        match c {
            '<' => in_tag = true,
            '>' => in_tag = false,
            '"' if !in_tag => out.push_str("&quot;"),
            _ if !in_tag => out.push(c),
            _ => {}
        }
    }
    out
}

/// Without the links, their words staying.
pub(crate) fn unlinked(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    for (i, part) in html.split('<').enumerate() {
        let link = part.starts_with("a ") || part.starts_with("/a>");
        match part.split_once('>') {
            Some((_, words)) if link => out.push_str(words),
            _ => {
                if i > 0 {
                    out.push('<');
                }
                out.push_str(part);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backticks_make_code() {
        assert_eq!(coded("`a` < \"b\""), "<code>a</code> &lt; &quot;b&quot;");
        assert_eq!(coded("no code"), "no code");
    }

    #[test]
    fn html_loses_what_is_asked_for() {
        let html = "An <a href=\"x\">a <code>b &lt;</code></a> \"<abbr>c</abbr>\".";
        assert_eq!(plain(html), "An a b &lt; &quot;c&quot;.");
        assert_eq!(unlinked(html), "An a <code>b &lt;</code> \"<abbr>c</abbr>\".");
    }
}
