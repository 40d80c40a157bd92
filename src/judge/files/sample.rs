//! A random sample of documents, for an audit.
//!
//! Example: of 50,000 documents in three files, `--sample 2000@7` draws 2,000. Each document has a number, the SHA-256 of
//! `SEED\nFILE\nROW`, where FILE is the name of its output and ROW its place among the documents of the file, from 1; those with
//! the lowest numbers are drawn. So each set of as many documents has the same chance, whatever the order of the inputs and the
//! number of workers; anybody can draw again with `sha256sum`; and a larger sample contains the smaller one. In memory are the
//! numbers of the drawn documents alone.

use super::kind::{FileFault, FileResult};
use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BinaryHeap};
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

/// How many documents are drawn, and by which seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentSample {
    /// The most documents.
    pub documents: usize,
    /// Another seed draws others.
    pub seed: u64,
}

impl fmt::Display for DocumentSample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.documents, self.seed)
    }
}

/// The number of a document.
type Number = [u8; 32];

impl DocumentSample {
    /// The most documents of a sample; their numbers are held in memory.
    pub const MOST: usize = 1_000_000;

    fn number(self, file: &str, row: u64) -> Number {
        Sha256::digest(format!("{}\n{file}\n{row}", self.seed)).into()
    }
}

/// A file of the population that a sample is drawn from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampledFile {
    /// The name of its output.
    pub name: String,
    /// Its documents.
    pub documents: u64,
    /// Those of them that were drawn.
    pub drawn: u64,
    /// The SHA-256 of its bytes.
    pub sha256: String,
}

impl SampledFile {
    pub fn new(name: &str, documents: u64, path: &Path) -> FileResult<Self> {
        let sha256 = sha256(path).map_err(FileFault::input)?;
        Ok(Self {
            name: name.to_owned(),
            documents,
            drawn: 0,
            sha256,
        })
    }
}

fn sha256(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut digest = Sha256::new();
    let mut piece = vec![0; 256 << 10];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(HEXLOWER.encode(&digest.finalize())),
            read => digest.update(piece.get(..read).unwrap_or_default()),
        }
    }
}

/// A sample that is being drawn.
pub struct Drawing {
    sample: DocumentSample,
    /// Those with the lowest numbers so far, the highest of them first.
    lowest: BinaryHeap<(Number, Arc<str>, u64)>,
    files: Vec<SampledFile>,
}

impl Drawing {
    pub fn new(sample: DocumentSample) -> Self {
        Self {
            sample,
            lowest: BinaryHeap::new(),
            files: Vec::new(),
        }
    }

    /// Draws from the documents of one file.
    pub fn of_file(sample: DocumentSample, file: SampledFile) -> Self {
        let mut drawing = Self::new(sample);
        let name: Arc<str> = file.name.as_str().into();
        for row in 1..=file.documents {
            drawing.add((sample.number(&name, row), Arc::clone(&name), row));
        }
        drawing.files.push(file);
        drawing
    }

    fn add(&mut self, document: (Number, Arc<str>, u64)) {
        let is_lower = self.lowest.peek().is_none_or(|highest| document < *highest);
        if self.lowest.len() >= self.sample.documents {
            if !is_lower {
                return;
            }
            self.lowest.pop();
        }
        self.lowest.push(document);
    }

    /// Adds what was drawn from other files.
    pub fn join(mut self, other: Self) -> Self {
        other
            .lowest
            .into_iter()
            .for_each(|document| self.add(document));
        self.files.extend(other.files);
        self
    }

    pub fn finish(self) -> Drawn {
        let mut rows: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for (_, name, row) in self.lowest {
            rows.entry(name.as_ref().to_owned()).or_default().push(row);
        }
        for rows in rows.values_mut() {
            rows.sort_unstable();
        }
        let mut files = self.files;
        files.sort_by(|one, other| one.name.cmp(&other.name));
        for file in &mut files {
            file.drawn = rows.get(&file.name).map_or(0, |rows| rows.len() as u64);
        }
        Drawn {
            sample: self.sample,
            files,
            rows,
        }
    }
}

/// A sample that is drawn.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// How it was drawn.
    pub sample: DocumentSample,
    /// The files that it is drawn from, in the order of their names.
    pub files: Vec<SampledFile>,
    rows: BTreeMap<String, Vec<u64>>,
}

