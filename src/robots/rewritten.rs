//! A file in which lines that were meant as rules and cannot be read are written as rules (RULES ACCT-14).
//!
//! Example: `User-agent: * Disallow: /a<br>` becomes `User-agent: *` and `Disallow: /a`. A line that cannot be read says at most what
//! it says when it is written like this, so that it is a doubt for what this reading closes, and for nothing else. Left out: lines
//! with words whose part in a rule is not known (`-en User-agent: *`, `GPTBot Disallow: /`); they may close anything.

use super::RobotsTxt;
use super::joined_lines::{behind_line_ends, letters, words_before_colons};
use super::line::{DISALLOW_MISSPELT, Line, without_comment};
use super::lost_for::NearMiss;
use super::near_miss::{is_near_miss, is_odd_name};
use super::parser::ReadLines;
use super::record::LineKind;
use super::slips::{has_one_slip, is_odd_root};
use crate::web::body_text::BodyText;
use crate::web::lines::{numbered_lines, offset_in, trimmed, without_line_marks};
use crate::web::path_pattern::can_match;
use crate::web::path_readings::other_paths;
use crate::web::steps;

/// Whether a line begins as one of a system, by its first letters.
type BeginsAsKnown<'f> = &'f dyn Fn(&[u8]) -> bool;

impl RobotsTxt {
    /// Returns the file with these lines written as rules; `None` if one of them cannot be written like this.
    pub fn rewritten(
        &self,
        misses: &[NearMiss<'_>],
        begins_as_known: impl Fn(&[u8]) -> bool,
    ) -> Option<RobotsTxt> {
        let mut misses = misses.iter().map(|miss| miss.line).peekable();
        let mut text = Vec::with_capacity(self.bytes.len() + 64);
        for (number, line) in numbered_lines(&self.bytes) {
            if misses.next_if_eq(&number).is_none() {
                text.extend_from_slice(line);
            } else {
                write_lines(line, &begins_as_known, &mut text)?;
            }
            text.push(b'\n');
        }
        let read = ReadLines::read(&text);
        let robots = RobotsTxt {
            bytes: text.into(),
            read,
            is_cut: self.is_cut,
            text: BodyText::Text,
        };
        // A rule that belongs to no group then is meant for somebody, nobody knows whom.
        let of_no_group = |robots: &RobotsTxt| {
            robots
                .records_before_groups()
                .filter(|record| record.kind == LineKind::Disallow)
                .count()
        };
        // Without a group, a rule may be for everyone.
        (!robots.read.groups.is_empty()
            && of_no_group(&robots) <= of_no_group(self)
            && robots.near_misses(begins_as_known).is_empty())
        .then_some(robots)
    }
}

/// Writes the lines within a line.
fn write_lines(line: &[u8], begins_as_known: BeginsAsKnown<'_>, text: &mut Vec<u8>) -> Option<()> {
    steps::count(line.len());
    let line = without_line_marks(line);
    let has_ends = behind_line_ends(line).next().is_some();
    // A whole file in one comment: what is before its first rule is a comment.
    let is_comment = !has_ends && !is_near_miss(without_comment(line), begins_as_known);
    let first = line.len()
        - behind_line_ends(line)
            .next()
            .map_or(0, |behind| behind_and_mark(line, behind));
    let parts = line.get(..first).into_iter().chain(behind_line_ends(line));
    for part_of_line in parts {
        let part = if is_comment {
            part_of_line
        } else {
            without_comment(part_of_line)
        };
        // The rules of a file in one line may be in its comments.
        if !(is_comment || has_ends)
            && words_before_colons(comment(part_of_line)).any(|word| word.is_rule())
        {
            return None;
        }
        // Another escape than that of a line end: `\t` and `\u00a0` in a JSON string.
        if has_ends && part.contains(&b'\\') {
            return None;
        }
        for piece in without_tags(part).split(|byte| matches!(byte, b'\n' | 0x0B | 0x0C)) {
            write_piece(piece, (has_ends, is_comment), begins_as_known, text)?;
        }
    }
    Some(())
}

/// Returns the comment of a text.
fn comment(text: &[u8]) -> &[u8] {
    memchr::memchr(b'#', text)
        .and_then(|at| text.get(at..))
        .unwrap_or_default()
}

/// Returns the bytes of a line from the first escaped line end on.
fn behind_and_mark(line: &[u8], behind: &[u8]) -> usize {
    let start = offset_in(line, behind);
    let before = line.get(..start).unwrap_or_default();
    let mark = match before {
        [.., b'\\', b'n' | b'r'] | [.., 0xC2, 0x85] => 2,
        [.., b';'] => 5,
        [.., b'>'] => before.len() - memchr::memrchr(b'<', before).unwrap_or_default(),
        _ => 3,
    };
    line.len() - start + mark
}

/// Returns a text with a line end in place of each tag of HTML.
fn without_tags(text: &[u8]) -> Vec<u8> {
    let (mut found, mut rest) = (Vec::with_capacity(text.len()), text);
    while let Some(open) = memchr::memchr(b'<', rest) {
        let (before, tag) = rest.split_at_checked(open).unwrap_or_default();
        found.extend_from_slice(before);
        // Behind a colon it is a path: `Disallow: </a>`.
        let is_value = before.trim_ascii_end().ends_with(b":");
        let may_be = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'/' | b'!');
        let is_tag = !is_value && tag.get(1).is_some_and(may_be);
        let end = memchr::memchr(b'>', tag).filter(|_| is_tag);
        if let Some(behind) = end.and_then(|end| tag.get(end + 1..)) {
            found.push(b'\n');
            rest = behind;
        } else {
            found.push(b'<');
            rest = tag.get(1..).unwrap_or_default();
        }
    }
    found.extend_from_slice(rest);
    found
}

