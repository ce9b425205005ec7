//! What came of a run: the conclusion and its numbers, the account; and what of the address was not understood.

use crate::html;
use crate::live::Live;
use leptos::prelude::*;

/// What the address said that was not understood.
pub(super) fn notice(sentences: &[String]) -> impl IntoView + use<> {
    let mut out = String::new();
    for sentence in sentences {
        html::paragraph(&mut out, sentence);
    }
    view! { <div class="lab-notice" role="status" inner_html=out></div> }
}

/// The sentence of conclusion and the result row.
pub(super) fn outcome(live: Live) -> impl IntoView {
    let say = Signal::derive(move || live.run().outcome.conclusion.clone());
    let counts = Signal::derive(move || {
        let mut out = String::new();
        for count in &live.run().outcome.counts {
            out.push_str("<li class=\"");
            out.push_str(if count.count > 0 { count.state } else { "" });
            out.push_str("\">");
            html::escape(&mut out, count.name);
            out.push(' ');
            html::element(&mut out, "b", &count.count.to_string());
            out.push_str("</li>");
        }
        out
    });
    view! {
        <div class="result">
            <p class="say" aria-live="polite">
                {say}
            </p>
            <ul inner_html=counts></ul>
            {super::goals::goals(live)}
        </div>
    }
}

/// The whole run in words.
pub(super) fn account(live: Live) -> impl IntoView {
    // Of a long run it takes its time, so it is written only for those who read it.
    let account = Signal::derive(move || {
        if live.now.get().account {
            let run = live.run();
            run.rows.account(&run.outcome.conclusion)
        } else {
            String::new()
        }
    });
    view! {
        <details
            class="account"
            on:toggle=move |event| {
                let open = event_target::<web_sys::Element>(&event).has_attribute("open");
                live.now.update(|now| now.account = open);
            }
        >
            <summary>"The run in words"</summary>
            <p>{account}</p>
        </details>
    }
}
