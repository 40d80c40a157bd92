//! `lint`: every fault of a file has a finding with its line and, where it is known, how to write it. `docs/owners.md` says what
//! `lint` and `decide` answer.

use crawlprefs::explain::lint::{LintFinding, PlacedField, Severity, lint_fields, lint_file};
use crawlprefs::verdict::site::Lint;
use crawlprefs::verdict::{AgentsTable, PageQuestion, Resolver, decide};
use crawlprefs::web::capture_kind::CaptureKind;
use crawlprefs::web::field::{Carrier, Field};
use crawlprefs::{Label, Viewpoint};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn findings(kind: CaptureKind, file: impl AsRef<[u8]>) -> Vec<LintFinding> {
    lint_file(
        kind,
        file.as_ref(),
        &Resolver::new(Viewpoint::default(), &AgentsTable::bundled()),
    )
}

fn lint(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crawlprefs"));
    command
        .arg("lint")
        .args(args)
        .current_dir(folder)
        .output()
        .expect("the command starts")
}

/// The files of one fault each: the line with the fault, its code, and what to write in its place.
#[test]
fn local_each_fault_has_a_finding_with_its_line_and_how_to_write_it() {
    let rows = include_str!("lint_broken.tsv").lines();
    let mut count = 0;
    for row in rows.filter(|row| !row.starts_with('#')) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [place, line, code, write] = cells.as_slice() else {
            panic!("expected four cells: {row}")
        };
        let line = line.replace("\\\\", "\\");
        let found = match *place {
            "header" | "meta" => of_field(place, &line),
            "robots" => findings(
                CaptureKind::Robots,
                format!("User-agent: SomeBot\nDisallow: /s\n{line}\nAllow: /x\n"),
            ),
            kind => findings(CaptureKind::named(kind).expect("a kind"), &line),
        };
        let number = if *place == "robots" { 3 } else { 1 };
        let finding = found
            .iter()
            .find(|finding| finding.line == number && finding.code == *code);
        let finding = finding.unwrap_or_else(|| panic!("{row}: {code} is not in {found:?}"));
        let expected = write.replace("\\n", "\n");
        assert_eq!(
            finding.write.as_deref().unwrap_or_default(),
            expected,
            "{row}"
        );
        count += 1;
    }
    assert!(count >= 80, "{count}");
}

/// Lints one field as the flags of `lint` give it: `Name: value`, or `name=content`.
fn of_field(carrier: &str, text: &str) -> Vec<LintFinding> {
    let (carrier, mark) = match carrier {
        "header" => (Carrier::Header, ':'),
        _ => (Carrier::Meta, '='),
    };
    let (name, value) = text.split_once(mark).expect("a name and a value");
    let name = name.to_ascii_lowercase();
    let placed = PlacedField {
        field: Field {
            carrier,
            name: &name,
            value: value.trim().as_bytes(),
        },
        line: 1,
        text: text.as_bytes(),
    };
    lint_fields(
        &[placed],
        &Resolver::new(Viewpoint::default(), &AgentsTable::bundled()),
    )
}

#[test]
fn local_faults_of_whole_files_and_of_other_files_have_their_lines() {
    for (kind, file, line, code, severity) in [
        (
            CaptureKind::Robots,
            "Disallow: /a\n",
            1,
            "rule_before_agent",
            Severity::Error,
        ),
        (
            CaptureKind::Robots,
            "<!doctype html>\n<p>Not found",
            1,
            "html",
            Severity::Error,
        ),
        (
            CaptureKind::Robots,
            "PK\u{3}\u{4}\0\0\0\0\0\0",
            1,
            "unreadable",
            Severity::Error,
        ),
        (CaptureKind::Tdmrep, "{\n", 1, "not_json", Severity::Error),
        (CaptureKind::Tdmrep, "[]", 1, "no_entry", Severity::Error),
        (
            CaptureKind::Tdmrep,
            "[\n{\"location\": \"/\"}]",
            2,
            "no_reservation",
            Severity::Error,
        ),
        (
            CaptureKind::TrustTxt,
            "member=a\ndatatrainingallowed=never\n",
            2,
            "unknown_value",
            Severity::Error,
        ),
        (
            CaptureKind::AiTxt,
            "User-Agent: *\n- Disallow: /\n",
            2,
            "near_miss",
            Severity::Error,
        ),
    ] {
        let found = findings(kind, file);
        let finding = found
            .iter()
            .find(|finding| finding.code == code && finding.line == line);
        let finding = finding.unwrap_or_else(|| panic!("{file:?}: {code} is not in {found:?}"));
        assert_eq!(finding.severity, severity, "{file:?}");
    }
}

