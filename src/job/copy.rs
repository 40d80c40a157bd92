//! What happens to a copy of an archive that has evidence: the evidence stays, the copy is read, or it is refused.
//!
//! Example: `x.warc.gz` has evidence with damaged places, and a copy with the same ends came after it was written: it is read.
//! One function decides, before and after a copy is read.

use super::ScanOptions;
use crate::evidence::READ_RULES;
use crate::runs::{Comparison, Manifest, Relation};
use crate::tables::archives::{ArchiveRow, Outcome};
use std::collections::BTreeSet;

/// What a call does with an archive other than the one that the evidence is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// It is refused, as a failed input.
    Refuse,
    /// It is read, and its evidence replaces the earlier evidence.
    Replace,
}

/// Which archives are read again although their evidence exists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Again {
    /// Damaged and cut ones.
    pub damaged: bool,
    /// The ones with these names.
    pub names: BTreeSet<String>,
}

impl Again {
    pub(super) fn is_wanted(&self, earlier: &Manifest) -> bool {
        (self.damaged && earlier.is_damaged()) || self.names.contains(&earlier.warc_filename)
    }
}

/// What is known of a copy, and of the evidence beside its manifest.
pub struct ArchiveCopy<'c> {
    pub relation: Relation,
    pub bytes: u64,
    /// Whether it came after the manifest. A manifest never says which copy was read, so that it is the same for all copies.
    pub is_newer: bool,
    /// What is wrong with a file of the evidence, if that was looked for.
    pub damage: Option<String>,
    /// Its row, once it was read.
    pub row: Option<&'c ArchiveRow>,
}

/// What is done with a copy.
#[derive(Debug, PartialEq, Eq)]
pub enum CopyStep {
    /// The evidence stays as it is.
    Keep,
    /// The copy is read and replaces the evidence.
    Read,
    /// The same, because a file of the evidence is not as it was written: what is wrong.
    Repair(String),
    /// The evidence stays, and the copy is a failed input.
    Refuse(CopyRefusal),
}

/// Why a copy is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyRefusal {
    /// It is another file.
    Changed,
    /// More is lost in it than in the archive that was read.
    Worse,
    /// It is another file, and could not be read to its end.
    Unreadable,
}

impl ScanOptions {
    pub(super) fn step(&self, earlier: &Manifest, copy: &ArchiveCopy<'_>) -> CopyStep {
        if self.is_worse(earlier, copy) {
            return CopyStep::Refuse(CopyRefusal::Worse);
        }
        let is_unreadable = copy
            .row
            .is_some_and(|row| row.outcome == Outcome::Unreadable);
        match copy.relation {
            Relation::Same if is_unreadable => CopyStep::Keep,
            Relation::Same if self.wants_again(earlier, copy) => CopyStep::Read,
            Relation::Same => copy.damage.clone().map_or(CopyStep::Keep, CopyStep::Repair),
            Relation::Other if is_unreadable => CopyStep::Refuse(CopyRefusal::Unreadable),
            Relation::Other if self.refuses_other(earlier, copy.bytes) => {
                CopyStep::Refuse(CopyRefusal::Changed)
            }
            Relation::Continues | Relation::Other => CopyStep::Read,
        }
    }

    /// Whether an archive with evidence need not be compared, because no option asks for it.
    pub(super) fn may_believe(&self, earlier: &Manifest) -> bool {
        self.comparison == Comparison::Lengths
            && self.changed == Changed::Refuse
            && earlier.row.depth >= Some(self.depth)
            && !self.again.is_wanted(earlier)
    }

    /// Whether the same archive is read again: deeper, after a failure of its source, when it may have been repaired, or on the
    /// user's wish. Digests cover only its ends: to compare all bytes, it is read whole.
    fn wants_again(&self, earlier: &Manifest, copy: &ArchiveCopy<'_>) -> bool {
        self.is_asked_for(earlier)
            || (earlier.is_damaged() && (self.comparison == Comparison::Bytes || copy.is_newer))
    }

