//! Where a doubt counts: everywhere, or on the paths that it names (RULES ACCT-2).

use crate::web::path_pattern::{PathPattern, UrlPath, can_match};
use crate::web::pattern_index::PatternIndex;

/// The doubts of a file.
#[derive(Debug, Default)]
pub(super) struct Doubts {
    is_everywhere: bool,
    /// Those with a path.
    paths: Vec<PathPattern>,
    index: PatternIndex,
}

impl Doubts {
    /// Adds a doubt. A path that can match nothing was not understood, so that it counts everywhere.
    pub(super) fn add(&mut self, path: Option<&[u8]>) {
        match path.filter(|path| can_match(path)) {
            Some(path) if !self.is_everywhere => self.paths.push(PathPattern::new(path)),
            Some(_) => {}
            None => {
                self.is_everywhere = true;
                self.paths.clear();
            }
        }
    }

    /// Makes the paths ready to be asked.
    pub(super) fn compiled(mut self) -> Self {
        // One that matches is enough, so that each has a rank of its own.
        self.index = PatternIndex::new(self.paths.iter().map(PathPattern::as_bytes).zip(0..));
        self
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.is_everywhere && self.paths.is_empty()
    }

    /// Returns whether one counts for a page; of a page without a path, any may.
    pub(super) fn hold(&self, path: Option<&UrlPath>) -> bool {
        self.is_everywhere
            || !self.paths.is_empty()
                && path.is_none_or(|path| self.index.best(path).numbers().next().is_some())
    }
}
