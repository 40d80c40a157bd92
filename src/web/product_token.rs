//! The names of crawlers in robots.txt, and how they are compared.
//!
//! Document: RFC 9309 2.2.1. Example: `User-agent: ExampleBot/1.0` names the crawler whose product token is `ExampleBot`;
//! `User-agent: *` names everyone. Left out: the `User-Agent` field of HTTP requests, which names no group.
//! Ours: the grammar has only letters, `_` and `-`, but one file in eight has other names (`MJ12bot`, `a.example/1.0`,
//! `Mediapartners-Google*`), and their rules are meant. So a name is the part before the first slash or blank, without one
//! trailing `*`, and is compared as a whole, without case.

use super::names::names;
use std::cmp::Ordering;

names! {
    /// How the name on a user-agent line is compared with a product token.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum TokenMatch {
        /// As a whole, up to the first slash or blank: `MJ12bot` is `MJ12bot`.
        Exact => "exact",
        /// Up to the first byte that no product token of RFC 9309 2.2.1 has, as Google's parser does: `MJ12bot` is `MJ`.
        Prefix => "prefix",
    }
}

/// Why a text is not the product token of a crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAToken {
    /// Nothing is before the first slash or blank.
    #[error("found no name, expected a product token")]
    Empty,
    /// It has a byte that no user-agent line can contain: a control, or in the name `#`, `*` or a non-ASCII byte.
    #[error("found byte 0x{0:02X} in a product token, expected visible ASCII without # and *")]
    Byte(u8),
    /// It names several crawlers, and the groups of one of them alone would be asked.
    #[error("found a list, expected one product token")]
    List,
    /// It is a whole User-Agent field, and only its first word would be compared: `Mozilla`.
    #[error("found a full user-agent string, expected a product token")]
    UserAgentField,
}

/// The name of one crawler, for example `GPTBot`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProductToken {
    text: Box<str>,
    compared: Box<[u8]>,
}

impl ProductToken {
    /// Checks a name; `ChatGPT Agent` is accepted and compared as `chatgpt`.
    pub fn new(text: &str) -> Result<Self, NotAToken> {
        let text = text.trim_matches([' ', '\t']);
        let name = before_version(text.as_bytes());
        if name.is_empty() {
            return Err(NotAToken::Empty);
        }
        let no_name = |byte: &&u8| !byte.is_ascii_graphic() || matches!(byte, b'#' | b'*');
        // The text after the name appears in tables and messages.
        let no_text = |byte: &&u8| byte.is_ascii_control() && **byte != b'\t';
        match name
            .iter()
            .find(no_name)
            .or_else(|| text.as_bytes().iter().find(no_text))
        {
            Some(byte) => Err(NotAToken::Byte(*byte)),
            None => Ok(Self {
                text: text.into(),
                compared: name.to_ascii_lowercase().into(),
            }),
        }
    }

