//! A WAT's records are given as the records that they describe.

use crate::fixture::{member, record, warcinfo};
use crawlprefs::archive::{Archive, DamageKind, Event, Format, Kind, Unread};
use crawlprefs::evidence::{Depth, Reading, RecordReader};
use crawlprefs::web::field::Carrier;

/// What is known of a described record.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    kind: Kind,
    type_name: String,
    target: Option<String>,
    id: Option<String>,
    date: Option<String>,
    offset: Option<(u64, Option<u64>)>,
    block: String,
    length: u64,
    not_kept: Unread,
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Reads an archive of WAT records; returns what they describe, and the damage.
fn read(archive: &[u8]) -> (Vec<Found>, Vec<DamageKind>, Format) {
    let (mut found, mut damage) = (Vec::new(), Vec::new());
    let mut archive = Archive::open(archive)
        .expect("a slice can be read")
        .expect("an archive");
    while let Some(event) = archive.next().expect("a slice can be read") {
        match event {
            Event::Record(record) => found.push(Found {
                kind: record.kind,
                type_name: record.type_name.map(text).unwrap_or_default(),
                target: record.target.map(text),
                id: record.id.map(text),
                date: record.date.map(text),
                offset: record.described.map(|place| (place.offset, place.length)),
                block: text(record.block),
                length: record.length,
                not_kept: record.not_kept,
            }),
            Event::Damage(found) => damage.push(found.kind),
        }
    }
    (found, damage, archive.format())
}

fn wat_record(json: &str) -> Vec<u8> {
    let fields = [
        ("WARC-Type", "metadata"),
        ("WARC-Target-URI", "http://wat.example/"),
        ("Content-Type", "application/json"),
    ];
    record(&fields, json.as_bytes())
}

/// Returns the JSON of a response with this HTTP part.
fn described(http: &str) -> String {
    format!(
        r#"{{"Container":{{"Filename":"x.warc.gz","Compressed":true,"Offset":"433","Gzip-Metadata":{{"Deflate-Length":"4100","Header-Length":"10","Footer-Length":"8","Inflated-CRC":"-1"}}}},"Envelope":{{"Payload-Metadata":{{"Actual-Content-Type":"application/http; msgtype=response","HTTP-Response-Metadata":{http},"Trailing-Slop-Length":"4"}},"Format":"WARC/1.0","WARC-Header-Metadata":{{"WARC-Type":"response","WARC-Date":"2024-05-18T01:58:10Z","WARC-Record-ID":"<urn:uuid:1>","Content-Length":"1000","Content-Type":"application/http; msgtype=response","WARC-Target-URI":"https://a.example/"}}}}}}"#
    )
}

/// `HTTP/1.1 200 OK`, `X-Robots-Tag: noindex`, `Content-Type: text/html`, with their line ends.
const HEAD_BYTES: usize = 17 + 23 + 25 + 2;

fn page(headers_length: usize, headers: &str, html: &str) -> String {
    described(&format!(
        r#"{{"Response-Message":{{"Version":"HTTP/1.1","Status":"200","Reason":"OK"}},"Headers-Length":"{headers_length}","Headers":{headers}{html},"Entity-Length":"900"}}"#
    ))
}

const HEADERS: &str = r#"{"X-Robots-Tag":"noindex","Content-Type":"text/html"}"#;
const HTML: &str = r#","HTML-Metadata":{"Links":[{"path":"A@/href","url":"/\"}]"}],"Head":{"Metas":[{"name":"robots","content":"no\"ind\"ex"},{"http-equiv":"refresh","content":"1"}],"Link":[{"path":"LINK@/href","url":"/l","rel":"license"}],"Title":"t"}}"#;

fn read_one(json: &str) -> Found {
    let (mut found, damage, format) = read(&[warcinfo(), wat_record(json)].concat());
    assert_eq!(
        (damage.as_slice(), format, found.len()),
        (&[][..], Format::Wat, 2),
        "{json}"
    );
    found.remove(1)
}

