//! What happens to a copy of an archive that has evidence: the evidence stays, the copy is read, or it is refused.
//!
//! Example: `x.warc.gz` has evidence with damaged places, and a copy with the same ends came after it was written: it is read.
//! One function decides, before and after a copy is read.

use super::ScanOptions;
use crate::evidence::READ_RULES;
use crate::plan::{Kept, Step, Why};
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
    pub(super) fn step(&self, earlier: &Manifest, copy: &ArchiveCopy<'_>) -> Step<CopyRefusal> {
        if self.is_worse(earlier, copy) {
            return Step::Refuse(CopyRefusal::Worse);
        }
        let is_unreadable = copy
            .row
            .is_some_and(|row| row.outcome == Outcome::Unreadable);
        match copy.relation {
            Relation::Same if is_unreadable => Step::Keep(Kept::Compared),
            Relation::Same => match (self.why_again(earlier, copy), &copy.damage) {
                (Some(why), _) => Step::Make(Why::Stale(why)),
                (None, Some(damage)) => Step::Make(Why::Damaged(damage.clone())),
                (None, None) => Step::Keep(Kept::Compared),
            },
            Relation::Continues => Step::Make(Why::Stale("the archive has grown")),
            Relation::Other if is_unreadable => Step::Refuse(CopyRefusal::Unreadable),
            Relation::Other if self.refuses_other(earlier, copy.bytes) => {
                Step::Refuse(CopyRefusal::Changed)
            }
            Relation::Other => Step::Make(Why::Stale("the archive is another file")),
        }
    }

    /// Whether an archive with evidence need not be compared, because no option asks for it.
    pub(super) fn may_believe(&self, earlier: &Manifest) -> bool {
        self.comparison == Comparison::Lengths
            && self.changed == Changed::Refuse
            && earlier.row.depth >= Some(self.depth)
            && !self.again.is_wanted(earlier)
    }

    /// Returns why the same archive is read again, if it is: on the user's wish, deeper, after a failure of its source, or when it
    /// may have been repaired. Only its ends are in digests: to compare all bytes, it is read whole.
    fn why_again(&self, earlier: &Manifest, copy: &ArchiveCopy<'_>) -> Option<&'static str> {
        let may_be_repaired =
            earlier.is_damaged() && (self.comparison == Comparison::Bytes || copy.is_newer);
        self.why_asked_for(earlier)
            .or(may_be_repaired.then_some("it was damaged, and may have been repaired"))
    }

    /// Returns why the same archive is read again whatever is known of the copy, if it is.
    pub(super) fn why_asked_for(&self, earlier: &Manifest) -> Option<&'static str> {
        if self.again.is_wanted(earlier) {
            Some("--again")
        } else if earlier.row.depth < Some(self.depth) {
            Some("it was read less deep")
        } else if earlier.row.outcome == Outcome::Unreadable {
            Some("it could not be read to its end")
        } else {
            None
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
    use super::Step::Refuse;
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

    fn step(earlier: &Manifest, copy: &ArchiveCopy<'_>, again: &[&str]) -> Step<CopyRefusal> {
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

    const OTHER: &str = "the archive is another file";
    const KEEP: Step<CopyRefusal> = Step::Keep(Kept::Compared);

    fn read(why: &'static str) -> Step<CopyRefusal> {
        Step::Make(Why::Stale(why))
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
            (&whole, &same(), &[][..], KEEP),
            (&whole, &newer, &[], KEEP),
            (&whole, &same(), &["x.warc"], read("--again")),
            (&damaged, &same(), &[], KEEP),
            (
                &damaged,
                &newer,
                &[],
                read("it was damaged, and may have been repaired"),
            ),
            (&shallow, &same(), &[], read("it was read less deep")),
            (
                &earlier(row(Outcome::Unreadable, 0)),
                &same(),
                &[],
                read("it could not be read to its end"),
            ),
        ] {
            assert_eq!(step(manifest, copy, again), expected);
        }
        let flipped = ArchiveCopy {
            damage: Some("its bytes have changed".to_owned()),
            ..same()
        };
        assert_eq!(
            step(&whole, &flipped, &[]),
            Step::Make(Why::Damaged("its bytes have changed".to_owned()))
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
            (
                &whole,
                &copy(Relation::Continues),
                &[],
                read("the archive has grown"),
            ),
            (&damaged, &other(), &[], read(OTHER)),
            (&damaged, &longer(), &[], Refuse(CopyRefusal::Changed)),
            (&damaged, &longer(), &["x.warc"], read(OTHER)),
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
        for (manifest, relation, row, again, expected) in [
            (&damaged, Relation::Other, &better, &[][..], read(OTHER)),
            (
                &damaged,
                Relation::Other,
                &worse,
                &[],
                Refuse(CopyRefusal::Worse),
            ),
            (
                &damaged,
                Relation::Other,
                &cut,
                &[],
                Refuse(CopyRefusal::Worse),
            ),
            (&damaged, Relation::Other, &worse, &["x.warc"], read(OTHER)),
            (
                &damaged,
                Relation::Other,
                &unreadable,
                &[],
                Refuse(CopyRefusal::Unreadable),
            ),
            (&damaged, Relation::Same, &unreadable, &["x.warc"], KEEP),
            (
                &whole,
                Relation::Continues,
                &cut,
                &[],
                read("the archive has grown"),
            ),
        ] {
            let copy = ArchiveCopy {
                row: Some(row),
                ..copy(relation)
            };
            assert_eq!(step(manifest, &copy, again), expected);
        }
    }
}
