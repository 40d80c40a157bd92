//! Rows of `pages`, read back slice by slice: either the record and the verdict of each ([`Pages`]), or its URL and the noes of
//! its header and metas ([`CapturedPages`]).
//!
//! Examples: `Pages::new(&slice)?.record_id(0)`; `Content-Usage: train-ai=n` in the header of a page gives `train_ai`. Left
//! out: the columns of single systems, what decided, and what the files of the site say.

use crate::systems::Label;
use crate::tables::slice::{Elements, IfRead, Instants, ListOf, OrNull, slice};
use crate::web::field::Carrier;
use crate::web::preference::Preference;
use crate::web::timestamp::Timestamp;
use arrow_array::{Int32Array, Int64Array, StringArray};
use itertools::Itertools;
use std::io;

/// The columns that a [`Pages`] needs.
pub const VERDICT_COLUMNS: &[&str] = Pages::COLUMNS.split_at(15).0;

/// The columns with the basis of a verdict, which a [`Pages`] may have.
pub const AUDIT_COLUMNS: &[&str] = Pages::COLUMNS.split_at(15).1.split_at(8).0;

/// The column with the robots tags of a page, which a [`Pages`] may have.
pub const RULES_COLUMN: &str = "tag_rules";

slice! {
    /// A slice of `pages`: the columns of verdicts, their basis, and robots tags.
    pub struct Pages {
        filename: StringArray = "warc_filename",
        offset: Int64Array = "warc_record_offset",
        pub record_id: OrNull<StringArray> = "warc_record_id",
        /// Returns the host of a row's URL, if that is the URL of a page.
        pub host: OrNull<StringArray> = "url_host_name",
        /// Returns the state of robots.txt of a row.
        pub robots_state: StringArray = "robots_state",
        /// Returns by how many seconds a row's robots.txt is older than the page, if a robots.txt counts.
        pub robots_age_s: OrNull<Int64Array> = "robots_age_s",
        pub access: StringArray = "access",
        /// Returns the reason for the access decision of a row.
        pub reason: StringArray = "access_reason",
        /// Returns the tokens that may not fetch the page of a row; `None` if they are not known.
        pub disallowed: OrNull<ListOf<StringArray>> = "disallowed_agents",
        search: StringArray = "search",
        train_ai: StringArray = "train_ai",
        train_genai: StringArray = "train_genai",
        ai_input: StringArray = "ai_input",
        tdm: StringArray = "tdm",
        /// Returns the parts that could not be read in full.
        pub unread: ListOf<StringArray> = "unread",
        digest: IfRead<OrNull<StringArray>> = "robots_body_digest",
        fetched: IfRead<Instants> = "robots_fetch_time",
        line: IfRead<OrNull<Int32Array>> = "access_line",
        search_from: IfRead<ListOf<StringArray>> = "search_from",
        train_ai_from: IfRead<ListOf<StringArray>> = "train_ai_from",
        train_genai_from: IfRead<ListOf<StringArray>> = "train_genai_from",
        ai_input_from: IfRead<ListOf<StringArray>> = "ai_input_from",
        tdm_from: IfRead<ListOf<StringArray>> = "tdm_from",
        tag_rules: IfRead<ListOf<StringArray>> = "tag_rules",
    }
    check has_all_of_audit
}

impl Pages {
    /// Returns the place of a row's record: its archive, and the offset in it.
    pub fn place(&self, row: usize) -> (&str, i64) {
        (self.filename(row), self.offset(row))
    }

    /// Returns the labels of a row, by [`Label::ALL`].
    pub fn labels(&self, row: usize) -> [&str; 5] {
        [self.search(row), self.train_ai(row), self.train_genai(row), self.ai_input(row), self.tdm(row)]
    }

    /// Returns the robots tags that bind the token, each with its agent, if the slice has them.
    pub fn rules(&self, row: usize) -> impl Iterator<Item = &str> {
        self.tag_rules(row).into_iter().flatten()
    }

    /// Returns the digest of the robots.txt that counts, if the slice has it.
    pub fn robots_digest(&self, row: usize) -> Option<&str> {
        self.digest(row)?
    }

    /// Returns the time at which it was fetched.
    pub fn robots_fetched(&self, row: usize) -> Option<Timestamp> {
        self.fetched(row)?
    }

    /// Returns the line that decided access.
    pub fn access_line(&self, row: usize) -> Option<u32> {
        u32::try_from(self.line(row)??).ok()
    }

    /// Returns the systems and carriers that decided the labels.
    pub fn labels_from(&self, row: usize) -> impl Iterator<Item = (Label, &str)> {
        let from = [
            self.search_from(row),
            self.train_ai_from(row),
            self.train_genai_from(row),
            self.ai_input_from(row),
            self.tdm_from(row),
        ];
        let labels = Label::ALL.into_iter().zip(from);
        labels.flat_map(|(label, from)| from.into_iter().flatten().map(move |from| (label, from)))
    }

    fn has_all_of_audit(&self) -> io::Result<()> {
        let labels = [&self.search_from, &self.train_ai_from, &self.train_genai_from, &self.ai_input_from];
        let mut of_audit = vec![self.digest.is_some(), self.fetched.is_some(), self.line.is_some()];
        of_audit.extend(labels.into_iter().chain([&self.tdm_from]).map(Option::is_some));
        if of_audit.iter().all_equal() { Ok(()) } else { Err(io::Error::other("some columns of an audit")) }
    }
}

slice! {
    /// A slice of `pages`: what captures say themselves.
    pub struct CapturedPages {
        pub url: StringArray = "url",
        /// Returns the time at which it was fetched.
        pub fetched: Instants = "fetch_time",
        search: StringArray = "search",
        train_ai: StringArray = "train_ai",
        train_genai: StringArray = "train_genai",
        ai_input: StringArray = "ai_input",
        tdm: StringArray = "tdm",
        search_from: ListOf<StringArray> = "search_from",
        train_ai_from: ListOf<StringArray> = "train_ai_from",
        train_genai_from: ListOf<StringArray> = "train_genai_from",
        ai_input_from: ListOf<StringArray> = "ai_input_from",
        tdm_from: ListOf<StringArray> = "tdm_from",
        /// Returns the robots tags that bind the token, each with its agent.
        pub rules: ListOf<StringArray> = "tag_rules",
    }
}

impl CapturedPages {
    /// Returns the labels that its header or metas disallow.
    pub fn noes(&self, row: usize) -> impl Iterator<Item = Label> {
        let is_of_page = |from: &str| from.rsplit(' ').next().and_then(Carrier::named).is_some();
        let is_no = move |value: &str, mut from: Elements<'_, StringArray>| {
            value == Preference::Disallow.as_str() && from.any(is_of_page)
        };
        let noes = [
            is_no(self.search(row), self.search_from(row)),
            is_no(self.train_ai(row), self.train_ai_from(row)),
            is_no(self.train_genai(row), self.train_genai_from(row)),
            is_no(self.ai_input(row), self.ai_input_from(row)),
            is_no(self.tdm(row), self.tdm_from(row)),
        ];
        Label::ALL.into_iter().zip(noes).filter(|(_, is_no)| *is_no).map(|(label, _)| label)
    }
}
