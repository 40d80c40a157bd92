//! Archives of every format, made of the records of sites.

use crate::codings::Coder;
use crate::message::Message;
use crawlprefs::archive::{ArchiveName, FileSource, Input};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

/// A format of archives, and how its records are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    Warc,
    WarcGz,
    WarcZst,
    Arc,
    ArcGz,
    Wacz,
}

pub const ALL: [Container; 6] = [
    Container::Warc,
    Container::WarcGz,
    Container::WarcZst,
    Container::Arc,
    Container::ArcGz,
    Container::Wacz,
];

/// An archive that is being written.
pub struct Archive {
    container: Container,
    bytes: Vec<u8>,
}

impl Archive {
    pub fn new(container: Container) -> Self {
        let mut archive = Self {
            container,
            bytes: Vec::new(),
        };
        if matches!(container, Container::Arc | Container::ArcGz) {
            let version = "1 1 Test\nURL IP-address Archive-date Content-type Archive-length\n";
            let line = format!(
                "filedesc://a.arc 0.0.0.0 20260810000000 text/plain {}\n",
                version.len()
            );
            archive.push(&[line.as_bytes(), version.as_bytes(), b"\n"].concat());
        }
        archive
    }

    /// Adds the records of a message; returns whether the format can say all that it says.
    pub fn add(&mut self, message: &Message, host: &str, at: &str) -> bool {
        match self.container {
            Container::Arc | Container::ArcGz => match message.arc(host, at) {
                Some(record) => self.push(&record),
                None => return false,
            },
            Container::Warc | Container::WarcGz | Container::WarcZst | Container::Wacz => {
                for record in message.warc(host, at) {
                    self.push(&record);
                }
            }
        }
        true
    }

    fn push(&mut self, record: &[u8]) {
        match self.container {
            Container::Warc | Container::Arc => self.bytes.extend_from_slice(record),
            Container::WarcGz | Container::ArcGz | Container::Wacz => {
                self.bytes.extend(Coder::Gzip.encode(record));
            }
            Container::WarcZst => self.bytes.extend(Coder::Zstd.encode(record)),
        }
    }

    /// Writes it into a folder, and returns it as an input.
    pub fn into_input(self, folder: &Path, stem: &str) -> Input {
        let (name, bytes) = match self.container {
            Container::Warc => (format!("{stem}.warc"), self.bytes),
            Container::WarcGz => (format!("{stem}.warc.gz"), self.bytes),
            Container::WarcZst => (format!("{stem}.warc.zst"), self.bytes),
            Container::Arc => (format!("{stem}.arc"), self.bytes),
            Container::ArcGz => (format!("{stem}.arc.gz"), self.bytes),
            Container::Wacz => (format!("{stem}.wacz"), zipped(&self.bytes)),
        };
        input(folder, &name, &bytes)
    }
}

/// Writes an archive into a folder, and returns it as an input.
pub fn input(folder: &Path, name: &str, bytes: &[u8]) -> Input {
    let path = folder.join(name);
    fs::write(&path, bytes).expect("a temporary file");
    Input {
        name: ArchiveName::new(name),
        source: Arc::new(FileSource::new(path)),
    }
}

fn zipped(warc: &[u8]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    zip.start_file("archive/a.warc.gz", options)
        .expect("a file");
    zip.write_all(warc).expect("memory");
    zip.finish().expect("memory").into_inner()
}
