//! The gzip members of an archive, inflated one by one.
//!
//! Document: RFC 1952 (a file of several members is the members' texts in sequence); by WARC 1.1 Annex D each record is a
//! member of its own. libdeflate inflates a member whole into memory and checks its CRC. zlib-rs does what libdeflate cannot:
//! a member that inflates to more than `WHOLE_PART_BYTES` is read as a stream, and the text of a member that the end of the
//! source cuts is kept.
//! Left out: the header's own CRC (FHCRC), which no known writer sets. Ours: the text of a member whose data or CRC is wrong
//! is not used at all, because any of its bytes may be wrong.

mod heads;
mod member;

pub use heads::{Decide, Wanted};
pub use member::header_bytes;

use super::damage::{Damage, DamageKind};
use super::libdeflate::{Inflated, Inflater};
use super::part_text::{HeldPart, MemberPart, PartText, WHOLE_PART_BYTES};
use super::warcinfo::Warcinfo;
use super::window::Window;
use heads::{Beginning, Heads};
use member::{MemberTrial, Slow, Stream, slow_inflate};
use std::io::Read;

/// The text buffer's first size; it grows fourfold to [`WHOLE_PART_BYTES`].
const FIRST_TEXT_BYTES: usize = 4 << 20;
/// How much of the source is read before a member is tried; few members are longer.
const LOW_WATER_BYTES: usize = 128 << 10;
const STREAM_STEP_BYTES: usize = 1 << 20;
/// ID1, ID2 and CM of every gzip member (RFC 1952 2.3.1).
pub const MAGIC: [u8; 3] = [0x1f, 0x8b, 0x08];

/// The text of a gzipped source, member by member.
pub struct GzipText<R> {
    /// The current part.
    pub part: PartText<R>,
    inflater: Inflater,
    /// The current member, if it is too long to hold.
    stream: Option<Box<Stream>>,
    heads: Option<Heads>,
    skipped: u64,
    trial: MemberTrial,
}

impl<R: Read> GzipText<R> {
    /// Starts before the first member of `window`.
    pub fn new(window: Window<R>) -> Self {
        Self {
            part: PartText::new(window),
            inflater: Inflater::new(),
            stream: None,
            heads: None,
            skipped: 0,
            trial: MemberTrial::new(),
        }
    }

    /// Inflates only as much of a member as `decide` wants, if it is safe to skip the rest; see `heads`.
    pub fn skip_bodies(&mut self, decide: Decide) {
        self.heads = Some(Heads::new(decide));
    }

    /// Returns the number of members whose rest was skipped.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Goes to the next member.
    pub fn next_part(&mut self, warcinfo: &mut Warcinfo) -> MemberPart {
        if let Some(damage) = self.leave_member() {
            return MemberPart::Damaged(damage);
        }
        loop {
            self.part.window.ensure(LOW_WATER_BYTES);
            if self.part.window.bytes().is_empty() {
                return MemberPart::End;
            }
            self.part.begin();
            if !self.part.window.bytes().starts_with(&MAGIC) {
                return MemberPart::Damaged(self.part.skip_junk(&mut self.trial, warcinfo));
            }
            if self.begin_heads(warcinfo) {
                return MemberPart::Text;
            }
            match self.inflate_fast() {
                Inflated::Whole { bytes: 0, compressed_bytes } => self.part.window.consume(compressed_bytes),
                Inflated::Whole { bytes, compressed_bytes } => {
                    self.hold_whole(compressed_bytes, bytes);
                    return MemberPart::Text;
                }
                Inflated::TooSmall => return self.begin_stream(),
                Inflated::Bad => {
                    if let Some(part) = self.next_hard_member(warcinfo) {
                        return part;
                    }
                }
            }
        }
    }

    /// Inflates more of a member that is read as a stream; returns whether any text came.
    pub fn more(&mut self) -> bool {
        let Some(stream) = self.stream.as_mut().filter(|stream| !stream.has_ended()) else { return false };
        self.part.move_to_start();
        if self.part.text.len() < self.part.end + STREAM_STEP_BYTES {
            self.part.text.resize(self.part.end + STREAM_STEP_BYTES, 0);
        }
        let buffer = self.part.text.get_mut(self.part.end..).unwrap_or_default();
        self.part.window.poll();
        let count = stream.read(&mut self.part.window, buffer);
        self.part.end += count;
        count > 0
    }

