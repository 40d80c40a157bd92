//! Files made to be slow: what reading them costs, in steps.
//!
//! Example: one group that names 10,000 crawlers, and a group for each of these.
//! Left out: archives and pages, which `tests/archive` and `tests/records` have; time and memory, which
//! `tests/hostile/run` holds.

use crate::rounds::rounds;
use crate::statement_rows::viewpoint;
use crawlprefs::robots::{RobotsTxt, VendorTexts};
use crawlprefs::systems::{SYSTEMS, Source};
use crawlprefs::verdict::site::{Lint, SiteFacts, agents};
use crawlprefs::verdict::{AgentsTable, Resolver};
use crawlprefs::web::product_token::TokenMatch;
use crawlprefs::web::steps;
use std::fmt::Write;

/// Returns `bytes` of lines; `%d` is a number in hexadecimal.
fn lines(start: &str, unit: &str, bytes: usize) -> String {
    let mut file = format!("{start}\n");
    for number in 0.. {
        let lines = unit.replace("%d", &format!("{number:x}"));
        if file.len() + lines.len() > bytes {
            return file;
        }
        writeln!(file, "{lines}").expect("a String can be written");
    }
    file
}

/// One group with many names and rules, then a group for each of the names.
fn many_names(rule: &str, bytes: usize) -> String {
    let names = lines("", "User-agent:%d", bytes / 4);
    let rules = lines("", rule, bytes / 4);
    let own = lines("", "User-agent:%d\nAllow:/", bytes / 2);
    [names, rules, own].concat()
}

/// Does what is done once for a robots.txt: facts, lints, agents, statements.
fn read(file: &str) -> Vec<Lint> {
    let robots = RobotsTxt::parse(file);
    let resolver = Resolver::new(viewpoint("CCBot"), &AgentsTable::bundled());
    let named = robots.named_groups(TokenMatch::Exact);
    let facts = SiteFacts::evaluate(
        &robots,
        &named,
        &VendorTexts::bundled().find(&robots),
        &resolver,
    );
    assert_eq!(agents(&robots, &named, &[]).len(), named.len());
    for system in SYSTEMS {
        system.statements(&Source::Robots(&robots), &viewpoint("CCBot"), &mut |_| ());
    }
    facts.lints.iter().map(|finding| finding.lint).collect()
}

#[test]
fn local_a_robots_txt_takes_linear_time() {
    type Make = fn(usize) -> String;
    let files: [(&str, Make); 12] = [
        ("groups of one name", |bytes| {
            lines("", "User-agent:a\nAllow:/\nContent-Usage:/a X", bytes)
        }),
        ("signals and groups", |bytes| {
            lines("", "User-agent:a\nContent-Usage:a=n", bytes)
        }),
        ("broken rules", |bytes| {
            lines("User-agent:a", "Content-Usage:/%d X", bytes)
        }),
        ("rules and wildcards", |bytes| {
            lines(
                "User-agent:a",
                "Content-Usage:/%d x=n\nDisallow:/%d*%d",
                bytes,
            )
        }),
        ("signals", |bytes| {
            lines("User-agent:a", "Content-Signal:search=no", bytes)
        }),
        ("names and signals", |bytes| {
            lines("", "User-agent:%d\nContent-Signal:/%d search=no", bytes)
        }),
        ("names without letters", |bytes| {
            lines("User-agent:a", "User-agent:\nUsage:ai=n", bytes)
        }),
        ("names around signals", |bytes| {
            lines("User-agent:a", "Content-Signal:search=no", bytes) + "User-agent:b\n"
        }),
        ("agents and rules", |bytes| {
            many_names("Disallow:/%d", bytes)
        }),
        ("agents and signals", |bytes| {
            many_names("Content-Usage:/%d train-ai=n", bytes)
        }),
        ("agents and wildcards", |bytes| {
            many_names("Disallow:/*%d*", bytes)
        }),
        ("names that are cut", |bytes| {
            lines("", "User-agent:a%d/1\nDisallow:/%d", bytes)
        }),
    ];
    // The steps for lints have a limit of their own.
    const LINTS: u64 = 5_000_000;
    for (what, make) in files {
        for bytes in [50_000, rounds(150_000, 400_000)] {
            let file = make(bytes);
            let (_, taken) = steps::counted(|| read(&file));
            let most = 60 * file.len() as u64 + LINTS;
            assert!(
                taken > 0 && taken <= most,
                "{what}, {bytes} bytes: {taken} steps, at most {most}"
            );
        }
    }
}

/// What is too much to be looked for is said.
#[test]
fn local_lints_that_were_not_looked_for_are_a_lint() {
    let file = |bytes| lines("User-agent:a", "Content-Usage:/%d X", bytes);
    assert!(read(&file(500_000)).contains(&Lint::Unfinished));
    assert!(!read(&file(5_000)).contains(&Lint::Unfinished));
}
