//! The decoders, fed piece by piece, each with a limit.
//!
//! Document: RFC 1952 (gzip), RFC 1950 (zlib), RFC 1951 (deflate), RFC 7932 (br), RFC 8878 (zstd).
//! Example: if a gzip stream is cut in the middle, all decoded bytes are kept.
//! Left out: the large windows of brotli, which RFC 7932 does not have, and zstd windows over 128 MiB.

use super::chunked::{BodyPieces, Decoded, Ending};
use crate::archive::gzip::inflate_step;
use crate::web::steps;
use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::{Decompress, Status};
use zstd::stream::raw::{DParameter, Decoder as ZstdDecoder, InBuffer, Operation, OutBuffer};

/// The cost of beginning a member, in bytes.
const MEMBER_STEPS: usize = 64;

const FIRST_ROOM_BYTES: usize = 16 * 1024;

/// The base-2 logarithm of the largest zstd window. Ours: RFC 9659 has 8 MiB for this coding, but servers send larger ones.
const ZSTD_WINDOW_LOG_MAX: u32 = 27;

/// The bytes taken from the zstd decoder at once: it drops the output of a call that fails.
const ZSTD_OUTPUT_BYTES: usize = 4 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodingFormat {
    Gzip,
    Zlib,
    RawDeflate,
    Br,
    Zstd,
}

/// Decodes `pieces` until `limit` bytes are out or the stream ends. RFC 1952 2.2 and RFC 8878 3 allow one member or frame after
/// another. Ours: bytes behind the first that have no magic and give nothing are junk, which servers do append. Random bytes
/// may begin with the end of a stream in a format without a checksum: junk is shorter than that.
pub(super) fn run(format: CodingFormat, pieces: BodyPieces<'_>, limit: usize) -> Decoded {
    let mut input = CodedInput::new(pieces);
    let mut output = Output {
        bytes: Vec::new(),
        filled: 0,
        limit,
    };
    let Some(mut decoder) = Decoder::new(format) else {
        return output.into_decoded(Ending::Damaged);
    };
    // How a member or frame begins behind another one; empty if none follows.
    let magic: &[u8] = match format {
        CodingFormat::Gzip => &[0x1F, 0x8B, 8],
        CodingFormat::Zstd => &[0x28, 0xB5, 0x2F, 0xFD],
        CodingFormat::Zlib | CodingFormat::RawDeflate | CodingFormat::Br => &[],
    };
    let mut ending = run_member(&mut decoder, &mut input, &mut output);
    while ending == Ending::Complete && input.has_more() && input.piece.first() == magic.first() {
        let before = output.filled;
        let bears_magic = input.bears(magic);
        // A zstd decoder goes on with the next frame: a new one costs as much as many frames.
        if let Decoder::Inflate(decompress) = &mut decoder {
            *decompress = Decompress::new_gzip(15);
        }
        ending = match run_member(&mut decoder, &mut input, &mut output) {
            Ending::Damaged if output.filled == before && !bears_magic => break,
            next => next,
        };
    }
    let is_checked = !matches!(format, CodingFormat::RawDeflate | CodingFormat::Br);
    if ending == Ending::Complete && !is_checked && input.left() > input.read {
        ending = Ending::Damaged;
    }
    output.into_decoded(ending)
}

fn run_member(decoder: &mut Decoder, input: &mut CodedInput<'_>, output: &mut Output) -> Ending {
    steps::count(MEMBER_STEPS);
    loop {
        let target = output.space();
        if target.is_empty() {
            return Ending::Longer;
        }
        let (wants, read, written) = decoder.step(input.piece, target);
        let stuck = read + written == 0 && !input.piece.is_empty();
        input.piece = input.piece.get(read..).unwrap_or_default();
        input.read += read;
        output.filled += written;
        steps::count(read + written);
        match wants {
            Wants::Nothing => return Ending::Complete,
            Wants::Input | Wants::Output if stuck => return Ending::Damaged,
            Wants::Input if !input.has_more() => return Ending::Short,
            Wants::Input | Wants::Output => {}
            Wants::Repair => return Ending::Damaged,
        }
    }
}

struct CodedInput<'a> {
    piece: &'a [u8],
    later: BodyPieces<'a>,
    read: usize,
}

impl<'a> CodedInput<'a> {
    fn new(mut pieces: BodyPieces<'a>) -> Self {
        Self {
            piece: pieces.next().unwrap_or_default(),
            later: pieces,
            read: 0,
        }
    }

    fn left(&self) -> usize {
        self.piece.len() + self.later.clone().map(<[u8]>::len).sum::<usize>()
    }

    fn has_more(&mut self) -> bool {
        if self.piece.is_empty() {
            self.piece = self.later.next().unwrap_or_default();
        }
        !self.piece.is_empty()
    }

