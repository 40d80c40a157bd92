//! Patterns of an ai.txt policy: they match a whole path (RULES LIVE-11).
//!
//! Examples: `/a/*` matches `/a/b`, and `/a/**` also `/a/b/c`. Ours (AMB-AITXT-3): in a pattern that denies, `*` also crosses
//! slashes. The draft does not say; of two readings, the one with the no counts.
//!
//! A pattern whose stars all cross slashes is a robots.txt pattern with an end, and uses that matcher, whose time is linear.
//! Any other is cut at `**` into blocks; each block is taken where it first fits. A block is tried once for each segment of the
//! path, within a budget of steps.
//! Left out: classes of bytes, `?` and braces, which are ordinary bytes here; queries, which no pattern is about.

use crate::web::path_pattern::{PathPattern, UrlPath, matches};
use crate::web::steps;
use memchr::{memchr, memmem};

/// How many steps one match may take for each byte of the pattern and of the path. Ours: a match that needs more fails, so
/// that the page is not allowed; real patterns need fewer than one.
const STEPS_PER_BYTE: usize = 8;

/// A pattern in normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Glob {
    /// Its stars cross slashes: a pattern of robots.txt, with `$`.
    Across(Vec<u8>),
    /// The parts between `**`, with stars that stay within a segment.
    Blocks {
        octets: usize,
        blocks: Vec<GlobBlock>,
    },
}

/// The pieces between the stars of a block.
type GlobBlock = Vec<Vec<u8>>;

impl Glob {
    pub(super) fn of_allow(text: &[u8]) -> Self {
        let pattern = PathPattern::new(text);
        let octets = without_end(pattern.as_bytes());
        // One star begins a piece; more of them cross slashes and begin a block.
        let mut blocks: Vec<GlobBlock> = vec![vec![Vec::new()]];
        for run in octets.chunk_by(|one, next| (*one == b'*') == (*next == b'*')) {
            let Some(block) = blocks.last_mut() else {
                continue;
            };
            match run {
                [b'*'] => block.push(Vec::new()),
                [b'*', ..] => blocks.push(vec![Vec::new()]),
                _ => block
                    .last_mut()
                    .into_iter()
                    .for_each(|piece| piece.extend_from_slice(run)),
            }
        }
        if blocks.iter().all(|block| block.len() == 1) {
            return Self::of_deny(text);
        }
        Self::Blocks {
            octets: octets.len(),
            blocks,
        }
    }

    pub(super) fn of_deny(text: &[u8]) -> Self {
        let pattern = PathPattern::new(text);
        Self::Across([without_end(pattern.as_bytes()), b"$"].concat())
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Across(octets) => octets.len(),
            Self::Blocks { octets, .. } => *octets,
        }
    }

    /// Matches the whole path, without its query.
    pub(super) fn matches(&self, path: &UrlPath) -> bool {
        let path = path.without_query();
        match self {
            Self::Across(pattern) => matches(pattern, path),
            Self::Blocks { octets, blocks } => {
                let budget = (octets + path.len()).saturating_mul(STEPS_PER_BYTE);
                GlobSearch { budget }.blocks(blocks, path).is_some()
            }
        }
    }
}

/// Ours: a whole path is matched, whether the pattern ends with `$` or not.
fn without_end(pattern: &[u8]) -> &[u8] {
    pattern.strip_suffix(b"$").unwrap_or(pattern)
}

/// A search, and how many steps it may still take.
struct GlobSearch {
    budget: usize,
}

