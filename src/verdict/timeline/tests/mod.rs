//! The edge cases of the timeline by name, and other site files: before, after, at once, too late, and without a date.

mod know;
mod redirects;

use super::{
    BodyState, CopyLimits, Current, FetchOutcome, FileCopies, MaxAge, RobotsState, SiteBody,
    SiteCapture, Timeline,
};
use crate::robots::Extent;
use crate::web::url::PageUrl;
use crate::web::{capture_kind::CaptureKind, origin::Origin, timestamp::Timestamp};
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

fn sent(number: Option<u32>) -> BodyState<SiteBody> {
    number
        .map(|number| SiteBody {
            number,
            extent: Extent::Whole,
        })
        .into()
}

fn number(body: Option<SiteBody>) -> Option<u32> {
    body.map(|body| body.number)
}

fn answered<'a>(url: &'a str, time: &str, answer: FetchOutcome) -> SiteCapture<'a> {
    let (kind, url, fetched_at, redirect) = (CaptureKind::RobotsHop, page_url(url), at(time), None);
    SiteCapture {
        kind,
        url,
        fetched_at,
        answer,
        redirect,
        body: BodyState::Missing,
        validator: None,
        segment: 0,
    }
}

fn status<'a>(url: &'a str, time: &str, status: u16) -> SiteCapture<'a> {
    answered(url, time, FetchOutcome::Status(status))
}

fn copy<'a>(url: &'a str, time: &str, body: u32) -> SiteCapture<'a> {
    SiteCapture {
        body: sent(Some(body)),
        ..status(url, time, 200)
    }
}

fn redirect<'a>(url: &'a str, time: &str, target: &'a str) -> SiteCapture<'a> {
    SiteCapture {
        redirect: Some(target),
        ..status(url, time, 301)
    }
}

fn undated(fetch: SiteCapture<'_>) -> SiteCapture<'_> {
    SiteCapture {
        fetched_at: None,
        ..fetch
    }
}

fn seen<'a>(
    fetches: impl IntoIterator<Item = SiteCapture<'a>>,
    page: &str,
    slack: Duration,
) -> Current {
    Timeline::new(fetches).current(
        &origin("http://a.test/"),
        at(page),
        CopyLimits::of_slack(slack),
    )
}

fn state<'a>(fetches: impl IntoIterator<Item = SiteCapture<'a>>) -> RobotsState {
    seen(fetches, "12:00:00", NO_SLACK).state
}

fn body<'a>(fetches: impl IntoIterator<Item = SiteCapture<'a>>) -> Option<u32> {
    number(seen(fetches, "12:00:00", NO_SLACK).body)
}

const ROBOTS: &str = "http://a.test/robots.txt";

#[test]
fn local_names_of_states_are_those_of_the_tables() {
    let names = "parsed unavailable unreachable redirect_unresolved other_status unreadable body_missing undated \
                 not_archived";
    assert_eq!(RobotsState::ALL.map(RobotsState::as_str).join(" "), names);
}

#[test]
fn rfc9309_2_3_1_answers_decide_the_state() {
    for (answer, kept, expected) in [
        (FetchOutcome::Status(200), Some(1), RobotsState::Parsed),
        (FetchOutcome::Status(206), Some(1), RobotsState::Parsed),
        (FetchOutcome::Status(200), None, RobotsState::BodyMissing),
        (FetchOutcome::Status(403), Some(1), RobotsState::Unavailable),
        (FetchOutcome::Status(429), None, RobotsState::Unavailable),
        (FetchOutcome::Status(503), Some(1), RobotsState::Unreachable),
        (FetchOutcome::NetworkError, None, RobotsState::Unreachable),
        (
            FetchOutcome::StatusUnreadable,
            Some(1),
            RobotsState::BodyMissing,
        ),
        (FetchOutcome::Status(100), None, RobotsState::OtherStatus),
        (FetchOutcome::Status(304), None, RobotsState::OtherStatus),
        (FetchOutcome::Status(999), Some(1), RobotsState::OtherStatus),
    ] {
        let capture = SiteCapture {
            body: sent(kept),
            ..answered(ROBOTS, "11:00:00", answer)
        };
        let found = seen([capture], "12:00:00", NO_SLACK);
        assert_eq!(found.state, expected, "{answer:?}");
        assert_eq!(
            number(found.body),
            kept.filter(|_| expected == RobotsState::Parsed),
            "{answer:?}"
        );
        assert_eq!(found.fetched_at, at("11:00:00"), "{answer:?}");
    }
}

