//! A scenario: a page, the data received of it and of its site's files, and the viewpoint.
//!
//! Example: `https://a.example/b`, its header fields, and three captures of the site's robots.txt. Left out: its source; `json`
//! reads a scenario, and `tables` takes one from the tables of a run.

use crate::robots::Extent;
use crate::systems::{Viewpoint, sup};
use crate::verdict::AgentsTable;
use crate::verdict::timeline::{Answer, Sent};
use crate::web::capture_kind::CaptureKind;
use crate::web::field::{Carrier, Field};
use crate::web::origin::Origin;
use crate::web::preference::Preference;
use crate::web::timestamp::Timestamp;
use crate::web::url::PageUrl;
use std::time::Duration;

/// When the page and its site's files were fetched, in a scenario without times.
const SOME_TIME: &[u8] = b"2025-09-01T00:00:00Z";

/// A page, the data received of it and of its site's files, and the viewpoint.
pub struct Scenario {
    /// The crawler and the vocabulary of the decision.
    pub viewpoint: Viewpoint,
    /// The tokens to check: those that may not fetch the page are listed.
    pub agents: AgentsTable,
    /// The URL of the page, if the scenario has one.
    pub url: Option<PageUrl<'static>>,
    /// When the page was fetched.
    pub fetched_at: Option<Timestamp>,
    /// The times of all captures of the page, if they are known.
    pub captures: Option<Vec<Option<Timestamp>>>,
    /// Where the record of the page is.
    pub location: RecordLocation,
    /// The media type of the page in lower case, if the response has one.
    pub media_type: Option<String>,
    /// The header fields and metas of the page.
    pub fields: Vec<OwnedField>,
    /// The carriers of the page's record that could not be read in full.
    pub unread: Vec<String>,
    /// The requests for robots.txt and for the targets of its redirects.
    pub robots: Vec<Request>,
    /// The origin whose files count, if it is not the page's.
    pub site: Option<Origin>,
    /// Whether these requests have times of their own.
    pub is_history: bool,
    /// The requests for other site files.
    pub site_files: Vec<Request>,
    /// How much later than the page a robots.txt may be.
    pub slack: Duration,
    /// Other questions.
    pub questions: Questions,
}

/// Questions beside the decision about a page.
#[derive(Debug, Default)]
pub struct Questions {
    /// Statements of the AI preference vocabulary, each from its own source.
    pub statements: Option<Vec<String>>,
    /// Expressions of SUP, each from its own source.
    pub expressions: Option<Vec<String>>,
    /// The labels that apply to one usage, and their defaults (SUP, Determination).
    pub usage: Option<Vec<(sup::SupLabel, Preference)>>,
    /// The application whose App-Directives are wanted.
    pub application: Option<String>,
    /// The HTTP method for automation-preferences.txt; `None` means GET.
    pub method: Option<String>,
    /// Lines of one robots tag.
    pub tag: Option<TagQuestion>,
}

/// The lines of one field, or the contents of the metas of one name.
#[derive(Debug)]
pub struct TagQuestion {
    /// `robots-tag`, `x-robots-tag`, or `meta:` and a name.
    pub source: String,
    pub lines: Vec<String>,
}

/// A header field or meta.
#[derive(Clone, Debug)]
pub struct OwnedField {
    /// What carries it.
    pub carrier: Carrier,
    /// Its name, in lower case.
    pub name: String,
    pub value: Vec<u8>,
}

/// The place of a record in an archive, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordLocation {
    /// The name of the archive.
    pub warc_filename: Option<String>,
    /// The byte at which the record starts.
    pub warc_record_offset: Option<u64>,
    /// Its length in the archive, in bytes.
    pub warc_record_length: Option<u64>,
}

