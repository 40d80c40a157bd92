//! An object being written: in parts, complete or not at all.
//!
//! A short object is put in one request. For a long one, two parts are under way while the next is filled. If the process is
//! killed, the store keeps the parts, invisible, until a rule of the bucket removes them (`AbortIncompleteMultipartUpload`).

use super::clients::Network;
use super::faults::io_error;
use crate::store::StoreFile;
use futures_util::TryFutureExt;
use object_store::path::Path;
use object_store::{MultipartUpload, ObjectStore, ObjectStoreExt, PutPayload};
use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::Arc;
use tokio::task::JoinHandle;

/// The length of a part: S3 allows ten thousand of them, which are 78 GiB.
const PART_BYTES: usize = 8 << 20;
const PARTS: usize = 2;

/// An object being written.
pub struct Upload {
    store: Arc<dyn ObjectStore>,
    path: Path,
    network: Arc<Network>,
    part: Vec<u8>,
    parts: Option<Box<dyn MultipartUpload>>,
    under_way: VecDeque<JoinHandle<object_store::Result<()>>>,
}

impl Upload {
    /// Begins an object; nothing is sent yet.
    pub fn new(store: Arc<dyn ObjectStore>, path: Path, network: Arc<Network>) -> Self {
        Self { store, path, network, part: Vec::new(), parts: None, under_way: VecDeque::new() }
    }

    fn send(&mut self) -> io::Result<()> {
        let parts = match &mut self.parts {
            Some(parts) => parts,
            none => {
                let begun = self.store.put_multipart(&self.path).map_err(|error| io_error(&error));
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
                .wait(async { part.await.map_err(io::Error::other)?.map_err(|error| io_error(&error)) })?;
        }
        Ok(())
    }
}

impl Write for Upload {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(PART_BYTES - self.part.len());
        self.part.extend_from_slice(bytes.get(..count).unwrap_or_default());
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
            let put = self.store.put(&self.path, payload).map_err(|error| io_error(&error));
            return self.network.wait(put).map(drop);
        }
        if !self.part.is_empty() {
            self.send()?;
        }
        self.wait(0)?;
        let Some(mut parts) = self.parts.take() else { return Ok(()) };
        let completed = self.network.wait(parts.complete().map_err(|error| io_error(&error)));
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
