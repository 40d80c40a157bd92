//! Redirects of robots.txt: how far, where to, and which capture of the target.

use super::*;

const HOP: &str = "11:00:00";

const URLS: [&str; 8] = [
    ROBOTS,
    "http://a.test/r1",
    "http://b.test/r2",
    "https://b.test/r3",
    "http://a.test/r4",
    "http://a.test/r5",
    "http://a.test/r6",
    "http://a.test/r7",
];

fn chain_of(redirects: usize) -> Vec<SiteCapture<'static>> {
    let hops = URLS
        .windows(2)
        .take(redirects)
        .map(|pair| redirect(pair[0], HOP, pair[1]));
    hops.chain([copy(URLS[redirects], HOP, 7)]).collect()
}

#[test]
fn rfc9309_2_3_1_2_five_redirects_are_followed() {
    for redirects in 0..=5_u8 {
        let found = seen(chain_of(redirects.into()), "12:00:00", NO_SLACK);
        assert_eq!(
            (found.state, number(found.body)),
            (RobotsState::Parsed, Some(7)),
            "{redirects}"
        );
        assert_eq!(
            (found.redirects, found.too_many_redirects()),
            (redirects, false)
        );
    }
}

/// The reported requests are exactly those of the chain.
#[test]
fn local_hops_are_the_copy_and_what_its_redirects_lead_to() {
    for redirects in 0..=5 {
        let fetches = chain_of(redirects);
        let timeline = Timeline::new(fetches.clone());
        let hops = timeline.hops(
            &origin(ROBOTS),
            at("12:00:00"),
            CopyLimits::of_slack(NO_SLACK),
        );
        assert_eq!(hops.len(), redirects + 1);
        for (hop, fetch) in hops.iter().zip(&fetches) {
            assert!(timeline.is_of(hop, &fetch.url) && Some(hop.fetched_at) == fetch.fetched_at);
        }
    }
    let timeline = Timeline::new([
        redirect(ROBOTS, HOP, "http://b.test/r"),
        copy(ROBOTS, "13:00:00", 1),
    ]);
    let count = |page, slack| {
        timeline
            .hops(&origin(ROBOTS), at(page), CopyLimits::of_slack(slack))
            .len()
    };
    assert_eq!(
        (count("12:00:00", NO_SLACK), count("13:00:00", NO_SLACK)),
        (1, 1)
    );
    assert_eq!(
        (
            count("10:59:59", NO_SLACK),
            count("10:59:59", Duration::from_secs(1))
        ),
        (0, 1)
    );
    assert_eq!(
        timeline.hops(&origin(ROBOTS), None, CopyLimits::of_slack(NO_SLACK)),
        []
    );
}

/// AMB-REP-8: more than five may be treated as unavailable, and are, whether or not the sixth target exists.
#[test]
fn rfc9309_2_3_1_2_more_than_five_redirects_are_unavailable() {
    let without_end: Vec<_> = chain_of(6).into_iter().take(6).collect();
    for fetches in [chain_of(6), chain_of(7), without_end] {
        let found = seen(fetches, "12:00:00", NO_SLACK);
        assert_eq!(
            (found.state, number(found.body)),
            (RobotsState::Unavailable, None)
        );
        assert_eq!((found.redirects, found.too_many_redirects()), (6, true));
    }
}

#[test]
fn rfc9309_2_3_1_2_the_rules_hold_for_the_first_origin_at_the_first_time() {
    let fetches = [
        redirect(ROBOTS, HOP, "https://b.test/robots.txt"),
        copy("https://b.test/robots.txt", "11:00:05", 1),
    ];
    let timeline = Timeline::new(fetches);
    let found = timeline.current(
        &origin(ROBOTS),
        at("11:00:10"),
        CopyLimits::of_slack(NO_SLACK),
    );
    assert_eq!(
        (number(found.body), found.fetched_at, found.age_s),
        (Some(1), at(HOP), Some(10))
    );
    let own = timeline.current(
        &origin("https://b.test"),
        at("11:00:10"),
        CopyLimits::of_slack(NO_SLACK),
    );
    assert_eq!(
        (number(own.body), own.fetched_at, own.redirects),
        (Some(1), at("11:00:05"), 0)
    );
}

