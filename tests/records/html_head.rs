//! The rules of the head scanner, one test per rule.
//!
//! In the tables a meta is written `name=content`, or `@name=content` for an `http-equiv`; a link and a script
//! `link type=href` and `script type=text`.
//! `html_...`: the HTML Living Standard says so. A comparison with another tokenizer over
//! generated pages, and the time it takes, are in `html_head_generated.rs`; one with the tree of a
//! browser's parser is in `html_head_tree.rs`.

use HtmlHeadEnd::{Found, Missing};
use crawlprefs::evidence::html_head::{HtmlHeadEnd, head_fields};
use crawlprefs::web::field::Carrier;
use std::ops::ControlFlow;

fn read(html: &[u8]) -> (Vec<String>, HtmlHeadEnd) {
    let mut found = Vec::new();
    let end = head_fields(html, &mut |carrier, name, value| {
        let mark = match carrier {
            // See `after_head`.
            Carrier::AfterHead => return ControlFlow::Continue(()),
            Carrier::Header | Carrier::Meta => "",
            Carrier::HttpEquiv => "@",
            Carrier::Property => "property ",
            Carrier::Link => "link ",
            Carrier::Script => "script ",
        };
        let [name, value] = [name, value].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        found.push(format!("{mark}{name}={value}"));
        ControlFlow::Continue(())
    });
    // The head is what is tested here, and not what may follow one that ended early.
    (
        found,
        if end == HtmlHeadEnd::Early {
            Found
        } else {
            end
        },
    )
}

fn check(html: &str, expected: &[&str], expected_end: HtmlHeadEnd) {
    let (found, end) = read(html.as_bytes());
    assert_eq!(found, expected, "{html:?}");
    assert_eq!(end, expected_end, "{html:?}");
}

/// Each page holds the one meta `a=1`, and its head goes on.
fn a_is_read(pages: &[&str]) {
    for html in pages {
        check(html, &["a=1"], Missing);
    }
}

/// Each page holds the one meta `a=1` before its head ends.
fn a_is_read_and_head_ends(pages: &[&str]) {
    for html in pages {
        check(html, &["a=1"], Found);
    }
}

/// The head of each page ends before any meta.
fn head_ends(pages: &[&str]) {
    for html in pages {
        check(html, &[], Found);
    }
}

/// No page holds a meta, and their heads go on.
fn nothing_is_read(pages: &[&str]) {
    for html in pages {
        check(html, &[], Missing);
    }
}

/// Each line is a page, an arrow, and its metas with bars between them; its head goes on.
fn reads(lines: &[&str]) {
    for line in lines {
        let (html, expected) = line.split_once(" -> ").expect("a line has an arrow");
        let expected: Vec<&str> = expected.split(" | ").collect();
        check(html, &expected, Missing);
    }
}

/// Each line is a value as it is written, an arrow, and the value meant.
fn decodes(lines: &[&str]) {
    for line in lines {
        let (value, expected) = line.split_once(" -> ").expect("a line has an arrow");
        let html = format!("<meta name=a content='{value}'>");
        check(&html, &[&format!("a={expected}")], Missing);
    }
}

#[test]
fn html_a_meta_is_read_with_or_without_head_and_html_tags() {
    a_is_read(&[
        "\n <html>\t<head>\r\n<META NAME=a CONTENT=1>",
        "<meta/name=\"a\"/content=1>",
    ]);
    head_ends(&["<metadata name=a content=1>"]);
    nothing_is_read(&["", "<"]);
    a_is_read_and_head_ends(&[
        "<meta name=a content=1><p>",
        "<!DOCTYPE html><html lang=en><head><meta name=a content=1></head><body>",
        "<meta name='a' content='1'/><p>",
    ]);
    reads(&["<meta name=a content=1/> -> a=1/"]);
}

