//! Names in lower case, sorted, with what belongs to them; they are compared without case.

use crate::web::product_token::order_without_case;

pub(super) struct Sorted<T = ()> {
    named: Vec<(&'static str, T)>,
    /// A bit for each length of a name, so that most texts are not searched for.
    lengths: u64,
}

impl<T> Sorted<T> {
    pub(super) fn new(named: impl IntoIterator<Item = (&'static str, T)>) -> Self {
        let mut named: Vec<(&str, T)> = named.into_iter().collect();
        named.sort_unstable_by_key(|(name, _)| *name);
        let lengths = named
            .iter()
            .fold(0, |all, (name, _)| all | length_bit(name.as_bytes()));
        Self { named, lengths }
    }

    pub(super) fn get(&self, name: &[u8]) -> Option<&T> {
        if self.lengths & length_bit(name) == 0 {
            return None;
        }
        let order = |known: &(&str, T)| order_without_case(name, known.0.as_bytes()).reverse();
        let place = self.named.binary_search_by(order).ok()?;
        self.named.get(place).map(|(_, named)| named)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.named.iter().map(|(name, _)| *name)
    }

    #[cfg(test)]
    pub(super) fn assert_sorted(&self) {
        let names: Vec<&str> = self.names().collect();
        assert!(
            names.is_sorted_by(|one, other| one < other),
            "a name is there twice"
        );
        assert!(
            names
                .iter()
                .all(|name| !name.is_empty() && *name == name.to_ascii_lowercase())
        );
    }
}

/// The bit of a text's length; all that are longer than 62 bytes have the last one.
fn length_bit(text: &[u8]) -> u64 {
    1 << text.len().min(63)
}

impl Sorted {
    /// Takes names between white space.
    pub(super) fn of(names: &'static str) -> Self {
        Self::new(names.split_ascii_whitespace().map(|name| (name, ())))
    }

    pub(super) fn has(&self, name: &[u8]) -> bool {
        self.get(name).is_some()
    }
}