    /// Checks the name of a crawler that a user asks about: like [`Self::new`], but it refuses a whole User-Agent field, and a
    /// list of names.
    pub fn of_crawler(text: &str) -> Result<Self, NotAToken> {
        match text {
            field if is_user_agent_field(field) => Err(NotAToken::UserAgentField),
            list if list.contains([',', '|']) => Err(NotAToken::List),
            name => Self::new(name),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns whether comparing by prefix cuts it.
    pub fn is_cut_by_prefix(&self) -> bool {
        self.compared(TokenMatch::Prefix).len() != self.compared(TokenMatch::Exact).len()
    }

    /// Returns the octets that are compared, in lower case; empty if no group can name the token.
    pub fn compared(&self, how: TokenMatch) -> &[u8] {
        match how {
            TokenMatch::Exact => &self.compared,
            TokenMatch::Prefix => token_prefix(&self.compared),
        }
    }
}

/// Returns whether a text is a User-Agent field. Ours: it has comments (RFC 9110 10.1.5), several products with versions, or
/// the name of all browsers.
fn is_user_agent_field(text: &str) -> bool {
    let products = text
        .split([' ', '\t'])
        .filter(|product| product.contains('/'))
        .count();
    let first = text
        .trim_start()
        .split(['/', ' '])
        .next()
        .unwrap_or_default();
    text.contains(['(', ')', ';']) || products > 1 || first.eq_ignore_ascii_case("Mozilla")
}

/// The crawlers that the value of a user-agent line names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentName<'a> {
    /// `*`: every crawler that no group names.
    Everyone,
    /// One crawler: the octets that are compared, in the case of the file.
    Token(&'a [u8]),
    /// No crawler; nothing is left of the value.
    Nobody,
}

impl<'a> AgentName<'a> {
    /// Reads the value of a user-agent line, which has no outer white space.
    pub fn new(value: &'a [u8], how: TokenMatch) -> Self {
        let name = match how {
            TokenMatch::Exact => before_version(value),
            TokenMatch::Prefix => before(value, |byte| matches!(byte, b' ' | b'\t')),
        };
        match (name, how) {
            (b"*", _) => Self::Everyone,
            (_, TokenMatch::Exact) => Self::token(name.strip_suffix(b"*").unwrap_or(name)),
            (_, TokenMatch::Prefix) => Self::token(token_prefix(name)),
        }
    }

    /// Returns whether these octets are named, compared without case; empty octets are not a name.
    pub fn is_token(&self, compared: &[u8]) -> bool {
        match self {
            Self::Token(name) => name.eq_ignore_ascii_case(compared),
            Self::Everyone | Self::Nobody => false,
        }
    }

    fn token(name: &'a [u8]) -> Self {
        if name.is_empty() {
            Self::Nobody
        } else {
            Self::Token(name)
        }
    }
}

/// The separators of names in a list in a user-agent line (ACCT-5). Ours: quotes, brackets and non-ASCII bytes also separate.
fn is_list_mark(byte: u8) -> bool {
    let is_between = matches!(byte, b'!' | b'"' | b'&'..=b')' | b'+' | b',' | b':'..=b'>' | b'@');
    let is_bracket = matches!(byte, b'['..=b'^' | b'`' | b'{'..=b'}');
    is_between || is_bracket || !byte.is_ascii()
}

/// Words that follow a name and are not names: `Sogou web spider`.
const NO_NAMES: &[&[u8]] = &[
    b"agent", b"all", b"and", b"bot", b"browser", b"crawler", b"http", b"https", b"robot",
    b"search", b"spider", b"the", b"user", b"web",
];

/// Returns whether the first word of a value has the marks of a list: then the whole value is not an agent's name.
pub(crate) fn is_list(value: &[u8]) -> bool {
    let is_marked =
        |name: &[u8]| name.iter().any(|byte| is_list_mark(*byte)) || name_within(name) != name;
    let may_be = value.starts_with(b":") || is_marked(before_version(value));
    may_be && listed_names(value).next().is_some()
}

/// Returns whether a word, or what it is the plural of, is no name.
fn is_no_name(word: &[u8]) -> bool {
    let one = word.strip_suffix(b"s").unwrap_or(word);
    NO_NAMES.iter().any(|known| one.eq_ignore_ascii_case(known))
}

/// Returns the names of a value that is a list: `GPTBot, CCBot`, `CCBot;`, `GPTBot CCBot`. Returns none if the whole value is
/// one name, if a piece is not a name, or for `X (compatible with Googlebot)`, which describes X.
pub(crate) fn listed_names(value: &[u8]) -> impl Iterator<Item = AgentName<'_>> {
    // Most values are one name.
    (!is_plain_name(value))
        .then(|| names_of_list(value))
        .into_iter()
        .flatten()
}

/// Returns whether a value is `*`, or has only letters, digits, `-` and `_` and is no word for everyone.
fn is_plain_name(value: &[u8]) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    value == b"*" || value.iter().all(is_plain) && !is_word_for_everyone(value)
}

