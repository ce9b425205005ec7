//! Goals: what a reader may bring about with the knobs, ticked when a run shows it.

use crate::html;
use crate::live::Live;
use crate::run::Run;
use delivery_figure::condition::Facts;
use delivery_figure::lab::Lab;
use leptos::prelude::*;

/// The list of goals. It belongs to a live lab; on paper and without a program nothing could be ticked.
pub(super) fn goals(live: Live) -> impl IntoView {
    let mut out = String::new();
    let (slug, first) = (live.id(""), live.first());
    live.lab(|lab| list(&mut out, lab, &slug, first));
    let none = out.is_empty();
    view! { <div class="goals controls" hidden=none inner_html=out></div> }
}

fn list(out: &mut String, lab: &Lab, slug: &str, first: bool) {
    if lab.goals.is_empty() {
        return;
    }
    out.push_str("<h3>Make it happen</h3><ul>");
    for (i, goal) in lab.goals.iter().enumerate() {
        let (mut way, _) = lab.read_query(&goal.by.query(), true);
        way.t = goal.at;
        let query = lab.write_query(&way, first);
        for part in ["<li id=\"", slug, "goal-", &i.to_string(), "\"><b></b>"] {
            out.push_str(part);
        }
        html::prose(out, &goal.text);
        out.push_str(" <a class=\"result\" href=\"?");
        html::escape(out, &query);
        out.push('#');
        html::escape(out, &lab.slug);
        out.push_str("\" aria-label=\"One way to do it: ");
        html::escape(out, &said(&goal.text));
        out.push_str("\">One way</a></li>");
    }
    out.push_str("</ul><p class=\"unseen\" id=\"");
    out.push_str(slug);
    out.push_str("goal\" role=\"status\"></p>");
}

/// Words without the marks of code.
fn said(text: &str) -> String {
    text.split('`').collect()
}

/// Ticks the goals that the run on screen reaches, and says so once. What is ticked stays ticked.
pub(super) fn show(live: Live, run: &Run, facts: &Facts) {
    let reached = |i: &usize| live.lab(|lab| facts.holds(&lab.goals[*i].when, lab, &run.values));
    let mut news = String::new();
    for i in (0..live.lab(|lab| lab.goals.len())).filter(reached) {
        let Some(item) = live.element(&["goal-", &i.to_string()].concat()) else { continue };
        if item.class_list().contains("done") {
            continue;
        }
        let _ = item.class_list().add_1("done");
        if let Some(mark) = item.first_element_child() {
            mark.set_text_content(Some("Done: "));
        }
        news.push_str("Done: ");
        news.push_str(&live.lab(|lab| said(&lab.goals[i].text)));
        news.push(' ');
    }
    if !news.is_empty()
        && let Some(status) = live.element("goal")
    {
        status.set_text_content(Some(&news));
    }
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use crate::view::tests::{asking, lab, part};

    #[test]
    fn a_goal_says_what_to_do_and_shows_one_way() {
        for (first, query) in
            [(true, "?ack_wait=8s&amp;t=7.001s"), (false, "?crash.ack_wait=8s&amp;crash.t=7.001s")]
        {
            let html = crate::view::render(&asking(), first);
            let goals = part(&html, "<li id=\"crash-goal-0\">", "</li>");
            assert_eq!(
                goals,
                format!(
                    "<li id=\"crash-goal-0\"><b></b>Let no &lt;order&gt; <code>come</code> back. \
                     <a class=\"result\" href=\"{query}#crash\" \
                     aria-label=\"One way to do it: Let no &lt;order&gt; come back.\">One way</a>"
                )
            );
        }
        assert!(!crate::view::render(&lab(), true).contains("<h3>Make it happen"));
    }
}
