//! Answers of an S3 store that are read before they are passed on: listings, and how an upload ended.
//!
//! Documents: Amazon S3, `ListObjectsV2`, and `CompleteMultipartUpload`, whose status 200 may have an error in its body. Example:
//! `<Contents><Key>crawl//a.warc.gz</Key>...` is a key that cannot be asked for here, as it is no path; the package that reads
//! listings would refuse all of them for it. Left out: listings of Azure's store. Ours: an empty object whose key ends in a
//! slash is how the console ("Create folder") and S3A write a folder; it is no object.

use super::faults::unescaped;
use http::Method;
use http::request::Parts;
use object_store::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The keys of listings that are no paths, if somebody wants to know them.
pub type OddKeys = Option<Arc<Mutex<Vec<String>>>>;

/// What a request asks of a store, as far as its answer is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    Listing,
    EndOfUpload,
    Other,
}

impl Asked {
    pub fn from_request(request: &Parts) -> Self {
        let has = |name: &str| {
            let query = request.uri.query().unwrap_or_default();
            query
                .split('&')
                .any(|pair| pair.split('=').next() == Some(name))
        };
        match () {
            () if request.method == Method::GET && has("list-type") => Self::Listing,
            () if request.method == Method::POST && has("uploadId") => Self::EndOfUpload,
            () => Self::Other,
        }
    }
}

/// Returns a listing without the marks of folders and without keys that are no paths, which are added to `odd`.
pub fn listing(text: &str, odd: &OddKeys) -> String {
    let text = retain(text, "Contents", |object| {
        let key = unescaped(value(object, "Key").unwrap_or_default());
        let is_folder = key.ends_with('/') && value(object, "Size") == Some("0");
        let is_odd = key.ends_with('/') || Path::parse(&key).is_err();
        if let Some(odd) = odd.as_ref().filter(|_| is_odd && !is_folder) {
            odd.lock().unwrap_or_else(PoisonError::into_inner).push(key);
        }
        !is_odd
    });
    retain(&text, "CommonPrefixes", |folder| {
        Path::parse(unescaped(value(folder, "Prefix").unwrap_or_default())).is_ok()
    })
}

/// Returns why an upload has not ended although its status is 200.
pub fn error_code(text: &str) -> Option<&str> {
    text.contains("<Error>")
        .then(|| value(text, "Code").unwrap_or("an error"))
}

fn value<'t>(text: &'t str, element: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("<{element}>"))?;
    Some(rest.split_once(&format!("</{element}>"))?.0)
}

/// Returns a text without some of its elements of a name.
fn retain(text: &str, element: &str, mut is_kept: impl FnMut(&str) -> bool) -> String {
    let (begin, end) = (format!("<{element}>"), format!("</{element}>"));
    let (mut kept, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once(&begin) {
        let Some((inner, later)) = after.split_once(&end) else {
            break;
        };
        kept.push_str(before);
        if is_kept(inner) {
            kept.extend([begin.as_str(), inner, &end]);
        }
        rest = later;
    }
    kept + rest
}
