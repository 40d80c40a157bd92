//! Classes as Liu et al. counted them ("Somesite I Used To Crawl", IMC 2025).
//!
//! Their published rules: Google's parser is asked for `/`, for a made-up path and for every path that a line of
//! the file names, less a `$` at its end. Where `/` is open and one of the others closed, or `/` closed and
//! one open, the file is closed in part; else in full, or not at all. Google's parser compares the
//! starts of names (`DisallowAITraining` is Disallow), cuts the names of groups at the first byte that is no
//! letter, `_` or `-`, but not the name that it is asked for, so that `AI2Bot` obeys `*`.
//! Left out: that parser's limit of a line's length.

use super::names::Names;
use crate::robots::{LineKind, Record};
use crate::verdict::site::Class;
use crate::web::lines::offset_in;
use crate::web::path_pattern::{matches, may_match};
use crate::web::steps;
use std::borrow::Cow;

/// The path that no file names.
const DUMMY: &[u8] = b"/dummy-testing-path-54321";

/// A file as the study read it.
pub struct ImcFile<'a> {
    /// The names of groups; those for all have `*`.
    pub(super) names: Names<'a, Option<Class>>,
    groups: Vec<Group>,
    /// The rules of all groups, group by group.
    rules: Vec<Rule<'a>>,
    in_rules: bool,
    /// Whether the study, which cuts lines at LF alone, has the same lines.
    lines_agree: bool,
    paths: Paths<'a>,
}

/// The paths that are asked for beside `/`.
struct Paths<'a> {
    file: &'a [u8],
    all: Option<Vec<Cow<'a, [u8]>>>,
    /// How many more times a path may be asked for.
    asks_left: usize,
    /// The same of the paths of each group's own rules.
    own_asks_left: usize,
}

#[derive(Default)]
struct Group {
    first_rule: usize,
    /// Whether a Disallow has a path, and whether one has `/`.
    closes: bool,
    closes_all: bool,
    /// Whether there is an Allow.
    has_allow: bool,
}

struct Rule<'a> {
    pattern: Cow<'a, [u8]>,
    is_allow: bool,
    /// Where in the file its text is, on a line from which the study takes a path; empty where on none.
    text: &'a [u8],
}

enum Key {
    Agent,
    Allow,
    Disallow,
    Other,
}

impl<'a> ImcFile<'a> {
    /// Begins to read a file with at most so many rules.
    pub(super) fn with_capacity(file: &'a [u8], most: usize) -> Self {
        let stands_alone = |at: usize| file.get(at + 1) != Some(&b'\n');
        Self {
            names: Names::default(),
            groups: Vec::new(),
            rules: Vec::with_capacity(most),
            in_rules: true,
            lines_agree: !memchr::memchr_iter(b'\r', file).any(stands_alone),
            paths: Paths { file, all: None, asks_left: MAX_ASKS, own_asks_left: 2 * MAX_ASKS },
        }
    }

    /// Reads a line without comment and outer white space.
    pub(super) fn add(&mut self, text: &'a [u8]) {
        // No other line has a name that counts.
        if !matches!(text, [b'u' | b'U' | b'a' | b'A' | b'd' | b'D', ..]) {
            return;
        }
        let Some((name, value)) = name_and_value(text) else { return };
        match key(name) {
            Key::Agent => self.agent(value),
            Key::Allow => self.rule(text, value, true),
            Key::Disallow => self.rule(text, value, false),
            Key::Other => {}
        }
    }

    /// Reads a line of ours: the names that count whole are the same.
    pub(super) fn add_record(&mut self, record: &Record<'a>) {
        match record.kind {
            LineKind::UserAgent => self.agent(record.value),
            LineKind::Allow => self.rule(record.text, record.value, true),
            LineKind::Disallow => self.rule(record.text, record.value, false),
            LineKind::ExtensionRule | LineKind::Other => self.add(record.text),
        }
    }

    fn agent(&mut self, value: &'a [u8]) {
        if self.in_rules {
            self.groups.push(Group { first_rule: self.rules.len(), ..Group::default() });
        }
        self.in_rules = false;
        self.names.add(agent_name(value), self.groups.len().saturating_sub(1));
    }

    /// An Allow for `/x/index.html` also opens `/x/`.
    fn rule(&mut self, text: &'a [u8], value: &'a [u8], is_allow: bool) {
        let Some(group) = self.groups.last_mut() else { return };
        self.in_rules = true;
        let text = if self.lines_agree { text } else { &[] };
        let pattern = escaped(value);
        if is_allow
            && let Some(slash) = memchr::memrchr(b'/', &pattern)
            && pattern.get(slash..).is_some_and(|end| end.starts_with(b"/index.htm"))
        {
            let folder = pattern.get(..=slash).unwrap_or_default();
            let pattern = [folder, b"$"].concat().into();
            self.rules.push(Rule { pattern, is_allow, text: &[] });
        }
        group.has_allow |= is_allow;
        group.closes |= !is_allow && !pattern.is_empty();
        group.closes_all |= !is_allow && *pattern == *b"/";
        self.rules.push(Rule { pattern, is_allow, text });
    }