    fn bears(&self, magic: &[u8]) -> bool {
        self.piece
            .iter()
            .chain(self.later.clone().flatten())
            .take(magic.len())
            .eq(magic)
    }
}

/// The decoded bytes, and space for more: one byte over the limit shows whether there are more.
struct Output {
    bytes: Vec<u8>,
    filled: usize,
    limit: usize,
}

impl Output {
    /// Returns the space after the decoded bytes; empty after the limit is passed.
    fn space(&mut self) -> &mut [u8] {
        if self.filled == self.bytes.len() {
            let doubled = self.filled.saturating_mul(2).max(FIRST_ROOM_BYTES);
            let most = self.limit.saturating_add(1);
            self.bytes.resize(doubled.min(most), 0);
        }
        self.bytes.get_mut(self.filled..).unwrap_or_default()
    }

    fn into_decoded(mut self, ending: Ending) -> Decoded {
        self.bytes.truncate(self.filled);
        Decoded {
            bytes: self.bytes,
            ending,
        }
        .cut_to(self.limit)
    }
}

/// What the decoder wants next, the bytes that it read, and those that it wrote.
type DecoderStep = (Wants, usize, usize);

#[derive(Clone, Copy)]
enum Wants {
    Input,
    Output,
    Nothing,
    Repair,
}

type Brotli = BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>;

enum Decoder {
    Inflate(Decompress),
    Br(Box<Brotli>),
    Zstd(ZstdDecoder<'static>),
}

impl Decoder {
    /// Makes a decoder; `None` if the zstd library has no memory for it.
    fn new(format: CodingFormat) -> Option<Self> {
        Some(match format {
            CodingFormat::Gzip => Self::Inflate(Decompress::new_gzip(15)),
            CodingFormat::Zlib => Self::Inflate(Decompress::new(true)),
            CodingFormat::RawDeflate => Self::Inflate(Decompress::new(false)),
            CodingFormat::Br => Self::Br(Box::new(Brotli::new_strict(
                StandardAlloc::default(),
                StandardAlloc::default(),
                StandardAlloc::default(),
            ))),
            CodingFormat::Zstd => {
                let mut decoder = ZstdDecoder::new().ok()?;
                decoder
                    .set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW_LOG_MAX))
                    .ok()?;
                Self::Zstd(decoder)
            }
        })
    }

    fn step(&mut self, input: &[u8], target: &mut [u8]) -> DecoderStep {
        match self {
            Self::Inflate(decompress) => inflate(decompress, input, target),
            Self::Br(state) => unbrotli(state, input, target),
            Self::Zstd(decoder) => unzstd(decoder, input, target),
        }
    }
}

fn inflate(decompress: &mut Decompress, input: &[u8], target: &mut [u8]) -> DecoderStep {
    let (status, step) = inflate_step(decompress, input, target);
    let wants = match status {
        Ok(Status::StreamEnd) => Wants::Nothing,
        Ok(Status::Ok | Status::BufError) if step.text == target.len() => Wants::Output,
        Ok(Status::Ok | Status::BufError) => Wants::Input,
        Err(_) => Wants::Repair,
    };
    (wants, step.source, step.text)
}

fn unbrotli(state: &mut Brotli, input: &[u8], target: &mut [u8]) -> DecoderStep {
    let (mut unread, mut read) = (input.len(), 0);
    let (mut unwritten, mut written) = (target.len(), 0);
    let mut total = 0;
    let result = BrotliDecompressStream(
        &mut unread,
        &mut read,
        input,
        &mut unwritten,
        &mut written,
        target,
        &mut total,
        state,
    );
    let wants = match result {
        BrotliResult::ResultSuccess => Wants::Nothing,
        BrotliResult::NeedsMoreInput => Wants::Input,
        BrotliResult::NeedsMoreOutput => Wants::Output,
        BrotliResult::ResultFailure => Wants::Repair,
    };
    (wants, read, written)
}

fn unzstd(decoder: &mut ZstdDecoder<'_>, input: &[u8], target: &mut [u8]) -> DecoderStep {
    let output_bytes = target.len().min(ZSTD_OUTPUT_BYTES);
    let mut source = InBuffer::around(input);
    let mut target = OutBuffer::around(target.get_mut(..output_bytes).unwrap_or_default());
    let result = decoder.run(&mut source, &mut target);
    let written = target.pos();
    let wants = match result {
        Ok(0) => Wants::Nothing,
        Ok(_) if written == output_bytes => Wants::Output,
        Ok(_) => Wants::Input,
        Err(_) => Wants::Repair,
    };
    (wants, source.pos(), written)
}
