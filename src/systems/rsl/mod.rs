//! RSL: where the terms of a licence stand that a machine can read.
//!
//! Documents: what is published as Really Simple Licensing and found on the web; RFC 8288 for the header
//! field. Examples:
//!
//! ```text
//! License: https://a.example/license.xml                      before the first group: the file's
//! User-agent: ExampleBot
//! License: https://a.example/bots.xml                         the group's
//!
//! Link: <https://a.example/license.xml>; rel="license"; type="application/rsl+xml"
//! ```
//!
//! Such a line is another record of RFC 9309 2.2.4: it is no access rule and ends no run of user-agent lines.
//! Left out: what the terms say, which is in another file; so there is never a preference. RSL in HTML, in
//! feeds and in media files.

mod link;
mod system;

pub use link::{Link, links};
pub use system::{Licence, Rsl, RslPolicy};
