//! What happens to the header field that carries a no: servers' configurations, proxies, writers of archives.

use super::Undone::{No, Yes};
use super::{Change, Level, of_level};
use crate::message::Message;

/// The fields that carry noes.
const FIELDS: [&str; 5] = [
    "Content-Usage",
    "Content-Signal",
    "TDM-Reservation",
    "X-Robots-Tag",
    "Robots-Tag",
];

pub fn all() -> Vec<Change> {
    of_level(
        Level::Words,
        &[
            ("the value in quotes", No, |m| {
                value(m, |_, value| format!("\"{value}\""))
            }),
            ("the value in single quotes", No, |m| {
                value(m, |_, value| format!("'{value}'"))
            }),
            ("its name in the value", No, |m| {
                value(m, |name, value| format!("{name}: {value}"))
            }),
            ("the value in capitals", No, |m| {
                value(m, |_, value| value.to_ascii_uppercase())
            }),
            ("the value twice in a line", Yes, |m| {
                value(m, |_, value| format!("{value}, {value}"))
            }),
            ("a semicolon for a comma", No, |m| {
                value(m, |_, value| value.replace(", ", "; "))
            }),
            ("a blank for a comma", No, |m| {
                value(m, |_, value| value.replace(", ", " "))
            }),
            ("a bar for a comma", No, |m| {
                value(m, |_, value| value.replace(", ", "|"))
            }),
            ("a comma at the end", No, |m| {
                value(m, |_, value| format!("{value},"))
            }),
            ("a semicolon at the end", No, |m| {
                value(m, |_, value| format!("{value};"))
            }),
            ("a colon for an equals sign", No, |m| {
                value(m, |_, value| value.replace('=', ": "))
            }),
            ("blanks around an equals sign", No, |m| {
                value(m, |_, value| value.replace('=', " = "))
            }),
            ("underscores in the value", No, |m| {
                value(m, |_, value| value.replace('-', "_"))
            }),
            ("braces around the value", No, |m| {
                value(m, |_, value| format!("{{{value}}}"))
            }),
            ("a name of a crawler before it", No, |m| {
                // READ-17: only rules about AI are for everybody then.
                let is_tag =
                    |name: &str, value: &str| name == "X-Robots-Tag" && value.starts_with("noai");
                value(m, |name, value| {
                    if is_tag(name, value) {
                        format!("googlebot: nofollow, {value}")
                    } else {
                        value.to_owned()
                    }
                })
            }),
            ("a 0 in front", No, |m| {
                value(m, |name, value| {
                    if name == "TDM-Reservation" {
                        format!("0, {value}")
                    } else {
                        value.to_owned()
                    }
                })
            }),
            ("other words for no", No, |m| {
                value(m, |_, value| {
                    value.replace("=n", "=none").replace("=noneo", "=off")
                })
            }),
            ("underscores in the name", No, |m| {
                named(m, |name| name.replace('-', "_"))
            }),
            ("as http-equiv", No, |m| as_meta(m, "http-equiv")),
            ("as a meta", No, |m| as_meta(m, "name")),
            ("as a property", No, |m| as_meta(m, "property")),
            ("behind X-Archive-Orig-", Yes, |m| {
                named(m, |name| format!("X-Archive-Orig-{name}"))
            }),
            ("behind x-orig-", Yes, |m| {
                named(m, |name| format!("x-orig-{name}"))
            }),
            ("behind X-Crawler-", Yes, |m| {
                named(m, |name| format!("X-Crawler-{name}"))
            }),
        ],
    )
}

fn is_carrier(name: &str) -> bool {
    FIELDS.contains(&name)
}

/// Changes the value of the field that carries the no.
fn value(message: &Message, change: impl Fn(&str, &str) -> String) -> Option<Message> {
    fields(message, |name, value| {
        (name.to_owned(), change(name, value))
    })
}

fn named(message: &Message, change: impl Fn(&str) -> String) -> Option<Message> {
    fields(message, |name, value| (change(name), value.to_owned()))
}

fn fields(message: &Message, change: impl Fn(&str, &str) -> (String, String)) -> Option<Message> {
    let field = |(name, value): &(String, Vec<u8>)| {
        let text = String::from_utf8_lossy(value);
        if message.is_page() && is_carrier(name) {
            let (name, value) = change(name, &text);
            (name, value.into_bytes())
        } else {
            (name.clone(), value.clone())
        }
    };
    let fields: Vec<_> = message.fields.iter().map(field).collect();
    (fields != message.fields).then(|| Message {
        fields,
        ..message.clone()
    })
}

fn as_meta(message: &Message, attribute: &str) -> Option<Message> {
    let (name, value) = message
        .fields
        .iter()
        .find(|(name, _)| message.is_page() && is_carrier(name))?;
    let content = String::from_utf8_lossy(value).replace('"', "&quot;");
    let meta = format!("<meta {attribute}=\"{name}\" content=\"{content}\">\n</head>");
    let body = message.text()?.replace("</head>", &meta);
    Some(message.with_body(body.into_bytes()).without(name))
}
