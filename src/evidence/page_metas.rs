//! The metas of a page, its licence links and RSL scripts: only the part of its body with the HTML head is decoded.
//!
//! RULES READ-7 (which pages have metas), READ-8 (XHTML is read as XML and as HTML), READ-11 (charsets).

use super::body::{Completeness, Payload, decode};
use super::fields::{BodyFields, Fields, PageType};
use super::html_head::{HtmlHeadEnd, head_fields};
use super::xhtml::{Roots, XmlEnd, xhtml_fields};
use super::{charset::scannable, http_head::ValueExtent};
use crate::web::body_text::{
    BodyText, Markup, ReadAs, binary_format, compression, is_binary_data, markup,
};
use crate::web::field::{Carrier, Field};
use crate::web::lines::{without_byte_order_mark, without_byte_order_marks};
use crate::web::media_type::essence;
use memchr::{memchr_iter, memmem};
use std::{borrow::Cow, collections::HashSet, ops::ControlFlow};

/// How many bytes of a page are decoded, step by step until they hold the head. In 1,345 real pages no head with a robots meta
/// was longer than the last step.
const STEPS_BYTES: [usize; 3] = [64 << 10, 256 << 10, 1 << 20];

/// The most fields of an XHTML head that are compared; any number of this size.
const XML_FIELDS: usize = 4096;

/// Returns whether a response may have metas, by its Content-Type and, if that says nothing, by its decoded body.
pub fn may_have_metas(fields: &BodyFields<'_>, body: &[u8]) -> bool {
    match PageType::from_fields(fields) {
        PageType::Html | PageType::Xhtml | PageType::HtmlAndXml => true,
        PageType::Other => is_html_by_its_beginning(fields, body),
        page_type @ (PageType::Xml | PageType::Unknown) => {
            let payload = decode(fields, body, STEPS_BYTES[0], ReadAs::Page);
            match (language(page_type, &payload), text_of(&payload, fields)) {
                (PageType::Other, _) => false,
                (PageType::Xml, Some(text)) => xml_root(&text) != XmlRoot::Other,
                (_, _) => true,
            }
        }
    }
}

/// Adds the metas of a page, its licence links and RSL scripts to `found`; there are none if it is neither HTML nor XHTML.
/// `extent` says how much of the body the archive holds. Returns whether all of them were read.
pub fn read_metas(
    fields: &BodyFields<'_>,
    body: &[u8],
    extent: ValueExtent,
    found: &mut Fields,
) -> ValueExtent {
    let page_type = PageType::from_fields(fields);
    if page_type == PageType::Other {
        return read_noes(fields, body, extent, found);
    }
    // RFC 9110 14.6: the body is parts of a page of any type, and the heads of the parts are not read.
    let is_parts =
        |value: &Cow<'_, [u8]>| essence(value).is_some_and(|one| one == "multipart/byteranges");
    if fields.content_types.iter().any(is_parts) {
        return ValueExtent::Cut;
    }
    for max_bytes in STEPS_BYTES {
        let payload = decode(fields, body, max_bytes, ReadAs::Page);
        let may_go_on = max_bytes != STEPS_BYTES[2] && payload.completeness == Completeness::Longer;
        // A payload that needs no decoding can be taken whole at no cost.
        if may_go_on && matches!(payload.bytes, Cow::Borrowed(_)) {
            continue;
        }
        let whole = payload.completeness == Completeness::Whole && extent == ValueExtent::Whole;
        // READ-5, READ-7: nothing of a cut body shows what it was.
        if page_type == PageType::Unknown && !whole && payload.bytes.trim_ascii().is_empty() {
            return ValueExtent::Cut;
        }
        let before = found.count();
        match read_step(page_type, &payload, fields, found) {
            Step::Read => return ValueExtent::Whole,
            Step::Missing if whole => return ValueExtent::Whole,
            Step::Missing | Step::Broken if may_go_on => found.truncate(before),
            Step::Missing | Step::Broken | Step::Unread => return ValueExtent::Cut,
        }
    }
    ValueExtent::Cut
}

