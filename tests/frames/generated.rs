//! Archives with one fault each, beside the right ones.
//!
//! `CRAWLPREFS_FRAMES` is how many archives there are; a step of `.ci/nightly` makes 10,000. By default each fault comes once in
//! each format.

use crate::container::{ALL, Container};
use crate::record::Record;
use crate::run::{Tables, run_named};
use crate::world::{FAULTS, Fault, records};
use fastrand::Rng;
use std::collections::{BTreeMap, BTreeSet};

/// How many archives are run at once.
const AT_ONCE: usize = 250;
/// Columns that may say yes.
const YES: [&str; 6] = [
    "access",
    "search",
    "train_ai",
    "train_genai",
    "ai_input",
    "tdm",
];

/// An archive, right and with a fault.
struct Pair {
    file: String,
    fault: Fault,
    what: String,
    right: Vec<u8>,
    wrong: Vec<u8>,
    /// Whether nothing in the archive says that the length is false (FRAME-1): what is left of the block are line ends, or, in one
    /// stretch of text, another record begins where the length ends.
    is_unseen: bool,
}

fn pair(number: usize) -> Pair {
    let mut random = Rng::with_seed(number as u64);
    let container = ALL[number % ALL.len()];
    let fault = FAULTS[number / ALL.len() % FAULTS.len()];
    let name = format!("a{number}");
    let right = records(&mut random, &name, container);
    let mut wrong = right.clone();
    fault.apply(&mut random, &mut wrong);
    let is_unseen = (0..wrong.len()).any(|at| is_unseen(&wrong, at, container));
    Pair {
        file: format!("{name}.{}", container.ending()),
        fault,
        what: format!("archive {number}, {container:?}, {fault:?}"),
        right: container.pack(&right),
        wrong: container.pack(&wrong),
        is_unseen,
    }
}

/// Returns whether the false length of a record looks right.
fn is_unseen(records: &[Record], at: usize, container: Container) -> bool {
    let record = &records[at];
    let Some(length) = record
        .declared
        .as_ref()
        .and_then(|length| length.parse::<usize>().ok())
    else {
        return false;
    };
    let is_line_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
    match record.block.get(length..) {
        Some(left) => left.iter().all(is_line_end),
        None if container.is_one_stretch() => {
            let text = |record: &Record| {
                if container.is_arc() {
                    record.arc()
                } else {
                    Some(record.warc(None))
                }
            };
            let end = if container.is_arc() {
                record.arc_end()
            } else {
                record.ends.1.to_owned()
            };
            // Line ends, then each record behind.
            let behind = records[at + 1..].iter().filter_map(text);
            let mut from = length - record.block.len();
            for piece in std::iter::once(end.into_bytes()).chain(behind) {
                match piece.get(from..) {
                    Some(left) if !left.is_empty() => {
                        return from == 0 || left.iter().all(is_line_end);
                    }
                    _ => from -= piece.len(),
                }
            }
            from == 0
        }
        None => false,
    }
}

#[test]
fn frame_1_to_7_a_fault_gives_no_yes_and_no_host_the_bytes_of_another() {
    let crossed = ALL.len() * FAULTS.len();
    let count = std::env::var("CRAWLPREFS_FRAMES")
        .map_or(crossed, |count| count.parse().expect("a number"));
    let (mut faults, mut changed) = (Vec::new(), BTreeMap::<String, (usize, usize)>::new());
    let mut begin = 0;
    while begin < count {
        let pairs: Vec<Pair> = (begin..count.min(begin + AT_ONCE)).map(pair).collect();
        begin += AT_ONCE;
        let files = |bytes: fn(&Pair) -> &Vec<u8>| {
            pairs
                .iter()
                .map(|pair| (pair.file.clone(), bytes(pair).clone()))
                .collect::<Vec<_>>()
        };
        let right = ByArchive::of(&run_named(files(|pair| &pair.right)));
        let wrong = ByArchive::of(&run_named(files(|pair| &pair.wrong)));
        for pair in &pairs {
            let (right, wrong) = (&right.0[&pair.file], &wrong.0[&pair.file]);
            let count = changed.entry(format!("{:?}", pair.fault)).or_default();
            count.0 += 1;
            count.1 += usize::from(right.captures != wrong.captures);
            assert!(
                right.failures == 0,
                "{}: the right archive has failures",
                pair.what
            );
            faults.extend(
                check(pair, right, wrong)
                    .into_iter()
                    .map(|fault| format!("{}: {fault}", pair.what)),
            );
        }
    }
    for (fault, (count, changed)) in &changed {
        println!("{fault}: {count} archives, {changed} with other captures");
    }
    let shown = faults.get(..40).unwrap_or(&faults).join("\n");
    assert!(faults.is_empty(), "{} faults:\n{shown}", faults.len());
    // A test of no effect would hold nothing.
    assert!(
        count < crossed || changed.len() == FAULTS.len(),
        "{changed:?}"
    );
    assert!(changed.values().any(|(_, other)| *other > 0), "{changed:?}");
}

