//! A scenario: a page, the data received of it and of its site's files, and the viewpoint.
//!
//! Example: `https://a.example/b`, its header fields, and three captures of the site's robots.txt. Left out: its source; `json`
//! reads a scenario, and `tables` takes one from the tables of a run.

use crate::systems::{Viewpoint, sup};
use crate::verdict::timeline::Sent;
use crate::verdict::{AgentsTable, RecordLocation, Request};
use crate::web::capture_kind::CaptureKind;
use crate::web::field::{Carrier, OwnedField};
use crate::web::origin::Origin;
use crate::web::preference::Preference;
use crate::web::timestamp::Timestamp;
use crate::web::url::PageUrl;
use serde::Deserialize;
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
#[derive(Debug, Deserialize)]
pub struct TagQuestion {
    /// `robots-tag`, `x-robots-tag`, or `meta:` and a name.
    pub source: Option<String>,
    pub lines: Vec<String>,
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
        self.fields.push(OwnedField::new(carrier, name, value));
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

    /// Returns the URL of a file of the page's site, at the first of its paths.
    pub fn site_file_url(&self, kind: CaptureKind) -> Option<PageUrl<'static>> {
        let url = format!("{}{}", self.url.as_ref()?.origin(), kind.paths().first()?);
        PageUrl::new(url.as_bytes()).map(PageUrl::into_owned).ok()
    }

    /// Takes the requests for the files of the page's site.
    #[cfg(feature = "tables")]
    pub(super) fn take_files(&mut self, files: Vec<Request>) {
        (self.site_files, self.robots) = files.into_iter().partition(|file| file.kind.is_beside_robots());
    }

    /// Returns the time of the newest file.
    pub fn newest_file(&self) -> Option<Timestamp> {
        self.robots.iter().chain(&self.site_files).filter_map(|request| request.fetched_at).max()
    }

    /// Returns whether the scenario asks anything.
    pub fn asks(&self) -> bool {
        let Questions { statements, expressions, tag, .. } = &self.questions;
        let asks = statements.is_some() || expressions.is_some() || tag.is_some();
        asks || self.url.is_some() || !self.fields.is_empty()
    }
}
