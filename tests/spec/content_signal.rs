//! Content-Signal: RULES.md LIVE-1, LIVE-2, LABEL-2 and PREC, case by case.

use crate::statement_rows::{column_values, system, viewpoint};
use crawlprefs::explain::json::explain;
use crawlprefs::robots::RobotsTxt;
use crawlprefs::systems::{Source, Value as Cell};
use crawlprefs::web::field::{Carrier, Field};
use serde_json::{Value, json};

/// Answers `search ai-input ai-train use` in one text, `-` for no level of use.
fn answer(scenario: &Value) -> String {
    let answer = explain(scenario);
    let signals = answer["columns"]
        .as_object()
        .unwrap_or_else(|| panic!("{scenario}: {answer}"));
    let word = |key: &str| {
        signals[&format!("content_signal_{key}")]
            .as_str()
            .unwrap_or("-")
            .to_owned()
    };
    ["search", "ai_input", "ai_train", "use"]
        .map(word)
        .join(" ")
}

fn scenario(robots: Option<&str>, headers: &[(&str, &str)], path: &str) -> Value {
    let mut scenario = json!({
        "id": "x", "url": format!("https://a.example{path}"), "product_token": "CCBot", "headers": headers,
    });
    if let Some(robots) = robots {
        scenario["robots_txt"] = robots.into();
    }
    scenario
}

fn of_robots(robots: &str) -> String {
    answer(&scenario(Some(robots), &[], "/a/page.html"))
}

/// The answer to lines in a group that is for everyone.
fn of_lines(lines: &str) -> String {
    of_robots(&format!("User-agent: *\n{lines}\nAllow: /\n"))
}

fn of_header(lines: &[&str]) -> String {
    let fields: Vec<_> = lines.iter().map(|line| ("Content-Signal", *line)).collect();
    answer(&scenario(None, &fields, "/a/page.html"))
}

const NOTHING: &str = "unknown unknown unknown -";
const CLOSED: &str = "not_applicable not_applicable not_applicable -";

/// `label.json` has no keys of ours; but where Content-Signal alone speaks, or wins, the labels are
/// its answers.
#[test]
fn label_vectors_agree_with_the_answers_to_their_input() {
    const OURS: [&str; 5] = [
        "label-012",
        "label-013",
        "label-014",
        "label-015",
        "label-016",
    ];
    let file: Value =
        serde_json::from_str(include_str!("../vectors/label.json")).expect("a file of vectors");
    let mut seen = Vec::new();
    for vector in file["vectors"].as_array().expect("a list") {
        let mut scenario = vector["input"].clone();
        scenario["id"] = vector["id"].clone();
        if !vector["input"].to_string().contains("ontent-Signal") {
            let silent = answer(&scenario);
            assert!(
                [NOTHING, CLOSED].contains(&silent.as_str()),
                "{}: {silent}",
                vector["id"]
            );
            continue;
        }
        let id = vector["id"].as_str().expect("an id");
        let (labels, found) = (&vector["expect"]["labels"], &explain(&scenario)["columns"]);
        for (label, key) in [
            ("search", "content_signal_search"),
            ("ai_input", "content_signal_ai_input"),
            ("train_ai", "content_signal_ai_train"),
            ("train_genai", "content_signal_ai_train"),
        ] {
            assert_eq!(labels[label], found[key], "{id}: {label}");
        }
        seen.push(id);
    }
    assert_eq!(seen, OURS);
}

