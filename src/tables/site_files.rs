//! `evidence/site_files`: the bodies of robots.txt and similar files, each once.

use super::Table;
use super::slice::slice;
use crate::web::capture_kind::CaptureKind;
use crate::web::column::Column;
use crate::web::shown::shown;
use arrow_array::{BinaryArray, RecordBatch, StringArray};
use data_encoding::BASE32;
use sha1::{Digest, Sha1};
use std::io;

cells! {
    pub COLUMNS = fn append(cells, segment: Option<&str>, file: &SiteFile) {
        text_or_null("warc_segment", segment): "segment of Common Crawl; NULL for archives of others",
        text("body_digest", BASE32.encode(&file.digest)): "SHA-1 (base32) of the column body",
        text("kind", file.kind.as_str()):
            "kind of site file that it is read as, see captures; robots also for robots_hop",
        binary("body", &file.body): "body, dechunked and decoded, at most 1 MiB",
        int64("body_bytes", file.body.len()): "bytes of body",
    }
}

pub static SITE_FILES: Table = Table {
    name: "site_files",
    folder: "evidence/site_files",
    row: "distinct body and kind of a site file in an archive",
    columns: || vec![COLUMNS],
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteFile {
    pub digest: [u8; 20],
    pub kind: CaptureKind,
    pub body: Vec<u8>,
}

slice! {
    pub struct BodyKeys {
        pub digest: StringArray = "body_digest",
        pub kind: StringArray = "kind",
    }
}

slice! {
    pub struct SiteBodies {
        digest: StringArray = "body_digest",
        kind: StringArray = "kind",
        body: BinaryArray = "body",
    }
}

impl SiteBodies {
    /// Reads the bodies of a slice. One that is not what its digest names is an error: other archives' captures may have the digest.
    pub fn checked(slice: &RecordBatch) -> io::Result<Self> {
        let bodies = Self::new(slice)?;
        for (digest, _, body) in bodies.iter() {
            let found = BASE32.encode(&Sha1::digest(body));
            if found != digest {
                let digest = shown(digest.as_bytes());
                return Err(io::Error::other(format!(
                    "a body has the digest {found}, expected {digest}"
                )));
            }
        }
        Ok(bodies)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, &[u8])> {
        (0..self.count()).map(|row| (self.digest(row), self.kind(row), self.body(row)))
    }
}
