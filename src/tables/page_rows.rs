//! Rows of `pages`, being filled.

use super::pages::{EVIDENCE, PAGES};
use super::values::{Offsets, TextLists, ValueRows};
use super::writer::rows;
use crate::robots::Matched;
use crate::systems::{Label, SYSTEMS};
use crate::verdict::{Decision, Disallowed, Labels, Resolver, SiteCopies};
use crate::web::timestamp::Timestamp;
use arrow_array::builder::{
    BinaryBuilder, BooleanBuilder, Int32Builder, Int64Builder, StringBuilder, TimestampMicrosecondBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use std::io;
use std::sync::Arc;

/// What is decided about a page.
pub struct PageAnswer<'a> {
    /// The copies of its site's files that count.
    pub site: &'a SiteCopies<'a>,
    /// The decision.
    pub decision: &'a Decision<'a>,
    /// The carriers that could not be read whole.
    pub unread: &'a [&'a str],
}

/// Rows of `pages` but for the columns that they share with `captures`.
pub struct PageRows {
    token: StringBuilder,
    vocabulary: StringBuilder,
    robots: RobotsRows,
    access: AccessRows,
    values: Vec<ValueRows>,
    labels: LabelRows,
    unread: TextLists,
    evidence: EvidenceRows,
}

impl Default for PageRows {
    fn default() -> Self {
        Self {
            token: StringBuilder::default(),
            vocabulary: StringBuilder::default(),
            robots: RobotsRows::default(),
            access: AccessRows::default(),
            values: SYSTEMS.iter().flat_map(|system| system.about().columns).map(ValueRows::new).collect(),
            labels: LabelRows::default(),
            unread: TextLists::default(),
            evidence: EvidenceRows::default(),
        }
    }
}

impl PageRows {
    /// Adds what is said of the next page.
    pub fn push(&mut self, resolver: &Resolver, answer: &PageAnswer<'_>) {
        self.token.append_value(resolver.viewpoint().token.as_str());
        self.vocabulary.append_value(resolver.viewpoint().vocabulary.name());
        self.robots.push(answer);
        self.access.push(resolver, answer);
        for (rows, value) in self.values.iter_mut().zip(answer.decision.values()) {
            rows.push(value);
        }
        self.labels.push(&answer.decision.labels);
        self.unread.push(answer.unread.iter().copied());
        self.evidence.push(answer);
    }

    /// Returns the rows, whose first columns are in `beginnings`, and starts anew.
    ///
    /// # Errors
    /// None, unless the builder does not fit the declaration, which is a bug.
    pub fn finish(&mut self, beginnings: &RecordBatch) -> io::Result<RecordBatch> {
        let mut columns = beginnings.columns().to_vec();
        columns.push(Arc::new(self.token.finish()));
        columns.push(Arc::new(self.vocabulary.finish()));
        columns.extend(self.robots.finish());
        columns.extend(self.access.finish());
        columns.extend(self.values.iter_mut().map(ValueRows::finish));
        columns.extend(self.labels.finish());
        columns.push(self.unread.finish());
        columns.push(self.evidence.finish());
        rows(&PAGES, columns)
    }
}

#[derive(Default)]
struct LabelRows {
    /// For each label, what it is and whose word decided.
    labels: [(StringBuilder, TextLists); Label::ALL.len()],
    conflict: TextLists,
}

impl LabelRows {
    fn push(&mut self, labels: &Labels<'_>) {
        for (label, (preference, from)) in Label::ALL.into_iter().zip(&mut self.labels) {
            preference.append_value(labels.of(label).as_str());
            from.push(labels.from(label).iter().map(String::as_str));
        }
        self.conflict.push(labels.conflict.iter().map(|label| label.as_str()));
    }

    fn finish(&mut self) -> Vec<ArrayRef> {
        let mut columns = Vec::new();
        for (preference, from) in &mut self.labels {
            columns.push(Arc::new(preference.finish()) as ArrayRef);
            columns.push(from.finish());
        }
        columns.push(self.conflict.finish());
        columns
    }
}

#[derive(Default)]
struct EvidenceRows {
    /// Label, preference, system, carrier, digest.
    texts: [StringBuilder; 5],
    line: Int32Builder,
    raw: BinaryBuilder,
    offsets: Offsets,
}