#[test]
fn wild_a_wat_record_is_the_response_that_it_describes() {
    let found = read_one(&page(HEAD_BYTES, HEADERS, HTML));
    let head = "HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex\r\nContent-Type: text/html\r\n\r\n";
    assert_eq!(head.len(), HEAD_BYTES);
    let html = "\u{feff}<head><meta name=\"robots\" content=\"no&quot;ind&quot;ex\"><meta http-equiv=\"refresh\" content=\"1\"><link rel=\"license\" href=\"/l\"><body>";
    assert_eq!(found.block, format!("{head}{html}"));
    assert_eq!(
        (found.kind, found.type_name.as_str(), found.length),
        (Kind::Response, "metadata", 1000)
    );
    assert_eq!(found.target.as_deref(), Some("https://a.example/"));
    assert_eq!(
        (found.id.as_deref(), found.date.as_deref()),
        (Some("<urn:uuid:1>"), Some("2024-05-18T01:58:10Z"))
    );
    assert_eq!(found.offset, Some((433, Some(4118))));
    assert_eq!(
        found.not_kept,
        Unread {
            meta: true,
            body: true,
            ..Unread::default()
        }
    );
}

#[test]
fn wild_repeated_fields_are_an_array_or_lost_which_the_length_of_the_head_says() {
    let repeated = r#"{"X-Robots-Tag":["noindex","nofollow"],"Content-Type":"text/html"}"#;
    let found = read_one(&page(HEAD_BYTES + 24, repeated, HTML));
    assert!(
        found
            .block
            .contains("X-Robots-Tag: noindex\r\nX-Robots-Tag: nofollow\r\n")
    );
    assert!(!found.not_kept.header);
    let found = read_one(&page(HEAD_BYTES + 24, HEADERS, HTML));
    assert!(found.not_kept.header, "a field is lost");
}

#[test]
fn local_the_largest_lengths_do_not_overflow() {
    let found = read_one(&page(usize::MAX, HEADERS, HTML));
    assert!(found.not_kept.header, "the head is longer than its fields");
    let endless = page(0, HEADERS, HTML).replace(
        r#""Content-Length":"1000""#,
        r#""Content-Length":"18446744073709551615""#,
    );
    assert_eq!(read_one(&endless).length, u64::MAX);
}

