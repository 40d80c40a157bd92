//! A URL that names an object or a folder in a store or behind a web server.
//!
//! Documents: RFC 3986 for `https://host/path?query`; `s3://bucket/key`, `gs://bucket/key` and `az://container/key` as the
//! clouds' own tools write them, with the key unchanged. Example:
//! `s3://commoncrawl/crawl-data/CC-MAIN-2026-34/robotstxt.paths.gz`. Messages, reports and tables show a URL without user and
//! query: a signed URL has its key there. Left out: `file://`, which a list must not have.

use crate::web::names::names;
use std::fmt;
use url::Url;

/// An archive found in the listing of a store.
#[derive(Clone, Debug)]
pub struct FoundUrl {
    /// Its URL.
    pub url: RemoteUrl,
    /// What distinguishes its version, if the listing has it.
    pub version: Option<String>,
}

/// Who named a URL.
#[derive(Clone, Copy, Debug)]
pub enum NamedBy<'n> {
    /// The user, so it may be anywhere.
    User,
    /// A list at this URL: the host may have no address of a narrower kind than the list's.
    List(&'n RemoteUrl),
    /// The listing of a store, which may have a version.
    Listing(Option<&'n str>),
}

/// How a place is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// A web server without TLS.
    Http,
    /// A web server.
    Https,
    /// Amazon S3, or a store with the same interface.
    S3,
    /// Google Cloud Storage.
    Gs,
    /// Azure Blob Storage.
    Az,
}

names! {
    Scheme {
        Http => "http",
        Https => "https",
        S3 => "s3",
        Gs => "gs",
        Az => "az",
    }
}

impl Scheme {
    /// Returns whether it is the scheme of a web server, which cannot be listed or written to.
    pub fn is_web(self) -> bool {
        match self {
            Self::Http | Self::Https => true,
            Self::S3 | Self::Gs | Self::Az => false,
        }
    }
}

/// A URL of an object or folder.
#[derive(Clone, PartialEq, Eq)]
pub struct RemoteUrl {
    pub(crate) scheme: Scheme,
    /// The host with its port, or the bucket.
    pub(super) authority: String,
    key: String,
    /// The user and the password.
    pub(super) user: Option<(String, String)>,
    pub(super) query: Option<String>,
}

/// Returns whether a text has a scheme and is thus not a path.
pub fn has_scheme(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    text.split_once("://")
        .is_some_and(|(scheme, _)| !scheme.is_empty() && scheme.bytes().all(plain))
}

/// Returns whether a text begins like a URL of a store or server with one slash missing, such as `s3:/bucket`.
pub(super) fn lacks_a_slash(text: &str) -> bool {
    let begins = |scheme: Scheme| {
        text.strip_prefix(scheme.as_str())
            .is_some_and(|rest| rest.starts_with(":/"))
    };
    !has_scheme(text) && Scheme::ALL.into_iter().any(begins)
}

impl RemoteUrl {
    /// Reads a URL.
    pub fn new(text: &str) -> Result<Self, String> {
        let (scheme, rest) = text.split_once("://").ok_or("found no URL")?;
        let known = Scheme::ALL
            .into_iter()
            .find(|known| scheme.eq_ignore_ascii_case(known.as_str()));
        let scheme = known.ok_or_else(|| {
            format!("found the scheme {scheme}, expected https, http, s3, gs or az")
        })?;
        let url = if scheme.is_web() {
            Self::web(scheme, text)?
        } else {
            Self::stored(scheme, rest)?
        };
        if url.key.split('/').any(|part| part == "." || part == "..") {
            return Err("found a path with . or ..".to_owned());
        }
        Ok(url)
    }

    fn web(scheme: Scheme, text: &str) -> Result<Self, String> {
        let url = Url::parse(text).map_err(|error| format!("found no URL: {error}"))?;
        let host = url.host_str().ok_or("found a URL without a host")?;
        let authority = url
            .port()
            .map_or(host.to_owned(), |port| format!("{host}:{port}"));
        let user = (!url.username().is_empty() || url.password().is_some()).then(|| {
            (
                url.username().to_owned(),
                url.password().unwrap_or_default().to_owned(),
            )
        });
        let key = url.path().trim_start_matches('/').to_owned();
        Ok(Self {
            scheme,
            authority,
            key,
            user,
            query: url.query().map(str::to_owned),
        })
    }

    fn stored(scheme: Scheme, rest: &str) -> Result<Self, String> {
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        if bucket.is_empty() || !bucket.bytes().all(plain) {
            return Err("expected the name of a bucket after the scheme".to_owned());
        }
        Ok(Self {
            scheme,
            authority: bucket.to_owned(),
            key: key.to_owned(),
            user: None,
            query: None,
        })
    }

    /// Returns the path without its first slash; percent-encoded for a web server.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the root of the host or bucket.
    pub fn root(&self) -> Self {
        self.with_key(String::new())
    }

    /// Returns the URL of another object of the host or bucket, without the query, which belongs to one object alone.
    pub fn with_key(&self, key: String) -> Self {
        Self {
            key,
            query: None,
            ..self.clone()
        }
    }

    /// Returns the URL of a path below this one.
    pub fn join(&self, path: &str) -> Result<Self, String> {
        let path = path.trim_start_matches('/');
        if path
            .split(['/', '\\'])
            .any(|part| matches!(part, "." | ".."))
        {
            return Err("found a path with . or ..".to_owned());
        }
        let folder = self.key.trim_end_matches('/');
        let separator = if folder.is_empty() { "" } else { "/" };
        Ok(self.with_key(format!("{folder}{separator}{path}")))
    }
}

impl fmt::Display for RemoteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}://{}/{}",
            self.scheme.as_str(),
            self.authority,
            self.key
        )
    }
}

impl fmt::Debug for RemoteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::{RemoteUrl, has_scheme, lacks_a_slash};

    #[test]
    fn local_what_is_shown_of_a_url_has_no_credentials() {
        for (text, shown) in [
            (
                "https://me:secret@h.example:8443/a/b.gz?X-Amz-Signature=1#x",
                "https://h.example:8443/a/b.gz",
            ),
            ("s3://bucket/a b/c?d.warc", "s3://bucket/a b/c?d.warc"),
            ("S3://bucket", "s3://bucket/"),
        ] {
            let url = RemoteUrl::new(text).unwrap();
            assert_eq!(
                (url.to_string(), format!("{url:?}")),
                (shown.to_owned(), shown.to_owned())
            );
        }
    }

    #[test]
    fn local_no_url_leads_to_a_file_or_above_its_folder() {
        for text in [
            "file:///etc/passwd",
            "ftp://h/a",
            "s3://",
            "s3:///key",
            "s3://b/../c",
            "https://",
            "a",
        ] {
            assert!(RemoteUrl::new(text).is_err(), "{text}");
        }
        let base = RemoteUrl::new("s3://bucket/prefix/").unwrap();
        assert_eq!(
            base.join("/a/b").unwrap().to_string(),
            "s3://bucket/prefix/a/b"
        );
        for path in ["../b", "a/../../b", "..\\b"] {
            assert!(base.join(path).is_err(), "{path}");
        }
        assert!(has_scheme("file:///x") && !has_scheme("a b://c") && !has_scheme("C:/x"));
        assert!(lacks_a_slash("s3:/b") && lacks_a_slash("https:/a.example/x"));
        assert!(!lacks_a_slash("s3://b") && !lacks_a_slash("./s3:/b") && !lacks_a_slash("C:/x"));
    }
}
