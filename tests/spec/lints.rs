//! Every lint with a minimal file that has it, its line, and that file mended.

use crate::statement_rows::viewpoint;
use crawlprefs::robots::{Extent, ParseLimit, RobotsTxt, VendorTexts};
use crawlprefs::verdict::site::{Lint, SiteFacts};
use crawlprefs::verdict::{AgentsTable, Resolver};
use crawlprefs::web::product_token::TokenMatch;
use std::collections::BTreeSet;
use std::fs;

/// The lints of a file, each as `name line count`.
fn lints(file: &[u8], extent: Extent) -> Vec<String> {
    let robots = RobotsTxt::parse_within(file, extent, ParseLimit::default());
    let managed = VendorTexts::bundled();
    let resolver = Resolver::new(viewpoint("CCBot"), &AgentsTable::bundled());
    let named = robots.named_groups(TokenMatch::Exact);
    let facts = SiteFacts::evaluate(&robots, &named, &managed.find(&robots), &resolver);
    let lints = facts.lints.iter();
    lints
        .map(|found| format!("{} {} {}", found.lint.as_str(), found.line, found.count))
        .collect()
}

/// A file, and all of its lints.
const CASES: &[(&[u8], &[&str])] = &[
    (b"<!DOCTYPE html>\n<title>x</title>\n", &["html 1 1", "no_record 1 2"]),
    (b"# nothing\n\n", &["empty 1 1"]),
    (b"", &["empty 1 1"]),
    (b"User-agent: *\rDisallow: /a\r", &["cr_only 1 1"]),
    (b"User-agent: *\r\nDisallow: /a\r\n", &[]),
    (b"\xEF\xBB\xBFUser-agent: *\nDisallow: /a\n", &["byte_order_mark 1 1"]),
    (b"\xEF\xBB\xBF", &["empty 1 1", "byte_order_mark 1 1"]),
    (b"\xC3\xAF\xC2\xBB\xC2\xBFUser-agent: *\nDisallow: /a\n", &["byte_order_mark_twice 1 1"]),
    (b"\xFF\xFEU\0\n\0", &["utf16 1 1", "no_record 1 1"]),
    (b"User-agent: *\nDisallow: /a\x07\nDisallow: /b\n", &["control_byte 2 1", "near_miss 2 1"]),
    (b"- Disallow: /a\nUser-agent: *\nDisallow: /b\n", &["near_miss 1 1"]),
    (b"User-agent: all\nDisallow: /a\n", &["agent_all 1 1"]),
    (b"User-agent: *\nDisallow: /#/a\n", &["comment_in_path 2 1"]),
    (b"Sitemap: /s\n", &["no_groups 1 1"]),
    (b"User-agent: *\nthis is no record\nDisallow: /b\n", &["no_record 2 1"]),
    (b"User-agent: *\n: /a\nDisallow: /b\n", &["name_missing 2 1"]),
    (b"User-agent: *\nDisallow /a\nDisallow /b\n", &["colon_missing 2 2"]),
    (b"User-agent: *\nDissallow: /a\n", &["disallow_misspelt 2 1"]),
    (b"Useragent: *\nDisallow: /a\n", &["user_agent_misspelt 1 1"]),
    (b"User-agent: *\nDisallow: /a\nDisallowed: /b\n", &["near_miss 3 1", "name_starts_like_rule 3 1"]),
    (b"Disallow: /a\nUser-agent: *\nDisallow: /b\n", &["rule_before_agent 1 1"]),
    (b"User-agent: *\nDisallow: a\n", &["path_without_slash 2 1"]),
    (b"User-agent: *\nDisallow: /a /b\n", &["blank_in_path 2 1"]),
    (b"User-agent: *\nDisallow: https://a.example/b\n", &["path_without_slash 2 1", "url_in_path 2 1"]),
    (b"User-agent: *\nDisallow: /a/.*\\.pdf\nDisallow: /b.*\n", &["regex_in_path 2 1"]),
    (b"User-agent:\nDisallow: /a\n", &["agent_missing 1 1"]),
    (b"User-agent: Screaming Frog\nDisallow: /a\n", &["agent_no_token 1 1"]),
    (b"User-agent: AI2Bot\nDisallow: /a\n", &["agent_no_token 1 1", "token_match_differs 1 1"]),
    (b"User-agent: ClaudeBot\nUser-agent: Grok-x\nDisallow: /a\n", &[]),
    (
        b"User-agent: chatGPT\nUser-agent: Claude/1.0\nDisallow: /a\n",
        &["agent_no_token 2 1", "agent_undocumented 1 2"],
    ),
    (b"User-agent: a\nSitemap: /s\nUser-agent: b\nDisallow: /a\n", &["agents_across_records 3 1"]),
    (b"User-agent: a\nUsage: ai=n\nUser-agent: *\nDisallow: /b\n", &["group_by_extension 3 1"]),
    (b"User-agent: *\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n", &["wildcard_groups_split 4 1"]),
    (b"User-agent: *\nDisallow: /\nAllow: /\n", &["allow_and_disallow_all 3 1"]),
    (b"User-agent: *\nNoindex: /a\nDisallow: /b\n", &["noindex_line 2 1"]),
    (
        b"User-agent: *\nDisallow:\n\nUser-agent: x\nDisallow: /a\nContent-Signal: ai-train=no\n",
        &["signal_in_last_group 6 1"],
    ),
    (b"User-agent: x\nDisallow: /a\n\nUser-agent: *\nDisallow: /a\nContent-Signal: ai-train=no\n", &[]),
    (b"User-agent: *\nDisallow: /\nContent-Usage: train-ai=n\n", &["signal_on_closed_path 3 1"]),
    (
        b"User-agent: *\nDisallow: /a\nContent-Usage: /a/* train-ai=n\nContent-Usage: /b train-ai=n\n",
        &["signal_on_closed_path 3 1"],
    ),
    (b"Content-Signal: ai-train=no\nUser-agent: *\nDisallow:\n", &["signal_outside_group 1 1"]),
    (b"User-agent: *\nContent-Usage: trian-ai=n\nUsage: ia=n\nDisallow:\n", &["unknown_label 2 2"]),
    (b"# START YOAST BLOCK\nUser-agent: *\nDisallow: /a\n", &["managed_block_open 1 1"]),
    (b"# START YOAST BLOCK\nUser-agent: *\nDisallow: /a\n# END YOAST BLOCK\n", &[]),
    (
        b"User-agent: *\nContent-Usage: ai-train=n\nContent-Signal: train-ai=no\nDisallow:\n",
        &["unknown_label 2 2", "label_of_other_system 2 2"],
    ),
    (b"User-agent: *\nContent-Signal: ai-train=never\nDisallow:\n", &["unknown_value 2 1"]),
    (b"User-agent: *\nContent-Usage: Train-AI=n, search=n\nDisallow:\n", &["strict_plain_differ 2 1"]),
    (
        b"User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /a train-ai=(\nDisallow:\n",
        &["hides_shorter_rule 3 1"],
    ),
    (b"User-agent: *\nContent-Usage: /a train-ai=(\nDisallow:\n", &[]),
    (b"User-agent: *\nDisallow: /a\nSitemap: /s\nCrawl-delay: 2\n", &[]),
];

