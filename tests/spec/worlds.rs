//! KNOW-1 over worlds: hosts whose files were captured at scattered times, with any answer, at any twin. More captures never make
//! an answer weaker, except by a newer explicit statement of the same carrier: a file that was read, or that there is none.
//!
//! What is explicit follows KNOW-3: a 2xx body that was read whole, 404 and 410; a 304 that an older body of its `ETag` confirms; a
//! redirect to any of these. So after 200 (no) and 503, an answer 200 (nothing) opens, and 304, 403 or another 503 does not. For
//! access, RFC 9309 2.3.1.3 makes each 4xx explicit while it is the newest answer, and by PREC-13 the next attempt ends what a
//! failing server closed.

use crate::random::one_of;
use crate::rounds::rounds;
use crawlprefs::robots::Extent;
use crawlprefs::systems::{Label, Viewpoint};
use crawlprefs::verdict::timeline::{BodyState, CopyLimits, FetchOutcome, SiteCapture, Validator};
use crawlprefs::verdict::{AgentsTable, FilesOfSites, GivenBodies, PageRecord, Resolver};
use crawlprefs::web::capture_kind::CaptureKind;
use crawlprefs::web::field::{Carrier, Field};
use crawlprefs::web::preference::Preference;
use crawlprefs::web::timestamp::Timestamp;
use crawlprefs::web::url::PageUrl;
use fastrand::Rng;
use std::collections::BTreeSet;

const PAGE: &str = "https://a.example/p";
const PAGE_AT: i64 = 1_786_000_000_000_000;
const DAY: i64 = 86_400_000_000;
const SECOND: i64 = 1_000_000;
/// That of the page, two twins, and where redirects lead.
const PLACES: [&str; 4] = [
    "https://a.example",
    "http://a.example",
    "https://www.a.example",
    "https://cdn.example",
];
const TWINS: [usize; 2] = [1, 2];
const TARGET: usize = 3;
const TARGET_URL: &str = "https://cdn.example/robots.txt";
const KINDS: [CaptureKind; 4] = [
    CaptureKind::Robots,
    CaptureKind::Tdmrep,
    CaptureKind::TrustTxt,
    CaptureKind::AiTxt,
];
const ROBOTS: [&str; 5] = [
    "User-agent: *\nAllow: /\n",
    "User-agent: *\nDisallow: /\n",
    "User-agent: *\nDisallow: /p\nContent-Signal: ai-train=no\n",
    "User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n",
    "User-agent: *\nContent-Signal: ai-train=yes, search=yes\nAllow: /\n",
];
const TDMREP: [&str; 2] = [
    r#"[{"location": "/", "tdm-reservation": 1}]"#,
    r#"[{"location": "/", "tdm-reservation": 0}]"#,
];
const TRUST: [&str; 2] = ["datatrainingallowed=no\n", "datatrainingallowed=yes\n"];
const AI_TXT: [&str; 2] = ["User-Agent: *\nDisallow: /\n", "User-Agent: *\nAllow: /\n"];
/// What the header of a page allows.
const YES: &[u8] = b"ai-train=yes, search=yes, ai-input=yes";

/// A capture of a file of the host, of a twin, or of the target of a redirect.
#[derive(Clone, Copy, Debug)]
struct Fetch {
    number: usize,
    kind: CaptureKind,
    /// The number in `PLACES`.
    place: usize,
    at: Option<i64>,
    answer: FetchOutcome,
    body: Option<&'static str>,
    is_cut: bool,
    etag: Option<&'static str>,
}

