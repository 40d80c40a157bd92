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

pub use heads::{Decide, MemberHeads, Wanted};
pub use member::header_bytes;

use super::libdeflate::{Inflated, Inflater};
use super::part_text::{HeldPart, PartBytes, WHOLE_PART_BYTES};
use super::{Damage, DamageKind, MemberPart, PartText, Warcinfo};
use flate2::{Decompress, DecompressError, FlushDecompress, Status};
use member::{MemberText, MemberTrial, Stream, slow_inflate};
use std::io::Read;

/// The text buffer's first size; it grows fourfold to [`WHOLE_PART_BYTES`].
const FIRST_TEXT_BYTES: usize = 4 << 20;
const SHORTEST_TEXT_BYTES: usize = 64 << 10;
/// How much of the source is read before a member is tried; few members are longer.
const LOW_WATER_BYTES: usize = 128 << 10;
const STREAM_STEP_BYTES: usize = 1 << 20;
/// ID1, ID2 and CM of every gzip member (RFC 1952 2.3.1).
pub const MAGIC: [u8; 3] = [0x1f, 0x8b, 0x08];

/// The members of a gzipped source, one after the other.
pub struct GzipText {
    inflater: Inflater,
    /// The length of the text buffer at first.
    first_bytes: usize,
    /// The current member, if it is too long to hold.
    stream: Option<Box<Stream>>,
    /// If set, it inflates only as much of a member as is wanted, where it is safe to skip the rest.
    pub heads: Option<MemberHeads>,
    pub skipped: u64,
    pub(super) trial: MemberTrial,
}

/// The status of an inflater, and the bytes that it read and wrote.
type InflateStep = (Result<Status, DecompressError>, PartBytes);

pub(crate) fn inflate_step(
    inflate: &mut Decompress,
    input: &[u8],
    output: &mut [u8],
) -> InflateStep {
    let (read, written) = (inflate.total_in(), inflate.total_out());
    let status = inflate.decompress(input, output, FlushDecompress::None);
    let since = |now: u64, before: u64| usize::try_from(now - before).unwrap_or(0);
    (
        status,
        PartBytes {
            source: since(inflate.total_in(), read),
            text: since(inflate.total_out(), written),
        },
    )
}

fn grow(text: &mut Vec<u8>) {
    text.resize((text.len() * 4).min(WHOLE_PART_BYTES), 0);
}

impl GzipText {
    /// Makes the members of a source with at most `bytes` bytes.
    pub(super) fn new(bytes: u64) -> Self {
        let (inflater, trial) = (Inflater::new(), MemberTrial::new());
        // Most text is less than eight times as long as its data; where it is longer, the buffer grows.
        let first_bytes = usize::try_from(bytes.saturating_mul(8)).unwrap_or(FIRST_TEXT_BYTES);
        let first_bytes = first_bytes.clamp(SHORTEST_TEXT_BYTES, FIRST_TEXT_BYTES);
        Self {
            inflater,
            first_bytes,
            stream: None,
            heads: None,
            skipped: 0,
            trial,
        }
    }

    pub fn next_part<R: Read>(
        &mut self,
        part: &mut PartText<R>,
        warcinfo: &mut Warcinfo,
    ) -> MemberPart {
        if let Some(damage) = self.leave_member(part) {
            return MemberPart::Damaged(damage);
        }
        loop {
            part.window.ensure(LOW_WATER_BYTES);
            if part.window.bytes().is_empty() {
                return MemberPart::End;
            }
            part.begin();
            if !part.window.bytes().starts_with(&MAGIC) {
                return MemberPart::Damaged(part.skip_junk(&mut self.trial, warcinfo));
            }
            if part.text.len() < self.first_bytes {
                part.text = vec![0; self.first_bytes];
            }
            if let Some(heads) = &mut self.heads
                && let Some(beginning) = heads.begin(part, warcinfo)
            {
                part.hold(beginning, HeldPart::Skipped);
                self.skipped += 1;
                return MemberPart::Text;
            }
            let whole = match self.inflate(part) {
                MemberText::Whole(whole) => whole,
                MemberText::TooLong => return self.begin_stream(part),
                MemberText::Cut(bytes) => return part.end_cut(&mut self.trial, bytes, warcinfo),
                MemberText::Corrupt(corrupt, kind) => {
                    let detail = self.leave_corrupt(part, corrupt, warcinfo);
                    return part.corrupt(kind, detail);
                }
            };
            if whole.text > 0 {
                part.hold(whole, HeldPart::Whole);
                return MemberPart::Text;
            }
            part.window.consume(whole.source);
        }
    }

