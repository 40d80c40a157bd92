//! How much of a record has to be inflated so that nothing of its evidence is missing.
//!
//! Example: of a page its HTTP head and its HTML head, of a robots.txt everything, of a request nothing.

use super::depth::Depth;
use super::fields::Fields;
use super::http_head::{HeadEnd, HttpHead, MAX_HEAD_BYTES};
use super::page_metas::{BodyHeld, MetaOutcome, is_html_page, read_metas};
use super::reader::{capture_type, kind};
use crate::archive::{Kind, Record, Subset, Wanted};
use crate::web::capture_kind::CaptureKind;
use crate::web::url::{NotWeb, PageUrl};

/// A body that is longer shows whether it is HTML.
const SNIFFED_BYTES: usize = 512;

/// Decides how much of the records of an archive is wanted.
pub struct Heads {
    depth: Depth,
    subset: Option<Subset>,
    fields: Fields,
}

impl Heads {
    /// Returns what decides for an archive in `subset`.
    #[must_use]
    pub fn new(depth: Depth, subset: Option<Subset>) -> Self {
        Self { depth, subset, fields: Fields::default() }
    }

    /// Returns what is wanted of a record whose beginning is there.
    pub fn wanted(&mut self, record: &Record<'_>) -> Wanted {
        if record.kind == Kind::Info {
            return Wanted::Whole;
        }
        if capture_type(record).is_none() {
            return Wanted::Beginning;
        }
        let url = match PageUrl::new(record.target.unwrap_or_default()) {
            Ok(url) => url,
            Err(NotWeb::NotHttp) => return Wanted::Beginning,
            Err(NotWeb::Unparsable) => return Wanted::Whole,
        };
        if record.kind == Kind::Revisit || kind(Some(&url), self.subset) != CaptureKind::Page {
            return Wanted::Whole;
        }
        self.of_page(record.block)
    }

    fn of_page(&mut self, block: &[u8]) -> Wanted {
        let unfinished = if block.len() < MAX_HEAD_BYTES { Wanted::More } else { Wanted::Whole };
        let Some(head) = HttpHead::parse(block).filter(|head| head.end() == HeadEnd::BlankLine) else {
            return unfinished;
        };
        let body = block.get(head.body_start()..).unwrap_or_default();
        match self.depth {
            Depth::HeadsNoMeta | Depth::NoMeta if body.len() >= SNIFFED_BYTES => Wanted::Beginning,
            Depth::Heads | Depth::Full | Depth::HeadsNoMeta | Depth::NoMeta => self.of_body(&head, body),
        }
    }

    fn of_body(&mut self, head: &HttpHead<'_>, body: &[u8]) -> Wanted {
        if body.len() < SNIFFED_BYTES {
            return Wanted::More;
        }
        if !is_html_page(head, body) {
            return Wanted::Beginning;
        }
        self.fields.clear();
        match read_metas(head, body, BodyHeld::Beginning, &mut self.fields) {
            MetaOutcome::Read => Wanted::Beginning,
            MetaOutcome::Unread => Wanted::More,
        }
    }
}
