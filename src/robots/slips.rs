//! Misspelt rules that no parser reads: names with one wrong letter, and other spellings of the root (RULES ACCT-4).
//!
//! Examples: `Uesr-agent: GPTBot`, `Disallowed: /`, `Disallow: "/"`, `Disallow: All`.
//! Left out: typos that are read (`line`), and paths other than the root, which are separate doubts (ACCT-3).

/// Ours: `User-agents`, `Uesr-agent`, `Disallows` and `Disallowed`, but no name with more than one slip.
pub(super) fn is_misspelt_rule(letters: &[u8]) -> bool {
    has_one_slip(letters, b"useragent")
        || has_one_slip(letters, b"disallow")
        || matches!(letters, b"disallowed" | b"disallowall")
}

/// Returns whether two words are equal, except for one missing, extra or different letter or two that changed places.
pub(super) fn has_one_slip(word: &[u8], known: &[u8]) -> bool {
    if word.len().abs_diff(known.len()) > 1 {
        return false;
    }
    let start = word
        .iter()
        .zip(known)
        .take_while(|(byte, other)| byte == other)
        .count();
    let (word, known) = (
        word.get(start..).unwrap_or_default(),
        known.get(start..).unwrap_or_default(),
    );
    let end = word
        .iter()
        .rev()
        .zip(known.iter().rev())
        .take_while(|(byte, other)| byte == other)
        .count();
    let (word, _) = word.split_at_checked(word.len() - end).unwrap_or_default();
    let (known, _) = known
        .split_at_checked(known.len() - end)
        .unwrap_or_default();
    match (word, known) {
        ([] | [_], [] | [_]) => true,
        ([a, b], [c, d]) => (a, b) == (d, c),
        _ => false,
    }
}

/// Returns whether the value of a disallow line closes everything in another spelling: the root in quotes or brackets, with
/// non-ASCII blanks or a mark that ends a list, or a word for it (RULES ACCT-4).
pub(super) fn is_odd_root(value: &[u8]) -> bool {
    match value {
        [] | [b'/'] | [b'*', ..] => false,
        _ if value.len() > ROOT_BYTES => false,
        // `/(` and `/)` are paths.
        [b'/', rest @ ..] => {
            !rest.first().is_some_and(u8::is_ascii_alphanumeric) && ends_a_root(rest)
        }
        _ => {
            let text = String::from_utf8_lossy(value);
            let bare = text.trim_matches(is_around);
            bare.len() < text.len() && matches!(bare, "/" | "/*" | "*")
                || ALL_WORDS.iter().any(|word| bare.eq_ignore_ascii_case(word))
        }
    }
}

fn ends_a_root(rest: &[u8]) -> bool {
    let ends = |mark: char| is_invisible(mark) || ";,\"'".contains(mark);
    String::from_utf8_lossy(rest).chars().all(ends)
}

/// The longest odd spelling of the root, in bytes.
const ROOT_BYTES: usize = 16;

/// Words in place of a path that close everything.
const ALL_WORDS: [&str; 4] = ["all", "any", "everything", "\u{FF0F}"];

fn is_around(mark: char) -> bool {
    is_invisible(mark) || "\"'`[](){}<>;,:^\u{2018}\u{2019}\u{201C}\u{201D}".contains(mark)
}

/// Ours: a byte that is not UTF-8 is usually the blank of another code page.
fn is_invisible(mark: char) -> bool {
    mark.is_whitespace()
        || matches!(
            mark,
            '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}' | '\u{FFFD}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_one_slip_is_a_letter_more_less_another_or_two_that_changed_places() {
        for word in [
            "useragent",
            "useragents",
            "useragen",
            "usragent",
            "uesragent",
            "userzgent",
            "useragetn",
        ] {
            assert!(has_one_slip(word.as_bytes(), b"useragent"), "{word}");
        }
        for word in [
            "",
            "user",
            "usergetn",
            "uesragents",
            "useragentss",
            "agentuser",
        ] {
            assert!(!has_one_slip(word.as_bytes(), b"useragent"), "{word}");
        }
    }

    #[test]
    fn local_only_the_root_is_an_odd_root() {
        for value in [
            "\"/\"",
            "(/*)",
            "/,",
            "\u{ff0f}",
            "ANY",
            "'all'",
            "\u{3000}/",
        ] {
            assert!(is_odd_root(value.as_bytes()), "{value}");
        }
        for value in "/ /* * /a; \"/a\" /? /\u{3042} /( /*, /) all.html *all* ;"
            .split(' ')
            .chain([""])
        {
            assert!(!is_odd_root(value.as_bytes()), "{value}");
        }
    }
}
