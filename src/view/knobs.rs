//! The knobs: a slider for a single value, a text field with presets for a list of durations.
//!
//! They are many and all alike, so they are written as HTML and brought in step with the settings by [`show`].

use crate::html;
use crate::live::Live;
use delivery_figure::lab::Knob;
use delivery_sim::setting::{Form, Setting, Value};
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Event, HtmlInputElement, HtmlSelectElement};

/// Every knob, the rarer ones folded away; why settings were refused; and the way back.
pub(super) fn knobs(live: Live) -> impl IntoView {
    let (mut shown, mut folded) = (String::new(), String::new());
    live.each_knob(|i, knob, value, places| {
        let out = if knob.more { &mut folded } else { &mut shown };
        control(out, &live.id(&id(knob)), i, knob, value, places);
    });
    let none = folded.is_empty();
    let refused = Signal::derive(move || refused(live));
    view! {
        <fieldset
            class="settings controls"
            aria-label="Settings"
            disabled=!live.alive
            on:input=move |event| turn(live, &event, false)
            on:change=move |event| turn(live, &event, true)
        >
            <div class="knobs" inner_html=shown></div>
            <details class="more" hidden=none>
                <summary>"More settings"</summary>
                <div class="knobs" inner_html=folded></div>
            </details>
            <div class="refused" role="status" inner_html=refused></div>
            <button class="reset" type="button" on:click=move |_| live.reset()>
                "Reset"
            </button>
        </fieldset>
    }
}

fn refused(live: Live) -> String {
    let mut out = String::new();
    live.shown.with(|shown| {
        for sentence in &shown.refused {
            html::paragraph(&mut out, sentence);
        }
        if !out.is_empty() {
            html::paragraph(&mut out, "The picture stays at the last settings that work.");
        }
    });
    out
}

/// The form of a knob's value; none if it names a setting that there is not.
fn form(knob: &Knob) -> Option<Form> {
    Setting::parse(&knob.setting).ok().map(|setting| setting.form())
}

/// The name of a knob's input among the ids of its lab.
fn id(knob: &Knob) -> String {
    ["knob-", &knob.name].concat()
}

/// The control of one knob at a value.
fn control(out: &mut String, id: &str, i: usize, knob: &Knob, value: &Value, places: &[Value]) {
    let list = matches!(value, Value::Durs(_));
    let (text, words, i) = (value.text(), value.words(), i.to_string());
    let mut push = |parts: &[&str]| parts.iter().for_each(|part| out.push_str(part));
    push(&["<div class=\"knob", if list { " list" } else { "" }, "\"><label for=\"", id]);
    push(&["\" id=\"", id, "-label\">"]);
    if knob.label.is_empty() {
        html::element(out, "code", &knob.name);
    } else {
        html::escape(out, &knob.label);
    }
    let mut push = |parts: &[&str]| parts.iter().for_each(|part| out.push_str(part));
    push(&["</label><output for=\"", id, "\" id=\"", id, "-out\">", &words]);
    push(&["</output><input id=\"", id, "\" data-knob=\"", &i]);
    if list {
        push(&[
            "\" type=\"text\" autocomplete=\"off\" autocapitalize=\"off\" spellcheck=\"false\" value=\"",
            &text,
        ]);
        push(&[
            "\" aria-describedby=\"",
            id,
            "-why\"><select id=\"",
            id,
            "-presets\" data-knob=\"",
            &i,
        ]);
        push(&["\" aria-label=\"Presets\" aria-describedby=\"", id, "-label\">"]);
        // Shown when the list is none of the presets; nobody can choose it.
        push(&["<option value=\"\" hidden>own list</option>"]);
        for preset in places {
            html::option(out, &preset.text(), &preset.words(), preset == value);
        }
        let mut push = |parts: &[&str]| parts.iter().for_each(|part| out.push_str(part));
        push(&["</select><p class=\"wrong\" id=\"", id, "-why\" role=\"status\"></p></div>"]);
    } else {
        let (place, last) = (place(places, value), places.len().saturating_sub(1).to_string());
        push(&["\" type=\"range\" min=\"0\" max=\"", &last, "\" value=\"", &place]);
        push(&["\" aria-valuetext=\"", &html::spoken(&words), "\"></div>"]);
    }
}

fn place(places: &[Value], value: &Value) -> String {
    places.iter().position(|place| place == value).unwrap_or(0).to_string()
}

/// The places of each knob's control: those that the lab names, what `more` has for it (its default, what the
/// address says) and, where there can be one, no limit.
pub(crate) fn all_places(knobs: &[Knob], more: &[&[Value]]) -> Vec<Vec<Value>> {
    let of = |(i, knob): (usize, &Knob)| {
        let more: Vec<Value> = more.iter().filter_map(|values| values.get(i).cloned()).collect();
        form(knob).map(|form| places(form, &knob.positions, &more)).unwrap_or_default()
    };
    knobs.iter().enumerate().map(of).collect()
}

