//! Query strings: keys and values in and out, whatever bytes they are made of.

/// The keys and values of a query string, decoded, in order; a part with neither is left out.
pub(crate) fn pairs(query: &str) -> impl Iterator<Item = (String, String)> + '_ {
    query.split('&').filter_map(|part| {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        (!key.is_empty() || !value.is_empty()).then(|| (decode(key), decode(value)))
    })
}

/// Undoes percent-encoding; `+` is a space, and a `%` that begins no code stands for itself. What is no text then, is `�`.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&c, tail)) = rest.split_first() {
        rest = tail;
        match (c, tail) {
            (b'%', &[high, low, ref after @ ..]) => match (hex(high), hex(low)) {
                (Some(high), Some(low)) => {
                    bytes.push(high * 16 + low);
                    rest = after;
                }
                _ => bytes.push(c),
            },
            (b'+', _) => bytes.push(b' '),
            _ => bytes.push(c),
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| "\u{fffd}".into())
}

fn hex(c: u8) -> Option<u8> {
    match c {
        b'0'..=b'9' => Some(c - b'0'),
        b'a'..=b'f' => Some(c - b'a' + 10),
        b'A'..=b'F' => Some(c - b'A' + 10),
        _ => None,
    }
}

/// Appends `text`, percent-encoded; a comma stays as it is, so that lists stay readable.
pub(crate) fn encode(out: &mut String, text: &str) {
    for c in text.bytes() {
        match c {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b',' => {
                out.push(c as char);
            }
            _ => {
                out.push('%');
                for digit in [c >> 4, c & 15] {
                    out.push(b"0123456789ABCDEF"[usize::from(digit)] as char);
                }
            }
        }
    }
}

/// At most `most` characters of `text`, those that cannot be seen or turn the text around replaced: fit to stand in a
/// sentence.
pub(crate) fn shown(text: &str, most: usize) -> String {
    let unseen = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    text.chars().take(most).map(|c| if unseen(c) { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_shows_that_it_is_there() {
        for (text, seen) in [
            ("5s", "5s"),
            ("5\0s\r\n", "5\u{fffd}s\u{fffd}\u{fffd}"),
            ("\u{202e}s5", "\u{fffd}s5"),
            ("5\u{200b}s\u{feff}", "5\u{fffd}s\u{fffd}"),
            ("\u{2066}é٥👩", "\u{fffd}é٥👩"),
            ("seven ducks", "seven duck"),
        ] {
            assert_eq!(shown(text, 10), seen, "{text:?}");
        }
    }

    #[test]
    fn every_byte_survives_the_way_through_an_address() {
        let every: String = (0..=0x2ff).filter_map(char::from_u32).collect();
        let mut written = String::new();
        encode(&mut written, &every);
        assert_eq!(decode(&written), every);
        for (text, decoded) in [
            ("a+b", "a b"),
            ("100%", "100%"),
            ("%4", "%4"),
            ("%zz%41", "%zzA"),
            ("%C3%A9", "é"),
            ("%FF", "\u{fffd}"),
        ] {
            assert_eq!(decode(text), decoded, "{text}");
        }
    }
}
