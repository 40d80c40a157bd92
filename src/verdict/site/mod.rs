//! A robots.txt on its own, whatever pages there are: counts, what it closes to each agent, what is odd.
//!
//! Document: RFC 9309.
//! Example: a file with `User-agent: GPTBot` and `Disallow: /` is closed in full to `gptbot`, open to `*`.
//! Left out: which capture of it counts when, which is the timeline's.

mod agents;
mod class;
mod closed;
mod facts;
mod html;
mod lint;
mod lints;
mod selections;

pub use agents::{AgentFacts, agents};
pub use class::Class;
pub use closed::ClosedTokens;
pub use facts::{Outcome, SiteFacts, line_columns};
pub use lint::{Finding, Lint};
