//! Records of an ARC behind its version block, and the evidence of each.

#![no_main]

use crawlprefs::archive::Format;
use crawlprefs::evidence::{Depth, Reading, RecordReader};
use fuzzing::read_archive;
use libfuzzer_sys::fuzz_target;

const INFO: &[u8] = b"filedesc://a.arc 0.0.0.0 20080430204825 text/plain 9\n1 0 Test\n\n";

fuzz_target!(|records: &[u8]| {
    let mut reader = RecordReader::new(Depth::Full);
    read_archive(&[INFO, records].concat(), &mut |record| {
        assert_eq!(record.format, Format::Arc);
        assert!(record.block.len() as u64 <= record.length);
        if let Reading::Capture(evidence) = reader.read(record, None) {
            assert!(evidence.payload_bytes <= record.length);
        }
    });
});
