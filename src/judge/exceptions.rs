//! The exceptions of a policy: documents of some sites, or with some values of columns, that have a rule of their own.
//!
//! Example:
//! ```toml
//! [[except]]
//! name = "partners"               # in reasons and costs
//! domains = ["a.example"]         # and their subdomains; `hosts` are these alone; a text names a file with one a line
//! rule = "keep"                   # or a preset
//!
//! [[except]]
//! name = "german_news"
//! columns = { language = "de", source = ["news", "press"] }    # all of these columns, each with one of its values
//! rule = "strict"
//! ```
//! If several exceptions apply to a document, the first one counts. Ours: an exception applies only to what it names, and never to a
//! document that could not be judged. Each URL of a document must be of the sites; if its record is of another URL or time, the
//! rules of the policy also count. Values of columns are the document's own, whatever its record is. Left out: patterns of hosts
//! and of values.

use super::at::WrittenList;
use super::documents::{DerivedVerdicts, Documents, ExceptionBits, PartVerdicts};
use crate::web::url::PageUrl;
use data_encoding::HEXLOWER;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenException {
    pub name: String,
    hosts: Option<WrittenSites>,
    domains: Option<WrittenSites>,
    #[serde(default)]
    columns: BTreeMap<String, WrittenList>,
    pub rule: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "expected a list of hosts, or the name of a file with one a line"
)]
enum WrittenSites {
    File(String),
    Names(Vec<String>),
}

/// Reads the bytes of a file that a policy names.
pub type ReadList<'r> = &'r dyn Fn(&str) -> Result<Vec<u8>, String>;

/// The files that a policy names, each with its SHA-256.
pub(super) type ListDigests = BTreeMap<String, String>;

/// The most columns that a policy may name: each is looked for in each document; any number of this size.
const MOST_COLUMNS: usize = 1024;

/// The exceptions of a policy, in their order.
#[derive(Clone, Debug, Default)]
pub struct Exceptions {
    all: Vec<Exception>,
    /// The columns whose values they ask for.
    pub columns: ExceptionColumns,
}

#[derive(Clone, Debug)]
struct Exception {
    name: String,
    hosts: BTreeSet<String>,
    domains: BTreeSet<String>,
    has_columns: bool,
}

/// The values of columns that exceptions ask for.
#[derive(Clone, Debug, Default)]
pub struct ExceptionColumns {
    /// The names of the columns; a file of documents must have them.
    pub names: Vec<String>,
    /// The exception, the place of the column, and its values.
    asked: Vec<(usize, usize, BTreeSet<String>)>,
}

impl ExceptionColumns {
    fn ask(&mut self, exception: usize, name: &str, values: &[String]) {
        let known = self.names.iter().position(|known| known == name);
        let column = known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        self.asked
            .push((exception, column, values.iter().cloned().collect()));
    }

    /// Returns the exceptions whose columns all have one of their values; `value` gives the value of a column.
    pub fn matched<'v>(&self, value: impl Fn(usize) -> Option<&'v [u8]>) -> ExceptionBits {
        let mut missed: ExceptionBits = 0;
        let mut asked: ExceptionBits = 0;
        for (exception, column, values) in &self.asked {
            let value = value(*column).and_then(|value| std::str::from_utf8(value).ok());
            let bit: ExceptionBits = 1 << *exception;
            asked |= bit;
            missed |= if value.is_some_and(|value| values.contains(value)) {
                0
            } else {
                bit
            };
        }
        asked & !missed
    }
}

impl WrittenSites {
    /// Returns the names of sites in the form of URLs.
    fn hosts(
        &self,
        read: ReadList<'_>,
        lists: &mut ListDigests,
    ) -> Result<BTreeSet<String>, String> {
        let names = match self {
            Self::Names(names) => names.clone(),
            Self::File(file) => {
                let bytes = read(file)?;
                lists.insert(file.clone(), HEXLOWER.encode(&Sha256::digest(&bytes)));
                let text = String::from_utf8(bytes).map_err(|_| format!("{file}: not UTF-8"))?;
                text.lines()
                    .map(str::trim)
                    .filter(|line| !line.is_empty() && !line.starts_with('#'))
                    .map(str::to_owned)
                    .collect()
            }
        };
        if names.is_empty() {
            return Err("found no host, expected some".to_owned());
        }
        names.iter().map(|name| host(name)).collect()
    }
}

