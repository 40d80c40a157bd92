//! READ-5: a cut belongs to a capture, not to a body. Where sites have the same bytes, of which one was cut, each site has
//! the row that it has alone, whatever comes first and wherever it lies.

use crate::container::{Archive, Container};
use crate::job::{Row, pages};
use crate::message::Message;
use crate::site::{self, Site};
use crawlprefs::archive::Input;
use crawlprefs::evidence::Depth;
use std::collections::BTreeMap;
use std::path::Path;

/// Returns a message with the bytes of another one, of which it says that there were more.
type Cut = fn(&Message) -> Message;

const CUTS: [(&str, Cut); 4] = [
    ("truncated", |plain| Message {
        warc_fields: "WARC-Truncated: length\r\n".to_owned(),
        ..plain.clone()
    }),
    ("short", |plain| {
        plain
            .clone()
            .with("Content-Length", (plain.body.len() + 7).to_string())
    }),
    ("a part", |plain| {
        let range = format!(
            "bytes 0-{}/{}",
            plain.body.len().max(1) - 1,
            plain.body.len() + 9
        );
        let part = plain.clone().with("Content-Range", range);
        Message {
            status_line: b"HTTP/1.1 206 Partial Content".to_vec(),
            ..part
        }
    }),
    ("a segment", |plain| Message {
        warc_fields: "WARC-Segment-Number: 1\r\n".to_owned(),
        ..plain.clone()
    }),
];

/// Returns sites whose files are the same bytes, whole and cut, by their hosts.
fn twins(number: usize, site: &Site) -> Vec<(String, Site)> {
    let place = site.subjects().next().expect("a file");
    let mut twins = vec![(format!("whole{number}.example"), site.clone())];
    for (name, cut) in CUTS {
        let mut twin = site.clone();
        twin.messages[place] = cut(&site.messages[place]);
        twins.push((format!("{}{number}.example", name.replace(' ', "-")), twin));
    }
    twins
}

/// Writes sites into an archive.
fn archive(folder: &Path, stem: &str, sites: &[(String, Site)]) -> Input {
    let mut archive = Archive::new(Container::WarcGz);
    for (host, site) in sites {
        let (page, files) = site.messages.split_last().expect("a page");
        for file in files {
            assert!(archive.add(file, host, "06:00:00"));
        }
        assert!(archive.add(page, host, "07:00:00"));
    }
    archive.into_input(folder, stem)
}

/// Returns the row of each host.
fn rows(groups: &[Vec<(String, Site)>]) -> BTreeMap<String, Row> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let inputs = groups.iter().enumerate();
    let inputs = inputs
        .map(|(number, sites)| archive(folder.path(), &format!("part{number}"), sites))
        .collect();
    pages(inputs, Depth::Full, "CCBot", "03")
}

#[test]
fn read_5_which_of_two_equal_bodies_comes_first_decides_nothing() {
    let mut sites = site::all();
    sites.retain(|site| site.token == "CCBot" && site.vocabulary == "03");
    sites.retain(|site| site.subjects().any(|place| !site.messages[place].is_page()));
    let mut empty = sites[0].clone();
    empty.name = "empty".to_owned();
    let place = empty.subjects().next().expect("a file");
    empty.messages[place].body.clear();
    sites.push(empty);
    let twins: Vec<_> = sites
        .iter()
        .enumerate()
        .map(|(number, site)| twins(number, site))
        .collect();
    // Where all files are cut in one way, or none is, equal bytes are cut alike.
    let mut alone = BTreeMap::new();
    let one_way = |way: usize| {
        twins
            .iter()
            .map(|twins| twins[way].clone())
            .collect::<Vec<_>>()
    };
    let ways: Vec<_> = (0..=CUTS.len()).map(one_way).collect();
    ways.iter()
        .for_each(|way| alone.extend(rows(std::slice::from_ref(way))));
    let forwards = twins.concat();
    let backwards: Vec<_> = forwards.iter().rev().cloned().collect();
    let reversed: Vec<_> = ways.iter().rev().cloned().collect();
    let mut faults = Vec::new();
    let mut questions = 0;
    for (order, groups) in [
        ("forwards", vec![forwards]),
        ("backwards", vec![backwards]),
        ("forwards, archives of their own", ways),
        ("backwards, archives of their own", reversed),
    ] {
        let together = rows(&groups);
        assert_eq!(together.len(), alone.len());
        for (url, row) in &together {
            questions += 1;
            let differences = row.differences(&alone[url]);
            if !differences.is_empty() {
                faults.push(format!("{url} {order}: {}", differences.join("; ")));
            }
        }
    }
    println!("{questions} questions");
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}
