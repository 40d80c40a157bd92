//! The command: messages, exit statuses, what is left behind. Each test is a user's first mistake.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

struct Ran {
    status: i32,
    out: String,
    err: String,
}

fn crawlprefs(args: &[&str]) -> Ran {
    ran(Command::new(env!("CARGO_BIN_EXE_crawlprefs"))
        .args(args)
        .output()
        .expect("the command starts"))
}

fn ran(output: Output) -> Ran {
    Ran {
        status: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// Runs a scan that must fail before it begins; nothing may be left behind.
fn refused(inputs: &[&str], message: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out");
    let mut args = vec!["scan"];
    args.extend(inputs);
    let out_text = out.to_string_lossy().into_owned();
    args.extend(["-o", &out_text]);
    let ran = crawlprefs(&args);
    assert_eq!(ran.status, 1, "{}", ran.err);
    assert!(
        ran.err.contains(message),
        "expected {message:?} in {:?}",
        ran.err
    );
    assert_eq!(
        (ran.err.lines().count(), ran.out.as_str()),
        (1, ""),
        "{}",
        ran.err
    );
    assert!(!out.exists(), "something was left behind");
}

#[test]
fn local_a_named_input_that_is_missing_stops_the_job() {
    refused(
        &["sample-data/local/site.warc", "sample-data/nowhere.warc.gz"],
        "sample-data/nowhere.warc.gz: no such file",
    );
    refused(&["@sample-data/nowhere.txt"], "nowhere.txt: no such file");
    refused(&["sample-data/nowhere/*.warc.gz"], "no archives there");
}

#[test]
fn local_a_folder_or_list_with_nothing_in_it_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    refused(
        &[&folder.path().to_string_lossy()],
        "no archives there; expected *.warc, *.arc, *.wat (also with .gz or .zst) or *.wacz",
    );
    let list = folder.path().join("list");
    fs::write(&list, "\n\n").expect("it can be written");
    refused(&[&format!("@{}", list.display())], "an empty list");
}

#[test]
fn local_two_inputs_of_one_name_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let copy = folder.path().join("site.warc");
    fs::copy("sample-data/local/site.warc", &copy).expect("a copy");
    refused(
        &["sample-data/local/site.warc", &copy.to_string_lossy()],
        "two inputs would have the name site.warc",
    );
}

#[test]
fn local_wrong_usage_has_a_status_of_its_own() {
    for args in [
        &["scan", "-o", "out"][..],
        &["scan", "sample-data"],
        &["scan", "sample-data", "-o", "out", "--slice", "3/2"],
        &["scan", "sample-data", "-o", "out", "--jobs", "0"],
        &["scan", "sample-data", "-o", "out", "--crawl", "a/b"],
        &["frobnicate"],
        &["schema", "no_table"],
    ] {
        assert_eq!(crawlprefs(args).status, 2, "{args:?}");
    }
}

#[test]
fn local_an_output_that_cannot_be_written_is_reported() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("file");
    fs::write(&file, "text").expect("it can be written");
    let ran = crawlprefs(&[
        "scan",
        "sample-data",
        "-o",
        &file.join("out").to_string_lossy(),
    ]);
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("cannot be written"), "{}", ran.err);
    let ran = crawlprefs(&[
        "scan",
        "sample-data",
        "-o",
        &folder.path().to_string_lossy(),
    ]);
    assert_eq!(ran.status, 1);
    assert!(
        ran.err
            .contains("not empty, and nothing in it says that crawlprefs wrote it"),
        "{}",
        ran.err
    );
    assert_eq!(fs::read_to_string(&file).expect("it is there"), "text");
}

#[test]
fn local_what_is_no_archive_is_a_failed_input() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out").to_string_lossy().into_owned();
    let args = ["scan", "sample-data/local", "README.md", "-o", &out];
    let ran = crawlprefs(&args);
    assert_eq!(ran.status, 3, "{}", ran.err);
    assert!(ran.err.contains("README.md: not_an_archive"), "{}", ran.err);
    assert!(ran.out.contains("failed inputs"), "{}", ran.out);
    let allowed = crawlprefs(&[&args[..], &["--max-failed", "1"]].concat());
    assert_eq!(allowed.status, 0, "{}", allowed.err);
}

