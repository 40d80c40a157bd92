//! The formats of archives, and how their text is compressed, for example `warc.gz`: a WARC in gzip members.

use crate::web::names::names;

names! {
    /// The format of an archive.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Format {
        /// WARC records.
        Warc => "warc",
        /// WARC records that describe another archive's records, as Common Crawl's WAT files have.
        Wat => "wat",
        /// ARC records.
        Arc => "arc",
        /// A ZIP file with archives in it.
        Wacz => "wacz",
        /// LZ4 frames, which are not read.
        Lz4 => "lz4",
        /// No bytes at all.
        Empty => "empty",
        /// Something else.
        #[default]
        Other => "unknown",
    }
}

names! {
    /// How the text of an archive is compressed. The names are what the tables add to the name of the format.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Codec {
        /// Not at all.
        Plain => "",
        /// In gzip members.
        Gzip => ".gz",
        /// In zstd frames.
        Zstd => ".zst",
    }
}

impl Format {
    /// Returns the format that a file has by the end of its name: `a.warc.gz` is a WARC, a WACZ is not compressed again.
    pub(crate) fn of_file_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let inside = [Codec::Gzip, Codec::Zstd]
            .iter()
            .find_map(|codec| name.strip_suffix(codec.as_str()));
        let (_, ending) = inside.unwrap_or(&name).rsplit_once('.')?;
        match ending {
            "warc" => Some(Self::Warc),
            "wat" => Some(Self::Wat),
            "arc" => Some(Self::Arc),
            "wacz" if inside.is_none() => Some(Self::Wacz),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Format;

    #[test]
    fn local_a_file_has_a_format_by_the_end_of_its_name() {
        for (name, format) in [
            ("a.warc", Some(Format::Warc)),
            ("a.WARC.gz", Some(Format::Warc)),
            ("a.warc.wat.gz", Some(Format::Wat)),
            ("a.arc.zst", Some(Format::Arc)),
            ("a.wacz", Some(Format::Wacz)),
            ("a.wacz.gz", None),
            ("a.warc.bz2", None),
            ("a.warc.txt", None),
            ("warc.gz", None),
        ] {
            assert_eq!(Format::of_file_name(name), format, "{name}");
        }
    }
}
