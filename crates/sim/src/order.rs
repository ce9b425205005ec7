//! Sorting, compiled once for every type: each copy of the standard sort would be 3 KB of the browser's program.

use core::cmp::Ordering;

/// The items in ascending order of `compare`; equal ones stay in their order.
pub fn sorted<T>(items: Vec<T>, compare: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    let order = places(items.len(), &|a, b| compare(&items[a], &items[b]));
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| items[at].take()).collect()
}

/// The numbers below `len` in the order of what they stand for.
fn places(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_unstable_by(|&a, &b| compare(a, b).then(a.cmp(&b)));
    order
}

#[cfg(test)]
mod tests {
    #[test]
    fn equal_ones_stay_in_their_order() {
        let words = vec!["bb", "a", "cc", "d", "aaa"];
        let by_length = super::sorted(words, |a, b| a.len().cmp(&b.len()));
        assert_eq!(by_length, ["a", "d", "bb", "cc", "aaa"]);
    }
}
