//! The clock: play, step, scrub, speed.

use crate::html;
use crate::live::{Live, SPEEDS};
use delivery_sim::Time;
use delivery_sim::time::{MS, SEC};
use leptos::prelude::*;
use web_sys::HtmlInputElement;

const PREVIOUS: &str =
    r#"<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M4 3v10M13 3 6.5 8l6.5 5z"/></svg>"#;
const NEXT: &str =
    r#"<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M12 3v10M3 3l6.5 5L3 13z"/></svg>"#;

/// The controls of the moment.
pub(super) fn clock(live: Live) -> impl IntoView {
    let end = live.lab(|lab| lab.scenario.end);
    let unit = unit(end);
    let place = Signal::derive(move || (live.now.get().t.0 / unit).to_string());
    let said = Signal::derive(move || {
        let now = live.now.get();
        if now.playing { "playing".into() } else { html::spoken(&now.t.to_string()) }
    });
    let time = Signal::derive(move || live.now.get().t.to_string());
    let play =
        Signal::derive(move || String::from(if live.now.get().playing { "Pause" } else { "Play" }));
    let mut speeds = String::new();
    for (i, (_, name)) in SPEEDS.iter().enumerate() {
        html::option(&mut speeds, &i.to_string(), name, i == live.speed());
    }
    view! {
        <fieldset class="clock controls" aria-label="Clock" disabled=!live.alive>
            <button class="go" type="button" on:click=move |_| live.toggle()>
                {play}
            </button>
            <button
                type="button"
                aria-label="Previous event"
                inner_html=PREVIOUS
                on:click=move |_| live.previous()
            ></button>
            <button
                type="button"
                aria-label="Next event"
                inner_html=NEXT
                on:click=move |_| {
                    live.next();
                }
            ></button>
            <input
                class="scrub"
                type="range"
                aria-label="Time"
                min="0"
                max=end.0.div_ceil(unit).to_string()
                value=place.get_untracked()
                prop:value=place
                aria-valuetext=said
                on:input=move |event| {
                    let input: HtmlInputElement = event_target(&event);
                    live.seek(Time((input.value_as_number() as u64).saturating_mul(unit)));
                }
            />
            <output class="time">{time}</output>
            <select
                class="speed"
                aria-label="Speed"
                inner_html=speeds
                on:change=move |event| {
                    live.set_speed(event_target_value(&event).parse().unwrap_or_default());
                }
            ></select>
            {super::zoom::zoom_controls(live)}
        </fieldset>
    }
}

/// A step of the time slider, in nanoseconds.
fn unit(end: Time) -> u64 {
    match end.0 / SEC {
        0..5 => 10 * MS,
        5..120 => 100 * MS,
        _ => SEC,
    }
}
