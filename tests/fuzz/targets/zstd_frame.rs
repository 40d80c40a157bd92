//! A zstd frame, or a skippable one, between two good ones.

#![no_main]

use fuzzing::read_archive;
use libfuzzer_sys::fuzz_target;

/// A frame that is stored raw: magic, a header of one segment and one byte of size, a last raw block.
const GOOD: &[u8] =
    b"\x28\xb5\x2f\xfd\x20\x3c\xe1\x01\x00WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 4\r\n\r\ngood\r\n\r\n";

fuzz_target!(|frame: &[u8]| {
    let archive = [GOOD, frame, GOOD].concat();
    let mut first = None;
    read_archive(&archive, &mut |record| {
        first.get_or_insert_with(|| (record.place.offset, record.block == b"good"));
        assert!(record.place.offset + record.place.length.unwrap_or(0) <= archive.len() as u64);
    });
    assert_eq!(first, Some((0, true)));
});
