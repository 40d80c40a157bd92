//! Which robots.txt was current when a page was fetched.
//!
//! Documents: RFC 9309 2.3.1 (what an answer means), 2.3.1.2 (redirects), 2.4 (24 hours); draft-ietf-aipref-attach-03,
//! 3.3 (a copy says nothing about an earlier page). Example: copies of 06:00 and 09:00 and a page of 08:00 give that of 06:00.
//! Left out: the rules in a copy, which is only the key of a body here; and the older copy that RFC 9309 2.4 lets a crawler use
//! while the file is unreachable: 2.3.1.4 says complete disallow.
//!
//! The chain of an origin starts at the URL `/robots.txt` without a query, in any subset; every other URL is only a possible
//! target of a redirect. A page of HTML at such a URL has no body ([`SiteCapture::body`]), so that it ends as `body_missing`; only a
//! redirect of its own segment leads to a page.
//!
//! Other site files are joined like robots.txt (RULES LIVE-8), because their documents say nothing about archives: with a copy of
//! 06:00 and a 404 of 07:00 the site says nothing to a page of 08:00. A redirect says nothing, except that of an
//! automation-preferences.txt to the file of the same name on another origin (AMB-AUTO-10).

mod chain;
mod earlier;
mod index;
mod limits;
mod state;

use crate::web::capture_kind::CaptureKind;
use crate::web::url::{PageUrl, redirect_target};
use crate::web::url_key::url_key;
use crate::web::{interval::Interval, names::names, origin::Origin, timestamp::Timestamp};
use chain::{ChainEnd, Ends, Walk};
use earlier::Earlier;
use index::{CaptureSaid, Captures, Index, MICROS_PER_SECOND, NO_SEGMENT, UrlPlace};
use state::BodyState::{Missing, Unreadable};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::Duration;

pub use chain::Hop;
pub use limits::{CopyLimits, MaxAge, Twins};
pub use state::{
    BodyState, FetchOutcome, OutcomeClass, RobotsState, SiteBody, SiteCapture, Validator,
};

/// RFC 9309 2.4: a copy should not be used for more than 24 hours.
const STALE_AFTER_MICROS: i64 = 24 * 3600 * MICROS_PER_SECOND;

/// What was known of a site's robots.txt at one time; by default nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Current {
    /// The outcome, which decides alone unless it is [`RobotsState::Parsed`].
    pub state: RobotsState,
    /// When the copy was fetched; for a chain of redirects, the time of its first hop.
    pub fetched_at: Option<Timestamp>,
    /// When the oldest capture of its chain was fetched: redirects do not make a file younger (KNOW-5).
    pub oldest_at: Option<Timestamp>,
    /// Seconds from `oldest_at` to the page, rounded down; from a copy that is later than the page, so that it is negative.
    pub age_s: Option<i64>,
    /// Whether the copy was fetched after the page, which requires a slack.
    pub after_page: bool,
    /// Whether a capture of its chain was more than 24 hours older than the page.
    pub stale: bool,
    /// The body, exactly if the state is [`RobotsState::Parsed`].
    pub body: Option<SiteBody>,
    /// Why it proves no yes, if it does not.
    pub noes_only: Option<NoesOnly>,
    /// The redirects along the chain; six if there were too many.
    pub redirects: u8,
    /// If no copy counts but a later one exists: seconds from the page to the first copy, rounded up, the slack that would help.
    pub slack_needed_s: Option<i64>,
}

names! {
    /// Why a copy of a file proves no yes: its noes alone count. Its name is the reason of an access that would be allowed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum NoesOnly {
        /// A tool stored it without the server's answer (KNOW-3).
        Stored => "no_response",
        /// It is older than [`MaxAge`] (KNOW-5).
        TooOld => "copy_too_old",
    }
}

/// What the noes of another copy count for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CountsFor {
    AccessAndLabels,
    /// For preferences alone: the newer answer opens everything (RFC 9309 2.3.1.3).
    Labels,
}

