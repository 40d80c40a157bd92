//! Follows the redirects of a robots.txt inside the inputs.
//!
//! Document: RFC 9309 2.3.1.2: at least five in a row, also to other hosts; the rules then apply to the first authority.
//! Example: `http://a.test/robots.txt` to `https://a.test/robots.txt` to `https://www.a.test/robots.txt`. Left out: what a
//! crawler would have done with a target that it did not store.

use super::index::{CaptureSaid, Captures, Index, UrlPlace};
use super::state::{BodyState, RobotsState, SiteBody};
use crate::web::timestamp::Timestamp;

/// RFC 9309 2.3.1.2 asks for at least five; more may be taken for an unavailable file.
pub(super) const MAX_REDIRECTS: u8 = 5;

/// Ours: how long after a redirect its target may have been stored, if no capture of it is older than the page. A crawler asks
/// at once, but a shared target may wait in a queue.
pub(super) const TARGET_WITHIN_MICROS: i64 = 10 * 60 * 1_000_000;

/// A capture along the chain to a site's robots.txt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    pub(super) place: UrlPlace,
    pub fetched_at: Timestamp,
    /// The order that was given with it, for captures of one time.
    pub order: u64,
}

/// The captures along a chain, the first one first.
pub(super) type Hops = [Option<Hop>; MAX_REDIRECTS as usize + 1];

