//! Jobs run for tests.

use crate::memory::Memory;
use crate::warc::response;
use crawlprefs::archive::{ArchiveName, ArchiveSource, FileSource, Input};
use crawlprefs::job::{ScanOptions, Silent, Summary, scan};
use crawlprefs::store::FolderStore;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Returns the archives of `sample-data`, named as the command names them.
pub fn sample() -> Vec<Input> {
    let mut paths = Vec::new();
    walk(Path::new("sample-data"), &mut paths);
    let name = |path: &Path| {
        path.strip_prefix("sample-data")
            .expect("below it")
            .to_string_lossy()
            .into_owned()
    };
    paths
        .iter()
        .map(|path| input(&name(path), Arc::new(FileSource::new(path.clone()))))
        .collect()
}

fn walk(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("sample-data is in the repository") {
        let path = entry.expect("a folder can be read").path();
        let name = path.to_string_lossy().into_owned();
        if path.is_dir() {
            walk(&path, paths);
        } else if name.ends_with(".warc") || name.ends_with(".warc.gz") {
            paths.push(path);
        }
    }
}

/// Returns an input called `name`.
pub fn input(name: &str, source: Arc<dyn ArchiveSource>) -> Input {
    Input {
        name: ArchiveName::new(name),
        source,
    }
}

/// Returns an archive in memory, called `name`.
pub fn archive(name: &str, bytes: Vec<u8>) -> Input {
    input(name, Arc::new(Memory(bytes)))
}

/// Returns a plain archive of `count` captures whose URLs hold `site`.
pub fn captures(site: &str, count: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in 0..count {
        let path = if number % 3 == 0 {
            "robots.txt".to_owned()
        } else {
            format!("page/{number}")
        };
        let body = format!(
            "HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex\r\n\r\nUser-agent: {}\n",
            number % 7
        );
        let url = format!("https://{site}.example/{path}");
        bytes.extend(response(&url, "06:00:00", "", body.as_bytes()));
    }
    bytes
}

/// Runs a job into `out` with so many workers.
pub fn run(inputs: Vec<Input>, out: &Path, jobs: usize) -> Summary {
    scan(
        &options(inputs, jobs),
        &FolderStore::new(out.to_owned()),
        &Silent,
    )
    .expect("the job can run")
}

/// Returns the options for so many workers.
pub fn options(inputs: Vec<Input>, jobs: usize) -> ScanOptions {
    let mut options = ScanOptions::new(inputs);
    options.jobs = NonZeroUsize::new(jobs).expect("at least one");
    options
}
