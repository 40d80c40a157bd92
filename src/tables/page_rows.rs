//! Rows of `pages`, being filled.

use super::data_type;
use super::pages::{NOT_READ_YET, PAGES, TRACE};
use super::values::{TextLists, ValueRows};
use super::writer::rows;
use crate::resolve::{Crawl, Current, Disallowed, Resolver};
use crate::signals::robots_txt::Matched;
use crate::signals::{SIGNALS, Value};
use crate::web::product_token::ProductToken;
use crate::web::timestamp::Timestamp;
use arrow_array::builder::{
    BooleanBuilder, Int32Builder, Int64Builder, StringBuilder, TimestampMicrosecondBuilder,
};
use arrow_array::{ArrayRef, RecordBatch, new_null_array};
use std::io;
use std::sync::Arc;

/// What is said of a page.
pub struct PageAnswer<'a, B> {
    /// The robots.txt that counts.
    pub current: &'a Current<B>,
    /// The key of its body, where one was read.
    pub body_digest: Option<&'a str>,
    /// Its answer.
    pub crawl: &'a Crawl<'a>,
    /// The answer of a later crawl's newest capture, where one was given.
    pub later: Option<&'a Crawl<'a>>,
    /// The systems' values, in the order of their columns.
    pub values: &'a [Value],
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
    unread: TextLists,
    count: usize,
}

impl Default for PageRows {
    fn default() -> Self {
        Self {
            token: StringBuilder::default(),
            vocabulary: StringBuilder::default(),
            robots: RobotsRows::default(),
            access: AccessRows::default(),
            values: SIGNALS.iter().flat_map(|signal| signal.columns()).map(ValueRows::new).collect(),
            unread: TextLists::default(),
            count: 0,
        }
    }
}

impl PageRows {
    /// Adds what is said of the next page.
    pub fn push<B>(&mut self, resolver: &Resolver, answer: &PageAnswer<'_, B>) {
        self.token.append_value(resolver.viewpoint().token.as_str());
        self.vocabulary.append_value(resolver.viewpoint().vocabulary.name());
        self.robots.push(answer);
        self.access.push(resolver, answer);
        for (rows, value) in self.values.iter_mut().zip(answer.values) {
            rows.push(value);
        }
        self.unread.push(answer.unread.iter().copied());
        self.count += 1;
    }

    /// Returns the rows, whose first columns are in `beginnings`, and starts anew.
    ///
    /// # Errors
    /// None, unless the builder does not fit the declaration, which is a bug.
    pub fn finish(&mut self, beginnings: &RecordBatch) -> io::Result<RecordBatch> {
        let count = std::mem::take(&mut self.count);
        let mut columns = beginnings.columns().to_vec();
        columns.push(Arc::new(self.token.finish()));
        columns.push(Arc::new(self.vocabulary.finish()));
        columns.extend(self.robots.finish());
        columns.extend(self.access.finish());
        columns.extend(self.values.iter_mut().map(ValueRows::finish));
        let null = |kind| new_null_array(&data_type(kind), count);
        columns.extend(NOT_READ_YET.iter().flat_map(|group| group.iter()).map(|column| null(column.kind)));
        columns.push(self.unread.finish());
        columns.extend(TRACE.iter().skip(1).map(|column| null(column.kind)));
        rows(&PAGES, columns)
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
    fn push<B>(&mut self, answer: &PageAnswer<'_, B>) {
        let current = answer.current;
        let dated = current.fetched_at.is_some();
        self.state.append_value(current.state.as_str());
        self.fetch_time.append_option(current.fetched_at.map(Timestamp::unix_micros));
        self.age_s.append_option(current.age_s);
        self.after_page.append_option(dated.then_some(current.after_page));
        self.stale.append_option(dated.then_some(current.stale));
        self.body_digest.append_option(answer.body_digest);
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
    fn push<B>(&mut self, resolver: &Resolver, answer: &PageAnswer<'_, B>) {
        let crawl = answer.crawl;
        self.access.append_value(crawl.access.as_str());
        self.reason.append_value(crawl.reason);
        self.line.append_option(crawl.line.and_then(|line| i32::try_from(line).ok()));
        self.matched.append_option(crawl.matched.map(Matched::as_str));
        push_tokens(&mut self.disallowed, resolver, Some(&crawl.disallowed));
        self.later.append_option(answer.later.map(|later| later.access.as_str()));
        push_tokens(&mut self.disallowed_later, resolver, answer.later.map(|later| &later.disallowed));
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
    match disallowed {
        Some(Disallowed::Some(tokens)) => lists.push(tokens.iter().map(|place| resolver.token(place))),
        Some(Disallowed::All) => lists.push(resolver.tokens().iter().map(ProductToken::as_str)),
        Some(Disallowed::Unknown) | None => lists.push_null(),
    }
}
