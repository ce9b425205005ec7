//! The table of events, the accessible twin of the picture: filtered, copied, and of a long run only what is around the moment.

use super::{find, parts, write};
use crate::html;
use crate::live::Live;
use crate::run::Run;
use delivery_figure::export::{self, FORMS};
use delivery_figure::kinds::KINDS;
use delivery_figure::put::Put as _;
use delivery_figure::words::Row;
use js_sys::Reflect;
use web_sys::Element;

/// More rows than this are not built at once.
const MOST: usize = 200;
/// Rows that are added when more are asked for.
const MORE: usize = 200;

/// Brings the table in step with the state: all of it unless it is `built`, and the mark at what is happening.
pub(super) fn show(live: Live, run: &Run, place: &Element, built: bool) {
    let row = live.row_now();
    if !built {
        let chosen = Filter::of(place);
        place.set_inner_html(&frame(live, run, &chosen));
        fill(live, run, place, None);
    } else if row.is_some_and(|row| row < live.built().0 || row > live.built().1) {
        fill(live, run, place, None);
    }
    mark(place, row);
}

/// What the reader wants to see; the controls themselves keep it.
#[derive(Default)]
struct Filter {
    message: String,
    who: String,
    kind: String,
}

impl Filter {
    fn of(place: &Element) -> Self {
        let value = |name: &str| {
            let control = find(place, &["[name=", name, "]"].concat());
            let value = control.and_then(|control| Reflect::get(&control, &"value".into()).ok());
            value.and_then(|value| value.as_string()).unwrap_or_default()
        };
        Self { message: value("message"), who: value("who"), kind: value("kind") }
    }

    /// The places of the rows that fit.
    fn rows(&self, run: &Run) -> Vec<usize> {
        run.rows.filter(self.message.trim(), &self.who, &self.kind)
    }
}

/// All but the rows: what they can be filtered by and copied as.
fn frame(live: Live, run: &Run, chosen: &Filter) -> String {
    let list = live.id("labels");
    let mut out = String::from(
        "<div class=\"filters\"><label>Message <input type=\"search\" name=\"message\" placeholder=\"all\" autocomplete=\"off\" list=\"",
    );
    html::escape(&mut out, &list);
    out.put("\" value=\"");
    html::escape(&mut out, &chosen.message);
    out.put("\"></label><datalist id=\"");
    html::escape(&mut out, &list);
    out.put("\">");
    // Of many, those that come to mind by their pattern need not be listed.
    for label in run.rows.labels(MORE) {
        html::option(&mut out, &label, "", false);
    }
    out.put("</datalist>");
    select(&mut out, "Who", "who", &run.rows.lanes(), &chosen.who);
    select(&mut out, "Kind", "kind", &KINDS.map(|kind| kind.name), &chosen.kind);
    // The script that copies the figure copies these, too.
    out.put("<span class=\"fit\" role=\"status\"></span></div><div class=\"copy\" role=\"group\" aria-label=\"These events\">");
    for (i, form) in FORMS.iter().enumerate() {
        out.put("<button type=\"button\" data-copy=\"text\" data-form=\"");
        out.put(&i.to_string());
        out.put(if i == 0 { "\">Copy as " } else { "\" aria-label=\"Copy as " });
        out.put(form);
        if i > 0 {
            out.put("\">as ");
            out.put(form);
        }
        out.put("</button>");
    }
    out.put("<span role=\"status\"></span><textarea aria-label=\"Text to copy\" rows=\"6\" readonly hidden></textarea></div><div class=\"rows\" role=\"region\" tabindex=\"0\" aria-label=\"");
    html::escape(&mut out, &live.lab(|lab| ["Every event: ", &lab.title].concat()));
    out.put("\"></div>");
    out
}

fn select(out: &mut String, label: &str, name: &str, items: &[&str], chosen: &str) {
    out.put("<label>");
    out.put(label);
    out.put(" <select name=\"");
    out.put(name);
    out.put("\">");
    html::option(out, "", "all", false);
    for item in items {
        html::option(out, item, item, *item == chosen);
    }
    out.put("</select></label>");
}

