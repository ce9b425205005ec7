//! Goals: what a reader may bring about with the knobs, ticked when a run shows it.

use crate::html;
use crate::live::Live;
use crate::run::Run;
use delivery_figure::condition::Facts;
#[cfg(feature = "ssr")]
use delivery_figure::lab::Lab;
use delivery_figure::put::Put as _;
#[cfg(feature = "ssr")]
use leptos::prelude::*;

/// The list of goals. Without a program nothing could be ticked, so it is a control.
#[cfg(feature = "ssr")]
pub(super) fn goals(live: Live) -> impl IntoView {
    let out = live.lab(|lab| list(lab, live.first()));
    view! { <div class="goals controls" id=live.id("goals") inner_html=out></div> }
}

#[cfg(feature = "ssr")]
fn list(lab: &Lab, first: bool) -> String {
    let mut out = String::new();
    if lab.goals.is_empty() {
        return out;
    }
    out.put("<h3>Make it happen</h3><ul>");
    for (i, goal) in lab.goals.iter().enumerate() {
        let (mut way, _) = lab.read_query(&goal.by.query(), true);
        way.t = goal.at;
        let (mut text, mut href) = (String::new(), String::new());
        html::prose(&mut text, &goal.text);
        html::escape(&mut href, &["?", &lab.write_query(&way, first), "#", &lab.slug].concat());
        let plain = text.replace("<code>", "").replace("</code>", "");
        out.put(&format!(
            "<li id=\"{}-goal-{i}\"><b>Done: </b><span>{text}</span> \
             <a class=\"result\" href=\"{href}\" aria-label=\"One way to do it: {plain}\">One way</a></li>",
            lab.slug
        ));
    }
    out.put(&format!("</ul><p class=\"unseen\" id=\"{}-news\" role=\"status\"></p>", lab.slug));
    out
}

/// Ticks the goals that the run on screen reaches, and says so once. What is ticked stays ticked.
pub(super) fn show(live: Live, run: &Run, facts: &Facts<'_>) {
    let mut news = String::new();
    live.lab(|lab| {
        for (i, goal) in lab.goals.iter().enumerate() {
            if facts.holds(&goal.when, lab, &run.values)
                && let Some(item) = live.element(&["goal-", &i.to_string()].concat())
                && item.class_name().is_empty()
            {
                item.set_class_name("done");
                news.put("Done: ");
                html::prose(&mut news, &goal.text);
                news.push(' ');
            }
        }
    });
    if let (false, Some(place)) = (news.is_empty(), live.element("news")) {
        place.set_inner_html(&news);
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
                    "<li id=\"crash-goal-0\"><b>Done: </b><span>Let no &lt;order&gt; <code>come</code> back.</span> \
                     <a class=\"result\" href=\"{query}#crash\" \
                     aria-label=\"One way to do it: Let no &lt;order&gt; come back.\">One way</a>"
                )
            );
        }
        assert!(!crate::view::render(&lab(), true).contains("<h3>Make it happen"));
    }
}
