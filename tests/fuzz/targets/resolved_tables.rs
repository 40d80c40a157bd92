//! The `_resolved.json` of somebody's tables: the folders and options that it names are read without a panic, and nothing is written.

#![no_main]

use crawlprefs::job::{Comparison, StatusOptions, status};
use crawlprefs::judge::{Document, Documents, Judge};
use crawlprefs::runs::evidence_of;
use crawlprefs::store::{FolderStore, Store};
use fuzzing::{judge_options, with_changed};
use libfuzzer_sys::fuzz_target;
use std::sync::Arc;

fuzz_target!(|input: &[u8]| {
    with_changed("tables/_resolved.json", input, |folder| {
        let tables: Arc<dyn Store> = Arc::new(FolderStore::of_input(folder.join("sent/tables")));
        if let Ok(evidence) = evidence_of(&tables, Vec::new()) {
            let evidence = evidence.iter().map(AsRef::as_ref).collect();
            let _ = status(&StatusOptions {
                tables: &*tables,
                evidence,
                list: None,
                comparison: Comparison::Lengths,
            });
        }
        let evidence: Arc<dyn Store> =
            Arc::new(FolderStore::of_input(folder.join("sent/evidence")));
        for given in [vec![evidence], Vec::new()] {
            let Ok(judge) = Judge::open(Arc::clone(&tables), given, judge_options()) else {
                continue;
            };
            let mut documents = Documents::default();
            documents.push(&Document {
                url: Some(b"https://a.example/private/x"),
                ..Document::default()
            });
            let _ = judge.judge(&[documents]);
        }
    });
});
