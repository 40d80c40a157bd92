//! `sites`: the table `sites` at some times, from a site index.

use super::args::SitesArgs;
use super::call::{Call, CallHost, Ended};
use super::event::Failure;
use super::log::Log;
use super::messages::grouped;
use super::report::{CallResults, GivenOptions};
use super::requests::Requests;
use super::{index, jobs, resolve};
use crawlprefs::job::{self, AsOf, AsOfVocabulary, Progress, ResolveOptions, ResolveTally};
use crawlprefs::runs::{Existing, Look};
use crawlprefs::sites::SiteLayers;
use crawlprefs::store::Places;
use std::sync::Arc;

/// Makes the tables of the flags; returns the exit status.
pub fn command(args: &SitesArgs, given: &GivenOptions, host: &CallHost) -> Result<u8, Ended> {
    let log = host.log(&args.talk);
    let requests = Arc::new(Requests::new(log.clone()));
    let places = args.remote.places_of(&args.talk, &requests);
    let call = Call::begin(&args.talk, given, host, &requests)?;
    match make(args, &log, &places, call.progress()) {
        Ok(tally) => call.finish(&CallResults { resolve: Some(&tally), ..CallResults::default() }, |_, _| {
            (0, text(args, &tally))
        }),
        Err(failure) => Err(call.fail(failure)),
    }
}

fn make(
    args: &SitesArgs,
    log: &Log,
    places: &Places,
    progress: &dyn Progress,
) -> Result<ResolveTally, Failure> {
    let mut viewpoint = args.viewpoint.clone();
    let dated = viewpoint.vocab.take_if(|name| name == AsOfVocabulary::DATED);
    let vocabulary = match dated {
        Some(_) => AsOfVocabulary::OfItsTime,
        None => AsOfVocabulary::Viewpoint,
    };
    let options = ResolveOptions {
        jobs: jobs(args.jobs),
        existing: if args.overwrite { Existing::Replace } else { Existing::Continue },
        memory_bytes: args.memory_limit,
        look: if args.verify { Look::Bytes } else { Look::Lengths },
        ..ResolveOptions::new(resolve::table_options(&viewpoint).map_err(Failure::bad_option)?)
    };
    let index = SiteLayers::open(&args.indexes, places)?;
    index::check_complete(&index, args.allow_incomplete, log)?;
    let store = resolve::store(&args.out, places)?;
    Ok(job::resolve_index(&index, (&args.at, vocabulary), store.as_ref(), &options, progress)?)
}

fn text(args: &SitesArgs, tally: &ResolveTally) -> String {
    let times = match &args.at {
        AsOf::EachCrawl => "crawls",
        AsOf::Dates(_) => "times",
    };
    let (sites, known) = (grouped(tally.sites.sites), grouped(tally.sites.known));
    let out = args.out.display();
    format!("{out}: {sites} rows of sites for {} {times}; robots.txt is known in {known}\n", tally.segments)
}
