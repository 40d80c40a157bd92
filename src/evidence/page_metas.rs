//! The metas of a page, its licence links and RSL scripts: as much of its body is decoded as holds the HTML head.
//!
//! RULES READ-7 (which pages have metas), READ-8 (XHTML is read as XML and as HTML), READ-11 (charsets).

use super::body::{Completeness, Payload, decode};
use super::body_fields::BodyFields;
use super::charset::scannable;
use super::fields::{Fields, Kept};
use super::html_head::{HeadEnd, head_fields};
use super::page_type::PageType;
use super::xhtml::{XmlEnd, xhtml_fields};
use crate::web::body_text::{BodyText, Markup, ReadAs, binary_format, compression, markup};
use crate::web::field::Carrier;
use crate::web::lines::without_byte_order_mark;
use crate::web::media_type::essence;
use memchr::memmem;
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::ControlFlow;

/// So much of a page is decoded, each step where the one before did not hold the head. On 1,345
/// real pages no head with a robots meta was longer than the last.
const STEPS_BYTES: [usize; 3] = [64 << 10, 256 << 10, 1 << 20];

/// So many fields of an XHTML head are compared.
const XML_FIELDS: usize = 4096;

/// Whether a page's metas, licence links and RSL scripts were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetaOutcome {
    /// All of them, or there can be none.
    Read,
    /// Some may be missing.
    Unread,
}

/// Whether the archive holds all of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyHeld {
    /// It does, as far as it says.
    Whole,
    /// It does not.
    Beginning,
}

/// What a decoded page is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Html,
    /// XHTML by its type.
    Xhtml,
    /// XML, which is XHTML where its root says so.
    Xml,
    /// XML that nothing declares to be XML: HTML, too.
    HtmlOrXml,
    /// Something without metas.
    None,
    /// Nobody knows.
    Unknown,
}

/// Returns whether a response may have metas, by its Content-Type and, where that says nothing, by its decoded body.
pub fn may_have_metas(fields: &BodyFields<'_>, body: &[u8]) -> bool {
    match PageType::of(fields) {
        PageType::Html | PageType::Xhtml => true,
        PageType::Other => false,
        page_type @ (PageType::Xml | PageType::Unknown) => {
            let payload = decode(fields, body, STEPS_BYTES[0], ReadAs::Page);
            match (language(page_type, &payload), text_of(&payload, fields)) {
                (Language::None, _) => false,
                (Language::Xml, Some(text)) => may_be_xhtml(&text) && !is_other_root(&text),
                (
                    Language::Html
                    | Language::Xhtml
                    | Language::Xml
                    | Language::HtmlOrXml
                    | Language::Unknown,
                    _,
                ) => true,
            }
        }
    }
}

/// Adds the metas of a page, its licence links and RSL scripts to `found`; there are none where it is neither HTML nor
/// XHTML.
pub fn read_metas(fields: &BodyFields<'_>, body: &[u8], extent: BodyHeld, found: &mut Fields) -> MetaOutcome {
    let page_type = PageType::of(fields);
    if page_type == PageType::Other {
        return MetaOutcome::Read;
    }
    // RFC 9110 14.6: parts of a page of any type, and the heads of the parts are not read.
    let is_parts = |value: &Cow<'_, [u8]>| essence(value).is_some_and(|one| one == "multipart/byteranges");
    if fields.content_types.iter().any(is_parts) {
        return MetaOutcome::Unread;
    }
    for max_bytes in STEPS_BYTES {
        let payload = decode(fields, body, max_bytes, ReadAs::Page);
        let last = max_bytes == STEPS_BYTES[STEPS_BYTES.len() - 1];
        let may_go_on = !last && payload.completeness == Completeness::Longer;
        // What needs no decoding costs nothing to be taken whole.
        if may_go_on && matches!(payload.bytes, Cow::Borrowed(_)) {
            continue;
        }
        let whole = payload.completeness == Completeness::Whole && extent == BodyHeld::Whole;
        let before = found.len();
        match read_step(page_type, &payload, fields, found) {
            Step::Read => return MetaOutcome::Read,
            Step::Missing if whole => return MetaOutcome::Read,
            Step::Missing | Step::Broken if may_go_on => found.truncate(before),
            Step::Missing | Step::Broken | Step::Unread => return MetaOutcome::Unread,
        }
    }
    MetaOutcome::Unread
}

