//! What a system makes of a site stays short, however much the site says: a test for every line of every system, and
//! every site file, taken from what the systems declare.
//!
//! Memory and time of whole processes are in tests/hostile, whose `rows.py` reads the declarations from `lines.json`.

use crate::fixture::{archive, run};
use crate::resolved::{columns, page, resolve, response, robots, rows, view};
use crate::rounds::rounds;
use crawlprefs::store::{FolderStore, Store};
use crawlprefs::systems::{MAX_STATEMENTS, SYSTEMS};
use crawlprefs::tables::Slices;
use crawlprefs::tables::captures::ByHost;
use crawlprefs::tables::robots::MAX_LINES;
use std::collections::BTreeMap;
use std::path::Path;

/// So much of each line or file is sent.
const BYTES: usize = 60_000;

/// Returns as many lines as fit.
fn filled(line: &dyn Fn(usize) -> String) -> String {
    let mut text = String::new();
    for number in 0.. {
        let line = line(number);
        if text.len() + line.len() > BYTES {
            break;
        }
        text += &line;
    }
    text
}

/// Returns the texts of robots.txt that a line of a system may fill.
fn of_line(name: &str, category: &str) -> Vec<String> {
    let said = format!("{category}=n");
    let shapes: [&dyn Fn(usize) -> String; 8] = [
        &|_| format!("{name}: {said}\n"),
        &|_| format!("{name}: /p {said}\n"),
        &|number| format!("{name}: /{number} {said}\n"),
        &|number| format!("{name}: /*{number} {said}\n"),
        &|number| format!("{name}: a{number};x=1\n"),
        &|number| format!("{name}: /p a;x{number}=1\n"),
        &|_| format!("{name}: {}\n", format!("{said},").repeat(4_000)),
        &|number| format!("User-agent: *\nUser-agent: a{number}\n{name}: {said}\n"),
    ];
    shapes
        .map(|shape| format!("User-agent: *\n{}", filled(shape)))
        .to_vec()
}

/// Returns texts that a site file may be filled with.
fn of_file() -> Vec<String> {
    let shapes: [&dyn Fn(usize) -> String; 5] = [
        &|number| format!("scope: /*{number}\nallowed-methods: GET,a{number}\n\n"),
        &|number| format!("Disallow: *.a{number}\n"),
        &|_| "datatrainingallowed=no\n".to_owned(),
        &|_| "a\n".to_owned(),
        &|number| format!("scope: /\nallowed-purposes: a{number}\n"),
    ];
    let json =
        filled(&|number| format!("{{\"location\": \"/*{number}\", \"tdm-reservation\": 1}},\n"));
    let files = shapes
        .iter()
        .map(|shape| format!("User-agent: *\n{}", filled(shape)));
    files.chain([format!("[{json} 1]")]).collect()
}

/// Returns the records of hosts, each with a hostile file and some pages.
fn hosts() -> Vec<String> {
    let mut records = Vec::new();
    let mut host = |path: &str, body: &str| {
        let name = format!("h{}.example", records.len());
        records.push(match path {
            "/robots.txt" => robots(&name, "06:00:00", body),
            path => response(
                &format!("https://{name}{path}"),
                "06:00:00",
                200,
                "Content-Type: text/plain\r\n",
                body,
            ),
        });
        records.extend(
            (0..rounds(1, 4)).map(|number| page(&format!("https://{name}/p{number}"), "07:00:00")),
        );
    };
    // In a short run each line and file has some of the shapes, the next one the next of them.
    let step = rounds(3, 1);
    let mut first = (0..step).cycle();
    let mut some = |texts: Vec<String>| {
        texts
            .into_iter()
            .skip(first.next().expect("endless"))
            .step_by(step)
    };
    for system in SYSTEMS.iter().map(|system| system.about()) {
        let category = system
            .labels
            .first()
            .map_or("a", |mapping| mapping.category);
        for name in system.lines.names {
            some(of_line(name, category)).for_each(|text| host("/robots.txt", &text));
        }
        for path in system.site_file.iter().flat_map(|kind| kind.paths()) {
            some(of_file()).for_each(|text| host(path, &text));
        }
    }
    records
}

/// Returns how many rows a table has by some columns.
fn counts(out: &Path, table: &str, by: &[&str]) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for row in columns(out, table, |column| by.contains(&column)) {
        let key: Vec<&str> = by
            .iter()
            .map(|column| row.text(column).unwrap_or("NULL"))
            .collect();
        *counts.entry(key.join(" ")).or_default() += 1;
    }
    counts
}

#[test]
fn local_every_line_and_site_file_of_every_system_gives_few_rows_and_short_ones() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    run(
        vec![archive("made.warc", hosts().concat().into_bytes())],
        folder.path(),
        1,
    );
    resolve(folder.path(), folder.path(), &view());
    let of_systems = counts(folder.path(), "statements", &["body_digest", "system"]);
    assert!(
        of_systems
            .values()
            .any(|count| *count == MAX_STATEMENTS + 1),
        "none reaches the limit"
    );
    for (source, count) in of_systems {
        assert!(
            count <= MAX_STATEMENTS + 1,
            "{count} statements of {source}"
        );
    }
    for (body, count) in counts(folder.path(), "robots_lines", &["body_digest"]) {
        assert!(count <= MAX_LINES as u64 + 1, "{count} lines of {body}");
    }
    for (body, count) in counts(folder.path(), "robots_lints", &["body_digest"]) {
        assert!(count <= 64, "{count} lints of {body}");
    }
    for row in rows(folder.path(), "pages") {
        let url = row.text("url").expect("never null");
        // Eight lists of 4 KiB, and the agents that may not fetch it.
        assert!(
            row.byte_count() < 8 * 4_096,
            "{} bytes of {url}",
            row.byte_count()
        );
        assert!(row.structs("evidence").len() <= 32, "{url}");
    }
}

/// Captures of half a MiB each are resolved some at a time.
#[test]
fn local_slices_of_captures_are_cut_by_bytes_too() {
    const MOST_ROWS: usize = 64;
    let meta = format!("<meta name=robots content='{}'>", "a,".repeat(1_000));
    let long = |number: usize| {
        let url = format!("https://a.example/{number}");
        response(
            &url,
            "06:00:00",
            200,
            "Content-Type: text/html\r\n",
            &meta.repeat(200),
        )
    };
    let short = (0..200).map(|number| page(&format!("https://b.example/{number}"), "06:00:00"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let records: String = (0..100).map(long).chain(short).collect();
    run(
        vec![archive("made.warc", records.into_bytes())],
        folder.path(),
        1,
    );
    let store = FolderStore::new(folder.path().to_owned());
    let parts = store.list("evidence/captures").expect("a folder");
    let pieces = Slices::in_pieces(
        store.open(&parts[0]).expect("a part"),
        &crawlprefs::tables::captures::CAPTURES,
    )
    .expect("evidence");
    let slices = ByHost::new([pieces]).expect("captures");
    let rows: Vec<usize> = slices
        .map(|slice| slice.expect("rows").num_rows())
        .collect();
    assert_eq!(rows.iter().sum::<usize>(), 300);
    assert!(
        rows[0] <= MOST_ROWS && rows.last() > Some(&MOST_ROWS),
        "{rows:?}"
    );
}
