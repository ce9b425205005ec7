//! The names that leptos' server functions take from `wasm-streams`, without streams: this site has no server.

use futures_core::Stream;
use std::pin::Pin;
use std::task::{Context, Poll};
use wasm_bindgen::JsValue;

/// A stream of the browser, which can be held and given back but not read.
#[derive(Debug)]
pub struct ReadableStream(web_sys::ReadableStream);

impl ReadableStream {
    /// Holds a stream of the browser.
    pub fn from_raw(raw: web_sys::ReadableStream) -> Self {
        Self(raw)
    }

    /// What a server function would send. Nothing calls it, as there are none.
    ///
    /// # Panics
    /// Always where the browser cannot make an empty stream.
    pub fn from_stream<S>(_: S) -> Self
    where
        S: Stream<Item = Result<JsValue, JsValue>> + 'static,
    {
        Self(web_sys::ReadableStream::new().expect("a browser can make an empty stream"))
    }

    /// Gives the browser's stream back.
    pub fn into_raw(self) -> web_sys::ReadableStream {
        self.0
    }

    /// A stream that ends at once.
    pub fn into_stream(self) -> IntoStream {
        IntoStream
    }
}

/// A stream that ends at once.
#[derive(Debug)]
pub struct IntoStream;

impl Stream for IntoStream {
    type Item = Result<JsValue, JsValue>;

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(None)
    }
}