/// AMB-TIME-2: the newest attempt counts, whatever an older copy said.
#[test]
fn rfc9309_2_3_1_4_unreachable_hides_an_older_copy() {
    let fetches = [copy(ROBOTS, "10:00:00", 1), status(ROBOTS, "11:00:00", 503)];
    assert_eq!(state(fetches.clone()), RobotsState::Unreachable);
    assert_eq!(number(seen(fetches, "10:30:00", NO_SLACK).body), Some(1));
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
        assert_eq!(
            state([copy(url, "11:00:00", 1)]),
            RobotsState::NotArchived,
            "{url}"
        );
    }
    for url in [
        "HTTP://A.test:80/robots.txt#x",
        "http://u:p@a.test/x/../robots.txt",
    ] {
        assert_eq!(body([copy(url, "11:00:00", 1)]), Some(1), "{url}");
    }
}

#[test]
fn local_no_capture_is_not_archived() {
    let found = seen([], "12:00:00", NO_SLACK);
    assert_eq!(
        (found, found.state),
        (Current::default(), RobotsState::NotArchived)
    );
    assert_eq!(
        (found.fetched_at, found.body, found.redirects),
        (None, None, 0)
    );
}

const FILE: &str = "http://a.test/automation-preferences.txt";

/// Captures of a site file, one after the other.
fn sorted<'a>(captures: impl IntoIterator<Item = SiteCapture<'a>>) -> Timeline {
    let of_file = |capture| SiteCapture {
        kind: CaptureKind::Automation,
        ..capture
    };
    Timeline::new(captures.into_iter().map(of_file))
}

/// The numbers of the newest body and of older ones that still count, and whether a body is not known.
type Copies = (Option<u32>, Vec<u32>, bool);

fn copies(files: &Timeline, url: &str, page: Option<Timestamp>) -> Copies {
    let found = files.copies(&origin(url), page, MaxAge::Unlimited);
    let earlier = found.earlier.iter().map(|body| body.number).collect();
    (number(found.current), earlier, found.is_unread)
}

/// KNOW-3: what is no file leaves the noes of the last one, and says that the file is not known now.
#[test]
fn know_3_the_newest_file_before_the_page_counts_until_something_else_is_said() {
    let files = sorted([
        status(FILE, "12:00:00", 404),
        copy(FILE, "10:00:00", 1),
        SiteCapture {
            answer: FetchOutcome::Status(206),
            ..copy(FILE, "11:00:00", 2)
        },
        status(FILE, "13:00:00", 200),
        SiteCapture {
            answer: FetchOutcome::Status(301),
            ..copy(FILE, "14:00:00", 4)
        },
        answered(FILE, "15:00:00", FetchOutcome::NetworkError),
        answered(FILE, "16:00:00", FetchOutcome::StatusUnreadable),
        copy(FILE, "17:00:00", 7),
        status(FILE, "18:00:00", 503),
        SiteCapture {
            body: BodyState::Html,
            ..status(FILE, "19:00:00", 200)
        },
        status(FILE, "20:00:00", 304),
    ]);
    for (page, expected) in [
        ("09:59:59", (None, vec![], false)),
        ("10:00:00", (Some(1), vec![], false)),
        ("11:59:59", (Some(2), vec![], false)),
        ("12:00:00", (None, vec![], false)),
        ("13:30:00", (None, vec![], true)),
        ("14:30:00", (None, vec![], true)),
        ("15:30:00", (None, vec![], true)),
        ("16:00:00", (None, vec![], true)),
        ("17:30:00", (Some(7), vec![], false)),
        ("18:30:00", (None, vec![7], true)),
        ("19:30:00", (None, vec![7], true)),
        ("20:30:00", (None, vec![7], true)),
    ] {
        assert_eq!(copies(&files, FILE, at(page)), expected, "{page}");
    }
    assert_eq!(
        files.copies(&origin("https://a.test"), at("16:00:00"), MaxAge::Unlimited),
        FileCopies::default()
    );
}

#[test]
fn local_without_dates_nothing_is_said() {
    let files = sorted([undated(copy(FILE, "10:00:00", 1))]);
    assert_eq!(copies(&files, FILE, at("12:00:00")), Copies::default());
    assert_eq!(
        copies(&sorted([copy(FILE, "10:00:00", 1)]), FILE, None),
        Copies::default()
    );
}

