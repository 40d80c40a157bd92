//! Where the next record is, once one does not end where it should.
//!
//! Example: `WARC/1.0` at the start of a line behind garbage. A page may hold such lines, too, so that a place which
//! was searched for is believed only as [`Warcinfo`] says.
//!
//! Ours: a length that is false may reach over other records. Where a record's end shows that it is, those inside
//! its block that carry the archive's id are read; of an archive without ids, each is a row of damage.
//! Left out: gzip members and zstd frames, which `gzip` and `zstd` search for.

use super::damage::{Damage, DamageKind};
use super::head::end_of_head;
use super::warcinfo::{Framing, Warcinfo};
use super::{Archive, Codec, HEAD_BYTES, RecordEnd, Rest, arc};
use crate::web::steps;
use memchr::{memchr_iter, memmem};
use std::collections::VecDeque;
use std::io::Read;

/// So much text is there when it is searched.
const SEARCHED_BYTES: usize = 2 * HEAD_BYTES;
/// So many places inside one block are rows of their own.
const INSIDE_PLACES: usize = 1 << 16;

/// How a search for a record went.
#[derive(Default)]
struct Search {
    /// Bytes passed over.
    skipped: u64,
    /// Places among them that look like a record and were not believed.
    refused: u64,
}

/// Whether a place that looks like a record has the archive's id.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Ours,
    None,
}

/// The places where a record may start.
type Places<'t> = Box<dyn Iterator<Item = (usize, Mark)> + 't>;

fn places<'t>(text: &'t [u8], starts_line: bool, warcinfo: &'t Warcinfo) -> Places<'t> {
    match warcinfo.framing() {
        Framing::Warc => Box::new(heads(text, starts_line, warcinfo)),
        Framing::Arc => Box::new(arc_lines(text, starts_line)),
    }
}

/// Returns the places where lines look like the start of a record with a head of at most [`HEAD_BYTES`].
fn heads<'t>(
    text: &'t [u8],
    starts_line: bool,
    warcinfo: &'t Warcinfo,
) -> impl Iterator<Item = (usize, Mark)> + 't {
    let (mut end, mut last_id) = (0, None);
    memmem::find_iter(text, b"WARC/").filter_map(move |at| {
        let starts_line = at.checked_sub(1).map_or(starts_line, |before| text.get(before) == Some(&b'\n'));
        if !starts_line || !warcinfo.starts_record(text.get(at..)?) {
            return None;
        }
        if at >= end {
            // The head that ends next ends behind all places up to there.
            end = end_of_head(text, at).unwrap_or(text.len());
            last_id = warcinfo.last_id_in(text.get(at..end)?).map(|id| at + id);
            steps::count(end - at);
        }
        let mark = if last_id >= Some(at) { Mark::Ours } else { Mark::None };
        (end - at <= HEAD_BYTES).then_some((at, mark))
    })
}

/// Returns the places of lines that begin a record of an ARC.
fn arc_lines(text: &[u8], starts_line: bool) -> impl Iterator<Item = (usize, Mark)> + '_ {
    let first = starts_line.then_some(0).into_iter();
    let starts = first.chain(memchr_iter(b'\n', text).map(|at| at + 1));
    starts
        .filter(|at| arc::starts_like_a_record(text.get(*at..).unwrap_or_default()))
        .map(|at| (at, Mark::None))
}

impl<R: Read> Archive<R> {
    /// Leaves the record given last behind.
    pub(super) fn leave_record(&mut self) {
        let rest = std::mem::take(&mut self.rest);
        match rest.end {
            RecordEnd::Clear => self.text.consume(rest.held),
            RecordEnd::Doubtful => self.leave_doubtful(&rest),
        }
    }

    /// Leaves a record behind whose length may be false.
    fn leave_doubtful(&mut self, rest: &Rest) {
        self.text.look_ahead(&mut self.warcinfo);
        self.text.consume(rest.head_bytes);
        let mut left = (rest.held - rest.head_bytes) as u64 + rest.to_come;
        let (mut starts_line, mut inside) = (true, Vec::new());
        while left > 0 {
            let (limit, ended) = self.searchable();
            let limit = usize::try_from(left).map_or(limit, |left| left.min(limit));
            let bytes = self.text.bytes();
            let mut found = None;
            for (at, mark) in places(bytes, starts_line, &self.warcinfo).take_while(|(at, _)| *at < limit) {
                if mark == Mark::Ours {
                    found = Some(at);
                    break;
                }
                if inside.len() < INSIDE_PLACES {
                    inside.push(self.text.offset_at(at));
                }
            }
            let count = found.unwrap_or(limit);
            starts_line = count.checked_sub(1).and_then(|last| bytes.get(last)) == Some(&b'\n');
            self.text.consume(count);
            left -= count as u64;
            if found.is_some() {
                let detail = "a record of this archive begins inside its block: its Content-Length is false";
                let damage = Damage::harmless(rest.offset, DamageKind::Misaligned, detail.to_owned());
                return self.queued.push_front(damage);
            }
            if ended && left > 0 && self.text.bytes().is_empty() {
                let detail = format!("the block ends {left} bytes before its Content-Length");
                self.queued.push_back(Damage::harmless(rest.offset, DamageKind::BlockShort, detail));
                return self.lose(rest, &inside);
            }
        }
        if rest.to_come == 0 || !self.goes_on(0) {
            self.lose(rest, &inside);
        }
    }

