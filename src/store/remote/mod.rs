//! Stores and web servers: S3, https, and, as features of the same code, Google's and Azure's stores; and options for requests.
//!
//! All requests of a job go through one [`Remote`], which limits the rate for each host and owns the runtime; the rest of the
//! program is not asynchronous. Credentials, region and endpoint come from the environment (`AWS_ACCESS_KEY_ID`, `AWS_REGION`,
//! `AWS_ENDPOINT_URL` and the like). Left out: files of the clouds' own tools, such as `~/.aws/credentials`, and lists of a web
//! server's files.

mod address_kind;
mod addresses;
mod blocks;
mod clients;
mod faults;
mod folder;
mod hosts;
mod object;
mod s3_answers;
mod transport;

use super::Store;
use super::remote_url::{FoundUrl, NamedBy, RemoteUrl, Scheme};
use crate::archive::ArchiveSource;
use crate::store::watch::RequestWatch;
use blocks::{OddSource, RemoteSource};
use clients::{Clients, Network};
use faults::io_error;
use folder::RemoteFolder;
use futures_util::TryStreamExt;
use hosts::Hosts;
use object::{Object, archive_version};
use object_store::aws::AmazonS3Builder;
#[cfg(feature = "az")]
use object_store::azure::MicrosoftAzureBuilder;
#[cfg(feature = "gs")]
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path;
use object_store::{ObjectStore, RetryConfig};
use s3_answers::OddKeys;
use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use transport::{FirstHost, Manners, Transport, authorization};

/// The stores and servers of a job.
pub struct Remote {
    options: Arc<RemoteOptions>,
    clients: Arc<Clients>,
    hosts: Arc<Hosts>,
    network: Arc<Network>,
    /// By scheme, host or bucket, and user: the credentials of each are requested once.
    stores: Mutex<HashMap<String, Arc<dyn ObjectStore>>>,
}

impl Remote {
    /// Starts the runtime.
    pub fn new(options: RemoteOptions) -> io::Result<Self> {
        let options = Arc::new(options);
        Ok(Self {
            network: Arc::new(Network::new(options.watch.clone())?),
            hosts: Arc::new(Hosts::new(Arc::clone(&options))),
            clients: Arc::new(Clients::new(Arc::clone(&options))),
            options,
            stores: Mutex::default(),
        })
    }

    /// Returns the archive at a URL.
    pub fn source(
        &self,
        url: &RemoteUrl,
        named_by: NamedBy<'_>,
    ) -> io::Result<Arc<dyn ArchiveSource>> {
        let (first, listed) = match named_by {
            NamedBy::User => (FirstHost::Own, None),
            NamedBy::Listing(version) => (FirstHost::Own, version.map(str::to_owned)),
            NamedBy::List(list) if list.scheme.is_web() => (FirstHost::from_url(list), None),
            NamedBy::List(_) => (FirstHost::Public, None),
        };
        let (host, network) = (self.hosts.host(&url.authority), Arc::clone(&self.network));
        let path = match path(url) {
            Ok(path) => path,
            Err(error) => {
                return Ok(Arc::new(OddSource {
                    location: url.to_string(),
                    detail: error.to_string(),
                }));
            }
        };
        let store = self.store_of(url, first)?;
        let object = Object::new(store, path, url.to_string(), Arc::clone(&self.options));
        Ok(Arc::new(RemoteSource::new(object, host, network, listed)))
    }

    /// Returns all objects whose keys begin with a folder.
    pub fn list(&self, folder: &RemoteUrl) -> io::Result<Vec<FoundUrl>> {
        if folder.scheme.is_web() {
            let detail =
                "a web server's files cannot be listed; give --paths-from with a list of them";
            return Err(io::Error::new(ErrorKind::Unsupported, detail));
        }
        let odd_keys = Arc::new(Mutex::default());
        let store = self.new_store(folder, FirstHost::Own, Some(Arc::clone(&odd_keys)))?;
        let names = store.list(Some(&path(folder)?)).map_ok(|object| FoundUrl {
            url: folder.with_key(object.location.to_string()),
            version: archive_version(object.size, object.e_tag.as_deref()),
        });
        let mut found: Vec<FoundUrl> = self.network.wait(names.map_err(io_error).try_collect())?;
        let odd_keys =
            std::mem::take(&mut *odd_keys.lock().unwrap_or_else(PoisonError::into_inner));
        found.extend(odd_keys.into_iter().map(|key| FoundUrl {
            url: folder.with_key(key),
            version: None,
        }));
        Ok(found)
    }

    /// Returns a folder of a store or of a web server whose files are read by name.
    pub fn files(&self, url: &RemoteUrl) -> io::Result<Box<dyn Store>> {
        let shown = url.to_string().trim_end_matches('/').to_owned();
        let (store, prefix) = (self.store_of(url, FirstHost::Own)?, path(url)?);
        let (options, network) = (Arc::clone(&self.options), Arc::clone(&self.network));
        Ok(Box::new(RemoteFolder {
            store,
            prefix,
            shown,
            options,
            network,
        }))
    }

