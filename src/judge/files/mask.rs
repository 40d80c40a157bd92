//! A mask of a file of documents: a line for each, in their order, `{"allowed": true}` if the policy keeps it.
//!
//! HPLT's stage 3 reads it beside its `metadata.zst`, line by line, and stops without an error at the end of the shorter file:
//! so it has exactly one line for each line of the input. Unknown is true or false as the policy says, never null.

use super::fault::FileFault;
use super::input::{End, Input};
use super::kind::Codec;
use super::line_reader::Out;
use super::sorter::{Facts, Sorter};
use crate::judge::documents::Documents;
use crate::judge::verdict::Verdict;
use crate::store::StoreFile;
use std::io::{self, Write};
use std::sync::Arc;

/// A file of documents for which a mask is written.
pub struct MaskInput<'r> {
    documents: Box<dyn Input + 'r>,
    out: Out,
}

impl<'r> MaskInput<'r> {
    /// Begins a mask of documents.
    pub fn new(
        documents: Box<dyn Input + 'r>,
        out: Box<dyn StoreFile>,
        codec: Codec,
    ) -> Result<Self, FileFault> {
        Ok(Self { documents, out: Out::new(out, codec).map_err(FileFault::Output)? })
    }
}

impl Input for MaskInput<'_> {
    fn read(&mut self, documents: &mut Documents, bytes: usize) -> Result<End, FileFault> {
        self.documents.read(documents, bytes)
    }

    fn write(&mut self, verdicts: &[Arc<Verdict>], sorter: &mut Sorter<'_>) -> Result<(), FileFault> {
        for verdict in verdicts {
            let is_allowed = sorter.sort(verdict, &Facts::default())?.is_none();
            writeln!(self.out, "{{\"allowed\": {is_allowed}}}").map_err(FileFault::Output)?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), FileFault> {
        self.out.finish().and_then(StoreFile::commit).map_err(FileFault::Output)
    }
}

/// An output that discards kept documents.
pub struct Nowhere;

impl Write for Nowhere {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl StoreFile for Nowhere {
    fn commit(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}
