//! Documents in Parquet: one whose bytes are damaged fails, and nothing else happens.

#![no_main]

use fuzzing::judged;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|documents: &[u8]| {
    // A panic of the packages that decode it is caught, and becomes the fault of the file.
    #[cfg(fuzzing)]
    std::panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
    let whole = [documents, b"PAR1"].concat();
    for documents in [documents, &whole] {
        let (tally, out) = judged(documents, None);
        assert_eq!(tally.judged + tally.failed.len(), 1);
        assert!(tally.judged == 0 || !out.is_empty() || tally.counts.documents == 0);
    }
});
