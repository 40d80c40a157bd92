//! One gzip member, looked at with zlib-rs: its header, its trailer, and whether it is whole, cut or
//! corrupt where libdeflate only says that it is bad.

use super::super::damage::DamageKind;
use super::super::part_text::WHOLE_PART_BYTES;
use super::super::window::Window;
use super::FIRST_TEXT_BYTES;
use crate::web::steps;
use flate2::{Crc, Decompress, FlushDecompress, Status};
use std::io::Read;

/// Bytes of data that give no text, such as empty blocks, are held up to here.
const WITHOUT_TEXT_BYTES: usize = 1 << 20;

/// How the slow inflater left a member that libdeflate could not read.
pub enum Slow {
    /// It is whole and right.
    Whole { compressed_bytes: usize, bytes: usize },
    /// Its text is longer than is held.
    TooLong,
    /// The source ends inside it.
    Cut { bytes: usize },
    /// It is damaged.
    Corrupt { compressed_bytes: usize, bytes: usize, kind: DamageKind },
}

/// Reads CRC32 and ISIZE.
pub fn trailer(bytes: &[u8]) -> Option<(u32, u32)> {
    let (checksum, rest) = bytes.split_first_chunk::<4>()?;
    let (length, _) = rest.split_first_chunk::<4>()?;
    Some((u32::from_le_bytes(*checksum), u32::from_le_bytes(*length)))
}

/// Inflates the member at the window's start without consuming it, reading on as it needs.
pub fn slow_inflate<R: Read>(window: &mut Window<R>, text: &mut Vec<u8>) -> Slow {
    let Some(header_bytes) = header_bytes(window.bytes()) else {
        return Slow::Cut { bytes: 0 };
    };
    let mut inflate = Decompress::new(false);
    let position = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    loop {
        let read = header_bytes + position(inflate.total_in());
        let written = position(inflate.total_out());
        if written == text.len() {
            if written >= WHOLE_PART_BYTES {
                return Slow::TooLong;
            }
            text.resize((written * 4).clamp(FIRST_TEXT_BYTES, WHOLE_PART_BYTES), 0);
        }
        let input = window.bytes().get(read..).unwrap_or_default();
        let status =
            inflate.decompress(input, text.get_mut(written..).unwrap_or_default(), FlushDecompress::None);
        let compressed_bytes = header_bytes + position(inflate.total_in());
        let bytes = position(inflate.total_out());
        steps::count(compressed_bytes - read + bytes - written);
        match status {
            Ok(Status::StreamEnd) => {
                return checked(window, text.get(..bytes).unwrap_or_default(), compressed_bytes);
            }
            Ok(_) if compressed_bytes > bytes + WITHOUT_TEXT_BYTES => return Slow::TooLong,
            Ok(_) if bytes > written || compressed_bytes > read => {}
            Ok(_) if window.more() => {}
            Ok(_) => return Slow::Cut { bytes },
            Err(_) => return Slow::Corrupt { compressed_bytes, bytes, kind: DamageKind::GzipData },
        }
    }
}

/// Compares an inflated member with its trailer.
fn checked<R: Read>(window: &mut Window<R>, text: &[u8], data_bytes: usize) -> Slow {
    let compressed_bytes = data_bytes + 8;
    window.ensure(compressed_bytes);
    let mut checksum = Crc::new();
    checksum.update(text);
    let found = window.bytes().get(data_bytes..).and_then(trailer);
    match found {
        Some(trailer) if trailer == (checksum.sum(), checksum.amount()) => {
            Slow::Whole { compressed_bytes, bytes: text.len() }
        }
        Some(_) => Slow::Corrupt { compressed_bytes, bytes: text.len(), kind: DamageKind::GzipChecksum },
        None => Slow::Cut { bytes: text.len() },
    }
}

/// Returns the length of a member's header, where all of it is there (RFC 1952 2.3).
pub fn header_bytes(member: &[u8]) -> Option<usize> {
    let flags = *member.get(3)?;
    let mut at = 10;
    if flags & 0x04 != 0 {
        let (length, _) = member.get(at..)?.split_first_chunk::<2>()?;
        at += 2 + usize::from(u16::from_le_bytes(*length));
    }
    for flag in [0x08, 0x10] {
        if flags & flag != 0 {
            at += memchr::memchr(0, member.get(at..)?)? + 1;
        }
    }
    if flags & 0x02 != 0 {
        at += 2;
    }
    (at <= member.len()).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::header_bytes;

    #[test]
    fn rfc1952_2_3_optional_header_fields_are_skipped() {
        let plain = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(header_bytes(&plain), Some(10));
        let mut all = vec![0x1f, 0x8b, 8, 0x1e, 0, 0, 0, 0, 0, 0, 2, 0, b'L', b'X'];
        all.extend(b"name\0note\0\x01\x02");
        assert_eq!(header_bytes(&all), Some(all.len()));
        for cut in 0..all.len() {
            assert_eq!(header_bytes(&all[..cut]), None, "cut at {cut}");
        }
    }
}
