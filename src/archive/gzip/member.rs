//! One gzip member, read with zlib-rs: its header, its trailer, and whether it is whole, cut or corrupt if libdeflate only
//! says that it is bad.
//!
//! Also how a member that was found by its magic begins, and a member that is too long to hold, inflated piece by piece.
//! Example: `1f 8b 08 00 ...`, whose first block inflates to `WARC/1.0`. Left out: which place is believed (`behind`).

use super::super::behind::{TRIAL_BYTES, Trial};
use super::super::part_text::{PartBytes, WHOLE_PART_BYTES};
use super::super::{Damage, DamageKind, PartText, Warcinfo, Window};
use super::{FIRST_TEXT_BYTES, GzipText, LOW_WATER_BYTES, MAGIC, inflate_step};
use crate::web::steps;
use flate2::{Crc, Decompress, Status};
use std::io::Read;

/// Data that gives no text, such as empty blocks, is held up to this many bytes.
const WITHOUT_TEXT_BYTES: usize = 1 << 20;

pub enum MemberText {
    /// The member is whole and its trailer matches.
    Whole(PartBytes),
    TooLong,
    /// The source ends inside the member, behind this many bytes of text.
    Cut(usize),
    Corrupt(PartBytes, DamageKind),
}

/// Returns whether CRC32 and ISIZE, which follow the data (RFC 1952 2.3.1), are right; `None` if the source ends before.
fn is_right<R: Read>(window: &mut Window<R>, data_bytes: usize, sum: &Crc) -> Option<bool> {
    window.ensure(data_bytes + 8);
    let (checksum, rest) = window.bytes().get(data_bytes..)?.split_first_chunk::<4>()?;
    let (length, _) = rest.split_first_chunk::<4>()?;
    Some((u32::from_le_bytes(*checksum), u32::from_le_bytes(*length)) == (sum.sum(), sum.amount()))
}

/// Inflates the member at the window's start, which libdeflate could not read, without consuming it; reads more of the source
/// as needed: it may be longer than the bytes read so far, cut, or damaged.
pub fn slow_inflate<R: Read>(window: &mut Window<R>, text: &mut Vec<u8>) -> MemberText {
    let Some(header_bytes) = header_bytes(window.bytes()) else {
        return MemberText::Cut(0);
    };
    let mut inflate = Decompress::new(false);
    let mut done = PartBytes {
        source: header_bytes,
        text: 0,
    };
    loop {
        if done.text == text.len() {
            if done.text >= WHOLE_PART_BYTES {
                return MemberText::TooLong;
            }
            text.resize((done.text * 4).clamp(FIRST_TEXT_BYTES, WHOLE_PART_BYTES), 0);
        }
        let input = window.bytes().get(done.source..).unwrap_or_default();
        let target = text.get_mut(done.text..).unwrap_or_default();
        let (status, step) = inflate_step(&mut inflate, input, target);
        (done.source, done.text) = (done.source + step.source, done.text + step.text);
        steps::count(step.source + step.text);
        match status {
            Ok(Status::StreamEnd) => {
                let whole = PartBytes {
                    source: done.source + 8,
                    ..done
                };
                let mut checksum = Crc::new();
                checksum.update(text.get(..done.text).unwrap_or_default());
                return match is_right(window, done.source, &checksum) {
                    Some(true) => MemberText::Whole(whole),
                    Some(false) => MemberText::Corrupt(whole, DamageKind::GzipChecksum),
                    None => MemberText::Cut(done.text),
                };
            }
            Ok(_) if done.source > done.text + WITHOUT_TEXT_BYTES => return MemberText::TooLong,
            Ok(_) if step.source + step.text > 0 || window.more() => {}
            Ok(_) => return MemberText::Cut(done.text),
            Err(_) => return MemberText::Corrupt(done, DamageKind::GzipData),
        }
    }
}

/// Returns the length of a member's header, if all of it has been read (RFC 1952 2.3).
pub fn header_bytes(member: &[u8]) -> Option<usize> {
    let flags = *member.get(3)?;
    let mut at = 10;
    if flags & 0x04 != 0 {
        let (length, _) = member.get(at..)?.split_first_chunk::<2>()?;
        at += 2 + usize::from(u16::from_le_bytes(*length));
    }
    for flag in [0x08, 0x10] {
        if flags & flag != 0 {
            at += memchr::memchr(0, member.get(at..)?)? + 1;
        }
    }
    if flags & 0x02 != 0 {
        at += 2;
    }
    (at <= member.len()).then_some(at)
}

/// How much of a member's data shows how its text begins: a block's codes take fewer bytes.
const FIRST_BYTES: usize = 1 << 10;
/// The longest header of a member found by searching.
const HEADER_BYTES: usize = 512;
/// How many bytes of text are examined first.
const VERSION_BYTES: usize = 5;

pub struct MemberTrial {
    inflate: Decompress,
    text: Vec<u8>,
}

impl MemberTrial {
    pub fn new() -> Self {
        Self {
            inflate: Decompress::new(false),
            text: vec![0; TRIAL_BYTES],
        }
    }
}

