//! What is wrong with a scenario, before it is run: the server's refusals and our own, a sentence each.

use crate::engine::Names;
use crate::scenario::{ConsumerConfig, Op, Scenario};

/// Checks a scenario and numbers its names.
pub(crate) fn check(scenario: &Scenario) -> Result<Names, Vec<String>> {
    let mut problems = Vec::new();
    for stream in &scenario.streams {
        let name = &stream.name;
        if name.is_empty() || name.contains([' ', '.', '*', '>']) {
            problems.push(format!("stream `{name}` needs a name without spaces, dots and wildcards"));
        }
        if stream.subjects.is_empty() {
            problems.push(format!("stream `{name}` captures no subject"));
        }
    }
    for consumer in &scenario.consumers {
        let name = &consumer.config.durable_name;
        if name.is_empty() || name.contains([' ', '.', '*', '>']) {
            problems.push(format!("consumer `{name}` needs a name without spaces, dots and wildcards"));
        }
        if let Some(refusal) = refusal(&consumer.config) {
            problems.push(format!("consumer `{name}`: {refusal}"));
        }
    }
    for step in &scenario.timeline {
        if let Op::Publish(publish) = &step.op
            && (publish.subject.is_empty() || publish.subject.contains([' ', '*', '>']))
        {
            problems.push(format!(
                "the publish at {} goes to `{}`, which is not a subject to publish to",
                step.at, publish.subject
            ));
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    Names::new(scenario)
}

/// What the server answers to a consumer configuration that it refuses (R82): code, text, and what it means.
pub fn refusal(config: &ConsumerConfig) -> Option<String> {
    let entries = config.backoff.len() as i64;
    if config.max_deliver > 0 && config.max_deliver < entries {
        return Some(format!(
            "the server refuses it with 10116 `max deliver is required to be > length of backoff values`: \
             backoff has {entries} entries but max_deliver is {}; allow at least {entries} deliveries or shorten the list",
            config.max_deliver
        ));
    }
    None
}
