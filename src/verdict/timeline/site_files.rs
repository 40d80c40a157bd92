//! Which copy of another site file was current when a page was fetched.
//!
//! Documents: those of `automation-preferences.txt`, `tdmrep.json`, `ai.txt` and `trust.txt`, none of which says how to read an
//! archive; RULES.md, LIVE-8: they are joined like robots.txt.
//! Example: a copy of 06:00 with status 200 and one of 07:00 with status 404: to a page of 08:00 the site says nothing.
//! A redirect says nothing, except that of an automation-preferences.txt, which is followed to the file of the same name on
//! another origin (AMB-AUTO-10). Left out: other redirects, and a slack, which is for robots.txt only.

use crate::web::origin::Origin;
use crate::web::timestamp::Timestamp;

use super::chain::{MAX_LOOKS, MAX_REDIRECTS, target};
use super::index::{Captures, Index, UrlPlace};
use super::state::{Answer, AnswerClass, Sent};

/// One capture of a site file.
#[derive(Clone, Debug)]
pub struct SiteFileFetch<B> {
    /// The site.
    pub origin: Origin,
    /// When it was fetched; `None` if the capture states no usable time.
    pub fetched_at: Option<Timestamp>,
    /// How the server answered.
    pub answer: Answer,
    /// The site with the redirect's target, a file of the same name, if redirects are followed.
    pub redirect: Option<Origin>,
    pub body: Sent<B>,
}

/// The end at one capture, or its redirect.
#[derive(Clone, Copy, Debug, PartialEq)]
enum CaptureEnd<B> {
    Ended(SiteFileState, Option<B>),
    Redirect(UrlPlace),
}

/// What is known of a site file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SiteFileState {
    /// There is a body, which counts.
    Speaks,
    /// The answer had a status other than 2xx, so that the site says nothing.
    Silent,
    /// A page of HTML was received instead, which says nothing (READ-3).
    Html,
    /// It was received, but is not text, has a coding that cannot be undone, or breaks its grammar (READ-3, READ-9).
    Unreadable,
    /// It was received, but the body was not kept.
    BodyMissing,
    /// Captures exist, but nothing says which of them came before the page.
    Undated,
    /// No capture is among the inputs, or only later ones.
    NotArchived,
}

/// The copy of a site file that counts for a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiteFileCopy<B> {
    /// What is known of the file.
    pub state: SiteFileState,
    /// When it was fetched.
    pub fetched_at: Option<Timestamp>,
    /// The body, exactly if the state is [`SiteFileState::Speaks`].
    pub body: Option<B>,
}

/// The captures of one site file, by origin and time.
///
/// There is one for each path: if `/.well-known/trust.txt` is missing, that says nothing about `/trust.txt`. Of captures within
/// one second the last one counts, and the noes of the others (FRAME-9).
#[derive(Clone, Debug)]
pub struct SiteFiles<B> {
    index: Index<CaptureEnd<B>>,
}

impl<B: Copy + PartialEq> SiteFiles<B> {
    /// Returns whether there are no captures.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Adds a capture, which counts after [`SiteFiles::sort`].
    pub fn add(&mut self, fetch: &SiteFileFetch<B>, order: u64) {
        let place = self.index.place_or_new(fetch.origin.as_str());
        let end = match (fetch.answer.class(), &fetch.redirect) {
            (AnswerClass::Redirect, Some(target)) => {
                CaptureEnd::Redirect(self.index.place_or_new(target.as_str()))
            }
            _ => capture_end(fetch.answer, fetch.body),
        };
        self.index.add((place, None), fetch.fetched_at, order, end);
    }

    /// Gives bodies other keys, or replaces them with another outcome.
    pub fn change_bodies(&mut self, key: impl Fn(B) -> Sent<B>) {
        self.index.change(|before| match before {
            CaptureEnd::Ended(_, Some(body)) => capture_end(Answer::Status(200), key(body)),
            CaptureEnd::Ended(_, None) | CaptureEnd::Redirect(_) => before,
        });
    }

    /// Sorts the captures that were added.
    pub fn sort(&mut self) {
        self.index.sort();
    }

    /// Returns the newest copy of a site at or before a page.
    pub fn current(&self, origin: &Origin, page_fetched_at: Option<Timestamp>) -> SiteFileCopy<B> {
        self.current_and_rivals(origin, page_fetched_at).0
    }

    /// Returns the result of [`SiteFiles::current`], and the other copies of the same second.
    pub fn current_and_rivals(
        &self,
        origin: &Origin,
        page_fetched_at: Option<Timestamp>,
    ) -> (SiteFileCopy<B>, Vec<SiteFileCopy<B>>) {
        let captures = self.index.captures(self.index.place(origin.as_str()));
        let (mut copies, mut looks) = (Vec::new(), 0);
        if let Some((page, second)) =
            page_fetched_at.and_then(|page| Some((page, captures.newest_until(page.unix_micros())?)))
        {
            self.follow(second, (page.unix_micros(), None, 0), &mut looks, &mut copies);
        }
        let state = undecided(captures, page_fetched_at);
        (copies.pop().unwrap_or(SiteFileCopy { state, fetched_at: None, body: None }), copies)
    }

    /// Finds the ends of redirects, which are followed like those of a robots.txt. A redirect that leaves the inputs, and the
    /// sixth in a row, say nothing.
    fn follow(
        &self,
        second: Captures<'_, CaptureEnd<B>>,
        (page_us, first, redirects): (i64, Option<Timestamp>, u8),
        looks: &mut usize,
        copies: &mut Vec<SiteFileCopy<B>>,
    ) {
        for (at, capture) in second.each() {
            *looks += 1;
            let first = first.unwrap_or(at);
            let (state, body) = match capture.said {
                _ if *looks > MAX_LOOKS => (SiteFileState::BodyMissing, None),
                CaptureEnd::Ended(state, body) => (state, body),
                CaptureEnd::Redirect(place) => {
                    let next = target(self.index.captures(Some(place)), at, page_us);
                    if let Some(next) = next.filter(|_| redirects < MAX_REDIRECTS) {
                        self.follow(next, (page_us, Some(first), redirects + 1), looks, copies);
                        continue;
                    }
                    (SiteFileState::Silent, None)
                }
            };
            copies.push(SiteFileCopy { state, fetched_at: Some(first), body });
            if *looks > MAX_LOOKS {
                return;
            }
        }
    }
}

impl<B: Copy + PartialEq> Default for SiteFiles<B> {
    fn default() -> Self {
        Self { index: Index::new() }
    }
}

fn capture_end<B>(answer: Answer, body: Sent<B>) -> CaptureEnd<B> {
    let (state, body) = match (answer.class(), body) {
        (AnswerClass::Success, Sent::Body(body)) => (SiteFileState::Speaks, Some(body)),
        (AnswerClass::Success, Sent::Html) => (SiteFileState::Html, None),
        (AnswerClass::Success, Sent::Unreadable) => (SiteFileState::Unreadable, None),
        (AnswerClass::Success, Sent::Missing) | (AnswerClass::Garbled, _) => {
            (SiteFileState::BodyMissing, None)
        }
        (
            AnswerClass::Redirect | AnswerClass::Unavailable | AnswerClass::Unreachable | AnswerClass::Other,
            _,
        ) => (SiteFileState::Silent, None),
    };
    CaptureEnd::Ended(state, body)
}

fn undecided<T: Copy>(captures: Captures<'_, T>, page: Option<Timestamp>) -> SiteFileState {
    let undated = captures.has_incomparable(page);
    if undated { SiteFileState::Undated } else { SiteFileState::NotArchived }
}
