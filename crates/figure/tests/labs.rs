//! The labs of the book, at every position of every knob: pictures and words that hold together.

use delivery_figure::kinds::KINDS;
use delivery_figure::lab::Lab;
use delivery_figure::readings::readings;
use delivery_figure::scene::{Layout, Scene};
use delivery_figure::told::Told;
use delivery_figure::{svg, why, words};
use delivery_sim::setting::{Setting, Value};
use delivery_sim::trace::{ConsumerId, Event, Msg};
use delivery_sim::{Time, Trace};
use std::path::Path;
use std::sync::Arc;

const LAYOUTS: [Layout; 2] = [Layout::Wide, Layout::Tall];

/// Every lab of the book.
fn labs() -> Vec<Lab> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../content/labs");
    let mut labs: Vec<Lab> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let mut table: toml::Table = std::fs::read_to_string(&path).unwrap().parse().unwrap();
            // What the run must show is the book's affair.
            table.remove("expect");
            let mut lab: Lab = table.try_into().unwrap();
            lab.slug = path.file_stem().unwrap().to_string_lossy().into_owned();
            lab
        })
        .collect();
    labs.sort_by(|a, b| a.slug.cmp(&b.slug));
    assert!(labs.iter().any(|lab| lab.slug == "crash-redelivery"));
    labs
}

/// Runs every lab as it is and with each knob at each of its positions.
fn each_run(mut see: impl FnMut(&str, &Trace)) {
    for lab in labs() {
        let usual = lab.default_position().values;
        let mut positions = vec![(lab.slug.clone(), usual.clone())];
        for (i, knob) in lab.knobs.iter().enumerate() {
            let form = Setting::parse(&knob.setting).unwrap().form();
            let words = form.words().iter().map(|word| String::from(*word));
            for text in knob.positions.iter().cloned().chain(words) {
                let mut values = usual.clone();
                values[i] = Value::parse(form, &text).unwrap();
                positions.push((format!("{}?{}={text}", lab.slug, knob.name), values));
            }
        }
        for (name, values) in positions {
            // A position that the server refuses, such as a backoff longer than max_deliver, has no picture.
            if let Ok(trace) = lab.run(&values) {
                see(&name, &trace);
            }
        }
    }
}

#[test]
fn labs_have_no_faults() {
    for lab in labs() {
        assert_eq!(lab.check(), Vec::<String>::new(), "{}", lab.slug);
    }
}

#[test]
fn rows_go_forward_in_whole_milliseconds() {
    each_run(|name, trace| {
        let rows = words::rows(trace);
        assert!(!rows.is_empty(), "{name}");
        for row in &rows {
            assert_eq!(row.at.0 % 1_000_000, 0, "{name}: {:?}", row.at);
            let text = row.text();
            assert!(
                text.ends_with('.') && !text.contains("  ") && !text.contains(" ."),
                "{name}: {text}"
            );
            assert!(!row.who.is_empty(), "{name}: {text}");
        }
        assert!(rows.windows(2).all(|w| w[0].at < w[1].at), "{name}");
    });
}

#[test]
fn every_delivery_after_the_first_has_a_cause_and_a_row() {
    let mut repeats = 0;
    each_run(|name, trace| {
        let told: String = words::rows(trace).iter().map(|row| row.text() + "\n").collect();
        for record in &trace.records {
            let Event::Delivered { delivery, .. } = record.event else { continue };
            let reason = why::why(trace, delivery);
            assert_eq!(
                reason.sentence.is_empty(),
                delivery.attempt == 1,
                "{name}: {delivery:?} {reason:?}"
            );
            if delivery.attempt > 1 {
                repeats += 1;
                assert!(told.contains(" again"), "{name}");
            }
        }
    });
    assert!(repeats > 100, "{repeats}");
}

