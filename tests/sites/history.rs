//! `history`: what is printed of a host is what its files were, and what `explain` says of each time.

use crate::kept_folder::KeptFolder;
use crate::rounds::rounds;
use crate::world::{origin, warc};
use crate::{done, failed, of_world, run};
use fastrand::Rng;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

const OPEN: &str = "User-agent: *\nDisallow: /x\n";
const NAMED: &str = "User-agent: *\nDisallow: /x\n\nUser-agent: GPTBot\nDisallow: /\n";
/// As before, with a comment, the groups in another order, and a rule that loses.
const MOVED: &str = "# ours\nUser-agent: gptbot\nAllow: /x\nDisallow: /x\nDisallow: /\nAllow:\n\nUser-agent: *\nDisallow: /x\n";
const MOVED_ONLY: &str = "# ours\nUser-agent: gptbot\nDisallow: /\nDisallow: /\n\nUser-agent: *\nDisallow: /x\nDisallow: /x # twice\n";
const SIGNAL: &str = "User-agent: *\nContent-Signal: ai-train=no, search=yes\nAllow: /\n";
const SITEMAP: &str = "Sitemap: https://a.example/s.xml\nUser-agent: *\nContent-Signal: ai-train=no, search=yes\nAllow: /\n";
const TDM: &str = r#"[{"location": "/", "tdm-reservation": 1}]"#;
const TDM_AGAIN: &str = "[ {\n \"tdm-reservation\": 1, \"location\": \"/\"} ]";

pub fn ok(body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{body}").into_bytes()
}

fn answer(line: &str) -> Vec<u8> {
    format!("HTTP/1.1 {line}\r\n\r\n").into_bytes()
}

/// The crawls: each has captures of a URL at a time with an answer.
type Crawls = Vec<Vec<(&'static str, &'static str, Vec<u8>)>>;

const ROBOTS: &str = "https://a.example/robots.txt";

/// Five crawls over more than a year.
fn crawls() -> Crawls {
    vec![
        vec![
            (ROBOTS, "2021-01-10T10:00:00Z", ok(OPEN)),
            (
                "http://a.example/robots.txt",
                "2021-01-10T10:00:09Z",
                ok(OPEN),
            ),
            (
                "https://a.example:8443/robots.txt",
                "2021-01-10T10:00:09Z",
                ok(OPEN),
            ),
            (ROBOTS, "2021-02-10T10:00:00Z", ok(OPEN)),
        ],
        vec![
            (ROBOTS, "2021-03-10T10:00:00Z", ok(NAMED)),
            (
                "https://a.example:8443/.well-known/tdmrep.json",
                "2021-03-11T10:00:00Z",
                ok(TDM),
            ),
            (ROBOTS, "2021-04-10T10:00:00Z", ok(MOVED_ONLY)),
            (
                "https://a.example:8443/.well-known/tdmrep.json",
                "2021-04-11T10:00:00Z",
                ok(TDM_AGAIN),
            ),
        ],
        vec![
            (ROBOTS, "2021-05-10T10:00:00Z", answer("404 Not Found")),
            (ROBOTS, "2021-06-10T10:00:00Z", ok(MOVED_ONLY)),
            (ROBOTS, "2021-07-10T10:00:00Z", answer("503 Busy")),
        ],
        vec![
            (
                ROBOTS,
                "2022-03-10T10:00:00Z",
                answer("301 Moved\r\nLocation: https://www.b.example/robots.txt"),
            ),
            (
                "https://www.b.example/robots.txt",
                "2022-03-10T10:00:05Z",
                ok("User-agent: *\nDisallow: /\n"),
            ),
            (ROBOTS, "2022-04-10T10:00:00Z", answer("404 Not Found")),
            (ROBOTS, "2022-04-10T10:00:00Z", ok(SIGNAL)),
        ],
        vec![
            (ROBOTS, "2022-05-10T10:00:00Z", ok(SITEMAP)),
            (ROBOTS, "2022-06-10T10:00:00Z", ok(MOVED)),
            (ROBOTS, "no time", ok(OPEN)),
        ],
    ]
}

