//! The state of one lab: its settings, the run they give, and the moment shown.
//!
//! Settings make a run; the run and the moment make everything on screen. What a reader does comes in through the methods
//! here and nowhere else.

use crate::player::Player;
use crate::repaint::repaint;
use crate::run::{Run, Shown};
use crate::view::Control;
use crate::{address, view};
use delivery_figure::lab::{Knob, Lab, Position};
use delivery_figure::scene::{Layout, Scene};
use delivery_figure::window::Window;
use delivery_sim::setting::Value;
use delivery_sim::time::{MS, SEC};
use delivery_sim::{Scenario, Time};
use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use std::sync::Arc;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, EventTarget};

/// Speeds on offer, in percent of real time, with their names.
pub(crate) const SPEEDS: [(u32, &str); 8] = [
    (25, "0.25×"),
    (50, "0.5×"),
    (100, "1×"),
    (200, "2×"),
    (500, "5×"),
    (1_000, "10×"),
    (10_000, "100×"),
    (100_000, "1000×"),
];

/// A run should not take longer than this at its first speed.
const PATIENCE: u64 = 12 * SEC;

/// Milliseconds between two updates of the readout while playing.
const TICK_MS: u64 = 200;

/// Milliseconds from event to event for readers who asked for less motion.
const STEP_MS: u32 = 1_000;

/// Milliseconds of quiet before the address is written, and before a run is judged.
const ADDRESS_MS: u32 = 200;

/// Whether this is the browser's program; if not, labs are written into pages.
pub(crate) const ALIVE: bool = cfg!(not(feature = "ssr"));

/// Below this width pictures stand upright; the same as in `style/lab.css`.
const NARROW: &str = "(max-width: 55.99rem)";

/// What is on screen besides the settings.
#[derive(Clone, Copy)]
pub(crate) struct Now {
    /// The moment.
    pub(crate) t: Time,
    /// How many events are over or shown, if that was chosen: several can be of the same moment.
    step: Option<usize>,
    /// Whether the clock runs.
    pub(crate) playing: bool,
    /// How the picture lies.
    pub(crate) layout: Layout,
    /// Which parts are open: bits of [`view::parts`].
    pub(crate) open: u8,
    /// The stretch of the run that the picture shows; none for all of it.
    pub(crate) window: Option<Window>,
    /// The message whose life is lit and told, by its place in the trace.
    pub(crate) msg: Option<u32>,
    /// Whether a run is pinned.
    pub(crate) pinned: bool,
}

impl Now {
    /// Goes to a moment; a picture that does not show it turns to the page that does.
    fn go(&mut self, t: Time, step: Option<usize>, end: Time) {
        (self.t, self.step) = (t, step);
        self.window = self.window.and_then(|window| window.turned_to(t, end));
    }
}

/// What does not change, or what is followed by way of [`Now`].
struct Inner {
    lab: Lab,
    first: bool,
    /// The settings, one for each knob.
    values: Vec<Value>,
    /// The run on screen.
    shown: Shown,
    /// The speed, by its place in [`SPEEDS`].
    speed: usize,
    /// Whether the run begins again at its end.
    looping: bool,
    /// The rows between which the table of events is built.
    built: (usize, usize),
    /// The picture on screen, made when it is first needed.
    scene: Option<Scene>,
    /// What was put in its place, as text.
    picture: String,
    /// Its movement, likewise, and that of the picture above it.
    players: Vec<Player>,
    /// The settings of the pinned run.
    pinned: Option<Vec<Value>>,
    /// The run drawn above the one on screen: the pinned one, or the second system of the lab.
    other: Option<Arc<Run>>,
    /// Where and when the clock started: the run's moment, and the page's in milliseconds.
    started: (Time, f64),
    /// What each knob's control needs; none for a knob without a setting.
    controls: Vec<Option<Control>>,
    /// The knob that was turned last.
    turned: usize,
    /// The next update while playing.
    timer: Option<Timeout>,
    /// What is done when the reader has come to rest.
    pending: Option<Timeout>,
}

/// One lab. A bundle of handles, cheap to copy into every closure.
///
/// One signal for all: every further type costs a kilobyte to download.
#[derive(Clone, Copy)]
pub(crate) struct Live {
    /// The moment and how it is looked at. It also tells its followers of other settings and their run.
    pub(crate) now: RwSignal<Now>,
    inner: StoredValue<Inner, LocalStorage>,
}

