//! Cases for `url.rs`, and a comparison with crate `url` over generated URLs, such as `hTTp://user@a.b:080/x/../y?z#f`.

use super::*;
use fastrand::Rng;

type Columns<'a> = (&'a str, &'a str, Option<u16>, &'a str, Option<&'a str>);

fn columns<'a>(url: &'a PageUrl<'_>) -> Columns<'a> {
    let scheme = url.scheme().as_str();
    (scheme, url.host_name(), url.port(), url.path(), url.query())
}

fn check(cases: &[(&str, Columns<'_>)]) {
    for (text, expected) in cases {
        let url = PageUrl::new(text.as_bytes()).expect(text);
        assert_eq!(columns(&url), *expected, "{text}");
    }
}

#[test]
fn rfc3986_3_parts_are_cut_at_their_delimiters_and_hosts_are_names_or_addresses() {
    check(&[
        ("http://a.example/", ("http", "a.example", None, "/", None)),
        (
            "https://A.Example:8443/B?C",
            ("https", "a.example", Some(8443), "/B", Some("C")),
        ),
        (
            "http://a.example/b?",
            ("http", "a.example", None, "/b", Some("")),
        ),
        (
            "http://a.example?b/c?d",
            ("http", "a.example", None, "/", Some("b/c?d")),
        ),
        (
            "http://a.example/b#c?d",
            ("http", "a.example", None, "/b", None),
        ),
        ("http://a.example#b", ("http", "a.example", None, "/", None)),
        (
            "http://u:p@a.example/",
            ("http", "a.example", None, "/", None),
        ),
        ("http://a.example:/", ("http", "a.example", None, "/", None)),
        (
            "http://a.example:080/",
            ("http", "a.example", None, "/", None),
        ),
        (
            "https://a.example:443/",
            ("https", "a.example", None, "/", None),
        ),
        // 5.2.4: dot segments are resolved.
        (
            "http://a.example/b/../c",
            ("http", "a.example", None, "/c", None),
        ),
        (
            "http://a.example/b/%2E%2e/./c",
            ("http", "a.example", None, "/c", None),
        ),
        (
            "http://a.example/b/..",
            ("http", "a.example", None, "/", None),
        ),
        (
            "http://a.example/.well-known/x",
            ("http", "a.example", None, "/.well-known/x", None),
        ),
        (
            "http://a.example/b?/../c",
            ("http", "a.example", None, "/b", Some("/../c")),
        ),
        (
            "http://a.example\\b\\..\\c",
            ("http", "a.example", None, "/c", None),
        ),
        // 3.2.2: hosts.
        (
            "http://127.0.0.1:8080/",
            ("http", "127.0.0.1", Some(8080), "/", None),
        ),
        ("http://0x7F.1/", ("http", "127.0.0.1", None, "/", None)),
        (
            "http://[2001:DB8:0::1]/",
            ("http", "[2001:db8::1]", None, "/", None),
        ),
        (
            "http://a_b.example/",
            ("http", "a_b.example", None, "/", None),
        ),
        (
            "http://пример.рф/",
            ("http", "xn--e1afmkfd.xn--p1ai", None, "/", None),
        ),
        (
            "http://a%2Eexample/",
            ("http", "a.example", None, "/", None),
        ),
    ]);
}

/// Ours: the crawler's spelling is kept, because rules are later compared in a normal form. Like Common Crawl's, the column of
/// the host drops the dot of the root. Latin-1 paths exist; no byte of them is lost.
#[test]
fn local_path_and_query_stay_as_written() {
    check(&[
        (
            "http://a.example./b",
            ("http", "a.example", None, "/b", None),
        ),
        (
            "http://a.example/b c\"?d e",
            ("http", "a.example", None, "/b c\"", Some("d e")),
        ),
        (
            "http://u@a.example/é%7e?'",
            ("http", "a.example", None, "/é%7e", Some("'")),
        ),
        (
            "http://a.example//b///c",
            ("http", "a.example", None, "//b///c", None),
        ),
    ]);
    let url = PageUrl::new(b"http://a.example/caf\xE9").expect("a web page");
    assert_eq!(url.as_str(), "http://a.example/caf%E9");
    assert_eq!(url.path(), "/caf%E9");
}

/// GNU Wget writes `WARC-Target-URI: <uri>`; others leave blanks around it.
#[test]
fn wild_angle_brackets_and_blanks_around_the_uri() {
    for text in [
        "<http://a.example/b>",
        " \thttp://a.example/b ",
        "< http://a.example/b\r\n>",
    ] {
        let url = PageUrl::new(text.as_bytes()).expect(text);
        assert_eq!(url.as_str(), "http://a.example/b", "{text}");
        assert_eq!(columns(&url), ("http", "a.example", None, "/b", None));
    }
}

/// CC-MAIN-2025-33, robotstxt subset: the hop's URI, without a path; URIs with too many slashes, which Common Crawl's index
/// repairs.
#[test]
fn wild_robots_fetches_without_path_or_with_four_slashes() {
    check(&[
        (
            "http://commoncrawl.org",
            ("http", "commoncrawl.org", None, "/", None),
        ),
        (
            "https:////a.example/robots.txt",
            ("https", "a.example", None, "/robots.txt", None),
        ),
        (
            "http://a.example/b\r\nc",
            ("http", "a.example", None, "/bc", None),
        ),
    ]);
    let url = PageUrl::new(b"http://commoncrawl.org").expect("a web page");
    assert_eq!(url.as_str(), "http://commoncrawl.org");
}

/// Scoop writes `file:` pages, Heritrix `dns:` ones, Webrecorder `urn:` ones.
#[test]
fn wild_other_schemes_and_damaged_text() {
    let others = "dns:a.example¦file:///x.html¦urn:x:http://a.example/¦metadata://a b/¦ftp://a/";
    for text in others.split('¦') {
        assert_eq!(
            PageUrl::new(text.as_bytes()),
            Err(NotWeb::NotHttp),
            "{text}"
        );
    }
    let damaged = "¦<>¦<¦http://./¦www.example.org/¦http://¦http:///¦https://?x¦http://a:99999/¦http://a b/¦\
                   http://[::1/¦http://1.2.3.4.5/¦http://a.example:-1/¦http://\u{fffd}/¦://a/¦http://xn--a/";
    for text in damaged.split('¦') {
        assert_eq!(
            PageUrl::new(text.as_bytes()),
            Err(NotWeb::Unparsable),
            "{text}"
        );
    }
}

#[test]
fn local_plain_urls_borrow_every_part() {
    let url = PageUrl::new(b"https://www.example.org:8443/a/b?c").expect("a web page");
    for part in [
        Some(&url.text),
        Some(&url.host),
        Some(&url.path),
        url.query.as_ref(),
    ] {
        assert!(matches!(part, Some(Cow::Borrowed(_))), "{part:?}");
    }
    assert_eq!(url.clone().into_owned(), url);
}

const SCHEMES: &str =
    "http://¦https://¦https://¦HTTP://¦http:¦http:/¦http:///¦http:\\\\¦ftp://¦h\ttp://¦";
const PLAIN_LABELS: &str = "a¦b¦www.¦WWW.¦de.¦shop¦A-B¦.x¦y2¦z_¦-¦1";
const ODD_LABELS: &str = "a¦.¦example¦..¦1¦0x7¦xn--¦xn--p1ai¦é¦%41¦%¦[::1]¦@¦ ¦*¦127.0.0.1";
const ENDS: &str = "¦¦.org¦.org¦.Com¦.¦.1¦.1a";
const PORTS: &str = "¦¦¦¦¦:¦:80¦:443¦:8080¦:1¦:0¦:080¦:65535¦:65536¦:99999¦:x¦:+1¦:1:2";
const SEGMENTS: &str = "/¦/¦a¦.¦..¦%2e¦%2E¦\\¦é¦ ¦\t¦\"¦'¦%zz¦%7e¦:¦@¦|¦^¦{¦\u{1}";

/// Returns one of the alternatives, which are separated by broken bars.
fn one<'a>(random: &mut Rng, of: &'a str) -> &'a str {
    let alternatives: Vec<&str> = of.split('¦').collect();
    alternatives[random.usize(..alternatives.len())]
}

