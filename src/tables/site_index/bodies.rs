//! `bodies`: the distinct bodies of a range of hosts, in the order of the first host that has each.

use super::super::Table;
use super::super::stored::column;
use crate::web::column::Column;
use arrow_array::builder::{BinaryBuilder, Int64Builder, StringBuilder};
use arrow_array::{BinaryArray, Int64Array, RecordBatch, StringArray};
use arrow_buffer::Buffer;
use data_encoding::BASE32;
use sha1::{Digest, Sha1};
use std::io;
use std::sync::Arc;

const COLUMNS: &[Column] = &[
    Column::int64("body", "number of the body, from 0 on over all parts"),
    Column::text("body_digest", "SHA-1 (base32) of the column content, key to robots and the like"),
    Column::binary("content", "body, dechunked and decoded, at most 1 MiB"),
];

/// Bytes that are shared and not copied; a slice of them keeps all of them in memory.
pub type SharedBytes = Buffer;

/// `bodies`
pub static BODIES: Table = Table {
    name: "bodies",
    folder: "bodies",
    row: "distinct body of a range of hosts",
    columns: || vec![COLUMNS],
};

/// Rows of `bodies`, being filled.
#[derive(Default)]
pub struct BodyRows {
    number: Int64Builder,
    digest: StringBuilder,
    content: BinaryBuilder,
}

impl BodyRows {
    /// Adds a body.
    pub fn append(&mut self, number: u64, digest: &[u8; 20], content: &[u8]) {
        self.number.append_value(i64::try_from(number).unwrap_or(i64::MAX));
        self.digest.append_value(BASE32.encode(digest));
        self.content.append_value(content);
    }

    /// Returns the rows and starts anew.
    pub fn finish(&mut self) -> io::Result<RecordBatch> {
        let (number, digest, content) = (self.number.finish(), self.digest.finish(), self.content.finish());
        RecordBatch::try_new(BODIES.schema(), vec![Arc::new(number), Arc::new(digest), Arc::new(content)])
            .map_err(io::Error::other)
    }
}

/// Rows of `bodies`, read back.
pub struct Bodies {
    number: Int64Array,
    digest: StringArray,
    content: BinaryArray,
}

impl Bodies {
    /// Reads the columns of a batch.
    ///
    /// # Errors
    /// Where it has not those of `bodies`.
    pub fn new(rows: &RecordBatch) -> io::Result<Self> {
        Ok(Self {
            number: column::<Int64Array>(rows, "body")?.clone(),
            digest: column::<StringArray>(rows, "body_digest")?.clone(),
            content: column::<BinaryArray>(rows, "content")?.clone(),
        })
    }

    /// Returns how many rows there are.
    pub fn count(&self) -> usize {
        self.number.len()
    }

    /// Returns the number of a row's body.
    pub fn number(&self, row: usize) -> u64 {
        u64::try_from(self.number.value(row)).unwrap_or(u64::MAX)
    }

    /// Returns the digest of a row's body.
    pub fn digest(&self, row: usize) -> io::Result<[u8; 20]> {
        let mut digest = [0; 20];
        let text = self.digest.value(row).as_bytes();
        let is_digest =
            BASE32.decode_len(text.len()) == Ok(digest.len()) && BASE32.decode_mut(text, &mut digest).is_ok();
        if is_digest { Ok(digest) } else { Err(io::Error::other("body_digest is no SHA-1 in base32")) }
    }

    /// Returns a row's body, which is compared with its digest: an answer must never have the body of another.
    pub fn content(&self, row: usize) -> io::Result<&[u8]> {
        let content = self.content.value(row);
        if *Sha1::digest(content) == self.digest(row)? {
            return Ok(content);
        }
        let detail = format!("body {} does not have the digest that is beside it", self.number(row));
        Err(io::Error::other(detail))
    }

    /// Returns a row's body without copying it: all rows are in memory as long as it is.
    pub fn shared(&self, row: usize) -> SharedBytes {
        let offsets = self.content.value_offsets();
        let offset = |row: usize| offsets.get(row).and_then(|offset| usize::try_from(*offset).ok());
        let start = offset(row).unwrap_or_default();
        let end = offset(row + 1).unwrap_or(start);
        self.content.values().slice_with_length(start, end - start)
    }

    /// Returns how many bytes the bodies have.
    pub fn bytes(&self) -> usize {
        self.content.values().len()
    }
}
