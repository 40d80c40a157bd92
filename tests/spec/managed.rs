//! Which lines of a robots.txt are a vendor's text.

use crate::random::one_of;
use crate::rounds::rounds;
use crawlprefs::robots::{How, Managed, RobotsTxt, VendorTexts, Verdict, vendor_of};
use fastrand::Rng;

fn parse(bytes: &[u8]) -> RobotsTxt {
    RobotsTxt::parse(bytes)
}

/// Every span as `first-last vendor how`.
fn shown(found: &[Managed<'_>]) -> Vec<String> {
    let how = |how| match how {
        How::Marked => "marked",
        How::Known => "known",
    };
    let span = |one: &Managed<'_>| {
        format!(
            "{}-{} {} {}",
            one.first_line,
            one.last_line,
            one.vendor,
            how(one.how)
        )
    };
    found.iter().map(span).collect()
}

fn bundled(file: &str) -> Vec<String> {
    shown(&VendorTexts::bundled().managed(&parse(file.as_bytes())))
}

fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

/// A table of vendors' texts, which are given as they are normalised.
fn table(texts: &[(&str, &str, &str)]) -> VendorTexts {
    let row = |(vendor, what, text): &(&str, &str, &str)| {
        let first = text.lines().next().expect("a line");
        let (lines, of_first, bytes) = (text.lines().count(), first.len(), text.len());
        format!(
            "{vendor}\t{what}\t{lines}\t{of_first}\t{bytes}\t{:016x}\n",
            fnv1a(text)
        )
    };
    let rows: String = texts.iter().map(row).collect();
    VendorTexts::read(&format!(
        "# a comment\nvendor\twhat\tlines\tfirst_line_bytes\tbytes\thash\n{rows}"
    ))
    .expect("a table")
}

const WORDPRESS: &str = "User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n";

#[test]
fn local_the_bundled_table_is_read_and_odd_ones_are_not() {
    assert_ne!(
        VendorTexts::bundled(),
        VendorTexts::read("").expect("no text")
    );
    assert_eq!(
        (fnv1a(""), fnv1a("a")),
        (0xCBF2_9CE4_8422_2325, 0xAF63_DC4C_8601_EC8C)
    );
    for row in [
        "v",
        "v\tall\t3\t1\t0\t0",
        "v\trun\t0\t1\t0\t0",
        "v\trun\tx\t1\t0\t0",
        "v\trun\t3\tx\t0\t0",
        "v\trun\t3\t1\tx\t0",
        "v\trun\t3\t1\t0",
    ] {
        assert_eq!(VendorTexts::read(row), None, "{row}");
    }
}

#[test]
fn wild_blocks_between_marks() {
    for (file, expected) in [
        (
            "# BEGIN Cloudflare Managed content\nUser-agent: *\n\n# END Cloudflare Managed Content\nAllow: /",
            "1-4 cloudflare",
        ),
        (
            "Allow: /\r\n# START YOAST BLOCK\r\nAllow: /\r\n# END YOAST BLOCK\r\n",
            "2-4 yoast",
        ),
        (
            "## START  WPForms BLOCK\n#end wpforms block ",
            "1-2 wpforms",
        ),
        (
            "# BEGIN W3TC ROBOTS\nx: y\n# END W3TC ROBOTS",
            "1-3 w3_total_cache",
        ),
        (
            "# BEGIN XML-SITEMAP-PLUGIN\nSitemap: /s\n# END XML-SITEMAP-PLUGIN",
            "1-3 xml_sitemap_plugin",
        ),
        (
            "#Begin Attracta SEO Tools Sitemap. Do not remove\n#End Attracta SEO Tools Sitemap. Do not remove",
            "1-2 attracta",
        ),
    ] {
        assert_eq!(bundled(file), [format!("{expected} marked")], "{file}");
    }
}

/// Where blocks begin that have no end.
fn open(file: &str) -> Vec<u32> {
    VendorTexts::bundled()
        .find(&parse(file.as_bytes()))
        .open_blocks
}

const SYNC: &str = "# BEGIN Cloudflare Bot Preference Sync\n\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n\n\
                    # END Cloudflare Bot Preference Sync\n";
const CONTENT: &str = "# BEGIN Cloudflare Managed content\n\nUser-agent: *\nContent-Signal: search=yes,ai-train=no\n\
                       Allow: /\n\n# END Cloudflare Managed Content\n";

