//! What is known of each host: when it may be asked again, by how many at once, and whether it wants nothing more.
//!
//! Example: at two requests a second the third one of many workers waits a second. Left out: hosts that share a
//! server, each of which counts for itself.

use super::options::RemoteOptions;
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until};

/// The hosts of a job.
#[derive(Debug)]
pub struct Hosts {
    rate: NonZeroUsize,
    connections: NonZeroUsize,
    known: Mutex<HashMap<String, Arc<Host>>>,
}

/// A host, or a bucket.
#[derive(Debug)]
pub struct Host {
    interval: Duration,
    connections: Arc<Semaphore>,
    times: Mutex<Times>,
    refusal: OnceLock<String>,
}

#[derive(Debug)]
struct Times {
    /// When the next request may be sent.
    next: Instant,
    /// When the host may be asked again after it has asked for a pause.
    resumed: Instant,
}

/// The right to send a request, until its answer was read.
pub struct Turn(#[allow(dead_code)] Option<OwnedSemaphorePermit>); // dropped with the answer

impl Hosts {
    /// Returns no hosts, yet.
    pub fn new(options: &RemoteOptions) -> Self {
        Self { rate: options.request_rate, connections: options.connections, known: Mutex::default() }
    }

    /// Returns what is known of a host.
    pub fn host(&self, authority: &str) -> Arc<Host> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || {
            let rate = u32::try_from(self.rate.get()).unwrap_or(u32::MAX);
            let now = Instant::now();
            Arc::new(Host {
                interval: Duration::from_secs(1) / rate,
                connections: Arc::new(Semaphore::new(self.connections.get().min(Semaphore::MAX_PERMITS))),
                times: Mutex::new(Times { next: now, resumed: now }),
                refusal: OnceLock::new(),
            })
        };
        Arc::clone(known.entry(authority.to_owned()).or_insert_with(new))
    }
}

impl Turn {
    /// Returns the right to ask the user's own store, which there always is.
    pub fn unlimited() -> Self {
        Self(None)
    }
}

impl Host {
    /// Waits until a request may be sent.
    pub async fn turn(&self) -> Turn {
        // The semaphore is never closed.
        let permit = Arc::clone(&self.connections).acquire_owned().await.ok();
        sleep_until(self.reserve()).await;
        loop {
            let resumed = self.times().resumed;
            if resumed <= Instant::now() {
                return Turn(permit);
            }
            sleep_until(resumed).await;
        }
    }

    /// Sends nothing for some time.
    pub fn pause(&self, pause: Duration) {
        let resumed = Instant::now() + pause;
        let mut times = self.times();
        times.resumed = times.resumed.max(resumed);
    }

    /// Sends nothing more.
    pub fn refuse(&self, why: String) {
        let _ = self.refusal.set(why);
    }

    /// Returns why nothing more is sent.
    pub fn refusal(&self) -> Option<&str> {
        self.refusal.get().map(String::as_str)
    }

    fn reserve(&self) -> Instant {
        let mut times = self.times();
        let turn = times.next.max(Instant::now());
        times.next = turn + self.interval;
        turn
    }

    fn times(&self) -> MutexGuard<'_, Times> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