/// What was known of a site's robots.txt at one time, with the copies whose noes count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RobotsCopies {
    pub current: Current,
    /// The states and bodies of other captures of the same second (FRAME-9).
    pub rivals: Vec<(RobotsState, Option<SiteBody>)>,
    /// Older bodies that nothing ended, the newest one first (KNOW-3), and what their noes count for.
    pub earlier: Vec<SiteBody>,
    pub earlier_for: CountsFor,
    /// Whether a file that may still hold was not read: the newest answers say nothing after one, or confirm one (KNOW-3).
    pub is_unread: bool,
    /// Whether any answer up to the page was a file that was read whole, or said that there is none.
    pub is_answered: bool,
}

/// The copies of another site file that count for a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileCopies {
    /// Whether any answer up to the page was a file that was read whole, or said that there is none.
    pub is_answered: bool,
    /// The newest one, if it is a file.
    pub current: Option<SiteBody>,
    /// Why it proves no yes, if it does not.
    pub noes_only: Option<NoesOnly>,
    /// Different ones of the same second: their noes count (FRAME-9).
    pub rivals: Vec<SiteBody>,
    /// Older ones that nothing ended: their noes count (KNOW-3).
    pub earlier: Vec<SiteBody>,
    /// Whether a file that may still hold was not read, like that of [`RobotsCopies`].
    pub is_unread: bool,
}

