//! Exceptions of a policy hold for what they name, and for nothing else; rules are asked at the times that they name.

use crate::fixture::{judge, judged, pages, write_lines, write_parquet};
use arrow_array::{ArrayRef, StringArray};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::Arc;

const DATE: &str = "2026-08-10T08:00:00Z";

fn document(url: &str, language: &str) -> Value {
    json!({"url": url, "date": DATE, "language": language, "metadata": {"license": "cc0"}, "text": "a"})
}

/// Judges documents by a policy; returns the URLs that are kept, and the reasons of the others in their order.
fn sorted(folder: &Path, policy: &str, documents: &[Value]) -> (Vec<String>, Vec<String>) {
    let (input, file) = (folder.join("a.jsonl"), folder.join("policy.toml"));
    write_lines(&input, documents);
    fs::write(&file, policy).expect("a file");
    let (kept, dropped) = (folder.join("kept"), folder.join("dropped"));
    let flags = [
        "--policy",
        &file.to_string_lossy(),
        "--overwrite",
        "--dropped",
        &dropped.to_string_lossy(),
    ];
    let (status, text) = judge(&[&input], &kept, &flags);
    assert_eq!(status, 0, "{text}");
    let values = |folder: &Path, name: &str| -> Vec<String> {
        // A folder has no file without rows.
        let text = fs::read_to_string(folder.join("a.jsonl")).unwrap_or_default();
        let value = |line| {
            serde_json::from_str::<Value>(line).expect("JSON")[name]
                .as_str()
                .map(str::to_owned)
        };
        text.lines()
            .map(|line| value(line).unwrap_or_default())
            .collect()
    };
    (values(&kept, "url"), values(&dropped, "reason"))
}

#[test]
fn local_a_list_that_a_policy_names_is_a_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (input, file) = (
        folder.path().join("a.jsonl"),
        folder.path().join("policy.toml"),
    );
    write_lines(&input, &[document("https://rep.example/x", "en")]);
    let pipe = folder.path().join("pipe.txt");
    let made = std::process::Command::new("mkfifo")
        .arg(&pipe)
        .status()
        .expect("mkfifo");
    assert!(made.success());
    for list in ["pipe.txt", "/dev/zero.txt/../zero", "/dev/zero", "."] {
        let policy = format!("[[except]]\nname = 'partners'\ndomains = '{list}'\nrule = 'keep'\n");
        fs::write(&file, policy).expect("a file");
        let flags = ["--policy", &file.to_string_lossy()];
        let (status, text) = judge(&[&input], &folder.path().join("kept"), &flags);
        assert_eq!(status, 1, "{list}: {text}");
    }
    let columns: Vec<String> = (0..100_000)
        .map(|number| format!("c{number} = 'x'"))
        .collect();
    let policy = format!(
        "[[except]]\nname = 'x'\nrule = 'keep'\n[except.columns]\n{}\n",
        columns.join("\n")
    );
    fs::write(&file, policy).expect("a file");
    let (status, text) = judge(
        &[&input],
        &folder.path().join("kept"),
        &["--policy", &file.to_string_lossy()],
    );
    assert!(
        status == 1 && text.contains("found 100000 columns, expected at most 1024"),
        "{status}: {text}"
    );
    // A policy without an end is none.
    let (status, text) = judge(
        &[&input],
        &folder.path().join("kept"),
        &["--policy", "/dev/zero"],
    );
    assert!(status == 1 && text.contains("found more than"), "{text}");
}

#[test]
fn local_a_pipe_in_a_folder_of_documents_is_skipped_with_a_warning() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let input = folder.path().join("in");
    fs::create_dir(&input).expect("a folder");
    write_lines(
        &input.join("a.jsonl"),
        &[document("https://rep.example/x", "en")],
    );
    let made = std::process::Command::new("mkfifo")
        .arg(input.join("b.jsonl"))
        .status()
        .expect("mkfifo");
    assert!(made.success());
    let (status, text) = judge(&[&input], &folder.path().join("kept"), &[]);
    assert_eq!(status, 0, "{text}");
    assert!(
        text.contains("b.jsonl: skipped, because it is not a regular file"),
        "{text}"
    );
}

