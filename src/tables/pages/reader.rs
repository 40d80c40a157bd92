//! Rows of `pages`, read back slice by slice: either the record and the verdict of each ([`Pages`]), or its URL and the noes of
//! its header and metas ([`CapturedPages`]).
//!
//! Examples: `Pages::new(&slice)?.record_id(0)`; `Content-Usage: train-ai=n` in the header of a page gives `train_ai`. Left
//! out: the columns of single systems, what decided, and what the files of the site say.

use crate::systems::Label;
use crate::tables::stored::{TextLists, column, optional};
use crate::web::field::Carrier;
use crate::web::preference::Preference;
use crate::web::timestamp::Timestamp;
use arrow_array::{Array, Int32Array, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray};
use std::io;

/// The columns that a [`Pages`] needs.
pub const VERDICT_COLUMNS: &[&str] = &[
    "warc_filename",
    "warc_record_offset",
    "warc_record_id",
    "url_host_name",
    "robots_state",
    "robots_age_s",
    "access",
    "access_reason",
    "disallowed_agents",
    "search",
    "train_ai",
    "train_genai",
    "ai_input",
    "tdm",
    "unread",
];

/// The columns with the basis of a verdict, which a [`Pages`] may have.
pub const AUDIT_COLUMNS: &[&str] = &[
    "robots_body_digest",
    "robots_fetch_time",
    "access_line",
    "search_from",
    "train_ai_from",
    "train_genai_from",
    "ai_input_from",
    "tdm_from",
];

/// The column with the robots tags of a page, which a [`Pages`] may have.
pub const RULES_COLUMN: &str = "tag_rules";

/// The basis of the verdicts of a slice.
struct AuditOfPages<'b> {
    digest: &'b StringArray,
    fetched: &'b TimestampMicrosecondArray,
    line: &'b Int32Array,
    from: Vec<(Label, TextLists<'b>)>,
}

/// A slice of `pages`.
pub struct Pages<'b> {
    filename: &'b StringArray,
    offset: &'b Int64Array,
    record_id: &'b StringArray,
    host: &'b StringArray,
    robots_state: &'b StringArray,
    robots_age_s: &'b Int64Array,
    access: &'b StringArray,
    reason: &'b StringArray,
    disallowed: TextLists<'b>,
    labels: Vec<&'b StringArray>,
    unread: TextLists<'b>,
    rules: Option<TextLists<'b>>,
    audit: Option<AuditOfPages<'b>>,
    rows: usize,
}

impl<'b> Pages<'b> {
    /// Looks at a slice.
    ///
    /// # Errors
    /// If it lacks the columns of `pages`.
    pub fn new(rows: &'b RecordBatch) -> io::Result<Self> {
        let list = |name: &str| TextLists::of(rows, name);
        Ok(Self {
            filename: column(rows, "warc_filename")?,
            offset: column(rows, "warc_record_offset")?,
            record_id: column(rows, "warc_record_id")?,
            host: column(rows, "url_host_name")?,
            robots_state: column(rows, "robots_state")?,
            robots_age_s: column(rows, "robots_age_s")?,
            access: column(rows, "access")?,
            reason: column(rows, "access_reason")?,
            disallowed: list("disallowed_agents")?,
            labels: Label::ALL.iter().map(|label| column(rows, label.as_str())).collect::<io::Result<_>>()?,
            unread: list("unread")?,
            rules: rows.column_by_name(RULES_COLUMN).map(|_| list(RULES_COLUMN)).transpose()?,
            audit: match rows.column_by_name("access_line") {
                Some(_) => Some(AuditOfPages {
                    digest: column(rows, "robots_body_digest")?,
                    fetched: column(rows, "robots_fetch_time")?,
                    line: column(rows, "access_line")?,
                    from: Label::ALL
                        .into_iter()
                        .map(|label| Ok((label, list(&format!("{}_from", label.as_str()))?)))
                        .collect::<io::Result<_>>()?,
                }),
                None => None,
            },
            rows: rows.num_rows(),
        })
    }

    /// Returns the number of rows.
    pub fn count(&self) -> usize {
        self.rows
    }

