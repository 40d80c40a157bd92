//! Robots tags: the vectors, cases of our own, and hostile input.

use crate::random::{one_of, some_of};
use crate::rounds::rounds;
use crate::statement_rows::{column_values, viewpoint};
use crate::vector_keys::named;
use crawlprefs::explain::json::explain;
use crawlprefs::systems::robots_tag::{MAX_RULES, MAX_VALUE_BYTES, ROBOTS_TAG, TagPlace, parse};
use crawlprefs::systems::{Page, Source, Value};
use crawlprefs::web::field::{Carrier, Field};
use crawlprefs::web::preference::Preference;
use crawlprefs::web::steps;
use fastrand::Rng;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;

const TAG: &str = include_str!("../vectors/tag.json");
const WILD: &str = include_str!("../vectors/robots-tag-wild.json");
const COMBINE: &str = include_str!("../vectors/combine.json");

fn vectors(file: &str) -> Vec<Json> {
    let file: Json = serde_json::from_str(file).expect("a vector file");
    file["vectors"].as_array().expect("vectors").clone()
}

fn answer_to(vector: &Json) -> Json {
    let mut scenario = vector["input"].clone();
    scenario["id"] = vector["id"].clone();
    explain(&scenario)
}

#[test]
fn repext_vectors() {
    let vectors = vectors(TAG);
    assert_eq!(vectors.len(), 22);
    for vector in vectors {
        let answer = answer_to(&vector);
        for (key, expected) in vector["expect"].as_object().expect("expect") {
            assert_eq!(
                named(&answer, key).as_ref(),
                Some(expected),
                "{} {key}",
                vector["id"]
            );
        }
    }
}

#[test]
fn wild_vectors() {
    let vectors = vectors(WILD);
    assert_eq!(vectors.len(), 40);
    for vector in vectors {
        let scenario = json!({ "id": vector["id"], "robots_tag": {
            "source": vector["source"], "lines": vector["lines"] } });
        let answer = explain(&scenario);
        for key in ["rules", "agents_without_rules", "valid_rfc9651_dictionary"] {
            assert_eq!(
                answer["robots_tag"].get(key),
                vector.get(key),
                "{} {key}",
                vector["id"]
            );
        }
    }
}

/// Robots tags change no other system's answer; keys of other systems are theirs to test.
#[test]
fn repext_combine_vectors() {
    let mut ids = Vec::new();
    let mut foreign = BTreeSet::new();
    for vector in vectors(COMBINE) {
        let expect = vector["expect"].as_object().expect("expect");
        if !expect.contains_key("effective_tags") {
            continue;
        }
        ids.push(vector["id"].as_str().expect("an id").to_owned());
        let answer = answer_to(&vector);
        for (key, expected) in expect {
            match named(&answer, key) {
                Some(found) => assert_eq!(found, *expected, "{} {key}", vector["id"]),
                None => drop(foreign.insert(key.clone())),
            }
        }
    }
    assert_eq!(ids, ["combine-015", "combine-018"]);
    assert!(foreign.is_empty(), "{foreign:?}");
}

type GivenField<'a> = (Carrier, &'a str, &'a str);

fn signals<'a>(given: &[GivenField<'a>]) -> Vec<Field<'a>> {
    given
        .iter()
        .map(|(carrier, name, value)| Field {
            carrier: *carrier,
            name,
            value: value.as_bytes(),
        })
        .collect()
}