    /// Notes the records that a false length may have taken with it. Of an archive with ids none of them is a record,
    /// nor is a line in a member with one record of an ARC.
    fn lose(&mut self, rest: &Rest, inside: &[u64]) {
        let is_alone = self.part_records == 1 && self.text.codec() != Codec::Plain;
        if self.warcinfo.carried_id().is_some() || (self.warcinfo.framing() == Framing::Arc && is_alone) {
            return;
        }
        let lost = inside.iter().map(|place| {
            let detail = format!(
                "what may be a record begins inside the block of the record at {}, whose length is false",
                rest.offset
            );
            Damage::lost(*place, DamageKind::InsideBlock, detail)
        });
        let mut queued: VecDeque<Damage> = lost.collect();
        queued.append(&mut self.queued);
        self.queued = queued;
    }

    /// Returns whether behind the next `at` bytes there is nothing but line ends, or a record after them.
    pub(super) fn goes_on(&mut self, at: usize) -> bool {
        const VERSION: &[u8] = b"WARC/";
        const LINE_ENDS: usize = 4;
        let framing = self.warcinfo.framing();
        let start_bytes = match framing {
            Framing::Warc => VERSION.len(),
            Framing::Arc => arc::LINE_BYTES,
        };
        self.text.ensure(at.saturating_add(LINE_ENDS + start_bytes));
        let behind = self.text.bytes().get(at..).unwrap_or_default();
        let ends = behind.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let next = behind.get(ends..).unwrap_or_default();
        next.is_empty()
            || match framing {
                Framing::Warc => {
                    let count = next.len().min(VERSION.len());
                    next.get(..count)
                        .zip(VERSION.get(..count))
                        .is_some_and(|(a, b)| a.eq_ignore_ascii_case(b))
                }
                Framing::Arc => ends > 0 && (arc::starts_like_a_record(next) || arc::is_cut_line(next)),
            }
    }

    /// Leaves a record behind whose head does not end.
    pub(super) fn leave_headless(&mut self) -> Damage {
        let offset = self.text.offset();
        let count = self.text.bytes().len();
        if count > HEAD_BYTES {
            self.text.consume(5);
            self.skip_to_record();
            let detail = format!("no empty line within {HEAD_BYTES} bytes");
            return Damage::lost(offset, DamageKind::HeadTooLong, detail);
        }
        self.text.consume(count);
        let detail = format!("the text ends {count} bytes into the head");
        Damage::lost(offset, DamageKind::HeadCut, detail)
    }

    /// Searches for a record where one should be and is not.
    pub(super) fn search_record(&mut self) -> Damage {
        let offset = self.text.offset();
        let first = self.text.bytes().get(..24).unwrap_or(self.text.bytes()).escape_ascii().to_string();
        let search = self.skip_to_record();
        let skipped = search.skipped;
        if self.part_records == 0 {
            let detail = format!("{skipped} bytes that are no record, starting with \"{first}\"");
            Damage::lost(offset, DamageKind::NotARecord, detail)
        } else if search.refused > 0 {
            let detail = format!(
                "{skipped} bytes behind a block, starting with \"{first}\"; in them {} that may be records but do not carry this archive's WARC-Warcinfo-ID",
                search.refused
            );
            Damage::lost(offset, DamageKind::Misaligned, detail)
        } else {
            let detail = format!(
                "{skipped} bytes between the end of a block and the next record, starting with \"{first}\""
            );
            Damage::harmless(offset, DamageKind::Misaligned, detail)
        }
    }

    /// Skips to the next line of this part at which a record of this archive starts.
    fn skip_to_record(&mut self) -> Search {
        if self.warcinfo.framing() == Framing::Arc {
            return Search { skipped: self.skip_to_arc_line(), refused: 0 };
        }
        self.text.look_ahead(&mut self.warcinfo);
        let mut search = Search::default();
        let mut starts_line = false;
        loop {
            let (limit, ended) = self.searchable();
            let bytes = self.text.bytes();
            let mut found = None;
            for (at, mark) in places(bytes, starts_line, &self.warcinfo).take_while(|(at, _)| *at < limit) {
                if mark == Mark::Ours || self.warcinfo.carried_id().is_none() {
                    found = Some(at);
                    break;
                }
                search.refused += 1;
            }
            let count = found.unwrap_or(limit);
            starts_line = count.checked_sub(1).and_then(|last| bytes.get(last)) == Some(&b'\n');
            self.text.consume(count);
            search.skipped += count as u64;
            if found.is_some() || ended {
                return search;
            }
        }
    }

    /// Gets text to be searched; returns how far, and whether it is the end of its part. Of a head that starts
    /// within, all is there that is read of it.
    fn searchable(&mut self) -> (usize, bool) {
        let held = self.text.ensure(SEARCHED_BYTES);
        let ended = held < SEARCHED_BYTES;
        (if ended { held } else { held - HEAD_BYTES }, ended)
    }
}
