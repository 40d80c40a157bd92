//! One archive to read: its name in the tables, and how to open it.
//!
//! The name is not a path. An archive is read once, in sequence, and its length may be unknown, so pipes, HTTP and object
//! stores serve as well as files.

use super::name::ArchiveName;
use crate::web::shown::shown;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
#[cfg(unix)]
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, SystemTime};
use std::{fmt, fs::File};

/// The source of an archive's bytes.
pub trait ArchiveSource: Send + Sync {
    /// Opens the archive at its first byte; the error is `NotFound` if there is no such archive, here and below.
    fn open(&self) -> io::Result<Box<dyn Read + Send>>;

    /// Returns the length in bytes, if it is known before reading.
    fn bytes(&self) -> Option<u64>;

    /// Returns `bytes` bytes from `offset` on, or `None` if the source does not support ranges.
    fn range(&self, offset: u64, bytes: usize) -> io::Result<Option<Vec<u8>>> {
        let _ = (offset, bytes);
        Ok(None)
    }

    /// Returns the length and the last bytes, at most `bytes` of them, or `None` as for ranges.
    fn end(&self, bytes: u64) -> io::Result<Option<(u64, Vec<u8>)>> {
        let Some(length) = self.bytes() else {
            return Ok(None);
        };
        let from = length.saturating_sub(bytes);
        let range = self.range(
            from,
            usize::try_from(length - from).map_err(io::Error::other)?,
        )?;
        Ok(range.map(|range| (length, range)))
    }

    /// Returns when the archive was last written, in milliseconds since 1970, if that is known without a request.
    fn modified_unix_ms(&self) -> Option<i64> {
        None
    }

    /// Returns an identifier of the version that was read, different from that of any other version, if it is known.
    fn version(&self) -> Option<String> {
        None
    }

    /// Returns the future result of [`Self::version`], if that is known without a request.
    fn listed_version(&self) -> Option<String> {
        None
    }

    /// Returns whether it is read over a network, so that a reader waits longer for it than for a disk.
    fn is_remote(&self) -> bool {
        false
    }

    /// Returns why nothing more can be read from the place of this source, if so; other sources there are not tried.
    fn refusal(&self) -> Option<String> {
        None
    }

    /// Returns why nothing is requested now from the place of this source, if so; other sources there also fail.
    fn left_alone(&self) -> Option<String> {
        None
    }

    /// Returns a unique description of this source, for messages.
    fn location(&self) -> String;
}

/// An archive to read.
#[derive(Clone)]
pub struct Input {
    /// Its name in the tables.
    pub name: ArchiveName,
    /// The source of its bytes.
    pub source: Arc<dyn ArchiveSource>,
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} from {}",
            self.name.filename(),
            self.source.location()
        )
    }
}

/// A file.
pub struct FileSource {
    path: PathBuf,
}

impl FileSource {
    /// Makes the source of the file at `path`, which is not touched before it is opened.
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }
}

impl ArchiveSource for FileSource {
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(File::open(&self.path)?))
    }

    fn bytes(&self) -> Option<u64> {
        self.path
            .metadata()
            .ok()
            .filter(std::fs::Metadata::is_file)
            .map(|metadata| metadata.len())
    }

    fn modified_unix_ms(&self) -> Option<i64> {
        let metadata = self.path.metadata().ok()?;
        let modified = metadata.modified().ok().and_then(unix_ms);
        // A copy may keep the time of writing (`cp -p`); the system knows when it came to its place.
        #[cfg(unix)]
        let modified = modified.max(Some(
            metadata.ctime().saturating_mul(1000) + metadata.ctime_nsec() / 1_000_000,
        ));
        modified
    }

    fn range(&self, offset: u64, bytes: usize) -> io::Result<Option<Vec<u8>>> {
        // A pipe would give its bytes only once.
        if !self.path.metadata()?.is_file() {
            return Ok(None);
        }
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(offset))?;
        let mut range = vec![0; bytes];
        file.read_exact(&mut range)?;
        Ok(Some(range))
    }

    fn location(&self) -> String {
        shown(self.path.as_os_str().as_encoded_bytes()).into_owned()
    }
}

/// Opens a file that a user names, such as a policy. Of a pipe, it waits for a writer (`--policy <(...)`), but not forever.
pub fn open_named(path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    if path
        .metadata()
        .is_ok_and(|found| found.file_type().is_fifo())
    {
        let ((sender, opened), pipe, wait) =
            (mpsc::channel(), path.to_owned(), Duration::from_secs(10));
        let open = move || drop(sender.send(File::open(pipe)));
        std::thread::Builder::new()
            .name("pipe".to_owned())
            .spawn(open)?;
        let late = || {
            io::Error::new(
                ErrorKind::TimedOut,
                "it is a pipe, and nobody wrote to it within 10 s",
            )
        };
        return opened.recv_timeout(wait).unwrap_or_else(|_| Err(late()));
    }
    File::open(path)
}

/// Returns a time in milliseconds since 1970.
pub fn unix_ms(time: SystemTime) -> Option<i64> {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok()
}

/// A stream that can be read once, such as standard input.
pub struct StreamSource {
    stream: Mutex<Option<Box<dyn Read + Send>>>,
}

impl StreamSource {
    /// Makes a source that gives `stream` to the first caller that opens it.
    pub fn new(stream: Box<dyn Read + Send>) -> Self {
        Self {
            stream: Mutex::new(Some(stream)),
        }
    }
}

impl ArchiveSource for StreamSource {
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        stream
            .take()
            .ok_or_else(|| io::Error::other("a stream can be read only once"))
    }

    fn bytes(&self) -> Option<u64> {
        None
    }

    fn location(&self) -> String {
        "standard input".to_owned()
    }
}
