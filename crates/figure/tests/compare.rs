//! Two runs of one lab side by side: every difference is there, and nothing else.

use delivery_figure::compare::differences;
use delivery_sim::setting::Setting;
use delivery_sim::{Scenario, Time, Trace};

/// Two workers die with one order each, a third is there from T+8 s on.
const CRASH: &str = r#"
end = "16s"
[[streams]]
name = "ORDERS"
subjects = ["orders.>"]
[[consumers]]
stream = "ORDERS"
config = { durable_name = "emails", ack_wait = "5s" }
[[workers]]
name = "run 1"
expires = "30s"
behaviour = [{ steps = [{ after = "600ms", do = "crash" }] }]
[[workers]]
name = "run 2"
start = "1s"
expires = "30s"
behaviour = [{ steps = [{ after = "600ms", do = "crash" }] }]
[[workers]]
name = "run 3"
start = "8s"
expires = "30s"
service_time = "1.4s"
[[timeline]]
at = "0s"
op.publish = { subject = "orders.new", data = "order-{i}", count = 2 }
"#;

/// Nobody listens yet to the first message.
const LOSS: &str = r#"
end = "3s"
[[subscribers]]
name = "billing"
subject = "orders.>"
start = "1s"
[[timeline]]
at = "500ms"
op.publish = { subject = "orders.new", data = "order-1" }
[[timeline]]
at = "2s"
op.publish = { subject = "orders.new", data = "order-2" }
"#;

/// The run of a scenario with one setting turned; `=` for none.
fn run(scenario: &str, turned: &str) -> Trace {
    let mut scenario: Scenario = toml::from_str(scenario).unwrap();
    if let Some((path, text)) = turned.split_once(" = ") {
        let setting = Setting::parse(path).unwrap();
        let value = delivery_sim::setting::Value::parse(setting.form(), text).unwrap();
        assert!(setting.set(&mut scenario, &value), "{path}");
    }
    delivery_sim::run(&scenario).unwrap()
}

fn told(before: &Trace, after: &Trace) -> Vec<String> {
    let time = |t: Option<Time>| t.map_or("never".into(), |t| t.to_string());
    differences(before, after)
        .iter()
        .map(|d| format!("{}: {}, {}", d.what, time(d.before), time(d.after)))
        .collect()
}

#[test]
fn what_differs_between_two_runs() {
    for (scenario, turned, lines) in [
        (CRASH, "", vec![]),
        (CRASH, "consumer.ack_wait = 4s", vec![]),
        (
            CRASH,
            "consumer.ack_wait = 10s",
            vec![
                "order-1, delivery 2: T+8.0 s, T+10.0 s",
                "order-1 is worked on: T+9.4 s, T+11.4 s",
                "order-2, delivery 2: T+9.4 s, T+11.4 s",
                "order-2 is worked on: T+10.8 s, T+12.8 s",
            ],
        ),
        (
            CRASH,
            "consumer.max_deliver = 1",
            vec![
                "order-1 is given up: never, T+5.0 s",
                "order-2 is given up: never, T+6.0 s",
                "order-1, delivery 2: T+8.0 s, never",
                "order-1 is worked on: T+9.4 s, never",
                "order-2, delivery 2: T+9.4 s, never",
                "order-2 is worked on: T+10.8 s, never",
            ],
        ),
        (
            CRASH,
            "publish.count = 3",
            vec!["order-3, delivery 1: never, T+10.8 s", "order-3 is worked on: never, T+12.2 s"],
        ),
        (
            LOSS,
            "publish.at = 1500ms",
            vec![
                "order-1 is lost: T+0.5 s, never",
                "order-1 is worked on: never, T+1.5 s",
                "order-2 is worked on: T+2.0 s, T+1.5 s",
            ],
        ),
    ] {
        let (before, after) = (run(scenario, ""), run(scenario, turned));
        assert_eq!(told(&before, &after), lines, "{turned}");
        // The other way round it is the same with the moments exchanged.
        let exchanged: Vec<String> = differences(&after, &before)
            .into_iter()
            .map(|d| format!("{} {:?} {:?}", d.what, d.after, d.before))
            .collect();
        let mut same: Vec<String> = differences(&before, &after)
            .into_iter()
            .map(|d| format!("{} {:?} {:?}", d.what, d.before, d.after))
            .collect();
        let mut exchanged = exchanged;
        same.sort();
        exchanged.sort();
        assert_eq!(same, exchanged, "{turned}, exchanged");
    }
}