/// What came of a part of a page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// All is read.
    Read,
    /// The head has not ended: more bytes can hold more metas.
    Missing,
    /// The same, and the end of the body does not end the head.
    Broken,
    /// Metas may have been lost, and more bytes do not help.
    Unread,
}

fn read_step(
    page_type: PageType,
    payload: &Payload<'_>,
    fields: &BodyFields<'_>,
    found: &mut Fields,
) -> Step {
    if has_two_marks(&payload.bytes) {
        return Step::Unread;
    }
    let language = language(page_type, payload);
    if language == Language::None {
        return Step::Read;
    }
    let Some(text) = text_of(payload, fields) else { return Step::Unread };
    match language {
        Language::None => Step::Read,
        Language::Unknown => Step::Unread,
        Language::Html => read_html(&text, found),
        Language::Xhtml | Language::HtmlOrXml => read_both(&text, found),
        Language::Xml => {
            let before = found.len();
            match may_be_xhtml(&text).then(|| read_both(&text, found)) {
                Some(step) if !is_other_root(&text) => step,
                Some(_) | None => {
                    found.truncate(before);
                    Step::Read
                }
            }
        }
    }
}

/// Ours: to HTML a second byte order mark is text, which ends the head before its first meta. Nobody means that.
fn has_two_marks(page: &[u8]) -> bool {
    let after = without_byte_order_mark(page);
    after.len() < page.len() && without_byte_order_mark(after).len() < after.len()
}

/// Returns what a page is (READ-7).
fn language(page_type: PageType, payload: &Payload<'_>) -> Language {
    match page_type {
        PageType::Html => Language::Html,
        PageType::Xhtml => Language::Xhtml,
        PageType::Xml => Language::Xml,
        PageType::Other => Language::None,
        PageType::Unknown => match payload.text {
            BodyText::Wide(_) => Language::HtmlOrXml,
            BodyText::Text => match markup(&payload.bytes) {
                Markup::Tag if may_be_xhtml(&payload.bytes) => Language::HtmlOrXml,
                Markup::Html | Markup::Tag => Language::Html,
                Markup::Xml => Language::HtmlOrXml,
                Markup::None => Language::None,
            },
            BodyText::Binary => {
                let is_known =
                    binary_format(&payload.bytes).is_some() && compression(&payload.bytes).is_none();
                if is_known { Language::None } else { Language::Unknown }
            }
        },
    }
}

/// Returns the text of a page as bytes in which markup can be found; `None` where there is none.
fn text_of<'a>(payload: &'a Payload<'_>, fields: &BodyFields<'_>) -> Option<Cow<'a, [u8]>> {
    if payload.completeness == Completeness::Undecodable || payload.text == BodyText::Binary {
        return None;
    }
    let has_charset =
        |value: &&Cow<'_, [u8]>| memmem::find(&value.to_ascii_lowercase(), b"charset").is_some();
    let content_type = fields.content_types.iter().find(has_charset).map(AsRef::as_ref);
    scannable(&payload.bytes, content_type)
}

/// Ours: XML whose root is XHTML's names the namespace.
fn may_be_xhtml(text: &[u8]) -> bool {
    memmem::find(text, b"1999/xhtml").is_some()
}

/// Returns whether the root is there and another one than XHTML's.
fn is_other_root(text: &[u8]) -> bool {
    xhtml_fields(text, &mut |_, _, _| ControlFlow::Break(())) == XmlEnd::OtherRoot
}

/// Takes what a reading of a head visits into `fields`.
struct Taking<'f> {
    fields: &'f mut Fields,
    kept: Kept,
}

