//! The requests on which a decision rests, and the others for the same file.
//!
//! Example: of three copies of a robots.txt the second counts for the page, and it redirects; then there are two hops, an
//! earlier copy and a later one. Left out: the content of the bodies.

use super::scenario::Scenario;
use crate::verdict::timeline::BodyState;
use crate::verdict::{
    FilesOfSites, GivenBodies, Request, SiteBody, SiteCapture, SiteCopies, Timeline,
};
use crate::web::{capture_kind::CaptureKind, origin::Origin, timestamp::Timestamp};
use serde::Serialize;
use std::borrow::Cow;
use std::cmp::Ordering;

#[derive(Debug, Serialize)]
pub struct RobotsRequest<'s> {
    #[serde(flatten)]
    pub request: &'s Request,
    /// Its number in the scenario, from 0.
    pub copy: usize,
    /// How its time compares with the copy that counts; `None` for a hop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is: Option<CopyRole>,
}

/// How the time of a copy compares with the copy that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CopyRole {
    Used,
    Earlier,
    Later,
    /// It has the same time; of copies of one second the stricter one counts, else the last one.
    SameTime,
    /// One of the two times is not known.
    Undated,
}

/// Returns the requests on which the decision rests, the first one first.
pub fn hops<'s>(
    scenario: &'s Scenario,
    origin: &Origin,
    timeline: &Timeline,
) -> Vec<RobotsRequest<'s>> {
    let hops = timeline.hops(origin, scenario.fetched_at, scenario.limits());
    // The timeline gets the requests in their order.
    let copies = hops
        .into_iter()
        .filter_map(|hop| usize::try_from(hop.order).ok());
    let requests = copies.filter_map(|copy| Some((copy, scenario.robots.get(copy)?)));
    requests
        .map(|(copy, request)| RobotsRequest {
            request,
            copy,
            is: None,
        })
        .collect()
}

/// Returns all requests for the robots.txt of the page's site by time, each compared with the copy that counts.
pub fn copies<'s>(
    scenario: &'s Scenario,
    origin: &Origin,
    used: Option<usize>,
) -> Vec<RobotsRequest<'s>> {
    let is_copy = |request: &Request| {
        origin.is_of(&request.url)
            && request.url.path() == "/robots.txt"
            && request.url.query().is_none()
    };
    // If no copy counts, the page's own time separates earlier from later.
    let pivot = used
        .and_then(|used| scenario.robots.get(used)?.fetched_at)
        .or(scenario.fetched_at);
    let all = scenario
        .robots
        .iter()
        .enumerate()
        .filter(|(_, request)| is_copy(request));
    let copies = all.map(|(copy, request)| {
        let is_used = used == Some(copy);
        let is = if is_used {
            CopyRole::Used
        } else {
            CopyRole::of(request.fetched_at, pivot)
        };
        RobotsRequest {
            request,
            copy,
            is: Some(is),
        }
    });
    let mut copies: Vec<_> = copies.collect();
    copies.sort_by(|one, other| listed(one.request).cmp(&listed(other.request)));
    copies
}

/// Returns the sort key of copies: the time or, without one, archive and answer, because an index has no order of them.
fn listed(request: &Request) -> impl Ord + '_ {
    let Request {
        fetched_at,
        location,
        answer,
        redirect,
        ..
    } = request;
    let undated = fetched_at
        .is_none()
        .then_some((&location.warc_filename, answer, redirect));
    (*fetched_at, undated)
}

impl CopyRole {
    fn of(at: Option<Timestamp>, pivot: Option<Timestamp>) -> Self {
        match at.zip(pivot).map(|(at, pivot)| at.cmp(&pivot)) {
            None => Self::Undated,
            Some(Ordering::Less) => Self::Earlier,
            Some(Ordering::Equal) => Self::SameTime,
            Some(Ordering::Greater) => Self::Later,
        }
    }
}

/// Returns the site files of a scenario; those of [`Scenario::site_files`] are numbered after the others.
pub fn site_index(scenario: &Scenario) -> FilesOfSites<GivenBodies> {
    let mut bodies = GivenBodies::default();
    let requests = scenario.robots.iter().chain(&scenario.site_files);
    let captures = requests.map(|request| SiteCapture {
        kind: request.kind,
        url: request.url.clone(),
        fetched_at: request.fetched_at,
        answer: request.answer,
        redirect: request.redirect.as_deref(),
        body: body(request, &mut bodies),
        validator: request.validator,
        segment: request.segment,
    });
    let captures: Vec<SiteCapture<'_>> = captures.collect();
    FilesOfSites::of_captures(bodies, captures)
}

/// Adds the body of a request, even an unreadable one, so that bodies have the numbers of their requests.
fn body(request: &Request, bodies: &mut GivenBodies) -> BodyState<SiteBody> {
    let bytes = match &request.body {
        BodyState::Body(bytes) => without_codings(request.kind, bytes),
        BodyState::Html | BodyState::Unreadable | BodyState::Missing => Cow::default(),
    };
    let sent = bodies.add(request.kind, &bytes, request.extent);
    match request.body {
        BodyState::Body(_) => sent,
        BodyState::Html => BodyState::Html,
        BodyState::Unreadable => BodyState::Unreadable,
        BodyState::Missing => BodyState::Missing,
    }
}

/// Undoes the same codings as an archive's reader (READ-1), if the crate has them.
#[cfg(feature = "archive")]
fn without_codings(kind: CaptureKind, body: &[u8]) -> Cow<'_, [u8]> {
    use crate::web::body_text::ReadAs;
    crate::evidence::body::plain(
        body,
        crate::evidence::SITE_FILE_BYTES,
        ReadAs::site_file(kind),
    )
}

#[cfg(not(feature = "archive"))]
fn without_codings(_: CaptureKind, body: &[u8]) -> Cow<'_, [u8]> {
    body.into()
}

/// Returns the requests for the site files that count, other than robots.txt.
pub fn site_files<'s>(scenario: &'s Scenario, site: &SiteCopies) -> Vec<&'s Request> {
    let number =
        |(_, body): (_, SiteBody)| (body.number as usize).checked_sub(scenario.robots.len());
    site.other_bodies()
        .filter_map(|body| scenario.site_files.get(number(body)?))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Request, Scenario, copies};
    use crate::verdict::timeline::FetchOutcome;
    use crate::web::capture_kind::CaptureKind;
    use crate::web::timestamp::Timestamp;
    use crate::web::url::PageUrl;

    #[test]
    fn local_copies_without_a_time_are_listed_by_their_answers() {
        let url = PageUrl::new(b"https://a.example/robots.txt")
            .expect("a URL")
            .into_owned();
        let request = |status, second: Option<i64>| {
            let at = second.and_then(|second| Timestamp::from_unix_micros(second * 1_000_000));
            Request {
                answer: FetchOutcome::Status(status),
                ..Request::new(CaptureKind::Robots, url.clone(), at)
            }
        };
        let given = [
            (200, Some(2)),
            (404, None),
            (301, None),
            (503, Some(2)),
            (200, Some(1)),
        ];
        let robots = given
            .map(|(status, second)| request(status, second))
            .to_vec();
        let scenario = Scenario {
            robots,
            ..Scenario::default()
        };
        // Two of one time keep their order, which decides which one counts.
        let listed = copies(&scenario, &url.origin(), None)
            .into_iter()
            .map(|copy| copy.copy);
        assert_eq!(listed.collect::<Vec<_>>(), [2, 1, 4, 0, 3]);
    }
}
