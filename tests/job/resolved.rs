//! Evidence made by hand, resolved for tests, and read back with the crate parquet's row reader.

use crate::fixture::{archive, run};
use crate::warc;
use crawlprefs::archive::Input;
use crawlprefs::error::Error;
use crawlprefs::job::{self, Progress, ResolveOptions, ResolveTally, Silent};
use crawlprefs::store::FolderStore;
use crawlprefs::systems::Viewpoint;
use crawlprefs::tables::ChosenTables;
use crawlprefs::web::product_token::ProductToken;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use parquet::schema::types::Type;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Returns a response record; `at` is a time of day on 10 August 2026, or a date and time.
pub fn response(url: &str, at: &str, status: u16, fields: &str, body: &str) -> String {
    let block = format!("HTTP/1.1 {status} Said\r\n{fields}\r\n{body}");
    String::from_utf8(warc::response(url, at, "", block.as_bytes())).expect("text")
}

/// Returns a record of a page.
pub fn page(url: &str, at: &str) -> String {
    response(
        url,
        at,
        200,
        "Content-Type: text/html\r\n",
        "<!DOCTYPE html><title>A page</title>",
    )
}

/// Returns a record of the robots.txt of `https://{host}`.
pub fn robots(host: &str, at: &str, body: &str) -> String {
    response(
        &format!("https://{host}/robots.txt"),
        at,
        200,
        "Content-Type: text/plain\r\n",
        body,
    )
}

/// Returns records as an archive called `name`.
pub fn records(name: &str, records: &[String]) -> Input {
    archive(name, records.concat().into_bytes())
}

/// Scans records in one archive into a fresh folder.
pub fn scanned(list: &[String]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    run(vec![records("made.warc", list)], folder.path(), 1);
    folder
}

/// Returns the options that users get who ask for nothing.
pub fn view() -> ResolveOptions {
    let jobs = NonZeroUsize::new(2).expect("at least one");
    ResolveOptions {
        jobs,
        ..ResolveOptions::new(Viewpoint::new("CCBot").expect("a token"))
    }
}

/// Returns the options for some tables.
pub fn view_with(chosen: ChosenTables) -> ResolveOptions {
    let mut options = view();
    options.tables.chosen = chosen;
    options
}

/// Returns the options for another crawler.
pub fn view_of(name: &str) -> ResolveOptions {
    let mut options = view();
    options.tables.viewpoint.token = token(name);
    options
}

fn token(name: &str) -> ProductToken {
    ProductToken::new(name).expect("a token")
}

/// Resolves `evidence` into `out`.
pub fn try_resolve(
    evidence: &Path,
    out: &Path,
    options: &ResolveOptions,
) -> Result<ResolveTally, Error> {
    resolve_with(evidence, out, options, &Silent)
}

/// Resolves `evidence` into `out`, which must succeed.
pub fn resolve(evidence: &Path, out: &Path, options: &ResolveOptions) -> ResolveTally {
    try_resolve(evidence, out, options).expect("the job can run")
}

/// Resolves with everything that can be given.
pub fn resolve_with(
    evidence: &Path,
    out: &Path,
    options: &ResolveOptions,
    progress: &dyn Progress,
) -> Result<ResolveTally, Error> {
    let sink = |folder: &Path| FolderStore::new(folder.to_owned());
    job::resolve(&[&sink(evidence)], &sink(out), options, progress)
}

/// A row, its fields by column.
pub struct Fields(BTreeMap<String, Field>);

impl Fields {
    /// Returns a value as it is shown.
    pub fn shown(&self, column: &str) -> String {
        self.0[column].to_string()
    }

    /// Returns a text; `None` for NULL.
    pub fn text(&self, column: &str) -> Option<&str> {
        match &self.0[column] {
            Field::Str(text) => Some(text),
            Field::Null => None,
            other => panic!("{column} is {other:?}"),
        }
    }

    /// Returns a number; `None` for NULL.
    pub fn number(&self, column: &str) -> Option<i64> {
        match &self.0[column] {
            Field::Long(number) | Field::TimestampMicros(number) => Some(*number),
            Field::Int(number) => Some(i64::from(*number)),
            Field::Null => None,
            other => panic!("{column} is {other:?}"),
        }
    }

    /// Returns whether it is so; `None` for NULL.
    pub fn whether(&self, column: &str) -> Option<bool> {
        match &self.0[column] {
            Field::Bool(whether) => Some(*whether),
            Field::Null => None,
            other => panic!("{column} is {other:?}"),
        }
    }

    /// Returns a list of texts; `None` for NULL.
    pub fn texts(&self, column: &str) -> Option<Vec<&str>> {
        match &self.0[column] {
            Field::ListInternal(list) => Some(list.elements().iter().map(element).collect()),
            Field::Null => None,
            other => panic!("{column} is {other:?}"),
        }
    }

