//! A prefix of a bucket as a store.
//!
//! Example: in `s3://bucket/prefs`, `pages/crawl=local/part-other-07.parquet` is the key
//! `prefs/pages/crawl=local/part-other-07.parquet`. A name is claimed by a put that fails if the object exists
//! (`If-None-Match: *`). Nothing is renamed. Left out: stores without conditional puts; there a claim fails.

use super::RemoteOptions;
use super::blocks::Blocks;
use super::clients::Network;
use super::faults::io_error;
use super::object::{Object, strong_tag};
use crate::store::folder::{absent_as_none, is_hidden};
use crate::store::{Claim, ObjectVersion, Store, StoreFile, StoredFile, check_name};
use futures_util::future::ready;
use futures_util::{TryFutureExt, TryStreamExt};
use object_store::path::Path;
use object_store::{
    Error, MultipartUpload, ObjectMeta, ObjectStore, ObjectStoreExt, PutMode, PutPayload,
};
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};
use std::sync::Arc;
use tokio::task::JoinHandle;

/// The longest object that is read as a whole; a manifest with the places of all its failures is far shorter.
const WHOLE_BYTES: u64 = 1 << 30;

/// A prefix of a bucket.
pub struct RemoteFolder {
    pub store: Arc<dyn ObjectStore>,
    pub prefix: Path,
    pub shown: String,
    pub options: Arc<RemoteOptions>,
    pub network: Arc<Network>,
}

impl RemoteFolder {
    fn path(&self, name: &str) -> io::Result<Path> {
        check_name(name)?;
        self.path_from(name)
    }

    /// The path of a folder, which may be the place itself, or where a listing begins.
    fn path_from(&self, name: &str) -> io::Result<Path> {
        let separator = if self.prefix.as_ref().is_empty() {
            ""
        } else {
            "/"
        };
        Path::parse(format!("{}{separator}{name}", self.prefix)).map_err(io::Error::other)
    }

    fn object(&self, name: &str) -> io::Result<Object> {
        let (store, options) = (Arc::clone(&self.store), Arc::clone(&self.options));
        Ok(Object::new(
            store,
            self.path(name)?,
            self.location_of(name),
            options,
        ))
    }

    fn below(&self, folder: &Path) -> io::Result<Vec<Path>> {
        let paths = self
            .store
            .list(Some(folder))
            .map_ok(|object| object.location);
        self.network.wait(paths.map_err(io_error).try_collect())
    }

    fn version(&self, meta: &ObjectMeta) -> Option<ObjectVersion> {
        let name = self.name(&meta.location).filter(|name| !is_hidden(name))?;
        Some(ObjectVersion {
            name,
            bytes: meta.size,
            tag: strong_tag(meta.e_tag.as_deref()),
        })
    }

    fn name(&self, path: &Path) -> Option<String> {
        let name = path.as_ref().strip_prefix(self.prefix.as_ref())?;
        Some(name.trim_start_matches('/').to_owned())
    }
}

impl Store for RemoteFolder {
    fn create(&self, name: &str) -> io::Result<Box<dyn StoreFile>> {
        Ok(Box::new(Upload {
            store: Arc::clone(&self.store),
            path: self.path(name)?,
            network: Arc::clone(&self.network),
            part: Vec::new(),
            parts: None,
            under_way: VecDeque::new(),
        }))
    }