/// Writes each rule of a text without line ends as a line.
fn write_piece(
    text: &[u8],
    (has_ends, is_comment): (bool, bool),
    begins_as_known: BeginsAsKnown<'_>,
    lines: &mut Vec<u8>,
) -> Option<()> {
    let mut starts: Vec<usize> = words_before_colons(text)
        .filter_map(|word| {
            let end = offset_in(text, word.text) + word.text.len();
            let length = word.rule_name().map(str::len).or_else(|| {
                // Behind another byte than ASCII, it is the end of a word: a soft hyphen in `Disallow`.
                let before = offset_in(text, word.text)
                    .checked_sub(1)
                    .and_then(|at| text.get(at));
                let is_word = before.is_none_or(u8::is_ascii);
                let other = OTHERS
                    .into_iter()
                    .find(|name| is_word && word.ends_as(name))
                    .map(str::len);
                other.or_else(|| begins_as_known(&letters(word.text)).then_some(word.text.len()))
            })?;
            Some(end - length)
        })
        .collect();
    starts.push(text.len());
    let mut start = 0;
    if is_comment && starts.len() == 1 {
        return None;
    }
    if has_ends && starts.len() == 1 {
        lines.extend_from_slice(text);
        lines.push(b'\n');
        return Some(());
    }
    for (at, end) in starts.iter().copied().enumerate() {
        let piece = text.get(start..end).unwrap_or_default();
        if !(is_comment && at == 0) {
            write_line(piece, lines)?;
        }
        start = end;
    }
    Some(())
}

/// Names of lines that may be joined with rules.
const OTHERS: [&str; 4] = ["allow", "sitemap", "crawl-delay", "host"];

/// Writes one line as a rule, if it is meant as one; `None` if it may be a part of one, in a way that is not known.
fn write_line(piece: &[u8], lines: &mut Vec<u8>) -> Option<()> {
    let piece = trimmed(piece, |byte| {
        byte.is_ascii_whitespace() || byte.is_ascii_control()
    });
    let piece = without_closing_bracket(piece);
    match Line::split(piece).and_then(|line| Ok((line.kind()?.0, line))) {
        Ok((LineKind::Disallow, line)) => write_closed(line.value, lines)?,
        Ok((LineKind::UserAgent, line)) => write_agent(line.value, lines)?,
        // What a rule ends in is a value without its control bytes.
        Ok((kind, line)) if kind != LineKind::Other || !is_odd_name(line.name) => {
            lines.extend(
                line.name
                    .iter()
                    .chain(b": ")
                    .chain(line.value)
                    .filter(|byte| !byte.is_ascii_control()),
            );
        }
        Ok(_) | Err(_) => match rule_of(piece) {
            Some(MeantRule::Agent(name)) => write_agent(name, lines)?,
            Some(MeantRule::Closed(value)) => write_closed(value, lines)?,
            None if piece.iter().any(u8::is_ascii_alphabetic) => return None,
            None => {}
        },
    }
    lines.push(b'\n');
    Some(())
}

/// Returns a text without the bracket at its end that nothing in it opens: `(Disallow: /)` was split behind its first one.
fn without_closing_bracket(text: &[u8]) -> &[u8] {
    let opening = match text.last() {
        Some(b')') => b'(',
        Some(b']') => b'[',
        Some(b'}') => b'{',
        _ => return text,
    };
    let is_opened = text.contains(&opening);
    text.get(..text.len() - usize::from(!is_opened))
        .unwrap_or(text)
}

