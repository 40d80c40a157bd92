//! The README and the first messages say what is so.

use crawlprefs::systems::SYSTEMS;
use crawlprefs::tables::TABLES;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

fn readme() -> String {
    fs::read_to_string("README.md").expect("README.md")
}

#[test]
fn local_the_table_of_tables_is_that_of_the_code() {
    let readme = readme();
    let rows: Vec<&str> = readme
        .lines()
        .filter(|line| line.starts_with("| [`"))
        .collect();
    assert_eq!(rows.len(), TABLES.len(), "{rows:#?}");
    for (row, table) in rows.iter().zip(TABLES) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        assert_eq!(
            cells[0],
            format!("[`{}`](docs/tables.md#{})", table.name, table.name)
        );
        assert_eq!(cells[1], format!("`{}/`", table.folder));
        assert_eq!(cells[2], table.row);
    }
}

/// Plots read `data/events.tsv`, and people docs/news.md.
#[test]
fn local_the_dated_events_of_the_documents_are_those_of_the_table() {
    let table = fs::read_to_string("data/events.tsv").expect("data/events.tsv");
    let mut rows = table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').collect());
    assert_eq!(
        rows.next(),
        Some(vec!["date", "event", "changes", "source"])
    );
    let rows: Vec<Vec<&str>> = rows.collect();
    let is_date = |date: &str| {
        let parts: Vec<&str> = date.split('-').collect();
        let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
        let is_number = parts
            .iter()
            .all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
        is_number && [&[4, 2][..], &[4, 2, 2]].contains(&lengths.as_slice())
    };
    for row in &rows {
        assert!(
            row.len() == 4 && is_date(row[0]) && row.iter().all(|cell| !cell.is_empty()),
            "{row:?}"
        );
    }
    assert!(
        rows.windows(2).all(|two| two[0][0] < two[1][0]),
        "in the order of their dates"
    );
    let news = fs::read_to_string("docs/news.md").expect("docs/news.md");
    let shown = rows
        .iter()
        .map(|row| format!("| {} |\n", row.join(" | ")))
        .collect::<String>();
    assert!(
        news.contains(&format!("|---|---|---|---|\n{shown}\n")),
        "{shown}"
    );
}

#[test]
fn local_the_days_of_the_vocabularies_are_those_of_the_documents() {
    let text = fs::read_to_string("docs/research.md").expect("docs/research.md");
    let days = crawlprefs::systems::aipref_vocab::Vocabulary::dated();
    let rows = days
        .map(|(day, vocabulary)| format!("| {} | {day} |\n", vocabulary.name()))
        .collect::<String>();
    assert!(
        rows.lines().count() == 8 && text.contains(&format!("|---|---|\n{rows}\n")),
        "{rows}"
    );
}

/// Returns the output that the README shows as its example `number`, from 1.
fn shown(readme: &str, number: usize) -> &str {
    readme
        .split("```text\n")
        .nth(number)
        .and_then(|rest| rest.split("```").next())
        .expect("an example")
}

#[test]
fn local_the_explanation_shown_is_the_real_one() {
    let readme = readme();
    let commands = readme.split("$ printf '").nth(1).expect("a robots.txt");
    let (robots, rest) = commands
        .split_once("' > robots.txt\n$ crawlprefs ")
        .expect("two commands");
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(
        folder.path().join("robots.txt"),
        robots.replace("\\n", "\n"),
    )
    .expect("it can be written");
    let command = rest.lines().next().expect("a command");
    let output = Command::new("sh")
        .args(["-c", &format!("exec \"$CRAWLPREFS\" {command}")])
        .env("CRAWLPREFS", env!("CARGO_BIN_EXE_crawlprefs"))
        .current_dir(folder.path())
        .output()
        .expect("the command starts");
    let real = String::from_utf8_lossy(&output.stdout);
    if env::var_os("CRAWLPREFS_WRITE_TRANSCRIPTS").is_some() {
        fs::write("README.md", readme.replace(shown(&readme, 2), &real)).expect("it is written");
        return;
    }
    assert_eq!(shown(&readme, 2), real);
}

#[test]
fn local_the_output_shown_is_the_beginning_of_the_real_one() {
    let readme = readme();
    let shown = shown(&readme, 1)
        .strip_suffix("...\n")
        .expect("an end that is left out");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out");
    let output = Command::new(env!("CARGO_BIN_EXE_crawlprefs"))
        .args(["run", "sample-data", "-o"])
        .arg(&out)
        .output()
        .expect("the command starts");
    let real = String::from_utf8(output.stdout).expect("UTF-8");
    let (first, rest) = real.split_once('\n').expect("a line");
    let (shown_first, shown_rest) = shown.split_once('\n').expect("a line");
    let without_time = |line: &str| line.split(" in ").next().unwrap_or_default().to_owned();
    assert_eq!(without_time(shown_first), without_time(first));
    assert!(rest.starts_with(shown_rest), "{rest}");
}