#[test]
fn local_a_missing_input_of_a_list_is_a_row() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let list = folder.path().join("list");
    fs::write(&list, "local/site.warc\nlocal/gone.warc\n").expect("it can be written");
    let out = folder.path().join("out").to_string_lossy().into_owned();
    let list = list.to_string_lossy().into_owned();
    let ran = crawlprefs(&[
        "scan",
        "--paths-from",
        &list,
        "--base",
        "sample-data",
        "-o",
        &out,
    ]);
    assert_eq!(ran.status, 3, "{}", ran.err);
    assert!(ran.err.contains("local/gone.warc: missing"), "{}", ran.err);
}

#[test]
fn local_common_crawls_lists_work_as_they_are() {
    let ran = crawlprefs(&[
        "scan",
        "--dry-run",
        "-o",
        "unused",
        "--base",
        "sample-data",
        "--paths-from",
        "sample-data/robotstxt.paths.gz",
        "@sample-data/warc.paths.gz",
    ]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(
        lines[0],
        "crawl=CC-MAIN-2026-34 1786000000000.1-robotstxt-0000"
    );
    assert!(
        lines[1].starts_with(
            "  crawl-data/CC-MAIN-2026-34/segments/1786000000000.1/robotstxt/CC-MAIN-"
        )
    );
    assert_eq!(lines.len(), 2 + 4);
    assert!(!Path::new("unused").exists());
}

#[test]
fn local_standard_input_is_an_archive() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out").to_string_lossy().into_owned();
    let archive =
        fs::File::open("sample-data/local/site.warc").expect("sample-data is in the repository");
    let output = Command::new(env!("CARGO_BIN_EXE_crawlprefs"))
        .args(["scan", "local/site.warc=-", "--crawl", "MINE", "-o", &out])
        .stdin(Stdio::from(archive))
        .output();
    let ran = ran(output.expect("the command starts"));
    assert_eq!(ran.status, 0, "{}", ran.err);
    let manifests = fs::read_dir(Path::new(&out).join("_manifest/crawl=MINE")).expect("a crawl");
    let manifests: Vec<String> = manifests
        .map(|entry| fs::read_to_string(entry.expect("a manifest").path()).expect("text"))
        .collect();
    assert!(
        manifests.len() == 1 && manifests[0].contains("\"local/site.warc\""),
        "{manifests:?}"
    );
}

#[test]
fn local_quiet_says_nothing_when_all_is_well() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out").to_string_lossy().into_owned();
    let ran = crawlprefs(&["scan", "sample-data", "-q", "-o", &out]);
    assert_eq!(
        (ran.status, ran.out.as_str(), ran.err.as_str()),
        (0, "", "")
    );
}

#[test]
fn local_the_report_is_the_summary_as_json() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (out, report) = (folder.path().join("out"), folder.path().join("report.json"));
    let ran = crawlprefs(&[
        "scan",
        "sample-data",
        "-o",
        &out.to_string_lossy(),
        "--report",
        &report.to_string_lossy(),
    ]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let report: serde_json::Value =
        serde_json::from_slice(&fs::read(report).expect("a report")).expect("JSON");
    assert_eq!(
        (&report["inputs"], &report["records_lost"]),
        (&7.into(), &1.into())
    );
    assert!(
        report["seconds"]
            .as_f64()
            .is_some_and(|seconds| seconds > 0.0)
    );
}

#[test]
fn local_log_lines_can_be_json() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out").to_string_lossy().into_owned();
    let ran = crawlprefs(&[
        "scan",
        "README.md",
        "-q",
        "-o",
        &out,
        "--log-format",
        "json",
    ]);
    for line in ran.err.lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert!(line["level"].is_string() && line["message"].is_string());
    }
    assert_eq!((ran.status, ran.err.lines().count()), (3, 2), "{}", ran.err);
}

