//! Why a recording cannot be replayed: it is broken, or it needs something that is missing here.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// The reason why a recording is not compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The file is not what it should be: a sentence.
    Broken(String),
    /// It needs a feature that the harness or the simulator does not have: its name, as in `op stall`.
    Lacks(String),
}

impl Stop {
    /// A missing feature by name.
    pub(crate) fn lacks(feature: impl Into<String>) -> Self {
        Self::Lacks(feature.into())
    }
}

/// Reads `value` as a `T`. `what` names it in messages.
///
/// # Errors
/// [`Stop::Lacks`] for a field or a word that `T` does not know, [`Stop::Broken`] for anything else.
pub(crate) fn typed<T: DeserializeOwned>(value: Value, what: &str) -> Result<T, Stop> {
    serde_json::from_value(value).map_err(|error| {
        let text = error.to_string();
        let quoted = || text.split('`').nth(1).unwrap_or_default();
        if text.starts_with("unknown field") {
            Stop::Lacks(format!("field {} of {what}", quoted()))
        } else if text.starts_with("unknown variant") {
            Stop::Lacks(format!("value {} in {what}", quoted()))
        } else {
            Stop::Broken(format!("{what}: {text}"))
        }
    })
}
