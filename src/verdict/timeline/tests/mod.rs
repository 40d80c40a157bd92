//! The edge cases of the timeline by name, and other site files: before, after, at once, too late, and without a date.

mod redirects;

use super::{Answer, Current, Fetch, RobotsState, Sent, Timeline};
use crate::verdict::timeline::{SiteFileFetch, SiteFileState, SiteFiles};
use crate::web::origin::Origin;
use crate::web::timestamp::Timestamp;
use crate::web::url::PageUrl;
use std::time::Duration;

const NO_SLACK: Duration = Duration::ZERO;

/// A time of the day of all cases, `hh:mm:ss`.
fn at(time: &str) -> Option<Timestamp> {
    let at = Timestamp::new(format!("2026-08-10T{time}Z").as_bytes());
    assert!(at.is_some(), "{time}");
    at
}

fn page_url(text: &str) -> PageUrl<'_> {
    PageUrl::new(text.as_bytes()).expect("a URL of the table")
}

fn origin(text: &str) -> Origin {
    page_url(text).origin()
}

fn answered<'a>(url: &'a str, time: &str, answer: Answer) -> Fetch<'a, u32> {
    let (url, fetched_at, redirect, body) = (page_url(url), at(time), None, Sent::Missing);
    Fetch { url, fetched_at, answer, redirect, body, segment: 0, is_page: false }
}

fn status<'a>(url: &'a str, time: &str, status: u16) -> Fetch<'a, u32> {
    answered(url, time, Answer::Status(status))
}

fn copy<'a>(url: &'a str, time: &str, body: u32) -> Fetch<'a, u32> {
    Fetch { body: Sent::Body(body), ..status(url, time, 200) }
}

fn redirect<'a>(url: &'a str, time: &str, target: &'a str) -> Fetch<'a, u32> {
    Fetch { redirect: Some(target), ..status(url, time, 301) }
}

fn undated(fetch: Fetch<'_, u32>) -> Fetch<'_, u32> {
    Fetch { fetched_at: None, ..fetch }
}

fn seen<'a>(fetches: impl IntoIterator<Item = Fetch<'a, u32>>, page: &str, slack: Duration) -> Current<u32> {
    Timeline::new(fetches).current(&origin("http://a.test/"), at(page), slack)
}

fn state<'a>(fetches: impl IntoIterator<Item = Fetch<'a, u32>>) -> RobotsState {
    seen(fetches, "12:00:00", NO_SLACK).state
}

fn body<'a>(fetches: impl IntoIterator<Item = Fetch<'a, u32>>) -> Option<u32> {
    seen(fetches, "12:00:00", NO_SLACK).body
}

const ROBOTS: &str = "http://a.test/robots.txt";

#[test]
fn local_names_of_states_are_those_of_the_tables() {
    let names = RobotsState::ALL.map(RobotsState::as_str);
    let expected = [
        "parsed",
        "unavailable",
        "unreachable",
        "redirect_unresolved",
        "other_status",
        "unreadable",
        "body_missing",
        "undated",
        "not_archived",
    ];
    assert_eq!(names, expected);
}

#[test]
fn rfc9309_2_3_1_answers_decide_the_state() {
    for (answer, kept, expected) in [
        (Answer::Status(200), Some(1), RobotsState::Parsed),
        (Answer::Status(206), Some(1), RobotsState::Parsed),
        (Answer::Status(200), None, RobotsState::BodyMissing),
        (Answer::Status(403), Some(1), RobotsState::Unavailable),
        (Answer::Status(429), None, RobotsState::Unavailable),
        (Answer::Status(503), Some(1), RobotsState::Unreachable),
        (Answer::NetworkError, None, RobotsState::Unreachable),
        (Answer::StatusUnreadable, Some(1), RobotsState::BodyMissing),
        (Answer::Status(100), None, RobotsState::OtherStatus),
        (Answer::Status(304), None, RobotsState::OtherStatus),
        (Answer::Status(999), Some(1), RobotsState::OtherStatus),
    ] {
        let found =
            seen([Fetch { body: kept.into(), ..answered(ROBOTS, "11:00:00", answer) }], "12:00:00", NO_SLACK);
        assert_eq!(found.state, expected, "{answer:?}");
        assert_eq!(found.body, kept.filter(|_| expected == RobotsState::Parsed), "{answer:?}");
        assert_eq!(found.fetched_at, at("11:00:00"), "{answer:?}");
    }
}

