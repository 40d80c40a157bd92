//! The HTTP clients of a job: one for each kind of address that the first host of a request may have.
//!
//! A client follows redirects only within a scheme, five times at most, and connects only where its kind allows it: names
//! are looked at when they are resolved, addresses in URLs here. Example: a redirect from `https://data.example/a` to
//! `https://10.0.0.1/a` is refused.

use super::address_kind::AddressKind;
use super::addresses::{Allowed, NameResolver, literal, proxies};
use super::faults::Fault;
use super::options::{Addresses, RemoteOptions};
use reqwest::redirect;
use std::collections::HashSet;
use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// How often a redirect is followed.
const MOST_REDIRECTS: usize = 5;

/// The clients.
#[derive(Debug)]
pub struct Clients {
    options: RemoteOptions,
    proxies: Arc<HashSet<String>>,
    /// By the kind of the first address; all of them are one where any address may be connected to.
    made: [OnceLock<reqwest::Client>; 4],
}

impl Clients {
    /// Returns clients that are made when they are first asked for.
    pub fn new(options: RemoteOptions) -> Self {
        // One that was installed before stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Self { options, proxies: Arc::new(proxies()), made: Default::default() }
    }

    /// Returns whether names are the proxy's matter, so that one that is not known here may be known there.
    pub fn has_proxy(&self) -> bool {
        !self.proxies.is_empty()
    }

    /// Returns what may be connected to from a first address of a kind.
    pub fn allowed(&self, first: AddressKind) -> Allowed {
        match self.options.addresses {
            Addresses::AsNamed => Allowed::With(first),
            Addresses::Any => Allowed::Any,
        }
    }

    /// Returns the client for a first address of a kind.
    pub fn client(&self, first: AddressKind) -> io::Result<&reqwest::Client> {
        let made = match first {
            AddressKind::Public => &self.made[0],
            AddressKind::Private => &self.made[1],
            AddressKind::LinkLocal => &self.made[2],
            AddressKind::Loopback => &self.made[3],
        };
        if let Some(client) = made.get() {
            return Ok(client);
        }
        let client = self.make(self.allowed(first))?;
        Ok(made.get_or_init(|| client))
    }

    fn make(&self, allowed: Allowed) -> io::Result<reqwest::Client> {
        let contact = self.options.user_agent.as_deref().map(|contact| format!(" {contact}"));
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
            .dns_resolver(NameResolver { allowed, proxies: Arc::clone(&self.proxies) })
            .connect_timeout(self.options.timeout.min(Duration::from_secs(30)))
            .build()
            .map_err(io::Error::other)
    }
}

/// Refuses a redirect to an address that may not be connected to, and to a proxy, whose name is resolved to any address.
fn check(
    to: &reqwest::Url,
    first: Option<&reqwest::Url>,
    allowed: Allowed,
    proxies: &HashSet<String>,
) -> Result<(), Fault> {
    let host = to.host_str().unwrap_or_default();
    match literal(host) {
        Some(address) => allowed.check(host, AddressKind::of(address)),
        None if proxies.contains(host) && first.and_then(reqwest::Url::host_str) != Some(host) => {
            allowed.check(host, AddressKind::Private)
        }
        None => Ok(()),
    }
}