impl Fetch {
    fn draw(random: &mut Rng, number: usize, kinds: usize) -> Self {
        let kind = one_of(random, &KINDS[..kinds]);
        let bodies: &[&str] = match kind {
            CaptureKind::Tdmrep => &TDMREP,
            CaptureKind::TrustTxt => &TRUST,
            CaptureKind::AiTxt => &AI_TXT,
            _ => &ROBOTS,
        };
        let statuses = [
            200, 200, 200, 200, 404, 410, 403, 429, 503, 304, 304, 301, 999,
        ];
        let answer = match random.usize(..15) {
            13 => FetchOutcome::NetworkError,
            14 => FetchOutcome::Stored,
            number => FetchOutcome::Status(statuses[number]),
        };
        let has_body = matches!(answer, FetchOutcome::Status(200) | FetchOutcome::Stored)
            && random.usize(..8) > 0;
        let parts = random.i64(0..3) * 400_000;
        let ago = one_of(random, &[0, 1, 2, 40, 100, 400]) * DAY + parts;
        let is_target = kind == CaptureKind::Robots && random.usize(..6) == 0;
        Self {
            number,
            kind,
            place: if is_target {
                TARGET
            } else {
                one_of(random, &[0, 0, 0, 1, 2])
            },
            at: (random.usize(..25) > 0)
                .then_some(PAGE_AT - ago + if random.usize(..12) == 0 { DAY } else { 0 }),
            answer,
            body: has_body.then(|| one_of(random, bodies)),
            is_cut: random.usize(..10) == 0,
            etag: one_of(random, &[None, Some("1"), Some("2")]),
        }
    }

    fn url(&self) -> String {
        format!("{}{}", PLACES[self.place], self.kind.paths()[0])
    }

    fn second(&self) -> Option<i64> {
        self.at
            .filter(|at| *at <= PAGE_AT)
            .map(|at| at.div_euclid(SECOND))
    }

    fn has_failed(&self) -> bool {
        matches!(
            self.answer,
            FetchOutcome::Status(503) | FetchOutcome::NetworkError
        )
    }
}

/// Some captures of files of one kind, in their order, and what the answer is for.
#[derive(Clone, Copy)]
struct Known<'f> {
    all: &'f [Fetch],
    is_access: bool,
}

impl Known<'_> {
    /// The captures that count at a place.
    fn at(&self, place: usize) -> impl Iterator<Item = &Fetch> {
        self.all
            .iter()
            .filter(move |fetch| fetch.place == place && fetch.second().is_some())
    }

    fn newest(&self, place: usize) -> Option<i64> {
        self.at(place).filter_map(Fetch::second).max()
    }

    fn oldest(&self, place: usize) -> Option<i64> {
        self.at(place).filter_map(Fetch::second).min()
    }

    fn redirects(&self, place: usize) -> bool {
        self.at(place).any(|fetch| {
            fetch.kind == CaptureKind::Robots && fetch.answer == FetchOutcome::Status(301)
        })
    }

    /// The explicit answers of a place.
    fn explicit(&self, place: usize) -> Vec<&Fetch> {
        self.at(place)
            .filter(|fetch| self.is_explicit(fetch))
            .collect()
    }

    fn is_explicit(&self, fetch: &Fetch) -> bool {
        match fetch.answer {
            FetchOutcome::Status(200) => fetch.body.is_some() && !fetch.is_cut,
            FetchOutcome::Status(404 | 410) => true,
            // RFC 9309 2.3.1.3: it opens everything, and ends nothing for answers behind it.
            FetchOutcome::Status(403 | 429) => {
                self.is_access && fetch.second() == self.newest(fetch.place)
            }
            FetchOutcome::Status(304) => self.confirmed_by(fetch).is_some_and(|body| !body.is_cut),
            // AMB-REP-8: a loop is an unavailable file.
            FetchOutcome::Status(301)
                if fetch.kind == CaptureKind::Robots && fetch.place == TARGET =>
            {
                self.is_access
            }
            FetchOutcome::Status(301) if fetch.kind == CaptureKind::Robots => {
                !self.explicit(TARGET).is_empty()
            }
            _ => false,
        }
    }

    /// The newest older body of the URL with the `ETag` of an answer 304, unless a different one of its second has it as well.
    fn confirmed_by(&self, fetch: &Fetch) -> Option<&Fetch> {
        let is_older = |one: &&Fetch| {
            one.place == fetch.place
                && one.answer == FetchOutcome::Status(200)
                && one.body.is_some()
                && one.etag.is_some()
                && one.etag == fetch.etag
                && (one.at, one.number) < (fetch.at, fetch.number)
        };
        let older = || self.all.iter().filter(is_older);
        let newest = older().max_by_key(|one| (one.at, one.number))?;
        let is_rival = |one: &Fetch| one.second() == newest.second() && one.body != newest.body;
        (!older().any(is_rival)).then_some(newest)
    }

    /// PREC-13: returns whether the newest attempt failed, also that of a redirect's target.
    fn has_failed(&self) -> bool {
        let failed_at = |place: usize| {
            let newest = self.newest(place);
            self.at(place)
                .any(|fetch| fetch.second() == newest && fetch.has_failed())
        };
        failed_at(0) || self.redirects(0) && failed_at(TARGET)
    }
}

