//! Following the redirects of a robots.txt inside the inputs.
//!
//! Document: RFC 9309 2.3.1.2: at least five in a row, also to other hosts; the rules then hold for
//! the first authority.
//! Example: `http://a.test/robots.txt` to `https://a.test/robots.txt` to `https://www.a.test/robots.txt`.
//! Left out: what a crawler would have done with a target that it did not store.

use crate::web::timestamp::Timestamp;

use super::index::{Captures, Index, UrlPlace};
use super::state::{Answer, AnswerClass, RobotsState, Sent};

/// RFC 9309 2.3.1.2 asks for five at least; more may be taken for an unavailable file.
pub(super) const MAX_REDIRECTS: u8 = 5;

/// Ours: how long after a redirect its target may have been stored, where no capture of it is
/// older than the page. A crawler asks at once, but a shared target may wait in a queue.
const TARGET_WITHIN_MICROS: i64 = 10 * 60 * 1_000_000;

/// What one capture says.
#[derive(Clone, Copy, Debug)]
pub(super) enum ChainOutcome<B> {
    /// A chain ends here.
    Answered(RobotsState, Option<B>),
    /// It goes on there, by a capture of this segment.
    Redirect(UrlPlace, u32),
}

/// Where a chain ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChainEnd<B> {
    pub(super) state: RobotsState,
    pub(super) body: Option<B>,
    pub(super) redirects: u8,
}

impl<B> ChainOutcome<B> {
    /// Returns what a file says that a server sent.
    pub(super) fn of_body(body: Sent<B>) -> Self {
        match body {
            Sent::Body(body) => Self::Answered(RobotsState::Parsed, Some(body)),
            Sent::Html | Sent::Unreadable => Self::Answered(RobotsState::Unreadable, None),
            Sent::Missing => Self::Answered(RobotsState::BodyMissing, None),
        }
    }

    /// Returns what an answer says, or `None` for a redirect.
    pub(super) fn of_answer(answer: Answer, body: Sent<B>) -> Option<Self> {
        Some(match (answer.class(), body) {
            (AnswerClass::Success, body) => Self::of_body(body),
            (AnswerClass::Unavailable, _) => Self::Answered(RobotsState::Unavailable, None),
            (AnswerClass::Unreachable, _) => Self::Answered(RobotsState::Unreachable, None),
            (AnswerClass::Other, _) => Self::Answered(RobotsState::OtherStatus, None),
            (AnswerClass::Garbled, _) => Self::of_body(Sent::Missing),
            (AnswerClass::Redirect, _) => return None,
        })
    }
}

/// Follows a chain from its first capture to its end, as a page of that time sees it; `visit` receives
/// of each capture behind the first.
///
/// AMB-REP-8: more than five redirects, and so every loop, are an unavailable file.
pub(super) fn follow<B: Copy>(
    index: &Index<ChainOutcome<B>>,
    first_hop: Timestamp,
    first: ChainOutcome<B>,
    page_us: i64,
    mut visit: impl FnMut(UrlPlace, Timestamp),
) -> ChainEnd<B> {
    let (mut hop, mut outcome) = (first_hop, first);
    let mut redirects = 0;
    loop {
        let (place, segment) = match outcome {
            ChainOutcome::Answered(state, body) => return ChainEnd { state, body, redirects },
            ChainOutcome::Redirect(place, segment) => (place, segment),
        };
        redirects += 1;
        if redirects > MAX_REDIRECTS {
            return ChainEnd { state: RobotsState::Unavailable, body: None, redirects };
        }
        let captures = index.captures_from(Some(place), segment);
        let Some(next) = target(captures, hop, page_us) else {
            return ChainEnd { state: without_target(captures, hop), body: None, redirects };
        };
        (hop, outcome) = next;
        visit(place, hop);
    }
}

/// Picks the capture of a target: the newest at or before the page, else the first within ten
/// minutes after the hop that leads to it.
pub(super) fn target<T: Copy>(
    captures: Captures<'_, T>,
    hop: Timestamp,
    page_us: i64,
) -> Option<(Timestamp, T)> {
    let hop_us = hop.unix_micros();
    captures
        .newest_until(page_us)
        .or_else(|| captures.first_between(hop_us, hop_us.saturating_add(TARGET_WITHIN_MICROS)))
}

/// A target that is there, but without a date, is distinguished from one that is not.
fn without_target<T: Copy>(captures: Captures<'_, T>, hop: Timestamp) -> RobotsState {
    let undated = captures.has_incomparable(Some(hop));
    if undated { RobotsState::Undated } else { RobotsState::RedirectUnresolved }
}
