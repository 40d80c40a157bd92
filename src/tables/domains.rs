//! Registered domains of evidence, which are computed again if the evidence was written with another suffix list.
//!
//! Example: a capture of `shop.example.gov.zz`, scanned before `gov.zz` was on the list, has the registered domain
//! `example.gov.zz` in every table that is made now. Left out: tables; a new list means making them again.

use crate::web::host::HostParts;
use crate::web::suffix_list;
use arrow_array::{Array, RecordBatch, StringArray};
use std::io;
use std::sync::Arc;

const HOST: &str = "url_host_name";
/// The column that depends on the suffix list.
const DOMAIN: &str = "url_host_registered_domain";

/// Returns whether a file's domains are computed again: those of evidence that was written with another list than ours.
pub fn are_old(list: Option<&str>) -> bool {
    list.is_some_and(|list| list != suffix_list::version())
}

/// Returns a slice with domains that are computed from its hosts, if it has both columns.
pub fn computed_again(slice: RecordBatch) -> io::Result<RecordBatch> {
    let schema = slice.schema();
    let hosts = slice
        .column_by_name(HOST)
        .and_then(|hosts| hosts.as_any().downcast_ref::<StringArray>());
    let (Some(hosts), Ok(place)) = (hosts, schema.index_of(DOMAIN)) else {
        return Ok(slice);
    };
    let mut columns = slice.columns().to_vec();
    if let Some(stored) = columns.get_mut(place) {
        *stored = Arc::new(computed(hosts));
    }
    RecordBatch::try_new(schema, columns).map_err(io::Error::other)
}

/// Returns the domain of each host; the hosts of an archive of Common Crawl are sorted.
fn computed(hosts: &StringArray) -> StringArray {
    let mut last: Option<(&str, HostParts)> = None;
    let domain = |host: Option<_>| {
        let host = host?;
        if last.as_ref().is_none_or(|(known, _)| *known != host) {
            last = Some((host, HostParts::split(host)));
        }
        last.as_ref()
            .and_then(|(_, parts)| parts.registered_domain.clone())
    };
    hosts.iter().map(domain).collect()
}

#[cfg(test)]
mod tests {
    use super::{are_old, computed_again};
    use crate::tables::stored::column;
    use arrow_array::{ArrayRef, RecordBatch, StringArray};
    use std::sync::Arc;

    fn slice(domain: &str) -> RecordBatch {
        let hosts = [
            Some("a.example.co.uk"),
            None,
            Some("a.example.co.uk"),
            Some("192.0.2.1"),
            Some("uk"),
        ];
        let hosts: ArrayRef = Arc::new(StringArray::from(hosts.to_vec()));
        let stored: ArrayRef = Arc::new(StringArray::from(vec![Some(domain); 5]));
        RecordBatch::try_from_iter_with_nullable([
            ("url_host_name", hosts, true),
            ("url_host_registered_domain", stored, true),
        ])
        .expect("two columns")
    }

    #[test]
    fn local_domains_of_another_list_are_computed_again() {
        assert!(are_old(Some("another")));
        let computed = computed_again(slice("old")).expect("computed");
        let domains: &StringArray =
            column(&computed, "url_host_registered_domain").expect("a column");
        let domains: Vec<Option<&str>> = domains.iter().collect();
        assert_eq!(
            domains,
            [
                Some("example.co.uk"),
                None,
                Some("example.co.uk"),
                None,
                None
            ]
        );
        for list in [None, Some(crate::web::suffix_list::version())] {
            assert!(!are_old(list));
        }
        let hosts = slice("old").project(&[0]).expect("a column");
        assert_eq!(computed_again(hosts.clone()).expect("as it is"), hosts);
    }
}
