//! WARC records to evidence: what was received, uninterpreted.
//!
//! Input: a record of `archive`, such as a `response` with
//! `HTTP/1.1 200 OK CRLF X-Robots-Tag: noindex CRLF CRLF <html>...`.
//! Output: [`Evidence`], which keeps what might be a signal and drops the rest.
//! Left out: `resource` and `conversion` records, which have no HTTP head, and what is not of the
//! web (`dns:`, `file:`); they are counted as records of no interest.

pub mod body;
pub mod charset;
pub mod evidence;
pub mod html_head;
pub mod http_head;
pub mod kind;
pub mod noise;
pub mod signals;

mod char_refs;
mod markup;
mod page_metas;
mod reader;

pub use evidence::{Evidence, Loss, Note, Reading, RecordType, SiteBody, Target, Unread};
pub use kind::CaptureKind;
pub use page_metas::MetaReading;
pub use reader::RecordReader;
pub use signals::{Carrier, Signal, Signals};
