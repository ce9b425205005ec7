//! Proof that no check is empty: whatever is compared in a recording, a change of it makes the recording fail.

use delivery_conformance::compare::{Comparison, is_compared};
use delivery_conformance::event::{Event, When};
use delivery_conformance::read::{Recording, Timing, read};
use delivery_conformance::run::simulate;
use serde_json::Value;

/// Every recording that passes, once for the first and once for the last release that it names.
fn passing() -> Vec<(String, Comparison)> {
    let mut all = Vec::new();
    for folder in ["recordings/traces", "recordings/cases"] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|e| e != "json") {
                continue;
            }
            let Ok(recording) = read(&std::fs::read_to_string(path).unwrap()) else { continue };
            let agrees = |(_, comparison): &(_, Comparison)| comparison.difference() == Ok(None);
            all.extend(compared(&recording).into_iter().filter(agrees));
        }
    }
    assert!(all.len() > 100, "only {} recordings pass", all.len());
    all
}

fn compared(recording: &Recording) -> Vec<(String, Comparison)> {
    let versions = &recording.versions;
    let mut ends = vec![versions.first().unwrap()];
    ends.extend((versions.len() > 1).then(|| versions.last().unwrap()));
    let one = |(release, version): &(String, _)| {
        let comparison = simulate(recording, release, *version).ok()?;
        Some((format!("{} {release}", recording.id), comparison))
    };
    ends.into_iter().filter_map(one).collect()
}

/// Every way to change one leaf of a value.
fn changed(value: &Value) -> Vec<Value> {
    match value {
        Value::Null => vec![Value::from(1)],
        Value::Bool(b) => vec![Value::from(!b)],
        Value::Number(n) => vec![Value::from(n.as_f64().unwrap() + 1.0)],
        Value::String(text) => vec![Value::from(format!("{text}!"))],
        Value::Array(list) => {
            let longer = Value::from([&list[..], &[Value::Null]].concat());
            let one = |n: usize| {
                changed(&list[n]).into_iter().map(move |leaf| {
                    let mut list = list.clone();
                    list[n] = leaf;
                    Value::from(list)
                })
            };
            (0..list.len()).flat_map(one).chain([longer]).collect()
        }
        Value::Object(object) => {
            let one = |name: &String| {
                let name = name.clone();
                changed(&object[&name]).into_iter().map(move |leaf| {
                    let mut object = object.clone();
                    object.insert(name.clone(), leaf);
                    Value::from(object)
                })
            };
            object.keys().flat_map(one).collect()
        }
    }
}

/// The changes to one event that every comparison must notice, each with its name.
type Change = (&'static str, fn(&mut Vec<Event>, usize));
const CHANGES: [Change; 5] = [
    ("a further field", |events, n| {
        events[n].fields.insert("further".into(), Value::from(1));
    }),
    ("that it is missing", |events, n| {
        events.remove(n);
    }),
    ("that it comes twice", |events, n| {
        let again = events[n].clone();
        events.insert(n, again);
    }),
    ("another lane", |events, n| events[n].lane.push('!')),
    ("another kind", |events, n| events[n].kind.push('!')),
];

/// Whether two events of a lane could not stand for each other: a compared field has another value, or is missing in one
/// where what is missing counts.
fn differ(a: &Event, b: &Event) -> bool {
    let partial = ["timeline_results", "sync_acks"].contains(&a.kind.as_str());
    let mut names = a.fields.keys().chain(b.fields.keys()).filter(|name| is_compared(name));
    names.any(|name| match (a.fields.get(name), b.fields.get(name)) {
        (Some(a), Some(b)) => a != b,
        _ => !partial,
    })
}

#[test]
fn every_change_of_a_recording_is_noticed() {
    let mut changes = 0_usize;
    for (name, mut comparison) in passing() {
        if comparison.timing == Timing::Nondeterministic {
            continue;
        }
        assert!(!comparison.expected.is_empty(), "{name} compares nothing");
        let recorded = comparison.expected.clone();
        let (sets, tolerance) = (comparison.sets.clone(), comparison.tolerance);
        let exact = comparison.timing == Timing::Exact;
        for (n, event) in recorded.iter().enumerate() {
            let mut check = |what: &str, change: &dyn Fn(&mut Vec<Event>)| {
                change(&mut comparison.expected);
                let difference = comparison.difference().unwrap();
                assert!(difference.is_some(), "{name}: nobody notices of {event}: {what}");
                comparison.expected.clone_from(&recorded);
                changes += 1;
            };
            for (field, value) in event.fields.iter().filter(|(field, _)| is_compared(field)) {
                for leaf in changed(value) {
                    check(field, &|events| {
                        events[n].fields.insert(field.clone(), leaf.clone());
                    });
                }
                // In a case's results of single calls only what was written down is compared.
                if !["timeline_results", "sync_acks"].contains(&event.kind.as_str()) {
                    check("a field less", &|events| {
                        events[n].fields.remove(field);
                    });
                }
            }
            for (what, change) in CHANGES {
                check(what, &|events| change(events, n));
            }
            let next = recorded[n + 1..].iter().position(|next| next.lane == event.lane);
            if let Some(next) = next.map(|k| n + 1 + k).filter(|_| !sets.contains(&event.lane))
                && differ(&recorded[next], event)
            {
                check("the other order", &|events| events.swap(n, next));
            }
            if let Some(when) = event.at.filter(|_| exact) {
                let far = 2 * tolerance + (when.hi - when.lo) + 1_000_000;
                for by in [far, -far] {
                    check("another time", &|events| {
                        let When { t, lo, hi } = when;
                        events[n].at = Some(When { t: t + by, lo: lo + by, hi: hi + by });
                    });
                }
            }
        }
    }
    println!("{changes} changes, all noticed");
}
