//! The head of a response: fields, folds, the place of the body.

#![no_main]

use crawlprefs::evidence::http_head::{HeadEnd, HeadField, HttpHead, MAX_VALUE_BYTES};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|block: &[u8]| {
    let Some(head) = HttpHead::parse(block) else {
        return;
    };
    let fields: Vec<HeadField<'_>> = head.fields().collect();
    for field in &fields {
        assert!(field.value.len() <= MAX_VALUE_BYTES && !field.name.contains(&b':'));
    }
    assert!(
        head.status
            .is_none_or(|status| (100..1000).contains(&status))
    );
    match head.end {
        // What follows the empty line says nothing of the head.
        HeadEnd::BlankLine => {
            let alone = HttpHead::parse(&block[..head.body_start]).expect("it is there");
            assert_eq!(alone.body_start, head.body_start);
            assert!(alone.fields().eq(fields));
        }
        HeadEnd::Missing => assert_eq!(head.body_start, block.len()),
    }
});
