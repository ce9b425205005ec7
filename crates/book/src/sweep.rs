//! A sweep: a lab run over values of its knobs, counted and laid out as a table while the book is made.

use crate::Problem;
use crate::lab::CheckedLab;
use crate::source::{Source, nearest};
use crate::text::{coded, escaped};
use delivery_figure::lab::Lab;
use delivery_sim::report::{Payloads, Report};
use delivery_sim::setting::{Setting, Value};
use delivery_sim::{Dur, Scenario, Time, tally_payloads};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use toml::Spanned;

/// Most rows of a sweep: more than a reader takes in.
const MOST_ROWS: usize = 64;

/// A file of `sweeps/`, as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SweepFile {
    /// The lab that is run.
    lab: Spanned<String>,
    /// What the table shows, with `code` in it if need be.
    caption: String,
    /// Knobs and their values, one or two: every combination is a row.
    #[serde(default)]
    axes: Vec<Spanned<Axis>>,
    /// The rows, if they are not made by axes.
    #[serde(default)]
    rows: Vec<Spanned<RowFile>>,
    /// Headings over the labels of rows.
    #[serde(default)]
    heads: Vec<String>,
    /// What is counted.
    columns: Vec<Spanned<Column>>,
    /// The column that is drawn over the first axis, one curve for each value of a second.
    #[serde(default)]
    chart: Option<Spanned<String>>,
    /// Settings by their path, beyond what a reader may set: `"publish.count" = "10000"`.
    #[serde(default)]
    scale: Option<Spanned<BTreeMap<String, String>>>,
    /// When the runs end, if not when the lab's does.
    #[serde(default)]
    end: Option<Time>,
    /// What rows must show.
    #[serde(default)]
    expect: Vec<Spanned<Expected>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Axis {
    knob: String,
    values: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RowFile {
    label: Label,
    #[serde(default)]
    set: BTreeMap<String, String>,
}

/// What a row is: in one column, or in one for each of the headings.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum Label {
    One(String),
    Cells(Vec<String>),
}

/// What is counted, and its heading where the usual one does not do.
#[derive(Deserialize)]
#[serde(untagged)]
enum Column {
    Name(String),
    Titled { count: String, title: String },
}

/// What a row must show: the row that these knobs are turned in, the first for none.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    claim: String,
    #[serde(default)]
    set: BTreeMap<String, String>,
    counts: BTreeMap<String, Bound>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(untagged)]
enum Bound {
    Exactly(u64),
    Within {
        #[serde(default)]
        at_least: u64,
        at_most: Option<u64>,
    },
}

impl Bound {
    fn holds(self, found: u64) -> bool {
        match self {
            Self::Exactly(n) => found == n,
            Self::Within { at_least, at_most } => {
                found >= at_least && at_most.is_none_or(|most| found <= most)
            }
        }
    }

    fn words(self) -> String {
        match self {
            Self::Exactly(n) => n.to_string(),
            Self::Within { at_least, at_most: None } => format!("at least {at_least}"),
            Self::Within { at_least: 0, at_most: Some(most) } => format!("at most {most}"),
            Self::Within { at_least, at_most: Some(most) } => format!("{at_least} to {most}"),
        }
    }
}

/// A run, counted.
type Counted = (Report, Payloads);

/// A number of a table.
#[derive(Clone, Copy)]
enum Amount {
    Count(u64),
    /// In thousandths.
    Rate(u64),
    Time(Dur),
    /// There is none in this run.
    Nothing,
}

/// What can be counted of a run.
struct Measure {
    name: &'static str,
    title: &'static str,
    /// The state it is a number of, for the colour of its curve.
    state: &'static str,
    read: fn(&Counted) -> Amount,
}

fn over_consumers(run: &Counted, read: fn(&delivery_sim::report::ConsumerReport) -> u64) -> Amount {
    Amount::Count(run.0.consumers.iter().map(read).sum())
}

