//! The simulator's bench as a WebAssembly module without glue.
//!
//! `cargo bench -p delivery-sim --bench compare` builds it and runs it under node.

#[path = "../../sim/benches/shop/mod.rs"]
mod shop;

/// Runs the bench's scenario with so many messages, tallied: its number of events, which below 300 million
/// messages fits.
#[expect(
    unsafe_code,
    reason = "an unmangled name could clash with another one; this module has no other"
)]
#[unsafe(no_mangle)]
pub extern "C" fn run(messages: u32) -> u32 {
    shop::tallied(&shop::shop(messages)) as u32
}
