//! The files with a policy's cost: `cost.json`, and `cost_sites.parquet` and `cost_sites.csv` with a row per host and reason.
//!
//! A host is as in a document's URL. CSV is quoted (RFC 4180), with an apostrophe before a text that a spreadsheet would
//! compute, such as `=1+1`. In Parquet the text is unchanged.

use super::cost::{self, Amount, Costs, SiteCost, Sites, costliest};
use crate::judge::Policy;
use crate::runs::write_json;
use crate::store::{Store, StoreFile};
use crate::tables::{PartWriter, Rows, Table};
use crate::web::column::Column;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;

/// Memory for a row of a site, as a multiple of the bytes of its line.
const LINE_FACTOR: u64 = 4;
/// Rows that are held before they are written.
const HELD_ROWS: usize = 8192;
const GROUP_ROWS: usize = 100_000;

const COLUMNS: &[Column] = &[
    Column::text("host", "host of the documents' URLs; (no host) for URLs without one"),
    Column::text("reason", "first rule of the policy that drops them; (kept)"),
    Column::int64("documents", "documents"),
    Column::int64("text_bytes", "bytes of their texts"),
    Column::int64("tokens", "their tokens, where documents have a number of them").or_null(),
];

static COST_SITES: Table =
    Table { name: "cost_sites", folder: "", row: "host and reason", columns: || vec![COLUMNS] };

#[derive(Serialize)]
struct NamedCost<'n> {
    reason: &'n str,
    #[serde(flatten)]
    amount: Amount,
}

/// How many files are counted.
#[derive(Clone, Copy)]
pub struct CostedFiles {
    /// The judged files.
    pub judged: usize,
    /// The inputs that are not judged.
    pub not_judged: usize,
}

/// Writes the cost of a policy, by the names of its rules, and adds up the sites of some files; returns the sites that lose
/// most, and the number of sites.
pub fn write(
    store: &dyn Store,
    (files, counted): (&[String], CostedFiles),
    policy: &Policy,
    costs: &Costs,
    memory_bytes: u64,
) -> io::Result<(Vec<SiteCost>, u64)> {
    let (sites, count) = add_up(store, files, memory_bytes)?;
    let rules = || policy.rules.iter().map(|rule| rule.name.as_str());
    let named = |amounts: &[Amount]| -> Vec<NamedCost<'_>> {
        rules().zip(amounts).map(|(reason, amount)| NamedCost { reason, amount: *amount }).collect()
    };
    let excepted: BTreeMap<&str, &Amount> = policy.exceptions.names().zip(&costs.excepted).collect();
    let mut all = costs.dropped();
    all.add(&costs.kept);
    let document = serde_json::json!({
        "files": counted.judged,
        "inputs_not_judged": counted.not_judged,
        "all": all,
        "kept": costs.kept,
        "kept_by_exception": excepted,
        "dropped": costs.dropped(),
        "reasons": named(&costs.reasons),
        "each_rule_alone": named(&costs.alone),
        "sites": count,
        "sites_that_lose_most": sites,
    });
    write_json(store, "cost.json", &document)?;
    Ok((sites, count))
}

/// Adds up the sites of files into two files; returns the sites that lose most, and the number of sites. Sites are added up
/// share by share, so that about `memory_bytes` of memory are enough.
fn add_up(store: &dyn Store, files: &[String], memory_bytes: u64) -> io::Result<(Vec<SiteCost>, u64)> {
    let mut bytes = 0;
    for file in files {
        bytes += store.bytes(file)?.unwrap_or_default();
    }
    let shares = (bytes * LINE_FACTOR).div_ceil(memory_bytes.max(1)).max(1);
    let mut out = SiteRows::new(store)?;
    let (mut most, mut count) = (Vec::new(), 0);
    for share in 0..shares {
        let mut sites = Sites::new();
        for file in files {
            cost::read(store, file, (share, shares), &mut sites)?;
        }
        count += costliest(&sites, &mut most);
        out.write(&sites)?;
    }
    out.finish()?;
    Ok((most, count))
}

