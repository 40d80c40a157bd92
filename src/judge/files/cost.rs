//! What a policy costs: documents, bytes of text and tokens, per reason, per site, and by each rule alone.
//!
//! A document is counted to the first reason that drops it, and to every rule that would drop it alone. Sites are hosts;
//! what is counted of them goes to a file of lines beside the outputs, so that any number of them fits in memory.
//! Example of a line: `a.example`, `access_disallow`, 12 documents, 34,567 bytes, 8,901 tokens, tabs between them.

use crate::job::identity::write_json;
use crate::store::{FileRange, Store, StoreFile};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufRead, BufReader, Write};

/// How the reason of what is kept is written.
pub const KEPT: &str = "(kept)";
/// The sites that are held before they are written.
const HELD_SITES: usize = 100_000;
/// The sites that `cost.json` names.
const NAMED_SITES: usize = 100;
/// What a line of a site takes in memory, about.
const LINE_FACTOR: u64 = 4;

/// A number of documents, and what is in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amount {
    /// Documents.
    pub documents: u64,
    /// Bytes of their texts.
    pub text_bytes: u64,
    /// Their tokens; `None` where no document says.
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

/// What a policy costs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Costs {
    /// What is kept.
    pub kept: Amount,
    /// What is dropped, by the place of the first rule that does so.
    pub reasons: Vec<Amount>,
    /// What each rule alone would drop, by its place.
    pub alone: Vec<Amount>,
}

impl Costs {
    /// Returns no costs of so many rules.
    #[must_use]
    pub fn new(rules: usize) -> Self {
        Self {
            kept: Amount::default(),
            reasons: vec![Amount::default(); rules],
            alone: vec![Amount::default(); rules],
        }
    }

    /// Counts a document to the rules that drop it.
    pub fn count(&mut self, amount: &Amount, rules: &[usize]) {
        match rules.first().and_then(|first| self.reasons.get_mut(*first)) {
            Some(reason) => reason.add(amount),
            None => self.kept.add(amount),
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
        self.reasons.resize(other.reasons.len().max(self.reasons.len()), Amount::default());
        self.alone.resize(self.reasons.len(), Amount::default());
        let pairs = self.reasons.iter_mut().zip(&other.reasons);
        for (own, other) in pairs.chain(self.alone.iter_mut().zip(&other.alone)) {
            own.add(other);
        }
    }

    /// Returns what is dropped.
    #[must_use]
    pub fn dropped(&self) -> Amount {
        let mut dropped = Amount::default();
        for reason in &self.reasons {
            dropped.add(reason);
        }
        dropped
    }
}

/// What is counted of each site and reason.
type Sites = BTreeMap<(String, String), Amount>;

/// What is counted of the sites of one file, written as it grows.
pub struct SiteCosts {
    held: Sites,
    out: Box<dyn StoreFile>,
}

impl SiteCosts {
    /// Begins the file of a file's sites.
    pub fn new(out: Box<dyn StoreFile>) -> Self {
        Self { held: Sites::new(), out }
    }

    /// Counts a document.
    ///
    /// # Errors
    /// Why the file cannot be written.
    pub fn count(&mut self, site: &str, reason: &str, amount: &Amount) -> io::Result<()> {
        self.held.entry((site.to_owned(), reason.to_owned())).or_default().add(amount);
        if self.held.len() > HELD_SITES { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> io::Result<()> {
        write_sites(&std::mem::take(&mut self.held), &mut self.out)
    }

    /// Ends the file.
    ///
    /// # Errors
    /// Why it cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.write()?;
        self.out.commit()
    }
}

fn write_sites(sites: &Sites, out: &mut impl Write) -> io::Result<()> {
    let mut text = String::new();
    for ((site, reason), Amount { documents, text_bytes, tokens }) in sites {
        let tokens = tokens.map(|tokens| tokens.to_string()).unwrap_or_default();
        // Writing to a String does not fail.
        let _ = writeln!(text, "{site}\t{reason}\t{documents}\t{text_bytes}\t{tokens}");
    }
    out.write_all(text.as_bytes())
}

/// A site of which documents are dropped.
#[derive(Clone, Debug, Serialize)]
pub struct SiteCost {
    /// Its host.
    pub site: String,
    /// What is dropped of it.
    #[serde(flatten)]
    pub dropped: Amount,
}

/// The file of what is counted of each site.
const SITE_COSTS: &str = "cost_sites.tsv";

/// What is dropped for a reason.
#[derive(Serialize)]
struct NamedCost<'n> {
    reason: &'n str,
    #[serde(flatten)]
    amount: Amount,
}

/// Writes what a policy costs, by the names of its rules, and adds up what was counted of sites in some files; returns
/// the sites that lose most, and how many there are.
///
/// # Errors
/// Why a file cannot be read or written.
pub fn write(
    store: &dyn Store,
    files: &[String],
    rules: &[&str],
    costs: &Costs,
    memory_bytes: u64,
) -> io::Result<(Vec<SiteCost>, u64)> {
    let (sites, count) = add_up(store, files, SITE_COSTS, memory_bytes)?;
    let named = |amounts: &[Amount]| -> Vec<NamedCost<'_>> {
        rules.iter().zip(amounts).map(|(reason, amount)| NamedCost { reason, amount: *amount }).collect()
    };
    let mut all = costs.dropped();
    all.add(&costs.kept);
    let document = serde_json::json!({
        "all": all,
        "kept": costs.kept,
        "dropped": costs.dropped(),
        "reasons": named(&costs.reasons),
        "each_rule_alone": named(&costs.alone),
        "sites": count,
        "sites_that_lose_most": sites,
    });
    write_json(store, "cost.json", &document)?;
    Ok((sites, count))
}

