//! Vendors' texts, reservations in prose and licences in real robots.txt.

use crate::captures::scan;
use crate::corpus;
use crate::explained::part_file;
use crate::table_rows::parts;
use crawlprefs::robots::{How, RobotsTxt, VendorTexts, vendor_of};
use crawlprefs::systems::aipref_vocab::Vocabulary;
use crawlprefs::systems::{SYSTEMS, Source, Viewpoint};
use crawlprefs::tables::Slices;
use crawlprefs::tables::site_files::SiteBodies;
use crawlprefs::web::product_token::{ProductToken, TokenMatch};
use std::collections::BTreeMap;
use std::path::Path;

/// Returns the distinct files, read.
fn files(archive: &Path) -> Vec<RobotsTxt> {
    let out = scan(archive, &[]);
    let mut files = BTreeMap::new();
    for part in parts(&out.path().join("evidence/site_files")) {
        for slice in Slices::new(part_file(&part)).expect("Parquet") {
            let slice = slice.expect("a slice");
            for (digest, _, body) in SiteBodies::new(&slice).expect("site_files").iter() {
                let robots = || RobotsTxt::parse(body);
                files.entry(digest.to_owned()).or_insert_with(robots);
            }
        }
    }
    files.into_values().collect()
}

/// Files and their lines.
type Counts = BTreeMap<String, (usize, usize)>;

fn add(counts: &mut Counts, name: &str, lines: usize) {
    let count = counts.entry(name.to_owned()).or_default();
    *count = (count.0 + 1, count.1 + lines);
}

#[test]
fn wild_vendors_texts_by_vendor() {
    let Some(archive) = corpus("robots.warc.gz") else {
        return;
    };
    let texts = VendorTexts::bundled();
    let (files, mut counts, mut some) = (files(&archive), Counts::new(), 0);
    for robots in &files {
        let managed = texts.managed(robots);
        assert!(
            managed
                .iter()
                .all(|lines| lines.first_line <= lines.last_line)
        );
        assert!(
            managed
                .windows(2)
                .all(|two| two[0].last_line < two[1].first_line)
        );
        some += usize::from(!managed.is_empty());
        let mut in_file = BTreeMap::<String, usize>::new();
        for lines in &managed {
            if let Some(block) = lines.block {
                let count = (lines.last_line - lines.first_line + 1) as usize;
                *in_file.entry(block.to_owned()).or_default() += count;
            }
            let how = match lines.how {
                How::Marked => "marked",
                How::Known => "known",
            };
            *in_file
                .entry(format!("{} {how}", lines.vendor))
                .or_default() += (lines.last_line - lines.first_line + 1) as usize;
        }
        in_file
            .iter()
            .for_each(|(name, lines)| add(&mut counts, name, *lines));
    }
    println!(
        "{some} of {} distinct files have lines of a vendor (files, lines): {counts:#?}",
        files.len()
    );
    assert_eq!((some, files.len()), (4_072, 14_360));
    for (name, expected) in [
        ("attracta marked", (2, 6)),
        ("cloudflare known", (7, 170)),
        ("cloudflare marked", (5, 164)),
        // MANAGED-3: the old block in five files of 2026, all of it Cloudflare's; the new one in none.
        ("managed_content", (5, 164)),
        ("drupal known", (494, 22_894)),
        ("govoffice known", (219, 8_103)),
        ("joomla known", (51, 1_103)),
        ("shopify known", (124, 17_675)),
        ("squarespace known", (148, 6_344)),
        ("w3_total_cache marked", (3, 13)),
        ("wix known", (198, 4_822)),
        ("wordpress known", (1_086, 3_258)),
        ("wordpress.com known", (34, 611)),
        ("wpforms marked", (29, 174)),
        ("xml_sitemap_plugin marked", (4, 12)),
        ("yoast marked", (1_075, 9_061)),
        ("zendesk known", (173, 13_840)),
    ] {
        assert_eq!(counts.get(name), Some(&expected), "{name}");
    }
    assert_eq!(counts.len(), 34);
    assert!(!counts.contains_key("bot_preference_sync"));
}

#[test]
fn wild_prose_and_licences_and_whose_they_are() {
    let Some(archive) = corpus("robots.warc.gz") else {
        return;
    };
    let viewpoint = Viewpoint {
        token: ProductToken::new("CCBot").expect("a token"),
        token_match: TokenMatch::Exact,
        vocabulary: Vocabulary::named("03").expect("a draft"),
        applications: Default::default(),
    };
    let texts = VendorTexts::bundled();
    let mut counts = Counts::new();
    for robots in files(&archive) {
        let managed = texts.managed(&robots);
        let mut in_file = BTreeMap::<String, usize>::new();
        for system in SYSTEMS {
            system.statements(&Source::Robots(&robots), &viewpoint, &mut |row| {
                let vendor = vendor_of(&managed, row.line.expect("a line")).unwrap_or("own");
                let category = row
                    .category
                    .filter(|_| ["prose", "rsl"].contains(&row.system))
                    .unwrap_or("any");
                *in_file
                    .entry(format!("{} {category} {vendor}", row.system))
                    .or_default() += 1;
            });
        }
        in_file
            .iter()
            .for_each(|(name, lines)| add(&mut counts, name, *lines));
    }
    println!("statements (files, rows): {counts:#?}");
    let expected = [
        ("aipref any own", (1, 1)),
        ("content_signal any cloudflare", (5, 12)),
        ("content_signal any own", (3, 7)),
        ("prose ai_training own", (53, 84)),
        ("prose article_4 cloudflare", (7, 7)),
        ("prose article_4 own", (29, 34)),
        ("prose automated_access own", (83, 159)),
        ("rsl license own", (3, 3)),
    ];
    assert_eq!(
        counts,
        expected
            .map(|(name, count)| (name.to_owned(), count))
            .into()
    );
}
