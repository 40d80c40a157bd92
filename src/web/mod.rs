//! Shared basics: URLs, origins, host names, times, media types.
//!
//! Input: header values of archive records, as bytes, for example `WARC-Target-URI: https://www.example.org/a?b` and
//! `WARC-Date: 2024-05-18T01:58:10Z`. Left out: fetching, resolving names, reading files; nothing here does I/O.

use std::borrow::Cow;

pub mod body_mark;
pub mod body_text;
pub mod capture_kind;
pub mod column;
pub mod field;
pub mod foreign_file;
pub mod host;
pub mod interval;
pub(crate) mod known_names;
pub mod lines;
pub mod media_type;
pub(crate) mod names;
pub mod nearest;
pub mod origin;
pub mod path_pattern;
pub mod path_readings;
pub(crate) mod pattern_index;
pub mod preference;
pub mod product_token;
pub mod shown;
pub mod steps;
pub mod suffix_list;
pub mod timestamp;
pub mod url;
pub mod url_key;
pub(crate) mod vectorised;

fn in_lower_case(text: &str) -> Cow<'_, str> {
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(text.to_ascii_lowercase())
    } else {
        Cow::Borrowed(text)
    }
}

/// Returns a number, or the greatest one: there are fewer of anything than that.
pub(crate) fn u32_of(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
