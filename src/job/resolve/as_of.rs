//! The table `sites` at times, from a site index alone.
//!
//! Example: `sites --at 2024-01-01,2025-01-01` gives `sites/crawl=2024-01-01` and `sites/crawl=2025-01-01`, where each origin
//! has the newest files at or before that time, as in `judge --at`. `each-crawl` gives each crawl its origins as of their
//! newest captures in it, by its captures alone, like a `resolve` of its evidence with one index. Each part of the index gives
//! one part; a worker takes a row group at a time. Left out: pages, which an index lacks, and the rows of each body (`site`).

use super::as_of_rows::{AsOfRows, DatedView, IndexFault, Moment};
use super::parallel::in_order;
use super::part::{Part, commit};
use super::site_judging::SiteView;
use super::tally::ResolveTally;
use super::{ResolveOptions, failure};
use crate::error::Error;
use crate::job::outcome::{Plan, Progress};
use crate::job::until_stopped::go_on;
use crate::runs::{
    BatchName, Comparison, Existing, Identity, ListedFiles, MANIFESTS, RESOLVED, RestsOn, RunFile,
    Scope, TableManifests, TableOptions, default_memory_bytes, fitting, in_words, pool,
};
use crate::sites::{GroupPlace, SiteLayers};
use crate::store::Store;
use crate::systems::Viewpoint;
use crate::systems::aipref_vocab::Vocabulary;
use crate::tables::agent_sets::{AGENT_SETS, AgentSets};
use crate::tables::sites::SITES;
use crate::tables::{ChosenTables, Footer};
use crate::verdict::{CopyLimits, Resolver};
use crate::web::shown::visible;
use crate::web::suffix_list;
use crate::web::timestamp::Timestamp;
use std::io;
use std::str::FromStr;
use std::time::{Duration, Instant};

/// Rows of a row group of a part: all times are written at once.
const GROUP_ROWS: usize = 1 << 14;
/// The most memory that a worker needs, and the additional memory for each time.
const WORKER_BYTES: u64 = 96 << 20;
const TIME_BYTES: u64 = 32 << 20;
/// The key of the index's digest in `_resolved.json`.
const INDEX_DIGEST: &str = "site_index";

/// The times for which tables are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AsOf {
    /// Times, in the user's order.
    Dates(Vec<Timestamp>),
    /// The end of each crawl of the index, by its own captures.
    EachCrawl,
}

impl FromStr for AsOf {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "each-crawl" {
            return Ok(Self::EachCrawl);
        }
        let mut times: Vec<Timestamp> = Vec::new();
        for name in text.split(',').map(str::trim) {
            let time = Timestamp::new(name.as_bytes()).ok_or_else(|| {
                format!(
                    "found {}, expected times such as 2024-01-01, or each-crawl",
                    visible(name)
                )
            })?;
            if times.contains(&time) {
                return Err(format!("{name} is named twice"));
            }
            times.push(time);
        }
        Ok(Self::Dates(times))
    }
}

/// The vocabulary by which `Content-Usage` is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsOfVocabulary {
    /// The viewpoint's.
    Viewpoint,
    /// The newest draft on the day on which the robots.txt was fetched; before the first draft, the first.
    OfItsTime,
}

impl AsOfVocabulary {
    /// The name of [`Self::OfItsTime`] in `_resolved.json`, footers and the column `viewpoint`.
    pub const DATED: &str = "dated";
}

/// The crawl name of a time, usable as a folder's name and sorted by time: `2024-01-01`, or `2024-01-01T060000Z`.
fn crawl_of(time: Timestamp) -> String {
    let name = time.to_string();
    name.strip_suffix("T00:00:00Z")
        .map_or_else(|| name.replace(':', ""), str::to_owned)
}

