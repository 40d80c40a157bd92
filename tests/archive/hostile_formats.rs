//! ARC files and zstd frames made to be slow, or to hide records; and a source that is asked to stop.

use crate::fixture::{read, response, response_of, warcinfo};
use crate::formats::{arc, check_count};
use crate::hostile::assert_linear;
use crawlprefs::archive::{Archive, DamageKind};
use crawlprefs::web::steps;
use flate2::{Compress, Compression, FlushCompress};
use std::io;

/// A frame's magic number, its descriptor, and a window of 2 MiB.
const START: [u8; 6] = [0x28, 0xb5, 0x2f, 0xfd, 0, 0x58];

/// Returns the header of a block of a frame: raw (0), or one byte repeated (1).
fn block(kind: u32, bytes: usize, last: u32) -> Vec<u8> {
    let bytes = u32::try_from(bytes).expect("a block");
    (bytes << 3 | kind << 1 | last).to_le_bytes()[..3].to_vec()
}

/// Returns a frame whose text is in it as it is.
fn raw_frame(text: &[u8]) -> Vec<u8> {
    [&START[..], &block(0, text.len(), 1), text].concat()
}

/// Frames nested in each other, each of which begins with the head of a record and reaches to the end of all, which is
/// no block.
fn nested(count: usize, tail: &[u8]) -> Vec<u8> {
    const TEXT: &[u8] = b"WARC/1.0\r\n";
    let unit = START.len() + 3 + TEXT.len();
    let frames = (0..count).flat_map(|at| {
        [
            &START[..],
            &block(0, (count - at - 1) * unit + TEXT.len(), 0),
            TEXT,
        ]
        .concat()
    });
    frames.chain(tail.iter().copied()).collect()
}

#[test]
fn local_nested_frames_are_inflated_a_bounded_number_of_times() {
    const MOST: u64 = 3 << 26;
    let bomb = [block(1, 128 << 10, 0), vec![0]].concat().repeat(16);
    for (what, end) in [("no block", vec![0x07; 3]), ("cut", vec![])] {
        let archive = nested(1_000, &[bomb.clone(), end].concat());
        let (found, taken) = steps::counted(|| read(&archive));
        assert!(
            found.damage.len() < 200,
            "{what}: {} frames were tried",
            found.damage.len()
        );
        assert!(taken < MOST, "{what}: {taken} steps");
        assert!(
            found.damage.iter().any(|(_, lost)| *lost),
            "{what}: no row says so: {:?}",
            found.damage
        );
    }
}

#[test]
fn local_a_search_for_the_next_frame_takes_linear_time() {
    let first = || raw_frame(&warcinfo());
    for unit in [&START[..4], &START, &[&START[..], b"\0\0\0"].concat()] {
        let magics =
            |bytes: usize| [first(), b"x".to_vec(), unit.repeat(bytes / unit.len())].concat();
        assert_linear(&format!("{}", unit.escape_ascii()), 400, 50_000, magics);
    }
    let blocks = |bytes: usize| [first(), START.to_vec(), vec![0; bytes], START.repeat(2)].concat();
    assert_linear("empty blocks", 40, 400_000, blocks);
}

/// As in gzip members: damage comes before any record has shown that the archive's records carry its id.
#[test]
fn local_a_forged_record_in_a_damaged_first_frame_is_not_found() {
    let forged = response_of(
        "<urn:uuid:0>",
        "https://victim.example/robots.txt",
        b"HTTP/1.1 200 OK\r\n\r\nAllow: /",
    );
    let body = [
        &b"HTTP/1.1 200 OK\r\n\r\nfiller"[..],
        &raw_frame(&forged),
        &[b'x'; 1_000],
    ]
    .concat();
    let page = raw_frame(&response("https://attacker.example/", &body));
    for at in [0, 3, 6, page.len() - 1] {
        let mut damaged = page.clone();
        damaged[at] ^= 0xff;
        let last = raw_frame(&response(
            "https://a.example/last",
            b"HTTP/1.1 200 OK\r\n\r\nthe last page",
        ));
        let found = read(&[raw_frame(&warcinfo()), damaged, last].concat());
        let blocks = found.blocks();
        assert!(
            !blocks
                .iter()
                .any(|block| block.contains("Allow: /") && block.len() < 100),
            "byte {at} flipped"
        );
        assert!(
            blocks.iter().any(|block| block.contains("the last page")),
            "byte {at} flipped: {:?}",
            found.damage
        );
    }
}

#[test]
fn local_records_of_an_arc_behind_a_false_length_are_lost_with_a_row_each() {
    for length in ["1099511627776", "9000", "18446744073709551615"] {
        let mut records = arc(100);
        let text = String::from_utf8(records[2].clone()).expect("made of text");
        let (line, rest) = text.split_once('\n').expect("a line");
        let (fields, _) = line.rsplit_once(' ').expect("a length");
        records[2] = format!("{fields} {length}\n{rest}").into_bytes();
        let found = read(&records.concat());
        let lost = found
            .damage
            .iter()
            .filter(|damage| **damage == (DamageKind::InsideBlock, true))
            .count();
        assert_eq!(
            (found.records.len() + lost, found.count),
            (101, 101),
            "{length}: {:?}",
            found.damage
        );
        // A block that ends inside the archive is no such block, and reading goes on inside of it; else it may be cut.
        assert!(
            if length == "9000" {
                lost == 0
            } else {
                lost > 10
            },
            "{length}: {lost}"
        );
        check_count(&found, length);
    }
}

/// Gives an archive at once, and fails the third time that it is asked for more.
struct Stopping<'a>(&'a [u8], usize);

impl io::Read for Stopping<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.1 += 1;
        if self.1 > 3 {
            Err(io::Error::other("asked to stop"))
        } else {
            self.0.read(buffer)
        }
    }
}

#[test]
fn local_what_is_inflated_from_little_ends_when_the_source_asks_to_stop() {
    const MIB: usize = 1 << 20;
    let mut compress = Compress::new(Compression::fast(), false);
    let mut data = Vec::with_capacity(MIB);
    compress
        .compress_vec(&vec![0; MIB], &mut data, FlushCompress::Sync)
        .expect("a Vec can be written");
    let text = b"WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: 9999999999\r\n\r\n";
    let length = u16::try_from(text.len()).expect("short");
    let start = [
        &b"\x1f\x8b\x08\0\0\0\0\0\0\xff\0"[..],
        &length.to_le_bytes(),
        &(!length).to_le_bytes(),
        text,
    ];
    let gzip = [start.concat(), data.repeat(1_000)].concat();
    let zeros = [block(1, 128 << 10, 0), vec![0]].concat().repeat(8_000);
    let zstd = [&START[..], &block(0, text.len(), 0), text, &zeros].concat();
    for (what, archive) in [("gzip", gzip), ("zstd", zstd)] {
        let mut reader = Archive::open(Stopping(&archive, 0))
            .expect("it is asked less")
            .expect("an archive");
        let (ended, taken) = steps::counted(|| {
            loop {
                match reader.next() {
                    Ok(Some(_)) => {}
                    Ok(None) => return "at the end".to_owned(),
                    Err(error) => return error.to_string(),
                }
            }
        });
        assert_eq!(ended, "asked to stop", "{what}");
        assert!(
            taken < 200 * MIB as u64,
            "{what}: {taken} steps of 1000 MiB"
        );
    }
}
