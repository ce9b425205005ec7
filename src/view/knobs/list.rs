//! The editor of a backoff: entries to type, add, remove and put in order, by hand or by keyboard, and the picture of
//! the schedule, whose marks can be dragged.
//!
//! What stands in the fields counts: the setting follows as soon as all of them can be read.

use super::schedule::{Axis, Schedule, round};
use super::{Control, control, number, put, turn};
use crate::html;
use crate::live::Live;
use delivery_figure::lab::{Knob, MAX_LIST};
use delivery_sim::Dur;
use delivery_sim::setting::{Setting, Value};
use leptos::prelude::document;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, Event, HtmlElement, HtmlInputElement, KeyboardEvent, PointerEvent};

/// Appends the editor.
pub(super) fn write(
    out: &mut String,
    live: Live,
    id: &str,
    knob: &Knob,
    value: &Value,
    control: &Control,
) {
    put(out, &["<select data-part=\"preset\" id=\"", id, "\" aria-describedby=\"", id, "-note\">"]);
    // Shown when the list is none of the presets; nobody can choose it.
    out.push_str("<option value=\"\" hidden>own list</option>");
    for preset in &control.places {
        html::option(out, &preset.text(), &preset.words(), preset == value);
    }
    put(out, &["</select><div class=\"entries\"><ol id=\"", id, "-list\">"]);
    entries(out, id, control::label(knob), &texts_of(value));
    put(out, &["</ol><button type=\"button\" class=\"add\" data-part=\"add\" id=\"", id]);
    put(
        out,
        &["-add\">Add entry</button></div><div class=\"schedule\" data-part=\"picture\" id=\""],
    );
    let (picture, words) = picture(live, knob, value, None);
    put(out, &[id, "-picture\">", &picture, "</div><p class=\"hint\" aria-live=\"polite\" id=\""]);
    put(out, &[id, "-hint\">", &words, "</p>"]);
}

/// The entries of a list, as text.
fn texts_of(value: &Value) -> Vec<String> {
    match value {
        Value::Durs(list) => list.iter().map(|d| d.go()).collect(),
        _ => Vec::new(),
    }
}

fn entries(out: &mut String, id: &str, label: &str, texts: &[String]) {
    for (n, text) in texts.iter().enumerate() {
        let (place, nth) = (n.to_string(), (n + 1).to_string());
        put(
            out,
            &["<li data-n=\"", &place, "\"><button type=\"button\" class=\"grip\" data-part=\""],
        );
        put(out, &["move\" id=\"", id, "-grip-", &place, "\" aria-label=\"Move entry ", &nth]);
        put(
            out,
            &[", with the arrow keys\">⠿</button><input type=\"text\" class=\"typed\" size=\"5\""],
        );
        put(out, &[control::TYPED, " data-part=\"entry\" data-done id=\"", id, "-", &place]);
        out.push_str("\" aria-label=\"");
        html::escape(out, label);
        put(out, &[", entry ", &nth, "\" aria-describedby=\"", id, "-note\" value=\""]);
        html::escape(out, text);
        put(out, &["\"><button type=\"button\" class=\"remove\" data-part=\"remove\" id=\"", id]);
        put(
            out,
            &["-remove-", &place, "\" aria-label=\"Remove entry ", &nth, "\">×</button></li>"],
        );
    }
}

/// The picture of the schedule and its words, as HTML. A hand that drags keeps its `axis`.
fn picture(live: Live, knob: &Knob, value: &Value, axis: Option<Axis>) -> (String, String) {
    let scenario = live.scenario();
    let beside = |field| {
        Setting::parse(&knob.setting.replace("backoff", field))
            .ok()
            .and_then(|setting| setting.get(&scenario))
    };
    match value {
        Value::Durs(list) if !list.is_empty() => {
            let limit = match beside("max_deliver") {
                Some(Value::Count(limit)) => limit,
                _ => None,
            };
            let schedule = Schedule::new(list, limit);
            let axis = axis.unwrap_or_else(|| schedule.axis());
            (schedule.svg(&axis), schedule.words())
        }
        _ => {
            let wait = beside("ack_wait").map(|wait| wait.words()).unwrap_or_default();
            let words = ["none: every stopwatch is <code>ack_wait</code>, ", &wait, "."];
            (String::new(), words.concat())
        }
    }
}