/// Returns whether a body is HTML by its first bytes, though its type does not name HTML (READ-21).
fn is_html_by_its_beginning(fields: &BodyFields<'_>, body: &[u8]) -> bool {
    if !may_begin_as_html(fields, body) {
        return false;
    }
    let payload = decode(fields, body, STEPS_BYTES[0], ReadAs::Page);
    text_of(&payload, fields)
        .is_some_and(|text| markup(without_byte_order_marks(&text)) == Markup::Html)
}

/// Returns whether a body may be HTML, though its type does not name HTML. Ours: only a body that begins like markup as it is
/// stored is looked at, or one with a coding whose type says nothing about it.
fn may_begin_as_html(fields: &BodyFields<'_>, body: &[u8]) -> bool {
    let begins = without_byte_order_marks(body)
        .trim_ascii_start()
        .starts_with(b"<");
    let says_nothing = |value: &Cow<'_, [u8]>| {
        essence(value).is_some_and(|one| matches!(&*one, "application/octet-stream" | "text/plain"))
    };
    let has_coding = !(fields.content_encodings.is_empty() && fields.transfer_encodings.is_empty());
    let is_wide = || {
        matches!(
            body,
            [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] | [b'<', 0, ..] | [0, b'<', ..]
        )
    };
    // In chunks that nothing names, a line precedes the first tag.
    let is_near = || body.iter().take(16).any(|byte| *byte == b'<');
    let may_begin = || has_coding || is_near() || is_wide() || compression(body).is_some();
    begins || fields.content_types.iter().any(says_nothing) && may_begin()
}

/// READ-21: adds the metas of a page whose type does not name HTML, but whose body is HTML by its first bytes. As no client needs
/// to read them, they count like those behind a head: their noes count, and their yeses do not.
fn read_noes(
    fields: &BodyFields<'_>,
    body: &[u8],
    extent: ValueExtent,
    found: &mut Fields,
) -> ValueExtent {
    if !may_begin_as_html(fields, body) {
        return ValueExtent::Whole;
    }
    for max_bytes in STEPS_BYTES {
        let payload = decode(fields, body, max_bytes, ReadAs::Page);
        let Some(text) = text_of(&payload, fields) else {
            return ValueExtent::Whole;
        };
        let text = without_byte_order_marks(&text);
        if markup(text) != Markup::Html {
            return ValueExtent::Whole;
        }
        let (before, mut kept) = (found.count(), ValueExtent::Whole);
        let end = head_fields(text, &mut |carrier, name, value| match carrier {
            Carrier::Link | Carrier::Script => ControlFlow::Continue(()),
            _ => take(found, &mut kept, Carrier::AfterHead, name, value),
        });
        match (end, payload.completeness) {
            (HtmlHeadEnd::Found, _) => return kept,
            (_, Completeness::Longer) if max_bytes != STEPS_BYTES[2] => found.truncate(before),
            _ => return extent,
        }
    }
    extent
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
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
    // Ours: to HTML a second byte order mark is text, which ends the head before its first meta. No author means that.
    let unmarked = without_byte_order_mark(&payload.bytes);
    if unmarked.len() < payload.bytes.len()
        && without_byte_order_mark(unmarked).len() < unmarked.len()
    {
        return Step::Unread;
    }
    let language = language(page_type, payload);
    if language == PageType::Other {
        return Step::Read;
    }
    let Some(text) = text_of(payload, fields) else {
        return Step::Unread;
    };
    match language {
        PageType::Unknown => Step::Unread,
        PageType::Html => read_html(&text, found),
        PageType::Xhtml => read_both(&text, Roots::AnyHtml, found),
        PageType::HtmlAndXml => read_both(&text, Roots::Xhtml, found),
        PageType::Xml => match xml_root(&text) {
            XmlRoot::MayBeHtml => read_both(&text, Roots::AnyHtml, found),
            XmlRoot::Other => Step::Read,
            // READ-5: what is missing may have the root of XHTML.
            XmlRoot::Missing => Step::Missing,
        },
        PageType::Other => Step::Read,
    }
}

