//! The crawler of each application: a user's file of lines `application token`.
//!
//! draft-nottingham-plan-b, Applying App-Directives: an application obeys the group of its crawler's product token, and a
//! registry is to name that token. No registry exists yet, so a user's file replaces it; an application that the file does not
//! name is assumed to use the requested crawler. Example:
//!
//! ```text
//! examplesearch ExampleBot     # its group, or else the group for everybody
//! ```
//!
//! A comma may separate the two words; blank lines and comments from `#` on are skipped.
//! Left out: several crawlers for one application, which the draft does not know.

use crate::systems::words::UserFileError;
use crate::web::lines::numbered_lines;
use crate::web::product_token::ProductToken;
use sfv::TokenRef;

/// The crawlers of applications.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applications {
    crawlers: Vec<(String, ProductToken)>,
}

impl Applications {
    pub fn from_lines(text: &[u8]) -> Result<Self, UserFileError> {
        let mut applications = Self::default();
        for (line, bytes) in numbered_lines(text) {
            applications
                .add(bytes)
                .map_err(|fault| UserFileError { line, fault })?;
        }
        Ok(applications)
    }

    fn add(&mut self, line: &[u8]) -> Result<(), String> {
        let line = str::from_utf8(line).map_err(|_| "not UTF-8")?;
        let line = line.split('#').next().unwrap_or_default();
        let words: Vec<&str> = line
            .split([' ', '\t', ','])
            .filter(|word| !word.is_empty())
            .collect();
        let (application, token) = match *words.as_slice() {
            [] => return Ok(()),
            [application, token] => (application.to_owned(), token),
            _ => {
                let words = words.len();
                return Err(format!(
                    "{words} words; expected an application and the product token of its crawler"
                ));
            }
        };
        if TokenRef::from_str(&application).is_err() {
            return Err(format!(
                "`{application}` cannot be an application; expected a letter or *, then a structured-field token"
            ));
        }
        if self.crawler(&application).is_some() {
            return Err(format!("application `{application}` is listed twice"));
        }
        let crawler = ProductToken::new(token).map_err(|reason| format!("`{token}`: {reason}"))?;
        self.crawlers.push((application, crawler));
        Ok(())
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &ProductToken)> {
        self.crawlers
            .iter()
            .map(|(application, crawler)| (application.as_str(), crawler))
    }

    /// Returns the crawler of an application; names are compared with case.
    pub fn crawler(&self, application: &str) -> Option<&ProductToken> {
        self.iter()
            .find(|(known, _)| *known == application)
            .map(|(_, crawler)| crawler)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_a_file_of_applications() {
        let read =
            Applications::from_lines(b"# mine\nexamplesearch ExampleBot # c\n\na/b:c,\tOther\r\n");
        let applications = read.expect("a file");
        let crawlers: Vec<_> = applications
            .iter()
            .map(|(name, token)| (name, token.as_str()))
            .collect();
        assert_eq!(
            crawlers,
            [("examplesearch", "ExampleBot"), ("a/b:c", "Other")]
        );
        assert_eq!(applications.crawler("ExampleSearch"), None);
    }

    #[test]
    fn local_errors_name_line_and_expectation() {
        for (text, expected) in [
            (
                &b"a b c"[..],
                "line 1: 3 words; expected an application and the product token of its crawler",
            ),
            (
                b"\na",
                "line 2: 1 words; expected an application and the product token of its crawler",
            ),
            (
                b"1 b",
                "line 1: `1` cannot be an application; expected a letter or *, then a structured-field token",
            ),
            (
                b"a *",
                "line 1: `*`: found byte 0x2A in a product token, expected visible ASCII without # and *",
            ),
            (b"a b\na c", "line 2: application `a` is listed twice"),
            (b"\xFF b", "line 1: not UTF-8"),
        ] {
            assert_eq!(
                Applications::from_lines(text)
                    .expect_err("no file")
                    .to_string(),
                expected
            );
        }
    }
}
