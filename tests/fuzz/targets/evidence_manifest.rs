//! A manifest of somebody's evidence: whatever it says, nothing outside of an output is written, and no bytes of it make a job panic.

#![no_main]

use crawlprefs::job::{Comparison, ResolveOptions, Silent, StatusOptions, resolve, status};
use crawlprefs::sites::{IndexInput, index};
use crawlprefs::store::FolderStore;
use fuzzing::{index_options, viewpoint, with_changed};
use libfuzzer_sys::fuzz_target;
use std::sync::Arc;

fuzz_target!(|input: &[u8]| {
    with_changed("evidence/_manifest/", input, |folder| {
        let evidence = FolderStore::of_input(folder.join("sent/evidence"));
        let out = FolderStore::new(folder.join("out/tables"));
        let _ = resolve(
            &[&evidence],
            &out,
            &ResolveOptions::new(viewpoint()),
            &Silent,
        );
        let options = StatusOptions {
            tables: &out,
            evidence: vec![&evidence],
            list: None,
            comparison: Comparison::Lengths,
        };
        let _ = status(&options);
        if let Ok(input) = IndexInput::open(Arc::new(evidence)) {
            let out = FolderStore::new(folder.join("out/index"));
            let _ = index(
                vec![input],
                &(Arc::new(out) as _),
                &index_options(),
                &|_| true,
            );
        }
    });
});