#[test]
fn html_a_meta_is_named_by_name_or_http_equiv_or_both() {
    nothing_is_read(&["<meta charset=utf-8><meta content=1>"]);
    reads(&[
        "<meta property=a itemprop=b content=1> -> property a=1 | property b=1",
        "<meta http-equiv=Refresh content=5> -> @Refresh=5",
        "<meta http-equiv=b name=a content=1> -> a=1 | @b=1",
        "<meta name=a> -> a=",
        "<meta name=Robots content='NoIndex '> -> Robots=NoIndex ",
    ]);
}

#[test]
fn local_a_name_is_trimmed_and_an_empty_one_is_none() {
    a_is_read(&[
        "<meta name='\n a\t' content=1>",
        "<meta name='&#32;a&Tab;' content=1>",
    ]);
    reads(&[
        "<meta name='' content=1><meta name=' ' http-equiv=b content=2> -> @b=2",
        "<meta name=a&nbsp; content=1> -> a\u{A0}=1",
    ]);
}

#[test]
fn html_metas_count_after_head_until_something_ends_it() {
    a_is_read(&[
        "</head><meta name=a content=1>",
        "</head><title>x</title><link><base><style></style><script></script><template></template>\
          <noframes></noframes><!-- --><head><html></head></p><meta name=a content=1>",
    ]);
    head_ends(&[
        "</head>x<meta name=a>",
        "</head><noscript></noscript><meta name=a>",
        "</head><p><meta name=a>",
    ]);
    a_is_read_and_head_ends(&["<head></head><meta name=a content=1><body><meta name=b>"]);
}

#[test]
fn html_only_head_elements_do_not_end_the_head() {
    a_is_read(&[
        "<link><base><basefont><bgsound><title></title><style></style><script></script>\
          <noscript></noscript><noframes></noframes><template></template><HEAD><html>\
          <meta name=a content=1>",
    ]);
    head_ends(&[
        "<div><meta name=a>",
        "<body><meta name=a>",
        "<frameset><meta name=a>",
        "<textarea><meta name=a>",
        "<svg><meta name=a>",
        "<titles><meta name=a>",
        "<meta\0><meta name=a>",
    ]);
}

#[test]
fn html_end_tags_of_body_html_and_br_end_the_head_and_no_others() {
    a_is_read(&["</p></div></title></template></meta></script x='>'></><meta name=a content=1>"]);
    head_ends(&[
        "</body><meta name=a>",
        "</HTML ><meta name=a>",
        "</br><meta name=a>",
    ]);
}

#[test]
fn html_text_ends_the_head_and_blanks_do_not() {
    a_is_read(&[
        " \t\n\x0C\r<meta name=a content=1>",
        "&#32;&#x9;&#10 &Tab;&NewLine;<meta name=a content=1>",
    ]);
    head_ends(&[
        "x<meta name=a>",
        "&amp;<meta name=a>",
        "&nbsp;<meta name=a>",
        "& <meta name=a>",
        "\u{A0}<meta name=a>",
        "\x0B<meta name=a>",
        "\0<meta name=a>",
        "< meta><meta name=a>",
        "<3><meta name=a>",
    ]);
}

#[test]
fn html_a_byte_order_mark_is_skipped_at_the_very_start_only() {
    a_is_read(&["\u{FEFF}<meta name=a content=1>"]);
    head_ends(&[
        "\u{FEFF}\u{FEFF}<meta name=a>",
        " \u{FEFF}<meta name=a>",
        "<script></script>\u{FEFF}<meta name=a>",
    ]);
}

#[test]
fn html_comments_end_as_the_standard_says() {
    a_is_read(&[
        "<!-- <meta name=b> --><meta name=a content=1>",
        "<!--><meta name=a content=1>",
        "<!---><meta name=a content=1>",
        "<!----><meta name=a content=1>",
        "<!-- > -> --!><meta name=a content=1>",
        "<!----!><meta name=a content=1>",
        "<!-- <!--><meta name=a content=1>",
        "<!-- - - > --- x --!x ----><meta name=a content=1>",
        "<!---!><meta name=b>--><meta name=a content=1>",
    ]);
    nothing_is_read(&["<!-- -- ><meta name=a>"]);
}

