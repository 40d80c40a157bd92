//! What may be a no and was not understood in a file, by path and by label.
//!
//! Example: `Content-Signal: /blog/ ai-train=disallowed` is a doubt for the pages of `/blog/`, and `grounding=no` one for the
//! label `ai_input` alone (RULES ACCT-8). Left out: what is a doubt.

use crate::systems::LabelSet;
use crate::web::path_pattern::{PathPattern, UrlPath, can_match};
use crate::web::pattern_index::PatternIndex;

#[derive(Debug, Default)]
pub struct Doubts {
    units: Vec<DoubtUnit>,
    /// The units of each set of labels, once compiled.
    sets: Vec<DoubtSet>,
}

/// The copy of a site's file, and the line in it.
pub type DoubtPlace = (usize, u32);

#[derive(Debug)]
struct DoubtUnit {
    /// `None`: everywhere.
    path: Option<PathPattern>,
    /// The labels of which it withholds the yes; none, if it is a rule that was understood.
    labels: LabelSet,
    place: DoubtPlace,
}

#[derive(Debug)]
struct DoubtSet {
    labels: LabelSet,
    /// Whether a unit without a path is a doubt.
    is_everywhere: bool,
    /// Whether each unit with a path is a doubt.
    are_doubts: Vec<bool>,
    index: PatternIndex,
}

impl Doubts {
    /// Adds a doubt, if it is about any label. A path that can match nothing was not understood: then it counts everywhere.
    pub fn add(&mut self, path: Option<&[u8]>, labels: LabelSet, place: DoubtPlace) {
        if !labels.is_empty() {
            self.add_rule(path.filter(|path| can_match(path)), labels, place);
        }
    }

    /// Adds a rule, which may be a doubt. Of rules, the one with the longest path counts.
    pub fn add_rule(&mut self, path: Option<&[u8]>, labels: LabelSet, place: DoubtPlace) {
        self.units.push(DoubtUnit {
            path: path.map(PathPattern::new),
            labels,
            place,
        });
    }

    /// Returns the labels of all doubts.
    pub fn labels(&self) -> LabelSet {
        self.units
            .iter()
            .fold(LabelSet::EMPTY, |all, unit| all.with(unit.labels))
    }

    pub fn compiled(mut self) -> Self {
        let mut sets: Vec<LabelSet> = self.units.iter().map(|unit| unit.labels).collect();
        sets.sort_unstable();
        sets.dedup();
        let sets = sets.into_iter().filter(|labels| !labels.is_empty());
        self.sets = sets
            .map(|labels| DoubtSet::new(labels, &self.units))
            .collect();
        if self.sets.is_empty() {
            self.units = Vec::new();
        }
        self
    }

    /// Returns the labels of which a page gets no yes; for a page without a path, every doubt counts.
    pub fn hold(&self, path: Option<&UrlPath>) -> LabelSet {
        let Some(path) = path else {
            return self.labels();
        };
        let holding = self.sets.iter().filter(|set| set.holds(path));
        holding.fold(LabelSet::EMPTY, |all, set| all.with(set.labels))
    }

    /// Returns where the doubts for a page are.
    pub fn places<'d>(
        &'d self,
        path: Option<&'d UrlPath>,
    ) -> impl Iterator<Item = DoubtPlace> + use<'d> {
        let holds = move |unit: &&DoubtUnit| {
            let is_there = |pattern: &PathPattern| path.is_none_or(|path| pattern.matches(path));
            !unit.labels.is_empty() && unit.path.as_ref().is_none_or(is_there)
        };
        self.units.iter().filter(holds).map(|unit| unit.place)
    }
}

impl DoubtSet {
    fn new(labels: LabelSet, units: &[DoubtUnit]) -> Self {
        let own = || {
            units
                .iter()
                .filter(move |unit| unit.labels == labels || unit.labels.is_empty())
        };
        let is_everywhere = own().any(|unit| unit.path.is_none() && !unit.labels.is_empty());
        let paths = own().filter_map(|unit| Some((unit.path.as_ref()?, !unit.labels.is_empty())));
        let mut paths: Vec<(&PathPattern, bool)> = paths.collect();
        if is_everywhere && paths.iter().all(|(_, is_doubt)| *is_doubt) {
            paths = Vec::new();
        }
        // Of equally long paths, a doubt comes first; each has its own rank, so that one is found.
        let rank = |path: &PathPattern, is_doubt: bool| {
            ((path.octet_count() as u64) << 1 | u64::from(is_doubt)) << u32::BITS
        };
        let ranked = (0..).zip(&paths);
        let ranked = ranked
            .map(|(number, (path, is_doubt))| (path.as_bytes(), rank(path, *is_doubt) | number));
        let index = PatternIndex::new(ranked);
        Self {
            labels,
            is_everywhere,
            are_doubts: paths.iter().map(|(_, is_doubt)| *is_doubt).collect(),
            index,
        }
    }

    fn holds(&self, path: &UrlPath) -> bool {
        let longest = self.index.best(path).numbers().next();
        let longest = longest.and_then(|number| self.are_doubts.get(number as usize));
        longest.copied().unwrap_or(self.is_everywhere)
    }
}
