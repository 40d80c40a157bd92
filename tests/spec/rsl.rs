//! RSL: RULES.md LIVE-1 and LIVE-6, and the links of RFC 8288; pay per crawl: LIVE-9.

use crate::random::some_of;
use crate::reasons::assert_has_reason;
use crate::rounds::rounds;
use crate::statement_rows::{system, viewpoint};
use crawlprefs::explain::json::explain;
use crawlprefs::robots::{Extent, RobotsTxt};
use crawlprefs::systems::rsl::links;
use crawlprefs::systems::{FileBody, Source};
use crawlprefs::web::capture_kind::CaptureKind;
use crawlprefs::web::field::{Carrier, Field};
use crawlprefs::web::preference::Preference;
use fastrand::Rng;
use serde_json::{Value, json};

fn explained(robots: Option<&str>, headers: &[&str]) -> Value {
    let headers: Vec<_> = headers.iter().map(|value| ("Link", value)).collect();
    let mut scenario = json!({
        "id": "x", "url": "https://a.example/", "product_token": "CCBot", "headers": headers,
    });
    if let Some(robots) = robots {
        scenario["robots_txt"] = robots.into();
    }
    explain(&scenario)
}

/// The licences of a page, joined by a blank.
fn licences(robots: Option<&str>, headers: &[&str]) -> String {
    let answer = explained(robots, headers);
    let urls = answer["columns"]["rsl_license"]
        .as_array()
        .expect("never NULL")
        .iter();
    urls.map(|url| url.as_str().expect("text"))
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn live_6_a_groups_line_else_the_files() {
    for (robots, expected) in [
        ("License: https://l.example/1\n", "https://l.example/1"),
        (
            "license : https://l.example/1 # terms\nUser-agent: *\nAllow: /\n",
            "https://l.example/1",
        ),
        (
            "User-agent: *\nAllow: /\nLICENSE: https://l.example/2\n",
            "https://l.example/2",
        ),
        ("License: u:/1\nUser-agent: *\nLicense: u:/2\n", "u:/2"),
        ("License: u:/1\nUser-agent: *\nLicense:\n", "u:/1"),
        ("License: u:/1\nUser-agent: x\nLicense: u:/2\n", "u:/1"),
        ("User-agent: x\nLicense: u:/2\n", ""),
        (
            "User-agent: CCBot\nLicense: u:/3\nAllow: /\nUser-agent: *\nLicense: u:/2\n",
            "u:/3",
        ),
        (
            "License: u:/1\nUser-agent: CCBot\nAllow: /\nUser-agent: *\nLicense: u:/2\n",
            "u:/1",
        ),
        (
            "User-agent: *\nLicense: u:/2\nLicense: u:/1\nLicense: u:/2\nAllow: /\nUser-agent: *\nLicense: u:/3",
            "u:/2 u:/1 u:/3",
        ),
        ("License: /license.xml", "/license.xml"),
        ("User-agent: *\nDisallow: /\nLicense: u:/1\n", "u:/1"),
        (
            "License https://l.example/\nLicence: u:/1\nX-License: u:/1\n",
            "",
        ),
    ] {
        assert_eq!(licences(Some(robots), &[]), expected, "{robots}");
    }
    assert_eq!(licences(None, &[]), "");
}

#[test]
fn live_1_a_licence_ends_no_run_of_user_agent_lines() {
    let robots = "User-agent: a\nLicense: u:/1\nUser-agent: CCBot\nDisallow: /\n";
    let answer = explained(Some(robots), &[]);
    assert_eq!(
        (&answer["access"], &answer["columns"]["rsl_license"]),
        (&json!("disallow"), &json!(["u:/1"]))
    );
}

const TYPE: &str = "type=\"application/rsl+xml\"";

#[test]
fn live_6_links_of_the_header() {
    for (fields, expected) in [
        (vec![format!("<u:/1>; rel=\"license\"; {TYPE}")], "u:/1"),
        (vec![format!("<u:/1>;{TYPE};rel=license")], "u:/1"),
        (
            vec!["<u:/1> ; REL = License ; Type = Application/RSL+xml".to_owned()],
            "u:/1",
        ),
        (
            vec!["<u:/1>; rel=license; type=\"application/rsl+xml; charset=utf-8\"".to_owned()],
            "u:/1",
        ),
        (
            vec![format!("<u:/1>; rel=\"next LICENSE  prev\"; {TYPE}")],
            "u:/1",
        ),
        (
            vec![format!(
                "</a,b;c>; title=\"x, <u:/9>; \\\"\"; rel=license; {TYPE}"
            )],
            "/a,b;c",
        ),
        (
            vec![format!(
                "<s.css>; rel=preload; as=style, <u:/1>; rel=license; {TYPE}, <u:/2>"
            )],
            "u:/1",
        ),
        (
            vec![format!(
                "<u:/1>; rel=license; {TYPE},<u:/2>; rel=license; {TYPE}"
            )],
            "u:/1 u:/2",
        ),
        (
            vec![
                format!("<u:/2>; rel=license; {TYPE}"),
                format!("<u:/1>; {TYPE}; rel=license"),
            ],
            "u:/2 u:/1",
        ),
        (
            vec![
                format!("<u:/1>; rel=license; {TYPE}"),
                format!("<u:/1>; {TYPE}; rel=license"),
            ],
            "u:/1",
        ),
        (
            vec![format!("nonsense, <u:/1>; rel=license; {TYPE}")],
            "u:/1",
        ),
        (
            vec![format!(", ,<u:/1>; crossorigin; rel=license; {TYPE} ,")],
            "u:/1",
        ),
        (vec!["<u:/1>; rel=license".to_owned()], ""),
        (vec!["<u:/1>; rel=license; type=text/html".to_owned()], ""),
        (vec![format!("<u:/1>; rel=licenses; {TYPE}")], ""),
        (vec![format!("<u:/1>; rel=next; rel=license; {TYPE}")], ""),
        (
            vec![format!("<u:/1>; rel=license; type=text/html; {TYPE}")],
            "",
        ),
        (
            vec![format!("<u:/1>; rel=license; {TYPE}; anchor=\"/other\"")],
            "",
        ),
        (vec![format!("<>; rel=license; {TYPE}")], ""),
        (vec![format!("u:/1; rel=license; {TYPE}")], ""),
        (vec![format!("<u:/1; rel=license; {TYPE}")], ""),
        (vec![format!("<u:/1>; title=\"; rel=license; {TYPE}")], ""),
    ] {
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        assert_eq!(licences(None, &fields), expected, "{fields:?}");
    }
}

#[test]
fn live_6_lines_before_links_and_none_twice() {
    let robots = "License: u:/2\nLicense: u:/1\n";
    let field = format!("<u:/3>; rel=license; {TYPE}, <u:/2>; rel=license; {TYPE}");
    let answer = explained(Some(robots), &[&field]);
    assert_eq!(
        answer["columns"]["rsl_license"],
        json!(["u:/2", "u:/1", "u:/3"])
    );
    assert_has_reason(
        &answer,
        &json!({ "system": "rsl", "lines": [1, 2], "header": true }),
    );
}

#[test]
fn rfc8288_3_the_parameters_of_links() {
    let value =
        b"</\xe9>; rel=\"a\\\"b\"; type=\"x\", <b> ; anchor=\"#f\" junk \",\"; rel=no, <c>;rel=\"x";
    let found: Vec<String> = links(value)
        .map(|link| {
            let text = |bytes: Option<&[u8]>| bytes.unwrap_or(b"-").escape_ascii().to_string();
            let [rel, kind, anchor] =
                [&link.rel, &link.media_type, &link.anchor].map(|text| text.as_deref());
            format!(
                "{} {} {} {}",
                text(Some(link.target)),
                text(rel),
                text(kind),
                text(anchor)
            )
        })
        .collect();
    assert_eq!(found, ["/\\xe9 a\\\"b x -", "b - - #f", "c x - -"]);
}

fn rows(source: &Source<'_>) -> Vec<String> {
    let system = system("rsl");
    let viewpoint = viewpoint("CCBot");
    let mut rows = Vec::new();
    system.statements(source, &viewpoint, &mut |row| {
        assert_eq!(row.path, None);
        let preference = row.preference.map_or("-", Preference::as_str);
        let meaning = [row.category.unwrap_or("-"), preference].join(" ");
        rows.push(format!(
            "{} {} {} {} {} {} {meaning}",
            row.carrier,
            row.agent.as_deref().unwrap_or("-"),
            row.key.unwrap_or_default().escape_ascii(),
            row.value.unwrap_or_default().escape_ascii(),
            row.defect.unwrap_or("-"),
            row.line.unwrap_or_default(),
        ));
    });
    rows
}

fn rows_of_robots(bytes: &[u8]) -> Vec<String> {
    rows(&Source::Robots(&RobotsTxt::parse(bytes)))
}

#[test]
fn live_6_every_statement_is_given_also_with_a_defect() {
    assert_eq!(
        rows_of_robots(
            b"License: https://l.example/\nlicense: /l.xml\nUser-agent: a\nUser-agent: b\nLICENSE:\n\
              License: 1:/x\nLicense: //l.example/\xe9 # y\nUser-agent: c\nAllow: /\n"
        ),
        [
            "robots - License https://l.example/ - 1 license -",
            "robots - license /l.xml not_absolute 2 license -",
            "robots a, b, c LICENSE  empty 5 license -",
            "robots a, b, c License 1:/x not_absolute 6 license -",
            "robots a, b, c License //l.example/\\xe9 not_absolute 7 license -",
        ]
    );
    let value = format!(
        "</l.xml>; rel=license; {TYPE}, <>; rel=license; {TYPE}, <u:/1>; rel=license, <u:/2>; rel=license; {TYPE}; anchor=x"
    );
    let field = |carrier, name| Field {
        carrier,
        name,
        value: value.as_bytes(),
    };
    assert_eq!(
        rows(&Source::Record(&[
            field(Carrier::Meta, "link"),
            field(Carrier::Header, "links"),
            field(Carrier::Header, "link"),
        ])),
        [
            "header - link /l.xml - 0 license -",
            "header - link  empty 0 license -",
            "header - link u:/2 other_context 0 license -"
        ]
    );
    let file = FileBody {
        bytes: b"User-agent: *\nLicense: u:/1\n",
        extent: Extent::Whole,
    };
    assert_eq!(rows(&Source::SiteFile(CaptureKind::AiTxt, file)), [""; 0]);
}

#[test]
fn live_6_links_of_the_html_head() {
    let link = |media_type, href| json!({ "name": media_type, "content": href, "carrier": "link" });
    let scenario = json!({
        "url": "https://a.example/", "robots_txt": "License: u:/1\n",
        "meta": [
            link("application/rsl+xml", "/l.xml"), link("Application/RSL+XML; x=1", "u:/1"), link("", "u:/2"),
            link("text/html", "u:/3"), link("application/rsl+xml", ""),
            { "name": "application/rsl+xml", "content": "u:/4" },
        ],
    });
    let answer = explain(&scenario);
    assert_eq!(answer["columns"]["rsl_license"], json!(["u:/1", "/l.xml"]));
    let field = |name, value: &'static str| Field {
        carrier: Carrier::Link,
        name,
        value: value.as_bytes(),
    };
    assert_eq!(
        rows(&Source::Record(&[
            field("application/rsl+xml", "/l.xml"),
            field("application/rsl+xml", ""),
            field("text/html", "u:/3"),
        ])),
        [
            "link - link /l.xml - 0 license -",
            "link - link  empty 0 license -"
        ]
    );
}

