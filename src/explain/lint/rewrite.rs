//! How to write what a line was meant to say.
//!
//! Example: `- Deny /a` is written `Disallow: /a`, and `Content-Usage: AI-Train=no` is written `Content-Usage: train-ai=n`.
//! Ours: a rewritten line is offered only if its rule or preference is recognised; nothing is guessed about prose.
//! Left out: whether the file becomes what its owner wants, which only its owner knows.

use super::uses;
use super::words::{NOES, TRAINING, YESES, bare, has, letters};
use crate::systems::Statement;
use crate::verdict::AgentsTable;
use crate::web::product_token::ProductToken;
use crate::web::shown::shown;

/// The name of a line that systems and crawlers read, with the beginnings of words that people write for it: letters alone, in
/// lower case. The longest beginning counts.
const NAMES: [(&str, &str); 11] = [
    (
        "User-agent",
        "useragent useragents usragent usergent uesragent useragen useagent agent bot crawler robot",
    ),
    (
        "Disallow",
        "disallow dissallow dissalow disalow disalloww dsallow dissallows disallows disallowed disallowall deny \
         denied block forbid prohibit exclude noallow notallow",
    ),
    ("Allow", "allow allowed permit alow"),
    ("Sitemap", "sitemap sitemaps"),
    (
        "Content-Signal",
        "contentsignal contentsignals contentsignaling",
    ),
    ("Content-Usage", "contentusage contentuse"),
    (
        "DisallowAITraining",
        "disallowaitraining disallowtraining noaitraining",
    ),
    ("AllowAITraining", "allowaitraining"),
    ("X-Robots-Tag", "xrobotstag xrobottag xrobotstags"),
    (
        "tdm-reservation",
        "tdmreservation tdmreserved tdmreserve tdm",
    ),
    (
        "datatrainingallowed",
        "datatrainingallowed datatraining trainingallowed",
    ),
];

/// What a key means: its name in Content-Signal, and in the vocabulary of Content-Usage that has the most readers (03).
const KEYS: [(&str, Option<&str>, Option<&str>); 5] = [
    (TRAINING, Some("ai-train"), Some("train-ai")),
    (
        "genai traingenai genaitrain aigen generative",
        Some("ai-train"),
        Some("train-genai"),
    ),
    (
        "search index indexing searchengine",
        Some("search"),
        Some("search"),
    ),
    (
        "aiinput inputai input aiuse aiusage useai rag grounding inference aioutput",
        Some("ai-input"),
        None,
    ),
    ("bots all", None, Some("bots")),
];

/// Returns whether a line was meant as one that is known.
pub(super) fn is_meant_as_known(line: &[u8]) -> bool {
    lines(&shown(line.trim_ascii()), 0).is_some()
}

/// Returns the line or lines to write in the place of one with a finding.
pub(super) fn written(
    code: &str,
    line: &[u8],
    statement: Option<&Statement<'_>>,
) -> Option<String> {
    let text = shown(line.trim_ascii());
    let text = text.as_ref();
    let written = match code {
        "rule_before_agent" | "signal_outside_group" | "signal_in_last_group" | "no_group" => {
            Some(format!("User-agent: *\n{text}"))
        }
        "agent_all" => Some("User-agent: *".to_owned()),
        "agent_undocumented" => documented(text),
        // Another line, or the file as a whole, is wrong.
        "signal_on_closed_path"
        | "wildcard_groups_split"
        | "allow_and_disallow_all"
        | "agents_across_records"
        | "group_by_extension"
        | "token_match_differs"
        | "managed_block_open"
        | "html"
        | "empty"
        | "cut"
        | "cr_only"
        | "utf16"
        | "unfinished"
        | "other_copy"
        | "hides_shorter_rule"
        | "shadowed_entry"
        | "unknown_directive" => None,
        "unknown_rule" => tag_rule(text, statement?),
        "noindex_line" => Some("X-Robots-Tag: noindex (a header field of the pages)".to_owned()),
        "comment_in_path" => Some(text.replacen('#', "%23", 1)),
        "regex_in_path" => without_regex(text),
        "not_json" | "no_entry" | "no_location" | "no_reservation" => {
            Some("[{\"location\": \"/\", \"tdm-reservation\": 1}]".to_owned())
        }
        "no_array" => Some(format!("[{text}]")),
        _ => uses::written(code, text, statement)
            .or_else(|| preferences(text, statement))
            .or_else(|| lines(text, 0)),
    };
    // Names are compared without case: a line with other capitals is the same line.
    written.filter(|written| !written.eq_ignore_ascii_case(text) || code == "key_case")
}

