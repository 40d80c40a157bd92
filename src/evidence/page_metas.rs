//! The metas of a page, its licence links and RSL scripts: as much of its body is decoded as holds the HTML head.

use super::body::{Completeness, decode};
use super::charset::scannable;
use super::fields::{Fields, Kept};
use super::html_head::{HeadEnd, head_fields};
use super::http_head::HttpHead;
use crate::web::lines::without_byte_order_mark;
use crate::web::media_type::{essence, is_html};
use std::borrow::Cow;
use std::ops::ControlFlow;

/// So much of a page is decoded, each step where the one before did not hold the head. On 1,345
/// real pages no head with a robots meta was longer than the last.
const STEPS_BYTES: [usize; 3] = [64 << 10, 256 << 10, 1 << 20];

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

/// Adds the metas of a page, its licence links and RSL scripts to `fields`.
pub fn read_metas(head: &HttpHead<'_>, body: &[u8], extent: BodyHeld, fields: &mut Fields) -> MetaOutcome {
    let content_type = head.field("content-type");
    for max_bytes in STEPS_BYTES {
        let payload = decode(head, body, max_bytes);
        let last = max_bytes == STEPS_BYTES[STEPS_BYTES.len() - 1];
        // What needs no decoding costs nothing to be taken whole.
        if !last && matches!(payload.bytes, Cow::Borrowed(_)) && payload.completeness == Completeness::Cut {
            continue;
        }
        if payload.completeness == Completeness::Undecodable {
            return MetaOutcome::Unread;
        }
        let text = scannable(&payload.bytes, content_type.as_deref());
        let before = fields.len();
        let mut kept = Kept::Whole;
        let end = head_fields(&text, &mut |carrier, name, value| {
            if fields.push(carrier, name, value) == Kept::Cut {
                kept = Kept::Cut;
            }
            // What is cut and full keeps nothing more, whatever comes.
            if kept == Kept::Cut && fields.is_full() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        if kept == Kept::Cut && fields.is_full() {
            return MetaOutcome::Unread;
        }
        let whole = payload.completeness == Completeness::Whole && extent == BodyHeld::Whole;
        let settled = matches!(end, HeadEnd::Found) || payload.completeness == Completeness::Whole || last;
        if settled {
            let read = match end {
                HeadEnd::Found => true,
                HeadEnd::Missing => whole,
                HeadEnd::Doubtful => false,
            };
            return if read && kept == Kept::Whole { MetaOutcome::Read } else { MetaOutcome::Unread };
        }
        fields.truncate(before);
    }
    MetaOutcome::Unread
}

/// Returns whether a response is an HTML page by its Content-Type and, where that says nothing, by
/// the body's first bytes.
///
/// Ours: a lost or broken Content-Type must not lose a page's "no".
pub fn is_html_page(head: &HttpHead<'_>, body: &[u8]) -> bool {
    match head.field("content-type") {
        Some(value) if essence(&value).is_some() => is_html(&value),
        Some(_) | None => looks_like_html(body),
    }
}

fn looks_like_html(body: &[u8]) -> bool {
    let text = without_byte_order_mark(body).trim_ascii_start();
    let start = text.get(..9).unwrap_or(text).to_ascii_lowercase();
    [&b"<!doctype"[..], b"<html", b"<head", b"<meta", b"<!--"].iter().any(|tag| start.starts_with(tag))
}
