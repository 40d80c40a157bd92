//! Batches: which inputs go into one part of the tables.
//!
//! A batch depends on its inputs' names alone: crawl, segment, subset and file number for Common
//! Crawl's names, one input otherwise. Never on a position in a list, on the number of workers, on
//! `--slice` or `--limit`. So a part is the same file whoever writes it, and when.

use crate::archive::{ArchiveName, Input, Subset};
use crate::error::Error;
use sha1::{Digest, Sha1};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::Write;

/// The crawl of archives whose names say none.
pub const LOCAL_CRAWL: &str = "local";

/// Archives whose rows stand in one part of each table.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The crawl, a partition of the tables.
    pub crawl: String,
    /// The name of the part.
    pub id: String,
    /// The archives, by name.
    pub inputs: Vec<Input>,
}

/// A segment of a crawl; `None` stands for all inputs that are of none.
pub type Segment = Option<(String, String)>;

impl Batch {
    /// Returns the segment that its inputs are of.
    #[must_use]
    pub fn segment(&self) -> Segment {
        let segment = self.inputs.first()?.name.segment()?;
        Some((self.crawl.clone(), segment.to_owned()))
    }
}

/// What `--slice` and `--limit` deal out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Batches, for a scan.
    Batch,
    /// Segments, whose robots.txt captures and pages belong together, for a run.
    Segment,
}

/// One of several disjoint shares of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    index: usize,
    count: usize,
}

impl Slice {
    /// Returns share `index` of `count`, counted from 1; `None` where there is no such share.
    #[must_use]
    pub fn new(index: usize, count: usize) -> Option<Self> {
        (index >= 1 && index <= count).then_some(Self { index, count })
    }

    /// Deals out: keeps every `count`th element.
    pub(super) fn of<T>(self, all: Vec<T>) -> Vec<T> {
        all.into_iter().skip(self.index - 1).step_by(self.count).collect()
    }
}

/// Sorts inputs into batches. An input that is given twice is taken once.
///
/// # Errors
/// [`Error::NoInputs`]; [`Error::SameName`] where two archives have one name.
pub fn batches(inputs: &[Input], crawl: Option<&str>, share: &Share) -> Result<Vec<Batch>, Error> {
    if inputs.is_empty() {
        return Err(Error::NoInputs);
    }
    let mut batches = BTreeMap::<(String, String), Vec<Input>>::new();
    for input in by_name(inputs)?.into_values() {
        let crawl = crawl.or(input.name.crawl()).unwrap_or(LOCAL_CRAWL);
        batches.entry((crawl.to_owned(), id(&input.name))).or_default().push(input.clone());
    }
    let all = batches.into_iter().map(|((crawl, id), inputs)| Batch { crawl, id, inputs });
    Ok(match share.unit {
        Unit::Batch => share.of(all.collect()),
        Unit::Segment => {
            let mut segments = BTreeMap::<Segment, Vec<Batch>>::new();
            for batch in all {
                segments.entry(batch.segment()).or_default().push(batch);
            }
            share.of(segments.into_values().collect()).into_iter().flatten().collect()
        }
    })
}

/// How much of the work is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// What is dealt out.
    pub unit: Unit,
    /// Which of several disjoint shares.
    pub slice: Option<Slice>,
    /// How many units at most.
    pub limit: Option<usize>,
}

impl Share {
    /// All of it.
    pub const ALL: Self = Self { unit: Unit::Batch, slice: None, limit: None };

    /// Keeps the units of this share.
    pub(super) fn of<T>(&self, all: Vec<T>) -> Vec<T> {
        let mut share = match self.slice {
            Some(slice) => slice.of(all),
            None => all,
        };
        share.truncate(self.limit.unwrap_or(usize::MAX));
        share
    }
}

fn by_name(inputs: &[Input]) -> Result<BTreeMap<&str, &Input>, Error> {
    let mut found = BTreeMap::<&str, &Input>::new();
    for input in inputs {
        match found.entry(input.name.filename()) {
            Entry::Vacant(place) => {
                place.insert(input);
            }
            Entry::Occupied(known) => {
                let (first, second) = (known.get().source.location(), input.source.location());
                if first != second {
                    return Err(Error::SameName { name: input.name.filename().to_owned(), first, second });
                }
            }
        }
    }
    Ok(found)
}

/// How many of Common Crawl's files make a batch: files of about a gigabyte, or of a megabyte.
fn files_per_batch(subset: Subset) -> u32 {
    match subset {
        Subset::Warc | Subset::CrawlDiagnostics => 50,
        Subset::RobotsTxt => 250,
    }
}