/// Returns the columns for `CCBot`.
fn columns(given: &[GivenField<'_>]) -> Vec<Value> {
    let viewpoint = viewpoint("CCBot");
    let signals = signals(given);
    let page = Page {
        scheme: None,
        host: None,
        media_type: None,
        fetched_at: None,
        path: None,
        crawl: Preference::Unknown,
        fields: &signals,
    };
    column_values(&ROBOTS_TAG, None, &page, &viewpoint)
}

fn rules_of(given: &[GivenField<'_>]) -> String {
    match columns(given).pop() {
        Some(Value::Texts(rules)) => rules.join(" "),
        other => panic!("{other:?}"),
    }
}

const H: Carrier = Carrier::Header;
const M: Carrier = Carrier::Meta;

#[test]
fn repext_rules_that_bind() {
    for (rule, given, expected) in [
        ("nothing", &[][..], ""),
        (
            "TAG-2",
            &[(H, "robots-tag", "CCBot;noindex, otherbot;nosnippet")],
            "ccbot:noindex",
        ),
        (
            "TAG-7 whole names",
            &[(H, "robots-tag", "ccbot-news;noindex, ccb;noindex")],
            "",
        ),
        (
            "TAG-14",
            &[
                (H, "x-robots-tag", "noai"),
                (M, "robots", "noml, noimageai"),
                (M, "ccbot", "none"),
            ],
            "*:noai *:noimageai *:noml ccbot:none",
        ),
        (
            "TAG-12 nothing positive undoes",
            &[(M, "robots", "noindex"), (M, "ccbot", "index")],
            "*:noindex ccbot:index",
        ),
        (
            "AMB-TAG-1 ?0 is not set",
            &[(H, "robots-tag", "*;noindex=?0;nosnippet=?1")],
            "*:nosnippet",
        ),
        (
            "AMB-TAG-1 open quote",
            &[(H, "robots-tag", "ccbot=\"noindex, nosnippet")],
            "*:nosnippet ccbot:noindex",
        ),
        (
            "AMB-TAG-3 string",
            &[(H, "robots-tag", "ccbot=\"noindex, nosnippet\"")],
            "ccbot:noindex ccbot:nosnippet",
        ),
        (
            "AMB-TAG-4 robots is a name in the header",
            &[(H, "robots-tag", "robots;noindex")],
            "",
        ),
        (
            "AMB-TAG-4 but not as a prefix",
            &[(H, "x-robots-tag", "robots: noindex")],
            "*:noindex",
        ),
        (
            "AMB-TAG-4 * is nobody in a meta",
            &[(M, "*", "noindex")],
            "",
        ),
        (
            "unknown rules stay",
            &[(H, "robots-tag", "*;Foo=\"A b\", bar;noindex")],
            "*:foo=A b",
        ),
        (
            "values keep their case",
            &[(M, "robots", "MAX-IMAGE-PREVIEW:Large")],
            "*:max-image-preview=Large",
        ),
        (
            "READ-19 http-equiv",
            &[(Carrier::HttpEquiv, "x-robots-tag", "noindex")],
            "*:noindex",
        ),
        (
            "READ-19 its own grammar",
            &[(M, "x-robots-tag", "otherbot: noai, ccbot: noml")],
            "ccbot:noml",
        ),
        (
            "READ-19 robot",
            &[
                (M, "robot", "noindex"),
                (Carrier::Property, "robots", "noai"),
            ],
            "*:noai *:noindex",
        ),
        (
            "READ-19 robots",
            &[
                (Carrier::HttpEquiv, "robots", "noai"),
                (Carrier::HttpEquiv, "pragma", "none"),
            ],
            "*:noai",
        ),
        (
            "READ-13",
            &[
                (Carrier::AfterHead, "robots", "noai"),
                (Carrier::AfterHead, "ccbot", "noml"),
            ],
            "*:noai ccbot:noml",
        ),
        (
            "READ-18",
            &[(H, "x-archive-orig-x-robots-tag", "noai")],
            "*:noai",
        ),
        (
            "READ-22 the name itself, and what was renamed",
            &[
                (H, "x-orig-x-robots-tag", "noai"),
                (H, "x-robots-tag", "noml"),
            ],
            "*:noai *:noml",
        ),
        (
            "READ-18 another prefix",
            &[
                (H, "x-y-robots-tag", "noai"),
                (H, "x-my-x-robots-tag", "noai"),
            ],
            "",
        ),
        (
            "READ-17",
            &[(H, "x-robots-tag", "googlebot: nofollow, noai")],
            "*:noai",
        ),
        (
            "READ-17 the first is its own",
            &[(H, "x-robots-tag", "googlebot: noai, nofollow")],
            "",
        ),
        (
            "READ-17 not about AI",
            &[(H, "x-robots-tag", "googlebot: nofollow, noindex")],
            "",
        ),
        (
            "TAG-22 quotes",
            &[(H, "x-robots-tag", "'noai, noimageai'")],
            "*:noai *:noimageai",
        ),
        (
            "TAG-22 double quotes",
            &[(H, "x-robots-tag", "\"noai, noimageai\"")],
            "*:noai *:noimageai",
        ),
        (
            "TAG-22 each in quotes",
            &[(H, "x-robots-tag", "'noai', 'noml'")],
            "*:noai *:noml",
        ),
        (
            "TAG-22 its own name",
            &[(H, "x-robots-tag", "X-Robots-Tag: noindex")],
            "*:noindex",
        ),
        (
            "TAG-22 both",
            &[(H, "robots-tag", "'Robots-Tag : *;noindex'")],
            "*:noindex",
        ),
        (
            "TAG-22 a name",
            &[(M, "\u{201d}robots\u{201d}", "noai")],
            "*:noai",
        ),
        (
            "LIVE-4",
            &[(M, "robots", "DisallowAITraining, notrain")],
            "*:disallowaitraining *:notrain",
        ),
        (
            "other metas are none",
            &[(M, "description", "noindex"), (M, "audience", "all")],
            "",
        ),
        (
            "a prefix in a meta",
            &[(M, "robots", "ccbot: noindex, otherbot: noai")],
            "ccbot:noindex",
        ),
        (
            "scopes end with the line",
            &[
                (H, "x-robots-tag", "otherbot: noai"),
                (H, "x-robots-tag", "noml"),
            ],
            "*:noml",
        ),
        (
            "repeats are one",
            &[
                (H, "x-robots-tag", "noai, NOAI"),
                (H, "robots-tag", "*;noai"),
            ],
            "*:noai",
        ),
        (
            "words before a colon",
            &[(H, "x-robots-tag", "Some Other Bot: noai, ccbot : noml")],
            "ccbot:noml",
        ),
    ] {
        assert_eq!(rules_of(given), expected, "{rule}");
    }
}

/// Ours: after `agent:` and in metas a semicolon separates, and does not name everyone.
#[test]
fn local_a_semicolon_does_not_widen_a_scope() {
    for (carrier, name, value) in [
        (
            H,
            "x-robots-tag",
            "otherbot: noindex;; nosnippet; max-snippet:20; noai",
        ),
        (H, "x-robots-tag", "otherbot: ;noindex"),
        (M, "otherbot", ";noindex;;nosnippet; max-snippet:20 ;noai"),
        (
            H,
            "robots-tag",
            "otherbot=noindex;nosnippet, otherbot=(noai);noml, otherbot=?0;noai",
        ),
    ] {
        assert_eq!(rules_of(&[(carrier, name, value)]), "", "{value}");
    }
    let ours = rules_of(&[(H, "x-robots-tag", "ccbot: noindex;; max-snippet:20; noai")]);
    assert_eq!(ours, "ccbot:max-snippet=20 ccbot:noai ccbot:noindex");
}

#[test]
fn local_columns_are_never_null() {
    let truths = |values: &[bool]| {
        values
            .iter()
            .map(|truth| Value::Truth(*truth))
            .collect::<Vec<_>>()
    };
    assert_eq!(columns(&[])[..3], truths(&[false, false, false]));
    assert_eq!(
        columns(&[(H, "robots-tag", "ccbot;noindex")])[..3],
        truths(&[true, false, false])
    );
    assert_eq!(
        columns(&[(M, "robots", "NOSNIPPET")])[..3],
        truths(&[false, true, false])
    );
    assert_eq!(
        columns(&[(M, "robots", "none")])[..3],
        truths(&[false, false, true])
    );
}

fn rows(given: &[GivenField<'_>]) -> Vec<String> {
    let signals = signals(given);
    let mut rows = Vec::new();
    ROBOTS_TAG.statements(&Source::Record(&signals), &viewpoint("CCBot"), &mut |row| {
        let text = |bytes: Option<&[u8]>| {
            bytes.map_or("-".to_owned(), |b| String::from_utf8_lossy(b).into())
        };
        rows.push(format!(
            "{} {} {} {} {} {} {}",
            row.carrier,
            row.agent.as_deref().unwrap_or("-"),
            text(row.key),
            text(row.value),
            row.category.unwrap_or("-"),
            row.preference.map_or("-", Preference::as_str),
            row.defect.unwrap_or("-"),
        ));
    });
    rows
}

#[test]
fn local_a_statement_for_each_rule() {
    let rows = rows(&[
        (H, "robots-tag", "*;NoIndex;other=5, OtherBot"),
        (
            H,
            "x-robots-tag",
            "GoogleBot: max-snippet:20, index, max-snippet",
        ),
        (H, "robots-tag", "*;noindex=?0"),
        (M, "robots", "noai"),
        (M, "description", "noindex"),
    ]);
    let expected = [
        "header * NoIndex - noindex disallow -",
        "header * other 5 - - unknown_rule",
        "header OtherBot - - - - no_rules",
        "header GoogleBot max-snippet 20 max-snippet - -",
        "header GoogleBot index - index allow -",
        "header GoogleBot max-snippet - max-snippet - no_value",
        "header * noindex ?0 noindex - -",
        "meta * noai - noai disallow -",
    ];
    assert_eq!(rows, expected);
}

/// draft-illyes-repext-03, Application Layer Response Header: what is complete counts.
#[test]
fn repext_limits_drop_the_cut_member_only() {
    let long = format!("noindex, {}nosnippet", "x".repeat(MAX_VALUE_BYTES));
    assert_eq!(rules_of(&[(H, "x-robots-tag", &long)]), "*:noindex");
    let rows = rows(&[(H, "x-robots-tag", &long)]);
    assert_eq!(
        rows,
        [
            "header * noindex - noindex disallow -",
            "header - - - - - cut"
        ]
    );
    let many = "noai,".repeat(MAX_RULES + 1);
    assert_eq!(
        parse(TagPlace::XRobotsTag, many.as_bytes()).rules.len(),
        MAX_RULES
    );
}

const PIECES: [&str; 32] = [
    "noindex",
    "NoSnippet",
    "all",
    "max-snippet",
    "unavailable_after",
    "ccbot",
    "Bot",
    "*",
    "robots",
    "?0",
    "?1",
    ",",
    ", ",
    ";",
    ":",
    ": ",
    "=",
    "(",
    ")",
    "\"",
    "\\",
    " ",
    "\t",
    "\r\n",
    "é",
    "\0",
    "Wed",
    "03 Dec 2025",
    "June 25",
    "1",
    "-1",
    "foo",
];

#[test]
fn local_hostile_values_do_no_harm() {
    let mut random = Rng::with_seed(0x5EED_CAFE);
    for _ in 0..rounds(15_000, 60_000) {
        let mut bytes = some_of(&mut random, &PIECES.map(str::as_bytes), 16);
        if !bytes.is_empty() && random.usize(..4) == 0 {
            let at = random.usize(..bytes.len());
            bytes[at] = random.u8(..);
        }
        let place = one_of(&mut random, &[TagPlace::RobotsTag, TagPlace::XRobotsTag]);
        for rule in parse(place, &bytes).rules {
            assert!(!rule.name.is_empty());
            assert!(rule.value.is_none_or(|value| !value.is_empty()));
        }
    }
}

/// What plain lists are is read by splitting, slowly and obviously.
#[test]
fn local_plain_lists_are_as_split() {
    const WORDS: [&str; 7] = [
        "noindex", "NOAI", " follow ", "", "foo", "\tnone", "noindexx",
    ];
    let mut random = Rng::with_seed(0xBEEF);
    for _ in 0..rounds(5_000, 20_000) {
        let words: Vec<&str> = (0..random.usize(..9))
            .map(|_| one_of(&mut random, &WORDS))
            .collect();
        let line = words.join(",");
        for (prefix, agent) in [("", "*"), ("Bot:", "Bot")] {
            let line = format!("{prefix}{line}");
            let parsed = parse(TagPlace::XRobotsTag, line.as_bytes());
            let found: Vec<_> = parsed
                .rules
                .iter()
                .map(|rule| (rule.agent.as_bytes(), rule.name))
                .collect();
            let expected = words
                .iter()
                .map(|word| word.trim())
                .filter(|word| !word.is_empty());
            // READ-17: behind the first rule, one about AI is for everybody.
            let agent = |at: usize, word: &str| if at > 0 && word == "NOAI" { "*" } else { agent };
            let expected: Vec<_> = expected
                .enumerate()
                .map(|(at, word)| (agent(at, word).as_bytes(), word.as_bytes()))
                .collect();
            assert_eq!(found, expected, "{line}");
        }
    }
}

#[test]
fn local_time_is_linear() {
    for piece in [
        "\"\\",
        "a ",
        "a=\"",
        ";",
        "a=(",
        "unavailable_after:Wed, ",
        "a;b=\"",
        " ",
        "June 25, ",
        "a=(",
    ] {
        let line = piece.repeat((MAX_VALUE_BYTES - 1) / piece.len());
        for place in [TagPlace::RobotsTag, TagPlace::XRobotsTag] {
            let dated = format!("unavailable_after:{}", line.get(..60_000).unwrap_or(&line));
            for line in [&line, &dated] {
                let (_, taken) = steps::counted(|| parse(place, line.as_bytes()));
                let most = 4 * line.len() as u64;
                assert!(
                    taken > 0 && taken <= most,
                    "{piece:?}: {taken} steps, at most {most}"
                );
            }
        }
    }
}
