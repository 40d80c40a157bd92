//! A file in which lines that were meant as rules and cannot be read are written as rules (RULES ACCT-14).
//!
//! Example: `- Disallow; /a` becomes `Disallow: /a`. A line that cannot be read says at most what it says when it is written like this,
//! so that it is a doubt for what this reading closes, and for nothing else.
//! Left out: lines in which several are joined (`User-agent: * Disallow: /a`), or that have tags, escapes or words whose part in a rule
//! is not known (`-en User-agent: *`, `GPTBot Disallow: /`); they may close anything.

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
                write_one(line, &begins_as_known, &mut text)?;
            }
            text.push(b'\n');
        }
        let read = ReadLines::of(&text);
        let robots = RobotsTxt { bytes: text.into(), read, is_cut: self.is_cut, text: BodyText::Text };
        // A rule that belongs to no group then is meant for somebody, nobody knows whom.
        let of_no_group = |robots: &RobotsTxt| {
            robots.records_before_groups().filter(|record| record.kind == LineKind::Disallow).count()
        };
        (of_no_group(&robots) == of_no_group(self) && robots.near_misses(begins_as_known).is_empty())
            .then_some(robots)
    }
}

/// Writes a line as the one rule that it was meant as; `None` if it may be several, or none that is known.
fn write_one(line: &[u8], begins_as_known: BeginsAsKnown<'_>, text: &mut Vec<u8>) -> Option<()> {
    steps::count(line.len());
    let line = without_line_marks(line);
    let rule = without_comment(line);
    // Where lines are joined, or are in tags or in a comment, nobody knows which of them end where.
    let is_joined = behind_line_ends(line).next().is_some() || rule.contains(&b'<') || rule.contains(&b'\\');
    if is_joined || words_before_colons(line).count() > 1 || !is_near_miss(rule, begins_as_known) {
        return None;
    }
    let (before, rule) = rule.split_at_checked(start_of_rule(rule, begins_as_known)).unwrap_or((b"", rule));
    (!before.iter().any(u8::is_ascii_alphabetic)).then_some(())?;
    write_line(rule, text)
}

/// Returns where the name of the rule begins, behind marks such as a bracket.
fn start_of_rule(line: &[u8], begins_as_known: BeginsAsKnown<'_>) -> usize {
    let start = words_before_colons(line).find_map(|word| {
        let end = offset_in(line, word.text) + word.text.len();
        let own = || begins_as_known(&letters(word.text)).then_some(word.text.len());
        Some(end - word.rule_name().map(str::len).or_else(own)?)
    });
    start.unwrap_or_default()
}

