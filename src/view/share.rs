//! The foot of a lab: copies of what is on screen, and the keys.
//!
//! `copy.js` does the copying; here is what only the program knows: the settings and what came of them, in words.

use crate::live::Live;
use delivery_figure::put::Put as _;
#[cfg(feature = "ssr")]
use leptos::prelude::*;

/// The buttons, what they say, and the text where the clipboard is closed. `|` stands for what disables a button.
#[cfg(feature = "ssr")]
const COPY: &str = "<button type=\"button\" data-copy=\"link\"|>Copy link</button>\
<button type=\"button\" data-copy=\"iframe\" aria-label=\"Copy as iframe\"|>as iframe</button>\
<button type=\"button\" data-copy=\"markdown\" aria-label=\"Copy as Markdown\"|>as Markdown</button>\
<span role=\"status\"></span><textarea aria-label=\"Text to copy\" rows=\"4\" readonly hidden></textarea>";

/// The list of keys.
#[cfg(feature = "ssr")]
const KEYS: &str = "<summary>Keys</summary><ul>\
<li><kbd>Space</kbd> plays or pauses</li>\
<li><kbd>←</kbd> <kbd>→</kbd> go to the previous or next event</li>\
<li><kbd>Home</kbd> <kbd>End</kbd> go to the start or end</li>\
<li><kbd>l</kbd> <kbd>r</kbd> <kbd>d</kbd> <kbd>x</kbd> go to the next loss, redelivery, duplicate or dead letter; \
with <kbd>Shift</kbd> to the one before</li>\
<li><kbd>+</kbd> <kbd>-</kbd> zoom in and out, <kbd>0</kbd> shows the whole run</li>\
<li><kbd>Shift</kbd> with <kbd>←</kbd> <kbd>→</kbd> shows what is earlier or later</li>\
<li><kbd>m</kbd> goes through the messages, <kbd>Esc</kbd> puts the card of one away</li>\
<li><kbd>?</kbd> shows or hides this list</li>\
<li class=\"in-frame\"><kbd>Page ↑</kbd> <kbd>Page ↓</kbd>, as on a presenter’s remote, step as well</li>\
<li class=\"in-frame\"><kbd>Esc</kbd> goes back to the page around this figure</li></ul>\
<p>They work while the focus is in this figure, except in controls that use them themselves.</p>";

/// Link, iframe, Markdown; and the list of keys.
#[cfg(feature = "ssr")]
pub(super) fn foot(live: Live) -> impl IntoView {
    let copy = COPY.replace('|', " disabled");
    view! {
        <footer class="controls">
            <div class="copy" id=live.id("copy") role="group" aria-label="Copy" inner_html=copy></div>
            <details class="keys" id=live.id("keys") inner_html=KEYS></details>
        </footer>
    }
}

/// Puts what is to be copied where the script finds it: the lab's own part of an address, the settings and the result in words.
pub(crate) fn show(live: Live) {
    let Some(place) = live.element("copy") else { return };
    let mut settings = String::from("With ");
    live.each_knob(&mut |_, knob, value, _| {
        if knob.label.is_empty() {
            settings.push('`');
            settings.put(&knob.name);
            settings.push('`');
        } else {
            settings.put(&knob.label);
        }
        settings.push(' ');
        settings.put(&value.words());
        settings.put("; ");
    });
    settings.put("at ");
    let position = live.position();
    settings.put(&position.t.to_string());
    settings.push('.');
    let result = live.shown(|shown| {
        // What is on screen is then the run before.
        if shown.refused.is_empty() {
            shown.run.outcome.conclusion.clone()
        } else {
            shown.refused.join(" ")
        }
    });
    for (name, text) in [
        ("data-query", live.lab(|lab| lab.write_query(&position, true))),
        ("data-settings", settings),
        ("data-result", result),
    ] {
        let _ = place.set_attribute(name, &text);
    }
}