    pub fn record_id(&self, row: usize) -> Option<&'b str> {
        optional(self.record_id, row)
    }

    /// Returns the host of a row's URL, if that is the URL of a page.
    pub fn host(&self, row: usize) -> Option<&'b str> {
        optional(self.host, row)
    }

    /// Returns the place of a row's record: its archive, and the offset in it.
    pub fn place(&self, row: usize) -> (&'b str, i64) {
        (self.filename.value(row), self.offset.value(row))
    }

    /// Returns the state of robots.txt of a row.
    pub fn robots_state(&self, row: usize) -> &'b str {
        self.robots_state.value(row)
    }

    /// Returns by how many seconds a row's robots.txt is older than the page, if a robots.txt counts.
    pub fn robots_age_s(&self, row: usize) -> Option<i64> {
        self.robots_age_s.is_valid(row).then(|| self.robots_age_s.value(row))
    }

    pub fn access(&self, row: usize) -> &'b str {
        self.access.value(row)
    }

    /// Returns the reason for the access decision of a row.
    pub fn reason(&self, row: usize) -> &'b str {
        self.reason.value(row)
    }

    /// Returns the tokens that may not fetch the page of a row; `None` if they are not known.
    pub fn disallowed(&self, row: usize) -> Option<impl Iterator<Item = &'b str>> {
        self.disallowed.optional(row)
    }

    /// Returns the labels of a row, by [`Label::ALL`].
    pub fn labels(&self, row: usize) -> impl Iterator<Item = &'b str> {
        self.labels.iter().map(move |label| label.value(row))
    }

    /// Returns the parts that could not be read in full.
    pub fn unread(&self, row: usize) -> impl Iterator<Item = &'b str> {
        self.unread.row(row)
    }

    /// Returns the robots tags that bind the token, each with its agent, if the slice has them.
    pub fn rules(&self, row: usize) -> impl Iterator<Item = &'b str> {
        self.rules.into_iter().flat_map(move |lists| lists.row(row))
    }

    /// Returns the digest of the robots.txt that counts, if the slice has it.
    pub fn robots_digest(&self, row: usize) -> Option<&'b str> {
        optional(self.audit.as_ref()?.digest, row)
    }

    /// Returns the time at which it was fetched.
    pub fn robots_fetched(&self, row: usize) -> Option<Timestamp> {
        let times = self.audit.as_ref()?.fetched;
        times.is_valid(row).then(|| times.value(row)).and_then(Timestamp::from_unix_micros)
    }

    /// Returns the line that decided access.
    pub fn access_line(&self, row: usize) -> Option<u32> {
        let lines = self.audit.as_ref()?.line;
        lines.is_valid(row).then(|| lines.value(row)).and_then(|line| u32::try_from(line).ok())
    }

    /// Returns the systems and carriers that decided the labels.
    pub fn labels_from(&self, row: usize) -> impl Iterator<Item = (Label, &'b str)> {
        let labels = self.audit.iter().flat_map(|audit| &audit.from);
        labels.flat_map(move |(label, from)| from.row(row).map(move |from| (*label, from)))
    }
}

/// The columns that a [`CapturedPages`] needs.
pub const CAPTURED_COLUMNS: &[&str] = &[
    "url",
    "fetch_time",
    "search",
    "train_ai",
    "train_genai",
    "ai_input",
    "tdm",
    "search_from",
    "train_ai_from",
    "train_genai_from",
    "ai_input_from",
    "tdm_from",
    "tag_rules",
];

/// A slice of `pages`.
pub struct CapturedPages<'b> {
    url: &'b StringArray,
    fetched: &'b TimestampMicrosecondArray,
    labels: Vec<(Label, &'b StringArray, TextLists<'b>)>,
    rules: TextLists<'b>,
    rows: usize,
}

impl<'b> CapturedPages<'b> {
    /// Looks at a slice.
    ///
    /// # Errors
    /// If it lacks the columns of `pages`.
    pub fn new(rows: &'b RecordBatch) -> io::Result<Self> {
        let label = |label: Label| {
            let from = TextLists::of(rows, &format!("{}_from", label.as_str()))?;
            Ok((label, column(rows, label.as_str())?, from))
        };
        Ok(Self {
            url: column(rows, "url")?,
            fetched: column(rows, "fetch_time")?,
            labels: Label::ALL.into_iter().map(label).collect::<io::Result<_>>()?,
            rules: TextLists::of(rows, "tag_rules")?,
            rows: rows.num_rows(),
        })
    }

    /// Returns the number of rows.
    pub fn count(&self) -> usize {
        self.rows
    }

    pub fn url(&self, row: usize) -> &'b str {
        self.url.value(row)
    }

    /// Returns the time at which it was fetched.
    pub fn fetched(&self, row: usize) -> Option<Timestamp> {
        let is_known = self.fetched.is_valid(row);
        is_known.then(|| self.fetched.value(row)).and_then(Timestamp::from_unix_micros)
    }

    /// Returns the labels that its header or metas disallow.
    pub fn noes(&self, row: usize) -> impl Iterator<Item = Label> {
        let is_of_page = |from: &str| from.rsplit(' ').next().and_then(Carrier::named).is_some();
        self.labels.iter().filter_map(move |(label, values, from)| {
            let is_no = values.value(row) == Preference::Disallow.as_str();
            (is_no && from.row(row).any(is_of_page)).then_some(*label)
        })
    }

    /// Returns the robots tags that bind the token, each with its agent.
    pub fn rules(&self, row: usize) -> impl Iterator<Item = &'b str> {
        self.rules.row(row)
    }
}
