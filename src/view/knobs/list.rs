//! The editor of a backoff: entries to type, add, remove and put in order, by hand or by keyboard, and the picture of
//! the schedule, whose marks can be dragged.
//!
//! What stands in the fields counts: the setting follows as soon as all of them can be read.

#[cfg(feature = "ssr")]
use super::Control;
use super::schedule::{Axis, Schedule, round};
use super::{Deed, attribute, closest, element, field, mark, mark_invalid, number, put, set, turn};
use crate::html;
use crate::live::Live;
use delivery_figure::lab::{Knob, MAX_LIST};
use delivery_figure::put::Put as _;
use delivery_sim::Dur;
use delivery_sim::setting::{Form, Value};
use leptos::prelude::document;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, Event, HtmlElement, HtmlInputElement, KeyboardEvent, PointerEvent};

/// Attributes of a field in which settings are typed.
pub(super) const TYPED: &str = " autocomplete=\"off\" autocapitalize=\"off\" spellcheck=\"false\"";

/// What a knob is called in plain text.
pub(super) fn label(knob: &Knob) -> &str {
    if knob.label.is_empty() { &knob.name } else { &knob.label }
}

/// Appends the editor.
#[cfg(feature = "ssr")]
pub(super) fn write(
    out: &mut String,
    live: Live,
    id: &str,
    i: usize,
    knob: &Knob,
    value: &Value,
    control: &Control,
) {
    put(out, &["<select data-part=\"p\" id=\"", id, "\" aria-describedby=\"", id, "-note\">"]);
    // Shown when the list is none of the presets; nobody can choose it.
    out.put("<option value=\"\" hidden>own list</option>");
    for preset in &control.places {
        html::option(out, &preset.text(), &preset.words(), preset == value);
    }
    put(out, &["</select><div class=\"entries\"><ol id=\"", id, "-list\">"]);
    entries(out, id, label(knob), &texts_of(value));
    put(out, &["</ol><button type=\"button\" class=\"add\" data-part=\"a\" id=\"", id]);
    put(out, &["-add\">Add entry</button></div><div class=\"schedule\" data-part=\"g\" id=\""]);
    let (picture, words) = picture(live, i, value, None);
    put(out, &[id, "-picture\">", &picture, "</div><p class=\"hint\" aria-live=\"polite\" id=\""]);
    put(out, &[id, "-hint\">", &words, "</p>"]);
}

/// The entries of a list, as text.
pub(super) fn texts_of(value: &Value) -> Vec<String> {
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
        put(out, &["m\" id=\"", id, "-grip-", &place, "\" aria-label=\"Move entry ", &nth]);
        put(
            out,
            &[", with the arrow keys\">⠿</button><input type=\"text\" class=\"typed\" size=\"5\""],
        );
        put(out, &[TYPED, " data-part=\"e\" data-done id=\"", id, "-", &place]);
        out.put("\" aria-label=\"");
        html::escape(out, label);
        put(out, &[", entry ", &nth, "\" aria-describedby=\"", id, "-note\" value=\""]);
        html::escape(out, text);
        put(out, &["\"><button type=\"button\" class=\"remove\" data-part=\"x\" id=\"", id]);
        put(
            out,
            &["-remove-", &place, "\" aria-label=\"Remove entry ", &nth, "\">×</button></li>"],
        );
    }
}

/// The picture of the schedule of knob `i` and its words, as HTML. A hand that drags keeps its `axis`.
fn picture(live: Live, i: usize, value: &Value, axis: Option<Axis>) -> (String, String) {
    let mut own = String::new();
    live.each_knob(&mut |j, knob, _, _| {
        if i == j {
            own = knob.setting.strip_suffix("backoff").unwrap_or_default().into();
        }
    });
    // The lab's knobs for the same consumer; every lab has them.
    let (mut limit, mut wait) = (None, Dur::ZERO);
    live.each_knob(&mut |_, knob, value, _| match (knob.setting.strip_prefix(&own), value) {
        (Some("max_deliver"), Value::Count(most)) => limit = *most,
        (Some("ack_wait"), Value::Dur(given)) => wait = *given,
        _ => {}
    });
    match value {
        Value::Durs(list) if !list.is_empty() => {
            let schedule = Schedule::new(list, limit);
            let axis = axis.unwrap_or_else(|| schedule.axis());
            (schedule.svg(&axis), schedule.words() + &Schedule::survives(list, limit))
        }
        _ => {
            let mut words = String::from("none: every stopwatch is <code>ack_wait</code>, ");
            put(&mut words, &[&wait.to_string(), ".", &Schedule::survives(&[wait], limit)]);
            (String::new(), words)
        }
    }
}