#[test]
fn amb_auto_10_a_redirect_to_the_same_file_elsewhere_is_followed_inside_the_inputs() {
    let https = "https://a.test/automation-preferences.txt";
    let files = sorted([
        redirect(FILE, "10:00:00", https),
        copy(https, "10:05:00", 1),
        copy(https, "11:00:00", 2),
        redirect(
            FILE,
            "12:00:00",
            "https://elsewhere.test/automation-preferences.txt",
        ),
        redirect(FILE, "13:00:00", FILE),
        redirect(FILE, "14:00:00", "https://a.test/ai.txt"),
    ]);
    for (page, expected) in [
        ("10:01:00", (Some(1), vec![], false)),
        ("11:30:00", (Some(2), vec![], false)),
        ("12:30:00", (None, vec![2], true)),
        ("13:30:00", (None, vec![2], true)),
        ("14:30:00", (None, vec![2], true)),
    ] {
        assert_eq!(copies(&files, FILE, at(page)), expected, "{page}");
    }
}

#[test]
fn amb_auto_10_five_redirects_are_followed_and_no_more() {
    let sites: Vec<String> = (0..7)
        .map(|site| format!("http://{site}.test/automation-preferences.txt"))
        .collect();
    for (redirects, expected) in [(5, Some(1)), (6, None)] {
        let hops = sites
            .windows(2)
            .take(redirects)
            .map(|pair| redirect(&pair[0], "10:00:00", &pair[1]));
        let files = sorted(hops.chain([copy(&sites[redirects], "10:00:00", 1)]));
        assert_eq!(
            copies(&files, &sites[0], at("11:00:00")).0,
            expected,
            "{redirects}"
        );
    }
}

#[test]
fn aipref_attach_3_3_the_newest_copy_at_or_before_the_page_counts() {
    let fetches = [
        copy(ROBOTS, "13:00:00", 3),
        copy(ROBOTS, "10:00:00", 1),
        copy(ROBOTS, "12:00:00", 2),
    ];
    for (page, expected) in [
        ("10:00:00", Some(1)),
        ("11:59:59", Some(1)),
        ("12:00:00", Some(2)),
        ("12:59:59", Some(2)),
        ("23:00:00", Some(3)),
    ] {
        assert_eq!(
            number(seen(fetches.clone(), page, NO_SLACK).body),
            expected,
            "{page}"
        );
    }
    assert_eq!(
        seen(fetches, "09:59:59", NO_SLACK).state,
        RobotsState::NotArchived
    );
}

#[test]
fn frame_9_of_copies_of_one_second_the_stricter_counts_and_of_files_the_last_one() {
    let fetches = [
        copy(ROBOTS, "11:00:00", 1),
        status(ROBOTS, "11:00:00", 404),
        copy(ROBOTS, "11:00:00", 2),
    ];
    assert_eq!(body(fetches.clone()), Some(2));
    let slack = Duration::from_hours(1);
    assert_eq!(
        number(seen(fetches.clone(), "10:30:00", slack).body),
        Some(2)
    );
    assert_eq!(body(fetches.clone().into_iter().rev()), Some(1));
    let timeline = Timeline::new(fetches.clone());
    let known = |timeline: &Timeline| {
        timeline.known(
            &origin(ROBOTS),
            at("12:00:00"),
            CopyLimits::of_slack(NO_SLACK),
        )
    };
    let one = (RobotsState::Parsed, Some(sent_body(1)));
    let none = (RobotsState::Unavailable, None);
    assert_eq!(known(&timeline).rivals, [none, one]);
    // The latest instant is current, and the other captures of its second count with their noes.
    let unreachable = fetches
        .into_iter()
        .chain([status(ROBOTS, "11:00:00.5", 503)]);
    let known = known(&Timeline::new(unreachable));
    assert_eq!(known.current.state, RobotsState::Unreachable);
    assert_eq!(
        known.rivals,
        [none, one, (RobotsState::Parsed, Some(sent_body(2)))]
    );
}

#[test]
fn frame_9_of_two_instants_of_one_second_the_later_is_current() {
    let early = copy(ROBOTS, "11:00:00.1", 1);
    for (late, expected) in [
        (
            copy(ROBOTS, "11:00:00.9", 2),
            (RobotsState::Parsed, Some(2)),
        ),
        (
            status(ROBOTS, "11:00:00.9", 404),
            (RobotsState::Unavailable, None),
        ),
    ] {
        for captures in [[early.clone(), late.clone()], [late.clone(), early.clone()]] {
            let known = Timeline::new(captures).known(
                &origin(ROBOTS),
                at("12:00:00"),
                CopyLimits::of_slack(NO_SLACK),
            );
            assert_eq!((known.current.state, number(known.current.body)), expected);
            assert_eq!(known.rivals, [(RobotsState::Parsed, Some(sent_body(1)))]);
        }
    }
}