fn names_of_list(value: &[u8]) -> impl Iterator<Item = AgentName<'_>> {
    // A second colon in front is no part of a name: `User-agent:: GPTBot`.
    let behind = value.strip_prefix(b":").map(<[u8]>::trim_ascii_start);
    let (value, has_colon) = (behind.unwrap_or(value), behind.is_some());
    let separates = |byte: &u8| is_list_mark(*byte) || matches!(byte, b' ' | b'\t');
    let pieces = move || value.split(separates).filter(|piece| !piece.is_empty());
    let is_name = |piece: &[u8]| {
        let of_name =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'*');
        let name = before_version(piece);
        !name.is_empty() && name.iter().all(of_name) && !piece.ends_with(b":")
    };
    let describes = pieces().zip(pieces().skip(1)).any(|(word, next)| {
        word.eq_ignore_ascii_case(b"compatible") && next.eq_ignore_ascii_case(b"with")
    });
    let is_marked = has_colon || value.iter().any(separates) || name_within(value) != value;
    let is_list = is_marked && !describes && pieces().all(is_name);
    let is_header = !is_list && !describes && is_header(value);
    let names = pieces().enumerate().filter(move |(place, piece)| {
        let is_word = NO_NAMES
            .iter()
            .any(|word| before_version(piece).eq_ignore_ascii_case(word));
        is_list && (*place == 0 || !is_word)
            || is_header && *place > 0 && !is_word && is_name(piece)
    });
    // ACCT-12: before words that name nobody (`"all"`, `all bots`; `All acronyms bot` is a name), or as an item of a list.
    let mut words = pieces().map(name_within);
    let is_first = words.next().is_some_and(is_word_for_everyone) && words.all(is_no_name);
    let mut items = value.split(|byte| matches!(byte, b',' | b';' | b'|'));
    let is_item = items.any(|item| is_word_for_everyone(item.trim_ascii()));
    let is_everyone = is_word_for_everyone(value) || is_list && (is_first || is_item);
    let everyone = is_everyone.then_some(AgentName::Everyone);
    names
        .map(|(_, piece)| AgentName::new(name_within(piece), TokenMatch::Exact))
        .chain(everyone)
}

/// ACCT-12: returns whether a value is a whole User-Agent header, which has a comment in parentheses behind its first product.
fn is_header(value: &[u8]) -> bool {
    let parenthesis = memchr::memchr(b'(', value).and_then(|at| value.get(..at));
    parenthesis.is_some_and(|before| before.contains(&b'/'))
}