#[test]
fn local_files_as_their_documents_have_them_have_no_findings() {
    for (kind, file) in [
        (
            CaptureKind::Robots,
            "# all\nUser-agent: *\nDisallow: /a\nAllow: /a/b$\nSitemap: https://a.example/s.xml\nCrawl-delay: 5\n",
        ),
        (
            CaptureKind::Robots,
            "User-agent: GPTBot\nUser-agent: ClaudeBot\nDisallow: /\n\nUser-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n",
        ),
        (
            CaptureKind::Robots,
            "User-agent: *\nContent-Usage: train-ai=n, search=y\nContent-Usage: /open/ train-ai=y\nAllow: /\n",
        ),
        (
            CaptureKind::Tdmrep,
            "[{\"location\": \"/\", \"tdm-reservation\": 1, \"tdm-policy\": \"https://a.example/p.json\"}]",
        ),
        (
            CaptureKind::TrustTxt,
            "# trust\nmember=https://a.example/\ndatatrainingallowed=no\n",
        ),
        (
            CaptureKind::AiTxt,
            "User-Agent: *\nDisallow: /\nAllow: *.txt\n",
        ),
    ] {
        assert_eq!(findings(kind, file), [], "{file}");
    }
}

#[test]
fn local_the_exit_status_says_what_was_found() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).expect("it can be written")
    };
    write("robots.txt", "User-agent: *\nDisallow: /a\n");
    write("warning.robots.txt", "User-agent: *\nDisallow /a\n");
    write("error.robots.txt", "User-agent: *\nDeny: /a\n");
    for (args, status) in [
        (vec!["robots.txt"], 0),
        (vec!["warning.robots.txt"], 0),
        (vec!["--strict", "warning.robots.txt"], 1),
        (vec!["error.robots.txt"], 1),
        (vec!["nosuch.txt"], 2),
        (vec!["--as", "robots", "nosuch.txt"], 2),
        (vec!["--header", "no colon"], 2),
        (vec!["--header", "X-Robots-Tag: noindex"], 0),
        (vec!["--header", "Content-Usage: train-ai=no"], 1),
        (vec![], 2),
        (vec!["."], 0),
    ] {
        let ran = lint(folder.path(), &args);
        assert_eq!(
            ran.status.code(),
            Some(status),
            "{args:?}: {}",
            String::from_utf8_lossy(&ran.stderr)
        );
    }
}

#[test]
fn local_a_folder_is_the_root_of_a_site() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    };
    write(
        "robots.txt",
        "User-agent: *\nAllow: /\nContent-Signal: ai-train=yes\n",
    );
    write(
        ".well-known/tdmrep.json",
        "[{\"location\": \"/\", \"tdm-reservation\": 1}]",
    );
    write("elsewhere/robots.txt", "Deny: /\n");
    write(
        "a/index.html",
        "<html><head>\n<title>x</title>\n<meta name=\"robots\" content=\"no-ai\">\n</head></html>",
    );
    let ran = lint(folder.path(), &["--format", "json", "."]);
    let report: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    let files: Vec<&str> = report["files"]
        .as_array()
        .expect("files")
        .iter()
        .filter_map(|file| file["file"].as_str())
        .collect();
    assert_eq!(
        files,
        [
            "./.well-known/tdmrep.json",
            "./a/index.html",
            "./robots.txt"
        ]
    );
    let of_page = &report["files"][1]["findings"][0];
    assert_eq!(
        (of_page["line"].as_u64(), of_page["code"].as_str()),
        (Some(3), Some("unknown_rule")),
        "{report}"
    );
    let label = |name: &str| {
        let labels = report["says"]["labels"].as_array().expect("labels");
        labels
            .iter()
            .find(|said| said["label"] == name)
            .and_then(|said| said["preference"].as_str().map(str::to_owned))
    };
    assert_eq!(
        label("train_ai").as_deref(),
        Some("disallow"),
        "a no of tdmrep.json wins over a yes of robots.txt"
    );
}

