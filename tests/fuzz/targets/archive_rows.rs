//! The way from an archive to rows of evidence: what it costs in steps and bytes of rows.

#![no_main]

use crawlprefs::archive::ArchiveName;
use crawlprefs::evidence::{Depth, Reading, RecordReader};
use crawlprefs::tables::Rows;
use crawlprefs::tables::captures::{self, ArchiveNames, CAPTURES};
use crawlprefs::tables::site_files::{self, SITE_FILES, SiteFile};
use crawlprefs::web::steps;
use fuzzing::{assert_few, assert_units_of_file, assert_units_of_record, read_archive, viewpoint};
use libfuzzer_sys::fuzz_target;

/// The most bytes of one row: a body of 1 MiB, or fields of half as much, and the rest.
const ROW_BYTES: usize = 3 << 19;

fn read(archive: &[u8], name: &ArchiveName) {
    let names = ArchiveNames::new(name);
    let mut reader = RecordReader::new(Depth::Full);
    read_archive(archive, &mut |record| {
        let Reading::Capture(mut capture) = reader.read(record, None) else {
            return;
        };
        assert_units_of_record(&capture.fields.iter().collect::<Vec<_>>(), &viewpoint());
        let body = capture.body.take();
        let mut rows = Rows::new(&CAPTURES);
        captures::append(rows.row(), &names, &capture);
        captures::append_languages(rows.row_begun(), None);
        assert!(rows.byte_count() < ROW_BYTES);
        rows.finish().expect("cells fit");
        let Some(body) = body else { return };
        let kind = capture.kind.read_as();
        assert_units_of_file(kind, &body.bytes, &viewpoint());
        let site_file = SiteFile {
            digest: body.digest,
            kind,
            body: body.bytes.into_owned(),
        };
        let mut rows = Rows::new(&SITE_FILES);
        site_files::append(rows.row(), name.segment(), &site_file);
        assert!(rows.byte_count() < ROW_BYTES);
        rows.finish().expect("cells fit");
    });
}

fuzz_target!(|archive: &[u8]| {
    let name = ArchiveName::new("a.warc.gz");
    let (_, taken) = steps::counted(|| read(archive, &name));
    assert_few(taken, archive.len());
});
