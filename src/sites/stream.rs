//! What a site index is made from, host by host in the order of `surt_host_name`: evidence, or other indexes.

use crate::error::Error;
use crate::tables::site_index::{IndexedArchive, Seen, SiteFetch};
use std::collections::HashMap;
use std::sync::Arc;

/// SHA-1 of a body.
pub type BodyDigest = [u8; 20];

/// An answer with the times at which it was captured, which are sorted.
pub type SeenFetch = (SiteFetch<BodyDigest>, Vec<Seen>);

/// What is known of the hosts of one `surt_host_name`.
#[derive(Debug, Default)]
pub struct HostFiles {
    /// `surt_host_name`
    pub surt: Box<str>,
    /// Its answers, sorted; each is there once.
    pub fetches: Vec<SeenFetch>,
    /// The bodies that they have.
    pub bodies: HashMap<BodyDigest, Arc<[u8]>>,
}

/// Hosts in order, with the archives that their numbers name.
pub trait HostStream: Send {
    /// The archives, sorted.
    fn archives(&self) -> &[IndexedArchive];

    /// Returns the next hosts.
    ///
    /// # Errors
    /// Why they cannot be read.
    fn next_hosts(&mut self) -> Result<Option<HostFiles>, Error>;
}
