//! The zstd frames of an archive, inflated one by one.
//!
//! Document: RFC 8878; IIPC, "Zstandard Compression for WARC files": each record is a frame of its own, and the file may begin
//! with a skippable frame `5D 2A 4D 18` that holds the dictionary of all others, itself compressed or not.
//! Example: a dictionary frame, then `28 B5 2F FD ...` for each record, whose first block inflates to `WARC/1.0`.
//! As with gzip, the text of a damaged frame is not used, the existing text of a cut one is used, and a frame that inflates to
//! more than [`WHOLE_PART_BYTES`] is read piece by piece. Left out: frames with windows of more than 128 MiB; which place that
//! was found by its magic is believed (`behind`).

use super::behind::{TRIAL_BYTES, Trial};
use super::part_text::{HeldPart, PartBytes, WHOLE_PART_BYTES};
use super::{Damage, DamageKind, MemberPart, PartText, Warcinfo};
use crate::web::steps;
use std::io::Read;
use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

/// How a frame begins (RFC 8878 3.1.1).
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// How a skippable frame begins (RFC 8878 3.1.2), behind a byte from 50 to 5F.
const SKIPPABLE: [u8; 3] = [0x2a, 0x4d, 0x18];
const DICTIONARY: u8 = 0x5d;
const DICTIONARY_BYTES: usize = 16 << 20;
/// The most bytes of all dictionaries of a file; each counts at least [`DICTIONARY_STEPS`].
const DICTIONARIES_BYTES: usize = 256 << 20;
/// The cost of a start with a dictionary, in bytes.
const DICTIONARY_STEPS: usize = 64 << 10;
/// Data that gives no text, such as empty blocks, is held up to this many bytes.
const WITHOUT_TEXT_BYTES: usize = 1 << 20;
const STEP_BYTES: usize = 1 << 20;
/// Space for the longest text held at once. Memory not written to is not used; a growing buffer is held twice while copied.
const TEXT_BYTES: usize = WHOLE_PART_BYTES + 2 * STEP_BYTES;

pub fn is_frame(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC) || is_skippable(bytes)
}

fn is_skippable(bytes: &[u8]) -> bool {
    matches!(bytes, [0x50..=0x5f, rest @ ..] if rest.starts_with(&SKIPPABLE))
}

enum FrameStep {
    Text,
    Ended,
    Fault(DamageKind),
}

/// The frames of a source, one after the other.
pub struct ZstdText {
    pub trial: FrameTrial,
    /// Bytes of the frame that are inflated and still in the window.
    taken: usize,
    damage: Option<Damage>,
    dictionaries_bytes: usize,
}

impl ZstdText {
    pub fn new() -> Self {
        let trial = FrameTrial {
            decoder: Decoder::new().ok(),
            text: vec![0; TRIAL_BYTES],
        };
        Self {
            trial,
            taken: 0,
            damage: None,
            dictionaries_bytes: 0,
        }
    }

    pub fn next_part<R: Read>(
        &mut self,
        part: &mut PartText<R>,
        warcinfo: &mut Warcinfo,
    ) -> MemberPart {
        if let Some(damage) = self.leave_frame(part) {
            return MemberPart::Damaged(damage);
        }
        loop {
            part.window.ensure(STEP_BYTES);
            part.begin();
            self.taken = 0;
            if part.window.bytes().is_empty() {
                return MemberPart::End;
            }
            let found = if is_skippable(part.window.bytes()) {
                self.skip_frame(part).map(MemberPart::Damaged)
            } else if part.window.bytes().starts_with(&MAGIC) {
                self.inflate(part, warcinfo)
            } else {
                Some(MemberPart::Damaged(
                    part.skip_junk(&mut self.trial, warcinfo),
                ))
            };
            if let Some(found) = found {
                return found;
            }
        }
    }

