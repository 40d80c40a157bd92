//! Which records may be the original of a revisit, by what the revisit claims (KNOW-4).
//!
//! Example: a revisit names a digest and a time, and one of three records of its URL has both. There may be many revisits and
//! many records, so records are found by what is claimed, and revisits that claim the same are answered together. Left out: where
//! revisits and records are (`find_originals`).

use super::originals::StoredOriginal;
use std::collections::{HashMap, HashSet};

/// A row of an archive's captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CaptureRow {
    pub archive: usize,
    pub row: usize,
}

/// What a revisit says about its original.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RevisitClaim {
    pub id: Option<String>,
    /// When the original was fetched, in seconds since 1970.
    pub original_s: Option<i64>,
    /// The digest that it states, if that proves something.
    pub digest: Option<Vec<u8>>,
}

/// A record to which a revisit may refer.
pub struct Candidate {
    pub at: CaptureRow,
    pub digests: Vec<Vec<u8>>,
    pub id: Option<String>,
    pub fetched_s: Option<i64>,
}

/// What decides between candidates.
pub struct CandidateContent {
    pub stored: StoredOriginal,
    pub is_cut: bool,
    pub has_metas: bool,
    /// Of its body, or of its metas.
    pub body: u64,
}

impl RevisitClaim {
    /// Returns whether a record at the named URL has the named id and time, as far as these are named.
    fn names(&self, candidate: &Candidate) -> bool {
        self.id
            .as_ref()
            .is_none_or(|id| candidate.id.as_ref() == Some(id))
            && self
                .original_s
                .is_none_or(|at| candidate.fetched_s == Some(at))
    }

    fn has_digest_of(&self, candidate: &Candidate) -> bool {
        self.digest
            .as_ref()
            .is_some_and(|digest| candidate.digests.contains(digest))
    }
}

/// The records to which the revisits of a URL may refer, by what they claim: there may be many of both.
pub struct Candidates<'c> {
    all: &'c [Candidate],
    by_id: HashMap<&'c str, Vec<&'c Candidate>>,
    by_digest: HashMap<&'c [u8], Vec<&'c Candidate>>,
    times: HashSet<Option<i64>>,
}

impl<'c> Candidates<'c> {
    pub fn new(all: &'c [Candidate]) -> Self {
        let (mut by_id, mut by_digest) = (HashMap::<_, Vec<_>>::new(), HashMap::<_, Vec<_>>::new());
        for candidate in all {
            if let Some(id) = &candidate.id {
                by_id.entry(id.as_str()).or_default().push(candidate);
            }
            for digest in &candidate.digests {
                let alike = by_digest.entry(digest.as_slice()).or_default();
                // A record may state one digest twice.
                if alike
                    .last()
                    .is_none_or(|last: &&Candidate| last.at != candidate.at)
                {
                    alike.push(candidate);
                }
            }
        }
        let times = all.iter().map(|candidate| candidate.fetched_s).collect();
        Self {
            all,
            by_id,
            by_digest,
            times,
        }
    }

    /// Returns those that a claim means, in their order.
    pub fn fitting(&self, claim: &RevisitClaim) -> Vec<&'c Candidate> {
        let of_id = |id: &String| self.by_id.get(id.as_str()).map_or(&[][..], Vec::as_slice);
        let of_digest = |digest: &Vec<u8>| {
            self.by_digest
                .get(digest.as_slice())
                .map_or(&[][..], Vec::as_slice)
        };
        let is_named = match (&claim.id, claim.original_s) {
            (Some(id), _) => of_id(id).iter().any(|candidate| claim.names(candidate)),
            (None, Some(at)) => self.times.contains(&Some(at)),
            (None, None) => !self.all.is_empty(),
        };
        let by_id = claim.id.as_ref().map(of_id);
        let by_digest = claim.digest.as_ref().map(of_digest);
        match (by_id, by_digest) {
            // Claims that contradict each other prove nothing: if the named record is there, it has the digest.
            (Some(by_id), Some(by_digest)) if is_named => {
                let fewer = if by_id.len() < by_digest.len() {
                    by_id
                } else {
                    by_digest
                };
                let fits = |one: &&&Candidate| claim.names(one) && claim.has_digest_of(one);
                fewer.iter().filter(fits).copied().collect()
            }
            (None, Some(by_digest)) if is_named => by_digest
                .iter()
                .filter(|one| claim.names(one))
                .copied()
                .collect(),
            (_, Some(by_digest)) => by_digest.to_vec(),
            (Some(by_id), None) => by_id
                .iter()
                .filter(|one| claim.names(one))
                .copied()
                .collect(),
            (None, None) => self.all.iter().filter(|one| claim.names(one)).collect(),
        }
    }
}

/// What a claim means, by the times of the records; nothing if their contents differ.
pub struct Fitting<'c>(Vec<(Option<i64>, &'c CandidateContent)>);

