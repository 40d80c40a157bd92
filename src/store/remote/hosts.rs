//! The state of each host: when it may be asked again, by how many at once, and whether it is left alone.
//!
//! Example: at two requests a second, the third of many workers waits a second. A host that asks for a pause of a quarter of an
//! hour gets no requests until then; one that fails to answer five times in a row gets no more in this call. Its objects cannot
//! be read, and the message says what to do. Left out: hosts that share a server; each counts for itself.

use super::RemoteOptions;
use super::address_kind::AddressKind;
use crate::store::watch::RequestEvent;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::{OnceCell, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until};

/// The job does not wait for a longer pause.
const LONGEST_PAUSE: Duration = Duration::from_mins(5);
/// After this number of requests in a row without an answer, a host gets no more.
const MOST_FAILURES: u32 = 5;

#[derive(Debug)]
pub struct Hosts {
    options: Arc<RemoteOptions>,
    known: Mutex<HashMap<String, Arc<Host>>>,
}

/// A host, or a bucket.
#[derive(Debug)]
pub struct Host {
    name: String,
    interval: Duration,
    connections: Arc<Semaphore>,
    times: Mutex<Times>,
    /// Why the whole job sends no more requests to the host.
    refusal: OnceLock<String>,
    left_alone: Mutex<Option<LeftAlone>>,
    failures: AtomicU32,
    pub kind: OnceCell<AddressKind>,
    options: Arc<RemoteOptions>,
}

#[derive(Debug)]
struct Times {
    next: Instant,
    /// When the host may be asked again after a pause that it asked for.
    resumed: Instant,
}

#[derive(Debug)]
struct LeftAlone {
    why: String,
    /// When it may be asked again; `None`: not in this call.
    until: Option<Instant>,
}

/// The right to send a request, until its answer has been read; `None`: the user's own store takes any number.
pub type Turn = Option<OwnedSemaphorePermit>;

impl Hosts {
    pub fn new(options: Arc<RemoteOptions>) -> Self {
        Self {
            options,
            known: Mutex::default(),
        }
    }

    pub fn host(&self, authority: &str) -> Arc<Host> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || {
            let rate = u32::try_from(self.options.request_rate.get()).unwrap_or(u32::MAX);
            let connections = self.options.connections.get().min(Semaphore::MAX_PERMITS);
            let now = Instant::now();
            Arc::new(Host {
                name: authority.to_owned(),
                interval: Duration::from_secs(1) / rate,
                connections: Arc::new(Semaphore::new(connections)),
                times: Mutex::new(Times {
                    next: now,
                    resumed: now,
                }),
                refusal: OnceLock::new(),
                left_alone: Mutex::default(),
                failures: AtomicU32::new(0),
                kind: OnceCell::new(),
                options: Arc::clone(&self.options),
            })
        };
        Arc::clone(known.entry(authority.to_owned()).or_insert_with(new))
    }
}

impl Host {
    /// Waits until a request may be sent to a server that is not the user's own, but for pauses (see `wait`).
    pub async fn turn(&self) -> Turn {
        // The semaphore is never closed.
        let permit = Arc::clone(&self.connections).acquire_owned().await.ok();
        sleep_until(self.reserve()).await;
        permit
    }

    /// Waits until the end of a pause that the host asked for.
    pub async fn wait(&self) {
        loop {
            let resumed = self.times().resumed;
            if resumed <= Instant::now() {
                return;
            }
            sleep_until(resumed).await;
        }
    }

    /// Sends nothing for some time, as the host asks; a long pause is not awaited, and its objects cannot be read until then.
    pub fn pause(&self, pause: Duration) {
        let resumed = Instant::now().checked_add(pause);
        if pause <= LONGEST_PAUSE {
            let mut times = self.times();
            times.resumed = resumed.map_or(times.resumed, |resumed| times.resumed.max(resumed));
            return;
        }
        let seconds = pause.as_secs();
        let why = format!(
            "{} is busy and asked to be left alone for {seconds} s (Retry-After), so that nothing is asked of it until then. \
             Give the same command again after that time, with a lower --request-rate",
            self.name
        );
        self.leave(why, resumed);
    }

    pub fn failed(&self, why: &str) {
        let failures = self
            .failures
            .fetch_add(1, Ordering::Relaxed)
            .saturating_add(1);
        if failures < MOST_FAILURES {
            return;
        }
        let why = format!(
            "{} failed {failures} times in a row (last: {why}), so that nothing more is asked of it in this call. \
             Find out what is wrong there and give the same command again; what was read is kept",
            self.name
        );
        self.leave(why, None);
    }

    pub fn answered(&self) {
        self.failures.store(0, Ordering::Relaxed);
    }

    fn leave(&self, why: String, until: Option<Instant>) {
        let mut left_alone = self
            .left_alone
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if left_alone.as_ref().is_some_and(|left| left.until.is_none()) {
            return;
        }
        self.notice(&RequestEvent::LeftAlone { why: &why });
        *left_alone = Some(LeftAlone { why, until });
    }

    pub fn left_alone(&self) -> Option<String> {
        let left_alone = self
            .left_alone
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let left = left_alone.as_ref()?;
        left.until
            .is_none_or(|until| Instant::now() < until)
            .then(|| left.why.clone())
    }

    pub fn refuse(&self, why: String) {
        let _ = self.refusal.set(why);
    }

    pub fn refusal(&self) -> Option<&str> {
        self.refusal.get().map(String::as_str)
    }

    pub fn repeated(&self, attempt: u32, wait: Duration, why: &str) {
        self.notice(&RequestEvent::Repeated {
            host: &self.name,
            attempt,
            wait,
            why,
        });
    }

    fn notice(&self, event: &RequestEvent<'_>) {
        if let Some(watch) = &self.options.watch {
            watch.noticed(event);
        }
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
