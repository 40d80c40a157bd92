//! `evidence/archives`: one row per input, whatever its outcome; `evidence/failures`: an archive's faults and their places.

use super::Table;
use crate::archive::{ArchiveName, Damage, Subset};
use crate::evidence::Depth;
use crate::web::column::Column;
use crate::web::names::names;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::{self, Display};

cells! {
    /// The fields of the column `records_by_type`.
    pub TYPE_COUNT = fn append_type(cells, (name, count): (&String, &TypeCount)) {
        text("record_type", name): "WARC-Type in lower case; (none) for records without one",
        int64("records", count.captures + count.no_interest + count.lost): "records of the type",
        int64("captures", count.captures): "of these, rows in captures",
        int64("no_interest", count.no_interest):
            "of these, of no interest: requests, metadata, responses that are not HTTP and the like",
        int64("lost", count.lost): "of these, lost, each with a row in failures",
    }

    pub COLUMNS = fn append(cells, archive: &ArchiveName, row: &ArchiveRow) first {
        let design = row.design.as_ref();
        let sample = design.and_then(|design| design.sample);
    } {
        text("warc_filename", archive.filename()): "archive, see captures",
        text_or_null("warc_segment", archive.segment()):
            "segment of Common Crawl; NULL for archives of others",
        text_or_null("subset", archive.subset().map(Subset::as_str)):
            "subset of Common Crawl: warc, robotstxt or crawldiagnostics; NULL for archives of others",
        text("outcome", row.outcome.as_str()):
            "read; cut: it ends inside a record; or why it failed: missing, unreadable, empty, not_an_archive, unsupported_format",
        text_or_null("detail", row.detail.as_deref()): "what was found, if it failed; or the same archive, if that counts in its place",
        text_or_null("format", row.format.as_deref()):
            "warc, arc, wat or wacz, then .gz or .zst where it is compressed; NULL where nothing was read",
        int64("bytes", row.bytes): "bytes read; of a gzipped archive, compressed",
        int64("records", row.records): "records read = captures + no_interest + records_lost",
        structs("records_by_type" => TYPE_COUNT, &row.by_type, append_type):
            "the records whose type could be read",
        int64("captures", row.captures()): "rows in captures",
        int64("bodies_skipped", row.bodies_skipped):
            "records that were decompressed only at their beginning, with --depth heads; 0 with --depth heads: the archive does not allow that safely and was read in full",
        int64("no_interest", row.no_interest()): "records of no interest",
        int64("records_lost", row.records_lost):
            "records lost to damage; the least possible number if that cannot be known",
        int64("failures", row.failures):
            "damaged places; the table failures lists at most 10,000 of them, and counts the rest in one row",
        int64("lenient_heads", row.lenient_heads):
            "records whose head differs from the WARC standard: LF line ends, folded lines, blanks before a colon",
        text_or_null("writer", row.writer.as_deref()): "software named by the first warcinfo record",
        text_or_null("warc_version", row.warc_version.as_deref()): "version of the first record",
        text_or_null("depth", row.depth.map(Depth::as_str)):
            "how much of each record was read, see captures; NULL where nothing was read",
        int64_or_null("read_rules", row.read_rules):
            "version of the rules (docs/rules/read.md) that say what counts as read; NULL where nothing was read",
        text_or_null("list_digest", design.map(|design| design.list_digest.as_str())):
            "SHA-1 (base32) of the names of all archives of the crawl that a call was given which chose a part of them (--sample, --limit), sorted, each with a line feed; NULL where the call was for all of its inputs",
        int64_or_null("list_archives", design.map(|design| design.archives)):
            "how many archives that list has; NULL like list_digest",
        int64_or_null("list_segment_archives", design.and_then(|design| design.segment_archives)):
            "how many of them are of the archive's segment; NULL like list_digest, and for archives of others",
        int64_or_null("list_sample", sample.map(|(archives, _)| archives)):
            "how many archives --sample draws of that list; NULL: it was not given",
        int64_or_null("list_seed", sample.map(|(_, seed)| seed)):
            "SEED of --sample N@SEED; NULL like list_sample",
        text_or_null("noise_list", row.noise_list.as_deref()):
            "version of the list of header fields and metas that evidence leaves out; NULL where nothing was read",
    }
}

pub static ARCHIVES: Table = Table {
    name: "archives",
    folder: "evidence/archives",
    row: "input",
    columns: || vec![COLUMNS],
};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Read,
    /// It ends inside a record; the records before that were read.
    Cut,
    #[default]
    Missing,
    /// It could not be opened, or not be read to its end.
    Unreadable,
    /// It has no bytes, or only empty gzip members.
    Empty,
    NotAnArchive,
    /// It is a web archive in a format that is not read.
    UnsupportedFormat,
}

