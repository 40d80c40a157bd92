//! The lists of pages in a WACZ, as one text of lines.
//!
//! Document: Webrecorder, "WACZ Format 1.1.1", 5.2.2: `pages/pages.jsonl` has a header, and a line of JSON for each page. Example:
//! `{"id": "1", "url": "https://example.com/", "ts": "2026-08-10T08:00:00Z"}`. Browsertrix has the pages that it found on its way in
//! `pages/extraPages.jsonl`. The lists of the files in a ZIP of WACZ files follow each other. Ours: the headers are left out.

use super::input::ArchiveSource;
use super::wacz::{self, WaczMember};
use serde_json::Value;
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

/// The names of the lists, in the order in which they are read.
const LISTS: [&str; 2] = ["pages/pages.jsonl", "pages/extraPages.jsonl"];
/// A longer line is no header; any number of this size.
const HEADER_BYTES: usize = 4096;

/// Returns the pages of a WACZ, or of the files in a ZIP of WACZ files; `None` if there is no list.
pub fn open(source: &Arc<dyn ArchiveSource>) -> io::Result<Option<Box<dyn Read + Send>>> {
    let lists = wacz::files(source, &LISTS)?;
    if lists.is_empty() {
        return Ok(None);
    }
    let lists = PageLists {
        source: Arc::clone(source),
        left: lists.into(),
        list: None,
        ends_line: true,
    };
    Ok(Some(Box::new(lists)))
}

/// Returns whether the first line of a list says that pages follow.
pub fn is_header(line: &[u8]) -> bool {
    let is_short =
        line.len() < HEADER_BYTES && memchr::memmem::find(line, b"json-pages-").is_some();
    is_short
        && serde_json::from_slice::<Value>(line).is_ok_and(|value| {
            let format = value.get("format").and_then(Value::as_str);
            format.is_some_and(|format| format.starts_with("json-pages-"))
                && value.get("url").is_none()
        })
}

struct PageLists {
    source: Arc<dyn ArchiveSource>,
    left: VecDeque<WaczMember>,
    list: Option<Box<dyn Read + Send>>,
    /// Whether the last byte that was read ends a line.
    ends_line: bool,
}

impl Read for PageLists {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(first) = buffer.first_mut() else {
            return Ok(0);
        };
        if self.list.is_none() && !self.ends_line {
            (*first, self.ends_line) = (b'\n', true);
            return Ok(1);
        }
        loop {
            if let Some(list) = &mut self.list {
                let count = list.read(buffer)?;
                if let Some(last) = count.checked_sub(1).and_then(|last| buffer.get(last)) {
                    self.ends_line = *last == b'\n';
                    return Ok(count);
                }
                self.list = None;
                if !self.ends_line {
                    return self.read(buffer);
                }
            }
            let Some(next) = self.left.pop_front() else {
                return Ok(0);
            };
            self.list = Some(without_header(next.open(&self.source)?)?);
        }
    }
}

fn without_header(list: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
    let mut list = BufReader::new(list);
    let mut line = Vec::new();
    list.by_ref()
        .take(HEADER_BYTES as u64)
        .read_until(b'\n', &mut line)?;
    if is_header(&line) {
        line.clear();
    }
    Ok(Box::new(io::Cursor::new(line).chain(list)))
}

#[cfg(test)]
mod tests {
    use super::is_header;

    #[test]
    fn local_the_first_line_of_the_pages_of_a_wacz_is_no_page() {
        assert!(is_header(
            br#"{"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}"#
        ));
        assert!(!is_header(
            br#"{"format": "json-pages-1.0", "url": "https://a.example/"}"#
        ));
        assert!(!is_header(br#"{"url": "https://a.example/json-pages-"}"#));
    }
}
