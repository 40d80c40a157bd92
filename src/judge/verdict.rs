//! The decision about one document, without the reasons of every system.
//!
//! Example: `CCBot` may fetch the page, `GPTBot` may not, training is disallowed, and the page itself was not seen.

use super::basis::{Audit, decided_by};
use crate::robots::TokenSet;
use crate::systems::{Label, LabelSet};
use crate::verdict::{Decision, Disallowed, RobotsState, SiteCopies, UNSEEN};
use crate::web::{names::names, preference::Preference};
use std::sync::Arc;

names! {
    /// What a document was judged by; its name is the value of the column `prefs_source`. A source that gives more knowledge
    /// comes first.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum Source {
        /// By the row of `pages` that has its record id, or its place, and by its site's files, the stricter of both.
        Record => "record",
        /// By a record and its site's files, the stricter of both: the record with its id, or at its place, is of another URL or
        /// another time (KNOW-6).
        OtherUrl => "record_of_other_url",
        /// By its site's files, and the noes in headers and metas of captures of its URL near its date.
        RecordByUrl => "record_by_url",
        /// By its site's files: the page itself was not seen.
        Site => "site",
        /// By nothing: nothing is known of its site at that time.
        #[default]
        None => "none",
    }
}

names! {
    /// Why a document cannot be judged by its URL; its name is the reason of the verdict.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Unjudged {
        /// Its line is too long to hold in memory.
        LineTooLong => "line_too_long",
        /// Its URL is longer than `URL_BYTES`.
        UrlTooLong => "url_too_long",
        /// It has two members of one name with different values: readers differ in which one they take.
        MemberRepeated => "member_repeated",
    }
}

/// The decision about a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Verdict {
    /// Whether the product token of the tables may fetch it, by robots.txt.
    pub access: Preference,
    /// The reason: as `access_reason` of `pages`, or why there is no URL.
    pub reason: Box<str>,
    /// As `robots_state` of `pages`.
    pub robots_state: Box<str>,
    /// The tokens that may not fetch it.
    pub disallowed: Disallowed,
    /// By [`Label::ALL`].
    pub labels: [Preference; 5],
    /// What it was judged by.
    pub source: Source,
    /// What was received and could not be read in full.
    pub unread: Vec<Box<str>>,
    /// Where something may be a no and is not understood.
    pub doubt: Vec<Box<str>>,
    /// What nobody received.
    pub not_seen: Vec<Box<str>>,
    /// The labels of which nothing is allowed, because of what was not seen, not read or not understood (ACCT-8).
    pub(super) in_doubt: LabelSet,
    /// The age of its robots.txt at that time, in whole days; `None` if none counts.
    pub robots_age_days: Option<u32>,
    /// What it rests on, if that is asked for.
    pub audit: Option<Box<Audit>>,
    /// The verdicts at the further times of the judgement.
    pub further: Box<[Arc<Verdict>]>,
    /// The verdicts of its URLs, if the document has several.
    pub urls: Box<[Arc<Verdict>]>,
    /// The place of the policy's exception that the document is under.
    pub exception: Option<u8>,
    /// Whether it is the strictest within an interval, because the document's date is longer than a second (KNOW-7).
    pub is_of_interval: bool,
}

/// Adds texts to a sorted list, each once.
fn add_sorted<'t>(list: &mut Vec<Box<str>>, others: impl IntoIterator<Item = &'t Box<str>>) {
    list.extend(others.into_iter().cloned());
    list.sort_unstable();
    list.dedup();
}

/// The reason of a document without a date.
pub const UNDATED: &str = "undated";
/// The reason of a document that a newer robots.txt of a twin of its origin closes.
pub const BY_TWIN: &str = "rule_of_twin";
/// The reason of a document whose site's robots.txt was only archived after its date.
pub const LATER: &str = "archived_later";

impl Verdict {
    /// Returns the verdict about a document when nothing is known of it.
    pub fn unknown(reason: &str) -> Self {
        Self {
            reason: reason.into(),
            robots_state: RobotsState::NotArchived.as_str().into(),
            not_seen: UNSEEN.map(Box::from).to_vec(),
            in_doubt: LabelSet::ALL,
            ..Self::default()
        }
    }

