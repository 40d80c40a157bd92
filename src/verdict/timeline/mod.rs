//! Which robots.txt was current when a page was fetched.
//!
//! Documents: RFC 9309 2.3.1 (what an answer means), 2.3.1.2 (redirects), 2.4 (24 hours); draft-ietf-aipref-attach-03, section
//! 3.3 (a copy says nothing about a page fetched before it).
//! Example: copies of 06:00 and 09:00 and a page of 08:00 give the copy of 06:00.
//! Left out: the rules in a copy, which is only the key of a body here; and the older copy that RFC 9309 2.4 lets a crawler use
//! while the file is unreachable: 2.3.1.4 says complete disallow.
//!
//! The chain of an origin starts at the URL `/robots.txt` without a query, in any subset; every other URL is only a possible
//! target of a redirect. A page at such a URL has no body ([`SiteCapture::body`]), so that it ends as `body_missing`; only a redirect
//! of its own segment leads to it.
//!
//! Other site files are joined like robots.txt (RULES LIVE-8), because their documents say nothing about archives: with a copy of
//! 06:00 and a 404 of 07:00 the site says nothing to a page of 08:00. A redirect says nothing, except that of an
//! automation-preferences.txt to the file of the same name on another origin (AMB-AUTO-10).

mod chain;
mod index;
mod state;

use crate::web::capture_kind::CaptureKind;
use crate::web::url::{PageUrl, redirect_target};
use crate::web::{interval::Interval, origin::Origin, timestamp::Timestamp};
use chain::{ChainEnd, Ends, Walk};
use index::{CaptureSaid, Captures, Index, MICROS_PER_SECOND, NO_SEGMENT, UrlPlace};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::Duration;

pub use index::url_key;
pub use state::{Answer, AnswerClass, RobotsState, Sent, SiteBody, SiteCapture};

/// RFC 9309 2.4: a copy should not be used for more than 24 hours.
const STALE_AFTER_MICROS: i64 = 24 * 3600 * MICROS_PER_SECOND;

/// What was known of a site's robots.txt at one time; by default nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Current {
    /// The outcome, which decides alone unless it is [`RobotsState::Parsed`].
    pub state: RobotsState,
    /// When the copy was fetched; for a chain of redirects, the time of its first hop.
    pub fetched_at: Option<Timestamp>,
    /// Seconds from copy to page, rounded down: negative exactly if the copy is later.
    pub age_s: Option<i64>,
    /// Whether the copy was fetched after the page, which requires a slack.
    pub after_page: bool,
    /// Whether the copy was more than 24 hours older than the page.
    pub stale: bool,
    /// The body, exactly if the state is [`RobotsState::Parsed`].
    pub body: Option<SiteBody>,
    /// The redirects along the chain; six if there were too many.
    pub redirects: u8,
    /// If no copy counts but a later one exists: seconds from the page to the first copy, rounded up, the slack that would
    /// help.
    pub slack_needed_s: Option<i64>,
}

/// A capture along the chain to a site's robots.txt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    place: UrlPlace,
    pub fetched_at: Timestamp,
    /// The order that was given with it, for captures of one time.
    pub order: u64,
}

/// The captures of robots.txt files and of their redirect targets, by URL and time; or those of another site file at one path, by
/// origin and time: a missing `/.well-known/trust.txt` says nothing about `/trust.txt`.
///
/// Of captures of one URL within one second, the stricter one counts, and of equally strict ones the last; of another site file
/// the last, and the noes of the others (FRAME-9).
/// Memory: some 50 bytes per capture, and per distinct URL some 70 and its text, which for a `/robots.txt` is the origin alone.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    index: Index,
    /// The origins of the URLs to which captures redirect.
    targets: HashMap<UrlPlace, Origin>,
}

