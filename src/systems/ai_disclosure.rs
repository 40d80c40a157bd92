//! AI-Disclosure: how the content of a response was made.
//!
//! Document: draft-abaris-aicdh, which lapsed on 3 August 2026: a response header, an RFC 9651 Dictionary. Example:
//! `AI-Disclosure: mode=ai-modified, provider="Example"`. The draft's own example has `;` for the comma, so that all but
//! `mode` are parameters of it: they are read like members (RULES LIVE-12). The meta `ai-disclosure` of the W3C group on the
//! disclosure of AI content is also read; its content is kept as it is.
//! Left out: it is about how content was made and not a preference, so `pages` has no column for it and the labels ignore it.
//! `AI-Disclosure:` in an ai.txt is something else, a demand on the output of others.

use super::structured_field::{dictionary, field_value, header_lines};
use super::{About, Give, Source, Statement, StatementMember, System};
use crate::web::field::Carrier;
use sfv::BareItemFromInput;
use std::borrow::Cow;

const SYSTEM: &str = "ai_disclosure";
const NAMES: [&str; 1] = ["ai-disclosure"];
const KEYS: [&str; 5] = ["mode", "model", "provider", "reviewed-by", "date"];

pub static AI_DISCLOSURE: System = System {
    about: &About {
        name: SYSTEM,
        title: "AI-Disclosure",
        documents: &["draft-abaris-aicdh"],
        carriers: "the header `AI-Disclosure`, the meta `ai-disclosure`",
        left_out: "what its modes mean: it says how content was made and is not a preference",
        can_refuse: false, // it says how content was made
        ..About::NONE
    },
    compile: |_, _| Box::new(()),
    statements: |source, _, give| {
        let Source::Record(fields) = source else {
            return;
        };
        if let Some(value) = field_value(&header_lines(fields, &NAMES)) {
            give_header(&value, give);
        }
        let is_meta = |name: &str, carrier| carrier == Carrier::Meta && NAMES.contains(&name);
        for meta in fields
            .iter()
            .filter(|field| is_meta(field.name, field.carrier))
        {
            give(&Statement {
                value: Some(meta.value),
                category: Some("mode"),
                defect: meta.value.trim_ascii().is_empty().then_some("empty"),
                ..Statement::of_field(SYSTEM, meta)
            });
        }
    },
};

/// Also gives the parameters of `mode`.
fn give_header(value: &[u8], give: &mut Give<'_>) {
    let row = || Statement::unread(SYSTEM, Carrier::Header.as_str(), value);
    let members = match dictionary(value) {
        Ok(members) if !members.is_empty() => members,
        Ok(_) => {
            return give(&Statement {
                defect: Some("empty"),
                ..row()
            });
        }
        Err(defect) => {
            return give(&Statement {
                defect: Some(defect.as_str()),
                ..row()
            });
        }
    };
    let mut give_one = |key: &str, item: Option<&BareItemFromInput<'_>>| {
        let category = KEYS.into_iter().find(|known| *known == key);
        let text = item.and_then(text);
        let defect = match (category, &text) {
            (None, _) => Some("unknown_key"),
            (Some(_), None) => Some("unknown_value"),
            (Some(_), Some(_)) => None,
        };
        let (key, value) = (key.as_bytes(), text.as_deref().map(str::as_bytes));
        let mut row = row();
        row.fill(StatementMember {
            key,
            value,
            category,
            preference: None,
            defect,
        });
        give(&row);
    };
    for member in &members {
        give_one(member.key, member.item.as_ref());
        for (key, item) in member.parameters.iter().filter(|_| member.key == "mode") {
            give_one(key, Some(item));
        }
    }
}

/// The draft has no values that are numbers, booleans or bytes.
fn text<'i>(item: &'i BareItemFromInput<'_>) -> Option<Cow<'i, str>> {
    Some(match item {
        BareItemFromInput::Token(token) => Cow::Borrowed(token.as_str()),
        BareItemFromInput::String(text) => Cow::Borrowed(text.as_str()),
        BareItemFromInput::DisplayString(text) => Cow::Borrowed(text),
        BareItemFromInput::Date(date) => Cow::Owned(date.to_string()),
        _ => return None,
    })
}
