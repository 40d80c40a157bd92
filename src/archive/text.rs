//! The text of an archive, plain or compressed, behind one interface for the framing.

use super::{Archive, GzipText, HeldPart, MemberPart, warcinfo::LOOK_AHEAD_BYTES, zstd::ZstdText};
use std::io::Read;

/// How the parts of an archive are inflated.
pub enum Packing {
    Plain,
    Gzip(Box<GzipText>),
    Zstd(Box<ZstdText>),
}

impl<R: Read> Archive<R> {
    /// Reads more text of the current part; returns whether any came.
    pub(super) fn more(&mut self) -> bool {
        match &mut self.packing {
            Packing::Plain => self.part.window.more(),
            Packing::Gzip(gzip) => gzip.more(&mut self.part),
            Packing::Zstd(zstd) => zstd.more(&mut self.part),
        }
    }

    /// Reads text until the buffer has `wanted` bytes or the part has ended; returns how many it has.
    pub(super) fn ensure(&mut self, wanted: usize) -> usize {
        while self.part.bytes().len() < wanted && self.more() {}
        self.part.bytes().len()
    }

    /// FRAME-7: appends the text of the next part, unless it begins with a record; returns whether it did.
    pub(super) fn join_part(&mut self) -> bool {
        match &mut self.packing {
            Packing::Plain => false,
            Packing::Gzip(gzip) => gzip.join_member(&mut self.part, &self.warcinfo),
            Packing::Zstd(zstd) => zstd.join_frame(&mut self.part, &self.warcinfo),
        }
    }

    /// Goes to the next part: a gzip member or a zstd frame. A plain archive is one part.
    pub(super) fn next_part(&mut self) -> MemberPart {
        match &mut self.packing {
            Packing::Plain => MemberPart::End,
            Packing::Gzip(gzip) => gzip.next_part(&mut self.part, &mut self.warcinfo),
            Packing::Zstd(zstd) => zstd.next_part(&mut self.part, &mut self.warcinfo),
        }
    }

    /// Looks for the archive's id in the text ahead, if no record has shown it yet.
    pub(super) fn look_ahead(&mut self) {
        if !self.warcinfo.is_to_be_looked_for() {
            return;
        }
        match &mut self.packing {
            Packing::Plain => {
                self.part.window.ensure(LOOK_AHEAD_BYTES);
                self.warcinfo.look_for_it(self.part.window.bytes());
            }
            Packing::Gzip(gzip) => {
                self.part
                    .look_for_id(&mut gzip.trial, self.part.end, &mut self.warcinfo);
            }
            // The decoder is in use.
            Packing::Zstd(_) if self.part.held == HeldPart::Beginning => {
                self.warcinfo.look_for_it(self.part.bytes());
            }
            Packing::Zstd(zstd) => {
                self.part
                    .look_for_id(&mut zstd.trial, self.part.end, &mut self.warcinfo);
            }
        }
    }
}
