//! How a robots.txt was answered, and what that means before it is parsed.
//!
//! Document: RFC 9309 2.3.1.1 to 2.3.1.4. Example: a status of 403 is `unavailable`, and everything may be crawled.
//! Left out: the long time (2.3.1.4, for example 30 days) after which a crawler may stop treating a file as unreachable.

use crate::robots::Extent;
use crate::web::url::PageUrl;
use crate::web::{capture_kind::CaptureKind, names::names, timestamp::Timestamp};
use std::num::NonZeroU64;

/// How a server answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FetchOutcome {
    Status(u16),
    /// With a status line that cannot be read. The server did answer, so this is not a network error.
    StatusUnreadable,
    /// Not at all: no connection, no name, no response.
    NetworkError,
    /// A tool stored a file without the server's answer, as a `resource` record (KNOW-3).
    Stored,
}

/// What identifies the version of a file, by its `ETag` or else its `Last-Modified`: a 304 with the same one confirms the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Validator(NonZeroU64);

impl Validator {
    /// Takes the value of `ETag` or `Last-Modified`. RFC 9110 8.8.3.2: a conditional request compares them without the mark of weak ones.
    pub fn new(value: &str) -> Option<Self> {
        let value = value.trim();
        let value = value.strip_prefix("W/").unwrap_or(value);
        if value.is_empty() {
            return None;
        }
        // FNV-1a: the values of one URL are compared with each other, and only their server can choose them.
        let hash = value.bytes().fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        });
        Self::from_number(hash)
    }

    /// Returns the validator of a number that [`Self::number`] gave.
    pub fn from_number(number: u64) -> Option<Self> {
        NonZeroU64::new(number).map(Self)
    }

    pub fn number(self) -> u64 {
        self.0.get()
    }
}

/// The body of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyState<B> {
    /// A readable file, by the key of its body.
    Body(B),
    /// A page of HTML in place of another file, which states nothing. A robots.txt is never one (READ-3).
    Html,
    /// Bytes that are not text, or have a coding that cannot be undone (READ-3).
    Unreadable,
    /// No body was kept.
    Missing,
}

impl<B> BodyState<B> {
    /// Replaces a body with the result of `then`.
    pub fn and_then<C>(self, then: impl FnOnce(B) -> BodyState<C>) -> BodyState<C> {
        match self {
            Self::Body(body) => then(body),
            Self::Html => BodyState::Html,
            Self::Unreadable => BodyState::Unreadable,
            Self::Missing => BodyState::Missing,
        }
    }
}

impl BodyState<()> {
    /// Returns the same with a body, if it is readable.
    pub fn with<B>(self, body: B) -> BodyState<B> {
        self.and_then(|()| BodyState::Body(body))
    }
}

impl<B> From<Option<B>> for BodyState<B> {
    fn from(body: Option<B>) -> Self {
        body.map_or(Self::Missing, Self::Body)
    }
}

/// The body of a capture. Its extent belongs to the capture: the same bytes may be whole in one and cut in another (READ-5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SiteBody {
    /// The number of the bytes, wherever they are kept.
    pub number: u32,
    /// Whether they are everything that the server sent.
    pub extent: Extent,
}

/// A capture of a site file, or of a page to which a robots.txt redirects.
#[derive(Clone, Debug)]
pub struct SiteCapture<'u> {
    pub kind: CaptureKind,
    pub url: PageUrl<'u>,
    /// When it was fetched; `None` if the capture states no usable time.
    pub fetched_at: Option<Timestamp>,
    pub answer: FetchOutcome,
    /// The target of a redirect, as in `Location` or already resolved.
    pub redirect: Option<&'u str>,
    pub body: BodyState<SiteBody>,
    pub validator: Option<Validator>,
    /// The number of its segment: a page counts only for redirects of its own segment.
    pub segment: u32,
}

/// The class of an answer, by its status alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutcomeClass {
    Success,
    Redirect,
    /// The file that the crawler had is current (304).
    Unchanged,
    /// There is a file, and nothing is known of the server's answer.
    Stored,
    /// There is no file (404, 410).
    Gone,
    /// No file came, and this follows for robots.txt; what the file said before does not end (KNOW-3).
    NoFile(RobotsState),
}