    /// Inflates more of a frame that is read piece by piece; returns whether any text came.
    pub fn more<R: Read>(&mut self, part: &mut PartText<R>) -> bool {
        if part.held != HeldPart::Beginning {
            return false;
        }
        part.move_to_start();
        let before = part.end;
        while part.held == HeldPart::Beginning && part.end == before {
            let step = self.step(part);
            part.window.consume(std::mem::take(&mut self.taken));
            if let FrameStep::Fault(kind) = step {
                let detail = format!(
                    "the frame that starts at {} cannot be inflated further",
                    part.offset
                );
                self.damage = Some(Damage::harmless(part.window.offset, kind, detail));
            }
            if !matches!(step, FrameStep::Text) {
                part.held = HeldPart::Nothing;
            }
        }
        part.end > before
    }

    /// Inflates the frame at hand; `None` if it is empty.
    fn inflate<R: Read>(
        &mut self,
        part: &mut PartText<R>,
        warcinfo: &mut Warcinfo,
    ) -> Option<MemberPart> {
        if !self.trial.begin() {
            return Some(self.leave_corrupt(part, warcinfo));
        }
        let held = loop {
            match self.step(part) {
                FrameStep::Text if part.end >= WHOLE_PART_BYTES => break HeldPart::Beginning,
                FrameStep::Text if self.taken > part.end + WITHOUT_TEXT_BYTES => {
                    break HeldPart::Beginning;
                }
                FrameStep::Text => {}
                FrameStep::Ended => break HeldPart::Whole,
                FrameStep::Fault(DamageKind::GzipCut) => {
                    return Some(part.end_cut(&mut self.trial, part.end, warcinfo));
                }
                FrameStep::Fault(_) => return Some(self.leave_corrupt(part, warcinfo)),
            }
        };
        part.hold(
            PartBytes {
                source: std::mem::take(&mut self.taken),
                text: part.end,
            },
            held,
        );
        (held == HeldPart::Beginning || part.end > 0).then_some(MemberPart::Text)
    }

    /// Appends the text of the next frame, unless it begins with a record; returns whether it did.
    pub fn join_frame<R: Read>(&mut self, part: &mut PartText<R>, warcinfo: &Warcinfo) -> bool {
        let end = part.end;
        part.window.ensure(STEP_BYTES);
        let is_frame = part.held == HeldPart::Whole && part.window.bytes().starts_with(&MAGIC);
        if !is_frame || !self.trial.begin() {
            return false;
        }
        let mut step = FrameStep::Text;
        while matches!(step, FrameStep::Text) && part.end < WHOLE_PART_BYTES {
            step = self.step(part);
        }
        let next = PartBytes {
            source: std::mem::take(&mut self.taken),
            text: part.end - end,
        };
        part.end = end;
        matches!(step, FrameStep::Ended) && part.join(next, warcinfo)
    }

    fn step<R: Read>(&mut self, part: &mut PartText<R>) -> FrameStep {
        part.window.poll();
        let Some(decoder) = &mut self.trial.decoder else {
            return FrameStep::Fault(DamageKind::GzipData);
        };
        if part.window.bytes().len() <= self.taken && !part.window.more() {
            return FrameStep::Fault(DamageKind::GzipCut);
        }
        if part.text.is_empty() {
            part.text.reserve_exact(TEXT_BYTES);
        }
        if part.text.len() < part.end + STEP_BYTES {
            part.text.resize(part.end + STEP_BYTES, 0);
        }
        let mut input = InBuffer::around(part.window.bytes().get(self.taken..).unwrap_or_default());
        let target = part
            .text
            .get_mut(part.end..part.end + STEP_BYTES)
            .unwrap_or_default();
        let mut output = OutBuffer::around(target);
        let Ok(hint) = decoder.run(&mut input, &mut output) else {
            steps::count(STEP_BYTES);
            return FrameStep::Fault(DamageKind::GzipData);
        };
        let (read, written) = (input.pos(), output.pos());
        self.taken += read;
        part.end += written;
        steps::count(read + written);
        match hint {
            0 => FrameStep::Ended,
            _ if read + written == 0 => FrameStep::Fault(DamageKind::GzipData),
            _ => FrameStep::Text,
        }
    }