    /// Returns the value of a label.
    pub fn label(&self, label: Label) -> Preference {
        self.labels.get(label as usize).copied().unwrap_or_default()
    }

    /// Adds what is unknown to another verdict about the document.
    fn add_gaps(&mut self, other: &Self) {
        add_sorted(&mut self.unread, &other.unread);
        add_sorted(&mut self.doubt, &other.doubt);
        add_sorted(&mut self.not_seen, &other.not_seen);
        self.in_doubt = self.in_doubt.with(other.in_doubt);
    }

    /// Returns whether the document could not be judged by its URL.
    pub(super) fn is_unjudged(&self) -> bool {
        Unjudged::named(&self.reason).is_some()
    }

    /// Returns the verdict at one of the times of the judgement; a verdict that is the same at all times is stored once.
    pub fn at(&self, time: usize) -> &Self {
        let further = time
            .checked_sub(1)
            .and_then(|place| self.further.get(place));
        further.map_or(self, Arc::as_ref)
    }

    pub(super) fn of_site(decision: &Decision<'_>, site: &SiteCopies, token_count: usize) -> Self {
        Self {
            access: decision.access.preference,
            reason: if site.current.slack_needed_s.is_some() {
                LATER
            } else {
                decision.access.reason
            }
            .into(),
            robots_state: site.current.state.as_str().into(),
            disallowed: match &decision.access.disallowed {
                Disallowed::All => Disallowed::Some(TokenSet::first(token_count)),
                some => some.clone(),
            },
            labels: Label::ALL.map(|label| decision.labels.of(label)),
            source: if site.is_known {
                Source::Site
            } else {
                Source::None
            },
            unread: decision.unread.iter().copied().map(Box::from).collect(),
            doubt: decision.doubt.iter().copied().map(Box::from).collect(),
            not_seen: decision.not_seen.iter().copied().map(Box::from).collect(),
            in_doubt: decision.in_doubt,
            ..Self::default()
        }
    }

    /// Returns the verdict by the site's files at a time other than the page's, if the document's record is also known: a no of
    /// the record holds, in any system. Ours: a yes of the record does not carry to another time, nor does the yes of a site
    /// where something was not read in full (LABEL-3).
    pub(super) fn beside_record(&self, record: &Self) -> Self {
        let mut joined = self.clone();
        joined.add_gaps(record);
        let mut labels = self.labels;
        for ((own, of_record), label) in labels.iter_mut().zip(record.labels).zip(Label::ALL) {
            if of_record == Preference::Disallow {
                *own = Preference::Disallow;
            } else if *own == Preference::Allow && joined.in_doubt.contains(label) {
                *own = Preference::Unknown;
            }
        }
        let mut audit = self.audit.clone();
        if let (Some(own), Some(of_record)) = (&mut audit, &record.audit) {
            // From the record, only what gave the noes that hold.
            let is_no = |by: &str| {
                let label = by.split(' ').next().and_then(Label::named);
                label.is_some_and(|label| record.label(label) == Preference::Disallow)
            };
            add_sorted(
                &mut own.decided_by,
                of_record.decided_by.iter().filter(|by| is_no(by)),
            );
        }
        Self {
            labels,
            audit,
            source: Source::Record,
            ..joined
        }
    }

    /// Adds the noes of a twin of the site, by its files; some may be newer. Ours: a yes of the twin is not the site's, and a
    /// twin that cannot be reached closes nothing.
    pub(super) fn add_noes_of_twin(&mut self, twin: &Self, token_count: usize) {
        if twin.robots_state == RobotsState::Parsed.as_str().into() {
            if twin.access == Preference::Disallow && self.access != Preference::Disallow {
                self.access = Preference::Disallow;
                self.reason = BY_TWIN.into();
                self.audit.clone_from(&twin.audit);
            }
            if twin.disallowed == Disallowed::All {
                self.disallowed = Disallowed::Some(TokenSet::first(token_count));
            }
            self.disallowed.add_noes(&twin.disallowed);
        }
        forbid(&mut self.labels, |label| {
            twin.label(label) == Preference::Disallow
        });
        if let (Some(own), Some(of_twin)) = (&mut self.audit, &twin.audit) {
            add_sorted(&mut own.decided_by, &of_twin.decided_by);
        }
        if self.source == Source::None {
            self.source = Source::Site;
        }
    }

