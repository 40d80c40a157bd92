//! The tables of the sample data, the command, and documents.

use crate::kept_folder::KeptFolder;
use arrow_array::{ArrayRef, RecordBatch};
use parquet::arrow::ArrowWriter;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

#[path = "../support/rows.rs"]
mod table_rows;

pub use table_rows::{rows, value};

/// A folder with `tables`, for the whole test program.
static TABLES: LazyLock<KeptFolder> = LazyLock::new(|| {
    let folder = KeptFolder::new("judge-sample");
    let out = folder.path().join("tables");
    let ran = run(
        &["run", "sample-data", "-q", "-o", &out.to_string_lossy()],
        b"",
    );
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    folder
});

/// Returns the folder of the tables of the sample data.
pub fn tables() -> String {
    TABLES.path().join("tables").to_string_lossy().into_owned()
}

/// Runs the command with this standard input.
pub fn run(args: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crawlprefs"));
    let command = command
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    // The command may end before it has read everything.
    let writer = std::thread::spawn(move || drop(std::io::Write::write_all(&mut stdin, &input)));
    let output = child.wait_with_output().expect("the command ends");
    writer.join().expect("the input is written");
    output
}

/// Judges files into a folder; returns the exit status and what was reported.
pub fn judge(files: &[&Path], out: &Path, flags: &[&str]) -> (i32, String) {
    let files: Vec<String> = files
        .iter()
        .map(|file| file.to_string_lossy().into_owned())
        .collect();
    let (tables, out) = (tables(), out.to_string_lossy().into_owned());
    let mut args = vec!["judge", "--tables", &tables, "-o", &out];
    args.extend(files.iter().map(String::as_str));
    args.extend(flags);
    let ran = run(&args, b"");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        ran.status.code().unwrap_or(-1),
        text(&ran.stdout) + &text(&ran.stderr),
    )
}

/// All columns of verdicts, for `--columns`.
pub const ALL: &str = "access,disallowed_agents,robots_state,search,train_ai,train_genai,ai_input,tdm,source,unread,doubt,not_seen,reason";

/// Judges lines from standard input; returns the objects that come out.
pub fn judged(lines: &str, flags: &[&str]) -> Vec<Value> {
    let tables = tables();
    let ran = run(
        &[&["judge", "-q", "--tables", &tables, "-"], flags].concat(),
        lines.as_bytes(),
    );
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let text = String::from_utf8(ran.stdout).expect("UTF-8");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// The pages of the tables as documents (id, URL and date), with their verdicts.
static PAGES: LazyLock<Vec<(Value, Value)>> = LazyLock::new(|| {
    let mut pages = rows_of_pages();
    let without_id = |(page, _): &(Value, Value)| {
        json!({"url": page["url"], "date": page["date"]}).to_string() + "\n"
    };
    let by_site = judged(&pages.iter().map(without_id).collect::<String>(), &[]);
    for ((page, verdict), by_site) in pages.iter_mut().zip(by_site) {
        for label in ["search", "train_ai", "train_genai", "ai_input", "tdm"] {
            if page["id"].is_string() && by_site[format!("prefs_{label}")] == "disallow" {
                verdict[label] = json!("disallow");
            }
        }
    }
    pages
});

/// Returns the pages of the tables as documents, with the verdicts of their rows, or a no of their site's files (KNOW-6).
pub fn pages() -> Vec<(Value, Value)> {
    PAGES.clone()
}

fn rows_of_pages() -> Vec<(Value, Value)> {
    let document = |row: parquet::record::Row| {
        let names = [
            "access",
            "disallowed_agents",
            "robots_state",
            "unread",
            "doubt",
            "not_seen",
        ];
        let labels = ["search", "train_ai", "train_genai", "ai_input", "tdm"];
        let one = |name: &str| (name.to_owned(), listed(value(&row, name)));
        let verdict: serde_json::Map<String, Value> =
            names.into_iter().chain(labels).map(one).collect();
        let document = json!({
            "id": value(&row, "warc_record_id"),
            "url": value(&row, "url"),
            "date": value(&row, "fetch_time"),
        });
        let mut verdict = Value::Object(verdict);
        verdict["reason"] = value(&row, "access_reason");
        (document, verdict)
    };
    rows(&Path::new(&tables()).join("pages"))
        .into_iter()
        .map(document)
        .collect()
}

/// Returns a value of the tables as documents have it: a list is one text.
pub fn listed(value: Value) -> Value {
    let Value::Array(members) = &value else {
        return value;
    };
    members
        .iter()
        .map(|member| member.as_str().expect("text"))
        .collect::<Vec<_>>()
        .join(";")
        .into()
}

/// Returns the members of a list of a document.
pub fn list(value: &Value) -> Vec<&str> {
    value
        .as_str()
        .expect("text")
        .split(';')
        .filter(|member| !member.is_empty())
        .collect()
}

/// Writes columns to a Parquet file.
pub fn write_parquet(file: &Path, columns: Vec<(&str, ArrayRef)>) {
    let rows = RecordBatch::try_from_iter(columns).expect("columns");
    let file = fs::File::create(file).expect("a file");
    let mut writer = ArrowWriter::try_new(file, rows.schema(), None).expect("Parquet");
    writer.write(&rows).expect("written");
    writer.close().expect("written");
}

/// Returns the rows of a Parquet file.
pub fn rows_of(file: &Path) -> Vec<parquet::record::Row> {
    let file = fs::File::open(file).expect("a file");
    let reader = parquet::file::reader::SerializedFileReader::new(file).expect("Parquet");
    reader.into_iter().map(|row| row.expect("a row")).collect()
}

/// Writes lines to a file.
pub fn write_lines<'v>(file: &Path, lines: impl IntoIterator<Item = &'v Value>) {
    let text: String = lines
        .into_iter()
        .map(|line| line.to_string() + "\n")
        .collect();
    fs::write(file, text).expect("a file");
}
