//! The view of a lab: rendered natively into finished pages, and live in the browser.
//!
//! One way, no back channel: a control changes the settings or the moment; run, picture and words follow.
//! Features are exclusive: `ssr` renders to text, `csr` mounts in a page.

mod address;
mod compact;
mod html;
mod live;
mod player;
#[cfg(feature = "ssr")]
pub mod printed;
mod repaint;
mod run;
pub mod view;
