//! How a format of text frames its records: where one begins, where its head ends, and how long its block is.
//!
//! Example: a WARC record begins with `WARC/1.0`, and the length of its block is a field; an ARC record begins with a line
//! whose last word is the length. Left out: what is read behind damage, and which records are believed (`search`, `warcinfo`).

use super::arc::{self, ArcLine};
use super::two_heads::{self, SecondHead, is_version_line};
use super::{Format, Head, HeadFields, Record, head::end_of_head};

/// How the records of an archive are framed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// A version line, fields, an empty line, the block.
    #[default]
    Warc,
    /// A line, the block.
    Arc,
}

impl Framing {
    /// Returns the framing of a format, if it is one of text.
    pub fn from_format(format: Format) -> Option<Self> {
        match format {
            Format::Warc | Format::Wat => Some(Self::Warc),
            Format::Arc => Some(Self::Arc),
            Format::Wacz | Format::Lz4 | Format::Empty | Format::Other => None,
        }
    }

    pub fn of_text(text: &[u8]) -> Option<Self> {
        [Self::Warc, Self::Arc]
            .into_iter()
            .find(|framing| framing.starts_record(text))
    }

    /// Returns the format of records that describe no others.
    pub fn format(self) -> Format {
        match self {
            Self::Warc => Format::Warc,
            Self::Arc => Format::Arc,
        }
    }

    /// Returns whether a head is one line: it carries no id of its archive, and other text may look like it.
    pub fn is_line(self) -> bool {
        match self {
            Self::Warc => false,
            Self::Arc => true,
        }
    }

    /// Returns how many bytes show whether a record starts with them.
    pub fn start_bytes(self) -> usize {
        match self {
            // Also of a head that follows one which was broken off.
            Self::Warc => 2 * b"WARC/1.0\r\n".len(),
            Self::Arc => arc::LINE_BYTES,
        }
    }

    /// Returns whether a text with these first bytes may be a record.
    pub fn may_start(self, first: &[u8]) -> bool {
        match self {
            Self::Warc => first.eq_ignore_ascii_case(b"WARC/"),
            Self::Arc => first.first().is_some_and(u8::is_ascii_alphabetic),
        }
    }

    /// Returns whether text begins as a record does, whatever ids it carries.
    pub fn starts_record(self, text: &[u8]) -> bool {
        match self {
            Self::Warc => {
                let (name, version) = text.split_at_checked(5).unwrap_or_default();
                name.eq_ignore_ascii_case(b"WARC/")
                    && matches!(version, [b'0'..=b'9', b'.', b'0'..=b'9', ..])
            }
            Self::Arc => arc::starts_like_a_record(text),
        }
    }

    /// Returns whether text that the end of the input cuts may be the beginning of a record.
    pub fn is_cut_head(self, text: &[u8]) -> bool {
        match self {
            Self::Warc => b"WARC/1.0"
                .get(..text.len())
                .is_some_and(|version| version.eq_ignore_ascii_case(text)),
            Self::Arc => arc::is_cut_line(text),
        }
    }

    /// Returns whether text that begins as a record does is one even where no line end is before it, in a part with several.
    pub fn needs_no_line_end(self, text: &[u8]) -> bool {
        match self {
            Self::Warc => true,
            Self::Arc => arc::has_known_scheme(text),
        }
    }

    /// Returns whether text begins with a head that was broken off inside its first word, and another head follows.
    pub fn is_broken_off(self, text: &[u8]) -> bool {
        let breaks_at = |at: &usize| {
            let (begun, behind) = text.split_at_checked(*at).unwrap_or_default();
            b"WARC/1.0".starts_with(begun) && is_version_line(behind)
        };
        match self {
            Self::Warc => (1..b"WARC/1.0".len()).any(|at| breaks_at(&at)),
            Self::Arc => false,
        }
    }

    /// Returns whether text ends in the first bytes of a head, which is no line of another record's text.
    pub fn ends_in_head(self, text: &[u8]) -> bool {
        let begun = text
            .rsplit(|byte| *byte == b'\n')
            .next()
            .unwrap_or_default();
        match self {
            Self::Warc => !begun.is_empty() && b"WARC/1.0".starts_with(begun),
            Self::Arc => false,
        }
    }

    /// Returns where a second head begins in a head whose fields were read, if it is two (FRAME-10).
    pub fn second_head(self, head: &[u8], fields: &HeadFields) -> Option<SecondHead> {
        match self {
            Self::Warc => two_heads::in_warc(head, fields),
            Self::Arc => two_heads::in_arc(head),
        }
    }

    /// Returns the end of the head at the start of `text`; the bytes before `from` were examined already.
    pub fn head_end(self, text: &[u8], from: usize) -> Option<usize> {
        match self {
            Self::Warc => end_of_head(text, from),
            Self::Arc => {
                memchr::memchr(b'\n', text.get(..arc::LINE_BYTES).unwrap_or(text)).map(|at| at + 1)
            }
        }
    }

    /// Returns the length of the block behind `head`, whose fields are read into `fields`; `None` if it is no number.
    pub fn block_bytes(self, head: &[u8], fields: &mut HeadFields) -> Option<u64> {
        match self {
            Self::Warc => {
                fields.read(head);
                Head::new(head, fields).content_length()
            }
            Self::Arc => ArcLine::parse(head)?.length,
        }
    }

    /// Returns a record without its place, given its head, the fields that were read of it, and its block.
    pub fn record<'r>(self, head: &'r [u8], fields: &'r HeadFields, block: &'r [u8]) -> Record<'r> {
        match self {
            Self::Warc => Record::of_warc(&Head::new(head, fields), block),
            Self::Arc => Record::of_arc(head, block),
        }
    }
}
