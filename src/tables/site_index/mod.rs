//! The tables of a site index: the site files of each origin, with their times.
//!
//! `fetches` has a row for each distinct answer, `bodies` for each distinct body of a range of hosts, `archives` for each
//! archive that was read. Their layout follows from the queries: the rows of one host are in one row group, and its bodies in
//! one, so that a look-up reads two groups. Left out: which rows exist (`sites`).
//!
//! `archives` lists the archives that a site index was made from, by crawl and name; a number is a row. It shows whether
//! overlapping indexes have read the same archive. Left out: the parts of it that were read (`archives` of a run).

mod bodies;
mod fetches;
mod group;
mod part;

pub use bodies::{BODIES, Bodies, BodyGroup, BodyGroups, SharedBytes, append_body};
pub use fetches::{
    FETCHES, Fetches, NumberedFetch, Seen, SiteFetch, SiteHost, append_fetch, first_url,
};
pub use group::{CheckedGroup, ReadGroup};
pub use part::{EncodedGroup, GroupEncoder, GroupRange, IndexPart, IndexPartWriter, part_file};

use super::Rows;
use super::slice::{OrNull, slice};
use crate::archive::CrawlId;
use crate::tables::archives::Outcome;
use crate::tables::{Table, markdown_columns};
use crate::web::column::Column;
use arrow_array::{Int64Array, RecordBatch, StringArray};
use std::cmp::Reverse;
use std::io;

/// Describes the tables in Markdown, the end of `docs/site-index.md`.
pub fn index_markdown() -> String {
    let described = |table: &Table| {
        format!(
            "\n### {}\n\nOne row per {}.\n\n{}",
            table.name,
            table.row,
            markdown_columns(table)
        )
    };
    [&FETCHES, &BODIES, &INDEX_ARCHIVES].map(described).concat()
}

/// The version of the format of a site index.
pub const INDEX_FORMAT: &str = "1";

/// A fingerprint has the digests of this number of bytes at the start and at the end.
const DIGESTED_BYTES: u64 = 64 << 10;

cells! {
    COLUMNS = fn append_archive(cells, number: i32, archive: &IndexedArchive) {
        int32("archive", number): "number of the archive, from 0 on, by crawl and warc_filename",
        text("crawl", archive.crawl.as_str()): "crawl",
        text("warc_filename", &archive.warc_filename): "archive, see captures",
        text("outcome", &archive.outcome): "what became of the archive, as in archives of a run",
        int64("records", archive.records): "records read, those that were lost included",
        int64("records_lost", archive.records_lost):
            "records lost to damage; the least possible number if that cannot be known",
        text_or_null("fingerprint", archive.fingerprint.as_deref()):
            "length in bytes, and SHA-1 (base32) of its first and last 64 KiB; NULL where it could not be read",
    }
}

pub static INDEX_ARCHIVES: Table = Table::new("archives", "archive", || vec![COLUMNS]);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IndexedArchive {
    pub crawl: CrawlId,
    pub warc_filename: String,
    pub outcome: String,
    pub records: u64,
    pub records_lost: u64,
    /// The fingerprint of its bytes; `None` if it could not be read.
    pub fingerprint: Option<String>,
}

impl IndexedArchive {
    fn beginning(&self) -> Option<(u64, &str)> {
        let (bytes, digests) = self.fingerprint.as_deref()?.split_once(' ')?;
        Some((bytes.parse().ok()?, digests.split_once(' ')?.0))
    }

    /// Returns whether it may be the same archive as another one of its name.
    pub fn may_be(&self, other: &Self) -> bool {
        self.fingerprint
            .as_ref()
            .zip(other.fingerprint.as_ref())
            .is_none_or(|(one, other)| one == other)
    }

    /// Returns whether it was cut and another copy of its name continues it. If it is shorter than the digested bytes, lengths
    /// decide.
    pub fn is_continued_by(&self, other: &Self) -> bool {
        let (Some((bytes, first)), Some((more, begins))) = (self.beginning(), other.beginning())
        else {
            return false;
        };
        self.outcome == Outcome::Cut.as_str()
            && bytes < more
            && (first == begins || bytes < DIGESTED_BYTES)
    }

    /// Returns a rank that is greater for the better of two copies: a read copy before a failed one, a longer one before a cut
    /// one, one with fewer lost records before one with more; then by any rule that does not depend on their order.
    pub fn rank(&self) -> impl Ord + '_ {
        (
            self.beginning().map(|(bytes, _)| bytes),
            Reverse(self.records_lost),
            self,
        )
    }
}

/// Returns the rows of archives, which are sorted, by the number of the first one.
pub fn archive_rows(first: i32, archives: &[IndexedArchive]) -> io::Result<RecordBatch> {
    let mut rows = Rows::new(&INDEX_ARCHIVES);
    for (number, archive) in (first..).zip(archives) {
        append_archive(rows.row(), number, archive);
    }
    rows.finish()
}

slice! {
    struct ArchiveRows {
        crawl: StringArray = "crawl",
        name: StringArray = "warc_filename",
        outcome: StringArray = "outcome",
        records: Int64Array = "records",
        records_lost: Int64Array = "records_lost",
        fingerprint: OrNull<StringArray> = "fingerprint",
    }
}

pub fn indexed_archives(rows: &RecordBatch) -> io::Result<Vec<IndexedArchive>> {
    let rows = ArchiveRows::new(rows)?;
    let count = |number| u64::try_from(number).unwrap_or_default();
    let archive = |row| {
        let crawl = CrawlId::try_from(rows.crawl(row).to_owned()).map_err(io::Error::other)?;
        Ok(IndexedArchive {
            crawl,
            warc_filename: rows.name(row).to_owned(),
            outcome: rows.outcome(row).to_owned(),
            records: count(rows.records(row)),
            records_lost: count(rows.records_lost(row)),
            fingerprint: rows.fingerprint(row).map(str::to_owned),
        })
    };
    (0..rows.count()).map(archive).collect()
}
