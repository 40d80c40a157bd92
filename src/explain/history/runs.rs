//! The fetches of a site file in runs of equal answers.
//!
//! Example: a robots.txt that was fetched in January, February and May with the same answer is one run of three fetches; a 404
//! in June begins another one. The answer for a robots.txt includes the targets of its redirects and the file there, which may
//! change without the redirect. Left out: the meaning of an answer.

use super::SiteHistory;
use crate::sites::{LoadedFetches, answer, order};
use crate::tables::site_index::SiteFetch;
use crate::verdict::timeline::{BodyState, Hop, OutcomeClass, Timeline};
use crate::verdict::{CopyLimits, RobotsState, SiteBody};
use crate::web::url::{PageUrl, redirect_target};
use crate::web::url_key::url_key;
use crate::web::{capture_kind::CaptureKind, timestamp::Timestamp};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

const MAX_GAPS: usize = 10;

type HistoryFetch = SiteFetch<(u64, u32)>;

#[derive(Clone, Copy)]
pub struct CountedCapture<'l> {
    at: Timestamp,
    order: u64,
    fetch: &'l HistoryFetch,
}

/// The captures of a URL by time.
pub struct UrlCaptures<'l> {
    pub url: PageUrl<'static>,
    pub kind: CaptureKind,
    /// Those that count: of one time the last one, if no other is stricter.
    pub captures: Vec<CountedCapture<'l>>,
    /// The others of the same times with a different answer.
    pub others: Vec<CountedCapture<'l>>,
    /// How many have no usable time.
    pub undated: usize,
}

/// The captures of some hosts by URL.
pub struct AllCaptures<'l>(pub BTreeMap<String, UrlCaptures<'l>>);

/// A request on the way to a file, with its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HopAnswer {
    pub url: String,
    /// The status; `None` if its line cannot be read.
    pub status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect: Option<String>,
}

/// The state of a file at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Observed {
    pub hops: Vec<HopAnswer>,
    /// The state, if it is a robots.txt.
    #[serde(skip)]
    pub robots: Option<RobotsState>,
    /// The state of robots.txt; of another file `read`, `html`, `unreadable`, `body_missing`, `redirect` or `no_file`.
    pub state: &'static str,
    /// Its body, if it can be read.
    #[serde(skip)]
    pub body: Option<SiteBody>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Gap {
    pub from: Timestamp,
    pub to: Timestamp,
    /// Whole days between them.
    pub days: i64,
}

#[derive(Clone, Debug, Serialize)]
pub struct AnswerRun {
    pub first: Timestamp,
    pub last: Timestamp,
    /// The number of fetches of the file; 0 if only the target of an earlier redirect changed.
    pub fetches: usize,
    /// Times without a fetch before and among them.
    pub gaps: Vec<Gap>,
    pub gaps_count: usize,
    #[serde(flatten)]
    pub seen: Observed,
}

impl<'l> AllCaptures<'l> {
    pub fn from_fetches(loaded: &'l LoadedFetches) -> Self {
        let mut urls = BTreeMap::<String, UrlCaptures<'l>>::new();
        for (fetch, seen) in &loaded.fetches {
            let Ok(url) = PageUrl::new(fetch.full_url().as_bytes()).map(PageUrl::into_owned) else {
                continue;
            };
            let captures = urls.entry(url_key(&url)).or_insert_with(|| {
                let (kind, captures, others) = (fetch.kind, Vec::new(), Vec::new());
                UrlCaptures {
                    url,
                    kind,
                    captures,
                    others,
                    undated: 0,
                }
            });
            for seen in seen {
                let at = seen.at_us.and_then(Timestamp::from_unix_micros);
                captures.undated += usize::from(at.is_none());
                let order = order(fetch.kind, seen);
                captures
                    .captures
                    .extend(at.map(|at| CountedCapture { at, order, fetch }));
            }
        }
        Self(
            urls.into_iter()
                .map(|(key, captures)| (key, captures.sorted()))
                .collect(),
        )
    }

    fn hop(&self, url: &PageUrl<'_>, hop: &Hop) -> Option<CountedCapture<'l>> {
        let captures = self.0.get(&url_key(url))?;
        let is_hop = |capture: &&CountedCapture<'l>| capture.order == hop.order;
        captures
            .others
            .iter()
            .find(is_hop)
            .copied()
            .or_else(|| captures.at(hop.fetched_at))
    }

    /// Returns the times of captures that redirects of a robots.txt may lead to.
    fn elsewhere(&self, file: &UrlCaptures<'l>) -> Vec<Timestamp> {
        let mut reached = BTreeMap::<&str, &UrlCaptures<'l>>::new();
        let mut next = if file.kind == CaptureKind::Robots {
            vec![file]
        } else {
            Vec::new()
        };
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
        reached
            .into_values()
            .flat_map(|target| &target.captures)
            .map(|capture| capture.at)
            .collect()
    }
}

impl<'l> UrlCaptures<'l> {
    /// Sorts captures by time; of those of one time, the one with the greatest order is kept.
    fn sorted(mut self) -> Self {
        let mut all = std::mem::take(&mut self.captures);
        all.sort_by_key(|capture| (capture.at, capture.order));
        for same in all.chunk_by(|one, other| one.at == other.at) {
            let others = same
                .iter()
                .zip(same.iter().skip(1))
                .filter(|(one, next)| one.fetch != next.fetch);
            self.others.extend(others.map(|(one, _)| *one));
            self.captures.extend(same.last());
        }
        self
    }

