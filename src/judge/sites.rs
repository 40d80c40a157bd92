//! Documents that are judged by their site's files alone.
//!
//! Input: URLs and times, sorted by origin, so that a site's files are compiled once. Example: 40 URLs of one host and its
//! robots.txt of that time. The page itself was not seen: `unread` names its headers and metas, and no label is allow.
//! Left out: which documents have a record (`records`).

use super::at::At;
use super::documents::{Documents, Verdicts, shared};
use super::options::{JudgeOptions, Twins};
use super::verdict::{Audit, Source, UNDATED, Verdict};
use crate::tables::site_index::SiteHost;
use crate::verdict::{PageRecord, Resolver, SiteBodies, SiteCopies, SiteIndex, decide::UNSEEN};
use crate::web::url::{NotWeb, PageUrl};
use crate::web::{host::surt_host_name, origin::Origin, timestamp::Timestamp};
use data_encoding::BASE32;
use rayon::prelude::*;
use sha1::{Digest, Sha1};
use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// A document among those of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DocumentPlace {
    /// The sort key of its origin.
    pub origin: u64,
    /// Which of the parts that were given together.
    pub part: u32,
    pub row: u32,
}

pub struct Judging<'j> {
    pub parts: &'j [&'j Documents],
    /// The verdicts of the documents' records, by the same places.
    pub records: &'j [Vec<Option<Arc<Verdict>>>],
    pub resolver: &'j Resolver,
    pub slack: Duration,
    pub options: &'j JudgeOptions,
}

/// Documents that one worker takes at once.
const CHUNK: usize = 4096;

/// Returns the sort key of an origin: twins are beside each other.
pub fn origin_hash(url: &PageUrl<'_>) -> u64 {
    let origin = url.origin();
    let origin = hash(origin.without_dot().unwrap_or(origin).as_str());
    site_hash(url) << 32 | origin >> 32
}

/// Returns the hash that an origin and its twins share.
pub fn site_hash(url: &PageUrl<'_>) -> u64 {
    hash(surt_host_name(url.host_name())) >> 32
}

fn hash(value: impl Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::new().hash_one(value)
}

impl Judging<'_> {
    /// Returns the verdicts of documents, which are sorted by origin.
    pub fn verdicts<B>(&self, sites: &SiteIndex<B>, places: &[DocumentPlace]) -> io::Result<Verdicts>
    where
        B: SiteBodies<Error = io::Error> + Sync,
    {
        let chunks = places.par_chunks(CHUNK).map(|chunk| self.judge(sites, chunk.iter().copied()));
        Ok(chunks.collect::<io::Result<Vec<_>>>()?.into_iter().flatten().collect())
    }

    /// Returns the verdicts of documents, which come origin by origin.
    pub fn judge<B: SiteBodies<Error = io::Error>>(
        &self,
        sites: &SiteIndex<B>,
        places: impl Iterator<Item = DocumentPlace>,
    ) -> io::Result<Verdicts> {
        let seen = self.options.times.iter().map(|_| None).collect();
        let (distinct, last) = (HashSet::new(), None);
        let mut worker = Worker { judging: self, sites, origin: None, seen, last, distinct };
        places.map(|place| worker.verdict(place)).collect()
    }

    /// Returns the documents that are judged by their sites' files; `order` gives the sort keys of their URLs.
    pub fn places(&self, order: &(dyn Fn(&PageUrl<'_>) -> u64 + Sync)) -> Vec<DocumentPlace> {
        let is_by_record_alone = self.options.times.iter().all(|at| *at == At::Page);
        let is_judged = |place: &DocumentPlace| !is_by_record_alone || self.own_record(*place).is_none();
        let mut places = Vec::with_capacity(self.parts.iter().map(|documents| documents.len()).sum());
        for (part, documents) in (0..).zip(self.parts) {
            let rows = (0..u32::MAX).take(documents.len());
            places.extend(rows.map(|row| DocumentPlace { origin: 0, part, row }).filter(is_judged));
        }
        let put = |place: &mut DocumentPlace| place.origin = self.url(*place).as_ref().map_or(0, order);
        if places.len() > 1 {
            places.par_iter_mut().for_each(put);
        } else {
            places.iter_mut().for_each(put);
        }
        places
    }

    pub fn host(&self, place: DocumentPlace) -> Option<SiteHost> {
        self.url(place).ok().map(|url| SiteHost::new(url.host_name()))
    }

    fn record(&self, place: DocumentPlace) -> Option<&Arc<Verdict>> {
        self.records.get(place.part as usize)?.get(place.row as usize)?.as_ref()
    }

    /// Returns the verdict of a document's record, if the record is of the document's host.
    fn own_record(&self, place: DocumentPlace) -> Option<&Arc<Verdict>> {
        self.record(place).filter(|record| record.source == Source::Record)
    }

    /// Returns a document's URL, or the reason of one without a readable URL.
    fn url(&self, place: DocumentPlace) -> Result<PageUrl<'_>, &'static str> {
        let documents = self.parts.get(place.part as usize).ok_or("url_missing")?;
        let text = documents.url(place.row as usize);
        let unjudged = || documents.unjudged(place.row as usize);
        PageUrl::new(text.unwrap_or_default()).map_err(|error| match (unjudged(), text, error) {
            (Some(unjudged), ..) => unjudged.as_str(),
            (None, None, _) => "url_missing",
            (None, Some(_), NotWeb::NotHttp) => "url_not_http",
            (None, Some(_), NotWeb::Unparsable) => "url_unparsable",
        })
    }
}

/// What a worker keeps from one document to the next.
struct Worker<'w, B> {
    judging: &'w Judging<'w>,
    sites: &'w SiteIndex<B>,
    origin: Option<Origin>,
    /// By the times of the judgement.
    seen: Vec<Option<Seen>>,
    /// The last verdicts at all times, and the verdict that was joined from them.
    last: Option<(Verdicts, Arc<Verdict>)>,
    distinct: HashSet<Arc<Verdict>>,
}