/// The field of an entry, if there is one.
fn entry(live: Live, id: &str, n: usize) -> Option<HtmlInputElement> {
    field(live, id, &["-", &n.to_string()].concat())
}

/// What stands in the fields.
fn texts(live: Live, id: &str) -> Vec<String> {
    (0..).map_while(|n| entry(live, id, n)).map(|field| field.value()).collect()
}

/// Puts texts into the fields; there are as many fields as texts afterwards.
pub(super) fn fill(live: Live, i: usize, id: &str, texts: &[String]) {
    let count = texts.len();
    if entry(live, id, count).is_some() || count > 0 && entry(live, id, count - 1).is_none() {
        let Some(list) = element(live, id, "-list") else { return };
        let mut out = String::new();
        live.each_knob(&mut |j, knob, _, _| {
            if i == j {
                entries(&mut out, &live.id(id), label(knob), texts);
            }
        });
        list.set_inner_html(&out);
    }
    for (n, text) in texts.iter().enumerate() {
        if let Some(field) = entry(live, id, n)
            && field.value() != *text
        {
            field.set_value(text);
            mark(&field, "data-done", true);
        }
    }
}

/// The value that texts mean.
fn read(live: Live, i: usize, texts: &[String]) -> Result<Value, String> {
    let mut value = Err("an entry is empty; write a duration such as 5s, or remove it".into());
    if !texts.iter().any(|text| text.trim().is_empty()) {
        live.each_knob(&mut |j, knob, _, _| {
            if i == j {
                value = knob.read(&texts.join(","));
            }
        });
    }
    value
}

/// Brings the editor in step with the value. Says what is wrong with what a reader has finished typing.
pub(super) fn show(live: Live, i: usize, id: &str, value: &Value, afresh: bool) -> String {
    let typed = read(live, i, &texts(live, id));
    if afresh || typed.as_ref().is_ok_and(|typed| typed != value) {
        fill(live, i, id, &texts_of(value));
    }
    super::choose(live, id, &value.text());
    let part = |name: &str| element(live, id, name);
    if let (Some(frame), Some(hint)) = (part("-picture"), part("-hint")) {
        let (picture, words) = picture(live, i, value, axis(&frame));
        super::say(&frame, &picture);
        super::say(&hint, &words);
    }
    let count = texts(live, id).len();
    if let Some(add) = part("-add") {
        mark(&add, "disabled", count >= MAX_LIST);
    }
    let done = (0..count).all(|n| entry(live, id, n).is_some_and(|f| f.has_attribute("data-done")));
    let mut wrong = String::new();
    for n in 0..count {
        let Some(field) = entry(live, id, n) else { continue };
        let bad = done && !afresh && read(live, i, &[field.value()]).is_err();
        mark_invalid(&field, bad);
    }
    if let (Err(why), true, false) = (typed, done, afresh) {
        wrong = why;
    }
    wrong
}

/// The axis that a dragging hand keeps.
fn axis(frame: &Element) -> Option<Axis> {
    let kept = attribute(frame, "data-axis");
    let (from, to) = kept.split_once(',')?;
    Some(Axis { from: from.parse().ok()?, to: to.parse().ok()? })
}

/// Puts the focus on a part of a control; should that not be there, on the button that adds an entry.
pub(super) fn focus(live: Live, id: &str, name: &str) {
    let part = element(live, id, name).or_else(|| element(live, id, "-add"));
    if let Some(element) = part.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        let _ = element.focus();
    }
}

