//! Ours beside `fast-robots`, job by job in turn: medians of the ratios of each round, which a busy machine disturbs less
//! than two measurements behind each other.
//!
//!     CRAWLPREFS_CORPUS=FOLDER cargo run --release --bin pairs [ROUNDS [NAME]]
//!
//! Files are those of the corpus, in turn every fifth, that are UTF-8 and under 500 KiB: `fast-robots` reads no others. It compares names
//! whole and escapes as they are written, so that not all of its answers are those of RFC 9309 (benches/README.md); the
//! number of answers that differ is printed.

mod files;

use crawlprefs::robots::{Extent, RobotsTxt};
use crawlprefs::systems::Viewpoint;
use crawlprefs::verdict::{AgentsTable, Resolver};
use crawlprefs::web::product_token::TokenMatch;
use files::{Site, many_rules, sites};
use std::hint::black_box;
use std::time::Instant;

const CRAWLER: &str = "CCBot";

/// A question: a file, and a path of it.
struct Question<'s> {
    text: &'s str,
    path: &'s str,
}

fn questions(sites: &[Site]) -> Vec<Question<'_>> {
    let small = sites.iter().filter(|site| site.body.len() < 500 << 10);
    small
        .enumerate()
        .filter_map(|(at, site)| {
            let url = site.urls.get(at % site.urls.len().max(1))?;
            let path = url
                .strip_prefix("https://a.example")
                .expect("every URL is of one host");
            Some(Question {
                text: std::str::from_utf8(&site.body).ok()?,
                path,
            })
        })
        .collect()
}

fn seconds(job: &mut dyn FnMut() -> usize) -> f64 {
    let begun = Instant::now();
    black_box(job());
    begun.elapsed().as_secs_f64()
}

/// Prints how many times as fast the first job is as the second.
fn compare(
    name: &str,
    rounds: usize,
    ours: &mut dyn FnMut() -> usize,
    theirs: &mut dyn FnMut() -> usize,
) {
    if std::env::args().nth(2).is_some_and(|wanted| wanted != name) {
        return;
    }
    seconds(ours);
    seconds(theirs);
    let mut times: Vec<(f64, f64)> = (0..rounds)
        .map(|_| (seconds(ours), seconds(theirs)))
        .collect();
    times.sort_by(|a, b| (a.1 / a.0).total_cmp(&(b.1 / b.0)));
    let ratio = |at: usize| times[at].1 / times[at].0;
    let (own, _) = times[rounds / 2];
    println!(
        "{name}: {:.2} times as fast ({:.2} to {:.2}); ours {:.1} ms",
        ratio(rounds / 2),
        ratio(0),
        ratio(rounds - 1),
        own * 1e3
    );
}

fn main() {
    let rounds = std::env::args()
        .nth(1)
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(11);
    let sites = sites(2869);
    let of_sites = questions(&sites);
    let many = [many_rules(19_000, 0)];
    let of_many = questions(&many);
    let ours = |question: &Question<'_>| {
        RobotsTxt::parse(question.text)
            .access(CRAWLER, question.path)
            .is_allowed()
    };
    let theirs = |question: &Question<'_>| {
        fast_robots::RobotsTxt::parse(question.text).is_allowed(CRAWLER, question.path)
    };
    let differ = of_sites
        .iter()
        .filter(|question| ours(question) != theirs(question))
        .count();
    println!("{} files, {differ} of the answers differ", of_sites.len());
    compare(
        "parse",
        rounds,
        &mut || {
            of_sites
                .iter()
                .map(|question| RobotsTxt::parse(question.text).records().len())
                .sum()
        },
        &mut || count_their_groups(&of_sites),
    );
    compare(
        "parse and one answer",
        rounds,
        &mut || of_sites.iter().filter(|question| ours(question)).count(),
        &mut || of_sites.iter().filter(|question| theirs(question)).count(),
    );
    compare(
        "19,000 rules, parse and one answer",
        rounds,
        &mut || of_many.iter().filter(|question| ours(question)).count(),
        &mut || of_many.iter().filter(|question| theirs(question)).count(),
    );
    let parsed = RobotsTxt::parse(&many[0].body);
    let token = crawlprefs::web::product_token::ProductToken::new(CRAWLER).expect("a token");
    let rules = parsed.rules(&parsed.selection(&token, TokenMatch::Exact));
    let text = String::from_utf8_lossy(&many[0].body);
    let peer = fast_robots::RobotsTxt::parse(&text);
    let matcher = peer.matcher();
    let paths: Vec<&str> = many[0]
        .urls
        .iter()
        .map(|url| &url["https://a.example".len()..])
        .collect();
    compare(
        "19,000 rules, an answer",
        rounds,
        &mut || {
            let path = |path: &&&str| {
                let (path, query) = path
                    .split_once('?')
                    .map_or((**path, None), |(path, query)| (path, Some(query)));
                crawlprefs::web::path_pattern::UrlPath::new(
                    path.as_bytes(),
                    query.map(str::as_bytes),
                )
            };
            (0..100)
                .map(|_| {
                    paths
                        .iter()
                        .filter(|one| rules.access(&path(one)).is_allowed())
                        .count()
                })
                .sum()
        },
        &mut || {
            (0..100)
                .map(|_| {
                    paths
                        .iter()
                        .filter(|path| matcher.is_allowed(CRAWLER, path))
                        .count()
                })
                .sum()
        },
    );
    let resolver = Resolver::new(Viewpoint::default(), &AgentsTable::bundled());
    compare(
        "compile for all tokens and systems, beside their parsing",
        rounds,
        &mut || {
            let compiled = of_sites
                .iter()
                .map(|question| resolver.compile(question.text.as_bytes(), Extent::Whole));
            compiled.map(|robots| usize::from(robots.is_cut)).sum()
        },
        &mut || count_their_groups(&of_sites),
    );
}

fn count_their_groups(questions: &[Question<'_>]) -> usize {
    questions
        .iter()
        .map(|question| fast_robots::RobotsTxt::parse(question.text).groups.len())
        .sum()
}
