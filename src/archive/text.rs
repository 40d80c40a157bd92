//! The text of an archive, plain or compressed, as one kind of thing for the framing.

use super::format::Codec;
use super::gzip::{GzipText, MemberPart};
use super::record::Place;
use super::warcinfo::{LOOK_AHEAD_BYTES, Warcinfo};
use super::window::Window;
use super::zstd::ZstdText;
use std::io::{self, Read};

/// The text of an archive.
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
    /// Returns the source.
    pub fn into_source(self) -> R {
        match self {
            Self::Plain { window, .. } => window.into_source(),
            Self::Gzip(gzip) => gzip.into_source(),
            Self::Zstd(zstd) => zstd.into_source(),
        }
    }

    /// Returns the text that is there and not consumed.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Plain { window, .. } => window.bytes(),
            Self::Gzip(gzip) => gzip.part().bytes(),
            Self::Zstd(zstd) => zstd.part().bytes(),
        }
    }

    /// Returns, once, why the source ended early.
    pub fn take_error(&mut self) -> Option<io::Error> {
        match self {
            Self::Plain { window, .. } => window.take_error(),
            Self::Gzip(gzip) => gzip.part_mut().take_error(),
            Self::Zstd(zstd) => zstd.part_mut().take_error(),
        }
    }

    /// Gets more text of the current part; returns whether anything came.
    pub fn more(&mut self) -> bool {
        match self {
            Self::Plain { window, .. } => window.more(),
            Self::Gzip(gzip) => gzip.more(),
            Self::Zstd(zstd) => zstd.more(),
        }
    }

    /// Gets text until `wanted` bytes are there or the part has ended; returns how many are there.
    pub fn ensure(&mut self, wanted: usize) -> usize {
        while self.bytes().len() < wanted && self.more() {}
        self.bytes().len()
    }

    /// Drops the first `count` bytes.
    pub fn consume(&mut self, count: usize) {
        match self {
            Self::Plain { window, .. } => window.consume(count),
            Self::Gzip(gzip) => gzip.part_mut().consume(count),
            Self::Zstd(zstd) => zstd.part_mut().consume(count),
        }
    }

    /// Goes to the next part: a gzip member, or all of a plain archive.
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

    /// Looks whether the text ahead has the archive's id, where no record has shown it yet.
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

    /// Returns the offset, for messages, of the first byte of [`Text::bytes`]: of its member in a
    /// gzipped archive.
    pub fn offset(&self) -> u64 {
        match self {
            Self::Plain { window, .. } => window.offset(),
            Self::Gzip(gzip) => gzip.part().offset(),
            Self::Zstd(zstd) => zstd.part().offset(),
        }
    }

    /// Returns the offset, for messages, of a byte of [`Text::bytes`].
    pub fn offset_at(&self, at: usize) -> u64 {
        match self {
            Self::Plain { window, .. } => window.offset() + at as u64,
            Self::Gzip(gzip) => gzip.part().offset(),
            Self::Zstd(zstd) => zstd.part().offset(),
        }
    }

    /// Returns how far the source has been consumed.
    pub fn source_offset(&self) -> u64 {
        match self {
            Self::Plain { window, .. } => window.offset(),
            Self::Gzip(gzip) => gzip.part().source_offset(),
            Self::Zstd(zstd) => zstd.part().source_offset(),
        }
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
        match self {
            Self::Plain { .. } | Self::Zstd(_) => false,
            Self::Gzip(gzip) => gzip.skips_rest(),
        }
    }

    /// Returns whether all of the current member or frame is held.
    pub fn holds_whole_part(&self) -> bool {
        match self {
            Self::Plain { .. } => false,
            Self::Gzip(gzip) => gzip.member_bytes().is_some(),
            Self::Zstd(zstd) => zstd.frame_bytes().is_some(),
        }
    }

    /// Returns whether the source ends inside the current part's last record, by what the
    /// container says.
    pub fn is_cut(&self) -> bool {
        match self {
            Self::Plain { .. } => false,
            Self::Gzip(gzip) => gzip.is_cut(),
            Self::Zstd(zstd) => zstd.is_cut(),
        }
    }

    /// Returns the place of the record at the start of [`Text::bytes`], which takes `length` bytes
    /// of text, where that is known: `alone` says whether nothing but empty lines is beside it in its part.
    pub fn place(&self, length: Option<u64>, alone: Alone) -> Place {
        match self {
            Self::Plain { window, .. } => Place { offset: window.offset(), member_skip: 0, length },
            Self::Gzip(gzip) => {
                part_place(gzip.part().offset(), gzip.part().consumed(), gzip.member_bytes(), alone)
            }
            Self::Zstd(zstd) => {
                part_place(zstd.part().offset(), zstd.part().consumed(), zstd.frame_bytes(), alone)
            }
        }
    }
}

/// Returns the place of a record in a member or frame that takes `bytes` bytes.
fn part_place(offset: u64, member_skip: u64, bytes: Option<u64>, alone: Alone) -> Place {
    let length = match alone {
        Alone::Yes => bytes,
        Alone::No => None,
    };
    Place { offset, member_skip, length }
}

/// Whether a record is the only one of its part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alone {
    /// Nothing but empty lines is before or after it.
    Yes,
    /// Another record does, or that cannot be known.
    No,
}
