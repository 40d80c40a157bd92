//! The zstd frames of an archive, inflated one by one.
//!
//! Document: RFC 8878; IIPC, "Zstandard Compression for WARC files": each record is a frame of its own, and the file may begin
//! with a skippable frame `5D 2A 4D 18` that holds the dictionary of all others, itself compressed or not.
//! Example: a dictionary frame, then `28 B5 2F FD ...` for each record, whose first block inflates to `WARC/1.0`.
//! As with gzip, the text of a damaged frame is not used, the existing text of a cut one is used, and a frame that inflates to
//! more than [`WHOLE_PART_BYTES`] is read piece by piece. Left out: frames with windows of more than 128 MiB; which place that
//! was found by its magic is believed (`behind`).

use super::behind::{TRIAL_BYTES, Trial};
use super::damage::{Damage, DamageKind};
use super::part_text::{HeldPart, MemberPart, PartText, WHOLE_PART_BYTES};
use super::warcinfo::Warcinfo;
use super::window::Window;
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

/// Returns whether a frame starts here.
pub fn is_frame(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC) || is_skippable(bytes)
}

fn is_skippable(bytes: &[u8]) -> bool {
    matches!(bytes, [0x50..=0x5f, rest @ ..] if rest.starts_with(&SKIPPABLE))
}

enum FrameStep {
    Text,
    Ended,
    Cut,
    Corrupt,
}

/// The text of a source of zstd frames, frame by frame.
pub struct ZstdText<R> {
    /// The current part.
    pub part: PartText<R>,
    trial: FrameTrial,
    /// Bytes of the frame that are inflated and still in the window.
    taken: usize,
    damage: Option<Damage>,
    dictionaries_bytes: usize,
}

impl<R: Read> ZstdText<R> {
    /// Starts before the first frame of `window`.
    pub fn new(window: Window<R>) -> Self {
        Self {
            part: PartText::new(window),
            trial: FrameTrial::new(),
            taken: 0,
            damage: None,
            dictionaries_bytes: 0,
        }
    }

    /// Goes to the next frame.
    pub fn next_part(&mut self, warcinfo: &mut Warcinfo) -> MemberPart {
        if let Some(damage) = self.leave_frame() {
            return MemberPart::Damaged(damage);
        }
        loop {
            self.part.window.ensure(STEP_BYTES);
            self.part.begin();
            self.taken = 0;
            if self.part.window.bytes().is_empty() {
                return MemberPart::End;
            }
            let part = if is_skippable(self.part.window.bytes()) {
                self.skip_frame().map(MemberPart::Damaged)
            } else if self.part.window.bytes().starts_with(&MAGIC) {
                self.inflate_frame(warcinfo)
            } else {
                Some(MemberPart::Damaged(self.part.skip_junk(&mut self.trial, warcinfo)))
            };
            if let Some(part) = part {
                return part;
            }
        }
    }

    /// Inflates more of a frame that is read piece by piece; returns whether any text came.
    pub fn more(&mut self) -> bool {
        if self.part.held != HeldPart::Beginning {
            return false;
        }
        self.part.move_to_start();
        let before = self.part.end;
        let kind = loop {
            let step = self.step();
            self.part.window.consume(std::mem::take(&mut self.taken));
            match step {
                FrameStep::Text if self.part.end > before => return true,
                FrameStep::Text => {}
                FrameStep::Ended => {
                    self.part.held = HeldPart::Nothing;
                    return self.part.end > before;
                }
                FrameStep::Cut => break DamageKind::GzipCut,
                FrameStep::Corrupt => break DamageKind::GzipData,
            }
        };
        self.part.held = HeldPart::Nothing;
        let detail = format!("the frame that starts at {} cannot be inflated further", self.part.offset());
        self.damage = Some(Damage::harmless(self.part.window.offset(), kind, detail));
        self.part.end > before
    }

    /// Inflates the frame at hand; `None` if it is empty.
    fn inflate_frame(&mut self, warcinfo: &mut Warcinfo) -> Option<MemberPart> {
        if self.trial.decoder.as_mut().is_none_or(|decoder| decoder.reinit().is_err()) {
            return Some(self.leave_corrupt(warcinfo));
        }
        loop {
            match self.step() {
                FrameStep::Text
                    if self.part.end >= WHOLE_PART_BYTES
                        || self.taken > self.part.end + WITHOUT_TEXT_BYTES =>
                {
                    self.part.window.consume(std::mem::take(&mut self.taken));
                    self.part.held = HeldPart::Beginning;
                    return Some(MemberPart::Text);
                }
                FrameStep::Text => {}
                FrameStep::Ended => {
                    self.part.window.consume(std::mem::take(&mut self.taken));
                    self.part.held = HeldPart::Whole;
                    return (self.part.end > 0).then_some(MemberPart::Text);
                }
                FrameStep::Cut => return Some(self.part.end_cut(&mut self.trial, self.part.end, warcinfo)),
                FrameStep::Corrupt => return Some(self.leave_corrupt(warcinfo)),
            }
        }
    }

