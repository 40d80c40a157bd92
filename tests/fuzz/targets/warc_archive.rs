//! A whole archive, plain or gzipped, and the evidence of each of its records.

#![no_main]

use crawlprefs::evidence::{Depth, Reading, RecordReader};
use flate2::{Compression, write::GzEncoder};
use fuzzing::read_archive;
use libfuzzer_sys::fuzz_target;
use std::io::Write;

fn read(archive: &[u8]) {
    let mut reader = RecordReader::new(Depth::Full);
    read_archive(archive, &mut |record| {
        assert!(record.block.len() as u64 <= record.block_bytes);
        assert!(!record.block_is_whole || record.block.len() as u64 == record.block_bytes);
        if let Reading::Capture(evidence) = reader.read(record, None) {
            assert!(evidence.payload_bytes <= record.block_bytes);
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
