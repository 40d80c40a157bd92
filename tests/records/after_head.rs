//! Metas behind a head that ended early (RULES READ-13), parts whose beginning is missing (READ-14), and types (READ-20).

use crate::read::read;
use crawlprefs::evidence::html_head::{HtmlHeadEnd, head_fields};
use crawlprefs::web::field::Carrier;
use std::ops::ControlFlow;

const META: &str = "<meta name=\"robots\" content=\"noai\">";

/// Returns the fields of a head as `carrier name=value`, and its end.
fn head(html: &str) -> (Vec<String>, HtmlHeadEnd) {
    let mut found = Vec::new();
    let end = head_fields(html.as_bytes(), &mut |carrier, name, value| {
        let [name, value] = [name, value].map(String::from_utf8_lossy);
        found.push(format!("{} {name}={value}", carrier.as_str()));
        ControlFlow::Continue(())
    });
    (found, end)
}

#[test]
fn read_13_metas_go_on_behind_what_ends_a_head_early() {
    for broken in [
        "<div></div>",
        "<img src=a>",
        "<iframe src=a></iframe>",
        "text",
        "\n\u{feff}",
        "<p>",
        "<br>",
        "<h1>a</h1>",
        "</br>",
        "<textarea><meta name=a></textarea>",
        "<div><script>'<meta name=a>'</script><style><meta name=a></style></div>",
        "<div><template><meta name=a></template><!-- <meta name=a> --></div>",
        "<div><noscript>",
    ] {
        let page = format!("<html><head><title>a</title>{broken}{META}</head><body><p>");
        assert_eq!(
            head(&page),
            (
                vec!["after_head robots=noai".to_owned()],
                HtmlHeadEnd::Found
            ),
            "{broken}"
        );
        let open = format!("<html><head>{broken}{META}");
        assert_eq!(
            head(&open),
            (
                vec!["after_head robots=noai".to_owned()],
                HtmlHeadEnd::Early
            ),
            "{broken}"
        );
    }
    let names = "<div><meta http-equiv=x-robots-tag content=a><meta property=robots content=b>";
    assert_eq!(
        head(names).0,
        ["after_head x-robots-tag=a", "after_head robots=b"]
    );
}

/// READ-22: HTML knows no `value` of a meta, so that it gives no yes.
#[test]
fn read_22_a_value_in_place_of_a_content_is_like_a_meta_behind_the_head() {
    let value = "<meta name=robots value=\"noai, noimageai\"><meta name=a content=b>";
    assert_eq!(
        head(&format!("<head>{value}</head>")).0,
        ["after_head robots=noai, noimageai", "meta a=b"]
    );
    for both in ["content=\"\" value=noai", "value=noai content"] {
        assert_eq!(
            head(&format!("<head><meta name=robots {both}></head>")).0,
            ["meta robots="],
            "{both}"
        );
    }
    let equiv = "<head><meta http-equiv=x-robots-tag value=noai></head>";
    assert_eq!(head(equiv).0, ["after_head x-robots-tag=noai"]);
}

#[test]
fn read_13_an_explicit_end_ends_all() {
    for end in [
        "</head>",
        "<body>",
        "<body class=a>",
        "</head><body>",
        "</head><div>",
    ] {
        for broken in ["", "<div></div>"] {
            let page = format!("<head>{broken}{end}<div>{META}");
            assert_eq!(head(&page), (vec![], HtmlHeadEnd::Found), "{page}");
        }
    }
}

#[test]
fn read_13_so_many_bytes_are_looked_at() {
    let page = |before: usize| format!("<head><div>{}{META}", "a".repeat(before));
    let [near, far] = [
        page((16 << 10) - 5 - META.len()),
        page((16 << 10) - 4 - META.len()),
    ];
    assert_eq!(head(&near).0.len(), 1);
    assert_eq!(head(&far), (vec![], HtmlHeadEnd::Found));
}

/// Returns the fields of a page, and what is unread.
fn page(head: &str, body: &[u8]) -> (Vec<String>, Vec<&'static str>) {
    let block = [head.as_bytes(), b"\r\n", body].concat();
    read("", "http://a.example/", "", &block, |capture| {
        let metas = capture
            .fields
            .iter()
            .filter(|field| field.carrier != Carrier::Header);
        let metas = metas
            .map(|field| format!("{} {}", field.carrier.as_str(), field.name))
            .collect();
        (metas, capture.unread.names().collect())
    })
}

