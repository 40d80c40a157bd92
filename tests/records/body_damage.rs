//! Payloads that are cut, damaged, random, or made to explode.

use crate::body_support::{CODERS, Coder, PLENTY, chunked, decoded, encode, from_hex, page};
use crawlprefs::evidence::body::Completeness::{Cut, Longer, Undecodable, Whole};
use fastrand::Rng;

/// 16 MiB of zeros.
const BR_BOMB: &str = "cbffff3f002400e2b14072effff8ffff078004401c1680eefddf";

#[test]
fn local_cut_at_every_byte_gives_a_beginning() {
    for (name, coder) in CODERS {
        let body = encode(coder, &page());
        let fields = format!("Content-Encoding: {name}\r\n");
        // The first bytes of a coding without a mark may read as text.
        let shortest = match coder {
            Coder::Gzip | Coder::Zstd => 1,
            Coder::Zlib | Coder::RawDeflate | Coder::Br => 8,
        };
        for length in shortest..body.len() {
            let (bytes, completeness) = decoded(&fields, &body[..length], PLENTY);
            assert!(page().starts_with(&bytes), "{name} {length}");
            let expected = if bytes.is_empty() { Undecodable } else { Cut };
            assert_eq!(completeness, expected, "{name} {length}");
        }
    }
    let chunks = chunked(&page(), 100);
    for length in 4..chunks.len() - 5 {
        let (bytes, completeness) =
            decoded("Transfer-Encoding: chunked\r\n", &chunks[..length], PLENTY);
        assert!(page().starts_with(&bytes), "{length}");
        assert_ne!(completeness, Whole, "{length}");
    }
}

#[test]
fn local_a_flipped_byte_never_goes_over_the_cap() {
    for (name, coder) in CODERS {
        let body = chunked(&encode(coder, &page()), 90);
        let fields = format!("Content-Encoding: {name}\r\nTransfer-Encoding: chunked\r\n");
        for at in 0..body.len() {
            for mask in [0x01, 0x80, 0xFF] {
                let mut damaged = body.clone();
                damaged[at] ^= mask;
                let (bytes, _) = decoded(&fields, &damaged, 2_000);
                assert!(bytes.len() <= 2_000, "{name} {at}");
            }
        }
    }
}

/// RFC 1952 2.3.1: the checksum shows damage that inflates.
#[test]
fn rfc1952_2_3_1_a_wrong_checksum_is_damage() {
    let mut body = encode(Coder::Gzip, &page());
    let end = body.len();
    body[end - 8] ^= 1;
    assert_eq!(
        decoded("Content-Encoding: gzip\r\n", &body, PLENTY),
        (page(), Cut)
    );
}

#[test]
fn local_bombs_stop_at_the_cap() {
    let zeros = vec![0; 32 << 20];
    let bombs = [
        ("gzip", encode(Coder::Gzip, &zeros)),
        ("deflate", encode(Coder::Zlib, &zeros)),
        ("zstd", encode(Coder::Zstd, &zeros)),
        ("br", from_hex(BR_BOMB)),
        (
            "gzip, gzip",
            encode(Coder::Gzip, &encode(Coder::Gzip, &zeros)),
        ),
    ];
    for (name, body) in bombs {
        let fields = format!("Content-Encoding: {name}\r\n");
        let (bytes, completeness) = decoded(&fields, &body, 100_000);
        assert_eq!((bytes.len(), completeness), (100_000, Longer), "{name}");
    }
}

/// Ours: a window of 2 GiB is refused before it is allocated.
#[test]
fn local_huge_zstd_windows_are_refused() {
    let body = b"\x28\xB5\x2F\xFD\x00\xA8\x01\x00\x00";
    let found = decoded("Content-Encoding: zstd\r\n", body, PLENTY);
    assert_eq!(found, (Vec::new(), Undecodable));
}

#[test]
fn local_random_bodies_are_bounded() {
    let mut random = Rng::with_seed(0x2545_F491_4F6C_DD1D);
    let starts: [&[u8]; 5] = [
        b"",
        b"\x1F\x8B\x08\0",
        b"\x28\xB5\x2F\xFD",
        b"\x78\x9C",
        b"9\r\n",
    ];
    let fields = "Content-Encoding: deflate, br, gzip, zstd\r\nTransfer-Encoding: chunked\r\n";
    for round in 0..5_000 {
        let mut body = starts[round % starts.len()].to_vec();
        body.extend((0..round % 97).map(|_| random.u8(..)));
        let short = decoded(fields, &body, 50);
        let long = decoded(fields, &body, 5_000);
        assert!(short.0.len() <= 50 && long.0.len() <= 5_000);
        assert!(long.0.starts_with(&short.0), "{body:?}");
    }
}

/// A second member that is damaged from its start is no junk: what it held is missing.
#[test]
fn read_5_a_damaged_second_member_is_a_cut() {
    for (name, coder) in [("gzip", Coder::Gzip), ("zstd", Coder::Zstd)] {
        let first = encode(coder, &page());
        let mut second = first.clone();
        second[4..].fill(0xFF);
        for body in [
            [&first[..], &second].concat(),
            [&first[..], &second[..4]].concat(),
        ] {
            for body in [body.clone(), chunked(&body, 1)] {
                let fields = format!("Content-Encoding: {name}\r\nTransfer-Encoding: chunked\r\n");
                assert_eq!(decoded(&fields, &body, PLENTY), (page(), Cut), "{name}");
            }
        }
    }
}
