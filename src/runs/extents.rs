//! How much of its body each capture of an archive has, as the evidence says it.
//!
//! Document: RULES READ-5. Example: `body_marks` of a capture has `truncated`, and of another one with the same bytes
//! nothing: the first one is cut.
//! Ours: evidence of before the column `body_marks` says in `site_files` whether the first capture of a body is cut, and of
//! each capture whether WARC-Truncated says so. There a capture counts as cut where either does.
//! Left out: what is decided from the bytes (`verdict::Legibility`).

use super::archive_evidence::ArchiveEvidence;
use super::bodies::BodyKey;
use crate::robots::Extent;
use crate::tables::Slices;
use crate::tables::captures::Captures;
use crate::tables::site_files::{CUT_COLUMNS, SITE_FILES, cut_bodies};
use crate::verdict::timeline::Sent;
use crate::web::body_mark::BodyMark;
use crate::web::capture_kind::CaptureKind;
use std::collections::HashSet;
use std::io;

/// The extents of an archive's bodies.
pub struct Extents<'a> {
    archive: &'a ArchiveEvidence<'a>,
    /// The bodies that are cut, where captures do not say it.
    cut: Option<HashSet<BodyKey>>,
}

impl<'a> Extents<'a> {
    /// Returns those of an archive; nothing is read yet.
    pub fn new(archive: &'a ArchiveEvidence<'a>) -> Self {
        Self { archive, cut: None }
    }

    /// Returns what a capture has as its body, read as a file of this kind, and how much of it.
    pub fn of(
        &mut self,
        captures: &Captures<'_>,
        row: usize,
        kind: CaptureKind,
    ) -> io::Result<Sent<(BodyKey, Extent)>> {
        let key = captures.body_digest(row).and_then(|digest| BodyKey::new(kind, digest));
        let marks = captures.body_marks(row);
        let Some(key) = key else {
            let is_undecodable = marks.is_some_and(|marks| marks.has(BodyMark::Undecodable));
            return Ok(if is_undecodable { Sent::Unreadable } else { Sent::Missing });
        };
        let is_cut = match marks {
            Some(marks) => marks.are_cut(),
            None => captures.is_truncated(row) || self.cut()?.contains(&key),
        };
        Ok(Sent::Body((key, if is_cut { Extent::CutOff } else { Extent::Whole })))
    }

    fn cut(&mut self) -> io::Result<&HashSet<BodyKey>> {
        let cut = match self.cut.take() {
            Some(cut) => cut,
            None => self.read_cut()?,
        };
        Ok(self.cut.insert(cut))
    }

    fn read_cut(&self) -> io::Result<HashSet<BodyKey>> {
        let mut cut = HashSet::new();
        for slice in self.archive.slices(&SITE_FILES, |file| Slices::of_columns(file, CUT_COLUMNS))? {
            let slice = slice?;
            let bodies = cut_bodies(&slice)?;
            cut.extend(bodies.filter_map(|(digest, kind)| BodyKey::new(CaptureKind::named(kind)?, digest)));
        }
        Ok(cut)
    }
}