#[test]
fn outcomes_agree_with_the_counters_of_the_server() {
    each_run(|name, trace| {
        let counts = words::counts(trace);
        let of = |what: &str| counts.iter().find(|c| c.name == what).map_or(0, |c| c.count);
        let info = trace.consumer_info(delivery_sim::trace::ConsumerId(0), trace.end);
        // With several it is the reader's messages that are counted, each once.
        if trace.consumers.len() == 1 {
            let said = words::conclusion(trace);
            assert_eq!(of("in flight"), info.num_ack_pending, "{name}: {said}");
        }
        let waiting = (0..trace.consumers.len() as u16).map(|id| {
            trace.consumer_info(delivery_sim::trace::ConsumerId(id), trace.end).num_pending
        });
        assert_eq!(of("not delivered yet"), waiting.sum::<u64>(), "{name}");
    });
}

#[test]
fn an_account_is_complete_and_not_tedious() {
    each_run(|name, trace| {
        let account = words::account(trace);
        assert!(account.ends_with(&words::conclusion(trace)), "{name}");
        assert!(account.len() < 9_000, "{name}: {} bytes", account.len());
        let rows = words::rows(trace);
        if rows.len() <= 30 {
            assert!(rows.iter().all(|row| account.contains(&row.text())), "{name}");
        }
    });
}

/// Name, attributes and text of an element.
type Element<'a> = (&'a str, Vec<(&'a str, &'a str)>, &'a str);

/// The elements of a picture, after a check that its elements are balanced and its ids its own.
fn elements<'a>(picture: &'a str, id: &str) -> Vec<Element<'a>> {
    let mut open = Vec::new();
    let mut all = Vec::new();
    let mut rest = picture;
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').unwrap();
        let (tag, after) = (&rest[start + 1..end], &rest[end + 1..]);
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "an element is closed that is not open");
            continue;
        }
        let body = tag.trim_end_matches('/');
        let (name, mut attributes) = body.split_once(' ').unwrap_or((body, ""));
        if !tag.ends_with('/') {
            open.push(name);
        }
        let mut list = Vec::new();
        while let Some((key, value)) = attributes.trim_start().split_once("=\"") {
            let (value, more) = value.split_once('"').unwrap();
            assert!(!matches!(key, "style" | "onclick" | "href"), "{key}");
            if key == "id" {
                assert!(value.starts_with(id), "{value}");
            }
            list.push((key, value));
            attributes = more;
        }
        all.push((name, list, rest.split('<').next().unwrap_or("")));
    }
    assert!(open.is_empty(), "{open:?}");
    all
}

/// Draws a run in both layouts: sound pictures whose texts lie inside and apart.
fn draw(name: &str, trace: &Trace) {
    for layout in LAYOUTS {
        let scene = Scene::new(trace, layout);
        let picture = svg::write(&scene, "f1", "A <title> & more", "\"Said\"", Time::ms(1_500));
        assert!(picture.contains("<title id=\"f1-t\">A &lt;title&gt; &amp; more</title><desc id=\"f1-d\">&quot;Said&quot;</desc>"));
        let elements = elements(&picture, "f1");
        // Boxes of texts that do not move: what moves carries its own box.
        let mut boxes: Vec<(f64, f64, f64, f64, &str)> = Vec::new();
        let still = elements.iter().take_while(|(_, list, _)| !list.contains(&("class", "future")));
        for (tag, list, text) in still {
            let number = |key: &str| {
                list.iter().find(|(k, _)| *k == key).and_then(|(_, v)| v.parse::<f64>().ok())
            };
            let (true, Some(x), Some(y)) = (*tag == "text", number("x"), number("y")) else {
                continue;
            };
            // Names of lanes have bold parts that are counted by the lane's own room.
            if text.is_empty() || list.contains(&("class", "lane")) {
                continue;
            }
            let letters = text.chars().count() as f64;
            // A low estimate: what overlaps even so does overlap.
            let wide = letters * 4.6;
            let left = match list.iter().find(|(k, _)| *k == "text-anchor") {
                Some((_, "middle")) => x - wide / 2.0,
                Some((_, "end")) => x - wide,
                _ => x,
            };
            assert!(
                left > -1.0 && left + wide < f64::from(scene.width) + 1.0,
                "{name} {layout:?}: {text} at {x}"
            );
            assert!(
                y > 7.0 && y < f64::from(scene.height) + 1.0,
                "{name} {layout:?}: {text} at {y}"
            );
            for (l, t, r, b, other) in &boxes {
                let apart = left >= *r || left + wide <= *l || y - 7.0 >= *b || y <= *t;
                assert!(apart, "{name} {layout:?}: `{text}` lies on `{other}` at {x},{y}");
            }
            boxes.push((left, y - 7.0, left + wide, y, text));
        }
        assert!(boxes.len() > 1, "{name}");
    }
}

