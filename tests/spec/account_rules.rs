//! The places where the account of what a site said looks, and those where it finds nothing (RULES ACCT-7 to -12, LABEL-8,
//! MANAGED-6, READ-22 to -24).

use crawlprefs::explain::json::explain;
use crawlprefs::robots::RobotsTxt;
use serde_json::{Value, json};

const LINES: &str =
    "User-agent: *\nAllow: /\nContent-Signal: search=yes, ai-train=yes, ai-input=yes\n";
const SIGNAL: [&str; 2] = ["Content-Signal", "ai-train=yes, search=yes, ai-input=yes"];

/// The labels that are allowed for a page with a yes in robots.txt, and these fields or metas.
fn allowed(scenario: Value) -> Vec<String> {
    let mut page = json!({ "id": "x", "url": "https://h.example/p", "robots_txt": LINES });
    page.as_object_mut()
        .expect("an object")
        .extend(scenario.as_object().expect("an object").clone());
    let answer = explain(&page);
    let labels = answer["labels"].as_object().expect("labels").clone();
    labels
        .into_iter()
        .filter(|(_, preference)| preference == "allow")
        .map(|(label, _)| label)
        .collect()
}

fn by_header(name: &str, value: &str) -> Vec<String> {
    allowed(json!({ "headers": [[name, value]] }))
}

fn by_meta(name: &str, content: &str) -> Vec<String> {
    allowed(
        json!({ "meta": [{ "name": name, "content": content, "in": "head", "carrier": "meta" }] }),
    )
}

const ALL: [&str; 4] = ["ai_input", "search", "train_ai", "train_genai"];

#[test]
fn acct_7_a_rule_under_a_name_that_is_no_crawlers_is_meant_for_everybody() {
    for name in [
        "all",
        "everyone",
        "bots",
        "meta-robots",
        "x-policy",
        "page",
        "license",
    ] {
        assert_eq!(by_meta(name, "noai"), [""; 0], "{name}");
    }
    assert_eq!(by_header("X-Robots-Tag", "everyone: noai"), [""; 0]);
    assert_eq!(
        by_meta("bots", "noindex, nofollow"),
        ["ai_input", "train_ai", "train_genai"]
    );
    assert_eq!(by_meta("googlebot", "noai"), ALL);
    assert_eq!(by_meta("slurp", "noindex"), ALL);
    let own = explain(&json!({
        "id": "x", "url": "https://h.example/p", "robots_txt": LINES, "headers": [["X-Robots-Tag", "CCBot/2.0: noai"]],
    }));
    assert_eq!(own["labels"]["train_ai"], "disallow");
}

/// READ-19: a list of names before a colon is for each of them, as in the name of a meta.
#[test]
fn acct_7_a_no_under_a_list_of_names_is_in_doubt_for_each() {
    for value in [
        "*, gptbot: noai",
        "robots, googlebot: noai",
        "ccbot, gptbot: noai",
        "googlebot, ccbot/2.0, gptbot: nofollow, noml",
        "gptbot: index, ccbot, googlebot: noai",
        "ccbot gptbot: noai",
        "ccbot 2.0: noai",
    ] {
        assert!(
            !by_header("X-Robots-Tag", value).contains(&"train_ai".to_owned()),
            "{value}"
        );
    }
    let names = ["Robots-Tag", "X-Robots-Tag"];
    for name in names {
        let value = "googlebot, bingbot, ccbot, gptbot: noindex";
        assert!(
            !by_header(name, value).contains(&"search".to_owned()),
            "{name}"
        );
        assert!(
            by_header(name, value).contains(&"train_ai".to_owned()),
            "{name}"
        );
    }
    for value in [
        "googlebot, bingbot: noindex",
        "googlebot bingbot: noindex",
        "ccbot, gptbot: all",
        "ccbot, index, gptbot: noindex",
        "gptbot: noindex, ccbot: all",
        "googlebot 2.1: noai",
    ] {
        assert_eq!(by_header("X-Robots-Tag", value), ALL, "{value}");
    }
}

