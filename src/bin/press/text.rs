//! Words for pages: escaped, counted.

pub(crate) use delivery_book::text::{coded, escaped};

/// With a small first letter, to go on in a sentence.
pub(crate) fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_lowercase().collect::<String>() + chars.as_str())
}

/// "1 chapter", "2 chapters".
pub(crate) fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