/// AMB-TIME-2: the newest attempt counts, whatever an older copy said.
#[test]
fn rfc9309_2_3_1_4_unreachable_hides_an_older_copy() {
    let fetches = [copy(ROBOTS, "10:00:00", 1), status(ROBOTS, "11:00:00", 503)];
    assert_eq!(state(fetches.clone()), RobotsState::Unreachable);
    assert_eq!(seen(fetches, "10:30:00", NO_SLACK).body, Some(1));
}

#[test]
fn rfc9309_2_3_a_file_applies_to_one_origin() {
    for url in [
        "https://a.test/robots.txt",
        "http://www.a.test/robots.txt",
        "http://a.test:8080/robots.txt",
        "http://a.test./robots.txt",
        "http://a.test/ROBOTS.TXT",
        "http://a.test/robots.txt?x",
        "http://a.test/x/robots.txt",
        "http://a.test/",
    ] {
        assert_eq!(state([copy(url, "11:00:00", 1)]), RobotsState::NotArchived, "{url}");
    }
    for url in ["HTTP://A.test:80/robots.txt#x", "http://u:p@a.test/x/../robots.txt"] {
        assert_eq!(body([copy(url, "11:00:00", 1)]), Some(1), "{url}");
    }
}

#[test]
fn local_no_capture_is_not_archived() {
    let expected = Current {
        state: RobotsState::NotArchived,
        fetched_at: None,
        age_s: None,
        after_page: false,
        stale: false,
        body: None,
        redirects: 0,
        slack_needed_s: None,
    };
    assert_eq!(seen([], "12:00:00", NO_SLACK), expected);
}

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

fn file_redirect(time: &str, from: &str, to: &str) -> SiteFileFetch<u32> {
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
        file_redirect("10:00:00", "http://a.test", "https://a.test"),
        https("10:05:00", 1),
        https("11:00:00", 2),
        file_redirect("12:00:00", "http://a.test", "https://elsewhere.test"),
        file_redirect("13:00:00", "http://a.test", "http://a.test"),
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
        let mut fetches: Vec<_> = (0..redirects)
            .map(|number| file_redirect("10:00:00", &site(number), &site(number + 1)))
            .collect();
        let file = fetch("10:00:00", Answer::Status(200), Some(1));
        fetches.push(SiteFileFetch { origin: origin(&site(redirects)), ..file });
        assert_eq!(sorted(&fetches).current(&origin(&site(0)), at("11:00:00")).state, state, "{redirects}");
    }
}

#[test]
fn aipref_attach_3_3_the_newest_copy_at_or_before_the_page_counts() {
    let fetches = [copy(ROBOTS, "13:00:00", 3), copy(ROBOTS, "10:00:00", 1), copy(ROBOTS, "12:00:00", 2)];
    for (page, expected) in [
        ("10:00:00", Some(1)),
        ("11:59:59", Some(1)),
        ("12:00:00", Some(2)),
        ("12:59:59", Some(2)),
        ("23:00:00", Some(3)),
    ] {
        assert_eq!(seen(fetches.clone(), page, NO_SLACK).body, expected, "{page}");
    }
    assert_eq!(seen(fetches, "09:59:59", NO_SLACK).state, RobotsState::NotArchived);
}

#[test]
fn frame_9_of_copies_of_one_second_the_stricter_counts_and_of_files_the_last_one() {
    let fetches = [copy(ROBOTS, "11:00:00", 1), status(ROBOTS, "11:00:00", 404), copy(ROBOTS, "11:00:00", 2)];
    assert_eq!(body(fetches.clone()), Some(2));
    let slack = Duration::from_hours(1);
    assert_eq!(seen(fetches.clone(), "10:30:00", slack).body, Some(2));
    assert_eq!(body(fetches.clone().into_iter().rev()), Some(1));
    let timeline = Timeline::new(fetches.clone());
    assert_eq!(timeline.current_and_rivals(&origin(ROBOTS), at("12:00:00"), NO_SLACK).1, [1]);
    let unreachable = fetches.into_iter().chain([status(ROBOTS, "11:00:00.5", 503)]);
    let timeline = Timeline::new(unreachable);
    let (current, rivals) = timeline.current_and_rivals(&origin(ROBOTS), at("12:00:00"), NO_SLACK);
    assert_eq!((current.state, rivals), (RobotsState::Unreachable, Vec::new()));
}

