//! Pieces of HTML made from words: escaped text, sentences with their states, times as they are spoken.

use delivery_figure::put::Put as _;
use delivery_figure::words::Span;

/// Appends `text` so that HTML reads it as text, in elements and in quoted attributes.
pub(crate) fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.put("&amp;"),
            '<' => out.put("&lt;"),
            '>' => out.put("&gt;"),
            '"' => out.put("&quot;"),
            '\'' => out.put("&#39;"),
            _ => out.push(c),
        }
    }
}

/// Appends an element with a text in it; `open` is what stands between its brackets.
pub(crate) fn element(out: &mut String, open: &str, text: &str) {
    out.push('<');
    out.put(open);
    out.push('>');
    escape(out, text);
    out.put("</");
    out.put(open.split(' ').next().unwrap_or(open));
    out.push('>');
}

/// Appends a paragraph; what stands between backticks is code.
pub(crate) fn paragraph(out: &mut String, text: &str) {
    out.put("<p>");
    prose(out, text);
    out.put("</p>");
}

/// Appends words; what stands between backticks is code.
pub(crate) fn prose(out: &mut String, text: &str) {
    for (i, part) in text.split('`').enumerate() {
        if i % 2 == 1 {
            element(out, "code", part);
        } else {
            escape(out, part);
        }
    }
}

/// Appends one choice of a select.
pub(crate) fn option(out: &mut String, value: &str, text: &str, selected: bool) {
    out.put("<option value=\"");
    escape(out, value);
    out.put(if selected { "\" selected>" } else { "\">" });
    escape(out, text);
    out.put("</option>");
}

/// Appends a sentence, the words that name a state marked with its class.
pub(crate) fn sentence(out: &mut String, spans: &[Span]) {
    for span in spans {
        if span.state.is_empty() {
            escape(out, &span.text);
        } else {
            out.put("<em class=\"state ");
            out.put(span.state);
            out.put("\">");
            escape(out, &span.text);
            out.put("</em>");
        }
    }
}

/// A duration or moment as it is spoken: `1 min 30 s` becomes `1 minute 30 seconds`.
pub(crate) fn spoken(shown: &str) -> String {
    let mut out = String::with_capacity(shown.len() + 12);
    let mut number = "";
    for word in shown.split(' ') {
        let (unit, comma) = word.strip_suffix(',').map_or((word, ""), |unit| (unit, ","));
        let long = match unit {
            "h" => "hour",
            "min" => "minute",
            "s" => "second",
            "ms" => "millisecond",
            _ => "",
        };
        if !out.is_empty() {
            out.push(' ');
        }
        if long.is_empty() {
            out.put(word);
        } else {
            out.put(long);
            out.put(if number == "1" { "" } else { "s" });
            out.put(comma);
        }
        number = word;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_spoken_in_whole_words() {
        for (shown, said) in [
            ("5 s", "5 seconds"),
            ("1 s", "1 second"),
            ("1 min 30 s", "1 minute 30 seconds"),
            ("1 s, 500 ms, 2 h", "1 second, 500 milliseconds, 2 hours"),
            ("T+8.6 s", "T+8.6 seconds"),
            ("no limit", "no limit"),
            ("12", "12"),
        ] {
            assert_eq!(spoken(shown), said);
        }
    }

    #[test]
    fn words_stay_words() {
        let mut out = String::new();
        sentence(
            &mut out,
            &[
                Span { text: "<b> & \"1\" ".into(), state: "" },
                Span { text: "it's lost".into(), state: "lost" },
            ],
        );
        assert_eq!(
            out,
            "&lt;b&gt; &amp; &quot;1&quot; <em class=\"state lost\">it&#39;s lost</em>"
        );
        let mut out = String::new();
        element(&mut out, "td class=\"n\"", "<");
        assert_eq!(out, "<td class=\"n\">&lt;</td>");
        let mut out = String::new();
        paragraph(&mut out, "`t` is `<b>` here, and an odd ` stays within the paragraph");
        assert_eq!(
            out,
            "<p><code>t</code> is <code>&lt;b&gt;</code> here, and an odd <code> stays within the paragraph</code></p>"
        );
    }
}
