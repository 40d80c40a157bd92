//! Files of a folder do not import each other in a circle, as `a.rs` with `use super::b` and `b.rs`
//! with `use super::a` would.
//!
//! A subfolder counts as one file. What a file takes from its own `mod.rs` is not counted.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{Source, sources};

/// The files of a folder, each with the files of that folder that it imports.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// Returns the imports between files of one folder, by folder.
fn imports(sources: &[Source]) -> BTreeMap<Vec<String>, Imports> {
    let modules: BTreeSet<&[String]> = sources.iter().map(|source| &*source.module).collect();
    let mut folders = BTreeMap::<Vec<String>, Imports>::new();
    for source in sources
        .iter()
        .filter(|source| !source.module.iter().any(|name| name == "tests"))
    {
        for named in source.named_paths() {
            let shared = named
                .iter()
                .zip(&source.module)
                .take_while(|(one, other)| one == other)
                .count();
            let (Some(from), Some(to)) = (source.module.get(shared), named.get(shared)) else {
                continue;
            };
            if shared > 0 && modules.contains(&named[..=shared]) {
                let folder = folders.entry(named[..shared].to_vec()).or_default();
                folder.entry(from.clone()).or_default().insert(to.clone());
            }
        }
    }
    folders
}

/// Returns the files that a file imports, directly or not.
fn reached<'a>(imports: &'a Imports, from: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut next = vec![from.to_owned()];
    while let Some(file) = next.pop() {
        let direct = imports.get(&file).into_iter().flatten();
        next.extend(direct.filter(|file| reached.insert(file.as_str())).cloned());
    }
    reached
}

/// Returns the files that are in one circle with this one.
fn circle<'a>(imports: &'a Imports, file: &str) -> Vec<&'a str> {
    let others = reached(imports, file);
    others
        .into_iter()
        .filter(|other| reached(imports, other).contains(file))
        .collect()
}

/// Returns a line for each circle, sorted.
fn circles(sources: &[Source]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (folder, imports) in imports(sources) {
        let circles = imports.keys().map(|file| circle(&imports, file));
        let lines = circles.filter(|files| !files.is_empty());
        found.extend(lines.map(|files| format!("{}: {}", folder.join("/"), files.join(" "))));
    }
    found
}

#[test]
fn local_files_of_a_folder_import_each_other_in_no_circle() {
    assert_eq!(circles(&sources()), BTreeSet::new());
}

#[test]
fn local_a_circle_of_three_files_is_found() {
    let source = |module: &str, text: &str| Source {
        path: module.into(),
        module: module.split('/').map(str::to_owned).collect(),
        text: text.to_owned(),
    };
    let sources = [
        source("web/a", "use super::b::B;"),
        source("web/b/inner", "use crate::web::{c, d};"),
        source("web/b", ""),
        source("web/c", "fn c() { super::a::a() }"),
        source("web/d", "use super::D; use crate::error::Error;"),
        source("web", "pub use a::A;"),
    ];
    assert_eq!(
        circles(&sources).into_iter().collect::<Vec<_>>(),
        ["web: a b c"]
    );
}