/// The tokens that vendors document where a file has the name of a product.
fn documented(text: &str) -> Option<String> {
    let (_, name) = text.split_once(':')?;
    let name = name.split('/').next()?.trim().to_ascii_lowercase();
    let tokens: &[&str] = match name.as_str() {
        "chatgpt" => &["GPTBot", "ChatGPT-User", "OAI-SearchBot"],
        "claude" => &["ClaudeBot", "Claude-User", "Claude-SearchBot"],
        _ => return None,
    };
    Some(
        tokens
            .iter()
            .map(|token| format!("User-agent: {token}"))
            .collect::<Vec<_>>()
            .join("\n"),
    )
}

/// The rules of robots tags that crawlers document.
const TAG_RULES: &str = "noindex nofollow none noarchive nosnippet noimageindex notranslate nocache noai noimageai noml \
    notrain";

/// Rewrites a rule of a robots tag that has other marks or a letter more: `no-ai`, `nosnippets`.
fn tag_rule(text: &str, statement: &Statement<'_>) -> Option<String> {
    let key = shown(statement.key?).into_owned();
    let letters = letters(&key);
    let is_meant = |rule: &&str| letters == **rule || letters.strip_suffix('s') == Some(*rule);
    if let Some(rule) = TAG_RULES.split_whitespace().find(is_meant) {
        return Some(text.replacen(&key, rule, 1));
    }
    // A name of a crawler without its colon: `GPTBot noindex`.
    let (before, after) = text.split_once(&key)?;
    let rule = after.strip_prefix(' ')?;
    let word = rule.split([' ', ',']).next()?;
    has(TAG_RULES, &word.to_ascii_lowercase()).then(|| format!("{before}{key}: {rule}"))
}

fn without_regex(text: &str) -> Option<String> {
    let (name, path) = text.split_once(':')?;
    let path = path
        .trim()
        .trim_start_matches('^')
        .replace(".*", "*")
        .replace("\\.", ".")
        .replace("\\/", "/");
    let is_plain = !path.contains(['(', ')', '[', ']', '\\', '^', '+', '|']);
    (is_plain && !path.is_empty()).then(|| format!("{}: {path}", name.trim()))
}

/// Rewrites the members of a value whose system is known: of a line, a field or a meta.
fn preferences(text: &str, statement: Option<&Statement<'_>>) -> Option<String> {
    let (name, value) = split(text)?;
    let name = known_name(&letters(name))
        .filter(|name| matches!(*name, "Content-Signal" | "Content-Usage"));
    let name = name.or_else(|| {
        let system = statement?.system;
        match system {
            "content_signal" => Some("Content-Signal"),
            "aipref" => Some("Content-Usage"),
            _ => None,
        }
    })?;
    let (path, value) = match value.split_once([' ', '\t']) {
        Some((path, rest)) if path.starts_with('/') => (Some(path), rest),
        _ => (None, value),
    };
    // Blanks are between members only if each word is one.
    let is_of_words = value
        .split_whitespace()
        .all(|word| word.contains(['=', ':']));
    let is_between = |mark: char| ",;|&".contains(mark) || is_of_words && mark.is_whitespace();
    let pieces = value
        .split(is_between)
        .map(str::trim)
        .filter(|piece| !piece.is_empty());
    let mut members = Vec::new();
    for piece in pieces {
        let (key, word) = piece
            .split_once(['=', ':'])
            .or_else(|| piece.split_once([' ', '\t']))
            .unwrap_or((piece, ""));
        let (signal, label) = KEYS
            .iter()
            .find(|(words, ..)| has(words, &letters(key)))
            .map(|(_, signal, label)| (*signal, *label))?;
        let is_no = if has(NOES, &bare(word)) || letters(key).starts_with("no") {
            true
        } else if has(YESES, &bare(word)) {
            false
        } else {
            return None;
        };
        let member = match (name, signal, label) {
            ("Content-Signal", Some(key), _) => {
                format!("{key}={}", if is_no { "no" } else { "yes" })
            }
            ("Content-Usage", _, Some(key)) => format!("{key}={}", if is_no { "n" } else { "y" }),
            // The other field has this use.
            (_, Some(key), None) => {
                return Some(format!(
                    "Content-Signal: {key}={}",
                    if is_no { "no" } else { "yes" }
                ));
            }
            (_, _, Some(key)) => {
                return Some(format!(
                    "Content-Usage: {key}={}",
                    if is_no { "n" } else { "y" }
                ));
            }
            (_, None, None) => return None,
        };
        if !members.contains(&member) {
            members.push(member);
        }
    }
    let path = path.map(|path| format!("{path} ")).unwrap_or_default();
    (!members.is_empty()).then(|| format!("{name}: {path}{}", members.join(", ")))
}

