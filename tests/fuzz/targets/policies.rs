//! Every system's columns for a page whose site's robots.txt is its own body.

#![no_main]

use crawlprefs::evidence::Fields;
use crawlprefs::robots::Extent;
use crawlprefs::systems::{Page, SYSTEMS, Value};
use crawlprefs::verdict::{AgentsTable, Resolver, RobotsState, SitePolicy};
use crawlprefs::web::column::{Column, Kind, Nulls};
use crawlprefs::web::field::Field;
use crawlprefs::web::path_pattern::UrlPath;
use fuzzing::{response, viewpoint};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static RESOLVER: LazyLock<Resolver> = LazyLock::new(|| {
    let table = AgentsTable::read("token\nGPTBot\nCCBot\n").expect("a table");
    Resolver::new(viewpoint(), &table)
});

/// Tells whether a text may stand in a column: some engines refuse NUL.
fn is_text(text: &str) -> bool {
    !text.contains('\0')
}

fn fits(value: &Value, column: &Column) -> bool {
    match (value, column.kind) {
        (Value::Null, _) => column.nulls == Nulls::Allowed,
        (Value::Word(_), Kind::Text) | (Value::Truth(_), Kind::Boolean) => true,
        (Value::Text(text), Kind::Text) => is_text(text),
        (Value::Texts(texts), Kind::List(Kind::Text)) => texts.iter().all(|text| is_text(text)),
        (Value::Structs(rows), Kind::Structs(fields)) => rows.iter().all(|row| {
            let cell = |(cell, field): (&Option<String>, &Column)| match cell {
                Some(text) => is_text(text),
                None => field.nulls == Nulls::Allowed,
            };
            row.len() == fields.len() && row.iter().zip(fields).all(cell)
        }),
        _ => false,
    }
}

fn check(policy: Option<&SitePolicy>, state: RobotsState, path: &UrlPath, fields: &[Field<'_>]) {
    let crawl = RESOLVER.crawl(state, policy, Some(path)).access;
    let page =
        Page { host: Some("a.example"), media_type: Some("text/html"), path: Some(path), crawl, fields };
    for (system, policy) in SYSTEMS.iter().zip(RESOLVER.policies(policy)) {
        let [first, second] = [(), ()].map(|()| {
            let mut values = Vec::new();
            policy.answer(&page, RESOLVER.viewpoint(), &mut values);
            values
        });
        assert_eq!(first, second, "{}", system.system());
        assert_eq!(first.len(), system.columns().len(), "{}", system.system());
        for (value, column) in first.iter().zip(system.columns()) {
            assert!(fits(value, column), "{}: {value:?}", column.name);
        }
    }
}

fuzz_target!(|input: &[u8]| {
    let mut taken = Fields::default();
    let body = response(input, &mut taken);
    let fields: Vec<Field<'_>> = taken.iter().collect();
    let policy = RESOLVER.compile(body, Extent::Whole);
    for path in [&b"/"[..], b"/a/b?c=d", b"/robots.txt"] {
        let path = UrlPath::new(path, None);
        check(Some(&policy), RobotsState::Parsed, &path, &fields);
        check(None, RobotsState::NotArchived, &path, &fields);
    }
});
