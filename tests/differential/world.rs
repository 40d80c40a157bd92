//! Many sites in one archive, and what the tables, the site index and `judge` say of them.

use crate::changes::Undone;
use crate::container::{Archive, Container};
use crate::draw::Drawn;
use crate::kinds::{Kind, PAGE};
use crate::message::{Carrier, Message};
use crate::rows::{rows, value};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::process::Command;

/// What says yes or no of a page.
const COLUMNS: [&str; 8] = [
    "access",
    "search",
    "train_ai",
    "train_genai",
    "ai_input",
    "tdm",
    "automation_get",
    "robots_state",
];

/// A page that has a yes where the plain site has none, or another verdict although the changes can be undone.
pub struct Fault {
    changes: Vec<&'static str>,
    kind: &'static str,
    container: Container,
    what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} ({:?}): {} [{}]",
            self.kind,
            self.container,
            self.what,
            self.changes.join(" + ")
        )
    }
}

pub type Row = Map<String, Value>;

/// Returns what is wrong with the sites.
pub fn faults(container: Container, kinds: &[Kind], sites: &[Drawn]) -> Vec<Fault> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut archive = Archive::new(container);
    for (number, kind) in kinds.iter().enumerate() {
        assert!(add(
            &mut archive,
            &format!("p{number}.example"),
            &kind.message,
            &kind.others
        ));
    }
    let mut held = Vec::new();
    for (number, site) in sites.iter().enumerate() {
        if add(
            &mut archive,
            &format!("h{number}.example"),
            &site.message,
            &kinds[site.kind].others,
        ) {
            held.push((number, site));
        }
    }
    archive.into_input(folder.path(), "made");
    let pages = tables(folder.path());
    let judged = judged(folder.path(), &pages);
    let mut faults = Vec::new();
    for (number, site) in held {
        let kind = &kinds[site.kind];
        let [url, plain] = [
            format!("https://h{number}.example{PAGE}"),
            format!("https://p{}.example{PAGE}", site.kind),
        ];
        let mut fault = |what: String| {
            faults.push(Fault {
                changes: site.changes.clone(),
                kind: kind.name,
                container,
                what,
            });
        };
        let (Some(row), Some(wanted)) = (pages.get(&url), pages.get(&plain)) else {
            fault("the page has no row".to_owned());
            continue;
        };
        for column in COLUMNS {
            let (found, expected) = (&row[column], &wanted[column]);
            let is_new_yes = found == "allow" && expected != "allow";
            if is_new_yes || site.undone == Undone::Yes && found != expected {
                fault(format!(
                    "{column} is {found}, of the plain site {expected}; unread {}, doubt {}",
                    row["unread"], row["doubt"]
                ));
            }
        }
        // What is judged by the record is what the tables say; by the index, the site's files alone.
        let [by_record, by_index] = ["record", "index"].map(|how| &judged[how]);
        for column in COLUMNS
            .into_iter()
            .filter(|column| by_record[&url].contains_key(&named(column)))
        {
            let [record, index, plain_index] =
                [&by_record[&url], &by_index[&url], &by_index[&plain]]
                    .map(|row| row.get(&named(column)));
            // Without an ID, a document is judged by its URL alone.
            if record != row.get(column) && !row["warc_record_id"].is_null() {
                fault(format!(
                    "judge says {column} {record:?}, the tables {}",
                    row[column]
                ));
            }
            if record.is_some_and(|record| record == "allow") && wanted[column] != "allow" {
                fault(format!(
                    "judge says {column} allow, of the plain site {}",
                    wanted[column]
                ));
            }
            if index.is_some_and(|index| index == "allow") && plain_index != index {
                fault(format!(
                    "by the index {column} is allow, of the plain site {plain_index:?}"
                ));
            }
        }
    }
    faults
}

fn named(column: &str) -> String {
    format!("prefs_{column}")
}

/// Adds a site; returns whether the format can say all of it.
fn add(archive: &mut Archive, host: &str, message: &Message, others: &[Message]) -> bool {
    let mut all: Vec<&Message> = others.iter().chain([message]).collect();
    all.sort_by_key(|message| message.carrier == Carrier::Page);
    all.into_iter().fold(true, |whole, message| {
        let at = if message.carrier == Carrier::Page {
            "07:00:00"
        } else {
            "06:00:00"
        };
        archive.add(message, host, at) & whole
    })
}

/// Runs the command; some archives here are damaged, which has a status of its own.
fn run(folder: &Path, args: &[&str]) -> String {
    let ran = Command::new(env!("CARGO_BIN_EXE_crawlprefs"))
        .current_dir(folder)
        .args(args)
        .output()
        .expect("it starts");
    let is_done = matches!(ran.status.code(), Some(0 | 3));
    assert!(
        is_done,
        "{args:?}: {}",
        String::from_utf8_lossy(&ran.stderr)
    );
    String::from_utf8(ran.stdout).expect("UTF-8")
}

/// Scans and resolves the archive; returns the pages by URL.
pub fn tables(folder: &Path) -> BTreeMap<String, Row> {
    let made = folder
        .read_dir()
        .expect("a folder")
        .next()
        .expect("an archive")
        .expect("an entry");
    run(
        folder,
        &[
            "run",
            "-q",
            &made.file_name().to_string_lossy(),
            "-o",
            "out",
        ],
    );
    let columns =
        COLUMNS
            .into_iter()
            .chain(["url", "unread", "doubt", "warc_record_id", "fetch_time"]);
    let columns: Vec<&str> = columns.collect();
    let row = |row: parquet::record::Row| -> Row {
        columns
            .iter()
            .map(|column| ((*column).to_owned(), value(&row, column)))
            .collect()
    };
    let rows = rows(&folder.join("out/pages")).into_iter().map(row);
    rows.map(|row| (row["url"].as_str().expect("a URL").to_owned(), row))
        .collect()
}

/// Judges each page as a document, by its record in the tables and by the site index.
pub fn judged(
    folder: &Path,
    pages: &BTreeMap<String, Row>,
) -> BTreeMap<&'static str, BTreeMap<String, Row>> {
    let document = |row: &Row| json!({"id": row["warc_record_id"], "url": row["url"], "date": row["fetch_time"]});
    let lines: String = pages
        .values()
        .map(|row| document(row).to_string() + "\n")
        .collect();
    std::fs::write(folder.join("documents.jsonl"), lines).expect("a file");
    run(folder, &["index", "-q", "out", "-o", "index"]);
    let verdicts = |flags: [&str; 2]| {
        let args = [&["judge", "-q", "documents.jsonl"][..], &flags].concat();
        let printed = run(folder, &args);
        let rows = printed
            .lines()
            .map(|line| serde_json::from_str::<Row>(line).expect("JSON"));
        rows.map(|row| (row["url"].as_str().expect("a URL").to_owned(), row))
            .collect()
    };
    [
        ("record", verdicts(["--tables", "out"])),
        ("index", verdicts(["--sites", "index"])),
    ]
    .into_iter()
    .collect()
}
