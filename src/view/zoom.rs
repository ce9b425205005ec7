//! Zoom and pan in time: buttons, keys, the wheel over the picture, and dragging its times.

use super::light;
use crate::live::Live;
use crate::run::Run;
use delivery_figure::scene::Layout;
use delivery_figure::window::Window;
use delivery_sim::{Dur, Time};
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, Event, HtmlElement, PointerEvent, WheelEvent};

/// What is left of the length of the window when it is zoomed in or out, in percent.
pub(super) const IN: u64 = 50;
pub(super) const OUT: u64 = 200;

/// The button that is always there, and those that come with zoom.
#[cfg(feature = "ssr")]
const BUTTONS: &str = r#"<button class="closer" type="button" data-zoom="in" aria-label="Zoom in"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M7 4v6M4 7h6M11 11l3.5 3.5"/><circle cx="7" cy="7" r="5"/></svg></button><div role="group" aria-label="Zoom"><button type="button" data-zoom="out" aria-label="Zoom out"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M4 7h6M11 11l3.5 3.5"/><circle cx="7" cy="7" r="5"/></svg></button><button type="button" data-zoom="-" aria-label="Earlier"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M10.5 3 5.5 8l5 5"/></svg></button><button type="button" data-zoom="+" aria-label="Later"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="m5.5 3 5 5-5 5"/></svg></button><button type="button" data-zoom="all">Whole run</button><output>"#;

/// A pixel of the wheel turns the window by so many tenths of a percent.
const TURN: f64 = 3.0;

/// A drag of the times of a picture.
#[derive(Clone, Copy)]
struct Drag {
    /// Where it began, along the axis in pixels, and which moment was there.
    from: f64,
    at: Time,
    /// What was shown, and how long a pixel is in nanoseconds.
    window: Option<Window>,
    pixel: f64,
}

/// The controls of zoom, as part of the clock.
#[cfg(feature = "ssr")]
pub(super) fn zoom_controls(live: Live) -> impl IntoView {
    let (class, words) = look(&live.run_now(), live.now.get_untracked().window);
    let html = [BUTTONS, &words, "</output></div>"].concat();
    view! { <div class=class id=live.id("zoom") inner_html=html></div> }
}

/// Brings the controls in step with the window.
pub(crate) fn show(live: Live, run: &Run, window: Option<Window>) {
    let Some(place) = live.element("zoom") else { return };
    let (class, words) = look(run, window);
    super::set(&place, "class", Some(class));
    let find = |selector: &str| place.query_selector(selector).ok().flatten();
    super::write(&place, "output", &words);
    // The whole run has nothing to zoom out of: the focus goes to the button that is left.
    if window.is_none()
        && find("div :focus").is_some()
        && let Some(closer) = find(".closer")
    {
        let _ = closer.unchecked_into::<HtmlElement>().focus();
    }
}

/// How the controls look and what they say: little as long as nobody needs them.
fn look(run: &Run, window: Option<Window>) -> (&'static str, String) {
    let words = |t: Time| Dur(t.0).to_string();
    match window {
        Some(Window { from, to }) => (
            "zoom zoomed",
            [&words(from), " to ", &words(to), " of ", &words(run.trace.end)].concat(),
        ),
        None if run.rows.is_dense() => {
            ("zoom dense", "Too many messages to show each: zoom in to see them.".into())
        }
        None => ("zoom", String::new()),
    }
}

fn press(live: Live, button: &Element) {
    match button.get_attribute("data-zoom").as_deref() {
        Some("in") => zoom(live, IN),
        Some("out") => zoom(live, OUT),
        Some("-") => pan(live, -5),
        Some("+") => pan(live, 5),
        _ => live.look_at(None),
    }
}

/// Zooms around the moment shown, or the middle where that is off the picture.
pub(super) fn zoom(live: Live, percent: u64) {
    let t = live.clock();
    let window = shown(live);
    let middle = Time(window.from.0.midpoint(window.to.0));
    turn(live, if window.from <= t && t <= window.to { t } else { middle }, percent * 10);
}

/// Shows what is so many tenths of the window later.
pub(super) fn pan(live: Live, tenths: i64) {
    let end = live.run_now().trace.end;
    if let Some(window) = live.now.with_untracked(|now| now.window) {
        live.look_at(window.panned(tenths * 100, end));
    }
}

fn shown(live: Live) -> Window {
    let end = live.run_now().trace.end;
    live.now.with_untracked(|now| now.window).unwrap_or(Window::whole(end))
}

fn turn(live: Live, at: Time, permille: u64) {
    live.look_at(shown(live).zoomed(at, permille, live.run_now().trace.end));
}

/// Follows wheel and pointer over the picture, and the buttons; once, when they are on the page.
pub(crate) fn listen(live: Live) {
    let (Some(view), Some(controls), Some(pictures)) =
        (live.element("view"), live.element("zoom"), live.element("pictures"))
    else {
        return;
    };
    let place = view.clone();
    let mut drag = None;
    let closure =
        Closure::<dyn FnMut(Event)>::new(move |event: Event| match event.type_().as_str() {
            "click" => {
                let button = event_target::<Element>(&event).closest("[data-zoom]");
                if let Ok(Some(button)) = button {
                    press(live, &button);
                }
            }
            "pointerover" => light::hover(live, &event),
            "pointerleave" => light::light(live, None),
            "wheel" => wheel(live, &place, &event.unchecked_into()),
            name => pull(live, &place, name, event.unchecked_ref(), &mut drag),
        });
    let listener = closure.as_ref().unchecked_ref();
    for name in ["wheel", "pointerdown", "pointermove", "pointerup", "pointercancel"] {
        let _ = view.add_event_listener_with_callback(name, listener);
    }
    for name in ["pointerover", "pointerleave"] {
        let _ = pictures.add_event_listener_with_callback(name, listener);
    }
    let _ = controls.add_event_listener_with_callback("click", listener);
    // A lab lives as long as its page, and so does this.
    closure.forget();
}

