//! What is inflated again and in vain, and its limit.
//!
//! Example: gzip members that are nested in a damaged one, each of which reaches to its end. Left out: who inflates.

/// So much is inflated again: this and four times what lies behind.
const AGAIN_BYTES: u64 = 64 << 20;

/// What was inflated again and in vain: members may be nested in a damaged one, and each reach to its end.
#[derive(Default)]
pub struct Again {
    /// How far members were inflated in vain.
    to: u64,
    /// Bytes, of the source and of text, inflated in vain that lie before that.
    bytes: u64,
}

impl Again {
    /// Notes a member at `offset` that was inflated in vain; returns whether members inside of it may be tried.
    pub fn may_go_on(&mut self, offset: u64, compressed_bytes: usize, bytes: usize) -> bool {
        if offset < self.to {
            self.bytes = self.bytes.saturating_add((compressed_bytes + bytes) as u64);
        }
        self.to = self.to.max(offset.saturating_add(compressed_bytes as u64));
        self.bytes <= AGAIN_BYTES.saturating_add(offset.saturating_mul(4))
    }
}