    fn claim(&self, name: &str, content: &[u8]) -> io::Result<Claim> {
        let (path, payload) = (self.path(name)?, PutPayload::from(content.to_vec()));
        let put = self.store.put_opts(&path, payload, PutMode::Create.into());
        match self.network.wait(async { Ok(put.await) })? {
            Ok(_) => Ok(Claim::Created),
            Err(Error::Precondition { .. }) => Ok(Claim::Exists),
            Err(error) => match io_error(error) {
                error if error.kind() == ErrorKind::AlreadyExists => Ok(Claim::Exists),
                error => Err(error),
            },
        }
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn StoredFile>> {
        let object = Arc::new(self.object(name)?);
        self.network.wait(object.look())?;
        Ok(Box::new(Blocks::new(
            object,
            Arc::clone(&self.network),
            None,
        )))
    }

    fn open_ranges(&self, name: &str, bytes: u64) -> io::Result<Box<dyn StoredFile>> {
        Ok(Box::new(Blocks::new(
            Arc::new(self.object(name)?),
            Arc::clone(&self.network),
            Some(bytes),
        )))
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        let folder = if folder.is_empty() {
            self.prefix.clone()
        } else {
            self.path(folder)?
        };
        let mut names: Vec<String> = self
            .below(&folder)?
            .iter()
            .filter_map(|path| self.name(path))
            .collect();
        names.retain(|name| !is_hidden(name));
        names.sort();
        Ok(names)
    }

    fn folders(&self) -> io::Result<Vec<String>> {
        let listed = self
            .store
            .list_with_delimiter(Some(&self.prefix))
            .map_err(io_error);
        let found = self.network.wait(listed)?.common_prefixes;
        Ok(found.iter().filter_map(|path| self.name(path)).collect())
    }

    fn requests(&self) -> usize {
        32
    }

    fn versions(
        &self,
        folder: &str,
        names: Option<(&str, &str)>,
    ) -> io::Result<Option<Vec<ObjectVersion>>> {
        let folder = self.path(folder)?;
        let last = names.map(|(_, last)| self.path(last)).transpose()?;
        let found = match names {
            None => self.store.list(Some(&folder)),
            Some((first, _)) => {
                // A listing begins after a name.
                let before = self.path_from(
                    first
                        .get(..first.len().saturating_sub(1))
                        .unwrap_or_default(),
                )?;
                self.store.list_with_offset(Some(&folder), &before)
            }
        };
        let is_before = |meta: &ObjectMeta| last.as_ref().is_none_or(|last| meta.location <= *last);
        let found = found
            .map_err(io_error)
            .try_take_while(|meta| ready(Ok(is_before(meta))));
        let found: Vec<ObjectMeta> = self.network.wait(found.try_collect())?;
        Ok(Some(
            found.iter().filter_map(|meta| self.version(meta)).collect(),
        ))
    }

    fn read_version(&self, name: &str) -> io::Result<Option<(Vec<u8>, Option<String>)>> {
        let object = self.object(name)?;
        let content = absent_as_none(self.network.wait(object.whole(WHOLE_BYTES)))?;
        Ok(content.map(|content| (content.to_vec(), object.tag())))
    }

    fn bytes(&self, name: &str) -> io::Result<Option<u64>> {
        absent_as_none(self.network.wait(self.object(name)?.look()))
    }

    fn modified_unix_ms(&self, name: &str) -> io::Result<Option<i64>> {
        let object = self.object(name)?;
        let looked = absent_as_none(self.network.wait(object.look()))?;
        Ok(looked.and_then(|_| object.written_unix_ms()))
    }

    fn is_empty(&self) -> io::Result<bool> {
        let mut listed = self.store.list(Some(&self.prefix)).map_err(io_error);
        self.network
            .wait(listed.try_next())
            .map(|first| first.is_none())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let path = self.path(name)?;
        let mut paths = self.below(&path)?;
        paths.push(path);
        for path in paths {
            match self
                .network
                .wait(async { Ok(self.store.delete(&path).await) })?
            {
                Ok(()) | Err(Error::NotFound { .. }) => {}
                Err(error) => return Err(io_error(error)),
            }
        }
        Ok(())
    }

    fn location(&self) -> String {
        self.shown.clone()
    }

    fn put(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let path = self.path(name)?;
        let put = self.store.put(&path, PutPayload::from(content.to_vec()));
        self.network.wait(put.map_err(io_error)).map(drop)
    }
}

/// The length of a part: S3 allows ten thousand of them, which are 78 GiB.
const PART_BYTES: usize = 8 << 20;
const PARTS: usize = 2;

/// An object being written; nothing is sent yet while there are no parts.
struct Upload {
    store: Arc<dyn ObjectStore>,
    path: Path,
    network: Arc<Network>,
    part: Vec<u8>,
    parts: Option<Box<dyn MultipartUpload>>,
    under_way: VecDeque<JoinHandle<object_store::Result<()>>>,
}

impl Upload {
    fn send(&mut self) -> io::Result<()> {
        let parts = match &mut self.parts {
            Some(parts) => parts,
            none => {
                let begun = self.store.put_multipart(&self.path).map_err(io_error);
                none.insert(self.network.wait(begun)?)
            }
        };
        let part = parts.put_part(PutPayload::from(std::mem::take(&mut self.part)));
        self.under_way.push_back(self.network.spawn(part));
        self.wait(PARTS)
    }

    /// Waits until not more than `most` parts are under way.
    fn wait(&mut self, most: usize) -> io::Result<()> {
        while self.under_way.len() > most
            && let Some(part) = self.under_way.pop_front()
        {
            self.network
                .wait(async { part.await.map_err(io::Error::other)?.map_err(io_error) })?;
        }
        Ok(())
    }
}

impl Write for Upload {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(PART_BYTES - self.part.len());
        self.part
            .extend_from_slice(bytes.get(..count).unwrap_or_default());
        if self.part.len() == PART_BYTES {
            self.send()?;
        }
        Ok(count)
    }

    /// Parts are sent when they are full; no store accepts shorter ones.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl StoreFile for Upload {
    fn commit(mut self: Box<Self>) -> io::Result<()> {
        if self.parts.is_none() {
            let payload = PutPayload::from(std::mem::take(&mut self.part));
            let put = self.store.put(&self.path, payload).map_err(io_error);
            return self.network.wait(put).map(drop);
        }
        if !self.part.is_empty() {
            self.send()?;
        }
        self.wait(0)?;
        let Some(mut parts) = self.parts.take() else {
            return Ok(());
        };
        let completed = self.network.wait(parts.complete().map_err(io_error));
        if completed.is_err() {
            self.parts = Some(parts);
        }
        completed.map(drop)
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        for part in self.under_way.drain(..) {
            part.abort();
        }
        if let Some(mut parts) = self.parts.take() {
            // If that also fails, the store still shows no part of the object.
            self.network.tidy(async { drop(parts.abort().await) });
        }
    }
}
