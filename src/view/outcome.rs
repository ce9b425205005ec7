//! What came of a run: the conclusion and its numbers; and what of the address was not understood.

use super::{find, say, write};
use crate::html;
#[cfg(feature = "ssr")]
use crate::live::Live;
use crate::run::Run;
use delivery_figure::put::Put as _;
#[cfg(feature = "ssr")]
use leptos::prelude::*;
use web_sys::Element;

/// The place for what the address said that was not understood, empty in a finished page.
#[cfg(feature = "ssr")]
pub(super) fn notice() -> impl IntoView {
    view! { <div class="lab-notice" role="status"></div> }
}

/// The sentence of conclusion and the result row, as a finished page has them.
#[cfg(feature = "ssr")]
pub(super) fn outcome(live: Live) -> impl IntoView {
    let run = live.run_now();
    view! {
        <div class="result">
            <p class="say" aria-live="polite">
                {run.outcome.conclusion.clone()}
            </p>
            <ul inner_html=counts(&run)></ul>
            {super::goals::goals(live)}
        </div>
    }
}

/// Brings them in step with the run.
pub(super) fn show(lab: &Element, run: &Run) {
    write(lab, ".say", &run.outcome.conclusion);
    if let Some(place) = find(lab, ".result ul") {
        say(&place, &counts(run));
    }
}

fn counts(run: &Run) -> String {
    let mut out = String::new();
    for count in &run.outcome.counts {
        out.put("<li class=\"");
        out.put(if count.count > 0 { count.state } else { "" });
        out.put("\">");
        html::escape(&mut out, count.name);
        out.push(' ');
        html::element(&mut out, "b", &count.count.to_string());
        out.put("</li>");
    }
    out
}
