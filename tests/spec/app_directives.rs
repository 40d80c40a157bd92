//! App-Directives: the vectors, what they do not have, and hostile files.
//!
//! Document: draft-nottingham-plan-b (2026-06-13).

use crate::random::{one_of, some_of};
use crate::rounds::rounds;
use crate::statement_rows::{column_values, viewpoint};
use crate::vector_keys::named;
use crawlprefs::explain::json::explain;
use crawlprefs::robots::RobotsTxt;
use crawlprefs::systems::app_directives::APP_DIRECTIVES;
use crawlprefs::systems::structured_field::MAX_FIELD_BYTES;
use crawlprefs::systems::{MAX_GROUNDS, Page, Site, Source, Statement, Value};
use crawlprefs::web::path_pattern::UrlPath;
use crawlprefs::web::preference::Preference;
use fastrand::Rng;
use serde_json::{Value as Json, json};
use std::fmt::Write;

const APP: &str = include_str!("../vectors/app.json");
const COMBINE: &str = include_str!("../vectors/combine.json");

/// Answers the vectors with an application; returns how many, and the keys that were not answered.
fn run(file: &str) -> (usize, Vec<String>) {
    let file: Json = serde_json::from_str(file).expect("JSON");
    let vectors = file["vectors"].as_array().expect("a list").iter();
    let vectors: Vec<&Json> = vectors
        .filter(|vector| vector["input"].get("application").is_some())
        .collect();
    let mut missing = Vec::new();
    for vector in &vectors {
        let mut scenario = vector["input"].clone();
        scenario["id"] = vector["id"].clone();
        let answer = explain(&scenario);
        for (key, expected) in vector["expect"].as_object().expect("an object") {
            match named(&answer, key) {
                Some(found) => assert_eq!(found, *expected, "{} {key}", vector["id"]),
                None => missing.push(format!("{} {key}", vector["id"])),
            }
        }
    }
    (vectors.len(), missing)
}

#[test]
fn plan_b_vectors() {
    assert_eq!(run(APP), (23, Vec::new()));
    assert_eq!(run(COMBINE), (1, Vec::new()));
}

fn parse(robots_txt: &[u8]) -> RobotsTxt {
    RobotsTxt::parse(robots_txt)
}

/// Returns the column for a page, its rows written `application name type value`.
fn column(robots_txt: &[u8], path: &str) -> Vec<String> {
    let (robots, viewpoint) = (parse(robots_txt), viewpoint("ExampleBot"));
    let selection = robots.selection(&viewpoint.token, viewpoint.token_match);
    let site = Site {
        robots: &robots,
        selection: &selection,
    };
    let path = UrlPath::new(path.as_bytes(), None);
    values(Some(&site), Some(&path))
}

