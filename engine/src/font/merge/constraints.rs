//! Constraints on a map. Two fonts are compared by their constraints before they are merged. A constraint is a value
//! that a key has, or that a key must stay absent.

use std::collections::BTreeMap;

/// The constraints by key: `Some` is the value of the key, `None` means that the key must stay absent. A key without a
/// constraint may get any value, because no text uses the key.
pub(super) struct Constraints<K, V>(BTreeMap<K, Option<V>>);

impl<K, V> Default for Constraints<K, V> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<K: Ord, V: PartialEq> Constraints<K, V> {
    /// Sets a value. Returns `false`, and changes nothing, if the key has another value or must stay absent.
    pub(super) fn set(&mut self, key: K, value: V) -> bool {
        let value = Some(value);
        match self.0.get(&key) {
            Some(own) => *own == value,
            None => self.0.insert(key, value).is_none(),
        }
    }

    /// The value of a key that text uses. If the key has no value, it must stay absent from now on.
    pub(super) fn require(&mut self, key: K) -> Option<&V> {
        self.0.entry(key).or_insert(None).as_ref()
    }

    /// Requires that a key stays absent, unless the key has a value.
    pub(super) fn keep_absent(&mut self, key: K) {
        self.0.entry(key).or_insert(None);
    }

    pub(super) fn get(&self, key: &K) -> Option<&V> {
        self.0.get(key)?.as_ref()
    }

    /// All values, in the order of their keys.
    pub(super) fn values(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> {
        self.0.iter().filter_map(|(key, value)| Some((key, value.as_ref()?)))
    }

    /// The number of constraints.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the constraints of both maps agree: no key has different constraints.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        other.0.iter().all(|(key, value)| self.0.get(key).is_none_or(|own| own == value))
    }

    /// Adds the constraints of another map, which must agree with this map.
    pub(super) fn absorb(&mut self, other: Self) {
        for (key, value) in other.0 {
            self.0.entry(key).or_insert(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_agree_unless_a_key_contradicts() {
        let mut one = Constraints::default();
        let mut other = Constraints::default();
        assert!(one.set(1, 'a') && other.set(1, 'a') && other.set(2, 'b'));
        assert!(one.agrees(&other) && other.agrees(&one));
        // A key that text uses, and that has no value in one map, must have no value in the other map.
        assert_eq!(one.require(2), None);
        assert!(!one.agrees(&other) && !other.agrees(&one));
        assert!(!other.set(2, 'c'), "one key, two values");
    }

    #[test]
    fn absorbed_constraints_are_kept() {
        let mut one: Constraints<u8, char> = Constraints::default();
        let mut other = Constraints::default();
        one.set(1, 'a');
        other.set(2, 'b');
        other.require(3);
        one.absorb(other);
        let mut third = Constraints::default();
        third.set(3, 'c');
        assert!(!one.agrees(&third));
        assert_eq!(one.values().collect::<Vec<_>>(), [(&1, &'a'), (&2, &'b')]);
    }
}