/// The captures of robots.txt files and of their redirect targets, by URL and time; or those of another site file at one path, by
/// origin and time: a missing `/.well-known/trust.txt` says nothing about `/trust.txt`.
///
/// Of captures of one URL within one second, the latest is current, of one instant the stricter one, and of equally strict ones
/// the last; the noes of the others count, too (FRAME-9).
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
            if is_of_robots {
                url_key(url)
            } else {
                url.origin().as_str().to_owned()
            }
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
        let said = CaptureSaid::from_capture(capture, target);
        self.index.add(place, capture, order, said);
    }

    pub fn change_bodies(&mut self, key: impl Fn(SiteBody) -> BodyState<SiteBody>) {
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
    pub fn current(
        &self,
        origin: &Origin,
        page_fetched_at: Option<Timestamp>,
        limits: CopyLimits,
    ) -> Current {
        self.known(origin, page_fetched_at, limits).current
    }

    /// Returns what [`Timeline::current`] does, and the other copies whose noes count.
    pub fn known(
        &self,
        origin: &Origin,
        page_fetched_at: Option<Timestamp>,
        limits: CopyLimits,
    ) -> RobotsCopies {
        let captures = self.captures_of(origin);
        let ends =
            page_fetched_at.and_then(|page| Some((page, self.ends(captures, page, limits.slack)?)));
        if let Some((page, ends)) = ends
            && let Some(end) = ends.counts
        {
            return self.known_by((&end, &ends), captures, (page, limits));
        }
        let slack_needed_s = page_fetched_at.and_then(|page| slack_needed_s(captures, page));
        let state = captures.undecided(page_fetched_at, RobotsState::NotArchived);
        RobotsCopies::from_current(Current {
            state,
            slack_needed_s,
            ..Current::default()
        })
    }

    fn known_by(
        &self,
        (end, ends): (&ChainEnd, &Ends),
        captures: Captures<'_>,
        (page, limits): (Timestamp, CopyLimits),
    ) -> RobotsCopies {
        let current = Current::judged(end, page, limits.max_age);
        let mut rivals = ends.others();
        if current.stale {
            rivals.extend(self.later(captures, page, limits.slack));
        }
        let mut before = Earlier {
            is_ended: true,
            ..Earlier::default()
        };
        if ends.leave_earlier() {
            before = Earlier::find(&self.index, captures, page.unix_micros());
            before.bodies.retain(|body| {
                end.body != Some(*body) && !rivals.iter().any(|(_, rival)| *rival == Some(*body))
            });
        }
        // RFC 9309 2.3.1.3: such a file closes nothing, whatever was there before.
        let earlier_for = match end.state {
            RobotsState::Unavailable => CountsFor::Labels,
            _ => CountsFor::AccessAndLabels,
        };
        let Earlier {
            bodies: earlier,
            is_ended: is_answered,
            is_unread,
            ..
        } = before;
        RobotsCopies {
            current,
            rivals,
            earlier,
            earlier_for,
            is_unread,
            is_answered,
        }
    }

    /// Returns the first copies within the slack after a page, all of one second (KNOW-5).
    fn later(
        &self,
        captures: Captures<'_>,
        page: Timestamp,
        slack: Duration,
    ) -> Vec<(RobotsState, Option<SiteBody>)> {
        let after_us = page.unix_micros() + 1;
        let until_us = page
            .unix_micros()
            .saturating_add(i64::try_from(slack.as_micros()).unwrap_or(i64::MAX));
        let second = captures.first_between(after_us, until_us);
        second
            .map(|second| Ends::find(&self.index, second, until_us).all())
            .unwrap_or_default()
    }

    /// Returns the captures on which [`Timeline::current`] rests: the copy, and the targets of its redirects.
    pub fn hops(
        &self,
        origin: &Origin,
        page_fetched_at: Option<Timestamp>,
        limits: CopyLimits,
    ) -> Vec<Hop> {
        let ends = page_fetched_at
            .and_then(|page| self.ends(self.captures_of(origin), page, limits.slack));
        let end = ends.and_then(|ends| ends.counts);
        end.into_iter().flat_map(|end| end.hops).flatten().collect()
    }

    /// Follows the copies that count for a page of that time, all of one second.
    fn ends<'s>(
        &'s self,
        captures: Captures<'s>,
        page: Timestamp,
        slack: Duration,
    ) -> Option<Ends> {
        let page_us = page.unix_micros();
        let slack_us = i64::try_from(slack.as_micros()).unwrap_or(i64::MAX);
        Some(Ends::find(
            &self.index,
            captures.near(page_us, page_us, slack_us)?,
            page_us,
        ))
    }

    /// Returns the origin of the file that [`Timeline::current`] found: after redirects it may differ from the given one.
    pub fn file_origin<'o>(
        &'o self,
        origin: &'o Origin,
        page_fetched_at: Option<Timestamp>,
    ) -> &'o Origin {
        let hops = self.hops(origin, page_fetched_at, CopyLimits::default());
        let last = hops.iter().skip(1).last();
        last.and_then(|hop| self.targets.get(&hop.place))
            .unwrap_or(origin)
    }

    /// Returns the copies of another site file that count for a page.
    pub fn copies(
        &self,
        origin: &Origin,
        page_fetched_at: Option<Timestamp>,
        max_age: MaxAge,
    ) -> FileCopies {
        let mut found = FileCopies::default();
        let Some(page_us) = page_fetched_at.map(Timestamp::unix_micros) else {
            return found;
        };
        let captures = self.captures_of(origin);
        let Some(second) = captures.newest_until(page_us) else {
            return found;
        };
        let mut all: Vec<CaptureSaid> = Vec::new();
        let mut oldest = page_fetched_at;
        Walk::along(&self.index, second, page_us, &mut |said, _, hops| {
            all.push(said.unwrap_or(CaptureSaid::Sent(Missing)));
            oldest = chain::oldest(&hops);
        });
        let last = all.last().copied();
        found.current = last.and_then(CaptureSaid::body);
        found.noes_only = matches!(last, Some(CaptureSaid::Stored(_))).then_some(NoesOnly::Stored);
        let age_us = oldest.map_or(0, |oldest| page_us - oldest.unix_micros());
        if max_age.is_exceeded_by(age_us) {
            found.noes_only = found.noes_only.or(found.current.map(|_| NoesOnly::TooOld));
        }
        for body in all.iter().filter_map(|said| said.body()) {
            if found.current != Some(body) && !found.rivals.contains(&body) {
                found.rivals.push(body);
            }
        }
        found.is_answered = true;
        if !all.iter().all(|said| said.ends_earlier()) {
            let before = Earlier::find(&self.index, captures, page_us);
            (found.earlier, found.is_answered, found.is_unread) =
                (before.bodies, before.is_ended, before.is_unread);
            found
                .earlier
                .retain(|body| found.current != Some(*body) && !found.rivals.contains(body));
        }
        let is_not_read =
            |said: &CaptureSaid| matches!(said, CaptureSaid::Sent(Unreadable | Missing));
        found.is_unread |= all.iter().any(is_not_read);
        found
    }

    /// Adds the times within an interval at which a site's file may change: of its captures and redirects' targets (KNOW-7).
    pub fn add_changes_within(
        &self,
        origin: &Origin,
        within: Interval,
        times: &mut BTreeSet<Timestamp>,
    ) {
        let Some(place) = self.index.place(origin.as_str()) else {
            return;
        };
        let ends = (within.first().unix_micros(), within.last().unix_micros());
        self.index
            .add_times_within((place, NO_SEGMENT), ends, &mut HashSet::new(), times);
    }

    /// Returns whether there is a capture of a site's file.
    pub fn has(&self, origin: &Origin) -> bool {
        self.index.place(origin.as_str()).is_some()
    }

    /// Returns how many distinct bodies a site's robots.txt had up to a time, redirects followed.
    pub fn version_count(&self, origin: &Origin, until: Timestamp) -> usize {
        let until_then = self
            .captures_of(origin)
            .between(i64::MIN, until.unix_micros());
        let mut times: Vec<Timestamp> = until_then
            .into_iter()
            .flat_map(Captures::each)
            .map(|(at, _)| at)
            .chain([until])
            .collect();
        times.sort_unstable();
        times.dedup();
        let slack = CopyLimits::default().slack;
        let ends = times
            .into_iter()
            .filter_map(|at| self.ends(self.captures_of(origin), at, slack));
        let bodies = ends
            .flat_map(|ends| ends.all())
            .filter_map(|(_, body)| body);
        bodies
            .map(|body| body.number)
            .collect::<BTreeSet<u32>>()
            .len()
    }

    /// Returns the bodies that differ from another capture of their URL and second, once these are sorted.
    pub fn rival_bodies(&self) -> impl Iterator<Item = SiteBody> {
        self.index.differing().filter_map(CaptureSaid::body)
    }

    /// Returns whether a hop is a capture of this URL.
    pub fn is_of(&self, hop: &Hop, url: &PageUrl<'_>) -> bool {
        self.index.place(&url_key(url)) == Some(hop.place)
    }

    fn captures_of(&self, origin: &Origin) -> Captures<'_> {
        self.index
            .captures_from(self.index.place(origin.as_str()), NO_SEGMENT)
    }
}