    /// Returns the class of an agent, named in lower case, or `*` for one that is not named; `None` where
    /// the file names too many paths to be asked for all of its agents.
    pub fn class(&mut self, agent: &[u8]) -> Option<Class> {
        let Self { names, groups, rules, paths, .. } = self;
        names.class(agent, |places| {
            let of_agent = || places.iter().filter_map(|place| groups.get(*place as usize));
            // What no rule closes, or nothing opens again, need not be asked for path by path.
            if !of_agent().any(|group| group.closes) {
                return Some(Class::None);
            }
            if of_agent().any(|group| group.closes_all) && !of_agent().any(|group| group.has_allow) {
                return Some(Class::Full);
            }
            let of_group = |place: &u32| {
                let at = |place: usize| groups.get(place).map_or(rules.len(), |group| group.first_rule);
                rules.get(at(*place as usize)..at(*place as usize + 1)).unwrap_or_default()
            };
            paths.class(&places.iter().flat_map(of_group).collect::<Vec<_>>())
        })
    }
}

impl Paths<'_> {
    fn class(&mut self, rules: &[&Rule<'_>]) -> Option<Class> {
        self.own_asks_left = self.own_asks_left.checked_sub(rules.len())?;
        let root_is_open = is_open(rules, b"/");
        let contrary = rules.iter().filter(|rule| rule.is_allow != root_is_open).take(MAX_OWN_ASKS);
        for rule in contrary {
            let Some(path) = named_path(line_around(self.file, rule.text)) else { continue };
            self.own_asks_left = self.own_asks_left.checked_sub(rules.len())?;
            if is_open(rules, &asked(path)) != root_is_open {
                return Some(Class::Partial);
            }
        }
        for path in self.all.get_or_insert_with(|| paths(self.file)) {
            self.asks_left = self.asks_left.checked_sub(rules.len())?;
            if is_open(rules, path) != root_is_open {
                return Some(Class::Partial);
            }
        }
        Some(if root_is_open { Class::None } else { Class::Full })
    }
}

/// How many of a group's own paths are tried first: one of them decides for most files.
const MAX_OWN_ASKS: usize = 8;

/// How many rules are held against paths, for one file: some files name thousands of agents and paths.
const MAX_ASKS: usize = 10_000_000;

/// Returns the name of a group, as it is written; `*` for that of all.
fn agent_name(value: &[u8]) -> &[u8] {
    let is_name = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-');
    match value {
        [b'*'] => value,
        [everyone @ b'*', blank, ..] if blank.is_ascii_whitespace() => std::slice::from_ref(everyone),
        _ => value.split(|byte| !is_name(byte)).next().unwrap_or_default(),
    }
}

/// Google's parser takes a blank for the colon where there are exactly two words.
fn name_and_value(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let lone_blank = || {
        let at = text.iter().position(is_blank)?;
        (!text.get(at..)?.trim_ascii().iter().any(is_blank)).then_some(at)
    };
    let at = memchr::memchr(b':', text).or_else(lone_blank)?;
    let name = text.get(..at)?.trim_ascii();
    (!name.is_empty()).then_some((name, text.get(at + 1..)?.trim_ascii()))
}

fn key(name: &[u8]) -> Key {
    let starts = |known: &&str| {
        name.get(..known.len()).is_some_and(|start| start.eq_ignore_ascii_case(known.as_bytes()))
    };
    match name.first().map(u8::to_ascii_lowercase) {
        Some(b'u') if ["user-agent", "useragent", "user agent"].iter().any(starts) => Key::Agent,
        Some(b'a') if starts(&"allow") => Key::Allow,
        Some(b'd') if DISALLOW.iter().any(starts) => Key::Disallow,
        Some(_) | None => Key::Other,
    }
}

/// How Disallow may be written.
const DISALLOW: [&str; 6] = ["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"];

/// Escapes octets outside ASCII and writes hex digits of escapes in upper case, as Google's parser does.
fn escaped(value: &[u8]) -> Cow<'_, [u8]> {
    if value.is_ascii() && memchr::memchr(b'%', value).is_none() {
        return Cow::Borrowed(value);
    }
    let mut escaped = Vec::with_capacity(value.len());
    let mut rest = value;
    while let Some((byte, following)) = rest.split_first() {
        rest = following;
        match (byte, following) {
            (b'%', [high, low, after @ ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                escaped.extend([b'%', high.to_ascii_uppercase(), low.to_ascii_uppercase()]);
                rest = after;
            }
            (0x80.., _) => escaped.extend(format!("%{byte:02X}").bytes()),
            _ => escaped.push(*byte),
        }
    }
    Cow::Owned(escaped)
}

