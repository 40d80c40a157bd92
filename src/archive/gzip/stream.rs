//! A gzip member that is too long to be held, inflated piece by piece.

use super::super::damage::{Damage, DamageKind};
use super::super::window::Window;
use super::member::trailer;
use crate::web::steps;
use flate2::{Crc, Decompress, FlushDecompress, Status};
use std::io::Read;

/// A member too long to be held, being inflated.
pub struct Stream {
    /// Offset of the member, for messages.
    member: u64,
    inflate: Decompress,
    checksum: Crc,
    ended: bool,
    damage: Option<Damage>,
}

impl Stream {
    /// Returns the stream of the member at offset `member`, whose header has been read.
    pub fn new(member: u64) -> Self {
        Self { member, inflate: Decompress::new(false), checksum: Crc::new(), ended: false, damage: None }
    }

    /// Returns whether nothing more will come.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Returns, once, what was wrong with the member.
    pub fn take_damage(&mut self) -> Option<Damage> {
        self.damage.take()
    }

    /// Inflates into `buffer`; returns how much came.
    pub fn read<R: Read>(&mut self, window: &mut Window<R>, buffer: &mut [u8]) -> usize {
        let mut filled = 0;
        while filled < buffer.len() && !self.ended {
            if window.bytes().is_empty() && !window.more() {
                self.end(Damage::harmless(
                    self.member,
                    DamageKind::GzipCut,
                    "the source ends inside the member".to_owned(),
                ));
                break;
            }
            let target = buffer.get_mut(filled..).unwrap_or_default();
            let (read_before, written_before) = (self.inflate.total_in(), self.inflate.total_out());
            let status = self.inflate.decompress(window.bytes(), target, FlushDecompress::None);
            let read = usize::try_from(self.inflate.total_in() - read_before).unwrap_or(usize::MAX);
            let written = usize::try_from(self.inflate.total_out() - written_before).unwrap_or(0);
            self.checksum.update(target.get(..written).unwrap_or_default());
            window.consume(read);
            filled += written;
            steps::count(read + written);
            match status {
                Ok(Status::StreamEnd) => self.check_trailer(window),
                Ok(Status::Ok | Status::BufError) if read + written > 0 => {}
                Ok(Status::Ok | Status::BufError) | Err(_) => {
                    let detail =
                        format!("the member that starts at {} cannot be inflated further", self.member);
                    self.end(Damage::harmless(window.offset(), DamageKind::GzipData, detail));
                }
            }
        }
        filled
    }

    /// RFC 1952 2.3.1: CRC32 and ISIZE follow the data.
    fn check_trailer<R: Read>(&mut self, window: &mut Window<R>) {
        self.ended = true;
        window.ensure(8);
        let matches = trailer(window.bytes()) == Some((self.checksum.sum(), self.checksum.amount()));
        window.consume(8);
        if !matches {
            self.damage = Some(Damage::harmless(
                self.member,
                DamageKind::GzipChecksum,
                "the member's text, already used, does not match its CRC or length".to_owned(),
            ));
        }
    }

    fn end(&mut self, damage: Damage) {
        self.ended = true;
        self.damage = Some(damage);
    }
}