impl Taking<'_> {
    fn take(&mut self, carrier: Carrier, name: &[u8], value: &[u8]) -> ControlFlow<()> {
        if self.fields.push(carrier, name, value) == Kept::Cut {
            self.kept = Kept::Cut;
        }
        // What is cut and full keeps nothing more, whatever comes.
        if self.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn is_full(&self) -> bool {
        self.kept == Kept::Cut && self.fields.is_full()
    }
}

/// Reads a head by the rules of HTML.
fn read_html(text: &[u8], found: &mut Fields) -> Step {
    let mut taking = Taking { fields: found, kept: Kept::Whole };
    let end = head_fields(text, &mut |carrier, name, value| taking.take(carrier, name, value));
    match (end, taking.kept) {
        (_, Kept::Cut) if taking.is_full() => Step::Unread,
        (HeadEnd::Found, Kept::Whole) => Step::Read,
        (HeadEnd::Missing, Kept::Whole) => Step::Missing,
        (HeadEnd::Found | HeadEnd::Missing, Kept::Cut) | (HeadEnd::Doubtful, _) => Step::Unread,
    }
}

/// A field as it was visited.
type Visited = (Carrier, Vec<u8>, Vec<u8>);

/// Reads a head by the rules of HTML and by those of XML (READ-8).
///
/// Ours: where XML finds what HTML finds, in the same order, and things of other names beside, its reading counts. Where
/// they differ otherwise, what either finds is kept, and the page is unread: a yes that one finds may be none by the other.
fn read_both(text: &[u8], found: &mut Fields) -> Step {
    let before = found.len();
    let html = read_html(text, found);
    let mut visited: Vec<Visited> = Vec::new();
    let end = xhtml_fields(text, &mut |carrier, name, value| {
        visited.push((carrier, name.to_vec(), value.to_vec()));
        if visited.len() < XML_FIELDS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    if end == XmlEnd::OtherRoot {
        return html;
    }
    let mut by_xml = Fields::default();
    let kept = push_all(&visited, &mut by_xml);
    if found.len() - before == by_xml.len() && found.iter().skip(before).eq(by_xml.iter()) {
        return xml_step(end, kept);
    }
    if is_extended(found, before, &by_xml) {
        found.truncate(before);
        let kept = push_all(&visited, found);
        return xml_step(end, kept);
    }
    let by_html: HashSet<Visited> = found
        .iter()
        .skip(before)
        .map(|field| (field.carrier, field.name.as_bytes().to_vec(), field.value.to_vec()))
        .collect();
    visited.retain(|(carrier, name, value)| {
        !by_html.contains(&(*carrier, name.to_ascii_lowercase(), value.clone()))
    });
    push_all(&visited, found);
    if end == XmlEnd::Broken { Step::Broken } else { Step::Unread }
}

fn xml_step(end: XmlEnd, kept: Kept) -> Step {
    match (end, kept) {
        (XmlEnd::Found | XmlEnd::OtherRoot, Kept::Whole) => Step::Read,
        (XmlEnd::Found | XmlEnd::OtherRoot, Kept::Cut) => Step::Unread,
        (XmlEnd::Broken, _) => Step::Broken,
    }
}

fn push_all(visited: &[Visited], found: &mut Fields) -> Kept {
    let mut taking = Taking { fields: found, kept: Kept::Whole };
    for (carrier, name, value) in visited {
        if taking.take(*carrier, name, value).is_break() {
            break;
        }
    }
    taking.kept
}

/// Returns whether XML has every field that HTML has, in the same order, and those that it has alone have other names.
fn is_extended(found: &Fields, before: usize, by_xml: &Fields) -> bool {
    let names: HashSet<_> = found.iter().skip(before).map(|field| (field.carrier, field.name)).collect();
    let mut by_html = found.iter().skip(before).peekable();
    for field in by_xml.iter() {
        if by_html.peek() == Some(&field) {
            by_html.next();
        } else if names.contains(&(field.carrier, field.name)) {
            return false;
        }
    }
    by_html.peek().is_none()
}