/// Returns the type of a page, by its body if nothing names it (READ-7).
fn language(page_type: PageType, payload: &Payload<'_>) -> PageType {
    if page_type != PageType::Unknown {
        return page_type;
    }
    match payload.text {
        BodyText::Wide(_) => PageType::HtmlAndXml,
        BodyText::Text => match markup(&payload.bytes) {
            Markup::Tag if names_xhtml(&payload.bytes) => PageType::HtmlAndXml,
            Markup::Html | Markup::Tag => PageType::Html,
            Markup::Xml => PageType::HtmlAndXml,
            Markup::None if is_tag_behind_controls(&payload.bytes) => PageType::Unknown,
            Markup::None => PageType::Other,
        },
        BodyText::Binary => {
            let is_known =
                binary_format(&payload.bytes).is_some() && compression(&payload.bytes).is_none();
            if is_known {
                PageType::Other
            } else {
                PageType::Unknown
            }
        }
    }
}

/// Returns the text of a page as bytes in which markup can be found; `None` if there is no such text.
fn text_of<'a>(payload: &'a Payload<'_>, fields: &BodyFields<'_>) -> Option<Cow<'a, [u8]>> {
    if payload.completeness == Completeness::Undecodable || payload.text == BodyText::Binary {
        return None;
    }
    let has_charset =
        |value: &&Cow<'_, [u8]>| memmem::find(&value.to_ascii_lowercase(), b"charset").is_some();
    let content_type = fields
        .content_types
        .iter()
        .find(has_charset)
        .map(AsRef::as_ref);
    scannable(&payload.bytes, content_type)
}

/// READ-20: a page that begins with control bytes and then a tag may be in an unknown form.
fn is_tag_behind_controls(page: &[u8]) -> bool {
    let is_before = |byte: &u8| is_binary_data(*byte) || byte.is_ascii_whitespace();
    let before = page.iter().take_while(|byte| is_before(byte)).count();
    page.iter().take(before).any(|byte| is_binary_data(*byte)) && page.get(before) == Some(&b'<')
}

/// Ours: XML with the root of XHTML names the namespace.
fn names_xhtml(text: &[u8]) -> bool {
    memmem::find(text, b"1999/xhtml").is_some()
}

/// The root of XML.
#[derive(Clone, Copy, PartialEq, Eq)]
enum XmlRoot {
    /// It is `html`, whatever its namespace (READ-20), or is not found, and the text names the namespace or has such a tag.
    MayBeHtml,
    Other,
    /// Nothing of the text shows what it is.
    Missing,
}

fn xml_root(text: &[u8]) -> XmlRoot {
    let mut has_fields = false;
    let mut visit = |_, _: &[u8], _: &[u8]| {
        has_fields = true;
        ControlFlow::Break(())
    };
    match xhtml_fields(text, Roots::AnyHtml, &mut visit) {
        XmlEnd::OtherRoot => XmlRoot::Other,
        XmlEnd::Found => XmlRoot::MayBeHtml,
        XmlEnd::Broken => {
            let is_html = |name: &[u8]| name.eq_ignore_ascii_case(b"html");
            let mut tags = memchr_iter(b'<', text).filter_map(|at| text.get(at + 1..at + 5));
            if has_fields || names_xhtml(text) || tags.any(is_html) {
                XmlRoot::MayBeHtml
            } else {
                XmlRoot::Missing
            }
        }
    }
}