#[test]
fn local_an_exception_holds_for_its_hosts_and_domains_and_for_no_other() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let urls = [
        "https://rep.example/private/x",
        "https://REP.example./private/x",
        "https://www.rep.example/private/x",
        "https://notrep.example/private/x",
        "https://rep.example.evil.example/private/x",
        "https://a@evil.example/rep.example",
        "https://evil.example/?rep.example",
        "mailto:a@rep.example",
    ];
    let documents: Vec<Value> = urls.iter().map(|url| document(url, "en")).collect();
    let policy = |sites: &str| format!("[[except]]\nname = 'partners'\n{sites}\nrule = 'keep'\n");
    let (kept, _) = sorted(
        folder.path(),
        &policy("hosts = ['Rep.Example']"),
        &documents,
    );
    assert_eq!(kept, urls[..2]);
    let (kept, _) = sorted(
        folder.path(),
        &policy("domains = ['rep.example']"),
        &documents,
    );
    assert_eq!(kept, urls[..3]);
    let cost = fs::read_to_string(folder.path().join("_kept.judge/cost.json")).expect("costs");
    let cost: Value = serde_json::from_str(&cost).expect("JSON");
    assert_eq!(cost["kept_by_exception"]["partners"]["documents"], 3);
    // A file beside the policy; its bytes are part of what identifies the policy.
    let digest = || {
        let text =
            fs::read_to_string(folder.path().join("_kept.judge/_judge.json")).expect("a file");
        let judgement: Value = serde_json::from_str(&text).expect("JSON");
        let text = |name: &str| judgement["policy"][name].as_str().expect("text").to_owned();
        assert!(text("written").contains("\n[lists]\n\"partners.txt\" = \""));
        text("sha256")
    };
    let list = folder.path().join("partners.txt");
    fs::write(&list, "# ours\n\n rep.example \n").expect("a file");
    let (kept, _) = sorted(
        folder.path(),
        &policy("domains = 'partners.txt'"),
        &documents,
    );
    assert_eq!(kept, urls[..3]);
    let first = digest();
    fs::write(&list, "notrep.example\n").expect("a file");
    let (kept, _) = sorted(
        folder.path(),
        &policy("domains = 'partners.txt'"),
        &documents,
    );
    assert_eq!(kept, urls[3..4]);
    assert_ne!(digest(), first);
}

#[test]
fn local_an_exception_holds_for_values_of_columns_and_names_its_reasons() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let policy = "preset = 'robots'
[[except]]
name = 'german'
columns = { language = ['de', 'at'], 'metadata.license' = 'cc0' }
rule = 'keep'
[[except]]
name = 'careful'
columns = { language = 'fr' }
rule = 'strict'
";
    let closed = "https://rep.example/private/x";
    let mut documents: Vec<Value> = ["de", "DE", "d", "de ", "en"]
        .iter()
        .map(|language| document(closed, language))
        .collect();
    documents.push(
        json!({"url": closed, "date": DATE, "language": "de", "metadata": {"license": "cc-by"}}),
    );
    documents.push(
        json!({"url": closed, "date": DATE, "language": ["de"], "metadata": {"license": "cc0"}}),
    );
    documents.push(document("https://rep.example/", "fr"));
    documents.push(document("https://rep.example/", "en"));
    let (kept, reasons) = sorted(folder.path(), policy, &documents);
    assert_eq!(kept, [closed, "https://rep.example/"]);
    assert_eq!(reasons[..6], ["access_disallow"; 6]);
    assert_eq!(reasons[6..], ["careful:not_seen"]);
    // Two members of one name: readers differ in which one they take.
    let lines = format!("{}\n", documents[0]).replace(
        "\"language\":\"de\"",
        "\"language\":\"de\",\"language\":\"en\"",
    );
    assert!(
        judged(
            &lines,
            &[
                "--policy",
                &folder.path().join("policy.toml").to_string_lossy()
            ]
        )
        .is_empty()
    );
    // A file without the column is refused.
    let without = folder.path().join("b.jsonl");
    write_lines(
        &without,
        [&json!({"url": closed, "metadata": {"license": "cc0"}})],
    );
    let urls = folder.path().join("urls.txt");
    fs::write(&urls, format!("{closed}\n")).expect("a file");
    let parquet = folder.path().join("b.parquet");
    let text = |value: &str| -> ArrayRef { Arc::new(StringArray::from(vec![value])) };
    write_parquet(
        &parquet,
        vec![("url", text(closed)), ("language", text("de"))],
    );
    let policy = folder
        .path()
        .join("policy.toml")
        .to_string_lossy()
        .into_owned();
    for (file, expected) in [
        (&without, "no line has a member language"),
        (&urls, "a list of URLs has no language"),
        (&parquet, "no column metadata.license"),
    ] {
        let (status, text) = judge(
            &[file],
            &folder.path().join("other"),
            &["--policy", &policy],
        );
        assert!(status == 3 && text.contains(expected), "{text}");
    }
}

