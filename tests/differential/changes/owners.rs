//! What owners and their tools write in place of a no that a document knows: remarks and marks behind paths, other names, other
//! words, lines that a CDN adds (RULES ACCT-7 to -12, READ-21 to -24, LABEL-8).

use super::Undone::{No, Yes};
use super::{Change, Level, of_level};
use crate::message::{Carrier, Message};

pub fn all() -> Vec<Change> {
    let words = of_level(
        Level::Words,
        &[
            ("a remark in parentheses", No, |m| {
                paths(m, |path| format!("{path} (whole site)"))
            }),
            ("a remark behind slashes", No, |m| {
                paths(m, |path| format!("{path} // all of it"))
            }),
            ("a remark", No, |m| {
                paths(m, |path| format!("{path} everything"))
            }),
            ("a comment of HTML behind a path", No, |m| {
                paths(m, |path| format!("{path} <!-- all -->"))
            }),
            ("a semicolon behind a path", No, |m| {
                paths(m, |path| format!("{path};"))
            }),
            ("a comma behind a path", No, |m| {
                paths(m, |path| format!("{path},"))
            }),
            ("a no-break space behind a path", No, |m| {
                paths(m, |path| format!("{path}\u{a0}"))
            }),
            ("a mark of direction behind a path", No, |m| {
                paths(m, |path| format!("{path}\u{200e}"))
            }),
            ("a zero-width space behind a path", No, |m| {
                paths(m, |path| format!("{path}\u{200b}"))
            }),
            ("quotes around a path", No, |m| {
                paths(m, |path| format!("\"{path}\""))
            }),
            ("curly quotes around a path", No, |m| {
                paths(m, |path| format!("\u{201c}{path}\u{201d}"))
            }),
            ("single quotes around a path", No, |m| {
                paths(m, |path| format!("'{path}'"))
            }),
            ("backquotes around a path", No, |m| {
                paths(m, |path| format!("`{path}`"))
            }),
            ("a backslash behind a path", No, |m| {
                paths(m, |path| format!("{path}\\"))
            }),
            ("a path behind another", No, |m| {
                // The root alone behind another path is a blank in a path (ACCT-9).
                paths(m, |path| {
                    format!("/other/ {}", if path == "/" { "/news" } else { path })
                })
            }),
            ("a path in front of another", No, |m| {
                paths(m, |path| format!("{path} /other/"))
            }),
            ("a list of paths", No, |m| {
                paths(m, |path| format!("/other/,{path}"))
            }),
            ("a list of paths with semicolons", No, |m| {
                paths(m, |path| format!("{path};/other/"))
            }),
            ("a path from here", No, |m| {
                paths(m, |path| format!(".{path}"))
            }),
            ("backslashes in a path", No, |m| {
                paths(m, |path| path.replace('/', "\\"))
            }),
            ("a backslash before a star", No, |m| {
                robots(m, |text| text.replace("agent: *", "agent: \\*"))
            }),
            ("a word for everyone", No, |m| {
                robots(m, |text| text.replace("agent: *", "agent: all"))
            }),
            ("a whole User-Agent header", No, |m| {
                robots(m, |text| {
                    let header =
                        "agent: Mozilla/5.0 (compatible; CCBot/2.0; +https://commoncrawl.org/faq/)";
                    text.replace("agent: CCBot", header)
                })
            }),
            ("deny in a signal", No, |m| {
                signals(m, |text| text.replace("=no", "=deny"))
            }),
            ("disallow in a signal", No, |m| {
                signals(m, |text| text.replace("=no", "=disallow"))
            }),
            ("a value that only refuses", No, |m| {
                field(m, "Content-Signal", |_| "deny".to_owned())
                    .or_else(|| field(m, "Content-Usage", |_| "none".to_owned()))
            }),
            ("a line of rich text", No, |m| {
                robots(m, |text| {
                    format!("{{\\rtf1\\ansi\n{}}}", text.replace('\n', "\\\n"))
                })
            }),
            ("a reservation twice", No, |m| {
                tdmrep(m, |text| {
                    text.replace(
                        "\"tdm-reservation\": 1",
                        "\"tdm-reservation\": 1, \"tdm-reservation\": 0",
                    )
                })
            }),
            ("an object of paths", No, |m| {
                tdmrep(m, |_| "{\"/\": 1}".to_owned())
            }),
            ("a statement behind another", No, |m| {
                let social = "social=https://b.example/a, datatrainingallowed=no";
                of(m, Carrier::TrustTxt, |text| {
                    text.replace("datatrainingallowed=no", social)
                })
            }),
            ("machine learning", No, |m| {
                of(m, Carrier::AiTxt, |text| {
                    text.replace("Training: deny", "Machine-Learning: deny")
                })
            }),
            ("no- for no", No, |m| {
                tags(m, |text| {
                    text.replace("noai", "no-ai").replace("noindex", "no-index")
                })
            }),
            ("slashes for commas", No, |m| {
                tags(m, |text| text.replace(", ", "/"))
            }),
            ("noaiinput for noai", No, |m| {
                tags(m, |text| text.replace("noai", "noaiinput"))
            }),
            ("a version behind a crawler", Yes, |m| {
                tags(m, |text| text.replace("ccbot:", "ccbot/2.0:"))
            }),
            ("a name that is nobody's", No, |m| {
                field(m, "X-Robots-Tag", |value| match value.contains(':') {
                    true => value.to_owned(),
                    false => format!("everyone: {value}"),
                })
            }),
            ("a meta for all", No, |m| meta_name(m, "all")),
            ("a meta for bots", No, |m| meta_name(m, "bots")),
            ("a meta that is a licence", No, |m| meta_name(m, "license")),
            ("a tag of the archive beside it", No, |m| {
                let (name, value) = m
                    .fields
                    .iter()
                    .find(|(name, _)| name == "X-Robots-Tag")?
                    .clone();
                Some(
                    m.clone()
                        .without(&name)
                        .with(&name, "all")
                        .with(&format!("X-Archive-Orig-{name}"), value),
                )
            }),
            ("a yes that a CDN appends", No, |m| {
                let has = |wanted: &str| m.fields.iter().any(|(name, _)| name == wanted);
                match (has("Content-Usage"), has("Content-Signal")) {
                    (true, _) => Some(m.clone().with("Content-Usage", "train-ai=y")),
                    (_, true) => Some(m.clone().with("Content-Signal", "ai-train=yes, search=yes")),
                    _ => None,
                }
                .filter(|_| m.is_page() && !has("X-Markdown-Tokens"))
            }),
        ],
    );
    let texts = of_level(
        Level::Extent,
        &[
            ("octets for a type", No, |m| {
                page(m).map(|m| m.typed(Some("application/octet-stream")))
            }),
            ("plain text for a type", No, |m| {
                page(m).map(|m| m.typed(Some("text/plain")))
            }),
        ],
    );
    let marks = of_level(
        Level::Text,
        &[("a byte order mark encoded twice", No, |m| {
            of(m, Carrier::Robots, |text| {
                format!("\u{ef}\u{bb}\u{bf}{text}")
            })
        })],
    );
    words.into_iter().chain(texts).chain(marks).collect()
}