/// A target outside the inputs, or one that is no web page, is unresolved. 300 and 304 are no redirects here, and a `Location`
/// with another status does not matter. A loop has too many redirects.
#[test]
fn rfc9309_2_3_1_a_chain_ends_with_the_last_answer() {
    let (r, to_b) = ("http://b.test/r", |target| redirect(ROBOTS, HOP, target));
    let with_location = |code| SiteCapture {
        redirect: Some(r),
        ..status(ROBOTS, HOP, code)
    };
    for (captures, state, redirects) in [
        (
            vec![to_b(r), status(r, HOP, 404)],
            RobotsState::Unavailable,
            1,
        ),
        (
            vec![to_b(r), status(r, HOP, 500)],
            RobotsState::Unreachable,
            1,
        ),
        (
            vec![to_b(r), status(r, HOP, 304)],
            RobotsState::OtherStatus,
            1,
        ),
        (
            vec![to_b(r), status(r, HOP, 200)],
            RobotsState::BodyMissing,
            1,
        ),
        (
            vec![to_b("http://b.test"), status("http://b.test/", HOP, 200)],
            RobotsState::BodyMissing,
            1,
        ),
        (vec![to_b(r)], RobotsState::RedirectUnresolved, 1),
        (
            vec![status(ROBOTS, HOP, 301)],
            RobotsState::RedirectUnresolved,
            0,
        ),
        (
            vec![to_b("mailto:x@b.test")],
            RobotsState::RedirectUnresolved,
            0,
        ),
        (
            vec![to_b("ftp://b.test/robots.txt")],
            RobotsState::RedirectUnresolved,
            0,
        ),
        (vec![to_b("http://")], RobotsState::RedirectUnresolved, 0),
        (
            vec![to_b("http://[::1/")],
            RobotsState::RedirectUnresolved,
            0,
        ),
        (
            vec![to_b("data:text/plain,x")],
            RobotsState::RedirectUnresolved,
            0,
        ),
        (
            vec![with_location(300), copy(r, HOP, 1)],
            RobotsState::OtherStatus,
            0,
        ),
        (
            vec![with_location(304), copy(r, HOP, 1)],
            RobotsState::OtherStatus,
            0,
        ),
        (
            vec![with_location(404), copy(r, HOP, 1)],
            RobotsState::Unavailable,
            0,
        ),
        (vec![to_b(ROBOTS)], RobotsState::Unavailable, 6),
        (
            vec![to_b(r), redirect(r, HOP, ROBOTS)],
            RobotsState::Unavailable,
            6,
        ),
    ] {
        let found = seen(captures.clone(), "12:00:00", NO_SLACK);
        assert_eq!(
            (found.state, found.redirects),
            (state, redirects),
            "{captures:?}"
        );
        assert_eq!(
            (found.fetched_at, found.too_many_redirects()),
            (at(HOP), redirects == 6),
            "{captures:?}"
        );
    }
}

#[test]
fn local_targets_compare_after_parsing() {
    let leads =
        |target, stored| body([redirect(ROBOTS, HOP, target), copy(stored, HOP, 1)]) == Some(1);
    for (target, stored) in [
        ("http://b.test", "http://b.test/"),
        ("http://b.test/", "http://b.test"),
        ("http://b.test/r#top", "http://b.test/r"),
        ("http://b.test/r", "http://b.test/r#top"),
        ("HTTP://B.test:80/r", "http://b.test/r"),
        ("http://u@b.test/r", "http://b.test/r"),
        ("http://b.test/x/../r?q=1", "http://b.test/r?q=1"),
        ("http://b.test/\u{fc} x", "http://b.test/%C3%BC%20x"),
        ("http://b.test/%C3%BC", "http://b.test/\u{fc}"),
        ("http://b.test/r?a='b'", "http://b.test/r?a=%27b%27"),
        ("http://b\u{fc}cher.test/r", "http://xn--bcher-kva.test/r"),
        ("/r", "http://a.test/r"),
        ("r", "http://a.test/r"),
        ("//b.test/robots.txt", "http://b.test/robots.txt"),
        (" \thttp://b.test/r ", "http://b.test/r"),
        ("\\r", "http://a.test/r"),
        ("?x", "http://a.test/robots.txt?x"),
    ] {
        assert!(leads(target, stored), "{target}");
    }
    for (target, stored) in [
        ("http://b.test/r", "https://b.test/r"),
        ("http://b.test/r", "http://b.test/R"),
        ("http://b.test/r", "http://b.test/r/"),
        ("http://b.test/r", "http://b.test/r?"),
        ("http://b.test/", "http://b.test/robots.txt"),
        ("http://b.test/robots.txt", "http://b.test/robots.txt?x"),
    ] {
        assert!(!leads(target, stored), "{target} {stored}");
    }
}

#[test]
fn local_newest_target_before_the_page_else_the_first_within_ten_minutes() {
    type Copies = &'static [(&'static str, u32)];
    let r = "http://b.test/r";
    let cases: [(Copies, Option<u32>); 7] = [
        (
            &[
                ("10:00:00", 1),
                ("11:05:00", 2),
                ("11:59:00", 3),
                ("12:01:00", 4),
            ],
            Some(3),
        ),
        (&[("10:00:00", 1), ("12:01:00", 2)], Some(1)),
        (&[("12:00:00", 1)], Some(1)),
        (&[("12:02:00", 2), ("12:01:00", 1)], Some(1)),
        (&[("12:09:58", 1)], Some(1)),
        (&[("12:09:59", 1)], None),
        (&[], None),
    ];
    for (copies, expected) in cases {
        let mut fetches = vec![redirect(ROBOTS, "11:59:58", r)];
        fetches.extend(copies.iter().map(|(time, body)| copy(r, time, *body)));
        let found = seen(fetches, "12:00:00", NO_SLACK);
        assert_eq!(number(found.body), expected, "{copies:?}");
        assert_eq!(
            (found.fetched_at, found.after_page),
            (at("11:59:58"), false),
            "{copies:?}"
        );
    }
}