/// From the first beginning of work to the last end of it, with the works completed.
fn worked(run: &Counted) -> Option<(Time, Time, u64)> {
    let from = run.0.consumers.iter().filter_map(|c| c.first_started).min()?;
    let to = run.0.consumers.iter().filter_map(|c| c.last_done).max()?;
    Some((from, to, run.0.consumers.iter().map(|c| c.handled).sum()))
}

const MEASURES: &[Measure] = &[
    Measure {
        name: "sent",
        title: "messages sent",
        state: "stored",
        read: |run| Amount::Count(run.0.messages.published),
    },
    Measure {
        name: "payloads",
        title: "different messages",
        state: "stored",
        read: |run| Amount::Count(run.1.published),
    },
    Measure {
        name: "stored",
        title: "stored",
        state: "stored",
        read: |run| Amount::Count(run.0.messages.stored),
    },
    Measure {
        name: "deduplicated",
        title: "duplicates not stored",
        state: "stored",
        read: |run| Amount::Count(run.0.messages.deduplicated),
    },
    Measure {
        name: "refused",
        title: "refused",
        state: "lost",
        read: |run| Amount::Count(run.0.messages.refused.total()),
    },
    Measure {
        name: "deliveries",
        title: "deliveries",
        state: "inflight",
        read: |run| over_consumers(run, |c| c.deliveries),
    },
    Measure {
        name: "redelivered",
        title: "delivered again",
        state: "again",
        read: |run| over_consumers(run, |c| c.again),
    },
    Measure {
        name: "handled",
        title: "works completed",
        state: "acked",
        read: |run| over_consumers(run, |c| c.handled),
    },
    Measure {
        name: "received",
        title: "handled by subscribers",
        state: "acked",
        read: |run| Amount::Count(run.0.messages.handled),
    },
    Measure {
        name: "dropped",
        title: "copies lost",
        state: "lost",
        read: |run| Amount::Count(run.0.messages.dropped.total()),
    },
    Measure { name: "lost", title: "lost", state: "lost", read: |run| Amount::Count(run.1.never) },
    Measure {
        name: "doubled",
        title: "doubled",
        state: "again",
        read: |run| Amount::Count(run.1.again),
    },
    Measure {
        name: "once",
        title: "done once",
        state: "acked",
        read: |run| Amount::Count(run.1.once),
    },
    Measure {
        name: "dead",
        title: "given up",
        state: "dead",
        read: |run| {
            over_consumers(run, |c| c.terminated + c.exhausted_advised + c.exhausted_silent)
        },
    },
    Measure {
        name: "waiting",
        title: "not done at the end",
        state: "stored",
        read: |run| Amount::Count(run.0.effects().undecided),
    },
    Measure {
        name: "out_of_order",
        title: "done out of order",
        state: "again",
        read: |run| over_consumers(run, |c| c.out_of_order),
    },
    Measure {
        name: "peak_in_flight",
        title: "most in flight",
        state: "inflight",
        read: |run| over_consumers(run, |c| c.peak_in_flight),
    },
    Measure {
        name: "rate",
        title: "messages a second",
        state: "acked",
        read: |run| match worked(run) {
            Some((from, to, handled)) if to > from => {
                let nanos = u128::from(to.since(from).0);
                let rate = u128::from(handled) * 1_000_000_000_000 / nanos;
                Amount::Rate(u64::try_from(rate).unwrap_or(u64::MAX))
            }
            _ => Amount::Nothing,
        },
    },
    Measure {
        name: "done_after",
        title: "all done after",
        state: "acked",
        read: |run| match worked(run) {
            Some((_, to, _)) if run.0.effects().undecided == 0 => Amount::Time(Dur(to.0)),
            _ => Amount::Nothing,
        },
    },
    Measure {
        name: "median",
        title: "sent to done, median",
        state: "inflight",
        read: |run| quantile(run, |c| c.to_done.p50),
    },
    Measure {
        name: "slowest",
        title: "sent to done, slowest",
        state: "inflight",
        read: |run| quantile(run, |c| c.to_done.max),
    },
];