#[test]
fn local_each_format_has_every_finding_with_its_line() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "User-agent: *\nDeny: /<script>\nContent-Signal: ai-train=never\n";
    fs::write(folder.path().join("robots.txt"), text).expect("it can be written");
    let out = |format: &str| {
        let ran = lint(folder.path(), &["--format", format, "robots.txt"]);
        assert_eq!(ran.status.code(), Some(1));
        String::from_utf8(ran.stdout).expect("UTF-8")
    };
    let sarif: Value = serde_json::from_str(&out("sarif")).expect("JSON");
    assert_eq!(sarif["version"], "2.1.0");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    let rules = sarif["runs"][0]["tool"]["driver"]["rules"]
        .as_array()
        .expect("rules");
    for result in results {
        assert!(
            rules.iter().any(|rule| rule["id"] == result["ruleId"]),
            "{result}"
        );
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "robots.txt");
        assert!(
            place["region"]["startLine"]
                .as_u64()
                .is_some_and(|line| line > 1),
            "{result}"
        );
    }
    let github = out("github");
    assert_eq!(github.lines().count(), results.len());
    assert!(
        github.starts_with("::error file=robots.txt,line=2,col=1,title=unknown_name::"),
        "{github}"
    );
    let html = out("html");
    assert!(
        html.contains("value=\"2\"><code>Deny: /&lt;script&gt;</code>")
            && !html.contains("<script"),
        "{html}"
    );
    assert!(
        !html.contains("http://") && !html.contains("src="),
        "the page asks for nothing"
    );
}

#[test]
fn local_what_is_fixed_keeps_all_other_bytes_and_verdicts() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (path, text) = (
        folder.path().join("robots.txt"),
        "# ä\r\nUser-agent: *\rDisallow /a # why\r\nDissallow: /b\n",
    );
    fs::write(&path, text).expect("it can be written");
    let asked = |body: &str| {
        let access = |url: &str| {
            decide(url)
                .robots(body)
                .decision()
                .expect("a decision")
                .access
        };
        [
            "https://a.example/a",
            "https://a.example/b",
            "https://a.example/c",
        ]
        .map(access)
    };
    let ran = lint(folder.path(), &["--fix", "robots.txt"]);
    assert_eq!(ran.status.code(), Some(0));
    let fixed = fs::read_to_string(&path).expect("it is there");
    assert_eq!(
        fixed,
        "# ä\r\nUser-agent: *\r\nDisallow: /a # why\r\nDisallow: /b\r\n"
    );
    assert_eq!(asked(&fixed), asked(text));
    let diff = String::from_utf8(ran.stdout).expect("UTF-8");
    assert!(
        diff.contains("-Disallow /a # why\n+Disallow: /a # why\n"),
        "{diff}"
    );
    assert_eq!(
        lint(folder.path(), &["--fix", "robots.txt"]).stdout,
        b"",
        "nothing is left to fix"
    );
}

