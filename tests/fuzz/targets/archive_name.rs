//! The name of an archive, which becomes a folder's name and columns.

#![no_main]

use crawlprefs::archive::{ArchiveName, CrawlId};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|path: &str| {
    let name = ArchiveName::new(path);
    assert!(path.ends_with(name.filename()));
    assert_eq!(ArchiveName::new(name.filename()), name);
    assert!(
        name.crawl().is_none_or(
            |crawl| CrawlId::new(crawl).as_deref() == Some(crawl) && !crawl.contains('/')
        )
    );
});
