//! Members that are inflated only at their beginning; the rest is skipped.
//!
//! A page may hold what looks like a member with a record, so the next member is believed only if all of this holds;
//! otherwise the member at hand is inflated whole, which shows where the next one is:
//! 1. The archive's records carry the random id of its warcinfo record, which no server can know during the crawl.
//! 2. The first candidate behind the beginning whose text begins with `WARC/` decides; no later one is examined.
//! 3. The four bytes before it (ISIZE, RFC 1952 2.3.1) are the length of the record at hand, by its Content-Length.
//! 4. The WARC-Warcinfo-ID of the candidate is the archive's.
//!
//! Left out: the CRC of what is skipped.

use super::super::libdeflate::{Inflated, Inflater};
use super::super::{Framing, Head, HeadFields, PartText, Record, Warcinfo, Window};
use super::super::{behind::TRIAL_BYTES, head::end_of_head, part_text::PartBytes};
use super::member::header_bytes;
use super::{MAGIC, inflate_step};
use flate2::{Decompress, FlushDecompress, Status};
use memchr::memmem;
use std::io::Read;

/// How much text is inflated; each step is taken if the one before was not enough.
const STEPS_BYTES: [usize; 6] = [2 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20];
/// A shorter member is inflated whole, which is faster.
const SHORT_BYTES: usize = 1500;
/// How many candidates are examined for a member.
const CANDIDATES: usize = 64;
const SEARCHED_BYTES: usize = 64 << 20;
/// The two empty lines behind a block.
const LINE_ENDS: u64 = 4;

/// How much of a record is wanted when its beginning has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    Beginning,
    /// More of it, to decide.
    More,
    Whole,
}

