//! The clock: play, step, scrub, speed; play from the start, again and again; jump to what decides a run.

use super::{each, find, write};
use crate::html;
#[cfg(feature = "ssr")]
use crate::live::SPEEDS;
use crate::live::{Live, Now};
use crate::run::Run;
use delivery_figure::kinds::KINDS;
use delivery_sim::Time;
use delivery_sim::time::{MS, SEC};
#[cfg(feature = "ssr")]
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlInputElement};

#[cfg(feature = "ssr")]
const PREVIOUS: &str =
    r#"<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M4 3v10M13 3 6.5 8l6.5 5z"/></svg>"#;
#[cfg(feature = "ssr")]
const NEXT: &str =
    r#"<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M12 3v10M3 3l6.5 5L3 13z"/></svg>"#;

/// The controls of the moment, as a finished page has them.
#[cfg(feature = "ssr")]
pub(super) fn clock(live: Live) -> impl IntoView {
    let end = live.lab(|lab| lab.scenario.end);
    let (unit, t) = (unit(end), live.now.get_untracked().t);
    let mut speeds = String::new();
    for (i, (_, name)) in SPEEDS.iter().enumerate() {
        html::option(&mut speeds, &i.to_string(), name, i == live.speed());
    }
    view! {
        <fieldset class="clock controls" id=live.id("clock") aria-label="Clock" disabled>
            <button class="go" type="button" data-go>
                "Play"
            </button>
            <button
                type="button"
                aria-label="Previous event"
                data-step="-"
                inner_html=PREVIOUS
            ></button>
            <button type="button" aria-label="Next event" data-step="+" inner_html=NEXT></button>
            <input
                class="scrub"
                type="range"
                aria-label="Time"
                min="0"
                max=end.0.div_ceil(unit).to_string()
                value=(t.0 / unit).to_string()
                aria-valuetext=html::spoken(&t.to_string())
            />
            <output class="time">{t.to_string()}</output>
            <select class="speed" aria-label="Speed" inner_html=speeds></select>
            {super::zoom::zoom_controls(live)}
            <div class="more-clock" inner_html=more(live)></div>
        </fieldset>
    }
}

/// Brings the clock in step with the moment and, unless it is the `same`, with the run.
pub(super) fn show(live: Live, run: &Run, now: &Now, same: bool) {
    let Some(clock) = live.element("clock") else { return };
    write(&clock, ".go", if now.playing { "Pause" } else { "Play" });
    let time = now.t.to_string();
    write(&clock, ".time", &time);
    if let Some(scrub) = find(&clock, ".scrub") {
        let place = now.t.0 / unit(live.lab(|lab| lab.scenario.end));
        let said = if now.playing { "playing".into() } else { html::spoken(&time) };
        super::set(&scrub, "aria-valuetext", Some(&said));
        let (scrub, place) = (scrub.unchecked_into::<HtmlInputElement>(), place.to_string());
        if scrub.value() != place {
            scrub.set_value(&place);
        }
    }
    if !same {
        let kinds = run.rows.all_kinds();
        each(&clock, "[data-jump]", &|jump| {
            let key = jump.get_attribute("data-jump");
            let kind = KINDS.iter().find(|kind| Some(kind.key) == key.as_deref());
            let there = kind.is_some_and(|kind| kinds & kind.bit != 0);
            super::knobs::mark(jump, "disabled", !there);
        });
    }
}

/// The slider of the moment or the speed was set.
pub(super) fn set(live: Live, control: &Element) {
    let class = control.class_name();
    let value = || control.unchecked_ref::<HtmlInputElement>().value().parse().unwrap_or_default();
    if class == "scrub" {
        let unit = unit(live.lab(|lab| lab.scenario.end));
        live.seek(Time(unit.saturating_mul(value())));
    } else if class == "speed" {
        live.set_speed(value() as usize);
    }
}

/// From the start, again, and the kinds of events to jump to, of which those can be pressed that this run has.
#[cfg(feature = "ssr")]
fn more(live: Live) -> String {
    let kinds = live.run_now().rows.all_kinds();
    let mut out = String::from(
        "<button type=\"button\" data-replay>From the start</button><button type=\"button\" data-loop aria-pressed=\"",
    );
    out.push_str(pressed(live));
    out.push_str("\">Loop</button><div class=\"jumps\" role=\"group\" aria-label=\"Jump to the next\"><span>Next</span>");
    for kind in KINDS {
        out.push_str("<button type=\"button\" data-jump=\"");
        out.push_str(kind.key);
        out.push_str("\" class=\"");
        out.push_str(kind.state);
        out.push_str("\" aria-keyshortcuts=\"");
        out.push_str(kind.key);
        out.push_str(if kinds & kind.bit == 0 { "\" disabled>" } else { "\">" });
        out.push_str(kind.name);
        out.push_str("</button>");
    }
    out.push_str("</div>");
    out
}

/// Whether the button that lets the run begin again is pressed, for its attribute.
pub(super) fn pressed(live: Live) -> &'static str {
    if live.looping() { "true" } else { "false" }
}

/// Jumps to the next event of the kind with this key, or `back` to the one before. Says whether there is such a kind.
pub(super) fn jump_key(live: Live, key: &str, back: bool) -> bool {
    let kind = KINDS.iter().find(|kind| key.eq_ignore_ascii_case(kind.key));
    if let Some(kind) = kind {
        live.jump(kind.bit, back);
    }
    kind.is_some()
}

/// A step of the time slider, in nanoseconds.
fn unit(end: Time) -> u64 {
    match end.0 / SEC {
        0..5 => 10 * MS,
        5..120 => 100 * MS,
        _ => SEC,
    }
}
