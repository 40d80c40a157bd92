//! Bodies are skipped only where that is safe, and then the records are those of the full read.

use crate::fixture::{WARCINFO_ID, crawl, member, record, response, response_of, warcinfo};
use crawlprefs::archive::{Archive, Event, Record, Wanted};
use fastrand::Rng;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

/// For each record: offset, length, target and the first bytes of the block; and how many were skipped.
type Read = (Vec<(u64, Option<u64>, String, Vec<u8>)>, u64);

fn wanted(record: &Record<'_>) -> Wanted {
    if record.block.len() < 100 {
        Wanted::More
    } else {
        Wanted::Beginning
    }
}

fn read(bytes: &[u8], heads: bool) -> Read {
    let mut archive = Archive::open(bytes)
        .expect("a slice can be read")
        .expect("an archive");
    if heads {
        archive.skip_bodies(Box::new(wanted));
    }
    let mut found = Vec::new();
    let mut lost = 0;
    while let Some(event) = archive.next().expect("a slice can be read") {
        match event {
            Event::Record(record) => {
                let target = record
                    .target
                    .map(|target| String::from_utf8_lossy(target).into_owned());
                let start = record.block[..record.block.len().min(100)].to_vec();
                found.push((
                    record.place.offset,
                    record.place.length,
                    target.unwrap_or_default(),
                    start,
                ));
                assert!(record.block_is_whole || record.length >= record.block.len() as u64);
            }
            Event::Damage(damage) => lost += u64::from(damage.record_lost),
        }
    }
    assert_eq!(archive.records(), found.len() as u64 + lost);
    (found, archive.skipped_bodies())
}

/// Returns bytes that do not compress.
fn noise(bytes: usize, seed: u64) -> Vec<u8> {
    let mut random = Rng::with_seed(seed);
    // Printable, so that no byte is that of a member's start.
    (0..bytes).map(|_| b' ' + random.u8(..90)).collect()
}

fn page(number: usize) -> Vec<u8> {
    let body = noise(60_000, number as u64 * 7919 + 13);
    response(
        &format!("https://a.example/{number}"),
        &[b"HTTP/1.1 200 OK\r\n\r\n", &body[..]].concat(),
    )
}

fn stored(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(text).expect("a Vec can be written");
    encoder.finish().expect("a Vec can be written")
}

fn same(archive: &[u8], skipped: Option<u64>, what: &str) {
    let (full, none) = read(archive, false);
    let (heads, count) = read(archive, true);
    assert_eq!(none, 0);
    assert!(
        heads == full,
        "{what}: {} records, {} in full",
        heads.len(),
        full.len()
    );
    if let Some(skipped) = skipped {
        assert_eq!(count, skipped, "{what}");
    }
}

fn start() -> Vec<u8> {
    crawl(2).iter().flat_map(|record| member(record)).collect()
}

#[test]
fn local_bodies_are_skipped_and_the_records_are_those_of_the_full_read() {
    let pages: Vec<u8> = (0..8).flat_map(|number| member(&page(number))).collect();
    // That the last one is the last cannot be confirmed.
    same(&[start(), pages.clone()].concat(), Some(7), "a crawl");
    same(
        &pages,
        Some(0),
        "a range of a file, without its warcinfo record",
    );
    let padded = [
        start(),
        member(&page(1)),
        vec![0; 700],
        member(b""),
        member(&page(2)),
        member(&page(3)),
    ]
    .concat();
    same(&padded, None, "padding and an empty member");
    let two = [
        start(),
        member(&[page(1), page(2)].concat()),
        member(&page(3)),
        member(&page(4)),
    ]
    .concat();
    same(&two, Some(1), "two records in a member");
    let old = String::from_utf8_lossy(&page(1))
        .replace("WARC/1.0", "WARC/0.17")
        .into_bytes();
    same(
        &[start(), member(&old), member(&old), member(&page(2))].concat(),
        Some(2),
        "an old version",
    );
    let lengthless = String::from_utf8_lossy(&page(1))
        .replace("Content-Length", "X-Length")
        .into_bytes();
    same(
        &[
            start(),
            member(&lengthless),
            member(&page(2)),
            member(&page(3)),
        ]
        .concat(),
        Some(1),
        "no length",
    );
    let whole = [start(), member(&page(1)), member(&page(2))].concat();
    for cut in [whole.len() - 1, whole.len() - 9, whole.len() - 30_000] {
        same(&whole[..cut], None, "a cut member");
    }
}