#[test]
fn pictures_are_sound_and_their_texts_lie_apart() {
    each_run(draw);
}

/// Scenarios that show what lanes are for: `tests/scenes`.
#[test]
fn scenes_of_all_lanes_are_drawn_and_told() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let lab: Lab = toml::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        // Nobody turns their settings, so they have no knobs.
        let faults = lab.check().into_iter().filter(|fault| !fault.contains("needs a knob"));
        assert_eq!(faults.collect::<Vec<_>>(), Vec::<String>::new(), "{name}");
        draw(&name, &lab.run(&[]).unwrap());
        count += 1;
    }
    assert!(count >= 8, "{count}");
}

#[test]
fn other_runs_are_drawn_and_told_as_well() {
    let stream = "[[streams]]\nname = \"ORDERS\"\nsubjects = [\"orders.>\"]\n";
    let publish = "[[timeline]]\nat = \"100ms\"\nop.publish = { subject = \"orders.new\", data = \"order-{i}\", count = 3, every = \"500ms\" }\n";
    for (name, scenario, said) in [
        (
            "nobody listens",
            "[[timeline]]\nat = \"1s\"\nop.publish = { subject = \"hello\", data = \"hello\", via = \"core\" }".into(),
            "Nobody listens: hello is lost, and its sender is not told.",
        ),
        (
            "slow subscriber",
            "[[subscribers]]\nname = \"email\"\nsubject = \"orders.>\"\nservice_time = \"2s\"\npending_msgs_limit = 1\n".to_owned()
                + &publish.replace("data", "via = \"core\", data"),
            "Email loses order-3: its buffer is full.",
        ),
        (
            "slow subscriber without an error callback",
            "[[subscribers]]\nname = \"email\"\nsubject = \"orders.>\"\nservice_time = \"2s\"\npending_msgs_limit = 1\nerror_callback = false\n".to_owned()
                + &publish.replace("data", "via = \"core\", data"),
            "No error callback is set: nobody is told.",
        ),
        (
            "count that missed a message",
            "[[subscribers]]\nname = \"tally\"\nsubject = \"orders.>\"\nstart = \"300ms\"\ncounts = true\n".to_owned()
                + &publish.replace("data", "via = \"core\", data"),
            "Tally gets order-3 and then stands at 2, which is wrong.",
        ),
        (
            "count that was told the whole again",
            "[[subscribers]]\nname = \"tally\"\nsubject = \"orders.>\"\nstart = \"300ms\"\ncounts = true\nwhole_every = 3\n".to_owned()
                + &publish.replace("data", "via = \"core\", data"),
            "Tally gets order-3 and then stands at 3.",
        ),
        (
            "duplicate",
            stream.to_owned() + &publish.replace("data", "msg_id = \"same\", data"),
            "ORDERS knows the id of order-2: it is a duplicate of sequence 1 and is not stored.",
        ),
        (
            "nak with a delay, then term",
            stream.to_owned()
                + publish
                + "[[consumers]]\nstream = \"ORDERS\"\nconfig = { durable_name = \"c\", ack_wait = \"4s\" }\n[[workers]]\nbehaviour = [\
                   { match = { data = \"order-1\", attempt = [1] }, steps = [{ after = \"200ms\", do = \"nak\", delay = \"3s\" }] },\
                   { match = { data = \"order-1\" }, steps = [{ after = \"200ms\", do = \"term\" }] }]\n",
            "Worker gives back order-1 (nak): it comes again at T+3.3 s at the earliest.",
        ),
        (
            "published with nobody to take it",
            "[[timeline]]\nat = \"1s\"\nop.publish = { subject = \"hello\", data = \"hello\" }".into(),
            "Nobody listens: hello is lost. Publisher fails to publish hello: no stream takes the subject.",
        ),
        (
            "nak in time",
            stream.to_owned()
                + publish
                + "[[consumers]]\nstream = \"ORDERS\"\nconfig = { durable_name = \"c\", ack_wait = \"2s\" }\n[[workers]]\nname = \"A\"\nbehaviour = [\
                   { match = { data = \"order-1\", attempt = [1] }, steps = [{ after = \"1500ms\", do = \"nak\" }] }]\n[[workers]]\nname = \"B\"\nstart = \"1s\"\nservice_time = \"700ms\"\n",
            "A gives back order-1 (nak): it comes again at once.",
        ),
        (
            "nak too late",
            stream.to_owned()
                + publish
                + "[[consumers]]\nstream = \"ORDERS\"\nconfig = { durable_name = \"c\", ack_wait = \"2s\" }\n[[workers]]\nname = \"A\"\nbehaviour = [\
                   { match = { data = \"order-1\", attempt = [1] }, steps = [{ after = \"2500ms\", do = \"nak\" }] }]\n[[workers]]\nname = \"B\"\nstart = \"1s\"\nservice_time = \"700ms\"\n",
            "A gives back order-1 (nak): an old delivery, but it takes order-1 away from B; it comes again at once.",
        ),
        (
            "an ack that is said again",
            stream.to_owned()
                + publish
                + "[[consumers]]\nstream = \"ORDERS\"\nconfig = { durable_name = \"c\", ack_wait = \"2s\" }\n[[workers]]\n\
                   lost_answer_chance = \"100%\"\nack_timeout = \"400ms\"\n",
            "T+0.5 s: Worker acks order-1, but the answer is lost on its way.",
        ),
        (
            "server restart",
            stream.to_owned()
                + publish
                + "[[consumers]]\nstream = \"ORDERS\"\nconfig = { durable_name = \"c\", ack_wait = \"4s\" }\n[[workers]]\nservice_time = \"300ms\"\n\
                   [[timeline]]\nat = \"3s\"\nop = \"server_stop\"\n[[timeline]]\nat = \"4s\"\nop = \"server_start\"\n",
            "The server stops: every connection closes.",
        ),
    ] {
        let scenario: delivery_sim::Scenario = toml::from_str(&scenario).unwrap_or_else(|e| panic!("{name}: {e}"));
        let trace = delivery_sim::run(&scenario).unwrap();
        draw(name, &trace);
        let account = words::account(&trace);
        assert!(account.contains(said), "{name}: {account}");
    }
}