#[test]
fn acct_8_a_doubt_withholds_the_labels_of_its_topics() {
    let without_search = ["ai_input", "train_ai", "train_genai"];
    for value in [
        "no-index",
        "noindex|nofollow",
        "noindex/nofollow",
        "noindexnofollow",
        "index: no",
        "noindex\u{a0}",
    ] {
        assert_eq!(by_header("X-Robots-Tag", value), without_search, "{value}");
        assert_eq!(by_meta("robots", value), without_search, "{value}");
    }
    let lines = format!("{LINES}Noindex: /p\n");
    assert_eq!(allowed(json!({ "robots_txt": lines })), without_search);
    assert_eq!(
        by_header("Content-Signal", "rag=no"),
        ["search", "train_ai", "train_genai"]
    );
    assert_eq!(
        by_header("Content-Signal", "train=no"),
        ["ai_input", "search"]
    );
    assert_eq!(by_header("Content-Signal", "ai=no"), [""; 0]);
}

fn access(rule: &str) -> (String, String) {
    let page = json!({
        "id": "x", "url": "https://h.example/p", "headers": [SIGNAL],
        "robots_txt": format!("User-agent: *\nAllow: /open\n{rule}\n"),
    });
    let answer = explain(&page);
    let word = |value: &Value| value.as_str().expect("a word").to_owned();
    (word(&answer["access"]), word(&answer["labels"]["train_ai"]))
}

#[test]
fn acct_9_a_disallow_line_counts_by_each_reading() {
    for rule in [
        "Disallow: / (whole site)",
        "Disallow: / // all",
        "Disallow: /a /p",
        "Disallow: /p;",
        "Disallow: \"/p\"",
        "Disallow: /a,/p",
        "Disallow: /p\u{a0}",
        "Disallow: ./p",
        "Disallow: \\p\\",
        "Disallow: / *",
        "Disallow: / ***everything***",
        "Disallow: / # all *",
        "Disallow: / no bots *",
        "Disallow: / see https://h.example/*",
    ] {
        assert_eq!(access(rule).0, "disallow", "{rule}");
    }
    for rule in [
        "Disallow: https://h.example/",
        "Disallow: https://www.h.example/p",
    ] {
        assert_eq!(
            access(rule),
            ("unknown".to_owned(), "unknown".to_owned()),
            "{rule}"
        );
    }
    // Of an allow line, only the path as written counts.
    assert_eq!(access("Disallow: /p\nAllow: /p /q").0, "disallow");
    let sure = ("allow".to_owned(), "allow".to_owned());
    for rule in [
        "Disallow: https://other.example/",
        "Disallow: /a b",
        "Disallow: /admin Allow: /",
        "Disallow: /a,b",
        "Disallow: /* */*$",
        "Disallow: /*,",
        "Disallow: / AdvancedForms/*/print/*",
        "Disallow: /* distribID=$",
        "Disallow: / *? Price = *",
    ] {
        assert_eq!(access(rule), sure, "{rule}");
    }
    // A pattern with a blank that was not escaped withholds what it matches, with the blank and without.
    let at = |path: &str| {
        let robots = "User-agent: *\nDisallow: / forms/*/print\n";
        let url = format!("https://h.example{path}");
        explain(&json!({ "id": "x", "url": url, "robots_txt": robots }))["access"].clone()
    };
    assert_eq!(
        (at("/forms/1/print"), at("/%20forms/1/print")),
        (json!("disallow"), json!("disallow"))
    );
    assert_eq!(at("/forms/1"), json!("allow"));
    for rule in [
        "Content-Signal: /a,/p ai-train=no",
        "Content-Usage: /p; train-ai=n",
        "DisallowAITraining: /a, /p",
    ] {
        assert_eq!(
            access(rule),
            ("allow".to_owned(), "unknown".to_owned()),
            "{rule}"
        );
    }
    assert_eq!(access("Content-Signal: /a,/b ai-train=no"), sure);
}