/// Makes an index of crawls by merging theirs.
pub fn indexed(folder: &Path, crawls: &Crawls) -> String {
    let at = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let mut indexes = Vec::new();
    for (number, captures) in crawls.iter().enumerate() {
        let captures = captures.iter().map(|(url, time, answer)| {
            let time = if time.contains('T') {
                time
            } else {
                "T-nonsense"
            };
            warc::response(url, time, "", answer)
        });
        let (archive, out, index) = (
            at(&format!("{number}.warc")),
            at(&format!("out-{number}")),
            at(&format!("index-{number}")),
        );
        fs::write(&archive, captures.collect::<Vec<_>>().concat()).expect("an archive");
        done(&[
            "scan",
            "-q",
            &archive,
            "--crawl",
            &format!("crawl-{number}"),
            "-o",
            &out,
        ]);
        done(&["index", "-q", &out, "-o", &index]);
        indexes.push(index);
    }
    let indexes: Vec<&str> = indexes.iter().map(String::as_str).collect();
    done(&[&["index", "-q", "-o", &at("index")], indexes.as_slice()].concat());
    at("index")
}

/// The index of [`crawls`].
static INDEX: LazyLock<(KeptFolder, String)> = LazyLock::new(|| {
    let folder = KeptFolder::new("history");
    let index = indexed(folder.path(), &crawls());
    (folder, index)
});

pub fn items(index: &str, subject: &str, more: &[&str]) -> Vec<Value> {
    values(&done(
        &[&["history", subject, "--sites", index, "--json"], more].concat(),
    ))
}

fn values(printed: &str) -> Vec<Value> {
    printed
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// Returns the entries of a file of an origin.
pub fn entries<'i>(items: &'i [Value], origin: &str, file: &str) -> Vec<&'i Value> {
    let is_wanted =
        |item: &&Value| item["item"] == "entry" && item["origin"] == origin && item["file"] == file;
    items.iter().filter(is_wanted).collect()
}

#[test]
fn local_each_change_is_an_entry_and_equal_fetches_are_one() {
    let items = items(&INDEX.1, "a.example", &[]);
    let found = entries(&items, "https://a.example", "robots");
    let shown: Vec<Value> = found
        .iter()
        .map(|entry| {
            json!([
                entry["first"],
                entry["last"],
                entry["fetches"],
                entry["state"],
                entry["effect"]
            ])
        })
        .collect();
    let expected = json!([
        [
            "2021-01-10T10:00:00Z",
            "2021-02-10T10:00:00Z",
            2,
            "parsed",
            "first"
        ],
        [
            "2021-03-10T10:00:00Z",
            "2021-03-10T10:00:00Z",
            1,
            "parsed",
            "effects"
        ],
        [
            "2021-04-10T10:00:00Z",
            "2021-04-10T10:00:00Z",
            1,
            "parsed",
            "text"
        ],
        [
            "2021-05-10T10:00:00Z",
            "2021-05-10T10:00:00Z",
            1,
            "unavailable",
            "effects"
        ],
        [
            "2021-06-10T10:00:00Z",
            "2021-06-10T10:00:00Z",
            1,
            "parsed",
            "effects"
        ],
        [
            "2021-07-10T10:00:00Z",
            "2021-07-10T10:00:00Z",
            1,
            "unreachable",
            "effects"
        ],
        [
            "2022-03-10T10:00:00Z",
            "2022-03-10T10:00:00Z",
            1,
            "parsed",
            "effects"
        ],
        [
            "2022-04-10T10:00:00Z",
            "2022-04-10T10:00:00Z",
            1,
            "parsed",
            "effects"
        ],
        [
            "2022-05-10T10:00:00Z",
            "2022-05-10T10:00:00Z",
            1,
            "parsed",
            "lines"
        ],
        [
            "2022-06-10T10:00:00Z",
            "2022-06-10T10:00:00Z",
            1,
            "parsed",
            "effects"
        ],
    ]);
    assert_eq!(json!(shown), expected);
    let file = items
        .iter()
        .find(|item| item["url"] == ROBOTS)
        .expect("the file");
    assert_eq!(
        json!([
            file["fetches"],
            file["undated"],
            file["replaced"],
            file["runs"],
            file["left_out"]
        ]),
        json!([11, 1, 1, 10, 0])
    );
    let origins: BTreeSet<&str> = items
        .iter()
        .filter_map(|item| item["origin"].as_str())
        .collect();
    assert_eq!(
        origins,
        BTreeSet::from([
            "http://a.example",
            "https://a.example",
            "https://a.example:8443"
        ]),
        "origins apart"
    );
    let tdm = entries(&items, "https://a.example:8443", "tdmrep");
    let effects: Vec<&Value> = tdm.iter().map(|entry| &entry["effect"]).collect();
    assert_eq!(json!(effects), json!(["first", "text"]));
    let changes = tdm[0]["label_changes"].as_array().expect("a list");
    let change = changes.last().expect("a label");
    assert_eq!(
        json!([change["label"], change["after"]["preference"]]),
        json!(["tdm", "disallow"])
    );
}

