//! The way from a site's files and a page to rows: what a decision and the facts of a robots.txt cost in steps.
//!
//! The first line is the path of a page. The rest is the page's block, its robots.txt and each of its site's files.

#![no_main]

use crawlprefs::evidence::Fields;
use crawlprefs::robots::VendorTexts;
use crawlprefs::systems::{SYSTEMS, Source};
use crawlprefs::verdict::site::{SiteFacts, agents};
use crawlprefs::verdict::timeline::FetchOutcome;
use crawlprefs::verdict::{AgentsTable, FilesOfSites, PageRecord, Resolver};
use crawlprefs::web::capture_kind::CaptureKind;
use crawlprefs::web::field::Field;
use crawlprefs::web::origin::Origin;
use crawlprefs::web::product_token::TokenMatch;
use crawlprefs::web::steps;
use crawlprefs::web::url::PageUrl;
use fuzzing::{assert_few, first_line, response, robots, viewpoint};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static RESOLVER: LazyLock<Resolver> = LazyLock::new(|| {
    let table = AgentsTable::read("token\nGPTBot\nCCBot\n").expect("a table");
    Resolver::new(viewpoint(), &table)
});
static VENDORS: LazyLock<VendorTexts> = LazyLock::new(VendorTexts::bundled);

fn decide(url: &PageUrl<'_>, body: &[u8], fields: &[Field<'_>]) {
    let origin = Origin::new(url);
    let kinds = CaptureKind::ALL
        .into_iter()
        .filter(|kind| !kind.paths().is_empty());
    let files: Vec<_> = kinds
        .map(|kind| (kind, FetchOutcome::Status(200), body))
        .collect();
    let index = FilesOfSites::of_files(&origin, &files);
    let site = index.given(&origin, &RESOLVER);
    let page = PageRecord::new(Some(url.clone()), Some("text/html"), fields, &[]);
    assert_eq!(RESOLVER.decide(&page, &site).answers.len(), SYSTEMS.len());
    for system in SYSTEMS {
        system.statements(&Source::Record(fields), &RESOLVER.viewpoint, &mut |_| ());
    }
}

fn facts(file: &[u8]) {
    let robots = robots(file);
    let named = robots.named_groups(TokenMatch::Exact);
    let facts = SiteFacts::evaluate(&robots, &named, &VENDORS.find(&robots), &RESOLVER);
    assert!(usize::try_from(facts.agent_count).is_ok_and(|count| count <= named.len()));
    assert_eq!(agents(&robots, &named, &[]).len(), named.len());
    for system in SYSTEMS {
        system.statements(&Source::Robots(&robots), &RESOLVER.viewpoint, &mut |_| ());
    }
}

fuzz_target!(|input: &[u8]| {
    let (path, rest) = first_line(input);
    let url = [b"https://a.example/", path].concat();
    let Ok(url) = PageUrl::new(&url) else { return };
    let mut taken = Fields::default();
    let body = response(rest, &mut taken);
    let fields: Vec<Field<'_>> = taken.iter().collect();
    // What is short is repeated: costs that are not linear show.
    for count in [1, 16] {
        let body = body.repeat(count);
        let (_, steps) = steps::counted(|| {
            decide(&url, &body, &fields);
            facts(&body);
        });
        assert_few(steps, input.len() + body.len());
    }
});
