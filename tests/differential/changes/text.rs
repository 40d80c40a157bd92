//! What happens to the text of a site file: editors, generators, content management systems, concatenation.

use super::Undone::{No, Yes};
use super::{Change, Level, of_level};
use crate::message::{Carrier, Message};

pub fn all() -> Vec<Change> {
    let words = of_level(
        Level::Words,
        &[
            ("names in upper case", Yes, |m| {
                names(m, str::to_ascii_uppercase)
            }),
            ("names in lower case", Yes, |m| {
                names(m, str::to_ascii_lowercase)
            }),
            ("a blank before the colon", Yes, |m| {
                lines(m, |line| line.replacen(':', " :", 1))
            }),
            ("a tab behind the colon", Yes, |m| {
                robots_lines(m, |line| line.replacen(": ", ":\t", 1))
            }),
            ("nothing behind the colon", Yes, |m| {
                robots_lines(m, |line| line.replacen(": ", ":", 1))
            }),
            ("no colon", No, |m| {
                robots_lines(m, |line| line.replacen(':', "", 1))
            }),
            ("a slip of the pen", No, |m| {
                robots_replaced(m, "Disallow:", "Dissalow:")
            }),
            ("an equals sign for the colon", No, |m| {
                robots_lines(m, |line| line.replacen(": ", "=", 1))
            }),
            ("a semicolon for the colon", No, |m| {
                robots_lines(m, |line| line.replacen(':', ";", 1))
            }),
            ("a full-width colon", No, |m| {
                robots_lines(m, |line| line.replacen(": ", "\u{ff1a}", 1))
            }),
            ("a hyphen that is a dash", No, |m| {
                robots_lines(m, |line| line.replace('-', "\u{2013}"))
            }),
            ("a hyphen that is no hyphen", No, |m| {
                robots_lines(m, |line| line.replace('-', "_"))
            }),
            ("a list of names", No, |m| {
                robots_replaced(m, "User-agent: CCBot", "User-agent: CCBot, ClaudeBot")
            }),
            ("a version behind the name", Yes, |m| {
                robots_replaced(m, "User-agent: CCBot", "User-agent: CCBot/2.0")
            }),
            ("list marks", No, |m| lines(m, |line| format!("- {line}"))),
            ("stars as list marks", No, |m| {
                lines(m, |line| format!("* {line}"))
            }),
            ("numbers", No, |m| {
                robots_lines(m, |line| format!("1. {line}"))
            }),
            ("quotes around lines", No, |m| {
                lines(m, |line| format!("\"{line}\""))
            }),
            ("single quotes around lines", No, |m| {
                robots_lines(m, |line| format!("'{line}'"))
            }),
            ("names in bold", No, |m| {
                robots_lines(m, |line| format!("**{}", line.replacen(": ", ":** ", 1)))
            }),
            ("lines in backquotes", No, |m| {
                robots_lines(m, |line| format!("`{line}`"))
            }),
            ("quotes of mail", No, |m| {
                robots_lines(m, |line| format!("> {line}"))
            }),
            ("a zero-width space in front", No, |m| {
                lines(m, |line| format!("\u{200b}{line}"))
            }),
            ("a no-break space in front", No, |m| {
                robots_lines(m, |line| format!("\u{a0}{line}"))
            }),
            ("tags around lines", No, |m| {
                robots_lines(m, |line| format!("<p>{line}</p>"))
            }),
            ("breaks behind lines", No, |m| {
                robots_lines(m, |line| format!("{line}<br>"))
            }),
            ("a control byte in a line", No, |m| {
                lines(m, |line| line.replacen(": ", ": \u{1}", 1))
            }),
            ("a form feed in front", Yes, |m| {
                robots_lines(m, |line| format!("\u{c}{line}"))
            }),
            ("a vertical tab in front", Yes, |m| {
                robots_lines(m, |line| format!("\u{b}{line}"))
            }),
            ("members in capitals", No, |m| {
                robots_replaced(m, "train", "TRAIN")
            }),
            ("the word none for no", No, |m| replaced(m, "=no", "=none")),
            ("truth values in JSON", No, |m| {
                tdmrep(m, "\"tdm-reservation\": 1", "\"tdm-reservation\": true")
            }),
            ("texts in JSON", Yes, |m| {
                tdmrep(m, "\"tdm-reservation\": 1", "\"tdm-reservation\": \"1\"")
            }),
            ("underscores in JSON", Yes, |m| {
                tdmrep(m, "tdm-reservation\"", "tdm_reservation\"")
            }),
            ("an array under a key", Yes, |m| {
                whole(m, is_tdmrep, |text| format!("{{\"tdmrep\": {text}}}"))
            }),
            ("a comma too many in JSON", No, |m| {
                whole(m, is_tdmrep, |text| text.replace("}]", "},]"))
            }),
            ("a comment in JSON", No, |m| {
                whole(m, is_tdmrep, |text| format!("// rights\n{text}"))
            }),
            ("single quotes in JSON", No, |m| {
                whole(m, is_tdmrep, |text| text.replace('"', "'"))
            }),
        ],
    );
    words.into_iter().chain(around()).collect()
}

