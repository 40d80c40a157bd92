//! Where the next record is after one that does not end where it should.
//!
//! Example: `WARC/1.0` at the start of a line behind garbage. A page may also hold such lines, so a place found by searching
//! is believed only as [`Warcinfo`] says.
//! FRAME-2: a false length may reach over other records. Those inside its block that carry the archive's id are read. In an
//! archive without ids, reading goes on at the first whose own length is confirmed, if the block is complete and so provably
//! no such block; if the block may be cut, each of them is a row of damage.
//! Left out: gzip members and zstd frames, which `gzip` and `zstd` search for.

use super::arc::{LINE_BYTES, place_in_line};
use super::{
    Archive, Codec, Damage, DamageKind, Doubt, Framing, HEAD_BYTES, LengthProof, Rest, Warcinfo,
};
use super::{STREAMED_BLOCK_BYTES, gzip, head::end_of_head, two_heads::is_version_line};
use crate::web::steps;
use memchr::{memchr_iter, memmem};
use std::io::Read;

/// How much text is read before it is searched.
const SEARCHED_BYTES: usize = 2 * HEAD_BYTES;
/// How many places inside one block get rows of their own; any number of this size.
const INSIDE_PLACES: usize = 1 << 16;

#[derive(Default)]
struct Search {
    skipped: u64,
    /// Places among them that look like a record but were not believed.
    refused: u64,
    /// Whether they end in the beginning of a head.
    ends_in_head: bool,
}

/// A place that looks like a record.
#[derive(Clone, Copy)]
pub(super) struct RecordStart {
    pub(super) at: usize,
    pub(super) head_end: usize,
    /// Whether it has the archive's id.
    pub(super) is_ours: bool,
    /// Whether it begins here, and not at another place of its line.
    is_sure: bool,
}

type RecordStarts<'t> = Box<dyn Iterator<Item = RecordStart> + 't>;

/// Returns the places in a text that look like a record.
pub(super) fn places<'t>(
    text: &'t [u8],
    starts_line: bool,
    warcinfo: &'t Warcinfo,
) -> RecordStarts<'t> {
    if warcinfo.framing.is_line() {
        Box::new(lines(text, starts_line, warcinfo.framing))
    } else {
        Box::new(heads(text, starts_line, warcinfo))
    }
}

/// Returns the places that look like the start of a record with a head of at most [`HEAD_BYTES`]: at the start of a line, or
/// anywhere if the rest of the line is a version, as behind a record that a writer left inside its block (FRAME-2).
fn heads<'t>(
    text: &'t [u8],
    starts_line: bool,
    warcinfo: &'t Warcinfo,
) -> impl Iterator<Item = RecordStart> + 't {
    let (mut end, mut last_id) = (0, None);
    memmem::find_iter(text, b"WARC/").filter_map(move |at| {
        let starts_line = at
            .checked_sub(1)
            .map_or(starts_line, |before| text.get(before) == Some(&b'\n'));
        let head = text.get(at..)?;
        if !(is_version_line(head) || (starts_line && warcinfo.framing.starts_record(head))) {
            return None;
        }
        if at >= end {
            // The next end of a head is behind all places up to there.
            end = end_of_head(text, at).unwrap_or(text.len());
            last_id = warcinfo.last_id_in(text.get(at..end)?).map(|id| at + id);
            steps::count(end - at);
        }
        let start = RecordStart {
            at,
            head_end: end,
            is_ours: last_id >= Some(at),
            is_sure: true,
        };
        (end - at <= HEAD_BYTES).then_some(start)
    })
}

fn lines(
    text: &[u8],
    starts_line: bool,
    framing: Framing,
) -> impl Iterator<Item = RecordStart> + '_ {
    let starts = std::iter::once(0).chain(memchr_iter(b'\n', text).map(|at| at + 1));
    starts.filter_map(move |at| {
        let rest = text.get(at..)?;
        let end = framing.head_end(rest, 0).unwrap_or(rest.len());
        let start = |place, is_sure| RecordStart {
            at: at + place,
            head_end: at + end,
            is_ours: false,
            is_sure,
        };
        if (at > 0 || starts_line) && framing.starts_record(rest) {
            return Some(start(0, true));
        }
        let line = rest.get(..end).filter(|line| line.len() <= LINE_BYTES)?;
        place_in_line(line).map(|(place, is_sure)| start(place, is_sure))
    })
}

impl<R: Read> Archive<R> {
    pub(super) fn leave_record(&mut self) {
        let rest = std::mem::take(&mut self.rest);
        if rest.proof != LengthProof::Confirmed {
            return self.leave_doubtful(&rest);
        }
        self.part.consume(rest.held);
        self.may_begin = true;
    }

