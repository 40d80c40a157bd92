//! Which lines and fields of one record or site file nobody can read.
//!
//! Two systems may read one field, each by its own document: `Content-Usage` is in AIPREF and in SUP. What one of
//! them reads whole is no defect of the field because the other cannot.

use crate::systems::Statement;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// How much of a text is compared, with its length: a record may have thousands of statements of one long field.
const COMPARED_BYTES: usize = 1024;

/// The lines and fields of one source, by a digest of what they are, with the systems that can and cannot read them.
#[derive(Default)]
pub struct Pieces(HashMap<u64, (u64, u64)>);

impl Pieces {
    /// Adds a statement of a system, by the system's place.
    pub fn add(&mut self, system: usize, statement: &Statement<'_>) {
        let mut key = DefaultHasher::new();
        let compared = statement.raw.get(..COMPARED_BYTES).unwrap_or(statement.raw);
        (statement.carrier, statement.line, statement.raw.len(), compared).hash(&mut key);
        let (whole, defect) = self.0.entry(key.finish()).or_default();
        match statement.defect {
            None => *whole |= 1 << system,
            Some(_) => *defect |= 1 << system,
        }
    }

    /// Returns how many have a defect, and no system that reads them without one.
    pub fn unreadable(&self) -> u64 {
        let is_unreadable = |(whole, defect): &&(u64, u64)| *defect != 0 && whole & !defect == 0;
        self.0.values().filter(is_unreadable).count() as u64
    }
}
