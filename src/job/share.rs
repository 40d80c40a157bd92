//! Which archives a call works on: each once, in the order of their names, from a share of all.
//!
//! Example: of three calls with `--slice 1/3`, `2/3` and `3/3`, each reads every third archive, or every third segment if pages
//! are also resolved. With `--sample 100@7` they share 100 archives that are drawn at random.
//!
//! A random sample depends on names and a seed alone: each name gets a number, and the units with the lowest are drawn. So a
//! second machine draws the same, and a larger sample contains the smaller one. The number, for draws elsewhere: FNV-1a (64
//! bits) of the seed's eight bytes, the lowest first, and of the name's bytes, then the bit mixer of `SplitMix64`, as FNV's
//! high bits alone depend little on the last bytes.

use crate::archive::{CrawlId, Input};
use crate::error::Error;
use crate::runs::{CrawlInput, Segment};
use crate::tables::archives::Design;
use data_encoding::BASE32;
use sha1::{Digest, Sha1};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// The units that `--slice` shares out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Archives, for a scan.
    Archive,
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
    /// Returns share `index` of `count`, counted from 1; `None` if there is no such share.
    pub fn new(index: usize, count: usize) -> Option<Self> {
        (index >= 1 && index <= count).then_some(Self { index, count })
    }
}

/// Which part of the work is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The units that are shared out.
    pub unit: Unit,
    /// Which units are drawn at random, before anything is shared out: archives, or segments when evidence is resolved.
    pub draw: Option<Draw>,
    /// Which of several disjoint shares.
    pub slice: Option<Slice>,
    /// The most units: archives, or segments when evidence is resolved.
    pub limit: Option<usize>,
}

impl Share {
    /// All of the work.
    pub const ALL: Self = Self {
        unit: Unit::Archive,
        draw: None,
        slice: None,
        limit: None,
    };

    /// Whether this is all of the work, however it would be shared out.
    pub(super) fn is_whole(&self) -> bool {
        self.draw.is_none() && self.slice.is_none() && self.limit.is_none()
    }

    /// Keeps the units of this share, given the name of each.
    pub(super) fn of<T>(&self, all: Vec<T>, name: impl Fn(&T) -> String) -> Vec<T> {
        let mut share = self.sliced(self.drawn(all, name));
        share.truncate(self.limit.unwrap_or(usize::MAX));
        share
    }

    /// Keeps the archives of this share; `all` is in the order of their names.
    fn of_archives(&self, all: Vec<CrawlInput>) -> Vec<CrawlInput> {
        let name = |archive: &CrawlInput| archive.input.name.filename().to_owned();
        if self.unit == Unit::Archive {
            return self.of(all, name);
        }
        let mut segments = BTreeMap::<Segment, Vec<CrawlInput>>::new();
        for archive in self.drawn(all, name) {
            segments.entry(archive.segment()).or_default().push(archive);
        }
        let share = self
            .sliced(segments.into_values().collect())
            .into_iter()
            .flatten();
        share.take(self.limit.unwrap_or(usize::MAX)).collect()
    }

    fn drawn<T>(&self, all: Vec<T>, name: impl Fn(&T) -> String) -> Vec<T> {
        if let Some(draw) = self.draw {
            draw.of(all, name)
        } else {
            all
        }
    }

    fn sliced<T>(&self, all: Vec<T>) -> Vec<T> {
        let Some(Slice { index, count }) = self.slice else {
            return all;
        };
        all.into_iter().skip(index - 1).step_by(count).collect()
    }
}

/// Returns the archives of a share in the order of their names; one that is given twice is taken once, and two of one name are
/// an error.
pub fn select(
    inputs: &[Input],
    crawl: Option<&CrawlId>,
    share: &Share,
) -> Result<Vec<CrawlInput>, Error> {
    let mut archives: Vec<CrawlInput> = by_name(inputs)?
        .into_values()
        .map(|input| CrawlInput {
            crawl: crawl.or(input.name.crawl_id()).cloned().unwrap_or_default(),
            input: input.clone(),
            design: None,
        })
        .collect();
    archives.sort_by(|one, other| one.crawl.cmp(&other.crawl));
    if share.draw.is_some() || share.limit.is_some() {
        for list in archives.chunk_by_mut(|one, other| one.crawl == other.crawl) {
            describe(list, share.draw);
        }
    }
    Ok(share.of_archives(archives))
}

