//! Documents from standard input and to standard output.

use crawlprefs::store::{StoreFile, temporary_name};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Standard input, kept in a file, because documents are read twice; the file is removed on drop.
pub struct Spooled(PathBuf);

impl Spooled {
    pub fn new() -> io::Result<Self> {
        let path = std::env::temp_dir().join(temporary_name("stdin"));
        let mut file = File::create_new(&path)?;
        let spooled = Self(path);
        io::copy(&mut io::stdin().lock(), &mut file)?;
        Ok(spooled)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Spooled {
    fn drop(&mut self) {
        // Best effort: it is in a folder for temporary files.
        let _ = fs::remove_file(&self.0);
    }
}

static WRITTEN: AtomicBool = AtomicBool::new(false);

/// Standard output, which remembers whether any document went to it.
pub struct Stdout;

impl Stdout {
    pub fn is_written() -> bool {
        WRITTEN.load(Ordering::Relaxed)
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        WRITTEN.store(true, Ordering::Relaxed);
        io::stdout().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}

impl StoreFile for Stdout {
    fn commit(self: Box<Self>) -> io::Result<()> {
        io::stdout().flush()
    }
}