fn quantile(run: &Counted, read: fn(&delivery_sim::report::ConsumerReport) -> Dur) -> Amount {
    let longest = run.0.consumers.iter().filter(|c| c.to_done.count > 0).map(read).max();
    longest.map_or(Amount::Nothing, Amount::Time)
}

impl Amount {
    /// As claims give it: a count, whole ones a second, whole milliseconds.
    fn whole(self) -> Option<u64> {
        match self {
            Self::Count(n) => Some(n),
            Self::Rate(n) => Some(n / 1000),
            Self::Time(d) => Some(d.as_ms()),
            Self::Nothing => None,
        }
    }

    /// For the height of a curve.
    fn height(self) -> u64 {
        match self {
            Self::Count(n) => n.saturating_mul(1000),
            Self::Rate(n) => n,
            Self::Time(d) => d.0 / 1_000_000,
            Self::Nothing => 0,
        }
    }

    fn words(self) -> String {
        match self {
            Self::Count(n) => grouped(n),
            Self::Rate(n) if n >= 100_000 => grouped(n.saturating_add(500) / 1000),
            Self::Rate(n) if n >= 10_000 => format!("{}.{}", (n + 50) / 1000, (n + 50) / 100 % 10),
            Self::Rate(n) => format!("{}.{:02}", (n + 5) / 1000, (n + 5) / 10 % 100),
            Self::Time(d) => {
                let step = if d < Dur::secs(1) {
                    1
                } else if d < Dur::secs(60) {
                    100
                } else {
                    1000
                };
                Dur::ms((d.as_ms() + step / 2) / step * step).to_string().replace(' ', "\u{a0}")
            }
            Self::Nothing => "–".into(),
        }
    }
}

/// A number in groups of three.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) && digits.len() > 4 {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// A sweep that was run.
#[derive(Debug)]
pub(crate) struct Sweep {
    /// Its file.
    pub(crate) source: Source,
    /// The lab that was run; empty if the file cannot be used.
    pub(crate) lab: String,
    caption: String,
    /// Headings of the columns that say which row it is.
    heads: Vec<String>,
    /// Headings of the columns that count.
    titles: Vec<String>,
    rows: Vec<Row>,
    chart: Option<String>,
}

#[derive(Debug)]
struct Row {
    /// What the row is, by column.
    names: Vec<String>,
    /// The knobs of the lab that it turns, as the query of an address.
    query: String,
    amounts: Vec<String>,
}

/// A row before it is run.
struct Planned {
    names: Vec<String>,
    set: BTreeMap<String, String>,
    values: Vec<Value>,
}

impl Sweep {
    /// A sweep that exists but cannot be used.
    pub(crate) fn broken(source: &Source) -> Self {
        Self {
            source: source.clone(),
            lab: String::new(),
            caption: String::new(),
            heads: Vec::new(),
            titles: Vec::new(),
            rows: Vec::new(),
            chart: None,
        }
    }

