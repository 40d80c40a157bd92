//! The agents table: the product tokens for which files are evaluated.
//!
//! A file of lines with tabs; the first line that is not a comment (`#`) names the columns, including `token`. Example:
//! `GPTBot<TAB>OpenAI<TAB>train...`. In the optional column `speaks_for` are labels with commas between them: rules for such a
//! token are a preference for all crawlers (RULES Neighbours). `falls_back_to` is what a vendor documents for crawlers that no
//! group names. Left out: the other columns, which are for people.

use crate::systems::Label;
use crate::web::nearest::distance;
use crate::web::product_token::{NotAToken, ProductToken, TokenMatch};
use std::collections::HashSet;

/// The table that comes with the program, in `data/`.
const BUNDLED: &str = include_str!("../../data/agents.tsv");

/// Product tokens in the order of the table.
#[derive(Clone, Debug)]
pub struct AgentsTable {
    tokens: Vec<ProductToken>,
    /// The labels for which each token counts.
    speaks_for: Vec<Vec<Label>>,
    /// What each token obeys if no group names it, according to its vendor.
    falls_back_to: Vec<Option<Box<str>>>,
    version: Option<String>,
}

/// Why a file is not an agents table. Lines are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AgentsError {
    /// It has no line with column names, or none of them is `token`.
    #[error("no column token: expected a first line of column names with tabs between them")]
    NoTokenColumn,
    /// A token is not a product token.
    #[error("line {line}: {fault}")]
    BadToken { line: usize, fault: NotAToken },
    /// A token counts for an unknown label.
    #[error(
        "line {line}: found {found} in speaks_for, expected search, train_ai, train_genai, ai_input or tdm"
    )]
    NoLabel { line: usize, found: String },
    /// A token occurs twice.
    #[error("line {line}: {token} is already in the table")]
    Twice { line: usize, token: String },
}

impl AgentsTable {
    /// Returns the table that comes with the program.
    ///
    /// # Panics
    /// Never: a test reads the file.
    pub fn bundled() -> Self {
        Self::read(BUNDLED).expect("the bundled table is read in a test")
    }

    /// Reads a table.
    pub fn read(text: &str) -> Result<Self, AgentsError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let version = text
            .lines()
            .find_map(|line| line.strip_prefix("# Version:"));
        let mut lines = (1..)
            .zip(text.lines())
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let header = lines
            .next()
            .map(|(_, header)| header)
            .ok_or(AgentsError::NoTokenColumn)?;
        let column = header
            .split('\t')
            .position(|name| name == "token")
            .ok_or(AgentsError::NoTokenColumn)?;
        let named = |name: &str| {
            header
                .split('\t')
                .position(|known| known.trim_end() == name)
        };
        let (speaks_for, falls_back_to) = (named("speaks_for"), named("falls_back_to"));
        let version = version.map(|version| version.trim().to_owned());
        let mut table = Self {
            tokens: Vec::new(),
            speaks_for: Vec::new(),
            falls_back_to: Vec::new(),
            version,
        };
        let mut seen = HashSet::new();
        for (line, row) in lines {
            let cell =
                |column: Option<usize>| column.and_then(|column| row.split('\t').nth(column));
            let text = cell(Some(column)).unwrap_or_default();
            let token =
                ProductToken::new(text).map_err(|fault| AgentsError::BadToken { line, fault })?;
            if !seen.insert(token.as_str().to_ascii_lowercase()) {
                return Err(AgentsError::Twice {
                    line,
                    token: token.as_str().to_owned(),
                });
            }
            let labels = labels(cell(speaks_for).unwrap_or_default());
            let fallback = cell(falls_back_to)
                .map(str::trim)
                .filter(|fallback| !fallback.is_empty());
            table.tokens.push(token);
            table
                .speaks_for
                .push(labels.map_err(|found| AgentsError::NoLabel { line, found })?);
            table.falls_back_to.push(fallback.map(Box::from));
        }
        Ok(table)
    }

    /// Returns the tokens in the order of the table.
    pub fn tokens(&self) -> &[ProductToken] {
        &self.tokens
    }

    /// Returns what the name of a crawler is that a user asks about.
    pub fn asked(&self, name: &str) -> AskedAgent<'_> {
        asked_agent(name, self.tokens.iter().map(ProductToken::as_str))
    }

    /// Returns what a crawler obeys if no group names it and its vendor documents something other than the groups for `*`:
    /// another token, or `none`. No verdict follows it: RFC 9309 has no such rule.
    pub fn falls_back_to(&self, token: &ProductToken) -> Option<&str> {
        let is_token = |known: &ProductToken| known.as_str().eq_ignore_ascii_case(token.as_str());
        let place = self.tokens.iter().position(is_token)?;
        self.falls_back_to.get(place)?.as_deref()
    }

    /// Returns the version in a comment of the file.
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// Returns the places of the tokens that count for labels, with the labels.
    pub fn speaking(&self) -> impl Iterator<Item = (usize, &[Label])> {
        let all = self.speaks_for.iter().map(Vec::as_slice).enumerate();
        all.filter(|(_, labels)| !labels.is_empty())
    }
}

/// What the name of a crawler is that a user asks about. A slip is no crawler, and would be answered by the groups for `*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskedAgent<'t> {
    /// It is a known token.
    Known,
    /// It is one or two letters, a hyphen, a blank or another mark away from this known token.
    Slip(&'t str),
    /// It is no known token, and near none.
    Unknown,
}