impl Live {
    /// A lab at a position. Belongs to the reactive owner it is made under.
    pub(crate) fn new(lab: Lab, first: bool, position: Position) -> Self {
        let t = position.t.min(lab.scenario.end);
        let layout = if ALIVE && media(NARROW) { Layout::Tall } else { Layout::Wide };
        let speed = first_speed(lab.scenario.end);
        let controls = controls(&lab, &position);
        let shown = Shown::of(&lab, &position.values, None);
        let inner = StoredValue::new_local(Inner {
            lab,
            first,
            values: position.values,
            shown,
            speed,
            looping: false,
            built: (0, 0),
            scene: None,
            picture: String::new(),
            players: Vec::new(),
            pinned: None,
            other: None,
            started: (Time::ZERO, 0.0),
            controls,
            turned: usize::MAX,
            timer: None,
            pending: None,
        });
        let now = RwSignal::new(Now {
            t,
            step: None,
            playing: false,
            layout,
            open: 0,
            window: position.window,
            msg: None,
            pinned: false,
        });
        let live = Self { now, inner };
        live.keep(position.pinned);
        live
    }

    /// Reads something of the lab.
    pub(crate) fn lab<T>(self, read: impl FnOnce(&Lab) -> T) -> T {
        self.inner.with_value(|inner| read(&inner.lab))
    }

    /// An id on the page that is this lab's own.
    pub(crate) fn id(self, name: &str) -> String {
        self.lab(|lab| [&lab.slug, "-", name].concat())
    }

    /// The element with that id.
    pub(crate) fn element(self, name: &str) -> Option<Element> {
        document().get_element_by_id(&self.id(name))
    }

    /// Looks at each knob: its place, itself, its value and its control. Not followed.
    pub(crate) fn each_knob(self, look: &mut dyn FnMut(usize, &Knob, &Value, &Control)) {
        self.inner.with_value(|inner| {
            let knobs = inner.lab.knobs.iter().zip(&inner.values).zip(&inner.controls).enumerate();
            for (i, ((knob, value), control)) in knobs {
                if let Some(control) = control {
                    look(i, knob, value, control);
                }
            }
        });
    }

    /// The scenario that the settings make. Not followed.
    pub(crate) fn scenario(self) -> Scenario {
        self.inner.with_value(|inner| inner.lab.scenario_at(&inner.values))
    }

    /// The knob that was turned last, beyond all of them if none was.
    pub(crate) fn last_turned(self) -> usize {
        self.inner.with_value(|inner| inner.turned)
    }

    /// Looks at what is on screen. Not followed.
    pub(crate) fn shown<T>(self, look: impl FnOnce(&Shown) -> T) -> T {
        self.inner.with_value(|inner| look(&inner.shown))
    }

    /// The run on screen. Not followed.
    pub(crate) fn run_now(self) -> Arc<Run> {
        self.shown(|shown| shown.run.clone())
    }

    /// The settings. Not followed.
    fn values(self) -> Vec<Value> {
        self.inner.with_value(|inner| inner.values.clone())
    }

    /// The event shown: the last one up to now, none before the first.
    pub(crate) fn row_now(self) -> Option<usize> {
        row(&self.run_now(), self.now.get_untracked())
    }

