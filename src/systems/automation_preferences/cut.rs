//! Lines of the file without their comments.
//!
//! Document: draft-liao-aipref-autoctl-core-01, the ABNF's `EOL` and `comment`, and its examples, which write `<!-- ... -->`.
//! Ours (AMB-AUTO-2, AMB-AUTO-8): such remarks are cut off, also over several lines; in scopes and purposes `#` begins a
//! comment only at the start of a line or behind white space, in methods, hosts and tokens anywhere; and no comment makes a
//! line blank, which would end a group.
//! A remark that is never closed is cut at the end of its line, as otherwise the rest of the file would be lost.
//!
//! Also the kind of a line, by its name, which has no case: `Allowed-Methods: GET` lists what a group allows.

use crate::systems::words::meaning;
use crate::web::lines::{split_line, trim_blanks, without_byte_order_marks, without_line_marks};
use std::borrow::Cow;

pub(super) struct CutLine<'a> {
    pub(super) number: u32,
    /// The line without outer white space.
    pub(super) raw: &'a [u8],
    pub(super) text: Cow<'a, [u8]>,
}

/// Cuts a file into lines, which end with CR, LF or CRLF.
pub(super) struct Cutter<'a> {
    rest: &'a [u8],
    number: u32,
    /// Bytes of `rest` that belong to a remark begun on an earlier line.
    remark: usize,
    /// Whether no later remark is closed: otherwise each opened one would be searched for to the end.
    closes_none: bool,
}

impl<'a> Cutter<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: without_byte_order_marks(bytes),
            number: 0,
            remark: 0,
            closes_none: false,
        }
    }

    fn cut(&mut self, line: &'a [u8]) -> Cow<'a, [u8]> {
        let file = self.rest;
        let mut at = self.remark.min(line.len());
        self.remark -= at;
        if at == 0 && !line.iter().any(|byte| matches!(byte, b'#' | b'<')) {
            return Cow::Borrowed(trim_blanks(line));
        }
        let (mut kept, mut directive) = (Vec::new(), None);
        while let Some(rest) = line.get(at..).filter(|rest| !rest.is_empty()) {
            let behind_blank = kept.last().is_none_or(|byte| matches!(byte, b' ' | b'\t'));
            // AMB-AUTO-8: methods, hosts and tokens cannot hold `#`.
            let ends_anywhere = matches!(
                directive,
                Some(Directive::Host | Directive::UserAgent | Directive::AllowedMethods)
            );
            if rest.starts_with(b"#") && (behind_blank || ends_anywhere) {
                break;
            }
            if !rest.starts_with(b"<!--") {
                if rest.starts_with(b":") {
                    directive.get_or_insert_with(|| Directive::named(trim_blanks(&kept)));
                }
                kept.extend(rest.first());
                at += 1;
                continue;
            }
            let search = file.get(at + 4..).filter(|_| !self.closes_none);
            let end = search.and_then(|file| memchr::memmem::find(file, b"-->"));
            self.closes_none = end.is_none();
            let behind = end.map_or(line.len(), |end| at + 4 + end + 3);
            self.remark = behind.saturating_sub(line.len());
            kept.push(b' ');
            at = behind.min(line.len());
        }
        Cow::Owned(trim_blanks(&kept).to_vec())
    }
}

impl<'a> Iterator for Cutter<'a> {
    type Item = CutLine<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let file = self.rest;
        let (whole, following) = split_line(file);
        let line = without_line_marks(whole);
        let was_in_remark = self.remark > 0;
        let text = self.cut(line);
        // The line end also belongs to the remark.
        self.remark = self
            .remark
            .saturating_sub(file.len() - whole.len() - following.len());
        self.number += 1;
        self.rest = following;
        let raw = if was_in_remark && trim_blanks(line).is_empty() {
            b"<!--"
        } else {
            trim_blanks(line)
        };
        Some(CutLine {
            number: self.number,
            raw,
            text,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directive {
    Scope,
    Host,
    UserAgent,
    AllowedMethods,
    /// The allowed purposes, in words that no document defines.
    AllowedPurposes,
    /// A name that this draft does not have ("Parsers MUST silently ignore").
    Unknown,
    /// No colon.
    Unreadable,
}

impl Directive {
    pub(super) fn named(name: &[u8]) -> Self {
        let names = [
            ("scope", Self::Scope),
            ("host", Self::Host),
            ("user-agent", Self::UserAgent),
            ("allowed-methods", Self::AllowedMethods),
            ("allowed-purposes", Self::AllowedPurposes),
        ];
        meaning(&names, name).unwrap_or(Self::Unknown)
    }

    pub(super) fn is_allowance(self) -> bool {
        matches!(self, Self::AllowedMethods | Self::AllowedPurposes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(file: &str) -> Vec<(u32, bool, String)> {
        let cut = Cutter::new(file.as_bytes());
        let text = |line: &CutLine<'_>| String::from_utf8_lossy(&line.text).into_owned();
        cut.map(|line| (line.number, line.raw.is_empty(), text(&line)))
            .collect()
    }

    #[test]
    fn autoctl_lines_end_with_cr_lf_or_both() {
        let of = |number, text: &str| (number, text.is_empty(), text.to_owned());
        assert_eq!(
            lines("a\rb\nc\r\n\r\nd"),
            [of(1, "a"), of(2, "b"), of(3, "c"), of(4, ""), of(5, "d")]
        );
    }

    #[test]
    fn local_amb_auto_2_and_8_comments_are_cut_and_leave_no_blank_line() {
        for (file, expected) in [
            ("scope: /a#b # c", vec!["scope: /a#b"]),
            ("allowed-purposes: a#b:c", vec!["allowed-purposes: a#b:c"]),
            ("Allowed-Methods : GET#c", vec!["Allowed-Methods : GET"]),
            ("host: a.example#<!-- c\nd", vec!["host: a.example", "d"]),
            ("user-agent: a, b#c: d", vec!["user-agent: a, b"]),
            ("x: y\nhost#a: b", vec!["x: y", "host#a: b"]),
            ("  # c", vec![""]),
            ("a <!-- b --> c", vec!["a   c"]),
            ("a<!-- b\n\n x --> c\nd", vec!["a", "", "c", "d"]),
            ("a <!-- b\nc", vec!["a", "c"]),
            ("a # <!-- b\nc -->", vec!["a", "c -->"]),
            ("<!-- a --><!-- b -->", vec![""]),
            ("<!--\r\n-->x\r\ny", vec!["", "x", "y"]),
        ] {
            let found = lines(file);
            assert_eq!(
                found
                    .iter()
                    .map(|(_, _, text)| text.as_str())
                    .collect::<Vec<_>>(),
                expected
            );
            assert!(found.iter().all(|(_, is_blank, _)| !is_blank), "{file:?}");
        }
    }
}
