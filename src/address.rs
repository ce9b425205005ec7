//! The address of a page: where every lab's settings and moment are kept, each lab under its own keys.

use delivery_figure::lab::{Lab, Position};
use delivery_figure::put::Put as _;
use wasm_bindgen::JsValue;

/// The position that the page's address gives a lab, and a sentence for each thing not understood.
pub(crate) fn read(lab: &Lab, first: bool) -> (Position, Vec<String>) {
    lab.read_query(query().trim_start_matches('?'), first)
}

/// Puts a lab's position into the address, in place of what it was.
pub(crate) fn write(lab: &Lab, first: bool, position: &Position) {
    let Some(window) = web_sys::window() else { return };
    let query = merge(
        query().trim_start_matches('?'),
        |key| owns(lab, first, key),
        &lab.write_query(position, first),
    );
    let location = window.location();
    let mut url = location.pathname().unwrap_or_default();
    if !query.is_empty() {
        url.push('?');
        url.put(&query);
    }
    url.put(&location.hash().unwrap_or_default());
    if let Ok(history) = window.history() {
        let state = history.state().unwrap_or(JsValue::NULL);
        // Browsers refuse only when it is called too often; the next change brings it in order.
        let _ = history.replace_state_with_url(&state, "", Some(&url));
    }
}

fn query() -> String {
    web_sys::window().and_then(|window| window.location().search().ok()).unwrap_or_default()
}

/// Whether a key of the address belongs to this lab: `slug.ack_wait`, and `ack_wait` for the first of a page.
fn owns(lab: &Lab, first: bool, key: &str) -> bool {
    match key.strip_prefix(lab.slug.as_str()).and_then(|rest| rest.strip_prefix('.')) {
        Some(_) => true,
        None => {
            first
                && (matches!(key, "t" | "view" | "pin")
                    || lab.knobs.iter().any(|knob| knob.name == key))
        }
    }
}

/// `query` without the keys that `own` claims, and with `part` before the rest.
fn merge(query: &str, own: impl Fn(&str) -> bool, part: &str) -> String {
    let mut merged = part.to_owned();
    for pair in query.split('&') {
        if !pair.is_empty() && !own(pair.split('=').next().unwrap_or(pair)) {
            if !merged.is_empty() {
                merged.push('&');
            }
            merged.put(pair);
        }
    }
    merged
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::*;

    #[test]
    fn each_lab_writes_its_own_keys() {
        let lab = crate::view::tests::lab();
        for (query, first, part, merged) in [
            ("", true, "", ""),
            ("", true, "ack_wait=8s", "ack_wait=8s"),
            ("ack_wait=8s&t=3s", true, "", ""),
            ("pin=&view=1s-2s&t=3s&x=1", true, "t=4s", "t=4s&x=1"),
            ("ack_wait=8s&other.t=3s", true, "t=1s", "t=1s&other.t=3s"),
            ("crash.ack_wait=8s&ack_wait=9s", false, "crash.t=1s", "crash.t=1s&ack_wait=9s"),
            ("crash.t=8s&t=9s", true, "t=1s", "t=1s"),
            ("crashes.t=8s&utm=x&&y", true, "", "crashes.t=8s&utm=x&y"),
        ] {
            let written = merge(query, |key| owns(&lab, first, key), part);
            assert_eq!(written, merged, "{query} with {part}");
        }
    }
}
