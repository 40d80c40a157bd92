//! What is reported of requests while a job runs: those that are sent again, and hosts that are left alone.
//!
//! Example: `data.example` was busy (503), so that a request is sent again after two seconds. Left out: requests that
//! were answered.

use std::fmt::Debug;
use std::time::Duration;

/// What happened to a request, or to a host.
#[derive(Clone, Debug)]
pub enum RequestEvent<'e> {
    /// A request is sent again.
    Repeated {
        /// The host, or the object where its answer broke off.
        host: &'e str,
        /// How often it has been sent.
        attempt: u32,
        /// How long is waited before.
        wait: Duration,
        /// Why.
        why: &'e str,
    },
    /// Nothing is asked of a host for some time, or in this call.
    LeftAlone {
        /// Which host, why, and what to do.
        why: &'e str,
    },
}

/// Is informed of requests, from many threads.
pub trait RequestWatch: Debug + Send + Sync {
    /// Something happened.
    fn noticed(&self, event: &RequestEvent<'_>);
}
