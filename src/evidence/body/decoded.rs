//! The result of decoding a body, and how its stream ended.
//!
//! Example: a cut gzip stream gives its first bytes, and `Short`. Left out: what that means for the payload (`mod.rs`).

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// At its declared end.
    Complete,
    /// Too early.
    Short,
    Damaged,
    /// Not before the limit.
    Longer,
}

#[derive(Debug)]
pub(super) struct Decoded {
    pub(super) bytes: Vec<u8>,
    pub(super) ending: Ending,
}

impl Decoded {
    /// Returns whether there is output, or the correct output is empty.
    pub(super) fn is_usable(&self) -> bool {
        match self.ending {
            Ending::Complete | Ending::Longer => true,
            Ending::Short | Ending::Damaged => !self.bytes.is_empty(),
        }
    }

    /// Returns this result as the content of `outer`: if the outer stream is incomplete, so is this.
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
