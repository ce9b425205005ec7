//! What a simulator cannot do without: a bare heap, to measure against.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;

/// Pushes and pops `entries` on a heap that holds as many as fit a run: a thousand.
pub(crate) fn bare_heap(entries: u64) {
    let mut heap = BinaryHeap::new();
    let mut state = 1_u64;
    for i in 0..entries {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        heap.push(Reverse((i + (state >> 54), i)));
        if heap.len() > 1_000 {
            black_box(heap.pop());
        }
    }
    while let Some(entry) = heap.pop() {
        black_box(entry);
    }
}
