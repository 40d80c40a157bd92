//! Site files other than robots.txt.

use super::*;
use crate::verdict::timeline::{SiteFileFetch, SiteFileState, SiteFiles};

fn fetch(time: &str, answer: Answer, body: Option<u32>) -> SiteFileFetch<u32> {
    let origin = origin("http://a.test/ai.txt");
    SiteFileFetch { origin, fetched_at: at(time), answer, redirect: None, body: body.into() }
}

fn sorted(fetches: &[SiteFileFetch<u32>]) -> SiteFiles<u32> {
    let mut files = SiteFiles::default();
    for (order, fetch) in (0..).zip(fetches) {
        files.add(fetch, order);
    }
    files.sort();
    files
}

#[test]
fn local_the_newest_answer_before_the_page_counts_or_states_nothing() {
    let files = sorted(&[
        fetch("12:00:00", Answer::Status(404), None),
        fetch("10:00:00", Answer::Status(200), Some(1)),
        fetch("11:00:00", Answer::Status(206), Some(2)),
        fetch("13:00:00", Answer::Status(200), None),
        fetch("14:00:00", Answer::Status(301), Some(4)),
        fetch("15:00:00", Answer::NetworkError, None),
    ]);
    for (page, state, copied, body) in [
        ("09:59:59", SiteFileState::NotArchived, None, None),
        ("10:00:00", SiteFileState::Speaks, at("10:00:00"), Some(1)),
        ("11:59:59", SiteFileState::Speaks, at("11:00:00"), Some(2)),
        ("12:00:00", SiteFileState::Silent, at("12:00:00"), None),
        ("13:30:00", SiteFileState::BodyMissing, at("13:00:00"), None),
        ("14:30:00", SiteFileState::Silent, at("14:00:00"), None),
        ("15:30:00", SiteFileState::Silent, at("15:00:00"), None),
    ] {
        let found = files.current(&origin("http://a.test"), at(page));
        assert_eq!((found.state, found.fetched_at, found.body), (state, copied, body), "{page}");
    }
    let elsewhere = files.current(&origin("https://a.test"), at("16:00:00"));
    assert_eq!(elsewhere.state, SiteFileState::NotArchived);
}

#[test]
fn local_without_dates_nothing_is_said() {
    let lost = SiteFileFetch { fetched_at: None, ..fetch("10:00:00", Answer::Status(200), Some(1)) };
    let files = sorted(&[lost]);
    assert_eq!(files.current(&origin("http://a.test"), at("12:00:00")).state, SiteFileState::Undated);
    let files = sorted(&[fetch("10:00:00", Answer::Status(200), Some(1))]);
    assert_eq!(files.current(&origin("http://a.test"), None).state, SiteFileState::Undated);
    assert_eq!(files.current(&origin("http://b.test"), None).state, SiteFileState::NotArchived);
}

fn redirect(time: &str, from: &str, to: &str) -> SiteFileFetch<u32> {
    let fetch = fetch(time, Answer::Status(301), None);
    SiteFileFetch { origin: origin(from), redirect: Some(origin(to)), ..fetch }
}

#[test]
fn amb_auto_10_a_redirect_to_the_same_file_elsewhere_is_followed_inside_the_inputs() {
    let https = |time: &str, body: u32| SiteFileFetch {
        origin: origin("https://a.test"),
        ..fetch(time, Answer::Status(200), Some(body))
    };
    let files = sorted(&[
        redirect("10:00:00", "http://a.test", "https://a.test"),
        https("10:05:00", 1),
        https("11:00:00", 2),
        redirect("12:00:00", "http://a.test", "https://elsewhere.test"),
        redirect("13:00:00", "http://a.test", "http://a.test"),
    ]);
    for (page, state, body) in [
        ("10:01:00", SiteFileState::Speaks, Some(1)),
        ("11:30:00", SiteFileState::Speaks, Some(2)),
        ("12:30:00", SiteFileState::Silent, None),
        ("13:30:00", SiteFileState::Silent, None),
    ] {
        let found = files.current(&origin("http://a.test"), at(page));
        assert_eq!((found.state, found.body), (state, body), "{page}");
    }
}

#[test]
fn amb_auto_10_five_redirects_are_followed_and_no_more() {
    let site = |number: usize| format!("http://{number}.test");
    for (redirects, state) in [(5, SiteFileState::Speaks), (6, SiteFileState::Silent)] {
        let mut fetches: Vec<_> =
            (0..redirects).map(|number| redirect("10:00:00", &site(number), &site(number + 1))).collect();
        let file = fetch("10:00:00", Answer::Status(200), Some(1));
        fetches.push(SiteFileFetch { origin: origin(&site(redirects)), ..file });
        assert_eq!(sorted(&fetches).current(&origin(&site(0)), at("11:00:00")).state, state, "{redirects}");
    }
}
