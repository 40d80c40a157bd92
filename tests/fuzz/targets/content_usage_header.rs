//! The field `Content-Usage`, each line of the input one of its lines.

#![no_main]

use crawlprefs::systems::aipref_attach::header_statement;
use crawlprefs::systems::aipref_vocab::VocabularyStatement;
use crawlprefs::systems::path_rules::split_path;
use crawlprefs::systems::structured_field::field_value;
use fuzzing::viewpoint;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let vocabulary = viewpoint().vocabulary;
    let lines: Vec<&[u8]> = input.split(|byte| *byte == b'\n').collect();
    let stated = header_statement(&lines, &vocabulary).expect("a line at least");
    // Dictionaries on lines of their own are one dictionary, unless a line is empty.
    let alone =
        |line: &&[u8]| header_statement(&[line], &vocabulary).is_some_and(|found| found.is_ok());
    let blank = |line: &&[u8]| line.iter().all(|byte| matches!(byte, b' ' | b'\t'));
    if lines.len() > 1 && lines.iter().all(alone) {
        assert_eq!(stated.is_ok(), !lines.iter().any(blank));
    }
    let value = field_value(&lines).expect("a line at least");
    assert_eq!(VocabularyStatement::parse(&value, &vocabulary), stated);
    for line in lines {
        let (path, rest) = split_path(line);
        assert!(path.is_none_or(|path| path.starts_with(b"/")));
        assert!(memchr::memmem::find(line, rest).is_some());
    }
});