#[test]
fn managed_3_cloudflare_has_two_kinds_of_blocks() {
    let texts = VendorTexts::bundled();
    let blocks = |file: &str| {
        let robots = parse(file.as_bytes());
        let span = |one: &Managed<'_>| {
            (
                one.first_line,
                one.last_line,
                one.vendor.to_owned(),
                one.block,
            )
        };
        texts.managed(&robots).iter().map(span).collect::<Vec<_>>()
    };
    let sync = |first, last| {
        (
            first,
            last,
            "cloudflare".to_owned(),
            Some("bot_preference_sync"),
        )
    };
    let content = |first, last| {
        (
            first,
            last,
            "cloudflare".to_owned(),
            Some("managed_content"),
        )
    };
    assert_eq!(blocks(SYNC), [sync(1, 7)]);
    // MANAGED-4: a file of the days of the change may have both, or one twice.
    assert_eq!(
        blocks(&format!("{CONTENT}{SYNC}{WORDPRESS}{SYNC}"))[..2],
        [content(1, 7), sync(8, 14)]
    );
    assert_eq!(
        blocks(&format!("{SYNC}Allow: /\n{SYNC}")),
        [sync(1, 7), sync(9, 15)]
    );
    assert_eq!(
        blocks(&SYNC.to_uppercase().replace(' ', " \t").replace('#', "##")),
        [sync(1, 7)]
    );
    assert_eq!(blocks(WORDPRESS), [(1, 3, "wordpress".to_owned(), None)]);
    // One kind's end does not close the other's.
    let (begin, end) = (
        SYNC.lines().next().expect("a line"),
        CONTENT.lines().last().expect("a line"),
    );
    assert_eq!(blocks(&format!("{begin}\n{end}\n")), []);
    assert_eq!(open(&format!("{begin}\n{end}\n")), [1]);
}

#[test]
fn managed_7_a_block_with_lines_that_are_not_cloudflares_is_the_owners() {
    let texts = VendorTexts::bundled();
    let found = |inside: &str| {
        let file = format!(
            "# BEGIN Cloudflare Managed content\n{inside}\n# END Cloudflare Managed Content\n"
        );
        let robots = parse(file.as_bytes());
        let managed = texts.managed(&robots);
        let [block] = managed.as_slice() else {
            panic!("{file}")
        };
        (block.block, block.author().map(str::to_owned))
    };
    let nine = [
        "Amazonbot",
        "Applebot-Extended",
        "Bytespider",
        "CCBot",
        "ClaudeBot",
        "CloudflareBrowserRenderingCrawler",
        "Google-Extended",
        "GPTBot",
        "meta-externalagent",
    ];
    let closed = |agents: &[&str]| -> String {
        agents
            .iter()
            .map(|agent| format!("User-agent: {agent}\nDisallow: /\n\n"))
            .collect()
    };
    let head = "User-agent: *\nContent-Signal: search=yes,ai-train=no\nAllow: /\n\n";
    let is_cloudflares = (Some("managed_content"), Some("cloudflare".to_owned()));
    for agents in [&nine[..], &nine[..5], &[]] {
        assert_eq!(
            found(&format!("{head}{}", closed(agents))),
            is_cloudflares,
            "{agents:?}"
        );
    }
    let reference = head.replace("ai-train=no", "ai-train=no, use=reference");
    assert_eq!(
        found(&format!(
            "# a comment\n{reference}{}",
            closed(&nine).to_lowercase()
        )),
        is_cloudflares
    );
    for edited in [
        format!("{head}{}", closed(&["PetalBot"])),
        format!("{head}Disallow: /a\n"),
        format!("{head}{}Disallow: /a\n", closed(&nine)),
        head.replace("ai-train=no", "ai-train=yes"),
        head.replace("Allow: /", "Disallow: /"),
        closed(&["*"]),
        "Disallow: /\n".to_owned(),
        "some text\n".to_owned(),
    ] {
        assert_eq!(found(&edited), (Some("edited"), None), "{edited}");
    }
}

#[test]
fn managed_4_a_beginning_without_an_end_marks_nothing_and_is_found() {
    let begin = SYNC.lines().next().expect("a line");
    let cut = &SYNC[..SYNC.len() / 2];
    assert_eq!((bundled(cut), open(cut)), (vec![], vec![1]));
    let twice = format!("{begin}\nAllow: /\n{SYNC}{begin}");
    assert_eq!(
        (bundled(&twice), open(&twice)),
        (vec!["3-9 cloudflare marked".to_owned()], vec![1, 10])
    );
    assert_eq!(open(SYNC), [0; 0]);
    assert_eq!(
        open("# END Cloudflare Bot Preference Sync\nAllow: / # BEGIN Cloudflare Managed content\n"),
        [0; 0]
    );
}

