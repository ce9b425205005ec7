//! Conditions as a lab's file writes them.

use super::{Claim, Condition, Turns, WHATS, What};
use delivery_sim::Time;
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// All the keys of a condition.
const KEYS: [&str; WHATS.len() + 1] = {
    let mut keys = ["knobs"; WHATS.len() + 1];
    let mut i = 0;
    while i < WHATS.len() {
        keys[i] = WHATS[i].1;
        i += 1;
    }
    keys
};

impl<'de> Deserialize<'de> for Condition {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(ReadCondition)
    }
}

struct ReadCondition;

impl<'de> Visitor<'de> for ReadCondition {
    type Value = Condition;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a condition such as { redelivered = 1 }")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Condition, A::Error> {
        let mut condition = Condition::default();
        while let Some(key) = map.next_key::<String>()? {
            if key == "knobs" {
                condition.knobs = map.next_value()?;
                continue;
            }
            let Some((what, _)) = WHATS.iter().find(|(_, name)| *name == key) else {
                return Err(de::Error::unknown_field(&key, &KEYS));
            };
            let ClaimsOf(mut claims) = map.next_value()?;
            for claim in &mut claims {
                claim.what = *what;
            }
            condition.claims.append(&mut claims);
        }
        Ok(condition)
    }
}

/// The value of one key: its claims, of which it is not said yet what they are about.
struct ClaimsOf(Vec<Claim>);

impl Claim {
    fn counted(least: u64, most: u64) -> Self {
        Self {
            what: What::Sent,
            msgs: Vec::new(),
            only: false,
            attempt: 0,
            client: String::new(),
            after: Time::ZERO,
            before: Time::NEVER,
            least,
            most,
        }
    }
}

impl<'de> Deserialize<'de> for ClaimsOf {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ReadClaims)
    }
}

struct ReadClaims;

impl<'de> Visitor<'de> for ReadClaims {
    type Value = ClaimsOf;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a number of messages, a list of them, or a table such as { msg = \"order-1\" }",
        )
    }

    fn visit_i64<E: de::Error>(self, count: i64) -> Result<ClaimsOf, E> {
        let count = u64::try_from(count)
            .map_err(|_| E::custom(format_args!("{count} messages cannot be; write 0 or more")))?;
        Ok(ClaimsOf(vec![Claim::counted(count, count)]))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ClaimsOf, A::Error> {
        let fits = Fits::deserialize(de::value::MapAccessDeserializer::new(map))?;
        Ok(ClaimsOf(vec![fits.claim()?]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<ClaimsOf, A::Error> {
        let (mut msgs, mut claims) = (Vec::new(), Vec::new());
        while let Some(Item { msg, claim }) = seq.next_element()? {
            msgs.extend(msg);
            claims.extend(claim);
        }
        match (msgs.is_empty(), claims.is_empty()) {
            (false, false) => Err(de::Error::custom("a list holds messages or tables, not both")),
            (true, false) => Ok(ClaimsOf(claims)),
            (_, true) => Ok(ClaimsOf(vec![Claim { msgs, only: true, ..Claim::counted(0, 0) }])),
        }
    }
}

/// One thing of a list: a message, or a claim.
struct Item {
    msg: Option<String>,
    claim: Option<Claim>,
}

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct ReadItem;
        impl<'de> Visitor<'de> for ReadItem {
            type Value = Item;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the label of a message, or a table such as { msg = \"order-1\" }")
            }

            fn visit_str<E: de::Error>(self, label: &str) -> Result<Item, E> {
                Ok(Item { msg: Some(label.to_owned()), claim: None })
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Item, A::Error> {
                let fits = Fits::deserialize(de::value::MapAccessDeserializer::new(map))?;
                Ok(Item { msg: None, claim: Some(fits.claim()?) })
            }
        }
        from.deserialize_any(ReadItem)
    }
}

/// A claim as a table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fits {
    #[serde(default)]
    msg: String,
    #[serde(default)]
    attempt: u32,
    #[serde(default, alias = "by")]
    to: String,
    after: Option<Time>,
    before: Option<Time>,
    at_least: Option<u64>,
    at_most: Option<u64>,
}

impl Fits {
    fn claim<E: de::Error>(self) -> Result<Claim, E> {
        let (least, most) =
            (self.at_least.unwrap_or(u64::from(self.at_most.is_none())), self.at_most);
        let claim = Claim {
            msgs: if self.msg.is_empty() { Vec::new() } else { vec![self.msg] },
            attempt: self.attempt,
            client: self.to,
            after: self.after.unwrap_or(Time::ZERO),
            before: self.before.unwrap_or(Time::NEVER),
            ..Claim::counted(least, most.unwrap_or(u64::MAX))
        };
        if claim.least > claim.most || claim.after > claim.before {
            return Err(E::custom("nothing can fit this: its lower end is above its upper end"));
        }
        Ok(claim)
    }
}

impl<'de> Deserialize<'de> for Turns {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct ReadTurns;
        impl<'de> Visitor<'de> for ReadTurns {
            type Value = Turns;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("knobs and their values, such as { ack_wait = \"5s\" }")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Turns, A::Error> {
                let mut turns = Vec::new();
                while let Some((knob, value)) = map.next_entry()? {
                    turns.extend([knob, value]);
                }
                Ok(Turns(turns))
            }
        }
        from.deserialize_map(ReadTurns)
    }
}