    /// Appends the text of the next frame, unless it begins with a record; returns whether it did.
    pub fn join_frame(&mut self, warcinfo: &Warcinfo) -> bool {
        let end = self.part.end;
        self.part.window.ensure(STEP_BYTES);
        let is_frame = self.part.held == HeldPart::Whole && self.part.window.bytes().starts_with(&MAGIC);
        if !is_frame || self.trial.decoder.as_mut().is_none_or(|decoder| decoder.reinit().is_err()) {
            return false;
        }
        let mut step = FrameStep::Text;
        while matches!(step, FrameStep::Text) && self.part.end < WHOLE_PART_BYTES {
            step = self.step();
        }
        let (taken, bytes) = (std::mem::take(&mut self.taken), self.part.end - end);
        self.part.end = end;
        matches!(step, FrameStep::Ended) && self.part.join(taken, bytes, warcinfo)
    }

    fn step(&mut self) -> FrameStep {
        self.part.window.poll();
        let Some(decoder) = &mut self.trial.decoder else { return FrameStep::Corrupt };
        if self.part.window.bytes().len() <= self.taken && !self.part.window.more() {
            return FrameStep::Cut;
        }
        if self.part.text.is_empty() {
            self.part.text.reserve_exact(TEXT_BYTES);
        }
        if self.part.text.len() < self.part.end + STEP_BYTES {
            self.part.text.resize(self.part.end + STEP_BYTES, 0);
        }
        let mut input = InBuffer::around(self.part.window.bytes().get(self.taken..).unwrap_or_default());
        let target = self.part.text.get_mut(self.part.end..self.part.end + STEP_BYTES).unwrap_or_default();
        let mut output = OutBuffer::around(target);
        let Ok(hint) = decoder.run(&mut input, &mut output) else {
            steps::count(STEP_BYTES);
            return FrameStep::Corrupt;
        };
        let (read, written) = (input.pos(), output.pos());
        self.taken += read;
        self.part.end += written;
        steps::count(read + written);
        match hint {
            0 => FrameStep::Ended,
            _ if read + written == 0 => FrameStep::Corrupt,
            _ => FrameStep::Text,
        }
    }

    fn leave_corrupt(&mut self, warcinfo: &mut Warcinfo) -> MemberPart {
        self.part.look_for_id(&mut self.trial, self.part.end, warcinfo);
        // The length of the last inflated text is unknown.
        let bytes = (self.taken, self.part.end + STEP_BYTES);
        let detail = self.part.leave_corrupt(&mut self.trial, bytes, warcinfo);
        self.part.corrupt(DamageKind::GzipData, detail)
    }

    fn leave_frame(&mut self) -> Option<Damage> {
        while self.part.held == HeldPart::Beginning {
            self.part.consume_all();
            self.more();
        }
        let detail = format!("the source ends {} bytes into the frame's text", self.part.end);
        let cut = Damage::harmless(self.part.offset(), DamageKind::GzipCut, detail);
        let was_cut = std::mem::replace(&mut self.part.held, HeldPart::Nothing) == HeldPart::Cut;
        self.damage.take().or(was_cut.then_some(cut))
    }

    /// Skips a skippable frame; a dictionary is kept.
    fn skip_frame(&mut self) -> Option<Damage> {
        let (head, rest) = self.part.window.bytes().split_first_chunk::<4>()?;
        let Some((length, _)) = rest.split_first_chunk::<4>() else {
            let left = self.part.window.bytes().len();
            self.part.window.consume(left);
            return Some(self.cut_frame());
        };
        let is_dictionary = head.first() == Some(&DICTIONARY);
        let mut left = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
        self.part.window.consume(8);
        if is_dictionary && left <= DICTIONARY_BYTES {
            if self.part.window.ensure(left) < left {
                return Some(self.cut_frame());
            }
            if self.dictionaries_bytes < DICTIONARIES_BYTES {
                let (decoder, bytes) = dictionary(self.part.window.bytes().get(..left)?);
                self.trial.decoder = decoder;
                self.dictionaries_bytes += bytes.max(DICTIONARY_STEPS);
            }
        }
        while left > 0 {
            if self.part.window.bytes().is_empty() && !self.part.window.more() {
                return Some(self.cut_frame());
            }
            let count = self.part.window.bytes().len().min(left);
            self.part.window.consume(count);
            left -= count;
        }
        None
    }

    fn cut_frame(&mut self) -> Damage {
        let left = self.part.window.bytes().len();
        self.part.window.consume(left);
        let detail = "the source ends inside a skippable frame".to_owned();
        Damage::lost(self.part.offset(), DamageKind::GzipCut, detail)
    }
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
    (read.ok().and_then(|_| Decoder::with_dictionary(&text).ok()), bytes.len().max(text.len()))
}

/// Inflates frames and the beginnings of candidates with the same dictionary.
struct FrameTrial {
    /// `None`: the dictionary cannot be used.
    pub decoder: Option<Decoder<'static>>,
    text: Vec<u8>,
}

impl FrameTrial {
    /// Makes a trial without a dictionary, with its buffers.
    pub fn new() -> Self {
        Self { decoder: Decoder::new().ok(), text: vec![0; TRIAL_BYTES] }
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

impl<R: Read> ZstdText<R> {
    /// Looks for the archive's id in the current frame and in later ones.
    pub fn look_ahead(&mut self, warcinfo: &mut Warcinfo) {
        if self.part.held == HeldPart::Beginning {
            // The decoder is in use.
            warcinfo.look_for_it(self.part.bytes());
        } else {
            self.part.look_for_id(&mut self.trial, self.part.end, warcinfo);
        }
    }
}
