//! What holds for every system, whatever bytes it is given: no panic, a value for each column, and
//! statements that are where they say.

use crate::random::one_of;
use crate::rounds::rounds;
use crate::statement_rows::viewpoint;
use crawlprefs::robots::{Extent, RobotsTxt};
use crawlprefs::systems::{Answer, FileBody, Page, SYSTEMS, Site, SiteFiles, Source, Value};
use crawlprefs::web::capture_kind::CaptureKind;
use crawlprefs::web::column::{Column, ColumnKind, Nulls};
use crawlprefs::web::field::{Carrier, Field};
use crawlprefs::web::path_pattern::UrlPath;
use crawlprefs::web::preference::Preference;
use fastrand::Rng;
use std::collections::{HashMap, HashSet};

const NAMES: &[&str] = &[
    "content-usage",
    "content-signal",
    "content-signals",
    "x-robots-tag",
    "robots-tag",
    "robots",
    "ccbot",
    "tdm-reservation",
    "tdm-policy",
    "link",
    "noai",
];

const PIECES: &[&str] = &[
    "User-agent: *\n",
    "User-agent: CCBot\n",
    "Disallow: /",
    "Allow: /a",
    "Content-Usage: ",
    "train-ai=n",
    ", ",
    "Usage: ai=n",
    "Content-Signal: ",
    "ai-train=no",
    "App-Directives: ",
    "/p ",
    "a;b=1",
    "DisallowAITraining: ",
    "License: https://l\n",
    "<https://l>; rel=\"license\"; type=\"application/rsl+xml\"",
    "noindex",
    "bot: ",
    "unavailable_after: ",
    "scope: /",
    "host: *",
    "allowed-methods: GET",
    "allowed-purposes: x",
    "<!--",
    "-->",
    "[{\"location\": \"/\", \"tdm-reservation\": 1}]",
    "{\"tdmrep\": [",
    "]",
    "datatrainingallowed=no",
    "# text and data mining",
    "# BEGIN Cloudflare Managed content\n",
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    " ",
    "\t",
    "#",
    ";",
    "=",
    "\"",
    "(",
    ")",
    "\\",
    "*",
    "$",
    "%",
    "%C3",
    ":",
    "?0",
    "@1",
    "1.5",
    "\u{FEFF}",
    "\u{e9}",
    "\0",
];

const LINES: &[&str] = &[
    "User-agent: *",
    "User-agent: CCBot",
    "Disallow: /",
    "Allow: /a",
    "Content-Usage: train-ai=n",
    "Content-Usage: /b train-ai=y",
    "Usage: ai=n",
    "Content-Signal: ai-train=no, search=yes",
    "Content-Signal: /p ai-input=yes",
    "DisallowAITraining: /",
    "License: https://l.example/rsl.xml",
    "# text and data mining is reserved",
    "scope: /",
    "host: *",
    "allowed-purposes: search",
    "disallowed-purposes: ai-training",
    "[{\"location\": \"/\", \"tdm-reservation\": 1}]",
    "datatrainingallowed=no",
    "Sitemap: https://a.example/s.xml",
    "Crawl-delay: 5",
];

/// Some lines of site files, and now and then any bytes.
fn some_file(random: &mut Rng) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..=random.usize(..6) {
        match random.usize(..8) {
            0 => bytes.extend(some_bytes(random)),
            _ => bytes.extend(one_of(random, LINES).as_bytes()),
        }
        bytes.push(b'\n');
    }
    bytes
}

fn some_bytes(random: &mut Rng) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..random.usize(..40) {
        match random.usize(..12) {
            0 => bytes.push(random.u8(..)),
            _ => bytes.extend(one_of(random, PIECES).as_bytes()),
        }
    }
    bytes
}

fn fits(column: &Column, value: &Value) -> bool {
    match (value, column.kind) {
        (Value::Null, _) => column.nulls == Nulls::Allowed,
        (Value::Word(_) | Value::Text(_), ColumnKind::Text)
        | (Value::Texts(_), ColumnKind::List(ColumnKind::Text))
        | (Value::Truth(_), ColumnKind::Boolean) => true,
        (Value::Structs(rows), ColumnKind::Structs(fields)) => {
            rows.iter().all(|row| row.len() == fields.len())
        }
        _ => false,
    }
}

