//! The parts of a lab that are built only while they are open: the readings, the events, the causes, the account.
//!
//! They are plain HTML with one listener for all that is pressed in them, below the clock or at the question: as views of
//! their own they would be three times as much to download.

use super::{clock, light, number, readings, table, why};
use crate::html;
use crate::live::Live;
use crate::run::Run;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, Event, KeyboardEvent, MouseEvent};

/// Name and heading of each; its bit in [`Now::open`](crate::live::Now::open) is that of its place.
const PARTS: [(&str, &str); 4] = [
    ("readings", "What the command line says now"),
    ("events", "Every event"),
    ("causes", "Why it was delivered again"),
    ("account", "The run in words"),
];

/// The bit of the account.
pub(crate) const ACCOUNT: u8 = 8;

/// All of them, closed. A finished page has the account, for readers without the program and for paper.
#[cfg(feature = "ssr")]
pub(super) fn parts(live: Live) -> impl IntoView {
    let mut out = String::new();
    for (name, heading) in PARTS {
        let account = name == PARTS[3].0;
        out.push_str("<details class=\"");
        out.push_str(name);
        out.push_str(if account { "\"><summary>" } else { " controls\"><summary>" });
        out.push_str(heading);
        out.push_str("</summary><div id=\"");
        html::escape(&mut out, &live.id(name));
        out.push_str("\">");
        if account {
            out.push_str(&told(&live.run_now()));
        }
        out.push_str("</div></details>");
    }
    view! { <div class="parts" inner_html=out></div> }
}

/// Brings those that are `open` in step with the state; `same` says that the run is the one of before.
pub(crate) fn show(live: Live, run: &Run, open: u8, was: u8, same: bool) {
    for (i, (name, _)) in PARTS.iter().enumerate() {
        let bit = 1 << i;
        if (open | was) & bit == 0 {
            continue;
        }
        let Some(place) = live.element(name) else { continue };
        let built = same && was & bit != 0;
        match bit & open {
            0 => place.set_inner_html(""),
            1 => readings::show(live, run, &place, built),
            2 => table::show(live, run, &place, built),
            _ if built => {}
            4 => place.set_inner_html(&why::html(run)),
            _ => place.set_inner_html(&told(run)),
        }
    }
}

/// The whole run in words.
fn told(run: &Run) -> String {
    let mut out = String::new();
    html::paragraph(&mut out, &run.rows.account(&run.outcome.conclusion));
    out
}

/// Listens to all that is plain HTML in the section of a lab.
pub(super) fn listen(live: Live, section: &Element) {
    let closure = Closure::<dyn Fn(Event)>::new(move |event: Event| hear(live, &event));
    for event in ["click", "input", "change", "keydown", "toggle"] {
        let heard = closure.as_ref().unchecked_ref();
        // A toggle does not rise from its element, but it comes down to it.
        let _ = section.add_event_listener_with_callback_and_bool(event, heard, true);
    }
    // A lab lives as long as its page.
    closure.forget();
}

fn hear(live: Live, event: &Event) {
    let target: Element = event_target(event);
    match event.type_().as_str() {
        "toggle" => {
            let class = target.class_name();
            if let Some(i) = PARTS.iter().position(|(name, _)| class.starts_with(name)) {
                let open = u8::from(target.has_attribute("open")) << i;
                live.now.update(|now| now.open = now.open & !(1 << i) | open);
            }
        }
        "change" => clock::set(live, &target),
        "input" if target.class_name() == "scrub" => clock::set(live, &target),
        "input" if target.closest(".filters").is_ok_and(|at| at.is_some()) => table::filter(live),
        "keydown" => move_on(&target, event.unchecked_ref()),
        "click" => press(live, &target, event.unchecked_ref()),
        _ => {}
    }
}

/// What was pressed, by the attribute that says what it does.
fn press(live: Live, target: &Element, event: &MouseEvent) {
    // Some buttons are pictures.
    let button = target.closest("button").ok().flatten();
    let target = button.as_ref().unwrap_or(target);
    if let Some(row) = number(target, "data-row") {
        live.seek_row(row);
    } else if let Some(form) = number(target, "data-form") {
        table::copy(live, form);
    } else if let Some(which) = target.get_attribute("data-more") {
        table::more(live, which == "later");
    } else if let Some(key) = target.get_attribute("data-jump") {
        clock::jump_key(live, &key, event.shift_key());
    } else if target.has_attribute("data-go") {
        live.toggle();
    } else if let Some(step) = target.get_attribute("data-step") {
        if step == "+" {
            live.next();
        } else {
            live.previous();
        }
    } else if target.has_attribute("data-pin") {
        live.pin();
    } else if target.has_attribute("data-close") {
        light::close(live);
    } else if target.has_attribute("data-answer") {
        live.judge();
    } else if target.closest(".pictures").is_ok_and(|at| at.is_some()) {
        light::press(live, event);
    } else if target.has_attribute("data-replay") {
        live.replay();
    } else if target.has_attribute("data-loop") {
        live.set_looping(!live.looping());
        let _ = target.set_attribute("aria-pressed", clock::pressed(live));
    }
}

/// The arrows up and down go from row to row of a table or a list.
fn move_on(target: &Element, event: &KeyboardEvent) {
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
    let _ = element.unchecked_ref::<web_sys::HtmlElement>().focus();
}
