//! The prediction: answers to the lab's question, and what the run on screen says to the one that was chosen.
//!
//! Nothing waits for an answer and nothing is counted. Which answer is right is computed from the run.

use crate::html;
use crate::live::Live;
use crate::run::Run;
use delivery_figure::condition::Facts;
use delivery_figure::lab::Lab;
use leptos::prelude::*;
use web_sys::Element;

/// The answers; in a finished page as text, with what happens below them.
pub(super) fn answers(live: Live) -> impl IntoView {
    let mut out = String::new();
    live.lab(|lab| list(&mut out, lab, live.alive));
    let none = out.is_empty();
    view! {
        <div
            class="predict"
            role="group"
            aria-label="Your prediction"
            hidden=none
            inner_html=out
            on:click=move |event| {
                let target: Element = event_target(&event);
                let number = |name| target.get_attribute(name).and_then(|n| n.parse().ok());
                if let Some(row) = number("data-row") {
                    live.seek_row(row);
                } else if let Some(answer) = number("data-answer") {
                    live.answer(answer);
                }
            }
        ></div>
    }
}

fn list(out: &mut String, lab: &Lab, alive: bool) {
    if lab.answers.is_empty() {
        return;
    }
    let mut longest = String::new();
    let mut keep = |text: String| {
        if text.len() > longest.len() {
            longest = text;
        }
    };
    out.push_str("<ul class=\"answers\">");
    for (i, answer) in lab.answers.iter().enumerate() {
        out.push_str("<li>");
        if alive {
            let open = [
                "button type=\"button\" class=\"answer\" aria-pressed=\"false\" data-answer=\"",
                &i.to_string(),
                "\"",
            ];
            html::element(out, &open.concat(), &answer.text);
        } else {
            html::element(out, "span class=\"answer\"", &answer.text);
        }
        out.push_str("</li>");
        keep([NOT_SO, &answer.say].concat());
        keep([NOT_SO, TURNED, INSTEAD, &answer.text].concat());
    }
    out.push_str("</ul><div class=\"verdict\" data-longest=\"");
    html::escape(out, &longest);
    out.push_str("\"><p role=\"status\"></p></div><div class=\"decides\"></div>");
    #[cfg(feature = "ssr")]
    if !alive {
        happens(out, lab);
    }
}

/// For readers without a program: the answer that is right in the run that they see.
#[cfg(feature = "ssr")]
fn happens(out: &mut String, lab: &Lab) {
    let run = Run::of_default(lab);
    if let Some(answer) = right(lab, &run, &Facts::new(&run.trace)) {
        let answer = &lab.answers[answer];
        out.push_str("<details class=\"happens\"><summary>What happens</summary>");
        html::paragraph(out, &[&answer.text, ". ", &answer.say].concat());
        out.push_str("</details>");
    }
}

fn right(lab: &Lab, run: &Run, facts: &Facts) -> Option<usize> {
    lab.answers.iter().position(|answer| facts.holds(&answer.right_when, lab, &run.values))
}

const RIGHT: &str = "Right";
const NOT_SO: &str = "Not so";
const TURNED: &str = " with your settings. ";
const INSTEAD: &str = "It happens otherwise: ";

/// What the run says to an answer, and the row that decides, as HTML. The book's own sentence speaks of the default run
/// and stands beside no other.
fn verdict(lab: &Lab, run: &Run, facts: &Facts, chosen: usize) -> (String, String) {
    let (mut said, mut decides) = (String::new(), String::new());
    let Some(answer) = lab.answers.get(chosen) else { return (said, decides) };
    let right = right(lab, run, facts);
    let yes = right == Some(chosen);
    html::element(
        &mut said,
        if yes { "b class=\"yes\"" } else { "b" },
        if yes { RIGHT } else { NOT_SO },
    );
    if run.values == lab.default_position().values {
        said.push_str(". ");
        html::prose(&mut said, &answer.say);
    } else {
        said.push_str(TURNED);
        if !yes {
            match right.and_then(|right| lab.answers.get(right)) {
                Some(right) => {
                    said.push_str(INSTEAD);
                    html::escape(&mut said, &right.text);
                    said.push('.');
                }
                None => said.push_str("None of these answers fits the run."),
            }
        }
    }
    let of = |i: usize| facts.row(&lab.answers[i].because, &run.rows);
    if let Some((row, label)) = of(chosen).or_else(|| right.and_then(of)) {
        decides.push_str("<button type=\"button\" data-row=\"");
        decides.push_str(&row.to_string());
        decides.push_str("\" data-msg-label=\"");
        html::escape(&mut decides, label);
        decides.push_str("\">Show the moment, ");
        decides.push_str(&run.rows[row].at.to_string());
        decides.push_str("</button>");
    }
    (said, decides)
}

