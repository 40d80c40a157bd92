//! Values made from keys, kept up to a number of bytes.
//!
//! Example: the compiled rules of the sites of recent pages. A value is dropped if it was not used while new values filled half
//! of the bytes.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

/// Values by key, each with its size.
pub struct Cache<K, V> {
    halves: Mutex<Halves<K, V>>,
    half_bytes: usize,
}

struct Halves<K, V> {
    /// The values made or requested last.
    recent: HashMap<K, (Arc<V>, usize)>,
    recent_bytes: usize,
    older: HashMap<K, (Arc<V>, usize)>,
    older_bytes: usize,
}

impl<K: Eq + Hash, V> Cache<K, V> {
    /// Returns an empty cache, which keeps about this many bytes.
    pub fn new(bytes: usize) -> Self {
        let halves = Halves {
            recent: HashMap::new(),
            recent_bytes: 0,
            older: HashMap::new(),
            older_bytes: 0,
        };
        Self {
            halves: Mutex::new(halves),
            half_bytes: bytes / 2,
        }
    }

    pub(super) fn byte_count(&self) -> usize {
        let halves = self.halves.lock().unwrap_or_else(PoisonError::into_inner);
        halves.recent_bytes + halves.older_bytes
    }

    /// Returns the value of a key, or makes it. Two workers may make the same value at once.
    ///
    /// # Errors
    /// Those of `make`, which returns a value and its size in bytes.
    pub fn get_or_make<E>(
        &self,
        key: K,
        make: impl FnOnce(&K) -> Result<(V, usize), E>,
    ) -> Result<Arc<V>, E> {
        let lock = || self.halves.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&key, self.half_bytes) {
            return Ok(known);
        }
        let (value, bytes) = make(&key)?;
        let value = Arc::new(value);
        lock().keep(key, (Arc::clone(&value), bytes), self.half_bytes);
        Ok(value)
    }
}

impl<K: Eq + Hash, V> Halves<K, V> {
    fn get(&mut self, key: &K, half_bytes: usize) -> Option<Arc<V>> {
        if let Some((value, _)) = self.recent.get(key) {
            return Some(Arc::clone(value));
        }
        let (key, (value, bytes)) = self.older.remove_entry(key)?;
        self.older_bytes = self.older_bytes.saturating_sub(bytes);
        self.keep(key, (Arc::clone(&value), bytes), half_bytes);
        Some(value)
    }

    fn keep(&mut self, key: K, (value, bytes): (Arc<V>, usize), half_bytes: usize) {
        if self.recent_bytes.saturating_add(bytes) > half_bytes {
            self.older = std::mem::take(&mut self.recent);
            self.older_bytes = std::mem::take(&mut self.recent_bytes);
        }
        if bytes <= half_bytes && self.recent.insert(key, (value, bytes)).is_none() {
            self.recent_bytes += bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Cache;
    use std::convert::Infallible;

    /// Requests keys in turn and returns those that had to be made; each takes one byte.
    fn made(bytes: usize, keys: &[u32]) -> Vec<u32> {
        let cache = Cache::new(bytes);
        let mut made = Vec::new();
        for key in keys {
            let Ok(value) = cache.get_or_make(*key, |key| {
                made.push(*key);
                Ok::<_, Infallible>((*key, 1))
            });
            assert_eq!(*value, *key);
        }
        made
    }

    #[test]
    fn local_what_fits_is_made_once() {
        assert_eq!(made(8, &[1, 2, 3, 1, 2, 3, 4, 1]), [1, 2, 3, 4]);
        assert_eq!(made(usize::MAX, &[1, 1]), [1]);
    }

    #[test]
    fn local_what_was_not_asked_for_goes_first() {
        // Halves of two: 1 is requested again, 2 is not.
        assert_eq!(made(4, &[1, 2, 3, 1, 4, 5, 1, 2]), [1, 2, 3, 4, 5, 2]);
    }

    #[test]
    fn local_what_is_too_large_is_not_kept() {
        assert_eq!(made(1, &[1, 1]), [1, 1]);
    }
}
