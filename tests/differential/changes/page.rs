//! What happens to the HTML of a page whose meta carries a no: editors, templates, plugins, minifiers.

use super::Undone::{No, Yes};
use super::{Change, Level, of_level};
use crate::message::Message;

pub fn all() -> Vec<Change> {
    let words = of_level(
        Level::Words,
        &[
            ("content first", Yes, |m| {
                meta(m, |key, name, content| {
                    format!("<meta content=\"{content}\" {key}=\"{name}\">")
                })
            }),
            ("single quotes of HTML", Yes, |m| {
                meta(m, |key, name, content| {
                    format!("<meta {key}='{name}' content='{content}'>")
                })
            }),
            ("no quotes of HTML", Yes, |m| {
                // HTML makes attributes of what is behind a blank.
                meta(m, |key, name, content| {
                    let content = if content.contains(' ') {
                        format!("'{content}'")
                    } else {
                        content.to_owned()
                    };
                    format!("<meta {key}={name} content={content}>")
                })
            }),
            ("a tag in capitals", Yes, |m| {
                meta(m, |key, name, content| {
                    format!(
                        "<META {}=\"{name}\" CONTENT=\"{content}\">",
                        key.to_uppercase()
                    )
                })
            }),
            ("a tag that closes itself", Yes, |m| {
                meta(m, |key, name, content| {
                    format!("<meta {key}=\"{name}\" content=\"{content}\" />")
                })
            }),
            ("line ends in the tag", Yes, |m| {
                meta(m, |key, name, content| {
                    format!("<meta\n  {key} = \"{name}\"\r\n\tcontent\n=\n\"{content}\"\n>")
                })
            }),
            ("references in the content", Yes, |m| {
                meta(m, |key, name, content| {
                    format!("<meta {key}=\"{name}\" content=\"{}\">", referred(content))
                })
            }),
            ("references in the name", Yes, |m| {
                meta(m, |key, name, content| {
                    format!("<meta {key}=\"{}\" content=\"{content}\">", referred(name))
                })
            }),
            ("blanks in the name", Yes, |m| {
                meta(m, |key, name, content| {
                    format!("<meta {key}=\" {name}\n\" content=\" {content} \">")
                })
            }),
            ("a name in capitals", Yes, |m| {
                meta(m, |key, name, content| {
                    format!(
                        "<meta {key}=\"{}\" content=\"{content}\">",
                        name.to_uppercase()
                    )
                })
            }),
            ("a content in capitals", No, |m| {
                meta(m, |key, name, content| {
                    format!(
                        "<meta {key}=\"{name}\" content=\"{}\">",
                        content.to_uppercase()
                    )
                })
            }),
            ("other attributes", Yes, |m| {
                meta(m, |key, name, content| {
                    format!(
                        "<meta id=a data-x=\"<\" {key}=\"{name}\" class content=\"{content}\" {key}=\"other\">"
                    )
                })
            }),
            ("curly quotes", No, |m| {
                meta(m, |key, name, content| {
                    format!("<meta {key}=\u{201d}{name}\u{201d} content=\u{201d}{content}\u{201d}>")
                })
            }),
            ("a property", No, |m| {
                meta(m, |_, name, content| {
                    format!("<meta property=\"{name}\" content=\"{content}\">")
                })
            }),
            ("an http-equiv", No, |m| {
                meta(m, |_, name, content| {
                    format!("<meta http-equiv=\"{name}\" content=\"{content}\">")
                })
            }),
            ("robot for robots", No, |m| {
                meta(m, |key, name, content| {
                    format!(
                        "<meta {key}=\"{}\" content=\"{content}\">",
                        name.replace("robots", "robot")
                    )
                })
            }),
            ("semicolons in the content", No, |m| {
                meta(m, |key, name, content| {
                    format!(
                        "<meta {key}=\"{name}\" content=\"{}\">",
                        content.replace(", ", ";")
                    )
                })
            }),
            ("a yes beside it", Yes, |m| {
                meta(m, |key, name, content| {
                    format!(
                        "<meta name=robots content=\"index, follow\"><meta {key}=\"{name}\" content=\"{content}\">"
                    )
                })
            }),
        ],
    );
    words.into_iter().chain(around()).collect()
}

