//! Lists of names in lower case, each with what belongs to it; a name is looked up without case.
//!
//! Example: the words about AI, with their labels. Nearly all texts that are looked up are in no list, so that their length and
//! first letter are compared before anything else.

pub(crate) struct KnownNames<T = ()> {
    /// By length, then by name.
    named: Vec<(&'static str, T)>,
    /// The place behind the names of each length.
    ends: Vec<usize>,
}

impl<T> KnownNames<T> {
    pub(crate) fn new(named: impl IntoIterator<Item = (&'static str, T)>) -> Self {
        let mut named: Vec<(&str, T)> = named.into_iter().collect();
        named.sort_unstable_by_key(|(name, _)| (name.len(), *name));
        let longest = named.last().map_or(0, |(name, _)| name.len());
        let ends = (0..=longest)
            .map(|length| named.partition_point(|(name, _)| name.len() <= length))
            .collect();
        Self { named, ends }
    }

    pub(crate) fn get(&self, name: &[u8]) -> Option<&T> {
        let first = name.first()?.to_ascii_lowercase();
        let end = *self.ends.get(name.len())?;
        let start = *self.ends.get(name.len() - 1)?;
        let as_long = self.named.get(start..end)?;
        let begins_before = |(known, _): &(&str, T)| known.as_bytes().first() < Some(&first);
        let from_first = as_long.get(as_long.partition_point(begins_before)..)?;
        from_first
            .iter()
            .take_while(|(known, _)| known.as_bytes().first() == Some(&first))
            .find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(name))
            .map(|(_, named)| named)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.named.iter().map(|(name, _)| *name)
    }

    #[cfg(test)]
    pub(crate) fn assert_different(&self) {
        let names: Vec<&str> = self.names().collect();
        assert!(
            names.is_sorted_by(|one, other| (one.len(), one) < (other.len(), other)),
            "a name is there twice"
        );
        assert!(
            names
                .iter()
                .all(|name| !name.is_empty() && *name == name.to_ascii_lowercase())
        );
    }
}

impl KnownNames {
    /// Takes names between white space.
    pub(crate) fn from_words(names: &'static str) -> Self {
        Self::new(names.split_ascii_whitespace().map(|name| (name, ())))
    }

    pub(crate) fn has(&self, name: &[u8]) -> bool {
        self.get(name).is_some()
    }
}
