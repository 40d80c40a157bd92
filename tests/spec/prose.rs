//! Reservations in comments of robots.txt: found, flagged, and never a preference.

use crate::statement_rows::{system, viewpoint};
use crawlprefs::explain::json::explain;
use crawlprefs::robots::RobotsTxt;
use crawlprefs::systems::Source;
use serde_json::json;

fn parse(bytes: &[u8]) -> RobotsTxt {
    RobotsTxt::parse(bytes)
}

/// Every statement as `line category raw`.
fn rows(source: &Source<'_>) -> Vec<String> {
    let viewpoint = viewpoint("CCBot");
    let mut rows = Vec::new();
    system("prose").statements(source, &viewpoint, &mut |row| {
        assert_eq!((row.carrier, &row.agent, row.preference, row.defect), ("robots", &None, None, None));
        assert_eq!((row.key, row.value, row.path), (None, None, None));
        let (line, category) = (row.line.expect("a line"), row.category.expect("a kind"));
        rows.push(format!("{line} {category} {}", row.raw.escape_ascii()));
    });
    rows
}

fn rows_of(bytes: &[u8]) -> Vec<String> {
    rows(&Source::Robots(&parse(bytes)))
}

#[test]
fn wild_reservations_are_found() {
    for (comment, kind) in [
        ("# RIGHTS UNDER ARTICLE 4 OF THE EUROPEAN UNION DIRECTIVE 2019/790 ON COPYRIGHT", "article_4"),
        ("# x expressly reserves its content for commercial text and data mining", "article_4"),
        ("#we reserve TEXT- AND  DATA-MINING", "article_4"),
        ("# Everything below is a text-and-data-mining", "article_4"),
        ("# text & data\tmining is reserved", "article_4"),
        ("# kommerzielles Text und Data Mining", "article_4"),
        ("# Nutzungsvorbehalt nach \u{a7} 44b UrhG", "article_4"),
        ("# part of this site. TDM-Reservation: 1", "article_4"),
        ("# our content may not be used for large language models", "ai"),
        ("## (2) the development of any software, machine learning, artificial intelligence (AI)", "ai"),
        ("# models (LLMs), machine learning and/or AI", "ai"),
        ("# l'entra\u{ee}nement des grands mod\u{e8}les de langage", "ai"),
        ("# outils d'intelligence artificielle", "ai"),
        ("# for the purposes of training AI models", "ai"),
        ("# text and data mining, and machine-learning training", "article_4"),
    ] {
        let found = rows_of(comment.as_bytes());
        assert_eq!(found.len(), 1, "{comment}");
        assert!(found[0].starts_with(&format!("1 {kind} #")), "{found:?}");
    }
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
    assert_eq!(rows_of(b"# large language\n# models\n"), [""; 0]);
}

#[test]
fn local_a_comment_behind_a_rule_and_every_line_end() {
    assert_eq!(
        rows_of(
            b"\xef\xbb\xbf# machine learning\r\nDisallow: / # 2019/790 \xe9\r\r\n\n#machine learning \t\n\
              User-agent: *  ## machine  learning # x"
        ),
        [
            "1 ai # machine learning",
            "2 article_4 # 2019/790 \\xe9",
            "5 ai #machine learning",
            "6 ai ## machine  learning # x",
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
    assert_eq!(answer["crawl"], "allow");
    for key in ["columns", "labels", "labels_from", "reasons", "evidence"] {
        assert!(!answer[key].to_string().contains("prose"), "{answer}");
    }
    let seen = answer["systems"].as_array().expect("a list").iter().find(|one| one["system"] == "prose");
    assert_eq!(seen.map(|prose| (&prose["says"], &prose["grounds"])), Some((&json!({}), &json!([]))));
}

/// Xorshift with a fixed seed.
fn below(state: &mut u64, bound: usize) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    usize::try_from(*state >> 33).expect("31 bits") % bound
}

#[test]
fn local_lines_are_counted_as_the_parser_counts_them() {
    const PIECES: [&[u8]; 9] =
        [b"\r", b"\n", b"\r\n", b"# machine learning", b"Allow: /a", b" ", b"\xef\xbb\xbf", b"\0", b"x: y"];
    let (mut state, mut found) = (0x5EED_0006, 0);
    for _ in 0..20_000 {
        let bytes: Vec<u8> =
            (0..below(&mut state, 20)).flat_map(|_| PIECES[below(&mut state, 9)].iter().copied()).collect();
        let robots = parse(&bytes);
        let lines: Vec<(u32, &[u8])> = robots.lines().collect();
        assert_eq!(lines.len(), robots.line_count() as usize, "{}", bytes.escape_ascii());
        for record in robots.records() {
            let (number, line) = lines[record.line as usize - 1];
            assert_eq!(number, record.line);
            let comment = line.iter().position(|byte| *byte == b'#').unwrap_or(line.len());
            assert_eq!(line[..comment].trim_ascii(), record.text, "{}", bytes.escape_ascii());
        }
        let with_phrase =
            lines.iter().filter(|(_, line)| String::from_utf8_lossy(line).contains("# machine learning"));
        let expected = with_phrase.count();
        assert_eq!(rows_of(&bytes).len(), expected, "{}", bytes.escape_ascii());
        found += expected;
    }
    assert!(found > 10_000, "{found}");
}