#[test]
fn read_13_a_page_without_head_and_body_tags_is_not_doubtful() {
    let text = format!("<title>a</title><p>{}", "text <b>bold</b> ".repeat(2000));
    let html = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
    assert_eq!(page(html, text.as_bytes()), (vec![], vec![]));
    // What is missing of it may hold a meta.
    let cut = format!("{html}Content-Length: 5000\r\n");
    assert_eq!(
        page(&cut, b"<title>a</title><p>text"),
        (vec![], vec!["meta"])
    );
    assert_eq!(
        page(&cut, b"<title>a</title></head><p>text"),
        (vec![], vec![])
    );
}

#[test]
fn read_14_a_part_that_begins_later_is_not_known_to_be_a_head() {
    let part =
        |range: &str| format!("HTTP/1.1 206 Partial Content\r\nContent-Type: text/html\r\n{range}");
    let body = format!("<head>{META}</head><body>");
    for range in [
        "Content-Range: bytes 100-199/200\r\n",
        "Content-Range: bytes x\r\n",
        "",
    ] {
        assert_eq!(page(&part(range), body.as_bytes()).1, ["meta"], "{range}");
    }
    let first = "Content-Range: bytes 0-99/200\r\n";
    assert_eq!(
        page(&part(first), body.as_bytes()),
        (vec!["meta robots".to_owned()], vec![])
    );
    let robots = |range: &str| {
        let block = format!("HTTP/1.1 206 Partial Content\r\n{range}\r\nUser-agent: *\nAllow: /\n");
        read(
            "",
            "http://a.example/robots.txt",
            "",
            block.as_bytes(),
            |capture| {
                let body = capture.body.as_ref().expect("a body");
                (body.bytes.len(), body.marks.are_cut())
            },
        )
    };
    assert_eq!(robots("Content-Range: bytes 100-199/200\r\n"), (0, true));
    assert_eq!(robots(first), (23, true));
}

#[test]
fn read_20_xml_whose_root_is_html_is_read_whatever_its_namespace() {
    for (media_type, root) in [
        ("application/xml", "<html>"),
        ("application/foo+xml", "<html xmlns='urn:x'>"),
        ("application/vnd.wap.xhtml+xml", "<html>"),
        ("text/xml", "<x:html xmlns:x='urn:x'>"),
    ] {
        let prefix = if root.starts_with("<x:") { "x:" } else { "" };
        let body = format!(
            "<?xml version='1.0'?>{root}<{prefix}head><{prefix}meta name='robots' content='noai'/></{prefix}head></{prefix}html>"
        );
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\n");
        assert!(
            page(&head, body.as_bytes())
                .0
                .contains(&"meta robots".to_owned()),
            "{media_type} {root}"
        );
    }
    let feed =
        b"<?xml version='1.0'?><rss><channel><description>&lt;html> <html></description></channel></rss>";
    assert_eq!(
        page(
            "HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\n",
            feed
        ),
        (vec![], vec![])
    );
}

#[test]
fn read_20_control_bytes_and_then_a_tag_are_no_page_that_anybody_knows() {
    let body = format!(
        "\u{1}\u{2}<html><head>{META}</head>{}",
        "<p>text</p>".repeat(40)
    );
    assert_eq!(page("HTTP/1.1 200 OK\r\n", body.as_bytes()).1, ["meta"]);
    assert_eq!(
        page("HTTP/1.1 200 OK\r\n", b"text, and <b>more</b> of it"),
        (vec![], vec![])
    );
}

/// Editors write such quotes, which are none to HTML.
#[test]
fn tag_22_typographic_quotes_hold_all_of_a_content() {
    for (html, expected) in [
        (
            "<meta name=robots content=\u{201d}noai, noml\u{201d}>",
            "meta robots=\u{201d}noai, noml\u{201d}",
        ),
        (
            "<meta name=robots content=\u{201c}noai, noml>",
            "meta robots=\u{201c}noai,",
        ),
        (
            "<meta name=robots content=a\u{201c}b c\u{201d}>",
            "meta robots=a\u{201c}b",
        ),
    ] {
        assert_eq!(head(html).0, [expected], "{html}");
    }
}
