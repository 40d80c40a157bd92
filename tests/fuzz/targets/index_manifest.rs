//! The `_index.json` of somebody's site index: documents are judged by it, and it is merged, without a panic and without a file outside of
//! the output.

#![no_main]

use crawlprefs::job::TableOptions;
use crawlprefs::judge::{Document, Documents, Judge};
use crawlprefs::sites::{IndexInput, SiteLayers, index};
use crawlprefs::store::{FolderStore, Places};
use fuzzing::{index_options, judge_options, viewpoint, with_changed};
use libfuzzer_sys::fuzz_target;
use std::sync::Arc;

fuzz_target!(|input: &[u8]| {
    with_changed("index/_index.json", input, |folder| {
        let sent = folder.join("sent/index");
        if let Ok(layers) = SiteLayers::open(std::slice::from_ref(&sent), &Places::default()) {
            let _ = layers.archives();
            let made_for = TableOptions::new(viewpoint());
            if let Ok(judge) = Judge::open_index(layers, None, made_for, judge_options()) {
                let mut documents = Documents::default();
                for url in [&b"https://a.example/private/x"[..], b"https://b.example/"] {
                    documents.push(&Document {
                        url: Some(url),
                        ..Document::default()
                    });
                }
                let _ = judge.judge(&[documents]);
            }
        }
        if let Ok(input) = IndexInput::open(Arc::new(FolderStore::of_input(sent))) {
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