    /// Reads a sweep and runs it. None if it cannot be used; then that is reported, unless its lab is at fault, which
    /// was.
    pub(crate) fn run(
        source: &Source,
        labs: &BTreeMap<String, CheckedLab>,
        problems: &mut Vec<Problem>,
    ) -> Option<Self> {
        let file: SweepFile = source.toml().map_err(|problem| problems.push(problem)).ok()?;
        let before = problems.len();
        let mut fail = |offset: usize, sentence: String| {
            problems.push(source.problem(source.line(offset), sentence));
        };
        let Some(checked) = labs.get(file.lab.get_ref()) else {
            let known: Vec<&str> = labs.keys().map(String::as_str).collect();
            fail(file.lab.span().start, nearest(file.lab.get_ref(), "a lab", &known));
            return None;
        };
        let lab = checked.lab.as_ref()?;
        let planned = plan(&file, lab, &mut fail);
        let known: Vec<&str> = MEASURES.iter().map(|measure| measure.name).collect();
        let measure = |name: &str| MEASURES.iter().find(|measure| measure.name == name);
        let mut columns: Vec<(&Measure, String)> = Vec::new();
        for column in &file.columns {
            let (name, title) = match column.get_ref() {
                Column::Name(name) => (name, None),
                Column::Titled { count, title } => (count, Some(title.clone())),
            };
            match measure(name) {
                Some(m) => columns.push((m, title.unwrap_or_else(|| m.title.to_owned()))),
                None => fail(column.span().start, nearest(name, "something to count", &known)),
            }
        }
        let scale = match &file.scale {
            Some(given) => scale(given.get_ref(), lab)
                .map_err(|why| fail(given.span().start, why))
                .unwrap_or_default(),
            None => Vec::new(),
        };
        let drawn = file.chart.as_ref().and_then(|chart| {
            let found = columns.iter().position(|(measure, _)| measure.name == chart.get_ref());
            if found.is_none() || file.axes.is_empty() {
                let named: Vec<&str> = columns.iter().map(|(measure, _)| measure.name).collect();
                let why = match found {
                    None => nearest(chart.get_ref(), "a column", &named),
                    Some(_) => {
                        "a chart goes over the values of an axis; give the sweep axes".into()
                    }
                };
                fail(chart.span().start, why);
            }
            found.filter(|_| !file.axes.is_empty())
        });
        if problems.len() > before {
            return None;
        }
        let scenarios: Vec<Scenario> = planned
            .iter()
            .map(|row| {
                let mut scenario = lab.scenario_at(&row.values);
                for (setting, value) in &scale {
                    setting.set(&mut scenario, value);
                }
                scenario.end = file.end.unwrap_or(scenario.end);
                scenario
            })
            .collect();
        let mut counted: Vec<Counted> = Vec::new();
        for (row, run) in planned.iter().zip(run_all(&scenarios)) {
            let name = row.names.join(", ");
            match run {
                Ok(run) if run.0.cut.is_none() => counted.push(run),
                Ok(_) => {
                    let why = format!("the run of the row `{name}` is too long; make it smaller");
                    problems.push(source.problem(0, why));
                }
                Err(sentences) => {
                    for sentence in sentences {
                        let why = format!("the row `{name}` does not run: {sentence}");
                        problems.push(source.problem(0, why));
                    }
                }
            }
        }
        if problems.len() > before {
            return None;
        }
        for expected in &file.expect {
            let (line, expected) = (source.line(expected.span().start), expected.get_ref());
            let mut fail = |why: String| {
                let why = format!("`{}` does not hold: {why}", expected.claim);
                problems.push(source.problem(line, why));
            };
            let Some(place) = planned.iter().position(|row| row.set == expected.set) else {
                fail("no row has exactly these settings".into());
                continue;
            };
            for (name, bound) in &expected.counts {
                let Some(measure) = measure(name) else {
                    fail(nearest(name, "something to count", &known));
                    continue;
                };
                let amount = (measure.read)(&counted[place]);
                if !amount.whole().is_some_and(|found| bound.holds(found)) {
                    let row = planned[place].names.join(", ");
                    fail(format!(
                        "{name} is claimed to be {} in the row `{row}`, but it is {}",
                        bound.words(),
                        amount.words()
                    ));
                }
            }
        }
        let amounts = |run: &Counted| columns.iter().map(|(m, _)| (m.read)(run)).collect();
        let amounts: Vec<Vec<Amount>> = counted.iter().map(amounts).collect();
        let heads = match file.axes.as_slice() {
            [] if file.heads.is_empty() => vec![String::new()],
            [] => file.heads.clone(),
            axes => axes.iter().map(|axis| label(lab, &axis.get_ref().knob)).collect(),
        };
        let chart = drawn.map(|column| {
            let (measure, title) = &columns[column];
            let heights: Vec<Amount> = amounts.iter().map(|row| row[column]).collect();
            let names: Vec<&[String]> = planned.iter().map(|row| row.names.as_slice()).collect();
            chart(measure.state, title, &heads, &names, &heights)
        });
        let query = |set: &BTreeMap<String, String>| {
            set.iter().map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>().join("&")
        };
        let rows = planned.into_iter().zip(&amounts).map(|(row, amounts)| Row {
            query: query(&row.set),
            names: row.names,
            amounts: amounts.iter().map(|amount| amount.words()).collect(),
        });
        Some(Self {
            source: source.clone(),
            lab: file.lab.get_ref().clone(),
            caption: file.caption,
            heads,
            titles: columns.into_iter().map(|(_, title)| title).collect(),
            rows: rows.collect(),
            chart,
        })
    }

