//! The head of a WARC record, held against a reading line by line.

#![no_main]

use crawlprefs::archive::{Head, HeadFields};
use fuzzing::read_archive;
use libfuzzer_sys::fuzz_target;

/// The fields of lines that have no folds: what is before and behind the first colon.
fn slowly(lines: &[u8]) -> Vec<(&[u8], &[u8])> {
    let lines = lines.split(|byte| *byte == b'\n');
    let split = |line: &'_ [u8]| line.iter().position(|byte| *byte == b':');
    lines
        .filter_map(|line| Some((line, split(line)?)))
        .map(|(line, colon)| (line[..colon].trim_ascii(), line[colon + 1..].trim_ascii()))
        .collect()
}

fuzz_target!(|lines: &[u8]| {
    let head = [b"WARC/1.0\r\n", lines, b"\r\n\r\n"].concat();
    read_archive(&head, &mut |_| {});
    let mut places = HeadFields::default();
    places.read(&head);
    let read = Head::new(&head, &places);
    let fields: Vec<_> = read.fields().collect();
    for (name, value) in &fields {
        let first = fields
            .iter()
            .find(|(other, _)| other.eq_ignore_ascii_case(name));
        assert_eq!(read.field(name), first.map(|(_, value)| *value));
        assert!(value.trim_ascii() == *value && !value.contains(&b'\n'));
    }
    let plain = !lines
        .split(|byte| *byte == b'\n')
        .any(|line| line.first().is_none_or(u8::is_ascii_whitespace));
    if plain {
        assert_eq!(fields, slowly(lines));
    }
});
