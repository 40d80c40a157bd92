//! `evidence/site_files`: the bodies of robots.txt and similar files, each once.

use super::Table;
use super::slice::slice;
use crate::web::capture_kind::CaptureKind;
use crate::web::column::Column;
use arrow_array::{BinaryArray, StringArray};
use data_encoding::BASE32;

cells! {
    /// Appends the row of a body found in `segment`.
    pub COLUMNS = fn append(cells, segment: Option<&str>, file: &SiteFile) {
        text_or_null("warc_segment", segment): "segment of Common Crawl; NULL for archives of others",
        text("body_digest", BASE32.encode(&file.digest)): "SHA-1 (base32) of the column body",
        text("kind", file.kind.as_str()):
            "kind of site file that it is read as, see captures; robots also for robots_hop",
        binary("body", &file.body): "body, dechunked and decoded, at most 1 MiB",
        int64("body_bytes", file.body.len()): "bytes of body",
    }
}

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

slice! {
    /// The keys by which bodies are found.
    pub struct BodyKeys {
        pub digest: StringArray = "body_digest",
        pub kind: StringArray = "kind",
    }
}

slice! {
    /// A slice of `site_files`.
    pub struct SiteBodies {
        digest: StringArray = "body_digest",
        kind: StringArray = "kind",
        body: BinaryArray = "body",
    }
}

impl SiteBodies {
    /// Returns the key, the kind and the bytes of each body.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, &[u8])> {
        (0..self.count()).map(|row| (self.digest(row), self.kind(row), self.body(row)))
    }
}
