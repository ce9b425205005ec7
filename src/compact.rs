//! The compact form in which a page carries a lab, in base64.

use delivery_figure::lab::Lab;
use delivery_sim::compact;

/// Writes a lab for an attribute.
#[cfg(feature = "ssr")]
pub(crate) fn write(lab: &Lab) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(compact::write(lab))
}

/// Reads what [`write`] wrote.
pub(crate) fn read(text: &str) -> Result<Lab, String> {
    decode(text)
        .and_then(|bytes| compact::read(&bytes))
        .ok_or_else(|| "the page and its program are not of the same build".into())
}

#[cfg(feature = "csr")]
fn decode(text: &str) -> Option<Vec<u8>> {
    // Each character of the browser's answer is one byte.
    let binary = web_sys::window()?.atob(text).ok()?;
    Some(binary.chars().map(|c| c as u8).collect())
}

#[cfg(all(feature = "ssr", not(feature = "csr")))]
fn decode(text: &str) -> Option<Vec<u8>> {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.decode(text).ok()
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::*;

    #[test]
    fn a_lab_survives_the_way_to_the_browser() {
        let lab = crate::view::tests::lab();
        assert_eq!(read(&write(&lab)), Ok(lab));
    }

    #[test]
    fn what_is_not_a_lab_is_refused_in_words() {
        let whole = write(&crate::view::tests::lab());
        for text in ["", "AAAA", "not base64", &whole[..whole.len() / 2]] {
            let refusal = read(text).unwrap_err();
            assert_eq!(refusal, "the page and its program are not of the same build", "{text}");
        }
    }
}
