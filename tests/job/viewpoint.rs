//! Two viewpoints never share an output: another one is refused, replaces, or is elsewhere.

use crate::files::files;
use crate::fixture::{run, sample};
use crate::resolved::{resolve, resolve_with, try_resolve, view, view_of};
use crawlprefs::error::Error;
use crawlprefs::job::{Existing, ResolveOptions, Silent};
use crawlprefs::systems::aipref_vocab::Vocabulary;
use crawlprefs::verdict::AgentsTable;
use crawlprefs::web::product_token::TokenMatch;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// The tables that a scan writes.
fn evidence_tables() -> [&'static str; 2] {
    ["evidence/captures/", "evidence/site_files/"]
}

/// Returns the files that a scan wrote.
fn evidence(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let of_scan = |name: &str| {
        let marks = ["_manifest/", "_crawlprefs.json"];
        evidence_tables().iter().chain(&marks).any(|start| name.starts_with(start))
    };
    files(out).into_iter().filter(|(name, _)| of_scan(name)).collect()
}

fn agents(table: &str) -> ResolveOptions {
    let mut options = view();
    options.agents = AgentsTable::read(table).expect("an agents table");
    options
}

fn own_vocabulary(lines: &str) -> ResolveOptions {
    let mut options = view();
    options.viewpoint.vocabulary = Vocabulary::from_lines("03", lines.as_bytes()).expect("a vocabulary");
    options
}

fn vocabulary(name: &str) -> ResolveOptions {
    let mut options = view();
    options.viewpoint.vocabulary = Vocabulary::named(name).expect("a vocabulary");
    options
}

#[test]
fn local_another_viewpoint_is_refused_and_the_difference_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    run(sample(), folder.path(), 2);
    resolve(folder.path(), folder.path(), &view());
    let before = files(folder.path());
    let mut prefix = view();
    prefix.viewpoint.token_match = TokenMatch::Prefix;
    let mut slack = view();
    slack.slack = Duration::from_hours(3);
    for (options, expected) in [
        (view_of("GPTBot"), "agent is CCBot, not GPTBot"),
        (vocabulary("07"), "vocabulary is 03, not 07"),
        (prefix, "token_match is exact, not prefix"),
        (slack, "robots_slack_s is 0, not 10800"),
        (agents("token\nMyBot\n"), "agents_table is none, not TY64LWKXE35T5MROZRCL2NW7Q7KLZWH4"),
        (own_vocabulary("bots\n"), "vocabulary_file is none, not LND3GDQWSCD5Y4M637AENBYPWWLZT7NE"),
    ] {
        let refused = try_resolve(folder.path(), folder.path(), &options);
        let Err(Error::OutputOfAnotherRun { difference, .. }) = &refused else { panic!("{refused:?}") };
        assert_eq!(difference, expected);
        assert!(files(folder.path()) == before, "{expected}");
    }
    let later = Some(folder.path());
    let refused = resolve_with(folder.path(), later, folder.path(), &view(), &Silent);
    assert!(
        matches!(&refused, Err(Error::OutputOfAnotherRun { difference, .. }) if difference == "later is none, not given"),
        "{refused:?}"
    );
    assert!(files(folder.path()) == before);
}

#[test]
fn local_another_viewpoint_can_replace_and_leaves_the_evidence_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (out, fresh) = (folder.path().join("out"), folder.path().join("fresh"));
    run(sample(), &out, 2);
    run(sample(), &fresh, 2);
    resolve(&out, &out, &view());
    let before = evidence(&out);
    let mut options = view_of("GPTBot");
    options.existing = Existing::Replace;
    resolve(&out, &out, &options);
    assert!(evidence(&out) == before);
    resolve(&fresh, &fresh, &view_of("GPTBot"));
    assert!(files(&out) == files(&fresh));
}

#[test]
fn local_another_viewpoint_works_beside_in_a_folder_of_its_own() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = |name: &str| folder.path().join(name);
    run(sample(), &place("out"), 2);
    let one = resolve(&place("out"), &place("out"), &view());
    let before = files(&place("out"));
    let two = resolve(&place("out"), &place("gptbot"), &view_of("GPTBot"));
    assert!(files(&place("out")) == before);
    assert_ne!(one.access, two.access);
    // What is written depends on the viewpoint, and not on where it is.
    resolve(&place("out"), &place("ccbot"), &view());
    let mut elsewhere = files(&place("ccbot"));
    // It says where the evidence is.
    elsewhere.remove("_resolved.json").expect("the mark");
    assert!(!elsewhere.is_empty() && elsewhere.iter().all(|(name, bytes)| before.get(name) == Some(bytes)));
    let is_evidence = |name: &str| evidence_tables().iter().any(|table| name.starts_with(table));
    assert!(elsewhere.keys().all(|name| !is_evidence(name)));
}

#[test]
fn local_a_foreign_folder_is_no_output_for_a_viewpoint() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (out, foreign) = (folder.path().join("out"), folder.path().join("foreign"));
    run(sample(), &out, 2);
    fs::create_dir(&foreign).expect("it can be made");
    fs::write(foreign.join("thesis.tex"), "years of work").expect("it can be written");
    fs::create_dir(foreign.join("pages")).expect("it can be made");
    fs::write(foreign.join("pages/one.txt"), "a page of it").expect("it can be written");
    let before = files(&foreign);
    for existing in [Existing::Continue, Existing::Replace] {
        let mut options = view();
        options.existing = existing;
        let refused = try_resolve(&out, &foreign, &options);
        assert!(matches!(refused, Err(Error::OutputForeign { .. })), "{refused:?}");
        assert!(files(&foreign) == before);
    }
}
