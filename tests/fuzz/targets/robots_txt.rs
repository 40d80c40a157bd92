//! A robots.txt, held against a search rule by rule. The first line is the path that is asked for.

#![no_main]

use crawlprefs::robots::{Agents, LineKind, RobotsTxt, Selection, Verdict};
use crawlprefs::web::path_pattern::{PathPattern, UrlPath};
use crawlprefs::web::path_readings::other_paths;
use crawlprefs::web::product_token::{ProductToken, TokenMatch};
use fuzzing::{first_line, path, robots, viewpoint};
use libfuzzer_sys::fuzz_target;
use std::cmp::Reverse;

/// Looks at all groups: those that list the crawler only count by their noes (ACCT-5).
fn slowly(robots: &RobotsTxt, selection: &Selection, path: &UrlPath) -> Option<(Verdict, u32)> {
    let is_no = |rule: &(Verdict, u32)| rule.0 == Verdict::Disallow;
    let own = longest(robots, selection, path);
    let listed = selection
        .of_noes()
        .and_then(|noes| longest(robots, &noes, path));
    own.filter(is_no).or(listed.filter(is_no)).or(own)
}

/// Looks at all rules: the longest wins, then Allow, then the first. A disallow line counts by each of its readings (ACCT-9).
fn longest(robots: &RobotsTxt, selection: &Selection, path: &UrlPath) -> Option<(Verdict, u32)> {
    let verdict = |kind| match kind {
        LineKind::Allow => Some(Verdict::Allow),
        LineKind::Disallow => Some(Verdict::Disallow),
        LineKind::UserAgent | LineKind::ExtensionRule | LineKind::Other => None,
    };
    let ranks = robots.records_of(selection).filter_map(|record| {
        let verdict = verdict(record.kind)?;
        let others = if verdict == Verdict::Disallow {
            other_paths(record.value)
        } else {
            Vec::new()
        };
        let readings = [record.pattern()]
            .into_iter()
            .chain(others.iter().map(|path| PathPattern::new(path)));
        let octets = readings
            .filter(|pattern| pattern.matches(path))
            .map(|pattern| pattern.octet_count())
            .max()?;
        Some((
            (octets, verdict == Verdict::Allow, Reverse(record.line)),
            verdict,
        ))
    });
    ranks
        .max_by_key(|(rank, _)| *rank)
        .map(|((.., Reverse(line)), verdict)| (verdict, line))
}

fn check_lines(robots: &RobotsTxt) {
    let lines: Vec<u32> = robots.records().map(|record| record.line).collect();
    assert!(lines.is_sorted_by(|one, next| one < next));
    assert!(
        lines
            .iter()
            .all(|line| (1..=robots.line_count()).contains(line))
    );
    // A mark of UTF-8 alone is a defect on the first line of a file without lines.
    let last = robots.line_count().max(1);
    assert!(
        robots
            .defects()
            .iter()
            .all(|defect| (1..=last).contains(&defect.line))
    );
    for record in robots.records() {
        assert_eq!(robots.record_on(record.line), Some(record));
        assert!(record.text.starts_with(record.name) && record.text.ends_with(record.value));
    }
    let in_groups = robots.groups().flat_map(|group| group.records()).count();
    assert_eq!(
        robots.records_before_groups().count() + in_groups,
        lines.len()
    );
}

fuzz_target!(|input: &[u8]| {
    let (line, file) = first_line(input);
    let (robots, again, path) = (robots(file), robots(file), path(line));
    assert!(robots.records().eq(again.records()) && robots.defects() == again.defects());
    check_lines(&robots);
    let tokens = [
        viewpoint().token,
        ProductToken::new("MJ12bot").expect("a token"),
    ];
    for how in [TokenMatch::Exact, TokenMatch::Prefix] {
        let rules_for_all = robots.rules_for(&Agents::new(&tokens, how));
        for (place, token) in (0..).zip(&tokens) {
            let selection = robots.selection(token, how);
            let rules = robots.rules(&selection);
            let access = rules.access(&path);
            assert_eq!(rules_for_all.access(place, &path), access);
            assert_eq!(rules_for_all.matched(place), selection.matched());
            assert_eq!(
                rules_for_all.disallowed(&path).contains(place),
                access.verdict == Verdict::Disallow
            );
            if !path.is_robots_txt() {
                let slow = slowly(&robots, &selection, &path);
                assert_eq!(
                    (access.verdict, access.line),
                    slow.map_or((Verdict::Allow, None), |(verdict, line)| (
                        verdict,
                        Some(line)
                    ))
                );
            }
        }
    }
});