/// The longest rule decides, an equally long Allow before a Disallow; empty ones say nothing.
fn is_open(rules: &[&Rule<'_>], path: &[u8]) -> bool {
    let (mut allow, mut disallow) = (0, 0);
    steps::count(rules.len());
    for rule in rules {
        let longest = if rule.is_allow { &mut allow } else { &mut disallow };
        let pattern = &*rule.pattern;
        if pattern.len() > *longest && may_match(pattern, path) && matches(pattern, path) {
            *longest = pattern.len();
        }
    }
    allow >= disallow
}

/// Returns the line in which a part of the file is, up to its LF.
fn line_around<'a>(file: &'a [u8], part: &[u8]) -> &'a [u8] {
    if part.is_empty() {
        return &[];
    }
    let start = file
        .get(..offset_in(file, part))
        .and_then(|before| memchr::memrchr(b'\n', before))
        .map_or(0, |lf| lf + 1);
    let line = file.get(start..).unwrap_or_default();
    memchr::memchr(b'\n', line).and_then(|end| line.get(..end)).unwrap_or(line)
}

/// Returns the paths that the study asks for beside `/`, in the order of the file.
fn paths(file: &[u8]) -> Vec<Cow<'_, [u8]>> {
    let path = |line| Some(asked(named_path(line)?));
    let named = file.split(|byte| *byte == b'\n').filter_map(path);
    named.chain([Cow::Borrowed(DUMMY)]).collect()
}

/// Returns what the study takes for a path of a line, less a `$` at its end.
fn named_path(line: &[u8]) -> Option<&[u8]> {
    // "disallow:" has "allow:" in it.
    let names = memchr::memchr_iter(b':', line).filter(|colon| {
        let name = colon.checked_sub(5).and_then(|start| line.get(start..*colon));
        name.is_some_and(|name| name.eq_ignore_ascii_case(b"allow"))
    });
    let mut names = names.peekable();
    names.peek()?;
    let path = if names.any(|colon| line.get(colon + 1) == Some(&b' ')) {
        line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).nth(1)?
    } else {
        line.split(|byte| *byte == b':').nth(1)?
    };
    Some(path.strip_suffix(b"$").unwrap_or(path))
}

/// Returns the path of a site's URL with such a text behind its host, as Google's parser cuts it out.
fn asked(text: &[u8]) -> Cow<'_, [u8]> {
    let text = text.split(|byte| *byte == b'#').next().unwrap_or_default();
    let at = text.iter().position(|byte| matches!(byte, b'/' | b'?' | b';'));
    match at.and_then(|at| text.get(at..)) {
        Some(path) if path.starts_with(b"/") => Cow::Borrowed(path),
        Some(query) => Cow::Owned([b"/", query].concat()),
        None => Cow::Borrowed(b"/"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Studies;
    use super::*;
    use crate::robots::RobotsTxt;

    #[test]
    fn imc_published_rules() {
        for (file, agent, expected) in [
            ("User-agent: a\nDisallow: /\n", "a", Class::Full),
            ("User-agent: a\nDisallow: /\n", "*", Class::None),
            ("User-agent: *\nDisallow: /\n", "a", Class::Full),
            ("User-agent: a\nDisallow: /x\n", "a", Class::Partial),
            ("User-agent: a\nDisallow: /\nAllow: /x\n", "a", Class::Partial),
            ("User-agent: a\nDisallow: /\nAllow: /$\n", "a", Class::Partial),
            ("User-agent: AI2Bot\nDisallow: /\n", "ai2bot", Class::None),
            ("User-agent: AI2Bot\nDisallow: /\n", "ai", Class::Full),
            ("User-agent: a\nDisallowAITraining: /\n", "a", Class::Full),
            ("User-agent a\nDisallow /\n", "a", Class::Full),
            ("User-agent: a\nSitemap: /s\nUser-agent: b\nDisallow: /\n", "a", Class::Full),
            ("User-agent: a\nDisallow: foo\n", "a", Class::None),
            ("User-agent: a\nDisallow: /\nAllow: /x/index.html\n", "a", Class::Partial),
            // A path outside ASCII is escaped in the rule and not in what is asked for.
            ("User-agent: a\nDisallow: /é\n", "a", Class::None),
            ("Disallow: /\n", "a", Class::None),
        ] {
            let robots = RobotsTxt::parse(file.as_bytes());
            let mut read = Studies::read(&robots).imc;
            assert_eq!(read.class(agent.as_bytes()), Some(expected), "{file}");
        }
    }

    #[test]
    fn imc_paths_that_are_asked_for() {
        let text = |paths: Vec<Cow<'_, [u8]>>| -> Vec<String> {
            paths.iter().map(|path| String::from_utf8_lossy(path).into_owned()).collect()
        };
        let found =
            paths(b"Disallow: /a$ x\nAllow:/b\n# Disallow: /c\nDisallow:\nDisallow: *.jpg\nDisallow: ?q\n");
        assert_eq!(text(found), ["/a", "/b", "/", "/", "/", "/?q", "/dummy-testing-path-54321"]);
    }
}
