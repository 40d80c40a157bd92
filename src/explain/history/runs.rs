//! The fetches of a site file in runs of equal answers.
//!
//! Example: a robots.txt that was fetched in January, February and May with the same answer is one run of three fetches; a 404
//! in June begins another one. The answer for a robots.txt includes the targets of its redirects and the file there, which may
//! change without the redirect. Left out: the meaning of an answer.

use crate::sites::{LoadedBodies, LoadedFetches, answer, order};
use crate::tables::site_index::SiteFetch;
use crate::verdict::timeline::{Answer, Hop, Sent, Timeline, UrlKey};
use crate::verdict::{RobotsState, SiteBody, SiteIndex};
use crate::web::capture_kind::CaptureKind;
use crate::web::origin::Origin;
use crate::web::timestamp::Timestamp;
use crate::web::url::{PageUrl, redirect_target};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

const MAX_GAPS: usize = 10;

type HistoryFetch = SiteFetch<(u64, u32)>;

/// A capture of a URL.
#[derive(Clone, Copy)]
pub struct CountedCapture<'l> {
    at: Timestamp,
    order: u64,
    fetch: &'l HistoryFetch,
}

/// The captures of a URL by time.
pub struct UrlCaptures<'l> {
    pub url: PageUrl<'static>,
    /// Its kind.
    pub kind: CaptureKind,
    /// Those that count: of one time the last one, if no other is stricter.
    captures: Vec<CountedCapture<'l>>,
    /// The others of the same times.
    others: Vec<CountedCapture<'l>>,
    /// How many of the others had a different answer.
    pub replaced: usize,
    /// How many have no usable time.
    pub undated: usize,
}

/// The captures of some hosts by URL.
pub struct AllCaptures<'l>(pub BTreeMap<String, UrlCaptures<'l>>);

/// A request on the way to a file, with its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HopAnswer {
    /// The requested URL.
    pub url: String,
    /// The status; `None` if its line cannot be read.
    pub status: Option<u16>,
    /// The target of its redirect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect: Option<String>,
}

/// The state of a file at a time.
#[derive(Clone, PartialEq, Eq)]
pub struct Observed {
    /// The requests; the first is the one for the file.
    pub hops: Vec<HopAnswer>,
    /// The state, if it is a robots.txt.
    pub robots: Option<RobotsState>,
    /// In a word: the state of a robots.txt, or the outcome for another file.
    pub state: &'static str,
    /// Its body, if it can be read.
    pub body: Option<SiteBody>,
}

/// A time without a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Gap {
    /// The last fetch before it.
    pub from: Timestamp,
    /// The first fetch after it.
    pub to: Timestamp,
    /// Whole days between them.
    pub days: i64,
}

/// Consecutive equal answers.
pub struct AnswerRun {
    /// The answer.
    pub seen: Observed,
    /// The time of the first.
    pub first: Timestamp,
    /// The time of the last.
    pub last: Timestamp,
    /// The number of fetches of the file.
    pub fetches: usize,
    /// Times without a fetch in it and before it.
    pub gaps: Vec<Gap>,
    /// The number of all gaps.
    pub gap_count: usize,
}

impl<'l> AllCaptures<'l> {
    /// Takes the answers of an index.
    pub fn of(loaded: &'l LoadedFetches) -> Self {
        let mut urls = BTreeMap::<String, UrlCaptures<'l>>::new();
        for (fetch, seen) in &loaded.fetches {
            let Ok(url) = PageUrl::new(fetch.full_url().as_bytes()).map(PageUrl::into_owned) else {
                continue;
            };
            let captures = urls.entry(UrlKey::of(&url).as_str().to_owned()).or_insert_with(|| {
                let (kind, captures, others) = (fetch.kind, Vec::new(), Vec::new());
                UrlCaptures { url, kind, captures, others, replaced: 0, undated: 0 }
            });
            for seen in seen {
                match seen.at_us.and_then(Timestamp::from_unix_micros) {
                    Some(at) => {
                        captures.captures.push(CountedCapture { at, order: order(fetch.kind, seen), fetch });
                    }
                    None => captures.undated += 1,
                }
            }
        }
        Self(urls.into_iter().map(|(key, captures)| (key, captures.sorted())).collect())
    }