/// A point of the page in the picture: how long a pixel is, the moment there, and whether it is on the times of the axis.
fn under(live: Live, view: &Element, x: i32, y: i32) -> Option<(f64, Time, bool)> {
    let svg = view.query_selector("svg.scene").ok()??;
    let place = svg.get_bounding_client_rect();
    live.with_scene(|scene| {
        // Tenths of a unit for each pixel.
        let scale = f64::from(scene.width) * 10.0 / place.width();
        let tenths = |at: i32, edge: f64| ((f64::from(at) - edge) * scale) as i32;
        let (t, times) = scene.under(tenths(x, place.left()), tenths(y, place.top()));
        let axis = f64::from(scene.axis_to - scene.axis_from) * 10.0;
        (scene.window.length().0 as f64 * scale / axis, t, times)
    })
}

/// With ctrl or ⌘ the wheel zooms at the pointer; with shift, or sideways, it pans what is zoomed.
fn wheel(live: Live, view: &Element, event: &WheelEvent) {
    let (mut x, mut y) = (event.delta_x(), event.delta_y());
    if event.delta_mode() != WheelEvent::DOM_DELTA_PIXEL {
        (x, y) = (x * 30.0, y * 30.0);
    }
    let Some((pixel, at, _)) = under(live, view, event.client_x(), event.client_y()) else {
        return;
    };
    if event.ctrl_key() || event.meta_key() {
        turn(live, at, (1_000.0 + (y * TURN).clamp(-500.0, 1_000.0)) as u64);
    } else if let Some(window) = live.now.with_untracked(|now| now.window)
        && (event.shift_key() || x.abs() > y.abs())
    {
        let way = (if x == 0.0 { y } else { x }) * pixel;
        live.look_at(moved(live, window, way));
    } else {
        return;
    }
    event.prevent_default();
}

/// A window moved by so many nanoseconds.
fn moved(live: Live, window: Window, nanos: f64) -> Option<Window> {
    let permille = (nanos * 1_000.0 / window.length().0.max(1) as f64) as i64;
    window.panned(permille, live.run_now().trace.end)
}

/// Dragging the times of a picture moves what is zoomed, and chooses a stretch of a whole run. A finger scrolls the page.
fn pull(live: Live, view: &Element, name: &str, event: &PointerEvent, drag: &mut Option<Drag>) {
    let tall = live.now.with_untracked(|now| now.layout) == Layout::Tall;
    let (x, y) = (event.client_x(), event.client_y());
    let along = f64::from(if tall { y } else { x });
    match (name, *drag) {
        ("pointerdown", _) if event.button() == 0 && event.pointer_type() != "touch" => {
            if let Some((pixel, at, true)) = under(live, view, x, y) {
                let window = live.now.with_untracked(|now| now.window);
                *drag = Some(Drag { from: along, at, window, pixel });
                let _ = view.set_pointer_capture(event.pointer_id());
            }
        }
        ("pointermove", Some(Drag { from, window: Some(window), pixel, .. })) => {
            live.look_at(moved(live, window, (from - along) * pixel));
        }
        ("pointermove", Some(Drag { from, window: None, .. })) => select(view, tall, from, along),
        ("pointerup", Some(Drag { from, at, window: None, .. })) => {
            let end = live.run_now().trace.end;
            if let Some((_, t, _)) = under(live, view, x, y)
                && (along - from).abs() > 4.0
            {
                live.look_at(Window::within(at, t, end));
            }
            select(view, tall, 0.0, 0.0);
            *drag = None;
        }
        ("pointerup" | "pointercancel", Some(_)) => {
            select(view, tall, 0.0, 0.0);
            *drag = None;
        }
        _ => {}
    }
}

/// Marks the stretch between two places of the page on the picture; none between the same.
fn select(view: &Element, tall: bool, from: f64, to: f64) {
    let Ok(Some(svg)) = view.query_selector("svg.scene") else { return };
    if let Ok(Some(before)) = svg.query_selector(".chosen") {
        before.remove();
    }
    let place = svg.get_bounding_client_rect();
    let edge = if tall { place.top() } else { place.left() };
    let size = if tall { place.height() } else { place.width() };
    if from != to && size > 0.0 {
        // In thousandths of the picture, which SVG takes as percent.
        let part = |n: f64| {
            let mille = (n * 1_000.0 / size) as i32;
            [&(mille / 10).to_string(), ".", &(mille % 10).abs().to_string(), "%"].concat()
        };
        let (start, length) = (part(from.min(to) - edge), part((to - from).abs()));
        let shape = if tall {
            ["y=\"", &start, "\" height=\"", &length, "\" width=\"100%"]
        } else {
            ["x=\"", &start, "\" width=\"", &length, "\" height=\"100%"]
        };
        let rect = ["<rect class=\"chosen\" ", &shape.concat(), "\"/>"].concat();
        let _ = svg.insert_adjacent_html("beforeend", &rect);
    }
}