#[test]
#[cfg(unix)]
fn local_a_signal_stops_cleanly_with_its_status() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out");
    // A pipe that stays open: the job waits for more of it, and sees the signal when more comes.
    let mut child = Command::new(env!("CARGO_BIN_EXE_crawlprefs"))
        .args(["scan", "-", "-o", &out.to_string_lossy()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    let record = b"WARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
    let write = |pipe: &mut std::process::ChildStdin, count: usize| {
        use std::io::Write;
        (0..count).try_for_each(|_| pipe.write_all(record))
    };
    write(&mut pipe, 40_000).expect("the command reads");
    let kill = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status()
        .expect("kill");
    assert!(kill.success());
    // The command ends while it is written to.
    let _ = write(&mut pipe, 400_000);
    drop(pipe);
    let ran = ran(child.wait_with_output().expect("it ends"));
    assert_eq!(ran.status, 143, "{}", ran.err);
    assert!(ran.err.contains("stopped"), "{}", ran.err);
    let parts = out.join("evidence/captures/crawl=local");
    assert_eq!(fs::read_dir(parts).map_or(0, Iterator::count), 0);
}

/// Scans the sample data; returns the folder.
fn evidence() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ran = crawlprefs(&[
        "scan",
        "sample-data",
        "-q",
        "-o",
        &folder.path().to_string_lossy(),
    ]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    folder
}

#[test]
fn local_run_prints_its_result_and_surprises_first() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out").to_string_lossy().into_owned();
    let ran = crawlprefs(&["run", "sample-data", "-o", &out]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    let words: Vec<String> = ran
        .out
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    for line in [
        "robots.txt of 40 hosts of 86 pages",
        "not there (4xx): everything may be fetched 5 12.5% 8 9.3%",
        "yes 64 74.4%",
        "no 18 20.9%",
        "GPTBot 3 8.1% 1 2.7% 12 32.4%",
        "training AI (train_ai) 4 4.7% 29 33.7% 0 0.0%",
        "input of AI answers (ai_input) 1 1.2% 4 4.7% 1 1.2%",
        "Content-Signal (robots.txt) 3 8.1% 1 1.2% 13",
        "CC-MAIN-2026-34, of 2 crawls; robots.txt was fetched 2026-08-10. The others are",
        "local 7 2 1 50.0%",
    ] {
        assert!(
            words.iter().any(|found| found == line),
            "expected {line:?} in\n{}",
            ran.out
        );
    }
    assert!(ran.out.starts_with("Read 7 archives ("), "{}", ran.out);
    let wide = ran
        .out
        .lines()
        .find(|line| line.len() > 80 && !line.contains(&*out));
    assert_eq!(wide, None, "{}", ran.out);
    let all = words.join(" ");
    for sentence in [
        "- robots.txt closes 17 of 86 pages (19.8%) to CCBot, and 1 (1.2%) more by a server error (5xx).",
        "- 1 of 37 hosts that answer (2.7%) close everything to every agent that they do not name.",
        "- For 2 of 86 pages (2.3%) the inputs have no earlier robots.txt.",
        "- For 1 of 86 pages (1.2%) robots.txt was only fetched afterwards, within a day: --robots-slack 60s",
    ] {
        assert!(
            all.contains(sentence),
            "expected {sentence:?} in\n{}",
            ran.out
        );
    }
    let tables =
        "pages, sites, agent_sets, robots, robots_agents, robots_lines, robots_lints, statements.";
    let expected = format!("Tables in {out}: {tables}");
    assert!(all.contains(&expected), "{}", ran.out);
}

/// A folder, and then its subfolder.
#[test]
fn local_an_archive_under_two_names_is_named_by_the_summary_and_by_status() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    fs::create_dir_all(at("all/site")).expect("a folder");
    fs::copy("sample-data/local/site.warc", at("all/site/a.warc")).expect("a copy");
    let first = crawlprefs(&["run", &at("all"), "-o", &at("out")]);
    assert!(
        first.status == 0 && !first.out.contains("is the same archive"),
        "{}",
        first.out
    );
    let second = crawlprefs(&["run", &at("all/site"), "-o", &at("out")]);
    let named = "site/a.warc is the same archive as a.warc, and counts for nothing";
    assert!(
        second.status == 0 && second.out.contains(named),
        "{}{}",
        second.out,
        second.err
    );
    let status = crawlprefs(&["status", &at("out")]);
    let listed = "crawl=local site/a.warc: the same as a.warc";
    assert!(
        status.out.contains(": complete") && status.out.contains(listed),
        "{}",
        status.out
    );
}

