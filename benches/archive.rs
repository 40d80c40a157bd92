//! Reading archives: `read_only` does nothing but read, beside the floors and peers of the same run.

mod files;

use crawlprefs::archive::{Archive, Event, Kind};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use files::files;
use flate2::read::MultiGzDecoder;
use std::hint::black_box;
use std::io::{self, Read};

/// Reads every record and looks at its type.
fn read_only(bytes: &[u8]) -> u64 {
    let Ok(mut archive) = Archive::open(bytes).expect("a slice can be read") else {
        return 0;
    };
    let mut captures = 0;
    while let Some(event) = archive.next().expect("a slice can be read") {
        if let Event::Record(record) = event {
            captures += u64::from(record.kind == Kind::Response);
        }
    }
    captures
}

/// Inflates every member with zlib-rs and drops the text: no records, no heads.
fn inflate_only(bytes: &[u8]) -> u64 {
    io::copy(&mut MultiGzDecoder::new(bytes), &mut io::sink()).unwrap_or(0)
}

/// Reads the heads of a text of records with the crate `warc`.
fn heads_by_crate(mut text: &[u8]) -> usize {
    let mut heads = 0;
    while let Ok((rest, head)) = warc::parser::record(text) {
        black_box(head);
        heads += 1;
        text = rest;
    }
    heads
}

fn archive(criterion: &mut Criterion) {
    for file in files() {
        let mut group = criterion.benchmark_group(format!("archive/{}", file.name));
        group.throughput(Throughput::Bytes(file.bytes.len() as u64));
        let mut text = Vec::new();
        // A damaged archive ends the text early.
        let _ = MultiGzDecoder::new(file.bytes.as_slice()).read_to_end(&mut text);
        let mut measure = |name: &str, run: &mut dyn FnMut() -> u64| {
            group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
                bencher.iter(&mut *run)
            });
        };
        measure("read_only", &mut || read_only(black_box(&file.bytes)));
        measure("inflate_only_zlib_rs", &mut || {
            inflate_only(black_box(&file.bytes))
        });
        measure("read_only_plain", &mut || read_only(black_box(&text)));
        measure("plain_by_crate_warc", &mut || {
            heads_by_crate(black_box(&text)) as u64
        });
        group.finish();
    }
}

criterion_group!(benches, archive);
criterion_main!(benches);
