//! One run of a lab with everything that is said about it.

use delivery_figure::lab::Lab;
use delivery_figure::scene::{Layout, Scene};
use delivery_figure::told::Told;
use delivery_figure::window::Window;
use delivery_figure::words::Outcome;
use delivery_sim::setting::Value;
use delivery_sim::{Time, Trace};
use std::sync::Arc;

/// A finished run and its steps.
pub(crate) struct Run {
    /// The settings it came of, one for each knob.
    pub(crate) values: Vec<Value>,
    /// What happened.
    pub(crate) trace: Arc<Trace>,
    /// The events worth a step.
    pub(crate) rows: Told,
    /// What came of it.
    pub(crate) outcome: Outcome,
}

/// What is on screen: the last run that the settings allowed, and why newer settings were refused.
pub(crate) struct Shown {
    /// The run.
    pub(crate) run: Arc<Run>,
    /// Sentences; empty if the run is that of the settings.
    pub(crate) refused: Vec<String>,
}

impl Shown {
    /// What `values` put on screen after `before`.
    pub(crate) fn of(lab: &Lab, values: &[Value], before: Option<&Self>) -> Self {
        match Run::new(lab, values) {
            Ok(run) => Self { run: Arc::new(run), refused: Vec::new() },
            Err(refused) => {
                let run = before
                    .map_or_else(|| Arc::new(Run::of_default(lab)), |shown| shown.run.clone());
                Self { run, refused }
            }
        }
    }
}

impl Run {
    /// Runs a lab with its knobs at `values`.
    pub(crate) fn new(lab: &Lab, values: &[Value]) -> Result<Self, Vec<String>> {
        lab.run(values).map(|trace| Self::of(trace, values.to_vec()))
    }

    /// Runs the second system of a lab; none if there is none, or if it refuses these settings.
    pub(crate) fn beside(lab: &Lab, values: &[Value]) -> Option<Self> {
        lab.run_beside(values)?.ok().map(|trace| Self::of(trace, values.to_vec()))
    }

    /// The default run; one in which nothing happens, should the lab not run at all.
    pub(crate) fn of_default(lab: &Lab) -> Self {
        let values = lab.default_position().values;
        Self::new(lab, &values).unwrap_or_else(|_| {
            let trace = Trace {
                scenario: lab.scenario.clone(),
                streams: Vec::new(),
                consumers: Vec::new(),
                clients: Vec::new(),
                messages: Vec::new(),
                records: Vec::new(),
                infos: Vec::new(),
                answers: Vec::new(),
                end: lab.scenario.end,
                cut: None,
            };
            Self::of(trace, values)
        })
    }

    fn of(trace: Trace, values: Vec<Value>) -> Self {
        let trace = Arc::new(trace);
        let rows = Told::new(trace.clone());
        let outcome = rows.outcome();
        Self { values, trace, rows, outcome }
    }

    /// The part of the run that a window shows, as a picture.
    pub(crate) fn scene(&self, layout: Layout, window: Option<Window>) -> Scene {
        Scene::of(&self.rows, layout, window)
    }

    /// A picture of the run at `t`, as SVG; `id` begins the ids in it.
    pub(crate) fn picture(&self, id: &str, title: &str, scene: &Scene, t: Time) -> String {
        let id = match scene.layout {
            Layout::Wide => [id, "-wide"].concat(),
            Layout::Tall => [id, "-tall"].concat(),
        };
        delivery_figure::svg::write(scene, &id, title, &self.outcome.conclusion, t)
    }

    /// The fingerprint of the run, as pages carry it: 16 hexadecimal digits.
    pub(crate) fn digest(&self) -> String {
        let digest = self.trace.digest();
        (0..16)
            .rev()
            .map(|place| b"0123456789abcdef"[(digest >> (4 * place)) as usize & 15] as char)
            .collect()
    }
}
