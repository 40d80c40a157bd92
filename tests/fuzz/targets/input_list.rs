//! A list of inputs, plain or packed: never more inputs than lines, none outside the base that a list may not leave.

#![no_main]

use crawlprefs::job::{Named, discover};
use crawlprefs::store::Places;
use fuzzing::with_file;
use libfuzzer_sys::fuzz_target;
use std::path::Path;

fuzz_target!(|list: &[u8]| {
    with_file(list, |file| {
        let (lists, places) = ([file.to_string_lossy().into_owned()], Places::default());
        for base in [None, Some(Path::new("/base"))] {
            let named = Named {
                inputs: &[],
                lists: &lists,
                base,
                stdin_name: None,
                places: &places,
            };
            let Ok(found) = discover(&named) else {
                continue;
            };
            assert!(!found.inputs.is_empty());
            if !list.starts_with(b"\x1f\x8b") {
                assert!(found.inputs.len() <= list.split(|byte| *byte == b'\n').count());
            }
            for input in &found.inputs {
                assert!(
                    !input.source.location().contains('\n') && !input.name.filename().is_empty()
                );
            }
        }
    });
});