#[test]
fn acct_10_a_value_that_only_refuses_is_a_doubt() {
    for (name, value) in [
        ("Content-Signal", "no"),
        ("Content-Signal", "none"),
        ("Content-Signal", "*=no"),
        ("Content-Usage", "deny"),
        ("Content-Usage", "!train-ai"),
        ("X-Robots-Tag", "deny"),
        ("X-Robots-Tag", "nofollow, disallow"),
    ] {
        assert_eq!(by_header(name, value), [""; 0], "{name}: {value}");
        if name.ends_with("Tag") {
            assert_eq!(by_meta("robots", value), [""; 0], "{value}");
            continue;
        }
        let robots = format!("User-agent: *\nAllow: /\n{name}: {value}\n");
        let found = allowed(json!({ "robots_txt": robots, "headers": [SIGNAL] }));
        assert_eq!(found, [""; 0], "line {name}: {value}");
    }
    assert_eq!(by_header("Content-Signal", "yes"), ALL);
    for value in ["no follow", "googlebot: deny", "nofollow, noarchive"] {
        assert_eq!(by_header("X-Robots-Tag", value), ALL, "{value}");
    }
}

#[test]
fn acct_11_versions_counters_disclosures_and_prose_refuse_nothing() {
    for (name, content) in [
        ("ai-content-license", "CC-BY-4.0"),
        ("ai-generated", "no"),
        (
            "llm-instruction",
            "Do not skip the footnotes; never guess AI training dates.",
        ),
    ] {
        assert_eq!(by_meta(name, content), ALL, "{name}");
    }
    for (name, value) in [
        ("X-Is-AI-Bot", "false"),
        ("X-GPT-Cache", "0"),
        ("X-App-Usage", "0"),
    ] {
        assert_eq!(by_header(name, value), ALL, "{name}");
    }
    for (name, value) in [
        ("X-AI-Generated", "noai"),
        ("X-No-Machine-Learning", "true"),
        ("Permissions-Policy", "ai-training=()"),
        ("X-Google-Extended", "disallow"),
    ] {
        assert!(
            !by_header(name, value).contains(&"train_ai".to_owned()),
            "{name}"
        );
    }
    let rights = "All rights are reserved, including for text and data mining and AI training.";
    assert_eq!(by_meta("dc.rights", rights), [""; 0]);
    let file = "Spec-Version: 1.0\nSite-Name: a\nTraining: allow\n";
    assert_eq!(
        allowed(json!({ "site_files": [{ "kind": "ai_txt", "body": file }] })),
        ALL
    );
}

fn by_file(kind: &str, body: &str) -> Vec<String> {
    allowed(json!({ "site_files": [{ "kind": kind, "body": body }] }))
}

#[test]
fn acct_11_a_sentence_with_an_everyday_word_is_no_disclosure() {
    for sentence in [
        "AI training is prohibited.",
        "AI training is prohibited: see the terms",
        "AI training at no cost is forbidden.",
        "No AI training on generated or cached pages",
        "AI training: prohibited, whatever the count",
        "AI training is: no",
        "AI training prohibited, see https://a.example/terms",
        "AI training is prohibited: /terms",
    ] {
        for kind in ["ai_txt", "trust_txt"] {
            let found = by_file(kind, &format!("{sentence}\n"));
            assert!(
                !found.contains(&"train_ai".to_owned()),
                "{kind}: {sentence}"
            );
        }
        let lines = format!("{LINES}\n{sentence}\n");
        let found = allowed(json!({ "robots_txt": lines }));
        assert!(!found.contains(&"train_ai".to_owned()), "{sentence}");
    }
    assert!(!by_meta("is-trainable", "false").contains(&"train_ai".to_owned()));
    assert_eq!(by_meta("is-ai-generated", "false"), ALL);
    assert_eq!(by_header("X-Ai-Tokens-Remaining", "0"), ALL);
    assert_eq!(by_file("trust_txt", "AI training is welcome.\n"), ALL);
    // ACCT-2: a path behind a name of a rule is its path.
    assert_eq!(by_file("ai_txt", "No AI training: /art/\n"), ALL);
}

