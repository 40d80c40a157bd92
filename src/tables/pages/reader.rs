//! Rows of `pages`, read back slice by slice: either the record and the verdict of each ([`Pages`]), or its URL and the noes of
//! its header and metas ([`CapturedPages`]).
//!
//! Examples: `Pages::new(&slice)?.record_id(0)`; `Content-Usage: train-ai=n` in the header of a page gives `train_ai`. Left
//! out: the columns of single systems, what decided, and what the files of the site say.

use crate::systems::Label;
use crate::tables::slice::{ByLabel, Elements, IfRead, Instants, ListOf, OrNull, slice};
use crate::verdict::ANY_REVISION;
use crate::web::field::Carrier;
use crate::web::preference::Preference;
use crate::web::timestamp::Timestamp;
use arrow_array::{Int32Array, Int64Array, StringArray};
use itertools::Itertools;
use std::io;

/// The columns that a [`Pages`] needs.
pub const VERDICT_COLUMNS: &[&str] = Pages::COLUMNS.split_at(21).0;

/// The columns with the basis of a verdict, which a [`Pages`] may have.
pub const AUDIT_COLUMNS: &[&str] = Pages::COLUMNS.split_at(21).1.split_at(8).0;

/// The column with the robots tags of a page, which a [`Pages`] may have.
pub const RULES_COLUMN: &str = "tag_rules";

slice! {
    /// A slice of `pages`: the columns of verdicts, their basis, and robots tags.
    pub struct Pages {
        filename: StringArray = "warc_filename",
        offset: Int64Array = "warc_record_offset",
        pub record_id: OrNull<StringArray> = "warc_record_id",
        pub url: StringArray = "url",
        pub page_fetched: Instants = "fetch_time",
        pub robots_state: StringArray = "robots_state",
        /// Returns by how many seconds a row's robots.txt is older than the page, if a robots.txt counts.
        pub robots_age_s: OrNull<Int64Array> = "robots_age_s",
        pub access: StringArray = "access",
        pub reason: StringArray = "access_reason",
        /// Returns the tokens that may not fetch the page of a row; `None` if they are not known.
        pub disallowed: OrNull<ListOf<StringArray>> = "disallowed_agents",
        /// Returns the tokens that surely may not fetch the page of a row.
        pub surely_disallowed: ListOf<StringArray> = "disallowed_agents_at_least",
        pub labels: ByLabel<StringArray> = "search" | "train_ai" | "train_genai" | "ai_input" | "tdm",
        pub unread: ListOf<StringArray> = "unread",
        pub doubt: ListOf<StringArray> = "doubt",
        pub not_seen: ListOf<StringArray> = "not_seen",
        inner_filename: IfRead<OrNull<StringArray>> = "inner_filename",
        inner_offset: IfRead<OrNull<Int64Array>> = "inner_offset",
        digest: IfRead<OrNull<StringArray>> = "robots_body_digest",
        fetched: IfRead<Instants> = "robots_fetch_time",
        line: IfRead<OrNull<Int32Array>> = "access_line",
        from: ByLabel<IfRead<ListOf<StringArray>>> =
            "search_from" | "train_ai_from" | "train_genai_from" | "ai_input_from" | "tdm_from",
        tag_rules: IfRead<ListOf<StringArray>> = "tag_rules",
    }
    check has_all_of_audit
}

impl Pages {
    /// Returns the place of a row's record: its archive, and the offset in it.
    pub fn place(&self, row: usize) -> (&str, i64) {
        (self.filename(row), self.offset(row))
    }

    /// Returns the place of a row's record in an archive of a WACZ; older tables do not have it.
    pub fn inner_place(&self, row: usize) -> Option<(&str, i64)> {
        self.inner_filename(row)?.zip(self.inner_offset(row)?)
    }

    /// Returns the robots tags that bind the token, each with its agent, if the slice has them.
    pub fn rules(&self, row: usize) -> impl Iterator<Item = &str> {
        self.tag_rules(row).into_iter().flatten()
    }

    /// Returns the digest of the robots.txt that counts, if the slice has it.
    pub fn robots_digest(&self, row: usize) -> Option<&str> {
        self.digest(row)?
    }

    pub fn robots_fetched(&self, row: usize) -> Option<Timestamp> {
        self.fetched(row)?
    }

    pub fn access_line(&self, row: usize) -> Option<u32> {
        u32::try_from(self.line(row)??).ok()
    }

    pub fn labels_from(&self, row: usize) -> impl Iterator<Item = (Label, &str)> {
        let labels = Label::ALL.into_iter().zip(self.from(row));
        labels.flat_map(|(label, from)| from.into_iter().flatten().map(move |from| (label, from)))
    }

    fn has_all_of_audit(&self) -> io::Result<()> {
        let mut of_audit = vec![
            self.digest.is_some(),
            self.fetched.is_some(),
            self.line.is_some(),
        ];
        of_audit.extend(self.from.iter().map(Option::is_some));
        if of_audit.iter().all_equal() {
            Ok(())
        } else {
            Err(io::Error::other("some columns of an audit"))
        }
    }
}

slice! {
    pub struct CapturedPages {
        pub url: StringArray = "url",
        pub fetched: Instants = "fetch_time",
        labels: ByLabel<StringArray> = "search" | "train_ai" | "train_genai" | "ai_input" | "tdm",
        from: ByLabel<ListOf<StringArray>> =
            "search_from" | "train_ai_from" | "train_genai_from" | "ai_input_from" | "tdm_from",
        /// Returns the robots tags that bind the token, each with its agent.
        pub rules: ListOf<StringArray> = "tag_rules",
    }
}

impl CapturedPages {
    /// Returns the labels that its header or metas disallow. Where another revision refuses (`aipref any`, KNOW-9), the source
    /// does not say by which carrier, so that it counts.
    pub fn noes(&self, row: usize) -> impl Iterator<Item = Label> {
        let is_of_page = |from: &str| {
            let (_, carrier) = from.rsplit_once(' ').unwrap_or_default();
            carrier == ANY_REVISION || Carrier::named(carrier).is_some()
        };
        let is_no = move |(value, mut from): (&str, Elements<'_, StringArray>)| {
            value == Preference::Disallow.as_str() && from.any(is_of_page)
        };
        let noes = self.labels(row).into_iter().zip(self.from(row)).map(is_no);
        Label::ALL
            .into_iter()
            .zip(noes)
            .filter(|(_, is_no)| *is_no)
            .map(|(label, _)| label)
    }
}
