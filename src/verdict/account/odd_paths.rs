//! The paths that a disallow line may mean whose value matches nothing (RULES ACCT-3, ACCT-11).
//!
//! Examples: `b` is `/b`, `&b=` is `/*&b=`, `~` is `/*~`, and the expression `^.*\/b(1|2)` is `*/b*`. A topic in place of a path
//! (`AI`), and marks that say nothing, may mean any path.
//! Left out: URLs, which have a host (`robots`).

use super::refusal::names_a_topic;
use crate::web::path_pattern::can_match;
use crate::web::path_readings::other_paths;

/// Returns the paths that a value may mean; none if it may mean any.
pub(super) fn meant_paths(value: &[u8]) -> Vec<Vec<u8>> {
    let readings = other_paths(value);
    let one = |path: Vec<u8>| vec![path];
    match value.first() {
        _ if can_match(value) => one(value.to_vec()),
        _ if !readings.is_empty() => readings,
        _ if names_a_topic(value) => Vec::new(),
        _ if is_expression(value) => of_expression(value).map(one).unwrap_or_default(),
        Some(byte) if byte.is_ascii_alphanumeric() || *byte == b'_' => one([b"/", value].concat()),
        Some(_) if value.iter().any(u8::is_ascii_alphanumeric) => one([b"/*", value].concat()),
        Some(mark) if MARKS_OF_PATHS.contains(mark) => one([b"/*", value].concat()),
        Some(_) | None => Vec::new(),
    }
}

/// Marks that are in paths and queries. Ours: a dot, a bar or a bracket alone may mean anything.
const MARKS_OF_PATHS: &[u8] = b"@~&=!+?";

/// Returns whether a value has marks of regular expressions, which no document of robots.txt has.
fn is_expression(value: &[u8]) -> bool {
    value.iter().any(|byte| b"^([{|\\".contains(byte))
        || memchr::memmem::find(value, b".*").is_some()
}

/// Returns a path pattern that matches at least what a regular expression does; `None` if nothing of it is known.
fn of_expression(value: &[u8]) -> Option<Vec<u8>> {
    let mut pattern: Vec<u8> = Vec::with_capacity(value.len() + 1);
    let mut rest = value.strip_suffix(b"$").unwrap_or(value);
    rest = rest.strip_prefix(b"^").unwrap_or(rest);
    while let [byte, behind @ ..] = rest {
        rest = behind;
        match byte {
            b'|' => return None,
            b'(' | b'[' | b'{' => {
                rest = behind_bracket(behind);
                pattern.push(b'*');
            }
            b'\\' => {
                let escaped = behind.first().copied().unwrap_or(b'*');
                pattern.push(if escaped.is_ascii_alphanumeric() {
                    b'*'
                } else {
                    escaped
                });
                rest = behind.get(1..).unwrap_or_default();
            }
            // What is before it may be missing.
            b'*' | b'?' => {
                pattern.pop();
                pattern.push(b'*');
            }
            b'+' => pattern.push(b'*'),
            b'.' if matches!(behind.first(), Some(b'*' | b'+' | b'?')) => {
                pattern.push(b'*');
                rest = behind.get(1..).unwrap_or_default();
            }
            byte => pattern.push(*byte),
        }
    }
    if !pattern.starts_with(b"/") {
        pattern.insert(0, b'*');
    }
    pattern.dedup_by(|one, other| (*one, *other) == (b'*', b'*'));
    pattern
        .iter()
        .any(u8::is_ascii_alphanumeric)
        .then_some(pattern)
}

/// Returns what follows the bracket that ends a group, a class or a count.
fn behind_bracket(text: &[u8]) -> &[u8] {
    let mut depth = 1;
    let mut ends = text.iter().position(|byte| {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    ends.take()
        .and_then(|end| text.get(end + 1..))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::meant_paths;

    #[test]
    fn acct_11_a_path_that_matches_nothing_withholds_what_it_may_mean() {
        for (value, expected) in [
            ("b", "/b"),
            ("b/*.html", "/b/*.html"),
            ("&b=", "/*&b="),
            ("?sort=", "/*?sort="),
            ("@", "/*@"),
            ("~", "/*~"),
            ("~*", "/*~*"),
            ("(.*)undefined", "*undefined"),
            ("(.*)/*.aspx(.*)", "*.aspx*"),
            ("([0-9]+)---/ajax_(a|b)_([0-9]+)", "*---/ajax_*_*"),
            ("^.*\\/wp-includes\\/x.xml", "*/wp-includes/x.xml"),
            ("^/a$", "/a$"),
            ("\\a\\b.txt", "/a/b.txt"),
            ("\u{a0}/a", "/a"),
        ] {
            let paths: Vec<String> = meant_paths(value.as_bytes())
                .iter()
                .map(|path| String::from_utf8_lossy(path).into())
                .collect();
            assert_eq!(paths, [expected], "{value}");
        }
        for value in ["", "AI", ".", "|", "(.*)", "^.*$", "a|b", "[^/]+", "$"] {
            assert!(meant_paths(value.as_bytes()).is_empty(), "{value}");
        }
    }
}
