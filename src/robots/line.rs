//! One line of a file: where its name and value are, and what the name means.
//!
//! Document: RFC 9309 2.2. Example: `Dissallow : /a  # b` has the name `Dissallow`, a misspelt Disallow, and the value `/a`.
//! Left out: what the line means for the lines around it.
//!
//! A line that is wrong or remarkable has a fault: `Dissallow: /` is read as `Disallow: /` and noted.

use super::record::LineKind;
use crate::web::names::names;
use crate::web::steps;

/// The rules of documents that extend the groups of RFC 9309; user-agent lines after them start a new group:
/// draft-ietf-aipref-attach-03, Processing Content-Usage Rules (`rule =/ content-usage`); draft-nottingham-plan-b-2026-02-19,
/// which writes its name in two ways; draft-thomson-aipref-sup, The "robots.txt" Format, whose `usage` lines are after the
/// user-agent lines of a group. Any other name is another record (RFC 9309 2.2.4).
const EXTENSION_RULES: [&str; 4] = ["content-usage", "app-directives", "app-directive", "usage"];

/// Ours: read as Disallow, as Google's parser and protego do; a lost Disallow is worse.
pub(super) const DISALLOW_MISSPELT: [&str; 5] =
    ["dissallow", "dissalow", "disalow", "diasllow", "disallaw"];

/// Ours: read as user-agent, as Google's parser and protego do; otherwise its rules fall to the group before it.
const USER_AGENT_MISSPELT: [&str; 2] = ["useragent", "user agent"];

/// A line split into its parts; none has outer white space.
pub(super) struct Line<'a> {
    pub(super) text: &'a [u8],
    pub(super) name: &'a [u8],
    pub(super) value: &'a [u8],
    /// Whether a colon separates them, as RFC 9309 2.2 demands, and not only white space.
    pub(super) has_colon: bool,
    pub(super) has_blank: bool,
}

impl<'a> Line<'a> {
    /// Reads the usual form `Disallow: /a`, with no comment and only one blank, after the colon, in a file without control
    /// bytes. Other lines are read step by step, with the same result.
    pub(super) fn usual(line: &'a [u8]) -> Option<(Self, LineKind)> {
        let (name_bytes, kind) =
            if line.starts_with(b"Disallow: ") || line.starts_with(b"disallow: ") {
                (8, LineKind::Disallow)
            } else if line.starts_with(b"Allow: ") {
                (5, LineKind::Allow)
            } else if line.starts_with(b"User-agent: ") || line.starts_with(b"User-Agent: ") {
                (10, LineKind::UserAgent)
            } else {
                return None;
            };
        let (name, rest) = line.split_at_checked(name_bytes)?;
        let value = rest.get(2..)?;
        if value.is_empty() || memchr::memchr3(b'#', b' ', b'\t', value).is_some() {
            return None;
        }
        steps::count(line.len());
        Some((
            Self {
                text: line,
                name,
                value,
                has_colon: true,
                has_blank: false,
            },
            kind,
        ))
    }

    /// Splits the text of a line at its first colon, or at the blank between two words.
    pub(super) fn split(text: &'a [u8]) -> Result<Self, Fault> {
        steps::count(text.len());
        let colon = memchr::memchr(b':', text);
        let at = colon.or_else(|| lone_blank(text)).ok_or(Fault::NoRecord)?;
        let (name, value) = text.split_at_checked(at).unwrap_or_default();
        let (name, value) = (trim(name), trim(value.get(1..).unwrap_or_default()));
        if name.is_empty() {
            return Err(Fault::NameMissing);
        }
        Ok(Self {
            text,
            name,
            value,
            has_colon: colon.is_some(),
            has_blank: has_blank(value),
        })
    }

    /// Returns what the name means, with the tolerated fault. Ours: as in Google's parser, a blank may be the colon.
    pub(super) fn kind(&self) -> Result<(LineKind, Option<Fault>), Fault> {
        let (kind, fault) = kind_of(self.name);
        let is_rule = matches!(
            kind,
            LineKind::UserAgent | LineKind::Allow | LineKind::Disallow
        );
        if self.has_colon || is_rule {
            Ok((kind, fault))
        } else {
            Err(Fault::NoRecord)
        }
    }
}

