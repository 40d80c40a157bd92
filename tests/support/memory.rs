//! An archive in memory.

use crawlprefs::archive::ArchiveSource;
use std::io::{self, Read};

/// The bytes of an archive, as a source.
pub struct Memory(pub Vec<u8>);

impl ArchiveSource for Memory {
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(io::Cursor::new(self.0.clone())))
    }

    fn bytes(&self) -> Option<u64> {
        None
    }

    fn location(&self) -> String {
        "memory".to_owned()
    }
}
