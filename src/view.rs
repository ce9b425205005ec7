//! The view of a lab, written once: text in a finished page, live in the browser.
//!
//! It reads from top to bottom: what it shows, the question and its answers, the picture, what is happening now, the
//! clock, the knobs, the outcome, the events and the account.

mod clock;
mod compare;
mod goals;
mod knobs;
mod light;
mod outcome;
mod parts;
mod picture;
mod predict;
mod readings;
mod share;
mod table;
mod why;
mod zoom;

pub(crate) use compare::{draw as draw_other, show as show_pin};
pub(crate) use knobs::{Control, admit, attend, controls, show as show_knobs};
pub(crate) use light::{asked, light, show as show_card};
pub(crate) use parts::{ACCOUNT, show as show_parts};
pub(crate) use share::show as show_copies;
pub(crate) use zoom::{listen as listen_zoom, show as show_zoom};

use crate::html;
use crate::live::{Live, Now};
use crate::run::Run;
use delivery_figure::condition::Facts;
#[cfg(feature = "ssr")]
use delivery_figure::put::Put as _;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, KeyboardEvent};

/// The whole of a lab as it stands in a finished page: its default run at its opening moment, complete without
/// any program. `first` says that it is the first lab of its page, which has the short keys in the address.
#[cfg(feature = "ssr")]
pub fn render(lab: &delivery_figure::lab::Lab, first: bool) -> String {
    Owner::new().with(|| {
        let (slug, compact) = (lab.slug.clone(), crate::compact::write(lab));
        let live = Live::new(lab.clone(), first, lab.default_position());
        let digest = live.run_now().digest();
        view! {
            <section
                class="lab"
                id=slug
                aria-labelledby=live.id("title")
                data-lab=compact
                data-first=first.then_some("")
                data-digest=digest
            >
                {body(live)}
            </section>
        }
        .to_html()
    })
}

/// Makes the lab of a finished page live, at the position that the address gives it.
///
/// # Errors
/// A sentence if `section` does not carry a lab that this program can read; then nothing was changed.
pub fn mount(section: &web_sys::Element) -> Result<(), String> {
    let lab = crate::compact::read(&section.get_attribute("data-lab").unwrap_or_default())?;
    let first = section.has_attribute("data-first");
    let (position, notices) = crate::address::read(&lab, first);
    let digest = crate::run::Run::of_default(&lab).digest();
    let place = section.clone();
    leptos::mount::mount_to_renderer(section, move || {
        let live = Live::new(lab, first, position);
        live.follow();
        parts::listen(live, &place);
        wake(live, &place, &notices);
        // What the press wrote is taken over, and brought in step with the state afterwards.
        let printed = find(&place, ".body").map(|body| body.inner_html()).unwrap_or_default();
        let body = view! {
            <div class="body" inner_html=printed on:keydown=move |event| key(live, &event)></div>
        };
        // All that can fail has been done; in the same task the live lab takes the place of the finished one.
        place.set_inner_html("");
        let _ = place.class_list().add_1("live");
        let _ = place.set_attribute("data-live-digest", &digest);
        body
    })
    .forget();
    Ok(())
}

/// Frees the controls of a finished page, and puts away what is for readers without a program.
fn wake(live: Live, lab: &Element, notices: &[String]) {
    each(lab, "fieldset, [data-pin], .copy button", &|control| {
        let _ = control.remove_attribute("disabled");
    });
    if let Some(view) = live.element("view") {
        picture::attend(&view);
    }
    if let Some(account) = live.element("account") {
        account.set_inner_html("");
    }
    if let Some(place) = find(lab, ".lab-notice") {
        let mut out = String::new();
        for sentence in notices {
            html::paragraph(&mut out, sentence);
        }
        place.set_inner_html(&out);
    }
}