#[test]
fn pictures_are_light() {
    for lab in labs() {
        let trace = lab.run(&lab.default_position().values).unwrap();
        for layout in LAYOUTS {
            let said = words::conclusion(&trace);
            let size = svg::write(
                &Scene::new(&trace, layout),
                "figure-1",
                &lab.title,
                &said,
                lab.opens_at,
            )
            .len();
            let most = match lab.slug.as_str() {
                "crash-redelivery" => 10_000,
                // A hundred messages at one moment, each with its mark.
                "slow-consumer" => 45_000,
                _ => 30_000,
            };
            assert!(size <= most, "{} {layout:?}: {size} bytes", lab.slug);
        }
    }
}

#[test]
fn the_same_scene_is_drawn_at_every_moment() {
    let lab = labs().swap_remove(0);
    let trace = lab.run(&[]).unwrap();
    let scene = Scene::new(&trace, Layout::Wide);
    assert_eq!(scene, Scene::new(&trace, Layout::Wide));
    let (early, late) =
        (svg::write(&scene, "f", "", "", Time::ZERO), svg::write(&scene, "f", "", "", trace.end));
    let still = |picture: &str| picture.split("<g class=\"future\"").next().unwrap().to_owned();
    assert_eq!(still(&early), still(&late));
    assert!(early.contains(&format!(
        "<g class=\"playhead\" transform=\"translate({},0)\">",
        scene.axis_from
    )));
    assert!(
        late.contains(&format!(
            "<g class=\"playhead\" transform=\"translate({},0)\">",
            scene.axis_to
        ))
    );
    assert!(early.contains(">T+0.0 s</text>"));
}