/// Generated files only: no copy of a real Sync block was to be had.
#[test]
fn managed_3_two_hundred_changed_files_with_a_sync_block() {
    const AGENTS: [&str; 7] = [
        "GPTBot",
        "CCBot",
        "ClaudeBot",
        "Bytespider",
        "meta-externalagent",
        "PetalBot",
        "x-new_bot",
    ];
    let mut random = Rng::with_seed(0x5EED_0029);
    let mut counts = [0; 5];
    for _ in 0..200 {
        let mut agents = AGENTS.to_vec();
        random.shuffle(&mut agents);
        agents.truncate(random.usize(1..=AGENTS.len()));
        let stacked = agents
            .iter()
            .map(|agent| format!("User-agent: {agent}\n"))
            .collect::<String>();
        let apart = agents
            .iter()
            .map(|agent| format!("User-agent: {agent}\nDisallow: /\n\n"))
            .collect::<String>();
        let inside = if random.bool() {
            format!("{stacked}Disallow: /\n")
        } else {
            apart
        };
        let preambles = [
            "",
            "\u{feff}",
            "# As a condition of accessing this website\n\n",
            "User-agent: *\nAllow: /\n",
        ];
        let preamble = one_of(&mut random, &preambles);
        let blank = one_of(&mut random, &["", "\n", "\r\n \t\r\n"]);
        let block = |inside: &str| {
            format!(
                "#  BEGIN Cloudflare\tBot Preference Sync\n{blank}{inside}{blank}# end cloudflare bot preference sync\n"
            )
        };
        let change = random.usize(..5);
        counts[change] += 1;
        let whole = block(&inside);
        let file = match change {
            0 => format!("{preamble}{whole}{WORDPRESS}"),
            1 => format!("{preamble}{whole}{whole}"),
            2 => format!("{preamble}{whole}{}", block("")),
            3 => format!("{preamble}{CONTENT}{whole}"),
            // Cut in the middle of the block: nothing is marked, and that is a lint.
            _ => format!("{preamble}{}", &whole[..whole.len() - 39]),
        };
        let robots = parse(file.as_bytes());
        let texts = VendorTexts::bundled();
        let managed = texts.managed(&robots);
        let blocks: Vec<_> = managed.iter().filter_map(|one| one.block).collect();
        let expected = match change {
            0 => &["bot_preference_sync"][..],
            1 | 2 => &["bot_preference_sync", "bot_preference_sync"],
            3 => &["managed_content", "bot_preference_sync"],
            _ => &[],
        };
        assert_eq!(
            (blocks.as_slice(), open(&file).len()),
            (expected, usize::from(change == 4)),
            "{file}"
        );
        // MANAGED-2: the block is read as robots.txt, also if a vendor wrote it.
        let token = agents[0];
        assert!(
            change == 4 || robots.access(token, "/a").verdict == Verdict::Disallow,
            "{token}: {file}"
        );
    }
    assert!(counts.iter().all(|count| *count > 20), "{counts:?}");
}

#[test]
fn local_marks_that_make_no_block() {
    for file in [
        "# START YOAST BLOCK\nAllow: /\n",
        "# END YOAST BLOCK\n# START YOAST BLOCK\n",
        "# START YOAST BLOCK\n# END WPFORMS BLOCK\n",
        "START YOAST BLOCK\nEND YOAST BLOCK\n",
        "Allow: / # START YOAST BLOCK\n# END YOAST BLOCK\n",
        "# START YOAST BLOCK!\n# END YOAST BLOCK\n",
    ] {
        assert_eq!(bundled(file), [""; 0], "{file}");
    }
    let twice =
        "# START YOAST BLOCK\n\n# START YOAST BLOCK\n# END YOAST BLOCK\n# END YOAST BLOCK\n";
    assert_eq!(bundled(twice), ["3-4 yoast marked"]);
    let inside = "# START YOAST BLOCK\n# START WPFORMS BLOCK\n# END WPFORMS BLOCK\n# END YOAST BLOCK\n# START YOAST BLOCK\n# END YOAST BLOCK";
    assert_eq!(bundled(inside), ["1-4 yoast marked", "5-6 yoast marked"]);
}

#[test]
fn wild_wordpress_is_known_by_its_whole_file_only() {
    let yoast = "# START YOAST BLOCK\nUser-agent: *\nDisallow:\n# END YOAST BLOCK\n";
    for (file, expected) in [
        (WORDPRESS.to_owned(), &["1-3 wordpress known"][..]),
        (
            format!("\u{feff}\r\n  {}\r\nSitemap: /s", WORDPRESS.to_uppercase()),
            &["2-4 wordpress known"],
        ),
        (
            WORDPRESS.replace("\nAllow", "\n\nSitemap: /s\n\tallow"),
            &["1-5 wordpress known"],
        ),
        (
            format!("{WORDPRESS}{yoast}"),
            &["1-3 wordpress known", "4-7 yoast marked"],
        ),
        (
            format!("{yoast}{WORDPRESS}"),
            &["1-4 yoast marked", "5-7 wordpress known"],
        ),
        (format!("{WORDPRESS}Disallow: /own/\n"), &[]),
        (format!("# own\n{WORDPRESS}"), &[]),
        (
            WORDPRESS.replace("\nAllow", &format!("\n{yoast}Allow")),
            &["3-6 yoast marked"],
        ),
        (String::new(), &[]),
    ] {
        assert_eq!(bundled(&file), expected, "{file}");
    }
}

