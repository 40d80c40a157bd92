//! Cases for the parser and the selection of groups.
//!
//! Example of an input: `User-agent: a\rSitemap: /s\nUser-agent: b\r\nDisallow: /`.
//! Left out: the index of rules and many agents at once, which have tests beside their code.

use super::*;
use crate::web::path_pattern::UrlPath;
use crate::web::product_token::{ProductToken, TokenMatch};

fn parse(text: &str) -> RobotsTxt {
    RobotsTxt::parse(text.as_bytes())
}

fn token(name: &str) -> ProductToken {
    ProductToken::new(name).expect(name)
}

fn path(text: &str) -> UrlPath {
    let (path, query) = text
        .split_once('?')
        .map_or((text, None), |(path, query)| (path, Some(query)));
    UrlPath::new(path.as_bytes(), query.map(str::as_bytes))
}

fn verdict(text: &str, agent: &str, url_path: &str, how: TokenMatch) -> Verdict {
    let robots = parse(text);
    let rules = robots.rules(&robots.selection(&token(agent), how));
    rules.access(&path(url_path)).verdict
}

fn faults(text: &str) -> Vec<(u32, &'static str)> {
    parse(text)
        .defects()
        .iter()
        .map(|defect| (defect.line, defect.fault.as_str()))
        .collect()
}

/// Groups as `a b|c`: blanks separate the names of one group.
fn groups(text: &str) -> String {
    let names = |group: Group<'_>| {
        let names = group
            .agents()
            .map(|agent| String::from_utf8_lossy(agent.value).into_owned());
        names.collect::<Vec<_>>().join(" ")
    };
    parse(text)
        .groups()
        .map(names)
        .collect::<Vec<_>>()
        .join("|")
}

#[test]
fn rfc9309_2_2_user_agent_lines_in_a_row_share_a_group() {
    for (text, expected) in [
        (
            "user-agent: a\n\n# x\nuser-agent: b\nallow: /\nuser-agent: c",
            "a b|c",
        ),
        ("user-agent: a\nallow:\nuser-agent: b", "a|b"),
        ("user-agent: a\ndisallow: foo\nuser-agent: b", "a|b"),
        ("allow: /\nuser-agent: a", "a"),
        ("", ""),
    ] {
        assert_eq!(groups(text), expected, "{text}");
    }
}

#[test]
fn rfc9309_2_2_4_other_records_change_nothing_about_groups() {
    for other in [
        "Sitemap: /s",
        "Crawl-delay: 1",
        "Content-Signal: ai-train=no",
        "Unknown: x",
        "junk",
    ] {
        assert_eq!(
            groups(&format!(
                "user-agent: a\n{other}\nuser-agent: b\ndisallow: /"
            )),
            "a b",
            "{other}"
        );
    }
    assert_eq!(
        faults("user-agent: a\nsitemap: /s\nuser-agent: b"),
        [(3, "agents_across_records")]
    );
}

/// draft-ietf-aipref-attach-03, Processing Content-Usage Rules: it is a rule of its group.
#[test]
fn local_rules_of_extensions_end_a_run_of_user_agent_lines_and_are_reported() {
    for rule in [
        "content-usage: ai=n",
        "App-Directives: x",
        "app-directive: x",
        "Usage: ai=n",
    ] {
        let text = format!("user-agent: a\n{rule}\nuser-agent: b\ndisallow: /");
        assert_eq!(groups(&text), "a|b", "{rule}");
        assert_eq!(faults(&text), [(3, "group_by_extension")]);
        let text = format!("user-agent: a\n{rule}\ndisallow: /\nuser-agent: b");
        assert_eq!(
            faults(&text),
            [],
            "RFC 9309 alone groups this in the same way"
        );
    }
}

#[test]
fn rfc9309_2_2_1_groups_of_one_token_are_merged_and_star_is_for_the_rest() {
    let robots = parse(
        "user-agent: a\nuser-agent: A\nallow: /1\n\nuser-agent: *\nallow: /2\n\nuser-agent: a\nallow: /3",
    );
    for (agent, matched, groups) in [
        ("a", Matched::Explicit, &[0, 2][..]),
        ("b", Matched::Wildcard, &[1]),
    ] {
        let selection = robots.selection(&token(agent), TokenMatch::Exact);
        assert_eq!(
            (selection.matched(), selection.groups().collect::<Vec<_>>()),
            (matched, groups.to_vec())
        );
    }
    let nobody = parse("user-agent: a\ndisallow: /").selection(&token("b"), TokenMatch::Exact);
    assert_eq!(
        (nobody.matched(), nobody.groups().len()),
        (Matched::None, 0)
    );
}

