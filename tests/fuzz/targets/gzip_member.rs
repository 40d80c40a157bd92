//! A gzip member between two good ones, its header and data as they come.

#![no_main]

use flate2::{Compression, write::GzEncoder};
use fuzzing::read_archive;
use libfuzzer_sys::fuzz_target;
use std::io::Write;
use std::sync::LazyLock;

const RECORD: &[u8] = b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 4\r\n\r\ngood\r\n\r\n";
static MEMBER: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder
        .write_all(RECORD)
        .and_then(|()| encoder.finish())
        .expect("a Vec can be written")
});

fuzz_target!(|member: &[u8]| {
    let archive = [MEMBER.as_slice(), member, &MEMBER].concat();
    let mut first = None;
    read_archive(&archive, &mut |record| {
        first.get_or_insert_with(|| (record.place.offset, record.block == b"good"));
        assert!(record.place.offset < archive.len() as u64);
        assert!(record.place.offset + record.place.length.unwrap_or(0) <= archive.len() as u64);
    });
    assert_eq!(first, Some((0, true)));
});
