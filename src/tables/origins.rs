//! `_origins`: what a batch knows about each origin; `sites` is made from it. Not for users: it saves reading a batch again
//! that an earlier call finished.
//!
//! A row group is a run of rows sorted by `surt_host_name` and origin. Left out: the content of the site's files.

use super::Table;
use super::cells::Cells;
use super::columns::URL;
use super::slice::{Instants, ListOf, OrNull, slice};
use crate::systems::{SYSTEMS, System};
use crate::web::column::Column;
use crate::web::host::HostParts;
use crate::web::timestamp::Timestamp;
use crate::web::url::PageUrl;
use arrow_array::{Int64Array, StringArray};

/// The columns of an origin's host, as in `captures`; the last one is `surt_host_name`.
pub const HOST: &[Column] = &[URL[1], URL[2], URL[3], URL[6], URL[7], URL[8]];

cells! {
    PAGE_SYSTEMS = fn append_system(cells, (system, counts): (&&System, &SystemPages)) {
        text("system", system.about().name): "system of preferences",
        int64("pages", counts.pages): "pages whose headers or metas hold statements of it",
        int64("own_pages", counts.own):
            "of these, pages that hold it in a field that was written for it (same_field_as in statements): count who uses a system by these",
        int64("valid_pages", counts.valid):
            "of own_pages, those on which one of these statements has no defect",
    }

    pub PAGES = fn append_pages(cells, pages: &PageCounts) first {
        let of_systems = SYSTEMS.iter().zip(&pages.by_system).filter(|(_, counts)| counts.pages > 0);
    } {
        structs("page_systems" => PAGE_SYSTEMS, of_systems, append_system):
            "systems stated in headers and metas of its pages",
        int64("pages", pages.pages):
            "captures of its pages, of any status and type; 0 in tables of a site index, which has no pages",
        int64("pages_closed", pages.closed):
            "of these, those that product_token may not fetch: access is disallow",
        int64("content_bytes", pages.content_bytes): "sum of content_length of its pages",
    }

    WHICH = fn append_which(cells, origin: &str, row: &OriginRow) {
        text("origin", origin): "scheme, host, port",
        timestamp_or_null("newest", row.newest): "when its newest capture was fetched",
        text_or_null("surt_host_name", row.surt.as_deref()): URL[8].meaning,
    }
}

pub static ORIGINS: Table = Table::new("_origins", "origin in a batch, run by run", || {
    vec![WHICH, PAGES]
});

/// What the captures of an origin tell about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginRow {
    /// The time of its newest capture among those that have a time.
    pub newest: Option<Timestamp>,
    /// Its host in SURT order, as in `captures`.
    pub surt: Option<Box<str>>,
    pub pages: PageCounts,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginHost {
    protocol: &'static str,
    name: Box<str>,
    port: Option<u16>,
    parts: HostParts,
}

/// The counts over the pages of an origin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageCounts {
    pub pages: u64,
    /// The captures among these that the viewpoint's crawler may not fetch.
    pub closed: u64,
    /// Bytes behind their HTTP heads.
    pub content_bytes: u64,
    /// Pages with statements of a system, by the system's place; the list ends at the last system that has any.
    pub by_system: Vec<SystemPages>,
}

/// The number of pages in which a system is stated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SystemPages {
    pub pages: u64,
    /// Pages with a statement in a field that was written for the system.
    pub own: u64,
    /// Pages with a valid statement in such a field.
    pub valid: u64,
}

impl OriginRow {
    pub fn add(&mut self, other: &Self) {
        self.newest = self.newest.max(other.newest);
        self.pages.pages += other.pages.pages;
        self.pages.closed += other.pages.closed;
        self.pages.content_bytes += other.pages.content_bytes;
        for (place, pages) in other.pages.by_system.iter().enumerate() {
            self.pages.add_system(place, *pages);
        }
    }
}

impl SystemPages {
    /// Returns the counts of one page for one of its statements.
    pub fn of_statement(same_field_as: Option<&str>, defect: Option<&str>) -> Self {
        let own = u64::from(same_field_as.is_none());
        Self {
            pages: 1,
            own,
            valid: if defect.is_none() { own } else { 0 },
        }
    }

    /// Returns the counts of one page for two statements of one system.
    pub fn max(self, other: Self) -> Self {
        Self {
            pages: self.pages.max(other.pages),
            own: self.own.max(other.own),
            valid: self.valid.max(other.valid),
        }
    }
}

impl PageCounts {
    /// Adds pages with statements of a system, by its place.
    pub fn add_system(&mut self, place: usize, pages: SystemPages) {
        if self.by_system.len() <= place {
            self.by_system.resize(place + 1, SystemPages::default());
        }
        if let Some(counts) = self.by_system.get_mut(place) {
            counts.pages += pages.pages;
            counts.own += pages.own;
            counts.valid += pages.valid;
        }
    }
}

impl OriginHost {
    pub fn from_url(url: &PageUrl<'_>) -> Self {
        let (name, parts) = (url.host_name(), HostParts::split(url.host_name()));
        Self {
            protocol: url.scheme().as_str(),
            name: name.into(),
            port: url.port(),
            parts,
        }
    }

    pub fn append(&self, cells: &mut Cells) {
        cells.text("url_protocol", self.protocol);
        cells.text("url_host_name", &self.name);
        cells.int32_or_null("url_port", self.port);
        cells.text_or_null("url_host_tld", self.parts.tld.as_deref());
        cells.text_or_null(
            "url_host_registered_domain",
            self.parts.registered_domain.as_deref(),
        );
        cells.text("surt_host_name", &self.parts.surt_host_name);
    }
}

pub fn append(cells: &mut Cells, origin: &str, row: &OriginRow) {
    append_which(cells, origin, row);
    append_pages(cells, &row.pages);
}

slice! {
    pub struct OriginRows {
        pub origin: StringArray = "origin",
        pub newest: Instants = "newest",
        pub surt: OrNull<StringArray> = "surt_host_name",
        systems: ListOf<StringArray> = "page_systems.system",
        pages_of: ListOf<Int64Array> = "page_systems.pages",
        own_pages_of: ListOf<Int64Array> = "page_systems.own_pages",
        valid_pages_of: ListOf<Int64Array> = "page_systems.valid_pages",
        pages: Int64Array = "pages",
        closed: Int64Array = "pages_closed",
        content_bytes: Int64Array = "content_bytes",
    }
}

impl OriginRows {
    pub fn row(&self, row: usize) -> OriginRow {
        let count = |number| u64::try_from(number).unwrap_or(0);
        let mut pages = PageCounts {
            pages: count(self.pages(row)),
            closed: count(self.closed(row)),
            content_bytes: count(self.content_bytes(row)),
            by_system: Vec::new(),
        };
        let counts = self
            .pages_of(row)
            .zip(self.own_pages_of(row))
            .zip(self.valid_pages_of(row));
        for (name, ((of, own), valid)) in self.systems(row).zip(counts) {
            if let Some(place) = SYSTEMS
                .iter()
                .position(|system| system.about().name == name)
            {
                let (own, valid) = (count(own), count(valid));
                pages.add_system(
                    place,
                    SystemPages {
                        pages: count(of),
                        own,
                        valid,
                    },
                );
            }
        }
        OriginRow {
            newest: self.newest(row),
            surt: self.surt(row).map(Box::from),
            pages,
        }
    }
}