impl GlobSearch {
    /// Returns what follows the blocks in a path, which is nothing; `None` if they do not fit or the budget is used up.
    fn blocks<'p>(&mut self, blocks: &[GlobBlock], path: &'p [u8]) -> Option<&'p [u8]> {
        let [first, others @ ..] = blocks else {
            return None;
        };
        let [middle @ .., last] = others else {
            return self.prefix(first, path, AtEnd::Wanted);
        };
        let mut rest = self.prefix(first, path, AtEnd::Open)?;
        for block in middle {
            rest = self.first(block, rest, AtEnd::Open)?;
        }
        self.first(last, rest, AtEnd::Wanted)
    }

    fn take(&mut self, steps: usize) -> Option<()> {
        steps::count(steps);
        self.budget = self.budget.checked_sub(steps + 1)?;
        Some(())
    }

    /// Finds a block where it first fits; returns what follows it. Within a segment, the first place of each piece leaves most
    /// to the pieces after it, so one try per segment is enough.
    fn first<'p>(&mut self, block: &GlobBlock, path: &'p [u8], end: AtEnd) -> Option<&'p [u8]> {
        let [first, others @ ..] = block.as_slice() else {
            return None;
        };
        if others.is_empty() && end == AtEnd::Wanted {
            self.take(first.len())?;
            return path.ends_with(first).then_some(b"");
        }
        let mut from = 0;
        loop {
            let behind = path.get(from..)?;
            let found = memmem::find(behind, first);
            self.take(found.unwrap_or(behind.len()))?;
            let at = from + found?;
            let after = path.get(at + first.len()..)?;
            if let Some(rest) = self.pieces(others, after, end) {
                return Some(rest);
            }
            // A later place in this segment leaves less: the next one ends behind the slash.
            let slash = memchr(b'/', after);
            self.take(slash.unwrap_or(after.len()))?;
            from = at + slash? + 1;
        }
    }

    /// Returns what follows a block at the start of a path.
    fn prefix<'p>(&mut self, block: &GlobBlock, path: &'p [u8], end: AtEnd) -> Option<&'p [u8]> {
        let [first, others @ ..] = block.as_slice() else {
            return None;
        };
        self.take(first.len())?;
        let after = path.strip_prefix(first.as_slice())?;
        if others.is_empty() {
            return Some(after).filter(|after| end == AtEnd::Open || after.is_empty());
        }
        self.pieces(others, after, end)
    }

    /// Finds the pieces behind the first of a block, each within the segment in which the piece before it ends.
    fn pieces<'p>(&mut self, pieces: &[Vec<u8>], path: &'p [u8], end: AtEnd) -> Option<&'p [u8]> {
        let mut rest = path;
        for (number, piece) in pieces.iter().enumerate() {
            let segment = memchr(b'/', rest).unwrap_or(rest.len());
            let within = rest
                .get(..segment.saturating_add(piece.len()))
                .unwrap_or(rest);
            self.take(segment)?;
            let is_last = number + 1 == pieces.len() && end == AtEnd::Wanted;
            let at = if is_last {
                rest.len().checked_sub(piece.len())
            } else {
                memmem::find(within, piece)
            };
            rest = rest
                .get(at.filter(|at| *at <= segment)?..)?
                .strip_prefix(piece.as_slice())?;
        }
        Some(rest)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum AtEnd {
    Wanted,
    Open,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches_slowly(glob: &[u8], path: &[u8]) -> bool {
        match glob {
            [] => path.is_empty(),
            [b'*', b'*', rest @ ..] => (0..=path.len()).any(|at| matches_slowly(rest, &path[at..])),
            [b'*', rest @ ..] => {
                let segment = memchr(b'/', path).unwrap_or(path.len());
                (0..=segment).any(|at| matches_slowly(rest, &path[at..]))
            }
            [byte, rest @ ..] => path.first() == Some(byte) && matches_slowly(rest, &path[1..]),
        }
    }

    #[test]
    fn live_11_the_matcher_agrees_with_a_slow_one() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut found = [0, 0];
        for _ in 0..60_000 {
            let glob: Vec<u8> = (0..random.usize(..9))
                .flat_map(|_| [&b"a"[..], b"b", b"/", b"*", b"**", b"/*"][random.usize(..6)])
                .copied()
                .collect();
            let path: Vec<u8> = [b'/']
                .into_iter()
                .chain((0..random.usize(..9)).map(|_| b"aab/"[random.usize(..4)]))
                .collect();
            let page = UrlPath::new(&path, None);
            let expected = matches_slowly(&glob, &path);
            let agrees = Glob::of_allow(&glob).matches(&page) == expected;
            assert!(agrees, "{} {}", glob.escape_ascii(), path.escape_ascii());
            found[usize::from(expected)] += 1;
            let across: Vec<u8> = glob
                .iter()
                .flat_map(|byte| {
                    if *byte == b'*' {
                        &b"**"[..]
                    } else {
                        std::slice::from_ref(byte)
                    }
                })
                .copied()
                .collect();
            assert_eq!(
                Glob::of_deny(&glob).matches(&page),
                matches_slowly(&across, &path)
            );
        }
        assert!(found.iter().all(|count| *count > 5_000), "{found:?}");
    }

    /// 16 KiB of stars and a URL of 60 KB once took two seconds.
    #[test]
    fn live_11_the_time_is_linear() {
        let path = UrlPath::new(&b"/ab/b".repeat(12 << 10), None);
        for piece in ["**/*a", "/*a", "*a", "**/*b/*", "/**/*ab"] {
            let glob = piece.repeat((16 << 10) / piece.len());
            for glob in [
                Glob::of_allow(glob.as_bytes()),
                Glob::of_deny(glob.as_bytes()),
            ] {
                let (_, taken) = crate::web::steps::counted(|| glob.matches(&path));
                let bytes = glob.len() + path.as_bytes().len();
                assert!(
                    taken <= (STEPS_PER_BYTE * 2 * bytes) as u64,
                    "{piece} {taken}"
                );
            }
        }
    }

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
            let (own, query) = path
                .split_once('?')
                .map_or((path, None), |(own, query)| (own, Some(query)));
            let page = UrlPath::new(own.as_bytes(), query.map(str::as_bytes));
            let found =
                [Glob::of_allow, Glob::of_deny].map(|read| read(glob.as_bytes()).matches(&page));
            assert_eq!(found, [of_allow, of_deny], "{glob} {path}");
        }
    }
}
