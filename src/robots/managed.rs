//! Which lines of a robots.txt are a vendor's text and not the site's own.
//!
//! A vendor's text is a block between marks, or a text with a hash in `data/vendor_texts.tsv`. Example:
//!
//! ```text
//! # BEGIN Cloudflare Managed content     a block
//! User-agent: *
//! Content-Signal: search=yes,ai-train=no
//! # END Cloudflare Managed Content
//! ```
//!
//! The author of a line changes no answer (MANAGED-2); it is a column beside the answer.
//! Everything between a vendor's marks counts as its text (RULES MANAGED-1, MANAGED-3, MANAGED-4), since its lines change, such
//! as the agents of `# BEGIN Cloudflare Bot Preference Sync`. Owners may write there (Yoast's editor) or choose the lines (the
//! switches of Squarespace and Substack against AI crawlers).
//! Cloudflare's older block is `managed_content`; it was retired on 15 September 2026.
//! Texts are compared in lower case, with one blank for white space: `  Allow:\t/` is `allow: /`.
//!
//! Left out: changed texts, except for beginnings that are in the table; whether the owner agrees; blocks without an end, which
//! are only counted; the comment on content signals that Cloudflare serves for zones without a file, which is not a block.

use super::RobotsTxt;
use crate::web::lines::{numbered_lines, trim_blanks};
use memchr::{memchr, memmem};
use std::borrow::Cow;
use std::num::NonZeroU16;

const BUNDLED: &str = include_str!("../../data/vendor_texts.tsv");

/// Lines that are a vendor's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Managed<'t> {
    /// The first line, counted from 1.
    pub first_line: u32,
    /// The last line.
    pub last_line: u32,
    /// The vendor.
    pub vendor: &'t str,
    /// Which block it is, if the vendor has several kinds (MANAGED-3); `edited`, if it has lines that are not the vendor's.
    pub block: Option<&'static str>,
    /// How the text was recognised.
    pub how: How,
}

impl<'t> Managed<'t> {
    /// Returns the vendor whose text it is; `None` for a block that the site's owner edited, which is the owner's (MANAGED-7).
    pub fn author(&self) -> Option<&'t str> {
        (self.block != Some(EDITED)).then_some(self.vendor)
    }
}

/// How a vendor's text was recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It is between marks.
    Marked,
    /// Its hash is in the table.
    Known,
}

/// Returns the vendor of a line; `managed` is in the order of the file.
pub fn vendor_of<'t>(managed: &[Managed<'t>], line: u32) -> Option<&'t str> {
    managed_of(managed, line).and_then(Managed::author)
}

/// Returns the text that contains a line; `managed` is in the order of the file.
pub fn managed_of<'m, 't>(managed: &'m [Managed<'t>], line: u32) -> Option<&'m Managed<'t>> {
    let after = managed.partition_point(|lines| lines.first_line <= line);
    managed
        .get(after.checked_sub(1)?)
        .filter(|lines| line <= lines.last_line)
}

/// The texts of vendors in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundVendors<'t> {
    /// The lines that are a vendor's text, in the order of the file; no line is in two texts.
    pub managed: Vec<Managed<'t>>,
    /// The first lines of blocks without an end, which mark nothing (MANAGED-4).
    pub open_blocks: Vec<u32>,
}

/// Texts of vendors that are recognised by their hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VendorTexts {
    /// By the length of their first line: most lines of a file have a length that no text has.
    texts: Vec<Vec<VendorText>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct VendorText {
    vendor: String,
    /// Whether it must be all of a file outside marked blocks: it is too short to be recognised among other lines.
    is_whole_file: bool,
    lines: usize,
    bytes: usize,
    hash: u64,
}

/// How many times a file's bytes are hashed at most. Ours: many lines may each begin a text of thousands of lines.
const HASHED_TIMES: usize = 32;

impl VendorTexts {
    /// Returns the table that comes with the program.
    ///
    /// # Panics
    /// Never: a test reads the file.
    pub fn bundled() -> Self {
        Self::read(BUNDLED).expect("the bundled table is read in a test")
    }

    /// Reads a table of vendor, extent, lines, bytes of the first line and of all, and hash; `None` if a row is invalid.
    pub fn read(table: &str) -> Option<Self> {
        let mut texts: Vec<Vec<VendorText>> = Vec::new();
        for row in table
            .lines()
            .filter(|row| !row.starts_with('#') && !row.starts_with("vendor\t"))
        {
            let mut cells = row.split('\t');
            let vendor = cells.next()?.to_owned();
            let is_whole_file = match cells.next()? {
                "file" => true,
                "run" => false,
                _ => return None,
            };
            let lines = cells.next()?.parse::<NonZeroU16>().ok()?.get().into();
            let first_line_bytes = usize::from(cells.next()?.parse::<u16>().ok()?);
            let bytes = cells.next()?.parse::<u32>().ok()?.try_into().ok()?;
            let hash = u64::from_str_radix(cells.next()?, 16).ok()?;
            texts.resize_with(texts.len().max(first_line_bytes + 1), Vec::new);
            texts.get_mut(first_line_bytes)?.push(VendorText {
                vendor,
                is_whole_file,
                lines,
                bytes,
                hash,
            });
        }
        Some(Self { texts })
    }

