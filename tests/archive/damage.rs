//! Damage costs one record and is reported, and reading goes on.

use crate::fixture::{Read, crawl, damage, member, read};
use crawlprefs::archive::DamageKind;
use fastrand::Rng;

/// Records read = records given + records lost, whatever the bytes are.
fn check_count(found: &Read, what: &str) {
    let lost = found.damage.iter().filter(|(_, lost)| *lost).count();
    assert_eq!(found.count, (found.records.len() + lost) as u64, "{what}");
}

#[test]
fn local_an_archive_cut_at_any_byte_gives_the_records_before_and_a_failure() {
    let members: Vec<Vec<u8>> = crawl(3).iter().map(|record| member(record)).collect();
    let gzipped = members.concat();
    let ends: Vec<usize> = members
        .iter()
        .scan(0, |at, member| {
            *at += member.len();
            Some(*at)
        })
        .collect();
    let whole = read(&gzipped);
    for cut in 3..gzipped.len() {
        let found = read(&gzipped[..cut]);
        check_count(&found, &format!("gzip cut at {cut}"));
        let before = ends.iter().filter(|end| **end <= cut).count();
        assert_eq!(
            found.records[..before],
            whole.records[..before],
            "cut at {cut}"
        );
        assert!(found.records.len() <= before + 1);
        assert_eq!(
            found.damage.is_empty(),
            ends.contains(&cut),
            "cut at {cut}: {:?}",
            found.damage
        );
    }
}

#[test]
fn local_a_plain_archive_cut_at_any_byte_gives_the_records_before_and_a_failure() {
    let records = crawl(3);
    let plain = records.concat();
    let ends: Vec<usize> = records
        .iter()
        .scan(0, |at, record| {
            *at += record.len();
            Some(*at)
        })
        .collect();
    for cut in 5..plain.len() {
        let found = read(&plain[..cut]);
        check_count(&found, &format!("plain cut at {cut}"));
        // The empty lines behind a block may be missing without harm.
        let harmless = ends.iter().any(|end| (end - 4..=*end).contains(&cut));
        assert_eq!(
            found.damage.is_empty(),
            harmless,
            "cut at {cut}: {:?}",
            found.damage
        );
    }
}

#[test]
fn local_a_flipped_byte_costs_at_most_its_own_record() {
    let members: Vec<Vec<u8>> = crawl(6).iter().map(|record| member(record)).collect();
    let whole = read(&members.concat());
    let (start, length) = (members[..3].concat().len(), members[3].len());
    for at in start..start + length {
        for mask in [0x01, 0x80, 0xff] {
            let mut archive = members.concat();
            archive[at] ^= mask;
            let found = read(&archive);
            check_count(&found, &format!("byte {at} flipped"));
            for (number, record) in whole.records.iter().enumerate() {
                let there = found.records.contains(record);
                assert!(
                    there || number == 3,
                    "record {number} lost by byte {} of {length} of member 3: {:?}",
                    at - start,
                    found.damage
                );
            }
            // Of a gzip header's time, flags and system nothing is checked.
            let is_known = found.damage.iter().any(|(_, lost)| *lost)
                || found.records.contains(&whole.records[3]);
            assert!(
                is_known,
                "byte {at}: record 3 is silently gone: {:?}",
                found.damage
            );
        }
    }
}

#[test]
fn local_a_wrong_checksum_is_not_believed() {
    let mut members: Vec<Vec<u8>> = crawl(2).iter().map(|record| member(record)).collect();
    let at = members[1].len() - 8;
    members[1][at] ^= 1;
    let found = read(&members.concat());
    assert_eq!(found.types(), ["warcinfo", "response"]);
    assert_eq!(found.damage, [(DamageKind::GzipChecksum, true)]);
}

#[test]
fn local_garbage_between_members_is_left_behind() {
    let members: Vec<Vec<u8>> = crawl(2).iter().map(|record| member(record)).collect();
    let archive = [
        &members[0][..],
        b"garbage \x1f\x8b\x08 garbage",
        &members[1],
        &members[2],
    ]
    .concat();
    let found = read(&archive);
    assert_eq!(found.records.len(), 3);
    assert_eq!(found.damage.first(), Some(&(DamageKind::NotGzip, true)));
}

#[test]
fn local_random_damage_never_panics_and_always_adds_up() {
    let mut random = Rng::with_seed(0x5eed);
    let plain = crawl(8).concat();
    let gzipped = crawl(8)
        .iter()
        .flat_map(|record| member(record))
        .collect::<Vec<u8>>();
    let single = member(&plain);
    for round in 0..3000 {
        let mut archive = [&plain, &gzipped, &single][round % 3].clone();
        damage(&mut random, &mut archive, 0x1f);
        check_count(&read(&archive), &format!("round {round}"));
    }
}
