//! The one call into the C library libdeflate, and the only unsafe code of the crate.
//!
//! libdeflate inflates a whole gzip member at once into memory and checks its CRC. This module exists because the safe wrapper
//! crate does not say how much input a member took, which a reader of a file of many members must know.

#![allow(unsafe_code)]

use super::part_text::PartBytes;
use std::ptr::NonNull;

/// The result of one attempt to inflate a gzip member.
pub enum Inflated {
    /// The member is whole and its CRC and length are right.
    Whole(PartBytes),
    TooSmall,
    /// The input is damaged, or it is the start of a longer member.
    Bad,
}

pub struct Inflater {
    decompressor: NonNull<libdeflate_sys::libdeflate_decompressor>,
}

// SAFETY: a decompressor is plain memory without ties to a thread, and each use takes `&mut self`: no two threads share it.
unsafe impl Send for Inflater {}

impl Inflater {
    /// Allocates a decompressor.
    ///
    /// # Panics
    /// If there is no memory for it (a few KiB), as the standard collections do.
    pub fn new() -> Self {
        // SAFETY: the call takes no arguments; null, its only failure, is checked.
        let decompressor = NonNull::new(unsafe { libdeflate_sys::libdeflate_alloc_decompressor() });
        Self {
            decompressor: decompressor.expect("memory for a decompressor"),
        }
    }

    /// Inflates the gzip member at the start of `input` into `output`.
    pub fn inflate(&mut self, input: &[u8], output: &mut [u8]) -> Inflated {
        let mut part = PartBytes { source: 0, text: 0 };
        // SAFETY: the decompressor lives as long as `self`; both pointers come with the lengths of their slices, and the
        // library reads and writes only within them; the two counters are written before the call returns and are not kept.
        let result = unsafe {
            libdeflate_sys::libdeflate_gzip_decompress_ex(
                self.decompressor.as_ptr(),
                input.as_ptr().cast(),
                input.len(),
                output.as_mut_ptr().cast(),
                output.len(),
                &raw mut part.source,
                &raw mut part.text,
            )
        };
        match result {
            libdeflate_sys::libdeflate_result_LIBDEFLATE_SUCCESS => Inflated::Whole(part),
            libdeflate_sys::libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE => Inflated::TooSmall,
            _ => Inflated::Bad,
        }
    }
}

impl Drop for Inflater {
    fn drop(&mut self) {
        // SAFETY: the pointer came from `libdeflate_alloc_decompressor` and is freed once, here.
        unsafe { libdeflate_sys::libdeflate_free_decompressor(self.decompressor.as_ptr()) }
    }
}
