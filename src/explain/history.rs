//! Which requests a decision rests on, and which others there were.
//!
//! Example: of three copies of a robots.txt the second counts for the page, and it redirects; then
//! there are two hops, an earlier copy and a later one.
//! Left out: what the bodies say.

use super::scenario::{RobotsFetch, Scenario};
use crate::systems::FileBody;
use crate::verdict::timeline::SiteFileFetch;
use crate::verdict::timeline::{Answer, Hop};
use crate::verdict::{Copies, Timeline};
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

/// The site files beside robots.txt that speak for a page.
pub struct SiteFiles<'s> {
    /// Their kinds and bodies, in the order of the kinds.
    pub bodies: Vec<(CaptureKind, FileBody<'s>)>,
    /// How they were received.
    pub requests: Value,
}

impl<'s> SiteFiles<'s> {
    /// Picks the copies that were current.
    pub fn new(scenario: &'s Scenario, url: &PageUrl<'_>) -> Self {
        let captures = (0..).zip(&scenario.site_files).map(|(number, file): (u32, _)| {
            let (url, fetched_at, answer) = (&file.fetch.url, file.fetch.fetched_at, file.fetch.answer);
            let body = file.fetch.body.as_ref().map(|_| number);
            let fetch = SiteFileFetch { origin: url.origin(), fetched_at, answer, body };
            (file.kind, url.clone(), fetch)
        });
        let index = Copies::new(captures);
        let (origin, mut bodies, mut requests) = (url.origin(), Vec::new(), Vec::new());
        for kind in CaptureKind::ALL {
            for number in index.current(kind, &origin, scenario.fetched_at) {
                let file = scenario.site_files.get(number as usize).map(|file| &file.fetch);
                let Some((file, bytes)) = file.and_then(|file| Some((file, file.body.as_deref()?))) else {
                    continue;
                };
                bodies.push((kind, FileBody { bytes, extent: file.extent }));
                let mut request = request(file);
                request.insert("kind".to_owned(), kind.as_str().into());
                requests.push(Value::Object(request));
            }
        }
        Self { bodies, requests: requests.into() }
    }
}
