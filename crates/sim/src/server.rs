//! The server's side: streams, consumers and what they keep.

pub(crate) mod consumer;
pub(crate) mod stream;