#[test]
fn acct_5_and_12_a_list_of_names_in_an_ai_txt_adds_the_noes_of_its_group() {
    for names in [
        "CCBot, GPTBot",
        "GPTBot CCBot",
        "CCBot;",
        "\"CCBot\"",
        "*, GPTBot",
        "all",
        "Mozilla/5.0 (compatible; CCBot/2.0; +https://c.example/)",
    ] {
        for body in [
            format!("User-Agent: {names}\nDisallow: /\n"),
            format!("User-Agent: {names}\nDisallow: *.txt\nDisallow: /p\nAllow: /\n"),
            "User-Agent: CCBot\nAllow: /p/\n\nUser-Agent: GPTBot, CCBot\nDisallow: /\n".to_owned(),
            format!("Training: allow\nAgent: {names}\n  Training: deny\n"),
        ] {
            let found = by_file("ai_txt", &body);
            assert!(!found.contains(&"train_ai".to_owned()), "{body}");
        }
    }
    for body in [
        "User-Agent: GPTBot, ClaudeBot\nDisallow: /\n",
        "User-Agent: CCBot, GPTBot\nDisallow: /\nAllow: /p\n",
        "User-Agent: CCBot\nAllow: /\n\nUser-Agent: *, GPTBot\nDisallow: /\n",
        "Training: allow\nAgent: GPTBot, ClaudeBot\n  Training: deny\n",
        "Training: allow\nAgent: CCBot\n  Training: allow\nAgent: *, GPTBot\n  Training: deny\n",
    ] {
        assert_eq!(by_file("ai_txt", body), ALL, "{body}");
    }
}

#[test]
fn acct_12_a_whole_user_agent_header_names_the_crawlers_in_it_for_noes() {
    let ask = |agent: &str| {
        let robots = format!("User-agent: *\nAllow: /\n\nUser-agent: {agent}\nDisallow: /\n");
        explain(&json!({ "id": "x", "url": "https://h.example/p", "robots_txt": robots }))["access"]
            .clone()
    };
    assert_eq!(
        ask("Mozilla/5.0 (compatible; CCBot/2.0; +https://commoncrawl.org/faq/)"),
        "disallow"
    );
    assert_eq!(
        ask("Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)"),
        "allow"
    );
    for everyone in [
        "all",
        "\"all\"",
        "All;",
        "all,",
        "all.",
        "all bots",
        "All robots",
        "GPTBot, all",
        "any",
    ] {
        assert_eq!(ask(everyone), "disallow", "{everyone}");
    }
    for somebody in [
        "GPTBot (all versions)",
        "Sogou all spiders",
        "allbot",
        "All acronyms bot",
    ] {
        assert_eq!(ask(somebody), "allow", "{somebody}");
    }
}

#[test]
fn label_8_dialects() {
    let label = |scenario: Value| explain(&scenario)["labels"]["train_genai"].clone();
    for (value, expected) in [
        ("disallow", "disallow"),
        ("deny", "disallow"),
        ("allow", "unknown"),
    ] {
        let page = json!({ "url": "https://h.example/p", "headers": [["Content-Signal", format!("ai-train={value}")]] });
        assert_eq!(label(page), expected, "{value}");
    }
    for (agent, expected) in [
        ("ai-training", "unknown"),
        ("AITrainingBot", "unknown"),
        ("TrainBot", "allow"),
    ] {
        let robots = format!("{LINES}\nUser-agent: {agent}\nDisallow: /p\n");
        assert_eq!(
            label(json!({ "url": "https://h.example/p", "robots_txt": robots })),
            expected,
            "{agent}"
        );
        assert_eq!(
            label(json!({ "url": "https://h.example/q", "robots_txt": robots })),
            "allow",
            "{agent}"
        );
    }
}