#[test]
fn wild_forms_of_the_line() {
    for (lines, expected) in [
        (
            "Content-Signal: search=yes,ai-train=no",
            "allow unknown disallow -",
        ),
        (
            "Content-Signal: search=yes,ai-train=no,use=reference",
            "allow unknown disallow reference",
        ),
        (
            "Content-Signal: search=no, ai-input=no, ai-train=no, use=immediate",
            "disallow disallow disallow immediate",
        ),
        (
            "Content-Signal: ai-train=yes, search=yes, ai-input=yes",
            "allow allow allow -",
        ),
        (
            "Content-Signal: ai-input=no, ai-train=no, search=yes",
            "allow disallow disallow -",
        ),
        (
            "Content-signal: search=no, ai-train=no",
            "disallow unknown disallow -",
        ),
        (
            "Content-Signal: ai-train=no, use=reference",
            "unknown unknown disallow reference",
        ),
        (
            "Content-Signal: ai-train=no\nContent-Signal: search=yes\nContent-Signal: ai-input=no",
            "allow disallow disallow -",
        ),
        ("Content-Signals: ai-train=no", "unknown unknown disallow -"),
        (
            "Content-Signal: ai-train=no # training",
            "unknown unknown disallow -",
        ),
        (
            "Content-Signal: search=yes,ai-train=no,use=full",
            "allow unknown disallow full",
        ),
    ] {
        assert_eq!(of_lines(lines), expected, "{lines}");
    }
}

#[test]
fn live_2_blanks_case_plural_and_keys() {
    for (lines, expected) in [
        (
            "  CONTENT-SIGNAL\t:\tSearch = YES\t,  AI-Train=No , use = FULL",
            "allow unknown disallow full",
        ),
        (
            "Content-Signal: search=yes\ncontent-signals: ai-input=no",
            "allow disallow unknown -",
        ),
        (
            "Content-Signal:search=yes,,ai-train=no,",
            "allow unknown disallow -",
        ),
        (
            "Content-Signal: foo=no, train-ai=n, ai-train=no",
            "unknown unknown disallow -",
        ),
        ("Content-Signal: ai_train=no, ai=no, tdm=no", NOTHING),
        (
            "Content-Signal: use=reference",
            "unknown unknown unknown reference",
        ),
        ("Content-Signals-Policy: search=no", NOTHING),
        ("X-Content-Signal: search=no", NOTHING),
    ] {
        assert_eq!(of_lines(lines), expected, "{lines}");
    }
}

#[test]
fn live_2_a_no_wins_over_a_yes() {
    for lines in [
        "Content-Signal: search=yes, search=no",
        "Content-Signal: search=no, search=yes",
        "Content-Signal: search=yes\nContent-Signal: search=no",
        "Content-Signal: search=no\nContent-Signals: search=yes",
    ] {
        assert_eq!(of_lines(lines), "disallow unknown unknown -", "{lines}");
    }
    assert_eq!(
        of_lines("Content-Signal: use=full, use=immediate"),
        "unknown unknown unknown immediate"
    );
    assert_eq!(
        of_lines("Content-Signal: use=reference\nContent-Signal: use=full"),
        "unknown unknown unknown reference"
    );
}

#[test]
fn live_1_values_that_do_not_parse_state_nothing() {
    for lines in [
        "Content-Signal:",
        "Content-Signal: ,",
        "Content-Signal: search",
        "Content-Signal: search=",
        "Content-Signal: search=y, ai-train=n, ai-input=0",
        "Content-Signal: search=\"no\"",
        "Content-Signal: search=no; ai-train=no",
        "Content-Signal: search=no ai-train=no",
        "Content-Signal: search:no",
        "Content-Signal: use=yes",
        "Content-Signal search=no",
        "Content-Signal: search=n\u{0}o",
    ] {
        assert_eq!(of_lines(lines), NOTHING, "{lines}");
    }
    assert_eq!(
        of_lines("Content-Signal: search=maybe, ai-train=no"),
        "unknown unknown disallow -"
    );
}

