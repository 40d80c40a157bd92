//! No column is renamed, dropped or given another type silently: users' SQL rests on them.
//!
//! `tests/columns/known.txt` lists every column that a version has had, as `table column type`. It only grows:
//! `CRAWLPREFS_WRITE_COLUMNS=1 cargo test --test columns` adds new ones. A column that is gone or has another type needs a
//! line in `tests/columns/renamed.txt`: `table old -> new`, or `table old -> gone`, and a new `SCHEMA_VERSION`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

const KNOWN: &str = "tests/columns/known.txt";
const RENAMED: &str = "tests/columns/renamed.txt";

/// Types by table and column.
type Columns = BTreeMap<(String, String), String>;

/// Returns the columns of docs/tables.md, which another test holds against the code.
fn documented(text: &str) -> Columns {
    let mut columns = Columns::new();
    let mut table = "";
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("## ") {
            table = name;
        } else if let Some(row) = line.strip_prefix("| `") {
            let (name, rest) = row.split_once("` | ").expect("a name");
            let (kind, _) = rest.split_once(" | ").expect("a type");
            columns.insert((table.to_owned(), name.to_owned()), kind.to_owned());
        }
    }
    columns
}

fn listed(text: &str) -> Columns {
    let column = |line: &str| {
        let mut words = line.splitn(3, ' ').map(str::to_owned);
        Some(((words.next()?, words.next()?), words.next()?))
    };
    text.lines()
        .map(|line| column(line).expect("table column type"))
        .collect()
}

/// Returns the columns that are gone, and what each has become.
fn renamed(text: &str) -> BTreeMap<(String, String), String> {
    let lines = text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty());
    let one = |line: &str| {
        let (old, new) = line.split_once(" -> ")?;
        let (table, old) = old.split_once(' ')?;
        Some(((table.to_owned(), old.to_owned()), new.to_owned()))
    };
    lines
        .map(|line| one(line).expect("table old -> new"))
        .collect()
}

/// Returns what users would find changed without a line in the list of renames.
fn silent_changes(known: &Columns, now: &Columns, renamed: &str) -> Vec<String> {
    let renames = self::renamed(renamed);
    let mut changes = Vec::new();
    for (at, kind) in known {
        let (table, column) = at;
        match (now.get(at), renames.get(at)) {
            (Some(is), None) if is != kind => {
                changes.push(format!("{table}.{column}: was {kind}, is {is}"));
            }
            (None, None) => changes.push(format!("{table}.{column} is gone")),
            (None, Some(new))
                if new != "gone" && !now.contains_key(&(table.clone(), new.clone())) =>
            {
                changes.push(format!(
                    "{table}.{column}: {new} is not a column of the table"
                ));
            }
            (Some(_), _) | (None, Some(_)) => {}
        }
    }
    changes
}

#[test]
fn local_no_column_is_renamed_dropped_or_given_another_type_silently() {
    let now = documented(&fs::read_to_string("docs/tables.md").expect("docs/tables.md"));
    let mut known = listed(&fs::read_to_string(KNOWN).expect(KNOWN));
    let renamed = fs::read_to_string(RENAMED).expect(RENAMED);
    assert_eq!(silent_changes(&known, &now, &renamed), Vec::<String>::new());
    let new: BTreeSet<_> = now
        .keys()
        .filter(|at| !known.contains_key(*at))
        .cloned()
        .collect();
    if std::env::var_os("CRAWLPREFS_WRITE_COLUMNS").is_some() {
        known.extend(new.iter().map(|at| (at.clone(), now[at].clone())));
        let text: String = known
            .iter()
            .map(|((table, column), kind)| format!("{table} {column} {kind}\n"))
            .collect();
        fs::write(KNOWN, text).expect(KNOWN);
    } else {
        assert!(
            new.is_empty(),
            "new columns: add them with CRAWLPREFS_WRITE_COLUMNS=1: {new:?}"
        );
    }
}

#[test]
fn local_a_renamed_column_is_found() {
    let known = listed("pages url text\npages access text\nsites pages int64\n");
    let now = listed("pages address text\npages access int16\nsites pages int64\nsites new text\n");
    assert_eq!(
        silent_changes(&known, &now, ""),
        ["pages.access: was text, is int16", "pages.url is gone"]
    );
    let renamed = "# comment\npages url -> address\npages access -> access\n";
    assert_eq!(silent_changes(&known, &now, renamed), Vec::<String>::new());
    assert_eq!(
        silent_changes(
            &known,
            &now,
            "pages url -> adress\npages access -> access\n"
        ),
        ["pages.url: adress is not a column of the table"]
    );
}

#[cfg(feature = "tables")]
#[test]
fn local_the_page_of_versions_has_those_of_the_code() {
    use crawlprefs::tables::{EVIDENCE_FORMAT, SCHEMA_VERSION, site_index::INDEX_FORMAT};
    let page = fs::read_to_string("docs/versions.md").expect("docs/versions.md");
    let (version, _) = env!("CARGO_PKG_VERSION")
        .rsplit_once('.')
        .expect("three numbers");
    for row in [
        format!("| command line | {version} |"),
        format!("| columns of tables | schema {SCHEMA_VERSION} |"),
        format!("| evidence | format {EVIDENCE_FORMAT} |"),
        format!("| site index | format {INDEX_FORMAT} |"),
        format!("| Rust crate | {version} |"),
        format!("| Python package | {version} |"),
        format!("Rust {} is the oldest", env!("CARGO_PKG_RUST_VERSION")),
    ] {
        assert!(page.contains(&row), "{row}");
    }
}
