//! Archives through `scan` and `resolve`, and the rows of `pages` read back.

use crawlprefs::archive::Input;
use crawlprefs::evidence::Depth;
use crawlprefs::job::{ResolveOptions, ScanOptions, Silent, resolve, scan};
use crawlprefs::store::FolderStore;
use crawlprefs::systems::Viewpoint;
use crawlprefs::systems::aipref_vocab::Vocabulary;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use parquet::schema::types::Type;
use std::collections::BTreeMap;
use std::fs::File;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Columns that hold verdicts, preferences and labels, and what explains them.
pub const COLUMNS: [&str; 41] = [
    "url",
    "robots_state",
    "robots_cut",
    "access",
    "access_reason",
    "access_line",
    "disallowed_agents",
    "aipref_all",
    "aipref_bots",
    "aipref_tdm",
    "aipref_ai",
    "aipref_genai",
    "aipref_train_ai",
    "aipref_train_genai",
    "aipref_ai_use",
    "aipref_ai_output",
    "aipref_inference",
    "aipref_search",
    "automation_get",
    "automation_methods",
    "tag_noindex",
    "tag_nosnippet",
    "tag_none",
    "tag_rules",
    "sup_tdm",
    "sup_ai",
    "sup_genai",
    "sup_search",
    "content_signal_search",
    "content_signal_ai_input",
    "content_signal_ai_train",
    "content_signal_use",
    "ai_training",
    "tdm_reservation",
    "trust_txt_training",
    "ai_txt",
    "search",
    "train_ai",
    "train_genai",
    "ai_input",
    "tdm",
];

/// A row: the columns in their order, then `unread`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    texts: BTreeMap<&'static str, String>,
    pub disallowed_agents: Option<Vec<String>>,
    pub methods: Option<Vec<String>>,
    pub unread: Vec<String>,
}

impl Row {
    /// Returns a column as text; NULL as `null`.
    pub fn text(&self, column: &str) -> &str {
        &self.texts[column]
    }

    /// Returns the columns in which two rows differ.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let texts = self.texts.iter().zip(other.texts.values());
        let mut found: Vec<String> = texts
            .filter(|((column, one), other)| *one != *other && **column != "url")
            .map(|((column, one), other)| format!("{column}: {one}, not {other}"))
            .collect();
        if self.unread != other.unread {
            found.push(format!("unread: {:?}, not {:?}", self.unread, other.unread));
        }
        found
    }
}

/// Scans archives and resolves them; returns the rows of `pages` by URL.
pub fn pages(
    inputs: Vec<Input>,
    depth: Depth,
    token: &str,
    vocabulary: &str,
) -> BTreeMap<String, Row> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = FolderStore::new(folder.path().to_owned());
    let mut options = ScanOptions::new(inputs);
    options.jobs = NonZeroUsize::new(2).expect("at least one");
    options.depth = depth;
    let summary = scan(&options, &store, &Silent).expect("the job can run");
    assert!(
        summary.failed_inputs.is_empty() && summary.failures.is_empty(),
        "{:?}",
        summary.failures
    );
    let mut viewpoint = Viewpoint::new(token).expect("a token");
    viewpoint.vocabulary = Vocabulary::named(vocabulary).expect("a vocabulary");
    let options = ResolveOptions {
        jobs: options.jobs,
        ..ResolveOptions::new(viewpoint)
    };
    resolve(&[&store], &store, &options, &Silent).expect("the job can run");
    let mut found = BTreeMap::new();
    for part in parts(&folder.path().join("pages")) {
        let reader = SerializedFileReader::new(File::open(part).expect("a part")).expect("Parquet");
        let schema = reader.metadata().file_metadata().schema();
        let wanted = |name: &str| COLUMNS.contains(&name) || name == "unread";
        let fields = schema
            .get_fields()
            .iter()
            .filter(|field| wanted(field.name()))
            .cloned()
            .collect();
        let projected = Type::group_type_builder(schema.name())
            .with_fields(fields)
            .build()
            .expect("a schema");
        for row in reader.get_row_iter(Some(projected)).expect("rows") {
            let row = of_columns(row.expect("a row").into_columns());
            found.insert(row.text("url").to_owned(), row);
        }
    }
    found
}

fn parts(table: &Path) -> Vec<PathBuf> {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let entries = folder.read_dir().expect("the table is there");
        let mut paths: Vec<PathBuf> = entries
            .map(|entry| entry.expect("an entry").path())
            .collect();
        paths.sort();
        paths
    };
    entries(table)
        .iter()
        .flat_map(|crawl| entries(crawl))
        .collect()
}

fn of_columns(columns: Vec<(String, Field)>) -> Row {
    let mut row = Row {
        texts: BTreeMap::new(),
        disallowed_agents: None,
        methods: None,
        unread: Vec::new(),
    };
    for (name, field) in columns {
        match name.as_str() {
            "unread" => row.unread = list(&field).unwrap_or_default(),
            "disallowed_agents" => row.disallowed_agents = list(&field),
            "automation_methods" => row.methods = list(&field),
            _ => {}
        }
        if let Some(column) = COLUMNS.iter().find(|column| **column == name) {
            let text = if let Field::Str(text) = field {
                text
            } else {
                field.to_string()
            };
            row.texts.insert(column, text);
        }
    }
    row
}

fn list(field: &Field) -> Option<Vec<String>> {
    let Field::ListInternal(list) = field else {
        return None;
    };
    let text = |element: &Field| {
        if let Field::Str(text) = element {
            text.clone()
        } else {
            element.to_string()
        }
    };
    Some(list.elements().iter().map(text).collect())
}