    /// Keeps picture, table and address in step with the state. To be called once, in the browser.
    pub(crate) fn follow(self) {
        Effect::new(move |seen: Option<(Arc<Run>, Now, Vec<Value>)>| {
            let (run, now, values) = (self.run_now(), self.now.get(), self.values());
            let row_then = seen.as_ref().map(|(before, was, _)| row(before, *was));
            let same = seen.as_ref().is_some_and(|(before, ..)| Arc::ptr_eq(before, &run));
            let row = row(&run, now);
            view::show(self, &run, &now, row, [same, same && row_then == Some(row)]);
            if let Some((_, was, turned)) = &seen {
                if !same || was.layout != now.layout || was.window != now.window {
                    self.draw(&run, now);
                    view::show_zoom(self, &run, now.window);
                }
                if *turned != values {
                    view::show_knobs(self, false);
                }
                if was.pinned != now.pinned {
                    view::show_pin(self, now.pinned);
                }
                view::show_parts(self, &run, now.open, was.open, same);
                if was.msg != now.msg {
                    view::light(self, None);
                }
                if now.msg.is_some() || was.msg.is_some() {
                    view::show_card(self);
                }
                let moved = (was.t, was.window, was.pinned) != (now.t, now.window, now.pinned);
                if !same || !now.playing && (was.playing || moved || *turned != values) {
                    let timeout = Timeout::new(ADDRESS_MS, move || self.rest());
                    self.inner.update_value(|inner| inner.pending = Some(timeout));
                }
            } else {
                self.draw(&run, now);
                view::show_zoom(self, &run, now.window);
                view::show_pin(self, now.pinned);
                view::listen_zoom(self);
                view::attend(self);
            }
            (run, now, values)
        });
        if let Ok(Some(narrow)) = window().match_media(NARROW) {
            let list = narrow.clone();
            listen(&narrow, "change", move || {
                let layout = if list.matches() { Layout::Tall } else { Layout::Wide };
                self.now.update(|now| now.layout = layout);
            });
        }
        if let Ok(Some(paper)) = window().match_media("print") {
            listen(&paper, "change", move || self.now.update(|now| now.open |= view::ACCOUNT));
        }
        // Back, forward, and links in the text that show a result.
        listen(&window(), "popstate", move || {
            self.go(self.inner.with_value(|inner| address::read(&inner.lab, inner.first).0));
        });
        // The script that copies the figure wants to know how it is set.
        if let Some(section) = document().get_element_by_id(&self.lab(|lab| lab.slug.clone())) {
            listen(&section, "share", move || {
                self.write_address();
                view::show_copies(self);
            });
            // A word of the text is pointed at.
            let asked = Closure::<dyn Fn(_)>::new(move |event| view::asked(self, &event));
            let _ =
                section.add_event_listener_with_callback("light", asked.as_ref().unchecked_ref());
            asked.forget();
        }
    }

    /// The reader has come to rest: a moving slider waits for nothing and says nothing.
    fn rest(self) {
        if !self.now.with_untracked(|now| now.playing) {
            self.write_address();
        }
        self.judge();
    }

    /// Holds answer and goals against the run on screen.
    pub(crate) fn judge(self) {
        view::judge(self, &self.run_now());
    }

    /// Whether it is the first lab of its page.
    #[cfg(feature = "ssr")]
    pub(crate) fn first(self) -> bool {
        self.inner.with_value(|inner| inner.first)
    }

    fn draw(self, run: &Run, now: Now) {
        let Some(view) = self.element("view") else { return };
        let t = self.clock().min(run.trace.end);
        let scene = run.scene(now.layout, now.window);
        let picture = self.lab(|lab| run.picture(&lab.slug, &lab.title, &scene, t));
        self.inner.update_value(|inner| {
            inner.players.clear();
            repaint(&view, &inner.picture, &picture);
            inner.picture = picture;
            inner.scene = Some(scene);
        });
        self.draw_other(now, t);
        if self.now.with_untracked(|now| now.playing || now.t != t) {
            self.seek(t);
        }
    }

    /// Looks at the picture on screen.
    pub(crate) fn with_scene<T>(self, look: impl FnOnce(&Scene) -> T) -> Option<T> {
        let now = self.now.get_untracked();
        let run = self.run_now();
        self.inner.try_update_value(|inner| {
            look(inner.scene.get_or_insert_with(|| run.scene(now.layout, now.window)))
        })
    }

    /// Draws the picture above, if there is one, and marks in both what differs.
    fn draw_other(self, now: Now, t: Time) {
        view::draw_other(self, now, t);
        let selected = self.now.with_untracked(|now| now.msg.is_some());
        if selected {
            view::light(self, None);
        }
    }

