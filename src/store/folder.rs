//! A local folder as a store.
//!
//! A file is written as `.NAME.PID-RANDOM.tmp` beside its place, a name that engines pass over; then it is synced and renamed.
//! The writer locks it until then, so that another process, also in another container, removes only what a killed process left.
//! No symbolic link below an output is followed (see `links`). Left out: file systems without locks; there such files stay.

use super::{Claim, Links, Store, StoreFile, StoredFile, check_name};
use crate::archive::unix_ms;
use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::fs::{self, File, TryLockError};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A local folder.
pub struct FolderStore {
    folder: PathBuf,
    links: Links,
    /// The folders from which the files of killed processes have been removed.
    tidied: Mutex<HashSet<PathBuf>>,
    /// Files that `is_empty` ignores.
    beside: Vec<PathBuf>,
}

impl FolderStore {
    /// Returns the folder as a store; folders are made as files need them. No symbolic link below it is followed.
    pub fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            links: Links::Refused,
            tidied: Mutex::default(),
            beside: Vec::new(),
        }
    }

    /// Names files that may be in the folder and do not count in [`Store::is_empty`].
    pub fn with_files_beside(self, files: &[PathBuf]) -> Self {
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        Self {
            beside: files.iter().map(absolute).collect(),
            ..self
        }
    }

    /// Returns a folder that is only read, such as evidence. Links below it are followed once; nothing behind them is changed.
    pub fn of_input(folder: PathBuf) -> Self {
        Self {
            links: Links::Followed,
            ..Self::new(folder)
        }
    }

    fn readable(&self, name: &str) -> io::Result<PathBuf> {
        check_name(name)?;
        self.links.check(&self.folder, name)?;
        Ok(self.folder.join(name))
    }

    /// Creates the folder of a file; the first time, also removes what killed processes left there.
    fn begin(&self, name: &str) -> io::Result<FolderFile> {
        check_name(name)?;
        Links::Refused.check_folders(&self.folder, name)?;
        let path = self.folder.join(name);
        let parent = path.parent().unwrap_or(&self.folder).to_owned();
        fs::create_dir_all(&parent).map_err(|error| unwritable(&parent, &error))?;
        // The marks of runs are in the folder itself, and are written once.
        for folder in [&parent, &self.folder] {
            if self
                .tidied
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(folder.clone())
            {
                remove_leavings(folder)?;
            }
        }
        FolderFile::begin(path)
    }
}

impl Store for FolderStore {
    fn create(&self, name: &str) -> io::Result<Box<dyn StoreFile>> {
        Ok(Box::new(self.begin(name)?))
    }

    fn claim(&self, name: &str, content: &[u8]) -> io::Result<Claim> {
        let mut file = self.begin(name)?;
        file.write_all(content)?;
        file.file.sync_all()?;
        let linked = match fs::hard_link(&file.temporary, &file.path) {
            // A file system without hard links: another process may see half of the file, but not for long.
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                File::create_new(&file.path).and_then(|mut file| file.write_all(content))
            }
            linked => linked,
        };
        match linked {
            Ok(()) => sync_folder(file.parent()).map(|()| Claim::Created),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(Claim::Exists),
            Err(error) => Err(error),
        }
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn StoredFile>> {
        let file = File::open(self.readable(name)?)?;
        let bytes = file.metadata()?.len();
        Ok(Box::new(OpenFile { file, bytes }))
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        let below = if folder.is_empty() {
            self.folder.clone()
        } else {
            self.readable(folder)?
        };
        let Some(files) = absent_as_none(self.links.files_below(&below))? else {
            return Ok(Vec::new());
        };
        let below = |path: &Path| {
            path.strip_prefix(&self.folder)
                .map(with_slashes)
                .unwrap_or_default()
        };
        let mut names: Vec<String> = files.iter().map(|path| below(path)).collect();
        names.retain(|name| !is_hidden(name));
        names.sort();
        Ok(names)
    }

    fn bytes(&self, name: &str) -> io::Result<Option<u64>> {
        absent_as_none(fs::metadata(self.readable(name)?).map(|metadata| metadata.len()))
    }