/// Returns whether more captures of a kind explain a weaker answer, which some gave before.
fn is_explained(before: Known<'_>, with_more: Known<'_>) -> bool {
    // KNOW-8: twins count where the site was never answered itself.
    let is_answered = Known {
        is_access: false,
        ..before
    }
    .explicit(0)
    .is_empty();
    let places: Vec<usize> = std::iter::once(0)
        .chain(TWINS.into_iter().filter(|_| is_answered))
        .collect();
    let has_twins = TWINS.iter().any(|twin| before.newest(*twin).is_some());
    let targets = places
        .iter()
        .any(|place| with_more.redirects(*place))
        .then_some(TARGET);
    let by_answer = places.iter().copied().chain(targets).any(|place| {
        let known: BTreeSet<usize> = before
            .explicit(place)
            .iter()
            .map(|fetch| fetch.number)
            .collect();
        let newest = before
            .explicit(place)
            .iter()
            .filter_map(|fetch| fetch.second())
            .max();
        // An answer that is older than all others of the site's own file ends nothing but what twins said.
        let oldest = before.oldest(place).filter(|_| place != 0 || !has_twins);
        let is_new = |fetch: &&&Fetch| {
            !known.contains(&fetch.number) && fetch.second() >= newest && fetch.second() >= oldest
        };
        with_more.explicit(place).iter().any(|fetch| is_new(&fetch))
    });
    // READ-5: of equal bytes of one second, the file is whole if any of them is.
    let is_whole_one = |whole: &Fetch| {
        let is_same = |one: &Fetch| (one.second(), one.body) == (whole.second(), whole.body);
        let mut before = before.at(whole.place);
        !whole.is_cut && whole.body.is_some() && before.any(|one| one.is_cut && is_same(one))
    };
    let by_answer = by_answer
        || (0..PLACES.len()).any(|place| {
            with_more.at(place).any(is_whole_one)
                || before
                    .at(place)
                    .any(|fetch| confirms_newer(fetch, before, with_more))
        });
    let attempts = |place: usize| with_more.newest(place) > before.newest(place);
    by_answer || before.is_access && before.has_failed() && (attempts(0) || attempts(TARGET))
}

/// KNOW-3: a 304 is a copy of the newest older body with its `ETag`. Returns whether more captures have a newer one.
fn confirms_newer(fetch: &Fetch, before: Known<'_>, with_more: Known<'_>) -> bool {
    let bodies = before
        .confirmed_by(fetch)
        .zip(with_more.confirmed_by(fetch));
    fetch.answer == FetchOutcome::Status(304)
        && bodies.is_some_and(|(known, newer)| newer.at > known.at)
}

/// Returns the access and the labels of the page by some captures, without and with a header that allows.
fn answers(resolver: &Resolver, fetches: &[Fetch]) -> [Vec<Preference>; 2] {
    let mut bodies = GivenBodies::default();
    let urls: Vec<String> = fetches.iter().map(Fetch::url).collect();
    let captures = fetches.iter().zip(&urls).map(|(fetch, url)| {
        let extent = if fetch.is_cut {
            Extent::CutOff
        } else {
            Extent::Whole
        };
        let body = fetch
            .body
            .map(|body| bodies.add(fetch.kind, body.as_bytes(), extent));
        SiteCapture {
            kind: if fetch.place == TARGET {
                CaptureKind::RobotsHop
            } else {
                fetch.kind
            },
            url: PageUrl::new(url.as_bytes()).expect("a URL"),
            fetched_at: fetch.at.and_then(Timestamp::from_unix_micros),
            answer: fetch.answer,
            redirect: Some(TARGET_URL),
            body: body.unwrap_or(BodyState::Missing),
            validator: fetch.etag.and_then(Validator::new),
            segment: 0,
        }
    });
    let captures: Vec<SiteCapture<'_>> = captures.collect();
    let index = FilesOfSites::of_captures(bodies, captures);
    let url = PageUrl::new(PAGE.as_bytes()).expect("a URL");
    let at = Timestamp::from_unix_micros(PAGE_AT);
    let Ok(site) = index.site(Some(&url.origin()), at, CopyLimits::default(), resolver);
    let field = Field {
        carrier: Carrier::Header,
        name: "content-signal",
        value: YES,
    };
    [&[][..], &[field]].map(|fields| {
        let mut page = PageRecord::new(Some(url.clone()), Some("text/html"), fields, &[]);
        page.fetched_at = at;
        let decision = resolver.decide(&page, &site);
        let labels = Label::ALL.map(|label| decision.labels.of(label));
        std::iter::once(decision.access.preference)
            .chain(labels)
            .collect()
    })
}

