//! Where the next part of a compressed source is, behind damage: a gzip member or a zstd frame.
//!
//! Example: `1f 8b 08` behind garbage, if the text that follows begins with a record's head. A page may also hold such bytes,
//! so they are believed only as [`Warcinfo`] says. Left out: how the text of a part begins, which its codec knows
//! ([`Trial`]); records in a part's text.

use super::part_text::{HeldPart, PartBytes};
use super::{Damage, DamageKind, MemberPart, PartText, Warcinfo, warcinfo::LOOK_AHEAD_BYTES};
use memchr::memmem;
use std::io::Read;

/// How much text at a place is examined to see whether a record starts there.
pub const TRIAL_BYTES: usize = 8 << 10;

/// Examines places where a part may start. Its buffers are reused: there may be a place every few bytes.
pub trait Trial {
    /// The name of a part in messages.
    const PART: &'static str;
    /// The name of its codec in messages.
    const CODEC: &'static str;
    const MAGIC: &'static [u8];
    /// How much of the source is examined for a place.
    const CANDIDATE_BYTES: usize;
    /// How many places of a source that begin with text are examined.
    const MOST_TRIED: usize;

    /// Returns the text that the part at the start of `bytes` begins with, if that may be a record's.
    fn head(&mut self, bytes: &[u8], warcinfo: &Warcinfo) -> Option<&[u8]>;
}

struct Skipped {
    bytes: u64,
    is_padding: bool,
    found: bool,
}

impl<R: Read> PartText<R> {
    /// Finds the first place from `from` on where a part with a record of this archive starts.
    fn find<T: Trial>(&mut self, trial: &mut T, from: usize, warcinfo: &Warcinfo) -> Option<usize> {
        let bytes = self.window.bytes().get(from..)?;
        for at in memmem::find_iter(bytes, T::MAGIC) {
            if self.tried >= T::MOST_TRIED {
                return None;
            }
            let Some(head) = trial.head(bytes.get(at..).unwrap_or_default(), warcinfo) else {
                continue;
            };
            self.tried += 1;
            if warcinfo.may_be_ours(head) {
                return Some(from + at);
            }
        }
        None
    }

    /// Looks for the archive's id in the first `bytes` bytes of the text and in the next parts, if no record has shown it yet.
    pub fn look_for_id<T: Trial>(&mut self, trial: &mut T, bytes: usize, warcinfo: &mut Warcinfo) {
        if !warcinfo.is_to_be_looked_for() {
            return;
        }
        warcinfo.look_for_it(
            self.text
                .get(..bytes.min(LOOK_AHEAD_BYTES))
                .unwrap_or_default(),
        );
        self.window.ensure(LOOK_AHEAD_BYTES);
        for at in memmem::find_iter(self.window.bytes(), T::MAGIC) {
            let part = self.window.bytes().get(at..).unwrap_or_default();
            if let Some(head) = trial
                .head(part, warcinfo)
                .filter(|head| warcinfo.framing.starts_record(head))
            {
                warcinfo.look_for_it(head);
            }
            if warcinfo.carried_id().is_some() {
                return;
            }
        }
    }

    /// Handles a part cut by the source's end after `bytes` bytes of text, or a damaged part that seems to reach that end.
    pub fn end_cut<T: Trial>(
        &mut self,
        trial: &mut T,
        bytes: usize,
        warcinfo: &mut Warcinfo,
    ) -> MemberPart {
        self.look_for_id(trial, bytes, warcinfo);
        let left = self.window.bytes().len();
        let part = PartBytes {
            source: left,
            text: bytes,
        };
        if self.again.may_go_on(self.offset, part) && self.find(trial, 1, warcinfo).is_some() {
            let detail = self.skip_to_next(trial, 1, warcinfo);
            return self.corrupt(DamageKind::GzipData, detail);
        }
        if bytes == 0 {
            self.window.consume(left);
            let detail = format!(
                "the source ends after {left} bytes of a {}, nothing can be inflated",
                T::PART
            );
            return self.corrupt(DamageKind::GzipCut, detail);
        }
        self.hold(part, HeldPart::Cut);
        MemberPart::Text
    }

    /// Skips a damaged part of this length; returns the distance to the next one in words.
    pub fn leave_corrupt<T: Trial>(
        &mut self,
        trial: &mut T,
        part: PartBytes,
        warcinfo: &Warcinfo,
    ) -> String {
        if self.again.may_go_on(self.offset, part) {
            return self.skip_to_next(trial, 1, warcinfo);
        }
        let detail = self.skip_to_next(trial, part.source.max(1), warcinfo);
        format!(
            "{detail}; {}s inside of it were not tried, as too many were in vain",
            T::PART
        )
    }

    /// Returns the damage of a part whose text is not used.
    pub fn corrupt(&mut self, kind: DamageKind, detail: String) -> MemberPart {
        self.clear();
        MemberPart::Damaged(Damage::lost(self.offset, kind, detail))
    }

    /// Skips bytes that are not a part although one should start here.
    pub fn skip_junk<T: Trial>(&mut self, trial: &mut T, warcinfo: &mut Warcinfo) -> Damage {
        self.look_for_id(trial, 0, warcinfo);
        let Skipped {
            bytes, is_padding, ..
        } = self.skip(trial, warcinfo);
        if is_padding {
            Damage::harmless(
                self.offset,
                DamageKind::Padding,
                format!("{bytes} bytes of padding"),
            )
        } else {
            let detail = format!("{bytes} bytes that are no {}", T::CODEC);
            Damage::lost(self.offset, DamageKind::NotGzip, detail)
        }
    }

    /// Skips to the next part without searching the first `from` bytes. Returns the distance in words.
    fn skip_to_next<T: Trial>(
        &mut self,
        trial: &mut T,
        from: usize,
        warcinfo: &Warcinfo,
    ) -> String {
        self.window.consume(from);
        let Skipped { bytes, found, .. } = self.skip(trial, warcinfo);
        let bytes = bytes + from as u64;
        if found {
            format!("the next {} is {bytes} bytes further on", T::PART)
        } else {
            let limit = if self.tried < T::MOST_TRIED {
                ""
            } else {
                ", not all places tried"
            };
            format!(
                "no {} follows in the {bytes} bytes to the end{limit}",
                T::PART
            )
        }
    }

    fn skip<T: Trial>(&mut self, trial: &mut T, warcinfo: &Warcinfo) -> Skipped {
        let mut skipped = Skipped {
            bytes: 0,
            is_padding: true,
            found: false,
        };
        loop {
            let ended = self.window.ensure(2 * T::CANDIDATE_BYTES) < 2 * T::CANDIDATE_BYTES;
            let here = self.window.bytes().len();
            // A part near the end of the buffer is examined when more of it has been read.
            let limit = if ended {
                here
            } else {
                here - T::CANDIDATE_BYTES
            };
            let found = self.find(trial, 0, warcinfo).filter(|at| *at < limit);
            let count = found.unwrap_or(limit);
            skipped.is_padding &= is_padding(self.window.bytes().get(..count).unwrap_or_default());
            skipped.bytes += count as u64;
            skipped.found = found.is_some();
            self.window.consume(count);
            if ended || skipped.found {
                return skipped;
            }
        }
    }
}

/// Returns whether bytes are what writers fill space with.
fn is_padding(bytes: &[u8]) -> bool {
    bytes
        .iter()
        .all(|byte| matches!(byte, 0 | b'\r' | b'\n' | b' '))
}
