//! Cases for many agents at once.

use super::*;

fn tokens(names: &[&str]) -> Vec<ProductToken> {
    names
        .iter()
        .map(|name| ProductToken::new(name).expect(name))
        .collect()
}

fn path(text: &str) -> UrlPath {
    UrlPath::new(text.as_bytes(), None)
}

fn robots(text: &str) -> RobotsTxt {
    RobotsTxt::parse(text.as_bytes())
}

#[test]
fn rfc9309_2_2_1_each_token_obeys_its_own_groups_or_those_of_star() {
    let lines = [
        "user-agent: b",
        "user-agent: C",
        "disallow: /1",
        "user-agent: *",
        "disallow: /2",
    ];
    let more = ["user-agent: d", "disallow: /", "user-agent: b"];
    let robots = robots(&[&lines[..], &more].concat().join("\n"));
    let rules = robots.rules_for(&Agents::new(
        &tokens(&["a", "B", "c", "d", "e", "c/2"]),
        TokenMatch::Exact,
    ));
    for (text, expected) in [
        ("/1", &[1, 2, 3, 5][..]),
        ("/2", &[0, 3, 4]),
        ("/3", &[3]),
        ("/robots.txt", &[]),
    ] {
        assert_eq!(
            rules.disallowed(&path(text)).iter().collect::<Vec<_>>(),
            expected,
            "{text}"
        );
    }
    assert_eq!(rules.lookup_count(), 4, "b c, *, d and b");
    let matched = [0, 1, 9].map(|token| rules.matched(token));
    assert_eq!(
        matched,
        [Matched::Wildcard, Matched::Explicit, Matched::None]
    );
    assert_eq!(rules.access(2, &path("/1")).line, Some(3));
}

#[test]
fn local_tokens_that_are_named_nowhere_share_one_lookup() {
    let names: Vec<String> = (0..150).map(|n| format!("bot{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let all = tokens(&names);
    let rules =
        robots("user-agent: *\ndisallow: /").rules_for(&Agents::new(&all, TokenMatch::Exact));
    assert_eq!(rules.lookup_count(), 1);
    assert!(rules.disallowed(&path("/")).iter().eq(0..150));
    assert!(
        robots("")
            .rules_for(&Agents::new(&all, TokenMatch::Exact))
            .disallowed(&path("/"))
            .is_empty()
    );
}

#[test]
fn local_many_at_once_answer_as_one_by_one() {
    let names = [
        "bot",
        "bot-news",
        "BOT/2",
        "MJ12bot",
        "AI2Bot",
        "AI",
        "008",
        "zz",
        "ai2bot-dolma",
    ];
    let all = tokens(&names);
    let lines = [
        "Bot",
        "mj12bot/1.4",
        "MJ",
        "AI2Bot",
        "ai",
        "*",
        "008",
        "Bot*",
        "bot-news x",
        "zzz",
        "",
    ];
    let mut random = fastrand::Rng::with_seed(0x5EED_0003);
    for _ in 0..2_000 {
        let mut text = String::new();
        for _ in 0..random.usize(..12) {
            match random.usize(..3) {
                0 => text.extend(["disallow: /", ["", "a", "b"][random.usize(..3)], "\n"]),
                1 => text.extend(["allow: /", ["", "a", "b"][random.usize(..3)], "\n"]),
                _ => text.extend(["user-agent: ", lines[random.usize(..lines.len())], "\n"]),
            }
        }
        let robots = robots(&text);
        for how in [TokenMatch::Exact, TokenMatch::Prefix] {
            let many = robots.rules_for(&Agents::new(&all, how));
            for path in ["/", "/a", "/b/c"].map(path) {
                let disallowed = many.disallowed(&path);
                for (place, token) in (0..).zip(&all) {
                    let one = robots.rules(&robots.selection(token, how));
                    let access = one.access(&path);
                    assert_eq!(many.access(place, &path), access, "{text} {token:?}");
                    assert_eq!(
                        disallowed.contains(place),
                        access.is_disallowed(),
                        "{text} {token:?}"
                    );
                }
            }
        }
    }
}

/// Each token is named by a large group and by one of its own, so that no two tokens select the same groups.
#[test]
fn local_groups_that_overlap_are_compiled_once() {
    let names: Vec<String> = (0..150).map(|n| format!("bot{n}")).collect();
    let agent_lines: String = names
        .iter()
        .map(|name| ["user-agent: ", name, "\n"].concat())
        .collect();
    let large: String = (0..5_000)
        .map(|n| ["disallow: /", &n.to_string(), "-\n"].concat())
        .collect();
    let own = names
        .iter()
        .map(|name| ["user-agent: ", name, "\nallow: /", name, "\n"].concat());
    let own: String = own.collect();
    let robots = robots(&format!("{agent_lines}{large}{own}"));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let rules = robots.rules_for(&Agents::new(&tokens(&names), TokenMatch::Exact));
    assert_eq!(rules.lookup_count(), 151);
    assert_eq!(
        rules.parts.iter().map(Rules::rule_count).sum::<usize>(),
        5_150
    );
    assert_eq!(rules.disallowed(&path("/7-")).iter().count(), 150);
    assert_eq!(rules.access(7, &path("/bot7")).reason, Reason::Rule);
}
