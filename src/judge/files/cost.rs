//! The cost of a policy: documents, bytes of text and tokens, per reason, per site, and by each rule alone.
//!
//! A document counts for the first reason that drops it, and for every rule that would drop it alone.
//!
//! The sites of one file of documents are one line of CSV per site and reason, in a file beside the output, so that any number
//! of sites fits in memory. Example: `a.example,access_disallow,12,34567,8901`. A site is a host. These files are added up last,
//! to `cost.json`, and `cost_sites.parquet` and `cost_sites.csv` with a row per host and reason.
//!
//! A host is as in a document's URL. CSV is quoted (RFC 4180), with an apostrophe before a text that a spreadsheet would
//! compute, such as `=1+1`. In Parquet the text is unchanged.

use crate::judge::Policy;
use crate::runs::write_json;
use crate::store::{FileRange, Store, StoreFile};
use crate::tables::{RowsFile, Table, declared};
use crate::web::column::Column;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::io::{self, BufReader};

/// The reason that is written for kept documents.
pub const KEPT: &str = "(kept)";

/// A number of documents, and the size of their texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amount {
    /// Documents.
    pub documents: u64,
    /// Bytes of their texts.
    pub text_bytes: u64,
    /// Their tokens; `None` if no document has a number.
    pub tokens: Option<u64>,
}

impl Amount {
    /// Adds another amount.
    pub fn add(&mut self, other: &Self) {
        self.documents += other.documents;
        self.text_bytes += other.text_bytes;
        if let Some(tokens) = other.tokens {
            *self.tokens.get_or_insert(0) += tokens;
        }
    }
}

/// The cost of a policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Costs {
    /// What is kept.
    pub kept: Amount,
    /// What is dropped, by the place of the first rule that drops it.
    pub reasons: Vec<Amount>,
    /// What each rule alone would drop, by its place.
    pub alone: Vec<Amount>,
    /// What is kept only because of each exception, by its place.
    pub excepted: Vec<Amount>,
}

impl Costs {
    /// Returns empty costs for a number of rules and exceptions.
    pub fn new(rules: usize, exceptions: usize) -> Self {
        let amounts = |count| vec![Amount::default(); count];
        Self {
            kept: Amount::default(),
            reasons: amounts(rules),
            alone: amounts(rules),
            excepted: amounts(exceptions),
        }
    }

    /// Counts a document for the rules that drop it; if it is kept, for the exception that alone keeps it.
    pub fn count(&mut self, amount: &Amount, rules: &[usize], kept_by: Option<usize>) {
        if let Some(reason) = rules.first().and_then(|first| self.reasons.get_mut(*first)) {
            reason.add(amount);
        } else {
            self.kept.add(amount);
            if let Some(excepted) = kept_by.and_then(|place| self.excepted.get_mut(place)) {
                excepted.add(amount);
            }
        }
        for rule in rules {
            if let Some(alone) = self.alone.get_mut(*rule) {
                alone.add(amount);
            }
        }
    }

    /// Adds the costs of the same rules.
    pub fn add(&mut self, other: &Self) {
        self.kept.add(&other.kept);
        let Self {
            reasons,
            alone,
            excepted,
            ..
        } = self;
        for (own, other) in [
            (reasons, &other.reasons),
            (alone, &other.alone),
            (excepted, &other.excepted),
        ] {
            own.resize(other.len().max(own.len()), Amount::default());
            own.iter_mut()
                .zip(other)
                .for_each(|(own, other)| own.add(other));
        }
    }

    /// Returns what is dropped.
    pub fn dropped(&self) -> Amount {
        let mut dropped = Amount::default();
        self.reasons.iter().for_each(|reason| dropped.add(reason));
        dropped
    }
}

/// The sites that are held before they are written.
const HELD_SITES: usize = 100_000;
/// The longest name of a site: no host of the DNS has a longer one (RFC 1035 2.3.4).
pub const LONGEST_SITE: usize = 255;
/// The number of sites that are listed as losing most; any number of this size.
const NAMED_SITES: usize = 100;

/// Amounts by site and reason.
type SiteAmounts = BTreeMap<(String, String), Amount>;

/// The amounts of the sites of one file, written as it grows.
pub struct SiteCosts {
    held: SiteAmounts,
    out: csv::Writer<Box<dyn StoreFile>>,
}

impl SiteCosts {
    pub fn new(out: Box<dyn StoreFile>) -> Self {
        Self {
            held: SiteAmounts::new(),
            out: csv::Writer::from_writer(out),
        }
    }