    /// Returns the lines that are a vendor's text, in the order of the file; no line is in two texts.
    pub fn managed(&self, robots: &RobotsTxt) -> Vec<Managed<'_>> {
        self.find(robots).managed
    }

    /// Finds the texts of vendors in a file. Ours: a marked block precedes a known text, and in each kind the longer precedes.
    pub fn find(&self, robots: &RobotsTxt) -> FoundVendors<'_> {
        let file = robots.bytes().to_ascii_lowercase();
        let lines = normalised(&file);
        let FoundVendors {
            managed,
            open_blocks,
        } = blocks(&lines);
        let mut managed = without_overlaps(managed);
        let known = without_overlaps(self.known(&outside(lines, &managed)));
        managed.extend(known);
        managed.sort_by_key(|lines| lines.first_line);
        FoundVendors {
            managed,
            open_blocks,
        }
    }

    fn known(&self, lines: &[ManagedLine<'_>]) -> Vec<Managed<'_>> {
        let mut found = Vec::new();
        // Where each line would begin if all were joined by line feeds.
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
                let is_as_long = bytes(end)
                    .zip(bytes(start))
                    .is_some_and(|(end, start)| end - start == text.bytes + 1);
                let is_here = !text.is_whole_file || (start, end) == (0, lines.len());
                let Some(run @ [.., last]) = lines.get(start..end) else {
                    continue;
                };
                if is_as_long && is_here && last.part == line.part && bytes_left >= text.bytes {
                    bytes_left -= text.bytes;
                    if hash(run) == text.hash {
                        let (first_line, last_line, vendor) =
                            (line.number, last.number, &text.vendor);
                        found.push(Managed {
                            first_line,
                            last_line,
                            vendor,
                            block: None,
                            how: How::Known,
                        });
                    }
                }
            }
        }
        found
    }
}

/// Keeps the longest of those that overlap, and the first of equally long ones.
fn without_overlaps(mut found: Vec<Managed<'_>>) -> Vec<Managed<'_>> {
    found.sort_by_key(|lines| {
        (
            std::cmp::Reverse(lines.last_line - lines.first_line),
            lines.first_line,
        )
    });
    let lines = found
        .iter()
        .map(|lines| lines.last_line as usize + 1)
        .max()
        .unwrap_or_default();
    let mut taken = vec![false; lines];
    // A shorter one that overlaps a longer one has its first or last line in it.
    found.retain(|lines| {
        let (first, last) = (lines.first_line as usize, lines.last_line as usize);
        let free = [first, last]
            .iter()
            .all(|line| taken.get(*line) == Some(&false));
        if free && let Some(taken) = taken.get_mut(first..=last) {
            taken.fill(true);
        }
        free
    });
    found
}

fn outside<'f>(mut lines: Vec<ManagedLine<'f>>, blocks: &[Managed<'_>]) -> Vec<ManagedLine<'f>> {
    let mut blocks: Vec<_> = blocks
        .iter()
        .map(|block| (block.first_line, block.last_line))
        .collect();
    blocks.sort_unstable();
    lines.retain_mut(|line| {
        line.part = blocks.partition_point(|(first, _)| *first <= line.number);
        let block = blocks.get(line.part.wrapping_sub(1));
        block.is_none_or(|(_, last)| line.number > *last)
    });
    lines
}

/// Returns the 64-bit FNV-1a hash of lines joined by line feeds.
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

/// A line of a file in lower case, with one blank for white space and no outer blanks.
struct ManagedLine<'f> {
    number: u32,
    text: Cow<'f, [u8]>,
    /// The number of blocks before it that were taken out: no text continues across a block.
    part: usize,
}

/// Returns the lines of a lower-case file that count: no blank lines, and no `sitemap:` lines, which differ from site to site.
fn normalised(file: &[u8]) -> Vec<ManagedLine<'_>> {
    let has_wide = memchr(b'\t', file).is_some() || memmem::find(file, b"  ").is_some();
    let lines = numbered_lines(file).filter_map(|(number, line)| {
        let line = trim_blanks(line);
        let text = if has_wide {
            with_single_blanks(line)
        } else {
            Cow::Borrowed(line)
        };
        let counts = !text.is_empty() && !text.starts_with(b"sitemap:");
        counts.then_some(ManagedLine {
            number,
            text,
            part: 0,
        })
    });
    lines.collect()
}

