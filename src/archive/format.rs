//! The formats of archives, and how their text is compressed, for example `warc.gz`: a WARC in gzip members.

use crate::web::names::names;

/// The format of an archive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// WARC records.
    Warc,
    /// WARC records that describe another archive's records, as Common Crawl's WAT files have.
    Wat,
    /// ARC records.
    Arc,
    /// A ZIP file with archives in it.
    Wacz,
    /// LZ4 frames, which are not read.
    Lz4,
    /// No bytes at all.
    Empty,
    /// Something else.
    #[default]
    Other,
}

/// How the text of an archive is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Codec {
    /// Not at all.
    Plain,
    /// In gzip members.
    Gzip,
    /// In zstd frames.
    Zstd,
}

names! {
    Format {
        Warc => "warc", Wat => "wat", Arc => "arc", Wacz => "wacz", Lz4 => "lz4", Empty => "empty", Other => "unknown",
    }
}

// What the tables add to the name of the format.
names! { Codec { Plain => "", Gzip => ".gz", Zstd => ".zst" } }