    /// Returns the stricter of the verdicts by the site's files and by a record of another URL or time, which may be the
    /// document's (KNOW-6).
    pub(super) fn beside_other_url(&self, record: &Self, token_count: usize) -> Self {
        Self {
            source: Source::OtherUrl,
            ..self.stricter(record, token_count)
        }
    }

    /// Returns the stricter of the verdicts by the site's files at two instants (KNOW-7).
    pub(super) fn beside_instant(&self, other: &Self, token_count: usize) -> Self {
        Self {
            source: self.source.min(other.source),
            ..self.stricter(other, token_count)
        }
    }

    /// Returns the verdict of a page's record, or that by the site's files at its time, whichever is stricter (KNOW-6). Files of
    /// which nothing is known say nothing, and a label that they leave open is the record's.
    pub(super) fn beside_site(&self, site: &Self, token_count: usize) -> Self {
        let mut joined = self.clone();
        let has_copy = RobotsState::named(&site.robots_state)
            .is_some_and(|state| !matches!(state, RobotsState::NotArchived | RobotsState::Undated));
        // What the file of a twin closes is a no, though the site itself has none (KNOW-8).
        let is_closed_by_twin = site.access == Preference::Disallow;
        if has_copy || is_closed_by_twin && self.access != Preference::Disallow {
            joined.join_access(site, token_count);
        } else {
            joined.disallowed.add_noes(&site.disallowed);
        }
        for ((own, of_site), label) in joined.labels.iter_mut().zip(site.labels).zip(Label::ALL) {
            if of_site == Preference::Disallow {
                *own = Preference::Disallow;
            } else if *own == Preference::Allow && site.in_doubt.contains(label) {
                *own = Preference::Unknown;
            }
        }
        joined.add_gaps(site);
        joined.add_decided_by(self, site, |label| {
            site.label(label) == Preference::Disallow
        });
        if let (Some(own), Some(of_site)) = (&mut joined.audit, &site.audit) {
            own.not_asked.clone_from(&of_site.not_asked);
        }
        Self {
            source: Source::Record,
            is_of_interval: site.is_of_interval,
            ..joined
        }
    }

    fn stricter(&self, other: &Self, token_count: usize) -> Self {
        let mut joined = self.clone();
        joined.join(other, token_count);
        joined.add_decided_by(self, other, |_| true);
        if let Some(audit) = &mut joined.audit {
            audit.decided_by.sort_unstable();
        }
        joined
    }

    /// Adds what decided the labels of two verdicts, of the second one only for some labels.
    fn add_decided_by(&mut self, one: &Self, other: &Self, is_taken: impl Fn(Label) -> bool) {
        let Some(own) = &mut self.audit else { return };
        let is_taken = |by: &str| {
            by.split(' ')
                .next()
                .and_then(Label::named)
                .is_some_and(&is_taken)
        };
        let mut decided_by = one
            .audit
            .as_ref()
            .map_or_else(Vec::new, |audit| audit.decided_by.clone());
        for by in other
            .audit
            .iter()
            .flat_map(|audit| &audit.decided_by)
            .filter(|by| is_taken(by))
        {
            if !decided_by.contains(by) {
                decided_by.push(by.clone());
            }
        }
        own.decided_by = decided_by;
        if let Some(other) = &other.audit {
            add_sorted(&mut own.not_asked, &other.not_asked);
        }
    }

