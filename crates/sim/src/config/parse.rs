//! Documents as text: parsed natively, with line and column for what is wrong.

use super::{Json, Loaded, Part, Problem, read};
use core::fmt;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// Reads the JSON of a stream or a consumer, see [`read`]. Needs the feature `json`.
///
/// # Errors
/// A sentence with line and column that says what is there and what is expected.
pub fn load(json: &str) -> Result<Loaded, String> {
    let json = json.trim_start_matches('\u{feff}');
    let document: Json = serde_json::from_str(json).map_err(|error| {
        if json.trim_start().starts_with(['{', '[']) {
            format!("this is not quite JSON: {error}")
        } else {
            "this is not JSON; paste what `nats consumer info STREAM CONSUMER --json` or `nats stream info STREAM --json` prints"
                .into()
        }
    })?;
    read(&document).map_err(|problem| match position(json, &problem) {
        Some((line, column)) => format!("line {line}, column {column}: {problem}"),
        None => problem.to_string(),
    })
}

/// Where the value that a problem is about begins: line and column, from 1.
fn position(json: &str, problem: &Problem) -> Option<(usize, usize)> {
    let mut value: &RawValue = serde_json::from_str(json).ok()?;
    for part in problem.way() {
        value = match part {
            Part::Field(name) => serde_json::from_str::<BTreeMap<String, &RawValue>>(value.get())
                .ok()?
                .remove(name)?,
            Part::Entry(n) => {
                serde_json::from_str::<Vec<&RawValue>>(value.get()).ok()?.get(*n).copied()?
            }
        };
    }
    // The value borrows from the text, so its address tells its place.
    let before = json.get(..value.get().as_ptr().addr().checked_sub(json.as_ptr().addr())?)?;
    let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
    Some((before.matches('\n').count() + 1, column))
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Any)
    }
}

struct Any;

impl<'de> Visitor<'de> for Any {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, yes: bool) -> Result<Json, E> {
        Ok(Json::Bool(yes))
    }

    fn visit_i64<E>(self, n: i64) -> Result<Json, E> {
        Ok(Json::Whole(n.into()))
    }

    fn visit_u64<E>(self, n: u64) -> Result<Json, E> {
        Ok(Json::Whole(n.into()))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Json, E> {
        Ok(Json::Fraction)
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = seq.next_element()? {
            entries.push(entry);
        }
        Ok(Json::List(entries))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(Json::Object(fields))
    }
}
