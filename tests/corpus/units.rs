//! Units = sum of fates (RULES ACCT-1), over every record and site file of the corpora.

use crate::corpus;
use crate::files::files;
use crate::units_support::{assert_units_of_file, assert_units_of_record};
use crawlprefs::archive::{Archive, Event};
use crawlprefs::evidence::{Depth, Reading, RecordReader};
use crawlprefs::systems::Viewpoint;
use crawlprefs::web::capture_kind::CaptureKind;
use crawlprefs::web::field::Field;
use std::fs::{self, File};
use std::path::Path;

/// Returns how many records, site files and units an archive, or a folder's archives, have.
fn count(path: &Path, viewpoint: &Viewpoint) -> [u64; 3] {
    let mut counts = [0; 3];
    let mut add = |more: [u64; 3]| counts = std::array::from_fn(|at| counts[at] + more[at]);
    if path.is_dir() {
        for entry in fs::read_dir(path).expect("a folder") {
            add(count(&entry.expect("an entry").path(), viewpoint));
        }
        return counts;
    }
    let Ok(mut archive) =
        Archive::open(File::open(path).expect("a file")).expect("a file can be read")
    else {
        return counts;
    };
    let mut reader = RecordReader::new(Depth::Full);
    while let Some(event) = archive.next().expect("a file can be read") {
        let Event::Record(record) = event else {
            continue;
        };
        let Reading::Capture(capture) = reader.read(&record, None) else {
            continue;
        };
        let fields: Vec<Field<'_>> = capture.fields.iter().collect();
        add([1, 0, assert_units_of_record(&fields, viewpoint)]);
        if let Some(body) = capture.body.filter(|_| capture.kind != CaptureKind::Page) {
            add([
                0,
                1,
                assert_units_of_file(capture.kind, &body.bytes, viewpoint),
            ]);
        }
    }
    counts
}

#[test]
fn acct_1_units_are_the_sum_of_fates_over_all_corpora() {
    let viewpoint = Viewpoint::default();
    for (name, least) in [
        ("robots.warc.gz", [14_000, 14_000, 500_000]),
        ("warc", [1_500, 100, 5_000]),
        ("segment", [5_000, 1_000, 20_000]),
    ] {
        let Some(path) = corpus(name) else { continue };
        let counts = count(&path, &viewpoint);
        println!(
            "{name}: {} records, {} site files, {} units",
            counts[0], counts[1], counts[2]
        );
        assert!(
            counts
                .iter()
                .zip(least)
                .all(|(count, least)| *count >= least),
            "{name}: {counts:?}"
        );
    }
    let Some(folder) = corpus("ai-preferences") else {
        return;
    };
    for (file, kind) in files(&folder)
        .values()
        .flat_map(|file| CaptureKind::ALL.map(|kind| (file, kind)))
    {
        assert_units_of_file(kind, file, &viewpoint);
    }
}
