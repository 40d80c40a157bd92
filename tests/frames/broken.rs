//! FRAME-2, FRAME-10: a writer dies inside a record, at every byte of it, and goes on with the next one.

use crate::container::Container;
use crate::record::{Record, WARCINFO_ID, arc_info, warcinfo};
use crate::rounds::rounds;
use crate::run::run_named;
use crawlprefs::archive::{Archive, Event, Wanted};
use std::collections::{BTreeMap, BTreeSet};

/// Containers in which a record may follow another one without a member or frame of its own.
const CONTAINERS: [Container; 5] = [
    Container::Warc,
    Container::WarcWithIds,
    Container::WarcOneGz,
    Container::Arc,
    Container::ArcOneGz,
];

const CLOSED: &str = "User-agent: *\nDisallow: /\n# it is closed\n";
const OPEN: &str = "User-agent: *\nAllow: /\nContent-Signal: ai-train=yes, search=yes\n";

/// Records of two sites, of which the first breaks off.
fn pairs() -> Vec<[Record; 2]> {
    let filler = "# a line of text that is longer than a head\n".repeat(12);
    let long = format!("{OPEN}{filler}");
    let page = |host: &str, more: &str| {
        let mut page = Record::page(host, "/robots.txt.html", "06:00:00", "<!-- no robots -->");
        page.block.extend_from_slice(more.as_bytes());
        page
    };
    let robots = |host: &str, body: &str| Record::robots(host, "06:00:00", body);
    let named = |record: Record, id: &str| record.with_id(&format!("<urn:test:{id}>"));
    [
        [robots("b.example", OPEN), robots("c.example", CLOSED)],
        [robots("b.example", &long), robots("c.example", CLOSED)],
        [page("b.example", &filler), robots("c.example", CLOSED)],
        [robots("b.example", OPEN), page("c.example", "")],
        [
            page("b.example", "see http://x.example/ and WARC/1.0"),
            page("c.example", &filler),
        ],
    ]
    .map(|[first, second]| [named(first, "b"), named(second, "c")])
    .to_vec()
}

/// An archive of some sites, in which a record breaks off.
struct Broken {
    what: String,
    container: Container,
    bytes: Vec<u8>,
    /// The URLs of all records.
    urls: BTreeSet<String>,
    /// Whether the bytes are those of another archive, which is whole.
    is_another: bool,
}

fn broken(container: Container, [first, second]: &[Record; 2]) -> impl Iterator<Item = Broken> {
    let id = (container == Container::WarcWithIds).then_some(WARCINFO_ID);
    let text = move |record: &Record| {
        if container.is_arc() {
            record.arc().expect("a response")
        } else {
            record.warc(id)
        }
    };
    let about = if container.is_arc() {
        arc_info()
    } else {
        id.map(|_| warcinfo("software: test\r\n"))
            .unwrap_or_default()
    };
    let before = [
        Record::robots("a.example", "06:00:00", OPEN),
        Record::robots("b.example", "05:00:00", CLOSED),
        Record::robots("c.example", "05:00:00", OPEN),
    ];
    let behind = [
        Record::page("a.example", "/", "07:00:00", ""),
        Record::page("b.example", "/", "07:00:00", ""),
        Record::page("c.example", "/", "07:00:00", ""),
        Record::page(
            "d.example",
            "/",
            "07:00:00",
            &"<!-- of d.example -->".repeat(40),
        ),
    ];
    let all = before.iter().chain([first, second]).chain(&behind);
    let urls: BTreeSet<String> = all.map(|record| record.url.clone()).collect();
    let joined = |records: &[Record]| records.iter().flat_map(text).collect::<Vec<u8>>();
    let (start, end) = (
        [about, joined(&before)].concat(),
        [text(second), joined(&behind)].concat(),
    );
    let first = text(first);
    (1..first.len()).map(move |at| {
        let bytes = container.pack_texts(&[[&start, &first[..at], &end].concat()]);
        let shown = String::from_utf8_lossy(&first[at.saturating_sub(20)..at]).into_owned();
        Broken {
            what: format!(
                "{container:?}, broken off after {at} of {} bytes, {shown:?}",
                first.len()
            ),
            container,
            bytes,
            urls: urls.clone(),
            // The line is then that of a page whose path is the URL of another one.
            is_another: container.is_arc() && first[..at].ends_with(b"http://b.example/"),
        }
    })
}

fn all_broken() -> impl Iterator<Item = Broken> {
    CONTAINERS.into_iter().flat_map(|container| {
        pairs()
            .into_iter()
            .take(rounds(2, 5))
            .flat_map(move |pair| broken(container, &pair).collect::<Vec<_>>())
    })
}

