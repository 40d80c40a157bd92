//! A scan of any bytes as an archive, also a WACZ: records read = captures + records of no interest + records lost.

#![no_main]

use fuzzing::scanned;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|archive: &[u8]| {
    let summary = scanned(archive);
    assert!(summary.panicked.is_empty(), "{:?}", summary.panicked);
    let captures: u64 = summary.captures.values().sum();
    assert_eq!(
        summary.records,
        captures + summary.no_interest + summary.records_lost,
        "{summary:?}"
    );
});