/// Something was done to a part of the editor of knob `i`.
pub(super) fn act(
    live: Live,
    i: usize,
    id: &str,
    part: &Element,
    name: u8,
    deed: Deed,
    event: &Event,
) {
    let n = closest(part, "[data-n]").and_then(|item| number(&item, "data-n"));
    let mut texts = texts(live, id);
    let take = |texts: &[String]| {
        fill(live, i, id, texts);
        turn(live, i, read(live, i, texts).ok());
    };
    match (deed, name, n) {
        (Deed::Typed | Deed::Done, b'e', Some(n)) => {
            let Some(field) = entry(live, id, n) else { return };
            let done = deed == Deed::Done;
            mark(&field, "data-done", done);
            // A list that was pasted into one field gets a field for each entry.
            if done && texts[n].contains(',') {
                texts = texts.join(",").split(',').map(|text| text.trim().to_owned()).collect();
            }
            take(&texts);
        }
        (Deed::Click, b'x', Some(n)) if n < texts.len() => {
            texts.remove(n);
            take(&texts);
            focus(
                live,
                id,
                &["-remove-", &(n.min(texts.len().saturating_sub(1))).to_string()].concat(),
            );
        }
        (Deed::Click, b'a', _) if texts.len() < MAX_LIST => {
            let last = texts.last().and_then(|text| Dur::parse(text).ok());
            // Twice as long again is what most schedules do.
            let next = last.map_or(Dur::secs(1), |last| round(last.0.max(1).saturating_mul(2)));
            texts.push(next.min(delivery_figure::lab::MAX_DUR).go());
            take(&texts);
            focus(live, id, &["-", &(texts.len() - 1).to_string()].concat());
        }
        (Deed::Key, b'm', Some(n)) => {
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
                focus(live, id, &["-grip-", &(to).to_string()].concat());
            }
        }
        (Deed::Down | Deed::Move | Deed::Up, b'm' | b'g', _) => {
            if let Some(event) = event.dyn_ref::<PointerEvent>() {
                drag(live, id, part, deed, event, &texts, &take);
            }
        }
        _ => {}
    }
}

/// A finger or mouse moves an entry to another place, or the end of its stopwatch to another time.
fn drag(
    live: Live,
    id: &str,
    part: &Element,
    deed: Deed,
    event: &PointerEvent,
    texts: &[String],
    take: &dyn Fn(&[String]),
) {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let grip = part.has_attribute("aria-label");
    match deed {
        Deed::Down => {
            let item = target.and_then(|target| closest(&target, "[data-n]"));
            let Some(n) = item.and_then(|item| number(&item, "data-n")) else { return };
            if event.button() != 0 {
                return;
            }
            // A grip keeps the focus that a press gives it.
            if !grip {
                event.prevent_default();
                if let Ok(Value::Durs(list)) = Value::parse(Form::Durs, &texts.join(",")) {
                    let axis = Schedule::new(&list, None).axis();
                    let kept = [axis.from.to_string(), axis.to.to_string()].join(",");
                    set(part, "data-axis", Some(&kept));
                }
            }
            let _ = part.set_pointer_capture(event.pointer_id());
            set(part, "data-drag", Some(&n.to_string()));
        }
        Deed::Move => {
            let Some(n) = number(part, "data-drag").filter(|n| *n < texts.len()) else { return };
            let mut moved = texts.to_vec();
            if grip {
                let (x, y) = (event.client_x() as f32, event.client_y() as f32);
                let over = document().element_from_point(x, y);
                let item = over.and_then(|over| closest(&over, "li[data-n]"));
                let own = element(live, id, "-list");
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
                set(part, "data-drag", Some(&to.to_string()));
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
            set(part, "data-drag", None);
            // The axis may fit the list again.
            if part.has_attribute("data-axis") {
                set(part, "data-axis", None);
                take(texts);
            }
        }
    }
}
