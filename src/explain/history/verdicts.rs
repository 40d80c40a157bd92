//! The decision about a page at a time, by its site's files, and the changes at another time.
//!
//! Example: `train_ai` was unknown; now it is disallow, by line 4 of robots.txt, `Content-Signal: ai-train=no`. The decision is
//! that of `explain --sites`. The page's own header and metas are not known, so no label is allow; a file's yes is listed among
//! the answers. Left out: conflicts, which `explain` shows.

use super::{SiteHistory, clip, clipped};
use crate::explain::robots_lines::PageAccess;
use crate::explain::systems::{Citation, LabelEvidence, Sources, with_sources};
use crate::systems::Label;
use crate::verdict::{CopyLimits, Decision, PageRecord};
use crate::web::{
    capture_kind::CaptureKind, preference::Preference, shown::shown, timestamp::Timestamp,
};
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};
use std::io;
use std::time::Duration;

const MAX_ANSWERS: usize = 8;

/// A label's preference, and the answers to it.
#[derive(Debug, Serialize)]
pub struct LabelState {
    pub preference: Preference,
    /// The first answers, the deciding ones before others.
    pub answers: Vec<LabelEvidence>,
    pub answers_count: usize,
}

/// A label that changed, or whose answers changed.
#[derive(Debug, Serialize)]
pub struct LabelChange {
    pub label: Label,
    pub before: LabelState,
    pub after: LabelState,
}

/// The decision about a page at a time.
pub struct PageVerdict {
    pub access: PageAccess,
    /// The site files that were not read in full.
    pub unread: Vec<String>,
    /// The site files with something that may be a no and is not understood.
    pub doubt: Vec<String>,
    labels: [(Label, LabelState); 5],
    /// All answers without line numbers, which change with every earlier line.
    answers: HashSet<(Label, Preference, &'static str, Citation)>,
}

impl SiteHistory<'_> {
    /// Decides about the page as of a time.
    pub fn at(&self, at: Option<Timestamp>) -> io::Result<PageVerdict> {
        let site = self.index.site(
            Some(self.origin),
            at,
            CopyLimits::of_slack(Duration::ZERO),
            self.resolver,
        )?;
        let record = PageRecord::unseen(Some(self.url.clone()));
        let Decision {
            access,
            labels,
            unread,
            doubt,
            ..
        } = self.resolver.decide(&record, &site);
        let of_page = |sources: &Sources<'_>| {
            let line = |line: u32| Some(clipped(sources.file?.line(line)));
            let line = access.line.and_then(line);
            let state = |label| LabelState {
                preference: labels.of(label),
                answers: Vec::new(),
                answers_count: 0,
            };
            let owned = |carriers: &[&str]| {
                carriers
                    .iter()
                    .map(|carrier| shown(carrier.as_bytes()).into_owned())
                    .collect()
            };
            let mut verdict = PageVerdict {
                access: PageAccess {
                    access: access.preference,
                    reason: access.reason,
                    line,
                },
                unread: owned(&unread),
                doubt: owned(&doubt),
                labels: Label::ALL.map(|label| (label, state(label))),
                answers: HashSet::new(),
            };
            for answers in [&labels.evidence, &labels.overruled] {
                sources
                    .evidence(answers)
                    .into_iter()
                    .for_each(|answer| verdict.add(answer));
            }
            verdict
        };
        let sources = (self.index.bodies(), &site);
        with_sources(
            sources,
            (&self.resolver.viewpoint, self.vendors),
            &[],
            of_page,
        )
    }
}

impl PageVerdict {
    fn add(&mut self, mut answer: LabelEvidence) {
        answer.citation.text = answer.citation.text.map(clip);
        let mut without_line = Citation {
            line: None,
            ..answer.citation.clone()
        };
        // In JSON, line breaks have no meaning.
        without_line.text.take_if(|_| {
            CaptureKind::named(answer.citation.carrier).is_some_and(CaptureKind::is_json)
        });
        self.answers
            .insert((answer.label, answer.preference, answer.system, without_line));
        if let Some((_, state)) = self
            .labels
            .iter_mut()
            .find(|(label, _)| *label == answer.label)
        {
            state.answers_count += 1;
            if state.answers.len() < MAX_ANSWERS {
                state.answers.push(answer);
            }
        }
    }

    pub fn labels(&self) -> BTreeMap<&'static str, Preference> {
        self.labels
            .iter()
            .map(|(label, state)| (label.as_str(), state.preference))
            .collect()
    }

    pub fn changes_since(self, before: Self) -> Vec<LabelChange> {
        let changed: HashSet<Label> = self
            .answers
            .symmetric_difference(&before.answers)
            .map(|(label, ..)| *label)
            .collect();
        let pairs = before.labels.into_iter().zip(self.labels);
        let pairs = pairs.filter(|((label, before), (_, after))| {
            before.preference != after.preference || changed.contains(label)
        });
        pairs
            .map(|((label, before), (_, after))| LabelChange {
                label,
                before,
                after,
            })
            .collect()
    }
}
