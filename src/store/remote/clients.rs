//! The HTTP clients of a job: one for each kind of address that the first host of a request may have.
//!
//! A client follows at most five redirects, only within a scheme, and connects only to addresses that its kind allows: names
//! are checked when they are resolved, addresses in URLs here. Example: a redirect from `https://data.example/a` to
//! `https://10.0.0.1/a` is refused.
//!
//! [`Network`] is the runtime of all requests. A waiting thread checks ten times a second whether the work should stop: a
//! server may ask for a pause of minutes. Example: SIGTERM during a `Retry-After: 120`. Requests under way are then dropped.

use super::address_kind::AddressKind;
use super::addresses::{Allowed, NameResolver, literal, proxies};
use super::faults::Fault;
use super::{Addresses, RemoteOptions};
use crate::store::watch::{RequestWatch, Stopped};
use reqwest::redirect;
use std::collections::HashSet;
use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinHandle;
use tokio::time::timeout;

const MOST_REDIRECTS: usize = 5;

#[derive(Debug)]
pub struct Clients {
    pub options: Arc<RemoteOptions>,
    proxies: Arc<HashSet<String>>,
    /// By the kind of the first address.
    made: [OnceLock<reqwest::Client>; 4],
}

impl Clients {
    pub fn new(options: Arc<RemoteOptions>) -> Self {
        // An already installed provider stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Self {
            options,
            proxies: Arc::new(proxies()),
            made: Default::default(),
        }
    }

    /// Returns whether a proxy resolves names: one that is unknown here may be known there.
    pub fn has_proxy(&self) -> bool {
        !self.proxies.is_empty()
    }

    pub fn allowed(&self, first: AddressKind) -> Allowed {
        match self.options.addresses {
            Addresses::AsNamed => Allowed::With(first),
            Addresses::Any => Allowed::Any,
        }
    }

    pub fn client(&self, first: AddressKind) -> io::Result<&reqwest::Client> {
        let made = &self.made[first as usize];
        if let Some(client) = made.get() {
            return Ok(client);
        }
        let client = self.make(self.allowed(first))?;
        Ok(made.get_or_init(|| client))
    }

    fn make(&self, allowed: Allowed) -> io::Result<reqwest::Client> {
        let contact = self
            .options
            .user_agent
            .as_deref()
            .map(|contact| format!(" {contact}"));
        let (name, version) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        let agent = format!("{name}/{version}{}", contact.unwrap_or_default());
        let proxies = Arc::clone(&self.proxies);
        let policy = redirect::Policy::custom(move |attempt| {
            let first = attempt.previous().first();
            let changes = first.is_some_and(|first| first.scheme() != attempt.url().scheme());
            match attempt.previous().len() {
                _ if changes => attempt.error("found a redirect to another scheme"),
                hops if hops > MOST_REDIRECTS => attempt.error("found more than five redirects"),
                _ => match check(attempt.url(), first, allowed, &proxies) {
                    Ok(()) => attempt.follow(),
                    Err(fault) => attempt.error(fault),
                },
            }
        });
        reqwest::Client::builder()
            .user_agent(agent)
            .redirect(policy)
            .dns_resolver(NameResolver {
                allowed,
                proxies: Arc::clone(&self.proxies),
            })
            .connect_timeout(self.options.timeout.min(Duration::from_secs(30)))
            .build()
            .map_err(io::Error::other)
    }
}

/// Refuses a redirect to an address that is not allowed, and to a proxy, whose name may resolve to any address.
fn check(
    to: &reqwest::Url,
    first: Option<&reqwest::Url>,
    allowed: Allowed,
    proxies: &HashSet<String>,
) -> Result<(), Fault> {
    let host = to.host_str().unwrap_or_default();
    match literal(host) {
        Some(address) => allowed.check(host, AddressKind::from_address(address)),
        None if proxies.contains(host) && first.and_then(reqwest::Url::host_str) != Some(host) => {
            allowed.check(host, AddressKind::Private)
        }
        None => Ok(()),
    }
}

/// How often a waiting thread checks whether to stop; any number of this size.
const LOOK: Duration = Duration::from_millis(100);
/// The longest wait for tidying up; any number of this size.
const TIDYING: Duration = Duration::from_millis(500);

/// The runtime of all requests of a job.
pub struct Network {
    handle: Handle,
    /// `None` only during the drop.
    runtime: Option<Runtime>,
    watch: Option<Arc<dyn RequestWatch>>,
}

impl Network {
    pub fn new(watch: Option<Arc<dyn RequestWatch>>) -> io::Result<Self> {
        let mut runtime = Builder::new_multi_thread();
        let runtime = runtime
            .worker_threads(2)
            .thread_name("network")
            .enable_all()
            .build()?;
        Ok(Self {
            handle: runtime.handle().clone(),
            runtime: Some(runtime),
            watch,
        })
    }

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

    /// Waits a short time for work that tidies up, whether or not the job should stop.
    pub fn tidy(&self, work: impl Future<Output = ()>) {
        // If the work is not done by then, it is dropped.
        let _ = self.handle.block_on(async { timeout(TIDYING, work).await });
    }

    pub fn spawn<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<T> {
        self.handle.spawn(work)
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        // Otherwise the drop would wait for a name that is being looked up.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