names! {
    Outcome {
        Read => "read",
        Cut => "cut",
        Missing => "missing",
        Unreadable => "unreadable",
        Empty => "empty",
        NotAnArchive => "not_an_archive",
        UnsupportedFormat => "unsupported_format",
    }
}

impl Outcome {
    pub fn may_be_retried(self) -> bool {
        match self {
            Self::Cut | Self::Missing | Self::Unreadable | Self::Empty => true,
            Self::Read | Self::NotAnArchive | Self::UnsupportedFormat => false,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeCount {
    /// Rows in `captures`.
    pub captures: u64,
    pub no_interest: u64,
    pub lost: u64,
}

/// The list that an archive comes from, and how the archive was chosen, if a call read a part of its inputs (`--sample`,
/// `--limit`): the population behind a figure from some archives. Slices have none, because all of them together are one run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Design {
    /// SHA-1 (base32) of the sorted names of the list.
    pub list_digest: String,
    /// The number of archives of the crawl that it has.
    pub archives: u64,
    /// The number of these that are of the archive's segment.
    pub segment_archives: Option<u64>,
    /// The number of archives that were drawn at random, and the seed.
    pub sample: Option<(u64, u64)>,
}

impl Display for Design {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            text,
            "list {} of {} archives",
            self.list_digest, self.archives
        )?;
        self.sample.map_or(Ok(()), |(sample, seed)| {
            write!(text, ", sample {sample}, seed {seed}")
        })
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveRow {
    pub outcome: Outcome,
    pub detail: Option<String>,
    pub format: Option<String>,
    pub bytes: u64,
    /// Records read, as the archive's reader counts them.
    pub records: u64,
    /// The records whose type could be read.
    pub by_type: BTreeMap<String, TypeCount>,
    /// Records that were inflated only at their beginning.
    pub bodies_skipped: u64,
    /// Lost records of any type.
    pub records_lost: u64,
    pub failures: u64,
    /// Records with a head that deviates from the standard.
    pub lenient_heads: u64,
    pub writer: Option<String>,
    pub warc_version: Option<String>,
    /// How much of each record was read; `None` if nothing was.
    pub depth: Option<Depth>,
    /// The version of the rules on what counts as read; `None` if nothing was read.
    pub read_rules: Option<u32>,
    /// The version of the noise list; `None` if nothing was read.
    pub noise_list: Option<String>,
    /// The list it comes from, if a part of the list was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub design: Option<Design>,
}

impl ArchiveRow {
    pub fn unread(outcome: Outcome, detail: Option<String>) -> Self {
        Self {
            outcome,
            detail,
            ..Self::default()
        }
    }

    pub fn captures(&self) -> u64 {
        self.by_type.values().map(|count| count.captures).sum()
    }

    pub fn no_interest(&self) -> u64 {
        self.by_type.values().map(|count| count.no_interest).sum()
    }

    /// Returns whether every record is accounted for: records read = captures + no interest + lost.
    pub fn adds_up(&self) -> bool {
        self.records == self.captures() + self.no_interest() + self.records_lost
    }
}

cells! {
    pub FAILURE = fn append_failure(cells, archive: &ArchiveName, damage: &Damage) {
        text("warc_filename", archive.filename()): "archive, see captures",
        int64("warc_record_offset", damage.offset):
            "bytes from the start of the archive to the record, member or place concerned",
        text("kind", damage.kind.as_str()):
            "what is wrong: gzip_data, gzip_checksum, gzip_cut, not_gzip, padding, not_a_record, head_cut, head_too_long, content_length, block_short, misaligned, inside_block, read, envelope (of a WAT's record), digest (a WACZ's archive is not the one that its datapackage.json names), no_target_uri, date, url; more: counts the rest, where an archive has more than 10,000",
        text("detail", &damage.detail): "what was found",
        boolean("record_lost", damage.record_lost):
            "whether a record is missing from captures and from the counts by type because of it",
        text_or_null("inner_filename", damage.inner.as_deref()):
            "archive in the WACZ, see captures; the captures of one with a row digest are those of that name; NULL outside of a WACZ",
    }
}

pub static FAILURES: Table = Table {
    name: "failures",
    folder: "evidence/failures",
    row: "damaged or unreadable place",
    columns: || vec![FAILURE],
};