/// Returns what a name is, by known tokens. Ours: two letters count as a slip of names of at least five letters, besides `bot`, that
/// begin with the same one; short names are near many others.
pub fn asked_agent<'t>(
    name: &str,
    tokens: impl Iterator<Item = &'t str> + Clone,
) -> AskedAgent<'t> {
    let name = name.trim().split('/').next().unwrap_or_default();
    if tokens.clone().any(|token| token.eq_ignore_ascii_case(name)) {
        return AskedAgent::Known;
    }
    if let Some(token) = tokens
        .clone()
        .find(|token| letters(token).eq(letters(name)))
    {
        return AskedAgent::Slip(token);
    }
    let compared = ProductToken::new(name).map(|token| token.compared(TokenMatch::Exact).to_vec());
    if compared.is_ok_and(|own| {
        tokens
            .clone()
            .any(|token| token.as_bytes().eq_ignore_ascii_case(&own))
    }) {
        return AskedAgent::Known;
    }
    let first = |text: &str| {
        text.chars()
            .next()
            .map(|letter| letter.to_ascii_lowercase())
    };
    let stem = |text: &str| text.to_ascii_lowercase().trim_end_matches("bot").len();
    let is_near = |token: &str, count: usize| match count {
        0 | 1 => name.len() > 3,
        2 => stem(name).min(stem(token)) >= 5 && first(token) == first(name),
        _ => false,
    };
    let length = name.chars().flat_map(char::to_lowercase).count();
    let near = tokens
        // Names whose lengths differ by more are further apart than `is_near` allows.
        .filter(|token| token.len().abs_diff(length) <= 2)
        .map(|token| (distance(name, token), token))
        .filter(|(count, token)| is_near(token, *count));
    near.min_by_key(|(count, _)| *count)
        .map_or(AskedAgent::Unknown, |(_, token)| AskedAgent::Slip(token))
}

/// Returns the letters and digits of a name in lower case.
fn letters(name: &str) -> impl Iterator<Item = char> {
    name.chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|letter| letter.to_ascii_lowercase())
}

/// Reads a cell of `speaks_for`; returns the first name that is not a label as an error.
fn labels(cell: &str) -> Result<Vec<Label>, String> {
    let names = cell
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty());
    names
        .map(|name| Label::named(name).ok_or_else(|| name.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{AgentsError, AgentsTable, AskedAgent};
    use crate::web::product_token::{ProductToken, TokenMatch};
    use std::collections::HashSet;

    #[test]
    fn local_the_bundled_table_can_be_read() {
        let table = AgentsTable::bundled();
        assert!(table.tokens().len() > 100);
        assert_eq!(table.tokens()[0].as_str(), "GPTBot");
        let compared = table
            .tokens()
            .iter()
            .map(|token| token.compared(TokenMatch::Exact));
        assert_eq!(
            compared.collect::<HashSet<_>>().len(),
            table.tokens().len(),
            "two are compared alike"
        );
    }

    #[test]
    fn local_what_vendors_fall_back_to_is_known() {
        let table = AgentsTable::bundled();
        let of = |token: &str| table.falls_back_to(&ProductToken::new(token).expect("a token"));
        assert_eq!(
            ["applebot", "AdsBot-Google", "GPTBot"].map(of),
            [Some("Googlebot"), Some("none"), None]
        );
        let is_known = |name: &str| {
            name == "none" || table.tokens().iter().any(|token| token.as_str() == name)
        };
        assert!(
            table
                .falls_back_to
                .iter()
                .flatten()
                .all(|name| is_known(name))
        );
    }

    #[test]
    fn local_a_slip_in_the_name_of_a_crawler_is_known_as_one() {
        let table = AgentsTable::bundled();
        for (name, token) in [
            ("GTPBot", "GPTBot"),
            ("GPT-Bot", "GPTBot"),
            ("GPT Bot", "GPTBot"),
            ("gptbott", "GPTBot"),
            ("GPTBot,", "GPTBot"),
            ("CCBott/2.0", "CCBot"),
            ("ClaudBto", "ClaudeBot"),
        ] {
            assert_eq!(table.asked(name), AskedAgent::Slip(token), "{name}");
        }
        for name in ["gptbot", "CCBot/2.0", " GPTBot ", "GPTBot and more"] {
            assert_eq!(table.asked(name), AskedAgent::Known, "{name}");
        }
        for name in ["ExampleBot", "OwnBot", "CC", "x", "NewCrawler"] {
            assert_eq!(table.asked(name), AskedAgent::Unknown, "{name}");
        }
        // Each token of the table is known, however near it is to another one.
        assert!(
            table
                .tokens()
                .iter()
                .all(|token| table.asked(token.as_str()) == AskedAgent::Known)
        );
    }

    #[test]
    fn local_a_broken_table_is_refused_with_its_line() {
        assert_eq!(
            AgentsTable::read("# c\n").unwrap_err(),
            AgentsError::NoTokenColumn
        );
        assert_eq!(
            AgentsTable::read("name\nGPTBot\n").unwrap_err(),
            AgentsError::NoTokenColumn
        );
        let twice = AgentsTable::read("token\nGPTBot\n#\ngptbot\n").unwrap_err();
        assert_eq!(
            twice,
            AgentsError::Twice {
                line: 4,
                token: "gptbot".to_owned()
            }
        );
        let no_label = AgentsTable::read("token\tspeaks_for\na\tsearch, train\n").unwrap_err();
        assert_eq!(
            no_label,
            AgentsError::NoLabel {
                line: 2,
                found: "train".to_owned()
            }
        );
        assert!(matches!(
            AgentsTable::read("x\ttoken\n1\t\n"),
            Err(AgentsError::BadToken { line: 2, .. })
        ));
    }
}