/// Makes `sites` of a site index at some times. `tables.chosen`, `tables.scope` and the options about evidence have no effect.
pub fn resolve_index(
    index: &SiteLayers,
    (as_of, vocabulary): (&AsOf, AsOfVocabulary),
    store: &dyn Store,
    options: &ResolveOptions,
    progress: &dyn Progress,
) -> Result<ResolveTally, Error> {
    let mut options = options.clone();
    options.tables.chosen = ChosenTables::read(SITES.name).unwrap_or_default();
    options.tables.slack = Duration::ZERO;
    options.tables.scope = Scope::All;
    let mut footer = options.tables.footer();
    if vocabulary == AsOfVocabulary::OfItsTime {
        for (_, value) in footer.iter_mut().filter(|(name, _)| *name == "vocabulary") {
            AsOfVocabulary::DATED.clone_into(value);
        }
    }
    claim(index, store, &options, &footer)?;
    let moments = moments(index, as_of).map_err(|error| unreadable(index, error))?;
    let resolvers = resolvers(&options.tables, vocabulary);
    let limits = CopyLimits::of_slack(options.tables.slack);
    let views = resolvers.iter().map(|(from, resolver)| {
        let view = SiteView::new(resolver, limits, in_words(&footer));
        DatedView {
            from: *from,
            view,
            resolver,
        }
    });
    let views = views.collect();
    let work = AsOfWork {
        rows: AsOfRows {
            index,
            moments,
            views,
        },
        store,
        footer,
        progress,
    };
    let bytes = options.memory_bytes.unwrap_or_else(default_memory_bytes);
    let worker_bytes = WORKER_BYTES + TIME_BYTES * work.rows.moments.len() as u64;
    let pool = pool(
        "resolver",
        options.jobs.get().min(fitting(bytes / worker_bytes)),
    )?;
    match pool.install(|| work.parts(options.comparison)) {
        Err(_) if progress.should_stop() => Ok(ResolveTally {
            stopped: true,
            ..ResolveTally::default()
        }),
        made => made.map_err(|error| match error.downcast::<IndexFault>() {
            Ok(IndexFault(fault)) => unreadable(index, fault),
            Err(error) => failure(error, store),
        }),
    }
}

/// The viewpoints, each with the first time at which a robots.txt is read by it.
fn resolvers(
    tables: &TableOptions,
    vocabulary: AsOfVocabulary,
) -> Vec<(Option<Timestamp>, Resolver)> {
    match vocabulary {
        AsOfVocabulary::Viewpoint => vec![(
            None,
            Resolver::new(tables.viewpoint.clone(), &tables.agents),
        )],
        AsOfVocabulary::OfItsTime => Vocabulary::dated()
            .map(|(day, vocabulary)| {
                let viewpoint = Viewpoint {
                    vocabulary,
                    ..tables.viewpoint.clone()
                };
                (
                    Timestamp::new(day.as_bytes()),
                    Resolver::new(viewpoint, &tables.agents),
                )
            })
            .collect(),
    }
}

fn unreadable(index: &SiteLayers, source: io::Error) -> Error {
    Error::IndexUnreadable {
        location: index.location(),
        source,
    }
}

/// Claims the output. Tables of evidence are not replaced, as the index may lack some of their sources.
fn claim(
    index: &SiteLayers,
    store: &dyn Store,
    options: &ResolveOptions,
    footer: &Footer,
) -> Result<(), Error> {
    let own = store
        .list(MANIFESTS)
        .map_err(|source| failure(source, store))?;
    if !own.is_empty() {
        let difference =
            "the folder has evidence, and tables of a site index are not put beside it".to_owned();
        return Err(RunFile::Resolve.other(store, MANIFESTS, difference));
    }
    let mut identity = options.tables.identity(footer, Vec::new());
    identity
        .options
        .insert(INDEX_DIGEST.to_owned(), index.digest.clone());
    let earlier =
        Identity::read(store, RunFile::Resolve).map_err(|source| failure(source, store))?;
    let is_of_evidence = |earlier: &Identity| !earlier.options.contains_key(INDEX_DIGEST);
    match options.existing {
        Existing::Replace if !earlier.as_ref().is_some_and(is_of_evidence) => {
            identity.replace(store, RunFile::Resolve, |_| false)
        }
        Existing::Replace | Existing::Continue => identity.claim(store, RunFile::Resolve),
    }
}

fn moments(index: &SiteLayers, as_of: &AsOf) -> io::Result<Vec<Moment>> {
    match as_of {
        AsOf::Dates(times) => Ok(times
            .iter()
            .map(|time| Moment {
                crawl: crawl_of(*time),
                at: Some(*time),
                archives: None,
            })
            .collect()),
        AsOf::EachCrawl => {
            let archives = index.archives()?;
            let moment = |crawl: &str| Moment {
                crawl: crawl.to_owned(),
                at: None,
                archives: Some(
                    archives
                        .iter()
                        .map(|archive| archive.crawl.as_str() == crawl)
                        .collect(),
                ),
            };
            Ok(index
                .crawls
                .iter()
                .map(|crawl| moment(&crawl.crawl))
                .collect())
        }
    }
}

struct AsOfWork<'w> {
    rows: AsOfRows<'w>,
    store: &'w dyn Store,
    footer: Footer,
    progress: &'w dyn Progress,
}

