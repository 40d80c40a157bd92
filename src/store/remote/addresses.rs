//! Which addresses may be connected to: public ones and those of the kind that the user has named.
//!
//! Example: a redirect from `data.example` to `http://169.254.169.254/` is not followed, nor is one to a name that resolves to
//! that address: every address is checked before the connection. A proxy decides itself what it connects to, and may be
//! anywhere, because the user has named it.

use super::address_kind::AddressKind;
use super::faults::Fault;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::collections::HashSet;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// Which kinds of addresses may be connected to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// Public addresses and those of one kind.
    With(AddressKind),
    /// All.
    Any,
}

impl Allowed {
    pub fn has(self, kind: AddressKind) -> bool {
        match self {
            Self::Any => true,
            Self::With(first) => kind == AddressKind::Public || kind == first,
        }
    }

    pub fn check(self, host: &str, kind: AddressKind) -> Result<(), Fault> {
        if self.has(kind) {
            Ok(())
        } else {
            Err(Fault::Address {
                host: host.to_owned(),
                kind,
            })
        }
    }
}

/// Returns the kind of a host: public if one of its addresses is, else that of the first one.
pub async fn kind_of(host: &str, port: u16) -> Result<AddressKind, Fault> {
    if let Some(address) = literal(host) {
        return Ok(AddressKind::from_address(address));
    }
    let kinds: Vec<AddressKind> = look_up(host, port)
        .await?
        .iter()
        .map(|address| AddressKind::from_address(address.ip()))
        .collect();
    let public = kinds.iter().find(|kind| **kind == AddressKind::Public);
    public
        .or(kinds.first())
        .copied()
        .ok_or_else(|| Fault::UnknownHost {
            host: host.to_owned(),
        })
}

pub fn literal(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[')
        .trim_end_matches(']')
        .parse()
        .ok()
}

async fn look_up(host: &str, port: u16) -> Result<Vec<SocketAddr>, Fault> {
    let found = tokio::net::lookup_host((host, port)).await;
    found
        .map(Iterator::collect)
        .map_err(|_| Fault::UnknownHost {
            host: host.to_owned(),
        })
}

/// Resolves names to the addresses that may be connected to.
#[derive(Clone, Debug)]
pub struct NameResolver {
    pub allowed: Allowed,
    /// The hosts of the user's proxies.
    pub proxies: Arc<HashSet<String>>,
}

impl Resolve for NameResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let Self { allowed, proxies } = self.clone();
        Box::pin(async move {
            let host = name.as_str();
            let mut addresses = look_up(host, 0).await?;
            if !proxies.contains(host) {
                let first = addresses
                    .first()
                    .map(|address| AddressKind::from_address(address.ip()));
                addresses.retain(|address| allowed.has(AddressKind::from_address(address.ip())));
                if let (Some(kind), true) = (first, addresses.is_empty()) {
                    allowed.check(host, kind)?;
                }
            }
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

/// Returns the hosts of the proxies in the environment, as `reqwest` reads it.
pub fn proxies() -> HashSet<String> {
    let names = [
        "HTTP_PROXY",
        "http_proxy",
        "HTTPS_PROXY",
        "https_proxy",
        "ALL_PROXY",
        "all_proxy",
    ];
    let values = names
        .into_iter()
        .filter_map(|name| std::env::var(name).ok());
    let host = |value: String| {
        let url = if value.contains("://") {
            value
        } else {
            format!("http://{value}")
        };
        url::Url::parse(&url).ok()?.host_str().map(str::to_owned)
    };
    values.filter_map(host).collect()
}

#[cfg(test)]
mod tests {
    use super::super::address_kind::AddressKind;
    use super::Allowed;

    #[test]
    fn local_whoever_is_named_may_lead_to_its_own_kind_and_to_public_addresses() {
        use AddressKind::{LinkLocal, Loopback, Private, Public};
        for first in [Public, Private, LinkLocal, Loopback] {
            for then in [Public, Private, LinkLocal, Loopback] {
                assert_eq!(
                    Allowed::With(first).has(then),
                    then == Public || then == first
                );
                assert!(Allowed::Any.has(then));
            }
        }
    }
}
