//! The whole scan, from bytes to Parquet, with one worker.

mod files;

use crawlprefs::archive::{ArchiveName, FileSource, Input};
use crawlprefs::job::{ScanOptions, Silent, scan};
use crawlprefs::store::FolderStore;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use files::files;
use std::num::NonZeroUsize;
use std::sync::Arc;

fn job(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for file in files() {
        let path = folder.path().join(format!("{}.warc.gz", file.name));
        std::fs::write(&path, &file.bytes).expect("it can be written");
        let mut group = criterion.benchmark_group(format!("job/{}", file.name));
        group
            .throughput(Throughput::Bytes(file.bytes.len() as u64))
            .sample_size(10);
        group.bench_function(BenchmarkId::from_parameter("scan"), |bencher| {
            bencher.iter_with_setup(
                || tempfile::tempdir().expect("a temporary folder"),
                |out| {
                    let source = Arc::new(FileSource::new(path.clone()));
                    let mut options = ScanOptions::new(vec![Input {
                        name: ArchiveName::new(&file.name),
                        source,
                    }]);
                    options.jobs = NonZeroUsize::MIN;
                    scan(&options, &FolderStore::new(out.path().to_owned()), &Silent)
                        .expect("it can run")
                },
            );
        });
        group.finish();
    }
}

criterion_group!(benches, job);
criterion_main!(benches);