    fn hop(&self, url: &PageUrl<'_>, hop: &Hop) -> Option<CountedCapture<'l>> {
        let captures = self.0.get(UrlKey::of(url).as_str())?;
        let is_hop = |capture: &&CountedCapture<'l>| capture.order == hop.order;
        captures.others.iter().find(is_hop).copied().or_else(|| captures.at(hop.fetched_at))
    }

    /// Returns the times of captures that redirects of a robots.txt may lead to.
    fn elsewhere(&self, file: &UrlCaptures<'l>) -> Vec<Timestamp> {
        let mut reached = BTreeMap::<&str, &UrlCaptures<'l>>::new();
        let mut next = if file.kind == CaptureKind::Robots { vec![file] } else { Vec::new() };
        while let Some(from) = next.pop() {
            for key in from.targets() {
                if let Some((key, target)) = self.0.get_key_value(&key)
                    && target.url != file.url
                    && reached.insert(key, target).is_none()
                {
                    next.push(target);
                }
            }
        }
        reached.into_values().flat_map(|target| &target.captures).map(|capture| capture.at).collect()
    }
}

impl<'l> UrlCaptures<'l> {
    /// Sorts captures by time; of those of one time, the one with the greatest order is kept.
    fn sorted(mut self) -> Self {
        let mut all = std::mem::take(&mut self.captures);
        all.sort_by_key(|capture| (capture.at, capture.order));
        for capture in all {
            match self.captures.last_mut() {
                Some(last) if last.at == capture.at => {
                    if last.fetch != capture.fetch {
                        self.replaced += 1;
                        self.others.push(*last);
                    }
                    *last = capture;
                }
                _ => self.captures.push(capture),
            }
        }
        self
    }

    /// Returns the keys of the URLs that it redirects to, each once.
    fn targets(&self) -> BTreeSet<String> {
        let redirects =
            self.captures.iter().chain(&self.others).filter(|capture| answer(capture.fetch).is_redirect());
        let locations: BTreeSet<&str> =
            redirects.filter_map(|capture| capture.fetch.redirect.as_deref()).collect();
        let targets = locations.into_iter().filter_map(|location| redirect_target(&self.url, location));
        targets.map(|url| UrlKey::of(&url).as_str().to_owned()).collect()
    }

    /// Returns the number of fetches with a time.
    pub fn count(&self) -> usize {
        self.captures.len()
    }

    fn at(&self, at: Timestamp) -> Option<CountedCapture<'l>> {
        let place = self.captures.binary_search_by_key(&at, |capture| capture.at).ok()?;
        self.captures.get(place).copied()
    }
}

/// The states of an origin's files over time.
pub struct Observing<'o> {
    /// The captures and bodies, as decisions use them.
    pub index: &'o SiteIndex<LoadedBodies>,
    /// The captures by URL.
    pub all: &'o AllCaptures<'o>,
    pub origin: &'o Origin,
    /// A longer time without a fetch is a gap.
    pub gap: Duration,
}

