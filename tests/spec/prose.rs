//! Reservations in comments of robots.txt: found, flagged, and never a preference.

use crate::random::some_of;
use crate::rounds::rounds;
use crate::statement_rows::{system, viewpoint};
use crawlprefs::explain::json::explain;
use crawlprefs::robots::RobotsTxt;
use crawlprefs::systems::Source;
use fastrand::Rng;
use serde_json::json;

fn parse(bytes: &[u8]) -> RobotsTxt {
    RobotsTxt::parse(bytes)
}

/// Every statement as `line category raw`.
fn rows(source: &Source<'_>) -> Vec<String> {
    let viewpoint = viewpoint("CCBot");
    let mut rows = Vec::new();
    system("prose").statements(source, &viewpoint, &mut |row| {
        assert_eq!(
            (row.carrier, &row.agent, row.preference, row.defect),
            ("robots", &None, None, None)
        );
        assert_eq!((row.key, row.value, row.path), (None, None, None));
        let (line, category) = (row.line.expect("a line"), row.category.expect("a kind"));
        rows.push(format!("{line} {category} {}", row.raw.escape_ascii()));
    });
    rows
}

fn rows_of(bytes: &[u8]) -> Vec<String> {
    rows(&Source::Robots(&parse(bytes)))
}

/// The classes that a file's comments have, by line.
fn classes_of(bytes: &[u8]) -> Vec<String> {
    let rows = rows_of(bytes);
    rows.iter()
        .map(|row| row.split(' ').take(2).collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
fn wild_reservations_are_found() {
    for (comment, classes) in [
        (
            "# RIGHTS UNDER ARTICLE 4 OF THE EUROPEAN UNION DIRECTIVE 2019/790 ON COPYRIGHT",
            &["article_4"][..],
        ),
        (
            "# x expressly reserves its content for commercial text and data mining",
            &["article_4"],
        ),
        ("#we reserve TEXT- AND  DATA-MINING", &["article_4"]),
        (
            "# Everything below is a text-and-data-mining",
            &["article_4"],
        ),
        ("# text & data\tmining is reserved", &["article_4"]),
        ("# kommerzielles Text und Data Mining", &["article_4"]),
        ("# Nutzungsvorbehalt nach \u{a7} 44b UrhG", &["article_4"]),
        ("# part of this site. TDM-Reservation: 1", &["article_4"]),
        (
            "# our content may not be used for large language models",
            &["ai_training"],
        ),
        (
            "## (2) the development of any software, machine learning, artificial intelligence (AI)",
            &["ai_training"],
        ),
        (
            "# models (LLMs), machine learning and/or AI",
            &["ai_training"],
        ),
        (
            "# l'entra\u{ee}nement des grands mod\u{e8}les de langage",
            &["ai_training"],
        ),
        (
            "# outils d\u{2019}intelligence artificielle",
            &["ai_training"],
        ),
        ("# for the purposes of training AI models", &["ai_training"]),
        (
            "# the use of robots or other automated means is prohibited",
            &["automated_access"],
        ),
        (
            "# text and data mining, and machine-learning training",
            &["article_4", "ai_training"],
        ),
        (
            "# no automated access, no machine learning, no text & data mining, no machine learning",
            &["article_4", "ai_training", "automated_access"],
        ),
    ] {
        let expected: Vec<String> = classes.iter().map(|class| format!("1 {class}")).collect();
        assert_eq!(classes_of(comment.as_bytes()), expected, "{comment}");
    }
}

#[test]
fn local_accents_case_and_encodings_of_eight_languages() {
    for (comment, class) in [
        (&b"# fouille de textes et de donn\xe9es"[..], "article_4"),
        (
            "# FOUILLE DE TEXTES ET DE DONN\u{c9}ES".as_bytes(),
            "article_4",
        ),
        ("# art. L. 122-5-3 du CPI".as_bytes(), "article_4"),
        ("# miner\u{ed}a de textos y datos".as_bytes(), "article_4"),
        ("# estrazione di testo e di dati".as_bytes(), "article_4"),
        ("# tekst- en datamining".as_bytes(), "article_4"),
        (
            "# eksploracji tekst\u{f3}w i danych".as_bytes(),
            "article_4",
        ),
        (
            "# prospe\u{e7}\u{e3}o de textos e dados".as_bytes(),
            "article_4",
        ),
        ("# K\u{dc}NSTLICHE INTELLIGENZ".as_bytes(), "ai_training"),
        (b"# k\xfcnstliche Intelligenz", "ai_training"),
        ("# modele j\u{119}zykowe".as_bytes(), "ai_training"),
        (
            "# zautomatyzowanych \u{15b}rodk\u{f3}w".as_bytes(),
            "automated_access",
        ),
        (
            "# m\u{e9}todos autom\u{e1}ticos".as_bytes(),
            "automated_access",
        ),
    ] {
        assert_eq!(
            classes_of(comment),
            [format!("1 {class}")],
            "{}",
            comment.escape_ascii()
        );
    }
}

#[test]
fn local_a_phrase_may_go_on_in_the_next_line() {
    assert_eq!(
        classes_of(b"# large language\n# models\n"),
        ["1 ai_training"]
    );
    assert_eq!(
        classes_of(b"\xef\xbb\xbf  # text and\r\n#data mining, machine\r\n## learning"),
        ["1 article_4", "2 ai_training"]
    );
    for apart in [
        "# large language\n\n# models",
        "# large language\n#\n# models",
        "# large language\nAllow: /\n# models",
        "Allow: / # large language\n# models",
        "# large language\nAllow: / # models",
        "# large\n# language\n# model",
    ] {
        assert_eq!(rows_of(apart.as_bytes()), [""; 0], "{apart}");
    }
}

#[test]
fn local_a_phrase_begins_with_a_word() {
    for comment in [
        "# nonautomated means",
        "# 12019/790",
        "# x44b urh",
        "# \u{e9}machine learning",
    ] {
        assert_eq!(rows_of(comment.as_bytes()), [""; 0], "{comment}");
    }
    assert_eq!(classes_of(b"# (2019/790)"), ["1 article_4"]);
    assert_eq!(
        classes_of("# \u{434}machine learning".as_bytes()),
        ["1 ai_training"]
    );
}

#[test]
fn wild_comments_that_reserve_nothing_are_not_found() {
    for comment in [
        "# Block Common Crawl (often used for AI training)",
        "# Scraping and AI training are expressly welcome, by any agent, for any purpose.",
        "# ai-train: training or fine-tuning AI models.",
        "# exclusive for ai training",
        "# block AI crawlers",
        "# generative AI search answers).",
        "# llms.txt: https://a.example/llms.txt",
        "# folks get annoyed, see article 4",
        "# we reserve the right to block you",
        "# TDM",
        "# machine",
        "Disallow: /machine learning/",
        "machine learning",
        "# large language",
        "# models",
    ] {
        assert_eq!(rows_of(comment.as_bytes()), [""; 0], "{comment}");
    }
}

#[test]
fn local_a_comment_behind_a_rule_and_every_line_end() {
    assert_eq!(
        rows_of(
            b"\xef\xbb\xbf# machine learning\r\nDisallow: / # 2019/790 \xe9\r\r\n\n#machine learning \t\n\
              User-agent: *  ## machine  learning # x"
        ),
        [
            "1 ai_training # machine learning",
            "2 article_4 # 2019/790 \\xe9",
            "5 ai_training #machine learning",
            "6 ai_training ## machine  learning # x",
        ]
    );
    assert_eq!(rows(&Source::Record(&[])), [""; 0]);
}

#[test]
fn live_prose_is_no_preference_and_has_no_column() {
    assert!(system("prose").about().columns.is_empty());
    let answer = explain(&json!({
        "id": "x", "url": "https://a.example/", "product_token": "CCBot",
        "robots_txt": "# no machine learning\nUser-agent: *\nAllow: /\n",
    }));
    assert_eq!(answer["access"], "allow");
    for key in ["columns", "labels", "labels_from", "reasons", "evidence"] {
        assert!(!answer[key].to_string().contains("prose"), "{answer}");
    }
    let seen = answer["systems"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|one| one["system"] == "prose");
    assert_eq!(
        seen.map(|prose| (&prose["says"], &prose["grounds"])),
        Some((&json!({}), &json!([])))
    );
}

#[test]
fn local_lines_are_counted_as_the_parser_counts_them() {
    const PIECES: [&[u8]; 9] = [
        b"\r",
        b"\n",
        b"\r\n",
        b"# machine learning",
        b"Allow: /a",
        b" ",
        b"\xef\xbb\xbf",
        b"\0",
        b"x: y",
    ];
    let mut random = Rng::with_seed(0x5EED_0006);
    let mut found = 0;
    let files = rounds(4_000, 20_000);
    for _ in 0..files {
        let bytes = some_of(&mut random, &PIECES, 20);
        let robots = parse(&bytes);
        let lines: Vec<(u32, &[u8])> = robots.lines().collect();
        assert_eq!(
            lines.len(),
            robots.line_count() as usize,
            "{}",
            bytes.escape_ascii()
        );
        for record in robots.records() {
            let (number, line) = lines[record.line as usize - 1];
            assert_eq!(number, record.line);
            let comment = line
                .iter()
                .position(|byte| *byte == b'#')
                .unwrap_or(line.len());
            assert_eq!(
                line[..comment].trim_ascii(),
                record.text,
                "{}",
                bytes.escape_ascii()
            );
        }
        let with_phrase = lines
            .iter()
            .filter(|(_, line)| String::from_utf8_lossy(line).contains("# machine learning"));
        let expected = with_phrase.count();
        assert_eq!(rows_of(&bytes).len(), expected, "{}", bytes.escape_ascii());
        found += expected;
    }
    assert!(found > files / 2, "{found}");
}
