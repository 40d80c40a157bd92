//! Whether a record found by searching belongs to the archive.
//!
//! After damage the next record has to be searched for, and a page may hold a forged one. Each
//! record of a crawl carries in `WARC-Warcinfo-ID` the random id of the archive's warcinfo record
//! (WARC 1.1, 5.13), which a web server cannot know while it is being crawled. So once an archive's
//! records are seen to carry it, a record that was searched for is believed only if it does too.
//!
//! Left out: archives whose records carry no such id; there the first record found is taken, and
//! the row in `failures` says that it was searched for.

use super::arc;
use super::head::Head;
use memchr::memmem;

/// How the records of an archive are framed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// A version line, fields, an empty line, the block.
    #[default]
    Warc,
    /// A line, the block.
    Arc,
}

/// What is known of an archive's warcinfo record.
#[derive(Default)]
pub struct Warcinfo {
    id: Vec<u8>,
    carried: bool,
    framing: Framing,
}

impl Warcinfo {
    /// Returns what is known before the first record.
    #[must_use]
    pub fn new(framing: Framing) -> Self {
        Self { framing, ..Self::default() }
    }

    /// Returns how the archive's records are framed.
    #[must_use]
    pub fn framing(&self) -> Framing {
        self.framing
    }

    /// Returns whether text begins as a record of the archive does, its random id aside.
    #[must_use]
    pub fn starts_record(&self, text: &[u8]) -> bool {
        match self.framing {
            Framing::Warc => starts_like_a_record(text),
            Framing::Arc => arc::starts_like_a_record(text),
        }
    }

    /// Takes notice of a record that stood where a record should.
    pub fn see(&mut self, head: &Head<'_>) {
        if head.is_type(b"warcinfo") {
            self.id = head.field(b"warc-record-id").unwrap_or_default().to_vec();
            self.carried = false;
        } else if !self.carried && !self.id.is_empty() {
            self.carried = head.field(b"warc-warcinfo-id") == Some(self.id.as_slice());
        }
    }

    /// Returns the id, if the archive's records carry it.
    #[must_use]
    pub fn carried_id(&self) -> Option<&[u8]> {
        self.carried.then_some(self.id.as_slice())
    }

    /// Returns whether the archive's records carry the id, so that a forged one can be recognised.
    #[must_use]
    pub fn is_carried(&self) -> bool {
        self.carried
    }

    /// Returns whether `text`, found by searching, starts with the head of a record of this archive.
    #[must_use]
    pub fn may_be_ours(&self, text: &[u8]) -> bool {
        if !self.starts_record(text) {
            return false;
        }
        let head = text.get(..head_end(text)).unwrap_or_default();
        !self.carried || memmem::find(head, &self.id).is_some()
    }
}

/// Returns whether text begins with the version line of a record.
#[must_use]
pub fn starts_like_a_record(text: &[u8]) -> bool {
    let (name, version) = text.split_at_checked(5).unwrap_or_default();
    let dotted = |version: &[u8]| matches!(version, [b'0'..=b'9', b'.', b'0'..=b'9', ..]);
    name.eq_ignore_ascii_case(b"WARC/") && dotted(version)
}

/// Returns where the head that starts `text` ends, or the length of the text.
fn head_end(text: &[u8]) -> usize {
    super::head::end_of_head(text, 0).unwrap_or(text.len())
}
