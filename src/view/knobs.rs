//! The knobs: a scale with a field for what is typed, a number that can be without limit, a choice, a switch, and the
//! editor of a backoff; beside each the way back, and what the server or we have to say about it.
//!
//! They are many and all alike, so they are written as HTML, share one listener, and are brought in step with the
//! settings by [`show`].

#[cfg(feature = "ssr")]
mod control;
mod list;
mod schedule;

use super::{number, say, set};
use crate::html;
use crate::live::Live;
use delivery_figure::lab::Knob;
use delivery_figure::put::Put as _;
use delivery_sim::check::{Problem, problems, traps};
use delivery_sim::setting::{Form, Value};
use delivery_sim::time::MS;
use delivery_sim::{Dur, Scenario};
#[cfg(feature = "ssr")]
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, Event, HtmlInputElement, HtmlSelectElement};

/// What one control needs to know besides its knob and value.
pub(crate) struct Control {
    form: Form,
    /// Where a slider can stand, or what can be chosen.
    places: Vec<Value>,
    /// The value that the lab opens with.
    usual: Value,
}

impl Control {
    /// The control of a knob; none if it names a setting that there is not.
    fn new(knob: &Knob, usual: &Value, now: &Value) -> Option<Self> {
        let form = knob.form()?;
        let places = places(form, &knob.positions, &[usual, now]);
        Some(Self { form, places, usual: usual.clone() })
    }

    /// The place of a value, as an attribute.
    fn place(&self, value: &Value) -> String {
        self.places.iter().position(|place| place == value).unwrap_or(0).to_string()
    }

    /// A value as it is spoken.
    fn spoken(&self, value: &Value) -> String {
        let words = html::spoken(&value.words());
        if self.form == Form::Percent { words + " per cent" } else { words }
    }
}

/// The controls of all knobs at their values.
pub(crate) fn controls(knobs: &[Knob], usual: &[Value], now: &[Value]) -> Vec<Option<Control>> {
    let both = usual.iter().zip(now);
    knobs.iter().zip(both).map(|(knob, (usual, now))| Control::new(knob, usual, now)).collect()
}

/// Sees to it that a value is among the places of a control.
pub(crate) fn admit(control: &mut Option<Control>, knob: &Knob, value: &Value) {
    if let Some(Control { places, usual, .. }) = control
        && !places.contains(value)
    {
        *control = Control::new(knob, &usual.clone(), value);
    }
}