    fn modified_unix_ms(&self, name: &str) -> io::Result<Option<i64>> {
        let metadata = absent_as_none(fs::metadata(self.readable(name)?))?;
        Ok(metadata.and_then(|metadata| unix_ms(metadata.modified().ok()?)))
    }

    fn is_empty(&self) -> io::Result<bool> {
        let Some(entries) = absent_as_none(fs::read_dir(&self.folder))? else {
            return Ok(true);
        };
        let folder = std::path::absolute(&self.folder)?;
        for entry in entries {
            let name = entry?.file_name();
            if !is_temporary(&name.to_string_lossy()) && !self.beside.contains(&folder.join(&name))
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        check_name(name)?;
        Links::Refused.check(&self.folder, name)?;
        let path = self.folder.join(name);
        let result = if path.is_dir() {
            fs::remove_dir_all(&path)
        } else {
            fs::remove_file(&path)
        };
        absent_as_none(result).map(drop)
    }

    fn location(&self) -> String {
        self.folder.display().to_string()
    }
}

/// Returns whether lists omit an object, as engines do.
pub(super) fn is_hidden(name: &str) -> bool {
    name.rsplit('/')
        .next()
        .is_some_and(|file| file.starts_with('.'))
}

fn with_slashes(path: &Path) -> String {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}

pub(super) fn named(path: &Path, error: &io::Error, advice: Option<&str>) -> io::Error {
    let advice = advice
        .map(|advice| format!("; {advice}"))
        .unwrap_or_default();
    io::Error::new(error.kind(), format!("{}: {error}{advice}", path.display()))
}

fn unwritable(path: &Path, error: &io::Error) -> io::Error {
    let advice = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            Some("free some space there and repeat the command: what is finished is kept")
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            Some("choose another folder, or change its permissions")
        }
        _ => None,
    };
    named(path, error, advice)
}

pub(super) fn absent_as_none<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

struct OpenFile {
    file: File,
    bytes: u64,
}

impl StoredFile for OpenFile {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn read_range(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(buffer, offset)
    }
}

/// A file being written. Its temporary file is removed when it is dropped.
struct FolderFile {
    file: File,
    temporary: PathBuf,
    path: PathBuf,
}

impl FolderFile {
    fn begin(path: PathBuf) -> io::Result<Self> {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        loop {
            let unique = format!("{}-{:016x}", std::process::id(), random());
            let temporary = path.with_file_name(format!(".{name}.{unique}.tmp"));
            let file = File::create_new(&temporary).map_err(|error| unwritable(&path, &error))?;
            // Another process may look at the file before it is locked, and then removes it.
            let is_ours =
                !matches!(file.try_lock(), Err(TryLockError::WouldBlock)) && temporary.exists();
            if is_ours {
                return Ok(Self {
                    file,
                    temporary,
                    path,
                });
            }
        }
    }

    fn parent(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }
}

impl Write for FolderFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file
            .write(bytes)
            .map_err(|error| unwritable(&self.path, &error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file
            .flush()
            .map_err(|error| unwritable(&self.path, &error))
    }
}

impl StoreFile for FolderFile {
    fn commit(self: Box<Self>) -> io::Result<()> {
        let committed = self
            .file
            .sync_all()
            .and_then(|()| fs::rename(&self.temporary, &self.path));
        committed
            .and_then(|()| sync_folder(self.parent()))
            .map_err(|error| unwritable(&self.path, &error))
    }
}

