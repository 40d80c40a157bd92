//! Which lines of a robots.txt are a vendor's text, and not the site's own.
//!
//! Two ways to know: a block between marks, and a text whose hash is in `data/vendor_texts.tsv`. Examples:
//!
//! ```text
//! # BEGIN Cloudflare Managed content     a block
//! User-agent: *
//! Content-Signal: search=yes,ai-train=no
//! # END Cloudflare Managed Content
//! ```
//!
//! Who wrote a line changes no answer (MANAGED-2); it is a column beside the answer.
//!
//! What is between a vendor's marks counts as its text, though owners may write there (Yoast's editor) or
//! choose what does (Squarespace's and Substack's switches against AI crawlers have other lines each).
//! Left out: texts that were changed, but for their beginnings where these are in the table too; whether the
//! owner agrees.

mod lines;
mod marks;

use super::RobotsTxt;
use lines::{ManagedLine, normalised};
use marks::{Block, blocks};
use std::num::NonZeroU16;

/// The table that comes with the program, in `data/`.
const BUNDLED: &str = include_str!("../../../data/vendor_texts.tsv");

/// Lines that are a vendor's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Managed<'t> {
    /// The first line, counted from 1.
    pub first_line: u32,
    /// The last line.
    pub last_line: u32,
    /// Whose text it is.
    pub vendor: &'t str,
    /// Which of its texts, where a vendor has several kinds of blocks (MANAGED-3).
    pub block: Option<&'static str>,
    /// How that is known.
    pub how: How,
}

/// How a vendor's text is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It is between marks.
    Marked,
    /// Its hash is in the table.
    Known,
}

/// Returns whose text a line is in; `managed` is in the order of the file.
pub fn vendor_of<'t>(managed: &[Managed<'t>], line: u32) -> Option<&'t str> {
    managed_of(managed, line).map(|lines| lines.vendor)
}

/// Returns the text in which a line is; `managed` is in the order of the file.
pub fn managed_of<'m, 't>(managed: &'m [Managed<'t>], line: u32) -> Option<&'m Managed<'t>> {
    let after = managed.partition_point(|lines| lines.first_line <= line);
    managed.get(after.checked_sub(1)?).filter(|lines| line <= lines.last_line)
}

/// What was found of vendors in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundVendors<'t> {
    /// The lines that are a vendor's text, in the order of the file; none are in two texts.
    pub managed: Vec<Managed<'t>>,
    /// The lines on which a block begins that has no end, which marks nothing (MANAGED-4).
    pub open_blocks: Vec<u32>,
}

