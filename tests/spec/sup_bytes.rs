//! SUP: the rows of statements, and hostile input against slow, obvious readings.

use crate::random::some_of;
use crate::rounds::rounds;
use crate::statement_rows::{column_values, viewpoint};
use crawlprefs::robots::RobotsTxt;
use crawlprefs::systems::aipref_vocab::{Vocabulary, members};
use crawlprefs::systems::sup::{SUP, SupLabel};
use crawlprefs::systems::{Page, Site, Source, Value};
use crawlprefs::web::field::{Carrier, Field};
use crawlprefs::web::path_pattern::UrlPath;
use crawlprefs::web::preference::Preference;
use fastrand::Rng;

/// A row of the table `statements`, as text.
fn rows(source: &Source<'_>) -> Vec<String> {
    let mut rows = Vec::new();
    let text = |bytes: Option<&[u8]>| {
        bytes.map_or("-".into(), |bytes| {
            String::from_utf8_lossy(bytes).into_owned()
        })
    };
    SUP.statements(source, &viewpoint("bot"), &mut |row| {
        assert_eq!((row.system, row.vocabulary, row.path), ("sup", None, None));
        rows.push(format!(
            "{} {} {} {}={} {} {} {}",
            row.carrier,
            row.agent.as_deref().unwrap_or("-"),
            row.line.map_or("-".to_owned(), |line| line.to_string()),
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
fn local_statements_of_robots_txt() {
    let file = b"usage: ai=n\nUser-agent: a\nUser-agent: b/1\nUsage: tdm=n, foo=y,ai=N,genai\nUsage: ,\t\nAllow: /\nuSaGe:ai=y,ai=n # x\n";
    assert_eq!(
        rows(&Source::Robots(&parsed(file))),
        [
            "robots - 1 -=- - - no_group",
            "robots a, b/1 4 tdm=n tdm disallow -",
            "robots a, b/1 4 foo=y - - unknown_label",
            "robots a, b/1 4 ai=N ai unknown unknown_value",
            "robots a, b/1 4 genai=- - - no_value",
            "robots a, b/1 5 -=- - - no_statement",
            "robots a, b/1 7 ai=y ai allow -",
            "robots a, b/1 7 ai=n ai disallow -",
        ]
    );
}

/// Ours: statements are marked where a dictionary would say other things (AMB-SUP-2).
#[test]
fn local_statements_of_the_header_are_marked() {
    for (lines, expected) in [
        (
            &["tdm=y,ai=n"][..],
            &["tdm=y tdm allow -", "ai=n ai disallow -"][..],
        ),
        (
            &["ai=n", "ai=y, search=y"],
            &[
                "ai=n ai disallow dictionary_differs",
                "ai=y ai allow dictionary_differs",
                "search=y search allow -",
            ],
        ),
        (
            &["ai=n, Foo=y"],
            &[
                "ai=n ai disallow dictionary_differs",
                "Foo=y - - unknown_label",
            ],
        ),
        (
            &["ai=n;x=1, tdm=?1, search"],
            &[
                "ai=n;x=1 ai unknown unknown_value",
                "tdm=?1 tdm unknown unknown_value",
                "search=- - - no_value",
            ],
        ),
        (
            &["ai=y, ai=n;x"],
            &[
                "ai=y ai allow dictionary_differs",
                "ai=n;x ai unknown unknown_value",
            ],
        ),
        (&["train-ai=n"], &["train-ai=n - - unknown_label"]),
        (&[""], &["-=- - - no_statement"]),
        (&[], &[]),
    ] {
        let signals: Vec<_> = lines.iter().map(|line| field(line.as_bytes())).collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|row| format!("header - - {row}"))
            .collect();
        assert_eq!(rows(&Source::Record(&signals)), expected, "{lines:?}");
    }
}

fn field(value: &[u8]) -> Field<'_> {
    Field {
        carrier: Carrier::Header,
        name: "content-usage",
        value,
    }
}

fn parsed(file: &[u8]) -> RobotsTxt {
    RobotsTxt::parse(file)
}

fn answered(robots: &RobotsTxt, fields: &[Field<'_>], crawl: Preference) -> Vec<Value> {
    let viewpoint = viewpoint("bot");
    let selection = robots.selection(&viewpoint.token, viewpoint.token_match);
    let path = UrlPath::new(b"/", None);
    let page = Page {
        scheme: None,
        host: None,
        media_type: None,
        fetched_at: None,
        path: Some(&path),
        crawl,
        fields,
    };
    column_values(
        &SUP,
        Some(&Site {
            robots,
            selection: &selection,
        }),
        &page,
        &viewpoint,
    )
}

/// The algorithm of Parsing and Determination to the letter, over one concatenated string.
fn slow(expressions: &[Vec<u8>]) -> Vec<Value> {
    let all = String::from_utf8_lossy(&expressions.join(&b","[..])).into_owned();
    let blank = [' ', '\t'];
    let pieces: Vec<(String, String)> = all
        .split(',')
        .filter_map(|piece| piece.split_once('='))
        .map(|(label, value)| {
            (
                label.trim_matches(blank).to_owned(),
                value.trim_matches(blank).to_owned(),
            )
        })
        .collect();
    let has = |label: &str, value: &str| pieces.contains(&(label.to_owned(), value.to_owned()));
    let chains = [
        &["tdm"][..],
        &["ai", "tdm"],
        &["genai", "ai", "tdm"],
        &["search", "tdm"],
    ];
    let decided = chains.map(|chain| {
        for label in chain {
            if has(label, "n") {
                return "disallow";
            }
            if has(label, "y") {
                return "allow";
            }
        }
        "unknown"
    });
    decided.map(Value::Word).to_vec()
}

/// An expression has fewer words.
const WORDS_LIMIT: usize = 24;

const WORDS: [&[u8]; 24] = [
    b"tdm",
    b"ai",
    b"genai",
    b"search",
    b"ai=n",
    b"tdm=y",
    b"search=n",
    b"genai=y",
    b"=",
    b"=",
    b"y",
    b"n",
    b",",
    b",",
    b", ",
    b" ",
    b"\t",
    b";x=1",
    b"\"",
    b"?0",
    b"(",
    b"AI",
    b"\xff",
    "é".as_bytes(),
];

#[test]
fn sup_parsing_as_the_slow_reading() {
    let mut random = Rng::with_seed(0x5EED);
    for _ in 0..rounds(4_000, 20_000) {
        let [lines, usage] = [(); 2].map(|()| -> Vec<Vec<u8>> {
            (0..random.usize(..3))
                .map(|_| some_of(&mut random, &WORDS, WORDS_LIMIT))
                .collect()
        });
        let mut file = b"User-agent: *\n".to_vec();
        for line in &usage {
            file.extend([b"Usage:", line.as_slice(), b"\n"].concat());
        }
        let signals: Vec<_> = lines.iter().map(|line| field(line)).collect();
        let all: Vec<_> = usage.iter().chain(&lines).cloned().collect();
        let found = answered(&parsed(&file), &signals, Preference::Disallow);
        assert_eq!(
            found,
            slow(&all),
            "{:?}",
            String::from_utf8_lossy(&all.join(&b"|"[..]))
        );
    }
}

/// The dictionary of a field value by another way: the last member of each key, as written.
fn slow_dictionary(value: &[u8], label: SupLabel) -> Preference {
    let vocabulary = Vocabulary::named("01").expect("a draft");
    let Ok(members) = members(value, &vocabulary) else {
        return Preference::Unknown;
    };
    let is_label = |key: &[u8]| key == label.as_str().as_bytes();
    let last = members
        .iter()
        .find(|member| is_label(member.key) && member.defect != Some("superseded"));
    match last.and_then(|member| member.value) {
        Some(b"y") => Preference::Allow,
        Some(b"n") => Preference::Disallow,
        Some(_) | None => Preference::Unknown,
    }
}

#[test]
fn local_marks_as_the_slow_dictionary() {
    const DICTIONARY: [&[u8]; 12] = [
        b"tdm=n,",
        b"ai=y, ",
        b"ai=n,",
        b"genai=n",
        b",",
        b"search=y;x",
        b"search=y,",
        b"ai=?0,",
        b"tdm,",
        b"ai=(n),",
        b"foo=\",ai=n,\",",
        b"x=1",
    ];
    let mut random = Rng::with_seed(0xD1C7);
    let (mut marked, mut plain, values) = (0, 0, rounds(4_000, 20_000));
    for _ in 0..values {
        let value = some_of(&mut random, &DICTIONARY, WORDS_LIMIT);
        let value = value.strip_suffix(b",").unwrap_or(&value).trim_ascii();
        let signals = [field(value)];
        let recorded = |label: SupLabel| {
            let mut all = Preference::Unknown;
            SUP.statements(&Source::Record(&signals), &viewpoint("bot"), &mut |row| {
                let ours = row.category == Some(label.as_str());
                all = all.and(row.preference.filter(|_| ours).unwrap_or_default());
            });
            all
        };
        let differs = SupLabel::ALL.map(|label| recorded(label) != slow_dictionary(value, label));
        SUP.statements(&Source::Record(&signals), &viewpoint("bot"), &mut |row| {
            let at = SupLabel::ALL
                .iter()
                .position(|label| row.category == Some(label.as_str()));
            if let (Some(at), true) = (
                at,
                row.defect
                    .is_none_or(|defect| defect == "dictionary_differs"),
            ) {
                assert_eq!(
                    row.defect.is_some(),
                    differs[at],
                    "{:?}",
                    String::from_utf8_lossy(value)
                );
                *if differs[at] { &mut marked } else { &mut plain } += 1;
            }
        });
    }
    assert!(
        marked > values / 20 && plain > values / 20,
        "{marked} {plain}"
    );
}

#[test]
fn local_any_bytes_are_answered() {
    let mut random = Rng::with_seed(0xB17E);
    for _ in 0..rounds(1_000, 5_000) {
        let bytes: Vec<u8> = (0..random.usize(..200)).map(|_| random.u8(..)).collect();
        let file = [
            b"User-agent: *\nUsage: ",
            bytes.as_slice(),
            b"\nUsage:ai=n,",
            &bytes,
        ]
        .concat();
        let robots = parsed(&file);
        let signals = [field(&bytes), field(b"tdm=n"), field(&bytes)];
        assert_eq!(answered(&robots, &signals, Preference::Unknown).len(), 4);
        assert!(!rows(&Source::Record(&signals)).is_empty());
        rows(&Source::Robots(&robots));
    }
}

/// SUP-11: no limit, and linear time.
#[test]
fn local_long_expressions_are_read_whole() {
    for piece in ["ai=y,", ",", " ", "=", "a=b;c,", "\"", "ai=(", "ai;"] {
        let value = format!("{},ai=n", piece.repeat(rounds(100_000, 400_000)));
        let signals = [field(value.as_bytes())];
        let found = answered(&parsed(b""), &signals, Preference::Allow);
        assert_eq!(found.get(1), Some(&Value::Word("disallow")), "{piece}");
        let mut last = None;
        SUP.statements(&Source::Record(&signals), &viewpoint("bot"), &mut |row| {
            last = row.preference
        });
        assert_eq!(last, Some(Preference::Disallow), "{piece}");
    }
}