/// The most lines that are found in one line; any number of this size.
const MOST_LINES: usize = 32;

/// Rewrites a line as the line or lines of robots.txt that were meant.
fn lines(text: &str, depth: usize) -> Option<String> {
    let text = unwrapped(text);
    if letters(&text) == "disallowaitraining" {
        return Some("DisallowAITraining: /".to_owned());
    }
    let (name, value) = split(&text)?;
    let name = known_name(&letters(name))?;
    let value = value.trim();
    // A line that swallowed another one: `* Disallow: /`.
    if depth < MOST_LINES
        && let Some((at, rest)) = next_line(value)
    {
        let first = value_of(name, value.get(..at)?)?;
        return Some(format!("{name}: {first}\n{}", lines(rest, depth + 1)?));
    }
    match name {
        "User-agent" if is_list(value) => Some(each_line(name, value.split([',', ';', '|']))),
        "User-agent" if is_list_of_bots(value) => Some(each_line(name, value.split_whitespace())),
        "User-agent" if value.contains('(') => Some(format!("{name}: {}", token_within(value)?)),
        "Disallow" | "Allow" if is_list_of_paths(value) => {
            Some(each_line(name, value.split([' ', '\t', ',', ';'])))
        }
        _ => Some(format!("{name}: {}", value_of(name, value)?)),
    }
}

/// Returns a line for each value.
fn each_line<'v>(name: &str, values: impl Iterator<Item = &'v str>) -> String {
    let values = values.map(str::trim).filter(|one| !one.is_empty());
    let lines: Vec<String> = values.map(|one| format!("{name}: {one}")).collect();
    lines.join("\n")
}

/// Whether a value is several paths. The root behind another path does not count, nor does what begins as a remark (ACCT-9).
fn is_list_of_paths(value: &str) -> bool {
    let mut pieces = value
        .split([' ', '\t', ',', ';'])
        .filter(|piece| !piece.is_empty());
    let is_first = pieces.next().is_some_and(|piece| piece.starts_with('/'));
    let mut others = pieces.peekable();
    is_first
        && others.peek().is_some()
        && others.all(|piece| piece.starts_with('/') && piece.len() > 1 && !piece.starts_with("//"))
}

fn is_list_of_bots(value: &str) -> bool {
    let is_bot = |word: &str| word.len() > 3 && word.to_ascii_lowercase().ends_with("bot");
    value.split_whitespace().count() > 1 && value.split_whitespace().all(is_bot)
}

/// Returns the crawler of the agents table that a longer name contains: `Mozilla/5.0 (compatible; GPTBot/1.2)`.
fn token_within(value: &str) -> Option<String> {
    let table = AgentsTable::bundled();
    let is_mark = |mark: char| !(mark.is_ascii_alphanumeric() || matches!(mark, '-' | '_'));
    value.split(is_mark).find_map(|word| {
        let mut tokens = table.tokens().iter().map(ProductToken::as_str);
        tokens
            .find(|token| token.eq_ignore_ascii_case(word))
            .map(str::to_owned)
    })
}