fn sent_body(number: u32) -> SiteBody {
    SiteBody {
        number,
        extent: Extent::Whole,
    }
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
        let fetch = SiteCapture {
            fetched_at: Timestamp::new(copied.as_bytes()),
            ..copy(ROBOTS, "00:00:00", 1)
        };
        let found =
            Timeline::new([fetch]).current(&origin(ROBOTS), page, CopyLimits::of_slack(NO_SLACK));
        assert_eq!(
            (found.age_s, found.stale, found.after_page),
            (Some(age_s), stale, false),
            "{copied}"
        );
        assert_eq!(number(found.body), Some(1), "{copied}");
    }
}

/// A slack takes the first later copy and never replaces an earlier one; without one, the answer has the slack that would help. Undated
/// copies decide nothing and are not nothing. Ages are rounded so that their sign is right.
#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn local_a_later_copy_needs_a_slack_and_says_so() {
    use RobotsState::{NotArchived, Parsed, Undated, Unreachable};
    let [later, earliest] = [copy(ROBOTS, "13:00:00", 2), copy(ROBOTS, "12:00:00", 1)];
    let two = [later.clone(), earliest];
    let failed = [status(ROBOTS, "10:00:00", 503), later.clone()];
    let fraction = [copy(ROBOTS, "12:00:00.25", 3)];
    let lost = undated(copy(ROBOTS, "11:00:00", 4));
    let (lost_alone, lost_and_copy) = ([lost.clone()], [lost.clone(), copy(ROBOTS, "11:00:00", 5)]);
    let lost_and_later = [later, lost];
    let (none, one) = (NO_SLACK, Duration::from_secs(1));
    let [too_short, hour, three_hours] = [59, 60, 180].map(Duration::from_mins);
    for (captures, page, slack, state, body, age_s, slack_needed_s) in [
        (
            &two[..],
            "11:00:00",
            hour,
            Parsed,
            Some(1),
            Some(-3600),
            None,
        ),
        (
            &two,
            "11:00:00",
            too_short,
            NotArchived,
            None,
            None,
            Some(3600),
        ),
        (
            &two,
            "00:00:00",
            Duration::MAX,
            Parsed,
            Some(1),
            Some(-43_200),
            None,
        ),
        (
            &failed,
            "11:59:59",
            three_hours,
            Unreachable,
            None,
            Some(7199),
            None,
        ),
        (&fraction, "12:00:00", one, Parsed, Some(3), Some(-1), None),
        (
            &fraction,
            "12:00:00",
            none,
            NotArchived,
            None,
            None,
            Some(1),
        ),
        (&lost_alone, "12:00:00", none, Undated, None, None, None),
        (
            &lost_and_copy,
            "12:00:00",
            none,
            Parsed,
            Some(5),
            Some(3600),
            None,
        ),
        (
            &lost_and_later,
            "12:00:00",
            none,
            Undated,
            None,
            None,
            Some(3600),
        ),
        (
            &lost_and_later,
            "12:00:00",
            hour,
            Parsed,
            Some(2),
            Some(-3600),
            None,
        ),
    ] {
        let found = seen(captures.iter().cloned(), page, slack);
        assert_eq!(
            (found.state, number(found.body)),
            (state, body),
            "{page} {captures:?}"
        );
        assert_eq!(
            (found.age_s, found.slack_needed_s),
            (age_s, slack_needed_s),
            "{page} {captures:?}"
        );
        assert_eq!(
            found.after_page,
            age_s.is_some_and(|age_s| age_s < 0),
            "{page} {captures:?}"
        );
        assert_eq!(
            (found.fetched_at.is_some(), found.stale),
            (age_s.is_some(), false),
            "{page}"
        );
    }
    let timeline = Timeline::new(two);
    let state = |site| {
        timeline
            .current(&origin(site), None, CopyLimits::of_slack(hour))
            .state
    };
    assert_eq!(
        (state(ROBOTS), state("http://b.test")),
        (Undated, NotArchived)
    );
}

#[test]
fn local_captures_may_come_in_several_rounds() {
    let mut timeline = Timeline::new([
        copy(ROBOTS, "11:00:00", 1),
        copy("http://b.test/robots.txt", "11:00:00", 9),
    ]);
    timeline.add(&copy(ROBOTS, "11:00:00", 3), 3);
    timeline.add(&copy(ROBOTS, "10:00:00", 2), 2);
    timeline.sort();
    assert_eq!(
        number(
            timeline
                .current(
                    &origin(ROBOTS),
                    at("12:00:00"),
                    CopyLimits::of_slack(NO_SLACK)
                )
                .body
        ),
        Some(3)
    );
    assert_eq!(
        number(
            timeline
                .current(
                    &origin(ROBOTS),
                    at("10:00:00"),
                    CopyLimits::of_slack(NO_SLACK)
                )
                .body
        ),
        Some(2)
    );
}
