//! Patterns of an ai.txt policy: they match a whole path (RULES LIVE-11).
//!
//! Examples: `/a/*` matches `/a/b`, and `/a/**` also `/a/b/c`. Ours (AMB-AITXT-3): in a pattern that denies, `*` goes
//! across slashes, too, as the draft does not say; of two readings the one with the no.
//! Left out: classes of bytes, `?` and braces, which are ordinary bytes here; queries, which no pattern is about.

use crate::web::path_pattern::{PathPattern, UrlPath};

/// A pattern in normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Glob(Vec<GlobStep>);

/// What a pattern has at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GlobStep {
    Byte(u8),
    /// Any run of bytes without a slash.
    InSegment,
    /// Any run of bytes.
    AcrossSegments,
}

impl Glob {
    /// Reads a pattern that allows.
    pub(super) fn of_allow(text: &[u8]) -> Self {
        Self::read(text, GlobStep::InSegment)
    }

    /// Reads a pattern that denies.
    pub(super) fn of_deny(text: &[u8]) -> Self {
        Self::read(text, GlobStep::AcrossSegments)
    }

    fn read(text: &[u8], star: GlobStep) -> Self {
        let pattern = PathPattern::new(text);
        let mut steps: Vec<GlobStep> = Vec::new();
        let mut before = None;
        for byte in pattern.as_bytes() {
            match (byte, before) {
                (b'*', Some(b'*')) => {
                    if let Some(last) = steps.last_mut() {
                        *last = GlobStep::AcrossSegments;
                    }
                }
                (b'*', _) => steps.push(star),
                (byte, _) => steps.push(GlobStep::Byte(*byte)),
            }
            before = Some(*byte);
        }
        Self(steps)
    }

    /// Returns how many steps it has: matching a path takes so many for each of its bytes.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether it matches the whole of a path, without its query.
    pub(super) fn matches(&self, path: &UrlPath) -> bool {
        let mut reached = vec![false; self.0.len() + 1];
        if let Some(first) = reached.first_mut() {
            *first = true;
        }
        self.skip_empty_runs(&mut reached);
        for byte in path.without_query() {
            let mut next = vec![false; reached.len()];
            for (at, step) in self.0.iter().enumerate().filter(|(at, _)| reached.get(*at) == Some(&true)) {
                let to = match step {
                    GlobStep::Byte(expected) if expected == byte => at + 1,
                    GlobStep::InSegment if *byte != b'/' => at,
                    GlobStep::AcrossSegments => at,
                    GlobStep::Byte(_) | GlobStep::InSegment => continue,
                };
                if let Some(slot) = next.get_mut(to) {
                    *slot = true;
                }
            }
            self.skip_empty_runs(&mut next);
            reached = next;
        }
        reached.last() == Some(&true)
    }

    fn skip_empty_runs(&self, reached: &mut [bool]) {
        for (at, step) in self.0.iter().enumerate() {
            let is_run = matches!(step, GlobStep::InSegment | GlobStep::AcrossSegments);
            if is_run
                && reached.get(at) == Some(&true)
                && let Some(next) = reached.get_mut(at + 1)
            {
                *next = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn live_11_globs_match_whole_paths() {
        for (glob, path, of_allow, of_deny) in [
            ("/a/*", "/a/b", true, true),
            ("/a/*", "/a/b/c", false, true),
            ("/a/**", "/a/b/c", true, true),
            ("/a", "/a/b", false, false),
            ("/a", "/a?q=1", true, true),
            ("/*.html", "/a.html", true, true),
            ("/*.html", "/a/b.html", false, true),
            ("/**/b*", "/a/b", true, true),
            ("/**/*.c", "/a/b/x.c", true, true),
            ("*", "/", false, true),
            ("**", "/a/b", true, true),
            ("/soci%C3%A9t%c3%a9", "/soci\u{e9}t\u{e9}", true, true),
            ("", "/", false, false),
        ] {
            let page = UrlPath::new(path.as_bytes(), None);
            let page = match path.split_once('?') {
                Some((path, query)) => UrlPath::new(path.as_bytes(), Some(query.as_bytes())),
                None => page,
            };
            let found = [Glob::of_allow, Glob::of_deny].map(|read| read(glob.as_bytes()).matches(&page));
            assert_eq!(found, [of_allow, of_deny], "{glob} {path}");
        }
    }
}