fn values(site: Option<&Site<'_>>, path: Option<&UrlPath>) -> Vec<String> {
    let viewpoint = viewpoint("ExampleBot");
    let page = Page {
        scheme: None,
        host: None,
        media_type: None,
        fetched_at: None,
        path,
        crawl: Preference::Disallow,
        fields: &[],
    };
    let values = column_values(&APP_DIRECTIVES, site, &page, &viewpoint);
    let [Value::Structs(rows)] = values.as_slice() else {
        panic!("{values:?}")
    };
    let word = |field: &Option<String>| field.clone().unwrap_or("NULL".to_owned());
    rows.iter()
        .map(|row| row.iter().map(word).collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
fn plan_b_column() {
    for (name, rules, path, expected) in [
        (
            "every application, in the order of first naming",
            "App-Directives: b;x=1, a;y\nApp-Directive: b;z=\"q r\"",
            "/",
            vec!["b x integer 1", "b z string q r", "a y boolean true"],
        ),
        (
            "named without directives",
            "App-Directives: a, b;x=?0",
            "/",
            vec!["a  NULL NULL", "b x boolean false"],
        ),
        (
            "named with and without",
            "App-Directives: a, a;x=t/u, a",
            "/",
            vec!["a x token t/u"],
        ),
        (
            "case of identifiers",
            "App-Directives: a;x, A;x=0",
            "/",
            vec!["a x boolean true", "A x integer 0"],
        ),
        (
            "last value, first place",
            "App-Directives: a;x=1;y=2;x=2.0\nApp-Directives: a;z, a;y=@3",
            "/",
            vec!["a x decimal 2.0", "a y date 3", "a z boolean true"],
        ),
        (
            "bytes and display strings",
            "App-Directives: a;b=:aGk=:;d=%\"%c3%a9\"",
            "/",
            vec!["a b binary aGk=", "a d display_string \u{e9}"],
        ),
        (
            "closed paths too",
            "Disallow: /\nApp-Directives: a;x",
            "/p",
            vec!["a x boolean true"],
        ),
        (
            "longest path for all",
            "App-Directives: a;x\nApp-Directives: /p b;y",
            "/p",
            vec!["b y boolean true"],
        ),
        (
            "identical paths",
            "App-Directives: /p a;x\nApp-Directives: /p a;y",
            "/p",
            vec!["a x boolean true", "a y boolean true"],
        ),
        (
            "equally long paths",
            "App-Directives: /*b a;x=2\nApp-Directives: /ab a;x=1",
            "/ab",
            vec!["a x integer 1"],
        ),
        (
            "length is that of the encoded path",
            "App-Directives: /\u{e9} a;x\nApp-Directives: /???? a;y",
            "/%C3%A9",
            vec!["a x boolean true"],
        ),
        (
            "root outranks no path",
            "App-Directives: a;x=1\nApp-Directives: / a;x=2",
            "/",
            vec!["a x integer 2"],
        ),
        (
            "anchors and stars",
            "App-Directives: a;x=1\nApp-Directives: /*.gif$ a;x=2",
            "/d/e.gif",
            vec!["a x integer 2"],
        ),
        (
            "a blank is %20",
            "App-Directives: /a%20b a;x",
            "/a b",
            vec!["a x boolean true"],
        ),
        (
            "empty list hides shorter paths",
            "App-Directives: a;x\nApp-Directives: /p",
            "/p",
            vec![],
        ),
        (
            "broken list hides shorter paths",
            "App-Directives: a;x\nApp-Directives: /p a;X",
            "/p",
            vec![],
        ),
        (
            "broken list, same path",
            "App-Directives: a;x=1\nApp-Directives: a;x=2,",
            "/p",
            vec!["a x integer 1"],
        ),
        (
            "other members",
            "App-Directives: \"s\", (a;x), 5;x, a;y",
            "/",
            vec!["a y boolean true"],
        ),
        (
            "hash in a string",
            "App-Directives: a;x=\"#\"\nApp-Directives: b",
            "/",
            vec!["b  NULL NULL"],
        ),
        (
            "tab after the colon and the path",
            "App-Directives:\t/\t \ta;x",
            "/",
            vec!["a x boolean true"],
        ),
        ("no colon", "App-Directives a;x", "/", vec![]),
        ("another name", "App-Directivess: a;x", "/", vec![]),
    ] {
        let robots_txt = format!("User-agent: *\n{rules}\n");
        assert_eq!(column(robots_txt.as_bytes(), path), expected, "{name}");
    }
}

#[test]
fn plan_b_applying_groups_are_those_of_the_crawler() {
    let own = "App-Directives: a;x=1\nUser-agent: *\nApp-Directives: a;x=2\nUser-agent: ExampleBot\n\
               App-Directives: a;x=3\n\nUser-agent: other\nApp-Directives: a;x=4\nUser-agent: examplebot\nApp-Directive: b;y\n";
    assert_eq!(
        column(own.as_bytes(), "/"),
        ["a x integer 3", "b y boolean true"]
    );
    let without_own =
        "User-agent: *\nApp-Directives: a;x=2\nUser-agent: ExampleBotX\nApp-Directives: a;x=3\n";
    assert_eq!(column(without_own.as_bytes(), "/"), ["a x integer 2"]);
}

#[test]
fn local_no_file_and_no_path_direct_nothing() {
    assert_eq!(values(None, Some(&UrlPath::new(b"/", None))), [""; 0]);
    let (robots, viewpoint) = (
        parse(b"User-agent: *\nApp-Directives: a;x\n"),
        viewpoint("ExampleBot"),
    );
    let selection = robots.selection(&viewpoint.token, viewpoint.token_match);
    assert_eq!(
        values(
            Some(&Site {
                robots: &robots,
                selection: &selection
            }),
            None
        ),
        [""; 0]
    );
}

#[test]
fn local_explain_without_an_application_says_nothing_of_directives() {
    let robots_txt = "User-agent: *\nApp-Directives: a;x=%\"%c3%a9\";y=@5;z=:aGk=:\n";
    let mut scenario = json!({ "id": "x", "url": "https://a.example/", "robots_txt": robots_txt });
    assert_eq!(explain(&scenario).get("directives"), None);
    scenario["application"] = "a".into();
    let expected = json!({
        "x": { "type": "display_string", "value": "\u{e9}" }, "y": { "type": "date", "value": 5 },
        "z": { "type": "binary", "value": "aGk=" },
    });
    assert_eq!(explain(&scenario)["directives"], expected);
    scenario["robots_fetch"] = json!([{ "url": "https://a.example/robots.txt", "status": 404 }]);
    let answer = explain(&scenario);
    assert_eq!(
        (&answer["directives"], &answer["directive_rules"]),
        (&Json::Null, &json!([]))
    );
}

/// Returns the statements, written `line path agent key value defect`, a dash for NULL.
fn statements(robots_txt: &[u8]) -> Vec<String> {
    let mut rows = Vec::new();
    let mut give = |statement: &Statement<'_>| {
        assert_eq!(
            (statement.system, statement.carrier),
            ("app_directives", "robots")
        );
        assert_eq!(
            (
                statement.vocabulary,
                statement.category,
                statement.preference
            ),
            (None, None, None)
        );
        let text = |bytes: Option<&[u8]>| {
            bytes.map_or("-".into(), |b| String::from_utf8_lossy(b).into_owned())
        };
        rows.push(format!(
            "{} {} {} {} {} {}",
            statement.line.expect("a line"),
            text(statement.path),
            statement.agent.as_deref().unwrap_or("-"),
            text(statement.key),
            text(statement.value),
            statement.defect.unwrap_or("-"),
        ));
    };
    APP_DIRECTIVES.statements(
        &Source::Robots(&parse(robots_txt)),
        &viewpoint("ExampleBot"),
        &mut give,
    );
    rows
}

#[test]
fn plan_b_statements() {
    let robots_txt = b"App-Directives: a;x\nUser-agent: other\nApp-Directives: /p%20 a;x=1; y;x=\"a,;\\\"\" , b\t,(c d);z, a;y=?0;v\n\
        app-directive: /q\t\nApp-Directives:\nApp-Directives: a;X # a;x\n";
    assert_eq!(
        statements(robots_txt),
        [
            "1 - - - - no_group",
            "3 /p%20 a x 1 superseded",
            "3 /p%20 a y  superseded",
            "3 /p%20 a x \"a,;\\\"\" -",
            "3 /p%20 b - - -",
            "3 /p%20 - - (c d);z not_token",
            "3 /p%20 a y ?0 -",
            "3 /p%20 a v  -",
            "4 /q - - - no_statement",
            "5 - - - - no_statement",
            "6 - - - - not_list",
        ]
    );
    let long = format!(
        "User-agent: *\nApp-Directives: a{}\n",
        ";x".repeat(MAX_FIELD_BYTES / 2)
    );
    assert_eq!(statements(long.as_bytes()), ["2 - - - - too_long"]);
    APP_DIRECTIVES.statements(&Source::Record(&[]), &viewpoint("ExampleBot"), &mut |_| {
        panic!("a statement")
    });
}

/// A rule as values: its path, and its members with at most one directive.
type Rule = (
    &'static str,
    Vec<(&'static str, Option<(&'static str, usize)>)>,
);

