//! Reads archives and does nothing else: the floor below which no command can be.
//!
//! `cargo run --release --example read_only -- FILE...` prints, per file, records by type, damage
//! by kind and the bytes of the blocks. Compare its CPU time with `libdeflate-gunzip -c FILE`.

use crawlprefs::archive::{Archive, Event};
use std::collections::BTreeMap;
use std::fs::File;

fn main() {
    for path in std::env::args().skip(1) {
        match read(&path) {
            Ok(line) => println!("{path}\t{line}"),
            Err(error) => println!("{path}\t{error}"),
        }
    }
}

/// Reads one file and returns what it holds.
fn read(path: &str) -> std::io::Result<String> {
    let mut archive = match Archive::open(File::open(path)?)? {
        Ok(archive) => archive,
        Err(format) => return Ok(format!("not read: {}", format.as_str())),
    };
    let mut counts = BTreeMap::<String, u64>::new();
    let mut block_bytes = 0;
    while let Some(event) = archive.next()? {
        match event {
            Event::Record(record) => {
                block_bytes += record.block.len();
                let kind = record.type_name.unwrap_or(b"(none)");
                match counts.get_mut(&*String::from_utf8_lossy(kind)) {
                    Some(count) => *count += 1,
                    None => drop(counts.insert(String::from_utf8_lossy(kind).into_owned(), 1)),
                }
            }
            Event::Damage(damage) => {
                let lost = if damage.record_lost { "!" } else { "" };
                *counts
                    .entry(format!("{lost}{}", damage.kind.as_str()))
                    .or_default() += 1;
            }
        }
    }
    Ok(format!(
        "{} records {block_bytes} bytes {counts:?}",
        archive.records()
    ))
}
