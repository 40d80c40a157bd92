//! KNOW-1 over worlds: hosts whose files were captured at scattered times, with any answer, at any twin. More captures never make
//! an answer weaker, except by a newer explicit statement of the same carrier: a file that was read, or that there is none.

use crate::rounds::rounds;
use crawlprefs::robots::Extent;
use crawlprefs::systems::{Label, Viewpoint};
use crawlprefs::verdict::timeline::{Answer, CopyLimits, Sent, SiteCapture, Validator};
use crawlprefs::verdict::{AgentsTable, GivenBodies, PageRecord, Resolver, SiteIndex};
use crawlprefs::web::capture_kind::CaptureKind;
use crawlprefs::web::field::{Carrier, Field};
use crawlprefs::web::preference::Preference;
use crawlprefs::web::timestamp::Timestamp;
use crawlprefs::web::url::PageUrl;
use std::collections::BTreeMap;

const PAGE: &str = "https://a.example/p";
const PAGE_AT: i64 = 1_786_000_000_000_000;
const DAY: i64 = 86_400_000_000;
const ORIGINS: [&str; 3] = ["https://a.example", "http://a.example", "https://www.a.example"];
const TARGET: &str = "https://cdn.example/robots.txt";
const ROBOTS: [&str; 5] = [
    "User-agent: *\nAllow: /\n",
    "User-agent: *\nDisallow: /\n",
    "User-agent: *\nDisallow: /p\nContent-Signal: ai-train=no\n",
    "User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n",
    "User-agent: *\nContent-Signal: ai-train=yes, search=yes\nAllow: /\n",
];
const TDMREP: [&str; 2] =
    [r#"[{"location": "/", "tdm-reservation": 1}]"#, r#"[{"location": "/", "tdm-reservation": 0}]"#];
const TRUST: [&str; 2] = ["datatrainingallowed=no\n", "datatrainingallowed=yes\n"];
const AI_TXT: [&str; 2] = ["User-Agent: *\nDisallow: /\n", "User-Agent: *\nAllow: /\n"];

/// Marsaglia's xorshift, so that every run has the same worlds.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("31 bits fit") % limit
    }
}

/// A capture of a file of the host, of a twin, or of the target of a redirect.
#[derive(Clone, Copy, Debug)]
struct Fetch {
    kind: CaptureKind,
    /// The place in `ORIGINS`; one more is the target.
    origin: usize,
    at: Option<i64>,
    answer: Answer,
    body: Option<&'static str>,
    is_cut: bool,
    etag: Option<&'static str>,
}

impl Fetch {
    fn draw(dice: &mut Dice) -> Self {
        let kinds = [CaptureKind::Robots, CaptureKind::Tdmrep, CaptureKind::TrustTxt, CaptureKind::AiTxt];
        let kind = kinds[dice.below(6).min(5) % 4];
        let bodies: &[&str] = match kind {
            CaptureKind::Tdmrep => &TDMREP,
            CaptureKind::TrustTxt => &TRUST,
            CaptureKind::AiTxt => &AI_TXT,
            _ => &ROBOTS,
        };
        let statuses = [200, 200, 200, 200, 404, 410, 403, 429, 503, 304, 301, 999];
        let answer = match dice.below(14) {
            12 => Answer::NetworkError,
            13 => Answer::Stored,
            number => Answer::Status(statuses[number]),
        };
        let has_body = matches!(answer, Answer::Status(200) | Answer::Stored) && dice.below(8) > 0;
        let ago =
            [0, 1, 2, 40, 100, 400][dice.below(6)] * DAY + i64::try_from(dice.below(3)).unwrap() * 400_000;
        let is_target = kind == CaptureKind::Robots && dice.below(6) == 0;
        Self {
            kind,
            origin: if is_target { ORIGINS.len() } else { [0, 0, 0, 1, 2][dice.below(5)] },
            at: (dice.below(25) > 0).then_some(PAGE_AT - ago + if dice.below(12) == 0 { DAY } else { 0 }),
            answer,
            body: has_body.then(|| bodies[dice.below(bodies.len())]),
            is_cut: dice.below(10) == 0,
            etag: [None, Some("1"), Some("2")][dice.below(3)],
        }
    }

    fn url(&self) -> String {
        match ORIGINS.get(self.origin) {
            Some(origin) => format!("{origin}{}", self.kind.paths()[0]),
            None => TARGET.to_owned(),
        }
    }

    /// Returns whether the answer says something about a file: of access, every answer of RFC 9309 does.
    fn is_explicit(&self, is_access: bool) -> bool {
        match self.answer {
            Answer::Status(200) => self.body.is_some() && !self.is_cut,
            Answer::Status(404 | 410) => true,
            Answer::Status(403 | 429) => is_access,
            _ => false,
        }
    }
}