fn some_rule(random: &mut Rng) -> Rule {
    let path = one_of(random, &["", "/", "/a", "/a/", "/a/b", "/b", "/a/bc"]);
    let mut members = Vec::new();
    for _ in 0..random.usize(..4) {
        let directive = (one_of(random, &["x", "y"]), random.usize(..9));
        members.push((
            one_of(random, &["e", "f", "E"]),
            (random.usize(..4) > 0).then_some(directive),
        ));
    }
    (path, members)
}

fn written((path, members): &Rule, random: &mut Rng) -> String {
    let member = |(name, directive): &(&str, Option<(&str, usize)>)| {
        directive.map_or((*name).to_owned(), |(key, value)| {
            format!("{name}; {key}={value}")
        })
    };
    let list: Vec<String> = members.iter().map(member).collect();
    let name = one_of(
        random,
        &["App-Directives", "app-directive", " APP-DIRECTIVES\t"],
    );
    format!(
        "{name}: {path} {} # a;x\n",
        list.join(one_of(random, &[",", " ,\t", ", "]))
    )
}

/// A slow, obvious reading without wildcards: every directive is looked at again.
fn slowly(rules: &[Rule], path: &str) -> Vec<String> {
    let matching = || rules.iter().filter(|(rule, _)| path.starts_with(rule));
    let longest = matching().map(|(rule, _)| rule.len()).max();
    let binding = matching().filter(|(rule, _)| Some(rule.len()) == longest);
    let members: Vec<_> = binding.flat_map(|(_, members)| members).collect();
    let mut rows = Vec::new();
    for name in ["E", "e", "f"] {
        let own: Vec<_> = members.iter().filter(|(other, _)| *other == name).collect();
        let last = |key| {
            own.iter()
                .rev()
                .filter_map(|(_, directive)| *directive)
                .find(|(other, _)| *other == key)
        };
        let directives: Vec<_> = ["x", "y"].into_iter().filter_map(last).collect();
        if directives.is_empty() && !own.is_empty() {
            rows.push(format!("{name}  NULL NULL"));
        }
        rows.extend(
            directives
                .iter()
                .map(|(key, value)| format!("{name} {key} integer {value}")),
        );
    }
    rows
}

