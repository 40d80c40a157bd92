//! Rows of `robots`, being filled.

use super::columns::{URL, WHAT, WHERE, int64};
use super::robots::ROBOTS;
use super::values::TextLists;
use super::writer::rows;
use crate::verdict::site::{Outcome, SiteFacts, line_columns};
use arrow_array::builder::{BooleanBuilder, Int32Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use std::io;
use std::sync::Arc;

/// What is said of a capture of a robots.txt.
pub struct RobotsRow<'a> {
    /// The site for which it speaks; `None` where its URL cannot be read.
    pub origin: Option<&'a str>,
    /// What came of it.
    pub outcome: Outcome,
    /// The key of its body, where one was kept.
    pub body_digest: Option<&'a str>,
    /// How long that is, and what it holds, where it is the file.
    pub file: Option<(usize, &'a SiteFacts)>,
}

/// Rows of `robots` but for the columns that they share with `captures`.
pub struct RobotsRows {
    /// Origin, outcome, digest, vendors.
    texts: [StringBuilder; 4],
    bytes: Int64Builder,
    /// Groups, agents, rules, bad lines.
    counts: [Int32Builder; 4],
    /// Content-Usage, Content-Signal, Usage, App-Directives, License.
    has: Vec<BooleanBuilder>,
    lints: TextLists,
    count: usize,
}

impl Default for RobotsRows {
    fn default() -> Self {
        Self {
            texts: Default::default(),
            bytes: Int64Builder::default(),
            counts: Default::default(),
            has: line_columns().map(|_| BooleanBuilder::default()).collect(),
            lints: TextLists::default(),
            count: 0,
        }
    }
}

impl RobotsRows {
    /// Adds what is said of the next capture.
    pub fn push(&mut self, row: &RobotsRow<'_>) {
        let facts = row.file.map(|(_, facts)| facts);
        let [origin, outcome, digest, vendors] = &mut self.texts;
        origin.append_option(row.origin);
        outcome.append_value(row.outcome.as_str());
        digest.append_option(row.body_digest);
        vendors.append_option(facts.and_then(|facts| facts.managed_by.as_deref()));
        self.bytes.append_option(row.file.map(|(bytes, _)| int64(bytes as u64)));
        let counts =
            facts.map(|facts| [facts.group_count, facts.agent_count, facts.rule_count, facts.bad_line_count]);
        for (at, builder) in self.counts.iter_mut().enumerate() {
            let count = counts.and_then(|counts| counts.get(at).copied());
            builder.append_option(count.and_then(|count| i32::try_from(count).ok()));
        }
        for (at, builder) in self.has.iter_mut().enumerate() {
            builder.append_option(facts.and_then(|facts| facts.has_lines.get(at).copied()));
        }
        match facts {
            Some(facts) => self.lints.push(facts.lints.iter().map(|finding| finding.lint.as_str())),
            None => self.lints.push_null(),
        }
        self.count += 1;
    }

    /// Returns how many rows there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the rows, whose first columns are in `beginnings`, and starts anew.
    ///
    /// # Errors
    /// None, unless the builder does not fit the declaration, which is a bug.
    pub fn finish(&mut self, beginnings: &RecordBatch) -> io::Result<RecordBatch> {
        self.count = 0;
        let shared = WHERE.len() + URL.len() + WHAT.len();
        let mut columns: Vec<ArrayRef> = beginnings.columns().iter().take(shared).cloned().collect();
        let [origin, outcome, digest, vendors] = &mut self.texts;
        columns.extend([origin, outcome, digest].map(|texts| Arc::new(texts.finish()) as ArrayRef));
        columns.push(Arc::new(self.bytes.finish()));
        columns.extend(self.counts.iter_mut().map(|counts| Arc::new(counts.finish()) as ArrayRef));
        columns.push(Arc::new(vendors.finish()));
        columns.extend(self.has.iter_mut().map(|has| Arc::new(has.finish()) as ArrayRef));
        columns.push(self.lints.finish());
        rows(&ROBOTS, columns)
    }
}