fn strictness(preference: Preference) -> u8 {
    match preference {
        Preference::Allow => 0,
        Preference::Unknown => 1,
        Preference::Disallow => 2,
    }
}

fn of_kind(fetches: &[Fetch], kind: CaptureKind) -> Vec<Fetch> {
    fetches
        .iter()
        .copied()
        .filter(|fetch| fetch.kind == kind)
        .collect()
}

#[derive(Default)]
struct Counts {
    compared: usize,
    weaker: usize,
    stricter: usize,
}

impl Counts {
    /// Compares the answers by some files of one kind with those by all, which are `by_all`.
    fn compare(&mut self, by_few: &[Preference], by_all: &[Preference], known: [&[Fetch]; 2]) {
        for (place, (few, all)) in by_few.iter().zip(by_all).enumerate() {
            self.compared += 1;
            self.stricter += usize::from(strictness(*all) > strictness(*few));
            if strictness(*all) < strictness(*few) {
                self.weaker += 1;
                let place = place % (Label::ALL.len() + 1);
                let what = place
                    .checked_sub(1)
                    .map_or("access", |label| Label::ALL[label].as_str());
                let [before, with_more] = known.map(|all| Known {
                    all,
                    is_access: place == 0,
                });
                assert!(
                    is_explained(before, with_more),
                    "{what}: {few:?} by\n{:#?}\n{all:?} with\n{:#?}",
                    before.all,
                    with_more.all
                );
            }
        }
    }
}

/// By default 2,000 worlds, each with two subsets.
#[test]
fn know_1_more_captures_never_weaken_an_answer() {
    let mut random = Rng::with_seed(0x0905_2026_1128_0001);
    let agents = AgentsTable::read("token\nCCBot\n").expect("a table");
    let resolver = Resolver::new(Viewpoint::default(), &agents);
    let mut counts = Counts::default();
    for world in 0..rounds(2_000, 100_000) {
        let (count, kinds) = (2 + random.usize(..7), 1 + random.usize(..KINDS.len()));
        let all: Vec<Fetch> = (0..count)
            .map(|number| Fetch::draw(&mut random, number, kinds))
            .collect();
        let subsets = [(); 2].map(|()| all.iter().copied().filter(|_| random.bool()).collect());
        let subsets: [Vec<Fetch>; 2] = subsets;
        for kind in &KINDS[..kinds] {
            let with_more = of_kind(&all, *kind);
            let by_all = answers(&resolver, &with_more).concat();
            let subsets = subsets.iter().map(|subset| of_kind(subset, *kind));
            for before in subsets.filter(|before| before.len() < with_more.len()) {
                let by_few = answers(&resolver, &before).concat();
                counts.compare(&by_few, &by_all, [&before, &with_more]);
            }
        }
        if world % 8 == 0 {
            files_of_all_kinds_count_together(&resolver, &all);
        }
    }
    let Counts {
        compared,
        weaker,
        stricter,
    } = counts;
    println!("{compared} comparisons, {weaker} weaker by a newer statement, {stricter} stricter");
    assert!(
        compared > 50_000 && weaker > 1_000 && stricter > 5_000,
        "{compared} {weaker} {stricter}"
    );
}

/// A label that the header allows has the strictest of the answers by the files of each kind.
fn files_of_all_kinds_count_together(resolver: &Resolver, all: &[Fetch]) {
    let [_, together] = answers(resolver, all);
    let by_kind = KINDS.map(|kind| answers(resolver, &of_kind(all, kind)));
    for (place, label) in (1..).zip(Label::ALL) {
        let strictest = by_kind
            .iter()
            .map(|[_, answers]| strictness(answers[place]))
            .max();
        assert_eq!(
            strictest,
            Some(strictness(together[place])),
            "{} by {all:#?}",
            label.as_str()
        );
    }
}
