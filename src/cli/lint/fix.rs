//! `--fix`: writes what is beyond doubt, and shows it first.
//!
//! Line ends of old Macs, marks at the beginnings of lines, a blank in place of a colon, a misspelt rule that is read anyhow, keys
//! in upper case. Example: `Disallow /a # why` becomes `Disallow: /a # why`. Everything else, comments too, stays byte for byte.
//! Left out: what changes a verdict in another way than the finding says; `write` of a finding has that for its reader.

use super::files::Content;
use super::{COULD_NOT_RUN, LintReport, Linted};
use crate::cli::call::Ended;
use crate::cli::output::{self, WholeFile};
use crawlprefs::explain::lint::{LintFinding, Severity};
use crawlprefs::web::lines::{split_line, trimmed, without_line_marks};
use crawlprefs::web::shown::{shown, visible};
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write as _;

/// Fixes the files; the exit status is 0 if no error is left in them.
pub fn fix(report: &LintReport) -> Result<u8, Ended> {
    let mut is_left = false;
    for linted in &report.files {
        let (fixed, diff) = fixed(linted);
        let is_fixed = |finding: &&LintFinding| is_fixable(finding.code);
        let errors = linted
            .findings
            .iter()
            .filter(|finding| finding.severity == Severity::Error);
        is_left |= errors.filter(|finding| !is_fixed(finding)).count() > 0;
        if fixed == linted.file.bytes {
            continue;
        }
        let Some(path) = &linted.file.path else {
            is_left = true;
            continue;
        };
        output::print(&format!("--- {0}\n+++ {0}\n{diff}", linted.file.name))?;
        WholeFile::new(path)
            .and_then(|file| file.write(&fixed))
            .map_err(Ended::from)?;
    }
    Ok(if is_left { COULD_NOT_RUN } else { 0 })
}

fn is_fixable(code: &str) -> bool {
    matches!(
        code,
        "cr_only"
            | "byte_order_mark"
            | "colon_missing"
            | "disallow_misspelt"
            | "user_agent_misspelt"
            | "key_case"
    )
}

/// Returns the file as it is written, and the lines that differ.
fn fixed(linted: &Linted) -> (Vec<u8>, String) {
    let bytes = &linted.file.bytes;
    let is_text = matches!(linted.file.content, Content::SiteFile(kind) if !kind.is_json());
    // What is not text has no line ends.
    if !is_text || linted.findings.iter().any(|one| one.code == "unreadable") {
        return (bytes.clone(), String::new());
    }
    let end: &[u8] = if memchr::memmem::find(bytes, b"\r\n").is_some() {
        b"\r\n"
    } else {
        b"\n"
    };
    let mut rest = bytes.as_slice();
    let mut number = 0;
    let mut written = Vec::new();
    let mut diff = String::new();
    while !rest.is_empty() {
        number += 1;
        let (line, following) = split_line(rest);
        let old_end = rest
            .get(line.len()..rest.len() - following.len())
            .unwrap_or_default();
        let codes = linted
            .findings
            .iter()
            .filter(|finding| finding.line == number)
            .map(|finding| finding.code);
        let new = codes.fold(
            Cow::Borrowed(without_line_marks(line)),
            |line, code| match fixed_line(code, &line) {
                Some(fixed) => Cow::Owned(fixed),
                None => line,
            },
        );
        let new_end = if old_end.is_empty() { old_end } else { end };
        if (line, old_end) != (&*new, new_end) {
            let mark = if old_end == new_end {
                ""
            } else {
                " (line end)"
            };
            // Writing to a String does not fail.
            let _ = writeln!(
                diff,
                "@@ line {number}{mark} @@\n-{}\n+{}",
                visible(&shown(line)),
                visible(&shown(&new))
            );
        }
        written.extend_from_slice(&new);
        written.extend_from_slice(new_end);
        rest = following;
    }
    (written, diff)
}

/// Returns a line without the fault of a code.
fn fixed_line(code: &str, line: &[u8]) -> Option<Vec<u8>> {
    let indent = line.len() - line.trim_ascii_start().len();
    let (before, text) = line.split_at_checked(indent)?;
    match code {
        "colon_missing" => {
            let at = text.iter().position(u8::is_ascii_whitespace)?;
            let (name, value) = text.split_at_checked(at)?;
            Some([before, name, b":", value].concat())
        }
        "disallow_misspelt" => with_name(b"Disallow", before, text),
        "user_agent_misspelt" => with_name(b"User-agent", before, text),
        "key_case" => {
            let at = memchr::memchr(b':', text)?;
            let (name, value) = text.split_at_checked(at)?;
            let comment = memchr::memchr(b'#', value).unwrap_or(value.len());
            let (value, comment) = value.split_at_checked(comment)?;
            Some([before, name, &with_lower_keys(value)?, comment].concat())
        }
        _ => None,
    }
}

fn with_name(name: &[u8], before: &[u8], text: &[u8]) -> Option<Vec<u8>> {
    let colon = memchr::memchr(b':', text)?;
    Some([before, name, text.get(colon..)?].concat())
}

/// Returns the members of a value with their keys in lower case; a path before them keeps its case. `None` if two keys would be
/// the same: it is unknown which of both was meant.
fn with_lower_keys(value: &[u8]) -> Option<Vec<u8>> {
    let is_path = value
        .get(1..)
        .unwrap_or_default()
        .trim_ascii_start()
        .starts_with(b"/");
    let start = if is_path {
        let from = value.iter().position(|byte| *byte == b'/').unwrap_or(0);
        value
            .iter()
            .skip(from)
            .position(u8::is_ascii_whitespace)
            .map_or(value.len(), |length| from + length)
    } else {
        0
    };
    let (path, members) = value.split_at_checked(start).unwrap_or((value, b""));
    let mut lower = path.to_vec();
    let mut is_key = true;
    for byte in members {
        is_key = match byte {
            b'=' | b';' => false,
            b',' => true,
            _ => is_key,
        };
        lower.push(if is_key {
            byte.to_ascii_lowercase()
        } else {
            *byte
        });
    }
    let (_, members) = lower.split_at_checked(path.len())?;
    let mut keys = HashSet::new();
    members
        .split(|byte| *byte == b',')
        .filter_map(|member| member.split(|byte| matches!(byte, b'=' | b';')).next())
        .map(|key| trimmed(key, |byte| byte == b':' || byte.is_ascii_whitespace()))
        .all(|key| key.is_empty() || keys.insert(key.to_vec()))
        .then_some(lower)
}

#[cfg(test)]
mod tests {
    use super::fixed_line;

    #[test]
    fn local_a_fixed_line_keeps_all_other_bytes() {
        for (code, line, expected) in [
            (
                "colon_missing",
                "  Disallow /a # why",
                "  Disallow: /a # why",
            ),
            ("disallow_misspelt", "Dissallow: /A", "Disallow: /A"),
            (
                "user_agent_misspelt",
                "useragent: GPTBot",
                "User-agent: GPTBot",
            ),
            (
                "key_case",
                "Content-Usage: /Path Train-AI=n, Search=y # A",
                "Content-Usage: /Path train-ai=n, search=y # A",
            ),
        ] {
            let fixed = fixed_line(code, line.as_bytes()).expect("it can be fixed");
            assert_eq!(String::from_utf8_lossy(&fixed), expected);
        }
        assert_eq!(fixed_line("near_miss", b"- Disallow: /"), None);
        let twice = b"Content-Usage: Train-AI=n, train-ai=y";
        assert_eq!(fixed_line("key_case", twice), None);
    }
}
