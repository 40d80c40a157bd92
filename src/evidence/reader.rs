//! Reads records: decides which are captures, and keeps their evidence.

use super::body::{Completeness, decode};
use super::extent::{ArchiveMaker, has_second_head, marks, may_begin_later, resource_marks};
use super::fields::{BodyFields, PageType};
use super::http_head::{HeadField, HttpHead, ValueExtent};
use super::noise::is_noise;
use super::page_metas::{may_have_metas, read_metas};
use super::referred::Referred;
use super::robots_targets::RobotsTargets;
use super::{Body, Capture, Depth, Fields, Reading, RecordType, Target};
use crate::archive::{ArchiveName, Damage, DamageKind, Kind, Place, Record, Subset, Unread};
use crate::web::body_mark::{BodyMark, BodyMarks};
use crate::web::url::{NotWeb, PageUrl, resolve};
use crate::web::{
    body_text::ReadAs, capture_kind::CaptureKind, field::Carrier, host::HostParts,
    media_type::essence, shown::shown, timestamp::Timestamp,
};
use sha1::{Digest, Sha1};
use std::borrow::Cow;

/// The longest body of a site file that is kept: twice the size that RFC 9309 2.5 asks a parser to read.
pub const SITE_FILE_BYTES: usize = 1 << 20;

/// The longest `ETag` or Last-Modified that is kept.
const VALIDATOR_BYTES: usize = 256;

/// Reads the records of archives. Its buffers are reused for each record.
pub struct RecordReader {
    depth: Depth,
    fields: Fields,
    /// The last host and its parts: Common Crawl sorts an archive by host.
    host: Option<(String, HostParts)>,
    referred: Referred,
    targets: RobotsTargets,
    /// The origin of the archive by its name.
    named: Option<ArchiveMaker>,
    /// The origin of the archive by its warcinfo record.
    origin: ArchiveMaker,
}

#[derive(Default)]
struct Message<'a> {
    head: Option<HttpHead<'a>>,
    fields: BodyFields<'a>,
    body: &'a [u8],
    extent: ValueExtent,
    /// Whether the body may begin behind the first byte of the whole (READ-14).
    begins_later: bool,
    /// Whether a tool stored the body without a head.
    is_stored: bool,
    marks: BodyMarks,
}

impl RecordReader {
    pub fn new(depth: Depth) -> Self {
        let (fields, referred) = (Fields::default(), Referred::default());
        Self {
            depth,
            fields,
            host: None,
            referred,
            targets: RobotsTargets::default(),
            named: None,
            origin: ArchiveMaker::Other,
        }
    }

    pub fn of_archive(mut self, name: &ArchiveName) -> Self {
        self.named = ArchiveMaker::of_name(name);
        self
    }

    /// Notes that the input has been read: a record named by a revisit is known by now, or never (FRAME-5).
    pub fn end_input(&mut self) {
        self.referred.is_complete = true;
    }

    /// Returns the place of the record that a revisit of a site file is proved to share its body with, if it was read.
    pub fn original(&self, record: &Record<'_>, subset: Option<Subset>) -> Option<Place> {
        let url = PageUrl::new(record.target.filter(|_| record.kind == Kind::Revisit)?).ok()?;
        let fields = HttpHead::parse(record.block)
            .map(|head| BodyFields::from_head(&head))
            .unwrap_or_default();
        Some(
            self.referred
                .prove(record, kind(Some(&url), subset), &fields)?
                .place,
        )
    }

    pub fn read<'a>(&'a mut self, record: &Record<'a>, subset: Option<Subset>) -> Reading<'a> {
        if record.kind == Kind::Info {
            self.origin = ArchiveMaker::of_info(record.block);
        }
        let Some(record_type) = capture_type(record) else {
            return Reading::NoInterest;
        };
        let Some(target_uri) = record.target.filter(|uri| !uri.is_empty()) else {
            let detail = "found a capture without WARC-Target-URI".to_owned();
            return Reading::Lost(Damage::lost(
                record.place.offset,
                DamageKind::NoTargetUri,
                detail,
            ));
        };
        let mut notes = Vec::new();
        let url = match PageUrl::new(target_uri) {
            Ok(url) => Some(url),
            Err(NotWeb::NotHttp) => return Reading::NoInterest,
            Err(NotWeb::Unparsable) => {
                let detail = format!("WARC-Target-URI is no URL: {}", excerpt(target_uri));
                notes.push(Damage::harmless(
                    record.place.offset,
                    DamageKind::Url,
                    detail,
                ));
                None
            }
        };
        Reading::Capture(self.capture(record, record_type, (target_uri, url), subset, notes))
    }

