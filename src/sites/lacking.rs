//! How many hosts may lack a no, where archives of an index could not be read.
//!
//! Example: 9 of 900 archives of robots.txt are lost, and a host has 5 captures: of 4.9 % of the hosts one of them is lost,
//! `1 - (1 - 9/900)^5`. Assumed: a crawl puts its captures into its archives at random, as Common Crawl does. Hosts with
//! fewer or more captures than the mean make the true share smaller. Left out: archives that are of pages by Common
//! Crawl's names, where there are any of robots.txt.

use super::reader::IndexReader;
use std::collections::BTreeMap;
use std::io;

/// The archives of a crawl.
#[derive(Default)]
struct CrawlArchives {
    read: u64,
    lost: u64,
}

/// What Common Crawl's names of archives of robots.txt have, and those of archives of pages.
const OF_ROBOTS: &str = "/robotstxt/";
const OF_PAGES: [&str; 3] = ["/warc/", "/crawldiagnostics/", "/wat/"];

impl IndexReader {
    /// Returns of which share of the hosts an answer may be lost: in archives that could not be read, and in others of a
    /// crawl, by their names, of which the index has nothing.
    pub fn share_lacking<'a>(
        &self,
        missing: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> io::Result<f64> {
        let archives = self.archives()?;
        let archives = archives.iter().map(|archive| {
            let place = (archive.crawl.as_str(), archive.warc_filename.as_str());
            (place, archive.fingerprint.is_some())
        });
        let missing = missing.into_iter().map(|place| (place, false));
        let all: BTreeMap<(&str, &str), bool> = missing.chain(archives).collect();
        let has_robots = all.keys().any(|(_, name)| name.contains(OF_ROBOTS));
        let mut crawls = BTreeMap::<&str, CrawlArchives>::new();
        for ((crawl, name), is_read) in all {
            // By its name an archive may be of anything; then it counts.
            if !(has_robots && OF_PAGES.iter().any(|of| name.contains(of))) {
                let crawl = crawls.entry(crawl).or_default();
                *(if is_read { &mut crawl.read } else { &mut crawl.lost }) += 1;
            }
        }
        Ok(share(self.manifest().hosts, self.manifest().captures, &crawls.into_values().collect::<Vec<_>>()))
    }
}

/// Returns the share of hosts with a lost capture.
#[allow(clippy::cast_precision_loss, reason = "shares need no more than 53 bits")]
fn share(hosts: u64, captures: u64, crawls: &[CrawlArchives]) -> f64 {
    let all_read = crawls.iter().map(|crawl| crawl.read).sum::<u64>().max(1) as f64;
    let for_each_host = captures as f64 / hosts.max(1) as f64;
    let has_all: f64 = crawls
        .iter()
        .map(|crawl| {
            let read = crawl.read as f64 / ((crawl.read + crawl.lost).max(1) as f64);
            // A host of which a crawl has nothing else has one capture there.
            read.powf((for_each_host * crawl.read as f64 / all_read).max(1.0))
        })
        .product();
    1.0 - has_all
}

#[cfg(test)]
mod tests {
    use super::{CrawlArchives, share};

    #[test]
    fn local_the_share_grows_with_lost_archives_and_with_captures() {
        let of = |hosts, captures, crawls: &[(u64, u64)]| {
            let crawls = crawls.iter().map(|(read, lost)| CrawlArchives { read: *read, lost: *lost });
            format!("{:.4}", share(hosts, captures, &crawls.collect::<Vec<_>>()))
        };
        assert_eq!(of(100, 500, &[(900, 0)]), "0.0000");
        assert_eq!(of(100, 100, &[(99, 1)]), "0.0100");
        assert_eq!(of(100, 500, &[(891, 9)]), "0.0490");
        // A crawl of which nothing was read is lost for each host that it has.
        assert_eq!(of(100, 500, &[(900, 0), (0, 9)]), "1.0000");
        assert_eq!(of(0, 0, &[(0, 1)]), "1.0000");
        assert_eq!(of(100, 200, &[(99, 1), (99, 1)]), "0.0199");
    }
}
