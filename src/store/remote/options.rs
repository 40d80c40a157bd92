//! How servers are asked.

use crate::store::watch::RequestWatch;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

/// Whether requests to stores are signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signing {
    /// With the credentials that the environment has.
    Signed,
    /// Not at all, which public buckets allow.
    Anonymous,
}

/// Which addresses servers and lists may lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// To public ones, and to those of the kind that the user has named first.
    AsNamed,
    /// To any.
    Any,
}

/// How servers are asked.
#[derive(Clone, Debug)]
pub struct RemoteOptions {
    /// What is behind name and version in the field User-Agent, such as a contact.
    pub user_agent: Option<String>,
    /// How often a request is sent again.
    pub retries: u32,
    /// How long the head of an answer may take, and how long its body.
    pub timeout: Duration,
    /// How many requests a second are sent to a host that is not the user's own store.
    pub request_rate: NonZeroUsize,
    /// How many requests are under way at once to such a host.
    pub connections: NonZeroUsize,
    /// Whether requests to stores are signed.
    pub signing: Signing,
    /// Which addresses servers and lists may lead to.
    pub addresses: Addresses,
    /// Who is informed of requests that are repeated, and of hosts that are left alone.
    pub watch: Option<Arc<dyn RequestWatch>>,
}

impl Default for RemoteOptions {
    fn default() -> Self {
        let number = |number| NonZeroUsize::new(number).unwrap_or(NonZeroUsize::MIN);
        Self {
            user_agent: None,
            retries: 8,
            timeout: Duration::from_mins(5),
            request_rate: number(2),
            connections: number(4),
            signing: Signing::Signed,
            addresses: Addresses::AsNamed,
            watch: None,
        }
    }
}
