//! Documents that are judged by their site's files alone.
//!
//! Input: URLs and times, sorted by origin, so that a site's files are compiled once. Example: 40 URLs of one host and its
//! robots.txt of that time. The page itself was not seen: `not_seen` names its headers and metas, and no label is allow.
//! Left out: which documents have a record (`records`).

use super::at::At;
use super::basis::Audit;
use super::documents::{DocumentRecord, Documents, PartRecords, RecordRelation, Verdicts, shared};
use super::options::JudgeOptions;
use super::seen::{SeenAt, SeenFiles};
use super::verdict::{UNDATED, Verdict};
use crate::tables::site_index::SiteHost;
use crate::verdict::{
    CopyLimits, FilesOfSites, MaxAge, PageRecord, Resolver, SiteBodies, SiteCopies, Twins,
};
use crate::web::url::{NotWeb, PageUrl};
use crate::web::{host::surt_host_name, interval::Interval, origin::Origin, timestamp::Timestamp};
use data_encoding::BASE32;
use rayon::prelude::*;
use sha1::{Digest, Sha1};
use std::collections::{BTreeSet, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};
use std::io;
use std::sync::Arc;

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
    /// The documents' records, by the same places.
    pub records: &'j [PartRecords],
    pub resolver: &'j Resolver,
    pub limits: CopyLimits,
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
    pub fn verdicts<B>(
        &self,
        sites: &FilesOfSites<B>,
        places: &[DocumentPlace],
    ) -> io::Result<Verdicts>
    where
        B: SiteBodies<Error = io::Error> + Sync,
    {
        let chunks = places
            .par_chunks(CHUNK)
            .map(|chunk| self.judge(sites, chunk.iter().copied()));
        Ok(chunks
            .collect::<io::Result<Vec<_>>>()?
            .into_iter()
            .flatten()
            .collect())
    }

    /// Returns the verdicts of documents, which come origin by origin.
    pub fn judge<B: SiteBodies<Error = io::Error>>(
        &self,
        sites: &FilesOfSites<B>,
        places: impl Iterator<Item = DocumentPlace>,
    ) -> io::Result<Verdicts> {
        let seen = self.options.times.iter().map(|_| None).collect();
        let distinct = HashSet::new();
        let last = None;
        let mut worker = Worker {
            judging: self,
            sites,
            origin: None,
            seen,
            last,
            distinct,
        };
        places.map(|place| worker.verdict(place)).collect()
    }

    /// Returns the documents; `order` gives the sort keys of their URLs.
    pub fn places(&self, order: &(dyn Fn(&PageUrl<'_>) -> u64 + Sync)) -> Vec<DocumentPlace> {
        let mut places =
            Vec::with_capacity(self.parts.iter().map(|documents| documents.len()).sum());
        for (part, documents) in (0..).zip(self.parts) {
            let rows = (0..u32::MAX).take(documents.len());
            places.extend(rows.map(|row| DocumentPlace {
                origin: 0,
                part,
                row,
            }));
        }
        let put =
            |place: &mut DocumentPlace| place.origin = self.url(*place).as_ref().map_or(0, order);
        if places.len() > 1 {
            places.par_iter_mut().for_each(put);
        } else {
            places.iter_mut().for_each(put);
        }
        places
    }

    pub fn host(&self, place: DocumentPlace) -> Option<SiteHost> {
        self.url(place)
            .ok()
            .map(|url| SiteHost::new(url.host_name()))
    }

    fn record(&self, place: DocumentPlace) -> Option<&DocumentRecord> {
        self.records
            .get(place.part as usize)?
            .get(place.row as usize)?
            .as_ref()
    }

    /// Returns the URL of a document's own record, if it is known.
    fn url_of_record(&self, place: DocumentPlace) -> Option<&[u8]> {
        let own = self.record(place)?;
        let url = own.url.as_deref()?;
        (own.relation == RecordRelation::Own).then_some(url.as_bytes())
    }

    /// Returns a document's URL, which that of its own record stands for; or the reason of one without a readable URL.
    fn url(&self, place: DocumentPlace) -> Result<PageUrl<'_>, &'static str> {
        let documents = self.parts.get(place.part as usize).ok_or("url_missing")?;
        let unjudged = || documents.unjudged(place.row as usize);
        let text = documents
            .url(place.row as usize)
            .or_else(|| self.url_of_record(place).filter(|_| unjudged().is_none()));
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
    sites: &'w FilesOfSites<B>,
    origin: Option<Origin>,
    /// By the times of the judgement.
    seen: Vec<Option<SeenFiles>>,
    /// The last verdicts at all times, and the verdict that was joined from them.
    last: Option<(Verdicts, Arc<Verdict>)>,
    distinct: HashSet<Arc<Verdict>>,
}

/// A page, and whether its record is known.
type JudgedPage<'p> = (PageRecord<'p>, bool);

impl<B: SiteBodies<Error = io::Error>> Worker<'_, B> {
    /// Returns the verdict of a document, with those at the further times.
    fn verdict(&mut self, place: DocumentPlace) -> io::Result<Arc<Verdict>> {
        let judging = self.judging;
        let record = judging.record(place);
        let own = record.filter(|record| record.relation == RecordRelation::Own);
        let has_own = own.is_some();
        let token_count = judging.resolver.tokens.len();
        let documents = judging.parts.get(place.part as usize);
        let date = documents.and_then(|documents| documents.date(place.row as usize));
        let date = date.or_else(|| own?.fetched.map(Interval::from_time));
        let page = judging.url(place).map(|url| self.page(url, has_own));
        let mut by_site: Vec<Option<Arc<Verdict>>> =
            Vec::with_capacity(judging.options.times.len());
        for (number, at) in judging.options.times.iter().enumerate() {
            by_site.push(match &page {
                Ok(page) => Some(self.by_site(page, (number, at.interval(date)), &by_site)?),
                // Without a URL, only the record is known at its own time.
                Err(_) if has_own && *at == At::Page => None,
                Err(reason) => Some(self.one(Verdict::unknown(reason))),
            });
        }
        let times = judging.options.times.iter().zip(by_site);
        let verdicts =
            times.map(
                |(at, by_site)| match (by_site, record.map(|record| &record.verdict)) {
                    (Some(by_site), None) => by_site,
                    (Some(by_site), Some(record)) if has_own && *at == At::Page => {
                        self.one(record.beside_site(&by_site, token_count))
                    }
                    (Some(by_site), Some(record)) if has_own => {
                        self.one(by_site.beside_record(record))
                    }
                    (Some(by_site), Some(record)) => {
                        self.one(by_site.beside_other_url(record, token_count))
                    }
                    (None, record) => {
                        record.map_or_else(|| self.one(Verdict::unknown("url_missing")), Arc::clone)
                    }
                },
            );
        let verdicts = verdicts.collect();
        Ok(self.together(verdicts))
    }

    /// Returns a page. Without a record, its header and metas were not seen; those of a record count in its verdict.
    fn page<'p>(&mut self, url: PageUrl<'p>, has_record: bool) -> JudgedPage<'p> {
        if !self
            .origin
            .as_ref()
            .is_some_and(|origin| origin.is_of(&url))
        {
            self.origin = Some(url.origin());
            self.seen.fill_with(|| None);
        }
        let page = if has_record {
            PageRecord::new(Some(url), None, &[], &[])
        } else {
            PageRecord::unseen(Some(url))
        };
        (page, has_record)
    }

    /// Returns the verdict by the site's files at time `number`, within `interval`; `before` has those at times before.
    fn by_site(
        &mut self,
        page: &JudgedPage<'_>,
        (number, interval): (usize, Option<Interval>),
        before: &[Option<Arc<Verdict>>],
    ) -> io::Result<Arc<Verdict>> {
        let known = self
            .seen
            .get_mut(number)
            .and_then(Option::take)
            .filter(|seen| seen.interval == interval);
        let mut seen = match known {
            Some(seen) => seen,
            None => self.seen(
                interval,
                self.judging
                    .options
                    .times
                    .get(number)
                    .copied()
                    .unwrap_or(At::Page),
            )?,
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
        seen: &mut SeenFiles,
        before: &[Option<Arc<Verdict>>],
    ) -> Arc<Verdict> {
        let kind = usize::from(*has_record);
        let last = seen.last.get(kind).cloned().flatten();
        if let Some(last) = last.as_ref().filter(|_| seen.is_without_files()) {
            return Arc::clone(last);
        }
        // Most files do not change from one time to another.
        let same = self.seen.iter().zip(before).find_map(|(other, verdict)| {
            let own = seen.alone()?;
            let verdict = verdict.as_ref().filter(|verdict| verdict.audit.is_none())?;
            let other = other.as_ref().and_then(SeenFiles::alone)?;
            let is_same = verdict.robots_age_days == own.age_days
                && verdict.is_of_interval == seen.is_long()
                && other.site.decides_as(&own.site);
            is_same.then(|| Arc::clone(verdict))
        });
        let verdict = same.unwrap_or_else(|| {
            let mut verdicts = seen
                .instants
                .iter()
                .map(|instant| self.at_instant(page, instant));
            let mut verdict = verdicts.next().unwrap_or_default();
            let token_count = self.judging.resolver.tokens.len();
            verdicts.for_each(|other| verdict = verdict.beside_instant(&other, token_count));
            if seen.interval.is_none() {
                verdict.reason = UNDATED.into();
            }
            verdict.is_of_interval = seen.is_long();
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

    fn at_instant(&self, page: &PageRecord<'_>, seen: &SeenAt) -> Verdict {
        let Judging {
            resolver, options, ..
        } = self.judging;
        let of = |site: &SiteCopies, digest: Option<&str>| {
            let decision = resolver.decide(page, site);
            let audit = || Box::new(Audit::of_site(&decision, site, digest));
            let verdict = Verdict::of_site(&decision, site, resolver.tokens.len());
            Verdict {
                audit: options.is_audited.then(audit),
                ..verdict
            }
        };
        let mut verdict = of(&seen.site, seen.robots_digest.as_deref());
        if let Some(audit) = &mut verdict.audit {
            audit.not_asked = seen.not_asked.iter().copied().map(Box::from).collect();
        }
        for (twin, digest) in &seen.twins {
            verdict.add_noes_of_twin(&of(twin, digest.as_deref()), resolver.tokens.len());
        }
        Verdict {
            robots_age_days: seen.age_days,
            ..verdict
        }
    }

    /// Returns the site's files within an interval; no verdict is made yet.
    fn seen(&self, interval: Option<Interval>, at: At) -> io::Result<SeenFiles> {
        let mut instants: Vec<SeenAt> = Vec::new();
        for moment in self.moments(interval) {
            let next = self.seen_at(moment, at)?;
            let is_alone = |seen: &SeenAt| seen.twins.is_empty();
            let is_same =
                |known: &&mut SeenAt| is_alone(known) && known.site.decides_as(&next.site);
            match instants
                .iter_mut()
                .filter(|_| is_alone(&next))
                .find(is_same)
            {
                Some(known) => known.age_days = known.age_days.max(next.age_days),
                None => instants.push(next),
            }
        }
        Ok(SeenFiles {
            interval,
            instants,
            last: [None, None],
        })
    }

    /// Returns the moments of an interval at which other files of the site, or of its twins, may count than just before.
    fn moments(&self, interval: Option<Interval>) -> Vec<Option<Timestamp>> {
        let Some((interval, origin)) = interval.zip(self.origin.as_ref()) else {
            return vec![interval.map(Interval::first)];
        };
        let mut moments = BTreeSet::from([interval.first()]);
        for origin in origin.clone().with_twins() {
            self.sites
                .add_changes_within(&origin, interval, &mut moments);
        }
        if interval.is_long() {
            // A copy is oldest just before the next one.
            let before = |moment: &Timestamp| Timestamp::from_unix_micros(moment.unix_micros() - 1);
            let before: Vec<Timestamp> = moments.iter().skip(1).filter_map(before).collect();
            moments.extend(before.into_iter().chain([interval.last()]));
        }
        moments.into_iter().map(Some).collect()
    }

    /// Returns the site's files at a moment.
    fn seen_at(&self, moment: Option<Timestamp>, at: At) -> io::Result<SeenAt> {
        let Judging {
            resolver, options, ..
        } = self.judging;
        let mut limits = CopyLimits {
            twins: options.twins,
            ..self.judging.limits
        };
        if moment == Some(Timestamp::LAST) {
            // The newest copies count, whenever they were fetched: `robots_age_days` says how old they are.
            limits.max_age = MaxAge::Unlimited;
        }
        let origin = self.origin.as_ref();
        let site = self.sites.site(origin, moment, limits, resolver)?;
        let mut twins = Vec::new();
        let asks_twins = options.twins == Twins::Count && at != At::Page && moment.is_some();
        for twin in origin
            .into_iter()
            .filter(|_| asks_twins)
            .flat_map(Origin::twins)
        {
            if let Some(newer) = self
                .sites
                .newer_twin(&twin, &site.current, moment, resolver)?
            {
                let digest = self.digest(&newer)?;
                twins.push((newer, digest));
            }
        }
        let until = if at == At::Newest {
            options.now
        } else {
            moment
        };
        let micros = until.zip(site.current.oldest_at);
        let micros = micros.map(|(until, fetched)| until.unix_micros() - fetched.unix_micros());
        let age_days = micros.and_then(|micros| u32::try_from(micros / 86_400_000_000).ok());
        let audited = origin.into_iter().filter(|_| options.is_audited);
        let not_asked = audited
            .flat_map(|origin| self.sites.not_asked(origin))
            .collect();
        Ok(SeenAt {
            robots_digest: self.digest(&site)?,
            not_asked,
            twins,
            age_days,
            site,
        })
    }

    fn digest(&self, site: &SiteCopies) -> io::Result<Option<String>> {
        let Some(body) = site
            .current
            .body
            .filter(|_| self.judging.options.is_audited)
        else {
            return Ok(None);
        };
        Ok(Some(BASE32.encode(&Sha1::digest(
            self.sites.bodies().read(body.number)?,
        ))))
    }

    /// Returns the verdict at the first time, with those at the others.
    fn together(&mut self, verdicts: Verdicts) -> Arc<Verdict> {
        let (Some(first), Some(further)) = (verdicts.first(), verdicts.get(1..)) else {
            return self.one(Verdict::unknown("url_missing"));
        };
        if further.is_empty() {
            return Arc::clone(first);
        }
        let is_same = |last: &[Arc<Verdict>]| {
            last.iter()
                .zip(&verdicts)
                .all(|(one, other)| Arc::ptr_eq(one, other))
        };
        if let Some((_, together)) = self.last.as_ref().filter(|(last, _)| is_same(last)) {
            return Arc::clone(together);
        }
        let together = self.one(Verdict {
            further: further.into(),
            ..first.as_ref().clone()
        });
        self.last = Some((verdicts, Arc::clone(&together)));
        together
    }

    /// Returns a verdict; equal ones are shared.
    fn one(&mut self, verdict: Verdict) -> Arc<Verdict> {
        shared(&mut self.distinct, verdict)
    }
}
