//! What anybody received counts (RULES KNOW): revisions of AIPREF's vocabulary, and doubts that take yeses only.

use crawlprefs::explain::json::explain;
use serde_json::{Value, json};

const YES: &str = "ai-train=yes, search=yes, ai-input=yes";

/// The answer for a page with a yes to everything in a header.
fn ask(robots: &str, vocabulary: &str, headers: &[(&str, &str)]) -> Value {
    let fields: Vec<Value> = [("Content-Signal", YES)]
        .iter()
        .chain(headers)
        .map(|field| json!(field))
        .collect();
    explain(&json!({
        "id": "x", "url": "https://h.example/p", "vocabulary": vocabulary, "robots_txt": robots, "headers": fields,
    }))
}

fn noes(answer: &Value) -> Vec<&str> {
    let labels = answer["labels"].as_object().expect("labels");
    let noes = labels
        .iter()
        .filter(|(_, preference)| *preference == "disallow");
    noes.map(|(label, _)| label.as_str()).collect()
}

#[test]
fn know_9_a_no_under_any_revision_counts_whatever_the_vocabulary_is() {
    for (stated, expected) in [
        ("ai=n", &["train_ai", "train_genai"][..]),
        ("genai=n", &["train_genai"]),
        (
            "tdm=n",
            &["ai_input", "search", "tdm", "train_ai", "train_genai"],
        ),
        (
            "all=n",
            &["ai_input", "search", "tdm", "train_ai", "train_genai"],
        ),
        ("ai-use=n", &["ai_input"]),
        ("ai-output=n", &["ai_input", "search"]),
        ("train-ai=n", &["train_ai", "train_genai"]),
    ] {
        for vocabulary in ["01", "02", "03", "04", "05", "06", "07", "08"] {
            let robots = format!("User-agent: *\nAllow: /\nContent-Usage: {stated}\n");
            let of_robots = ask(&robots, vocabulary, &[]);
            assert_eq!(noes(&of_robots), expected, "{stated} by {vocabulary}");
            let of_path = robots.replace("Usage: ", "Usage: /p ");
            assert_eq!(
                noes(&ask(&of_path, vocabulary, &[])),
                expected,
                "/p {stated} by {vocabulary}"
            );
            let elsewhere = robots.replace("Usage: ", "Usage: /q ");
            assert!(
                noes(&ask(&elsewhere, vocabulary, &[])).is_empty(),
                "/q {stated} by {vocabulary}"
            );
            let header = ask(
                "User-agent: *\nAllow: /\n",
                vocabulary,
                &[("Content-Usage", stated)],
            );
            let found = noes(&header);
            assert!(
                expected.iter().all(|label| found.contains(label)),
                "header {stated}: {found:?}"
            );
        }
    }
}

#[test]
fn know_9_columns_and_yeses_are_of_the_chosen_revision_and_from_says_any() {
    let robots = "User-agent: *\nAllow: /\nContent-Usage: ai=n, search=y\n";
    let (by_01, by_03) = (ask(robots, "01", &[]), ask(robots, "03", &[]));
    assert_eq!(by_01["labels_from"]["train_ai"], json!(["aipref robots"]));
    assert_eq!(by_03["labels_from"]["train_ai"], json!(["aipref any"]));
    assert_eq!(by_01["columns"]["aipref_ai"], "disallow");
    assert_eq!(by_03["columns"]["aipref_ai"], Value::Null);
    assert_eq!(by_03["columns"]["aipref_train_ai"], "unknown");
    // A yes of another revision is none.
    let yes = "User-agent: *\nAllow: /\nContent-Usage: ai=y\n";
    let page =
        json!({ "id": "x", "url": "https://h.example/p", "vocabulary": "03", "robots_txt": yes });
    assert_eq!(explain(&page)["labels"]["train_ai"], "unknown");
}

#[test]
fn read_22_a_line_of_the_header_that_is_appended_does_not_revoke_a_no() {
    let lines = [
        ("Content-Usage", "train-ai=n"),
        ("Content-Usage", "train-ai=y"),
    ];
    let answer = ask("User-agent: *\nAllow: /\n", "03", &lines);
    assert_eq!(answer["labels"]["train_ai"], "disallow");
    // RFC 9651: of the field itself the last line counts.
    assert_eq!(answer["columns"]["aipref_train_ai"], "allow");
}

fn access(robots: &str, token: &str) -> (Value, Value, Vec<Value>) {
    let answer = explain(&json!({
        "id": "x", "url": "https://h.example/p", "product_token": token, "robots_txt": robots,
    }));
    let at_least = answer["disallowed_agents_at_least"]
        .as_array()
        .expect("a list")
        .clone();
    (answer["access"].clone(), answer["doubt"].clone(), at_least)
}

#[test]
fn know_10_a_near_miss_that_names_an_agent_is_a_doubt_for_that_agent_alone() {
    let robots = "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nAllow: /\n\nUser-agent: foo Disallow: /\n";
    let (unknown, allow, disallow) = (json!("unknown"), json!("allow"), json!("disallow"));
    for (token, expected, doubt) in [
        ("foo", &unknown, json!(["robots"])),
        ("CCBot", &allow, json!([])),
        ("GPTBot", &disallow, json!([])),
    ] {
        let (found, of, at_least) = access(robots, token);
        assert_eq!((&found, of), (expected, doubt), "{token}");
        assert!(
            at_least.contains(&json!("GPTBot")) && !at_least.contains(&json!("CCBot")),
            "{token}"
        );
    }
    // For everyone: those with a group of their own are not meant.
    let robots = "User-agent: * Disallow: /\nAllow: /x\n\nUser-agent: CCBot\nAllow: /\n";
    assert_eq!(
        (access(robots, "CCBot").0, access(robots, "GPTBot").0),
        (allow, unknown)
    );
}