    fn leave_doubtful(&mut self, rest: &Rest) {
        self.look_ahead();
        self.part.consume(rest.head_bytes);
        let mut left = (rest.held - rest.head_bytes) as u64 + rest.to_come;
        let (mut starts_line, mut inside) = (true, Vec::new());
        while left > 0 {
            let (limit, ended) = self.searchable();
            let limit = usize::try_from(left).map_or(limit, |left| left.min(limit));
            let found = self.find_inside(limit, starts_line, rest, &mut inside);
            let count = found.unwrap_or(limit);
            starts_line = self.pass(count);
            left -= count as u64;
            if found.is_some() {
                self.may_begin = true;
                let detail =
                    "a record of this archive begins inside its block: its Content-Length is false";
                let damage =
                    Damage::harmless(rest.offset, DamageKind::Misaligned, detail.to_owned());
                self.queued.push_front(damage);
                return self.lose(rest, &inside);
            }
            if ended && left > 0 && self.part.bytes().is_empty() {
                let detail = format!("the block ends {left} bytes before its Content-Length");
                self.queued.push_back(Damage::harmless(
                    rest.offset,
                    DamageKind::BlockShort,
                    detail,
                ));
                return self.lose(rest, &inside);
            }
        }
        if rest.to_come == 0 || !self.goes_on(0) {
            self.lose(rest, &inside);
        }
    }

    /// Returns where reading goes on in the next `limit` bytes of a block of false length; adds earlier heads to `inside`.
    fn find_inside(
        &mut self,
        limit: usize,
        starts_line: bool,
        rest: &Rest,
        inside: &mut Vec<u64>,
    ) -> Option<usize> {
        let believes = self.warcinfo.carried_id().is_none()
            && rest.proof == LengthProof::False
            && !rest.is_undecided
            && self.searches_part();
        let starts = places(self.part.bytes(), starts_line, &self.warcinfo);
        let starts: Vec<RecordStart> = starts.take_while(|start| start.at < limit).collect();
        for (start, next) in starts
            .iter()
            .zip(starts.iter().skip(1).map(Some).chain([None]))
        {
            // Only the last of several heads that end together is tried.
            let is_tried = next.is_none_or(|next| next.head_end != start.head_end);
            if start.is_ours || (believes && start.is_sure && is_tried && self.is_confirmed(*start))
            {
                self.doubt = if start.is_ours {
                    Doubt::None
                } else {
                    self.doubt.max(Doubt::Before(rest.end))
                };
                return Some(start.at);
            }
            if inside.len() < INSIDE_PLACES {
                inside.push(self.part.offset_at(start.at));
            }
        }
        None
    }

    /// Returns whether the record that may start at a place has a confirmed length.
    fn is_confirmed(&mut self, start: RecordStart) -> bool {
        let head = self
            .part
            .bytes()
            .get(start.at..start.head_end)
            .unwrap_or_default();
        let length = self.warcinfo.framing.block_bytes(head, &mut self.fields);
        let length = length.and_then(|length| usize::try_from(length).ok());
        let length = length.filter(|length| *length <= STREAMED_BLOCK_BYTES);
        length
            .map(|length| start.head_end + length)
            .is_some_and(|end| self.ensure(end) >= end && self.goes_on(end))
    }

    /// Notes the records that may be lost to a false length. In an archive with ids none of the places is a record, nor is a
    /// line in an ARC member with one record.
    fn lose(&mut self, rest: &Rest, inside: &[u64]) {
        let is_alone = self.part_records == 1 && self.codec() != Codec::Plain;
        if self.warcinfo.carried_id().is_some() || (self.warcinfo.framing.is_line() && is_alone) {
            return;
        }
        let detail = format!(
            "what may be a record begins inside the block of the record at {}, whose length is false",
            rest.offset
        );
        let lost = |place: &u64| Damage::lost(*place, DamageKind::InsideBlock, detail.clone());
        let later = std::mem::take(&mut self.queued);
        self.queued = inside.iter().map(lost).chain(later).collect();
    }

