//! Which copy of another site file was current when a page was fetched.
//!
//! Documents: those of `automation-preferences.txt`, `tdmrep.json`, `ai.txt` and `trust.txt`, none of which says how to read an
//! archive; RULES.md, LIVE-8: they are joined like robots.txt.
//! Example: a copy of 06:00 with status 200 and one of 07:00 with status 404: to a page of 08:00 the site says nothing.
//! A redirect says nothing, except that of an automation-preferences.txt, which is followed to the file of the same name on
//! another origin (AMB-AUTO-10). Left out: other redirects, and a slack, which is for robots.txt only.

use super::chain::{MAX_LOOKS, MAX_REDIRECTS, target};
use super::index::{Captures, Index, UrlPlace};
use super::state::{Answer, AnswerClass, RobotsState, Sent, SiteBody, SiteCapture};
use crate::web::capture_kind::CaptureKind;
use crate::web::origin::Origin;
use crate::web::timestamp::Timestamp;
use crate::web::url::redirect_target;

/// The captures of one site file, by origin and time.
///
/// There is one for each path: if `/.well-known/trust.txt` is missing, that says nothing about `/trust.txt`. Of captures within
/// one second the last one counts, and the noes of the others (FRAME-9).
#[derive(Clone, Debug, Default)]
pub struct SiteFiles {
    index: Index<CaptureEnd>,
}

/// The end at one capture, or its redirect.
#[derive(Clone, Copy, Debug, PartialEq)]
enum CaptureEnd {
    /// What was sent; `None` for an answer other than a file, so that the site says nothing.
    Ended(Option<Sent<SiteBody>>),
    Redirect(UrlPlace),
}

impl CaptureEnd {
    fn of(answer: Answer, body: Sent<SiteBody>) -> Self {
        Self::Ended(match answer.class() {
            AnswerClass::Success => Some(body),
            AnswerClass::NoFile(RobotsState::BodyMissing) => Some(Sent::Missing),
            AnswerClass::NoFile(_) | AnswerClass::Redirect => None,
        })
    }
}

impl SiteFiles {
    /// Returns whether there are no captures.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Adds a capture, which counts after [`SiteFiles::sort`].
    pub fn add(&mut self, capture: &SiteCapture<'_>, order: u64) {
        let place = self.index.place_or_new(capture.url.origin().as_str());
        let target = followed_target(capture).filter(|_| capture.answer.is_redirect());
        let end = match target {
            Some(target) => CaptureEnd::Redirect(self.index.place_or_new(target.as_str())),
            None => CaptureEnd::of(capture.answer, capture.body),
        };
        self.index.add(place, capture, order, end);
    }

    /// Gives bodies other keys, or replaces them with another outcome.
    pub fn change_bodies(&mut self, key: impl Fn(SiteBody) -> Sent<SiteBody>) {
        self.index.change(|before| match before {
            CaptureEnd::Ended(Some(Sent::Body(body))) => CaptureEnd::Ended(Some(key(body))),
            CaptureEnd::Ended(_) | CaptureEnd::Redirect(_) => before,
        });
    }

    /// Sorts the captures that were added.
    pub fn sort(&mut self) {
        self.index.sort();
    }

    /// Returns what the copies of a site of one second sent, the newest ones at or before a page; the last of them counts.
    /// `None` is a copy that says nothing.
    pub fn copies(&self, origin: &Origin, page_fetched_at: Option<Timestamp>) -> Vec<Option<Sent<SiteBody>>> {
        let captures = self.index.captures(self.index.place(origin.as_str()));
        let (mut copies, mut looks) = (Vec::new(), 0);
        let page_us = page_fetched_at.map(Timestamp::unix_micros);
        if let Some((page_us, second)) = page_us.and_then(|at| Some((at, captures.newest_until(at)?))) {
            self.follow(second, (page_us, 0), &mut looks, &mut copies);
        }
        copies
    }

    /// Finds the ends of redirects, which are followed like those of a robots.txt. A redirect that leaves the inputs, and the
    /// sixth in a row, say nothing.
    fn follow(
        &self,
        second: Captures<'_, CaptureEnd>,
        (page_us, redirects): (i64, u8),
        looks: &mut usize,
        copies: &mut Vec<Option<Sent<SiteBody>>>,
    ) {
        for (at, capture) in second.each() {
            *looks += 1;
            match capture.said {
                _ if *looks > MAX_LOOKS => return copies.push(Some(Sent::Missing)),
                CaptureEnd::Ended(sent) => copies.push(sent),
                CaptureEnd::Redirect(place) => {
                    let next = target(self.index.captures(Some(place)), at, page_us);
                    match next.filter(|_| redirects < MAX_REDIRECTS) {
                        Some(next) => self.follow(next, (page_us, redirects + 1), looks, copies),
                        None => copies.push(None),
                    }
                }
            }
        }
    }
}

/// Returns the origin to whose file of the same name a redirect leads, if such redirects are followed (AMB-AUTO-10).
fn followed_target(capture: &SiteCapture<'_>) -> Option<Origin> {
    let location = capture.redirect.filter(|_| capture.kind.follows_redirects())?;
    let target = redirect_target(&capture.url, location)?;
    (CaptureKind::of(&target) == CaptureKind::of(&capture.url)).then(|| target.origin())
}