/// Returns whether the redirect of a file other than robots.txt is followed (AMB-AUTO-10).
fn is_followed(capture: &SiteCapture<'_>, target: &PageUrl<'_>) -> bool {
    capture.kind.follows_redirects()
        && CaptureKind::from_url(target) == CaptureKind::from_url(&capture.url)
}

impl RobotsCopies {
    /// Returns what is known by one copy, or by none.
    pub fn from_current(current: Current) -> Self {
        let (rivals, earlier, earlier_for) = (Vec::new(), Vec::new(), CountsFor::AccessAndLabels);
        Self {
            current,
            rivals,
            earlier,
            earlier_for,
            is_unread: false,
            is_answered: false,
        }
    }
}

impl Current {
    fn judged(end: &ChainEnd, page: Timestamp, max_age: MaxAge) -> Self {
        let fetched_at = end
            .hops
            .first()
            .copied()
            .flatten()
            .map(|hop| hop.fetched_at);
        let oldest_at = chain::oldest(&end.hops);
        let oldest_us = oldest_at.map(|oldest| micros_between(oldest, page));
        let after_page = fetched_at.is_some_and(|copy| copy > page);
        let later = fetched_at.filter(|_| after_page);
        let age_us = later.map(|copy| micros_between(copy, page)).or(oldest_us);
        Self {
            state: end.state,
            fetched_at,
            oldest_at,
            age_s: age_us.map(|age| age.div_euclid(MICROS_PER_SECOND)),
            after_page,
            stale: oldest_us.is_some_and(|age| age > STALE_AFTER_MICROS),
            body: end.body,
            noes_only: if end.is_stored {
                Some(NoesOnly::Stored)
            } else {
                oldest_us
                    .filter(|age| max_age.is_exceeded_by(*age))
                    .map(|_| NoesOnly::TooOld)
            },
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
    let (first, _) = captures
        .first_between(page.unix_micros(), i64::MAX)?
        .each()
        .min_by_key(|(at, _)| *at)?;
    Some(-micros_between(first, page).div_euclid(MICROS_PER_SECOND))
}

/// Both times are between 1970 and 9999, so that nothing overflows.
fn micros_between(earlier: Timestamp, later: Timestamp) -> i64 {
    later.unix_micros() - earlier.unix_micros()
}

#[cfg(test)]
mod tests;