/// `X-Robots-Tag: noai` is lost, and as many letters elsewhere have two bytes in the JSON and one on the wire.
#[test]
fn read_12_characters_of_two_bytes_do_not_make_up_for_a_lost_field() {
    let lost = "X-Robots-Tag: noai\r\n".len();
    let letters = "\u{e9}".repeat(lost);
    let headers =
        format!(r#"{{"X-Robots-Tag":"noindex","Content-Type":"text/html","X-A":"{letters}"}}"#);
    let field = "X-A: \r\n".len() + lost;
    assert!(
        read_one(&page(HEAD_BYTES + field + lost, &headers, HTML))
            .not_kept
            .header
    );
    assert!(
        !read_one(&page(HEAD_BYTES + field, &headers, HTML))
            .not_kept
            .header
    );
}

#[test]
fn local_of_the_html_head_metas_with_a_name_are_given_and_links_where_one_may_be_a_licence() {
    let metas = r#""Metas":[{"property":"og:title","content":"t"},{"CONTENT":"c","name":"n"}]"#;
    for (links, expected) in [
        (
            r#"{"path":"LINK@/href","url":"/1?a&b","rel":"stylesheet"},{"url":"/2"}"#,
            "",
        ),
        (
            r#"{"url":"/1"},{"rel":"x LICENSE","type":"a/b","url":"/3"}"#,
            "<link href=\"/1\"><link rel=\"x LICENSE\" href=\"/3\" type=\"a/b\">",
        ),
        (
            r#"{"rel":"&#108;&#105;&#99;ense"}"#,
            "<link rel=\"&#108;&#105;&#99;ense\">",
        ),
        (r#"{"rel":"li\u0063ense"}"#, "<link rel=\"license\">"),
    ] {
        let html = format!(r#","HTML-Metadata":{{"Head":{{{metas},"Link":[{links}]}}}}"#);
        let block = read_one(&page(1, HEADERS, &html)).block;
        let expected = format!("<head><meta name=\"n\" content=\"c\">{expected}<body>");
        assert_eq!(
            block.split_once('\u{feff}').map(|(_, html)| html),
            Some(expected.as_str()),
            "{links}"
        );
    }
}

#[test]
fn local_what_the_writer_read_as_html_is_html_without_a_media_type() {
    let html = r#","HTML-Metadata":{"Head":{"Link":[{"url":"/l","rel":"license"}]}}"#;
    let archive = [warcinfo(), wat_record(&page(1, "{}", html))].concat();
    let mut archive = Archive::open(archive.as_slice())
        .expect("a slice can be read")
        .expect("an archive");
    let mut reader = RecordReader::new(Depth::Full);
    let mut found = Vec::new();
    while let Some(event) = archive.next().expect("a slice can be read") {
        if let Event::Record(record) = event
            && let Reading::Capture(capture) = reader.read(&record, None)
        {
            let links = capture
                .fields
                .iter()
                .filter(|field| field.carrier == Carrier::Link)
                .count();
            found.push((capture.unread.meta, links));
        }
    }
    assert_eq!(found, [(true, 1)]);
}

#[test]
fn local_a_line_break_in_a_value_does_not_make_a_field() {
    let found = read_one(&page(
        1,
        r#"{"X-A":"a\r\nX-Robots-Tag: all\r\n\r\n<meta name=robots content=all>"}"#,
        "",
    ));
    assert!(
        found
            .block
            .ends_with("\r\nX-A: a  X-Robots-Tag: all    <meta name=robots content=all>\r\n\r\n"),
        "{}",
        found.block
    );
    let html = r#","HTML-Metadata":{"Head":{"Metas":[{"name":"a","content":"\"><meta name=robots content=all>"}]}}"#;
    assert!(
        read_one(&page(1, HEADERS, html))
            .block
            .contains("content=\"&quot;><meta")
    );
}

#[test]
fn local_requests_and_others_are_described_too_and_broken_json_is_a_lost_record() {
    let request = r#"{"Envelope":{"WARC-Header-Metadata":{"WARC-Type":"request","WARC-Target-URI":"http://a.example/"}}}"#;
    assert_eq!(read_one(request).kind, Kind::Other);
    for broken in [
        r#"{"Envelope":{"#,
        r#"{"Envelope":3}"#,
        r#"{"Container":{}}"#,
        r#"{"Envelope":{}} x"#,
    ] {
        let (found, damage, _) =
            read(&[warcinfo(), wat_record(request), wat_record(broken)].concat());
        assert_eq!(
            (found.len(), damage.as_slice()),
            (2, &[DamageKind::Envelope][..]),
            "{broken}"
        );
    }
}

#[test]
fn local_metadata_records_of_a_warc_are_not_believed_to_describe_others() {
    let forged = wat_record(&page(HEAD_BYTES, HEADERS, HTML));
    let page = crate::fixture::response("https://a.example/", b"HTTP/1.1 200 OK\r\n\r\n");
    let (found, _, format) = read(&[warcinfo(), page, forged].concat());
    assert_eq!(
        (format, found[2].kind, found[2].offset),
        (Format::Warc, Kind::Metadata, None)
    );
}

#[test]
fn local_a_wat_cut_or_flipped_at_any_byte_adds_up_and_is_not_silent() {
    let pieces = [
        warcinfo(),
        wat_record(&page(HEAD_BYTES, HEADERS, HTML)),
        wat_record(&page(HEAD_BYTES, HEADERS, "")),
    ];
    let pieces: Vec<Vec<u8>> = pieces.iter().map(|piece| member(piece)).collect();
    let whole = pieces.concat();
    let all = read(&whole).0;
    for at in pieces[0].len()..whole.len() {
        let (found, damage, _) = read(&whole[..at]);
        assert!(
            !damage.is_empty() || at == pieces[0].len() || at == pieces[..2].concat().len(),
            "cut at {at}"
        );
        assert!(found.len() < 3 || found == all, "cut at {at}");
        let mut flipped = whole.clone();
        flipped[at] ^= 0x55;
        let (found, damage, _) = read(&flipped);
        assert!(
            found == all || !damage.is_empty(),
            "byte {at} flipped: {found:?}"
        );
        assert!(found.len() >= 2, "byte {at} flipped: {damage:?}");
    }
}