/// Sets the design of the archives in a crawl's list when a call chooses a part of it. `list` is in the order of the names.
fn describe(list: &mut [CrawlInput], draw: Option<Draw>) {
    let mut digest = Sha1::new();
    let mut of_segment = BTreeMap::<Segment, u64>::new();
    for archive in &*list {
        digest.update(archive.input.name.filename());
        digest.update(b"\n");
        *of_segment.entry(archive.segment()).or_default() += 1;
    }
    let list_digest = BASE32.encode(&digest.finalize());
    let archives = list.len() as u64;
    for archive in list {
        let segment = archive.segment();
        archive.design = Some(Design {
            list_digest: list_digest.clone(),
            archives,
            segment_archives: of_segment
                .get(&segment)
                .copied()
                .filter(|_| segment.is_some()),
            sample: draw.map(|draw| (draw.units as u64, draw.seed)),
        });
    }
}

fn by_name(inputs: &[Input]) -> Result<BTreeMap<&str, &Input>, Error> {
    let mut found = BTreeMap::<&str, &Input>::new();
    for input in inputs {
        match found.entry(input.name.filename()) {
            Entry::Vacant(vacant) => {
                vacant.insert(input);
            }
            Entry::Occupied(known) => {
                let first = known.get().source.location();
                let second = input.source.location();
                if first != second {
                    return Err(Error::SameName {
                        name: input.name.filename().to_owned(),
                        first,
                        second,
                    });
                }
            }
        }
    }
    Ok(found)
}

/// Which units are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw {
    /// The most units.
    pub units: usize,
    /// Another seed draws another sample.
    pub seed: u64,
}

impl Draw {
    pub(super) fn of<T>(self, all: Vec<T>, name: impl Fn(&T) -> String) -> Vec<T> {
        let named: Vec<(u64, String)> = all
            .iter()
            .map(|unit| {
                let name = name(unit);
                (number(self.seed, name.as_bytes()), name)
            })
            .collect();
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by_key(|&at| &named[at]);
        let mut is_drawn = vec![false; all.len()];
        order
            .into_iter()
            .take(self.units)
            .for_each(|at| is_drawn[at] = true);
        all.into_iter()
            .zip(is_drawn)
            .filter_map(|(unit, is_drawn)| is_drawn.then_some(unit))
            .collect()
    }
}