    /// Does something with the movement of the pictures, which is made if it is not there yet.
    fn with_player(self, act: impl Fn(&Player)) {
        if self.inner.with_value(|inner| inner.players.is_empty()) {
            // Looked up before the scene is: while somebody looks at that, nothing else can be read.
            let t = self.clock();
            let player = |view: &Option<Element>, scene: &Scene| {
                view.as_ref().map(|view| Player::new(view, scene, t))
            };
            let (view, above) = (self.element("view"), self.element("other-view"));
            let now = self.now.get_untracked();
            let mut players = Vec::new();
            players.extend(self.with_scene(|scene| player(&view, scene)).flatten());
            if let Some(other) = self.other() {
                players.extend(player(&above, &other.scene(now.layout, now.window)));
            }
            self.inner.update_value(|inner| inner.players = players);
            if now.msg.is_some() {
                view::light(self, None);
            }
        }
        self.inner.with_value(|inner| inner.players.iter().for_each(act));
    }

    // The run above.

    /// Keeps the run on screen to compare others with it, or lets the one that was kept go.
    pub(crate) fn pin(self) {
        let pinned = self.now.with_untracked(|now| now.pinned);
        self.keep((!pinned).then(|| self.run_now().values.clone()));
        let now = self.now.get_untracked();
        self.inner.update_value(|inner| inner.players.clear());
        self.draw(&self.run_now(), now);
    }

    /// Keeps the run of these settings, if they allow one.
    fn keep(self, pinned: Option<Vec<Value>>) {
        let run = pinned.as_ref().and_then(|values| self.lab(|lab| Run::new(lab, values).ok()));
        let there = run.is_some();
        self.inner.update_value(|inner| {
            inner.pinned = pinned.filter(|_| there);
            inner.other = run.map(Arc::new);
        });
        self.now.update(|now| now.pinned = there);
    }

    /// The pinned run, or that of the second system under the settings on screen.
    pub(crate) fn other(self) -> Option<Arc<Run>> {
        self.inner.with_value(|inner| inner.other.clone()).or_else(|| {
            let values = &self.run_now().values;
            self.lab(|lab| Run::beside(lab, values)).map(Arc::new)
        })
    }

    /// The settings of the pinned run.
    pub(crate) fn pinned(self) -> Option<Vec<Value>> {
        self.inner.with_value(|inner| inner.pinned.clone())
    }

    /// Gives the focus to the picture.
    pub(crate) fn focus(self) {
        if let Some(view) = self.element("view") {
            let _ = view.unchecked_into::<web_sys::HtmlElement>().focus();
        }
    }

    // Settings.

    /// Turns one knob; the moment stays. Says whether it stood elsewhere.
    pub(crate) fn turn(self, knob: usize, value: Value) -> bool {
        let mut values = self.values();
        let new = values.get(knob).is_some_and(|now| *now != value);
        if new {
            self.inner.update_value(|inner| {
                inner.turned = knob;
                view::admit(&mut inner.controls[knob], &inner.lab.knobs[knob], &value);
            });
            values[knob] = value;
            self.set_values(values);
            self.now.update(|now| now.step = None);
        }
        new
    }

    /// Runs other settings. Who calls this goes on to tell what of [`Now`] changes.
    fn set_values(self, values: Vec<Value>) {
        self.inner.update_value(|inner| {
            inner.shown = Shown::of(&inner.lab, &values, Some(&inner.shown));
            inner.values = values;
        });
    }

    /// Back to the settings and the moment that the lab opens with.
    pub(crate) fn reset(self) {
        self.go(self.lab(Lab::default_position));
    }

    /// Stops at other settings and another moment.
    fn go(self, position: Position) {
        self.pause();
        self.inner.update_value(|inner| inner.controls = controls(&inner.lab, &position));
        self.keep(position.pinned);
        self.set_values(position.values);
        view::show_knobs(self, true);
        self.seek(position.t);
        self.look_at(position.window);
    }

    /// The settings and the moment.
    pub(crate) fn position(self) -> Position {
        let Now { t, window, .. } = self.now.get_untracked();
        Position { values: self.values(), t, window, pinned: self.pinned() }
    }

    fn write_address(self) {
        let position = self.position();
        self.inner.with_value(|inner| address::write(&inner.lab, inner.first, &position));
    }

    // The moment.

    /// Shows a moment; a running clock goes on from there.
    pub(crate) fn seek(self, t: Time) {
        self.show(t.min(self.run_now().trace.end), None);
    }

    /// Shows another stretch of the run, or all of it; the moment stays.
    pub(crate) fn look_at(self, window: Option<Window>) {
        if self.now.with_untracked(|now| now.window != window) {
            self.now.update(|now| now.window = window);
        }
    }

