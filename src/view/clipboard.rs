//! Puts a text on the clipboard of the reader's system.

use js_sys::Reflect;
use leptos::prelude::window;
use wasm_bindgen::closure::Closure;

/// Copies a text and says whether that worked: some pages and readers keep the clipboard closed.
pub(super) fn copy(text: &str, said: impl Fn(bool) + Copy + 'static) {
    let navigator = window().navigator();
    // A page that was not served over https has no clipboard at all.
    if Reflect::get(&navigator, &"clipboard".into()).is_ok_and(|clipboard| clipboard.is_undefined())
    {
        return said(false);
    }
    let copied = Closure::once(move |_| said(true));
    let refused = Closure::once(move |_| said(false));
    let _ = navigator.clipboard().write_text(text).then2(&copied, &refused);
    // One of them is called once, some time after this.
    copied.forget();
    refused.forget();
}
