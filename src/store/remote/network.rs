//! The runtime behind all requests, and how the rest of the program waits for it.
//!
//! A waiting thread looks ten times a second whether the work is to stop: a server may ask for a pause of minutes. Example:
//! SIGTERM during a `Retry-After: 120`. Left out: what is under way then, which is dropped.

use crate::store::watch::{RequestWatch, Stopped};
use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// How long is waited before it is looked again whether to stop.
const LOOK: Duration = Duration::from_millis(100);
/// How long is waited for what tidies up.
const TIDYING: Duration = Duration::from_millis(500);

/// The runtime of all requests of a job.
pub struct Network {
    handle: Handle,
    /// Until it is dropped.
    runtime: Option<Runtime>,
    watch: Option<Arc<dyn RequestWatch>>,
}

impl Network {
    /// Starts its threads.
    pub fn new(watch: Option<Arc<dyn RequestWatch>>) -> io::Result<Self> {
        let mut runtime = Builder::new_multi_thread();
        let runtime = runtime.worker_threads(2).thread_name("network").enable_all().build()?;
        Ok(Self { handle: runtime.handle().clone(), runtime: Some(runtime), watch })
    }

    /// Waits for an answer.
    ///
    /// # Errors
    /// The answer's, or [`Stopped`].
    pub fn wait<T>(&self, answer: impl Future<Output = io::Result<T>>) -> io::Result<T> {
        self.handle.block_on(async {
            let mut answer = pin!(answer);
            loop {
                if let Ok(answered) = timeout(LOOK, &mut answer).await {
                    return answered;
                }
                if self.watch.as_ref().is_some_and(|watch| watch.should_stop()) {
                    return Err(Stopped.into());
                }
            }
        })
    }

    /// Waits for a short time for what tidies up, whether or not the work is to stop.
    pub fn tidy(&self, work: impl Future<Output = ()>) {
        // What is not done then is never seen.
        let _ = self.handle.block_on(async { timeout(TIDYING, work).await });
    }

    /// Begins what is waited for later.
    pub fn spawn<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
        self.handle.spawn(work)
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        // A name that is being looked up would be waited for.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
