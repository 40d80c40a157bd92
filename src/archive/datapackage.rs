//! What the `datapackage.json` of a WACZ says of its archives.
//!
//! Document: Webrecorder, "WACZ Format 1.1.1", 5.2.1: each resource has a path and a hash.
//! Example: `{"resources": [{"path": "archive/a.warc.gz", "hash": "sha256:0a1b...", "bytes": 43}]}`.
//! An archive that is named and not there is missing, whatever its hash is. Left out: other hashes than SHA-256, the digest of
//! the file itself (`datapackage-digest.json`), signatures.

use crate::web::lines::without_byte_order_mark;
use flate2::read::DeflateDecoder;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::io::{Read, Seek};
use std::sync::{Arc, OnceLock};
use zip::{CompressionMethod, ZipArchive};

pub const NAME: &str = "datapackage.json";
/// A longer one is not read; any number of this size.
const MOST_BYTES: u64 = 4 << 20;

/// The digest that is stated of an archive, and whether it was found to be that of its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedSha256 {
    sha256: [u8; 32],
    found: Arc<OnceLock<SeenDigest>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SeenDigest {
    Same,
    Other,
}

impl StatedSha256 {
    /// Reads `sha256:` and hexadecimal digits.
    fn new(hash: &str) -> Option<Self> {
        let digits = hash.strip_prefix("sha256:")?.trim();
        let sha256 = data_encoding::HEXLOWER_PERMISSIVE
            .decode(digits.as_bytes())
            .ok()?
            .try_into()
            .ok()?;
        Some(Self {
            sha256,
            found: Arc::default(),
        })
    }

    /// Notes the digest of all of the archive's bytes.
    pub fn compare(&self, digest: Sha256) {
        let is_same = digest.finalize().as_slice() == self.sha256;
        self.found.get_or_init(|| {
            if is_same {
                SeenDigest::Same
            } else {
                SeenDigest::Other
            }
        });
    }

    pub fn is_other(&self) -> bool {
        self.found.get() == Some(&SeenDigest::Other)
    }
}

/// What a WACZ says of a file: its path, and its digest if that is a SHA-256.
pub type Resource = (String, Option<StatedSha256>);

/// Returns what a WACZ says of its files; `None` if that cannot be read.
pub fn resources<R: Read + Seek>(zip: &mut ZipArchive<R>) -> Option<Vec<Resource>> {
    let Some(place) = zip.index_for_name(NAME) else {
        return Some(Vec::new());
    };
    let text = read(zip, place)?;
    let package: Value = serde_json::from_slice(without_byte_order_mark(&text)).ok()?;
    let resource = |one: &Value| {
        let hash = one.get("hash").and_then(Value::as_str);
        let path = one.get("path")?.as_str()?.to_owned();
        Some((path, hash.and_then(StatedSha256::new)))
    };
    let resources = package.get("resources").and_then(Value::as_array);
    Some(
        resources
            .into_iter()
            .flatten()
            .filter_map(resource)
            .collect(),
    )
}

fn read<R: Read + Seek>(zip: &mut ZipArchive<R>, place: usize) -> Option<Vec<u8>> {
    let file = zip
        .by_index_raw(place)
        .ok()
        .filter(|file| !file.encrypted())?;
    let method = file.compression();
    let mut text = Vec::new();
    let read = match method {
        CompressionMethod::Stored => file.take(MOST_BYTES).read_to_end(&mut text),
        // The crate `zip` is built without its codecs.
        _ => DeflateDecoder::new(file)
            .take(MOST_BYTES)
            .read_to_end(&mut text),
    };
    read.ok().map(|_| text)
}