/// Places in ascending order, so that a slider can stand on each.
fn places(form: Form, named: &[String], more: &[Value]) -> Vec<Value> {
    let mut all: Vec<Value> =
        named.iter().filter_map(|text| Value::parse(form, text).ok()).collect();
    all.extend_from_slice(more);
    if form == Form::Limit {
        all.push(Value::Count(None));
    }
    let mut once: Vec<Value> = Vec::with_capacity(all.len());
    for value in all {
        if !once.contains(&value) {
            // Lists are all of one size and keep the order in which the lab names them.
            let place = once.partition_point(|before| size(before) <= size(&value));
            once.insert(place, value);
        }
    }
    once
}

fn size(value: &Value) -> u64 {
    match value {
        Value::Dur(d) => d.0,
        Value::Count(n) => n.unwrap_or(u64::MAX),
        Value::Durs(_) => 0,
    }
}

/// Something was done to a control. `whole` says that the reader is done with it.
fn turn(live: Live, event: &Event, whole: bool) {
    let target: web_sys::Element = event_target(event);
    let i = target.get_attribute("data-knob").and_then(|i| i.parse().ok()).unwrap_or(usize::MAX);
    let text = event_target_value(event);
    let mut value = Err(String::new());
    let mut name = String::new();
    live.each_knob(|j, knob, now, places| {
        if i == j {
            name = id(knob);
            value = match now {
                Value::Durs(_) => Value::parse(Form::Durs, &text),
                _ => text
                    .parse()
                    .ok()
                    .and_then(|place: usize| places.get(place).cloned())
                    .ok_or_else(String::new),
            };
        }
    });
    match value {
        Ok(value) => {
            wrong(live, &name, "");
            live.turn(i, value);
        }
        // While somebody is typing, half a duration is no mistake.
        Err(sentence) if whole => wrong(live, &name, &(sentence + ", a comma between two")),
        Err(_) => {}
    }
}

/// Says beside a list what is wrong with its text; nothing, if that is empty.
fn wrong(live: Live, name: &str, sentence: &str) {
    if let (Some(why), Some(field)) = (live.element(&[name, "-why"].concat()), live.element(name)) {
        why.set_text_content(Some(sentence));
        let invalid = if sentence.is_empty() { "false" } else { "true" };
        let _ = field.set_attribute("aria-invalid", invalid);
    }
}

/// Brings every control in step with the settings. A reader's own text stays while it means the value, or while it
/// is wrong, unless `afresh`.
pub(crate) fn show(live: Live, afresh: bool) {
    live.each_knob(|_, knob, value, places| {
        let name = id(knob);
        let (Some(field), Some(out)) = (
            live.element(&name).and_then(|field| field.dyn_into::<HtmlInputElement>().ok()),
            live.element(&[&name, "-out"].concat()),
        ) else {
            return;
        };
        let words = value.words();
        out.set_text_content(Some(&words));
        let Value::Durs(_) = value else {
            field.set_max(&places.len().saturating_sub(1).to_string());
            field.set_value(&place(places, value));
            let _ = field.set_attribute("aria-valuetext", &html::spoken(&words));
            return;
        };
        let text = value.text();
        if afresh || Value::parse(Form::Durs, &field.value()).is_ok_and(|typed| typed != *value) {
            field.set_value(&text);
            wrong(live, &name, "");
        }
        let presets = live.element(&[&name, "-presets"].concat());
        if let Some(presets) =
            presets.and_then(|presets| presets.dyn_into::<HtmlSelectElement>().ok())
        {
            presets.set_value(&text);
            if presets.selected_index() < 0 {
                presets.set_selected_index(0);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slider_stands_on_every_value_that_can_be_set() {
        for (form, named, default, chosen, all) in [
            (Form::Dur, "1s 5s 30s", "5s", "5s", "1s 5s 30s"),
            (Form::Dur, "5s 1s", "30s", "7s", "1s 5s 7s 30s"),
            (Form::Dur, "banana 1s", "1s", "1s", "1s"),
            (Form::Limit, "1 5", "unlimited", "3", "1 3 5 unlimited"),
            (Form::Limit, "unlimited 5", "5", "5", "5 unlimited"),
            (Form::Count, "10 2", "2", "2", "2 10"),
            (Form::Durs, "none 5s 1s,2s", "none", "3s", "none 5s 1s,2s 3s"),
        ] {
            let named: Vec<String> = named.split(' ').map(str::to_owned).collect();
            let more = [default, chosen].map(|text| Value::parse(form, text).unwrap());
            let texts: Vec<String> = places(form, &named, &more).iter().map(Value::text).collect();
            assert_eq!(texts.join(" "), all, "{form:?} {named:?}");
        }
    }
}
