//! `--agent`: a product token, and the answer to a full user-agent string.
//!
//! Example: `Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)` is refused with a hint at `GPTBot`:
//! robots.txt names crawlers by product tokens (RFC 9309 2.2.1), and this string would be compared as `Mozilla`.

use crawlprefs::verdict::AgentsTable;
use crawlprefs::web::product_token::{NotAToken, ProductToken};
use std::cmp::Reverse;

pub fn product_token(value: &str, agents: &AgentsTable) -> Result<ProductToken, String> {
    ProductToken::of_crawler(value).map_err(|error| {
        let meant = if error == NotAToken::UserAgentField { meant(value, agents) } else { None };
        let hint = meant.map_or_else(String::new, |token| format!("; try --agent {token}"));
        format!("--agent {value}: {error}{hint}")
    })
}

/// Returns the token that was probably meant: one of the agents table, preferably with a version, else the product after
/// `compatible;`, else the first one that is not a browser's.
fn meant<'a>(value: &'a str, agents: &'a AgentsTable) -> Option<&'a str> {
    let known = agents.tokens().iter().map(ProductToken::as_str).filter_map(|token| {
        let at = position(value, token)?;
        let has_version = value.get(at + token.len()..).is_some_and(|rest| rest.starts_with('/'));
        Some((Reverse(has_version), at, Reverse(token.len()), token))
    });
    let known = known.min().map(|(_, _, _, token)| token);
    let compatible = || value.split_once("compatible;").map(|(_, rest)| rest).and_then(first_product);
    known.or_else(compatible).or_else(|| first_product(value))
}

/// Returns where a token occurs as a whole word, in any case.
fn position(value: &str, token: &str) -> Option<usize> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let bytes = value.as_bytes();
    (0..bytes.len()).find(|at| {
        let (before, rest) = bytes.split_at(*at);
        let Some((word, after)) = rest.split_at_checked(token.len()) else { return false };
        word.eq_ignore_ascii_case(token.as_bytes())
            && !before.last().is_some_and(is_part)
            && !after.first().is_some_and(is_part)
    })
}

/// Returns the name of the first product with a version that is not a browser's.
fn first_product(text: &str) -> Option<&str> {
    const BROWSERS: [&str; 8] =
        ["Mozilla", "AppleWebKit", "Gecko", "Version", "Chrome", "Mobile", "Safari", "Firefox"];
    let names = text.split([' ', ';', '(', ')', ',']).filter_map(|product| product.split_once('/'));
    names.map(|(name, _)| name).find(|name| {
        let is_browser = BROWSERS.iter().any(|browser| name.eq_ignore_ascii_case(browser));
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        !name.is_empty() && !is_browser && name.bytes().all(is_token)
    })
}

#[cfg(test)]
mod tests {
    use super::product_token;
    use crawlprefs::verdict::AgentsTable;

    #[test]
    fn local_a_full_user_agent_string_is_refused_with_its_token() {
        for (value, token) in [
            ("Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)", "GPTBot"),
            (
                "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0 Safari/537.36",
                "bingbot",
            ),
            ("CCBot/2.0 (https://commoncrawl.org/faq/)", "CCBot"),
            ("Mozilla/5.0 (compatible; Googlebot-Image/1.0)", "Googlebot-Image"),
            ("Mozilla/5.0 (compatible; NewBot/0.1; +https://new.example)", "NewBot"),
            ("Mozilla/5.0 (X11) AppleWebKit/537.36 Newer.Bot/3", "Newer.Bot"),
        ] {
            let refused = product_token(value, &AgentsTable::bundled()).expect_err("no token");
            let hint = format!("expected a product token; try --agent {token}");
            assert!(refused.ends_with(&hint), "{refused}");
        }
        let browser = product_token("Mozilla/5.0", &AgentsTable::bundled()).expect_err("no token");
        assert!(browser.ends_with("expected a product token"), "{browser}");
    }

    #[test]
    fn local_tokens_are_taken_as_they_are() {
        for value in ["GPTBot", "GPTBot/1.2", "Kangaroo Bot", "archive.org_bot", "my-own-bot"] {
            assert!(product_token(value, &AgentsTable::bundled()).is_ok(), "{value}");
        }
    }
}
