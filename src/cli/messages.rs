//! Numbers and foreign text in messages.
//!
//! Example: an archive called `a<ESC>[2Jb.warc` would clear the screen; it is shown as `a\x1B[2Jb.warc`.

use std::borrow::Cow;
use std::fmt::Write;

/// Returns text without characters that a terminal obeys or that reorder the text around them: every message on
/// standard error passes through here.
///
/// Ours: C0, DEL and C1 are `\xHH`, line separators and bidirectional controls `\u{HHHH}`.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        let code = u32::from(character);
        // Writing to a String does not fail.
        let _ = match character {
            _ if !is_unsafe(character) => write!(shown, "{character}"),
            _ if character.is_control() => write!(shown, "\\x{code:02X}"),
            _ => write!(shown, "\\u{{{code:X}}}"),
        };
    }
    Cow::Owned(shown)
}

/// Returns JSON text in which such characters are escapes of JSON, so that a parser gets them back.
pub fn visible_json(json: &str) -> Cow<'_, str> {
    if !json.contains(is_unsafe) {
        return Cow::Borrowed(json);
    }
    let mut shown = String::with_capacity(json.len() + 16);
    for character in json.chars() {
        if is_unsafe(character) {
            // All of them are of the basic plane.
            let _ = write!(shown, "\\u{:04x}", u32::from(character));
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// Returns whether a character is a control (C0, DEL, C1), a line separator or a bidirectional control (UAX #9).
pub fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Returns a number with its thousands set apart.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[allow(clippy::cast_precision_loss)] // shown with one decimal
pub fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// Returns a time to wait, in the unit in which it is a small number.
pub fn waiting(seconds: u64) -> String {
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min", seconds.div_ceil(60)),
        7200.. => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::{grouped, visible, visible_json, waiting};

    #[test]
    fn local_thousands_are_set_apart() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn local_times_to_wait_have_a_fitting_unit() {
        for (seconds, text) in [(0, "0 s"), (119, "119 s"), (121, "3 min"), (7260, "2 h 1 min")] {
            assert_eq!(waiting(seconds), text);
        }
    }

    #[test]
    fn local_what_a_terminal_obeys_is_escaped() {
        for (text, shown, json) in [
            ("caf\u{e9} \u{1f916}", "caf\u{e9} \u{1f916}", "caf\u{e9} \u{1f916}"),
            ("a\x1b[2Jb", "a\\x1B[2Jb", "a\\u001b[2Jb"),
            ("a\0\n\r\t\x7f", "a\\x00\\x0A\\x0D\\x09\\x7F", "a\\u0000\\u000a\\u000d\\u0009\\u007f"),
            ("\u{9b}2J", "\\x9B2J", "\\u009b2J"),
            ("\u{202e}gz.craw\u{2069}", "\\u{202E}gz.craw\\u{2069}", "\\u202egz.craw\\u2069"),
            ("\u{61c}\u{200f}\u{2028}", "\\u{61C}\\u{200F}\\u{2028}", "\\u061c\\u200f\\u2028"),
        ] {
            assert_eq!((visible(text).as_ref(), visible_json(text).as_ref()), (shown, json));
        }
    }
}
