//! Every seed of every fuzz target once, without a fuzzer: what a target asserts holds for them.
//!
//! `tests/fuzz/run` fuzzes. The seeds that it makes from the test vectors are replayed, too, where `CRAWLPREFS_FUZZ_SEEDS`
//! names the folder into which `seeds.py` wrote them.

// A target is a crate of its own for the fuzzer, and a module here.
#![allow(unused_attributes)]

// What targets import.
extern crate self as fuzzing;
extern crate self as libfuzzer_sys;

#[path = "fuzzing.rs"]
mod shared;

pub use shared::*;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

mod fuzzer {
    /// Makes the body of a target a function of its module.
    macro_rules! fuzz_target {
        (|$input:ident: &[u8]| $body:block) => {
            pub fn target($input: &[u8]) $body
        };
        (|$input:ident: &str| $body:block) => {
            pub fn target(input: &[u8]) {
                let $input = crate::text(input);
                $body
            }
        };
    }
    pub(crate) use fuzz_target;
}
pub(crate) use fuzzer::fuzz_target;

macro_rules! targets {
    ($($name:ident)*) => {
        mod targets {
            $(pub mod $name;)*
        }
        const TARGETS: &[&str] = &[$(stringify!($name)),*];
        /// One test for each target.
        mod local_what_is_fuzzed_holds_for_every_seed {
            $(#[test]
            fn $name() {
                super::replay(stringify!($name), super::targets::$name::target);
            })*
        }
    };
}

targets! {
    agents_table ai_training aipref_statement app_directives arc_archive archive_name archive_rows archive_scan body
    content_signal content_usage_header document_lines document_parquet evidence_manifest explain_scenario gzip_member
    html_head http_head index_manifest input_list judged_folder keep_policy media_type package path_pattern policies
    product_token record_head resolved_tables robots_tag robots_txt site_rows statements sup timestamp url
    user_vocabulary warc_archive wat_record zstd_frame
}

/// Returns an input up to its first byte that is not UTF-8, as the fuzzer gives it to a target that takes text.
fn text(input: &[u8]) -> &str {
    input.utf8_chunks().next().map_or("", |chunk| chunk.valid())
}

/// Returns the files of a folder in order, or none if there is no such folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths
}

/// Gives a target nothing, its seeds, and those that were made from the test vectors.
fn replay(name: &str, target: fn(&[u8])) {
    target(b"");
    let mut seeds = files(&Path::new("tests/fuzz/seeds").join(name));
    if let Some(made) = std::env::var_os("CRAWLPREFS_FUZZ_SEEDS") {
        seeds.extend(files(&Path::new(&made).join(name).join("seeds")));
    }
    for seed in &seeds {
        println!("{}", seed.display());
        target(&fs::read(seed).expect("a seed"));
    }
}

#[test]
fn local_every_target_of_the_folder_is_replayed() {
    let folder = files(Path::new("tests/fuzz/targets"));
    let stem = |path: &PathBuf| {
        path.file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned()
    };
    let names: BTreeSet<String> = folder.iter().map(stem).collect();
    assert_eq!(
        names,
        TARGETS.iter().map(|name| (*name).to_owned()).collect()
    );
    for seeds in files(Path::new("tests/fuzz/seeds")) {
        assert!(
            names.contains(&stem(&seeds)),
            "{} has seeds of no target",
            seeds.display()
        );
    }
}
