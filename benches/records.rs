//! Records to evidence: what is added to reading the archive, with and without metas.

mod files;

use crawlprefs::archive::{Archive, Event};
use crawlprefs::evidence::{Depth, Reading, RecordReader};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use files::files;
use std::hint::black_box;

/// Reads every record's evidence and counts the signals.
fn evidence(bytes: &[u8], metas: Depth) -> usize {
    let Ok(mut archive) = Archive::open(bytes).expect("a slice can be read") else {
        return 0;
    };
    let mut reader = RecordReader::new(metas);
    let mut signals = 0;
    while let Some(event) = archive.next().expect("a slice can be read") {
        if let Event::Record(record) = event
            && let Reading::Capture(evidence) = reader.read(&record, None)
        {
            signals += evidence.fields.count();
        }
    }
    signals
}

fn records(criterion: &mut Criterion) {
    for file in files() {
        let mut group = criterion.benchmark_group(format!("records/{}", file.name));
        group.throughput(Throughput::Bytes(file.bytes.len() as u64));
        for (name, metas) in [
            ("with_metas", Depth::Full),
            ("without_metas", Depth::NoMeta),
        ] {
            group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
                bencher.iter(|| evidence(black_box(&file.bytes), metas));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, records);
criterion_main!(benches);