/// Runs the command; returns its exit status and what it writes to standard output and error.
fn ran(args: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_crawlprefs"))
        .args(args)
        .output()
        .expect("the command starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn local_without_arguments_the_first_commands_are_shown() {
    let (status, out, err) = ran(&[]);
    assert_eq!((status, err.as_str()), (Some(2), ""));
    let commands: Vec<&str> = out
        .lines()
        .filter_map(|line| line.strip_prefix("  crawlprefs "))
        .collect();
    let names: Vec<&str> = commands
        .iter()
        .filter_map(|command| command.split(' ').next())
        .collect();
    assert_eq!(
        names,
        ["demo", "run", "explain", "judge", "lint", "report"],
        "{out}"
    );
    for name in names {
        assert_eq!(ran(&[name, "--help"]).0, Some(0), "{name}");
    }
}

#[test]
fn local_the_version_names_each_document() {
    let (status, out, _) = ran(&["--version", "--verbose"]);
    assert_eq!((status, &out), (Some(0), &ran(&["-v", "-V"]).1));
    for system in SYSTEMS {
        for document in system.about().documents {
            assert!(out.contains(document), "{document}");
        }
    }
    assert!(out.starts_with(&ran(&["--version"]).1), "{out}");
    let commit = out
        .lines()
        .nth(1)
        .and_then(|line| line.strip_prefix("commit: "))
        .expect("a commit");
    let (hash, _) = commit.split_at(commit.find("-modified").unwrap_or(commit.len()));
    assert!(
        hash == "not known" || hash.bytes().all(|byte| byte.is_ascii_hexdigit()),
        "{out}"
    );
}

#[test]
fn local_a_manual_page_has_each_exit_status_on_lines_of_its_own() {
    let (_, page, _) = ran(&["man"]);
    let (_, section) = page.split_once(".SH \"EXIT STATUS\"\n").expect("a section");
    for status in ["0", "1", "2", "3", "130 143"] {
        assert!(
            section.contains(&format!(".TP\n\\fB{status}\\fR\n")),
            "{section}"
        );
    }
    assert!(!page.contains(".SH EXTRA"), "{page}");
}

#[test]
fn local_a_binary_without_python_says_how_to_get_the_report() {
    let (status, out, err) = ran(&["report", "out", "-o", "report.html"]);
    assert_eq!(
        (status, out.as_str(), err.lines().count()),
        (Some(1), "", 1),
        "{err}"
    );
    assert!(err.contains("pip install './python[report]'"), "{err}");
}

/// The wheel installs the pages of this folder; CONTRIBUTING.md says how to write them again.
#[test]
fn local_the_manual_pages_of_the_package_are_those_of_the_command() {
    let written = tempfile::tempdir().expect("a temporary folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_crawlprefs"));
    assert!(
        command
            .args(["man", "-o"])
            .arg(written.path())
            .status()
            .expect("the command starts")
            .success()
    );
    assert_eq!(
        pages(Path::new("python/crawlprefs.data/data/share/man/man1")),
        pages(written.path())
    );
}

fn pages(folder: &Path) -> BTreeMap<String, String> {
    let files = fs::read_dir(folder)
        .expect("a folder")
        .map(|file| file.expect("a file"));
    let page = |file: fs::DirEntry| {
        let name = file.file_name().into_string().expect("UTF-8");
        (name, fs::read_to_string(file.path()).expect("a page"))
    };
    files.map(page).collect()
}

/// Each line of the threat model names what shows it.
#[test]
fn local_the_threat_model_names_tests_that_exist() {
    let text = fs::read_to_string("SECURITY.md").expect("SECURITY.md");
    let table = text
        .split("## Who may write what")
        .nth(1)
        .and_then(|text| text.split("\n## ").next());
    let rows = table
        .expect("the table")
        .lines()
        .filter(|line| line.starts_with("| "))
        .skip(1);
    let rows: Vec<Vec<&str>> = rows
        .map(|row| row.trim_matches('|').split(" | ").collect())
        .collect();
    assert_eq!(rows.len(), 12);
    for cells in &rows {
        assert_eq!(cells.len(), 5, "{cells:?}");
        let tests: Vec<&str> = cells[3].split(", ").collect();
        for test in tests {
            let (name, file) = test.trim().split_once("` (`").expect(test);
            let (name, file) = (name.trim_start_matches('`'), file.trim_end_matches("`)"));
            let text = fs::read_to_string(file).expect(file);
            let named = [
                format!("fn {name}("),
                format!("def {name}("),
                format!("{name} = "),
            ];
            assert!(
                named.iter().any(|named| text.contains(named)),
                "{file} has no {name}"
            );
        }
        for target in cells[4]
            .split(',')
            .map(str::trim)
            .filter(|target| !target.is_empty())
        {
            assert!(
                Path::new(&format!("tests/fuzz/targets/{target}.rs")).exists(),
                "{target}"
            );
        }
    }
}
