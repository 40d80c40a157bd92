//! An HTTP response of a made-up site, which the dimensions of the test change, and its record.

use crate::warc;

/// What a message carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Carrier {
    Robots,
    Tdmrep,
    TrustTxt,
    AiTxt,
    Automation,
    /// A page, whose header or metas are what counts.
    Page,
}

/// A response: what is in front of its head, the head, and the body.
#[derive(Clone)]
pub struct Message {
    pub carrier: Carrier,
    pub path: String,
    /// Heads in front of this one.
    pub before: Vec<u8>,
    pub status_line: Vec<u8>,
    pub fields: Vec<(String, Vec<u8>)>,
    pub line_end: &'static [u8],
    /// Of a page: the metas in its body, so that another body can be made of them.
    pub metas: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Lines of the record's WARC head.
    pub warc_fields: String,
    /// Bytes of the block that are in a continuation record of their own.
    pub continued: Option<Vec<u8>>,
}

impl Message {
    pub fn new(carrier: Carrier, path: &str, media_type: &str, body: &[u8]) -> Self {
        Self {
            carrier,
            path: path.to_owned(),
            before: Vec::new(),
            status_line: b"HTTP/1.1 200 OK".to_vec(),
            fields: vec![("Content-Type".to_owned(), media_type.as_bytes().to_vec())],
            line_end: b"\r\n",
            metas: Vec::new(),
            body: body.to_vec(),
            warc_fields: String::new(),
            continued: None,
        }
    }

    /// Returns it with another body.
    pub fn with_body(&self, body: Vec<u8>) -> Self {
        Self {
            body,
            ..self.clone()
        }
    }

    /// Returns it with one more field.
    pub fn with(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.fields.push((name.to_owned(), value.as_ref().to_vec()));
        self
    }

    /// Returns it without the fields of a name.
    pub fn without(mut self, name: &str) -> Self {
        self.fields
            .retain(|(one, _)| !one.eq_ignore_ascii_case(name));
        self
    }

    /// Returns it with another media type, or with none.
    pub fn typed(self, media_type: Option<&str>) -> Self {
        let message = self.without("Content-Type");
        match media_type {
            Some(media_type) => message.with("Content-Type", media_type),
            None => message,
        }
    }

    pub fn is_page(&self) -> bool {
        self.carrier == Carrier::Page
    }

    /// Returns its body as text, where it is.
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.body).ok()
    }

    /// Returns the bytes of its heads.
    pub fn head(&self) -> Vec<u8> {
        let mut head = [&self.before[..], &self.status_line, self.line_end].concat();
        for (name, value) in &self.fields {
            head.extend([name.as_bytes(), b": ", value, self.line_end].concat());
        }
        head.extend_from_slice(self.line_end);
        head
    }

    /// Returns its bytes.
    pub fn block(&self) -> Vec<u8> {
        [self.head(), self.body.clone()].concat()
    }

    /// Returns its WARC records.
    pub fn warc(&self, host: &str, at: &str) -> Vec<Vec<u8>> {
        let uri = format!("https://{host}{}", self.path);
        let id = format!("<urn:test:{host}:{at}:{:?}>", self.carrier);
        let fields = format!("WARC-Record-ID: {id}\r\n{}", self.warc_fields);
        let mut records = vec![warc::response(&uri, at, &fields, &self.block())];
        if let Some(continued) = &self.continued {
            let fields = format!(
                "WARC-Type: continuation\r\nWARC-Target-URI: {uri}\r\nWARC-Date: 2026-08-10T{at}Z\r\n\
                 WARC-Record-ID: {id}2\r\nWARC-Segment-Number: 2\r\nWARC-Segment-Origin-ID: {id}\r\n\
                 WARC-Segment-Total-Length: {}\r\n",
                self.block().len() + continued.len()
            );
            records.push(warc::record(&fields, continued));
        }
        records
    }

    /// Returns its ARC record; `None` where an ARC cannot say what its WARC head says.
    pub fn arc(&self, host: &str, at: &str) -> Option<Vec<u8>> {
        if !self.warc_fields.is_empty() || self.continued.is_some() {
            return None;
        }
        let block = self.block();
        let date = format!("20260810{}", at.replace(':', ""));
        let line = format!(
            "https://{host}{} 192.0.2.1 {date} text/html {}\n",
            self.path,
            block.len()
        );
        Some([line.as_bytes(), &block, b"\n"].concat())
    }
}
