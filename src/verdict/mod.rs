//! Evidence to verdicts: what each system says of a page, and why.
//!
//! Input: the captures of a site's robots.txt, its bodies, and a page's header fields and metas.
//! Output: may this crawler fetch the page, who may not, every system's answer, and labels over all of them.
//! Pure: values in, values out. Left out: what the systems say, which their rooms know.

pub mod agents;
pub mod copies;
pub mod crawl;
pub mod labels;
pub mod site;
pub mod studies;
pub mod timeline;

pub use agents::{AgentsError, AgentsTable};
pub use copies::Copies;
pub use crawl::{Crawl, Disallowed, Resolver, SitePolicy};
pub use labels::{Label, Labels};
pub use timeline::{Current, RobotsState, Timeline};