/// A key in upper case is not read: once it is, what it says counts, and nothing else changes.
#[test]
fn local_a_fix_changes_what_its_fault_hid() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (path, text) = (
        folder.path().join("robots.txt"),
        "User-agent: *\nDisallow: /a\nContent-Usage: Train-AI=n\n",
    );
    fs::write(&path, text).expect("it can be written");
    assert_eq!(
        lint(folder.path(), &["--fix", "robots.txt"]).status.code(),
        Some(0)
    );
    let fixed = fs::read_to_string(&path).expect("it is there");
    let said = |body: &str| {
        let page = decide("https://a.example/b").robots(body);
        let decision = page.decision().expect("a decision");
        Label::ALL.map(|label| decision.label(label).as_str())
    };
    let changed: Vec<Label> = Label::ALL
        .into_iter()
        .zip(said(text).into_iter().zip(said(&fixed)))
        .filter(|(_, (before, after))| before != after)
        .map(|(label, _)| label)
        .collect();
    assert_eq!(changed, [Label::TrainAi, Label::TrainGenai]);
}

#[test]
fn local_a_file_that_is_no_text_is_not_written() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("robots.txt");
    let bytes = b"PK\x03\x04\0\0\r\0\0\0\r\n";
    fs::write(&path, bytes).expect("it can be written");
    let ran = lint(folder.path(), &["--fix", "robots.txt"]);
    assert_eq!((ran.status.code(), ran.stdout), (Some(1), Vec::new()));
    assert_eq!(fs::read(&path).expect("it is there"), bytes);
}

/// The blocks of docs/owners.md, and what `lint` and `decide` say of them to a crawler that no block names.
#[test]
fn local_owners_are_given_what_is_read_as_the_page_says() {
    let text = fs::read_to_string("docs/owners.md").expect("the page");
    let mut count = 0;
    for block in text.split("<!-- expect: ").skip(1) {
        let (expected, rest) = block.split_once(" -->\n```").expect("a block");
        let (kind, rest) = rest.split_once('\n').expect("its kind");
        let (body, _) = rest.split_once("\n```").expect("its end");
        let kind = CaptureKind::named(kind).expect("a kind");
        assert_eq!(findings(kind, body), [], "{body}");
        for (what, answer) in expected.split(' ').filter_map(|pair| pair.split_once('=')) {
            let ask =
                |url: &str| -> PageQuestion { decide(url).site_file(kind, body).agent("SomeBot") };
            let root = ask("https://your.example/");
            let found = match what {
                "access" => root.decision().expect("a decision").access,
                _ if what.starts_with('/') => {
                    ask(&format!("https://your.example{what}"))
                        .decision()
                        .expect("a decision")
                        .access
                }
                _ => match Label::named(what) {
                    Some(label) => root.decision().expect("a decision").label(label),
                    None => root.agent(what).decision().expect("a decision").access,
                },
            };
            assert_eq!(found.as_str(), answer, "{what} of {body}");
            count += 1;
        }
    }
    assert_eq!(count, 27, "answers that the page promises");
}

#[test]
fn local_every_lint_is_in_the_documents() {
    let text = fs::read_to_string("docs/lints.md").expect("the page");
    for lint in Lint::ALL {
        assert!(
            text.contains(&format!("`{}`", lint.as_str())),
            "{}",
            lint.as_str()
        );
    }
}

/// What is hidden of a line is escaped as JSON has it, and comes back.
#[test]
fn local_json_and_sarif_are_json_whatever_a_file_has() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let line = "Deny\u{202e}\u{85}\u{2028}: /\u{7f}";
    fs::write(
        folder.path().join("robots.txt"),
        format!("User-agent: *\n{line}\n"),
    )
    .expect("a file");
    for format in ["json", "sarif"] {
        let out = lint(folder.path(), &["robots.txt", "--format", format]).stdout;
        let json: Value = serde_json::from_slice(&out).expect("JSON");
        let text = String::from_utf8(out).expect("UTF-8");
        assert!(
            !text.contains('\u{202e}') && text.lines().count() == 1,
            "{text}"
        );
        if format == "json" {
            let shown = json["files"][0]["findings"]
                .as_array()
                .expect("findings")
                .iter();
            assert!(
                shown.clone().any(|finding| finding["text"] == line),
                "{json}"
            );
        }
    }
}