#[test]
fn local_an_exception_for_a_site_keeps_no_document_whose_record_is_of_another_one() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let policy =
        "preset = 'robots'\n[[except]]\nname = 'a'\nhosts = ['partner.example']\nrule = 'keep'\n";
    let (closed, _) = pages()
        .into_iter()
        .find(|(_, verdict)| verdict["access"] == "disallow")
        .expect("a closed page");
    let mut forged = document("https://partner.example/", "en");
    forged["id"] = closed["id"].clone();
    let documents = [document("https://partner.example/", "en"), forged];
    let (kept, reasons) = sorted(folder.path(), policy, &documents);
    assert_eq!(
        (kept.len(), reasons),
        (1, vec!["access_disallow".to_owned()])
    );
    // Each of several URLs has to be one of the exception's.
    let line = |page: &str| {
        json!({"image": "https://partner.example/a.png", "page": page}).to_string() + "\n"
    };
    let file = folder
        .path()
        .join("policy.toml")
        .to_string_lossy()
        .into_owned();
    let flags = [
        "--url", "image", "--url", "page", "--at", "newest", "--policy", &file, "--audit",
    ];
    assert!(judged(&line("https://rep.example/private/x"), &flags).is_empty());
    let kept = judged(&line("https://partner.example/"), &flags);
    assert_eq!(kept[0]["prefs_exception"], "a");
}

#[test]
fn local_a_bad_exception_is_refused_with_what_is_expected() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (input, file) = (
        folder.path().join("a.jsonl"),
        folder.path().join("policy.toml"),
    );
    write_lines(&input, [&document("https://rep.example/", "en")]);
    fs::write(folder.path().join("empty.txt"), "# none\n").expect("a file");
    for (text, expected) in [
        (
            "name = 'a'\nrule = 'keep'",
            "except a: expected hosts, domains or columns",
        ),
        (
            "name = 'a'\nrule = 'keep'\nhosts = []",
            "except a: found no host, expected some",
        ),
        (
            "name = 'a'\nrule = 'keep'\nhosts = ['*.a.example']",
            "found *.a.example, expected a host such as",
        ),
        (
            "name = 'a'\nrule = 'keep'\ndomains = ['https://a.example/']",
            "expected a host such as a.example",
        ),
        (
            "name = 'a'\nrule = 'keep'\ndomains = 'nowhere.txt'",
            "nowhere.txt: cannot be read",
        ),
        (
            "name = 'a'\nrule = 'keep'\ndomains = 'empty.txt'",
            "found no host, expected some",
        ),
        (
            "name = 'a'\nrule = 'drop'\nhosts = ['a.example']",
            "except a: rule: found drop, expected one of robots",
        ),
        (
            "name = 'a:b'\nrule = 'keep'\nhosts = ['a.example']",
            "expected a name of its own",
        ),
        (
            "name = 'a'\nrule = 'keep'\ncolumns = { language = [] }",
            "expected values of language",
        ),
        (
            "name = 'a'\nrule = 'keep'\ncolumns = { language = 5 }",
            "expected a text, or a list of texts",
        ),
        (
            "name = 'a'\nrule = 'keep'\nhost = ['a.example']",
            "unknown field `host`",
        ),
    ] {
        fs::write(&file, format!("[[except]]\n{text}\n")).expect("a file");
        let (status, found) = judge(
            &[&input],
            &folder.path().join("out"),
            &["--policy", &file.to_string_lossy()],
        );
        assert!(
            status == 1 && found.contains(expected),
            "expected {expected} in {found}"
        );
    }
    fs::write(folder.path().join("list.txt"), "a.example\n").expect("a file");
    fs::write(
        &file,
        "[[except]]\nname = 'a'\nrule = 'keep'\nhosts = 'list.txt'\n[lists]\n'list.txt' = '00'\n",
    )
    .expect("a file");
    let (status, found) = judge(
        &[&input],
        &folder.path().join("out"),
        &["--policy", &file.to_string_lossy()],
    );
    assert!(
        status == 1 && found.contains("lists: the files have other digests"),
        "{found}"
    );
}

