//! What a file said before, by answers that do not end it, and how old a copy may be (KNOW-3, KNOW-5).

use super::super::{
    BodyState, CopyLimits, CountsFor, FetchOutcome, MaxAge, NoesOnly, RobotsState, SiteBody,
    SiteCapture, Timeline, Validator,
};
use super::{
    FILE, NO_SLACK, ROBOTS, answered, at, body, copy, number, origin, page_url, redirect, sent,
    sent_body, sorted, status,
};
use crate::robots::Extent;
use crate::web::timestamp::Timestamp;
use std::time::Duration;

#[test]
fn know_3_each_answer_ends_what_was_said_or_leaves_its_noes() {
    use RobotsState::{
        BodyMissing, OtherStatus, Parsed, RedirectUnresolved, Unavailable, Unreachable,
    };
    let old = || copy(ROBOTS, "10:00:00", 1);
    let cut = BodyState::Body(SiteBody {
        number: 2,
        extent: Extent::CutOff,
    });
    let stored = SiteCapture {
        answer: FetchOutcome::Stored,
        ..copy(ROBOTS, "11:00:00", 2)
    };
    let answer = |code| status(ROBOTS, "11:00:00", code);
    let labels = CountsFor::Labels;
    let access = CountsFor::AccessAndLabels;
    for (newer, state, earlier, counts_for) in [
        (copy(ROBOTS, "11:00:00", 2), Parsed, &[][..], access),
        (answer(404), Unavailable, &[], labels),
        (answer(410), Unavailable, &[], labels),
        (answer(401), Unavailable, &[1], labels),
        (answer(403), Unavailable, &[1], labels),
        (answer(429), Unavailable, &[1], labels),
        (answer(503), Unreachable, &[1], access),
        (
            answered(ROBOTS, "11:00:00", FetchOutcome::NetworkError),
            Unreachable,
            &[1],
            access,
        ),
        (
            redirect(ROBOTS, "11:00:00", "http://nowhere.test/"),
            RedirectUnresolved,
            &[1],
            access,
        ),
        (answer(200), BodyMissing, &[1], access),
        (
            SiteCapture {
                body: BodyState::Unreadable,
                ..answer(200)
            },
            RobotsState::Unreadable,
            &[1],
            access,
        ),
        (
            SiteCapture {
                body: cut,
                ..answer(200)
            },
            Parsed,
            &[1],
            access,
        ),
        (answer(304), OtherStatus, &[1], access),
        (stored, Parsed, &[1], access),
    ] {
        let timeline = Timeline::new([old(), newer.clone()]);
        let known = timeline.known(
            &origin(ROBOTS),
            at("12:00:00"),
            CopyLimits::of_slack(NO_SLACK),
        );
        let bodies: Vec<u32> = known.earlier.iter().map(|body| body.number).collect();
        assert_eq!(
            (known.current.state, bodies.as_slice()),
            (state, earlier),
            "{newer:?}"
        );
        // A body that came is known, and its extent says whether it is cut.
        let is_unread = !earlier.is_empty() && known.current.body.is_none();
        assert_eq!(
            (known.is_unread, known.earlier_for),
            (is_unread, counts_for),
            "{newer:?}"
        );
    }
}

#[test]
fn know_3_a_304_with_the_validator_of_a_body_is_a_copy_of_it() {
    let with = |etag: &str, capture| SiteCapture {
        validator: Validator::new(etag),
        ..capture
    };
    let first = || with("\"v1\"", copy(ROBOTS, "09:00:00", 1));
    let second = || with("W/\"v2\"", copy(ROBOTS, "10:00:00", 2));
    let unchanged = |etag| with(etag, status(ROBOTS, "11:00:00", 304));
    for (etag, expected) in [
        ("\"v2\"", (Some(2), false)),
        ("\"v1\"", (Some(1), false)),
        ("\"v3\"", (None, true)),
        ("", (None, true)),
    ] {
        let timeline = Timeline::new([first(), unchanged(etag), second()]);
        let known = timeline.known(
            &origin(ROBOTS),
            at("12:00:00"),
            CopyLimits::of_slack(NO_SLACK),
        );
        assert_eq!(
            (number(known.current.body), known.is_unread),
            expected,
            "{etag}"
        );
        assert_eq!(known.current.fetched_at, at("11:00:00"), "{etag}");
        let earlier: Vec<u32> = known.earlier.iter().map(|body| body.number).collect();
        assert_eq!(earlier, if expected.1 { vec![2] } else { vec![] }, "{etag}");
    }
    // Of two files of one second it is not known which one is meant.
    let rivals = ["09:00:00.2", "09:00:00.7"].map(|time| with("\"v1\"", copy(ROBOTS, time, 1)));
    let [one, mut other] = rivals;
    other.body = sent(Some(3));
    let known = Timeline::new([one.clone(), other.clone(), unchanged("\"v1\"")]).known(
        &origin(ROBOTS),
        at("12:00:00"),
        CopyLimits::of_slack(NO_SLACK),
    );
    let mut earlier: Vec<u32> = known.earlier.iter().map(|body| body.number).collect();
    earlier.sort_unstable();
    assert_eq!((number(known.current.body), known.is_unread), (None, true));
    assert_eq!(earlier, [1, 3]);
    // A later one is.
    let later = with("\"v1\"", copy(ROBOTS, "10:00:00", 4));
    let known = Timeline::new([one, other, later, unchanged("\"v1\"")]).known(
        &origin(ROBOTS),
        at("12:00:00"),
        CopyLimits::of_slack(NO_SLACK),
    );
    assert_eq!(number(known.current.body), Some(4));
    // Nothing is known of a file that a 304 alone confirms.
    let known = Timeline::new([unchanged("\"v1\"")]).known(
        &origin(ROBOTS),
        at("12:00:00"),
        CopyLimits::of_slack(NO_SLACK),
    );
    assert!(known.is_unread && known.current.state == RobotsState::OtherStatus);
    // A revisit whose body is proved by the archive.
    let proved = SiteCapture {
        body: sent(Some(1)),
        ..status(ROBOTS, "11:00:00", 304)
    };
    assert_eq!(body([copy(ROBOTS, "10:00:00", 1), proved]), Some(1));
}