/// Removes the comment (RFC 9309 2.2.3), which may contain any bytes, and outer white space.
pub(super) fn without_comment(line: &[u8]) -> &[u8] {
    let end = memchr::memchr(b'#', line).unwrap_or(line.len());
    trim(line.get(..end).unwrap_or(line))
}

/// Trims SP and HTAB, and VT and FF as Google's parser does (READ-10).
fn trim(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t' | 0x0B | 0x0C, rest @ ..] = bytes {
        bytes = rest;
    }
    while let [rest @ .., b' ' | b'\t' | 0x0B | 0x0C] = bytes {
        bytes = rest;
    }
    bytes
}

/// Returns whether control bytes make a name or value unreadable: 00 to 1F, but not 7F (RFC 9309 2.2, UTF8-char-noctl).
pub(super) fn has_control(bytes: &[u8]) -> bool {
    bytes.iter().any(|byte| *byte < b' ' && *byte != b'\t')
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0B | 0x0C)
}

/// Returns the first blank of a trimmed text of exactly two words.
fn lone_blank(text: &[u8]) -> Option<usize> {
    let at = text.iter().position(|byte| is_blank(*byte))?;
    let second = trim(text.get(at..)?);
    (!has_blank(second)).then_some(at)
}

fn has_blank(text: &[u8]) -> bool {
    memchr::memchr2(b' ', b'\t', text).is_some()
}

fn kind_of(name: &[u8]) -> (LineKind, Option<Fault>) {
    let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
    if is("disallow") {
        (LineKind::Disallow, None)
    } else if is("allow") {
        (LineKind::Allow, None)
    } else if is("user-agent") {
        (LineKind::UserAgent, None)
    } else if EXTENSION_RULES.into_iter().any(is) {
        (LineKind::ExtensionRule, None)
    } else if DISALLOW_MISSPELT.into_iter().any(is) {
        (LineKind::Disallow, Some(Fault::DisallowMisspelt))
    } else if USER_AGENT_MISSPELT.into_iter().any(is) {
        (LineKind::UserAgent, Some(Fault::UserAgentMisspelt))
    } else {
        (
            LineKind::Other,
            starts_like_rule(name).then_some(Fault::NameStartsLikeRule),
        )
    }
}

/// Returns whether Google's parser, which compares the starts of names, reads a rule here: to it, `DisallowAITraining: /` is
/// `Disallow: /`; to RFC 9309, it is another record.
fn starts_like_rule(name: &[u8]) -> bool {
    let starts = |known: &str| {
        name.get(..known.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(known.as_bytes()))
    };
    let known = ["disallow", "allow", "user-agent"].into_iter();
    known
        .chain(DISALLOW_MISSPELT)
        .chain(USER_AGENT_MISSPELT)
        .any(starts)
}

/// A fault and its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Defect {
    /// The line, counted from 1.
    pub line: u32,
    /// The fault.
    pub fault: Fault,
}

names! {
    /// What is wrong with a line, or could be read differently.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum Fault {
        /// The file starts with a UTF-8 byte order mark, which is skipped.
        ByteOrderMark => "byte_order_mark",
        /// The file starts with a UTF-16 byte order mark; RFC 9309 2.3 demands UTF-8.
        Utf16 => "utf16",
        /// The name or value has control bytes; the line is lost. A user-agent line like this names no crawler.
        ControlByte => "control_byte",
        /// The line is neither blank nor a name with a value; it is lost.
        NoRecord => "no_record",
        /// Nothing precedes the colon; the line is lost.
        NameMissing => "name_missing",
        /// A blank replaces the colon; the line is read.
        ColonMissing => "colon_missing",
        /// Disallow is misspelt; the line is read.
        DisallowMisspelt => "disallow_misspelt",
        /// `User-agent` has a blank or nothing in place of its hyphen; the line is read.
        UserAgentMisspelt => "user_agent_misspelt",
        /// The name of another record starts with the name of a rule; Google's parser reads it as that rule.
        NameStartsLikeRule => "name_starts_like_rule",
        /// A rule precedes the first user-agent line and applies to no crawler.
        RuleBeforeAgent => "rule_before_agent",
        /// The path of a rule starts with neither `/` nor `*` and matches nothing.
        PathWithoutSlash => "path_without_slash",
        /// The path of a rule contains white space, perhaps a second rule.
        BlankInPath => "blank_in_path",
        /// A user-agent line has no value and names no crawler.
        AgentMissing => "agent_missing",
        /// A user-agent line has no product token as in RFC 9309 2.2.1.
        AgentNoToken => "agent_no_token",
        /// A user-agent line continues a list across other records; several parsers start a new group.
        AgentsAcrossRecords => "agents_across_records",
        /// A user-agent line starts a new group only because rules of extensions precede it; by RFC 9309 alone this is one group.
        GroupByExtension => "group_by_extension",
    }
}