impl AsOfWork<'_> {
    fn parts(&self, comparison: Comparison) -> io::Result<ResolveTally> {
        let mut tally = ResolveTally {
            segments: self.rows.moments.len(),
            ..ResolveTally::default()
        };
        let mut ahead = Vec::new();
        let made = TableManifests::read(
            self.store,
            &self.store.list(RESOLVED)?.iter().collect::<Vec<_>>(),
        )?;
        // An index without hosts has no part; its times still have a part without rows.
        for part in 0..self.rows.index.ranges().len().max(1) {
            let names = self.names_ahead(part, (&made, comparison), &mut tally)?;
            if !names.is_empty() {
                ahead.push((part, names));
            }
        }
        let captures = self.rows.index.captures();
        self.progress.started(&Plan::Resolve {
            batches: ahead.len(),
            captures,
        });
        for (part, names) in ahead {
            let begun = Instant::now();
            self.part(part, names, &mut tally)?;
            self.progress
                .batch_resolved(&format!("{part:05}"), 0, begun.elapsed());
        }
        Ok(tally)
    }

    /// The parts to make of a part of the index, with the numbers of their times; counts those that exist.
    fn names_ahead(
        &self,
        part: usize,
        (made, comparison): (&TableManifests, Comparison),
        tally: &mut ResolveTally,
    ) -> io::Result<Vec<(usize, BatchName)>> {
        let mut names = Vec::new();
        for (number, moment) in self.rows.moments.iter().enumerate() {
            let name = BatchName::of_site_files(&moment.crawl, Some(&format!("{part:05}")));
            let comparison = (comparison, &ListedFiles::default());
            let rests_on = RestsOn::alone(name, self.fingerprint());
            match made.state::<ResolveTally>(self.store, &rests_on, comparison)? {
                Ok(done) => tally.add(&done),
                Err(_) => names.push((number, rests_on.name)),
            }
        }
        Ok(names)
    }

    fn part(
        &self,
        part: usize,
        names: Vec<(usize, BatchName)>,
        tally: &mut ResolveTally,
    ) -> io::Result<()> {
        let groups = self
            .rows
            .index
            .ranges()
            .get(part)
            .map_or(0, |part| part.groups.len());
        let numbers: Vec<usize> = names.iter().map(|(number, _)| *number).collect();
        let mut parts = Vec::new();
        for (_, name) in names {
            let part = |table| Part::of_runs(table, &name, GROUP_ROWS, self.store, &self.footer);
            let of_time = [part(&AGENT_SETS)?, part(&SITES)?];
            parts.push((name, of_time, AgentSets::default(), ResolveTally::default()));
        }
        in_order(
            (0..groups).map(|group| Ok(GroupPlace { part, group })),
            |place| {
                go_on(self.progress)?;
                self.rows
                    .of_group(place, &numbers, &|| go_on(self.progress))
            },
            |found| {
                for ((_, [_, part], sets, tally), batches) in parts.iter_mut().zip(found) {
                    for ((rows, of_rows), counts) in batches {
                        part.write(&rows)?;
                        sets.add(of_rows);
                        tally.sites.add(counts);
                    }
                }
                Ok(())
            },
        )?;
        for (name, [mut set_part, part], sets, made) in parts {
            if let Some(dated) = self.rows.views.first() {
                set_part.write(&sets.rows(dated.resolver)?)?;
            }
            commit(
                &RestsOn::alone(name, self.fingerprint()),
                &made,
                [set_part, part],
                self.store,
            )?;
            tally.add(&made);
        }
        Ok(())
    }

    /// Identifies the inputs of a part; domains are computed by the suffix list.
    fn fingerprint(&self) -> String {
        format!("{} {}", self.rows.index.digest, suffix_list::version())
    }
}

#[cfg(test)]
mod tests {
    use super::{AsOf, crawl_of};

    #[test]
    fn local_times_name_crawls_that_sort_by_time() {
        let AsOf::Dates(times) = "2024-01-01, 2024-01-01T06:00:00Z,2025-06-30"
            .parse()
            .expect("times")
        else {
            panic!("expected times");
        };
        let crawls: Vec<String> = times.into_iter().map(crawl_of).collect();
        assert_eq!(crawls, ["2024-01-01", "2024-01-01T060000Z", "2025-06-30"]);
        assert!(crawls.is_sorted());
    }

    #[test]
    fn local_what_is_no_time_is_refused() {
        let twice = "2024-01-01,2024-01-01T00:00:00Z";
        for text in [
            "",
            "now",
            "newest",
            "page",
            "2024-13-01",
            "2024-01-01,",
            twice,
        ] {
            assert!(text.parse::<AsOf>().is_err(), "{text}");
        }
        assert_eq!("each-crawl".parse(), Ok(AsOf::EachCrawl));
    }
}