/// The files of a site at a moment.
struct Seen {
    moment: Option<Timestamp>,
    site: SiteCopies,
    /// The digest of the robots.txt that counts, if it is asked for.
    robots_digest: Option<String>,
    /// The twins whose robots.txt is newer, each with its digest.
    twins: Vec<(SiteCopies, Option<String>)>,
    age_days: Option<u32>,
    /// The last verdicts by these files: of documents without a record, and with one.
    last: [Option<Arc<Verdict>>; 2],
}

/// A page, and whether its record is known.
type JudgedPage<'p> = (PageRecord<'p>, bool);

impl<B: SiteBodies<Error = io::Error>> Worker<'_, B> {
    /// Returns the verdict of a document, with those at the further times.
    fn verdict(&mut self, place: DocumentPlace) -> io::Result<Arc<Verdict>> {
        let judging = self.judging;
        let (record, has_own) = (judging.record(place), judging.own_record(place).is_some());
        let documents = judging.parts.get(place.part as usize);
        let date = documents.and_then(|documents| documents.date(place.row as usize));
        let page = judging.url(place).map(|url| self.page(url, has_own));
        let mut by_site: Vec<Option<Arc<Verdict>>> = Vec::with_capacity(judging.options.times.len());
        for (number, at) in judging.options.times.iter().enumerate() {
            let is_by_record = has_own && *at == At::Page;
            by_site.push(match &page {
                _ if is_by_record => None,
                Ok(page) => Some(self.by_site(page, (number, at.time(date)), &by_site)?),
                Err(reason) => Some(self.one(Verdict::unknown(reason))),
            });
        }
        let verdicts = by_site.into_iter().map(|by_site| match (by_site, record) {
            (Some(by_site), None) => by_site,
            (Some(by_site), Some(record)) if has_own => self.one(by_site.beside_record(record)),
            (Some(by_site), Some(record)) => {
                self.one(by_site.beside_other_host(record, judging.resolver.tokens.len()))
            }
            (None, record) => record.map_or_else(|| self.one(Verdict::unknown("url_missing")), Arc::clone),
        });
        let verdicts = verdicts.collect();
        Ok(self.together(verdicts))
    }

    /// Returns a page. The header and metas of a page without a record were not seen; those of a record count in its verdict.
    fn page<'p>(&mut self, url: PageUrl<'p>, has_record: bool) -> JudgedPage<'p> {
        if !self.origin.as_ref().is_some_and(|origin| origin.is_of(&url)) {
            self.origin = Some(url.origin());
            self.seen.fill_with(|| None);
        }
        let unseen: &[&str] = if has_record { &[] } else { &UNSEEN };
        (PageRecord::new(Some(url), None, &[], unseen), has_record)
    }

    /// Returns the verdict by the site's files at time `number`, the document's `moment`; `before` has those at times before.
    fn by_site(
        &mut self,
        page: &JudgedPage<'_>,
        (number, moment): (usize, Option<Timestamp>),
        before: &[Option<Arc<Verdict>>],
    ) -> io::Result<Arc<Verdict>> {
        let known = self.seen.get_mut(number).and_then(Option::take).filter(|seen| seen.moment == moment);
        let mut seen = match known {
            Some(seen) => seen,
            None => self.seen(moment, self.judging.options.times.get(number).copied().unwrap_or(At::Page))?,
        };
        let verdict = self.by_files(page, &mut seen, before);
        if let Some(place) = self.seen.get_mut(number) {
            *place = Some(seen);
        }
        Ok(verdict)
    }

    fn by_files(
        &mut self,
        (page, has_record): &JudgedPage<'_>,
        seen: &mut Seen,
        before: &[Option<Arc<Verdict>>],
    ) -> Arc<Verdict> {
        let kind = usize::from(*has_record);
        let last = seen.last.get(kind).cloned().flatten();
        if let Some(last) = last.as_ref().filter(|_| !seen.site.has_files() && seen.twins.is_empty()) {
            return Arc::clone(last);
        }
        // Most files do not change from one time to another.
        let has_no_twins = |seen: &Seen| seen.moment.is_some() && seen.twins.is_empty();
        let is_same = |other: &Seen| has_no_twins(other) && other.site.decides_as(&seen.site);
        let same = self.seen.iter().zip(before).find_map(|(other, verdict)| {
            let verdict = verdict.as_ref().filter(|verdict| has_no_twins(seen) && verdict.audit.is_none())?;
            let is_same = verdict.robots_age_days == seen.age_days && other.as_ref().is_some_and(is_same);
            is_same.then(|| Arc::clone(verdict))
        });
        let verdict = same.unwrap_or_else(|| {
            let Judging { resolver, options, .. } = self.judging;
            let of = |site: &SiteCopies, digest: Option<&str>| {
                let decision = resolver.decide(page, site);
                let audit = || Box::new(Audit::of_site(&decision, site, digest));
                let verdict = Verdict::of_site(&decision, site, resolver.tokens.len());
                Verdict { audit: options.is_audited.then(audit), ..verdict }
            };
            let mut verdict = of(&seen.site, seen.robots_digest.as_deref());
            if seen.moment.is_none() {
                verdict.reason = UNDATED.into();
            }
            for (twin, digest) in &seen.twins {
                verdict.add_noes_of_twin(&of(twin, digest.as_deref()), resolver.tokens.len());
            }
            verdict.robots_age_days = seen.age_days;
            match last.filter(|last| **last == verdict) {
                Some(last) => last,
                None => self.one(verdict),
            }
        });
        if let Some(last) = seen.last.get_mut(kind) {
            *last = Some(Arc::clone(&verdict));
        }
        verdict
    }

    /// Returns the site's files at a moment; no verdict is made yet.
    fn seen(&self, moment: Option<Timestamp>, at: At) -> io::Result<Seen> {
        let Judging { resolver, slack, .. } = self.judging;
        let own = self.origin.as_ref();
        let other = own.and_then(|origin| self.sites.other_origin(origin, moment, *slack));
        let origin = other.or_else(|| own.cloned());
        let site = self.sites.site(origin.as_ref(), moment, *slack, resolver)?;
        let mut twins = Vec::new();
        let asks_twins = self.judging.options.twins == Twins::Count && at != At::Page && moment.is_some();
        for twin in origin.iter().filter(|_| asks_twins).flat_map(Origin::twins) {
            if let Some(newer) = self.sites.newer_twin(&twin, &site.current, moment, resolver)? {
                let digest = self.digest(&newer)?;
                twins.push((newer, digest));
            }
        }
        let until = if at == At::Newest { self.judging.options.now } else { moment };
        let micros = until.zip(site.current.fetched_at);
        let micros = micros.map(|(until, fetched)| until.unix_micros() - fetched.unix_micros());
        let age_days = micros.and_then(|micros| u32::try_from(micros / 86_400_000_000).ok());
        Ok(Seen { moment, robots_digest: self.digest(&site)?, twins, age_days, site, last: [None, None] })
    }

    fn digest(&self, site: &SiteCopies) -> io::Result<Option<String>> {
        let Some(body) = site.current.body.filter(|_| self.judging.options.is_audited) else {
            return Ok(None);
        };
        Ok(Some(BASE32.encode(&Sha1::digest(self.sites.bodies().read(body.number)?))))
    }

    /// Returns the verdict at the first time, with those at the others.
    fn together(&mut self, verdicts: Verdicts) -> Arc<Verdict> {
        let (Some(first), Some(further)) = (verdicts.first(), verdicts.get(1..)) else {
            return self.one(Verdict::unknown("url_missing"));
        };
        if further.is_empty() {
            return Arc::clone(first);
        }
        let is_same =
            |last: &[Arc<Verdict>]| last.iter().zip(&verdicts).all(|(one, other)| Arc::ptr_eq(one, other));
        if let Some((_, together)) = self.last.as_ref().filter(|(last, _)| is_same(last)) {
            return Arc::clone(together);
        }
        let together = self.one(Verdict { further: further.into(), ..first.as_ref().clone() });
        self.last = Some((verdicts, Arc::clone(&together)));
        together
    }

    /// Returns a verdict; equal ones are shared.
    fn one(&mut self, verdict: Verdict) -> Arc<Verdict> {
        shared(&mut self.distinct, verdict)
    }
}
