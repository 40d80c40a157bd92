//! Records and members in all the ways in which writers put them.

use crate::fixture::{crawl, member, read, record, response, warcinfo};
use crawlprefs::archive::DamageKind;
use crawlprefs::web::steps;

#[test]
fn warc_1_1_annex_d_a_record_is_a_member_with_its_offset_and_length() {
    let members: Vec<Vec<u8>> = crawl(5).iter().map(|record| member(record)).collect();
    let found = read(&members.concat());
    assert_eq!(found.damage, []);
    let mut offset = 0;
    for (member, (at, length, _, _)) in members.iter().zip(&found.records) {
        assert_eq!((*at, *length), (offset, Some(member.len() as u64)));
        offset += member.len() as u64;
    }
    assert_eq!((found.records.len(), found.count), (6, 6));
}

#[test]
fn warc_1_1_plain_files_have_records_end_to_end() {
    let records = crawl(5);
    let found = read(&records.concat());
    assert_eq!(found.damage, []);
    let mut offset = 0;
    for (record, (at, length, _, _)) in records.iter().zip(&found.records) {
        assert_eq!((*at, *length), (offset, Some(record.len() as u64)));
        offset += record.len() as u64;
    }
    assert_eq!(found.records.len(), 6);
}

#[test]
fn wild_a_whole_file_may_be_one_member() {
    let records = crawl(40);
    let found = read(&member(&records.concat()));
    assert_eq!(found.damage, []);
    assert_eq!(found.blocks(), read(&records.concat()).blocks());
    assert!(
        found
            .records
            .iter()
            .all(|(offset, length, _, _)| (*offset, *length) == (0, None))
    );
}

#[test]
fn local_a_member_longer_than_is_held_is_read_as_a_stream() {
    let long = vec![b'x'; 40 << 20];
    let records = [
        warcinfo(),
        response("https://a.example/1", &long),
        response("https://a.example/2", &long),
    ];
    let last = response("https://a.example/3", b"HTTP/1.1 200 OK\r\n\r\nlast");
    let found = read(
        &[
            member(&[records.concat(), last].concat()),
            member(&warcinfo()),
        ]
        .concat(),
    );
    assert_eq!(found.damage, []);
    assert_eq!(
        found.types(),
        ["warcinfo", "response", "response", "response", "warcinfo"]
    );
    assert_eq!(found.blocks()[3], "HTTP/1.1 200 OK\r\n\r\nlast");
    // Of a block in a stream only the beginning is held.
    assert!(found.records[1].3.len() >= 1 << 20 && found.records[1].3.len() < long.len());
}

#[test]
fn wild_empty_members_and_padding_lie_between_members() {
    let records = crawl(2);
    let mut archive = Vec::new();
    for record in &records {
        archive.extend(member(b""));
        archive.extend(member(record));
    }
    assert_eq!(read(&archive).damage, []);
    archive.extend([0; 3000]);
    let found = read(&archive);
    assert_eq!(
        (found.records.len(), found.damage),
        (3, vec![(DamageKind::Padding, false)])
    );
}

#[test]
fn wild_line_ends_around_records_vary() {
    for ends in ["", "\n", "\r\n", "\r\n\r\n\r\n", "\n\n"] {
        let mut text = Vec::new();
        for record in crawl(3) {
            text.extend_from_slice(record.strip_suffix(b"\r\n\r\n").expect("as made"));
            text.extend_from_slice(ends.as_bytes());
        }
        let found = read(&text);
        assert_eq!((found.records.len(), found.damage), (4, vec![]), "{ends:?}");
    }
}

#[test]
fn wild_heads_with_lf_alone_are_read() {
    let text = String::from_utf8(crawl(2).concat())
        .expect("made of text")
        .replace("\r\n", "\n");
    // The blocks' lengths were counted with CRLF: three bytes of each belong to what follows.
    let found = read(text.as_bytes());
    assert_eq!(found.types()[0], "warcinfo");
    assert_eq!(
        found.records.len() as u64 + found.damage.iter().filter(|(_, lost)| *lost).count() as u64,
        found.count
    );
}