impl Drop for FolderFile {
    fn drop(&mut self) {
        // Best effort: after a commit the file is gone, and the file of a killed process is removed by the next one.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// Returns a number that no other process is likely to have.
pub(super) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

fn is_temporary(name: &str) -> bool {
    let unique = name
        .strip_prefix('.')
        .and_then(|name| name.strip_suffix(".tmp")?.rsplit_once('.'));
    unique
        .and_then(|(_, unique)| unique.split_once('-'))
        .is_some_and(|(process, random)| {
            process.bytes().all(|byte| byte.is_ascii_digit())
                && random.len() == 16
                && random.bytes().all(|byte| byte.is_ascii_hexdigit())
        })
}

/// Removes what killed processes left: no process holds a lock on it any longer.
fn remove_leavings(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // Opening a pipe of such a name would block, and a link leads elsewhere.
        if !is_temporary(&entry.file_name().to_string_lossy()) || !entry.file_type()?.is_file() {
            continue;
        }
        let Some(file) = absent_as_none(File::open(entry.path()))? else {
            continue;
        };
        if file.try_lock().is_ok() {
            absent_as_none(fs::remove_file(entry.path()))?;
        }
    }
    Ok(())
}

/// Makes a rename durable if the system can sync folders.
fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(error)
            if !matches!(
                error.kind(),
                ErrorKind::PermissionDenied | ErrorKind::InvalidInput
            ) =>
        {
            Err(error)
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Claim, Store};
    use super::{FolderStore, unwritable};
    use std::io::ErrorKind;
    use std::path::Path;

    #[test]
    fn local_a_file_that_cannot_be_written_is_named_with_what_to_do() {
        let said = |kind: ErrorKind| unwritable(Path::new("out/a"), &kind.into()).to_string();
        let full = said(ErrorKind::StorageFull);
        assert!(
            full.starts_with("out/a: ") && full.ends_with("what is finished is kept"),
            "{full}"
        );
        let closed = said(ErrorKind::PermissionDenied);
        assert!(
            closed.ends_with("; choose another folder, or change its permissions"),
            "{closed}"
        );
    }

    #[test]
    fn local_a_file_is_there_when_it_is_whole_and_not_before() {
        let folder = tempfile::tempdir().unwrap();
        let store = FolderStore::new(folder.path().join("out"));
        let mut file = store.create("a/b.txt").unwrap();
        file.write_all(b"text").unwrap();
        assert_eq!(store.read("a/b.txt").unwrap(), None);
        file.commit().unwrap();
        assert_eq!(
            store.read("a/b.txt").unwrap().as_deref(),
            Some(&b"text"[..])
        );
        assert_eq!(store.bytes("a/b.txt").unwrap(), Some(4));
        drop(store.create("a/c.txt").unwrap());
        assert_eq!(
            std::fs::read_dir(folder.path().join("out/a"))
                .unwrap()
                .count(),
            1
        );
    }

    #[test]
    fn local_what_a_killed_process_left_is_removed_and_what_is_being_written_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let left = |name: &str| std::fs::write(folder.path().join(name), "half").unwrap();
        left(".b.txt.7-0123456789abcdef.tmp");
        left(".mine.tmp");
        let store = |name: &str| {
            FolderStore::new(folder.path().to_owned())
                .create(name)
                .unwrap()
        };
        let one = store("b.txt");
        store("b.txt").commit().unwrap();
        one.commit().unwrap();
        let mut names: Vec<String> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, [".mine.tmp", "b.txt"]);
    }

    #[test]
    fn local_of_many_who_claim_a_name_one_gets_it() {
        let folder = tempfile::tempdir().unwrap();
        for round in 0..20 {
            let name = format!("{round}/_mark.json");
            let claim = |number: usize| {
                let store = FolderStore::new(folder.path().to_owned());
                store.claim(&name, number.to_string().as_bytes()).unwrap()
            };
            let claims: Vec<Claim> = std::thread::scope(|scope| {
                let claimants: Vec<_> = (0..8)
                    .map(|number| scope.spawn(move || claim(number)))
                    .collect();
                claimants
                    .into_iter()
                    .map(|claimant| claimant.join().unwrap())
                    .collect()
            });
            let won: Vec<usize> = (0..8)
                .filter(|number| claims[*number] == Claim::Created)
                .collect();
            let store = FolderStore::new(folder.path().to_owned());
            assert_eq!(won.len(), 1);
            assert_eq!(
                store.read(&name).unwrap(),
                Some(won[0].to_string().into_bytes())
            );
            assert_eq!(
                std::fs::read_dir(folder.path().join(round.to_string()))
                    .unwrap()
                    .count(),
                1
            );
        }
    }
}