    /// Shows one event.
    pub(crate) fn seek_row(self, row: usize) {
        if let Some(at) = self.run_now().rows.at(row) {
            self.show(at, Some(row + 1));
        }
    }

    fn show(self, t: Time, step: Option<usize>) {
        let end = self.run_now().trace.end;
        self.now.update(|now| now.go(t, step, end));
        self.with_player(|player| player.seek(t));
        if self.now.with_untracked(|now| now.playing) {
            self.glide(t);
        }
    }

    /// Goes to the next event. Says whether there is one.
    pub(crate) fn next(self) -> bool {
        let next = self.row_now().map_or(0, |row| row + 1);
        self.seek_row(next);
        next < self.run_now().rows.len()
    }

    /// Goes to the start of this event or, being there, to the one before; before the first to the start.
    pub(crate) fn previous(self) {
        let t = self.clock();
        match self.row_now() {
            Some(row) if self.run_now().rows.at(row) < Some(t) => self.seek_row(row),
            Some(row) if row > 0 => self.seek_row(row - 1),
            _ => self.start(),
        }
    }

    /// Goes to the next event of a kind, or the one `back`; beyond the last of them to the first.
    pub(crate) fn jump(self, kind: u8, back: bool) {
        let run = self.run_now();
        // Well within an event, the one before is its own beginning.
        let within = |row| !back || run.rows.at(row) < Some(self.clock());
        let done = self.row_now().map_or(0, |row| row + usize::from(within(row)));
        if let Some(row) = run.rows.next_of(kind, done, back) {
            self.seek_row(row);
        }
    }

    /// Plays from the start of the run.
    pub(crate) fn replay(self) {
        self.now.update(|now| now.playing = true);
        self.start();
    }

    /// Goes to the start of the run, before anything has happened.
    pub(crate) fn start(self) {
        self.show(Time::ZERO, Some(0));
    }

    // The clock.

    /// Starts or stops the clock. At the end of the run it starts from the beginning.
    pub(crate) fn toggle(self) {
        if self.now.with_untracked(|now| now.playing) {
            return self.pause();
        }
        let t = self.clock();
        self.now.update(|now| now.playing = true);
        self.seek(if t < self.run_now().trace.end { t } else { Time::ZERO });
    }

    /// Stops the clock where it is.
    pub(crate) fn pause(self) {
        if self.now.with_untracked(|now| now.playing) {
            let (t, end) = (self.clock(), self.run_now().trace.end);
            self.inner.update_value(|inner| inner.timer = None);
            self.now.update(|now| now.playing = false);
            // To a hundredth of a second, so that the address is short.
            self.seek(if t < end && !calm() { Time(t.0 - t.0 % (10 * MS)) } else { t });
        }
    }

    /// The speed, by its place in [`SPEEDS`].
    pub(crate) fn speed(self) -> usize {
        self.inner.with_value(|inner| inner.speed)
    }

    /// Plays at another speed.
    pub(crate) fn set_speed(self, speed: usize) {
        let t = self.clock();
        self.inner.update_value(|inner| inner.speed = speed.min(SPEEDS.len() - 1));
        if self.now.with_untracked(|now| now.playing) {
            self.seek(t);
        }
    }

    /// Whether the run begins again at its end.
    pub(crate) fn looping(self) -> bool {
        self.inner.with_value(|inner| inner.looping)
    }

    /// Lets the run begin again at its end, or not.
    pub(crate) fn set_looping(self, looping: bool) {
        self.inner.update_value(|inner| inner.looping = looping);
    }

    /// The rows between which the table of events is built.
    pub(crate) fn built(self) -> (usize, usize) {
        self.inner.with_value(|inner| inner.built)
    }

    /// Notes between which rows the table of events is built.
    pub(crate) fn set_built(self, built: (usize, usize)) {
        self.inner.update_value(|inner| inner.built = built);
    }

    fn percent(self) -> u32 {
        SPEEDS[self.speed()].0
    }

