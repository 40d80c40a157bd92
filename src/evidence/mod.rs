//! WARC records to evidence: the received data, uninterpreted.
//!
//! Input: a record of `archive`, such as a `response` with `HTTP/1.1 200 OK CRLF X-Robots-Tag: noindex CRLF CRLF <html>...`.
//! Output: [`Capture`], which keeps what might be a preference and drops the rest.
//! A `resource` record of a web address is read as a body without a head (KNOW-3).
//! Left out: `conversion` records, and records that are not of the web (`dns:`, `file:`); they are counted as records of no
//! interest.

pub mod body;
pub mod capture;
pub mod charset;
pub mod fields;
mod heads;
pub mod html_head;
pub mod http_head;
pub mod noise;

mod char_refs;
mod extent;
mod languages;
mod markup;
mod page_metas;
mod reader;
mod referred;
mod robots_targets;
mod stated_digest;
mod xhtml;

/// The version of the rules of what counts as read (RULES READ); manifests of evidence have it, to show older readings.
pub const READ_RULES: u32 = 1;

pub use capture::{Body, Capture, Depth, Reading, RecordType, Target};
pub use fields::Fields;
pub use heads::Heads;
pub use languages::languages;
pub use reader::{RecordReader, SITE_FILE_BYTES};
pub use referred::without_brackets;
pub use stated_digest::digest_of;
