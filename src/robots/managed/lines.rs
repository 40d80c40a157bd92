//! Lines of a robots.txt as vendors' texts are compared: in lower case, with one blank for white space.
//!
//! Example: `  Allow:\t/` is `allow: /`.
//! Left out: what the lines say.

use crate::web::lines::{numbered_lines, trim_blanks};
use memchr::{memchr, memmem};
use std::borrow::Cow;

/// A line of a file in lower case, with one blank for white space and none at its ends.
pub(super) struct ManagedLine<'f> {
    pub(super) number: u32,
    pub(super) text: Cow<'f, [u8]>,
    /// How many blocks are before it that are not among its lines: no text goes across one.
    pub(super) part: usize,
}

/// Returns the lines that count of a file in lower case: not blank ones, and not those that start with
/// `sitemap:`, which differ from site to site.
pub(super) fn normalised(file: &[u8]) -> Vec<ManagedLine<'_>> {
    let has_wide = memchr(b'\t', file).is_some() || memmem::find(file, b"  ").is_some();
    let lines = numbered_lines(file).filter_map(|(number, line)| {
        let line = trim_blanks(line);
        let text = if has_wide { with_single_blanks(line) } else { Cow::Borrowed(line) };
        let counts = !text.is_empty() && !text.starts_with(b"sitemap:");
        counts.then_some(ManagedLine { number, text, part: 0 })
    });
    lines.collect()
}

fn with_single_blanks(line: &[u8]) -> Cow<'_, [u8]> {
    if memchr(b'\t', line).is_none() && memmem::find(line, b"  ").is_none() {
        return Cow::Borrowed(line);
    }
    let words = line.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(&b' ').into()
}
