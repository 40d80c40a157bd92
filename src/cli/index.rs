//! `index`: evidence and site indexes to one site index. `sites`: the table `sites` as of some times, from a site index.

use super::args::{IndexArgs, SitesArgs};
use super::call::{Call, Ended};
use super::event::Failure;
use super::log::Log;
use super::output::{self, grouped};
use super::report::{AskedCommand, CallResults, IndexResult};
use super::{jobs, resolve};
use crawlprefs::error::Error;
use crawlprefs::job::{self, AsOf, AsOfVocabulary, Plan, Progress, ResolveOptions, ResolveTally};
use crawlprefs::runs::{Comparison, Existing, default_memory_bytes};
use crawlprefs::sites::{
    IfIncomplete, IndexInput, IndexMade, IndexManifest, IndexOptions, IndexStep, OldParts,
    SiteLayers, index,
};
use crawlprefs::store::Places;

pub fn make(args: &IndexArgs, asked: &AskedCommand) -> Result<u8, Ended> {
    let call = Call::new(asked, &args.talk, &args.remote);
    let job = |progress: &dyn Progress| {
        let index = made(args, &call.places, progress)?;
        Ok(CallResults {
            index_stopped: index.is_none(),
            index,
            ..CallResults::default()
        })
    };
    call.carry_out(job, |results, _| {
        let Some(made) = &results.index else {
            return (0, String::new());
        };
        if !IndexManifest::lacking_of(&made.crawls).is_nothing() {
            let opened = SiteLayers::open(std::slice::from_ref(&args.out), &call.places);
            let of_index = opened.ok().and_then(|index| lacking(&index));
            let location = args.out.display().to_string();
            let of_crawls = || IndexManifest::lacking_of(&made.crawls).detail("");
            let found = of_index.or_else(|| {
                Some(Error::Incomplete {
                    location,
                    detail: of_crawls()?,
                })
            });
            // What the index lacks was allowed when it was made.
            drop(check(found, true, call.log()));
        }
        if !made.differing.is_empty() {
            let detail = format!("{}: {}", args.out.display(), differing(&made.differing));
            call.log().warn(Failure::lasting("archives_differ", detail));
        }
        (0, output::fitted(&text(args, made)))
    })
}

pub fn differing_names(manifest: &IndexManifest) -> Vec<String> {
    manifest
        .differing
        .iter()
        .map(|(_, name)| name.clone())
        .collect()
}

/// Says which archives are in several inputs with different answers.
pub fn differing(names: &[String]) -> String {
    const SHOWN: usize = 3;
    let more = names.len().saturating_sub(SHOWN);
    let more = if more == 0 {
        String::new()
    } else {
        format!(" and {more} more")
    };
    let shown = names
        .iter()
        .take(SHOWN)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    format!(
        "two inputs read the same archive with different answers, and those of both count: {shown}{more}"
    )
}

/// `None`: it was stopped.
fn made(
    args: &IndexArgs,
    places: &Places,
    progress: &dyn Progress,
) -> Result<Option<IndexResult>, Error> {
    let store = resolve::store(&args.out, places)?;
    let inputs = args
        .inputs
        .iter()
        .map(|folder| IndexInput::open(resolve::input(folder, places)?))
        .collect::<Result<_, _>>()?;
    let options = IndexOptions {
        segments: args.segment.clone(),
        without: args.without.clone(),
        existing: Existing::of(args.overwrite),
        old_parts: if args.keep_old {
            OldParts::Keep
        } else {
            OldParts::Remove
        },
        incomplete: if args.allow_incomplete {
            IfIncomplete::Use
        } else {
            IfIncomplete::Refuse
        },
        jobs: jobs(args.jobs),
        memory_bytes: args.memory_limit.unwrap_or_else(default_memory_bytes),
    };
    let watch = |step| {
        match step {
            IndexStep::Begun { inputs, captures } => {
                progress.started(&Plan::Index { inputs, captures });
            }
            IndexStep::Written(captures) => progress.advanced(0, captures),
        }
        !progress.should_stop()
    };
    let made = index(inputs, &store, &options, &watch)?;
    Ok(made.map(
        |IndexMade {
             manifest,
             sha256,
             is_new,
             ..
         }| IndexResult {
            is_new,
            sha256,
            hosts: manifest.hosts,
            captures: manifest.captures,
            bytes: manifest.parts().map(|part| part.bytes).sum(),
            files: manifest.parts().count() + 1,
            differing: differing_names(&manifest),
            crawls: manifest.crawls,
        },
    ))
}

