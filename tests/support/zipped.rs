//! ZIP files with stored and deflated files.

use flate2::{Compression, Crc, write::DeflateEncoder};
use std::io::Write;

/// How a file is in the ZIP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Stored = 0,
    Deflated = 8,
}

/// Returns a ZIP with these files. PKWARE, APPNOTE 4.3.6.
pub fn zipped(files: &[(&str, Method, &[u8])]) -> Vec<u8> {
    let (mut zip, mut directory) = (Vec::new(), Vec::new());
    let number = |count: usize| u32::try_from(count).expect("short").to_le_bytes();
    for (name, method, bytes) in files {
        let mut crc = Crc::new();
        crc.update(bytes);
        let mut deflated = DeflateEncoder::new(Vec::new(), Compression::default());
        deflated.write_all(bytes).expect("memory");
        let deflated = deflated.finish().expect("memory");
        let stored = if *method == Method::Deflated {
            deflated.as_slice()
        } else {
            bytes
        };
        let lengths = [number(stored.len()), number(bytes.len())].concat();
        let name_bytes = &number(name.len())[..2];
        let about = [
            &[20, 0, 0, 0, *method as u8, 0, 0, 0, 0, 0][..],
            &crc.sum().to_le_bytes(),
            &lengths,
            name_bytes,
            &[0; 2],
        ];
        let (about, at) = (about.concat(), number(zip.len()));
        let central = [
            b"PK\x01\x02\x14\0",
            about.as_slice(),
            &[0; 10],
            &at,
            name.as_bytes(),
        ];
        directory.extend(central.concat());
        zip.extend([b"PK\x03\x04", about.as_slice(), name.as_bytes(), stored].concat());
    }
    let count = &number(files.len())[..2];
    let end = [
        b"PK\x05\x06\0\0\0\0",
        count,
        count,
        &number(directory.len()),
        &number(zip.len()),
        &[0; 2],
    ];
    let end = end.concat();
    zip.extend(directory);
    zip.extend(end);
    zip
}
