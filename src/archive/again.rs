//! Bytes that are inflated again without a result, and their limit.
//!
//! Example: gzip members that are nested in a damaged one and reach to its end.

/// The limit in bytes: this and four times the bytes of the source already passed.
const AGAIN_BYTES: u64 = 64 << 20;

/// Counts these bytes: members may be nested in a damaged one, and each may reach to its end.
#[derive(Default)]
pub struct Again {
    /// The furthest end of a member that was inflated without a result.
    to: u64,
    /// Bytes before `to`, of the source and of text, that were inflated without a result.
    bytes: u64,
}

impl Again {
    /// Notes a member at `offset` that was inflated without a result; returns whether members inside it may be tried.
    pub fn may_go_on(&mut self, offset: u64, compressed_bytes: usize, bytes: usize) -> bool {
        if offset < self.to {
            self.bytes = self.bytes.saturating_add((compressed_bytes + bytes) as u64);
        }
        self.to = self.to.max(offset.saturating_add(compressed_bytes as u64));
        self.bytes <= AGAIN_BYTES.saturating_add(offset.saturating_mul(4))
    }
}
