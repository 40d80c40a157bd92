//! Files made to be slow: what reading them costs, in steps.
//!
//! Example: one group that names 10,000 crawlers, each of which has a group of its own.
//! Left out: archives and pages, which `tests/archive` and `tests/records` have; time and memory, which
//! `tests/hostile/run` holds.

use crate::statement_rows::viewpoint;
use crawlprefs::robots::{RobotsTxt, VendorTexts};
use crawlprefs::systems::{SYSTEMS, Source};
use crawlprefs::verdict::site::{Lint, SiteFacts, agents};
use crawlprefs::verdict::studies::{Studies, StudyClasses};
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
    let facts = SiteFacts::of(&robots, &named, &VendorTexts::bundled().managed(&robots), &resolver);
    assert_eq!(agents(&robots, &named).len(), named.len());
    for system in SYSTEMS {
        system.statements(&Source::Robots(&robots), &viewpoint("CCBot"), &mut |_| ());
    }
    facts.lints.iter().map(|finding| finding.lint).collect()
}

#[test]
fn local_a_robots_txt_takes_linear_time() {
    type Make = fn(usize) -> String;
    let files: [(&str, Make); 12] = [
        ("groups of one name", |bytes| lines("", "User-agent:a\nAllow:/\nContent-Usage:/a X", bytes)),
        ("signals and groups", |bytes| lines("", "User-agent:a\nContent-Usage:a=n", bytes)),
        ("broken rules", |bytes| lines("User-agent:a", "Content-Usage:/%d X", bytes)),
        ("rules and wildcards", |bytes| {
            lines("User-agent:a", "Content-Usage:/%d x=n\nDisallow:/%d*%d", bytes)
        }),
        ("signals", |bytes| lines("User-agent:a", "Content-Signal:search=no", bytes)),
        ("names and signals", |bytes| lines("", "User-agent:%d\nContent-Signal:/%d search=no", bytes)),
        ("names without letters", |bytes| lines("User-agent:a", "User-agent:\nUsage:ai=n", bytes)),
        ("names around signals", |bytes| {
            lines("User-agent:a", "Content-Signal:search=no", bytes) + "User-agent:b\n"
        }),
        ("agents and rules", |bytes| many_names("Disallow:/%d", bytes)),
        ("agents and signals", |bytes| many_names("Content-Usage:/%d train-ai=n", bytes)),
        ("agents and wildcards", |bytes| many_names("Disallow:/*%d*", bytes)),
        ("names that are cut", |bytes| lines("", "User-agent:a%d/1\nDisallow:/%d", bytes)),
    ];
    // The steps for lints have a limit of their own.
    const LINTS: u64 = 5_000_000;
    for (what, make) in files {
        for bytes in [50_000, 400_000] {
            let file = make(bytes);
            let (_, taken) = steps::counted(|| read(&file));
            let most = 60 * file.len() as u64 + LINTS;
            assert!(taken > 0 && taken <= most, "{what}, {bytes} bytes: {taken} steps, at most {most}");
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

/// One group has many names and rules, and each name has a group of its own, too: so many paths are not asked for.
#[test]
fn local_the_classes_of_studies_have_a_limit() {
    const MOST: u64 = 25_000_000;
    let name = |number: usize| -> String {
        // The studies' names have no digits.
        format!("{number:x}")
            .chars()
            .map(|digit| char::from_digit(digit.to_digit(16).unwrap_or(0) + 10, 36).unwrap_or(digit))
            .collect()
    };
    let names: Vec<String> = (0..6_000).map(name).collect();
    let first = names.iter().map(|name| format!("User-agent:{name}\n"));
    let own = names.iter().map(|name| format!("User-agent:{name}\nAllow:/\n"));
    let file: String = first.chain([lines("", "Disallow:/%d", 80_000)]).chain(own).collect();
    let robots = RobotsTxt::parse(&file);
    let mut studies = Studies::read(&robots);
    let (classes, taken) = steps::counted(|| -> Vec<StudyClasses> {
        names.iter().map(|name| studies.classes(name.as_bytes())).collect()
    });
    assert!(taken > 0 && taken <= MOST, "{taken} steps, at most {MOST}");
    let asked = |classes: &Option<&StudyClasses>| classes.is_some_and(|classes| classes.imc.is_some());
    assert!(asked(&classes.first()) && !asked(&classes.last()));
}