fn several(random: &mut Rng, of: &str, most: usize) -> String {
    (0..random.usize(1..=most))
        .map(|_| one(random, of))
        .collect()
}

fn some_url(random: &mut Rng) -> String {
    let labels = [PLAIN_LABELS, PLAIN_LABELS, ODD_LABELS][random.usize(..3)];
    [
        one(random, SCHEMES),
        one(random, "¦¦¦¦¦u@¦u:p@¦:@"),
        &several(random, labels, 5),
        one(random, ENDS),
        one(random, PORTS),
        one(random, "¦/¦/¦/¦/"),
        &several(random, SEGMENTS, 8),
        one(random, "¦¦?¦?a=b¦?é /../\"'¦??"),
        one(random, "¦¦#¦#a?b/../c"),
    ]
    .concat()
}

/// Returns path and query as the parser writes them; the mark keeps outer blanks.
fn as_parsed(url: &PageUrl<'_>) -> String {
    let query = url.query().map(|query| format!("?{query}"));
    let text = format!("http://h{}{}#", url.path(), query.unwrap_or_default());
    Url::parse(&text).expect("a path on a host").to_string()
}

fn compare(text: &str) -> Result<(), NotWeb> {
    let parsed = Url::parse(text);
    let url = PageUrl::new(text.as_bytes()).inspect_err(|_| {
        let web = parsed
            .as_ref()
            .ok()
            .filter(|url| url.scheme().starts_with("http"));
        assert!(
            web.and_then(Url::host_str).is_none_or(|host| host == "."),
            "{text:?}"
        );
    })?;
    let mut parsed = parsed.expect(text);
    assert_eq!(
        url.origin().as_str(),
        parsed.origin().ascii_serialization(),
        "{text:?}"
    );
    assert!(url.origin().is_of(&url), "{text:?}");
    parsed.set_fragment(Some(""));
    let rest = parsed[url::Position::BeforePath..].to_owned();
    assert_eq!(as_parsed(&url), format!("http://h{rest}"), "{text:?}");
    Ok(())
}

#[test]
fn local_split_equals_the_parser_on_generated_urls() {
    let mut random = Rng::with_seed(0x9E37_79B9_7F4A_7C15);
    let accepted = (0..100_000).filter(|_| compare(some_url(&mut random).trim()).is_ok());
    assert!(accepted.count() > 20_000);
}
