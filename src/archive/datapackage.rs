//! What the `datapackage.json` of a WACZ says of its archives.
//!
//! Document: Webrecorder, "WACZ Format 1.1.1", 5.2.1: each resource has a path and a hash.
//! Example: `{"resources": [{"path": "archive/a.warc.gz", "hash": "sha256:0a1b...", "bytes": 43}]}`.
//! Left out: other hashes than SHA-256, the digest of the file itself (`datapackage-digest.json`), signatures.

use flate2::read::DeflateDecoder;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::io::{Read, Seek};
use std::sync::{Arc, OnceLock};
use zip::{CompressionMethod, ZipArchive};

const NAME: &str = "datapackage.json";
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

#[derive(Deserialize)]
struct Package {
    #[serde(default)]
    resources: Vec<Resource>,
}

#[derive(Deserialize)]
struct Resource {
    #[serde(default)]
    path: String,
    #[serde(default)]
    hash: String,
}

/// Returns the paths and digests that a WACZ states. One that cannot be read states nothing.
pub fn resources<R: Read + Seek>(zip: &mut ZipArchive<R>) -> Vec<(String, StatedSha256)> {
    let package = read(zip).and_then(|text| serde_json::from_slice::<Package>(&text).ok());
    let resources = package.map(|package| package.resources).unwrap_or_default();
    resources
        .into_iter()
        .filter_map(|one| Some((one.path, StatedSha256::new(&one.hash)?)))
        .collect()
}

fn read<R: Read + Seek>(zip: &mut ZipArchive<R>) -> Option<Vec<u8>> {
    let index = zip.index_for_name(NAME)?;
    let file = zip
        .by_index_raw(index)
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
