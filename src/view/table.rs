//! The table of events, the accessible twin of the picture: built only while it is open.

use crate::html;
use crate::live::Live;
use crate::run::Run;
use leptos::prelude::*;
use std::fmt::Write as _;
use web_sys::Element;

/// The events of the run, one a row; the time of each is a button that shows that moment.
pub(super) fn events(live: Live) -> impl IntoView {
    let label = live.lab(|lab| ["Every event: ", &lab.title].concat());
    view! {
        <details
            class="events controls"
            on:toggle=move |event| {
                let details: Element = event_target(&event);
                live.now.update(|now| now.table = details.has_attribute("open"));
            }
        >
            <summary>"Every event"</summary>
            <div
                class="rows"
                id=live.id("rows")
                role="region"
                tabindex="0"
                aria-label=label
            ></div>
        </details>
    }
}

/// Brings the table in step with the state: its rows unless they are `built`, and the mark at what is happening.
pub(crate) fn show(live: Live, run: &Run, open: bool, built: bool) {
    let Some(place) = live.element("rows") else { return };
    if !built {
        place.set_inner_html(&if open { html(run) } else { String::new() });
    }
    if open {
        mark(&place, live.row());
    }
}

fn html(run: &Run) -> String {
    let mut out = String::from(
        "<table><thead><tr><th scope=\"col\">Time</th><th scope=\"col\">Who</th><th scope=\"col\">What happens</th></tr></thead><tbody>",
    );
    for (i, row) in run.rows.rows().iter().enumerate() {
        let _ = write!(
            out,
            "<tr><td><button type=\"button\" data-row=\"{i}\">{}</button></td>",
            row.at
        );
        html::element(&mut out, "td", &row.who);
        out.push_str("<td>");
        html::sentence(&mut out, &row.what);
        out.push_str("</td></tr>");
    }
    out.push_str("</tbody></table>");
    out
}

/// Marks the row of what is happening now and brings it into the table's window.
fn mark(place: &Element, row: Option<usize>) {
    let find = |selector: &str| place.query_selector(selector).ok().flatten();
    if let Some(before) = find("[aria-current]") {
        let _ = before.remove_attribute("aria-current");
    }
    let Some(now) =
        row.and_then(|row| find(&["tr:has([data-row=\"", &row.to_string(), "\"])"].concat()))
    else {
        return;
    };
    let _ = now.set_attribute("aria-current", "true");
    let (window, place_of) = (place.get_bounding_client_rect(), now.get_bounding_client_rect());
    if place_of.top() < window.top() || place_of.bottom() > window.bottom() {
        let middle = place_of.top() - window.top() - window.height() / 2.0;
        place.set_scroll_top(place.scroll_top() + middle as i32);
    }
}