#[test]
fn managed_6_the_default_header_of_a_converter_is_no_yes() {
    let tokens = ["x-markdown-tokens", "725"];
    let ask = |headers: Value| {
        explain(&json!({ "url": "https://h.example/p", "headers": headers }))["labels"].clone()
    };
    assert_eq!(ask(json!([SIGNAL, tokens]))["train_ai"], "unknown");
    assert_eq!(ask(json!([SIGNAL]))["train_ai"], "allow");
    // READ-18: the same where an archive's writer renamed both.
    let signal = ["X-Archive-Orig-Content-Signal", SIGNAL[1]];
    let tokens = ["X-Archive-Orig-x-markdown-tokens", "725"];
    assert_eq!(ask(json!([signal, tokens]))["train_ai"], "unknown");
    assert_eq!(ask(json!([signal]))["train_ai"], "allow");
}

/// A CDN that appends a line does not replace what its customer's line may mean.
#[test]
fn read_22_a_later_line_does_not_replace_a_no_that_is_not_understood() {
    let ask = |lines: &[&str]| {
        let headers: Vec<_> = lines
            .iter()
            .map(|line| json!(["Content-Usage", line]))
            .collect();
        allowed(json!({ "headers": headers })).contains(&"train_ai".to_owned())
    };
    for no in [
        "train-ai=no",
        "train-ai=?0",
        "train-ai=\"n\"",
        "train-ai=N",
        "search=y, train-ai=none",
    ] {
        assert!(!ask(&[no, "train-ai=y"]), "{no}");
        assert!(!ask(&[no, "search=y", "train-ai=y"]), "{no}");
    }
    for lines in [
        &["train-ai=y", "train-ai=y"],
        &["train-ai=1", "train-ai=y"],
        &["foo=no", "foo=y"],
    ] {
        assert!(ask(lines), "{lines:?}");
    }
    // RFC 9651 4.2.2: in one line the last one counts.
    assert!(ask(&["train-ai=no, train-ai=y"]));
}

#[test]
fn read_24_of_a_key_that_comes_twice_none_is_lost() {
    for body in [
        r#"{"tdmrep": [{"location": "/", "tdm-reservation": 1}], "tdmrep": []}"#,
        r#"{"tdmrep": [{"location": "/", "tdm-reservation": 1}], "tdmrep": [{"location": "/", "tdm-reservation": 0}]}"#,
        r#"[{"location": "/p", "location": "/q", "tdm-reservation": 1}]"#,
        r#"[{"location": "https://h.example/p", "location": "/q", "tdm-reservation": 1}]"#,
        r#"{"location": "/p", "location": "/q", "tdm-reservation": 1}"#,
        r#"[{"location": "/", "tdm-reservation": 0, "TDM-Reservation": 1}]"#,
    ] {
        assert!(
            !by_file("tdmrep", body).contains(&"train_ai".to_owned()),
            "{body}"
        );
    }
    for body in [
        r#"{"tdmrep": [{"location": "/", "tdm-reservation": 0}], "tdmrep": []}"#,
        r#"[{"location": "/a", "location": "/q", "tdm-reservation": 1}]"#,
        r#"[{"location": "/p", "location": "/q", "tdm-reservation": 0}]"#,
        r#"[{"location": "/q", "tdm-reservation": 1, "office": {"location": "Rome, Milan"}}]"#,
    ] {
        assert_eq!(by_file("tdmrep", body), ALL, "{body}");
    }
}