/// Ours: words with which owners mean `*`; only the noes of their groups count for everyone.
fn is_word_for_everyone(value: &[u8]) -> bool {
    let words: [&[u8]; 4] = [b"all", b"any", b"everyone", b"everybody"];
    matches!(value, [b'a' | b'A' | b'e' | b'E', ..])
        && words.iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// Returns a name without full stops around it and stars before it: `*GPTBot`, `CCBot.`; a piece of only stars gives one star.
fn name_within(piece: &[u8]) -> &[u8] {
    let is_around = |byte: &u8| matches!(byte, b'*' | b'.');
    let Some(start) = piece.iter().position(|byte| !is_around(byte)) else {
        return if piece.contains(&b'*') { b"*" } else { piece };
    };
    let end = piece
        .iter()
        .rposition(|byte| !is_around(byte))
        .map_or(0, |at| at + 1);
    match (start, piece.get(end..)) {
        // One star behind a name is part of it.
        (0, Some(b"*" | b"")) => piece,
        _ => piece.get(start..end).unwrap_or(piece),
    }
}

pub(crate) fn order_without_case(name: &[u8], lower_case: &[u8]) -> Ordering {
    name.iter()
        .map(u8::to_ascii_lowercase)
        .cmp(lower_case.iter().copied())
}

/// Returns whether a value is a product token, or `*`, exactly as in RFC 9309 2.2.1.
pub(crate) fn is_rfc9309_agent(value: &[u8]) -> bool {
    value == b"*" || (!value.is_empty() && token_prefix(value).len() == value.len())
}

fn before_version(value: &[u8]) -> &[u8] {
    before(value, |byte| matches!(byte, b'/' | b' ' | b'\t'))
}

fn token_prefix(value: &[u8]) -> &[u8] {
    before(value, |byte| {
        !byte.is_ascii_alphabetic() && !matches!(byte, b'_' | b'-')
    })
}

fn before(value: &[u8], ends: impl Fn(u8) -> bool) -> &[u8] {
    value.split(|byte| ends(*byte)).next().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(token: &str, value: &str, how: TokenMatch) -> bool {
        let token = ProductToken::new(token).expect(token);
        AgentName::new(value.as_bytes(), how).is_token(token.compared(how))
    }

    #[test]
    fn rfc9309_2_2_1_tokens_compare_without_case_and_as_a_whole() {
        for (token, values, is_exact, is_prefix) in [
            ("ExampleBot", "EXAMPLEBOT", true, true),
            ("ExampleBot", "Example¦ExampleBot-News¦*", false, false),
            // Ours: AMB-REP-4 of the digest; the version, a second word and a trailing star are not part of the name.
            ("a", "a/1.0¦a b¦a\tb¦a*¦a*/2¦A", true, true),
            ("MJ12bot", "mj12bot/1.4", true, true),
            ("ChatGPT Agent", "ChatGPT Agent", true, true),
            // Ours: with `Prefix`, both sides are cut as Google's parser cuts names.
            ("MJ12bot", "MJ", false, true),
            ("AI2Bot", "AI7", false, true),
            ("a", "a;b¦a*b", false, true),
            ("008", "008", true, false),
        ] {
            for value in values.split('¦') {
                assert_eq!(named(token, value, TokenMatch::Exact), is_exact, "{value}");
                assert_eq!(
                    named(token, value, TokenMatch::Prefix),
                    is_prefix,
                    "{value}"
                );
            }
        }
    }

    #[test]
    fn rfc9309_2_2_1_star_names_everyone() {
        for how in [TokenMatch::Exact, TokenMatch::Prefix] {
            assert_eq!(AgentName::new(b"*", how), AgentName::Everyone);
            assert_eq!(AgentName::new(b"* all", how), AgentName::Everyone);
            assert_eq!(AgentName::new(b"", how), AgentName::Nobody);
        }
        assert_eq!(
            AgentName::new(b"*/1.0", TokenMatch::Exact),
            AgentName::Everyone
        );
        assert_eq!(
            AgentName::new(b"*/1.0", TokenMatch::Prefix),
            AgentName::Nobody
        );
    }

    #[test]
    fn acct_5_a_value_that_is_a_list_names_each_of_its_names() {
        let names = |value: &'static str| {
            let text = |name| match name {
                AgentName::Token(name) => String::from_utf8_lossy(name).into_owned(),
                AgentName::Everyone => "*".to_owned(),
                AgentName::Nobody => String::new(),
            };
            listed_names(value.as_bytes())
                .map(text)
                .collect::<Vec<_>>()
                .join(" ")
        };
        for (value, expected, has_marks) in [
            ("GPTBot, CCBot", "GPTBot CCBot", true),
            (
                "GPTBot,CCBot;Bytespider|a.b",
                "GPTBot CCBot Bytespider a.b",
                true,
            ),
            ("CCBot;", "CCBot", true),
            ("Baiduspider+", "Baiduspider", true),
            ("\"GPTBot\"", "GPTBot", true),
            ("*, GPTBot", "* GPTBot", true),
            ("GPTBot CCBot", "GPTBot CCBot", false),
            ("Sogou web spider", "Sogou", false),
            ("Sogou web spider/4.0", "Sogou", false),
            (
                "Mozilla/5.0 (compatible; GPTBot/1.2)",
                "Mozilla compatible GPTBot",
                false,
            ),
            (
                "Mozilla/5.0 (compatible; CCBot/2.0; +https://commoncrawl.org/faq/)",
                "compatible CCBot",
                false,
            ),
            ("all", "*", false),
            ("Everyone", "*", false),
            (
                "SentiBot www.sentibot.eu (compatible with Googlebot)",
                "",
                false,
            ),
            ("Googlebot/2.1 (+http://www.google.com/bot.html)", "", false),
            ("\u{201c}CCBot\u{201d}", "CCBot", true),
            ("CCBot\u{a0}", "CCBot", true),
            ("GPTBot\u{3001}CCBot", "GPTBot CCBot", true),
            ("`CCBot`", "CCBot", true),
            ("GPTBot & CCBot", "GPTBot CCBot", false),
            ("*CCBot*", "CCBot", true),
            ("**CCBot**", "CCBot", true),
            ("CCBot.", "CCBot", true),
            ("ccbot@commoncrawl.org", "ccbot commoncrawl.org", true),
            ("**", "*", true),
            (".*", "*", true),
            ("Mediapartners-Google*", "", false),
            ("https://commoncrawl.org/ccbot", "", false),
            ("GPTBot", "", false),
            ("MJ12bot", "", false),
            ("panscient.com", "", false),
            ("*", "", false),
            ("", "", false),
            ("* Disallow: /", "", false),
        ] {
            assert_eq!(names(value), expected, "{value}");
            assert_eq!(is_list(value.as_bytes()), has_marks, "{value}");
        }
    }

    #[test]
    fn local_what_no_line_can_name_is_no_token() {
        for (text, fault) in [
            ("", NotAToken::Empty),
            (" /1.0", NotAToken::Empty),
            ("*", NotAToken::Byte(b'*')),
            ("a#b", NotAToken::Byte(b'#')),
            ("a\u{7f}", NotAToken::Byte(0x7f)),
            ("é", NotAToken::Byte(0xc3)),
        ] {
            assert_eq!(ProductToken::new(text), Err(fault), "{text}");
        }
    }
}
