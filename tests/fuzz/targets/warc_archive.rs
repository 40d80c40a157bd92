//! A whole archive of any format, and the evidence of each of its records.

#![no_main]

use crawlprefs::archive::Format;
use crawlprefs::evidence::{Depth, Reading, RecordReader};
use flate2::{Compression, write::GzEncoder};
use fuzzing::read_archive;
use libfuzzer_sys::fuzz_target;
use std::io::Write;

fn read(archive: &[u8]) {
    let mut reader = RecordReader::new(Depth::Full);
    read_archive(archive, &mut |record| {
        // The block of a record that a WAT describes is what the WAT has of it.
        if record.format != Format::Wat {
            assert!(record.block.len() as u64 <= record.length);
            assert!(!record.block_is_whole || record.block.len() as u64 == record.length);
        }
        if let Reading::Capture(evidence) = reader.read(record, None) {
            assert!(evidence.payload_bytes <= record.length);
            assert!(!evidence.target.as_str().contains('\0'));
        }
    });
}

fuzz_target!(|archive: &[u8]| {
    read(archive);
    if archive.starts_with(b"WARC/") {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        let member = encoder.write_all(archive).and_then(|()| encoder.finish());
        read(&member.expect("a Vec can be written"));
    }
});
