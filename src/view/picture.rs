//! The picture of a run, and the caption that says what is happening in it.

use super::{compare, light};
use crate::live::Live;
use delivery_figure::scene::Layout;
use leptos::prelude::*;

const KEYS: &str = "Picture of the run. Left and right step through its events, space plays, plus and minus zoom, m goes through \
                    the messages.";

/// In a finished page both layouts, of which the sheet shows the one that fits; live only that one. Above it the pinned run or
/// the second system, if there is one.
pub(super) fn picture(live: Live) -> impl IntoView {
    let (run, now) = (live.run(), live.now.get_untracked());
    let svg = |layout| {
        live.lab(|lab| run.picture(&lab.slug, &lab.title, &run.scene(layout, now.window), now.t))
    };
    let svg = if live.alive { svg(now.layout) } else { svg(Layout::Wide) + &svg(Layout::Tall) };
    let only_live = |text| live.alive.then_some(text);
    let (other, which) = compare::other(live, now, now.t);
    view! {
        <div
            class="pictures"
            id=live.id("pictures")
            on:pointerover=move |event| light::hover(live, &event)
            on:pointerleave=move |_| light::light(live, None)
            on:click=move |event| light::press(live, &event)
        >
            <div class="other" id=live.id("other") inner_html=other></div>
            <p class="which now" id=live.id("which") inner_html=which></p>
            <div
                class="view"
                id=live.id("view")
                role=only_live("group")
                tabindex=only_live("0")
                aria-label=only_live(KEYS)
                inner_html=svg
            ></div>
        </div>
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
