//! Whether a record found by searching belongs to the archive.
//!
//! After damage the next record has to be searched for, and a page may hold a forged one. Each record of a crawl carries in
//! `WARC-Warcinfo-ID` the random id of the archive's warcinfo record (WARC 1.1, 5.13), which a web server cannot know during
//! the crawl. So once an archive's records are seen to carry it, a record found by searching is believed only if it also
//! does. If damage comes before any record could show that, the records behind it are examined.
//!
//! Left out: archives whose records carry no such id; there the first record found is taken, and the row in `failures` says
//! that it was searched for.

use super::{Framing, Head, HeadFields, head::end_of_head};
use crate::web::steps;
use memchr::memmem;

/// How much of the source is searched for records that carry the archive's id.
pub const LOOK_AHEAD_BYTES: usize = 16 << 20;
/// The most bytes that are searched ahead, over all warcinfo records; after that no record is believed without an id.
const LOOKED_AT_BYTES: usize = 256 << 20;

/// The known facts about an archive's warcinfo record.
#[derive(Default)]
pub struct Warcinfo {
    id: Vec<u8>,
    carried: bool,
    /// Whether the text ahead was searched for this id.
    looked: bool,
    looked_at_bytes: usize,
    pub framing: Framing,
}

impl Warcinfo {
    pub fn new(framing: Framing) -> Self {
        Self {
            framing,
            ..Self::default()
        }
    }

    /// Notes a record that began where one is expected.
    pub fn see(&mut self, head: &[u8], fields: &HeadFields) {
        let head = Head::new(head, fields);
        if self.framing.is_line() {
            // It carries no id.
        } else if head.is_type(b"warcinfo") {
            self.id = head.field(b"warc-record-id").unwrap_or_default().to_vec();
            (self.carried, self.looked) = (false, false);
        } else if !self.carried && !self.id.is_empty() {
            self.carried = head.field(b"warc-warcinfo-id") == Some(self.id.as_slice());
        }
    }

    /// Returns the id, if the archive's records carry it.
    pub fn carried_id(&self) -> Option<&[u8]> {
        self.carried.then_some(self.id.as_slice())
    }

    /// Returns whether damage came before any record could show that they carry it.
    pub fn is_to_be_looked_for(&self) -> bool {
        !self.carried && !self.looked && !self.id.is_empty()
    }

    /// Searches the text ahead for a record that carries the id, which only the archive's writer knows.
    pub fn look_for_it(&mut self, text: &[u8]) {
        self.looked = true;
        self.looked_at_bytes = self.looked_at_bytes.saturating_add(text.len());
        steps::count(text.len());
        let in_field = |at| is_in_field(text.get(..at).unwrap_or_default());
        self.carried |= self.looked_at_bytes > LOOKED_AT_BYTES
            || memmem::find_iter(text, &self.id).any(in_field);
    }

    pub fn last_id_in(&self, text: &[u8]) -> Option<usize> {
        memmem::rfind(text, &self.id).filter(|_| !self.id.is_empty())
    }

    /// Returns whether `text`, found by searching, starts with the head of a record of this archive.
    pub fn may_be_ours(&self, text: &[u8]) -> bool {
        if !self.framing.starts_record(text) {
            return false;
        }
        let head = end_of_head(text, 0)
            .and_then(|end| text.get(..end))
            .unwrap_or(text);
        !self.carried || memmem::find(head, &self.id).is_some()
    }
}

/// Returns whether the text behind `before` is the value of a WARC-Warcinfo-ID.
fn is_in_field(before: &[u8]) -> bool {
    const NAME: &[u8] = b"warc-warcinfo-id";
    let near = before
        .get(before.len().saturating_sub(64)..)
        .unwrap_or(before);
    let line = near
        .rsplit(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    line.get(..NAME.len())
        .is_some_and(|name| name.eq_ignore_ascii_case(NAME))
}
