//! Documents that are judged by their site's files alone.
//!
//! Input: URLs and times, sorted by origin, so that what a site says is compiled once. Example: 40 URLs of one host
//! and its robots.txt of that time. The page itself was not seen: `unread` names its headers and metas, and no label
//! is allow. Left out: which documents have a record (`records`).

use super::documents::{Documents, Unjudged};
use super::verdict::{Source, UNDATED, Verdict, source};
use crate::verdict::decide::UNSEEN;
use crate::verdict::{PageRecord, Resolver, SiteBodies, SiteCopies, SiteIndex};
use crate::web::host::surt_host_name;
use crate::web::origin::Origin;
use crate::web::timestamp::Timestamp;
use crate::web::url::{NotWeb, PageUrl};
use rayon::prelude::*;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// When documents are judged that are known by their URLs alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// At the time of the document; without one, its verdict is unknown.
    Page,
    /// By the newest copies of the site's files.
    Newest,
    /// At one time.
    Time(Timestamp),
}

/// A document among those of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DocumentPlace {
    /// What its origin is sorted by.
    pub origin: u64,
    /// Which of the documents that were given together.
    pub part: u32,
    /// Its row among those.
    pub row: u32,
}

/// What sites are judged by.
pub struct Judging<'j> {
    pub parts: &'j [Documents],
    pub resolver: &'j Resolver,
    pub slack: Duration,
    pub at: At,
}

/// Documents that one worker takes at once.
const CHUNK: usize = 4096;
/// The end of the year 9999, before which all times are.
const LAST_US: i64 = 253_402_300_799_999_999;

/// Returns the time at which the newest copy of every file counts.
pub fn newest() -> Option<Timestamp> {
    Timestamp::from_unix_micros(LAST_US)
}

/// Returns what an origin is sorted by.
pub fn origin_hash(url: &PageUrl<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    let origin = url.origin();
    origin.without_dot().unwrap_or(origin).as_str().hash(&mut hasher);
    hasher.finish()
}

/// Returns the reason of a document without a readable URL.
fn reason(url: Option<&[u8]>, error: NotWeb) -> &'static str {
    match (url, error) {
        (None, _) => "url_missing",
        (Some(_), NotWeb::NotHttp) => "url_not_http",
        (Some(_), NotWeb::Unparsable) => "url_unparsable",
    }
}

impl Judging<'_> {
    /// Returns the verdicts of documents, which are sorted by origin.
    ///
    /// # Errors
    /// Why the files of sites cannot be read.
    pub fn verdicts<B>(&self, sites: &SiteIndex<B>, places: &[DocumentPlace]) -> io::Result<Vec<Arc<Verdict>>>
    where
        B: SiteBodies<Error = io::Error> + Sync,
    {
        let chunks = places.par_chunks(CHUNK).map(|chunk| {
            let mut judged = Vec::with_capacity(chunk.len());
            self.judge(sites, chunk.iter().copied(), &mut judged).map(|()| judged)
        });
        Ok(chunks.collect::<io::Result<Vec<_>>>()?.into_iter().flatten().collect())
    }

    /// Adds the verdicts of documents, those of an origin together.
    ///
    /// # Errors
    /// Why the files of sites cannot be read.
    pub fn judge<B: SiteBodies<Error = io::Error>>(
        &self,
        sites: &SiteIndex<B>,
        places: impl Iterator<Item = DocumentPlace>,
        judged: &mut Vec<Arc<Verdict>>,
    ) -> io::Result<()> {
        let mut worker = Worker { judging: self, sites, site: None, last: None, distinct: HashSet::new() };
        for place in places {
            judged.push(worker.verdict(place)?);
        }
        Ok(())
    }

    /// Returns the `surt_host_name` of a document's host.
    pub fn surt(&self, place: DocumentPlace) -> Option<String> {
        let url = self.parts.get(place.part as usize)?.url(place.row as usize)?;
        PageUrl::new(url).ok().map(|url| surt_host_name(url.host_name()))
    }

    /// Returns when a document is judged.
    fn time(&self, date: Option<Timestamp>) -> Option<Timestamp> {
        match self.at {
            At::Page => date,
            At::Newest => newest(),
            At::Time(time) => Some(time),
        }
    }
}

/// What one worker keeps from one document to the next.
struct Worker<'w, B> {
    judging: &'w Judging<'w>,
    sites: &'w SiteIndex<B>,
    site: Option<(Origin, Option<Timestamp>, SiteCopies)>,
    /// The verdict of the last document of that site at that time.
    last: Option<Arc<Verdict>>,
    distinct: HashSet<Arc<Verdict>>,
}

impl<B: SiteBodies<Error = io::Error>> Worker<'_, B> {
    fn verdict(&mut self, place: DocumentPlace) -> io::Result<Arc<Verdict>> {
        let judging = self.judging;
        let Some(documents) = judging.parts.get(place.part as usize) else {
            return Ok(self.one(Verdict::unknown("url_missing")));
        };
        let row = place.row as usize;
        let text = documents.url(row);
        let url = match PageUrl::new(text.unwrap_or_default()) {
            Ok(url) => url,
            Err(error) => {
                let unjudged = documents.unjudged(row).map(Unjudged::as_str);
                return Ok(self.one(Verdict::unknown(unjudged.unwrap_or_else(|| reason(text, error)))));
            }
        };
        let time = judging.time(documents.date(row));
        self.find_site(&url, time)?;
        let Some((_, _, site)) = &self.site else { return Ok(self.one(Verdict::unknown("url_missing"))) };
        if let Some(last) = self.last.as_ref().filter(|_| !site.speaks()) {
            return Ok(Arc::clone(last));
        }
        let page = PageRecord::new(Some(url), None, &[], &UNSEEN);
        let decision = judging.resolver.decide(&page, site, None);
        let mut verdict = Verdict::of_site(&decision, site, judging.resolver.tokens().len());
        if time.is_none() {
            verdict.reason = UNDATED.into();
        }
        let verdict = match self.last.take().filter(|last| **last == verdict) {
            Some(last) => last,
            None => self.one(verdict),
        };
        self.last = Some(Arc::clone(&verdict));
        Ok(verdict)
    }

    /// Makes `site` that of a URL at a time.
    fn find_site(&mut self, url: &PageUrl<'_>, time: Option<Timestamp>) -> io::Result<()> {
        let last = self.site.take().filter(|(origin, _, _)| origin.is_of(url));
        let site = match last {
            Some((origin, at, site)) if at == time => (origin, at, site),
            last => {
                self.last = None;
                let origin = last.map_or_else(|| url.origin(), |(origin, _, _)| origin);
                let Judging { resolver, slack, .. } = self.judging;
                let site = self.sites.site(Some(&origin), time, *slack, resolver)?;
                // A host with a dot at its end is the host without, unless the crawl has files of the name with it.
                let other = origin.without_dot().filter(|_| source(&site) == Source::None);
                let site = match other {
                    Some(other) => self.sites.site(Some(&other), time, *slack, resolver)?,
                    None => site,
                };
                (origin, time, site)
            }
        };
        self.site = Some(site);
        Ok(())
    }

    /// Returns a verdict, equal ones as one.
    fn one(&mut self, verdict: Verdict) -> Arc<Verdict> {
        if let Some(known) = self.distinct.get(&verdict) {
            return Arc::clone(known);
        }
        let verdict = Arc::new(verdict);
        self.distinct.insert(Arc::clone(&verdict));
        verdict
    }
}
