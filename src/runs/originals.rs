//! What the revisits of an archive have from records of other archives (KNOW-4), in a file without a name.
//!
//! Left out: which records these are (`find_originals`).

use crate::store::Scratch;
use crate::tables::captures::{Original, joined};
use arrow_array::RecordBatch;
use sha1::{Digest, Sha1};
use std::io;
use std::sync::Arc;

/// What the revisits of an archive have from records of other archives.
pub struct Originals {
    scratch: Arc<Scratch>,
    /// By row of its captures, ascending.
    rows: Vec<(usize, StoredOriginal)>,
    /// Of all of them.
    pub digest: [u8; 20],
}

/// The place of an original in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredOriginal {
    pub at: u64,
    pub bytes: usize,
    pub digest: [u8; 20],
}

impl Originals {
    pub fn new(scratch: &Arc<Scratch>, mut rows: Vec<(usize, StoredOriginal)>) -> Self {
        rows.sort_unstable_by_key(|(row, _)| *row);
        let mut digest = Sha1::new();
        for (row, stored) in &rows {
            digest.update(row.to_le_bytes());
            digest.update(stored.digest);
        }
        Self {
            scratch: Arc::clone(scratch),
            rows,
            digest: digest.finalize().into(),
        }
    }

    /// Returns what a row has from its original.
    pub fn of_row(&self, row: usize) -> io::Result<Option<Original>> {
        let place = self.rows.binary_search_by_key(&row, |(row, _)| *row);
        let Some((_, stored)) = place.ok().and_then(|place| self.rows.get(place)) else {
            return Ok(None);
        };
        let mut bytes = vec![0; stored.bytes];
        self.scratch.read(stored.at, &mut bytes)?;
        Ok(Some(serde_json::from_slice(&bytes)?))
    }

    /// Returns a slice of captures with what its revisits have from their originals, given the number of each row.
    pub fn join(
        &self,
        slice: RecordBatch,
        number: impl Fn(usize) -> usize,
    ) -> io::Result<RecordBatch> {
        let mut found = Vec::new();
        for row in 0..slice.num_rows() {
            found.extend(self.of_row(number(row))?.map(|original| (row, original)));
        }
        if found.is_empty() {
            Ok(slice)
        } else {
            joined(&slice, &found)
        }
    }
}