    /// The table and its curve as HTML. `address` leads to the lab with a query.
    pub(crate) fn html(&self, name: &str, address: impl Fn(&str) -> String) -> String {
        let mut out = format!("<figure class=\"sweep\" id=\"sweep-{name}\">\n");
        if let Some(chart) = &self.chart {
            out.push_str(chart);
        }
        let caption = coded(&self.caption);
        let _ = write!(
            out,
            "<div class=\"table\" role=\"region\" tabindex=\"0\" aria-labelledby=\"sweep-{name}-of\">\n<table><thead><tr>"
        );
        for head in &self.heads {
            let empty = if head.is_empty() { "<span class=\"unseen\">settings</span>" } else { "" };
            let _ = write!(out, "<th scope=\"col\">{empty}{}</th>", coded(head));
        }
        for title in &self.titles {
            let _ = write!(out, "<th scope=\"col\" class=\"right\">{}</th>", coded(title));
        }
        out.push_str("</tr></thead><tbody>\n");
        for row in &self.rows {
            out.push_str("<tr>");
            for (i, cell) in row.names.iter().enumerate() {
                if i + 1 < row.names.len() {
                    let _ = write!(out, "<th scope=\"row\">{}</th>", coded(cell));
                } else {
                    let address = escaped(&address(&row.query));
                    let whole: Vec<String> = self
                        .heads
                        .iter()
                        .zip(&row.names)
                        .map(|(head, name)| format!("{head}: {name}").replace('`', ""))
                        .collect();
                    let said = match whole.as_slice() {
                        [_] => String::new(),
                        many => format!(" aria-label=\"{}\"", escaped(&many.join(", "))),
                    };
                    let _ = write!(
                        out,
                        "<th scope=\"row\"><a class=\"result\" href=\"{address}\"{said}>{}</a></th>",
                        coded(cell)
                    );
                }
            }
            for amount in &row.amounts {
                let _ = write!(out, "<td class=\"right\">{amount}</td>");
            }
            out.push_str("</tr>\n");
        }
        let _ = write!(
            out,
            "</tbody></table>\n</div>\n<figcaption id=\"sweep-{name}-of\">{caption}</figcaption>\n</figure>\n"
        );
        out
    }
}

/// Runs all scenarios, as many at a time as the machine has processors.
fn run_all(scenarios: &[Scenario]) -> Vec<Result<Counted, Vec<String>>> {
    let many = std::thread::available_parallelism().map_or(1, usize::from);
    let share = scenarios.len().div_ceil(many).max(1);
    std::thread::scope(|scope| {
        let parts: Vec<_> = scenarios
            .chunks(share)
            .map(|part| scope.spawn(|| part.iter().map(tally_payloads).collect::<Vec<_>>()))
            .collect();
        let died = || vec![Err(vec!["the simulator ended before its time".to_owned()])];
        parts.into_iter().flat_map(|part| part.join().unwrap_or_else(|_| died())).collect()
    })
}

/// What a knob is called.
fn label(lab: &Lab, knob: &str) -> String {
    match lab.knobs.iter().find(|k| k.name == knob) {
        Some(knob) if !knob.label.is_empty() => knob.label.clone(),
        _ => format!("`{knob}`"),
    }
}

