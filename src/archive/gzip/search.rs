//! Where the next gzip member is, behind damage.
//!
//! Example: `1f 8b 08` behind garbage, where the text that follows begins with a record's head. A page may hold such
//! bytes, too, so that they are believed only as [`Warcinfo`] says. Left out: records in a member's text.

use super::super::damage::{Damage, DamageKind};
use super::super::warcinfo::{LOOK_AHEAD_BYTES, Warcinfo};
use super::member::{TRIAL_BYTES, header_bytes};
use super::{GzipText, HeldMember, LOW_WATER_BYTES, MAGIC, MemberPart};
use crate::web::steps;
use flate2::{Decompress, FlushDecompress};
use memchr::memmem;
use std::io::Read;

/// So much of a member's data shows how its text begins: a block's codes take fewer bytes.
const FIRST_BYTES: usize = 1 << 10;
/// What a header found by searching may take.
const HEADER_BYTES: usize = 512;
/// So many bytes of text are looked at first.
const VERSION_BYTES: usize = 5;

/// Looks at places where a member may start. Its buffers are used again: there may be one every few bytes.
pub struct Trial {
    inflate: Decompress,
    text: Vec<u8>,
}

impl Trial {
    /// Returns a trial, with its buffers.
    pub fn new() -> Self {
        Self { inflate: Decompress::new(false), text: vec![0; TRIAL_BYTES] }
    }

    /// Finds the first place from `from` on where a member with a record of this archive starts.
    pub fn find_member(&mut self, bytes: &[u8], from: usize, warcinfo: &Warcinfo) -> Option<usize> {
        memmem::find_iter(bytes.get(from..)?, &MAGIC)
            .map(|at| from + at)
            .find(|at| self.is_record_member(bytes.get(*at..).unwrap_or_default(), warcinfo))
    }

    /// Returns whether the member at the start of `bytes` begins with the head of a record that may be
    /// believed, see [`Warcinfo::may_be_ours`].
    pub fn is_record_member(&mut self, bytes: &[u8], warcinfo: &Warcinfo) -> bool {
        self.head(bytes, warcinfo).is_some_and(|head| warcinfo.may_be_ours(head))
    }

    /// Looks for the id of the archive in the heads of the members that start in `bytes`.
    pub fn look_for_id(&mut self, bytes: &[u8], warcinfo: &mut Warcinfo) {
        for at in memmem::find_iter(bytes, &MAGIC) {
            if let Some(head) = self.head(bytes.get(at..).unwrap_or_default(), warcinfo) {
                warcinfo.look_for_it(head);
            }
            if warcinfo.carried_id().is_some() {
                return;
            }
        }
    }

    /// Returns the text that the member at the start of `bytes` begins with, where that is a record's.
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
        self.look_for_id(bytes, warcinfo);
        self.part.window.ensure(compressed_bytes + LOW_WATER_BYTES);
        let behind = self.part.window.bytes().get(compressed_bytes..).unwrap_or_default();
        if warcinfo.carried_id().is_none() && self.trial.is_record_member(behind, warcinfo) {
            self.part.window.consume(compressed_bytes);
            return format!("the next member is {compressed_bytes} bytes further on");
        }
        if self.part.again.may_go_on(self.part.offset(), compressed_bytes, bytes) {
            return self.skip_to_member(1, warcinfo);
        }
        let detail = self.skip_to_member(compressed_bytes.max(1), warcinfo);
        format!("{detail}; members inside of it were not tried, as too many were in vain")
    }

    /// The source ended inside the member, or a damaged member seems to reach to the end.
    pub(super) fn end_cut(&mut self, bytes: usize, warcinfo: &mut Warcinfo) -> MemberPart {
        self.look_for_id(bytes, warcinfo);
        let left = self.part.window.bytes().len();
        if self.part.again.may_go_on(self.part.offset(), left, bytes)
            && self.trial.find_member(self.part.window.bytes(), 1, warcinfo).is_some()
        {
            let detail = self.skip_to_member(1, warcinfo);
            return MemberPart::Damaged(Damage::lost(self.part.offset(), DamageKind::GzipData, detail));
        }
        self.part.window.consume(left);
        if bytes == 0 {
            let detail = format!("the source ends after {left} bytes of a member, nothing can be inflated");
            return MemberPart::Damaged(Damage::lost(self.part.offset(), DamageKind::GzipCut, detail));
        }
        self.part.end = bytes;
        self.held = HeldMember::Cut;
        MemberPart::Text
    }

    /// Looks whether the current member or those behind it have the archive's id.
    pub fn look_ahead(&mut self, warcinfo: &mut Warcinfo) {
        self.look_for_id(self.part.end, warcinfo);
    }

    /// Looks whether the first `bytes` bytes of the text or the members behind have the archive's id, where no record
    /// has shown it yet.
    fn look_for_id(&mut self, bytes: usize, warcinfo: &mut Warcinfo) {
        if warcinfo.is_to_be_looked_for() {
            warcinfo.look_for_it(self.part.text.get(..bytes.min(LOOK_AHEAD_BYTES)).unwrap_or_default());
            self.part.window.ensure(LOOK_AHEAD_BYTES);
            self.trial.look_for_id(self.part.window.bytes(), warcinfo);
        }
    }

    /// Leaves bytes behind that are no gzip member where one should start.
    pub(super) fn skip_junk(&mut self, warcinfo: &mut Warcinfo) -> Damage {
        self.look_for_id(0, warcinfo);
        let Skipped { bytes, is_padding, .. } = self.skip(warcinfo);
        if is_padding {
            Damage::harmless(self.part.offset(), DamageKind::Padding, format!("{bytes} bytes of padding"))
        } else {
            let detail = format!("{bytes} bytes that are no gzip member");
            Damage::lost(self.part.offset(), DamageKind::NotGzip, detail)
        }
    }

    /// Leaves a damaged member behind, of which `skipped` bytes are not searched; returns how far it was to the
    /// next one.
    fn skip_to_member(&mut self, skipped: usize, warcinfo: &Warcinfo) -> String {
        self.part.window.consume(skipped);
        let Skipped { bytes, found, .. } = self.skip(warcinfo);
        let bytes = bytes + skipped as u64;
        if found {
            format!("the next member is {bytes} bytes further on")
        } else {
            format!("no member follows in the {bytes} bytes to the end")
        }
    }

    /// Skips to the next member.
    fn skip(&mut self, warcinfo: &Warcinfo) -> Skipped {
        let mut skipped = Skipped { bytes: 0, is_padding: true, found: false };
        loop {
            let ended = self.part.window.ensure(2 * TRIAL_BYTES) < 2 * TRIAL_BYTES;
            let bytes = self.part.window.bytes();
            // A member near the end of what is there is looked at when more of it is.
            let limit = if ended { bytes.len() } else { bytes.len() - TRIAL_BYTES };
            let found = self.trial.find_member(bytes, 0, warcinfo).filter(|at| *at < limit);
            let count = found.unwrap_or(limit);
            skipped.is_padding &= is_padding(bytes.get(..count).unwrap_or_default());
            skipped.bytes += count as u64;
            skipped.found = found.is_some();
            self.part.window.consume(count);
            if ended || skipped.found {
                return skipped;
            }
        }
    }
}

/// What was passed over to the next member.
struct Skipped {
    bytes: u64,
    is_padding: bool,
    found: bool,
}

/// Returns whether bytes are what writers fill space with.
fn is_padding(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, 0 | b'\r' | b'\n' | b' '))
}
