//! The head scanner on whole pages, held against the tree that html5ever builds of them.
//!
//! The pages are in the manner of real ones, and what a generator with a fixed seed makes of
//! their pieces. `html_...`: the HTML Living Standard says so, and where we differ by decision
//! `head_tree::Difference` has a name for it. `local_...`: ours.

use crate::random::one_of;
use crate::rounds::rounds;
use crawlprefs::evidence::html_head::{HtmlHeadEnd, head_fields};
use encoding_rs::Encoding;
use fastrand::Rng;
use std::ops::ControlFlow;

use super::head_tree::{
    Agreement, Difference, compare, in_tree, none_is_lost, scanned, scanned_as,
};
use super::html_head_generated as soup;
use super::html_head_pages::{
    AFTER_HEAD, BODIES, BODY_STARTS, HEAD_PIECES, METAS, MISHAPS, PAGES, STARTS,
};

fn agreed(html: &str) -> Agreement {
    let agreement = compare(&scanned(html.as_bytes()), &in_tree(html));
    agreement.unwrap_or_else(|difference| panic!("{difference}\n{html}"))
}

#[test]
fn html_pages_in_the_manner_of_real_ones_give_the_metas_of_html5evers_tree() {
    for (title, metas, html) in PAGES {
        let agreement = agreed(html);
        assert_eq!(agreement.metas, *metas, "{title}");
        assert!(agreement.differences.is_empty(), "{title}: {agreement:?}");
    }
}

/// Every kind on the list, so that one that is none any more fails here.
#[test]
fn local_differences_from_html5evers_tree_are_these() {
    for (html, expected) in [
        (
            "<meta name=' robots\n' content=noindex>",
            Difference::NameWithBlanks,
        ),
        (
            "<meta name=&Tab;robots content=noindex>",
            Difference::NameWithBlanks,
        ),
        ("<meta name=' ' content=noindex>", Difference::BlankName),
    ] {
        let agreement = agreed(html);
        assert_eq!(agreement.metas, 1, "{html}");
        assert_eq!(
            agreement.differences.into_iter().collect::<Vec<_>>(),
            [(expected, 1)],
            "{html}"
        );
    }
}

/// What is left out, see `records::html_head`: within a template, what is raw text or a
/// template by other rules than those of a body. Metas behind one are lost where it seems not to
/// end; one in a CDATA section that seems to end it is found. Such a head is doubtful, and its page
/// says that its metas are unread.
#[test]
fn local_rules_of_tables_and_svg_in_templates_are_left_out_and_the_head_is_doubtful() {
    for (html, ours, tree) in [
        (
            "<template><svg><style/></svg></template><meta name=a>",
            0,
            1,
        ),
        (
            "<template><svg><title/></svg></template><meta name=a>",
            0,
            1,
        ),
        ("<template><col><style></template><meta name=a>", 0, 1),
        (
            "<template><svg><template></svg></template><meta name=a>",
            0,
            1,
        ),
        (
            "<template><svg><![CDATA[ > </template><meta name=a> ]]></svg></template>",
            1,
            0,
        ),
    ] {
        assert_eq!(scanned(html.as_bytes()).len(), ours, "{html}");
        assert_eq!(in_tree(html).len(), tree, "{html}");
        assert_eq!(
            head_fields(html.as_bytes(), &mut |_, _, _| ControlFlow::Continue(())),
            HtmlHeadEnd::Doubtful,
            "{html}"
        );
    }
    let plain = "<template><table><tr><td><style>a</style></table></template><meta name=a><p>";
    assert_eq!(
        (scanned(plain.as_bytes()).len(), in_tree(plain).len()),
        (1, 1)
    );
    assert_eq!(
        head_fields(plain.as_bytes(), &mut |_, _, _| ControlFlow::Continue(())),
        HtmlHeadEnd::Early
    );
}

#[test]
fn html_an_unexplained_difference_is_an_error() {
    let page = |content: &str| in_tree(&format!("<meta name=a content='{content}'>"));
    let two = in_tree("<meta name=a content=1><meta name=b>");
    for (ours, tree) in [
        (page("1"), page("2")),
        (page("1"), in_tree("<meta http-equiv=a content=1>")),
        (page("1"), in_tree("<meta name=b content=1>")),
        (page("1"), Vec::new()),
        (Vec::new(), page("1")),
        (page("1"), two.clone()),
        (two, page("1")),
        (page("&amp;alpha;"), page("&beta;")),
        (page("&amp;alpha;1"), page("&alpha;")),
        (page("&amp;alpha;"), page("&alpha;1")),
        (page("&amp;#65;"), page("A")),
        (page("&amp;"), page("&alpha;")),
    ] {
        assert!(compare(&ours, &tree).is_err(), "{ours:?} {tree:?}");
    }
}

/// Every name, with and without its semicolon, before each byte that makes a difference.
#[test]
fn html_every_named_reference_is_html5evers() {
    let names = include_str!("../../data/char_refs.tsv")
        .lines()
        .filter_map(|row| row.split('\t').next());
    let mut references = 0;
    for name in names.map(|name| name.trim_end_matches(';')) {
        let content = ["; ", ";=", "=", "x", "1", " ", "&", "."]
            .map(|next| format!("&{name}{next}"))
            .concat();
        let agreement = agreed(&format!("<meta name=a content='{content}'>"));
        assert_eq!(
            (agreement.metas, agreement.differences.len()),
            (1, 0),
            "{name}"
        );
        references += 1;
    }
    assert_eq!(references, 2_231);
}