/// Adds a field; `kept` says whether all fields were kept whole. Breaks off when no later field is kept.
fn take(
    found: &mut Fields,
    kept: &mut ValueExtent,
    of: Carrier,
    name: &[u8],
    value: &[u8],
) -> ControlFlow<()> {
    if found.push(of, name, value) == ValueExtent::Cut {
        *kept = ValueExtent::Cut;
    }
    if *kept == ValueExtent::Cut && found.is_full() {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}

fn read_html(text: &[u8], found: &mut Fields) -> Step {
    let mut kept = ValueExtent::Whole;
    let end = head_fields(text, &mut |carrier, name, value| {
        take(found, &mut kept, carrier, name, value)
    });
    match (end, kept) {
        (HtmlHeadEnd::Found, ValueExtent::Whole) => Step::Read,
        (HtmlHeadEnd::Missing | HtmlHeadEnd::Early, ValueExtent::Whole) => Step::Missing,
        (_, ValueExtent::Cut) | (HtmlHeadEnd::Doubtful, _) => Step::Unread,
    }
}

type Visited = (Carrier, Vec<u8>, Vec<u8>);

/// Reads a head by the rules of HTML and by those of XML (READ-8). Ours: if XML finds the fields that HTML finds, in the same
/// order, and besides them only fields of other names, its reading counts. If they differ otherwise, the fields of both are
/// kept, and the page is unread: a yes in one may be no yes in the other.
fn read_both(text: &[u8], roots: Roots, found: &mut Fields) -> Step {
    let before = found.count();
    let html = read_html(text, found);
    // Fields behind a head that ended early for HTML may be in the head for XML.
    let is_after = |field: &Field<'_>| field.carrier == Carrier::AfterHead;
    let head = found
        .iter()
        .skip(before)
        .position(|field| is_after(&field))
        .map_or(found.count(), |at| before + at);
    let behind: Vec<Visited> = found
        .iter()
        .skip(head)
        .map(|field| visited_as(&field))
        .collect();
    let step = read_as_xml(text, roots, (before, head), html, found);
    let by_xml: HashSet<_> = found
        .iter()
        .skip(before)
        .map(|field| (field.name, field.value))
        .collect();
    let is_lacking = |(_, name, value): &Visited| {
        !std::str::from_utf8(name).is_ok_and(|name| by_xml.contains(&(name, value.as_slice())))
    };
    let lacking: Vec<Visited> = behind.into_iter().filter(is_lacking).collect();
    match push_all(&lacking, found) {
        ValueExtent::Whole => step,
        ValueExtent::Cut => Step::Unread,
    }
}

fn visited_as(field: &Field<'_>) -> Visited {
    (
        field.carrier,
        field.name.as_bytes().to_vec(),
        field.value.to_vec(),
    )
}

/// Reads a head by the rules of XML, and keeps the fields that HTML found (`before` to `head`) as READ-8 says.
fn read_as_xml(
    text: &[u8],
    roots: Roots,
    (before, head): (usize, usize),
    html: Step,
    found: &mut Fields,
) -> Step {
    let mut visited: Vec<Visited> = Vec::new();
    let end = xhtml_fields(text, roots, &mut |carrier, name, value| {
        visited.push((carrier, name.to_vec(), value.to_vec()));
        if visited.len() < XML_FIELDS {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    if end == XmlEnd::OtherRoot {
        return html;
    }
    found.truncate(head);
    let mut by_xml = Fields::default();
    let kept = push_all(&visited, &mut by_xml);
    if found.count() - before == by_xml.count() && found.iter().skip(before).eq(by_xml.iter()) {
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
        .map(|field| visited_as(&field))
        .collect();
    visited.retain(|(carrier, name, value)| {
        !by_html.contains(&(*carrier, name.to_ascii_lowercase(), value.clone()))
    });
    push_all(&visited, found);
    if end == XmlEnd::Broken {
        Step::Broken
    } else {
        Step::Unread
    }
}

fn xml_step(end: XmlEnd, kept: ValueExtent) -> Step {
    match (end, kept) {
        (XmlEnd::Broken, _) => Step::Broken,
        (XmlEnd::Found | XmlEnd::OtherRoot, ValueExtent::Whole) => Step::Read,
        (XmlEnd::Found | XmlEnd::OtherRoot, ValueExtent::Cut) => Step::Unread,
    }
}

fn push_all(visited: &[Visited], found: &mut Fields) -> ValueExtent {
    let mut kept = ValueExtent::Whole;
    let _ = visited
        .iter()
        .try_for_each(|(carrier, name, value)| take(found, &mut kept, *carrier, name, value));
    kept
}

/// Returns whether XML has every field that HTML has, in the same order, and its additional fields have other names.
fn is_extended(found: &Fields, before: usize, by_xml: &Fields) -> bool {
    let names: HashSet<_> = found
        .iter()
        .skip(before)
        .map(|field| (field.carrier, field.name))
        .collect();
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
