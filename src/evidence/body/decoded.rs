//! What came of decoding a body, and how its stream ended.
//!
//! Example: a gzip stream that was cut gives its first bytes, and `Short`.
//! Left out: what that means for the payload (`mod.rs`).

/// How a stream of bytes ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// Where it says it ends.
    Complete,
    /// Too early.
    Short,
    /// At bytes that break the format.
    Damaged,
    /// Not before the limit.
    Longer,
}

/// What a decoder gave.
#[derive(Debug)]
pub(super) struct Decoded {
    pub(super) bytes: Vec<u8>,
    pub(super) ending: Ending,
}

impl Decoded {
    /// Returns whether anything came out, or rightly nothing did.
    pub(super) fn is_usable(&self) -> bool {
        match self.ending {
            Ending::Complete | Ending::Longer => true,
            Ending::Short | Ending::Damaged => !self.bytes.is_empty(),
        }
    }

    /// Returns what lay in `outer`, which has no other end where the outer one has none.
    pub(super) fn inside(mut self, outer: Option<&Self>) -> Self {
        if self.ending == Ending::Complete && outer.is_some_and(|outer| outer.ending != Ending::Complete) {
            self.ending = Ending::Short;
        }
        self
    }

    pub(super) fn cut_to(mut self, max_bytes: usize) -> Self {
        if self.bytes.len() > max_bytes {
            self.bytes.truncate(max_bytes);
            self.ending = Ending::Longer;
        }
        self
    }
}