/// The field of an entry, if there is one.
fn field(live: Live, id: &str, n: usize) -> Option<HtmlInputElement> {
    live.element(&[id, "-", &n.to_string()].concat())?.dyn_into().ok()
}

/// What stands in the fields.
fn texts(live: Live, id: &str) -> Vec<String> {
    (0..).map_while(|n| field(live, id, n)).map(|field| field.value()).collect()
}

/// Puts texts into the fields; there are as many fields as texts afterwards.
fn fill(live: Live, id: &str, knob: &Knob, texts: &[String]) {
    let count = texts.len();
    if field(live, id, count).is_some() || count > 0 && field(live, id, count - 1).is_none() {
        let Some(list) = live.element(&[id, "-list"].concat()) else { return };
        let mut out = String::new();
        entries(&mut out, &live.id(id), control::label(knob), texts);
        list.set_inner_html(&out);
    }
    for (n, text) in texts.iter().enumerate() {
        if let Some(field) = field(live, id, n)
            && field.value() != *text
        {
            field.set_value(text);
            let _ = field.set_attribute("data-done", "");
        }
    }
}

/// The value that texts mean.
fn read(knob: &Knob, texts: &[String]) -> Result<Value, String> {
    match texts.iter().any(|text| text.trim().is_empty()) {
        true => Err("an entry is empty; write a duration such as 5s, or remove it".into()),
        false => knob.read(&texts.join(",")),
    }
}

/// Brings the editor in step with the value. Says what is wrong with what a reader has finished typing.
pub(super) fn show(live: Live, id: &str, knob: &Knob, value: &Value, afresh: bool) -> String {
    let typed = read(knob, &texts(live, id));
    if afresh || typed.as_ref().is_ok_and(|typed| typed != value) {
        fill(live, id, knob, &texts_of(value));
    }
    super::choose(live, id, &value.text());
    let part = |name: &str| live.element(&[id, name].concat());
    if let (Some(frame), Some(hint)) = (part("-picture"), part("-hint")) {
        let (picture, words) = picture(live, knob, value, axis(&frame));
        frame.set_inner_html(&picture);
        super::say(&hint, &words);
    }
    let count = texts(live, id).len();
    if let Some(add) = part("-add") {
        let _ = add.toggle_attribute_with_force("disabled", count >= MAX_LIST);
    }
    let done = (0..count).all(|n| field(live, id, n).is_some_and(|f| f.has_attribute("data-done")));
    let mut wrong = String::new();
    for n in 0..count {
        let Some(field) = field(live, id, n) else { continue };
        let bad = done && !afresh && read(knob, &[field.value()]).is_err();
        let _ = field.set_attribute("aria-invalid", if bad { "true" } else { "false" });
    }
    if let (Err(why), true, false) = (typed, done, afresh) {
        wrong = why;
    }
    wrong
}

/// The axis that a dragging hand keeps.
fn axis(frame: &Element) -> Option<Axis> {
    let kept = frame.get_attribute("data-axis")?;
    let (from, to) = kept.split_once(',')?;
    Some(Axis { from: from.parse().ok()?, to: to.parse().ok()? })
}

fn focus(live: Live, id: &str, name: &str, n: usize) {
    let element = live.element(&[id, name, &n.to_string()].concat());
    let element = element.or_else(|| live.element(&[id, "-add"].concat()));
    if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        let _ = element.focus();
    }
}

