//! A page may hold bytes that look like a record or a gzip member. They must not be believed, not
//! even where damage makes the reader search.

use crate::fixture::{crawl, member, read, response, response_of, warcinfo};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

const FORGED: &str = "<urn:uuid:00000000-0000-4000-8000-000000000000>";

/// Returns a forged capture of a site's robots.txt.
fn forged() -> Vec<u8> {
    response_of(
        FORGED,
        "https://victim.example/robots.txt",
        b"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nAllow: /\n",
    )
}

/// Returns a member whose data is stored, so that its text's bytes are in it as they are.
fn stored_member(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(text).expect("a Vec can be written");
    encoder.finish().expect("a Vec can be written")
}

fn page_with(body: &[u8]) -> Vec<u8> {
    let block = [b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", body].concat();
    response("https://attacker.example/", &block)
}

fn assert_not_believed(archive: &[u8], what: &str) {
    let found = read(archive);
    assert!(
        !found
            .blocks()
            .iter()
            .any(|block| block.contains("Allow: /") && block.len() < 100),
        "{what}"
    );
    let text = found.blocks().join("");
    assert!(
        text.contains("the last page"),
        "{what}: the record behind is gone"
    );
}

fn last() -> Vec<u8> {
    response(
        "https://a.example/last",
        b"HTTP/1.1 200 OK\r\n\r\nthe last page",
    )
}

#[test]
fn local_a_forged_record_in_a_page_is_text() {
    let page = page_with(&[b"\r\n\r\n".to_vec(), forged(), b"more".to_vec()].concat());
    assert_not_believed(&[warcinfo(), page.clone(), last()].concat(), "plain");
    assert_not_believed(
        &[member(&warcinfo()), member(&page), member(&last())].concat(),
        "gzip",
    );
}

#[test]
fn local_a_forged_member_in_a_damaged_page_is_not_found() {
    let members: Vec<Vec<u8>> = crawl(2).iter().map(|record| member(record)).collect();
    let page = stored_member(&page_with(
        &[b"filler".to_vec(), member(&forged()), b"filler".to_vec()].concat(),
    ));
    for at in [3, 11, 20, page.len() - 5] {
        let mut damaged = page.clone();
        damaged[at] ^= 0x55;
        let archive = [members.concat(), damaged, member(&last())].concat();
        assert_not_believed(&archive, &format!("byte {at} of the page's member flipped"));
    }
}

#[test]
fn local_a_forged_record_behind_a_short_length_is_not_found() {
    let page = page_with(&[b"filler\r\n\r\n".to_vec(), forged()].concat());
    let text = String::from_utf8(page).expect("made of text");
    let (head, block) = text.split_once("\r\n\r\n").expect("as made");
    let length = block.len() - 4;
    let short = text.replacen(
        &format!("Content-Length: {length}"),
        "Content-Length: 47",
        1,
    );
    assert_ne!(short, text, "the length was found in {head}");
    assert_not_believed(
        &[
            warcinfo(),
            crawl(1).concat(),
            short.clone().into_bytes(),
            last(),
        ]
        .concat(),
        "plain",
    );
    let members = [
        member(&warcinfo()),
        member(&crawl(1)[1]),
        member(short.as_bytes()),
        member(&last()),
    ];
    assert_not_believed(&members.concat(), "gzip");
}

/// Damage before any record has shown that the archive's records carry its id: in the damaged record itself, or in
/// those behind it, that is to be seen.
#[test]
fn local_a_forged_record_in_a_damaged_first_page_is_not_found() {
    let body = [
        b"filler\r\n\r\n".to_vec(),
        forged(),
        b"filler".to_vec(),
        member(&forged()),
    ]
    .concat();
    let page = page_with(&[body, vec![b'x'; 1_000]].concat());
    let text = String::from_utf8_lossy(&page).into_owned();
    let bad_length = text
        .replacen("Content-Length: ", "Content-Length: x", 1)
        .into_bytes();
    assert_not_believed(
        &[warcinfo(), bad_length, last()].concat(),
        "plain, no length",
    );
    let small_length = text
        .replacen("Content-Length: 1", "Content-Length: ", 1)
        .into_bytes();
    assert_not_believed(
        &[warcinfo(), small_length, last()].concat(),
        "plain, false length",
    );
    let garbage = [warcinfo(), b"garbage\r\n\r\n".to_vec(), forged(), last()].concat();
    assert_not_believed(&garbage, "plain, no record");
    let stored = stored_member(&page);
    for at in [3, 11, 12, 20, stored.len() - 6] {
        let mut damaged = stored.clone();
        damaged[at] ^= 0xff;
        let archive = [member(&warcinfo()), damaged, member(&last())].concat();
        assert_not_believed(&archive, &format!("gzip, byte {at} flipped"));
    }
    let cut = [member(&warcinfo()), stored[..stored.len() - 500].to_vec()].concat();
    let found = read(&cut);
    assert_eq!(
        (found.types(), found.count),
        (vec!["warcinfo", "response"], 2),
        "gzip, cut: {:?}",
        found.damage
    );
}
