//! Archives made to be slow, or to hide records: what they cost in steps, and what is said of them.

use crate::fixture::{Read, WARCINFO_ID, crawl, member, read, response_of, warcinfo};
use crawlprefs::archive::DamageKind;
use crawlprefs::web::steps;

const NO_ID: &str = "<urn:uuid:11111111-2222-4333-8444-555555555555>";

/// Asserts that reading takes at most `most` steps a byte, in an archive of about `bytes` and in one four times that.
pub fn assert_linear(what: &str, most: u64, bytes: usize, make: impl Fn(usize) -> Vec<u8>) {
    for bytes in [bytes, 4 * bytes] {
        let archive = make(bytes);
        let (_, taken) = steps::counted(|| read(&archive));
        let allowed = most * archive.len() as u64;
        assert!(
            taken <= allowed,
            "{what}, {} bytes: {taken} steps, at most {allowed}",
            archive.len()
        );
    }
}

#[test]
fn local_a_search_for_the_next_record_takes_linear_time() {
    let lines = |bytes: usize| b"WARC/1.0\n".repeat(bytes / 9);
    assert_linear("heads without an end", 8, 2 << 20, lines);
    let whole_head = |bytes| [lines(bytes), b"\r\n\r\n".to_vec(), lines(bytes)].concat();
    assert_linear("heads with one end", 8, 400_000, whole_head);
    let behind = |bytes| {
        [
            warcinfo(),
            crawl(1).concat(),
            b"x\n".to_vec(),
            whole_head(bytes),
        ]
        .concat()
    };
    assert_linear("heads without the archive's id", 8, 400_000, behind);
    let heads = |bytes: usize| {
        [
            warcinfo(),
            crawl(1).concat(),
            b"WARC/1.0\r\n\r\n".repeat(bytes / 12),
        ]
        .concat()
    };
    assert_linear("empty heads", 8, 400_000, heads);
}

#[test]
fn local_a_search_for_the_next_member_takes_linear_time() {
    for unit in [
        &b"\x1f\x8b\x08"[..],
        b"\x1f\x8b\x08\0",
        b"\x1f\x8b\x08\x08\x01",
        b"\x1f\x8b\x08\0\0\0\0\0\0\xff\0\0\0\xff\xff",
    ] {
        let magics = |bytes: usize| [member(&warcinfo()), unit.repeat(bytes / unit.len())].concat();
        assert_linear(&format!("{}", unit.escape_ascii()), 400, 50_000, magics);
    }
}

/// Members nested in each other, each of which begins with the head of a record and reaches to the end of all, which
/// is wrong.
fn nested(count: usize, tail: &[u8]) -> Vec<u8> {
    const HEADER: &[u8] = b"\x1f\x8b\x08\0\0\0\0\0\0\xff";
    const TEXT: &[u8] = b"WARC/1.0\r\n";
    let unit = HEADER.len() + 5 + TEXT.len();
    let mut archive = Vec::new();
    for at in 0..count {
        let length =
            u16::try_from(count * unit - at * unit - HEADER.len() - 5).expect("a stored block");
        archive.extend(HEADER);
        archive.push(0);
        archive.extend(length.to_le_bytes());
        archive.extend((!length).to_le_bytes());
        archive.extend(TEXT);
    }
    archive.extend(tail);
    archive
}

#[test]
fn local_nested_members_are_inflated_a_bounded_number_of_times() {
    const MOST: u64 = 3 << 26;
    let bomb = member(&vec![0; 1 << 20]);
    let data = bomb.get(10..bomb.len() - 8).expect("a member");
    for (what, tail) in [
        ("wrong checksum", [data, &[0; 8]].concat()),
        ("cut", data[..data.len() - 9].to_vec()),
    ] {
        let archive = nested(1_000, &tail);
        let (found, taken) = steps::counted(|| read(&archive));
        assert!(taken < MOST, "{what}: {taken} steps");
        assert!(
            found.damage.iter().any(|(_, lost)| *lost),
            "{what}: no row says so: {:?}",
            found.damage
        );
    }
}

/// Record 2 of 1,000, whose Content-Length is a lie.
fn lie(id: &str, length: &str) -> Vec<Vec<u8>> {
    let page = |number: usize| {
        response_of(
            id,
            &format!("https://a.example/{number}"),
            b"HTTP/1.1 200 OK\r\n\r\nx",
        )
    };
    let mut records: Vec<Vec<u8>> = (0..1_000).map(page).collect();
    let text = String::from_utf8(records[1].clone()).expect("made of text");
    records[1] = text
        .replacen(
            "Content-Length: 20",
            &format!("Content-Length: {length}"),
            1,
        )
        .into_bytes();
    records
}

fn lost(found: &Read, kind: DamageKind) -> usize {
    found
        .damage
        .iter()
        .filter(|damage| **damage == (kind, true))
        .count()
}

#[test]
fn local_records_behind_a_false_length_are_lost_with_a_row_each() {
    for length in [
        "1099511627776",
        "300",
        "18446744073709551615",
        "9223372036854775807",
    ] {
        let found = read(&lie(NO_ID, length).concat());
        assert_eq!(found.count, 1_000, "{length}: {:?}", found.damage);
        assert_eq!(
            found.records.len() + lost(&found, DamageKind::InsideBlock),
            1_000,
            "{length}"
        );
    }
}

#[test]
fn local_records_with_the_archives_id_are_found_behind_a_false_length() {
    for length in ["1099511627776", "300", "18446744073709551615"] {
        let found = read(&[warcinfo(), lie(WARCINFO_ID, length).concat()].concat());
        assert_eq!(
            (found.records.len(), found.count),
            (1_001, 1_001),
            "{length}: {:?}",
            found.damage
        );
        assert!(
            found.damage.iter().all(|(_, lost)| !lost),
            "{length}: {:?}",
            found.damage
        );
        assert!(
            found.damage.contains(&(DamageKind::Misaligned, false)),
            "{length}: {:?}",
            found.damage
        );
    }
}

#[test]
fn local_a_length_in_the_tables_is_never_a_false_one() {
    for length in [
        "0",
        "10",
        "19",
        "20",
        "21",
        "24",
        "25",
        "400",
        "1099511627776",
        "9223372036854775807",
        "-1",
        "x",
    ] {
        let records = lie(NO_ID, length);
        for (what, archive) in [
            ("plain", records.concat()),
            (
                "gzip",
                records.iter().flat_map(|record| member(record)).collect(),
            ),
        ] {
            let ends: Vec<u64> = records
                .iter()
                .map(|record| if what == "plain" { record.len() } else { member(record).len() } as u64)
                .scan(0, |end, bytes| Some(std::mem::replace(end, *end + bytes)))
                .chain([archive.len() as u64])
                .collect();
            for (offset, length_found, _, _) in read(&archive).records {
                let end = length_found.map(|found| offset + found);
                assert!(
                    end.is_none_or(|end| ends.contains(&end)),
                    "{what}, {length}: {offset} {length_found:?}"
                );
            }
        }
    }
}
