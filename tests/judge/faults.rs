//! Files that cannot be judged, and calls that cannot run.

use crate::fixture::{judge, run, tables};
use std::fs;

#[test]
fn local_a_bad_file_is_named_with_what_is_wrong_and_the_others_go_on() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let good = b"{\"url\":\"https://a.example/\"}\n";
    let files: [(&str, &[u8], &str); 7] = [
        (
            "cut.jsonl",
            b"{\"url\":\"https://a.example/\"}\n{\"url\":\"htt",
            "line 2: not a JSON object, or cut off",
        ),
        (
            "none.jsonl",
            b"{\"link\":\"https://a.example/\"}\n",
            "no line has a member url or metadata.url or metadata.WARC-Target-URI with a string",
        ),
        (
            "twice.jsonl",
            b"{\"url\":\"x\",\"prefs_access\":\"allow\"}\n",
            "line 1: it has a member prefs_access already; see --prefix",
        ),
        (
            "cut.jsonl.zst",
            &zstd::encode_all(&good[..], 1).expect("zstd")[..20],
            "after line 0: ",
        ),
        ("cut.parquet", b"PAR1 and no more", "Invalid Parquet file"),
        ("gone.parquet", b"PAR1", "Parquet file too small"),
        ("good.jsonl", good, ""),
    ];
    for (name, bytes, _) in files {
        fs::write(folder.path().join(name), bytes).expect("a file");
    }
    let out = folder.path().join("out");
    let inputs: Vec<_> = files
        .iter()
        .map(|(name, _, _)| folder.path().join(name))
        .collect();
    let inputs: Vec<&std::path::Path> = inputs.iter().map(std::path::PathBuf::as_path).collect();
    let (status, text) = judge(&inputs, &out, &[]);
    assert_eq!(status, 3, "{text}");
    assert!(text.contains("6 of 7 inputs failed"), "{text}");
    for (name, bytes, detail) in files {
        let line = text
            .lines()
            .find(|line| line.contains(&format!(" {name}: ")));
        assert_eq!(line.is_some(), !detail.is_empty(), "{name}: {text}");
        assert!(
            line.is_none_or(|line| line.contains(detail)),
            "{name}: {text}"
        );
        assert_eq!(
            out.join(name).exists(),
            detail.is_empty(),
            "{name} {bytes:?}"
        );
    }
    let flags = ["-q", "--max-failed", "7", "--format", "parquet"];
    let (_, text) = judge(&inputs, &folder.path().join("parquet"), &flags);
    assert!(
        text.contains("good.jsonl: it has lines, which are not converted to Parquet"),
        "{text}"
    );
    let (status, text) = judge(
        &inputs,
        &folder.path().join("more"),
        &["-q", "--max-failed", "6"],
    );
    assert_eq!(status, 0, "{text}");
}

#[test]
fn local_a_call_that_cannot_run_says_why() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (one, other) = (
        folder.path().join("a.jsonl"),
        folder.path().join("b/a.jsonl"),
    );
    fs::create_dir(folder.path().join("b")).expect("a folder");
    for file in [&one, &other] {
        fs::write(file, "{\"url\":\"https://a.example/\"}\n").expect("a file");
    }
    let out = folder.path().join("out");
    let (status, text) = judge(&[&one, &other], &out, &[]);
    assert!(
        status == 1 && text.contains("two inputs would be written to a.jsonl"),
        "{text}"
    );
    let (status, text) = judge(&[&folder.path().join("gone")], &out, &[]);
    assert!(
        status == 1 && text.contains("no such file or folder"),
        "{text}"
    );
    let (another, empty) = (folder.path().join("c.jsonl"), folder.path().join("b"));
    fs::copy(&one, &another).expect("a copy");
    let (one, another, tables) = (one.to_string_lossy(), another.to_string_lossy(), tables());
    for (args, expected) in [
        (
            &["judge", &one, &another, "--tables", &tables][..],
            "give a folder for the documents with -o",
        ),
        (
            &["judge", &one, "--tables", &empty.to_string_lossy()],
            "no tables there",
        ),
        (
            &[
                "judge",
                &one,
                "--tables",
                &tables,
                "--agents",
                "data/agents.tsv",
                "--vocab",
                "04",
            ],
            "give the same files again: --vocab FILE",
        ),
    ] {
        let ran = run(args, b"");
        let text = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(
            ran.status.code() == Some(1) && text.contains(expected),
            "{text}"
        );
    }
}

#[test]
fn local_csv_is_refused_and_a_policy_that_is_misspelled_names_the_presets() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in [
        ("a.csv", "https://a.example/\n"),
        ("b.txt", "url,date\nhttps://a.example/,2026-08-10\n"),
        ("c.txt", "\"url\"\t\"id\"\nhttps://a.example/\t1\n"),
        ("d.tsv", "https://a.example/\t1\n"),
    ] {
        let input = folder.path().join(name);
        fs::write(&input, text).expect("a file");
        let (status, text) = judge(&[&input], &folder.path().join("out"), &[]);
        assert!(
            status == 3 && text.contains("it looks like CSV, which is not read"),
            "{name}: {text}"
        );
    }
    let list = folder.path().join("e.txt");
    fs::write(&list, "https://a.example/?a=1,2\nhttps://b.example/\n").expect("a file");
    let (status, text) = judge(&[&list], &folder.path().join("out"), &[]);
    assert_eq!(status, 0, "{text}");
    let (status, text) = judge(
        &[&list],
        &folder.path().join("other"),
        &["--policy", "label"],
    );
    assert!(
        status == 2
            && text.contains(
                "--policy label: neither one of robots, labels, strict nor a file; try --policy labels"
            ),
        "{text}"
    );
}

#[test]
fn local_epochs_and_other_names_of_dates_are_read() {
    let url = "https://rep.example/private/x";
    for line in [
        format!("{{\"url\":\"{url}\",\"Date\":\"2026-08-10T09:00:00Z\"}}"),
        format!("{{\"url\":\"{url}\",\"timestamp\":1786352400}}"),
        format!("{{\"url\":\"{url}\",\"date\":1786352400000}}"),
        format!("{{\"url\":\"{url}\",\"date\":\"1786352400\"}}"),
    ] {
        assert_eq!(
            crate::fixture::judged(&line, &[])[0]["prefs_access"],
            "disallow",
            "{line}"
        );
    }
    let line = format!("{{\"url\":\"{url}\",\"date\":202608}}");
    assert_eq!(
        crate::fixture::judged(&line, &[])[0]["prefs_reason"],
        "undated"
    );
}
