//! The picture of a run, and the caption that says what is happening in it.

use crate::live::Live;
use delivery_figure::scene::Layout;
use leptos::prelude::*;

const KEYS: &str =
    "Picture of the run. Left and right step through its events, space plays, plus and minus zoom.";

/// In a finished page both layouts, of which the sheet shows the one that fits; live only that one.
pub(super) fn picture(live: Live) -> impl IntoView {
    let (run, now) = (live.run(), live.now.get_untracked());
    let svg = live.lab(|lab| {
        let picture = |layout| run.picture(lab, &run.scene(layout, now.window), now.t);
        if live.alive {
            picture(now.layout)
        } else {
            picture(Layout::Wide) + &picture(Layout::Tall)
        }
    });
    let only_live = |text| live.alive.then_some(text);
    view! {
        <div
            class="view"
            id=live.id("view")
            role=only_live("group")
            tabindex=only_live("0")
            aria-label=only_live(KEYS)
            inner_html=svg
        ></div>
    }
}

/// What is happening now. The longest caption of the run keeps the place, so that nothing below moves.
pub(super) fn caption(live: Live) -> impl IntoView {
    let longest = Signal::derive(move || live.run().rows.longest());
    let spoken =
        Signal::derive(move || String::from(if live.now.get().playing { "off" } else { "polite" }));
    let caption = Signal::derive(move || live.caption());
    view! {
        <div class="caption" data-longest=longest>
            <p aria-live=spoken inner_html=caption></p>
        </div>
    }
}
