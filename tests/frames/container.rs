//! Archives of every format.

use crate::record::{Record, WARCINFO_ID, arc_info, warcinfo};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

/// A format, and how records are put into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// Plain, without a warcinfo record.
    Warc,
    /// Plain; records carry the id of the warcinfo record.
    WarcWithIds,
    /// A gzip member per record.
    WarcGz,
    /// One gzip member, without a warcinfo record.
    WarcOneGz,
    /// A zstd frame per record.
    WarcZst,
    Arc,
    ArcGz,
    ArcOneGz,
    Wacz,
}

pub const ALL: [Container; 9] = [
    Container::Warc,
    Container::WarcWithIds,
    Container::WarcGz,
    Container::WarcOneGz,
    Container::WarcZst,
    Container::Arc,
    Container::ArcGz,
    Container::ArcOneGz,
    Container::Wacz,
];

impl Container {
    pub fn is_arc(self) -> bool {
        matches!(self, Self::Arc | Self::ArcGz | Self::ArcOneGz)
    }

    /// Returns whether nothing but lengths separates records: no members of their own, and no ids of the archive.
    pub fn is_one_stretch(self) -> bool {
        matches!(
            self,
            Self::Warc | Self::WarcOneGz | Self::Arc | Self::ArcOneGz
        )
    }

    /// Returns the ending of its names.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Warc | Self::WarcWithIds => "warc",
            Self::WarcGz | Self::WarcOneGz => "warc.gz",
            Self::WarcZst => "warc.zst",
            Self::Arc => "arc",
            Self::ArcGz | Self::ArcOneGz => "arc.gz",
            Self::Wacz => "wacz",
        }
    }

    /// Returns an archive of records, as far as the format can say them.
    pub fn pack(self, records: &[Record]) -> Vec<u8> {
        let id =
            matches!(self, Self::WarcWithIds | Self::WarcGz | Self::Wacz).then_some(WARCINFO_ID);
        let mut texts: Vec<Vec<u8>> = if self.is_arc() {
            records.iter().filter_map(Record::arc).collect()
        } else {
            records.iter().map(|record| record.warc(id)).collect()
        };
        if self.is_arc() {
            texts.insert(0, arc_info());
        } else if id.is_some() {
            texts.insert(0, warcinfo("software: test\r\n"));
        }
        self.pack_texts(&texts)
    }

    /// Returns an archive of the texts of records.
    pub fn pack_texts(self, texts: &[Vec<u8>]) -> Vec<u8> {
        match self {
            Self::Warc | Self::WarcWithIds | Self::Arc => texts.concat(),
            Self::WarcGz | Self::ArcGz => texts.iter().flat_map(|text| member(text)).collect(),
            Self::WarcOneGz | Self::ArcOneGz => member(&texts.concat()),
            Self::WarcZst => texts.iter().flat_map(|text| frame(text)).collect(),
            Self::Wacz => wacz(&[texts.iter().flat_map(|text| member(text)).collect()]),
        }
    }
}

/// Returns one gzip member.
pub fn member(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).expect("memory");
    encoder.finish().expect("memory")
}

/// Returns one zstd frame.
pub fn frame(text: &[u8]) -> Vec<u8> {
    zstd::encode_all(text, 1).expect("memory")
}

/// Returns a WACZ with these archives.
pub fn wacz(archives: &[Vec<u8>]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (number, archive) in archives.iter().enumerate() {
        zip.start_file(format!("archive/{number}.warc.gz"), options)
            .expect("a file");
        zip.write_all(archive).expect("memory");
    }
    zip.finish().expect("memory").into_inner()
}