/// The number of lines, counted in the slow obvious way.
fn lines(bytes: &[u8]) -> usize {
    let text = bytes.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(bytes);
    let ends = (0..text.len()).filter(|at| match text[*at] {
        b'\n' => *at == 0 || text[at - 1] != b'\r',
        b'\r' => true,
        _ => false,
    });
    ends.count() + 1
}

fn check_statements(source: &Source<'_>, bytes: &[u8]) -> usize {
    let (viewpoint, mut count) = (viewpoint("CCBot"), 0);
    for system in SYSTEMS {
        system.statements(source, &viewpoint, &mut |statement| {
            count += 1;
            let system = system.about().name;
            assert_eq!(statement.system, system);
            if let Some(line) = statement.line {
                assert!(
                    (1..=lines(bytes)).contains(&(line as usize)),
                    "{system}: line {line} of {bytes:?}"
                );
            }
            assert!(
                statement.preference.is_none() || statement.category.is_some(),
                "{system}: {statement:?}"
            );
            let is_there = memchr::memmem::find(bytes, statement.raw).is_some();
            // Of JSON with bytes that are not UTF-8 the raw is what was read.
            assert!(
                is_there || str::from_utf8(bytes).is_err(),
                "{system}: {:?} is not in {bytes:?}",
                statement.raw
            );
        });
    }
    count
}

#[test]
fn local_statements_of_any_site_file_stand_where_they_say() {
    let mut random = Rng::with_seed(0x9E37_79B9_7F4A_7C15);
    let mut count = 0;
    let files = rounds(4_000, 20_000);
    for _ in 0..files {
        let bytes = some_bytes(&mut random);
        let robots = RobotsTxt::parse(&bytes);
        count += check_statements(&Source::Robots(&robots), &bytes);
        for kind in CaptureKind::ALL {
            let body = FileBody {
                bytes: &bytes,
                extent: Extent::CutOff,
            };
            count += check_statements(&Source::SiteFile(kind, body), &bytes);
        }
    }
    assert!(count > files * 5 / 2, "{count} statements");
}

fn trimmed(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = bytes {
        bytes = rest;
    }
    bytes
}