#[test]
fn live_2_the_longest_matching_path_of_each_key_counts() {
    for (lines, expected) in [
        (
            "Content-Signal: search=yes\nContent-Signal: /a/ ai-train=no",
            "allow unknown disallow -",
        ),
        (
            "Content-Signal: search=yes\nContent-Signal: /b/ ai-train=no",
            "allow unknown unknown -",
        ),
        (
            "Content-Signal: /a/ search=no\nContent-Signal: /a/page ai-train=yes",
            "disallow unknown allow -",
        ),
        (
            "Content-Signal: /a/ search=no\nContent-Signal: /*/ ai-train=no",
            "disallow unknown disallow -",
        ),
        (
            "Content-Signal: /%61/ search=no\nContent-Signal: /a/ search=yes",
            "disallow unknown unknown -",
        ),
        (
            "Content-Signal: /*.html$ search=no",
            "disallow unknown unknown -",
        ),
        ("Content-Signal: /A/ search=no", NOTHING),
        (
            "Content-Signal: ai-train=no\nContent-Signal: /a/ ai-train=yes",
            "unknown unknown allow -",
        ),
        (
            "Content-Signal: search=yes\nContent-Signal: /a/",
            "allow unknown unknown -",
        ),
        (
            "Content-Signal: search=no\nContent-Signal: /a/ search=maybe",
            "disallow unknown unknown -",
        ),
        (
            "Content-Signal: / search=yes, ai-train=no",
            "allow unknown disallow -",
        ),
    ] {
        assert_eq!(of_lines(lines), expected, "{lines}");
    }
}

#[test]
fn live_1_groups_are_selected_as_for_rules() {
    for (robots, expected) in [
        (
            "User-agent: CCBot\nAllow: /\n\nUser-agent: *\nContent-Signal: ai-train=no\n",
            NOTHING,
        ),
        (
            "User-agent: *\nAllow: /\n\nUser-agent: ccbot/2.0\nContent-Signal: ai-train=no\n",
            "unknown unknown disallow -",
        ),
        (
            "User-agent: Bytespider\nDisallow: /\nContent-Signal: ai-train=no\n",
            NOTHING,
        ),
        // Merged: the managed block and the site's own.
        (
            "User-agent: *\nContent-Signal: search=yes\nAllow: /\n\nUser-agent: x\nDisallow: /\n\nUser-agent: *\nContent-Signal: ai-train=no\n",
            "allow unknown disallow -",
        ),
        // It ends no run of user-agent lines.
        (
            "User-agent: CCBot\nContent-Signal: ai-train=no\nUser-agent: x\nContent-Signal: search=yes\n",
            "allow unknown disallow -",
        ),
    ] {
        assert_eq!(of_robots(robots), expected, "{robots}");
    }
}

#[test]
fn live_2_a_line_outside_any_group_is_read_as_one_of_everyone() {
    const LINE: &str = "Content-Signal: ai-train=no\n";
    for (rest, expected) in [
        ("", "unknown unknown disallow -"),
        (
            "User-agent: *\nContent-Signal: search=yes\n",
            "allow unknown disallow -",
        ),
        (
            "User-agent: *\nContent-Signal: ai-train=yes\n",
            "unknown unknown disallow -",
        ),
        ("User-agent: x\nAllow: /\n", "unknown unknown disallow -"),
        ("User-agent: CCBot\nAllow: /\n", NOTHING),
    ] {
        assert_eq!(of_robots(&format!("{LINE}{rest}")), expected, "{rest}");
    }
}

#[test]
fn label_2_lines_of_a_closed_path_do_not_apply_and_headers_do() {
    const ROBOTS: &str = "User-agent: *\nContent-Signal: search=no, use=immediate\nDisallow: /a/\n";
    let at = |headers: &[_], path: &str| answer(&scenario(Some(ROBOTS), headers, path));
    assert_eq!(at(&[], "/a/"), CLOSED);
    assert_eq!(at(&[], "/b/"), "disallow unknown unknown immediate");
    assert_eq!(
        at(&[("Content-Signal", "search=yes")], "/a/"),
        "allow unknown unknown -"
    );
    assert_eq!(
        at(&[("Content-Signal", "search=yes, use=full")], "/b/"),
        "disallow unknown unknown immediate"
    );
    assert_eq!(at(&[("Content-Signal", "")], "/a/"), NOTHING);
    assert_eq!(at(&[("Content-Signal", "search=y")], "/a/"), NOTHING);
}