fn is_list(value: &str) -> bool {
    value.contains([',', ';', '|']) && !value.contains(['(', '/'])
}

/// Returns a value as it is written: a path with its slash and without marks around it.
fn value_of(name: &str, value: &str) -> Option<String> {
    let mut value = value.trim_matches(is_around);
    // What ends a line in another notation.
    for end in ["\\n", "\\r", "%0A", "%0D", "<br>", "<br/>"] {
        value = value.strip_suffix(end).unwrap_or(value);
    }
    match name {
        "Disallow" | "Allow" | "DisallowAITraining" | "AllowAITraining" => path_of(value),
        "User-agent" if matches!(letters(value).as_str(), "all" | "any" | "everyone") => {
            Some("*".to_owned())
        }
        "User-agent" if value.is_empty() => None,
        _ => Some(value.to_owned()),
    }
}

fn path_of(value: &str) -> Option<String> {
    if has("all any everything", &value.to_ascii_lowercase()) {
        return Some("/".to_owned());
    }
    if has("none nothing nobody no", &value.to_ascii_lowercase()) {
        return None;
    }
    let value = value
        .strip_prefix('.')
        .filter(|rest| rest.starts_with('/'))
        .unwrap_or(value);
    let without_host = ["https://", "http://"]
        .into_iter()
        .find_map(|scheme| value.strip_prefix(scheme));
    if let Some(rest) = without_host {
        return Some(
            rest.find('/')
                .and_then(|at| rest.get(at..))
                .unwrap_or("/")
                .to_owned(),
        );
    }
    let path = value
        .split([' ', '\t', '\u{a0}'])
        .next()
        .unwrap_or(value)
        .trim_end_matches(is_around);
    if let Some(rest) = ["%2F", "%2f"]
        .iter()
        .find_map(|slash| path.strip_prefix(slash))
    {
        return Some(format!("/{rest}"));
    }
    match path.chars().next()? {
        '/' | '*' => Some(path.to_owned()),
        '?' | '&' | '=' | '.' => Some(format!("/*{path}")),
        first if first.is_alphanumeric() || first == '_' => Some(format!("/{path}")),
        _ => None,
    }
}

/// Returns where another line begins within a value, and the text from there.
fn next_line(value: &str) -> Option<(usize, &str)> {
    let starts = value.char_indices().filter(|(at, _)| {
        let before = value.get(..*at).unwrap_or_default();
        before.is_empty()
            || before.ends_with([' ', '\t', '\u{a0}'])
            || before.ends_with("\\n")
            || before.ends_with("%0A")
    });
    starts
        .map(|(at, _)| (at, value.get(at..).unwrap_or_default()))
        .find(|(_, rest)| {
            let word = rest.split([':', '\u{FF1A}']).next().unwrap_or_default();
            word.len() < rest.len()
                && !word.contains(' ')
                && known_name(&letters(word))
                    .is_some_and(|name| name != "Sitemap" && letters(word).len() > 4)
        })
}

/// Returns a text without the marks of lists, quotes and markup around it.
fn unwrapped(text: &str) -> String {
    let mut text = text;
    while let Some((_, rest)) = text.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        text = rest.trim_start();
    }
    let begins = text
        .find(|letter: char| letter.is_ascii_alphabetic())
        .unwrap_or(0);
    let text = text.get(begins..).unwrap_or_default();
    let end = text
        .find("</")
        .or_else(|| text.find("<br"))
        .or_else(|| text.find("<BR"))
        .unwrap_or(text.len());
    text.get(..end).unwrap_or_default().trim().to_owned()
}

