//! The site files of one origin in one or several indexes, with their bodies, for display.
//!
//! Example: for a robots.txt that redirects to another host, the captures of both. Left out: the offsets of records, which an
//! index does not have.

use super::layers::SiteLayers;
use super::load::{answer, extent, order};
use crate::runs::{Awaited, ROUNDS, followed};
use crate::tables::site_index::{Seen, SiteFetch, SiteHost};
use crate::verdict::timeline::Sent;
use crate::verdict::{RecordLocation, Request};
use crate::web::capture_kind::CaptureKind;
use crate::web::origin::Origin;
use crate::web::timestamp::Timestamp;
use crate::web::url::PageUrl;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;

/// An answer with its URL; for each of its captures, whether it was found.
struct FoundAnswer<'a> {
    url: PageUrl<'static>,
    fetch: &'a SiteFetch<(u64, u32)>,
    seen: &'a [Seen],
    found: Vec<bool>,
}

impl FoundAnswer<'_> {
    fn captures(&self) -> impl Iterator<Item = &Seen> {
        self.seen.iter().zip(&self.found).filter(|(_, is_found)| **is_found).map(|(seen, _)| seen)
    }
}

impl SiteLayers {
    /// Returns the captures of an origin's site files and of their redirects' targets; pages last, then by archive and time.
    pub fn find(&self, url: &PageUrl<'_>) -> io::Result<Vec<Request>> {
        let loaded = self.load_fetches(&SiteHost::of_page(url.host_name()).collect(), None)?;
        let mut answers = Vec::new();
        for (fetch, seen) in &loaded.fetches {
            if let Ok(url) = PageUrl::new(fetch.full_url().as_bytes()) {
                let (url, found) = (url.into_owned(), vec![false; seen.len()]);
                answers.push(FoundAnswer { url, fetch, seen, found });
            }
        }
        if loaded.has_pages() {
            // Their segments are also needed and are kept with the names: the same bytes are read once.
            self.archive_names(&loaded.archives())?;
        }
        let segments = self.segments_of(&loaded)?;
        choose(&mut answers, &segments, &url.origin());
        answers.retain(|answer| answer.captures().next().is_some());
        let numbers: HashSet<u64> = answers.iter().filter_map(|answer| Some(answer.fetch.body?.0)).collect();
        let mut bodies = HashMap::new();
        self.bodies_of(
            &loaded,
            |number| numbers.contains(&number),
            |number, _, content| {
                bodies.insert(number, content.to_vec());
                Ok(())
            },
        )?;
        let archives = answers.iter().flat_map(FoundAnswer::captures).map(|seen| seen.archive).collect();
        let archives = self.archive_names(&archives)?;
        let mut files = Vec::new();
        for found in &answers {
            let key =
                |seen: &Seen| (order(found.fetch.kind, seen) & !u64::from(u32::MAX), seen.at_us, seen.row);
            for seen in found.captures() {
                let name = archives.get(&seen.archive).cloned().unwrap_or_default();
                let segment = segments.get(&seen.archive).copied().unwrap_or_default();
                files.push((key(seen), file(found, seen, (name, segment), &bodies)));
            }
        }
        files.sort_by_key(|(key, _)| *key);
        Ok(files.into_iter().map(|(_, file)| file).collect())
    }
}

/// Finds the site files of an origin and the targets of their redirects; `segments` are those of archives, if there are pages.
fn choose(answers: &mut [FoundAnswer<'_>], segments: &BTreeMap<u32, u32>, origin: &Origin) {
    let mut awaited = Awaited::default();
    for _ in 0..=ROUNDS {
        let mut has_more = false;
        for FoundAnswer { url, fetch, seen, found } in answers.iter_mut() {
            let is_page = fetch.kind == CaptureKind::Page;
            let is_own = !is_page && fetch.kind != CaptureKind::RobotsHop && origin.is_of(url);
            for (seen, is_found) in seen.iter().zip(found).filter(|(_, is_found)| !**is_found) {
                let segment = segments.get(&seen.archive).copied().unwrap_or_default();
                if is_own || awaited.has(is_page.then_some(segment), url) {
                    if let Some(location) = followed(fetch.kind, answer(fetch), fetch.redirect.as_deref()) {
                        awaited.add(segment, url, location);
                    }
                    (*is_found, has_more) = (true, true);
                }
            }
        }
        if !has_more {
            break;
        }
    }
}

fn file(
    found: &FoundAnswer<'_>,
    seen: &Seen,
    (warc_filename, segment): (String, u32),
    bodies: &HashMap<u64, Vec<u8>>,
) -> Request {
    let fetch = found.fetch;
    let body = match fetch.body.and_then(|(number, _)| bodies.get(&number)) {
        Some(body) => Sent::Body(body.clone()),
        None if fetch.is_undecodable => Sent::Unreadable,
        None => Sent::Missing,
    };
    Request {
        kind: fetch.kind,
        url: found.url.clone(),
        fetched_at: seen.at_us.and_then(Timestamp::from_unix_micros),
        answer: answer(fetch),
        redirect: fetch.redirect.as_deref().map(str::to_owned),
        location: RecordLocation { warc_filename: Some(warc_filename), ..RecordLocation::default() },
        body,
        extent: extent(fetch),
        segment,
    }
}
