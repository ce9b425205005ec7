//! What a lab is: a scenario with a title, a question and the settings that a reader may change.

use delivery_sim::setting::{Setting, Value};
use delivery_sim::{Scenario, Time, Trace};
use serde::{Deserialize, Serialize};

/// A live figure, complete: read from `content/labs/*.toml`, carried by a page in a compact form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lab {
    /// Its name in addresses and chapters; the file's name without `.toml`.
    #[serde(default)]
    pub slug: String,
    /// The point it makes.
    pub title: String,
    /// What the reader is asked to predict.
    pub question: String,
    /// The moment it opens on.
    pub opens_at: Time,
    /// Its default run.
    pub scenario: Scenario,
    /// What a reader may change, in the order shown.
    pub knobs: Vec<Knob>,
}

/// One setting offered to the reader.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Knob {
    /// Its key in the address, `ack_wait`.
    pub name: String,
    /// What it is called on the page; empty means its name, set as code.
    #[serde(default)]
    pub label: String,
    /// The path of the setting it changes, as [`Setting::parse`] reads it.
    pub setting: String,
    /// The positions of its slider, as [`Value::parse`] reads them, in ascending order. The default need not be among them.
    pub positions: Vec<String>,
    /// Whether it is kept under "More settings".
    #[serde(default)]
    pub more: bool,
}

/// A lab with its knobs turned: what the address says.
#[derive(Clone, Debug, PartialEq)]
pub struct Position {
    /// The value of each knob, in the order of [`Lab::knobs`].
    pub values: Vec<Value>,
    /// The moment shown.
    pub t: Time,
}

impl Lab {
    /// The default position: every knob as the scenario has it, at the opening moment.
    pub fn default_position(&self) -> Position {
        let _ = Setting::parse;
        Position { values: Vec::new(), t: self.opens_at }
    }

    /// The scenario with the knobs at `values`.
    pub fn scenario_at(&self, values: &[Value]) -> Scenario {
        let _ = values;
        self.scenario.clone()
    }

    /// Reads this lab's part of a query string (without `?`). A key is `ack_wait` for the first lab of
    /// a page (`first`), `slug.ack_wait` for every lab. What is not understood leaves the default and
    /// adds a sentence. Never panics, whatever the text; each sentence shows at most 40 characters of it.
    pub fn read_query(&self, query: &str, first: bool) -> (Position, Vec<String>) {
        let _ = (query, first);
        (self.default_position(), Vec::new())
    }

    /// The query that [`Lab::read_query`] reads back: only what differs from the default, keys as above,
    /// percent-encoded; `t` only if it differs from the opening moment.
    pub fn write_query(&self, position: &Position, first: bool) -> String {
        let _ = (position, first);
        String::new()
    }

    /// Runs the lab with the knobs at `values`.
    ///
    /// # Errors
    /// The server's refusal or ours, a sentence each.
    pub fn run(&self, values: &[Value]) -> Result<Trace, Vec<String>> {
        delivery_sim::run(&self.scenario_at(values))
    }
}