    /// The moment now, exact even while the clock runs.
    pub(crate) fn clock(self) -> Time {
        let now = self.now.get_untracked();
        if !now.playing || calm() {
            return now.t;
        }
        let (from, since) = self.inner.with_value(|inner| inner.started);
        let passed = (page_ms() - since) * f64::from(self.percent()) * (MS / 100) as f64;
        // A float beyond the range of an integer becomes its end.
        Time(from.0.saturating_add(passed as u64)).min(self.run_now().trace.end)
    }

    /// Lets the clock run from `t`: the browser moves the picture, and words follow now and then.
    fn glide(self, t: Time) {
        self.inner.update_value(|inner| inner.started = (t, page_ms()));
        if !calm() {
            let percent = self.percent();
            self.with_player(|player| player.play(t, percent));
        }
        self.wait(t);
    }

    fn wait(self, t: Time) {
        let ms = if calm() {
            STEP_MS
        } else {
            let run = self.run_now();
            let next = run.rows.at(run.rows.upto(t)).unwrap_or(run.trace.end).min(run.trace.end);
            let ms = next.since(t).0 / MS * 100 / u64::from(self.percent());
            (ms + 1).clamp(TICK_MS * 3 / 4, TICK_MS) as u32
        };
        let timeout = Timeout::new(ms, move || self.tick());
        self.inner.update_value(|inner| inner.timer = Some(timeout));
    }

    fn tick(self) {
        let (t, end) = (self.clock(), self.run_now().trace.end);
        if !self.in_sight() {
            self.pause();
        } else if if calm() { !self.next() } else { t >= end } {
            if self.looping() {
                self.start();
            } else {
                self.pause();
            }
        } else if !calm() {
            self.now.update(|now| now.go(t, None, end));
            self.with_player(|player| player.say(t));
            self.wait(t);
        }
    }

    /// Whether anybody can see the picture: the page is shown and some of the picture is in its window.
    fn in_sight(self) -> bool {
        let Some(view) = self.element("view") else { return false };
        let place = view.get_bounding_client_rect();
        let height = window().inner_height().ok().and_then(|h| h.as_f64()).unwrap_or_default();
        // The script of a frame knows whether that is in the window of the page around it.
        let away =
            document().document_element().is_some_and(|root| root.has_attribute("data-away"));
        !away && !document().hidden() && place.bottom() > 0.0 && place.top() < height
    }
}

/// A position's own values are among the places, whatever the lab names.
fn controls(lab: &Lab, position: &Position) -> Vec<Option<Control>> {
    view::controls(&lab.knobs, &lab.default_position().values, &position.values)
}

fn row(run: &Run, now: Now) -> Option<usize> {
    match now.step.map(|step| step.checked_sub(1)) {
        Some(None) if now.t == Time::ZERO => None,
        Some(Some(row)) if run.rows.at(row) == Some(now.t) => Some(row),
        _ => run.rows.upto(now.t).checked_sub(1),
    }
}

/// The slowest speed from real time on at which a run is over soon.
fn first_speed(end: Time) -> usize {
    let fits = |&(percent, _): &(u32, &str)| {
        percent >= 100 && end.0 <= PATIENCE.saturating_mul(u64::from(percent)) / 100
    };
    SPEEDS.iter().position(fits).unwrap_or(SPEEDS.len() - 1)
}

/// Milliseconds since the page was opened.
fn page_ms() -> f64 {
    window().performance().map_or(0.0, |performance| performance.now())
}

/// Whether the reader asked for less motion.
fn calm() -> bool {
    media("(prefers-reduced-motion: reduce)")
}

fn media(query: &str) -> bool {
    window().match_media(query).ok().flatten().is_some_and(|list| list.matches())
}

/// Calls `act` at every such event. A lab lives as long as its page, and so does this.
fn listen(target: &EventTarget, event: &str, act: impl Fn() + 'static) {
    let closure = Closure::<dyn Fn()>::new(act);
    let _ = target.add_event_listener_with_callback(event, closure.as_ref().unchecked_ref());
    closure.forget();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_run_takes_no_longer_than_patience() {
        for (seconds, name) in [
            (0, "1×"),
            (12, "1×"),
            (13, "2×"),
            (60, "5×"),
            (61, "10×"),
            (1_200, "100×"),
            (1_201, "1000×"),
            (90_000, "1000×"),
        ] {
            assert_eq!(SPEEDS[first_speed(Time(seconds * SEC))].1, name, "{seconds} s");
        }
    }
}