#[test]
fn local_only_chosen_tables_are_written_and_listed() {
    let folder = evidence();
    let (dir, out) = (
        folder.path().to_string_lossy(),
        folder.path().join("chosen"),
    );
    let resolve = |list: &str| {
        crawlprefs(&[
            "resolve",
            &dir,
            "-o",
            &out.to_string_lossy(),
            "--tables",
            list,
        ])
    };
    let ran = resolve("statements,robots_lints");
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(
        ran.out.contains("\nSystems of preferences ")
            && !ran.out.contains("Findings")
            && !ran.out.contains("robots.txt  "),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("robots_lints, statements.\n"),
        "{}",
        ran.out
    );
    let ran = resolve("-robots_lints");
    let message = "tables is robots_lints,statements, not pages,sites,robots,robots_agents,robots_lines,statements";
    assert_eq!(
        (ran.status, ran.err.contains(message)),
        (1, true),
        "{}",
        ran.err
    );
    let ran = resolve("page");
    assert_eq!(
        (
            ran.status,
            ran.err.contains("found `page`, expected some of pages, ")
        ),
        (2, true),
        "{}",
        ran.err
    );
}

/// Files of robots.txt captures alone are the cheapest real data.
#[test]
fn local_without_pages_the_summary_is_about_robots_txt() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out").to_string_lossy().into_owned();
    let list = "sample-data/robotstxt.paths.gz";
    let ran = crawlprefs(&[
        "run",
        "--base",
        "sample-data",
        "--paths-from",
        list,
        "-o",
        &out,
    ]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    assert!(!ran.out.contains("of 0 pages"), "{}", ran.out);
    for expected in [
        "close everything to agents that they name, most often to GPTBot: ",
        "hosts that answer (read, or 4xx); * is every agent that a host does not\n  name.\n  GPTBot  ",
        "Uses, of ",
        &format!(
            "\n  SELECT origin, robots_body_digest\n  FROM '{out}/sites/*/*.parquet'\n  WHERE agent_set IN ("
        ),
        &format!(
            " SELECT agent_set FROM '{out}/agent_sets/*/*.parquet' WHERE list_contains(agents_closed, 'GPTBot'));"
        ),
    ] {
        let flat = ran.out.replace("\n    ", " ");
        assert!(
            flat.contains(expected),
            "expected {expected:?} in\n{}",
            ran.out
        );
    }
}

#[test]
fn local_the_slack_that_the_summary_names_is_the_one_that_helps() {
    let folder = evidence();
    let (dir, out) = (folder.path().to_string_lossy(), folder.path().join("slack"));
    let ran = crawlprefs(&[
        "resolve",
        &dir,
        "-o",
        &out.to_string_lossy(),
        "--robots-slack",
        "60s",
    ]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(
        ran.out
            .contains("For 2 of 86 pages (2.3%) the inputs have no earlier"),
        "{}",
        ran.out
    );
    assert!(!ran.out.contains("--robots-slack"), "{}", ran.out);
}

#[test]
fn local_resolve_refuses_wrong_flags_and_says_why() {
    let folder = evidence();
    let dir = folder.path().to_string_lossy();
    let foreign = tempfile::tempdir().expect("a temporary folder");
    let out = foreign.path().join("out");
    for (status, flags, message) in [
        (
            2,
            ["--robots-slack", "soon"],
            "expected a number of seconds, or a number with s, m, h or d, such as 3h",
        ),
        (2, ["--robots-slack", "-3h"], "expected a number of seconds"),
        (
            2,
            ["--robots-slack", "1.5h"],
            "expected a number of seconds",
        ),
        (
            2,
            ["--token-match", "fuzzy"],
            "possible values: exact, prefix",
        ),
        (
            2,
            ["--agent", ""],
            "found no name, expected a product token",
        ),
        (
            2,
            ["--agent", "CC*Bot"],
            "--agent CC*Bot: found byte 0x2A in a product token",
        ),
        (2, ["--agent", "Käfer"], "found byte 0xC3"),
        (
            1,
            ["--agents", "nowhere.tsv"],
            "nowhere.tsv: cannot be read: ",
        ),
        (
            1,
            ["--agents", "README.md"],
            "README.md: no column token: expected a first line of column names",
        ),
        (
            2,
            ["--vocab", "99"],
            "--vocab 99: neither one of 01, 02, 03, 04, 05, 06, 07, 08 nor a file",
        ),
        (1, ["--vocab", "README.md"], "README.md: line 3: "),
    ] {
        let ran =
            crawlprefs(&[&["resolve", &dir, "-o", &out.to_string_lossy()], &flags[..]].concat());
        assert_eq!(ran.status, status, "{flags:?}: {}", ran.err);
        assert!(
            ran.err.contains(message),
            "expected {message:?} in {:?}",
            ran.err
        );
        assert_eq!(ran.out, "", "{flags:?}");
        assert!(!out.exists(), "{flags:?} left something behind");
    }
}

#[test]
fn local_a_number_has_one_unit() {
    for flags in [
        ["--robots-slack", "3hh"],
        ["--memory-limit", "1GG"],
        ["--memory-limit", "1KKiB"],
    ] {
        let ran = crawlprefs(
            &[
                &["run", "sample-data", "-o", "unused", "--dry-run"],
                &flags[..],
            ]
            .concat(),
        );
        assert_eq!(ran.status, 2, "{flags:?}: {}", ran.err);
    }
}

#[test]
fn local_run_finds_wrong_flags_of_its_second_half_before_the_first() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out");
    for (flags, status) in [
        (["--vocab", "99"], 2),
        (["--agents", "nowhere.tsv"], 1),
        (["--agent", "*"], 2),
    ] {
        let ran = crawlprefs(
            &[
                &["run", "sample-data", "-o", &out.to_string_lossy()],
                &flags[..],
            ]
            .concat(),
        );
        assert_eq!(ran.status, status, "{flags:?}: {}", ran.err);
        assert!(!out.exists(), "{flags:?} left something behind");
    }
}

