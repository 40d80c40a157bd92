//! Cases for `path_pattern.rs`, and a comparison with a slow matcher over generated input.

use super::*;
use fastrand::Rng;
use std::time::{Duration, Instant};

fn path(text: &str) -> UrlPath {
    let (path, query) = text
        .split_once('?')
        .map_or((text, None), |(path, query)| (path, Some(query)));
    UrlPath::new(path.as_bytes(), query.map(str::as_bytes))
}

fn check(cases: &[(&str, &str, bool)]) {
    for (pattern, text, expected) in cases {
        let found = PathPattern::new(pattern.as_bytes()).matches(&path(text));
        assert_eq!(found, *expected, "{pattern} against {text}");
    }
}

fn normal(text: &str) -> String {
    String::from_utf8(PathPattern::new(text.as_bytes()).as_bytes().to_vec()).expect("ASCII")
}

#[test]
fn rfc9309_2_2_2_figure_4_rows_and_paths() {
    check(&[
        ("/foo/bar?baz=quz", "/foo/bar?baz=quz", true),
        (
            "/foo/bar?baz=https://foo.bar",
            "/foo/bar?baz=https://foo.bar",
            true,
        ),
        (
            "/foo/bar?baz=https://foo.bar",
            "/foo/bar?baz=https%3A%2F%2Ffoo.bar",
            false,
        ),
        ("/foo/bar/ツ", "/foo/bar/%E3%83%84", true),
        ("/foo/bar/%E3%83%84", "/foo/bar/ツ", true),
        ("/foo/bar/%e3%83%84", "/foo/bar/%E3%83%84", true),
        ("/foo/bar/baz", "/foo/bar/%62%61%7A", true),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz", true),
        // Paths match from the first octet, and with case.
        ("/a", "/ab?c", true),
        ("/a", "/b/a", false),
        ("/A", "/a", false),
        ("/", "", true),
        ("/?q", "?q", true),
        ("/a%2Fb", "/a/b", false),
        ("/a%2fb", "/a%2Fb", true),
        ("", "/", false),
        ("$", "/", false),
        ("a", "/a", false),
    ]);
}

#[test]
fn rfc9309_2_2_3_star_and_dollar() {
    check(&[
        ("/this/path/exactly$", "/this/path/exactly", true),
        ("/this/path/exactly$", "/this/path/exactly?", false),
        ("/this/*/exactly", "/this/a/b/exactly/more", true),
        ("*.gif$", "/a/b.gif", true),
        ("/*.php$", "/a.php/b.php", true),
        ("/*.php$", "/a.php/b", false),
        ("/*a*a$", "/a", false),
        ("/*a*a$", "/aa", true),
        ("/a*", "/a", true),
        ("/a**$", "/a", true),
        ("*$", "/x", true),
        // Escaped, both are literal.
        ("/file-%2A.html", "/file-*.html", true),
        ("/file-%2a.html", "/file-%2A.html", true),
        ("/file-%2A.html", "/file-xyz.html", false),
        ("/foo-%24", "/foo-$", true),
        ("/foo-%24", "/foo-", false),
        ("/foo-*$", "/foo-$", true),
    ]);
    // Ours: AMB-REP-7; only the last `$` of a rule can anchor.
    check(&[
        ("/a$b", "/a$bc", true),
        ("/a$b", "/a", false),
        ("/a$$", "/a$", true),
        ("/a$*", "/a$/b", true),
    ]);
}

/// Ours: octets that cannot be in a URI are encoded, as clients do; a Latin-1 rule is not lost.
#[test]
fn local_octets_that_no_uri_has_are_encoded() {
    assert_eq!(
        normal("/a b|\"{}<>^`\\%zz%"),
        "/a%20b%7C%22%7B%7D%3C%3E%5E%60%5C%zz%"
    );
    check(&[
        ("/a b", "/a%20b", true),
        ("/a%20b", "/a b", true),
        ("/{id}", "/%7bid%7D", true),
    ]);
    let latin1 = PathPattern::new(b"/soci\xe9t\xe9");
    assert_eq!(latin1.as_bytes(), b"/soci%E9t%E9");
    assert_eq!(
        UrlPath::new(b"/soci%e9t\xe9", None).as_bytes(),
        latin1.as_bytes()
    );
}

