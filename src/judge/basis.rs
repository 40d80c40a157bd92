//! What a verdict rests on, if that is asked for (`--audit`).

use crate::systems::Label;
use crate::verdict::{Decision, SiteCopies};
use crate::web::timestamp::Timestamp;
use std::fmt::Display;

/// What a verdict rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Audit {
    /// SHA-1 (base32) of the robots.txt that counts.
    pub robots_digest: Option<Box<str>>,
    /// The line of the robots.txt that decided access, from 1.
    pub line: Option<u32>,
    /// When the robots.txt was fetched, before redirects.
    pub robots_fetched: Option<Timestamp>,
    /// Label, system and carrier of what decided the labels.
    pub decided_by: Vec<Box<str>>,
    /// The kinds of its site's files of which no input has a capture.
    pub not_asked: Vec<Box<str>>,
}

impl Audit {
    pub(super) fn of_site(
        decision: &Decision<'_>,
        site: &SiteCopies,
        robots_digest: Option<&str>,
    ) -> Self {
        let labels = &decision.labels;
        let by = |label: Label| {
            labels
                .from(label)
                .into_iter()
                .map(move |from| decided_by(label, from))
        };
        Self {
            robots_digest: robots_digest.map(Box::from),
            line: decision.access.line,
            robots_fetched: site.current.fetched_at,
            decided_by: Label::ALL.into_iter().flat_map(by).collect(),
            not_asked: Vec::new(),
        }
    }
}

/// Returns what decided a label.
pub(super) fn decided_by(label: Label, from: impl Display) -> Box<str> {
    format!("{} {from}", label.as_str()).into()
}
