//! How many hosts may lack a no because an index lacks archives, or a part of them.
//!
//! Example: 9 of 900 archives of robots.txt are lost, and a host has 5 captures: 4.9 % of the hosts lost one of them,
//! `1 - (1 - 9/900)^5`. If an archive was cut, the records by which it has fewer than the mean of the others are lost; without
//! others, the whole archive is. Assumption: a crawl distributes its captures over its archives at random, as Common Crawl does.
//! Hosts with fewer or more captures than the mean make the true share smaller.

use super::layers::SiteLayers;
use crate::runs::is_of_pages;
use crate::tables::archives::Outcome;
use crate::tables::site_index::IndexedArchive;
use std::collections::BTreeMap;
use std::io;

/// How many archives of a crawl were read, and how many are lost; part of an archive counts as a fraction.
type ReadAndLost = (f64, f64);

const OF_ROBOTS: &str = "/robotstxt/";

impl SiteLayers {
    /// Returns about the share of hosts that may lack an answer: in archives that could not be read, or not to their end, in
    /// damaged records, and in the archives of a crawl that are named in `missing` and are in no index.
    pub fn share_lacking<'a>(
        &self,
        missing: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> io::Result<f64> {
        let archives = self.archives()?;
        let archives = archives.iter().map(|archive| {
            let place = (archive.crawl.as_str(), archive.warc_filename.as_str());
            (place, Some(archive))
        });
        let missing = missing
            .into_iter()
            .map(|(crawl, name)| ((crawl, name), None));
        let all: BTreeMap<(&str, &str), Option<&IndexedArchive>> =
            missing.chain(archives).collect();
        let has_robots = all.keys().any(|(_, name)| name.contains(OF_ROBOTS));
        // Archives of pages do not count; an archive whose name does not say what it holds counts.
        let counted = all
            .into_iter()
            .filter(|((_, name), _)| !(has_robots && is_of_pages(name)));
        let mut crawls = BTreeMap::<&str, Vec<Option<&IndexedArchive>>>::new();
        for ((crawl, _), archive) in counted {
            crawls.entry(crawl).or_default().push(archive);
        }
        let crawls: Vec<ReadAndLost> = crawls.into_values().map(|all| crawl(&all)).collect();
        Ok(share(self.most_hosts(), self.captures(), &crawls))
    }
}

#[allow(
    clippy::cast_precision_loss,
    reason = "shares need no more than 53 bits"
)]
fn crawl(archives: &[Option<&IndexedArchive>]) -> ReadAndLost {
    let is_cut = |archive: &IndexedArchive| archive.outcome == Outcome::Cut.as_str();
    let read = || {
        archives
            .iter()
            .flatten()
            .filter(|archive| archive.fingerprint.is_some())
    };
    let whole: Vec<f64> = read()
        .filter(|of| !is_cut(of))
        .map(|of| of.records as f64)
        .collect();
    let mean = whole.iter().sum::<f64>() / (whole.len().max(1) as f64);
    let (mut all_read, mut all_lost) = (0.0, 0.0);
    for archive in archives {
        let lost = match archive.filter(|archive| archive.fingerprint.is_some()) {
            None => 1.0,
            Some(archive) => {
                let records = archive.records.max(1) as f64;
                let of_damage = archive.records_lost as f64 / records;
                let behind = if is_cut(archive) {
                    (1.0 - records / mean.max(1.0)).max(1.0 / records)
                } else {
                    0.0
                };
                let behind = if is_cut(archive) && whole.is_empty() {
                    1.0
                } else {
                    behind
                };
                (of_damage + behind).min(1.0)
            }
        };
        all_lost += lost;
        all_read += 1.0 - lost;
    }
    (all_read, all_lost)
}

#[allow(
    clippy::cast_precision_loss,
    reason = "shares need no more than 53 bits"
)]
fn share(hosts: u64, captures: u64, crawls: &[ReadAndLost]) -> f64 {
    let all_read = crawls.iter().map(|(read, _)| read).sum::<f64>().max(1.0);
    let for_each_host = captures as f64 / hosts.max(1) as f64;
    // A host with nothing else in a crawl has one capture there.
    let captures = |read: f64| (for_each_host * read / all_read).max(1.0);
    let has_all =
        |(read, lost): &ReadAndLost| (read / (read + lost).max(1.0)).powf(captures(*read));
    1.0 - crawls.iter().map(has_all).product::<f64>()
}

#[cfg(test)]
mod tests {
    use super::{crawl, share};
    use crate::archive::CrawlId;
    use crate::tables::site_index::IndexedArchive;

    #[test]
    fn local_the_share_grows_with_lost_archives_and_with_captures() {
        let of = |hosts, captures, crawls: &[_]| format!("{:.4}", share(hosts, captures, crawls));
        assert_eq!(of(100, 500, &[(900.0, 0.0)]), "0.0000");
        assert_eq!(of(100, 100, &[(99.0, 1.0)]), "0.0100");
        assert_eq!(of(100, 500, &[(891.0, 9.0)]), "0.0490");
        // A crawl that was not read at all is lost for each of its hosts.
        assert_eq!(of(100, 500, &[(900.0, 0.0), (0.0, 9.0)]), "1.0000");
        assert_eq!(of(0, 0, &[(0.0, 1.0)]), "1.0000");
        assert_eq!(of(100, 200, &[(99.0, 1.0), (99.0, 1.0)]), "0.0199");
    }

    #[test]
    fn local_a_part_of_an_archive_is_lost_as_far_as_others_are_longer() {
        let archive = |outcome: &str, records, records_lost| IndexedArchive {
            crawl: CrawlId::default(),
            warc_filename: "a".to_owned(),
            outcome: outcome.to_owned(),
            records,
            records_lost,
            fingerprint: (outcome != "missing").then(|| "1 A B".to_owned()),
        };
        let lost = |archives: &[IndexedArchive]| {
            let archives: Vec<Option<&IndexedArchive>> = archives.iter().map(Some).collect();
            format!("{:.3}", crawl(&archives).1)
        };
        let whole = archive("read", 1000, 0);
        assert_eq!(lost(&[whole.clone(), whole.clone()]), "0.000");
        assert_eq!(lost(&[whole.clone(), archive("cut", 250, 0)]), "0.750");
        assert_eq!(lost(&[whole.clone(), archive("cut", 2000, 0)]), "0.001");
        assert_eq!(
            lost(&[
                whole.clone(),
                archive("read", 1000, 10),
                archive("missing", 0, 0)
            ]),
            "1.010"
        );
        assert_eq!(lost(&[archive("cut", 250, 0)]), "1.000");
    }
}
