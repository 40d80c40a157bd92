//! What a worker needs to read an archive.

use super::copy::Asked;
use super::known::KnownArchives;
use super::progress::Progress;
use crate::runs::Manifest;
use crate::store::Store;
use crate::tables::Footer;
use std::collections::BTreeSet;
use std::time::Duration;

/// What a call does with an archive that is not the one of which there is evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// It is refused, as a failed input.
    Refuse,
    /// It is read, and its evidence replaces the other one's.
    Replace,
}

/// Which archives are read again, although their evidence is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Again {
    /// Those with damaged places, and those that were cut.
    pub damaged: bool,
    /// Those of these names.
    pub names: BTreeSet<String>,
}

impl Again {
    /// Returns whether an archive of which there is evidence is read again.
    pub(super) fn is_wanted(&self, earlier: &Manifest) -> bool {
        (self.damaged && earlier.is_damaged()) || self.names.contains(&earlier.warc_filename)
    }
}

/// What a worker needs to read an archive.
pub struct Tools<'j> {
    /// Where the evidence goes.
    pub store: &'j dyn Store,
    /// Who is informed.
    pub progress: &'j dyn Progress,
    /// What the call asks for.
    pub asked: Asked<'j>,
    /// What is known of the archives before one of them is looked at.
    pub known: &'j KnownArchives,
    /// How long an archive behind a URL is believed to be the one that was read.
    pub recheck: Duration,
    /// What the footers say.
    pub footer: Footer,
}
