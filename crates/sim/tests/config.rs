//! Configurations in and out, the server's refusals, and the traps: rows of data through one helper each.

use delivery_sim::check::{consumer_defaults, consumer_on_stream, stream_defaults, warnings};
use delivery_sim::config::{Loaded, consumer_json, load, stream_json};
use delivery_sim::rng::Rng;
use delivery_sim::scenario::{
    AckPolicy, ConsumerConfig, ConsumerRef, CreateAction, CreateConsumer, DeliverPolicy, Discard,
    Op, ReplayPolicy, Retention, Scenario, Step, StreamConfig, Version,
};
use delivery_sim::trace::CallAnswer;
use delivery_sim::{Dur, Time, run};

// --- what real servers print --------------------------------------------------------------------

/// The streams that were created on a real server from our JSON; by name, which is in the file's name as well.
fn streams() -> [StreamConfig; 3] {
    let stream = |name: &str, subjects: &[&str]| StreamConfig {
        name: name.into(),
        subjects: subjects.iter().map(|s| (*s).into()).collect(),
        ..StreamConfig::default()
    };
    [
        StreamConfig {
            retention: Retention::WorkQueue,
            max_age: Dur::secs(3600),
            duplicate_window: Dur::secs(120),
            ..stream("ORDERS", &["orders.>"])
        },
        StreamConfig {
            max_msgs: 1000,
            max_bytes: 1 << 20,
            max_msgs_per_subject: 5,
            discard: Discard::New,
            discard_new_per_subject: true,
            duplicate_window: Dur::secs(30),
            ..stream("EVENTS", &["events.>"])
        },
        StreamConfig {
            retention: Retention::Interest,
            ..stream("SIGNALS", &["signals.*", "alarms.>"])
        },
    ]
}

