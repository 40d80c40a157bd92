//! How much of a record has to be inflated so that all of its evidence is read.
//!
//! Example: of a page the HTTP head and the HTML head, of a robots.txt everything, of a request nothing.

use super::fields::{BodyFields, Fields, PageType};
use super::http_head::{HttpHead, MAX_HEAD_BYTES, ValueExtent};
use super::reader::{capture_type, kind};
use super::{
    capture::Depth, extent::ArchiveMaker, languages::METADATA_BYTES, page_metas::read_metas,
};
use crate::archive::{ArchiveName, Kind, Record, Subset, Wanted};
use crate::web::capture_kind::CaptureKind;
use crate::web::url::{NotWeb, PageUrl};

/// How many bytes of a body show whether another head begins it.
const BEGINNING_BYTES: usize = 512;
/// How many bytes of a body show its kind, even if it is in a coding.
const SNIFFED_BYTES: usize = 2048;

/// Decides how much of the records of an archive is wanted.
pub struct Heads {
    depth: Depth,
    subset: Option<Subset>,
    named: Option<ArchiveMaker>,
    origin: ArchiveMaker,
    fields: Fields,
}

impl Heads {
    pub fn new(depth: Depth, name: &ArchiveName) -> Self {
        let (subset, named) = (name.subset(), ArchiveMaker::of_name(name));
        Self {
            depth,
            subset,
            named,
            origin: ArchiveMaker::Other,
            fields: Fields::default(),
        }
    }

    /// Decides how much of a record is wanted when its beginning has been read.
    pub fn wanted(&mut self, record: &Record<'_>) -> Wanted {
        if record.kind == Kind::Info {
            self.origin = ArchiveMaker::of_info(record.block);
            return Wanted::Whole;
        }
        if capture_type(record).is_none() {
            let is_unfinished = record.kind == Kind::Metadata && !record.block_is_whole;
            let is_wanted = is_unfinished && record.length < METADATA_BYTES;
            return if is_wanted {
                Wanted::More
            } else {
                Wanted::Beginning
            };
        }
        let url = match PageUrl::new(record.target.unwrap_or_default()) {
            Ok(url) => url,
            Err(NotWeb::NotHttp) => return Wanted::Beginning,
            Err(NotWeb::Unparsable) => return Wanted::Whole,
        };
        if matches!(record.kind, Kind::Revisit | Kind::Resource)
            || kind(Some(&url), self.subset) != CaptureKind::Page
        {
            return Wanted::Whole;
        }
        self.of_page(record.block)
    }

    fn of_page(&mut self, block: &[u8]) -> Wanted {
        let unfinished = if block.len() < MAX_HEAD_BYTES {
            Wanted::More
        } else {
            Wanted::Whole
        };
        let Some(head) = HttpHead::parse(block).filter(HttpHead::is_final) else {
            return unfinished;
        };
        let body = self.named.unwrap_or(self.origin).payload(block, &head);
        let fields = BodyFields::from_head(&head);
        let page_type = PageType::from_fields(&fields);
        let wanted_bytes = if page_type == PageType::Other {
            BEGINNING_BYTES
        } else {
            SNIFFED_BYTES
        };
        if body.len() < wanted_bytes {
            return Wanted::More;
        }
        match (page_type, self.depth) {
            (PageType::Xml | PageType::Unknown, Depth::HeadsNoMeta | Depth::NoMeta) => Wanted::More,
            // The first tag may follow.
            (PageType::Other, Depth::Heads | Depth::Full) if body.trim_ascii_start().is_empty() => {
                Wanted::More
            }
            (PageType::Other, _) | (_, Depth::HeadsNoMeta | Depth::NoMeta) => Wanted::Beginning,
            (_, Depth::Heads | Depth::Full) => {
                self.fields.clear();
                match read_metas(&fields, body, ValueExtent::Cut, &mut self.fields) {
                    ValueExtent::Whole => Wanted::Beginning,
                    ValueExtent::Cut => Wanted::More,
                }
            }
        }
    }
}
