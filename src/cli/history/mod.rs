//! `history`: what a host said over time, by a site index.

mod text;

use super::args::HistoryArgs;
use super::call::{Ended, watching};
use super::event::{Detail, Failure};
use super::explain::is_coloured;
use super::log::Log;
use super::{INPUTS_FAILED, index, output, resolve};
use crawlprefs::explain::history::{
    HistoryError, HistoryItem, HistoryQuestion, HistorySubject, history,
};
use crawlprefs::explain::json;
use crawlprefs::sites::SiteLayers;
use crawlprefs::store::Places;
use crawlprefs::systems::Viewpoint;
use crawlprefs::verdict::AgentsTable;
use serde_json::json;
use std::io;

const HOST_UNKNOWN: &str = "host_unknown";

impl From<HistoryError> for Ended {
    fn from(error: HistoryError) -> Self {
        match error {
            HistoryError::NotThere { .. } => {
                Failure::lasting(HOST_UNKNOWN, error.to_string()).into()
            }
            HistoryError::Output(error) => error.into(),
            HistoryError::Index(error) => error.into(),
            error => error.to_string().into(),
        }
    }
}

pub fn print(args: &HistoryArgs) -> Result<u8, Ended> {
    let log = args.watch.log(Detail::Problems);
    let is_coloured = is_coloured(args.color);
    watching(
        "history",
        None,
        &args.watch,
        &args.remote,
        log.clone(),
        |places| {
            let passed = pass_on(args, places, &log, &mut |item| {
                let text = if args.json {
                    json::line(&json!(item)) + "\n"
                } else {
                    text::render(&item, is_coloured)
                };
                output::print_bytes(text.as_bytes()).map(drop)
            });
            match passed {
                Err(Ended::Failed(failure)) if failure.kind == HOST_UNKNOWN => {
                    log.error(failure);
                    Ok(INPUTS_FAILED)
                }
                passed => passed.map(|()| 0),
            }
        },
    )
}

pub fn pass_on(
    args: &HistoryArgs,
    places: &Places,
    log: &Log,
    take: &mut dyn FnMut(HistoryItem) -> io::Result<()>,
) -> Result<(), Ended> {
    let subject = HistorySubject::new(&args.subject)?;
    let (viewpoint, agents) = resolve::viewpoint(&args.viewpoint, Viewpoint::default())?;
    let agents = agents.unwrap_or_else(AgentsTable::bundled);
    let HistoryArgs {
        gap, since, until, ..
    } = *args;
    let question = HistoryQuestion {
        subject,
        viewpoint,
        agents: &agents,
        gap,
        since,
        until,
    };
    let open = || {
        let index = SiteLayers::open(&args.sites, places)?;
        index::check_complete(&index, args.allow_incomplete, log)?;
        Ok(index)
    };
    index::by(open, |index| {
        let mut has_begun = false;
        let passed = history(&index, &question, &mut |item| {
            has_begun = true;
            take(item)
        });
        let is_again = passed.is_err() && !has_begun && index.is_replaced();
        (passed.map_err(Ended::from), is_again)
    })
}