pub(super) fn of(
    message: &Message,
    carrier: Carrier,
    change: impl Fn(&str) -> String,
) -> Option<Message> {
    let text = message.text().filter(|_| message.carrier == carrier)?;
    let changed = change(text);
    (changed != text).then(|| message.with_body(changed.into_bytes()))
}

fn robots(message: &Message, change: impl Fn(&str) -> String) -> Option<Message> {
    of(message, Carrier::Robots, change)
}

fn tdmrep(message: &Message, change: impl Fn(&str) -> String) -> Option<Message> {
    of(message, Carrier::Tdmrep, change)
}

/// Changes the paths of lines that refuse something.
pub(super) fn paths(message: &Message, change: impl Fn(&str) -> String) -> Option<Message> {
    let line = |line: &str| {
        let Some((name, value)) = line
            .split_once(": ")
            .filter(|(_, value)| value.starts_with('/'))
        else {
            return line.to_owned();
        };
        if name.starts_with("Allow") || value.contains("=y") {
            return line.to_owned();
        }
        match value.split_once(' ') {
            Some((path, stated)) => format!("{name}: {} {stated}", change(path)),
            None => format!("{name}: {}", change(value)),
        }
    };
    let changed = |text: &str| text.split('\n').map(line).collect::<Vec<_>>().join("\n");
    of(message, Carrier::Robots, changed).or_else(|| of(message, Carrier::AiTxt, changed))
}

/// Changes a field of a page.
pub(super) fn field(
    message: &Message,
    name: &str,
    change: impl Fn(&str) -> String,
) -> Option<Message> {
    let value = |(known, value): &(String, Vec<u8>)| {
        let changed = change(&String::from_utf8_lossy(value)).into_bytes();
        (
            known.clone(),
            if known == name {
                changed
            } else {
                value.clone()
            },
        )
    };
    let fields: Vec<_> = message.fields.iter().map(value).collect();
    (message.is_page() && fields != message.fields).then(|| Message {
        fields,
        ..message.clone()
    })
}

/// Changes Content-Signal in a header or in robots.txt.
fn signals(message: &Message, change: impl Fn(&str) -> String) -> Option<Message> {
    let in_lines = |text: &str| {
        let line = |line: &str| {
            if line.starts_with("Content-Signal") {
                change(line)
            } else {
                line.to_owned()
            }
        };
        text.split('\n').map(line).collect::<Vec<_>>().join("\n")
    };
    field(message, "Content-Signal", &change).or_else(|| robots(message, in_lines))
}

/// Changes robots tags: the header field, or the content of metas.
pub(super) fn tags(message: &Message, change: impl Fn(&str) -> String) -> Option<Message> {
    let in_metas = |text: &str| {
        let line = |line: &str| {
            if line.starts_with("<meta") {
                change(line)
            } else {
                line.to_owned()
            }
        };
        text.split('\n').map(line).collect::<Vec<_>>().join("\n")
    };
    field(message, "X-Robots-Tag", &change).or_else(|| of(message, Carrier::Page, in_metas))
}

/// Gives a robots meta about AI another name.
fn meta_name(message: &Message, name: &str) -> Option<Message> {
    let changed = format!("name=\"{name}\" content=\"noai");
    of(message, Carrier::Page, |text| {
        text.replace("name=\"robots\" content=\"noai", &changed)
    })
}

/// A page whose metas carry the no and that begins as HTML, by which alone it is known under another type (READ-21).
fn page(message: &Message) -> Option<Message> {
    let text = message.text().filter(|text| text.contains("<meta"))?;
    let begins = text
        .trim_start_matches('\u{feff}')
        .trim_start()
        .to_ascii_lowercase();
    let is_html = ["<!doctype html", "<html", "<head"]
        .iter()
        .any(|tag| begins.starts_with(tag));
    (message.is_page() && is_html).then(|| message.clone())
}