    /// Returns the verdict of a document with several URLs: at each time the noes of all of them.
    pub(super) fn of_urls(urls: Vec<Arc<Self>>, token_count: usize) -> Self {
        let at = |time: usize| {
            let mut all = urls.iter().map(|verdict| verdict.at(time));
            let mut joined = all
                .next()
                .map_or_else(|| Self::unknown("url_missing"), Self::clone);
            joined.further = Box::default();
            all.for_each(|other| joined.join(other, token_count));
            joined
        };
        let times = urls
            .iter()
            .map(|verdict| verdict.further.len())
            .max()
            .unwrap_or_default();
        let further = (1..=times).map(|time| Arc::new(at(time))).collect();
        let first = at(0);
        Self {
            further,
            urls: urls.into(),
            ..first
        }
    }

    pub(super) fn under(&self, exception: u8) -> Self {
        let further = self
            .further
            .iter()
            .map(|further| Arc::new(further.under(exception)))
            .collect();
        Self {
            exception: Some(exception),
            further,
            ..self.clone()
        }
    }

    /// Returns the verdicts of all of its URLs.
    pub fn each(&self) -> impl Iterator<Item = &Self> {
        let own = self.urls.is_empty().then_some(self);
        own.into_iter().chain(self.urls.iter().map(Arc::as_ref))
    }

    /// Returns the verdict with the noes of captures of the same URL, at each time. Ours: their yes may not be the document's,
    /// and an unknown site stays unknown.
    pub(super) fn beside_captures(&self, noes: &[Label]) -> Self {
        let mut verdict = self.clone();
        forbid(&mut verdict.labels, |label| noes.contains(&label));
        if verdict.source == Source::Site {
            verdict.source = Source::RecordByUrl;
        }
        if let Some(audit) = &mut verdict.audit {
            audit.decided_by.extend(
                noes.iter()
                    .map(|label| decided_by(*label, Source::RecordByUrl.as_str())),
            );
        }
        verdict.further = self
            .further
            .iter()
            .map(|further| Arc::new(further.beside_captures(noes)))
            .collect();
        verdict
    }

    /// Joins two captures of one record id, or two URLs of one document, and loses no no: a document is kept only if both are.
    pub(super) fn join(&mut self, other: &Self, token_count: usize) {
        self.join_access(other, token_count);
        for (label, other) in self.labels.iter_mut().zip(other.labels) {
            if severity(other) > severity(*label) {
                *label = other;
            }
        }
        self.add_gaps(other);
        self.source = self.source.max(other.source);
        self.is_of_interval |= other.is_of_interval;
    }

    fn join_access(&mut self, other: &Self, token_count: usize) {
        let own = (&self.reason, &self.robots_state);
        let of_other = (&other.reason, &other.robots_state);
        // Of two that are as severe, the first by name is taken.
        if (severity(other.access), own) > (severity(self.access), of_other) {
            self.access = other.access;
            self.reason.clone_from(&other.reason);
            self.robots_state.clone_from(&other.robots_state);
            self.audit.clone_from(&other.audit);
        }
        self.robots_age_days = self.robots_age_days.max(other.robots_age_days);
        self.disallowed = match (std::mem::take(&mut self.disallowed), &other.disallowed) {
            (Disallowed::Some(mut tokens), Disallowed::Some(others)) => {
                tokens.insert_all(others);
                Disallowed::Some(tokens)
            }
            (
                Disallowed::Some(mut tokens) | Disallowed::AtLeast(mut tokens),
                Disallowed::Some(others) | Disallowed::AtLeast(others),
            ) => {
                tokens.insert_all(others);
                Disallowed::AtLeast(tokens)
            }
            (Disallowed::All, _) | (_, Disallowed::All) => {
                Disallowed::Some(TokenSet::first(token_count))
            }
        };
    }
}

/// Makes some labels disallow.
pub(super) fn forbid(labels: &mut [Preference; 5], is_no: impl Fn(Label) -> bool) {
    for (label, own) in Label::ALL.into_iter().zip(labels) {
        if is_no(label) {
            *own = Preference::Disallow;
        }
    }
}

/// Orders values: the higher one of two must not be lost.
fn severity(preference: Preference) -> u8 {
    match preference {
        Preference::Allow => 0,
        Preference::Unknown => 1,
        Preference::Disallow => 2,
    }
}
