//! The parts of a lab that are built only while they are open: the readings, the events, the causes.

use super::{readings, table, why};
use crate::live::Live;
use crate::run::Run;
use leptos::prelude::*;
use web_sys::{Element, Event, KeyboardEvent};

/// The bit of each in [`Now::open`](crate::live::Now::open), its name, and its heading.
const PARTS: [(u8, &str, &str); 3] = [
    (1, "readings", "What the command line says now"),
    (2, "events", "Every event"),
    (4, "causes", "Why it was delivered again"),
];

/// All of them, closed.
pub(super) fn parts(live: Live) -> impl IntoView {
    PARTS
        .map(|(bit, name, heading)| {
            let toggle = move |event: Event| {
                let open = event_target::<Element>(&event).has_attribute("open");
                live.now.update(|now| now.open = now.open & !bit | if open { bit } else { 0 });
            };
            view! {
                <details class=[name, " controls"].concat() on:toggle=toggle>
                    <summary>{heading}</summary>
                    <div
                        id=live.id(name)
                        on:click=move |event| press(live, &event)
                        on:input=move |_| table::filter(live)
                        on:keydown=move |event| move_on(&event)
                    ></div>
                </details>
            }
        })
        .into_iter()
        .collect_view()
}

/// Brings those that are `open` in step with the state; `same` says that the run is the one of before.
pub(crate) fn show(live: Live, run: &Run, open: u8, was: u8, same: bool) {
    for (bit, name, _) in PARTS {
        if (open | was) & bit == 0 {
            continue;
        }
        let Some(place) = live.element(name) else { continue };
        let built = same && was & bit != 0;
        match bit & open {
            0 => place.set_inner_html(""),
            1 => readings::show(live, run, &place, built),
            2 => table::show(live, run, &place, built),
            _ if !built => place.set_inner_html(&why::html(run)),
            _ => {}
        }
    }
}

/// What was pressed, by the attribute that says what it does.
fn press(live: Live, event: &web_sys::MouseEvent) {
    let target: Element = event_target(event);
    if let Some(row) = target.get_attribute("data-row") {
        live.seek_row(row.parse().unwrap_or_default());
    } else if let Some(form) = target.get_attribute("data-form") {
        table::copy(live, form.parse().unwrap_or_default());
    } else if let Some(later) = target.get_attribute("data-more") {
        table::more(live, later == "later");
    }
}

/// The arrows up and down go from row to row of a table or a list.
fn move_on(event: &KeyboardEvent) {
    let target: Element = event_target(event);
    if !target.has_attribute("data-row") && !target.has_attribute("data-more") {
        return;
    }
    let Some(row) = target.closest("tr, li").ok().flatten() else { return };
    let to = match event.key().as_str() {
        "ArrowDown" => row.next_element_sibling(),
        "ArrowUp" => row.previous_element_sibling(),
        _ => return,
    };
    if let Some(to) = to.and_then(|row| row.query_selector("button").ok().flatten()) {
        focus(&to);
    }
    event.prevent_default();
}

/// Gives an element the focus.
pub(super) fn focus(element: &Element) {
    use wasm_bindgen::JsCast as _;
    if let Some(element) = element.dyn_ref::<web_sys::HtmlElement>() {
        let _ = element.focus();
    }
}
