//! The requests on which a decision rests, and the others for the same file.
//!
//! Example: of three copies of a robots.txt the second counts for the page, and it redirects; then there are two
//! hops, an earlier copy and a later one.
//! Left out: what the bodies state.

use super::scenario::{RecordLocation, Request, Scenario};
use crate::verdict::timeline::{Answer, Hop};
use crate::verdict::{SiteBodies, SiteCapture, SiteCopies, SiteIndex, Timeline};
use crate::web::capture_kind::CaptureKind;
use crate::web::timestamp::Timestamp;
use crate::web::url::PageUrl;
use serde::Serialize;
use std::cmp::Ordering;

/// How a request was answered.
#[derive(Clone, Debug, Serialize)]
pub struct RequestSummary {
    /// The URL that was requested.
    pub url: String,
    /// When.
    pub fetched: Option<Timestamp>,
    /// How the server answered.
    #[serde(serialize_with = "super::json::status")]
    pub status: Answer,
    /// Where it redirects.
    pub location: Option<String>,
    /// Where its record is.
    #[serde(flatten)]
    pub record: RecordLocation,
}

/// A request for a robots.txt.
#[derive(Debug, Serialize)]
pub struct RobotsRequest {
    /// How it was answered.
    #[serde(flatten)]
    pub request: RequestSummary,
    /// Its number in the scenario, from 0.
    pub copy: usize,
    /// How its time compares with the copy that counts; `None` for a hop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is: Option<Standing>,
}

/// How the time of a copy compares with the copy that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It is the copy that counts.
    Used,
    /// It is earlier.
    Earlier,
    /// It is later.
    Later,
    /// It has the same time; of two such copies the last one counts.
    SameTime,
    /// One of the two times is not known.
    Undated,
}

/// A site file that counts, other than robots.txt.
#[derive(Debug, Serialize)]
pub struct SiteFile {
    /// What it is.
    pub kind: CaptureKind,
    /// How the request was answered.
    #[serde(flatten)]
    pub request: RequestSummary,
}

impl RequestSummary {
    fn of(request: &Request) -> Self {
        Self {
            url: request.url.as_str().to_owned(),
            fetched: request.fetched_at,
            status: request.answer,
            location: request.redirect.clone(),
            record: request.location.clone(),
        }
    }
}

/// Returns the numbers of the requests on which the decision rests, the first request first.
pub fn hops(scenario: &Scenario, url: &PageUrl<'_>, timeline: &Timeline<u32>) -> Vec<usize> {
    let number = |hop: Hop| {
        let is_hop = |request: &Request| {
            request.fetched_at == Some(hop.fetched_at) && timeline.is_of(&hop, &request.url)
        };
        scenario.robots.iter().rposition(is_hop)
    };
    let hops = timeline.hops(&url.origin(), scenario.fetched_at, scenario.slack);
    hops.into_iter().filter_map(number).collect()
}

/// Returns requests by their numbers.
pub fn requests(scenario: &Scenario, numbers: &[usize]) -> Vec<RobotsRequest> {
    let request = |copy: &usize| {
        let request = RequestSummary::of(scenario.robots.get(*copy)?);
        Some(RobotsRequest { request, copy: *copy, is: None })
    };
    numbers.iter().filter_map(request).collect()
}

/// Returns all requests for the robots.txt of the page's site by time, each compared with the copy that counts.
pub fn copies(scenario: &Scenario, url: &PageUrl<'_>, used: Option<usize>) -> Vec<RobotsRequest> {
    let origin = url.origin();
    let is_copy = |request: &Request| {
        origin.is_of(&request.url) && request.url.path() == "/robots.txt" && request.url.query().is_none()
    };
    let all = scenario.robots.iter().enumerate();
    let numbers: Vec<usize> = all.filter(|(_, request)| is_copy(request)).map(|(number, _)| number).collect();
    let mut copies = requests(scenario, &numbers);
    copies.sort_by_key(|copy| copy.request.fetched);
    // Where no copy counts, the page's own time separates earlier from later.
    let pivot = used.and_then(|used| scenario.robots.get(used)?.fetched_at).or(scenario.fetched_at);
    for copy in &mut copies {
        let is_used = used == Some(copy.copy);
        copy.is = Some(if is_used { Standing::Used } else { Standing::of(copy.request.fetched, pivot) });
    }
    copies
}

impl Standing {
    fn of(at: Option<Timestamp>, pivot: Option<Timestamp>) -> Self {
        match at.zip(pivot).map(|(at, pivot)| at.cmp(&pivot)) {
            None => Self::Undated,
            Some(Ordering::Less) => Self::Earlier,
            Some(Ordering::Equal) => Self::SameTime,
            Some(Ordering::Greater) => Self::Later,
        }
    }
}

/// Returns the files of sites that a scenario has; the digest of a body is its number in the scenario.
pub fn site_index(scenario: &Scenario) -> SiteIndex {
    let captures = scenario.robots.iter().enumerate().chain(scenario.site_files.iter().enumerate());
    let captures: Vec<(&Request, String)> =
        captures.map(|(number, request)| (request, number.to_string())).collect();
    let mut bodies = SiteBodies::default();
    for (request, number) in &captures {
        if let Some(body) = &request.body {
            bodies.add(request.kind, number, body, request.extent);
        }
    }
    let captures = captures.iter().map(|(request, number)| SiteCapture {
        kind: request.kind,
        url: request.url.clone(),
        fetched_at: request.fetched_at,
        answer: request.answer,
        redirect: request.redirect.as_deref(),
        body_digest: request.body.as_ref().map(|_| number.as_str()),
    });
    SiteIndex::new(bodies, captures)
}

/// Returns how the site files other than robots.txt that count were received.
pub fn site_files(scenario: &Scenario, site: &SiteCopies<'_>) -> Vec<SiteFile> {
    let file = |number: usize| scenario.site_files.get(number);
    let requests = site.other_bodies().filter_map(|body| {
        let request = RequestSummary::of(file(body.digest.parse().ok()?)?);
        Some(SiteFile { kind: body.kind, request })
    });
    requests.collect()
}