#[test]
fn rfc9309_2_2_2_reasons_and_lines_are_returned() {
    let robots = parse("\u{feff}User-agent: a\r\nDisallow: /x # note\r\n\r\nUser-agent: b");
    let expected = |text: &str, agent: &str| {
        let rules = robots.rules(&robots.selection(&token(agent), TokenMatch::Exact));
        let access = rules.access(&path(text));
        let rule = access
            .rule
            .map(|rule| String::from_utf8_lossy(rule).into_owned());
        (access.verdict, access.reason, access.line, rule)
    };
    let rule = Some("Disallow: /x".to_owned());
    assert_eq!(
        expected("/xy", "a"),
        (Verdict::Disallow, Reason::Rule, Some(2), rule)
    );
    assert_eq!(
        expected("/y", "a"),
        (Verdict::Allow, Reason::NoRule, None, None)
    );
    assert_eq!(
        expected("/x", "b"),
        (Verdict::Allow, Reason::NoRule, None, None)
    );
    assert_eq!(
        expected("/x", "c"),
        (Verdict::Allow, Reason::NoGroup, None, None)
    );
    assert_eq!(
        expected("/robots.txt", "a"),
        (Verdict::Allow, Reason::RobotsTxtItself, None, None)
    );
}

#[test]
fn local_records_keep_name_value_line_and_group() {
    let robots =
        parse("License: /l\nUser-agent: a\n\t Content-Usage\t: /p  train-ai=n #x\nDisallow: /\n");
    let first: Vec<_> = robots.records_before_groups().collect();
    assert_eq!(
        first
            .iter()
            .map(|record| (record.line, record.value))
            .collect::<Vec<_>>(),
        [(1, &b"/l"[..])]
    );
    let record = robots.record_on(3).expect("a record");
    assert!(record.is_named("content-usage"));
    assert_eq!(
        (record.kind, record.group),
        (LineKind::ExtensionRule, Some(0))
    );
    assert_eq!(
        (record.name, record.value),
        (&b"Content-Usage"[..], &b"/p  train-ai=n"[..])
    );
    assert_eq!(record.text, b"Content-Usage\t: /p  train-ai=n");
    let selection = robots.selection(&token("a"), TokenMatch::Exact);
    assert_eq!(
        robots
            .records_of(&selection)
            .map(|record| record.line)
            .collect::<Vec<_>>(),
        [2, 3, 4]
    );
    assert!(robots.record_on(9).is_none());
}

#[test]
fn local_faults_are_noted_with_their_lines() {
    for (text, expected) in [
        ("\u{feff}user-agent: *", &[(1, "byte_order_mark")][..]),
        ("user-agent *", &[(1, "colon_missing")]),
        (
            "user agent: *\ndissallow /",
            &[
                (1, "user_agent_misspelt"),
                (2, "disallow_misspelt"),
                (2, "colon_missing"),
            ],
        ),
        (
            "disallow: /\ncontent-usage: a=n",
            &[(1, "rule_before_agent"), (2, "rule_before_agent")],
        ),
        (
            "user-agent: MJ12bot\nuser-agent:",
            &[(1, "agent_no_token"), (2, "agent_missing")],
        ),
        (
            "user-agent: *\nallow: a b",
            &[(2, "path_without_slash"), (2, "blank_in_path")],
        ),
        ("user-agent: *\nallow: *.gif\nallow:", &[]),
        (
            "junk\n: x\na b c",
            &[(1, "no_record"), (2, "name_missing"), (3, "no_record")],
        ),
        ("DisallowAITraining: /", &[(1, "name_starts_like_rule")]),
        ("a: \u{1}\nb: x # \u{1}\nc: \u{7f}", &[(1, "control_byte")]),
    ] {
        assert_eq!(faults(text), expected, "{text:?}");
    }
    assert_eq!(
        parse("junk\n: x\nuser-agent: *\nallow: x\n\u{1}:").bad_line_count(),
        3
    );
}

/// RFC 9309 2.2, UTF8-char-noctl: the line is lost, but not the file; a comment may contain anything.
#[test]
fn rfc9309_2_2_control_bytes_lose_their_line_only() {
    let text = "user-agent: *\ndisallow: /a\0\ndisallow: /b\ndisallow: /c # \0";
    for (url_path, expected) in [
        ("/a", Verdict::Allow),
        ("/b", Verdict::Disallow),
        ("/c", Verdict::Disallow),
    ] {
        assert_eq!(
            verdict(text, "x", url_path, TokenMatch::Exact),
            expected,
            "{url_path}"
        );
    }
}

/// Ours: otherwise the rules of a broken group would fall to the group before it.
#[test]
fn local_broken_user_agent_lines_still_open_a_group() {
    for agent in ["\u{1}bot", "* \u{1}", "", "\u{1}"] {
        let text = format!("user-agent: *\nallow: /a\nuser-agent: {agent}\ndisallow: /");
        for how in [TokenMatch::Exact, TokenMatch::Prefix] {
            assert_eq!(verdict(&text, "bot", "/", how), Verdict::Allow, "{agent:?}");
        }
    }
}