impl<'o> Observing<'o> {
    pub fn runs(&self, file: &UrlCaptures<'o>) -> Vec<AnswerRun> {
        let own = file.captures.iter().map(|capture| (capture.at, Some(*capture)));
        let mut moments: Vec<_> =
            own.chain(self.all.elsewhere(file).into_iter().map(|at| (at, None))).collect();
        // At the same time, a fetch of the file comes before others.
        moments.sort_by_key(|(at, own)| (*at, own.is_none()));
        moments.dedup_by_key(|(at, _)| *at);
        let (mut runs, mut last_fetch) = (Vec::<AnswerRun>::new(), None);
        for (at, own) in moments {
            if own.is_none() && last_fetch.is_none() {
                continue;
            }
            let Some(seen) = self.seen(file, at) else { continue };
            let is_equal = runs.last().is_some_and(|run| run.seen == seen);
            if !is_equal {
                runs.push(AnswerRun {
                    seen,
                    first: at,
                    last: at,
                    fetches: 0,
                    gaps: Vec::new(),
                    gap_count: 0,
                });
            }
            if let (Some(run), true) = (runs.last_mut(), own.is_some()) {
                run.add(at, last_fetch.and_then(|last| self.gap(last, at)));
                last_fetch = Some(at);
            }
        }
        runs
    }

    fn gap(&self, from: Timestamp, to: Timestamp) -> Option<Gap> {
        let micros = to.unix_micros() - from.unix_micros();
        let is_gap = u128::try_from(micros).is_ok_and(|micros| micros > self.gap.as_micros());
        is_gap.then_some(Gap { from, to, days: micros / 86_400_000_000 })
    }

    /// Returns the state of a file at the time of a capture.
    fn seen(&self, file: &UrlCaptures<'_>, at: Timestamp) -> Option<Observed> {
        if file.kind == CaptureKind::Robots {
            return self.robots(file, at);
        }
        let capture = file.at(at)?;
        let sent = self.index.bodies().sent(capture.fetch);
        let state = match answer(capture.fetch) {
            answer if answer.is_redirect() => "redirect",
            Answer::StatusUnreadable => "unreadable",
            answer if !answer.is_success() => "no_file",
            _ => match sent {
                Sent::Body(_) => "read",
                Sent::Html => "html",
                Sent::Unreadable => "unreadable",
                Sent::Missing => "body_missing",
            },
        };
        let body = if let (Sent::Body(body), "read") = (sent, state) { Some(body) } else { None };
        Some(Observed { hops: vec![hop(&file.url, capture.fetch)], robots: None, state, body })
    }

    fn robots(&self, file: &UrlCaptures<'_>, at: Timestamp) -> Option<Observed> {
        let timeline: &Timeline<SiteBody> = self.index.timeline();
        let (mut hops, mut expected) = (Vec::new(), Some(file.url.clone()));
        for found in timeline.hops(self.origin, Some(at), Duration::ZERO) {
            let is_found = |url: &PageUrl<'static>| timeline.is_of(&found, url);
            let known =
                || self.all.0.values().map(|captures| &captures.url).find(|url| is_found(url)).cloned();
            let Some(url) = expected.filter(is_found).or_else(known) else { break };
            let Some(capture) = self.all.hop(&url, &found) else { break };
            hops.push(hop(&url, capture.fetch));
            let location = capture.fetch.redirect.as_deref();
            expected = location.and_then(|location| redirect_target(&url, location));
        }
        let robots = self.index.files(Some(self.origin), Some(at), Duration::ZERO).robots;
        let state = robots.state.as_str();
        (!hops.is_empty()).then_some(Observed { hops, robots: Some(robots.state), state, body: robots.body })
    }
}

fn hop(url: &PageUrl<'_>, fetch: &HistoryFetch) -> HopAnswer {
    let redirect = fetch.redirect.as_deref().filter(|_| answer(fetch).is_redirect());
    let clip = |text: &str| super::clip(text.to_owned());
    HopAnswer { url: clip(url.as_str()), status: fetch.status, redirect: redirect.map(clip) }
}

impl AnswerRun {
    fn add(&mut self, at: Timestamp, gap: Option<Gap>) {
        (self.last, self.fetches) = (at, self.fetches + 1);
        if let Some(gap) = gap {
            self.gap_count += 1;
            if self.gaps.len() < MAX_GAPS {
                self.gaps.push(gap);
            }
        }
    }
}
