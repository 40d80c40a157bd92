//! `resolve --sites INDEX --as-of TIMES`: the table `sites` at some times, from a site index.

use super::args::ResolveArgs;
use super::event::Failure;
use super::log::Log;
use super::messages::grouped;
use super::{index, jobs, resolve};
use crawlprefs::job::{self, AsOf, AsOfVocabulary, Progress, ResolveTally};
use crawlprefs::runs::{Existing, Look};
use crawlprefs::sites::SiteLayers;
use crawlprefs::store::Places;
use std::path::Path;

/// Makes the tables of the flags.
pub fn make(
    args: &ResolveArgs,
    log: &Log,
    places: &Places,
    progress: &dyn Progress,
) -> Result<ResolveTally, Failure> {
    let existing = if args.overwrite { Existing::Replace } else { Existing::Continue };
    let mut viewpoint = args.view.viewpoint.clone();
    let dated = viewpoint.vocab.take_if(|name| name == AsOfVocabulary::DATED);
    let vocabulary = match dated {
        Some(_) => AsOfVocabulary::OfItsTime,
        None => AsOfVocabulary::Viewpoint,
    };
    let threads = (jobs(args.jobs), args.memory_limit);
    let options = resolve::options_of(&args.view, &viewpoint, threads, existing);
    let mut options = options.map_err(Failure::bad_option)?;
    options.look = if args.verify { Look::Bytes } else { Look::Lengths };
    // Clap asks for both where there is an index.
    let (Some(times), Some(out)) = (&args.as_of.as_of, &args.out) else {
        return Err(Failure::bad_option("--as-of or -o is missing".to_owned()));
    };
    let index = SiteLayers::open(&args.as_of.sites, places)?;
    index::check_complete(&index, args.as_of.allow_incomplete, log)?;
    let store = resolve::store(out, places)?;
    Ok(job::resolve_index(&index, (times, vocabulary), store.as_ref(), &options, progress)?)
}

/// Returns the summary.
pub fn text(args: &ResolveArgs, tally: &ResolveTally) -> String {
    let times = match &args.as_of.as_of {
        Some(AsOf::EachCrawl) => "crawls",
        Some(AsOf::Dates(_)) | None => "times",
    };
    let (sites, known) = (grouped(tally.sites.sites), grouped(tally.sites.known));
    let out = args.out.as_deref().unwrap_or(Path::new("")).display();
    format!("{out}: {sites} rows of sites for {} {times}; robots.txt is known in {known}\n", tally.segments)
}