/// What a reader gives of an archive: URLs and blocks, and how many records are lost.
fn read(bytes: &[u8], only_heads: bool) -> (Vec<(String, String)>, u64, u64) {
    let Ok(mut archive) = Archive::open(bytes).expect("memory can be read") else {
        panic!("no archive")
    };
    if only_heads {
        archive.skip_bodies(Box::new(|_| Wanted::Beginning));
    }
    let (mut records, mut lost) = (Vec::new(), 0);
    while let Some(event) = archive.next().expect("memory can be read") {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match event {
            Event::Record(record) => {
                records.push((text(record.target.unwrap_or_default()), text(record.block)));
            }
            Event::Damage(damage) => lost += u64::from(damage.record_lost),
        }
    }
    (records, lost, archive.records())
}

/// Returns the host that a block names as its own, if it is not that of its URL.
fn foreign<'t>(url: &str, block: &'t str) -> Option<&'t str> {
    let host = url.split('/').nth(2).unwrap_or_default();
    let named = block
        .split("it is of ")
        .skip(1)
        .filter_map(|rest| rest.split('\r').next());
    // A break may have left the beginning of a name.
    named
        .map(|named| named.trim_end_matches('.'))
        .find(|named| !host.is_empty() && !host.starts_with(named))
}

#[test]
fn frame_10_no_byte_of_a_record_is_another_sites_wherever_a_writer_dies() {
    let mut faults = Vec::new();
    let mut count = 0;
    for broken in all_broken() {
        let depths: &[bool] = if broken.container == Container::WarcOneGz {
            &[false, true]
        } else {
            &[false]
        };
        for &only_heads in depths {
            count += 1;
            let (records, lost, counted) = read(&broken.bytes, only_heads);
            let mut fault = |text: String| faults.push(format!("{}: {text}", broken.what));
            if counted != records.len() as u64 + lost {
                fault(format!(
                    "{counted} records, {} read, {lost} lost",
                    records.len()
                ));
            }
            if broken.is_another {
                continue;
            }
            for (url, block) in &records {
                if foreign(url, block).is_some() || block.contains("WARC/1.0\r\n") {
                    fault(format!("{url} has bytes of another record: {block:?}"));
                }
                if !broken.urls.contains(url) && !url.starts_with("filedesc:") && !url.is_empty() {
                    fault(format!("{url} is of no record"));
                }
            }
            let read: BTreeSet<String> = records.into_iter().map(|(url, _)| url).collect();
            if let Some(url) = broken.urls.difference(&read).next()
                && lost == 0
            {
                fault(format!("{url} is gone and nothing is lost"));
            }
        }
    }
    let shown = faults.get(..20).unwrap_or(&faults).join("\n");
    assert!(
        faults.is_empty(),
        "{} faults of {count}:\n{shown}",
        faults.len()
    );
    assert!(count > 2_000, "{count}");
}

/// The whole way, for every place of the first pair: c.example closes everything in the record that follows the break.
#[test]
fn frame_10_the_record_behind_a_break_counts_or_the_run_is_not_complete() {
    let pair = &pairs()[0];
    let mut archives = BTreeMap::new();
    for container in CONTAINERS.into_iter().step_by(rounds(3, 1)) {
        for (number, broken) in broken(container, pair).enumerate().step_by(rounds(5, 1)) {
            archives.insert(
                format!("{container:?}-{number}.{}", container.ending()),
                broken,
            );
        }
    }
    let tables = run_named(
        archives
            .iter()
            .map(|(name, broken)| (name.clone(), broken.bytes.clone()))
            .collect(),
    );
    let mut faults = Vec::new();
    let lost: BTreeMap<&str, u64> = tables
        .rows("evidence/archives")
        .iter()
        .map(|row| {
            let number = |column: &str| row[column].parse::<u64>().expect("a number");
            let sum = number("captures") + number("no_interest") + number("records_lost");
            assert_eq!(number("records"), sum, "{row:?}");
            (row["warc_filename"].as_str(), number("records_lost"))
        })
        .collect();
    // Sites of the archives have the same names, and all archives are one crawl: what each says of c.example is in its captures.
    let mut closed = BTreeSet::new();
    for row in tables.rows("evidence/captures") {
        if row["url"] == "http://c.example/robots.txt" && row["fetch_time"].contains("06:00:00") {
            closed.insert(row["warc_filename"].as_str());
        }
    }
    for (name, broken) in &archives {
        if !closed.contains(name.as_str()) && lost[name.as_str()] == 0 && !broken.is_another {
            faults.push(format!(
                "{}: c.example is gone, and nothing is lost",
                broken.what
            ));
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}