#[test]
fn local_a_length_too_short_costs_no_record() {
    let short = String::from_utf8(response(
        "https://a.example/x",
        b"HTTP/1.1 200 OK\r\n\r\n0123456789",
    ))
    .expect("made of text")
    .replace("Content-Length: 29", "Content-Length: 23");
    let next = response("https://a.example/y", b"HTTP/1.1 200 OK\r\n\r\nnext");
    for archive in [
        [warcinfo(), short.clone().into_bytes(), next.clone()].concat(),
        [member(&warcinfo()), member(short.as_bytes()), member(&next)].concat(),
    ] {
        let found = read(&archive);
        assert_eq!(
            found.blocks()[1..],
            ["HTTP/1.1 200 OK\r\n\r\n0123", "HTTP/1.1 200 OK\r\n\r\nnext"]
        );
        assert_eq!(found.damage, [(DamageKind::Misaligned, false)]);
    }
}

#[test]
fn local_a_length_too_long_is_held_against_its_member() {
    let long = String::from_utf8(response(
        "https://a.example/x",
        b"HTTP/1.1 200 OK\r\n\r\n0123456789",
    ))
    .expect("made of text")
    .replace("Content-Length: 29", "Content-Length: 2900");
    let archive = [
        member(&warcinfo()),
        member(long.as_bytes()),
        member(&response("https://a.example/y", b"next")),
    ];
    let found = read(&archive.concat());
    assert_eq!(found.blocks()[2], "next");
    assert!(found.blocks()[1].starts_with("HTTP/1.1 200 OK\r\n\r\n0123456789"));
    assert_eq!(found.damage, [(DamageKind::BlockShort, false)]);
}

#[test]
fn local_without_a_length_the_record_ends_with_its_member() {
    let text = String::from_utf8(response("https://a.example/x", b"block")).expect("made of text");
    let bare = text.replace("Content-Length: 5\r\n", "");
    let found = read(&[member(&warcinfo()), member(bare.as_bytes())].concat());
    assert_eq!(
        (found.blocks()[1].trim_end(), found.damage),
        ("block", vec![(DamageKind::ContentLength, false)])
    );
    let plain = read(&[warcinfo(), bare.into_bytes(), warcinfo()].concat());
    assert_eq!((plain.records.len(), plain.count), (2, 3));
    assert!(plain.damage.contains(&(DamageKind::ContentLength, true)));
}

#[test]
fn local_a_head_without_end_is_left_behind() {
    let mut endless = b"WARC/1.0\r\nX: ".to_vec();
    endless.resize(3 << 20, b'y');
    let archive = [warcinfo(), endless, b"\r\n".to_vec(), warcinfo()].concat();
    let found = read(&archive);
    assert_eq!((found.records.len(), found.count), (2, 3));
    assert_eq!(found.damage, [(DamageKind::HeadTooLong, true)]);
}

#[test]
fn warc_1_1_unknown_types_and_empty_blocks_are_records() {
    let found = read(&[record(&[("WARC-Type", "later")], b""), record(&[], b"x")].concat());
    assert_eq!(found.types(), ["later", "(none)"]);
    assert_eq!(found.damage, []);
}

/// A line of blanks goes on with the value of the field above it, and adds nothing to it.
#[test]
fn warc_1_1_4_a_blank_line_folded_onto_a_value_adds_nothing() {
    let text = String::from_utf8(response("https://a.example/x", b"block")).expect("made of text");
    for field in ["WARC-Type: response", "Content-Length: 5"] {
        let folded = text.replace(field, &format!("{field}\r\n \t\r\n "));
        let found = read(&[warcinfo(), folded.into_bytes(), warcinfo()].concat());
        assert_eq!(
            found.types(),
            ["warcinfo", "response", "warcinfo"],
            "{field}"
        );
        assert_eq!(
            (&*found.blocks()[1], found.damage),
            ("block", vec![]),
            "{field}"
        );
    }
}

/// A head as long as is read, all of it one value in lines of a byte each.
#[test]
fn local_a_value_of_many_lines_is_joined_in_linear_time() {
    let lines = "\r\n x".repeat(250_000);
    let folded = record(&[("WARC-Type", "response"), ("X", &lines)], b"block");
    let (found, taken) = steps::counted(|| read(&[warcinfo(), folded.clone()].concat()));
    assert_eq!(
        (found.blocks()[1].as_str(), found.damage),
        ("block", vec![])
    );
    let most = 2 * folded.len() as u64;
    assert!(taken > 0 && taken <= most, "{taken} steps, at most {most}");
}
