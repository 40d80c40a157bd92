//! Bodies under one coding or several, made for tests.

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use std::io::Write;

/// A way to encode a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coder {
    Gzip,
    Zlib,
    RawDeflate,
    Br,
    Zstd,
}

impl Coder {
    /// Returns the names by which a field declares it.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Self::Gzip => &["gzip", "x-gzip"],
            Self::Zlib | Self::RawDeflate => &["deflate"],
            Self::Br => &["br"],
            Self::Zstd => &["zstd"],
        }
    }

    /// READ-1: returns whether its bytes are known without a name.
    pub fn is_marked(self) -> bool {
        matches!(self, Self::Gzip | Self::Zlib | Self::Zstd)
    }

    /// Returns `bytes` encoded.
    pub fn encode(self, bytes: &[u8]) -> Vec<u8> {
        let level = Compression::default();
        let encoded = match self {
            Self::Gzip => write_all(GzEncoder::new(Vec::new(), level), bytes).finish(),
            Self::Zlib => write_all(ZlibEncoder::new(Vec::new(), level), bytes).finish(),
            Self::RawDeflate => write_all(DeflateEncoder::new(Vec::new(), level), bytes).finish(),
            Self::Br => Ok(brotli(bytes)),
            Self::Zstd => zstd::encode_all(bytes, 3),
        };
        encoded.expect("encoding into memory does not fail")
    }
}

fn write_all<W: Write>(mut encoder: W, bytes: &[u8]) -> W {
    encoder
        .write_all(bytes)
        .expect("writing into memory does not fail");
    encoder
}

/// Returns `bytes` in chunks of `chunk_bytes`, with the last chunk.
pub fn chunked(bytes: &[u8], chunk_bytes: usize) -> Vec<u8> {
    let mut chunks = Vec::new();
    for chunk in bytes.chunks(chunk_bytes) {
        chunks.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        chunks.extend_from_slice(chunk);
        chunks.extend_from_slice(b"\r\n");
    }
    chunks.extend_from_slice(b"0\r\n\r\n");
    chunks
}

/// The first length of each insert length code, and its extra bits: RFC 7932 5.
const INSERTS: [(usize, u8); 24] = [
    (0, 0),
    (1, 0),
    (2, 0),
    (3, 0),
    (4, 0),
    (5, 0),
    (6, 1),
    (8, 1),
    (10, 2),
    (14, 2),
    (18, 3),
    (26, 3),
    (34, 4),
    (50, 4),
    (66, 5),
    (98, 5),
    (130, 6),
    (194, 7),
    (322, 8),
    (578, 9),
    (1090, 10),
    (2114, 12),
    (6210, 14),
    (22594, 24),
];

/// Returns `bytes` as one brotli meta-block, RFC 7932 9.2: one command that inserts literals of eight bits each.
fn brotli(bytes: &[u8]) -> Vec<u8> {
    if bytes.is_empty() {
        return vec![0x06];
    }
    let mut bits = Bits::default();
    // A window of 16 bits; the last meta-block, which is not empty, with its length in four nibbles.
    bits.put(0, 1);
    bits.put(0b01, 2);
    assert!(bytes.len() <= 1 << 16, "a body of a test is short");
    bits.put(0, 2);
    bits.put(bytes.len() - 1, 16);
    // One block type each, no postfix bits, no direct distances, one context mode, one tree each.
    bits.put(0, 3 + 2 + 4 + 2 + 1 + 1);
    // A complex prefix code for literals: among the lengths of code lengths, in the order of 3.5, only that of 8 is set.
    bits.put(0, 2);
    for length in [1, 2, 3, 4, 0, 5, 17, 6, 16, 7, 8, 9, 10, 11, 12, 13, 14, 15] {
        bits.put(if length == 8 { 0b10 } else { 0b00 }, 2);
    }
    let code = INSERTS
        .iter()
        .rposition(|(first, _)| *first <= bytes.len())
        .expect("from 0");
    let cell = [128, 256, 448][code / 8];
    // Simple prefix codes with one symbol: the command, and a distance that is never used.
    bits.put(0b0001, 4);
    bits.put(cell + code % 8 * 8, 10);
    bits.put(0b0001, 4);
    bits.put(0, 6);
    bits.put(bytes.len() - INSERTS[code].0, INSERTS[code].1);
    for byte in bytes {
        bits.put(usize::from(byte.reverse_bits()), 8);
    }
    bits.bytes
}

/// Bits, the lowest first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    count: usize,
}

impl Bits {
    fn put(&mut self, value: usize, count: u8) {
        for bit in 0..count {
            if self.count.is_multiple_of(8) {
                self.bytes.push(0);
            }
            let last = self.bytes.last_mut().expect("a byte");
            *last |= u8::from(value >> bit & 1 == 1) << (self.count % 8);
            self.count += 1;
        }
    }
}

#[test]
fn rfc7932_what_is_encoded_here_is_decoded() {
    use crawlprefs::evidence::body::{Completeness, decode};
    use crawlprefs::evidence::fields::BodyFields;
    use crawlprefs::evidence::http_head::HttpHead;
    use crawlprefs::web::body_text::ReadAs;
    for (coder, name) in [
        Coder::Br,
        Coder::Gzip,
        Coder::RawDeflate,
        Coder::Zlib,
        Coder::Zstd,
    ]
    .iter()
    .flat_map(|coder| coder.names().iter().map(move |name| (coder, name)))
    {
        for length in [0, 1, 5, 60, 300, 5000, 30_000] {
            let body: Vec<u8> = b"User-agent: *\n"
                .iter()
                .copied()
                .cycle()
                .take(length)
                .collect();
            let block = format!("HTTP/1.1 200 OK\r\nContent-Encoding: {name}\r\n\r\n").into_bytes();
            let head = HttpHead::parse(&block).expect("a head");
            let coded = coder.encode(&body);
            let payload = decode(
                &BodyFields::from_head(&head),
                &coded,
                1 << 20,
                ReadAs::RobotsTxt,
            );
            assert_eq!(
                (payload.bytes.len(), payload.completeness),
                (length, Completeness::Whole),
                "{coder:?}"
            );
            assert_eq!(*payload.bytes, *body, "{coder:?}");
        }
    }
}
