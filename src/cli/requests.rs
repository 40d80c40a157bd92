//! What is logged and counted of requests over a network: a line under `-v`, an event in the JSON log, and metrics.
//!
//! Example: `data.example: sent again in 2.0 s, after attempt 1: status 503`. Left out: requests that were answered.

use super::event::{Event, Failure};
use super::log::Log;
use crawlprefs::store::{RequestEvent, RequestWatch};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Counts requests and writes their events.
pub struct Requests {
    log: Mutex<Log>,
    counts: Mutex<RequestCounts>,
    /// Becomes the number of a signal.
    signal: OnceLock<Arc<AtomicUsize>>,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct RequestCounts {
    /// Requests that were sent again.
    pub repeated: u64,
    /// The wait before them, in seconds.
    pub wait_seconds: f64,
    /// Hosts that were left alone.
    pub hosts_left: u64,
}

impl Requests {
    pub fn new(log: Log) -> Self {
        Self { log: Mutex::new(log), counts: Mutex::default(), signal: OnceLock::new() }
    }

    pub fn set_log(&self, log: &Log) {
        *self.log.lock().unwrap_or_else(PoisonError::into_inner) = log.clone();
    }

    /// Ends all waits after a signal.
    pub fn stop_at(&self, signal: &Arc<AtomicUsize>) {
        self.signal.get_or_init(|| Arc::clone(signal));
    }

    pub fn counts(&self) -> RequestCounts {
        *self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self, count: impl FnOnce(&mut RequestCounts)) {
        count(&mut self.counts.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl fmt::Debug for Requests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.counts().fmt(f)
    }
}

impl RequestWatch for Requests {
    fn noticed(&self, event: &RequestEvent<'_>) {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match event {
            RequestEvent::Repeated { host, attempt, wait, why } => {
                let wait_seconds = wait.as_secs_f64();
                self.count(|counts| {
                    counts.repeated += 1;
                    counts.wait_seconds += wait_seconds;
                });
                log.write(&Event::RequestRepeated { host, attempt: *attempt, wait_seconds, cause: why });
            }
            RequestEvent::LeftAlone { why } => {
                self.count(|counts| counts.hosts_left += 1);
                let failure = Failure { kind: "refused", detail: (*why).to_owned(), retry: true };
                log.write(&Event::HostLeftAlone(failure));
            }
        }
    }

    fn should_stop(&self) -> bool {
        self.signal.get().is_some_and(|signal| signal.load(Ordering::Relaxed) != 0)
    }
}