impl EvidenceRows {
    fn push(&mut self, answer: &PageAnswer<'_>) {
        for one in &answer.decision.labels.evidence {
            let [label, preference, system, carrier, digest] = &mut self.texts;
            label.append_value(one.label.as_str());
            preference.append_value(one.preference.as_str());
            system.append_value(one.system);
            carrier.append_value(one.ground.carrier);
            let body = answer.site.body_of(&one.ground);
            digest.append_option(body.map(|body| body.digest.as_str()));
            self.line.append_option(one.ground.line.and_then(|line| i32::try_from(line).ok()));
            self.raw.append_option(one.ground.raw);
            self.offsets.element();
        }
        self.offsets.row();
    }

    fn finish(&mut self) -> ArrayRef {
        let texts = self.texts.iter_mut().map(|builder| Arc::new(builder.finish()) as ArrayRef);
        let mut fields: Vec<ArrayRef> = texts.collect();
        fields.push(Arc::new(self.line.finish()));
        fields.push(Arc::new(self.raw.finish()));
        self.offsets.finish_structs(EVIDENCE, fields, None)
    }
}

struct RobotsRows {
    state: StringBuilder,
    fetch_time: TimestampMicrosecondBuilder,
    age_s: Int64Builder,
    after_page: BooleanBuilder,
    stale: BooleanBuilder,
    body_digest: StringBuilder,
}

impl Default for RobotsRows {
    fn default() -> Self {
        Self {
            state: StringBuilder::default(),
            fetch_time: TimestampMicrosecondBuilder::default().with_timezone("UTC"),
            age_s: Int64Builder::default(),
            after_page: BooleanBuilder::default(),
            stale: BooleanBuilder::default(),
            body_digest: StringBuilder::default(),
        }
    }
}

impl RobotsRows {
    fn push(&mut self, answer: &PageAnswer<'_>) {
        let current = &answer.site.current;
        let dated = current.fetched_at.is_some();
        self.state.append_value(current.state.as_str());
        self.fetch_time.append_option(current.fetched_at.map(Timestamp::unix_micros));
        self.age_s.append_option(current.age_s);
        self.after_page.append_option(dated.then_some(current.after_page));
        self.stale.append_option(dated.then_some(current.stale));
        self.body_digest.append_option(answer.site.robots_body().map(|body| body.digest.as_str()));
    }

    fn finish(&mut self) -> [ArrayRef; 6] {
        [
            Arc::new(self.state.finish()),
            Arc::new(self.fetch_time.finish()),
            Arc::new(self.age_s.finish()),
            Arc::new(self.after_page.finish()),
            Arc::new(self.stale.finish()),
            Arc::new(self.body_digest.finish()),
        ]
    }
}

#[derive(Default)]
struct AccessRows {
    access: StringBuilder,
    reason: StringBuilder,
    line: Int32Builder,
    matched: StringBuilder,
    disallowed: TextLists,
    later: StringBuilder,
    disallowed_later: TextLists,
}

impl AccessRows {
    fn push(&mut self, resolver: &Resolver, answer: &PageAnswer<'_>) {
        let (access, later) = (&answer.decision.access, answer.decision.later.as_ref());
        self.access.append_value(access.preference.as_str());
        self.reason.append_value(access.reason);
        self.line.append_option(access.line.and_then(|line| i32::try_from(line).ok()));
        self.matched.append_option(access.matched.map(Matched::as_str));
        push_tokens(&mut self.disallowed, resolver, Some(&access.disallowed));
        self.later.append_option(later.map(|later| later.preference.as_str()));
        push_tokens(&mut self.disallowed_later, resolver, later.map(|later| &later.disallowed));
    }

    fn finish(&mut self) -> [ArrayRef; 7] {
        [
            Arc::new(self.access.finish()),
            Arc::new(self.reason.finish()),
            Arc::new(self.line.finish()),
            Arc::new(self.matched.finish()),
            self.disallowed.finish(),
            Arc::new(self.later.finish()),
            self.disallowed_later.finish(),
        ]
    }
}

/// Adds the tokens that are shut out, in the order of the agents table.
fn push_tokens(lists: &mut TextLists, resolver: &Resolver, disallowed: Option<&Disallowed>) {
    match disallowed.and_then(|disallowed| resolver.disallowed(disallowed)) {
        Some(tokens) => lists.push(tokens),
        None => lists.push_null(),
    }
}
