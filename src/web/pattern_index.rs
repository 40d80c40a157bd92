//! Many path patterns at once: the highest-ranking ones that match a path.
//!
//! Documents: RFC 9309 2.2.2 and 2.2.3, as in `path_pattern`. Left out: the meaning of a rank.
//!
//! A pattern is cut at its stars into pieces. Patterns that begin with the same pieces share the nodes of these pieces, so a piece is
//! searched for only once, at its first occurrence behind the pieces before it: that leaves the most space for the later ones. Only
//! nodes whose first piece is a prefix of the path are looked at: the last one that sorts before the path, and its parents. A node is
//! skipped with everything below it if a better match is known, or if the path lacks a pair of its octets.

use super::path_pattern::{Pairs, UrlPath, split_anchor};
use super::u32_of;
use memchr::{memchr, memmem, memrchr};
use std::ops::Range;

/// Patterns that are looked up together. Each has the number of its place in the input, and a rank.
#[derive(Clone, Debug, Default)]
pub(crate) struct PatternIndex {
    /// The pieces, in normal form. Offsets fit: patterns come from a file of at most 1 GiB, and are at most three times as long in
    /// normal form.
    octets: Vec<u8>,
    /// In the order of their pieces; the nodes below a node follow it.
    nodes: Vec<Node>,
    /// The ends of each node are together, the highest rank first.
    ends: Vec<PatternEnd>,
    /// The nodes of first pieces, in order.
    heads: Vec<PatternHead>,
}

/// A piece that follows the pieces of the nodes above it.
#[derive(Clone, Debug)]
struct Node {
    piece: Range<u32>,
    pairs: Pairs,
    /// Where the nodes below it end.
    below: u32,
    ends: Range<u32>,
    /// The highest rank here and below.
    rank: u64,
}

/// A node without one above.
#[derive(Clone, Debug)]
struct PatternHead {
    node: u32,
    /// The longest other head with which its piece begins.
    parent: Option<u32>,
    /// The highest rank here, below and at all parents.
    rank: u64,
}

#[derive(Clone, Debug)]
struct PatternEnd {
    rank: u64,
    number: u32,
    after: After,
}

#[derive(Clone, Debug)]
enum After {
    Anything,
    Nothing,
    /// Anything, and then this text at the end of the path.
    Suffix(Range<u32>),
}

#[derive(Debug, Default)]
pub(crate) struct Best {
    rank: u64,
    first: Option<u32>,
    others: Vec<u32>,
}

impl Best {
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> + use<'_> {
        self.first.into_iter().chain(self.others.iter().copied())
    }

    /// Returns whether a pattern of this rank cannot improve the result.
    fn beats(&self, rank: u64) -> bool {
        self.first.is_some() && self.rank > rank
    }

    fn add(&mut self, rank: u64, number: u32) {
        if self.first.is_some() && self.rank == rank {
            self.others.push(number);
        } else {
            *self = Self {
                rank,
                first: Some(number),
                others: Vec::new(),
            };
        }
    }
}

/// A pattern to add: its pieces, each except the first behind a NUL, which no pattern has.
struct AddedPattern {
    pieces: Range<u32>,
    end: PatternEnd,
}

