//! What a comparison says: a recording is changed in one place, and the sentence names the event.

use delivery_conformance::read::read;
use delivery_conformance::replay::{Verdict, judge};

fn text(file: &str) -> String {
    std::fs::read_to_string(format!("recordings/{file}.json")).unwrap()
}

/// The line of the event at `t` on `lane`, as the file has it.
fn line(file: &str, t: &str, lane: &str) -> String {
    let start = format!("{{\"t_ms\": {t}, \"lane\": \"{lane}\"");
    text(file).lines().find(|line| line.contains(&start)).unwrap().to_string()
}

/// What comes of a recording in which `from` is replaced by `to`, once.
fn verdict(file: &str, from: &str, to: &str) -> Verdict {
    let text = text(file);
    assert!(text.contains(from), "{from} is not in {file}");
    judge(&read(&text.replacen(from, to, 1)).unwrap())
}

const TRACE: &str = "traces/late_nak_after_redelivery";
const CASE: &str = "cases/batch-ack-clock-two-workers";

#[test]
fn a_changed_recording_fails_with_the_event_that_differs() {
    let second = line(TRACE, "454.1", "worker:w2");
    let third = line(TRACE, "602.7", "worker:w3");
    let nak = line(TRACE, "602.8", "advisory");
    let later = third.replace("602.7", "700").replace("601.4", "700").replace("606.0", "700");
    let earlier = second.replace("454.1", "300").replace("452.7", "300").replace("483.5", "300");
    for (file, from, to, starts, says) in [
        // A time beyond the tolerance.
        (
            TRACE,
            second.as_str(),
            earlier.as_str(),
            "on 2.10: expected at 300 ms (± 60 ms) on worker:w2: delivered",
            "stream_seq 1, num_delivered 2, data \"a\", got it at 45",
        ),
        // A field.
        (
            TRACE,
            "\"num_delivered\": 3",
            "\"num_delivered\": 4",
            "on 2.10: expected at 602.7 ms on worker:w3: delivered",
            "with num_delivered 4, got at 60",
        ),
        // A field that the simulator does not give.
        (
            TRACE,
            "\"num_waiting\": 0",
            "\"num_waiting\": 0, \"num_yawning\": 2",
            "on 2.10: expected at 652.1 ms on admin: info consumer \"C\" with num_yawning 2, got",
            "with num_yawning nothing",
        ),
        // An event that never came.
        (
            TRACE,
            third.as_str(),
            &format!("{third}\n{later}"),
            "on 2.10: expected at 700 ms on worker:w3: delivered",
            "num_delivered 3, data \"a\", got nothing more there",
        ),
        // An event that nobody recorded.
        (
            TRACE,
            nak.as_str(),
            "",
            "on 2.10: expected nothing more, got at 60",
            "on advisory: advisory type \"nak\", stream \"S\", consumer \"C\", stream_seq 1, deliveries 1",
        ),
        // Another kind.
        (
            TRACE,
            "\"lane\": \"worker:w3\", \"kind\": \"pull\"",
            "\"lane\": \"worker:w3\", \"kind\": \"status\"",
            "on 2.10: expected at 501.1 ms on worker:w3: status",
            "ms on worker:w3: pull consumer \"C\"",
        ),
        // The parts of a case.
        (
            CASE,
            "\"worker\": \"B\",\n    \"stream_seq\": 3",
            "\"worker\": \"B\",\n    \"stream_seq\": 4",
            "on 2.10: expected at 805 ms on worker:B: deliveries stream_seq 4",
            "with stream_seq 4, got at 80",
        ),
        (
            CASE,
            "\"advisories\": [],",
            "\"advisories\": [{\"t_ms\": 900, \"type\": \"nak\", \"stream_seq\": 1, \"deliveries\": 1}],",
            "on 2.10: expected at 900 ms (± 60 ms) on advisories: advisories type \"nak\"",
            "got nothing",
        ),
        (
            CASE,
            "\"outcome\": \"acked\"",
            "\"outcome\": \"in_flight\"",
            "on 2.10: expected in outcomes: per_message_outcome stream_seq 1",
            "with outcome \"in_flight\", got in outcomes: per_message_outcome stream_seq 1",
        ),
    ] {
        match verdict(file, from, to) {
            Verdict::Failed(said) => assert!(
                said.starts_with(starts) && said.contains(says),
                "{to}\nsays     {said}\nexpected {starts} … {says}"
            ),
            other => panic!("{file} with {to}: {other:?}"),
        }
    }
}

#[test]
fn what_lies_within_the_tolerance_passes() {
    let second = line(TRACE, "454.1", "worker:w2");
    for (from, to) in [
        // Within the tolerance of the median.
        (
            second.as_str(),
            second.replace("454.1", "500").replace("452.7", "500").replace("483.5", "500"),
        ),
        // Beyond it, but not of the earliest run.
        (second.as_str(), second.replace("454.1", "600").replace("483.5", "600")),
        // Texts that are not compared.
        ("\"num_waiting\": 0", "\"num_waiting\": 0, \"note\": \"well\"".to_string()),
        // Numbers by value.
        ("\"num_waiting\": 0", "\"num_waiting\": 0.0".to_string()),
    ] {
        assert!(matches!(verdict(TRACE, from, &to), Verdict::Passed(_)), "{to}");
    }
}

/// Two lanes in an order that the recording leaves no doubt about, though each time is within the tolerance.
#[test]
fn order_across_lanes_counts_where_times_are_clearly_apart() {
    let pull = line(TRACE, "501.1", "worker:w3");
    // The pull of w3 at 501 ms and the nak of w1 at 601 ms, moved until only their order is wrong.
    let nak = line(TRACE, "601.2", "worker:w1");
    let late_pull = pull.replace("501.1", "559").replace("500.1", "559").replace("501.9", "559");
    let verdict_of = |nak_at: &str| {
        let moved = nak.replace("601.2", nak_at).replace("600.4", nak_at).replace("602.2", nak_at);
        let text = text(TRACE).replace(&pull, &late_pull).replace(&nak, &moved);
        judge(&read(&text).unwrap())
    };
    assert!(matches!(verdict_of("625"), Verdict::Passed(_)));
    // Swapped: the pull is said to come clearly after what really follows it.
    let text = text(TRACE);
    let info = line(TRACE, "652.1", "admin");
    let ack = line(TRACE, "701.2", "worker:w2");
    let late_info = info.replace("652.1", "709").replace("651.0", "709").replace("654.5", "709");
    let early_ack = ack.replace("701.2", "645").replace("700.1", "645").replace("721.9", "645");
    let text = text.replace(&info, &late_info).replace(&ack, &early_ack);
    match judge(&read(&text).unwrap()) {
        Verdict::Failed(said) => assert!(
            said.contains("on admin: info consumer \"C\", after at 645 ms on worker:w2: ack_sent"),
            "{said}"
        ),
        other => panic!("{other:?}"),
    }
}