/// The small cases in which other parsers differ, with the answers that RFC 9309 requires.
#[test]
fn wild_patterns_on_which_parsers_part() {
    check(&[
        ("/p/*/code/*", "/p/foo/bar/code/x", true),
        ("/p*/code", "/p/a/code", true),
        ("*/compare", "/compare/", true),
        ("tab=", "/tab=", false),
        ("/a%2bb", "/a%2bb", true),
        ("/a%2bb", "/a+b", false),
        ("/café", "/caf%c3%a9", true),
        ("/%62%61%7A", "/baz", true),
        ("/a//b", "/a/b", false),
    ]);
}

#[test]
fn local_length_counts_octets_of_the_normal_form() {
    for (pattern, octets) in [("/a*b$", 5), ("/é", 7), ("/%61", 2), ("/%2a", 4), ("", 0)] {
        assert_eq!(
            PathPattern::new(pattern.as_bytes()).octet_count(),
            octets,
            "{pattern}"
        );
    }
}

/// Matches by trying every length for every star.
fn slowly_matches(pattern: &[u8], path: &[u8]) -> bool {
    match pattern {
        [] => true,
        b"$" => path.is_empty(),
        [b'*', rest @ ..] => (0..=path.len()).any(|from| slowly_matches(rest, &path[from..])),
        [octet, rest @ ..] => path.first() == Some(octet) && slowly_matches(rest, &path[1..]),
    }
}

#[test]
fn local_matcher_agrees_with_a_slow_one() {
    let mut random = Rng::with_seed(0x5EED_0001);
    let mut hits = 0;
    for _ in 0..100_000 {
        let mut pattern = vec![b'/'];
        pattern.extend(some_octets(&mut random, b"ab/*", 8));
        pattern.extend(some_octets(&mut random, b"$", 2));
        let path = [b"/", &some_octets(&mut random, b"ab/", 12)[..]].concat();
        let path = UrlPath::new(&path, None);
        let expected = slowly_matches(&pattern, path.as_bytes());
        assert_eq!(
            matches(&pattern, path.as_bytes()),
            expected,
            "{pattern:?} {path:?}"
        );
        let mut pieces = split_anchor(&pattern).0.split(|octet| *octet == b'*');
        assert!(
            !expected
                || path
                    .as_bytes()
                    .starts_with(pieces.next().expect("the first"))
        );
        let may_be = |piece: &[u8]| Pairs::from_octets(piece).may_be_in(path.pairs);
        assert!(!expected || pieces.all(may_be), "{pattern:?} {path:?}");
        hits += u32::from(expected);
    }
    assert!(hits > 10_000, "{hits} hits");
}

/// Returns fewer octets than `limit`.
fn some_octets(random: &mut Rng, alphabet: &[u8], limit: usize) -> Vec<u8> {
    (0..random.usize(..limit))
        .map(|_| alphabet[random.usize(..alphabet.len())])
        .collect()
}

/// A matcher that tries again at every star would not finish.
#[test]
fn local_hostile_patterns_take_linear_time() {
    let long_path = UrlPath::new(format!("/{}", "a".repeat(100_000)).as_bytes(), None);
    let piece = "a".repeat(50_000);
    let started = Instant::now();
    let pieces = format!("/*{piece}b*{piece}b$");
    for pattern in [
        "/*a".repeat(50_000) + "b",
        "*a".repeat(60_000) + "*b$",
        pieces,
    ] {
        assert!(!PathPattern::new(pattern.as_bytes()).matches(&long_path));
    }
    assert!(
        started.elapsed() < Duration::from_secs(10),
        "{:?}",
        started.elapsed()
    );
}
