//! What `explain --json` says of a page's evidence is what its row in `pages` says.

use crate::corpus;
use crate::explain_command::explain;
use crate::table_rows::{parts, rows, time, value};
use crawlprefs::store::{FolderStore, Store, StoredFile};
use crawlprefs::systems::SYSTEMS;
use crawlprefs::tables::Slices;
use crawlprefs::tables::captures::Captures;
use crawlprefs::tables::site_files::SiteBodies;
use crawlprefs::web::column::{Column, ColumnKind};
use data_encoding::BASE64;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::process::Command;

/// Opens a file of a table.
pub fn part_file(part: &Path) -> Box<dyn StoredFile> {
    let (folder, name) = (
        part.parent().expect("a folder"),
        part.file_name().expect("a name"),
    );
    FolderStore::new(folder.to_owned())
        .open(&name.to_string_lossy())
        .expect("a part")
}

/// One page in this many is explained.
const STEP: usize = 9;

/// A robots.txt capture, or a place to which one redirects, as scenarios have it.
type Fetches = HashMap<String, Vec<Value>>;

/// What scenarios have of an evidence.
#[derive(Default)]
struct Capture {
    /// The robots.txt captures by URL.
    fetches: Fetches,
    /// The other site files' captures by origin.
    site_files: Fetches,
    /// Every page, but for site files.
    pages: Vec<Value>,
}

fn bodies(out: &Path) -> HashMap<String, String> {
    let mut bodies = HashMap::new();
    for part in parts(&out.join("evidence/site_files")) {
        for slice in Slices::new(part_file(&part)).expect("Parquet") {
            let slice = slice.expect("a slice");
            for (digest, _, body) in SiteBodies::new(&slice).expect("site_files").iter() {
                bodies.insert(digest.to_owned(), BASE64.encode(body));
            }
        }
    }
    bodies
}

fn evidence(out: &Path) -> Capture {
    let bodies = bodies(out);
    let mut evidence = Capture::default();
    for part in parts(&out.join("evidence/captures")) {
        for slice in Slices::new(part_file(&part)).expect("Parquet") {
            let slice = slice.expect("a slice");
            let captures = Captures::new(&slice).expect("captures");
            for row in 0..captures.count() {
                evidence.add(&captures, row, &bodies);
            }
        }
    }
    evidence
}

impl Capture {
    fn add(&mut self, captures: &Captures, row: usize, bodies: &HashMap<String, String>) {
        let (url, at) = (captures.url(row), time(captures.fetched_at(row)));
        let body = captures
            .body_digest(row)
            .and_then(|digest| bodies.get(digest));
        let fetch = json!({
            "kind": captures.kind(row), "url": url, "fetched": at, "status": captures.status(row),
            "location": captures.redirect(row), "body_base64": body,
        });
        match captures.kind(row) {
            "page" => self.pages.push(page(captures, row)),
            kind if kind.starts_with("robots") => {
                self.fetches.entry(normal(url)).or_default().push(fetch)
            }
            _ => self.site_files.entry(origin(url)).or_default().push(fetch),
        }
    }

    /// Returns a page with the site files of its origin, and all to which its robots.txt redirects.
    fn scenario(&self, mut page: Value) -> Value {
        let own = self
            .site_files
            .get(&origin(page["url"].as_str().expect("a URL")));
        page["site_files"] = own.cloned().unwrap_or_default().into();
        with_history(page, &self.fetches)
    }
}

fn page(captures: &Captures, row: usize) -> Value {
    let mut signals = Vec::new();
    captures.fields(row, &mut signals).expect("signals");
    let text = |value| String::from_utf8_lossy(value).into_owned();
    let of = |carrier: &'static str| {
        signals
            .iter()
            .filter(move |signal| signal.carrier.as_str() == carrier)
    };
    let headers: Vec<Value> = of("header")
        .map(|signal| json!([signal.name, text(signal.value)]))
        .collect();
    let metas: Vec<Value> = of("meta")
        .map(|signal| json!({ "name": signal.name, "content": text(signal.value) }))
        .collect();
    json!({
        "url": captures.url(row), "fetched": time(captures.fetched_at(row)), "headers": headers,
        "meta": metas, "product_token": "CCBot",
    })
}

