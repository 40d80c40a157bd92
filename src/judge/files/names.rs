//! The names of the columns or members of documents.
//!
//! Example: `url`, `id` and `date`, as in FineWeb; `metadata.url`, as datatrove writes it. A dot leads into a struct or object
//! if no column has the whole name.

use super::columns::steps;
use crate::judge::ExceptionColumns;

/// The possible names of each column or member; the first that exists counts.
#[derive(Clone, Debug)]
pub struct ColumnNames {
    /// The URL.
    pub url: Vec<String>,
    /// The further URLs of a document; all are judged.
    pub further_urls: Vec<String>,
    /// The record id.
    pub id: Vec<String>,
    /// When the document was fetched.
    pub date: Vec<String>,
    /// The archive of the record.
    pub file: Vec<String>,
    /// The byte at which the record starts.
    pub offset: Vec<String>,
    /// The text, whose size counts in the cost of a policy.
    pub text: Vec<String>,
    /// The number of tokens of the text.
    pub tokens: Vec<String>,
    /// The names that the user gave: a file of documents must have them.
    pub required: Vec<String>,
    /// The columns whose values the exceptions of a policy ask for: a file of documents must also have them.
    pub excepted: ExceptionColumns,
}

impl Default for ColumnNames {
    fn default() -> Self {
        let names = |names: &str| names.split(' ').map(str::to_owned).collect();
        Self {
            url: names("url metadata.url"),
            further_urls: Vec::new(),
            id: names("id warc_record_id warc_id record_id metadata.id metadata.warc_record_id"),
            date: names("date fetch_time warc_date metadata.date created Date timestamp metadata.timestamp"),
            file: names("file_path warc_filename metadata.file_path"),
            offset: names("warc_record_offset offset metadata.warc_record_offset"),
            text: names("text content"),
            tokens: names("token_count tokens metadata.token_count"),
            required: Vec::new(),
            excepted: ExceptionColumns::default(),
        }
    }
}

impl ColumnNames {
    /// Gives the URL, the id or the date another name, which every file must have.
    pub fn give(&mut self, name: Option<&String>, of: &impl Fn(&mut Self) -> &mut Vec<String>) {
        if let Some(name) = name {
            *of(self) = vec![name.clone()];
            self.required.push(name.clone());
        }
    }

    /// Gives the URLs other names, each for one URL of a document; every file must have all of them.
    pub fn give_urls(&mut self, names: &[String]) {
        self.give(names.first(), &|own| &mut own.url);
        self.further_urls = names.iter().skip(1).cloned().collect();
        self.required.extend(self.further_urls.iter().cloned());
    }

    /// Returns the text that must be the same for two calls to count as one.
    pub fn text(&self) -> String {
        let Self { url, further_urls, id, date, file, offset, text, tokens, required: _, excepted: _ } = self;
        let names = [url, id, date, file, offset, text, tokens].map(|names| names.join(" ")).join(", ");
        further_urls.iter().fold(names, |names, further| format!("{names}, and {further}"))
    }

    /// Returns the names of the members to read in an object, each once: whole names, and the first steps of paths.
    pub fn first_steps(&self) -> Vec<&str> {
        let Self { url, further_urls, id, date, file, offset, text, tokens, required, excepted } = self;
        let names = [url, further_urls, id, date, file, offset, text, tokens, required].into_iter().flatten();
        let names = names.chain(&excepted.names);
        let paths = names.flat_map(|name| steps(name));
        let mut first: Vec<&str> = paths.filter_map(|path| path.first().copied()).collect();
        first.sort_unstable();
        first.dedup();
        first
    }
}