#[test]
fn live_6_challenges_of_the_scheme_license() {
    for (value, expected) in [
        ("License", Some("")),
        ("LICENSE error=\"a, b\", x=y", Some("error=\"a, b\", x=y")),
        (
            "Basic realm=\"License x\", License\terror=e",
            Some("error=e"),
        ),
        ("Bearer License = x", None),
        ("Bearer a=b, License = x", None),
        ("Licenses a=b", None),
        ("Basic realm=\"a, License b\"", None),
        ("", None),
    ] {
        let expected: Vec<String> = expected
            .map(|value| {
                format!(
                    "header - www-authenticate {} - 0 license -",
                    value.escape_default()
                )
            })
            .into_iter()
            .collect();
        assert_eq!(
            rows(&Source::Record(&[Field::header(
                "www-authenticate",
                value.as_bytes()
            )])),
            expected,
            "{value}"
        );
    }
    assert_eq!(
        rows(&Source::Record(&[Field::meta(
            "www-authenticate",
            b"License"
        )])),
        [""; 0]
    );
}

#[test]
fn live_6_terms_of_scripts_are_statements_and_count_for_no_label() {
    let terms = "<rsl><content url=\"/\"><license><permits type=\"usage\">search ai-use</permits>\
                 <prohibits type=\"usage\">ai-all</prohibits></license></content></rsl>";
    let script = Field {
        carrier: Carrier::Script,
        name: "application/rsl+xml",
        value: terms.as_bytes(),
    };
    assert_eq!(
        rows(&Source::Record(&[script])),
        [
            "script - script  - 0 license -",
            "script - permits search - 0 search allow",
            "script - permits ai-use unknown_value 0 - -",
            "script - prohibits ai-all - 0 ai-all disallow",
        ]
    );
    let meta = json!({ "name": "application/rsl+xml", "content": terms, "carrier": "script" });
    let answer = explain(&json!({ "url": "https://a.example/", "meta": [meta] }));
    let labels = answer["labels"].as_object().expect("labels");
    assert!(
        labels.values().all(|label| label == "unknown")
            && answer["columns"]["rsl_license"] == json!([]),
        "{answer}"
    );
}

