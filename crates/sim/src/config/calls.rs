//! Configurations as calls of the client libraries and the command line that create what they say.

use super::write::quoted;
use crate::scenario::{
    AckPolicy, ConsumerConfig, DeliverPolicy, Discard, ReplayPolicy, Retention, StreamConfig,
};
use crate::time::{Dur, SEC};

/// The languages of [`calls`], as code blocks name them.
pub const LANGUAGES: [&str; 7] =
    ["go", "python", "rust", "javascript", "java", "csharp", "console"];

/// What one field is called in each of [`LANGUAGES`]; empty where it is said in another way.
type Names = [&'static str; 7];

/// One field with its value.
struct Field(Names, Value);

enum Value {
    Number(i64),
    Dur(Dur),
    Durs(Vec<Dur>),
    Text(String),
    Texts(Vec<String>),
    Yes,
    /// A word that is written differently in each language.
    Word(Names),
}

/// The code that creates a stream and one of its consumers, in each of [`LANGUAGES`].
///
/// It says what is not the default of a server (R105), and the ack policy. It creates pull consumers; where one starts,
/// if by sequence or time, is left out. The command line has no list of pauses: with a backoff it reads the file
/// `consumer.json`, which [`consumer_json`](super::consumer_json) writes.
pub fn calls(stream: &StreamConfig, consumer: &ConsumerConfig) -> [String; 7] {
    let (of_stream, of_consumer) = (stream_fields(stream), consumer_fields(consumer));
    let name = quoted(&stream.name);
    let durable = quoted(&consumer.durable_name);
    let named = |key: &'static str| [(key, name.clone())];
    let kept = |key: &'static str| [(key, durable.clone())];

    let go = {
        let aligned = |list: Vec<(&str, String)>| {
            let wide = list.iter().map(|(name, _)| name.len()).max().unwrap_or_default() + 1;
            let line =
                |(name, code): (&str, String)| format!("\t{:wide$} {code},\n", format!("{name}:"));
            list.into_iter().map(line).collect::<String>()
        };
        format!(
            "_, err := js.CreateStream(ctx, jetstream.StreamConfig{{\n{}}})\nif err != nil {{\n\treturn err\n}}\n\
             cons, err := js.CreateOrUpdateConsumer(ctx, {name}, jetstream.ConsumerConfig{{\n{}}})\n",
            aligned(fields(0, &of_stream, &named("Name"))),
            aligned(fields(0, &of_consumer, &kept("Durable")))
        )
    };
    let python = format!(
        "await js.add_stream(StreamConfig(\n{}))\nawait js.add_consumer({name}, ConsumerConfig(\n{}))\n",
        lines(&fields(1, &of_stream, &named("name")), "    ", "=", ","),
        lines(&fields(1, &of_consumer, &kept("durable_name")), "    ", "=", ",")
    );
    let rust = format!(
        "let stream = js.create_stream(stream::Config {{\n{}    ..Default::default()\n}}).await?;\n\
         let consumer = stream.create_consumer(consumer::pull::Config {{\n{}    ..Default::default()\n}}).await?;\n",
        lines(&fields(2, &of_stream, &[("name", format!("{name}.into()"))]), "    ", ": ", ","),
        lines(
            &fields(2, &of_consumer, &[("durable_name", format!("Some({durable}.into())"))]),
            "    ",
            ": ",
            ","
        )
    );
    let javascript = format!(
        "await jsm.streams.add({{\n{}}});\nawait jsm.consumers.add({name}, {{\n{}}});\n",
        lines(&fields(3, &of_stream, &named("name")), "  ", ": ", ","),
        lines(&fields(3, &of_consumer, &kept("durable_name")), "  ", ": ", ",")
    );
    let java = format!(
        "jsm.addStream(StreamConfiguration.builder()\n{}    .build());\n\
         jsm.addOrUpdateConsumer({name}, ConsumerConfiguration.builder()\n{}    .build());\n",
        lines(&fields(4, &of_stream, &named("name")), "    .", "(", ")"),
        lines(&fields(4, &of_consumer, &kept("durable")), "    .", "(", ")")
    );
    let csharp = {
        let body = |list: &[(&str, String)]| match list {
            [] => String::new(),
            list => format!("\n{{\n{}}}", lines(list, "    ", " = ", ",")),
        };
        let subjects = Value::Texts(stream.subjects.clone()).code(5);
        format!(
            "await js.CreateStreamAsync(new StreamConfig({name}, {subjects}){});\n\
             await js.CreateOrUpdateConsumerAsync({name}, new ConsumerConfig({durable}){});\n",
            body(&fields(5, &of_stream, &[])),
            body(&fields(5, &of_consumer, &[]))
        )
    };
    let console = {
        let flags = |list: &[(&str, String)]| {
            let flag = |(name, code): &(&str, String)| match code.as_str() {
                "" => format!(" \\\n  {name}"),
                _ => format!(" \\\n  {name} {code}"),
            };
            list.iter().map(flag).collect::<String>()
        };
        let consumer_line = if consumer.backoff.is_empty() {
            format!(
                "nats consumer add {} {} --pull{} \\\n  --defaults\n",
                stream.name,
                consumer.durable_name,
                flags(&fields(6, &of_consumer, &[]))
            )
        } else {
            format!("nats consumer add {} --config consumer.json\n", stream.name)
        };
        format!(
            "nats stream add {}{} \\\n  --defaults\n{consumer_line}",
            stream.name,
            flags(&fields(6, &of_stream, &[]))
        )
    };
    [go, python, rust, javascript, java, csharp, console]
}

/// The fields as a language has them, behind those that come first.
fn fields<'a>(
    language: usize,
    fields: &[Field],
    first: &[(&'a str, String)],
) -> Vec<(&'a str, String)> {
    let own = fields.iter().filter(|Field(names, _)| !names[language].is_empty());
    let own = own.map(|Field(names, value)| (names[language], value.code(language)));
    first.iter().cloned().chain(own).collect()
}

fn lines(list: &[(&str, String)], before: &str, between: &str, after: &str) -> String {
    list.iter().map(|(name, code)| format!("{before}{name}{between}{code}{after}\n")).collect()
}

fn stream_fields(config: &StreamConfig) -> Vec<Field> {
    let mut list = vec![Field(
        ["Subjects", "subjects", "subjects", "subjects", "subjects", "", "--subjects"],
        Value::Texts(config.subjects.clone()),
    )];
    let mut add = |there: bool, names: Names, value: Value| {
        if there {
            list.push(Field(names, value));
        }
    };
    add(
        config.retention != Retention::Limits,
        [
            "Retention",
            "retention",
            "retention",
            "retention",
            "retentionPolicy",
            "Retention",
            "--retention",
        ],
        Value::Word(match config.retention {
            Retention::WorkQueue => [
                "jetstream.WorkQueuePolicy",
                "RetentionPolicy.WORK_QUEUE",
                "stream::RetentionPolicy::WorkQueue",
                "RetentionPolicy.Workqueue",
                "RetentionPolicy.WorkQueue",
                "StreamConfigRetention.Workqueue",
                "work",
            ],
            _ => [
                "jetstream.InterestPolicy",
                "RetentionPolicy.INTEREST",
                "stream::RetentionPolicy::Interest",
                "RetentionPolicy.Interest",
                "RetentionPolicy.Interest",
                "StreamConfigRetention.Interest",
                "interest",
            ],
        }),
    );
    for (limit, names) in [
        (
            config.max_msgs,
            [
                "MaxMsgs",
                "max_msgs",
                "max_messages",
                "max_msgs",
                "maxMessages",
                "MaxMsgs",
                "--max-msgs",
            ],
        ),
        (
            config.max_bytes,
            [
                "MaxBytes",
                "max_bytes",
                "max_bytes",
                "max_bytes",
                "maxBytes",
                "MaxBytes",
                "--max-bytes",
            ],
        ),
        (
            config.max_msgs_per_subject,
            [
                "MaxMsgsPerSubject",
                "max_msgs_per_subject",
                "max_messages_per_subject",
                "max_msgs_per_subject",
                "maxMessagesPerSubject",
                "MaxMsgsPerSubject",
                "--max-msgs-per-subject",
            ],
        ),
    ] {
        add(limit >= 0, names, Value::Number(limit));
    }
    add(
        config.max_age != Dur::ZERO,
        ["MaxAge", "max_age", "max_age", "max_age", "maxAge", "MaxAge", "--max-age"],
        Value::Dur(config.max_age),
    );
    add(
        config.discard == Discard::New,
        ["Discard", "discard", "discard", "discard", "discardPolicy", "Discard", "--discard"],
        Value::Word([
            "jetstream.DiscardNew",
            "DiscardPolicy.NEW",
            "stream::DiscardPolicy::New",
            "DiscardPolicy.New",
            "DiscardPolicy.New",
            "StreamConfigDiscard.New",
            "new",
        ]),
    );
    add(
        config.discard_new_per_subject,
        [
            "DiscardNewPerSubject",
            "discard_new_per_subject",
            "discard_new_per_subject",
            "discard_new_per_subject",
            "discardNewPerSubject",
            "DiscardNewPerSubject",
            "--discard-per-subject",
        ],
        Value::Yes,
    );
    add(
        config.duplicate_window != Dur::ZERO,
        [
            "Duplicates",
            "duplicate_window",
            "duplicate_window",
            "duplicate_window",
            "duplicateWindow",
            "DuplicateWindow",
            "--dupe-window",
        ],
        Value::Dur(config.duplicate_window),
    );
    list
}

fn consumer_fields(config: &ConsumerConfig) -> Vec<Field> {
    let mut list = Vec::new();
    let mut add = |there: bool, names: Names, value: Value| {
        if there {
            list.push(Field(names, value));
        }
    };
    let deliver = match config.deliver_policy {
        DeliverPolicy::Last => Some([
            "jetstream.DeliverLastPolicy",
            "DeliverPolicy.LAST",
            "consumer::DeliverPolicy::Last",
            "DeliverPolicy.Last",
            "DeliverPolicy.Last",
            "ConsumerConfigDeliverPolicy.Last",
            "last",
        ]),
        DeliverPolicy::New => Some([
            "jetstream.DeliverNewPolicy",
            "DeliverPolicy.NEW",
            "consumer::DeliverPolicy::New",
            "DeliverPolicy.New",
            "DeliverPolicy.New",
            "ConsumerConfigDeliverPolicy.New",
            "new",
        ]),
        DeliverPolicy::LastPerSubject => Some([
            "jetstream.DeliverLastPerSubjectPolicy",
            "DeliverPolicy.LAST_PER_SUBJECT",
            "consumer::DeliverPolicy::LastPerSubject",
            "DeliverPolicy.LastPerSubject",
            "DeliverPolicy.LastPerSubject",
            "ConsumerConfigDeliverPolicy.LastPerSubject",
            "subject",
        ]),
        _ => None,
    };
    if let Some(words) = deliver {
        let names = [
            "DeliverPolicy",
            "deliver_policy",
            "deliver_policy",
            "deliver_policy",
            "deliverPolicy",
            "DeliverPolicy",
            "--deliver",
        ];
        add(true, names, Value::Word(words));
    }
    add(
        true,
        ["AckPolicy", "ack_policy", "ack_policy", "ack_policy", "ackPolicy", "AckPolicy", "--ack"],
        Value::Word(match config.ack_policy {
            AckPolicy::Explicit => [
                "jetstream.AckExplicitPolicy",
                "AckPolicy.EXPLICIT",
                "consumer::AckPolicy::Explicit",
                "AckPolicy.Explicit",
                "AckPolicy.Explicit",
                "ConsumerConfigAckPolicy.Explicit",
                "explicit",
            ],
            AckPolicy::All => [
                "jetstream.AckAllPolicy",
                "AckPolicy.ALL",
                "consumer::AckPolicy::All",
                "AckPolicy.All",
                "AckPolicy.All",
                "ConsumerConfigAckPolicy.All",
                "all",
            ],
            AckPolicy::None => [
                "jetstream.AckNonePolicy",
                "AckPolicy.NONE",
                "consumer::AckPolicy::None",
                "AckPolicy.None",
                "AckPolicy.None",
                "ConsumerConfigAckPolicy.None",
                "none",
            ],
        }),
    );
    add(
        config.ack_wait != Dur::ZERO && config.backoff.is_empty(),
        ["AckWait", "ack_wait", "ack_wait", "ack_wait", "ackWait", "AckWait", "--wait"],
        Value::Dur(config.ack_wait),
    );
    add(
        !config.backoff.is_empty(),
        ["BackOff", "backoff", "backoff", "backoff", "backoff", "Backoff", ""],
        Value::Durs(config.backoff.clone()),
    );
    add(
        config.max_deliver > 0,
        [
            "MaxDeliver",
            "max_deliver",
            "max_deliver",
            "max_deliver",
            "maxDeliver",
            "MaxDeliver",
            "--max-deliver",
        ],
        Value::Number(config.max_deliver),
    );
    match &config.filter_subjects[..] {
        [] => {}
        [one] => add(
            true,
            [
                "FilterSubject",
                "filter_subject",
                "filter_subject",
                "filter_subject",
                "filterSubject",
                "FilterSubject",
                "--filter",
            ],
            Value::Text(one.clone()),
        ),
        many => add(
            true,
            [
                "FilterSubjects",
                "filter_subjects",
                "filter_subjects",
                "filter_subjects",
                "filterSubjects",
                "FilterSubjects",
                "--filter",
            ],
            Value::Texts(many.to_vec()),
        ),
    }
    add(
        config.replay_policy == ReplayPolicy::Original,
        [
            "ReplayPolicy",
            "replay_policy",
            "replay_policy",
            "replay_policy",
            "replayPolicy",
            "ReplayPolicy",
            "--replay",
        ],
        Value::Word([
            "jetstream.ReplayOriginalPolicy",
            "ReplayPolicy.ORIGINAL",
            "consumer::ReplayPolicy::Original",
            "ReplayPolicy.Original",
            "ReplayPolicy.Original",
            "ConsumerConfigReplayPolicy.Original",
            "original",
        ]),
    );
    add(
        config.max_ack_pending > 0,
        [
            "MaxAckPending",
            "max_ack_pending",
            "max_ack_pending",
            "max_ack_pending",
            "maxAckPending",
            "MaxAckPending",
            "--max-pending",
        ],
        Value::Number(config.max_ack_pending),
    );
    add(
        config.inactive_threshold != Dur::ZERO,
        [
            "InactiveThreshold",
            "inactive_threshold",
            "inactive_threshold",
            "inactive_threshold",
            "inactiveThreshold",
            "InactiveThreshold",
            "--inactive-threshold",
        ],
        Value::Dur(config.inactive_threshold),
    );
    list
}

impl Value {
    /// The value as code of the language at this place.
    fn code(&self, language: usize) -> String {
        let durs =
            |list: &[Dur]| list.iter().map(|d| dur(*d, language)).collect::<Vec<_>>().join(", ");
        let into = if language == 2 { ".into()" } else { "" };
        let text = |text: &str| quoted(text) + into;
        match self {
            Self::Number(n) => n.to_string(),
            Self::Dur(d) => dur(*d, language),
            Self::Text(one) => text(one),
            Self::Word(words) => words[language].into(),
            Self::Yes => ["true", "True", "true", "true", "true", "true", ""][language].into(),
            Self::Durs(list) => match language {
                0 => format!("[]time.Duration{{{}}}", durs(list)),
                2 => format!("vec![{}]", durs(list)),
                4 => durs(list),
                _ => format!("[{}]", durs(list)),
            },
            Self::Texts(list) => {
                let list: Vec<String> = list.iter().map(|one| text(one)).collect();
                match language {
                    0 => format!("[]string{{{}}}", list.join(", ")),
                    2 => format!("vec![{}]", list.join(", ")),
                    4 => list.join(", "),
                    6 => list.join(","),
                    _ => format!("[{}]", list.join(", ")),
                }
            }
        }
    }
}

/// A duration as code, in the largest unit that it is a whole number of; milliseconds at the least.
fn dur(d: Dur, language: usize) -> String {
    let (secs, ms) = (d.0 / SEC, d.as_ms());
    let whole = d.0.is_multiple_of(SEC);
    match language {
        0 => {
            let units =
                [(3600 * SEC, "time.Hour"), (60 * SEC, "time.Minute"), (SEC, "time.Second")];
            let (size, unit) = units
                .into_iter()
                .find(|(size, _)| d.0.is_multiple_of(*size))
                .unwrap_or((SEC / 1000, "time.Millisecond"));
            match d.0 / size {
                1 => unit.into(),
                n => format!("{n} * {unit}"),
            }
        }
        1 if whole => secs.to_string(),
        1 => format!("{secs}.{:03}", ms % 1000).trim_end_matches('0').into(),
        2 if whole => format!("Duration::from_secs({secs})"),
        2 => format!("Duration::from_millis({ms})"),
        3 => format!("nanos({ms})"),
        4 if whole => format!("Duration.ofSeconds({secs})"),
        4 => format!("Duration.ofMillis({ms})"),
        5 if whole => format!("TimeSpan.FromSeconds({secs})"),
        5 => format!("TimeSpan.FromMilliseconds({ms})"),
        _ => d.go(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_work_queue_is_created_in_every_language() {
        let stream = StreamConfig {
            name: "ORDERS".into(),
            subjects: vec!["orders.>".into()],
            retention: Retention::WorkQueue,
            max_age: Dur::secs(3600),
            ..StreamConfig::default()
        };
        let mut consumer = ConsumerConfig {
            durable_name: "emails".into(),
            ack_wait: Dur::secs(90),
            max_deliver: 5,
            max_ack_pending: 1,
            ..ConsumerConfig::default()
        };
        let expected = [
            "_, err := js.CreateStream(ctx, jetstream.StreamConfig{\n\
             \tName:      \"ORDERS\",\n\
             \tSubjects:  []string{\"orders.>\"},\n\
             \tRetention: jetstream.WorkQueuePolicy,\n\
             \tMaxAge:    time.Hour,\n\
             })\n\
             if err != nil {\n\treturn err\n}\n\
             cons, err := js.CreateOrUpdateConsumer(ctx, \"ORDERS\", jetstream.ConsumerConfig{\n\
             \tDurable:       \"emails\",\n\
             \tAckPolicy:     jetstream.AckExplicitPolicy,\n\
             \tAckWait:       90 * time.Second,\n\
             \tMaxDeliver:    5,\n\
             \tMaxAckPending: 1,\n\
             })\n",
            "await js.add_stream(StreamConfig(\n    name=\"ORDERS\",\n    subjects=[\"orders.>\"],\n    \
             retention=RetentionPolicy.WORK_QUEUE,\n    max_age=3600,\n))\n\
             await js.add_consumer(\"ORDERS\", ConsumerConfig(\n    durable_name=\"emails\",\n    \
             ack_policy=AckPolicy.EXPLICIT,\n    ack_wait=90,\n    max_deliver=5,\n    max_ack_pending=1,\n))\n",
            "let stream = js.create_stream(stream::Config {\n    name: \"ORDERS\".into(),\n    \
             subjects: vec![\"orders.>\".into()],\n    retention: stream::RetentionPolicy::WorkQueue,\n    \
             max_age: Duration::from_secs(3600),\n    ..Default::default()\n}).await?;\n\
             let consumer = stream.create_consumer(consumer::pull::Config {\n    \
             durable_name: Some(\"emails\".into()),\n    ack_policy: consumer::AckPolicy::Explicit,\n    \
             ack_wait: Duration::from_secs(90),\n    max_deliver: 5,\n    max_ack_pending: 1,\n    \
             ..Default::default()\n}).await?;\n",
            "await jsm.streams.add({\n  name: \"ORDERS\",\n  subjects: [\"orders.>\"],\n  \
             retention: RetentionPolicy.Workqueue,\n  max_age: nanos(3600000),\n});\n\
             await jsm.consumers.add(\"ORDERS\", {\n  durable_name: \"emails\",\n  ack_policy: AckPolicy.Explicit,\n  \
             ack_wait: nanos(90000),\n  max_deliver: 5,\n  max_ack_pending: 1,\n});\n",
            "jsm.addStream(StreamConfiguration.builder()\n    .name(\"ORDERS\")\n    .subjects(\"orders.>\")\n    \
             .retentionPolicy(RetentionPolicy.WorkQueue)\n    .maxAge(Duration.ofSeconds(3600))\n    .build());\n\
             jsm.addOrUpdateConsumer(\"ORDERS\", ConsumerConfiguration.builder()\n    .durable(\"emails\")\n    \
             .ackPolicy(AckPolicy.Explicit)\n    .ackWait(Duration.ofSeconds(90))\n    .maxDeliver(5)\n    \
             .maxAckPending(1)\n    .build());\n",
            "await js.CreateStreamAsync(new StreamConfig(\"ORDERS\", [\"orders.>\"])\n{\n    \
             Retention = StreamConfigRetention.Workqueue,\n    MaxAge = TimeSpan.FromSeconds(3600),\n});\n\
             await js.CreateOrUpdateConsumerAsync(\"ORDERS\", new ConsumerConfig(\"emails\")\n{\n    \
             AckPolicy = ConsumerConfigAckPolicy.Explicit,\n    AckWait = TimeSpan.FromSeconds(90),\n    \
             MaxDeliver = 5,\n    MaxAckPending = 1,\n});\n",
            "nats stream add ORDERS \\\n  --subjects \"orders.>\" \\\n  --retention work \\\n  --max-age 1h \\\n  --defaults\n\
             nats consumer add ORDERS emails --pull \\\n  --ack explicit \\\n  --wait 1m30s \\\n  --max-deliver 5 \\\n  \
             --max-pending 1 \\\n  --defaults\n",
        ];
        for ((language, code), expected) in
            LANGUAGES.iter().zip(calls(&stream, &consumer)).zip(expected)
        {
            assert_eq!(code, expected, "{language}");
        }
        // The command line has no list of pauses, and ack_wait is not said beside one.
        consumer.backoff = vec![Dur::ms(1_500), Dur::secs(60)];
        for (code, pauses) in calls(&stream, &consumer).iter().zip([
            "BackOff:       []time.Duration{1500 * time.Millisecond, time.Minute},",
            "backoff=[1.5, 60],",
            "backoff: vec![Duration::from_millis(1500), Duration::from_secs(60)],",
            "backoff: [nanos(1500), nanos(60000)],",
            ".backoff(Duration.ofMillis(1500), Duration.ofSeconds(60))",
            "Backoff = [TimeSpan.FromMilliseconds(1500), TimeSpan.FromSeconds(60)],",
            "nats consumer add ORDERS --config consumer.json\n",
        ]) {
            assert!(code.contains(pauses), "{pauses} is not in {code}");
            assert!(!code.to_lowercase().replace('_', "").contains("ackwait"), "{code}");
        }
    }

    #[test]
    fn what_is_not_usual_is_said() {
        let stream = StreamConfig {
            name: "PRICES".into(),
            subjects: vec!["prices.*".into(), "rates.*".into()],
            max_msgs_per_subject: 1,
            discard: Discard::New,
            discard_new_per_subject: true,
            ..StreamConfig::default()
        };
        let consumer = ConsumerConfig {
            durable_name: "view".into(),
            deliver_policy: DeliverPolicy::LastPerSubject,
            filter_subjects: vec!["prices.*".into()],
            ack_policy: AckPolicy::None,
            ..ConsumerConfig::default()
        };
        let code = calls(&stream, &consumer);
        for (language, part) in [
            (0, "Subjects:             []string{\"prices.*\", \"rates.*\"},"),
            (1, "discard=DiscardPolicy.NEW,\n    discard_new_per_subject=True,"),
            (2, "filter_subject: \"prices.*\".into(),"),
            (3, "deliver_policy: DeliverPolicy.LastPerSubject,\n  ack_policy: AckPolicy.None,"),
            (4, ".subjects(\"prices.*\", \"rates.*\")"),
            (5, "new StreamConfig(\"PRICES\", [\"prices.*\", \"rates.*\"])"),
            (
                6,
                "--subjects \"prices.*\",\"rates.*\" \\\n  --max-msgs-per-subject 1 \\\n  --discard new \\\n  --discard-per-subject \\\n",
            ),
            (6, "--deliver subject \\\n  --ack none \\\n  --filter \"prices.*\" \\\n"),
        ] {
            assert!(code[language].contains(part), "{part} is not in {}", code[language]);
        }
    }
}