/// Returns when the oldest capture of a chain was fetched.
pub(super) fn oldest(hops: &Hops) -> Option<Timestamp> {
    hops.iter().flatten().map(|hop| hop.fetched_at).min()
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ChainEnd {
    pub(super) state: RobotsState,
    pub(super) body: Option<SiteBody>,
    /// Whether a tool stored the body, without the server's answer.
    pub(super) is_stored: bool,
    pub(super) redirects: u8,
    pub(super) hops: Hops,
}

/// The number of captures that are followed if those of one second differ: of more, it is not known which counts.
const MAX_LOOKS: usize = 64;

/// A walk from captures of one second along their redirects, as seen by a page of that time.
///
/// AMB-REP-8: more than five redirects, and so every loop, are an unavailable file.
pub(super) struct Walk<'i, 'e> {
    index: &'i Index,
    page_us: i64,
    looks: usize,
    hops: Hops,
    end: &'e mut dyn FnMut(Option<CaptureSaid>, u8, Hops),
}

impl<'i, 'e> Walk<'i, 'e> {
    /// `end` gets what each end of a chain says, `None` after [`MAX_LOOKS`], and the number of redirects before it.
    pub(super) fn along(
        index: &'i Index,
        second: Captures<'i>,
        page_us: i64,
        end: &'e mut dyn FnMut(Option<CaptureSaid>, u8, Hops),
    ) {
        Self {
            index,
            page_us,
            looks: 0,
            hops: Hops::default(),
            end,
        }
        .follow(second, 0);
    }

    fn follow(&mut self, second: Captures<'i>, redirects: u8) {
        for (fetched_at, capture) in second.each() {
            self.looks += 1;
            if let Some(hop) = self.hops.get_mut(usize::from(redirects)) {
                *hop = Some(Hop {
                    place: capture.place,
                    fetched_at,
                    order: capture.order,
                });
            }
            self.hops
                .iter_mut()
                .skip(usize::from(redirects) + 1)
                .for_each(|hop| *hop = None);
            match capture.said {
                _ if self.looks > MAX_LOOKS => return self.end(None, redirects),
                CaptureSaid::Sent(_)
                | CaptureSaid::Stored(_)
                | CaptureSaid::Unchanged
                | CaptureSaid::Gone
                | CaptureSaid::NoFile(_) => self.end(Some(capture.said), redirects),
                CaptureSaid::Redirect(..) if redirects == MAX_REDIRECTS => {
                    self.end(
                        Some(CaptureSaid::NoFile(RobotsState::Unavailable)),
                        redirects + 1,
                    );
                }
                CaptureSaid::Redirect(place, segment) => {
                    let captures = self.index.captures_from(Some(place), segment);
                    // The newest at or before the page, else the first within ten minutes after the hop to it.
                    let next =
                        captures.near(self.page_us, fetched_at.unix_micros(), TARGET_WITHIN_MICROS);
                    if let Some(second) = next {
                        self.follow(second, redirects + 1);
                    } else {
                        // A target without a date is distinguished from a missing target.
                        let state =
                            captures.undecided(Some(fetched_at), RobotsState::RedirectUnresolved);
                        self.end(Some(CaptureSaid::NoFile(state)), redirects + 1);
                    }
                }
            }
        }
    }

    fn end(&mut self, said: Option<CaptureSaid>, redirects: u8) {
        (self.end)(said, redirects, self.hops);
    }
}

/// The ends of chains that begin with captures of one second.
#[derive(Default)]
pub(super) struct Ends {
    /// The end that counts: the latest one, of those of one instant the strictest state, and of equally strict ones the last.
    pub(super) counts: Option<ChainEnd>,
    /// The others: their noes count (FRAME-9).
    others: Vec<ChainEnd>,
    /// Whether any of them leaves what its file said before (KNOW-3).
    leave_earlier: bool,
}

impl Ends {
    pub(super) fn find(index: &Index, second: Captures<'_>, page_us: i64) -> Self {
        let mut ends = Self::default();
        Walk::along(index, second, page_us, &mut |said, redirects, hops| {
            ends.add(said, redirects, hops);
        });
        ends
    }

    fn add(&mut self, said: Option<CaptureSaid>, redirects: u8, hops: Hops) {
        let (state, body) = match said {
            Some(CaptureSaid::Sent(BodyState::Body(body)) | CaptureSaid::Stored(body)) => {
                (RobotsState::Parsed, Some(body))
            }
            Some(CaptureSaid::Sent(BodyState::Html | BodyState::Unreadable)) => {
                (RobotsState::Unreadable, None)
            }
            Some(CaptureSaid::Sent(BodyState::Missing)) => (RobotsState::BodyMissing, None),
            Some(CaptureSaid::Gone) => (RobotsState::Unavailable, None),
            Some(CaptureSaid::Unchanged) => (RobotsState::OtherStatus, None),
            Some(CaptureSaid::NoFile(state)) => (state, None),
            Some(CaptureSaid::Redirect(..)) | None => (RobotsState::Undated, None),
        };
        self.leave_earlier |= !said.is_some_and(CaptureSaid::ends_earlier);
        let is_stored = matches!(said, Some(CaptureSaid::Stored(_)));
        let end = ChainEnd {
            state,
            body,
            is_stored,
            redirects,
            hops,
        };
        match self.counts {
            Some(kept) if kept.rank() > end.rank() => self.others.push(end),
            _ => self.others.extend(self.counts.replace(end)),
        }
    }

    /// Returns whether any of them leaves what its file said before (KNOW-3): of one second, the noes of all count (FRAME-9).
    pub(super) fn leave_earlier(&self) -> bool {
        self.leave_earlier
    }

    /// Returns the states and bodies of all.
    pub(super) fn all(&self) -> Vec<(RobotsState, Option<SiteBody>)> {
        self.counts
            .iter()
            .chain(&self.others)
            .map(|end| (end.state, end.body))
            .collect()
    }

    /// Returns the states and bodies of the others that differ from the end that counts, each once, in their order.
    pub(super) fn others(&self) -> Vec<(RobotsState, Option<SiteBody>)> {
        let counts = self.counts.map(|end| (end.state, end.body));
        let mut others = Vec::new();
        for other in self.others.iter().map(|end| (end.state, end.body)) {
            if Some(other) != counts && !others.contains(&other) {
                others.push(other);
            }
        }
        others
    }
}

impl ChainEnd {
    /// FRAME-9: of two captures of one second the later one counts, of one instant the stricter, and of equally strict ones the last.
    fn rank(&self) -> impl Ord + use<> {
        let times = self.hops.map(|hop| hop.map(|hop| hop.fetched_at));
        let orders = self.hops.map(|hop| hop.map(|hop| hop.order));
        (
            times.first().copied(),
            strictness(self.state),
            times,
            orders,
        )
    }
}

/// Returns how strict a state is: an unknown state may be a no.
fn strictness(state: RobotsState) -> u8 {
    match state {
        RobotsState::Unavailable => 0,
        RobotsState::Parsed => 1,
        RobotsState::Unreachable => 3,
        _ => 2,
    }
}