#[test]
fn live_9_prices_are_statements_and_no_preference() {
    let fields = [
        Field::header("crawler-price", b"USD 0.01"),
        Field::header("crawler-charged", b"USD 0.02"),
        Field::header("crawler-error", b""),
        Field::header("x-crawler-price", b"USD 1"),
        Field::meta("crawler-price", b"USD 1"),
    ];
    assert_eq!(
        crate::statement_rows::rows("pay_per_crawl", &Source::Record(&fields)),
        [
            "- | - | - | crawler-price | USD 0.01 | price | - | -",
            "- | - | - | crawler-charged | USD 0.02 | charged | - | -",
            "- | - | - | crawler-error |  | error | - | empty",
        ]
    );
}

#[test]
fn live_12_a_disclosure_is_a_statement_and_no_preference() {
    let of = |fields: &[Field<'_>]| {
        crate::statement_rows::rows("ai_disclosure", &Source::Record(fields))
    };
    assert_eq!(
        of(&[
            Field::header(
                "ai-disclosure",
                b"mode=ai-modified; model=\"m-1\"; date=@1745286896"
            ),
            Field::header(
                "ai-disclosure",
                b"provider=\"P, Inc.\", mode=autonomous, x=1, reviewed-by=2"
            ),
            Field::meta("ai-disclosure", b"ai-assisted"),
            Field::header("x-ai-disclosure", b"mode=none"),
        ]),
        [
            "- | - | - | mode | ai-modified | mode | - | -",
            "- | - | - | model | m-1 | model | - | -",
            "- | - | - | date | @1745286896 | date | - | -",
            "- | - | - | provider | P, Inc. | provider | - | -",
            "- | - | - | mode | autonomous | mode | - | -",
            "- | - | - | x | - | - | - | unknown_key",
            "- | - | - | reviewed-by | - | reviewed-by | - | unknown_value",
            "- | - | - | - | ai-assisted | mode | - | -",
        ]
    );
    assert_eq!(
        of(&[Field::header("ai-disclosure", b"mode=None Yet")]),
        ["- | - | - | - | - | - | - | not_dictionary"]
    );
    assert_eq!(
        of(&[Field::header("ai-disclosure", b"")]),
        ["- | - | - | - | - | - | - | empty"]
    );
    let headers = json!([
        ["AI-Disclosure", "mode=machine-generated"],
        ["Content-Signal", "ai-train=yes"]
    ]);
    let answer = explain(&json!({ "url": "https://a.example/", "headers": headers }));
    assert_eq!(answer["labels"]["train_ai"], "allow", "{answer}");
}

