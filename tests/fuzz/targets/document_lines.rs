//! Documents as JSON lines and as a list of URLs, plain or packed: as many come out as went in, and no more are allowed than were
//! counted.

#![no_main]

use crawlprefs::judge::Policy;
use fuzzing::{TABLES, judged};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fn no_list(_: &str) -> Result<Vec<u8>, String> {
    Err("no file is read".to_owned())
}

fuzz_target!(|documents: &[u8]| {
    let policy = Policy::read("strict", &TABLES.resolver, None, &no_list).expect("a preset");
    let (tally, out) = judged(documents, None);
    if !tally.failed.is_empty() {
        return assert_eq!(tally.judged, 0);
    }
    let counts = &tally.counts;
    assert_eq!(
        counts.allow + counts.disallow + counts.unknown,
        counts.documents
    );
    // What is packed comes out packed, and Parquet as Parquet.
    if [&b"\x1f\x8b"[..], b"\x28\xb5\x2f\xfd", b"PAR1"]
        .iter()
        .any(|magic| documents.starts_with(magic))
    {
        return;
    }
    let lines: Vec<&[u8]> = out
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .collect();
    assert_eq!(lines.len() as u64, counts.documents);
    let access =
        |line: &[u8]| Some(serde_json::from_slice::<Value>(line).ok()?["prefs_access"].clone());
    let allowed = lines
        .iter()
        .filter_map(|line| access(line))
        .filter(|access| access == "allow")
        .count();
    assert!(allowed as u64 <= counts.allow);
    let (sorted, kept) = judged(documents, Some(policy));
    assert_eq!(
        (sorted.counts.documents, sorted.failed.len()),
        (counts.documents, 0)
    );
    assert!(kept.len() <= out.len());
});
