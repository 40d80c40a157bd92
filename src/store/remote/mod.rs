//! Stores and web servers: S3, https, and, as features of the same code, Google's and Azure's stores.
//!
//! All requests of a job go through one [`Remote`], which keeps the rate towards each host and owns the runtime; the
//! rest of the program is not asynchronous. Credentials, region and endpoint are those of the environment
//! (`AWS_ACCESS_KEY_ID`, `AWS_REGION`, `AWS_ENDPOINT_URL` and the like). Left out: files of the clouds' own tools, such as
//! `~/.aws/credentials`, and lists of a web server's files.

mod blocks;
mod errors;
mod folder;
mod hosts;
mod object;
mod options;
mod reader;
mod source;
mod transport;
mod upload;

pub use options::{RemoteOptions, Signing};

use super::Store;
use super::remote_url::{RemoteUrl, Scheme};
use crate::archive::Source;
use errors::io_error;
use folder::RemoteFolder;
use futures_util::TryStreamExt;
use hosts::Hosts;
use object::Object;
use object_store::path::Path;
use object_store::{ObjectStore, RetryConfig};
use source::RemoteSource;
use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::runtime::Runtime;
use transport::{Manners, Transport, client};

/// The stores and servers of a job.
pub struct Remote {
    options: RemoteOptions,
    client: reqwest::Client,
    hosts: Arc<Hosts>,
    runtime: Arc<Runtime>,
    /// By scheme, host or bucket, and user: their credentials are asked for once.
    stores: Mutex<HashMap<String, Arc<dyn ObjectStore>>>,
}

impl Remote {
    /// Starts the runtime.
    ///
    /// # Errors
    /// Why it cannot be started.
    pub fn new(options: RemoteOptions) -> io::Result<Self> {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(2).thread_name("network").enable_all().build()?;
        let client = client(&options)?;
        Ok(Self {
            hosts: Arc::new(Hosts::new(&options)),
            options,
            client,
            runtime: Arc::new(runtime),
            stores: Mutex::default(),
        })
    }

    /// Returns the archive at a URL.
    ///
    /// # Errors
    /// Why there is no way to it.
    pub fn source(&self, url: &RemoteUrl) -> io::Result<Arc<dyn Source>> {
        let (host, runtime) = (self.hosts.host(url.authority()), Arc::clone(&self.runtime));
        Ok(Arc::new(RemoteSource::new(self.object(url)?, host, runtime)))
    }