/// The window is that of the hop, even if a slack put the hop after the page.
#[test]
fn local_slack_is_for_the_first_hop_and_not_for_targets() {
    let r = "http://b.test/r";
    for (stored, expected) in [
        ("11:00:00", RobotsState::Parsed),
        ("12:30:00", RobotsState::RedirectUnresolved),
        ("13:00:00", RobotsState::Parsed),
        ("13:10:00", RobotsState::Parsed),
        ("13:10:01", RobotsState::RedirectUnresolved),
    ] {
        let fetches = [redirect(ROBOTS, "13:00:00", r), copy(r, stored, 1)];
        let found = seen(fetches, "12:00:00", Duration::from_hours(3));
        assert_eq!(
            (found.state, found.after_page, found.age_s),
            (expected, true, Some(-3600)),
            "{stored}"
        );
    }
}

#[test]
fn local_target_with_no_usable_date_is_undated() {
    let r = "http://b.test/r";
    let lost = undated(copy(r, HOP, 1));
    let found = seen(
        [redirect(ROBOTS, HOP, r), lost.clone()],
        "12:00:00",
        NO_SLACK,
    );
    assert_eq!(
        (found.state, found.fetched_at, number(found.body)),
        (RobotsState::Undated, at(HOP), None)
    );
    assert_eq!(
        body([redirect(ROBOTS, HOP, r), lost, copy(r, HOP, 2)]),
        Some(2)
    );
    assert_eq!(
        state([undated(redirect(ROBOTS, HOP, r)), copy(r, HOP, 2)]),
        RobotsState::Undated
    );
}

/// A hop is only a place, and not a robots.txt of its own host.
#[test]
fn local_hops_start_no_chain() {
    let fetches = [
        redirect("http://b.test/robots.txt", HOP, "http://a.test/r"),
        copy("http://a.test/r", HOP, 1),
    ];
    assert_eq!(state(fetches), RobotsState::NotArchived);
}

/// A page of another segment is ignored, whether it is newer, alone or undated; a file of any segment counts.
#[test]
fn local_a_page_counts_for_redirects_of_its_own_segment_alone() {
    let page = |segment, time, code| SiteCapture {
        segment,
        kind: CaptureKind::Page,
        ..status("http://b.test/", time, code)
    };
    let to_page = || redirect(ROBOTS, HOP, "http://b.test/");
    let newer = || page(1, "11:30:00", 503);
    // The redirect of a page is in the page's segment.
    let on = || SiteCapture {
        redirect: Some("http://c.test/"),
        ..page(0, HOP, 301)
    };
    let end = |segment| SiteCapture {
        url: page_url("http://c.test/"),
        ..page(segment, HOP, 404)
    };
    // A page within ten minutes after the hop, if no capture is older than the page.
    let late = [
        redirect(ROBOTS, "11:59:00", "http://b.test/"),
        page(1, "12:05:00", 404),
    ];
    for (captures, state) in [
        (vec![to_page(), page(0, HOP, 404)], RobotsState::Unavailable),
        (
            vec![to_page(), page(1, HOP, 404)],
            RobotsState::RedirectUnresolved,
        ),
        (
            vec![to_page(), undated(page(1, HOP, 404))],
            RobotsState::RedirectUnresolved,
        ),
        (
            vec![to_page(), undated(page(0, HOP, 404))],
            RobotsState::Undated,
        ),
        (
            vec![to_page(), page(0, HOP, 404), newer()],
            RobotsState::Unavailable,
        ),
        (
            vec![
                SiteCapture {
                    segment: 1,
                    ..to_page()
                },
                page(0, HOP, 404),
                newer(),
            ],
            RobotsState::Unreachable,
        ),
        (late.to_vec(), RobotsState::RedirectUnresolved),
        (vec![to_page(), on(), end(0)], RobotsState::Unavailable),
        (
            vec![to_page(), on(), end(1)],
            RobotsState::RedirectUnresolved,
        ),
    ] {
        assert_eq!(
            seen(captures.clone(), "12:00:00", NO_SLACK).state,
            state,
            "{captures:?}"
        );
    }
    let file = SiteCapture {
        segment: 1,
        ..copy("http://b.test/", HOP, 7)
    };
    assert_eq!(body([to_page(), file, page(1, "11:30:00", 404)]), Some(7));
}