#[test]
fn local_rules_are_asked_at_the_times_that_they_name() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let early = |url: &str| json!({"url": url, "date": "2014-01-01T00:00:00Z"});
    let now = |url: &str| json!({"url": url, "date": "2026-10-01T00:00:00Z"});
    let twice = json!({"url": "https://twice.example/", "date": "2026-08-10T07:30:00Z"});
    let documents = [
        early("https://rep.example/"),
        early("https://rep.example/private/x"),
        early("https://nobody.example/"),
        now("https://rep.example/private/x"),
        now("https://ai-training.example/"),
        twice.clone(),
    ];
    let by = |policy: &str| sorted(folder.path(), policy, &documents);
    let (kept, reasons) = by("at = 'page'");
    assert_eq!(kept, ["https://twice.example/"]);
    assert_eq!(
        reasons,
        [
            "site_later",
            "site_later",
            "site_unknown",
            "access_disallow",
            "train_ai_disallow"
        ]
    );
    // Where nothing is known of the time of the page, what the site says now counts.
    let (kept, reasons) = by("at = 'page, else newest'");
    assert_eq!(kept, ["https://rep.example/", "https://twice.example/"]);
    assert_eq!(
        reasons,
        [
            "access_disallow@newest",
            "site_unknown@newest",
            "access_disallow@page",
            "train_ai_disallow@page"
        ]
    );
    let (kept, reasons) = by("at = { access = 'page, else newest', labels = 'newest' }");
    assert_eq!(kept, ["https://rep.example/", "https://twice.example/"]);
    assert_eq!(reasons[3], "train_ai_disallow@newest");
    let (kept, _) = by("at = { access = ['page', 'newest'], labels = 'page' }");
    assert!(kept.is_empty());
    for (text, expected) in [
        ("at = { access = 'page' }", "expected page, newest"),
        ("at = 'page, else page'", "page is named twice"),
        (
            "at = ['page, else newest', 'newest']",
            "newest is named twice",
        ),
        ("at = 'page else newest'", "expected a time such as"),
    ] {
        let file = folder.path().join("policy.toml");
        fs::write(&file, text).expect("a file");
        let input = folder.path().join("a.jsonl");
        let (status, found) = judge(
            &[&input],
            &folder.path().join("out"),
            &["--policy", &file.to_string_lossy()],
        );
        assert!(status == 1 && found.contains(expected), "{text}: {found}");
    }
}

#[test]
fn local_the_summary_counts_ages_where_they_are_asked_for() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let input = folder.path().join("a.jsonl");
    let at = |date: &str| json!({"url": "https://rep.example/", "date": date});
    write_lines(
        &input,
        &[
            at("2026-08-12"),
            at("2026-10-12"),
            at("2030-01-01"),
            at("2014-01-01"),
        ],
    );
    let file = folder.path().join("policy.toml");
    fs::write(&file, "preset = 'robots'\nmax_age = '365d'\n").expect("a file");
    let line = "  age of robots.txt: up to 30 days 1, up to 365 1, more 1, without one 1\n";
    for (flags, is_shown) in [
        (vec!["--columns", "robots_age_days"], true),
        (vec!["--policy", file.to_str().expect("UTF-8")], true),
        (vec!["--policy", "robots"], false),
    ] {
        let (status, text) = judge(
            &[&input],
            &folder.path().join("out"),
            &[&flags[..], &["--overwrite"]].concat(),
        );
        assert!(
            status == 0 && text.contains(line) == is_shown,
            "{flags:?}: {text}"
        );
    }
}