#[test]
fn local_hostile_fields_end_and_targets_are_parts_of_them() {
    const PIECES: [&[u8]; 12] = [
        b"<", b">", b";", b",", b"\"", b"\\", b"=", b" ", b"rel", b"license", b"\xff", b"type",
    ];
    let mut random = Rng::with_seed(0x5EED_0005);
    let mut count = 0;
    let fields = rounds(10_000, 50_000);
    for _ in 0..fields {
        let bytes = some_of(&mut random, &PIECES, 30);
        let targets: Vec<Vec<u8>> = links(&bytes).map(|link| link.target.to_vec()).collect();
        let opened = bytes.iter().filter(|byte| **byte == b'<').count();
        assert!(targets.len() <= opened, "{}", bytes.escape_ascii());
        assert!(
            targets.iter().all(|target| !target.contains(&b'>')),
            "{}",
            bytes.escape_ascii()
        );
        count += targets.len();
        let script = Field {
            carrier: Carrier::Script,
            name: "application/rsl+xml",
            value: &bytes,
        };
        assert!(
            rows(&Source::Record(&[Field::header(
                "www-authenticate",
                &bytes
            )]))
            .len()
                <= 1
        );
        assert_eq!(
            rows(&Source::Record(&[script])).len(),
            1,
            "{}",
            bytes.escape_ascii()
        );
    }
    assert!(count > fields * 2 / 25, "{count}");
}
