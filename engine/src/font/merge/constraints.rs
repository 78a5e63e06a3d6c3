//! What fonts say of themselves, put so that it shows whether two of them can be one.

use std::collections::BTreeMap;

/// What a font says, by keys: a value, or that there is none. Of all other keys it says nothing: no text asks for them.
pub(super) struct Claims<K, V>(BTreeMap<K, Option<V>>);

impl<K, V> Default for Claims<K, V> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<K: Ord, V: PartialEq> Claims<K, V> {
    /// Notes a value; false when there is another one already.
    pub(super) fn note(&mut self, key: K, value: V) -> bool {
        let value = Some(value);
        match self.0.get(&key) {
            Some(own) => *own == value,
            None => self.0.insert(key, value).is_none(),
        }
    }

    /// The value of a key that text asks for. If there is none it must stay so.
    pub(super) fn ask(&mut self, key: K) -> Option<&V> {
        self.0.entry(key).or_insert(None).as_ref()
    }

    /// Notes that there must be no value, unless there is one.
    pub(super) fn reserve(&mut self, key: K) {
        self.0.entry(key).or_insert(None);
    }

    pub(super) fn get(&self, key: &K) -> Option<&V> {
        self.0.get(key)?.as_ref()
    }

    /// All values, in the order of their keys.
    pub(super) fn values(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> {
        self.0.iter().filter_map(|(key, value)| Some((key, value.as_ref()?)))
    }

    /// How many claims there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing that the one says contradicts what the other says.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        other.0.iter().all(|(key, value)| self.0.get(key).is_none_or(|own| own == value))
    }

    /// Takes over what another says.
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
    fn claims_agree_unless_they_contradict_each_other() {
        let mut one = Claims::default();
        let mut other = Claims::default();
        assert!(one.note(1, 'a') && other.note(1, 'a') && other.note(2, 'b'));
        assert!(one.agrees(&other) && other.agrees(&one));
        // What text asks for in vain must not be there in the other one.
        assert_eq!(one.ask(2), None);
        assert!(!one.agrees(&other) && !other.agrees(&one));
        assert!(!other.note(2, 'c'), "one key, two values");
    }

    #[test]
    fn what_is_absorbed_stays() {
        let mut one: Claims<u8, char> = Claims::default();
        let mut other = Claims::default();
        one.note(1, 'a');
        other.note(2, 'b');
        other.ask(3);
        one.absorb(other);
        let mut third = Claims::default();
        third.note(3, 'c');
        assert!(!one.agrees(&third));
        assert_eq!(one.values().collect::<Vec<_>>(), [(&1, &'a'), (&2, &'b')]);
    }
}