    fn store_of(&self, url: &RemoteUrl, first: FirstHost) -> io::Result<Arc<dyn ObjectStore>> {
        if url.query.is_some() {
            return self.new_store(url, first, None);
        }
        let (scheme, user) = (url.scheme.as_str(), &url.user);
        let key = format!("{first:?} {scheme}://{user:?}@{}", url.authority);
        let mut stores = self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = stores.get(&key) {
            return Ok(Arc::clone(store));
        }
        let store = self.new_store(url, first, None)?;
        stores.insert(key, Arc::clone(&store));
        Ok(store)
    }

    fn new_store(
        &self,
        url: &RemoteUrl,
        first: FirstHost,
        odd_keys: OddKeys,
    ) -> io::Result<Arc<dyn ObjectStore>> {
        let transport = Transport {
            clients: Arc::clone(&self.clients),
            hosts: Arc::clone(&self.hosts),
            manners: if url.scheme.is_web() {
                Manners::Public
            } else {
                Manners::Own
            },
            first,
            authorization: url.user.as_ref().map(authorization).transpose()?,
            odd_keys,
        };
        /// A bucket of a cloud, by the builder of its stores.
        macro_rules! bucket {
            ($builder:ident, $with_name:ident) => {{
                let builder = $builder::from_env().$with_name(&url.authority);
                let builder = builder.with_http_connector(transport).with_retry(once());
                let is_anonymous = self.options.signing == Signing::Anonymous;
                built(
                    if is_anonymous {
                        builder.with_skip_signature(true)
                    } else {
                        builder
                    }
                    .build(),
                )
            }};
        }
        match url.scheme {
            Scheme::Http | Scheme::Https => web(url, transport),
            Scheme::S3 => bucket!(AmazonS3Builder, with_bucket_name),
            #[cfg(feature = "gs")]
            Scheme::Gs => bucket!(GoogleCloudStorageBuilder, with_bucket_name),
            #[cfg(feature = "az")]
            Scheme::Az => bucket!(MicrosoftAzureBuilder, with_container_name),
            #[cfg(not(feature = "gs"))]
            Scheme::Gs => Err(without("gs")),
            #[cfg(not(feature = "az"))]
            Scheme::Az => Err(without("az")),
        }
    }
}

fn web(url: &RemoteUrl, transport: Transport) -> io::Result<Arc<dyn ObjectStore>> {
    let query = url
        .query
        .as_ref()
        .map(|query| format!("?{query}"))
        .unwrap_or_default();
    let root = format!("{}://{}/{query}", url.scheme.as_str(), url.authority);
    let builder = object_store::http::HttpBuilder::new()
        .with_url(root)
        .with_retry(once());
    built(builder.with_http_connector(transport).build())
}

/// Only [`Transport`] sends requests again.
fn once() -> RetryConfig {
    RetryConfig {
        max_retries: 0,
        ..RetryConfig::default()
    }
}

fn built(store: object_store::Result<impl ObjectStore>) -> io::Result<Arc<dyn ObjectStore>> {
    Ok(Arc::new(store.map_err(io_error)?))
}

fn path(url: &RemoteUrl) -> io::Result<Path> {
    let path = if url.scheme.is_web() {
        Path::from_url_path(url.key())
    } else {
        Path::parse(url.key())
    };
    path.map_err(|error| io::Error::new(ErrorKind::InvalidInput, error.to_string()))
}

#[allow(dead_code)] // where both features are on
fn without(feature: &str) -> io::Error {
    let detail = format!("this program was built without the feature {feature}");
    io::Error::new(ErrorKind::Unsupported, detail)
}

/// Whether requests to stores are signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signing {
    /// With the credentials from the environment.
    Signed,
    /// Not at all, which public buckets allow.
    Anonymous,
}

/// Which addresses servers and lists may lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// Public ones, and those of the kind that the user has named first.
    AsNamed,
    /// All.
    Any,
}

/// Options for requests to servers.
#[derive(Clone, Debug)]
pub struct RemoteOptions {
    /// What follows name and version in the field User-Agent, such as a contact.
    pub user_agent: Option<String>,
    /// How often a request is sent again.
    pub retries: u32,
    /// How long the head of an answer may take, and how long its body.
    pub timeout: Duration,
    /// How many requests per second are sent to a host that is not the user's own store.
    pub request_rate: NonZeroUsize,
    /// How many requests are under way at once to such a host.
    pub connections: NonZeroUsize,
    /// Whether requests to stores are signed.
    pub signing: Signing,
    /// Which addresses servers and lists may lead to.
    pub addresses: Addresses,
    /// Receives reports of repeated requests and of hosts that are left alone.
    pub watch: Option<Arc<dyn RequestWatch>>,
}

impl Default for RemoteOptions {
    fn default() -> Self {
        let number = |number| NonZeroUsize::new(number).unwrap_or(NonZeroUsize::MIN);
        Self {
            user_agent: None,
            retries: 8,
            timeout: Duration::from_mins(5),
            request_rate: number(2),
            connections: number(4),
            signing: Signing::Signed,
            addresses: Addresses::AsNamed,
            watch: None,
        }
    }
}