#[test]
fn local_a_run_is_known_anywhere_and_the_longest_wins() {
    let texts = table(&[
        ("short", "run", "a\nb\nc"),
        ("long", "run", "a\nb\nc\nd"),
        ("other", "run", "d\ne\nf"),
        ("file", "file", "x y\nz\nz"),
    ]);
    for (file, expected) in [
        ("own\nA\nB\nC\nown", &["2-4 short known"][..]),
        ("a\nb\nc\nd", &["1-4 long known"]),
        ("a\nb\nc\nd\ne\nf", &["1-4 long known"]),
        (
            "a\nb\nc\n\nSITEMAP: s\nx\nd\ne\nf\na\n\n B \nc",
            &["1-3 short known", "7-9 other known", "10-13 short known"],
        ),
        ("a\nb\nown\nc", &[]),
        ("a\nb", &[]),
        (" X\t Y\nz\nz\n", &["1-3 file known"]),
        ("x y\nz\nz\nz", &[]),
        (
            "a\n# start yoast block\n# end yoast block\nb\nc",
            &["2-3 yoast marked"],
        ),
        (
            "# start yoast block\na\nb\nc\n# end yoast block\na\nb\nc",
            &["1-5 yoast marked", "6-8 short known"],
        ),
    ] {
        assert_eq!(
            shown(&texts.managed(&parse(file.as_bytes()))),
            expected,
            "{file}"
        );
    }
}

#[test]
fn local_a_line_is_part_of_the_text_around_it() {
    let texts = table(&[("v", "run", "a\nb\nc")]);
    let robots = parse(b"own\na\n\nb\nc\nown\na\nb\nc\n");
    let managed = texts.managed(&robots);
    let vendors: Vec<_> = (0..=10)
        .map(|line| vendor_of(&managed, line).unwrap_or("-"))
        .collect();
    assert_eq!(vendors.join(" "), "- - v v v v - v v v -");
    assert_eq!(vendor_of(&[], 1), None);
}

/// Lines without blank ones that are equal to a text, longest first, where no longer one is.
fn slow(lines: &[&str], texts: &[(&'static str, &str, &str)]) -> Vec<(usize, usize, &'static str)> {
    let mut found: Vec<(usize, usize, &'static str)> = Vec::new();
    for length in (1..=lines.len()).rev() {
        for first in 0..=lines.len() - length {
            let text = lines[first..first + length].join("\n");
            let known = texts.iter().find(|(_, _, known)| *known == text);
            let is_free = found
                .iter()
                .all(|(from, to, _)| first + length <= *from || *to <= first);
            if let Some((vendor, _, _)) = known.filter(|_| is_free) {
                found.push((first, first + length, vendor));
            }
        }
    }
    found.sort_unstable();
    found
}

#[test]
fn local_known_runs_equal_a_slow_reading() {
    const TEXTS: [(&str, &str, &str); 5] = [
        ("v1", "run", "a\nb\na"),
        ("v2", "run", "a\nb\na\nb"),
        ("v3", "run", "b\nb\nc"),
        ("v4", "run", "a\na\na\na\na"),
        ("v5", "run", "b\nc\na\nb"),
    ];
    let texts = table(&TEXTS);
    let mut random = Rng::with_seed(0x5EED_0007);
    let mut count = 0;
    let files = rounds(5_000, 20_000);
    for _ in 0..files {
        let lines: Vec<&str> = (0..random.usize(..16))
            .map(|_| one_of(&mut random, &["a", "b", "c"]))
            .collect();
        let file = lines.join("\n");
        let robots = parse(file.as_bytes());
        let found: Vec<_> = texts
            .managed(&robots)
            .iter()
            .map(|one| {
                (
                    one.first_line as usize - 1,
                    one.last_line as usize,
                    one.vendor.to_owned(),
                )
            })
            .collect();
        let expected: Vec<_> = slow(&lines, &TEXTS)
            .into_iter()
            .map(|(from, to, vendor)| (from, to, vendor.to_owned()))
            .collect();
        assert_eq!(found, expected, "{lines:?}");
        count += found.len();
    }
    assert!(count > files * 2 / 5, "{count}");
}

/// Half a megabyte of beginnings of known texts.
#[test]
fn local_hostile_repetition_is_read_once_for_each_line() {
    let robots = parse(&b"#\n# robots.txt\n#\nuser-agent: *\n".repeat(17_000));
    assert_eq!(VendorTexts::bundled().managed(&robots), []);
}
