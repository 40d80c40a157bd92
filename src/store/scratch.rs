//! A file for what does not fit in memory.
//!
//! It has no name as soon as it is open, so that nothing of it stays, whatever ends the process. Left out: giving
//! places back; all of them are, with the file.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A file without a name.
pub struct Scratch {
    file: File,
    folder: PathBuf,
    bytes: AtomicU64,
}

/// Returns the name of a temporary file that no other process has: in containers, two that share a folder may have one number, and
/// one that was killed leaves its file.
pub fn temporary_name(ending: &str) -> String {
    format!(".crawlprefs-{}-{:016x}.{ending}", std::process::id(), super::folder::random())
}

impl Scratch {
    /// Makes one in a folder.
    pub fn new(folder: &Path) -> io::Result<Self> {
        let path = folder.join(temporary_name("tmp"));
        let file = File::options().read(true).write(true).create_new(true).open(&path);
        let file = file.and_then(|file| fs::remove_file(&path).map(|()| file));
        let file = file.map_err(|error| named(folder, &error))?;
        Ok(Self { file, folder: folder.to_owned(), bytes: AtomicU64::new(0) })
    }

    /// Returns a place for a number of bytes that no other caller gets.
    pub fn reserve(&self, bytes: usize) -> u64 {
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed)
    }

    /// Writes to a place.
    pub fn write(&self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all_at(bytes, at).map_err(|error| named(&self.folder, &error))
    }

    /// Fills `buffer` with what was written to a place.
    pub fn read(&self, at: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(buffer, at).map_err(|error| named(&self.folder, &error))
    }
}

/// Returns an error with its folder and, where another folder would help, what to do.
fn named(folder: &Path, error: &io::Error) -> io::Error {
    let error = super::folder::named(folder, error);
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            let advice = "free some space there, or name a folder with more by --temp-dir";
            io::Error::new(error.kind(), format!("{error}; {advice}"))
        }
        ErrorKind::NotFound | ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            let advice = "name another folder for temporary files by --temp-dir, or set TMPDIR";
            io::Error::new(error.kind(), format!("{error}; {advice}"))
        }
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::{Scratch, named, temporary_name};

    #[test]
    fn local_a_scratch_file_keeps_places_apart_and_has_no_name() {
        let folder = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(folder.path()).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let [one, other] = [3, 2].map(|bytes| scratch.reserve(bytes));
        scratch.write(other, b"de").unwrap();
        scratch.write(one, b"abc").unwrap();
        let mut all = [0; 5];
        scratch.read(0, &mut all).unwrap();
        assert_eq!(&all, b"abcde");
        assert!(scratch.read(other, &mut [0; 3]).is_err());
    }

    #[test]
    fn local_a_temporary_file_has_a_name_of_its_own() {
        let names: std::collections::BTreeSet<String> = (0..100).map(|_| temporary_name("stdin")).collect();
        assert_eq!(names.len(), 100);
    }

    #[test]
    fn local_an_error_names_the_folder() {
        let error = Scratch::new(std::path::Path::new("no/such/folder")).err().unwrap();
        assert!(error.to_string().starts_with("no/such/folder: "), "{error}");
    }

    #[test]
    fn local_a_folder_that_is_full_or_closed_is_named_with_the_option_for_another_one() {
        let full = named(std::path::Path::new("/small"), &std::io::ErrorKind::StorageFull.into()).to_string();
        assert!(
            full.starts_with("/small: ") && full.ends_with("name a folder with more by --temp-dir"),
            "{full}"
        );
        let closed = named(std::path::Path::new("/closed"), &std::io::ErrorKind::PermissionDenied.into());
        assert!(closed.to_string().ends_with("by --temp-dir, or set TMPDIR"), "{closed}");
        let other = named(std::path::Path::new("/small"), &std::io::ErrorKind::UnexpectedEof.into());
        assert!(!other.to_string().contains("--temp-dir"), "{other}");
    }
}
