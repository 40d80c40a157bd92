//! Times, which are written so that they are read as the same.

#![no_main]

use crawlprefs::web::timestamp::Timestamp;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|field: &[u8]| {
    let micros = field
        .first_chunk()
        .map_or(0, |bytes| i64::from_le_bytes(*bytes));
    for time in [Timestamp::new(field), Timestamp::from_unix_micros(micros)]
        .into_iter()
        .flatten()
    {
        let text = time.to_string();
        assert_eq!(Timestamp::new(text.as_bytes()), Some(time), "{text}");
        assert_eq!(Timestamp::from_unix_micros(time.unix_micros()), Some(time));
    }
});