/// As for a disallow line before all groups: whom it was meant for is not known.
#[test]
fn acct_4_a_group_without_a_name_is_a_doubt_on_its_paths() {
    let ask = |lines: &str, path: &str| {
        let file = format!("{LINES}\n{lines}\n");
        allowed(json!({ "robots_txt": file, "url": format!("https://h.example{path}") }))
    };
    for lines in [
        "User-agent:\nDisallow: /p",
        "User-agent:\nUser-agent: # all\nDisallow: /p\n",
    ] {
        assert_eq!(ask(lines, "/p"), [""; 0], "{lines}");
        assert_eq!(ask(lines, "/q"), ALL, "{lines}");
    }
    for lines in [
        "User-agent:\nDisallow:",
        "User-agent:\nUser-agent: foo\nDisallow: /",
        "User-agent:\nAllow: /",
    ] {
        assert_eq!(ask(lines, "/p"), ALL, "{lines}");
    }
    assert_eq!(access("Dis allow: /p").0, "unknown");
    let file = "User-agent:\nDisallow: /p\n";
    assert!(!by_file("ai_txt", file).contains(&"train_ai".to_owned()));
}

#[test]
fn read_22_to_24_other_carriers_and_shapes() {
    let both =
        json!({ "headers": [["X-Robots-Tag", "all"], ["X-Archive-Orig-X-Robots-Tag", "noai"]] });
    assert!(!allowed(both).contains(&"train_ai".to_owned()));
    let twice = "\u{ef}\u{bb}\u{bf}User-agent: *\nDisallow: /\n";
    let page = json!({ "url": "https://h.example/p", "robots_txt": twice });
    assert_eq!(explain(&page)["access"], "disallow");
    for body in [
        r#"{"/": 1}"#,
        r#"[{"location": "/", "tdm-reservation": 1, "tdm-reservation": 0}]"#,
        r#"{"@context": "http://www.w3.org/ns/odrl.jsonld", "@type": "Offer", "prohibition": [{"action": "tdm:mine"}]}"#,
    ] {
        let found = allowed(json!({ "site_files": [{ "kind": "tdmrep", "body": body }] }));
        assert!(!found.contains(&"train_ai".to_owned()), "{body}");
    }
    let error = r#"{"error": "Not found", "status": 404}"#;
    assert_eq!(
        allowed(json!({ "site_files": [{ "kind": "tdmrep", "body": error }] })),
        ALL
    );
    let lines = format!("{LINES}ai-train=no\n");
    assert!(allowed(json!({ "robots_txt": lines })).is_empty());
}

#[test]
fn acct_14_without_a_group_a_line_that_cannot_be_read_may_be_for_everyone() {
    for (lines, expected) in [
        ("Disallow: \"/\"\n", "unknown"),
        ("Disallow: /</p>\n", "unknown"),
        ("Disallow: /\n", "allow"),
        ("Disallow:\n", "allow"),
        ("User-agent: z\nDisallow: \"/\"\n", "allow"),
    ] {
        let page = json!({ "url": "https://h.example/p", "robots_txt": lines });
        assert_eq!(explain(&page)["access"], expected, "{lines}");
        let robots = RobotsTxt::parse(lines);
        assert_eq!(
            robots.access("CCBot", "/p").verdict.as_str(),
            expected,
            "{lines}"
        );
    }
}

#[test]
fn know_10_explain_names_the_line_in_doubt_and_why() {
    let robots = format!("{LINES}Content-Signal: /p ai-train=disallowed\n- Disallow: /q\n");
    let page = json!({
        "url": "https://h.example/p", "robots_txt": robots,
        "meta": [{ "name": "ai-policy", "content": "no", "in": "head", "carrier": "meta" }],
    });
    let doubts = explain(&page)["doubts"].as_array().expect("a list").clone();
    let found: Vec<Value> = doubts
        .iter()
        .map(|one| json!([one["reason"], one["carrier"], one["line"]]))
        .collect();
    let expected = [
        json!(["line_lost", "robots", 5]),
        json!(["may_be_no", "robots", 4]),
        json!(["may_be_no", "meta", null]),
    ];
    assert_eq!(found, expected);
    assert_eq!(doubts[0]["text"], "- Disallow: /q");
}