#[test]
fn html_declarations_and_odd_end_tags_run_to_the_next_angle_bracket() {
    a_is_read(&[
        "<!doctype><!><!-x><!x '<meta name=b '><meta name=a content=1>",
        "<?xml version='1.0'?><?php <meta name=b ?><meta name=a content=1>",
        "</ ><//p></?x><meta name=a content=1>",
        "<![CDATA[x]]><meta name=a content=1>",
    ]);
    head_ends(&[
        "<!DOCTYPE html PUBLIC \"a>b\"><meta name=a>",
        "<![CDATA[<meta name=b>]]>",
    ]);
}

#[test]
fn html_raw_text_runs_to_its_own_end_tag() {
    a_is_read(&[
        "<title><!-- </titles></script></title><meta name=a content=1>",
        "<title/><meta name=b></TITLE\n><meta name=a content=1>",
        "<style><meta name=b></style/><meta name=a content=1>",
        "<style><!-- </style><meta name=a content=1>",
        "<noframes><meta name=b></noframes x='>'><meta name=a content=1>",
        "<title></title <meta name=b><meta name=a content=1>",
    ]);
    nothing_is_read(&[
        "<title></title x='><meta name=a content=1>",
        "<title></titl</title",
    ]);
}

#[test]
fn tag_20_what_a_noscript_of_the_head_holds_is_read_and_ends_no_head() {
    a_is_read(&[
        "<noscript><meta name=a content=1></noscript>",
        "<noscript><meta name=a content=1>",
        "<NOSCRIPT id=x><link rel=stylesheet href=u><style>b{}</style><META name=a content=1></NOSCRIPT>",
        "<noscript><noscript><meta name=a content=1></noscript></noscript>",
        "<noscript></head></body><meta name=a content=1></noscript>",
        "<noscript><!-- <meta name=b> --><style><meta name=b></style><template><meta name=b></template>\
          <script>'<meta name=b>'</script><iframe><meta name=b></iframe><meta name=a content=1></noscript>",
        "<noscript><img src=x>text<p></noscript><meta name=a content=1>",
        "<noscript><img src=x>text<meta name=a content=1></noscript>",
        "<noscript><plaintext><meta name=b></noscript><meta name=a content=1>",
    ]);
    reads(&[
        "<noscript><meta name=a content=1></noscript><meta name=b content=2> -> a=1 | b=2",
        "<noscript><link rel=license href=u><script type=application/rsl+xml>x</script></noscript> -> link =u | script application/rsl+xml=x",
        "<noscript><meta name=a content=1></noscript x='<meta name=b>'><meta name=c content=3> -> a=1 | c=3",
        "<noscript><meta name=a content=1></noscript x='<meta name=b> -> a=1",
    ]);
    head_ends(&[
        "</head><noscript><meta name=a></noscript>",
        "<body><noscript><meta name=a></noscript>",
    ]);
    a_is_read_and_head_ends(&[
        "<noscript><meta name=a content=1></noscript><p><noscript><meta name=b></noscript>",
    ]);
}

/// Without scripting the `noscript` goes on behind its first end tag.
#[test]
fn tag_20_a_noscript_whose_first_end_tag_is_hidden_makes_the_head_doubtful() {
    for hidden in [
        "<!-- </noscript><meta name=a content=1>",
        "<link title='</noscript><meta name=a content=1><!-- '>",
        "<style></noscript><meta name=a content=1>",
        "<script></noscript><meta name=a content=1>",
        "<template></noscript><meta name=a content=1>",
        "<a </noscript><meta name=a content=1>",
    ] {
        check(
            &format!("<noscript>{hidden}"),
            &["a=1"],
            HtmlHeadEnd::Doubtful,
        );
    }
}

