//! RSL: the places of machine-readable licence terms.
//!
//! Documents: what is published as Really Simple Licensing and found on the web; RFC 8288 for the header field. Examples:
//!
//! ```text
//! License: https://a.example/license.xml                      before the first group: the file's
//! User-agent: ExampleBot
//! License: https://a.example/bots.xml                         the group's
//!
//! Link: <https://a.example/license.xml>; rel="license"; type="application/rsl+xml"
//! WWW-Authenticate: License error="invalid_request"
//!
//! <link rel="license" type="application/rsl+xml" href="/license.xml">
//! <script type="application/rsl+xml"><rsl>...<prohibits type="usage">ai-train</prohibits>...</rsl></script>
//! ```
//!
//! Such a line is another record of RFC 9309 2.2.4: it is not an access rule and ends no run of user-agent lines.
//! Left out: RSL in feeds and in media files; terms in another file; of terms in a script, everything except the uses that they
//! permit and prohibit: for whom, where and at what price. So nothing of RSL counts for a label.

mod link;
mod system;
mod terms;

pub use link::{Link, links};
pub use system::RSL;
