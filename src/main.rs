//! The program that a page loads when a lab comes near: it makes a finished figure live.

#![no_main]

use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::Element;

/// Makes one lab live, in place of its finished picture.
///
/// # Errors
/// A sentence if the page does not carry a lab that this program can read; then nothing was changed.
#[wasm_bindgen]
pub fn mount(section: &Element) -> Result<(), String> {
    delivery_lab::view::mount(section)
}
