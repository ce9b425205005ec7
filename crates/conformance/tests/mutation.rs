//! Proof that no check is empty: whatever is compared in a recording, a change of it makes the recording fail.

use delivery_conformance::compare::{Comparison, is_compared};
use delivery_conformance::event::{Event, When};
use delivery_conformance::read::{Recording, Timing, read};
use delivery_conformance::replay::{Verdict, judge};
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
            if matches!(judge(&recording), Verdict::Passed(_)) {
                all.extend(compared(&recording));
            }
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
        let comparison = simulate(recording, release, *version).unwrap();
        (format!("{} {release}", recording.id), comparison)
    };
    ends.into_iter().map(one).collect()
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

/// The comparison after `change`, which must show.
fn must_differ(
    name: &str,
    what: &str,
    comparison: &Comparison,
    change: impl FnOnce(&mut Vec<Event>),
) {
    let mut changed = comparison.clone();
    change(&mut changed.expected);
    let difference = changed.difference().unwrap();
    assert!(difference.is_some(), "{name}: nobody notices {what}");
}

#[test]
fn every_change_of_a_recording_is_noticed() {
    let mut changes = 0_usize;
    for (name, comparison) in passing() {
        if comparison.timing == Timing::Nondeterministic {
            continue;
        }
        assert!(!comparison.expected.is_empty(), "{name} compares nothing");
        for (n, event) in comparison.expected.iter().enumerate() {
            for (field, value) in event.fields.iter().filter(|(field, _)| is_compared(field)) {
                for leaf in changed(value) {
                    let what = format!("{event}: {field} {leaf} for {value}");
                    must_differ(&name, &what, &comparison, |events| {
                        events[n].fields.insert(field.clone(), leaf);
                    });
                    changes += 1;
                }
                // In a case's results of single calls only what was written down is compared.
                if !["timeline_results", "sync_acks"].contains(&event.kind.as_str()) {
                    must_differ(
                        &name,
                        &format!("{event} without {field}"),
                        &comparison,
                        |events| {
                            events[n].fields.remove(field);
                        },
                    );
                }
            }
            must_differ(&name, &format!("{event} with a further field"), &comparison, |events| {
                events[n].fields.insert("further".into(), Value::from(1));
            });
            must_differ(&name, &format!("that {event} is missing"), &comparison, |events| {
                events.remove(n);
            });
            must_differ(&name, &format!("a second {event}"), &comparison, |events| {
                events.insert(n, event.clone());
            });
            must_differ(&name, &format!("{event} on another lane"), &comparison, |events| {
                events[n].lane.push('!');
            });
            must_differ(&name, &format!("{event} of another kind"), &comparison, |events| {
                events[n].kind.push('!');
            });
            if let Some(when) = event.at.filter(|_| comparison.timing == Timing::Exact) {
                let far = 2 * comparison.tolerance + (when.hi - when.lo) + 1_000_000;
                for shift in [far, -far] {
                    must_differ(
                        &name,
                        &format!("{event} {shift} ns later"),
                        &comparison,
                        |events| {
                            let When { t, lo, hi } = when;
                            events[n].at =
                                Some(When { t: t + shift, lo: lo + shift, hi: hi + shift });
                        },
                    );
                }
            }
            let next = comparison.expected[n + 1..].iter().position(|next| next.lane == event.lane);
            if let Some(next) = next.map(|k| n + 1 + k)
                && !comparison.sets.contains(&event.lane)
                && comparison.expected[next].fields != event.fields
            {
                must_differ(&name, &format!("{event} in the other order"), &comparison, |events| {
                    events.swap(n, next);
                });
            }
            changes += 6;
        }
    }
    println!("{changes} changes, all noticed");
}