    fn capture<'a>(
        &'a mut self,
        record: &Record<'a>,
        record_type: RecordType,
        (target_uri, url): (&'a [u8], Option<PageUrl<'a>>),
        subset: Option<Subset>,
        mut notes: Vec<Damage>,
    ) -> Capture<'a> {
        let kind = kind(url.as_ref(), subset);
        let origin = self.named.unwrap_or(self.origin);
        self.fields.clear();
        let (message, mut unread) = Message::read(record, origin, &mut self.fields);
        let (mut body, mut body_marks) =
            self.read_body(record, record_type, kind, &message, &mut unread);
        let payload_digests = match &body {
            Some(body) if record_type == RecordType::Response => {
                self.referred
                    .remember(record, kind, (&message.fields, message.body), body)
            }
            Some(_) | None => Vec::new(),
        };
        if let Some(host) = url.as_ref().map(PageUrl::host_name)
            && self.host.as_ref().is_none_or(|(known, _)| known != host)
        {
            self.host = Some((host.to_owned(), HostParts::split(host)));
        }
        let media_type = message
            .fields
            .content_types
            .first()
            .and_then(|value| essence(value));
        // READ-6: behind such a head of a site file another one may have had the file.
        let has_other = kind != CaptureKind::Page && has_second_head(message.body);
        let status = message.head.as_ref().and_then(|head| head.status);
        let status = status.filter(|status| !(has_other && (300..500).contains(status)));
        let redirect = redirect(&message, status, url.as_ref());
        self.targets.add(kind, url.as_ref(), redirect.as_deref());
        if kind == CaptureKind::Page
            && record_type != RecordType::Revisit
            && record_type.may_have_file(status)
            && !record.not_kept.body
            && self.targets.may_be(url.as_ref(), &message.fields)
        {
            body = site_body(&message, CaptureKind::Robots, &mut body_marks);
        }
        Capture {
            record: *record,
            redirect,
            fetched_at: fetched_at(record, &mut notes),
            record_type,
            status,
            validator: if kind == CaptureKind::Page {
                None
            } else {
                validator(&message, status)
            },
            media_type: media_type.map(Cow::into_owned),
            payload_bytes: record
                .length
                .saturating_sub((record.block.len() - message.body.len()) as u64),
            kind,
            body,
            body_marks,
            payload_digests,
            depth: self.depth,
            unread,
            target: match (url, &self.host) {
                (Some(url), Some((_, parts))) => Target::Url(url, parts),
                (Some(_) | None, _) => Target::Unreadable(shown(target_uri)),
            },
            fields: &self.fields,
            notes,
        }
    }

    /// Reads the body of a site file or the HTML head of a page, and notes in `unread` the parts that could not be read.
    fn read_body<'a>(
        &mut self,
        record: &Record<'a>,
        record_type: RecordType,
        kind: CaptureKind,
        message: &Message<'a>,
        unread: &mut Unread,
    ) -> (Option<Body<'a>>, BodyMarks) {
        let mut marks = message.marks;
        let body = match (record_type, kind) {
            (RecordType::Revisit, CaptureKind::Page) => {
                // KNOW-4: it may have metas, which are those of its original.
                unread.meta = PageType::from_fields(&message.fields) != PageType::Other;
                return (None, marks);
            }
            (RecordType::Response | RecordType::Resource, CaptureKind::Page) => {
                unread.meta = self.read_page(message, record.not_kept) == ValueExtent::Cut;
                return (None, marks);
            }
            (RecordType::Revisit, _) => {
                let known = self.referred.prove(record, kind, &message.fields);
                known.map(|known| Body {
                    digest: known.digest,
                    bytes: (&[]).into(),
                    marks: known.marks,
                })
            }
            (RecordType::Response | RecordType::Resource, _) if record.not_kept.body => None,
            (RecordType::Response | RecordType::Resource, _) => {
                site_body(message, kind, &mut marks)
            }
        };
        unread.body = body.is_none();
        if let Some(body) = &body {
            marks.add_all(body.marks);
        }
        (body, marks)
    }

    fn read_page(&mut self, message: &Message<'_>, not_kept: Unread) -> ValueExtent {
        let is_whole_head = message.head.as_ref().is_some_and(HttpHead::is_final);
        if !(is_whole_head || message.is_stored) || has_second_head(message.body) {
            return ValueExtent::Cut;
        }
        let has_no_metas = PageType::from_fields(&message.fields) == PageType::Other;
        if message.begins_later && !has_no_metas {
            return ValueExtent::Cut;
        }
        match self.depth {
            Depth::Full | Depth::Heads => {
                let extent = read_metas(
                    &message.fields,
                    message.body,
                    message.extent,
                    &mut self.fields,
                );
                if not_kept.meta && !has_no_metas {
                    ValueExtent::Cut
                } else {
                    extent
                }
            }
            Depth::NoMeta | Depth::HeadsNoMeta if may_have_metas(&message.fields, message.body) => {
                ValueExtent::Cut
            }
            Depth::NoMeta | Depth::HeadsNoMeta => ValueExtent::Whole,
        }
    }
}

