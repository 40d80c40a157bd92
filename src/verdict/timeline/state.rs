//! How a robots.txt was answered, and what that means before it is parsed.
//!
//! Document: RFC 9309 2.3.1.1 to 2.3.1.4. Example: a status of 403 is `unavailable`, and everything may be crawled.
//! Left out: the long time (2.3.1.4, for example 30 days) after which a crawler may stop treating a file as unreachable.

/// How a server answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    Status(u16),
    /// With a status line that cannot be read. The server did answer, so this is not a network error.
    StatusUnreadable,
    /// Not at all: no connection, no name, no response.
    NetworkError,
}

/// The body of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent<B> {
    /// A readable file, by the key of its body.
    Body(B),
    /// A page of HTML in place of another file, which states nothing. A robots.txt is never one (READ-3).
    Html,
    /// Bytes that are not text, or have a coding that cannot be undone (READ-3).
    Unreadable,
    /// No body was kept.
    Missing,
}

impl<B> Sent<B> {
    /// Replaces a body with the result of `then`.
    pub fn and_then<C>(self, then: impl FnOnce(B) -> Sent<C>) -> Sent<C> {
        match self {
            Self::Body(body) => then(body),
            Self::Html => Sent::Html,
            Self::Unreadable => Sent::Unreadable,
            Self::Missing => Sent::Missing,
        }
    }
}

impl<B> From<Option<B>> for Sent<B> {
    fn from(body: Option<B>) -> Self {
        body.map_or(Self::Missing, Self::Body)
    }
}

/// The class of an answer, by its status alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerClass {
    Success,
    Redirect,
    Unavailable,
    Unreachable,
    Other,
    /// The response is not understood (READ-3).
    Garbled,
}

impl Answer {
    /// Returns whether the server sent the file (RFC 9309 2.3.1.1).
    pub fn is_success(self) -> bool {
        matches!(self.class(), AnswerClass::Success)
    }

    /// Returns whether the server redirects to another URL (RFC 9309 2.3.1.2).
    pub fn is_redirect(self) -> bool {
        matches!(self.class(), AnswerClass::Redirect)
    }

    /// Returns what an answer without a file means; `None` for one that has the file or leads to it.
    pub fn state_without_file(self) -> Option<RobotsState> {
        match self.class() {
            AnswerClass::Success | AnswerClass::Redirect => None,
            AnswerClass::Unavailable => Some(RobotsState::Unavailable),
            AnswerClass::Unreachable => Some(RobotsState::Unreachable),
            AnswerClass::Other => Some(RobotsState::OtherStatus),
            AnswerClass::Garbled => Some(RobotsState::BodyMissing),
        }
    }

    /// Ours: 300, 304, 305 and 306 lead nowhere, as in Common Crawl's fetcher. A 304 confirms an unknown older copy (REP-29).
    pub(super) fn class(self) -> AnswerClass {
        match self {
            Self::Status(200..=299) => AnswerClass::Success,
            Self::Status(301 | 302 | 303 | 307 | 308) => AnswerClass::Redirect,
            Self::Status(400..=499) => AnswerClass::Unavailable,
            Self::Status(500..=599) | Self::NetworkError => AnswerClass::Unreachable,
            Self::Status(_) => AnswerClass::Other,
            Self::StatusUnreadable => AnswerClass::Garbled,
        }
    }
}

/// What is known of a site's robots.txt; the column `robots_state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RobotsState {
    /// There is a body, whose rules apply.
    Parsed,
    /// RFC 9309 2.3.1.3: everything may be crawled.
    Unavailable,
    /// RFC 9309 2.3.1.4: nothing may be crawled.
    Unreachable,
    /// A redirect leads out of the inputs, or nowhere.
    RedirectUnresolved,
    /// The status is one that RFC 9309 does not name.
    OtherStatus,
    /// It was received, but is not text or has a coding that cannot be undone (READ-3).
    Unreadable,
    /// It was received, but the body was not kept.
    BodyMissing,
    /// Captures exist, but nothing says which of them came before the page.
    Undated,
    /// No capture is among the inputs, or only later ones.
    NotArchived,
}

impl RobotsState {
    /// Every state, in the order of the documentation.
    pub const ALL: [Self; 9] = [
        Self::Parsed,
        Self::Unavailable,
        Self::Unreachable,
        Self::RedirectUnresolved,
        Self::OtherStatus,
        Self::Unreadable,
        Self::BodyMissing,
        Self::Undated,
        Self::NotArchived,
    ];

    /// Returns the name that the tables use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Parsed => "parsed",
            Self::Unavailable => "unavailable",
            Self::Unreachable => "unreachable",
            Self::RedirectUnresolved => "redirect_unresolved",
            Self::OtherStatus => "other_status",
            Self::Unreadable => "unreadable",
            Self::BodyMissing => "body_missing",
            Self::Undated => "undated",
            Self::NotArchived => "not_archived",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Answer, AnswerClass};

    #[test]
    fn rfc9309_2_3_1_every_status_has_its_class() {
        for (status, class) in [
            (0, AnswerClass::Other),
            (100, AnswerClass::Other),
            (199, AnswerClass::Other),
            (200, AnswerClass::Success),
            (204, AnswerClass::Success),
            (299, AnswerClass::Success),
            (301, AnswerClass::Redirect),
            (302, AnswerClass::Redirect),
            (303, AnswerClass::Redirect),
            (307, AnswerClass::Redirect),
            (308, AnswerClass::Redirect),
            (400, AnswerClass::Unavailable),
            (401, AnswerClass::Unavailable),
            (429, AnswerClass::Unavailable),
            (499, AnswerClass::Unavailable),
            (500, AnswerClass::Unreachable),
            (599, AnswerClass::Unreachable),
            (600, AnswerClass::Other),
            (999, AnswerClass::Other),
        ] {
            assert_eq!(Answer::Status(status).class(), class, "{status}");
        }
        assert_eq!(Answer::NetworkError.class(), AnswerClass::Unreachable);
    }

    #[test]
    fn local_other_3xx_and_unreadable_statuses_lead_nowhere() {
        for status in [300, 304, 305, 306, 309, 399] {
            assert_eq!(Answer::Status(status).class(), AnswerClass::Other, "{status}");
        }
        assert_eq!(Answer::StatusUnreadable.class(), AnswerClass::Garbled);
    }
}