/// Files on which the parsers in use disagree (agent `a`): our answers, with exact names.
#[test]
fn wild_files_on_which_parsers_part() {
    for (text, url_path, expected) in [
        (
            "User-agent: *\nDisallow: /p/*/code/*",
            "/p/foo/bar/code/x",
            Verdict::Disallow,
        ),
        (
            "User-agent: *\nDisallow: /p*/code",
            "/p/a/code",
            Verdict::Disallow,
        ),
        (
            "User-agent: *\nDisallow: */compare",
            "/compare/",
            Verdict::Disallow,
        ),
        ("User-agent: *\nDisallow: tab=", "/tab=", Verdict::Allow),
        (
            "\u{feff}User-agent: *\nDisallow: /",
            "/a",
            Verdict::Disallow,
        ),
        (
            "User-agent: a\nCrawl-delay: 1\nUser-agent: b\nDisallow: /",
            "/a",
            Verdict::Disallow,
        ),
        (
            "User-agent: *\nDisallow: /a%2bb",
            "/a%2bb",
            Verdict::Disallow,
        ),
        (
            "User-agent: *\nDisallow: /café",
            "/caf%c3%a9",
            Verdict::Disallow,
        ),
        (
            "User-agent: *\nDisallow: /%62%61%7A",
            "/baz",
            Verdict::Disallow,
        ),
        ("User-agent: *\nDisallow: /a b", "/a%20b", Verdict::Disallow),
        ("User-agent: a/1.0\nDisallow: /x", "/x", Verdict::Disallow),
        ("User-agent: a b\nDisallow: /x", "/x", Verdict::Disallow),
        ("User-agent: a*\nDisallow: /x", "/x", Verdict::Disallow),
        (
            "User-agent: *\nDisallow: /robots.txt",
            "/robots.txt",
            Verdict::Allow,
        ),
        ("User-agent: *\nDissallow: /x", "/x", Verdict::Disallow),
        ("User-agent: *\rDisallow: /x\r", "/x", Verdict::Disallow),
        ("User-agent *\nDisallow /x", "/x", Verdict::Disallow),
        ("User-agent: *\nDisallowAITraining: /", "/x", Verdict::Allow),
        (
            "User-agent: *\nAllow: /a/index.html\nDisallow: /a/",
            "/a/",
            Verdict::Disallow,
        ),
    ] {
        assert_eq!(
            verdict(text, "a", url_path, TokenMatch::Exact),
            expected,
            "{text:?} {url_path}"
        );
    }
}

#[test]
fn local_files_in_which_the_comparison_of_names_matters_are_known() {
    for (text, expected) in [
        ("user-agent: MJ12bot\ndisallow: /", false),
        ("user-agent: MJ13bot\ndisallow: /", true),
        ("user-agent: ExampleBot/1.0\ndisallow: /", false),
        ("user-agent: a;b\ndisallow: /", true),
        ("user-agent: MJ\ndisallow: /", true),
        ("user-agent: */1.0\ndisallow: /", true),
        (
            "user-agent: *\ndisallow: /a\n\nuser-agent: **\ndisallow: /",
            false,
        ),
        ("user-agent: *\ndisallow: /", false),
    ] {
        let tokens = [token("ExampleBot"), token("a"), token("MJ12bot")];
        let tokens = BothMatches::new(&tokens);
        assert_eq!(
            parse(text).depends_on_token_match(&tokens),
            expected,
            "{text}"
        );
    }
}

/// RFC 9309 2.5: everything within 500 KiB counts, except a line that is cut.
#[test]
fn rfc9309_2_5_lines_within_the_limit_count() {
    let file = |padding: usize| format!("user-agent: *\n{}\ndisallow: /x", "#".repeat(padding));
    let fits = 512_000 - file(0).len();
    for (padding, expected, cut) in [
        (fits, Verdict::Disallow, false),
        (fits + 1, Verdict::Allow, true),
    ] {
        let text = file(padding);
        assert_eq!(parse(&text).is_cut(), cut);
        assert_eq!(verdict(&text, "a", "/x", TokenMatch::Exact), expected);
    }
    let half = b"user-agent: *\ndisallow: /x\ndisallow: /";
    let half = RobotsTxt::parse_within(half, Extent::CutOff, ParseLimit::MOST);
    assert_eq!((half.records().len(), half.is_cut()), (2, true));
}

/// Ours: no rule for a word of a whole User-Agent field is lost.
#[test]
fn local_a_user_agent_field_is_closed_where_one_of_its_words_is() {
    let robots =
        RobotsTxt::parse("User-agent: GPTBot\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n");
    let field = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
    for (path, line) in [("/a", Some(2)), ("/b", Some(5)), ("/c", None)] {
        let access = robots.access(field, path);
        assert_eq!(
            (access.is_disallowed(), access.line),
            (line.is_some(), line),
            "{path}"
        );
    }
    assert!(!robots.access("GPTBot", "/b").is_disallowed());
}