/// Something was done to a part of the editor of knob `i`.
pub(super) fn act(live: Live, i: usize, id: &str, knob: &Knob, part: &Element, event: &Event) {
    let name = part.get_attribute("data-part").unwrap_or_default();
    let n = part.closest("[data-n]").ok().flatten().and_then(|item| number(&item, "data-n"));
    let mut texts = texts(live, id);
    let take = |texts: &[String]| {
        fill(live, id, knob, texts);
        turn(live, i, read(knob, texts).ok());
    };
    match (event.type_().as_str(), name.as_str(), n) {
        (kind @ ("input" | "change"), "entry", Some(n)) => {
            let Some(field) = field(live, id, n) else { return };
            let done = kind == "change";
            let _ = field.toggle_attribute_with_force("data-done", done);
            // A list that was pasted into one field gets a field for each entry.
            if done && texts[n].contains(',') {
                texts = texts.join(",").split(',').map(|text| text.trim().to_owned()).collect();
            }
            take(&texts);
        }
        ("click", "remove", Some(n)) if n < texts.len() => {
            texts.remove(n);
            take(&texts);
            focus(live, id, "-remove-", n.min(texts.len().saturating_sub(1)));
        }
        ("click", "add", _) if texts.len() < MAX_LIST => {
            let last = texts.last().and_then(|text| Dur::parse(text).ok());
            // Twice as long again is what most schedules do.
            let next = last.map_or(Dur::secs(1), |last| round(last.0.max(1).saturating_mul(2)));
            texts.push(next.min(delivery_figure::lab::MAX_DUR).go());
            take(&texts);
            focus(live, id, "-", texts.len() - 1);
        }
        ("keydown", "move", Some(n)) => {
            let Some(event) = event.dyn_ref::<KeyboardEvent>() else { return };
            let to = match event.key().as_str() {
                "ArrowLeft" | "ArrowUp" => n.checked_sub(1),
                "ArrowRight" | "ArrowDown" => Some(n + 1),
                _ => return,
            };
            event.prevent_default();
            if let Some(to) = to.filter(|to| *to < texts.len()) {
                texts.swap(n, to);
                take(&texts);
                focus(live, id, "-grip-", to);
            }
        }
        ("change", "preset", _) => {
            let preset = part.dyn_ref::<web_sys::HtmlSelectElement>().map(|s| s.value());
            if let Some(value) = preset.and_then(|preset| knob.read(&preset).ok()) {
                take(&texts_of(&value));
            }
        }
        _ => {
            if let Some(event) = event.dyn_ref::<PointerEvent>() {
                drag(live, id, part, event, &texts, &take);
            }
        }
    }
}

/// A finger or mouse moves an entry to another place, or the end of its stopwatch to another time.
fn drag(
    live: Live,
    id: &str,
    part: &Element,
    event: &PointerEvent,
    texts: &[String],
    take: &dyn Fn(&[String]),
) {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let grip = part.has_attribute("aria-label");
    match event.type_().as_str() {
        "pointerdown" => {
            let item = target.and_then(|target| target.closest("[data-n]").ok().flatten());
            let Some(n) = item.and_then(|item| number(&item, "data-n")) else { return };
            if event.button() != 0 {
                return;
            }
            // A grip keeps the focus that a press gives it.
            if !grip {
                event.prevent_default();
                if let Ok(Value::Durs(list)) =
                    Value::parse(delivery_sim::setting::Form::Durs, &texts.join(","))
                {
                    let axis = Schedule::new(&list, None).axis();
                    let kept = [axis.from.to_string(), axis.to.to_string()].join(",");
                    let _ = part.set_attribute("data-axis", &kept);
                }
            }
            let _ = part.set_pointer_capture(event.pointer_id());
            let _ = part.set_attribute("data-drag", &n.to_string());
        }
        "pointermove" => {
            let Some(n) = number(part, "data-drag").filter(|n| *n < texts.len()) else { return };
            let mut moved = texts.to_vec();
            if grip {
                let (x, y) = (event.client_x() as f32, event.client_y() as f32);
                let over = document().element_from_point(x, y);
                let item = over.and_then(|over| over.closest("li[data-n]").ok().flatten());
                let own = live.element(&[id, "-list"].concat());
                let Some(item) =
                    item.filter(|item| own.is_some_and(|own| own.contains(Some(item))))
                else {
                    return;
                };
                let Some(to) = number(&item, "data-n").filter(|to| *to != n && *to < moved.len())
                else {
                    return;
                };
                let text = moved.remove(n);
                moved.insert(to, text);
                let _ = part.set_attribute("data-drag", &to.to_string());
            } else {
                let Some(axis) = axis(part) else { return };
                let list: Vec<Dur> = texts.iter().filter_map(|t| Dur::parse(t).ok()).collect();
                if list.len() < texts.len() {
                    return;
                }
                let place = part.get_bounding_client_rect();
                let across = (f64::from(event.client_x()) - place.left()) / place.width().max(1.0);
                let time = axis.time((across * 10_000.0) as u64);
                let start = Schedule::new(&list, None).times[n];
                moved[n] = round(time.saturating_sub(start)).go();
            }
            take(&moved);
        }
        _ => {
            let _ = part.remove_attribute("data-drag");
            if part.remove_attribute("data-axis").is_ok() {
                take(texts);
            }
        }
    }
}
