//! Two viewpoints never share an output: another one is refused, replaces, or is elsewhere.

use crate::files::files;
use crate::fixture::{run, sample};
use crate::resolved::{resolve, rows, try_resolve, view, view_of};
use crawlprefs::error::Error;
use crawlprefs::job::ResolveOptions;
use crawlprefs::runs::Existing;
use crawlprefs::systems::aipref_vocab::Vocabulary;
use crawlprefs::verdict::AgentsTable;
use crawlprefs::web::product_token::TokenMatch;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::collections::{BTreeMap, BTreeSet};
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
        evidence_tables()
            .iter()
            .chain(&marks)
            .any(|start| name.starts_with(start))
    };
    files(out)
        .into_iter()
        .filter(|(name, _)| of_scan(name))
        .collect()
}

fn agents(table: &str) -> ResolveOptions {
    let mut options = view();
    options.tables.agents = AgentsTable::read(table).expect("an agents table");
    options
}

fn own_vocabulary(lines: &str) -> ResolveOptions {
    let mut options = view();
    options.tables.viewpoint.vocabulary =
        Vocabulary::from_lines("03", lines.as_bytes()).expect("a vocabulary");
    options
}

fn vocabulary(name: &str) -> ResolveOptions {
    let mut options = view();
    options.tables.viewpoint.vocabulary = Vocabulary::named(name).expect("a vocabulary");
    options
}

#[test]
fn local_another_viewpoint_is_refused_and_the_difference_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    run(sample(), folder.path(), 2);
    resolve(folder.path(), folder.path(), &view());
    let before = files(folder.path());
    let mut prefix = view();
    prefix.tables.viewpoint.token_match = TokenMatch::Prefix;
    let mut slack = view();
    slack.tables.slack = Duration::from_hours(3);
    let digest = footer_value(folder.path(), "agents_digest");
    let agents_differ = format!("agents_digest is {digest}, not TY64LWKXE35T5MROZRCL2NW7Q7KLZWH4");
    for (options, expected) in [
        (view_of("GPTBot"), "agent is CCBot, not GPTBot"),
        (vocabulary("07"), "vocabulary is 03, not 07"),
        (prefix, "token_match is exact, not prefix"),
        (slack, "robots_slack_s is 0, not 10800"),
        (agents("token\nMyBot\n"), &*agents_differ),
        (
            own_vocabulary("bots\n"),
            "vocabulary_file is none, not LND3GDQWSCD5Y4M637AENBYPWWLZT7NE",
        ),
    ] {
        let refused = try_resolve(folder.path(), folder.path(), &options);
        let Err(Error::OutputOfAnotherRun { difference, .. }) = &refused else {
            panic!("{refused:?}")
        };
        assert_eq!(difference, expected);
        assert!(files(folder.path()) == before, "{expected}");
    }
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
    assert!(
        !elsewhere.is_empty()
            && elsewhere
                .iter()
                .all(|(name, bytes)| before.get(name) == Some(bytes))
    );
    let is_evidence = |name: &str| {
        evidence_tables()
            .iter()
            .any(|table| name.starts_with(table))
    };
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
        assert!(
            matches!(refused, Err(Error::OutputForeign { .. })),
            "{refused:?}"
        );
        assert!(files(&foreign) == before);
    }
}

/// Returns what the footer of the first part of `sites` says.
fn footer_value(out: &Path, key: &str) -> String {
    let crawl = std::fs::read_dir(out.join("sites"))
        .expect("sites")
        .next()
        .expect("a crawl")
        .expect("a folder");
    let part = std::fs::read_dir(crawl.path())
        .expect("parts")
        .next()
        .expect("a part")
        .expect("a file");
    let file = std::fs::File::open(part.path()).expect("a file");
    let reader = SerializedFileReader::new(file).expect("Parquet");
    let pairs = reader
        .metadata()
        .file_metadata()
        .key_value_metadata()
        .expect("a footer")
        .clone();
    let found = pairs
        .into_iter()
        .find(|pair| pair.key == format!("crawlprefs.{key}"));
    found
        .and_then(|pair| pair.value)
        .unwrap_or_else(|| panic!("{key} is not in the footer"))
}

/// ClaudeBot was once 0 % closed in one of two runs: its agents table did not have it.
#[test]
fn local_the_agents_table_is_in_every_footer_bundled_or_not_and_sites_name_the_viewpoint() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (bundled, own) = (folder.path().join("bundled"), folder.path().join("own"));
    run(sample(), &bundled, 2);
    run(sample(), &own, 2);
    resolve(&bundled, &bundled, &view());
    resolve(&own, &own, &agents("# Version: mine 7\ntoken\nMyBot\n"));
    assert_eq!(footer_value(&own, "agents_version"), "mine 7");
    assert_eq!(
        footer_value(&own, "agents_digest"),
        "TY64LWKXE35T5MROZRCL2NW7Q7KLZWH4"
    );
    let version = footer_value(&bundled, "agents_version");
    assert_eq!(Some(version.as_str()), AgentsTable::bundled().version());
    assert_ne!(
        footer_value(&bundled, "agents_digest"),
        footer_value(&own, "agents_digest")
    );
    let viewpoints = |out| -> BTreeSet<String> {
        rows(out, "sites")
            .iter()
            .map(|row| row.text("viewpoint").expect("a viewpoint").to_owned())
            .collect()
    };
    let wanted = "agent CCBot, vocabulary 03, token_match exact, agents_version mine 7, \
                  agents_digest TY64LWKXE35T5MROZRCL2NW7Q7KLZWH4, rules_version ";
    let found = viewpoints(&own);
    assert!(
        found.len() == 1 && found.iter().all(|viewpoint| viewpoint.starts_with(wanted)),
        "{found:?}"
    );
    assert!(viewpoints(&bundled).is_disjoint(&found));
}
