//! robots.txt beside the crates `robotxt` and `texting_robots`, in one run.
//!
//! `CRAWLPREFS_CORPUS` names a folder with `robots.warc.gz`; without it the files are generated. The peers read a file
//! for one crawler; ours reads it for every token of the bundled table. All are asked with whole URLs, so that to
//! split and to normalise them is part of an answer. `allowed` of each is summed, lest nothing be computed.

mod files;

use crawlprefs::robots::{Agents, RobotsTxt};
use crawlprefs::verdict::AgentsTable;
use crawlprefs::web::path_pattern::UrlPath;
use crawlprefs::web::product_token::TokenMatch;
use crawlprefs::web::url::PageUrl;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use files::{Site, many_rules, sites};
use std::hint::black_box;

const CRAWLER: &str = "GPTBot";

fn agents() -> Agents {
    Agents::new(AgentsTable::bundled().tokens(), TokenMatch::Exact)
}

fn path(url: &str) -> UrlPath {
    let url = PageUrl::new(url.as_bytes()).expect("the URLs are made of plain parts");
    UrlPath::new(url.path().as_bytes(), url.query().map(str::as_bytes))
}

/// Measures an answer for every URL of every site by what `read` makes of the site's file.
fn answers<R>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    sites: &[Site],
    read: impl Fn(&Site) -> Option<R>,
    allowed: impl Fn(&R, &str) -> usize,
) {
    let read: Vec<(R, &[String])> = sites
        .iter()
        .filter_map(|site| Some((read(site)?, site.urls.as_slice())))
        .collect();
    let urls: usize = read.iter().map(|(_, urls)| urls.len()).sum();
    group.throughput(Throughput::Elements(urls as u64));
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            let answers = read
                .iter()
                .flat_map(|(rules, urls)| urls.iter().map(|url| allowed(rules, black_box(url))));
            answers.sum::<usize>()
        });
    });
}

fn answer_groups(criterion: &mut Criterion, of: &str, sites: &[Site]) {
    let agents = agents();
    let mut group = criterion.benchmark_group(format!("robots/{of}"));
    let one = |site: &Site| {
        Some(RobotsTxt::parse(&site.body)).map(|robots| {
            let token =
                crawlprefs::web::product_token::ProductToken::new(CRAWLER).expect("a token");
            robots.rules(&robots.selection(&token, TokenMatch::Exact))
        })
    };
    answers(
        &mut group,
        "crawlprefs_one_token",
        sites,
        one,
        |rules, url| usize::from(rules.access(&path(url)).is_allowed()),
    );
    let all = |site: &Site| Some(RobotsTxt::parse(&site.body).rules_for(&agents));
    answers(
        &mut group,
        "crawlprefs_all_tokens",
        sites,
        all,
        |rules, url| rules.disallowed(&path(url)).iter().count(),
    );
    let robotxt = |site: &Site| Some(robotxt::Robots::from_bytes(&site.body, CRAWLER));
    answers(&mut group, "robotxt_one", sites, robotxt, |robots, url| {
        usize::from(robots.is_relative_allowed(url))
    });
    let texting = |site: &Site| texting_robots::Robot::new(CRAWLER, &site.body).ok();
    answers(
        &mut group,
        "texting_robots_one",
        sites,
        texting,
        |robot, url| usize::from(robot.allowed(url)),
    );
    group.finish();
}

/// From bytes to rules.
fn reading(criterion: &mut Criterion) {
    let (agents, sites) = (agents(), sites(2000));
    let mut group = criterion.benchmark_group("robots/read");
    group.throughput(Throughput::Bytes(
        sites.iter().map(|site| site.body.len() as u64).sum(),
    ));
    let mut read = |name: &str, rules: &dyn Fn(&[u8]) -> usize| {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                sites
                    .iter()
                    .map(|site| rules(black_box(&site.body)))
                    .sum::<usize>()
            });
        });
    };
    read("crawlprefs_parse", &|body| {
        RobotsTxt::parse(body).records().len()
    });
    read("crawlprefs_all_tokens", &|body| {
        RobotsTxt::parse(body).rules_for(&agents).lookup_count()
    });
    read("robotxt_one", &|body| {
        robotxt::Robots::from_bytes(body, CRAWLER)
            .len()
            .unwrap_or_default()
    });
    read("texting_robots_one", &|body| {
        usize::from(texting_robots::Robot::new(CRAWLER, body).is_ok())
    });
    group.finish();
}

fn matching(criterion: &mut Criterion) {
    answer_groups(criterion, "match", &sites(500));
    answer_groups(
        criterion,
        "match_19000_literal_rules",
        &[many_rules(19_000, 0)],
    );
    answer_groups(
        criterion,
        "match_19000_rules_2000_wildcards",
        &[many_rules(17_000, 2000)],
    );
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).measurement_time(std::time::Duration::from_secs(2));
    targets = reading, matching
}
criterion_main!(benches);
