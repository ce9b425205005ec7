//! The prediction: answers to the lab's question, and what the run on screen says to the one that was chosen.
//!
//! Nothing waits for an answer and nothing is counted. Which answer is right is computed from the run.

use crate::html;
use crate::live::Live;
use crate::run::Run;
use delivery_figure::condition::Facts;
use delivery_figure::lab::Lab;
use delivery_figure::put::Put as _;

const RIGHT: &str = "<b class=\"yes\">Right</b>";
const NOT_SO: &str = "<b>Not so</b>";
const USUAL: &str = ". ";
const TURNED: &str = " with your settings. ";
const INSTEAD: &str = "It happens otherwise: ";

/// Appends the answers as a finished page has them, and what happens for readers without a program. The live lab takes
/// them over with [`crate::view`]'s own means, so the browser's program has none of this.
#[cfg(feature = "ssr")]
pub(super) fn answers(out: &mut String, lab: &Lab) {
    if lab.answers.is_empty() {
        return;
    }
    let mut longest = String::new();
    let mut keep = |parts: &[&str]| {
        let text = parts.concat();
        if text.len() > longest.len() {
            longest = text;
        }
    };
    out.put("<div class=\"predict\" role=\"radiogroup\" aria-labelledby=\"");
    out.put(&lab.slug);
    out.put("-ask\">");
    for (i, answer) in lab.answers.iter().enumerate() {
        out.put("<label class=\"answer\"><input type=\"radio\" name=\"");
        out.put(&lab.slug);
        out.put("-answer\" data-answer=\"");
        out.put(&i.to_string());
        out.put("\" disabled=\"\"><span>");
        html::prose(out, &answer.text);
        out.put("</span></label>");
        keep(&["Not so", USUAL, &answer.say]);
        keep(&["Not so", TURNED, INSTEAD, &answer.text]);
    }
    out.put("</div><div class=\"verdict\" data-longest=\"");
    html::escape(out, &longest);
    out.put("\"><p role=\"status\"></p></div><div class=\"decides\"></div>");
    let run = Run::of_default(lab);
    if let Some(right) = right(lab, &run, &Facts::new(&run.trace)) {
        let answer = &lab.answers[right];
        out.put("<details class=\"happens\"><summary>What happens</summary>");
        html::paragraph(out, &[&answer.text, ". ", &answer.say].concat());
        out.put("</details>");
    }
}

fn right(lab: &Lab, run: &Run, facts: &Facts<'_>) -> Option<usize> {
    lab.answers.iter().position(|answer| facts.holds(&answer.right_when, lab, &run.values))
}

/// What the run says to an answer, and a button that shows the row that decides, as HTML. The book's own sentence speaks
/// of the default run and stands beside no other.
fn verdict(lab: &Lab, run: &Run, facts: &Facts<'_>, chosen: usize) -> [String; 2] {
    let (mut said, mut decides) = (String::new(), String::new());
    let right = right(lab, run, facts);
    let yes = right == Some(chosen);
    let usual = run.values == lab.default_position().values;
    said.put(if yes { RIGHT } else { NOT_SO });
    said.put(if usual { USUAL } else { TURNED });
    let right = right.and_then(|right| lab.answers.get(right));
    if let Some(answer) = lab.answers.get(chosen) {
        if usual {
            html::prose(&mut said, &answer.say);
        } else if let (false, Some(right)) = (yes, right) {
            said.put(INSTEAD);
            html::prose(&mut said, &right.text);
            said.push('.');
        } else if !yes {
            said.put("None of these answers fits the run.");
        }
        let mut found = facts.row(&answer.because, &run.rows);
        if let (None, Some(right)) = (&found, right) {
            found = facts.row(&right.because, &run.rows);
        }
        if let Some((row, label)) = found {
            decides.put("<button type=\"button\" data-row=\"");
            decides.put(&row.to_string());
            decides.put("\" data-msg-label=\"");
            html::escape(&mut decides, &label);
            decides.put("\">Show the moment, ");
            decides.put(&run.rows.at(row).unwrap_or_default().to_string());
            decides.put("</button>");
        }
    }
    [said, decides]
}

/// Says what the run on screen makes of the answer that is chosen. A sentence that stays is not said again.
pub(super) fn show(live: Live, run: &Run, facts: &Facts<'_>) {
    let Some(head) = live.element("head") else { return };
    let find = |what| head.query_selector(what).ok().flatten();
    let Some(chosen) = find(":checked").and_then(|input| super::number(&input, "data-answer"))
    else {
        return;
    };
    let [said, decides] = live.lab(|lab| verdict(lab, run, facts, chosen));
    let put = |what, text: &str| {
        if let Some(place) = find(what) {
            super::say(&place, text);
        }
    };
    put(".verdict p", &said);
    put(".decides", &decides);
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::*;
    use crate::view::tests::{asking, part};

    #[test]
    fn a_finished_page_has_the_answers_and_tells_what_happens() {
        let html = crate::view::render(&asking(), true);
        let head = part(&html, "<header", "</header>");
        for text in [
            "<p class=\"ask\" id=\"crash-ask\">",
            "<div class=\"predict\" role=\"radiogroup\" aria-labelledby=\"crash-ask\">",
            "<label class=\"answer\"><input type=\"radio\" name=\"crash-answer\" data-answer=\"0\" disabled=\"\">\
             <span>once, by A &amp; nobody else</span></label>",
            "<summary>What happens</summary><p>twice. Both <code>workers</code> are at it.</p>",
            "<p role=\"status\"></p>",
        ] {
            assert!(head.contains(text), "{text} is not in {head}");
        }
        let without = crate::view::render(&crate::view::tests::lab(), true);
        assert!(!without.contains("radiogroup"), "{without}");
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
            let [found, button] = verdict(&lab, &run, &Facts::new(&run.trace), chosen);
            assert_eq!(found, said, "{query} {chosen}");
            let moment = format!("data-msg-label=\"order-1\">Show the moment, {decides}</button>");
            assert!(button.ends_with(&moment), "{query} {chosen}: {button}");
            let row = part(&button, "data-row=\"", "\" data-msg")[10..].split('"').next().unwrap();
            assert_eq!(run.rows.at(row.parse().unwrap()).unwrap().to_string(), decides);
        }
    }
}