pub type Decide = Box<dyn FnMut(&Record<'_>) -> Wanted + Send>;

pub struct MemberHeads {
    decide: Decide,
    inflate: Decompress,
    whole: Inflater,
    fields: HeadFields,
    trial: [u8; TRIAL_BYTES],
    /// The offset of the candidate that was inflated whole, and its lengths.
    tried: Option<(u64, PartBytes)>,
}

impl MemberHeads {
    pub fn new(decide: Decide) -> Self {
        let (inflate, whole, fields) = (
            Decompress::new(false),
            Inflater::new(),
            HeadFields::default(),
        );
        Self {
            decide,
            inflate,
            whole,
            fields,
            trial: [0; TRIAL_BYTES],
            tried: None,
        }
    }

    /// Inflates the beginning of the member at the window's start, consumes nothing; returns the lengths of the member and of its
    /// beginning. `None`: inflate it whole.
    pub fn begin<R: Read>(
        &mut self,
        part: &mut PartText<R>,
        warcinfo: &Warcinfo,
    ) -> Option<PartBytes> {
        let PartText { window, text, .. } = part;
        let id = warcinfo.carried_id()?;
        let start = window.bytes().get(MAGIC.len()..SHORT_BYTES)?;
        if memmem::find(start, &MAGIC).is_some() {
            return None;
        }
        let header_bytes = header_bytes(window.bytes())?;
        self.inflate.reset(false);
        for step in STEPS_BYTES {
            let read = self.inflate_to(window, header_bytes, text.get_mut(..step)?)?;
            match self.decide(text.get(..step)?) {
                (Wanted::Whole, _) => return None,
                (Wanted::More, _) => {}
                (Wanted::Beginning, length) => {
                    let source = self.next_member(window, read, length?, id)?;
                    return Some(PartBytes { source, text: step });
                }
            }
        }
        None
    }

    /// Inflates until `text` is full; returns how much of the member that took, or `None` if the member ends before.
    fn inflate_to<R: Read>(
        &mut self,
        window: &mut Window<R>,
        header_bytes: usize,
        text: &mut [u8],
    ) -> Option<usize> {
        loop {
            let read = header_bytes + usize::try_from(self.inflate.total_in()).ok()?;
            let target = text.get_mut(usize::try_from(self.inflate.total_out()).ok()?..)?;
            if target.is_empty() {
                return Some(read);
            }
            let data = window.bytes().get(read..).unwrap_or_default();
            let (status, step) = inflate_step(&mut self.inflate, data, target);
            let is_stuck = step.source + step.text == 0;
            if status.ok()? == Status::StreamEnd || (is_stuck && !window.more()) {
                return None;
            }
        }
    }

    /// Asks how much of the record at the start of `text` is wanted; also returns the record's length according to its head.
    fn decide(&mut self, text: &[u8]) -> (Wanted, Option<u64>) {
        if !Framing::Warc.starts_record(text) {
            return (Wanted::Whole, None);
        }
        let Some(head_bytes) = end_of_head(text, 0) else {
            return (Wanted::More, None);
        };
        let (head_text, block) = text.split_at(head_bytes);
        let declared = Framing::Warc.block_bytes(head_text, &mut self.fields);
        let Some(declared) = declared else {
            return (Wanted::Whole, None);
        };
        if Framing::Warc.second_head(head_text, &self.fields).is_some() {
            return (Wanted::Whole, None);
        }
        let mut record = Framing::Warc.record(head_text, &self.fields, block);
        record.length = declared;
        record.block_is_whole = block.len() as u64 >= declared;
        let length = declared.checked_add(head_bytes as u64 + LINE_ENDS);
        ((self.decide)(&record), length)
    }

    /// Returns where the next member starts, if it can be believed.
    fn next_member<R: Read>(
        &mut self,
        window: &mut Window<R>,
        mut from: usize,
        length: u64,
        id: &[u8],
    ) -> Option<usize> {
        let mut candidates = 0;
        while from < SEARCHED_BYTES && candidates < CANDIDATES {
            let Some(found) = memmem::find(window.bytes().get(from..)?, &MAGIC).map(|at| from + at)
            else {
                from = window
                    .bytes()
                    .len()
                    .saturating_sub(MAGIC.len() - 1)
                    .max(from);
                if !window.more() {
                    return None;
                }
                continue;
            };
            window.ensure(found + TRIAL_BYTES);
            let offset = window.offset + found as u64;
            if let Some(is_ours) = self.is_ours(window.bytes().get(found..)?, offset, id) {
                let trailer = window.bytes().get(found.checked_sub(4)?..found)?;
                let isize = u32::from_le_bytes(trailer.try_into().ok()?);
                let agrees = u64::from(isize) == length & u64::from(u32::MAX);
                return (is_ours && agrees).then_some(found);
            }
            (from, candidates) = (found + 1, candidates + 1);
        }
        None
    }

    /// Returns whether the record that begins a member carries `id`; `None` if the member does not begin with a record.
    fn is_ours(&mut self, member: &[u8], offset: u64, id: &[u8]) -> Option<bool> {
        let bytes = self.try_member(member, offset)?;
        let text = self.trial.get(..bytes)?;
        if !Framing::Warc.starts_record(text) {
            return None;
        }
        let Some(head) = end_of_head(text, 0).and_then(|end| text.get(..end)) else {
            return Some(false);
        };
        self.fields.read(head);
        Some(Head::new(head, &self.fields).field(b"warc-warcinfo-id") == Some(id))
    }

    /// Inflates the beginning of a member and returns its length; a short member is inflated whole, which is faster, and kept.
    fn try_member(&mut self, member: &[u8], offset: u64) -> Option<usize> {
        let short = member.get(..TRIAL_BYTES).unwrap_or(member);
        if let Inflated::Whole(part) = self.whole.inflate(short, &mut self.trial) {
            self.tried = Some((offset, part));
            return Some(part.text);
        }
        self.tried = None;
        self.inflate.reset(false);
        let data = short.get(header_bytes(short)?..)?;
        // Text inflated before an error counts: a plausible candidate must not be passed over.
        let _ = self
            .inflate
            .decompress(data, &mut self.trial, FlushDecompress::None);
        usize::try_from(self.inflate.total_out()).ok()
    }

    /// Writes the text of the member at `offset` into `text`, if it was inflated whole as a candidate.
    pub fn take_tried(&mut self, offset: u64, text: &mut [u8]) -> Option<PartBytes> {
        let (_, part) = self.tried.take_if(|(tried, _)| *tried == offset)?;
        text.get_mut(..part.text)?
            .copy_from_slice(self.trial.get(..part.text)?);
        Some(part)
    }
}
