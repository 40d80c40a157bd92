//! The first bytes of formats that are not text.
//!
//! Documents: WHATWG MIME Sniffing, "Matching an image type pattern" and those of audio and video, fonts and
//! archives; RFC 1950 2.2 (zlib), RFC 1952 2.3 (gzip), RFC 8878 3.1 (zstd), RFC 9842 (dcb, dcz).
//! Example: `89 50 4E 47 0D 0A 1A 0A` begins a PNG.
//! Ours: a magic that is a word of letters counts only with what else its format has at a fixed place, as `BM` may
//! begin a robots.txt. Left out: formats without a magic, such as brotli, and PostScript, which is text.

/// What begins a format: its name, its first bytes, and bytes further on with their place.
type Magic = (&'static str, &'static [u8], Option<(usize, &'static [u8])>);

const COMPRESSIONS: &[Magic] = &[
    ("gzip", b"\x1F\x8B", None),
    ("zstd", b"\x28\xB5\x2F\xFD", None),
    ("compress", b"\x1F\x9D", None),
    ("lzh", b"\x1F\xA0", None),
    ("pack", b"\x1F\x1E", None),
    ("bzip2", b"BZh", Some((4, b"\x31\x41\x59\x26\x53\x59"))),
    ("bzip2", b"BZh", Some((4, b"\x17\x72\x45\x38\x50\x90"))),
    ("xz", b"\xFD7zXZ\0", None),
    ("lzma", b"\x5D\0\0", None),
    ("lzip", b"LZIP\x01", None),
    ("lzop", b"\x89LZO\0", None),
    ("lz4", b"\x04\x22\x4D\x18", None),
    ("lz4", b"\x02\x21\x4C\x18", None),
    ("snappy", b"\xFF\x06\0\0sNaPpY", None),
    ("dcb", b"\xFFDCB", None),
    ("vcdiff", b"\xD6\xC3\xC4", None),
];

const MAGICS: &[Magic] = &[
    // Archives and packed documents.
    ("zip", b"PK\x03\x04", None),
    ("zip", b"PK\x05\x06", None),
    ("zip", b"PK\x07\x08", None),
    ("rar", b"Rar!\x1A\x07", None),
    ("7z", b"7z\xBC\xAF\x27\x1C", None),
    ("cab", b"MSCF\0\0\0\0", None),
    ("tar", b"", Some((257, b"ustar"))),
    ("pdf", b"%PDF-", None),
    ("ole", b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", None),
    ("djvu", b"AT&TFORM", None),
    ("sqlite", b"SQLite format 3\0", None),
    ("parquet", b"PAR1", None),
    // Images.
    ("png", b"\x89PNG\r\n\x1A\n", None),
    ("jpeg", b"\xFF\xD8\xFF", None),
    ("gif", b"GIF87a", None),
    ("gif", b"GIF89a", None),
    ("ico", b"\0\0\x01\0", None),
    ("cur", b"\0\0\x02\0", None),
    ("bmp", b"BM", Some((6, b"\0\0\0\0"))),
    ("tiff", b"II*\0", None),
    ("tiff", b"MM\0*", None),
    ("psd", b"8BPS\0", None),
    ("jpeg-xl", b"\xFF\x0A", None),
    ("jpeg-2000", b"\0\0\0\x0C", None),
    // Audio and video.
    ("riff", b"RIFF", Some((8, b"WEBP"))),
    ("riff", b"RIFF", Some((8, b"WAVE"))),
    ("riff", b"RIFF", Some((8, b"AVI "))),
    ("aiff", b"FORM", Some((8, b"AIFF"))),
    ("mp3", b"ID3\x02", None),
    ("mp3", b"ID3\x03", None),
    ("mp3", b"ID3\x04", None),
    ("mp3", b"\xFF\xFB", None),
    ("ogg", b"OggS\0", None),
    ("midi", b"MThd\0\0\0\x06", None),
    ("flac", b"fLaC\0", None),
    ("mp4", b"", Some((4, b"ftyp"))),
    ("webm", b"\x1A\x45\xDF\xA3", None),
    ("flv", b"FLV\x01", None),
    ("mpeg", b"\0\0\x01\xBA", None),
    ("mpeg", b"\0\0\x01\xB3", None),
    ("asf", b"\x30\x26\xB2\x75\x8E\x66\xCF\x11", None),
    // Fonts.
    ("woff", b"wOFF\0", None),
    ("woff", b"wOFFOTTO", None),
    ("woff2", b"wOF2\0", None),
    ("woff2", b"wOF2OTTO", None),
    ("truetype", b"\0\x01\0\0", None),
    ("opentype", b"OTTO\0", None),
    ("truetype", b"ttcf\0", None),
    ("eot", b"", Some((34, b"LP\0"))),
    // Executables.
    ("elf", b"\x7FELF", None),
    ("pe", b"MZ\x90\0", None),
    ("mach-o", b"\xFE\xED\xFA\xCE", None),
    ("mach-o", b"\xFE\xED\xFA\xCF", None),
    ("mach-o", b"\xCE\xFA\xED\xFE", None),
    ("mach-o", b"\xCF\xFA\xED\xFE", None),
    ("class", b"\xCA\xFE\xBA\xBE", None),
    ("wasm", b"\0asm", None),
    ("dex", b"dex\n0", None),
];

/// Returns the format that is not text and whose magic begins `body` (READ-2).
pub fn binary_format(body: &[u8]) -> Option<&'static str> {
    compression(body).or_else(|| found(MAGICS, body))
}

/// Returns the compression whose magic begins `body`.
pub fn compression(body: &[u8]) -> Option<&'static str> {
    let is_zlib = || is_zlib(body) && !super::is_utf8(body.get(..super::SNIFFED_BYTES).unwrap_or(body));
    found(COMPRESSIONS, body)
        .or_else(|| is_skippable_frame(body).then_some("zstd"))
        .or_else(|| is_zlib().then_some("zlib"))
}

/// Returns whether a magic is somewhere in a text: one that has a byte which no text has (READ-15).
///
/// Ours: of the two-byte ones only those with a control byte, as a text in another charset may have the others.
pub(super) fn is_within(text: &[u8]) -> bool {
    let is_foreign = |byte: &u8| super::is_binary_data(*byte) || *byte == 0xFF;
    let is_telling = |start: &[u8]| {
        let has_control = start.iter().any(|byte| super::is_binary_data(*byte));
        has_control && !matches!(start, [0, ..]) || start.len() > 2 && start.iter().any(is_foreign)
    };
    let mut starts = COMPRESSIONS.iter().chain(MAGICS).filter(|(_, start, further)| {
        further.is_none() && (is_telling(start) || *start == b"\x28\xB5\x2F\xFD")
    });
    starts.any(|(_, start, _)| memchr::memmem::find(text, start).is_some())
}

fn found(magics: &[Magic], body: &[u8]) -> Option<&'static str> {
    let is_there = |(_, start, further): &&Magic| {
        let has_further =
            |(at, bytes): &(usize, &[u8])| body.get(*at..).is_some_and(|rest| rest.starts_with(bytes));
        // Hardly any begins with the body's first byte.
        let may_be_there = start.first().is_none_or(|byte| body.first() == Some(byte));
        may_be_there && body.starts_with(start) && further.as_ref().is_none_or(has_further)
    };
    magics.iter().find(is_there).map(|(name, ..)| *name)
}

/// RFC 8878 3.1.2: a frame that decoders skip may come before the first one.
fn is_skippable_frame(body: &[u8]) -> bool {
    matches!(body, [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..])
}

/// RFC 1950 2.2: method 8, a window of at most 32 KiB, no dictionary, a check of 31.
///
/// Two letters may be that, too: only what is no text otherwise is taken for zlib.
pub fn is_zlib(start: &[u8]) -> bool {
    match start {
        [method @ (0x08 | 0x18 | 0x28 | 0x38 | 0x48 | 0x58 | 0x68 | 0x78), flags, ..] => {
            flags & 0x20 == 0 && u16::from_be_bytes([*method, *flags]).is_multiple_of(31)
        }
        _ => false,
    }
}