impl PatternIndex {
    /// Takes patterns in normal form with their ranks; an empty one matches nothing.
    pub(crate) fn new<'p>(patterns: impl IntoIterator<Item = (&'p [u8], u64)>) -> Self {
        let mut index = Self::default();
        let mut added: Vec<AddedPattern> = Vec::new();
        for (number, (pattern, rank)) in (0..).zip(patterns) {
            added.extend(index.cut(pattern, rank, number));
        }
        let octets = std::mem::take(&mut index.octets);
        let pieces = |one: &AddedPattern| slice(&octets, &one.pieces);
        added.sort_unstable_by(|one, other| {
            pieces(one)
                .cmp(pieces(other))
                .then(other.end.rank.cmp(&one.end.rank))
        });
        let mut open = Vec::new();
        for one in added {
            index.add(one, &octets, &mut open);
        }
        index.close(&mut open, 0);
        index.octets = octets;
        index.find_heads();
        index
    }

    fn cut(&mut self, pattern: &[u8], rank: u64, number: u32) -> Option<AddedPattern> {
        let (body, is_anchored) = split_anchor(pattern);
        let last = |star: usize| (body.get(..star).unwrap_or_default(), body.get(star + 1..));
        let (text, suffix) = match memrchr(b'*', body) {
            Some(star) if is_anchored => last(star),
            None if body.is_empty() && !is_anchored => return None,
            _ => (body, None),
        };
        let start = self.octets.len();
        for (at, piece) in text.split(|octet| *octet == b'*').enumerate() {
            // Several stars in a row count as one; stars at the end of a pattern count as none.
            if at > 0 && !piece.is_empty() {
                self.octets.push(0);
            }
            self.octets.extend_from_slice(piece);
        }
        let pieces = u32_of(start)..u32_of(self.octets.len());
        let after = match suffix {
            None if is_anchored => After::Nothing,
            None => After::Anything,
            Some(suffix) => {
                self.octets.extend_from_slice(suffix);
                After::Suffix(pieces.end..u32_of(self.octets.len()))
            }
        };
        Some(AddedPattern {
            pieces,
            end: PatternEnd {
                rank,
                number,
                after,
            },
        })
    }

    /// Adds the next pattern in order; `open` are the nodes of the previous pattern.
    fn add(&mut self, one: AddedPattern, octets: &[u8], open: &mut Vec<u32>) {
        let (mut depth, mut start) = (0, one.pieces.start);
        loop {
            let rest = slice(octets, &(start..one.pieces.end));
            let length = u32_of(memchr(0, rest).unwrap_or(rest.len()));
            let piece = start..start + length;
            let known = open
                .get(depth)
                .and_then(|node| self.nodes.get(*node as usize));
            if known.is_none_or(|node| slice(octets, &node.piece) != slice(octets, &piece)) {
                self.close(open, depth);
                open.push(u32_of(self.nodes.len()));
                let (pairs, ends) = (
                    Pairs::from_octets(slice(octets, &piece)),
                    u32_of(self.ends.len()),
                );
                self.nodes.push(Node {
                    piece,
                    pairs,
                    below: 0,
                    ends: ends..ends,
                    rank: 0,
                });
            }
            depth += 1;
            start += length + 1;
            if start > one.pieces.end {
                break;
            }
        }
        self.close(open, depth);
        if let Some(node) = open
            .last()
            .and_then(|node| self.nodes.get_mut(*node as usize))
        {
            node.rank = node.rank.max(one.end.rank);
            self.ends.push(one.end);
            node.ends.end = u32_of(self.ends.len());
        }
    }

    fn close(&mut self, open: &mut Vec<u32>, depth: usize) {
        while open.len() > depth
            && let Some(closed) = open.pop()
        {
            let below = u32_of(self.nodes.len());
            let Some(node) = self.nodes.get_mut(closed as usize) else {
                continue;
            };
            node.below = below;
            let rank = node.rank;
            if let Some(above) = open
                .last()
                .and_then(|above| self.nodes.get_mut(*above as usize))
            {
                above.rank = above.rank.max(rank);
            }
        }
    }

    fn find_heads(&mut self) {
        let mut heads: Vec<PatternHead> = Vec::new();
        let mut next = 0;
        while let Some(node) = self.nodes.get(next as usize) {
            let mut parent = heads.len().checked_sub(1).map(u32_of);
            while let Some(other) = parent.and_then(|parent| heads.get(parent as usize)) {
                if slice(&self.octets, &node.piece).starts_with(self.piece_of(other)) {
                    break;
                }
                parent = other.parent;
            }
            let inherited = parent
                .and_then(|parent| heads.get(parent as usize))
                .map_or(0, |head| head.rank);
            heads.push(PatternHead {
                node: next,
                parent,
                rank: inherited.max(node.rank),
            });
            next = node.below;
        }
        self.heads = heads;
    }

    pub(crate) fn best(&self, path: &UrlPath) -> Best {
        self.best_of(path, &|_| true)
    }

    /// Returns the highest-ranking patterns that match a path and are wanted.
    pub(crate) fn best_of(&self, path: &UrlPath, is_wanted: &impl Fn(u32) -> bool) -> Best {
        let mut best = Best::default();
        let mut head = self.last_head_of(path.as_bytes());
        while let Some(here) = head.filter(|here| !best.beats(here.rank)) {
            self.search(here.node, path, is_wanted, &mut best);
            head = self.parent_of(here);
        }
        best
    }

    /// Looks for matches at a head and below it.
    fn search(&self, head: u32, path: &UrlPath, is_wanted: &impl Fn(u32) -> bool, best: &mut Best) {
        let Some(node) = self.nodes.get(head as usize) else {
            return;
        };
        let mut at = node.piece.len();
        let behind = |at: usize| path.as_bytes().get(at..).unwrap_or_default();
        self.find_ends(node, behind(at), is_wanted, best);
        // For each node above: where the nodes below it end, and where its piece ends in the path.
        let mut above: Vec<(u32, usize)> = Vec::new();
        let (mut next, mut below) = (head + 1, node.below);
        loop {
            if next >= below {
                let Some(outer) = above.pop() else { return };
                (below, at) = outer;
                continue;
            }
            let Some(node) = self.nodes.get(next as usize) else {
                return;
            };
            let is_of_use = !best.beats(node.rank) && node.pairs.may_be_in(path.pairs);
            let piece = slice(&self.octets, &node.piece);
            let found = if is_of_use {
                find(behind(at), piece)
            } else {
                None
            };
            let Some(found) = found else {
                next = node.below;
                continue;
            };
            above.push((below, at));
            (below, at) = (node.below, at + found + piece.len());
            self.find_ends(node, behind(at), is_wanted, best);
            next += 1;
        }
    }

    /// Adds the patterns that end at a node; `rest` is the part of the path behind its piece.
    fn find_ends(
        &self,
        node: &Node,
        rest: &[u8],
        is_wanted: &impl Fn(u32) -> bool,
        best: &mut Best,
    ) {
        let ends = self
            .ends
            .get(node.ends.start as usize..node.ends.end as usize);
        for end in ends.unwrap_or_default() {
            if best.beats(end.rank) {
                return;
            }
            let matches = match &end.after {
                After::Anything => true,
                After::Nothing => rest.is_empty(),
                After::Suffix(suffix) => rest.ends_with(slice(&self.octets, suffix)),
            };
            if matches && is_wanted(end.number) {
                best.add(end.rank, end.number);
            }
        }
    }

    /// Returns the head with the longest prefix of the path: the last head that sorts before the path, or a parent of that
    /// head. Everything that sorts between a prefix of the path and the path also starts with that prefix.
    fn last_head_of(&self, path: &[u8]) -> Option<&PatternHead> {
        let following = self
            .heads
            .partition_point(|head| self.piece_of(head) <= path);
        let mut head = following
            .checked_sub(1)
            .and_then(|last| self.heads.get(last))?;
        let shared = self
            .piece_of(head)
            .iter()
            .zip(path)
            .take_while(|(one, other)| one == other)
            .count();
        while self.piece_of(head).len() > shared {
            head = self.parent_of(head)?;
        }
        Some(head)
    }

    fn parent_of(&self, head: &PatternHead) -> Option<&PatternHead> {
        head.parent
            .and_then(|parent| self.heads.get(parent as usize))
    }

    fn piece_of(&self, head: &PatternHead) -> &[u8] {
        self.nodes
            .get(head.node as usize)
            .map_or(b"", |node| slice(&self.octets, &node.piece))
    }
}