impl Exceptions {
    /// Reads exceptions; adds the digests of files to `lists`.
    pub(super) fn read(
        written: &[WrittenException],
        read: ReadList<'_>,
        lists: &mut ListDigests,
    ) -> Result<Self, String> {
        let mut exceptions = Self::default();
        let count = written.len();
        let most = ExceptionBits::BITS as usize;
        if count > most {
            return Err(format!(
                "except: found {count} exceptions, expected at most {most}"
            ));
        }
        let columns: usize = written.iter().map(|own| own.columns.len()).sum();
        if columns > MOST_COLUMNS {
            return Err(format!(
                "except: found {columns} columns, expected at most {MOST_COLUMNS}"
            ));
        }
        for own in written {
            let fault = |error: String| format!("except {}: {error}", own.name);
            let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
            let is_again = exceptions.all.iter().any(|other| other.name == own.name);
            if own.name.is_empty() || !own.name.bytes().all(is_letter) || is_again {
                return Err(fault(
                    "expected a name of its own of letters, digits, _ and -".to_owned(),
                ));
            }
            let mut sites = |sites: &Option<WrittenSites>| {
                let Some(sites) = sites else {
                    return Ok(BTreeSet::new());
                };
                sites.hosts(read, lists).map_err(fault)
            };
            let hosts = sites(&own.hosts)?;
            let domains = sites(&own.domains)?;
            let has_columns = !own.columns.is_empty();
            if hosts.is_empty() && domains.is_empty() && !has_columns {
                return Err(fault("expected hosts, domains or columns".to_owned()));
            }
            for (column, values) in &own.columns {
                if values.texts().is_empty() {
                    return Err(fault(format!("expected values of {column}")));
                }
                exceptions
                    .columns
                    .ask(exceptions.all.len(), column, values.texts());
            }
            exceptions.all.push(Exception {
                name: own.name.clone(),
                hosts,
                domains,
                has_columns,
            });
        }
        Ok(exceptions)
    }

    /// Returns their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|exception| exception.name.as_str())
    }

    pub(super) fn name(&self, exception: u8) -> Option<&str> {
        self.names().nth(usize::from(exception))
    }

    /// Returns whether one applies to sites; with a record of another host, that is in doubt.
    pub(super) fn is_of_sites(&self, exception: u8) -> bool {
        self.all
            .get(usize::from(exception))
            .is_some_and(Exception::is_of_sites)
    }

    /// Writes into verdicts which exception applies to their documents.
    pub(super) fn put(&self, columns: &[&Documents], verdicts: &mut [PartVerdicts]) {
        if self.all.is_empty() {
            return;
        }
        let mut derived = DerivedVerdicts::default();
        for (documents, verdicts) in columns.iter().zip(verdicts) {
            for (row, verdict) in verdicts.iter_mut().enumerate() {
                if let (Some(exception), Some(own)) = (self.of_document(documents, row), verdict) {
                    *own = derived.of(own, exception, |own| own.under(exception));
                }
            }
        }
    }

    fn of_document(&self, documents: &Documents, row: usize) -> Option<u8> {
        let is_judged = documents.unjudged(row).is_none();
        let url = documents.url(row).and_then(|url| PageUrl::new(url).ok());
        let host = url.as_ref().map(|url| bare(url.host_name()));
        let matched = documents.matched(row);
        let is_under = |(place, exception): &(usize, &Exception)| {
            (!exception.has_columns || matched >> place & 1 == 1)
                && (!exception.is_of_sites() || host.is_some_and(|host| exception.has_host(host)))
        };
        let found = self
            .all
            .iter()
            .enumerate()
            .find(|exception| is_judged && is_under(exception));
        found.and_then(|(place, _)| u8::try_from(place).ok())
    }
}

impl Exception {
    fn is_of_sites(&self) -> bool {
        !self.hosts.is_empty() || !self.domains.is_empty()
    }

    fn has_host(&self, host: &str) -> bool {
        let after_dots = host
            .match_indices('.')
            .filter_map(|(dot, _)| host.get(dot + 1..));
        self.hosts.contains(host)
            || [host]
                .into_iter()
                .chain(after_dots)
                .any(|name| self.domains.contains(name))
    }
}

fn bare(host: &str) -> &str {
    host.strip_suffix('.').unwrap_or(host)
}

/// Returns a host in the form of URLs.
fn host(name: &str) -> Result<String, String> {
    let is_address = name.starts_with('[') && name.ends_with(']');
    let is_part_of_url = |letter: char| {
        matches!(letter, '/' | '?' | '#' | '@' | '\\' | '*')
            || letter.is_whitespace()
            || (letter == ':' && !is_address)
    };
    let url = format!("https://{name}/");
    let found = PageUrl::new(url.as_bytes())
        .ok()
        .map(|url| bare(url.host_name()).to_owned());
    let is_name = !name.is_empty() && !name.starts_with('.') && !name.contains(is_part_of_url);
    let found = found.filter(|host| is_name && !host.is_empty());
    found.ok_or_else(|| format!("found {name}, expected a host such as a.example"))
}

#[cfg(test)]
mod tests {
    use super::host;

    #[test]
    fn local_a_host_is_a_name_alone_and_is_written_as_urls_have_it() {
        let umlaut = ("b\u{fc}cher.example", "xn--bcher-kva.example");
        for (name, found) in [
            ("A.Example", "a.example"),
            ("a.example.", "a.example"),
            umlaut,
        ] {
            assert_eq!(host(name).as_deref(), Ok(found));
        }
        for name in
            "¦.¦.example¦*.example¦a.example/x¦https://a.example¦a b¦a:80¦u@a.example".split('¦')
        {
            assert!(host(name).is_err(), "{name}");
        }
    }
}