/// A file or a field may not speak to the terminal of its reader.
#[test]
fn local_what_a_terminal_obeys_is_escaped_in_every_format() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let hostile = "\u{1b}]0;x\u{7}\u{1b}[2J\u{9b}1m";
    let header = format!("X-Robots-Tag: {hostile}, noai{hostile}");
    let file = format!(
        "User-agent: {hostile}\nDisallow: /{hostile}\n{hostile}: x\nContent-Signal: {hostile}=no\n"
    );
    fs::write(folder.path().join("robots.txt"), file).expect("a file");
    let page = "https://a.example/";
    for format in ["text", "json", "sarif", "github", "html"] {
        let args = [
            "robots.txt",
            "--header",
            &header,
            "--url",
            page,
            "--format",
            format,
        ];
        let out = String::from_utf8(lint(folder.path(), &args).stdout).expect("UTF-8");
        let obeyed = out.chars().find(|one| one.is_control() && *one != '\n');
        assert_eq!(obeyed, None, "{format}: {out:?}");
        assert!(out.contains("unknown_rule"), "{format}: {out}");
    }
    let slip = "User-agent: *\nDisallow /\u{9b}1m\n";
    fs::write(folder.path().join("robots.txt"), slip).expect("a file");
    let fixed = String::from_utf8(lint(folder.path(), &["robots.txt", "--fix"]).stdout);
    let fixed = fixed.expect("UTF-8");
    assert!(fixed.contains("+Disallow: /\\x9B1m"), "{fixed:?}");
    assert!(
        !fixed.chars().any(|one| one.is_control() && one != '\n'),
        "{fixed:?}"
    );
    let explained = Command::new(env!("CARGO_BIN_EXE_crawlprefs"))
        .args([
            "explain",
            "--robots",
            "robots.txt",
            "--header",
            &header,
            page,
        ])
        .current_dir(folder.path())
        .output()
        .expect("it runs");
    let out = String::from_utf8(explained.stdout).expect("UTF-8");
    assert!(out.contains("unknown_rule"), "{out}");
    assert!(
        !out.chars().any(|one| one.is_control() && one != '\n'),
        "{out:?}"
    );
}

/// The table shows each lint of a file: the bad one has it, and the good one has none.
#[test]
fn local_each_lint_has_a_bad_and_a_good_example() {
    let text = fs::read_to_string("docs/lints.md").expect("the page");
    let (examples, _) = text.split_once("## How often").expect("a section");
    let rows = examples.lines().filter(|line| line.starts_with("| `"));
    let mut without = Vec::new();
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [code, _, bad, good] = cells.as_slice() else {
            panic!("expected four cells: {row}")
        };
        let code = code.trim_matches('`');
        if *bad == "\u{2013}" {
            without.push(code);
            continue;
        }
        let codes = |example: &str| -> Vec<&str> {
            let file = bytes(example.trim_matches('`'));
            findings(CaptureKind::Robots, file)
                .iter()
                .map(|finding| finding.code)
                .collect()
        };
        assert!(codes(bad).contains(&code), "{row}: {:?}", codes(bad));
        assert_eq!(codes(good), [""; 0], "{row}");
    }
    assert_eq!(
        without,
        [
            "cut",
            "utf16",
            "control_byte",
            "other_copy",
            "unfinished",
            "doubt"
        ]
    );
}

/// Returns the bytes of an example: `\n`, `\r` and `\x00` are escapes.
fn bytes(example: &str) -> Vec<u8> {
    let mut parts = example.split('\\');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (byte, rest) = match part.split_at(1) {
            ("n", rest) => (b'\n', rest),
            ("r", rest) => (b'\r', rest),
            ("x", rest) => (
                u8::from_str_radix(&rest[..2], 16).expect("two digits"),
                &rest[2..],
            ),
            _ => (b'\\', part),
        };
        bytes.push(byte);
        bytes.extend_from_slice(rest.as_bytes());
    }
    bytes
}
