//! What a file said before answers that do not end it (KNOW-3).
//!
//! Document: RFC 9110 15.4.5 for 304; the rest is ours. Example: a file of Monday, an answer 503 of Tuesday: the noes of Monday's
//! file count for a page of Wednesday. A file that was read whole, 404 and 410 end what was said; a redirect ends it if the
//! answer of its target does.
//! Left out: what the answers of the newest second mean (`chain`).

use super::chain::{MAX_REDIRECTS, TARGET_WITHIN_MICROS};
use super::index::{CaptureSaid, Captures, Index, MICROS_PER_SECOND};
use super::state::SiteBody;
use crate::web::timestamp::Timestamp;

/// The number of captures that are looked at: behind them, it is not known what the file said.
const MAX_LOOKS: usize = 4096;

/// A walk back in time, as seen by a page of that time.
pub(super) struct Earlier<'i> {
    index: &'i Index,
    page_us: i64,
    looks: usize,
    /// The bodies that were found, the newest one first.
    bodies: Vec<SiteBody>,
}

impl<'i> Earlier<'i> {
    /// Returns the bodies of a file up to a page, back to the newest answer that ends what was said before, and whether there is
    /// such an answer.
    pub(super) fn bodies(index: &'i Index, captures: Captures<'i>, page_us: i64) -> (Vec<SiteBody>, bool) {
        let mut earlier = Self { index, page_us, looks: 0, bodies: Vec::new() };
        let is_answered = earlier.look(captures, 0);
        (earlier.bodies, is_answered)
    }

    /// Returns whether an answer ended what was said before.
    fn look(&mut self, captures: Captures<'i>, redirects: u8) -> bool {
        let mut until_us = self.page_us;
        while let Some(second) = captures.newest_until(until_us) {
            let Some(newest) = second.each().map(|(at, _)| at.unix_micros()).max() else { break };
            if self.look_at(second, redirects) {
                return true;
            }
            until_us = newest.div_euclid(MICROS_PER_SECOND) * MICROS_PER_SECOND - 1;
        }
        false
    }

    fn look_at(&mut self, second: Captures<'i>, redirects: u8) -> bool {
        let mut is_ended = false;
        for (at, capture) in second.each() {
            self.looks += 1;
            if self.looks > MAX_LOOKS {
                return true;
            }
            is_ended |= capture.said.ends_earlier();
            self.bodies.extend(capture.said.body().filter(|body| !self.bodies.contains(body)));
            if let CaptureSaid::Redirect(place, segment) = capture.said
                && redirects < MAX_REDIRECTS
            {
                let target = self.index.captures_from(Some(place), segment);
                is_ended |= self.look_at_target(target, at, redirects + 1);
            }
        }
        is_ended
    }

    fn look_at_target(&mut self, target: Captures<'i>, hop: Timestamp, redirects: u8) -> bool {
        if target.newest_until(self.page_us).is_some() {
            return self.look(target, redirects);
        }
        let from_us = hop.unix_micros();
        let later = target.first_between(from_us, from_us.saturating_add(TARGET_WITHIN_MICROS));
        later.is_some_and(|second| self.look_at(second, redirects))
    }
}