#[test]
fn local_resolve_wants_evidence() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (missing, out) = (folder.path().join("missing"), folder.path().join("out"));
    for dir in [&missing, &folder.path().to_owned()] {
        for beside in [true, false] {
            let (dir, out) = (dir.to_string_lossy(), out.to_string_lossy());
            let args = ["resolve", &dir, "-o", &out];
            let ran = crawlprefs(if beside { &args[..2] } else { &args[..] });
            let expected = format!(
                "crawlprefs: error: {dir}: no evidence there; expected a folder that crawlprefs scan or run wrote: check the name, and whether its file system is mounted\n"
            );
            assert_eq!((ran.status, ran.out.as_str(), ran.err), (1, "", expected));
        }
    }
    assert_eq!(fs::read_dir(folder.path()).expect("it is there").count(), 0);
    assert_eq!(crawlprefs(&["resolve"]).status, 2);
}

#[test]
fn local_schema_completions_and_man_are_printed() {
    let schema = crawlprefs(&["schema", "failures"]);
    assert!(
        schema.out.starts_with("failures\n") && schema.out.contains("record_lost"),
        "{}",
        schema.out
    );
    let views = crawlprefs(&[
        "schema",
        "--sql",
        "duckdb",
        "--out",
        "s3://bucket/out/",
        "captures",
    ]);
    assert!(
        views
            .out
            .contains("read_parquet('s3://bucket/out/evidence/captures/*/*.parquet'"),
        "{}",
        views.out
    );
    for engine in ["duckdb", "spark", "trino", "athena", "hive"] {
        assert_eq!(crawlprefs(&["schema", "--sql", engine]).status, 0);
    }
    assert!(
        crawlprefs(&["completions", "bash"])
            .out
            .contains("crawlprefs")
    );
    assert!(crawlprefs(&["man"]).out.contains(".TH crawlprefs"));
    assert_eq!(crawlprefs(&["man", "-o", "Cargo.toml"]).status, 1);
}

/// Each is answered in one line that says what to do.
#[test]
fn local_likely_mistakes_are_answered_with_what_to_do() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path().to_string_lossy().into_owned();
    fs::write(folder.path().join("notes.txt"), "no archive").expect("it can be written");
    let out = format!("{here}/out");
    let url = ["explain", "--url", "a.example/page"];
    for (args, status, message) in [
        (
            &["run", "nowhere.warc.gz", "-o", &out][..],
            1,
            "check the name, or quote a glob for the shell",
        ),
        (
            &["run", "data.example/a.warc.gz", "-o", &out],
            1,
            "a URL begins with https:// or s3://",
        ),
        (
            &["run", "https:/data.example/a.warc.gz", "-o", &out],
            1,
            "a URL begins with https:// or s3://",
        ),
        (
            &["run", &here, "-o", &out],
            1,
            "no archives there; expected *.warc,",
        ),
        (
            &["run", "sample-data", "-o", &here],
            1,
            "choose another folder",
        ),
        (
            &["run", "sample-data", "-o", "s3:/bucket/out"],
            1,
            "expected two slashes behind the scheme",
        ),
        (
            &["run", "sample-data", "-o", "https://a.example/out"],
            1,
            "expected a folder, or s3://BUCKET/PREFIX",
        ),
        (
            &["run", "sample-data", "-o", &out, "-j", "two"],
            2,
            "expected a whole number from 1",
        ),
        (
            &["run", "sample-data", "-o", &out, "--limit", "few"],
            2,
            "expected a whole number",
        ),
        (&["run", "sample-data"], 2, "--out <DIR>"),
        (&["judge", "documents.jsonl"], 2, "--tables <DIR>"),
        (&url, 2, "expected a URL such as https://a.example/page"),
    ] {
        let ran = crawlprefs(args);
        assert_eq!(
            (ran.status, ran.out.as_str()),
            (status, ""),
            "{args:?}: {}",
            ran.err
        );
        assert!(ran.err.contains(message), "{args:?}: {}", ran.err);
        assert!(
            !folder.path().join("out").exists() && !Path::new("s3:").exists(),
            "{args:?} left a folder"
        );
    }
}

