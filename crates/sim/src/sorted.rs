//! A small ordered map in one piece of memory.
//!
//! What it holds is mostly added at the back and taken from the front, where both are cheap; and a tree for
//! each of the few places that need one would be a tenth of the browser's program.

use std::collections::VecDeque;

/// Values by key, in ascending order of keys.
#[derive(Clone, Debug)]
pub(crate) struct Sorted<K, V>(VecDeque<(K, V)>);

impl<K: Ord + Copy, V: Copy> Sorted<K, V> {
    pub(crate) const fn new() -> Self {
        Self(VecDeque::new())
    }

    fn place(&self, key: K) -> Result<usize, usize> {
        match self.0.back() {
            Some((last, _)) if *last >= key => self.0.binary_search_by_key(&key, |(k, _)| *k),
            _ => Err(self.0.len()),
        }
    }

    pub(crate) fn get(&self, key: K) -> Option<V> {
        self.place(key).ok().map(|at| self.0[at].1)
    }

    pub(crate) fn contains(&self, key: K) -> bool {
        self.place(key).is_ok()
    }

    /// The value of a key, put there first if there is none.
    pub(crate) fn entry(&mut self, key: K, or: V) -> &mut V {
        let at = self.place(key).unwrap_or_else(|at| {
            self.0.insert(at, (key, or));
            at
        });
        &mut self.0[at].1
    }

    pub(crate) fn insert(&mut self, key: K, value: V) {
        *self.entry(key, value) = value;
    }

    pub(crate) fn remove(&mut self, key: K) -> Option<V> {
        let at = self.place(key).ok()?;
        self.0.remove(at).map(|(_, value)| value)
    }

    pub(crate) fn first(&self) -> Option<(K, V)> {
        self.0.front().copied()
    }

    pub(crate) fn pop_first(&mut self) -> Option<(K, V)> {
        self.0.pop_front()
    }

    /// Forgets every key below `from`.
    pub(crate) fn drop_below(&mut self, from: K) {
        while self.0.front().is_some_and(|(key, _)| *key < from) {
            self.0.pop_front();
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn it_does_what_a_tree_does() {
        let (mut sorted, mut tree) = (Sorted::new(), BTreeMap::new());
        let mut rng = crate::rng::Rng::new(5);
        for _ in 0..5_000 {
            let key = rng.below(40);
            match rng.below(6) {
                0 | 1 => {
                    sorted.insert(key, key * 2);
                    tree.insert(key, key * 2);
                }
                2 => {
                    *sorted.entry(key, 7) += {
                        *tree.entry(key).or_insert(7) += 1;
                        1
                    }
                }
                3 => assert_eq!(sorted.remove(key), tree.remove(&key)),
                4 => assert_eq!(sorted.pop_first(), tree.pop_first()),
                _ if rng.below(20) == 0 => {
                    sorted.drop_below(key);
                    tree = tree.split_off(&key);
                }
                _ => {}
            }
            assert_eq!(sorted.get(key), tree.get(&key).copied());
            assert_eq!(sorted.contains(key), tree.contains_key(&key));
            assert_eq!(sorted.first(), tree.first_key_value().map(|(k, v)| (*k, *v)));
            assert_eq!((sorted.len(), sorted.is_empty()), (tree.len(), tree.is_empty()));
        }
    }
}
