//! The `_judge.json` beside somebody's documents: what it names is not written, and its places and options make no reader panic.

#![no_main]

use crawlprefs::judge::files::{Judgement, find_judged};
use fuzzing::with_changed;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    with_changed("_kept.judge/_judge.json", input, |folder| {
        let kept = folder.join("sent/kept");
        for wanted in ["https://a.example/", "x"] {
            let _ = find_judged(&kept, wanted);
        }
        if let Ok((judgement, _)) = Judgement::read(&kept) {
            let _ = (
                judgement.times(),
                judgement.dropped_folder(),
                judgement.sample_prefix().map(str::len),
            );
        }
    });
});