/// Says what the run on screen makes of the chosen answer. A sentence that stays is not said again.
pub(super) fn show(live: Live, run: &Run, facts: &Facts) {
    let Some(chosen) = live.chosen() else { return };
    let (said, decides) = live.lab(|lab| verdict(lab, run, facts, chosen));
    let find = |what: &str| {
        let place = live.element("title")?.parent_element()?;
        place.query_selector(what).ok().flatten()
    };
    for (what, text) in [(".verdict p", said), (".decides", decides)] {
        if let Some(place) = find(what)
            && place.inner_html() != text
        {
            place.set_inner_html(&text);
        }
    }
    for (attribute, which) in [
        ("false", "[aria-pressed=true]"),
        ("true", &*["[data-answer=\"", &chosen.to_string(), "\"]"].concat()),
    ] {
        if let Some(button) = find(which) {
            let _ = button.set_attribute("aria-pressed", attribute);
        }
    }
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::*;
    use crate::view::tests::{asking, part};

    #[test]
    fn without_a_program_answers_are_text_and_what_happens_is_told() {
        let html = crate::view::render(&asking(), true);
        let predict =
            part(&html, "<div role=\"group\" aria-label=\"Your prediction\"", "</header>");
        assert!(!predict.contains("<button"), "{predict}");
        for text in [
            "<span class=\"answer\">once, by A &amp; nobody else</span>",
            "<summary>What happens</summary><p>twice. Both <code>workers</code> are at it.</p>",
            "<p role=\"status\"></p>",
        ] {
            assert!(predict.contains(text), "{text} is not in {predict}");
        }
        assert!(
            !crate::view::render(&crate::view::tests::lab(), true).contains("class=\"answers\"")
        );
    }

    #[test]
    fn each_answer_is_judged_by_the_run_on_screen() {
        let lab = asking();
        for (query, chosen, said, decides) in [
            ("", 0, "<b>Not so</b>. &lt;i&gt; B gets it too.", "T+7.0 s"),
            ("", 1, "<b class=\"yes\">Right</b>. Both <code>workers</code> are at it.", "T+5.0 s"),
            (
                "ack_wait=8s",
                1,
                "<b>Not so</b> with your settings. It happens otherwise: once, by A &amp; nobody else.",
                "T+7.0 s",
            ),
            ("ack_wait=8s", 0, "<b class=\"yes\">Right</b> with your settings. ", "T+7.0 s"),
            ("ack_wait=6s", 1, "<b class=\"yes\">Right</b> with your settings. ", "T+6.0 s"),
            (
                "work=1m",
                1,
                "<b>Not so</b> with your settings. None of these answers fits the run.",
                "T+5.0 s",
            ),
        ] {
            let run = Run::new(&lab, &lab.read_query(query, true).0.values).unwrap();
            let (found, button) = verdict(&lab, &run, &Facts::new(&run.trace), chosen);
            assert_eq!(found, said, "{query} {chosen}");
            let moment = format!("data-msg-label=\"order-1\">Show the moment, {decides}</button>");
            assert!(button.ends_with(&moment), "{query} {chosen}: {button}");
            let row = part(&button, "data-row=\"", "\" data-msg")[10..].split('"').next().unwrap();
            assert_eq!(run.rows[row.parse::<usize>().unwrap()].at.to_string(), decides);
        }
        let run = Run::of_default(&lab);
        assert_eq!(verdict(&lab, &run, &Facts::new(&run.trace), 9), Default::default());
    }
}