#[test]
fn local_archives_whose_records_do_not_carry_the_id_are_read_in_full() {
    let other = |number: usize| {
        let body = [
            b"HTTP/1.1 200 OK\r\n\r\n",
            &noise(60_000, number as u64)[..],
        ]
        .concat();
        response_of("<urn:uuid:other>", "https://a.example/", &body)
    };
    let pages: Vec<u8> = (0..4).flat_map(|number| member(&other(number))).collect();
    same(
        &[member(&warcinfo()), pages.clone()].concat(),
        Some(0),
        "none carries it",
    );
    // A record that does not carry it is not skipped to; from the last of these, the one that carries it is.
    same(
        &[start(), member(&page(1)), pages, member(&page(2))].concat(),
        Some(1),
        "some carry it",
    );
}

/// Returns a page of `bytes` bytes of filler with `copies` forged members in it, each before what its record, as long
/// as a guess says, would need to be confirmed.
fn attack(id: Option<&str>, guesses: &[usize]) -> Vec<u8> {
    let victim = "https://victim.example/robots.txt";
    let mut body = noise(40_000, 99);
    for guess in guesses {
        let mut fields = vec![("WARC-Type", "response"), ("WARC-Target-URI", victim)];
        fields.extend(id.map(|id| ("WARC-Warcinfo-ID", id)));
        let forged = record(&fields, b"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nAllow: /\n");
        // The forged record claims to be as long as the page's.
        let forged = String::from_utf8(forged)
            .expect("text")
            .replace("Content-Length: 42", &format!("Content-Length: {guess}"));
        body.extend(u32::try_from(*guess).expect("short").to_le_bytes());
        // Stored, so that it is as long whatever the guess is.
        body.extend(stored(forged.as_bytes()));
        body.extend(noise(34_000, *guess as u64));
    }
    response(
        "https://attacker.example/",
        &[b"HTTP/1.1 200 OK\r\n\r\n", &body[..]].concat(),
    )
}

#[test]
fn local_both_attacks_by_a_forged_member_are_refused() {
    let honest = attack(None, &[0]).len();
    let guesses: Vec<usize> = (0..25).map(|number| honest + number).collect();
    for id in [
        None,
        Some("<urn:uuid:00000000-0000-4000-8000-000000000000>"),
    ] {
        for (what, guesses) in [
            ("the right length", &[attack(id, &[honest]).len()][..]),
            ("25 lengths", &guesses),
        ] {
            let page_text = attack(id, guesses);
            let archive = [
                start(),
                stored(&page_text),
                member(&page(1)),
                member(&page(2)),
            ]
            .concat();
            same(&archive, Some(1), what);
            let found = read(&archive, true).0;
            assert!(
                !found
                    .iter()
                    .any(|(_, _, target, _)| target.contains("victim")),
                "{what}"
            );
        }
    }
    // Whoever knows the random id can forge a record, which is why it must be random: the test above would not hold.
    let known = attack(
        Some(WARCINFO_ID),
        &[attack(Some(WARCINFO_ID), &[honest]).len()],
    );
    let archive = [start(), stored(&known), member(&page(1)), member(&page(2))].concat();
    assert!(
        read(&archive, true)
            .0
            .iter()
            .any(|(_, _, target, _)| target.contains("victim"))
    );
}