    /// Whether the same archive is read again whatever is known of the copy.
    pub(super) fn is_asked_for(&self, earlier: &Manifest) -> bool {
        earlier.row.depth < Some(self.depth)
            || earlier.row.outcome == Outcome::Unreadable
            || self.again.is_wanted(earlier)
    }

    /// Returns why a copy is read, in words.
    pub(super) fn why(&self, earlier: &Manifest, copy: &ArchiveCopy<'_>) -> &'static str {
        match copy.relation {
            Relation::Same => self.why_again(earlier),
            Relation::Continues => "the archive has grown",
            Relation::Other => "the archive is another file",
        }
    }

    /// Returns why the same archive is read again, in words.
    pub(super) fn why_again(&self, earlier: &Manifest) -> &'static str {
        if self.again.is_wanted(earlier) {
            "--again"
        } else if earlier.row.depth < Some(self.depth) {
            "it was read less deep"
        } else if earlier.row.outcome == Outcome::Unreadable {
            "it could not be read to its end"
        } else {
            "it was damaged, and may have been repaired"
        }
    }

    /// Whether another file of this many bytes is refused: not if the user wants it read, or if it is as long as a damaged
    /// archive, because it may be a repaired copy.
    pub(super) fn refuses_other(&self, earlier: &Manifest, bytes: u64) -> bool {
        let may_be_repaired = earlier.is_damaged() && is_as_long(earlier, bytes);
        self.changed == Changed::Refuse && !may_be_repaired && !self.again.is_wanted(earlier)
    }

    /// Whether more is lost in a copy than in the damaged archive, if that was read as deep as now.
    fn is_worse(&self, earlier: &Manifest, copy: &ArchiveCopy<'_>) -> bool {
        let Some(row) = copy.row.filter(|row| row.outcome != Outcome::Unreadable) else {
            return false;
        };
        let is_as_deep =
            earlier.row.depth >= Some(self.depth) && earlier.row.read_rules == Some(READ_RULES);
        let is_left = self.changed == Changed::Refuse && !self.again.is_wanted(earlier);
        let loses_more = row.records_lost > earlier.row.records_lost
            || (earlier.row.outcome == Outcome::Read && row.outcome != Outcome::Read);
        is_as_long(earlier, copy.bytes)
            && is_as_deep
            && earlier.is_damaged()
            && is_left
            && loses_more
    }
}

fn is_as_long(earlier: &Manifest, bytes: u64) -> bool {
    earlier
        .fingerprint
        .as_ref()
        .is_some_and(|earlier| earlier.bytes == bytes)
}

#[cfg(test)]
mod tests {
    use super::CopyRefusal::{Unreadable, Worse};
    use super::CopyStep::{Keep, Read, Refuse};
    use super::*;
    use crate::evidence::Depth;
    use crate::runs::Fingerprint;
    use std::collections::BTreeMap;

    const BYTES: u64 = 1000;

    fn row(outcome: Outcome, records_lost: u64) -> ArchiveRow {
        let (depth, read_rules, failures) = (Some(Depth::Full), Some(READ_RULES), records_lost);
        ArchiveRow {
            records_lost,
            failures,
            depth,
            read_rules,
            ..ArchiveRow::unread(outcome, None)
        }
    }

    fn earlier(row: ArchiveRow) -> Manifest {
        let part = || "A".repeat(32);
        Manifest {
            crawl: crate::archive::CrawlId::default(),
            warc_filename: "x.warc".to_owned(),
            row,
            fingerprint: Some(Fingerprint {
                bytes: BYTES,
                first: part(),
                last: part(),
            }),
            captures: BTreeMap::new(),
            failures_by_kind: BTreeMap::new(),
            parts: Vec::new(),
            capture_columns: None,
            revisits: 0,
            times: None,
        }
    }

