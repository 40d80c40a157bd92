//! Many sites in one archive, each changed in one way under a host of its own, and what must hold of their rows.

use crate::container::{Archive, Container};
use crate::dimensions::{Expected, Variant};
use crate::job::{COLUMNS, Row, pages};
use crate::site::Site;
use crawlprefs::evidence::Depth;
use std::collections::BTreeMap;

/// So many of the faults are shown.
const SHOWN: usize = 60;

/// How many combinations there were, and the faults among them, by dimension.
#[derive(Default)]
pub struct Counts {
    combinations: BTreeMap<(String, &'static str), usize>,
    /// What a no became unknown by: combinations that have another row than the plain response.
    other: usize,
    faults: Vec<String>,
}

impl Counts {
    pub fn add(&mut self, other: Self) {
        for (dimension, count) in other.combinations {
            *self.combinations.entry(dimension).or_default() += count;
        }
        self.other += other.other;
        self.faults.extend(other.faults);
    }

    pub fn combinations(&self) -> usize {
        self.combinations.values().sum()
    }

    /// Prints the counts, and fails where there are faults.
    pub fn report(&self) {
        for ((container, dimension), count) in &self.combinations {
            println!("{container} {dimension}: {count} combinations");
        }
        println!(
            "{} combinations, {} of them with another row",
            self.combinations(),
            self.other
        );
        if let Ok(path) = std::env::var("FAULTS") {
            use std::io::Write;
            let mut file = std::fs::OpenOptions::new()
                .append(true)
                .create(true)
                .open(path)
                .expect("a file");
            writeln!(file, "{}", self.faults.join("\n")).expect("a file");
        }
        let shown = self.faults.get(..SHOWN).unwrap_or(&self.faults).join("\n");
        assert!(
            self.faults.is_empty(),
            "{} faults:\n{shown}",
            self.faults.len()
        );
    }
}

/// One archive of many sites.
pub struct World {
    container: Container,
    depth: Depth,
    token: String,
    vocabulary: String,
    archive: Archive,
    hosts: usize,
    /// The page's URL of each plain site.
    plain: BTreeMap<String, String>,
    /// The page's URL, that of the plain site, and what was changed how.
    changed: Vec<(String, String, Variant)>,
}

impl World {
    pub fn new(container: Container, depth: Depth, token: &str, vocabulary: &str) -> Self {
        Self {
            container,
            depth,
            token: token.to_owned(),
            vocabulary: vocabulary.to_owned(),
            archive: Archive::new(container),
            hosts: 0,
            plain: BTreeMap::new(),
            changed: Vec::new(),
        }
    }

    /// Adds a site of which one message is changed.
    pub fn add(&mut self, site: &Site, place: usize, variant: Variant) {
        if !self.plain.contains_key(&site.name) {
            let url = self
                .archive(site)
                .expect("a plain site fits into every format");
            self.plain.insert(site.name.clone(), url);
        }
        let mut changed = site.clone();
        changed.messages[place] = variant.message.clone();
        if let Some(url) = self.archive(&changed) {
            let plain = &self.plain[&site.name];
            let variant = Variant {
                name: format!("{}: {}", site.name, variant.name),
                ..variant
            };
            self.changed.push((url, plain.clone(), variant));
        }
    }

    /// Writes a site under a host of its own; returns its page's URL, or `None` where the format cannot say it.
    fn archive(&mut self, site: &Site) -> Option<String> {
        let host = format!("h{}.example", self.hosts);
        self.hosts += 1;
        let (page, files) = site.messages.split_last().expect("a page");
        let whole = files
            .iter()
            .map(|file| self.archive.add(file, &host, "06:00:00"))
            .fold(true, |a, b| a & b);
        let whole = whole & self.archive.add(page, &host, "07:00:00");
        whole.then(|| format!("https://{host}{}", page.path))
    }

    /// Resolves all, and compares each page with that of the plain site.
    pub fn check(self) -> Counts {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let input = self.archive.into_input(folder.path(), "made");
        let rows = pages(vec![input], self.depth, &self.token, &self.vocabulary);
        let mut counts = Counts::default();
        let container = format!("{:?} {:?}", self.container, self.depth);
        for (url, plain, variant) in &self.changed {
            let (row, plain) = (&rows[url], &rows[plain]);
            let dimension = (container.clone(), variant.dimension);
            *counts.combinations.entry(dimension).or_default() += 1;
            let faults = match variant.expected {
                Expected::Same => row.differences(plain),
                Expected::NoNewYes => new_yes(row, plain, &COLUMNS),
                Expected::NoNewAccess => new_yes(row, plain, &["access", "disallowed_agents"]),
            };
            counts.other += usize::from(!row.differences(plain).is_empty());
            if !faults.is_empty() {
                let what = format!(
                    "{container} {} {}: {}",
                    variant.dimension,
                    variant.name,
                    faults.join("; ")
                );
                counts
                    .faults
                    .push(format!("{what} [{:?}]", variant.expected));
            }
        }
        counts
    }
}

/// Returns where a row says yes and the plain site's does not.
fn new_yes(row: &Row, plain: &Row, columns: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for column in columns {
        let (now, was) = (row.text(column), plain.text(column));
        let is_yes = now == "allow" || (*column == "tdm_reservation" && now == "0");
        if is_yes && was != now {
            found.push(format!("{column} was {was} and is {now}"));
        }
    }
    // An agent that is not in the list is let in; a method that is in the list is allowed.
    let lacks = |list: &Option<Vec<String>>, wanted: &Option<Vec<String>>| match (list, wanted) {
        (Some(list), Some(wanted)) => wanted.iter().any(|one| !list.contains(one)),
        (Some(_), None) => true,
        (None, _) => false,
    };
    if lacks(&row.disallowed_agents, &plain.disallowed_agents) {
        found.push("disallowed_agents lacks some".to_owned());
    }
    if row.methods.is_some() && lacks(&plain.methods, &row.methods) {
        found.push("automation_methods has more".to_owned());
    }
    found
}