#[test]
fn a_long_run_stays_a_picture() {
    let mut lab = labs().into_iter().find(|lab| lab.slug == "batch-ageing").unwrap();
    for (messages, workers, batch) in
        [(2_000, 2, 10), (10_000, 40, 1), (300, 100, 1), (5_000, 1, 5_000)]
    {
        let scenario = &mut lab.scenario;
        scenario.end = Time::ms(60_000);
        for worker in &mut scenario.workers {
            (worker.count, worker.batch) = (workers, batch);
        }
        for step in &mut scenario.timeline {
            if let delivery_sim::scenario::Op::Publish(publish) = &mut step.op {
                publish.count = messages;
            }
        }
        let trace = lab.run(&[]).unwrap();
        let deliveries =
            trace.records.iter().filter(|r| matches!(r.event, Event::Delivered { .. })).count();
        assert!(deliveries >= 300, "{deliveries}");
        for layout in LAYOUTS {
            let picture = svg::write(&Scene::new(&trace, layout), "f", "t", "d", Time::ZERO);
            elements(&picture, "f");
            assert!(
                picture.len() < 160_000,
                "{messages} messages, {workers} workers, {layout:?}: {} bytes",
                picture.len()
            );
        }
        let account = words::account(&trace);
        assert!(account.len() < 12_000, "{} bytes: {}", account.len(), &account[..2_000]);
    }
}

#[test]
fn a_run_that_never_ends_is_refused_in_words() {
    for (slug, query) in [
        ("slow-or-dead", "in_progress_every=1ns"),
        ("slow-or-dead", "work=1ns&in_progress_every=1ns&ack_wait=1ns&spread=24h"),
        ("batch-ageing", "in_progress_every=10ns&work=24h"),
    ] {
        let lab = labs().into_iter().find(|lab| lab.slug == slug).unwrap();
        let (position, notices) = lab.read_query(query, true);
        assert_eq!(notices, Vec::<String>::new(), "{query}");
        let began = std::time::Instant::now();
        let refused = lab.run(&position.values).map(|trace| trace.records.len()).unwrap_err();
        assert!(refused.concat().contains("200 000 events"), "{query}: {refused:?}");
        assert!(began.elapsed().as_secs() < 20, "{query}: {:?}", began.elapsed());
    }
}

#[test]
fn an_empty_run_has_a_picture() {
    let trace = delivery_sim::run(&delivery_sim::Scenario::default()).unwrap();
    for layout in LAYOUTS {
        let scene = Scene::new(&trace, layout);
        elements(&svg::write(&scene, "f", "", "", Time::ZERO), "f");
        assert_eq!(scene.motions().len(), 2);
    }
    assert!(words::rows(&trace).is_empty());
    assert_eq!(words::account(&trace), "Nothing was sent.");
}

/// Sentences of a reading that name nobody: a counter that the run does not account for.
const NAMELESS: [&str; 6] = [
    "So many deliveries",
    "request waits for",
    "requests wait for",
    "of the messages that it wants",
    "moves with the next answer",
    "counts from its second delivery",
];

