//! What a worker needs to read an archive.

use super::progress::Progress;
use crate::evidence::Depth;
use crate::store::Store;
use crate::tables::Footer;

/// What a call does with an archive that is not the one of which there is evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// It is refused, as a failed input.
    Refuse,
    /// It is read, and its evidence replaces the other one's.
    Replace,
}

/// What a worker needs to read an archive.
pub struct Tools<'j> {
    /// Where the evidence goes.
    pub store: &'j dyn Store,
    /// Who is informed.
    pub progress: &'j dyn Progress,
    /// How much of each record is read.
    pub depth: Depth,
    /// What is done with another archive of a known name.
    pub changed: Changed,
    /// What the footers say.
    pub footer: Footer,
}