    /// Returns the keys of the URLs that it redirects to, each once.
    fn targets(&self) -> BTreeSet<String> {
        let redirects = self
            .captures
            .iter()
            .chain(&self.others)
            .filter(|capture| answer(capture.fetch).is_redirect());
        let locations: BTreeSet<&str> = redirects
            .filter_map(|capture| capture.fetch.redirect.as_deref())
            .collect();
        let targets = locations
            .into_iter()
            .filter_map(|location| redirect_target(&self.url, location));
        targets.map(|url| url_key(&url)).collect()
    }

    fn at(&self, at: Timestamp) -> Option<CountedCapture<'l>> {
        let place = self
            .captures
            .binary_search_by_key(&at, |capture| capture.at)
            .ok()?;
        self.captures.get(place).copied()
    }
}

impl<'h> SiteHistory<'h> {
    pub fn runs(&self, file: &UrlCaptures<'h>) -> Vec<AnswerRun> {
        let own = file
            .captures
            .iter()
            .map(|capture| (capture.at, Some(*capture)));
        let mut moments: Vec<_> = own
            .chain(self.all.elsewhere(file).into_iter().map(|at| (at, None)))
            .collect();
        // At the same time, a fetch of the file comes before others.
        moments.sort_by_key(|(at, own)| (*at, own.is_none()));
        moments.dedup_by_key(|(at, _)| *at);
        let (mut runs, mut last_fetch) = (Vec::<AnswerRun>::new(), None);
        for (at, own) in moments {
            if own.is_none() && last_fetch.is_none() {
                continue;
            }
            let Some(seen) = self.seen(file, at) else {
                continue;
            };
            let is_equal = runs.last().is_some_and(|run| run.seen == seen);
            if !is_equal {
                let (first, last, gaps) = (at, at, Vec::new());
                runs.push(AnswerRun {
                    first,
                    last,
                    fetches: 0,
                    gaps,
                    gaps_count: 0,
                    seen,
                });
            }
            if let (Some(run), true) = (runs.last_mut(), own.is_some()) {
                (run.last, run.fetches) = (at, run.fetches + 1);
                if let Some(gap) = last_fetch.and_then(|last| self.gap_between(last, at)) {
                    run.gaps_count += 1;
                    run.gaps.extend((run.gaps.len() < MAX_GAPS).then_some(gap));
                }
                last_fetch = Some(at);
            }
        }
        runs
    }

    fn gap_between(&self, from: Timestamp, to: Timestamp) -> Option<Gap> {
        let micros = to.unix_micros() - from.unix_micros();
        let is_gap = u128::try_from(micros).is_ok_and(|micros| micros > self.gap.as_micros());
        is_gap.then_some(Gap {
            from,
            to,
            days: micros / 86_400_000_000,
        })
    }

    /// Returns the state of a file at the time of a capture.
    fn seen(&self, file: &UrlCaptures<'_>, at: Timestamp) -> Option<Observed> {
        if file.kind == CaptureKind::Robots {
            return self.robots(file, at);
        }
        let capture = file.at(at)?;
        let sent = self.index.bodies().sent(capture.fetch);
        let state = match (answer(capture.fetch).class(), sent) {
            (OutcomeClass::Redirect, _) => "redirect",
            // Without a file: the status line cannot be read.
            (OutcomeClass::NoFile(RobotsState::BodyMissing), _) => "unreadable",
            (OutcomeClass::NoFile(_) | OutcomeClass::Gone, _) => "no_file",
            (OutcomeClass::Success | OutcomeClass::Stored | OutcomeClass::Unchanged, sent) => {
                match sent {
                    BodyState::Body(_) => "read",
                    BodyState::Html => "html",
                    BodyState::Unreadable => "unreadable",
                    BodyState::Missing => "body_missing",
                }
            }
        };
        let body = if let (BodyState::Body(body), "read") = (sent, state) {
            Some(body)
        } else {
            None
        };
        Some(Observed {
            hops: vec![hop(&file.url, capture.fetch)],
            robots: None,
            state,
            body,
        })
    }

    fn robots(&self, file: &UrlCaptures<'_>, at: Timestamp) -> Option<Observed> {
        let timeline: &Timeline = self.index.timeline();
        let (mut hops, mut expected) = (Vec::new(), Some(file.url.clone()));
        for found in timeline.hops(self.origin, Some(at), CopyLimits::of_slack(Duration::ZERO)) {
            let is_found = |url: &PageUrl<'static>| timeline.is_of(&found, url);
            let known = || {
                self.all
                    .0
                    .values()
                    .map(|captures| &captures.url)
                    .find(|url| is_found(url))
                    .cloned()
            };
            let Some(url) = expected.filter(is_found).or_else(known) else {
                break;
            };
            let Some(capture) = self.all.hop(&url, &found) else {
                break;
            };
            hops.push(hop(&url, capture.fetch));
            let location = capture.fetch.redirect.as_deref();
            expected = location.and_then(|location| redirect_target(&url, location));
        }
        let robots = self
            .index
            .files(
                Some(self.origin),
                Some(at),
                CopyLimits::of_slack(Duration::ZERO),
            )
            .robots;
        let state = robots.state.as_str();
        (!hops.is_empty()).then_some(Observed {
            hops,
            robots: Some(robots.state),
            state,
            body: robots.body,
        })
    }
}

fn hop(url: &PageUrl<'_>, fetch: &HistoryFetch) -> HopAnswer {
    let redirect = fetch
        .redirect
        .as_deref()
        .filter(|_| answer(fetch).is_redirect());
    let clip = |text: &str| super::clip(text.to_owned());
    HopAnswer {
        url: clip(url.as_str()),
        status: fetch.status,
        redirect: redirect.map(clip),
    }
}
