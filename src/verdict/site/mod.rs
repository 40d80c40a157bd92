//! A robots.txt on its own, whatever pages there are: counts, what it closes to each agent, what is odd.
//!
//! Document: RFC 9309; for comparison, the classes by which two studies counted (`dpi`, `imc`).
//! Example: a file with `User-agent: GPTBot` and `Disallow: /` is closed in full to `gptbot`, open to `*`.
//! Left out: which capture of it counts when, which is the timeline's.

mod agents;
mod class;
mod dpi;
mod facts;
mod html;
mod imc;
mod lint;
mod lints;
mod studies;

pub use agents::{AgentFacts, agents};
pub use class::Class;
pub use facts::{Outcome, SiteFacts, line_columns};
pub use lint::{Finding, Lint};
