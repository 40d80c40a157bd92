//! One object, read by ranges that all belong to one version of it.
//!
//! Example: the first range says `Content-Range: bytes 0-16777215/1048576000` and `ETag: "9b2c"`; each later one is requested
//! with `If-Match: "9b2c"`. An answer that breaks off is continued at its byte. An object that has changed meanwhile is an
//! error, because its bytes would come from two files.
//!
//! [`RangeReader`] is an object as a stream: its ranges one after the other, with the next ones under way. Each range is a task
//! of its own, so that it arrives while the previous one is inflated. A reader thus holds four ranges at most. A range that
//! cannot be read ends the stream with its error.

use super::RemoteOptions;
use super::clients::Network;
use super::faults::{changed, io_error};
use crate::store::watch::RequestEvent;
use bytes::{Buf, Bytes, BytesMut};
use futures_util::StreamExt;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, GetResult, ObjectMeta, ObjectStore, ObjectStoreExt};
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read};
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::task::JoinHandle;

/// How much one request asks for: 64 requests for an archive of a gigabyte.
pub const RANGE_BYTES: u64 = 16 << 20;

pub struct Object {
    store: Arc<dyn ObjectStore>,
    path: Path,
    /// Its URL without credentials.
    pub shown: String,
    options: Arc<RemoteOptions>,
    version: OnceLock<Version>,
    /// When it was written, in milliseconds since 1970, according to the first answer.
    written: OnceLock<i64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Version {
    bytes: u64,
    tag: Option<String>,
    /// When it was written, in seconds since 1970; only if the tag does not ensure that the bytes are the same.
    modified: Option<i64>,
}

/// Returns whether equal tags mean equal bytes (RFC 9110 8.8.1), whenever written: two runs may write the same table twice.
fn is_strong(tag: &str) -> bool {
    !tag.starts_with("W/")
}

/// Returns a strong tag without its quotes, which some listings lack.
pub fn strong_tag(tag: Option<&str>) -> Option<String> {
    let tag = tag.filter(|tag| is_strong(tag))?.trim_matches('"');
    (!tag.is_empty()).then(|| tag.to_owned())
}

/// Returns what distinguishes a version of an archive: its length and its strong tag.
pub fn archive_version(bytes: u64, tag: Option<&str>) -> Option<String> {
    strong_tag(tag).map(|tag| format!("{bytes} {tag}"))
}

impl Object {
    /// Returns the object at a path; the first request is sent when it is read.
    pub fn new(
        store: Arc<dyn ObjectStore>,
        path: Path,
        shown: String,
        options: Arc<RemoteOptions>,
    ) -> Self {
        Self {
            store,
            path,
            shown,
            options,
            version: OnceLock::new(),
            written: OnceLock::new(),
        }
    }

    pub fn bytes(&self) -> Option<u64> {
        self.version.get().map(|version| version.bytes)
    }

    pub fn tag(&self) -> Option<String> {
        strong_tag(self.version.get()?.tag.as_deref())
    }

    pub fn archive_version(&self) -> Option<String> {
        let version = self.version.get()?;
        archive_version(version.bytes, version.tag.as_deref())
    }

    /// Returns when it was written, once it has been read and if the server says so.
    pub fn written_unix_ms(&self) -> Option<i64> {
        self.written.get().copied().filter(|written| *written > 0)
    }

    pub async fn look(&self) -> io::Result<u64> {
        let meta = self.store.head(&self.path).await.map_err(io_error)?;
        self.is_one_version(&meta)?;
        Ok(meta.size)
    }

    /// Reads the first range; it is empty if the object is.
    pub async fn first(&self) -> io::Result<Bytes> {
        match self.range(GetRange::Bounded(0..RANGE_BYTES)).await {
            Err(error) if error.kind() == ErrorKind::InvalidInput && self.look().await? == 0 => {
                Ok(Bytes::new())
            }
            read => read,
        }
    }

    /// Reads the last bytes, as many as exist.
    pub async fn last(&self, bytes: u64) -> io::Result<Bytes> {
        match self.bytes() {
            Some(end) if end <= bytes => self.bounded(0..end).await,
            Some(end) => self.bounded(end - bytes..end).await,
            None => match self.range(GetRange::Suffix(bytes)).await {
                // Azure's stores have no such ranges; an empty object has none at all.
                Err(error)
                    if matches!(
                        error.kind(),
                        ErrorKind::InvalidInput | ErrorKind::Unsupported
                    ) =>
                {
                    let end = self.look().await?;
                    self.bounded(end.saturating_sub(bytes)..end).await
                }
                read => read,
            },
        }
    }

    pub async fn bounded(&self, range: Range<u64>) -> io::Result<Bytes> {
        if range.is_empty() {
            return Ok(Bytes::new());
        }
        let length = range.end - range.start;
        let read = self.range(GetRange::Bounded(range)).await?;
        if read.len() as u64 == length {
            Ok(read)
        } else {
            Err(ErrorKind::UnexpectedEof.into())
        }
    }

    /// Reads the whole object in one answer if it has at most `most` bytes; an answer that breaks off is requested again.
    pub async fn whole(&self, most: u64) -> io::Result<Bytes> {
        for attempt in 0.. {
            let answer = self.get(None).await?;
            let end = answer.meta.size;
            if end > most {
                return Err(io::Error::other(format!(
                    "found {end} bytes, expected {most} at most"
                )));
            }
            let (mut read, length) = (
                BytesMut::new(),
                usize::try_from(end).map_err(io::Error::other)?,
            );
            match append(answer, length, &mut read).await {
                Ok(()) if read.len() == length => return Ok(read.freeze()),
                Ok(()) if attempt >= self.options.retries => break,
                Err(error) if attempt >= self.options.retries => return Err(io_error(error)),
                Ok(()) | Err(_) => self.repeated(attempt + 1),
            }
        }
        Err(ErrorKind::UnexpectedEof.into())
    }