    fn leave_corrupt<R: Read>(
        &mut self,
        part: &mut PartText<R>,
        warcinfo: &mut Warcinfo,
    ) -> MemberPart {
        part.look_for_id(&mut self.trial, part.end, warcinfo);
        // The length of the last inflated text is unknown.
        let corrupt = PartBytes {
            source: self.taken,
            text: part.end + STEP_BYTES,
        };
        let detail = part.leave_corrupt(&mut self.trial, corrupt, warcinfo);
        part.corrupt(DamageKind::GzipData, detail)
    }

    fn leave_frame<R: Read>(&mut self, part: &mut PartText<R>) -> Option<Damage> {
        while part.held == HeldPart::Beginning {
            part.consume(usize::MAX);
            self.more(part);
        }
        let was_cut = std::mem::replace(&mut part.held, HeldPart::Nothing) == HeldPart::Cut;
        self.damage.take().or_else(|| {
            let detail = format!("the source ends {} bytes into the frame's text", part.end);
            was_cut.then(|| Damage::harmless(part.offset, DamageKind::GzipCut, detail))
        })
    }

    fn skip_frame<R: Read>(&mut self, part: &mut PartText<R>) -> Option<Damage> {
        let (head, rest) = part.window.bytes().split_first_chunk::<4>()?;
        let Some((length, _)) = rest.split_first_chunk::<4>() else {
            return Some(cut_frame(part));
        };
        let is_dictionary = head.first() == Some(&DICTIONARY);
        let mut left = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
        part.window.consume(8);
        if is_dictionary && left <= DICTIONARY_BYTES {
            if part.window.ensure(left) < left {
                return Some(cut_frame(part));
            }
            if self.dictionaries_bytes < DICTIONARIES_BYTES {
                let (decoder, bytes) = dictionary(part.window.bytes().get(..left)?);
                self.trial.decoder = decoder;
                self.dictionaries_bytes += bytes.max(DICTIONARY_STEPS);
            }
        }
        while left > 0 {
            if part.window.bytes().is_empty() && !part.window.more() {
                return Some(cut_frame(part));
            }
            let count = part.window.bytes().len().min(left);
            part.window.consume(count);
            left -= count;
        }
        None
    }
}

fn cut_frame<R: Read>(part: &mut PartText<R>) -> Damage {
    part.window.consume(usize::MAX);
    let detail = "the source ends inside a skippable frame".to_owned();
    Damage::lost(part.offset, DamageKind::GzipCut, detail)
}

/// Makes a decoder with a dictionary, which may be compressed itself; also returns the dictionary's length.
fn dictionary(bytes: &[u8]) -> (Option<Decoder<'static>>, usize) {
    if !bytes.starts_with(&MAGIC) {
        return (Decoder::with_dictionary(bytes).ok(), bytes.len());
    }
    let mut text = Vec::new();
    let limit = DICTIONARY_BYTES as u64;
    let read = zstd::stream::read::Decoder::with_buffer(bytes)
        .and_then(|decoder| decoder.take(limit).read_to_end(&mut text));
    (
        read.ok().and_then(|_| Decoder::with_dictionary(&text).ok()),
        bytes.len().max(text.len()),
    )
}

/// Inflates frames and the beginnings of candidates with the same dictionary.
pub struct FrameTrial {
    /// `None`: the dictionary cannot be used.
    decoder: Option<Decoder<'static>>,
    text: Vec<u8>,
}

impl FrameTrial {
    /// Prepares the decoder for another frame; returns whether it can be used.
    fn begin(&mut self) -> bool {
        self.decoder
            .as_mut()
            .is_some_and(|decoder| decoder.reinit().is_ok())
    }
}

impl Trial for FrameTrial {
    const PART: &'static str = "frame";
    const CODEC: &'static str = "zstd frame";
    const MAGIC: &'static [u8] = &MAGIC;
    /// A frame's header and a block, which gives no text before it has ended.
    const CANDIDATE_BYTES: usize = (128 << 10) + 32;
    /// Each place may take a block of 128 KiB.
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