    fn copy(relation: Relation) -> ArchiveCopy<'static> {
        ArchiveCopy {
            relation,
            bytes: BYTES,
            is_newer: false,
            damage: None,
            row: None,
        }
    }

    fn step(earlier: &Manifest, copy: &ArchiveCopy<'_>, again: &[&str]) -> CopyStep {
        let names = again.iter().map(|name| (*name).to_owned()).collect();
        let again = Again {
            damaged: false,
            names,
        };
        ScanOptions {
            again,
            ..ScanOptions::new(Vec::new())
        }
        .step(earlier, copy)
    }

    #[test]
    fn local_the_same_archive_is_read_again_for_a_reason_alone() {
        let (whole, damaged) = (
            earlier(row(Outcome::Read, 0)),
            earlier(row(Outcome::Read, 1)),
        );
        let same = || copy(Relation::Same);
        let newer = ArchiveCopy {
            is_newer: true,
            ..same()
        };
        let shallow = earlier(ArchiveRow {
            depth: Some(Depth::Heads),
            ..row(Outcome::Read, 0)
        });
        for (manifest, copy, again, expected) in [
            (&whole, &same(), &[][..], Keep),
            (&whole, &newer, &[], Keep),
            (&whole, &same(), &["x.warc"], Read),
            (&damaged, &same(), &[], Keep),
            (&damaged, &newer, &[], Read),
            (&shallow, &same(), &[], Read),
            (&earlier(row(Outcome::Unreadable, 0)), &same(), &[], Read),
        ] {
            assert_eq!(step(manifest, copy, again), expected);
        }
        let flipped = ArchiveCopy {
            damage: Some("its bytes have changed".to_owned()),
            ..same()
        };
        assert_eq!(
            step(&whole, &flipped, &[]),
            CopyStep::Repair("its bytes have changed".to_owned())
        );
    }

    #[test]
    fn local_another_file_is_refused_unless_it_may_be_a_repaired_copy() {
        let (whole, damaged) = (
            earlier(row(Outcome::Read, 0)),
            earlier(row(Outcome::Read, 1)),
        );
        let other = || copy(Relation::Other);
        let longer = || ArchiveCopy {
            bytes: BYTES + 1,
            ..other()
        };
        for (manifest, copy, again, expected) in [
            (&whole, &other(), &[][..], Refuse(CopyRefusal::Changed)),
            (&whole, &copy(Relation::Continues), &[], Read),
            (&damaged, &other(), &[], Read),
            (&damaged, &longer(), &[], Refuse(CopyRefusal::Changed)),
            (&damaged, &longer(), &["x.warc"], Read),
        ] {
            assert_eq!(step(manifest, copy, again), expected);
        }
    }

    #[test]
    fn local_what_was_read_replaces_nothing_where_more_is_lost_in_it() {
        let (whole, damaged) = (
            earlier(row(Outcome::Read, 0)),
            earlier(row(Outcome::Read, 1)),
        );
        let (better, worse, cut, unreadable) = (
            row(Outcome::Read, 0),
            row(Outcome::Read, 2),
            row(Outcome::Cut, 0),
            row(Outcome::Unreadable, 0),
        );
        for (manifest, relation, read, again, expected) in [
            (&damaged, Relation::Other, &better, &[][..], Read),
            (&damaged, Relation::Other, &worse, &[], Refuse(Worse)),
            (&damaged, Relation::Other, &cut, &[], Refuse(Worse)),
            (&damaged, Relation::Other, &worse, &["x.warc"], Read),
            (
                &damaged,
                Relation::Other,
                &unreadable,
                &[],
                Refuse(Unreadable),
            ),
            (&damaged, Relation::Same, &unreadable, &["x.warc"], Keep),
            (&whole, Relation::Continues, &cut, &[], Read),
        ] {
            let copy = ArchiveCopy {
                row: Some(read),
                ..copy(relation)
            };
            assert_eq!(step(manifest, &copy, again), expected);
        }
    }
}
