//! Cases for the index of rules, and a comparison with a slow search over generated files.

use std::cmp::Reverse;
use std::time::{Duration, Instant};

use super::*;
use crate::web::path_pattern::PathPattern;
use crate::web::product_token::TokenMatch;

fn robots(text: &str) -> RobotsTxt {
    RobotsTxt::parse(text.as_bytes())
}

fn rules(robots: &RobotsTxt) -> Rules {
    robots.rules(&robots.wildcard_selection(TokenMatch::Exact))
}

fn path(text: &str) -> UrlPath {
    UrlPath::new(text.as_bytes(), None)
}

fn line(text: &str, url_path: &str) -> Option<u32> {
    rules(&robots(&format!("user-agent: *\n{text}"))).access(&path(url_path)).line
}

#[test]
fn rfc9309_2_2_2_most_octets_win_and_order_does_not() {
    for (text, url_path, expected) in [
        ("allow: /\ndisallow: /cgi-bin", "/cgi-bin/env", Some(3)),
        ("disallow: /cgi-bin\nallow: /", "/cgi-bin/env", Some(2)),
        ("disallow: /a/b\nallow: /*b", "/a/b", Some(2)),
        ("disallow: /*.html\nallow: /dir", "/dir/a.html", Some(2)),
        ("disallow: /page\nallow: /*.htm", "/page.htm", Some(3)),
        ("disallow: *a*\nallow: /", "/xa", Some(2)),
    ] {
        assert_eq!(line(text, url_path), expected, "{text}");
    }
}

#[test]
fn rfc9309_2_2_2_allow_wins_a_tie() {
    for (text, expected) in [
        ("disallow: /page\nallow: /page", 3),
        ("allow: /page\ndisallow: /page", 2),
        ("disallow: /pag*\nallow: /page", 3),
        ("disallow: /page\nallow: /pa*e", 3),
        ("disallow: /page$\nallow: /page", 2),
    ] {
        assert_eq!(line(text, "/page"), Some(expected), "{text}");
    }
}

/// Ours: of rules that are alike, the first line is named.
#[test]
fn local_first_of_several_lines_is_named() {
    assert_eq!(line("disallow: /a\ndisallow: /a", "/a"), Some(2));
    assert_eq!(line("disallow: /*b\ndisallow: /a*", "/ab"), Some(2));
}

#[test]
fn rfc9309_2_2_empty_paths_have_no_effect() {
    let robots = robots("user-agent: *\ndisallow:\nallow:   # x\n");
    let rules = rules(&robots);
    assert_eq!((rules.rule_count(), rules.access(&path("/")).reason), (0, Reason::NoRule));
}

/// Answers from the records alone, one rule after the other.
fn slowly_deciding(robots: &RobotsTxt, path: &UrlPath) -> Option<u32> {
    let verdict = |kind| match kind {
        LineKind::Allow => Some(Verdict::Allow),
        LineKind::Disallow => Some(Verdict::Disallow),
        LineKind::UserAgent | LineKind::ExtensionRule | LineKind::Other => None,
    };
    let matching = robots.records().filter_map(|record| {
        let pattern = PathPattern::new(record.value);
        let rank = (pattern.octet_count(), verdict(record.kind)?, Reverse(record.line));
        pattern.matches(path).then_some(rank)
    });
    matching.max().map(|(_, _, Reverse(line))| line)
}

/// Numbers of a linear congruential sequence.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits fit") % bound
    }

    fn text(&mut self, pieces: &[&str], most: usize) -> String {
        (0..=self.below(most)).map(|_| pieces[self.below(pieces.len())]).collect()
    }
}

#[test]
fn local_index_agrees_with_a_slow_search() {
    let mut numbers = Numbers(0x5EED_0002);
    let mut decided = 0;
    for _ in 0..1_500 {
        let mut text = "user-agent: *\n".to_owned();
        for _ in 0..numbers.below(60) {
            let verb = ["allow", "disallow"][numbers.below(2)];
            let start = ["/", "/", "/", "/", "*", ""][numbers.below(6)];
            let body = numbers.text(&["a", "b", "ab", "/", "%61", "*", "é", "$", ".html"], 6);
            let end = ["", "", "", "$", "*"][numbers.below(5)];
            text.extend([verb, ": ", start, &body, end, "\n"]);
        }
        let robots = robots(&text);
        let rules = rules(&robots);
        for _ in 0..30 {
            let path =
                path(&format!("/{}", numbers.text(&["a", "b", "ab", "/", "%C3%A9", "$", "*", ".html"], 7)));
            let found = rules.access(&path);
            assert_eq!(found.line, slowly_deciding(&robots, &path), "{text}\n{path:?}");
            assert_eq!(found.verdict, verdict(rules.deciding(&path)));
            for rule in [rules.first_by_rank(&path), rules.first_by_index(&path)] {
                assert_eq!(rule.map(|rule| rule.line), found.line, "{text}\n{path:?}");
            }
            let once = robots.access_once(&robots.wildcard_selection(TokenMatch::Exact), &path);
            assert_eq!(once, found, "{text}\n{path:?}");
            decided += u32::from(found.line.is_some());
        }
    }
    assert!(decided > 10_000, "{decided} decided");
}

/// Of many rules the first paths are compared one by one, and later ones by the index; long paths always by the index.
#[test]
fn local_the_index_is_made_when_it_is_needed() {
    let lines: Vec<String> = (0..200).map(|n| format!("disallow: /{n}/*x")).collect();
    let robots = robots(&format!("user-agent: *\n{}", lines.join("\n")));
    let rules = rules(&robots);
    let line = |number: u32| rules.access(&path(&format!("/{number}/ax"))).line;
    for number in 0..16 {
        assert_eq!((line(number), rules.lookup.index.get().is_some()), (Some(number + 2), false), "{number}");
    }
    assert_eq!((line(16), rules.lookup.index.get().is_some()), (Some(18), true));
    let again = robots.rules(&robots.wildcard_selection(TokenMatch::Exact));
    assert_eq!(again.access(&path(&format!("/7/{}x", "a".repeat(2_000)))).line, Some(9));
    assert!(again.lookup.index.get().is_some());
}

/// As many rules as fit into 500 KiB, in the shapes that are worst for the index.
#[test]
fn local_hostile_files_are_answered_in_bounded_time() {
    let long_path = path(&"/a".repeat(2_000));
    let shapes: [&dyn Fn(usize) -> String; 4] = [
        &|n| format!("disallow: /{}\n", "a/".repeat(n % 400)),
        &|n| format!("disallow: /*a{n}\n"),
        &|n| format!("disallow: /{}b{n}\n", "*a".repeat(20)),
        &|n| format!("allow: *{}\n", "/a".repeat(n % 200)),
    ];
    for shape in shapes {
        let within_limit = |octets: &mut usize, line: String| {
            *octets += line.len();
            (*octets < 500_000).then_some(line)
        };
        let lines: String = (0..).map(shape).scan(0, within_limit).collect();
        let robots = robots(&format!("user-agent: *\n{lines}"));
        let started = Instant::now();
        let rules = rules(&robots);
        for _ in 0..20 {
            let _ = rules.access(&long_path);
        }
        assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    }
}
