//! The value of a `Content-Type` field.

#![no_main]

use crawlprefs::web::media_type::{essence, is_html};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|value: &[u8]| {
    let Some(essence_of_value) = essence(value) else {
        return assert!(!is_html(value));
    };
    assert_eq!(
        essence(essence_of_value.as_bytes()).as_ref(),
        Some(&essence_of_value)
    );
    assert_eq!(
        essence(&[value, b"; charset=utf-8"].concat()).as_ref(),
        Some(&essence_of_value)
    );
    assert_eq!(is_html(essence_of_value.as_bytes()), is_html(value));
});
