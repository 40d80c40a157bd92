//! The hosts of each crawl: what a summary counts are hosts, and not rows of `sites`.

use crate::fixture::run;
use crate::resolved::{page, records, resolve, response, robots, rows, view};
use crawlprefs::archive::Input;
use crawlprefs::job::{Draw, HostTally, ResolveTally, ScanOptions, Share, Silent, scan};
use crawlprefs::store::FolderStore;

const CLOSED: &str = "User-agent: GPTBot\nDisallow: /\n";

/// An archive of a segment of a crawl.
fn segment((crawl, segment, subset): (&str, &str, &str), list: &[String]) -> Input {
    let file = format!(
        "crawl-data/{crawl}/segments/{segment}/{subset}/CC-MAIN-20260810060000-20260810090000"
    );
    records(&format!("{file}-00000.warc.gz"), list)
}

fn http(host: &str, at: &str, body: &str) -> String {
    response(
        &format!("http://{host}/robots.txt"),
        at,
        200,
        "Content-Type: text/plain\r\n",
        body,
    )
}

/// Two crawls of two segments and one: each host of the first is in both segments, by http and https.
fn world() -> ResolveTally {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let hosts = ["a.example", "www.a.example", "b.example", "c.example"];
    let of = |day: &str, body: &str| -> Vec<String> {
        let pair = |host: &&str| {
            [
                robots(host, &format!("{day}T08:00:00Z"), body),
                http(host, &format!("{day}T08:00:01Z"), ""),
            ]
        };
        hosts.iter().flat_map(pair).collect()
    };
    let mut newer = of("2026-08-10", CLOSED);
    newer.push(response(
        "https://fails.example/robots.txt",
        "2026-08-10T08:00:00Z",
        503,
        "",
        "",
    ));
    let pages = [page("https://no-robots.example/", "2026-08-10T09:00:00Z")];
    let inputs = vec![
        segment(
            ("CC-MAIN-2026-34", "17.1", "robotstxt"),
            &of("2026-08-09", ""),
        ),
        segment(("CC-MAIN-2026-34", "17.2", "robotstxt"), &newer),
        segment(("CC-MAIN-2026-34", "17.2", "warc"), &pages),
        segment(
            ("CC-MAIN-2024-10", "16.1", "robotstxt"),
            &of("2024-03-01", CLOSED)[..2],
        ),
    ];
    run(inputs, folder.path(), 2);
    let first = resolve(folder.path(), folder.path(), &view());
    // What an earlier call has made is counted from its tables.
    let again = resolve(folder.path(), folder.path(), &view());
    assert_eq!(first, again);
    first
}

fn hosts<'t>(tally: &'t ResolveTally, crawl: &str) -> &'t HostTally {
    tally.crawls[crawl]
        .hosts
        .as_deref()
        .expect("sites was written")
}

#[test]
fn local_a_host_counts_once_in_a_crawl_whatever_segments_and_schemes_it_is_in() {
    let tally = world();
    let newer = hosts(&tally, "CC-MAIN-2026-34");
    // Rows of `sites`: eight in one segment, ten in the other one, two in the older crawl.
    assert_eq!(tally.sites.sites, 20);
    assert_eq!((newer.hosts, newer.answering), (6, 4));
    assert_eq!(
        newer.closed_by_name.get("GPTBot"),
        Some(&4),
        "the newest copy, and https before http"
    );
    assert_eq!(newer.states.get("unreachable"), Some(&1));
    let older = hosts(&tally, "CC-MAIN-2024-10");
    assert_eq!(
        (older.hosts, older.closed_by_name.get("GPTBot")),
        (1, Some(&1))
    );
}

#[test]
fn local_crawls_are_apart_and_the_newest_is_first() {
    let tally = world();
    let order: Vec<&str> = tally
        .newest_first()
        .into_iter()
        .map(|(crawl, _)| crawl)
        .collect();
    assert_eq!(order, ["CC-MAIN-2026-34", "CC-MAIN-2024-10"]);
    assert_eq!(tally.crawls["CC-MAIN-2026-34"].pages, 1);
    assert_eq!(tally.crawls["CC-MAIN-2024-10"].pages, 0);
}

/// Scans a sample of four archives of two segments; returns each segment with whether its rows say that it was read whole.
fn wholeness(share: Share) -> Vec<(String, Option<bool>)> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let archive = |at: usize| {
        let name = format!(
            "crawl-data/CC-MAIN-2026-34/segments/17.{}/robotstxt/CC-MAIN-20260810060000-20260810090000-{:05}.warc.gz",
            at / 2,
            at % 2
        );
        records(
            &name,
            &[robots(&format!("h{at}.example"), "08:00:00", CLOSED)],
        )
    };
    let options = ScanOptions {
        share,
        ..ScanOptions::new((0..4).map(archive).collect())
    };
    let store = FolderStore::new(folder.path().to_owned());
    scan(&options, &store, &Silent).expect("the job can run");
    resolve(folder.path(), folder.path(), &view());
    let of_row = |row: &crate::resolved::Fields| {
        (
            row.text("warc_segment").expect("a segment").to_owned(),
            row.whether("segment_whole"),
        )
    };
    let mut found: Vec<_> = rows(folder.path(), "sites").iter().map(of_row).collect();
    found.sort();
    found.dedup();
    found
}

#[test]
fn local_a_segment_that_was_touched_is_not_one_that_was_read() {
    let of = |one: bool, other: bool| {
        vec![
            ("17.0".to_owned(), Some(one)),
            ("17.1".to_owned(), Some(other)),
        ]
    };
    assert_eq!(wholeness(Share::ALL), of(true, true));
    let sample = Share {
        draw: Some(Draw { units: 3, seed: 1 }),
        ..Share::ALL
    };
    let drawn = wholeness(sample);
    assert_eq!(
        drawn
            .iter()
            .filter(|(_, whole)| *whole == Some(true))
            .count(),
        1,
        "{drawn:?}"
    );
    assert_eq!(
        wholeness(Share {
            limit: Some(3),
            ..Share::ALL
        }),
        of(true, false)
    );
}
