//! What counts as read of a record: types, XHTML, and bodies that are not whole (RULES READ-5 to READ-8).

use crate::body_support::{Coder, chunked, encode};
use crate::warc;
use crawlprefs::archive::{Archive, Event};
use crawlprefs::evidence::{Capture, Depth, Reading, RecordReader};
use crawlprefs::web::body_mark::BodyMark;
use crawlprefs::web::field::Carrier;

const PAGE: &str = "http://a.example/";
const ROBOTS: &str = "http://a.example/robots.txt";
const TDMREP: &str = "http://a.example/.well-known/tdmrep.json";

/// Reads the last record of an archive of a record with these lines and this block, after one with `info`.
pub fn read<T>(
    info: &str,
    url: &str,
    lines: &str,
    block: &[u8],
    see: impl Fn(&Capture<'_>) -> T,
) -> T {
    let mut bytes = Vec::new();
    if !info.is_empty() {
        bytes.extend(warc::record("WARC-Type: warcinfo\r\n", info.as_bytes()));
    }
    bytes.extend(warc::response(url, "2016-08-10T06:00:00Z", lines, block));
    let mut archive = Archive::open(&*bytes)
        .expect("a slice can be read")
        .expect("a WARC");
    let mut reader = RecordReader::new(Depth::Full);
    let mut seen = None;
    while let Ok(Some(Event::Record(record))) = archive.next() {
        if let Reading::Capture(capture) = reader.read(&record, None) {
            seen = Some(see(&capture));
        }
    }
    seen.expect("a capture")
}

/// Returns the metas of a page and what is unread of it.
fn page(fields: &str, body: &[u8]) -> (Vec<String>, Vec<&'static str>) {
    let block = [b"HTTP/1.1 200 OK\r\n", fields.as_bytes(), b"\r\n", body].concat();
    read("", PAGE, "", &block, |capture| {
        let metas = capture
            .fields
            .iter()
            .filter(|field| field.carrier == Carrier::Meta);
        let metas = metas
            .map(|field| format!("{}={}", field.name, String::from_utf8_lossy(field.value)))
            .collect();
        (metas, capture.unread.names().collect())
    })
}

/// Returns whether the body of a site file is there and whole.
fn is_whole(url: &str, lines: &str, head: &str, body: &[u8]) -> bool {
    let block = [head.as_bytes(), b"\r\n", body].concat();
    read("", url, lines, &block, |capture| {
        capture
            .body
            .as_ref()
            .is_some_and(|body| !body.marks.are_cut())
    })
}

const META: &str = "<meta name=robots content=noai>";

fn noai() -> (Vec<String>, Vec<&'static str>) {
    (vec!["robots=noai".to_owned()], vec![])
}

#[test]
fn read_7_the_decoded_body_decides_where_no_type_is_named() {
    let utf_16: Vec<u8> = META.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for fields in [
        "",
        "Content-Type: */*\r\n",
        "Content-Type: unknown/unknown\r\n",
        "Content-Type: html\r\n",
    ] {
        for begin in [
            "",
            "<title>a</title>",
            "<script></script>",
            "\n <link rel=a>",
            "<!-- a -->",
            "<?xml version='1.0'?>",
        ] {
            let body = format!("{begin}{META}");
            assert_eq!(page(fields, body.as_bytes()), noai(), "{fields} {begin}");
            let gzip = encode(Coder::Gzip, body.as_bytes());
            assert_eq!(
                page(&format!("{fields}Content-Encoding: gzip\r\n"), &gzip),
                noai(),
                "{fields} {begin}"
            );
            assert_eq!(page(fields, &gzip), noai(), "{fields} {begin}");
            let chunks = chunked(body.as_bytes(), 5);
            assert_eq!(
                page(&format!("{fields}Transfer-Encoding: chunked\r\n"), &chunks),
                noai(),
                "{begin}"
            );
        }
        assert_eq!(page(fields, &utf_16), noai(), "{fields}");
        let unread = (vec![], vec!["meta"]);
        assert_eq!(page(fields, b"\x1F\x8B\x08\0broken"), unread);
        assert_eq!(page(fields, b"\x01\x02\x03\x04"), unread);
        for other in [
            &b""[..],
            b"User-agent: *",
            b"\x89PNG\r\n\x1A\n\0\0",
            b"{\"a\":1}",
            b"%PDF-1.4\n\x01",
        ] {
            assert_eq!(
                page(fields, other),
                (vec![], vec![]),
                "{}",
                other.escape_ascii()
            );
        }
    }
}

#[test]
fn read_7_one_html_type_of_several_counts() {
    for fields in [
        "Content-Type: text/plain\r\nContent-Type: text/html\r\n",
        "Content-Type: text/plain, text/html\r\n",
        "Content-Type: text/html\r\nContent-Type: image/png\r\n",
    ] {
        assert_eq!(page(fields, META.as_bytes()), noai(), "{fields}");
    }
    assert_eq!(
        page("Content-Type: image/png\r\n", META.as_bytes()),
        (vec![], vec![])
    );
    let not_text = b"\x89PNG\r\n\x1A\n\0\0<meta name=robots content=noai>";
    assert_eq!(
        page("Content-Type: text/html\r\n", not_text),
        (vec![], vec!["meta"])
    );
}

fn xhtml(head: &str) -> String {
    format!(
        "<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC 'a' 'b'>\n<html xmlns='http://www.w3.org/1999/xhtml'><head>{head}</head><body/></html>"
    )
}

#[test]
fn read_8_xhtml_is_read_by_the_rules_of_xml_and_of_html() {
    const META: &str = "<meta name='robots' content='noai'/>";
    let prefixed = "<h:html xmlns:h='http://www.w3.org/1999/xhtml'><h:head><h:title/><h:meta name='robots' content='noai'/></h:head></h:html>";
    for fields in [
        "application/xhtml+xml",
        "application/xml",
        "text/xml; charset=utf-8",
        "image/svg+xml",
    ] {
        let fields = format!("Content-Type: {fields}\r\n");
        for head in [
            META.to_owned(),
            format!("<script src='a.js'/>{META}"),
            format!("<title/>{META}"),
            format!("<title>a &eacute; &#233; b</title>{META}"),
            format!("<style><![CDATA[ </head> <body> ]]></style>{META}"),
            "<meta name='robots' content='no&#97;i'></meta>".to_owned(),
        ] {
            assert_eq!(
                page(&fields, xhtml(&head).as_bytes()),
                noai(),
                "{fields} {head}"
            );
        }
        assert_eq!(page(&fields, prefixed.as_bytes()), noai(), "{fields}");
    }
    assert_eq!(page("", prefixed.as_bytes()).1, Vec::<&str>::new());
}

#[test]
fn read_8_what_neither_can_follow_is_unread() {
    for head in [
        "<title>a</titel><meta name='robots' content='noai'/>".to_owned(),
        "<meta name='robots' content='&unheard;'/>".to_owned(),
        "<meta name='robots' name='a' content='noai'/>".to_owned(),
        "<a:b/><meta name='robots' content='noai'/>".to_owned(),
        "<x>".repeat(100),
        "<meta".to_owned(),
    ] {
        assert_eq!(
            page(
                "Content-Type: application/xhtml+xml\r\n",
                xhtml(&head).as_bytes()
            )
            .1,
            ["meta"],
            "{head}"
        );
    }
    let subset = "<!DOCTYPE html [<!ENTITY m \"<meta name='robots' content='noai'/>\">]><html xmlns='http://www.w3.org/1999/xhtml'><head>&m;</head></html>";
    assert_eq!(
        page("Content-Type: application/xhtml+xml\r\n", subset.as_bytes()).1,
        ["meta"]
    );
    assert_eq!(
        page("Content-Type: application/xml\r\n", subset.as_bytes()).1,
        ["meta"]
    );
}

/// A yes that one of them finds, and the other does not, is not believed.
#[test]
fn read_8_readings_that_differ_are_unread_and_keep_both() {
    let hidden = "<style><![CDATA[</style><meta name='a' content='html'/>]]></style><meta name='a' content='xml'/>";
    let (metas, unread) = page(
        "Content-Type: application/xhtml+xml\r\n",
        xhtml(hidden).as_bytes(),
    );
    assert_eq!(
        (metas, unread),
        (vec!["a=html".to_owned(), "a=xml".to_owned()], vec!["meta"])
    );
}

#[test]
fn read_8_xml_that_is_not_xhtml_has_no_metas() {
    for body in [
        "<rss><channel><meta name='robots' content='noai'/></channel></rss>",
        "<feed xmlns='http://www.w3.org/2005/Atom' xmlns:x='http://www.w3.org/1999/xhtml'><x:head><x:meta name='a' content='b'/></x:head></feed>",
        "<rss",
    ] {
        assert_eq!(
            page("Content-Type: application/xml\r\n", body.as_bytes()),
            (vec![], vec![]),
            "{body}"
        );
    }
}

#[test]
fn read_5_xml_that_is_cut_before_its_root_may_have_metas() {
    let long = format!("<?xml version='1.0'?><!-- {} -->", "a".repeat(70 << 10));
    for (body, unread) in [
        ("<?xml version='1.0'?><!-- a", vec!["meta"]),
        (&*long, vec!["meta"]),
        ("<rss><channel>", vec![]),
    ] {
        for kind in ["application/xml", "text/xml", "image/svg+xml"] {
            let cut = format!("Content-Type: {kind}\r\nContent-Length: 99999\r\n");
            assert_eq!(
                page(&cut, body.as_bytes()),
                (vec![], unread.clone()),
                "{kind}"
            );
            let whole = format!("Content-Type: {kind}\r\n");
            assert_eq!(page(&whole, body.as_bytes()), (vec![], vec![]), "{kind}");
        }
    }
}

#[test]
fn read_5_what_the_archive_or_the_head_says_is_missing_is_cut() {
    const BODY: &[u8] = b"User-agent: *\nAllow: /\n";
    let ok = "HTTP/1.1 200 OK\r\n";
    let whole = |head: &str, body: &[u8]| {
        is_whole(ROBOTS, "", head, body) && is_whole(TDMREP, "", head, body)
    };
    for head in [
        "",
        "Content-Length: 23\r\n",
        "Content-Length: 5\r\n",
        "Content-Length: 900\r\nContent-Encoding: gzip\r\n",
        "Content-Length: 900\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: 900\r\nX-Crawler-Content-Encoding: br\r\n",
        "Content-Length: x\r\n",
    ] {
        assert!(whole(&format!("{ok}{head}"), BODY), "{head}");
    }
    for (head, body) in [
        ("Content-Length: 24\r\n", BODY),
        // Renamed by a writer, it still counts what was sent, where no coding was renamed, too.
        ("X-Crawler-Content-Length: 900\r\n", BODY),
        ("Content-Length: 23\r\nContent-Length: 24\r\n", BODY),
        ("Content-Length: 900, 900\r\n", BODY),
        ("Content-Length: 900\r\n", b""),
        ("Content-Encoding: gzip\r\n", b""),
        ("Transfer-Encoding: chunked\r\n", b""),
        ("Content-Length: 1\r\nContent-Encoding: br\r\n", b""),
        ("Transfer-Encoding: chunked\r\n", b"4\r\nUser\r\n"),
        ("", b"HTTP/1.1 503 Busy\r\n\r\n"),
    ] {
        assert!(!whole(&format!("{ok}{head}"), body), "{head}");
    }
    for head in [
        "Content-Length: 0\r\nContent-Encoding: gzip\r\n",
        "Content-Length: 0\r\n",
        "",
    ] {
        assert!(whole(&format!("{ok}{head}"), b""), "{head}");
    }
    // https://www.forbessummit.com.ar/robots.txt is this text.
    assert!(whole(ok, b"HTTP/1.1 404 Not Found"));
    assert!(whole(
        "HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n",
        b""
    ));
}

#[test]
fn read_5_a_part_of_a_file_is_cut() {
    const BODY: &[u8] = b"User-agent: *\nAllow: /\n";
    for (range, whole) in [
        ("Content-Range: bytes 0-22/23\r\n", true),
        ("Content-Range: bytes 0-22/24\r\n", false),
        ("Content-Range: bytes 1-22/23\r\n", false),
        ("Content-Range: bytes 0-22/*\r\n", false),
        ("Content-Range: lines 0-22/23\r\n", false),
        ("", false),
    ] {
        let head = format!("HTTP/1.1 206 Partial Content\r\n{range}");
        assert_eq!(is_whole(ROBOTS, "", &head, BODY), whole, "{range}");
    }
    assert!(!is_whole(
        ROBOTS,
        "WARC-Segment-Number: 1\r\n",
        "HTTP/1.1 200 OK\r\n",
        BODY
    ));
    assert!(!is_whole(
        ROBOTS,
        "WARC-Truncated: length\r\n",
        "HTTP/1.1 200 OK\r\n",
        BODY
    ));
}

#[test]
fn read_5_each_reason_has_its_mark() {
    let marks = |lines: &str, head: &str, body: &[u8]| {
        let block = [b"HTTP/1.1 ", head.as_bytes(), b"\r\n\r\n", body].concat();
        read("", ROBOTS, lines, &block, |capture| {
            capture
                .body_marks
                .iter()
                .map(BodyMark::as_str)
                .collect::<Vec<_>>()
                .join(" ")
        })
    };
    let gzip = encode(Coder::Gzip, b"User-agent: *\n");
    for (lines, head, body, expected) in [
        ("", "200 OK", &b"a"[..], ""),
        ("WARC-Truncated: time\r\n", "200 OK", b"a", "truncated"),
        ("WARC-Segment-Number: 1\r\n", "200 OK", b"a", "segment"),
        ("", "206 Partial", b"a", "partial_content"),
        ("", "200 OK\r\nContent-Length: 2", b"a", "short"),
        ("", "200 OK\r\nContent-Encoding: gzip", b"", "empty"),
        (
            "",
            "200 OK\r\nContent-Encoding: gzip",
            &gzip[..gzip.len() - 8],
            "damaged",
        ),
        ("", "200 OK", &gzip, "coding_undeclared"),
        (
            "",
            "200 OK\r\nContent-Encoding: gzip",
            &gzip[..9],
            "undecodable",
        ),
        (
            "",
            "200 OK\r\nContent-Length: 99",
            &gzip[..gzip.len() - 8],
            "short damaged coding_undeclared",
        ),
    ] {
        assert_eq!(marks(lines, head, body), expected, "{lines}{head}");
    }
}

/// Common Crawl's archives of 2014 to 2017 say so of small whole pages.
#[test]
fn read_5_wild_length_says_nothing_in_common_crawls_archives_before_2018() {
    let block = b"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\n";
    let long = [&block[..], &[b'#'; 500 << 10]].concat();
    for (info, reason, block, expected) in [
        ("isPartOf: CC-MAIN-2016-30\r\n", "length", &block[..], true),
        ("operator: CommonCrawl Admin\r\n", "length", block, true),
        ("isPartOf: CC-MAIN-2016-30\r\n", "time", block, false),
        ("isPartOf: CC-MAIN-2016-30\r\n", "length", &long, false),
        ("software: Heritrix\r\n", "length", block, false),
        ("", "length", block, false),
    ] {
        let lines = format!("WARC-Truncated: {reason}\r\n");
        let whole = read(info, ROBOTS, &lines, block, |capture| {
            !capture.body.as_ref().expect("a body").marks.are_cut()
        });
        assert_eq!(whole, expected, "{info} {reason}");
    }
}

#[test]
fn read_6_the_fields_of_all_heads_are_read_and_an_interim_head_alone_is_unread() {
    let of = |block: &str| {
        read("", PAGE, "", block.as_bytes(), |capture| {
            (
                capture.status,
                capture.fields.count(),
                capture.unread.names().collect::<Vec<_>>(),
            )
        })
    };
    let real = "HTTP/1.1 200 OK\r\nX-Robots-Tag: noai\r\nContent-Type: text/plain\r\n\r\na";
    assert_eq!(
        of(&format!("HTTP/1.1 100 Continue\r\n\r\n{real}")),
        (Some(200), 2, vec![])
    );
    assert_eq!(
        of(&format!(
            "HTTP/1.1 103 Early Hints\r\nRobots-Tag: a\r\n\r\n{real}"
        )),
        (Some(200), 3, vec![])
    );
    assert_eq!(
        of("HTTP/1.1 100 Continue\r\n\r\n"),
        (Some(100), 0, vec!["header", "meta"])
    );
    assert_eq!(
        of(&format!("HTTP/1.1 200 OK\r\n\r\n{real}")).2,
        ["header", "meta"]
    );
}
