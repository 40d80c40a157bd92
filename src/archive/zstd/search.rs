//! Where the next zstd frame is, behind damage.
//!
//! Example: `28 B5 2F FD` behind garbage, where the text that follows begins with a record's head. A page may hold
//! such bytes, too, so that they are believed only as [`Warcinfo`] says. Left out: records in a frame's text.

use super::super::damage::{Damage, DamageKind};
use super::super::gzip::{MemberPart, TRIAL_BYTES};
use super::super::warcinfo::{LOOK_AHEAD_BYTES, Warcinfo};
use super::{HeldFrame, MAGIC, STEP_BYTES, ZstdText};
use crate::web::steps;
use memchr::memmem;
use std::io::Read;
use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

/// How much of a candidate frame is looked at: its header and a block, which gives no text before it has ended.
const CANDIDATE_BYTES: usize = (128 << 10) + 32;
/// So many candidates of a file that begin with a text are looked at: each may take a block of 128 KiB.
const TRIED_FRAMES: usize = 1 << 16;

impl<R: Read> ZstdText<R> {
    /// The source ended inside the frame, or a damaged frame seems to reach to the end.
    pub(super) fn end_cut(&mut self, warcinfo: &mut Warcinfo) -> MemberPart {
        self.look_for_id(self.part.end, warcinfo);
        let left = self.part.window.bytes().len();
        if self.part.again.may_go_on(self.part.offset(), left, self.part.end)
            && self.find_frame(1, warcinfo).is_some()
        {
            let detail = self.skip_to_frame(1, warcinfo);
            return self.corrupt(detail);
        }
        self.part.window.consume(left);
        if self.part.end == 0 {
            let detail = format!("the source ends after {left} bytes of a frame, nothing can be inflated");
            return MemberPart::Damaged(Damage::lost(self.part.offset(), DamageKind::GzipCut, detail));
        }
        self.held = HeldFrame::Cut;
        MemberPart::Text
    }

    /// Leaves a damaged frame behind.
    pub(super) fn leave_corrupt(&mut self, warcinfo: &mut Warcinfo) -> MemberPart {
        self.look_for_id(self.part.end, warcinfo);
        // What was inflated last is not known.
        if self.part.again.may_go_on(self.part.offset(), self.taken, self.part.end + STEP_BYTES) {
            let detail = self.skip_to_frame(1, warcinfo);
            return self.corrupt(detail);
        }
        let detail = self.skip_to_frame(self.taken.max(1), warcinfo);
        self.corrupt(format!("{detail}; frames inside of it were not tried, as too many were in vain"))
    }

    fn corrupt(&mut self, detail: String) -> MemberPart {
        self.part.clear();
        self.taken = 0;
        MemberPart::Damaged(Damage::lost(self.part.offset(), DamageKind::GzipData, detail))
    }

    /// Leaves bytes behind that are no frame where one should start.
    pub(super) fn skip_junk(&mut self, warcinfo: &mut Warcinfo) -> Damage {
        self.look_for_id(0, warcinfo);
        let (skipped, _) = self.skip(0, warcinfo);
        let detail = format!("{skipped} bytes that are no zstd frame");
        Damage::lost(self.part.offset(), DamageKind::NotGzip, detail)
    }

    /// Looks whether the current frame or those behind it have the archive's id.
    pub fn look_ahead(&mut self, warcinfo: &mut Warcinfo) {
        if self.held == HeldFrame::Beginning {
            // The decoder is in use.
            warcinfo.look_for_it(self.part.bytes());
        } else {
            self.look_for_id(self.part.end, warcinfo);
        }
    }

    /// Looks whether the first `bytes` bytes of the text or the frames behind have the archive's id, where no record
    /// has shown it yet.
    fn look_for_id(&mut self, bytes: usize, warcinfo: &mut Warcinfo) {
        if !warcinfo.is_to_be_looked_for() {
            return;
        }
        warcinfo.look_for_it(self.part.text.get(..bytes.min(LOOK_AHEAD_BYTES)).unwrap_or_default());
        self.part.window.ensure(LOOK_AHEAD_BYTES);
        let Some(decoder) = self.decoder.as_mut() else { return };
        let mut text = vec![0; TRIAL_BYTES];
        for at in memmem::find_iter(self.part.window.bytes(), &MAGIC) {
            let frame = self.part.window.bytes().get(at..).unwrap_or_default();
            if let Some(head) = head(decoder, frame, &mut text).filter(|head| warcinfo.starts_record(head)) {
                warcinfo.look_for_it(head);
            }
            if warcinfo.carried_id().is_some() {
                return;
            }
        }
    }

    /// Skips to the next frame from `from` on; returns how far that was, in words.
    fn skip_to_frame(&mut self, from: usize, warcinfo: &Warcinfo) -> String {
        let (skipped, found) = self.skip(from, warcinfo);
        if found {
            format!("the next frame is {skipped} bytes further on")
        } else {
            let limit = if self.tried < TRIED_FRAMES { "" } else { ", of which too many places were tried" };
            format!("no frame follows in the {skipped} bytes to the end{limit}")
        }
    }

    /// Skips to the next frame from `from` on; returns how far that was, and whether there is one.
    fn skip(&mut self, from: usize, warcinfo: &Warcinfo) -> (u64, bool) {
        self.part.window.consume(from);
        let mut skipped = from as u64;
        loop {
            let ended = self.part.window.ensure(2 * CANDIDATE_BYTES) < 2 * CANDIDATE_BYTES;
            let here = self.part.window.bytes().len();
            // A frame near the end of what is there is looked at when more of it is.
            let limit = if ended { here } else { here - CANDIDATE_BYTES };
            let found = self.find_frame(0, warcinfo).filter(|at| *at < limit);
            let count = found.unwrap_or(limit);
            self.part.window.consume(count);
            skipped += count as u64;
            if ended || found.is_some() {
                return (skipped, found.is_some());
            }
        }
    }

    /// Finds the first place from `from` on where a frame with a record of this archive starts.
    fn find_frame(&mut self, from: usize, warcinfo: &Warcinfo) -> Option<usize> {
        let bytes = self.part.window.bytes().get(from..)?;
        let (decoder, tried) = (self.decoder.as_mut()?, &mut self.tried);
        let mut text = vec![0; TRIAL_BYTES];
        memmem::find_iter(bytes, &MAGIC)
            .find(|at| {
                let frame = bytes.get(*at..).unwrap_or_default();
                if *tried >= TRIED_FRAMES {
                    return false;
                }
                let Some(head) = head(decoder, frame, &mut text) else { return false };
                *tried += 1;
                warcinfo.may_be_ours(head)
            })
            .map(|at| from + at)
    }
}

/// Returns the text with which the frame at the start of `bytes` begins.
fn head<'t>(decoder: &mut Decoder<'static>, bytes: &[u8], text: &'t mut [u8]) -> Option<&'t [u8]> {
    let mut input = InBuffer::around(bytes.get(..CANDIDATE_BYTES).unwrap_or(bytes));
    let mut output = OutBuffer::around(text);
    let is_read = decoder.reinit().is_ok() && decoder.run(&mut input, &mut output).is_ok();
    let count = output.pos();
    steps::count(input.pos() + count);
    text.get(..count).filter(|_| is_read)
}
