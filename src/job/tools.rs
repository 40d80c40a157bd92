//! What a worker needs to read an archive.

use super::copy::Asked;
use super::known::KnownArchives;
use super::progress::Progress;
use crate::store::Store;
use crate::tables::Footer;
use std::time::Duration;

/// What a worker needs to read an archive.
pub struct Tools<'j> {
    /// Where the evidence goes.
    pub store: &'j dyn Store,
    /// Receives reports.
    pub progress: &'j dyn Progress,
    /// What the call asks for.
    pub asked: Asked<'j>,
    /// What is known of the archives before any of them is looked at.
    pub known: &'j KnownArchives,
    /// How long an archive behind a URL is believed to be the one that was read.
    pub recheck: Duration,
    /// The footers of evidence.
    pub footer: Footer,
}
