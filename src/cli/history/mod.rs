//! `history`: what a host said over time, by a site index.

mod text;

use super::args::HistoryArgs;
use super::event::{Detail, Failure};
use super::explain::colours;
use super::log::Log;
use super::watched::Watched;
use super::{COULD_NOT_RUN, INPUTS_FAILED, index, output, resolve};
use crawlprefs::explain::history::{HistoryError, HistoryItem, HistoryQuestion, HistorySubject, history};
use crawlprefs::explain::json;
use crawlprefs::sites::SiteLayers;
use crawlprefs::store::Places;
use crawlprefs::systems::Viewpoint;
use crawlprefs::verdict::AgentsTable;
use serde_json::json;
use std::io;

/// Why there is no history.
pub enum NoHistory {
    Failed(Failure),
    /// The index has nothing of the host.
    NotThere(Failure),
    /// Standard output cannot be written.
    Output(io::Error),
}

impl From<String> for NoHistory {
    fn from(detail: String) -> Self {
        Self::Failed(Failure::bad_option(detail))
    }
}

impl From<HistoryError> for NoHistory {
    fn from(error: HistoryError) -> Self {
        match error {
            HistoryError::NotThere { .. } => {
                Self::NotThere(Failure { kind: "host_unknown", detail: error.to_string(), retry: false })
            }
            HistoryError::Output(error) => Self::Output(error),
            HistoryError::Index(error) => Self::Failed(Failure::from(&error)),
            error => Self::from(error.to_string()),
        }
    }
}

pub fn print(args: &HistoryArgs) -> io::Result<u8> {
    let log = args.watch.log(Detail::Problems);
    let watched = match Watched::begin("history", &args.watch, log.clone()) {
        Ok(watched) => watched,
        Err(error) => {
            log.error(&error);
            return Ok(COULD_NOT_RUN);
        }
    };
    let mut lines = text::HistoryText::new(colours(args.color));
    let passed = pass_on(args, &watched.places(&args.remote), &log, &mut |item| {
        let text = if args.json { line(&item) } else { lines.of(&item) };
        output::print_bytes(text.as_bytes())
    });
    let status = match passed {
        Ok(()) => 0,
        Err(NoHistory::Failed(failure)) => {
            log.error(failure);
            COULD_NOT_RUN
        }
        Err(NoHistory::NotThere(failure)) => {
            log.error(failure);
            INPUTS_FAILED
        }
        Err(NoHistory::Output(error)) => return Err(error),
    };
    watched.end(status);
    Ok(status)
}

pub fn line(item: &HistoryItem) -> String {
    json::line(&json!(item)) + "\n"
}

pub fn pass_on(
    args: &HistoryArgs,
    places: &Places,
    log: &Log,
    take: &mut dyn FnMut(HistoryItem) -> io::Result<()>,
) -> Result<(), NoHistory> {
    let subject = HistorySubject::new(&args.subject)?;
    let (viewpoint, agents) = resolve::viewpoint(&args.viewpoint, Viewpoint::default())?;
    let agents = agents.unwrap_or_else(AgentsTable::bundled);
    let HistoryArgs { gap, since, until, .. } = *args;
    let question = HistoryQuestion { subject, viewpoint, agents: &agents, gap, since, until };
    let open = || {
        let index = SiteLayers::open(&args.sites, places);
        let index = index.map_err(|error| NoHistory::Failed(Failure::from(&error)))?;
        index::check_complete(&index, args.allow_incomplete, log).map_err(NoHistory::Failed)?;
        Ok(index)
    };
    index::by(open, |index| {
        let mut has_begun = false;
        let passed = history(&index, &question, &mut |item| {
            has_begun = true;
            take(item)
        });
        let is_again = passed.is_err() && !has_begun && index.is_replaced();
        (passed.map_err(NoHistory::from), is_again)
    })
}
