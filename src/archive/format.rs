//! The formats of archives, and how their text is compressed, for example `warc.gz`: a WARC in gzip members.

use crate::web::names::names;

names! {
    /// The format of an archive.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Format {
        /// WARC records.
        Warc => "warc",
        /// WARC records that describe another archive's records, as Common Crawl's WAT files have.
        Wat => "wat",
        /// ARC records.
        Arc => "arc",
        /// A ZIP file with archives in it.
        Wacz => "wacz",
        /// LZ4 frames, which are not read.
        Lz4 => "lz4",
        /// No bytes at all.
        Empty => "empty",
        /// Something else.
        #[default]
        Other => "unknown",
    }
}

names! {
    /// How the text of an archive is compressed. The names are what the tables add to the name of the format.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Codec {
        /// Not at all.
        Plain => "",
        /// In gzip members.
        Gzip => ".gz",
        /// In zstd frames.
        Zstd => ".zst",
    }
}
