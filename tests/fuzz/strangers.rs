//! What a stranger sends: evidence, tables, a site index, and documents that were judged, with one file of JSON changed.

use super::{archive, files_options, judge_options, viewpoint, with_folder};
use crawlprefs::job::{ResolveOptions, ScanOptions, Silent, resolve, scan};
use crawlprefs::judge::Judge;
use crawlprefs::judge::files::{DocumentsFile, OutputFolder, Outputs, judge_files};
use crawlprefs::runs::Existing;
use crawlprefs::sites::{IfIncomplete, IndexInput, IndexOptions, OldParts, index};
use crawlprefs::store::FolderStore;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, LazyLock};

/// The files that were sent, by their names.
static SENT: LazyLock<BTreeMap<String, Vec<u8>>> = LazyLock::new(|| {
    let mut sent = BTreeMap::new();
    with_folder(|folder| {
        make(folder);
        add(folder, "", &mut sent);
    });
    sent
});

/// Makes `evidence`, `tables`, `index`, and `kept` with what is known of it beside it.
fn make(folder: &Path) {
    let store = |name: &str| FolderStore::new(folder.join(name));
    let (evidence, tables) = (store("evidence"), store("tables"));
    scan(&ScanOptions::new(vec![archive()]), &evidence, &Silent).expect("evidence");
    resolve(
        &[&evidence],
        &tables,
        &ResolveOptions::new(viewpoint()),
        &Silent,
    )
    .expect("tables");
    let input = IndexInput::open(Arc::new(store("evidence"))).expect("evidence");
    index(
        vec![input],
        &(Arc::new(store("index")) as _),
        &index_options(),
        &|_| true,
    )
    .expect("an index");
    let documents = folder.join("documents.jsonl");
    fs::write(&documents, "{\"url\":\"https://a.example/\"}\n").expect("documents");
    let evidence = vec![Arc::new(store("evidence")) as _];
    let judge = Judge::open(Arc::new(tables), evidence, judge_options()).expect("tables");
    let (kept, about) = (store("kept"), store("_kept.judge"));
    let outputs = Outputs::Folder(
        OutputFolder {
            documents: &kept,
            about: &about,
        },
        None,
    );
    let files = [DocumentsFile {
        name: "documents.jsonl".to_owned(),
        path: documents,
    }];
    judge_files(&judge, &files, &outputs, &files_options(None)).expect("documents");
}

pub fn index_options() -> IndexOptions {
    IndexOptions {
        segments: Vec::new(),
        without: Vec::new(),
        existing: Existing::Continue,
        old_parts: OldParts::Remove,
        incomplete: IfIncomplete::Use,
        jobs: NonZeroUsize::MIN,
        memory_bytes: 64 << 20,
    }
}

fn add(folder: &Path, below: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = format!(
            "{below}{}",
            path.file_name().unwrap_or_default().to_string_lossy()
        );
        if path.is_dir() {
            add(&path, &format!("{name}/"), files);
        } else {
            files.insert(name, fs::read(&path).expect("a file"));
        }
    }
}

/// Calls a function with a folder `sent`, in which the file that begins with `name` is changed as an input says: by the input, if that
/// begins with a brace, else the value of which its first two bytes are the number is its rest. Outside of `out` and `_out.judge`, which
/// the function may write, nothing changes.
pub fn with_changed(name: &str, input: &[u8], call: impl FnOnce(&Path)) {
    let (name, content) = SENT
        .iter()
        .find(|(own, _)| own.starts_with(name) && own.ends_with(".json"))
        .expect(name);
    let changed = changed(content, input);
    with_folder(|folder| {
        for (own, content) in SENT.iter() {
            let path = folder.join("sent").join(own);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, if own == name { &changed } else { content }).expect("written");
        }
        let all = || {
            let mut files = BTreeMap::new();
            add(folder, "", &mut files);
            files.retain(|name, _| !name.starts_with("out/") && !name.starts_with("_out.judge/"));
            files
        };
        let before = all();
        call(folder);
        assert_eq!(all(), before, "files outside of the output");
    });
}

fn changed(content: &[u8], input: &[u8]) -> Vec<u8> {
    if input.first().is_none_or(|first| *first == b'{') {
        return input.to_vec();
    }
    let (number, rest) = input.split_at_checked(2).unwrap_or((input, b""));
    let number = number
        .iter()
        .fold(0, |number, byte| number * 256 + usize::from(*byte));
    let text = || Value::from(String::from_utf8_lossy(rest));
    let mut json: Value = serde_json::from_slice(content).expect("JSON");
    let count = count_of(&json);
    if let Some(value) = nth(&mut json, &mut (number % count.max(1))) {
        *value = serde_json::from_slice(rest).unwrap_or_else(|_| text());
    }
    json.to_string().into_bytes()
}

/// Returns how many values a value has that hold no others.
fn count_of(value: &Value) -> usize {
    match value {
        Value::Array(values) => values.iter().map(count_of).sum(),
        Value::Object(members) => members.values().map(count_of).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}

fn nth<'v>(value: &'v mut Value, left: &mut usize) -> Option<&'v mut Value> {
    match value {
        Value::Array(values) => values.iter_mut().find_map(|value| nth(value, left)),
        Value::Object(members) => members.values_mut().find_map(|value| nth(value, left)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) if *left == 0 => {
            Some(value)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            *left -= 1;
            None
        }
    }
}
