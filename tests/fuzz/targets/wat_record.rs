//! The JSON of a WAT record behind a good one: it is given or is a failure, and its lines stay its own.

#![no_main]

use crawlprefs::archive::Format;
use crawlprefs::evidence::http_head::HttpHead;
use crawlprefs::evidence::{Depth, Reading, RecordReader};
use fuzzing::read_archive;
use libfuzzer_sys::fuzz_target;

const GOOD: &[u8] = br#"{"Envelope":{"WARC-Header-Metadata":{"WARC-Type":"request"}}}"#;

fn record(json: &[u8]) -> Vec<u8> {
    let head =
        "WARC/1.0\r\nWARC-Type: metadata\r\nContent-Type: application/json\r\nContent-Length: ";
    [
        head.as_bytes(),
        json.len().to_string().as_bytes(),
        b"\r\n\r\n",
        json,
        b"\r\n\r\n",
    ]
    .concat()
}

fuzz_target!(|json: &[u8]| {
    let mut reader = RecordReader::new(Depth::Full);
    read_archive(&[record(GOOD), record(json)].concat(), &mut |record| {
        assert_eq!(record.format, Format::Wat);
        let fields = HttpHead::parse(record.block).map_or(0, |head| head.fields().count());
        assert!(fields <= json.iter().filter(|byte| **byte == b'"').count());
        let _ = matches!(reader.read(record, None), Reading::Capture(_));
    });
});