/// The rows of a sweep, with every fault of theirs.
fn plan(file: &SweepFile, lab: &Lab, fail: &mut dyn FnMut(usize, String)) -> Vec<Planned> {
    let knobs: Vec<&str> = lab.knobs.iter().map(|knob| knob.name.as_str()).collect();
    let mut all: Vec<(usize, Vec<String>, BTreeMap<String, String>)> = Vec::new();
    match (file.axes.as_slice(), file.rows.as_slice()) {
        ([], []) => fail(0, "this sweep has no rows; give it `axes` or `rows`".into()),
        ([], rows) => {
            let many = file.heads.len().max(1);
            for row in rows {
                let (start, row) = (row.span().start, row.get_ref());
                let names = match &row.label {
                    Label::One(label) => vec![label.clone()],
                    Label::Cells(cells) => cells.clone(),
                };
                if names.len() != many {
                    let found = names.len();
                    fail(
                        start,
                        format!("this label has {found} parts, and there are {many} `heads`"),
                    );
                }
                all.push((start, names, row.set.clone()));
            }
        }
        (axes, []) if axes.len() <= 2 => {
            all.push((0, Vec::new(), BTreeMap::new()));
            for axis in axes {
                let (start, axis) = (axis.span().start, axis.get_ref());
                let mut next = Vec::new();
                for (_, names, set) in all {
                    for value in &axis.values {
                        let mut set = set.clone();
                        set.insert(axis.knob.clone(), value.clone());
                        let words =
                            read(lab, &axis.knob, value).map_or(value.clone(), |v| v.words());
                        next.push((start, [names.clone(), vec![words]].concat(), set));
                    }
                }
                all = next;
            }
        }
        (_, []) => fail(0, "a sweep has one axis or two".into()),
        _ => fail(0, "a sweep has `axes` or `rows`, not both".into()),
    }
    if all.len() > MOST_ROWS {
        fail(0, format!("{} rows are too many; the most is {MOST_ROWS}", all.len()));
        return Vec::new();
    }
    let mut planned = Vec::new();
    let mut said: Vec<String> = Vec::new();
    for (start, names, set) in all {
        let mut values = lab.default_position().values;
        for (knob, text) in &set {
            let value = match knobs.iter().position(|name| name == knob) {
                None => Err(nearest(knob, "a knob", &knobs)),
                Some(place) => lab.knobs[place].read(text).map(|value| (place, value)),
            };
            match value {
                Ok((place, value)) => values[place] = value,
                // One fault of an axis would come once for each row.
                Err(why) if said.contains(&why) => {}
                Err(why) => {
                    fail(start, why.clone());
                    said.push(why);
                }
            }
        }
        planned.push(Planned { names, set, values });
    }
    planned
}

fn read(lab: &Lab, knob: &str, text: &str) -> Option<Value> {
    lab.knobs.iter().find(|k| k.name == knob)?.read(text).ok()
}

/// Settings beyond what a reader may set.
fn scale(given: &BTreeMap<String, String>, lab: &Lab) -> Result<Vec<(Setting, Value)>, String> {
    given
        .iter()
        .map(|(path, text)| {
            let setting = Setting::parse(path)?;
            if setting.get(&lab.scenario).is_none() {
                return Err(format!("nothing in the lab has the setting `{path}`"));
            }
            let value = Value::parse(setting.form(), text)?;
            Ok((setting, value))
        })
        .collect()
}