    /// Appends the text of the next member, unless it begins with a record; returns whether it did.
    pub fn join_member(&mut self, warcinfo: &Warcinfo) -> bool {
        let Self { part, inflater, .. } = self;
        part.window.ensure(LOW_WATER_BYTES);
        if part.held != HeldPart::Whole || !part.window.bytes().starts_with(&MAGIC) {
            return false;
        }
        loop {
            let space = part.text.get_mut(part.end..).unwrap_or_default();
            match inflater.inflate(part.window.bytes(), space) {
                Inflated::Whole { compressed_bytes, bytes } => {
                    return part.join(compressed_bytes, bytes, warcinfo);
                }
                Inflated::TooSmall if part.text.len() < WHOLE_PART_BYTES => {
                    part.text.resize((part.text.len() * 4).min(WHOLE_PART_BYTES), 0);
                }
                Inflated::Bad if part.window.bytes().len() < WHOLE_PART_BYTES && part.window.more() => {}
                Inflated::TooSmall | Inflated::Bad => return false,
            }
        }
    }

    fn hold_whole(&mut self, compressed_bytes: usize, bytes: usize) {
        self.part.window.consume(compressed_bytes);
        (self.part.end, self.part.held) = (bytes, HeldPart::Whole);
    }

    /// Inflates only the beginning of the member at hand, if that is wanted and safe.
    fn begin_heads(&mut self, warcinfo: &Warcinfo) -> bool {
        let Some(heads) = &mut self.heads else { return false };
        if self.part.text.len() < FIRST_TEXT_BYTES {
            self.part.text = vec![0; FIRST_TEXT_BYTES];
        }
        let Some(beginning) = heads.begin(&mut self.part.window, &mut self.part.text, warcinfo) else {
            return false;
        };
        let Beginning { bytes, compressed_bytes } = beginning;
        self.part.window.consume(compressed_bytes);
        (self.part.end, self.part.held) = (bytes, HeldPart::Skipped);
        self.skipped += 1;
        true
    }

    /// Inflates the member at hand with libdeflate, giving it a larger buffer while that may help.
    fn inflate_fast(&mut self) -> Inflated {
        if self.part.text.len() < FIRST_TEXT_BYTES {
            self.part.text = vec![0; FIRST_TEXT_BYTES];
        }
        let take_tried = |heads: &mut Heads| heads.take_tried(self.part.offset(), &mut self.part.text);
        if let Some(tried) = self.heads.as_mut().and_then(take_tried) {
            return tried;
        }
        loop {
            let outcome = self.inflater.inflate(self.part.window.bytes(), &mut self.part.text);
            let larger = (self.part.text.len() * 4).min(WHOLE_PART_BYTES);
            if outcome != Inflated::TooSmall || larger <= self.part.text.len() {
                return outcome;
            }
            self.part.text.resize(larger, 0);
        }
    }

    /// Distinguishes a member that is longer than the part read so far from one that is cut or damaged.
    fn next_hard_member(&mut self, warcinfo: &mut Warcinfo) -> Option<MemberPart> {
        match slow_inflate(&mut self.part.window, &mut self.part.text) {
            Slow::Whole { compressed_bytes, bytes: 0 } => {
                self.part.window.consume(compressed_bytes);
                None
            }
            Slow::Whole { compressed_bytes, bytes } => {
                self.hold_whole(compressed_bytes, bytes);
                Some(MemberPart::Text)
            }
            Slow::TooLong => Some(self.begin_stream()),
            Slow::Cut { bytes } => Some(self.part.end_cut(&mut self.trial, bytes, warcinfo)),
            Slow::Corrupt { compressed_bytes, bytes, kind } => {
                let detail = self.leave_corrupt(compressed_bytes, bytes, warcinfo);
                Some(self.part.corrupt(kind, detail))
            }
        }
    }

    fn begin_stream(&mut self) -> MemberPart {
        let Some(header_bytes) = header_bytes(self.part.window.bytes()) else {
            self.part.window.consume(MAGIC.len());
            let detail = "the gzip header is longer than what was read".to_owned();
            return self.part.corrupt(DamageKind::GzipData, detail);
        };
        self.part.window.consume(header_bytes);
        self.stream = Some(Box::new(Stream::new(self.part.offset())));
        self.part.held = HeldPart::Beginning;
        self.part.text.resize(FIRST_TEXT_BYTES, 0);
        self.part.text.shrink_to_fit();
        self.more();
        MemberPart::Text
    }

    fn leave_member(&mut self) -> Option<Damage> {
        // A stream may have been left early.
        while self.stream.is_some() {
            self.part.consume_all();
            if !self.more() {
                break;
            }
        }
        let was_cut = self.part.is_cut();
        self.part.held = HeldPart::Nothing;
        if was_cut {
            let detail =
                format!("the source ends {} bytes into the member's text; no CRC was checked", self.part.end);
            return Some(Damage::harmless(self.part.offset(), DamageKind::GzipCut, detail));
        }
        // A member that gave no text has lost the record that should be in it.
        let damage = self.stream.take()?.take_damage()?;
        Some(Damage { record_lost: self.part.consumed() == 0 && self.part.end == 0, ..damage })
    }
}