/// The texts of vendors that are known by their hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VendorTexts {
    /// By the length of their first line: most lines of a file are as long as none.
    texts: Vec<Vec<VendorText>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct VendorText {
    vendor: String,
    extent: TextExtent,
    lines: usize,
    /// The length of its lines, joined by a line feed.
    bytes: usize,
    /// The hash of the same.
    hash: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextExtent {
    /// All of a file outside of marked blocks: the text is too short to be known among others.
    File,
    /// Lines anywhere in a file.
    Run,
}

/// How many times a file's bytes are hashed at most. Ours: lines of one length, where each may begin a text of
/// thousands of lines, would be hashed thousands of times.
const HASHED_TIMES: usize = 32;

impl VendorTexts {
    /// Returns the table that comes with the program.
    ///
    /// # Panics
    /// Never: a test reads the file.
    pub fn bundled() -> Self {
        Self::read(BUNDLED).expect("the bundled table is read in a test")
    }

    /// Reads a table of vendor, what, lines, bytes of the first line and of all, and hash; `None` if a line
    /// is not part of it.
    pub fn read(table: &str) -> Option<Self> {
        let mut texts: Vec<Vec<VendorText>> = Vec::new();
        for row in table.lines().filter(|row| !row.starts_with('#') && !row.starts_with("vendor\t")) {
            let mut cells = row.split('\t');
            let vendor = cells.next()?.to_owned();
            let extent = match cells.next()? {
                "file" => TextExtent::File,
                "run" => TextExtent::Run,
                _ => return None,
            };
            let lines = cells.next()?.parse::<NonZeroU16>().ok()?.get().into();
            let first_line_bytes = usize::from(cells.next()?.parse::<u16>().ok()?);
            let bytes = cells.next()?.parse::<u32>().ok()?.try_into().ok()?;
            let hash = u64::from_str_radix(cells.next()?, 16).ok()?;
            texts.resize_with(texts.len().max(first_line_bytes + 1), Vec::new);
            texts.get_mut(first_line_bytes)?.push(VendorText { vendor, extent, lines, bytes, hash });
        }
        Some(Self { texts })
    }

    /// Returns the lines that are a vendor's text, in the order of the file; none are in two texts.
    pub fn managed(&self, robots: &RobotsTxt) -> Vec<Managed<'_>> {
        self.find(robots).managed
    }

    /// Finds what a file has of vendors.
    ///
    /// Ours: a marked block goes before a known text, and of either the longer one before a shorter.
    pub fn find(&self, robots: &RobotsTxt) -> FoundVendors<'_> {
        let file = robots.bytes().to_ascii_lowercase();
        let lines = normalised(&file);
        let blocks = blocks(&lines);
        let mut managed = without_overlaps(blocks.whole.iter().map(marked).collect());
        let known = without_overlaps(self.known(&outside(lines, &managed)));
        managed.extend(known);
        managed.sort_by_key(|lines| lines.first_line);
        FoundVendors { managed, open_blocks: blocks.open }
    }

    fn known(&self, lines: &[ManagedLine<'_>]) -> Vec<Managed<'_>> {
        let mut found = Vec::new();
        // Where each line would begin, were all joined by a line feed.
        let mut starts = Vec::with_capacity(lines.len() + 1);
        starts.push(0);
        let mut next = 0;
        for line in lines {
            next += line.text.len() + 1;
            starts.push(next);
        }
        let mut bytes_left = next * HASHED_TIMES;
        for (start, line) in lines.iter().enumerate() {
            for text in self.texts.get(line.text.len()).into_iter().flatten() {
                let end = start + text.lines;
                let bytes = |at: usize| starts.get(at).copied();
                let is_as_long =
                    bytes(end).zip(bytes(start)).is_some_and(|(end, start)| end - start == text.bytes + 1);
                let is_here = match text.extent {
                    TextExtent::File => (start, end) == (0, lines.len()),
                    TextExtent::Run => true,
                };
                if is_as_long
                    && is_here
                    && let Some(run @ [.., last]) = lines.get(start..end)
                    && last.part == line.part
                    && bytes_left >= text.bytes
                {
                    bytes_left -= text.bytes;
                    if hash(run) != text.hash {
                        continue;
                    }
                    let (first_line, last_line) = (line.number, last.number);
                    let vendor = &text.vendor;
                    found.push(Managed { first_line, last_line, vendor, block: None, how: How::Known });
                }
            }
        }
        found
    }
}

fn marked(block: &Block) -> Managed<'static> {
    Managed {
        first_line: block.first_line,
        last_line: block.last_line,
        vendor: block.mark.vendor,
        block: block.mark.block,
        how: How::Marked,
    }
}

/// Keeps the longest of those that overlap, and of equally long ones the first.
fn without_overlaps(mut found: Vec<Managed<'_>>) -> Vec<Managed<'_>> {
    found.sort_by_key(|lines| (std::cmp::Reverse(lines.last_line - lines.first_line), lines.first_line));
    let lines = found.iter().map(|lines| lines.last_line as usize + 1).max().unwrap_or_default();
    let mut taken = vec![false; lines];
    // A shorter one that overlaps a longer one has its first or its last line in it.
    found.retain(|lines| {
        let (first, last) = (lines.first_line as usize, lines.last_line as usize);
        let free = [first, last].iter().all(|line| taken.get(*line) == Some(&false));
        if free && let Some(taken) = taken.get_mut(first..=last) {
            taken.fill(true);
        }
        free
    });
    found
}

/// Returns the lines that are in none of the blocks.
fn outside<'f>(mut lines: Vec<ManagedLine<'f>>, blocks: &[Managed<'_>]) -> Vec<ManagedLine<'f>> {
    if blocks.is_empty() {
        return lines;
    }
    let mut blocks: Vec<_> = blocks.iter().map(|block| (block.first_line, block.last_line)).collect();
    blocks.sort_unstable();
    lines.retain_mut(|line| {
        line.part = blocks.partition_point(|(first, _)| *first <= line.number);
        let block = blocks.get(line.part.wrapping_sub(1));
        block.is_none_or(|(_, last)| line.number > *last)
    });
    lines
}

/// Returns FNV-1a with 64 bits of lines joined by a line feed.
fn hash(lines: &[ManagedLine<'_>]) -> u64 {
    const START: u64 = 0xCBF2_9CE4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01B3;
    let with = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(PRIME);
    let lines = lines.iter().enumerate();
    lines.fold(START, |hash, (place, line)| {
        let hash = if place > 0 { with(hash, &b'\n') } else { hash };
        line.text.iter().fold(hash, with)
    })
}
