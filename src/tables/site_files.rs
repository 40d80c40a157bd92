//! `evidence/site_files`: the bodies of robots.txt and its like, each once.

use super::Table;
use super::columns::int64;
use super::writer::rows;
use crate::web::capture_kind::CaptureKind;
use crate::web::column::Column;
use arrow_array::RecordBatch;
use arrow_array::builder::{BinaryBuilder, BooleanBuilder, Int64Builder, StringBuilder};
use data_encoding::BASE32;
use std::io;
use std::sync::Arc;

const COLUMNS: &[Column] = &[
    Column::text("warc_segment", "segment, of Common Crawl's archives").or_null(),
    Column::text("body_digest", "SHA-1 (base32) of the body as it stands here"),
    Column::text("kind", "kind of file as which it is read, see captures; robots for robots_hop, too"),
    Column::binary("body", "body, dechunked and decoded, at most 1 MiB"),
    Column::int64("body_bytes", "bytes of body"),
    Column::boolean(
        "cut",
        "whether the body went on: it was longer than 1 MiB, or cut off or damaged in the archive",
    ),
];

/// `evidence/site_files`
pub static SITE_FILES: Table = Table {
    name: "site_files",
    folder: "evidence/site_files",
    row: "distinct body and kind of a site file in a batch",
    columns: || vec![COLUMNS],
};

/// A row of `site_files`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteFile {
    /// SHA-1 of the body.
    pub digest: [u8; 20],
    /// As what it is read.
    pub kind: CaptureKind,
    /// The body.
    pub body: Vec<u8>,
    /// Whether it is but the beginning.
    pub cut: bool,
}

/// Rows of `site_files`, being filled.
#[derive(Default)]
pub struct SiteFileRows {
    segment: StringBuilder,
    digest: StringBuilder,
    kind: StringBuilder,
    body: BinaryBuilder,
    body_bytes: Int64Builder,
    cut: BooleanBuilder,
    count: usize,
}

impl SiteFileRows {
    /// Adds a body found in `segment`.
    pub fn push(&mut self, segment: Option<&str>, file: &SiteFile) {
        self.segment.append_option(segment);
        self.digest.append_value(BASE32.encode(&file.digest));
        self.kind.append_value(file.kind.as_str());
        self.body.append_value(&file.body);
        self.body_bytes.append_value(int64(file.body.len() as u64));
        self.cut.append_value(file.cut);
        self.count += 1;
    }

    /// Returns how many rows there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the rows and starts anew.
    ///
    /// # Errors
    /// None, unless the builder does not fit the declaration, which is a bug.
    pub fn finish(&mut self) -> io::Result<RecordBatch> {
        self.count = 0;
        let columns = vec![
            Arc::new(self.segment.finish()) as _,
            Arc::new(self.digest.finish()) as _,
            Arc::new(self.kind.finish()) as _,
            Arc::new(self.body.finish()) as _,
            Arc::new(self.body_bytes.finish()) as _,
            Arc::new(self.cut.finish()) as _,
        ];
        rows(&SITE_FILES, columns)
    }
}
