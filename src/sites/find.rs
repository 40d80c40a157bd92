//! The site files of one origin, and the targets of their redirects, in one or several indexes, with their bodies, for display.

use super::layers::SiteLayers;
use super::load::{answer, extent, order};
use crate::runs::{Awaited, ROUNDS, followed};
use crate::tables::site_index::{Seen, SiteFetch, SiteHost};
use crate::verdict::timeline::BodyState;
use crate::verdict::{RecordLocation, Request};
use crate::web::capture_kind::CaptureKind;
use crate::web::origin::Origin;
use crate::web::timestamp::Timestamp;
use crate::web::url::PageUrl;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::sync::Arc;

/// A capture of an answer, with its URL, and whether it was found.
struct SoughtCapture<'a> {
    url: Arc<PageUrl<'static>>,
    fetch: &'a SiteFetch<(u64, u32)>,
    seen: &'a Seen,
    is_found: bool,
}

impl SiteLayers {
    /// Returns the captures of the site files of an origin and its twins (KNOW-8), and of their redirects' targets: pages last,
    /// by archive and time.
    pub fn find(&self, url: &PageUrl<'_>) -> io::Result<Vec<Request>> {
        let origins = url.origin().with_twins();
        let hosts = origins
            .iter()
            .flat_map(|origin| SiteHost::of_page(origin.host_name()))
            .collect();
        let loaded = self.load_fetches(&hosts, None)?;
        let mut captures = Vec::new();
        for (fetch, seen) in &loaded.fetches {
            if let Ok(url) = PageUrl::new(fetch.full_url().as_bytes()) {
                let url = Arc::new(url.into_owned());
                let capture = |seen| SoughtCapture {
                    url: Arc::clone(&url),
                    fetch,
                    seen,
                    is_found: false,
                };
                captures.extend(seen.iter().map(capture));
            }
        }
        if loaded.has_pages() {
            // Their segments are also needed and are kept with the names: the same bytes are read once.
            self.archive_names(&loaded.archives())?;
        }
        let segments = self.segments_of(&loaded)?;
        choose(&mut captures, &segments, &origins);
        captures.retain(|capture| capture.is_found);
        let numbers: HashSet<u64> = captures
            .iter()
            .filter_map(|it| Some(it.fetch.body?.0))
            .collect();
        let mut bodies = HashMap::new();
        let is_wanted = |number| numbers.contains(&number);
        self.bodies_of(&loaded, is_wanted, |number, _, content| {
            bodies.insert(number, content.to_vec());
            Ok(())
        })?;
        let archives = self.archive_names(&captures.iter().map(|it| it.seen.archive).collect())?;
        captures.sort_by_key(|SoughtCapture { fetch, seen, .. }| {
            (
                order(fetch.kind, seen) & !u64::from(u32::MAX),
                seen.at_us,
                seen.row,
            )
        });
        let request = |capture: &SoughtCapture<'_>| {
            let archive = &capture.seen.archive;
            let segment = segments.get(archive).copied().unwrap_or_default();
            request(
                capture,
                archives.get(archive).cloned().unwrap_or_default(),
                segment,
                &bodies,
            )
        };
        Ok(captures.iter().map(request).collect())
    }
}

/// `segments` are those of archives, if there are pages.
fn choose(captures: &mut [SoughtCapture<'_>], segments: &BTreeMap<u32, u32>, origins: &[Origin]) {
    let mut awaited = Awaited::default();
    for _ in 0..=ROUNDS {
        let mut has_more = false;
        for SoughtCapture {
            url,
            fetch,
            seen,
            is_found,
        } in captures.iter_mut().filter(|it| !it.is_found)
        {
            let is_page = fetch.kind == CaptureKind::Page;
            let is_own = !is_page
                && fetch.kind != CaptureKind::RobotsHop
                && origins.iter().any(|origin| origin.is_of(url));
            let segment = segments.get(&seen.archive).copied().unwrap_or_default();
            if is_own || awaited.has(is_page.then_some(segment), url) {
                if let Some(location) =
                    followed(fetch.kind, answer(fetch), fetch.redirect.as_deref())
                {
                    awaited.add(segment, url, location);
                }
                (*is_found, has_more) = (true, true);
            }
        }
        if !has_more {
            break;
        }
    }
}

fn request(
    SoughtCapture {
        url, fetch, seen, ..
    }: &SoughtCapture<'_>,
    warc_filename: String,
    segment: u32,
    bodies: &HashMap<u64, Vec<u8>>,
) -> Request {
    let body = match fetch.body.and_then(|(number, _)| bodies.get(&number)) {
        Some(body) => BodyState::Body(body.clone()),
        None if fetch.is_undecodable => BodyState::Unreadable,
        None => BodyState::Missing,
    };
    Request {
        kind: fetch.kind,
        url: PageUrl::clone(url),
        fetched_at: seen.at_us.and_then(Timestamp::from_unix_micros),
        answer: answer(fetch),
        redirect: fetch.redirect.as_deref().map(str::to_owned),
        location: RecordLocation {
            warc_filename: Some(warc_filename),
            ..RecordLocation::default()
        },
        body,
        extent: extent(fetch),
        validator: fetch.validator,
        segment,
    }
}