impl Drawn {
    /// Returns the documents of a file that are drawn.
    pub fn of_file(&self, name: &str) -> DrawnRows {
        DrawnRows {
            rows: self.rows.get(name).cloned().unwrap_or_default(),
            next: 0,
            row: 0,
        }
    }

    /// Returns the number of documents that it is drawn from.
    pub fn population(&self) -> u64 {
        self.files.iter().map(|file| file.documents).sum()
    }

    /// Returns the number of documents that were drawn.
    pub fn count(&self) -> u64 {
        self.files.iter().map(|file| file.drawn).sum()
    }
}

/// The drawn documents of a file, asked one after the other.
#[derive(Clone, Debug)]
pub struct DrawnRows {
    rows: Vec<u64>,
    next: usize,
    row: u64,
}

impl DrawnRows {
    /// Returns whether the next document of the file is drawn.
    pub fn is_next_drawn(&mut self) -> bool {
        self.row += 1;
        let is_drawn = self.rows.get(self.next) == Some(&self.row);
        self.next += usize::from(is_drawn);
        is_drawn
    }
}

#[cfg(test)]
mod tests {
    use super::{DocumentSample, Drawing, Drawn, SampledFile};
    use data_encoding::HEXLOWER;

    const FILES: [(&str, u64); 3] = [("a.jsonl", 500), ("b/c.parquet", 1), ("d.jsonl", 300)];

    fn drawn(documents: usize, seed: u64, files: &[(&str, u64)]) -> Drawn {
        let sample = DocumentSample { documents, seed };
        let file = |(name, documents): &(&str, u64)| {
            let file = SampledFile {
                name: (*name).to_owned(),
                documents: *documents,
                drawn: 0,
                sha256: String::new(),
            };
            Drawing::of_file(sample, file)
        };
        files
            .iter()
            .map(file)
            .fold(Drawing::new(sample), Drawing::join)
            .finish()
    }

    fn rows(drawn: &Drawn) -> Vec<(String, u64)> {
        let of_file = |(name, documents): &(&str, u64)| {
            let mut asked = drawn.of_file(name);
            let name = (*name).to_owned();
            (1..=*documents)
                .filter(move |_| asked.is_next_drawn())
                .map(move |row| (name.clone(), row))
        };
        FILES.iter().flat_map(of_file).collect()
    }

    /// `printf '7\na.jsonl\n1' | sha256sum`
    #[test]
    fn local_a_documents_number_is_that_of_sha256sum() {
        let number = DocumentSample {
            documents: 1,
            seed: 7,
        }
        .number("a.jsonl", 1);
        assert_eq!(
            HEXLOWER.encode(&number),
            "7d91423a3ebeb7d3827fe3bb6dcb528656eef22adba8952c1eaf223b010bbffe"
        );
    }

    #[test]
    fn local_what_is_drawn_depends_on_names_places_and_the_seed_alone() {
        let sample = drawn(100, 7, &FILES);
        let mut reversed = FILES;
        reversed.reverse();
        assert_eq!(rows(&drawn(100, 7, &reversed)), rows(&sample));
        assert_eq!(
            (rows(&sample).len(), sample.count(), sample.population()),
            (100, 100, 801)
        );
        assert_ne!(rows(&drawn(100, 8, &FILES)), rows(&sample));
        let smaller = rows(&drawn(40, 7, &FILES));
        assert!(smaller.len() == 40 && smaller.iter().all(|row| rows(&sample).contains(row)));
        assert_eq!(rows(&drawn(10_000, 7, &FILES)).len(), 801);
        assert_eq!(rows(&drawn(801, 7, &FILES)).len(), 801);
    }

    /// Each document is drawn as often as every other one, within four standard errors.
    #[test]
    fn local_each_document_has_the_same_chance() {
        let mut times = std::collections::HashMap::new();
        for seed in 0..400 {
            for row in rows(&drawn(200, seed, &FILES)) {
                *times.entry(row).or_insert(0_u32) += 1;
            }
        }
        // 400 draws of 200 of 801: 99.9, with a standard error of 8.7.
        assert_eq!(times.len(), 801);
        assert!(
            times.values().all(|times| (60..=140).contains(times)),
            "{times:?}"
        );
    }
}
