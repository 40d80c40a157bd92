//! The text of an archive, plain or compressed, behind one interface for the framing.

use super::format::Codec;
use super::gzip::GzipText;
use super::part_text::{MemberPart, PartText};
use super::record::Place;
use super::warcinfo::{LOOK_AHEAD_BYTES, Warcinfo};
use super::window::Window;
use super::zstd::ZstdText;
use std::io::{self, Read};

pub enum ArchiveText<R> {
    /// A file of records without compression.
    Plain {
        /// Its bytes.
        window: Window<R>,
        /// Whether reading has begun.
        begun: bool,
    },
    /// A file of gzip members.
    Gzip(Box<GzipText<R>>),
    /// A file of zstd frames.
    Zstd(Box<ZstdText<R>>),
}

impl<R: Read> ArchiveText<R> {
    fn part(&self) -> Result<&PartText<R>, &Window<R>> {
        match self {
            Self::Plain { window, .. } => Err(window),
            Self::Gzip(gzip) => Ok(&gzip.part),
            Self::Zstd(zstd) => Ok(&zstd.part),
        }
    }

    fn part_mut(&mut self) -> Result<&mut PartText<R>, &mut Window<R>> {
        match self {
            Self::Plain { window, .. } => Err(window),
            Self::Gzip(gzip) => Ok(&mut gzip.part),
            Self::Zstd(zstd) => Ok(&mut zstd.part),
        }
    }

    pub fn into_source(self) -> R {
        match self {
            Self::Plain { window, .. } => window.into_source(),
            Self::Gzip(gzip) => gzip.part.into_source(),
            Self::Zstd(zstd) => zstd.part.into_source(),
        }
    }

    /// Returns the text that is read but not consumed.
    pub fn bytes(&self) -> &[u8] {
        self.part().map_or_else(Window::bytes, PartText::bytes)
    }

    /// Returns the error that ended the source early, once.
    pub fn take_error(&mut self) -> Option<io::Error> {
        self.part_mut().map_or_else(Window::take_error, PartText::take_error)
    }

    /// Reads more text of the current part; returns whether any came.
    pub fn more(&mut self) -> bool {
        match self {
            Self::Plain { window, .. } => window.more(),
            Self::Gzip(gzip) => gzip.more(),
            Self::Zstd(zstd) => zstd.more(),
        }
    }

    /// Reads text until the buffer has `wanted` bytes or the part has ended; returns how many it has.
    pub fn ensure(&mut self, wanted: usize) -> usize {
        while self.bytes().len() < wanted && self.more() {}
        self.bytes().len()
    }

    /// FRAME-7: appends the text of the next part, unless it begins with a record; returns whether it did.
    pub fn join_part(&mut self, warcinfo: &Warcinfo) -> bool {
        match self {
            Self::Plain { .. } => false,
            Self::Gzip(gzip) => gzip.join_member(warcinfo),
            Self::Zstd(zstd) => zstd.join_frame(warcinfo),
        }
    }

    /// Drops the first `count` bytes.
    pub fn consume(&mut self, count: usize) {
        self.part_mut().map_or_else(|window| window.consume(count), |part| part.consume(count));
    }

    /// Goes to the next part: a gzip member, a zstd frame, or all of a plain archive.
    pub fn next_part(&mut self, warcinfo: &mut Warcinfo) -> MemberPart {
        match self {
            Self::Plain { begun, .. } => {
                if std::mem::replace(begun, true) {
                    MemberPart::End
                } else {
                    MemberPart::Text
                }
            }
            Self::Gzip(gzip) => gzip.next_part(warcinfo),
            Self::Zstd(zstd) => zstd.next_part(warcinfo),
        }
    }

    /// Looks for the archive's id in the text ahead, if no record has shown it yet.
    pub fn look_ahead(&mut self, warcinfo: &mut Warcinfo) {
        if !warcinfo.is_to_be_looked_for() {
            return;
        }
        match self {
            Self::Plain { window, .. } => {
                window.ensure(LOOK_AHEAD_BYTES);
                warcinfo.look_for_it(window.bytes());
            }
            Self::Gzip(gzip) => gzip.look_ahead(warcinfo),
            Self::Zstd(zstd) => zstd.look_ahead(warcinfo),
        }
    }

    /// Returns the offset of the first byte of [`Self::bytes`], for messages; in a compressed archive, the offset of its part.
    pub fn offset(&self) -> u64 {
        self.offset_at(0)
    }

    /// Returns the offset of a byte of [`Self::bytes`], for messages.
    pub fn offset_at(&self, at: usize) -> u64 {
        self.part().map_or_else(|window| window.offset() + at as u64, PartText::offset)
    }

    /// Returns how far the source has been consumed.
    pub fn source_offset(&self) -> u64 {
        self.part().map_or_else(Window::offset, PartText::source_offset)
    }

    /// Returns how the text is compressed.
    pub fn codec(&self) -> Codec {
        match self {
            Self::Plain { .. } => Codec::Plain,
            Self::Gzip(_) => Codec::Gzip,
            Self::Zstd(_) => Codec::Zstd,
        }
    }

    /// Returns whether the rest of the current member was skipped.
    pub fn skips_rest(&self) -> bool {
        self.part().is_ok_and(PartText::skips_rest)
    }

    /// Returns whether the end of the current member or frame is known.
    pub fn holds_whole_part(&self) -> bool {
        self.part().is_ok_and(|part| part.source_bytes().is_some())
    }

    /// Returns whether, according to the container, the source ends inside the current part's last record.
    pub fn is_cut(&self) -> bool {
        self.part().is_ok_and(PartText::is_cut)
    }

    /// Returns the place of the record at the start of [`Self::bytes`], whose text has `length` bytes if that is known; `alone`
    /// says whether its part holds nothing else except empty lines.
    pub fn place(&self, length: Option<u64>, alone: Alone) -> Place {
        match self.part() {
            Err(window) => Place { offset: window.offset(), member_skip: 0, length },
            Ok(part) => Place {
                offset: part.offset(),
                member_skip: part.consumed(),
                length: part.source_bytes().filter(|_| alone == Alone::Yes),
            },
        }
    }
}

/// Whether a record is the only one of its part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alone {
    /// Only empty lines are before or after it.
    Yes,
    /// There is another record, or that cannot be known.
    No,
}
