//! A statement says in whose text its line is.

use crate::resolved::{page, resolve, response, robots, rows, scanned, view};

#[test]
fn local_a_statement_in_a_vendors_text_names_the_vendor() {
    let file = "# BEGIN Cloudflare Managed content\nUser-agent: *\nContent-Signal: ai-train=no\n\
                # END Cloudflare Managed Content\nUser-agent: *\nContent-Signal: search=yes\nLicense: https://l.example/\n";
    let header = response("https://a.example/x", "10:00:00", 200, "Content-Signal: ai-input=no\r\n", "x");
    let evidence =
        scanned(&[robots("a.example", "09:00:00", file), page("https://a.example/", "10:00:00"), header]);
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
        (Some(3), "content_signal", Some("cloudflare"), Some("managed_content")),
        (Some(6), "content_signal", None, None),
        (Some(7), "rsl", None, None),
    ];
    assert_eq!(found, expected);
}

/// MANAGED-3: an agent that a vendor's block closes is told from one that the site closes.
#[test]
fn local_an_agent_in_a_vendors_block_names_the_vendor() {
    let file = "# BEGIN Cloudflare Bot Preference Sync\n\nUser-agent: GPTBot\nDisallow: /\n\n\
                # END Cloudflare Bot Preference Sync\nUser-agent: CCBot\nDisallow: /\n\n\
                # BEGIN Cloudflare Managed content\nUser-agent: *\n";
    let evidence = scanned(&[robots("a.example", "09:00:00", file), page("https://a.example/", "10:00:00")]);
    let out = tempfile::tempdir().expect("a temporary folder");
    resolve(evidence.path(), out.path(), &view());
    let agents = rows(out.path(), "robots_agents");
    let mut found: Vec<_> = agents
        .iter()
        .map(|row| (row.text("agent").expect("a name"), row.text("managed_by"), row.text("managed_as")))
        .collect();
    found.sort_unstable();
    let sync = Some("bot_preference_sync");
    assert_eq!(found, [("*", None, None), ("CCBot", None, None), ("GPTBot", Some("cloudflare"), sync)]);
    let robots = rows(out.path(), "robots");
    assert_eq!((robots[0].text("managed_by"), robots[0].text("managed_as")), (Some("cloudflare"), sync));
    let lints = rows(out.path(), "robots_lints");
    let open = lints.iter().find(|row| row.text("lint") == Some("managed_block_open")).expect("the lint");
    assert_eq!(open.number("line"), Some(10));
}