    fn repeated(&self, attempt: u32) {
        if let Some(watch) = &self.options.watch {
            let (host, why) = (self.shown.as_str(), "the answer broke off");
            watch.noticed(&RequestEvent::Repeated {
                host,
                attempt,
                wait: Duration::ZERO,
                why,
            });
        }
    }

    /// Reads a range. Of a server that ignores ranges (RFC 9110 14.2), it reads the whole object if that is short.
    async fn range(&self, range: GetRange) -> io::Result<Bytes> {
        let bounds = match &range {
            GetRange::Bounded(bounds) => bounds.clone(),
            GetRange::Offset(_) | GetRange::Suffix(_) => return self.partial(range).await,
        };
        match self.partial(range).await {
            Err(error) if error.kind() == ErrorKind::Unsupported => {
                let named = |error: io::Error| {
                    let detail = "the server ignores ranges, and then only files of up to 16 MiB are read; reading again does not help: copy the file";
                    io::Error::other(format!("{detail} ({error})"))
                };
                let whole = self.whole(RANGE_BYTES).await.map_err(named)?;
                let at = |byte: u64| usize::try_from(byte).unwrap_or(usize::MAX).min(whole.len());
                Ok(whole.slice(at(bounds.start)..at(bounds.end)))
            }
            read => read,
        }
    }

    /// Reads a range; continues at its byte if an answer breaks off.
    async fn partial(&self, range: GetRange) -> io::Result<Bytes> {
        let answer = self.get(Some(range)).await?;
        let (mut read, wanted) = (BytesMut::new(), answer.range.clone());
        let mut answer = Some(answer);
        for attempt in 0.. {
            let at = wanted.start + read.len() as u64;
            let next = match answer.take() {
                Some(answer) => answer,
                None => self.get(Some(GetRange::Bounded(at..wanted.end))).await?,
            };
            let length = usize::try_from(wanted.end - wanted.start).map_err(io::Error::other)?;
            match append(next, length, &mut read).await {
                Ok(()) if read.len() == length => break,
                Ok(()) if attempt >= self.options.retries => {
                    return Err(ErrorKind::UnexpectedEof.into());
                }
                Err(error) if attempt >= self.options.retries => return Err(io_error(error)),
                Ok(()) | Err(_) => self.repeated(attempt + 1),
            }
        }
        Ok(read.freeze())
    }

    async fn get(&self, range: Option<GetRange>) -> io::Result<GetResult> {
        let tag = self.version.get().and_then(|version| version.tag.clone());
        // RFC 9110 13.1.1: a weak tag never matches; then the answers are compared.
        let if_match = tag.filter(|tag| is_strong(tag));
        let options = GetOptions {
            range,
            if_match,
            ..GetOptions::default()
        };
        let answer = self.store.get_opts(&self.path, options).await;
        let answer = answer.map_err(io_error)?;
        self.is_one_version(&answer.meta)?;
        Ok(answer)
    }

    /// Compares an answer's version of the object with that of the first answer.
    fn is_one_version(&self, meta: &ObjectMeta) -> io::Result<()> {
        let tag = meta.e_tag.clone();
        self.written
            .get_or_init(|| meta.last_modified.timestamp_millis());
        let modified =
            (!tag.as_deref().is_some_and(is_strong)).then(|| meta.last_modified.timestamp());
        let version = Version {
            bytes: meta.size,
            tag,
            modified,
        };
        if *self.version.get_or_init(|| version.clone()) == version {
            Ok(())
        } else {
            Err(changed())
        }
    }
}

async fn append(answer: GetResult, length: usize, read: &mut BytesMut) -> object_store::Result<()> {
    let mut body = answer.into_stream();
    while let Some(piece) = body.next().await {
        let piece = piece?;
        let left = length - read.len();
        read.extend_from_slice(piece.get(..left).unwrap_or(&piece));
    }
    Ok(())
}

/// How many ranges are under way while one is read.
const AHEAD: usize = 3;

/// An object from its first byte on.
pub struct RangeReader {
    object: Arc<Object>,
    network: Arc<Network>,
    current: Bytes,
    under_way: VecDeque<JoinHandle<io::Result<Bytes>>>,
    next: u64,
    end: u64,
}

impl RangeReader {
    /// Begins an object and waits for its first range.
    pub fn new(object: Arc<Object>, network: Arc<Network>) -> io::Result<Self> {
        let current = network.wait(object.first())?;
        let (next, end) = (current.len() as u64, object.bytes().unwrap_or(0));
        let mut reader = Self {
            object,
            network,
            current,
            under_way: VecDeque::new(),
            next,
            end,
        };
        reader.ask();
        Ok(reader)
    }

    fn ask(&mut self) {
        while self.under_way.len() < AHEAD && self.next < self.end {
            let range = self.next..self.end.min(self.next + RANGE_BYTES);
            self.next = range.end;
            let object = Arc::clone(&self.object);
            self.under_way.push_back(
                self.network
                    .spawn(async move { object.bounded(range).await }),
            );
        }
    }
}

impl Read for RangeReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.current.is_empty()
            && let Some(range) = self.under_way.pop_front()
        {
            self.current = self
                .network
                .wait(async { range.await.map_err(io::Error::other)? })?;
            self.ask();
        }
        let count = self.current.len().min(buffer.len());
        self.current
            .copy_to_slice(buffer.get_mut(..count).unwrap_or_default());
        Ok(count)
    }
}

impl Drop for RangeReader {
    fn drop(&mut self) {
        for range in &self.under_way {
            range.abort();
        }
    }
}