#[test]
fn plan_b_applying_generated_files_are_read_as_by_the_slow_reading() {
    let mut random = Rng::with_seed(11);
    let (mut spoken, files) = (0, rounds(1_000, 3_000));
    for _ in 0..files {
        let rules: Vec<Rule> = (0..random.usize(..6))
            .map(|_| some_rule(&mut random))
            .collect();
        let lines: String = rules
            .iter()
            .map(|rule| written(rule, &mut random))
            .collect();
        let path = one_of(&mut random, &["/", "/a", "/a/b", "/a/bcd", "/b/a", "/c"]);
        let mut found = column(format!("User-agent: *\n{lines}").as_bytes(), path);
        found.sort();
        assert_eq!(found, slowly(&rules, path), "{lines}{path}");
        spoken += usize::from(!found.is_empty());
    }
    assert!(spoken > files / 3, "{spoken} pages with directives");
}

#[test]
fn local_hostile_bytes_give_rows_or_nothing() {
    const PIECES: [&[u8]; 27] = [
        b"App-Directives:",
        b"app-directive: ",
        b"User-agent: *\n",
        b"User-agent: ExampleBot\n",
        b"\n",
        b"\r",
        b"a",
        b";x",
        b"=",
        b"\"",
        b"\\",
        b"%\"",
        b"%ff",
        b",",
        b" ",
        b"\t",
        b"(",
        b")",
        b"/",
        b"*",
        b"$",
        b"#",
        b"\0",
        b"\xff",
        b"\xc3\xa9",
        b":",
        b"9",
    ];
    let mut random = Rng::with_seed(5);
    let (mut rows, files) = (0, rounds(10_000, 60_000));
    for _ in 0..files {
        let some = some_of(&mut random, &PIECES, 24);
        let text = [b"User-agent: *\nApp-Directives: ", &some[..]].concat();
        column(&text, "/a/9");
        rows += statements(&text).len();
    }
    assert!(rows > files / 6, "{rows} statements");
}

/// A file full of different directives: time grows with its size only.
#[test]
fn local_large_files_are_read_in_linear_time() {
    let mut text = "User-agent: *\n".to_owned();
    let mut count = 0;
    while text.len() < 400_000 {
        write!(text, "App-Directives: a{count}").expect("text");
        for _ in 0..4_000 {
            count += 1;
            write!(text, ";k{count}").expect("text");
        }
        text.push('\n');
    }
    // The column shows no more than the first; the statements are all there.
    assert_eq!(column(text.as_bytes(), "/").len(), MAX_GROUNDS);
    assert_eq!(statements(text.as_bytes()).len(), count);
    let commas = format!(
        "User-agent: *\nApp-Directives: {}\n",
        "a,".repeat(30_000) + "a;x"
    );
    assert_eq!(column(commas.as_bytes(), "/"), ["a x boolean true"]);
    assert_eq!(statements(commas.as_bytes()).len(), 30_001);
}
