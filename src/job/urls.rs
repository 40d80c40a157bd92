//! Archives named by URLs: one by one, as folders and globs of a store, and below a base.
//!
//! Example: `s3://bucket/site/` gives the archives below that folder, like a folder of a disk. An archive behind a URL is not
//! checked before it is read: a missing one is a row in `archives`. Left out: folders and globs of a web server, which lists
//! none.

use super::base::is_archive_name;
use crate::archive::{ArchiveName, Input};
use crate::error::Error;
use crate::store::{FoundUrl, NamedBy, Places, RemoteUrl};
use glob::{MatchOptions, Pattern};
use std::io;

/// A key with one of these characters is a glob.
const WILDCARDS: [char; 3] = ['*', '?', '['];

/// Returns the archive at a URL.
pub fn input(
    url: &RemoteUrl,
    named_by: NamedBy<'_>,
    base: Option<&RemoteUrl>,
    places: &Places,
) -> Result<Input, Error> {
    let source = places
        .source(url, named_by)
        .map_err(|source| unreadable(url, source))?;
    Ok(Input {
        name: ArchiveName::new(&name_of(url, base)),
        source,
    })
}

/// Returns the archives that a URL on the command line names.
pub fn inputs(
    url: &RemoteUrl,
    base: Option<&RemoteUrl>,
    places: &Places,
) -> Result<Vec<Input>, Error> {
    let key = url.key();
    let is_glob = key.contains(WILDCARDS);
    if url.scheme.is_web() || (!is_glob && is_archive_name(key)) {
        return Ok(vec![input(url, NamedBy::User, base, places)?]);
    }
    let mut below = if is_glob {
        of_glob(url, places)?
    } else {
        of_folder(url, places)?
    };
    if below.is_empty() {
        return Err(Error::NoArchives {
            location: url.to_string(),
        });
    }
    below.sort_by(|one, other| one.url.key().cmp(other.url.key()));
    let base = base.or((!is_glob && below.iter().all(|found| found.url != *url)).then_some(url));
    let listed = |found: &FoundUrl| {
        input(
            &found.url,
            NamedBy::Listing(found.version.as_deref()),
            base,
            places,
        )
    };
    below.iter().map(listed).collect()
}

/// The object with exactly this key, or else the archives below it.
fn of_folder(folder: &RemoteUrl, places: &Places) -> Result<Vec<FoundUrl>, Error> {
    let mut below = places
        .list(folder)
        .map_err(|source| unreadable(folder, source))?;
    below.retain(|found| is_archive_name(found.url.key()));
    if below.is_empty() && !folder.key().is_empty() && !folder.key().ends_with('/') {
        below.push(FoundUrl {
            url: folder.clone(),
            version: None,
        });
    }
    Ok(below)
}

fn of_glob(glob: &RemoteUrl, places: &Places) -> Result<Vec<FoundUrl>, Error> {
    let pattern = Pattern::new(glob.key()).map_err(|error| Error::BadGlob {
        location: glob.to_string(),
        detail: error.to_string(),
    })?;
    let literal = glob.key().split(WILDCARDS).next().unwrap_or_default();
    let folder = literal.rsplit_once('/').map_or("", |(folder, _)| folder);
    let folder = glob.with_key(folder.to_owned());
    let mut below = places
        .list(&folder)
        .map_err(|source| unreadable(&folder, source))?;
    let options = MatchOptions {
        require_literal_separator: true,
        ..MatchOptions::new()
    };
    below.retain(|found| pattern.matches_with(found.url.key(), options));
    Ok(below)
}

fn unreadable(url: &RemoteUrl, source: io::Error) -> Error {
    Error::InputUnreadable {
        location: url.to_string(),
        source,
    }
}

/// Names an archive by its URL, as a file by its path.
fn name_of(url: &RemoteUrl, base: Option<&RemoteUrl>) -> String {
    let key = url.key();
    if key.starts_with("crawl-data/") || key.contains("/crawl-data/") {
        return key.to_owned();
    }
    let below = base
        .filter(|base| base.with_key(String::new()) == url.root())
        .and_then(|base| {
            let folder = base.key().trim_end_matches('/');
            let rest = key.strip_prefix(folder)?;
            if folder.is_empty() {
                Some(rest)
            } else {
                rest.strip_prefix('/')
            }
        });
    below
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| key.rsplit('/').next().unwrap_or_default())
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::name_of;
    use crate::store::RemoteUrl;

    #[test]
    fn local_archives_behind_urls_are_called_as_on_a_disk() {
        let url = |text| RemoteUrl::new(text).unwrap();
        for (of, base, name) in [
            ("s3://b/d/a/b.warc", Some("s3://b/d"), "a/b.warc"),
            ("s3://b/d/a/b.warc", Some("s3://b/d/"), "a/b.warc"),
            ("s3://b/d/a/b.warc", Some("s3://b/"), "d/a/b.warc"),
            ("s3://b/d/a/b.warc", Some("s3://other/d"), "b.warc"),
            ("s3://b/dd/b.warc", Some("s3://b/d"), "b.warc"),
            ("https://me:secret@h/d/b.warc.gz?key=1", None, "b.warc.gz"),
            (
                "https://h/x/crawl-data/C/x.warc",
                Some("https://h/x"),
                "x/crawl-data/C/x.warc",
            ),
        ] {
            assert_eq!(
                name_of(&url(of), base.map(url).as_ref()),
                name,
                "{of} {base:?}"
            );
        }
    }
}