#[test]
fn know_3_a_chain_of_redirects_goes_back_to_the_last_file_of_its_target() {
    const TARGET: &str = "https://a.test/robots.txt";
    let known = |captures: Vec<SiteCapture<'static>>| {
        let known = Timeline::new(captures).known(
            &origin(ROBOTS),
            at("12:00:00"),
            CopyLimits::of_slack(NO_SLACK),
        );
        let earlier: Vec<u32> = known.earlier.iter().map(|body| body.number).collect();
        (known.current.state, earlier)
    };
    let hop = || redirect(ROBOTS, "11:00:00", TARGET);
    let failed = || {
        vec![
            hop(),
            copy(TARGET, "10:00:00", 1),
            status(TARGET, "11:00:01", 503),
        ]
    };
    assert_eq!(known(failed()), (RobotsState::Unreachable, vec![1]));
    let own = copy(ROBOTS, "09:00:00", 2);
    assert_eq!(
        known([failed(), vec![own.clone()]].concat()),
        (RobotsState::Unreachable, vec![1])
    );
    let nowhere = vec![hop(), own, status(TARGET, "11:00:01", 503)];
    assert_eq!(known(nowhere), (RobotsState::Unreachable, vec![2]));
    let gone = vec![
        hop(),
        copy(TARGET, "10:00:00", 1),
        status(TARGET, "11:00:01", 404),
    ];
    assert_eq!(known(gone), (RobotsState::Unavailable, vec![]));
}

#[test]
fn know_5_a_copy_of_more_than_the_age_proves_no_yes() {
    let limits = |max_age| CopyLimits {
        max_age,
        ..CopyLimits::default()
    };
    let days = |days: u64| MaxAge::Of(Duration::from_secs(days * 86_400));
    let old = || SiteCapture {
        fetched_at: Timestamp::new(b"2026-05-12T12:00:00Z"),
        ..copy(ROBOTS, "12:00:00", 1)
    };
    let timeline = Timeline::new([old()]);
    let files = sorted([SiteCapture {
        url: page_url(FILE),
        ..old()
    }]);
    for (page, max_age, expected) in [
        ("12:00:00", days(90), None),
        ("12:00:00.1", days(90), Some(NoesOnly::TooOld)),
        ("12:00:00.1", days(91), None),
        ("12:00:00.1", MaxAge::Unlimited, None),
        ("12:00:00.1", MaxAge::default(), Some(NoesOnly::TooOld)),
    ] {
        let current = timeline.current(&origin(ROBOTS), at(page), limits(max_age));
        assert_eq!(
            (current.noes_only, number(current.body)),
            (expected, Some(1)),
            "{page} {max_age:?}"
        );
        let copies = files.copies(&origin(FILE), at(page), max_age);
        assert_eq!(
            (copies.noes_only, number(copies.current)),
            (expected, Some(1)),
            "{page} {max_age:?}"
        );
    }
}

#[test]
fn know_5_beside_a_stale_copy_the_one_within_the_slack_counts() {
    let stale = SiteCapture {
        fetched_at: Timestamp::new(b"2026-08-09T06:00:00Z"),
        ..copy(ROBOTS, "06:00:00", 1)
    };
    let fresh = copy(ROBOTS, "06:00:00", 1);
    let later = || copy(ROBOTS, "13:00:00", 2);
    for (earlier, slack, expected) in [
        (
            stale.clone(),
            Duration::from_hours(1),
            vec![(RobotsState::Parsed, Some(sent_body(2)))],
        ),
        (stale, Duration::from_mins(59), vec![]),
        (fresh, Duration::from_hours(1), vec![]),
    ] {
        let timeline = Timeline::new([earlier, later()]);
        let known = timeline.known(&origin(ROBOTS), at("12:00:00"), CopyLimits::of_slack(slack));
        assert_eq!(
            (number(known.current.body), known.rivals),
            (Some(1), expected),
            "{slack:?}"
        );
    }
}
