//! The head of a response: fields, folds, the place of the body.

#![no_main]

use crawlprefs::evidence::http_head::{HeadField, HeadEnd, HttpHead, MAX_VALUE_BYTES};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|block: &[u8]| {
    let Some(head) = HttpHead::parse(block) else {
        return;
    };
    let fields: Vec<HeadField<'_>> = head.fields().collect();
    for field in &fields {
        assert!(field.value.len() <= MAX_VALUE_BYTES && !field.name.contains(&b':'));
        if let Ok(name) = std::str::from_utf8(field.name) {
            let first = fields
                .iter()
                .find(|other| other.name.eq_ignore_ascii_case(field.name));
            assert_eq!(head.field(name), first.map(|first| first.value.clone()));
        }
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