fn with_single_blanks(line: &[u8]) -> Cow<'_, [u8]> {
    if memchr(b'\t', line).is_none() && memmem::find(line, b"  ").is_none() {
        return Cow::Borrowed(line);
    }
    let words = line
        .split(|byte| matches!(byte, b' ' | b'\t'))
        .filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(&b' ').into()
}

/// The vendors that mark blocks, the kinds of blocks if a vendor has several, and the text of both marks, normalised and without
/// `#`, behind the word of the first mark; that of the second is `end`.
const MARKS: [(&str, Option<&str>, &str, &str); 7] = [
    (
        "cloudflare",
        Some(MANAGED_CONTENT),
        "begin ",
        "cloudflare managed content",
    ),
    (
        "cloudflare",
        Some("bot_preference_sync"),
        "begin ",
        "cloudflare bot preference sync",
    ),
    ("yoast", None, "start ", "yoast block"),
    ("wpforms", None, "start ", "wpforms block"),
    ("w3_total_cache", None, "begin ", "w3tc robots"),
    ("xml_sitemap_plugin", None, "begin ", "xml-sitemap-plugin"),
    (
        "attracta",
        None,
        "begin ",
        "attracta seo tools sitemap. do not remove",
    ),
];

/// The kind of Cloudflare's older block.
const MANAGED_CONTENT: &str = "managed_content";

/// The kind of such a block with lines that are not Cloudflare's.
const EDITED: &str = "edited";

/// The agents that Cloudflare's older block closes: eight in its documentation, nine in files of 2026.
const CLOSED_BY_CLOUDFLARE: [&str; 9] = [
    "amazonbot",
    "applebot-extended",
    "bytespider",
    "ccbot",
    "claudebot",
    "cloudflarebrowserrenderingcrawler",
    "google-extended",
    "gptbot",
    "meta-externalagent",
];

/// The values of its signal, without blanks.
const SIGNALS_OF_CLOUDFLARE: [&str; 2] = [
    "search=yes,ai-train=no",
    "search=yes,ai-train=no,use=reference",
];

/// MANAGED-7: returns whether all lines of a block are those that Cloudflare writes into `managed_content`.
fn is_cloudflares(lines: &[ManagedLine<'_>]) -> bool {
    // Whether the group is that of `*`.
    let mut is_of_everyone = None;
    let is_closed = |value: &str| CLOSED_BY_CLOUDFLARE.contains(&value);
    lines
        .iter()
        .filter(|line| !line.text.starts_with(b"#"))
        .all(|line| {
            let text = String::from_utf8_lossy(&line.text);
            let Some((name, value)) = text.split_once(':') else {
                return false;
            };
            match (name.trim_end(), value.trim_start(), is_of_everyone) {
                ("user-agent", agent, _) => {
                    is_of_everyone = Some(agent == "*");
                    agent == "*" || is_closed(agent)
                }
                ("content-signal", value, Some(true)) => {
                    SIGNALS_OF_CLOUDFLARE.contains(&value.replace(' ', "").as_str())
                }
                ("allow", path, Some(true)) | ("disallow", path, Some(false)) => path == "/",
                _ => false,
            }
        })
}

/// Returns the blocks, each with both of its marks. Of several beginnings, the last one before the end counts.
fn blocks(lines: &[ManagedLine<'_>]) -> FoundVendors<'static> {
    let (mut begun, mut blocks) = ([None; MARKS.len()], FoundVendors::default());
    for (at, line) in lines.iter().enumerate() {
        let Some(text) = line.text.strip_prefix(b"#") else {
            continue;
        };
        let hashes_or_blanks = text
            .iter()
            .take_while(|byte| matches!(byte, b'#' | b' '))
            .count();
        let text = text.get(hashes_or_blanks..).unwrap_or_default();
        for ((vendor, block, begin, name), begun) in MARKS.into_iter().zip(&mut begun) {
            let word = text.strip_suffix(name.as_bytes());
            if word == Some(begin.as_bytes()) {
                blocks.open_blocks.extend(begun.replace(line.number));
            } else if word == Some(b"end ")
                && let Some(first_line) = begun.take()
            {
                let (last_line, how) = (line.number, How::Marked);
                let start = lines.partition_point(|line| line.number <= first_line);
                let inside = lines.get(start..at).unwrap_or_default();
                let is_edited = block == Some(MANAGED_CONTENT) && !is_cloudflares(inside);
                let block = if is_edited { Some(EDITED) } else { block };
                blocks.managed.push(Managed {
                    first_line,
                    last_line,
                    vendor,
                    block,
                    how,
                });
            }
        }
    }
    blocks.open_blocks.extend(begun.into_iter().flatten());
    blocks.open_blocks.sort_unstable();
    blocks
}