/// Returns each value as it was received and without outer blanks, and the lines of each field joined.
fn written(fields: &[Field<'_>]) -> HashSet<Vec<u8>> {
    let mut lines: HashMap<_, Vec<&[u8]>> = HashMap::new();
    for field in fields {
        lines
            .entry((field.carrier.as_str(), field.name))
            .or_default()
            .push(trimmed(field.value));
    }
    let joined = lines.values().map(|lines| lines.join(&b", "[..]));
    let alone = fields
        .iter()
        .flat_map(|field| [field.value, trimmed(field.value)]);
    joined.chain(alone.map(<[u8]>::to_vec)).collect()
}

#[test]
fn local_statements_of_any_record_are_in_its_fields() {
    let mut random = Rng::with_seed(42);
    let mut count = 0;
    let records = rounds(4_000, 20_000);
    for _ in 0..records {
        let values: Vec<(Carrier, &str, Vec<u8>)> = (0..random.usize(..4))
            .map(|_| {
                let carriers = [Carrier::Header, Carrier::Meta, Carrier::HttpEquiv];
                let carrier = one_of(&mut random, &carriers);
                let name = one_of(&mut random, NAMES);
                (carrier, name, some_bytes(&mut random))
            })
            .collect();
        let fields: Vec<Field<'_>> = values
            .iter()
            .map(|(carrier, name, value)| Field {
                carrier: *carrier,
                name,
                value,
            })
            .collect();
        let written = written(&fields);
        let viewpoint = viewpoint("CCBot");
        for system in SYSTEMS {
            system.statements(&Source::Record(&fields), &viewpoint, &mut |statement| {
                count += 1;
                assert!(
                    statement.line.is_none()
                        && ["header", "meta", "http_equiv"].contains(&statement.carrier)
                );
                assert!(
                    statement.preference.is_none() || statement.category.is_some(),
                    "{statement:?}"
                );
                assert!(
                    written.contains(statement.raw),
                    "{statement:?} is not in {fields:?}"
                );
            });
        }
    }
    assert!(count > records, "{count} statements");
}

#[test]
fn local_answers_to_any_bytes_fit_their_columns_and_are_always_the_same() {
    let mut random = Rng::with_seed(7);
    let paths = ["/", "/a", "/p/a.jpg?x", "/%C3"];
    for round in 0..rounds(1_500, 6_000) {
        let [bytes, header] = [(); 2].map(|()| some_bytes(&mut random));
        let robots = RobotsTxt::parse(&bytes);
        let viewpoint = viewpoint("CCBot");
        let selection = robots.selection(&viewpoint.token, viewpoint.token_match);
        let site = Site {
            robots: &robots,
            selection: &selection,
        };
        let path = UrlPath::new(paths[round % paths.len()].as_bytes(), None);
        let name = one_of(&mut random, NAMES);
        let signals = [Field {
            carrier: Carrier::Header,
            name,
            value: &header,
        }];
        let page = page(&mut random, &path, &signals);
        let copies = [FileBody {
            bytes: &bytes,
            extent: Extent::Whole,
        }; 2];
        for system in SYSTEMS {
            let about = system.about();
            let count = about.site_file.map_or(0, |kind| kind.paths().len());
            let files = SiteFiles {
                robots: Some(&site),
                copies: &copies[..count],
            };
            for files in [files, SiteFiles::default()] {
                let compiled = system.compile(&files, &viewpoint);
                let (mut once, mut twice) = (Answer::default(), Answer::default());
                compiled.answer(&page, &viewpoint, &mut once);
                compiled.answer(&page, &viewpoint, &mut twice);
                assert_eq!(once, twice, "{}", about.name);
                for opinion in &once.opinions {
                    assert!(!opinion.grounds.is_empty(), "{}: {opinion:?}", about.name);
                }
                assert_eq!(once.values.len(), about.columns.len(), "{}", about.name);
                for (column, value) in about.columns.iter().zip(&once.values) {
                    assert!(fits(column, value), "{} is {value:?}", column.name);
                }
            }
        }
    }
}

#[test]
fn local_an_opinion_by_a_site_file_rests_on_a_statement_of_it() {
    // `sites` compiles no file that states nothing.
    let mut random = Rng::with_seed(0x51_7E);
    let mut opinions = 0;
    let files = rounds(4_000, 20_000);
    let viewpoint = viewpoint("CCBot");
    let path = UrlPath::new(b"/", None);
    for _ in 0..files {
        let bytes = some_file(&mut random);
        let robots = RobotsTxt::parse(&bytes);
        let selection = robots.selection(&viewpoint.token, viewpoint.token_match);
        let site = Site {
            robots: &robots,
            selection: &selection,
        };
        let body = FileBody {
            bytes: &bytes,
            extent: Extent::Whole,
        };
        let page = page(&mut random, &path, &[]);
        for system in SYSTEMS {
            let (files, source) = match system.about().site_file {
                Some(kind) => (
                    SiteFiles {
                        robots: None,
                        copies: &[body],
                    },
                    Source::SiteFile(kind.read_as(), body),
                ),
                None => (
                    SiteFiles {
                        robots: Some(&site),
                        copies: &[],
                    },
                    Source::Robots(&robots),
                ),
            };
            let mut answer = Answer::default();
            let compiled = system.compile(&files, &viewpoint);
            compiled.answer(&page, &viewpoint, &mut answer);
            let mut stated = 0;
            system.statements(&source, &viewpoint, &mut |_| stated += 1);
            opinions += answer.opinions.len();
            assert!(
                answer.opinions.is_empty() || stated > 0,
                "{}: {bytes:?}",
                system.about().name
            );
        }
    }
    assert!(opinions > files / 4, "{opinions} opinions");
}

/// A page of a.example, with any answer of robots.txt.
fn page<'a>(random: &mut Rng, path: &'a UrlPath, fields: &'a [Field<'a>]) -> Page<'a> {
    let preferences = [Preference::Allow, Preference::Disallow, Preference::Unknown];
    Page {
        scheme: None,
        host: Some("a.example"),
        media_type: None,
        fetched_at: None,
        path: Some(path),
        crawl: one_of(random, &preferences),
        fields,
    }
}
