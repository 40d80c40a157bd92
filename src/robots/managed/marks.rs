//! Blocks between a vendor's marks (RULES MANAGED-1, MANAGED-3, MANAGED-4).
//!
//! Example: from `# BEGIN Cloudflare Bot Preference Sync` to `# END Cloudflare Bot Preference Sync`, whatever is
//! between, as its list of agents changes. Cloudflare's older block has `managed_content`; it was retired on
//! 15 September 2026.
//! Left out: blocks without an end, which are only counted; the comment on content signals that Cloudflare serves for
//! zones without a file, which is not a block.

use super::lines::ManagedLine;

/// The marks of a block, normalised and without `#`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) vendor: &'static str,
    /// The kind of block, where the vendor has several.
    pub(super) block: Option<&'static str>,
    begin: &'static str,
    end: &'static str,
}

const fn mark(vendor: &'static str, begin: &'static str, end: &'static str) -> Mark {
    Mark { vendor, block: None, begin, end }
}

static MARKS: [Mark; 7] = [
    Mark {
        vendor: "cloudflare",
        block: Some("managed_content"),
        begin: "begin cloudflare managed content",
        end: "end cloudflare managed content",
    },
    Mark {
        vendor: "cloudflare",
        block: Some("bot_preference_sync"),
        begin: "begin cloudflare bot preference sync",
        end: "end cloudflare bot preference sync",
    },
    mark("yoast", "start yoast block", "end yoast block"),
    mark("wpforms", "start wpforms block", "end wpforms block"),
    mark("w3_total_cache", "begin w3tc robots", "end w3tc robots"),
    mark("xml_sitemap_plugin", "begin xml-sitemap-plugin", "end xml-sitemap-plugin"),
    mark(
        "attracta",
        "begin attracta seo tools sitemap. do not remove",
        "end attracta seo tools sitemap. do not remove",
    ),
];

/// A block with both of its marks.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) first_line: u32,
    pub(super) last_line: u32,
    pub(super) mark: &'static Mark,
}

/// What marks a file has.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    pub(super) whole: Vec<Block>,
    /// The lines of beginnings without an end, in order.
    pub(super) open: Vec<u32>,
}

/// Returns the blocks; of several beginnings the last before the end counts, and each complete pair does.
pub(super) fn blocks(lines: &[ManagedLine<'_>]) -> Blocks {
    let (mut begun, mut blocks) = ([None; MARKS.len()], Blocks::default());
    for line in lines {
        let Some(text) = line.text.strip_prefix(b"#") else {
            continue;
        };
        let hashes_or_blanks = text.iter().take_while(|byte| matches!(byte, b'#' | b' ')).count();
        let text = text.get(hashes_or_blanks..).unwrap_or_default();
        for (mark, begun) in MARKS.iter().zip(&mut begun) {
            if text == mark.begin.as_bytes() {
                blocks.open.extend(begun.replace(line.number));
            } else if text == mark.end.as_bytes()
                && let Some(first_line) = begun.take()
            {
                blocks.whole.push(Block { first_line, last_line: line.number, mark });
            }
        }
    }
    blocks.open.extend(begun.into_iter().flatten());
    blocks.open.sort_unstable();
    blocks
}