type Row = BTreeMap<String, String>;

/// What the tables have of one archive.
#[derive(Default)]
struct Found {
    pages: BTreeMap<String, Row>,
    /// Each capture with its header fields and its body, without the line ends behind it: what is between records may be
    /// taken for them.
    captures: BTreeSet<Vec<String>>,
    archive: Row,
    failures: usize,
}

struct ByArchive(BTreeMap<String, Found>);

impl ByArchive {
    fn of(tables: &Tables) -> Self {
        let mut found = BTreeMap::<String, Found>::new();
        let mut of = |row: &Row, take: &mut dyn FnMut(&mut Found)| {
            take(found.entry(row["warc_filename"].clone()).or_default());
        };
        for row in tables.rows("evidence/archives") {
            of(row, &mut |archive| archive.archive = row.clone());
        }
        for row in tables.rows("evidence/failures") {
            of(row, &mut |archive| archive.failures += 1);
        }
        for row in tables.rows("pages") {
            of(row, &mut |archive| {
                drop(archive.pages.insert(row["url"].clone(), row.clone()))
            });
        }
        let bodies: BTreeMap<&str, &str> = tables
            .rows("evidence/site_files")
            .iter()
            .map(|row| (row["body_digest"].as_str(), row["body"].as_str()))
            .collect();
        for row in tables.rows("evidence/captures") {
            let body = bodies
                .get(row["body_digest"].as_str())
                .copied()
                .unwrap_or_default();
            let kept = [
                "url",
                "fetch_time",
                "kind",
                "body_marks",
                "unread",
                "signals",
            ];
            let kept = kept
                .iter()
                .map(|column| row[*column].clone())
                .chain([body.trim_end().to_owned()]);
            let kept = kept.collect::<Vec<_>>();
            of(row, &mut |archive| archive.captures.extend([kept.clone()]));
        }
        Self(found)
    }
}

fn check(pair: &Pair, right: &Found, wrong: &Found) -> Vec<String> {
    let mut faults = Vec::new();
    for (url, row) in &wrong.pages {
        for column in YES {
            let was = right
                .pages
                .get(url)
                .map_or("no such page", |right| right[column].as_str());
            if row[column] == "allow" && was != "allow" {
                faults.push(format!("{url}: {column} is allow and was {was}"));
            }
        }
    }
    for capture in &wrong.captures {
        let host = capture[0].split('/').nth(2).unwrap_or_default();
        let foreign = capture
            .iter()
            .flat_map(|text| text.split(" of h").skip(1))
            .find(|rest| {
                let named = rest
                    .split([' ', '\n', '<'])
                    .next()
                    .unwrap_or_default()
                    .trim_end_matches('.');
                // A cut may have left the beginning of a name.
                !host.starts_with(&format!("h{named}"))
            });
        if let Some(foreign) = foreign {
            let excerpt: String = foreign.chars().take(40).collect();
            faults.push(format!(
                "{} has bytes of another host: {excerpt:?}",
                capture[0]
            ));
        }
    }
    let number = |column: &str| wrong.archive[column].parse::<u64>().expect("a number");
    if number("records") != number("captures") + number("no_interest") + number("records_lost") {
        faults.push(format!("records do not add up: {:?}", wrong.archive));
    }
    // A revisit without its body says so in `unread`.
    let mut other = wrong
        .captures
        .difference(&right.captures)
        .filter(|capture| !capture[4].contains("body"));
    let must_be_said = pair.fault.is_of_frame() && !pair.is_unseen && wrong.failures == 0;
    if let Some(capture) = other.next().filter(|_| must_be_said) {
        faults.push(format!(
            "captures differ, and failures has no row: {capture:?}"
        ));
    }
    if must_be_said && wrong.captures.len() < right.captures.len() {
        faults.push("captures are gone, and failures has no row".to_owned());
    }
    faults
}
