//! Follows the redirects of a robots.txt inside the inputs.
//!
//! Document: RFC 9309 2.3.1.2: at least five in a row, also to other hosts; the rules then apply to the first authority.
//! Example: `http://a.test/robots.txt` to `https://a.test/robots.txt` to `https://www.a.test/robots.txt`. Left out: what a
//! crawler would have done with a target that it did not store.

use crate::web::timestamp::Timestamp;

use super::Hop;
use super::index::{Captures, Index, UrlPlace};
use super::state::{Answer, AnswerClass, RobotsState, Sent, SiteBody};

/// RFC 9309 2.3.1.2 asks for at least five; more may be taken for an unavailable file.
pub(super) const MAX_REDIRECTS: u8 = 5;

/// Ours: how long after a redirect its target may have been stored, if no capture of it is older than the page. A crawler asks
/// at once, but a shared target may wait in a queue.
const TARGET_WITHIN_MICROS: i64 = 10 * 60 * 1_000_000;

/// What one capture says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ChainOutcome {
    /// The chain ends here.
    Answered(RobotsState, Option<SiteBody>),
    /// The chain continues at this place, with a redirect from a capture of this segment.
    Redirect(UrlPlace, u32),
}

/// The captures along a chain, the first one first.
pub(super) type Hops = [Option<Hop>; MAX_REDIRECTS as usize + 1];

#[derive(Clone, Copy, Debug)]
pub(super) struct ChainEnd {
    pub(super) state: RobotsState,
    pub(super) body: Option<SiteBody>,
    pub(super) redirects: u8,
    pub(super) hops: Hops,
}

impl ChainOutcome {
    /// Returns the outcome for the body of a file.
    pub(super) fn of_body(body: Sent<SiteBody>) -> Self {
        match body {
            Sent::Body(body) => Self::Answered(RobotsState::Parsed, Some(body)),
            Sent::Html | Sent::Unreadable => Self::Answered(RobotsState::Unreadable, None),
            Sent::Missing => Self::Answered(RobotsState::BodyMissing, None),
        }
    }

    /// Returns the outcome of an answer, or `None` for a redirect.
    pub(super) fn of_answer(answer: Answer, body: Sent<SiteBody>) -> Option<Self> {
        match answer.class() {
            AnswerClass::Success => Some(Self::of_body(body)),
            AnswerClass::NoFile(state) => Some(Self::Answered(state, None)),
            AnswerClass::Redirect => None,
        }
    }
}

/// The number of captures that are followed if those of one second differ: of more, it is not known which counts.
pub(super) const MAX_LOOKS: usize = 64;

/// The ends of chains that begin with captures of one second.
pub(super) struct Ends<'i> {
    index: &'i Index<ChainOutcome>,
    page_us: i64,
    looks: usize,
    hops: Hops,
    /// The end that counts: the strictest state, and the last of several.
    pub(super) counts: Option<ChainEnd>,
    /// The other bodies of chains that end in the same state: their noes count (FRAME-9).
    pub(super) rivals: Vec<SiteBody>,
}

impl<'i> Ends<'i> {
    /// Follows chains from captures of one second to their ends, as seen by a page of that time.
    ///
    /// AMB-REP-8: more than five redirects, and so every loop, are an unavailable file.
    pub(super) fn of(
        index: &'i Index<ChainOutcome>,
        second: Captures<'i, ChainOutcome>,
        page_us: i64,
    ) -> Self {
        let (hops, rivals) = (Hops::default(), Vec::new());
        let mut ends = Self { index, page_us, looks: 0, hops, counts: None, rivals };
        ends.follow(second, 0);
        ends
    }

    fn follow(&mut self, second: Captures<'i, ChainOutcome>, redirects: u8) {
        for (fetched_at, capture) in second.each() {
            self.looks += 1;
            if let Some(hop) = self.hops.get_mut(usize::from(redirects)) {
                *hop = Some(Hop { place: capture.place, fetched_at, order: capture.order });
            }
            match capture.said {
                _ if self.looks > MAX_LOOKS => return self.end(RobotsState::Undated, None, redirects),
                ChainOutcome::Answered(state, body) => self.end(state, body, redirects),
                ChainOutcome::Redirect(..) if redirects == MAX_REDIRECTS => {
                    self.end(RobotsState::Unavailable, None, redirects + 1);
                }
                ChainOutcome::Redirect(place, segment) => {
                    let captures = self.index.captures_from(Some(place), segment);
                    if let Some(second) = target(captures, fetched_at, self.page_us) {
                        self.follow(second, redirects + 1);
                    } else {
                        // A target without a date is distinguished from a missing target.
                        let state = captures.undecided(Some(fetched_at), RobotsState::RedirectUnresolved);
                        self.end(state, None, redirects + 1);
                    }
                }
            }
        }
    }

    /// Notes the end of a chain; `redirects` is the number of redirects before it.
    fn end(&mut self, state: RobotsState, body: Option<SiteBody>, redirects: u8) {
        let mut hops = self.hops;
        hops.iter_mut().skip(usize::from(redirects) + 1).for_each(|hop| *hop = None);
        let end = ChainEnd { state, body, redirects, hops };
        let other = match self.counts {
            Some(kept) if kept.rank() > end.rank() => Some(end),
            _ => self.counts.replace(end),
        };
        let Some((counts, other)) = self.counts.zip(other) else { return };
        if other.state == counts.state {
            self.rivals.extend(other.body.filter(|body| !self.rivals.contains(body)));
            self.rivals.retain(|rival| Some(*rival) != counts.body);
        } else if counts.body.is_none() {
            self.rivals.clear();
        }
    }
}

impl ChainEnd {
    /// FRAME-9: of two captures of one second the stricter counts, and of equally strict ones the last.
    fn rank(&self) -> (u8, Option<(Timestamp, u64)>) {
        let first = self.hops.first().copied().flatten();
        (strictness(self.state), first.map(|hop| (hop.fetched_at, hop.order)))
    }
}

/// Returns how strict a state is: an unknown state may be a no.
fn strictness(state: RobotsState) -> u8 {
    match state {
        RobotsState::Unavailable => 0,
        RobotsState::Parsed => 1,
        RobotsState::RedirectUnresolved
        | RobotsState::OtherStatus
        | RobotsState::Unreadable
        | RobotsState::BodyMissing
        | RobotsState::Undated
        | RobotsState::NotArchived => 2,
        RobotsState::Unreachable => 3,
    }
}

/// Picks the captures of a target: the newest at or before the page, else the first within ten minutes after the hop to it.
pub(super) fn target<T: Copy + PartialEq>(
    captures: Captures<'_, T>,
    hop: Timestamp,
    page_us: i64,
) -> Option<Captures<'_, T>> {
    captures.near(page_us, hop.unix_micros(), TARGET_WITHIN_MICROS)
}