    /// Returns bytes.
    pub fn bytes(&self, column: &str) -> &[u8] {
        match &self.0[column] {
            Field::Bytes(bytes) => bytes.data(),
            other => panic!("{column} is {other:?}"),
        }
    }

    /// Returns a list of structs, each as the texts of its fields.
    pub fn structs(&self, column: &str) -> Vec<String> {
        let field = |field: &Field| match field {
            Field::Null => "NULL".to_owned(),
            Field::Str(text) => text.clone(),
            Field::Int(number) => number.to_string(),
            Field::Long(number) => number.to_string(),
            Field::Bool(whether) => whether.to_string(),
            Field::Bytes(bytes) => String::from_utf8_lossy(bytes.data()).into_owned(),
            other => panic!("{column} has {other:?}"),
        };
        let of_struct = |element: &Field| match element {
            Field::Group(row) => row
                .get_column_iter()
                .map(|(_, value)| field(value))
                .collect::<Vec<_>>()
                .join(" "),
            other => panic!("{column} is a list of {other:?}"),
        };
        match &self.0[column] {
            Field::ListInternal(list) => list.elements().iter().map(of_struct).collect(),
            other => panic!("{column} is {other:?}"),
        }
    }

    /// Returns how many bytes its texts have.
    pub fn byte_count(&self) -> usize {
        self.0.values().map(byte_count).sum()
    }

    /// Returns the columns `robots_state` and `access`.
    pub fn verdict(&self) -> (&str, &str) {
        (
            self.text("robots_state").expect("never null"),
            self.text("access").expect("never null"),
        )
    }
}

/// Returns the rows of `pages` by URL.
pub fn pages(out: &Path) -> BTreeMap<String, Fields> {
    let by_url = |row: Fields| (row.text("url").expect("never null").to_owned(), row);
    rows(out, "pages").into_iter().map(by_url).collect()
}

/// Returns the rows of `sites` with the lists of their sets of agents.
pub fn site_rows(out: &Path) -> Vec<Fields> {
    const LISTS: [&str; 3] = ["agents_closed", "agents_restricted", "agents_named"];
    let number = |set: &Fields| set.number("agent_set").expect("never null");
    let sets: BTreeMap<i64, Fields> = rows(out, "agent_sets")
        .into_iter()
        .map(|set| (number(&set), set))
        .collect();
    let mut sites = rows(out, "sites");
    for site in &mut sites {
        let set = site.number("agent_set").map(|number| &sets[&number].0);
        let lists = LISTS.map(|name| {
            (
                name.to_owned(),
                set.map_or(Field::Null, |set| set[name].clone()),
            )
        });
        site.0.extend(lists);
    }
    sites
}

/// Returns the rows of a table that is beside the evidence, part by part.
pub fn rows(out: &Path, table: &str) -> Vec<Fields> {
    columns(out, table, |_| true)
}

/// Returns the rows of a table with some of its columns.
pub fn columns(out: &Path, table: &str, is_wanted: impl Fn(&str) -> bool) -> Vec<Fields> {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).expect("the table is there");
        let mut paths: Vec<PathBuf> = entries
            .map(|entry| entry.expect("an entry").path())
            .collect();
        paths.sort();
        paths
    };
    let mut rows = Vec::new();
    for part in entries(&out.join(table))
        .iter()
        .flat_map(|crawl| entries(crawl))
    {
        let reader = SerializedFileReader::new(File::open(part).expect("a part")).expect("Parquet");
        let schema = reader.metadata().file_metadata().schema();
        let wanted = schema
            .get_fields()
            .iter()
            .filter(|field| is_wanted(field.name()))
            .cloned()
            .collect();
        let wanted = Type::group_type_builder(schema.name())
            .with_fields(wanted)
            .build()
            .expect("a schema");
        rows.extend(
            reader
                .get_row_iter(Some(wanted))
                .expect("rows")
                .map(|row| fields(row.expect("a row"))),
        );
    }
    rows
}

fn byte_count(field: &Field) -> usize {
    match field {
        Field::Str(text) => text.len(),
        Field::Bytes(bytes) => bytes.len(),
        Field::ListInternal(list) => list.elements().iter().map(byte_count).sum(),
        Field::Group(row) => row
            .get_column_iter()
            .map(|(_, value)| byte_count(value))
            .sum(),
        _ => 8,
    }
}

fn element(field: &Field) -> &str {
    let Field::Str(text) = field else {
        panic!("text, not {field:?}")
    };
    text
}

fn fields(row: Row) -> Fields {
    Fields(row.into_columns().into_iter().collect())
}