fn number(seed: u64, name: &[u8]) -> u64 {
    let fnv = seed
        .to_le_bytes()
        .iter()
        .chain(name)
        .fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3)
        });
    let mixed = (fnv ^ (fnv >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::{Draw, Share, Slice, Unit, number, select};
    use crate::archive::{ArchiveName, FileSource, Input};
    use crate::error::Error;
    use std::sync::Arc;

    fn input(name: &str) -> Input {
        Input {
            name: ArchiveName::new(name),
            source: Arc::new(FileSource::new(name.into())),
        }
    }

    fn of_segment(segment: &str, number: u32) -> Input {
        input(&format!(
            "crawl-data/CC-MAIN-2026-34/segments/{segment}/warc/CC-MAIN-20260810060000-20260810090000-{number:05}.warc.gz"
        ))
    }

    fn names(inputs: &[Input], share: &Share) -> Vec<String> {
        let selected = select(inputs, None, share).expect("inputs of a test");
        selected
            .into_iter()
            .map(|archive| archive.input.name.filename().to_owned())
            .collect()
    }

    #[test]
    fn local_slices_are_disjoint_and_complete_whatever_the_order() {
        let mut inputs: Vec<Input> = (0..7)
            .flat_map(|number| ["1", "2", "3"].map(|segment| of_segment(segment, number)))
            .collect();
        let all = names(&inputs, &Share::ALL);
        inputs.reverse();
        assert_eq!(names(&inputs, &Share::ALL), all);
        for unit in [Unit::Archive, Unit::Segment] {
            let slice = |index| Share {
                unit,
                slice: Slice::new(index, 2),
                ..Share::ALL
            };
            let mut both = [names(&inputs, &slice(1)), names(&inputs, &slice(2))].concat();
            both.sort();
            assert_eq!(both, all);
        }
        let segment = Share {
            unit: Unit::Segment,
            slice: Slice::new(2, 3),
            limit: Some(3),
            ..Share::ALL
        };
        assert_eq!(names(&inputs, &segment), all[7..10]);
        assert!(
            names(
                &inputs,
                &Share {
                    slice: Slice::new(30, 30),
                    ..Share::ALL
                }
            )
            .is_empty()
        );
    }

    #[test]
    fn local_slices_share_a_sample_whatever_the_order_of_inputs() {
        let mut inputs: Vec<Input> = (0..9)
            .flat_map(|number| ["1", "2", "3"].map(|segment| of_segment(segment, number)))
            .collect();
        let drawn = |archives, seed| Share {
            draw: Some(Draw {
                units: archives,
                seed,
            }),
            ..Share::ALL
        };
        let sample = names(&inputs, &drawn(8, 1));
        assert_eq!(sample.len(), 8);
        assert_ne!(sample, names(&inputs, &drawn(8, 2)));
        assert_ne!(
            sample,
            names(
                &inputs,
                &Share {
                    limit: Some(8),
                    ..Share::ALL
                }
            )
        );
        inputs.reverse();
        assert_eq!(names(&inputs, &drawn(8, 1)), sample);
        let slice = |index| Share {
            slice: Slice::new(index, 2),
            ..drawn(8, 1)
        };
        let mut both = [names(&inputs, &slice(1)), names(&inputs, &slice(2))].concat();
        both.sort();
        assert_eq!(both, sample);
    }

    #[test]
    fn local_an_input_that_is_given_twice_is_taken_once() {
        let twice = [input("site/a.warc.gz"), input("site/a.warc.gz")];
        assert_eq!(names(&twice, &Share::ALL), ["site/a.warc.gz"]);
        let mut other = input("site/a.warc.gz");
        other.source = Arc::new(FileSource::new("elsewhere/a.warc.gz".into()));
        let clash = select(&[twice[0].clone(), other], None, &Share::ALL);
        assert!(matches!(clash, Err(Error::SameName { .. })));
        assert!(names(&[], &Share::ALL).is_empty());
    }

    fn drawn(units: usize, seed: u64, all: impl Iterator<Item = u32>) -> Vec<u32> {
        Draw { units, seed }.of(all.collect(), |unit| format!("CC-MAIN-2026-43/{unit:05}"))
    }

    /// Users can cite the number: with the same seed and names, everyone draws the same.
    #[test]
    fn local_the_number_of_a_name_never_changes() {
        assert_eq!(number(0, b""), 0x813F_0174_A236_7C13);
        assert_eq!(number(7, b"a.warc.gz"), 0xF692_B1BE_92B9_050D);
    }

    #[test]
    fn local_a_larger_sample_has_the_smaller_one_and_keeps_the_order() {
        let (small, large) = (drawn(10, 3, 0..1000), drawn(20, 3, 0..1000));
        assert_eq!((small.len(), large.len()), (10, 20));
        assert!(small.iter().all(|unit| large.contains(unit)));
        assert!(large.is_sorted());
        let mut reversed = drawn(20, 3, (0..1000).rev());
        reversed.reverse();
        assert_eq!(reversed, large);
        assert_eq!(drawn(2000, 3, 0..1000), (0..1000).collect::<Vec<_>>());
        assert!(drawn(0, 3, 0..1000).is_empty());
    }

    /// Over 400 seeds, each of 40 units is drawn about 100 times (standard deviation 8.7).
    #[test]
    fn local_each_unit_is_drawn_as_often_as_any_other() {
        let mut times = [0_u32; 40];
        for seed in 0..400 {
            for unit in drawn(10, seed, 0..40) {
                times[usize::try_from(unit).expect("below 40")] += 1;
            }
        }
        assert!(
            times.iter().all(|times| (65..=135).contains(times)),
            "{times:?}"
        );
    }
}