    /// Counts a document.
    pub fn count(&mut self, site: &str, reason: &str, amount: &Amount) -> io::Result<()> {
        self.held
            .entry((site.to_owned(), reason.to_owned()))
            .or_default()
            .add(amount);
        if self.held.len() > HELD_SITES {
            self.write()
        } else {
            Ok(())
        }
    }

    fn write(&mut self) -> io::Result<()> {
        for (
            (site, reason),
            Amount {
                documents,
                text_bytes,
                tokens,
            },
        ) in std::mem::take(&mut self.held)
        {
            self.out
                .serialize((site, reason, documents, text_bytes, tokens))
                .map_err(io::Error::from)?;
        }
        Ok(())
    }

    pub fn finish(mut self) -> io::Result<()> {
        self.write()?;
        self.out
            .into_inner()
            .map_err(csv::IntoInnerError::into_error)?
            .commit()
    }
}

/// Adds the amounts in a file, for the sites of one of several shares.
fn read(
    store: &dyn Store,
    name: &str,
    share: u64,
    shares: u64,
    sites: &mut SiteAmounts,
) -> io::Result<()> {
    let file = BufReader::with_capacity(1 << 20, FileRange::new(store.open(name)?.into(), 0));
    let hasher = BuildHasherDefault::<DefaultHasher>::new();
    for line in csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(file)
        .into_deserialize()
    {
        let line =
            line.map_err(|error| io::Error::other(format!("{}: {error}", store.location_of(name))));
        let (site, reason, documents, text_bytes, tokens): (String, String, u64, u64, Option<u64>) =
            line?;
        if hasher.hash_one(&site) % shares == share {
            let amount = Amount {
                documents,
                text_bytes,
                tokens,
            };
            sites.entry((site, reason)).or_default().add(&amount);
        }
    }
    Ok(())
}

/// A site with dropped documents.
#[derive(Clone, Debug, Serialize)]
pub struct SiteCost {
    /// Its host.
    pub site: String,
    /// What is dropped of it.
    #[serde(flatten)]
    pub dropped: Amount,
}

/// Keeps the sites that lose most; returns the number of sites.
fn costliest(sites: &SiteAmounts, most: &mut Vec<SiteCost>) -> u64 {
    let mut last = None;
    let mut count = 0;
    for ((site, reason), amount) in sites {
        if last != Some(site) {
            (last, count) = (Some(site), count + 1);
        }
        if reason == KEPT {
            continue;
        }
        match most.last_mut().filter(|cost| cost.site == *site) {
            Some(cost) => cost.dropped.add(amount),
            None => most.push(SiteCost {
                site: site.clone(),
                dropped: *amount,
            }),
        }
        if most.len() > 100 * NAMED_SITES {
            keep_costliest(most, Some(site));
        }
    }
    keep_costliest(most, None);
    count
}

/// Keeps the sites that lose most, and as the last one the site that is being added up.
fn keep_costliest(most: &mut Vec<SiteCost>, open: Option<&String>) {
    let open = open.and_then(|open| most.pop_if(|cost| cost.site == *open));
    most.sort_by(|one, other| {
        let key = |cost: &SiteCost| (cost.dropped.documents, cost.dropped.text_bytes);
        key(other)
            .cmp(&key(one))
            .then_with(|| one.site.cmp(&other.site))
    });
    most.truncate(NAMED_SITES);
    most.extend(open);
}

/// Memory for a row of a site, as a multiple of the bytes of its line.
const LINE_FACTOR: u64 = 4;

const COLUMNS: &[Column] = declared![
    text "host": "host of the documents' URLs; (no host) for URLs without one",
    text "reason": "first rule of the policy that drops them; (kept)",
    int64 "documents": "documents",
    int64 "text_bytes": "bytes of their texts",
    int64 "tokens" or_null: "their tokens, where documents have a number of them",
];

static COST_SITES: Table = Table {
    name: "cost_sites",
    folder: "",
    row: "host and reason",
    columns: || vec![COLUMNS],
};

#[derive(Serialize)]
struct NamedCost<'n> {
    reason: &'n str,
    #[serde(flatten)]
    amount: Amount,
}

