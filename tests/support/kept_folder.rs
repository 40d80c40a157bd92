//! A folder that a static holds, whose destructor never runs: the next process that makes one removes it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// An empty folder below the target folder, for the whole test program.
pub struct KeptFolder {
    path: PathBuf,
    /// Locked while the process lives.
    _lock: File,
}

impl KeptFolder {
    /// Makes a folder, and removes those of this name whose processes have ended.
    pub fn new(name: &str) -> Self {
        Self::below(&Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)).expect("a folder")
    }

    fn below(all: &Path) -> io::Result<Self> {
        fs::create_dir_all(all)?;
        for folder in fs::read_dir(all)?
            .map_while(Result::ok)
            .map(|entry| entry.path())
        {
            if File::open(folder.join("lock")).is_ok_and(|lock| lock.try_lock().is_ok()) {
                // Another process may be removing it, too.
                let _ = fs::remove_dir_all(folder);
            }
        }
        let folder = tempfile::tempdir_in(all)?.keep();
        // Under its name, the file is locked from the beginning.
        let lock = File::create(folder.join("new"))?;
        lock.lock()?;
        fs::rename(folder.join("new"), folder.join("lock"))?;
        let path = folder.join("world");
        fs::create_dir(&path)?;
        Ok(Self { path, _lock: lock })
    }

    /// Returns where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}