/// Writes a user-agent line, without the mark that joins it with the next one; `None` if a rule or an escaped byte may be in it.
fn write_agent(name: &[u8], lines: &mut Vec<u8>) -> Option<()> {
    let name = trimmed(name, |byte| b" \t,;|&".contains(&byte));
    let name: Vec<u8> = name
        .iter()
        .copied()
        .filter(|byte| !byte.is_ascii_control())
        .collect();
    (!may_hold_rule(&name) && is_clean(&name)).then_some(())?;
    lines.extend([b"User-agent: ", name.as_slice()].concat());
    Some(())
}

/// Returns whether a value has no mark of what may be around it: a bracket, a quote, an escape or an entity, or a byte that is no ASCII.
fn is_clean(value: &[u8]) -> bool {
    value
        .iter()
        .all(|byte| byte.is_ascii() && !b"[](){}<>\"'`\\|;".contains(byte))
}

/// Returns whether a value has the name of a rule, which nothing separates from it: `* Disallow=/`.
fn may_hold_rule(value: &[u8]) -> bool {
    let value: Vec<u8> = value
        .iter()
        .filter(|byte| byte.is_ascii_alphabetic())
        .map(u8::to_ascii_lowercase)
        .collect();
    ["disallow", "useragent", "allow"]
        .iter()
        .any(|name| memchr::memmem::find(&value, name.as_bytes()).is_some())
}

/// Writes a disallow line with each reading of its path (ACCT-9). Ours: a star behind it makes it longer than an allow line with the same
/// path, which would win over a line that can be read.
fn write_closed(value: &[u8], lines: &mut Vec<u8>) -> Option<()> {
    let value: Vec<u8> = value
        .iter()
        .copied()
        .filter(|byte| !byte.is_ascii_control())
        .collect();
    let value = if is_odd_root(&value) {
        b"/".to_vec()
    } else {
        value
    };
    (!may_hold_rule(&value) && is_clean(&value)).then_some(())?;
    for path in other_paths(&value).into_iter().chain([value]) {
        let has_star = can_match(&path) && !path.ends_with(b"$");
        let star: &[u8] = if has_star { b"*" } else { b"" };
        lines.extend([b"Disallow: ", path.as_slice(), star, b"\n"].concat());
    }
    Some(())
}

