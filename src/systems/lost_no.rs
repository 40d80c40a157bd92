//! A word for no under a key, in text that could not be read by its document's rules (RULES LABEL-7).
//!
//! Examples: `train-ai=n search=y` lacks a comma, `train_ai: No` has other marks; both have a no under a label.
//! Left out: what the no is about. It is not a preference; its carrier is unread, so that nothing becomes a yes.

/// What people write for a no, in lower case.
const NO: [&[u8]; 9] = [b"n", b"no", b"none", b"false", b"0", b"?0", b"off", b"deny", b"disallow"];

/// Returns whether a word means no, whatever its case.
pub fn is_no(word: &[u8]) -> bool {
    NO.iter().any(|no| word.trim_ascii().eq_ignore_ascii_case(no))
}

/// Returns a key in lower case, with `-` for `_`.
pub fn without_case(key: &[u8]) -> String {
    String::from_utf8_lossy(key).to_ascii_lowercase().replace('_', "-")
}

/// Returns whether a no follows a key in the text, with nothing but blanks, `=`, `:` and quotes between them.
///
/// What is in a string is one word, unless the string is all there is. A quote that is never closed separates.
pub fn has_no_under(text: &[u8], is_key: impl Fn(&str) -> bool) -> bool {
    let (mut rest, mut key, mut may_close) = (in_one_string(text), None, true);
    while let Some((&first, after)) = rest.split_first() {
        let word = match first {
            b',' | b';' => {
                (rest, key) = (after, None);
                continue;
            }
            b'"' => {
                let end = if may_close { closing_quote(after) } else { None };
                may_close = end.is_some();
                let string = end.and_then(|end| Some((after.get(..end)?, after.get(end + 1..)?)));
                let Some((string, behind)) = string else {
                    rest = after;
                    continue;
                };
                rest = behind;
                string
            }
            byte if is_mark(byte) => {
                rest = after;
                continue;
            }
            _ => {
                let end = rest.iter().position(|byte| is_mark(*byte) || b",;\"".contains(byte));
                let (word, behind) = rest.split_at(end.unwrap_or(rest.len()));
                rest = behind;
                word
            }
        };
        if is_no(word) && key.is_some_and(|key| is_key(&without_case(key))) {
            return true;
        }
        key = Some(word);
    }
    false
}

fn is_mark(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'=' | b':' | b'\'')
}

/// Returns what is in the string, if the text is one string.
fn in_one_string(text: &[u8]) -> &[u8] {
    let string = text.trim_ascii().strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\""));
    string.filter(|inside| !inside.contains(&b'"')).unwrap_or(text)
}

fn closing_quote(text: &[u8]) -> Option<usize> {
    let mut escaped = false;
    text.iter().position(|byte| {
        let closes = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        closes
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn label_7_a_no_is_found_whatever_is_between_it_and_its_key() {
        let is_key = |key: &str| key == "train-ai";
        for text in [
            "train-ai=n search=y",
            "search=y train-ai=n",
            "train-ai = N",
            "TRAIN_AI: No",
            "train-ai=\"n\"",
            "'train-ai'='disallow'",
            "\"train-ai=n, search=y\"",
            "train-ai==n",
            "train-ai n",
            "x\", train-ai=n",
            "a=\"b\\\"\" train-ai=?0",
            "train-ai\t=\t0",
        ] {
            assert!(has_no_under(text.as_bytes(), is_key), "{text}");
        }
        for text in [
            "",
            "\"",
            "train-ai=y",
            "train-ai=nope",
            "train-ai=",
            "train-ai, n",
            "train-ai; n",
            "x=\"train-ai=n\"",
            "strain-ai=n",
            "train-ai=y n",
            "n=train-ai",
        ] {
            assert!(!has_no_under(text.as_bytes(), is_key), "{text}");
        }
    }
}
