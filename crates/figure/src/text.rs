//! How wide text is, without a font: an estimate on the safe side for the sans faces that pages use.

/// Width of `text` in tenths of a unit at `size` units, a little more than Arial or Roboto need.
pub(crate) fn width(text: &str, size: i32, bold: bool) -> i32 {
    let mille: i32 = text.chars().map(letter).sum();
    // Tenths: size * 10 / 1000; 6 % for wider faces, 5 % for bold.
    mille * size * if bold { 111 } else { 106 } / 10_000
}

/// Width of a letter in thousandths of its size.
fn letter(c: char) -> i32 {
    match c {
        'i' | 'j' | 'l' | '\'' | '|' => 230,
        '.' | ',' | ':' | ';' | ' ' | 'I' | 't' | 'f' | '!' | '/' | '·' => 285,
        'r' | '-' | '(' | ')' | '[' | ']' => 340,
        'c' | 'k' | 's' | 'v' | 'x' | 'y' | 'z' => 500,
        'm' => 835,
        'w' => 725,
        'M' | 'W' => 900,
        'A'..='Z' => 690,
        '+' | '<' | '>' | '=' | '×' => 585,
        '…' => 1_000,
        _ => 560,
    }
}

/// The longest beginning of `text` that fits into `room` tenths, with `…` if it is not all of it; empty if nothing fits.
pub(crate) fn fit(text: &str, size: i32, bold: bool, room: i32) -> String {
    if width(text, size, bold) <= room {
        return text.to_owned();
    }
    let mut kept: String = text.to_owned();
    while kept.pop().is_some() {
        let short = format!("{}…", kept.trim_end());
        if !kept.is_empty() && width(&short, size, bold) <= room {
            return short;
        }
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_on_the_safe_side() {
        // Widths in Arial, in tenths at 11 units.
        for (text, arial) in [
            ("T+8.6 s", 370),
            ("worker", 330),
            ("#2, again", 453),
            ("waits for a message", 978),
            ("1–10", 245),
        ] {
            let wide = width(text, 11, false);
            assert!(wide >= arial && wide < arial * 125 / 100, "{text}: {wide}");
        }
    }

    #[test]
    fn text_is_shortened_to_its_room() {
        for (room, shown) in
            [(2_000, "worker, run 1"), (600, "worker,…"), (180, "…"), (130, ""), (0, "")]
        {
            let short = fit("worker, run 1", 12, false, room);
            assert!(width(&short, 12, false) <= room, "{short}");
            match shown {
                "…" => assert!(short.ends_with('…') || short.is_empty(), "{short}"),
                _ => assert_eq!(short, shown, "{room}"),
            }
        }
    }
}