impl Fault {
    /// Returns whether the line could not be read at all.
    pub fn loses_the_line(self) -> bool {
        matches!(self, Self::ControlByte | Self::NoRecord | Self::NameMissing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(line: &str) -> Option<(&str, &str)> {
        let line = Line::split(without_comment(line.as_bytes())).ok()?;
        Some((
            str::from_utf8(line.name).ok()?,
            str::from_utf8(line.value).ok()?,
        ))
    }

    #[test]
    fn rfc9309_2_2_lines_are_split_at_the_first_colon_and_trimmed() {
        for (line, expected) in [
            (
                "  User-Agent\t:\tExampleBot  # x",
                Some(("User-Agent", "ExampleBot")),
            ),
            (
                "Sitemap: https://a.example/",
                Some(("Sitemap", "https://a.example/")),
            ),
            ("Allow:", Some(("Allow", ""))),
            ("a#b: c", None),
            ("a b c", None),
            (": x", None),
        ] {
            assert_eq!(parts(line), expected, "{line}");
        }
    }

    #[test]
    fn local_usual_lines_are_read_as_all_others_are() {
        let names =
            "Disallow disallow DISALLOW Allow allow User-agent User-Agent Sitemap".split(' ');
        let values = [
            "", "/", "/a", " /a", "/a ", "/a b", "/a\tb", "/a#b", "#", "*", "a:b", "\u{e9}", "/%zz",
        ];
        let mut usual_count = 0;
        for (name, separator, value) in names.chain([" Allow"]).flat_map(|name| {
            let with = move |separator| {
                values
                    .into_iter()
                    .map(move |value| (name, separator, value))
            };
            [":", ": ", " :", ":  ", " "].into_iter().flat_map(with)
        }) {
            let line = format!("{name}{separator}{value}");
            let Some((usual, kind)) = Line::usual(line.as_bytes()) else {
                continue;
            };
            usual_count += 1;
            let other = Line::split(without_comment(line.as_bytes())).expect("a line");
            assert_eq!(other.kind(), Ok((kind, None)), "{line}");
            assert_eq!(
                (
                    usual.text,
                    usual.name,
                    usual.value,
                    usual.has_colon,
                    usual.has_blank
                ),
                (
                    other.text,
                    other.name,
                    other.value,
                    other.has_colon,
                    other.has_blank
                ),
                "{line}"
            );
        }
        // Six values after `: `, and ` /a` after a colon.
        assert_eq!(usual_count, 5 * 7);
    }

    #[test]
    fn local_blank_for_a_colon_needs_exactly_two_words() {
        assert_eq!(parts("Disallow \t /x"), Some(("Disallow", "/x")));
        assert_eq!(parts("Disallow /x y"), None);
    }

    #[test]
    fn local_names_are_whole_but_known_misspellings_are_read() {
        for (name, kind, fault) in [
            ("DISALLOW", LineKind::Disallow, None),
            (
                "Dissallow",
                LineKind::Disallow,
                Some(Fault::DisallowMisspelt),
            ),
            (
                "User Agent",
                LineKind::UserAgent,
                Some(Fault::UserAgentMisspelt),
            ),
            ("Content-Usage", LineKind::ExtensionRule, None),
            ("App-Directive", LineKind::ExtensionRule, None),
            ("Usage", LineKind::ExtensionRule, None),
            ("Content-Signal", LineKind::Other, None),
            (
                "DisallowAITraining",
                LineKind::Other,
                Some(Fault::NameStartsLikeRule),
            ),
            (
                "user-agent-purpose",
                LineKind::Other,
                Some(Fault::NameStartsLikeRule),
            ),
            ("noallow", LineKind::Other, None),
        ] {
            assert_eq!(kind_of(name.as_bytes()), (kind, fault), "{name}");
        }
    }
}
