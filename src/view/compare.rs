//! Two runs on one time axis: a run that was pinned, or the other system of the lab, above the run of the settings.

use super::say;
use crate::html;
use crate::live::{ALIVE, Live, Now};
use crate::run::Run;
use delivery_figure::compare::{Difference, differences};
use delivery_figure::put::Put as _;
use delivery_figure::scene::Layout;
use delivery_figure::svg::notches;
use delivery_sim::Time;
use delivery_sim::setting::Value;
#[cfg(feature = "ssr")]
use leptos::prelude::*;

/// Differences that are told one by one; further ones are counted.
const TOLD: usize = 12;

/// The button that pins the run and lets it go, and what differs.
#[cfg(feature = "ssr")]
pub(super) fn compare(live: Live) -> impl IntoView {
    view! {
        <div class="compare controls">
            <button type="button" id=live.id("pin") data-pin disabled>
                "Pin this run"
            </button>
            <div id=live.id("differs") aria-live="polite"></div>
        </div>
    }
}

/// Lets the button say what it does.
pub(crate) fn show(live: Live, pinned: bool) {
    if let Some(button) = live.element("pin") {
        let word = if pinned { "Let the pinned run go" } else { "Pin this run" };
        button.set_text_content(Some(word));
    }
}

/// The picture above and its name, and the name of the run on screen beside it; empty if there is only one run.
pub(super) fn other(live: Live, now: Now, t: Time) -> (String, String) {
    let Some(other) = live.other() else { return Default::default() };
    let id = live.id("other");
    let (mut above, mut own) = (String::from("<p class=\"which\">"), String::new());
    let title = if let Some(pinned) = live.pinned() {
        above.put("Pinned: ");
        settings(live, &pinned, &mut above);
        own.put("Now: ");
        settings(live, &live.run_now().values, &mut own);
        "The pinned run"
    } else {
        live.lab(|lab| {
            if let Some(beside) = &lab.beside {
                html::escape(&mut above, &beside.title);
                html::escape(&mut own, &beside.own_title);
            }
        });
        "The other system"
    };
    above.put("</p><div class=\"view\" id=\"");
    above.put(&id);
    above.put("-view\">");
    let mut svg = |layout| {
        above.put(&other.picture(&id, title, &other.scene(layout, now.window), t));
    };
    if ALIVE {
        svg(now.layout);
    } else {
        svg(Layout::Wide);
        svg(Layout::Tall);
    }
    above.put("</div>");
    (above, own)
}

/// The settings that are not those with which the lab opens.
fn settings(live: Live, values: &[Value], out: &mut String) {
    let before = out.len();
    live.lab(|lab| {
        let usual = lab.default_position().values;
        for ((knob, value), usual) in lab.knobs.iter().zip(values).zip(&usual) {
            if value != usual {
                if out.len() > before {
                    out.put(", ");
                }
                if knob.label.is_empty() {
                    html::element(out, "code", &knob.name);
                } else {
                    html::escape(out, &knob.label);
                }
                out.push(' ');
                html::escape(out, &value.words());
            }
        }
    });
    if out.len() == before {
        out.put("the settings that this figure opens with");
    }
}

/// Draws the picture above afresh, and marks and tells what differs from a pinned run.
pub(crate) fn draw(live: Live, now: Now, t: Time) {
    let (Some(above), Some(which), Some(told)) =
        (live.element("other"), live.element("which"), live.element("differs"))
    else {
        return;
    };
    let (html, own) = other(live, now, t);
    say(&above, &html);
    say(&which, &own);
    let run = live.run_now();
    let pinned = live.pinned().and_then(|_| live.other());
    let Some(pinned) = pinned else { return say(&told, "") };
    let all = differences(&pinned.trace, &run.trace);
    let mark = |name: &str, run: &Run, moment: fn(&Difference) -> Option<Time>| {
        let scene = run.scene(now.layout, now.window);
        let path = notches(&scene, &mut all.iter().filter_map(moment));
        if let Some(view) = live.element(name)
            && let Ok(Some(svg)) = view.query_selector("svg")
        {
            let _ = svg.insert_adjacent_html("beforeend", &path);
        }
    };
    mark("other-view", &pinned, |difference| difference.before);
    mark("view", &run, |difference| difference.after);
    let mut out = String::new();
    if all.is_empty() {
        let same = live.pinned().as_ref() == Some(&run.values);
        html::paragraph(
            &mut out,
            if same {
                "Both runs are the same. Change a setting."
            } else {
                "Other settings, and the same comes of them: nothing happens to a message at another moment."
            },
        );
    } else {
        table(&mut out, &all);
    }
    told.set_inner_html(&out);
}

fn table(out: &mut String, all: &[Difference]) {
    out.put("<table><thead><tr><th scope=\"col\">What differs</th><th scope=\"col\">Pinned</th><th scope=\"col\">Now</th></tr></thead><tbody>");
    for difference in all.iter().take(TOLD) {
        out.put("<tr>");
        html::element(out, "td", &difference.what);
        for at in [difference.before, difference.after] {
            html::element(out, "td", &at.map_or("–".into(), |at| at.to_string()));
        }
        out.put("</tr>");
    }
    out.put("</tbody></table>");
    if all.len() > TOLD {
        html::paragraph(out, &["And ", &(all.len() - TOLD).to_string(), " more."].concat());
    }
}