    /// Inflates more of a member that is read as a stream; returns whether any text came.
    pub fn more<R: Read>(&mut self, part: &mut PartText<R>) -> bool {
        let Some(stream) = self.stream.as_mut().filter(|stream| !stream.ended) else {
            return false;
        };
        part.move_to_start();
        if part.text.len() < part.end + STREAM_STEP_BYTES {
            part.text.resize(part.end + STREAM_STEP_BYTES, 0);
        }
        let buffer = part.text.get_mut(part.end..).unwrap_or_default();
        part.window.poll();
        let count = stream.read(&mut part.window, buffer);
        part.end += count;
        count > 0
    }

    /// Appends the text of the next member, unless it begins with a record; returns whether it did.
    pub fn join_member<R: Read>(&mut self, part: &mut PartText<R>, warcinfo: &Warcinfo) -> bool {
        part.window.ensure(LOW_WATER_BYTES);
        if part.held != HeldPart::Whole || !part.window.bytes().starts_with(&MAGIC) {
            return false;
        }
        loop {
            let space = part.text.get_mut(part.end..).unwrap_or_default();
            match self.inflater.inflate(part.window.bytes(), space) {
                Inflated::Whole(next) => return part.join(next, warcinfo),
                Inflated::TooSmall if part.text.len() < WHOLE_PART_BYTES => grow(&mut part.text),
                Inflated::Bad
                    if part.window.bytes().len() < WHOLE_PART_BYTES && part.window.more() => {}
                Inflated::TooSmall | Inflated::Bad => return false,
            }
        }
    }

    /// Inflates the member at hand, if possible with libdeflate, giving it a larger buffer while that may help.
    fn inflate<R: Read>(&mut self, part: &mut PartText<R>) -> MemberText {
        let take_tried = |heads: &mut MemberHeads| heads.take_tried(part.offset, &mut part.text);
        if let Some(tried) = self.heads.as_mut().and_then(take_tried) {
            return MemberText::Whole(tried);
        }
        loop {
            match self.inflater.inflate(part.window.bytes(), &mut part.text) {
                Inflated::Whole(whole) => return MemberText::Whole(whole),
                Inflated::Bad => return slow_inflate(&mut part.window, &mut part.text),
                Inflated::TooSmall if part.text.len() >= WHOLE_PART_BYTES => {
                    return MemberText::TooLong;
                }
                Inflated::TooSmall => grow(&mut part.text),
            }
        }
    }

    fn begin_stream<R: Read>(&mut self, part: &mut PartText<R>) -> MemberPart {
        let Some(header_bytes) = header_bytes(part.window.bytes()) else {
            part.window.consume(MAGIC.len());
            let detail = "the gzip header is longer than what was read".to_owned();
            return part.corrupt(DamageKind::GzipData, detail);
        };
        part.window.consume(header_bytes);
        self.stream = Some(Box::new(Stream::new(part.offset)));
        part.held = HeldPart::Beginning;
        part.text.resize(FIRST_TEXT_BYTES, 0);
        part.text.shrink_to_fit();
        self.more(part);
        MemberPart::Text
    }

    fn leave_member<R: Read>(&mut self, part: &mut PartText<R>) -> Option<Damage> {
        // A stream may have been left early.
        while self.stream.is_some() {
            part.consume(usize::MAX);
            if !self.more(part) {
                break;
            }
        }
        if std::mem::replace(&mut part.held, HeldPart::Nothing) == HeldPart::Cut {
            let detail = format!(
                "the source ends {} bytes into the member's text; no CRC was checked",
                part.end
            );
            return Some(Damage::harmless(part.offset, DamageKind::GzipCut, detail));
        }
        // A member that gave no text has lost the record that should be in it.
        let damage = self.stream.take()?.damage?;
        Some(Damage {
            record_lost: part.consumed == 0 && part.end == 0,
            ..damage
        })
    }
}