/// Returns the name of the batch that an archive belongs to.
fn id(name: &ArchiveName) -> String {
    match (name.segment(), name.subset(), name.number()) {
        (Some(segment), Some(subset), Some(number)) => {
            format!("{}-{}-{:04}", plain(segment), subset.as_str(), number / files_per_batch(subset))
        }
        _ => single_id(name.filename()),
    }
}

/// Names a batch of one archive so that a person knows it, and no other archive has the name.
fn single_id(filename: &str) -> String {
    const SHOWN_CHARACTERS: usize = 80;
    let digest = Sha1::digest(filename.as_bytes());
    let file = filename.rsplit('/').next().unwrap_or(filename);
    let stem = file.strip_suffix(".gz").unwrap_or(file);
    let stem = stem.strip_suffix(".warc").unwrap_or(stem);
    let mut id: String = plain(stem).chars().take(SHOWN_CHARACTERS).collect();
    id.push('-');
    for byte in digest.iter().take(5) {
        // Writing to a String does not fail.
        let _ = write!(id, "{byte:02x}");
    }
    id
}

/// Replaces what a file name had better not hold.
fn plain(text: &str) -> String {
    let keep = |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-');
    text.chars().map(|character| if keep(character) { character } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::{Share, Slice, Unit, batches};
    use crate::archive::{ArchiveName, FileSource, Input};
    use crate::error::Error;
    use std::sync::Arc;

    fn input(name: &str) -> Input {
        Input { name: ArchiveName::new(name), source: Arc::new(FileSource::new(name.into())) }
    }

    fn common_crawl(subset: &str, number: u32) -> Input {
        input(&format!(
            "crawl-data/CC-MAIN-2026-34/segments/17.1/{subset}/CC-MAIN-20260810060000-20260810090000-{number:05}.warc.gz"
        ))
    }

    fn ids(inputs: &[Input], slice: Option<Slice>) -> Vec<(String, usize)> {
        let share = Share { slice, ..Share::ALL };
        let batches = batches(inputs, None, &share).expect("inputs of a test");
        batches.into_iter().map(|batch| (batch.id, batch.inputs.len())).collect()
    }

    #[test]
    fn local_a_batch_depends_on_names_alone() {
        let mut inputs = vec![common_crawl("warc", 0), common_crawl("warc", 49), common_crawl("warc", 50)];
        inputs.extend([common_crawl("robotstxt", 249), common_crawl("robotstxt", 250), input("a/x.warc.gz")]);
        let expected = ids(&inputs, None);
        inputs.reverse();
        inputs.push(common_crawl("warc", 0));
        assert_eq!(ids(&inputs, None), expected);
        let names: Vec<&str> = expected.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(
            names[..4],
            ["17.1-robotstxt-0000", "17.1-robotstxt-0001", "17.1-warc-0000", "17.1-warc-0001"]
        );
        assert_eq!(expected[2].1, 2);
        assert!(names[4].starts_with("x-"));
    }

    #[test]
    fn local_slices_are_disjoint_and_make_the_whole() {
        let inputs: Vec<Input> = (0..7).map(|number| input(&format!("{number}.warc"))).collect();
        let whole = ids(&inputs, None);
        let mut parts: Vec<_> = (1..=3).flat_map(|index| ids(&inputs, Slice::new(index, 3))).collect();
        parts.sort();
        assert_eq!(parts, whole);
        assert_eq!((Slice::new(0, 3), Slice::new(4, 3)), (None, None));
    }

    #[test]
    fn local_a_run_is_dealt_out_segment_by_segment() {
        let mut inputs =
            vec![common_crawl("warc", 0), common_crawl("warc", 60), common_crawl("robotstxt", 0)];
        inputs.extend([input("a.warc"), input("b.warc")]);
        for (index, ids) in [(1, vec!["a", "b"]), (2, vec!["17.1"])] {
            let share = Share { unit: Unit::Segment, slice: Slice::new(index, 2), limit: None };
            let batches = batches(&inputs, None, &share).expect("inputs of a test");
            let mut found: Vec<&str> =
                batches.iter().map(|batch| batch.id.split('-').next().unwrap_or_default()).collect();
            found.dedup();
            assert_eq!(found, ids);
        }
    }

    #[test]
    fn local_two_archives_of_one_name_are_refused() {
        let mut other = input("a.warc");
        other.source = Arc::new(FileSource::new("elsewhere/a.warc".into()));
        let result = batches(&[input("a.warc"), other], None, &Share::ALL);
        assert!(matches!(result, Err(Error::SameName { .. })));
        assert!(matches!(batches(&[], None, &Share::ALL), Err(Error::NoInputs)));
    }
}