impl Timeline {
    /// Sorts captures, which are given in their order.
    pub fn new<'a>(captures: impl IntoIterator<Item = SiteCapture<'a>>) -> Self {
        let mut timeline = Self::default();
        for (order, capture) in (0..).zip(captures) {
            timeline.add(&capture, order);
        }
        timeline.sort();
        timeline
    }

    /// Adds a capture, which counts after [`Timeline::sort`]; `order` orders those of one URL and time.
    pub fn add(&mut self, capture: &SiteCapture<'_>, order: u64) {
        let is_of_robots = !capture.kind.is_beside_robots();
        let key = |url: &PageUrl<'_>| {
            if is_of_robots { url_key(url) } else { url.origin().as_str().to_owned() }
        };
        // RFC 9110 10.2.2: `Location` is a URL reference, and its fragment names no other file. Ours: without a target, or
        // with one that is not a web page, a redirect cannot be followed.
        let location = capture.redirect.filter(|_| capture.answer.is_redirect());
        let target = location.and_then(|location| redirect_target(&capture.url, location));
        let target = target.filter(|target| is_of_robots || is_followed(capture, target));
        let target = target.map(|target| {
            let place = self.index.place_or_new(&key(&target));
            self.targets.entry(place).or_insert_with(|| target.origin());
            place
        });
        let place = self.index.place_or_new(&key(&capture.url));
        self.index.add(place, capture, order, CaptureSaid::of(capture, target));
    }

    pub fn change_bodies(&mut self, key: impl Fn(SiteBody) -> Sent<SiteBody>) {
        self.index.change_bodies(key);
    }

    /// Sorts the captures that were added.
    pub fn sort(&mut self) {
        self.index.sort();
    }

    /// Returns what was known of a site's robots.txt when a page was fetched.
    ///
    /// PREC-9: the newest copy at or before the page. If there is none, the first one at most `slack` later; if that also
    /// fails, only captures without a date remain.
    pub fn current(&self, origin: &Origin, page_fetched_at: Option<Timestamp>, slack: Duration) -> Current {
        self.current_and_rivals(origin, page_fetched_at, slack).0
    }

    /// Returns what [`Timeline::current`] does, and the other bodies of the same second, whose noes count (FRAME-9).
    pub fn current_and_rivals(
        &self,
        origin: &Origin,
        page_fetched_at: Option<Timestamp>,
        slack: Duration,
    ) -> (Current, Vec<SiteBody>) {
        let captures = self.captures_of(origin);
        let ends = page_fetched_at.and_then(|page| Some((page, self.ends(captures, page, slack)?)));
        if let Some((page, ends)) = ends
            && let Some(end) = ends.counts
        {
            return (Current::judged(&end, page), ends.rivals);
        }
        let slack_needed_s = page_fetched_at.and_then(|page| slack_needed_s(captures, page));
        let state = captures.undecided(page_fetched_at, RobotsState::NotArchived);
        (Current { state, slack_needed_s, ..Current::default() }, Vec::new())
    }

    /// Returns the captures on which [`Timeline::current`] rests: the copy, and the targets of its redirects.
    pub fn hops(&self, origin: &Origin, page_fetched_at: Option<Timestamp>, slack: Duration) -> Vec<Hop> {
        let ends = page_fetched_at.and_then(|page| self.ends(self.captures_of(origin), page, slack));
        let end = ends.and_then(|ends| ends.counts);
        end.into_iter().flat_map(|end| end.hops).flatten().collect()
    }

    /// Follows the copies that count for a page of that time, all of one second.
    fn ends<'s>(&'s self, captures: Captures<'s>, page: Timestamp, slack: Duration) -> Option<Ends> {
        let page_us = page.unix_micros();
        let slack_us = i64::try_from(slack.as_micros()).unwrap_or(i64::MAX);
        Some(Ends::of(&self.index, captures.near(page_us, page_us, slack_us)?, page_us))
    }

    /// Returns the origin of the file that [`Timeline::current`] found: after redirects it may differ from the given one.
    pub fn file_origin<'o>(&'o self, origin: &'o Origin, page_fetched_at: Option<Timestamp>) -> &'o Origin {
        let hops = self.hops(origin, page_fetched_at, Duration::ZERO);
        let last = hops.iter().skip(1).last();
        last.and_then(|hop| self.targets.get(&hop.place)).unwrap_or(origin)
    }

    /// Returns what the copies of another site file sent, the newest ones at or before a page, all of one second; the last of
    /// them counts. `None` is a copy that says nothing.
    pub fn copies(&self, origin: &Origin, page_fetched_at: Option<Timestamp>) -> Vec<Option<Sent<SiteBody>>> {
        let mut copies = Vec::new();
        let Some(page_us) = page_fetched_at.map(Timestamp::unix_micros) else { return copies };
        if let Some(second) = self.captures_of(origin).newest_until(page_us) {
            Walk::along(&self.index, second, page_us, &mut |said, _, _| match said {
                Some(CaptureSaid::Sent(sent)) => copies.push(Some(sent)),
                Some(CaptureSaid::NoFile(_) | CaptureSaid::Redirect(..)) => copies.push(None),
                None => copies.push(Some(Sent::Missing)),
            });
        }
        copies
    }

    /// Adds the times within an interval at which what is known of a site's file may change: those of its captures, and of
    /// captures to which these redirect (KNOW-7).
    pub fn add_changes_within(&self, origin: &Origin, within: Interval, times: &mut BTreeSet<Timestamp>) {
        let Some(place) = self.index.place(origin.as_str()) else { return };
        let ends = (within.first().unix_micros(), within.last().unix_micros());
        self.index.add_times_within((place, NO_SEGMENT), ends, &mut HashSet::new(), times);
    }

    /// Returns how many distinct bodies a site's robots.txt had up to a time, redirects followed.
    pub fn version_count(&self, origin: &Origin, until: Timestamp) -> usize {
        let until_then = self.captures_of(origin).between(i64::MIN, until.unix_micros());
        let times = until_then.into_iter().flat_map(Captures::each).map(|(at, _)| at);
        let at = |at: Timestamp| {
            let (current, rivals) = self.current_and_rivals(origin, Some(at), Duration::ZERO);
            current.body.into_iter().chain(rivals)
        };
        times.chain([until]).flat_map(at).map(|body| body.number).collect::<BTreeSet<u32>>().len()
    }

    /// Returns the bodies that differ from another capture of their URL and second, once these are sorted.
    pub fn rival_bodies(&self) -> impl Iterator<Item = SiteBody> {
        self.index.differing().filter_map(|said| match said {
            CaptureSaid::Sent(Sent::Body(body)) => Some(body),
            CaptureSaid::Sent(_) | CaptureSaid::NoFile(_) | CaptureSaid::Redirect(..) => None,
        })
    }

    /// Returns whether a hop is a capture of this URL.
    pub fn is_of(&self, hop: &Hop, url: &PageUrl<'_>) -> bool {
        self.index.place(&url_key(url)) == Some(hop.place)
    }

    fn captures_of(&self, origin: &Origin) -> Captures<'_> {
        self.index.captures_from(self.index.place(origin.as_str()), NO_SEGMENT)
    }
}