impl Trial for MemberTrial {
    const PART: &'static str = "member";
    const CODEC: &'static str = "gzip member";
    const MAGIC: &'static [u8] = &MAGIC;
    const CANDIDATE_BYTES: usize = TRIAL_BYTES;
    /// Trying a place costs little.
    const MOST_TRIED: usize = usize::MAX;

    fn head(&mut self, bytes: &[u8], warcinfo: &Warcinfo) -> Option<&[u8]> {
        let header_bytes = header_bytes(bytes.get(..HEADER_BYTES).unwrap_or(bytes))?;
        let data = bytes.get(header_bytes..)?;
        self.inflate.reset(false);
        let mut done = PartBytes { source: 0, text: 0 };
        // Most places are not members, which the first bytes of text show.
        for (most_bytes, most_text) in [(FIRST_BYTES, VERSION_BYTES), (TRIAL_BYTES, TRIAL_BYTES)] {
            let input = data.get(done.source..most_bytes.min(data.len()))?;
            let target = self.text.get_mut(done.text..most_text)?;
            let (status, step) = inflate_step(&mut self.inflate, input, target);
            (done.source, done.text) = (done.source + step.source, done.text + step.text);
            steps::count(step.source + done.text);
            let first = self.text.get(..VERSION_BYTES.min(done.text))?;
            if status.is_err() || !warcinfo.framing.may_start(first) {
                return None;
            }
        }
        self.text.get(..done.text)
    }
}

impl GzipText {
    /// Skips a corrupt member. Wrong bits may have led the inflater into later members, so the nearest member counts if a
    /// forged one can be recognised. If not, the one that starts where the data ends counts.
    pub(super) fn leave_corrupt<R: Read>(
        &mut self,
        part: &mut PartText<R>,
        corrupt: PartBytes,
        warcinfo: &mut Warcinfo,
    ) -> String {
        let trial = &mut self.trial;
        part.look_for_id(trial, corrupt.text, warcinfo);
        part.window.ensure(corrupt.source + LOW_WATER_BYTES);
        let behind = part
            .window
            .bytes()
            .get(corrupt.source..)
            .unwrap_or_default();
        if warcinfo.carried_id().is_none()
            && trial
                .head(behind, warcinfo)
                .is_some_and(|head| warcinfo.may_be_ours(head))
        {
            part.window.consume(corrupt.source);
            return format!("the next member is {} bytes further on", corrupt.source);
        }
        part.leave_corrupt(trial, corrupt, warcinfo)
    }
}

/// A member too long to hold, while it is inflated.
pub struct Stream {
    /// Offset of the member, for messages.
    member: u64,
    inflate: Decompress,
    checksum: Crc,
    pub ended: bool,
    pub damage: Option<Damage>,
}

impl Stream {
    /// Makes the stream of the member at offset `member`, whose header has been read.
    pub fn new(member: u64) -> Self {
        Self {
            member,
            inflate: Decompress::new(false),
            checksum: Crc::new(),
            ended: false,
            damage: None,
        }
    }

    /// Inflates into `buffer`; returns the number of bytes written.
    pub fn read<R: Read>(&mut self, window: &mut Window<R>, buffer: &mut [u8]) -> usize {
        let mut filled = 0;
        while filled < buffer.len() && !self.ended {
            if window.bytes().is_empty() && !window.more() {
                let detail = "the source ends inside the member".to_owned();
                self.end(self.member, DamageKind::GzipCut, detail);
                break;
            }
            let target = buffer.get_mut(filled..).unwrap_or_default();
            let (status, step) = inflate_step(&mut self.inflate, window.bytes(), target);
            self.checksum
                .update(target.get(..step.text).unwrap_or_default());
            window.consume(step.source);
            filled += step.text;
            steps::count(step.source + step.text);
            match status {
                Ok(Status::StreamEnd) => self.check_trailer(window),
                Ok(Status::Ok | Status::BufError) if step.source + step.text > 0 => {}
                Ok(Status::Ok | Status::BufError) | Err(_) => {
                    let detail = format!(
                        "the member that starts at {} cannot be inflated further",
                        self.member
                    );
                    self.end(window.offset, DamageKind::GzipData, detail);
                }
            }
        }
        filled
    }

    fn check_trailer<R: Read>(&mut self, window: &mut Window<R>) {
        self.ended = true;
        let is_right = is_right(window, 0, &self.checksum);
        window.consume(8);
        if is_right != Some(true) {
            let detail =
                "the member's text, already used, does not match its CRC or length".to_owned();
            self.end(self.member, DamageKind::GzipChecksum, detail);
        }
    }

    fn end(&mut self, offset: u64, kind: DamageKind, detail: String) {
        self.ended = true;
        self.damage = Some(Damage::harmless(offset, kind, detail));
    }
}

#[cfg(test)]
mod tests {
    use super::header_bytes;

    #[test]
    fn rfc1952_2_3_optional_header_fields_are_skipped() {
        let plain = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(header_bytes(&plain), Some(10));
        let mut all = vec![0x1f, 0x8b, 8, 0x1e, 0, 0, 0, 0, 0, 0, 2, 0, b'L', b'X'];
        all.extend(b"name\0note\0\x01\x02");
        assert_eq!(header_bytes(&all), Some(all.len()));
        for cut in 0..all.len() {
            assert_eq!(header_bytes(&all[..cut]), None, "cut at {cut}");
        }
    }
}