/// Puts a page together in the order that pages have, now and then with a mishap.
fn page(random: &mut Rng) -> String {
    let mut html = one_of(random, STARTS).to_owned();
    for _ in 0..=random.usize(..14) {
        let pieces = match random.usize(..40) {
            0 => MISHAPS,
            1..18 => METAS,
            _ => HEAD_PIECES,
        };
        html.push_str(one_of(random, pieces));
        html.push_str(one_of(random, &["\n", "\r\n", "", "\n\t"]));
    }
    html.push_str(one_of(
        random,
        &["</head>", "</head>\n", "</HEAD>", "</head >", ""],
    ));
    for _ in 0..random.usize(..3) {
        let pieces = if random.bool() { METAS } else { AFTER_HEAD };
        html.push_str(one_of(random, pieces));
    }
    html.push_str(one_of(random, BODY_STARTS));
    for _ in 0..random.usize(..4) {
        let pieces = if random.usize(..3) == 0 {
            METAS
        } else {
            BODIES
        };
        html.push_str(one_of(random, pieces));
    }
    html.push_str(one_of(
        random,
        &["</body></html>", "</body>\n</html>\n", "", "</html>"],
    ));
    html
}

/// Compares so many pages and prints what was found.
fn agreed_over(title: &str, pages: usize, mut page: impl FnMut() -> String) -> (usize, Agreement) {
    let mut all = Agreement::default();
    let mut pages_with_metas = 0;
    for _ in 0..pages {
        let agreement = agreed(&page());
        pages_with_metas += usize::from(agreement.metas > 0);
        all.add(&agreement);
    }
    println!("{title}: {pages_with_metas} of {pages} have metas: {all:?}");
    (pages_with_metas, all)
}

#[test]
fn html_generated_pages_give_the_metas_of_html5evers_tree() {
    let mut random = Rng::with_seed(0x2545_F491_4F6C_DD1D);
    let (pages_with_metas, all) = agreed_over("generated pages", 6_000, || page(&mut random));
    assert!(
        pages_with_metas > 5_000 && all.metas > 15_000,
        "{pages_with_metas} {}",
        all.metas
    );
    assert_eq!(all.differences.len(), 2, "{all:?}");
}

#[test]
fn html_generated_tag_soup_gives_the_metas_of_html5evers_tree() {
    let mut random = Rng::with_seed(0x9E37_79B9_7F4A_7C15);
    let pages = rounds(1_500, 6_000);
    let (pages_with_metas, all) = agreed_over("tag soup", pages, || soup::page(&mut random));
    assert!(
        pages_with_metas > pages / 2 && all.metas > pages * 5 / 6,
        "{pages_with_metas} {}",
        all.metas
    );
}

#[test]
fn tag_20_no_meta_of_the_head_without_scripting_is_lost() {
    let mut metas: usize = PAGES
        .iter()
        .map(|(_, _, html)| none_is_lost(html).expect("none is lost"))
        .sum();
    let mut random = Rng::with_seed(0x1234_5678_9ABC_DEF1);
    let pages = rounds(1_500, 6_000);
    for _ in 0..pages {
        metas += none_is_lost(&page(&mut random)).expect("none is lost");
        metas += none_is_lost(&soup::page(&mut random)).expect("none is lost");
    }
    assert!(metas > pages * 5 / 2, "{metas}");
}

/// All encodings of the Encoding Standard but UTF-8, those that `charset` decodes first, and
/// `replacement`.
const SUPERSETS_OF_ASCII: &[&str] = &[
    "Big5",
    "EUC-JP",
    "EUC-KR",
    "gb18030",
    "GBK",
    "IBM866",
    "ISO-8859-10",
    "ISO-8859-13",
    "ISO-8859-14",
    "ISO-8859-15",
    "ISO-8859-16",
    "ISO-8859-2",
    "ISO-8859-3",
    "ISO-8859-4",
    "ISO-8859-5",
    "ISO-8859-6",
    "ISO-8859-7",
    "ISO-8859-8",
    "ISO-8859-8-I",
    "KOI8-R",
    "KOI8-U",
    "macintosh",
    "Shift_JIS",
    "windows-1250",
    "windows-1251",
    "windows-1252",
    "windows-1253",
    "windows-1254",
    "windows-1255",
    "windows-1256",
    "windows-1257",
    "windows-1258",
    "windows-874",
    "x-mac-cyrillic",
    "x-user-defined",
];

/// What is read of the bytes and decoded after that is what is read of the decoded page, for
/// every character that the encoding has.
#[test]
fn html_no_character_of_a_superset_of_ascii_is_markup() {
    let mut characters = 0;
    for label in SUPERSETS_OF_ASCII {
        let encoding = Encoding::for_label(label.as_bytes()).expect("a label of the standard");
        let decoded = |bytes: &[u8]| encoding.decode_without_bom_handling(bytes).0.into_owned();
        let known = |c: &char| !encoding.encode(c.encode_utf8(&mut [0; 4])).2;
        let all: Vec<char> = ('\u{80}'..='\u{2FFFF}').filter(known).collect();
        characters += all.len();
        for some in all.chunks(200) {
            let text: String = some.iter().collect();
            let html = format!(
                "<meta name=x{text}x content={text}><!--{text}--><title>{text}</title><meta name=a>"
            );
            let bytes = encoding.encode(&html).0;
            let agreement = compare(&scanned_as(&bytes, &decoded), &in_tree(&decoded(&bytes)));
            assert_eq!(
                agreement.map(|agreement| agreement.metas),
                Ok(2),
                "{label}: {text}"
            );
        }
    }
    println!(
        "{characters} characters in {} encodings",
        SUPERSETS_OF_ASCII.len()
    );
    assert!(characters > 100_000);
}
