//! A page as received, or known only by its URL.

use crate::systems::Page;
use crate::web::url::PageUrl;
use crate::web::{
    field::Field, path_pattern::UrlPath, preference::Preference, timestamp::Timestamp,
};

/// A page as received.
pub struct PageRecord<'a> {
    pub(super) url: Option<PageUrl<'a>>,
    pub(super) path: Option<UrlPath>,
    /// Its media type in lower case, if the response has one.
    pub media_type: Option<&'a str>,
    /// When it was fetched, if known.
    pub fetched_at: Option<Timestamp>,
    pub fields: &'a [Field<'a>],
    /// The carriers that could not be read in full.
    pub unread: &'a [&'a str],
    /// The carriers that nobody received.
    pub not_seen: &'a [&'a str],
}

/// The unseen carriers of a page that is known only by its URL: none of its labels is allow (LABEL-3).
pub const UNSEEN: [&str; 2] = ["header", "meta"];

impl<'a> PageRecord<'a> {
    /// Takes a page; its URL is `None` if it cannot be read.
    pub fn new(
        url: Option<PageUrl<'a>>,
        media_type: Option<&'a str>,
        fields: &'a [Field<'a>],
        unread: &'a [&'a str],
    ) -> Self {
        let path =
            |url: &PageUrl<'_>| UrlPath::new(url.path().as_bytes(), url.query().map(str::as_bytes));
        Self {
            path: url.as_ref().map(path),
            url,
            media_type,
            fetched_at: None,
            fields,
            unread,
            not_seen: &[],
        }
    }

    /// Takes a page that is known only by its URL.
    pub fn unseen(url: Option<PageUrl<'a>>) -> Self {
        Self {
            not_seen: &UNSEEN,
            ..Self::new(url, None, &[], &[])
        }
    }

    pub(super) fn host(&self) -> Option<&str> {
        self.url.as_ref().map(PageUrl::origin_host)
    }

    /// Returns it as systems see it; `crawl` is the access by robots.txt.
    pub fn for_systems(&self, crawl: Preference) -> Page<'_> {
        let (media_type, fetched_at, fields) = (self.media_type, self.fetched_at, self.fields);
        let (scheme, host) = self
            .url
            .as_ref()
            .map(|url| (url.scheme(), url.origin_host()))
            .unzip();
        Page {
            scheme,
            host,
            path: self.path.as_ref(),
            media_type,
            fetched_at,
            crawl,
            fields,
        }
    }
}