/// A curve for each value of the second axis, or one: the columns of the table over the values of the first, evenly spaced.
fn chart(
    state: &str,
    title: &str,
    heads: &[String],
    names: &[&[String]],
    amounts: &[Amount],
) -> String {
    const WIDTH: usize = 640;
    const TOP: usize = 44;
    const BASE: usize = 214;
    const LEFT: usize = 64;
    let mut places: Vec<&str> = Vec::new();
    let mut curves: Vec<(&str, Vec<(usize, Amount)>)> = Vec::new();
    for (names, amount) in names.iter().zip(amounts) {
        let (place, of) = (names[0].as_str(), names.get(1).map_or("", String::as_str));
        let at = places.iter().position(|p| *p == place).unwrap_or_else(|| {
            places.push(place);
            places.len() - 1
        });
        match curves.iter_mut().find(|(name, _)| *name == of) {
            Some((_, points)) => points.push((at, *amount)),
            None => curves.push((of, vec![(at, *amount)])),
        }
    }
    let most = amounts.iter().map(|amount| amount.height()).max().unwrap_or(0).max(1);
    let named = if curves.len() > 1 { 110 } else { 24 };
    let along = |at: usize| {
        let steps = places.len().max(2) - 1;
        LEFT + 12 + at * (WIDTH - LEFT - 12 - named) / steps
    };
    let across = |amount: Amount| {
        let room = (BASE - TOP) as u128;
        BASE - (u128::from(amount.height()) * room / u128::from(most)) as usize
    };
    let plain = |text: &str| text.replace('`', "");
    let mut account = format!("{}, by {}.", plain(title), plain(&heads[0]));
    for (name, points) in &curves {
        let of = match heads.get(1) {
            Some(head) => format!(" With {} {name}:", plain(head)),
            None => String::new(),
        };
        let told: Vec<String> = points
            .iter()
            .map(|(at, amount)| format!("{}: {}", places[*at], amount.words()))
            .collect();
        let _ = write!(account, "{of} {}.", told.join("; "));
    }
    let mut out = format!(
        "<svg class=\"curve\" viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-label=\"{}\">\n",
        BASE + 44,
        escaped(&account)
    );
    let _ = writeln!(
        out,
        "<text class=\"value start\" x=\"0\" y=\"14\">{}</text>",
        escaped(&plain(title))
    );
    if let (Some(head), true) = (heads.get(1), curves.len() > 1) {
        let _ = writeln!(
            out,
            "<text class=\"tick end\" x=\"{WIDTH}\" y=\"14\">{}</text>",
            escaped(&plain(head))
        );
    }
    let highest = amounts.iter().copied().max_by_key(|amount| amount.height());
    for amount in [Some(Amount::Count(0)), highest].into_iter().flatten() {
        let y = across(amount);
        let _ = writeln!(
            out,
            "<path class=\"grid\" d=\"M{LEFT} {y}H{}\"/><text class=\"tick end\" x=\"{}\" y=\"{}\">{}</text>",
            WIDTH - named + 12,
            LEFT - 8,
            y + 4,
            escaped(&amount.words())
        );
    }
    for (at, place) in places.iter().enumerate() {
        let _ = writeln!(
            out,
            "<text class=\"tick\" x=\"{}\" y=\"{}\">{}</text>",
            along(at),
            BASE + 18,
            escaped(place)
        );
    }
    let _ = writeln!(
        out,
        "<text class=\"tick\" x=\"{}\" y=\"{}\">{}</text>",
        (along(0) + along(places.len() - 1)) / 2,
        BASE + 38,
        escaped(&plain(&heads[0]))
    );
    for (name, points) in &curves {
        let mut path = String::new();
        for (at, amount) in points {
            let lead = if path.is_empty() { 'M' } else { 'L' };
            let _ = write!(path, "{lead}{} {}", along(*at), across(*amount));
        }
        let _ = writeln!(out, "<path class=\"line {state}\" d=\"{path}\"/>");
        for (at, amount) in points {
            let (x, y) = (along(*at), across(*amount));
            let _ = writeln!(out, "<circle class=\"dot {state}\" cx=\"{x}\" cy=\"{y}\" r=\"4\"/>");
            if curves.len() == 1 {
                let _ = writeln!(
                    out,
                    "<text class=\"value\" x=\"{x}\" y=\"{}\">{}</text>",
                    y - 9,
                    escaped(&amount.words())
                );
            }
        }
        if let (false, Some((at, amount))) = (name.is_empty(), points.last()) {
            let _ = writeln!(
                out,
                "<text class=\"tick start\" x=\"{}\" y=\"{}\">{}</text>",
                along(*at) + 10,
                across(*amount) + 4,
                escaped(name)
            );
        }
    }
    out.push_str("</svg>\n");
    out
}
