//! ARC files and zstd frames give the records that WARC and gzip give, damage included.

use crate::fixture::{Read, crawl, damage, member, read};
use crate::rounds::rounds;
use crawlprefs::archive::DamageKind;
use fastrand::Rng;

const INFO: &str =
    "1 0 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n\n";

/// Returns an ARC record.
fn arc_record(url: &str, block: &str) -> Vec<u8> {
    let media_type = if url.starts_with("filedesc:") {
        "text/plain"
    } else {
        "text/html"
    };
    format!(
        "{url} 192.0.2.1 20080430204825 {media_type} {}\n{block}\n",
        block.len()
    )
    .into_bytes()
}

/// Returns the records of a small ARC.
pub fn arc(count: usize) -> Vec<Vec<u8>> {
    let page = |number: usize| {
        let block = format!(
            "HTTP/1.1 200 OK\r\nX-Page: {number}\r\n\r\n{}",
            "some text, ".repeat(number * 7 % 40)
        );
        arc_record(&format!("http://a.example/{number}"), &block)
    };
    std::iter::once(arc_record("filedesc://a.arc", INFO))
        .chain((0..count).map(page))
        .collect()
}

/// Returns a zstd frame.
fn frame(text: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::stream::Encoder::new(Vec::new(), 3).expect("a Vec can be written");
    encoder.include_checksum(true).expect("a parameter");
    std::io::copy(&mut &text[..], &mut encoder).expect("a Vec can be written");
    encoder.finish().expect("a Vec can be written")
}

/// Returns a skippable frame.
fn skippable(number: u8, content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).expect("short").to_le_bytes();
    [&[number, 0x2a, 0x4d, 0x18], &length[..], content].concat()
}

/// Asserts that records and lost ones add up.
pub fn check_count(found: &Read, what: &str) {
    let lost = found.damage.iter().filter(|(_, lost)| *lost).count();
    assert_eq!(found.count, (found.records.len() + lost) as u64, "{what}");
}

#[test]
fn arc_1_0_records_are_a_line_and_a_block() {
    let records = arc(5);
    let plain = read(&records.concat());
    assert_eq!(
        (plain.damage.len(), plain.types()[0], plain.records.len()),
        (0, "warcinfo", 6)
    );
    assert_eq!(plain.records[0].3, INFO.as_bytes());
    let gzipped = read(
        &records
            .iter()
            .flat_map(|record| member(record))
            .collect::<Vec<u8>>(),
    );
    assert_eq!((gzipped.blocks(), gzipped.damage), (plain.blocks(), vec![]));
    let single = read(&member(&records.concat()));
    assert_eq!((single.blocks(), single.damage), (plain.blocks(), vec![]));
    let zstd = read(
        &records
            .iter()
            .flat_map(|record| frame(record))
            .collect::<Vec<u8>>(),
    );
    assert_eq!((zstd.blocks(), zstd.damage), (plain.blocks(), vec![]));
    // Padding between frames costs no record, as between gzip members.
    let padded = records
        .iter()
        .flat_map(|record| [frame(record), vec![0; 512]].concat())
        .collect::<Vec<u8>>();
    let padded = read(&padded);
    assert_eq!(padded.blocks(), plain.blocks());
    assert_eq!(
        padded.damage,
        vec![(DamageKind::Padding, false); records.len()]
    );
}

#[test]
fn wild_an_arc_may_begin_without_its_version_block_and_with_lengths_that_are_none() {
    let page = arc_record("http://a.example/", "HTTP/1.0 200 OK\n\nbody");
    assert_eq!(read(&page).types(), ["response"]);
    assert_eq!(read(&member(&page)).types(), ["response"]);
    let broken = b"http://a.example/ 192.0.2.1 20080430204825 text/html -1\n\n".to_vec();
    let found = read(&[arc(1).concat(), broken.clone(), page.clone()].concat());
    assert_eq!(found.types(), ["warcinfo", "response", "response"]);
    assert_eq!(found.damage, [(DamageKind::ContentLength, true)]);
    check_count(&found, "plain");
    // A gzip member says where the block ends.
    let found = read(&[member(&arc(0).concat()), member(&broken), member(&page)].concat());
    assert_eq!(found.types(), ["warcinfo", "response", "response"]);
}

#[test]
fn local_a_forged_arc_line_in_a_member_is_not_searched_for() {
    let forged = arc_record(
        "http://victim.example/robots.txt",
        "HTTP/1.1 200 OK\n\nAllow: /",
    );
    let page = arc_record(
        "http://attacker.example/",
        &format!(
            "HTTP/1.1 200 OK\n\nfiller\n{}",
            String::from_utf8_lossy(&forged)
        ),
    );
    let short = String::from_utf8_lossy(&page).replacen(&format!(" {}\n", 121), " 25\n", 1);
    assert_ne!(short.as_bytes(), page);
    let found = read(
        &[
            member(&arc(0).concat()),
            member(short.as_bytes()),
            member(&arc(1)[1]),
        ]
        .concat(),
    );
    assert_eq!(found.records.len(), 3, "{:?}", found.blocks());
    assert!(!found.blocks().iter().any(|block| block.contains("Allow")));
    assert_eq!(found.damage, [(DamageKind::Misaligned, false)]);
}

