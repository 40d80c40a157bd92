//! Whether a record found by searching belongs to the archive.
//!
//! After damage the next record has to be searched for, and a page may hold a forged one. Each
//! record of a crawl carries in `WARC-Warcinfo-ID` the random id of the archive's warcinfo record
//! (WARC 1.1, 5.13), which a web server cannot know while it is being crawled. So once an archive's
//! records are seen to carry it, a record that was searched for is believed only if it does too.
//!
//! Left out: archives whose records carry no such id; there the first record found is taken, and
//! the row in `failures` says that it was searched for.

use super::head::Head;
use memchr::memmem;

/// What is known of an archive's warcinfo record.
#[derive(Default)]
pub struct Warcinfo {
    id: Vec<u8>,
    carried: bool,
}

impl Warcinfo {
    /// Takes notice of a record that stood where a record should.
    pub fn see(&mut self, head: &Head<'_>) {
        if head.is_type(b"warcinfo") {
            self.id = head.field(b"warc-record-id").unwrap_or_default().to_vec();
            self.carried = false;
        } else if !self.carried && !self.id.is_empty() {
            self.carried = head.field(b"warc-warcinfo-id") == Some(self.id.as_slice());
        }
    }

    /// Returns whether the archive's records carry the id, so that a forged one can be recognised.
    #[must_use]
    pub fn is_carried(&self) -> bool {
        self.carried
    }

    /// Returns whether `text`, found by searching, starts with the head of a record of this archive.
    #[must_use]
    pub fn may_be_ours(&self, text: &[u8]) -> bool {
        if !starts_like_a_record(text) {
            return false;
        }
        let head = text.get(..head_end(text)).unwrap_or_default();
        !self.carried || memmem::find(head, &self.id).is_some()
    }
}

/// Returns whether text begins with the version line of a record.
#[must_use]
pub fn starts_like_a_record(text: &[u8]) -> bool {
    match text.strip_prefix(b"WARC/") {
        Some([major, b'.', minor, ..]) => major.is_ascii_digit() && minor.is_ascii_digit(),
        Some(_) | None => false,
    }
}

/// Returns where the head that starts `text` ends, or the length of the text.
fn head_end(text: &[u8]) -> usize {
    super::head::end_of_head(text, 0).unwrap_or(text.len())
}