/// Writes the cost of a policy by the names of its rules, and the number of documents whose headers or metas were not seen; adds
/// up the sites of the judged files; returns the sites that lose most, and the number of sites.
pub fn write(
    store: &dyn Store,
    (files, not_judged): (&[String], usize),
    policy: &Policy,
    (costs, unseen): (&Costs, u64),
    memory_bytes: u64,
) -> io::Result<(Vec<SiteCost>, u64)> {
    let (sites, count) = add_up(store, files, memory_bytes)?;
    let rules = || policy.rules.iter().map(|rule| rule.name.as_str());
    let named = |amounts: &[Amount]| -> Vec<NamedCost<'_>> {
        rules()
            .zip(amounts)
            .map(|(reason, amount)| NamedCost {
                reason,
                amount: *amount,
            })
            .collect()
    };
    let excepted: BTreeMap<&str, &Amount> =
        policy.exceptions.names().zip(&costs.excepted).collect();
    let mut all = costs.dropped();
    all.add(&costs.kept);
    let document = serde_json::json!({
        "files": files.len(),
        "inputs_not_judged": not_judged,
        "all": all,
        "kept": costs.kept,
        "headers_or_metas_not_seen": unseen,
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
fn add_up(
    store: &dyn Store,
    files: &[String],
    memory_bytes: u64,
) -> io::Result<(Vec<SiteCost>, u64)> {
    let bytes: io::Result<u64> = files
        .iter()
        .map(|file| Ok(store.bytes(file)?.unwrap_or_default()))
        .sum();
    let shares = (bytes? * LINE_FACTOR).div_ceil(memory_bytes.max(1)).max(1);
    let mut csv = csv::Writer::from_writer(store.create("cost_sites.csv")?);
    csv.write_record(COST_SITES.columns().map(|column| column.name))?;
    let mut rows = RowsFile::new(&COST_SITES, store.create("cost_sites.parquet")?)?;
    let mut most = Vec::new();
    let mut count = 0;
    for share in 0..shares {
        let mut sites = SiteAmounts::new();
        for file in files {
            read(store, file, share, shares, &mut sites)?;
        }
        count += costliest(&sites, &mut most);
        for (
            (site, reason),
            Amount {
                documents,
                text_bytes,
                tokens,
            },
        ) in &sites
        {
            csv.serialize((
                no_formula(site),
                no_formula(reason),
                documents,
                text_bytes,
                tokens,
            ))?;
            let cells = rows.row()?;
            cells.text("host", site);
            cells.text("reason", reason);
            cells.int64("documents", *documents);
            cells.int64("text_bytes", *text_bytes);
            cells.int64_or_null("tokens", *tokens);
        }
    }
    rows.commit()?;
    csv.into_inner()
        .map_err(csv::IntoInnerError::into_error)?
        .commit()?;
    Ok((most, count))
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
    use super::{Amount, Costs, KEPT, SiteCosts, add_up};
    use crate::store::{FolderStore, Store};

    const ONE: Amount = Amount {
        documents: 1,
        text_bytes: 10,
        tokens: Some(2),
    };

    #[test]
    fn local_a_document_counts_for_its_first_reason_and_for_every_rule_alone() {
        let mut costs = Costs::new(3, 1);
        costs.count(&ONE, &[], Some(0));
        costs.count(&ONE, &[1, 2], None);
        costs.count(
            &Amount {
                tokens: None,
                ..ONE
            },
            &[2],
            Some(0),
        );
        let mut all = Costs::default();
        all.add(&costs);
        let documents = |amounts: &[Amount]| {
            amounts
                .iter()
                .map(|amount| amount.documents)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            (documents(&all.reasons), documents(&all.alone)),
            (vec![0, 1, 1], vec![0, 1, 2])
        );
        assert_eq!(
            all.dropped(),
            Amount {
                documents: 2,
                text_bytes: 20,
                tokens: Some(2)
            }
        );
        assert_eq!((all.kept, all.excepted), (ONE, vec![ONE]));
    }

    #[test]
    fn local_sites_add_up_the_same_in_any_number_of_shares() {
        let folder = tempfile::tempdir().unwrap();
        let store = FolderStore::new(folder.path().to_owned());
        let files = ["a", "b"].map(str::to_owned);
        for file in &files {
            let mut sites = SiteCosts::new(store.create(file).unwrap());
            for number in 0..300_usize {
                for _ in 0..=number % 7 {
                    sites
                        .count(
                            &format!("h{number}.example"),
                            ["x", "y", KEPT][number % 3],
                            &ONE,
                        )
                        .unwrap();
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
            let most: Vec<(String, u64)> = most
                .into_iter()
                .map(|cost| (cost.site, cost.dropped.documents))
                .collect();
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
        for content in [
            "a.example,x,many,1,\n",
            "a.example,x\n",
            "\"a.example,x,1,1,\n",
            "a\u{0}\n",
            "a,b,-1,1,1\n",
        ] {
            store.put("a", content.as_bytes()).unwrap();
            let error = add_up(&store, &["a".to_owned()], 1000)
                .unwrap_err()
                .to_string();
            assert!(error.contains("/a: "), "{content}: {error}");
        }
    }
}
