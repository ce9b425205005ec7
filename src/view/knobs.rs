//! The knobs: a slider for a single value, a text field with presets for a list of durations.

use crate::html;
use crate::live::{Draft, Live};
use delivery_figure::lab::Knob;
use delivery_sim::setting::{Form, Setting, Value};
use leptos::prelude::*;
use std::sync::Arc;
use web_sys::HtmlInputElement;

/// Every knob, the rarer ones folded away; why settings were refused; and the way back.
pub(super) fn knobs(live: Live) -> impl IntoView {
    let (mut shown, mut folded) = (Vec::new(), Vec::new());
    for (i, knob) in live.lab(|lab| lab.knobs.clone()).iter().enumerate() {
        if let Some(control) = control(live, i, knob) {
            if knob.more { &mut folded } else { &mut shown }.push(control);
        }
    }
    let none = folded.is_empty();
    let refused = Signal::derive(move || refused(live));
    view! {
        <fieldset class="settings controls" aria-label="Settings" disabled=!live.alive>
            <div class="knobs">{shown}</div>
            <details class="more" hidden=none>
                <summary>"More settings"</summary>
                <div class="knobs">{folded}</div>
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

/// The control of one knob; none if it names a setting that there is not.
fn control(live: Live, i: usize, knob: &Knob) -> Option<AnyView> {
    let form = Setting::parse(&knob.setting).ok()?.form();
    let default = live.lab(|lab| lab.default_position().values.get(i).cloned())?;
    let chosen = live.values.with_untracked(|values| values.get(i).cloned())?;
    let mut label = String::new();
    if knob.label.is_empty() {
        html::element(&mut label, "code", &knob.name);
    } else {
        html::escape(&mut label, &knob.label);
    }
    let name = ["knob-", &knob.name].concat();
    let positions = positions(form, &knob.positions, [default, chosen]);
    let knob = Control { live, i, name, label };
    Some(if form == Form::Durs { list(knob, &positions) } else { slider(knob, positions) })
}

/// The places of a control: those that the lab names, its default, what the address says and, where
/// there can be one, no limit. In ascending order, so that a slider can stand on each.
fn positions(form: Form, named: &[String], more: [Value; 2]) -> Vec<Value> {
    let mut all: Vec<Value> =
        named.iter().filter_map(|text| Value::parse(form, text).ok()).chain(more).collect();
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

/// What every control needs.
struct Control {
    live: Live,
    /// The place of its knob.
    i: usize,
    /// The name of its input within the lab's ids.
    name: String,
    /// Its label, as HTML.
    label: String,
}

impl Control {
    /// The value, told in some way; the view follows it.
    fn tell(&self, way: impl Fn(&Value) -> String + Send + Sync + 'static) -> Signal<String> {
        let (live, i) = (self.live, self.i);
        Signal::derive(move || {
            live.values.with(|values| values.get(i).map(&way)).unwrap_or_default()
        })
    }
}

fn slider(knob: Control, positions: Vec<Value>) -> AnyView {
    let last = positions.len().saturating_sub(1).to_string();
    let places = Arc::new(positions);
    let positions = places.clone();
    let place =
        knob.tell(move |value| places.iter().position(|p| p == value).unwrap_or(0).to_string());
    let (words, said) = (knob.tell(Value::words), knob.tell(|value| html::spoken(&value.words())));
    let Control { live, i, name, label } = knob;
    let id = live.id(&name);
    view! {
        <div class="knob">
            <label for=id.clone() inner_html=label></label>
            <output for=id.clone()>{words}</output>
            <input
                id=id
                type="range"
                min="0"
                max=last
                value=place.get_untracked()
                prop:value=place
                aria-valuetext=said
                on:input=move |event| {
                    let input: HtmlInputElement = event_target(&event);
                    if let Some(value) = positions.get(input.value_as_number() as usize) {
                        live.turn(i, value.clone());
                    }
                }
            />
        </div>
    }
    .into_any()
}

fn list(knob: Control, presets: &[Value]) -> AnyView {
    let (words, set) = (knob.tell(Value::words), knob.tell(Value::text));
    let known: Vec<String> = presets.iter().map(Value::text).collect();
    let chosen = knob.tell(move |value| {
        Some(value.text()).filter(|text| known.contains(text)).unwrap_or_default()
    });
    let Control { live, i, name, label } = knob;
    let id = live.id(&name);
    let (why, label_id) = ([&id, "-why"].concat(), [&id, "-label"].concat());
    let Draft { text, wrong, .. } = live.draft(i);
    let invalid = Signal::derive(move || {
        String::from(if wrong.with(String::is_empty) { "false" } else { "true" })
    });
    // The field shows the reader's own text while it means the value; a preset replaces it.
    let field = Signal::derive(move || {
        let (text, set) = (text.get(), set.get());
        match Value::parse(Form::Durs, &text) {
            Ok(value) if value.text() != set => set,
            _ => text,
        }
    });
    let read = move |event: &web_sys::Event, whole: bool| {
        let typed = event_target_value(event);
        let value = Value::parse(Form::Durs, &typed);
        text.set(typed);
        match value {
            Ok(value) => {
                wrong.set(String::new());
                live.turn(i, value);
            }
            // While somebody is typing, half a duration is no mistake.
            Err(sentence) if whole => wrong.set(sentence + ", a comma between two"),
            Err(_) => {}
        }
    };
    // Shown when the list is none of the presets; nobody can choose it.
    let mut options = String::from("<option value=\"\" hidden>own list</option>");
    for preset in presets {
        let (value, current) = (preset.text(), set.get_untracked());
        html::option(&mut options, &value, &preset.words(), value == current);
    }
    view! {
        <div class="knob list">
            <label for=id.clone() id=label_id.clone() inner_html=label></label>
            <output for=id.clone()>{words}</output>
            <input
                id=id
                type="text"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                value=set.get_untracked()
                prop:value=field
                aria-describedby=why.clone()
                aria-invalid=invalid
                on:input=move |event| read(&event, false)
                on:change=move |event| read(&event, true)
            />
            <select
                aria-label="Presets"
                aria-describedby=label_id
                inner_html=options
                prop:value=chosen
                on:change=move |event| read(event.as_ref(), true)
            ></select>
            <p class="wrong" id=why role="status">
                {wrong}
            </p>
        </div>
    }
    .into_any()
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
            let texts: Vec<String> =
                positions(form, &named, more).iter().map(Value::text).collect();
            assert_eq!(texts.join(" "), all, "{form:?} {named:?}");
        }
    }
}