/// Returns whether the redirect of a file other than robots.txt is followed (AMB-AUTO-10).
fn is_followed(capture: &SiteCapture<'_>, target: &PageUrl<'_>) -> bool {
    capture.kind.follows_redirects() && CaptureKind::of(target) == CaptureKind::of(&capture.url)
}

impl Current {
    fn judged(end: &ChainEnd, page: Timestamp) -> Self {
        let fetched_at = end.hops.first().copied().flatten().map(|hop| hop.fetched_at);
        let age_us = fetched_at.map(|copy| micros_between(copy, page));
        Self {
            state: end.state,
            fetched_at,
            age_s: age_us.map(|age| age.div_euclid(MICROS_PER_SECOND)),
            after_page: age_us.is_some_and(|age| age < 0),
            stale: age_us.is_some_and(|age| age > STALE_AFTER_MICROS),
            body: end.body,
            redirects: end.redirects,
            slack_needed_s: None,
        }
    }

    /// Returns whether the chain has more than five redirects; the state is then [`RobotsState::Unavailable`] (AMB-REP-8).
    pub fn too_many_redirects(&self) -> bool {
        self.redirects > chain::MAX_REDIRECTS
    }
}

fn slack_needed_s(captures: Captures<'_>, page: Timestamp) -> Option<i64> {
    let (first, _) =
        captures.first_between(page.unix_micros(), i64::MAX)?.each().min_by_key(|(at, _)| *at)?;
    Some(-micros_between(first, page).div_euclid(MICROS_PER_SECOND))
}

/// Both times are between 1970 and 9999, so that nothing overflows.
fn micros_between(earlier: Timestamp, later: Timestamp) -> i64 {
    later.unix_micros() - earlier.unix_micros()
}

#[cfg(test)]
mod tests;
