//! Writes the evidence of one archive: `captures` and `site_files`.

use crate::archive::wacz::WaczMember;
use crate::evidence::{Body, Capture};
use crate::runs::{CrawlInput, Manifest, PartEntry};
use crate::store::Store;
use crate::tables::captures::{self, ArchiveNames, CAPTURES, InnerArchive};
use crate::tables::site_files::{self, SITE_FILES, SiteFile};
use crate::tables::{Footer, PartWriter, Rows, Table};
use crate::web::capture_kind::CaptureKind;
use crate::web::shown::shown;
use std::collections::HashSet;
use std::io;

/// Rows of `captures` that are written at once.
const CAPTURE_ROWS: usize = 1024;
/// Bodies that are written at once.
const SITE_FILE_ROWS: usize = 64;
/// Bytes of either that are written at once, however few rows they are.
const SLICE_BYTES: usize = 8 << 20;

/// The evidence of one archive, being written. If it is dropped before it is committed, nothing is left behind.
pub struct EvidenceWriter<'j> {
    archive: &'j CrawlInput,
    names: ArchiveNames,
    captures: PartWriter,
    site_files: PartWriter,
    capture_rows: Rows,
    site_file_rows: Rows,
    bodies: HashSet<(CaptureKind, [u8; 20])>,
    /// The id of the last capture, whose row has no languages yet.
    unended: Option<Vec<u8>>,
}

impl<'j> EvidenceWriter<'j> {
    pub fn new(archive: &'j CrawlInput, store: &dyn Store, footer: &Footer) -> io::Result<Self> {
        let part = |table: &Table, group_rows| {
            PartWriter::new(
                table,
                group_rows,
                footer,
                store.create(&Manifest::part_file(table, archive))?,
            )
        };
        Ok(Self {
            archive,
            names: ArchiveNames::new(&archive.input.name),
            captures: part(&CAPTURES, 1 << 16)?,
            site_files: part(&SITE_FILES, 1 << 12)?,
            capture_rows: Rows::new(&CAPTURES),
            site_file_rows: Rows::new(&SITE_FILES),
            bodies: HashSet::new(),
            unended: None,
        })
    }

    /// Names the archives in a WACZ.
    pub fn name_members(&mut self, members: &[WaczMember]) {
        let inner = |member: &WaczMember| InnerArchive {
            name: shown(member.inner.as_bytes()).into_owned(),
            bytes: member.offset..member.offset.saturating_add(member.bytes),
        };
        self.names.of_wacz(
            members
                .iter()
                .filter(|member| member.bytes > 0)
                .map(inner)
                .collect(),
        );
    }

    /// Adds a capture, and its body if new to the archive. Each kind of file with that body reads it by its own document.
    pub fn add(&mut self, capture: Capture<'_>) -> io::Result<()> {
        self.end_capture(None)?;
        let name = &self.archive.input.name;
        captures::append(self.capture_rows.row(), &self.names, &capture);
        self.unended = Some(capture.record.id.unwrap_or_default().to_owned());
        let kind = capture.kind.read_as();
        let Some(Body { digest, bytes, .. }) = capture.body else {
            return Ok(());
        };
        if !self.bodies.insert((kind, digest)) {
            return Ok(());
        }
        let site_file = SiteFile {
            digest,
            kind,
            body: bytes.into_owned(),
        };
        site_files::append(self.site_file_rows.row(), name.segment(), &site_file);
        if is_slice(&self.site_file_rows, SITE_FILE_ROWS) {
            self.site_files.write(&self.site_file_rows.finish()?)?;
        }
        Ok(())
    }

    /// Adds the languages of a capture by its id, if it is the last one.
    pub fn add_languages(&mut self, about: &[u8], languages: &str) -> io::Result<()> {
        let is_last = self
            .unended
            .as_ref()
            .is_some_and(|id| !id.is_empty() && id == about);
        if is_last {
            self.end_capture(Some(languages))
        } else {
            Ok(())
        }
    }

    fn end_capture(&mut self, languages: Option<&str>) -> io::Result<()> {
        if self.unended.take().is_none() {
            return Ok(());
        }
        captures::append_languages(self.capture_rows.row_begun(), languages);
        if is_slice(&self.capture_rows, CAPTURE_ROWS) {
            self.captures.write(&self.capture_rows.finish()?)?;
        }
        Ok(())
    }

    /// Ends the files; returns their entries for the manifest.
    pub fn commit(mut self) -> io::Result<Vec<PartEntry>> {
        self.end_capture(None)?;
        self.captures.write(&self.capture_rows.finish()?)?;
        self.site_files.write(&self.site_file_rows.finish()?)?;
        let file = |table| Manifest::part_file(table, self.archive);
        Ok(vec![
            PartEntry::commit(file(&CAPTURES), self.captures)?,
            PartEntry::commit(file(&SITE_FILES), self.site_files)?,
        ])
    }
}

/// Whether rows are to be written, which depends on the rows alone.
fn is_slice(rows: &Rows, most_rows: usize) -> bool {
    rows.row_count() >= most_rows || rows.byte_count() >= SLICE_BYTES
}
