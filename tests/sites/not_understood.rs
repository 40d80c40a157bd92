//! `history`: a line that is not understood is named, and an agent for which it may be a rule is not called open.

use crate::done;
use crate::history::{entries, indexed, items, ok};
use serde_json::{Value, json};

const URL: &str = "https://a.example/robots.txt";
const OPEN: &str = "User-agent: *\nDisallow: /x\n";
const USAGE: &str = "User-agent: *\nDisallow: /x\n\nContent-Usage: train-ai=no\n";
const DENY: &str = "User-agent: CCBot\nDisallow: /\n- Disallow: /x\n\nUser-agent: *\nDisallow: /x\n\nContent-Usage: train-ai=no\n\nUser-agent: GPTBot\nDeny: /\n";
const FOR_ALL: &str = "User-agent: *\nDeny: /\n\nUser-agent: GPTBot\nAllow: /\n";
const AGAIN: &str = "# ours\nUser-agent: *\nDeny: /\n\nUser-agent: GPTBot\nAllow: /\n";

/// Returns the lines of an entry that are not understood, with their codes.
fn not_understood(entry: &Value) -> Value {
    let found = entry["not_understood"].as_array().expect("a list");
    found
        .iter()
        .map(|line| json!([line["line"], line["text"], line["code"]]))
        .collect()
}

#[test]
fn local_history_names_what_is_not_understood_and_calls_no_agent_open_by_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let crawl = vec![
        (URL, "2021-01-01T00:00:00Z", ok(OPEN)),
        (URL, "2021-02-01T00:00:00Z", ok(USAGE)),
        (URL, "2021-03-01T00:00:00Z", ok(DENY)),
        (URL, "2021-04-01T00:00:00Z", ok(FOR_ALL)),
        (URL, "2021-05-01T00:00:00Z", ok(AGAIN)),
    ];
    let index = indexed(folder.path(), &vec![crawl]);
    let items = items(&index, "a.example", &["--agent", "GPTBot"]);
    let [open, usage, deny, for_all, again] = entries(&items, "https://a.example", "robots")[..]
    else {
        panic!("{items:?}")
    };
    assert_eq!(not_understood(open), json!([]));
    assert_eq!(
        json!([
            usage["effect"],
            usage["label_changes"],
            not_understood(usage)
        ]),
        json!([
            "lines",
            [],
            [[4, "Content-Usage: train-ai=no", "unknown_value"]]
        ])
    );
    // The line that was there before is not named again.
    assert_eq!(
        not_understood(deny),
        json!([
            [3, "- Disallow: /x", "near_miss"],
            [11, "Deny: /", "unknown_name"]
        ])
    );
    let agents = &deny["agents"];
    let names = |closed: &str| agents[closed]["names"].clone();
    assert_eq!(
        json!([names("full"), names("none"), names("unknown")]),
        json!([["CCBot"], [], ["GPTBot"]]),
        "{agents}"
    );
    // For everyone, but for the agent that has a group of its own.
    assert_eq!(
        json!([
            for_all["agents"]["everyone"]["closed"],
            for_all["agents"]["everyone"]["line"],
            for_all["agents"]["none"]["names"]
        ]),
        json!(["unknown", 2, ["GPTBot"]])
    );
    assert_eq!(
        json!([
            again["effect"],
            again["agent_changes_count"],
            not_understood(again)
        ]),
        json!(["text", 0, []]),
        "the same lines elsewhere"
    );

    let text = done(&["history", "a.example", "--sites", &index]);
    let lines = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in [
        "no label changed: line 4 is not understood: Content-Usage: train-ai=no",
        "Its system does not know this value.",
        "not understood, line 11: Deny: /",
        "GPTBot: closed in part through * -> unknown by name, line 11 is not understood: Deny: /",
        // A list item opens no group, so that it may be anybody's rule.
        "through *: closed in part -> unknown, line 3 is not understood: - Disallow: /x",
    ] {
        assert!(lines.contains(said), "{said}\n{text}");
    }
    assert!(!lines.contains("open by name: "), "{text}");
}
