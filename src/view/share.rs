//! The foot of a lab: a link to what is on screen, and the keys.

use crate::live::Live;
use gloo_timers::callback::Timeout;
use js_sys::Reflect;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::HtmlInputElement;

/// Milliseconds for which the button says that the link was copied.
const SAID_MS: u32 = 2_000;

/// The copy-link button and the list of keys.
pub(super) fn foot(live: Live) -> impl IntoView {
    let said = RwSignal::new(String::from("Copy link"));
    view! {
        <footer class="controls">
            <button type="button" class="copy" disabled=!live.alive on:click=move |_| copy(live, said)>
                <span aria-live="polite">{said}</span>
            </button>
            <input
                class="link"
                id=live.id("link")
                type="text"
                readonly
                hidden
                aria-label="Link to this figure as it is set now"
            />
            <details class="keys" id=live.id("keys")>
                <summary>"Keys"</summary>
                <ul>
                    <li><kbd>"Space"</kbd>" plays or pauses"</li>
                    <li><kbd>"←"</kbd>" "<kbd>"→"</kbd>" go to the previous or next event"</li>
                    <li><kbd>"Home"</kbd>" "<kbd>"End"</kbd>" go to the start or end"</li>
                    <li>
                        <kbd>"l"</kbd>" "<kbd>"r"</kbd>" "<kbd>"d"</kbd>" "<kbd>"x"</kbd>
                        " go to the next loss, redelivery, duplicate or dead letter; with "
                        <kbd>"Shift"</kbd>" to the one before"
                    </li>
                    <li><kbd>"?"</kbd>" shows or hides this list"</li>
                </ul>
                <p>"They work while the focus is in this figure, except in controls that use them themselves."</p>
            </details>
        </footer>
    }
}

/// Copies the link. Where the clipboard is closed to pages, the link stands selected, to be copied by hand.
fn copy(live: Live, said: RwSignal<String>) {
    let link = live.link();
    let by_hand = {
        let link = link.clone();
        move || {
            let field =
                live.element("link").and_then(|field| field.dyn_into::<HtmlInputElement>().ok());
            if let Some(field) = field {
                field.set_value(&link);
                field.set_hidden(false);
                let _ = field.focus();
                field.select();
            }
        }
    };
    let navigator = window().navigator();
    // A page that was not served over https has no clipboard at all.
    if Reflect::get(&navigator, &"clipboard".into()).is_ok_and(|clipboard| clipboard.is_undefined())
    {
        return by_hand();
    }
    let copied = Closure::once(move |_| {
        said.set("Link copied".into());
        Timeout::new(SAID_MS, move || said.set("Copy link".into())).forget();
    });
    let refused = Closure::once(move |_| by_hand());
    let _ = navigator.clipboard().write_text(&link).then2(&copied, &refused);
    // One of them is called once, some time after this.
    copied.forget();
    refused.forget();
}
