//! The rules of docs/rules/read.md over generated input: what was not understood is never a yes.
//!
//! Each site file, header and meta of the vectors that says no (and some of our own for files that vectors do not have) is
//! put through what the web does to a response: codings, double codings and their names, charsets, media types, parts of
//! answers, segments, heads in front of heads, ends of files, in WARC, ARC, WAT and WACZ. None of these gives an `allow`
//! (access, labels, the systems' own columns) that the plain response does not give; and what READ-1 can undo gives the
//! plain response's row, every yes included.
//!
//! The dimensions are the folder `dimensions`; each says which of its parts are crossed with each other. Dimensions are
//! not crossed with each other, except for media types, which are crossed with codings. Every variant is tried on some
//! sites (`PRIMARY`, each carrier at least twice), and on each other site every `STEP`th variant, from a place that differs
//! from site to site. In a short run one of the two sites of a carrier has the even variants, and the other one the odd ones.

mod check;
#[path = "../support/codings.rs"]
mod codings;
mod container;
mod dimensions;
mod job;
mod message;
mod order;
#[path = "../support/rounds.rs"]
mod rounds;
mod site;
#[path = "../support/warc.rs"]
mod warc;
mod wat;

use check::World;
use container::Container;
use crawlprefs::evidence::Depth;
use dimensions::Variants;
use rounds::rounds;
use site::Site;
use std::collections::BTreeMap;

/// The sites on which every variant is tried.
const PRIMARY: [&str; 13] = [
    "robots-all",
    "robots-signal",
    "tdmrep-all",
    "tdmrep-news",
    "trust-no",
    "trust-only",
    "ai-txt-all",
    "ai-txt-news",
    "automation",
    "meta-noai",
    "meta-tdm",
    "label-002",
    "full-lock",
];

/// On each other site one of so many variants is tried.
const STEP: usize = 60;

/// Returns the sites by viewpoint.
fn by_viewpoint(sites: Vec<Site>) -> BTreeMap<(String, String), Vec<Site>> {
    let mut found = BTreeMap::<_, Vec<Site>>::new();
    for site in sites {
        found
            .entry((site.token.clone(), site.vocabulary.clone()))
            .or_default()
            .push(site);
    }
    found
}

#[test]
fn read_1_to_11_no_variant_of_a_response_gives_a_yes_that_the_response_does_not_give() {
    let (mut total, half) = (check::Counts::default(), rounds(2, 1));
    for ((token, vocabulary), sites) in by_viewpoint(site::all()) {
        let mut world = World::new(Container::Warc, Depth::Full, &token, &vocabulary);
        for (number, site) in sites.iter().enumerate() {
            let primary = PRIMARY.iter().position(|name| *name == site.name);
            for place in site.subjects() {
                for (at, variant) in Variants::of(&site.messages[place]).into_iter().enumerate() {
                    let is_tried = primary
                        .map_or((at + number * 5).is_multiple_of(STEP * half), |primary| {
                            (at + primary).is_multiple_of(half)
                        });
                    if is_tried {
                        world.add(site, place, variant);
                    }
                }
            }
        }
        total.add(world.check());
    }
    total.report();
    assert!(
        total.combinations() >= 20_000 / half,
        "{}",
        total.combinations()
    );
}

#[test]
fn read_1_to_11_the_format_of_an_archive_changes_nothing() {
    let mut total = check::Counts::default();
    let containers = container::ALL
        .into_iter()
        .filter(|container| *container != Container::Warc);
    let depths = containers.map(|container| (container, Depth::Full));
    for (container, depth) in depths.chain([(Container::WarcGz, Depth::Heads)]) {
        let mut world = World::new(container, depth, "CCBot", "03");
        let sites = site::all();
        for site in sites
            .iter()
            .filter(|site| PRIMARY.contains(&site.name.as_str()))
        {
            for place in site.subjects() {
                for variant in Variants::of(&site.messages[place])
                    .into_iter()
                    .step_by(rounds(51, 17))
                {
                    world.add(site, place, variant);
                }
            }
        }
        total.add(world.check());
    }
    total.report();
}