fn find(path: &[u8], piece: &[u8]) -> Option<usize> {
    match piece {
        [octet] => memchr(*octet, path),
        piece => memmem::find(path, piece),
    }
}

fn slice<'o>(octets: &'o [u8], range: &Range<u32>) -> &'o [u8] {
    octets
        .get(range.start as usize..range.end as usize)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::PatternIndex;
    use crate::web::path_pattern::{PathPattern, UrlPath};
    use fastrand::Rng;

    fn index(patterns: &[PathPattern], rank: impl Fn(usize) -> u64) -> PatternIndex {
        let ranked = patterns
            .iter()
            .enumerate()
            .map(|(at, pattern)| (pattern.as_bytes(), rank(at)));
        PatternIndex::new(ranked)
    }

    fn found(index: &PatternIndex, path: &str) -> Vec<u32> {
        let mut found: Vec<u32> = index
            .best(&UrlPath::new(path.as_bytes(), None))
            .numbers()
            .collect();
        found.sort_unstable();
        found
    }

    fn some_of(random: &mut Rng, pieces: &[&str]) -> String {
        (0..random.usize(..8))
            .map(|_| pieces[random.usize(..pieces.len())])
            .collect()
    }

    #[test]
    fn local_the_index_agrees_with_one_pattern_after_the_other() {
        let mut random = Rng::with_seed(0x5EED_0012);
        let mut matched = 0;
        for _ in 0..2_000 {
            let pieces = ["/", "a", "b", "ab", "*", "**", "$", "ba"];
            let count = random.usize(..30);
            let patterns: Vec<PathPattern> = (0..count)
                .map(|_| PathPattern::new(some_of(&mut random, &pieces).as_bytes()))
                .collect();
            let ranks: Vec<u64> = (0..count).map(|_| random.u64(..4)).collect();
            let index = index(&patterns, |at| ranks[at]);
            for _ in 0..30 {
                let text = format!("/{}", some_of(&mut random, &["a", "b", "/", "ab"]));
                let path = UrlPath::new(text.as_bytes(), None);
                let matching = || (0..count).filter(|at| patterns[*at].matches(&path));
                let rank = matching().map(|at| ranks[at]).max();
                let best = matching().filter(|at| Some(ranks[*at]) == rank);
                let best: Vec<u32> = best.map(|at| u32::try_from(at).expect("few")).collect();
                assert_eq!(found(&index, &text), best, "{patterns:?} {text}");
                matched += usize::from(!best.is_empty());
            }
        }
        assert!(matched > 10_000, "{matched}");
    }

    #[test]
    fn local_patterns_that_begin_alike_share_their_pieces() {
        let pattern = |number: u32| PathPattern::new(format!("/a*b*c{}*d", number % 10).as_bytes());
        let patterns: Vec<PathPattern> = (0..1_000).map(pattern).collect();
        let index = index(&patterns, |_| 0);
        assert_eq!((index.nodes.len(), index.ends.len()), (2 + 10 + 10, 1_000));
        assert_eq!(found(&index, "/a/b/c3/d").len(), 100);
        let stars = PathPattern::new(&b"*".repeat(100_000));
        assert_eq!(
            super::PatternIndex::new([(stars.as_bytes(), 0)])
                .nodes
                .len(),
            1
        );
    }
}