#[test]
fn local_every_lint_has_a_file_its_line_and_its_count() {
    // What has a test of its own: a file of 500 KB for `unfinished`, two captures of one second for `other_copy` (tests/frames).
    let mut seen: BTreeSet<&str> = BTreeSet::from(["cut", "other_copy", "unfinished"]);
    let mut different = Vec::new();
    for (file, expected) in CASES {
        let found = lints(file, Extent::Whole);
        if found != *expected {
            different.push(format!(
                "{}: {found:?}, expected {expected:?}",
                file.escape_ascii()
            ));
        }
        seen.extend(
            expected
                .iter()
                .map(|found| found.split(' ').next().expect("a name")),
        );
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
    assert_eq!(
        lints(b"User-agent: *\nDisallow: /a\nDis", Extent::CutOff),
        ["cut 2 1"]
    );
    let all: BTreeSet<&str> = Lint::ALL.iter().map(|lint| lint.as_str()).collect();
    assert_eq!(seen, all);
}

#[test]
fn local_every_lint_is_documented() {
    let found = fs::read_to_string("docs/lints.md").unwrap_or_default();
    let (table, _) = found
        .split_once("\n## What `lint` adds")
        .unwrap_or_default();
    let rows = table.lines().filter(|line| line.starts_with("| `"));
    let first_cells = rows.map(|row| row.splitn(4, " | ").take(2).collect::<Vec<_>>().join(" | "));
    let expected = Lint::ALL
        .iter()
        .map(|lint| format!("| `{}` | {}", lint.as_str(), lint.sentence()));
    assert!(
        first_cells.eq(expected.clone()),
        "docs/lints.md must have, with an example each:\n{}",
        expected.collect::<Vec<_>>().join("\n")
    );
}