/// Brings clock, caption and outcome in step with the state, apart from what is the `same`: the run, and the event in it.
pub(crate) fn show(live: Live, run: &Run, now: &Now, row: Option<usize>, same: [bool; 2]) {
    clock::show(live, run, now, same[0]);
    let Some(lab) = document().get_element_by_id(&live.lab(|lab| lab.slug.clone())) else { return };
    picture::show(&lab, run, now, row, same);
    if !same[0] {
        outcome::show(&lab, run);
    }
}

/// The first element within `place` that a selector finds.
#[inline(never)]
pub(crate) fn find(place: &Element, selector: &str) -> Option<Element> {
    place.query_selector(selector).ok().flatten()
}

/// Does something with every element within `place` that a selector finds. Says whether there is one.
pub(crate) fn each(place: &Element, selector: &str, act: &dyn Fn(&Element)) -> bool {
    let Ok(found) = place.query_selector_all(selector) else { return false };
    (0..found.length()).for_each(|i| {
        if let Some(element) = found.get(i).and_then(|node| node.dyn_into().ok()) {
            act(&element);
        }
    });
    found.length() > 0
}

/// Sets an attribute or, without a value, takes it away. One that stands there costs the page nothing.
#[inline(never)]
fn set(element: &Element, name: &str, value: Option<&str>) {
    let _ = match value {
        _ if element.get_attribute(name).as_deref() == value => return,
        Some(value) => element.set_attribute(name, value),
        None => element.remove_attribute(name),
    };
}

/// Puts words into an element, unless they stand there: what is announced is announced once.
#[inline(never)]
fn say(element: &Element, words: &str) {
    if element.inner_html() != words {
        element.set_inner_html(words);
    }
}

/// Writes a text into an element within `place`, unless it stands there.
fn write(place: &Element, selector: &str, text: &str) {
    if let Some(element) = find(place, selector)
        && element.text_content().as_deref() != Some(text)
    {
        element.set_text_content(Some(text));
    }
}

/// All of a lab within its section.
#[cfg(feature = "ssr")]
fn body(live: Live) -> impl IntoView {
    view! {
        <div class="body">
            <header id=live.id("head") inner_html=head(live)></header>
            {outcome::notice()}
            {picture::picture(live)}
            {picture::caption(live)}
            {light::card(live)}
            {clock::clock(live)}
            {knobs::knobs(live)}
            {compare::compare(live)}
            {outcome::outcome(live)}
            {parts::parts(live)}
            {share::foot(live)}
        </div>
    }
}

/// Holds answers and goals against the run on screen.
pub(crate) fn judge(live: Live, run: &Run) {
    if live.lab(|lab| lab.answers.len() + lab.goals.len()) > 0 {
        let facts = Facts::new(&run.trace);
        predict::show(live, run, &facts);
        goals::show(live, run, &facts);
    }
}

/// What the lab shows, its question and the answers. Who calls the program frees the answers.
#[cfg(feature = "ssr")]
fn head(live: Live) -> String {
    live.lab(|lab| {
        let mut out = String::new();
        html::element(&mut out, &["h2 id=\"", &lab.slug, "-title\""].concat(), &lab.title);
        for part in ["<p class=\"ask\" id=\"", &lab.slug, "-ask\">"] {
            out.put(part);
        }
        html::prose(&mut out, &lab.question);
        out.put("</p>");
        predict::answers(&mut out, lab);
        out
    })
}

/// The number in an attribute.
fn number(element: &web_sys::Element, name: &str) -> Option<usize> {
    Some(element.get_attribute(name)?.parse::<u64>().ok()? as usize)
}