/// Adds up the sites of files into one file of lines; returns those that lose most, and how many sites there are.
///
/// Sites are added up share by share, so that about so many bytes of memory are enough.
///
/// # Errors
/// Why a file cannot be read or written.
fn add_up(
    store: &dyn Store,
    files: &[String],
    to: &str,
    memory_bytes: u64,
) -> io::Result<(Vec<SiteCost>, u64)> {
    let mut bytes = 0;
    for file in files {
        bytes += store.bytes(file)?.unwrap_or_default();
    }
    let shares = (bytes * LINE_FACTOR).div_ceil(memory_bytes.max(1)).max(1);
    let mut out = store.create(to)?;
    out.write_all(b"host\treason\tdocuments\ttext_bytes\ttokens\n")?;
    let (mut most, mut count) = (Vec::new(), 0);
    for share in 0..shares {
        let mut sites = Sites::new();
        for file in files {
            read_sites(store, file, |site| share_of(site) % shares == share, &mut sites)?;
        }
        write_sites(&sites, &mut out)?;
        count += costliest(&sites, &mut most);
    }
    out.commit()?;
    Ok((most, count))
}

fn share_of(site: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    site.hash(&mut hasher);
    hasher.finish()
}

fn read_sites(
    store: &dyn Store,
    file: &str,
    is_wanted: impl Fn(&str) -> bool,
    sites: &mut Sites,
) -> io::Result<()> {
    let file = FileRange::new(store.open(file)?.into(), 0);
    let lines = BufReader::with_capacity(1 << 20, file).lines();
    for line in lines {
        let line = line?;
        let mut fields = line.split('\t');
        let (Some(site), Some(reason)) = (fields.next(), fields.next()) else { continue };
        if is_wanted(site) {
            let mut number = || fields.next().and_then(|number| number.parse().ok());
            let (documents, text_bytes) = (number().unwrap_or_default(), number().unwrap_or_default());
            let amount = Amount { documents, text_bytes, tokens: number() };
            sites.entry((site.to_owned(), reason.to_owned())).or_default().add(&amount);
        }
    }
    Ok(())
}

/// Keeps the sites that lose most; returns how many sites there are.
fn costliest(sites: &Sites, most: &mut Vec<SiteCost>) -> u64 {
    let (mut last, mut count) = (None, 0);
    for ((site, reason), amount) in sites {
        if last != Some(site) {
            (last, count) = (Some(site), count + 1);
        }
        if reason == KEPT {
            continue;
        }
        match most.last_mut().filter(|cost| cost.site == *site) {
            Some(cost) => cost.dropped.add(amount),
            None => most.push(SiteCost { site: site.clone(), dropped: *amount }),
        }
        if most.len() > 100 * NAMED_SITES {
            keep_costliest(most, Some(site));
        }
    }
    keep_costliest(most, None);
    count
}

/// Keeps the sites that lose most, and the one that is being added up, as the last one.
fn keep_costliest(most: &mut Vec<SiteCost>, open: Option<&String>) {
    let open = open.and_then(|open| most.pop_if(|cost| cost.site == *open));
    most.sort_by(|one, other| {
        let key = |cost: &SiteCost| (cost.dropped.documents, cost.dropped.text_bytes);
        key(other).cmp(&key(one)).then_with(|| one.site.cmp(&other.site))
    });
    most.truncate(NAMED_SITES);
    most.extend(open);
}

#[cfg(test)]
mod tests {
    use super::{Amount, Costs, KEPT, SiteCosts, add_up};
    use crate::store::{FolderStore, Store};

    const ONE: Amount = Amount { documents: 1, text_bytes: 10, tokens: Some(2) };

    #[test]
    fn local_a_document_counts_for_its_first_reason_and_for_every_rule_alone() {
        let mut costs = Costs::new(3);
        costs.count(&ONE, &[]);
        costs.count(&ONE, &[1, 2]);
        costs.count(&Amount { tokens: None, ..ONE }, &[2]);
        let mut all = Costs::default();
        all.add(&costs);
        let documents =
            |amounts: &[Amount]| amounts.iter().map(|amount| amount.documents).collect::<Vec<_>>();
        assert_eq!((documents(&all.reasons), documents(&all.alone)), (vec![0, 1, 1], vec![0, 1, 2]));
        assert_eq!(all.dropped(), Amount { documents: 2, text_bytes: 20, tokens: Some(2) });
        assert_eq!(all.kept, ONE);
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
                    sites.count(&format!("h{number}.example"), ["x", "y", KEPT][number % 3], &ONE).unwrap();
                }
            }
            sites.finish().unwrap();
        }
        let mut texts = Vec::new();
        for memory_bytes in [u64::MAX / 8, 1000] {
            let (most, count) = add_up(&store, &files, "all", memory_bytes).unwrap();
            let text = String::from_utf8(store.read("all").unwrap().unwrap()).unwrap();
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
}