/// Builds the rows that fit: those in `window`, by their places among them, else those around the moment.
fn fill(live: Live, run: &Run, place: &Element, window: Option<(usize, usize)>) {
    let Some(table) = find(place, ".rows") else { return };
    let rows = Filter::of(place).rows(run);
    let (from, to) = window.unwrap_or_else(|| {
        let here = live.row_now().map_or(0, |row| rows.partition_point(|&other| other < row));
        let from = here.saturating_sub(MOST / 2).min(rows.len().saturating_sub(MOST));
        (from, from + MOST)
    });
    let to = to.min(rows.len());
    let before = from.checked_sub(1).map(|place| rows[place]);
    live.set_built((
        before.map_or(0, |row| row + 1),
        rows.get(to).map_or(usize::MAX, |row| row - 1),
    ));
    let mut out = String::from(
        "<table><thead><tr><th scope=\"col\">Time</th><th scope=\"col\">Who</th><th scope=\"col\">What happens</th></tr></thead><tbody>",
    );
    more_row(&mut out, "earlier", from);
    for &i in &rows[from..to] {
        let Some(row) = run.rows.get(i) else { continue };
        out.put("<tr><td><button type=\"button\" tabindex=\"-1\" data-row=\"");
        out.put(&i.to_string());
        out.put("\">");
        html::escape(&mut out, &row.at.to_string());
        out.put("</button></td>");
        html::element(&mut out, "td", &row.who);
        out.put("<td>");
        html::sentence(&mut out, &row.what);
        out.put("</td></tr>");
    }
    more_row(&mut out, "later", rows.len() - to);
    out.put("</tbody></table>");
    if rows.is_empty() {
        out.put("<p>No event of this run fits.</p>");
    }
    table.set_inner_html(&out);
    let (fit, all) = (rows.len().to_string(), run.rows.len().to_string());
    write(
        place,
        ".fit",
        &if fit == all { all + " events" } else { [&fit, " of ", &all, " events"].concat() },
    );
}

/// A row that brings more rows, where there are some.
fn more_row(out: &mut String, which: &str, left: usize) {
    if left > 0 {
        out.put("<tr><td colspan=\"3\"><button type=\"button\" data-more=\"");
        out.put(which);
        out.put("\">Show ");
        out.put(&left.min(MORE).to_string());
        out.put(" of ");
        out.put(&left.to_string());
        out.push(' ');
        out.put(which);
        out.put(" events</button></td></tr>");
    }
}

/// Builds the rows anew by what the controls say now.
pub(super) fn filter(live: Live) {
    let Some(place) = live.element("events") else { return };
    fill(live, &live.run_now(), &place, None);
    mark(&place, live.row_now());
}

/// Builds more rows, before or after those that are there, and gives the first new one the focus.
pub(super) fn more(live: Live, later: bool) {
    let Some(place) = live.element("events") else { return };
    let (run, (first, last)) = (live.run_now(), live.built());
    let rows = Filter::of(&place).rows(&run);
    let from = rows.partition_point(|&row| row < first);
    let to = rows.partition_point(|&row| row <= last);
    let (window, new) = if later {
        ((from, to + MORE), rows.get(to))
    } else {
        ((from.saturating_sub(MORE), to), rows.get(from.wrapping_sub(1)))
    };
    fill(live, &run, &place, Some(window));
    mark(&place, live.row_now());
    if let Some(button) = new.and_then(|row| button(&place, *row)) {
        parts::focus(&button);
    }
}

/// Puts all rows that fit where the script that copies finds them: it hears of the press after this.
pub(super) fn copy(live: Live, form: usize) {
    let Some(place) = live.element("events") else { return };
    let run = live.run_now();
    let rows = Filter::of(&place).rows(&run).into_iter().filter_map(|row| run.rows.get(row));
    let rows: Vec<Row> = rows.collect();
    let done = [&rows.len().to_string(), " events copied."].concat();
    if let Some(copy) = find(&place, ".copy") {
        let _ = copy.set_attribute("data-text", &export::write(&rows, form));
        let _ = copy.set_attribute("data-done", &done);
    }
}

fn button(place: &Element, row: usize) -> Option<Element> {
    find(place, &["[data-row=\"", &row.to_string(), "\"]"].concat())
}

/// Marks the row of what is happening now, which is the one that Tab leads to, and brings it into the table's window.
fn mark(place: &Element, row: Option<usize>) {
    for before in ["[aria-current]", "[data-row][tabindex=\"0\"]"] {
        if let Some(before) = find(place, before) {
            let _ = before.remove_attribute("aria-current");
            if before.has_attribute("tabindex") {
                let _ = before.set_attribute("tabindex", "-1");
            }
        }
    }
    let button = row.and_then(|row| button(place, row));
    let now = button.as_ref().and_then(|button| button.closest("tr").ok().flatten());
    if let Some(button) = button.or_else(|| find(place, "[data-row]")) {
        let _ = button.set_attribute("tabindex", "0");
    }
    let (Some(now), Some(table)) = (now, find(place, ".rows")) else { return };
    let _ = now.set_attribute("aria-current", "true");
    let (window, place_of) = (table.get_bounding_client_rect(), now.get_bounding_client_rect());
    if place_of.top() < window.top() || place_of.bottom() > window.bottom() {
        let middle = place_of.top() - window.top() - window.height() / 2.0;
        table.set_scroll_top(table.scroll_top() + middle as i32);
    }
}
