//! Which lines and fields of one record or site file cannot be read.
//!
//! Two systems may read one field, each by its own document: `Content-Usage` is in AIPREF and in SUP. A field that one of them
//! reads in full has no defect just because the other cannot read it.

use crate::systems::Statement;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// How many bytes of a text are compared, with its length: a record may have thousands of statements of one long field.
const COMPARED_BYTES: usize = 1024;

/// The lines and fields of one source, with the systems that can and cannot read them.
#[derive(Default)]
pub struct Pieces {
    /// By a digest of the line or field.
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

    /// Returns the number of those with a defect that no system reads without one.
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
        // As they have the same length and differ only after the compared bytes, the last two count as one.
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
