//! One message among all: its life lit in the pictures while the rest is dimmed, and its card.

use super::{each, number, say};
use crate::html;
use crate::live::Live;
use delivery_figure::put::Put as _;
use delivery_sim::trace::{Message, Msg};
use js_sys::Reflect;
use leptos::prelude::*;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{CustomEvent, Element, Event};

/// The states that a word of the text can light; their classes in the pictures are the same.
const STATES: [&str; 6] = ["stored", "inflight", "acked", "again", "lost", "dead"];

/// The card of the chosen message; empty and unseen while none is chosen.
#[cfg(feature = "ssr")]
pub(super) fn card(live: Live) -> impl IntoView {
    view! {
        <div
            class="card"
            id=live.id("card")
            role="group"
            aria-label="The chosen message"
            aria-live="polite"
        ></div>
    }
}

/// Puts the message away. Says whether there was one.
pub(crate) fn close(live: Live) -> bool {
    let open = live.now.with_untracked(|now| now.msg.is_some());
    if open {
        choose(live, None);
        live.focus();
    }
    open
}

fn choose(live: Live, msg: Option<u32>) {
    live.now.update(|now| now.msg = msg);
}

/// The message under the pointer, or whatever else has a message's number.
fn pointed(event: &Event) -> Option<u32> {
    let target: Element = event.target()?.dyn_into().ok()?;
    number(&target.closest("[data-msg]").ok()??, "data-msg").map(|msg| msg as u32)
}

/// The pointer is over a picture: what it points at is lit, else what is chosen.
pub(super) fn hover(live: Live, event: &Event) {
    light(live, pointed(event).map(of_message));
}

/// A click or tap on a message opens its card; beside one, it closes it.
pub(super) fn press(live: Live, event: &Event) {
    choose(live, pointed(event));
}

/// Chooses the message after the chosen one, or the one before; after the last comes the first.
pub(super) fn step(live: Live, back: bool) {
    let run = live.run_now();
    let own = |i: &u32| matches!(run.trace.messages[*i as usize], Message::Published { .. });
    let count = run.trace.messages.len() as u32;
    let now = live.now.with_untracked(|now| now.msg);
    let next = if back {
        let end = now.unwrap_or(count);
        (0..end).rev().find(own).or_else(|| (end..count).rev().find(own))
    } else {
        let from = now.map_or(0, |now| now + 1);
        (from..count).find(own).or_else(|| (0..from).find(own))
    };
    choose(live, next);
}

/// A word of the text is pointed at: `detail` names a message by its label, or a state, or nothing any more.
pub(crate) fn asked(live: Live, event: &JsValue) {
    let detail = event.unchecked_ref::<CustomEvent>().detail();
    let word =
        |key: &str| Reflect::get(&detail, &key.into()).ok().and_then(|word| word.as_string());
    let lit = if let Some(label) = word("msg") {
        let run = live.run_now();
        let is = |i: &u32| run.trace.label(Msg(*i)) == label;
        (0..run.trace.messages.len() as u32).find(is).map(of_message)
    } else {
        let state = word("state");
        STATES.into_iter().find(|own| Some(*own) == state.as_deref()).map(|own| [".", own].concat())
    };
    light(live, lit);
}

fn of_message(msg: u32) -> String {
    ["[data-msg=\"", &msg.to_string(), "\"]"].concat()
}

/// Lights what a selector finds in the pictures and dims the rest; without one, what is chosen, or nothing.
pub(crate) fn light(live: Live, selector: Option<String>) {
    let Some(pictures) = live.element("pictures") else { return };
    each(&pictures, ".on", &|element| {
        let _ = element.class_list().remove_1("on");
    });
    let chosen = live.now.with_untracked(|now| now.msg);
    let lit = selector.or_else(|| chosen.map(of_message)).is_some_and(|selector| {
        each(&pictures, &selector, &|element| {
            let _ = element.class_list().add_1("on");
        })
    });
    let _ = pictures.class_list().toggle_with_force("lit", lit);
}

/// Brings the card in step with the chosen message and the moment.
pub(crate) fn show(live: Live) {
    let Some(card) = live.element("card") else { return };
    let now = live.now.get_untracked();
    let (run, mut out) = (live.run_now(), String::new());
    if let Some(msg) = now.msg.filter(|msg| (*msg as usize) < run.trace.messages.len()) {
        let msg = Msg(msg);
        out.put("<p><b class=\"name\">");
        html::escape(&mut out, &run.trace.label(msg));
        out.put("</b> ");
        html::sentence(&mut out, &run.rows.place(msg, now.t));
        out.put("</p><ol>");
        for i in run.rows.about(msg) {
            let Some(row) = run.rows.get(i) else { continue };
            let open = if row.at <= now.t { "<li>" } else { "<li class=\"later\">" };
            out.put(open);
            let button = ["button type=\"button\" data-row=\"", &i.to_string(), "\""].concat();
            html::element(&mut out, &button, &row.at.to_string());
            out.put("<span>");
            html::sentence(&mut out, &row.what);
            out.put("</span></li>");
        }
        out.put("</ol><button type=\"button\" data-close>Close</button>");
    }
    say(&card, &out);
}
