//! The site files of a page's origin, and what its robots.txt redirects to, from the evidence.
//!
//! Example: a robots.txt that redirects to another host, and a page there that redirects on, are three
//! entries of `robots_history`. Left out: bodies of pages, which were not kept.

use super::time;
use crate::job::manifest::Manifest;
use crate::store::Store;
use crate::tables::Slices;
use crate::tables::captures::{CAPTURES, Captures, REQUEST_COLUMNS};
use crate::tables::site_files::{SITE_FILES, SiteBodies};
use crate::verdict::Timeline;
use crate::verdict::timeline::Fetch;
use crate::web::capture_kind::CaptureKind;
use crate::web::origin::Origin;
use crate::web::url::PageUrl;
use data_encoding::BASE64;
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};
use std::io;

/// RFC 9309 2.3.1.2: five redirects are followed, so that more rounds than these find nothing that counts.
const ROUNDS: usize = 7;

/// A row of the evidence that may count.
struct Request {
    /// Pages come behind all site files, as when resolving; then by batch and row.
    order: (bool, usize, usize),
    kind: CaptureKind,
    told: Map<String, Value>,
    digest: Option<String>,
}

/// The search for what counts.
struct Search<'e> {
    evidence: &'e dyn Store,
    manifests: &'e [Manifest],
    origin: Origin,
    timeline: Timeline<()>,
    requests: Vec<Request>,
    taken: HashSet<(bool, usize, usize)>,
}

/// Which rows a round is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Round {
    /// Site files of the origin.
    Own,
    /// Whatever redirects lead to.
    Targets,
}

/// Returns `robots_history` and `site_files` of a page; a URL that cannot be read has no site.
pub fn of_page(evidence: &dyn Store, manifests: &[Manifest], url: &str) -> io::Result<Map<String, Value>> {
    let Ok(url) = PageUrl::new(url.as_bytes()) else { return Ok(Map::new()) };
    let (timeline, origin) = (Timeline::new([]), url.origin());
    let (requests, taken) = (Vec::new(), HashSet::new());
    let mut search = Search { evidence, manifests, origin, timeline, requests, taken };
    let mut redirects = search.round(Round::Own)?;
    for _ in 0..ROUNDS {
        if !redirects {
            break;
        }
        redirects = search.round(Round::Targets)?;
    }
    let mut requests = search.requests;
    requests.sort_by_key(|request| request.order);
    let bodies = bodies(evidence, manifests, &requests)?;
    let (mut history, mut site_files) = (Vec::new(), Vec::new());
    for request in requests {
        let (read_as, mut told) = (request.kind.read_as(), request.told);
        let body = request.digest.and_then(|digest| bodies.get(&(read_as, digest)));
        if let Some((body, cut)) = body {
            told.insert("body_base64".to_owned(), body.as_str().into());
            told.insert("cut".to_owned(), (*cut).into());
        }
        let list = match read_as {
            CaptureKind::Robots | CaptureKind::RobotsHop | CaptureKind::Page => &mut history,
            CaptureKind::Automation | CaptureKind::Tdmrep | CaptureKind::AiTxt | CaptureKind::TrustTxt => {
                &mut site_files
            }
        };
        list.push(Value::Object(told));
    }
    Ok([("robots_history", history), ("site_files", site_files)]
        .into_iter()
        .map(|(key, list)| (key.to_owned(), list.into()))
        .collect())
}

impl Search<'_> {
    /// Takes the rows of a round; tells whether any of them redirects.
    fn round(&mut self, round: Round) -> io::Result<bool> {
        let mut redirects = false;
        for (place, manifest) in self.manifests.iter().enumerate() {
            if manifest.captures.is_empty() || (round == Round::Own && !manifest.has_site_files()) {
                continue;
            }
            let mut first_row = 0;
            for slice in Slices::of_columns(self.evidence.open(&manifest.part(&CAPTURES))?, REQUEST_COLUMNS)?
            {
                let slice = slice?;
                let captures = Captures::new(&slice)?;
                for row in 0..captures.count() {
                    redirects |= self.row(&captures, row, (place, first_row + row), round)?;
                }
                first_row += captures.count();
            }
        }
        Ok(redirects)
    }

    /// Takes a row, if it counts; tells whether it redirects.
    fn row(
        &mut self,
        captures: &Captures<'_>,
        row: usize,
        (manifest, number): (usize, usize),
        round: Round,
    ) -> io::Result<bool> {
        let Some(kind) = CaptureKind::named(captures.kind(row)) else { return Ok(false) };
        let Ok(url) = PageUrl::new(captures.url(row).as_bytes()) else { return Ok(false) };
        let is_robots = kind.read_as() == CaptureKind::Robots;
        let is_page = kind == CaptureKind::Page;
        let counts = match round {
            Round::Own => !is_page && kind != CaptureKind::RobotsHop && self.origin.is_of(&url),
            Round::Targets => (is_robots || is_page) && self.timeline.awaits(&url),
        };
        let order = (is_page, manifest, number);
        if !counts || !self.taken.insert(order) {
            return Ok(false);
        }
        let (filename, offset) = captures.place(row)?;
        let status = captures.status(row).map_or_else(|| Value::from("unreadable"), Value::from);
        let told = json!({
            "kind": kind.as_str(), "url": captures.url(row), "fetched": time(captures.fetched_at(row)),
            "status": status, "location": captures.redirect(row),
            "warc_filename": filename, "warc_record_offset": offset,
        });
        let told = told.as_object().cloned().unwrap_or_default();
        let digest = captures.body_digest(row).map(str::to_owned);
        self.requests.push(Request { order, kind, told, digest });
        if !is_robots && !is_page {
            return Ok(false);
        }
        self.timeline.extend([Fetch {
            url,
            fetched_at: captures.fetched_at(row),
            answer: captures.answer(row),
            redirect: captures.redirect(row),
            body: None,
        }]);
        Ok(captures.redirect(row).is_some())
    }
}

/// The bodies of requests in Base64, and whether each is cut, by kind and key.
type Bodies = HashMap<(CaptureKind, String), (String, bool)>;

fn bodies(evidence: &dyn Store, manifests: &[Manifest], requests: &[Request]) -> io::Result<Bodies> {
    let wanted: HashSet<(CaptureKind, &str)> = requests
        .iter()
        .filter_map(|request| Some((request.kind.read_as(), request.digest.as_deref()?)))
        .collect();
    let mut bodies = Bodies::new();
    for manifest in manifests.iter().filter(|manifest| manifest.has_site_files()) {
        if bodies.len() == wanted.len() {
            break;
        }
        for slice in Slices::new(evidence.open(&manifest.part(&SITE_FILES))?)? {
            for (digest, kind, body, cut) in SiteBodies::new(&slice?)?.iter() {
                let Some(kind) = CaptureKind::named(kind).map(CaptureKind::read_as) else { continue };
                if wanted.contains(&(kind, digest)) {
                    let body = || (BASE64.encode(body), cut);
                    bodies.entry((kind, digest.to_owned())).or_insert_with(body);
                }
            }
        }
    }
    Ok(bodies)
}
