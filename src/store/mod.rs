//! Where output goes: a place that keeps files under names with `/`.
//!
//! A file is written under a name of its own that no reader looks at, and gets its real name when
//! it is whole; what is dropped before that leaves nothing behind. A local folder for now; an
//! object store fits the same two traits.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// A place for output.
pub trait Store: Send + Sync {
    /// Begins the file `name`, which is not there until it is committed.
    ///
    /// # Errors
    /// Why it cannot be written.
    fn create(&self, name: &str) -> io::Result<Box<dyn StoreFile>>;

    /// Returns the content of the file `name`, or `None` where there is none.
    ///
    /// # Errors
    /// Why it cannot be read.
    fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>>;

    /// Opens the file `name`.
    ///
    /// # Errors
    /// Why it cannot be opened.
    fn open(&self, name: &str) -> io::Result<Box<dyn StoredFile>>;

    /// Returns the names of the files below the folder `name`, at any depth, sorted.
    ///
    /// # Errors
    /// Why the folder cannot be read; none where it is not there.
    fn list(&self, name: &str) -> io::Result<Vec<String>>;

    /// Returns the length in bytes of the file `name`, or `None` where there is none.
    ///
    /// # Errors
    /// Why it cannot be looked at.
    fn bytes(&self, name: &str) -> io::Result<Option<u64>>;

    /// Returns whether there is nothing in it.
    ///
    /// # Errors
    /// Why it cannot be looked at.
    fn is_empty(&self) -> io::Result<bool>;

    /// Removes the file or folder `name` with all that is in it, where there is one.
    ///
    /// # Errors
    /// Why it cannot be removed.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Returns the place, for messages.
    fn location(&self) -> String;
}

/// A file being written.
pub trait StoreFile: Write + Send {
    /// Makes the file durable and gives it its name; one that has the name is replaced.
    ///
    /// # Errors
    /// Why that cannot be done; then nothing is left behind.
    fn commit(self: Box<Self>) -> io::Result<()>;
}

/// What a stored file can do.
pub trait StoredFile: Read + Seek + Send {}

impl<T: Read + Seek + Send> StoredFile for T {}

/// A local folder.
pub struct FolderStore {
    folder: PathBuf,
}

impl FolderStore {
    /// Returns the folder as a store; folders are made as files need them.
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }
}

impl Store for FolderStore {
    fn create(&self, name: &str) -> io::Result<Box<dyn StoreFile>> {
        let path = self.folder.join(name);
        let parent = path.parent().unwrap_or(&self.folder).to_owned();
        fs::create_dir_all(&parent)?;
        let file_name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        remove_leavings(&parent, &file_name)?;
        // Engines pass over names that start with a dot. The process id keeps two runs apart.
        let temporary = parent.join(format!(".{file_name}.{}.tmp", std::process::id()));
        let file = File::create(&temporary)?;
        Ok(Box::new(FolderFile { file, temporary, path, parent, committed: false }))
    }

    fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        absent_as_none(fs::read(self.folder.join(name)))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn StoredFile>> {
        Ok(Box::new(File::open(self.folder.join(name))?))
    }

    fn list(&self, name: &str) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        let mut folders = vec![name.to_owned()];
        while let Some(folder) = folders.pop() {
            let Some(entries) = absent_as_none(fs::read_dir(self.folder.join(&folder)))? else { continue };
            for entry in entries {
                let entry = entry?;
                let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
                if entry.path().is_dir() { folders.push(name) } else { names.push(name) }
            }
        }
        // What is being written has a name that starts with a dot.
        names.retain(|name| !name.rsplit('/').next().is_some_and(|file| file.starts_with('.')));
        names.sort();
        Ok(names)
    }

    fn bytes(&self, name: &str) -> io::Result<Option<u64>> {
        absent_as_none(fs::metadata(self.folder.join(name)).map(|metadata| metadata.len()))
    }

    fn is_empty(&self) -> io::Result<bool> {
        let entries = absent_as_none(fs::read_dir(&self.folder))?;
        entries.map_or(Ok(true), |mut entries| Ok(entries.next().transpose()?.is_none()))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let path = self.folder.join(name);
        let result = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        absent_as_none(result).map(drop)
    }

    fn location(&self) -> String {
        self.folder.display().to_string()
    }
}

fn absent_as_none<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

struct FolderFile {
    file: File,
    temporary: PathBuf,
    path: PathBuf,
    parent: PathBuf,
    committed: bool,
}

impl Write for FolderFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl StoreFile for FolderFile {
    fn commit(mut self: Box<Self>) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.temporary, &self.path)?;
        self.committed = true;
        sync_folder(&self.parent)
    }
}

impl Drop for FolderFile {
    fn drop(&mut self) {
        if !self.committed {
            // Best effort: the name shows that it is rubbish, and the next run replaces it.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// Removes what a process that is no more left of a file when it was killed.
fn remove_leavings(parent: &Path, file_name: &str) -> io::Result<()> {
    let prefix = format!(".{file_name}.");
    for entry in fs::read_dir(parent)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let process = name.strip_prefix(&prefix).and_then(|rest| rest.strip_suffix(".tmp"));
        if process.is_some_and(|id| !is_running(id)) {
            absent_as_none(fs::remove_file(entry.path()))?;
        }
    }
    Ok(())
}

/// Returns whether a process runs; where the system does not tell, it may.
fn is_running(process_id: &str) -> bool {
    let processes = Path::new("/proc");
    if !processes.join("self").exists() {
        return true;
    }
    // The state stands behind the name in parentheses; a zombie has ended.
    let stat = fs::read_to_string(processes.join(process_id).join("stat"));
    let state = stat
        .as_ref()
        .ok()
        .and_then(|stat| stat.rsplit_once(") "))
        .map(|(_, rest)| rest.starts_with(['Z', 'X']));
    state == Some(false)
}

/// Makes a rename durable, where the system lets a folder be synced.
fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(error) if !matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::InvalidInput) => {
            Err(error)
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::{FolderStore, Store};

    #[test]
    fn local_a_file_is_there_when_it_is_whole_and_not_before() {
        let folder = tempfile::tempdir().unwrap();
        let store = FolderStore::new(folder.path().join("out"));
        let mut file = store.create("a/b.txt").unwrap();
        file.write_all(b"text").unwrap();
        assert_eq!(store.read("a/b.txt").unwrap(), None);
        file.commit().unwrap();
        assert_eq!(store.read("a/b.txt").unwrap().as_deref(), Some(&b"text"[..]));
        assert_eq!(store.bytes("a/b.txt").unwrap(), Some(4));
        drop(store.create("a/c.txt").unwrap());
        assert_eq!(std::fs::read_dir(folder.path().join("out/a")).unwrap().count(), 1);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn local_what_a_killed_process_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let left = |name: &str| std::fs::write(folder.path().join(name), "half").unwrap();
        // No process has the first id: it is above the largest that Linux gives.
        left(".b.txt.4194305.tmp");
        left(".other.txt.4194305.tmp");
        let store = FolderStore::new(folder.path().to_owned());
        store.create("b.txt").unwrap().commit().unwrap();
        let mut names: Vec<String> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, [".other.txt.4194305.tmp", "b.txt"]);
    }
}
