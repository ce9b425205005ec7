//! The readings: what the command line prints at this moment, each counter with what makes it so.

use crate::html;
use crate::live::Live;
use crate::run::Run;
use delivery_figure::put::Put as _;
use delivery_sim::Time;
use leptos::prelude::GetUntracked as _;
use web_sys::Element;

/// Brings the readings in step with the moment. Between two events nothing in them changes.
pub(super) fn show(live: Live, run: &Run, place: &Element, built: bool) {
    let t = live.now.get_untracked().t;
    let happened = run.trace.happened(t).to_string();
    if !built || place.get_attribute("data-happened").as_ref() != Some(&happened) {
        place.set_inner_html(&html(run, t));
        let _ = place.set_attribute("data-happened", &happened);
    }
}

fn html(run: &Run, t: Time) -> String {
    let mut out = String::new();
    for panel in run.rows.readings(t) {
        out.put("<section>");
        html::element(&mut out, "h3", &panel.command);
        if !panel.nothing.is_empty() {
            html::element(&mut out, "p", panel.nothing);
        }
        out.put("<dl>");
        for line in &panel.lines {
            out.put("<div>");
            html::element(&mut out, "dt", line.name);
            html::element(&mut out, "dd class=\"value\"", &line.value);
            html::element(&mut out, "dd", &line.why);
            out.put("</div>");
        }
        out.put("</dl></section>");
    }
    out
}