/// Places in ascending order, so that a slider can stand on each: those that the lab names, `more`, and between those
/// of a length of time the round ones, which makes its scale a logarithmic one.
fn places(form: Form, named: &[String], more: &[&Value]) -> Vec<Value> {
    let mut all: Vec<Value> =
        named.iter().filter_map(|text| Value::parse(form, text).ok()).collect();
    if all.is_empty() {
        all.extend(form.words().iter().map(|word| Value::Choice(word)));
    }
    if let (Form::Dur, Some(Value::Dur(most))) = (form, all.last().cloned()) {
        let least = all.iter().map(size).find(|size| *size > 0).unwrap_or(most.0);
        let mut decade = MS;
        while decade < most.0 {
            let round = [1, 2, 5].map(|n| n * decade);
            let between = round.into_iter().filter(|n| (least..most.0).contains(n));
            all.extend(between.map(|n| Value::Dur(Dur(n))));
            decade *= 10;
        }
    }
    all.extend(more.iter().map(|value| (*value).clone()));
    let mut once: Vec<Value> = Vec::with_capacity(all.len());
    for value in all {
        if !once.contains(&value) {
            // What has no size keeps the order in which the lab names it.
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
        Value::Durs(_) | Value::Choice(_) => 0,
    }
}

/// Every knob, the rarer ones folded away; what is the matter with the settings as a whole; and the way back.
#[cfg(feature = "ssr")]
pub(super) fn knobs(live: Live) -> impl IntoView {
    view! {
        <fieldset
            class="settings controls"
            id=live.id("settings")
            aria-label="Settings"
            disabled
            inner_html=written(live)
        ></fieldset>
    }
}

/// The HTML of all controls.
#[cfg(feature = "ssr")]
fn written(live: Live) -> String {
    let (mut shown, mut folded) = (String::new(), String::new());
    live.each_knob(&mut |i, knob, value, control| {
        let out = if knob.more { &mut folded } else { &mut shown };
        control::write(out, live, &live.id(&id(knob)), i, knob, value, control);
    });
    let none = if folded.is_empty() { "\" hidden>" } else { "\">" };
    let mut out = String::from("<div class=\"knobs\">");
    put(&mut out, &[&shown, "</div><details class=\"more\" id=\"", &live.id("more"), none]);
    put(&mut out, &["<summary>More settings</summary><div class=\"knobs\">", &folded]);
    put(&mut out, &["</div></details><div class=\"refused\" role=\"status\" id=\""]);
    put(&mut out, &[&live.id("refused"), "\"></div><button class=\"reset\" type=\"button\" "]);
    out.put("data-part=\"z\">Reset</button>");
    out
}

fn put(out: &mut String, parts: &[&str]) {
    parts.iter().for_each(|part| out.put(part));
}

/// The name of a knob's control among the ids of its lab.
fn id(knob: &Knob) -> String {
    ["knob-", &knob.name].concat()
}

/// Makes the controls answer to readers. To be called once, in the browser.
pub(crate) fn attend(live: Live) {
    let Some(settings) = live.element("settings") else { return };
    let closure = Closure::<dyn Fn(Event)>::new(move |event: Event| act(live, &event));
    for kind in [
        "input",
        "change",
        "click",
        "keydown",
        "pointerdown",
        "pointermove",
        "pointerup",
        "pointercancel",
    ] {
        let listener = closure.as_ref().unchecked_ref();
        let _ = settings.add_event_listener_with_callback(kind, listener);
    }
    // A lab lives as long as its page, and so does this.
    closure.forget();
    show(live, true);
    // What the address has changed is not hidden from whoever opens it.
    live.each_knob(&mut |_, knob, value, control| {
        if knob.more && *value != control.usual {
            unfold(live);
        }
    });
}

fn unfold(live: Live) {
    if let Some(more) = live.element("more") {
        mark(&more, "open", true);
    }
}

/// What happened to a part of a control.
#[derive(Clone, Copy, PartialEq)]
enum Deed {
    /// Somebody is at it.
    Typed,
    /// Somebody is done with it.
    Done,
    Click,
    Key,
    Down,
    Move,
    Up,
}

/// Something was done to a part of a control. The letter that a part has in `data-part` says what it is.
fn act(live: Live, event: &Event) {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let Some(part) = target.and_then(|target| closest(&target, "[data-part]")) else { return };
    let name = attribute(&part, "data-part").bytes().next().unwrap_or_default();
    let deed = match event.type_().as_str() {
        "input" => Deed::Typed,
        "change" => Deed::Done,
        "click" => Deed::Click,
        "keydown" => Deed::Key,
        "pointerdown" => Deed::Down,
        "pointermove" => Deed::Move,
        _ => Deed::Up,
    };
    if deed == Deed::Click && name == b'z' {
        return live.reset();
    }
    let Some(i) = closest(&part, "[data-knob]").and_then(|knob| number(&knob, "data-knob")) else {
        return;
    };
    let mut id_of = String::new();
    let mut new = None;
    let typed = event_text(&part);
    let on = checked(&part);
    let at_it = matches!(deed, Deed::Typed | Deed::Done);
    live.each_knob(&mut |j, knob, value, control| {
        if i != j {
            return;
        }
        id_of = id(knob);
        new = match name {
            b'b' if deed == Deed::Click => Some(control.usual.clone()),
            _ if !at_it => None,
            b'r' => typed.parse().ok().and_then(|n: u64| control.places.get(n as usize).cloned()),
            b't' => reading(knob, value, &typed).ok(),
            b'p' => knob.read(&typed).ok(),
            b's' => knob.read(if on { "on" } else { "off" }).ok(),
            b'l' => {
                // The number that a limit had comes back with it.
                let number = element(live, &id_of, "-text");
                if *value != Value::Count(None)
                    && let Some(number) = &number
                {
                    set(number, "data-last", Some(&value.text()));
                }
                let last = number.map(|number| attribute(&number, "data-last"));
                let finite = control.places.iter().rfind(|place| size(place) < u64::MAX).cloned();
                let last = last.and_then(|last| knob.read(&last).ok()).or(finite);
                if on { Some(Value::Count(None)) } else { last }
            }
            _ => None,
        };
    });
    match (name, new) {
        (b't', new) if at_it => {
            mark(&part, "data-done", deed == Deed::Done);
            turn(live, i, new);
        }
        (_, Some(value)) => {
            settle(live, i, &id_of, value);
            if name == b'b' {
                list::focus(live, &id_of, "");
            }
        }
        _ => list::act(live, i, &id_of, &part, name, deed, event),
    }
}

/// A part of a control.
#[inline(never)]
fn element(live: Live, id: &str, suffix: &str) -> Option<Element> {
    live.element(&[id, suffix].concat())
}

/// A field among the parts of a control.
#[inline(never)]
fn field(live: Live, id: &str, suffix: &str) -> Option<HtmlInputElement> {
    element(live, id, suffix)?.dyn_into().ok()
}

#[inline(never)]
fn closest(element: &Element, selector: &str) -> Option<Element> {
    element.closest(selector).ok().flatten()
}

#[inline(never)]
fn attribute(element: &Element, name: &str) -> String {
    element.get_attribute(name).unwrap_or_default()
}

pub(super) fn mark(element: &Element, name: &str, on: bool) {
    set(element, name, on.then_some(""));
}

fn mark_invalid(element: &Element, invalid: bool) {
    set(element, "aria-invalid", Some(if invalid { "true" } else { "false" }));
}

fn event_text(part: &Element) -> String {
    let typed = part.dyn_ref::<HtmlInputElement>().map(HtmlInputElement::value);
    typed
        .or_else(|| part.dyn_ref::<HtmlSelectElement>().map(HtmlSelectElement::value))
        .unwrap_or_default()
}

fn checked(part: &Element) -> bool {
    part.dyn_ref::<HtmlInputElement>().is_some_and(HtmlInputElement::checked)
}

/// What stands in the field of a value: nothing for no limit, which is a switch.
fn text(value: &Value) -> String {
    if *value == Value::Count(None) { String::new() } else { value.text() }
}

/// The value of what is typed: nothing at all beside "no limit" means just that.
fn reading(knob: &Knob, value: &Value, text: &str) -> Result<Value, String> {
    if !text.trim().is_empty() {
        return knob.read(text);
    }
    match value {
        Value::Count(None) => Ok(value.clone()),
        _ => Err(["nothing is written here; the value stays ", &value.words()].concat()),
    }
}

/// Turns a knob, if there is a value; in any case the controls are in step afterwards.
fn turn(live: Live, i: usize, value: Option<Value>) {
    if !value.is_some_and(|value| live.turn(i, value)) {
        show(live, false);
    }
}

/// Turns a knob by something else than typing: what was typed into it gives way.
fn settle(live: Live, i: usize, id: &str, value: Value) {
    if let Some(field) = field(live, id, "-text") {
        field.set_value(&text(&value));
    }
    if matches!(value, Value::Durs(_)) {
        list::fill(live, i, id, &list::texts_of(&value));
    }
    turn(live, i, Some(value));
}

/// Lets a select stand at a value, or at its hidden first place if it has none such.
fn choose(live: Live, id: &str, text: &str) {
    let select = live.element(id).and_then(|select| select.dyn_into::<HtmlSelectElement>().ok());
    if let Some(select) = select {
        select.set_value(text);
        if select.selected_index() < 0 {
            select.set_selected_index(0);
        }
    }
}

/// What is to be said beside one knob.
#[derive(Clone, Default)]
struct Note {
    words: String,
    /// Whether the run is refused because of it.
    invalid: bool,
    /// The knob beside which that is said.
    by: usize,
}

/// What the server refuses and what we warn of, sorted by the knobs it is about; and the rest.
fn notes(live: Live) -> (Vec<Note>, String) {
    let scenario = live.scenario();
    let refused = live.shown(|shown| !shown.refused.is_empty());
    let found = if refused { problems(&scenario) } else { new_traps(live, &scenario) };
    let last = live.last_turned();
    let mut notes: Vec<Note> = Vec::new();
    let mut own = Vec::new();
    live.each_knob(&mut |_, knob, value, control| {
        notes.push(Note::default());
        own.push((knob.setting.clone(), knob.name.clone(), *value != control.usual));
    });
    let mut rest = String::new();
    let mut beside = String::new();
    if found.is_empty() {
        // What is wrong with the run and not with a setting, such as that it is too long.
        live.shown(|shown| {
            for sentence in &shown.refused {
                html::paragraph(&mut rest, &capital(sentence));
            }
        });
    }
    for problem in found {
        let concerns = |i: &usize| problem.concerns(&own[*i].0);
        let all: Vec<usize> = (0..own.len()).filter(concerns).collect();
        let changed = all.iter().copied().find(|i| own[*i].2);
        let by = Some(last).filter(|last| all.contains(last)).or(changed).or(all.first().copied());
        let Some(by) = by else {
            if refused {
                html::paragraph(&mut rest, &capital(&problem.sentence()));
            }
            continue;
        };
        if refused {
            for i in all {
                (notes[i].invalid, notes[i].by) = (true, by);
            }
            let and = if beside.is_empty() { "" } else { " and " };
            put(&mut beside, &[and, "`", &own[by].1, "`"]);
        }
        html::paragraph(&mut notes[by].words, &capital(&problem.text));
    }
    if refused {
        let mut words = String::from("With these settings there is no run");
        if !beside.is_empty() {
            put(&mut words, &["; the reason stands beside ", &beside]);
        }
        words.put(". What is shown is the last run that worked.");
        html::paragraph(&mut rest, &words);
    }
    (notes, rest)
}

/// What we warn of, unless the lab as it opens has the same: that is what it is about.
fn new_traps(live: Live, scenario: &Scenario) -> Vec<Problem> {
    let known = live.lab(|lab| traps(&lab.scenario));
    let mut found = traps(scenario);
    found.retain(|trap| !known.iter().any(|known| known.text == trap.text));
    found
}

/// A sentence with its first letter large; the name of a setting stays as it is.
fn capital(text: &str) -> String {
    let word = text.split(' ').next().unwrap_or_default();
    let mut out = String::with_capacity(text.len() + 1);
    let mut letters = text.chars();
    if !word.contains('_') {
        out.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
    }
    put(&mut out, &[letters.as_str(), "."]);
    out
}

/// Brings every control in step with the settings. A reader's own text stays while it means the value, or while it
/// is wrong, unless `afresh`.
pub(crate) fn show(live: Live, afresh: bool) {
    let (notes, rest) = notes(live);
    if let Some(refused) = live.element("refused") {
        say(&refused, &rest);
    }
    let mut names = Vec::new();
    live.each_knob(&mut |_, knob, _, _| names.push(id(knob)));
    live.each_knob(&mut |i, knob, value, control| {
        let name = &names[i];
        let part = |suffix: &str| element(live, name, suffix);
        let mut wrong = String::new();
        match control.form {
            Form::Durs => wrong = list::show(live, i, name, value, afresh),
            Form::Choice(_) => choose(live, name, &value.text()),
            _ => {
                if let Some(field) = field(live, name, "-text") {
                    let typed = reading(knob, value, &field.value());
                    match typed {
                        Err(why) if !afresh => {
                            if field.has_attribute("data-done") {
                                wrong = why;
                            }
                        }
                        Ok(typed) if !afresh && typed == *value => {}
                        _ => field.set_value(&text(value)),
                    }
                }
                if let Some(field) = field(live, name, "") {
                    // A scale, or the switch of a limit or of its own.
                    let last = control.places.len().saturating_sub(1).to_string();
                    set(&field, "max", Some(&last));
                    if control.form == Form::Limit || control.form == Form::Switch {
                        field
                            .set_checked(matches!(value, Value::Count(None) | Value::Choice("on")));
                    } else {
                        let place = control.place(value);
                        if field.value() != place {
                            field.set_value(&place);
                        }
                        set(&field, "aria-valuetext", Some(&control.spoken(value)));
                    }
                }
            }
        }
        if let Some(back) = part("-back") {
            mark(&back, "hidden", *value == control.usual);
        }
        let note = &notes[i];
        let invalid = note.invalid || !wrong.is_empty();
        let mut said = String::new();
        if wrong.is_empty() {
            said.put(&note.words);
        } else {
            html::paragraph(&mut said, &capital(&wrong));
        }
        if note.invalid && knob.more {
            unfold(live);
        }
        if let Some(place) = part("-note") {
            say(&place, &said);
            set(&place, "class", Some(if invalid { "note wrong" } else { "note" }));
        }
        let by = if said.is_empty() && note.invalid { &names[note.by] } else { name };
        let by = [&live.id(by), "-note"].concat();
        for field in [part(""), part("-text")].into_iter().flatten() {
            set(&field, "aria-describedby", Some(&by));
            mark_invalid(&field, invalid);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_stands_on_every_value_that_can_be_set_and_on_round_ones() {
        for (form, named, usual, now, all) in [
            (Form::Dur, "1s 5s 30s", "5s", "5s", "1s 2s 5s 10s 20s 30s"),
            (Form::Dur, "1s 5s", "30s", "7s", "1s 2s 5s 7s 30s"),
            (Form::Dur, "banana 1s", "1s", "1s", "1s"),
            (Form::Dur, "0s 60ms 300ms", "0s", "0s", "0s 60ms 100ms 200ms 300ms"),
            (Form::Limit, "unlimited 5", "5", "3", "3 5 unlimited"),
            (Form::Count, "10 2", "2", "2", "2 10"),
            (Form::Percent, "0 2 100", "1", "50", "0 1 2 50 100"),
            (Form::Durs, "none 5s 1s,2s", "none", "3s", "none 5s 1s,2s 3s"),
            (Form::Switch, "", "off", "on", "off on"),
            (
                Form::Choice(&["2.10", "2.11", "2.12"]),
                "2.10 2.12",
                "2.12",
                "2.11",
                "2.10 2.12 2.11",
            ),
        ] {
            let named: Vec<String> = named.split(' ').map(str::to_owned).collect();
            let [usual, now] = [usual, now].map(|text| Value::parse(form, text).unwrap());
            let texts: Vec<String> =
                places(form, &named, &[&usual, &now]).iter().map(Value::text).collect();
            assert_eq!(texts.join(" "), all, "{form:?} {named:?}");
        }
    }

    #[test]
    fn what_is_typed_is_read_once_it_is_there() {
        let knob = |setting: &str| Knob {
            name: "k".into(),
            label: String::new(),
            setting: setting.into(),
            positions: Vec::new(),
            more: false,
        };
        let five = Value::Count(Some(5));
        for (setting, now, text, read) in [
            ("consumer.ack_wait", &five, "1m30s", Ok("1m30s")),
            ("consumer.ack_wait", &five, " 500ms ", Ok("500ms")),
            (
                "consumer.ack_wait",
                &five,
                "5",
                Err("`5` is not a duration; write one such as 500ms, 30s or 1m30s"),
            ),
            ("consumer.ack_wait", &five, "25h", Err("25 h is too long; the most is 24 h")),
            ("consumer.max_deliver", &Value::Count(None), "", Ok("unlimited")),
            ("consumer.max_deliver", &Value::Count(None), "7", Ok("7")),
            ("consumer.max_deliver", &five, " ", Err("nothing is written here; the value stays 5")),
            ("worker.crash_chance", &five, "101", Err("101 is more than 100 per cent")),
        ] {
            let value = reading(&knob(setting), now, text).map(|value| value.text());
            assert_eq!(value.as_deref().map_err(String::as_str), read, "{setting} {text}");
        }
    }

    #[test]
    fn sentences_begin_large_and_settings_as_they_are() {
        for (text, said) in [
            ("work of 7 s outlasts it", "Work of 7 s outlasts it."),
            ("ack_wait of 5 s is not used", "ack_wait of 5 s is not used."),
            ("`5` is not a duration", "`5` is not a duration."),
            ("é", "é."),
            ("", "."),
        ] {
            assert_eq!(capital(text), said);
        }
    }
}