/// Returns the changes of an entry for agents as texts.
fn agent_changes(entry: &Value) -> Vec<String> {
    let changes = entry["agent_changes"].as_array().expect("a list").iter();
    let text = |change: &Value| {
        let side = |side: &Value| {
            format!("{} {} {}", side["closed"], side["by"], side["line"]).replace('"', "")
        };
        format!(
            "{} {}: {} > {}",
            change["agents"]["names"],
            change["agents"]["count"],
            side(&change["before"]),
            side(&change["after"])
        )
    };
    changes.map(text).collect()
}

#[test]
fn local_a_change_names_the_agents_and_the_lines_before_and_after() {
    let items = items(&INDEX.1, "https://a.example/x/y", &["--agent", "GPTBot"]);
    let found = entries(&items, "https://a.example", "robots");
    assert_eq!(
        agent_changes(found[0]),
        [""; 0],
        "what the first says is in its agents"
    );
    assert_eq!(
        json!([
            found[1]["agents"]["full"],
            found[1]["agents"]["everyone"]["closed"]
        ]),
        json!([{"count": 1, "names": ["GPTBot"]}, "partial"])
    );
    let expected: [&[&str]; 9] = [
        &[r#"["GPTBot"] 1: partial everyone 2 > full name 5"#],
        &[],
        &[
            r#"["*"] 1: partial everyone 7 > none state null"#,
            r#"["GPTBot"] 1: full name 3 > none state null"#,
        ],
        &[
            r#"["*"] 1: none state null > partial everyone 7"#,
            r#"["GPTBot"] 1: none state null > full name 3"#,
        ],
        &[r#"["*"] 1: partial everyone 7 > full state null"#],
        // A state and a file say the same.
        &[],
        &[r#"["*"] 1: full everyone 2 > none everyone 3"#],
        &[],
        &[
            r#"["*"] 1: none everyone 4 > partial everyone 9"#,
            r#"["GPTBot"] 1: none everyone 4 > partial name 5"#,
        ],
    ];
    for (entry, expected) in found.iter().skip(1).zip(expected) {
        assert_eq!(agent_changes(entry), expected, "{}", entry["first"]);
    }
    let access: Vec<Value> = found
        .iter()
        .map(|entry| {
            json!([
                entry["access"]["after"]["access"],
                entry["access"]["after"]["line"]
            ])
        })
        .collect();
    assert_eq!(
        json!(access[..7]),
        json!([
            ["disallow", 2],
            ["disallow", 5],
            ["disallow", 3],
            ["allow", null],
            ["disallow", 3],
            ["disallow", null],
            ["disallow", 2]
        ])
    );
    assert_eq!(found[4]["same_as"], "2021-04-10T10:00:00Z");
    assert_eq!(found[6]["hops"].as_array().expect("hops").len(), 2);
    assert_eq!(
        found[6]["hops"][1]["url"],
        "https://www.b.example/robots.txt"
    );
}

#[test]
fn local_gaps_labels_and_other_lines_are_said() {
    let items = items(&INDEX.1, "a.example", &[]);
    let found = entries(&items, "https://a.example", "robots");
    let gaps: Vec<&Value> = found
        .iter()
        .flat_map(|entry| entry["gaps"].as_array().expect("a list"))
        .collect();
    assert_eq!(
        json!(gaps),
        json!([{"from": "2021-07-10T10:00:00Z", "to": "2022-03-10T10:00:00Z", "days": 243}])
    );
    let labels = &found[7]["label_changes"];
    let of = |label: &str| {
        labels
            .as_array()
            .expect("a list")
            .iter()
            .find(|one| one["label"] == label)
            .cloned()
            .unwrap_or_default()
    };
    let no = of("train_ai");
    assert_eq!(
        json!([no["before"]["preference"], no["after"]["preference"]]),
        json!(["unknown", "disallow"])
    );
    assert_eq!(
        json!([
            no["after"]["answers"][0]["line"],
            no["after"]["answers"][0]["text"]
        ]),
        json!([2, "Content-Signal: ai-train=no, search=yes"])
    );
    // A yes of a file alone allows nothing, and is said.
    let yes = of("search");
    assert_eq!(
        json!([
            yes["after"]["preference"],
            yes["after"]["answers"][0]["preference"]
        ]),
        json!(["unknown", "allow"])
    );
    assert_eq!(
        found[8]["lines"]["came"][0]["text"],
        "Sitemap: https://a.example/s.xml"
    );
    assert_eq!(
        found[8]["label_changes"],
        json!([]),
        "the line is the same, in another place"
    );
    // Other times, and another rule for gaps.
    let items = self::items(
        &INDEX.1,
        "a.example",
        &[
            "--gap",
            "29d",
            "--since",
            "2021-05-11",
            "--until",
            "2021-07-01",
        ],
    );
    let some = entries(&items, "https://a.example", "robots");
    assert_eq!(
        json!([some.len(), some[0]["first"], some[0]["gaps"][0]["days"]]),
        json!([1, "2021-06-10T10:00:00Z", 31])
    );
    assert_eq!(some[0]["same_as"], "2021-04-10T10:00:00Z");
}

#[test]
fn local_a_host_that_the_index_does_not_hold_has_a_status_of_its_own() {
    let (status, message) = failed(&["history", "c.example", "--sites", &INDEX.1]);
    assert_eq!(status, Some(3));
    assert!(
        message.contains("nothing of c.example is in the index"),
        "{message}"
    );
    let (status, message) = failed(&["history", "www.a.example", "--sites", &INDEX.1]);
    assert!(
        status == Some(3) && message.contains("; it has http://a.example, https://a.example"),
        "{message}"
    );
    let (status, message) = failed(&["history", "https://a.example:81/", "--sites", &INDEX.1]);
    assert!(
        status == Some(3) && message.contains("https://a.example:81"),
        "{message}"
    );
    for subject in ["", "a.example/x", "a.example:80", "ftp://a.example/", "a b"] {
        let (status, message) = failed(&["history", subject, "--sites", &INDEX.1]);
        assert!(
            status == Some(1) && message.contains("expected a host"),
            "{subject}: {message}"
        );
    }
    let (status, _) = failed(&["history", "a.example", "--sites", "nowhere"]);
    assert_eq!(status, Some(1));
}

/// Every entry of the generated world begins with what `explain` says of that time.
#[test]
fn local_what_an_entry_says_of_the_page_is_what_explain_says() {
    let index = of_world("index");
    let mut random = Rng::with_seed(23);
    let (mut states, mut of_twins) = (BTreeMap::<String, usize>::new(), 0);
    for _ in 0..30 {
        let url = format!("{}/p/q", origin(&mut random));
        let ran = run(&["history", &url, "--sites", &index, "--json"]);
        if ran.status.code() == Some(3) {
            continue;
        }
        let printed = String::from_utf8(ran.stdout).expect("UTF-8");
        for line in printed.lines() {
            let item: Value = serde_json::from_str(line).expect("JSON");
            if item["item"] != "entry" {
                continue;
            }
            let at = item["first"].as_str().expect("a time");
            let explained = done(&[
                "explain", "--json", "--sites", &index, "--url", &url, "--at", at,
            ]);
            let explained: Value = serde_json::from_str(&explained).expect("JSON");
            let access = &item["access"]["after"];
            // A history is of one host. What its twins refuse counts for pages (KNOW-8).
            let is_by_twin = explained["access_reason"] == "rule_of_twin";
            if is_by_twin {
                assert_eq!(explained["access"], "disallow", "{url} {at}");
                assert_ne!(access["access"], "disallow", "{url} {at}");
            } else {
                assert_eq!(
                    json!([access["access"], access["reason"], access["line"]]),
                    json!([
                        explained["access"],
                        explained["access_reason"],
                        explained["access_line"]
                    ]),
                    "{url} {at}"
                );
            }
            of_twins += usize::from(is_by_twin);
            for (label, said) in item["labels"].as_object().expect("labels") {
                let now = &explained["labels"][label];
                assert!(
                    now == said || now == "disallow",
                    "{url} {at}: {label} is {said} and {now}"
                );
                of_twins += usize::from(now != said);
            }
            if item["file"] == "robots" {
                assert_eq!(item["state"], explained["robots_state"], "{url} {at}");
            }
            *states
                .entry(format!("{} {}", item["file"], item["state"]))
                .or_default() += 1;
        }
    }
    let entries = states.values().sum::<usize>();
    assert!(
        states.len() > 6 && entries > 20 && of_twins < entries,
        "{states:?}, {of_twins}"
    );
}

#[test]
fn local_what_is_printed_of_hostile_files_is_bounded_and_says_what_is_left_out() {
    let most = rounds(200_000, 500_000);
    let file = |name: &str, more: &str| {
        let mut body = String::new();
        for number in 0.. {
            write!(
                body,
                "User-agent: {name}{number}\nDisallow: /{number}{more}\n"
            )
            .expect("written");
            if body.len() > most {
                break;
            }
        }
        ok(&body)
    };
    let million = ok(&"User-agent:*\n\n".repeat(36_000));
    // A list of the names would be longer than what may be printed.
    let (agents, long) = (rounds(2_500, 10_000), "-".repeat(rounds(20, 0)));
    let names: String = (0..agents)
        .map(|number| format!("User-agent: a{long}{number}\n"))
        .collect();
    let rules: String = (0..agents)
        .map(|number| format!("Disallow: /{number}\n"))
        .collect();
    let one_group = |last: &str| ok(&format!("{names}{rules}{last}"));
    let long = ok(&format!(
        "User-agent: *\nDisallow: /{}\n{}: 1\n",
        "x".repeat(200_000),
        "y".repeat(200_000)
    ));
    let url = "https://h.example/robots.txt";
    let crawl = vec![
        (url, "2021-01-01T00:00:00Z", file("a", "")),
        (url, "2021-02-01T00:00:00Z", file("b", "")),
        (url, "2021-03-01T00:00:00Z", file("b", "x")),
        (url, "2021-04-01T00:00:00Z", million),
        (url, "2021-05-01T00:00:00Z", one_group("Disallow: /y\n")),
        (url, "2021-06-01T00:00:00Z", one_group("Disallow: /z\n")),
        (url, "2021-07-01T00:00:00Z", long),
        (
            url,
            "2021-08-01T00:00:00Z",
            ok("\u{1b}[31m: red\u{202e}\nUser-agent: \u{1b}[2J\nDisallow: /\u{9b}\n"),
        ),
    ];
    let folder = tempfile::tempdir().expect("a temporary folder");
    let index = indexed(folder.path(), &vec![crawl]);
    let printed = done(&["history", "h.example", "--sites", &index, "--json"]);
    for line in printed.lines() {
        assert!(line.len() < 60_000, "{} bytes", line.len());
    }
    let items = values(&printed);
    let found = entries(&items, "https://h.example", "robots");
    assert_eq!(found.len(), 8);
    assert!(found[1]["agent_changes_count"].as_u64() > Some(most as u64 / 50));
    assert_eq!(found[1]["agent_changes"].as_array().map(Vec::len), Some(20));
    let alike = &found[5]["agent_changes"];
    assert_eq!(
        json!([alike.as_array().map(Vec::len), alike[0]["agents"]["count"]]),
        json!([1, agents])
    );
    assert_eq!(
        json!([
            alike[0]["came"][0]["text"],
            alike[0]["went"][0]["text"],
            alike[0]["came_count"]
        ]),
        json!(["Disallow: /z", "Disallow: /y", 1])
    );
    let text = done(&["history", "h.example", "--sites", &index]);
    assert!(
        text.len() < 60_000 && text.contains(" more changes of agents"),
        "{text}"
    );
    assert!(!text.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{text}");
}
