//! What moves in a picture: keyframed transforms that the browser plays by itself.
//!
//! The run is known before it plays, so nothing is drawn while it does: to look at a moment sets the
//! animations' time, speed is their rate. `1×` is real time.

use crate::view::{each, find};
use delivery_figure::scene::{Motion, Scene};
use delivery_figure::svg::movers;
use delivery_sim::Time;
use delivery_sim::time::MS;
use js_sys::{Array, Function, Object, Reflect};
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{Animation, Element};

/// What moves in a picture beside playhead and veil.
pub(crate) const MOVERS: &str = ".mover";

/// The animations of one picture.
pub(crate) struct Player {
    animations: Vec<Animation>,
    /// The text on the playhead.
    now: Option<Element>,
}

impl Player {
    /// Prepares what moves in `picture`, paused at `t`: first all that ever moves is put into it. What it shows of the run lasts as long as it really would, and time is
    /// that of the run.
    pub(crate) fn new(picture: &Element, scene: &Scene, t: Time) -> Self {
        let (motions, shown) = (scene.motions(), scene.window);
        each(picture, MOVERS, &|mover| mover.remove());
        if let Some(svg) = find(picture, "svg") {
            let _ = svg.insert_adjacent_html("beforeend", &movers(scene, t));
        }
        let options = Object::new();
        set(&options, "delay", &millis(shown.from).into());
        set(&options, "duration", &(millis(shown.to) - millis(shown.from)).into());
        set(&options, "fill", &"both".into());
        let animations = motions
            .iter()
            .filter_map(|motion| {
                // `mover mover-3` or `mover-3`: the last word is the group's own.
                let own = motion.class.rsplit(' ').next()?;
                let group = picture.query_selector(&[".", own].concat()).ok()??;
                // Not among the stable interfaces of web-sys, though every browser has had it for years.
                let animate =
                    Reflect::get(&group, &"animate".into()).ok()?.dyn_into::<Function>().ok()?;
                let animation = animate.call2(&group, &keyframes(motion), &options).ok()?;
                let animation = animation.unchecked_into::<Animation>();
                animation.pause().ok()?;
                Some(animation)
            })
            .collect();
        let now = picture.query_selector(".playhead .now").ok().flatten();
        Self { animations, now }
    }

    /// Shows the moment `t` and stays there.
    pub(crate) fn seek(&self, t: Time) {
        for animation in &self.animations {
            let _ = animation.pause();
            animation.set_current_time(Some(millis(t)));
        }
        self.say(t);
    }

    /// Moves on from `t`, at `percent` of real time.
    pub(crate) fn play(&self, t: Time, percent: u32) {
        for animation in &self.animations {
            animation.set_playback_rate(f64::from(percent) / 100.0);
            animation.set_current_time(Some(millis(t)));
            let _ = animation.play();
        }
    }

    /// Writes the moment on the playhead.
    pub(crate) fn say(&self, t: Time) {
        if let Some(now) = &self.now {
            now.set_text_content(Some(&t.to_string()));
        }
    }
}

impl Drop for Player {
    /// What stays in the picture stands where the picture has it.
    fn drop(&mut self) {
        for animation in &self.animations {
            animation.cancel();
        }
    }
}

fn millis(t: Time) -> f64 {
    t.0 as f64 / MS as f64
}

fn keyframes(motion: &Motion) -> Object {
    motion
        .frames
        .iter()
        .map(|frame| {
            let keyframe = Object::new();
            set(&keyframe, "offset", &(f64::from(frame.offset_ppm) / 1e6).into());
            set(&keyframe, "transform", &frame.transform.as_str().into());
            set(&keyframe, "opacity", &(f64::from(frame.opacity) / 100.0).into());
            keyframe
        })
        .collect::<Array>()
        .into()
}

fn set(object: &Object, key: &str, value: &JsValue) {
    // Setting a property of a plain new object cannot fail.
    let _ = Reflect::set(object, &key.into(), value);
}