#[test]
fn prec_4_and_11_files_that_were_not_read() {
    let with_status = |status: Value, headers: &[(&str, &str)]| {
        let mut scenario = scenario(
            Some("User-agent: *\nContent-Signal: search=no\n"),
            headers,
            "/a",
        );
        scenario["robots_fetch"] =
            json!([{ "url": "https://a.example/robots.txt", "status": status }]);
        answer(&scenario)
    };
    // Wild: 418 with a body that has a Content-Signal (stackoverflow.com).
    assert_eq!(with_status(json!(418), &[]), NOTHING);
    assert_eq!(with_status(json!(503), &[]), CLOSED);
    assert_eq!(
        with_status(json!(503), &[("content-signal", "ai-input=yes")]),
        "unknown allow unknown -"
    );
    assert_eq!(with_status(json!(200), &[]), "disallow unknown unknown -");
    assert_eq!(answer(&scenario(None, &[], "/a")), NOTHING);
    assert!(
        explain(&json!({ "id": "x", "statements": ["train-ai=n"] }))
            .get("content_signal")
            .is_none()
    );
}

#[test]
fn live_2_the_response_header() {
    for (lines, expected) in [
        (
            &["ai-train=yes, search=yes, ai-input=yes"][..],
            "allow allow allow -",
        ),
        (
            &["search=yes", "search=no", "use=full"],
            "disallow unknown unknown full",
        ),
        (&["/a/ search=no"], "disallow unknown unknown -"),
        (
            &["/b/ search=no", "ai-train=no"],
            "unknown unknown disallow -",
        ),
        (&["search=no # no comment here"], NOTHING),
    ] {
        assert_eq!(of_header(lines), expected, "{lines:?}");
    }
    assert_eq!(
        answer(&scenario(None, &[("Content-Signals", "search=no")], "/")),
        "disallow unknown unknown -"
    );
    assert_eq!(
        answer(&scenario(None, &[("Content-Usage", "search=n")], "/")),
        NOTHING
    );
    let mut meta = scenario(None, &[], "/");
    meta["meta"] = json!([{ "name": "content-signal", "content": "search=no", "in": "head" }]);
    // READ-19: its no counts, and its yes does not.
    assert_eq!(answer(&meta), "disallow unknown unknown -");
    meta["meta"][0]["content"] = json!("search=yes, ai-train=no");
    assert_eq!(answer(&meta), "unknown unknown disallow -");
}

#[test]
fn prec_2_header_and_robots_add_up_and_neither_outranks() {
    const ROBOTS: &str = "User-agent: *\nContent-Signal: search=yes, ai-train=no, use=reference\n";
    for (header, expected) in [
        (
            "search=no, ai-train=yes, ai-input=yes, use=full",
            "disallow allow disallow reference",
        ),
        ("use=immediate", "allow unknown disallow immediate"),
        ("broken", "allow unknown disallow reference"),
    ] {
        let found = answer(&scenario(Some(ROBOTS), &[("Content-Signal", header)], "/"));
        assert_eq!(found, expected, "{header}");
    }
}

#[test]
fn local_reasons_name_the_lines_that_took_part() {
    let robots = "Content-Signal: search=yes\nUser-agent: *\nContent-Signal: /a ai-train=no\nContent-Signal: use=full\n";
    for (path, lines) in [("/a", json!([1, 3, 4])), ("/b", json!([1, 4]))] {
        let answer = explain(&scenario(Some(robots), &[], path));
        let reasons = answer["reasons"].as_array().expect("reasons");
        let expected = json!({ "system": "content_signal", "lines": lines, "header": false });
        assert!(reasons.contains(&expected), "{reasons:?}");
    }
}

/// Every statement as `carrier agent path key value category preference defect line`, `-` for none.
fn rows(source: &Source<'_>) -> Vec<String> {
    let mut rows = Vec::new();
    let text = |bytes: Option<&[u8]>| {
        bytes.map_or("-".to_owned(), |bytes| bytes.escape_ascii().to_string())
    };
    system("content_signal").statements(source, &viewpoint("CCBot"), &mut |row| {
        assert_eq!((row.system, row.vocabulary), ("content_signal", None));
        rows.push(format!(
            "{} {} {} {} {} {} {} {} {}",
            row.carrier,
            row.agent.as_deref().unwrap_or("-"),
            text(row.path),
            text(row.key),
            text(row.value),
            row.category.unwrap_or("-"),
            row.preference.map_or("-", |preference| preference.as_str()),
            row.defect.unwrap_or("-"),
            row.line.map_or("-".to_owned(), |line| line.to_string()),
        ));
    });
    rows
}