fn around() -> Vec<Change> {
    of_level(
        Level::Text,
        &[
            ("CR LF", Yes, |m| file(m, |text| text.replace('\n', "\r\n"))),
            ("CR", Yes, |m| file(m, |text| text.replace('\n', "\r"))),
            ("CR CR LF", Yes, |m| {
                whole(
                    m,
                    |c| c == Carrier::Robots,
                    |text| text.replace('\n', "\r\r\n"),
                )
            }),
            ("no line end at the end", Yes, |m| {
                file(m, |text| text.trim_end().to_owned())
            }),
            ("a byte order mark", Yes, |m| {
                file(m, |text| format!("\u{feff}{text}"))
            }),
            ("two byte order marks", Yes, |m| {
                file(m, |text| format!("\u{feff}\u{feff}{text}"))
            }),
            ("a byte order mark between two files", No, |m| {
                lined(m, |text| format!("# first\n\u{feff}{text}"))
            }),
            ("blank lines in front", Yes, |m| {
                file(m, |text| format!("\n\n{text}"))
            }),
            ("blank lines behind", Yes, |m| {
                file(m, |text| format!("{text}\n\n \n"))
            }),
            ("comments around", Yes, |m| {
                lined(m, |text| format!("# a comment\n{text}# another\n"))
            }),
            ("comments behind lines", No, |m| {
                lines(m, |line| format!("{line} # why"))
            }),
            ("blanks behind lines", Yes, |m| {
                lines(m, |line| format!("{line} \t"))
            }),
            ("indented lines", No, |m| {
                lines(m, |line| format!("   {line}"))
            }),
            ("NULs at the end", No, |m| {
                bytes(m, |text| [text, &[0; 300]].concat())
            }),
            ("0x1A at the end", No, |m| {
                bytes(m, |text| [text, b"\x1a"].concat())
            }),
            ("a comment of HTML behind", No, |m| {
                lined(m, |text| format!("{text}\n<!-- cached page -->\n"))
            }),
            ("in a pre element", No, |m| {
                robots_whole(m, |text| {
                    format!("<html><body><pre>{text}</pre></body></html>")
                })
            }),
            ("in one pre element alone", No, |m| {
                robots_whole(m, |text| format!("<pre>{text}</pre>"))
            }),
            ("as a JSON string", No, |m| {
                robots_whole(m, |text| format!("{text:?}"))
            }),
            ("with \\n for line ends", No, |m| {
                robots_whole(m, |text| text.replace('\n', "\\n"))
            }),
            ("with blanks for line ends", No, |m| {
                robots_whole(m, |text| text.replace('\n', " "))
            }),
            ("with %0A for line ends", No, |m| {
                robots_whole(m, |text| text.replace('\n', "%0A"))
            }),
            ("gzip behind 2,000 bytes", No, |m| {
                bytes(m, |text| {
                    [text, &comment(2000), b"\n\x1f\x8b\x08\0\0\0\0\0\0\x03"].concat()
                })
            }),
            ("a PNG behind 2,000 bytes", No, |m| {
                bytes(m, |text| {
                    [text, &comment(2000), b"\n\x89PNG\r\n\x1a\n\0\0\0\rIHDR"].concat()
                })
            }),
            ("noise behind 2,000 bytes", No, |m| {
                bytes(m, |text| {
                    [text, &comment(2000), &[1, 2, 3, 4].repeat(500)].concat()
                })
            }),
            ("base64 behind", No, |m| {
                bytes(m, |text| {
                    [text, b"\nVXNlci1hZ2VudDogKgpEaXNhbGxvdzogLwo=\n"].concat()
                })
            }),
            ("in base64", No, |m| bytes(m, base64)),
        ],
    )
}

