//! What `judge`, `explain` and `extract` report of their requests, which end with the command.
//!
//! Example: `extract -v --base https://data.example/` writes a line for each request that is sent again.
//! Left out: commands that work for long, which have a `Call`.

use super::args::{RemoteArgs, WatchArgs};
use super::event::{Event, Failure};
use super::log::Log;
use super::metrics;
use super::output::WholeFile;
use super::requests::Requests;
use crawlprefs::error::Error;
use crawlprefs::store::Places;
use std::path::PathBuf;
use std::sync::Arc;

pub struct Watched {
    command: &'static str,
    log: Log,
    requests: Arc<Requests>,
    metrics: Option<WholeFile>,
    files: Vec<PathBuf>,
}

impl Watched {
    /// Checks the file for metrics, and begins to watch.
    pub fn begin(command: &'static str, args: &WatchArgs, log: Log) -> Result<Self, Error> {
        let metrics = args.metrics.as_deref().map(WholeFile::new).transpose()?;
        Ok(Self {
            command,
            requests: Arc::new(Requests::new(log.clone())),
            log,
            metrics,
            files: args.metrics.iter().cloned().collect(),
        })
    }

    pub fn places(&self, remote: &RemoteArgs) -> Places {
        let places = remote.watched_places(Some(Arc::<Requests>::clone(&self.requests)));
        places.with_files_beside(self.files.clone())
    }

    pub fn end(&self, status: u8) {
        let written = self
            .metrics
            .as_ref()
            .map(|file| metrics::write_requests(file, self.command, &self.requests.counts(), status));
        if let Some(Err(error)) = written {
            self.log.write(&Event::Warning(Failure::from(&error)));
        }
    }
}
