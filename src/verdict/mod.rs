//! Evidence to verdicts: what each system says about a page, and why.
//!
//! Input: the captures of a site's robots.txt, its bodies, and a page's header fields and metas.
//! Output: whether this crawler may fetch the page, who may not, every system's answer, and labels over all of them. Pure:
//! values in, values out. Left out: what the systems say, which they know themselves.

pub mod access;
pub mod account;
pub mod agents;
mod cache;
#[doc(hidden)]
pub mod decide;
pub mod files_of_sites;
pub mod labels;
mod legibility;
mod page_record;
mod question;
mod request;
mod resolver;
pub mod site;
pub mod site_captures;
pub mod site_copies;
pub mod timeline;

pub use access::{AccessAnswer, Disallowed};
pub use agents::{AgentsError, AgentsTable, AskedAgent, asked_agent};
#[cfg(feature = "tables")]
pub(crate) use cache::Cache;
pub use decide::{Decision, SystemAnswer};
pub use files_of_sites::FilesOfSites;
pub use labels::{ANY_REVISION, Labels};
pub use legibility::Legibility;
pub use page_record::{PageRecord, UNSEEN};
pub use question::{PageDecision, PageQuestion, QuestionError, decide};
pub use request::{RecordLocation, Request};
pub use resolver::{CompiledRobots, Resolver, is_end_read};
pub use site_captures::{
    CopyOf, CurrentFile, CurrentFiles, GivenBodies, OtherRobots, SiteBodies, SiteCaptures,
};
pub use site_copies::SiteCopies;
pub use timeline::{
    CopyLimits, Current, MaxAge, RobotsState, SiteBody, SiteCapture, Timeline, Twins,
};
