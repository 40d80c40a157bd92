//! A user's file of labels, which is read as the same when it is written anew.

#![no_main]

use crawlprefs::systems::aipref_vocab::{MAX_LABELS, Vocabulary};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    let vocabulary = match Vocabulary::from_lines("x", file) {
        Ok(vocabulary) => vocabulary,
        Err(error) => {
            let lines = file.iter().filter(|byte| **byte == b'\n').count() + 1;
            return assert!((1..=lines).contains(&(error.line as usize)), "{error}");
        }
    };
    let mut written = String::new();
    for (label, text) in vocabulary.labels() {
        assert_eq!(vocabulary.label(text), Some(label));
        assert!(
            std::iter::successors(Some(label), |at| vocabulary.parent(*at)).count() <= MAX_LABELS
        );
        let parent = vocabulary
            .parent(label)
            .and_then(|parent| vocabulary.text(parent));
        written.extend([text, " ", parent.unwrap_or_default(), "\n"]);
    }
    assert_eq!(
        Vocabulary::from_lines("x", written.as_bytes()),
        Ok(vocabulary)
    );
});