#[test]
fn know_10_a_doubt_leaves_the_agents_that_are_surely_shut_out() {
    let robots = "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nAllow: /\n- Disallow: /\n";
    let answer = explain(&json!({ "id": "x", "url": "https://h.example/p", "robots_txt": robots }));
    assert_eq!(
        (&answer["access"], &answer["disallowed_agents"]),
        (&json!("unknown"), &Value::Null)
    );
    assert_eq!(answer["disallowed_agents_at_least"], json!(["GPTBot"]));
    let cut = explain(&json!({
        "id": "x", "url": "https://h.example/p", "robots_txt": robots, "robots_fetch": { "status": 200, "cut": true },
    }));
    assert_eq!(cut["disallowed_agents"], Value::Null);
}

/// ACCT-14: a near miss that can be written as a rule is a doubt where it may close something, for whom it may close it.
#[test]
fn acct_14_a_near_miss_is_a_doubt_for_what_it_closes_once_it_is_written_as_a_rule() {
    let ask = |robots: &str, path: &str| {
        let url = format!("https://h.example{path}");
        let page = json!({
            "id": "x", "url": url, "robots_txt": robots, "headers": [["Content-Usage", "train-ai=y"]],
        });
        let answer = explain(&page);
        (
            answer["access"].clone(),
            answer["labels"]["train_ai"].clone(),
            answer["disallowed_agents"].clone(),
        )
    };
    let unknown = (json!("unknown"), json!("unknown"), Value::Null);
    let sure = |agents: &[&str]| (json!("allow"), json!("allow"), json!(agents));
    let robots = "User-agent: *\nAllow: /\nDisallowL: /a\nDisallow: Disallow: /b?*\n";
    assert_eq!(
        (ask(robots, "/a"), ask(robots, "/b?c"), ask(robots, "/d")),
        (unknown.clone(), unknown.clone(), sure(&[]))
    );
    // The group of the line before it: `GPTBot` by the file as it is, `foo` by the one that is meant.
    let robots = "User-agent: GPTBot\nDisallow: /a\nUser-agen: foo\nDisallow: /\n";
    assert_eq!(ask(robots, "/p"), sure(&["GPTBot"]));
    let robots = "User-agent: *<br/>Sitemap: https://h.example/s<br/>\nDisallow: /a\n";
    assert_eq!(
        (ask(robots, "/a").0, ask(robots, "/p").0),
        (json!("unknown"), json!("allow"))
    );
    for robots in [
        "User-agent: *\nAllow: /\n- Disallow: /\n",
        "-en User-agent: *\nDisallow: /a\n",
        "User-agent:\nGPTBot Disallow: /\n",
    ] {
        assert_eq!(ask(robots, "/p").0, json!("unknown"), "{robots}");
    }
    // A statement in the file may belong to another group than the one that it is read in.
    let robots = "User-agent: GPTBot\nAllow: /\n- User-agent: *\nContent-Signal: ai-train=no\n";
    assert_eq!(ask(robots, "/p").1, json!("unknown"));
    // Groups of policy tokens speak for labels.
    let robots = "User-agent: *\nAllow: /\n\nUser-agent: Google-Extended Disallow: /\n";
    let answer = ask(robots, "/p");
    assert_eq!((answer.0, answer.2), (json!("allow"), Value::Null));
}

/// Each kind of not known has its name, and each withholds a yes.
#[test]
fn know_11_what_is_unread_in_doubt_and_not_seen_is_told_apart() {
    let yes = json!([["Content-Usage", "train-ai=y"]]);
    let doubtful = json!([
        ["Content-Usage", "train-ai=y"],
        ["Content-Signal", "ai-train=disallowed"]
    ]);
    let near_miss = "User-agent: *\nAllow: /\n- Disallow: /p\n";
    for (keys, unread, doubt, not_seen) in [
        (
            json!({ "headers": yes, "unread": ["meta"] }),
            json!(["meta"]),
            json!([]),
            json!([]),
        ),
        (
            json!({ "headers": yes, "not_seen": ["meta"] }),
            json!([]),
            json!([]),
            json!(["meta"]),
        ),
        (
            json!({ "headers": doubtful }),
            json!([]),
            json!(["header"]),
            json!([]),
        ),
        (
            json!({ "headers": yes, "robots_txt": near_miss }),
            json!([]),
            json!(["robots"]),
            json!([]),
        ),
        (
            json!({ "headers": doubtful, "unread": ["header"], "not_seen": ["meta"] }),
            json!(["header"]),
            json!(["header"]),
            json!(["meta"]),
        ),
    ] {
        let mut asked = json!({ "id": "x", "url": "https://h.example/p" });
        asked
            .as_object_mut()
            .expect("an object")
            .extend(keys.as_object().expect("an object").clone());
        let answer = explain(&asked);
        assert_eq!(
            (&answer["unread"], &answer["doubt"], &answer["not_seen"]),
            (&unread, &doubt, &not_seen)
        );
        assert_eq!(answer["labels"]["train_ai"], "unknown", "{keys}");
    }
    let answer = explain(&json!({ "id": "x", "url": "https://h.example/p", "headers": yes }));
    assert_eq!(
        (&answer["labels"]["train_ai"], &answer["not_asked"]),
        (&json!("allow"), &json!([]))
    );
}