fn parse(robots: &[u8]) -> RobotsTxt {
    RobotsTxt::parse(robots)
}

#[test]
fn live_1_every_statement_is_given_also_with_a_defect() {
    let robots = parse(
        b"Content-Signal: search=YES, foo=1\n\
          User-agent: a\nUser-agent: b/1\nContent-Signals: /x Ai-Train = no, search, use=full\n\
          User-agent: *\nDisallow: /\nContent-Signal:\nContent-Signal: /y\n\
          User-agent: c\nContent-Signal: ai-input=\xe9, use=all # end\n",
    );
    assert_eq!(
        rows(&Source::Robots(&robots)),
        [
            "robots * - search YES search allow no_group 1",
            "robots * - foo 1 - - unknown_key 1",
            "robots a, b/1, * /x Ai-Train no ai-train disallow with_path 4",
            "robots a, b/1, * /x search - search unknown unknown_value 4",
            "robots a, b/1, * /x use full use - with_path 4",
            "robots a, b/1, * - - - - - no_statement 7",
            "robots a, b/1, * /y - - - - no_statement 8",
            "robots c - ai-input \\xe9 ai-input unknown unknown_value 10",
            "robots c - use all use - unknown_value 10",
        ]
    );
}

#[test]
fn live_1_read_19_statements_of_the_header_and_of_metas_named_like_it() {
    let signal = |carrier, name, value: &'static str| Field {
        carrier,
        name,
        value: value.as_bytes(),
    };
    let signals = [
        signal(Carrier::Header, "content-signal", " search=no , /a=1"),
        signal(Carrier::Header, "content-signals", "/a ai-train=no"),
        signal(Carrier::Header, "content-signal", ""),
        signal(Carrier::Header, "content-usage", "search=n"),
        signal(Carrier::Meta, "content-signal", "search=no, ai-train=yes"),
    ];
    assert_eq!(
        rows(&Source::Record(&signals)),
        [
            "header - - search no search disallow - -",
            "header - - /a 1 - - unknown_key -",
            "header - /a ai-train no ai-train disallow with_path -",
            "header - - - - - - no_statement -",
            "meta - - search no search disallow - -",
            "meta - - ai-train yes ai-train unknown - -",
        ]
    );
}

#[test]
fn live_2_a_vendors_block_of_comments_alone_states_nothing() {
    let robots = "# BEGIN Cloudflare Managed content\n# Content-Signal: search=yes,ai-train=no\n\
                  # express reservations of rights under Article 4 of Directive 2019/790\n\
                  # END Cloudflare Managed Content\nUser-agent: *\nAllow: /\n";
    assert_eq!(rows(&Source::Robots(&parse(robots.as_bytes()))), [""; 0]);
    let answer = explain(&scenario(Some(robots), &[], "/"));
    let labels = answer["labels"].as_object().expect("labels");
    assert!(
        labels.values().all(|label| label == "unknown"),
        "{labels:?}"
    );
}

#[test]
fn local_columns_and_the_values_without_a_site() {
    let names: Vec<_> = system("content_signal")
        .about()
        .columns
        .iter()
        .map(|column| column.name)
        .collect();
    assert_eq!(
        names,
        [
            "content_signal_search",
            "content_signal_ai_input",
            "content_signal_ai_train",
            "content_signal_use"
        ]
    );
    let page = crawlprefs::systems::Page {
        scheme: None,
        host: None,
        media_type: None,
        fetched_at: None,
        path: None,
        crawl: crawlprefs::web::preference::Preference::Unknown,
        fields: &[Field {
            carrier: Carrier::Header,
            name: "content-signal",
            value: b"search=no, use=full",
        }],
    };
    assert_eq!(
        column_values(system("content_signal"), None, &page, &viewpoint("CCBot")),
        [
            Cell::Word("disallow"),
            Cell::Word("unknown"),
            Cell::Word("unknown"),
            Cell::Word("full")
        ]
    );
}
