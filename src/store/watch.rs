//! Reports of requests while a job runs (those that are sent again, hosts that are left alone), and how waiting for them ends.
//!
//! Example: `data.example` was busy (503), so a request is sent again after two seconds. Left out: requests that were answered.

use std::error::Error;
use std::fmt::Debug;
use std::io;
use std::time::Duration;

/// What happened to a request, or to a host.
#[derive(Clone, Debug)]
pub enum RequestEvent<'e> {
    /// A request is sent again.
    Repeated {
        /// The host, or the object if its answer broke off.
        host: &'e str,
        /// How often the request has been sent.
        attempt: u32,
        /// The wait before it.
        wait: Duration,
        /// Why.
        why: &'e str,
    },
    /// The host gets no requests for some time, or in this call.
    LeftAlone {
        /// Which host, why, and what to do.
        why: &'e str,
    },
}

/// Receives reports of requests, from many threads.
pub trait RequestWatch: Debug + Send + Sync {
    /// Something happened.
    fn noticed(&self, event: &RequestEvent<'_>);

    /// Returns whether waiting should end; called while a request or a pause takes long.
    fn should_stop(&self) -> bool {
        false
    }
}

/// The work should stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("asked to stop")]
pub struct Stopped;

impl Stopped {
    /// Returns whether this is the reason that something could not be read or written.
    pub fn is_cause(error: &(dyn Error + 'static)) -> bool {
        let inner = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        error.is::<Self>()
            || inner.is_some_and(|inner| Self::is_cause(inner))
            || error.source().is_some_and(Self::is_cause)
    }
}

impl From<Stopped> for io::Error {
    fn from(stopped: Stopped) -> Self {
        Self::other(stopped)
    }
}