/// READ-24: returns whether a field of a proxy may state something, whose noes count and whose yeses do not.
fn may_be_said(field: &HeadField<'_>) -> bool {
    let name = String::from_utf8_lossy(field.name).to_ascii_lowercase();
    !name.starts_with("proxy-") && !is_noise(Carrier::Header, &name)
}

impl<'a> Message<'a> {
    /// Takes the header fields into `fields`; a head that is missing, cut by the archive or our limits, or interim is unread.
    fn read(record: &Record<'a>, origin: ArchiveMaker, fields: &mut Fields) -> (Self, Unread) {
        if capture_type(record) == Some(RecordType::Resource) {
            return (
                Self::stored(record, origin),
                Unread {
                    header: true,
                    ..Unread::default()
                },
            );
        }
        let head = HttpHead::parse(record.block);
        let body = head.map_or(record.block, |head| origin.payload(record.block, &head));
        let mut message = Self {
            head,
            body,
            ..Self::default()
        };
        let mut unread = record.not_kept.header;
        match &head {
            Some(head) => {
                // Ours: a head without its empty line is unread, because whatever cut it may have left no other trace.
                unread |= !head.is_final();
                unread |= head.fields_of_proxies().any(|field| may_be_said(&field));
                for line in head.fields_and_other_lines() {
                    let Some(field) = line else {
                        // Ours: it may be a field whose colon was lost; 24,030 of 24,031 real heads have no such line.
                        unread = true;
                        continue;
                    };
                    unread |= field.extent == ValueExtent::Cut;
                    unread |=
                        fields.push(Carrier::Header, field.name, &field.value) == ValueExtent::Cut;
                    message.fields.take(&field);
                }
                message.marks = marks(record, head, &message.fields, (message.body, origin));
                let is_revisit = record.kind == Kind::Revisit;
                message.begins_later = !is_revisit && may_begin_later(head, &message.fields);
                // There may have been a body behind a head that is cut off.
                if !head.is_final() && !is_revisit {
                    message.marks.add(BodyMark::Damaged);
                }
                unread |= has_second_head(message.body);
            }
            None => unread = true,
        }
        if !record.block_is_whole || message.marks.are_cut() {
            message.extent = ValueExtent::Cut;
        }
        (
            message,
            Unread {
                header: unread,
                archive: record.is_in_doubt,
                ..Unread::default()
            },
        )
    }

    /// KNOW-3: takes a resource, whose type is that of its record; what the server's header said was not stored.
    fn stored(record: &Record<'a>, origin: ArchiveMaker) -> Self {
        let content_types = record.media_type.map(Cow::Borrowed).into_iter().collect();
        let fields = BodyFields {
            content_types,
            ..BodyFields::default()
        };
        let marks = resource_marks(record, origin);
        let is_cut = !record.block_is_whole || marks.are_cut();
        let extent = if is_cut {
            ValueExtent::Cut
        } else {
            ValueExtent::Whole
        };
        Self {
            fields,
            body: record.block,
            extent,
            marks,
            is_stored: true,
            ..Self::default()
        }
    }
}

pub(super) fn capture_type(record: &Record<'_>) -> Option<RecordType> {
    match record.kind {
        Kind::Response => Some(RecordType::Response),
        Kind::Revisit => Some(RecordType::Revisit),
        // Ours: some writers store a server's answer as a resource, and say so in its media type.
        Kind::Resource | Kind::Other if record.media_type.is_some_and(is_http_response) => {
            Some(RecordType::Response)
        }
        Kind::Resource => may_state(record).then_some(RecordType::Resource),
        Kind::Info | Kind::Metadata | Kind::Other => None,
    }
}

/// KNOW-3: returns whether a resource is a site file or a page of HTML; nothing else without a head states anything.
fn may_state(record: &Record<'_>) -> bool {
    let html = ["text/html", "application/xhtml+xml"];
    let is_html = record
        .media_type
        .and_then(essence)
        .is_some_and(|essence| html.contains(&&*essence));
    let url = || PageUrl::new(record.target.unwrap_or_default());
    is_html || url().is_ok_and(|url| CaptureKind::from_url(&url) != CaptureKind::Page)
}

