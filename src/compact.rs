//! The compact form in which a page carries a lab, as text of an attribute.
//!
//! A byte that is a letter stands for itself, so that the page compresses with the words that it has anyway; every other byte
//! is the character 256 places further on.

use delivery_figure::lab::Lab;
use delivery_sim::compact;

/// Where the characters of bytes begin that cannot stand for themselves.
const FURTHER: u32 = 256;

/// Writes a lab for an attribute.
#[cfg(feature = "ssr")]
pub(crate) fn write(lab: &Lab) -> String {
    let plain = |byte: u8| matches!(byte, b' '..=b'~') && !b"&\"<>'".contains(&byte);
    let letter = |byte: u8| {
        let further = if plain(byte) { 0 } else { FURTHER };
        char::from_u32(u32::from(byte) + further).unwrap_or_default()
    };
    compact::write(lab).into_iter().map(letter).collect()
}

/// Reads what [`write`] wrote.
pub(crate) fn read(text: &str) -> Result<Lab, String> {
    // What is no byte either way is cut to one and comes out as another lab, or as none.
    let bytes: Vec<u8> = text.chars().map(|c| (c as u32 % FURTHER) as u8).collect();
    compact::read(&bytes).ok_or_else(|| "the page and its program are not of the same build".into())
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::*;

    #[test]
    fn a_lab_survives_the_way_to_the_browser() {
        let lab = crate::view::tests::asking();
        let text = write(&lab);
        assert!(text.contains("crash") && !text.contains(['"', '<', '&', '\n']), "{text}");
        assert_eq!(read(&text), Ok(lab));
    }

    #[test]
    fn what_is_not_a_lab_is_refused_in_words() {
        let whole = write(&crate::view::tests::lab());
        let half: String = whole.chars().take(whole.chars().count() / 2).collect();
        for text in ["", "AAAA", "not a lab", "\u{1f600}", &half] {
            let refusal = read(text).unwrap_err();
            assert_eq!(refusal, "the page and its program are not of the same build", "{text}");
        }
    }
}
