//! What is measured: the archives of sample-data and, where it is given, a larger one.
//!
//! `CRAWLPREFS_BENCH_FILE=/data/page.warc.gz cargo bench` adds that file.

use std::fs;
use std::path::PathBuf;

/// An archive in memory.
pub struct File {
    /// What it is called in the figures.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Returns the archives to measure on.
pub fn files() -> Vec<File> {
    let segment = "sample-data/crawl-data/CC-MAIN-2026-34/segments/1786000000000.1";
    let file = "CC-MAIN-20260810060000-20260810090000-00001.warc.gz";
    let mut paths: Vec<(String, PathBuf)> = ["warc", "robotstxt"]
        .map(|subset| {
            (
                subset.to_owned(),
                PathBuf::from(format!("{segment}/{subset}/{file}")),
            )
        })
        .to_vec();
    if let Some(path) = std::env::var_os("CRAWLPREFS_BENCH_FILE") {
        paths.push(("given".to_owned(), path.into()));
    }
    let read = |(name, path): (String, PathBuf)| File {
        bytes: fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())),
        name,
    };
    paths.into_iter().map(read).collect()
}
