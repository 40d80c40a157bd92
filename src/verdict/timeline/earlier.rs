//! What a file said before answers that do not end it (KNOW-3).
//!
//! Document: RFC 9110 15.4.5 for 304; the rest is ours. Example: a file of Monday, an answer 503 of Tuesday: the noes of Monday's
//! file count for a page of Wednesday. A file that was read whole, 404 and 410 end what was said; a redirect ends it if the
//! answer of its target does.
//! Left out: what the answers of the newest second mean (`chain`).

use super::chain::{MAX_REDIRECTS, TARGET_WITHIN_MICROS};
use super::index::{CaptureSaid, Captures, Index, MICROS_PER_SECOND};
use super::state::{BodyState, SiteBody};
use crate::web::timestamp::Timestamp;
use std::collections::HashSet;

/// The number of captures that are looked at: behind them, it is not known what the file said.
const MAX_LOOKS: usize = 4096;

/// What a file said up to a page, back to the newest answer that ends what was said before.
#[derive(Default)]
pub(super) struct Earlier {
    /// The bodies that were found, the newest one first.
    pub(super) bodies: Vec<SiteBody>,
    /// Whether an answer ended what was said before.
    pub(super) is_ended: bool,
    /// Whether a file was not read: the one that an answer confirmed, one that came and cannot be read, or one after a body,
    /// because a newer answer has no file.
    pub(super) is_unread: bool,
}

/// A walk back in time, as seen by a page of that time.
struct WalkBack<'i> {
    index: &'i Index,
    page_us: i64,
    looks: usize,
    found: Earlier,
    /// The bodies that were found.
    bodies: HashSet<SiteBody>,
    /// Whether an answer without a file was found, or a redirect that does not end what was said.
    has_silence: bool,
}

impl Earlier {
    pub(super) fn find(index: &Index, captures: Captures<'_>, page_us: i64) -> Self {
        let (found, bodies) = (Self::default(), HashSet::new());
        let mut walk = WalkBack {
            index,
            page_us,
            looks: 0,
            found,
            bodies,
            has_silence: false,
        };
        let is_ended = walk.look(captures, 0);
        Self {
            is_ended,
            ..walk.found
        }
    }
}

impl<'i> WalkBack<'i> {
    /// Returns whether an answer ended what was said before.
    fn look(&mut self, captures: Captures<'i>, redirects: u8) -> bool {
        let mut until_us = self.page_us;
        while let Some(second) = captures.newest_until(until_us) {
            let Some(newest) = second.each().map(|(at, _)| at.unix_micros()).max() else {
                break;
            };
            if self.look_at(second, redirects) {
                return true;
            }
            until_us = newest.div_euclid(MICROS_PER_SECOND) * MICROS_PER_SECOND - 1;
        }
        false
    }

    /// Adds an answer that has no body; it is not newer than those that were added before. `is_known` says whether another one
    /// of its second is the file, or says that there is none.
    fn add_answer(&mut self, said: CaptureSaid, is_known: bool) {
        match said {
            CaptureSaid::Unchanged => self.found.is_unread |= !is_known,
            CaptureSaid::Sent(BodyState::Unreadable | BodyState::Missing) => {
                self.found.is_unread = true;
            }
            CaptureSaid::NoFile(_)
            | CaptureSaid::Redirect(..)
            | CaptureSaid::Sent(BodyState::Html) => {
                self.has_silence = true;
            }
            CaptureSaid::Sent(BodyState::Body(_)) | CaptureSaid::Stored(_) | CaptureSaid::Gone => {}
        }
    }

    fn add_body(&mut self, body: SiteBody) {
        self.found.is_unread |= self.has_silence;
        if self.bodies.insert(body) {
            self.found.bodies.push(body);
        }
    }

    fn look_at(&mut self, second: Captures<'i>, redirects: u8) -> bool {
        for body in second.each().filter_map(|(_, capture)| capture.said.body()) {
            self.add_body(body);
        }
        let is_known = second
            .each()
            .any(|(_, capture)| capture.said.ends_earlier());
        let mut is_ended = is_known;
        for (at, capture) in second.each() {
            self.looks += 1;
            if self.looks > MAX_LOOKS {
                self.found.is_unread = true;
                return true;
            }
            match capture.said {
                CaptureSaid::Redirect(place, segment) if redirects < MAX_REDIRECTS => {
                    let target = self.index.captures_from(Some(place), segment);
                    let is_ended_there = self.look_at_target(target, at, redirects + 1);
                    self.has_silence |= !is_ended_there;
                    is_ended |= is_ended_there;
                }
                said => self.add_answer(said, is_known),
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