impl FetchOutcome {
    /// Returns whether the server sent the file (RFC 9309 2.3.1.1).
    pub fn is_success(self) -> bool {
        self.class() == OutcomeClass::Success
    }

    /// Returns whether the server redirects to another URL (RFC 9309 2.3.1.2).
    pub fn is_redirect(self) -> bool {
        self.class() == OutcomeClass::Redirect
    }

    /// Returns what the answer says if the archive may not have received it: only that nothing may be crawled (FRAME-11).
    #[must_use]
    pub fn in_doubt(self) -> Self {
        match self.class() {
            OutcomeClass::Success
            | OutcomeClass::Stored
            | OutcomeClass::NoFile(RobotsState::Unreachable) => self,
            OutcomeClass::Redirect
            | OutcomeClass::Unchanged
            | OutcomeClass::Gone
            | OutcomeClass::NoFile(_) => Self::StatusUnreadable,
        }
    }

    /// Ours: 300, 305 and 306 lead nowhere, as in Common Crawl's fetcher.
    pub fn class(self) -> OutcomeClass {
        match self {
            Self::Status(200..=299) => OutcomeClass::Success,
            Self::Status(301 | 302 | 303 | 307 | 308) => OutcomeClass::Redirect,
            Self::Status(304) => OutcomeClass::Unchanged,
            Self::Status(404 | 410) => OutcomeClass::Gone,
            Self::Status(400..=499) => OutcomeClass::NoFile(RobotsState::Unavailable),
            Self::Status(500..=599) | Self::NetworkError => {
                OutcomeClass::NoFile(RobotsState::Unreachable)
            }
            Self::Status(_) => OutcomeClass::NoFile(RobotsState::OtherStatus),
            // The response is not understood (READ-3).
            Self::StatusUnreadable => OutcomeClass::NoFile(RobotsState::BodyMissing),
            Self::Stored => OutcomeClass::Stored,
        }
    }
}

names! {
    /// What is known of a site's robots.txt; the column `robots_state`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum RobotsState {
        /// There is a body, whose rules apply.
        Parsed => "parsed",
        /// RFC 9309 2.3.1.3: everything may be crawled.
        Unavailable => "unavailable",
        /// RFC 9309 2.3.1.4: nothing may be crawled.
        Unreachable => "unreachable",
        /// A redirect leads out of the inputs, or nowhere.
        RedirectUnresolved => "redirect_unresolved",
        /// The status is one that RFC 9309 does not name.
        OtherStatus => "other_status",
        /// It was received, but is not text or has a coding that cannot be undone (READ-3).
        Unreadable => "unreadable",
        /// It was received, but the body was not kept.
        BodyMissing => "body_missing",
        /// Captures exist, but nothing says which of them came before the page.
        Undated => "undated",
        /// No capture is among the inputs, or only later ones.
        #[default]
        NotArchived => "not_archived",
    }
}

#[cfg(test)]
mod tests {
    use super::OutcomeClass::{self, Gone, NoFile, Redirect, Success, Unchanged};
    use super::{FetchOutcome, RobotsState};

    #[test]
    fn rfc9309_2_3_1_every_answer_has_its_class() {
        let of = |statuses: &[u16]| -> Vec<OutcomeClass> {
            statuses
                .iter()
                .map(|status| FetchOutcome::Status(*status).class())
                .collect()
        };
        for (class, statuses) in [
            (Success, &[200, 204, 299][..]),
            (Redirect, &[301, 302, 303, 307, 308]),
            (Unchanged, &[304]),
            (Gone, &[404, 410]),
            (NoFile(RobotsState::Unavailable), &[400, 401, 403, 429, 499]),
            (NoFile(RobotsState::Unreachable), &[500, 599]),
            (
                NoFile(RobotsState::OtherStatus),
                &[0, 100, 199, 300, 305, 306, 309, 399, 600, 999],
            ),
        ] {
            assert_eq!(of(statuses), vec![class; statuses.len()], "{statuses:?}");
        }
        assert_eq!(
            FetchOutcome::NetworkError.class(),
            NoFile(RobotsState::Unreachable)
        );
        assert_eq!(
            FetchOutcome::StatusUnreadable.class(),
            NoFile(RobotsState::BodyMissing)
        );
    }
}