/// The consumers that were created on a real server from our JSON, each with its stream.
fn consumers() -> [(&'static str, ConsumerConfig); 6] {
    let consumer =
        |name: &str| ConsumerConfig { durable_name: name.into(), ..ConsumerConfig::default() };
    let texts = |texts: &[&str]| texts.iter().map(|s| (*s).into()).collect::<Vec<String>>();
    [
        (
            "ORDERS",
            ConsumerConfig {
                backoff: vec![Dur::secs(1), Dur::secs(5), Dur::secs(30)],
                max_deliver: 5,
                max_ack_pending: 100,
                filter_subjects: texts(&["orders.new"]),
                ..consumer("retrying")
            },
        ),
        ("EVENTS", consumer("plain")),
        (
            "EVENTS",
            ConsumerConfig {
                ack_policy: AckPolicy::All,
                deliver_subject: "push.events".into(),
                deliver_group: "workers".into(),
                max_ack_pending: -1,
                ..consumer("pushed")
            },
        ),
        (
            "EVENTS",
            ConsumerConfig {
                ack_policy: AckPolicy::None,
                deliver_policy: DeliverPolicy::LastPerSubject,
                filter_subjects: texts(&["events.a", "events.b.*"]),
                replay_policy: ReplayPolicy::Original,
                ..consumer("latest")
            },
        ),
        (
            "EVENTS",
            ConsumerConfig {
                deliver_policy: DeliverPolicy::ByStartSequence,
                opt_start_seq: 7,
                ack_wait: Dur(90_000_000_001),
                max_waiting: 3,
                inactive_threshold: Dur::secs(300),
                ..consumer("from-seven")
            },
        ),
        (
            "SIGNALS",
            ConsumerConfig {
                deliver_policy: DeliverPolicy::ByStartTime,
                opt_start_time: Time::ms(8_500),
                max_deliver: 1,
                ..consumer("later")
            },
        ),
    ]
}

/// A document of a real server, by name and version.
fn document(name: &str) -> String {
    let path = format!("{}/tests/config/{name}-2.12.8.json", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn stream(json: &str) -> (StreamConfig, Vec<String>) {
    match load(json) {
        Ok(Loaded::Stream { config, notes }) => (config, notes),
        other => panic!("not a stream: {other:?}\n{json}"),
    }
}

fn consumer(json: &str) -> (String, ConsumerConfig, Vec<String>) {
    match load(json) {
        Ok(Loaded::Consumer { stream, config, notes }) => (stream, config, notes),
        other => panic!("not a consumer: {other:?}\n{json}"),
    }
}

#[test]
fn real_documents_load_as_what_was_asked_for() {
    for config in streams() {
        let (loaded, notes) = stream(&document(&format!("stream-{}", config.name.to_lowercase())));
        assert_eq!(loaded, stream_defaults(&config).unwrap());
        assert_eq!(notes, [""; 0], "{}", config.name);
    }
    for (of, config) in consumers() {
        let (stream, loaded, notes) =
            consumer(&document(&format!("consumer-{}", config.durable_name)));
        let mut expected = consumer_defaults(&config, Version::V2_12, false).unwrap();
        let mut told = Vec::new();
        if config.durable_name == "later" {
            // It was asked for by a date of 1970, long before the consumer was created.
            expected.opt_start_time = Time::ZERO;
            told.push("`opt_start_time` lies before `created`, where a run begins: every message is delivered");
        }
        assert_eq!((stream.as_str(), &loaded), (of, &expected));
        assert_eq!(notes, told, "{}", config.durable_name);
    }
}

#[test]
fn what_is_not_modelled_is_named() {
    let (config, notes) = stream(&document("stream-full"));
    let expected = StreamConfig {
        name: "FULL".into(),
        subjects: vec!["full.>".into()],
        duplicate_window: Dur::secs(120),
        ..StreamConfig::default()
    };
    assert_eq!(config, expected);
    assert_eq!(
        notes,
        [
            "`max_consumers` is not modelled: a run does not limit the number of consumers",
            "`max_msg_size` is not modelled: a run takes messages of any size",
            "`storage` is not modelled: a run keeps messages over a restart, which this storage does not",
            "`sources` is not modelled: a run copies nothing from other streams; publish to this one instead",
            "`first_seq` is not modelled: sequences of a run start at 1",
            "`subject_transform` is not modelled: subjects stay as they are published in a run",
            "`republish` is not modelled: a run republishes nothing",
            "`deny_delete` is not modelled: messages can be deleted in a run all the same",
            "`allow_rollup_hdrs` is not modelled: a rollup header removes nothing in a run",
            "`consumer_limits` is not modelled: a run does not apply these limits to consumers",
            "`allow_msg_ttl` is not modelled: only max_age removes messages by their age in a run",
            "`subject_delete_marker_ttl` is not modelled: a run places no delete markers",
            "`allow_atomic` is not modelled: messages of a run are published one by one",
            "`description`, `compression`, `allow_direct`, `metadata` change nothing in a run and are left out",
            "the 3 stored messages are not loaded: a run begins with an empty stream",
        ]
    );
    for (name, expected) in [
        (
            "everything",
            &[
                "`headers_only` is not modelled: messages of a run come with their payload",
                "`max_batch` is not modelled: a pull of a run may ask for more; keep the batch of its workers below this",
                "`max_expires` is not modelled: a pull of a run may wait longer; keep expires of its workers below this",
                "`max_bytes` is not modelled: a pull of a run may ask for more bytes",
                "`mem_storage` is not modelled: a run keeps the consumer's state over a restart, which memory storage does not",
                "`pause_until` is not modelled: the consumer is never paused in a run",
                "`priority_groups` is not modelled: waiting pulls of a run form one line, without priority groups",
                "`priority_policy` is not modelled: waiting pulls of a run form one line, without priorities",
                "`priority_timeout` is not modelled: no pull of a run is pinned",
                "`description`, `sample_freq`, `metadata` change nothing in a run and are left out",
                "its position and counters are not loaded: a run begins with a new consumer",
            ][..],
        ),
        (
            "beating",
            &[
                "`rate_limit_bps` is not modelled: a run delivers without a rate limit",
                "`flow_control` is not modelled: a run pushes without flow control, up to max_ack_pending",
                "`idle_heartbeat` is not modelled: a run sends no heartbeats",
                "its position and counters are not loaded: a run begins with a new consumer",
            ],
        ),
    ] {
        assert_eq!(consumer(&document(&format!("consumer-{name}"))).2, expected, "{name}");
    }
    // The same, by hand: a replica group, a copy of a stream, and what a later server may bring.
    let (_, notes) = stream(
        r#"{"config": {"name": "M", "num_replicas": 3, "mirror": {"name": "S"}, "new_thing": 1}, "newer": {"x": 1}}"#,
    );
    assert_eq!(
        notes,
        [
            "`newer` is not known here and left out",
            "`num_replicas` is not modelled: a run has one server, so no replica is ever behind or lost",
            "`mirror` is not modelled: a run copies nothing from another stream; publish to this one instead",
            "`new_thing` is not known here and left out",
            "no subjects are given: the stream captures the subject of its own name, `M`",
        ]
    );
}

#[test]
fn each_form_of_a_document_loads() {
    let config = r#"{"durable_name": "worker", "ack_policy": "explicit", "ack_wait": 5000000000}"#;
    let expected = ConsumerConfig {
        durable_name: "worker".into(),
        ack_wait: Dur::secs(5),
        ..ConsumerConfig::default()
    };
    for (json, of) in [
        (config.to_owned(), ""),
        (format!("\u{feff}  {config}\n"), ""),
        // Of two fields with one name the last counts, as on a server.
        (format!(r#"{{"config": {{}}, "config": {config}}}"#), ""),
        (format!(r#"{{"config": {config}}}"#), ""),
        (
            format!(
                r#"{{"stream_name": "ORDERS", "config": {config}, "action": "create", "pedantic": true}}"#
            ),
            "ORDERS",
        ),
        (
            format!(r#"[{{"stream_name": "ORDERS", "name": "worker", "config": {config}}}]"#),
            "ORDERS",
        ),
        (
            format!(
                r#"{{"total": 1, "consumers": [{{"stream_name": "ORDERS", "config": {config}}}]}}"#
            ),
            "ORDERS",
        ),
    ] {
        assert_eq!(consumer(&json), (of.to_owned(), expected.clone(), vec![]), "{json}");
    }
    let config =
        r#"{"name": "ORDERS", "subjects": ["orders.>"], "retention": "workqueue", "max_msgs": 0}"#;
    for json in [
        config.to_owned(),
        format!(
            r#"{{"config": {config}, "created": "2026-01-01T00:00:00Z", "state": {{"messages": 0}}}}"#
        ),
        format!(r#"{{"streams": [{{"config": {config}}}]}}"#),
    ] {
        let expected = StreamConfig {
            name: "ORDERS".into(),
            subjects: vec!["orders.>".into()],
            retention: Retention::WorkQueue,
            ..StreamConfig::default()
        };
        assert_eq!(stream(&json), (expected, vec![]), "{json}");
    }
}

/// Names, start times and what else a document may leave open.
#[test]
fn what_a_document_leaves_open() {
    let passing = consumer(&document("consumer-passing"));
    assert_eq!(
        (passing.1.durable_name.as_str(), passing.1.inactive_threshold),
        ("passing", Dur::secs(30))
    );
    let dated = consumer(&document("consumer-dated")).1;
    // 2026-12-01T09:00:00+01:00, less 2026-11-29T16:38:24.372…Z where it was created.
    assert_eq!(dated.opt_start_time.as_ms() / 1000, 39 * 3600 + 21 * 60 + 35);

    for (json, name, threshold, start, expected) in [
        (
            r#"{"name": "e", "ack_policy": "explicit"}"#,
            "e",
            Dur::secs(5),
            Time::ZERO,
            &[
                "without durable_name it is ephemeral: deleted when unused for 5 s (inactive_threshold)",
            ][..],
        ),
        (
            r#"{"ack_wait": 1000000000, "inactive_threshold": 9000000000}"#,
            "consumer",
            Dur::secs(9),
            Time::ZERO,
            &[
                "ack_policy is not given, which for a server is `none`",
                "it has no name, so a server makes one up; here it is called `consumer`",
            ],
        ),
        (
            r#"{"ts": "2026-01-01T00:00:00Z", "config": {"durable_name": "d", "ack_policy": "all", "deliver_policy": "by_start_time", "opt_start_time": "2026-01-01T00:00:01.5Z"}}"#,
            "d",
            Dur::ZERO,
            Time::ms(1500),
            &[],
        ),
        (
            r#"{"durable_name": "d", "ack_policy": "all", "deliver_policy": "by_start_time", "opt_start_time": "2026-01-01T00:00:00Z"}"#,
            "d",
            Dur::ZERO,
            Time::ZERO,
            &[
                "`opt_start_time` is left out: a run has no date, and the document does not say when it was made",
            ],
        ),
        (
            r#"{"durable_name": "d", "ack_policy": "all", "deliver_policy": "by_start_time"}"#,
            "d",
            Dur::ZERO,
            Time::ZERO,
            &[
                "opt_start_time is not given, which a server refuses; a run starts with the first message",
            ],
        ),
        (
            r#"{"durable_name": "d", "ack_policy": "all", "opt_start_time": "2026-01-01T00:00:00Z"}"#,
            "d",
            Dur::ZERO,
            Time::ZERO,
            &[
                "`opt_start_time` is left out: it belongs to deliver_policy by_start_time, and a server refuses it here",
            ],
        ),
    ] {
        let (_, config, notes) = consumer(json);
        assert_eq!(
            (config.durable_name.as_str(), config.inactive_threshold, config.opt_start_time),
            (name, threshold, start),
            "{json}"
        );
        assert_eq!(notes, expected, "{json}");
    }
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let within = |line: &str| {
        format!("{{\n  \"config\": {{\n    \"durable_name\": \"w\",\n    {line}\n  }}\n}}")
    };
    let long = format!("\"ack_policy\": {:?}", "x".repeat(200));
    for (json, expected) in [
        (
            within(r#""ack_wait": "30s""#),
            r#"line 4, column 17: `config.ack_wait` is the text "30s"; write it in nanoseconds, 30000000000"#,
        ),
        (
            within(r#""ack_wait": "soon""#),
            r#"line 4, column 17: `config.ack_wait` is the text "soon"; write a whole number of nanoseconds, such as 30000000000 for 30 s"#,
        ),
        (
            within(r#""ack_wait": 1.5"#),
            "line 4, column 17: `config.ack_wait` is a number with a fraction, or beyond 64 bits; write a whole number of nanoseconds, such as 30000000000 for 30 s",
        ),
        (
            within(r#""ack_wait": 18446744073709551615"#),
            "line 4, column 17: `config.ack_wait` is the number 18446744073709551615; that is out of range",
        ),
        (
            within(r#""backoff": [1000, true]"#),
            "line 4, column 23: `config.backoff[1]` is true; write a whole number of nanoseconds, such as 30000000000 for 30 s",
        ),
        (
            within(r#""backoff": 1000"#),
            "line 4, column 16: `config.backoff` is the number 1000; write a list in square brackets",
        ),
        (
            within(r#""ack_policy": "maybe""#),
            r#"line 4, column 19: `config.ack_policy` is the text "maybe"; write one of none, all, explicit"#,
        ),
        (
            within(&long),
            &format!(
                "line 4, column 19: `config.ack_policy` is the text \"{}\"; write one of none, all, explicit",
                "x".repeat(40)
            ),
        ),
        (
            within(r#""ä": "ö", "deliver_policy": 7"#),
            "line 4, column 33: `config.deliver_policy` is the number 7; write one of all, last, new, by_start_sequence, by_start_time, last_per_subject",
        ),
        (
            within(r#""max_deliver": "5""#),
            r#"line 4, column 20: `config.max_deliver` is the text "5"; write a whole number"#,
        ),
        (
            within(r#""opt_start_seq": -1"#),
            "line 4, column 22: `config.opt_start_seq` is the number -1; that is out of range",
        ),
        (
            within(r#""max_waiting": 4294967296"#),
            "line 4, column 20: `config.max_waiting` is the number 4294967296; that is out of range",
        ),
        (
            within(r#""filter_subjects": ["a", {}]"#),
            "line 4, column 30: `config.filter_subjects[1]` is an object; write a text in double quotes",
        ),
        (
            within(r#""filter_subject": "a", "filter_subjects": ["b"]"#),
            "line 4, column 23: `config.filter_subject` stands beside filter_subjects; a server takes one of the two (10136)",
        ),
        (
            within(r#""name": "v""#),
            r#"line 4, column 13: `config.name` is the text "v", but durable_name is "w"; give one of them, or the same twice"#,
        ),
        (
            within(r#""deliver_policy": "by_start_time", "opt_start_time": "noon""#),
            r#"line 4, column 58: `config.opt_start_time` is the text "noon"; write a date such as 2026-01-31T08:00:00Z"#,
        ),
        (
            r#"{"subjects": ["a"], "discard_new_per_subject": "yes"}"#.into(),
            r#"line 1, column 48: `discard_new_per_subject` is the text "yes"; write true or false"#,
        ),
        (
            r#"{"subjects": null, "retention": "work"}"#.into(),
            r#"line 1, column 33: `retention` is the text "work"; write one of limits, interest, workqueue"#,
        ),
        (
            r#"{"streams": [{"config": []}]}"#.into(),
            "line 1, column 25: `streams[0].config` is a list; write an object in braces",
        ),
        (
            r#"[{"config": {}}, {"config": {}}]"#.into(),
            "line 1, column 1: the document is a list of 2; paste one of its entries",
        ),
        (
            r#"["ORDERS", "EVENTS"]"#.into(),
            "line 1, column 1: the document is a list without configurations; paste what `nats consumer info --json` or `nats stream info --json` prints",
        ),
        (
            r#"{"name": "x"}"#.into(),
            "line 1, column 1: the document has no settings by which to tell a stream (subjects, retention …) from a consumer (ack_policy, ack_wait …); paste the whole output of --json",
        ),
        (
            r#"{"error": {"code": 404, "err_code": 10059, "description": "stream not found"}}"#
                .into(),
            "line 1, column 1: the document is a server's refusal, 10059 `stream not found`; ask for a stream or consumer that exists",
        ),
        (
            "{\n  \"name\": \"x\"\n  \"subjects\"".into(),
            "this is not quite JSON: expected `,` or `}` at line 3 column 3",
        ),
        ("{".into(), "this is not quite JSON: EOF while parsing an object at line 1 column 1"),
        (
            "7".into(),
            "line 1, column 1: the document is the number 7; paste what `nats consumer info --json` or `nats stream info --json` prints",
        ),
        (
            String::new(),
            "this is not JSON; paste what `nats consumer info STREAM CONSUMER --json` or `nats stream info STREAM --json` prints",
        ),
        (
            "Information for Consumer ORDERS > worker".into(),
            "this is not JSON; paste what `nats consumer info STREAM CONSUMER --json` or `nats stream info STREAM --json` prints",
        ),
    ] {
        assert_eq!(load(&json), Err(expected.to_owned()), "{json}");
    }
}

#[test]
fn what_we_write_we_read() {
    for config in streams() {
        assert_eq!(stream(&stream_json(&config)), (config, vec![]));
    }
    for (_, config) in consumers() {
        assert_eq!(consumer(&consumer_json(&config)), (String::new(), config, vec![]));
    }
    let odd = ConsumerConfig {
        durable_name: "quote \" and \\, line\n, bell \u{7}, ü".into(),
        ..ConsumerConfig::default()
    };
    assert_eq!(consumer(&consumer_json(&odd)).1, odd);
    let both = ConsumerConfig {
        ack_wait: Dur::secs(9),
        backoff: vec![Dur::secs(1)],
        ..consumers()[1].1.clone()
    };
    let written = consumer_json(&both);
    assert!(!written.contains("ack_wait"), "a server replaces it: {written}");
}

/// Random documents: bytes, cut and mended real ones, and known settings with values of any kind.
#[test]
fn no_input_makes_it_panic() {
    let mut rng = Rng::new(7);
    let real: Vec<String> = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/config"))
        .unwrap()
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    assert!(real.len() >= 12);
    let (mut good, mut bad) = (0, 0);
    for round in 0..30_000 {
        let json = match round % 3 {
            0 => {
                let bytes: Vec<u8> = (0..rng.below(60)).map(|_| rng.next_u64() as u8).collect();
                String::from_utf8_lossy(&bytes).into_owned()
            }
            1 => {
                let mut bytes = real[rng.below(real.len() as u64) as usize].clone().into_bytes();
                for _ in 0..=rng.below(4) {
                    let at = rng.below(bytes.len() as u64) as usize;
                    match rng.below(3) {
                        0 => bytes[at] = rng.next_u64() as u8,
                        1 => drop(bytes.remove(at)),
                        _ => bytes.truncate(at.max(1)),
                    }
                }
                String::from_utf8_lossy(&bytes).into_owned()
            }
            _ => any_document(&mut rng),
        };
        match load(&json) {
            Ok(Loaded::Stream { config, .. }) => {
                good += 1;
                assert_eq!(stream(&stream_json(&config)).0, config, "{json}");
                let _ = stream_defaults(&config);
                let _ = warnings(&ConsumerConfig::default(), &config, Dur::secs(1), 10);
            }
            Ok(Loaded::Consumer { config, .. }) => {
                good += 1;
                let read = consumer(&consumer_json(&config)).1;
                for version in Version::ALL {
                    let effective = consumer_defaults(&config, version, false);
                    // A date that is no part of the policy, and a wait that the backoff replaces, are not written.
                    assert_eq!(consumer_defaults(&read, version, false), effective, "{json}");
                }
                let _ = warnings(
                    &config,
                    &StreamConfig::default(),
                    Dur(rng.next_u64()),
                    rng.next_u64() as u32,
                );
            }
            Err(sentence) => {
                bad += 1;
                assert!(sentence.contains("JSON") || sentence.contains("; "), "{sentence}");
            }
        }
    }
    assert!(good > 2_000 && bad > 10_000, "the documents are of both kinds: {good} {bad}");
}

fn any_document(rng: &mut Rng) -> String {
    const NAMES: [&str; 24] = [
        "name",
        "durable_name",
        "subjects",
        "retention",
        "discard",
        "max_age",
        "duplicate_window",
        "max_msgs",
        "config",
        "ack_policy",
        "ack_wait",
        "backoff",
        "max_deliver",
        "deliver_policy",
        "opt_start_time",
        "opt_start_seq",
        "filter_subject",
        "filter_subjects",
        "max_ack_pending",
        "max_waiting",
        "stream_name",
        "created",
        "inactive_threshold",
        "num_replicas",
    ];
    let pick =
        |rng: &mut Rng, from: &[&str]| from[rng.below(from.len() as u64) as usize].to_owned();
    let mut fields = Vec::new();
    for _ in 0..rng.below(6) {
        let name = pick(rng, &NAMES);
        // Most fields get what fits, so that documents of both kinds occur.
        let value = match (name.as_str(), rng.below(8)) {
            ("config", 1..) => any_document(rng),
            (_, 0) => pick(
                rng,
                &[
                    "null",
                    "true",
                    "-1",
                    "1e3",
                    "\"\"",
                    "[]",
                    "{}",
                    "[[[1]]]",
                    "9223372036854775808",
                    "-9223372036854775808",
                ],
            ),
            ("name" | "durable_name" | "filter_subject" | "stream_name", _) => {
                pick(rng, &["\"a\"", "\"b.>\"", "\"\\u0007\"", "\"*\""])
            }
            ("subjects" | "filter_subjects", _) => {
                pick(rng, &["[\"a\"]", "[\"a\", \"b.>\"]", "[\"\"]"])
            }
            ("retention", _) => pick(rng, &["\"limits\"", "\"interest\"", "\"workqueue\""]),
            ("discard", _) => pick(rng, &["\"old\"", "\"new\""]),
            ("ack_policy", _) => pick(rng, &["\"none\"", "\"all\"", "\"explicit\""]),
            ("deliver_policy", _) => pick(
                rng,
                &["\"all\"", "\"last_per_subject\"", "\"by_start_time\"", "\"by_start_sequence\""],
            ),
            ("opt_start_time" | "created", _) => pick(
                rng,
                &[
                    "\"1970-01-01T00:00:01Z\"",
                    "\"2026-01-01T00:00:00+23:59\"",
                    "\"9999-12-31T23:59:60Z\"",
                    "\"0000-01-01T00:00:00Z\"",
                ],
            ),
            ("backoff", _) => pick(rng, &["[1]", "[1000000000, 9223372036854775807]", "[-5, 3]"]),
            _ => pick(
                rng,
                &["0", "1", "-1", "5000000000", "9223372036854775807", "-9223372036854775808"],
            ),
        };
        fields.push(format!("\"{name}\": {value}"));
    }
    format!("{{{}}}", fields.join(", "))
}

// --- what a server refuses ----------------------------------------------------------------------

/// One call after another on a server of this version, and what it answers: `ok` or `code err_code text`.
fn answers(version: Version, streams: Vec<StreamConfig>, calls: Vec<Op>) -> Vec<String> {
    let scenario = Scenario {
        version,
        streams,
        end: Time::ms(100 + 10 * calls.len() as u64),
        timeline: calls
            .into_iter()
            .enumerate()
            .map(|(i, op)| Step { at: Time::ms(10 * (i as u64 + 1)), op })
            .collect(),
        ..Scenario::default()
    };
    let trace = run(&scenario).expect("the scenario is good");
    let said = |answer: &CallAnswer| match answer {
        CallAnswer::Failed(error) => format!("{} {} {}", error.code, error.err_code, error.text),
        _ => "ok".into(),
    };
    trace.answers.iter().map(said).collect()
}

fn shop(retention: Retention) -> StreamConfig {
    StreamConfig {
        name: "S".into(),
        subjects: vec!["s.>".into()],
        retention,
        max_age: Dur::secs(24 * 3600),
        ..StreamConfig::default()
    }
}

fn named(name: &str, change: impl FnOnce(&mut ConsumerConfig)) -> ConsumerConfig {
    let mut config = ConsumerConfig { durable_name: name.into(), ..ConsumerConfig::default() };
    change(&mut config);
    config
}

/// Creates a consumer on stream `S`, or changes it.
fn create(name: &str, change: impl FnOnce(&mut ConsumerConfig)) -> Op {
    call(CreateAction::CreateOrUpdate, false, named(name, change))
}

fn call(action: CreateAction, pedantic: bool, config: ConsumerConfig) -> Op {
    Op::CreateConsumer(CreateConsumer { stream: "S".into(), action, pedantic, config })
}

fn backoff(ms: &[u64]) -> Vec<Dur> {
    ms.iter().map(|&ms| Dur::ms(ms)).collect()
}

fn filters(filters: &[&str]) -> Vec<String> {
    filters.iter().map(|s| (*s).into()).collect()
}

/// Recorded as `backoff_validation`, in three forms.
#[test]
fn refusals_of_backoff() {
    let calls = || {
        vec![
            create("A", |c| (c.backoff, c.max_deliver) = (backoff(&[100, 200, 300]), 2)),
            create("B", |c| (c.backoff, c.max_deliver) = (backoff(&[100, 200, 300]), 3)),
            create("D", |c| (c.backoff, c.ack_wait) = (backoff(&[100, 200, 300]), Dur::secs(9))),
            call(
                CreateAction::CreateOrUpdate,
                true,
                named("E", |c| (c.backoff, c.ack_wait) = (backoff(&[100, 200]), Dur::secs(9))),
            ),
            call(
                CreateAction::CreateOrUpdate,
                true,
                named("F", |c| c.backoff = backoff(&[100, 200])),
            ),
            call(
                CreateAction::CreateOrUpdate,
                true,
                named("G", |c| (c.backoff, c.ack_wait) = (backoff(&[100, 200]), Dur::ms(100))),
            ),
            create("H", |c| c.ack_wait = Dur::api(-5_000_000)),
            create("I", |c| c.backoff = vec![Dur::api(-100_000_000)]),
            call(
                CreateAction::Update,
                false,
                named("B", |c| (c.backoff, c.max_deliver) = (backoff(&[100, 200, 300]), 1)),
            ),
        ]
    };
    let length = "400 10116 max deliver is required to be > length of backoff values";
    let pedantic = "400 10157 pedantic mode: first backoff value has to equal batch AckWait";
    let wait = "400 10183 consumer ack wait needs to be positive";
    let entry = "400 10184 consumer backoff needs to be positive";
    let newest = [length, "ok", "ok", pedantic, pedantic, "ok", wait, entry, length];
    for (version, expected) in [
        (Version::V2_10, [length, "ok", "ok", "ok", "ok", "ok", "ok", "ok", length]),
        (Version::V2_11, [length, "ok", "ok", pedantic, pedantic, "ok", "ok", "ok", length]),
        (Version::V2_12, newest),
        (Version::V2_14, newest),
        (Version::V2_15, newest),
    ] {
        assert_eq!(
            answers(version, vec![shop(Retention::Limits)], calls()),
            expected,
            "{version:?}"
        );
    }
}

/// Recorded as `consumer_reuse_name`; the fixed settings below were asked of 2.12.8 one by one.
#[test]
fn refusals_of_a_name_in_use() {
    use CreateAction::{Create, CreateOrUpdate, Update};
    let start = |c: &mut ConsumerConfig| {
        (c.deliver_policy, c.opt_start_seq) = (DeliverPolicy::ByStartSequence, 2);
    };
    let moment = |ms| {
        move |c: &mut ConsumerConfig| {
            (c.deliver_policy, c.opt_start_time) = (DeliverPolicy::ByStartTime, Time::ms(ms));
        }
    };
    let fixed = |text: &str| format!("500 10012 {text} can not be updated");
    for (first, action, second, expected) in [
        (
            named("C", |c| c.ack_wait = Dur::secs(2)),
            Create,
            named("C", |c| c.ack_wait = Dur::secs(2)),
            "ok".into(),
        ),
        (
            named("C", |_| ()),
            Create,
            named("C", |c| c.ack_wait = Dur::secs(3)),
            "400 10148 consumer already exists".into(),
        ),
        (
            named("C", |_| ()),
            CreateOrUpdate,
            named("C", |c| c.ack_wait = Dur::secs(3)),
            "ok".into(),
        ),
        (
            named("C", |_| ()),
            Update,
            named("NOPE", |_| ()),
            "400 10149 consumer does not exist".into(),
        ),
        (
            named("C", |_| ()),
            Update,
            named("C", |c| (c.filter_subjects, c.max_ack_pending) = (filters(&["s.b"]), 5)),
            "ok".into(),
        ),
        (
            named("C", |_| ()),
            CreateOrUpdate,
            named("C", |c| c.ack_policy = AckPolicy::All),
            fixed("ack policy"),
        ),
        (
            named("C", |_| ()),
            CreateOrUpdate,
            named("C", |c| c.deliver_policy = DeliverPolicy::New),
            fixed("deliver policy"),
        ),
        (
            named("C", start),
            Update,
            named("C", |c| {
                start(c);
                c.opt_start_seq = 3;
            }),
            fixed("start sequence"),
        ),
        (named("C", moment(1)), Update, named("C", moment(2)), fixed("start time")),
        (
            named("C", |_| ()),
            Update,
            named("C", |c| c.replay_policy = ReplayPolicy::Original),
            fixed("replay policy"),
        ),
        (named("C", |_| ()), Update, named("C", |c| c.max_waiting = 3), fixed("max waiting")),
        (
            named("C", |_| ()),
            Update,
            named("C", |c| c.deliver_subject = "p".into()),
            "500 10012 can not update pull consumer to push based".into(),
        ),
        (
            named("C", |c| c.deliver_subject = "p".into()),
            Update,
            named("C", |_| ()),
            "500 10012 can not update push consumer to pull based".into(),
        ),
    ] {
        let calls = vec![call(Create, false, first), call(action, false, second.clone())];
        let said = answers(Version::V2_12, vec![shop(Retention::Limits)], calls);
        assert_eq!(said, ["ok".to_owned(), expected], "{action:?} {second:?}");
    }
}

/// Recorded as `js_workqueue_removal`, `js_workqueue_overlap` and in `config-checks`.
#[test]
fn refusals_of_a_work_queue() {
    let of =
        |filter: &'static str| move |c: &mut ConsumerConfig| c.filter_subjects = filters(&[filter]);
    let calls = || {
        vec![
            create("C", of("s.a")),
            create("D", |_| ()),
            create("SAME", of("s.a")),
            create("WIDE", of("s.>")),
            create("OTHER", of("s.b")),
            create("TWO", |c| c.filter_subjects = filters(&["s.c", "s.b"])),
            create("NEW", |c| c.deliver_policy = DeliverPolicy::New),
            create("NEWP", |c| {
                (c.deliver_policy, c.filter_subjects) = (DeliverPolicy::New, filters(&["s.d"]));
            }),
            create("Z", |c| {
                (c.ack_policy, c.filter_subjects) = (AckPolicy::None, filters(&["s.z"]));
            }),
            create("AA", |c| {
                (c.ack_policy, c.filter_subjects) = (AckPolicy::All, filters(&["s.aa"]));
            }),
            create("ZB", |c| (c.ack_policy, c.backoff) = (AckPolicy::None, backoff(&[100]))),
            create("OUT", of("other.x")),
        ]
    };
    let many = "400 10099 multiple non-filtered consumers not allowed on workqueue stream";
    let twice = "400 10100 filtered consumer not unique on workqueue stream";
    let from = "400 10101 consumer must be deliver all on workqueue stream";
    let ack = "400 10098 workqueue stream requires explicit ack";
    let none = "400 10084 consumer in pull mode requires explicit ack policy on workqueue stream";
    let short = "400 10084 consumer in pull mode requires ack policy";
    for (version, new, none) in [
        (Version::V2_10, many, short),
        (Version::V2_11, many, none),
        (Version::V2_12, many, none),
        (Version::V2_14, from, none),
        (Version::V2_15, from, none),
    ] {
        assert_eq!(
            answers(version, vec![shop(Retention::WorkQueue)], calls()),
            ["ok", many, twice, twice, "ok", twice, new, from, none, ack, none, "ok"],
            "{version:?}"
        );
    }
}

/// As 2.12.8 answered, asked one by one.
#[test]
fn refusals_of_one_consumer() {
    let not_set = "400 10094 consumer delivery policy is deliver by start sequence, but optional start sequence is not set";
    let also = |policy: &str| {
        format!(
            "400 10094 consumer delivery policy is {policy}, but optional start sequence is also set"
        )
    };
    let start = |policy| {
        move |c: &mut ConsumerConfig| {
            (c.deliver_policy, c.opt_start_seq, c.filter_subjects) = (policy, 3, filters(&["s.x"]));
        }
    };
    for (config, expected) in [
        (
            named("a", |c| c.deliver_subject = "p.*".into()),
            "400 10079 consumer deliver subject has wildcards".into(),
        ),
        (
            named("a", |c| (c.deliver_subject, c.max_waiting) = ("p".into(), 5)),
            "400 10080 consumer in push mode can not set max waiting".into(),
        ),
        (
            named("a", |c| {
                (c.deliver_subject, c.ack_policy, c.max_ack_pending) =
                    ("p".into(), AckPolicy::None, 5);
            }),
            "400 10082 consumer requires ack policy for max ack pending".into(),
        ),
        (
            named("a", |c| c.filter_subjects = filters(&["s.b", ""])),
            "400 10139 consumer filter in FilterSubjects cannot be empty".into(),
        ),
        (
            named("a", |c| c.filter_subjects = filters(&["s.b", "s.*"])),
            "400 10138 consumer subject filters cannot overlap".into(),
        ),
        (named("a", |c| c.deliver_policy = DeliverPolicy::ByStartSequence), not_set.to_owned()),
        (named("a", start(DeliverPolicy::All)), also("deliver all")),
        (named("a", start(DeliverPolicy::Last)), also("deliver last")),
        (named("a", start(DeliverPolicy::New)), also("deliver new")),
        (named("a", start(DeliverPolicy::LastPerSubject)), also("deliver last per subject")),
    ] {
        let said = answers(
            Version::V2_12,
            vec![shop(Retention::Limits)],
            vec![call(CreateAction::Create, false, config.clone())],
        );
        assert_eq!(said, [expected], "{config:?}");
    }
}

/// Recorded as `defaults`; discard per subject was asked of 2.12.8.
#[test]
fn refusals_of_a_stream() {
    let stream = |name: &str, change: &dyn Fn(&mut StreamConfig)| {
        let mut config = StreamConfig {
            name: name.into(),
            subjects: vec![format!("{}.>", name.to_lowercase())],
            ..StreamConfig::default()
        };
        change(&mut config);
        Op::CreateStream(config)
    };
    let calls = vec![
        stream("T", &|_| ()),
        stream("T", &|_| ()),
        stream("T", &|s| s.max_msgs = 5),
        stream("U", &|s| s.max_age = Dur::secs(30)),
        stream("V", &|s| (s.max_age, s.duplicate_window) = (Dur::secs(30), Dur::secs(60))),
        stream("W", &|s| s.subjects = vec!["t.a".into()]),
        stream("X", &|s| (s.discard_new_per_subject, s.max_msgs_per_subject) = (true, 1)),
        stream("Y", &|s| (s.discard_new_per_subject, s.discard) = (true, Discard::New)),
        Op::DeleteConsumer(ConsumerRef { stream: "T".into(), consumer: "nobody".into() }),
    ];
    assert_eq!(
        answers(Version::V2_12, vec![], calls),
        [
            "ok",
            "ok",
            "400 10058 stream name already in use with a different configuration",
            "ok",
            "500 10052 duplicates window can not be larger then max age",
            "400 10065 subjects overlap with an existing stream",
            "500 10052 discard new per subject requires discard new policy to be set",
            "500 10052 discard new per subject requires max msgs per subject > 0",
            "404 10014 consumer not found",
        ]
    );
}

/// What a server makes of what is left open (R105), and of what it replaces.
#[test]
fn defaults_of_a_server() {
    for (config, wait, cap, deliver, waiting) in [
        (named("pull", |_| ()), Dur::secs(30), 1000, -1, 512),
        (named("none", |c| c.ack_policy = AckPolicy::None), Dur::ZERO, 0, -1, 512),
        (named("push", |c| c.deliver_subject = "p".into()), Dur::secs(30), 1000, -1, 0),
        (named("never", |c| c.max_deliver = 0), Dur::secs(30), 1000, -1, 512),
        (named("below", |c| c.max_deliver = -5), Dur::secs(30), 1000, -1, 512),
        (named("free", |c| c.max_ack_pending = -1), Dur::secs(30), -1, -1, 512),
        (
            named("both", |c| (c.ack_wait, c.backoff) = (Dur::secs(1), backoff(&[300, 600]))),
            Dur::ms(300),
            1000,
            -1,
            512,
        ),
    ] {
        let config = consumer_defaults(&config, Version::V2_12, false).unwrap();
        let shown =
            (config.ack_wait, config.max_ack_pending, config.max_deliver, config.max_waiting);
        assert_eq!(shown, (wait, cap, deliver, waiting), "{}", config.durable_name);
    }
    let stream = stream_defaults(&StreamConfig {
        max_age: Dur::secs(30),
        max_msgs: 0,
        ..shop(Retention::Limits)
    })
    .unwrap();
    assert_eq!((stream.duplicate_window, stream.max_msgs), (Dur::secs(30), -1));
    let others = [named("a", |_| ())];
    assert_eq!(
        consumer_on_stream(
            &named("b", |_| ()),
            &shop(Retention::WorkQueue),
            &others.iter(),
            Version::V2_12
        )
        .unwrap_err()
        .to_string(),
        "the server refuses it with 10099 `multiple non-filtered consumers not allowed on workqueue stream`; give every consumer of a work queue a filter that no other one covers"
    );
}

// --- what a server takes, but bites -------------------------------------------------------------

/// A consumer and a stream that nothing is to be said about.
fn healthy() -> (ConsumerConfig, StreamConfig) {
    (named("worker", |c| c.max_deliver = 5), shop(Retention::Limits))
}

#[test]
fn a_healthy_configuration_gets_no_warning() {
    let (consumer, stream) = healthy();
    assert_eq!(warnings(&consumer, &stream, Dur::secs(1), 10), [""; 0]);
    let consumer = consumer_defaults(&consumer, Version::V2_12, false).unwrap();
    let stream = stream_defaults(&stream).unwrap();
    assert_eq!(
        warnings(&consumer, &stream, Dur::ms(3_000), 10),
        [""; 0],
        "as the server completes them"
    );
}

#[test]
fn each_trap_is_told() {
    type Change<'a> = &'a dyn Fn(&mut ConsumerConfig, &mut StreamConfig);
    let silence = "backoff is for deliveries that nobody answers: a plain nak comes back at once and uses up an attempt; to wait for the next entry, do not answer";
    let rows: &[(Change<'_>, u64, u32, &[&str])] = &[
        (
            &|_, _| (),
            30_000,
            1,
            &[
                "work of 30 s outlasts ack_wait (30 s): a second worker gets the message while the first is still at it; make ack_wait longer than the longest work, or send in progress meanwhile",
            ],
        ),
        (
            &|c, _| c.backoff = backoff(&[2_000, 2_000]),
            3_000,
            1,
            &[
                "work of 3 s outlasts the first entry of backoff (2 s): a second worker gets the message while the first is still at it; make the first entry of backoff longer than the longest work, or send in progress meanwhile",
                silence,
            ],
        ),
        (
            &|_, _| (),
            3_001,
            10,
            &[
                "a batch of 10 at 3.001 s each outlasts ack_wait (30 s): the stopwatch starts when the server sends, so the last messages can be delivered again before their turn; pull fewer at once, or make ack_wait longer",
            ],
        ),
        (
            &|c, _| c.deliver_subject = "p".into(),
            100,
            1,
            &[
                "a push buffer of 1000 messages (max_ack_pending) at 100 ms each outlasts ack_wait (30 s): the stopwatch starts when the server sends, so the last messages can be delivered again before their turn; lower max_ack_pending, or make ack_wait longer",
            ],
        ),
        (
            &|c, _| c.ack_wait = Dur::ms(200),
            10,
            10,
            &[
                "ack_wait of 200 ms is below 1 s: a short pause of a worker or of the network already brings a second delivery, and after a restart the server counts in whole seconds; use a second or more",
            ],
        ),
        (
            &|c, _| (c.backoff, c.ack_wait) = (backoff(&[5_000]), Dur::secs(30)),
            10,
            10,
            &[
                "ack_wait of 30 s is not used: the server sets it to the first entry of backoff, 5 s; leave it out",
                silence,
            ],
        ),
        (
            &|c, _| c.backoff = backoff(&[1_000, 1_000, 1_000, 1_000, 1_000]),
            10,
            10,
            &[
                "the last entry of backoff delays no delivery: with max_deliver 5 it only passes before the message is given up; allow one delivery more, or drop the entry",
                silence,
            ],
        ),
        (
            &|c, _| c.backoff = backoff(&[1_000, 5_000, 30_000]),
            10,
            10,
            &[
                silence,
                "a nak with delay waits longer than it asks, by up to 29 s: the server adds the entry of the attempt and takes off the first; use backoff or naks with delay, not both",
            ],
        ),
        (
            &|c, _| c.backoff = backoff(&[5_000, 1_000]),
            10,
            10,
            &[
                silence,
                "a nak with delay waits less than it asks, by up to 4 s: the server adds the entry of the attempt and takes off the first; let backoff grow",
            ],
        ),
        (
            &|c, _| c.max_deliver = -1,
            10,
            10,
            &[
                "max_deliver has no limit: a message that always fails comes back for ever; set one, and look after what runs out of it",
            ],
        ),
        (
            &|c, _| c.max_deliver = 1,
            10,
            10,
            &[
                "max_deliver of 1 allows no second try: a message whose worker crashes, or whose ack is lost, is never delivered again; allow at least 2",
            ],
        ),
        (
            &|_, s| s.retention = Retention::WorkQueue,
            10,
            10,
            &[
                "a message that runs out of deliveries stays in the stream: only an ack, a limit or a delete removes it; let a handler of the max-deliveries advisory copy and delete it",
            ],
        ),
        (
            &|_, s| s.retention = Retention::Interest,
            10,
            10,
            &[
                "a message that runs out of deliveries stays in the stream: only an ack, a limit or a delete removes it; let a handler of the max-deliveries advisory copy and delete it",
                "interest retention keeps nothing that is published while no consumer matches it; create the consumer before the first publish",
            ],
        ),
        (
            &|c, _| c.max_ack_pending = 1,
            10,
            10,
            &[
                "max_ack_pending of 1 keeps order but lets all workers together handle one message at a time, and a crash stops the line for 30 s; raise it where order does not matter",
            ],
        ),
        (
            &|c, _| c.max_ack_pending = 5,
            10,
            10,
            &[
                "a batch of 10 never fills: max_ack_pending lets 5 messages out until one is answered; pull fewer at once, or raise it",
            ],
        ),
        (
            &|c, _| c.max_ack_pending = -1,
            10,
            10,
            &[
                "max_ack_pending has no limit: the server hands out as many messages as are asked for, however few are answered; set it to what the workers can hold",
            ],
        ),
        (
            &|c, _| (c.max_ack_pending, c.deliver_subject) = (-1, "p".into()),
            10,
            10,
            &[
                "a push buffer without a limit at 10 ms each outlasts ack_wait (30 s): the stopwatch starts when the server sends, so the last messages can be delivered again before their turn; lower max_ack_pending, or make ack_wait longer",
                "max_ack_pending has no limit: the server hands out as many messages as are asked for, however few are answered; set it to what the workers can hold",
            ],
        ),
        (
            &|c, _| c.ack_policy = AckPolicy::All,
            10,
            10,
            &[
                "ack_policy all settles every earlier message too, also those that another worker still holds: a crash of that worker loses them; use explicit with more than one worker",
            ],
        ),
        (
            &|c, _| (c.ack_policy, c.max_deliver) = (AckPolicy::None, 0),
            60_000,
            10,
            &[
                "ack_policy none counts a delivery as done: what a worker holds when it crashes is lost; use explicit where that matters",
            ],
        ),
        (
            &|c, _| c.filter_subjects = filters(&["s.a", "other.x"]),
            10,
            10,
            &[
                "filter `other.x` matches nothing that stream `S` captures: nothing is ever delivered by it; correct it, or add the subject to the stream",
            ],
        ),
        (
            &|c, _| c.inactive_threshold = Dur::secs(300),
            10,
            10,
            &[
                "inactive_threshold deletes the consumer and its position once no worker has pulled for 5 min; leave it out, or make it longer than the longest outage",
            ],
        ),
        (
            &|_, s| s.max_age = Dur::secs(149),
            10,
            10,
            &[
                "all deliveries take 2 min 30 s but max_age is 2 min 29 s: the limit removes the message before they are through; make max_age longer",
            ],
        ),
        (
            &|c, s| {
                (c.max_deliver, c.backoff, s.max_age) =
                    (-1, backoff(&[10_000, 10_000]), Dur::secs(19));
            },
            10,
            10,
            &[
                silence,
                "max_deliver has no limit: a message that always fails comes back for ever; set one, and look after what runs out of it",
                "the retries take 20 s but max_age is 19 s: the limit removes the message before they are through; make max_age longer",
            ],
        ),
        (
            &|_, s| s.max_age = Dur::ZERO,
            10,
            10,
            &[
                "an ack removes nothing under limits retention, and no limit is set: the stream grows until the disk is full; set max_age, max_msgs or max_bytes",
            ],
        ),
        (
            &|_, s| s.max_msgs = 1000,
            10,
            10,
            &[
                "discard old drops the oldest message of a full stream, handled or not, and tells nobody; use discard new where none may be lost",
            ],
        ),
        (
            &|_, s| (s.max_bytes, s.discard) = (1000, Discard::New),
            10,
            10,
            &[
                "discard new refuses every publish to a full stream, and a plain publish does not hear of it; publish through JetStream, check the PubAck and try again later",
            ],
        ),
        (
            &|_, s| s.max_msgs_per_subject = 3,
            10,
            10,
            &[
                "max_msgs_per_subject keeps the newest 3 of each subject: an older one is removed, handled or not, and nobody is told; raise it where each counts",
            ],
        ),
        (
            &|_, s| s.duplicate_window = Dur::secs(2),
            10,
            10,
            &[
                "duplicate_window of 2 s is shorter than a publish usually waits before its retry (5 s): a message that was stored is stored again; make it longer than the longest retry",
            ],
        ),
    ];
    for (i, (change, work, batch, expected)) in rows.iter().enumerate() {
        let (mut consumer, mut stream) = healthy();
        change(&mut consumer, &mut stream);
        assert_eq!(warnings(&consumer, &stream, Dur::ms(*work), *batch), *expected, "row {i}");
    }
}
