//! Noes of all systems, and what real servers, proxies, crawlers and writers of archives do to them.
//!
//! A site has one no in one carrier (`kinds`), and a yes to every label in another one, so that a no that is lost shows as a
//! yes. One to three changes (`changes`) are made to the response that carries the no. The site then goes through an archive,
//! the tables, the site index and `judge`. Nothing of it is `allow` where the plain site's is not; where all changes can be
//! undone, the verdict is that of the plain site.
//!
//! Example: a robots.txt with `Disallow: /`, in chunks whose lines end in LF, inside of gzip.
//! `tests/read` crosses whole dimensions of what happens to bytes; this one draws combinations of everything. The short run
//! is part of `cargo test`; `CRAWLPREFS_DIFFERENTIAL` is the number of sites of a longer one, `CRAWLPREFS_DIFFERENTIAL_SEED` its
//! seed, and `FAULTS` a file for all faults.

mod changes;
#[allow(dead_code, reason = "other tests ask more of it")]
#[path = "../support/codings.rs"]
mod codings;
#[path = "../read/container.rs"]
mod container;
mod draw;
mod kinds;
#[allow(dead_code, reason = "other tests ask more of it")]
#[path = "../read/message.rs"]
mod message;
mod readings;
#[path = "../support/rows.rs"]
mod rows;
mod vectors;
#[path = "../support/warc.rs"]
mod warc;
mod world;

use draw::{Drawn, draw};
use fastrand::Rng;
use std::collections::BTreeMap;

/// The sites of the short run.
const SITES: usize = 1_600;

/// So many sites are in one archive.
const ARCHIVE: usize = 1_000;

/// So many faults are shown.
const SHOWN: usize = 40;

#[test]
fn local_no_change_of_a_response_gives_a_yes_that_the_response_does_not_give() {
    let asked = std::env::var("CRAWLPREFS_DIFFERENTIAL")
        .ok()
        .map(|count| count.parse().expect("a number"));
    let sites: usize = asked.unwrap_or(SITES);
    let kinds = kinds::all();
    let changes = changes::all();
    assert!(kinds.len() >= 20, "{} kinds of noes", kinds.len());
    assert!(changes.len() >= 100, "{} changes", changes.len());
    let seed = std::env::var("CRAWLPREFS_DIFFERENTIAL_SEED")
        .ok()
        .map(|seed| seed.parse().expect("a number"));
    let mut random = Rng::with_seed(seed.unwrap_or(u64::try_from(sites).expect("a count")));
    let drawn: Vec<Drawn> = (0..sites)
        .map(|number| draw(number, &kinds, &changes, &mut random))
        .collect();
    let mut counts: BTreeMap<&str, usize> = changes.iter().map(|change| (change.name, 0)).collect();
    for name in drawn.iter().flat_map(|one| &one.changes) {
        *counts.entry(name).or_default() += 1;
    }
    let mut faults = Vec::new();
    for (container, part) in container::ALL
        .into_iter()
        .cycle()
        .zip(drawn.chunks(ARCHIVE.min(sites / 6 + 1)))
    {
        faults.extend(world::faults(container, &kinds, part));
    }
    if let Ok(path) = std::env::var("FAULTS") {
        let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
        std::fs::write(path, lines.join("\n")).expect("a file");
    }
    let least = counts.values().min().copied().unwrap_or_default();
    println!(
        "{sites} sites of {} kinds, {} changes, each at least {least} times",
        kinds.len(),
        changes.len()
    );
    let enough = if sites >= 20_000 { 70 } else { sites / 400 };
    let rare: Vec<_> = counts
        .iter()
        .filter(|(_, count)| **count < enough)
        .collect();
    assert!(
        rare.is_empty(),
        "made less often than {enough} times: {rare:?}"
    );
    let shown: Vec<String> = faults.iter().take(SHOWN).map(ToString::to_string).collect();
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        shown.join("\n")
    );
}