#[test]
fn rfc8878_each_record_is_a_frame_and_skippable_frames_are_passed_over() {
    let records = crawl(5);
    let expected = read(
        &records
            .iter()
            .flat_map(|record| member(record))
            .collect::<Vec<u8>>(),
    );
    let mut archive = skippable(0x50, b"made by a test");
    let mut places = Vec::new();
    for record in &records {
        places.push((archive.len() as u64, Some(frame(record).len() as u64)));
        archive.extend(frame(record));
    }
    let found = read(&archive);
    assert_eq!(
        (found.blocks(), found.damage.as_slice()),
        (expected.blocks(), &[][..])
    );
    let found: Vec<_> = found
        .records
        .iter()
        .map(|(offset, length, _, _)| (*offset, *length))
        .collect();
    assert_eq!(found, places);
    assert_eq!(read(&frame(&records.concat())).blocks(), expected.blocks());
}

#[test]
fn iipc_zstd_a_dictionary_frame_serves_all_others_compressed_or_not() {
    let records = crawl(40);
    let dictionary = records.concat();
    let mut compressor =
        zstd::bulk::Compressor::with_dictionary(3, &dictionary).expect("a dictionary");
    let frames: Vec<u8> = records
        .iter()
        .flat_map(|record| compressor.compress(record).expect("memory"))
        .collect();
    for stored in [dictionary.clone(), frame(&dictionary)] {
        let found = read(&[skippable(0x5d, &stored), frames.clone()].concat());
        assert_eq!(
            (found.records.len(), found.damage.as_slice()),
            (41, &[][..])
        );
    }
    // Without its dictionary nothing can be read, which is not silent.
    assert_eq!(read(&frames).records, []);
    assert!(read(&frames).damage.iter().any(|(_, lost)| *lost));
}

#[test]
fn local_a_frame_longer_than_is_held_is_read_as_a_stream() {
    let long = vec![b'x'; 70 << 20];
    let page = crate::fixture::response("https://a.example/1", &long);
    let found = read(
        &[
            frame(&[page, crawl(1).concat()].concat()),
            frame(&crawl(1)[1]),
        ]
        .concat(),
    );
    assert_eq!(
        (found.types(), found.damage.as_slice()),
        (
            vec!["response", "warcinfo", "response", "response"],
            &[][..]
        )
    );
}

#[test]
fn local_archives_of_every_format_cut_or_flipped_at_any_byte_add_up_and_are_never_silent() {
    let pieces = |records: Vec<Vec<u8>>, pack: &dyn Fn(&[u8]) -> Vec<u8>| {
        records
            .iter()
            .map(|record| pack(record))
            .collect::<Vec<Vec<u8>>>()
    };
    let archives = [
        ("arc", pieces(arc(2), &|record| record.to_vec()), false),
        ("arc.gz", pieces(arc(2), &member), true),
        ("warc.zst", pieces(crawl(2), &frame), true),
        ("arc.zst", pieces(arc(2), &frame), true),
    ];
    for (format, pieces, checked) in archives {
        let whole = pieces.concat();
        let all = read(&whole);
        assert_eq!(
            (all.records.len(), all.damage.as_slice()),
            (3, &[][..]),
            "{format}"
        );
        let ends: Vec<usize> = (1..=pieces.len())
            .map(|count| pieces[..count].concat().len())
            .collect();
        // In a short run near the end of a record, and here and there inside, elsewhere in each format.
        let (step, first) = (rounds(5, 1), whole.len());
        let is_near_end = |at: &usize| ends.iter().any(|end| end.abs_diff(*at) < 12);
        let is_tried = |at: &usize| is_near_end(at) || (at + first).is_multiple_of(step);
        for cut in (ends[0]..whole.len()).filter(is_tried) {
            let found = read(&whole[..cut]);
            check_count(&found, &format!("{format} cut at {cut}"));
            let before = ends.iter().filter(|end| **end <= cut).count();
            assert_eq!(
                found.records[..before],
                all.records[..before],
                "{format} cut at {cut}"
            );
            let at_end = ends.contains(&cut) || (!checked && ends.contains(&(cut + 1)));
            assert_eq!(
                found.damage.is_empty(),
                at_end,
                "{format} cut at {cut}: {:?}",
                found.damage
            );
        }
        for at in (0..whole.len()).filter(is_tried) {
            for mask in [0x01, 0xff] {
                let mut flipped = whole.clone();
                flipped[at] ^= mask;
                let found = read(&flipped);
                check_count(&found, &format!("{format} byte {at} flipped"));
                let lost = all
                    .records
                    .iter()
                    .filter(|record| !found.records.contains(record))
                    .count();
                assert!(
                    !checked || lost <= 1 || at < ends[0],
                    "{format} byte {at}: {lost} records are gone"
                );
                let silent = found.damage.is_empty() && lost > 0 && at >= ends[0];
                assert!(
                    !checked || !silent,
                    "{format} byte {at} flipped: a record is silently gone"
                );
            }
        }
    }
}

#[test]
fn local_random_damage_to_any_format_never_panics_and_always_adds_up() {
    let mut random = Rng::with_seed(0xa4c);
    let archives = [
        arc(6).concat(),
        arc(6)
            .iter()
            .flat_map(|record| member(record))
            .collect::<Vec<u8>>(),
        crawl(6).iter().flat_map(|record| frame(record)).collect(),
        [skippable(0x5d, b"no dictionary"), frame(&arc(6).concat())].concat(),
    ];
    for round in 0..1000 {
        let mut archive = archives[round % archives.len()].clone();
        damage(&mut random, &mut archive, 0x28);
        check_count(&read(&archive), &format!("round {round}"));
    }
}