/// Writes one line as a rule, if it is meant as one; `None` if it may be a part of one, in a way that is not known.
fn write_line(piece: &[u8], lines: &mut Vec<u8>) -> Option<()> {
    let piece = trimmed(piece, |byte| byte.is_ascii_whitespace() || byte.is_ascii_control());
    let piece = without_closing_bracket(piece);
    match Line::split(piece).and_then(|line| Ok((line.kind()?.0, line))) {
        Ok((LineKind::Disallow, line)) => write_closed(line.value, lines)?,
        Ok((LineKind::UserAgent, line)) => write_agent(line.value, lines)?,
        // What a rule ends in is a value without its control bytes.
        Ok((kind, line)) if kind != LineKind::Other || !is_odd_name(line.name) => {
            lines.extend(
                line.name.iter().chain(b": ").chain(line.value).filter(|byte| !byte.is_ascii_control()),
            );
        }
        Ok(_) | Err(_) => match rule_of(piece) {
            Some(Rule::Agent(name)) => write_agent(name, lines)?,
            Some(Rule::Closed(value)) => write_closed(value, lines)?,
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
    text.get(..text.len() - usize::from(!is_opened)).unwrap_or(text)
}

/// Writes a user-agent line, without the mark that joins it with the next one; `None` if a rule or an escaped byte may be in it.
fn write_agent(name: &[u8], lines: &mut Vec<u8>) -> Option<()> {
    let name = trimmed(name, |byte| b" \t,;|&".contains(&byte));
    (!may_hold_rule(name) && !name.contains(&b'\\')).then_some(())?;
    lines.extend_from_slice(b"User-agent: ");
    lines.extend(name.iter().filter(|byte| !byte.is_ascii_control()));
    Some(())
}

/// Returns whether a value has the name of a rule, which nothing separates from it: `* Disallow=/`.
fn may_hold_rule(value: &[u8]) -> bool {
    let value: Vec<u8> =
        value.iter().filter(|byte| byte.is_ascii_alphabetic()).map(u8::to_ascii_lowercase).collect();
    ["disallow", "useragent", "allow"]
        .iter()
        .any(|name| memchr::memmem::find(&value, name.as_bytes()).is_some())
}

/// Writes a disallow line with each reading of its path (ACCT-9). Ours: a star behind it makes it longer than an allow line with the same
/// path, which would win over a line that can be read.
fn write_closed(value: &[u8], lines: &mut Vec<u8>) -> Option<()> {
    let has_escape = memchr::memmem::find(value, b"\\u").is_some();
    (!may_hold_rule(value) && !has_escape).then_some(())?;
    let value: Vec<u8> = value.iter().copied().filter(|byte| !byte.is_ascii_control()).collect();
    let value = if is_odd_root(&value) { b"/".to_vec() } else { value };
    for path in other_paths(&value).into_iter().chain([value]) {
        let has_star = can_match(&path) && !path.ends_with(b"$");
        let star: &[u8] = if has_star { b"*" } else { b"" };
        lines.extend([b"Disallow: ", path.as_slice(), star, b"\n"].concat());
    }
    Some(())
}

/// A rule that a line was meant as.
enum Rule<'p> {
    Agent(&'p [u8]),
    Closed(&'p [u8]),
}

/// Returns the rule with other marks in its name, or with a slip: `- Disallow; /a`, `User-agen: a`.
fn rule_of(piece: &[u8]) -> Option<Rule<'_>> {
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || *byte >= 0x80;
    let start = piece.iter().position(u8::is_ascii_alphabetic)?;
    // What precedes the name is a mark of a list or a quote.
    let text = piece.get(start..)?;
    let in_name = |byte: &u8| is_letter(byte) || byte.is_ascii_control() || matches!(byte, b'-' | b'_');
    let mut end = text.iter().position(|byte| !in_name(byte)).unwrap_or(text.len());
    if letters(text.get(..end)?) == b"user" {
        let rest = text.get(end + 1..).unwrap_or_default();
        end += 1 + rest.iter().position(|byte| !in_name(byte)).unwrap_or(rest.len());
    }
    let (name, value) = text.split_at_checked(end.min(text.len()))?;
    let name = letters(name);
    let is_agent = name.starts_with(b"useragent") || has_one_slip(&name, b"useragent");
    let is_disallow = name.starts_with(b"disallow")
        || has_one_slip(&name, b"disallow")
        || DISALLOW_MISSPELT.iter().any(|known| name.starts_with(known.as_bytes()));
    let value = value.strip_prefix("\u{ff1a}".as_bytes()).unwrap_or(value);
    let value = trimmed(value, |byte| b" \t:;=\"'`".contains(&byte) || byte.is_ascii_control());
    let value = value.strip_prefix(b"->").unwrap_or(value).trim_ascii();
    match (is_agent, is_disallow) {
        (true, _) => Some(Rule::Agent(value)),
        (_, true) if value.is_empty() => Some(Rule::Closed(b"/")),
        (_, true) => Some(Rule::Closed(value)),
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
        Some(records.join(" ").strip_suffix(" allow=/x").expect("the last line").to_owned())
    }

    #[test]
    fn acct_14_a_rule_that_belongs_to_no_group_may_close_anything() {
        let robots = RobotsTxt::parse("<html>Disallow: /a</html>");
        let misses = robots.near_misses(|_| false);
        assert!(misses.len() == 1 && robots.rewritten(&misses, |_| false).is_none());
        assert_eq!(robots.access("CCBot", "/b").verdict, crate::web::preference::Preference::Unknown);
    }

    #[test]
    fn acct_14_lines_that_cannot_be_read_are_written_as_the_rules_that_they_were_meant_as() {
        for (line, expected) in [
            ("User-agen: a", "user-agent=a"),
            ("Uesr-agent: a", "user-agent=a"),
            ("User_agent: a", "user-agent=a"),
            ("DisallowL /js/", "disallow=/js/*"),
            ("Disllow: /best", "disallow=/best*"),
            ("Disallow https://a.example/b c", "disallow=https://a.example/b c"),
            ("\u{200d}User-agent: a", "user-agent=a"),
            ("- Disallow: /", "disallow=/*"),
            ("1. Disallow; /a", "disallow=/a*"),
            // Its path has two readings (ACCT-9).
            ("\"Disallow: /a\"", "disallow=/a* disallow=/a\"*"),
            ("[Disallow: /a]", "disallow=/a*"),
            ("(User-agent: a)", "user-agent=a"),
            ("Disallow = /", "disallow=/*"),
            ("Disallow/", "disallow=/*"),
            ("Dis\u{ad}allow: /a", "disallow=/a*"),
            ("Disallow: \"/\"", "disallow=/*"),
            ("Disallow: All", "disallow=/*"),
            ("Disallow: /a\u{1}", "disallow=/a*"),
            ("User agent a b", "user-agent=a b"),
        ] {
            assert_eq!(rewritten(line).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn acct_14_words_whose_part_in_a_rule_is_not_known_leave_everything_in_doubt() {
        for line in [
            "User-agent: a Disallow: /",
            "User-agent: *<br/>Sitemap: https://a.example/s<br/>",
            "Disallow: /aDisallow: /b",
            "Allow: /User-agent: a",
            "<!-23-10-jsc-->User-agent: a",
            "User-agent: a%0ADisallow: /%0A",
            "User-agent: a\\nDisallow: /b\\n# c\\n",
            "Disallow: /</p>",
            "User-agent: a Content-Signal: ai-train=no",
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