/// Keys while the focus is inside the lab, where they are not the control's own.
fn key(live: Live, event: &KeyboardEvent) {
    if event.ctrl_key() || event.alt_key() || event.meta_key() || event.default_prevented() {
        return;
    }
    let target: web_sys::Element = event_target(event);
    let tag = target.tag_name();
    if matches!(tag.as_str(), "INPUT" | "SELECT" | "TEXTAREA") {
        return;
    }
    match event.key().as_str() {
        // Space presses the button that has the focus.
        " " if matches!(tag.as_str(), "BUTTON" | "SUMMARY" | "A") => return,
        " " => live.toggle(),
        "ArrowRight" if event.shift_key() => zoom::pan(live, 5),
        "ArrowLeft" if event.shift_key() => zoom::pan(live, -5),
        "+" | "=" => zoom::zoom(live, zoom::IN),
        "-" => zoom::zoom(live, zoom::OUT),
        "0" => live.look_at(None),
        "m" => light::step(live, false),
        "M" => light::step(live, true),
        "Escape" if light::close(live) => {}
        "ArrowRight" => {
            live.next();
        }
        "ArrowLeft" => live.previous(),
        "Home" => live.start(),
        "End" => live.seek(delivery_sim::Time::NEVER),
        "?" => {
            if let Some(keys) = live.element("keys") {
                let _ = keys.toggle_attribute("open");
            }
        }
        key if clock::jump_key(live, key, event.shift_key()) => {}
        _ => return,
    }
    event.prevent_default();
}

#[cfg(all(test, feature = "ssr"))]
pub(crate) mod tests {
    use super::*;
    use delivery_figure::condition::{Claim, Condition, Turns, What};
    use delivery_figure::lab::{Answer, Goal, Knob, Lab};
    use delivery_sim::scenario::{
        Consumer, ConsumerConfig, Op, Publish, Service, Step, StreamConfig, Worker,
    };
    use delivery_sim::{Dur, Scenario, Time};

    /// A lab with every kind of knob and a title that is no HTML.
    pub(crate) fn lab() -> Lab {
        let knob = |name: &str, label: &str, setting: &str, positions: &[&str], more| Knob {
            name: name.into(),
            label: label.into(),
            setting: setting.into(),
            positions: positions.iter().map(|&text| text.into()).collect(),
            more,
        };
        let config = ConsumerConfig {
            durable_name: "emails".into(),
            ack_wait: Dur::secs(5),
            ..ConsumerConfig::default()
        };
        Lab {
            slug: "crash".into(),
            title: "Less < more & \"quoted\"".into(),
            question: "Is <b> bold?".into(),
            opens_at: Time::ms(6_000),
            scenario: Scenario {
                streams: vec![StreamConfig {
                    name: "ORDERS".into(),
                    subjects: vec!["orders.>".into()],
                    ..StreamConfig::default()
                }],
                consumers: vec![Consumer {
                    stream: "ORDERS".into(),
                    config,
                    ..Consumer::default()
                }],
                workers: vec![Worker {
                    count: 2,
                    service_time: Service::Fixed(Dur::secs(7)),
                    ..Worker::default()
                }],
                timeline: vec![Step {
                    at: Time::ZERO,
                    op: Op::Publish(Publish {
                        subject: "orders.new".into(),
                        data: "order-{i}".into(),
                        ..Publish::default()
                    }),
                }],
                ..Scenario::default()
            },
            knobs: vec![
                knob("ack_wait", "", "consumer.ack_wait", &["1s", "8s"], false),
                knob("backoff", "", "consumer.backoff", &["none", "1s,2s"], false),
                knob("max_deliver", "", "consumer.max_deliver", &["1", "5"], true),
                knob("work", "work & rest", "worker.service_time", &["1s", "7s"], false),
            ],
            beside: None,
            answers: Vec::new(),
            goals: Vec::new(),
        }
    }

