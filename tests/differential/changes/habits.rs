//! Habits of people, editors and generators that write files, fields and metas by hand: lines that are joined, marks of other
//! formats, expressions in paths, texts around a file (RULES ACCT-4, ACCT-9 to -11, ACCT-14, READ-22).

use super::Undone::No;
use super::owners::{field, of, paths, tags};
use super::text::{lined, lines, robots_lines, robots_replaced, robots_whole, tdmrep};
use super::{Change, Level, Make, Undone, of_level};
use crate::message::{Carrier, Message};

pub fn all() -> Vec<Change> {
    let words = [rules(), values(), metas(), files(), joined()].concat();
    let words = of_level(Level::Words, &words);
    words.into_iter().chain(around()).collect()
}

type Row = (&'static str, Undone, Make);

/// In lines of robots.txt.
fn rules() -> Vec<Row> {
    vec![
        ("letters that changed places", No, |m| {
            robots_replaced(m, "Disallow:", "Disalolw:")
        }),
        ("a letter that is missing", No, |m| {
            robots_replaced(m, "User-agent:", "User-agen:")
        }),
        ("an agent in the plural", No, |m| {
            robots_replaced(m, "User-agent:", "User-agents:")
        }),
        ("a letter too many", No, |m| {
            robots_replaced(m, "Disallow:", "Disallowl:")
        }),
        ("an L for a colon", No, |m| {
            robots_replaced(m, "Disallow:", "DisallowL")
        }),
        ("a rule's name twice", No, |m| {
            robots_replaced(m, "Disallow:", "Disallow: Disallow:")
        }),
        ("an agent's name twice", No, |m| {
            robots_replaced(m, "User-agent:", "User-agent: User-agent:")
        }),
        ("a rule behind its agent", No, |m| {
            robots_replaced(m, "\nDisallow", " Disallow")
        }),
        ("a rule behind its agent, without a blank", No, |m| {
            robots_replaced(m, "\nDisallow", "Disallow")
        }),
        ("a joiner in front", No, |m| {
            robots_lines(m, |line| format!("\u{200d}{line}"))
        }),
        ("a word joiner in front", No, |m| {
            robots_lines(m, |line| format!("\u{2060}{line}"))
        }),
        ("a soft hyphen in a name", No, |m| {
            robots_replaced(m, "Disallow:", "Dis\u{ad}allow:")
        }),
        ("a Cyrillic letter in a name", No, |m| {
            robots_replaced(m, "Disallow:", "Dis\u{430}llow:")
        }),
        ("a full-width letter in a name", No, |m| {
            robots_replaced(m, "Disallow:", "\u{ff24}isallow:")
        }),
        ("an arrow for the colon", No, |m| {
            robots_lines(m, |line| line.replacen(": ", " -> ", 1))
        }),
        ("two colons", No, |m| {
            robots_lines(m, |line| line.replacen(": ", ":: ", 1))
        }),
        ("parentheses around lines", No, |m| {
            robots_lines(m, |line| format!("({line})"))
        }),
        ("square brackets around lines", No, |m| {
            robots_lines(m, |line| format!("[{line}]"))
        }),
        ("letters before lines", No, |m| {
            robots_lines(m, |line| format!("a) {line}"))
        }),
        ("a date before lines", No, |m| {
            robots_lines(m, |line| format!("2026-08-01 {line}"))
        }),
        ("items of HTML", No, |m| {
            robots_lines(m, |line| format!("<li>{line}</li>"))
        }),
        ("an anchor before a path", No, |m| {
            paths(m, |path| format!("^{path}"))
        }),
        ("a star before a path", No, |m| {
            paths(m, |path| format!("*{path}"))
        }),
        ("a path in parentheses", No, |m| {
            paths(m, |path| format!("({path})"))
        }),
        ("a path in angle brackets", No, |m| {
            paths(m, |path| format!("<{path}>"))
        }),
        ("a full-width slash", No, |m| {
            paths(m, |path| path.replacen('/', "\u{ff0f}", 1))
        }),
        ("an escaped slash", No, |m| {
            paths(m, |path| path.replace('/', "%2F"))
        }),
        ("stars as a remark", No, |m| {
            paths(m, |path| format!("{path} ***all***"))
        }),
        ("a star as a remark", No, |m| {
            paths(m, |path| format!("{path} *"))
        }),
        ("a remark with a URL", No, |m| {
            paths(m, |path| format!("{path} see https://a.example/terms/*"))
        }),
    ]
}

/// In the values of statements.
fn values() -> Vec<Row> {
    vec![
        ("two equals signs", No, |m| {
            stated(m, |value| value.replace('=', "=="))
        }),
        ("an arrow for an equals sign", No, |m| {
            stated(m, |value| value.replace('=', "=>"))
        }),
        ("a blank for an equals sign", No, |m| {
            stated(m, |value| value.replace('=', " "))
        }),
        ("and for a comma", No, |m| {
            stated(m, |value| value.replace(", ", " and "))
        }),
        ("square brackets around a value", No, |m| {
            stated(m, |value| format!("[{value}]"))
        }),
        ("parentheses around a value", No, |m| {
            stated(m, |value| format!("({value})"))
        }),
        ("a full stop behind a value", No, |m| {
            stated(m, |value| format!("{value}."))
        }),
        ("a truth value of fields", No, |m| {
            stated(m, |value| value.replace("=no", "=?0").replace("=n", "=?0"))
        }),
        ("full stops for hyphens", No, |m| {
            stated(m, |value| value.replace('-', "."))
        }),
        ("blanks for hyphens", No, |m| {
            stated(m, |value| value.replace('-', " "))
        }),
        ("no hyphens", No, |m| {
            stated(m, |value| value.replace('-', ""))
        }),
        ("an object of JSON", No, |m| {
            stated(m, |value| {
                format!("{{\"{}\"}}", value.replace('=', "\": \""))
            })
        }),
        ("a name in the plural", No, |m| {
            named(m, |name| format!("{name}s"))
        }),
        ("an X before a name", No, |m| {
            named(m, |name| format!("X-{name}"))
        }),
        ("a name without hyphens", No, |m| {
            named(m, |name| name.replace('-', ""))
        }),
    ]
}

/// In metas.
fn metas() -> Vec<Row> {
    vec![
        ("a value for a content", No, |m| {
            page(m, |text| text.replace(" content=", " value="))
        }),
        ("a plus for a comma", No, |m| {
            tags(m, |text| text.replace(", ", "+"))
        }),
        ("a full stop behind rules", No, |m| {
            page(m, |text| text.replace("noai\">", "noai.\">"))
        }),
        ("square brackets around rules", No, |m| {
            page(m, |text| {
                text.replace("content=\"noai\"", "content=\"[noai]\"")
            })
        }),
        ("quotes as references", No, |m| {
            page(m, |text| {
                text.replace("content=\"noai\"", "content=\"&quot;noai&quot;\"")
            })
        }),
        ("no-break spaces between rules", No, |m| {
            page(m, |text| text.replace("noai, ", "noai,&nbsp;"))
        }),
        ("a name in the content", No, |m| {
            page(m, |text| {
                text.replace("content=\"no", "content=\"robots: no")
            })
        }),
    ]
}

/// In other site files.
fn files() -> Vec<Row> {
    vec![
        ("a number with a point", No, |m| {
            tdmrep(m, "reservation\": 1", "reservation\": 1.0")
        }),
        ("a word for a number", No, |m| {
            tdmrep(m, "reservation\": 1", "reservation\": \"yes\"")
        }),
        ("keys in capitals", No, |m| {
            tdmrep(m, "tdm-reservation\": 1", "TDM-Reservation\": 1")
        }),
        ("an array in an array", No, |m| {
            of(m, Carrier::Tdmrep, |text| format!("[{}]", text.trim_end()))
        }),
        ("objects without an array", No, |m| {
            of(m, Carrier::Tdmrep, |text| {
                text.replace(['[', ']'], "").replace("},\n", "}\n")
            })
        }),
        ("a bracket too many", No, |m| {
            of(m, Carrier::Tdmrep, |text| format!("{}]", text.trim_end()))
        }),
        ("a colon in trust.txt", No, |m| {
            of(m, Carrier::TrustTxt, |text| {
                text.replace("allowed=no", "allowed: no")
            })
        }),
        ("blanks in trust.txt", No, |m| {
            of(m, Carrier::TrustTxt, |text| {
                text.replace("allowed=no", "allowed = No")
            })
        }),
        ("denied for deny", No, |m| {
            of(m, Carrier::AiTxt, |text| text.replace(": deny", ": denied"))
        }),
        ("a longer name in ai.txt", No, |m| {
            of(m, Carrier::AiTxt, |text| {
                text.replace("Training:", "AI-Training:")
            })
        }),
    ]
}

/// Line ends that were lost.
fn joined() -> Vec<Row> {
    vec![
        ("breaks for line ends", No, |m| {
            robots_whole(m, |text| text.trim_end().replace('\n', "<br/>"))
        }),
        ("separators of Unicode for line ends", No, |m| {
            robots_whole(m, |text| text.trim_end().replace('\n', "\u{2028}"))
        }),
        ("next lines of Unicode for line ends", No, |m| {
            robots_whole(m, |text| text.trim_end().replace('\n', "\u{85}"))
        }),
        ("form feeds for line ends", No, |m| {
            robots_whole(m, |text| text.trim_end().replace('\n', "\u{c}"))
        }),
        ("references for line ends", No, |m| {
            robots_whole(m, |text| text.trim_end().replace('\n', "&#10;"))
        }),
        ("bars for line ends", No, |m| {
            robots_whole(m, |text| text.trim_end().replace('\n', " | "))
        }),
        ("commas for line ends", No, |m| {
            robots_whole(m, |text| text.trim_end().replace('\n', ", "))
        }),
    ]
}

/// Around a file.
fn around() -> Vec<Change> {
    of_level(
        Level::Text,
        &[
            ("a fence of code", No, |m| {
                written(m, |text| format!("```\n{text}```\n"))
            }),
            ("front matter", No, |m| {
                written(m, |text| format!("---\nlayout: null\n---\n{text}"))
            }),
            ("a notice of PHP", No, |m| {
                let notice = "Warning: Undefined variable $a in /var/www/robots.php on line 3\n";
                written(m, |text| format!("{notice}{text}"))
            }),
            ("a comment of C around", No, |m| {
                written(m, |text| format!("/*\n{text}\n*/\n"))
            }),
            ("a document of a shell", No, |m| {
                written(m, |text| format!("cat > robots.txt <<EOF\n{text}\nEOF\n"))
            }),
            ("a declaration of XML", No, |m| {
                written(m, |text| format!("<?xml version=\"1.0\"?>\n{text}"))
            }),
            ("in a division", No, |m| {
                robots_written(m, |text| format!("<div>\n{text}</div>\n"))
            }),
            ("a mark in each line", No, |m| {
                lines(m, |line| format!("\u{feff}{line}"))
            }),
            ("a footer of a proxy", No, |m| {
                written(m, |text| format!("{text}\n<!-- cached 2026-08-10 -->\n"))
            }),
        ],
    )
}

/// Ours, READ-3: a page in place of another site file is no such file.
fn robots_written(message: &Message, change: impl Fn(&str) -> String) -> Option<Message> {
    if message.carrier == Carrier::Robots {
        written(message, change)
    } else {
        None
    }
}

/// Changes the text of a file of lines, which no encoder wrote.
fn written(message: &Message, change: impl Fn(&str) -> String) -> Option<Message> {
    let is_written = message.text().is_some_and(|text| text.contains(':'));
    if is_written {
        lined(message, change)
    } else {
        None
    }
}

/// The names of fields and lines that state something.
const NAMES: [&str; 3] = ["Content-Usage", "Content-Signal", "Usage"];

/// Changes the value of a field or line that states something.
fn stated(message: &Message, change: impl Fn(&str) -> String) -> Option<Message> {
    let line = |line: &str| match line.split_once(": ") {
        Some((name, value)) if NAMES.contains(&name) && !value.starts_with('/') => {
            format!("{name}: {}", change(value))
        }
        _ => line.to_owned(),
    };
    let in_lines = |text: &str| text.split('\n').map(line).collect::<Vec<_>>().join("\n");
    let of_page = NAMES.iter().find_map(|name| field(message, name, &change));
    of_page.or_else(|| of(message, Carrier::Robots, in_lines))
}

/// Changes the name of a field or line that states something.
fn named(message: &Message, change: impl Fn(&str) -> String) -> Option<Message> {
    if let Some((name, value)) = message
        .fields
        .iter()
        .find(|(name, _)| NAMES.contains(&name.as_str()))
    {
        return message
            .is_page()
            .then(|| message.clone().without(name).with(&change(name), value));
    }
    let line = |line: &str| match line.split_once(": ") {
        Some((name, value)) if NAMES.contains(&name) => format!("{}: {value}", change(name)),
        _ => line.to_owned(),
    };
    of(message, Carrier::Robots, |text| {
        text.split('\n').map(line).collect::<Vec<_>>().join("\n")
    })
}

/// Changes the metas of a page.
fn page(message: &Message, change: impl Fn(&str) -> String) -> Option<Message> {
    of(message, Carrier::Page, |text| {
        let line = |line: &str| {
            if line.starts_with("<meta") {
                change(line)
            } else {
                line.to_owned()
            }
        };
        text.split('\n').map(line).collect::<Vec<_>>().join("\n")
    })
}