    /// Returns the content of an object of at most `most` bytes.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn read(&self, url: &RemoteUrl, most: u64) -> io::Result<Vec<u8>> {
        let object = self.object(url)?;
        self.runtime.block_on(object.whole(most)).map(|content| content.to_vec())
    }

    /// Returns the keys of all objects whose keys begin with a folder.
    ///
    /// # Errors
    /// Why they cannot be listed, as those of a web server.
    pub fn list(&self, folder: &RemoteUrl) -> io::Result<Vec<String>> {
        if folder.scheme().is_web() {
            let detail = "a web server's files cannot be listed; give --paths-from with a list of them";
            return Err(io::Error::new(ErrorKind::Unsupported, detail));
        }
        let (store, prefix) = (self.store_of(folder)?, path(folder)?);
        let names = store.list(Some(&prefix)).map_ok(|object| object.location.to_string());
        let names = self.runtime.block_on(names.try_collect()).map_err(|error| io_error(&error))?;
        Ok(names)
    }

    /// Returns a folder of a store as a place for output and evidence.
    ///
    /// # Errors
    /// Why there is no way to it; a web server takes no output.
    pub fn folder(&self, url: &RemoteUrl) -> io::Result<Box<dyn Store>> {
        if url.scheme().is_web() {
            let detail = "a web server is no place for tables; expected a folder, or s3://BUCKET/PREFIX";
            return Err(io::Error::new(ErrorKind::Unsupported, detail));
        }
        let shown = url.to_string().trim_end_matches('/').to_owned();
        let (store, retries) = (self.store_of(url)?, self.options.retries);
        Ok(Box::new(RemoteFolder::new(store, path(url)?, shown, retries, Arc::clone(&self.runtime))))
    }

    fn object(&self, url: &RemoteUrl) -> io::Result<Object> {
        Ok(Object::new(self.store_of(url)?, path(url)?, url.to_string(), self.options.retries))
    }

    fn store_of(&self, url: &RemoteUrl) -> io::Result<Arc<dyn ObjectStore>> {
        if url.query().is_some() {
            return self.new_store(url);
        }
        let key = format!("{}://{:?}@{}", url.scheme().as_str(), url.user(), url.authority());
        let mut stores = self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = stores.get(&key) {
            return Ok(Arc::clone(store));
        }
        let store = self.new_store(url)?;
        stores.insert(key, Arc::clone(&store));
        Ok(store)
    }

    fn new_store(&self, url: &RemoteUrl) -> io::Result<Arc<dyn ObjectStore>> {
        let manners = if url.scheme().is_web() { Manners::Public } else { Manners::Own };
        let mut transport =
            Transport::new(self.client.clone(), Arc::clone(&self.hosts), manners, &self.options);
        if let Some(user) = url.user() {
            transport = transport.with_user(user)?;
        }
        match url.scheme() {
            Scheme::Http | Scheme::Https => web(url, transport),
            Scheme::S3 => self.s3(url, transport),
            Scheme::Gs => self.gs(url, transport),
            Scheme::Az => self.az(url, transport),
        }
    }

    fn s3(&self, url: &RemoteUrl, transport: Transport) -> io::Result<Arc<dyn ObjectStore>> {
        let builder = object_store::aws::AmazonS3Builder::from_env()
            .with_bucket_name(url.authority())
            .with_http_connector(transport)
            .with_retry(once());
        let anonymous = self.options.signing == Signing::Anonymous;
        let builder = if anonymous { builder.with_skip_signature(true) } else { builder };
        built(builder.build())
    }

    #[cfg(feature = "gs")]
    fn gs(&self, url: &RemoteUrl, transport: Transport) -> io::Result<Arc<dyn ObjectStore>> {
        let builder = object_store::gcp::GoogleCloudStorageBuilder::from_env()
            .with_bucket_name(url.authority())
            .with_http_connector(transport)
            .with_retry(once());
        let anonymous = self.options.signing == Signing::Anonymous;
        let builder = if anonymous { builder.with_skip_signature(true) } else { builder };
        built(builder.build())
    }

    #[cfg(feature = "az")]
    fn az(&self, url: &RemoteUrl, transport: Transport) -> io::Result<Arc<dyn ObjectStore>> {
        let builder = object_store::azure::MicrosoftAzureBuilder::from_env()
            .with_container_name(url.authority())
            .with_http_connector(transport)
            .with_retry(once());
        let anonymous = self.options.signing == Signing::Anonymous;
        let builder = if anonymous { builder.with_skip_signature(true) } else { builder };
        built(builder.build())
    }

    #[cfg(not(feature = "gs"))]
    #[allow(clippy::unused_self)] // it has the form of the others
    fn gs(&self, _: &RemoteUrl, _: Transport) -> io::Result<Arc<dyn ObjectStore>> {
        Err(without("gs"))
    }

    #[cfg(not(feature = "az"))]
    #[allow(clippy::unused_self)] // it has the form of the others
    fn az(&self, _: &RemoteUrl, _: Transport) -> io::Result<Arc<dyn ObjectStore>> {
        Err(without("az"))
    }
}

fn web(url: &RemoteUrl, transport: Transport) -> io::Result<Arc<dyn ObjectStore>> {
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    let root = format!("{}://{}/{query}", url.scheme().as_str(), url.authority());
    let builder = object_store::http::HttpBuilder::new().with_url(root).with_retry(once());
    built(builder.with_http_connector(transport).build())
}

/// Requests are sent again by [`Transport`] alone.
fn once() -> RetryConfig {
    RetryConfig { max_retries: 0, ..RetryConfig::default() }
}

fn built<S: ObjectStore>(store: object_store::Result<S>) -> io::Result<Arc<dyn ObjectStore>> {
    match store {
        Ok(store) => Ok(Arc::new(store)),
        Err(error) => Err(io_error(&error)),
    }
}

/// Returns the path of a URL in its store.
fn path(url: &RemoteUrl) -> io::Result<Path> {
    let path = if url.scheme().is_web() { Path::from_url_path(url.key()) } else { Path::parse(url.key()) };
    path.map_err(|error| io::Error::new(ErrorKind::InvalidInput, error.to_string()))
}

#[allow(dead_code)] // where both features are on
fn without(feature: &str) -> io::Error {
    let detail = format!("this program was built without the feature {feature}");
    io::Error::new(ErrorKind::Unsupported, detail)
}