    /// Returns whether the next `at` bytes are followed only by line ends, or by line ends and a record.
    pub(super) fn goes_on(&mut self, at: usize) -> bool {
        const LINE_ENDS: usize = 4;
        /// More line ends than these are garbage.
        const MOST_LINE_ENDS: usize = 64 << 10;
        let framing = self.warcinfo.framing;
        let start_bytes = framing.start_bytes();
        let mut wanted = LINE_ENDS + start_bytes;
        let ends = loop {
            let held = self.ensure(at.saturating_add(wanted));
            let behind = self.part.bytes().get(at..).unwrap_or_default();
            let ends = behind
                .iter()
                .take_while(|byte| matches!(byte, b'\r' | b'\n'))
                .count();
            if ends + start_bytes <= wanted || held < at.saturating_add(wanted) {
                break ends;
            }
            if ends > MOST_LINE_ENDS {
                return false;
            }
            wanted = 2 * ends + start_bytes;
        };
        let next = self.part.bytes().get(at + ends..).unwrap_or_default();
        // FRAME-3: a line end may be missing if another record is expected in this part.
        let is_expected = !framing.is_line() || self.searches_part();
        let may_follow = ends > 0 || (is_expected && framing.needs_no_line_end(next));
        // A head that the end of the input cuts must be behind a line end.
        next.is_empty()
            || (may_follow && (framing.starts_record(next) || framing.is_broken_off(next)))
            || (ends > 0 && framing.is_cut_head(next))
    }

    pub(super) fn leave_headless(&mut self) -> Damage {
        let offset = self.part.offset_at(0);
        let count = self.part.bytes().len();
        if count > HEAD_BYTES {
            self.part.consume(5);
            self.skip_to_record();
            let detail = format!("no empty line within {HEAD_BYTES} bytes");
            return Damage::lost(offset, DamageKind::HeadTooLong, detail);
        }
        self.part.consume(count);
        let detail = format!("the text ends {count} bytes into the head");
        Damage::lost(offset, DamageKind::HeadCut, detail)
    }

    /// Searches for a record at a place where one should be and is not.
    pub(super) fn search_record(&mut self) -> Damage {
        let offset = self.part.offset_at(0);
        let first = self
            .part
            .bytes()
            .get(..24)
            .unwrap_or(self.part.bytes())
            .escape_ascii()
            .to_string();
        let is_member = self.part.bytes().starts_with(&gzip::MAGIC);
        let search = self.skip_to_record();
        // FRAME-3: an ARC holds only records.
        let may_be_records = is_member || (self.warcinfo.framing.is_line() && self.searches_part());
        let (kind, record_lost, what) = match () {
            () if self.part_records == 0 => (DamageKind::NotARecord, true, "that are no record"),
            () if search.refused > 0 => (DamageKind::Misaligned, true, "behind a block"),
            () if search.ends_in_head => (
                DamageKind::HeadCut,
                true,
                "that end inside the head of a record",
            ),
            () if may_be_records => (
                DamageKind::Misaligned,
                true,
                "that are no record behind a block",
            ),
            () => (
                DamageKind::Misaligned,
                false,
                "between the end of a block and the next record",
            ),
        };
        let mut detail = format!("{} bytes {what}, starting with \"{first}\"", search.skipped);
        if kind == DamageKind::Misaligned && search.refused > 0 {
            let refused = search.refused;
            let more = format!(
                "; in them {refused} that may be records and are not proved to be of this archive"
            );
            detail.push_str(&more);
        }
        Damage {
            offset,
            kind,
            detail,
            record_lost,
            inner: None,
        }
    }

    /// Skips to the next line of this part at which a record of this archive starts, if this part is searched.
    fn skip_to_record(&mut self) -> Search {
        self.look_ahead();
        let believes = self.warcinfo.carried_id().is_none() && self.searches_part();
        let mut search = Search::default();
        let mut starts_line = false;
        loop {
            let (limit, ended) = self.searchable();
            let starts = places(self.part.bytes(), starts_line, &self.warcinfo);
            let found = starts.take_while(|start| start.at < limit).find(|start| {
                let is_found = start.is_ours || (believes && start.is_sure);
                search.refused += u64::from(!is_found);
                is_found
            });
            let count = found.map_or(limit, |start| start.at);
            if let Some(start) = found {
                self.doubt = if start.is_ours {
                    Doubt::None
                } else {
                    Doubt::OfPart
                };
                let passed = self.part.bytes().get(..count).unwrap_or_default();
                search.ends_in_head |= self.warcinfo.framing.ends_in_head(passed);
            }
            starts_line = self.pass(count);
            search.skipped += count as u64;
            if found.is_some() || ended {
                self.may_begin = found.is_some();
                return search;
            }
        }
    }

    /// Passes over text; returns whether it ended with a line end.
    fn pass(&mut self, count: usize) -> bool {
        let ends_line = self
            .part
            .bytes()
            .get(..count)
            .is_some_and(|passed| passed.ends_with(b"\n"));
        self.part.consume(count);
        ends_line
    }

    /// Reads text to be searched; returns how many bytes of it to search, and whether it is the end of its part. A head that
    /// starts within these bytes is in the buffer up to the length limit.
    fn searchable(&mut self) -> (usize, bool) {
        let held = self.ensure(SEARCHED_BYTES);
        if held < SEARCHED_BYTES {
            (held, true)
        } else {
            (held - HEAD_BYTES, false)
        }
    }
}