#[test]
fn local_failed_inputs_are_answered_with_what_to_do() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (list, out) = (folder.path().join("list.txt"), folder.path().join("out"));
    fs::write(&list, "crawl-data/a.warc.gz\n").expect("it can be written");
    let (list, out) = (list.to_string_lossy(), out.to_string_lossy());
    let missing = crawlprefs(&["run", "--paths-from", &list, "-o", &out]);
    assert_eq!(missing.status, 3);
    assert!(
        missing.err.contains("--base names the folder or URL"),
        "{}",
        missing.err
    );
    assert_eq!(missing.out, "The only input could not be read.\n");
    let given = crawlprefs(&["run", "sample-data/warc.paths.gz", "-o", &out]);
    assert_eq!(given.status, 3);
    let advice = "found a list of paths: give it with --paths-from\n";
    let is_named = given.err.contains(advice) && !given.err.contains("reads these again");
    assert!(
        is_named && given.out == missing.out,
        "{}{}",
        given.err,
        given.out
    );

    let cut = folder.path().join("cut.warc");
    let bytes = fs::read("sample-data/local/site.warc").expect("it is there");
    fs::write(&cut, &bytes[..bytes.len() - 100]).expect("it can be written");
    let out = folder.path().join("of-cut");
    let cut = crawlprefs(&["run", &cut.to_string_lossy(), "-o", &out.to_string_lossy()]);
    assert_eq!(cut.status, 3);
    assert!(
        cut.err
            .contains("the same command reads these again, and no others"),
        "{}",
        cut.err
    );
}

#[test]
fn local_demo_has_the_archives_of_sample_data_and_gives_their_tables() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let demo = folder.path().join("demo");
    let demo_text = demo.to_string_lossy().into_owned();
    let first = crawlprefs(&["demo", "-o", &demo_text]);
    assert_eq!(first.status, 0, "{}", first.err);
    assert!(
        first
            .out
            .contains("29 of 86 pages (33.7%) say no to training AI"),
        "{}",
        first.out
    );
    let archives = demo.join("archives");
    for path in ["local", "crawl-data"] {
        let ran = Command::new("diff")
            .args(["-r", &format!("sample-data/{path}")])
            .arg(archives.join(path))
            .output();
        assert_eq!(ran.expect("diff starts").stdout, b"", "{path}");
    }
    // What it proposes to try next works as it is printed.
    let proposed = first
        .out
        .lines()
        .find(|line| line.contains("crawlprefs explain"))
        .expect("a proposal");
    let words: Vec<&str> = proposed.split_whitespace().skip(1).collect();
    let explained = crawlprefs(&words);
    let lines = [
        "crawl           allow, by line 3 of robots.txt",
        "by line 2: Content-Signal: search=yes",
    ];
    assert!(
        lines.iter().all(|line| explained.out.contains(line)),
        "{}{}",
        explained.out,
        explained.err
    );
    assert_eq!(
        crawlprefs(&["demo", "-o", &demo_text]).status,
        0,
        "a second call"
    );

    fs::write(archives.join("local/site.warc"), "somebody's file").expect("it can be written");
    let refused = crawlprefs(&["demo", "-o", &demo_text]);
    assert_eq!(refused.status, 1);
    assert!(
        refused
            .err
            .contains("local/site.warc: not a file of the demo"),
        "{}",
        refused.err
    );
    assert_eq!(
        fs::read(archives.join("local/site.warc")).expect("it is there"),
        b"somebody's file"
    );
}