/// Works with indexes; if that fails because one was replaced meanwhile, works once more with the new ones.
pub fn by<T, E>(
    open: impl Fn() -> Result<SiteLayers, E>,
    mut work: impl FnMut(SiteLayers) -> (Result<T, E>, bool),
) -> Result<T, E> {
    match work(open()?) {
        (Err(_), true) => work(open()?).0,
        (done, _) => done,
    }
}

/// Refuses an index that lacks archives or parts of them, unless the user allows it; warns of folders without an index.
pub fn check_complete(index: &SiteLayers, is_allowed: bool, log: &Log) -> Result<(), Failure> {
    for place in &index.without_index {
        let detail = format!("{place}: it has no _index.json, and is passed over");
        log.warn(Failure::lasting("index_passed_over", detail));
    }
    check(lacking(index), is_allowed, log)
}

/// Refuses what lacks archives or parts of them, unless the user allows it; then it warns.
pub fn check(lacking: Option<Error>, is_allowed: bool, log: &Log) -> Result<(), Failure> {
    match lacking {
        Some(error) if !is_allowed => return Err(error.into()),
        Some(Error::Incomplete { location, detail }) => {
            log.warn(Failure::lasting(
                "index_incomplete",
                format!("{location}: {detail}"),
            ));
        }
        _ => {}
    }
    Ok(())
}

/// Returns what an index lacks, with the share of hosts for which an answer may be missing, if it can be read.
pub fn lacking(index: &SiteLayers) -> Option<Error> {
    let lacking = index.lacking();
    if lacking.is_nothing() {
        return None;
    }
    let share = index.share_lacking([]).ok().filter(|share| *share > 0.0);
    let of_hosts = share
        .map(|share| format!(" ({} of the hosts)", percent(share)))
        .unwrap_or_default();
    let detail = lacking.detail(&of_hosts)?;
    Some(Error::Incomplete {
        location: index.location(),
        detail,
    })
}

pub fn percent(share: f64) -> String {
    if share < 0.001 {
        "less than 0.1 %".to_owned()
    } else {
        format!("about {:.1} %", share * 100.0)
    }
}

fn text(args: &IndexArgs, made: &IndexResult) -> String {
    let archives = made.crawls.iter().map(|crawl| crawl.archives_read).sum();
    let crawls = match made.crawls.as_slice() {
        [crawl] => crawl.crawl.to_string(),
        crawls => format!("{} crawls", crawls.len()),
    };
    let [hosts, captures, archives, bytes] =
        [made.hosts, made.captures, archives, made.bytes].map(grouped);
    let out = args.out.display();
    let files = made.files;
    let end = if made.is_new {
        ""
    } else {
        "; nothing to do: it was made of these archives"
    };
    format!(
        "{out}: {hosts} hosts, {captures} captures of {archives} archives ({crawls}), {bytes} bytes in {files} files{end}\n"
    )
}

pub fn sites(args: &SitesArgs, asked: &AskedCommand) -> Result<u8, Ended> {
    let call = Call::new(asked, &args.talk, &args.remote);
    let job = |progress: &dyn Progress| {
        let mut viewpoint = args.viewpoint.clone();
        let vocabulary = match viewpoint
            .vocab
            .take_if(|name| name == AsOfVocabulary::DATED)
        {
            Some(_) => AsOfVocabulary::OfItsTime,
            None => AsOfVocabulary::Viewpoint,
        };
        let options = ResolveOptions {
            jobs: jobs(args.workers.jobs),
            existing: Existing::of(args.overwrite),
            memory_bytes: args.workers.memory_limit,
            comparison: Comparison::of(args.verify),
            ..ResolveOptions::new(resolve::table_options(&viewpoint)?)
        };
        let index = SiteLayers::open(&args.indexes, &call.places)?;
        check_complete(&index, args.allow_incomplete, call.log())?;
        let store = resolve::store(&args.out, &call.places)?;
        let tally = job::resolve_index(
            &index,
            (&args.at, vocabulary),
            store.as_ref(),
            &options,
            progress,
        )?;
        Ok(CallResults {
            resolve: Some(tally),
            ..CallResults::default()
        })
    };
    let text = |tally: &ResolveTally| {
        let times = if args.at == AsOf::EachCrawl {
            "crawls"
        } else {
            "times"
        };
        let (out, [sites, known]) = (
            args.out.display(),
            [tally.sites.sites, tally.sites.known].map(grouped),
        );
        format!(
            "{out}: {sites} rows of sites for {} {times}; robots.txt is known in {known}\n",
            tally.segments
        )
    };
    call.carry_out(job, |results, _| {
        (
            0,
            results
                .resolve
                .as_ref()
                .map(|tally| output::fitted(&text(tally)))
                .unwrap_or_default(),
        )
    })
}