#[test]
fn html_scripts_have_escaped_and_double_escaped_text() {
    a_is_read(&[
        "<script>'<meta name=b>'</script ><meta name=a content=1>",
        "<script><!-- </script><meta name=a content=1>",
        "<script><!-- <script></script><meta name=b></script><meta name=a content=1>",
        "<script><!-- <script> --></script><meta name=a content=1>",
        "<script><!--<script></script><script></script><meta name=b></script><meta name=a content=1>",
        "<script><!--><script></script><meta name=a content=1>",
        "<script><!---><script></script><meta name=a content=1>",
        "<script><!-- --><script></script><meta name=a content=1>",
        "<script><!-- <scripts></script><meta name=a content=1>",
        "<script><!-- <SCRIPT/-->--></script><meta name=a content=1>",
        "<script><!-- <script></scripts></script></script/><meta name=a content=1>",
        "<script><!-<script></script><meta name=a content=1>",
    ]);
    nothing_is_read(&["<script><!-- <script></script>"]);
}

#[test]
fn html_templates_nest_and_hold_no_metas_of_the_head() {
    a_is_read(&[
        "<template>x<p><meta name=b></template><meta name=a content=1>",
        "<template><template></template><meta name=b></template><meta name=a content=1>",
        "<template/><meta name=b></template><meta name=a content=1>",
        "<template><script></template></script><meta name=b></template><meta name=a content=1>",
        "<template><textarea></template></textarea></body></head></template><meta name=a content=1>",
        "<template><!-- </template> --><b x='</template>'>&<3</template><meta name=a content=1>",
        "</template><meta name=a content=1>",
    ]);
    nothing_is_read(&["<template><plaintext></template><meta name=a content=1>"]);
}

#[test]
fn html_attributes_are_split_as_the_standard_says() {
    a_is_read(&[
        "<meta name=a name=b content=1 content=2>",
        "<meta name = a content\n=\t'1'>",
        "<meta name=\"a\"content='1'>",
        "<meta name=a / content=1 / >",
        "<meta name=a content='1'=x>",
    ]);
    nothing_is_read(&["<meta nam\0e=a>"]);
    reads(&[
        "<meta content content=2 name=a> -> a=",
        "<meta name=a content=/1/> -> a=/1/",
        "<meta name=a content=> -> a=",
        "<meta name=a content=''> -> a=",
        "<meta name=a content=it's><meta name=b content=\"'\"> -> a=it's | b='",
        "<meta name=a content='>'><meta =name=b =><meta name=c/=x> -> a=> | c/=x=",
        "<meta name=a content /=1> -> a=",
    ]);
}

#[test]
fn html_a_tag_cut_off_is_no_tag() {
    nothing_is_read(&[
        "<meta name=a content='1><p>",
        "<meta name=a content=1",
        "<meta name=a content='1'",
        "<link x=\"><meta name=b content=1>",
        "<link title='><meta name='a'>",
    ]);
}

#[test]
fn html_numeric_character_references_are_decoded() {
    a_is_read(&["<meta name=&#97; content=&#49>"]);
    reads(&["<meta name=a content=&#x10FFFF;&#128512;> -> a=\u{10FFFF}\u{1F600}"]);
    decodes(&[
        "&#110;&#x6F;&#X49&#78dex -> noINdex",
        "&#x80;&#150;&#x81; -> \u{20AC}\u{2013}\u{81}",
        "&#0;&#xD800;&#x110000;&#99999999999; -> \u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}",
        "&#;&#x;&#xg;&&# -> &#;&#x;&#xg;&&#",
    ]);
}

#[test]
fn html_named_character_references_are_decoded() {
    decodes(&[
        "&amp;&lt;&gt;&quot;&apos;&nbsp; -> &<>\"'\u{A0}",
        "noindex&comma;nofollow&semi; -> noindex,nofollow;",
        "&eacute;&hellip;&COPY;&yuml; -> \u{E9}\u{2026}\u{A9}\u{FF}",
        "&amp &copy,&apos &comma -> & \u{A9},&apos &comma",
        "&ampx &amp=1 &amp1 &notit; &copy -> &ampx &amp=1 &amp1 &notit; \u{A9}",
        "&Amp;&no-such;&; -> &Amp;&no-such;&;",
        "&amp;amp; -> &amp;",
    ]);
}