fn origin(url: &str) -> String {
    url::Url::parse(url)
        .map(|url| url.origin().ascii_serialization())
        .unwrap_or_default()
}

/// Returns a URL without the default port and other differences that are none.
fn normal(url: &str) -> String {
    let parsed = url::Url::parse(url).map(|mut url| {
        url.set_fragment(None);
        url.to_string()
    });
    parsed.unwrap_or_else(|_| url.to_owned())
}

/// Adds the captures of a page's robots.txt and of all that they redirect to.
fn with_history(mut page: Value, fetches: &Fetches) -> Value {
    let origin = origin(page["url"].as_str().expect("a URL"));
    let mut ahead = vec![normal(&format!("{origin}/robots.txt"))];
    let mut history = BTreeMap::new();
    while let Some(url) = ahead.pop() {
        let Some(found) = fetches.get(&url).filter(|_| !history.contains_key(&url)) else {
            continue;
        };
        ahead.extend(
            found
                .iter()
                .filter_map(|fetch| fetch["location"].as_str().map(normal)),
        );
        history.insert(url, found.clone());
    }
    page["robots_history"] = history.into_values().flatten().collect();
    page
}

#[test]
fn local_explain_says_of_a_pages_evidence_what_its_row_says() {
    let Some(segment) = corpus("segment") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path();
    let status = Command::new(env!("CARGO_BIN_EXE_crawlprefs"))
        .args(["run", "-q"])
        .arg(segment)
        .arg("-o")
        .arg(out)
        .status();
    assert!(status.expect("the command starts").success());
    let evidence = evidence(out);
    let mut rows = rows(&out.join("pages"));
    // Rows come host by host over archives; those of an archive in its order.
    rows.sort_by_key(|row| value(row, "warc_filename").to_string());
    assert_eq!(rows.len(), evidence.pages.len());
    let scenarios: Vec<Value> = evidence
        .pages
        .iter()
        .step_by(STEP)
        .map(|page| evidence.scenario(page.clone()))
        .collect();
    let answers = explain(&scenarios);
    let columns: Vec<&Column> = SYSTEMS
        .iter()
        .flat_map(|system| system.about().columns)
        .collect();
    let mut said_by_column = BTreeMap::<&str, u32>::new();
    for ((row, answer), scenario) in rows.iter().step_by(STEP).zip(&answers).zip(&scenarios) {
        assert_eq!(value(row, "url"), scenario["url"]);
        // A scenario has neither the validators that a 304 is compared by (KNOW-3), nor the files of twins (KNOW-8).
        if matches!(
            value(row, "robots_state").as_str(),
            Some("other_status" | "not_archived")
        ) {
            continue;
        }
        for column in [
            "robots_state",
            "robots_fetch_time",
            "robots_age_s",
            "robots_stale",
            "access",
            "access_reason",
            "access_line",
            "access_matched",
            "disallowed_agents",
        ] {
            assert_eq!(
                value(row, column),
                answer[column],
                "{column} of {}",
                scenario["url"]
            );
        }
        for (column, label) in [
            ("aipref_bots", "bots"),
            ("aipref_search", "search"),
            ("aipref_train_ai", "train-ai"),
            ("aipref_train_genai", "train-genai"),
        ] {
            let stated = answer["preferences"]
                .get(label)
                .cloned()
                .unwrap_or_else(|| "not_applicable".into());
            assert_eq!(
                value(row, column),
                stated,
                "{column} of {}",
                scenario["url"]
            );
        }
        for column in columns
            .iter()
            .filter(|column| !matches!(column.kind, ColumnKind::Structs(_)))
        {
            let said = &answer["columns"][column.name];
            assert_eq!(
                value(row, column.name),
                *said,
                "{} of {}",
                column.name,
                scenario["url"]
            );
            *said_by_column.entry(column.name).or_default() +=
                u32::from(*said != "unknown" && !said.is_null());
        }
    }
    for column in [
        "automation_get",
        "tdm_reservation",
        "content_signal_search",
        "sup_ai",
        "ai_training",
    ] {
        assert!(
            said_by_column[column] > 0,
            "no page where {column} says anything"
        );
    }
    println!("{} pages explained as their rows say", answers.len());
    assert!(answers.len() >= 500);
}
