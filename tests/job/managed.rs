//! A statement says in whose text its line is.

use crate::resolved::{page, resolve, response, robots, rows, scanned, view};

#[test]
fn local_a_statement_in_a_vendors_text_names_the_vendor() {
    let file = "# BEGIN Cloudflare Managed content\nUser-agent: *\nContent-Signal: search=yes,ai-train=no\n\
                # END Cloudflare Managed Content\nUser-agent: *\nContent-Signal: search=yes\nLicense: https://l.example/\n";
    let header = response(
        "https://a.example/x",
        "10:00:00",
        200,
        "Content-Signal: ai-input=no\r\n",
        "x",
    );
    let evidence = scanned(&[
        robots("a.example", "09:00:00", file),
        page("https://a.example/", "10:00:00"),
        header,
    ]);
    let out = tempfile::tempdir().expect("a temporary folder");
    resolve(evidence.path(), out.path(), &view());
    let rows = rows(out.path(), "statements");
    let mut found: Vec<_> = rows
        .iter()
        .map(|row| {
            (
                row.number("line"),
                row.text("system").expect("never null"),
                row.text("managed_by"),
                row.text("managed_as"),
            )
        })
        .collect();
    found.sort_unstable();
    let expected = [
        (None, "content_signal", None, None),
        (
            Some(3),
            "content_signal",
            Some("cloudflare"),
            Some("managed_content"),
        ),
        (
            Some(3),
            "content_signal",
            Some("cloudflare"),
            Some("managed_content"),
        ),
        (Some(6), "content_signal", None, None),
        (Some(7), "rsl", None, None),
    ];
    assert_eq!(found, expected);
}

/// MANAGED-3: an agent that a vendor's block closes is kept apart from one that the site closes.
#[test]
fn local_an_agent_in_a_vendors_block_names_the_vendor() {
    let file = "# BEGIN Cloudflare Bot Preference Sync\n\nUser-agent: GPTBot\nDisallow: /\n\n\
                # END Cloudflare Bot Preference Sync\nUser-agent: CCBot\nDisallow: /\n\n\
                # BEGIN Cloudflare Managed content\nUser-agent: *\n";
    let evidence = scanned(&[
        robots("a.example", "09:00:00", file),
        page("https://a.example/", "10:00:00"),
    ]);
    let out = tempfile::tempdir().expect("a temporary folder");
    resolve(evidence.path(), out.path(), &view());
    let agents = rows(out.path(), "robots_agents");
    let mut found: Vec<_> = agents
        .iter()
        .map(|row| {
            (
                row.text("agent").expect("a name"),
                row.text("managed_by"),
                row.text("managed_as"),
            )
        })
        .collect();
    found.sort_unstable();
    let sync = Some("bot_preference_sync");
    assert_eq!(
        found,
        [
            ("*", None, None),
            ("CCBot", None, None),
            ("GPTBot", Some("cloudflare"), sync)
        ]
    );
    let robots = rows(out.path(), "robots");
    assert_eq!(
        (robots[0].text("managed_by"), robots[0].text("managed_as")),
        (Some("cloudflare"), sync)
    );
    let lints = rows(out.path(), "robots_lints");
    let open = lints
        .iter()
        .find(|row| row.text("lint") == Some("managed_block_open"))
        .expect("the lint");
    assert_eq!(open.number("line"), Some(10));
}

#[test]
fn local_an_unusual_line_in_a_vendors_text_names_the_vendor() {
    let file = "# BEGIN Cloudflare Managed content\nUser-agent: *\nContent-Signal: search=yes,ai-train=no\n\
                # END Cloudflare Managed Content\nUser-agent: *\nX-Own: 1\n";
    let evidence = scanned(&[robots("a.example", "09:00:00", file)]);
    let out = tempfile::tempdir().expect("a temporary folder");
    resolve(evidence.path(), out.path(), &view());
    let mut found: Vec<_> = rows(out.path(), "robots_lines")
        .iter()
        .map(|row| {
            let texts =
                ["managed_by", "managed_as"].map(|column| row.text(column).map(str::to_owned));
            (row.number("line"), texts)
        })
        .collect();
    found.sort_unstable();
    let vendor = ["cloudflare", "managed_content"].map(|text| Some(text.to_owned()));
    assert_eq!(found, [(Some(3), vendor), (Some(6), [None, None])]);
}

/// A publishing group writes one list into the files of all its sites, in this order or that.
#[test]
fn local_files_that_name_the_same_agents_have_one_fingerprint() {
    let bodies = [
        (
            "a.example",
            "User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n",
        ),
        (
            "b.example",
            "User-agent: ccbot\nDisallow: /x\n\nUser-agent: *\nAllow: /\nUser-agent: gptbot\n",
        ),
        ("c.example", "User-agent: GPTBot\nDisallow: /\n"),
        ("d.example", "User-agent: *\nDisallow: /\n"),
        ("e.example", ""),
    ];
    let list: Vec<String> = bodies
        .iter()
        .map(|(host, body)| robots(host, "09:00:00", body))
        .collect();
    let evidence = scanned(&list);
    let out = tempfile::tempdir().expect("a temporary folder");
    resolve(evidence.path(), out.path(), &view());
    let rows = rows(out.path(), "robots");
    let of = |host: &str| {
        let is_of = |row: &&crate::resolved::Fields| row.text("url_host_name") == Some(host);
        rows.iter()
            .find(is_of)
            .expect("a row")
            .text("agents_fingerprint")
    };
    assert!(of("a.example").is_some_and(|fingerprint| fingerprint.len() == 16));
    assert_eq!(of("a.example"), of("b.example"));
    assert_ne!(of("a.example"), of("c.example"));
    assert_eq!((of("d.example"), of("e.example")), (None, None));
}
