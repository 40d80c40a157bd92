//! A body is read without its neighbours in the row group, whose bytes are read and compared once.

use crate::done;
use crate::world::warc;
use crawlprefs::sites::SiteLayers;
use crawlprefs::store::Places;
use crawlprefs::tables::site_index::SiteHost;
use crawlprefs::verdict::SiteBodies;
use fastrand::Rng;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

const HOSTS: usize = 50;
const BODY_BYTES: usize = 15_000;

/// Makes an index of hosts with long bodies, all in one row group; returns its folder, and the path of its part of bodies.
fn index(folder: &Path) -> (String, String) {
    let at = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let mut random = Rng::with_seed(67);
    let mut records = Vec::new();
    for number in 0..HOSTS {
        let mut message = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\nDisallow: /{number}\n"
        );
        while message.len() < BODY_BYTES {
            message += &format!("# {:016x}\n", random.u64(..));
        }
        let url = format!("https://h{number:02}.test/robots.txt");
        records.extend(warc::response(
            &url,
            "2026-03-01T00:00:00Z",
            "",
            message.as_bytes(),
        ));
    }
    fs::write(at("a.warc"), records).expect("an archive");
    done(&["scan", "-q", &at("a.warc"), "-o", &at("evidence")]);
    done(&["index", "-q", &at("evidence"), "-o", &at("index")]);
    let names = crate::files(&folder.join("index"));
    let part = names.keys().find(|name| name.starts_with("bodies/"));
    let part = format!("{}/{}", at("index"), part.expect("a part"));
    (at("index"), part)
}

fn opened(index: &str) -> SiteLayers {
    SiteLayers::open(&[index.into()], &Places::default()).expect("an index")
}

/// Returns the only body of a host.
fn body(layers: &SiteLayers, host: &str) -> io::Result<Vec<u8>> {
    let hosts = BTreeSet::from([SiteHost::new(host)]);
    let mut loaded = layers.load_fetches(&hosts, None)?;
    assert_eq!(loaded.fetches.len(), 1, "{host}");
    let bodies = layers.load_bodies(&mut loaded)?;
    Ok(bodies.read(0)?.into_owned())
}

#[test]
fn local_a_page_of_bodies_is_a_small_part_of_its_row_group() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (_, part) = index(folder.path());
    let file = SerializedFileReader::new(fs::File::open(part).expect("a part")).expect("Parquet");
    assert_eq!(file.num_row_groups(), 1);
    let group = file.get_row_group(0).expect("a row group");
    let pages = group.get_column_page_reader(2).expect("pages of content");
    let bytes: Vec<usize> = pages
        .map(|page| page.expect("a page").buffer().len())
        .collect();
    assert!(
        bytes.iter().sum::<usize>() > HOSTS * BODY_BYTES / 10 * 9,
        "{bytes:?}"
    );
    assert!(
        bytes
            .iter()
            .all(|bytes| *bytes < (128 << 10) + 2 * BODY_BYTES),
        "{bytes:?}"
    );
}

#[test]
fn local_a_row_group_of_bodies_is_read_once_for_hosts_one_by_one() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (index, part) = index(folder.path());
    let layers = opened(&index);
    let is_of = |body: &[u8], number: usize| {
        let rule = format!("Disallow: /{number}\n");
        String::from_utf8_lossy(body).contains(&rule)
    };
    assert!(is_of(&body(&layers, "h07.test").expect("a body"), 7));
    let written = fs::read(&part).expect("a part");
    fs::write(&part, vec![0; written.len()]).expect("damaged");
    for number in [7, 0, 31, HOSTS - 1] {
        let found = body(&layers, &format!("h{number:02}.test")).expect("a body");
        assert!(is_of(&found, number), "{number}");
    }
    let error = body(&opened(&index), "h31.test").expect_err("damaged");
    assert!(
        error.to_string().contains("not as it was written"),
        "{error}"
    );
}