#[test]
fn html_line_ends_and_nul_are_normalised_in_values() {
    a_is_read(&["<meta\rname=a\rcontent=1\r>"]);
    reads(&[
        "<meta name=a content='1\r\n2\r3\n4\r\r\n'> -> a=1\n2\n3\n4\n\n",
        "<meta name=a content='1\x002'> -> a=1\u{FFFD}2",
    ]);
    decodes(&["&#13;\r\n -> \r\n"]);
}

#[test]
fn html_names_of_one_and_two_characters_are_decoded_and_unknown_ones_stay() {
    decodes(&[
        "&Alpha;&nvlt; -> \u{391}<\u{20D2}",
        "&Alfa;&nvlt -> &Alfa;&nvlt",
    ]);
}

#[test]
fn local_bytes_that_are_not_utf_8_are_kept() {
    let html = b"<meta name=\x83\x41 content='\xE9\xFF'>";
    let mut found = Vec::new();
    let end = head_fields(html, &mut |_, name, value| {
        found.push((name.to_vec(), value.to_vec()));
        ControlFlow::Continue(())
    });
    assert_eq!(
        (found, end),
        (vec![(b"\x83\x41".to_vec(), b"\xE9\xFF".to_vec())], Missing)
    );
}

#[test]
fn live_6_licence_links_and_rsl_scripts_are_read() {
    const RSL: &str = "application/rsl+xml";
    for (html, expected) in [
        (
            format!("<link rel=license type={RSL} href=/l.xml>"),
            format!("link {RSL}=/l.xml"),
        ),
        (
            format!("<LINK HREF=' /a?b&amp;c ' TYPE=' {RSL}' REL='next&#32;LICENSE'/>"),
            format!("link {RSL}=/a?b&c"),
        ),
        (
            "<link rel=license href=https://cc.example/by>".to_owned(),
            "link =https://cc.example/by".to_owned(),
        ),
        (
            "<link rel=license type=text/html href=u rel=x>".to_owned(),
            "link text/html=u".to_owned(),
        ),
        ("<link rel=license>".to_owned(), "link =".to_owned()),
        (
            format!("<script type='{RSL}'><rsl>a &amp; b</rsl></script>"),
            format!("script {RSL}=<rsl>a &amp; b</rsl>"),
        ),
        (
            format!("</head><script type={RSL};x=1 ></script >"),
            format!("script {RSL};x=1="),
        ),
        (
            format!("<script type={RSL}><!--<script></script>--></script>"),
            format!("script {RSL}=<!--<script></script>-->"),
        ),
    ] {
        check(
            &format!("{html}<meta name=a content=1><p>"),
            &[&expected, "a=1"],
            Found,
        );
    }
}

#[test]
fn live_6_other_links_and_scripts_are_not_and_a_script_without_end_is_missing() {
    a_is_read_and_head_ends(&[
        "<link rel=stylesheet href=a.css><link rel='licence'><link href=license><meta name=a content=1><p>",
        "<script>1</script><script type=module>2</script><script src=a.js></script><meta name=a content=1><p>",
        "<script data-type=application/rsl+xml></script><meta name=a content=1><p>",
        "<template><link rel=license href=u><script type=application/rsl+xml></script></template><meta name=a content=1><p>",
        "<meta name=a content=1><p><link rel=license href=u>",
    ]);
    nothing_is_read(&[
        "<script type=application/rsl+xml><rsl>",
        "<link rel=license href='u",
    ]);
}

/// Ours: a caller that decodes a page in steps stops at `Found`, so this must not be early.
#[test]
fn local_what_is_found_in_a_prefix_is_found_in_the_whole() {
    let html = b"<!DOCTYPE html><!-- x --!><title>&amp;</title >&#32; \
        <meta name='a' content=\"&eacute;\r\n\">\
        <script><!-- <script></script> --></script></head>&#x20;<template><b></b></template>\
        <meta http-equiv=x content=y><p class='z'>";
    let (all, end) = read(html);
    assert_eq!((all.len(), end), (2, Found));
    for length in 0..html.len() {
        let (found, end) = read(&html[..length]);
        assert!(all.starts_with(&found), "{length}");
        assert!(end == Missing || found == all, "{length}");
    }
}