/// A rule that a line was meant as.
enum MeantRule<'p> {
    Agent(&'p [u8]),
    Closed(&'p [u8]),
}

/// Returns the rule with other marks in its name, or with a slip: `- Disallow; /a`, `User-agen: a`.
fn rule_of(piece: &[u8]) -> Option<MeantRule<'_>> {
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || *byte >= 0x80;
    let start = piece.iter().position(u8::is_ascii_alphabetic)?;
    // What precedes the name is a mark of a list or a quote.
    let text = piece.get(start..)?;
    let in_name =
        |byte: &u8| is_letter(byte) || byte.is_ascii_control() || matches!(byte, b'-' | b'_');
    let mut end = text
        .iter()
        .position(|byte| !in_name(byte))
        .unwrap_or(text.len());
    if letters(text.get(..end)?) == b"user" {
        let rest = text.get(end + 1..).unwrap_or_default();
        end += 1 + rest
            .iter()
            .position(|byte| !in_name(byte))
            .unwrap_or(rest.len());
    }
    let (name, value) = text.split_at_checked(end.min(text.len()))?;
    let name = letters(name);
    let is_agent = name.starts_with(b"useragent") || has_one_slip(&name, b"useragent");
    let is_disallow = name.starts_with(b"disallow")
        || has_one_slip(&name, b"disallow")
        || DISALLOW_MISSPELT
            .iter()
            .any(|known| name.starts_with(known.as_bytes()));
    let value = value.strip_prefix("\u{ff1a}".as_bytes()).unwrap_or(value);
    let value = trimmed(value, |byte| {
        b" \t:;=\"'`".contains(&byte) || byte.is_ascii_control()
    });
    let value = value.strip_prefix(b"->").unwrap_or(value).trim_ascii();
    match (is_agent, is_disallow) {
        (true, _) => Some(MeantRule::Agent(value)),
        (_, true) if value.is_empty() => Some(MeantRule::Closed(b"/")),
        (_, true) => Some(MeantRule::Closed(value)),
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(lines: &str) -> Option<String> {
        let file = format!("User-agent: z\nAllow: /\n{lines}\nAllow: /x\n");
        let is_known = |letters: &[u8]| letters.starts_with(b"contentsignal");
        let robots = RobotsTxt::parse(&file);
        let misses = robots.near_misses(is_known);
        assert!(!misses.is_empty(), "{lines}");
        let found = robots.rewritten(&misses, is_known)?;
        let records = found.records().skip(2).map(|record| {
            let [name, value] = [record.name, record.value].map(String::from_utf8_lossy);
            format!("{}={value}", name.to_ascii_lowercase())
        });
        let records: Vec<String> = records.collect();
        Some(
            records
                .join(" ")
                .strip_suffix(" allow=/x")
                .expect("the last line")
                .to_owned(),
        )
    }

    #[test]
    fn acct_14_a_rule_that_belongs_to_no_group_may_close_anything() {
        let robots = RobotsTxt::parse("<html>Disallow: /a</html>");
        let misses = robots.near_misses(|_| false);
        assert!(misses.len() == 1 && robots.rewritten(&misses, |_| false).is_none());
        assert_eq!(
            robots.access("CCBot", "/b").verdict,
            crate::web::preference::Preference::Unknown
        );
    }

    #[test]
    fn acct_14_a_file_in_one_comment_without_colons_may_close_anything() {
        let robots = RobotsTxt::parse("# why User-agent * Disallow / # or not ");
        assert_eq!(
            robots.access("CCBot", "/b").verdict,
            crate::web::preference::Preference::Unknown
        );
        let prose = RobotsTxt::parse("# Every user agent is welcome, we disallow nothing");
        assert_eq!(
            prose.access("CCBot", "/b").verdict,
            crate::web::preference::Preference::Allow
        );
    }

    #[test]
    fn acct_14_lines_that_cannot_be_read_are_written_as_the_rules_that_they_were_meant_as() {
        for (line, expected) in [
            ("User-agent: a Disallow: /", "user-agent=a disallow=/*"),
            (
                "User-agent: *<br/>Sitemap: https://a.example/s<br/>",
                "user-agent=* sitemap=https://a.example/s",
            ),
            ("Disallow: Disallow: /a?*", "disallow= disallow=/a?**"),
            ("User-agent: User-agent: a", "user-agent= user-agent=a"),
            ("Allow: /Disallow: /a/", "allow=/ disallow=/a/*"),
            ("Disallow: /aDisallow: /b", "disallow=/a* disallow=/b*"),
            ("Allow: /User-agent: a", "allow=/ user-agent=a"),
            (
                "User-agent: * Disallow: /a Allow: /b Sitemap: https://a.example/",
                "user-agent=* disallow=/a* allow=/b sitemap=https://a.example/",
            ),
            ("User-agen: a", "user-agent=a"),
            ("Uesr-agent: a", "user-agent=a"),
            ("User_agent: a", "user-agent=a"),
            ("DisallowL /js/", "disallow=/js/*"),
            ("Disllow: /best", "disallow=/best*"),
            (
                "Disallow https://a.example/b c",
                "disallow=https://a.example/b c",
            ),
            ("\u{200d}User-agent: a", "user-agent=a"),
            ("<!-23-10-jsc-->User-agent: a", "user-agent=a"),
            ("- Disallow: /", "disallow=/*"),
            ("1. Disallow; /a", "disallow=/a*"),
            ("Disallow = /", "disallow=/*"),
            ("Disallow/", "disallow=/*"),
            ("Dis\u{ad}allow: /a", "disallow=/a*"),
            ("Disallow: \"/\"", "disallow=/*"),
            ("Disallow: All", "disallow=/*"),
            ("Disallow: /a\u{1}", "disallow=/a*"),
            ("User agent a b", "user-agent=a b"),
            ("User-agent: a%0ADisallow: /%0A", "user-agent=a disallow=/*"),
            (
                "User-agent: a\\nDisallow: /b\\n# c\\n",
                "user-agent=a disallow=/b*",
            ),
            ("Disallow: /</p>", "disallow=/*"),
            (
                "User-agent: a Content-Signal: ai-train=no",
                "user-agent=a content-signal=ai-train=no",
            ),
        ] {
            assert_eq!(rewritten(line).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn acct_14_words_whose_part_in_a_rule_is_not_known_leave_everything_in_doubt() {
        for line in [
            "[User-agent: *] [Disallow: /a]",
            "\"Disallow: /a\"",
            "-en User-agent: *",
            "GPTBot Disallow: /",
            "echo \"User-agent: *\\n\"",
            "{\"robots\": \"User-agent: *\\nDisallow: /\"}",
            "the rules: User-agent: a Disallow: /",
            "1. User-agent: a # why Disallow: / # why",
        ] {
            assert_eq!(rewritten(line), None, "{line}");
        }
    }
}
