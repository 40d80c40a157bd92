//! Before, after, at once, too late, and without a date.

use super::*;

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
