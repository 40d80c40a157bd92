//! How a zstd frame that was found by its magic begins.
//!
//! Example: `28 B5 2F FD ...`, whose first block inflates to `WARC/1.0`. Left out: which place is believed (`behind`).

use super::super::behind::{TRIAL_BYTES, Trial};
use super::super::part_text::HeldPart;
use super::super::warcinfo::Warcinfo;
use super::{MAGIC, ZstdText};
use crate::web::steps;
use std::io::Read;
use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

/// Inflates frames, and the beginnings of others, by the same dictionary.
pub struct FrameTrial {
    /// `None`: the dictionary cannot be used.
    pub decoder: Option<Decoder<'static>>,
    text: Vec<u8>,
}

impl FrameTrial {
    /// Returns a trial without a dictionary, with its buffers.
    pub fn new() -> Self {
        Self { decoder: Decoder::new().ok(), text: vec![0; TRIAL_BYTES] }
    }
}

impl Trial for FrameTrial {
    const PART: &'static str = "frame";
    const CODEC: &'static str = "zstd frame";
    const MAGIC: &'static [u8] = &MAGIC;
    /// Its header and a block, which gives no text before it has ended.
    const CANDIDATE_BYTES: usize = (128 << 10) + 32;
    /// Each may take a block of 128 KiB.
    const MOST_TRIED: usize = 1 << 16;

    fn head(&mut self, bytes: &[u8], _: &Warcinfo) -> Option<&[u8]> {
        let decoder = self.decoder.as_mut()?;
        let mut input = InBuffer::around(bytes.get(..Self::CANDIDATE_BYTES).unwrap_or(bytes));
        let mut output = OutBuffer::around(self.text.as_mut_slice());
        let is_read = decoder.reinit().is_ok() && decoder.run(&mut input, &mut output).is_ok();
        let count = output.pos();
        steps::count(input.pos() + count);
        self.text.get(..count).filter(|_| is_read)
    }
}

impl<R: Read> ZstdText<R> {
    /// Looks whether the current frame or those behind it have the archive's id.
    pub fn look_ahead(&mut self, warcinfo: &mut Warcinfo) {
        if self.part.held == HeldPart::Beginning {
            // The decoder is in use.
            warcinfo.look_for_it(self.part.bytes());
        } else {
            self.part.look_for_id(&mut self.trial, self.part.end, warcinfo);
        }
    }
}
