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
}

impl Damage {
    /// Makes damage that cost a record.
    pub fn lost(offset: u64, kind: DamageKind, detail: String) -> Self {
        Self { offset, kind, detail, record_lost: true }
    }

    /// Makes damage that cost no record.
    pub fn harmless(offset: u64, kind: DamageKind, detail: String) -> Self {
        Self { offset, kind, detail, record_lost: false }
    }
}

/// The kinds of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DamageKind {
    /// A gzip member or zstd frame cannot be decompressed.
    GzipData,
    /// A gzip member's text does not match its CRC or length.
    GzipChecksum,
    /// The source ends inside a gzip member or zstd frame.
    GzipCut,
    /// Bytes between gzip members or zstd frames that are neither.
    NotGzip,
    /// Zeros or blanks between or after the members.
    Padding,
    /// Text that is not a record although one should start there.
    NotARecord,
    /// The head of a record is cut off.
    HeadCut,
    /// The head of a record is longer than the reader's limit.
    HeadTooLong,
    /// A record without a usable Content-Length.
    ContentLength,
    /// A record has fewer bytes than its Content-Length says.
    BlockShort,
    /// A record has more bytes than its Content-Length says, or garbage follows it.
    Misaligned,
    /// What may be a record, inside the block of another one whose Content-Length is false.
    InsideBlock,
    /// The source could not be read further.
    Read,
    /// A record of a WAT whose JSON cannot be read.
    Envelope,
    /// A record of interest without a target URI.
    NoTargetUri,
    /// A value that should be a date and is not, or a date beyond the years 1970 to 9999.
    Date,
    /// A target URI that is not a URL.
    Url,
    /// Further damage of the same archive, counted but not listed.
    More,
}

names! {
    DamageKind {
        GzipData => "gzip_data", GzipChecksum => "gzip_checksum", GzipCut => "gzip_cut",
        NotGzip => "not_gzip", Padding => "padding", NotARecord => "not_a_record", HeadCut => "head_cut",
        HeadTooLong => "head_too_long", ContentLength => "content_length", BlockShort => "block_short",
        Misaligned => "misaligned", InsideBlock => "inside_block", Read => "read", Envelope => "envelope",
        NoTargetUri => "no_target_uri", Date => "date", Url => "url", More => "more",
    }
}