#[test]
fn rfc9309_2_4_a_copy_is_stale_after_24_hours_exactly() {
    let page = at("12:00:00");
    for (copied, age_s, stale) in [
        ("2026-08-09T12:00:00Z", 86_400, false),
        ("2026-08-09T11:59:59.999999Z", 86_400, true),
        ("2026-08-09T11:59:59Z", 86_401, true),
        ("2026-08-10T11:59:59.5Z", 0, false),
    ] {
        let fetch = Fetch { fetched_at: Timestamp::new(copied.as_bytes()), ..copy(ROBOTS, "00:00:00", 1) };
        let found = Timeline::new([fetch]).current(&origin(ROBOTS), page, NO_SLACK);
        assert_eq!((found.age_s, found.stale, found.after_page), (Some(age_s), stale, false), "{copied}");
        assert_eq!(found.body, Some(1), "{copied}");
    }
}

#[test]
fn local_slack_takes_the_first_later_copy_and_says_so() {
    let fetches = [copy(ROBOTS, "13:00:00", 2), copy(ROBOTS, "12:00:00", 1)];
    let found = seen(fetches.clone(), "11:00:00", Duration::from_hours(1));
    assert_eq!((found.body, found.fetched_at), (Some(1), at("12:00:00")));
    assert_eq!((found.age_s, found.after_page, found.stale), (Some(-3600), true, false));
    assert_eq!(found.slack_needed_s, None);

    let found = seen(fetches.clone(), "11:00:00", Duration::from_mins(59));
    assert_eq!((found.state, found.fetched_at), (RobotsState::NotArchived, None));
    assert_eq!((found.age_s, found.slack_needed_s), (None, Some(3600)));
    assert_eq!(seen(fetches, "00:00:00", Duration::MAX).body, Some(1));
}

#[test]
fn local_slack_never_replaces_an_earlier_copy() {
    let fetches = [status(ROBOTS, "10:00:00", 503), copy(ROBOTS, "12:00:00", 1)];
    let found = seen(fetches, "11:59:59", Duration::from_hours(3));
    assert_eq!((found.state, found.after_page), (RobotsState::Unreachable, false));
}

#[test]
fn local_fractions_of_a_second_are_rounded_so_that_the_sign_is_right() {
    let later =
        Fetch { fetched_at: Timestamp::new(b"2026-08-10T12:00:00.25Z"), ..copy(ROBOTS, "00:00:00", 1) };
    let found = seen([later.clone()], "12:00:00", Duration::from_secs(1));
    assert_eq!((found.age_s, found.after_page), (Some(-1), true));
    assert_eq!(seen([later], "12:00:00", NO_SLACK).slack_needed_s, Some(1));
}

#[test]
fn local_undated_copies_decide_nothing_and_are_not_nothing() {
    let lost = undated(copy(ROBOTS, "11:00:00", 1));
    let found = seen([lost.clone()], "12:00:00", NO_SLACK);
    assert_eq!((found.state, found.body, found.fetched_at), (RobotsState::Undated, None, None));
    assert_eq!(body([lost.clone(), copy(ROBOTS, "11:00:00", 2)]), Some(2));

    let with_later = [copy(ROBOTS, "13:00:00", 3), lost];
    let found = seen(with_later.clone(), "12:00:00", NO_SLACK);
    assert_eq!((found.state, found.slack_needed_s), (RobotsState::Undated, Some(3600)));
    assert_eq!(seen(with_later, "12:00:00", Duration::from_hours(1)).body, Some(3));
}

#[test]
fn local_page_without_a_date_has_no_current_copy() {
    let timeline = Timeline::new([copy(ROBOTS, "11:00:00", 1)]);
    let slack = Duration::from_hours(1);
    assert_eq!(timeline.current(&origin(ROBOTS), None, slack).state, RobotsState::Undated);
    let elsewhere = timeline.current(&origin("http://b.test"), None, slack);
    assert_eq!(elsewhere.state, RobotsState::NotArchived);
}

#[test]
fn local_captures_may_come_in_several_rounds() {
    let mut timeline =
        Timeline::new([copy(ROBOTS, "11:00:00", 1), copy("http://b.test/robots.txt", "11:00:00", 9)]);
    timeline.add(&copy(ROBOTS, "11:00:00", 3), 3);
    timeline.add(&copy(ROBOTS, "10:00:00", 2), 2);
    timeline.sort();
    assert_eq!(timeline.current(&origin(ROBOTS), at("12:00:00"), NO_SLACK).body, Some(3));
    assert_eq!(timeline.current(&origin(ROBOTS), at("10:00:00"), NO_SLACK).body, Some(2));
}