/// WARC 1.1, 6.3: `application/http;msgtype=response`, with blanks or quotes as parameters may have them.
fn is_http_response(media_type: &[u8]) -> bool {
    // A request is called so as well, but for one word.
    let word = b"response";
    let mut words = media_type.windows(word.len());
    if !words.any(|part| part.eq_ignore_ascii_case(word)) {
        return false;
    }
    let is_http = essence(media_type).is_some_and(|essence| essence == "application/http");
    let mut parameters = media_type.to_ascii_lowercase();
    parameters.retain(|byte| !matches!(byte, b' ' | b'\t' | b'"'));
    is_http && memchr::memmem::find(&parameters, b";msgtype=response").is_some()
}

/// Decodes and digests the body of a site file; `None` if there is nothing to read.
fn site_body<'a>(
    message: &Message<'a>,
    kind: CaptureKind,
    marks: &mut BodyMarks,
) -> Option<Body<'a>> {
    if message.head.is_none() && !message.is_stored {
        return None;
    }
    // READ-14: lines that may be incomplete, in an unknown group, are not read.
    if message.begins_later {
        return Some(Body {
            digest: Sha1::digest(b"").into(),
            bytes: (&[]).into(),
            marks: *marks,
        });
    }
    let payload = decode(
        &message.fields,
        message.body,
        SITE_FILE_BYTES,
        ReadAs::site_file(kind),
    );
    if payload.is_undeclared {
        marks.add(BodyMark::CodingUndeclared);
    }
    match payload.completeness {
        Completeness::Whole => {}
        Completeness::Longer => marks.add(BodyMark::OverLimit),
        Completeness::Cut => marks.add(BodyMark::Damaged),
        Completeness::Undecodable => {
            marks.add(BodyMark::Undecodable);
            return None;
        }
    }
    // If a body is longer than the reader holds at once, only its beginning is available.
    if message.extent == ValueExtent::Cut && !marks.are_cut() {
        marks.add(BodyMark::OverLimit);
    }
    Some(Body {
        digest: Sha1::digest(&payload.bytes).into(),
        bytes: payload.bytes,
        marks: *marks,
    })
}

/// RFC 9110 8.8: `ETag`, or Last-Modified if there is none; of an answer that has a file, or confirms one.
fn validator(message: &Message<'_>, status: Option<u16>) -> Option<String> {
    let fields = &message.fields;
    let value = fields.etag.as_ref().or(fields.last_modified.as_ref());
    let value = value.filter(|_| matches!(status, Some(200..=299 | 304)))?;
    let value = std::str::from_utf8(value.trim_ascii()).ok()?;
    (!value.is_empty() && value.len() <= VALIDATOR_BYTES).then(|| value.to_owned())
}

fn fetched_at(record: &Record<'_>, notes: &mut Vec<Damage>) -> Option<Timestamp> {
    let date = record.date.unwrap_or_default();
    let fetched_at = Timestamp::new(date);
    if fetched_at.is_none() {
        let detail = format!(
            "WARC-Date is no date of the years 1970 to 9999: {}",
            excerpt(date)
        );
        notes.push(Damage::harmless(
            record.place.offset,
            DamageKind::Date,
            detail,
        ));
    }
    fetched_at
}

/// RFC 9110 15.4: a 3xx answer may name its target in Location.
fn redirect(
    message: &Message<'_>,
    status: Option<u16>,
    base: Option<&PageUrl<'_>>,
) -> Option<String> {
    status.filter(|status| (300..400).contains(status))?;
    let location = message.fields.location.as_deref()?;
    Some(resolve(base, location))
}

fn excerpt(value: &[u8]) -> String {
    const SHOWN_BYTES: usize = 200;
    let (start, rest) = value.split_at_checked(SHOWN_BYTES).unwrap_or((value, b""));
    format!(
        "\"{}\"{}",
        start.escape_ascii(),
        if rest.is_empty() { "" } else { "..." }
    )
}

/// Returns the kind of a capture; any other record of a robotstxt subset is the target of a robots.txt's redirect.
pub(super) fn kind(url: Option<&PageUrl<'_>>, subset: Option<Subset>) -> CaptureKind {
    match (url.map_or(CaptureKind::Page, CaptureKind::from_url), subset) {
        (CaptureKind::Robots, _) => CaptureKind::Robots,
        (_, Some(Subset::RobotsTxt)) => CaptureKind::RobotsHop,
        (kind, Some(Subset::Warc | Subset::CrawlDiagnostics) | None) => kind,
    }
}