fn comment(bytes: usize) -> Vec<u8> {
    [b"# ".to_vec(), vec![b'a'; bytes]].concat()
}

pub fn base64(bytes: &[u8]) -> Vec<u8> {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |group: &[u8]| {
        let bits = (0..3).fold(0_usize, |bits, at| {
            bits << 8 | usize::from(group.get(at).copied().unwrap_or(0))
        });
        let letter = move |at: usize| {
            if at <= group.len() {
                LETTERS[bits >> (18 - 6 * at) & 63]
            } else {
                b'='
            }
        };
        (0..4).map(letter).collect::<Vec<u8>>()
    };
    bytes.chunks(3).flat_map(group).collect()
}

fn is_tdmrep(carrier: Carrier) -> bool {
    carrier == Carrier::Tdmrep
}

/// Changes the bytes of a site file.
fn bytes(message: &Message, change: impl Fn(&[u8]) -> Vec<u8>) -> Option<Message> {
    (!message.is_page()).then(|| message.with_body(change(&message.body)))
}

/// Changes the text of files of these carriers; `None` where that changes nothing.
fn whole(
    message: &Message,
    is_meant: fn(Carrier) -> bool,
    change: impl Fn(&str) -> String,
) -> Option<Message> {
    let text = message.text().filter(|_| is_meant(message.carrier))?;
    let changed = change(text);
    (changed != text).then(|| message.with_body(changed.into_bytes()))
}

fn file(message: &Message, change: impl Fn(&str) -> String) -> Option<Message> {
    whole(message, |carrier| carrier != Carrier::Page, change)
}

/// Changes the text of a file of lines.
pub(super) fn lined(message: &Message, change: impl Fn(&str) -> String) -> Option<Message> {
    whole(
        message,
        |carrier| !matches!(carrier, Carrier::Page | Carrier::Tdmrep),
        change,
    )
}

pub(super) fn robots_whole(message: &Message, change: impl Fn(&str) -> String) -> Option<Message> {
    whole(message, |carrier| carrier == Carrier::Robots, change)
}

pub(super) fn robots_replaced(message: &Message, from: &str, to: &str) -> Option<Message> {
    robots_whole(message, |text| text.replace(from, to))
}

fn replaced(message: &Message, from: &str, to: &str) -> Option<Message> {
    lined(message, |text| text.replace(from, to))
}

pub(super) fn tdmrep(message: &Message, from: &str, to: &str) -> Option<Message> {
    whole(message, is_tdmrep, |text| text.replace(from, to))
}

/// Changes each line of a file of lines that is no comment and not blank.
pub(super) fn lines(message: &Message, change: impl Fn(&str) -> String) -> Option<Message> {
    lined(message, |text| each_line(text, &change))
}

pub(super) fn robots_lines(message: &Message, change: impl Fn(&str) -> String) -> Option<Message> {
    robots_whole(message, |text| each_line(text, &change))
}

fn each_line(text: &str, change: &impl Fn(&str) -> String) -> String {
    let line = |line: &str| {
        let is_kept = line.trim().is_empty() || line.starts_with('#');
        if is_kept {
            line.to_owned()
        } else {
            change(line)
        }
    };
    let changed: Vec<String> = text.split('\n').map(line).collect();
    changed.join("\n")
}

fn names(message: &Message, change: fn(&str) -> String) -> Option<Message> {
    lines(message, |line| {
        let at = line.find([':', '=']).unwrap_or(0);
        format!("{}{}", change(&line[..at]), &line[at..])
    })
}
