//! Which requests a decision rests on, and which others there were.
//!
//! Example: of three copies of a robots.txt the second counts for the page, and it redirects; then
//! there are two hops, an earlier copy and a later one.
//! Left out: what the bodies say.

use super::scenario::{RobotsFetch, Scenario};
use crate::verdict::timeline::{Answer, Hop};
use crate::verdict::{SiteBodies, SiteCapture, SiteCopies, SiteIndex, Timeline};
use crate::web::capture_kind::CaptureKind;
use crate::web::timestamp::Timestamp;
use crate::web::url::PageUrl;
use serde_json::{Map, Value, json};
use std::cmp::Ordering;

/// The requests for a page's robots.txt.
pub struct History<'s> {
    scenario: &'s Scenario,
    /// The places in the scenario of those on which the decision rests, the first request first.
    hops: Vec<usize>,
    /// The places of all that asked for this origin's robots.txt, by time.
    copies: Vec<usize>,
}

impl<'s> History<'s> {
    /// Looks for the requests on which the decision about a page rests.
    pub fn new(scenario: &'s Scenario, url: &PageUrl<'_>, timeline: &Timeline<u32>) -> Self {
        let origin = url.origin();
        let asked_for = |hop: &Hop| {
            scenario.fetches.iter().rposition(|fetch| {
                fetch.fetched_at == Some(hop.fetched_at) && timeline.is_of(hop, &fetch.url)
            })
        };
        let hops = timeline.hops(&origin, scenario.fetched_at, scenario.slack);
        let is_copy = |fetch: &RobotsFetch| {
            origin.is_of(&fetch.url) && fetch.url.path() == "/robots.txt" && fetch.url.query().is_none()
        };
        let all = scenario.fetches.iter().enumerate();
        let mut copies: Vec<usize> =
            all.filter(|(_, fetch)| is_copy(fetch)).map(|(number, _)| number).collect();
        copies.sort_by_key(|number| scenario.fetches.get(*number).map(|fetch| fetch.fetched_at));
        Self { scenario, hops: hops.iter().filter_map(asked_for).collect(), copies }
    }

    /// Returns the place of the copy that counts.
    pub fn copy(&self) -> Option<usize> {
        self.hops.first().copied()
    }

    /// Returns the requests on which the decision rests.
    pub fn hops(&self) -> Value {
        self.hops.iter().filter_map(|number| self.request(*number)).map(Value::Object).collect()
    }

    /// Returns all requests for the file, each with how it stands to the copy that counts.
    pub fn copies(&self) -> Value {
        let copy = self.copy();
        // Where no copy counts, the page's own time parts earlier from later.
        let pivot = copy.and_then(|copy| self.scenario.fetches.get(copy)?.fetched_at);
        let pivot = pivot.or(self.scenario.fetched_at);
        let copies = self.copies.iter().filter_map(|number| {
            let mut request = self.request(*number)?;
            let at = self.scenario.fetches.get(*number)?.fetched_at;
            request.insert("is".to_owned(), standing(at, pivot, copy == Some(*number)).into());
            Some(Value::Object(request))
        });
        copies.collect()
    }

    fn request(&self, number: usize) -> Option<Map<String, Value>> {
        let mut request = request(self.scenario.fetches.get(number)?);
        request.insert("copy".to_owned(), number.into());
        Some(request)
    }
}

fn standing(at: Option<Timestamp>, pivot: Option<Timestamp>, counts: bool) -> &'static str {
    match (at, pivot) {
        _ if counts => "used",
        (None, _) | (_, None) => "undated",
        (Some(at), Some(pivot)) => match at.cmp(&pivot) {
            Ordering::Less => "earlier",
            // Of two at one instant the last one counts.
            Ordering::Equal => "same_time",
            Ordering::Greater => "later",
        },
    }
}

/// Returns a request as answers have it.
fn request(fetch: &RobotsFetch) -> Map<String, Value> {
    let status = match fetch.answer {
        Answer::Status(status) => status.into(),
        Answer::StatusUnreadable => "unreadable".into(),
        Answer::NetworkError => Value::Null,
    };
    let told = json!({
        "url": fetch.url.as_str(), "fetched": fetch.fetched_at.map(|at| at.to_string()),
        "status": status, "location": fetch.location,
    });
    let mut request = fetch.place.clone();
    request.extend(told.as_object().cloned().unwrap_or_default());
    request
}

/// Returns the files of sites that a scenario has; the digest of a body is its place in the scenario.
pub fn site_index(scenario: &Scenario) -> SiteIndex {
    let robots = scenario.fetches.iter().map(|fetch| (CaptureKind::Robots, fetch));
    let others = scenario.site_files.iter().map(|file| (file.kind, &file.fetch));
    let captures: Vec<(CaptureKind, &RobotsFetch, String)> = robots
        .enumerate()
        .chain(others.enumerate())
        .map(|(place, (kind, fetch))| (kind, fetch, place.to_string()))
        .collect();
    let mut bodies = SiteBodies::default();
    for (kind, fetch, place) in &captures {
        if let Some(body) = &fetch.body {
            bodies.add(*kind, place, body, fetch.extent);
        }
    }
    let captures = captures.iter().map(|(kind, fetch, place)| SiteCapture {
        kind: *kind,
        url: fetch.url.clone(),
        fetched_at: fetch.fetched_at,
        answer: fetch.answer,
        redirect: fetch.location.as_deref(),
        body_digest: fetch.body.as_ref().map(|_| place.as_str()),
    });
    SiteIndex::new(bodies, captures)
}

/// Returns how the site files beside robots.txt that count were received.
pub fn site_file_requests(scenario: &Scenario, site: &SiteCopies<'_>) -> Value {
    let requests = site.other_bodies().filter_map(|body| {
        let file = scenario.site_files.get(body.digest.parse::<usize>().ok()?)?;
        let mut request = request(&file.fetch);
        request.insert("kind".to_owned(), body.kind.as_str().into());
        Some(Value::Object(request))
    });
    requests.collect()
}
