//! The HTML of one control, which only the press writes.

use super::list::{TYPED, label};
use super::{Control, list, put, text};
use crate::html;
use crate::live::Live;
use delivery_figure::lab::Knob;
use delivery_figure::put::Put as _;
use delivery_sim::setting::{Form, Value};

/// Appends the control of one knob at a value. `id` is its own on the page.
pub(super) fn write(
    out: &mut String,
    live: Live,
    id: &str,
    i: usize,
    knob: &Knob,
    value: &Value,
    control: &Control,
) {
    let mut name = String::new();
    html::escape(&mut name, label(knob));
    let kind = match control.form {
        Form::Dur | Form::Count | Form::Percent => "scale",
        Form::Limit => "limit",
        Form::Durs => "durs",
        Form::Choice(_) | Form::Switch => "pick",
    };
    put(out, &["<div class=\"knob ", kind, "\" data-knob=\"", &i.to_string(), "\" id=\"", id]);
    let text_id = if control.form == Form::Limit { "-text" } else { "" };
    put(out, &["-box\"><label for=\"", id, text_id, "\" id=\"", id, "-label\">"]);
    if knob.label.is_empty() {
        put(out, &["<code>", &name, "</code>"]);
    } else {
        out.put(&name);
    }
    let usual = control.usual.words();
    put(out, &["</label><button class=\"back\" type=\"button\" data-part=\"b\" id=\"", id]);
    put(
        out,
        &["-back\" hidden aria-label=\"Reset ", &name, " to ", &usual, "\" title=\"Reset to "],
    );
    put(out, &[&usual, "\">↺</button>"]);
    let described = ["\" aria-describedby=\"", id, "-note\""].concat();
    if matches!(control.form, Form::Dur | Form::Count | Form::Percent | Form::Limit) {
        let typed = if control.form == Form::Dur {
            "type=\"text\""
        } else {
            "type=\"number\" min=\"0\" inputmode=\"numeric\" placeholder=\"∞\""
        };
        put(out, &["<input class=\"typed\" size=\"6\" ", typed, TYPED, " data-part=\"t\" id=\""]);
        put(out, &[id, "-text\" value=\"", &text(value), "\" aria-labelledby=\"", id, "-label"]);
        put(out, &[&described, ">"]);
        if control.form == Form::Percent {
            out.put("<span class=\"unit\">%</span>");
        }
    }
    match control.form {
        Form::Limit => {
            put(
                out,
                &["<label class=\"toggle\"><input type=\"checkbox\" role=\"switch\" id=\"", id],
            );
            put(out, &["\" data-part=\"l\" aria-labelledby=\"", id, "-label ", id, "-none\""]);
            out.put(if *value == Value::Count(None) { " checked" } else { "" });
            put(out, &["><span id=\"", id, "-none\">no limit</span></label>"]);
        }
        Form::Durs => list::write(out, live, id, i, knob, value, control),
        Form::Switch => {
            put(out, &["<input type=\"checkbox\" role=\"switch\" data-part=\"s\" id=\"", id]);
            put(out, &[&described, if value.text() == "on" { " checked>" } else { ">" }]);
        }
        Form::Choice(_) => {
            put(out, &["<select data-part=\"p\" id=\"", id, &described, ">"]);
            for word in control.form.words() {
                html::option(out, word, word, *value == Value::Choice(word));
            }
            out.put("</select>");
        }
        _ => {
            put(out, &["<input type=\"range\" data-part=\"r\" id=\"", id, "\" min=\"0\" max=\""]);
            put(out, &[&control.places.len().saturating_sub(1).to_string(), "\" value=\""]);
            put(out, &[&control.place(value), "\" aria-valuetext=\"", &control.spoken(value)]);
            put(out, &[&described, ">"]);
        }
    }
    put(out, &["<div class=\"note\" role=\"status\" id=\"", id, "-note\"></div></div>"]);
}