/// Returns the access and the labels of the page by some captures.
fn answers(resolver: &Resolver, fetches: &[(usize, Fetch)]) -> Vec<Preference> {
    let mut bodies = GivenBodies::default();
    let urls: Vec<String> = fetches.iter().map(|(_, fetch)| fetch.url()).collect();
    let captures: Vec<SiteCapture<'_>> = fetches
        .iter()
        .zip(&urls)
        .map(|((_, fetch), url)| {
            let extent = if fetch.is_cut { Extent::CutOff } else { Extent::Whole };
            let body = match fetch.body {
                Some(body) => bodies.add(fetch.kind, body.as_bytes(), extent),
                None => Sent::Missing,
            };
            SiteCapture {
                kind: if fetch.origin == ORIGINS.len() { CaptureKind::RobotsHop } else { fetch.kind },
                url: PageUrl::new(url.as_bytes()).expect("a URL"),
                fetched_at: fetch.at.and_then(Timestamp::from_unix_micros),
                answer: fetch.answer,
                redirect: Some(TARGET),
                body,
                validator: fetch.etag.and_then(Validator::new),
                segment: 0,
            }
        })
        .collect();
    let index = SiteIndex::of_captures(bodies, captures);
    let url = PageUrl::new(PAGE.as_bytes()).expect("a URL");
    let origin = url.origin();
    let at = Timestamp::from_unix_micros(PAGE_AT);
    let Ok(site) = index.site(Some(&origin), at, CopyLimits::default(), resolver);
    let fields = [Field {
        carrier: Carrier::Header,
        name: "content-signal",
        value: b"ai-train=yes, search=yes, ai-input=yes",
    }];
    let mut page = PageRecord::new(Some(url), Some("text/html"), &fields, &[]);
    page.fetched_at = at;
    let decision = resolver.decide(&page, &site);
    let labels = Label::ALL.map(|label| decision.labels.of(label));
    std::iter::once(decision.access.preference).chain(labels).collect()
}

fn strictness(preference: Preference) -> u8 {
    match preference {
        Preference::Allow => 0,
        Preference::Unknown => 1,
        Preference::Disallow => 2,
    }
}

/// Returns whether what more captures say explains a weaker answer: of some kind of file, one of them is explicit, or is the body
/// that a 304 confirms, and is not older than the oldest capture of that URL that was known before.
fn is_explained(before: &[(usize, Fetch)], more: &[(usize, Fetch)], is_access: bool) -> bool {
    let mut oldest = BTreeMap::new();
    for (_, fetch) in before.iter().filter(|(_, fetch)| fetch.at.is_some()) {
        let known = oldest.entry((fetch.kind, fetch.origin)).or_insert(fetch.at);
        *known = (*known).min(fetch.at);
    }
    let confirms = |body: &Fetch| {
        let all = before.iter().chain(more);
        let mut all = all.filter(|(_, one)| one.kind == body.kind && one.answer == Answer::Status(304));
        body.etag.is_some() && all.any(|(_, one)| one.etag == body.etag)
    };
    // A redirect says what its target says.
    let leads_to_an_answer = |fetch: &Fetch| {
        let mut targets = before.iter().chain(more).filter(|(_, one)| one.origin == ORIGINS.len());
        let is_redirect = fetch.kind == CaptureKind::Robots && fetch.answer == Answer::Status(301);
        is_redirect && targets.any(|(_, target)| target.is_explicit(is_access))
    };
    // PREC-13: that a server failed closes everything until the next attempt, and is no statement of its file.
    let has_failed = before
        .iter()
        .any(|(_, one)| matches!(one.answer, Answer::Status(503) | Answer::NetworkError) && one.origin != 1);
    let is_next_attempt =
        |fetch: &Fetch| is_access && has_failed && fetch.kind == CaptureKind::Robots && fetch.at.is_some();
    more.iter().map(|(_, fetch)| fetch).any(|fetch| {
        let is_in_time = fetch.at.is_some_and(|at| at <= PAGE_AT);
        let is_newer = oldest.get(&(fetch.kind, fetch.origin)).is_none_or(|oldest| fetch.at >= *oldest);
        let is_of_access = !is_access || fetch.kind == CaptureKind::Robots;
        let is_answer = fetch.is_explicit(is_access) || leads_to_an_answer(fetch) || is_next_attempt(fetch);
        is_in_time && is_of_access && (is_answer && is_newer || confirms(fetch))
    })
}

/// By default 2,000 worlds of 6 subsets each give more than 10,000 comparisons; all rounds give more than 100,000.
#[test]
fn know_1_more_captures_never_weaken_an_answer() {
    let mut dice = Dice(0x0905_2026_1128_0001);
    let resolver = Resolver::new(Viewpoint::default(), &AgentsTable::bundled());
    let (mut compared, mut weaker, mut stricter) = (0_usize, 0_usize, 0_usize);
    for _ in 0..rounds(2_000, 20_000) {
        let count = 2 + dice.below(9);
        let all: Vec<(usize, Fetch)> = (0..count).map(|number| (number, Fetch::draw(&mut dice))).collect();
        let by_all = answers(&resolver, &all);
        for _ in 0..6 {
            let (before, more): (Vec<_>, Vec<_>) = all.iter().copied().partition(|_| dice.below(2) == 0);
            let by_few = answers(&resolver, &before);
            for (place, (few, all)) in by_few.iter().zip(&by_all).enumerate() {
                compared += 1;
                stricter += usize::from(strictness(*all) > strictness(*few));
                if strictness(*all) < strictness(*few) {
                    weaker += 1;
                    let what = if place == 0 { "access" } else { Label::ALL[place - 1].as_str() };
                    assert!(
                        is_explained(&before, &more, place == 0),
                        "{what}: {few:?} by\n{before:#?}\n{all:?} with\n{more:#?}"
                    );
                }
            }
        }
    }
    println!("{compared} comparisons, {weaker} weaker by a newer statement, {stricter} stricter");
    assert!(compared >= 10_000 && weaker > 100 && stricter > 1_000, "{compared} {weaker} {stricter}");
}
