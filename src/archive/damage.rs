//! What can be wrong with an archive, and where it was found.

use crate::web::names::names;
use serde::{Deserialize, Serialize};

/// A damaged place of an archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Damage {
    /// Offset in the archive, in bytes, of the member or record concerned.
    pub offset: u64,
    /// What is wrong.
    pub kind: DamageKind,
    /// A description for people, in one sentence.
    pub detail: String,
    /// Whether it cost a record, or at least one if the number cannot be known.
    pub record_lost: bool,
    /// The archive in the WACZ, by the name that the WACZ's index has for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inner: Option<Box<str>>,
}

impl Damage {
    /// Makes damage that cost a record.
    pub fn lost(offset: u64, kind: DamageKind, detail: String) -> Self {
        Self {
            offset,
            kind,
            detail,
            record_lost: true,
            inner: None,
        }
    }

    /// Makes damage that cost no record.
    pub fn harmless(offset: u64, kind: DamageKind, detail: String) -> Self {
        Self {
            offset,
            kind,
            detail,
            record_lost: false,
            inner: None,
        }
    }
}

names! {
    /// The kinds of damage.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum DamageKind {
        /// A gzip member or zstd frame cannot be decompressed.
        GzipData => "gzip_data",
        /// A gzip member's text does not match its CRC or length.
        GzipChecksum => "gzip_checksum",
        /// The source ends inside a gzip member or zstd frame.
        GzipCut => "gzip_cut",
        /// Bytes between gzip members or zstd frames that are neither.
        NotGzip => "not_gzip",
        /// Zeros or blanks between or after the members.
        Padding => "padding",
        /// Text that is not a record although one should start there.
        NotARecord => "not_a_record",
        /// The head of a record is cut off.
        HeadCut => "head_cut",
        /// The head of a record is longer than the reader's limit.
        HeadTooLong => "head_too_long",
        /// A record without a usable Content-Length.
        ContentLength => "content_length",
        /// A record has fewer bytes than its Content-Length says.
        BlockShort => "block_short",
        /// A record has more bytes than its Content-Length says, or garbage follows it.
        Misaligned => "misaligned",
        /// What may be a record, inside the block of another one whose Content-Length is false.
        InsideBlock => "inside_block",
        /// The source could not be read further.
        Read => "read",
        /// A record of a WAT whose JSON cannot be read.
        Envelope => "envelope",
        /// An archive of a WACZ that differs from its digest in datapackage.json, or that is named there and missing.
        Digest => "digest",
        /// A record of interest without a target URI.
        NoTargetUri => "no_target_uri",
        /// A value that should be a date and is not, or a date beyond the years 1970 to 9999.
        Date => "date",
        /// A target URI that is not a URL.
        Url => "url",
        /// Further damage of the same archive, counted but not listed.
        More => "more",
    }
}