/// Splits a line at its colon, or at what is in its place.
fn split(text: &str) -> Option<(&str, &str)> {
    let colon = text.split_once([':', '\u{FF1A}', ';', '=']);
    let is_name = |name: &str| known_name(&letters(name)).is_some();
    if let Some((name, value)) = colon.filter(|(name, _)| is_name(name)) {
        return Some((name, value.trim_start_matches([':', ' ', '\t'])));
    }
    let two_words = text
        .match_indices([' ', '\t'])
        .nth(1)
        .map(|(at, _)| text.split_at(at));
    let one_word = || {
        text.split_once([' ', '\t'])
            .or_else(|| text.find('/').map(|at| text.split_at(at)))
    };
    two_words
        .filter(|(name, _)| letters(name) == "useragent")
        .or_else(one_word)
        .filter(|(name, _)| is_name(name))
}

fn known_name(letters: &str) -> Option<&'static str> {
    NAMES
        .iter()
        .find(|(_, words)| has(words, letters))
        .map(|(name, _)| *name)
}

fn is_around(mark: char) -> bool {
    mark.is_whitespace()
        || "\"'`[](){}<>;,:^\\\u{2018}\u{2019}\u{201C}\u{201D}".contains(mark)
        || matches!(
            mark,
            '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}' | '\u{FFFD}'
        )
}

#[cfg(test)]
mod tests {
    use super::written;

    #[test]
    fn local_a_line_is_written_as_it_was_meant() {
        for (code, line, expected) in [
            ("unknown_name", "Deny: /a", "Disallow: /a"),
            ("near_miss", "- Disallow: /", "Disallow: /"),
            ("near_miss", "<p>Disallow: /</p>", "Disallow: /"),
            ("near_miss", "\"User-agent: GPTBot\"", "User-agent: GPTBot"),
            ("near_miss", "Disallow; /", "Disallow: /"),
            ("near_miss", "Disallow = /", "Disallow: /"),
            ("near_miss", "Disallow/", "Disallow: /"),
            (
                "near_miss",
                "User-agent: * Disallow: /",
                "User-agent: *\nDisallow: /",
            ),
            ("near_miss", "Uesr-agent: GPTBot", "User-agent: GPTBot"),
            ("near_miss", "Disallow: \"/\"", "Disallow: /"),
            ("near_miss", "Disallow: All", "Disallow: /"),
            ("near_miss", "Disallow: /;", "Disallow: /"),
            ("colon_missing", "Disallow /a", "Disallow: /a"),
            ("disallow_misspelt", "Dissallow: /a", "Disallow: /a"),
            (
                "path_without_slash",
                "Disallow: private",
                "Disallow: /private",
            ),
            (
                "url_in_path",
                "Disallow: https://a.example/b",
                "Disallow: /b",
            ),
            ("comment_in_path", "Disallow: /#/a", "Disallow: /%23/a"),
            ("regex_in_path", "Disallow: ^/a/.*", "Disallow: /a/*"),
            ("agent_all", "User-agent: all", "User-agent: *"),
            (
                "agent_no_token",
                "User-agent: GPTBot, CCBot",
                "User-agent: GPTBot\nUser-agent: CCBot",
            ),
            (
                "rule_before_agent",
                "Disallow: /",
                "User-agent: *\nDisallow: /",
            ),
            (
                "label_of_other_system",
                "Content-Usage: ai-train=no",
                "Content-Usage: train-ai=n",
            ),
            (
                "unknown_label",
                "Content-Usage: ai=n",
                "Content-Usage: train-ai=n",
            ),
            (
                "unknown_value",
                "Content-Signal: ai-train=disallow",
                "Content-Signal: ai-train=no",
            ),
            (
                "not_dictionary",
                "Content-Usage: train-ai=n; search=y",
                "Content-Usage: train-ai=n, search=y",
            ),
            (
                "key_case",
                "Content-Usage: /a Train-AI=n",
                "Content-Usage: /a train-ai=n",
            ),
            (
                "unknown_label",
                "Content-Usage: ai-input=n",
                "Content-Signal: ai-input=no",
            ),
        ] {
            assert_eq!(
                written(code, line.as_bytes(), None).as_deref(),
                Some(expected),
                "{line}"
            );
        }
        assert_eq!(written("no_record", b"Welcome to our site", None), None);
        assert_eq!(written("blank_in_path", b"Disallow: /a", None), None);
    }
}