impl<'c> Fitting<'c> {
    pub fn new(
        candidates: &[&Candidate],
        contents: &'c HashMap<CaptureRow, CandidateContent>,
    ) -> Self {
        let content = |one: &&Candidate| Some((one.fetched_s, contents.get(&one.at)?));
        let mut fitting: Vec<_> = candidates.iter().filter_map(content).collect();
        if fitting.iter().any(|(_, content)| content.has_metas) {
            fitting.retain(|(_, content)| content.has_metas);
        }
        let first = fitting.first().map(|(_, content)| content.body);
        if fitting
            .iter()
            .any(|(_, content)| Some(content.body) != first)
        {
            return Self(Vec::new());
        }
        // It is unknown which of them is meant: a cut one, else the newest that is not later.
        if fitting.iter().any(|(_, content)| content.is_cut) {
            fitting.retain(|(_, content)| content.is_cut);
        }
        fitting.sort_by_key(|(at, _)| *at);
        Self(fitting)
    }

    /// Returns the original of a revisit of that time: the newest that is not later, else the first; of one time, the last.
    pub fn original(&self, fetched_s: Option<i64>) -> Option<StoredOriginal> {
        let Self(fitting) = self;
        let until = |time: Option<i64>| fitting.partition_point(|(at, _)| *at <= time);
        let first = fitting.first()?.0;
        let behind = if first <= fetched_s {
            until(fetched_s)
        } else {
            until(first)
        };
        fitting
            .get(behind.checked_sub(1)?)
            .map(|(_, content)| content.stored)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;
    use std::cmp::Reverse;

    /// Looks at all candidates, for each revisit.
    fn slowly(
        (claim, fetched_s): (&RevisitClaim, Option<i64>),
        all: &[Candidate],
        contents: &HashMap<CaptureRow, CandidateContent>,
    ) -> Option<u64> {
        let is_named = all.iter().any(|one| claim.names(one));
        let fits = |one: &&Candidate| match &claim.digest {
            Some(_) if is_named => claim.names(one) && claim.has_digest_of(one),
            Some(_) => claim.has_digest_of(one),
            None => claim.names(one),
        };
        let content = |one: &Candidate| Some((one.fetched_s, contents.get(&one.at)?));
        let mut fitting: Vec<_> = all.iter().filter(fits).filter_map(content).collect();
        if fitting.iter().any(|(_, content)| content.has_metas) {
            fitting.retain(|(_, content)| content.has_metas);
        }
        let first = fitting.first()?.1.body;
        if fitting.iter().any(|(_, content)| content.body != first) {
            return None;
        }
        let rank = |(at, content): &&(Option<i64>, &CandidateContent)| {
            let is_earlier = *at <= fetched_s;
            let at = if is_earlier {
                (*at, Reverse(None))
            } else {
                (None, Reverse(*at))
            };
            (content.is_cut, is_earlier, at)
        };
        fitting
            .iter()
            .max_by_key(rank)
            .map(|(_, content)| content.stored.at)
    }

    #[test]
    fn know_4_originals_are_those_that_a_slow_search_finds() {
        let mut random = Rng::with_seed(0x5EED_0001);
        let mut proved = 0;
        for _ in 0..2_000 {
            let mut contents = HashMap::new();
            let count = random.u64(..6);
            let mut candidate = |row: u64| {
                let at = CaptureRow {
                    archive: 0,
                    row: usize::try_from(row).expect("few"),
                };
                let stored = StoredOriginal {
                    at: row,
                    bytes: 0,
                    digest: [0; 20],
                };
                let (is_cut, has_metas) = (random.u64(..4) == 0, random.u64(..3) > 0);
                contents.insert(
                    at,
                    CandidateContent {
                        stored,
                        is_cut,
                        has_metas,
                        body: random.u64(..8) / 7,
                    },
                );
                let digests = (0..random.u64(..3)).map(|_| vec![random.u8(..3)]).collect();
                let id = (random.u64(..4) > 0).then(|| random.u64(..3).to_string());
                Candidate {
                    at,
                    digests,
                    id,
                    fetched_s: (random.u64(..8) > 0).then(|| random.i64(0..5)),
                }
            };
            let all: Vec<Candidate> = (0..count).map(&mut candidate).collect();
            let claim = RevisitClaim {
                id: (random.u64(..2) == 0).then(|| random.u64(..3).to_string()),
                original_s: (random.u64(..3) == 0).then(|| random.i64(0..5)),
                digest: (random.u64(..3) > 0).then(|| vec![random.u8(..3)]),
            };
            let fitting = Fitting::new(&Candidates::new(&all).fitting(&claim), &contents);
            for fetched_s in [None, Some(0), Some(2), Some(9)] {
                let found = fitting.original(fetched_s).map(|stored| stored.at);
                assert_eq!(
                    found,
                    slowly((&claim, fetched_s), &all, &contents),
                    "{claim:?}"
                );
                proved += u32::from(found.is_some());
            }
        }
        assert!(proved > 1_000, "{proved}");
    }
}