    /// The same lab with two answers and a goal.
    pub(crate) fn asking() -> Lab {
        let claim = |what, msgs: &[&str], only, least| Condition {
            claims: vec![Claim {
                what,
                msgs: msgs.iter().map(|&label| label.into()).collect(),
                only,
                attempt: 0,
                client: String::new(),
                after: Time::ZERO,
                before: Time::NEVER,
                least,
                most: u64::MAX,
            }],
            knobs: Turns::default(),
        };
        let answer = |text: &str, right_when, say: &str, because| Answer {
            text: text.into(),
            right_when,
            say: say.into(),
            because,
        };
        let mut once = claim(What::Redelivered, &[], true, 0);
        once.claims.extend(claim(What::Handled, &[], false, 1).claims);
        let repeat = claim(What::Redelivered, &["order-1"], false, 1);
        let done = claim(What::Handled, &["order-1"], false, 1);
        let mut twice = repeat.clone();
        twice.claims.extend(done.claims.clone());
        let mut lab = lab();
        lab.answers = vec![
            answer("once, by A & nobody else", once.clone(), "<i> B gets it too.", done),
            answer("twice", twice, "Both `workers` are at it.", repeat),
        ];
        lab.goals = vec![Goal {
            text: "Let no <order> `come` back.".into(),
            when: once,
            by: Turns(vec!["ack_wait".into(), "8s".into()]),
            at: Time::ms(7_001),
        }];
        lab
    }

    /// From one text of a page up to the next of another.
    #[track_caller]
    pub(crate) fn part<'a>(html: &'a str, from: &str, to: &str) -> &'a str {
        let start = html.find(from).unwrap_or_else(|| panic!("{from} is not in {html}"));
        let end = html[start..].find(to).unwrap_or_else(|| panic!("{to} is not in {html}"));
        &html[start..start + end]
    }

    #[test]
    fn a_finished_page_says_it_all_without_a_program() {
        let html = render(&lab(), true);
        for part in [
            "<section id=\"crash\" aria-labelledby=\"crash-title\"",
            " class=\"lab\"",
            "<h2 id=\"crash-title\">Less &lt; more &amp; &quot;quoted&quot;</h2>",
            "<p class=\"ask\" id=\"crash-ask\">Is &lt;b&gt; bold?</p>",
            "class=\"scene wide\"",
            "class=\"scene tall\"",
            "<summary>The run in words</summary>",
            "<code>ack_wait</code>",
            "work &amp; rest",
            "aria-valuetext=\"5 seconds\"",
            "role=\"switch\" id=\"crash-knob-max_deliver\"",
            "<span id=\"crash-knob-max_deliver-none\">no limit</span>",
            "none: every stopwatch is <code>ack_wait</code>, 5 s.",
            "<output class=\"time\">T+6.0 s</output>",
        ] {
            assert!(html.contains(part), "{part} is not in {html}");
        }
    }

    #[test]
    fn nothing_in_a_finished_page_waits_to_be_pressed() {
        let html = render(&lab(), true);
        // Controls are disabled, in a fieldset or by themselves.
        let mut disabled = false;
        for tag in html.split('<') {
            if tag.starts_with("fieldset") {
                disabled = tag.contains(" disabled");
            } else if tag.starts_with("/fieldset") {
                disabled = false;
            } else if ["button", "select", "input"].iter().any(|name| tag.starts_with(name))
                && !tag.contains(" hidden")
            {
                assert!(disabled || tag.contains(" disabled"), "<{tag}");
            }
            // The policy of the page allows neither.
            assert!(!tag.contains(" style=") && !tag.contains(" onclick="), "<{tag}");
        }
    }

    #[test]
    fn only_the_first_lab_of_a_page_says_so() {
        assert!(render(&lab(), true).contains(" data-first"));
        assert!(!render(&lab(), false).contains(" data-first"));
    }

    #[test]
    fn a_page_carries_the_lab_and_the_fingerprint_of_its_run() {
        let html = render(&lab(), true);
        let attribute = |name: &str| {
            let from = html.split_once(&format!(" {name}=\"")).unwrap().1;
            from.split_once('"').unwrap().0.to_owned()
        };
        assert_eq!(crate::compact::read(&attribute("data-lab")), Ok(lab()));
        let run = delivery_sim::run(&lab().scenario).unwrap();
        assert_eq!(attribute("data-digest"), format!("{:016x}", run.digest()));
        assert!(!run.records.is_empty());
    }
}
