//! Every recording, replayed: a table in the output, and a list of those that must pass.

use delivery_conformance::replay;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What must pass, by name; `*` stands for any end, and a variant (`.v2`) belongs to its name.
const MUST_PASS: [&str; 22] = [
    "crash_worker_article",
    "ack_wait_basic",
    "expire_*",
    "expired_no_pull",
    "late_ack_*",
    "late_nak_after_redelivery",
    "slow_worker_double",
    "wpi_*",
    "backoff_article",
    "backoff_nak",
    "backoff_nak_delay_quirk",
    "backoff_repeat_last",
    "backoff_two_messages",
    "backoff_update",
    "backoff_wpi",
    "max_deliver_pull",
    "max_deliver_one",
    "max_deliver_one_then_acks",
    "max_deliver_no_pull",
    "max_ack_pending_1_order_article",
    "pull_two_workers_*",
    "batch-ack-clock-two-workers",
];

fn fits(pattern: &str, id: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => id.starts_with(start),
        None => {
            id == pattern || id.strip_prefix(pattern).is_some_and(|rest| rest.starts_with(".v"))
        }
    }
}

#[test]
fn recordings_agree_with_the_simulator() {
    let mut report = Vec::new();
    let tally = replay(&[PathBuf::from("recordings")], &mut report).unwrap();
    let report = String::from_utf8(report).unwrap();
    println!("{report}");

    let mut used = BTreeSet::new();
    let mut missed = Vec::new();
    for line in report.lines().take_while(|line| !line.is_empty()) {
        let id = line[8..].split([' ', ':']).next().unwrap();
        for pattern in MUST_PASS.iter().filter(|pattern| fits(pattern, id)) {
            used.insert(*pattern);
            if !line.starts_with("passed") {
                missed.push(line);
            }
        }
    }
    assert!(missed.is_empty(), "these must pass:\n{}", missed.join("\n"));
    assert_eq!(used, BTreeSet::from(MUST_PASS), "a name fits no recording");
    assert_eq!(report.lines().last(), Some(tally.to_string().as_str()));
    let files = ["recordings/traces", "recordings/cases"].map(|folder| {
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        names.filter(|path| path.extension().is_some_and(|e| e == "json")).count()
    });
    assert_eq!(tally.passed + tally.failed + tally.skipped, files.iter().sum::<usize>());
}

#[test]
fn what_is_not_a_recording_is_a_line_and_no_panic() {
    let folder = std::env::temp_dir().join(format!("delivery-conformance-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("below")).unwrap();
    let real = std::fs::read_to_string("recordings/traces/ack_wait_basic.json").unwrap();
    let rows: [(&str, &str, &str); 12] = [
        ("a.json", "", "failed  {}: it is not JSON: EOF while parsing a value at line 1 column 0"),
        ("b.json", "[1]", "failed  {}: it is JSON, but not an object"),
        ("below/c.json", "{}", "failed  {}: it is not a recording: neither `scenario`"),
        ("d.json", &real.replace("\"schema\": 1", "\"schema\": 2"), "skipped {}: lacks schema 2"),
        (
            "e.json",
            &real.replace("\"schema\": 1,", ""),
            "failed  {}: it does not say which `schema` it follows",
        ),
        ("f.json", &real.replace("2.12.8", "2.13.0"), "skipped {}: lacks server 2.13.0"),
        (
            "g.json",
            &real.replace("\"ack_wait_ms\"", "\"headers_only\""),
            "skipped {}: lacks field headers_only of the trace",
        ),
        (
            "h.json",
            &real.replace("\"pull\", \"worker\"", "\"levitate\", \"worker\""),
            "skipped ack_wait_basic: lacks op levitate",
        ),
        (
            "i.json",
            &real.replacen("\"batch\": 6", "\"batch\": 6, \"heartbeat_ms\": 5", 1),
            "skipped ack_wait_basic: lacks field heartbeat_ms of op pull",
        ),
        (
            "j.json",
            &real.replacen("\"batch\": 6", "\"batch\": \"six\"", 1),
            "failed  ack_wait_basic: op pull: invalid type: string",
        ),
        (
            "k.json",
            &real.replacen("\"at_ms\": 0", "\"at_ms\": -1", 1),
            "skipped ack_wait_basic: lacks a negative duration",
        ),
        ("l.json", &real, "passed  ack_wait_basic (2.10 2.11 2.12 2.14 2.15)"),
    ];
    for (name, text, expected) in &rows {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        let mut report = Vec::new();
        replay(std::slice::from_ref(&path), &mut report).unwrap();
        let report = String::from_utf8(report).unwrap();
        let expected = expected.replace("{}", &path.display().to_string());
        assert!(report.starts_with(&expected), "{name}: {report}");
    }
    std::fs::write(folder.join("README.md"), "not read").unwrap();
    let mut report = Vec::new();
    let missing = folder.join("missing.json");
    let tally = replay(&[folder.clone(), missing.clone()], &mut report).unwrap();
    let report = String::from_utf8(report).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(
        report.contains(&format!("failed  {}: it cannot be read: ", missing.display())),
        "{report}"
    );
    assert_eq!(tally.to_string(), "1 passed, 6 failed, 6 skipped", "{report}");
}
