//! `evidence/site_files`: the bodies of robots.txt and similar files, each once.

use super::stored::column;
use super::{Rows, Table};
use crate::web::capture_kind::CaptureKind;
use crate::web::column::Column;
use arrow_array::{Array, BinaryArray, RecordBatch, StringArray};
use data_encoding::BASE32;
use std::io;

const COLUMNS: &[Column] = &[
    Column::text("warc_segment", "segment of Common Crawl; NULL for archives of others").or_null(),
    Column::text("body_digest", "SHA-1 (base32) of the column body"),
    Column::text("kind", "kind of site file that it is read as, see captures; robots also for robots_hop"),
    Column::binary("body", "body, dechunked and decoded, at most 1 MiB"),
    Column::int64("body_bytes", "bytes of body"),
];

/// `evidence/site_files`
pub static SITE_FILES: Table = Table {
    name: "site_files",
    folder: "evidence/site_files",
    row: "distinct body and kind of a site file in an archive",
    columns: || vec![COLUMNS],
};

/// A row of `site_files`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteFile {
    /// SHA-1 of the body.
    pub digest: [u8; 20],
    /// The kind as which it is read.
    pub kind: CaptureKind,
    pub body: Vec<u8>,
}

/// Appends the row of a body found in `segment`.
pub fn append(rows: &mut Rows, segment: Option<&str>, file: &SiteFile) {
    let cells = rows.row();
    cells.text_or_null("warc_segment", segment);
    cells.text("body_digest", BASE32.encode(&file.digest));
    cells.text("kind", file.kind.as_str());
    cells.binary("body", &file.body);
    cells.int64("body_bytes", file.body.len());
}

/// A slice of `site_files`.
pub struct SiteBodies<'b> {
    digest: &'b StringArray,
    kind: &'b StringArray,
    body: &'b BinaryArray,
}

impl<'b> SiteBodies<'b> {
    /// Looks at a slice.
    ///
    /// # Errors
    /// If it lacks the columns of `site_files`.
    pub fn new(rows: &'b RecordBatch) -> io::Result<Self> {
        Ok(Self {
            digest: column(rows, "body_digest")?,
            kind: column(rows, "kind")?,
            body: column(rows, "body")?,
        })
    }

    /// Returns the key, the kind and the bytes of each body.
    pub fn iter(&self) -> impl Iterator<Item = (&'b str, &'b str, &'b [u8])> {
        let Self { digest, kind, body } = *self;
        (0..digest.len()).map(move |row| (digest.value(row), kind.value(row), body.value(row)))
    }
}

/// The columns that are read of every body to find some.
pub const BODY_KEY_COLUMNS: &[&str] = &["body_digest", "kind"];

/// Returns the key and the kind of each body.
pub fn body_keys(rows: &RecordBatch) -> io::Result<impl Iterator<Item = (&str, &str)>> {
    let (digest, kind): (&StringArray, &StringArray) = (column(rows, "body_digest")?, column(rows, "kind")?);
    Ok((0..rows.num_rows()).map(|row| (digest.value(row), kind.value(row))))
}
