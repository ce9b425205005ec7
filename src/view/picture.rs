//! The picture of a run, and the caption that says what is happening in it.

use super::{find, say, set};
use crate::html;
#[cfg(feature = "ssr")]
use crate::live::Live;
use crate::live::Now;
use crate::run::Run;
use delivery_figure::put::Put as _;
#[cfg(feature = "ssr")]
use delivery_figure::scene::Layout;
#[cfg(feature = "ssr")]
use leptos::prelude::*;
use web_sys::Element;

const KEYS: &str = "Picture of the run. Left and right step through its events, space plays, plus and minus zoom, m goes through \
                    the messages.";

/// In a finished page both layouts, of which the sheet shows the one that fits; live only that one. Above it the pinned run or
/// the second system, if there is one.
#[cfg(feature = "ssr")]
pub(super) fn picture(live: Live) -> impl IntoView {
    let (run, now) = (live.run_now(), live.now.get_untracked());
    let svg = |layout| {
        live.lab(|lab| run.picture(&lab.slug, &lab.title, &run.scene(layout, now.window), now.t))
    };
    let svg = svg(Layout::Wide) + &svg(Layout::Tall);
    let (other, which) = super::compare::other(live, now, now.t);
    view! {
        <div class="pictures" id=live.id("pictures")>
            <div class="other" id=live.id("other") inner_html=other></div>
            <p class="which now" id=live.id("which") inner_html=which></p>
            <div class="view" id=live.id("view") inner_html=svg></div>
        </div>
    }
}

/// Makes the picture of a finished page one that answers to keys; what it shows is about to be drawn.
pub(super) fn attend(view: &Element) {
    view.set_inner_html("");
    for (name, value) in [("role", "group"), ("tabindex", "0"), ("aria-label", KEYS)] {
        let _ = view.set_attribute(name, value);
    }
}

/// What is happening now. The longest caption of the run keeps the place, so that nothing below moves.
#[cfg(feature = "ssr")]
pub(super) fn caption(live: Live) -> impl IntoView {
    let run = live.run_now();
    view! {
        <div class="caption" data-longest=run.rows.longest()>
            <p aria-live="polite" inner_html=words(&run, live.row_now())></p>
        </div>
    }
}

/// Brings the caption in step with the run and the event that is shown, unless they are the `same`.
pub(super) fn show(lab: &Element, run: &Run, now: &Now, row: Option<usize>, same: [bool; 2]) {
    let Some(caption) = find(lab, ".caption") else { return };
    let [same_run, same_row] = same;
    if !same_run {
        set(&caption, "data-longest", Some(&run.rows.longest()));
    }
    if let Some(place) = find(&caption, "p") {
        set(&place, "aria-live", Some(if now.playing { "off" } else { "polite" }));
        if !same_row {
            say(&place, &words(run, row));
        }
    }
}

fn words(run: &Run, row: Option<usize>) -> String {
    let mut out = String::new();
    match row.and_then(|row| run.rows.get(row)) {
        Some(row) => {
            html::element(&mut out, "b", &row.at.to_string());
            out.push(' ');
            html::sentence(&mut out, &row.what);
        }
        None => out.put("<b>T+0.0 s</b> Nothing has happened yet."),
    }
    out
}