/// A request for a site file, or for the target of a robots.txt redirect.
#[derive(Clone, Debug)]
pub struct Request {
    /// The kind that the body is read as.
    pub kind: CaptureKind,
    /// The URL that was requested.
    pub url: PageUrl<'static>,
    /// When it was requested.
    pub fetched_at: Option<Timestamp>,
    /// The server's answer.
    pub answer: Answer,
    /// The target of its redirect.
    pub redirect: Option<String>,
    pub body: Sent<Vec<u8>>,
    /// Whether the body was truncated.
    pub extent: Extent,
    /// The place of the record.
    pub location: RecordLocation,
    /// The number of its segment; if it is a page, only redirects of that segment lead to it.
    pub segment: u32,
}

impl Default for Scenario {
    fn default() -> Self {
        Self {
            viewpoint: Viewpoint::default(),
            agents: AgentsTable::bundled(),
            url: None,
            fetched_at: Timestamp::new(SOME_TIME),
            captures: None,
            location: RecordLocation::default(),
            media_type: Some("text/html".to_owned()),
            fields: Vec::new(),
            unread: Vec::new(),
            robots: Vec::new(),
            site: None,
            is_history: false,
            site_files: Vec::new(),
            slack: Duration::ZERO,
            questions: Questions::default(),
        }
    }
}

impl Scenario {
    /// Returns the scenario of a page without header fields and site files, for `CCBot`.
    pub fn of_page(url: PageUrl<'static>) -> Self {
        Self { url: Some(url), ..Self::default() }
    }

    /// Adds a header field or meta.
    pub fn add_field(&mut self, carrier: Carrier, name: &str, value: &[u8]) {
        self.fields.push(OwnedField { carrier, name: name.to_ascii_lowercase(), value: value.to_vec() });
    }

    /// Adds the robots.txt of the page's site, as current and fetched with 200.
    pub fn add_robots_txt(&mut self, body: Vec<u8>) {
        self.robots.extend(self.current_file(CaptureKind::Robots, body));
    }

    /// Adds another file of the page's site, as current and fetched with 200.
    pub fn add_site_file(&mut self, kind: CaptureKind, body: Vec<u8>) {
        self.site_files.extend(self.current_file(kind, body));
    }

    fn current_file(&self, kind: CaptureKind, body: Vec<u8>) -> Option<Request> {
        let url = self.site_file_url(kind)?;
        Some(Request { body: Sent::Body(body), ..Request::new(kind, url, self.fetched_at) })
    }

    /// Returns the origin whose files count for a URL.
    pub fn origin(&self, url: &PageUrl<'_>) -> Origin {
        self.site.clone().unwrap_or_else(|| url.origin())
    }

    /// Returns the URL of a file of the page's site, at the first of its paths.
    pub fn site_file_url(&self, kind: CaptureKind) -> Option<PageUrl<'static>> {
        let url = format!("{}{}", self.url.as_ref()?.origin(), kind.paths().first()?);
        PageUrl::new(url.as_bytes()).map(PageUrl::into_owned).ok()
    }

    /// Returns the header fields and metas of the page.
    pub fn fields(&self) -> Vec<Field<'_>> {
        let fields = self.fields.iter();
        fields.map(|field| Field { carrier: field.carrier, name: &field.name, value: &field.value }).collect()
    }

    /// Returns whether the scenario asks anything.
    pub fn asks(&self) -> bool {
        let questions = &self.questions;
        let asks = questions.statements.is_some() || questions.expressions.is_some();
        self.url.is_some() || !self.fields.is_empty() || asks || questions.tag.is_some()
    }
}

impl Request {
    /// Returns a request with the answer 200 and no body.
    pub fn new(kind: CaptureKind, url: PageUrl<'static>, fetched_at: Option<Timestamp>) -> Self {
        let location = RecordLocation::default();
        let answer = Answer::Status(200);
        Self {
            kind,
            url,
            fetched_at,
            answer,
            redirect: None,
            body: Sent::Missing,
            extent: Extent::Whole,
            location,
            segment: 0,
        }
    }
}