#[test]
fn readings_account_for_every_counter_at_every_moment() {
    each_run(|name, trace| {
        let mut moments: Vec<Time> = words::rows(trace).iter().map(|row| row.at).collect();
        moments.push(trace.end);
        for t in moments {
            for (i, panel) in readings(trace, t).iter().enumerate().take(trace.consumers.len()) {
                if !panel.nothing.is_empty() {
                    continue; // There is no such consumer yet.
                }
                assert_eq!(panel.lines.len(), 6, "{name} at {t:?}: {panel:?}");
                for line in &panel.lines {
                    // What the last of each subject was when the consumer began is counted and not named.
                    let counted =
                        name.contains("last_per_subject") && line.name == "Unprocessed Messages";
                    let nameless =
                        !counted && NAMELESS.iter().any(|words| line.why.contains(words));
                    assert!(!nameless && line.why.ends_with('.'), "{name} at {t:?}: {line:?}");
                }
                let info = trace.consumer_info(ConsumerId(i as u16), t);
                let counted = [
                    info.delivered.consumer_seq,
                    info.ack_floor.consumer_seq,
                    info.num_ack_pending,
                    info.num_redelivered,
                    info.num_pending,
                    info.num_waiting,
                ];
                for (line, count) in panel.lines.iter().zip(counted) {
                    let value =
                        line.value.strip_prefix("Consumer sequence: ").unwrap_or(&line.value);
                    let printed = value.split(' ').next().unwrap().replace(',', "");
                    assert_eq!(printed.parse(), Ok(count), "{name} at {t:?}: {line:?}");
                }
            }
        }
    });
}

/// Both find the same rows: the filters, from the events alone, and a search of the rows as they are told. Only the message
/// of a row is the one to which something happens, not each that is named, say as the reason why a worker waits.
#[test]
fn filters_find_what_the_rows_say() {
    each_run(|name, trace| {
        let told = Told::new(Arc::new(trace.clone()));
        let rows = told.rows();
        let places = |fits: &dyn Fn(&words::Row) -> bool| -> Vec<usize> {
            (0..rows.len()).filter(|&i| fits(&rows[i])).collect()
        };
        let mut lanes = told.lanes();
        for who in &lanes {
            let on = places(&|row| row.who.split(", ").any(|other| other == *who));
            assert_eq!(told.filter("", who, ""), on, "{name}: on {who}");
        }
        let mut named: Vec<&str> = rows.iter().flat_map(|row| row.who.split(", ")).collect();
        lanes.sort_unstable();
        named.sort_unstable();
        named.dedup();
        assert_eq!(lanes, named, "{name}");
        let labels = told.labels(usize::MAX);
        for label in labels.iter().map(String::as_str).chain(["order", "-1", "nobody’s"]) {
            let whole = labels.iter().any(|other| other == label);
            let msgs = (0..trace.messages.len() as u32).map(Msg).filter(|msg| {
                let other = trace.label(*msg);
                if whole { other == label } else { other.contains(label) }
            });
            let mut about: Vec<usize> = msgs.flat_map(|msg| told.about(msg)).collect();
            about.sort_unstable();
            about.dedup();
            assert_eq!(told.filter(label, "", ""), about, "{name}: about {label}");
            // A worker that dies with a message tells of it as well.
            let named = |row: &words::Row| {
                whole && row.messages == [label] && row.text().contains(" unfinished")
            };
            for row in places(&named) {
                assert!(about.contains(&row), "{name}: {label} is not in {}", rows[row].text());
            }
        }
        for kind in &KINDS {
            let of_it = places(&|row| row.kinds & kind.bit != 0);
            assert_eq!(told.filter("", "", kind.name), of_it, "{name}: {}", kind.name);
            let mut found = Vec::new();
            while let Some(row) =
                told.next_of(kind.bit, found.last().map_or(0, |row| row + 1), false)
                && !found.contains(&row)
            {
                found.push(row);
            }
            assert_eq!(found, of_it, "{name}: one {} after the other", kind.name);
            let last = told.next_of(kind.bit, 0, true);
            assert_eq!(last, of_it.last().copied(), "{name}: back to the last {}", kind.name);
        }
        assert_eq!(told.filter("", "", "").len(), rows.len(), "{name}");
    });
}
