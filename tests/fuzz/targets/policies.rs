//! Every system's columns for a page whose body is also each of its site's files.

#![no_main]

use crawlprefs::evidence::Fields;
use crawlprefs::systems::{SYSTEMS, Value};
use crawlprefs::verdict::timeline::FetchOutcome;
use crawlprefs::verdict::{AgentsTable, FilesOfSites, GivenBodies, PageRecord, Resolver};
use crawlprefs::web::capture_kind::CaptureKind;
use crawlprefs::web::column::{Column, ColumnKind, Nulls};
use crawlprefs::web::field::Field;
use crawlprefs::web::origin::Origin;
use crawlprefs::web::url::PageUrl;
use fuzzing::{response, viewpoint};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static RESOLVER: LazyLock<Resolver> = LazyLock::new(|| {
    let table = AgentsTable::read("token\nGPTBot\nCCBot\n").expect("a table");
    Resolver::new(viewpoint(), &table)
});

/// Returns whether a text may be in a column: some engines refuse NUL.
fn is_text(text: &str) -> bool {
    !text.contains('\0')
}

fn fits(value: &Value, column: &Column) -> bool {
    match (value, column.kind) {
        (Value::Null, _) => column.nulls == Nulls::Allowed,
        (Value::Word(_), ColumnKind::Text) | (Value::Truth(_), ColumnKind::Boolean) => true,
        (Value::Text(text), ColumnKind::Text) => is_text(text),
        (Value::Texts(texts), ColumnKind::List(ColumnKind::Text)) => {
            texts.iter().all(|text| is_text(text))
        }
        (Value::Structs(rows), ColumnKind::Structs(fields)) => rows.iter().all(|row| {
            let cell = |(cell, field): (&Option<String>, &Column)| match cell {
                Some(text) => is_text(text),
                None => field.nulls == Nulls::Allowed,
            };
            row.len() == fields.len() && row.iter().zip(fields).all(cell)
        }),
        _ => false,
    }
}

fn check(index: &FilesOfSites<GivenBodies>, url: &str, fields: &[Field<'_>]) {
    let url = PageUrl::new(url.as_bytes()).expect("a URL");
    let site = index.given(&Origin::new(&url), &RESOLVER);
    let page = PageRecord::new(Some(url), Some("text/html"), fields, &[]);
    let (decision, again) = (RESOLVER.decide(&page, &site), RESOLVER.decide(&page, &site));
    assert!(decision.values().eq(again.values()));
    assert_eq!(decision.answers.len(), SYSTEMS.len());
    for answer in &decision.answers {
        assert_eq!(
            answer.values.len(),
            answer.about.columns.len(),
            "{}",
            answer.about.name
        );
        for (value, column) in answer.values.iter().zip(answer.about.columns) {
            assert!(fits(value, column), "{}: {value:?}", column.name);
        }
    }
}

fuzz_target!(|input: &[u8]| {
    let mut taken = Fields::default();
    let body = response(input, &mut taken);
    let fields: Vec<Field<'_>> = taken.iter().collect();
    let origin = Origin::new(&PageUrl::new(b"https://a.example/").expect("a URL"));
    let kinds = CaptureKind::ALL
        .into_iter()
        .filter(|kind| !kind.paths().is_empty());
    let files: Vec<_> = kinds
        .map(|kind| (kind, FetchOutcome::Status(200), body))
        .collect();
    for index in [
        FilesOfSites::of_files(&origin, &files),
        FilesOfSites::of_files(&origin, &[]),
    ] {
        for path in ["/", "/a/b?c=d", "/robots.txt"] {
            check(&index, &format!("https://a.example{path}"), &fields);
        }
    }
});
