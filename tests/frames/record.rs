//! Records that say of themselves what a test wants them to say.

/// The id of the archives' warcinfo record.
pub const WARCINFO_ID: &str = "<urn:uuid:2d7e3a86-0b0f-4f0e-9f86-3f8f3c0a5f11>";

/// A record, and what its archive says of it.
#[derive(Clone, Debug)]
pub struct Record {
    pub kind: &'static str,
    pub url: String,
    /// A time of day on 10 August 2026.
    pub at: &'static str,
    pub id: Option<String>,
    /// Further fields of its head.
    pub fields: Vec<(&'static str, String)>,
    pub block: Vec<u8>,
    /// What it says instead of its length; `Some("")` for no such field.
    pub declared: Option<String>,
    /// What is behind the head, and behind the block.
    pub ends: (&'static str, &'static str),
}

/// Returns text with `example` in the names of hosts replaced by another name of the same length.
pub fn rename(text: &str, number: usize) -> String {
    text.replace(".example", &format!(".e{number:06}"))
}

impl Record {
    /// Returns it with other hosts, see [`rename`].
    pub fn renamed(&self, number: usize) -> Self {
        let fields = self
            .fields
            .iter()
            .map(|(name, value)| (*name, rename(value, number)))
            .collect();
        // A block may hold bytes that are no text, whose length must stay.
        let mut block = Vec::new();
        for part in self.block.split_inclusive(|byte| *byte == b'\n') {
            match std::str::from_utf8(part) {
                Ok(text) => block.extend(rename(text, number).into_bytes()),
                Err(_) => block.extend_from_slice(part),
            }
        }
        Self {
            url: rename(&self.url, number),
            fields,
            block,
            ..self.clone()
        }
    }

    pub fn response(url: &str, at: &'static str, block: &str) -> Self {
        Self {
            kind: "response",
            url: url.to_owned(),
            at,
            id: None,
            fields: Vec::new(),
            block: block.as_bytes().to_vec(),
            declared: None,
            ends: ("\r\n", "\r\n\r\n"),
        }
    }

    pub fn robots(host: &str, at: &'static str, body: &str) -> Self {
        let block = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-Site: it is of {host}.\r\n\r\n{body}"
        );
        Self::response(&format!("http://{host}/robots.txt"), at, &block)
    }

    pub fn page(host: &str, path: &str, at: &'static str, head: &str) -> Self {
        let block = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Site: it is of {host}.\r\n\r\n\
             <!DOCTYPE html><head><title>t</title>{head}</head><body>A page."
        );
        Self::response(&format!("http://{host}{path}"), at, &block)
    }

    /// A revisit of a robots.txt, with an HTTP head alone.
    pub fn revisit(
        host: &str,
        at: &'static str,
        http_fields: &str,
        fields: &[(&'static str, &str)],
    ) -> Self {
        let block = format!("HTTP/1.1 200 OK\r\n{http_fields}\r\n");
        let mut record = Self::response(&format!("http://{host}/robots.txt"), at, &block);
        record.kind = "revisit";
        record.fields = fields
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()))
            .collect();
        record
    }

    /// States another length: its own plus this many bytes, or minus.
    pub fn by(mut self, bytes: i64) -> Self {
        let length = i64::try_from(self.block.len()).expect("short") + bytes;
        self.declared = Some(length.max(0).to_string());
        self
    }

    pub fn with_id(mut self, id: &str) -> Self {
        self.id = Some(id.to_owned());
        self
    }

    fn declared(&self) -> String {
        self.declared
            .clone()
            .unwrap_or(self.block.len().to_string())
    }

    /// Returns it as a record of a WARC; with `warcinfo`, as one whose archive has that id.
    pub fn warc(&self, warcinfo: Option<&str>) -> Vec<u8> {
        let mut head = format!(
            "WARC/1.0\r\nWARC-Type: {}\r\nWARC-Date: 2026-08-10T{}Z\r\n",
            self.kind, self.at
        );
        if self.kind == "response" {
            head.push_str("Content-Type: application/http; msgtype=response\r\n");
        }
        let more = [
            ("WARC-Warcinfo-ID", warcinfo.map(str::to_owned)),
            ("WARC-Record-ID", self.id.clone()),
        ];
        let more = more
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)));
        for (name, value) in more.chain(self.fields.iter().cloned()) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("WARC-Target-URI: {}\r\n", self.url));
        if self.declared() != "" {
            head.push_str(&format!("Content-Length: {}\r\n", self.declared()));
        }
        [
            head.as_bytes(),
            self.ends.0.as_bytes(),
            &self.block,
            self.ends.1.as_bytes(),
        ]
        .concat()
    }

    /// Returns it as a record of an ARC, which has no revisits.
    pub fn arc(&self) -> Option<Vec<u8>> {
        let at = self.at.replace(':', "");
        let line = format!(
            "{} 192.0.2.1 20260810{at} text/html {}\n",
            self.url,
            self.declared()
        );
        let is_response = self.kind == "response";
        is_response.then(|| [line.as_bytes(), &self.block, self.arc_end().as_bytes()].concat())
    }

    /// Returns what is behind the block in an ARC.
    pub fn arc_end(&self) -> String {
        self.ends.1.replace("\r\n\r\n", "\n").replace('\r', "")
    }
}

/// Returns a warcinfo record with these lines.
pub fn warcinfo(lines: &str) -> Vec<u8> {
    let length = lines.len();
    format!(
        "WARC/1.0\r\nWARC-Type: warcinfo\r\nWARC-Date: 2026-08-10T05:00:00Z\r\nWARC-Record-ID: {WARCINFO_ID}\r\n\
         Content-Type: application/warc-fields\r\nContent-Length: {length}\r\n\r\n{lines}\r\n\r\n"
    )
    .into_bytes()
}

/// Returns the version block of an ARC.
pub fn arc_info() -> Vec<u8> {
    let block = "1 0 Test\nURL IP-address Archive-date Content-type Archive-length\n";
    format!(
        "filedesc://a.arc 0.0.0.0 20260810050000 text/plain {}\n{block}\n",
        block.len()
    )
    .into_bytes()
}
