//! A scenario: a page, the data received of it and of its site's files, and the viewpoint.
//!
//! Example: `https://a.example/b`, its header fields, and three captures of the site's robots.txt. Left out: its source; `json`
//! reads a scenario, and `tables` takes one from the tables of a run.

use crate::systems::{Viewpoint, sup};
use crate::verdict::{
    AgentsTable, CopyLimits, MaxAge, RecordLocation, Request, timeline::BodyState,
};
use crate::web::field::{Carrier, OwnedField};
use crate::web::url::PageUrl;
use crate::web::{capture_kind::CaptureKind, preference::Preference, timestamp::Timestamp};
use serde::Deserialize;
use std::time::Duration;

/// When the page and its site's files were fetched, in a scenario without times.
const SOME_TIME: &[u8] = b"2025-09-01T00:00:00Z";

/// A page, the data received of it and of its site's files, and the viewpoint.
pub struct Scenario {
    pub viewpoint: Viewpoint,
    /// The tokens to check: those that may not fetch the page are listed.
    pub agents: AgentsTable,
    pub url: Option<PageUrl<'static>>,
    pub fetched_at: Option<Timestamp>,
    /// The times of all captures of the page, if they are known.
    pub captures: Option<Vec<Option<Timestamp>>>,
    pub location: RecordLocation,
    /// The media type of the page in lower case, if the response has one.
    pub media_type: Option<String>,
    pub fields: Vec<OwnedField>,
    /// The carriers of the page's record that could not be read in full.
    pub unread: Vec<String>,
    /// The carriers of the page that nobody received.
    pub not_seen: Vec<String>,
    /// The requests for robots.txt and for the targets of its redirects.
    pub robots: Vec<Request>,
    /// Whether these requests have times of their own.
    pub is_history: bool,
    pub site_files: Vec<Request>,
    /// How much later than the page a robots.txt may be.
    pub slack: Duration,
    /// The age from which a copy of a site's file proves no yes.
    pub max_age: MaxAge,
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
            not_seen: Vec::new(),
            robots: Vec::new(),
            is_history: false,
            site_files: Vec::new(),
            slack: Duration::ZERO,
            max_age: MaxAge::default(),
            questions: Questions::default(),
        }
    }
}

impl Scenario {
    /// Returns which copies of the site's files count.
    pub fn limits(&self) -> CopyLimits {
        CopyLimits {
            slack: self.slack,
            max_age: self.max_age,
            ..CopyLimits::default()
        }
    }

    /// Returns the scenario of a page without header fields and site files, for `CCBot`.
    pub fn of_page(url: PageUrl<'static>) -> Self {
        Self {
            url: Some(url),
            ..Self::default()
        }
    }

    pub fn add_field(&mut self, carrier: Carrier, name: &str, value: &[u8]) {
        self.fields.push(OwnedField::new(carrier, name, value));
    }

    /// Adds a file of the page's site, as current and fetched with 200.
    pub fn add_file(&mut self, kind: CaptureKind, body: Vec<u8>) {
        let Some(url) = self.site_file_url(kind) else {
            return;
        };
        let file = Request {
            body: BodyState::Body(body),
            ..Request::new(kind, url, self.fetched_at)
        };
        let files = if kind.is_beside_robots() {
            &mut self.site_files
        } else {
            &mut self.robots
        };
        files.push(file);
    }

    /// Returns the URL of a file of the page's site, at the first of its paths.
    pub fn site_file_url(&self, kind: CaptureKind) -> Option<PageUrl<'static>> {
        let url = format!("{}{}", self.url.as_ref()?.origin(), kind.paths().first()?);
        PageUrl::new(url.as_bytes()).map(PageUrl::into_owned).ok()
    }

    #[cfg(feature = "tables")]
    pub(super) fn take_files(&mut self, files: Vec<Request>) {
        (self.site_files, self.robots) = files
            .into_iter()
            .partition(|file| file.kind.is_beside_robots());
    }

    pub fn newest_file(&self) -> Option<Timestamp> {
        self.robots
            .iter()
            .chain(&self.site_files)
            .filter_map(|request| request.fetched_at)
            .max()
    }

    /// Returns the kinds of site files of which no input has a capture (KNOW-11); a scenario that was given has no inputs.
    pub fn not_asked(&self) -> Vec<&'static str> {
        let asked = self
            .robots
            .iter()
            .chain(&self.site_files)
            .map(|request| request.kind);
        if self.captures.is_some() {
            CaptureKind::names_not_among(&asked)
        } else {
            Vec::new()
        }
    }

    pub fn asks(&self) -> bool {
        let Questions {
            statements,
            expressions,
            tag,
            ..
        } = &self.questions;
        let asks = statements.is_some() || expressions.is_some() || tag.is_some();
        asks || self.url.is_some() || !self.fields.is_empty()
    }
}