fn around() -> Vec<Change> {
    of_level(
        Level::Text,
        &[
            ("an element in the head", No, |m| before(m, "<div></div>")),
            ("an image in the head", No, |m| {
                before(m, "<img src=\"https://a.example/pixel.gif\">")
            }),
            ("a frame in the head", No, |m| {
                before(m, "<iframe src=\"a\"></iframe>")
            }),
            ("text in the head", No, |m| {
                before(m, "Warning: a function is deprecated\n")
            }),
            ("a byte order mark in the head", No, |m| {
                before(m, "\n\u{feff}")
            }),
            ("an svg in the head", No, |m| {
                before(m, "<svg><title>a</title></svg>")
            }),
            ("a custom element in the head", No, |m| {
                before(m, "<next-head></next-head>")
            }),
            ("a paragraph in the head", No, |m| {
                before(m, "<p>a <b>b</p>")
            }),
            ("a form in the head", No, |m| {
                before(m, "<form><input></form>")
            }),
            ("a noscript in the head", Yes, |m| {
                before(m, "<noscript><img src=a></noscript>")
            }),
            ("conditional comments", Yes, |m| {
                before(m, "<!--[if IE]><link rel=a><![endif]--><!--[if !IE]><!-->")
            }),
            ("a script in the head", Yes, |m| {
                before(m, "<script>a<b; '<div>'</script>")
            }),
            ("a script with a script", Yes, |m| {
                before(m, "<script><!-- <script>a</script> --></script>")
            }),
            ("a style in the head", Yes, |m| {
                before(m, "<style>a > b { } </style>")
            }),
            ("a template in the head", Yes, |m| {
                before(m, "<template><div>a</div></template>")
            }),
            ("70,000 bytes of style", Yes, |m| {
                before(m, &format!("<style>{}</style>", "a{}\n".repeat(17_500)))
            }),
            ("300,000 bytes of script", Yes, |m| {
                before(m, &format!("<script>{}</script>", "a();\n".repeat(60_000)))
            }),
            ("no tags of the head", No, |m| {
                html(m, |text| {
                    [
                        "<html>", "</html>", "<head>", "</head>", "<body>", "</body>",
                    ]
                    .iter()
                    .fold(text.to_owned(), |text, tag| text.replace(tag, ""))
                })
            }),
            ("behind the head", Yes, |m| {
                html(m, |text| {
                    // Behind what ended it early, an explicit end of the head ends all.
                    let Some((start, rest)) = text.split_once("</title>\n<meta") else {
                        return text.to_owned();
                    };
                    let rest = format!("\n<meta{rest}");
                    if !rest.contains("</head>") {
                        return text.to_owned();
                    }
                    let (metas, body) = rest.split_once("</head>").unwrap_or_default();
                    format!("{start}</title></head>{metas}{body}")
                })
            }),
            ("in a noscript", Yes, |m| {
                html(m, |text| {
                    text.replace("</title>", "</title><noscript>")
                        .replace("</head>", "</noscript></head>")
                })
            }),
            ("two byte order marks of a page", No, |m| {
                html(m, |text| format!("\u{feff}\u{feff}{text}"))
            }),
            ("blank lines before a page", Yes, |m| {
                html(m, |text| format!("\r\n\n{text}"))
            }),
            ("a byte order mark of a page", Yes, |m| {
                html(m, |text| format!("\u{feff}{text}"))
            }),
            ("line ends of a page", Yes, |m| {
                html(m, |text| text.replace('\n', "\r\n"))
            }),
            ("no line ends in a page", Yes, |m| {
                html(m, |text| text.replace('\n', ""))
            }),
            ("text before a page", No, |m| {
                // Behind 16 KiB, nothing is looked at.
                let is_near = m.body.len() < 8_000
                    && !m
                        .text()
                        .is_some_and(|text| text.contains("</title></head>"));
                html(m, |text| {
                    if is_near {
                        format!("Notice: undefined index\n{text}")
                    } else {
                        text.to_owned()
                    }
                })
            }),
        ],
    )
}

fn html(message: &Message, change: impl Fn(&str) -> String) -> Option<Message> {
    let text = message
        .text()
        .filter(|text| message.is_page() && text.contains("<meta "))?;
    let changed = change(text);
    (changed != text).then(|| message.with_body(changed.into_bytes()))
}

/// Puts something into the head, before the meta.
fn before(message: &Message, what: &str) -> Option<Message> {
    html(message, |text| {
        text.replacen("</title>", &format!("</title>\n{what}"), 1)
    })
}

/// Writes the meta that carries the no: by the attribute that names it, its name and its content.
fn meta(message: &Message, write: impl Fn(&str, &str, &str) -> String) -> Option<Message> {
    html(message, |text| {
        let Some((start, rest)) = text.split_once("<meta ") else {
            return text.to_owned();
        };
        let (tag, end) = rest.split_once('>').unwrap_or_default();
        let mut parts = tag.split('"');
        let mut next = || parts.next().unwrap_or_default();
        let (key, name, _, content) = (next(), next(), next(), next());
        format!(
            "{start}{}{end}",
            write(key.trim_end_matches('='), name, content)
        )
    })
}

fn referred(text: &str) -> String {
    text.chars()
        .map(|character| format!("&#{};", u32::from(character)))
        .collect()
}
