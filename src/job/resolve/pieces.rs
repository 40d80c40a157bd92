//! Which lines and fields of one record or site file cannot be read.
//!
//! Two systems may read one field, each by its own document: `Content-Usage` is in AIPREF and in SUP. What one of
//! them reads whole is not a defect of the field because the other cannot.

use crate::systems::Statement;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// How much of a text is compared, with its length: a record may have thousands of statements of one long field.
const COMPARED_BYTES: usize = 1024;

/// The lines and fields of one source, with the systems that can and cannot read them.
#[derive(Default)]
pub struct Pieces {
    /// By a digest of what they are.
    read: HashMap<u64, (u64, u64)>,
    /// The last one: most statements of a long field follow each other.
    last: Option<(&'static str, Option<u32>, usize)>,
    last_text: Vec<u8>,
    last_key: u64,
}

impl Pieces {
    /// Adds a statement of a system, by the system's place.
    pub fn add(&mut self, system: usize, statement: &Statement<'_>) {
        let key = self.digest_field(statement);
        let (whole, defect) = self.read.entry(key).or_default();
        match statement.defect {
            None => *whole |= 1 << system,
            Some(_) => *defect |= 1 << system,
        }
    }

    /// Returns the digest of a statement's line or field.
    fn digest_field(&mut self, statement: &Statement<'_>) -> u64 {
        let this = (statement.carrier, statement.line, statement.raw.len());
        let text = statement.raw.get(..COMPARED_BYTES).unwrap_or(statement.raw);
        if self.last != Some(this) || self.last_text != text {
            let mut key = DefaultHasher::new();
            (this, text).hash(&mut key);
            (self.last, self.last_key) = (Some(this), key.finish());
            self.last_text.clear();
            self.last_text.extend_from_slice(text);
        }
        self.last_key
    }

    /// Returns how many have a defect, and no system that reads them without one.
    pub fn unreadable(&self) -> u64 {
        let is_unreadable = |(whole, defect): &&(u64, u64)| *defect != 0 && whole & !defect == 0;
        self.read.values().filter(is_unreadable).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::Pieces;
    use crate::systems::Statement;

    #[test]
    fn local_a_field_counts_once_wherever_its_statements_stand() {
        let statement = |raw, line, defect| Statement { defect, line, ..Statement::unread("", "meta", raw) };
        let (bad, late) = (Some("bad"), [&[b'a'; 2000][..], b"b"].concat());
        let mut pieces = Pieces::default();
        // Of the same length, and as far as they are compared, the last two are one.
        for raw in [&b"one"[..], b"two", b"one", b"one", &[b'a'; 2001], &late] {
            pieces.add(0, &statement(raw, None, bad));
        }
        assert_eq!(pieces.unreadable(), 3);
        pieces.add(1, &statement(b"two", None, None));
        assert_eq!(pieces.unreadable(), 2);
        pieces.add(0, &statement(b"two", Some(1), bad));
        pieces.add(0, &statement(b"two", Some(2), bad));
        assert_eq!(pieces.unreadable(), 4);
    }
}