struct SiteRows {
    csv: csv::Writer<Box<dyn StoreFile>>,
    rows: Rows,
    parquet: PartWriter,
}

impl SiteRows {
    fn new(store: &dyn Store) -> io::Result<Self> {
        let mut csv = csv::Writer::from_writer(store.create("cost_sites.csv")?);
        csv.write_record(COST_SITES.columns().map(|column| column.name))?;
        let file = store.create("cost_sites.parquet")?;
        let parquet = PartWriter::new(&COST_SITES, GROUP_ROWS, &Vec::new(), file)?;
        Ok(Self { csv, rows: Rows::new(&COST_SITES), parquet })
    }

    fn write(&mut self, sites: &Sites) -> io::Result<()> {
        for ((site, reason), Amount { documents, text_bytes, tokens }) in sites {
            self.csv.serialize((no_formula(site), no_formula(reason), documents, text_bytes, tokens))?;
            let cells = self.rows.row();
            cells.text("host", site);
            cells.text("reason", reason);
            cells.int64("documents", *documents);
            cells.int64("text_bytes", *text_bytes);
            cells.int64_or_null("tokens", *tokens);
            if self.rows.row_count() >= HELD_ROWS {
                self.parquet.write(&self.rows.finish()?)?;
            }
        }
        Ok(())
    }

    fn finish(mut self) -> io::Result<()> {
        self.parquet.write(&self.rows.finish()?)?;
        self.parquet.commit()?;
        self.csv.into_inner().map_err(csv::IntoInnerError::into_error)?.commit()
    }
}

/// Returns a text that no spreadsheet takes for a formula.
fn no_formula(text: &str) -> Cow<'_, str> {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use super::add_up;
    use crate::judge::files::cost::{Amount, KEPT, SiteCosts};
    use crate::store::{FolderStore, Store};

    const ONE: Amount = Amount { documents: 1, text_bytes: 10, tokens: Some(2) };

    #[test]
    fn local_sites_add_up_the_same_in_any_number_of_shares() {
        let folder = tempfile::tempdir().unwrap();
        let store = FolderStore::new(folder.path().to_owned());
        let files = ["a", "b"].map(str::to_owned);
        for file in &files {
            let mut sites = SiteCosts::new(store.create(file).unwrap());
            for number in 0..300_usize {
                for _ in 0..=number % 7 {
                    sites.count(&format!("h{number}.example"), ["x", "y", KEPT][number % 3], &ONE).unwrap();
                }
            }
            sites.finish().unwrap();
        }
        let mut texts = Vec::new();
        for memory_bytes in [u64::MAX / 8, 1000] {
            let (most, count) = add_up(&store, &files, memory_bytes).unwrap();
            let text = String::from_utf8(store.read("cost_sites.csv").unwrap().unwrap()).unwrap();
            let mut lines: Vec<&str> = text.lines().collect();
            lines.sort_unstable();
            let most: Vec<(String, u64)> =
                most.into_iter().map(|cost| (cost.site, cost.dropped.documents)).collect();
            assert_eq!((most.len(), count, lines.len()), (100, 300, 301));
            assert_eq!(most[0], ("h111.example".to_owned(), 14));
            texts.push((lines.join("\n"), most));
        }
        assert_eq!(texts[0], texts[1]);
    }

    #[test]
    fn local_a_damaged_file_of_sites_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let store = FolderStore::new(folder.path().to_owned());
        for content in
            ["a.example,x,many,1,\n", "a.example,x\n", "\"a.example,x,1,1,\n", "a\u{0}\n", "a,b,-1,1,1\n"]
        {
            store.put("a", content.as_bytes()).unwrap();
            let error = add_up(&store, &["a".to_owned()], 1000).unwrap_err().to_string();
            assert!(error.contains("/a: "), "{content}: {error}");
        }
    }
}
