//! How a gzip member that was found by its magic begins.
//!
//! Example: `1f 8b 08 00 ...`, whose first block inflates to `WARC/1.0`. Left out: which place is believed (`behind`).

use super::super::behind::{TRIAL_BYTES, Trial};
use super::super::warcinfo::Warcinfo;
use super::member::header_bytes;
use super::{GzipText, LOW_WATER_BYTES, MAGIC};
use crate::web::steps;
use flate2::{Decompress, FlushDecompress};
use std::io::Read;

/// How much of a member's data shows how its text begins: a block's codes take fewer bytes.
const FIRST_BYTES: usize = 1 << 10;
/// What a header found by searching may take.
const HEADER_BYTES: usize = 512;
/// How many bytes of text are looked at first.
const VERSION_BYTES: usize = 5;

/// Inflates the beginnings of members.
pub struct MemberTrial {
    inflate: Decompress,
    text: Vec<u8>,
}

impl MemberTrial {
    /// Returns a trial, with its buffers.
    pub fn new() -> Self {
        Self { inflate: Decompress::new(false), text: vec![0; TRIAL_BYTES] }
    }
}

impl Trial for MemberTrial {
    const PART: &'static str = "member";
    const CODEC: &'static str = "gzip member";
    const MAGIC: &'static [u8] = &MAGIC;
    const CANDIDATE_BYTES: usize = TRIAL_BYTES;
    /// A place costs little.
    const MOST_TRIED: usize = usize::MAX;

    fn head(&mut self, bytes: &[u8], warcinfo: &Warcinfo) -> Option<&[u8]> {
        let header_bytes = header_bytes(bytes.get(..HEADER_BYTES).unwrap_or(bytes))?;
        let data = bytes.get(header_bytes..)?;
        self.inflate.reset(false);
        let mut filled = 0;
        // Most places are none, which the first bytes of text show.
        for (most_bytes, most_text) in [(FIRST_BYTES, VERSION_BYTES), (TRIAL_BYTES, TRIAL_BYTES)] {
            let read = usize::try_from(self.inflate.total_in()).ok()?;
            let input = data.get(read..most_bytes.min(data.len()))?;
            let target = self.text.get_mut(filled..most_text)?;
            let is_read = self.inflate.decompress(input, target, FlushDecompress::None).is_ok();
            filled = usize::try_from(self.inflate.total_out()).ok()?;
            steps::count(input.len().min(usize::try_from(self.inflate.total_in()).ok()? - read) + filled);
            let first = self.text.get(..VERSION_BYTES.min(filled))?;
            if !is_read || !warcinfo.may_start(first) {
                return None;
            }
        }
        self.text.get(..filled)
    }
}

impl<R: Read> GzipText<R> {
    /// Leaves a corrupt member behind.
    ///
    /// Wrong bits may have led the inflater on into members behind, so the nearest member counts,
    /// where a forged one can be recognised. Where not, the one that starts where the data end.
    pub(super) fn leave_corrupt(
        &mut self,
        compressed_bytes: usize,
        bytes: usize,
        warcinfo: &mut Warcinfo,
    ) -> String {
        let Self { part, trial, .. } = self;
        part.look_for_id(trial, bytes, warcinfo);
        part.window.ensure(compressed_bytes + LOW_WATER_BYTES);
        let behind = part.window.bytes().get(compressed_bytes..).unwrap_or_default();
        if warcinfo.carried_id().is_none()
            && trial.head(behind, warcinfo).is_some_and(|head| warcinfo.may_be_ours(head))
        {
            part.window.consume(compressed_bytes);
            return format!("the next member is {compressed_bytes} bytes further on");
        }
        part.leave_corrupt(trial, (compressed_bytes, bytes), warcinfo)
    }

    /// Looks whether the current member or those behind it have the archive's id.
    pub fn look_ahead(&mut self, warcinfo: &mut Warcinfo) {
        self.part.look_for_id(&mut self.trial, self.part.end, warcinfo);
    }
}
